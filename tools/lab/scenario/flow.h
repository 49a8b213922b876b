/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow of a resolved scenario: from JSON to struct lab_flow. */
#ifndef WEIR_LAB_SCENARIO_FLOW_H
#define WEIR_LAB_SCENARIO_FLOW_H

#include "scenario/fields.h"
#include "scenario/scenario.h"
#include "scenario/topology.h"

/* The fields of a flow as the file has them. */
extern const struct lab_field lab_flow_fields[];
extern const gsize lab_n_flow_fields;

/* What is built into the simulator: for competition, not to be tested. */
struct lab_competitor {
    const char *name; /* as `algorithm` */
    const char *description;
    enum lab_flow_kind kind;
    enum weir__tcp_variant variant; /* of TCP */
};

extern const struct lab_competitor lab_competitors[];
extern const gsize lab_n_competitors;

/* What is known already when flows are read. */
struct lab_flow_world {
    struct lab_topology *topology;
    GPtrArray *links; /* struct lab_link * */
    uint64_t seed;
};

gboolean lab_flow_is_algorithm(const char *name);
gboolean lab_flow_read(const struct lab_place *place, const struct lab_flow_world *world,
                       GPtrArray *flows);
void lab_flow_free(struct lab_flow *flow);

#endif
