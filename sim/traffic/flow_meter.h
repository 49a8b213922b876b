/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is counted of every flow, whatever its kind. Counters only grow; who wants rates takes
 * differences. The fields that a kind does not know stay 0. */
#ifndef WEIR_SIM_FLOW_METER_H
#define WEIR_SIM_FLOW_METER_H

#include "sim/base/histogram.h"
#include <stdbool.h>
#include <stdint.h>

struct weir__flow_meter {
    int64_t generated_packets; /* by the source */
    int64_t generated_bytes;
    int64_t sent_packets; /* onto the network, retransmissions too */
    int64_t sent_bytes;   /* wire */
    int64_t received_packets;
    int64_t received_bytes;        /* wire */
    int64_t marked_packets;        /* of the received, data: ECN-CE */
    int64_t goodput_bytes;         /* distinct, without header_bytes of each packet */
    double delay_sum_ns;           /* one way, network only, of received packets */
    struct weir__histogram *delay; /* of received packets; NULL = not wanted */
    struct weir__histogram
        *lateness; /* arrival - (start of the source + due time of the data); NULL = not wanted */
    double mouth_to_ear_sum_ns; /* generation to arrival: with the transmit buffer */
    int64_t heard_packets; /* of those generated: arrived, each once; mouth-to-ear sums these */
    int64_t feedback_packets;
    int64_t feedback_bytes;           /* wire */
    int64_t feedback_refused_packets; /* for want of room for the bytes; not in the two above */
    /* What follows is not of each packet. */
    int64_t discarded_packets; /* by the transmit buffer */
    int64_t pixels;            /* of an encoder's frames, where its picture is known, ... */
    int64_t source_pixels;     /* ... of the source's in that time ... */
    int64_t resizes;           /* ... and how often the picture became another */
    int64_t frames;            /* of video, where they are followed: made, */
    int64_t whole_frames;      /* ... whole at the receiver, */
    int64_t skipped_frames;    /* ... not made, because too much waited, ... */
    int64_t frozen_ns;         /* ... for how long a picture stood too long, ... */
    int64_t repair_packets;    /* ... and what was made to repair them, in generated_packets too */
    struct weir__histogram *frame_delay; /* making to whole, of frames; NULL = not followed */
    struct weir__histogram *shown_delay; /* making to shown, as frame_delay */
    int64_t resent_packets;
    int64_t timeouts;
    int64_t recoveries;
    int64_t completed_ns;    /* finite flows; WEIR_NEVER_NS = not yet or does not apply */
    int64_t counted_from_ns; /* generated, discarded, heard and mouth-to-ear count from here
                                (media_start) */
};

void weir__flow_meter_count_arrival(struct weir__flow_meter *meter, int64_t wire_bytes,
                                    int64_t delay_ns);

/* The present state of the sender, for time series. */
struct weir__flow_state {
    int64_t allowed_bps;   /* wire; TCP: 0 */
    int64_t target_bps;    /* media; TCP: 0 */
    double window_packets; /* TCP: cwnd; media: window / packet size, or 0 */
    int64_t rtt_ns;        /* smoothed; WEIR_UNKNOWN_NS */
    bool reports_only;     /* media: receiver reports are all that steers it */
};

#endif
