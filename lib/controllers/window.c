/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window engine; see window.h for what it is.
 * Specification: TCP as the papers' window schemes assume it: RFC 5681 (slow start, timeouts), RFC
 * 6298 (RTO), SACK's one reaction per window, RFC 2861 (idle times).
 * Differs from the specification:
 *   - Nothing is retransmitted: "recovery" is only the time until a packet sent after the reaction
 *     is heard of; acknowledgements of older packets do not open the window.
 *   - Packets are counted one by one, not acknowledgements: delayed feedback grows as prompt does.
 *   - Paced at cwnd s/SRTT (parameter clocking). The window is then a safety net: it also admits
 *     what one pause between bunches of feedback holds back, or the pace could not be kept.
 *   - Growth needs a used window: at least half of it in flight in this round or the one before
 *     (so cwnd <= 2 packets delivered per RTT when it grows), and in congestion avoidance also a
 *     sender that is not limited by its data. Slow start goes by the first alone: an encoder
 *     follows its target a little late. Neither grows beyond the upper limit of the rate.
 *   - The first reaction and those of slow start go by what was in flight, when that was less than
 *     the window.
 *   - RTO: at least twice the pause between bunches of feedback, backoff to 64 times it; until the
 *     next sign of life the rate is one packet per RTO. A series of timeouts is one for ssthresh.
 *   - The initial window of live media is at least what the start bitrate needs, and so is the one
 *     after idle times. */
#include "controllers/window.h"

#include <math.h>

#include "estimators/report_events.h"

#define MAX_RTO_NS     WEIR_SECONDS(64)
#define MAX_BACKOFF    64.0
#define MAX_RATE       12.5e9 /* bytes/s, more than any limit */
#define MAX_HALVINGS   64     /* more change nothing */
#define MAX_ROUNDS     64     /* of one report that are computed one by one */
#define MAX_EVENTS     1000   /* of one report */
#define LEAST_SSTHRESH 2.0

double weir__window_flight(const struct window *w)
{
    return (double)(w->highest_sent - w->highest_heard);
}

int64_t weir__window_rtt_ns(const struct window *w)
{
    return weir_path_srtt_ns(&w->path);
}

static double rtt_s(const struct window *w)
{
    return (double)weir__window_rtt_ns(w) * 1e-9;
}

int64_t weir__window_rto_ns(const struct window *w)
{
    return weir__rtt_rto_ns(&w->path.rtt, w->min_rto_ns, MAX_RTO_NS);
}

bool weir__window_in_slow_start(const struct window *w)
{
    return w->cwnd < w->ssthresh;
}

static double limited_cwnd(double packets)
{
    return fmin(fmax(packets, 1.0), WINDOW_MAX_PACKETS);
}

static double half(const struct window *w, double packets)
{
    return w->whole_packets ? floor(packets / 2.0) : packets / 2.0;
}

/* RFC 3390, in whole packets. */
static double standard_initial(const struct window *w)
{
    return w->path.packet_bytes <= 1095.0 ? 4.0 : w->path.packet_bytes < 2190.0 ? 3.0 : 2.0;
}

static double parameter_initial(const struct window *w)
{
    if (w->initial_packets > 0.0) {
        return w->initial_packets;
    }
    bool papers = !w->starts_at_start_rate && w->rules->paper_initial_packets > 0.0;
    return papers ? w->rules->paper_initial_packets : standard_initial(w);
}

double weir__window_initial(const struct window *w)
{
    double packets = parameter_initial(w);
    if (w->starts_at_start_rate) {
        packets = fmax(packets, w->limits.start * rtt_s(w) / w->path.packet_bytes);
    }
    return limited_cwnd(packets);
}

static void begin_epoch(struct window *w)
{
    if (w->rules->begin_epoch != NULL) {
        w->rules->begin_epoch(w, w);
    }
}

/* The first RTT is known, or assumed. */
static void begin(struct window *w)
{
    double initial = weir__window_initial(w);
    w->cwnd =
        limited_cwnd(w->starts_at_start_rate ? initial * w->start_share : fmin(w->cwnd, initial));
    w->has_started = true;
    begin_epoch(w);
}

