/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weirrecv in front of a stock RTP session, or right behind it: the session's own feedback is made
 * prompt, and what it does not know (RFC 8888, REMB) rides in its RTCP. */
#include "recv/weirrecv.h"

#include <gst/rtp/rtp.h>

#include "common/pipeline_walk.h"
#include "weir/rtcp.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_recv_debug);
#define GST_CAT_DEFAULT gst_weir_recv_debug

#define AUTO_INTERVAL_NS (50 * GST_MSECOND)
#define RTCP_FRACTION 0.5
#define LONGEST_REQUEST_DELAY (100 * GST_MSECOND)
#define PACKET_MAX_BYTES 1400
#define SESSION_SILENCE_NS WEIR_SECONDS (1)

/* Sets a property of the session unless the user did. */
static void
set_if_default (GObject *session, const gchar *name, const GValue *wanted)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (session), name);
  GValue now = G_VALUE_INIT;

  if (spec == NULL)
    return;
  g_value_init (&now, spec->value_type);
  g_object_get_property (session, name, &now);
  if (g_param_value_defaults (spec, &now)) {
    gchar *text = g_strdup_value_contents (wanted);
    GST_INFO_OBJECT (session, "setting %s to %s", name, text);
    g_free (text);
    g_object_set_property (session, name, wanted);
  }
  g_value_unset (&now);
}

static void
set_enum (GObject *session, const gchar *name, const gchar *nick)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (session), name);
  GValue value = G_VALUE_INIT;

  if (spec == NULL)
    return;
  g_value_init (&value, spec->value_type);
  if (gst_value_deserialize (&value, nick))
    set_if_default (session, name, &value);
  g_value_unset (&value);
}

static void
set_time (GObject *session, const gchar *name, guint64 time_ns)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT64);
  g_value_set_uint64 (&value, time_ns);
  set_if_default (session, name, &value);
  g_value_unset (&value);
}

/* Prompt feedback: early RTCP allowed (RFC 4585), half of the session bandwidth for it, transport
 * wide feedback by time and not by marker bit, and receiver reports as often if they are all there
 * is. What the user has set stays. */
void
gst_weir_recv_session_configure (GstWeirRecv *recv)
{
  GValue fraction = G_VALUE_INIT;
  GObject *session = NULL;
  guint64 interval_ns;
  gint format;

  g_mutex_lock (&recv->lock);
  if (recv->session != NULL)
    session = g_object_ref (recv->session);
  interval_ns = recv->interval_ns > 0 ? recv->interval_ns : AUTO_INTERVAL_NS;
  format = recv->format;
  g_mutex_unlock (&recv->lock);
  if (session == NULL)
    return;
  set_enum (session, "rtp-profile", "avpf");
  g_value_init (&fraction, G_TYPE_DOUBLE);
  g_value_set_double (&fraction, RTCP_FRACTION);
  set_if_default (session, "rtcp-fraction", &fraction);
  g_value_unset (&fraction);
  set_time (session, "twcc-feedback-interval", interval_ns);
  if (format == WEIR_FEEDBACK_RR)
    set_time (session, "rtcp-min-interval", interval_ns);
  g_object_unref (session);
}

/* Does the session report transport-wide numbers, as far as we can know? It does when the caps it
 * was given (by request-pt-map, say) name the extension; those are not always ours. It does so when
 * packets come: the end of a talk spurt it reports at the beginning of the next, and one report of
 * ours between would be taken for a change of formats. */
static gboolean
reports_by_itself (GstWeirRecv *recv)
{
  return recv->wide_seen
         && (recv->unreported_ns == WEIR_UNKNOWN_NS
             || recv->arrival_ns - recv->unreported_ns < SESSION_SILENCE_NS);
}

/* Is our feedback to ride in the session's RTCP? The session writes the other formats itself; and
 * where it reports each packet already (transport-wide), a second report of the same packets would
 * make the sender see half of them in each. */
gboolean
gst_weir_recv_session_carries_locked (GstWeirRecv *recv)
{
  return recv->format == WEIR_FEEDBACK_REMB
         || (recv->format == WEIR_FEEDBACK_CCFB && !reports_by_itself (recv));
}

/* Asks the session to send RTCP soon. FALSE: not yet. */
gboolean
gst_weir_recv_session_request (GObject *session)
{
  gboolean accepted = FALSE;

  g_signal_emit_by_name (session, "send-rtcp-full", (guint64) LONGEST_REQUEST_DELAY, &accepted);
  return accepted;
}

