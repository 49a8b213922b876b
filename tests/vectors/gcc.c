/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of gcc. Packets have 1000 bytes and the round-trip time is 100 ms
 * unless told otherwise: a packet each 20 ms is 400 kbit/s, and a group of its own. */
#include "steps.h"

/* One packet that took ms one way. */
#define TOOK(us, seq, ms)                                                                          \
    {                                                                                              \
        .op = VECTOR_ACK, .at_us = (us), .a = (seq), .b = (seq), .c = (ms)*1000, .d = 100000       \
    }
/* Several that took as long as each other. */
#define ALL_TOOK(us, first, last, ms)                                                              \
    {                                                                                              \
        .op = VECTOR_ACK, .at_us = (us), .a = (first), .b = (last), .c = (ms)*1000, .d = 100000    \
    }

/* 300 kbit/s; hold becomes increase, at once by 1 kbit/s, and by 8 % per second: half a second
 * later 301000 1.08^0.5. */
static const struct vector_step steps_increase[] = {
    EXPECT(0, 300000.0),
    SEND(0, 30, 20000),
    ACK(700000, 0, 29),
    EXPECT(700000, 301000.0),
    VARIABLE(700000, "acked_rate_bps", 400000.0),
    VARIABLE(700000, "rate_control", 1.0),
    SEND(720000, 1, 0),
    ACK(1200000, 30, 30),
    EXPECT(1200000, 312808.0),
    END,
};

/* From 50 ms on each packet takes 10 ms longer. The ninth is overuse, but the rate changed less
 * than a round trip ago; the tenth: 36000 bytes in 0.8 s arrived, 0.85 of that less 5 kbit/s. */
#define OVERUSE                                                                                    \
    SEND(0, 50, 20000), ACK(1100000, 0, 39), TOOK(1200000, 40, 60), TOOK(1250000, 41, 70),         \
        TOOK(1300000, 42, 80), TOOK(1350000, 43, 90), TOOK(1400000, 44, 100),                      \
        TOOK(1450000, 45, 110), TOOK(1500000, 46, 120), TOOK(1550000, 47, 130),                    \
        TOOK(1600000, 48, 140), VARIABLE(1600000, "usage", 1.0), EXPECT(1600000, 311607.0),        \
        TOOK(1650000, 49, 150), EXPECT(1650000, 301000.0)

static const struct vector_step steps_overuse[] = {
    OVERUSE,
    VARIABLE(1650000, "acked_rate_bps", 360000.0),
    VARIABLE(1650000, "link_capacity_bps", 360000.0),
    VARIABLE(1650000, "rate_control", 0.0),
    END,
};

/* The queue stands still, at 320 kbit/s: hold becomes increase, and then half a packet of 10033/2
 * bits per 2 (100 + 100) ms, for half a second. */
static const struct vector_step steps_additive[] = {
    OVERUSE,
    SEND(1675000, 60, 25000),
    ALL_TOOK(3300000, 50, 108, 150),
    VARIABLE(3300000, "rate_control", 1.0),
    EXPECT(3300000, 301000.0),
    ALL_TOOK(3800000, 109, 109, 150),
    EXPECT(3800000, 301000.0 + 301000.0 / 30.0 / 2.0 / 0.4 * 0.5),
    END,
};

/* The queue drains: hold, whatever the time. */
static const struct vector_step steps_underuse[] = {
    OVERUSE,
    SEND(1675000, 50, 25000),
    ALL_TOOK(3000000, 50, 89, 150),
    TOOK(3010000, 90, 140),
    TOOK(3020000, 91, 130),
    TOOK(3030000, 92, 120),
    TOOK(3040000, 93, 110),
    TOOK(3050000, 94, 100),
    TOOK(3060000, 95, 90),
    TOOK(3070000, 96, 80),
    TOOK(3080000, 97, 70),
    VARIABLE(3080000, "usage", -1.0),
    VARIABLE(3080000, "rate_control", 0.0),
    TOOK(4000000, 98, 60),
    VARIABLE(4000000, "rate_control", 0.0),
    END,
};

/* 40 kbit/s arrive: 1.5 times that and 10 kbit/s end the growth, and lower nothing. */
static const struct vector_step steps_limit[] = {
    SEND(0, 12, 200000),
    ACK(2400000, 0, 11),
    VARIABLE(2400000, "acked_rate_bps", 40000.0),
    EXPECT(2400000, 300000.0),
    END,
};

