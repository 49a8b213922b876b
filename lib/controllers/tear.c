/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TEAR: the rate a TCP would have, from a TCP window that the receiver emulates on the packets that
 * arrive, averaged over the last epochs between two losses.
 * Specification: Rhee, Ozdemir, Yi, "TEAR: TCP emulation at receivers", North Carolina State
 * University, 2000.
 * Needs: which packets arrived; arrival times give their order. Has a report form.
 * Differs from the specification:
 *   - The receiver runs here, at the sender, on the arrivals that feedback tells of. R is the
 *     sender's smoothed round-trip time.
 *   - The session declares losses; the machine of states (estimators/tear_window.h) says what they
 *     mean. A gap that no feedback explains is no loss: it is given up after RTO.
 *   - Until the first RTT sample the rate is the start bitrate, and the window begins with as many
 *     packets per RTT (parameter initial).
 *   - In slow start at most twice the receive rate (parameter receive-limit): nothing else would
 *     hold a sender back that is not clocked by acknowledgements.
 *   - The window does not grow while the source uses less than it may, or the rate is at its upper
 *     limit.
 *   - Silence: after max(RTO, 4R) without an arrival a timeout; the rate is halved for each further
 *     one, and then what arrives finds a TCP after its timeout, without a history.
 *   - The wait for feedback is timed here and not by the path: pauses of the source count in it.
 *   - Report form: see on_report. */
#include <math.h>
#include <string.h>

#include "control/controller.h"
#include "estimators/receive_rate.h"
#include "estimators/report_events.h"
#include "estimators/silence.h"
#include "estimators/tear_window.h"

#define FIRST_TIMEOUT_NS WEIR_SECONDS(2)
#define RTO_MAX_NS       WEIR_SECONDS(60)
#define RECEIVE_LIMIT    2.0
#define LEAST_RATE       (1.0 / 64.0) /* packets/s */
#define RATE_MAX_BPS     1e15
#define REORDER_PACKETS  3

enum { INITIAL_START_RATE, INITIAL_PAPER };

enum { SLOW_START_WINDOW, SLOW_START_MEAN };

enum {
    PARAM_INITIAL,
    PARAM_SLOW_START,
    PARAM_SAMPLES,
    PARAM_MIN_RTO,
    PARAM_RECEIVE_LIMIT,
    N_PARAMS
};

static const struct weir_param tear_params[N_PARAMS] = {
    [PARAM_INITIAL] =
        WEIR_ROW_CHOICE("initial", 0,
                        "Begin with the start bitrate, or with a window of one packet "
                        "and one packet per second until the first RTT sample.",
                        "start-rate", "paper"),
    [PARAM_SLOW_START] =
        WEIR_ROW_CHOICE("slow-start", 0,
                        "Rate until the first epoch ends: the window per RTT, or the "
                        "mean over the rounds of the epoch.",
                        "window", "mean"),
    [PARAM_SAMPLES] = WEIR_ROW_INTEGER("samples", "epochs", 1.0, WEIR__TEAR_SAMPLES_MAX, 8.0,
                                       "Epochs in the mean; the newer half counts fully."),
    [PARAM_MIN_RTO] = WEIR_ROW_NUMBER("min-rto", "ms", 10.0, 10000.0, 200.0,
                                      "Minimum retransmission timeout of the emulated TCP."),
    [PARAM_RECEIVE_LIMIT] = WEIR_ROW_SWITCH("receive-limit", true,
                                            "In slow start send at most twice the receive rate."),
};

struct tear {
    double param[N_PARAMS];
    struct weir__byte_limits limits;
    double first;          /* rate before the first RTT sample, bytes/s */
    double least_cap;      /* of the receive limit: the rate of the first window, packets/s */
    double cap;            /* receive limit, packets/s; HUGE_VAL when there is none */
    double x;              /* reported rate, packets/s */
    double share;          /* of x that is allowed: less than 1 in silence */
    struct weir_path path; /* as the last event brought it */
    bool has_started;      /* there is an RTT */
    bool lost_early;       /* before that */
    bool knows_pause;      /* feedback came twice: how far apart is known */
    bool timed_out;        /* nothing arrived for so long that the window was closed */
    bool arrivals_are_local;
    int64_t reported_ns;
    int64_t report_event_ns;          /* estimators/report_events.h */
    int64_t sent_until;               /* seq of the next packet */
    int64_t highest[REORDER_PACKETS]; /* that arrived, highest first */
    struct weir__silence silence;
    struct weir__receive_rate rate;
    struct weir__tear_window window;
};
WEIR_DEFINE_STATE(struct tear);

