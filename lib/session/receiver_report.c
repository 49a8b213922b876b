/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiving session: what goes out.
 *
 * The first datagram, and then one about every second, is a full compound: RR, SDES, XR with our
 * reference time (RFC 3550 6.1). Between them go reduced-size datagrams (RFC 5506) with the
 * feedback alone; with receiver reports as the feedback format, or REMB, an RR without SDES.
 * Transport-wide feedback tells each packet once, as that format's senders expect, and again from a
 * late arrival on; RFC 8888 feedback tells each packet WEIR__COVERAGE times. */
#include <string.h>

#include "codec/remb.h"
#include "codec/xr.h"
#include "session/receiver_state.h"

enum {
    RR_HEADER_BYTES = 8,
    BLOCK_BYTES = 24,
    SDES_OVERHEAD_BYTES = 14, /* header, SSRC, item header, end, padding at most */
    RRTR_BYTES = 20,
    ROOM_FOR_FEEDBACK_BYTES = 32
};

/* A datagram being written. */
struct writer {
    struct weir_receiver *receiver;
    int64_t now_ns;
    uint64_t ntp_time;
    uint8_t *buffer;
    size_t capacity;
    size_t size;
};

static uint8_t *writer_end(const struct writer *writer)
{
    return writer->buffer + writer->size;
}

static size_t writer_room(const struct writer *writer)
{
    return writer->capacity - writer->size;
}

/* Counts in what a builder wrote; it wrote nothing on failure. */
static bool writer_take(struct writer *writer, enum weir_status status, size_t size_bytes)
{
    writer->size += status == WEIR_OK ? size_bytes : 0;
    return status == WEIR_OK;
}

/* 2^32 / 10^9 of a duration >= 0, whole seconds first. */
static uint64_t ntp_duration(int64_t duration_ns)
{
    uint64_t duration = (uint64_t)duration_ns;
    uint64_t rest_ns = duration % UINT64_C(1000000000);
    return (duration / UINT64_C(1000000000) << 32) + (rest_ns << 32) / UINT64_C(1000000000);
}

/* Our clock as RTCP shows it: the wall clock of the first report, and from there on the monotonic
 * clock, so that arrival times do not jump when the wall clock is set. */
uint64_t weir__receiver_ntp(const struct weir_receiver *receiver, int64_t now_ns)
{
    return receiver->ntp_time + ntp_duration(weir_max_i64(now_ns - receiver->ntp_now_ns, 0));
}

static void anchor_ntp(struct weir_receiver *receiver, int64_t now_ns, uint64_t ntp_time)
{
    if (receiver->ntp_time == 0) {
        receiver->ntp_time = ntp_time != 0 ? ntp_time : 1;
        receiver->ntp_now_ns = now_ns;
    }
}

/* ------- receiver reports ------- */

/* Blocks of the streams that are valid, as many as fit, taking turns. */
static void fill_blocks(struct weir_receiver *receiver, int64_t now_ns, size_t max_blocks,
                        struct weir__report *report)
{
    int start = receiver->next_block;
    for (int k = 0; k < WEIR__RECEIVER_STREAMS; k++) {
        int at = (start + k) % WEIR__RECEIVER_STREAMS;
        struct weir__stream *stream = &receiver->streams[at];
        if (!stream->in_use || !weir__rr_source_valid(&stream->rr)) {
            continue;
        }
        if (report->n_blocks == max_blocks) {
            receiver->next_block = at;
            return;
        }
        weir__rr_source_take_block(&stream->rr, now_ns, &report->blocks[report->n_blocks++]);
    }
    receiver->next_block = 0;
}

/* reserve_bytes: what must fit behind it; one block is written in any case. */
static void put_rr(struct writer *writer, size_t reserve_bytes)
{
    size_t room = writer_room(writer);
    size_t needed = reserve_bytes + RR_HEADER_BYTES;
    size_t max_blocks = room > needed ? (room - needed) / BLOCK_BYTES : 0;
    struct weir__report report = {.ssrc = writer->receiver->config.local_ssrc};
    fill_blocks(writer->receiver, writer->now_ns, max_blocks > 0 ? max_blocks : 1, &report);
    size_t size = 0;
    enum weir_status status = weir__report_build(&report, writer_end(writer), room, &size);
    writer_take(writer, status, size);
}

static void put_sdes(struct writer *writer)
{
    const struct weir_receiver *receiver = writer->receiver;
    size_t size = 0;
    enum weir_status status = weir__sdes_build(receiver->config.local_ssrc, receiver->cname,
                                               writer_end(writer), writer_room(writer), &size);
    writer_take(writer, status, size);
}

