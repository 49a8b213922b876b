/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Breadth first over directed links: each node remembers by which link it was reached first. */
#include "routing.h"

#define NONE G_MAXUINT32

struct link {
    guint32 from;
    guint32 to;
    guint32 next; /* link that leaves the same node, in the order they were added; NONE */
};

struct node {
    guint32 first; /* link that leaves; NONE */
    guint32 last;
    guint32 reached_by; /* link, of the present search */
    guint32 search;     /* the search that reached it */
};

struct lab_map {
    GHashTable *numbers; /* name to number of the node + 1 */
    GPtrArray *names;
    GArray *nodes;
    GArray *links;
    GArray *queue; /* of the search */
    guint32 search;
};

struct lab_map *lab_map_new(void)
{
    struct lab_map *map = g_new0(struct lab_map, 1);
    map->numbers = g_hash_table_new(g_str_hash, g_str_equal);
    map->names = g_ptr_array_new_with_free_func(g_free);
    map->nodes = g_array_new(FALSE, FALSE, sizeof(struct node));
    map->links = g_array_new(FALSE, FALSE, sizeof(struct link));
    map->queue = g_array_new(FALSE, FALSE, sizeof(guint32));
    return map;
}

void lab_map_free(struct lab_map *map)
{
    if (map == NULL) {
        return;
    }
    g_hash_table_unref(map->numbers);
    g_ptr_array_unref(map->names);
    g_array_unref(map->nodes);
    g_array_unref(map->links);
    g_array_unref(map->queue);
    g_free(map);
}

static struct node *node_at(struct lab_map *map, guint32 number)
{
    return &g_array_index(map->nodes, struct node, number);
}

static const struct link *link_at(struct lab_map *map, guint32 number)
{
    return &g_array_index(map->links, struct link, number);
}

static guint32 find_node(const struct lab_map *map, const char *name)
{
    gpointer number = g_hash_table_lookup(map->numbers, name);
    return number != NULL ? GPOINTER_TO_UINT(number) - 1 : NONE;
}

static guint32 find_or_add_node(struct lab_map *map, const char *name)
{
    guint32 number = find_node(map, name);
    if (number != NONE) {
        return number;
    }
    struct node node = {.first = NONE, .last = NONE};
    char *copy = g_strdup(name);
    g_array_append_val(map->nodes, node);
    g_ptr_array_add(map->names, copy);
    g_hash_table_insert(map->numbers, copy, GUINT_TO_POINTER(map->nodes->len));
    return map->nodes->len - 1;
}

void lab_map_add_link(struct lab_map *map, const char *from, const char *to)
{
    struct link link = {
        .from = find_or_add_node(map, from), .to = find_or_add_node(map, to), .next = NONE};
    guint32 number = map->links->len;
    g_array_append_val(map->links, link);
    struct node *node = node_at(map, link.from);
    if (node->first == NONE) {
        node->first = number;
    } else {
        g_array_index(map->links, struct link, node->last).next = number;
    }
    node->last = number;
}

gboolean lab_map_has_node(const struct lab_map *map, const char *node)
{
    return find_node(map, node) != NONE;
}

const char *const *lab_map_nodes(struct lab_map *map, gsize *n_nodes)
{
    *n_nodes = map->names->len;
    return (const char *const *)map->names->pdata;
}

static void reach(struct lab_map *map, guint32 number, guint32 link)
{
    struct node *node = node_at(map, number);
    if (node->search != map->search) {
        node->search = map->search;
        node->reached_by = link;
        g_array_append_val(map->queue, number);
    }
}

/* Ends as soon as the node is reached: what reached it first does not change any more. */
static gboolean search(struct lab_map *map, guint32 from, guint32 to)
{
    map->search++;
    g_array_set_size(map->queue, 0);
    reach(map, from, NONE);
    for (guint at = 0; at < map->queue->len && node_at(map, to)->search != map->search; at++) {
        guint32 number = g_array_index(map->queue, guint32, at);
        for (guint32 i = node_at(map, number)->first;
             i != NONE && node_at(map, to)->search != map->search; i = link_at(map, i)->next) {
            reach(map, link_at(map, i)->to, i);
        }
    }
    return node_at(map, to)->search == map->search;
}

gboolean lab_map_route(struct lab_map *map, const char *from, const char *to, GArray *links)
{
    guint32 first = find_node(map, from);
    guint32 last = find_node(map, to);
    if (first == NONE || last == NONE || !search(map, first, last)) {
        return FALSE;
    }
    guint start = links->len;
    for (guint32 at = last; at != first;) {
        guint32 link = node_at(map, at)->reached_by;
        g_array_append_val(links, link);
        at = link_at(map, link)->from;
    }
    for (guint i = start, j = links->len; i + 1 < j; i++, j--) {
        guint32 link = g_array_index(links, guint32, i);
        g_array_index(links, guint32, i) = g_array_index(links, guint32, j - 1);
        g_array_index(links, guint32, j - 1) = link;
    }
    return TRUE;
}