/* A sample that replaces an assumption leaves the rate as it is. */
static void take_path(struct window *w, const struct weir_path *path)
{
    double assumed_s = rtt_s(w);
    w->path = *path;
    if (!path->rtt.has_sample) {
        return;
    }
    if (w->rtt_is_assumed) {
        w->cwnd = limited_cwnd(w->cwnd * rtt_s(w) / assumed_s);
        w->rtt_is_assumed = false;
        begin_epoch(w);
    }
    if (!w->has_started) {
        begin(w);
    }
}

/* The most that was in flight in this round and the one before. */
static double most_flight(const struct window *w)
{
    return fmax(w->most_flight, w->most_flight_before);
}

double weir__window_used(const struct window *w)
{
    return w->path.data_limited ? fmax(fmin(w->cwnd, most_flight(w)), 1.0) : w->cwnd;
}

static void reduce(struct window *w, double cwnd)
{
    w->before_loss = weir__window_used(w);
    w->cwnd = limited_cwnd(fmin(cwnd, w->cwnd));
    w->ssthresh = fmax(w->cwnd, LEAST_SSTHRESH);
    w->recover = w->highest_sent;
    begin_epoch(w);
}

/* One reaction to a loss event. In slow start, as the first one is, it halves whatever the rule:
 * the window, or what was in flight and a packet if that is less (RFC 5681 equation 4). */
static void react(struct window *w)
{
    double used = w->path.reports_only ? w->cwnd : fmin(w->cwnd, most_flight(w) + 1.0);
    if (weir__window_in_slow_start(w)) {
        reduce(w, half(w, used));
    } else {
        reduce(w, w->rules->decrease(w, w));
    }
    w->n_events++;
}

/* Losses of packets sent before the reaction belong to the same event; with loss-grouping = rtt
 * those sent within an RTT of its first. */
static bool is_new_event(const struct window *w, const struct weir_packet_report *packet)
{
    return w->groups_by_rtt ? packet->sent_ns > w->event_end_ns : packet->seq > w->recover;
}

static void on_congestion(struct window *w, const struct weir_packet_report *packet)
{
    if (!is_new_event(w, packet)) {
        return;
    }
    w->event_end_ns = packet->sent_ns + weir__window_rtt_ns(w);
    if (!w->has_started) { /* lowers the very first window, and the rate until then */
        w->start_share /= 2.0;
    }
    react(w);
}

/* What may be grown to when the window should not exceed `used` twice: also no more than the upper
 * limit of the rate takes, and a packet. */
static double growth_limit(const struct window *w, double used)
{
    return fmin(2.0 * used, w->limits.most * rtt_s(w) / w->path.packet_bytes + 1.0);
}

/* Growth by the scheme's rule, no faster than slow start. */
static void avoid_congestion(struct window *w, double acked, double limit)
{
    if (w->path.data_limited || w->cwnd >= limit || acked <= 0.0) {
        return;
    }
    double most = fmin(w->cwnd + acked, fmax(limit, w->cwnd));
    double next = w->rules->increase(w, w, acked);
    w->cwnd = limited_cwnd(fmin(fmax(next, w->cwnd), most));
}

/* Slow start up to ssthresh; returns what is left of the acknowledgements beyond it. */
static double slow_start(struct window *w, double acked, double limit)
{
    double room = fmin(limit, w->ssthresh) - w->cwnd;
    if (room <= 0.0) {
        return 0.0;
    }
    double gain = acked * w->slow_start_gain;
    w->cwnd = limited_cwnd(w->cwnd + fmin(gain, room));
    if (weir__window_in_slow_start(w)) {
        return 0.0;
    }
    begin_epoch(w);
    return fmax(gain - room, 0.0) / w->slow_start_gain;
}

static void grow(struct window *w, double acked, double limit)
{
    if (w->frozen) {
        return;
    }
    if (weir__window_in_slow_start(w)) {
        acked = slow_start(w, acked, limit);
    }
    avoid_congestion(w, acked, limit);
}