static bool starts_at_start_rate(const struct tear *t)
{
    return t->param[PARAM_INITIAL] == (double)INITIAL_START_RATE;
}

static int64_t rtt_ns(const struct tear *t)
{
    return weir_path_srtt_ns(&t->path);
}

static double rtt_s(const struct tear *t)
{
    return (double)rtt_ns(t) * 1e-9;
}

static int64_t rto_ns(const struct tear *t)
{
    int64_t least_ns = (int64_t)(t->param[PARAM_MIN_RTO] * 1e6);
    return weir_max_i64(weir__rtt_rto_ns(&t->path.rtt, least_ns, RTO_MAX_NS), rtt_ns(t));
}

static struct weir__tear_path path_at(const struct tear *t, int64_t now_ns)
{
    return (struct weir__tear_path){
        .now_ns = now_ns,
        .rtt_s = rtt_s(t),
        .rto_s = (double)rto_ns(t) * 1e-9,
        .grows = !t->path.data_limited && t->x * t->path.packet_bytes < t->limits.most,
        .most_cwnd = t->window.n_closed == 0 ? t->cap * rtt_s(t) : HUGE_VAL,
        .sent_until = t->sent_until};
}

/* How long to wait for an arrival. */
static int64_t silence_ns(const struct tear *t)
{
    if (t->path.reports_only) {
        return weir_max_i64(4 * rtt_ns(t), 3 * t->path.report_interval_ns);
    }
    int64_t wait_ns = weir_max_i64(rto_ns(t), 4 * rtt_ns(t));
    return t->knows_pause ? wait_ns : weir_max_i64(wait_ns, FIRST_TIMEOUT_NS);
}

/* The window begins with what the rate until now was per R, halved if something was lost. */
static void start_window(struct tear *t)
{
    t->first *= t->share;
    t->share = 1.0;
    double cwnd = starts_at_start_rate(t) ? t->first * rtt_s(t) / t->path.packet_bytes : 1.0;
    double ssthresh = HUGE_VAL;
    if (t->lost_early) {
        cwnd = fmax(cwnd / 2.0, 1.0);
        ssthresh = cwnd;
    }
    weir__tear_window_init(&t->window, (size_t)t->param[PARAM_SAMPLES], cwnd, ssthresh,
                           t->highest[0] + 1);
    t->x = t->window.cwnd / rtt_s(t);
    t->least_cap = t->x;
    t->has_started = true;
}

/* What the emulated TCP would send at. A mean over the rounds of slow start stays far below the
 * window, and a half of the window would then be more. */
static double emulated_rate(const struct tear *t)
{
    const struct weir__tear_window *w = &t->window;
    bool first_epoch = w->n_closed == 0;
    bool by_window = t->param[PARAM_SLOW_START] == (double)SLOW_START_WINDOW;
    double rate =
        first_epoch && by_window ? w->cwnd / rtt_s(t) : weir__tear_window_rate(w, rtt_s(t));
    return first_epoch ? fmin(rate, t->cap) : rate;
}

/* The report of the receiver: once per R, at once when the rate has fallen. Feedback in several
 * calls at one time is one. */
static void report_rate(struct tear *t, int64_t now_ns)
{
    double rate = emulated_rate(t);
    int64_t since_ns = now_ns - t->reported_ns;
    if (rate < t->x || since_ns >= rtt_ns(t) || since_ns == 0) {
        t->x = rate;
        t->reported_ns = now_ns;
    }
}

/* While the source sends less than it may, what is received is no limit. */
static void update_cap(struct tear *t, double x_recv)
{
    if (t->param[PARAM_RECEIVE_LIMIT] == 0.0) {
        return;
    }
    double cap = fmax(RECEIVE_LIMIT * x_recv / t->path.packet_bytes, t->least_cap);
    t->cap = t->path.data_limited ? fmax(t->cap, cap) : cap;
}

static void note_highest(struct tear *t, int64_t seq)
{
    for (int i = 0; i < REORDER_PACKETS; i++) {
        if (seq > t->highest[i]) {
            int64_t pushed_out = t->highest[i];
            t->highest[i] = seq;
            seq = pushed_out;
        }
    }
}

