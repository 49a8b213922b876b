/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "control/replay.h"

#include <string.h>

#define MOST_TIMERS 100000 /* between two records: a controller that always wants one is broken */

void weir__replay_init(struct weir__replay *replay, const struct weir_controller *other,
                       const double *params)
{
    *replay = (struct weir__replay){.other = other, .first_difference_ns = WEIR_UNKNOWN_NS};
    if (other) {
        memcpy(replay->params, params, other->n_params * sizeof(params[0]));
    }
}

static void start_controller(struct weir__replay *replay)
{
    const struct weir_controller *controller = replay->starting;
    replay->config.params = replay->params;
    if (!replay->driver.controller) {
        weir__driver_init(&replay->driver, replay->config.packet_bytes);
    }
    weir__driver_start(&replay->driver, controller, &replay->config, replay->rtt_ns,
                       replay->now_ns);
}

static enum weir_status on_start(struct weir__replay *replay,
                                 const struct weir_trace_record *record)
{
    const struct weir_controller *recorded = weir__controller_find(record->name);
    replay->starting = replay->other ? replay->other : recorded;
    if (!replay->starting) {
        return WEIR_ERROR_UNKNOWN_ALGORITHM;
    }
    replay->is_compared = !replay->other;
    if (replay->is_compared && record->n_packets != (int64_t)recorded->n_params) {
        return WEIR_ERROR_UNKNOWN_PARAM;
    }
    replay->config = (struct weir_config){
        .limits = record->limits, .packet_bytes = record->wire_bytes, .seed = record->seed};
    replay->rtt_ns = record->rtt_ns;
    replay->left = record->n_packets;
    replay->in_feedback = false;
    if (replay->left == 0) {
        start_controller(replay);
    }
    return WEIR_OK;
}

/* Parameters come in the order of the table. Those of another algorithm are passed over. */
static enum weir_status on_param(struct weir__replay *replay,
                                 const struct weir_trace_record *record)
{
    if (replay->in_feedback || replay->left <= 0) {
        return WEIR_ERROR_MALFORMED;
    }
    if (replay->is_compared) {
        size_t index = replay->starting->n_params - (size_t)replay->left;
        if (strcmp(replay->starting->params[index].name, record->name) != 0) {
            return WEIR_ERROR_UNKNOWN_PARAM;
        }
        replay->params[index] = record->value;
    }
    replay->left--;
    if (replay->left == 0) {
        start_controller(replay);
    }
    return WEIR_OK;
}

static enum weir_status on_feedback(struct weir__replay *replay,
                                    const struct weir_trace_record *record)
{
    if (record->n_packets < 1 || record->n_packets > WEIR_FEEDBACK_MAX_PACKETS) {
        return WEIR_ERROR_MALFORMED;
    }
    replay->feedback = (struct weir_feedback){.now_ns = record->now_ns,
                                              .rtt_ns = record->rtt_ns,
                                              .in_flight_bytes = record->in_flight_bytes,
                                              .packets = replay->packets,
                                              .n_packets = (size_t)record->n_packets};
    replay->left = record->n_packets;
    replay->n_packets = 0;
    replay->in_feedback = true;
    return WEIR_OK;
}

static enum weir_status on_packet(struct weir__replay *replay,
                                  const struct weir_trace_record *record)
{
    if (!replay->in_feedback || replay->left <= 0) {
        return WEIR_ERROR_MALFORMED;
    }
    replay->packets[replay->n_packets++] = (struct weir_packet_report){
        .seq = record->seq,
        .sent_ns = record->sent_ns,
        .arrived_ns = record->arrived_ns,
        .wire_bytes = record->wire_bytes,
        .status = (enum weir_packet_status)record->packet_status,
        .ecn = (enum weir_ecn)record->ecn,
    };
    replay->left--;
    if (replay->left == 0) {
        weir__driver_on_feedback(&replay->driver, &replay->feedback);
    }
    return WEIR_OK;
}

static enum weir_status on_sent(struct weir__replay *replay, const struct weir_trace_record *record)
{
    if (record->seq != replay->next_seq) {
        return WEIR_ERROR_MALFORMED;
    }
    replay->next_seq++;
    struct weir_sent_packet sent = {
        .seq = record->seq,
        .sent_ns = record->now_ns,
        .wire_bytes = record->wire_bytes,
        .in_flight_bytes = record->in_flight_bytes,
        .network_limited = record->network_limited != 0,
    };
    weir__driver_on_sent(&replay->driver, &sent);
    return WEIR_OK;
}

/* An algorithm without a report form does not learn of the report. */
static enum weir_status on_report(struct weir__replay *replay,
                                  const struct weir_trace_record *record)
{
    struct weir_report report = {
        .now_ns = record->now_ns,
        .rtt_ns = record->rtt_ns,
        .interval_ns = record->interval_ns,
        .expected_packets = record->expected_packets,
        .lost_packets = record->lost_packets,
        .packet_bytes = record->wire_bytes,
        .sent_bytes = record->sent_bytes,
        .network_limited = record->network_limited != 0,
        .newest_age_ns = record->newest_age_ns,
        .missing_age_ns = record->missing_age_ns,
    };
    weir__driver_on_report(&replay->driver, &report);
    return WEIR_OK;
}

