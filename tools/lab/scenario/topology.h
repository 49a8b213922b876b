/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which links a flow's packets take. */
#ifndef WEIR_LAB_SCENARIO_TOPOLOGY_H
#define WEIR_LAB_SCENARIO_TOPOLOGY_H

#include <glib.h>

struct lab_topology;

struct lab_topology *lab_topology_new(void);
void lab_topology_free(struct lab_topology *topology);
void lab_topology_add_link(struct lab_topology *topology, const char *from, const char *to);
gboolean lab_topology_has_node(const struct lab_topology *topology, const char *node);
const GPtrArray *lab_topology_nodes(const struct lab_topology *topology);
gboolean lab_topology_route(struct lab_topology *topology, const char *from, const char *to,
                            GArray *links);

#endif
