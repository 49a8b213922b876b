/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which links a flow's packets take. */
#ifndef WEIR_LAB_ROUTING_H
#define WEIR_LAB_ROUTING_H

#include <glib.h>
#include <stdint.h>

struct lab_map;

struct lab_map *lab_map_new(void);
void lab_map_free(struct lab_map *map); /* NULL is allowed */
/* The next link, numbered from 0 in the order of these calls. */
void lab_map_add_link(struct lab_map *map, const char *from, const char *to);
gboolean lab_map_has_node(const struct lab_map *map, const char *node);
/* Names of all nodes, n of them, owned by the map (the array is too). */
const char *const *lab_map_nodes(struct lab_map *map, gsize *n_nodes);
/* Appends the numbers (uint32_t) of the links of the way with the fewest links; of equal ways, the
 * one whose links come first in the file. FALSE when there is none or a node is unknown. */
gboolean lab_map_route(struct lab_map *map, const char *from, const char *to, GArray *links);

#endif
