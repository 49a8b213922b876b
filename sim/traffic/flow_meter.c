/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/flow_meter.h"

/* A packet arrives, copy or not, delay_ns after it was sent. */
void weir__flow_meter_count_arrival(struct weir__flow_meter *meter, int64_t wire_bytes,
                                    int64_t delay_ns)
{
    meter->received_packets++;
    meter->received_bytes += wire_bytes;
    meter->delay_sum_ns += (double)delay_ns;
    if (meter->delay) {
        weir__histogram_add(meter->delay, delay_ns);
    }
}
