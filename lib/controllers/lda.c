/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LDA and LDA+, the loss-delay based adjustment algorithms: additive increase that slows down as
 * the bottleneck fills, multiplicative decrease by the loss, once per receiver report.
 * Specification: D. Sisalem, H. Schulzrinne, NOSSDAV 1998 (variant lda); D. Sisalem, A. Wolisz 2000
 * (variant lda-plus); as retold in other papers, the originals were not at hand.
 * Needs: losses and RTT once per report; arrival times of packets make the bottleneck known.
 * Differs from the specification:
 *   - The bottleneck's bandwidth is a parameter, or the median of packet pairs seen in per-packet
 *     feedback: two packets that left at most 0.5 ms apart. It is never less than the rate at which
 *     packets arrived. From reports alone, and 10 s after the last pair, it is not known, and the
 *     maximum bitrate stands for it.
 *   - The additive increase is per report as in the papers, where reports come every 5 s.
 *   - The report's own loss decides between increase and decrease; how far down follows the average
 *     loss, which would never come back to 0.
 *   - Variant lda-plus: a loss sends the increase back to its first value. In both variants the
 *     increase that the next one is computed from is at least the first value: A_exp is 0 on a full
 *     bottleneck, and an increase of 0 would stay 0.
 *   - Without reports, limited sources, steps, few packets: see rtcp_flow.h. */
#include "controllers/lda_law.h"
#include "controllers/rtcp_flow.h"
#include "estimators/tcp_equation.h"

#define PAIR_SENT_MAX_NS WEIR_US(500)
#define PAIR_STRETCH_MIN 2
#define N_PAIRS          7
#define N_PAIRS_MIN      5
#define FAST_BPS         1e12             /* a pair that was not stretched */
#define PAIRS_LAST_NS    WEIR_SECONDS(10) /* two of the papers' report intervals */

enum {
    PARAM_VARIANT = N_RTCP_PARAMS,
    PARAM_INITIAL_AIR,
    PARAM_REDUCTION_FACTOR,
    PARAM_BOTTLENECK_BPS,
    PARAM_LOSS_GAIN,
    N_LDA_PARAMS
};
enum { VARIANT_LDA, VARIANT_LDA_PLUS };

static const struct weir_param lda_params[N_LDA_PARAMS] = {
    RTCP_FLOW_PARAMS,
    [PARAM_VARIANT] =
        WEIR_ROW_CHOICE("variant", 0, "LDA of 1998 or LDA+ of 2000.", "lda", "lda-plus"),
    [PARAM_INITIAL_AIR] = WEIR_ROW_NUMBER("initial-air", "bit/s", 1.0, 1e9, 10000.0,
                                          "First additive increase per report, and after a loss."),
    [PARAM_REDUCTION_FACTOR] = WEIR_ROW_NUMBER(
        "reduction-factor", "1", 1.0, 10.0, 3.0,
        "In variant lda the rate falls by this times the loss ratio; 2 to 5 are usual."),
    [PARAM_BOTTLENECK_BPS] = WEIR_ROW_NUMBER("bottleneck-bps", "bit/s", 0.0, 1e11, 0.0,
                                             "Bandwidth of the bottleneck; 0 = from packet pairs."),
    [PARAM_LOSS_GAIN] = WEIR_ROW_NUMBER("loss-gain", "1", 0.01, 1.0, 0.3,
                                        "Weight of a report in the average loss; 1 = no average."),
};

/* The bottleneck's bandwidth by packet pairs. Zero-initialise. */
struct packet_pairs {
    int64_t last_seq;
    int64_t last_sent_ns;
    int64_t last_arrived_ns;
    bool has_last;
    double newest_bps[N_PAIRS]; /* a ring */
    uint32_t n;
    int64_t newest_ns; /* when the newest pair left */
};