/* Our reference time, for the DLRR that gives us an RTT (RFC 3611 4.4). */
static void put_rrtr(struct writer *writer)
{
    struct weir_receiver *receiver = writer->receiver;
    struct weir__xr_writer xr;
    enum weir_status status = weir__xr_writer_init(&xr, writer_end(writer), writer_room(writer),
                                                   receiver->config.local_ssrc);
    if (status == WEIR_OK && weir__xr_put_rrtr(&xr, writer->ntp_time) == WEIR_OK) {
        writer->size += weir__xr_writer_finish(&xr);
        weir__sr_history_on_sent(&receiver->rrtr_history, weir__ntp_mid32(writer->ntp_time));
    }
}

static void put_full(struct writer *writer)
{
    size_t reserve = SDES_OVERHEAD_BYTES + strlen(writer->receiver->cname) + RRTR_BYTES +
                     ROOM_FOR_FEEDBACK_BYTES;
    put_rr(writer, reserve);
    put_sdes(writer);
    put_rrtr(writer);
    weir__feedback_timing_take_full(&writer->receiver->timing, writer->now_ns,
                                    writer->receiver->config.interval_ns);
}

/* ------- RFC 8888 ------- */

static struct weir__ccfb_entry describe(const struct weir__stream *stream, int64_t seq,
                                        int64_t now_ns)
{
    struct weir__ccfb_entry entry = {.ssrc = stream->rr.ssrc, .seq = (uint16_t)(uint64_t)seq};
    int64_t arrival_ns = 0;
    entry.received = weir__arrivals_get(&stream->arrivals, seq, &arrival_ns, &entry.ecn);
    entry.has_time = entry.received;
    entry.age_ns = entry.received ? weir_max_i64(now_ns - arrival_ns, 0) : 0;
    return entry;
}

/* The next packet of the report, stream by stream. False: there are no more. */
static bool next_ccfb(const struct weir_receiver *receiver, int64_t now_ns,
                      struct weir__report_round *round, struct weir__ccfb_entry *entry)
{
    for (; round->stream < WEIR__RECEIVER_STREAMS; round->stream++, round->packet = 0) {
        const struct weir__stream *stream = &receiver->streams[round->stream];
        int64_t seq;
        if (stream->in_use && weir__stream_report_seq(stream, round->packet, &seq)) {
            round->packet++;
            *entry = describe(stream, seq, now_ns);
            return true;
        }
    }
    return false;
}

static void begin_ccfb(struct weir_receiver *receiver)
{
    for (int i = 0; i < WEIR__RECEIVER_STREAMS; i++) {
        if (receiver->streams[i].in_use) {
            weir__stream_begin_report(&receiver->streams[i]);
        }
    }
}

static void end_ccfb(struct weir_receiver *receiver)
{
    receiver->round.open = false;
    for (int i = 0; i < WEIR__RECEIVER_STREAMS; i++) {
        if (receiver->streams[i].in_use) {
            weir__stream_end_report(&receiver->streams[i]);
        }
    }
}

static void put_ccfb(struct writer *writer)
{
    struct weir_receiver *receiver = writer->receiver;
    struct weir__ccfb_entry *entries = receiver->entries.ccfb;
    struct weir__report_round ahead = receiver->round;
    size_t n = 0;
    while (n < WEIR__REPORT_PACKETS && next_ccfb(receiver, writer->now_ns, &ahead, &entries[n])) {
        n++;
    }
    struct weir__ccfb ccfb = {.sender_ssrc = receiver->config.local_ssrc,
                              .report_mid32 = weir__ntp_mid32(writer->ntp_time)};
    size_t size = 0;
    size_t n_written = 0;
    if (n > 0) {
        enum weir_status status = weir__ccfb_build(&ccfb, entries, n, writer_end(writer),
                                                   writer_room(writer), &size, &n_written);
        if (!writer_take(writer, status, size)) {
            return; /* no room behind the compound: the next datagram has it */
        }
    }
    struct weir__ccfb_entry told;
    for (size_t i = 0; i < n_written; i++) {
        next_ccfb(receiver, writer->now_ns, &receiver->round, &told);
    }
    ahead = receiver->round;
    if (!next_ccfb(receiver, writer->now_ns, &ahead, &told)) {
        end_ccfb(receiver);
    }
}

/* ------- transport-wide feedback ------- */

