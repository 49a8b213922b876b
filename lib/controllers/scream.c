/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SCReAM v2: a reference window of bytes in flight, moved by losses, by ECN marks, and by queueing
 * delay as if it were marks; the media rate is that window over the round-trip time.
 * Specification: draft-ietf-ccwg-rfc8298bis-screamv2-01 (2026). Needs: arrival times. From receiver
 * reports it runs on round-trip times.
 * Differs from the specification ("optional" is the draft's word):
 *   - The first window is what the start bitrate needs (parameter initial; draft: MIN_REF_WND).
 *     Bytes are wire bytes; MSS is the largest packet sent.
 *   - Losses are those the session declares (three later packets, or its timeout), not those of a
 *     reordering window; what it counts in flight are packets that no feedback has told of.
 *   - A loss or a mark is answered by the next reaction that is due, or it is forgotten if that
 *     finds the loss ratio below its threshold; the draft's flags could last for ever.
 *   - ref_wnd is no whole number.
 *   - Bytes in flight at the maximum bitrate do not limit ref_wnd further (the draft refers to
 * code).
 *   - Media rate control: no rate_adjust_factor and no frame_size_dev: the session takes what waits
 *     in the send queue from its target.
 *   - A delay that is answered counts as congestion detected, as the text and the authors' code
 * have it, and losses are answered once per round-trip time (the printed code: only losses and
 * marks count, and losses are answered each 25 ms).
 *   - Optional, and on as in the authors' code: REDUCE_JITTER, the loss threshold, the
 *     smaller back-off at a low target, the base reset. Optional and off: the policer.
 *   - Optional, left out: the compensation for competing flows, which the draft itself doubts.
 *   - The draft has no rule for feedback that stops: each silence halves the rate, and the window
 *     when feedback is back; meanwhile the window blocks nothing.
 *   - Report form (no counterpart): see take_reports. */
#include <math.h>
#include <string.h>

#include "controllers/scream_law.h"
#include "controllers/scream_params.h"
#include "estimators/delay_history.h"

#define RATE_PACE_MIN_BPS      50000.0
#define ALPHA_PERIOD_NS        WEIR_MS(10)
#define LONG_AGO_RTTS          100.0 /* since the last reaction: the window may be far above use */
#define LOW_TARGET_SHARE       0.25  /* BACKOFF_SCALE_LOW_TARGET_RATE */
#define BETA_POLICER           0.9   /* BETA_LOSS_POLICER */
#define POLICED_GROWTH         0.001 /* per round trip */
#define QDELAY_MIN_GAIN        (1.0 / 256.0) /* QDELAY_MIN_AVG_ALPHA, per round trip */
#define QDELAY_MIN_MAX_GAIN    (1.0 / 16.0)  /* QDELAY_MIN_MAX_AVG_G */
#define QDELAY_DEV_GAIN        (1.0 / 32.0)  /* QDELAY_DEV_AVG_G */
#define QDELAY_DEV_THRESHOLD_S 0.01          /* QDELAY_DEV_THRESHOLD */
#define OVERHEAD_MIN           1.5           /* REF_WND_OVERHEAD_MIN */
#define MOST_BYTES             1e15

/* What losses, marks and delays have shown. */
struct scream_signs {
    bool lost;   /* since the last reaction was due */
    bool marked; /* the same */
    double alpha;
    double n_delivered, n_marked; /* since alpha was updated */
    int64_t alpha_ns;
    double loss_ratio;
    double queue_s;      /* qdelay */
    double mean_queue_s; /* qdelay_avg */
    int64_t mean_ns;
    double least_queue_s; /* of this round; INFINITY */
    double standing_s;    /* qdelay_min_avg of the clock drift remedy */
    double greatest_s;    /* qdelay_max_avg of REDUCE_JITTER */
    double smallest_s;    /* qdelay_min_avg of it */
    double spread_s;      /* qdelay_dev_avg */
    int64_t half_until_ns;
};

struct scream {
    double param[SCREAM_N_PARAMS];
    struct weir_limits limits;
    double window;     /* ref_wnd */
    double inflection; /* ref_wnd_i */
    bool moves_inflection;
    double policed_window; /* max_policed_ref_wnd */
    double mss;
    double rtt_s;
    double rate_bps; /* target_bitrate */
    double share;    /* of it that silence has left */
    bool has_started;
    bool reports_only;
    bool is_l4s;                            /* so are marks */
    double most_flight, most_flight_before; /* max_bytes_in_flight, _prev */
    int64_t round_ns;
    int64_t congested_ns; /* last_congestion_detected_time */
    int64_t reacted_ns;   /* last_reaction_to_congestion_time */
    struct scream_signs signs;
    struct weir__delay_history history;
    double n_losses, n_marks, n_delays, n_resets; /* reactions, and base delays given up */
};
WEIR_DEFINE_STATE(struct scream);

static double virtual_rtt_s(const struct scream *s)
{
    return s->param[SCREAM_VIRTUAL_RTT] * 1e-3;
}

static double qdelay_target_s(const struct scream *s)
{
    return s->param[SCREAM_QDELAY_TARGET] * 1e-3;
}

static double elapsed_s(int64_t since_ns, int64_t now_ns)
{
    return (double)(now_ns - since_ns) * 1e-9;
}

static double start_bps(const struct scream *s)
{
    bool paper = s->param[SCREAM_INITIAL] > 0.5;
    return (double)(paper ? s->limits.min_bps : s->limits.start_bps);
}

static void forget_path(struct scream *s, int64_t now_ns)
{
    s->signs = (struct scream_signs){.alpha_ns = now_ns,
                                     .mean_ns = now_ns,
                                     .least_queue_s = INFINITY,
                                     .greatest_s = qdelay_target_s(s),
                                     .half_until_ns = INT64_MIN};
    memset(&s->history, 0, sizeof(s->history));
    s->window = s->param[SCREAM_MIN_REF_WND];
    s->inflection = 1.0;
    s->moves_inflection = true;
    s->policed_window = MOST_BYTES;
    s->share = 1.0;
    s->has_started = false;
    s->most_flight = s->most_flight_before = 0.0;
    s->round_ns = s->congested_ns = s->reacted_ns = now_ns;
}

/* "Media Rate Control". */
static void set_rate(struct scream *s, int64_t now_ns)
{
    double rate = weir__scream_rate_share(s->window, s->mss) * 8.0 * s->window / s->rtt_s;
    rate *= now_ns < s->signs.half_until_ns ? 0.5 : 1.0;
    s->rate_bps = fmin(fmax(rate, (double)s->limits.min_bps), (double)s->limits.max_bps);
}

/* The first round-trip time: live media go on at the bitrate they began with. */
static void start(struct scream *s, int64_t now_ns)
{
    if (s->param[SCREAM_INITIAL] < 0.5) {
        double share = weir__scream_rate_share(INFINITY, s->mss);
        s->window = fmax(s->window, start_bps(s) * s->rtt_s / 8.0 / share);
    }
    s->has_started = true;
    set_rate(s, now_ns);
}

static void take_path(struct scream *s, const struct weir_path *path)
{
    double largest = (double)path->largest_packet_bytes;
    s->mss = largest > 0.0 ? largest : path->packet_bytes;
    s->rtt_s = (double)weir_path_srtt_ns(path) * 1e-9;
    s->reports_only = path->reports_only;
    s->is_l4s = path->marks_are_l4s || s->param[SCREAM_L4S] > 0.5;
}

static double new_fraction(const struct scream_signs *signs)
{
    return signs->n_delivered > 0.0 ? signs->n_marked / signs->n_delivered : 0.0;
}

/* "Receiving ECN-CE for L4S". */
static void update_alpha(struct scream *s, int64_t now_ns)
{
    struct scream_signs *signs = &s->signs;
    double period_s = fmin((double)ALPHA_PERIOD_NS * 1e-9, s->rtt_s);
    if (signs->n_delivered <= 0.0 || elapsed_s(signs->alpha_ns, now_ns) < period_s) {
        return;
    }
    signs->alpha = weir__scream_alpha(signs->alpha, new_fraction(signs), s->param[SCREAM_ALPHA_UP],
                                      s->param[SCREAM_ALPHA_DOWN]);
    signs->n_delivered = signs->n_marked = 0.0;
    signs->alpha_ns = now_ns;
}

/* "Detecting Increased Queue Delay", REDUCE_JITTER: how much delays vary. The greatest fades, and
 * the smallest follows it, so drift is no part of that. */
static void update_spread(struct scream_signs *signs)
{
    signs->greatest_s *= 1.0 - QDELAY_MIN_MAX_GAIN;
    signs->smallest_s += QDELAY_MIN_MAX_GAIN * (signs->greatest_s - signs->smallest_s);
    signs->spread_s += QDELAY_DEV_GAIN * (signs->greatest_s - signs->smallest_s - signs->spread_s);
}

/* ref_wnd_delay_scale: 1 when delays do not vary, 0 when they vary by 10 ms and more. */
static double steadiness(const struct scream *s)
{
    bool is_asked = s->param[SCREAM_REDUCE_JITTER] > 0.5;
    double scale = 1.0 - s->signs.spread_s / QDELAY_DEV_THRESHOLD_S;
    return is_asked ? fmin(fmax(scale, 0.0), 1.0) : 1.0;
}

/* "Detecting Increased Queue Delay": slow attack, fast decay. */
static void take_queue(struct scream *s, double queue_s, int64_t now_ns)
{
    struct scream_signs *signs = &s->signs;
    signs->queue_s = queue_s;
    signs->least_queue_s = fmin(signs->least_queue_s, queue_s);
    signs->greatest_s = fmin(qdelay_target_s(s), fmax(queue_s, signs->greatest_s));
    signs->smallest_s = fmin(signs->smallest_s, queue_s);
    if (elapsed_s(signs->mean_ns, now_ns) < fmin(virtual_rtt_s(s), s->rtt_s)) {
        return;
    }
    double grown_s = s->param[SCREAM_QDELAY_GAIN] * (queue_s - signs->mean_queue_s);
    signs->mean_queue_s = queue_s < signs->mean_queue_s ? queue_s : signs->mean_queue_s + grown_s;
    signs->mean_ns = now_ns;
    update_spread(signs);
}

/* "Link layer losses and rate policers": over two round trips, or four losses at the threshold. */
static void take_outcome(struct scream *s, bool lost)
{
    double threshold = s->param[SCREAM_LOSS_THRESHOLD];
    double gain = fmin(1.0, s->mss / s->window / 2.0);
    gain = threshold > 0.0 ? fmin(threshold / 4.0, gain) : gain;
    s->signs.loss_ratio += gain * ((lost ? 1.0 : 0.0) - s->signs.loss_ratio);
}

struct acked {
    double bytes;    /* bytes_newly_acked: lost ones as well */
    double bytes_ce; /* of those, marked */
    bool arrived;
};

static struct acked take_packets(struct scream *s, const struct weir_feedback *feedback)
{
    struct acked acked = {0};
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        bool lost = packet->status == WEIR_PACKET_LOST;
        bool marked = packet->ecn == WEIR_ECN_CE;
        acked.arrived = acked.arrived || !lost;
        if (packet->status == WEIR_PACKET_LATE) {
            continue; /* counted when it was lost */
        }
        take_outcome(s, lost);
        acked.bytes += (double)packet->wire_bytes;
        acked.bytes_ce += marked ? (double)packet->wire_bytes : 0.0;
        s->signs.n_delivered += lost ? 0.0 : 1.0;
        s->signs.n_marked += marked ? 1.0 : 0.0;
        s->signs.lost = s->signs.lost || lost;
        s->signs.marked = s->signs.marked || marked;
    }
    if (s->signs.lost || s->signs.marked) {
        s->congested_ns = feedback->now_ns;
    }
    return acked;
}

