/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GCC, Google Congestion Control: the least of a rate that follows the gradient of the one-way
 * delay, and of a rate that the losses allow.
 * Specification: draft-ietf-rmcat-gcc-02, in the form that libwebrtc (goog_cc, end of 2024) has
 * given it: trendline instead of Kalman filter, its constants, its loss model. Needs: arrival
 * times. Has a report form: the draft's loss rule alone. Differs from the specification:
 *   - Probes at the start alone; the way back after a fall is the ramp of 8 % per second. They come
 *     one after another, and one that did not leave at its rate proves nothing.
 *   - The pace is 2.5 times the target, as in libwebrtc, but the target itself for what is half a
 *     second ahead of it: sources other than encoders would send 2.5 times as much for ever.
 *   - The push-back lowers the rate, where libwebrtc lets the encoder drop frames; what raises it
 *     again is packets that are answered, not packets that leave: no rate rises in silence.
 *   - The acknowledged rate is measured over groups of 25 ms of arrivals, without the limit of 500
 *     packets.
 *   - Until the loss model has three observations (750 ms) the delay decides alone.
 *   - The round-trip time and its smoothing are the session's.
 *   - Losses are told three packets later (NDUPACK), and what arrives late after all changes
 *     nothing.
 *   - On a new path all begins anew, at no more than the start bitrate. */
#include <math.h>
#include <string.h>

#include "control/controller.h"
#include "controllers/gcc_aimd.h"
#include "controllers/gcc_probe.h"
#include "estimators/acked_rate.h"
#include "estimators/application_budget.h"
#include "estimators/arrival_groups.h"
#include "estimators/loss_model.h"
#include "estimators/loss_rule.h"
#include "estimators/overuse.h"
#include "estimators/push_back.h"
#include "estimators/trendline.h"

#define FLOOR_BPS         5000.0 /* libwebrtc sends no less */
#define STREAM_TIMEOUT_NS WEIR_SECONDS(2)
#define START_PHASE_NS    WEIR_SECONDS(2)
#define RTT_LIMIT_NS      WEIR_SECONDS(3)
#define BACK_OFF_NS       WEIR_SECONDS(1)
#define BACK_OFF          0.8
#define RATE_MAX_BPS      1e15
#define AHEAD_S           0.5 /* a large key frame */

enum {
    PARAM_GROUP,
    PARAM_SMOOTHING,
    PARAM_TREND_GAIN,
    PARAM_THRESHOLD_UP,
    PARAM_THRESHOLD_DOWN,
    PARAM_OVERUSE_TIME,
    PARAM_BETA,
    PARAM_GROWTH,
    PARAM_LOSS_PART,
    PARAM_PUSH_BACK,
    PARAM_PACING_FACTOR,
    PARAM_PROBES,
    N_PARAMS
};

