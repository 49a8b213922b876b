/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A link of a resolved scenario: from JSON to struct lab_link. */
#ifndef WEIR_LAB_SCENARIO_LINK_H
#define WEIR_LAB_SCENARIO_LINK_H

#include "scenario/fields.h"
#include "scenario/scenario.h"

/* The fields of a link as the file has them. */
extern const struct lab_field lab_link_fields[];
extern const gsize lab_n_link_fields;

gboolean lab_link_read(const struct lab_place *place, uint64_t seed, GPtrArray *links);
void lab_link_free(struct lab_link *link);
/* A seed for the draws of one thing, which does not depend on what else there is. */
uint64_t lab_seed_for(uint64_t seed, const char *kind, const char *name);

#endif
