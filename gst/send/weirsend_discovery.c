/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which RTP session do our packets pass? It lies behind the src pad, or before the sink pad, or the
 * application names it. Its signals bring RTCP, decrypted; a probe behind it reads the transport-
 * wide numbers it writes. Runs in the pacing task, and in stop when that task is gone. */
#include "common/pipeline_walk.h"
#include "send/weirsend_private.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_weir_send_debug
#define MAX_DEPTH 32

/* Several members of a group may hear the session, one hands on what it says. */
static gboolean
listens (GstWeirSend *self)
{
  gst_weir_send_lock (self);
  gboolean first = gst_weir_group_listens_locked (self);
  self->rtcp_datagrams += first ? 0 : 1;
  gst_weir_send_unlock (self);
  return first;
}

static void
on_receiving_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *buffer, gpointer user)
{
  if (listens (user)) {
    gst_weir_send_feed_rtcp (user, buffer);
  }
}

/* The session's own sender reports: their times make RTT from receiver reports possible. */
static gboolean
on_sending_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *buffer, G_GNUC_UNUSED gboolean early,
                 gpointer user)
{
  GstWeirSend *self = user;
  GstMapInfo map;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    gst_weir_send_lock (self);
    if (self->member.path->sender != NULL && gst_weir_group_listens_locked (self)) {
      weir_sender_on_report_sent (self->member.path->sender, gst_weir_send_now (self), map.data,
                                  map.size);
    }
    gst_weir_send_unlock (self);
    gst_buffer_unmap (buffer, &map);
  }
  return FALSE;
}

/* n_memories: of the buffer's, -1 for all. */
static gboolean
read_number (GstBuffer *buffer, gint n_memories, guint8 id, struct weir_rtp_info *info)
{
  GstMapInfo map;
  gboolean read = FALSE;
  if (gst_buffer_map_range (buffer, 0, n_memories, &map, GST_MAP_READ)) {
    read = weir_rtp_info (map.data, map.size, id, info) == WEIR_OK && info->has_transport_seq;
    gst_buffer_unmap (buffer, &map);
  }
  return read;
}

/* Payloaders have the header in a memory of its own: to map all of a packet would copy it. */
static void
note_number_locked (GstWeirSend *self, GstBuffer *buffer)
{
  struct weir_rtp_info info;
  guint8 id = self->input.caps.transport_seq_id;
  if (read_number (buffer, 1, id, &info)
      || (gst_buffer_n_memory (buffer) > 1 && read_number (buffer, -1, id, &info))) {
    weir_sender_on_transport_seq (self->member.path->sender, info.ssrc, info.seq,
                                  info.transport_seq);
  }
}

static GstPadProbeReturn
on_session_output (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstWeirSend *self = user;
  gst_weir_send_lock (self);
  if (self->member.path->sender == NULL || self->input.caps.transport_seq_id == 0) {
    gst_weir_send_unlock (self);
    return GST_PAD_PROBE_OK;
  }
  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    note_number_locked (self, GST_PAD_PROBE_INFO_BUFFER (info));
  } else {
    GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
    for (guint i = 0; i < gst_buffer_list_length (list); i++) {
      note_number_locked (self, gst_buffer_list_get (list, i));
    }
  }
  gst_weir_send_unlock (self);
  return GST_PAD_PROBE_OK;
}

/* --- Finding the session --- */

/* The application may name the session or the element that owns it. */
static GObject *
resolve_override (GObject *given, GstElement **element)
{
  GObject *session = NULL;
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (given), "internal-session") != NULL) {
    g_object_get (given, "internal-session", &session, NULL);
    *element = GST_IS_ELEMENT (given) ? gst_object_ref (given) : NULL;
  } else if (g_signal_lookup ("on-receiving-rtcp", G_OBJECT_TYPE (given)) != 0) {
    session = g_object_ref (given);
  }
  return session;
}

static GObject *
find_session (GstWeirSend *self, GstElement **element)
{
  gst_weir_send_lock (self);
  GObject *given
      = self->settings.rtp_session != NULL ? g_object_ref (self->settings.rtp_session) : NULL;
  gst_weir_send_unlock (self);
  GObject *session = NULL;
  if (given != NULL) {
    session = resolve_override (given, element);
    if (session == NULL) {
      gst_weir_report_complain (
          &self->report,
          g_strdup_printf ("rtp-session: a %s is no RTP session; give an rtpsession element "
                           "or its internal-session",
                           G_OBJECT_TYPE_NAME (given)));
    }
    g_object_unref (given);
  }
  if (session == NULL) {
    session = gst_weir_find_rtp_session (self->pacer.pad, "send_rtp_sink", element);
  }
  return session != NULL ? session
                         : gst_weir_find_rtp_session (self->input.pad, "send_rtp_src", element);
}

