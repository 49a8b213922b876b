/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/loss_rate.h"

#include "weir/units.h"

#define BIN_NS WEIR_MS(100)

static void advance(struct weir__loss_rate *rate, int64_t now_ns)
{
    int64_t bin = now_ns / BIN_NS;
    int64_t steps = weir_clamp_i64(bin - rate->bin, 0, WEIR__LOSS_RATE_BINS);
    for (int64_t i = 0; i < steps; i++) {
        uint64_t slot = (uint64_t)(bin - i) % WEIR__LOSS_RATE_BINS;
        rate->packets[slot] = 0;
        rate->lost[slot] = 0;
    }
    rate->bin = weir_max_i64(rate->bin, bin);
}

void weir__loss_rate_add(struct weir__loss_rate *rate, int64_t now_ns, int64_t packets,
                         int64_t lost)
{
    advance(rate, now_ns);
    uint64_t slot = (uint64_t)rate->bin % WEIR__LOSS_RATE_BINS;
    rate->packets[slot] += packets;
    rate->lost[slot] += lost;
}

bool weir__loss_rate_on_lost(struct weir__loss_rate *rate, int64_t sent_ns, int64_t rtt_ns)
{
    if (rate->has_event && sent_ns <= rate->event_end_ns) {
        return false;
    }
    rate->has_event = true;
    rate->event_end_ns = sent_ns + rtt_ns;
    return true;
}

struct weir__loss_share weir__loss_rate_get(const struct weir__loss_rate *rate, int64_t now_ns)
{
    struct weir__loss_share share = {0};
    int64_t oldest = now_ns / BIN_NS - WEIR__LOSS_RATE_BINS;
    for (int64_t i = 0; i < WEIR__LOSS_RATE_BINS && i <= rate->bin && rate->bin - i > oldest; i++) {
        uint64_t slot = (uint64_t)(rate->bin - i) % WEIR__LOSS_RATE_BINS;
        share.packets += rate->packets[slot];
        share.lost += rate->lost[slot];
        share.tenths += rate->lost[slot] > 0;
    }
    share.lost = weir_max_i64(share.lost, 0);
    share.share = (double)share.lost / (double)weir_max_i64(share.packets, 1);
    return share;
}
