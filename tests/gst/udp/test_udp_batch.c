/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Datagrams become buffers with what the kernel knows of them. */
#include "udp/udp_batch.h"

#include "common/arrival_time.h"
#include "common/tos_meta.h"
#include "udp/udp_port.h"
#include "udp_peer.h"

#include <errno.h>
#include <gst/net/gstnetaddressmeta.h>
#include <string.h>

#define MTU_BYTES 1000
#define WAIT_US (10 * G_USEC_PER_SEC)

GST_DEBUG_CATEGORY (gst_weir_udp_src_debug);

typedef struct
{
  GstWeirUdpPort port;
  GstWeirUdpBatch *batch;
  GSocket *peer;
} Rig;

static void
begin (Rig *rig, gboolean ipv6)
{
  GstWeirUdpSettings settings
      = { .address = (gchar *) (ipv6 ? "::1" : "127.0.0.1"), .close_socket = TRUE };
  gchar *why = NULL;
  g_assert_true (gst_weir_udp_port_open (&rig->port, &settings, &why));
  rig->batch = gst_weir_udp_batch_new (MTU_BYTES, TRUE);
  rig->peer = peer_new (ipv6);
}

static void
end (Rig *rig)
{
  g_object_unref (rig->peer);
  gst_weir_udp_batch_free (rig->batch);
  gst_weir_udp_port_close (&rig->port);
}

static GstBuffer *
next (Rig *rig)
{
  GstBuffer *buffer = gst_weir_udp_batch_take (rig->batch);
  if (buffer == NULL) {
    g_assert_true (g_socket_condition_timed_wait (rig->port.socket, G_IO_IN, WAIT_US, NULL, NULL));
    g_assert_true (gst_weir_udp_batch_receive (rig->batch, rig->port.socket));
    buffer = gst_weir_udp_batch_take (rig->batch);
  }
  g_assert_nonnull (buffer);
  return buffer;
}

/* DSCP EF with each ECN field. */
static void
check_codepoints (gboolean ipv6)
{
  Rig rig;
  begin (&rig, ipv6);
  for (guint ecn = 0; ecn < 4; ecn++) {
    peer_set_tos (rig.peer, (guint8) (0xb8 | ecn));
    peer_send (rig.peer, rig.port.number, "x", 1);
    g_autoptr (GstBuffer) buffer = next (&rig);
    g_assert_cmpuint (gst_weir_buffer_get_ecn (buffer), ==, ecn);
  }
  end (&rig);
}

static void
test_ecn_of_ipv4 (void)
{
  check_codepoints (FALSE);
}

static void
test_ecn_of_ipv6 (void)
{
  if (has_ipv6 ()) {
    check_codepoints (TRUE);
  } else {
    g_test_skip ("no IPv6 here");
  }
}

/* Sizes about the MTU and the least and the largest there are, in order, whole. */
static void
test_bytes_are_kept (void)
{
  static const gsize sizes[] = { 0, 1, MTU_BYTES - 1, MTU_BYTES, MTU_BYTES + 1, 9000, 65507, 1 };
  g_autofree guint8 *data = g_malloc (65507);
  Rig rig;
  begin (&rig, FALSE);
  for (guint i = 0; i < 65507; i++) {
    data[i] = (guint8) (i * 7 + (i >> 8));
  }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    peer_send (rig.peer, rig.port.number, data, sizes[i]);
    g_autoptr (GstBuffer) buffer = next (&rig);
    g_assert_cmpuint (gst_buffer_get_size (buffer), ==, sizes[i]);
    g_assert_cmpint (gst_buffer_memcmp (buffer, 0, data, sizes[i]), ==, 0);
  }
  end (&rig);
}

/* More than one call takes: each once, in order. */
static void
test_many_at_once (void)
{
  Rig rig;
  begin (&rig, FALSE);
  for (guint8 i = 0; i < 50; i++) {
    peer_send (rig.peer, rig.port.number, &i, 1);
  }
  for (guint8 i = 0; i < 50; i++) {
    g_autoptr (GstBuffer) buffer = next (&rig);
    g_assert_cmpint (gst_buffer_memcmp (buffer, 0, &i, 1), ==, 0);
  }
  g_assert_null (gst_weir_udp_batch_take (rig.batch));
  g_assert_false (gst_weir_udp_batch_receive (rig.batch, rig.port.socket));
  g_assert_cmpint (errno, ==, EAGAIN);
  end (&rig);
}

/* Of a packet that waited for 20 ms. */
static GstBuffer *
next_after_wait (Rig *rig)
{
  peer_send (rig->peer, rig->port.number, "x", 1);
  g_usleep (20000);
  return next (rig);
}

/* The time of arrival is the kernel's: a packet that waited is as old as that. The kernel begins to
 * note times some moments after the first socket asked for them; until then it is that of the read.
 */
static void
test_time_and_sender (void)
{
  Rig rig;
  begin (&rig, FALSE);
  g_autoptr (GstBuffer) buffer = next_after_wait (&rig);
  for (guint i = 0; i < 500 && gst_weir_arrival_age_ns (buffer, gst_weir_unix_time_ns) < 20000000;
       i++) {
    gst_clear_buffer (&buffer);
    buffer = next_after_wait (&rig);
  }
  g_assert_cmpint (gst_weir_arrival_age_ns (buffer, gst_weir_unix_time_ns), >=, 20000000);
  g_autoptr (GSocketAddress) sender = g_socket_get_local_address (rig.peer, NULL);
  GInetSocketAddress *seen = G_INET_SOCKET_ADDRESS (gst_buffer_get_net_address_meta (buffer)->addr);
  g_assert_cmpuint (g_inet_socket_address_get_port (seen), ==,
                    g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (sender)));
  end (&rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  GST_DEBUG_CATEGORY_INIT (gst_weir_udp_src_debug, "weirudpsrc", 0, "test");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/udp_batch/ecn_of_ipv4", test_ecn_of_ipv4);
  g_test_add_func ("/udp_batch/ecn_of_ipv6", test_ecn_of_ipv6);
  g_test_add_func ("/udp_batch/bytes_are_kept", test_bytes_are_kept);
  g_test_add_func ("/udp_batch/many_at_once", test_many_at_once);
  g_test_add_func ("/udp_batch/time_and_sender", test_time_and_sender);
  return g_test_run ();
}
