/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/token_bucket.h"
#include "weir/units.h"

#define MOST_RATE_BPS    INT64_C(1000000000000)
#define MOST_BURST_BYTES INT64_C(1000000000)

/* WEIR_ERROR_RANGE when it is neither without a rate nor within the ranges. */
enum weir_status weir__token_bucket_check(const struct weir__token_bucket_config *config)
{
    bool valid = config->rate_bps == 0 ||
                 (config->rate_bps >= 1 && config->rate_bps <= MOST_RATE_BPS &&
                  config->burst_bytes >= 1 && config->burst_bytes <= MOST_BURST_BYTES);
    return valid ? WEIR_OK : WEIR_ERROR_RANGE;
}

/* A full bucket. */
void weir__token_bucket_init(struct weir__token_bucket *bucket,
                             const struct weir__token_bucket_config *config)
{
    *bucket = (struct weir__token_bucket){
        .rate_bps = config->rate_bps,
        .burst_ns = weir_send_time_ns(config->burst_bytes, config->rate_bps)};
}

/* When there will be enough for it, not before now_ns; for a packet above the burst, when the
 * bucket will be full. */
static int64_t enough_ns(const struct weir__token_bucket *bucket, int64_t now_ns, int64_t share_ns)
{
    int64_t missing_ns = weir_max_i64(0, share_ns - bucket->burst_ns);
    return weir_max_i64(now_ns, bucket->full_ns + share_ns - missing_ns - bucket->burst_ns);
}

static void take(struct weir__token_bucket *bucket, int64_t at_ns, int64_t share_ns)
{
    bucket->full_ns = weir_max_i64(bucket->full_ns, at_ns) + share_ns;
}

/* A policer: whether the packet passes now, and takes its share. One above the burst never does. */
bool weir__token_bucket_admits(struct weir__token_bucket *bucket, int64_t now_ns,
                               int64_t size_bytes)
{
    int64_t share_ns = weir_send_time_ns(size_bytes, bucket->rate_bps);
    if (share_ns > bucket->burst_ns || enough_ns(bucket, now_ns, share_ns) > now_ns) {
        return false;
    }
    take(bucket, now_ns, share_ns);
    return true;
}

/* A shaper: the packet takes its share as soon as there is enough; returns when. One above the
 * burst waits for the full bucket and leaves a debt. */
int64_t weir__token_bucket_wait_for(struct weir__token_bucket *bucket, int64_t now_ns,
                                    int64_t size_bytes)
{
    int64_t share_ns = weir_send_time_ns(size_bytes, bucket->rate_bps);
    int64_t at_ns = enough_ns(bucket, now_ns, share_ns);
    take(bucket, at_ns, share_ns);
    return at_ns;
}

/* What will be in the bucket at at_ns, as the time in which the rate brings it; negative = debt. */
int64_t weir__token_bucket_saved_ns(const struct weir__token_bucket *bucket, int64_t at_ns)
{
    return bucket->burst_ns - weir_max_i64(0, bucket->full_ns - at_ns);
}
