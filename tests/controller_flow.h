/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One controller on one small path, in steps of 1 ms: a paced source, a FIFO bottleneck, losses,
 * and per-packet feedback or receiver reports with the rules a session follows (a loss is told when
 * three later packets have arrived). */
#ifndef WEIR_TESTS_CONTROLLER_FLOW_H
#define WEIR_TESTS_CONTROLLER_FLOW_H

#include "control/driver.h"
#include "test.h"

#define FLOW_MAX_PACKETS 400000

struct flow_packet {
    int64_t sent_ns;
    int64_t arrived_ns; /* WEIR_NEVER_NS: dropped */
    bool reported;
};

struct flow {
    const struct weir_controller *controller;
    struct weir__driver driver;
    double params[WEIR_MAX_PARAMS];
    int64_t now_ns;
    /* the path; change at will */
    int64_t packet_bytes;
    int64_t delay_ns;     /* one way, each way */
    int64_t capacity_bps; /* 0 = no bottleneck */
    int64_t queue_bytes;
    int64_t feedback_ns; /* interval */
    bool reports;        /* receiver reports instead of per-packet feedback */
    bool blackout;       /* no feedback comes through */
    int64_t source_bps;  /* what the application offers; 0 = as much as allowed */
    bool silent;         /* the application sends nothing */
    int64_t lose_every;  /* drop each packet whose number is a multiple; 0 = none */
    enum weir_ecn ect;   /* with which packets leave; ECN-capable ones are ... */
    int64_t mark_every;  /* ... marked when their number is a multiple (0 = none) ... */
    int64_t mark_ns;     /* ... or they waited for longer (0 = never) */
    /* what came of it */
    struct flow_packet *packets;
    int64_t n_sent, n_dropped, base, last_reported;
    int64_t highest_arrived;
    int64_t delivered_bytes;
    int64_t in_flight_bytes; /* sent, and not reported yet */
    int64_t free_ns, next_send_ns, next_feedback_ns, last_report_ns;
    int64_t rr_sent, rr_lost;
};

static inline struct flow *flow_new(const char *algorithm, const struct weir_param_value *params,
                                    size_t n_params)
{
    struct flow *f = g_new0(struct flow, 1);
    f->controller = weir__controller_find(algorithm);
    g_assert_nonnull(f->controller);
    g_assert_cmpint(weir__params_resolve(f->controller, params, n_params, f->params, NULL), ==,
                    WEIR_OK);
    f->packets = g_new0(struct flow_packet, FLOW_MAX_PACKETS);
    f->packet_bytes = 1000;
    f->delay_ns = WEIR_MS(50);
    f->feedback_ns = WEIR_MS(50);
    f->queue_bytes = 20000;
    f->highest_arrived = -1;
    struct weir_config config = {
        .params = f->params,
        .limits = {.min_bps = WEIR_KBPS(30), .max_bps = WEIR_MBPS(10), .start_bps = WEIR_KBPS(300)},
        .packet_bytes = 1000,
        .seed = 1};
    weir__driver_init(&f->driver, config.packet_bytes);
    weir__driver_start(&f->driver, f->controller, &config, WEIR_UNKNOWN_NS, 0);
    return f;
}

static inline void flow_free(struct flow *f)
{
    g_free(f->packets);
    g_free(f);
}

static inline int64_t flow_rate_bps(const struct flow *f)
{
    struct weir_control control;
    weir__driver_get_output(&f->driver, &control);
    return control.rate_bps;
}

static inline uint32_t flow_state(const struct flow *f)
{
    struct weir_control control;
    weir__driver_get_output(&f->driver, &control);
    return control.state;
}

static inline double flow_variable(const struct flow *f, const char *name)
{
    struct weir_variable variables[64];
    size_t n = weir__driver_get_variables(&f->driver, variables, 64);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(variables[i].name, name) == 0) {
            return variables[i].value;
        }
    }
    g_assert_not_reached();
}

/* Through the bottleneck: when it arrives, or never. */
static inline int64_t flow_arrival_ns(struct flow *f, int64_t seq)
{
    if (f->lose_every > 0 && seq % f->lose_every == 0) {
        return WEIR_NEVER_NS;
    }
    if (f->capacity_bps == 0) {
        return f->now_ns + f->delay_ns;
    }
    int64_t free_ns = weir_max_i64(f->free_ns, f->now_ns);
    int64_t backlog_bytes =
        (int64_t)((double)(free_ns - f->now_ns) * 1e-9 * (double)f->capacity_bps / 8.0);
    if (backlog_bytes + f->packet_bytes > f->queue_bytes) {
        return WEIR_NEVER_NS;
    }
    f->free_ns = free_ns + weir_send_time_ns(f->packet_bytes, f->capacity_bps);
    return f->free_ns + f->delay_ns;
}

/* Of a packet that arrived. */
static inline enum weir_ecn flow_ecn(const struct flow *f, int64_t seq)
{
    const struct flow_packet *packet = &f->packets[seq];
    int64_t way_ns =
        weir_time_add_ns(f->delay_ns, weir_send_time_ns(f->packet_bytes, f->capacity_bps));
    bool waited = f->mark_ns > 0 && packet->arrived_ns - packet->sent_ns - f->mark_ns > way_ns;
    bool marked = waited || (f->mark_every > 0 && seq % f->mark_every == 0);
    return marked && f->ect != WEIR_ECN_NOT_ECT ? WEIR_ECN_CE : f->ect;
}

