/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of rap. 1000 bytes every ipg: the rate is 8000/ipg bit/s. */
#include "steps.h"

/* srtt 0.2: the first sample gives ipg 0.2; steps make 5 packets/s into 10 and 15, each 1/0.2 more,
 * which is 0.1 * 0.2/(0.1 + 0.2) = 0.0666667 s. */
#define TWO_STEPS                                                                                  \
    EXPECT(0, 4000.0), SEND(0, 1, 0), ACK_AFTER(200000, 0, 0, 200000), EXPECT(200000, 40000.0),    \
        SEND(200000, 1, 0), ACK_AFTER(400000, 1, 1, 200000), EXPECT(400000, 80000.0),              \
        SEND(400000, 2, 100000), ACK_AFTER(600000, 2, 3, 200000), EXPECT(600000, 120000.0),        \
        VARIABLE(600000, "ipg_ns", 0.1e9 * 0.2 / (0.1 + 0.2))
static const struct vector_step steps_increase[] = {TWO_STEPS, END};

/* The rate is halved once for all that was in flight, and again for a packet sent later. */
static const struct vector_step steps_loss[] = {
    TWO_STEPS,
    SEND(600000, 6, 10000),
    LOSE(700000, 4, 5),
    EXPECT(700000, 60000.0),
    LOSE(710000, 6, 7),
    EXPECT(710000, 60000.0),
    SEND(720000, 1, 0),
    LOSE(800000, 10, 10),
    EXPECT(800000, 30000.0),
    VARIABLE(800000, "reductions", 2.0),
    END,
};

/* The step timer starts anew with the loss at 0.75 s: no step before 0.95 s. */
static const struct vector_step steps_restart[] = {
    TWO_STEPS,
    SEND(600000, 4, 10000),
    LOSE(750000, 4, 4),
    EXPECT(750000, 60000.0),
    SEND(751000, 4, 10000),
    ACK_AFTER(940000, 5, 8, 200000),
    EXPECT(940000, 60000.0),
    ACK_AFTER(951000, 9, 11, 200000),
    EXPECT(951000, 100000.0),
    END,
};

/* 1 packet of the 3 that were allowed in 0.2 s: less than half, no step; 2 are enough. */
static const struct vector_step steps_threshold[] = {
    TWO_STEPS,
    SEND(600000, 1, 0),
    ACK_AFTER(800000, 4, 4, 200000),
    EXPECT(800000, 120000.0),
    SEND(800000, 2, 0),
    ACK_AFTER(1000000, 5, 6, 200000),
    EXPECT(1000000, 160000.0),
    END,
};

/* srtt 0.2, then a sample of 0.4: srtt 0.3, var 0.1, timeout 1.2 * 0.3 + 4 * 0.1 = 0.76 s. */
static const struct vector_step steps_timeout[] = {
    SEND(0, 1, 0),
    ACK_AFTER(200000, 0, 0, 200000),
    VARIABLE(200000, "timeout_ns", 0.24e9),
    SEND(210000, 1, 0),
    ACK_AFTER(390000, 1, 1, 400000),
    VARIABLE(390000, "rtt_ns", 0.3e9),
    VARIABLE(390000, "rtt_deviation_ns", 0.1e9),
    VARIABLE(390000, "timeout_ns", 0.76e9),
    SEND(400000, 1, 0),
    TIMERS(1159999),
    EXPECT(1159999, 40000.0),
    TIMERS(1160000),
    EXPECT(1160000, 20000.0),
    TIMERS(9000000),
    EXPECT(9000000, 20000.0),
    VARIABLE(9000000, "timeouts", 1.0),
    END,
};

/* frtt and xrtt from 0.2 by a sample of 0.4 with weights 0.5 and 0.1: 0.3 and 0.22. */
static const struct vector_step steps_fine_grain[] = {
    SEND(0, 1, 0),
    ACK_AFTER(200000, 0, 0, 200000),
    VARIABLE(200000, "wait_ns", 0.2e9),
    SEND(210000, 1, 0),
    ACK_AFTER(390000, 1, 1, 400000),
    VARIABLE(390000, "ipg_ns", 0.2e9),
    VARIABLE(390000, "wait_ns", 0.2e9 * 0.3 / 0.22),
    END,
};

/* 300 kbit/s, also after the first sample, as one packet per 0.1 s would be less. */
static const struct vector_step steps_start_rate[] = {
    EXPECT(0, 300000.0),
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    EXPECT(100000, 300000.0),
    TIMERS(9000000),
    EXPECT(9000000, 300000.0),
    END,
};

/* alpha Dt/srtt^2 = 100 packets/s in 1 s at 0.1 s, but half as much again at most; then a loss. */
static const struct vector_step steps_report[] = {
    REPORT(1000000, 38, 0),
    EXPECT(1000000, 450000.0),
    REPORT(2000000, 57, 0),
    EXPECT(2000000, 675000),
    REPORT(3000000, 85, 20),
    EXPECT(3000000, 337500.0),
    END,
};

/* An RTT of 2 s: 1/2 packet/s more per 2 s, so 0.25 in 1 s: 37.5 packets/s become 37.75. */
static const struct vector_step steps_slow_report[] = {
    {.op = VECTOR_REPORT, .at_us = 1000000, .a = 38, .c = 1000000, .d = 2000000},
    EXPECT(1000000, 302000.0),
    END,
};

static const struct weir_param_value paper_start[] = {{.name = "initial", .value_text = "paper"}};
static const struct weir_param_value fine_grain[] = {{.name = "initial", .value_text = "paper"},
                                                     {.name = "fine-grain", .value_text = "true"},
                                                     {.name = "kfrtt", .value = 0.5},
                                                     {.name = "kxrtt", .value = 0.1}};

#define VECTOR(text, which)                                                                        \
    {                                                                                              \
        .name = (text), .params = paper_start, .n_params = 1, .steps = (which)                     \
    }

static const struct vector rap_vectors[] = {
    VECTOR("first sample and additive increase", steps_increase),
    VECTOR("one decrease for all that is in flight", steps_loss),
    VECTOR("a loss restarts the step", steps_restart),
    VECTOR("a step needs half of the allowed packets", steps_threshold),
    VECTOR("RTT averages and timeout", steps_timeout),
    {.name = "fine-grain pause", .params = fine_grain, .n_params = 4, .steps = steps_fine_grain},
    {.name = "start rate", .steps = steps_start_rate},
    {.name = "report form", .steps = steps_report},
    {.name = "report form, long RTT", .steps = steps_slow_report},
};

KNOWN_ANSWERS(rap, rap_vectors);
