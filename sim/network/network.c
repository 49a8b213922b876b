/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/network.h"
#include "sim/base/random.h"
#include "sim/network/delay_line.h"
#include "weir/units.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_STREAM (UINT64_C(3) << 32) /* of the routes; links and TCP flows have those below */
#define FIRST_HOPS   16
#define MANY_ROUTES  100 /* which the processor's cache does not hold */
#define WARM_BYTES   512 /* the first, of objects that begin with what each packet needs */

/* The links of all routes are in one array: neighbours in memory, however many routes. What a
 * packet needs that arrives is in the first line of the processor's cache, what one needs that
 * enters in the next. */
struct route {
    _Alignas(WEIR__CACHE_LINE_BYTES) struct weir__network *network;
    uint32_t first_hop; /* in the network's hops */
    uint8_t n_links;
    bool has_entry;
    bool has_exit;
    bool passes; /* the last link and the exit at once */
    struct weir__port end;
    uint32_t answer; /* the route that what arrives makes a packet enter at once; or its own */
    bool jitters_bursts;
    struct weir__packet_counters counters;
    struct weir__random random;
    int64_t entry_ns;
    int64_t entry_jitter_ns;
    int64_t released_ns;           /* the newest that the jitter held back */
    struct weir__delay_line entry; /* only if has_entry */
    int64_t exit_ns;
    struct weir__delay_line exit; /* only if has_exit */
    void (*on_drop)(void *target, struct weir__packet *packet, enum weir__drop_reason reason);
    void *drop_target;
};

struct weir__network {
    struct weir__sim sim;
    struct weir__packet_pool pool;
    struct weir__link *links;
    struct route *routes; /* in route_memory, aligned */
    void *route_memory;
    uint32_t *hops; /* numbers of links */
    struct weir__network_observer observer;
    size_t n_hops;
    size_t hop_capacity;
    uint32_t n_links, max_links;
    uint32_t n_routes, max_routes;
    uint8_t datagram[WEIR__NETWORK_DATAGRAM_BYTES];
};

/* The first place for routes in memory that has room for one more. */
static struct route *aligned(void *memory)
{
    uintptr_t past = (uintptr_t)memory % WEIR__CACHE_LINE_BYTES;
    return (void *)((char *)memory + (WEIR__CACHE_LINE_BYTES - past) % WEIR__CACHE_LINE_BYTES);
}

/* An empty network at time 0, whose pool grows as needed. WEIR_ERROR_NO_MEMORY; *network is then
 * untouched. */
enum weir_status weir__network_create(struct weir__network **network, uint32_t max_links,
                                      uint32_t max_routes)
{
    struct weir__network *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        return WEIR_ERROR_NO_MEMORY;
    }
    weir__sim_init(&fresh->sim);
    weir__packet_pool_init(&fresh->pool);
    fresh->pool.growing = true;
    fresh->max_links = max_links;
    fresh->max_routes = max_routes;
    fresh->links = calloc((size_t)max_links + 1, sizeof *fresh->links);
    fresh->route_memory = calloc((size_t)max_routes + 1, sizeof *fresh->routes);
    if (!fresh->links || !fresh->route_memory) {
        weir__network_destroy(fresh);
        return WEIR_ERROR_NO_MEMORY;
    }
    fresh->routes = aligned(fresh->route_memory);
    *network = fresh;
    return WEIR_OK;
}

/* Frees everything, also the packets under way. Accepts NULL. */
void weir__network_destroy(struct weir__network *network)
{
    if (!network) {
        return;
    }
    for (uint32_t i = 0; i < network->n_links; i++) {
        weir__link_finish(&network->links[i]);
    }
    weir__packet_pool_finish(&network->pool);
    free(network->links);
    free(network->route_memory);
    free(network->hops);
    free(network);
}

/* The clock of the network: the caller runs it. */
struct weir__sim *weir__network_sim(struct weir__network *network)
{
    return &network->sim;
}

