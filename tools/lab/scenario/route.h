/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two ways of a flow, and the delays in front of and behind them. */
#ifndef WEIR_LAB_SCENARIO_ROUTE_H
#define WEIR_LAB_SCENARIO_ROUTE_H

#include "scenario/flow.h"

/* Of the delays outside the links, as the file has them. */
struct lab_access {
    int64_t rtt_ns;        /* G_MAXINT64 = not given */
    int64_t access_ns;     /* one way */
    double receiver_share; /* 0 to 1 */
};

gboolean lab_route_read(const struct lab_place *flow_place, const struct lab_flow_world *world,
                        const struct lab_access *access, struct lab_flow *flow);

#endif
