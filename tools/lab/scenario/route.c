/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/route.h"
#include "scenario/json.h"
#include "sim/network/network.h"
#include <string.h>

static gboolean check_node(const struct lab_place *place, JsonNode *value, const char *name,
                           const struct lab_flow_world *world, GError **error)
{
    if (lab_topology_has_node(world->topology, name)) {
        return TRUE;
    }
    gsize n_nodes = 0;
    const char *const *nodes = lab_topology_nodes(world->topology, &n_nodes);
    const char *nearest = lab_nearest_name(name, nodes, n_nodes);
    return lab_fail(error, place, value, "no link leads to a node of this name%s%s%s",
                    nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                    nearest != NULL ? "?" : "");
}

/* from, via, to: names, owned by JSON. FALSE when one is unknown or comes twice. */
static gboolean read_stops(const struct lab_place *flow_place, JsonNode *node,
                           const struct lab_flow_world *world, const struct lab_ends *ends,
                           GPtrArray *stops, GError **error)
{
    struct lab_place from = {.up = flow_place, .name = "from"};
    struct lab_place to = {.up = flow_place, .name = "to"};
    struct lab_place via = {.up = flow_place, .name = "via"};
    guint n = ends->via != NULL ? json_array_get_length(json_node_get_array(ends->via)) : 0;
    if (!check_node(&from, lab_json_get(node, "from"), ends->from, world, error) ||
        !check_node(&to, lab_json_get(node, "to"), ends->to, world, error)) {
        return FALSE;
    }
    if (strcmp(ends->from, ends->to) == 0) {
        return lab_fail(error, &to, lab_json_get(node, "to"), "must be another node than `from`");
    }
    g_ptr_array_add(stops, (gpointer)(guintptr)ends->from);
    for (guint i = 0; i < n; i++) {
        JsonNode *stop = json_array_get_element(json_node_get_array(ends->via), i);
        if (!lab_json_is_text(stop)) {
            return lab_fail(error, &via, stop, "must be a list of names of nodes");
        }
        if (!check_node(&via, stop, json_node_get_string(stop), world, error)) {
            return FALSE;
        }
        g_ptr_array_add(stops, (gpointer)(guintptr)json_node_get_string(stop));
    }
    g_ptr_array_add(stops, (gpointer)(guintptr)ends->to);
    for (guint i = 1; n > 0 && i < stops->len; i++) {
        if (strcmp(stops->pdata[i - 1], stops->pdata[i]) == 0) {
            return lab_fail(error, &via, lab_json_get(node, "via"),
                            "%s is where the way is already", (const char *)stops->pdata[i]);
        }
    }
    return TRUE;
}

/* A way that visits a node twice goes round. */
static gboolean check_round(const struct lab_place *place, JsonNode *value,
                            const struct lab_flow_world *world, const GArray *links, GError **error)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    const char *twice = NULL;
    for (guint i = 0; i < links->len && twice == NULL; i++) {
        struct lab_link *link = world->links->pdata[g_array_index(links, guint32, i)];
        g_hash_table_add(seen, link->from);
        if (g_hash_table_contains(seen, link->to)) {
            twice = link->to;
        }
    }
    g_hash_table_unref(seen);
    return twice == NULL ||
           lab_fail(error, place, value, "the way goes round: it comes to %s twice", twice);
}

