/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each packet on a sink pad is: media or repair, of which kind, from which encoder. */
#ifndef GST_WEIR_SEND_STREAMS_H
#define GST_WEIR_SEND_STREAMS_H

#include "common/rtp_caps.h"

/* One SSRC and payload type, as far as they are known. */
typedef struct
{
  GstWeirRtpCaps caps;
  gboolean red;     /* RFC 2198: what a packet carries stands in its payload */
  GWeakRef encoder; /* GstElement; nothing: none or no single one was found */
  GWeakRef keeper;  /* GstElement, an rtprtxsend that keeps its packets */
  guint packets;    /* since they were counted last */
} GstWeirStream;

/* What an rtprtxsend upstream keeps, to send it again. */
typedef struct
{
  gchar name[64]; /* of the element; empty: there is none, or nobody has asked it for a packet */
  gint64 time_ns; /* for how long, at the rate at which packets come */
} GstWeirKept;

typedef struct _GstWeirStreams GstWeirStreams;

/* Not safe for threads: made and freed while no data flows, else used by the streaming thread of
 * sinkpad alone, without the session lock (find may walk through the pipeline). */
GstWeirStreams *gst_weir_streams_new (GstPad *sinkpad);
void gst_weir_streams_free (GstWeirStreams *streams);

/* The pipeline has changed: the next find walks again. */
void gst_weir_streams_forget (GstWeirStreams *streams);
/* The sink pad's own caps. FALSE: they only switch to a stream that is known. */
gboolean gst_weir_streams_set_caps (GstWeirStreams *streams, const GstWeirRtpCaps *caps);

/* Do more streams than one come in, of different payloaders? */
gboolean gst_weir_streams_has_several (const GstWeirStreams *streams);

/* What a packet of that SSRC and payload type is; never NULL, valid until the next call. walked
 * (nullable) is set to TRUE when the pipeline was looked at anew. */
GstWeirStream *gst_weir_streams_find (GstWeirStreams *streams, guint32 ssrc, guint8 payload_type,
                                      gboolean *walked);

/* The shortest that is kept of any stream, by the packets found in the last second. FALSE: that is
 * not over. */
gboolean gst_weir_streams_measure_kept (GstWeirStreams *streams, gint64 now_ns, GstWeirKept *kept);

#endif
