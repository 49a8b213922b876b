/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the receiving session share: RTP packets to put in, and the RTCP that comes out
 * read back with the codecs. */
#ifndef WEIR_TESTS_RECEIVER_FIXTURE_H
#define WEIR_TESTS_RECEIVER_FIXTURE_H

#include "../../read_formats.h"
#include "codec/bytes.h"
#include "codec/sr_rr.h"
#include "codec/xr.h"
#include "session/receiver_state.h"
#include "test.h"
#include "weir/rtcp.h"

#define LOCAL_SSRC   0x11223344U
#define TRANSPORT_ID 3
#define MAX_ENTRIES  4096

static inline struct weir_receiver *receiver_new(uint32_t format)
{
    struct weir_receiver_config config;
    enum weir_status status;
    weir_receiver_config_init(&config);
    config.format = format;
    config.local_ssrc = LOCAL_SSRC;
    config.transport_seq_id = TRANSPORT_ID;
    config.seed = 7;
    struct weir_receiver *receiver = weir_receiver_create(&config, 0, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    return receiver;
}

struct media {
    uint32_t ssrc;
    uint32_t seq;
    uint32_t timestamp;
    uint32_t transport_seq;
    size_t payload_bytes;
    uint32_t ecn;
};

/* One packet with a transport-wide number: 20 bytes of header. */
static inline enum weir_status receive(struct weir_receiver *receiver, int64_t now_ns,
                                       const struct media *media)
{
    uint8_t data[1500] = {0x90, 0x60};
    weir__put_u16(data + 2, media->seq);
    weir__put_u32(data + 4, media->timestamp);
    weir__put_u32(data + 8, media->ssrc);
    weir__put_u32(data + 12, 0xbede0001);
    data[16] = TRANSPORT_ID << 4 | 1;
    weir__put_u16(data + 17, media->transport_seq);
    g_assert_cmpuint(media->payload_bytes + 20, <=, sizeof data);
    return weir_receiver_on_rtp(receiver, now_ns, data, 20 + media->payload_bytes, media->ecn);
}

/* A datagram that was read back. */
struct parsed {
    size_t bytes;
    bool has_rr, has_sdes, has_rrtr, has_ccfb, has_twcc, has_remb;
    size_t n_packets;
    struct weir__report rr;
    uint64_t rrtr;
    struct ccfb ccfb;
    struct weir__feedback_entry ccfb_entries[MAX_ENTRIES];
    struct twcc twcc;
    struct weir__feedback_entry twcc_entries[MAX_ENTRIES];
    struct weir__bitrate_bound remb;
    struct weir__sdes_cname cname;
};

static inline void parse_xr(const struct weir__rtcp_packet *packet, struct parsed *parsed)
{
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    g_assert_cmpint(weir__xr_walk_init(&walk, packet), ==, WEIR_OK);
    while (weir__xr_walk_next(&walk, &block)) {
        g_assert_cmpint(weir__xr_rrtr_parse(&block, &parsed->rrtr), ==, WEIR_OK);
        parsed->has_rrtr = true;
    }
    g_assert_false(walk.malformed);
}

static inline void parse_feedback(const struct weir__rtcp_packet *packet, struct parsed *parsed)
{
    struct ccfb_peer peer = {0};
    if (ccfb_parse(packet, &peer, &parsed->ccfb, parsed->ccfb_entries, MAX_ENTRIES) == WEIR_OK) {
        g_assert_cmpint(peer.counting, !=, CCFB_COUNT_MINUS_ONE);
        g_assert_cmphex(parsed->ccfb.sender_ssrc, ==, LOCAL_SSRC);
        parsed->has_ccfb = true;
        return;
    }
    g_assert_cmpint(twcc_parse(packet, &parsed->twcc, parsed->twcc_entries, MAX_ENTRIES), ==,
                    WEIR_OK);
    g_assert_cmphex(parsed->twcc.sender_ssrc, ==, LOCAL_SSRC);
    parsed->has_twcc = true;
}

static inline void parse_packet(const struct weir__rtcp_packet *packet, struct parsed *parsed)
{
    size_t n_cnames;
    switch (packet->type) {
    case WEIR__RTCP_RR:
        g_assert_cmpuint(parsed->n_packets, ==, 0); /* an RR comes first */
        g_assert_cmpint(weir__report_parse(packet, &parsed->rr), ==, WEIR_OK);
        parsed->has_rr = true;
        break;
    case WEIR__RTCP_SDES:
        g_assert_cmpint(weir__sdes_parse(packet, &parsed->cname, 1, &n_cnames), ==, WEIR_OK);
        g_assert_cmpuint(n_cnames, ==, 1);
        parsed->has_sdes = true;
        break;
    case WEIR__RTCP_XR:
        parse_xr(packet, parsed);
        break;
    case WEIR__RTCP_PSFB:
        g_assert_cmpint(remb_parse(packet, &parsed->remb), ==, WEIR_OK);
        parsed->has_remb = true;
        break;
    default:
        g_assert_cmpint(packet->type, ==, WEIR__RTCP_RTPFB);
        parse_feedback(packet, parsed);
    }
    parsed->n_packets++;
}

/* Reads a datagram; every packet must be good and tile it. */
static inline void parse_datagram(const uint8_t *data, size_t len, struct parsed *parsed)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    memset(parsed, 0, sizeof *parsed);
    parsed->bytes = len;
    weir__rtcp_walk_init(&walk, data, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        parse_packet(&packet, parsed);
    }
    g_assert_cmpuint(walk.offset, ==, len);
    g_assert_cmpuint(walk.anomalies.truncated + walk.anomalies.bad_version, ==, 0);
}

