/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rates that change over time: [{"at_s": 0, "capacity_bps": 2500000}, ...]; and delays. */
#ifndef WEIR_LAB_SCENARIO_SCHEDULE_H
#define WEIR_LAB_SCENARIO_SCHEDULE_H

#include "scenario/error.h"
#include "sim/base/schedule.h"

gboolean lab_schedule_read(const char *rate_name, const struct lab_place *place, JsonNode *node,
                           struct weir__schedule_step **steps, gsize *n_steps, GError **error);
/* Text lines "SECONDS BIT_PER_S" as such a list, in a new node; NULL and *error otherwise. */
JsonNode *lab_schedule_from_text(const char *text, const char *rate_name,
                                 const struct lab_place *place, GError **error);

#endif
