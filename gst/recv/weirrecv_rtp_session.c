/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recv/weirrecv_rtp_session.h"

#include <gst/rtp/rtp.h>

#include "common/pipeline_walk.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_recv_debug);
#define GST_CAT_DEFAULT gst_weir_recv_debug

#define AUTO_INTERVAL_NS (50 * GST_MSECOND)
#define RTCP_FRACTION 0.5
#define MAX_REQUEST_DELAY_NS (100 * GST_MSECOND)
#define MAX_PACKET_BYTES 1400

/* --- Its settings --- */

/* Sets a property of the session unless the user did. text: as on a command line. */
static void
set_if_default (GObject *session, const gchar *name, const gchar *text)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (session), name);
  g_auto (GValue) value = G_VALUE_INIT;
  if (spec == NULL) {
    return;
  }
  g_value_init (&value, spec->value_type);
  g_object_get_property (session, name, &value);
  if (g_param_value_defaults (spec, &value)) {
    GST_INFO_OBJECT (session, "setting %s to %s", name, text);
    gst_util_set_object_arg (session, name, text);
  }
}

/* Early RTCP allowed (RFC 4585), half of the session bandwidth for it, transport-wide feedback by
 * time and not by marker bit, and receiver reports as often if they are all there is. */
void
gst_weir_recv_session_configure (GstWeirRecvSession *self, guint64 interval_ns, gboolean reports)
{
  g_autoptr (GObject) session = gst_weir_rtp_session_get (&self->rtp);
  g_autofree gchar *interval
      = g_strdup_printf ("%" G_GUINT64_FORMAT, interval_ns > 0 ? interval_ns : AUTO_INTERVAL_NS);
  if (session == NULL) {
    return;
  }
  set_if_default (session, "rtp-profile", "avpf");
  set_if_default (session, "rtcp-fraction", G_STRINGIFY (RTCP_FRACTION));
  set_if_default (session, "twcc-feedback-interval", interval);
  if (reports) {
    set_if_default (session, "rtcp-min-interval", interval);
  }
}

void
gst_weir_recv_session_request_rtcp (GstWeirRecvSession *self)
{
  g_autoptr (GObject) session = gst_weir_rtp_session_get (&self->rtp);
  gboolean accepted = FALSE;
  if (session != NULL) {
    g_signal_emit_by_name (session, "send-rtcp-full", (guint64) MAX_REQUEST_DELAY_NS, &accepted);
    GST_LOG_OBJECT (session, "early RTCP: %s", accepted ? "soon" : "not allowed yet");
  }
}

/* --- Its RTCP --- */

static gboolean
has_transport_wide_feedback (GstRTCPBuffer *rtcp)
{
  GstRTCPPacket packet;
  gboolean more = gst_rtcp_buffer_get_first_packet (rtcp, &packet);
  for (; more; more = gst_rtcp_packet_move_to_next (&packet)) {
    if (gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_RTPFB
        && gst_rtcp_packet_fb_get_type (&packet) == GST_RTCP_RTPFB_TYPE_TWCC) {
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
gst_weir_recv_session_append (GstWeirReception *reception, GstBuffer *buffer)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp)) {
    return FALSE;
  }
  if (has_transport_wide_feedback (&rtcp)) {
    gst_weir_reception_note_session_report (reception);
  }
  gsize before = rtcp.map.size;
  gsize length;
  do {
    gsize room = MIN (rtcp.map.maxsize - rtcp.map.size, MAX_PACKET_BYTES);
    length = gst_weir_reception_build (reception, TRUE, rtcp.map.data + rtcp.map.size, room);
    rtcp.map.size += length;
  } while (length > 0);
  gboolean appended = rtcp.map.size > before;
  gst_rtcp_buffer_unmap (&rtcp);
  return appended;
}

/* --- Which it is --- */

void
gst_weir_recv_session_look_again (GstWeirRecvSession *self)
{
  g_atomic_int_set (&self->looked, FALSE);
}

/* Behind the element, or before: an auxiliary receiver's packets have passed their session already.
 */
gboolean
gst_weir_recv_session_look (GstWeirRecvSession *self, GstPad *sinkpad, GstPad *srcpad)
{
  if (!g_atomic_int_compare_and_exchange (&self->looked, FALSE, TRUE)) {
    return FALSE;
  }
  GObject *session = gst_weir_find_rtp_session (srcpad, "recv_rtp_sink", NULL);
  if (session == NULL) {
    session = gst_weir_find_rtp_session (sinkpad, "recv_rtp_src", NULL);
  }
  if (session == gst_weir_rtp_session_key (&self->rtp)) {
    g_clear_object (&session);
    return FALSE;
  }
  GST_INFO_OBJECT (self->rtp.element, "feedback goes through %" GST_PTR_FORMAT, (void *) session);
  gst_weir_rtp_session_set (&self->rtp, session);
  return TRUE;
}
