/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/figures.h"
#include "quality/percentile.h"
#include "quality/transient.h"
#include "weir/quality.h"
#include "weir/units.h"
#include <math.h>
#include <string.h>

#define NS_PER_MS 1e6
#define NS_PER_S  1e9

/* NAN when the whole is nothing. */
double lab_ratio(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

static double mean_ms(double sum_ns, int64_t n)
{
    return n > 0 ? sum_ns / (double)n / NS_PER_MS : (double)NAN;
}

static double known_ms(int64_t time_ns)
{
    return time_ns == WEIR_UNKNOWN_NS ? (double)NAN : (double)time_ns / NS_PER_MS;
}

/* Mean rate in the window, to a bit per second; 0 for a window of no length. */
int64_t lab_figures_bps(const struct lab_flow_figures *figures, int64_t bytes)
{
    return figures->window_ns > 0
               ? (int64_t)llround(8.0 * (double)bytes / ((double)figures->window_ns / NS_PER_S))
               : 0;
}

/* Of media; TCP has bytes, not packets, of an application. */
static const struct weir__source_config *source_of(const struct lab_flow *flow)
{
    switch (flow->kind) {
    case LAB_FLOW_UDP:
        return &flow->udp.source;
    case LAB_FLOW_MEDIA:
        return flow->media.greedy ? NULL : &flow->media.source;
    case LAB_FLOW_TCP:
    default:
        return NULL;
    }
}

static void classify(struct lab_flow_figures *figures, const struct lab_scenario *scenario)
{
    const struct lab_flow *flow = figures->flow;
    const struct weir__source_config *source = source_of(flow);
    figures->has_buffer = flow->kind == LAB_FLOW_MEDIA;
    figures->is_tcp = flow->kind == LAB_FLOW_TCP;
    figures->is_finite = figures->is_tcp && flow->tcp.kind == WEIR__TCP_FINITE;
    figures->is_voice = source && source->kind == WEIR__SOURCE_VOIP;
    figures->waits_to_start = figures->has_buffer && flow->media.media_when_allowed;
    figures->has_fair = scenario->fair_bps > 0;
}

/* Packets of the source that arrived, each once. Without a transmit buffer a packet is sent as it
 * is generated. */
static int64_t heard_packets(const struct lab_flow_figures *figures)
{
    const struct weir__flow_meter *meter = &figures->counts.meter;
    return figures->has_buffer ? meter->heard_packets : meter->received_packets;
}

/* Packets of the source that did not arrive, wherever they were lost; what is on its way at the
 * edges of the window is not. The route has lost dummy packets too if the media began only in the
 * window: no more than are missing are lost then. */
static int64_t unheard_packets(const struct lab_flow_figures *figures, int64_t from_ns)
{
    const struct weir__flow_meter *meter = &figures->counts.meter;
    const struct weir__packet_counters *route = &figures->counts.route;
    int64_t gone = meter->discarded_packets + route->dropped_packets + route->lost_packets;
    int64_t missing = meter->generated_packets - heard_packets(figures);
    gboolean began = figures->waits_to_start && meter->counted_from_ns > from_ns;
    return began ? weir_min_i64(gone, weir_max_i64(missing, 0)) : gone;
}

/* Delay counts from generation to arrival. */
static void add_voice(struct lab_flow_figures *figures, int64_t from_ns)
{
    int64_t heard = heard_packets(figures);
    int64_t unheard = unheard_packets(figures, from_ns);
    if (heard == 0) {
        return;
    }
    figures->values[LAB_R_SCORE] =
        weir_r_score(&weir_impairment_g711, lab_ratio(unheard, heard + unheard),
                     figures->values[LAB_MOUTH_TO_EAR_MS]);
    figures->values[LAB_MOS] = weir_mos(figures->values[LAB_R_SCORE]);
}

static double since_start_s(const struct lab_flow *flow, int64_t time_ns)
{
    return (double)(time_ns - flow->start_ns) / NS_PER_S;
}

/* The change to be followed is at the start of the window. */
static void add_transients(struct lab_flow_figures *figures, const struct lab_recorder *recorder,
                           const struct lab_flow_record *record)
{
    struct weir__rate_series series = {.rates =
                                           (const double *)(gconstpointer)record->goodput_bps->data,
                                       .n = record->goodput_bps->len,
                                       .bin_s = (double)recorder->scenario->bin_ns / NS_PER_S};
    size_t event = (size_t)recorder->bins_before;
    double fair_bps = (double)recorder->scenario->fair_bps;
    figures->values[LAB_RISE_S] = weir__rise_s(&series, event, fair_bps);
    figures->values[LAB_FALL_S] = weir__fall_s(&series, event, fair_bps);
    figures->values[LAB_CONVERGE_S] = weir__convergence_s(&series, event, fair_bps);
}

static void fill_delays(double *values, const struct lab_flow_record *record)
{
    const struct weir__flow_meter *meter = &record->window.meter;
    values[LAB_DELAY_MEAN_MS] = mean_ms(meter->delay_sum_ns, meter->received_packets);
    values[LAB_DELAY_P50_MS] = known_ms(record->delay_ns[LAB_P50]);
    values[LAB_DELAY_P95_MS] = known_ms(record->delay_ns[LAB_P95]);
    values[LAB_DELAY_P99_MS] = known_ms(record->delay_ns[LAB_P99]);
    values[LAB_FRAME_P50_MS] = known_ms(record->frame_delay_ns[LAB_P50]);
    values[LAB_FRAME_P95_MS] = known_ms(record->frame_delay_ns[LAB_P95]);
    values[LAB_SHOWN_P95_MS] = known_ms(record->shown_delay_ns);
    values[LAB_RTT_MS] = record->rtt_ns.n > 0 ? record->rtt_ns.mean / NS_PER_MS : (double)NAN;
}

/* What happens once. */
static void fill_instants(struct lab_flow_figures *figures)
{
    const struct weir__flow_meter *meter = &figures->counts.meter;
    if (figures->waits_to_start && meter->counted_from_ns != WEIR_NEVER_NS) {
        figures->values[LAB_MEDIA_START_S] = since_start_s(figures->flow, meter->counted_from_ns);
    }
    if (figures->is_finite && meter->completed_ns != WEIR_NEVER_NS) {
        figures->values[LAB_COMPLETED_S] = since_start_s(figures->flow, meter->completed_ns);
    }
}

static void fill_flow(struct lab_flow_figures *figures, const struct lab_recorder *recorder,
                      guint i)
{
    const struct lab_flow_record *record = &recorder->flows[i];
    const struct weir__flow_meter *meter = &record->window.meter;
    double *values = figures->values;
    for (int k = 0; k < LAB_FIGURES; k++) {
        values[k] = (double)NAN;
    }
    figures->flow = recorder->scenario->flows[i];
    figures->n_flows = 1;
    figures->counts = record->window;
    figures->window_ns = recorder->window_end_ns - recorder->window_start_ns;
    figures->late_ratios = record->late_ratios;
    figures->reports_only = record->reports_only;
    figures->variables = record->variables;
    classify(figures, recorder->scenario);
    values[LAB_COV] = lab_moments_cov(&record->received_bps);
    values[LAB_COV_SENT] = lab_moments_cov(&record->sent_bps);
    values[LAB_COV_NEW] = lab_moments_cov(&record->new_bps);
    fill_delays(values, record);
    fill_instants(figures);
    if (figures->has_fair) {
        add_transients(figures, recorder, record);
    }
    if (figures->has_buffer || figures->is_voice) {
        values[LAB_MOUTH_TO_EAR_MS] = mean_ms(meter->mouth_to_ear_sum_ns, heard_packets(figures));
    }
    if (figures->is_voice) {
        add_voice(figures, recorder->window_start_ns);
    }
}

static gboolean same_prebuffers(const struct lab_flow *a, const struct lab_flow *b)
{
    return a->n_prebuffers == b->n_prebuffers &&
           (a->n_prebuffers == 0 || memcmp(a->prebuffers_ns, b->prebuffers_ns,
                                           a->n_prebuffers * sizeof *a->prebuffers_ns) == 0);
}

/* Of the values that are defined. */
struct mean {
    double sum;
    guint n;
};

static void mean_add(struct mean *mean, double value)
{
    if (isfinite(value)) {
        mean->sum += value;
        mean->n++;
    }
}

static double mean_get(const struct mean *mean)
{
    return mean->n > 0 ? mean->sum / mean->n : (double)NAN;
}

static void add_member(struct lab_flow_figures *group, struct mean means[LAB_FIGURES],
                       const struct lab_flow_figures *flow)
{
    lab_counts_add(&group->counts, &flow->counts);
    group->has_buffer = group->has_buffer || flow->has_buffer;
    group->is_tcp = group->is_tcp || flow->is_tcp;
    group->is_voice = group->is_voice || flow->is_voice;
    group->is_finite = group->is_finite || flow->is_finite;
    group->waits_to_start = group->waits_to_start || flow->waits_to_start;
    group->has_fair = group->has_fair || flow->has_fair;
    for (int k = 0; k < LAB_FIGURES; k++) {
        mean_add(&means[k], flow->values[k]);
    }
}

/* NULL unless all have the same pre-buffers. */
static double *mean_late_ratios(const struct lab_flow_figures *flows, const GArray *members)
{
    const struct lab_flow *first = flows[g_array_index(members, guint, 0)].flow;
    g_autofree struct mean *means = g_new0(struct mean, first->n_prebuffers + 1);
    gboolean same = TRUE;
    for (guint m = 0; m < members->len && same; m++) {
        const struct lab_flow_figures *flow = &flows[g_array_index(members, guint, m)];
        same = same_prebuffers(first, flow->flow);
        for (size_t k = 0; k < first->n_prebuffers && same; k++) {
            mean_add(&means[k], flow->late_ratios[k]);
        }
    }
    double *ratios = same ? g_new0(double, first->n_prebuffers + 1) : NULL;
    for (size_t k = 0; k < first->n_prebuffers && same; k++) {
        ratios[k] = mean_get(&means[k]);
    }
    return ratios;
}

/* Counts are summed, and rates and ratios follow from the sums; the others are means. `members` are
 * indices into flows. */
static void fill_group(struct lab_flow_figures *group, const struct lab_flow_figures *flows,
                       const GArray *members)
{
    struct mean means[LAB_FIGURES] = {{0.0, 0}};
    const struct lab_flow_figures *first = &flows[g_array_index(members, guint, 0)];
    *group = (struct lab_flow_figures){
        .flow = first->flow, .n_flows = members->len, .window_ns = first->window_ns};
    for (guint m = 0; m < members->len; m++) {
        add_member(group, means, &flows[g_array_index(members, guint, m)]);
    }
    for (int k = 0; k < LAB_FIGURES; k++) {
        group->values[k] = mean_get(&means[k]);
    }
    group->late_ratios = mean_late_ratios(flows, members);
}

static void fill_groups(struct lab_figures *figures)
{
    const struct lab_scenario *scenario = figures->scenario;
    GHashTable *members =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_array_unref);
    GPtrArray *order = g_ptr_array_new();
    for (guint i = 0; i < scenario->n_flows; i++) {
        GArray *list = g_hash_table_lookup(members, scenario->flows[i]->group);
        if (!list) {
            list = g_array_new(FALSE, FALSE, sizeof(guint));
            g_hash_table_insert(members, (gpointer)(guintptr)scenario->flows[i]->group, list);
            g_ptr_array_add(order, list);
        }
        g_array_append_val(list, i);
    }
    figures->n_groups = order->len;
    figures->groups = g_new0(struct lab_flow_figures, order->len + 1);
    for (guint i = 0; i < order->len; i++) {
        fill_group(&figures->groups[i], figures->flows, g_ptr_array_index(order, i));
    }
    g_ptr_array_free(order, TRUE);
    g_hash_table_destroy(members);
}

