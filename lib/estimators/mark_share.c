/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/mark_share.h"

#define GAIN (1.0 / 16.0) /* RFC 8257 4.2 */

bool weir__mark_share_on_packet(struct weir__mark_share *share, enum weir_ecn ecn)
{
    bool marked = ecn == WEIR_ECN_CE;
    share->is_l4s = marked ? share->is_l4s : ecn == WEIR_ECN_ECT1;
    share->packets++;
    share->marked += marked;
    return marked;
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
