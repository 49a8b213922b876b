/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TOS byte (IPv6: traffic class) of a packet, as metadata of its buffer: a
 * GstNetControlMessageMeta with a message IP_TOS or IPV6_TCLASS, as nicesrc of libnice attaches it.
 */
#ifndef GST_WEIR_TOS_META_H
#define GST_WEIR_TOS_META_H

#include "weir/receiver.h"
#include <gst/gst.h>

/* tos: the whole byte, DSCP and ECN. buffer has to be writable. */
void gst_weir_buffer_add_tos (GstBuffer *buffer, gboolean ipv6, guint8 tos);

/* Takes buffer and returns it, or a copy, with that ECN field; the DSCP and the family stay those
 * that it has, else 0 and IPv4. */
GstBuffer *gst_weir_buffer_set_ecn (GstBuffer *buffer, enum weir_ecn ecn);

/* The ECN field that buffer arrived with, whoever attached it. WEIR_ECN_NOT_ECT: nobody did. */
enum weir_ecn gst_weir_buffer_get_ecn (GstBuffer *buffer);

#endif
