/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_rtp_session.h"

#include "common/pipeline_walk.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug
/* Packets of a list whose numbers are told at once. */
#define MAX_TOGETHER 32

void
gst_weir_rtp_session_init (GstWeirRtpSession *self, GstElement *element,
                           const GstWeirRtpSessionEvents *events)
{
  *self = (GstWeirRtpSession){ .element = element, .events = events };
  g_mutex_init (&self->lock);
}

void
gst_weir_rtp_session_clear (GstWeirRtpSession *self)
{
  g_mutex_clear (&self->lock);
}

void
gst_weir_rtp_session_set_transport_seq_id (GstWeirRtpSession *self, guint8 id)
{
  g_atomic_int_set (&self->transport_seq_id, id);
}

gconstpointer
gst_weir_rtp_session_key (const GstWeirRtpSession *self)
{
  return g_atomic_pointer_get (&self->object);
}

GObject *
gst_weir_rtp_session_get (GstWeirRtpSession *self)
{
  g_mutex_lock (&self->lock);
  GObject *object = self->object != NULL ? g_object_ref (self->object) : NULL;
  g_mutex_unlock (&self->lock);
  return object;
}

gboolean
gst_weir_rtp_session_numbers (const GstWeirRtpSession *self)
{
  return g_atomic_pointer_get (&self->probe_pad) != NULL;
}

/* --- What it tells --- */

static void
on_receiving_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *buffer, gpointer user)
{
  GstWeirRtpSession *self = user;
  self->events->on_rtcp (self->element, buffer);
}

static gboolean
on_sending_rtcp (G_GNUC_UNUSED GObject *session, GstBuffer *buffer, G_GNUC_UNUSED gboolean early,
                 gpointer user)
{
  GstWeirRtpSession *self = user;
  self->events->on_rtcp_sent (self->element, buffer);
  return FALSE;
}

/* n_memories: of the buffer's, -1 for all. */
static gboolean
read_memories (GstBuffer *buffer, gint n_memories, guint8 id, struct weir_rtp_info *info)
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
static gboolean
read_number (GstBuffer *buffer, guint8 id, struct weir_rtp_info *info)
{
  return read_memories (buffer, 1, id, info)
         || (gst_buffer_n_memory (buffer) > 1 && read_memories (buffer, -1, id, info));
}

static void
read_list (GstWeirRtpSession *self, GstBufferList *list, guint8 id)
{
  struct weir_rtp_info packets[MAX_TOGETHER];
  guint n = 0;
  for (guint i = 0; i < gst_buffer_list_length (list); i++) {
    n += read_number (gst_buffer_list_get (list, i), id, &packets[n]) ? 1 : 0;
    if (n == MAX_TOGETHER) {
      self->events->on_numbers (self->element, packets, n);
      n = 0;
    }
  }
  if (n > 0) {
    self->events->on_numbers (self->element, packets, n);
  }
}

static GstPadProbeReturn
on_session_output (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstWeirRtpSession *self = user;
  struct weir_rtp_info packet;
  guint8 id = (guint8) g_atomic_int_get (&self->transport_seq_id);
  if (id == 0) {
    return GST_PAD_PROBE_OK;
  }
  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    read_list (self, GST_PAD_PROBE_INFO_BUFFER_LIST (info), id);
  } else if (read_number (GST_PAD_PROBE_INFO_BUFFER (info), id, &packet)) {
    self->events->on_numbers (self->element, &packet, 1);
  }
  return GST_PAD_PROBE_OK;
}

/* --- Finding it --- */

/* The application may name the session or the element that owns it. */
static GObject *
resolve (GObject *given, GstElement **owner)
{
  GObject *session = NULL;
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (given), "internal-session") != NULL) {
    g_object_get (given, "internal-session", &session, NULL);
    *owner = GST_IS_ELEMENT (given) ? gst_object_ref (given) : NULL;
  } else if (g_signal_lookup ("on-receiving-rtcp", G_OBJECT_TYPE (given)) != 0) {
    session = g_object_ref (given);
  }
  return session;
}

