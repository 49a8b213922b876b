/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NADA: delay, loss and ECN marks as one signal, an equivalent delay; the rate moves until that is
 * what a flow of this rate may have.
 * Specification: RFC 8698. Needs: arrival times. From receiver reports it runs on round-trip times.
 * Differs from the specification:
 *   - 4.1: the receiver's part runs at the sender, from per-packet feedback (5.3 leaves that open);
 *     an update comes with the first feedback delta/2 after the last one, as in the authors'
 *     ns3-rmcat, and counts for three deltas at most.
 *   - 4.3: the first rate is the start bitrate (parameter initial; RFC: RMIN). RMIN and RMAX are
 *     the session's limits.
 *   - 4.2, 5.1.1: delays are freed of the clocks' drift before the base is taken (RFC 6817 A.2).
 *   - 4.2: the signal ends at 500 ms as in ns3-rmcat (parameter xmax): what it rises by is given
 *     back as it fades, and 3 s of it would come back as a rate e^6 times as high.
 *   - 5.1.2: the window of observation is kept in tenths, so it is up to a tenth longer.
 *   - 5.2.2: no rate-shaping buffer: the session paces, and lowers its target while a queue waits.
 *   - The RFC has no rule for feedback that stops: each silence halves the rate, down to RMIN.
 *   - Report form (no counterpart in the RFC): see observe_reports. */
#include <math.h>
#include <string.h>

#include "control/controller.h"
#include "controllers/nada_law.h"
#include "estimators/delay_history.h"
#include "estimators/loss_intervals.h"
#include "estimators/packet_log.h"

#define LONGEST_INTERVAL 3.0 /* deltas that one update counts for */

enum nada_param {
    NADA_INITIAL,
    NADA_PRIO,
    NADA_XREF,
    NADA_KAPPA,
    NADA_ETA,
    NADA_TAU,
    NADA_DELTA,
    NADA_LOGWIN,
    NADA_QEPS,
    NADA_DFILT,
    NADA_GAMMA_MAX,
    NADA_QBOUND,
    NADA_MULTILOSS,
    NADA_QTH,
    NADA_LAMBDA,
    NADA_PLRREF,
    NADA_PMRREF,
    NADA_DLOSS,
    NADA_DMARK,
    NADA_ALPHA,
    NADA_XMAX,
    NADA_N_PARAMS
};

