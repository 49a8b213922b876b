/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams with segments of their own leave with one, at the running times they came with. */
#include "send/weirsend_segment.h"

#define HOURS_1000 (3600000 * GST_SECOND)

static GstSegment
segment_from (GstClockTime start, GstClockTime base)
{
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = start;
  segment.base = base;
  return segment;
}

static GstBuffer *
buffer_at (GstClockTime pts, GstClockTime dts)
{
  GstBuffer *buffer = gst_buffer_new ();
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DTS (buffer) = dts;
  return buffer;
}

static void
assert_leaves_as (const GstWeirSegments *segments, GstClockTime in, GstClockTime out)
{
  GstBuffer *buffer = gst_weir_segments_translate (segments, buffer_at (in, in));
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, out);
  g_assert_cmpuint (GST_BUFFER_DTS (buffer), ==, out);
  gst_buffer_unref (buffer);
}

static void
test_the_first_leaves_and_others_do_not (void)
{
  GstWeirSegments segments = { .has_out = FALSE };
  GstSegment video = segment_from (HOURS_1000, 0);
  GstSegment audio = segment_from (0, GST_SECOND);
  g_assert_true (gst_weir_segments_enter (&segments, &video));
  for (guint i = 0; i < 5; i++) {
    g_assert_false (gst_weir_segments_enter (&segments, &audio));
    assert_leaves_as (&segments, 0, HOURS_1000 + GST_SECOND);
    assert_leaves_as (&segments, 5 * GST_SECOND, HOURS_1000 + 6 * GST_SECOND);
    g_assert_false (gst_weir_segments_enter (&segments, &video));
    assert_leaves_as (&segments, HOURS_1000 + 7, HOURS_1000 + 7);
  }
}

/* For all pairs of segments the running time stays. */
static void
test_the_running_time_stays (void)
{
  static const GstClockTime times[] = { 0, 1, GST_SECOND, HOURS_1000 };
  for (guint i = 0; i < 256; i++) {
    GstWeirSegments segments = { .has_out = FALSE };
    GstSegment first = segment_from (times[i & 3], times[i >> 2 & 3]);
    GstSegment second = segment_from (times[i >> 4 & 3], times[i >> 6 & 3]);
    gst_weir_segments_enter (&segments, &first);
    gst_weir_segments_enter (&segments, &second);
    GstClockTime pts = second.start + 40 * GST_MSECOND;
    guint64 running = gst_segment_to_running_time (&second, GST_FORMAT_TIME, pts);
    GstBuffer *buffer = gst_weir_segments_translate (&segments, buffer_at (pts, pts));
    guint64 left = gst_segment_to_running_time (&first, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
    if (running >= first.base) { /* else there is no such time in it */
      g_assert_cmpuint (left, ==, running);
    } else {
      g_assert_false (GST_CLOCK_TIME_IS_VALID (GST_BUFFER_PTS (buffer)));
    }
    gst_buffer_unref (buffer);
  }
}

static void
test_what_cannot_be_translated_leaves (void)
{
  GstWeirSegments segments = { .has_out = FALSE };
  GstSegment first = segment_from (0, 0);
  GstSegment faster = segment_from (0, 0);
  GstSegment bytes;
  faster.rate = 2.0;
  gst_segment_init (&bytes, GST_FORMAT_BYTES);
  g_assert_true (gst_weir_segments_enter (&segments, &first));
  g_assert_true (gst_weir_segments_enter (&segments, &faster));
  assert_leaves_as (&segments, 77, 77);
  g_assert_false (gst_weir_segments_enter (&segments, &faster));
  g_assert_true (gst_weir_segments_enter (&segments, &bytes));
  assert_leaves_as (&segments, 77, 77);
  segments.has_out = FALSE;
  g_assert_true (gst_weir_segments_enter (&segments, &bytes));
}

static void
test_unknown_times_stay_unknown_and_others_are_not_copied (void)
{
  GstWeirSegments segments = { .has_out = FALSE };
  GstSegment first = segment_from (0, 0);
  GstSegment second = segment_from (5, 0);
  gst_weir_segments_enter (&segments, &first);
  GstBuffer *buffer = gst_buffer_ref (buffer_at (1, 2));
  g_assert_true (gst_weir_segments_translate (&segments, buffer) == buffer);
  gst_weir_segments_enter (&segments, &second);
  GstBuffer *copy = gst_weir_segments_translate (&segments, buffer);
  g_assert_true (copy != buffer); /* somebody else has it, too */
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, 1);
  gst_buffer_unref (copy);
  gst_buffer_unref (buffer);
  assert_leaves_as (&segments, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend/segment/" #name, test_##name)
  ADD (the_first_leaves_and_others_do_not);
  ADD (the_running_time_stays);
  ADD (what_cannot_be_translated_leaves);
  ADD (unknown_times_stay_unknown_and_others_are_not_copied);
  return g_test_run ();
}
