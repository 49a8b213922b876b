/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What arrived, when and with which ECN mark, for the newest numbers of one 16-bit sequence: the
 * RTP numbers of a stream, or the transport-wide numbers. Fixed size, no pointers: the ring begins
 * small and doubles inside its memory, so that of a slow stream's little is ever touched. */
#ifndef WEIR_ARRIVALS_H
#define WEIR_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers remembered at most: 100 ms at 10,000 packets/s. Powers of two. */
enum { WEIR__ARRIVALS_SLOTS = 1024, WEIR__ARRIVALS_FIRST_SLOTS = 128 };

struct weir__arrivals {
    int64_t first;      /* lowest number that counts as sent, and was not forgotten */
    int64_t highest;    /* highest number that arrived */
    int64_t needed;     /* numbers from here on are remembered as long as there is room */
    uint32_t n_doubled; /* how often */
    bool started;
    /* Arrival time with ECN in the two low bits, of first .. highest; what is outside was not
     * written since the restart, and in fresh memory costs none. */
    int64_t slots[WEIR__ARRIVALS_SLOTS];
};

enum weir__arrival {
    WEIR__ARRIVAL_NEW,       /* higher than all before */
    WEIR__ARRIVAL_LATE,      /* fills a hole */
    WEIR__ARRIVAL_DUPLICATE, /* was here before */
    WEIR__ARRIVAL_MARKED,    /* a duplicate, the first copy with Congestion Experienced */
    WEIR__ARRIVAL_OLD        /* older than what is remembered */
};

/* Forgets everything; `seq` will be the first number. */
void weir__arrivals_restart(struct weir__arrivals *arrivals, uint16_t seq);

/* Whether seq is further away than loss and reordering explain (RFC 3550 A.1). */
bool weir__arrivals_is_jump(const struct weir__arrivals *arrivals, uint16_t seq);

/* A packet arrived. ecn: two bits as in the IP header. *unwrapped is its number in 64 bits. Started
 * by restart or by its first call. */
enum weir__arrival weir__arrivals_add(struct weir__arrivals *arrivals, uint16_t seq,
                                      int64_t arrival_ns, uint32_t ecn, int64_t *unwrapped);

/* False when the number did not arrive or is not remembered; outputs are then untouched. Times are
 * exact to 4 ns. */
bool weir__arrivals_get(const struct weir__arrivals *arrivals, int64_t seq, int64_t *arrival_ns,
                        uint8_t *ecn);

/* Numbers below `needed` may be forgotten, until one of them arrives again. */
void weir__arrivals_release(struct weir__arrivals *arrivals, int64_t needed);

/* The lowest number about which something is known, <= highest. */
int64_t weir__arrivals_oldest(const struct weir__arrivals *arrivals);

#endif
