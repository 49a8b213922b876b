/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Per-packet feedback in its formats: CCFB, TWCC, XR, and what another stack decoded. Each names
 * packets in its own way and tells times on its own clock. */
#include <stddef.h>

#include "codec/bytes.h"
#include "codec/ccfb.h"
#include "codec/twcc.h"
#include "codec/xr_rle.h"
#include "session/sender_internal.h"
#include "weir/receiver.h"

/* Entries read at a time. */
enum { PIECE = 64 };

/* A source of arrival times that is silent for so long gives way to another. */
#define SOURCE_SILENT_NS WEIR_SECONDS(1)
/* How far two results can be apart beyond the time between them. */
#define CLOCK_TOLERANCE_NS WEIR_SECONDS(10)

/* format: enum weir_feedback_format, 0 for results of another stack. */
static void start_batch(struct weir__batch *batch, struct weir_sender *sender, uint32_t transport,
                        uint32_t format)
{
    weir__batch_init(batch, sender, &sender->transports[transport]);
    batch->only_matches =
        !weir__steering_admits(&batch->transport->steering, format, sender->now_ns);
}

static enum weir_status finish_batch(struct weir__batch *batch, uint32_t format, bool has_hold)
{
    struct weir_sender *sender = batch->sender;
    enum weir_status status = weir__batch_finish(batch, has_hold);
    if (batch->received_packets > 0) {
        weir__steering_on_news(&batch->transport->steering, format, sender->now_ns);
    }
    return status;
}

/* Whether the controller shall see arrival times of this source: one clock of a transport at a
 * time, and none across a change. */
static bool use_arrivals(const struct weir__batch *batch, uint32_t format, uint32_t ssrc)
{
    if (batch->only_matches) {
        return false;
    }
    struct weir_sender *sender = batch->sender;
    struct weir__arrival_source *source = &batch->transport->arrivals;
    bool same = source->known && source->format == format && source->ssrc == ssrc;
    bool take = same || !source->known || sender->now_ns - source->used_ns >= SOURCE_SILENT_NS;
    if (!take) {
        return false;
    }
    bool continues = same || !source->known;
    *source = (struct weir__arrival_source){
        .known = true,
        .format = format,
        .ssrc = ssrc,
        .used_ns = sender->now_ns,
    };
    return continues;
}

/* How many of n entries may be read. A few bytes can stand for thousands of packets, so a datagram
 * has as many as the history: more cannot be news. What is beyond is left for the next report. */
static size_t take_entries(struct weir_sender *sender, size_t n)
{
    size_t taken = n < sender->entries_left ? n : sender->entries_left;
    sender->entries_left -= taken;
    return taken;
}

static bool may_steer(const struct weir_sender *sender, uint32_t format)
{
    return (sender->formats & format) != 0;
}

static void batch_ccfb_piece(struct weir__batch *batch, const struct weir__ccfb_entry *entries,
                             size_t n, int64_t report_ns)
{
    for (size_t i = 0; i < n; i++) {
        const struct weir__ccfb_entry *entry = &entries[i];
        int64_t seq = weir__history_find_rtp(&batch->sender->history, entry->ssrc, entry->seq);
        if (!entry->received) {
            weir__batch_missing(batch, seq);
            continue;
        }
        bool has_arrival = entry->has_time && report_ns != WEIR_UNKNOWN_NS;
        struct weir__batch_arrival arrival = {
            .arrived_ns = has_arrival ? report_ns - entry->age_ns : WEIR_UNKNOWN_NS,
            .hold_ns = entry->has_time ? entry->age_ns : WEIR_UNKNOWN_NS,
            .ecn = entry->ecn,
        };
        weir__batch_received(batch, seq, &arrival);
    }
}

static void batch_ccfb(struct weir__batch *batch, struct weir__ccfb *ccfb, int64_t report_ns)
{
    struct weir__ccfb_entry entries[PIECE];
    size_t n;
    while ((n = take_entries(batch->sender, weir__ccfb_read(ccfb, entries, PIECE))) > 0) {
        batch_ccfb_piece(batch, entries, n, report_ns);
    }
}