static const struct weir_param nada_params[NADA_N_PARAMS] = {
    [NADA_INITIAL] = WEIR_ROW_CHOICE(
        "initial", 0, "First rate: the start bitrate, or the RFC's, which is the minimum.",
        "start-rate", "paper"),
    [NADA_PRIO] = WEIR_ROW_NUMBER("prio", "1", 0.1, 10.0, 1.0,
                                  "Weight of this flow beside others of its kind."),
    [NADA_XREF] = WEIR_ROW_NUMBER("xref", "ms", 1.0, 200.0, 10.0,
                                  "Congestion signal at which a flow at its maximum settles."),
    [NADA_KAPPA] = WEIR_ROW_NUMBER("kappa", "1", 0.01, 2.0, 0.5, "Gain of the gradual update."),
    [NADA_ETA] = WEIR_ROW_NUMBER("eta", "1", 0.0, 10.0, 2.0, "Gain of the signal's change."),
    [NADA_TAU] = WEIR_ROW_NUMBER("tau", "ms", 50.0, 5000.0, 500.0,
                                 "Longest round-trip time at which the loop is stable."),
    [NADA_DELTA] = WEIR_ROW_NUMBER("delta", "ms", 10.0, 1000.0, 100.0,
                                   "Target interval of updates; an update comes with the first "
                                   "feedback at least half of it after the last."),
    [NADA_LOGWIN] =
        WEIR_ROW_NUMBER("logwin", "ms", 50.0, 5000.0, 500.0,
                        "Window over which loss, marks and the received rate are observed."),
    [NADA_QEPS] = WEIR_ROW_NUMBER("qeps", "ms", 0.1, 200.0, 10.0,
                                  "Queueing delay below which the path counts as empty."),
    [NADA_DFILT] = WEIR_ROW_NUMBER("dfilt", "ms", 0.0, 1000.0, 120.0,
                                   "Bound on the delay of the filters, in the ramp-up."),
    [NADA_GAMMA_MAX] =
        WEIR_ROW_NUMBER("gamma-max", "1", 0.01, 1.0, 0.5, "Maximum step of the ramp-up."),
    [NADA_QBOUND] = WEIR_ROW_NUMBER("qbound", "ms", 1.0, 1000.0, 50.0,
                                    "Queueing delay that a step of the ramp-up may cause."),
    [NADA_MULTILOSS] =
        WEIR_ROW_NUMBER("multiloss", "1", 1.0, 100.0, 7.0,
                        "Number of mean loss intervals after which losses count as over."),
    [NADA_QTH] =
        WEIR_ROW_NUMBER("qth", "ms", 1.0, 1000.0, 50.0,
                        "Queueing delay above which the warp applies while there are losses."),
    [NADA_LAMBDA] = WEIR_ROW_NUMBER("lambda", "1", 0.0, 10.0, 0.5,
                                    "Exponent of the warp; 0 keeps the delay at qth."),
    [NADA_PLRREF] = WEIR_ROW_NUMBER("plrref", "1", 0.0001, 1.0, 0.01,
                                    "Loss ratio that counts as a delay of dloss."),
    [NADA_PMRREF] = WEIR_ROW_NUMBER("pmrref", "1", 0.0001, 1.0, 0.01,
                                    "Ratio of marked packets that counts as a delay of dmark."),
    [NADA_DLOSS] = WEIR_ROW_NUMBER("dloss", "ms", 0.0, 1000.0, 10.0,
                                   "Delay that a loss ratio of plrref counts as."),
    [NADA_DMARK] = WEIR_ROW_NUMBER("dmark", "ms", 0.0, 1000.0, 2.0,
                                   "Delay that a ratio of marks of pmrref counts as."),
    [NADA_ALPHA] = WEIR_ROW_NUMBER("alpha", "1", 0.01, 1.0, 0.1,
                                   "Weight of a new sample in the ratios of loss and marks."),
    [NADA_XMAX] = WEIR_ROW_NUMBER("xmax", "ms", 50.0, 3276.7, 500.0,
                                  "Maximum signal, as in the authors' implementation; the RFC's "
                                  "feedback can express 3276.7."),
};

enum { MIN_FILTER = 15, /* 5.1.1: samples */ LOSS_INTERVALS = 8 /* RFC 5348 5.4 */ };

struct nada {
    double param[NADA_N_PARAMS];
    struct weir_limits limits;
    double rate_bps; /* r_ref */
    double signal_s; /* x_curr; at the next update x_prev */
    double queue_s;  /* d_queue */
    double warped_s; /* d_tilde */
    double loss_ratio;
    double mark_ratio;
    double received_bps; /* r_recv */
    bool ramps_up;       /* rmode 0 */
    bool has_update;
    int64_t update_ns; /* t_last */
    int64_t n_updates;
    int64_t n_arrived; /* before the first loss: the first loss interval */
    int64_t delays_ns[MIN_FILTER];
    int64_t n_delays;
    struct weir__delay_history history;
    struct weir__packet_log log;
    struct weir__loss_intervals losses;
};
WEIR_DEFINE_STATE(struct nada);

static double seconds(const struct nada *n, enum nada_param which)
{
    return n->param[which] * 1e-3;
}

static double initial_bps(const struct nada *n)
{
    bool paper = n->param[NADA_INITIAL] > 0.5;
    return (double)(paper ? n->limits.min_bps : n->limits.start_bps);
}

