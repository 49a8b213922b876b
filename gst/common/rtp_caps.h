/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read from the caps of an RTP stream. */
#ifndef GST_WEIR_RTP_CAPS_H
#define GST_WEIR_RTP_CAPS_H

#include <gst/gst.h>

typedef enum
{
  GST_WEIR_KIND_UNKNOWN, /* treated as video */
  GST_WEIR_KIND_AUDIO,
  GST_WEIR_KIND_VIDEO,
} GstWeirKind;

typedef struct
{
  guint32 clock_rate_hz; /* 0: not in the caps */
  guint32 ssrc;
  gboolean has_ssrc;
  guint8 payload_type;
  gboolean has_payload_type;
  guint8 transport_seq_id; /* header extension id of the transport-wide number, 0: none */
  GstWeirKind kind;
  gboolean repair;    /* a retransmission or FEC (of that kind) */
  gboolean key_flags; /* a buffer without DELTA_UNIT belongs to a key frame */
} GstWeirRtpCaps;

/* Fills *parsed. FALSE: not RTP; *parsed is untouched and *why (nullable; free it) says what to do.
 */
gboolean gst_weir_rtp_caps_parse (const GstCaps *caps, GstWeirRtpCaps *parsed, gchar **why);

#endif
