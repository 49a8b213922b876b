/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A socket that sends datagrams with a TOS byte to a port of this machine. */
#ifndef UDP_PEER_H
#define UDP_PEER_H

#include <gio/gio.h>
#include <netinet/in.h>

G_GNUC_UNUSED static GSocket *
peer_new (gboolean ipv6)
{
  GError *error = NULL;
  GSocket *peer = g_socket_new (ipv6 ? G_SOCKET_FAMILY_IPV6 : G_SOCKET_FAMILY_IPV4,
                                G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, &error);
  g_assert_no_error (error);
  return peer;
}

G_GNUC_UNUSED static void
peer_set_tos (GSocket *peer, guint8 tos)
{
  gboolean ipv6 = g_socket_get_family (peer) == G_SOCKET_FAMILY_IPV6;
  g_assert_true (g_socket_set_option (peer, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
                                      ipv6 ? IPV6_TCLASS : IP_TOS, tos, NULL));
}

G_GNUC_UNUSED static void
peer_send (GSocket *peer, guint16 port, const void *data, gsize size)
{
  GError *error = NULL;
  GInetAddress *address = g_inet_address_new_loopback (g_socket_get_family (peer));
  GSocketAddress *to = g_inet_socket_address_new (address, port);
  g_assert_cmpint (g_socket_send_to (peer, to, data, size, NULL, &error), ==, (gssize) size);
  g_assert_no_error (error);
  g_object_unref (to);
  g_object_unref (address);
}

/* Can this machine use IPv6? */
G_GNUC_UNUSED static gboolean
has_ipv6 (void)
{
  GInetAddress *address = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV6);
  GSocketAddress *at = g_inet_socket_address_new (address, 0);
  GSocket *socket
      = g_socket_new (G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  gboolean usable = socket != NULL && g_socket_bind (socket, at, FALSE, NULL);
  g_clear_object (&socket);
  g_object_unref (at);
  g_object_unref (address);
  return usable;
}

#endif
