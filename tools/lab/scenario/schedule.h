/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rates that change over time: [{"at_s": 0, "capacity_bps": 2500000}, ...]; and delays. */
#ifndef WEIR_LAB_SCENARIO_SCHEDULE_H
#define WEIR_LAB_SCENARIO_SCHEDULE_H

#include "scenario/error.h"
#include "sim/base/schedule.h"

gboolean lab_schedule_read(const char *rate_name, const struct lab_place *place,
                           struct weir__schedule_step **steps, gsize *n_steps);
/* Text lines "SECONDS BIT_PER_S" as such a list, a new one; NULL when they are none. */
json_t *lab_schedule_from_text(const char *text, const char *rate_name,
                               const struct lab_place *place);

#endif
