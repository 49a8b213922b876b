/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/counts.h"

/* sign: 1 adds, -1 subtracts. What is no count (histograms, instants) stays. */
static void combine_meters(struct weir__flow_meter *sum, const struct weir__flow_meter *more,
                           int sign)
{
    sum->generated_packets += sign * more->generated_packets;
    sum->frames += sign * more->frames;
    sum->whole_frames += sign * more->whole_frames;
    sum->skipped_frames += sign * more->skipped_frames;
    sum->frozen_ns += sign * more->frozen_ns;
    sum->repair_packets += sign * more->repair_packets;
    sum->pixels += sign * more->pixels;
    sum->source_pixels += sign * more->source_pixels;
    sum->resizes += sign * more->resizes;
    sum->generated_bytes += sign * more->generated_bytes;
    sum->discarded_packets += sign * more->discarded_packets;
    sum->sent_packets += sign * more->sent_packets;
    sum->sent_bytes += sign * more->sent_bytes;
    sum->resent_packets += sign * more->resent_packets;
    sum->received_packets += sign * more->received_packets;
    sum->marked_packets += sign * more->marked_packets;
    sum->received_bytes += sign * more->received_bytes;
    sum->goodput_bytes += sign * more->goodput_bytes;
    sum->delay_sum_ns += sign * more->delay_sum_ns;
    sum->mouth_to_ear_sum_ns += sign * more->mouth_to_ear_sum_ns;
    sum->heard_packets += sign * more->heard_packets;
    sum->feedback_packets += sign * more->feedback_packets;
    sum->feedback_bytes += sign * more->feedback_bytes;
    sum->feedback_refused_packets += sign * more->feedback_refused_packets;
    sum->timeouts += sign * more->timeouts;
    sum->recoveries += sign * more->recoveries;
}

/* Of another flow, over the same time. */
void lab_counts_add(struct lab_counts *sum, const struct lab_counts *more)
{
    combine_meters(&sum->meter, &more->meter, 1);
    weir__packet_counters_add(&sum->route, &more->route, 1);
}

/* What has happened since `start`, counts of the same flow. */
void lab_counts_subtract(struct lab_counts *from, const struct lab_counts *start)
{
    combine_meters(&from->meter, &start->meter, -1);
    weir__packet_counters_add(&from->route, &start->route, -1);
}
