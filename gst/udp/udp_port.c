/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "udp/udp_port.h"

#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

GST_DEBUG_CATEGORY_EXTERN (gst_weir_udp_src_debug);
#define GST_CAT_DEFAULT gst_weir_udp_src_debug

/* A name is looked up, the first address it has taken; no name: as udpsrc. */
static GInetAddress *
resolve (const gchar *name, GError **error)
{
  if (name == NULL) {
    return g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  }
  GInetAddress *address = g_inet_address_new_from_string (name);
  if (address == NULL) {
    g_autoptr (GResolver) resolver = g_resolver_get_default ();
    GList *found = g_resolver_lookup_by_name (resolver, name, NULL, error);
    address = found != NULL ? g_object_ref (found->data) : NULL;
    g_resolver_free_addresses (found);
  }
  return address;
}

/* What a packet is to come with. Without it packets come all the same. */
static void
ask_for_metadata (GSocket *socket)
{
  static const struct
  {
    gint level, name;
  } options[] = { { SOL_SOCKET, SO_TIMESTAMPNS },
                  { IPPROTO_IP, IP_RECVTOS },
                  { IPPROTO_IPV6, IPV6_RECVTCLASS } };
  gboolean ipv6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    g_autoptr (GError) error = NULL;
    if (options[i].level == IPPROTO_IPV6 && !ipv6) {
      continue;
    }
    if (!g_socket_set_option (socket, options[i].level, options[i].name, TRUE, &error)) {
      GST_WARNING ("no metadata of packets: %s", error->message);
    }
  }
}

static void
set_buffer_size (GSocket *socket, gint bytes)
{
  g_autoptr (GError) error = NULL;
  if (bytes > 0 && !g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, bytes, &error)) {
    GST_WARNING ("buffer-size=%d: %s", bytes, error->message);
  }
}

static GSocket *
open_socket (GInetAddress *address, const GstWeirUdpSettings *settings, GError **error)
{
  g_autoptr (GSocket) socket = g_socket_new (g_inet_address_get_family (address),
                                             G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);
  g_autoptr (GSocketAddress) at = g_inet_socket_address_new (address, (guint16) settings->port);
  if (socket == NULL || !g_socket_bind (socket, at, settings->reuse, error)) {
    return NULL;
  }
  g_socket_set_multicast_loopback (socket, settings->loop);
  return g_steal_pointer (&socket);
}

/* GSocket takes an interface that there is not for the system's choice. */
static gboolean
join (GstWeirUdpPort *self, GInetAddress *group, const gchar *iface, GError **error)
{
  if (iface != NULL && if_nametoindex (iface) == 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                 "there is no interface multicast-iface=%s", iface);
    return FALSE;
  }
  if (!g_socket_join_multicast_group (self->socket, group, FALSE, iface, error)) {
    return FALSE;
  }
  self->group = g_object_ref (group);
  self->iface = g_strdup (iface);
  return TRUE;
}

static gboolean
begin (GstWeirUdpPort *self, const GstWeirUdpSettings *settings, GError **error)
{
  g_autoptr (GInetAddress) address = NULL;
  if (settings->socket != NULL) {
    self->socket = g_object_ref (settings->socket);
    self->ours = settings->close_socket;
  } else {
    address = resolve (settings->address, error);
    self->socket = address != NULL ? open_socket (address, settings, error) : NULL;
    self->ours = TRUE;
  }
  return self->socket != NULL
         && (address == NULL || !settings->auto_multicast
             || !g_inet_address_get_is_multicast (address)
             || join (self, address, settings->multicast_iface, error));
}

static guint16
port_number (GSocket *socket)
{
  g_autoptr (GSocketAddress) at = g_socket_get_local_address (socket, NULL);
  return G_IS_INET_SOCKET_ADDRESS (at) ? g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (at))
                                       : 0;
}

gboolean
gst_weir_udp_port_open (GstWeirUdpPort *self, const GstWeirUdpSettings *settings, gchar **why)
{
  g_autoptr (GError) error = NULL;
  *self = (GstWeirUdpPort){ 0 };
  if (!begin (self, settings, &error)) {
    *why = settings->socket != NULL
               ? g_strdup_printf ("cannot receive on the socket given: %s", error->message)
               : g_strdup_printf ("cannot receive on %s port %d: %s",
                                  settings->address != NULL ? settings->address : "0.0.0.0",
                                  settings->port, error->message);
    gst_weir_udp_port_close (self);
    return FALSE;
  }
  set_buffer_size (self->socket, settings->buffer_bytes);
  ask_for_metadata (self->socket);
  self->number = port_number (self->socket);
  return TRUE;
}

void
gst_weir_udp_port_close (GstWeirUdpPort *self)
{
  if (self->group != NULL) {
    g_socket_leave_multicast_group (self->socket, self->group, FALSE, self->iface, NULL);
  }
  if (self->socket != NULL && self->ours) {
    g_socket_close (self->socket, NULL);
  }
  g_clear_object (&self->group);
  g_clear_object (&self->socket);
  g_clear_pointer (&self->iface, g_free);
}