/* The delay of the newest packet that arrived; returns false when there are no arrival times. */
static bool take_delays(struct scream *s, const struct weir_feedback *feedback)
{
    struct weir__delay_sample sample = {0};
    int64_t now_ns = feedback->now_ns;
    bool taken = false;
    for (size_t i = feedback->n_packets; i-- > 0;) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->arrived_ns == WEIR_UNKNOWN_NS) {
            continue;
        }
        if (!taken) { /* the newest comes first */
            weir__delay_history_on_feedback(&s->history, now_ns, packet->arrived_ns);
        }
        struct weir__delay_sample one;
        if (weir__delay_history_add(&s->history, now_ns, packet->sent_ns, packet->arrived_ns,
                                    &one) &&
            !taken) {
            sample = one;
        }
        taken = true;
    }
    if (taken) {
        int64_t above_ns = weir__delay_history_above_base_ns(&s->history, sample.delay_ns);
        take_queue(s, (double)above_ns * 1e-9, now_ns);
    }
    return taken;
}

/* Without arrival times the queue is what the round trip is above its least, whichever way it lies.
 * In flight is what was sent per round trip, and a report counts for one round trip, the last. */
static void take_reports(struct scream *s, const struct weir_path *path, struct acked *acked,
                         int64_t now_ns)
{
    if (path->rtt.has_sample) {
        int64_t queue_ns = weir__rtt_latest_ns(&path->rtt) - weir__rtt_min_ns(&path->rtt);
        take_queue(s, (double)queue_ns * 1e-9, now_ns);
    }
    if (path->reports_only) {
        s->most_flight = path->sent_bps * s->rtt_s / 8.0;
        acked->bytes = fmin(acked->bytes, s->window);
    }
}

