/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of known answers in one line each (struct vector_step). Packets have 1000 bytes, the
 * round-trip time is 100 ms where none is given, and half of it is the delay one way. */
#ifndef WEIR_TESTS_VECTORS_STEPS_H
#define WEIR_TESTS_VECTORS_STEPS_H

#include "known_answers.h"

#define SEND(us, n, gap)                                                                           \
    {                                                                                              \
        .op = VECTOR_SEND, .at_us = (us), .a = (n), .b = 1000, .c = (gap)                          \
    }
#define SEND_IDLE(us, n, gap)                                                                      \
    {                                                                                              \
        .op = VECTOR_SEND_IDLE, .at_us = (us), .a = (n), .b = 1000, .c = (gap)                     \
    }
#define ACK_AFTER(us, first, last, rtt_us)                                                         \
    {                                                                                              \
        .op = VECTOR_ACK, .at_us = (us), .a = (first), .b = (last), .c = (rtt_us) / 2,             \
        .d = (rtt_us)                                                                              \
    }
#define ACK(us, first, last) ACK_AFTER(us, first, last, 100000)
#define LOSE(us, first, last)                                                                      \
    {                                                                                              \
        .op = VECTOR_LOSE, .at_us = (us), .a = (first), .b = (last)                                \
    }
#define REPORT_AFTER(us, expected, lost, interval_us, rtt_us)                                      \
    {                                                                                              \
        .op = VECTOR_REPORT, .at_us = (us), .a = (expected), .b = (lost), .c = (interval_us),      \
        .d = (rtt_us)                                                                              \
    }
#define REPORT(us, expected, lost) REPORT_AFTER(us, expected, lost, 1000000, 100000)
#define TIMERS(us)                                                                                 \
    {                                                                                              \
        .op = VECTOR_TIMERS, .at_us = (us)                                                         \
    }
#define EXPECT(us, bps)                                                                            \
    {                                                                                              \
        .op = VECTOR_EXPECT_BPS, .at_us = (us), .x = (bps), .y = 1e-6                              \
    }
#define VARIABLE(us, which, value)                                                                 \
    {                                                                                              \
        .op = VECTOR_EXPECT_VARIABLE, .at_us = (us), .name = (which), .x = (value), .y = 1e-6      \
    }
#define END                                                                                        \
    {                                                                                              \
        .op = VECTOR_END                                                                           \
    }

#endif