/* Where packets for the network are taken from. */
struct weir__packet_pool *weir__network_pool(struct weir__network *network)
{
    return &network->pool;
}

uint8_t *weir__network_datagram(struct weir__network *network)
{
    return network->datagram;
}

static void observe(const struct weir__network *network, const struct weir__packet *packet,
                    bool arrives)
{
    if (network->observer.on_packet) {
        network->observer.on_packet(network->observer.target, packet, arrives);
    }
}

static void arrive(struct route *route, struct weir__packet *packet)
{
    observe(route->network, packet, true);
    weir__packet_count(&route->counters.delivered_packets, &route->counters.delivered_bytes,
                       packet->size_bytes);
    if (route->end.on_packet) {
        weir__port_send(&route->end, packet);
    } else {
        weir__packet_give(&route->network->pool, packet);
    }
}

/* Through the last link and the delay behind it at once. */
static void pass(struct route *route, struct weir__link *link, struct weir__packet *packet)
{
    int64_t out_ns = weir__link_pass(link, packet);
    if (out_ns != WEIR_NEVER_NS) {
        weir__delay_line_push_ahead(&route->exit, packet, out_ns, route->exit_ns);
    }
}

/* To the next link of the route, or behind the last. */
static void forward(struct route *route, struct weir__packet *packet)
{
    struct weir__network *network = route->network;
    if (packet->hop < route->n_links) {
        uint32_t link = network->hops[route->first_hop + packet->hop];
        packet->hop++;
        if (route->passes && packet->hop == route->n_links) {
            pass(route, &network->links[link], packet);
        } else {
            weir__link_offer(&network->links[link], packet);
        }
    } else if (route->has_exit) {
        weir__delay_line_push(&route->exit, packet, route->exit_ns);
    } else {
        arrive(route, packet);
    }
}

static void on_entered(void *target)
{
    struct route *route = target;
    struct weir__packet *packet;
    while (weir__delay_line_pop_due(&route->entry, &packet)) {
        forward(route, packet);
        weir__sim_go_on(&route->network->sim);
    }
    forward(route, packet);
}

static void on_exited(void *target)
{
    struct route *route = target;
    arrive(route, weir__delay_line_pop(&route->exit));
}

static void on_passed(void *target)
{
    struct route *route = target;
    arrive(route, weir__delay_line_pop_ahead(&route->exit, route->exit_ns));
}

static struct route *route_of(struct weir__network *network, const struct weir__packet *packet)
{
    assert(packet->flow < network->n_routes);
    return &network->routes[packet->flow];
}

static void on_link_passed(void *target, struct weir__packet *packet)
{
    forward(route_of(target, packet), packet);
}

/* What the route leads to is asked for, and where the answer enters. */
static void approach_end(void *target)
{
    const struct route *route = target;
    const struct route *answer = &route->network->routes[route->answer];
    weir__prefetch_between(answer, &answer->exit_ns);
    if (route->end.on_approach && weir__sim_is_crowded(&route->network->sim)) {
        route->end.on_approach(route->end.target);
    } else {
        weir__prefetch(route->end.target, WARM_BYTES);
    }
}

/* With thousands of flows nothing of a flow is in the processor's cache when a packet comes: its
 * route is asked for two packets ahead, what the route leads to one packet ahead. */
static void on_link_approached(void *target, const struct weir__packet *packet)
{
    approach_end(route_of(target, packet));
    weir__prefetch(route_of(target, packet->next), WEIR__CACHE_LINE_BYTES);
}

static void on_link_dropped(void *target, struct weir__packet *packet,
                            enum weir__drop_reason reason)
{
    struct weir__network *network = target;
    struct route *route = route_of(network, packet);
    if (reason == WEIR__DROP_LOSS) {
        weir__packet_count(&route->counters.lost_packets, &route->counters.lost_bytes,
                           packet->size_bytes);
    } else {
        weir__packet_count(&route->counters.dropped_packets, &route->counters.dropped_bytes,
                           packet->size_bytes);
    }
    if (route->on_drop) {
        route->on_drop(route->drop_target, packet, reason);
    } else {
        weir__packet_give(&network->pool, packet);
    }
}