static inline void flow_send(struct flow *f)
{
    int64_t allowed_bps = weir_max_i64(flow_rate_bps(f), 1000);
    bool limited = f->source_bps > 0 && f->source_bps < allowed_bps * 9 / 10;
    int64_t rate_bps = f->source_bps > 0 ? weir_min_i64(f->source_bps, allowed_bps) : allowed_bps;
    if (f->silent) {
        f->next_send_ns = f->now_ns;
        return;
    }
    while (f->next_send_ns <= f->now_ns && f->n_sent < FLOW_MAX_PACKETS) {
        struct flow_packet *packet = &f->packets[f->n_sent];
        *packet =
            (struct flow_packet){.sent_ns = f->now_ns, .arrived_ns = flow_arrival_ns(f, f->n_sent)};
        f->n_dropped += packet->arrived_ns == WEIR_NEVER_NS;
        f->in_flight_bytes += f->packet_bytes;
        struct weir_sent_packet sent = {.seq = f->n_sent++,
                                        .sent_ns = f->now_ns,
                                        .wire_bytes = f->packet_bytes,
                                        .in_flight_bytes = f->in_flight_bytes,
                                        .network_limited = !limited};
        weir__driver_on_sent(&f->driver, &sent);
        f->next_send_ns = weir_max_i64(f->next_send_ns, f->now_ns - WEIR_MS(1)) +
                          weir_send_time_ns(f->packet_bytes, rate_bps);
    }
}

/* What the receiver knew one delay ago. */
static inline void flow_feedback(struct flow *f)
{
    struct weir_packet_report list[WEIR_FEEDBACK_MAX_PACKETS];
    size_t n = 0;
    int64_t horizon_ns = f->now_ns - f->delay_ns;
    int64_t newest = f->highest_arrived;
    while (newest + 1 < f->n_sent && (f->packets[newest + 1].arrived_ns <= horizon_ns ||
                                      f->packets[newest + 1].arrived_ns == WEIR_NEVER_NS)) {
        newest++;
    }
    int64_t higher = 0;
    int64_t first_open = newest + 1;
    for (int64_t seq = newest; seq >= f->base; seq--) {
        bool arrived = f->packets[seq].arrived_ns <= horizon_ns;
        higher += arrived;
        if (!arrived && !f->packets[seq].reported && higher < 3) {
            first_open = seq;
        }
    }
    for (int64_t seq = f->base; seq <= newest && n < WEIR_FEEDBACK_MAX_PACKETS; seq++) {
        struct flow_packet *packet = &f->packets[seq];
        bool arrived = packet->arrived_ns <= horizon_ns;
        if (packet->reported || (!arrived && seq >= first_open)) {
            continue;
        }
        packet->reported = true;
        f->in_flight_bytes -= f->packet_bytes;
        f->delivered_bytes += arrived ? f->packet_bytes : 0;
        list[n++] = (struct weir_packet_report){
            .seq = seq,
            .sent_ns = packet->sent_ns,
            .arrived_ns = arrived ? packet->arrived_ns : WEIR_UNKNOWN_NS,
            .wire_bytes = f->packet_bytes,
            .status = arrived ? WEIR_PACKET_RECEIVED : WEIR_PACKET_LOST,
            .ecn = arrived ? flow_ecn(f, seq) : WEIR_ECN_NOT_ECT};
        if (arrived) {
            f->last_reported = seq;
        }
    }
    f->highest_arrived = newest;
    f->base = weir_min_i64(first_open, newest + 1);
    if (n == 0 || f->blackout) {
        return;
    }
    const struct flow_packet *last = &f->packets[f->last_reported];
    struct weir_feedback feedback = {.now_ns = f->now_ns,
                                     .rtt_ns = last->arrived_ns - last->sent_ns + f->delay_ns,
                                     .in_flight_bytes = f->in_flight_bytes,
                                     .packets = list,
                                     .n_packets = n};
    weir__driver_on_feedback(&f->driver, &feedback);
}

static inline void flow_report(struct flow *f)
{
    int64_t sent = f->n_sent, lost = f->n_dropped;
    struct weir_report report = {.now_ns = f->now_ns,
                                 .rtt_ns =
                                     2 * f->delay_ns + weir_max_i64(f->free_ns - f->now_ns, 0),
                                 .interval_ns = f->now_ns - f->last_report_ns,
                                 .expected_packets = sent - f->rr_sent,
                                 .lost_packets = lost - f->rr_lost,
                                 .packet_bytes = f->packet_bytes,
                                 .sent_bytes = (sent - f->rr_sent) * f->packet_bytes,
                                 .network_limited = f->source_bps == 0};
    f->last_report_ns = f->now_ns;
    f->rr_sent = sent;
    f->rr_lost = lost;
    if (!f->blackout) {
        weir__driver_on_report(&f->driver, &report);
    }
}

static inline void flow_step(struct flow *f)
{
    f->now_ns += WEIR_MS(1);
    for (int i = 0; weir__driver_next_timer_ns(&f->driver) <= f->now_ns; i++) {
        g_assert_cmpint(i, <, 1000);
        weir__driver_on_timer(&f->driver, f->now_ns);
    }
    flow_send(f);
    if (f->now_ns >= f->next_feedback_ns) {
        f->next_feedback_ns = f->now_ns + f->feedback_ns;
        if (f->reports) {
            flow_report(f);
        } else {
            flow_feedback(f);
        }
    }
}

static inline void flow_run_until(struct flow *f, int64_t until_ns)
{
    while (f->now_ns < until_ns) {
        flow_step(f);
    }
}

/* No feedback comes through any more, and that never raises the rate. Returns the last one. */
static inline int64_t flow_silence_until(struct flow *f, int64_t until_ns)
{
    int64_t last_bps = flow_rate_bps(f);
    f->blackout = true;
    while (f->now_ns < until_ns) {
        flow_step(f);
        g_assert_cmpint(flow_rate_bps(f), <=, last_bps);
        last_bps = flow_rate_bps(f);
    }
    return last_bps;
}

#endif