static const struct weir_param gcc_params[N_PARAMS] = {
    [PARAM_GROUP] =
        WEIR_ROW_NUMBER("group", "ms", 0.0, 100.0, 5.0,
                        "Packets that leave within this time are one group (gcc-02 5.2); "
                        "feedback with a resolution of 1 ms needs 10 or more."),
    [PARAM_SMOOTHING] = WEIR_ROW_NUMBER("smoothing", "1", 0.0, 0.99, 0.9,
                                        "Weight of the old mean of the delay (libwebrtc)."),
    [PARAM_TREND_GAIN] = WEIR_ROW_NUMBER(
        "trend-gain", "1", 0.1, 100.0, 4.0,
        "Factor of the delay's slope before it is compared with the threshold (libwebrtc)."),
    [PARAM_THRESHOLD_UP] = WEIR_ROW_NUMBER(
        "threshold-up", "1/ms", 0.0, 1.0, 0.0087,
        "How fast the threshold follows a trend above it (libwebrtc; K_u of gcc-02 5.4 is 0.01)."),
    [PARAM_THRESHOLD_DOWN] = WEIR_ROW_NUMBER("threshold-down", "1/ms", 0.0, 1.0, 0.039,
                                             "How fast the threshold follows a trend below it "
                                             "(libwebrtc; K_d of gcc-02 5.4 is 0.00018)."),
    [PARAM_OVERUSE_TIME] = WEIR_ROW_NUMBER(
        "overuse-time", "ms", 0.0, 1000.0, 10.0,
        "How long the trend must be above the threshold to count as overuse (gcc-02 5.4)."),
    [PARAM_BETA] = WEIR_ROW_NUMBER("beta", "1", 0.1, 1.0, 0.85,
                                   "Share of the acknowledged rate after overuse (gcc-02 5.5)."),
    [PARAM_GROWTH] = WEIR_ROW_NUMBER(
        "growth", "1", 1.0, 4.0, 1.08,
        "Factor of the rate per second while the capacity is not known (gcc-02 5.5)."),
    [PARAM_LOSS_PART] = WEIR_ROW_SWITCH("loss-part", true,
                                        "Losses bound the rate (gcc-02 6, as in libwebrtc); false: "
                                        "only delays do, where they are known."),
    [PARAM_PUSH_BACK] =
        WEIR_ROW_SWITCH("push-back", true,
                        "Lower the rate while more is in flight than the path and 350 "
                        "ms of queue can hold (libwebrtc)."),
    [PARAM_PACING_FACTOR] =
        WEIR_ROW_NUMBER("pacing-factor", "1", 1.0, 10.0, 2.5,
                        "Pacing rate over the target (libwebrtc), while less than half a second's "
                        "worth more was sent than the target allows."),
    [PARAM_PROBES] = WEIR_ROW_SWITCH(
        "probes", true,
        "At the start find the rate by probes, at 3 and 6 times the start rate, then "
        "by doubling as long as they arrive (libwebrtc)."),
};

struct gcc {
    double param[N_PARAMS];
    struct weir_limits limits;
    /* delay */
    struct weir__arrival_groups groups;
    struct weir__trendline trendline;
    struct weir__overuse overuse;
    struct weir__acked_rate acked;
    double acked_bps; /* 0 = unknown */
    struct weir__gcc_aimd aimd;
    int64_t arrived_ns; /* when we last heard of an arrival time; UNKNOWN */
    /* loss */
    struct weir__loss_model loss_model;
    struct weir__loss_rule loss_rule; /* of the report form */
    bool reports_only;
    /* what is made of it */
    double target_bps;
    struct weir__application_budget budget;
    struct weir__push_back push_back;
    double ahead_bytes; /* of what the target allows: sent, and not yet worked off ... */
    int64_t sent_ns;    /* ... when the newest packet left */
    struct weir__gcc_probe probe;
    int64_t packet_bytes;      /* expected */
    int64_t first_feedback_ns; /* UNKNOWN */
    int64_t heard_ns;          /* last arrival we heard of, at first when we began; UNKNOWN */
    int64_t backed_off_ns;     /* UNKNOWN */
    bool silent;
};
WEIR_DEFINE_STATE(struct gcc);

static bool is_on(const struct gcc *g, size_t param)
{
    return g->param[param] > 0.0;
}

static double min_bps(const struct gcc *g)
{
    return fmax((double)g->limits.min_bps, FLOOR_BPS);
}

/* Groups and trend of another clock, path or time mean nothing. */
static void forget_delays(struct gcc *g)
{
    g->groups = (struct weir__arrival_groups){0};
    g->trendline = (struct weir__trendline){0};
    weir__overuse_init(&g->overuse);
}

