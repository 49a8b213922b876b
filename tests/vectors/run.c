/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_TIMERS    100000 /* in one TIMERS step */
#define MAX_VARIABLES 64

static enum weir_status fail(struct vector_run *run, enum weir_status status, const char *what)
{
    snprintf(run->why, sizeof(run->why), "step %zu: %s", run->n_steps, what);
    return status;
}

static enum weir_status run_send(struct vector_run *run, const struct vector_step *step)
{
    if (step->a > VECTOR_MAX_PACKETS - run->n_packets) {
        return fail(run, WEIR_ERROR_ARGUMENT, "too many packets");
    }
    for (int64_t i = 0; i < step->a; i++) {
        run->now_ns = WEIR_US(step->at_us) + i * WEIR_US(step->c);
        run->in_flight_bytes += step->b;
        run->packets[run->n_packets] =
            (struct vector_packet){.sent_ns = run->now_ns, .bytes = step->b};
        struct weir_sent_packet sent = {.seq = run->n_packets,
                                        .sent_ns = run->now_ns,
                                        .wire_bytes = step->b,
                                        .in_flight_bytes = run->in_flight_bytes,
                                        .network_limited = step->op == VECTOR_SEND};
        weir__driver_on_sent(&run->driver, &sent);
        run->n_packets++;
    }
    return WEIR_OK;
}

/* One packet of an ACK or LOSE step, as a session would report it. */
static struct weir_packet_report report_packet(struct vector_run *run,
                                               const struct vector_step *step, int64_t seq)
{
    struct vector_packet *packet = &run->packets[seq];
    bool lose = step->op == VECTOR_LOSE;
    struct weir_packet_report report = {
        .seq = seq,
        .sent_ns = packet->sent_ns,
        .arrived_ns = lose ? WEIR_UNKNOWN_NS : packet->sent_ns + WEIR_US(step->c),
        .wire_bytes = packet->bytes,
        .status = lose           ? WEIR_PACKET_LOST
                  : packet->lost ? WEIR_PACKET_LATE
                                 : WEIR_PACKET_RECEIVED,
    };
    run->in_flight_bytes -= packet->reported ? 0 : packet->bytes;
    packet->reported = true;
    packet->lost = lose;
    return report;
}

static enum weir_status run_feedback(struct vector_run *run, const struct vector_step *step)
{
    struct weir_packet_report packets[WEIR_FEEDBACK_MAX_PACKETS];
    if (step->a < 0 || step->b < step->a || step->b >= run->n_packets ||
        step->b - step->a >= WEIR_FEEDBACK_MAX_PACKETS) {
        return fail(run, WEIR_ERROR_ARGUMENT, "reports packets that were not sent, or too many");
    }
    size_t n = 0;
    for (int64_t seq = step->a; seq <= step->b; seq++) {
        packets[n++] = report_packet(run, step, seq);
    }
    struct weir_feedback feedback = {.now_ns = run->now_ns,
                                     .rtt_ns = step->d > 0 ? WEIR_US(step->d) : WEIR_UNKNOWN_NS,
                                     .in_flight_bytes = run->in_flight_bytes,
                                     .packets = packets,
                                     .n_packets = n};
    weir__driver_on_feedback(&run->driver, &feedback);
    return WEIR_OK;
}

static enum weir_status run_report(struct vector_run *run, const struct vector_step *step)
{
    struct weir_report report = {.now_ns = run->now_ns,
                                 .rtt_ns = step->d > 0 ? WEIR_US(step->d) : WEIR_UNKNOWN_NS,
                                 .interval_ns = WEIR_US(step->c),
                                 .expected_packets = step->a,
                                 .lost_packets = step->b,
                                 .packet_bytes = 1000,
                                 .sent_bytes = step->a * 1000,
                                 .network_limited = true};
    weir__driver_on_report(&run->driver, &report);
    return WEIR_OK;
}

