/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRCP: every few seconds the rate of a TCP model at the loss ratio of the last round, or twice
 * the rate when nothing was lost.
 * Specification: Padhye, Kurose, Towsley, Koodli, "A model based TCP-friendly rate control
 * protocol", NOSSDAV 1999. Rates here are in packets/s, as there.
 * Needs: which packets arrived. Has a report form, its natural one.
 * Differs from the specification:
 *   - A packet belongs to the round in which its fate becomes known: what is still under way counts
 *     in the next.
 *   - A round ends with the first feedback after M; one of too few packets for a loss ratio goes on
 *     until it has round-packets, or to 3 M.
 *   - Until the first RTT sample the rate is the start bitrate, and stays it (parameter initial).
 *   - The rate rises to twice what was delivered in the round at most (parameter receive-limit).
 *   - Doubled is the lower limit at least: the session sends as much anyway, and doubling from far
 *     below it would take minutes.
 *   - When the mean packet size changes between rounds, the rate in bytes stays.
 *   - No doubling after a round in which the source used less than 0.8 of what it might.
 *   - Silence: halved for each max(T0, M) without feedback; then at least one packet per RTT.
 *   - Report form: rounds of whole reports; the rate grows by at most a factor of 2 in each. */
#include <math.h>
#include <string.h>

#include "control/controller.h"
#include "estimators/tcp_equation.h"

#define RTO_MAX_NS        WEIR_SECONDS(60)
#define LEAST_RATE        (1.0 / 64.0) /* packets/s */
#define RATE_MAX_BPS      1e15
#define USED_SHARE        0.8 /* less is a source that limits itself */
#define MAX_ROUNDS_IN_ONE 3   /* M that a round may last */
#define RECEIVE_LIMIT     2.0

enum { INITIAL_START_RATE, INITIAL_PAPER };

enum {
    PARAM_INITIAL,
    PARAM_INTERVAL,
    PARAM_ROUND_PACKETS,
    PARAM_WINDOW_LIMIT,
    PARAM_PACKETS_PER_ACK,
    PARAM_MIN_RTO,
    PARAM_RECEIVE_LIMIT,
    N_PARAMS
};

static const struct weir_param tfrcp_params[N_PARAMS] = {
    [PARAM_INITIAL] = WEIR_ROW_CHOICE(
        "initial", 0,
        "Begin with the start bitrate, or with one packet per second and then per RTT.",
        "start-rate", "paper"),
    [PARAM_INTERVAL] =
        WEIR_ROW_NUMBER("interval", "s", 0.5, 60.0, 5.0, "M, the length of a round."),
    [PARAM_ROUND_PACKETS] =
        WEIR_ROW_INTEGER("round-packets", "packets", 1.0, 1000.0, 50.0,
                         "A round with fewer continues, up to 3 M; 1 for the paper."),
    [PARAM_WINDOW_LIMIT] = WEIR_ROW_NUMBER("window-limit", "packets", 0.0, 1e9, 0.0,
                                           "W_max of the model, the receiver's window; 0 = none."),
    [PARAM_PACKETS_PER_ACK] = WEIR_ROW_INTEGER("packets-per-ack", "packets", 1.0, 2.0, 1.0,
                                               "b of the model; 2 beside TCP with delayed ACKs."),
    [PARAM_MIN_RTO] = WEIR_ROW_NUMBER("min-rto", "ms", 10.0, 10000.0, 200.0,
                                      "Minimum T0 of the model, the timeout of a TCP."),
    [PARAM_RECEIVE_LIMIT] = WEIR_ROW_SWITCH(
        "receive-limit", true, "Rise to at most twice the delivered rate; false for the paper."),
};

/* What became known since start_ns. */
struct tfrcp_round {
    int64_t start_ns;
    int64_t packets; /* received or lost */
    int64_t lost;
    double sent_bytes;
};

struct tfrcp {
    double param[N_PARAMS];
    struct weir__byte_limits limits;
    double first;     /* rate before the first RTT sample, bytes/s */
    double r;         /* packets/s */
    double proved;    /* r before the silence that lasts */
    double p;         /* loss ratio of the last round */
    bool has_started; /* there is an RTT */
    bool app_limited; /* in the last round */
    int64_t n_rounds;
    struct tfrcp_round round;
    struct weir_path path; /* as the last event brought it */
};
WEIR_DEFINE_STATE(struct tfrcp);

static bool starts_at_start_rate(const struct tfrcp *t)
{
    return t->param[PARAM_INITIAL] == (double)INITIAL_START_RATE;
}

static double rtt_s(const struct tfrcp *t)
{
    return (double)weir_path_srtt_ns(&t->path) * 1e-9;
}

/* T0 */
static double rto_s(const struct tfrcp *t)
{
    int64_t least_ns = (int64_t)(t->param[PARAM_MIN_RTO] * 1e6);
    return fmax((double)weir__rtt_rto_ns(&t->path.rtt, least_ns, RTO_MAX_NS) * 1e-9, rtt_s(t));
}

