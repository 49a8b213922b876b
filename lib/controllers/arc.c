/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ARC: a rate proportional to what the window leaves free, and a window set from the bandwidth.
 * Specification: L. A. Grieco and S. Mascolo, "Adaptive rate control for streaming flows over the
 *   Internet", Multimedia Systems, sections 3 and 4.
 * Needs: which packets arrived; arrival times make the bandwidth exact. Has a report form.
 * Differs from the specification:
 *   - Equal packets there; here the window, what is outstanding and the bandwidth are bytes, and
 *     one packet is the mean size.
 *   - The receiver's bandwidth filter runs here, at the sender, on reported arrival times. Its
 *     value begins with the first sample, and virtual samples hold (parameter interpolation).
 *   - Equations 5 and 6 are applied when feedback comes, for the time since the last, at most one
 *     retransmission timeout: silence raises nothing, and no timer is needed to grow.
 *   - Equation 2 never raises the window (shrink-clamp), and losses within one SRTT are one event.
 *   - The initial window is w = r0 (1/k + R); r0 is the start bitrate, or two to four
 *     packets per RTT (initial).
 *   - After a timeout quick probing starts again below w = equation 2 (timeout), and losses of what
 *     was sent before are answered. From one feedback to the next what was sent stays outstanding,
 *     so that the rate falls in silence as in a window scheme; a timeout forgets it, but never
 *     raises the rate.
 *   - While the application limits the flow the window does not grow and no samples are taken,
 *     unless packets are lost; after idle times quick probing starts again.
 *   - RTTmin is the least of the last ten minutes (rtt-min-window); so the RTT is kept here.
 *   - The wait for feedback is timed here and not by the path: pauses of the source count in it.
 *   - Report form: equation 1 for a steady rate, see on_report. */
#include <math.h>
#include <string.h>

#include "controllers/arc_law.h"
#include "controllers/arc_params.h"
#include "estimators/bandwidth_filter.h"
#include "estimators/silence.h"

#define ASSUMED_RTT_NS   WEIR_MS(500) /* until there is a sample */
#define TIMEOUT_MAX_NS   WEIR_SECONDS(64)
#define LEAST_INTERVAL_S 64.0 /* the rate's floor is one packet in this time */
#define WINDOW_MAX       1e13 /* bytes */
#define RATE_MAX         1e12 /* bytes/s */

struct arc {
    double param[N_PARAMS];
    struct weir__byte_limits limits;
    double share;          /* of the initial rate, after timeouts and losses without RTT */
    struct weir_path path; /* as the last event brought it */

    bool has_window; /* else the initial rate holds */
    bool quick;
    double w; /* bytes */
    double w_thresh;
    double out;        /* bytes sent, of which nothing is known */
    int64_t window_ns; /* t0, last update of w; WEIR_UNKNOWN_NS before the first packet */

    struct weir_rtt rtt;
    struct weir__bandwidth_filter bandwidth; /* bytes/s */
    struct weir__bandwidth_sampler sampler;
    bool arrivals_are_local;
    bool lost_in_sample;

    int64_t event_ns; /* send time of the packet that began the last loss event */
    int64_t event_rtt_ns;
    struct weir__silence silence;
    int n_silent;         /* timeouts since the last sign of life */
    int64_t timed_out_ns; /* the last of them */
    int64_t last_sent_ns;
    int64_t idle_ns; /* what leaves after this ends an idle time */
    int64_t n_events, n_timeouts;
};
WEIR_DEFINE_STATE(struct arc);

static bool is_choice(const struct arc *a, int param, int choice)
{
    return a->param[param] == (double)choice;
}

static int64_t rtt_ns(const struct arc *a)
{
    return a->rtt.has_sample ? weir__rtt_srtt_ns(&a->rtt) : ASSUMED_RTT_NS;
}

static double rtt_min_s(const struct arc *a)
{
    return 1e-9 * (double)(a->rtt.has_sample ? weir__rtt_min_ns(&a->rtt) : ASSUMED_RTT_NS);
}

static int64_t rto_ns(const struct arc *a)
{
    int64_t least_ns = (int64_t)(a->param[PARAM_MIN_RTO] * 1e6);
    return weir__rtt_rto_ns(&a->rtt, least_ns, TIMEOUT_MAX_NS);
}

/* How long silence is borne. Doubled by each timeout, as in TCP. */
static int64_t timeout_ns(const struct arc *a)
{
    int64_t least_ns = a->path.reports_only ? 3 * a->path.report_interval_ns : 0;
    int64_t once_ns = weir_max_i64(rto_ns(a), least_ns);
    int doublings = a->n_silent < 6 ? a->n_silent : 6;
    return weir_min_i64(once_ns << doublings, TIMEOUT_MAX_NS);
}

