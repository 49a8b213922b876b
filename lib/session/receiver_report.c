/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiving session: what goes out.
 *
 * The first datagram, and then one about every second, is a full compound: RR, SDES, XR with our
 * reference time (RFC 3550 6.1). Between them go reduced-size datagrams (RFC 5506) with the
 * feedback alone; with receiver reports as the feedback format, or REMB, an RR without SDES.
 * Transport-wide feedback tells each packet once, as that format's senders expect, and again from a
 * late arrival on; RFC 8888 feedback tells each packet WEIR__COVERAGE times. */
#include <string.h>

#include "codec/ecn_report.h"
#include "session/receiver_state.h"

enum {
    RR_HEADER_BYTES = 8,
    BLOCK_BYTES = 24,
    SDES_OVERHEAD_BYTES = 14, /* header, SSRC, item header, end, padding at most */
    SDES_MAX_BYTES = 8 + (2 + WEIR__RECEIVER_CNAME_BYTES + 1 + 3) / 4 * 4,
    RRTR_BYTES = 20,
    ROOM_FOR_FEEDBACK_BYTES = 32
};

_Static_assert(RR_HEADER_BYTES + BLOCK_BYTES + SDES_MAX_BYTES + RRTR_BYTES <=
                   WEIR__RECEIVER_MIN_CAPACITY,
               "what opens a full compound always fits");

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
    for (int k = 0; k < receiver->n_places; k++) {
        int at = (start + k) % receiver->n_places;
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
    weir__report_build(&report, writer_end(writer), room, &size);
    writer->size += size;
}

static void put_sdes(struct writer *writer)
{
    const struct weir_receiver *receiver = writer->receiver;
    size_t size = 0;
    weir__sdes_build(receiver->config.local_ssrc, receiver->cname, writer_end(writer),
                     writer_room(writer), &size);
    writer->size += size;
}

/* Our reference time, for the DLRR that gives us an RTT (RFC 3611 4.4). */
static void put_rrtr(struct writer *writer)
{
    struct weir_receiver *receiver = writer->receiver;
    size_t size = 0;
    weir__xr_build_rrtr(receiver->config.local_ssrc, writer->ntp_time, writer_end(writer),
                        writer_room(writer), &size);
    writer->size += size;
    weir__sr_history_on_sent(&receiver->rrtr_history, weir__ntp_mid32(writer->ntp_time));
}

static size_t put_ecn_feedback(struct writer *writer, const struct weir__stream *stream)
{
    struct weir__ecn_feedback feedback = {.sender_ssrc = writer->receiver->config.local_ssrc,
                                          .media_ssrc = stream->rr.ssrc,
                                          .highest_seq = weir__rr_source_extended_seq(&stream->rr),
                                          .counts = weir__stream_ecn_counts(stream)};
    size_t size = 0;
    weir__ecn_feedback_build(&feedback, writer_end(writer), writer_room(writer), &size);
    return size;
}

static size_t put_ecn_summary(struct writer *writer, const struct weir__stream *stream)
{
    struct weir__ecn_summary summary = {.media_ssrc = stream->rr.ssrc,
                                        .counts = weir__stream_ecn_counts(stream)};
    size_t size = 0;
    weir__ecn_summary_build(writer->receiver->config.local_ssrc, &summary, writer_end(writer),
                            writer_room(writer), &size);
    return size;
}

/* Streams for which there is no room are told of in no packet: datagrams are as large as the path
 * allows, and few have more than a stream or two. */
static void put_ecn_counts(struct writer *writer,
                           size_t (*put)(struct writer *, const struct weir__stream *))
{
    const struct weir_receiver *receiver = writer->receiver;
    for (int i = 0; receiver->config.ecn_counts && i < receiver->n_places; i++) {
        const struct weir__stream *stream = &receiver->streams[i];
        if (stream->in_use && weir__rr_source_valid(&stream->rr)) {
            writer->size += put(writer, stream);
        }
    }
}

static void put_full(struct writer *writer)
{
    size_t reserve = SDES_OVERHEAD_BYTES + strlen(writer->receiver->cname) + RRTR_BYTES +
                     ROOM_FOR_FEEDBACK_BYTES;
    put_rr(writer, reserve);
    put_sdes(writer);
    put_rrtr(writer);
    put_ecn_counts(writer, put_ecn_summary);
    weir__feedback_timing_take_full(&writer->receiver->timing, writer->now_ns,
                                    writer->receiver->config.interval_ns);
}

