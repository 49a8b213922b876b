/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faulty clocks of a peer, and those with which it lies. */
#ifndef WEIR_TESTS_FAULT_CLOCKS_H
#define WEIR_TESTS_FAULT_CLOCKS_H

#include "fault_state.h"

#define HOUR_NS  WEIR_SECONDS(3600)
#define BEGAN_NS WEIR_SECONDS(5000) /* when our time 0 is, on the peer's clock */

typedef int64_t (*clock_fn)(const struct fault_rig *rig, int64_t at_ns, int64_t sent_ns);

#define CLOCK(name, expression)                                                                    \
    static int64_t name(const struct fault_rig *rig, int64_t at_ns, int64_t sent_ns)               \
    {                                                                                              \
        (void)rig;                                                                                 \
        (void)at_ns;                                                                               \
        (void)sent_ns;                                                                             \
        return BEGAN_NS + (expression);                                                            \
    }

CLOCK(fast_1000, at_ns + at_ns / 1000)
CLOCK(slow_1000, at_ns - at_ns / 1000)
CLOCK(fast_100, at_ns + at_ns / 10000)
CLOCK(slow_100, at_ns - at_ns / 10000)
CLOCK(forward_15_ms, at_ns + (at_ns > WEIR_SECONDS(20) ? WEIR_MS(15) : 0))
CLOCK(forward_30_ms, at_ns + (at_ns > WEIR_SECONDS(20) ? WEIR_MS(30) : 0))
CLOCK(forward_100_ms, at_ns + (at_ns > WEIR_SECONDS(20) ? WEIR_MS(100) : 0))
CLOCK(forward_1_s, at_ns + (at_ns > WEIR_SECONDS(20) ? WEIR_SECONDS(1) : 0))
CLOCK(forward_1_h, at_ns + (at_ns > WEIR_SECONDS(20) ? HOUR_NS : 0))
CLOCK(back_15_ms, at_ns - (at_ns > WEIR_SECONDS(20) ? WEIR_MS(15) : 0))
CLOCK(back_30_ms, at_ns - (at_ns > WEIR_SECONDS(20) ? WEIR_MS(30) : 0))
CLOCK(back_100_ms, at_ns - (at_ns > WEIR_SECONDS(20) ? WEIR_MS(100) : 0))
CLOCK(back_1_s, at_ns - (at_ns > WEIR_SECONDS(20) ? WEIR_SECONDS(1) : 0))
CLOCK(back_1_h, at_ns - (at_ns > WEIR_SECONDS(20) ? HOUR_NS : 0))
CLOCK(to_and_fro_100_ms, at_ns + (at_ns / WEIR_SECONDS(10) % 2 == 1 ? WEIR_MS(100) : 0))
/* Backwards from 20 to 25 s. */
CLOCK(backwards, at_ns < WEIR_SECONDS(20)   ? at_ns
                 : at_ns < WEIR_SECONDS(25) ? 2 * WEIR_SECONDS(20) - at_ns
                                            : at_ns - WEIR_SECONDS(10))
CLOCK(always_backwards, -at_ns)
CLOCK(stands, 0 * at_ns)
CLOCK(ticks_10_ms, at_ns / WEIR_MS(10) * WEIR_MS(10))
CLOCK(ticks_64_ms, at_ns / WEIR_MS(64) * WEIR_MS(64))
CLOCK(wraps, at_ns % WEIR_SECONDS(16))
CLOCK(microseconds_for_ns, at_ns / 1000)
CLOCK(extremes,
      (at_ns / WEIR_MS(100)) % 2 == 0 ? INT64_MAX - BEGAN_NS - at_ns : INT64_MIN + 2 + at_ns)
/* Lies. */
CLOCK(flat, sent_ns)
CLOCK(early, sent_ns - WEIR_SECONDS(1))
CLOCK(squeezed, sent_ns / 10)
CLOCK(falling, sent_ns - sent_ns / 20)
CLOCK(in_one_moment, sent_ns / WEIR_SECONDS(1) * WEIR_SECONDS(1))
CLOCK(flat_from_20_s, at_ns < WEIR_SECONDS(20) ? at_ns : sent_ns + WEIR_MS(55))
CLOCK(other, at_ns - WEIR_SECONDS(3000) + at_ns / 5000)

#endif