/* 30 of 100 packets are lost, three times: 75 kbit/s / (0.3 - 0.05). */
static const struct vector_step steps_loss[] = {
    SEND(0, 300, 5000),
    LOSE(2100000, 0, 29),
    ACK(2100000, 30, 99),
    LOSE(2600000, 100, 129),
    ACK(2600000, 130, 199),
    EXPECT(2600000, 312808.0),
    LOSE(3100000, 200, 229),
    ACK(3100000, 230, 299),
    VARIABLE(3100000, "loss_ratio", 0.3),
    VARIABLE(3100000, "loss_control", 1.0),
    EXPECT(3100000, 300000.0),
    END,
};

/* 2.9 s after the last sign of life and a round trip of 100 ms: 0.8, and again each second. */
static const struct vector_step steps_silence[] = {
    SEND(0, 10, 20000),
    ACK(300000, 0, 9),
    SEND(3200000, 1, 0),
    EXPECT(3200000, 301000.0),
    SEND(3210000, 1, 0),
    EXPECT(3210000, 240800.0),
    SEND(4200000, 1, 0),
    EXPECT(4200000, 240800.0),
    SEND(4210000, 1, 0),
    EXPECT(4210000, 192640.0),
    ACK(4300000, 10, 13),
    EXPECT(4300000, 301000.0),
    END,
};

/* Receiver reports: no loss, 10 % and 20 %. */
static const struct vector_step steps_reports[] = {
    SEND(0, 150, 5000),        REPORT(1000000, 40, 0),
    EXPECT(1000000, 325000.0), REPORT(2000000, 30, 3),
    EXPECT(2000000, 325000.0), REPORT(3000000, 50, 10),
    EXPECT(3000000, 292500.0), END,
};

/* The first packet is followed by five of 1000 bytes within 36 ms, at 900 kbit/s, three times the
 * start rate: they arrive as they left, and that is the rate. The next probe, of 1.8 Mbit/s, begins
 * with packet 7, and those leave at 2 Mbit/s and arrive at 1: a queue, so 0.95 of that. */
static const struct vector_step steps_probes[] = {
    SEND(0, 1, 0),
    VARIABLE(0, "probe_rate_bps", 900000.0),
    SEND(10000, 6, 8889),
    ALL_TOOK(200000, 0, 6, 50),
    VARIABLE(200000, "probe_rate_bps", 1800000.0),
    EXPECT(200000, 899988.7),
    SEND(210000, 1, 0),
    SEND(214000, 5, 4000),
    {.op = VECTOR_ACK, .at_us = 400000, .a = 7, .b = 7, .c = 50000, .d = 100000},
    TOOK(400000, 8, 50),
    TOOK(400000, 9, 54),
    TOOK(400000, 10, 58),
    TOOK(400000, 11, 62),
    TOOK(400000, 12, 66),
    EXPECT(400000, 950000.0),
    VARIABLE(400000, "probe_rate_bps", 0.0),
    END,
};

/* 40000 bytes in flight, where 301000 bit/s for 100 and 350 ms are 16931. */
static const struct vector_step steps_push_back[] = {
    SEND(0, 50, 1000),
    ACK(100000, 0, 9),
    VARIABLE(100000, "push_back", 0.9),
    EXPECT(100000, 270900.0),
    END,
};

static const struct weir_param_value no_push_back[] = {
    {.name = "push-back", .value_text = "false"}};
static const struct weir_param_value no_probes[] = {{.name = "probes", .value_text = "false"}};

#define WITHOUT_PUSH_BACK .params = no_push_back, .n_params = 1

static const struct vector gcc_vectors[] = {
    {.name = "hold becomes increase, 8 % per second", .steps = steps_increase},
    {.name = "overuse: 0.85 of what arrives, less 5 kbit/s", .steps = steps_overuse},
    {.name = "near the capacity: half a packet per response",
     WITHOUT_PUSH_BACK,
     .steps = steps_additive},
    {.name = "underuse holds", WITHOUT_PUSH_BACK, .steps = steps_underuse},
    {.name = "at most 1.5 times what arrives", .steps = steps_limit},
    {.name = "losses bound the rate", WITHOUT_PUSH_BACK, .steps = steps_loss},
    {.name = "3 s without an answer", .steps = steps_silence},
    {.name = "receiver reports: 2 and 10 %", .steps = steps_reports},
    {.name = "too much in flight", .params = no_probes, .n_params = 1, .steps = steps_push_back},
    {.name = "probes at 3 and 6 times the start rate", .steps = steps_probes},
};

KNOWN_ANSWERS(gcc, gcc_vectors);
