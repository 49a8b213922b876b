/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RED, redundant audio data (RFC 2198), which WebRTC wraps around FEC and media alike. */
#ifndef WEIR_CODEC_RED_H
#define WEIR_CODEC_RED_H

#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

/* Payload type of the newest block of a RED payload. WEIR_ERROR_TRUNCATED, and *payload_type is
 * untouched, when the block headers do not end in it. */
enum weir_status weir__red_payload_type(const uint8_t *payload, size_t size_bytes,
                                        uint8_t *payload_type);

#endif
