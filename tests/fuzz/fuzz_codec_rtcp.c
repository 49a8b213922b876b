/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a datagram. Every packet of its walk goes through every parser, each of which recognises
 * its own; reports and REMB are written again and must read the same. */
#include <string.h>

#include "../read_formats.h"
#include "../wire.h"
#include "check.h"
#include "codec/ecn_report.h"
#include "codec/request.h"
#include "codec/rtcp.h"
#include "codec/sr_rr.h"
#include "codec/xr.h"

enum { CAPACITY = 64, BUFFER_BYTES = 2048 };

static struct weir__rtcp_packet reopen(const uint8_t *buffer, size_t size_bytes)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    weir__rtcp_walk_init(&walk, buffer, size_bytes);
    CHECK(weir__rtcp_walk_next(&walk, &packet));
    CHECK(walk.offset == size_bytes);
    return packet;
}

static void check_report(const struct weir__rtcp_packet *packet)
{
    struct weir__report report;
    struct weir__report again;
    uint8_t buffer[BUFFER_BYTES];
    size_t size_bytes;
    if (weir__report_parse(packet, &report) != WEIR_OK) {
        return;
    }
    CHECK(weir__report_build(&report, buffer, sizeof buffer, &size_bytes) == WEIR_OK);
    struct weir__rtcp_packet rebuilt = reopen(buffer, size_bytes);
    CHECK(weir__report_parse(&rebuilt, &again) == WEIR_OK);
    CHECK(memcmp(packet->body, rebuilt.body, rebuilt.body_bytes) == 0);
    for (size_t i = 1; i < report.n_blocks; i++) {
        int64_t rtt_ns = weir__rtt_ns(report.blocks[0].lsr_mid32, report.blocks[i].lsr_mid32,
                                      report.blocks[i].dlsr_mid32);
        CHECK(rtt_ns == WEIR_UNKNOWN_NS || (rtt_ns > 0 && rtt_ns <= WEIR_SECONDS(60)));
    }
}

static void check_remb(const struct weir__rtcp_packet *packet)
{
    struct weir__bitrate_bound remb;
    struct weir__bitrate_bound again;
    uint8_t buffer[BUFFER_BYTES];
    size_t size_bytes;
    if (remb_parse(packet, &remb) != WEIR_OK) {
        return;
    }
    CHECK(remb.bitrate_bps >= 0);
    CHECK(remb_build(&remb, buffer, sizeof buffer, &size_bytes) == WEIR_OK);
    struct weir__rtcp_packet rebuilt = reopen(buffer, size_bytes);
    CHECK(remb_parse(&rebuilt, &again) == WEIR_OK);
    CHECK(again.bitrate_bps <= remb.bitrate_bps && again.n_ssrcs == remb.n_ssrcs);
}

static void check_names(const struct weir__rtcp_packet *packet)
{
    struct weir__sdes_cname cnames[4];
    struct weir__bye bye;
    size_t n;
    if (weir__sdes_parse(packet, cnames, 4, &n) == WEIR_OK) {
        for (size_t i = 0; i < n && i < 4; i++) {
            CHECK(cnames[i].name >= packet->body);
            CHECK(cnames[i].name + cnames[i].name_bytes <= packet->body + packet->body_bytes);
        }
    }
    if (weir__bye_parse(packet, &bye) == WEIR_OK) {
        CHECK(bye.n_ssrcs <= WEIR__RTCP_MAX_COUNT);
    }
}

static void check_request(const struct weir__rtcp_packet *packet)
{
    struct weir__request request;
    uint16_t numbers[8];
    size_t n_numbers;
    if (weir__nack_parse(packet, numbers, sizeof numbers / sizeof *numbers, &n_numbers) ==
        WEIR_OK) {
        CHECK(n_numbers >= 1 && n_numbers <= 17 * (packet->body_bytes / 4));
    }
    if (weir__request_parse(packet, &request) == WEIR_OK) {
        CHECK(request.n_ssrcs >= 1 && request.n_ssrcs <= WEIR__REQUEST_MAX_SSRCS);
        CHECK(request.n_ssrcs == 1 || request.kind == WEIR__REQUEST_FIR);
    }
}

static void check_feedback(const struct weir__rtcp_packet *packet)
{
    struct twcc twcc;
    struct weir__feedback_entry twcc_entries[CAPACITY];
    struct ccfb ccfb;
    struct weir__feedback_entry ccfb_entries[CAPACITY];
    struct ccfb_peer peer = {0};
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    if (twcc_parse(packet, &twcc, twcc_entries, CAPACITY) == WEIR_OK) {
        CHECK(twcc.n_entries >= 1 && twcc.n_received <= twcc.n_entries);
    }
    if (ccfb_parse(packet, &peer, &ccfb, ccfb_entries, CAPACITY) == WEIR_OK) {
        CHECK(ccfb.n_entries <= packet->body_bytes / 2);
    }
    if (weir__xr_walk_init(&walk, packet) == WEIR_OK) {
        while (weir__xr_walk_next(&walk, &block)) {
            CHECK(block.body + block.body_bytes <= packet->body + packet->body_bytes);
        }
    }
}

static void check_ecn(const struct weir__rtcp_packet *packet)
{
    struct weir__ecn_feedback feedback;
    uint8_t buffer[32];
    size_t size_bytes;
    if (weir__ecn_feedback_parse(packet, &feedback) == WEIR_OK) {
        CHECK(weir__ecn_feedback_build(&feedback, buffer, sizeof buffer, &size_bytes) == WEIR_OK);
        CHECK(size_bytes == sizeof buffer);
        CHECK(memcmp(packet->body, buffer + WEIR__RTCP_HEADER_BYTES, packet->body_bytes) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    weir__rtcp_walk_init(&walk, data, size);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        CHECK(packet.body + packet.body_bytes <= data + size);
        check_report(&packet);
        check_names(&packet);
        check_remb(&packet);
        check_request(&packet);
        check_feedback(&packet);
        check_ecn(&packet);
    }
    return 0;
}
