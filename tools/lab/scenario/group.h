/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Media flows of one `group` that have a `priority` share a sending session, as the elements of a
 * call do. */
#ifndef WEIR_LAB_SCENARIO_GROUP_H
#define WEIR_LAB_SCENARIO_GROUP_H

#include "scenario/fields.h"
#include "scenario/scenario.h"

/* The flow that begins the session, in flows of n: the first of its group that has a priority.
 * NULL: this one does, or it shares none. */
const struct lab_flow *lab_group_first(struct lab_flow *const *flows, gsize n,
                                       const struct lab_flow *flow);
/* Whether a flow that is not yet in flows may be in the group that it names. */
gboolean lab_group_check(const struct lab_place *place, const GPtrArray *flows,
                         const struct lab_flow *flow);

#endif