static void on_link_duplicated(void *target, const struct weir__packet *copy)
{
    struct route *route = route_of(target, copy);
    weir__packet_count(&route->counters.duplicated_packets, &route->counters.duplicated_bytes,
                       copy->size_bytes);
}

static int64_t draw_jitter(struct route *route)
{
    int64_t now_ns = route->network->sim.now_ns;
    if (!route->jitters_bursts || now_ns >= route->released_ns) {
        route->released_ns =
            now_ns + weir__random_below(&route->random, route->entry_jitter_ns + 1);
    }
    return route->released_ns - now_ns;
}

static void enter(void *target, struct weir__packet *packet)
{
    struct route *route = route_of(target, packet);
    observe(target, packet, false);
    weir__packet_count(&route->counters.offered_packets, &route->counters.offered_bytes,
                       packet->size_bytes);
    packet->hop = 0;
    if (route->has_entry) {
        int64_t delay_ns = route->entry_ns;
        if (route->entry_jitter_ns > 0) {
            delay_ns += draw_jitter(route);
        }
        weir__delay_line_push(&route->entry, packet, delay_ns);
    } else {
        forward(route, packet);
    }
}

/* From the next packet on; in place of the observer before. */
void weir__network_observe(struct weir__network *network,
                           const struct weir__network_observer *observer)
{
    network->observer = *observer;
}

/* Counts a packet that its user could not even make: offered to the route and to its first link,
 * and dropped there. */
void weir__network_refuse(struct weir__network *network, uint32_t route, int64_t size_bytes)
{
    assert(route < network->n_routes && network->routes[route].n_links > 0);
    uint32_t link = network->hops[network->routes[route].first_hop];
    struct weir__packet_counters *counters[] = {&network->routes[route].counters,
                                                &network->links[link].total};
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        weir__packet_count(&counters[i]->offered_packets, &counters[i]->offered_bytes, size_bytes);
        weir__packet_count(&counters[i]->dropped_packets, &counters[i]->dropped_bytes, size_bytes);
    }
}

/* WEIR_ERROR_NO_SPACE for more than max_links; else the errors of weir__link_init(). The number of
 * the link becomes its stream of random numbers. */
enum weir_status weir__network_add_link(struct weir__network *network,
                                        const struct weir__link_config *config, uint32_t *link)
{
    if (network->n_links == network->max_links) {
        return WEIR_ERROR_NO_SPACE;
    }
    struct weir__link_config own = *config;
    own.stream = network->n_links;
    own.out = (struct weir__port){.on_packet = on_link_passed, .target = network};
    own.on_drop = on_link_dropped;
    own.on_duplicate = on_link_duplicated;
    own.on_approach = network->n_routes >= MANY_ROUTES ? on_link_approached : NULL;
    own.drop_target = network;
    enum weir_status status =
        weir__link_init(&network->links[network->n_links], &network->sim, &network->pool, &own);
    if (status == WEIR_OK) {
        *link = network->n_links++;
    }
    return status;
}

/* To look at, or to change capacity, delay and loss of. */
struct weir__link *weir__network_link(struct weir__network *network, uint32_t link)
{
    assert(link < network->n_links);
    return &network->links[link];
}

static bool is_route_valid(const struct weir__network *network,
                           const struct weir__route_config *config)
{
    if (config->n_links > WEIR__ROUTE_LINKS) {
        return false;
    }
    for (size_t i = 0; i < config->n_links; i++) {
        if (config->links[i] >= network->n_links) {
            return false;
        }
    }
    return weir__is_delay(config->entry_ns) && weir__is_delay(config->entry_jitter_ns) &&
           weir__is_delay(config->exit_ns);
}