struct lda {
    struct weir__rtcp_flow flow;
    bool is_plus;
    double initial_air_bps;
    double reduction_factor;
    double bottleneck_bps; /* parameter; 0 = packet pairs */
    double loss_gain;
    double air_bps; /* newest additive increase */
    double loss;    /* average */
    bool has_average;
    struct packet_pairs pairs;
};
WEIR_DEFINE_STATE(struct lda);

static void lda_forget(void *state)
{
    struct lda *lda = state;
    lda->air_bps = lda->initial_air_bps;
    lda->loss = 0.0;
    lda->has_average = false;
    lda->pairs = (struct packet_pairs){0};
}

/* The bottleneck stretches packets that left together to the time that one of them takes. */
static void note_pair(struct packet_pairs *pairs, const struct weir_packet_report *packet)
{
    int64_t sent_ns = packet->sent_ns - pairs->last_sent_ns;
    int64_t arrived_ns = packet->arrived_ns - pairs->last_arrived_ns;
    if (pairs->has_last && packet->seq == pairs->last_seq + 1 && sent_ns <= PAIR_SENT_MAX_NS) {
        double bits = 8.0 * (double)packet->wire_bytes;
        bool stretched = arrived_ns > PAIR_STRETCH_MIN * sent_ns;
        pairs->newest_bps[pairs->n % N_PAIRS] =
            stretched ? bits / ((double)arrived_ns * 1e-9) : FAST_BPS;
        pairs->n++;
        pairs->newest_ns = packet->sent_ns;
    }
    pairs->has_last = true;
    pairs->last_seq = packet->seq;
    pairs->last_sent_ns = packet->sent_ns;
    pairs->last_arrived_ns = packet->arrived_ns;
}

static void note_pairs(struct packet_pairs *pairs, const struct weir_feedback *feedback)
{
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status == WEIR_PACKET_RECEIVED && packet->arrived_ns != WEIR_UNKNOWN_NS) {
            note_pair(pairs, packet);
        }
    }
}

/* A paced flow may make no pairs: what they told of a path before would then hold the rate there
 * for ever, whatever the path has become. */
static void forget_old_pairs(struct packet_pairs *pairs, int64_t now_ns)
{
    if (now_ns - pairs->newest_ns > PAIRS_LAST_NS) {
        pairs->n = 0;
    }
}

/* The median of the newest pairs; 0 = too few. */
static double pairs_median_bps(const struct packet_pairs *pairs)
{
    double sorted[N_PAIRS];
    uint32_t count = pairs->n < N_PAIRS ? pairs->n : N_PAIRS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > pairs->newest_bps[i]; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = pairs->newest_bps[i];
    }
    return count < N_PAIRS_MIN ? 0.0 : sorted[count / 2];
}

/* b. */
static double bottleneck_bps(const struct lda *lda, const struct weir__report_summary *report)
{
    double median_bps = pairs_median_bps(&lda->pairs);
    double arrived = (double)(report->expected_packets - report->lost_packets);
    double arrived_bps =
        8.0 * arrived * (double)report->packet_bytes / ((double)report->interval_ns * 1e-9);
    if (lda->bottleneck_bps > 0.0) {
        return lda->bottleneck_bps;
    }
    return median_bps > 0.0 ? fmax(median_bps, arrived_bps) : 8.0 * lda->flow.max;
}

/* The additive increase of this report, bit/s. */
static double increase_bps(const struct lda *lda, double rate_bps, double bottleneck)
{
    const struct weir__rtcp_flow *flow = &lda->flow;
    double interval_s = weir__rtcp_flow_interval_s(flow);
    double free_share = weir__lda_free_share(rate_bps, bottleneck);
    double before_bps = fmax(lda->air_bps, lda->initial_air_bps);
    if (lda->is_plus) {
        return weir__lda_plus_increase(
            weir__lda_plus_add(before_bps, free_share), weir__lda_plus_exp(rate_bps, free_share),
            weir__lda_plus_tcp(interval_s, flow->rtt_s, flow->packet_bytes));
    }
    return weir__lda_increase(before_bps, free_share,
                              weir__lda_tcp_gain(interval_s, flow->rtt_s, flow->packet_bytes));
}