/* The recorded algorithm's timers run when they ran; another one's when it wants them. */
static enum weir_status on_timer(struct weir__replay *replay,
                                 const struct weir_trace_record *record)
{
    if (replay->is_compared) {
        weir__driver_on_timer(&replay->driver, record->now_ns);
    }
    return WEIR_OK;
}

static enum weir_status on_limits(struct weir__replay *replay,
                                  const struct weir_trace_record *record)
{
    weir__driver_set_limits(&replay->driver, &record->limits, record->now_ns);
    return WEIR_OK;
}

static enum weir_status on_path(struct weir__replay *replay, const struct weir_trace_record *record)
{
    weir__driver_on_path_change(&replay->driver, record->now_ns);
    return WEIR_OK;
}

static bool is_same(const struct weir_control *a, const struct weir_control *b)
{
    return a->rate_bps == b->rate_bps && a->pacing_bps == b->pacing_bps &&
           a->window_bytes == b->window_bytes && a->state == b->state;
}

/* All that happens at one time is one decision: the session asks when it has told everything. */
static void compare(struct weir__replay *replay)
{
    if (replay->is_compared && replay->has_recorded &&
        !is_same(&replay->control, &replay->recorded)) {
        replay->differences++;
        if (replay->first_difference_ns == WEIR_UNKNOWN_NS) {
            replay->first_difference_ns = replay->now_ns;
        }
    }
}

static enum weir_status on_control(struct weir__replay *replay,
                                   const struct weir_trace_record *record)
{
    replay->recorded = (struct weir_control){.rate_bps = record->output.allowed_wire_bps,
                                             .pacing_bps = record->output.pacing_wire_bps,
                                             .window_bytes = record->output.window_bytes,
                                             .state = record->output.state};
    replay->has_recorded = true;
    replay->decisions++;
    return WEIR_OK;
}

/* Results that no decision depends on. */
static enum weir_status on_result(struct weir__replay *replay,
                                  const struct weir_trace_record *record)
{
    (void)replay;
    (void)record;
    return WEIR_OK;
}

/* Runs the timers of an algorithm that was not there when the trace was made. */
static void run_timers(struct weir__replay *replay, int64_t until_ns)
{
    for (int i = 0; i < MOST_TIMERS; i++) {
        int64_t due_ns = weir__driver_next_timer_ns(&replay->driver);
        if (due_ns > until_ns) {
            break;
        }
        weir__driver_on_timer(&replay->driver, weir_max_i64(due_ns, replay->now_ns));
    }
}

static enum weir_status (*const handlers[])(struct weir__replay *replay,
                                            const struct weir_trace_record *record) = {
    [WEIR_TRACE_START] = on_start,     [WEIR_TRACE_PARAM] = on_param,
    [WEIR_TRACE_SENT] = on_sent,       [WEIR_TRACE_FEEDBACK] = on_feedback,
    [WEIR_TRACE_PACKET] = on_packet,   [WEIR_TRACE_REPORT] = on_report,
    [WEIR_TRACE_TIMER] = on_timer,     [WEIR_TRACE_LIMITS] = on_limits,
    [WEIR_TRACE_OUTPUT] = on_result,   [WEIR_TRACE_PATH] = on_path,
    [WEIR_TRACE_CONTROL] = on_control, [WEIR_TRACE_FIGURES] = on_result,
    [WEIR_TRACE_VARIABLE] = on_result,
};

/* The next record of the trace. WEIR_ERROR_MALFORMED: not in its place (the first must be START,
 * PARAM and PACKET records come as many as announced, SENT ones count from 0 without a gap, also
 * across a new START, times do not go back);
 * WEIR_ERROR_UNKNOWN_ALGORITHM, _UNKNOWN_PARAM: the trace was made by a version with other
 * algorithms or parameters. After an error the replay must not go on. */
enum weir_status weir__replay_record(struct weir__replay *replay,
                                     const struct weir_trace_record *record)
{
    bool announced = record->kind == WEIR_TRACE_PARAM || record->kind == WEIR_TRACE_PACKET;
    if ((size_t)record->kind >= sizeof(handlers) / sizeof(handlers[0]) || !handlers[record->kind] ||
        (!replay->starting && record->kind != WEIR_TRACE_START) ||
        (replay->left > 0) != announced || record->now_ns < replay->now_ns) {
        return WEIR_ERROR_MALFORMED;
    }
    if (replay->driver.controller && record->now_ns > replay->now_ns) {
        compare(replay);
    }
    if (replay->driver.controller && !replay->is_compared && replay->left == 0) {
        run_timers(replay, record->now_ns);
    }
    replay->now_ns = record->now_ns;
    enum weir_status status = handlers[record->kind](replay, record);
    if (status == WEIR_OK && replay->left == 0) {
        weir__driver_get_output(&replay->driver, &replay->control);
    }
    return status;
}

/* After the last record. WEIR_ERROR_TRUNCATED when the trace has no beginning, or ends between
 * records that belong together. */
enum weir_status weir__replay_finish(struct weir__replay *replay)
{
    if (!replay->driver.controller || replay->left > 0) {
        return WEIR_ERROR_TRUNCATED;
    }
    compare(replay);
    return WEIR_OK;
}
