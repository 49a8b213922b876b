/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Toutain's scheme: the round-trip time says early whether the rate should go up or down, a model
 * of TCP's rate how far. Specification: F. Toutain, "TCP-friendly point-to-point video-like source
 * rate control", Packet Video 1999, as retold by Ait-Hellal, Yamamoto and Leduc; the original was
 * not at hand. Needs: losses and RTT once per report. Differs from the specification:
 *   - The prediction is made here, not at the receiver.
 *   - The thresholds, the step K and the way the two rates are combined are not determined by what
 *     is known: one threshold, a share of the way from the least to the greatest RTT of the last
 *     minute; K a share of the mean received rate; the smaller of the two rates above the
 *     threshold, their mean below.
 *   - The model is TCP-Friend of cbraa.c: without loss the formula has no value, and what TCP gains
 *     in half of the time is added to the rate.
 *   - Profile product: the threshold is at least 5 ms above the least RTT.
 *   - Without reports, limited sources, steps, few packets: see rtcp_flow.h. */
#include <math.h>

#include "controllers/cbraa_law.h"
#include "controllers/rtcp_flow.h"

#define RTT_GRAIN_S 0.005
#define RTT_GAIN    0.125
#define N_BUCKETS   6

enum { PARAM_K_SHARE = N_RTCP_PARAMS, PARAM_THRESHOLD, PARAM_WINDOW, N_TOUTAIN_PARAMS };

static const struct weir_param toutain_params[N_TOUTAIN_PARAMS] = {
    RTCP_FLOW_PARAMS,
    [PARAM_K_SHARE] =
        WEIR_ROW_NUMBER("k-share", "1", 0.001, 0.5, 0.05,
                        "K, the step of the prediction, as a share of the mean received rate."),
    [PARAM_THRESHOLD] = WEIR_ROW_NUMBER(
        "threshold", "1", 0.0, 1.0, 0.5,
        "Where the threshold lies between the smallest and the largest recent round-trip time."),
    [PARAM_WINDOW] = WEIR_ROW_NUMBER("window", "s", 1.0, 600.0, 60.0,
                                     "How long round-trip times are remembered for the threshold."),
};

/* Extremes of the RTT in a part of the window. */
struct rtt_bucket {
    int64_t since_ns;
    double least_s;
    double greatest_s;
};

struct toutain {
    struct weir__rtcp_flow flow;
    double k_share;
    double threshold_share;
    int64_t bucket_ns;
    struct rtt_bucket buckets[N_BUCKETS]; /* oldest first */
    size_t n_buckets;
    double threshold_s; /* newest; 0 before the first */
    double predicted;   /* newest prediction and model, bytes/s */
    double model;
};
WEIR_DEFINE_STATE(struct toutain);

static void toutain_forget(void *state)
{
    struct toutain *toutain = state;
    toutain->n_buckets = 0;
    toutain->threshold_s = 0.0;
    toutain->predicted = 0.0;
    toutain->model = 0.0;
}

static void drop_old_buckets(struct toutain *toutain, int64_t now_ns)
{
    size_t n_old = 0;
    while (n_old < toutain->n_buckets &&
           now_ns - toutain->buckets[n_old].since_ns >= N_BUCKETS * toutain->bucket_ns) {
        n_old++;
    }
    toutain->n_buckets -= n_old;
    for (size_t i = 0; i < toutain->n_buckets; i++) {
        toutain->buckets[i] = toutain->buckets[i + n_old];
    }
}

static void note_rtt(struct toutain *toutain, int64_t now_ns, double rtt_s)
{
    drop_old_buckets(toutain, now_ns);
    struct rtt_bucket *last = &toutain->buckets[toutain->n_buckets - (toutain->n_buckets > 0)];
    if (toutain->n_buckets > 0 && now_ns - last->since_ns < toutain->bucket_ns) {
        last->least_s = fmin(last->least_s, rtt_s);
        last->greatest_s = fmax(last->greatest_s, rtt_s);
        return;
    }
    toutain->buckets[toutain->n_buckets++] =
        (struct rtt_bucket){.since_ns = now_ns, .least_s = rtt_s, .greatest_s = rtt_s};
}

