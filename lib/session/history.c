/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/history.h"

#include <stddef.h>

#include "base/prefetch.h"
#include "base/unwrap.h"
#include "weir/units.h"

enum { CARRIED = 16 };

/* RFC 3550 A.1: numbers that jump further start anew. */
enum { MAX_DROPOUT = 3000, MAX_MISORDER = 100 };

static unsigned stream_of(const struct weir__sent_record *record)
{
    return record->stream_and_state >> 3;
}

uint32_t weir__history_transport(const struct weir__sent_record *record)
{
    return record->transport_and_header >> 5;
}

bool weir__history_has_carried(const struct weir__sent_record *record)
{
    return record->transport_and_header & CARRIED;
}

unsigned weir__history_header_words(const struct weir__sent_record *record)
{
    return record->transport_and_header & (CARRIED - 1u);
}

enum weir__packet_state weir__history_state(const struct weir__sent_record *record)
{
    return (enum weir__packet_state)(record->stream_and_state & 7);
}

static bool is_outstanding(enum weir__packet_state state)
{
    return state == WEIR__PACKET_SENT || state == WEIR__PACKET_SUSPECT;
}

static bool is_unknown(enum weir__packet_state state)
{
    return is_outstanding(state) || state == WEIR__PACKET_UNTOLD;
}

const struct weir__sent_record *weir__history_peek(const struct weir__history *history, int64_t seq)
{
    if (seq < history->ring.oldest_seq || seq >= history->ring.next_seq) {
        return NULL;
    }
    return weir__sent_ring_peek(&history->ring, weir__sent_ring_slot(&history->ring, seq));
}

/* The same, to be changed. */
static struct weir__sent_record *find(struct weir__history *history, int64_t seq)
{
    return weir__history_peek(history, seq)
               ? weir__sent_ring_at(&history->ring, weir__sent_ring_slot(&history->ring, seq))
               : NULL;
}

/* Slot of a packet by its RTP number, WEIR__NO_SLOT when there is none. */
static unsigned find_rtp_slot(const struct weir__sent_ring *ring, unsigned stream, uint16_t rtp_seq)
{
    unsigned link = weir__sent_ring_first(ring, WEIR__HISTORY_BY_RTP, stream, rtp_seq);
    for (; link != 0; link = weir__sent_ring_next(ring, WEIR__HISTORY_BY_RTP, link - 1)) {
        if (weir__sent_ring_peek(ring, link - 1)->rtp_seq == rtp_seq) {
            return link - 1;
        }
    }
    return WEIR__NO_SLOT;
}

/* A number that is still in flight keeps its first packet; otherwise the new one takes over. */
static void link_rtp(struct weir__history *history, unsigned stream, unsigned slot)
{
    struct weir__sent_ring *ring = &history->ring;
    unsigned other = find_rtp_slot(ring, stream, weir__sent_ring_peek(ring, slot)->rtp_seq);
    if (other != WEIR__NO_SLOT) {
        if (is_outstanding(weir__history_state(weir__sent_ring_peek(ring, other))) &&
            weir__sent_ring_seq(ring, other) >= history->expired_seq) {
            return;
        }
        weir__sent_ring_unlink(ring, WEIR__HISTORY_BY_RTP, other);
    }
    weir__sent_ring_link(ring, WEIR__HISTORY_BY_RTP, slot);
}

/* Slot of the newest packet with a number, WEIR__NO_SLOT when there is none. */
static unsigned find_transport_slot(const struct weir__sent_ring *ring, uint32_t transport,
                                    uint16_t transport_seq, bool only_carried)
{
    unsigned link =
        weir__sent_ring_first(ring, WEIR__HISTORY_BY_TRANSPORT, transport, transport_seq);
    for (; link != 0; link = weir__sent_ring_next(ring, WEIR__HISTORY_BY_TRANSPORT, link - 1)) {
        const struct weir__sent_record *record = weir__sent_ring_peek(ring, link - 1);
        if (record->transport_seq == transport_seq &&
            (!only_carried || weir__history_has_carried(record))) {
            return link - 1;
        }
    }
    return WEIR__NO_SLOT;
}

