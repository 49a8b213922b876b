/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WARC: the mean, over the last s round-trip times, of the congestion window that TCP would have.
 * Specification: S.-C. Tsao, Y.-C. Lai, Y.-D. Lin, "A Fast-Converging TCP-Equivalent
 * Window-Averaging Rate Control Scheme", SPECTS 2012, section III.
 * Needs: which packets arrived; arrival times make the receive rate exact. Has a report form.
 * Differs from the specification:
 *   - The receiver runs here, at the sender. Rounds last SRTT and are counted when feedback comes;
 *     losses are grouped into loss events by send times, and belong to the round that ended last
 *     before they were told.
 *   - III.A has no slow start (it is future work there): with initial=start-rate there is one, from
 *     the start bitrate, and until the first loss event the rate is the window itself.
 *   - III.B.3 names the fluid timeout and leaves it open: see estimators/emulated_window.h.
 *   - III.B.2: the rate after a loss is 7/8 of the receive rate, but never above equation 1.
 *   - Rounds in which the application uses less than 0.8 of the rate let the window stay, rounds
 *     without packets do not count, and idle time lowers the window as TCP does.
 *   - Silence of the receiver: the windows of its rounds are 0.
 *   - The wait for feedback is timed here and not by the path: pauses of the source count in it.
 *   - Report form (no counterpart in the paper): see warc_on_report. */
#include <math.h>
#include <string.h>

#include "controllers/common_steps.h"
#include "controllers/warc_params.h"
#include "estimators/emulated_window.h"
#include "estimators/receive_rate.h"
#include "estimators/report_events.h"
#include "estimators/silence.h"
#include "estimators/window_average.h"

#define RTO_MAX_NS      WEIR_SECONDS(60)
#define MAX_ROUNDS      1024   /* one by one in a call */
#define BEYOND_MAX      1.25   /* of the maximum bitrate: here the window stops */
#define INITIAL_BYTES   4380.0 /* RFC 3390 */
#define INITIAL_PACKETS 4.0
#define MAX_INTERVAL_S  64.0 /* never less than one packet in this time */
#define RATE_MAX        1e17 /* bytes/s */

struct warc {
    double param[N_PARAMS];
    struct weir__byte_limits limits;
    double initial;        /* rate before the first round, bytes/s */
    struct weir_path path; /* as the last event brought it */
    int64_t last_sent_ns;  /* WEIR_UNKNOWN_NS: nothing was sent */
    struct weir__receive_rate received;
    bool arrivals_are_local;
    double x_recv; /* bytes/s */
    /* the emulated TCP and its mean */
    struct weir__emulated_window tcp;
    struct weir__window_average average;
    bool has_rounds; /* an RTT is known: rounds are counted */
    int64_t round_ns;
    uint64_t n_rounds;
    uint64_t n_resets;
    /* since the last round was counted */
    double sent_bytes;
    int64_t reported_packets;
    bool network_limited;
    bool app_limited; /* that round left the rate unused */
    int64_t n_losses; /* loss events that no round has answered */
    /* the newest loss event */
    bool has_event;
    int64_t event_sent_ns;
    int64_t event_rtt_ns;
    uint64_t n_events;
    int64_t report_event_ns; /* estimators/report_events.h */
    /* one-RTT reduction */
    bool is_reduced;
    double reduced;     /* bytes/s */
    int64_t reduced_ns; /* since when */
    int64_t reduced_until_ns;
    struct weir__silence silence;
    bool is_silent;
    double report_limit; /* bytes/s */
};
WEIR_DEFINE_STATE(struct warc);

static bool is_on(const struct warc *c, size_t param)
{
    return c->param[param] > 0.0;
}

static bool starts_at_start_rate(const struct warc *c)
{
    return c->param[PARAM_INITIAL] == (double)INITIAL_START_RATE;
}

static int64_t srtt_ns(const struct warc *c)
{
    return weir_path_srtt_ns(&c->path);
}

static double srtt_s(const struct warc *c)
{
    return (double)srtt_ns(c) * 1e-9;
}

static int64_t min_rto_ns(const struct warc *c)
{
    return (int64_t)(c->param[PARAM_MIN_RTO] * 1e6);
}

static int64_t rto_ns(const struct warc *c)
{
    return weir__rtt_rto_ns(&c->path.rtt, min_rto_ns(c), RTO_MAX_NS);
}

