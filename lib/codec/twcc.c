/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layout of the body (what follows the RTCP header): sender SSRC, media SSRC, base sequence number
 * (8), status count (10), reference time (12, s24), feedback count (15), chunks of two bytes until
 * they cover the status count, then one delta per received packet, then padding.
 *
 * A chunk stands for up to 8191 packets, so the cost of a packet is bounded by its bytes and by the
 * caller's capacity, never by its status count. */
#include <string.h>

#include "base/unwrap.h"
#include "codec/bytes.h"
#include "codec/format.h"
#include "weir/units.h"

enum {
    FIXED_BYTES = 16, /* of the body before the chunks */
    CHUNK_BYTES = 2,
    MAX_RUN = 8191,
    ONE_BIT_SYMBOLS = 14,
    TWO_BIT_SYMBOLS = 7,
    MAX_STATUSES = 65535,
    TICKS_PER_REFERENCE = 256 /* 64 ms of 250 us */
};

#define REFERENCE_NS WEIR_MS(64) /* unit of the reference time */
#define DELTA_NS     WEIR_US(250)

/* Where the reading of a packet stands; points into the datagram. */
struct reading {
    const uint8_t *chunk; /* the next to be read from ... */
    const uint8_t *delta;
    int64_t arrival_ns; /* of the newest arrival */
    size_t n_entries;   /* not read yet */
    unsigned n_symbols; /* ... of which so many are read */
    uint16_t seq;       /* of the next entry */
};

_Static_assert(sizeof(struct reading) <= WEIR__READING_MAX_BYTES, "place for the reading");

/* The numbers on the wire. NO_DELTA is reserved there; it is read as the draft's examples label it.
 */
enum symbol { NOT_RECEIVED = 0, SMALL_DELTA = 1, LARGE_DELTA = 2, NO_DELTA = 3 };

static const uint8_t delta_bytes[] = {
    [NOT_RECEIVED] = 0, [SMALL_DELTA] = 1, [LARGE_DELTA] = 2, [NO_DELTA] = 0};

/* A chunk decoded: n symbols, either all `run` or one by one out of `bits`. */
struct chunk {
    unsigned n_symbols;
    unsigned bits_per_symbol; /* 0 = a run */
    unsigned run;
    unsigned bits;
};

static struct chunk decode_chunk(uint16_t word)
{
    if (word >> 15 == 0) {
        return (struct chunk){.n_symbols = word & MAX_RUN, .run = word >> 13};
    }
    if ((word >> 14 & 1) == 0) {
        return (struct chunk){
            .n_symbols = ONE_BIT_SYMBOLS, .bits_per_symbol = 1, .bits = word & 0x3fffU};
    }
    return (struct chunk){
        .n_symbols = TWO_BIT_SYMBOLS, .bits_per_symbol = 2, .bits = word & 0x3fffU};
}

/* Symbol i of a chunk, i < n_symbols; the most significant bits come first. */
static unsigned chunk_symbol(const struct chunk *chunk, unsigned i)
{
    if (chunk->bits_per_symbol == 0) {
        return chunk->run;
    }
    unsigned shift = 14 - chunk->bits_per_symbol * (i + 1);
    return chunk->bits >> shift & (chunk->bits_per_symbol == 1 ? 1U : 3U);
}

/* What the chunks of a packet amount to. */
struct survey {
    size_t deltas_offset;
    size_t deltas_bytes;
};

/* Counts the first n_symbols of a chunk. */
static void survey_chunk(const struct chunk *chunk, unsigned n_symbols, struct survey *survey)
{
    if (chunk->bits_per_symbol == 0) {
        survey->deltas_bytes += (size_t)n_symbols * delta_bytes[chunk->run];
        return;
    }
    for (unsigned i = 0; i < n_symbols; i++) {
        survey->deltas_bytes += delta_bytes[chunk_symbol(chunk, i)];
    }
}

/* Walks the chunks until they cover n_statuses; clips the last one, and lets runs of length 0 pass.
 * WEIR_ERROR_TRUNCATED when the chunks or the deltas that they announce run out. */
