/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RAP: a rate that grows by one packet per round-trip time in each, and is halved by loss.
 * Specification: R. Rejaie, M. Handley, D. Estrin, "RAP: An End-to-end Rate-based Congestion
 * Control Mechanism for Realtime Streams in the Internet", INFOCOM 1999; the authors' module in
 * ns-2. Needs: which packets arrived. Has a report form. Differs from the specification:
 *   - The rate before the first RTT sample is the start bitrate, and the first sample does not
 * lower it (parameter initial; paper: one packet in 2 s, then one per RTT).
 *   - Steps are made with the feedback that ends an SRTT, not by a timer: no rate rises in silence.
 *     Feedback rarer than the SRTT makes up for the steps it missed, up to half as much again.
 *   - Losses are those the session declares (three later packets, or its own timeout). The timer
 *     here is for silence alone: one reduction for all that is in flight, and at least min-timeout
 *     and twice the pause between bunches of feedback.
 *   - One RTT sample per feedback, not per acknowledged packet; the averages are RAP's own.
 *   - After an idle second and more the rate halves per timeout, down to the start bitrate.
 *   - Steps begin at the lower limit of the rate, as the session sends so much anyway, and end at
 *     the upper one.
 *   - The packets of a step are counted anew after a loss.
 *   - The gap has bounds, and the rate counts packets of the mean size.
 *   - Report form (no counterpart in the paper): see on_report. */
#include <math.h>
#include <string.h>

#include "controllers/common_steps.h"
#include "controllers/rap_law.h"

#define PAPER_IPG_S        2.0 /* also the timeout before the first sample */
#define ASSUMED_RTT_NS     WEIR_MS(500)
#define IDLE_MIN_NS        WEIR_SECONDS(1)
#define REPORT_INTERVAL_NS WEIR_SECONDS(5) /* of RTCP, until better is known */
#define CATCH_UP           1.5 /* growth per feedback or report, beyond the step of one SRTT */
#define MAX_HALVINGS       64

enum {
    PARAM_INITIAL,
    PARAM_ALPHA,
    PARAM_BETA,
    PARAM_DELTA,
    PARAM_MU,
    PARAM_PHI,
    PARAM_FINE_GRAIN,
    PARAM_KFRTT,
    PARAM_KXRTT,
    PARAM_DPTHRESH,
    PARAM_MIN_IPG,
    PARAM_MAX_IPG,
    PARAM_MIN_TIMEOUT,
    N_PARAMS
};

static const struct weir_param rap_params[N_PARAMS] = {
    [PARAM_INITIAL] = WEIR_ROW_CHOICE(
        "initial", 0,
        "Rate before the first RTT sample: the start bitrate, or the paper's one packet in 2 s.",
        "start-rate", "paper"),
    [PARAM_ALPHA] = WEIR_ROW_NUMBER("alpha", "packets", 0.01, 10.0, 1.0,
                                    "Growth of the rate per RTT, in packets per RTT."),
    [PARAM_BETA] = WEIR_ROW_NUMBER("beta", "1", 0.05, 0.95, 0.5,
                                   "Share of the rate that remains after a loss."),
    [PARAM_DELTA] =
        WEIR_ROW_NUMBER("delta", "1", 0.01, 1.0, 0.5,
                        "Weight of a new sample in the averages of the RTT and its deviation."),
    [PARAM_MU] = WEIR_ROW_NUMBER("mu", "1", 1.0, 10.0, 1.2,
                                 "Weight of the RTT in the timeout, mu srtt + phi var."),
    [PARAM_PHI] =
        WEIR_ROW_NUMBER("phi", "1", 0.0, 16.0, 4.0, "Weight of the deviation in the timeout."),
    [PARAM_FINE_GRAIN] = WEIR_ROW_SWITCH(
        "fine-grain", false,
        "Scale the pause between packets by the short-term RTT over the long-term one."),
    [PARAM_KFRTT] = WEIR_ROW_NUMBER("kfrtt", "1", 0.01, 1.0, 0.9,
                                    "Weight of a new sample in the short-term RTT."),
    [PARAM_KXRTT] = WEIR_ROW_NUMBER("kxrtt", "1", 0.001, 1.0, 0.01,
                                    "Weight of a new sample in the long-term RTT."),
    [PARAM_DPTHRESH] = WEIR_ROW_NUMBER(
        "dpthresh", "%", 0.0, 100.0, 50.0,
        "Share of the allowed packets that must be sent in a step for the rate to rise."),
    [PARAM_MIN_IPG] =
        WEIR_ROW_NUMBER("min-ipg", "ms", 0.001, 1000.0, 0.01, "Minimum gap between packets."),
    [PARAM_MAX_IPG] =
        WEIR_ROW_NUMBER("max-ipg", "s", 1.0, 3600.0, 64.0, "Maximum gap between packets."),
    [PARAM_MIN_TIMEOUT] =
        WEIR_ROW_NUMBER("min-timeout", "ms", 0.0, 10000.0, 200.0,
                        "Minimum time of silence that counts as loss; 0 = the paper's."),
};

