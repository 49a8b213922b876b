/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What weirscale, before an encoder, asks of the weirsend behind it: what may that encoder make,
 * and what has it made so far? It tells which picture the encoder gets meanwhile. A custom query
 * downstream, which encoders, payloaders and queues pass on: nothing else connects the two. */
#ifndef GST_WEIR_RATE_QUERY_H
#define GST_WEIR_RATE_QUERY_H

#include <gst/gst.h>

/* The question. */
typedef struct
{
  gint width, height;  /* pixels */
  gint fps_n, fps_d;   /* frames per second; 0/1: not known */
  const gchar *reason; /* why it is no larger, a static text */
  GstElement *encoder; /* that gets it; not owned, NULL: not found */
} GstWeirRatePicture;

/* The answer. */
typedef struct
{
  gint64 target_bps;   /* of media */
  guint64 media_bytes; /* since any moment */
} GstWeirRate;

/* Such as "960x540@30"; to be freed. */
gchar *gst_weir_rate_picture_text (const GstWeirRatePicture *picture);

/* Asks whatever is behind srcpad. FALSE: nobody knows. */
gboolean gst_weir_rate_query_ask (GstPad *srcpad, const GstWeirRatePicture *picture,
                                  GstWeirRate *rate);
/* Whether query is one of these, and then its question, which lives as long as query. */
gboolean gst_weir_rate_query_parse (GstQuery *query, GstWeirRatePicture *picture);
void gst_weir_rate_query_answer (GstQuery *query, const GstWeirRate *rate);

#endif
