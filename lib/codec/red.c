/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/red.h"

/* RFC 2198 3: four bytes for each older block, whose first bit is 1, then one byte. */
enum weir_status weir__red_payload_type(const uint8_t *payload, size_t size_bytes,
                                        uint8_t *payload_type)
{
    enum { OLDER = 0x80, OLDER_BYTES = 4 };
    size_t at = 0;
    while (at < size_bytes && (payload[at] & OLDER) != 0) {
        at += OLDER_BYTES;
    }
    if (at >= size_bytes) {
        return WEIR_ERROR_TRUNCATED;
    }
    *payload_type = payload[at];
    return WEIR_OK;
}