/* "Clock drift issues and remedies", each round-trip time. */
static void reset_base(struct scream *s, int64_t now_ns)
{
    struct scream_signs *signs = &s->signs;
    if (signs->least_queue_s < INFINITY) {
        signs->standing_s += QDELAY_MIN_GAIN * (signs->least_queue_s - signs->standing_s);
        signs->least_queue_s = INFINITY;
    }
    if (s->param[SCREAM_BASE_RESET] > 0.5 && signs->standing_s > qdelay_target_s(s) / 4.0) {
        signs->standing_s = 0.0;
        signs->half_until_ns = now_ns + (int64_t)(1e9 * fmax(5.0 * s->rtt_s, 0.2));
        weir__delay_history_restart_base(&s->history);
        s->n_resets += 1.0;
    }
}

static void turn_round(struct scream *s, const struct weir_path *path, int64_t now_ns)
{
    if (elapsed_s(s->round_ns, now_ns) < s->rtt_s) {
        return;
    }
    s->most_flight_before = s->most_flight;
    s->most_flight = s->reports_only ? s->most_flight : (double)path->in_flight_bytes;
    s->policed_window = fmin(s->policed_window * (1.0 + POLICED_GROWTH), MOST_BYTES);
    s->round_ns = now_ns;
    reset_base(s, now_ns);
}

