/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "controllers/rtcp_flow.h"

#include <math.h>

#define ASSUMED_RTT_S     0.5  /* reports without an echo, RFC 5348 4.2's guess */
#define PACKET_INTERVAL_S 64.0 /* never less than one packet in this time */
#define OVERDUE_FACTOR    0.5
#define STEP_FACTOR       2.0

enum { PROFILE_PRODUCT, PROFILE_PAPER };
enum { INITIAL_START_RATE, INITIAL_PAPER };

static void set_rate_within_limits(struct weir__rtcp_flow *flow, double rate)
{
    flow->rate = fmin(fmax(rate, flow->min), flow->max);
}

static void take_limits(struct weir__rtcp_flow *flow, const struct weir_limits *limits)
{
    flow->max = (double)limits->max_bps / 8.0;
    flow->min = fmin(fmax((double)limits->min_bps / 8.0, flow->packet_bytes / PACKET_INTERVAL_S),
                     flow->max);
    flow->start = flow->paper_start ? flow->paper_start_packets * flow->packet_bytes
                                    : (double)limits->start_bps / 8.0;
}

void weir__rtcp_flow_init(struct weir__rtcp_flow *flow, const struct weir__rtcp_flow_rules *rules,
                          const struct weir_config *config)
{
    const double *param = config->params;
    *flow = (struct weir__rtcp_flow){
        .rules = rules,
        .packet_bytes = fmax((double)config->packet_bytes, 1.0),
        .rtt_s = ASSUMED_RTT_S,
        .paper_rules = param[RTCP_PARAM_PROFILE] == (double)PROFILE_PAPER,
        .paper_start = param[RTCP_PARAM_INITIAL] == (double)INITIAL_PAPER,
        .paper_start_packets = param[RTCP_PARAM_INITIAL_RATE],
    };
    weir__virtual_report_init(&flow->reports, (int64_t)(param[RTCP_PARAM_REPORT_INTERVAL] * 1e9),
                              (int64_t)param[RTCP_PARAM_LEAST_PACKETS]);
    take_limits(flow, &config->limits);
    set_rate_within_limits(flow, flow->start);
}

void weir__rtcp_flow_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    (void)now_ns;
    struct weir__rtcp_flow *flow = state;
    weir__virtual_report_forget(&flow->reports);
    flow->rtt_s = ASSUMED_RTT_S;
    flow->has_rtt = false;
    flow->has_report = false;
    flow->has_loss = false;
    flow->loss = 0.0;
    flow->app_limited = false;
    set_rate_within_limits(flow, fmin(flow->rate, flow->start));
    if (flow->rules->forget) {
        flow->rules->forget(state);
    }
}

static void answer(struct weir__rtcp_flow *flow, const struct weir__report_summary *report)
{
    flow->has_report = true;
    flow->packet_bytes = (double)report->packet_bytes;
    flow->loss = (double)report->lost_packets / (double)report->expected_packets;
    flow->has_loss = flow->has_loss || report->lost_packets > 0;
    flow->app_limited = !report->network_limited;
    flow->sent = (double)report->sent_bytes / ((double)report->interval_ns * 1e-9);
    flow->rules->answer(flow, report);
}

/* A congestion mark counts as a loss. */
void weir__rtcp_flow_on_feedback(void *state, const struct weir_path *path,
                                 const struct weir_feedback *feedback)
{
    struct weir__rtcp_flow *flow = state;
    struct weir__report_summary summary;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status == WEIR_PACKET_LATE) {
            weir__virtual_report_on_late(&flow->reports);
        } else if (packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE) {
            weir__virtual_report_on_lost(&flow->reports, packet->sent_ns);
        } else {
            weir__virtual_report_on_received(&flow->reports);
        }
    }
    if (weir__virtual_report_on_feedback(&flow->reports, feedback->now_ns, feedback->rtt_ns,
                                         path->is_alive, path->packet_bytes, &summary)) {
        answer(flow, &summary);
    }
}

void weir__rtcp_flow_on_report(void *state, const struct weir_path *path,
                               const struct weir_report *report)
{
    (void)path;
    struct weir__rtcp_flow *flow = state;
    const struct weir__report_summary told = {
        .now_ns = report->now_ns,
        .interval_ns = report->interval_ns,
        .rtt_ns = report->rtt_ns,
        .expected_packets = report->expected_packets,
        .lost_packets = report->lost_packets,
        .sent_bytes = report->sent_bytes,
        .packet_bytes = report->packet_bytes,
        .network_limited = report->network_limited,
    };
    struct weir__report_summary summary;
    if (weir__virtual_report_on_report(&flow->reports, &told, &summary)) {
        answer(flow, &summary);
    }
}

