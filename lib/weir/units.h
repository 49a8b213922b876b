/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Units: time is int64_t nanoseconds, sizes are bytes, rates are bits per second (int64_t).
 * Constants are written with these helpers, so that a comment cannot disagree with a value. */
#ifndef WEIR_UNITS_H
#define WEIR_UNITS_H

#include <stdint.h>

/* Never: a deadline that is not set, or a pacer blocked by the window. */
#define WEIR_NEVER_NS INT64_MAX
/* Unknown: an RTT before its first sample, the arrival of a lost packet. */
#define WEIR_UNKNOWN_NS INT64_MIN

#define WEIR_US(x)      ((int64_t)(x)*INT64_C(1000))
#define WEIR_MS(x)      ((int64_t)(x)*INT64_C(1000000))
#define WEIR_SECONDS(x) ((int64_t)(x)*INT64_C(1000000000))
#define WEIR_KBPS(x)    ((int64_t)(x)*INT64_C(1000))
#define WEIR_MBPS(x)    ((int64_t)(x)*INT64_C(1000000))

/* 100 Gbit/s: no limit, share or answer of a session is above. */
#define WEIR_MAX_BPS WEIR_MBPS(100000)

/* value limited to [low, high]; low <= high. */
static inline int64_t weir_clamp_i64(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* a + b for a time a and a duration b >= 0; saturates at WEIR_NEVER_NS; never plus anything is
 * never. */
static inline int64_t weir_time_add_ns(int64_t a_ns, int64_t b_ns)
{
    return b_ns == WEIR_NEVER_NS || a_ns > WEIR_NEVER_NS - b_ns ? WEIR_NEVER_NS : a_ns + b_ns;
}

static inline int64_t weir_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t weir_max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The nearest integer of a value between -2^63 and 2^63, halves away from zero: what llround() of
 * libm gives, but no call, which compilers make of that. */
static inline int64_t weir_round_i64(double value)
{
    int64_t whole = (int64_t)value;
    double rest = value - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* Time to send size_bytes at rate_bps, rounded up to a whole nanosecond.
 * rate_bps <= 0 gives WEIR_NEVER_NS. Above 2^30 bytes (a long queue, not a packet) it has the
 * precision of a double and saturates at WEIR_NEVER_NS. */
static inline int64_t weir_send_time_ns(int64_t size_bytes, int64_t rate_bps)
{
    if (rate_bps <= 0) {
        return WEIR_NEVER_NS;
    }
    if (size_bytes > INT64_C(1) << 30) {
        double time_ns = 8e9 * (double)size_bytes / (double)rate_bps;
        return time_ns >= 9.2e18 ? WEIR_NEVER_NS : (int64_t)time_ns;
    }
    int64_t bit_ns = size_bytes * 8 * INT64_C(1000000000);
    return (bit_ns + rate_bps - 1) / rate_bps;
}

/* Mean rate of size_bytes over duration_ns, in bit/s. A duration < 1 counts as 1 ns; saturates at
 * INT64_MAX. */
static inline int64_t weir_rate_bps(int64_t size_bytes, int64_t duration_ns)
{
    double bps = 8e9 * (double)size_bytes / (double)(duration_ns < 1 ? 1 : duration_ns);
    return bps >= 9.2e18 ? INT64_MAX : (int64_t)bps;
}

#endif
