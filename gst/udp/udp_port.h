/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A UDP socket that is bound, a member of its multicast group, and told to hand on the TOS byte and
 * the time of arrival of each packet (IP_RECVTOS, IPV6_RECVTCLASS, SO_TIMESTAMPNS). */
#ifndef GST_WEIR_UDP_PORT_H
#define GST_WEIR_UDP_PORT_H

#include "udp/udp_settings.h"

typedef struct
{
  GSocket *socket; /* NULL: closed */
  gboolean ours;   /* closed with it */
  GInetAddress *group;
  gchar *iface; /* that joined group; or NULL */
  guint16 number;
} GstWeirUdpPort;

/* FALSE: *why (free it) says what could not be done, and the port is closed. */
gboolean gst_weir_udp_port_open (GstWeirUdpPort *self, const GstWeirUdpSettings *settings,
                                 gchar **why);
/* Accepts a closed one. */
void gst_weir_udp_port_close (GstWeirUdpPort *self);

#endif
