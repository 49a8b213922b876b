/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiving session: watches the RTP of one transport and writes the RTCP feedback that a
 * congestion-controlled sender needs. No clock, no sockets, no allocation after create; see
 * sender.h. */
#ifndef WEIR_RECEIVER_H
#define WEIR_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ecn.h"
#include "sender.h"
#include "status.h"
#include "units.h"

WEIR_BEGIN_DECLS

struct weir_receiver_config {
    size_t size;     /* sizeof this struct, set by weir_receiver_config_init */
    uint32_t format; /* one of WEIR_FEEDBACK_CCFB (default), _TWCC, _RR, _REMB; receiver reports go
                        with each */
    int64_t interval_max_ns; /* maximum of the automatic interval, 20 ms .. 10 s; default 50 ms */
    /* Time between feedback packets; 0 = automatic: one RTT, within 20 ms .. interval_max_ns, or 50
     * ms while the RTT is unknown; with _RR and _REMB 100 ms. */
    int64_t interval_ns;
    bool per_packet; /* instead: feedback for every packet, at most one per ms, whatever share of
                        the path that takes. For experiments: RFC 3550 allows 5 % */
    bool extra_compounds; /* default true: about once a second a full compound between the feedback
                             packets. false: only the next of these becomes one, and nothing is sent
                             while no packets arrive. For experiments */
    bool ecn_counts; /* default false. true: every feedback has the counts of ECN codepoints of each
                        stream (RFC 6679 5.1), every full compound those of the ECN summary (5.2),
                        as far as there is room. RFC 8888 tells of each packet without them */
    uint32_t local_ssrc;      /* SSRC of our RTCP */
    const char *cname;        /* SDES CNAME; NULL = "weir" */
    uint32_t clock_rate_hz;   /* RTP clock rate of streams without set_clock_rate; default 90000 */
    uint8_t transport_seq_id; /* header extension id of the transport-wide number; 0 = none (TWCC is
                                 then not possible) */
    uint32_t overhead_bytes;  /* IP + UDP + SRTP per packet; default 28 */
    uint32_t mtu_bytes;       /* maximum RTCP datagram, without IP and UDP; default 1200 */
    uint64_t seed;
};

struct weir_receiver_stats {
    uint64_t packets_received;
    uint64_t bytes_received_wire;
    int64_t packets_lost; /* expected - received (RFC 3550); duplicates can make it negative */
    uint64_t packets_duplicate;
    uint64_t packets_malformed; /* not RTP, contradictory fields, shorter than 12 bytes */
    uint64_t packets_rejected;  /* streams beyond the limit, implausible sequence numbers */
    uint64_t packets_ecn_ce;
    uint64_t rtcp_packets;
    uint64_t rtcp_malformed;
    uint64_t feedback_sent;
    uint64_t feedback_bytes;
    uint64_t streams;           /* SSRCs seen */
    double loss_ratio;          /* current, over the last ~10 s */
    int64_t jitter_ns;          /* current, RFC 3550 6.4.1, of the stream received last */
    int64_t delay_variation_ns; /* current: one-way delay above the smallest of the last 10 s, mean
                                   of the last second */
    int64_t rtt_ns;             /* from XR RRTR/DLRR, or WEIR_UNKNOWN_NS */
    int64_t received_wire_bps;  /* current, mean of the last second */
    double r_score; /* voice quality (quality.h, G.711) of the last ~10 s with packets. The delay is
                       half the smallest RTT, 20 ms per packet, and the playout buffer of 40 to 500
                       ms that sounds best; packets later than that count as lost. r_score is 0 and
                       mos 1 without a stream */
    double mos;
};

struct weir_receiver;

/* Fills in the defaults given beside the fields. */
WEIR_API void weir_receiver_config_init(struct weir_receiver_config *config);
/* The only allocation, less than 256 KiB. NULL on failure; *status (may be NULL) says why:
 * WEIR_ERROR_ARGUMENT (size, format), _RANGE (interval_ns 0 .. 10 s, interval_max_ns, mtu_bytes 128
 * .. 65507, clock rate 1 .. 10^9 Hz, overhead up to 1000), _NO_MEMORY. */
