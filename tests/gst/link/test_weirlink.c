/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "link/link_harness.h"

static void
test_wrong_texts_stop_the_start_and_are_named (void)
{
  static const struct
  {
    const gchar *property, *value, *named;
  } cases[] = {
    { "schedule", "0:2500k,20:fast", "fast" },
    { "schedule", "20:1M,10:2M", "10" },
    { "schedule", "rubbish", "rubbish" },
    { "cross-traffic", "reno*2;tahoe", "tahoe" },
    { "cross-traffic", "cbr:many", "many" },
    { "cross-traffic", "reno,colour=red", "colour" },
    { "log-location", "/nowhere/at/all", "all" },
    { "delay-schedule", "5:90", "5:90" },
    { "trace-location", "/nowhere/at/all", "all" },
    { "trace-location", "/dev/null", "/dev/null" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *link = gst_element_factory_make ("weirlink", NULL);
    GstBus *bus = gst_bus_new ();
    gchar *text;
    gst_element_set_bus (link, bus);
    g_object_set (link, cases[i].property, cases[i].value, NULL);
    g_assert_cmpint (gst_element_set_state (link, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_FAILURE);
    text = next_text (bus, GST_MESSAGE_ERROR);
    g_assert_nonnull (text);
    g_assert_nonnull (strstr (text, cases[i].named));
    g_free (text);
    g_object_set (link, cases[i].property, NULL, NULL); /* put right, it starts */
    g_assert_cmpint (gst_element_set_state (link, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state (link, GST_STATE_NULL);
    gst_element_set_bus (link, NULL);
    gst_object_unref (bus);
    gst_object_unref (link);
  }
}

static void
test_a_trace_is_the_capacity (void)
{
  GstElement *link = gst_element_factory_make ("weirlink", NULL);
  GstStructure *stats;
  gint64 capacity = 0;
  gchar *name;
  gint fd = g_file_open_tmp ("trace-XXXXXX", &name, NULL);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (name, "2\n5\n5\n10\n", -1, NULL));
  g_object_set (link, "trace-location", name, NULL);
  gst_util_set_object_arg (G_OBJECT (link), "discipline", "fq_codel");
  g_assert_cmpint (gst_element_set_state (link, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_SUCCESS);
  g_object_get (link, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_int64 (stats, "capacity", &capacity));
  g_assert_cmpint (capacity, ==, 4800000);
  gst_structure_free (stats);
  g_object_set (link, "capacity", G_GUINT64_CONSTANT (1000000), NULL); /* ends the trace */
  g_object_get (link, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_int64 (stats, "capacity", &capacity));
  g_assert_cmpint (capacity, ==, 1000000);
  gst_structure_free (stats);
  gst_element_set_state (link, GST_STATE_NULL);
  gst_object_unref (link);
  g_remove (name);
  g_free (name);
}

static void
test_a_queue_without_limit_is_refused (void)
{
  GstElement *link = gst_element_factory_make ("weirlink", NULL);
  GstBus *bus = gst_bus_new ();
  gchar *text;
  gst_element_set_bus (link, bus);
  g_object_set (link, "queue-time", G_GUINT64_CONSTANT (0), NULL);
  g_assert_cmpint (gst_element_set_state (link, GST_STATE_PAUSED), ==, GST_STATE_CHANGE_FAILURE);
  text = next_text (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (strstr (text, "limit"));
  g_free (text);
  gst_element_set_state (link, GST_STATE_NULL);
  gst_element_set_bus (link, NULL);
  gst_object_unref (bus);
  gst_object_unref (link);
}

static void
test_arrival_becomes_the_timestamp (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=20000000");
  GstBuffer *buffer = rig_packet (0, 1250);
  GST_BUFFER_PTS (buffer) = MS (777);
  gst_harness_push (rig->h, buffer);
  rig_run (rig, MS (100));
  buffer = gst_harness_pull (rig->h);
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, MS (30));
  g_assert_cmpuint (GST_BUFFER_DTS (buffer), ==, MS (30));
  gst_buffer_unref (buffer);
  rig_free (rig);
}

/* Running time counts, whatever the segment; and only RTP is stamped. */
static void
test_arrival_respects_the_segment (void)
{
  static const struct
  {
    const gchar *properties, *caps;
    GstClockTime pts;
  } cases[] = { { "capacity=1000000", RTP_CAPS, 3600 * GST_SECOND + MS (10) },
                { "capacity=1000000 arrival-time=false", RTP_CAPS, MS (777) },
                { "capacity=1000000 overhead=0", "application/octet-stream", MS (777) } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = rig_new (cases[i].properties);
    GstBuffer *buffer = rig_packet (0, i == 2 ? 1278 : 1250);
    GstSegment segment;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.start = 3600 * GST_SECOND;
    gst_harness_set_src_caps_str (rig->h, cases[i].caps);
    gst_harness_push_event (rig->h, gst_event_new_segment (&segment));
    GST_BUFFER_PTS (buffer) = MS (777);
    gst_harness_push (rig->h, buffer);
    rig_run (rig, MS (100));
    buffer = gst_harness_pull (rig->h);
    g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, cases[i].pts);
    gst_buffer_unref (buffer);
    rig_free (rig);
  }
}

static void
test_statistics_are_posted (void)
{
  Rig *rig = rig_new ("capacity=1000000");
  GstBus *bus = gst_bus_new ();
  guint posted = 0;
  GstMessage *message;
  gst_element_set_bus (rig->link, bus);
  rig_offer (rig, 0, 3, 1250);
  rig_run (rig, MS (5500));
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *stats = gst_message_get_structure (message);
    gint64 time, delivered;
    g_assert_true (gst_structure_has_name (stats, "weir-stats"));
    g_assert_true (gst_structure_get_int64 (stats, "time", &time));
    g_assert_true (gst_structure_get_int64 (stats, "delivered-packets", &delivered));
    g_assert_false (gst_structure_has_field (stats, "sink_0")); /* one line for people */
    g_assert_cmpint (time, ==, (gint64) GST_SECOND * ++posted);
    g_assert_cmpint (delivered, ==, 3);
    gst_message_unref (message);
  }
  g_assert_cmpuint (posted, ==, 5);
  gst_element_set_bus (rig->link, NULL);
  gst_object_unref (bus);
  rig_free (rig);
}

static void
test_log_has_ten_lines_a_second (void)
{
  gchar *name = NULL, *text, *content = NULL;
  gchar **lines;
  Rig *rig;
  g_close (g_file_open_tmp ("weirlink-XXXXXX.csv", &name, NULL), NULL);
  text = g_strdup_printf ("capacity=1000000 cross-traffic=cbr:200k log-location=%s", name);
  rig = rig_new (text);
  for (guint i = 0; i < 40; i++) {
    rig_offer (rig, i, 1, 1250);
    rig_run (rig, MS (50) * (i + 1));
  }
  rig_free (rig);
  g_assert_true (g_file_get_contents (name, &content, NULL, NULL));
  lines = g_strsplit (content, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 22); /* header, 20 lines, the end */
  g_assert_true (g_str_has_prefix (lines[10], "1.000,1000000,200000,200000,"));
  g_strfreev (lines);
  g_free (content);
  g_free (text);
  g_unlink (name);
  g_free (name);
}

static void
test_starts_and_stops_many_times (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=5000000 cross-traffic=reno");
  rig_add_pair (rig);
  for (guint i = 0; i < 100; i++) {
    GstState through = i % 3 == 0 ? GST_STATE_PAUSED : GST_STATE_READY;
    gst_harness_push (rig->h, rig_packet (i, 500));
    gst_harness_push (rig->h2, rig_packet (i, 500));
    g_assert_cmpint (gst_element_set_state (rig->link, through), ==, GST_STATE_CHANGE_SUCCESS);
    if (i % 5 == 0) {
      gst_element_set_state (rig->link, GST_STATE_NULL);
    }
    g_assert_cmpint (gst_element_set_state (rig->link, GST_STATE_PLAYING), ==,
                     GST_STATE_CHANGE_SUCCESS);
  }
  rig_free (rig);
}

/* On the real clock: nothing stands still, nothing is left behind. */
static void
test_runs_on_the_system_clock (void)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (
      "fakesrc num-buffers=300 sizetype=2 sizemax=1000 ! weirlink name=l capacity=50000000 "
      "delay=3000000 jitter=1000000 cross-traffic=\"reno*2;cbr:5M\" queue-time=3000000000 ! "
      "fakesink name=s "
      "fakesrc num-buffers=300 sizetype=2 sizemax=1000 ! l.sink_1 l.src_1 ! fakesink",
      &error);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstElement *link = gst_bin_get_by_name (GST_BIN (pipeline), "l");
  GstStructure *stats;
  GstMessage *message;
  gint64 delivered, lost;
  g_assert_no_error (error);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_message_unref (message);
  g_object_get (link, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_int64 (stats, "delivered-packets", &delivered));
  g_assert_true (gst_structure_get_int64 (stats, "lost-packets", &lost));
  g_assert_cmpint (delivered + lost, ==, 600);
  gst_structure_free (stats);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (link);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/weirlink/wrong_texts_stop_the_start_and_are_named",
                   test_wrong_texts_stop_the_start_and_are_named);
  g_test_add_func ("/gst/weirlink/a_trace_is_the_capacity", test_a_trace_is_the_capacity);
  g_test_add_func ("/gst/weirlink/a_queue_without_limit_is_refused",
                   test_a_queue_without_limit_is_refused);
  g_test_add_func ("/gst/weirlink/arrival_becomes_the_timestamp",
                   test_arrival_becomes_the_timestamp);
  g_test_add_func ("/gst/weirlink/arrival_respects_the_segment", test_arrival_respects_the_segment);
  g_test_add_func ("/gst/weirlink/statistics_are_posted", test_statistics_are_posted);
  g_test_add_func ("/gst/weirlink/log_has_ten_lines_a_second", test_log_has_ten_lines_a_second);
  g_test_add_func ("/gst/weirlink/starts_and_stops_many_times", test_starts_and_stops_many_times);
  g_test_add_func ("/gst/weirlink/runs_on_the_system_clock", test_runs_on_the_system_clock);
  return g_test_run ();
}
