/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP pads of an element, one rtcp_sink and one rtcp_src at most, which are there on request.
 * With a key both carry SRTCP, and what does not authenticate is dropped. rtcp_src has a queue and
 * a task of its own, so that a sink that blocks (preroll) holds up neither the media nor the RTCP
 * that comes in. */
#ifndef GST_WEIR_RTCP_PADS_H
#define GST_WEIR_RTCP_PADS_H

#include "srtp/srtcp.h"
#include <gst/gst.h>

/* What the element hears, with no lock of the pads held. */
typedef struct
{
  /* A packet came in, in the clear; it is only lent. */
  void (*on_rtcp) (GstElement *element, GstBuffer *rtcp);
  /* There is a new pad, or something else is linked to one. */
  void (*on_change) (GstElement *element);
} GstWeirRtcpEvents;

typedef struct
{
  GstElement *element; /* not owned: the pads are a part of it */
  GstClock *clock;     /* of the element, not owned */
  const GstWeirRtcpEvents *events;
  GstWeirSrtcp srtcp; /* of both pads; locks itself */

  GMutex activation; /* held, before the lock, while the task is started or may not be any more */
  GMutex lock;       /* protects all below; only that of a pad is taken under it */
  GstPad *sinkpad, *srcpad; /* NULL until requested; not owned */
  gboolean srcpad_leaves;   /* it is being released */
  gboolean runs;            /* between start and stop */
  gboolean passes;          /* what comes in on rtcp_sink goes out on rtcp_src */
  gboolean ended;           /* nothing leaves on rtcp_src any more but EOS */
  gboolean flushing;
  GCond wake;
  GQueue waiting; /* GstBuffer, or GstEvent (EOS), to leave on rtcp_src; owned */
} GstWeirRtcpPads;

/* Of rtcp_sink and rtcp_src. */
void gst_weir_rtcp_pads_add_templates (GstElementClass *klass);

void gst_weir_rtcp_pads_init (GstWeirRtcpPads *self, GstElement *element, GstClock *clock,
                              const GstWeirRtcpEvents *events);
void gst_weir_rtcp_pads_clear (GstWeirRtcpPads *self);

/* A run begins: before the pads are activated. FALSE: *why (free it) says what is wrong with the
 * SRTP settings. */
gboolean gst_weir_rtcp_pads_start (GstWeirRtcpPads *self, gchar **why);
/* After they were deactivated: a pad that is requested meanwhile may be active for longer than the
 * run, but its task is not. */
void gst_weir_rtcp_pads_stop (GstWeirRtcpPads *self);

/* For request_new_pad: NULL when there is such a pad already. */
GstPad *gst_weir_rtcp_pads_request (GstWeirRtcpPads *self, GstPadTemplate *templ);
void gst_weir_rtcp_pads_release (GstWeirRtcpPads *self, GstPad *pad);

/* Is something linked to the pad of that direction? */
gboolean gst_weir_rtcp_pads_linked (GstWeirRtcpPads *self, GstPadDirection direction);
/* rtcp_src or NULL; unref it. */
GstPad *gst_weir_rtcp_pads_get_srcpad (GstWeirRtcpPads *self);
void gst_weir_rtcp_pads_set_passing (GstWeirRtcpPads *self, gboolean passes);

/* A packet of our own (taken, in the clear) leaves on rtcp_src, if there is one. Never waits.
 * Returns what it displaced, or NULL: to be freed with no lock held, as that may run foreign code.
 */
GstMiniObject *gst_weir_rtcp_pads_push (GstWeirRtcpPads *self, GstBuffer *rtcp);
/* The stream of rtcp_src ends, or a new one may begin. */
void gst_weir_rtcp_pads_set_ended (GstWeirRtcpPads *self, gboolean ended);

/* Warns, once a minute at most, that packets were refused. */
void gst_weir_rtcp_pads_warn_of_refused (GstWeirRtcpPads *self);

#endif