/* "Link layer losses and rate policers": losses without a queue are the link's, up to a ratio; far
 * above it they are a policer's. */
static bool is_loss_answered(struct scream *s)
{
    bool is_empty = s->signs.mean_queue_s < qdelay_target_s(s) / 4.0;
    bool is_rare = s->signs.loss_ratio <= s->param[SCREAM_LOSS_THRESHOLD];
    if (!s->signs.lost) {
        return false;
    }
    if (is_empty && s->signs.loss_ratio > s->param[SCREAM_POLICER_THRESHOLD]) {
        s->policed_window = s->window * BETA_POLICER;
    }
    return s->param[SCREAM_LOSS_THRESHOLD] <= 0.0 || !is_rare || !is_empty;
}

/* "Reference window undershoot at congestion": the round-trip time has lowered the target already.
 */
static double low_target_share(const struct scream *s, const struct weir_path *path)
{
    bool is_low = s->rate_bps < path->delivered_bps * s->param[SCREAM_LOW_TARGET];
    return is_low ? LOW_TARGET_SHARE : 1.0;
}

/* "Reference Window Reduction", L4S mode. */
static void answer_marks(struct scream *s, const struct weir_path *path, double distance,
                         int64_t now_ns)
{
    double back_off = weir__scream_back_off(s->signs.alpha, s->rtt_s, virtual_rtt_s(s));
    back_off *= low_target_share(s, path);
    if (s->signs.queue_s < 0.25 * qdelay_target_s(s)) {
        back_off *= fmax(0.25, distance) * fmax(0.25, steadiness(s));
    }
    double round_s = fmax(virtual_rtt_s(s), s->rtt_s);
    if (elapsed_s(s->reacted_ns, now_ns) > LONG_AGO_RTTS * round_s) {
        s->window = fmin(s->window, s->most_flight_before);
    }
    s->window *= 1.0 - back_off;
    s->n_marks += 1.0;
}

/* The same for a delay, as if it were marks. */
static void answer_delay(struct scream *s, const struct weir_path *path)
{
    double alpha = weir__scream_virtual_alpha(s->signs.mean_queue_s, qdelay_target_s(s));
    double back_off = weir__scream_back_off(alpha, s->rtt_s, virtual_rtt_s(s));
    s->window *= 1.0 - back_off * low_target_share(s, path);
    s->n_delays += 1.0;
}

/* ref_wnd_i is where congestion was met: once per growth, not at each of several reactions. */
static void note_inflection(struct scream *s)
{
    if (s->moves_inflection) {
        s->inflection = s->window;
        s->moves_inflection = false;
    }
}

