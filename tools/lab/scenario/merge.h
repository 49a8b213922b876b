/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One scenario over another: base, profiles, and --set. */
#ifndef WEIR_LAB_SCENARIO_MERGE_H
#define WEIR_LAB_SCENARIO_MERGE_H

#include "scenario/error.h"

/* A new tree: objects field by field; an object over a list of named elements changes those; all
 * else of `over` replaces what is in `base`, also an object with another `kind`, `model` or
 * `discipline`. */
JsonNode *lab_merge(JsonNode *base, JsonNode *over, const struct lab_place *place, GError **error);
/* A new tree in which one field, given as "links.bottleneck.queue.packets=50", has another value:
 * JSON, or else a text. */
JsonNode *lab_merge_set(JsonNode *tree, const char *path_and_value, GError **error);

#endif
