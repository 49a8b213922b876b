/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `vars`: "=expression" and "$name" become what they stand for, and "{expression}" in names. */
#ifndef WEIR_LAB_SCENARIO_VARS_H
#define WEIR_LAB_SCENARIO_VARS_H

#include "scenario/error.h"

struct lab_vars;

struct lab_vars *lab_vars_new(const struct lab_place *file);
void lab_vars_free(struct lab_vars *vars);
json_t *lab_vars_apply(struct lab_vars *vars, const struct lab_place *place);
json_t *lab_vars_name(struct lab_vars *vars, const struct lab_place *place, guint64 i);

#endif
