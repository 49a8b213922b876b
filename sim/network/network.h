/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links joined into a network, and the routes of packets through it. A route is a chain of links
 * with an optional pure delay before the first and after the last; a flow has one for its data and
 * one for what comes back. A packet's `flow` is the number of its route.
 *
 * Invariant, per route: offered + duplicated = delivered + dropped + lost + inside.
 * Memory is linear in links and routes: links count totals, routes count for themselves. */
#ifndef WEIR_SIM_NETWORK_H
#define WEIR_SIM_NETWORK_H

#include "sim/base/event.h"
#include "sim/base/packet.h"
#include "sim/network/link.h"
#include "weir/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__ROUTE_LINKS 64 /* at most, on one route */

struct weir__route_config {
    const uint32_t *links; /* numbers, in order; copied */
    size_t n_links;        /* 0 .. WEIR__ROUTE_LINKS; 0 = only the delays */
    int64_t entry_ns;      /* pure delay before the first link, >= 0 */
    int64_t
        entry_jitter_ns; /* adds U(0, this), order kept: breaks the phase effects of equal flows */
    bool jitters_bursts; /* what comes while a packet is held back by the jitter leaves with it */
    int64_t exit_ns;     /* pure delay after the last link, >= 0 */
};

/* The largest packet, without the headers of IP and UDP. */
#define WEIR__NETWORK_DATAGRAM_BYTES 65535

struct weir__network;

/* Told of each packet as it enters the network, and as it arrives at the end of its route. */
struct weir__network_observer {
    void (*on_packet)(void *target, const struct weir__packet *packet, bool arrives);
    void *target;
};

/* Room for that many links and routes is all that is ever allocated for them. */
enum weir_status weir__network_create(struct weir__network **network, uint32_t max_links,
                                      uint32_t max_routes);
void weir__network_destroy(struct weir__network *network); /* NULL is allowed */

struct weir__sim *weir__network_sim(struct weir__network *network);
struct weir__packet_pool *weir__network_pool(struct weir__network *network);
/* Room for the bytes of one packet, WEIR__NETWORK_DATAGRAM_BYTES: whoever makes them uses them
 * before the next does. */
uint8_t *weir__network_datagram(struct weir__network *network);

/* A link; its ports, callbacks and stream of random numbers are set by the network. `steps` of the
 * schedule must outlive it. */
enum weir_status weir__network_add_link(struct weir__network *network,
                                        const struct weir__link_config *config, uint32_t *link);
struct weir__link *weir__network_link(struct weir__network *network, uint32_t link);

/* seed and the route's number give the draws of its jitter. */
enum weir_status weir__network_add_route(struct weir__network *network,
                                         const struct weir__route_config *config, uint64_t seed,
                                         uint32_t *route);
/* Where packets of the route go in the end; until it is set they are given back to the pool. */
void weir__network_set_end(struct weir__network *network, uint32_t route, struct weir__port end);
/* The two routes of a flow, where what arrives through one makes something enter the other at once:
 * data and ACKs. Nothing but speed depends on it. */
void weir__network_pair(struct weir__network *network, uint32_t route, uint32_t other);
/* Told (and then owner) of packets of the route that are dropped or lost; on_drop NULL = pool. */
void weir__network_set_on_drop(struct weir__network *network, uint32_t route,
                               void (*on_drop)(void *target, struct weir__packet *packet,
                                               enum weir__drop_reason reason),
                               void *target);
/* Where packets of any route enter: packet->flow says which. */
struct weir__port weir__network_port(struct weir__network *network);
/* on_packet NULL: nobody is told, as at first. */
void weir__network_observe(struct weir__network *network,
                           const struct weir__network_observer *observer);
void weir__network_refuse(struct weir__network *network, uint32_t route, int64_t size_bytes);
const struct weir__packet_counters *
weir__network_route_counters(const struct weir__network *network, uint32_t route);

#endif
