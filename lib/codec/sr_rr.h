/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sender and receiver reports (RFC 3550 6.4), and the round-trip time they tell. */
#ifndef WEIR_CODEC_SR_RR_H
#define WEIR_CODEC_SR_RR_H

#include "codec/rtcp.h"

struct weir__report_block {
    uint32_t ssrc;           /* the source reported on */
    int32_t cumulative_lost; /* -0x800000..0x7fffff; negative when duplicates exceed losses */
    uint32_t highest_seq;    /* extended: cycles << 16 | highest sequence number */
    uint32_t jitter;         /* RTP timestamp units */
    uint32_t lsr_mid32;      /* of the last SR the reporter saw; 0 = none */
    uint32_t dlsr_mid32;     /* delay since then, 1/65536 s */
    uint8_t fraction_lost;   /* of 256, in the last interval */
};

/* An SR (is_sr) or an RR; the sender's part is zero in an RR. */
struct weir__report {
    bool is_sr;
    uint8_t n_blocks;
    uint32_t ssrc; /* who reports */
    uint64_t ntp;  /* 32.32 fixed-point seconds since 1900 */
    uint32_t rtp_timestamp;
    uint32_t sent_packets;
    uint32_t sent_octets; /* payload */
    struct weir__report_block blocks[WEIR__RTCP_MAX_COUNT];
};

enum weir_status weir__report_parse(const struct weir__rtcp_packet *packet,
                                    struct weir__report *report);
enum weir_status weir__report_build(const struct weir__report *report, uint8_t *buffer,
                                    size_t capacity_bytes, size_t *size_bytes);

/* The middle 32 bits: 1/65536 s, wraps every 18.2 h. */
static inline uint32_t weir__ntp_mid32(uint64_t ntp)
{
    return (uint32_t)(ntp >> 16);
}

/* A duration of 1/65536 s units in nanoseconds, rounded down. */
int64_t weir__mid32_to_ns(uint32_t mid32);

/* Round-trip time from an echo (LSR and DLSR, or LRR and DLRR of an XR block), now being the
 * arrival of the report. WEIR_UNKNOWN_NS without an echo, when negative, and beyond 60 s. Otherwise
 * at least one clock unit of 15 us. */
int64_t weir__rtt_ns(uint32_t now_mid32, uint32_t echo_mid32, uint32_t delay_mid32);

/* The sender reports (or RRTR blocks) sent lately. An echo of anything else is forged or stale. */
enum { WEIR__SR_HISTORY = 16 };
struct weir__sr_history {
    uint32_t mid32[WEIR__SR_HISTORY];
    uint32_t n_sent; /* total; the newest is at (n_sent - 1) % WEIR__SR_HISTORY */
};

void weir__sr_history_on_sent(struct weir__sr_history *history, uint32_t mid32);

/* As weir__rtt_ns, and WEIR_UNKNOWN_NS when the echo matches no report that was sent. */
int64_t weir__sr_history_rtt_ns(const struct weir__sr_history *history, uint32_t now_mid32,
                                uint32_t echo_mid32, uint32_t delay_mid32);

#endif
