/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a datagram. Elements stay in their block; what is set is read back; nothing else changes.
 */
#include <string.h>

#include "check.h"
#include "codec/bytes.h"
#include "codec/rtp.h"
#include "weir/rtcp.h"

/* Overwrites an element in a copy, which must then differ in those bytes only. */
static void check_set(const uint8_t *data, size_t size, const struct weir__rtp *rtp, uint8_t id)
{
    struct weir__rtp_element element;
    if (!weir__rtp_find_element(data, rtp, id, &element) || element.size_bytes < 2) {
        return;
    }
    uint8_t *copy = malloc(size);
    CHECK(copy != NULL);
    memcpy(copy, data, size);
    CHECK(weir__rtp_set_u16(copy, size, id, 0xa55a) == WEIR_OK);
    CHECK(weir__get_u16(copy + element.offset) == 0xa55a);
    memcpy(copy + element.offset, data + element.offset, 2);
    CHECK(memcmp(copy, data, size) == 0);
    free(copy);
}

/* What a session is told says the same, and RED inside names a type within the payload. */
static void check_info(const uint8_t *data, size_t size, const struct weir__rtp *rtp, uint8_t id)
{
    struct weir_rtp_info info;
    struct weir__rtp_element element;
    uint8_t payload_type = 128;
    CHECK(weir_rtp_info(data, size, id, &info) == WEIR_OK);
    CHECK(info.ssrc == rtp->ssrc && info.seq == rtp->seq && info.timestamp == rtp->timestamp);
    CHECK(info.header_bytes + info.payload_bytes + rtp->padding_bytes == size);
    bool found = weir__rtp_find_element(data, rtp, id, &element) && element.size_bytes >= 2;
    CHECK(info.has_transport_seq == found);
    CHECK(!found || info.transport_seq == weir__get_u16(data + element.offset));
    enum weir_status status = weir_rtp_red_payload_type(data, size, &info, &payload_type);
    CHECK((status == WEIR_OK) == (payload_type < 128));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir__rtp rtp;
    struct weir__rtp_elements elements;
    struct weir__rtp_element element;
    weir_datagram_kind(data, size);
    if (weir__rtp_parse(data, size, &rtp) != WEIR_OK) {
        return 0;
    }
    CHECK(rtp.payload_offset + rtp.payload_bytes + rtp.padding_bytes == size);
    weir__rtp_elements_init(&elements, data, &rtp);
    while (weir__rtp_elements_next(&elements, &element)) {
        CHECK(element.id != 0);
        CHECK(element.offset > rtp.extension_offset);
        CHECK(element.offset + element.size_bytes <= rtp.extension_offset + rtp.extension_bytes);
        check_set(data, size, &rtp, element.id);
        check_info(data, size, &rtp, element.id);
    }
    check_info(data, size, &rtp, 200);
    return 0;
}