static void forget_path(struct nada *n)
{
    memset(&n->history, 0, sizeof(n->history));
    weir__packet_log_init(&n->log, (int64_t)(n->param[NADA_LOGWIN] * 1e6));
    weir__loss_intervals_init(&n->losses, LOSS_INTERVALS, 1.0, false);
    n->n_arrived = 0;
    n->n_delays = 0;
    n->signal_s = n->queue_s = n->warped_s = 0.0;
    n->loss_ratio = n->mark_ratio = n->received_bps = 0.0;
    n->ramps_up = n->has_update = false;
}

/* 4.2, on receiving a media packet. */
static void take_arrival(struct nada *n, const struct weir_packet_report *packet, int64_t now_ns)
{
    struct weir__delay_sample sample = {.arrived_ns = now_ns, .delay_ns = WEIR_UNKNOWN_NS};
    if (packet->arrived_ns != WEIR_UNKNOWN_NS) {
        if (!weir__delay_history_add(&n->history, now_ns, packet->sent_ns, packet->arrived_ns,
                                     &sample)) {
            return;
        }
        n->delays_ns[n->n_delays++ % MIN_FILTER] = sample.delay_ns;
    }
    weir__packet_log_on_arrival(&n->log, sample.arrived_ns, packet->wire_bytes, sample.delay_ns,
                                packet->ecn == WEIR_ECN_CE);
    weir__loss_intervals_on_received(&n->losses, packet->seq, packet->sent_ns);
    n->n_arrived++;
}

static void take_loss(struct nada *n, const struct weir_path *path,
                      const struct weir_packet_report *packet)
{
    if (!weir__loss_intervals_has_event(&n->losses)) {
        weir__loss_intervals_set_first(&n->losses, (double)n->n_arrived);
    }
    weir__loss_intervals_on_lost(&n->losses, packet->seq, packet->sent_ns, weir_path_srtt_ns(path));
}

static int64_t newest_arrival_ns(const struct weir_feedback *feedback)
{
    for (size_t i = feedback->n_packets; i-- > 0;) {
        if (feedback->packets[i].arrived_ns != WEIR_UNKNOWN_NS) {
            return feedback->packets[i].arrived_ns;
        }
    }
    return WEIR_UNKNOWN_NS;
}

/* True when something arrived: without that a receiver has nothing to report. */
static bool take_packets(struct nada *n, const struct weir_path *path,
                         const struct weir_feedback *feedback)
{
    int64_t n_lost = 0;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status == WEIR_PACKET_LOST) {
            take_loss(n, path, packet);
            n_lost++;
        } else {
            take_arrival(n, packet, feedback->now_ns);
        }
    }
    weir__packet_log_on_lost(&n->log, n_lost);
    return n_lost < (int64_t)feedback->n_packets;
}

/* 5.1.1: the least of the last samples. */
static double filtered_queue_s(const struct nada *n)
{
    int64_t least_ns = INT64_MAX;
    for (int64_t i = 0; i < n->n_delays && i < MIN_FILTER; i++) {
        least_ns = weir_min_i64(least_ns, n->delays_ns[i]);
    }
    return (double)weir__delay_history_above_base_ns(&n->history, least_ns) * 1e-9;
}

/* 4.2, the criteria for rmode: no loss in the window, and no sample of a queue. */
static void observe_packets(struct nada *n)
{
    struct weir__packet_counts counts = weir__packet_log_counts(&n->log);
    int64_t greatest_ns = 0;
    if (counts.greatest_delay_ns != INT64_MIN) {
        greatest_ns = weir__delay_history_above_base_ns(&n->history, counts.greatest_delay_ns);
    }
    n->queue_s = filtered_queue_s(n);
    n->received_bps = weir__packet_log_bps(&n->log);
    n->ramps_up = counts.n_lost == 0 && (double)greatest_ns * 1e-9 < seconds(n, NADA_QEPS);
}

/* Without arrival times the queue is what the round trip is above its least, whichever way it
 * lies; a receiver report has its own interval, over which the path has measured the rate. */
