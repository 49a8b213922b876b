/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/rate_query.h"

#define NAME "weir-rate"

gchar *
gst_weir_rate_picture_text (const GstWeirRatePicture *picture)
{
  GString *text = g_string_new (NULL);
  g_string_printf (text, "%dx%d", picture->width, picture->height);
  if (picture->fps_n > 0) {
    g_string_append_printf (text, "@%.4g", (gdouble) picture->fps_n / picture->fps_d);
  }
  return g_string_free (text, FALSE);
}

gboolean
gst_weir_rate_query_ask (GstPad *srcpad, const GstWeirRatePicture *picture, GstWeirRate *rate)
{
  GstStructure *question = gst_structure_new (
      NAME, "width", G_TYPE_INT, picture->width, "height", G_TYPE_INT, picture->height, "framerate",
      GST_TYPE_FRACTION, picture->fps_n, picture->fps_d, "reason", G_TYPE_STRING, picture->reason,
      "encoder", GST_TYPE_ELEMENT, picture->encoder, NULL);
  g_autoptr (GstQuery) query = gst_query_new_custom (GST_QUERY_CUSTOM, question);
  return gst_pad_peer_query (srcpad, query)
         && gst_structure_get (gst_query_get_structure (query), "target-bitrate", G_TYPE_INT64,
                               &rate->target_bps, "media-bytes", G_TYPE_UINT64, &rate->media_bytes,
                               NULL);
}

gboolean
gst_weir_rate_query_parse (GstQuery *query, GstWeirRatePicture *picture)
{
  const GstStructure *question = gst_query_get_structure (query);
  if (GST_QUERY_TYPE (query) != GST_QUERY_CUSTOM || question == NULL
      || !gst_structure_has_name (question, NAME)) {
    return FALSE;
  }
  *picture = (GstWeirRatePicture){ .fps_d = 1 };
  gst_structure_get (question, "width", G_TYPE_INT, &picture->width, "height", G_TYPE_INT,
                     &picture->height, "framerate", GST_TYPE_FRACTION, &picture->fps_n,
                     &picture->fps_d, NULL);
  const GValue *encoder = gst_structure_get_value (question, "encoder");
  if (encoder != NULL && G_VALUE_HOLDS (encoder, GST_TYPE_ELEMENT)) {
    picture->encoder = g_value_get_object (encoder);
  }
  picture->reason = g_intern_string (gst_structure_get_string (question, "reason"));
  return TRUE;
}

void
gst_weir_rate_query_answer (GstQuery *query, const GstWeirRate *rate)
{
  gst_structure_set (gst_query_writable_structure (query), "target-bitrate", G_TYPE_INT64,
                     rate->target_bps, "media-bytes", G_TYPE_UINT64, rate->media_bytes, NULL);
}
