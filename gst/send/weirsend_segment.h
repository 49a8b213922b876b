/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One segment for all that comes in on a pad. Behind a funnel each stream has its own, which would
 * have to be said again with each change of stream, and no packet of one stream could pass one of
 * another. */
#ifndef GST_WEIR_SEND_SEGMENT_H
#define GST_WEIR_SEND_SEGMENT_H

#include <gst/gst.h>

typedef struct
{
  GstSegment in, out;
  gboolean has_out; /* FALSE: the next segment is a new beginning */
  gboolean differ;  /* in and out do */
} GstWeirSegments;

/* A segment comes in. TRUE: it has to leave, too. */
gboolean gst_weir_segments_enter (GstWeirSegments *segments, const GstSegment *segment);

/* The time stamps of buffer (taken) as the segment that left says them: with the same running time.
 * Returns buffer, or a writable copy. */
GstBuffer *gst_weir_segments_translate (const GstWeirSegments *segments, GstBuffer *buffer);

#endif