/* --- Using it --- */

static void
release (gpointer self, G_GNUC_UNUSED GClosure *closure)
{
  gst_object_unref (self);
}

/* A callback that still runs when we leave must find the element alive. */
static gulong
connect (GstWeirSend *self, GObject *session, const gchar *signal, GCallback callback)
{
  if (g_signal_lookup (signal, G_OBJECT_TYPE (session)) == 0) {
    return 0;
  }
  return g_signal_connect_data (session, signal, callback, gst_object_ref (self), release, 0);
}

/* Does object number our packets before we get them? Then they carry what it wrote. */
static gboolean
is_before (GstWeirSend *self, GObject *object)
{
  GObject *session = gst_weir_find_rtp_session (self->input.pad, "send_rtp_src", NULL);
  gboolean before = session == object;
  g_clear_object (&session);
  return before;
}

static void
join_session (GstWeirSend *self, GObject *object, GstElement *element)
{
  GstWeirSendSession joined = { .object = object, .element = element };
  GST_INFO_OBJECT (self, "RTP session: %" GST_PTR_FORMAT, (void *) element);
  joined.receiving_id = connect (self, object, "on-receiving-rtcp", G_CALLBACK (on_receiving_rtcp));
  joined.sending_id = connect (self, object, "on-sending-rtcp", G_CALLBACK (on_sending_rtcp));
  if (element != NULL && !is_before (self, object)) {
    joined.probe_pad = gst_element_get_static_pad (element, "send_rtp_src");
  }
  if (joined.probe_pad != NULL) {
    joined.probe_id = gst_pad_add_probe (
        joined.probe_pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST,
        on_session_output, gst_object_ref (self), gst_object_unref);
  }
  gst_weir_send_lock (self);
  self->session = joined;
  gst_weir_send_apply_member_locked (self);
  gst_weir_send_unlock (self);
}

/* Accepts that there is none. */
void
gst_weir_send_leave_session (GstWeirSend *self)
{
  gst_weir_send_lock (self);
  GstWeirSendSession left = self->session;
  self->session = (GstWeirSendSession){ 0 };
  gst_weir_send_apply_member_locked (self);
  gst_weir_send_unlock (self);
  if (left.receiving_id != 0) {
    g_signal_handler_disconnect (left.object, left.receiving_id);
  }
  if (left.sending_id != 0) {
    g_signal_handler_disconnect (left.object, left.sending_id);
  }
  if (left.probe_pad != NULL) {
    gst_pad_remove_probe (left.probe_pad, left.probe_id);
    gst_object_unref (left.probe_pad);
  }
  g_clear_object (&left.object);
  g_clear_object (&left.element);
}

/* Looks for the session and moves to it if it is another one than before. */
void
gst_weir_send_discover_session (GstWeirSend *self)
{
  GstElement *element = NULL;
  GObject *session = find_session (self, &element);
  if (session != NULL && session == self->session.object) {
    g_clear_object (&session);
    g_clear_object (&element);
  } else {
    gst_weir_send_leave_session (self);
    if (session != NULL) {
      join_session (self, session, element);
    }
  }
  GstPad *rtcp_srcpad = gst_weir_rtcp_pads_get_srcpad (&self->rtcp);
  gboolean network = rtcp_srcpad != NULL && gst_weir_send_leads_to_network (rtcp_srcpad);
  g_clear_object (&rtcp_srcpad);
  gst_weir_rtcp_pads_set_passing (&self->rtcp, !network);
}

/* What came from the network must not go back out to it: does srcpad end in a network sink? */
gboolean
gst_weir_send_leads_to_network (GstPad *srcpad)
{
  gboolean network = FALSE;
  GstPad *pad = gst_object_ref (srcpad);
  for (guint hops = 0; pad != NULL && hops < MAX_DEPTH && !network; hops++) {
    GstPad *peer = gst_pad_get_peer (pad);
    GstElement *element = peer != NULL ? gst_pad_get_parent_element (peer) : NULL;
    gst_object_unref (pad);
    pad = NULL;
    if (element != NULL) {
      const gchar *klass = gst_element_class_get_metadata (GST_ELEMENT_GET_CLASS (element),
                                                           GST_ELEMENT_METADATA_KLASS);
      network = GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK)
                && strstr (klass, "Network") != NULL;
      GST_OBJECT_LOCK (element);
      if (element->numsrcpads == 1) {
        pad = gst_object_ref (element->srcpads->data);
      }
      GST_OBJECT_UNLOCK (element);
    }
    g_clear_object (&element);
    g_clear_object (&peer);
  }
  g_clear_object (&pad);
  return network;
}