/* The newest packet of a number takes over from the one before. */
static void link_transport(struct weir__sent_ring *ring, unsigned slot)
{
    const struct weir__sent_record *record = weir__sent_ring_peek(ring, slot);
    bool carried = weir__history_has_carried(record);
    unsigned other =
        find_transport_slot(ring, weir__history_transport(record), record->transport_seq, carried);
    if (other != WEIR__NO_SLOT &&
        weir__history_has_carried(weir__sent_ring_peek(ring, other)) == carried) {
        weir__sent_ring_unlink(ring, WEIR__HISTORY_BY_TRANSPORT, other);
    }
    weir__sent_ring_link(ring, WEIR__HISTORY_BY_TRANSPORT, slot);
}

static void add_in_flight(struct weir__history *history, const struct weir__sent_record *record,
                          int sign)
{
    int64_t bytes = sign * (int64_t)record->wire_bytes;
    history->in_flight_bytes += bytes;
    if (stream_of(record) != WEIR__STREAM_OTHER) {
        history->streams[stream_of(record)].in_flight_bytes += bytes;
    }
}

int64_t weir__history_audio_in_flight_bytes(const struct weir__history *history)
{
    int64_t bytes = history->in_flight_bytes;
    for (unsigned i = 0; i < history->n_streams; i++) {
        bytes -= history->streams[i].is_audio ? 0 : history->streams[i].in_flight_bytes;
    }
    return bytes;
}

bool weir__history_is_summed(const struct weir__history *history, int64_t seq)
{
    return weir__sent_ring_is_summed(&history->ring, weir__sent_ring_slot(&history->ring, seq));
}

int64_t weir__history_sum_up(struct weir__history *history, unsigned stream, int64_t after_rtp,
                             int64_t to_rtp)
{
    struct weir__sent_ring *ring = &history->ring;
    int64_t told = 0;
    int64_t oldest_rtp = weir_max_i64(after_rtp, to_rtp - WEIR__HISTORY_PACKETS);
    for (int64_t rtp = oldest_rtp + 1; rtp <= to_rtp; rtp++) {
        unsigned slot = find_rtp_slot(ring, stream, (uint16_t)rtp);
        if (slot != WEIR__NO_SLOT) {
            told += !is_unknown(weir__history_state(weir__sent_ring_peek(ring, slot))) ||
                    weir__sent_ring_is_summed(ring, slot);
            weir__sent_ring_set_summed(ring, slot, true);
        }
    }
    return told;
}

int64_t weir__history_count_received(const struct weir__history *history, unsigned stream,
                                     int64_t after_rtp, int64_t to_rtp)
{
    int64_t received = 0;
    int64_t oldest_rtp = weir_max_i64(after_rtp, to_rtp - WEIR__HISTORY_PACKETS);
    for (int64_t rtp = oldest_rtp + 1; rtp <= to_rtp; rtp++) {
        int64_t seq = weir__history_find_rtp(history, history->streams[stream].ssrc, (uint16_t)rtp);
        const struct weir__sent_record *record = weir__history_peek(history, seq);
        received += record && (weir__history_state(record) == WEIR__PACKET_RECEIVED ||
                               weir__history_state(record) == WEIR__PACKET_LATE);
    }
    return received;
}

/* The oldest packet leaves. */
static void evict(struct weir__history *history)
{
    struct weir__sent_ring *ring = &history->ring;
    int64_t seq = ring->oldest_seq;
    unsigned slot = weir__sent_ring_slot(ring, seq);
    const struct weir__sent_record *record = weir__sent_ring_peek(ring, slot);
    enum weir__packet_state state = weir__history_state(record);
    history->unknown_packets += is_unknown(state) && !weir__sent_ring_is_summed(ring, slot);
    if (is_outstanding(state) && seq >= history->expired_seq) {
        add_in_flight(history, record, -1);
    }
    weir__sent_ring_set_summed(ring, slot, false);
    history->expired_seq = weir_max_i64(history->expired_seq, seq + 1);
    weir__sent_ring_unlink(ring, WEIR__HISTORY_BY_RTP, slot);
    weir__sent_ring_unlink(ring, WEIR__HISTORY_BY_TRANSPORT, slot);
    ring->oldest_seq++;
}

