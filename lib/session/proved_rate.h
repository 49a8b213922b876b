/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the path has carried, as a figure worth storing for the next session to the same peer: the
 * highest mean of about ten seconds within the last thirty to sixty. Only what arrived counts, at
 * the rate at which it had been sent, so it is no target that nobody has tried yet, and a queue
 * adds to it no more than its length in ten seconds. What the path carried minutes ago is
 * forgotten; pauses of the source count as no time.
 *
 * A later session may begin with half of it (RFC 9959 calls this Careful Resume): the path may have
 * changed, and half of what was proved is what a window is cut to after one loss. */
#ifndef WEIR_SESSION_PROVED_RATE_H
#define WEIR_SESSION_PROVED_RATE_H

#include <stdint.h>

struct weir__proved_rate {
    int64_t newest_sent_ns; /* of the packets that arrived; UNKNOWN */
    double bits, seconds;   /* sums that fade */
    double slot_s;          /* how much of the newest slot is over */
    double best_bps[2];     /* of the newest slot of 30 s, and of the one before */
};

void weir__proved_rate_init(struct weir__proved_rate *proved);

/* So many wire bytes, the newest sent at newest_sent_ns, were reported received. */
void weir__proved_rate_on_packets(struct weir__proved_rate *proved, int64_t newest_sent_ns,
                                  int64_t wire_bytes);
/* The same from a receiver report: of what was sent in interval_ns > 0. */
void weir__proved_rate_on_report(struct weir__proved_rate *proved, int64_t wire_bytes,
                                 int64_t interval_ns);

/* On the wire; 0: not known, for two seconds of media. */
int64_t weir__proved_rate_bps(const struct weir__proved_rate *proved);

#endif