/* r0. The start bitrate holds whatever the RTT: on a LAN a few packets per RTT are a rate that
 * nothing but a loss would end. */
static double initial_rate(const struct arc *a)
{
    if (is_choice(a, PARAM_INITIAL, INITIAL_START_RATE)) {
        return a->share * a->limits.start;
    }
    double packets = fmin(4.0 * a->path.packet_bytes,
                          fmax(2.0 * a->path.packet_bytes, 4380.0)); /* RFC 5348 4.2 */
    double per_s = a->rtt.has_sample ? packets / (1e-9 * (double)rtt_ns(a)) : a->path.packet_bytes;
    return a->share * per_s;
}

static double initial_window(const struct arc *a)
{
    return initial_rate(a) * (1.0 / a->param[PARAM_K] + 1e-9 * (double)rtt_ns(a));
}

static double least_rate(const struct arc *a)
{
    return a->path.packet_bytes / LEAST_INTERVAL_S;
}

/* A window that lets the least rate pass, with one packet on its way. */
static double least_window(const struct arc *a)
{
    return least_rate(a) / a->param[PARAM_K] + a->path.packet_bytes;
}

/* The queue q(t - Tfb) of equation 1 where packets are not known one by one. */
static double queued(const struct arc *a)
{
    return fmax(1e-9 * (double)rtt_ns(a) - rtt_min_s(a), 0.0) * a->bandwidth.value;
}

/* Equation 1. Where it says to stop, a packet leaves now and then: one that is heard of starts the
 * flow again. */
static double rate(const struct arc *a)
{
    double k = a->param[PARAM_K];
    if (!a->has_window) {
        return initial_rate(a);
    }
    double r = a->path.reports_only ? weir__arc_steady_rate(k, a->w, queued(a), rtt_min_s(a))
                                    : weir__arc_rate(k, a->w, a->out);
    return fmax(r, least_rate(a));
}

/* The window at which the rate has its limit: it need not be larger. */
static double largest_window(const struct arc *a)
{
    double used = a->path.reports_only ? queued(a) + a->limits.most * rtt_min_s(a) : a->out;
    return fmin(used + a->limits.most / a->param[PARAM_K], WINDOW_MAX);
}

/* Equations 5 and 6 for the time since t0. While the application does not use the rate, w is not
 * tried and stays. */
static void grow(struct arc *a, int64_t now_ns)
{
    int64_t longest_ns = a->path.reports_only ? a->path.report_interval_ns : rto_ns(a);
    int64_t since_ns = a->window_ns == WEIR_UNKNOWN_NS ? now_ns : a->window_ns;
    double elapsed_s = 1e-9 * (double)weir_min_i64(now_ns - since_ns, longest_ns);
    double alpha = a->param[PARAM_ALPHA];
    double grown = a->quick ? fmin(weir__arc_quick(a->w, elapsed_s, alpha), fmax(a->w_thresh, a->w))
                            : weir__arc_gentle(a->w, a->path.packet_bytes, elapsed_s, alpha);
    a->window_ns = now_ns;
    if (a->path.reports_only) {
        grown = fmin(grown, 2.0 * a->w);
    }
    if (!a->path.data_limited) {
        a->w = fmax(a->w, fmin(grown, largest_window(a)));
    }
    a->quick = a->quick && a->w < a->w_thresh;
}

/* Equation 2; half the window while nothing is known of the bandwidth. */
static double shrunk_window(const struct arc *a)
{
    double target = a->bandwidth.has_value
                        ? weir__arc_window(a->bandwidth.value, rtt_min_s(a), a->param[PARAM_K])
                        : a->w / 2.0;
    return fmax(target, least_window(a));
}

static void set_window(struct arc *a, double w)
{
    a->w = fmin(fmax(w, least_window(a)), WINDOW_MAX);
}

/* 4.2, the shrinking phase. */
static void shrink(struct arc *a)
{
    double target = shrunk_window(a);
    set_window(a, a->param[PARAM_SHRINK_CLAMP] != 0.0 ? fmin(a->w, target) : target);
    a->quick = false;
}

static void halve_share(struct arc *a)
{
    a->share = fmax(a->share / 2.0, 1e-6);
}

static void on_congestion(struct arc *a, int64_t now_ns)
{
    a->n_events++;
    if (a->has_window) {
        shrink(a);
        a->window_ns = now_ns;
    } else {
        halve_share(a);
    }
}