/* 32.32 fixed point of our test clock, which is not the receiver's monotonic one. */
static inline uint64_t test_ntp(int64_t now_ns)
{
    return weir_ntp_from_unix_ns(now_ns + WEIR_SECONDS(1700000000));
}

/* Builds one datagram of at most capacity bytes; false when there was nothing to say. */
static inline bool build_within(struct weir_receiver *receiver, int64_t now_ns, size_t capacity,
                                struct parsed *parsed)
{
    uint8_t *data = g_malloc(capacity); /* its own block: an overrun is seen */
    size_t len = 77;
    g_assert_cmpint(
        weir_receiver_build_feedback(receiver, now_ns, test_ntp(now_ns), data, capacity, &len), ==,
        WEIR_OK);
    g_assert_cmpuint(len, <=, capacity);
    if (len > 0) {
        parse_datagram(data, len, parsed);
    }
    g_free(data);
    return len > 0;
}

static inline bool build(struct weir_receiver *receiver, int64_t now_ns, struct parsed *parsed)
{
    return build_within(receiver, now_ns, 1500, parsed);
}

/* Whether a datagram is due. */
static inline bool is_due(const struct weir_receiver *receiver, int64_t now_ns)
{
    return weir_receiver_next_feedback_ns(receiver) <= now_ns;
}

static inline struct weir_receiver_stats receiver_stats(const struct weir_receiver *receiver)
{
    struct weir_receiver_stats stats;
    weir_receiver_get_stats(receiver, &stats);
    return stats;
}

/* Packets of one stream, one every gap_ns. */
struct feed {
    struct weir_receiver *receiver;
    int64_t now_ns;
    int64_t gap_ns;
    struct media media;
};

static inline struct feed feed_new(uint32_t format, int64_t gap_ns)
{
    return (struct feed){.receiver = receiver_new(format),
                         .gap_ns = gap_ns,
                         .media = {.ssrc = 1, .payload_bytes = 1000}};
}

/* Next packet; not received if lost. */
static inline void feed_packet(struct feed *feed, bool lost)
{
    if (!lost) {
        g_assert_cmpint(receive(feed->receiver, feed->now_ns, &feed->media), ==, WEIR_OK);
    }
    feed->media.seq++;
    feed->media.transport_seq++;
    feed->media.timestamp += (uint32_t)(feed->gap_ns * 90 / WEIR_MS(1));
    feed->now_ns += feed->gap_ns;
}

#endif
