/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Datagrams as the kernel hands them over, several by one call (recvmmsg), as buffers with their
 * TOS byte, their sender and the time at which the kernel got them. One thread uses a batch. */
#ifndef GST_WEIR_UDP_BATCH_H
#define GST_WEIR_UDP_BATCH_H

#include <gio/gio.h>
#include <gst/gst.h>

typedef struct _GstWeirUdpBatch GstWeirUdpBatch;

/* mtu_bytes: what the memory of a buffer holds. with_sender: attach its address
 * (GstNetAddressMeta). */
GstWeirUdpBatch *gst_weir_udp_batch_new (guint mtu_bytes, gboolean with_sender);
/* Accepts NULL. */
void gst_weir_udp_batch_free (GstWeirUdpBatch *self);

/* Takes what waits in the socket, without waiting for it. FALSE with errno: nothing came. */
gboolean gst_weir_udp_batch_receive (GstWeirUdpBatch *self, GSocket *socket);

/* The next one of those received, in order; NULL: none is left. */
GstBuffer *gst_weir_udp_batch_take (GstWeirUdpBatch *self);

#endif
