/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layout of the body: sender SSRC, report blocks, report timestamp. A block is the media SSRC, the
 * first sequence number, num_reports, one 16-bit word per packet, and a zero word if their number
 * is odd. A word is R (received), two bits of ECN, and 13 bits of arrival time offset in 1/1024 s.
 *
 * RFC 8888 3.1 can be read as "num_reports + 1 words" as well, and one deployed sender does. */
#include <string.h>

#include "codec/bytes.h"
#include "codec/format.h"
#include "weir/units.h"

enum {
    SSRC_BYTES = 4,
    BLOCK_HEADER_BYTES = 8,
    TIMESTAMP_BYTES = 4,
    MAX_WORDS = 16384, /* more would make sequence numbers ambiguous */
    ATO_MAX = 0x1ffd,
    ATO_OVER_RANGE = 0x1ffe,
    ATO_UNAVAILABLE = 0x1fff
};

/* 10^9 / 1024 = 1953125 / 2. */
#define ATO_NUM INT64_C(1953125)
#define ATO_DEN INT64_C(2)

/* How a peer writes num_reports, as far as its packets have told. */
enum counting {
    COUNT_UNKNOWN,  /* no evidence yet; read as words */
    COUNT_WORDS,    /* num_reports words */
    COUNT_MINUS_ONE /* num_reports + 1 words */
};

/* Where the reading of a packet stands; points into the datagram. */
struct reading {
    const uint8_t *block;
    size_t n_words;       /* of that block, read */
    size_t n_entries;     /* not read yet */
    unsigned extra_words; /* the peer's counting: 0 or 1 */
};

_Static_assert(sizeof(struct reading) <= WEIR__READING_MAX_BYTES, "place for the reading");

/* The report blocks of a packet under one way of counting. */
struct layout {
    const uint8_t *blocks;
    size_t blocks_bytes;
    unsigned extra_words; /* 0, or 1 in minus-one counting */
};

/* What walking the blocks found out. */
struct survey {
    size_t n_entries;
    bool padding_used; /* the zero word behind an odd number of words is not zero */
};

static size_t words_in_block(const uint8_t *block, unsigned extra_words)
{
    return weir__get_u16(block + 6) + (size_t)extra_words;
}

static size_t block_bytes(size_t n_words)
{
    return BLOCK_HEADER_BYTES + (n_words + n_words % 2) * 2;
}

/* Whether blocks fill the packet exactly up to its timestamp. *survey is valid if so. */
static bool tiles(const struct layout *layout, struct survey *survey)
{
    size_t offset = 0;
    *survey = (struct survey){0};
    while (offset < layout->blocks_bytes) {
        size_t left_bytes = layout->blocks_bytes - offset;
        if (left_bytes < BLOCK_HEADER_BYTES) {
            return false;
        }
        size_t n_words = words_in_block(layout->blocks + offset, layout->extra_words);
        if (n_words > MAX_WORDS || left_bytes < block_bytes(n_words)) {
            return false;
        }
        offset += block_bytes(n_words);
        if (n_words % 2 == 1 && weir__get_u16(layout->blocks + offset - 2) != 0) {
            survey->padding_used = true;
        }
        survey->n_entries += n_words;
    }
    return true;
}

/* Picks the counting that explains the packet, and learns from it what the peer does. When both
 * do, a word that is data in one reading and non-zero padding in the other speaks for minus-one,
 * unless the peer has been seen to count words. False: neither tiles. */
static bool choose_counting(struct layout *layout, uint32_t *counting, struct survey *survey)
{
    struct layout minus_one = *layout;
    struct survey minus_one_survey;
    minus_one.extra_words = 1;
    bool words_fit = tiles(layout, survey);
    bool minus_one_fits = tiles(&minus_one, &minus_one_survey);
    if (!words_fit && !minus_one_fits) {
        return false;
    }
    if (words_fit != minus_one_fits) {
        *counting = words_fit ? COUNT_WORDS : COUNT_MINUS_ONE;
    } else if (*counting == COUNT_UNKNOWN && survey->padding_used) {
        *counting = COUNT_MINUS_ONE;
    }
    if (minus_one_fits && (!words_fit || *counting == COUNT_MINUS_ONE)) {
        *layout = minus_one;
        *survey = minus_one_survey;
    }
    return true;
}