static void observe_reports(struct nada *n, const struct weir_path *path)
{
    struct weir__packet_counts counts = weir__packet_log_counts(&n->log);
    int64_t queue_ns = 0;
    if (path->rtt.has_sample) {
        queue_ns = weir__rtt_latest_ns(&path->rtt) - weir__rtt_min_ns(&path->rtt);
    }
    n->queue_s = (double)queue_ns * 1e-9;
    n->received_bps = path->reports_only ? path->delivered_bps : weir__packet_log_bps(&n->log);
    n->ramps_up = counts.n_lost == 0 && n->queue_s < seconds(n, NADA_QEPS);
}

/* 5.1.2 */
static void smooth_ratios(struct nada *n)
{
    struct weir__packet_counts counts = weir__packet_log_counts(&n->log);
    double expected = (double)weir_max_i64(counts.n_arrived + counts.n_lost, 1);
    double alpha = n->param[NADA_ALPHA];
    n->loss_ratio += alpha * ((double)counts.n_lost / expected - n->loss_ratio);
    n->mark_ratio += alpha * ((double)counts.n_marked / expected - n->mark_ratio);
}

static double loss_interval_packets(const struct nada *n)
{
    double p = weir__loss_intervals_p(&n->losses);
    return p > 0.0 ? 1.0 / p : 0.0;
}

/* Equation 1, while losses are not over. */
static double warped_queue_s(const struct nada *n)
{
    double interval = loss_interval_packets(n);
    if (interval <= 0.0) {
        return n->queue_s;
    }
    double share = weir__nada_warp_share(weir__loss_intervals_open(&n->losses), interval,
                                         n->param[NADA_MULTILOSS]);
    double warped_s = weir__nada_warp(n->queue_s, seconds(n, NADA_QTH), n->param[NADA_LAMBDA]);
    return share * warped_s + (1.0 - share) * n->queue_s;
}

/* Equation 2. */
static double congestion_signal_s(const struct nada *n)
{
    double marks_s =
        weir__nada_penalty(n->mark_ratio, n->param[NADA_PMRREF], seconds(n, NADA_DMARK));
    double losses_s =
        weir__nada_penalty(n->loss_ratio, n->param[NADA_PLRREF], seconds(n, NADA_DLOSS));
    return fmin(n->warped_s + marks_s + losses_s, seconds(n, NADA_XMAX));
}

/* Equations 3 and 4. */
static double ramped_up_bps(const struct nada *n, const struct weir_path *path)
{
    double rtt_s = fmax((double)weir__rtt_srtt_ns(&path->rtt), 0.0) * 1e-9;
    double gamma = weir__nada_ramp_up(rtt_s, seconds(n, NADA_DELTA), seconds(n, NADA_DFILT),
                                      seconds(n, NADA_QBOUND), n->param[NADA_GAMMA_MAX]);
    return fmax(n->rate_bps, (1.0 + gamma) * n->received_bps);
}

static double gradual_bps(const struct nada *n, double interval_s, double before_s)
{
    struct weir__nada_gains gains = {
        .kappa = n->param[NADA_KAPPA], .eta = n->param[NADA_ETA], .tau_s = seconds(n, NADA_TAU)};
    double target_s =
        n->param[NADA_PRIO] * seconds(n, NADA_XREF) * (double)n->limits.max_bps / n->rate_bps;
    return weir__nada_gradual(n->rate_bps, &gains, interval_s, n->signal_s, before_s, target_s);
}

/* 4.3, on receiving a feedback report. */
static void update(struct nada *n, const struct weir_path *path, int64_t now_ns)
{
    double before_s = n->signal_s;
    double interval_s =
        fmin((double)(now_ns - n->update_ns) * 1e-9, LONGEST_INTERVAL * seconds(n, NADA_DELTA));
    smooth_ratios(n);
    n->warped_s = warped_queue_s(n);
    n->signal_s = congestion_signal_s(n);
    double rate_bps = n->ramps_up ? ramped_up_bps(n, path) : gradual_bps(n, interval_s, before_s);
    n->rate_bps = fmin(fmax(rate_bps, (double)n->limits.min_bps), (double)n->limits.max_bps);
    n->update_ns = now_ns;
    n->has_update = true;
    n->n_updates++;
}

