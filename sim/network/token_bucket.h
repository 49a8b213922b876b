/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A token bucket: it fills at a rate up to a burst, and what passes takes its size out of it. A
 * policer drops what finds too little in it, a shaper lets it wait.
 *
 * Kept as the time at which the bucket will be full (as the virtual scheduling of ITU-T I.371
 * does): whole nanoseconds, nothing to refill.
 *
 * Invariant: what passes in any time t is at most burst + rate t, less the rounding up of each
 * packet's share to a nanosecond. */
#ifndef WEIR_SIM_TOKEN_BUCKET_H
#define WEIR_SIM_TOKEN_BUCKET_H

#include "weir/status.h"
#include <stdbool.h>
#include <stdint.h>

/* Zeroed = no bucket. */
struct weir__token_bucket_config {
    int64_t rate_bps;    /* 1 .. 10^12; 0 = no bucket */
    int64_t burst_bytes; /* 1 .. 10^9 */
};

struct weir__token_bucket {
    int64_t rate_bps;
    int64_t burst_ns; /* in which the bucket fills */
    int64_t full_ns;  /* when it will be full; earlier than now: it is */
};

enum weir_status weir__token_bucket_check(const struct weir__token_bucket_config *config);
void weir__token_bucket_init(struct weir__token_bucket *bucket,
                             const struct weir__token_bucket_config *config);
bool weir__token_bucket_admits(struct weir__token_bucket *bucket, int64_t now_ns,
                               int64_t size_bytes);
int64_t weir__token_bucket_wait_for(struct weir__token_bucket *bucket, int64_t now_ns,
                                    int64_t size_bytes);
int64_t weir__token_bucket_saved_ns(const struct weir__token_bucket *bucket, int64_t at_ns);

#endif
