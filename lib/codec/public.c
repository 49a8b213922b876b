/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What programs see of the RTP codec (weir/rtcp.h): a thin cover that keeps lib/codec/ free to
 * change. */
#include "weir/rtcp.h"

#include "codec/rtp.h"

/* Seconds from 1900 (NTP) to 1970 (Unix). */
#define NTP_TO_UNIX_S UINT64_C(2208988800)

/* data may be NULL when len is 0. Everything that is neither RTP nor RTCP is OTHER, broken or not:
 * version 2 makes it one of them (RFC 7983 7), and the second byte, with the marker, tells which
 * (RFC 5761 4). */
enum weir_datagram weir_datagram_kind(const uint8_t *data, size_t len)
{
    enum { RTP_VERSION = 2, RTCP_SMALLEST_BYTES = 8, RTCP_FIRST = 192, RTCP_LAST = 223 };
    if (len < RTCP_SMALLEST_BYTES || data[0] >> 6 != RTP_VERSION) {
        return WEIR_DATAGRAM_OTHER;
    }
    if (data[1] >= RTCP_FIRST && data[1] <= RTCP_LAST) {
        return WEIR_DATAGRAM_RTCP;
    }
    return len >= WEIR__RTP_HEADER_BYTES ? WEIR_DATAGRAM_RTP : WEIR_DATAGRAM_OTHER;
}

/* unix_ns of either sign; the result is modulo an NTP era of 136 years. The fraction is rounded
 * down, so that mid32 is the number of whole 1/65536 s that have passed. */
uint64_t weir_ntp_from_unix_ns(int64_t unix_ns)
{
    int64_t seconds = unix_ns / WEIR_SECONDS(1);
    int64_t rest_ns = unix_ns % WEIR_SECONDS(1);
    if (rest_ns < 0) {
        rest_ns += WEIR_SECONDS(1);
        seconds--;
    }
    uint64_t fraction = ((uint64_t)rest_ns << 32) / (uint64_t)WEIR_SECONDS(1);
    return ((uint64_t)seconds + NTP_TO_UNIX_S) << 32 | fraction;
}

/* The transport-wide number, if the packet has the element with two bytes or more. */
static void read_transport_seq(const uint8_t *data, const struct weir__rtp *rtp, uint8_t id,
                               struct weir_rtp_info *info)
{
    struct weir__rtp_element element;
    if (id == 0 || !weir__rtp_find_element(data, rtp, id, &element) || element.size_bytes < 2) {
        return;
    }
    info->has_transport_seq = true;
    info->transport_seq = (uint16_t)(data[element.offset] << 8 | data[element.offset + 1]);
}

/* A version other than 2 is MALFORMED here: the caller says that this is RTP. */
enum weir_status weir_rtp_info(const uint8_t *data, size_t len, uint8_t transport_seq_id,
                               struct weir_rtp_info *info)
{
    if (info == NULL || (data == NULL && len > 0)) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (len > UINT32_MAX) {
        return WEIR_ERROR_MALFORMED;
    }
    struct weir__rtp rtp;
    enum weir_status status = weir__rtp_parse(data, len, &rtp);
    if (status != WEIR_OK) {
        return status == WEIR_ERROR_UNSUPPORTED ? WEIR_ERROR_MALFORMED : status;
    }
    *info = (struct weir_rtp_info){
        .ssrc = rtp.ssrc,
        .timestamp = rtp.timestamp,
        .seq = rtp.seq,
        .payload_type = rtp.payload_type,
        .marker = rtp.marker,
        .header_bytes = (uint32_t)rtp.payload_offset,
        .payload_bytes = (uint32_t)rtp.payload_bytes,
    };
    read_transport_seq(data, &rtp, transport_seq_id, info);
    return WEIR_OK;
}

/* RFC 2198 3: four bytes for each older block, whose first bit is 1, then one byte. data holds at
 * least the packet that info is of, or the answer is WEIR_ERROR_TRUNCATED. */
enum weir_status weir_rtp_red_payload_type(const uint8_t *data, size_t len,
                                           const struct weir_rtp_info *info, uint8_t *payload_type)
{
    enum { OLDER = 0x80, OLDER_BYTES = 4 };
    if (data == NULL || info == NULL || payload_type == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    size_t at = info->header_bytes;
    size_t end = at + info->payload_bytes;
    while (end <= len && at < end && (data[at] & OLDER) != 0) {
        at += OLDER_BYTES;
    }
    if (end > len || at >= end) {
        return WEIR_ERROR_TRUNCATED;
    }
    *payload_type = data[at];
    return WEIR_OK;
}

/* Changes two bytes in place; id 0 is the padding of extensions and names nothing. */
enum weir_status weir_rtp_set_transport_seq(uint8_t *data, size_t len, uint8_t transport_seq_id,
                                            uint16_t transport_seq)
{
    if (data == NULL || transport_seq_id == 0) {
        return WEIR_ERROR_ARGUMENT;
    }
    return weir__rtp_set_u16(data, len, transport_seq_id, transport_seq);
}
