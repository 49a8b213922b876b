/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What fills a probe of the session where the encoder has made too little: copies of the packets
 * that left last. An rtprtxsend upstream keeps them and sends them as retransmissions, which every
 * receiver drops that has the packet. Where there is none, nothing comes. */
#ifndef GST_WEIR_SEND_FILL_H
#define GST_WEIR_SEND_FILL_H

#include <gst/gst.h>

/* A probe has 15 kB at the most. */
#define GST_WEIR_FILL_MAX 16

typedef struct
{
  guint32 ssrc;
  guint16 seq;
  guint32 wire_bytes;
} GstWeirFillPacket;

/* Not safe for threads. Zero is one that is off. */
typedef struct
{
  gboolean on;
  GstWeirFillPacket recent[GST_WEIR_FILL_MAX]; /* that left, a ring */
  guint64 n_left;
  gint64 asked_bytes; /* of copies for this probe */
  guint n_asked;
  guint n_awaited; /* of these, copies that have not left yet */
} GstWeirFill;

/* A new run: what left before is no longer kept upstream. Whether it is on stays. */
void gst_weir_fill_reset (GstWeirFill *self);
/* A packet of media left. */
void gst_weir_fill_on_media (GstWeirFill *self, const GstWeirFillPacket *packet);
/* Repair is about to leave. TRUE: it is a copy for the probe. */
gboolean gst_weir_fill_on_repair (GstWeirFill *self);
/* What to ask for when no media waits and the probe still lacks left_bytes (0: there is none).
 * Fills packets, and returns how many. */
guint gst_weir_fill_plan (GstWeirFill *self, gint64 left_bytes,
                          GstWeirFillPacket packets[GST_WEIR_FILL_MAX]);
/* The event that asks for a copy, to be sent upstream. */
GstEvent *gst_weir_fill_make_request (const GstWeirFillPacket *packet);

#endif
