/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `count`: one element of a list becomes several, with names and numbers of their own. */
#ifndef WEIR_LAB_SCENARIO_COPIES_H
#define WEIR_LAB_SCENARIO_COPIES_H

#include "scenario/vars.h"

enum lab_list_kind { LAB_LIST_LINKS, LAB_LIST_FLOWS };

gboolean lab_copies_add(enum lab_list_kind kind, struct lab_vars *vars, guint64 seed, guint most,
                        const struct lab_place *element, json_t *list);

#endif
