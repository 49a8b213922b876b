/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/history.h"

#include <stddef.h>

#include "base/prefetch.h"
#include "base/unwrap.h"
#include "weir/units.h"

_Static_assert(sizeof(struct weir__sent_record) == 16, "a record of the history grew");

enum { NO_SLOT = 0xffff, SLOT_MASK = WEIR__HISTORY_PACKETS - 1, CARRIED = 16 };

/* RFC 3550 A.1: numbers that jump further start anew. */
enum { MAX_DROPOUT = 3000, MAX_MISORDER = 100 };

static unsigned slot_of(int64_t seq)
{
    return (unsigned)((uint64_t)seq & SLOT_MASK);
}

/* The packet in a slot: the newest seq of that residue. */
static int64_t seq_in_slot(const struct weir__history *history, unsigned slot)
{
    uint64_t newest = (uint64_t)history->next_seq - 1;
    return (int64_t)(newest - ((newest - slot) & SLOT_MASK));
}

static unsigned stream_of(const struct weir__sent_record *record)
{
    return record->stream_and_state >> 3;
}

/* Streams that send in step are kept apart by an odd stride. At most 65536 * 16 / 2048 = 512
 * packets of different numbers can share a chain; with consecutive numbers it is four. */
static unsigned hash_of(unsigned stream, uint16_t number)
{
    return (number + stream * 1367u) & (WEIR__HISTORY_HEADS - 1);
}

static void unlink_slot(struct weir__history *history, enum weir__history_number number,
                        unsigned hash, unsigned slot)
{
    uint16_t *link = &history->heads[hash][number];
    while (*link != 0 && *link != slot + 1) {
        link = &history->next_link[*link - 1][number];
    }
    if (*link != 0) {
        *link = history->next_link[slot][number];
    }
}

