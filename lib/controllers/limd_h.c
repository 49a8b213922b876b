/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LIMD/H: a rate that grows linearly, and falls by the loss it sees, harder when loss persists.
 * Specification: T. Kim, V. Bharghavan, "Improving congestion control performance through loss
 * differentiation", ICCCN 1999, as it is remembered; the paper could not be had.
 * Needs: which packets arrived. Has a report form.
 * Differs from the specification:
 *   - The rate before the first RTT sample is the start bitrate, and the first sample does not
 * lower it (parameter initial; paper: one packet per second, then one per RTT).
 *   - An epoch ends with the first feedback an SRTT after its beginning; its loss fraction counts
 *     what was reported in it, of packets sent after the last reduction: what an old rate lost says
 *     nothing of the new one. Longer epochs make up for the growth they missed, up to half as much
 *     again.
 *   - No growth in an epoch in which the source, not the rate, was the limit, and none beyond the
 *     upper limit. Growth begins at the lower one, as the session sends so much anyway.
 *   - Silence of an RTO halves the rate, and so does each further one.
 *   - After an idle second and more the rate halves per RTO, down to the start bitrate.
 *   - A mark (ECN-CE) counts as a loss, a packet that arrives late after all as none.
 *   - Report form: each receiver report is an epoch. */
#include <math.h>
#include <string.h>

#include "controllers/common_steps.h"
#include "controllers/limd_law.h"

#define RTO_MAX_NS         WEIR_SECONDS(60)
#define IDLE_MIN_NS        WEIR_SECONDS(1)
#define REPORT_INTERVAL_NS WEIR_SECONDS(5) /* of RTCP, until better is known */
#define CATCH_UP           1.5  /* growth per feedback or report, beyond that of one SRTT */
#define MAX_INTERVAL_S     64.0 /* never less than one packet in this time */
#define RATE_MAX           1e12 /* bytes/s */
#define MAX_HALVINGS       64

enum {
    PARAM_INITIAL,
    PARAM_ALPHA,
    PARAM_BETA,
    PARAM_H_MAX,
    PARAM_MIN_FACTOR,
    PARAM_MIN_RTO,
    N_PARAMS
};

static const struct weir_param limd_h_params[N_PARAMS] = {
    [PARAM_INITIAL] = WEIR_ROW_CHOICE(
        "initial", 0,
        "Rate before the first RTT sample: the start bitrate, or one packet per second.",
        "start-rate", "paper"),
    [PARAM_ALPHA] = WEIR_ROW_NUMBER("alpha", "packets", 0.01, 10.0, 1.0,
                                    "Growth of the rate per RTT without loss, in packets per RTT."),
    [PARAM_BETA] = WEIR_ROW_NUMBER("beta", "1", 0.05, 1.0, 1.0,
                                   "Initial factor of the loss ratio by which the rate falls."),
    [PARAM_H_MAX] =
        WEIR_ROW_NUMBER("h-max", "1", 1.0, 64.0, 8.0,
                        "Maximum history; each further epoch with loss doubles the history."),
    [PARAM_MIN_FACTOR] = WEIR_ROW_NUMBER("min-factor", "1", 0.05, 0.95, 0.5,
                                         "Minimum share of the rate that remains after an epoch."),
    [PARAM_MIN_RTO] = WEIR_ROW_NUMBER("min-rto", "ms", 1.0, 10000.0, 200.0,
                                      "Minimum time of silence that halves the rate."),
};

struct limd_h {
    double param[N_PARAMS];
    struct weir__byte_limits limits;
    double x;              /* rate, bytes/s */
    double h;              /* history */
    double f;              /* loss fraction of the last epoch */
    struct weir_path path; /* as the last event brought it */
    bool has_started;      /* x was set for the path */
    bool has_sent;
    bool has_lost; /* before it has started */
    bool data_limited;
    int64_t epoch_ns; /* began */
    int64_t received_packets, lost_packets;
    bool limited_by_rate; /* a packet of the epoch had to wait */
    int64_t last_sent_ns;
    int64_t report_interval_ns;           /* longest recent one, fading */
    int64_t highest_sent;                 /* seq */
    int64_t active_seq;                   /* packets before it left before the last reduction */
    double epochs, loss_epochs, timeouts; /* counted */
};
WEIR_DEFINE_STATE(struct limd_h);

static bool starts_at_start_rate(const struct limd_h *l)
{
    return l->param[PARAM_INITIAL] < 0.5;
}

static void set_rate(struct limd_h *l, double x)
{
    l->x = fmin(fmax(x, l->path.packet_bytes / MAX_INTERVAL_S), RATE_MAX);
}

