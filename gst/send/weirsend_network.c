/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_network.h"

#include "common/pipeline_walk.h"
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
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
  guint faults; /* of GstWeirNetworkFault */
} Way;

/* Here the packets have arrived: what follows is of another way. */
static gboolean
is_receiver (GstElement *element)
{
  return gst_weir_is_made_by (element, "weirrecv") || gst_weir_is_made_by (element, "srtpdec")
         || gst_weir_is_made_by (element, "rtpjitterbuffer")
         || gst_weir_has_class (element, "Depayloader") || gst_weir_has_class (element, "Decoder");
}

static gboolean
is_ipv6 (GstElement *sink, const gchar *property)
{
  g_autofree gchar *address = NULL;
  g_object_get (sink, property, &address, NULL);
  return address != NULL && strchr (address, ':') != NULL;
}

static gboolean
waits_for_clock (GstElement *element)
{
  gboolean sync = FALSE;
  if (gst_weir_is_made_by (element, "udpsink") || gst_weir_is_made_by (element, "multiudpsink")) {
    g_object_get (element, "sync", &sync, NULL);
  }
  return sync;
}

static GstWeirWalkNext
visit (G_GNUC_UNUSED GstPad *pad, GstElement *element, gpointer user)
{
  Way *way = user;
  way->faults |= waits_for_clock (element) ? GST_WEIR_SINK_WAITS : 0;
  if (way->srtpenc == NULL && gst_weir_is_made_by (element, "srtpenc")) {
    way->srtpenc = gst_object_ref (element);
  } else if (gst_weir_is_made_by (element, "udpsink")) {
    way->ipv6 |= is_ipv6 (element, "host") || is_ipv6 (element, "bind-address");
  } else if (gst_weir_is_made_by (element, "weirsend")) {
    way->faults |= GST_WEIR_PACED_TWICE;
    return GST_WEIR_WALK_NOT_PAST;
  }
  return is_receiver (element) ? GST_WEIR_WALK_NOT_PAST : GST_WEIR_WALK_ON;
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
  g_autoptr (GstBuffer) mki = NULL;
  g_object_get (srtpenc, "mki", &mki, NULL);
  return mki != NULL ? (guint) gst_buffer_get_size (mki) : 0;
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

/* --- Following it --- */

static void
on_notify (G_GNUC_UNUSED GObject *srtpenc, G_GNUC_UNUSED GParamSpec *spec, gpointer user)
{
  GstWeirNetwork *self = user;
  self->on_change (self->element);
}

static void
release (gpointer self, G_GNUC_UNUSED GClosure *closure)
{
  gst_object_unref (((GstWeirNetwork *) self)->element);
}

/* Takes srtpenc. A callback that still runs when it is left must find the element alive. */
static void
follow_srtpenc (GstWeirNetwork *self, GstElement *srtpenc)
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
    gst_object_ref (self->element);
    self->srtpenc_id
        = g_signal_connect_data (srtpenc, "notify", G_CALLBACK (on_notify), self, release, 0);
  }
}

void
gst_weir_network_init (GstWeirNetwork *self, GstElement *element,
                       void (*on_change) (GstElement *element))
{
  *self = (GstWeirNetwork){ .element = element,
                            .on_change = on_change,
                            .overhead_bytes = IPV4_UDP_BYTES };
}

void
gst_weir_network_forget (GstWeirNetwork *self)
{
  follow_srtpenc (self, NULL);
  g_atomic_int_set (&self->overhead_bytes, IPV4_UDP_BYTES);
}

gboolean
gst_weir_network_look (GstWeirNetwork *self, GstPad *srcpad)
{
  Way way = { NULL, FALSE, 0 };
  gst_weir_walk (srcpad, visit, &way);
  follow_srtpenc (self, way.srtpenc);
  self->faults = way.faults;
  guint bytes = way.ipv6 ? IPV6_UDP_BYTES : IPV4_UDP_BYTES;
  if (self->srtpenc != NULL) {
    bytes += srtp_bytes (self->srtpenc);
  }
  GST_INFO_OBJECT (self->element, "overhead: %u bytes, with %" GST_PTR_FORMAT, bytes,
                   (void *) self->srtpenc);
  gboolean changed = bytes != (guint) g_atomic_int_get (&self->overhead_bytes);
  g_atomic_int_set (&self->overhead_bytes, (gint) bytes);
  return changed;
}

gboolean
gst_weir_network_is_encrypted (GstWeirNetwork *self)
{
  return self->srtpenc != NULL && !g_str_equal (choice (self->srtpenc, "rtp-cipher"), "null");
}

/* Past elements with one way out. */
static GstWeirWalkNext
look_for_network (G_GNUC_UNUSED GstPad *pad, GstElement *element, gpointer found)
{
  *(gboolean *) found |= gst_weir_is_network_sink (element);
  GST_OBJECT_LOCK (element);
  gboolean single = element->numsrcpads == 1;
  GST_OBJECT_UNLOCK (element);
  return single ? GST_WEIR_WALK_ON : GST_WEIR_WALK_NOT_PAST;
}

gboolean
gst_weir_leads_to_network (GstPad *srcpad)
{
  gboolean found = FALSE;
  gst_weir_walk (srcpad, look_for_network, &found);
  return found;
}
