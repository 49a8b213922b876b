/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Byte rate over a sliding window, counted in bins of equal length. Zero-initialise, then init. */
#ifndef WEIR_RATE_METER_H
#define WEIR_RATE_METER_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR__RATE_METER_BINS = 64 };

struct weir__rate_meter {
    int64_t bin_ns;
    int64_t first_ns;   /* of the first bytes since the start or the last gap */
    int64_t newest_bin; /* number of the newest bin that holds something */
    int64_t newest_ns;  /* where it starts */
    bool started;
    int64_t bytes[WEIR__RATE_METER_BINS];
};

/* bin_ns >= 1: the resolution. The longest window is (WEIR__RATE_METER_BINS - 1) * bin_ns. */
void weir__rate_meter_init(struct weir__rate_meter *meter, int64_t bin_ns);

/* Counts bytes at a time, which may be older than what was counted before; beyond the longest
 * window they are forgotten. */
void weir__rate_meter_add(struct weir__rate_meter *meter, int64_t at_ns, int64_t bytes);

/* Bytes of the bins that overlap the last window_ns, and how long those bins last until now_ns: the
 * rate is exact for steady traffic. The time before the first bytes does not count. */
struct weir__rate_span {
    int64_t bytes;
    int64_t duration_ns; /* >= 1 */
};
struct weir__rate_span weir__rate_meter_span(const struct weir__rate_meter *meter, int64_t now_ns,
                                             int64_t window_ns);

/* The same as a rate; 0 before the first bytes. */
int64_t weir__rate_meter_bps(const struct weir__rate_meter *meter, int64_t now_ns,
                             int64_t window_ns);

#endif