/* How long a timeout of TCP lasts (III.B.3). */
static double timeout_ns(const struct warc *c)
{
    return fmax(4.0 * (double)srtt_ns(c), (double)min_rto_ns(c));
}

/* W(0): one packet; for live media what the rate of the start needs, and RFC 3390 at least. */
static double initial_window(const struct warc *c, double start)
{
    if (!starts_at_start_rate(c)) {
        return 1.0;
    }
    double rfc = fmax(1.0, fmin(INITIAL_PACKETS, INITIAL_BYTES / c->path.packet_bytes));
    return fmin(fmax(rfc, start * srtt_s(c) / c->path.packet_bytes), WEIR__EMULATED_WINDOW_MAX);
}

/* R(t, s), in packets per round. */
static double mean_window(const struct warc *c)
{
    bool is_mean = c->average.n > 0 && !weir__emulated_window_is_starting(&c->tcp);
    return is_mean ? weir__window_average_mean(&c->average) : c->tcp.window;
}

/* What equation 1 allows, bytes/s. */
static double mean_rate(const struct warc *c)
{
    double rate = c->has_rounds ? mean_window(c) * c->path.packet_bytes / srtt_s(c) : c->initial;
    return fmin(rate, RATE_MAX);
}

/* One packet per 64 s; while TCP waits for timeouts one for each, which tells when they are over.
 */
static double least_rate(const struct warc *c)
{
    bool hears = c->has_rounds && !c->is_silent;
    double wait_s = timeout_ns(c) * (double)c->tcp.backoff * 1e-9;
    return c->path.packet_bytes / (hears ? fmin(wait_s, MAX_INTERVAL_S) : MAX_INTERVAL_S);
}

static double allowed_rate(const struct warc *c)
{
    double rate = fmin(mean_rate(c), c->report_limit);
    rate = c->is_reduced ? fmin(rate, c->reduced) : rate;
    return fmax(rate, least_rate(c));
}

/* What no busy sender pauses: the RTO, or two packets. */
static int64_t pause_ns(const struct warc *c)
{
    return weir_max_i64(rto_ns(c), (int64_t)(2e9 * c->path.packet_bytes / allowed_rate(c)));
}

/* How long silence of the receiver may last. */
static int64_t silence_ns(const struct warc *c)
{
    int64_t wait_ns = weir_max_i64(pause_ns(c), 4 * srtt_ns(c));
    int64_t reports_ns = c->path.reports_only ? 3 * c->path.report_interval_ns : 0;
    return weir_max_i64(wait_ns, reports_ns);
}

/* A round begins, and what is counted in it. */
static void begin_round(struct warc *c, int64_t at_ns)
{
    c->round_ns = at_ns;
    c->sent_bytes = 0.0;
    c->reported_packets = 0;
    c->network_limited = false;
}

/* The first RTT sample: rounds begin, at the rate that was allowed until then. */
static void begin_rounds(struct warc *c, int64_t now_ns)
{
    weir__emulated_window_init(&c->tcp, initial_window(c, c->initial), starts_at_start_rate(c));
    weir__window_average_clear(&c->average);
    begin_round(c, now_ns);
    c->has_rounds = true;
}

/* The end of slow start: the mean begins with half the window, which does not grow first. */
static void end_slow_start(struct warc *c, struct weir__emulated_round *round)
{
    round->most = 0.0;
    weir__emulated_window_end_round(&c->tcp, round);
    weir__window_average_clear(&c->average);
    weir__window_average_push(&c->average, c->tcp.window);
    weir__window_average_on_loss(&c->average);
}

/* A round has ended: equation 1 gets its window, the window of the next one follows (III.A), and a
 * loss event may reset the history (equations 2 and 3). */
static void end_round(struct warc *c, struct weir__emulated_round round)
{
    c->n_rounds++;
    if (weir__emulated_window_is_starting(&c->tcp) && round.loss) {
        end_slow_start(c, &round);
        return;
    }
    weir__window_average_push(&c->average, weir__emulated_window_get(&c->tcp));
    weir__emulated_window_end_round(&c->tcp, &round);
    if (!round.loss) {
        return;
    }
    weir__window_average_on_loss(&c->average);
    if (is_on(c, PARAM_HISTORY_RESET)) {
        bool reset = weir__window_average_reset_history(&c->average, c->param[PARAM_RESET_FACTOR]);
        c->n_resets += reset ? 1 : 0;
    }
}