void weir__rtcp_flow_smooth_rtt(struct weir__rtcp_flow *flow,
                                const struct weir__report_summary *report, double gain)
{
    if (report->rtt_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    double sample_s = (double)report->rtt_ns * 1e-9;
    flow->rtt_s += (sample_s - flow->rtt_s) * (flow->has_rtt ? gain : 1.0);
    flow->has_rtt = true;
}

double weir__rtcp_flow_interval_s(const struct weir__rtcp_flow *flow)
{
    return (double)(int64_t)flow->reports.mean_ns * 1e-9;
}

bool weir__rtcp_flow_may_increase(const struct weir__rtcp_flow *flow)
{
    return flow->paper_rules || !flow->app_limited;
}

double weir__rtcp_flow_decrease_from(const struct weir__rtcp_flow *flow)
{
    double least = flow->rate / STEP_FACTOR;
    return weir__rtcp_flow_may_increase(flow) ? flow->rate
                                              : fmin(fmax(flow->sent, least), flow->rate);
}

void weir__rtcp_flow_set_rate(struct weir__rtcp_flow *flow, double rate)
{
    if (!flow->paper_rules) {
        rate = fmin(fmax(rate, flow->rate / STEP_FACTOR), flow->rate * STEP_FACTOR);
    }
    set_rate_within_limits(flow,
                           weir__rtcp_flow_may_increase(flow) ? rate : fmin(rate, flow->rate));
}

void weir__rtcp_flow_on_packet_sent(void *state, const struct weir_path *path,
                                    const struct weir_sent_packet *sent)
{
    (void)path;
    struct weir__rtcp_flow *flow = state;
    weir__virtual_report_on_sent(&flow->reports, sent->sent_ns, sent->wire_bytes,
                                 sent->network_limited);
}

void weir__rtcp_flow_on_timer(void *state, int64_t now_ns)
{
    struct weir__rtcp_flow *flow = state;
    if (weir__virtual_report_expire(&flow->reports, now_ns)) {
        set_rate_within_limits(flow, flow->rate * OVERDUE_FACTOR);
    }
}

void weir__rtcp_flow_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct weir__rtcp_flow *flow = state;
    bool is_at_start = !flow->has_report && flow->rate >= flow->start;
    take_limits(flow, limits);
    set_rate_within_limits(flow, is_at_start        ? flow->start
                                 : flow->has_report ? flow->rate
                                                    : fmin(flow->rate, flow->start));
}

/* It stands in for the mean until the first sample. */
void weir__rtcp_flow_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)now_ns;
    struct weir__rtcp_flow *flow = state;
    if (!flow->has_rtt) {
        flow->rtt_s = (double)weir__rtt_srtt_ns(&path->rtt) * 1e-9;
    }
}

int64_t weir__rtcp_flow_next_timer_ns(const void *state)
{
    const struct weir__rtcp_flow *flow = state;
    return flow->reports.overdue_ns;
}

void weir__rtcp_flow_get_output(const void *state, struct weir_control *control)
{
    const struct weir__rtcp_flow *flow = state;
    *control = (struct weir_control){
        .rate_bps = (int64_t)(8.0 * flow->rate),
        .window_bytes = WEIR_UNLIMITED_BYTES,
        .state = (flow->has_report ? 0u : (unsigned)WEIR_STATE_STARTING) |
                 (flow->has_report && !flow->has_loss ? (unsigned)WEIR_STATE_SLOW_START : 0u) |
                 (flow->app_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u) |
                 (flow->reports.is_overdue ? (unsigned)WEIR_STATE_NO_FEEDBACK : 0u) |
                 (flow->reports.from_reports ? (unsigned)WEIR_STATE_REPORTS_ONLY : 0u),
    };
}

void weir__rtcp_flow_get_variables(const void *state, struct weir_variables *to)
{
    const struct weir__rtcp_flow *flow = state;
    weir_tell(to, "rate_packets_per_s", flow->rate / flow->packet_bytes);
    weir_tell(to, "rtt_ns", flow->has_rtt ? flow->rtt_s * 1e9 : 0.0);
    weir_tell(to, "loss_ratio", flow->loss);
    weir_tell(to, "report_interval_ns", flow->reports.mean_ns);
    weir_tell(to, "packet_bytes", flow->packet_bytes);
}
