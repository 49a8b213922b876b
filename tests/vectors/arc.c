/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of arc, one per rule. Derived by hand from the equations with
 * k = 0.5 1/s, alpha = 0.3 s, tau = 0.5 s. Packets have 1000 bytes. */
#include "steps.h"

#define ARC_W(us, bytes) VARIABLE(us, "window_bytes", bytes)

/* Equation 1: k w, and k (w - 20 packets). */
static const struct vector_step arc_steps_rate[] = {
    EXPECT(0, 750000.0),
    SEND(0, 20, 0),
    EXPECT(0, 670000.0),
    END,
};

/* The start bitrate r0 until there is an RTT, then w = r0 (2 + R) = 37500 x 2.1 bytes. */
static const struct vector_step arc_steps_start_rate[] = {
    EXPECT(0, 300000.0),      SEND(0, 1, 0), ACK(100000, 0, 0), ARC_W(100000, 78750.0),
    EXPECT(100000, 315000.0), END,
};

/* One packet per second, then r0 = 4 packets per 0.25 s and w = 16 (2 + 0.25) = 36 packets. */
static const struct vector_step arc_steps_paper_start[] = {
    EXPECT(0, 8000.0),
    SEND(0, 1, 0),
    ACK_AFTER(250000, 0, 0, 250000),
    ARC_W(250000, 36000.0),
    EXPECT(250000, 144000.0),
    END,
};

/* Equation 5: twice the window after alpha. */
static const struct vector_step arc_steps_quick[] = {
    SEND(0, 4, 0),
    ACK_AFTER(300000, 0, 3, 300000),
    ARC_W(300000, 72000.0),
    EXPECT(300000, 288000.0),
    END,
};

/* 100 packets/s at an RTT of 0.1 s; the last packet is lost: equation 2 gives w = 100 (0.1 + 2). */
#define ARC_HUNDRED_PER_SECOND SEND(0, 101, 10000), ACK(1100000, 0, 99), LOSE(1100000, 100, 100)

/* Equation 2, and with 0.25 s of queue outstanding r = B (1 - k 0.25): 35 packets of which one is
 * lost and not yet taken out. */
static const struct vector_step arc_steps_shrink[] = {
    ARC_HUNDRED_PER_SECOND,    VARIABLE(1100000, "bandwidth_bytes_per_s", 100000.0),
    ARC_W(1100000, 210000.0),  SEND(1100000, 34, 0),
    EXPECT(1100000, 700000.0), END,
};

/* Equation 6: a packet more after alpha; of the 0.3 s since the last feedback RTO counts, which is
 * 0.25 s after the second RTT sample. */
static const struct vector_step arc_steps_gentle[] = {
    ARC_HUNDRED_PER_SECOND,        SEND(1300000, 1, 0),       ACK(1400000, 101, 101),
    ARC_W(1400000, 210833.333333), EXPECT(1400000, 843333.0), END,
};

/* A loss makes 42 packets of 200 only with the clamp off: w = 100 (2 + 0.1) raises it. */
static const struct vector_step arc_steps_clamp_off[] = {
    ARC_HUNDRED_PER_SECOND,
    ARC_W(1100000, 210000.0),
    END,
};
/* With it on w stays what one RTO of quick probing, 2^(0.3 / 0.3), has made of it. */
static const struct vector_step arc_steps_clamp_on[] = {
    ARC_HUNDRED_PER_SECOND,
    ARC_W(1100000, 84000.0),
    END,
};

/* Safe: after RTO = 0.3 s w = r0 (2 + R), and w_thresh is where it was. Half of it after the
 * second, 0.6 s from the next packet. */
static const struct vector_step arc_steps_timeout[] = {
    ARC_HUNDRED_PER_SECOND,
    SEND(1100000, 34, 0),
    TIMERS(1399999),
    EXPECT(1399999, 700000.0),
    TIMERS(1400000),
    ARC_W(1400000, 78750.0),
    VARIABLE(1400000, "window_threshold_bytes", 210000.0),
    EXPECT(1400000, 315000.0),
    SEND(1400000, 1, 0),
    TIMERS(2000000),
    ARC_W(2000000, 39375.0),
    EXPECT(2000000, 157500.0),
    END,
};

/* The timeout has answered what left before it: its losses, which come to light with the first
 * arrival, leave quick probing at 78750 bytes x 2^(0.1 / 0.3). Those of what leaves later do not.
 */
