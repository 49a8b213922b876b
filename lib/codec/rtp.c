/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/rtp.h"

#include <string.h>

#include "codec/bytes.h"
#include "weir/units.h"

enum {
    RTP_VERSION = 2,
    EXTENSION_HEADER_BYTES = 4,
    PROFILE_ONE_BYTE = 0xbede,
    PROFILE_TWO_BYTE = 0x1000, /* and four application bits */
    ID_STOP = 15,              /* one-byte form: nothing after it may be read */
    MAX_CSRCS = 15
};

/* The extension block that starts at *offset, which moves behind it (RFC 3550 5.3.1). */
static enum weir_status parse_extension(const uint8_t *data, size_t size_bytes, size_t *offset,
                                        struct weir__rtp *rtp)
{
    if (size_bytes - *offset < EXTENSION_HEADER_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    rtp->extension_profile = weir__get_u16(data + *offset);
    rtp->extension_bytes = weir__get_u16(data + *offset + 2) * (size_t)4;
    rtp->extension_offset = *offset + EXTENSION_HEADER_BYTES;
    if (size_bytes - rtp->extension_offset < rtp->extension_bytes) {
        return WEIR_ERROR_TRUNCATED;
    }
    *offset = rtp->extension_offset + rtp->extension_bytes;
    return WEIR_OK;
}

/* Splits what follows the header into payload and padding. The last byte counts the padding, itself
 * included; it need not be a multiple of 4. */
static enum weir_status parse_padding(const uint8_t *data, size_t size_bytes, bool has_padding,
                                      struct weir__rtp *rtp)
{
    rtp->payload_bytes = size_bytes - rtp->payload_offset;
    if (!has_padding) {
        return WEIR_OK;
    }
    rtp->padding_bytes = data[size_bytes - 1];
    if (rtp->padding_bytes == 0 || rtp->padding_bytes > rtp->payload_bytes) {
        return WEIR_ERROR_MALFORMED;
    }
    rtp->payload_bytes -= rtp->padding_bytes;
    return WEIR_OK;
}

/* RFC 3550 5.1 with every length checked against the bytes there are. WEIR_ERROR_UNSUPPORTED: the
 * version is not 2. On error *rtp is untouched. */
enum weir_status weir__rtp_parse(const uint8_t *data, size_t size_bytes, struct weir__rtp *rtp)
{
    if (size_bytes < WEIR__RTP_HEADER_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    if (data[0] >> 6 != RTP_VERSION) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    struct weir__rtp parsed = {.timestamp = weir__get_u32(data + 4),
                               .ssrc = weir__get_u32(data + 8),
                               .seq = weir__get_u16(data + 2),
                               .payload_type = data[1] & 0x7f,
                               .n_csrcs = data[0] & MAX_CSRCS,
                               .marker = data[1] >> 7};
    size_t offset = WEIR__RTP_HEADER_BYTES + parsed.n_csrcs * (size_t)4;
    if (size_bytes < offset) {
        return WEIR_ERROR_TRUNCATED;
    }
    if (data[0] & 0x10) {
        enum weir_status status = parse_extension(data, size_bytes, &offset, &parsed);
        if (status != WEIR_OK) {
            return status;
        }
    }
    parsed.payload_offset = offset;
    enum weir_status status = parse_padding(data, size_bytes, data[0] & 0x20, &parsed);
    if (status == WEIR_OK) {
        *rtp = parsed;
    }
    return status;
}

/* data and rtp: a packet and what weir__rtp_parse said of it. data must outlive the walk. */
void weir__rtp_elements_init(struct weir__rtp_elements *elements, const uint8_t *data,
                             const struct weir__rtp *rtp)
{
    bool two_byte = (rtp->extension_profile & 0xfff0) == PROFILE_TWO_BYTE;
    bool known = two_byte || rtp->extension_profile == PROFILE_ONE_BYTE;
    *elements = (struct weir__rtp_elements){
        .data = data,
        .offset = rtp->extension_offset,
        .end = rtp->extension_offset + (known ? rtp->extension_bytes : 0),
        .two_byte = two_byte,
    };
}

/* Reads the element header at the offset, which is inside the block, and moves to its data. False:
 * the block ends here (RFC 8285 4.2 and 4.3). */
static bool read_element_header(struct weir__rtp_elements *elements,
                                struct weir__rtp_element *element)
{
    uint8_t first = elements->data[elements->offset++];
    if (!elements->two_byte) {
        element->id = first >> 4;
        element->size_bytes = (uint8_t)((first & 0x0f) + 1);
        return element->id != ID_STOP;
    }
    if (elements->offset == elements->end) {
        elements->malformed = true;
        return false;
    }
    element->id = first;
    element->size_bytes = elements->data[elements->offset++];
    return true;
}

/* The next element, padding skipped. False at the end of the block, at the stop id and at an
 * element that runs past the block; every turn consumes a byte. */
bool weir__rtp_elements_next(struct weir__rtp_elements *elements, struct weir__rtp_element *element)
{
    while (elements->offset < elements->end) {
        if (elements->data[elements->offset] == 0) {
            elements->offset++;
            continue;
        }
        struct weir__rtp_element next;
        if (!read_element_header(elements, &next)) {
            break;
        }
        if (next.size_bytes > elements->end - elements->offset) {
            elements->malformed = true;
            break;
        }
        next.offset = elements->offset;
        elements->offset += next.size_bytes;
        if (next.id != 0) { /* id 0 with a length is malformed padding */
            *element = next;
            return true;
        }
    }
    elements->offset = elements->end;
    return false;
}

bool weir__rtp_find_element(const uint8_t *data, const struct weir__rtp *rtp, uint8_t id,
                            struct weir__rtp_element *element)
{
    struct weir__rtp_elements elements;
    struct weir__rtp_element candidate;
    weir__rtp_elements_init(&elements, data, rtp);
    while (weir__rtp_elements_next(&elements, &candidate)) {
        if (candidate.id == id) {
            *element = candidate;
            return true;
        }
    }
    return false;
}

/* The transport-wide sequence number; the four-byte form with a feedback request is kept as is. */
enum weir_status weir__rtp_set_u16(uint8_t *data, size_t size_bytes, uint8_t id, uint16_t value)
{
    struct weir__rtp rtp;
    struct weir__rtp_element element;
    enum weir_status status = weir__rtp_parse(data, size_bytes, &rtp);
    if (status != WEIR_OK) {
        return status;
    }
    if (!weir__rtp_find_element(data, &rtp, id, &element) || element.size_bytes < 2) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    weir__put_u16(data + element.offset, value);
    return WEIR_OK;
}

enum weir_status weir__rtp_build(const struct weir__rtp *rtp, uint8_t transport_seq_id,
                                 uint16_t transport_seq, uint8_t *buffer, size_t capacity_bytes,
                                 size_t *header_bytes)
{
    bool extended = transport_seq_id != 0;
    size_t size_bytes = WEIR__RTP_HEADER_BYTES + (extended ? EXTENSION_HEADER_BYTES + 4 : 0);
    if (rtp->payload_type > 127 || transport_seq_id >= ID_STOP) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (capacity_bytes < size_bytes) {
        return WEIR_ERROR_NO_SPACE;
    }
    buffer[0] = (uint8_t)(RTP_VERSION << 6 | (extended ? 0x10 : 0));
    buffer[1] = (uint8_t)((rtp->marker ? 0x80 : 0) | rtp->payload_type);
    weir__put_u16(buffer + 2, rtp->seq);
    weir__put_u32(buffer + 4, rtp->timestamp);
    weir__put_u32(buffer + 8, rtp->ssrc);
    if (extended) {
        weir__put_u16(buffer + 12, PROFILE_ONE_BYTE);
        weir__put_u16(buffer + 14, 1); /* word: the element's id and size, its number, padding */
        buffer[16] = (uint8_t)(transport_seq_id << 4 | 1); /* size - 1 */
        weir__put_u16(buffer + 17, transport_seq);
        buffer[19] = 0;
    }
    *header_bytes = size_bytes;
    return WEIR_OK;
}