static bool is_oldest_wanted(const struct weir__history *history, int64_t now_ns)
{
    int64_t seq = history->ring.oldest_seq;
    const struct weir__sent_record *record = weir__history_peek(history, seq);
    bool in_flight = is_outstanding(weir__history_state(record)) && seq >= history->expired_seq;
    return in_flight || now_ns - record->sent_ns < WEIR__HISTORY_NS;
}

/* For the next packet. */
static void make_room(struct weir__history *history, int64_t now_ns)
{
    bool full = weir__sent_ring_is_full(&history->ring);
    bool grown = full && is_oldest_wanted(history, now_ns) && weir__sent_ring_grow(&history->ring);
    if (full && !grown) {
        evict(history);
    }
}

unsigned weir__history_find_stream(const struct weir__history *history, uint32_t ssrc)
{
    unsigned last = history->last_stream;
    if (last < history->n_streams && history->streams[last].ssrc == ssrc) {
        return last;
    }
    for (unsigned i = 0; i < history->n_streams; i++) {
        if (history->streams[i].ssrc == ssrc) {
            return i;
        }
    }
    return WEIR__STREAM_OTHER;
}

/* Reports about the packets of a stream find nothing from now on. */
static void release_stream(struct weir__history *history, unsigned stream)
{
    for (int64_t seq = history->ring.oldest_seq; seq < history->ring.next_seq; seq++) {
        unsigned slot = weir__sent_ring_slot(&history->ring, seq);
        struct weir__sent_record *record = weir__sent_ring_at(&history->ring, slot);
        if (stream_of(record) == stream) {
            weir__sent_ring_unlink(&history->ring, WEIR__HISTORY_BY_RTP, slot);
            record->stream_and_state =
                (uint8_t)(WEIR__STREAM_OTHER << 3 | weir__history_state(record));
        }
    }
    history->gaps[stream] = (struct weir__gaps){.n_gaps = 0};
}

/* A place for a new SSRC: a free one, or that of the stream that has been silent longest, if
 * nothing of it is in flight. */
static unsigned find_place(struct weir__history *history)
{
    if (history->n_streams < WEIR__HISTORY_STREAMS) {
        return history->n_streams++;
    }
    unsigned place = 0;
    for (unsigned i = 1; i < WEIR__HISTORY_STREAMS; i++) {
        if (history->streams[i].last_seq < history->streams[place].last_seq) {
            place = i;
        }
    }
    if (history->streams[place].last_seq >= history->expired_seq) {
        return WEIR__STREAM_OTHER;
    }
    release_stream(history, place);
    return place;
}

static unsigned add_stream(struct weir__history *history, const struct weir__history_packet *packet)
{
    unsigned place = find_place(history);
    if (place == WEIR__STREAM_OTHER) {
        return place;
    }
    history->streams[place] = (struct weir__history_stream){
        .ssrc = packet->ssrc,
        .first_seq = history->ring.next_seq,
        .last_rtp = packet->rtp_seq,
        .first_rtp = packet->rtp_seq,
    };
    return place;
}

static void restart_stream(struct weir__history_stream *stream, int64_t rtp)
{
    stream->first_rtp = rtp > stream->last_rtp ? rtp : rtp + 65536;
    stream->last_rtp = stream->first_rtp;
}

/* RTP numbers in the order they are sent. A packet that is sent again, however old, is no restart;
 * a late one is missing no longer. */