static const struct vector_step arc_steps_answered[] = {
    ARC_HUNDRED_PER_SECOND,
    SEND(1100000, 34, 0),
    TIMERS(1400000),
    SEND(1400000, 2, 0),
    ACK(1500000, 136, 136),
    LOSE(1500000, 101, 135),
    VARIABLE(1500000, "loss_events", 1.0),
    VARIABLE(1500000, "quick", 1.0),
    ARC_W(1500000, 99218.782636),
    SEND(1510000, 2, 0),
    ACK(1610000, 138, 138),
    LOSE(1610000, 137, 137),
    VARIABLE(1610000, "loss_events", 2.0),
    END,
};

/* Paper: the first timeout leaves w at equation 2, so nothing changes; until the second, 0.6 s of
 * nothing arriving are four virtual samples of 0, 0.125 s apart, and one after 0.1 s: B^ = 100000
 * (7/9 + 1/9) (7/9)^3 9/11. */
static const struct vector_step arc_steps_timeout_paper[] = {
    ARC_HUNDRED_PER_SECOND,
    SEND(1100000, 34, 0),
    TIMERS(1400000),
    ARC_W(1400000, 210000.0),
    EXPECT(1400000, 700000.0),
    SEND(1400000, 1, 0),
    TIMERS(2000000),
    VARIABLE(2000000, "bandwidth_bytes_per_s", 34218.730515),
    END,
};

/* Ten RTO of 0.3 s without a packet: w halves for each, but r0 (2 + R) is left. */
static const struct vector_step arc_steps_idle[] = {
    ARC_HUNDRED_PER_SECOND,
    SEND_IDLE(4010000, 1, 0),
    ARC_W(4010000, 78750.0),
    VARIABLE(4010000, "window_threshold_bytes", 210000.0),
    END,
};

/* Reports: w = r0 (2 + R) gives r0; w at most doubles; after a loss, for which w is small enough,
 * equation 6 adds a packet in 0.3 s. */
static const struct vector_step arc_steps_reports[] = {
    SEND(0, 100, 10000),           REPORT(1000000, 100, 0),
    EXPECT(1000000, 300000.0),     REPORT(2000000, 100, 1),
    EXPECT(2000000, 600000.0),     REPORT(3000000, 100, 0),
    ARC_W(3000000, 160833.333333), END,
};

static const struct weir_param_value arc_set_rate[] = {{.name = "initial-window", .value = 187.5}};
static const struct weir_param_value arc_set_paper[] = {{.name = "initial", .value = 1.0}};
static const struct weir_param_value arc_set_quick[] = {{.name = "initial-window", .value = 36.0}};
static const struct weir_param_value arc_set_large[] = {
    {.name = "initial-window", .value = 1000.0}};
static const struct weir_param_value arc_set_clamp_on[] = {
    {.name = "initial-window", .value = 42.0}};
static const struct weir_param_value arc_set_clamp_off[] = {
    {.name = "initial-window", .value = 42.0}, {.name = "shrink-clamp", .value = 0.0}};
static const struct weir_param_value arc_set_timeout_paper[] = {
    {.name = "initial-window", .value = 1000.0}, {.name = "timeout", .value = 1.0}};

#define ARC_VECTOR(text, values, script)                                                           \
    {                                                                                              \
        .name = (text), .params = (values), .n_params = sizeof(values) / sizeof((values)[0]),      \
        .steps = (script)                                                                          \
    }

static const struct vector arc_vectors[] = {
    ARC_VECTOR("equation 1: the rate is k times the free window", arc_set_rate, arc_steps_rate),
    {.name = "the start bitrate and its window", .steps = arc_steps_start_rate},
    ARC_VECTOR("the initial window of the paper's form", arc_set_paper, arc_steps_paper_start),
    ARC_VECTOR("equation 5: quick probing", arc_set_quick, arc_steps_quick),
    ARC_VECTOR("equation 2 after a loss", arc_set_large, arc_steps_shrink),
    ARC_VECTOR("equation 6: gentle probing", arc_set_large, arc_steps_gentle),
    ARC_VECTOR("congestion does not raise the window", arc_set_clamp_on, arc_steps_clamp_on),
    ARC_VECTOR("congestion may raise the window", arc_set_clamp_off, arc_steps_clamp_off),
    ARC_VECTOR("a timeout begins anew", arc_set_large, arc_steps_timeout),
    ARC_VECTOR("a timeout has answered what left before", arc_set_large, arc_steps_answered),
    ARC_VECTOR("a timeout as in the paper", arc_set_timeout_paper, arc_steps_timeout_paper),
    ARC_VECTOR("an idle time begins anew", arc_set_large, arc_steps_idle),
    {.name = "the report form", .steps = arc_steps_reports},
};

KNOWN_ANSWERS(arc, arc_vectors);
