/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of limd-h. An RTT of 100 ms and packets of 1000 bytes: growth
 * is 80 kbit/s per RTT. */
#include "steps.h"

static const struct vector_step limd_h_steps_start[] = {
    EXPECT(0, 300000.0),
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    EXPECT(100000, 380000.0),
    TIMERS(9000000),
    EXPECT(9000000, 380000.0),
    END,
};

/* One packet per second, then one per RTT; 2 RTTs without loss add 2 packets per RTT, 3 at once
 * only half the rate. */
static const struct vector_step limd_h_steps_increase[] = {
    EXPECT(0, 8000.0),
    SEND(0, 1, 0),
    ACK(50000, 0, 0),
    EXPECT(50000, 80000.0),
    SEND(60000, 2, 10000),
    ACK(100000, 1, 2),
    EXPECT(100000, 160000.0),
    SEND(110000, 1, 0),
    ACK(199000, 3, 3),
    EXPECT(199000, 160000.0),
    SEND(199000, 1, 0),
    ACK(300000, 4, 4),
    EXPECT(300000, 240000.0),
    SEND(300000, 2, 0),
    ACK(600000, 5, 6),
    EXPECT(600000, 360000.0),
    END,
};

/* 10 packets per RTT, of which one is lost in each of two: 0.9, then 1 - 2 * 0.1; an RTT without
 * loss; then half are lost, which is no more than halved. */
static const struct vector_step limd_h_steps_loss[] = {
    SEND(0, 10, 1000),
    LOSE(99000, 0, 0),
    ACK(100000, 1, 9),
    EXPECT(100000, 270000.0),
    VARIABLE(100000, "history", 2.0),
    SEND(100000, 10, 1000),
    LOSE(199000, 10, 10),
    ACK(200000, 11, 19),
    EXPECT(200000, 216000.0),
    VARIABLE(200000, "history", 4.0),
    SEND(200000, 10, 1000),
    ACK(300000, 20, 29),
    EXPECT(300000, 296000.0),
    VARIABLE(300000, "history", 1.0),
    SEND(300000, 10, 1000),
    LOSE(399000, 30, 35),
    ACK(400000, 36, 39),
    VARIABLE(400000, "loss_fraction", 0.6),
    EXPECT(400000, 148000.0),
    END,
};

/* b = 0.5, h_max = 2: 1 - 0.5 * 0.1, then twice 1 - 0.5 * 2 * 0.1. */
static const struct vector_step limd_h_steps_gentle[] = {
    SEND(0, 10, 1000),
    LOSE(99000, 0, 0),
    ACK(100000, 1, 9),
    EXPECT(100000, 285000.0),
    SEND(100000, 10, 1000),
    LOSE(199000, 10, 10),
    ACK(200000, 11, 19),
    EXPECT(200000, 256500.0),
    SEND(200000, 10, 1000),
    LOSE(299000, 20, 20),
    ACK(300000, 21, 29),
    EXPECT(300000, 230850.0),
    END,
};

/* The source could have sent more: no growth. The late packet was no loss. */
static const struct vector_step limd_h_steps_data_limited[] = {
    SEND_IDLE(0, 5, 1000), LOSE(50000, 0, 0),        ACK(60000, 0, 0),
    ACK(100000, 1, 4),     EXPECT(100000, 300000.0), SEND(100000, 5, 1000),
    ACK(200000, 5, 9),     EXPECT(200000, 380000.0), END,
};

/* RTO = 0.1 + 4 * 0.05 = 0.3 s after the first sample; each halves. */
static const struct vector_step limd_h_steps_silence[] = {
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    SEND(200000, 2, 200000),
    TIMERS(499999),
    EXPECT(499999, 380000.0),
    TIMERS(500000),
    EXPECT(500000, 190000.0),
    SEND(600000, 1, 0),
    TIMERS(900000),
    EXPECT(900000, 95000.0),
    VARIABLE(900000, "timeouts", 2.0),
    END,
};

/* 10 RTTs in a second would add 800 kbit/s: half the rate is added. Then 5 % and 5 % lost. */
static const struct vector_step limd_h_steps_report[] = {
    REPORT(1000000, 40, 0),
    EXPECT(1000000, 450000.0),
    REPORT(2000000, 60, 3),
    EXPECT(2000000, 427500),
    REPORT(3000000, 60, 3),
    EXPECT(3000000, 384750.0),
    END,
};

static const struct weir_param_value limd_h_paper[] = {{.name = "initial", .value_text = "paper"}};
static const struct weir_param_value limd_h_gentle[] = {{.name = "beta", .value = 0.5},
                                                        {.name = "h-max", .value = 2.0}};

static const struct vector limd_h_vectors[] = {
    {.name = "start rate", .steps = limd_h_steps_start},
    {.name = "linear increase",
     .params = limd_h_paper,
     .n_params = 1,
     .steps = limd_h_steps_increase},
    {.name = "decrease with history", .steps = limd_h_steps_loss},
    {.name = "gains", .params = limd_h_gentle, .n_params = 2, .steps = limd_h_steps_gentle},
    {.name = "data-limited epochs", .steps = limd_h_steps_data_limited},
    {.name = "silence", .steps = limd_h_steps_silence},
    {.name = "report form", .steps = limd_h_steps_report},
};

KNOWN_ANSWERS(limd_h, limd_h_vectors);
