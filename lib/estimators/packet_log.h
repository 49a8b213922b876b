/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What became of the packets of the last half second or so: how many arrived, were marked and were
 * lost, the rate at which they arrived, and the greatest delay among them (the observation window
 * of RFC 8698 5.1).
 *
 * Kept as ten tenths of the window and the running one, so it is one window long and up to a tenth
 * more; what it tells is of just that time. */
#ifndef WEIR_ESTIMATORS_PACKET_LOG_H
#define WEIR_ESTIMATORS_PACKET_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR__PACKET_LOG_PARTS = 10 };

struct weir__packet_counts {
    int64_t bytes; /* of those that arrived */
    int64_t n_arrived;
    int64_t n_marked;
    int64_t n_lost;
    int64_t greatest_delay_ns; /* INT64_MIN: no delay is known */
};

struct weir__packet_log_part {
    int64_t number; /* tenths of the window since the log began */
    struct weir__packet_counts counts;
};

struct weir__packet_log {
    int64_t part_ns;
    bool known;
    int64_t begin_ns;                                               /* first arrival */
    int64_t newest_ns;                                              /* newest arrival */
    struct weir__packet_log_part parts[WEIR__PACKET_LOG_PARTS + 1]; /* ring, by number */
};

/* window_ns >= WEIR__PACKET_LOG_PARTS. */
void weir__packet_log_init(struct weir__packet_log *log, int64_t window_ns);

/* A packet arrived at at_ns, on any one clock. delay_ns: WEIR_UNKNOWN_NS if not known. One older
 * than the window is not counted; when it is older than two, the clock is another, and the log
 * begins anew. */
void weir__packet_log_on_arrival(struct weir__packet_log *log, int64_t at_ns, int64_t bytes,
                                 int64_t delay_ns, bool marked);

/* Packets are missing: counted with the newest arrival, since that shows it. Before the first
 * arrival they are not counted. */
void weir__packet_log_on_lost(struct weir__packet_log *log, int64_t n_lost);

struct weir__packet_counts weir__packet_log_counts(const struct weir__packet_log *log);

/* Bits/s that arrived, over the window or the time it covers if that is longer; 0 without
 * arrivals. */
double weir__packet_log_bps(const struct weir__packet_log *log);

#endif