/* ------- feedback on packets, by stream or by transport-wide number ------- */

/* Of which packet a report tells. */
struct place {
    const struct weir__arrivals *arrivals;
    int64_t seq;
    uint32_t ssrc; /* 0: not of one stream */
};

/* The next packet of the report, stream by stream. False: there are no more. */
static bool next_of_streams(const struct weir_receiver *receiver, struct weir__report_round *round,
                            struct place *place)
{
    for (; round->stream < receiver->n_places; round->stream++, round->packet = 0) {
        const struct weir__stream *stream = &receiver->streams[round->stream];
        if (stream->in_use && weir__stream_report_seq(stream, round->packet, &place->seq)) {
            round->packet++;
            place->arrivals = &stream->arrivals;
            place->ssrc = stream->rr.ssrc;
            return true;
        }
    }
    return false;
}

static bool next_of_transport(const struct weir_receiver *receiver,
                              struct weir__report_round *round, struct place *place)
{
    if (round->next_seq >= round->end_seq) {
        return false;
    }
    place->arrivals = &receiver->transport.arrivals;
    place->seq = round->next_seq++;
    place->ssrc = 0;
    return true;
}

static bool next_place(const struct weir_receiver *receiver, struct weir__report_round *round,
                       struct place *place)
{
    return receiver->format->transport_wide ? next_of_transport(receiver, round, place)
                                            : next_of_streams(receiver, round, place);
}

static void describe(const struct place *place, struct weir__feedback_entry *entry)
{
    int64_t arrival_ns = 0;
    uint8_t ecn = WEIR_ECN_NOT_ECT;
    bool received = weir__arrivals_get(place->arrivals, place->seq, &arrival_ns, &ecn);
    *entry = (struct weir__feedback_entry){.ssrc = place->ssrc,
                                           .seq = (uint16_t)(uint64_t)place->seq,
                                           .received = received,
                                           .has_time = received,
                                           .ecn = ecn,
                                           .arrival_ns = arrival_ns};
}

static void begin_streams(struct weir_receiver *receiver)
{
    for (int i = 0; i < receiver->n_places; i++) {
        if (receiver->streams[i].in_use) {
            weir__stream_begin_report(&receiver->streams[i]);
        }
    }
}

static void begin_transport(struct weir_receiver *receiver)
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

static void end_packets(struct weir_receiver *receiver)
{
    receiver->round.open = false;
    if (receiver->format->transport_wide) {
        weir__arrivals_release(&receiver->transport.arrivals, receiver->transport.next_seq);
        return;
    }
    for (int i = 0; i < receiver->n_places; i++) {
        if (receiver->streams[i].in_use) {
            weir__stream_end_report(&receiver->streams[i]);
        }
    }
}

/* Of numbers that are not remembered any more, or that started anew since, nothing is told. */
static void clip_round(struct weir__report_round *round, const struct weir__arrivals *arrivals)
{
    round->next_seq = weir_max_i64(round->next_seq, weir__arrivals_oldest(arrivals));
    round->end_seq = weir_min_i64(round->end_seq, arrivals->highest + 1);
}

/* How many of the n entries were written: 0 when there is no room behind the compound; the next
 * datagram has them. */
static size_t put_entries(struct writer *writer, const struct weir__feedback_entry *entries,
                          size_t n)
{
    struct weir_receiver *receiver = writer->receiver;
    struct weir__feedback_head head = {.sender_ssrc = receiver->config.local_ssrc,
                                       .media_ssrc = receiver->transport.media_ssrc,
                                       .report_mid32 = weir__ntp_mid32(writer->ntp_time),
                                       .report_ns = writer->now_ns,
                                       .count = receiver->feedback_count};
    size_t size = 0;
    size_t n_written = 0;
    receiver->format->build(&head, entries, n, writer_end(writer), writer_room(writer), &size,
                            &n_written);
    receiver->feedback_count = (uint8_t)(receiver->feedback_count + (size > 0));
    writer->size += size;
    return n_written;
}

