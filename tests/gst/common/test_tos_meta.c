/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TOS byte as metadata of a buffer. */
#include "common/tos_meta.h"

#include <gio/gunixfdmessage.h>
#include <gst/net/gstnetcontrolmessagemeta.h>
#include <netinet/in.h>
#include <string.h>

/* Every byte, of IPv4 and of IPv6, gives back its two lowest bits; DSCP does not matter. */
static void
test_every_byte (void)
{
  for (guint tos = 0; tos < 512; tos++) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new ();
    gst_weir_buffer_add_tos (buffer, tos >= 256, (guint8) tos);
    g_assert_cmpuint (gst_weir_buffer_get_ecn (buffer), ==, tos & 3);
  }
}

/* On every byte, also where the buffer is shared: the DSCP stays, and there is one message. */
static void
test_a_mark_on_the_way (void)
{
  for (guint tos = 0; tos < 512; tos++) {
    GstBuffer *buffer = gst_buffer_new ();
    gst_weir_buffer_add_tos (buffer, tos >= 256, (guint8) tos);
    g_autoptr (GstBuffer) other = gst_buffer_ref (buffer);
    buffer = gst_weir_buffer_set_ecn (buffer, WEIR_ECN_CE);
    GstNetControlMessageMeta *meta = (GstNetControlMessageMeta *) gst_buffer_get_meta (
        buffer, GST_NET_CONTROL_MESSAGE_META_API_TYPE);
    gint seen;
    g_socket_control_message_serialize (meta->message, &seen);
    g_assert_cmpint (seen, ==, (gint) (tos & 0xff) | 3);
    g_assert_cmpint (g_socket_control_message_get_level (meta->message), ==,
                     tos >= 256 ? IPPROTO_IPV6 : IPPROTO_IP);
    g_assert_cmpuint (gst_buffer_get_n_meta (buffer, GST_NET_CONTROL_MESSAGE_META_API_TYPE), ==, 1);
    g_assert_cmpuint (gst_weir_buffer_get_ecn (other), ==, tos & 3);
    gst_buffer_unref (buffer);
  }
  g_autoptr (GstBuffer) bare = gst_weir_buffer_set_ecn (gst_buffer_new (), WEIR_ECN_ECT0);
  g_assert_cmpuint (gst_weir_buffer_get_ecn (bare), ==, WEIR_ECN_ECT0);
}

static void
test_nothing_attached (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_assert_cmpuint (gst_weir_buffer_get_ecn (buffer), ==, WEIR_ECN_NOT_ECT);
}

/* A message of another kind is passed over. */
static void
test_other_messages (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GSocketControlMessage) other = g_unix_fd_message_new ();
  gst_buffer_add_net_control_message_meta (buffer, other);
  g_assert_cmpuint (gst_weir_buffer_get_ecn (buffer), ==, WEIR_ECN_NOT_ECT);
  gst_weir_buffer_add_tos (buffer, FALSE, WEIR_ECN_CE);
  g_assert_cmpuint (gst_weir_buffer_get_ecn (buffer), ==, WEIR_ECN_CE);
}

static void
test_it_stays_on_a_copy (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  gst_weir_buffer_add_tos (buffer, TRUE, 0xb8 | WEIR_ECN_ECT1);
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);
  g_assert_cmpuint (gst_weir_buffer_get_ecn (copy), ==, WEIR_ECN_ECT1);
}

/* GSocket shows each message it receives to every class: a byte or an int is ours, and nothing else
 * is. */
static void
test_from_a_socket (void)
{
  static const struct
  {
    gint level, type;
    gsize size;
    gboolean ours;
  } cases[] = { { IPPROTO_IP, IP_TOS, 1, TRUE },         { IPPROTO_IP, IP_TOS, 4, TRUE },
                { IPPROTO_IPV6, IPV6_TCLASS, 4, TRUE },  { IPPROTO_IP, IP_TOS, 0, FALSE },
                { IPPROTO_IP, IP_TOS, 3, FALSE },        { IPPROTO_IP, IP_TTL, 4, FALSE },
                { IPPROTO_IPV6, IP_TOS, 4, FALSE },      { SOL_SOCKET, 77, 4, FALSE },
                { IPPROTO_IPV6, IPV6_TCLASS, 16, FALSE } };
  g_autoptr (GstBuffer) makes_the_class = gst_buffer_new ();
  gst_weir_buffer_add_tos (makes_the_class, FALSE, 0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint8 data[16] = { WEIR_ECN_CE };
    GSocketControlMessage *message
        = g_socket_control_message_deserialize (cases[i].level, cases[i].type, cases[i].size, data);
    g_assert_cmpint (message != NULL, ==, cases[i].ours);
    if (message != NULL) {
      g_autoptr (GstBuffer) buffer = gst_buffer_new ();
      gst_buffer_add_net_control_message_meta (buffer, message);
      g_assert_cmpuint (gst_weir_buffer_get_ecn (buffer), ==, WEIR_ECN_CE);
      g_object_unref (message);
    }
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tos_meta/every_byte", test_every_byte);
  g_test_add_func ("/tos_meta/a_mark_on_the_way", test_a_mark_on_the_way);
  g_test_add_func ("/tos_meta/nothing_attached", test_nothing_attached);
  g_test_add_func ("/tos_meta/other_messages", test_other_messages);
  g_test_add_func ("/tos_meta/it_stays_on_a_copy", test_it_stays_on_a_copy);
  g_test_add_func ("/tos_meta/from_a_socket", test_from_a_socket);
  return g_test_run ();
}