static double first_rate(const struct limd_h *l)
{
    return starts_at_start_rate(l) ? l->limits.start : l->path.packet_bytes;
}

static double srtt_s(const struct limd_h *l)
{
    return (double)weir_path_srtt_ns(&l->path) * 1e-9;
}

static int64_t limd_h_silence_timeout_ns(const void *state, const struct weir_path *path)
{
    const struct limd_h *l = state;
    int64_t least_ns = (int64_t)(l->param[PARAM_MIN_RTO] * 1e6);
    int64_t reports_ns = path->reports_only ? 3 * l->report_interval_ns : 0;
    return weir_max_i64(weir__rtt_rto_ns(&path->rtt, least_ns, RTO_MAX_NS), reports_ns);
}

static void begin_epoch(struct limd_h *l, int64_t now_ns)
{
    l->epoch_ns = now_ns;
    l->received_packets = 0;
    l->lost_packets = 0;
    l->limited_by_rate = false;
}

/* The first sample, or a report without any: one packet per RTT, or what live media began with if
 * that is more. */
static void take_path(struct limd_h *l, const struct weir_path *path)
{
    l->path = *path;
    if (!l->has_started && (path->rtt.has_sample || path->reports_only)) {
        double before = l->has_lost ? l->x : l->limits.start;
        double packet = l->path.packet_bytes / srtt_s(l);
        set_rate(l, starts_at_start_rate(l) ? fmax(packet, before) : packet);
        l->has_started = true;
    }
}

/* r += a per RTT without loss. More than one RTT at once adds half the rate at most. */
static void increase(struct limd_h *l, double rounds)
{
    double from = fmax(l->x, l->limits.least);
    double per_round = l->param[PARAM_ALPHA] * l->path.packet_bytes / srtt_s(l);
    double most = fmax(from + per_round * fmin(rounds, 1.0), from * CATCH_UP);
    double grown = fmin(from + per_round * rounds, most);
    set_rate(l, fmax(fmin(grown, l->limits.most), l->x));
}

/* An epoch of so many RTTs with loss fraction f is over. */
static void answer_epoch(struct limd_h *l, double f, double rounds)
{
    if (f > 0.0) {
        double least = l->param[PARAM_MIN_FACTOR];
        set_rate(l, l->x * weir__limd_factor(l->param[PARAM_BETA], l->h, f, least));
        l->active_seq = l->highest_sent + 1;
        l->loss_epochs += 1.0;
        l->has_lost = true;
    } else if (l->has_started && !l->data_limited) {
        increase(l, rounds);
    }
    l->h = weir__limd_history(l->h, f, l->param[PARAM_H_MAX]);
    l->f = f;
    l->epochs += 1.0;
}

static void end_epoch(struct limd_h *l, int64_t now_ns)
{
    double elapsed_s = (double)(now_ns - l->epoch_ns) * 1e-9;
    int64_t reported = l->received_packets + l->lost_packets;
    if (elapsed_s < srtt_s(l) || reported == 0) {
        return;
    }
    l->data_limited = !l->limited_by_rate;
    answer_epoch(l, (double)l->lost_packets / (double)reported, elapsed_s / srtt_s(l));
    begin_epoch(l, now_ns);
}

static void count(struct limd_h *l, const struct weir_packet_report *packet)
{
    if (packet->seq < l->active_seq) {
        return;
    }
    if (packet->status == WEIR_PACKET_LATE) {
        l->lost_packets -= l->lost_packets > 0;
    }
    if (packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE) {
        l->lost_packets++;
    } else {
        l->received_packets++;
    }
}

static void limd_h_on_feedback(void *state, const struct weir_path *path,
                               const struct weir_feedback *feedback)
{
    struct limd_h *l = state;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        count(l, &feedback->packets[i]);
    }
    take_path(l, path);
    end_epoch(l, feedback->now_ns);
}

static void limd_h_on_report(void *state, const struct weir_path *path,
                             const struct weir_report *report)
{
    struct limd_h *l = state;
    int64_t expected = report->expected_packets;
    double interval_s = (double)report->interval_ns * 1e-9;
    l->report_interval_ns = weir__longest_interval_ns(l->report_interval_ns, report->interval_ns);
    take_path(l, path);
    if (expected > 0) {
        l->data_limited = !report->network_limited;
        answer_epoch(l, (double)report->lost_packets / (double)expected, interval_s / srtt_s(l));
    }
    begin_epoch(l, report->now_ns);
}

