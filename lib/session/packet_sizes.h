/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What packets weigh: the mean sizes on the wire, of payload and of media, by which a rate on the
 * wire becomes one of media and back.
 *
 * The first packet of a video stream is often a parameter set or a delimiter of a few bytes, and
 * says nothing about the rest: video starts from the size that the program expects. Headers are a
 * third or more of what voice sends, and limits that took its packets for a video's would hold it
 * back until the means have come down: audio alone starts from its first packet. */
#ifndef WEIR_SESSION_PACKET_SIZES_H
#define WEIR_SESSION_PACKET_SIZES_H

#include <stdbool.h>
#include <stdint.h>

/* No packet of speech follows the one before this late. */
#define WEIR__SPEECH_PAUSE_NS (200 * INT64_C(1000000))

struct weir__packet_sizes {
    double wire_mean_bytes;
    double payload_mean_bytes; /* of those */
    double media_mean_bytes;   /* of these; nothing in repair packets */
    uint32_t expected_bytes;   /* with the RTP header */
    uint32_t overhead_bytes;   /* per packet, below RTP */
    bool is_audio_only;        /* so far */
};

void weir__packet_sizes_init(struct weir__packet_sizes *sizes, uint32_t expected_bytes,
                             uint32_t overhead_bytes);
/* Moves the mean on the wire at once by what each packet will now cost. */
void weir__packet_sizes_set_overhead(struct weir__packet_sizes *sizes, uint32_t overhead_bytes);

/* flags: enum weir_sent_flags; pause_ns: since the packet before, WEIR_UNKNOWN_NS for the first.
 * Returns whether the means began anew. */
bool weir__packet_sizes_on_sent(struct weir__packet_sizes *sizes, int64_t wire_bytes,
                                int64_t payload_bytes, uint32_t flags, int64_t pause_ns);

/* Parts of what is on the wire, 0.05 to 1. */
double weir__packet_sizes_payload_ratio(const struct weir__packet_sizes *sizes);
double weir__packet_sizes_media_ratio(const struct weir__packet_sizes *sizes);

#endif
