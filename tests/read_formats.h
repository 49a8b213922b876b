/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The per-packet formats of feedback as tests use them: read at once into an array, with what a
 * packet says beside its entries under the names that its specification has for it. */
#ifndef WEIR_TESTS_READ_FORMATS_H
#define WEIR_TESTS_READ_FORMATS_H

#include "codec/bytes.h"
#include "codec/format.h"

/* What weir__format_ccfb remembers of a peer. */
enum { CCFB_COUNT_UNKNOWN, CCFB_COUNT_WORDS, CCFB_COUNT_MINUS_ONE };
struct ccfb_peer {
    uint32_t counting;
};

struct ccfb {
    uint32_t sender_ssrc;
    uint32_t report_mid32;
    int64_t report_ns; /* build: on the clock of arrival_ns */
    size_t n_entries;
    struct weir__packet_feedback feedback; /* parsed; where its reading stands */
};

/* *peer and *ccfb stay as they are on an error. */
static inline enum weir_status ccfb_parse(const struct weir__rtcp_packet *packet,
                                          struct ccfb_peer *peer, struct ccfb *ccfb,
                                          struct weir__feedback_entry *entries, size_t capacity)
{
    const struct weir__format *format = weir__format_at(WEIR__FORMAT_INDEX_ccfb);
    struct weir__packet_feedback feedback;
    enum weir_status status = format->parse(packet, &peer->counting, &feedback);
    if (status == WEIR_OK) {
        *ccfb = (struct ccfb){.sender_ssrc = feedback.sender_ssrc,
                              .report_mid32 = feedback.time,
                              .n_entries = feedback.n_entries,
                              .feedback = feedback};
        format->read(&ccfb->feedback, entries, capacity);
    }
    return status;
}

static inline size_t ccfb_read(struct ccfb *ccfb, struct weir__feedback_entry *entries,
                               size_t capacity)
{
    return weir__format_at(WEIR__FORMAT_INDEX_ccfb)->read(&ccfb->feedback, entries, capacity);
}

static inline enum weir_status ccfb_build(const struct ccfb *ccfb,
                                          const struct weir__feedback_entry *entries,
                                          size_t n_entries, uint8_t *buffer, size_t capacity_bytes,
                                          size_t *size_bytes, size_t *n_written)
{
    const struct weir__feedback_head head = {.sender_ssrc = ccfb->sender_ssrc,
                                             .report_mid32 = ccfb->report_mid32,
                                             .report_ns = ccfb->report_ns};
    return weir__format_at(WEIR__FORMAT_INDEX_ccfb)
        ->build(&head, entries, n_entries, buffer, capacity_bytes, size_bytes, n_written);
}

struct twcc {
    uint32_t sender_ssrc;
    uint32_t media_ssrc;
    uint16_t base_seq;
    uint8_t feedback_count;
    int32_t reference_ticks; /* of 64 ms */
    size_t n_entries;
    size_t n_received;                     /* of all of them */
    struct weir__packet_feedback feedback; /* parsed; where its reading stands */
};

static inline size_t twcc_count_received(struct weir__packet_feedback feedback)
{
    struct weir__feedback_entry entries[64];
    size_t n_received = 0;
    for (size_t n;
         (n = weir__format_at(WEIR__FORMAT_INDEX_twcc)->read(&feedback, entries, 64)) > 0;) {
        for (size_t i = 0; i < n; i++) {
            n_received += entries[i].received;
        }
    }
    return n_received;
}

/* *twcc stays as it is on an error. */
static inline enum weir_status twcc_parse(const struct weir__rtcp_packet *packet, struct twcc *twcc,
                                          struct weir__feedback_entry *entries, size_t capacity)
{
    const struct weir__format *format = weir__format_at(WEIR__FORMAT_INDEX_twcc);
    struct weir__packet_feedback feedback;
    uint32_t peer = 0;
    enum weir_status status = format->parse(packet, &peer, &feedback);
    if (status == WEIR_OK) {
        *twcc = (struct twcc){.sender_ssrc = feedback.sender_ssrc,
                              .media_ssrc = weir__get_u32(packet->body + 4),
                              .base_seq = weir__get_u16(packet->body + 8),
                              .feedback_count = packet->body[15],
                              .reference_ticks = weir__get_s24(packet->body + 12),
                              .n_entries = feedback.n_entries,
                              .n_received = twcc_count_received(feedback),
                              .feedback = feedback};
        format->read(&twcc->feedback, entries, capacity);
    }
    return status;
}

static inline size_t twcc_read(struct twcc *twcc, struct weir__feedback_entry *entries,
                               size_t capacity)
{
    return weir__format_at(WEIR__FORMAT_INDEX_twcc)->read(&twcc->feedback, entries, capacity);
}

static inline enum weir_status twcc_build(const struct twcc *twcc,
                                          const struct weir__feedback_entry *entries,
                                          size_t n_entries, uint8_t *buffer, size_t capacity_bytes,
                                          size_t *size_bytes, size_t *n_written)
{
    const struct weir__feedback_head head = {.sender_ssrc = twcc->sender_ssrc,
                                             .media_ssrc = twcc->media_ssrc,
                                             .count = twcc->feedback_count};
    return weir__format_at(WEIR__FORMAT_INDEX_twcc)
        ->build(&head, entries, n_entries, buffer, capacity_bytes, size_bytes, n_written);
}

static inline enum weir_status remb_parse(const struct weir__rtcp_packet *packet,
                                          struct weir__bitrate_bound *remb)
{
    return weir__format_at(WEIR__FORMAT_INDEX_remb)->parse_bound(packet, remb);
}

static inline enum weir_status remb_build(const struct weir__bitrate_bound *remb, uint8_t *buffer,
                                          size_t capacity_bytes, size_t *size_bytes)
{
    return weir__format_at(WEIR__FORMAT_INDEX_remb)
        ->build_bound(remb, buffer, capacity_bytes, size_bytes);
}

#endif