static void link_slot(struct weir__history *history, enum weir__history_number number,
                      unsigned hash, unsigned slot)
{
    history->next_link[slot][number] = history->heads[hash][number];
    history->heads[hash][number] = (uint16_t)(slot + 1);
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

const struct weir__sent_record *weir__history_peek(const struct weir__history *history, int64_t seq)
{
    if (seq < 0 || seq >= history->next_seq || seq < history->next_seq - WEIR__HISTORY_PACKETS) {
        return NULL;
    }
    return &history->records[slot_of(seq)];
}

/* The same, to be changed. */
static struct weir__sent_record *find(struct weir__history *history, int64_t seq)
{
    return weir__history_peek(history, seq) ? &history->records[slot_of(seq)] : NULL;
}

/* Slot of a packet by its RTP number, NO_SLOT when there is none. */
static unsigned find_rtp_slot(const struct weir__history *history, unsigned stream,
                              uint16_t rtp_seq)
{
    unsigned link = history->heads[hash_of(stream, rtp_seq)][WEIR__HISTORY_BY_RTP];
    for (; link != 0; link = history->next_link[link - 1][WEIR__HISTORY_BY_RTP]) {
        if (history->records[link - 1].rtp_seq == rtp_seq) {
            return link - 1;
        }
    }
    return NO_SLOT;
}

static void unlink_rtp(struct weir__history *history, unsigned slot)
{
    const struct weir__sent_record *record = &history->records[slot];
    unlink_slot(history, WEIR__HISTORY_BY_RTP, hash_of(stream_of(record), record->rtp_seq), slot);
}

/* A number that is still in flight keeps its first packet; otherwise the new one takes over. */
static void link_rtp(struct weir__history *history, unsigned stream, unsigned slot)
{
    uint16_t rtp_seq = history->records[slot].rtp_seq;
    unsigned other = find_rtp_slot(history, stream, rtp_seq);
    if (other != NO_SLOT) {
        if (is_outstanding(weir__history_state(&history->records[other])) &&
            seq_in_slot(history, other) >= history->expired_seq) {
            return;
        }
        unlink_rtp(history, other);
    }
    link_slot(history, WEIR__HISTORY_BY_RTP, hash_of(stream, rtp_seq), slot);
}

/* Slot of the newest packet with a number, NO_SLOT when there is none. */
static unsigned find_transport_slot(const struct weir__history *history, uint32_t transport,
                                    uint16_t transport_seq, bool only_carried)
{
    unsigned link = history->heads[hash_of(transport, transport_seq)][WEIR__HISTORY_BY_TRANSPORT];
    for (; link != 0; link = history->next_link[link - 1][WEIR__HISTORY_BY_TRANSPORT]) {
        const struct weir__sent_record *record = &history->records[link - 1];
        if (record->transport_seq == transport_seq &&
            (!only_carried || weir__history_has_carried(record))) {
            return link - 1;
        }
    }
    return NO_SLOT;
}

static void unlink_transport(struct weir__history *history, unsigned slot)
{
    const struct weir__sent_record *record = &history->records[slot];
    unlink_slot(history, WEIR__HISTORY_BY_TRANSPORT,
                hash_of(weir__history_transport(record), record->transport_seq), slot);
}

/* The newest packet of a number takes over from the one before. */
static void link_transport(struct weir__history *history, unsigned slot)
{
    const struct weir__sent_record *record = &history->records[slot];
    uint32_t transport = weir__history_transport(record);
    bool carried = weir__history_has_carried(record);
    unsigned other = find_transport_slot(history, transport, record->transport_seq, carried);
    if (other != NO_SLOT && weir__history_has_carried(&history->records[other]) == carried) {
        unlink_transport(history, other);
    }
    link_slot(history, WEIR__HISTORY_BY_TRANSPORT, hash_of(transport, record->transport_seq), slot);
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
    unsigned slot = slot_of(seq);
    return history->summed[slot / 64] >> slot % 64 & 1;
}

int64_t weir__history_sum_up(struct weir__history *history, unsigned stream, int64_t after_rtp,
                             int64_t to_rtp)
{
    int64_t told = 0;
    int64_t oldest_rtp = weir_max_i64(after_rtp, to_rtp - WEIR__HISTORY_PACKETS);
    for (int64_t rtp = oldest_rtp + 1; rtp <= to_rtp; rtp++) {
        unsigned slot = find_rtp_slot(history, stream, (uint16_t)rtp);
        if (slot != NO_SLOT) {
            told += !is_outstanding(weir__history_state(&history->records[slot])) ||
                    weir__history_is_summed(history, slot);
            history->summed[slot / 64] |= UINT64_C(1) << slot % 64;
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

/* Makes room in the slot of the next packet. */
static void evict(struct weir__history *history)
{
    int64_t seq = history->next_seq - WEIR__HISTORY_PACKETS;
    if (seq < 0) {
        return;
    }
    unsigned slot = slot_of(seq);
    const struct weir__sent_record *record = &history->records[slot];
    if (is_outstanding(weir__history_state(record))) {
        history->unknown_packets += !weir__history_is_summed(history, seq);
        if (seq >= history->expired_seq) {
            add_in_flight(history, record, -1);
        }
    }
    history->summed[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    history->expired_seq = weir_max_i64(history->expired_seq, seq + 1);
    unlink_rtp(history, slot);
    unlink_transport(history, slot);
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
    for (unsigned slot = 0; slot < WEIR__HISTORY_PACKETS; slot++) {
        struct weir__sent_record *record = &history->records[slot];
        if (stream_of(record) == stream) {
            unlink_rtp(history, slot);
            record->stream_and_state =
                (uint8_t)(WEIR__STREAM_OTHER << 3 | weir__history_state(record));
        }
    }
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
        .first_seq = history->next_seq,
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
            weir__gaps_add(&stream->gaps, rtp, (uint32_t)(step - 1));
        }
    } else if (step < 0 && find_rtp_slot(history, index, rtp_seq) == NO_SLOT) {
        if (step < -MAX_MISORDER) {
            restart_stream(stream, rtp);
        } else {
            weir__gaps_fill(&stream->gaps, rtp);
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
        stream->last_seq = history->next_seq;
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
    evict(history);
    unsigned stream = touch_stream(history, packet);
    int64_t seq = history->next_seq++;
    unsigned slot = slot_of(seq);
    history->records[slot] = (struct weir__sent_record){
        .sent_ns = packet->sent_ns,
        .wire_bytes = (uint16_t)weir_min_i64(packet->wire_bytes, UINT16_MAX),
        .rtp_seq = packet->rtp_seq,
        .transport_seq = count_transport(history, packet),
        .stream_and_state = (uint8_t)(stream << 3 | WEIR__PACKET_SENT),
        .transport_and_header = pack_transport(packet),
    };
    add_in_flight(history, &history->records[slot], 1);
    if (stream != WEIR__STREAM_OTHER) {
        link_rtp(history, stream, slot);
    }
    link_transport(history, slot);
    return seq;
}

int64_t weir__history_find_rtp(const struct weir__history *history, uint32_t ssrc, uint16_t rtp_seq)
{
    unsigned stream = weir__history_find_stream(history, ssrc);
    if (stream == WEIR__STREAM_OTHER) {
        return -1;
    }
    unsigned slot = find_rtp_slot(history, stream, rtp_seq);
    return slot == NO_SLOT ? -1 : seq_in_slot(history, slot);
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
    unsigned slot = find_transport_slot(history, transport, transport_seq, only_carried);
    return slot == NO_SLOT ? -1 : seq_in_slot(history, slot);
}

void weir__history_set_transport(struct weir__history *history, int64_t seq, uint16_t transport_seq)
{
    struct weir__sent_record *record = find(history, seq);
    if (record) {
        unlink_transport(history, slot_of(seq));
        record->transport_seq = transport_seq;
        record->transport_and_header |= CARRIED;
        link_transport(history, slot_of(seq));
    }
}

void weir__history_set_state(struct weir__history *history, int64_t seq,
                             enum weir__packet_state state)
{
    struct weir__sent_record *record = find(history, seq);
    if (!record) {
        return;
    }
    bool was_in_flight = seq >= history->expired_seq && is_outstanding(weir__history_state(record));
    if (was_in_flight && !is_outstanding(state)) {
        add_in_flight(history, record, -1);
    }
    record->stream_and_state = (uint8_t)((record->stream_and_state & ~7u) | state);
}

void weir__history_expire(struct weir__history *history, int64_t now_ns, int64_t max_age_ns)
{
    while (history->expired_seq < history->next_seq) {
        const struct weir__sent_record *record = &history->records[slot_of(history->expired_seq)];
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
    return weir_time_add_ns(history->records[slot_of(history->expired_seq)].sent_ns, max_age_ns);
}

void weir__history_prefetch(const struct weir__history *history)
{
    unsigned next = slot_of(history->next_seq);
    unsigned oldest = slot_of(history->expired_seq);
    uint16_t rtp_seq = (uint16_t)(history->streams[0].last_rtp + 1);
    uint16_t oldest_rtp = (uint16_t)(rtp_seq - (history->next_seq - history->expired_seq));
    weir__prefetch(history, offsetof(struct weir__history, streams[1]));
    weir__prefetch(&history->records[next], sizeof history->records[0]);
    weir__prefetch(&history->next_link[next], sizeof history->next_link[0]);
    weir__prefetch(&history->heads[hash_of(0, rtp_seq)], sizeof history->heads[0]);
    weir__prefetch(&history->records[oldest], sizeof history->records[0]);
    weir__prefetch(&history->heads[hash_of(0, oldest_rtp)], sizeof history->heads[0]);
}
