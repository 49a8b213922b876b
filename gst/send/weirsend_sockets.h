/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sockets that the packets leave by, found behind the src pad, and the ECN field they send
 * with. Before a weirlink or weirrecv in the same pipeline there is none: it reads the field in
 * metadata. One thread at a time uses it: the pacing task, and whoever stops it once that is gone.
 */
#ifndef GST_WEIR_SEND_SOCKETS_H
#define GST_WEIR_SEND_SOCKETS_H

#include "weir/ecn.h"
#include <gio/gio.h>
#include <gst/gst.h>

typedef struct
{
  GPtrArray *sockets; /* of GSocket; in use by the sinks behind us */
  gboolean attaches;  /* metadata to each packet (common/tos_meta.h) */
  enum weir_ecn ecn;  /* what they send with */
  gboolean wants;     /* they know it; before our first packet it is nobody's concern */
  gint changes;       /* of sockets that we know of: another weirsend may use ours */
  gboolean waits;     /* a sink has not opened its socket yet, and does not say when it does */
  gint64 retry_ns;    /* while it waits: not before then is it looked at again */
  gboolean used;      /* a packet was pushed to them */
  gboolean told;      /* why not */
  gchar *why_not;     /* they cannot send with anything: why; NULL: they can */
} GstWeirSockets;

void gst_weir_sockets_init (GstWeirSockets *self);
void gst_weir_sockets_clear (GstWeirSockets *self);

/* Looks for them. TRUE: they are others than before, and their packets are not ECN-capable yet. */
gboolean gst_weir_sockets_look (GstWeirSockets *self, GstPad *srcpad);

/* Can packets leave ECN-capable, so far as is known? */
gboolean gst_weir_sockets_can (const GstWeirSockets *self);

/* Why they cannot, once (free it). NULL: they can, that was told, or nothing has left yet: what is
 * behind us may still be built, and hold packets until it is. */
gchar *gst_weir_sockets_take_complaint (GstWeirSockets *self);

/* A packet was pushed to them. TRUE: look again, a sink may have opened its socket by now. */
gboolean gst_weir_sockets_on_push (GstWeirSockets *self, gint64 now_ns);

/* Packets from here on leave with ecn. FALSE: that failed, they leave with NOT_ECT, and why_not
 * says why. */
gboolean gst_weir_sockets_set (GstWeirSockets *self, enum weir_ecn ecn);

/* Takes packet and returns it, or a copy, with metadata if somebody reads it. */
GstBuffer *gst_weir_sockets_attach (const GstWeirSockets *self, GstBuffer *packet);

/* The sockets send as they did before they were found. */
void gst_weir_sockets_forget (GstWeirSockets *self);

#endif
