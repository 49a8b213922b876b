/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One encoder that is driven: what is known about it, its share, and when it was last changed. */
#ifndef GST_WEIR_ENCODER_DRIVEN_H
#define GST_WEIR_ENCODER_DRIVEN_H

#include "encoder/encoder.h"
#include "encoder/encoder_table.h"

typedef struct
{
  GWeakRef element;
  gpointer identity; /* its address, to compare only: the element may have gone */
  gchar *name;
  GstWeirEncoderInfo info; /* constant */
  gint64 low_bps;          /* what its property can hold; constant, like the next */
  gint64 high_bps;
  gulong probe;        /* before it, for frames to be left out; 0: none */
  gboolean had_parent; /* then it is gone when it has none */

  /* Protected by the set's lock. */
  guint32 weight; /* in 1/1000 */
  gint64 min_bps;
  gint64 max_bps;
  guint32 share;       /* its number in the set's shares; GST_WEIR_NO_SHARE */
  gboolean automatic;  /* found, not added by hand */
  gint64 set_bps;      /* last set by us, 0: never; for one that cannot change: what it is set to */
  gint64 set_ns;       /* when, on the monotonic clock */
  guint64 media_bytes; /* it made so far, where there are several */
  guint64 told_bytes;  /* media_bytes when the last frame came to it ... */
  guint64 frame_bytes; /* ... and what it made of the last that it got; 0: none of this picture */
  gint width, height;  /* of the picture that it gets, pixels */
  guint n_changes;
  gboolean fixed; /* cannot change (any more); noticed before a change is due */
} GstWeirEncoder;

GstWeirEncoder *gst_weir_encoder_new (GstElement *element, const GstWeirEncoderInfo *info);
GstWeirEncoder *gst_weir_encoder_ref (GstWeirEncoder *encoder);
void gst_weir_encoder_unref (GstWeirEncoder *encoder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstWeirEncoder, gst_weir_encoder_unref)

void gst_weir_encoder_skip_frames (GstWeirEncoder *encoder, GstElement *element, GstElement *asked,
                                   GstWeirSkipsFrame skips);
GstElement *gst_weir_encoder_get_element (GstWeirEncoder *encoder);
gboolean gst_weir_encoder_is (GstWeirEncoder *encoder, GstElement *element);
gboolean gst_weir_encoder_is_gone (GstWeirEncoder *encoder);
gint64 gst_weir_encoder_quantise_bps (const GstWeirEncoder *encoder, gint64 bitrate_bps);
gint64 gst_weir_encoder_due_ns (const GstWeirEncoder *encoder, gint64 wanted_bps);

#endif
