/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver remembers about one SSRC to report on it (RFC 3550 A.1, A.3, A.8). */
#ifndef WEIR_CODEC_RR_SOURCE_H
#define WEIR_CODEC_RR_SOURCE_H

#include "codec/sr_rr.h"

struct weir__rr_source {
    uint32_t ssrc;
    uint32_t clock_rate_hz;
    uint32_t base_seq;
    uint32_t bad_seq; /* 65537 = none */
    uint32_t probation_packets;
    uint16_t max_seq;
    bool has_transit;
    bool has_sr;
    uint32_t transit; /* arrival - timestamp of the previous packet, timestamp units */
    uint64_t cycles;  /* 65536 per wrap */
    uint64_t received_packets;
    uint64_t expected_prior_packets;
    uint64_t received_prior_packets;
    uint64_t jitter_x16; /* timestamp units */
    uint32_t sr_mid32;
    int64_t sr_arrival_ns;
};

/* first_seq: of the first packet, which must then be given to on_packet. clock_rate_hz 0: no
 * jitter. */
void weir__rr_source_init(struct weir__rr_source *source, uint32_t ssrc, uint32_t clock_rate_hz,
                          uint16_t first_seq);

/* False while the source is on probation, and for the first packet after an absurd jump. */
bool weir__rr_source_on_packet(struct weir__rr_source *source, uint16_t seq, uint32_t timestamp,
                               int64_t arrival_ns);

/* A sender report of this source came. */
void weir__rr_source_on_sr(struct weir__rr_source *source, uint64_t ntp, int64_t arrival_ns);

static inline bool weir__rr_source_valid(const struct weir__rr_source *source)
{
    return source->probation_packets == 0;
}

/* Cycles and highest sequence number. */
uint32_t weir__rr_source_extended_seq(const struct weir__rr_source *source);

/* Packets expected minus received since the source became valid; negative with many duplicates. */
int64_t weir__rr_source_lost_packets(const struct weir__rr_source *source);

/* The block of a report made now; starts the next interval of fraction_lost. */
void weir__rr_source_take_block(struct weir__rr_source *source, int64_t now_ns,
                                struct weir__report_block *block);

#endif
