/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element `weirscale`: gives the encoder behind it a picture that fits its bitrate. */
#ifndef GST_WEIR_SCALE_H
#define GST_WEIR_SCALE_H

#include "common/rate_query.h"
#include "weir/picture.h"
#include <gst/gst.h>

/* enum weir_degradation, under W3C's names. */
#define GST_TYPE_WEIR_DEGRADATION (gst_weir_degradation_get_type ())
GType gst_weir_degradation_get_type (void);

#define GST_TYPE_WEIR_SCALE (gst_weir_scale_get_type ())
G_DECLARE_FINAL_TYPE (GstWeirScale, gst_weir_scale, GST, WEIR_SCALE, GstBin)

struct _GstWeirScale
{
  GstBin bin;
  GstElement *scaler, *filter; /* the bin's; NULL: cannot be made */
  GstPad *entry;               /* the scaler's, where all that comes in is seen */
  GstPad *srcpad;

  gint relinked;     /* atomic: what is behind may be another */
  GThread *changing; /* atomic: what it makes pass entry is our own; NULL: none */

  /* The streaming thread's alone. */
  GstSegment segment;
  GWeakRef encoder;               /* GstElement, the nearest behind */
  GstCaps *source;                /* NULL: none that can be scaled */
  struct weir_pictures *pictures; /* to choose from */
  guint step;                     /* in force */
  gint kept;                      /* in 1/keep_d of a frame: at keep_d the next one is kept */
  gboolean refused_told;

  /* Under the object lock. */
  gint preference; /* enum weir_degradation */
  gdouble min_bits_per_pixel;
  gboolean settings_changed;
  GstWeirRatePicture picture; /* that the encoder gets; width 0: none yet */
  GstWeirRate rate;           /* last answered */
  guint n_changes;
};

#endif
