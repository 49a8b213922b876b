/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which algorithm a flow runs, and with what: its own fields, those of its profile, and what the
 * command line says of tested flows. */
#ifndef WEIR_LAB_SCENARIO_PROFILES_H
#define WEIR_LAB_SCENARIO_PROFILES_H

#include "scenario/scenario.h"
#include "scenario/vars.h"

struct lab_profiles {
    struct lab_vars *vars;
    json_t *given; /* the `profiles` of the scenario, or NULL */
    const struct lab_overrides *overrides;
    guint n_tested; /* flows that the overrides were meant for */
};

gboolean lab_profiles_check(const struct lab_profiles *profiles, const struct lab_place *file);
json_t *lab_profiles_apply(struct lab_profiles *profiles, const struct lab_place *flow);

#endif
