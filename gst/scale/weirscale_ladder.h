/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures to choose from: fractions of what the source makes, largest first, each with fewer
 * pixels a second than the one before. */
#ifndef GST_WEIR_SCALE_LADDER_H
#define GST_WEIR_SCALE_LADDER_H

#include <gst/gst.h>

/* What gives way when bits are short; names and meaning of W3C's RTCDegradationPreference. */
typedef enum
{
  GST_WEIR_DEGRADATION_BALANCED,
  GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE,
  GST_WEIR_DEGRADATION_MAINTAIN_RESOLUTION,
} GstWeirDegradation;

#define GST_TYPE_WEIR_DEGRADATION (gst_weir_degradation_get_type ())
GType gst_weir_degradation_get_type (void);

#define GST_WEIR_LADDER_MAX 12

typedef struct
{
  gint width, height;  /* pixels */
  gint fps_n, fps_d;   /* frames per second; 0/1: not known, and reckoned as 30 */
  gint keep_n, keep_d; /* of every keep_d frames of the source keep_n are kept */
  gint64 pixels_per_s;
} GstWeirPicture;

typedef struct
{
  guint n;
  GstWeirPicture steps[GST_WEIR_LADDER_MAX]; /* the first is the source's */
} GstWeirLadder;

void gst_weir_ladder_build (GstWeirLadder *self, GstWeirDegradation preference, gint width,
                            gint height, gint fps_n, gint fps_d);

#endif
