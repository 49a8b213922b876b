/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Breadth first over directed links: each node remembers by which link it was reached first. */
#include "scenario/topology.h"

struct link {
    struct node *from;
    struct node *to;
};

struct node {
    GArray *leaving;    /* links, in the order they were added; guint32 */
    guint32 reached_by; /* link, of the present search */
    guint32 search;     /* the search that reached it */
};

struct lab_topology {
    GHashTable *nodes; /* by name */
    GPtrArray *names;
    GArray *links;
    GPtrArray *queue; /* nodes, of the search */
    guint32 search;
};

static void free_node(gpointer node)
{
    g_array_unref(((struct node *)node)->leaving);
    g_free(node);
}

/* Without nodes and links. */
struct lab_topology *lab_topology_new(void)
{
    struct lab_topology *topology = g_new0(struct lab_topology, 1);
    topology->nodes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_node);
    topology->names = g_ptr_array_new_with_free_func(g_free);
    topology->links = g_array_new(FALSE, FALSE, sizeof(struct link));
    topology->queue = g_ptr_array_new();
    return topology;
}

/* Accepts NULL. */
void lab_topology_free(struct lab_topology *topology)
{
    if (topology == NULL) {
        return;
    }
    g_hash_table_unref(topology->nodes);
    g_ptr_array_unref(topology->names);
    g_array_unref(topology->links);
    g_ptr_array_unref(topology->queue);
    g_free(topology);
}

static const struct link *link_at(const struct lab_topology *topology, guint32 number)
{
    return &g_array_index(topology->links, struct link, number);
}

static struct node *find_or_add_node(struct lab_topology *topology, const char *name)
{
    struct node *node = g_hash_table_lookup(topology->nodes, name);
    if (node == NULL) {
        char *copy = g_strdup(name);
        node = g_new0(struct node, 1);
        node->leaving = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_ptr_array_add(topology->names, copy);
        g_hash_table_insert(topology->nodes, copy, node);
    }
    return node;
}

/* The next link, numbered from 0 in the order of these calls. */
void lab_topology_add_link(struct lab_topology *topology, const char *from, const char *to)
{
    struct link link = {.from = find_or_add_node(topology, from),
                        .to = find_or_add_node(topology, to)};
    guint32 number = topology->links->len;
    g_array_append_val(topology->links, link);
    g_array_append_val(link.from->leaving, number);
}

/* Whether some link begins or ends there. */
gboolean lab_topology_has_node(const struct lab_topology *topology, const char *node)
{
    return g_hash_table_contains(topology->nodes, node);
}

/* Names of all nodes, owned by the topology. */
const GPtrArray *lab_topology_nodes(const struct lab_topology *topology)
{
    return topology->names;
}

static void reach(struct lab_topology *topology, struct node *node, guint32 link)
{
    if (node->search != topology->search) {
        node->search = topology->search;
        node->reached_by = link;
        g_ptr_array_add(topology->queue, node);
    }
}

/* Ends as soon as the node is reached: what reached it first does not change any more. */
static gboolean search(struct lab_topology *topology, struct node *from, const struct node *to)
{
    topology->search++;
    g_ptr_array_set_size(topology->queue, 0);
    reach(topology, from, 0);
    for (guint at = 0; at < topology->queue->len && to->search != topology->search; at++) {
        const struct node *node = topology->queue->pdata[at];
        for (guint i = 0; i < node->leaving->len; i++) {
            guint32 link = g_array_index(node->leaving, guint32, i);
            reach(topology, link_at(topology, link)->to, link);
        }
    }
    return to->search == topology->search;
}

/* Appends the numbers (uint32_t) of the links of the way with the fewest links; of equal ways, the
 * one whose links come first in the file. FALSE when there is none or a node is unknown. */
gboolean lab_topology_route(struct lab_topology *topology, const char *from, const char *to,
                            GArray *links)
{
    struct node *first = g_hash_table_lookup(topology->nodes, from);
    const struct node *last = g_hash_table_lookup(topology->nodes, to);
    if (first == NULL || last == NULL || !search(topology, first, last)) {
        return FALSE;
    }
    guint start = links->len;
    while (last != first) {
        guint32 link = last->reached_by;
        g_array_insert_val(links, start, link);
        last = link_at(topology, link)->from;
    }
    return TRUE;
}
