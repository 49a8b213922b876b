/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A scenario built: the network, and the flows that run on it. */
#ifndef WEIR_LAB_RUN_WORLD_H
#define WEIR_LAB_RUN_WORLD_H

#include "run/counts.h"
#include "scenario/scenario.h"
#include "weir/controller.h"

struct lab_world;

#define LAB_MOST_VARIABLES 32

/* What an algorithm tells of itself. The names live as long as the program. */
struct lab_variables {
    size_t n;
    struct weir_variable all[LAB_MOST_VARIABLES];
};

/* Whose packets a route carries. */
struct lab_world_route {
    guint flow;
    guint connection; /* of a flow with several */
    gboolean is_back;
};

/* histograms: of delays and lateness too; flows that ask for late ratios have them anyway. */
struct lab_world *lab_world_create(const struct lab_scenario *scenario, gboolean histograms,
                                   GError **error);
void lab_world_destroy(struct lab_world *world);

struct weir__sim *lab_world_sim(struct lab_world *world);
struct weir__link *lab_world_link(struct lab_world *world, guint link);
const struct weir__flow_meter *lab_world_meter(struct lab_world *world, guint flow);
void lab_world_count(struct lab_world *world, guint flow, struct lab_counts *counts);
void lab_world_get_state(struct lab_world *world, guint flow, struct weir__flow_state *state);
void lab_world_get_variables(struct lab_world *world, guint flow, struct lab_variables *variables);
/* Of its scenario, by their numbers, which are the `flow` of packets. The caller frees it. */
struct lab_world_route *lab_world_list_routes(const struct lab_world *world,
                                              const struct lab_scenario *scenario);
void lab_world_observe(struct lab_world *world, const struct weir__network_observer *observer);
struct weir__media_flow *lab_world_media(struct lab_world *world, guint flow); /* NULL: no media */
int64_t lab_world_packets(struct lab_world *world);

#endif
