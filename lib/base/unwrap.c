/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/unwrap.h"

#include "weir/units.h"

/* How far a remote clock may run ahead of or behind what local time explains. */
#define CLOCK_TOLERANCE_NS WEIR_SECONDS(10)

/* 10^9 / 2^16 = 1953125 / 128 and 10^9 / 2^18 = 1953125 / 512. */
const struct weir__wire_clock weir__clock_twcc = {
    .bits = 24, .tick_ns_num = WEIR_MS(64), .tick_ns_den = 1};
const struct weir__wire_clock weir__clock_mid32 = {
    .bits = 32, .tick_ns_num = 1953125, .tick_ns_den = 128};
/* All ones in the low bits, 1..32. */
static uint32_t mask_of(unsigned bits)
{
    return UINT32_MAX >> (32U - bits);
}

/* The common rule of RFC 1982 for any width, with the ambiguous distance taken as "older". */
int64_t weir__serial_diff(uint32_t a, uint32_t b, unsigned bits)
{
    uint32_t distance = (a - b) & mask_of(bits);
    uint32_t half = UINT32_C(1) << (bits - 1U);
    return distance < half ? (int64_t)distance : (int64_t)distance - (INT64_C(1) << bits);
}

int64_t weir__unwrap_closest(int64_t reference, uint32_t wire, unsigned bits)
{
    return reference + weir__serial_diff(wire, (uint32_t)(uint64_t)reference, bits);
}

int64_t weir__unwrap_not_newer(int64_t last, uint32_t wire, unsigned bits)
{
    return last - (int64_t)(((uint32_t)(uint64_t)last - wire) & mask_of(bits));
}

/* Whole multiples of the denominator first, so that the product cannot overflow. */
int64_t weir__ticks_to_ns(const struct weir__wire_clock *clock, int64_t ticks)
{
    int64_t den = clock->tick_ns_den;
    int64_t whole = ticks / den;
    int64_t rest = ticks % den;
    if (rest < 0) {
        rest += den;
        whole--;
    }
    return whole * clock->tick_ns_num + rest * clock->tick_ns_num / den;
}

/* Lets the wire value stand for time_ns from now on. */
static void anchor(struct weir__time_unwrap *state, const struct weir__wire_clock *clock,
                   uint32_t wire, int64_t now_ns, int64_t time_ns)
{
    state->ticks = (int64_t)(wire & mask_of(clock->bits));
    state->offset_ns = time_ns - weir__ticks_to_ns(clock, state->ticks);
    state->local_ns = now_ns;
    state->started = true;
}

/* A step of the remote clock that the local time since the newest value cannot explain. */
static bool is_absurd(int64_t step_ns, int64_t elapsed_ns)
{
    return step_ns < -CLOCK_TOLERANCE_NS || step_ns - elapsed_ns > CLOCK_TOLERANCE_NS;
}

/* Unwraps against the newest value so far, so that reordered reports land where they belong. The
 * first value stands for now_ns; after a jump the clock goes on as if it had run with ours. */
enum weir__time_step weir__time_unwrap(struct weir__time_unwrap *state,
                                       const struct weir__wire_clock *clock, uint32_t wire,
                                       int64_t now_ns, int64_t *time_ns)
{
    if (!state->started) {
        anchor(state, clock, wire, now_ns, now_ns);
        *time_ns = now_ns;
        return WEIR__TIME_FIRST;
    }

    int64_t ticks = weir__unwrap_closest(state->ticks, wire, clock->bits);
    int64_t newest_ns = weir__ticks_to_ns(clock, state->ticks) + state->offset_ns;
    int64_t step_ns = weir__ticks_to_ns(clock, ticks) + state->offset_ns - newest_ns;
    int64_t elapsed_ns = weir_max_i64(now_ns - state->local_ns, 0);
    if (is_absurd(step_ns, elapsed_ns)) {
        *time_ns = newest_ns + elapsed_ns;
        anchor(state, clock, wire, now_ns, *time_ns);
        return WEIR__TIME_JUMPED;
    }

    *time_ns = newest_ns + step_ns;
    if (ticks > state->ticks) {
        state->ticks = ticks;
        state->local_ns = now_ns;
    }
    return WEIR__TIME_CONTINUES;
}
