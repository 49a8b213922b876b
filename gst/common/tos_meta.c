/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/tos_meta.h"

#include <gst/net/gstnetcontrolmessagemeta.h>
#include <netinet/in.h>
#include <string.h>

#define TOS_VALUES 256
#define MAX_TOS_BYTES 8 /* of a message: a byte or an int */

/* --- The message. GLib has one of its own from 2.88 on. --- */

#define GST_TYPE_WEIR_TOS_MESSAGE (gst_weir_tos_message_get_type ())
G_DECLARE_FINAL_TYPE (GstWeirTosMessage, gst_weir_tos_message, GST, WEIR_TOS_MESSAGE,
                      GSocketControlMessage)

struct _GstWeirTosMessage
{
  GSocketControlMessage parent;
  gboolean ipv6;
  gint tos;
};

G_DEFINE_FINAL_TYPE (GstWeirTosMessage, gst_weir_tos_message, G_TYPE_SOCKET_CONTROL_MESSAGE)

static gsize
get_size (G_GNUC_UNUSED GSocketControlMessage *message)
{
  return sizeof (gint);
}

static int
get_level (GSocketControlMessage *message)
{
  return GST_WEIR_TOS_MESSAGE (message)->ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;
}

static int
get_type_number (GSocketControlMessage *message)
{
  return GST_WEIR_TOS_MESSAGE (message)->ipv6 ? IPV6_TCLASS : IP_TOS;
}

static void
serialize (GSocketControlMessage *message, gpointer data)
{
  memcpy (data, &GST_WEIR_TOS_MESSAGE (message)->tos, sizeof (gint));
}

static gboolean
is_tos (int level, int type)
{
  return (level == IPPROTO_IP && type == IP_TOS) || (level == IPPROTO_IPV6 && type == IPV6_TCLASS);
}

/* A byte or an int: Linux gives IP_TOS as the one and IPV6_TCLASS as the other. -1: neither. */
static gint
read_tos (gconstpointer data, gsize size)
{
  gint tos = -1;
  if (size == 1) {
    tos = *(const guint8 *) data;
  } else if (size == sizeof tos) {
    memcpy (&tos, data, sizeof tos);
  }
  return tos;
}

static GSocketControlMessage *
make_message (gboolean ipv6, gint tos)
{
  GstWeirTosMessage *message = g_object_new (GST_TYPE_WEIR_TOS_MESSAGE, NULL);
  message->ipv6 = ipv6;
  message->tos = tos;
  return G_SOCKET_CONTROL_MESSAGE (message);
}

/* GSocket asks each class that there is about each message it receives. */
static GSocketControlMessage *
deserialize (int level, int type, gsize size, gpointer data)
{
  gint tos = is_tos (level, type) ? read_tos (data, size) : -1;
  return tos >= 0 ? make_message (level == IPPROTO_IPV6, tos) : NULL;
}

static void
gst_weir_tos_message_class_init (GstWeirTosMessageClass *klass)
{
  GSocketControlMessageClass *message_class = G_SOCKET_CONTROL_MESSAGE_CLASS (klass);
  message_class->get_size = get_size;
  message_class->get_level = get_level;
  message_class->get_type = get_type_number;
  message_class->serialize = serialize;
  message_class->deserialize = deserialize;
}

static void
gst_weir_tos_message_init (G_GNUC_UNUSED GstWeirTosMessage *message)
{
}

/* --- On a buffer --- */

/* One for each byte that occurs, made once: packets share them. */
static GSocketControlMessage *
shared_message (gboolean ipv6, guint8 tos)
{
  static gsize messages[2][TOS_VALUES];
  gsize *slot = &messages[ipv6 ? 1 : 0][tos];
  if (g_once_init_enter (slot)) {
    g_once_init_leave (slot, (gsize) make_message (ipv6, tos));
  }
  return (GSocketControlMessage *) *slot;
}

void
gst_weir_buffer_add_tos (GstBuffer *buffer, gboolean ipv6, guint8 tos)
{
  gst_buffer_add_net_control_message_meta (buffer, shared_message (ipv6, tos));
}

static gint
tos_of (GSocketControlMessage *message)
{
  guint8 data[MAX_TOS_BYTES] = { 0 };
  gsize size = g_socket_control_message_get_size (message);
  if (!is_tos (g_socket_control_message_get_level (message),
               g_socket_control_message_get_msg_type (message))
      || size > sizeof data) {
    return -1;
  }
  g_socket_control_message_serialize (message, data);
  return read_tos (data, size);
}

/* The metadata with the byte, and the byte; NULL: none. */
static GstMeta *
find_tos (GstBuffer *buffer, gint *tos)
{
  gpointer state = NULL;
  GstMeta *meta;
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
                                                   GST_NET_CONTROL_MESSAGE_META_API_TYPE))
         != NULL) {
    *tos = tos_of (((GstNetControlMessageMeta *) meta)->message);
    if (*tos >= 0) {
      break;
    }
  }
  return meta;
}

enum weir_ecn
gst_weir_buffer_get_ecn (GstBuffer *buffer)
{
  gint tos;
  return find_tos (buffer, &tos) != NULL ? (enum weir_ecn) (tos & 3) : WEIR_ECN_NOT_ECT;
}

GstBuffer *
gst_weir_buffer_set_ecn (GstBuffer *buffer, enum weir_ecn ecn)
{
  gint tos = 0;
  gboolean ipv6 = FALSE;
  buffer = gst_buffer_make_writable (buffer);
  GstMeta *meta = find_tos (buffer, &tos);
  if (meta != NULL) {
    GSocketControlMessage *message = ((GstNetControlMessageMeta *) meta)->message;
    ipv6 = g_socket_control_message_get_level (message) == IPPROTO_IPV6;
    gst_buffer_remove_meta (buffer, meta);
  }
  gst_weir_buffer_add_tos (buffer, ipv6, (guint8) ((tos & 0xfc) | (gint) ecn));
  return buffer;
}