static enum weir_status survey_chunks(const struct weir__rtcp_packet *packet, size_t n_statuses,
                                      struct survey *survey)
{
    size_t offset = FIXED_BYTES;
    size_t n_left = n_statuses;
    *survey = (struct survey){0};
    while (n_left > 0) {
        if (packet->body_bytes - offset < CHUNK_BYTES) {
            return WEIR_ERROR_TRUNCATED;
        }
        struct chunk chunk = decode_chunk(weir__get_u16(packet->body + offset));
        unsigned n_symbols = chunk.n_symbols < n_left ? chunk.n_symbols : (unsigned)n_left;
        survey_chunk(&chunk, n_symbols, survey);
        n_left -= n_symbols;
        offset += CHUNK_BYTES;
    }
    survey->deltas_offset = offset;
    return packet->body_bytes - offset < survey->deltas_bytes ? WEIR_ERROR_TRUNCATED : WEIR_OK;
}

/* The entry of one symbol. The survey has counted every delta that this reads. */
static struct weir__feedback_entry decode_entry(struct reading *rest, unsigned symbol)
{
    struct weir__feedback_entry entry = {.seq = rest->seq++};
    if (symbol == NOT_RECEIVED) {
        return entry;
    }
    entry.received = true;
    if (symbol == NO_DELTA) {
        return entry;
    }
    int delta_ticks = symbol == SMALL_DELTA ? rest->delta[0] : weir__get_s16(rest->delta);
    rest->delta += delta_bytes[symbol];
    rest->arrival_ns += delta_ticks * DELTA_NS;
    entry.arrival_ns = rest->arrival_ns;
    entry.has_time = true;
    return entry;
}

/* Second walk over the chunks. */
static size_t read_feedback(struct weir__packet_feedback *feedback,
                            struct weir__feedback_entry *entries, size_t capacity)
{
    struct reading *rest = (void *)feedback->rest;
    size_t n = rest->n_entries < capacity ? rest->n_entries : capacity;
    size_t done = 0;
    while (done < n) {
        struct chunk chunk = decode_chunk(weir__get_u16(rest->chunk));
        unsigned i = rest->n_symbols;
        for (; i < chunk.n_symbols && done < n; i++) {
            entries[done++] = decode_entry(rest, chunk_symbol(&chunk, i));
        }
        bool over = i == chunk.n_symbols;
        rest->chunk += over ? CHUNK_BYTES : 0;
        rest->n_symbols = over ? 0 : i;
    }
    rest->n_entries -= n;
    return n;
}

/* A packet whose deltas are missing is refused: which packets its chunks are about cannot be
 * trusted then either. WEIR_ERROR_MALFORMED for a status count of 0. The media SSRC is any one of
 * the transport's. */
static enum weir_status parse_feedback(const struct weir__rtcp_packet *packet, uint32_t *peer,
                                       struct weir__packet_feedback *feedback)
{
    const uint8_t *body = packet->body;
    struct survey survey;
    (void)peer;
    if (packet->type != WEIR__RTCP_RTPFB || packet->count != WEIR__RTPFB_TWCC) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < FIXED_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    size_t n_statuses = weir__get_u16(body + 10);
    if (n_statuses == 0) {
        return WEIR_ERROR_MALFORMED;
    }
    enum weir_status status = survey_chunks(packet, n_statuses, &survey);
    if (status != WEIR_OK) {
        return status;
    }
    struct reading reading = {.chunk = body + FIXED_BYTES,
                              .delta = body + survey.deltas_offset,
                              .arrival_ns = weir__get_s24(body + 12) * REFERENCE_NS,
                              .n_entries = n_statuses,
                              .seq = weir__get_u16(body + 8)};
    uint32_t ssrc = weir__get_u32(body);
    *feedback = (struct weir__packet_feedback){.sender_ssrc = ssrc,
                                               .time = weir__get_u24(body + 12),
                                               .time_ns = reading.arrival_ns,
                                               .n_entries = n_statuses,
                                               .new_clock = true,
                                               .clock_ssrc = ssrc};
    memcpy(feedback->rest, &reading, sizeof reading);
    return WEIR_OK;
}

/* The deltas of arrivals are differences of whole ticks since zero, so rounding never adds up. */
static int64_t floor_ticks(int64_t ns)
{
    int64_t ticks = ns / DELTA_NS;
    return ticks - (ns % DELTA_NS < 0);
}

/* The symbol for an entry whose predecessor arrived at *previous_ticks, which moves on. */
static unsigned encode_symbol(const struct weir__feedback_entry *entry, int64_t *previous_ticks)
{
    if (!entry->received) {
        return NOT_RECEIVED;
    }
    if (!entry->has_time) {
        return NO_DELTA;
    }
    int64_t ticks = floor_ticks(entry->arrival_ns);
    int64_t delta_ticks = ticks - *previous_ticks;
    *previous_ticks = ticks;
    return delta_ticks >= 0 && delta_ticks <= UINT8_MAX ? SMALL_DELTA : LARGE_DELTA;
}

