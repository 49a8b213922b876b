/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What arrived with which codepoint, from a receiver that counts codepoints (RFC 6679 5.1) and
 * tells of no single packet.
 *
 * Two reports of one receiver make the counts of the packets between them. Counts of more packets
 * than those are forged, or those of a receiver that began anew, and so is what went back; they are
 * not believed, and are the base of the next. */
#ifndef WEIR_ECN_SUMS_H
#define WEIR_ECN_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/ecn_report.h"

/* Of one stream. Zero-initialise. */
struct weir__ecn_sums {
    bool known;
    uint32_t reporter_ssrc;
    int64_t seq; /* of the history: the newest packet counted */
    struct weir__ecn_counts counts;
};

struct weir__ecn_arrivals {
    int64_t first_seq, last_seq; /* of the history: packets between which these arrived */
    uint32_t packets[4];         /* by enum weir_ecn */
};

/* feedback: a report, whose newest packet is seq of the history. WEIR_OK: *arrivals is filled in,
 * with no packets if it is the first of its receiver. WEIR_ERROR_REJECTED: it cannot be true. */
enum weir_status weir__ecn_sums_on_feedback(struct weir__ecn_sums *sums,
                                            const struct weir__ecn_feedback *feedback, int64_t seq,
                                            struct weir__ecn_arrivals *arrivals);

#endif