/* Reads a packet the way its sender counts; only one that can be read makes a reporter known. */
static enum weir_status parse_ccfb(struct weir_sender *sender, uint32_t transport,
                                   const struct weir__rtcp_packet *packet, struct weir__ccfb *ccfb,
                                   struct weir__reporter **reporter)
{
    struct weir__ccfb_peer peer = {.counting = WEIR__CCFB_COUNT_UNKNOWN};
    uint32_t ssrc = packet->body_bytes >= 4 ? weir__get_u32(packet->body) : 0;
    *reporter = weir__reporters_find(&sender->reporters, transport, ssrc);
    if (*reporter) {
        peer = (*reporter)->ccfb;
    }
    enum weir_status status = weir__ccfb_parse(packet, &peer, ccfb, NULL, 0);
    if (status != WEIR_OK) {
        return status;
    }
    *reporter =
        weir__reporters_get(&sender->reporters, transport, ccfb->sender_ssrc, sender->now_ns);
    if (!*reporter) {
        return WEIR_ERROR_REJECTED;
    }
    (*reporter)->ccfb = peer;
    return WEIR_OK;
}

/* RFC 8888. */
enum weir_status weir__sender_on_ccfb(struct weir_sender *sender, uint32_t transport,
                                      const struct weir__rtcp_packet *packet)
{
    struct weir__ccfb ccfb;
    struct weir__reporter *reporter;
    enum weir_status status = parse_ccfb(sender, transport, packet, &ccfb, &reporter);
    if (status != WEIR_OK) {
        return status;
    }
    weir__sender_saw_format(sender, WEIR_FEEDBACK_CCFB);
    sender->counts.feedback_ccfb++;
    if (!may_steer(sender, WEIR_FEEDBACK_CCFB) || ccfb.n_entries == 0) {
        return WEIR_OK;
    }

    int64_t report_ns;
    enum weir__time_step step = weir__time_unwrap(&reporter->ccfb_clock, &weir__clock_mid32,
                                                  ccfb.report_mid32, sender->now_ns, &report_ns);
    struct weir__batch batch;
    start_batch(&batch, sender, transport, WEIR_FEEDBACK_CCFB);
    bool usable = use_arrivals(&batch, WEIR_FEEDBACK_CCFB, ccfb.sender_ssrc);
    if (!usable || step == WEIR__TIME_JUMPED) {
        report_ns = WEIR_UNKNOWN_NS;
    }
    batch_ccfb(&batch, &ccfb, report_ns);
    return finish_batch(&batch, WEIR_FEEDBACK_CCFB, true);
}

/* By the numbers the packets carried, or else by the learned offset. */
static int64_t find_transport(const struct weir__batch *batch, uint16_t transport_seq)
{
    const struct weir_sender *sender = batch->sender;
    uint32_t transport = (uint32_t)(batch->transport - sender->transports);
    int64_t seq = weir__history_find_transport(&sender->history, transport, transport_seq);
    return seq >= 0 ? seq
                    : weir__transport_map_find(&batch->transport->map, &sender->history, transport,
                                               transport_seq);
}

static void batch_twcc_piece(struct weir__batch *batch, const struct weir__twcc_entry *entries,
                             size_t n, int64_t offset_ns)
{
    for (size_t i = 0; i < n; i++) {
        const struct weir__twcc_entry *entry = &entries[i];
        int64_t seq = find_transport(batch, entry->seq);
        if (!entry->received) {
            weir__batch_missing(batch, seq);
            continue;
        }
        bool has_arrival = entry->has_time && offset_ns != WEIR_UNKNOWN_NS;
        struct weir__batch_arrival arrival = {
            .arrived_ns = has_arrival ? entry->arrival_ns + offset_ns : WEIR_UNKNOWN_NS,
            .hold_ns = WEIR_UNKNOWN_NS,
        };
        weir__batch_received(batch, seq, &arrival);
    }
}

static void batch_twcc(struct weir__batch *batch, struct weir__twcc *twcc, int64_t offset_ns)
{
    struct weir__twcc_entry entries[PIECE];
    size_t n;
    while ((n = take_entries(batch->sender, weir__twcc_read(twcc, entries, PIECE))) > 0) {
        batch_twcc_piece(batch, entries, n, offset_ns);
    }
}

