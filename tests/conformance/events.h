/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random but lawful lives of a controller: everything the contract of lib/control/controller.h
 * allows a session to do, extremes included, from a seed. No GLib, so that any compiler can build
 * it alone.
 */
#ifndef WEIR_TESTS_CONFORMANCE_EVENTS_H
#define WEIR_TESTS_CONFORMANCE_EVENTS_H

#include "control/driver.h"

#include <math.h>
#include <string.h>

#define EVENTS_WINDOW     256 /* packets that can still be reported */
#define EVENTS_MAX_TIMERS 10000

enum events_packet_state { EVENTS_OPEN, EVENTS_RECEIVED, EVENTS_LOST, EVENTS_LATE };

struct events_packet {
    int64_t seq;
    int64_t sent_ns;
    int64_t bytes;
    enum events_packet_state state;
};

struct events {
    const struct weir_controller *controller;
    struct weir__driver driver;
    double params[WEIR_MAX_PARAMS];
    uint64_t random;
    int64_t now_ns;
    int64_t delay_ns; /* one way, wanders */
    bool frozen;      /* time stands still */
    int64_t n_sent;
    int64_t in_flight_bytes;
    struct events_packet window[EVENTS_WINDOW];
    const char *fault; /* what a controller did wrong, or NULL */
};

