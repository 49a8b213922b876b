/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_sockets.h"

#include "common/pipeline_walk.h"
#include "common/socket_ecn.h"
#include "common/tos_meta.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug

#define RETRY_NS (100 * GST_MSECOND) /* a look walks over all that is behind us */

/* What the sinks behind us tell. */
typedef struct
{
  GPtrArray *sockets;
  gboolean reads; /* an element that reads metadata */
  gchar *without; /* name of a network sink that shows no socket; NULL: none; owned */
  gchar *closed;  /* name of one that has not opened its socket; the same */
} Found;

void
gst_weir_sockets_init (GstWeirSockets *self)
{
  *self = (GstWeirSockets){ .sockets = g_ptr_array_new_with_free_func (g_object_unref),
                            .why_not = g_strdup ("no network sink was found yet") };
}

void
gst_weir_sockets_clear (GstWeirSockets *self)
{
  g_ptr_array_unref (self->sockets);
  g_free (self->why_not);
}

/* --- Looking --- */

/* The sink's socket of that property, if there is one of UDP. */
static gboolean
add_socket (GPtrArray *sockets, GstElement *sink, const gchar *property)
{
  GSocket *socket = NULL;
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (sink), property);
  if (spec == NULL || spec->value_type != G_TYPE_SOCKET) {
    return FALSE;
  }
  g_object_get (sink, property, &socket, NULL);
  if (socket == NULL) {
    return FALSE;
  }
  if (g_ptr_array_find (sockets, socket, NULL)) {
    g_object_unref (socket);
  } else {
    g_ptr_array_add (sockets, socket);
  }
  return TRUE;
}

/* udpsink and multiudpsink show what they use. dynudpsink shows what it was given, else nothing;
 * the sockets of libnice (webrtcbin) are its own. */
static void
look_at_sink (Found *found, GstElement *sink)
{
  static const gchar *const in_use[] = { "used-socket", "used-socket-v6" };
  static const gchar *const given[] = { "socket", "socket-v6" };
  gboolean shows = g_object_class_find_property (G_OBJECT_GET_CLASS (sink), in_use[0]) != NULL;
  gboolean any = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (in_use); i++) {
    any |= add_socket (found->sockets, sink, shows ? in_use[i] : given[i]);
  }
  gchar **name = shows ? &found->closed : &found->without;
  if (!any && *name == NULL) {
    *name = gst_object_get_name (GST_OBJECT (sink));
  }
}

static GstWeirWalkNext
visit (G_GNUC_UNUSED GstPad *pad, GstElement *element, gpointer user)
{
  if (gst_weir_is_network_sink (element)) {
    look_at_sink (user, element);
  }
  if (gst_weir_is_made_by (element, "weirlink") || gst_weir_is_made_by (element, "weirrecv")) {
    ((Found *) user)->reads = TRUE;
    return GST_WEIR_WALK_NOT_PAST;
  }
  return gst_weir_is_made_by (element, "weirsend") ? GST_WEIR_WALK_NOT_PAST : GST_WEIR_WALK_ON;
}

static gboolean
are_same (GPtrArray *a, GPtrArray *b)
{
  gboolean same = a->len == b->len;
  for (guint i = 0; same && i < a->len; i++) {
    same = g_ptr_array_find (b, a->pdata[i], NULL);
  }
  return same;
}

static gchar *
explain (const Found *found)
{
  if (found->without != NULL) {
    return g_strdup_printf ("%s shows no socket to set it on: only udpsink and multiudpsink do, "
                            "and dynudpsink one that "
                            "it was given (the sockets of webrtcbin are libnice's)",
                            found->without);
  }
  if (found->closed != NULL) {
    return g_strdup_printf ("%s has not opened its socket yet", found->closed);
  }
  return found->sockets->len == 0 && !found->reads
             ? g_strdup ("no network sink was found behind this element")
             : NULL;
}

/* What others change meanwhile counts as changed since. */
static void
want (GstWeirSockets *self, enum weir_ecn ecn, gchar **why_not)
{
  self->changes = gst_weir_socket_ecn_changes ();
  for (guint i = 0; i < self->sockets->len && (why_not == NULL || *why_not == NULL); i++) {
    gst_weir_socket_want_ecn (self->sockets->pdata[i], self, ecn, why_not);
  }
  self->ecn = ecn;
  self->wants = TRUE;
}

static void
forget (GstWeirSockets *self)
{
  for (guint i = 0; i < self->sockets->len; i++) {
    gst_weir_socket_forget_ecn (self->sockets->pdata[i], self);
  }
  g_ptr_array_set_size (self->sockets, 0);
  self->ecn = WEIR_ECN_NOT_ECT;
  self->wants = FALSE;
  self->used = FALSE;
  self->told = FALSE;
}

gboolean
gst_weir_sockets_look (GstWeirSockets *self, GstPad *srcpad)
{
  Found found = { .sockets = g_ptr_array_new_with_free_func (g_object_unref) };
  gst_weir_walk (srcpad, visit, &found);
  g_autofree gchar *why_not = explain (&found);
  self->waits = found.without == NULL && found.closed != NULL;
  g_free (found.without);
  g_free (found.closed);
  if (are_same (self->sockets, found.sockets) && self->attaches == found.reads
      && g_strcmp0 (why_not, self->why_not) == 0) {
    g_ptr_array_unref (found.sockets);
    return FALSE;
  }
  forget (self);
  g_ptr_array_unref (self->sockets);
  g_free (self->why_not);
  self->attaches = found.reads;
  self->sockets = found.sockets;
  self->why_not = g_steal_pointer (&why_not);
  if (self->why_not != NULL) {
    want (self, WEIR_ECN_NOT_ECT, NULL);
  }
  GST_INFO_OBJECT (srcpad, "%u sockets; no ECN because: %s", self->sockets->len, self->why_not);
  return TRUE;
}

/* --- The field --- */

gboolean
gst_weir_sockets_can (const GstWeirSockets *self)
{
  return self->why_not == NULL;
}

gchar *
gst_weir_sockets_take_complaint (GstWeirSockets *self)
{
  if (self->why_not == NULL || self->waits || !self->used || self->told) {
    return NULL;
  }
  self->told = TRUE;
  return g_strdup_printf ("No packet is ECN-capable: %s", self->why_not);
}

gboolean
gst_weir_sockets_on_push (GstWeirSockets *self, gint64 now_ns)
{
  self->used = TRUE;
  if (!self->waits || now_ns < self->retry_ns) {
    return FALSE;
  }
  self->retry_ns = now_ns + RETRY_NS;
  return TRUE;
}

gboolean
gst_weir_sockets_set (GstWeirSockets *self, enum weir_ecn ecn)
{
  gboolean is_theirs
      = self->wants && ecn == self->ecn
        && (ecn == WEIR_ECN_NOT_ECT || self->changes == gst_weir_socket_ecn_changes ());
  if (is_theirs || !gst_weir_sockets_can (self)) {
    return ecn == self->ecn;
  }
  want (self, ecn, &self->why_not);
  if (!gst_weir_sockets_can (self)) {
    want (self, WEIR_ECN_NOT_ECT, NULL);
  }
  return gst_weir_sockets_can (self);
}

GstBuffer *
gst_weir_sockets_attach (const GstWeirSockets *self, GstBuffer *packet)
{
  return self->attaches && self->ecn != WEIR_ECN_NOT_ECT
             ? gst_weir_buffer_set_ecn (packet, self->ecn)
             : packet;
}

void
gst_weir_sockets_forget (GstWeirSockets *self)
{
  forget (self);
  self->waits = FALSE;
}
