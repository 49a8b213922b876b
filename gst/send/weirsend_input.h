/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pad: what comes in and what each packet is. */
#ifndef GST_WEIR_SEND_INPUT_H
#define GST_WEIR_SEND_INPUT_H

#include "common/rtp_caps.h"
#include "send/weirsend_segment.h"
#include "send/weirsend_streams.h"

G_BEGIN_DECLS

typedef struct
{
  GstPad *pad;
  GstWeirStreams *streams; /* without the lock */
  gboolean streams_walked; /* without the lock: what feeds us was looked at again */
  gint64 looked_ns; /* without the lock: when we last looked although nothing called for it */
  guint8 transport_seq_id; /* without the lock: of the packet before */
  gint pipeline_changed;   /* atomic: what feeds us may be another */
  GstWeirRtpCaps caps;
  guint32 ssrc; /* of the packet before */
  gboolean has_ssrc;
  gboolean several_ssrcs;
  GstWeirSegments segments;
  guint32 frame_ssrc, frame_timestamp; /* the frame last seen to be a key frame */
  gboolean has_key_frame;
  gboolean live; /* upstream keeps its own pace: never wait for room */
  gboolean ask_live;
  gint64 key_unit_ns; /* the last request; WEIR_UNKNOWN_NS */
  gboolean key_unit_wanted;
  guint key_unit_count;
  gboolean caps_refused; /* and an error posted; no good ones have come since */
  guint64 malformed_packets;
} GstWeirInput;

G_END_DECLS

#endif