/* Up to where the window may grow in rounds of which each sent sent_packets. Sent packets are never
 * compared with the window itself, which runs far ahead of its mean while bandwidth is gained. */
static double most_window(struct warc *c, double sent_packets)
{
    double used = c->param[PARAM_APP_LIMIT] * mean_window(c);
    c->app_limited = !c->network_limited && sent_packets < used;
    if (c->app_limited || mean_rate(c) > BEYOND_MAX * c->limits.most) {
        return 0.0;
    }
    bool starting = weir__emulated_window_is_starting(&c->tcp);
    return starting ? 2.0 * c->x_recv * srtt_s(c) / c->path.packet_bytes : HUGE_VAL;
}

/* n rounds have ended, with loss events spread evenly over them; at most one per round, one more is
 * kept for later. */
static void end_rounds(struct warc *c, int64_t n, double sent_packets)
{
    struct weir__emulated_round round = {.sack = c->param[PARAM_TIMEOUT_LAW] == (double)LAW_SACK};
    if (is_on(c, PARAM_FLUID_TIMEOUT)) {
        round.timeout_rounds = weir_max_i64(1, llround(timeout_ns(c) / (double)srtt_ns(c)));
    }
    int64_t losses = weir_min_i64(c->n_losses, n);
    c->n_losses = weir_min_i64(c->n_losses - losses, 1);
    for (int64_t i = 0; i < n; i++) {
        round.loss = (i + 1) * losses / n > i * losses / n;
        round.most = most_window(c, sent_packets);
        end_round(c, round);
    }
}

/* How long the current round lasts, when packets come pace_ns apart: SRTT, or until as many packets
 * are reported as its window has. */
static double round_length_ns(const struct warc *c, double pace_ns)
{
    double srtt = (double)srtt_ns(c);
    if (c->param[PARAM_ROUND] == (double)ROUND_TIME) {
        return srtt;
    }
    return fmax(srtt, floor(weir__emulated_window_get(&c->tcp)) * pace_ns);
}

/* Counts the rounds that have ended by now. Those without packets do not count. */
static void advance(struct warc *c, int64_t now_ns)
{
    double elapsed_ns = (double)(now_ns - c->round_ns);
    double pace_ns = elapsed_ns / fmax((double)c->reported_packets, 1.0);
    double length_ns = round_length_ns(c, pace_ns);
    int64_t n = (int64_t)fmin(elapsed_ns / length_ns, 1e9);
    if (n < 1) {
        return;
    }
    if (c->sent_bytes > 0.0) {
        int64_t passed = weir_max_i64(n - MAX_ROUNDS, 0);
        c->tcp.zero_rounds = weir_max_i64(c->tcp.zero_rounds - passed, 0);
        end_rounds(c, n - passed,
                   c->sent_bytes / c->path.packet_bytes * (double)srtt_ns(c) / elapsed_ns);
    }
    double left_ns = fmin(elapsed_ns - (double)n * length_ns, length_ns);
    begin_round(c, now_ns - (int64_t)left_ns);
    c->reported_packets = (int64_t)(left_ns / pace_ns);
}

/* III.B.2: 7/8 of what arrives, for one RTT. */
static void reduce_for_one_rtt(struct warc *c, int64_t now_ns)
{
    if (is_on(c, PARAM_ONE_RTT_REDUCTION) && c->has_rounds && c->x_recv > 0.0) {
        c->is_reduced = true;
        c->reduced = c->param[PARAM_REDUCTION] * c->x_recv;
        c->reduced_ns = now_ns;
        c->reduced_until_ns = weir_time_add_ns(now_ns, srtt_ns(c));
    }
}

/* When the reduction is over: not while nothing is heard, as the rate never rises in silence. */
static int64_t reduced_until_ns(const struct warc *c)
{
    bool is_heard = c->is_reduced && c->silence.heard_ns > c->reduced_ns;
    return is_heard ? c->reduced_until_ns : WEIR_NEVER_NS;
}

static void end_reduction(struct warc *c, int64_t now_ns)
{
    c->is_reduced = c->is_reduced && now_ns < reduced_until_ns(c);
}

