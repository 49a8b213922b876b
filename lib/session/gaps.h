/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP sequence numbers of a stream that were never sent, because a queue dropped their packets: the
 * receiver takes them for lost on the way. */
#ifndef WEIR_GAPS_H
#define WEIR_GAPS_H

#include <stdint.h>

/* As many as a second of 30 frames can have. */
enum { WEIR__GAPS = 32 };

struct weir__gap {
    uint32_t end_rtp;         /* the first number sent after it: low bits of the unwrapped one */
    uint32_t skipped_packets; /* never sent, in this gap and all before it */
};

/* Zero-initialise. */
struct weir__gaps {
    uint32_t n_gaps;            /* ever; the newest is at (n_gaps - 1) % WEIR__GAPS */
    uint32_t forgotten_packets; /* never sent, in the gaps that left the ring */
    struct weir__gap gaps[WEIR__GAPS];
};

/* skipped_packets numbers before end_rtp were not sent. end_rtp only grows. */
void weir__gaps_add(struct weir__gaps *gaps, int64_t end_rtp, uint32_t skipped_packets);

/* A number of a gap was sent after all. */
void weir__gaps_fill(struct weir__gaps *gaps, int64_t rtp);

/* How many numbers up to rtp were never sent, modulo 2^32. Before the gaps in the ring that is too
 * many, by no more than the gaps that left it; but with a later rtp it never falls, so that the
 * differences of one call and the next add up to what was skipped. */
uint32_t weir__gaps_before(const struct weir__gaps *gaps, int64_t rtp);

#endif
