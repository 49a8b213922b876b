/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element finds along the links of its pipeline: encoders, RTP sessions, other elements. */
#ifndef GST_WEIR_PIPELINE_WALK_H
#define GST_WEIR_PIPELINE_WALK_H

#include <gst/gst.h>

/* Encoders (GstElement, references owned by the array) that feed sinkpad; looked_at (nullable,
 * free with g_free) gets the names of the elements passed on the way, "a, b, c". */
GPtrArray *gst_weir_find_encoders (GstPad *sinkpad, gchar **looked_at);

/* The pad of a real element at the other end of pad's link, however many ghost pads lie between, or
 * NULL. Unref it. */
GstPad *gst_weir_far_pad (GstPad *pad);

/* The RTP session whose pad of that name pad leads to: behind a src pad "send_rtp_sink" or
 * "recv_rtp_sink", before a sink pad "send_rtp_src" or "recv_rtp_src". NULL: none. element
 * (nullable) gets the element that owns it. Unref both. */
GObject *gst_weir_find_rtp_session (GstPad *pad, const gchar *pad_name, GstElement **element);

typedef enum
{
  GST_WEIR_WALK_ON,       /* look behind this element too */
  GST_WEIR_WALK_NOT_PAST, /* not behind this one */
  GST_WEIR_WALK_STOP,     /* found */
} GstWeirWalkNext;

/* pad is the one of element that was entered. */
typedef GstWeirWalkNext (*GstWeirVisit) (GstPad *pad, GstElement *element, gpointer user);

/* Shows visit each element that pad leads to, the nearest first. */
void gst_weir_walk (GstPad *pad, GstWeirVisit visit, gpointer user);

/* The pads that iterator (taken; nullable) yields. Unref it. */
GPtrArray *gst_weir_list_pads (GstIterator *iterator);
gboolean gst_weir_is_made_by (GstElement *element, const gchar *factory_name);
/* Does its class ("Sink/Network/RTP") contain word? */
gboolean gst_weir_has_class (GstElement *element, const gchar *word);

/* Does it send what it takes to the network? */
gboolean gst_weir_is_network_sink (GstElement *element);

/* The nearest encoder behind srcpad, or NULL. */
GstElement *gst_weir_find_encoder_behind (GstPad *srcpad);

/* For iterate_internal_links: pad alone. */
GstIterator *gst_weir_iterate_one (GstPad *pad);

#endif
