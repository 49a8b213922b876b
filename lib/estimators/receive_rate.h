/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv, the receive rate over the last round-trip time, from arrival times (RFC 5348 6.2 run at
 * the sender). Late packets count as well.
 *
 * Bounded memory: when there are more arrivals than entries, those within a sixteenth of the window
 * share an entry and count as spread evenly over its time. Up to WEIR__RECEIVE_RATE_ENTRIES / 2
 * arrivals per window the result is exact. */
#ifndef WEIR_ESTIMATORS_RECEIVE_RATE_H
#define WEIR_ESTIMATORS_RECEIVE_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__RECEIVE_RATE_ENTRIES 48

struct weir__receive_rate_entry {
    int64_t first_ns;
    int64_t last_ns;
    int64_t bytes;
};

/* Zero-initialise. */
struct weir__receive_rate {
    struct weir__receive_rate_entry entries[WEIR__RECEIVE_RATE_ENTRIES]; /* by time, oldest first */
    size_t n;
    int64_t grain_ns;     /* arrivals closer than this share an entry; 0 = none do */
    bool trimmed;         /* something was forgotten ... */
    int64_t forgotten_ns; /* ... up to here */
};

/* Before the arrivals of one feedback, the newest of which is at_ns. When that is far older than
 * what is known, the clock has stepped back, and the history starts afresh. */
void weir__receive_rate_begin(struct weir__receive_rate *rate, int64_t at_ns, int64_t window_ns);

/* An arrival, in any order, on any one clock. Keeps two windows of history. window_ns > 0. */
void weir__receive_rate_add(struct weir__receive_rate *rate, int64_t at_ns, int64_t bytes,
                            int64_t window_ns);

/* Bytes/s over the window that ends at the newest arrival: (newest - window, newest]. Divides by
 * the window, or by what is remembered of it, never by less than half of it. 0 without arrivals. */
double weir__receive_rate_get(const struct weir__receive_rate *rate, int64_t window_ns);

#endif
