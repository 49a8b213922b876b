/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CBRAA: the rate moves towards what a TCP gets whose losses are as far apart as one cycle of its
 * window; and TCP-Friend, the plain formula that CBRAA is compared with.
 * Specification: O. Ait-Hellal, L. Yamamoto, G. Leduc, "Cycle-based TCP-Friendly algorithm".
 * Needs: losses and RTT once per report; receiver reports or any feedback (rtcp_flow.h).
 * Differs from the specification:
 *   - Where text and pseudo-code (figure 3) contradict each other: the conditions are 0.5 and 1.5
 *     times Loss_th (the text divides), R of (5) is srtt, its loss the smoothed one, the weight of
 *     the averages uses the cycle computed at the report before.
 *   - First report: srtt and Loss are its values.
 *   - Loss comes from counters: the 8 bits of a receiver report cannot tell 0.17 %, which is right
 *     for 250 packets/s at 120 ms.
 *   - alpha is at least 0.01, so that (5) is finite without loss.
 *   - Profile product: Loss_th is at most 1, Rate_th within a factor of 2 of Rate, never below it
 *     in an increase, never above it in a decrease ((5) is up to twice too high below two packets
 *     per round-trip time).
 *   - Without reports, limited sources, few packets: see rtcp_flow.h and
 * estimators/virtual_report.h.
 *   - TCP-Friend: the average of R is the reader's choice (rtt-gain). */
#include "controllers/cbraa_law.h"
#include "controllers/rtcp_flow.h"

#define AVERAGE_GAIN_MAX 0.95

enum { PARAM_ALPHA = N_RTCP_PARAMS, PARAM_BETA, PARAM_GAMMA, PARAM_LOSS_EVENTS, N_CBRAA_PARAMS };

static const struct weir_param cbraa_params[N_CBRAA_PARAMS] = {
    RTCP_FLOW_PARAMS,
    [PARAM_ALPHA] = WEIR_ROW_NUMBER("alpha", "1", 0.01, 1.0, 0.5,
                                    "Weight of the ideal loss in an increase; larger is slower."),
    [PARAM_BETA] = WEIR_ROW_NUMBER("beta", "1", 0.0, 1.0, 0.5,
                                   "Weight of the ideal loss in a decrease; larger is slower."),
    [PARAM_GAMMA] = WEIR_ROW_NUMBER("gamma", "1", 0.0, 0.95, 0.3,
                                    "Weight of the old rate in the new one; larger is slower."),
    [PARAM_LOSS_EVENTS] = WEIR_ROW_SWITCH(
        "loss-events", false, "Count the losses within one round-trip time as one, as TCP does."),
};

struct cbraa {
    struct weir__rtcp_flow flow;
    struct weir__cbraa_law law;
    bool counts_events;
    bool has_average;
    double loss;    /* moving average over a cycle */
    double cycle_s; /* as of the newest report */
};
WEIR_DEFINE_STATE(struct cbraa);

static void cbraa_forget(void *state)
{
    struct cbraa *cbraa = state;
    cbraa->has_average = false;
    cbraa->loss = 0.0;
    cbraa->cycle_s = 0.0;
}

static double packets_per_s(const struct weir__rtcp_flow *flow)
{
    return flow->rate / flow->packet_bytes;
}

/* WMA_factor, srtt, Loss and Cycle of figure 3. */
static void take_averages(struct cbraa *cbraa, const struct weir__report_summary *report)
{
    struct weir__rtcp_flow *flow = &cbraa->flow;
    double lost = (double)(cbraa->counts_events ? report->loss_events : report->lost_packets);
    double gain = 1.0;
    if (cbraa->has_average) {
        gain = fmin(weir__rtcp_flow_interval_s(flow) / cbraa->cycle_s, AVERAGE_GAIN_MAX);
    }
    weir__rtcp_flow_smooth_rtt(flow, report, gain);
    cbraa->loss += (lost / (double)report->expected_packets - cbraa->loss) * gain;
    cbraa->cycle_s = weir__cbraa_cycle_s(packets_per_s(flow), flow->rtt_s);
    cbraa->has_average = true;
}

/* The rest of figure 3. */
static void cbraa_answer(void *state, const struct weir__report_summary *report)
{
    struct cbraa *cbraa = state;
    struct weir__rtcp_flow *flow = &cbraa->flow;
    take_averages(cbraa, report);
    double rate = weir__cbraa_step(&cbraa->law, packets_per_s(flow), flow->rtt_s, cbraa->loss);
    if (rate < packets_per_s(flow)) {
        double from = weir__rtcp_flow_decrease_from(flow) / flow->packet_bytes;
        rate = fmin(weir__cbraa_step(&cbraa->law, from, flow->rtt_s, cbraa->loss), rate);
    }
    weir__rtcp_flow_set_rate(flow, rate * flow->packet_bytes);
}