/* splitmix64 */
static inline uint64_t events_random(struct events *e)
{
    uint64_t z = (e->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline int64_t events_below(struct events *e, int64_t n)
{
    return (int64_t)(events_random(e) % (uint64_t)n);
}

/* A random allowed value of each parameter, half of the time the default. */
static inline void events_random_params(struct events *e)
{
    for (size_t i = 0; i < e->controller->n_params; i++) {
        const struct weir_param *p = &e->controller->params[i];
        double share = (double)events_below(e, 1001) / 1000.0;
        double value = p->min + share * (p->max - p->min);
        value = p->kind == WEIR_PARAM_NUMBER ? value : floor(value);
        e->params[i] = events_below(e, 2) ? p->default_value : value;
    }
}

/* Packets that left under another algorithm: this one is told only what became of them. */
static inline void events_inherit_packets(struct events *e)
{
    for (int64_t n = events_below(e, 60); n > 0; n--) {
        struct events_packet *packet = &e->window[e->n_sent % EVENTS_WINDOW];
        *packet = (struct events_packet){
            .seq = e->n_sent++, .sent_ns = e->now_ns, .bytes = 1 + events_below(e, 1500)};
        e->in_flight_bytes += packet->bytes;
        e->now_ns += WEIR_US(events_below(e, 20000));
    }
}

static inline void events_begin(struct events *e, const struct weir_controller *controller,
                                uint64_t seed)
{
    static const int64_t starts_bps[] = {1, 30000, 300000, 10000000, INT64_C(100000000000)};
    memset(e, 0, sizeof(*e));
    e->controller = controller;
    e->random = seed;
    e->delay_ns = WEIR_MS(1 + events_below(e, 300));
    events_random_params(e);
    int64_t start_bps = starts_bps[events_below(e, 5)];
    if (events_below(e, 4) == 0) {
        events_inherit_packets(e);
    }
    struct weir_config config = {
        .params = e->params,
        .limits = {.min_bps = 1, .max_bps = INT64_C(100000000000), .start_bps = start_bps},
        .packet_bytes = 1 + events_below(e, 1500),
        .seed = seed};
    weir__driver_init(&e->driver, config.packet_bytes);
    weir__driver_start(&e->driver, controller, &config, WEIR_UNKNOWN_NS, e->now_ns);
}

static inline void events_send(struct events *e)
{
    struct events_packet *packet = &e->window[e->n_sent % EVENTS_WINDOW];
    if (packet->state == EVENTS_OPEN) {
        e->in_flight_bytes -= packet->bytes; /* left the history, never reported */
    }
    *packet = (struct events_packet){
        .seq = e->n_sent++, .sent_ns = e->now_ns, .bytes = 1 + events_below(e, 1500)};
    e->in_flight_bytes += packet->bytes;
    struct weir_sent_packet sent = {.seq = packet->seq,
                                    .sent_ns = e->now_ns,
                                    .wire_bytes = packet->bytes,
                                    .in_flight_bytes = e->in_flight_bytes,
                                    .network_limited = events_below(e, 2) != 0};
    weir__driver_on_sent(&e->driver, &sent);
}

/* Fills in one report about a packet; false when there is none to make. */
static inline bool events_report_packet(struct events *e, struct events_packet *packet,
                                        int64_t loss_percent, struct weir_packet_report *out)
{
    bool lose = events_below(e, 100) < loss_percent;
    bool late = packet->state == EVENTS_LOST;
    if (packet->state == EVENTS_RECEIVED || packet->state == EVENTS_LATE || (late && lose)) {
        return false;
    }
    bool timed = events_below(e, 50) != 0;
    e->in_flight_bytes -= packet->state == EVENTS_OPEN ? packet->bytes : 0;
    packet->state = late ? EVENTS_LATE : lose ? EVENTS_LOST : EVENTS_RECEIVED;
    *out = (struct weir_packet_report){
        .seq = packet->seq,
        .sent_ns = packet->sent_ns,
        .arrived_ns = lose || !timed
                          ? WEIR_UNKNOWN_NS
                          : packet->sent_ns + e->delay_ns + WEIR_US(events_below(e, 900)),
        .wire_bytes = packet->bytes,
        .status = late   ? WEIR_PACKET_LATE
                  : lose ? WEIR_PACKET_LOST
                         : WEIR_PACKET_RECEIVED,
        .ecn = !lose && events_below(e, 200) == 0 ? WEIR_ECN_CE : WEIR_ECN_NOT_ECT};
    return true;
}

static inline void events_feedback(struct events *e)
{
    static const int64_t losses_percent[] = {0, 0, 0, 1, 5, 30, 100};
    struct weir_packet_report packets[EVENTS_WINDOW];
    size_t n = 0;
    int64_t loss_percent = losses_percent[events_below(e, 7)];
    int64_t first = e->n_sent > EVENTS_WINDOW ? e->n_sent - EVENTS_WINDOW : 0;
    int64_t from = first + (e->n_sent > first ? events_below(e, e->n_sent - first) : 0);
    int64_t until = from + 1 + events_below(e, 60);
    for (int64_t seq = from; seq < until && seq < e->n_sent; seq++) {
        struct events_packet *packet = &e->window[seq % EVENTS_WINDOW];
        n += events_report_packet(e, packet, loss_percent, &packets[n]) ? 1 : 0;
    }
    int64_t rtts_ns[] = {WEIR_UNKNOWN_NS,
                         1,
                         2 * e->delay_ns,
                         2 * e->delay_ns,
                         2 * e->delay_ns + WEIR_US(events_below(e, 5000)),
                         WEIR_SECONDS(10)};
    int64_t pick = events_below(e, 40);
    if (n > 0) {
        struct weir_feedback feedback = {.now_ns = e->now_ns,
                                         .rtt_ns = rtts_ns[pick < 6 ? pick : 4],
                                         .in_flight_bytes = e->in_flight_bytes,
                                         .packets = packets,
                                         .n_packets = n};
        weir__driver_on_feedback(&e->driver, &feedback);
    }
}

static inline void events_receiver_report(struct events *e)
{
    int64_t expected = events_below(e, 10) ? events_below(e, 3000) : INT64_C(1) << 31;
    expected = events_below(e, 10) ? expected : 0;
    int64_t lost = events_below(e, 2) ? 0 : events_below(e, expected + 1);
    struct weir_report report = {.now_ns = e->now_ns,
                                 .rtt_ns = events_below(e, 5) ? 2 * e->delay_ns : WEIR_UNKNOWN_NS,
                                 .interval_ns = 1 + events_below(e, WEIR_SECONDS(6)),
                                 .expected_packets = expected,
                                 .lost_packets = lost,
                                 .packet_bytes = 1 + events_below(e, 1500),
                                 .sent_bytes = events_below(e, 1000000),
                                 .network_limited = events_below(e, 2) != 0};
    weir__driver_on_report(&e->driver, &report);
}

static inline void events_timers(struct events *e)
{
    for (int i = 0; weir__driver_next_timer_ns(&e->driver) <= e->now_ns; i++) {
        if (i == EVENTS_MAX_TIMERS) {
            e->fault = "the timer stays in the past";
            return;
        }
        weir__driver_on_timer(&e->driver, e->now_ns);
    }
}

static inline void events_rare(struct events *e)
{
    int64_t start_bps = 1 + events_below(e, 10000000);
    struct weir_limits limits = {.min_bps = 1, .max_bps = 20000000, .start_bps = start_bps};
    switch (events_below(e, 4)) {
    case 0:
        weir__driver_on_path_change(&e->driver, e->now_ns);
        break;
    case 1:
        weir__driver_set_limits(&e->driver, &limits, e->now_ns);
        break;
    case 2:
        weir__driver_seed_rtt(&e->driver, 1 + events_below(e, WEIR_SECONDS(10)), e->now_ns);
        break;
    default:
        e->delay_ns = WEIR_MS(1 + events_below(e, 300));
        break;
    }
}

/* Time: mostly a few ms, often none at all, sometimes seconds, seldom a day. */
static inline void events_advance(struct events *e)
{
    int64_t pick = events_below(e, 1000);
    if (pick < 200 || e->frozen) {
        return;
    }
    e->now_ns += pick < 900   ? WEIR_US(events_below(e, 20000))
                 : pick < 999 ? WEIR_MS(events_below(e, 5000))
                              : WEIR_SECONDS(events_below(e, 86400));
}

/* One event; then what must always hold. */
static inline void events_step(struct events *e)
{
    int64_t pick = events_below(e, 100);
    events_advance(e);
    events_timers(e);
    if (pick < 55) {
        for (int64_t n = 1 + events_below(e, 8); n > 0; n--) {
            events_send(e);
        }
    } else if (pick < 90) {
        events_feedback(e);
    } else if (pick < 97) {
        events_receiver_report(e);
    } else {
        events_rare(e);
    }
}

/* NULL, or what is wrong with the answer. */
static inline const char *events_check_output(const struct events *e)
{
    struct weir_control control;
    struct weir_variable variables[64];
    weir__driver_get_output(&e->driver, &control);
    if (control.rate_bps < 0 || control.rate_bps > INT64_C(2000000000000000)) {
        return "the rate is negative or absurd";
    }
    if (control.pacing_bps < 0 || control.source_bps < 0 || control.window_bytes < 0) {
        return "the pacing rate, the source's or the window is negative";
    }
    size_t n = weir__driver_get_variables(&e->driver, variables, 64);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(variables[i].value) || variables[i].name == NULL) {
            return "a variable is not finite";
        }
    }
    return e->fault;
}

/* Outputs as one number, for comparison of whole lives. */
static inline uint64_t events_hash(const struct events *e, uint64_t hash)
{
    struct weir_control control;
    weir__driver_get_output(&e->driver, &control);
    uint64_t values[] = {(uint64_t)control.rate_bps,
                         (uint64_t)control.pacing_bps,
                         (uint64_t)control.source_bps,
                         (uint64_t)control.window_bytes,
                         control.state,
                         (uint64_t)weir__driver_next_timer_ns(&e->driver)};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        hash = (hash ^ values[i]) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

#endif