/* w = r0 (1/k + R), when R becomes known. */
static void open_window(struct arc *a, int64_t now_ns)
{
    if (!a->has_window) {
        set_window(a, initial_window(a));
        a->has_window = true;
        a->window_ns = now_ns;
    }
}

static void follow_time(struct arc *a, int64_t now_ns)
{
    if (a->has_window) {
        grow(a, now_ns);
    } else if (a->rtt.has_sample || a->path.reports_only) {
        open_window(a, now_ns);
    }
}

/* A sample of an application that sends less than it may measures the application, and equation 2
 * would then cut below what the path carries. But when packets are lost, it measures the path. */
static void take_bandwidth(struct arc *a, double bandwidth, double t_s)
{
    if (!a->path.data_limited || a->lost_in_sample || !a->bandwidth.has_value) {
        weir__bandwidth_filter_sample(&a->bandwidth, bandwidth, t_s);
    }
    a->lost_in_sample = false;
}

/* The packets of a feedback that arrived; without a time, all arrive when their report does. */
static void note_arrival(struct arc *a, const struct weir_packet_report *packet, int64_t now_ns)
{
    bool local = packet->arrived_ns == WEIR_UNKNOWN_NS;
    if (local != a->arrivals_are_local) {
        a->sampler = (struct weir__bandwidth_sampler){0};
        a->arrivals_are_local = local;
    }
    double bandwidth, t_s;
    if (weir__bandwidth_sampler_add(&a->sampler, local ? now_ns : packet->arrived_ns,
                                    packet->wire_bytes, rtt_ns(a), &bandwidth, &t_s)) {
        take_bandwidth(a, bandwidth, t_s);
    }
}

/* Whether a packet begins a loss event: the first, or sent more than one SRTT after the one that
 * began the last. */
static bool begins_event(struct arc *a, const struct weir_packet_report *packet)
{
    if (a->event_ns != WEIR_UNKNOWN_NS && packet->sent_ns <= a->event_ns + a->event_rtt_ns) {
        return false;
    }
    a->event_ns = packet->sent_ns;
    a->event_rtt_ns = rtt_ns(a);
    return true;
}

static void note_losses(struct arc *a, const struct weir_feedback *feedback)
{
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        bool lost = packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE;
        a->lost_in_sample = a->lost_in_sample || lost;
    }
}

/* Feedback came late, not never: what silence took off the initial rate is given back. */
static void forgive_silence(struct arc *a)
{
    if (!a->has_window) {
        a->share = fmin(ldexp(a->share, a->n_silent < 64 ? a->n_silent : 64), 1.0);
    }
}

/* Timeouts have answered what was sent until now: its losses, which come to light with the first
 * sign of life, begin no further event (TCP's recovery point, RFC 6582). */
static void note_life(struct arc *a, int64_t now_ns, bool in_flight)
{
    if (a->n_silent > 0 && is_choice(a, PARAM_TIMEOUT, TIMEOUT_SAFE)) {
        a->event_ns = a->last_sent_ns;
        a->event_rtt_ns = 0;
    }
    a->n_silent = 0;
    a->share = a->has_window ? 1.0 : a->share;
    weir__silence_on_heard(&a->silence, now_ns, timeout_ns(a), in_flight);
}

static void arc_on_feedback(void *state, const struct weir_path *path,
                            const struct weir_feedback *feedback)
{
    struct arc *a = state;
    a->path = *path;
    weir__rtt_sample(&a->rtt, feedback->now_ns, feedback->rtt_ns);
    note_losses(a, feedback);
    if (path->is_alive) {
        a->out = (double)weir_max_i64(feedback->in_flight_bytes, 0);
        forgive_silence(a);
        follow_time(a, feedback->now_ns);
        note_life(a, feedback->now_ns, feedback->in_flight_bytes > 0);
    }
    int64_t n_events = 0;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status != WEIR_PACKET_LOST) {
            note_arrival(a, packet, feedback->now_ns);
        }
        if (packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE) {
            n_events += begins_event(a, packet) ? 1 : 0;
        }
    }
    for (; n_events > 0; n_events--) {
        on_congestion(a, feedback->now_ns);
    }
}

/* The report form: bandwidth is the mean of the interval, losses are one event, and w at most
 * doubles. Counting everything not yet reported as outstanding would add up to an interval of
 * sending to it, so equation 1 is solved for a steady rate: k RTTmin r is in the pipe, and
 * (SRTT - RTTmin) B^ waits in the queue. */
