/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Breadth first over directed links: each node remembers by which link it was reached first. */
#include "scenario/topology.h"

#define NONE G_MAXUINT32

struct link {
    guint32 from;
    guint32 to;
};

struct node {
    GArray *leaving;    /* links, in the order they were added; guint32 */
    guint32 reached_by; /* link, of the present search */
    guint32 search;     /* the search that reached it */
};

struct lab_topology {
    GHashTable *numbers; /* name to number of the node + 1 */
    GPtrArray *names;
    GArray *nodes;
    GArray *links;
    GArray *queue; /* of the search */
    guint32 search;
};

/* Without nodes and links. */
struct lab_topology *lab_topology_new(void)
{
    struct lab_topology *topology = g_new0(struct lab_topology, 1);
    topology->numbers = g_hash_table_new(g_str_hash, g_str_equal);
    topology->names = g_ptr_array_new_with_free_func(g_free);
    topology->nodes = g_array_new(FALSE, FALSE, sizeof(struct node));
    topology->links = g_array_new(FALSE, FALSE, sizeof(struct link));
    topology->queue = g_array_new(FALSE, FALSE, sizeof(guint32));
    return topology;
}

/* Accepts NULL. */
void lab_topology_free(struct lab_topology *topology)
{
    if (topology == NULL) {
        return;
    }
    for (guint i = 0; i < topology->nodes->len; i++) {
        g_array_unref(g_array_index(topology->nodes, struct node, i).leaving);
    }
    g_hash_table_unref(topology->numbers);
    g_ptr_array_unref(topology->names);
    g_array_unref(topology->nodes);
    g_array_unref(topology->links);
    g_array_unref(topology->queue);
    g_free(topology);
}

static struct node *node_at(struct lab_topology *topology, guint32 number)
{
    return &g_array_index(topology->nodes, struct node, number);
}

static const struct link *link_at(struct lab_topology *topology, guint32 number)
{
    return &g_array_index(topology->links, struct link, number);
}

static guint32 find_node(const struct lab_topology *topology, const char *name)
{
    gpointer number = g_hash_table_lookup(topology->numbers, name);
    return number != NULL ? GPOINTER_TO_UINT(number) - 1 : NONE;
}

static guint32 find_or_add_node(struct lab_topology *topology, const char *name)
{
    guint32 number = find_node(topology, name);
    if (number != NONE) {
        return number;
    }
    struct node node = {.leaving = g_array_new(FALSE, FALSE, sizeof(guint32))};
    char *copy = g_strdup(name);
    g_array_append_val(topology->nodes, node);
    g_ptr_array_add(topology->names, copy);
    g_hash_table_insert(topology->numbers, copy, GUINT_TO_POINTER(topology->nodes->len));
    return topology->nodes->len - 1;
}

/* The next link, numbered from 0 in the order of these calls. */
void lab_topology_add_link(struct lab_topology *topology, const char *from, const char *to)
{
    struct link link = {.from = find_or_add_node(topology, from),
                        .to = find_or_add_node(topology, to)};
    guint32 number = topology->links->len;
    g_array_append_val(topology->links, link);
    g_array_append_val(node_at(topology, link.from)->leaving, number);
}

/* Whether some link begins or ends there. */
gboolean lab_topology_has_node(const struct lab_topology *topology, const char *node)
{
    return find_node(topology, node) != NONE;
}

/* Names of all nodes, owned by the topology. */
const GPtrArray *lab_topology_nodes(const struct lab_topology *topology)
{
    return topology->names;
}

static void reach(struct lab_topology *topology, guint32 number, guint32 link)
{
    struct node *node = node_at(topology, number);
    if (node->search != topology->search) {
        node->search = topology->search;
        node->reached_by = link;
        g_array_append_val(topology->queue, number);
    }
}

/* Ends as soon as the node is reached: what reached it first does not change any more. */
static gboolean search(struct lab_topology *topology, guint32 from, guint32 to)
{
    const struct node *goal = node_at(topology, to);
    topology->search++;
    g_array_set_size(topology->queue, 0);
    reach(topology, from, NONE);
    for (guint at = 0; at < topology->queue->len && goal->search != topology->search; at++) {
        guint32 number = g_array_index(topology->queue, guint32, at);
        const GArray *leaving = node_at(topology, number)->leaving;
        for (guint i = 0; i < leaving->len; i++) {
            guint32 link = g_array_index(leaving, guint32, i);
            reach(topology, link_at(topology, link)->to, link);
        }
    }
    return goal->search == topology->search;
}

/* Appends the numbers (uint32_t) of the links of the way with the fewest links; of equal ways, the
 * one whose links come first in the file. FALSE when there is none or a node is unknown. */
gboolean lab_topology_route(struct lab_topology *topology, const char *from, const char *to,
                            GArray *links)
{
    guint32 first = find_node(topology, from);
    guint32 last = find_node(topology, to);
    if (first == NONE || last == NONE || !search(topology, first, last)) {
        return FALSE;
    }
    guint start = links->len;
    for (guint32 at = last; at != first;) {
        guint32 link = node_at(topology, at)->reached_by;
        g_array_insert_val(links, start, link);
        at = link_at(topology, link)->from;
    }
    return TRUE;
}
