/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One scenario over another: base, profiles, and --set. */
#ifndef WEIR_LAB_SCENARIO_MERGE_H
#define WEIR_LAB_SCENARIO_MERGE_H

#include "scenario/error.h"

JsonNode *lab_merge(JsonNode *base, JsonNode *over, const struct lab_place *place, GError **error);
JsonNode *lab_merge_set(JsonNode *tree, const char *path_and_value, GError **error);

#endif
