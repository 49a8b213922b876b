/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/rtcp.h"

#include <string.h>

#include "codec/bytes.h"

enum { RTP_VERSION = 2, SDES_END = 0, SDES_CNAME = 1, SDES_MAX_TEXT_BYTES = 255 };

/* The datagram must outlive the walk and the packets it delivers. */
void weir__rtcp_walk_init(struct weir__rtcp_walk *walk, const uint8_t *data, size_t size_bytes)
{
    *walk = (struct weir__rtcp_walk){.data = data, .size_bytes = size_bytes};
}

/* Size of the packet at the offset, or 0 when the walk ends there: the end of the datagram, bytes
 * that are no header, another version, or a packet that is longer than the datagram. */
static size_t next_size(struct weir__rtcp_walk *walk)
{
    size_t left_bytes = walk->size_bytes - walk->offset;
    if (left_bytes < WEIR__RTCP_HEADER_BYTES) {
        walk->anomalies.trailing_bytes += left_bytes > 0;
        return 0;
    }
    const uint8_t *header = walk->data + walk->offset; /* data may be NULL when nothing is left */
    if (header[0] >> 6 != RTP_VERSION) {
        walk->anomalies.bad_version++;
        return 0;
    }
    size_t size_bytes = (weir__get_u16(header + 2) + (size_t)1) * 4;
    if (size_bytes > left_bytes) {
        walk->anomalies.truncated++;
        return 0;
    }
    return size_bytes;
}

/* Takes the padding off the packet that ends at end. The count need not be a multiple of 4, because
 * deployed senders of transport feedback write 1..3. False: the packet is to be skipped. */
static bool strip_padding(struct weir__rtcp_walk *walk, const uint8_t *end,
                          struct weir__rtcp_packet *packet)
{
    if (end != walk->data + walk->size_bytes) {
        return true; /* only the last packet may have some */
    }
    size_t padding_bytes = end[-1];
    if (padding_bytes == 0 || padding_bytes > packet->body_bytes) {
        walk->anomalies.bad_padding++;
        return false;
    }
    packet->body_bytes -= padding_bytes;
    return true;
}

/* The next packet whose framing is good. Every turn consumes at least four bytes. False at the end;
 * the anomalies of the walk are complete then. */
bool weir__rtcp_walk_next(struct weir__rtcp_walk *walk, struct weir__rtcp_packet *packet)
{
    for (;;) {
        size_t size_bytes = next_size(walk);
        if (size_bytes == 0) {
            walk->size_bytes = walk->offset; /* asking again finds the end, and counts nothing */
            return false;
        }
        const uint8_t *header = walk->data + walk->offset;
        struct weir__rtcp_packet next = {.body = header + WEIR__RTCP_HEADER_BYTES,
                                         .body_bytes = size_bytes - WEIR__RTCP_HEADER_BYTES,
                                         .type = header[1],
                                         .count = header[0] & WEIR__RTCP_MAX_COUNT};
        walk->offset += size_bytes;
        if (!(header[0] & 0x20) || strip_padding(walk, header + size_bytes, &next)) {
            *packet = next;
            return true;
        }
    }
}

void weir__rtcp_put_header(uint8_t *buffer, unsigned count, enum weir__rtcp_type type,
                           size_t size_bytes)
{
    buffer[0] = (uint8_t)(RTP_VERSION << 6 | count);
    buffer[1] = (uint8_t)type;
    weir__put_u16(buffer + 2, (uint32_t)(size_bytes / 4 - 1));
}

void weir__rtcp_put_feedback_header(uint8_t *buffer, unsigned format, enum weir__rtcp_type type,
                                    size_t size_bytes, uint32_t sender_ssrc, uint32_t media_ssrc)
{
    weir__rtcp_put_header(buffer, format, type, size_bytes);
    weir__put_u32(buffer + 4, sender_ssrc);
    weir__put_u32(buffer + 8, media_ssrc);
}

/* One SDES chunk (RFC 3550 6.5) starting at *offset, which moves to the next chunk: an SSRC, items
 * of {type, length, text}, a zero byte, zeros to the next 32-bit boundary. cname->name stays NULL
 * when there is none. */
static enum weir_status parse_chunk(const struct weir__rtcp_packet *packet, size_t *offset,
                                    struct weir__sdes_cname *cname)
{
    const uint8_t *body = packet->body;
    size_t o = *offset + 4;
    if (packet->body_bytes - *offset < 4) {
        return WEIR_ERROR_TRUNCATED;
    }
    *cname = (struct weir__sdes_cname){.ssrc = weir__get_u32(body + *offset)};
    while (o < packet->body_bytes && body[o] != SDES_END) {
        if (packet->body_bytes - o < 2 || packet->body_bytes - o - 2 < body[o + 1]) {
            return WEIR_ERROR_TRUNCATED;
        }
        if (body[o] == SDES_CNAME && cname->name == NULL) {
            cname->name = body + o + 2;
            cname->name_bytes = body[o + 1];
        }
        o += (size_t)2 + body[o + 1];
    }
    *offset = (o + 4) & ~(size_t)3; /* at least one zero byte */
    return *offset <= packet->body_bytes ? WEIR_OK : WEIR_ERROR_TRUNCATED;
}

enum weir_status weir__sdes_parse(const struct weir__rtcp_packet *packet,
                                  struct weir__sdes_cname *cnames, size_t capacity,
                                  size_t *n_cnames)
{
    struct weir__sdes_cname found[WEIR__RTCP_MAX_COUNT];
    size_t n_found = 0;
    size_t offset = 0;
    if (packet->type != WEIR__RTCP_SDES) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    for (unsigned i = 0; i < packet->count; i++) {
        enum weir_status status = parse_chunk(packet, &offset, &found[n_found]);
        if (status != WEIR_OK) {
            return status;
        }
        n_found += found[n_found].name != NULL;
    }
    for (size_t i = 0; i < n_found && i < capacity; i++) {
        cnames[i] = found[i];
    }
    *n_cnames = n_found;
    return WEIR_OK;
}

/* cname: terminated text. WEIR_ERROR_ARGUMENT when it is longer than 255 bytes. */
enum weir_status weir__sdes_build(uint32_t ssrc, const char *cname, uint8_t *buffer,
                                  size_t capacity_bytes, size_t *size_bytes)
{
    size_t name_bytes = strlen(cname);
    size_t total_bytes = (WEIR__RTCP_HEADER_BYTES + 4 + 2 + name_bytes + 4) & ~(size_t)3;
    if (name_bytes > SDES_MAX_TEXT_BYTES) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (total_bytes > capacity_bytes) {
        return WEIR_ERROR_NO_SPACE;
    }
    memset(buffer, 0, total_bytes);
    weir__rtcp_put_header(buffer, 1, WEIR__RTCP_SDES, total_bytes);
    weir__put_u32(buffer + 4, ssrc);
    buffer[8] = SDES_CNAME;
    buffer[9] = (uint8_t)name_bytes;
    memcpy(buffer + 10, cname, name_bytes);
    *size_bytes = total_bytes;
    return WEIR_OK;
}

/* RFC 3550 6.6. */
enum weir_status weir__bye_parse(const struct weir__rtcp_packet *packet, struct weir__bye *bye)
{
    if (packet->type != WEIR__RTCP_BYE) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < packet->count * (size_t)4) {
        return WEIR_ERROR_TRUNCATED;
    }
    *bye = (struct weir__bye){.n_ssrcs = packet->count};
    for (size_t i = 0; i < packet->count; i++) {
        bye->ssrcs[i] = weir__get_u32(packet->body + 4 * i);
    }
    return WEIR_OK;
}
