/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recv/recv_harness.h"

/* n packets, one every 10 ms, each one in `lose_every` lost. */
static void
stream (Rig *rig, guint from, guint n, gboolean wide, guint lose_every)
{
  for (guint i = from; i < from + n; i++) {
    rig_send (rig, (guint16) i, wide, lose_every > 0 && i % lose_every == lose_every - 1);
    rig_run (rig, MS (1000) + MS (10) * (i + 1));
    rig_read (rig);
  }
}

static void
test_every_format_is_understood_by_a_sender (void)
{
  struct weir_feedback_info info;
  for (gsize i = 0; weir_feedback_get_info (i, &info); i++) {
    if (!info.is_written) {
      continue;
    }
    gchar *text = g_strdup_printf ("feedback-format=%s", info.name);
    Rig *rig = rig_new (text, info.transport_wide ? TWCC_CAPS : RTP_CAPS);
    struct weir_sender_stats stats;
    stream (rig, 0, 300, info.transport_wide, 0);
    weir_sender_get_stats (rig->sender, &stats);
    /* In 3 s: one in 100 ms, of those on packets more. */
    g_assert_cmpuint (stats.feedback_packets[i], >=, info.tells_packets ? 25 : 8);
    g_assert_cmpuint (stats.rtcp_malformed, ==, 0);
    if (info.tells_packets) { /* all but the last few are known to have arrived */
      g_assert_cmpuint (stats.packets_received, >=, 290);
      g_assert_cmpuint (stats.packets_lost, ==, 0);
    }
    g_assert_cmpfloat (rig_stat (rig, "feedback-packets"), ==, rig->datagrams);
    rig_free (rig);
    g_free (text);
  }
}

static void
test_losses_are_reported (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  struct weir_sender_stats stats;
  stream (rig, 0, 300, FALSE, 10);
  weir_sender_get_stats (rig->sender, &stats);
  g_assert_cmpuint (stats.packets_lost, >=, 27);
  g_assert_cmpuint (stats.packets_lost, <=, 30);
  g_assert_cmpfloat (rig_stat (rig, "loss-ratio"), >, 0.08);
  g_assert_cmpfloat (rig_stat (rig, "loss-ratio"), <, 0.12);
  rig_free (rig);
}

static void
test_first_packet_is_answered_at_once (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  rig_send (rig, 0, FALSE, FALSE);
  rig_run (rig, MS (1000));
  g_assert_cmpuint (rig_read (rig), ==, 1);
  rig_free (rig);
}

static void
test_interval_is_kept (void)
{
  Rig *rig = rig_new ("feedback-interval=80000000", RTP_CAPS);
  guint n;
  stream (rig, 0, 100, FALSE, 0);
  n = rig->datagrams;
  g_assert_cmpuint (n, >=, 11); /* 1 s / 80 ms, and the first */
  g_assert_cmpuint (n, <=, 15); /* and full compounds */
  g_object_set (rig->recv, "feedback-interval", MS (20), NULL);
  stream (rig, 100, 100, FALSE, 0);
  g_assert_cmpuint (rig->datagrams - n, >=, 40);
  rig_free (rig);
}

/* The receiver asks for the round-trip time; a sender that answers makes feedback follow it. */
static void
test_automatic_interval_follows_the_round_trip (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  GstHarness *in = gst_harness_new_with_element (rig->recv, "rtcp_sink", NULL);
  guint before = 0;
  gst_harness_set_src_caps_str (in, "application/x-rtcp");
  for (guint i = 0; i < 600; i++) {
    uint8_t report[200];
    size_t len = 0;
    rig_send (rig, (guint16) i, FALSE, FALSE);
    rig_run (rig, MS (1000) + MS (10) * (i + 1));
    rig_read (rig);
    if (weir_sender_next_report_ns (rig->sender) <= rig_now (rig)) {
      g_assert_cmpint (weir_sender_build_report (rig->sender, rig_now (rig), 0,
                                                 weir_ntp_from_unix_ns (rig_now (rig)), report,
                                                 sizeof report, &len),
                       ==, WEIR_OK);
      gst_harness_push (in, gst_buffer_new_memdup (report, len));
    }
    if (i == 500) {
      before = rig->datagrams;
    }
  }
  g_assert_cmpfloat (rig_stat (rig, "rtcp-packets"), >, 0);
  g_assert_cmpfloat (rig_stat (rig, "rtt"), >=, 0); /* known */
  g_assert_cmpfloat (rig_stat (rig, "rtt"), <=, 60e6);
  g_assert_cmpuint (rig->datagrams - before, >=, 18);
  gst_harness_teardown (in);
  rig_free (rig);
}