static void begin(struct gcc *g, double rate_bps)
{
    forget_delays(g);
    g->acked = (struct weir__acked_rate){0};
    g->acked_bps = 0.0;
    weir__gcc_aimd_init(&g->aimd, g->param[PARAM_BETA], g->param[PARAM_GROWTH], rate_bps);
    g->arrived_ns = WEIR_UNKNOWN_NS;
    weir__loss_model_init(&g->loss_model);
    weir__loss_rule_init(&g->loss_rule, rate_bps);
    g->reports_only = false;
    g->target_bps = rate_bps;
    g->budget = (struct weir__application_budget){0};
    weir__push_back_init(&g->push_back);
    g->ahead_bytes = 0.0;
    g->sent_ns = 0;
    weir__gcc_probe_init(&g->probe, rate_bps);
    g->first_feedback_ns = WEIR_UNKNOWN_NS;
    g->heard_ns = WEIR_UNKNOWN_NS;
    g->backed_off_ns = WEIR_UNKNOWN_NS;
    g->silent = false;
}

static void gcc_init(void *state, const struct weir_config *config)
{
    struct gcc *g = state;
    *g = (struct gcc){.limits = config->limits, .packet_bytes = config->packet_bytes};
    memcpy(g->param, config->params, sizeof(g->param));
    begin(g, (double)config->limits.start_bps);
}

/* What a feedback tells, in numbers. */
struct counts {
    int64_t received; /* for the first time, and not late */
    int64_t timed;    /* of them, with an arrival time */
    int64_t lost;
    int64_t oldest_sent_ns; /* departure of the oldest received; INT64_MAX without one */
};

static bool is_timed(const struct weir_packet_report *packet)
{
    return packet->status == WEIR_PACKET_RECEIVED && packet->arrived_ns != WEIR_UNKNOWN_NS;
}

static struct counts count_packets(const struct weir_feedback *feedback)
{
    struct counts c = {.oldest_sent_ns = INT64_MAX};
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        c.timed += is_timed(packet) ? 1 : 0;
        c.lost += packet->status == WEIR_PACKET_LOST ? 1 : 0;
        if (packet->status == WEIR_PACKET_RECEIVED) {
            c.received++;
            c.oldest_sent_ns = weir_min_i64(c.oldest_sent_ns, packet->sent_ns);
        }
    }
    return c;
}

/* One packet that arrived, in the order of departure: gcc-02 5.2 to 5.4. */
static void take_arrival(struct gcc *g, const struct weir_packet_report *packet, int64_t now_ns)
{
    struct weir__overuse_gains gains = {.trend = g->param[PARAM_TREND_GAIN],
                                        .up = g->param[PARAM_THRESHOLD_UP],
                                        .down = g->param[PARAM_THRESHOLD_DOWN],
                                        .over_ms = g->param[PARAM_OVERUSE_TIME]};
    struct weir__group_delta delta;
    int64_t length_ns = (int64_t)(g->param[PARAM_GROUP] * 1e6);
    weir__acked_rate_add(&g->acked, packet->sent_ns, packet->arrived_ns, packet->wire_bytes);
    if (!weir__arrival_groups_add(&g->groups, length_ns, packet->sent_ns, packet->arrived_ns,
                                  now_ns, &delta)) {
        return;
    }
    double sent_ms = (double)delta.sent_ns * 1e-6;
    double arrived_ms = (double)delta.arrived_ns * 1e-6;
    weir__trendline_add(&g->trendline, g->param[PARAM_SMOOTHING], arrived_ms - sent_ms,
                        packet->arrived_ns);
    weir__overuse_detect(&g->overuse, &gains, g->trendline.slope, g->trendline.n_deltas, sent_ms,
                         packet->arrived_ns);
}

/* The delay-based part. */
static void take_arrivals(struct gcc *g, const struct weir_path *path,
                          const struct weir_feedback *feedback)
{
    if (g->arrived_ns == WEIR_UNKNOWN_NS || feedback->now_ns - g->arrived_ns > STREAM_TIMEOUT_NS) {
        forget_delays(g);
    }
    g->arrived_ns = feedback->now_ns;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        if (is_timed(&feedback->packets[i])) {
            take_arrival(g, &feedback->packets[i], feedback->now_ns);
        }
    }
    g->acked_bps = weir__acked_rate_bps(&g->acked);
    weir__gcc_aimd_update(&g->aimd,
                          &(struct weir__gcc_aimd_input){.now_ns = feedback->now_ns,
                                                         .usage = g->overuse.usage,
                                                         .acked_bps = g->acked_bps,
                                                         .rtt_ns = weir__rtt_srtt_ns(&path->rtt),
                                                         .min_bps = min_bps(g)});
}