/* Nothing was sent for long: what the path had to offer is forgotten, down to the start rate. */
static void decay_in_idle_time(struct limd_h *l, int64_t now_ns)
{
    int64_t idle_ns = now_ns - l->last_sent_ns;
    int64_t wait_ns = weir_max_i64(limd_h_silence_timeout_ns(l, &l->path), IDLE_MIN_NS);
    bool decays = l->has_started && starts_at_start_rate(l) && l->x > l->limits.start;
    if (decays && idle_ns > wait_ns) {
        int halvings = (int)weir_min_i64(idle_ns / wait_ns, MAX_HALVINGS);
        set_rate(l, fmax(ldexp(l->x, -halvings), l->limits.start));
        begin_epoch(l, now_ns);
    }
}

static void limd_h_on_packet_sent(void *state, const struct weir_path *path,
                                  const struct weir_sent_packet *sent)
{
    struct limd_h *l = state;
    l->path = *path;
    if (l->has_sent) {
        decay_in_idle_time(l, sent->sent_ns);
    } else {
        begin_epoch(l, sent->sent_ns);
    }
    l->has_sent = true;
    l->last_sent_ns = sent->sent_ns;
    l->highest_sent = sent->seq;
    l->limited_by_rate = l->limited_by_rate || sent->network_limited;
}

static void limd_h_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct limd_h *l = state;
    l->path = *path;
    set_rate(l, l->x / 2.0);
    l->active_seq = l->highest_sent + 1;
    begin_epoch(l, now_ns);
    l->timeouts += 1.0;
}

static void forget_path(struct limd_h *l, int64_t now_ns)
{
    l->has_started = false;
    l->has_lost = false;
    l->h = 1.0;
    l->f = 0.0;
    begin_epoch(l, now_ns);
}

static void limd_h_init(void *state, const struct weir_config *config)
{
    struct limd_h *l = state;
    *l = (struct limd_h){
        .path = *config->path, .highest_sent = -1, .report_interval_ns = REPORT_INTERVAL_NS};
    memcpy(l->param, config->params, sizeof(l->param));
    l->limits = weir__byte_limits(&config->limits);
    set_rate(l, first_rate(l));
    forget_path(l, config->now_ns);
}

/* A new path: as at the start, but never faster than before. */
static void limd_h_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct limd_h *l = state;
    l->path = *path;
    forget_path(l, now_ns);
    l->active_seq = l->highest_sent + 1;
    set_rate(l, fmin(l->x, first_rate(l)));
}

static void limd_h_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct limd_h *l = state;
    double before = l->limits.start;
    l->limits = weir__byte_limits(limits);
    if (!l->has_started && starts_at_start_rate(l)) {
        set_rate(l, l->x >= before ? l->limits.start : fmin(l->x, l->limits.start));
    }
}

static void limd_h_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)now_ns;
    take_path(state, path);
}

static void limd_h_get_output(const void *state, struct weir_control *control)
{
    const struct limd_h *l = state;
    *control = (struct weir_control){
        .rate_bps = llround(8.0 * l->x),
        .window_bytes = WEIR_UNLIMITED_BYTES,
        .state = (l->has_started ? 0u : (unsigned)WEIR_STATE_STARTING) |
                 (l->data_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u),
    };
}

static void limd_h_get_variables(const void *state, struct weir_variables *to)
{
    const struct limd_h *l = state;
    weir_tell(to, "x_bytes_per_s", l->x);
    weir_tell(to, "history", l->h);
    weir_tell(to, "loss_fraction", l->f);
    weir_tell(to, "rtt_ns", l->path.rtt.has_sample ? (double)weir__rtt_srtt_ns(&l->path.rtt) : 0.0);
    weir_tell(to, "packet_bytes", l->path.packet_bytes);
    weir_tell(to, "epochs", l->epochs);
    weir_tell(to, "loss_epochs", l->loss_epochs);
    weir_tell(to, "timeouts", l->timeouts);
}

const struct weir_controller weir_limd_h = {
    .name = "limd-h",
    .description = "Linear increase, decrease by the loss ratio and by how long loss persists.",
    .spec = "Kim, Bharghavan: ICCCN 1999",
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct limd_h),
    .params = limd_h_params,
    .n_params = N_PARAMS,
    .init = limd_h_init,
    .on_packet_sent = limd_h_on_packet_sent,
    .on_feedback = limd_h_on_feedback,
    .on_report = limd_h_on_report,
    .on_silence = limd_h_on_silence,
    .silence_timeout_ns = limd_h_silence_timeout_ns,
    .on_path_change = limd_h_on_path_change,
    .set_limits = limd_h_set_limits,
    .seed_rtt = limd_h_seed_rtt,
    .get_output = limd_h_get_output,
    .get_variables = limd_h_get_variables,
};
