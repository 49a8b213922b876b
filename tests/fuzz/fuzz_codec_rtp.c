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
    }
    return 0;
}