static void begin_twcc(struct weir_receiver *receiver)
{
    struct weir__transport *transport = &receiver->transport;
    if (!transport->arrivals.started) {
        return;
    }
    receiver->round.next_seq = transport->next_seq;
    receiver->round.end_seq = transport->arrivals.highest + 1;
    transport->next_seq = receiver->round.end_seq;
    transport->media_ssrc = receiver->last_ssrc;
}

static struct weir__twcc_entry describe_transport(const struct weir__transport *transport,
                                                  int64_t seq)
{
    struct weir__twcc_entry entry = {.seq = (uint16_t)(uint64_t)seq};
    uint8_t ecn;
    entry.received = weir__arrivals_get(&transport->arrivals, seq, &entry.arrival_ns, &ecn);
    entry.has_time = entry.received;
    return entry;
}

/* Of numbers that are not remembered any more, or that started anew since, nothing is told. */
static void clip_round(struct weir__report_round *round, const struct weir__arrivals *arrivals)
{
    round->next_seq = weir_max_i64(round->next_seq, weir__arrivals_oldest(arrivals));
    round->end_seq = weir_min_i64(round->end_seq, arrivals->highest + 1);
}

static void put_twcc(struct writer *writer)
{
    struct weir_receiver *receiver = writer->receiver;
    struct weir__transport *transport = &receiver->transport;
    struct weir__report_round *round = &receiver->round;
    size_t n = 0;
    clip_round(round, &transport->arrivals);
    for (int64_t seq = round->next_seq; seq < round->end_seq && n < WEIR__REPORT_PACKETS; seq++) {
        receiver->entries.twcc[n++] = describe_transport(transport, seq);
    }
    if (n > 0) {
        struct weir__twcc twcc = {.sender_ssrc = receiver->config.local_ssrc,
                                  .media_ssrc = transport->media_ssrc,
                                  .feedback_count = transport->feedback_count};
        size_t size = 0;
        size_t n_written = 0;
        enum weir_status status =
            weir__twcc_build(&twcc, receiver->entries.twcc, n, writer_end(writer),
                             writer_room(writer), &size, &n_written);
        if (!writer_take(writer, status, size)) {
            return;
        }
        transport->feedback_count++;
        round->next_seq += (int64_t)n_written;
    }
    round->open = round->next_seq < round->end_seq;
}

/* ------- REMB ------- */

static void put_remb(struct writer *writer)
{
    const struct weir_receiver *receiver = writer->receiver;
    int64_t rate_bps = weir__receiver_rate_bps(receiver, writer->now_ns);
    if (rate_bps <= 0) {
        return; /* a sender that is silent is not to be slowed down for it */
    }
    struct weir__remb remb = {
        .sender_ssrc = receiver->config.local_ssrc,
        .bitrate_bps = weir__receive_estimate_bps(&receiver->estimate,
                                                  weir__rtt_srtt_ns(&receiver->rtt), rate_bps)};
    for (int i = 0; i < WEIR__RECEIVER_STREAMS; i++) {
        if (receiver->streams[i].in_use) {
            remb.ssrcs[remb.n_ssrcs++] = receiver->streams[i].rr.ssrc;
        }
    }
    size_t size = 0;
    enum weir_status status =
        weir__remb_build(&remb, writer_end(writer), writer_room(writer), &size);
    writer_take(writer, status, size);
}

/* ------- datagrams ------- */

/* Fixes what the report tells, unless one is still being written. */
static void begin_report(struct weir_receiver *receiver)
{
    if (receiver->round.open) {
        return;
    }
    receiver->round = (struct weir__report_round){0};
    weir__feedback_timing_take_new(&receiver->timing);
    if (receiver->config.format == WEIR_FEEDBACK_CCFB) {
        receiver->round.open = true;
        begin_ccfb(receiver);
    } else if (receiver->config.format == WEIR_FEEDBACK_TWCC) {
        receiver->round.open = true;
        begin_twcc(receiver);
    }
}

static void put_feedback(struct writer *writer)
{
    switch (writer->receiver->config.format) {
    case WEIR_FEEDBACK_CCFB:
        put_ccfb(writer);
        break;
    case WEIR_FEEDBACK_TWCC:
        put_twcc(writer);
        break;
    case WEIR_FEEDBACK_REMB:
        put_remb(writer);
        break;
    default:
        break;
    }
}

/* What precedes the feedback: a full compound when it is due, an RR when reports are what the
 * sender runs on. */
static void put_reports(struct writer *writer)
{
    struct weir_receiver *receiver = writer->receiver;
    bool sums = receiver->config.format == WEIR_FEEDBACK_RR ||
                receiver->config.format == WEIR_FEEDBACK_REMB;
    if (weir__feedback_timing_is_full_due(&receiver->timing, writer->now_ns)) {
        put_full(writer);
    } else if (sums) {
        put_rr(writer, ROOM_FOR_FEEDBACK_BYTES);
    }
}