/* Reference time just before the first arrival, so that the first delta is a small one. */
static int64_t choose_reference(const struct weir__feedback_entry *entries, size_t n_entries)
{
    for (size_t i = 0; i < n_entries; i++) {
        if (entries[i].received && entries[i].has_time) {
            int64_t ticks = floor_ticks(entries[i].arrival_ns);
            int64_t reference_ticks = ticks / TICKS_PER_REFERENCE;
            return reference_ticks - (ticks % TICKS_PER_REFERENCE < 0);
        }
    }
    return 0;
}

/* How many of the entries one packet can express whatever its size: up to a gap in seq, a delta
 * beyond 16 bits, or the largest status count. */
static size_t count_expressible(const struct weir__feedback_entry *entries, size_t n_entries,
                                int64_t previous_ticks)
{
    size_t n = 0;
    for (; n < n_entries && n < MAX_STATUSES; n++) {
        if (entries[n].seq != (uint16_t)(entries[0].seq + n)) {
            break;
        }
        if (entries[n].received && entries[n].has_time) {
            int64_t ticks = floor_ticks(entries[n].arrival_ns);
            int64_t delta_ticks = ticks - previous_ticks;
            if (delta_ticks < INT16_MIN || delta_ticks > INT16_MAX) {
                break;
            }
            previous_ticks = ticks;
        }
    }
    return n;
}

/* How many of the entries have deltas that together fit into room_bytes. */
static size_t count_affordable(const struct weir__feedback_entry *entries, size_t n_entries,
                               int64_t previous_ticks, size_t room_bytes)
{
    size_t n = 0;
    for (; n < n_entries; n++) {
        size_t bytes = delta_bytes[encode_symbol(&entries[n], &previous_ticks)];
        if (bytes > room_bytes) {
            break;
        }
        room_bytes -= bytes;
    }
    return n;
}

/* The symbols ahead of the encoder, as far as they matter for the next chunk. */
struct lookahead {
    unsigned symbols[ONE_BIT_SYMBOLS];
    unsigned n_symbols;
    unsigned n_run; /* equal symbols at the front; may be more than n_symbols */
    bool one_bit;   /* none of the symbols needs two bits */
};

static struct lookahead look_ahead(const struct weir__feedback_entry *entries, size_t n_entries,
                                   int64_t previous_ticks)
{
    struct lookahead ahead = {.one_bit = true};
    for (unsigned i = 0; i < n_entries && i < MAX_RUN; i++) {
        if (i >= ONE_BIT_SYMBOLS && ahead.n_run < i) {
            break;
        }
        unsigned symbol = encode_symbol(&entries[i], &previous_ticks);
        if (i < ONE_BIT_SYMBOLS) {
            ahead.symbols[ahead.n_symbols++] = symbol;
            ahead.one_bit = ahead.one_bit && symbol <= SMALL_DELTA;
        }
        ahead.n_run += ahead.n_run == i && symbol == ahead.symbols[0];
    }
    return ahead;
}

/* The chunk that covers most of what is ahead; of equals the run, which is cheapest to read. */
static struct chunk choose_chunk(const struct lookahead *ahead)
{
    unsigned width = ahead->one_bit ? 1 : 2;
    unsigned most = ahead->one_bit ? ONE_BIT_SYMBOLS : TWO_BIT_SYMBOLS;
    unsigned n = ahead->n_symbols < most ? ahead->n_symbols : most;
    if (ahead->n_run >= n) {
        return (struct chunk){.n_symbols = ahead->n_run, .run = ahead->symbols[0]};
    }
    struct chunk chunk = {.n_symbols = n, .bits_per_symbol = width};
    for (unsigned i = 0; i < n; i++) {
        chunk.bits |= ahead->symbols[i] << (14 - width * (i + 1));
    }
    return chunk;
}

static uint16_t encode_chunk(const struct chunk *chunk)
{
    if (chunk->bits_per_symbol == 0) {
        return (uint16_t)(chunk->run << 13 | chunk->n_symbols);
    }
    return (uint16_t)(0x8000U | (chunk->bits_per_symbol - 1) << 14 | chunk->bits);
}

