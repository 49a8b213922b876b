/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flush_race.h"
#include "link/link_harness.h"

static void
assert_pads (GstElement *link, guint n)
{
  g_assert_cmpuint (link->numsinkpads, ==, n);
  g_assert_cmpuint (link->numsrcpads, ==, n);
}

static void
test_either_pad_brings_its_pair (void)
{
  static const gchar *const asked[][2] = {
    { "sink_%u", "src_0" }, { "src_%u", "sink_0" }, { "sink_7", "src_7" }, { "src_3", "sink_3" }
  };

  for (guint i = 0; i < G_N_ELEMENTS (asked); i++) {
    GstElement *link = gst_element_factory_make ("weirlink", NULL);
    GstPad *pad = gst_element_request_pad_simple (link, asked[i][0]);
    GstPad *other = gst_element_get_static_pad (link, asked[i][1]);
    g_assert_nonnull (pad);
    g_assert_nonnull (other);
    assert_pads (link, 1);
    gst_element_release_request_pad (link, other);
    assert_pads (link, 0);
    gst_object_unref (pad);
    gst_object_unref (other);
    g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (link), ==, 1);
    gst_object_unref (link);
  }
}

static void
test_numbers_are_never_given_twice (void)
{
  GstElement *link = gst_element_factory_make ("weirlink", NULL);
  GstPad *five = gst_element_request_pad_simple (link, "sink_5");
  GstPad *next = gst_element_request_pad_simple (link, "src_%u");
  g_assert_cmpstr (GST_PAD_NAME (next), ==, "src_6");
  g_assert_null (gst_element_request_pad_simple (link, "sink_99999999999"));
  assert_pads (link, 2);
  gst_object_unref (five);
  gst_object_unref (next);
  gst_object_unref (link); /* with its pads still there */
}

/* Runs a gst-launch line to its end. */
static void
run_pipeline (const gchar *text)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);
  GstBus *bus;
  GstMessage *message;
  g_assert_no_error (error);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

static void
test_gst_launch_lines_link (void)
{
  run_pipeline ("fakesrc num-buffers=20 sizetype=2 sizemax=500 ! weirlink ! fakesink");
  run_pipeline ("weirlink name=l ! fakesink  fakesrc num-buffers=20 sizetype=2 ! l.");
  run_pipeline ("weirlink name=l  fakesrc num-buffers=20 sizetype=2 ! l.sink_0 l.src_0 ! fakesink "
                "fakesrc num-buffers=20 sizetype=2 ! l.sink_1 l.src_1 ! fakesink");
  run_pipeline ("fakesrc num-buffers=20 sizetype=2 ! weirlink name=l ! fakesink "
                "fakesrc num-buffers=9 sizetype=2 ! l. l. ! fakesink");
  run_pipeline ("videotestsrc num-buffers=5 ! video/x-raw,width=64,height=64 ! rtpvrawpay mtu=300 "
                "! weirlink capacity=20000000 ! rtpvrawdepay ! fakesink");
}

static void
test_pads_come_and_go_while_playing (void)
{
  Rig *rig = rig_new ("capacity=10000000 delay=2000000");
  for (guint round = 0; round < 30; round++) {
    gchar *sink_name = g_strdup_printf ("sink_%u", round + 1);
    gchar *src_name = g_strdup_printf ("src_%u", round + 1);
    GstHarness *h = gst_harness_new_with_element (rig->link, sink_name, src_name);
    GstPad *sink = gst_pad_get_peer (h->srcpad);
    GstPad *src = gst_pad_get_peer (h->sinkpad);
    g_assert_nonnull (sink);
    g_assert_nonnull (src);
    gst_harness_set_src_caps_str (h, RTP_CAPS);
    g_assert_cmpint (gst_harness_push (h, rig_packet (round, 125)), ==, GST_FLOW_OK);
    rig_offer (rig, round, 1, 125);
    if (round % 2 == 0) { /* every other pair goes with a packet under way */
      rig_run (rig, MS (10) * (round + 1));
      gst_buffer_unref (gst_harness_pull (h));
    }
    gst_harness_teardown (h); /* releases the sink pad */
    g_assert_null (gst_object_get_parent (GST_OBJECT (src)));
    gst_object_unref (sink);
    gst_object_unref (src);
    g_free (sink_name);
    g_free (src_name);
  }
  rig_run (rig, MS (400));
  assert_pads (rig->link, 1);
  g_assert_cmpuint (rig_count (rig, 0), ==, 30);
  rig_free (rig);
}