/* The indices of the received packets in the order of their arrival; returns how many. */
static size_t order_arrivals(const struct weir_feedback *feedback, bool by_time,
                             uint8_t order[WEIR_FEEDBACK_MAX_PACKETS])
{
    const struct weir_packet_report *packets = feedback->packets;
    size_t n = 0;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        if (packets[i].status != WEIR_PACKET_RECEIVED) {
            continue;
        }
        size_t at = n++;
        while (by_time && at > 0 && packets[order[at - 1]].arrived_ns > packets[i].arrived_ns) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (uint8_t)i;
    }
    return n;
}

/* Without arrival times all packets arrive when their report does. */
static bool has_all_times(const struct weir_feedback *feedback)
{
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status != WEIR_PACKET_LOST && packet->arrived_ns == WEIR_UNKNOWN_NS) {
            return false;
        }
    }
    return true;
}

static int64_t arrival_ns(const struct tear *t, const struct weir_packet_report *packet,
                          int64_t now_ns)
{
    return t->arrivals_are_local ? now_ns : packet->arrived_ns;
}

/* First pass: what has arrived in all, late packets too. */
static void note_arrivals(struct tear *t, const struct weir_feedback *feedback)
{
    bool local = !has_all_times(feedback);
    int64_t newest_ns = INT64_MIN;
    if (local != t->arrivals_are_local) {
        t->rate = (struct weir__receive_rate){0};
        weir__tear_window_new_clock(&t->window);
        t->arrivals_are_local = local;
    }
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status != WEIR_PACKET_LOST) {
            newest_ns = weir_max_i64(newest_ns, arrival_ns(t, packet, feedback->now_ns));
        }
    }
    if (t->path.is_alive) {
        weir__receive_rate_begin(&t->rate, newest_ns, rtt_ns(t));
    }
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status != WEIR_PACKET_LOST) {
            weir__receive_rate_add(&t->rate, arrival_ns(t, packet, feedback->now_ns),
                                   packet->wire_bytes, rtt_ns(t));
            note_highest(t, packet->seq);
        }
    }
}

static void tell_lost(struct tear *t, const struct weir__tear_path *path, int64_t seq)
{
    bool overtaken = seq < t->highest[REORDER_PACKETS - 1];
    weir__tear_window_on_lost(&t->window, path, seq, overtaken);
}

/* The losses below `until`, from packets[from] on; returns where to go on. */
static size_t tell_losses(struct tear *t, const struct weir__tear_path *path,
                          const struct weir_feedback *feedback, size_t from, int64_t until)
{
    size_t i = from;
    for (; i < feedback->n_packets && feedback->packets[i].seq < until; i++) {
        if (feedback->packets[i].status == WEIR_PACKET_LOST) {
            tell_lost(t, path, feedback->packets[i].seq);
        }
    }
    return i;
}

/* Second pass: arrivals as they came, each loss just before what overtook it. A mark is a loss of a
 * packet that arrived. */
static void tell_window(struct tear *t, const struct weir_feedback *feedback)
{
    uint8_t order[WEIR_FEEDBACK_MAX_PACKETS];
    struct weir__tear_path path = path_at(t, feedback->now_ns);
    size_t n = order_arrivals(feedback, !t->arrivals_are_local, order);
    size_t lost = 0;
    weir__tear_window_on_time(&t->window, &path);
    for (size_t i = 0; i < n; i++) {
        const struct weir_packet_report *packet = &feedback->packets[order[i]];
        lost = tell_losses(t, &path, feedback, lost, packet->seq);
        if (packet->ecn == WEIR_ECN_CE) {
            weir__tear_window_on_lost(&t->window, &path, packet->seq, true);
        }
        weir__tear_window_on_arrival(&t->window, &path, packet->seq,
                                     arrival_ns(t, packet, feedback->now_ns));
    }
    tell_losses(t, &path, feedback, lost, INT64_MAX);
}

static bool has_loss(const struct weir_feedback *feedback)
{
    for (size_t i = 0; i < feedback->n_packets; i++) {
        if (feedback->packets[i].status == WEIR_PACKET_LOST ||
            feedback->packets[i].ecn == WEIR_ECN_CE) {
            return true;
        }
    }
    return false;
}

/* A long silence has ended: the window is that of a TCP after a timeout, and what was before is no
 * measure any more. */
static void end_silence(struct tear *t)
{
    if (t->share < 1.0 && t->has_started) {
        weir__tear_window_forget_epochs(&t->window);
        t->least_cap = t->window.cwnd / rtt_s(t);
        t->cap = HUGE_VAL;
        t->x = fmin(t->x * t->share, t->least_cap);
    }
    t->share = 1.0;
    t->timed_out = false;
}

