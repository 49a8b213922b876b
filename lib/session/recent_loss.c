/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/recent_loss.h"

#include "weir/units.h"

void weir__recent_loss_init(struct weir__recent_loss *loss)
{
    for (int i = 0; i < WEIR__RECENT_LOSS_SECONDS; i++) {
        loss->seconds[i] = (struct weir__loss_second){.second = INT64_MIN};
    }
}

void weir__recent_loss_add(struct weir__recent_loss *loss, int64_t now_ns, int64_t received_packets,
                           int64_t lost_packets)
{
    int64_t second = now_ns / WEIR_SECONDS(1);
    struct weir__loss_second *entry = &loss->seconds[(uint64_t)second % WEIR__RECENT_LOSS_SECONDS];
    if (entry->second != second) {
        *entry = (struct weir__loss_second){.second = second};
    }
    entry->received_packets += received_packets;
    entry->lost_packets += lost_packets;
}

int64_t weir__recent_loss_ppm(const struct weir__recent_loss *loss, int64_t until_ns)
{
    int64_t received = 0, lost = 0;
    int64_t oldest = until_ns / WEIR_SECONDS(1) - WEIR__RECENT_LOSS_SECONDS;
    for (int i = 0; i < WEIR__RECENT_LOSS_SECONDS; i++) {
        const struct weir__loss_second *entry = &loss->seconds[i];
        if (entry->second > oldest) {
            received += entry->received_packets;
            lost += entry->lost_packets;
        }
    }
    lost = weir_max_i64(lost, 0);
    return received + lost > 0 ? lost * 1000000 / (received + lost) : 0;
}
