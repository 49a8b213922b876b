/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "control/driver.h"

#include <string.h>

void weir__driver_init(struct weir__driver *driver, int64_t packet_bytes)
{
    memset(driver, 0, sizeof(*driver));
    weir__path_meter_init(&driver->path, packet_bytes);
}

void weir__driver_start(struct weir__driver *driver, const struct weir_controller *controller,
                        const struct weir_config *config, int64_t rtt_ns, int64_t now_ns)
{
    driver->controller = controller;
    driver->max_bps = config->limits.max_bps;
    weir__probe_cancel(&driver->probe);
    memset(driver->state, 0, sizeof(driver->state));
    struct weir_config as_now = *config;
    as_now.path = &driver->path.now;
    as_now.now_ns = now_ns;
    controller->init(driver->state, &as_now);
    weir__driver_seed_rtt(driver, rtt_ns, now_ns);
}

void weir__driver_seed_rtt(struct weir__driver *driver, int64_t rtt_ns, int64_t now_ns)
{
    if (!driver->path.now.rtt.has_sample) {
        weir__path_meter_on_rtt(&driver->path, rtt_ns, now_ns);
    }
    if (driver->path.now.rtt.has_sample && driver->controller->seed_rtt) {
        driver->controller->seed_rtt(driver->state, &driver->path.now, now_ns);
    }
}

static int64_t silence_timeout_ns(const struct weir__driver *driver)
{
    const struct weir_controller *controller = driver->controller;
    return controller->silence_timeout_ns
               ? controller->silence_timeout_ns(driver->state, &driver->path.now)
               : weir__path_meter_silence_timeout_ns(&driver->path);
}

/* A probe begins behind a packet: who sends nothing has no rate to prove, and needs no timer. */
static void ask_for_probe(struct weir__driver *driver, int64_t now_ns)
{
    struct weir_control control;
    if (driver->controller->on_probe && !driver->path.now.reports_only) {
        driver->controller->get_output(driver->state, &control);
        weir__probe_ask(&driver->probe, &control, driver->max_bps, driver->next_seq, now_ns);
    }
}

static void finish_probe(struct weir__driver *driver, int64_t now_ns)
{
    struct weir_probe_result result;
    if (weir__probe_finish(&driver->probe, now_ns, &result)) {
        driver->controller->on_probe(driver->state, &driver->path.now, &result);
    }
}

void weir__driver_on_sent(struct weir__driver *driver, const struct weir_sent_packet *sent)
{
    driver->next_seq = sent->seq + 1;
    weir__path_meter_on_sent(&driver->path, sent);
    if (driver->controller->on_packet_sent) {
        driver->controller->on_packet_sent(driver->state, &driver->path.now, sent);
    }
    weir__probe_on_sent(&driver->probe, sent);
    ask_for_probe(driver, sent->sent_ns);
    weir__path_meter_begin_wait(&driver->path, silence_timeout_ns(driver));
}

static void tell_feedback(struct weir__driver *driver, const struct weir_feedback *feedback)
{
    if (driver->controller->on_feedback) {
        driver->controller->on_feedback(driver->state, &driver->path.now, feedback);
    }
}

void weir__driver_on_feedback(struct weir__driver *driver, const struct weir_feedback *feedback)
{
    if (feedback->n_packets > 0) {
        int64_t newest = feedback->packets[feedback->n_packets - 1].seq;
        driver->reported_seq = weir_max_i64(driver->reported_seq, newest + 1);
    }
    weir__path_meter_on_feedback(&driver->path, feedback);
    tell_feedback(driver, feedback);
    weir__probe_on_feedback(&driver->probe, feedback);
    finish_probe(driver, feedback->now_ns);
    weir__path_meter_restart_wait(&driver->path, feedback->now_ns, silence_timeout_ns(driver));
}

/* The i-th of n packets that a report tells of. Losses lie evenly among them, and so do the times
 * at which they left: the last one round-trip time ago. */
static struct weir_packet_report told_packet(const struct weir__driver *driver,
                                             const struct weir_report *report, int64_t n, int64_t i)
{
    int64_t lost = report->lost_packets;
    bool is_lost = (i + 1) * lost / n > i * lost / n;
    int64_t rtt_ns = weir_max_i64(weir__rtt_srtt_ns(&driver->path.now.rtt), 0);
    double left = (double)(n - 1 - i) / (double)n;
    return (struct weir_packet_report){
        .seq = driver->reported_seq + i,
        .sent_ns = report->now_ns - rtt_ns - (int64_t)(left * (double)report->interval_ns),
        .arrived_ns = WEIR_UNKNOWN_NS,
        .wire_bytes = report->packet_bytes,
        .status = is_lost ? WEIR_PACKET_LOST : WEIR_PACKET_RECEIVED,
    };
}

