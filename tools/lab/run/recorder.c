/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/recorder.h"
#include "scenario/error.h"
#include "weir/quality.h"
#include "weir/units.h"
#include <math.h>

#define LONGEST_SLOT_NS  WEIR_MS(10)
#define LOOKS_PER_SAMPLE 10
#define LOOKS_STREAM     UINT64_C(0x6c6f6f6b73) /* far from those of links and routes */
#define MOST_ROWS        INT64_C(100000000)
#define MOST_BIN_BYTES   INT64_C(200000000)
#define MOST_HISTOGRAMS  1000

static void moments_add(struct lab_moments *moments, double value)
{
    double before = value - moments->mean;
    moments->n++;
    moments->mean += before / (double)moments->n;
    moments->squares += before * (value - moments->mean);
}

/* Standard deviation / mean; NAN without values and when all are 0. */
double lab_moments_cov(const struct lab_moments *moments)
{
    if (moments->n == 0 || !(moments->mean > 0.0)) {
        return (double)NAN;
    }
    return sqrt(moments->squares / (double)moments->n) / moments->mean;
}

static int64_t pieces(int64_t whole_ns, int64_t piece_ns)
{
    return (whole_ns + piece_ns - 1) / piece_ns;
}

/* Times towards the fair rate need what was before the window too, in bins of the same grid. */
static int64_t bins_start_ns(const struct lab_scenario *scenario)
{
    return scenario->fair_bps > 0 ? scenario->from_ns % scenario->bin_ns : scenario->from_ns;
}

/* Refuses before the run what would fill disk or memory. `series`: there will be rows. */
gboolean lab_recorder_check(const struct lab_scenario *scenario, gboolean series, GError **error)
{
    int64_t things = (int64_t)scenario->n_flows + scenario->n_links;
    int64_t samples = pieces(scenario->duration_ns, scenario->sample_ns);
    int64_t start_ns = bins_start_ns(scenario);
    int64_t bins = pieces(scenario->to_ns - start_ns, scenario->bin_ns);
    int64_t columns = 1 + (scenario->fair_bps > 0 ? (int64_t)scenario->n_flows : 0);
    if (series && samples > MOST_ROWS / weir_max_i64(things, 1)) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT,
                    "sample_s: the time series would have %" G_GINT64_FORMAT
                    " bins of %" G_GINT64_FORMAT " flows and links, more than 10^8 rows; choose a "
                    "larger sample_s",
                    samples, things);
        return FALSE;
    }
    if (bins > MOST_BIN_BYTES / (int64_t)sizeof(double) / columns) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT,
                    "measure.bin_s: %" G_GINT64_FORMAT " bins of %" G_GINT64_FORMAT
                    " series would need more than 200 MB; choose a larger bin_s",
                    bins, columns);
        return FALSE;
    }
    return TRUE;
}

/* Percentiles of delays take one to three KB per flow, and time where the flows do not fit into the
 * processor's cache: beyond this many flows there are only means. */
gboolean lab_recorder_wants_histograms(const struct lab_scenario *scenario)
{
    return scenario->n_flows <= MOST_HISTOGRAMS;
}

