/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pacing task does besides packets: notifications and statistics in their time, and
 * nothing while there is nothing to do. */
#include "send/send_harness.h"

typedef struct
{
  guint target, estimated;
  guint last_bps;
  GstClockTime last_ns;
  GstClockTime shortest_ns;
} Notified;

static void
on_target (GstElement *send, G_GNUC_UNUSED GParamSpec *spec, gpointer user)
{
  Notified *notified = user;
  GstClock *clock = gst_system_clock_obtain ();
  GstClockTime now_ns = gst_clock_get_time (clock);
  gst_object_unref (clock);
  if (notified->target++ > 0) {
    notified->shortest_ns = MIN (notified->shortest_ns, now_ns - notified->last_ns);
  }
  notified->last_ns = now_ns;
  g_object_get (send, "target-bitrate", &notified->last_bps, NULL);
}

static void
on_estimated (G_GNUC_UNUSED GstElement *send, G_GNUC_UNUSED GParamSpec *spec, gpointer user)
{
  ((Notified *) user)->estimated++;
}

static void
test_changes_are_notified_at_most_twenty_times_a_second (void)
{
  Rig *rig = rig_new_idle ("algorithm=fixed encoders=none");
  Notified notified = { .shortest_ns = GST_CLOCK_TIME_NONE };
  g_signal_connect (rig->send, "notify::target-bitrate", G_CALLBACK (on_target), &notified);
  g_signal_connect (rig->send, "notify::estimated-bitrate", G_CALLBACK (on_estimated), &notified);
  rig->h = gst_harness_new_with_element (rig->send, "sink", "src");
  gst_harness_use_systemclock (rig->h);
  for (guint i = 0; i < 200; i++) { /* every 5 ms another maximum, each 2 % lower */
    guint max_bps = (guint) (290000 * (1 - 0.004 * i));
    g_object_set (rig->send, "max-bitrate", max_bps, NULL);
    rig_run_until (rig, (i + 1) * 5 * GST_MSECOND);
  }
  rig_run_until (rig, 1100 * GST_MSECOND);
  g_assert_cmpuint (notified.target, >=, 10);
  g_assert_cmpuint (notified.target, <=, 23);
  g_assert_cmpuint (notified.target, ==, notified.estimated);
  g_assert_cmpuint (notified.shortest_ns, >=, 50 * GST_MSECOND);
  guint target_bps = 0;
  guint estimated_bps = 0;
  g_object_get (rig->send, "target-bitrate", &target_bps, "estimated-bitrate", &estimated_bps,
                NULL);
  g_assert_cmpuint (target_bps, ==, estimated_bps);
  g_assert_cmpuint (target_bps, ==, (guint) (290000 * (1 - 0.004 * 199)));
  rig_free (rig);
}

static void
test_statistics_are_posted_in_their_interval (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  g_object_set (rig->send, "stats-interval", (guint64) (200 * GST_MSECOND), NULL);
  for (guint i = 0; i < 5; i++) {
    g_assert_cmpint (gst_harness_push (rig->h, rtp (i, 1172)), ==, GST_FLOW_OK);
  }
  rig_run_until (rig, 1050 * GST_MSECOND);
  guint n = 0;
  GstMessage *message;
  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ELEMENT)) != NULL) {
    guint64 sent = 0;
    const GstStructure *stats = gst_message_get_structure (message);
    g_assert_true (gst_structure_has_name (stats, "weir-stats"));
    g_assert_true (gst_structure_get_uint64 (stats, "packets-sent", &sent));
    g_assert_cmpuint (sent, ==, 5);
    gst_message_unref (message);
    n++;
  }
  g_assert_cmpuint (n, ==, 5);
  g_object_set (rig->send, "stats-interval", (guint64) 0, NULL);
  rig_free (rig);
}

/* With nothing to send and nothing to report, the clock is left alone. */
static void
test_idle_means_asleep (void)
{
  GstTestClock *clock = test_clock_begin ();
  GstHarness *h = gst_harness_new_parse ("weirsend stats-interval=0 encoders=none");
  gst_harness_set_src_caps_str (h, VIDEO_CAPS);
  while (gst_harness_events_received (h) < 3) {
    g_thread_yield ();
  }
  for (guint i = 0; i < 100; i++) {
    g_assert_cmpuint (gst_test_clock_peek_id_count (clock), ==, 0);
    g_thread_yield ();
  }
  gst_harness_teardown (h);
  gst_system_clock_set_default (NULL);
  gst_object_unref (clock);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_task/" #name, test_##name)
  ADD (changes_are_notified_at_most_twenty_times_a_second);
  ADD (statistics_are_posted_in_their_interval);
  ADD (idle_means_asleep);
  return g_test_run ();
}