/* A receiver report as feedback on packets, without arrival times. No more packets than were sent
 * and not yet told of; of many of them as many as one feedback holds, at the same ratio of losses.
 */
static void tell_report_as_feedback(struct weir__driver *driver, const struct weir_report *report)
{
    struct weir_packet_report packets[WEIR_FEEDBACK_MAX_PACKETS];
    int64_t waiting = driver->next_seq - driver->reported_seq;
    int64_t told = weir_min_i64(report->expected_packets, waiting);
    int64_t n = weir_min_i64(told, WEIR_FEEDBACK_MAX_PACKETS);
    struct weir_report scaled = *report;
    if (n <= 0) {
        return;
    }
    double share = (double)n / (double)report->expected_packets;
    int64_t least = report->lost_packets > 0 ? 1 : 0;
    scaled.lost_packets =
        weir_clamp_i64((int64_t)((double)report->lost_packets * share + 0.5), least, n);
    for (int64_t i = 0; i < n; i++) {
        packets[i] = told_packet(driver, &scaled, n, i);
    }
    driver->reported_seq += told;
    tell_feedback(driver, &(struct weir_feedback){
                              .now_ns = report->now_ns,
                              .rtt_ns = report->rtt_ns,
                              .in_flight_bytes = driver->path.now.in_flight_bytes,
                              .packets = packets,
                              .n_packets = (size_t)n,
                          });
}

void weir__driver_on_report(struct weir__driver *driver, const struct weir_report *report)
{
    const struct weir_controller *controller = driver->controller;
    weir__path_meter_on_report(&driver->path, report);
    if (controller->on_report) {
        controller->on_report(driver->state, &driver->path.now, report);
    } else if (controller->needs & WEIR_HAS_REPORT_FORM) {
        tell_report_as_feedback(driver, report);
    }
    weir__path_meter_restart_wait(&driver->path, report->now_ns, silence_timeout_ns(driver));
}

void weir__driver_on_path_change(struct weir__driver *driver, int64_t now_ns)
{
    weir__path_meter_on_change(&driver->path);
    weir__probe_cancel(&driver->probe);
    if (driver->controller->on_path_change) {
        driver->controller->on_path_change(driver->state, &driver->path.now, now_ns);
    }
}

void weir__driver_set_limits(struct weir__driver *driver, const struct weir_limits *limits,
                             int64_t now_ns)
{
    driver->max_bps = limits->max_bps;
    if (driver->controller->set_limits) {
        driver->controller->set_limits(driver->state, limits, now_ns);
    }
}

int64_t weir__driver_next_timer_ns(const struct weir__driver *driver)
{
    const struct weir_controller *controller = driver->controller;
    int64_t own_ns =
        controller->next_timer_ns ? controller->next_timer_ns(driver->state) : WEIR_NEVER_NS;
    own_ns = weir_min_i64(own_ns, weir__probe_deadline_ns(&driver->probe));
    return controller->on_silence ? weir_min_i64(own_ns, driver->path.now.silent_at_ns) : own_ns;
}

void weir__driver_on_timer(struct weir__driver *driver, int64_t now_ns)
{
    const struct weir_controller *controller = driver->controller;
    if (controller->on_silence && weir__path_meter_is_silent(&driver->path, now_ns)) {
        controller->on_silence(driver->state, &driver->path.now, now_ns);
    }
    if (controller->on_timer) {
        controller->on_timer(driver->state, now_ns);
    }
    finish_probe(driver, now_ns);
}

void weir__driver_get_output(const struct weir__driver *driver, struct weir_control *control)
{
    const struct weir_path *path = &driver->path.now;
    bool reports_only = path->reports_only && driver->controller->on_feedback;
    driver->controller->get_output(driver->state, control);
    control->probe_bytes = weir__probe_left_bytes(&driver->probe);
    control->probe_bps = control->probe_bytes > 0 ? driver->probe.asked_bps : 0;
    control->state |= (reports_only ? (unsigned)WEIR_STATE_REPORTS_ONLY : 0u) |
                      (path->is_silent ? (unsigned)WEIR_STATE_NO_FEEDBACK : 0u);
}

size_t weir__driver_get_variables(const struct weir__driver *driver,
                                  struct weir_variable *variables, size_t n)
{
    struct weir_variables told = {.all = variables, .room = n};
    if (driver->controller->get_variables) {
        driver->controller->get_variables(driver->state, &told);
    }
    return told.n;
}
