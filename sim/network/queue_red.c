/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RED as ns-2 2.35 runs it: gentle, with "wait". Average and thresholds are in packets; in byte
 * mode that means bytes / mean packet size. Differs from ns-2: the limit of the queue is what
 * queue_droptail.h says also in byte mode, where ns-2 takes limit x mean packet size, in bytes. It
 * marks up to max_packets (RFC 3168 7), ns-2 up to a p_b of 0.1: the same with max_p 0.1. */
#include "sim/network/queue_red.h"
#include "sim/base/elementary.h"

#define AUTO_MIN_PACKETS  5.0
#define AUTO_MAX_OVER_MIN 3.0
#define AUTO_TARGET_SECONDS                                                                        \
    0.005                    /* the automatic minimum is at least half of this queueing delay */
#define AUTO_RTT_SECONDS 0.1 /* the least round trip assumed for the automatic weight */

/* ns-2's defaults: automatic thresholds and weight, max_p 0.1, gentle, wait, 500-byte packets,
 * byte mode. */
void weir__red_config_default(struct weir__red_config *config)
{
    *config = (struct weir__red_config){
        .max_p = 0.1, .mean_packet_bytes = 500, .gentle = true, .wait = true, .byte_mode = true};
}

static bool is_valid(const struct weir__red_config *c)
{
    return c->min_packets >= 0.0 && c->min_packets <= 1e9 && c->max_packets >= 0.0 &&
           c->max_packets <= 1e9 && c->max_p > 0.0 && c->max_p <= 1.0 && c->weight >= 0.0 &&
           c->weight < 1.0 && c->mean_packet_bytes > 0;
}

/* wq = 1 - exp(-1 / (10 rtt ptc)), rtt = max(0.1, 3 (delay + 1/ptc)): a time constant of ten round
 * trips. delay in seconds, ptc in packets per second, > 0. */
static double automatic_weight(double delay, double ptc)
{
    double rtt = 3.0 * (delay + 1.0 / ptc);
    if (rtt < AUTO_RTT_SECONDS) {
        rtt = AUTO_RTT_SECONDS;
    }
    return 1.0 - weir__exp(-1.0 / (10.0 * rtt * ptc));
}

static double automatic_min_packets(double ptc)
{
    double half_target = AUTO_TARGET_SECONDS * ptc / 2.0;
    return half_target > AUTO_MIN_PACKETS ? half_target : AUTO_MIN_PACKETS;
}

/* rate_bps > 0 is the nominal rate of the link, delay_ns its propagation delay; both only feed the
 * automatic values and the ageing of the average while idle. WEIR_ERROR_RANGE for a value outside
 * its range or max <= min. */
enum weir_status weir__red_init(struct weir__red *red, const struct weir__red_config *config,
                                int64_t rate_bps, int64_t delay_ns)
{
    if (!is_valid(config) || rate_bps <= 0) {
        return WEIR_ERROR_RANGE;
    }
    struct weir__red fresh = {.config = *config, .idle = true};
    struct weir__red_config *c = &fresh.config;
    fresh.packets_per_second = (double)rate_bps / (8.0 * (double)c->mean_packet_bytes);
    if (c->min_packets == 0.0) {
        c->min_packets = automatic_min_packets(fresh.packets_per_second);
    }
    if (c->max_packets == 0.0) {
        c->max_packets = AUTO_MAX_OVER_MIN * c->min_packets;
    }
    if (c->weight == 0.0) {
        c->weight = automatic_weight((double)delay_ns / 1e9, fresh.packets_per_second);
    }
    if (c->max_packets <= c->min_packets) {
        return WEIR_ERROR_RANGE;
    }
    *red = fresh;
    return WEIR_OK;
}

/* p_b of an average queue: 0 below min, linear to max_p at max, then (gentle) linear to 1 at 2 max.
 */