static GObject *
find (GObject *given, GstPad *sinkpad, GstPad *srcpad, GstElement **owner, gchar **why)
{
  GObject *session = given != NULL ? resolve (given, owner) : NULL;
  if (given != NULL && session == NULL) {
    *why = g_strdup_printf ("rtp-session: a %s is not an RTP session; give an rtpsession element "
                            "or its internal-session",
                            G_OBJECT_TYPE_NAME (given));
  }
  if (session == NULL) {
    session = gst_weir_find_rtp_session (srcpad, "send_rtp_sink", owner);
  }
  return session != NULL ? session : gst_weir_find_rtp_session (sinkpad, "send_rtp_src", owner);
}

/* Does the session number our packets before we get them? Then they carry what it wrote. */
static gboolean
is_before (GstPad *sinkpad, GObject *session)
{
  GObject *found = gst_weir_find_rtp_session (sinkpad, "send_rtp_src", NULL);
  gboolean before = found == session;
  g_clear_object (&found);
  return before;
}

/* --- Following it --- */

static void
release (gpointer self, G_GNUC_UNUSED GClosure *closure)
{
  gst_object_unref (((GstWeirRtpSession *) self)->element);
}

/* A callback that still runs when we leave must find the element alive. */
static gulong
connect (GstWeirRtpSession *self, GObject *session, const gchar *signal, GCallback callback)
{
  if (g_signal_lookup (signal, G_OBJECT_TYPE (session)) == 0) {
    return 0;
  }
  gst_object_ref (self->element);
  return g_signal_connect_data (session, signal, callback, self, release, 0);
}

static void
forget_probe (gpointer self)
{
  gst_object_unref (((GstWeirRtpSession *) self)->element);
}

/* Takes session. owner: the GstRtpSession, or NULL when it is not known. */
static void
join (GstWeirRtpSession *self, GObject *session, GstElement *owner, GstPad *sinkpad)
{
  GST_INFO_OBJECT (self->element, "RTP session: %" GST_PTR_FORMAT, (void *) owner);
  self->receiving_id = connect (self, session, "on-receiving-rtcp", G_CALLBACK (on_receiving_rtcp));
  self->sending_id = connect (self, session, "on-sending-rtcp", G_CALLBACK (on_sending_rtcp));
  if (owner != NULL && !is_before (sinkpad, session)) {
    self->probe_pad = gst_element_get_static_pad (owner, "send_rtp_src");
  }
  if (self->probe_pad != NULL) {
    gst_object_ref (self->element);
    self->probe_id = gst_pad_add_probe (self->probe_pad,
                                        GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST,
                                        on_session_output, self, forget_probe);
  }
  g_mutex_lock (&self->lock);
  self->object = session;
  g_mutex_unlock (&self->lock);
}

void
gst_weir_rtp_session_leave (GstWeirRtpSession *self)
{
  g_mutex_lock (&self->lock);
  GObject *session = g_steal_pointer (&self->object);
  g_mutex_unlock (&self->lock);
  if (self->receiving_id != 0) {
    g_signal_handler_disconnect (session, self->receiving_id);
  }
  if (self->sending_id != 0) {
    g_signal_handler_disconnect (session, self->sending_id);
  }
  if (self->probe_pad != NULL) {
    gst_pad_remove_probe (self->probe_pad, self->probe_id);
  }
  self->receiving_id = self->sending_id = self->probe_id = 0;
  gst_clear_object (&self->probe_pad);
  g_clear_object (&session);
}

gboolean
gst_weir_rtp_session_follow (GstWeirRtpSession *self, GObject *given, GstPad *sinkpad,
                             GstPad *srcpad, gchar **why)
{
  GstElement *owner = NULL;
  *why = NULL;
  GObject *session = find (given, sinkpad, srcpad, &owner, why);
  gboolean moves = session != self->object;
  if (moves) {
    gst_weir_rtp_session_leave (self);
  }
  if (moves && session != NULL) {
    join (self, g_steal_pointer (&session), owner, sinkpad);
  }
  g_clear_object (&session);
  gst_clear_object (&owner);
  return moves;
}