static void
test_lists_are_split_into_packets (void)
{
  Rig *rig = rig_new ("capacity=1000000");
  GstBufferList *list = gst_buffer_list_new ();
  GstClockTime at;
  for (guint i = 0; i < 6; i++) {
    gst_buffer_list_add (list, rig_packet (i, 1250));
  }
  g_assert_cmpint (gst_pad_push_list (rig->h->srcpad, list), ==, GST_FLOW_OK);
  rig_run (rig, MS (100));
  g_assert_cmpuint (rig_count (rig, 0), ==, 6);
  for (guint i = 0; i < 6; i++) {
    g_assert_cmpuint (rig_buffer (rig, 0, i, &at), ==, i);
    g_assert_cmpuint (at, ==, MS (10) * (i + 1));
  }
  rig_free (rig);
}

static void
test_headers_count_for_rtp_only (void)
{
  static const struct
  {
    const gchar *caps;
    gint64 bytes; /* of 100 */
  } cases[] = { { RTP_CAPS, 128 },
                { "application/x-rtcp", 128 },
                { "application/x-srtp", 128 },
                { "application/x-srtcp", 128 },
                { "application/octet-stream", 100 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = rig_new ("capacity=1000000");
    gst_harness_set_src_caps_str (rig->h, cases[i].caps);
    rig_offer (rig, 0, 1, 128);
    g_assert_cmpint (rig_stat (rig, "offered-bytes"), ==, cases[i].bytes);
    rig_free (rig);
  }
}

static void
test_latency_counts_delay_and_queue (void)
{
  Rig *rig = rig_new ("delay=50000000 jitter=3000000 queue-time=200000000");
  gst_harness_set_upstream_latency (rig->h, MS (7));
  g_assert_cmpuint (gst_harness_query_latency (rig->h), ==, MS (260));
  g_object_set (rig->link, "delay", MS (10), NULL);
  g_assert_cmpuint (gst_harness_query_latency (rig->h), ==, MS (220));
  rig_free (rig);
}

static void
test_upstream_events_and_queries_pass (void)
{
  Rig *rig = rig_new ("");
  GstEvent *event;
  GstCaps *caps, *filter = gst_caps_from_string (RTP_CAPS);
  rig_add_pair (rig);
  gst_harness_push_upstream_event (
      rig->h2, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("up")));
  do
    event = gst_harness_pull_upstream_event (rig->h2);
  while (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM && (gst_event_unref (event), TRUE));
  gst_event_unref (event);
  while ((event = gst_harness_try_pull_upstream_event (rig->h)) != NULL) { /* not on the other */
    g_assert_cmpint (GST_EVENT_TYPE (event), !=, GST_EVENT_CUSTOM_UPSTREAM);
    gst_event_unref (event);
  }
  gst_harness_set_sink_caps_str (rig->h, "application/x-rtp,media=video");
  caps = gst_pad_peer_query_caps (rig->h->srcpad, NULL);
  g_assert_true (gst_caps_can_intersect (caps, filter));
  gst_caps_unref (caps);
  caps = gst_caps_from_string ("application/x-rtp,media=audio");
  g_assert_false (gst_pad_peer_query_accept_caps (rig->h->srcpad, caps));
  gst_caps_unref (caps);
  gst_caps_unref (filter);
  rig_free (rig);
}