static void arc_on_report(void *state, const struct weir_path *path,
                          const struct weir_report *report)
{
    struct arc *a = state;
    int64_t lost = report->lost_packets;
    double bytes = (double)(report->expected_packets - lost) * (double)report->packet_bytes;
    a->path = *path;
    weir__rtt_sample(&a->rtt, report->now_ns, report->rtt_ns);
    if (report->expected_packets > 0) {
        a->lost_in_sample = lost > 0;
        double interval_s = 1e-9 * (double)path->report_interval_ns;
        take_bandwidth(a, bytes / interval_s, interval_s);
        if (path->is_alive) {
            forgive_silence(a);
        }
        follow_time(a, report->now_ns);
    }
    if (lost > 0) {
        on_congestion(a, report->now_ns);
    }
    if (path->is_alive) {
        a->out = 0.0;
        note_life(a, report->now_ns, false);
    }
}

/* The first packet after an idle time: w halves for each timeout that passed, but not below the
 * initial one, and quick probing leads back. */
static void restart_after_idle(struct arc *a, int64_t idle_ns)
{
    double halvings = fmin((double)idle_ns / (double)rto_ns(a), 64.0);
    double least = fmin(a->w, initial_window(a));
    a->w_thresh = a->quick ? fmax(a->w_thresh, a->w) : a->w;
    set_window(a, fmax(least, a->w * exp2(-floor(halvings))));
    a->quick = a->w < a->w_thresh;
    a->sampler = (struct weir__bandwidth_sampler){0};
}

/* A flow that is held back by its rate is silent for up to s/r, too. */
static void note_pause(struct arc *a, int64_t sent_ns)
{
    if (a->window_ns == WEIR_UNKNOWN_NS) {
        a->window_ns = sent_ns;
    }
    if (a->has_window && a->last_sent_ns != WEIR_UNKNOWN_NS && sent_ns > a->idle_ns) {
        restart_after_idle(a, sent_ns - a->last_sent_ns);
    }
}

static void arc_on_packet_sent(void *state, const struct weir_path *path,
                               const struct weir_sent_packet *sent)
{
    struct arc *a = state;
    a->path = *path;
    note_pause(a, sent->sent_ns);
    a->out += fmax((double)sent->wire_bytes, 1.0);
    weir__silence_on_sent(&a->silence, sent->sent_ns, timeout_ns(a));
    double gap_s = 2.0 * a->path.packet_bytes / fmax(rate(a), least_rate(a));
    a->last_sent_ns = sent->sent_ns;
    a->idle_ns = sent->sent_ns + rto_ns(a) + (int64_t)(gap_s * 1e9);
}

/* Silence goes on: nothing arrives of what is sent. The time before the first timeout is left to
 * the arrival times that may yet be told. */
static void decay_bandwidth(struct arc *a, int64_t now_ns)
{
    if (a->n_silent > 0 && a->bandwidth.has_value) {
        weir__bandwidth_filter_sample(&a->bandwidth, 0.0,
                                      1e-9 * (double)(now_ns - a->timed_out_ns));
    }
    a->timed_out_ns = now_ns;
}

/* As TCP: w begins anew, from a lower rate each time, and probes quickly up to where it was. */
static void time_out_safely(struct arc *a)
{
    if (a->n_silent == 0) {
        a->w_thresh = fmin(a->w, shrunk_window(a));
    } else {
        halve_share(a);
    }
    set_window(a, fmin(a->w, initial_window(a)));
    a->quick = a->w < a->w_thresh;
}

/* What was sent counts as lost or arrived, but it is not offered again at a higher rate. */
static void time_out(struct arc *a)
{
    double before = rate(a);
    if (is_choice(a, PARAM_TIMEOUT, TIMEOUT_SAFE)) {
        time_out_safely(a);
    } else {
        shrink(a);
    }
    a->out = fmax(a->w - before / a->param[PARAM_K], 0.0);
}

static void arc_on_timer(void *state, int64_t now_ns)
{
    struct arc *a = state;
    if (!weir__silence_is_over(&a->silence, now_ns)) {
        return;
    }
    decay_bandwidth(a, now_ns);
    if (a->has_window) {
        time_out(a);
    } else {
        halve_share(a);
    }
    a->window_ns = now_ns;
    a->n_silent++;
    a->n_timeouts++;
}