static enum weir_status run_timers(struct vector_run *run, const struct vector_step *step,
                                   int64_t from_ns)
{
    int64_t until_ns = WEIR_US(step->at_us);
    for (int i = 0; i < MAX_TIMERS; i++) {
        int64_t due_ns = weir__driver_next_timer_ns(&run->driver);
        if (due_ns > until_ns) {
            return WEIR_OK;
        }
        from_ns = weir_max_i64(due_ns, from_ns);
        weir__driver_on_timer(&run->driver, from_ns);
    }
    return fail(run, WEIR_ERROR_RANGE, "the timers do not come to an end");
}

/* y is relative; 0 means equal. An expected 0 is compared absolutely. */
static enum weir_status compare(struct vector_run *run, const struct vector_step *step,
                                const char *name, double actual)
{
    if (isfinite(actual) && fabs(actual - step->x) <= step->y * fmax(fabs(step->x), 1e-300)) {
        return WEIR_OK;
    }
    snprintf(run->why, sizeof(run->why), "step %zu: %s is %.10g, expected %.10g", run->n_steps,
             name, actual, step->x);
    return WEIR_ERROR_RANGE;
}

static enum weir_status expect_bps(struct vector_run *run, const struct vector_step *step)
{
    struct weir_control control;
    weir__driver_get_output(&run->driver, &control);
    return compare(run, step, "the rate", (double)control.rate_bps);
}

static enum weir_status expect_variable(struct vector_run *run, const struct vector_step *step)
{
    struct weir_variable variables[MAX_VARIABLES];
    size_t n = weir__driver_get_variables(&run->driver, variables, MAX_VARIABLES);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(variables[i].name, step->name) == 0) {
            return compare(run, step, step->name, variables[i].value);
        }
    }
    return fail(run, WEIR_ERROR_ARGUMENT, "there is no such variable");
}

static enum weir_status run_step(struct vector_run *run, const struct vector_step *step)
{
    int64_t before_ns = run->now_ns;
    if (WEIR_US(step->at_us) < before_ns) {
        return fail(run, WEIR_ERROR_ARGUMENT, "time goes backwards");
    }
    run->now_ns = WEIR_US(step->at_us);
    switch (step->op) {
    case VECTOR_SEND:
    case VECTOR_SEND_IDLE:
        return run_send(run, step);
    case VECTOR_ACK:
    case VECTOR_LOSE:
        return run_feedback(run, step);
    case VECTOR_REPORT:
        return run_report(run, step);
    case VECTOR_TIMERS:
        return run_timers(run, step, before_ns);
    case VECTOR_EXPECT_BPS:
        return expect_bps(run, step);
    case VECTOR_EXPECT_VARIABLE:
        return expect_variable(run, step);
    case VECTOR_END:
        break;
    }
    return fail(run, WEIR_ERROR_ARGUMENT, "there is no such step");
}

enum weir_status vector_run(const struct weir_controller *controller, const struct vector *vector,
                            struct vector_run *run)
{
    double params[WEIR_MAX_PARAMS];
    struct weir_config config = {
        .params = params,
        .limits = {.min_bps = WEIR_KBPS(30), .max_bps = WEIR_MBPS(10), .start_bps = WEIR_KBPS(300)},
        .packet_bytes = 1000,
        .seed = 1};
    memset(run, 0, sizeof(*run));
    enum weir_status status =
        weir__params_resolve(controller, vector->params, vector->n_params, params, NULL);
    if (status != WEIR_OK) {
        return fail(run, WEIR_ERROR_ARGUMENT, "a parameter is wrong");
    }
    weir__driver_init(&run->driver, config.packet_bytes);
    weir__driver_start(&run->driver, controller, &config, WEIR_UNKNOWN_NS, 0);
    for (const struct vector_step *step = vector->steps; step->op != VECTOR_END; step++) {
        status = run_step(run, step);
        if (status != WEIR_OK) {
            return status;
        }
        run->n_steps++;
    }
    return WEIR_OK;
}
