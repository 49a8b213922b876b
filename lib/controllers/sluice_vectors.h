/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of sluice, for sluice.c alone. The path is 50 ms each way: the loop time is 200 ms,
 * and so is the unit of growth. */
#ifndef WEIR_CONTROLLERS_SLUICE_VECTORS_H
#define WEIR_CONTROLLERS_SLUICE_VECTORS_H

#include "controllers/vector_steps.h"

static const struct weir_vector_step sluice_start[] = {
    EXPECT(0, 300000.0),
    END,
};

/* 400 kbit/s leave. The first feedback tells when, the second lets the rate grow by 30 % per unit
 * for the 60 ms between them. */
static const struct weir_vector_step sluice_grow[] = {
    SEND(0, 20, 20000),  ACK(400000, 0, 9),        EXPECT(400000, 300000.0),
    ACK(460000, 10, 13), EXPECT(460000, 327000.0), END,
};

/* Losses that meet no queue change nothing. */
static const struct weir_vector_step sluice_random_loss[] = {
    SEND(0, 20, 20000),
    ACK(400000, 0, 9),
    LOSE(460000, 10, 10),
    ACK(460000, 11, 13),
    EXPECT(460000, 327000.0),
    VARIABLE(460000, "loss_events", 1.0),
    END,
};

/* 1.6 times what is sent, 160 kbit/s, is less than the rate: nothing proves more. */
static const struct weir_vector_step sluice_unproved[] = {
    SEND(0, 40, 50000), ACK(2100000, 0, 35), ACK(2160000, 36, 38), EXPECT(2160000, 300000.0), END,
};

/* No answer for a second, before an RTT is known: half; the next packet begins the next wait. */
static const struct weir_vector_step sluice_silence[] = {
    SEND(0, 1, 0),
    TIMERS(999999),
    EXPECT(999999, 300000.0),
    TIMERS(1000000),
    EXPECT(1000000, 150000.0),
    TIMERS(9000000),
    EXPECT(9000000, 150000.0),
    END,
};

/* 800 kbit/s leave, 400 arrive. With packet 15 the queue was never below 30 ms in the last ten
 * packets, longer than one of them takes: 400 kbit/s are the capacity. */
static const struct weir_vector_step sluice_steer[] = {
    SEND(0, 30, 10000),
    ACK_AFTER(300000, 0, 3, 100000),
    ACK_AFTER(320000, 4, 4, 120000),
    ACK_AFTER(340000, 5, 5, 140000),
    ACK_AFTER(360000, 6, 6, 160000),
    ACK_AFTER(380000, 7, 7, 180000),
    ACK_AFTER(400000, 8, 8, 200000),
    ACK_AFTER(420000, 9, 9, 220000),
    ACK_AFTER(440000, 10, 10, 240000),
    ACK_AFTER(460000, 11, 11, 260000),
    ACK_AFTER(480000, 12, 12, 280000),
    ACK_AFTER(500000, 13, 13, 300000),
    ACK_AFTER(520000, 14, 14, 320000),
    VARIABLE(520000, "busy", 0.0),
    ACK_AFTER(540000, 15, 15, 340000),
    VARIABLE(540000, "busy", 1.0),
    VARIABLE(540000, "capacity_bps", 400000.0),
    END,
};

/* Receiver reports, one a second: the loop is 1.1 s, the unit of growth 0.77 s. */
static const struct weir_vector_step sluice_reports[] = {
    SEND(0, 100, 10000),       REPORT_AFTER(1000000, 40, 0, 1000000, 100000),
    EXPECT(1000000, 300000.0), REPORT_AFTER(2000000, 50, 0, 1000000, 100000),
    EXPECT(2000000, 416883.0), END,
};

#define SLUICE_VECTOR(which)                                                                       \
    {                                                                                              \
        .name = #which, .steps = sluice_##which                                                    \
    }
static const struct weir_vector sluice_vectors[] = {
    SLUICE_VECTOR(start),    SLUICE_VECTOR(grow),    SLUICE_VECTOR(random_loss),
    SLUICE_VECTOR(unproved), SLUICE_VECTOR(silence), SLUICE_VECTOR(steer),
    SLUICE_VECTOR(reports),
};

#endif