/* Writes chunks for as many entries as fit into room_bytes together with their deltas. Returns the
 * number of entries; *p moves behind the chunks. */
static size_t put_chunks(const struct weir__feedback_entry *entries, size_t n_entries,
                         int64_t previous_ticks, size_t room_bytes, uint8_t **p)
{
    size_t done = 0;
    while (done < n_entries && room_bytes >= CHUNK_BYTES) {
        struct lookahead ahead = look_ahead(entries + done, n_entries - done, previous_ticks);
        struct chunk chunk = choose_chunk(&ahead);
        size_t n_fitting = count_affordable(entries + done, chunk.n_symbols, previous_ticks,
                                            room_bytes - CHUNK_BYTES);
        if (n_fitting < chunk.n_symbols) { /* the last chunk: choose again for what fits */
            n_entries = done + n_fitting;
            continue;
        }
        weir__put_u16(*p, encode_chunk(&chunk));
        *p += CHUNK_BYTES;
        room_bytes -= CHUNK_BYTES;
        for (unsigned i = 0; i < chunk.n_symbols; i++, done++) {
            room_bytes -= delta_bytes[encode_symbol(&entries[done], &previous_ticks)];
        }
    }
    return done;
}

/* Returns the end of the deltas. */
static uint8_t *put_deltas(const struct weir__feedback_entry *entries, size_t n_entries,
                           int64_t previous_ticks, uint8_t *p)
{
    for (size_t i = 0; i < n_entries; i++) {
        int64_t before_ticks = previous_ticks;
        unsigned symbol = encode_symbol(&entries[i], &previous_ticks);
        int64_t delta_ticks = previous_ticks - before_ticks;
        if (symbol == SMALL_DELTA) {
            *p = (uint8_t)delta_ticks;
        } else if (symbol == LARGE_DELTA) {
            weir__put_u16(p, (uint32_t)delta_ticks & 0xffff);
        }
        p += delta_bytes[symbol];
    }
    return p;
}

/* A gap in seq or between arrivals that the format cannot express ends the packet early. Arrivals
 * are rounded down to 250 us; only their differences survive, and the time modulo the 12 days of
 * the reference. Padding is bare zero bytes. WEIR_ERROR_ARGUMENT without entries,
 * WEIR_ERROR_NO_SPACE for less than 24 bytes. */
static enum weir_status build_feedback(const struct weir__feedback_head *head,
                                       const struct weir__feedback_entry *entries, size_t n_entries,
                                       uint8_t *buffer, size_t capacity_bytes, size_t *size_bytes,
                                       size_t *n_written)
{
    const size_t chunks_offset = WEIR__RTCP_HEADER_BYTES + FIXED_BYTES;
    if (n_entries == 0) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (capacity_bytes < chunks_offset + 4) {
        return WEIR_ERROR_NO_SPACE;
    }
    int64_t reference_ticks = choose_reference(entries, n_entries);
    int64_t previous_ticks = reference_ticks * TICKS_PER_REFERENCE;
    size_t n = count_expressible(entries, n_entries, previous_ticks);
    uint8_t *p = buffer + chunks_offset;
    n = put_chunks(entries, n, previous_ticks, (capacity_bytes & ~(size_t)3) - chunks_offset, &p);
    p = put_deltas(entries, n, previous_ticks, p);
    for (; (p - buffer) % 4 != 0; p++) {
        *p = 0;
    }
    *size_bytes = (size_t)(p - buffer);
    *n_written = n;

    weir__rtcp_put_feedback_header(buffer, WEIR__RTPFB_TWCC, WEIR__RTCP_RTPFB, *size_bytes,
                                   head->sender_ssrc, head->media_ssrc);
    weir__put_u16(buffer + 12, entries[0].seq);
    weir__put_u16(buffer + 14, (uint32_t)n);
    weir__put_u24(buffer + 16, (uint32_t)(uint64_t)reference_ticks);
    buffer[19] = head->count;
    return WEIR_OK;
}

const struct weir__format weir__format_twcc = {
    .name = "twcc",
    .description = "Transport-wide feedback: arrival of each packet; needs the header extension",
    .kind = WEIR__FORMAT_PACKETS,
    .types = {WEIR__RTCP_RTPFB},
    .fmt = WEIR__RTPFB_TWCC,
    .transport_wide = true,
    .clock = &weir__clock_twcc,
    .parse = parse_feedback,
    .read = read_feedback,
    .build = build_feedback,
};
