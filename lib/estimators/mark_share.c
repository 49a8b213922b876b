/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/mark_share.h"

#define GAIN (1.0 / 16.0) /* RFC 8257 4.2 */

void weir__mark_share_on_packet(struct weir__mark_share *share, bool marked)
{
    share->packets++;
    share->marked += marked;
}

void weir__mark_share_step(struct weir__mark_share *share, int64_t now_ns, int64_t rtt_ns)
{
    if (share->packets == 0 || (share->has_alpha && now_ns - share->begun_ns < rtt_ns)) {
        return;
    }
    double seen = (double)share->marked / (double)share->packets;
    share->alpha += share->has_alpha ? GAIN * (seen - share->alpha) : seen;
    share->has_alpha = share->has_alpha || share->marked > 0;
    share->begun_ns = now_ns;
    share->packets = 0;
    share->marked = 0;
}