/* The loss-based part, beside delays. */
static void take_losses(struct gcc *g, const struct weir_feedback *feedback)
{
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status != WEIR_PACKET_LATE) {
            weir__loss_model_add(&g->loss_model, packet->sent_ns, packet->wire_bytes,
                                 packet->status == WEIR_PACKET_LOST);
        }
    }
    weir__loss_model_update(
        &g->loss_model,
        &(struct weir__loss_model_input){.delay_bps = g->aimd.rate_bps,
                                         .acked_bps = g->budget.limited ? 0.0 : g->acked_bps,
                                         .min_bps = min_bps(g),
                                         .max_bps = fmax((double)g->limits.max_bps, min_bps(g))});
}

/* Another form of feedback goes on from the rate of the one before. */
static void set_form(struct gcc *g, bool reports_only, int64_t now_ns)
{
    if (g->reports_only == reports_only) {
        return;
    }
    g->reports_only = reports_only;
    weir__push_back_init(&g->push_back);
    if (reports_only) {
        weir__loss_rule_init(&g->loss_rule, g->target_bps);
    } else {
        weir__gcc_aimd_set_rate(&g->aimd, g->target_bps, now_ns);
        weir__loss_model_init(&g->loss_model);
    }
}

/* A trusted start: 2 s without loss (libwebrtc). */
static bool is_start_phase(const struct gcc *g, int64_t now_ns)
{
    return now_ns - g->first_feedback_ns < START_PHASE_NS && g->loss_model.average_loss <= 0.0;
}

static double allowed_bps(const struct gcc *g, int64_t now_ns)
{
    if (g->reports_only) {
        return fmax(g->loss_rule.rate_bps, min_bps(g));
    }
    double loss_bps = weir__loss_model_bps(&g->loss_model);
    bool free = !is_on(g, PARAM_LOSS_PART) || is_start_phase(g, now_ns);
    return fmax(free ? g->aimd.rate_bps : fmin(g->aimd.rate_bps, loss_bps), min_bps(g));
}

/* The round-trip time, and for how long we have been sending without an answer. */
static bool is_rtt_too_long(const struct gcc *g, const struct weir_path *path, int64_t sent_ns)
{
    int64_t rtt_ns = weir_max_i64(weir__rtt_latest_ns(&path->rtt), 0);
    return rtt_ns + weir_max_i64(sent_ns - g->heard_ns, 0) > RTT_LIMIT_NS;
}

static void back_off(struct gcc *g, int64_t now_ns)
{
    bool due = g->backed_off_ns == WEIR_UNKNOWN_NS || now_ns - g->backed_off_ns >= BACK_OFF_NS;
    if (due && g->target_bps > FLOOR_BPS) {
        g->target_bps = fmax(BACK_OFF * g->target_bps, FLOOR_BPS);
        g->backed_off_ns = now_ns;
    }
}

/* How far what was sent is ahead of the target. libwebrtc paces at 2.5 times the target, which lets
 * a frame leave early and is safe as encoders keep to the target in the mean. A source that does
 * not, or is no encoder, is paced at the target once it is half a second ahead. */
static void note_pace(struct gcc *g, const struct weir_sent_packet *sent)
{
    double passed_s = (double)(sent->sent_ns - g->sent_ns) * 1e-9;
    g->ahead_bytes = fmax(g->ahead_bytes - passed_s * g->target_bps / 8.0, 0.0);
    g->ahead_bytes += (double)sent->wire_bytes;
    g->sent_ns = sent->sent_ns;
}