static gboolean find_way(const struct lab_place *flow_place, JsonNode *node,
                         const struct lab_flow_world *world, GPtrArray *stops, GArray *links,
                         const char **unreachable, GError **error)
{
    struct lab_place via = {.up = flow_place, .name = "via"};
    struct lab_place to = {.up = flow_place, .name = "to"};
    for (guint i = 0; i + 1 < stops->len; i++) {
        if (!lab_topology_route(world->topology, stops->pdata[i], stops->pdata[i + 1], links)) {
            unreachable[0] = stops->pdata[i];
            unreachable[1] = stops->pdata[i + 1];
            return lab_fail(error, &to, lab_json_get(node, "to"), "no links lead from %s to %s",
                            unreachable[0], unreachable[1]);
        }
    }
    if (links->len > WEIR__ROUTE_LINKS) {
        return lab_fail(error, &to, lab_json_get(node, "to"),
                        "the way has %u links, %d are allowed", links->len, WEIR__ROUTE_LINKS);
    }
    return check_round(&via, lab_json_get(node, "via"), world, links, error);
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

/* What the links do not make up of the round trip is at the sender: half in front of the data's
 * first link, half (and an odd nanosecond) behind the last link of the way back. */
static gboolean put_delays(const struct lab_place *flow_place, JsonNode *node,
                           const struct lab_flow_world *world, const struct lab_ends *ends,
                           struct lab_flow *flow, GError **error)
{
    struct lab_place place = {.up = flow_place, .name = "rtt_ms"};
    JsonNode *rtt = lab_json_get(node, "rtt_ms");
    flow->back_exit_ns = flow->entry_ns;
    if (ends->rtt_ns == G_MAXINT64) {
        return TRUE;
    }
    if (lab_json_get(node, "access_ms") != NULL) {
        return lab_fail(error, &place, rtt, "either rtt_ms or access_ms, not both");
    }
    if (flow->n_back_links == 0) {
        return lab_fail(error, &place, rtt, "no links lead back from %s to %s", ends->to,
                        ends->from);
    }
    int64_t links_ns = propagation_ns(world, flow->links, flow->n_links) +
                       propagation_ns(world, flow->back_links, flow->n_back_links);
    if (ends->rtt_ns < links_ns) {
        return lab_fail(error, &place, rtt, "must be at least %.15g, which the links alone take",
                        (double)links_ns / LAB_NS_PER_MS);
    }
    flow->entry_ns = (ends->rtt_ns - links_ns) / 2;
    flow->back_exit_ns = ends->rtt_ns - links_ns - flow->entry_ns;
    return TRUE;
}

static uint32_t *take_links(GArray *links, size_t *n_links)
{
    *n_links = links->len;
    return (uint32_t *)(gpointer)g_array_free(links, FALSE);
}

/* Both ways; unresponsive flows need none back. */
static gboolean put_ways(const struct lab_place *flow_place, JsonNode *node,
                         const struct lab_flow_world *world, GPtrArray *stops,
                         struct lab_flow *flow, GError **error)
{
    const char *unreachable[2] = {NULL, NULL};
    GArray *there = g_array_new(FALSE, FALSE, sizeof(guint32));
    GArray *back = g_array_new(FALSE, FALSE, sizeof(guint32));
    GError *why = NULL;
    gboolean good = find_way(flow_place, node, world, stops, there, unreachable, error);
    if (good) {
        turn_round(stops);
        if (!find_way(flow_place, node, world, stops, back, unreachable, &why)) {
            good = flow->kind == LAB_FLOW_UDP && unreachable[0] != NULL;
            g_array_set_size(back, 0);
        }
    }
    flow->links = take_links(there, &flow->n_links);
    flow->back_links = take_links(back, &flow->n_back_links);
    if (good) {
        g_clear_error(&why);
    } else if (why != NULL) {
        g_propagate_error(error, why);
    }
    return good;
}

/* Sets links, back_links, entry_ns (which is access_ms when it comes) and back_exit_ns. */
gboolean lab_route_read(const struct lab_place *flow_place, JsonNode *node,
                        const struct lab_flow_world *world, const struct lab_ends *ends,
                        struct lab_flow *flow, GError **error)
{
    GPtrArray *stops = g_ptr_array_new();
    gboolean good = read_stops(flow_place, node, world, ends, stops, error) &&
                    put_ways(flow_place, node, world, stops, flow, error) &&
                    put_delays(flow_place, node, world, ends, flow, error);
    g_ptr_array_unref(stops);
    return good;
}
