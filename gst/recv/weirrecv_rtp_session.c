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

void
gst_weir_recv_rtp_session_init (GstWeirRecvSession *self, GstElement *element,
                                const GstWeirRecvSessionEvents *events)
{
  *self = (GstWeirRecvSession){ .element = element, .events = events };
  g_mutex_init (&self->lock);
}

void
gst_weir_recv_rtp_session_clear (GstWeirRecvSession *self)
{
  gst_weir_recv_rtp_session_leave (self);
  g_mutex_clear (&self->lock);
}

GObject *
gst_weir_recv_rtp_session_get (GstWeirRecvSession *self)
{
  g_mutex_lock (&self->lock);
  GObject *session = self->object != NULL ? g_object_ref (self->object) : NULL;
  g_mutex_unlock (&self->lock);
  return session;
}

gboolean
gst_weir_recv_rtp_session_exists (GstWeirRecvSession *self)
{
  g_mutex_lock (&self->lock);
  gboolean exists = self->object != NULL;
  g_mutex_unlock (&self->lock);
  return exists;
}

/* --- Its settings --- */

/* Sets a property of the session unless the user did. text: as on a command line. */
static void
set_if_default (GObject *session, const gchar *name, const gchar *text)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (session), name);
  GValue value = G_VALUE_INIT;
  if (spec == NULL) {
    return;
  }
  g_value_init (&value, spec->value_type);
  g_object_get_property (session, name, &value);
  if (g_param_value_defaults (spec, &value)) {
    GST_INFO_OBJECT (session, "setting %s to %s", name, text);
    gst_util_set_object_arg (session, name, text);
  }
  g_value_unset (&value);
}

/* Early RTCP allowed (RFC 4585), half of the session bandwidth for it, transport-wide feedback by
 * time and not by marker bit, and receiver reports as often if they are all there is. */
void
gst_weir_recv_rtp_session_configure (GstWeirRecvSession *self, guint64 interval_ns,
                                     gboolean reports)
{
  GObject *session = gst_weir_recv_rtp_session_get (self);
  gchar *interval
      = g_strdup_printf ("%" G_GUINT64_FORMAT, interval_ns > 0 ? interval_ns : AUTO_INTERVAL_NS);
  if (session != NULL) {
    set_if_default (session, "rtp-profile", "avpf");
    set_if_default (session, "rtcp-fraction", G_STRINGIFY (RTCP_FRACTION));
    set_if_default (session, "twcc-feedback-interval", interval);
    if (reports) {
      set_if_default (session, "rtcp-min-interval", interval);
    }
  }
  g_clear_object (&session);
  g_free (interval);
}

void
gst_weir_recv_rtp_session_request_rtcp (GstWeirRecvSession *self)
{
  GObject *session = gst_weir_recv_rtp_session_get (self);
  gboolean accepted = FALSE;
  if (session != NULL) {
    g_signal_emit_by_name (session, "send-rtcp-full", (guint64) MAX_REQUEST_DELAY_NS, &accepted);
    GST_LOG_OBJECT (session, "early RTCP: %s", accepted ? "soon" : "not allowed yet");
  }
  g_clear_object (&session);
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

/* TRUE: something was appended to the packet under way. */
static gboolean
append_feedback (GstWeirRecvSession *self, GstRTCPBuffer *rtcp)
{
  gsize before = rtcp->map.size;
  gsize length;
  do {
    gsize room = MIN (rtcp->map.maxsize - rtcp->map.size, MAX_PACKET_BYTES);
    length = self->events->append (self->element, rtcp->map.data + rtcp->map.size, room);
    rtcp->map.size += length;
  } while (length > 0);
  return rtcp->map.size > before;
}

/* The session is about to send an RTCP packet, which is writable. TRUE: it must not be held back.
 */
static gboolean
on_sending_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *buffer, G_GNUC_UNUSED gboolean early,
                 GstWeirRecvSession *self)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp)) {
    return FALSE;
  }
  if (has_transport_wide_feedback (&rtcp)) {
    self->events->on_packets_reported (self->element);
  }
  gboolean appended = append_feedback (self, &rtcp);
  gst_rtcp_buffer_unmap (&rtcp);
  return appended;
}

/* Sender reports and BYE matter to the receiver too. */
static void
on_receiving_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *buffer, GstWeirRecvSession *self)
{
  self->events->on_rtcp (self->element, buffer);
}

/* --- Which it is --- */

static void
release (gpointer self, G_GNUC_UNUSED GClosure *closure)
{
  gst_object_unref (((GstWeirRecvSession *) self)->element);
}

/* A handler that still runs when we leave must find the element alive. */
static void
connect_signal (GstWeirRecvSession *self, GObject *session, const gchar *signal, GCallback handler)
{
  gst_object_ref (self->element);
  g_signal_connect_data (session, signal, handler, self, release, 0);
}

/* Takes session, which may be NULL. */
static void
join (GstWeirRecvSession *self, GObject *session)
{
  if (session != NULL) {
    GST_INFO_OBJECT (self->element, "feedback goes through %" GST_PTR_FORMAT, (void *) session);
    connect_signal (self, session, "on-sending-rtcp", G_CALLBACK (on_sending_rtcp));
    connect_signal (self, session, "on-receiving-rtcp", G_CALLBACK (on_receiving_rtcp));
  }
  g_mutex_lock (&self->lock);
  self->object = session;
  g_mutex_unlock (&self->lock);
}

void
gst_weir_recv_rtp_session_leave (GstWeirRecvSession *self)
{
  g_mutex_lock (&self->lock);
  GObject *session = g_steal_pointer (&self->object);
  g_mutex_unlock (&self->lock);
  if (session != NULL) {
    g_signal_handlers_disconnect_by_data (session, self);
    g_object_unref (session);
  }
}

void
gst_weir_recv_rtp_session_look_again (GstWeirRecvSession *self)
{
  g_atomic_int_set (&self->looked, FALSE);
}

/* Behind the element, or before: an auxiliary receiver's packets have passed their session already.
 */
gboolean
gst_weir_recv_rtp_session_look (GstWeirRecvSession *self, GstPad *sinkpad, GstPad *srcpad)
{
  if (!g_atomic_int_compare_and_exchange (&self->looked, FALSE, TRUE)) {
    return FALSE;
  }
  GObject *session = gst_weir_find_rtp_session (srcpad, "recv_rtp_sink", NULL);
  if (session == NULL) {
    session = gst_weir_find_rtp_session (sinkpad, "recv_rtp_src", NULL);
  }
  if (session == self->object) { /* which only this thread changes */
    g_clear_object (&session);
    return FALSE;
  }
  gst_weir_recv_rtp_session_leave (self);
  join (self, session);
  return TRUE;
}