static void follow_numbers(struct weir__history *history, unsigned index, uint16_t rtp_seq)
{
    struct weir__history_stream *stream = &history->streams[index];
    int64_t rtp = weir__unwrap_closest(stream->last_rtp, rtp_seq, 16);
    int64_t step = rtp - stream->last_rtp;
    if (step > MAX_DROPOUT) {
        restart_stream(stream, rtp);
    } else if (step > 0) {
        stream->last_rtp = rtp;
        if (step > 1) {
            weir__gaps_add(&history->gaps[index], rtp, (uint32_t)(step - 1));
        }
    } else if (step < 0 && find_rtp_slot(&history->ring, index, rtp_seq) == WEIR__NO_SLOT) {
        if (step < -MAX_MISORDER) {
            restart_stream(stream, rtp);
        } else {
            weir__gaps_fill(&history->gaps[index], rtp);
        }
    }
}

static unsigned touch_stream(struct weir__history *history,
                             const struct weir__history_packet *packet)
{
    unsigned index = weir__history_find_stream(history, packet->ssrc);
    if (index == WEIR__STREAM_OTHER) {
        index = add_stream(history, packet);
    }
    if (index != WEIR__STREAM_OTHER) {
        struct weir__history_stream *stream = &history->streams[index];
        follow_numbers(history, index, packet->rtp_seq);
        stream->last_seq = history->ring.next_seq;
        stream->sent_packets++;
        stream->is_audio = packet->is_audio;
        history->last_stream = (uint8_t)index;
    }
    return index;
}

/* The number of a packet that carries none: by one more than the packet before. */
static uint16_t count_transport(struct weir__history *history,
                                const struct weir__history_packet *packet)
{
    uint16_t *next = &history->transport_next[packet->transport];
    uint16_t number = packet->has_transport_seq ? packet->transport_seq : *next;
    *next = (uint16_t)(number + 1);
    return number;
}

static uint8_t pack_transport(const struct weir__history_packet *packet)
{
    int64_t words = weir_min_i64(packet->header_bytes / 4, WEIR__HISTORY_MANY_WORDS);
    return (uint8_t)(packet->transport << 5 | (packet->has_transport_seq ? CARRIED : 0u) |
                     (unsigned)words);
}

int64_t weir__history_on_sent(struct weir__history *history,
                              const struct weir__history_packet *packet)
{
    struct weir__sent_ring *ring = &history->ring;
    make_room(history, packet->sent_ns);
    unsigned stream = touch_stream(history, packet);
    int64_t seq = ring->next_seq++;
    unsigned slot = weir__sent_ring_slot(ring, seq);
    *weir__sent_ring_at(ring, slot) = (struct weir__sent_record){
        .sent_ns = packet->sent_ns,
        .wire_bytes = (uint16_t)weir_min_i64(packet->wire_bytes, UINT16_MAX),
        .rtp_seq = packet->rtp_seq,
        .transport_seq = count_transport(history, packet),
        .stream_and_state = (uint8_t)(stream << 3 | WEIR__PACKET_SENT),
        .transport_and_header = pack_transport(packet),
    };
    add_in_flight(history, weir__sent_ring_peek(ring, slot), 1);
    if (stream != WEIR__STREAM_OTHER) {
        link_rtp(history, stream, slot);
    }
    link_transport(ring, slot);
    return seq;
}

int64_t weir__history_find_rtp(const struct weir__history *history, uint32_t ssrc, uint16_t rtp_seq)
{
    unsigned stream = weir__history_find_stream(history, ssrc);
    if (stream == WEIR__STREAM_OTHER) {
        return -1;
    }
    unsigned slot = find_rtp_slot(&history->ring, stream, rtp_seq);
    return slot == WEIR__NO_SLOT ? -1 : weir__sent_ring_seq(&history->ring, slot);
}

