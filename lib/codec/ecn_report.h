/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts of ECN codepoints (RFC 6679): the ECN feedback of AVPF (5.1) and the ECN summary, a block
 * of an extended report (5.2). Both tell the same sums of one stream since it began, each in as
 * many bits as its field has. */
#ifndef WEIR_CODEC_ECN_REPORT_H
#define WEIR_CODEC_ECN_REPORT_H

#include "codec/xr.h"

struct weir__ecn_counts {
    uint32_t ect0_packets;
    uint32_t ect1_packets;
    uint16_t ce_packets;
    uint16_t not_ect_packets;
    uint16_t lost_packets; /* expected, less those that came without their copies */
    uint16_t duplicate_packets;
};

struct weir__ecn_feedback {
    uint32_t sender_ssrc; /* who reports */
    uint32_t media_ssrc;
    uint32_t highest_seq; /* extended, as in a receiver report */
    struct weir__ecn_counts counts;
};

struct weir__ecn_summary {
    uint32_t media_ssrc;
    struct weir__ecn_counts counts;
};

enum weir_status weir__ecn_feedback_parse(const struct weir__rtcp_packet *packet,
                                          struct weir__ecn_feedback *feedback);
enum weir_status weir__ecn_feedback_build(const struct weir__ecn_feedback *feedback,
                                          uint8_t *buffer, size_t capacity_bytes,
                                          size_t *size_bytes);

enum weir_status weir__ecn_summary_parse(const struct weir__xr_block *block,
                                         struct weir__ecn_summary *summary);
/* A packet with that block alone. ssrc: who reports. */
enum weir_status weir__ecn_summary_build(uint32_t ssrc, const struct weir__ecn_summary *summary,
                                         uint8_t *buffer, size_t capacity_bytes,
                                         size_t *size_bytes);

#endif
