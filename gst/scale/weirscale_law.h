/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which picture of a ladder fits the bitrate? No clock and no element: what is known of the encoder
 * comes in with each frame, in integers. */
#ifndef GST_WEIR_SCALE_LAW_H
#define GST_WEIR_SCALE_LAW_H

#include "scale/weirscale_ladder.h"

/* Why the picture is what it is. */
typedef enum
{
  GST_WEIR_SCALE_FULL,
  GST_WEIR_SCALE_LOW_BITRATE,   /* fewer bits per pixel than asked for at the next larger */
  GST_WEIR_SCALE_CANNOT_FOLLOW, /* the encoder makes more than its target there */
} GstWeirScaleReason;

typedef struct
{
  guint n;
  gint64 pixels_per_s[GST_WEIR_LADDER_MAX];
  gint64 shrink_bps[GST_WEIR_LADDER_MAX]; /* a step gives way below this target ... */
  gint64 grow_bps[GST_WEIR_LADDER_MAX];   /* ... and comes back at that */
  gboolean refused[GST_WEIR_LADDER_MAX];  /* downstream does not take it */

  guint step;
  GstWeirScaleReason reason;
  gboolean begun;                      /* the first step has been chosen */
  gboolean timed;                      /* there has been a frame: what follows means something */
  gint64 now_ns;                       /* of the last frame */
  gint64 changed_ns;                   /* of the last change of step */
  gint64 poor_ns[GST_WEIR_LADDER_MAX]; /* since when the target is below shrink_bps ... */
  gint64 rich_ns[GST_WEIR_LADDER_MAX]; /* ... at or above grow_bps; WEIR_NEVER_NS: it is not */

  guint64 media_bytes; /* as of the last frame */
  gint64 peak_bps;     /* the highest target of about the last second ... */
  gint64 peak_ns;      /* ... and when it was */
  gint64 excess_bits;  /* beyond what the target allows, since ... */
  gint64 excess_ns;    /* ... then, when the encoder began to make more ... */
  gint64 made_bits;    /* ... and what it has made since */

  gboolean grew;    /* the last change was to a larger step */
  gint64 floor_bps; /* what the encoder made ... */
  guint floor_step; /* ... at the last step where it did not follow; with patience_ns */
  gint64 floor_ns;
  gint64 patience_ns; /* how long that keeps larger steps from being tried; 0: it never failed */
} GstWeirScaleLaw;

void gst_weir_scale_law_init (GstWeirScaleLaw *self, const GstWeirLadder *ladder,
                              gint64 min_ubits_per_pixel);
guint gst_weir_scale_law_begin (GstWeirScaleLaw *self, gint64 target_bps);
guint gst_weir_scale_law_choose (GstWeirScaleLaw *self, gint64 now_ns, gint64 target_bps,
                                 guint64 media_bytes);
void gst_weir_scale_law_refuse (GstWeirScaleLaw *self, guint former);

#endif