static void nada_on_feedback(void *state, const struct weir_path *path,
                             const struct weir_feedback *feedback)
{
    struct nada *n = state;
    int64_t newest_ns = newest_arrival_ns(feedback);
    if (newest_ns != WEIR_UNKNOWN_NS) {
        weir__delay_history_on_feedback(&n->history, feedback->now_ns, newest_ns);
    }
    if (!take_packets(n, path, feedback)) {
        return;
    }
    if ((double)(feedback->now_ns - n->update_ns) * 1e-9 < 0.5 * seconds(n, NADA_DELTA)) {
        return;
    }
    if (newest_ns == WEIR_UNKNOWN_NS) {
        observe_reports(n, path);
    } else {
        observe_packets(n);
    }
    update(n, path, feedback->now_ns);
}

static void nada_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    (void)now_ns;
    struct nada *n = state;
    n->rate_bps = fmax(n->rate_bps / 2.0, (double)n->limits.min_bps);
}

static void nada_init(void *state, const struct weir_config *config)
{
    struct nada *n = state;
    memset(n, 0, sizeof(*n));
    memcpy(n->param, config->params, sizeof(n->param));
    n->limits = config->limits;
    n->rate_bps = initial_bps(n);
    n->update_ns = config->now_ns;
    forget_path(n);
}

/* A new path: as at the start, but never faster than before. */
static void nada_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    struct nada *n = state;
    forget_path(n);
    n->rate_bps = fmin(n->rate_bps, initial_bps(n));
    n->update_ns = now_ns;
}

static void nada_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct nada *n = state;
    bool untouched = !n->has_update && n->rate_bps == initial_bps(n);
    n->limits = *limits;
    if (untouched) {
        n->rate_bps = initial_bps(n);
    }
}

static void nada_get_output(const void *state, struct weir_control *control)
{
    const struct nada *n = state;
    *control = (struct weir_control){
        .rate_bps = (int64_t)n->rate_bps,
        .window_bytes = WEIR_UNLIMITED_BYTES,
        .state = (n->has_update ? 0u : (unsigned)WEIR_STATE_STARTING) |
                 (n->ramps_up ? (unsigned)WEIR_STATE_SLOW_START : 0u),
    };
}

static void nada_get_variables(const void *state, struct weir_variables *to)
{
    const struct nada *n = state;
    weir_tell(to, "signal_ns", n->signal_s * 1e9);
    weir_tell(to, "queue_ns", n->queue_s * 1e9);
    weir_tell(to, "warped_queue_ns", n->warped_s * 1e9);
    weir_tell(to, "loss_ratio", n->loss_ratio);
    weir_tell(to, "mark_ratio", n->mark_ratio);
    weir_tell(to, "loss_interval_packets", loss_interval_packets(n));
    weir_tell(to, "since_loss_packets", weir__loss_intervals_open(&n->losses));
    weir_tell(to, "received_bps", n->received_bps);
    weir_tell(to, "ramps_up", n->ramps_up ? 1.0 : 0.0);
    weir_tell(to, "updates", (double)n->n_updates);
}

const struct weir_controller weir_nada = {
    .name = "nada",
    .description = "NADA: delay, loss and ECN marks as one signal that sets the rate.",
    .spec = "RFC 8698",
    .for_live_media = true,
    .needs = WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct nada),
    .params = nada_params,
    .n_params = NADA_N_PARAMS,
    .init = nada_init,
    .on_feedback = nada_on_feedback,
    .on_silence = nada_on_silence,
    .on_path_change = nada_on_path_change,
    .set_limits = nada_set_limits,
    .get_output = nada_get_output,
    .get_variables = nada_get_variables,
};