/* "Reference Window Reduction": at most once per round trip or virtual one, whichever is shorter,
 * as what marks and delays take is spread over as many; losses, and marks without L4S, take all at
 * once, and so once per round trip. */
static void reduce(struct scream *s, const struct weir_path *path, double distance, int64_t now_ns)
{
    if (elapsed_s(s->reacted_ns, now_ns) < fmin(virtual_rtt_s(s), s->rtt_s)) {
        return;
    }
    bool is_new_round = elapsed_s(s->reacted_ns, now_ns) >= s->rtt_s;
    bool lost = is_new_round && is_loss_answered(s);
    bool marked = !s->signs.lost && s->signs.marked && (s->is_l4s || is_new_round);
    bool delayed = !lost && !marked && s->signs.mean_queue_s > qdelay_target_s(s) / 2.0;
    s->signs.lost = s->signs.marked = false;
    if (!lost && !marked && !delayed) {
        return;
    }
    note_inflection(s);
    if (lost) {
        s->window *= s->param[SCREAM_BETA_LOSS];
        s->n_losses += 1.0;
    } else if (delayed) {
        answer_delay(s, path);
    } else if (s->is_l4s) {
        answer_marks(s, path, distance, now_ns);
    } else {
        s->window *= s->param[SCREAM_BETA_ECN];
        s->n_marks += 1.0;
    }
    s->window = fmax(s->window, s->param[SCREAM_MIN_REF_WND]);
    s->reacted_ns = now_ns;
    s->congested_ns = now_ns;
}

/* "Reference Window Increase": not far above what is in flight, and not at the maximum bitrate. */
static void increase(struct scream *s, const struct acked *acked, double distance, int64_t now_ns)
{
    double round_s = fmax(virtual_rtt_s(s), s->rtt_s);
    double since = elapsed_s(s->congested_ns, now_ns) / round_s;
    struct weir__scream_growth growth = {.mss = s->mss,
                                         .rtt_s = s->rtt_s,
                                         .virtual_rtt_s = virtual_rtt_s(s),
                                         .distance = distance,
                                         .post_congestion =
                                             fmin(1.0, since / s->param[SCREAM_POST_CONGESTION]),
                                         .mul_increase = s->param[SCREAM_MUL_INCREASE]};
    double increment = weir__scream_increment(s->window, acked->bytes - acked->bytes_ce, &growth);
    double grown = s->window + increment * fmax(0.1, steadiness(s));
    double allowed =
        s->mss + fmax(s->most_flight, s->most_flight_before) * s->param[SCREAM_HEADROOM];
    if (grown > s->window && grown <= allowed && s->rate_bps < (double)s->limits.max_bps) {
        s->window = grown;
        s->moves_inflection = true;
    }
    s->window = fmin(s->window, s->policed_window);
}

static void move_window(struct scream *s, const struct weir_path *path, const struct acked *acked,
                        int64_t now_ns)
{
    double distance = weir__scream_distance(s->window, s->inflection);
    reduce(s, path, distance, now_ns);
    increase(s, acked, distance, now_ns);
    set_rate(s, now_ns);
}

/* A sign of life: what silence took stays taken, from the window. */
static void end_silence(struct scream *s)
{
    s->window = fmax(s->window * s->share, s->param[SCREAM_MIN_REF_WND]);
    s->share = 1.0;
}

static void scream_on_feedback(void *state, const struct weir_path *path,
                               const struct weir_feedback *feedback)
{
    struct scream *s = state;
    int64_t now_ns = feedback->now_ns;
    take_path(s, path);
    if (!s->has_started && path->rtt.has_sample) {
        start(s, now_ns);
    }
    struct acked acked = take_packets(s, feedback);
    if (acked.arrived) {
        end_silence(s);
    }
    if (!take_delays(s, feedback) && acked.arrived) {
        take_reports(s, path, &acked, now_ns);
    }
    update_alpha(s, now_ns);
    turn_round(s, path, now_ns);
    if (s->has_started) {
        move_window(s, path, &acked, now_ns);
    }
}

static void scream_on_packet_sent(void *state, const struct weir_path *path,
                                  const struct weir_sent_packet *sent)
{
    (void)path;
    struct scream *s = state;
    if (!s->reports_only) {
        s->most_flight = fmax(s->most_flight, (double)sent->in_flight_bytes);
    }
}