bool weir__history_has_passed(const struct weir__history *history, uint32_t ssrc, uint16_t rtp_seq)
{
    unsigned index = weir__history_find_stream(history, ssrc);
    if (index == WEIR__STREAM_OTHER) {
        return false;
    }
    const struct weir__history_stream *stream = &history->streams[index];
    int64_t rtp = weir__unwrap_closest(stream->last_rtp, rtp_seq, 16);
    return rtp >= stream->first_rtp && rtp <= stream->last_rtp;
}

int64_t weir__history_find_transport(const struct weir__history *history, uint32_t transport,
                                     uint16_t transport_seq, bool only_carried)
{
    unsigned slot = find_transport_slot(&history->ring, transport, transport_seq, only_carried);
    return slot == WEIR__NO_SLOT ? -1 : weir__sent_ring_seq(&history->ring, slot);
}

void weir__history_set_transport(struct weir__history *history, int64_t seq, uint16_t transport_seq)
{
    struct weir__sent_record *record = find(history, seq);
    if (record) {
        unsigned slot = weir__sent_ring_slot(&history->ring, seq);
        weir__sent_ring_unlink(&history->ring, WEIR__HISTORY_BY_TRANSPORT, slot);
        record->transport_seq = transport_seq;
        record->transport_and_header |= CARRIED;
        link_transport(&history->ring, slot);
    }
}

void weir__history_set_state(struct weir__history *history, int64_t seq,
                             enum weir__packet_state state)
{
    struct weir__sent_record *record = find(history, seq);
    if (!record) {
        return;
    }
    bool was_outstanding = is_outstanding(weir__history_state(record));
    if (seq >= history->expired_seq && was_outstanding != is_outstanding(state)) {
        add_in_flight(history, record, was_outstanding ? -1 : 1);
    }
    record->stream_and_state = (uint8_t)((record->stream_and_state & ~7u) | state);
}

void weir__history_pass(struct weir__history *history, uint32_t transport, int64_t from_seq,
                        int64_t to_seq)
{
    for (int64_t seq = weir_max_i64(from_seq, history->ring.oldest_seq); seq < to_seq; seq++) {
        const struct weir__sent_record *record = weir__history_peek(history, seq);
        if (weir__history_state(record) == WEIR__PACKET_SENT &&
            weir__history_transport(record) == transport) {
            weir__history_set_state(history, seq, WEIR__PACKET_UNTOLD);
        }
    }
}

void weir__history_expire(struct weir__history *history, int64_t now_ns, int64_t max_age_ns)
{
    while (history->expired_seq < history->ring.next_seq) {
        const struct weir__sent_record *record = weir__history_peek(history, history->expired_seq);
        bool outstanding = is_outstanding(weir__history_state(record));
        if (outstanding && now_ns - record->sent_ns < max_age_ns) {
            return;
        }
        if (outstanding) {
            add_in_flight(history, record, -1);
        }
        history->expired_seq++;
    }
}

int64_t weir__history_next_expiry_ns(const struct weir__history *history, int64_t max_age_ns)
{
    if (history->in_flight_bytes <= 0) { /* else something that is in flight has not expired */
        return WEIR_NEVER_NS;
    }
    return weir_time_add_ns(weir__history_peek(history, history->expired_seq)->sent_ns, max_age_ns);
}

void weir__history_prefetch(const struct weir__history *history)
{
    const struct weir__sent_ring *ring = &history->ring;
    uint16_t rtp_seq = (uint16_t)(history->streams[0].last_rtp + 1);
    uint16_t oldest_rtp = (uint16_t)(rtp_seq - (ring->next_seq - history->expired_seq));
    weir__prefetch_between(history->streams, history->streams + 1);
    weir__prefetch_between(&history->expired_seq, ring->blocks);
    weir__sent_ring_prefetch(ring, ring->next_seq);
    weir__sent_ring_prefetch(ring, history->expired_seq);
    weir__sent_ring_prefetch_number(ring, WEIR__HISTORY_BY_RTP, 0, rtp_seq);
    weir__sent_ring_prefetch_number(ring, WEIR__HISTORY_BY_RTP, 0, oldest_rtp);
}
