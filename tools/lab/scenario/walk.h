/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Capacities that wander, as those of cellular links do: {"kind": "walk", "min_bps": 300000, ...}.
 */
#ifndef WEIR_LAB_SCENARIO_WALK_H
#define WEIR_LAB_SCENARIO_WALK_H

#include "scenario/error.h"
#include "sim/base/schedule.h"

struct lab_walk {
    int64_t min_bps;
    int64_t max_bps;
    int64_t step_ns; /* each has a capacity of its own */
    int64_t n_steps;
    int64_t change_bps; /* at most, per step; evenly distributed */
    int64_t start_bps;  /* of the first step */
};

gboolean lab_walk_read(const struct lab_place *place, struct lab_walk *walk);
/* [walk->n_steps], free with g_free. */
struct weir__schedule_step *lab_walk_steps(const struct lab_walk *walk, uint64_t seed);

#endif