static void on_packet(struct window *w, const struct weir_packet_report *packet)
{
    w->highest_heard = weir_max_i64(w->highest_heard, packet->seq);
    if (packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE) {
        on_congestion(w, packet);
    } else if (packet->status == WEIR_PACKET_RECEIVED && w->has_started &&
               packet->seq > w->recover) {
        grow(w, 1.0, growth_limit(w, most_flight(w)));
    }
}

/* A round ends when the first packet sent after its beginning is heard of. */
static void update_round(struct window *w)
{
    if (w->highest_heard >= w->round_end) {
        w->most_flight_before = w->most_flight;
        w->most_flight = weir__window_flight(w);
        w->round_end = w->highest_sent + 1;
    }
}

int64_t weir__window_silence_timeout_ns(const void *state, const struct weir_path *path)
{
    const struct window *w = state;
    if (path->reports_only) { /* overdue: four RTTs, three usual intervals */
        int64_t rounds_ns = 4 * weir__window_rtt_ns(w);
        return weir_max_i64(rounds_ns, 3 * w->report_interval_ns);
    }
    return weir_min_i64(weir__window_rto_ns(w) * (int64_t)w->backoff, MAX_RTO_NS);
}

void weir__window_on_feedback(void *state, const struct weir_path *path,
                              const struct weir_feedback *feedback)
{
    struct window *w = state;
    w->report_interval_ns = 0;
    take_path(w, path);
    if (path->is_alive) {
        w->backoff = 1.0;
    }
    for (size_t i = 0; i < feedback->n_packets; i++) {
        on_packet(w, &feedback->packets[i]);
    }
    update_round(w);
}

/* Retransmission timeouts since the last packet left. */
static int64_t idle_rtos(const struct window *w, int64_t sent_ns)
{
    if (w->last_sent_ns == WEIR_UNKNOWN_NS || sent_ns - w->last_sent_ns < w->min_rto_ns) {
        return 0;
    }
    int64_t rto_ns = weir_max_i64(weir__window_rto_ns(w), 2 * w->path.feedback_pause_ns);
    return (sent_ns - w->last_sent_ns) / rto_ns;
}

/* The window is not believed any more after an idle time (RFC 2861). */
static void after_idle(struct window *w, int64_t rtos)
{
    double cwnd = w->cwnd;
    if (w->rules->on_idle != NULL) {
        w->rules->on_idle(w, w, rtos);
    } else {
        double halvings = (double)weir_min_i64(rtos, MAX_HALVINGS);
        double least = fmin(weir__window_initial(w), cwnd);
        w->cwnd = limited_cwnd(fmax(cwnd * exp2(-halvings), least));
    }
    if (w->cwnd != cwnd) {
        begin_epoch(w);
    }
}

void weir__window_on_packet_sent(void *state, const struct weir_path *path,
                                 const struct weir_sent_packet *sent)
{
    struct window *w = state;
    w->path = *path;
    int64_t rtos = idle_rtos(w, sent->sent_ns);
    if (rtos > 0 && w->has_started) {
        after_idle(w, rtos);
    }
    w->last_sent_ns = sent->sent_ns;
    w->highest_sent = weir_max_i64(w->highest_sent, sent->seq);
    w->most_flight = fmax(w->most_flight, weir__window_flight(w));
}

/* RFC 5681 3.1 equation 4, RFC 6298 5.5. The first of a series sets ssthresh. */
static void on_timeout(struct window *w, int64_t now_ns)
{
    if (w->backoff <= 1.0) {
        w->before_loss = weir__window_used(w);
        w->ssthresh = fmax(half(w, w->cwnd), LEAST_SSTHRESH);
    }
    w->cwnd = 1.0;
    w->recover = w->highest_sent;
    w->event_end_ns = now_ns;
    w->n_timeouts++;
}

/* A receiver report is overdue: half the rate, down to a packet in 64 s. */
static void on_overdue(struct window *w)
{
    if (w->cwnd >= 2.0) {
        reduce(w, half(w, w->cwnd));
    } else {
        double most = (double)MAX_RTO_NS * 1e-9 / rtt_s(w);
        w->cwnd = 1.0;
        w->backoff = fmin(2.0 * w->backoff, fmax(most, 1.0));
    }
}

