/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/aggregation.h"
#include "weir/units.h"
#include <stdbool.h>

#define MOST_PACKETS 65536
#define LONGEST_NS   WEIR_SECONDS(3600)

/* WEIR_ERROR_RANGE when it is neither without packets nor within the ranges. */
enum weir_status weir__aggregation_check(const struct weir__aggregation_config *config)
{
    bool valid =
        config->packets == 0 || (config->packets >= 1 && config->packets <= MOST_PACKETS &&
                                 config->airtime_ns >= 1 && config->airtime_ns <= LONGEST_NS &&
                                 config->access_ns >= 0 && config->access_ns <= LONGEST_NS);
    return valid ? WEIR_OK : WEIR_ERROR_RANGE;
}

/* How many packets of this size an aggregate can have at rate_bps > 0: the last of them begins
 * before the airtime ends. */
int64_t weir__aggregation_most_packets(const struct weir__aggregation_config *config,
                                       int64_t packet_bytes, int64_t rate_bps)
{
    int64_t send_ns = weir_max_i64(1, weir_send_time_ns(packet_bytes, rate_bps));
    return weir_min_i64(config->packets, (config->airtime_ns + send_ns - 1) / send_ns);
}

/* What a link with a long queue of such packets carries in the long run; 0 in an outage. */
int64_t weir__aggregation_capacity_bps(const struct weir__aggregation_config *config,
                                       int64_t packet_bytes, int64_t rate_bps)
{
    if (rate_bps <= 0) {
        return 0;
    }
    int64_t bytes = packet_bytes * weir__aggregation_most_packets(config, packet_bytes, rate_bps);
    return weir_rate_bps(bytes, config->access_ns + weir_send_time_ns(bytes, rate_bps));
}

/* How many aggregates it takes to send a queue, at rate_bps > 0. */
int64_t weir__aggregation_accesses(const struct weir__aggregation_config *config, int64_t packets,
                                   int64_t bytes, int64_t rate_bps)
{
    if (packets == 0) {
        return 0;
    }
    int64_t most = weir__aggregation_most_packets(config, bytes / packets, rate_bps);
    return (packets + most - 1) / most;
}
