/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP pads of weirrecv. With a key both carry SRTCP, and what does not authenticate is
 * dropped. */
#include "recv/weirrecv.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_recv_debug);
#define GST_CAT_DEFAULT gst_weir_recv_debug

static void
warn_of_refused (GstWeirRecv *recv)
{
  gchar *text = gst_weir_srtcp_take_warning (&recv->srtcp, gst_weir_recv_now_ns (recv));

  if (text != NULL)
    GST_ELEMENT_WARNING_WITH_DETAILS (recv, STREAM, DECRYPT, ("%s", text), (NULL),
                                      ("weir-warning", G_TYPE_STRING, "srtcp", NULL));
  g_free (text);
}

/* Takes the packet; NULL: it was not from the peer. */
void
gst_weir_recv_take_rtcp (GstWeirRecv *recv, GstBuffer *buffer)
{
  GstMapInfo map;

  if (buffer == NULL) {
    warn_of_refused (recv);
    return;
  }
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_mutex_lock (&recv->lock);
    if (recv->receiver != NULL) {
      weir_receiver_on_rtcp (recv->receiver, gst_weir_recv_now_ns (recv), map.data, map.size);
      gst_weir_recv_feedback_kick_locked (recv);
    }
    g_mutex_unlock (&recv->lock);
    gst_buffer_unmap (buffer, &map);
  }
  gst_buffer_unref (buffer);
}

static GstFlowReturn
rtcp_chain (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstWeirRecv *recv = GST_WEIR_RECV (parent);

  gst_weir_recv_take_rtcp (recv, gst_weir_srtcp_open (&recv->srtcp, buffer));
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* RTCP in has nothing to do with RTCP out, nor with the media. */
static gboolean
rtcp_event (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static GstIterator *
rtcp_links (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstObject *parent)
{
  return NULL;
}

static gboolean
rtcp_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
    return TRUE;
  }
  if (GST_PAD_IS_SRC (pad) && gst_weir_srtcp_answer_caps (&GST_WEIR_RECV (parent)->srtcp, query))
    return TRUE;
  return gst_pad_query_default (pad, parent, query);
}

GstPad *
gst_weir_recv_request_new_pad (GstElement *element, GstPadTemplate *templ,
                               G_GNUC_UNUSED const gchar *name, G_GNUC_UNUSED const GstCaps *caps)
{
  GstWeirRecv *recv = GST_WEIR_RECV (element);
  gboolean is_sink = GST_PAD_TEMPLATE_DIRECTION (templ) == GST_PAD_SINK;
  GstPad **slot = is_sink ? &recv->rtcp_sinkpad : &recv->rtcp_srcpad;
  GstPad *pad;

  g_mutex_lock (&recv->lock);
  if (*slot != NULL) {
    g_mutex_unlock (&recv->lock);
    GST_WARNING_OBJECT (recv, "there is only one %s", GST_PAD_TEMPLATE_NAME_TEMPLATE (templ));
    return NULL;
  }
  g_mutex_unlock (&recv->lock);
  pad = gst_pad_new_from_template (templ, GST_PAD_TEMPLATE_NAME_TEMPLATE (templ));
  gst_pad_set_iterate_internal_links_function (pad, rtcp_links);
  if (is_sink) {
    gst_pad_set_chain_function (pad, rtcp_chain);
    gst_pad_set_event_function (pad, rtcp_event);
  } else {
    gst_pad_set_query_function (pad, rtcp_query);
    gst_pad_set_event_function (pad, rtcp_event);
    gst_pad_use_fixed_caps (pad);
  }
  gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (element, pad);
  g_mutex_lock (&recv->lock);
  *slot = pad;
  recv->rtcp_started &= is_sink;
  gst_weir_recv_feedback_kick_locked (recv);
  g_mutex_unlock (&recv->lock);
  return pad;
}

void
gst_weir_recv_release_pad (GstElement *element, GstPad *pad)
{
  GstWeirRecv *recv = GST_WEIR_RECV (element);

  g_mutex_lock (&recv->lock);
  if (recv->rtcp_sinkpad == pad)
    recv->rtcp_sinkpad = NULL;
  if (recv->rtcp_srcpad == pad)
    recv->rtcp_srcpad = NULL;
  g_mutex_unlock (&recv->lock);
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (element, pad);
}
