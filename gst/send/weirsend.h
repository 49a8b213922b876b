/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element `weirsend`: paces outgoing RTP, reads what receivers report, drives the encoder. */
#ifndef GST_WEIR_SEND_H
#define GST_WEIR_SEND_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_WEIR_SEND (gst_weir_send_get_type ())
G_DECLARE_FINAL_TYPE (GstWeirSend, gst_weir_send, GST, WEIR_SEND, GstElement)

GST_ELEMENT_REGISTER_DECLARE (weirsend);

G_END_DECLS

#endif