static int64_t tfrcp_silence_timeout_ns(const void *state, const struct weir_path *path)
{
    const struct tfrcp *t = state;
    int64_t wait_ns = (int64_t)(fmax(rto_s(t), t->param[PARAM_INTERVAL]) * 1e9);
    return path->reports_only ? weir_max_i64(wait_ns, 3 * path->report_interval_ns) : wait_ns;
}

static void begin_round(struct tfrcp *t, int64_t now_ns)
{
    t->round = (struct tfrcp_round){.start_ns = now_ns};
}

/* One packet per R, or what the source began with. */
static void start(struct tfrcp *t, int64_t now_ns)
{
    t->r = starts_at_start_rate(t) ? fmax(t->first / t->path.packet_bytes, LEAST_RATE)
                                   : 1.0 / rtt_s(t);
    t->has_started = true;
    begin_round(t, now_ns);
}

/* min(W_max/R, 1/(R sqrt(2bp/3) + T0 min(1, 3 sqrt(3bp/8)) p (1 + 32 p^2))) */
static double model_rate(const struct tfrcp *t, double p)
{
    struct weir__tcp_equation model = {.b = t->param[PARAM_PACKETS_PER_ACK],
                                       .rto_per_rtt = rto_s(t) / rtt_s(t),
                                       .g = 0.5,
                                       .capped = true};
    double rate = weir__tcp_equation_rate(&model, 1.0, rtt_s(t), p);
    double window = t->param[PARAM_WINDOW_LIMIT];
    return window > 0.0 ? fmin(rate, fmax(window, 1.0) / rtt_s(t)) : rate;
}

static double limited_rise(const struct tfrcp *t, double rate, double delivered)
{
    if (t->param[PARAM_RECEIVE_LIMIT] != 0.0) {
        rate = fmin(rate, fmax(t->r, RECEIVE_LIMIT * delivered));
    }
    return t->path.reports_only ? fmin(rate, RECEIVE_LIMIT * fmax(t->r, delivered)) : rate;
}

/* The end of a round of elapsed_s > 0. */
static void recompute(struct tfrcp *t, double elapsed_s)
{
    const struct tfrcp_round *round = &t->round;
    double delivered = (double)(round->packets - round->lost) / elapsed_s;
    double rate = t->r;
    t->app_limited = round->sent_bytes < USED_SHARE * t->r * t->path.packet_bytes * elapsed_s;
    t->p = (double)round->lost / (double)round->packets;
    if (round->lost > 0) {
        rate = model_rate(t, t->p);
    } else if (!t->app_limited) {
        rate = 2.0 * fmax(t->r, t->limits.least / t->path.packet_bytes);
    }
    t->r = fmin(fmax(limited_rise(t, rate, delivered), LEAST_RATE),
                RATE_MAX_BPS / (8.0 * t->path.packet_bytes));
    t->n_rounds++;
}

/* A round without packets changes nothing. */
static void end_round_if_due(struct tfrcp *t, int64_t now_ns)
{
    double elapsed_s = (double)(now_ns - t->round.start_ns) * 1e-9;
    double interval_s = t->param[PARAM_INTERVAL];
    bool enough = (double)t->round.packets >= t->param[PARAM_ROUND_PACKETS];
    if (elapsed_s < interval_s || (!enough && elapsed_s < MAX_ROUNDS_IN_ONE * interval_s)) {
        return;
    }
    if (t->round.packets > 0) {
        recompute(t, elapsed_s);
    }
    begin_round(t, now_ns);
}

/* The end of silence: the rate begins anew, with one packet per R, or what it was if that is less.
 */
static void end_silence(struct tfrcp *t, int64_t now_ns)
{
    if (t->has_started) {
        t->r = fmax(t->r, fmin(t->proved, 1.0 / rtt_s(t)));
        begin_round(t, now_ns);
    }
}

/* A late packet takes its loss back while the round lasts. */
static void count_packets(struct tfrcp_round *round, const struct weir_feedback *feedback)
{
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        bool late = packet->status == WEIR_PACKET_LATE;
        round->packets += !late;
        round->lost += packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE;
        round->lost -= late && round->lost > 0;
    }
}

static void tfrcp_on_feedback(void *state, const struct weir_path *path,
                              const struct weir_feedback *feedback)
{
    struct tfrcp *t = state;
    int64_t now_ns = feedback->now_ns;
    bool was_silent = t->path.is_silent;
    if (t->path.reports_only) {
        begin_round(t, now_ns);
    }
    t->path = *path;
    if (!t->has_started && path->rtt.has_sample) {
        start(t, now_ns);
    }
    count_packets(&t->round, feedback);
    if (path->is_alive && was_silent) {
        end_silence(t, now_ns);
    }
    if (path->is_alive && t->has_started) {
        end_round_if_due(t, now_ns);
    }
}

