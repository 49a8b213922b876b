/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE /* recvmmsg */
#include "udp/udp_batch.h"

#include "common/arrival_time.h"
#include "common/tos_meta.h"

#include <gst/net/gstnetaddressmeta.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define DATAGRAMS 16
#define DATAGRAM_MAX_BYTES 65536
#define CONTROL_BYTES 256

typedef struct
{
  GstMemory *memory; /* what the first mtu bytes come into */
  GstMapInfo map;
  guint8 rest[DATAGRAM_MAX_BYTES];
  guint8 control[CONTROL_BYTES] __attribute__ ((aligned (8)));
  struct sockaddr_storage sender;
  struct iovec parts[2];
} Slot;

struct _GstWeirUdpBatch
{
  guint mtu_bytes;
  gboolean with_sender;
  guint next, n; /* received and not taken */
  struct mmsghdr headers[DATAGRAMS];
  Slot slots[DATAGRAMS];
};

GstWeirUdpBatch *
gst_weir_udp_batch_new (guint mtu_bytes, gboolean with_sender)
{
  GstWeirUdpBatch *self = g_new0 (GstWeirUdpBatch, 1);
  self->mtu_bytes = MIN (mtu_bytes, DATAGRAM_MAX_BYTES);
  self->with_sender = with_sender;
  return self;
}

static void
drop_memory (Slot *slot)
{
  if (slot->memory != NULL) {
    gst_memory_unmap (slot->memory, &slot->map);
    gst_memory_unref (slot->memory);
    slot->memory = NULL;
  }
}

void
gst_weir_udp_batch_free (GstWeirUdpBatch *self)
{
  if (self != NULL) {
    for (guint i = 0; i < DATAGRAMS; i++) {
      drop_memory (&self->slots[i]);
    }
    g_free (self);
  }
}

/* --- From the kernel --- */

static void
prepare (GstWeirUdpBatch *self, guint i)
{
  Slot *slot = &self->slots[i];
  if (slot->memory == NULL) {
    slot->memory = gst_allocator_alloc (NULL, self->mtu_bytes, NULL);
    gst_memory_map (slot->memory, &slot->map, GST_MAP_WRITE);
  }
  slot->parts[0] = (struct iovec){ slot->map.data, slot->map.size };
  slot->parts[1] = (struct iovec){ slot->rest, DATAGRAM_MAX_BYTES - self->mtu_bytes };
  self->headers[i].msg_hdr = (struct msghdr){ .msg_name = &slot->sender,
                                              .msg_namelen = sizeof slot->sender,
                                              .msg_iov = slot->parts,
                                              .msg_iovlen = 2,
                                              .msg_control = slot->control,
                                              .msg_controllen = sizeof slot->control };
}

gboolean
gst_weir_udp_batch_receive (GstWeirUdpBatch *self, GSocket *socket)
{
  for (guint i = 0; i < DATAGRAMS; i++) {
    prepare (self, i);
  }
  int n = recvmmsg (g_socket_get_fd (socket), self->headers, DATAGRAMS, MSG_DONTWAIT, NULL);
  self->next = 0;
  self->n = n > 0 ? (guint) n : 0;
  return n > 0;
}

/* --- To the pipeline --- */

static void
attach_tos (GstBuffer *buffer, const struct cmsghdr *message)
{
  gboolean ipv6 = message->cmsg_level == IPPROTO_IPV6;
  gint tos = *CMSG_DATA (message); /* IP_TOS is a byte */
  if (ipv6) {
    memcpy (&tos, CMSG_DATA (message), sizeof tos);
  }
  gst_weir_buffer_add_tos (buffer, ipv6, (guint8) tos);
}

static void
attach_arrival (GstBuffer *buffer, const struct cmsghdr *message)
{
  struct timespec arrived;
  memcpy (&arrived, CMSG_DATA (message), sizeof arrived);
  gst_buffer_add_reference_timestamp_meta (buffer, gst_weir_arrival_caps (),
                                           GST_TIMESPEC_TO_TIME (arrived), GST_CLOCK_TIME_NONE);
}

static gboolean
is (const struct cmsghdr *message, gint level, gint type)
{
  return message->cmsg_level == level && message->cmsg_type == type;
}

static void
attach_control (GstBuffer *buffer, struct msghdr *header)
{
  for (struct cmsghdr *message = CMSG_FIRSTHDR (header); message != NULL;
       message = CMSG_NXTHDR (header, message)) {
    if (is (message, SOL_SOCKET, SCM_TIMESTAMPNS)) {
      attach_arrival (buffer, message);
    } else if (is (message, IPPROTO_IP, IP_TOS) || is (message, IPPROTO_IPV6, IPV6_TCLASS)) {
      attach_tos (buffer, message);
    }
  }
}

static void
attach_sender (GstBuffer *buffer, const struct msghdr *header)
{
  g_autoptr (GSocketAddress) sender
      = g_socket_address_new_from_native (header->msg_name, header->msg_namelen);
  if (sender != NULL) {
    gst_buffer_add_net_address_meta (buffer, sender);
  }
}

/* The memory goes with the buffer; what did not fit into it is copied. */
static GstBuffer *
make_buffer (GstWeirUdpBatch *self, guint i)
{
  Slot *slot = &self->slots[i];
  gsize size = self->headers[i].msg_len;
  gsize first = MIN (size, self->mtu_bytes);
  GstBuffer *buffer = gst_buffer_new ();
  gst_memory_unmap (slot->memory, &slot->map);
  gst_memory_resize (slot->memory, 0, first);
  gst_buffer_append_memory (buffer, g_steal_pointer (&slot->memory));
  if (size > first) {
    gst_buffer_append (buffer, gst_buffer_new_memdup (slot->rest, size - first));
  }
  return buffer;
}

GstBuffer *
gst_weir_udp_batch_take (GstWeirUdpBatch *self)
{
  if (self->next == self->n) {
    return NULL;
  }
  guint i = self->next++;
  GstBuffer *buffer = make_buffer (self, i);
  attach_control (buffer, &self->headers[i].msg_hdr);
  if (self->with_sender) {
    attach_sender (buffer, &self->headers[i].msg_hdr);
  }
  return buffer;
}