static void tear_on_feedback(void *state, const struct weir_path *path,
                             const struct weir_feedback *feedback)
{
    struct tear *t = state;
    t->path = *path;
    if (!t->has_started && path->rtt.has_sample) {
        start_window(t);
    }
    note_arrivals(t, feedback);
    if (path->is_alive) {
        end_silence(t);
        t->knows_pause = t->knows_pause || (t->silence.heard_ns != WEIR_UNKNOWN_NS &&
                                            t->silence.heard_ns < feedback->now_ns);
        weir__silence_on_heard(&t->silence, feedback->now_ns, silence_ns(t), false);
        update_cap(t, weir__receive_rate_get(&t->rate, rtt_ns(t)));
    }
    if (t->has_started) {
        tell_window(t, feedback);
        report_rate(t, feedback->now_ns);
    } else {
        t->lost_early = t->lost_early || has_loss(feedback);
    }
}

/* What a report says of the packets in its interval: that many rounds, and as many loss events as
 * independent losses would make, spread evenly. */
static void tell_report(struct tear *t, const struct weir_report *report)
{
    double before = t->x;
    int64_t lost = report->lost_packets;
    int64_t interval_ns = t->path.report_interval_ns;
    int64_t delivered = report->expected_packets - lost;
    struct weir__tear_path path = path_at(t, report->now_ns);
    double interval_s = (double)interval_ns * 1e-9;
    double delivered_rate = (double)delivered / interval_s;
    double growth = lost > 0 ? 1.0 : RECEIVE_LIMIT;
    path.most_cwnd = growth * delivered_rate * path.rtt_s;
    if (delivered == 0) {
        weir__tear_window_on_timeout(&t->window, &path);
    } else {
        const struct weir__told_losses told = {report->now_ns, interval_ns,
                                               report->expected_packets, lost};
        int64_t n_events = weir__report_events(&told, rtt_ns(t), &t->report_event_ns);
        weir__tear_window_on_rounds(&t->window, &path, interval_s / path.rtt_s, n_events);
    }
    t->x = fmin(emulated_rate(t), 2.0 * fmax(before, delivered_rate));
}

/* The report form: the rounds of an interval are run at once. The rate never grows to more than
 * twice what it was or what was delivered. A report that nothing arrived is no sign of life. */
static void tear_on_report(void *state, const struct weir_path *path,
                           const struct weir_report *report)
{
    struct tear *t = state;
    t->path = *path;
    t->cap = HUGE_VAL;
    if (!t->has_started) {
        start_window(t);
    }
    if (path->is_alive) {
        end_silence(t);
        weir__silence_on_heard(&t->silence, report->now_ns, silence_ns(t), report->sent_bytes > 0);
    }
    if (report->expected_packets > 0) {
        tell_report(t, report);
    }
}

static void tear_on_packet_sent(void *state, const struct weir_path *path,
                                const struct weir_sent_packet *sent)
{
    struct tear *t = state;
    t->path = *path;
    t->sent_until = sent->seq + 1;
    weir__silence_on_sent(&t->silence, sent->sent_ns, silence_ns(t));
}

/* The first timeout closes the window, as a TCP's does; each further one halves what is sent. */
static void expire_silence(struct tear *t, int64_t now_ns)
{
    if (t->has_started && !t->timed_out) {
        struct weir__tear_path path = path_at(t, now_ns);
        weir__tear_window_on_timeout(&t->window, &path);
        t->x = fmin(t->x, emulated_rate(t));
    } else {
        double rate = t->has_started ? t->x : t->first / t->path.packet_bytes;
        t->share = fmax(t->share / 2.0, fmin(t->share, LEAST_RATE / rate));
    }
    t->timed_out = true;
}

static void tear_on_timer(void *state, int64_t now_ns)
{
    struct tear *t = state;
    if (t->has_started && now_ns >= t->window.deadline_ns) {
        struct weir__tear_path emulated = path_at(t, now_ns);
        weir__tear_window_on_time(&t->window, &emulated);
        t->x = fmin(t->x, emulated_rate(t));
    }
    if (weir__silence_is_over(&t->silence, now_ns)) {
        expire_silence(t, now_ns);
    }
}