struct rap {
    double param[N_PARAMS];
    struct weir__byte_limits limits;
    struct weir_path path; /* as the last event brought it */
    double ipg_s;
    double srtt_s, var_s;
    double frtt_s, xrtt_s; /* short-term and long-term RTT */
    bool has_rtt;
    bool rtt_is_assumed;
    bool has_sent;
    bool data_limited;    /* the last step was refused */
    int64_t highest_sent; /* seq */
    int64_t active_seq;   /* packets before it are inactive: their loss was answered */
    int64_t last_sent_ns;
    int64_t step_ns;    /* the running step began */
    int64_t counted_ns; /* since when packets are counted for it */
    int64_t step_packets;
    int64_t reduced_ns;
    int64_t report_interval_ns;         /* longest recent one, fading */
    double steps, reductions, timeouts; /* counted */
};
WEIR_DEFINE_STATE(struct rap);

static bool starts_at_start_rate(const struct rap *r)
{
    return r->param[PARAM_INITIAL] < 0.5;
}

static void set_ipg(struct rap *r, double ipg_s)
{
    r->ipg_s = fmin(fmax(ipg_s, r->param[PARAM_MIN_IPG] * 1e-3), r->param[PARAM_MAX_IPG]);
}

static double start_ipg_s(const struct rap *r)
{
    return starts_at_start_rate(r) ? r->path.packet_bytes / r->limits.start : PAPER_IPG_S;
}

static int64_t rap_silence_timeout_ns(const void *state, const struct weir_path *path)
{
    const struct rap *r = state;
    double wait_s = PAPER_IPG_S;
    if (r->has_rtt) {
        wait_s = weir__rap_timeout(r->srtt_s, r->var_s, r->param[PARAM_MU], r->param[PARAM_PHI]);
    }
    wait_s = fmax(wait_s, r->param[PARAM_MIN_TIMEOUT] * 1e-3);
    int64_t reports_ns = path->reports_only ? 3 * r->report_interval_ns : 0;
    return weir_max_i64((int64_t)(wait_s * 1e9), reports_ns);
}

static void restart_step(struct rap *r, int64_t now_ns)
{
    r->step_ns = now_ns;
    r->counted_ns = now_ns;
    r->step_packets = 0;
}

/* The averages of the paper; the first sample is all of them. */
static void take_rtt_sample(struct rap *r, int64_t rtt_ns)
{
    double sample_s = (double)weir_clamp_i64(rtt_ns, WEIR__RTT_MIN_NS, WEIR__RTT_MAX_NS) * 1e-9;
    if (!r->has_rtt || r->rtt_is_assumed) {
        r->srtt_s = r->frtt_s = r->xrtt_s = sample_s;
        r->var_s = 0.0;
        return;
    }
    double difference_s = sample_s - r->srtt_s;
    r->srtt_s += r->param[PARAM_DELTA] * difference_s;
    r->var_s += r->param[PARAM_DELTA] * (fabs(difference_s) - r->var_s);
    r->frtt_s += r->param[PARAM_KFRTT] * (sample_s - r->frtt_s);
    r->xrtt_s += r->param[PARAM_KXRTT] * (sample_s - r->xrtt_s);
}

/* The first sample: one packet per RTT, or what live media began with (and losses left) if that is
 * more. */
static void begin(struct rap *r, int64_t now_ns)
{
    double before_s = r->reductions > r->timeouts ? r->ipg_s : start_ipg_s(r);
    set_ipg(r, starts_at_start_rate(r) ? fmin(r->srtt_s, before_s) : r->srtt_s);
    r->has_rtt = true;
    restart_step(r, now_ns);
}

static void note_rtt_sample(struct rap *r, int64_t now_ns, int64_t rtt_ns)
{
    if (rtt_ns < 1) {
        return;
    }
    take_rtt_sample(r, rtt_ns);
    r->rtt_is_assumed = false;
    if (!r->has_rtt) {
        begin(r, now_ns);
    }
}

/* Multiplicative decrease; every packet in flight becomes inactive. */
static void reduce(struct rap *r, int64_t now_ns)
{
    set_ipg(r, weir__rap_back_off(r->ipg_s, r->param[PARAM_BETA]));
    r->active_seq = r->highest_sent + 1;
    r->reduced_ns = now_ns;
    r->reductions += 1.0;
    restart_step(r, now_ns);
}

