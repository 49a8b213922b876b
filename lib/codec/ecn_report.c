/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/ecn_report.h"

#include "codec/bytes.h"

enum {
    COUNTS_BYTES = 16,
    SSRCS_BYTES = 8,
    FEEDBACK_BODY_BYTES = SSRCS_BYTES + 4 + COUNTS_BYTES,
    SUMMARY_BYTES = 4 + COUNTS_BYTES
};

static struct weir__ecn_counts get_counts(const uint8_t *p)
{
    return (struct weir__ecn_counts){.ect0_packets = weir__get_u32(p),
                                     .ect1_packets = weir__get_u32(p + 4),
                                     .ce_packets = weir__get_u16(p + 8),
                                     .not_ect_packets = weir__get_u16(p + 10),
                                     .lost_packets = weir__get_u16(p + 12),
                                     .duplicate_packets = weir__get_u16(p + 14)};
}

static void put_counts(uint8_t *p, const struct weir__ecn_counts *counts)
{
    weir__put_u32(p, counts->ect0_packets);
    weir__put_u32(p + 4, counts->ect1_packets);
    weir__put_u16(p + 8, counts->ce_packets);
    weir__put_u16(p + 10, counts->not_ect_packets);
    weir__put_u16(p + 12, counts->lost_packets);
    weir__put_u16(p + 14, counts->duplicate_packets);
}

enum weir_status weir__ecn_feedback_parse(const struct weir__rtcp_packet *packet,
                                          struct weir__ecn_feedback *feedback)
{
    if (packet->type != WEIR__RTCP_RTPFB || packet->count != WEIR__RTPFB_ECN) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes != FEEDBACK_BODY_BYTES) {
        return packet->body_bytes < FEEDBACK_BODY_BYTES ? WEIR_ERROR_TRUNCATED
                                                        : WEIR_ERROR_MALFORMED;
    }
    const uint8_t *p = packet->body;
    *feedback = (struct weir__ecn_feedback){.sender_ssrc = weir__get_u32(p),
                                            .media_ssrc = weir__get_u32(p + 4),
                                            .highest_seq = weir__get_u32(p + SSRCS_BYTES),
                                            .counts = get_counts(p + SSRCS_BYTES + 4)};
    return WEIR_OK;
}

enum weir_status weir__ecn_feedback_build(const struct weir__ecn_feedback *feedback,
                                          uint8_t *buffer, size_t capacity_bytes,
                                          size_t *size_bytes)
{
    size_t total_bytes = WEIR__RTCP_HEADER_BYTES + FEEDBACK_BODY_BYTES;
    if (total_bytes > capacity_bytes) {
        return WEIR_ERROR_NO_SPACE;
    }
    weir__rtcp_put_feedback_header(buffer, WEIR__RTPFB_ECN, WEIR__RTCP_RTPFB, total_bytes,
                                   feedback->sender_ssrc, feedback->media_ssrc);
    uint8_t *p = buffer + WEIR__RTCP_HEADER_BYTES + SSRCS_BYTES;
    weir__put_u32(p, feedback->highest_seq);
    put_counts(p + 4, &feedback->counts);
    *size_bytes = total_bytes;
    return WEIR_OK;
}

enum weir_status weir__ecn_summary_parse(const struct weir__xr_block *block,
                                         struct weir__ecn_summary *summary)
{
    if (block->type != WEIR__XR_ECN_SUMMARY) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (block->body_bytes != SUMMARY_BYTES) {
        return WEIR_ERROR_MALFORMED;
    }
    *summary = (struct weir__ecn_summary){.media_ssrc = weir__get_u32(block->body),
                                          .counts = get_counts(block->body + 4)};
    return WEIR_OK;
}

enum weir_status weir__ecn_summary_build(uint32_t ssrc, const struct weir__ecn_summary *summary,
                                         uint8_t *buffer, size_t capacity_bytes, size_t *size_bytes)
{
    uint8_t *p = weir__xr_open_packet(ssrc, WEIR__XR_ECN_SUMMARY, SUMMARY_BYTES, buffer,
                                      capacity_bytes, size_bytes);
    if (p == NULL) {
        return WEIR_ERROR_NO_SPACE;
    }
    weir__put_u32(p, summary->media_ssrc);
    put_counts(p + 4, &summary->counts);
    return WEIR_OK;
}