/* One metric word (RFC 8888 3.1). The bits of a packet that was not received are ignored. */
static struct weir__feedback_entry decode_word(uint16_t word, uint32_t ssrc, uint16_t seq)
{
    struct weir__feedback_entry entry = {.ssrc = ssrc, .seq = seq, .received = word >> 15};
    unsigned ato = word & 0x1fffU;
    if (!entry.received) {
        return entry;
    }
    entry.ecn = word >> 13 & 3;
    if (ato <= ATO_MAX) {
        entry.has_time = true;
        entry.arrival_ns = -((int64_t)ato * ATO_NUM / ATO_DEN);
    }
    return entry;
}

/* Second walk over the blocks, which are known to tile. A packet reported received in one entry
 * stays received, whatever another entry or a later report says. */
static size_t read_feedback(struct weir__packet_feedback *feedback,
                            struct weir__feedback_entry *entries, size_t capacity)
{
    struct reading *rest = (void *)feedback->rest;
    size_t n = rest->n_entries < capacity ? rest->n_entries : capacity;
    size_t done = 0;
    while (done < n) {
        uint32_t ssrc = weir__get_u32(rest->block);
        uint16_t begin_seq = weir__get_u16(rest->block + 4);
        size_t n_words = words_in_block(rest->block, rest->extra_words);
        size_t i = rest->n_words;
        for (; i < n_words && done < n; i++) {
            uint16_t word = weir__get_u16(rest->block + BLOCK_HEADER_BYTES + 2 * i);
            entries[done++] = decode_word(word, ssrc, (uint16_t)(begin_seq + i));
        }
        bool over = i == n_words;
        rest->block += over ? block_bytes(n_words) : 0;
        rest->n_words = over ? 0 : i;
    }
    rest->n_entries -= n;
    return n;
}

/* *counting is updated too, unless there is an error. An SSRC may have several blocks; their
 * entries come in the order of the packet. */
static enum weir_status parse_feedback(const struct weir__rtcp_packet *packet, uint32_t *counting,
                                       struct weir__packet_feedback *feedback)
{
    struct survey survey;
    if (packet->type != WEIR__RTCP_RTPFB || packet->count != WEIR__RTPFB_CCFB) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < SSRC_BYTES + TIMESTAMP_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    struct layout layout = {.blocks = packet->body + SSRC_BYTES,
                            .blocks_bytes = packet->body_bytes - SSRC_BYTES - TIMESTAMP_BYTES};
    if (!choose_counting(&layout, counting, &survey)) {
        return WEIR_ERROR_MALFORMED;
    }
    struct reading reading = {
        .block = layout.blocks, .n_entries = survey.n_entries, .extra_words = layout.extra_words};
    uint32_t ssrc = weir__get_u32(packet->body);
    *feedback =
        (struct weir__packet_feedback){.sender_ssrc = ssrc,
                                       .time = weir__get_u32(layout.blocks + layout.blocks_bytes),
                                       .n_entries = survey.n_entries,
                                       .new_clock = true,
                                       .clock_ssrc = ssrc};
    memcpy(feedback->rest, &reading, sizeof reading);
    return WEIR_OK;
}

/* Age in 1/1024 s, to the nearest; a negative one means that the packet came after the report. */
static unsigned encode_age(int64_t age_ns)
{
    if (age_ns < 0) {
        return ATO_UNAVAILABLE;
    }
    if (age_ns > WEIR_SECONDS(8)) {
        return ATO_OVER_RANGE;
    }
    int64_t ato = (age_ns * ATO_DEN + ATO_NUM / 2) / ATO_NUM;
    return ato <= ATO_MAX ? (unsigned)ato : ATO_OVER_RANGE;
}

