/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A key, and what SRTCP must look like under it. */
#ifndef SRTP_DATA_H
#define SRTP_DATA_H

#include "srtp/srtp_context.h"

/* 16 10 ... 2d; its first 28 bytes are the key for AES-GCM. */
#define KEY_HEX "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d"
#define GCM_KEY_HEX "101112131415161718191a1b1c1d1e1f202122232425262728292a2b"
#define OTHER_KEY_HEX "ff1112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d"
#define OTHER_GCM_KEY_HEX "ff1112131415161718191a1b1c1d1e1f202122232425262728292a2b"

static const guint8 key_bytes[GST_WEIR_SRTP_MAX_KEY_BYTES]
    = { 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e,
        0x1f, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d };

/* A receiver report of SSRC 0x01020304 on 0x11223344. */
static const guint8 plain_report[] = { 0x81, 0xc9, 0,    0x07, 0x01, 0x02, 0x03, 0x04,
                                       0x11, 0x22, 0x33, 0x44, 0x01, 0x00, 0x00, 0x02,
                                       0,    0,    0,    0x03, 0,    0,    0,    0x04,
                                       0,    0,    0,    0x05, 0,    0,    0,    0x06 };

#endif