/* Whether sent packets in elapsed_s are dpthresh of what was allowed. */
static bool is_rate_used(struct rap *r, double packets, double elapsed_s)
{
    bool used = 100.0 * packets * r->ipg_s >= r->param[PARAM_DPTHRESH] * elapsed_s;
    r->data_limited = !used;
    return used;
}

/* Additive increase for `rounds` SRTTs at once, by half at most beyond that of `free` ones. */
static void increase(struct rap *r, double rounds, double free)
{
    double alpha = r->param[PARAM_ALPHA];
    double from_s = fmin(r->ipg_s, r->path.packet_bytes / r->limits.least);
    double least_s = fmin(weir__rap_step(from_s, r->srtt_s, alpha * free), from_s / CATCH_UP);
    double next_s = fmax(weir__rap_step(from_s, r->srtt_s, alpha * rounds), least_s);
    set_ipg(r, fmin(fmax(next_s, r->path.packet_bytes / r->limits.most), r->ipg_s));
    r->steps += rounds;
}

/* What the step timer of the paper does, at the first feedback after it. */
static void step(struct rap *r, int64_t now_ns)
{
    double rounds = floor((double)(now_ns - r->step_ns) * 1e-9 / r->srtt_s);
    if (rounds < 1.0) {
        return;
    }
    double elapsed_s = (double)(now_ns - r->counted_ns) * 1e-9;
    if (is_rate_used(r, (double)r->step_packets, elapsed_s)) {
        increase(r, rounds, 1.0);
    }
    int64_t next_ns = r->step_ns + (int64_t)(rounds * r->srtt_s * 1e9);
    restart_step(r, now_ns);
    r->step_ns = weir_min_i64(next_ns, now_ns);
}

static bool is_active_loss(const struct rap *r, const struct weir_packet_report *packet)
{
    bool lost = packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE;
    return lost && packet->seq >= r->active_seq;
}

static void rap_on_feedback(void *state, const struct weir_path *path,
                            const struct weir_feedback *feedback)
{
    struct rap *r = state;
    bool lost = false;
    r->path = *path;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        lost = lost || is_active_loss(r, &feedback->packets[i]);
    }
    note_rtt_sample(r, feedback->now_ns, feedback->rtt_ns);
    if (lost) {
        reduce(r, feedback->now_ns);
    } else if (path->is_alive && r->has_rtt) {
        step(r, feedback->now_ns);
    }
}

/* Growth and reduction by one report: a step for the time it covers, by half at most, or one
 * reduction, but not two within an RTT. */
static void answer_report(struct rap *r, const struct weir_report *report)
{
    double interval_s = (double)report->interval_ns * 1e-9;
    double since_s = (double)(report->now_ns - r->reduced_ns) * 1e-9;
    if (report->lost_packets > 0) {
        if (since_s >= r->srtt_s) {
            reduce(r, report->now_ns);
        }
    } else if (is_rate_used(r, (double)report->sent_bytes / r->path.packet_bytes, interval_s)) {
        increase(r, interval_s / r->srtt_s, 0.0);
    }
    restart_step(r, report->now_ns);
}

static void rap_on_report(void *state, const struct weir_path *path,
                          const struct weir_report *report)
{
    struct rap *r = state;
    r->path = *path;
    r->report_interval_ns = weir__longest_interval_ns(r->report_interval_ns, report->interval_ns);
    note_rtt_sample(r, report->now_ns, report->rtt_ns);
    if (!r->has_rtt) {
        note_rtt_sample(r, report->now_ns, ASSUMED_RTT_NS);
        r->rtt_is_assumed = true;
    }
    if (report->expected_packets > 0) {
        answer_report(r, report);
    }
}

/* Nothing was sent for long: what the path had to offer is forgotten, down to the start rate. */
static void decay_in_idle_time(struct rap *r, int64_t now_ns)
{
    int64_t idle_ns = now_ns - r->last_sent_ns;
    int64_t wait_ns = weir_max_i64(rap_silence_timeout_ns(r, &r->path), IDLE_MIN_NS);
    bool decays = r->has_rtt && starts_at_start_rate(r) && r->ipg_s < start_ipg_s(r);
    if (decays && idle_ns > wait_ns) {
        int halvings = (int)weir_min_i64(idle_ns / wait_ns, MAX_HALVINGS);
        set_ipg(r, fmin(ldexp(r->ipg_s, halvings), start_ipg_s(r)));
        restart_step(r, now_ns);
    }
}