/* Losses within one RTT of send times are one event. */
static void note_loss(struct warc *c, int64_t sent_ns, int64_t now_ns)
{
    if (c->has_event && sent_ns <= weir_time_add_ns(c->event_sent_ns, c->event_rtt_ns)) {
        return;
    }
    c->has_event = true;
    c->event_sent_ns = sent_ns;
    c->event_rtt_ns = srtt_ns(c);
    c->n_events++;
    c->n_losses++;
    reduce_for_one_rtt(c, now_ns);
}

static void take_path(struct warc *c, const struct weir_path *path, int64_t now_ns)
{
    bool first = !c->path.rtt.has_sample || !c->has_rounds;
    c->path = *path;
    if (first && path->rtt.has_sample) {
        begin_rounds(c, now_ns);
    }
}

/* The arrivals of a feedback. */
static void note_arrivals(struct warc *c, const struct weir_feedback *feedback)
{
    bool any = false;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        c->reported_packets += packet->status != WEIR_PACKET_LATE ? 1 : 0;
        if (packet->status == WEIR_PACKET_LOST) {
            continue;
        }
        bool local = packet->arrived_ns == WEIR_UNKNOWN_NS;
        int64_t at_ns = weir__arrival_ns(packet, feedback->now_ns);
        if (local != c->arrivals_are_local) {
            c->received = (struct weir__receive_rate){0};
            c->arrivals_are_local = local;
        }
        if (!any) {
            weir__receive_rate_begin(&c->received, at_ns, srtt_ns(c));
        }
        weir__receive_rate_add(&c->received, at_ns, packet->wire_bytes, srtt_ns(c));
        any = true;
    }
    if (any) {
        c->x_recv = weir__receive_rate_get(&c->received, srtt_ns(c));
    }
}

/* A sign of life: the timeout that silence was taken for is over. A mean of nothing but zeros
 * begins anew. */
static void note_life(struct warc *c, int64_t now_ns, bool in_flight)
{
    weir__silence_on_heard(&c->silence, now_ns, silence_ns(c), in_flight);
    if (!c->is_silent) {
        return;
    }
    c->is_silent = false;
    c->round_ns = now_ns;
    c->tcp.zero_rounds = 0;
    if (c->average.sum == 0) {
        weir__window_average_clear(&c->average);
    }
}

static void warc_on_feedback(void *state, const struct weir_path *path,
                             const struct weir_feedback *feedback)
{
    struct warc *c = state;
    c->report_limit = RATE_MAX;
    take_path(c, path, feedback->now_ns);
    note_arrivals(c, feedback);
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE) {
            note_loss(c, packet->sent_ns, feedback->now_ns);
        }
    }
    if (path->is_alive) {
        note_life(c, feedback->now_ns, feedback->in_flight_bytes > 0);
        end_reduction(c, feedback->now_ns);
        if (c->has_rounds) {
            advance(c, feedback->now_ns);
        }
    }
}

/* What a receiver report says of the rounds in its interval. */
static void note_report(struct warc *c, const struct weir_report *report)
{
    int64_t received = report->expected_packets - report->lost_packets;
    int64_t interval_ns = c->path.report_interval_ns;
    const struct weir__told_losses told = {report->now_ns, interval_ns, report->expected_packets,
                                           report->lost_packets};
    int64_t losses = weir__report_events(&told, srtt_ns(c), &c->report_event_ns);
    c->n_losses += losses;
    c->n_events += (uint64_t)losses;
    c->x_recv = (double)received * (double)report->packet_bytes * 1e9 / (double)interval_ns;
    c->sent_bytes = (double)report->sent_bytes;
    c->network_limited = report->network_limited;
    c->reported_packets += report->expected_packets;
    advance(c, report->now_ns);
}

/* The report form: the rounds of the interval, with as many loss events as independent losses would
 * make, spread evenly. No one-RTT reduction; the rate at most doubles per report. A report that
 * nothing arrived is no sign of life. */
static void warc_on_report(void *state, const struct weir_path *path,
                           const struct weir_report *report)
{
    struct warc *c = state;
    bool is_first = !c->has_rounds;
    double before = allowed_rate(c);
    c->is_reduced = false;
    take_path(c, path, report->now_ns);
    if (is_first) {
        begin_rounds(c, report->now_ns - path->report_interval_ns);
    }
    if (path->is_alive) {
        note_life(c, report->now_ns, report->sent_bytes > 0);
    }
    if (report->expected_packets > report->lost_packets) {
        note_report(c, report);
        c->report_limit = 2.0 * before;
    }
}