/* `unit`: what one of the histogram's is in the result's. */
static struct lab_queue_figures queue_figures(const struct weir__histogram *histogram, double unit)
{
    if (histogram->n == 0) {
        double none = (double)NAN;
        return (struct lab_queue_figures){none, none, none, none};
    }
    return (struct lab_queue_figures){
        .mean = weir__histogram_mean(histogram) / unit,
        .p50 = (double)weir__histogram_percentile(histogram, 0.5) / unit,
        .p95 = (double)weir__histogram_percentile(histogram, 0.95) / unit,
        .max = (double)histogram->max / unit};
}

static void fill_link(struct lab_link_figures *figures, const struct lab_recorder *recorder,
                      guint i)
{
    const struct lab_link_difference *window = &recorder->link_windows[i];
    double window_s = (double)(recorder->window_end_ns - recorder->window_start_ns) / NS_PER_S;
    figures->name = recorder->scenario->links[i]->name;
    figures->counters = window->counters;
    figures->capacity_bps = window_s > 0.0 ? window->capacity_bits / window_s : (double)NAN;
    figures->utilization =
        window->capacity_bits > 0.0
            ? 8.0 * (double)window->counters.delivered_bytes / window->capacity_bits
            : (double)NAN;
    figures->queue_packets = queue_figures(&recorder->links[i].queue_packets, 1.0);
    figures->dualpi2 = recorder->links[i].config->queue.discipline == WEIR__QUEUE_DUALPI2
                           ? &window->dualpi2
                           : NULL;
    figures->queue_ms = queue_figures(&recorder->links[i].wait_ns, NS_PER_MS);
    for (guint k = 0; k < recorder->scenario->n_rises; k++) {
        int64_t rise_ns = recorder->rises[i].rise_ns[k];
        figures->rise_s[k] = rise_ns == WEIR_NEVER_NS ? (double)NAN : (double)rise_ns / NS_PER_S;
    }
}

