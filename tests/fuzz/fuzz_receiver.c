/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a sequence of calls of a receiving session, one byte for each and more for its arguments.
 * After each of them the promises of receiver.h hold, and what it writes is good RTCP. */
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "codec/rtcp.h"
#include "codec/rtp.h"
#include "codec/sr_rr.h"
#include "codec/xr.h"
#include "input.h"
#include "weir/receiver.h"
#include "weir/rtcp.h"

enum { BUFFER_BYTES = 1500, N_SSRCS = 20, TRANSPORT_ID = 3, LOCAL_SSRC = 7 };

struct session {
    struct weir_receiver *receiver;
    int64_t now_ns;
    uint16_t seq;
    uint16_t transport_seq;
    struct fuzz_input input;
};

static void give_rtp(struct session *session, const uint8_t *data, size_t len, uint32_t ecn)
{
    struct weir_rtp_info info;
    enum weir_status status =
        weir_receiver_on_rtp(session->receiver, session->now_ns, data, len, ecn);
    bool is_rtp = weir_rtp_info(data, len, TRANSPORT_ID, &info) == WEIR_OK;
    CHECK(is_rtp == (status == WEIR_OK || status == WEIR_ERROR_REJECTED));
}

static void raw_rtp(struct session *session)
{
    size_t len;
    const uint8_t *data = fuzz_take_bytes(&session->input, &len);
    give_rtp(session, data, len, len > 0 ? data[0] : 0);
}

/* Packets in order, some left out and some twice. */
static void packets(struct session *session)
{
    unsigned n = fuzz_take(&session->input) % 32;
    unsigned how = fuzz_take(&session->input);
    for (unsigned i = 0; i < n; i++) {
        uint8_t data[64] = {0};
        size_t header_bytes = 0;
        const struct weir__rtp rtp = {.ssrc = 1 + (how & 0x40 ? i % N_SSRCS : 0),
                                      .timestamp = session->seq * 3000U,
                                      .seq = session->seq,
                                      .marker = i % 4 == 3};
        CHECK(weir__rtp_build(&rtp, how & 0x80 ? TRANSPORT_ID : 0, session->transport_seq, data,
                              sizeof data, &header_bytes) == WEIR_OK);
        session->seq = (uint16_t)(session->seq + (i % 8 == 7 ? how & 3 : 1));
        session->transport_seq++;
        give_rtp(session, data, header_bytes + how % 32, how & 0x20 && i % 8 == 5 ? 3 : how & 2);
        session->now_ns += WEIR_US(how & 0x1f) * 100;
    }
}

/* Jumps of the numbers: a restart, or one wild packet. */
static void jump(struct session *session)
{
    session->seq = (uint16_t)(session->seq + (fuzz_take_u32(&session->input) >> 16));
    session->transport_seq = (uint16_t)(session->transport_seq + fuzz_take(&session->input) * 16);
}

static void pass_time(struct session *session)
{
    static const int64_t steps_ns[] = {WEIR_US(50),      WEIR_MS(1),        WEIR_MS(10),
                                       WEIR_MS(100),     WEIR_MS(700),      WEIR_SECONDS(3),
                                       WEIR_SECONDS(31), -WEIR_SECONDS(100)};
    session->now_ns += steps_ns[fuzz_take(&session->input) % 8];
}

static void give_rtcp(struct session *session, const uint8_t *data, size_t len)
{
    CHECK(weir_receiver_on_rtcp(session->receiver, session->now_ns, data, len) <= WEIR_OK);
}

static void raw_rtcp(struct session *session)
{
    size_t len;
    const uint8_t *data = fuzz_take_bytes(&session->input, &len);
    give_rtcp(session, data, len);
}

