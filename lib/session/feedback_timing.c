/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/feedback_timing.h"

/* 5 % as a divisor, and how far the credit may go: one report in hand, a few in debt. */
#define SHARE_DIVISOR INT64_C(20)
#define CREDIT_MAX    (SHARE_DIVISOR * 400)
#define CREDIT_MIN    (-SHARE_DIVISOR * 400)

/* SplitMix64 (Steele, Lea, Flood 2014): the next of a seeded row of numbers. */
static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void weir__feedback_timing_init(struct weir__feedback_timing *timing, uint64_t seed)
{
    *timing = (struct weir__feedback_timing){.last_ns = WEIR_UNKNOWN_NS,
                                             .next_full_ns = WEIR_NEVER_NS,
                                             .credit = CREDIT_MAX,
                                             .extra_compounds = true,
                                             .random = seed};
}

void weir__feedback_timing_on_packet(struct weir__feedback_timing *timing, int64_t now_ns,
                                     int64_t wire_bytes, bool reportable)
{
    timing->credit = weir_min_i64(timing->credit + wire_bytes, CREDIT_MAX);
    timing->n_new += reportable;
    if (timing->next_full_ns == WEIR_NEVER_NS) {
        timing->next_full_ns = now_ns; /* the first datagram is a full compound (RFC 5506 3.4.2) */
    }
}

/* When what is new may be reported. */
static int64_t next_new_ns(const struct weir__feedback_timing *timing, int64_t interval_ns)
{
    if (timing->per_packet) {
        return timing->last_ns + WEIR__FEEDBACK_FASTEST_NS;
    }
    if (timing->first || timing->n_new >= WEIR__FEEDBACK_BACKLOG ||
        (timing->urgent && timing->credit >= 0)) {
        return timing->last_ns + WEIR__FEEDBACK_SPACING_NS;
    }
    if (timing->extra_compounds && interval_ns > WEIR__FEEDBACK_FULL_NS) {
        return timing->next_full_ns; /* a full compound comes as often, and reports the same */
    }
    bool in_debt = timing->credit < 0;
    int64_t wait_ns = in_debt ? weir_max_i64(interval_ns, WEIR__FEEDBACK_LONGEST_NS) : interval_ns;
    return timing->last_ns + weir_max_i64(wait_ns, WEIR__FEEDBACK_SPACING_NS);
}

int64_t weir__feedback_timing_next_ns(const struct weir__feedback_timing *timing,
                                      int64_t interval_ns)
{
    bool alone = timing->extra_compounds || timing->last_ns == WEIR_UNKNOWN_NS;
    int64_t full_ns = alone ? timing->next_full_ns : WEIR_NEVER_NS;
    if (timing->last_ns == WEIR_UNKNOWN_NS || timing->n_new == 0) {
        return full_ns;
    }
    return weir_min_i64(full_ns, next_new_ns(timing, interval_ns));
}

/* The next one follows after 0.5 .. 1.5 times the interval, so that receivers do not fall into step
 * (RFC 3550 6.2).
 */
void weir__feedback_timing_take_full(struct weir__feedback_timing *timing, int64_t now_ns,
                                     int64_t interval_ns)
{
    int64_t full_ns = weir_max_i64(WEIR__FEEDBACK_FULL_NS, interval_ns);
    uint64_t spread_ns = next_random(&timing->random) % (uint64_t)full_ns;
    timing->next_full_ns = now_ns + full_ns / 2 + (int64_t)spread_ns;
}

void weir__feedback_timing_take_new(struct weir__feedback_timing *timing)
{
    timing->n_new = 0;
    timing->first = false;
    timing->urgent = false;
}

void weir__feedback_timing_on_sent(struct weir__feedback_timing *timing, int64_t now_ns,
                                   int64_t wire_bytes)
{
    timing->last_ns = now_ns;
    timing->credit = weir_max_i64(timing->credit - SHARE_DIVISOR * wire_bytes, CREDIT_MIN);
}
