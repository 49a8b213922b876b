/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/remb.h"

#include "weir/units.h"

#define HOLD_NS WEIR_SECONDS(5)

void weir__remb_init(struct weir__remb *remb)
{
    *remb = (struct weir__remb){.bps = INT64_MAX};
}

bool weir__remb_take(struct weir__remb *remb, int64_t now_ns, uint32_t ssrc, int64_t bps)
{
    bool holds = remb->bps != INT64_MAX && remb->ssrc != ssrc;
    if (holds && bps >= remb->bps) {
        return false;
    }
    *remb = (struct weir__remb){.bps = bps, .ns = now_ns, .ssrc = ssrc};
    return true;
}

int64_t weir__remb_end_ns(const struct weir__remb *remb)
{
    return remb->bps == INT64_MAX ? WEIR_NEVER_NS : weir_time_add_ns(remb->ns, HOLD_NS);
}

void weir__remb_expire(struct weir__remb *remb, int64_t now_ns)
{
    if (now_ns >= weir__remb_end_ns(remb)) {
        weir__remb_init(remb);
    }
}
