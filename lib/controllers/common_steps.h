/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps that nearly every controller takes. */
#ifndef WEIR_CONTROLLERS_COMMON_STEPS_H
#define WEIR_CONTROLLERS_COMMON_STEPS_H

#include "control/controller.h"

/* Without arrival times all packets arrive when their report does. */
static inline int64_t weir__arrival_ns(const struct weir_packet_report *packet, int64_t now_ns)
{
    return packet->arrived_ns == WEIR_UNKNOWN_NS ? now_ns : packet->arrived_ns;
}

/* The longest recent interval between receiver reports, fading by an eighth with each; at most one
 * minute. */
static inline int64_t weir__longest_interval_ns(int64_t longest_ns, int64_t interval_ns)
{
    int64_t faded_ns = longest_ns - longest_ns / 8;
    return weir_max_i64(weir_min_i64(interval_ns, WEIR_SECONDS(60)), faded_ns);
}

#endif
