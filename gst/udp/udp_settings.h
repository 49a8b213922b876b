/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application may set of weirudpsrc, under the names of udpsrc. */
#ifndef GST_WEIR_UDP_SETTINGS_H
#define GST_WEIR_UDP_SETTINGS_H

#include <gio/gio.h>
#include <gst/gst.h>

typedef struct
{
  gchar *address; /* or NULL: 0.0.0.0 */
  gint port;
  GstCaps *caps;   /* or NULL: any */
  GSocket *socket; /* the application's, or NULL */
  gboolean close_socket;
  gint buffer_bytes; /* of the kernel's receive buffer; 0: as it is */
  guint mtu_bytes;   /* what one memory holds; longer packets get a second one */
  guint64 timeout_ns;
  gboolean reuse;
  gboolean auto_multicast;
  gchar *multicast_iface; /* or NULL */
  gboolean loop;
  gboolean retrieve_sender_address;
} GstWeirUdpSettings;

#endif
