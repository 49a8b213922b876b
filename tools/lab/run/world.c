/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/world.h"
#include "scenario/error.h"
#include "scenario/group.h"
#include "scenario/link.h"
#include "weir/units.h"

struct flow {
    enum lab_flow_kind kind;
    struct weir__tcp_app *tcp; /* one of these, by kind */
    struct weir__udp_flow *udp;
    struct weir__media_flow *media;
    uint32_t n_routes;     /* one per connection */
    uint32_t *routes;      /* of the data */
    uint32_t *back_routes; /* of what comes back; UDP has none */
};

struct lab_world {
    struct weir__network *network;
    struct flow *flows;
    guint n_flows;
};

static gboolean fail(GError **error, const char *what, const char *name, const char *why)
{
    g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "%s '%s': %s", what, name, why);
    return FALSE;
}

static gboolean add_links(struct lab_world *world, const struct lab_scenario *scenario,
                          GError **error)
{
    for (guint i = 0; i < scenario->n_links; i++) {
        uint32_t number;
        struct weir__link_config config = scenario->links[i]->config;
        config.fixed = true;
        enum weir_status status = weir__network_add_link(world->network, &config, &number);
        if (status != WEIR_OK) {
            return fail(error, "link", scenario->links[i]->name, weir_status_text(status));
        }
    }
    return TRUE;
}

static uint32_t connections_of(const struct lab_flow *flow)
{
    return flow->kind == LAB_FLOW_TCP ? flow->tcp.n_connections : 1;
}

static enum weir_status add_connection(struct lab_world *world, const struct lab_flow *config,
                                       uint64_t seed, struct flow *flow, uint32_t i)
{
    struct weir__route_config data = {.links = config->links,
                                      .n_links = config->n_links,
                                      .entry_ns = config->entry_ns,
                                      .entry_jitter_ns = config->entry_jitter_ns,
                                      .jitters_bursts = config->jitters_bursts,
                                      .exit_ns = config->exit_ns};
    struct weir__route_config back = {.links = config->back_links,
                                      .n_links = config->n_back_links,
                                      .entry_ns = config->back_entry_ns,
                                      .exit_ns = config->back_exit_ns};
    enum weir_status status =
        weir__network_add_route(world->network, &data, seed, &flow->routes[i]);
    if (status == WEIR_OK && config->kind != LAB_FLOW_UDP) {
        status = weir__network_add_route(world->network, &back, seed, &flow->back_routes[i]);
    }
    return status;
}

static enum weir_status add_routes(struct lab_world *world, const struct lab_flow *config,
                                   uint64_t seed, struct flow *flow)
{
    enum weir_status status = WEIR_OK;
    flow->n_routes = connections_of(config);
    flow->routes = g_new0(uint32_t, flow->n_routes);
    flow->back_routes = g_new0(uint32_t, flow->n_routes);
    for (uint32_t i = 0; i < flow->n_routes && status == WEIR_OK; i++) {
        status = add_connection(world, config, seed, flow, i);
    }
    return status;
}

static enum weir_status create_tcp(struct lab_world *world, const struct lab_flow *config,
                                   gboolean histograms, struct flow *flow)
{
    struct weir__tcp_app_config tcp = config->tcp;
    tcp.routes = flow->routes;
    tcp.back_routes = flow->back_routes;
    tcp.measure_delay = histograms;
    return weir__tcp_app_create(&flow->tcp, world->network, &tcp);
}

static enum weir_status create_udp(struct lab_world *world, const struct lab_flow *config,
                                   gboolean histograms, struct flow *flow)
{
    struct weir__udp_flow_config udp = config->udp;
    udp.route = flow->routes[0];
    udp.measure_delay = histograms;
    return weir__udp_flow_create(&flow->udp, world->network, &udp);
}

/* The flow whose session flow i shares; NULL: none. */
static struct weir__media_flow *find_group(const struct lab_world *world,
                                           const struct lab_scenario *scenario, guint i)
{
    const struct lab_flow *first =
        lab_group_first(scenario->flows, scenario->n_flows, scenario->flows[i]);
    for (guint k = 0; k < i && first != NULL; k++) {
        if (scenario->flows[k] == first) {
            return world->flows[k].media;
        }
    }
    return NULL;
}

static enum weir_status create_media(struct lab_world *world, const struct lab_scenario *scenario,
                                     guint i, gboolean histograms, char *why, size_t n_why)
{
    struct flow *flow = &world->flows[i];
    struct weir__media_flow_config media = scenario->flows[i]->media;
    media.group = find_group(world, scenario, i);
    media.route = flow->routes[0];
    media.feedback_route = flow->back_routes[0];
    media.measure_delay = histograms;
    return weir__media_flow_create(&flow->media, world->network, &media, why, n_why);
}

static gboolean add_flow(struct lab_world *world, const struct lab_scenario *scenario, guint i,
                         gboolean histograms, GError **error)
{
    const struct lab_flow *config = scenario->flows[i];
    struct flow *flow = &world->flows[i];
    uint64_t seed = lab_seed_for(scenario->seed, "route", config->name);
    char why[200] = "";
    histograms = histograms || config->n_prebuffers > 0;
    flow->kind = config->kind;
    enum weir_status status = add_routes(world, config, seed, flow);
    if (status == WEIR_OK && config->kind == LAB_FLOW_TCP) {
        status = create_tcp(world, config, histograms, flow);
    } else if (status == WEIR_OK && config->kind == LAB_FLOW_UDP) {
        status = create_udp(world, config, histograms, flow);
    } else if (status == WEIR_OK) {
        status = create_media(world, scenario, i, histograms, why, sizeof why);
    }
    world->n_flows = i + 1;
    return status == WEIR_OK ||
           fail(error, "flow", config->name, why[0] ? why : weir_status_text(status));
}

