/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many bytes does the network add to each packet? IP and UDP, and what the srtpenc behind us
 * adds, be it the application's or the one in a dtlssrtpenc of a webrtcbin. Looked for whenever
 * links change, by the pacing task, and when the cipher of that srtpenc changes. */
#include "common/pipeline_walk.h"
#include "send/weirsend_private.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_weir_send_debug
#define IPV4_UDP_BYTES 28
#define IPV6_UDP_BYTES 48
/* RFC 3711 5.2, RFC 7714 13.1 */
#define HMAC_SHA1_80_BYTES 10
#define HMAC_SHA1_32_BYTES 4
#define GCM_TAG_BYTES 16

/* What lies on the way to the network. */
typedef struct
{
  GstElement *srtpenc; /* owned; NULL: none */
  gboolean ipv6;
} Way;

static gboolean
is_a (GstElement *element, const gchar *factory_name)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  return factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), factory_name);
}

/* Here the packets have arrived: what follows is of another way. */
static gboolean
is_receiver (GstElement *element)
{
  const gchar *klass = gst_element_class_get_metadata (GST_ELEMENT_GET_CLASS (element),
                                                       GST_ELEMENT_METADATA_KLASS);
  return is_a (element, "weirrecv") || is_a (element, "srtpdec")
         || is_a (element, "rtpjitterbuffer")
         || (klass != NULL
             && (strstr (klass, "Depayloader") != NULL || strstr (klass, "Decoder") != NULL));
}

static gboolean
is_ipv6 (GstElement *sink, const gchar *property)
{
  gchar *address = NULL;
  g_object_get (sink, property, &address, NULL);
  gboolean found = address != NULL && strchr (address, ':') != NULL;
  g_free (address);
  return found;
}

static gboolean
visit (GstElement *element, gpointer user)
{
  Way *way = user;
  if (way->srtpenc == NULL && is_a (element, "srtpenc")) {
    way->srtpenc = gst_object_ref (element);
  } else if (is_a (element, "udpsink")) {
    way->ipv6 |= is_ipv6 (element, "host") || is_ipv6 (element, "bind-address");
  }
  return !is_receiver (element);
}

/* --- What srtpenc adds --- */

/* The nick of an enum property. */
static const gchar *
choice (GstElement *element, const gchar *property)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), property);
  gint number = 0;
  if (!G_IS_PARAM_SPEC_ENUM (spec)) {
    return "";
  }
  g_object_get (element, property, &number, NULL);
  GEnumValue *value = g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class, number);
  return value != NULL ? value->value_nick : "";
}

static guint
mki_bytes (GstElement *srtpenc)
{
  GstBuffer *mki = NULL;
  g_object_get (srtpenc, "mki", &mki, NULL);
  guint bytes = mki != NULL ? (guint) gst_buffer_get_size (mki) : 0;
  gst_clear_buffer (&mki);
  return bytes;
}

/* 0: it neither encrypts nor signs. */
static guint
srtp_bytes (GstElement *srtpenc)
{
  const gchar *cipher = choice (srtpenc, "rtp-cipher");
  const gchar *auth = choice (srtpenc, "rtp-auth");
  guint tag_bytes = 0;
  if (g_str_has_suffix (cipher, "-gcm")) {
    tag_bytes = GCM_TAG_BYTES; /* whatever rtp-auth says */
  } else if (g_str_equal (auth, "hmac-sha1-80")) {
    tag_bytes = HMAC_SHA1_80_BYTES;
  } else if (g_str_equal (auth, "hmac-sha1-32")) {
    tag_bytes = HMAC_SHA1_32_BYTES;
  } else if (g_str_equal (cipher, "null")) {
    return 0;
  }
  return tag_bytes + mki_bytes (srtpenc);
}

static gboolean
encrypts (GstElement *srtpenc)
{
  return srtpenc != NULL && !g_str_equal (choice (srtpenc, "rtp-cipher"), "null");
}

/* --- Following it --- */

static void
on_srtpenc_changed (G_GNUC_UNUSED GObject *srtpenc, G_GNUC_UNUSED GParamSpec *spec, gpointer user)
{
  GstWeirSend *self = user;
  gst_weir_send_lock (self);
  self->discover_session = TRUE;
  gst_weir_send_unlock (self);
}

static void
release (gpointer self, G_GNUC_UNUSED GClosure *closure)
{
  gst_object_unref (self);
}

/* Takes srtpenc. A callback that still runs when it is left must find the element alive. Called by
 * the pacing task, and by stop when that task is gone. */
static void
follow_srtpenc (GstWeirSend *self, GstElement *srtpenc)
{
  if (srtpenc == self->srtpenc) {
    g_clear_object (&srtpenc);
    return;
  }
  if (self->srtpenc != NULL) {
    g_signal_handler_disconnect (self->srtpenc, self->srtpenc_id);
    gst_object_unref (self->srtpenc);
  }
  self->srtpenc = srtpenc;
  if (srtpenc != NULL) {
    self->srtpenc_id = g_signal_connect_data (srtpenc, "notify", G_CALLBACK (on_srtpenc_changed),
                                              gst_object_ref (self), release, 0);
  }
}

void
gst_weir_send_forget_srtpenc (GstWeirSend *self)
{
  follow_srtpenc (self, NULL);
}

static void
warn_if_clear (GstWeirSend *self)
{
  if (self->clear_media_reported || !gst_weir_srtcp_is_on (&self->rtcp.srtcp)
      || encrypts (self->srtpenc)) {
    return;
  }
  self->clear_media_reported = TRUE;
  GST_ELEMENT_WARNING_WITH_DETAILS (
      self, RESOURCE, SETTINGS,
      ("srtp-key protects RTCP only, and the media leaves in the clear: no srtpenc or dtlssrtpenc "
       "that encrypts is behind this element. Put srtpenc key=... there, before the sink"),
      (NULL), ("weir-warning", G_TYPE_STRING, "clear-media", NULL));
}

/* Looks at the way to the network. The pacing task, without the lock. */
void
gst_weir_send_find_overhead (GstWeirSend *self)
{
  Way way = { NULL, FALSE };
  gst_weir_walk_downstream (self->pacer.pad, visit, &way);
  follow_srtpenc (self, way.srtpenc);
  guint bytes = way.ipv6 ? IPV6_UDP_BYTES : IPV4_UDP_BYTES;
  if (self->srtpenc != NULL) {
    bytes += srtp_bytes (self->srtpenc);
  }
  GST_INFO_OBJECT (self, "overhead: %u bytes, with %" GST_PTR_FORMAT, bytes,
                   (void *) self->srtpenc);
  gst_weir_send_lock (self);
  gboolean changed = bytes != self->found_overhead_bytes;
  self->found_overhead_bytes = bytes;
  if (changed && self->settings.overhead < 0) {
    gst_weir_send_apply_member_locked (self);
  }
  gst_weir_send_unlock (self);
  warn_if_clear (self);
}

/* Before the first look. */
void
gst_weir_send_reset_overhead_locked (GstWeirSend *self)
{
  self->found_overhead_bytes = IPV4_UDP_BYTES;
  self->clear_media_reported = FALSE;
}

/* What counts: as set, or as found. */
guint
gst_weir_send_overhead_bytes (const GstWeirSend *self)
{
  return self->settings.overhead >= 0 ? (guint) self->settings.overhead
                                      : self->found_overhead_bytes;
}
