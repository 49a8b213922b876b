/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From what the user wrote to a scenario that says everything itself: base, profiles, variables,
 * copies, spreads, files and the overrides of the command line are put in. */
#ifndef WEIR_LAB_SCENARIO_RESOLVE_H
#define WEIR_LAB_SCENARIO_RESOLVE_H

#include "scenario/scenario.h"

/* The most that a scenario may have of each, after copying. */
#define LAB_MOST_FLOWS 100000
#define LAB_MOST_LINKS 10000

json_t *lab_resolve(const char *name, const struct lab_overrides *overrides, GError **error);

#endif