static gboolean any_tested(const struct lab_scenario *scenario)
{
    for (guint i = 0; i < scenario->n_flows; i++) {
        if (scenario->flows[i]->tested) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Whether Jain's index of a time counts a flow: the tested ones, or all that adapt when none is, as
 * far as they run then. */
gboolean lab_recorder_compares(const struct lab_recorder *recorder, guint flow, int64_t from_ns,
                               int64_t to_ns)
{
    const struct lab_flow *config = recorder->scenario->flows[flow];
    gboolean chosen = recorder->any_tested ? config->tested : config->kind != LAB_FLOW_UDP;
    return chosen && config->start_ns < to_ns && config->stop_ns > from_ns;
}

static void init_records(struct lab_recorder *recorder)
{
    const struct lab_scenario *scenario = recorder->scenario;
    for (guint i = 0; i < scenario->n_flows; i++) {
        struct lab_flow_record *flow = &recorder->flows[i];
        flow->late_ratios = g_new0(double, scenario->flows[i]->n_prebuffers + 1);
        if (scenario->fair_bps > 0) {
            flow->goodput_bps = g_array_new(FALSE, FALSE, sizeof(double));
        }
    }
    for (guint i = 0; i < scenario->n_links; i++) {
        lab_link_record_init(&recorder->links[i], &scenario->links[i]->config);
        lab_rise_init(&recorder->rises[i]);
    }
}

/* One look at a random instant of each slot: as exact in the mean as looking all the time, and
 * blind to no rhythm of the traffic. */
static void plan_look(struct lab_recorder *recorder)
{
    recorder->next_look_ns =
        recorder->slot_start_ns + 1 + weir__random_below(&recorder->random, recorder->slot_ns);
    recorder->slot_start_ns += recorder->slot_ns;
}

/* Of a world at time 0. All that is given must outlive it. */
struct lab_recorder *lab_recorder_create(const struct lab_scenario *scenario,
                                         struct lab_world *world, struct lab_series *series)
{
    struct lab_recorder *recorder = g_new0(struct lab_recorder, 1);
    recorder->scenario = scenario;
    recorder->world = world;
    recorder->series = series;
    recorder->flows = g_new0(struct lab_flow_record, scenario->n_flows + 1);
    recorder->links = g_new0(struct lab_link_record, scenario->n_links + 1);
    recorder->rises = g_new0(struct lab_rise, scenario->n_links + 1);
    recorder->link_windows = g_new0(struct lab_link_difference, scenario->n_links + 1);
    recorder->any_tested = any_tested(scenario);
    recorder->scratch = g_new0(double, scenario->n_flows + 1);
    recorder->jain = g_array_new(FALSE, FALSE, sizeof(double));
    recorder->slot_ns = weir_min_i64(LONGEST_SLOT_NS, scenario->sample_ns / LOOKS_PER_SAMPLE);
    recorder->next_sample_ns = series ? scenario->sample_ns : WEIR_NEVER_NS;
    recorder->next_rise_ns = scenario->n_rises > 0 ? 0 : WEIR_NEVER_NS;
    recorder->next_bin_ns = bins_start_ns(scenario);
    weir__random_init(&recorder->random, scenario->seed, LOOKS_STREAM);
    init_records(recorder);
    plan_look(recorder);
    lab_recorder_look(recorder, 0);
    return recorder;
}

/* Accepts NULL. */
void lab_recorder_destroy(struct lab_recorder *recorder)
{
    if (!recorder) {
        return;
    }
    for (guint i = 0; i < recorder->scenario->n_flows; i++) {
        g_free(recorder->flows[i].late_ratios);
        g_free(recorder->flows[i].variables);
        if (recorder->flows[i].goodput_bps) {
            g_array_free(recorder->flows[i].goodput_bps, TRUE);
        }
    }
    for (guint i = 0; i < recorder->scenario->n_links; i++) {
        lab_link_record_finish(&recorder->links[i]);
    }
    g_free(recorder->flows);
    g_free(recorder->links);
    g_free(recorder->rises);
    g_free(recorder->link_windows);
    g_free(recorder->scratch);
    g_array_free(recorder->jain, TRUE);
    g_free(recorder);
}

/* The instant up to which the simulation may run before the recorder wants to look. */
int64_t lab_recorder_next_ns(const struct lab_recorder *recorder)
{
    int64_t window_ns = recorder->open     ? recorder->scenario->to_ns
                        : recorder->closed ? WEIR_NEVER_NS
                                           : recorder->scenario->from_ns;
    int64_t look_ns = weir_min_i64(recorder->next_look_ns, recorder->next_rise_ns);
    return weir_min_i64(weir_min_i64(look_ns, recorder->next_sample_ns),
                        weir_min_i64(recorder->next_bin_ns, window_ns));
}

static void look_at_queues(struct lab_recorder *recorder)
{
    for (guint i = 0; i < recorder->scenario->n_links; i++) {
        lab_link_record_look(&recorder->links[i], lab_world_link(recorder->world, i),
                             recorder->open);
    }
}

static void look_at_rises(struct lab_recorder *recorder, int64_t now_ns)
{
    for (guint i = 0; i < recorder->scenario->n_links; i++) {
        struct lab_link_record *record = &recorder->links[i];
        struct weir__link *link = lab_world_link(recorder->world, i);
        lab_link_record_advance(record, now_ns);
        struct lab_rise_sample sample = {.at_ns = now_ns,
                                         .delivered_bytes =
                                             weir__link_counters(link)->delivered_bytes,
                                         .capacity_bits = record->capacity_bits};
        lab_rise_add(&recorder->rises[i], recorder->scenario, &sample);
    }
    recorder->next_rise_ns = now_ns + LAB_RISE_STEP_NS;
}

static void write_rows(struct lab_recorder *recorder, int64_t bin_ns, int64_t now_ns)
{
    for (guint i = 0; i < recorder->scenario->n_flows; i++) {
        struct lab_counts counts;
        struct weir__flow_state state;
        struct lab_variables variables;
        lab_world_count(recorder->world, i, &counts);
        lab_world_get_state(recorder->world, i, &state);
        lab_world_get_variables(recorder->world, i, &variables);
        lab_series_add_flow(recorder->series, i, now_ns, &counts, &state, &variables);
    }
    for (guint i = 0; i < recorder->scenario->n_links; i++) {
        struct lab_link_record *record = &recorder->links[i];
        struct weir__link *link = lab_world_link(recorder->world, i);
        lab_link_record_advance(record, now_ns);
        struct lab_link_difference difference = lab_link_bin_end(&record->bin, record, link);
        lab_series_add_link(recorder->series, i, now_ns, bin_ns, &difference, &record->bin);
        lab_link_bin_start(&record->bin, record, link);
    }
}

static void note_rtt(struct lab_recorder *recorder, guint i)
{
    struct weir__flow_state state;
    lab_world_get_state(recorder->world, i, &state);
    if (state.rtt_ns != WEIR_UNKNOWN_NS) {
        moments_add(&recorder->flows[i].rtt_ns, (double)state.rtt_ns);
    }
}

/* TCP, whose packets are of one size: without what was sent again. */
static int64_t new_bytes(const struct weir__flow_meter *meter)
{
    int64_t packets = meter->sent_packets;
    return packets > 0 ? meter->sent_bytes / packets * (packets - meter->resent_packets) : 0;
}

static void begin_bin(struct lab_recorder *recorder, int64_t now_ns)
{
    for (guint i = 0; i < recorder->scenario->n_flows; i++) {
        const struct weir__flow_meter *meter = lab_world_meter(recorder->world, i);
        recorder->flows[i].bin_received_bytes = meter->received_bytes;
        recorder->flows[i].bin_sent_bytes = meter->sent_bytes;
        recorder->flows[i].bin_new_bytes = new_bytes(meter);
        recorder->flows[i].bin_goodput_bytes = meter->goodput_bytes;
    }
    recorder->next_bin_ns = weir_time_add_ns(now_ns, recorder->scenario->bin_ns);
    recorder->in_bin = TRUE;
}

/* What only counts in the window. */
static void end_window_bin_of_flow(struct lab_recorder *recorder, guint i, double bps_of_byte)
{
    struct lab_flow_record *flow = &recorder->flows[i];
    const struct weir__flow_meter *meter = lab_world_meter(recorder->world, i);
    int64_t sent_bytes = meter->sent_bytes - flow->bin_sent_bytes;
    moments_add(&flow->received_bps,
                bps_of_byte * (double)(meter->received_bytes - flow->bin_received_bytes));
    moments_add(&flow->sent_bps, bps_of_byte * (double)sent_bytes);
    moments_add(&flow->new_bps, bps_of_byte * (double)(new_bytes(meter) - flow->bin_new_bytes));
    if (sent_bytes > 0) {
        note_rtt(recorder, i);
    }
}

static double end_bin_of_flow(struct lab_recorder *recorder, guint i)
{
    double bps_of_byte = 8e9 / (double)recorder->scenario->bin_ns;
    struct lab_flow_record *flow = &recorder->flows[i];
    const struct weir__flow_meter *meter = lab_world_meter(recorder->world, i);
    double goodput_bps = bps_of_byte * (double)(meter->goodput_bytes - flow->bin_goodput_bytes);
    if (flow->goodput_bps) {
        g_array_append_val(flow->goodput_bps, goodput_bps);
    }
    if (recorder->open) {
        end_window_bin_of_flow(recorder, i, bps_of_byte);
    }
    return goodput_bps;
}

static void end_bin(struct lab_recorder *recorder, int64_t now_ns)
{
    int64_t start_ns = now_ns - recorder->scenario->bin_ns;
    size_t n_compared = 0;
    recorder->all_bins++;
    for (guint i = 0; i < recorder->scenario->n_flows; i++) {
        double goodput_bps = end_bin_of_flow(recorder, i);
        if (lab_recorder_compares(recorder, i, start_ns, now_ns)) {
            recorder->scratch[n_compared++] = goodput_bps;
        }
    }
    if (!recorder->open) {
        return;
    }
    if (n_compared > 0) {
        double jain = weir_jain(recorder->scratch, n_compared);
        g_array_append_val(recorder->jain, jain);
    }
    recorder->bins++;
}

static void reset_histogram(struct weir__histogram *histogram)
{
    if (histogram) {
        weir__histogram_clear(histogram);
    }
}

static void open_window(struct lab_recorder *recorder, int64_t now_ns)
{
    for (guint i = 0; i < recorder->scenario->n_flows; i++) {
        struct lab_flow_record *flow = &recorder->flows[i];
        lab_world_count(recorder->world, i, &flow->window_start);
        reset_histogram(flow->window_start.meter.delay);
        reset_histogram(flow->window_start.meter.lateness);
        reset_histogram(flow->window_start.meter.frame_delay);
        reset_histogram(flow->window_start.meter.shown_delay);
    }
    for (guint i = 0; i < recorder->scenario->n_links; i++) {
        struct lab_link_record *record = &recorder->links[i];
        lab_link_record_advance(record, now_ns);
        lab_link_bin_start(&record->window, record, lab_world_link(recorder->world, i));
    }
    recorder->window_start_ns = now_ns;
    recorder->open = TRUE;
    recorder->bins_before = recorder->all_bins;
}

static int64_t percentile_ns(const struct weir__histogram *histogram, double share)
{
    return histogram && histogram->n > 0 ? weir__histogram_percentile(histogram, share)
                                         : WEIR_UNKNOWN_NS;
}

static void read_histograms(struct lab_flow_record *flow, const struct lab_flow *config)
{
    static const double shares[LAB_PERCENTILES] = {
        [LAB_P50] = 0.5, [LAB_P95] = 0.95, [LAB_P99] = 0.99};
    const struct weir__histogram *lateness = flow->window.meter.lateness;
    for (int i = 0; i < LAB_PERCENTILES; i++) {
        flow->delay_ns[i] = percentile_ns(flow->window.meter.delay, shares[i]);
        flow->frame_delay_ns[i] = percentile_ns(flow->window.meter.frame_delay, shares[i]);
    }
    flow->shown_delay_ns = percentile_ns(flow->window.meter.shown_delay, 0.95);
    for (size_t i = 0; i < config->n_prebuffers; i++) {
        flow->late_ratios[i] = lateness && lateness->n > 0
                                   ? weir__histogram_above(lateness, config->prebuffers_ns[i])
                                   : (double)NAN;
    }
}

static void note_feedback(struct lab_recorder *recorder, guint i)
{
    struct weir__flow_state state;
    lab_world_get_state(recorder->world, i, &state);
    recorder->flows[i].reports_only = state.reports_only;
}

static void note_variables(struct lab_recorder *recorder, guint i)
{
    struct lab_variables variables;
    lab_world_get_variables(recorder->world, i, &variables);
    if (variables.n > 0) {
        recorder->flows[i].variables = g_new(struct lab_variables, 1);
        *recorder->flows[i].variables = variables;
    }
}

static void close_window(struct lab_recorder *recorder, int64_t now_ns)
{
    for (guint i = 0; i < recorder->scenario->n_flows; i++) {
        struct lab_flow_record *flow = &recorder->flows[i];
        lab_world_count(recorder->world, i, &flow->window);
        lab_counts_subtract(&flow->window, &flow->window_start);
        read_histograms(flow, recorder->scenario->flows[i]);
        note_feedback(recorder, i);
        note_variables(recorder, i);
        if (recorder->bins == 0 && flow->window.meter.sent_packets > 0) {
            note_rtt(recorder, i);
        }
    }
    for (guint i = 0; i < recorder->scenario->n_links; i++) {
        struct lab_link_record *record = &recorder->links[i];
        lab_link_record_advance(record, now_ns);
        lab_link_record_settle(record);
        recorder->link_windows[i] =
            lab_link_bin_end(&record->window, record, lab_world_link(recorder->world, i));
    }
    recorder->window_end_ns = now_ns;
    recorder->next_bin_ns = WEIR_NEVER_NS;
    recorder->open = FALSE;
    recorder->closed = TRUE;
}

/* Does what is due; the simulation stands at now_ns, the instant asked for. */
void lab_recorder_look(struct lab_recorder *recorder, int64_t now_ns)
{
    if (recorder->next_look_ns <= now_ns) {
        look_at_queues(recorder);
        plan_look(recorder);
    }
    if (recorder->next_rise_ns <= now_ns) {
        look_at_rises(recorder, now_ns);
    }
    if (recorder->next_sample_ns <= now_ns) {
        write_rows(recorder, recorder->scenario->sample_ns, now_ns);
        recorder->next_sample_ns += recorder->scenario->sample_ns;
    }
    if (recorder->next_bin_ns <= now_ns) {
        if (recorder->in_bin) {
            end_bin(recorder, now_ns);
        }
        begin_bin(recorder, now_ns);
    }
    if (recorder->open && recorder->scenario->to_ns <= now_ns) {
        close_window(recorder, now_ns);
    }
    if (!recorder->open && !recorder->closed && recorder->scenario->from_ns <= now_ns) {
        open_window(recorder, now_ns);
    }
}

/* The run has ended at now_ns, perhaps early: the last, shorter bin of the series is written, and
 * the window closed. One that has not begun is from the start until now. */
void lab_recorder_finish(struct lab_recorder *recorder, int64_t now_ns)
{
    int64_t last_ns = recorder->next_sample_ns - recorder->scenario->sample_ns;
    if (recorder->series && now_ns > last_ns) {
        write_rows(recorder, now_ns - last_ns, now_ns);
    }
    if (!recorder->closed) {
        close_window(recorder, now_ns);
    }
}