static void
test_nothing_is_sent_before_media_comes (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  rig_run (rig, MS (20000));
  g_assert_cmpuint (rig_read (rig), ==, 0);
  rig_free (rig);
}

static void
test_silence_costs_few_wakeups (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  stream (rig, 0, 50, FALSE, 0);
  rig_run (rig, MS (3000));
  guint wakeups = run_clock (rig->clock, MS (13000));
  g_assert_cmpuint (wakeups, <=, 25); /* in 10 s: a full compound each second */
  g_assert_cmpuint (wakeups, >=, 5);
  rig_free (rig);
}

static void
test_opening_events_go_ahead (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  GstPad *pad = gst_element_get_static_pad (rig->recv, "rtcp_src");
  GstCaps *caps;
  stream (rig, 0, 5, FALSE, 0);
  caps = gst_pad_get_current_caps (pad);
  g_assert_true (gst_structure_has_name (gst_caps_get_structure (caps, 0), "application/x-rtcp"));
  gst_caps_unref (caps);
  gst_object_unref (pad);
  rig_free (rig);
}

static void
test_eos_ends_the_feedback (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  GstEvent *event;
  gboolean ended = FALSE;
  stream (rig, 0, 5, FALSE, 0);
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  while (!ended) {
    event = gst_harness_pull_event (rig->rtcp);
    g_assert_nonnull (event);
    ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  rig_read (rig);
  rig_run (rig, MS (5000));
  g_assert_cmpuint (rig_read (rig), ==, 0);
  rig_free (rig);
}

static void
test_statistics_are_posted (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  guint posted = 0;
  gst_element_set_bus (rig->recv, bus);
  g_object_set (rig->recv, "stats-interval", MS (500), NULL);
  stream (rig, 0, 210, FALSE, 0);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *stats = gst_message_get_structure (message);
    gdouble mos;
    g_assert_true (gst_structure_has_name (stats, "weir-stats"));
    g_assert_true (gst_structure_get_double (stats, "mos", &mos));
    g_assert_cmpfloat (mos, >, 4.0);
    gst_message_unref (message);
    posted++;
  }
  g_assert_cmpuint (posted, ==, 4);
  gst_element_set_bus (rig->recv, NULL);
  gst_object_unref (bus);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/weirrecv_feedback/every_format_is_understood_by_a_sender",
                   test_every_format_is_understood_by_a_sender);
  g_test_add_func ("/gst/weirrecv_feedback/losses_are_reported", test_losses_are_reported);
  g_test_add_func ("/gst/weirrecv_feedback/first_packet_is_answered_at_once",
                   test_first_packet_is_answered_at_once);
  g_test_add_func ("/gst/weirrecv_feedback/interval_is_kept", test_interval_is_kept);
  g_test_add_func ("/gst/weirrecv_feedback/automatic_interval_follows_the_round_trip",
                   test_automatic_interval_follows_the_round_trip);
  g_test_add_func ("/gst/weirrecv_feedback/nothing_is_sent_before_media_comes",
                   test_nothing_is_sent_before_media_comes);
  g_test_add_func ("/gst/weirrecv_feedback/silence_costs_few_wakeups",
                   test_silence_costs_few_wakeups);
  g_test_add_func ("/gst/weirrecv_feedback/opening_events_go_ahead", test_opening_events_go_ahead);
  g_test_add_func ("/gst/weirrecv_feedback/eos_ends_the_feedback", test_eos_ends_the_feedback);
  g_test_add_func ("/gst/weirrecv_feedback/statistics_are_posted", test_statistics_are_posted);
  return g_test_run ();
}
