/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/sr_rr.h"

#include "base/unwrap.h"
#include "codec/bytes.h"
#include "codec/format.h"
#include "weir/units.h"

enum { SSRC_BYTES = 4, SENDER_INFO_BYTES = 20, BLOCK_BYTES = 24 };

/* A round trip longer than this is a broken clock or a forged report. */
#define RTT_MAX_NS WEIR_SECONDS(60)

static struct weir__report_block get_block(const uint8_t *p)
{
    return (struct weir__report_block){.ssrc = weir__get_u32(p),
                                       .fraction_lost = p[4],
                                       .cumulative_lost = weir__get_s24(p + 5),
                                       .highest_seq = weir__get_u32(p + 8),
                                       .jitter = weir__get_u32(p + 12),
                                       .lsr_mid32 = weir__get_u32(p + 16),
                                       .dlsr_mid32 = weir__get_u32(p + 20)};
}

static void put_block(uint8_t *p, const struct weir__report_block *block)
{
    weir__put_u32(p, block->ssrc);
    p[4] = block->fraction_lost;
    weir__put_u24(p + 5, (uint32_t)block->cumulative_lost);
    weir__put_u32(p + 8, block->highest_seq);
    weir__put_u32(p + 12, block->jitter);
    weir__put_u32(p + 16, block->lsr_mid32);
    weir__put_u32(p + 20, block->dlsr_mid32);
}

/* RFC 3550 6.4.1 and 6.4.2. A report count larger than the packet is refused as a whole; what
 * follows the blocks is a profile's extension and skipped. */
enum weir_status weir__report_parse(const struct weir__rtcp_packet *packet,
                                    struct weir__report *report)
{
    bool is_sr = packet->type == WEIR__RTCP_SR;
    size_t blocks_offset = SSRC_BYTES + (is_sr ? SENDER_INFO_BYTES : 0);
    const uint8_t *body = packet->body;
    if (!is_sr && packet->type != WEIR__RTCP_RR) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < blocks_offset + packet->count * (size_t)BLOCK_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    *report = (struct weir__report){
        .is_sr = is_sr, .n_blocks = packet->count, .ssrc = weir__get_u32(body)};
    if (is_sr) {
        report->ntp = weir__get_u64(body + 4);
        report->rtp_timestamp = weir__get_u32(body + 12);
        report->sent_packets = weir__get_u32(body + 16);
        report->sent_octets = weir__get_u32(body + 20);
    }
    for (size_t i = 0; i < packet->count; i++) {
        report->blocks[i] = get_block(body + blocks_offset + i * BLOCK_BYTES);
    }
    return WEIR_OK;
}

/* cumulative_lost keeps its low 24 bits. WEIR_ERROR_ARGUMENT for more than 31 blocks. */
enum weir_status weir__report_build(const struct weir__report *report, uint8_t *buffer,
                                    size_t capacity_bytes, size_t *size_bytes)
{
    size_t blocks_offset =
        WEIR__RTCP_HEADER_BYTES + SSRC_BYTES + (report->is_sr ? SENDER_INFO_BYTES : 0);
    size_t total_bytes = blocks_offset + report->n_blocks * (size_t)BLOCK_BYTES;
    if (report->n_blocks > WEIR__RTCP_MAX_COUNT) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (total_bytes > capacity_bytes) {
        return WEIR_ERROR_NO_SPACE;
    }
    weir__rtcp_put_header(buffer, report->n_blocks, report->is_sr ? WEIR__RTCP_SR : WEIR__RTCP_RR,
                          total_bytes);
    weir__put_u32(buffer + 4, report->ssrc);
    if (report->is_sr) {
        weir__put_u64(buffer + 8, report->ntp);
        weir__put_u32(buffer + 16, report->rtp_timestamp);
        weir__put_u32(buffer + 20, report->sent_packets);
        weir__put_u32(buffer + 24, report->sent_octets);
    }
    for (size_t i = 0; i < report->n_blocks; i++) {
        put_block(buffer + blocks_offset + i * BLOCK_BYTES, &report->blocks[i]);
    }
    *size_bytes = total_bytes;
    return WEIR_OK;
}

int64_t weir__mid32_to_ns(uint32_t mid32)
{
    return weir__ticks_to_ns(&weir__clock_mid32, mid32);
}

/* RFC 3550 6.4.1 and figure 2. A delay longer than the time since the report was sent makes no
 * sample. Less than a clock unit is a path shorter than the clock can tell. */
int64_t weir__rtt_ns(uint32_t now_mid32, uint32_t echo_mid32, uint32_t delay_mid32)
{
    uint32_t elapsed_mid32 = now_mid32 - echo_mid32; /* right over a wrap */
    if (echo_mid32 == 0 || delay_mid32 > elapsed_mid32) {
        return WEIR_UNKNOWN_NS;
    }
    uint32_t rtt_mid32 = elapsed_mid32 - delay_mid32;
    int64_t rtt_ns = weir__mid32_to_ns(rtt_mid32 > 0 ? rtt_mid32 : 1);
    return rtt_ns <= RTT_MAX_NS ? rtt_ns : WEIR_UNKNOWN_NS;
}

/* Zero-initialise the history before the first call. */
void weir__sr_history_on_sent(struct weir__sr_history *history, uint32_t mid32)
{
    history->mid32[history->n_sent % WEIR__SR_HISTORY] = mid32;
    history->n_sent++;
}

/* The caller's own clock stamped both ends, so weir__rtt_ns already refuses what is older than the
 * echoed report. */
int64_t weir__sr_history_rtt_ns(const struct weir__sr_history *history, uint32_t now_mid32,
                                uint32_t echo_mid32, uint32_t delay_mid32)
{
    uint32_t n = history->n_sent < WEIR__SR_HISTORY ? history->n_sent : WEIR__SR_HISTORY;
    for (uint32_t i = 0; i < n; i++) {
        if (history->mid32[i] == echo_mid32) {
            return weir__rtt_ns(now_mid32, echo_mid32, delay_mid32);
        }
    }
    return WEIR_UNKNOWN_NS;
}

/* Sessions read and write the reports themselves: they belong to RTCP, whatever the format. */
const struct weir__format weir__format_rr = {
    .name = "rr",
    .description = "Receiver reports: losses and round-trip time",
    .kind = WEIR__FORMAT_SUMS,
    .types = {WEIR__RTCP_SR, WEIR__RTCP_RR},
};