/* A sender report and an echo of our reference time, of which the input may change one byte. */
static void sender_rtcp(struct session *session)
{
    uint8_t data[256];
    size_t len = 0;
    size_t xr_len = 0;
    struct weir__report sr = {.is_sr = true,
                              .ssrc = 1 + fuzz_take(&session->input) % N_SSRCS,
                              .ntp = (uint64_t)fuzz_take(&session->input) << 32};
    const struct weir__xr_dlrr item = {.ssrc = LOCAL_SSRC,
                                       .lrr_mid32 = fuzz_take(&session->input) << 16,
                                       .dlrr_mid32 = fuzz_take(&session->input) << 8};
    CHECK(weir__report_build(&sr, data, sizeof data, &len) == WEIR_OK);
    CHECK(weir__xr_build_dlrr(1, &item, 1, data + len, sizeof data - len, &xr_len) == WEIR_OK);
    len += xr_len;
    unsigned at = fuzz_take(&session->input);
    if (at < len) {
        data[at] = (uint8_t)fuzz_take(&session->input);
    }
    give_rtcp(session, data, len);
}

/* Every datagram is one compound of good packets. */
static void check_datagram(const uint8_t *data, size_t len)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    weir__rtcp_walk_init(&walk, data, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
    }
    CHECK(walk.offset == len && walk.anomalies.truncated == 0 && walk.anomalies.bad_version == 0);
}

/* Reports end: none is due for ever at the same moment. */
static void build(struct session *session)
{
    uint8_t buffer[BUFFER_BYTES];
    size_t capacity = 128 + fuzz_take(&session->input) * 5;
    bool only = capacity % 2 == 1;
    size_t len = 1;
    int datagrams = 0;
    while (len > 0 && weir_receiver_next_feedback_ns(session->receiver) <= session->now_ns) {
        enum weir_status status =
            only ? weir_receiver_build_feedback_only(session->receiver, session->now_ns, 1, buffer,
                                                     capacity, &len)
                 : weir_receiver_build_feedback(session->receiver, session->now_ns, 1, buffer,
                                                capacity, &len);
        CHECK(status == WEIR_OK && len <= capacity && len % 4 == 0);
        check_datagram(buffer, len);
        CHECK(++datagrams < 5000);
    }
}

static void wait_and_build(struct session *session)
{
    int64_t due_ns = weir_receiver_next_feedback_ns(session->receiver);
    if (due_ns > session->now_ns && due_ns < session->now_ns + WEIR_SECONDS(40)) {
        session->now_ns = due_ns;
    }
    build(session);
}

static void set(struct session *session)
{
    static const uint32_t formats[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC, WEIR_FEEDBACK_RR,
                                       WEIR_FEEDBACK_REMB, WEIR_FEEDBACK_XR};
    unsigned value = fuzz_take(&session->input);
    if (value < 128) {
        weir_receiver_set_format(session->receiver, formats[value % 5], WEIR_MS(value / 5));
    } else {
        weir_receiver_set_clock_rate(session->receiver, 1 + value % N_SSRCS,
                                     fuzz_take_u32(&session->input));
    }
}

static void check_stats(const struct session *session)
{
    struct weir_receiver_stats stats;
    weir_receiver_get_stats(session->receiver, &stats);
    CHECK(stats.loss_ratio >= 0.0 && stats.loss_ratio <= 1.0);
    CHECK(stats.r_score >= 0.0 && stats.r_score <= 100.0 && stats.mos >= 1.0 && stats.mos <= 4.5);
    CHECK(stats.received_wire_bps >= 0 && stats.jitter_ns >= 0);
    CHECK(stats.rtt_ns == WEIR_UNKNOWN_NS || stats.rtt_ns > 0);
    CHECK(stats.packets_duplicate <= stats.packets_received);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const steps[])(struct session *) = {
        packets,     packets, packets, pass_time, raw_rtp, raw_rtcp,
        sender_rtcp, jump,    build,   build,     set,     wait_and_build};
    struct session session = {.seq = 65500, .input = {data, size}};
    struct weir_receiver_config config;
    weir_receiver_config_init(&config);
    config.local_ssrc = LOCAL_SSRC;
    config.transport_seq_id = TRANSPORT_ID;
    config.per_packet = fuzz_take(&session.input) % 2;
    session.receiver = weir_receiver_create(&config, session.now_ns, NULL);
    CHECK(session.receiver != NULL);
    while (session.input.left > 0) {
        steps[fuzz_take(&session.input) % (sizeof steps / sizeof steps[0])](&session);
        check_stats(&session);
    }
    weir_receiver_destroy(session.receiver);
    return 0;
}
