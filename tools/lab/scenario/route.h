/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two ways of a flow, and the delays in front of and behind them. */
#ifndef WEIR_LAB_SCENARIO_ROUTE_H
#define WEIR_LAB_SCENARIO_ROUTE_H

#include "scenario/flow.h"

struct lab_ends {
    const char *from;
    const char *to;
    JsonNode *via;  /* list, or NULL */
    int64_t rtt_ns; /* G_MAXINT64 = not given */
};

gboolean lab_route_read(const struct lab_place *flow_place, JsonNode *node,
                        const struct lab_flow_world *world, const struct lab_ends *ends,
                        struct lab_flow *flow, GError **error);

#endif