/* Appends what is due to the packet under way. TRUE when something was. */
static gboolean
append_feedback (GstWeirRecv *recv, GstRTCPBuffer *rtcp)
{
  uint64_t ntp_time = weir_ntp_from_unix_ns (g_get_real_time () * 1000);
  gboolean appended = FALSE;
  enum weir_status status = WEIR_OK;
  size_t len = 1;

  g_mutex_lock (&recv->lock);
  while (recv->receiver != NULL && gst_weir_recv_session_carries_locked (recv) && status == WEIR_OK
         && len > 0) {
    gsize room = rtcp->map.maxsize - rtcp->map.size;
    status = weir_receiver_build_feedback_only (recv->receiver, gst_weir_recv_now_ns (recv),
                                                ntp_time, rtcp->map.data + rtcp->map.size,
                                                MIN (room, PACKET_MAX_BYTES), &len);
    if (status == WEIR_OK) {
      rtcp->map.size += len;
      appended |= len > 0;
    }
  }
  g_mutex_unlock (&recv->lock);
  return appended;
}

static gboolean
has_transport_wide_feedback (GstRTCPBuffer *rtcp)
{
  GstRTCPPacket packet;
  gboolean more = gst_rtcp_buffer_get_first_packet (rtcp, &packet);

  for (; more; more = gst_rtcp_packet_move_to_next (&packet)) {
    if (gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_RTPFB
        && gst_rtcp_packet_fb_get_type (&packet) == GST_RTCP_RTPFB_TYPE_TWCC)
      return TRUE;
  }
  return FALSE;
}

/* The session is about to send an RTCP packet, which is writable. TRUE: it must not be held back.
 */
static gboolean
on_sending_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *buffer, G_GNUC_UNUSED gboolean early,
                 GstWeirRecv *recv)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  gboolean appended;

  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp))
    return FALSE;
  if (has_transport_wide_feedback (&rtcp)) {
    g_mutex_lock (&recv->lock);
    recv->unreported_ns = WEIR_UNKNOWN_NS;
    g_mutex_unlock (&recv->lock);
  }
  appended = append_feedback (recv, &rtcp);
  gst_rtcp_buffer_unmap (&rtcp);
  return appended;
}

/* Sender reports and BYE matter to the receiver too. */
static void
on_receiving_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *buffer, GstWeirRecv *recv)
{
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  g_mutex_lock (&recv->lock);
  if (recv->receiver != NULL)
    weir_receiver_on_rtcp (recv->receiver, gst_weir_recv_now_ns (recv), map.data, map.size);
  g_mutex_unlock (&recv->lock);
  gst_buffer_unmap (buffer, &map);
}

/* Behind us, or before: an auxiliary receiver's packets have passed their session already. */
static GObject *
find_session (GstWeirRecv *recv)
{
  GObject *session = gst_weir_find_rtp_session (recv->srcpad, "recv_rtp_sink", NULL);

  return session != NULL ? session
                         : gst_weir_find_rtp_session (recv->sinkpad, "recv_rtp_src", NULL);
}

static void
adopt (GstWeirRecv *recv, GObject *session)
{
  guint ssrc = 0;

  g_signal_connect_object (session, "on-sending-rtcp", G_CALLBACK (on_sending_rtcp), recv, 0);
  g_signal_connect_object (session, "on-receiving-rtcp", G_CALLBACK (on_receiving_rtcp), recv, 0);
  g_object_get (session, "internal-ssrc", &ssrc, NULL);
  g_mutex_lock (&recv->lock);
  recv->session = g_object_ref (session);
  recv->local_ssrc = ssrc; /* one participant, one SSRC */
  if (!recv->has_packets)
    gst_weir_recv_make_receiver_locked (recv);
  gst_weir_recv_feedback_kick_locked (recv);
  g_mutex_unlock (&recv->lock);
  gst_weir_recv_session_configure (recv);
  GST_INFO_OBJECT (recv, "feedback goes through %" GST_PTR_FORMAT, session);
}

/* Looks for a session around us, once after each reconfiguration. Streaming thread. */
void
gst_weir_recv_session_look (GstWeirRecv *recv)
{
  GObject *session = find_session (recv);
  gboolean changed;

  g_mutex_lock (&recv->lock);
  recv->session_looked = TRUE;
  changed = session != recv->session;
  g_mutex_unlock (&recv->lock);
  if (changed) {
    gst_weir_recv_session_drop (recv);
    if (session != NULL)
      adopt (recv, session);
  }
  g_clear_object (&session);
}

/* Leaves the session alone again; what was set on it stays. */
void
gst_weir_recv_session_drop (GstWeirRecv *recv)
{
  GObject *session;

  g_mutex_lock (&recv->lock);
  session = g_steal_pointer (&recv->session);
  g_mutex_unlock (&recv->lock);
  if (session == NULL)
    return;
  g_signal_handlers_disconnect_by_data (session, recv);
  g_object_unref (session);
}
