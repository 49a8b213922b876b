/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/route.h"
#include "sim/network/network.h"
#include <string.h>

/* Appends the name at the place, borrowed from the JSON, if it is that of a node. */
static gboolean add_stop(const struct lab_place *place, const struct lab_flow_world *world,
                         GPtrArray *stops)
{
    const char *name = json_string_value(place->node);
    if (name == NULL) {
        return lab_fail(place, "must be a list of names of nodes");
    }
    g_ptr_array_add(stops, (gpointer)(guintptr)name);
    return lab_topology_has_node(world->topology, name) ||
           lab_fail_unknown(place, "no link leads to a node of this name", name,
                            lab_topology_nodes(world->topology));
}

/* from, via, to. FALSE when one is unknown or comes twice. */
static gboolean read_stops(const struct lab_place *flow, const struct lab_flow_world *world,
                           GPtrArray *stops)
{
    struct lab_place from = lab_at(flow, "from");
    struct lab_place to = lab_at(flow, "to");
    struct lab_place via = lab_at(flow, "via");
    gsize n = json_array_size(via.node);
    if (json_equal(from.node, to.node)) {
        return lab_fail(&to, "must be another node than `from`");
    }
    if (!add_stop(&from, world, stops)) {
        return FALSE;
    }
    for (gsize i = 0; i < n; i++) {
        struct lab_place stop = {.up = flow, .name = "via", .node = json_array_get(via.node, i)};
        if (!add_stop(&stop, world, stops)) {
            return FALSE;
        }
    }
    if (!add_stop(&to, world, stops)) {
        return FALSE;
    }
    for (guint i = 1; n > 0 && i < stops->len; i++) {
        if (strcmp(stops->pdata[i - 1], stops->pdata[i]) == 0) {
            return lab_fail(&via, "%s is where the way is already", (const char *)stops->pdata[i]);
        }
    }
    return TRUE;
}

/* A way that visits a node twice goes round. */
static gboolean check_round(const struct lab_place *flow, const struct lab_flow_world *world,
                            const GArray *links)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    const char *twice = NULL;
    for (guint i = 0; i < links->len && twice == NULL; i++) {
        struct lab_link *link = world->links->pdata[g_array_index(links, guint32, i)];
        g_hash_table_add(seen, (gpointer)(guintptr)link->from);
        twice = g_hash_table_contains(seen, link->to) ? link->to : NULL;
    }
    return twice == NULL ||
           lab_fail_at(flow, "via", "the way goes round: it comes to %s twice", twice);
}

/* needed: FALSE = there may be none. Free *found with g_free. */
static gboolean find_way(const struct lab_place *flow, const struct lab_flow_world *world,
                         const GPtrArray *stops, gboolean needed, uint32_t **found, size_t *n_found)
{
    GArray *links = g_array_new(FALSE, FALSE, sizeof(guint32));
    gboolean good = TRUE;
    for (guint i = 0; i + 1 < stops->len; i++) {
        if (!lab_topology_route(world->topology, stops->pdata[i], stops->pdata[i + 1], links)) {
            good = !needed ||
                   lab_fail_at(flow, "to", "no links lead from %s to %s",
                               (const char *)stops->pdata[i], (const char *)stops->pdata[i + 1]);
            g_array_set_size(links, 0);
            break;
        }
    }
    if (links->len > WEIR__ROUTE_LINKS) {
        good = lab_fail_at(flow, "to", "the way has %u links, %d are allowed", links->len,
                           WEIR__ROUTE_LINKS);
    }
    good = good && check_round(flow, world, links);
    *n_found = links->len;
    *found = (uint32_t *)(gpointer)g_array_free(links, FALSE);
    return good;
}

static void turn_round(GPtrArray *stops)
{
    for (guint i = 0, j = stops->len; i + 1 < j; i++, j--) {
        gpointer stop = stops->pdata[i];
        stops->pdata[i] = stops->pdata[j - 1];
        stops->pdata[j - 1] = stop;
    }
}

static int64_t propagation_ns(const struct lab_flow_world *world, const uint32_t *links, gsize n)
{
    int64_t sum_ns = 0;
    for (gsize i = 0; i < n; i++) {
        const struct lab_link *link = world->links->pdata[links[i]];
        sum_ns += link->config.delay_ns;
    }
    return sum_ns;
}

static void split(int64_t delay_ns, double receiver_share, int64_t *sender_ns, int64_t *receiver_ns)
{
    *receiver_ns = (int64_t)((double)delay_ns * receiver_share);
    *sender_ns = delay_ns - *receiver_ns;
}

static void put_delays(int64_t data_ns, int64_t back_ns, double receiver_share,
                       struct lab_flow *flow)
{
    split(data_ns, receiver_share, &flow->entry_ns, &flow->exit_ns);
    split(back_ns, receiver_share, &flow->back_exit_ns, &flow->back_entry_ns);
}

/* What the links do not make up of the round trip: half on the data's way, half (and an odd
 * nanosecond) on the way back. */
static gboolean read_delays(const struct lab_place *flow_place, const struct lab_flow_world *world,
                            const struct lab_access *access, struct lab_flow *flow)
{
    struct lab_place place = lab_at(flow_place, "rtt_ms");
    if (access->rtt_ns == G_MAXINT64) {
        put_delays(access->access_ns, access->access_ns, access->receiver_share, flow);
        return TRUE;
    }
    if (json_object_get(flow_place->node, "access_ms") != NULL) {
        return lab_fail(&place, "either rtt_ms or access_ms, not both");
    }
    if (flow->n_back_links == 0) {
        return lab_fail(&place, "no links lead back from %s to %s",
                        json_string_value(json_object_get(flow_place->node, "to")),
                        json_string_value(json_object_get(flow_place->node, "from")));
    }
    int64_t links_ns = propagation_ns(world, flow->links, flow->n_links) +
                       propagation_ns(world, flow->back_links, flow->n_back_links);
    if (access->rtt_ns < links_ns) {
        return lab_fail(&place, "must be at least %.15g, which the links alone take",
                        (double)links_ns / LAB_NS_PER_MS);
    }
    int64_t data_ns = (access->rtt_ns - links_ns) / 2;
    put_delays(data_ns, access->rtt_ns - links_ns - data_ns, access->receiver_share, flow);
    return TRUE;
}

/* Both ways; unresponsive flows need none back. */
static gboolean put_ways(const struct lab_place *flow_place, const struct lab_flow_world *world,
                         GPtrArray *stops, struct lab_flow *flow)
{
    if (!find_way(flow_place, world, stops, TRUE, &flow->links, &flow->n_links)) {
        return FALSE;
    }
    turn_round(stops);
    return find_way(flow_place, world, stops, flow->kind != LAB_FLOW_UDP, &flow->back_links,
                    &flow->n_back_links);
}

/* Sets links, back_links and the delays outside them, but for the jitter. */
gboolean lab_route_read(const struct lab_place *flow_place, const struct lab_flow_world *world,
                        const struct lab_access *access, struct lab_flow *flow)
{
    g_autoptr(GPtrArray) stops = g_ptr_array_new();
    return read_stops(flow_place, world, stops) && put_ways(flow_place, world, stops, flow) &&
           read_delays(flow_place, world, access, flow);
}
