/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The enumerations of weirsend's properties. */
#ifndef GST_WEIR_SEND_TYPES_H
#define GST_WEIR_SEND_TYPES_H

#include <glib-object.h>

GType gst_weir_algorithm_get_type (void);
GType gst_weir_pacing_get_type (void);
GType gst_weir_queue_policy_get_type (void);
GType gst_weir_feedback_get_type (void);
GType gst_weir_receivers_get_type (void);
GType gst_weir_repair_mode_get_type (void);
GType gst_weir_ecn_get_type (void);

/* Position of an algorithm in the registry, 0 when there is none of that name. */
gint gst_weir_algorithm_index (const gchar *name);

/* GstWeirEcn, as one writes it. */
const gchar *gst_weir_ecn_nick (guint ecn);

#endif