static enum weir_status reserve_hops(struct weir__network *network, size_t n_more)
{
    size_t capacity = network->hop_capacity > 0 ? network->hop_capacity : FIRST_HOPS;
    while (capacity < network->n_hops + n_more) {
        capacity *= 2;
    }
    if (capacity == network->hop_capacity) {
        return WEIR_OK;
    }
    uint32_t *hops = realloc(network->hops, capacity * sizeof *hops);
    if (!hops) {
        return WEIR_ERROR_NO_MEMORY;
    }
    network->hops = hops;
    network->hop_capacity = capacity;
    return WEIR_OK;
}

/* WEIR_ERROR_NO_SPACE for more than max_routes, WEIR_ERROR_RANGE for a link that was not added or a
 * delay outside 0 to 3600 s. */
enum weir_status weir__network_add_route(struct weir__network *network,
                                         const struct weir__route_config *config, uint64_t seed,
                                         uint32_t *route)
{
    if (network->n_routes == network->max_routes) {
        return WEIR_ERROR_NO_SPACE;
    }
    if (!is_route_valid(network, config)) {
        return WEIR_ERROR_RANGE;
    }
    enum weir_status status = reserve_hops(network, config->n_links);
    if (status != WEIR_OK) {
        return status;
    }
    struct route *fresh = &network->routes[network->n_routes];
    *fresh = (struct route){.network = network,
                            .first_hop = (uint32_t)network->n_hops,
                            .n_links = (uint8_t)config->n_links,
                            .has_entry = config->entry_ns > 0 || config->entry_jitter_ns > 0,
                            .has_exit = config->exit_ns > 0,
                            .answer = network->n_routes,
                            .entry_ns = config->entry_ns,
                            .entry_jitter_ns = config->entry_jitter_ns,
                            .jitters_bursts = config->jitters_bursts,
                            .exit_ns = config->exit_ns};
    weir__random_init(&fresh->random, seed, FIRST_STREAM + network->n_routes);
    if (fresh->has_entry) {
        weir__delay_line_init_timer(&fresh->entry, &network->sim, on_entered, fresh);
        weir__timer_on_approach(&fresh->entry.timer, config->n_links == 0 ? approach_end : NULL);
    }
    if (fresh->has_exit) {
        fresh->passes =
            config->n_links > 0 && network->links[config->links[config->n_links - 1]].foresees;
        weir__delay_line_init_timer(&fresh->exit, &network->sim,
                                    fresh->passes ? on_passed : on_exited, fresh);
        weir__timer_on_approach(&fresh->exit.timer, approach_end);
    }
    if (config->n_links > 0) {
        memcpy(network->hops + network->n_hops, config->links,
               config->n_links * sizeof *config->links);
    }
    network->n_hops += config->n_links;
    *route = network->n_routes++;
    for (uint32_t i = 0; i < network->n_links && network->n_routes == MANY_ROUTES; i++) {
        network->links[i].config.on_approach = on_link_approached;
    }
    return WEIR_OK;
}

/* From the next arrival on. */
void weir__network_set_end(struct weir__network *network, uint32_t route, struct weir__port end)
{
    assert(route < network->n_routes);
    network->routes[route].end = end;
}

/* From the next arrival on. */
void weir__network_pair(struct weir__network *network, uint32_t route, uint32_t other)
{
    assert(route < network->n_routes && other < network->n_routes);
    network->routes[route].answer = other;
    network->routes[other].answer = route;
}

/* From the next drop on. */
void weir__network_set_on_drop(struct weir__network *network, uint32_t route,
                               void (*on_drop)(void *target, struct weir__packet *packet,
                                               enum weir__drop_reason reason),
                               void *target)
{
    assert(route < network->n_routes);
    network->routes[route].on_drop = on_drop;
    network->routes[route].drop_target = target;
}

/* The entrance of all routes. */
struct weir__port weir__network_port(struct weir__network *network)
{
    return (struct weir__port){.on_packet = enter, .target = network};
}

/* Of one route since it was added. */
const struct weir__packet_counters *
weir__network_route_counters(const struct weir__network *network, uint32_t route)
{
    assert(route < network->n_routes);
    return &network->routes[route].counters;
}
