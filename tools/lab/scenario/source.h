/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The `source` of a flow: what its application offers. */
#ifndef WEIR_LAB_SCENARIO_SOURCE_H
#define WEIR_LAB_SCENARIO_SOURCE_H

#include "scenario/fields.h"
#include "scenario/scenario.h"

/* The kinds, with their fields. */
extern const struct lab_variant lab_sources[];
extern const gsize lab_n_sources;

gboolean lab_source_read(const struct lab_place *place, uint64_t seed, struct lab_flow *flow);

#endif