/* Everything that was learnt about a path. */
static void forget_path(struct tear *t)
{
    t->first = starts_at_start_rate(t) ? t->limits.start : t->path.packet_bytes;
    t->cap = HUGE_VAL;
    t->share = 1.0;
    t->has_started = false;
    t->lost_early = false;
    t->timed_out = false;
    t->report_event_ns = WEIR_UNKNOWN_NS;
    t->rate = (struct weir__receive_rate){0};
    weir__tear_window_init(&t->window, (size_t)t->param[PARAM_SAMPLES], 1.0, HUGE_VAL, 0);
}

static void tear_init(void *state, const struct weir_config *config)
{
    struct tear *t = state;
    *t =
        (struct tear){.path = *config->path, .reported_ns = INT64_MIN / 4, .highest = {-1, -1, -1}};
    memcpy(t->param, config->params, sizeof(t->param));
    t->limits = weir__byte_limits(&config->limits);
    weir__silence_init(&t->silence);
    forget_path(t);
}

static double allowed(const struct tear *t)
{
    return (t->has_started ? t->x * t->path.packet_bytes : t->first) * t->share;
}

/* A new path: as at the start, but never faster than before. */
static void tear_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)now_ns;
    struct tear *t = state;
    double before = allowed(t);
    t->path = *path;
    forget_path(t);
    t->first = fmin(t->first, before);
    t->highest[0] = t->sent_until - 1;
}

static void tear_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct tear *t = state;
    double start_before = t->limits.start;
    t->limits = weir__byte_limits(limits);
    if (starts_at_start_rate(t) && t->first >= start_before) {
        t->first = t->limits.start;
    }
    t->first = fmin(t->first, t->limits.start);
}

/* An RTT known before any feedback: the first phase is skipped. */
static void tear_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)now_ns;
    struct tear *t = state;
    t->path = *path;
    if (!t->has_started) {
        start_window(t);
    }
}

static int64_t tear_next_timer_ns(const void *state)
{
    const struct tear *t = state;
    return weir_min_i64(t->silence.timer_ns, t->window.deadline_ns);
}

static void tear_get_output(const void *state, struct weir_control *control)
{
    const struct tear *t = state;
    *control =
        (struct weir_control){.rate_bps = weir_round_i64(fmin(8.0 * allowed(t), RATE_MAX_BPS)),
                              .window_bytes = WEIR_UNLIMITED_BYTES};
    bool starting = !t->has_started;
    control->state = (starting ? (unsigned)WEIR_STATE_STARTING : 0u) |
                     (!starting && t->window.n_closed == 0 ? (unsigned)WEIR_STATE_SLOW_START : 0u) |
                     (t->path.data_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u) |
                     (t->timed_out ? (unsigned)WEIR_STATE_NO_FEEDBACK : 0u);
}

static void tear_get_variables(const void *state, struct weir_variables *to)
{
    const struct tear *t = state;
    const struct weir__tear_window *w = &t->window;
    double open = weir__tear_window_open_rate(w);
    weir_tell(to, "cwnd_packets", w->cwnd);
    weir_tell(to, "ssthresh_packets", isinf(w->ssthresh) ? 0.0 : w->ssthresh); /* 0 = none yet */
    weir_tell(to, "emulation_state", (double)w->state);
    weir_tell(to, "x_packets_per_s", t->x);
    weir_tell(to, "open_epoch_packets_per_s", fmax(open, 0.0)); /* 0 = no round yet */
    weir_tell(to, "last_epoch_packets_per_s", w->n_closed > 0 ? w->closed[0] : 0.0);
    weir_tell(to, "closed_epochs", (double)w->n_closed);
    weir_tell(to, "reductions", (double)w->n_events);
    weir_tell(to, "timeouts", (double)w->n_timeouts);
    weir_tell(to, "rtt_ns", t->path.rtt.has_sample ? (double)rtt_ns(t) : 0.0);
    weir_tell(to, "packet_bytes", t->path.packet_bytes);
}

const struct weir_controller weir_tear = {
    .name = "tear",
    .description = "TCP Emulation At Receivers: the mean rate of an emulated TCP window.",
    .spec = "Rhee, Ozdemir, Yi 2000",
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct tear),
    .params = tear_params,
    .n_params = N_PARAMS,
    .init = tear_init,
    .on_packet_sent = tear_on_packet_sent,
    .on_feedback = tear_on_feedback,
    .on_report = tear_on_report,
    .on_timer = tear_on_timer,
    .on_path_change = tear_on_path_change,
    .set_limits = tear_set_limits,
    .seed_rtt = tear_seed_rtt,
    .next_timer_ns = tear_next_timer_ns,
    .get_output = tear_get_output,
    .get_variables = tear_get_variables,
};