void weir__window_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct window *w = state;
    w->path = *path;
    if (path->reports_only) {
        on_overdue(w);
        return;
    }
    if (w->has_started || !w->starts_at_start_rate) {
        on_timeout(w, now_ns);
    }
    w->backoff = fmin(2.0 * w->backoff, MAX_BACKOFF);
}

/* Growth over a number of rounds, computed one by one. */
static void grow_rounds(struct window *w, double rounds, double limit)
{
    double steps = ceil(fmin(rounds, MAX_ROUNDS));
    for (double i = 0.0; i < steps && w->cwnd < limit; i += 1.0) {
        grow(w, w->cwnd * rounds / steps, limit);
    }
}

/* One reaction for each event; after the first they stop at half of what was delivered per RTT:
 * most of them would not have been, had the first been answered at once. */
static void react_events(struct window *w, int64_t events, double delivered)
{
    for (int64_t i = 0; i < weir_min_i64(events, MAX_EVENTS); i++) {
        if (i > 0 && w->cwnd <= delivered / 2.0) {
            return;
        }
        react(w);
    }
}

/* A report about packets. The window grows by half of it at most, in slow start it doubles; never
 * beyond twice what was delivered per RTT. */
static void process_report(struct window *w, const struct weir_report *report)
{
    int64_t lost = report->lost_packets;
    int64_t rtt_ns = weir__window_rtt_ns(w);
    const struct weir__told_losses told = {report->now_ns, w->report_interval_ns,
                                           report->expected_packets, lost};
    int64_t events = weir__report_events(&told, rtt_ns, &w->report_event_ns);
    double rounds = (double)w->report_interval_ns / (double)rtt_ns;
    double delivered = (double)(report->expected_packets - lost) / rounds;
    bool slow = weir__window_in_slow_start(w);
    double limit = fmin(growth_limit(w, delivered), (slow ? 2.0 : 1.5) * w->cwnd);
    double free_rounds = rounds - (double)events;
    bool is_free = lost == 0 || (events > 0 && !slow);
    if (free_rounds > 0.0 && report->network_limited && is_free) {
        grow_rounds(w, free_rounds, limit);
    }
    react_events(w, events, delivered);
}

void weir__window_on_report(void *state, const struct weir_path *path,
                            const struct weir_report *report)
{
    struct window *w = state;
    bool first = w->report_interval_ns == 0;
    int64_t change_ns = path->report_interval_ns - w->report_interval_ns;
    w->report_interval_ns += first ? change_ns : change_ns / 4;
    take_path(w, path);
    if (!w->has_started) {
        w->rtt_is_assumed = true;
        begin(w);
    }
    if (report->expected_packets > 0) {
        process_report(w, report);
    }
    if (path->is_alive) {
        w->backoff = 1.0;
    }
}

static void forget_path(struct window *w)
{
    w->rtt_is_assumed = false;
    w->has_started = false;
    w->start_share = 1.0;
    w->ssthresh = w->initial_ssthresh;
    w->before_loss = 0.0;
    w->backoff = 1.0;
    w->recover = w->highest_sent;
    w->highest_heard = w->highest_sent;
    w->round_end = w->highest_sent + 1;
    w->report_event_ns = WEIR_UNKNOWN_NS;
    w->most_flight = 0.0;
    w->most_flight_before = 0.0;
}

void weir__window_init(struct window *w, const struct window_rules *rules,
                       const struct weir_config *config)
{
    const double *params = config->params;
    *w = (struct window){.rules = rules,
                         .slow_start_gain = 1.0,
                         .path = *config->path,
                         .limits = weir__byte_limits(&config->limits),
                         .event_end_ns = INT64_MIN / 4,
                         .highest_sent = -1,
                         .last_sent_ns = WEIR_UNKNOWN_NS};
    w->starts_at_start_rate = params[WINDOW_PARAM_INITIAL] < 0.5;
    w->initial_packets = params[WINDOW_PARAM_INITIAL_WINDOW];
    w->initial_ssthresh = params[WINDOW_PARAM_INITIAL_SSTHRESH] > 0.0
                              ? fmax(params[WINDOW_PARAM_INITIAL_SSTHRESH], LEAST_SSTHRESH)
                              : WINDOW_MAX_PACKETS;
    w->min_rto_ns = (int64_t)(params[WINDOW_PARAM_MIN_RTO] * 1e6);
    w->ack_clocked = params[WINDOW_PARAM_CLOCKING] > 0.5;
    w->groups_by_rtt = params[WINDOW_PARAM_LOSS_GROUPING] > 0.5;
    forget_path(w);
    w->cwnd = limited_cwnd(parameter_initial(w));
}