static double decreased_bps(const struct lda *lda)
{
    const struct weir__rtcp_flow *flow = &lda->flow;
    double from_bps = 8.0 * weir__rtcp_flow_decrease_from(flow);
    if (!lda->is_plus) {
        return weir__lda_decrease(from_bps, lda->loss, lda->reduction_factor);
    }
    struct weir__tcp_equation equation = weir__tcp_equation_rfc();
    double tcp = weir__tcp_equation_rate(&equation, flow->packet_bytes, flow->rtt_s, lda->loss);
    return weir__lda_plus_decrease(from_bps, lda->loss, 8.0 * tcp);
}

static void lda_answer(void *state, const struct weir__report_summary *report)
{
    struct lda *lda = state;
    struct weir__rtcp_flow *flow = &lda->flow;
    double rate_bps = 8.0 * flow->rate;
    forget_old_pairs(&lda->pairs, report->now_ns);
    double bottleneck = bottleneck_bps(lda, report);
    weir__rtcp_flow_smooth_rtt(flow, report, 1.0);
    lda->loss += (flow->loss - lda->loss) * (lda->has_average ? lda->loss_gain : 1.0);
    lda->has_average = true;
    if (flow->loss > 0.0) {
        rate_bps = decreased_bps(lda);
        lda->air_bps = lda->initial_air_bps;
    } else if (weir__rtcp_flow_may_increase(flow)) {
        lda->air_bps = increase_bps(lda, rate_bps, bottleneck);
        rate_bps += lda->air_bps;
    }
    weir__rtcp_flow_set_rate(flow, fmin(rate_bps, bottleneck) / 8.0);
}

static const struct weir__rtcp_flow_rules lda_rules = {.answer = lda_answer, .forget = lda_forget};

static void lda_init(void *state, const struct weir_config *config)
{
    struct lda *lda = state;
    weir__rtcp_flow_init(&lda->flow, &lda_rules, config);
    lda->is_plus = config->params[PARAM_VARIANT] == (double)VARIANT_LDA_PLUS;
    lda->initial_air_bps = config->params[PARAM_INITIAL_AIR];
    lda->reduction_factor = config->params[PARAM_REDUCTION_FACTOR];
    lda->bottleneck_bps = config->params[PARAM_BOTTLENECK_BPS];
    lda->loss_gain = config->params[PARAM_LOSS_GAIN];
    lda_forget(lda);
}

static void lda_on_feedback(void *state, const struct weir_path *path,
                            const struct weir_feedback *feedback)
{
    struct lda *lda = state;
    note_pairs(&lda->pairs, feedback);
    weir__rtcp_flow_on_feedback(state, path, feedback);
}

static void lda_get_variables(const void *state, struct weir_variables *to)
{
    const struct lda *lda = state;
    double median_bps = pairs_median_bps(&lda->pairs);
    weir__rtcp_flow_get_variables(state, to);
    weir_tell(to, "mean_loss_ratio", lda->loss);
    weir_tell(to, "increase_bps", lda->air_bps);
    weir_tell(to, "bottleneck_bps", lda->bottleneck_bps > 0.0 ? lda->bottleneck_bps : median_bps);
}

const struct weir_controller weir_lda = {
    .name = "lda",
    .description = "Additive increase depending on the free share of the bottleneck, decrease "
                   "depending on the loss.",
    .spec = "Sisalem and Schulzrinne 1998, Sisalem and Wolisz 2000",
    .state_bytes = sizeof(struct lda),
    .params = lda_params,
    .n_params = N_LDA_PARAMS,
    .init = lda_init,
    WEIR__RTCP_FLOW_EVENTS,
    .on_feedback = lda_on_feedback,
    .get_variables = lda_get_variables,
};
