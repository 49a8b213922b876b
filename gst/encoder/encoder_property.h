/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An encoder's properties, seen through its row of the table. */
#ifndef GST_WEIR_ENCODER_PROPERTY_H
#define GST_WEIR_ENCODER_PROPERTY_H

#include "encoder/encoder_table.h"

GParamSpec *gst_weir_encoder_find_property (GstElement *element, const gchar *name);
gboolean gst_weir_encoder_integer_range (GParamSpec *spec, gint64 *low, gint64 *high,
                                         gint64 *preset);
gboolean gst_weir_encoder_started (GstElement *element);
gboolean gst_weir_encoder_at_default (GstElement *element, const gchar *property);
gboolean gst_weir_encoder_can_change (GstElement *element, const GstWeirEncoderInfo *info);
guint gst_weir_encoder_apply_profile (GstElement *element, const GstWeirEncoderInfo *info,
                                      gchar **too_late);

void gst_weir_encoder_get_limits (GstElement *element, const GstWeirEncoderInfo *info,
                                  gint64 *low_bps, gint64 *high_bps);
gint64 gst_weir_encoder_get_bps (GstElement *element, const GstWeirEncoderInfo *info);
void gst_weir_encoder_set_bps (GstElement *element, const GstWeirEncoderInfo *info,
                               gint64 bitrate_bps);

#endif