/* draft-holmer-rmcat-transport-wide-cc-extensions-01. */
enum weir_status weir__sender_on_twcc(struct weir_sender *sender, uint32_t transport,
                                      const struct weir__rtcp_packet *packet)
{
    struct weir__twcc twcc;
    enum weir_status status = weir__twcc_parse(packet, &twcc, NULL, 0);
    if (status != WEIR_OK) {
        return status;
    }
    struct weir__reporter *reporter =
        weir__reporters_get(&sender->reporters, transport, twcc.sender_ssrc, sender->now_ns);
    if (!reporter) {
        return WEIR_ERROR_REJECTED;
    }
    weir__sender_saw_format(sender, WEIR_FEEDBACK_TWCC);
    sender->counts.feedback_twcc++;
    if (!may_steer(sender, WEIR_FEEDBACK_TWCC)) {
        return WEIR_OK;
    }

    int64_t reference_ns;
    enum weir__time_step step =
        weir__time_unwrap(&reporter->twcc_clock, &weir__clock_twcc,
                          (uint32_t)twcc.reference_ticks & 0xffffff, sender->now_ns, &reference_ns);
    struct weir__batch batch;
    start_batch(&batch, sender, transport, WEIR_FEEDBACK_TWCC);
    bool usable = use_arrivals(&batch, WEIR_FEEDBACK_TWCC, twcc.sender_ssrc);
    int64_t offset_ns = usable && step != WEIR__TIME_JUMPED
                            ? reference_ns - weir__twcc_reference_ns(&twcc)
                            : WEIR_UNKNOWN_NS;
    batch_twcc(&batch, &twcc, offset_ns);
    return finish_batch(&batch, WEIR_FEEDBACK_TWCC, false);
}

/* RFC 3611 4.1. A thinned report does not cover the packets it leaves out. */
static enum weir_status batch_loss_rle(struct weir__batch *batch,
                                       const struct weir__xr_block *block)
{
    struct weir__xr_range range;
    uint16_t seqs[PIECE];
    bool received[PIECE];
    enum weir_status status = weir__xr_loss_rle_parse(block, &range, NULL, NULL, 0);
    if (status != WEIR_OK) {
        return status;
    }
    struct weir_sender *sender = batch->sender;
    struct weir__batch_arrival arrival = {.arrived_ns = WEIR_UNKNOWN_NS,
                                          .hold_ns = WEIR_UNKNOWN_NS};
    size_t n;
    while ((n = take_entries(sender, weir__xr_loss_rle_read(&range, seqs, received, PIECE))) > 0) {
        for (size_t i = 0; i < n; i++) {
            int64_t seq = weir__history_find_rtp(&sender->history, range.ssrc, seqs[i]);
            if (received[i]) {
                weir__batch_received(batch, seq, &arrival);
            } else {
                weir__batch_missing(batch, seq);
            }
        }
    }
    return WEIR_OK;
}

/* Arrival on the clock of a stream; WEIR_UNKNOWN_NS across a jump of it. */
static int64_t receipt_ns(struct weir__batch *batch, uint32_t ssrc, uint32_t time)
{
    struct weir_sender *sender = batch->sender;
    int64_t arrived_ns;
    struct weir__wire_clock clock = {
        .bits = 32,
        .tick_ns_num = WEIR_SECONDS(1),
        .tick_ns_den = weir__sender_reports_clock_rate_hz(&sender->reports, ssrc),
    };
    enum weir__time_step step = weir__time_unwrap(&batch->transport->receipt_clock, &clock, time,
                                                  sender->now_ns, &arrived_ns);
    return step == WEIR__TIME_JUMPED ? WEIR_UNKNOWN_NS : arrived_ns;
}

