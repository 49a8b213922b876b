/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the network delivers: the rate at which packets arrive, the rate at which the same packets
 * were sent, and the least one-way delay of the newest and of all of them.
 *
 * Arrivals within WEIR__DELIVERY_GROUP_NS of the first are one group, and whatever arrived before
 * joins the newest, so that a burst of a wireless link, or a
 * frame, makes no rate by itself. A rate is that of the bits after the first group of the window,
 * over the time from its last arrival to the last of all. */
#ifndef WEIR_ESTIMATORS_DELIVERY_H
#define WEIR_ESTIMATORS_DELIVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/units.h"

#define WEIR__DELIVERY_GROUP_NS  WEIR_MS(5)
#define WEIR__DELIVERY_WINDOW_NS WEIR_MS(100) /* three frames */
#define WEIR__DELIVERY_NEWEST_NS WEIR_MS(40)  /* a frame and a feedback interval of prompt peers */

enum {
    WEIR__DELIVERY_GROUPS = 48,
    WEIR__DELIVERY_LEAST_PACKETS = 10,
    WEIR__DELIVERY_LEAST_GROUPS = 8
};

struct weir__delivery_group {
    int64_t first_ns; /* arrivals, on one clock */
    int64_t last_ns;
    int64_t sent_ns;        /* of the newest packet */
    int64_t least_delay_ns; /* arrival less departure */
    int64_t bytes;
    int64_t packets;
};

/* Zero-initialise. */
struct weir__delivery {
    struct weir__delivery_group groups[WEIR__DELIVERY_GROUPS];
    size_t newest; /* index of the newest group */
    size_t n;
};

/* A packet arrived. An arrival more than a second before the newest is another clock: what was
 * known is forgotten. Returns whether that happened. */
bool weir__delivery_on_arrival(struct weir__delivery *delivery, int64_t sent_ns, int64_t arrived_ns,
                               int64_t wire_bytes);

struct weir__delivery_rates {
    bool known;             /* the window holds two groups, 1 ms apart as sent and as arrived */
    double delivered_bps;   /* > 0 */
    double sent_bps;        /* of the same bytes, > 0 */
    int64_t span_ns;        /* of the arrivals that the rates are made of */
    int64_t least_delay_ns; /* of all groups in the window */
};

/* Over the groups that ended in the newest WEIR__DELIVERY_WINDOW_NS, or as far back as
 * WEIR__DELIVERY_LEAST_PACKETS and WEIR__DELIVERY_LEAST_GROUPS take: a shared channel serves a
 * whole aggregate after each wait, and few waits make no rate. */
struct weir__delivery_rates weir__delivery_get(const struct weir__delivery *delivery);

/* Over the longest time up to now, in that window, but at least WEIR__DELIVERY_NEWEST_NS, in which
 * whatever arrived had waited for longer than empty_delay_ns and its own service, the first of it
 * behind another: the link has not been idle meanwhile, so that is its rate. What does not come
 * evenly shares a channel, and needs the whole window. least_delay_ns: of those. Not known: there
 * is none. */
struct weir__delivery_rates weir__delivery_get_queued(const struct weir__delivery *delivery,
                                                      int64_t empty_delay_ns, double packet_bytes);

/* The least delay of the groups that ended in the newest WEIR__DELIVERY_NEWEST_NS; WEIR_UNKNOWN_NS
 * without arrivals. */
int64_t weir__delivery_newest_delay_ns(const struct weir__delivery *delivery);

#endif