static void gcc_on_packet_sent(void *state, const struct weir_path *path,
                               const struct weir_sent_packet *sent)
{
    struct gcc *g = state;
    weir__application_budget_on_sent(&g->budget, sent->sent_ns, sent->wire_bytes, g->target_bps);
    weir__push_back_on_sent(&g->push_back, sent->in_flight_bytes);
    note_pace(g, sent);
    if (g->heard_ns == WEIR_UNKNOWN_NS) {
        g->heard_ns = sent->sent_ns;
    } else if (is_rtt_too_long(g, path, sent->sent_ns)) {
        back_off(g, sent->sent_ns);
    }
}

static void set_target(struct gcc *g, const struct weir_path *path, int64_t now_ns)
{
    double allowed = allowed_bps(g, now_ns);
    if (is_rtt_too_long(g, path, g->heard_ns)) {
        g->target_bps = fmin(g->target_bps, allowed);
        back_off(g, now_ns);
    } else {
        g->target_bps = allowed;
    }
}

static void gcc_on_feedback(void *state, const struct weir_path *path,
                            const struct weir_feedback *feedback)
{
    struct gcc *g = state;
    int64_t now_ns = feedback->now_ns;
    struct counts told = count_packets(feedback);
    bool heard = told.received > 0;
    if (g->first_feedback_ns == WEIR_UNKNOWN_NS) {
        g->first_feedback_ns = now_ns;
    }
    if (heard) {
        g->heard_ns = now_ns;
        g->silent = false;
        set_form(g, told.timed == 0, now_ns);
    }
    if (g->reports_only) {
        weir__loss_rule_update(&g->loss_rule, told.received + told.lost, told.lost,
                               weir_max_i64(weir__rtt_srtt_ns(&path->rtt), 0),
                               fmax((double)g->limits.max_bps, min_bps(g)), now_ns);
    } else {
        if (told.timed > 0) {
            take_arrivals(g, path, feedback);
        }
        take_losses(g, feedback);
    }
    if (heard) {
        set_target(g, path, now_ns);
    }
    if (heard && !g->reports_only) { /* reports do not tell what is in flight */
        weir__push_back_on_feedback(&g->push_back, now_ns - told.oldest_sent_ns, told.received,
                                    feedback->in_flight_bytes, g->target_bps);
    }
}

/* A probe raises the rate, and never lowers it; in overuse it is not believed. */
static void gcc_on_probe(void *state, const struct weir_path *path,
                         const struct weir_probe_result *result)
{
    struct gcc *g = state;
    double proved_bps = weir__gcc_probe_take(&g->probe, result, g->acked_bps);
    if (proved_bps > g->aimd.rate_bps && g->overuse.usage != WEIR__USAGE_OVER && !g->reports_only) {
        weir__gcc_aimd_set_rate(&g->aimd, proved_bps, result->now_ns);
        set_target(g, path, result->now_ns);
    }
}

static void gcc_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    (void)now_ns;
    struct gcc *g = state;
    g->silent = true;
}

static void gcc_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    (void)now_ns;
    struct gcc *g = state;
    begin(g, fmin(g->target_bps, (double)g->limits.start_bps));
}

static void gcc_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct gcc *g = state;
    g->limits = *limits;
    if (g->first_feedback_ns == WEIR_UNKNOWN_NS && !g->silent) {
        double rate_bps = (double)limits->start_bps;
        weir__gcc_aimd_init(&g->aimd, g->param[PARAM_BETA], g->param[PARAM_GROWTH], rate_bps);
        weir__loss_rule_init(&g->loss_rule, rate_bps);
        weir__gcc_probe_init(&g->probe, rate_bps);
        g->target_bps = rate_bps;
    }
}

static double rate_bps(const struct gcc *g)
{
    double rate = is_on(g, PARAM_PUSH_BACK) ? weir__push_back_bps(&g->push_back, g->target_bps)
                                            : g->target_bps;
    return fmin(rate, RATE_MAX_BPS);
}