/* TCP halves an unused window once per RTO. Time of its own: no round passes, and after s of them
 * the old windows say nothing any more. */
static void note_idle(struct warc *c, int64_t now_ns, int64_t idle_ns)
{
    double least = fmin(c->tcp.window, initial_window(c, c->limits.start));
    int64_t halvings = weir_min_i64(idle_ns / rto_ns(c), 64);
    int64_t rounds = idle_ns / srtt_ns(c);
    c->tcp.window = fmax(least, ldexp(c->tcp.window, -(int)halvings));
    c->tcp.zero_rounds = weir_max_i64(c->tcp.zero_rounds - rounds, 0);
    if (rounds >= (int64_t)c->average.n_samples && c->average.n > 0) {
        weir__window_average_restart(&c->average, c->tcp.window);
    }
    begin_round(c, now_ns);
}

static void warc_on_packet_sent(void *state, const struct weir_path *path,
                                const struct weir_sent_packet *sent)
{
    struct warc *c = state;
    bool has_sent = c->last_sent_ns != WEIR_UNKNOWN_NS;
    int64_t idle_ns = has_sent ? sent->sent_ns - c->last_sent_ns : 0;
    bool may_be_idle = c->has_rounds && !c->is_silent && idle_ns > min_rto_ns(c);
    if (may_be_idle && idle_ns > pause_ns(c)) {
        note_idle(c, sent->sent_ns, idle_ns);
    }
    c->path = *path;
    c->last_sent_ns = sent->sent_ns;
    c->sent_bytes += fmax((double)sent->wire_bytes, 1.0);
    c->network_limited = c->network_limited || sent->network_limited;
    if (c->silence.timer_ns == WEIR_NEVER_NS) {
        weir__silence_on_sent(&c->silence, sent->sent_ns, silence_ns(c));
    }
}

/* Reports alone, or no RTT yet: an overdue report halves the rate. */
static void halve(struct warc *c)
{
    double half = mean_window(c) / 2.0;
    c->initial = fmax(c->initial / 2.0, c->path.packet_bytes / MAX_INTERVAL_S);
    if (c->has_rounds) {
        c->tcp.window = fmax(1.0, fmin(c->tcp.window, half));
        c->tcp.ssthresh = c->tcp.window;
        weir__window_average_restart(&c->average, half);
    }
}

/* Silence is a timeout, and the window of its rounds is 0. So counts at most half of what is
 * averaged at a time: on a short path one lost feedback is not the end. */
static void time_out(struct warc *c, int64_t now_ns)
{
    if (weir__emulated_window_is_starting(&c->tcp)) {
        weir__window_average_restart(&c->average, c->tcp.window);
    }
    if (!c->is_silent) {
        weir__emulated_window_time_out(&c->tcp, 1);
    }
    size_t half = c->average.n_samples / 2;
    size_t most = c->average.n < half ? c->average.n : half;
    int64_t rounds =
        weir_min_i64((now_ns - c->round_ns) / srtt_ns(c), weir_max_i64((int64_t)most, 1));
    for (int64_t i = 0; i < rounds; i++) {
        weir__window_average_push(&c->average, 0.0);
        c->n_rounds++;
    }
    begin_round(c, now_ns);
    c->n_losses = 0;
}

static void warc_on_timer(void *state, int64_t now_ns)
{
    struct warc *c = state;
    end_reduction(c, now_ns);
    if (!weir__silence_is_over(&c->silence, now_ns)) {
        return;
    }
    if (c->path.reports_only || !c->has_rounds) {
        halve(c);
    } else {
        time_out(c, now_ns);
    }
    c->is_silent = true;
}

/* Everything that was learnt about a path. */
static void forget_path(struct warc *c)
{
    c->has_rounds = false;
    c->has_event = false;
    c->report_event_ns = WEIR_UNKNOWN_NS;
    c->n_losses = 0;
    c->x_recv = 0.0;
    c->received = (struct weir__receive_rate){0};
    c->is_reduced = false;
    c->report_limit = RATE_MAX;
    c->is_silent = false;
    weir__emulated_window_init(&c->tcp, 1.0, starts_at_start_rate(c));
    weir__window_average_init(&c->average, (size_t)c->param[PARAM_SAMPLES],
                              (size_t)c->param[PARAM_EPOCHS]);
    weir__silence_init(&c->silence);
}