static void count_sent(struct weir_receiver *receiver, int64_t now_ns, size_t size)
{
    int64_t wire_bytes = size > 0 ? (int64_t)size + receiver->config.overhead_bytes : 0;
    weir__feedback_timing_on_sent(&receiver->timing, now_ns, wire_bytes);
    receiver->stats.feedback_sent += size > 0;
    receiver->stats.feedback_bytes += size;
}

/* Without streams: reports as long as the sender sends its own. A sender whose circuit breaker has
 * stopped the media begins again when it hears something. */
static int64_t next_idle_ns(const struct weir_receiver *receiver)
{
    int64_t next_ns = receiver->timing.next_full_ns;
    bool answers = receiver->report_ns != WEIR_UNKNOWN_NS &&
                   next_ns <= receiver->report_ns + WEIR__RECEIVER_SILENT_NS;
    return answers ? next_ns : WEIR_NEVER_NS;
}

int64_t weir_receiver_next_feedback_ns(const struct weir_receiver *receiver)
{
    if (receiver->n_streams == 0) {
        return next_idle_ns(receiver);
    }
    if (receiver->round.open) {
        return receiver->timing.last_ns;
    }
    return weir__feedback_timing_next_ns(&receiver->timing, weir__receiver_interval_ns(receiver));
}

/* Checks the arguments and whether a datagram is due. */
static enum weir_status begin(struct writer *writer, bool *due)
{
    if (writer->receiver == NULL || writer->buffer == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (writer->capacity < WEIR__RECEIVER_MIN_CAPACITY) {
        return WEIR_ERROR_NO_SPACE;
    }
    struct weir_receiver *receiver = writer->receiver;
    receiver->now_ns = weir_max_i64(receiver->now_ns, writer->now_ns);
    writer->now_ns = receiver->now_ns;
    weir__receiver_forget_silent(receiver, writer->now_ns);
    *due = weir_receiver_next_feedback_ns(receiver) <= writer->now_ns;
    if (writer->capacity > receiver->config.mtu_bytes) {
        writer->capacity = receiver->config.mtu_bytes;
    }
    if (*due) {
        anchor_ntp(receiver, writer->now_ns, writer->ntp_time);
        writer->ntp_time = weir__receiver_ntp(receiver, writer->now_ns);
        begin_report(receiver);
    }
    return WEIR_OK;
}

/* What goes before the feedback. */
typedef void (*opening_fn)(struct writer *writer);

/* On any error nothing is written, *len is 0 and nothing has changed. */
static enum weir_status write_datagram(struct writer *writer, opening_fn put_opening, size_t *len)
{
    if (len == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    bool due = false;
    *len = 0;
    enum weir_status status = begin(writer, &due);
    if (status != WEIR_OK || !due) {
        return status;
    }
    put_opening(writer);
    put_feedback(writer);
    count_sent(writer->receiver, writer->now_ns, writer->size);
    *len = writer->size;
    return WEIR_OK;
}

/* capacity 128 or more, of which at most the configured MTU is used. */
enum weir_status weir_receiver_build_feedback(struct weir_receiver *receiver, int64_t now_ns,
                                              uint64_t ntp_time, uint8_t *buffer, size_t capacity,
                                              size_t *len)
{
    struct writer writer = {.receiver = receiver,
                            .now_ns = now_ns,
                            .ntp_time = ntp_time,
                            .buffer = buffer,
                            .capacity = capacity};
    return write_datagram(&writer, put_reports, len);
}

/* The compounds are the other stack's business: their time passes unused. */
static void skip_full(struct writer *writer)
{
    struct weir__feedback_timing *timing = &writer->receiver->timing;
    if (weir__feedback_timing_is_full_due(timing, writer->now_ns)) {
        weir__feedback_timing_take_full(timing, writer->now_ns,
                                        writer->receiver->config.interval_ns);
    }
}

enum weir_status weir_receiver_build_feedback_only(struct weir_receiver *receiver, int64_t now_ns,
                                                   uint64_t ntp_time, uint8_t *buffer,
                                                   size_t capacity, size_t *len)
{
    struct writer writer = {.receiver = receiver,
                            .now_ns = now_ns,
                            .ntp_time = ntp_time,
                            .buffer = buffer,
                            .capacity = capacity};
    return write_datagram(&writer, skip_full, len);
}
