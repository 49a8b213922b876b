/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One scenario over another: base, profiles, and --set. */
#ifndef WEIR_LAB_SCENARIO_MERGE_H
#define WEIR_LAB_SCENARIO_MERGE_H

#include "scenario/error.h"

json_t *lab_merge(const struct lab_place *base, json_t *over);
json_t *lab_merge_set(json_t *tree, const char *path_and_value, GError **error);

#endif