/* A report is a piece of a round. One that nothing arrived is no sign of life, but ends a round. */
static void tfrcp_on_report(void *state, const struct weir_path *path,
                            const struct weir_report *report)
{
    struct tfrcp *t = state;
    bool first = !t->path.reports_only;
    bool was_silent = t->path.is_silent;
    t->path = *path;
    if (!t->has_started) {
        start(t, report->now_ns);
    }
    if (first) {
        begin_round(t, report->now_ns - path->report_interval_ns);
    }
    if (path->is_alive && was_silent) {
        end_silence(t, report->now_ns);
    }
    t->round.packets += report->expected_packets;
    t->round.lost += report->lost_packets;
    t->round.sent_bytes += (double)report->sent_bytes;
    end_round_if_due(t, report->now_ns);
}

/* r is in packets of the mean size: between rounds the rate in bytes stays. Else an encoder that
 * makes smaller packets of a lower rate would lower it again. */
static void tfrcp_on_packet_sent(void *state, const struct weir_path *path,
                                 const struct weir_sent_packet *sent)
{
    struct tfrcp *t = state;
    double before = t->path.packet_bytes;
    t->path = *path;
    t->r *= before / t->path.packet_bytes;
    t->proved *= before / t->path.packet_bytes;
    t->round.sent_bytes += path->reports_only ? 0.0 : fmax((double)sent->wire_bytes, 1.0);
}

static void tfrcp_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)now_ns;
    struct tfrcp *t = state;
    t->proved = t->path.is_silent ? t->proved : t->r;
    t->path = *path;
    t->r = fmin(t->r, fmax(t->r / 2.0, LEAST_RATE));
    t->first = fmin(t->first, fmax(t->first / 2.0, LEAST_RATE * t->path.packet_bytes));
}

/* Everything that was learnt about a path. */
static void forget_path(struct tfrcp *t, int64_t now_ns)
{
    t->first = starts_at_start_rate(t) ? t->limits.start : t->path.packet_bytes;
    t->r = t->first / t->path.packet_bytes;
    t->p = 0.0;
    t->has_started = false;
    t->app_limited = false;
    begin_round(t, now_ns);
}

static void tfrcp_init(void *state, const struct weir_config *config)
{
    struct tfrcp *t = state;
    *t = (struct tfrcp){.limits = weir__byte_limits(&config->limits), .path = *config->path};
    memcpy(t->param, config->params, sizeof(t->param));
    forget_path(t, config->now_ns);
}

static double allowed(const struct tfrcp *t)
{
    return t->has_started ? t->r * t->path.packet_bytes : t->first;
}

/* A new path: as at the start, but never faster than before. */
static void tfrcp_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct tfrcp *t = state;
    double before = allowed(t);
    t->path = *path;
    forget_path(t, now_ns);
    t->first = fmin(t->first, before);
}

static void tfrcp_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct tfrcp *t = state;
    double start_before = t->limits.start;
    t->limits = weir__byte_limits(limits);
    if (starts_at_start_rate(t) && t->first >= start_before) {
        t->first = t->limits.start;
    }
    t->first = fmin(t->first, t->limits.start);
}

/* An RTT known before any feedback: the first phase is skipped. */
static void tfrcp_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct tfrcp *t = state;
    t->path = *path;
    if (!t->has_started) {
        start(t, now_ns);
    }
}

static void tfrcp_get_output(const void *state, struct weir_control *control)
{
    const struct tfrcp *t = state;
    *control =
        (struct weir_control){.rate_bps = weir_round_i64(fmin(8.0 * allowed(t), RATE_MAX_BPS)),
                              .window_bytes = WEIR_UNLIMITED_BYTES};
    control->state = (t->has_started ? 0u : (unsigned)WEIR_STATE_STARTING) |
                     (t->app_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u);
}

static void tfrcp_get_variables(const void *state, struct weir_variables *to)
{
    const struct tfrcp *t = state;
    weir_tell(to, "r_packets_per_s", allowed(t) / t->path.packet_bytes);
    weir_tell(to, "loss_ratio", t->p);
    weir_tell(to, "rounds", (double)t->n_rounds);
    weir_tell(to, "round_packets", (double)t->round.packets);
    weir_tell(to, "round_lost_packets", (double)t->round.lost);
    weir_tell(to, "rtt_ns", t->path.rtt.has_sample ? rtt_s(t) * 1e9 : 0.0);
    weir_tell(to, "rto_ns", t->path.rtt.has_sample ? rto_s(t) * 1e9 : 0.0);
    weir_tell(to, "packet_bytes", t->path.packet_bytes);
}

const struct weir_controller weir_tfrcp = {
    .name = "tfrcp",
    .description = "A TCP model's rate every few seconds, doubled while nothing is lost.",
    .spec = "Padhye, Kurose, Towsley, Koodli 1999",
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct tfrcp),
    .params = tfrcp_params,
    .n_params = N_PARAMS,
    .init = tfrcp_init,
    .on_packet_sent = tfrcp_on_packet_sent,
    .on_feedback = tfrcp_on_feedback,
    .on_report = tfrcp_on_report,
    .on_silence = tfrcp_on_silence,
    .silence_timeout_ns = tfrcp_silence_timeout_ns,
    .on_path_change = tfrcp_on_path_change,
    .set_limits = tfrcp_set_limits,
    .seed_rtt = tfrcp_seed_rtt,
    .get_output = tfrcp_get_output,
    .get_variables = tfrcp_get_variables,
};