double weir__red_base_probability(const struct weir__red_config *config, double average_packets)
{
    double min = config->min_packets;
    double max = config->max_packets;
    if (average_packets < min) {
        return 0.0;
    }
    if (average_packets < max) {
        return config->max_p * (average_packets - min) / (max - min);
    }
    if (!config->gentle || average_packets >= 2.0 * max) {
        return 1.0;
    }
    return config->max_p + (1.0 - config->max_p) * (average_packets - max) / max;
}

/* p_a: spreads the drops, so that the gap between two is uniform instead of geometric. With "wait"
 * none falls into the first 1/p_b packets. */
double weir__red_spread_probability(const struct weir__red_config *config, double base,
                                    double since_drop_packets)
{
    double reached = since_drop_packets * base;
    if (config->wait) {
        return reached < 1.0 ? 0.0 : reached < 2.0 ? base / (2.0 - reached) : 1.0;
    }
    return reached < 1.0 ? base / (1.0 - reached) : 1.0;
}

/* The average ages by the packets that an idle link could have sent, then takes in the queue. */
static void update_average(struct weir__red *red, int64_t now_ns, double queue_packets)
{
    double keep = 1.0 - red->config.weight;
    if (red->idle) {
        double idle_seconds = (double)(now_ns - red->idle_since_ns) / 1e9;
        double missed = idle_seconds * red->packets_per_second;
        red->average_packets *=
            weir__power(keep, missed < 1e15 ? (int64_t)missed : INT64_C(1) << 50);
        red->idle = false;
    }
    red->average_packets = keep * red->average_packets + red->config.weight * queue_packets;
}

/* In byte mode ns-2 counts whole packets of mean size, and p depends on the size until it is 1. */
static enum weir__red_verdict draw_verdict(struct weir__red *red, int64_t size_bytes,
                                           struct weir__random *random)
{
    const struct weir__red_config *c = &red->config;
    int64_t since_packets = c->byte_mode ? red->since_drop / c->mean_packet_bytes : red->since_drop;
    double base = weir__red_base_probability(c, red->average_packets);
    double p = weir__red_spread_probability(c, base, (double)since_packets);
    if (c->byte_mode && p < 1.0) {
        p = p * (double)size_bytes / (double)c->mean_packet_bytes;
    }
    if (!weir__random_chance(random, p)) {
        return WEIR__RED_ACCEPT;
    }
    red->since_drop = 0;
    return red->average_packets < c->max_packets ? WEIR__RED_EARLY : WEIR__RED_FORCED;
}

/* One arrival at a queue of queue_packets and queue_bytes (without it). The caller checks the
 * limit of the queue. */
enum weir__red_verdict weir__red_on_arrival(struct weir__red *red, int64_t now_ns,
                                            int64_t queue_packets, int64_t queue_bytes,
                                            int64_t size_bytes, struct weir__random *random)
{
    const struct weir__red_config *c = &red->config;
    int64_t queue_length = c->byte_mode ? queue_bytes : queue_packets;
    int64_t size = c->byte_mode ? size_bytes : 1;
    double unit = c->byte_mode ? (double)c->mean_packet_bytes : 1.0;
    update_average(red, now_ns, (double)queue_length / unit);
    red->since_drop += size;
    if (red->average_packets < c->min_packets || queue_length <= 1) {
        red->above_min = false;
        return WEIR__RED_ACCEPT;
    }
    if (!red->above_min) {
        red->above_min = true;
        red->since_drop = size;
        return WEIR__RED_ACCEPT;
    }
    return draw_verdict(red, size_bytes, random);
}

/* A packet was dropped because the queue has reached its limit: the next gap begins here. */
void weir__red_on_overflow(struct weir__red *red)
{
    red->since_drop = 0;
}

/* The link found the queue empty; only the first time after an arrival counts. */
void weir__red_on_idle(struct weir__red *red, int64_t now_ns)
{
    if (!red->idle) {
        red->idle = true;
        red->idle_since_ns = now_ns;
    }
}