static void put_packets(struct writer *writer)
{
    struct weir_receiver *receiver = writer->receiver;
    if (receiver->format->transport_wide) {
        clip_round(&receiver->round, &receiver->transport.arrivals);
    }
    struct weir__report_round ahead = receiver->round;
    struct weir__feedback_entry entries[WEIR__REPORT_PACKETS];
    struct place place;
    size_t n = 0;
    while (n < WEIR__REPORT_PACKETS && next_place(receiver, &ahead, &place)) {
        describe(&place, &entries[n++]);
    }
    size_t n_written = n > 0 ? put_entries(writer, entries, n) : 0;
    for (size_t i = 0; i < n_written; i++) {
        next_place(receiver, &receiver->round, &place);
    }
    ahead = receiver->round;
    if (!next_place(receiver, &ahead, &place)) {
        end_packets(receiver);
    }
}

/* ------- a bound of the bitrate ------- */

static void put_bound(struct writer *writer)
{
    const struct weir_receiver *receiver = writer->receiver;
    int64_t rate_bps = weir__receiver_rate_bps(receiver, writer->now_ns);
    if (rate_bps <= 0) {
        return; /* a sender that is silent is not to be slowed down for it */
    }
    struct weir__bitrate_bound bound = {
        .sender_ssrc = receiver->config.local_ssrc,
        .bitrate_bps = weir__receive_estimate_bps(&receiver->estimate,
                                                  weir__rtt_srtt_ns(&receiver->rtt), rate_bps)};
    for (int i = 0; i < receiver->n_places; i++) {
        if (receiver->streams[i].in_use) {
            bound.ssrcs[bound.n_ssrcs++] = receiver->streams[i].rr.ssrc;
        }
    }
    size_t size = 0;
    receiver->format->build_bound(&bound, writer_end(writer), writer_room(writer), &size);
    writer->size += size;
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
    const struct weir__format *format = receiver->format;
    receiver->round.open = format->kind == WEIR__FORMAT_PACKETS;
    if (receiver->round.open && format->transport_wide) {
        begin_transport(receiver);
    } else if (receiver->round.open) {
        begin_streams(receiver);
    }
}

static void put_feedback(struct writer *writer)
{
    enum weir__format_kind kind = writer->receiver->format->kind;
    if (kind == WEIR__FORMAT_PACKETS) {
        put_packets(writer);
    } else if (kind == WEIR__FORMAT_BOUND) {
        put_bound(writer);
    }
}

/* What precedes the feedback: a full compound when it is due, an RR when reports are what the
 * sender runs on. */
static void put_reports(struct writer *writer)
{
    struct weir_receiver *receiver = writer->receiver;
    if (weir__feedback_timing_is_full_due(&receiver->timing, writer->now_ns)) {
        put_full(writer);
    } else if (receiver->format->kind != WEIR__FORMAT_PACKETS) {
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

/* On the session's scale. */
static int64_t next_feedback_ns(const struct weir_receiver *receiver)
{
    if (receiver->n_streams == 0) {
        return next_idle_ns(receiver);
    }
    if (receiver->round.open) {
        return receiver->timing.last_ns;
    }
    return weir__feedback_timing_next_ns(&receiver->timing, weir__receiver_interval_ns(receiver));
}

int64_t weir_receiver_next_feedback_ns(const struct weir_receiver *receiver)
{
    return weir__steady_clock_ns(&receiver->steady, next_feedback_ns(receiver));
}

/* What goes before the feedback. */
typedef void (*opening_fn)(struct writer *writer);

/* On any error nothing is written, *len is 0 and nothing has changed. */
static enum weir_status write_datagram(struct writer *writer, opening_fn put_opening, size_t *len)
{
    struct weir_receiver *receiver = writer->receiver;
    if (len == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    *len = 0;
    if (receiver == NULL || writer->buffer == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (writer->capacity < WEIR__RECEIVER_MIN_CAPACITY) {
        return WEIR_ERROR_NO_SPACE;
    }
    writer->now_ns = weir__receiver_advance(receiver, writer->now_ns);
    weir__receiver_forget_silent(receiver, writer->now_ns);
    if (next_feedback_ns(receiver) > writer->now_ns) {
        return WEIR_OK;
    }
    if (writer->capacity > receiver->config.mtu_bytes) {
        writer->capacity = receiver->config.mtu_bytes;
    }
    anchor_ntp(receiver, writer->now_ns, writer->ntp_time);
    writer->ntp_time = weir__receiver_ntp(receiver, writer->now_ns);
    begin_report(receiver);
    put_opening(writer);
    put_feedback(writer);
    put_ecn_counts(writer, put_ecn_feedback);
    count_sent(receiver, writer->now_ns, writer->size);
    *len = writer->size;
    return WEIR_OK;
}

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