static const struct weir__rtcp_flow_rules cbraa_rules = {.answer = cbraa_answer,
                                                         .forget = cbraa_forget};

static void cbraa_init(void *state, const struct weir_config *config)
{
    struct cbraa *cbraa = state;
    weir__rtcp_flow_init(&cbraa->flow, &cbraa_rules, config);
    cbraa->law = (struct weir__cbraa_law){.alpha = config->params[PARAM_ALPHA],
                                          .beta = config->params[PARAM_BETA],
                                          .gamma = config->params[PARAM_GAMMA],
                                          .limited = !cbraa->flow.paper_rules};
    cbraa->counts_events = config->params[PARAM_LOSS_EVENTS] != 0.0;
    cbraa_forget(cbraa);
}

static void cbraa_get_variables(const void *state, struct weir_variables *to)
{
    const struct cbraa *cbraa = state;
    const struct weir__rtcp_flow *flow = &cbraa->flow;
    weir__rtcp_flow_get_variables(state, to);
    weir_tell(to, "mean_loss_ratio", cbraa->loss);
    weir_tell(to, "ideal_loss_ratio", weir__cbraa_loss_threshold(packets_per_s(flow), flow->rtt_s));
    weir_tell(to, "cycle_ns", cbraa->cycle_s * 1e9);
}

const struct weir_controller weir_cbraa = {
    .name = "cbraa",
    .description =
        "Smooth and fair to TCP from RTCP reports alone, based on the cycle of TCP's window.",
    .spec = "Ait-Hellal, Yamamoto, Leduc 1999",
    .state_bytes = sizeof(struct cbraa),
    .params = cbraa_params,
    .n_params = N_CBRAA_PARAMS,
    .init = cbraa_init,
    WEIR__RTCP_FLOW_EVENTS,
    .on_feedback = weir__rtcp_flow_on_feedback,
    .get_variables = cbraa_get_variables,
};

enum { PARAM_CONSTANT = N_RTCP_PARAMS, PARAM_RTT_GAIN, N_FRIEND_PARAMS };

static const struct weir_param friend_params[N_FRIEND_PARAMS] = {
    RTCP_FLOW_PARAMS,
    [PARAM_CONSTANT] = WEIR_ROW_NUMBER("constant", "1", 0.1, 2.0, WEIR__CBRAA_C,
                                       "C of the formula; 1.22 and 1.30 have also been used."),
    [PARAM_RTT_GAIN] = WEIR_ROW_NUMBER("rtt-gain", "1", 0.01, 1.0, 0.125,
                                       "Weight of a report's round-trip time in the mean."),
};

struct tcp_friend {
    struct weir__rtcp_flow flow;
    double constant;
    double rtt_gain;
};
WEIR_DEFINE_STATE(struct tcp_friend);

/* Sections 2.2 and 3.2. The formula is used beyond its range too (loss above 0.16). */
static void friend_answer(void *state, const struct weir__report_summary *report)
{
    struct tcp_friend *mine = state;
    struct weir__rtcp_flow *flow = &mine->flow;
    weir__rtcp_flow_smooth_rtt(flow, report, mine->rtt_gain);
    double rate = packets_per_s(flow);
    if (flow->loss > 0.0) {
        rate = weir__cbraa_tcp_rate(mine->constant, flow->rtt_s, flow->loss);
    } else {
        rate += weir__cbraa_friend_increase(weir__rtcp_flow_interval_s(flow), flow->rtt_s);
    }
    weir__rtcp_flow_set_rate(flow, rate * flow->packet_bytes);
}

static const struct weir__rtcp_flow_rules friend_rules = {.answer = friend_answer};

static void friend_init(void *state, const struct weir_config *config)
{
    struct tcp_friend *mine = state;
    weir__rtcp_flow_init(&mine->flow, &friend_rules, config);
    mine->constant = config->params[PARAM_CONSTANT];
    mine->rtt_gain = config->params[PARAM_RTT_GAIN];
}

const struct weir_controller weir_tcp_friend = {
    .name = "tcp-friend",
    .description = "The square-root formula of TCP's rate, unsmoothed, at every RTCP report.",
    .spec = "Ait-Hellal, Yamamoto, Leduc 1999, after Mathis et al. 1997",
    .state_bytes = sizeof(struct tcp_friend),
    .params = friend_params,
    .n_params = N_FRIEND_PARAMS,
    .init = friend_init,
    WEIR__RTCP_FLOW_EVENTS,
    .on_feedback = weir__rtcp_flow_on_feedback,
    .get_variables = weir__rtcp_flow_get_variables,
};
