/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters that wrap: serial comparison, unwrapping to 64 bits, and remote clocks of 24 or 32 bits.
 *
 * Everything in the tree that compares sequence numbers or wrapped clocks does it through here.
 * `bits` is the width of the wire counter, 1..32; bits above it in a wire value are ignored.
 * Unwrapped values stay exact while they are below 2^62 in magnitude. */
#ifndef WEIR_UNWRAP_H
#define WEIR_UNWRAP_H

#include <stdbool.h>
#include <stdint.h>

/* a - b on the circle, in [-2^(bits-1), 2^(bits-1)); the ambiguous half turn counts as older. */
int64_t weir__serial_diff(uint32_t a, uint32_t b, unsigned bits);

/* Whether a was counted after b. */
static inline bool weir__serial_newer(uint32_t a, uint32_t b, unsigned bits)
{
    return weir__serial_diff(a, b, bits) > 0;
}

/* The 64-bit value congruent to wire that lies closest to reference. */
int64_t weir__unwrap_closest(int64_t reference, uint32_t wire, unsigned bits);

/* The newest 64-bit value congruent to wire that is not newer than last: for feedback about what
 * was sent. last - 2^bits < result <= last. */
int64_t weir__unwrap_not_newer(int64_t last, uint32_t wire, unsigned bits);

/* a - b of times that a clock of others may have told, which may be any number: modulo 2^64. */
static inline int64_t weir__time_diff_ns(int64_t a_ns, int64_t b_ns)
{
    return (int64_t)((uint64_t)a_ns - (uint64_t)b_ns);
}

/* A wire clock: one tick lasts tick_ns_num / tick_ns_den nanoseconds. */
struct weir__wire_clock {
    unsigned bits;
    int64_t tick_ns_num;
    int64_t tick_ns_den;
};

extern const struct weir__wire_clock weir__clock_twcc;  /* reference time: 24 bits of 64 ms */
extern const struct weir__wire_clock weir__clock_mid32; /* middle of NTP: 32 bits of 1/65536 s */

/* ticks in nanoseconds, rounded down; exact over 140 years. */
int64_t weir__ticks_to_ns(const struct weir__wire_clock *clock, int64_t ticks);

enum weir__time_step {
    WEIR__TIME_FIRST,     /* the first value ever: it was anchored to local time */
    WEIR__TIME_CONTINUES, /* the difference to the previous value means something */
    WEIR__TIME_JUMPED     /* an absurd jump: re-anchored, make no delay sample across it */
};

/* A peer's clock as it is seen through its feedback. Zero-initialise. */
struct weir__time_unwrap {
    int64_t ticks;     /* the newest value seen, unwrapped */
    int64_t offset_ns; /* from the peer's clock to the times given out */
    int64_t local_ns;  /* when the newest value came */
    bool started;
};

/* The peer's time for a wire value, as nanoseconds of which only differences mean something. */
enum weir__time_step weir__time_unwrap(struct weir__time_unwrap *state,
                                       const struct weir__wire_clock *clock, uint32_t wire,
                                       int64_t now_ns, int64_t *time_ns);

#endif