static double threshold_s(const struct toutain *toutain)
{
    double least_s = toutain->buckets[0].least_s;
    double greatest_s = toutain->buckets[0].greatest_s;
    for (size_t i = 1; i < toutain->n_buckets; i++) {
        least_s = fmin(least_s, toutain->buckets[i].least_s);
        greatest_s = fmax(greatest_s, toutain->buckets[i].greatest_s);
    }
    double grain_s = toutain->flow.paper_rules ? 0.0 : RTT_GRAIN_S;
    return least_s + fmax(toutain->threshold_share * (greatest_s - least_s), grain_s);
}

/* Bytes/s that arrived. What was sent in the first round-trip time of the first report was not
 * heard of before its end. */
static double received_rate(const struct toutain *toutain,
                            const struct weir__report_summary *report, bool is_first)
{
    const struct weir__rtcp_flow *flow = &toutain->flow;
    double interval_s = (double)report->interval_ns * 1e-9;
    double heard_s = is_first ? fmax(interval_s - flow->rtt_s, 0.5 * interval_s) : interval_s;
    double arrived = (double)(report->expected_packets - report->lost_packets);
    return arrived * flow->packet_bytes / heard_s;
}

/* What TCP-Friend would answer, bytes/s. */
static double model_rate(const struct weir__rtcp_flow *flow)
{
    if (flow->loss > 0.0) {
        return flow->packet_bytes * weir__cbraa_tcp_rate(WEIR__CBRAA_C, flow->rtt_s, flow->loss);
    }
    double gain = weir__cbraa_friend_increase(weir__rtcp_flow_interval_s(flow), flow->rtt_s);
    return flow->rate + flow->packet_bytes * gain;
}

static void toutain_answer(void *state, const struct weir__report_summary *report)
{
    struct toutain *toutain = state;
    struct weir__rtcp_flow *flow = &toutain->flow;
    bool is_first = toutain->n_buckets == 0;
    weir__rtcp_flow_smooth_rtt(flow, report, RTT_GAIN);
    double rtt_s = report->rtt_ns == WEIR_UNKNOWN_NS ? flow->rtt_s : (double)report->rtt_ns * 1e-9;
    note_rtt(toutain, report->now_ns, rtt_s);
    toutain->threshold_s = threshold_s(toutain);
    bool is_above = rtt_s > toutain->threshold_s;
    double received = received_rate(toutain, report, is_first);
    double k = toutain->k_share * received;
    toutain->predicted = is_above ? received - k : received + k;
    toutain->model = model_rate(flow);
    if (is_above) {
        weir__rtcp_flow_set_rate(flow, fmin(toutain->predicted, toutain->model));
    } else if (flow->loss > 0.0 || weir__rtcp_flow_may_increase(flow)) {
        weir__rtcp_flow_set_rate(flow, 0.5 * (toutain->predicted + toutain->model));
    }
}

static const struct weir__rtcp_flow_rules toutain_rules = {.answer = toutain_answer,
                                                           .forget = toutain_forget};

static void toutain_init(void *state, const struct weir_config *config)
{
    struct toutain *toutain = state;
    weir__rtcp_flow_init(&toutain->flow, &toutain_rules, config);
    toutain->k_share = config->params[PARAM_K_SHARE];
    toutain->threshold_share = config->params[PARAM_THRESHOLD];
    toutain->bucket_ns = (int64_t)(config->params[PARAM_WINDOW] * 1e9) / N_BUCKETS;
    toutain_forget(toutain);
}

static void toutain_get_variables(const void *state, struct weir_variables *to)
{
    const struct toutain *toutain = state;
    weir__rtcp_flow_get_variables(state, to);
    weir_tell(to, "rtt_threshold_ns", toutain->threshold_s * 1e9);
    weir_tell(to, "predicted_bytes_per_s", toutain->predicted);
    weir_tell(to, "model_bytes_per_s", toutain->model);
}

const struct weir_controller weir_toutain = {
    .name = "toutain",
    .description = "A threshold of the round-trip time, combined with the rate that TCP would get.",
    .spec = "Toutain 1999",
    .state_bytes = sizeof(struct toutain),
    .params = toutain_params,
    .n_params = N_TOUTAIN_PARAMS,
    .init = toutain_init,
    WEIR__RTCP_FLOW_EVENTS,
    .on_feedback = weir__rtcp_flow_on_feedback,
    .get_variables = toutain_get_variables,
};