static void
test_flow_of_one_pair_is_its_own (void)
{
  Rig *rig = rig_new ("capacity=1000000");
  GstPad *src = gst_element_get_static_pad (rig->link, "src_0");
  GstPad *peer = gst_pad_get_peer (src);
  GstFlowReturn result = GST_FLOW_OK;
  guint steps = 0;
  rig_add_pair (rig);
  gst_pad_unlink (src, peer);
  /* A pad's task pushes when it likes: the result of a push is known some packets later. */
  for (guint i = 0; i < 5 || (i < 100 && result == GST_FLOW_OK); i++) {
    result = gst_harness_push (rig->h, rig_packet (i, 125));
    rig_run (rig, MS (10) * ++steps);
    g_assert_cmpint (gst_harness_push (rig->h2, rig_packet (i, 125)), ==, GST_FLOW_OK);
  }
  g_assert_cmpint (result, ==, GST_FLOW_NOT_LINKED);
  g_assert_cmpint (gst_pad_link (src, peer), ==, GST_PAD_LINK_OK);
  gst_harness_push (rig->h, rig_packet (6, 125));
  for (guint i = 0; i < 100 && result != GST_FLOW_OK; i++) {
    rig_run (rig, MS (10) * ++steps);
    result = gst_harness_push (rig->h, rig_packet (7, 125));
  }
  g_assert_cmpint (result, ==, GST_FLOW_OK); /* linked again, it flows again */
  gst_object_unref (peer);
  gst_object_unref (src);
  rig_free (rig);
}

static void
test_giant_buffers_are_dropped_with_a_warning (void)
{
  Rig *rig = rig_new ("capacity=1000000");
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  gst_element_set_bus (rig->link, bus);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpint (gst_harness_push (rig->h, gst_buffer_new_allocate (NULL, 1000001, NULL)), ==,
                     GST_FLOW_OK);
  }
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_assert_nonnull (message);
  gst_message_unref (message);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)); /* once is enough */
  g_assert_cmpint (rig_stat (rig, "sink_0/dropped-packets"), ==, 2);
  gst_element_set_bus (rig->link, NULL);
  gst_object_unref (bus);
  rig_free (rig);
}

static void
test_empty_buffers_travel_too (void)
{
  Rig *rig = rig_new ("capacity=1000000 overhead=0");
  rig_offer (rig, 1, 1, 28);
  rig_run (rig, MS (10));
  g_assert_cmpuint (rig_count (rig, 0), ==, 1);
  rig_free (rig);
}

static void
test_flushes_and_states_from_several_threads (void)
{
  GstElement *link = gst_object_ref_sink (gst_element_factory_make ("weirlink", NULL));
  GstPad *sinkpad = gst_element_request_pad_simple (link, "sink_0");
  GstPad *srcpad = gst_element_get_static_pad (link, "src_0");
  assert_flushes_leave_task_stopped (link, sinkpad, srcpad);
  assert_flushes_end (link, sinkpad);
  gst_element_set_state (link, GST_STATE_NULL);
  gst_object_unref (srcpad);
  gst_object_unref (sinkpad);
  gst_object_unref (link);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/weirlink_pads/either_pad_brings_its_pair",
                   test_either_pad_brings_its_pair);
  g_test_add_func ("/gst/weirlink_pads/numbers_are_never_given_twice",
                   test_numbers_are_never_given_twice);
  g_test_add_func ("/gst/weirlink_pads/gst_launch_lines_link", test_gst_launch_lines_link);
  g_test_add_func ("/gst/weirlink_pads/pads_come_and_go_while_playing",
                   test_pads_come_and_go_while_playing);
  g_test_add_func ("/gst/weirlink_pads/lists_are_split_into_packets",
                   test_lists_are_split_into_packets);
  g_test_add_func ("/gst/weirlink_pads/headers_count_for_rtp_only",
                   test_headers_count_for_rtp_only);
  g_test_add_func ("/gst/weirlink_pads/latency_counts_delay_and_queue",
                   test_latency_counts_delay_and_queue);
  g_test_add_func ("/gst/weirlink_pads/upstream_events_and_queries_pass",
                   test_upstream_events_and_queries_pass);
  g_test_add_func ("/gst/weirlink_pads/flow_of_one_pair_is_its_own",
                   test_flow_of_one_pair_is_its_own);
  g_test_add_func ("/gst/weirlink_pads/giant_buffers_are_dropped_with_a_warning",
                   test_giant_buffers_are_dropped_with_a_warning);
  g_test_add_func ("/gst/weirlink_pads/empty_buffers_travel_too", test_empty_buffers_travel_too);
  g_test_add_func ("/gst/weirlink_pads/flushes_and_states_from_several_threads",
                   test_flushes_and_states_from_several_threads);
  return g_test_run ();
}