static void rap_on_packet_sent(void *state, const struct weir_path *path,
                               const struct weir_sent_packet *sent)
{
    struct rap *r = state;
    double before = r->path.packet_bytes;
    r->path = *path;
    if (!r->has_rtt && starts_at_start_rate(r)) {
        set_ipg(r, r->ipg_s * r->path.packet_bytes / before); /* the start is a bitrate */
    }
    if (r->has_sent) {
        decay_in_idle_time(r, sent->sent_ns);
    }
    r->has_sent = true;
    r->last_sent_ns = sent->sent_ns;
    r->highest_sent = sent->seq;
    r->step_packets++;
}

/* Silence: all that is in flight counts as lost, once. */
static void rap_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct rap *r = state;
    r->path = *path;
    reduce(r, now_ns);
    r->timeouts += 1.0;
}

static void rap_init(void *state, const struct weir_config *config)
{
    struct rap *r = state;
    *r = (struct rap){.path = *config->path,
                      .highest_sent = -1,
                      .reduced_ns = INT64_MIN / 4,
                      .report_interval_ns = REPORT_INTERVAL_NS};
    memcpy(r->param, config->params, sizeof(r->param));
    r->limits = weir__byte_limits(&config->limits);
    set_ipg(r, start_ipg_s(r));
    restart_step(r, config->now_ns);
}

/* A new path: as at the start, but never faster than before. */
static void rap_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct rap *r = state;
    r->path = *path;
    r->has_rtt = false;
    r->rtt_is_assumed = false;
    r->active_seq = r->highest_sent + 1;
    set_ipg(r, fmax(r->ipg_s, start_ipg_s(r)));
    restart_step(r, now_ns);
}

static void rap_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct rap *r = state;
    double before_s = start_ipg_s(r);
    r->limits = weir__byte_limits(limits);
    if (r->has_rtt || !starts_at_start_rate(r)) {
        return;
    }
    bool untouched = r->ipg_s <= before_s * (1.0 + 1e-9);
    set_ipg(r, untouched ? start_ipg_s(r) : fmax(r->ipg_s, start_ipg_s(r)));
}

static void rap_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct rap *r = state;
    r->path = *path;
    if (!r->has_rtt) {
        note_rtt_sample(r, now_ns, weir__rtt_srtt_ns(&path->rtt));
    }
}

static double wait_s(const struct rap *r)
{
    bool fine = r->param[PARAM_FINE_GRAIN] > 0.5 && r->has_rtt;
    return fine ? weir__rap_wait(r->ipg_s, r->frtt_s, r->xrtt_s) : r->ipg_s;
}

static void rap_get_output(const void *state, struct weir_control *control)
{
    const struct rap *r = state;
    *control = (struct weir_control){
        .rate_bps = llround(8.0 * r->path.packet_bytes / r->ipg_s),
        .pacing_bps = llround(8.0 * r->path.packet_bytes / wait_s(r)),
        .window_bytes = WEIR_UNLIMITED_BYTES,
        .state = (r->has_rtt ? 0u : (unsigned)WEIR_STATE_STARTING) |
                 (r->data_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u),
    };
}

static void rap_get_variables(const void *state, struct weir_variables *to)
{
    const struct rap *r = state;
    weir_tell(to, "ipg_ns", r->ipg_s * 1e9);
    weir_tell(to, "wait_ns", wait_s(r) * 1e9);
    weir_tell(to, "rtt_ns", r->srtt_s * 1e9); /* 0 = none yet */
    weir_tell(to, "rtt_deviation_ns", r->var_s * 1e9);
    weir_tell(to, "timeout_ns", (double)rap_silence_timeout_ns(r, &r->path));
    weir_tell(to, "packet_bytes", r->path.packet_bytes);
    weir_tell(to, "steps", r->steps);
    weir_tell(to, "reductions", r->reductions);
    weir_tell(to, "timeouts", r->timeouts);
}

const struct weir_controller weir_rap = {
    .name = "rap",
    .description = "Rate Adaptation Protocol: TCP's increase and decrease applied to a rate.",
    .spec = "Rejaie, Handley, Estrin: INFOCOM 1999",
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct rap),
    .params = rap_params,
    .n_params = N_PARAMS,
    .init = rap_init,
    .on_packet_sent = rap_on_packet_sent,
    .on_feedback = rap_on_feedback,
    .on_report = rap_on_report,
    .on_silence = rap_on_silence,
    .silence_timeout_ns = rap_silence_timeout_ns,
    .on_path_change = rap_on_path_change,
    .set_limits = rap_set_limits,
    .seed_rtt = rap_seed_rtt,
    .get_output = rap_get_output,
    .get_variables = rap_get_variables,
};
