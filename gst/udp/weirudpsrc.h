/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element `weirudpsrc`: udpsrc, and with each packet what the kernel knows of it. */
#ifndef GST_WEIR_UDP_SRC_H
#define GST_WEIR_UDP_SRC_H

#include "udp/udp_batch.h"
#include "udp/udp_port.h"
#include "udp/udp_settings.h"
#include <gst/base/gstpushsrc.h>

#define GST_TYPE_WEIR_UDP_SRC (gst_weir_udp_src_get_type ())
GST_DEBUG_CATEGORY_EXTERN (gst_weir_udp_src_debug);
G_DECLARE_FINAL_TYPE (GstWeirUdpSrc, gst_weir_udp_src, GST, WEIR_UDP_SRC, GstPushSrc)

struct _GstWeirUdpSrc
{
  GstPushSrc parent;
  GCancellable *cancellable;   /* ends the wait for packets */
  GstWeirUdpSettings settings; /* under the object lock */
  GstWeirUdpPort port;         /* while started; a change of its socket is under the object lock */
  GstWeirUdpBatch *batch;      /* the streaming thread's, while started */
};

/* weirudpsrc_properties.c */
void gst_weir_udp_src_install_properties (GObjectClass *klass);
void gst_weir_udp_settings_init (GstWeirUdpSettings *settings);
void gst_weir_udp_settings_clear (GstWeirUdpSettings *settings);

#endif