/* Bytes/s that the window and the silence allow. */
static double rate(const struct window *w)
{
    if (!w->has_started && w->starts_at_start_rate) {
        return w->limits.start * w->start_share / w->backoff;
    }
    if (w->backoff > 1.0 && !w->path.reports_only) { /* one packet per timeout */
        return w->path.packet_bytes / ((double)weir__window_silence_timeout_ns(w, &w->path) * 1e-9);
    }
    return w->cwnd * w->path.packet_bytes / (rtt_s(w) * w->backoff);
}

/* A new path: as at the start, but never faster than before. */
void weir__window_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct window *w = state;
    double before = rate(w);
    double cwnd = w->cwnd;
    w->path = *path;
    forget_path(w);
    w->event_end_ns = now_ns;
    w->limits.start = fmin(w->limits.start, before);
    w->cwnd = limited_cwnd(fmin(parameter_initial(w), cwnd));
}

void weir__window_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct window *w = state;
    w->limits = weir__byte_limits(limits);
}

/* An RTT known before any feedback: the phase without one is skipped. */
void weir__window_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)now_ns;
    take_path(state, path);
}

/* What may be in flight. By acknowledgements alone: the window. Paced: also what the receiver holds
 * back between two bunches of feedback, and a packet, so that the pace can be kept. */
static int64_t window_bytes(const struct window *w)
{
    if (w->path.reports_only || (!w->has_started && w->starts_at_start_rate && !w->ack_clocked)) {
        return WEIR_UNLIMITED_BYTES;
    }
    double packets = w->has_started ? w->cwnd : weir__window_initial(w);
    double bytes = packets * w->path.packet_bytes;
    double largest = fmax((double)w->path.largest_packet_bytes, w->path.packet_bytes);
    if (!w->ack_clocked) {
        double round_ns =
            (double)weir_max_i64(weir__window_rtt_ns(w), weir__rtt_latest_ns(&w->path.rtt));
        bytes += bytes * (double)w->path.feedback_pause_ns / round_ns + largest;
    }
    return weir_round_i64(fmin(fmax(bytes, largest), 1e15));
}

static int64_t to_bps(double bytes_per_s)
{
    return (int64_t)(8.0 * fmin(fmax(bytes_per_s, 0.0), MAX_RATE));
}

void weir__window_get_output(const void *state, struct weir_control *control)
{
    const struct window *w = state;
    *control = (struct weir_control){.rate_bps = to_bps(rate(w)), .window_bytes = window_bytes(w)};
    control->pacing_bps = w->ack_clocked && !w->path.reports_only ? to_bps(MAX_RATE) : 0;
    control->state =
        (w->has_started ? 0u : (unsigned)WEIR_STATE_STARTING) |
        (w->has_started && weir__window_in_slow_start(w) ? (unsigned)WEIR_STATE_SLOW_START : 0u) |
        (w->path.data_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u);
}

void weir__window_get_variables(const void *state, struct weir_variables *to)
{
    const struct window *w = state;
    weir_tell(to, "cwnd_packets", w->cwnd);
    weir_tell(to, "ssthresh_packets", w->ssthresh);
    weir_tell(to, "flight_packets", weir__window_flight(w));
    weir_tell(to, "packet_bytes", w->path.packet_bytes);
    weir_tell(to, "rtt_ns", w->path.rtt.has_sample ? (double)weir__window_rtt_ns(w) : 0.0);
    weir_tell(to, "rto_ns", (double)weir__window_silence_timeout_ns(w, &w->path));
    weir_tell(to, "slow_start", weir__window_in_slow_start(w) ? 1.0 : 0.0);
    weir_tell(to, "loss_events", (double)w->n_events);
    weir_tell(to, "timeouts", (double)w->n_timeouts);
}
