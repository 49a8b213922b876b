/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two ways of a flow, and the delays in front of and behind them. */
#ifndef WEIR_LAB_SCENARIO_ROUTE_H
#define WEIR_LAB_SCENARIO_ROUTE_H

#include "scenario/flow.h"

/* rtt_ns: G_MAXINT64 = not given. */
gboolean lab_route_read(const struct lab_place *flow_place, const struct lab_flow_world *world,
                        int64_t rtt_ns, struct lab_flow *flow);

#endif
