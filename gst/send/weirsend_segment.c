/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_segment.h"

static gboolean
can_translate (const GstSegment *from, const GstSegment *to)
{
  return from->format == GST_FORMAT_TIME && to->format == GST_FORMAT_TIME && from->rate == to->rate
         && from->applied_rate == to->applied_rate && from->flags == to->flags;
}

gboolean
gst_weir_segments_enter (GstWeirSegments *segments, const GstSegment *segment)
{
  gst_segment_copy_into (segment, &segments->in);
  segments->differ = segments->has_out && !gst_segment_is_equal (segment, &segments->out);
  if (!segments->has_out || (segments->differ && !can_translate (segment, &segments->out))) {
    gst_segment_copy_into (segment, &segments->out);
    segments->has_out = TRUE;
    segments->differ = FALSE;
    return TRUE;
  }
  return FALSE;
}

/* NONE: the time lies outside of a segment. */
static GstClockTime
translate (const GstWeirSegments *segments, GstClockTime time)
{
  guint64 running = gst_segment_to_running_time (&segments->in, GST_FORMAT_TIME, time);
  return gst_segment_position_from_running_time (&segments->out, GST_FORMAT_TIME, running);
}

GstBuffer *
gst_weir_segments_translate (const GstWeirSegments *segments, GstBuffer *buffer)
{
  if (segments->differ) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = translate (segments, GST_BUFFER_PTS (buffer));
    GST_BUFFER_DTS (buffer) = translate (segments, GST_BUFFER_DTS (buffer));
  }
  return buffer;
}
