/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/counters.h"

void weir__packet_counters_add(struct weir__packet_counters *sum,
                               const struct weir__packet_counters *part, int sign)
{
    sum->offered_packets += sign * part->offered_packets;
    sum->offered_bytes += sign * part->offered_bytes;
    sum->dropped_packets += sign * part->dropped_packets;
    sum->dropped_bytes += sign * part->dropped_bytes;
    sum->lost_packets += sign * part->lost_packets;
    sum->lost_bytes += sign * part->lost_bytes;
    sum->duplicated_packets += sign * part->duplicated_packets;
    sum->duplicated_bytes += sign * part->duplicated_bytes;
    sum->delivered_packets += sign * part->delivered_packets;
    sum->delivered_bytes += sign * part->delivered_bytes;
}
