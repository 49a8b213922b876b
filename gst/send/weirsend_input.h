/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pad: what comes in, what each packet is, and how it goes into the send queue. */
#ifndef GST_WEIR_SEND_INPUT_H
#define GST_WEIR_SEND_INPUT_H

#include "common/rtp_caps.h"
#include "encoder/encoder.h"
#include "repair/repair.h"
#include "send/weirsend_pacer.h"
#include "send/weirsend_report.h"
#include "send/weirsend_segment.h"
#include "send/weirsend_streams.h"

/* What the input tells the element, from its streaming thread, with no lock held. */
typedef struct
{
  /* The pad has other caps. */
  void (*on_caps) (GstElement *element, const GstWeirRtpCaps *caps);
  /* What feeds us may have other encoders. */
  void (*on_streams) (GstElement *element);
  /* A custom event came downstream: an RTP session before us may tell results this way. */
  void (*on_custom_event) (GstElement *element, GstEvent *event);
} GstWeirInputEvents;

/* The frame last seen to be a key frame. */
typedef struct
{
  gboolean known;
  guint32 ssrc, timestamp;
} GstWeirKeyFrame;

/* What others may ask for. */
typedef struct
{
  GstWeirRtpCaps caps;       /* of the pad */
  GstWeirKept kept;          /* what can be sent again */
  guint64 malformed_packets; /* buffers that were no RTP packets */
} GstWeirSeen;

typedef struct
{
  GstPad *pad;         /* the element's */
  GstElement *element; /* not owned, nor the next five */
  GstWeirSendQueue *queue;
  GstWeirPacer *pacer;
  GstWeirEncoders *encoders;
  GstWeirRepair *repair;
  GstWeirReport *report;
  const GstWeirInputEvents *events;
  gint pipeline_changed; /* atomic: what feeds us may be another */

  /* The streaming thread's alone. */
  GstWeirStreams *streams;
  gboolean streams_walked; /* what feeds us was looked at again */
  gint64 looked_ns;        /* when we last looked although nothing called for it */
  guint8 transport_seq_id; /* of the packet before */
  guint32 ssrc;            /* of the packet before ... */
  gboolean has_ssrc;       /* ... if there was one */
  GstWeirSegments segments;
  GstWeirKeyFrame key_frame;
  gboolean ask_live;        /* whether upstream keeps its own pace */
  gint64 key_unit_ns;       /* the last request for a key frame; WEIR_UNKNOWN_NS */
  gboolean key_unit_wanted; /* another one */
  guint key_unit_count;
  gboolean caps_refused; /* and an error posted; no good ones have come since */

  GMutex lock; /* protects seen; nothing is locked under it */
  GstWeirSeen seen;
} GstWeirInput;

/* Takes over the sink pad. */
void gst_weir_input_init (GstWeirInput *self, GstPad *pad, GstElement *element,
                          GstWeirSendQueue *queue, GstWeirPacer *pacer, GstWeirEncoders *encoders,
                          GstWeirRepair *repair, GstWeirReport *report,
                          const GstWeirInputEvents *events);
void gst_weir_input_clear (GstWeirInput *self);

/* A run begins: before the pads are activated. */
void gst_weir_input_start (GstWeirInput *self);

/* Something was linked or unlinked. */
void gst_weir_input_look_again (GstWeirInput *self);
/* Is something linked to the sink pad? The ghost pad of a bin around us is not enough. */
gboolean gst_weir_input_is_fed (const GstWeirInput *self);
/* As of now. */
GstWeirSeen gst_weir_input_get_seen (GstWeirInput *self);

#endif
