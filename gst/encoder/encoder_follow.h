/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does the media that comes keep to the target that was set? */
#ifndef GST_WEIR_ENCODER_FOLLOW_H
#define GST_WEIR_ENCODER_FOLLOW_H

#include <glib.h>

#define GST_WEIR_FOLLOW_BUCKETS 16

typedef struct
{
  gint64 bucket_start_ns; /* of the newest bucket; meaningless while n_buckets is 0 */
  guint n_buckets;        /* complete ones in a row, and the newest */
  guint newest;
  guint64 bytes[GST_WEIR_FOLLOW_BUCKETS];
  gint64 target_bps[GST_WEIR_FOLLOW_BUCKETS]; /* the highest in force during the bucket */
  gint64 measured_bps;                        /* over the last window, 0: not known yet */
  gint64 limit_bps;                           /* the highest target that window can be due to */
  gboolean reported;                          /* an episode is going on */
} GstWeirFollow;

gboolean gst_weir_follow_observe (GstWeirFollow *self, guint64 media_bytes, gint64 target_bps,
                                  gint64 now_ns);

#endif
