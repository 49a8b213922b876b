/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the algorithms made for RTCP receiver reports have in common: reports from any feedback, a
 * rate within the limits, and the rules that a live source needs and their papers leave out:
 *   - it starts at the start bitrate;
 *   - one report at most doubles or halves the rate;
 *   - a source that sends less than it may gets no increase, and a decrease starts from what it
 *     sends;
 *   - without reports for three mean intervals (or four round-trip times) the rate is halved.
 * Profile "paper" leaves the second and the third out.
 *
 * The first member of an algorithm's state, so that the functions that take void * can stand in its
 * table as they are. min <= rate <= max always. */
#ifndef WEIR_CONTROLLERS_RTCP_FLOW_H
#define WEIR_CONTROLLERS_RTCP_FLOW_H

#include "control/controller.h"
#include "estimators/virtual_report.h"

/* The parameters that these algorithms share; their own follow. */
enum {
    RTCP_PARAM_PROFILE,
    RTCP_PARAM_INITIAL,
    RTCP_PARAM_INITIAL_RATE,
    RTCP_PARAM_REPORT_INTERVAL,
    RTCP_PARAM_LEAST_PACKETS,
    N_RTCP_PARAMS
};

#define RTCP_FLOW_PARAMS                                                                           \
    [RTCP_PARAM_PROFILE] = WEIR_ROW_CHOICE(                                                        \
        "profile", 0,                                                                              \
        "Rules for live sources (steps of at most a factor of 2, sources that send "               \
        "less than they may), or the paper alone for reproduction.",                               \
        "product", "paper"),                                                                       \
    [RTCP_PARAM_INITIAL] = WEIR_ROW_CHOICE(                                                        \
        "initial", 0, "Rate before the first report: the start bitrate, or initial-rate.",         \
        "start-rate", "paper"),                                                                    \
    [RTCP_PARAM_INITIAL_RATE] =                                                                    \
        WEIR_ROW_NUMBER("initial-rate", "packets/s", 0.1, 1e5, 10.0,                               \
                        "Rate before the first report with initial=paper."),                       \
    [RTCP_PARAM_REPORT_INTERVAL] =                                                                 \
        WEIR_ROW_NUMBER("report-interval", "s", 0.1, 60.0, 1.0,                                    \
                        "Interval of answers: packet feedback and more frequent reports are "      \
                        "collected for about so long; papers have 5 s."),                          \
    [RTCP_PARAM_LEAST_PACKETS] =                                                                   \
        WEIR_ROW_INTEGER("least-packets", "packets", 1.0, 1000.0, 20.0,                            \
                         "A report about fewer packets waits for the next, three times at most; "  \
                         "papers have no such rule (1).")

/* What an algorithm decides. `state` is its whole state. */
struct weir__rtcp_flow_rules {
    /* A report, which the flow knows already, is answered by weir__rtcp_flow_set_rate(). */
    void (*answer)(void *state, const struct weir__report_summary *report);
    void (*forget)(void *state); /* the path is new; NULL: nothing to be forgotten */
};

struct weir__rtcp_flow {
    const struct weir__rtcp_flow_rules *rules;
    struct weir__virtual_report reports;
    double rate; /* bytes/s */
    double min;
    double max;
    double start;
    double packet_bytes; /* mean, >= 1 */
    double rtt_s;        /* smoothed; 500 ms before the first sample */
    double loss;         /* loss ratio of the newest report */
    bool has_rtt;
    bool has_report;
    bool has_loss; /* there was one */
    bool paper_rules;
    bool paper_start;
    double paper_start_packets; /* per second */
    bool app_limited;
    double sent; /* bytes/s in the newest report */
};

/* Call first. What rules->forget() resets is the algorithm's to set, too. */
void weir__rtcp_flow_init(struct weir__rtcp_flow *flow, const struct weir__rtcp_flow_rules *rules,
                          const struct weir_config *config);

/* The report's RTT sample, if it has one, goes into the mean; the first sample is the mean. */
void weir__rtcp_flow_smooth_rtt(struct weir__rtcp_flow *flow,
                                const struct weir__report_summary *report, double gain);

/* Mean time between reports, s. */
double weir__rtcp_flow_interval_s(const struct weir__rtcp_flow *flow);

/* Whether the newest report, if there was no loss, proves anything: the source used its rate. */
bool weir__rtcp_flow_may_increase(const struct weir__rtcp_flow *flow);

/* What a decrease starts from, bytes/s: the rate, or what is sent when that is less (at least half
 * of the rate). > 0 */
double weir__rtcp_flow_decrease_from(const struct weir__rtcp_flow *flow);

/* The algorithm's answer to the report, bytes/s. */
void weir__rtcp_flow_set_rate(struct weir__rtcp_flow *flow, double rate);

/* Calls of a session; state begins with a struct weir__rtcp_flow. */
void weir__rtcp_flow_on_feedback(void *state, const struct weir_path *path,
                                 const struct weir_feedback *feedback);
void weir__rtcp_flow_on_report(void *state, const struct weir_path *path,
                               const struct weir_report *report);
/* As at the start, but never faster than before. */
void weir__rtcp_flow_on_path_change(void *state, const struct weir_path *path, int64_t now_ns);
void weir__rtcp_flow_on_packet_sent(void *state, const struct weir_path *path,
                                    const struct weir_sent_packet *sent);
void weir__rtcp_flow_on_timer(void *state, int64_t now_ns);
void weir__rtcp_flow_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns);
void weir__rtcp_flow_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns);
int64_t weir__rtcp_flow_next_timer_ns(const void *state);
void weir__rtcp_flow_get_output(const void *state, struct weir_control *control);

/* Their places in an algorithm's table, but for on_feedback. */
#define WEIR__RTCP_FLOW_EVENTS                                                                     \
    .needs = WEIR_HAS_REPORT_FORM, .on_packet_sent = weir__rtcp_flow_on_packet_sent,               \
    .on_report = weir__rtcp_flow_on_report, .on_timer = weir__rtcp_flow_on_timer,                  \
    .on_path_change = weir__rtcp_flow_on_path_change, .set_limits = weir__rtcp_flow_set_limits,    \
    .seed_rtt = weir__rtcp_flow_seed_rtt, .next_timer_ns = weir__rtcp_flow_next_timer_ns,          \
    .get_output = weir__rtcp_flow_get_output

/* Variables that all of them have; an algorithm tells its own behind them. */
void weir__rtcp_flow_get_variables(const void *state, struct weir_variables *to);

#endif
