/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_rtp_session.h"

#include "common/pipeline_walk.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug
/* Packets of a list whose numbers are told at once. */
#define MAX_TOGETHER 32

void
gst_weir_send_session_init (GstWeirSendSession *self, GstElement *element,
                            const GstWeirRtpSessionEvents *events, GstWeirNumbersFunc on_numbers)
{
  *self = (GstWeirSendSession){ .on_numbers = on_numbers };
  gst_weir_rtp_session_init (&self->rtp, element, events);
}

/* --- The numbers it writes --- */

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
read_list (GstWeirSendSession *self, GstBufferList *list, guint8 id)
{
  struct weir_rtp_info packets[MAX_TOGETHER];
  guint n = 0;
  for (guint i = 0; i < gst_buffer_list_length (list); i++) {
    n += read_number (gst_buffer_list_get (list, i), id, &packets[n]) ? 1 : 0;
    if (n == MAX_TOGETHER) {
      self->on_numbers (self->rtp.element, packets, n);
      n = 0;
    }
  }
  if (n > 0) {
    self->on_numbers (self->rtp.element, packets, n);
  }
}

static GstPadProbeReturn
on_session_output (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstWeirSendSession *self = user;
  struct weir_rtp_info packet;
  guint8 id = (guint8) g_atomic_int_get (&self->transport_seq_id);
  if (id == 0) {
    return GST_PAD_PROBE_OK;
  }
  if ((GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) == 0) {
    read_list (self, GST_PAD_PROBE_INFO_BUFFER_LIST (info), id);
  } else if (read_number (GST_PAD_PROBE_INFO_BUFFER (info), id, &packet)) {
    self->on_numbers (self->rtp.element, &packet, 1);
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
  g_autoptr (GObject) found = gst_weir_find_rtp_session (sinkpad, "send_rtp_src", NULL);
  return found == session;
}

/* --- Following it --- */

static void
forget_probe (gpointer self)
{
  gst_object_unref (((GstWeirSendSession *) self)->rtp.element);
}

/* A probe that still runs when the session is left must find the element alive. */
static void
add_probe (GstWeirSendSession *self, GstPad *pad)
{
  gst_object_ref (self->rtp.element);
  self->probe_pad = pad;
  self->probe_id
      = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST,
                           on_session_output, self, forget_probe);
}

void
gst_weir_send_session_leave (GstWeirSendSession *self)
{
  gst_weir_rtp_session_set (&self->rtp, NULL);
  if (self->probe_pad != NULL) {
    gst_pad_remove_probe (self->probe_pad, self->probe_id);
  }
  gst_clear_object (&self->probe_pad);
  self->refused = NULL;
}

/* Takes session. owner: the GstRtpSession, or NULL when it is not known. */
static void
join (GstWeirSendSession *self, GObject *session, GstElement *owner, GstPad *sinkpad)
{
  GST_INFO_OBJECT (self->rtp.element, "RTP session: %" GST_PTR_FORMAT, (void *) owner);
  GstPad *pad = owner != NULL && !is_before (sinkpad, session)
                    ? gst_element_get_static_pad (owner, "send_rtp_src")
                    : NULL;
  if (pad != NULL) {
    add_probe (self, pad);
  }
  gst_weir_rtp_session_set (&self->rtp, session);
}

gboolean
gst_weir_send_session_follow (GstWeirSendSession *self, GObject *given, GstPad *sinkpad,
                              GstPad *srcpad, gchar **why)
{
  g_autoptr (GstElement) owner = NULL;
  *why = NULL;
  g_autoptr (GObject) session = find (given, sinkpad, srcpad, &owner, why);
  gconstpointer refused = *why != NULL ? given : NULL;
  if (refused == self->refused) {
    g_clear_pointer (why, g_free); /* it was told */
  }
  gboolean moves = session != gst_weir_rtp_session_key (&self->rtp);
  if (moves) {
    gst_weir_send_session_leave (self);
  }
  if (moves && session != NULL) {
    join (self, g_steal_pointer (&session), owner, sinkpad);
  }
  self->refused = refused;
  return moves;
}