/* Everything that was learnt about a path. */
static void forget_path(struct arc *a)
{
    double window_s = a->param[PARAM_RTT_MIN_WINDOW];
    weir__rtt_init(&a->rtt, (int64_t)(window_s * 1e9));
    weir__bandwidth_filter_init(&a->bandwidth, a->param[PARAM_TAU],
                                is_choice(a, PARAM_INTERPOLATION, INTERPOLATION_LINEAR));
    a->sampler = (struct weir__bandwidth_sampler){0};
    weir__silence_init(&a->silence);
    a->has_window = false;
    a->quick = true;
    a->w = 0.0;
    a->w_thresh = HUGE_VAL;
    a->out = 0.0;
    a->window_ns = WEIR_UNKNOWN_NS;
    a->lost_in_sample = false;
    a->event_ns = WEIR_UNKNOWN_NS;
    a->last_sent_ns = WEIR_UNKNOWN_NS;
    a->n_silent = 0;
    double packets = a->param[PARAM_INITIAL_WINDOW];
    if (packets > 0.0) {
        set_window(a, packets * a->path.packet_bytes);
        a->has_window = true;
    }
}

static void arc_init(void *state, const struct weir_config *config)
{
    struct arc *a = state;
    *a = (struct arc){.share = 1.0, .path = *config->path};
    memcpy(a->param, config->params, sizeof(a->param));
    a->limits = weir__byte_limits(&config->limits);
    forget_path(a);
}

/* A new path: as at the start, but never faster than before. */
static void arc_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)now_ns;
    struct arc *a = state;
    double before = rate(a);
    double window = a->w;
    a->path = *path;
    forget_path(a);
    a->share = 1.0;
    a->share = fmin(fmax(before / initial_rate(a), 1e-6), 1.0);
    if (a->has_window) {
        set_window(a, fmin(a->w, window));
    }
}

static void arc_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct arc *a = state;
    a->limits = weir__byte_limits(limits);
}

/* An RTT known before any feedback: the phase without RTT is skipped. */
static void arc_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    int64_t sample_ns = weir__rtt_srtt_ns(&path->rtt);
    struct arc *a = state;
    a->path = *path;
    if (!a->rtt.has_sample) {
        weir__rtt_sample(&a->rtt, now_ns, sample_ns);
        open_window(a, now_ns);
    }
}

static int64_t arc_next_timer_ns(const void *state)
{
    const struct arc *a = state;
    return a->silence.timer_ns;
}

static void arc_get_output(const void *state, struct weir_control *control)
{
    const struct arc *a = state;
    *control = (struct weir_control){.rate_bps = (int64_t)(8.0 * fmin(rate(a), RATE_MAX)),
                                     .window_bytes = WEIR_UNLIMITED_BYTES};
    bool no_loss_yet = a->quick && isinf(a->w_thresh);
    control->state =
        (a->rtt.has_sample || a->path.reports_only ? 0u : (unsigned)WEIR_STATE_STARTING) |
        (a->has_window && no_loss_yet ? (unsigned)WEIR_STATE_SLOW_START : 0u) |
        (a->path.data_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u) |
        (a->n_silent > 0 ? (unsigned)WEIR_STATE_NO_FEEDBACK : 0u);
}

static void arc_get_variables(const void *state, struct weir_variables *to)
{
    const struct arc *a = state;
    bool known = a->rtt.has_sample;
    weir_tell(to, "window_bytes", a->w);
    weir_tell(to, "window_threshold_bytes", isinf(a->w_thresh) ? 0.0 : a->w_thresh); /* 0 = none */
    weir_tell(to, "quick", a->quick ? 1.0 : 0.0);
    weir_tell(to, "outstanding_bytes", a->out);
    weir_tell(to, "rate_bytes_per_s", rate(a));
    weir_tell(to, "bandwidth_bytes_per_s", a->bandwidth.value);
    weir_tell(to, "rtt_ns", known ? (double)rtt_ns(a) : 0.0);
    weir_tell(to, "rtt_min_ns", known ? 1e9 * rtt_min_s(a) : 0.0);
    weir_tell(to, "packet_bytes", a->path.packet_bytes);
    weir_tell(to, "loss_events", (double)a->n_events);
    weir_tell(to, "timeouts", (double)a->n_timeouts);
}

const struct weir_controller weir_arc = {
    .name = "arc",
    .description = "Adaptive Rate Control: a sliding window written as a rate, set from the "
                   "measured bandwidth.",
    .spec = "Grieco and Mascolo 2004",
    .for_live_media = true,
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct arc),
    .params = arc_params,
    .n_params = N_PARAMS,
    .init = arc_init,
    .on_packet_sent = arc_on_packet_sent,
    .on_feedback = arc_on_feedback,
    .on_report = arc_on_report,
    .on_timer = arc_on_timer,
    .on_path_change = arc_on_path_change,
    .set_limits = arc_set_limits,
    .seed_rtt = arc_seed_rtt,
    .next_timer_ns = arc_next_timer_ns,
    .get_output = arc_get_output,
    .get_variables = arc_get_variables,
};
