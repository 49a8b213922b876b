/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb-03): PSFB, format 15. */
#ifndef WEIR_CODEC_REMB_H
#define WEIR_CODEC_REMB_H

#include "codec/format.h"

enum weir_status weir__remb_parse(const struct weir__rtcp_packet *packet,
                                  struct weir__bitrate_bound *remb);

/* The bitrate is rounded down to 18 significant bits. */
enum weir_status weir__remb_build(const struct weir__bitrate_bound *remb, uint8_t *buffer,
                                  size_t capacity_bytes, size_t *size_bytes);

#endif