WEIR_API struct weir_receiver *weir_receiver_create(const struct weir_receiver_config *config,
                                                    int64_t now_ns, enum weir_status *status);
/* NULL is allowed. */
WEIR_API void weir_receiver_destroy(struct weir_receiver *receiver);
/* Format and interval as in the configuration. What the old format had not yet reported is reported
 * in the new one. WEIR_ERROR_ARGUMENT (format) and _RANGE (interval) change nothing. */
WEIR_API enum weir_status weir_receiver_set_format(struct weir_receiver *receiver, uint32_t format,
                                                   int64_t interval_ns);
/* As ecn_counts of the configuration. */
WEIR_API void weir_receiver_set_ecn_counts(struct weir_receiver *receiver, bool ecn_counts);
/* Header extension id of the transport-wide number; 0 = none. */
WEIR_API void weir_receiver_set_transport_seq_id(struct weir_receiver *receiver, uint8_t id);
/* RTP clock rate of a stream, 1 .. 10^9 Hz, else WEIR_ERROR_RANGE. May be called before its first
 * packet. */
WEIR_API enum weir_status weir_receiver_set_clock_rate(struct weir_receiver *receiver,
                                                       uint32_t ssrc, uint32_t hz);

/* One RTP packet as it came from the socket. ecn: enum weir_ecn. WEIR_ERROR_TRUNCATED, _MALFORMED:
 * not RTP; _REJECTED: a 17th stream, or an implausible jump of the sequence number, which the next
 * packet may confirm. */
WEIR_API enum weir_status weir_receiver_on_rtp(struct weir_receiver *receiver, int64_t now_ns,
                                               const uint8_t *data, size_t len, uint32_t ecn);
/* RTCP from the sender: SR (for LSR/DLSR, and as a sign of life), XR DLRR (RTT), BYE. WEIR_OK when
 * at least one packet was understood, else _TRUNCATED, _MALFORMED or _UNSUPPORTED. */
WEIR_API enum weir_status weir_receiver_on_rtcp(struct weir_receiver *receiver, int64_t now_ns,
                                                const uint8_t *data, size_t len);

/* When feedback is due: at once after the first packet of a stream and after a new loss (RFC
 * 5348 6.1). WEIR_NEVER_NS before the first packet, and when neither packets nor sender reports
 * have come for 30 s. Ask again after each packet and each RTCP datagram. */
WEIR_API int64_t weir_receiver_next_feedback_ns(const struct weir_receiver *receiver);
/* Writes one RTCP datagram that is due. Each contains the feedback format; RR + SDES + XR RRTR make
 * it a full compound at RTCP's own interval. *len = 0 when nothing is to be sent. Call again while
 * next_feedback_ns <= now_ns (large reports are split). ntp_time as in weir_sender_build_report.
 * WEIR_ERROR_NO_SPACE when capacity < 128. */
WEIR_API enum weir_status weir_receiver_build_feedback(struct weir_receiver *receiver,
                                                       int64_t now_ns, uint64_t ntp_time,
                                                       uint8_t *buffer, size_t capacity,
                                                       size_t *len);
/* Only the feedback packet (no RR, SDES, XR), to be appended to another stack's RTCP; otherwise the
 * same. */
WEIR_API enum weir_status weir_receiver_build_feedback_only(struct weir_receiver *receiver,
                                                            int64_t now_ns, uint64_t ntp_time,
                                                            uint8_t *buffer, size_t capacity,
                                                            size_t *len);
/* "Current" means at the latest call with a time. */
WEIR_API void weir_receiver_get_stats(const struct weir_receiver *receiver,
                                      struct weir_receiver_stats *stats);

WEIR_END_DECLS
#endif