static double first_rate(const struct warc *c)
{
    return starts_at_start_rate(c) ? c->limits.start : c->path.packet_bytes;
}

static void warc_init(void *state, const struct weir_config *config)
{
    struct warc *c = state;
    *c = (struct warc){.path = *config->path, .last_sent_ns = WEIR_UNKNOWN_NS};
    memcpy(c->param, config->params, sizeof(c->param));
    c->limits = weir__byte_limits(&config->limits);
    c->initial = first_rate(c);
    forget_path(c);
}

/* A new path: as at the start, but never faster than before. */
static void warc_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)now_ns;
    struct warc *c = state;
    c->initial = fmin(allowed_rate(c), first_rate(c));
    c->path = *path;
    forget_path(c);
}

static void warc_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct warc *c = state;
    bool untouched = c->initial >= first_rate(c);
    c->limits = weir__byte_limits(limits);
    c->initial = untouched ? first_rate(c) : fmin(c->initial, first_rate(c));
}

/* An RTT known before any feedback: the phase without one is skipped. */
static void warc_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct warc *c = state;
    if (!c->has_rounds) {
        take_path(c, path, now_ns);
    }
}

static int64_t warc_next_timer_ns(const void *state)
{
    const struct warc *c = state;
    return weir_min_i64(reduced_until_ns(c), c->silence.timer_ns);
}

static void warc_get_output(const void *state, struct weir_control *control)
{
    const struct warc *c = state;
    bool starting = weir__emulated_window_is_starting(&c->tcp);
    *control = (struct weir_control){.rate_bps = (int64_t)(8.0 * allowed_rate(c)),
                                     .window_bytes = WEIR_UNLIMITED_BYTES};
    control->state = (c->has_rounds ? 0u : (unsigned)WEIR_STATE_STARTING) |
                     (c->has_rounds && starting ? (unsigned)WEIR_STATE_SLOW_START : 0u) |
                     (c->app_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u) |
                     (c->is_silent ? (unsigned)WEIR_STATE_NO_FEEDBACK : 0u);
}

static void warc_get_variables(const void *state, struct weir_variables *to)
{
    const struct warc *c = state;
    weir_tell(to, "emulated_window_packets", weir__emulated_window_get(&c->tcp));
    weir_tell(to, "mean_window_packets", mean_window(c));
    weir_tell(to, "windows_averaged", (double)c->average.n);
    weir_tell(to, "tcp_mean_window_packets", weir__window_average_tcp_mean(&c->average));
    weir_tell(to, "ssthresh_packets",
              weir__emulated_window_is_starting(&c->tcp) ? 0.0 : c->tcp.ssthresh);
    weir_tell(to, "rounds", (double)c->n_rounds);
    weir_tell(to, "loss_events", (double)c->n_events);
    weir_tell(to, "history_resets", (double)c->n_resets);
    weir_tell(to, "emulated_timeouts", (double)c->tcp.timeouts);
    weir_tell(to, "reduced_bytes_per_s", c->is_reduced ? c->reduced : 0.0);
    weir_tell(to, "x_recv_bytes_per_s", c->x_recv);
    weir_tell(to, "rtt_ns", c->path.rtt.has_sample ? (double)srtt_ns(c) : 0.0);
    weir_tell(to, "packet_bytes", c->path.packet_bytes);
}

const struct weir_controller weir_warc = {
    .name = "warc",
    .description = "Window-Averaging Rate Control: TCP's mean window over a fixed time.",
    .spec = "Tsao, Lai, Lin 2012 (WARC)",
    .for_live_media = true,
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct warc),
    .params = warc_params,
    .n_params = N_PARAMS,
    .init = warc_init,
    .on_packet_sent = warc_on_packet_sent,
    .on_feedback = warc_on_feedback,
    .on_report = warc_on_report,
    .on_timer = warc_on_timer,
    .on_path_change = warc_on_path_change,
    .set_limits = warc_set_limits,
    .seed_rtt = warc_seed_rtt,
    .next_timer_ns = warc_next_timer_ns,
    .get_output = warc_get_output,
    .get_variables = warc_get_variables,
};
