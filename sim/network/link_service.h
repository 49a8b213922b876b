/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How links send whose service is not plain: at the opportunities of a trace, behind a shaper, in
 * aggregates, or from a queue of CoDel; and what becomes of packets that a link discards. Parts of
 * link.c; nobody else includes this. */
#ifndef WEIR_SIM_LINK_SERVICE_H
#define WEIR_SIM_LINK_SERVICE_H

#include "sim/network/link.h"

void weir__link_serve_specially(struct weir__link *link, int64_t now_ns, int64_t rate_bps);
int64_t weir__link_special_wait_ns(const struct weir__link *link, int64_t rate_bps);

void weir__link_discard(struct weir__link *link, struct weir__packet *packet,
                        enum weir__drop_reason reason);
void weir__link_discard_dropped(struct weir__link *link);

/* Tells the user that the packet is being sent, if it wants to know. */
static inline void weir__link_tell_service(struct weir__link *link, struct weir__packet *packet)
{
    if (link->config.on_service) {
        link->config.on_service(link->config.service_target, packet);
    }
}

#endif