static void fill_jain(struct lab_figures *figures, const struct lab_recorder *recorder)
{
    g_autofree double *goodputs = g_new0(double, recorder->scenario->n_flows + 1);
    size_t n = 0;
    for (guint i = 0; i < recorder->scenario->n_flows; i++) {
        if (lab_recorder_compares(recorder, i, figures->from_ns, figures->to_ns)) {
            goodputs[n++] = (double)figures->flows[i].counts.meter.goodput_bytes;
        }
    }
    figures->n_compared = (guint)n;
    figures->jain = n > 0 ? weir_jain(goodputs, n) : (double)NAN;
    double *of_bins = (double *)(gpointer)recorder->jain->data;
    size_t n_bins = recorder->jain->len;
    weir__sort(of_bins, n_bins);
    figures->jain_p5 = weir__percentile(of_bins, n_bins, 0.05);
    figures->jain_p50 = weir__percentile(of_bins, n_bins, 0.5);
    figures->jain_p95 = weir__percentile(of_bins, n_bins, 0.95);
}

/* The recorder must outlive it. */
struct lab_figures *lab_figures_create(const struct lab_recorder *recorder, int64_t sim_ns)
{
    const struct lab_scenario *scenario = recorder->scenario;
    struct lab_figures *figures = g_new0(struct lab_figures, 1);
    figures->scenario = scenario;
    figures->sim_ns = sim_ns;
    figures->complete = sim_ns >= scenario->duration_ns;
    figures->from_ns = recorder->window_start_ns;
    figures->to_ns = recorder->window_end_ns;
    figures->flows = g_new0(struct lab_flow_figures, scenario->n_flows + 1);
    figures->links = g_new0(struct lab_link_figures, scenario->n_links + 1);
    for (guint i = 0; i < scenario->n_flows; i++) {
        fill_flow(&figures->flows[i], recorder, i);
    }
    for (guint i = 0; i < scenario->n_links; i++) {
        fill_link(&figures->links[i], recorder, i);
    }
    fill_groups(figures);
    fill_jain(figures, recorder);
    figures->events = (int64_t)lab_world_sim(recorder->world)->events;
    figures->packets = lab_world_packets(recorder->world);
    return figures;
}

/* Accepts NULL. */
void lab_figures_destroy(struct lab_figures *figures)
{
    if (!figures) {
        return;
    }
    for (guint i = 0; i < figures->n_groups; i++) {
        g_free(figures->groups[i].late_ratios);
    }
    g_free(figures->flows);
    g_free(figures->groups);
    g_free(figures->links);
    g_free(figures);
}