/* RFC 3611 4.3. Receipt times tell arrivals on the clock of the stream; a time of 0 tells none. */
static enum weir_status batch_receipt_times(struct weir__batch *batch,
                                            const struct weir__xr_block *block)
{
    struct weir__xr_range range;
    uint16_t seqs[PIECE];
    uint32_t times[PIECE];
    enum weir_status status = weir__xr_receipt_times_parse(block, &range, NULL, NULL, 0);
    if (status != WEIR_OK || range.n_entries == 0) {
        return status;
    }
    struct weir_sender *sender = batch->sender;
    bool usable = use_arrivals(batch, WEIR_FEEDBACK_XR, range.ssrc);
    size_t n;
    while ((n = take_entries(sender, weir__xr_receipt_times_read(&range, seqs, times, PIECE))) >
           0) {
        for (size_t i = 0; i < n; i++) {
            if (times[i] == 0) {
                continue;
            }
            int64_t seq = weir__history_find_rtp(&sender->history, range.ssrc, seqs[i]);
            struct weir__batch_arrival arrival = {
                .arrived_ns = usable ? receipt_ns(batch, range.ssrc, times[i]) : WEIR_UNKNOWN_NS,
                .hold_ns = WEIR_UNKNOWN_NS,
            };
            weir__batch_received(batch, seq, &arrival);
        }
    }
    return WEIR_OK;
}

/* RFC 3611 4.4: to be answered in our next sender report. */
static enum weir_status take_rrtr(struct weir_sender *sender, struct weir__reporter *reporter,
                                  const struct weir__xr_block *block)
{
    uint64_t ntp;
    enum weir_status status = weir__xr_rrtr_parse(block, &ntp);
    if (status == WEIR_OK) {
        reporter->rrtr_mid32 = weir__ntp_mid32(ntp);
        reporter->rrtr_ns = sender->now_ns;
        reporter->has_rrtr = true;
    }
    return status;
}

static enum weir_status on_xr_block(struct weir__batch *batch, struct weir__reporter *reporter,
                                    const struct weir__xr_block *block)
{
    switch (block->type) {
    case WEIR__XR_LOSS_RLE:
        return batch_loss_rle(batch, block);
    case WEIR__XR_RECEIPT_TIMES:
        return batch_receipt_times(batch, block);
    case WEIR__XR_RRTR:
        return take_rrtr(batch->sender, reporter, block);
    default:
        return WEIR_ERROR_UNSUPPORTED;
    }
}

/* Receipt times first: of a packet that two blocks name, the one with a time shall be heard. */
static enum weir_status on_xr_blocks(struct weir__batch *batch, struct weir__reporter *reporter,
                                     struct weir__xr_walk walk, bool times, size_t *n_blocks)
{
    struct weir__xr_block block;
    enum weir_status result = WEIR_OK;
    while (weir__xr_walk_next(&walk, &block)) {
        if ((block.type == WEIR__XR_RECEIPT_TIMES) != times) {
            continue;
        }
        enum weir_status status = on_xr_block(batch, reporter, &block);
        if (status == WEIR_OK) {
            ++*n_blocks;
        } else if (status != WEIR_ERROR_UNSUPPORTED) {
            result = status;
        }
    }
    return walk.malformed ? WEIR_ERROR_MALFORMED : result;
}

/* Blocks that cannot be read do not take the others with them. */
enum weir_status weir__sender_on_xr(struct weir_sender *sender, uint32_t transport,
                                    const struct weir__rtcp_packet *packet)
{
    struct weir__xr_walk walk;
    enum weir_status status = weir__xr_walk_init(&walk, packet);
    if (status != WEIR_OK) {
        return status;
    }
    struct weir__reporter *reporter =
        weir__reporters_get(&sender->reporters, transport, walk.ssrc, sender->now_ns);
    if (!reporter) {
        return WEIR_ERROR_REJECTED;
    }
    if (!may_steer(sender, WEIR_FEEDBACK_XR)) {
        return WEIR_OK;
    }
    struct weir__batch batch;
    size_t n_blocks = 0;
    start_batch(&batch, sender, transport, WEIR_FEEDBACK_XR);
    status = on_xr_blocks(&batch, reporter, walk, true, &n_blocks);
    enum weir_status others = on_xr_blocks(&batch, reporter, walk, false, &n_blocks);
    status = status == WEIR_OK ? others : status;
    if (n_blocks == 0) {
        return status == WEIR_OK ? WEIR_ERROR_UNSUPPORTED : status;
    }
    weir__sender_saw_format(sender, WEIR_FEEDBACK_XR);
    sender->counts.feedback_xr++;
    finish_batch(&batch, WEIR_FEEDBACK_XR, false);
    return WEIR_OK;
}