static uint16_t encode_word(const struct weir__feedback_entry *entry, int64_t report_ns)
{
    if (!entry->received) {
        return 0;
    }
    unsigned ato = entry->has_time ? encode_age(report_ns - entry->arrival_ns) : ATO_UNAVAILABLE;
    return (uint16_t)(0x8000U | (entry->ecn & 3U) << 13 | ato);
}

/* Entries at the front that belong into one block, and fit with it into room_bytes. */
static size_t count_block(const struct weir__feedback_entry *entries, size_t n_entries,
                          size_t room_bytes)
{
    size_t most = room_bytes < BLOCK_HEADER_BYTES ? 0 : (room_bytes - BLOCK_HEADER_BYTES) / 4 * 2;
    size_t n = 0;
    while (n < n_entries && n < most && n < MAX_WORDS && entries[n].ssrc == entries[0].ssrc &&
           entries[n].seq == (uint16_t)(entries[0].seq + n)) {
        n++;
    }
    return n;
}

/* Writes one block. Returns its size. */
static size_t put_block(const struct weir__feedback_entry *entries, size_t n_entries,
                        int64_t report_ns, uint8_t *p)
{
    weir__put_u32(p, entries[0].ssrc);
    weir__put_u16(p + 4, entries[0].seq);
    weir__put_u16(p + 6, (uint32_t)n_entries);
    for (size_t i = 0; i < n_entries; i++) {
        weir__put_u16(p + BLOCK_HEADER_BYTES + 2 * i, encode_word(&entries[i], report_ns));
    }
    if (n_entries % 2 == 1) {
        weir__put_u16(p + BLOCK_HEADER_BYTES + 2 * n_entries, 0);
    }
    return block_bytes(n_entries);
}

/* Entries of one SSRC with consecutive seq share a block. No entries: a packet with only the
 * timestamp. Counts words, as most readers expect. Ages beyond 8 s are written as over range,
 * negative ones and entries without a time as unavailable. */
static enum weir_status build_feedback(const struct weir__feedback_head *head,
                                       const struct weir__feedback_entry *entries, size_t n_entries,
                                       uint8_t *buffer, size_t capacity_bytes, size_t *size_bytes,
                                       size_t *n_written)
{
    const size_t max_bytes = (UINT16_MAX + (size_t)1) * 4;
    const size_t fixed_bytes = WEIR__RTCP_HEADER_BYTES + SSRC_BYTES + TIMESTAMP_BYTES;
    size_t limit_bytes = capacity_bytes < max_bytes ? capacity_bytes : max_bytes;
    size_t offset = WEIR__RTCP_HEADER_BYTES + SSRC_BYTES;
    size_t done = 0;
    if (limit_bytes < fixed_bytes ||
        (n_entries > 0 && count_block(entries, 1, limit_bytes - fixed_bytes) == 0)) {
        return WEIR_ERROR_NO_SPACE;
    }
    while (done < n_entries) {
        size_t room_bytes = limit_bytes - TIMESTAMP_BYTES - offset;
        size_t n = count_block(entries + done, n_entries - done, room_bytes);
        if (n == 0) {
            break;
        }
        offset += put_block(entries + done, n, head->report_ns, buffer + offset);
        done += n;
    }
    weir__put_u32(buffer + offset, head->report_mid32);
    offset += TIMESTAMP_BYTES;
    weir__rtcp_put_header(buffer, WEIR__RTPFB_CCFB, WEIR__RTCP_RTPFB, offset);
    weir__put_u32(buffer + WEIR__RTCP_HEADER_BYTES, head->sender_ssrc);
    *size_bytes = offset;
    *n_written = done;
    return WEIR_OK;
}

const struct weir__format weir__format_ccfb = {
    .name = "ccfb",
    .description = "RFC 8888: arrival of each packet; needs nothing in the media",
    .kind = WEIR__FORMAT_PACKETS,
    .types = {WEIR__RTCP_RTPFB},
    .fmt = WEIR__RTPFB_CCFB,
    .has_hold = true,
    .clock = &weir__clock_mid32,
    .parse = parse_feedback,
    .read = read_feedback,
    .build = build_feedback,
};