/* Two routes for each connection. */
static uint32_t count_routes(const struct lab_scenario *scenario)
{
    uint32_t n = 0;
    for (guint i = 0; i < scenario->n_flows; i++) {
        n += 2 * connections_of(scenario->flows[i]);
    }
    return n;
}

/* The scenario must outlive it. NULL and *error when the library refuses a part of it: too many
 * flows for the simulator, no memory. */
struct lab_world *lab_world_create(const struct lab_scenario *scenario, gboolean histograms,
                                   GError **error)
{
    struct lab_world *world = g_new0(struct lab_world, 1);
    world->flows = g_new0(struct flow, scenario->n_flows + 1);
    enum weir_status status =
        weir__network_create(&world->network, scenario->n_links, count_routes(scenario));
    gboolean good =
        status == WEIR_OK || fail(error, "scenario", scenario->name, weir_status_text(status));
    good = good && add_links(world, scenario, error);
    for (guint i = 0; i < scenario->n_flows && good; i++) {
        good = add_flow(world, scenario, i, histograms, error);
    }
    if (!good) {
        lab_world_destroy(world);
        return NULL;
    }
    return world;
}

static void flow_clear(struct flow *flow)
{
    weir__tcp_app_destroy(flow->tcp);
    weir__udp_flow_destroy(flow->udp);
    weir__media_flow_destroy(flow->media);
    g_free(flow->routes);
    g_free(flow->back_routes);
}

/* Accepts NULL. */
void lab_world_destroy(struct lab_world *world)
{
    if (!world) {
        return;
    }
    for (guint i = 0; i < world->n_flows; i++) {
        flow_clear(&world->flows[i]);
    }
    weir__network_destroy(world->network);
    g_free(world->flows);
    g_free(world);
}

/* The clock: whoever runs it runs the world. */
struct weir__sim *lab_world_sim(struct lab_world *world)
{
    return weir__network_sim(world->network);
}

/* Numbered as in the scenario. */
struct weir__link *lab_world_link(struct lab_world *world, guint link)
{
    return weir__network_link(world->network, link);
}

/* Of a flow, numbered as in the scenario; brought up to date, valid until the next call. */
const struct weir__flow_meter *lab_world_meter(struct lab_world *world, guint flow)
{
    struct flow *f = &world->flows[flow];
    switch (f->kind) {
    case LAB_FLOW_TCP:
        return weir__tcp_app_meter(f->tcp);
    case LAB_FLOW_UDP:
        return weir__udp_flow_meter(f->udp);
    case LAB_FLOW_MEDIA:
    default:
        return weir__media_flow_meter(f->media);
    }
}

/* What was counted so far. */
void lab_world_count(struct lab_world *world, guint flow, struct lab_counts *counts)
{
    const struct flow *f = &world->flows[flow];
    *counts = (struct lab_counts){.meter = *lab_world_meter(world, flow)};
    for (uint32_t i = 0; i < f->n_routes; i++) {
        weir__packet_counters_add(&counts->route,
                                  weir__network_route_counters(world->network, f->routes[i]), 1);
    }
}

/* UDP has no state: nothing allows or forbids it. */
void lab_world_get_state(struct lab_world *world, guint flow, struct weir__flow_state *state)
{
    const struct flow *f = &world->flows[flow];
    *state = (struct weir__flow_state){.rtt_ns = WEIR_UNKNOWN_NS};
    if (f->kind == LAB_FLOW_TCP) {
        weir__tcp_app_get_state(f->tcp, state);
    } else if (f->kind == LAB_FLOW_MEDIA) {
        weir__media_flow_get_state(f->media, state);
    }
}

/* None of flows without an algorithm of the library. */
void lab_world_get_variables(struct lab_world *world, guint flow, struct lab_variables *variables)
{
    const struct flow *f = &world->flows[flow];
    variables->n = f->kind == LAB_FLOW_MEDIA
                       ? weir_sender_get_variables(weir__media_flow_sender(f->media),
                                                   variables->all, LAB_MOST_VARIABLES)
                       : 0;
}

/* That entered the network so far: data, ACKs and RTCP of all flows. */
int64_t lab_world_packets(struct lab_world *world)
{
    int64_t packets = 0;
    for (guint i = 0; i < world->n_flows; i++) {
        const struct flow *f = &world->flows[i];
        for (uint32_t k = 0; k < f->n_routes; k++) {
            packets += lab_counts_entered_packets(
                weir__network_route_counters(world->network, f->routes[k]));
            if (f->kind != LAB_FLOW_UDP) {
                packets += lab_counts_entered_packets(
                    weir__network_route_counters(world->network, f->back_routes[k]));
            }
        }
    }
    return packets;
}

/* See the header. */
struct lab_world_route *lab_world_list_routes(const struct lab_world *world,
                                              const struct lab_scenario *scenario)
{
    struct lab_world_route *routes = g_new0(struct lab_world_route, count_routes(scenario));
    for (guint i = 0; i < world->n_flows; i++) {
        const struct flow *f = &world->flows[i];
        for (uint32_t k = 0; k < f->n_routes; k++) {
            routes[f->routes[k]] = (struct lab_world_route){.flow = i, .connection = k};
            if (f->kind != LAB_FLOW_UDP) {
                routes[f->back_routes[k]] =
                    (struct lab_world_route){.flow = i, .connection = k, .is_back = TRUE};
            }
        }
    }
    return routes;
}

/* Of all packets, from now on. */
void lab_world_observe(struct lab_world *world, const struct weir__network_observer *observer)
{
    weir__network_observe(world->network, observer);
}

/* Numbered as in the scenario. */
struct weir__media_flow *lab_world_media(struct lab_world *world, guint flow)
{
    return world->flows[flow].media;
}