/* Arrival time of a result on a clock that goes on without a jump; WEIR_UNKNOWN_NS across one. */
static int64_t result_arrival_ns(struct weir__batch *batch, int64_t arrived_ns)
{
    struct weir_sender *sender = batch->sender;
    struct weir__result_clock *clock = &batch->transport->result_clock;
    int64_t limit_ns = INT64_MAX / 4;
    if (arrived_ns == WEIR_UNKNOWN_NS || arrived_ns < -limit_ns || arrived_ns > limit_ns) {
        return WEIR_UNKNOWN_NS;
    }
    int64_t step_ns = arrived_ns - clock->arrived_ns;
    int64_t elapsed_ns = sender->now_ns - clock->local_ns;
    bool jumped = clock->known &&
                  (step_ns < -CLOCK_TOLERANCE_NS || step_ns > elapsed_ns + CLOCK_TOLERANCE_NS);
    if (!clock->known || jumped) {
        clock->offset_ns = sender->now_ns - arrived_ns;
    }
    if (!clock->known || jumped || step_ns > 0) {
        clock->arrived_ns = arrived_ns;
        clock->local_ns = sender->now_ns;
    }
    clock->known = true;
    return jumped ? WEIR_UNKNOWN_NS : arrived_ns + clock->offset_ns;
}

static void learn_offset(struct weir_sender *sender, uint32_t transport,
                         const struct weir_packet_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (results[i].sent_ns != WEIR_UNKNOWN_NS) {
            struct weir__transport_view view = {.transport = transport,
                                                .transport_seq = results[i].transport_seq,
                                                .payload_bytes = results[i].payload_bytes,
                                                .sent_ns = results[i].sent_ns};
            weir__transport_map_learn(&sender->transports[transport].map, &sender->history,
                                      sender->overhead_bytes, &view);
        }
    }
}

static void batch_results(struct weir__batch *batch, const struct weir_packet_result *results,
                          size_t n)
{
    bool usable = use_arrivals(batch, 0, 0);
    for (size_t i = 0; i < n; i++) {
        int64_t seq = find_transport(batch, results[i].transport_seq);
        if (!results[i].received) {
            weir__batch_missing(batch, seq);
            continue;
        }
        int64_t arrived_ns = result_arrival_ns(batch, results[i].arrived_ns);
        struct weir__batch_arrival arrival = {
            .arrived_ns = usable ? arrived_ns : WEIR_UNKNOWN_NS,
            .hold_ns = WEIR_UNKNOWN_NS,
        };
        weir__batch_received(batch, seq, &arrival);
    }
}

enum weir_status weir_sender_on_packet_results(struct weir_sender *sender, int64_t now_ns,
                                               uint32_t member,
                                               const struct weir_packet_result *results, size_t n)
{
    if (!weir__members_has(&sender->members, member) || (!results && n > 0)) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (!weir__members_counts_transport(&sender->members, member)) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    uint32_t transport = sender->members.transport[member];
    weir__sender_advance(sender, now_ns);
    if (!weir__guard_admit(&sender->guard, sender->now_ns)) {
        sender->counts.rtcp_rejected++;
        return WEIR_ERROR_REJECTED;
    }
    sender->counts.feedback_results++;
    weir__sender_saw_format(sender, WEIR_FEEDBACK_TWCC);
    if (!may_steer(sender, WEIR_FEEDBACK_TWCC) || n == 0) {
        return WEIR_OK;
    }
    learn_offset(sender, transport, results, n);
    struct weir__batch batch;
    start_batch(&batch, sender, transport, 0);
    batch_results(&batch, results, n);
    enum weir_status status = finish_batch(&batch, 0, false);
    sender->counts.rtcp_rejected += status == WEIR_ERROR_REJECTED && batch.n_disbelieved > 0;
    weir__sender_heard(sender);
    weir__sender_refresh(sender);
    return status;
}