static void scream_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    (void)now_ns;
    struct scream *s = state;
    s->share = fmax(s->share / 2.0, 1e-9);
}

static void scream_init(void *state, const struct weir_config *config)
{
    struct scream *s = state;
    memset(s, 0, sizeof(*s));
    memcpy(s->param, config->params, sizeof(s->param));
    s->limits = config->limits;
    s->mss = fmax((double)config->packet_bytes, 1.0);
    s->rtt_s = 0.5;
    s->rate_bps = start_bps(s);
    forget_path(s, config->now_ns);
}

/* A new path: as at the start. */
static void scream_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    struct scream *s = state;
    forget_path(s, now_ns);
    s->rate_bps = fmin(s->rate_bps, start_bps(s));
}

static void scream_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    struct scream *s = state;
    bool untouched = !s->has_started && s->rate_bps == start_bps(s);
    s->limits = *limits;
    if (untouched) {
        s->rate_bps = start_bps(s);
    }
    if (s->has_started) {
        set_rate(s, now_ns);
    }
}

/* In silence nothing is blocked: what is in flight is not known any more, and the rate falls. */
static int64_t window_bytes(const struct scream *s)
{
    if (!s->has_started || s->reports_only || s->share < 1.0) {
        return WEIR_UNLIMITED_BYTES;
    }
    double most = s->param[SCREAM_OVERHEAD];
    double overhead = most + (1.0 - steadiness(s)) * (fmin(OVERHEAD_MIN, most) - most);
    return (int64_t)fmin(fmax(s->window * overhead, s->mss), MOST_BYTES);
}

static double pacing_bps(const struct scream *s)
{
    double pace = fmax(RATE_PACE_MIN_BPS, s->rate_bps) * s->param[SCREAM_PACING];
    return pace * weir__scream_relaxed(s->rate_bps, (double)s->limits.max_bps,
                                       s->param[SCREAM_RELAXED_PACING]);
}

static void scream_get_output(const void *state, struct weir_control *control)
{
    const struct scream *s = state;
    *control = (struct weir_control){
        .rate_bps = (int64_t)(s->rate_bps * s->share),
        .pacing_bps = (int64_t)(pacing_bps(s) * s->share),
        .window_bytes = window_bytes(s),
        .state = s->has_started ? 0u : (unsigned)WEIR_STATE_STARTING,
    };
}

static void scream_get_variables(const void *state, struct weir_variables *to)
{
    const struct scream *s = state;
    weir_tell(to, "ref_wnd_bytes", s->window);
    weir_tell(to, "inflection_bytes", s->inflection);
    weir_tell(to, "max_in_flight_bytes", fmax(s->most_flight, s->most_flight_before));
    weir_tell(to, "queue_ns", s->signs.queue_s * 1e9);
    weir_tell(to, "mean_queue_ns", s->signs.mean_queue_s * 1e9);
    weir_tell(to, "standing_queue_ns", s->signs.standing_s * 1e9);
    weir_tell(to, "steadiness", steadiness(s));
    weir_tell(to, "l4s_alpha", s->signs.alpha);
    weir_tell(to, "loss_ratio", s->signs.loss_ratio);
    weir_tell(to, "rtt_ns", s->rtt_s * 1e9);
    weir_tell(to, "loss_reactions", s->n_losses);
    weir_tell(to, "mark_reactions", s->n_marks);
    weir_tell(to, "delay_reactions", s->n_delays);
    weir_tell(to, "base_resets", s->n_resets);
}

const struct weir_controller weir_scream = {
    .name = "scream",
    .description = "SCReAM v2: a reference window moved by losses, ECN marks and queueing delay.",
    .spec = "draft-ietf-ccwg-rfc8298bis-screamv2-01",
    .for_live_media = true,
    .needs = WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS | WEIR_HAS_REPORT_FORM | WEIR_ANSWERS_L4S,
    .state_bytes = sizeof(struct scream),
    .params = scream_params,
    .n_params = SCREAM_N_PARAMS,
    .init = scream_init,
    .on_packet_sent = scream_on_packet_sent,
    .on_feedback = scream_on_feedback,
    .on_silence = scream_on_silence,
    .on_path_change = scream_on_path_change,
    .set_limits = scream_set_limits,
    .get_output = scream_get_output,
    .get_variables = scream_get_variables,
};
