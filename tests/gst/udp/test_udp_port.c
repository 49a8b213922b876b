/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening a port, and what is said when that cannot be done. */
#include "udp/udp_port.h"

#include <netinet/in.h>

GST_DEBUG_CATEGORY (gst_weir_udp_src_debug);

static GstWeirUdpSettings
settings_for (gchar *address, gint port)
{
  return (GstWeirUdpSettings){
    .address = address, .port = port, .close_socket = TRUE, .auto_multicast = TRUE
  };
}

static gint
option (GSocket *socket, gint level, gint name)
{
  gint value = -1;
  g_assert_true (g_socket_get_option (socket, level, name, &value, NULL));
  return value;
}

static void
test_asks_for_metadata (void)
{
  GstWeirUdpPort port;
  gchar *why = NULL;
  GstWeirUdpSettings settings = settings_for ("127.0.0.1", 0);
  g_assert_true (gst_weir_udp_port_open (&port, &settings, &why));
  g_assert_cmpuint (port.number, >, 0);
  g_assert_cmpint (option (port.socket, IPPROTO_IP, IP_RECVTOS), ==, 1);
  g_assert_cmpint (option (port.socket, SOL_SOCKET, SO_TIMESTAMPNS), ==, 1);
  gst_weir_udp_port_close (&port);
  g_assert_null (port.socket);
  gst_weir_udp_port_close (&port);
}

/* A second one on the port needs reuse. */
static void
test_port_in_use (void)
{
  GstWeirUdpPort first, second;
  g_autofree gchar *why = NULL;
  GstWeirUdpSettings settings = settings_for ("127.0.0.1", 0);
  g_assert_true (gst_weir_udp_port_open (&first, &settings, &why));
  settings.port = first.number;
  g_assert_false (gst_weir_udp_port_open (&second, &settings, &why));
  g_assert_nonnull (strstr (why, "cannot receive on 127.0.0.1 port "));
  g_assert_null (second.socket);
  gst_weir_udp_port_close (&first);
}

static void
test_no_such_address (void)
{
  static gchar *const addresses[] = { "192.0.2.1", "no.such.name.invalid", "", "300.1.1.1" };
  for (guint i = 0; i < G_N_ELEMENTS (addresses); i++) {
    GstWeirUdpPort port;
    g_autofree gchar *why = NULL;
    GstWeirUdpSettings settings = settings_for (addresses[i], 0);
    g_assert_false (gst_weir_udp_port_open (&port, &settings, &why));
    g_assert_nonnull (strstr (why, addresses[i]));
  }
}

static void
test_no_address_is_any (void)
{
  GstWeirUdpPort port;
  gchar *why = NULL;
  GstWeirUdpSettings settings = settings_for (NULL, 0);
  g_assert_true (gst_weir_udp_port_open (&port, &settings, &why));
  g_autoptr (GSocketAddress) at = g_socket_get_local_address (port.socket, NULL);
  GInetAddress *address = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (at));
  g_assert_true (g_inet_address_get_is_any (address));
  gst_weir_udp_port_close (&port);
}

/* The application's socket stays open when it asked for that. */
static void
test_a_socket_given (void)
{
  for (gint closes = 0; closes < 2; closes++) {
    GstWeirUdpPort own, port;
    g_autofree gchar *why = NULL;
    GstWeirUdpSettings settings = settings_for ("127.0.0.1", 0);
    g_assert_true (gst_weir_udp_port_open (&own, &settings, &why));
    settings.socket = own.socket;
    settings.close_socket = closes;
    g_assert_true (gst_weir_udp_port_open (&port, &settings, &why));
    g_assert_cmpuint (port.number, ==, own.number);
    gst_weir_udp_port_close (&port);
    g_assert_cmpint (g_socket_is_closed (own.socket), ==, closes);
    gst_weir_udp_port_close (&own);
  }
}

static void
test_multicast (void)
{
  GstWeirUdpPort port;
  g_autofree gchar *why = NULL;
  GstWeirUdpSettings settings = settings_for ("239.255.7.7", 0);
  settings.multicast_iface = (gchar *) "no-such0";
  g_assert_false (gst_weir_udp_port_open (&port, &settings, &why));
  g_assert_nonnull (strstr (why, "239.255.7.7"));
  settings.multicast_iface = (gchar *) "lo";
  g_clear_pointer (&why, g_free);
  g_assert_true (gst_weir_udp_port_open (&port, &settings, &why));
  g_assert_nonnull (port.group);
  gst_weir_udp_port_close (&port);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  GST_DEBUG_CATEGORY_INIT (gst_weir_udp_src_debug, "weirudpsrc", 0, "test");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/udp_port/asks_for_metadata", test_asks_for_metadata);
  g_test_add_func ("/udp_port/port_in_use", test_port_in_use);
  g_test_add_func ("/udp_port/no_such_address", test_no_such_address);
  g_test_add_func ("/udp_port/no_address_is_any", test_no_address_is_any);
  g_test_add_func ("/udp_port/a_socket_given", test_a_socket_given);
  g_test_add_func ("/udp_port/multicast", test_multicast);
  return g_test_run ();
}