/* Not while the path has shown that it is full, or does not answer. */
static void ask_for_probe(const struct gcc *g, struct weir_control *control)
{
    bool full = g->overuse.usage == WEIR__USAGE_OVER || g->loss_model.state != WEIR__LOSS_FREE;
    if (!is_on(g, PARAM_PROBES) || full || g->silent || g->reports_only) {
        return;
    }
    double probe_bps = weir__gcc_probe_bps(&g->probe, (double)g->limits.max_bps);
    control->probe_bps = llround(probe_bps);
    control->probe_bytes = weir__gcc_probe_bytes(probe_bps, g->packet_bytes);
}

static void gcc_get_output(const void *state, struct weir_control *control)
{
    const struct gcc *g = state;
    bool ahead = 8.0 * g->ahead_bytes > AHEAD_S * g->target_bps;
    double factor = ahead ? 1.0 : g->param[PARAM_PACING_FACTOR];
    bool started = g->first_feedback_ns != WEIR_UNKNOWN_NS;
    bool ramps = started && !g->aimd.capacity.known && !g->reports_only;
    *control = (struct weir_control){
        .rate_bps = llround(rate_bps(g)),
        .pacing_bps = factor > 1.0 ? llround(factor * rate_bps(g)) : 0,
        .window_bytes = WEIR_UNLIMITED_BYTES,
        .state = (started ? 0u : (unsigned)WEIR_STATE_STARTING) |
                 (ramps ? (unsigned)WEIR_STATE_SLOW_START : 0u) |
                 (g->budget.limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u) |
                 (g->silent ? (unsigned)WEIR_STATE_NO_FEEDBACK : 0u) |
                 (g->reports_only ? (unsigned)WEIR_STATE_REPORTS_ONLY : 0u),
    };
    ask_for_probe(g, control);
}

static void gcc_get_variables(const void *state, struct weir_variables *to)
{
    const struct gcc *g = state;
    double loss_bps =
        g->reports_only ? g->loss_rule.rate_bps : weir__loss_model_bps(&g->loss_model);
    double loss_ratio = g->reports_only ? g->loss_rule.loss_ratio : g->loss_model.average_loss;
    weir_tell(to, "delay_rate_bps", g->aimd.rate_bps);
    weir_tell(to, "loss_rate_bps", isfinite(loss_bps) ? loss_bps : 0.0);
    weir_tell(to, "acked_rate_bps", g->acked_bps);
    weir_tell(to, "delay_slope", g->trendline.slope);
    weir_tell(to, "delay_trend_ms", g->overuse.trend_ms);
    weir_tell(to, "threshold_ms", g->overuse.threshold_ms);
    weir_tell(to, "usage", (double)g->overuse.usage);
    weir_tell(to, "rate_control", (double)g->aimd.state);
    weir_tell(to, "link_capacity_bps",
              g->aimd.capacity.known ? 1000.0 * g->aimd.capacity.mean_kbps : 0.0);
    weir_tell(to, "loss_ratio", loss_ratio);
    weir_tell(to, "inherent_loss", g->loss_model.inherent_loss);
    weir_tell(to, "loss_control", (double)g->loss_model.state);
    weir_tell(to, "application_limited", g->budget.limited ? 1.0 : 0.0);
    weir_tell(to, "push_back", g->push_back.factor);
    weir_tell(to, "probe_rate_bps", is_on(g, PARAM_PROBES) ? g->probe.rate_bps : 0.0);
}

const struct weir_controller weir_gcc = {
    .name = "gcc",
    .description = "Google Congestion Control: the gradient of the delay, bounded by losses.",
    .spec = "draft-ietf-rmcat-gcc-02, as in libwebrtc",
    .for_live_media = true,
    .needs = WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct gcc),
    .params = gcc_params,
    .n_params = N_PARAMS,
    .init = gcc_init,
    .on_packet_sent = gcc_on_packet_sent,
    .on_feedback = gcc_on_feedback,
    .on_silence = gcc_on_silence,
    .on_probe = gcc_on_probe,
    .on_path_change = gcc_on_path_change,
    .set_limits = gcc_set_limits,
    .get_output = gcc_get_output,
    .get_variables = gcc_get_variables,
};
