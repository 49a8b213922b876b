/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link/link_harness.h"

#define PACKET 1250 /* 10 ms at 1 Mbit/s */

static GstEvent *
marker (const gchar *name)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty (name));
}

/* Puts events between packets and checks that what leaves has the same order. */
static void
test_events_keep_their_place_among_packets (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=20000000");
  gint place = -1;
  for (guint i = 0; i < 5; i++) {
    rig_offer (rig, 2 * i, 2, 125);
    g_assert_true (gst_harness_push_event (rig->h, marker ("between")));
  }
  rig_run (rig, MS (200));
  for (guint i = 0, packets = 0, events = 0; i < rig->seen[0].n; i++) {
    guint id = rig->seen[0].id[i];
    if (id < EVENT_ID) {
      g_assert_cmpuint (id, ==, packets++);
      g_assert_cmpuint (id / 2, ==, events);
    } else if (id == EVENT_ID + GST_EVENT_CUSTOM_DOWNSTREAM) {
      events++;
      place = (gint) i;
      g_assert_cmpuint (rig->seen[0].at[i], ==, rig->seen[0].at[i - 1]); /* no delay of its own */
    }
  }
  g_assert_cmpint (place, ==, (gint) rig->seen[0].n - 1);
  rig_free (rig);
}

static void
test_event_on_an_empty_link_leaves_at_once (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=20000000");
  gst_harness_push_event (rig->h, marker ("alone"));
  rig_run (rig, 0);
  g_assert_cmpint (rig_place (rig, 0, EVENT_ID + GST_EVENT_CUSTOM_DOWNSTREAM), >=, 0);
  g_assert_cmpint (rig_place (rig, 0, EVENT_ID + GST_EVENT_CAPS), >=, 0);
  rig_free (rig);
}

static void
test_eos_follows_the_last_packet (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=50000000");
  gint eos;
  rig_offer (rig, 0, 3, PACKET);
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  rig_run (rig, MS (79));
  g_assert_cmpint (rig_place (rig, 0, EVENT_ID + GST_EVENT_EOS), ==, -1);
  rig_run (rig, MS (80));
  eos = rig_place (rig, 0, EVENT_ID + GST_EVENT_EOS);
  g_assert_cmpint (eos, ==, rig_place (rig, 0, 2) + 1);
  g_assert_cmpuint (rig->seen[0].at[eos], ==, MS (80));
  rig_free (rig);
}

static void
test_eos_passes_packets_that_are_lost (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=50000000 loss=1");
  gint eos;
  rig_offer (rig, 0, 2, PACKET);
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  rig_run (rig, MS (100));
  g_assert_cmpuint (rig_count (rig, 0), ==, 0);
  eos = rig_place (rig, 0, EVENT_ID + GST_EVENT_EOS);
  g_assert_cmpint (eos, >=, 0);
  g_assert_cmpuint (rig->seen[0].at[eos], ==, MS (20)); /* when the second was lost */
  rig_free (rig);
}

static void
read_statistics (gpointer user)
{
  Rig *rig = user;
  rig_stat (rig, "offered-packets");
}

/* Whoever made a buffer is told when it is freed, and may ask the element something then. */
static void
test_what_does_not_arrive_is_freed_without_a_lock (void)
{
  static const gchar *const links[]
      = { "capacity=1000000 loss=1", "capacity=1000000 corrupt=1", "capacity=1000000 duplicate=1",
          "capacity=0 queue-packets=1", "capacity=0 queue-packets=10" };
  static guint8 lent[100000];
  for (guint i = 0; i < G_N_ELEMENTS (links); i++) {
    Rig *rig = rig_new (links[i]);
    for (guint k = 0; k < 4; k++) {
      gsize size = k == 3 ? sizeof lent : 100; /* that is no packet */
      gst_harness_push (rig->h, gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, lent, size,
                                                             0, size, rig, read_statistics));
    }
    rig_run (rig, MS (100));
    gst_harness_push_event (rig->h, gst_event_new_flush_start ());
    gst_harness_push_event (rig->h, gst_event_new_flush_stop (TRUE));
    rig_free (rig);
  }
}

static void
test_eos_passes_packets_that_are_dropped (void)
{
  Rig *rig = rig_new ("capacity=0 queue-packets=2");
  rig_offer (rig, 0, 5, PACKET);
  g_object_set (rig->link, "capacity", G_GUINT64_CONSTANT (1000000), NULL);
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  rig_run (rig, MS (100));
  g_assert_cmpuint (rig_count (rig, 0), ==, 2);
  g_assert_cmpint (rig_place (rig, 0, EVENT_ID + GST_EVENT_EOS), >=, 0);
  rig_free (rig);
}

/* An outage that does not end must not hold up the end of the stream. */
static void
test_eos_gives_up_after_two_seconds_of_outage (void)
{
  Rig *rig = rig_new ("capacity=0 delay=50000000 queue-packets=10");
  gint eos;
  rig_offer (rig, 0, 2, PACKET);
  gst_harness_push_event (rig->h, marker ("between"));
  rig_offer (rig, 2, 1, PACKET);
  rig_run (rig, MS (500));
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  rig_run (rig, MS (2549));
  g_assert_cmpint (rig_place (rig, 0, EVENT_ID + GST_EVENT_EOS), ==, -1);
  g_assert_cmpint (rig_stat (rig, "dropped-at-end"), ==, 0);
  rig_run (rig, MS (2700));
  eos = rig_place (rig, 0, EVENT_ID + GST_EVENT_EOS);
  g_assert_cmpint (eos, >, rig_place (rig, 0, EVENT_ID + GST_EVENT_CUSTOM_DOWNSTREAM));
  g_assert_cmpuint (rig->seen[0].at[eos], ==, MS (2550)); /* 2 s and the propagation */
  g_assert_cmpuint (rig_count (rig, 0), ==, 0);
  g_assert_cmpint (rig_stat (rig, "dropped-at-end"), ==, 3);
  g_assert_cmpint (rig_stat (rig, "lost-packets"), ==, 3);
  g_assert_cmpint (rig_stat (rig, "sink_0/dropped-at-end"), ==, 3);
  g_assert_cmpint (rig_stat (rig, "sink_0/lost-packets"), ==, 3);
  rig_free (rig);
}

/* Slow is no outage, and neither is a short one: nothing is given up. */
static void
test_eos_waits_for_a_link_that_carries (void)
{
  static const gchar *const links[] = { "capacity=4000 queue-packets=10 queue-time=60000000000",
                                        "schedule=\"0:0,1.9:1M\" queue-packets=10",
                                        "schedule=\"0:0,1:1M,1.015:0,2.9:1M\" queue-packets=10" };

  for (guint i = 0; i < G_N_ELEMENTS (links); i++) {
    Rig *rig = rig_new (links[i]);
    g_test_message ("%s", links[i]);
    rig_offer (rig, 0, 3, PACKET);
    gst_harness_push_event (rig->h, gst_event_new_eos ());
    rig_run (rig, MS (20000));
    g_assert_cmpint (rig_place (rig, 0, EVENT_ID + GST_EVENT_EOS), ==, rig_place (rig, 0, 2) + 1);
    g_assert_cmpuint (rig_count (rig, 0), ==, 3);
    g_assert_cmpint (rig_stat (rig, "dropped-at-end"), ==, 0);
    rig_free (rig);
  }
}

/* One pad's end is not the other's: packets without an EOS behind them wait for the link. */
static void
test_only_what_is_before_an_eos_is_given_up (void)
{
  Rig *rig = rig_new ("capacity=0 queue-packets=10");
  rig_add_pair (rig);
  rig_offer (rig, 0, 2, PACKET);
  g_assert_cmpint (gst_harness_push (rig->h2, rig_packet (7, PACKET)), ==, GST_FLOW_OK);
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  rig_run (rig, MS (5000));
  rig_await (rig, 0, EVENT_ID + GST_EVENT_EOS);
  g_assert_cmpint (rig_stat (rig, "dropped-at-end"), ==, 2);
  g_object_set (rig->link, "capacity", G_GUINT64_CONSTANT (1000000), NULL);
  rig_run (rig, MS (6000));
  g_assert_cmpuint (rig_count (rig, 0), ==, 0);
  g_assert_cmpint (rig_stat (rig, "sink_1/delivered-packets"), ==, 1);
  rig_await (rig, 1, 7);
  rig_free (rig);
}

/* The link delivers late packets after later ones, but never across an event. */
static void
test_no_packet_is_reordered_past_an_event (void)
{
  Rig *rig = rig_new ("capacity=1000000 reorder=0.4 reorder-delay=30000000 duplicate=0.2 seed=11");
  guint copies = 0;
  for (guint i = 0; i < 60; i++) {
    rig_offer (rig, i, 1, 125);
    if (i % 5 == 4) {
      gst_harness_push_event (rig->h, marker ("fence"));
    }
  }
  rig_run (rig, MS (900));
  for (guint i = 0, fences = 0; i < rig->seen[0].n; i++) {
    guint id = rig->seen[0].id[i];
    fences += id == EVENT_ID + GST_EVENT_CUSTOM_DOWNSTREAM;
    if (id < EVENT_ID) {
      g_assert_cmpuint (id / 5, ==, fences);
      copies++;
    }
  }
  g_assert_cmpuint (copies, >, 60);
  g_assert_cmpint (rig_stat (rig, "sink_0/delivered-packets"), ==, copies);
  rig_free (rig);
}

static void
test_caps_change_arrives_with_its_packets (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=50000000");
  GstBuffer *buffer;
  GstCaps *caps;
  rig_offer (rig, 0, 1, 125);
  rig_run (rig, MS (10));
  gst_harness_set_src_caps_str (rig->h, "application/x-rtp,media=audio");
  caps = gst_pad_get_current_caps (rig->h->sinkpad);
  g_assert_cmpstr (gst_structure_get_string (gst_caps_get_structure (caps, 0), "media"), ==,
                   "video");
  gst_caps_unref (caps);
  rig_offer (rig, 1, 1, 125);
  rig_run (rig, MS (100));
  while ((buffer = gst_harness_try_pull (rig->h)) != NULL) {
    gst_buffer_unref (buffer);
  }
  caps = gst_pad_get_current_caps (rig->h->sinkpad);
  g_assert_cmpstr (gst_structure_get_string (gst_caps_get_structure (caps, 0), "media"), ==,
                   "audio");
  gst_caps_unref (caps);
  rig_free (rig);
}

static void
test_flush_drops_what_is_under_way (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=50000000");
  GstSegment segment;
  rig_offer (rig, 0, 5, PACKET);
  rig_run (rig, MS (65)); /* one has arrived */
  g_assert_cmpuint (rig_count (rig, 0), ==, 1);
  g_assert_true (gst_harness_push_event (rig->h, gst_event_new_flush_start ()));
  g_assert_cmpint (gst_harness_push (rig->h, rig_packet (90, 125)), ==, GST_FLOW_FLUSHING);
  g_assert_true (gst_harness_push_event (rig->h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (rig->h, gst_event_new_segment (&segment));
  rig_offer (rig, 10, 1, PACKET);
  rig_run (rig, MS (300));
  g_assert_cmpuint (rig_count (rig, 0), ==, 2);
  g_assert_cmpuint (rig_buffer (rig, 0, 1, NULL), ==, 10);
  rig_free (rig);
}

/* A sticky event that waits for packets survives the flush; EOS and SEGMENT do not. */
static void
test_flush_keeps_sticky_events (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=50000000");
  GstPad *srcpad = gst_element_get_static_pad (rig->link, "src_0");
  GstCaps *caps;
  rig_run (rig, 0);
  rig_offer (rig, 0, 1, PACKET);
  gst_harness_set_src_caps_str (rig->h, "application/x-rtp,media=audio");
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  gst_harness_push_event (rig->h, gst_event_new_flush_start ());
  gst_harness_push_event (rig->h, gst_event_new_flush_stop (TRUE));
  caps = gst_pad_get_current_caps (srcpad);
  g_assert_cmpstr (gst_structure_get_string (gst_caps_get_structure (caps, 0), "media"), ==,
                   "audio");
  gst_caps_unref (caps);
  g_assert_null (gst_pad_get_sticky_event (srcpad, GST_EVENT_EOS, 0));
  rig_run (rig, MS (300));
  g_assert_cmpint (rig_place (rig, 0, EVENT_ID + GST_EVENT_EOS), ==, -1);
  gst_object_unref (srcpad);
  rig_free (rig);
}

static void
on_caps (G_GNUC_UNUSED GObject *pad, G_GNUC_UNUSED GParamSpec *spec, gpointer rig)
{
  read_statistics (rig);
}

/* Whoever follows the caps of the src pad may ask the element something. */
static void
test_flush_stores_events_without_a_lock (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=50000000");
  GstPad *srcpad = gst_element_get_static_pad (rig->link, "src_0");
  rig_run (rig, 0);
  rig_offer (rig, 0, 1, PACKET);
  gst_harness_set_src_caps_str (rig->h, "application/x-rtp,media=audio");
  g_signal_connect (srcpad, "notify::caps", G_CALLBACK (on_caps), rig);
  gst_harness_push_event (rig->h, gst_event_new_flush_start ());
  gst_harness_push_event (rig->h, gst_event_new_flush_stop (TRUE));
  GstCaps *caps = gst_pad_get_current_caps (srcpad);
  g_assert_cmpstr (gst_structure_get_string (gst_caps_get_structure (caps, 0), "media"), ==,
                   "audio");
  gst_caps_unref (caps);
  g_signal_handlers_disconnect_by_data (srcpad, rig);
  gst_object_unref (srcpad);
  rig_free (rig);
}

static void
test_nothing_leaks_when_stopped_in_the_middle (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=50000000 duplicate=0.5 reorder=0.5");
  GstBuffer *kept = rig_packet (0, 125);
  gst_harness_push (rig->h, gst_buffer_ref (kept));
  rig_offer (rig, 1, 20, 125);
  gst_harness_push_event (rig->h, marker ("waits"));
  rig_offer (rig, 21, 20, 125);
  rig_run (rig, MS (55));
  gst_element_set_state (rig->link, GST_STATE_NULL);
  while (gst_harness_buffers_in_queue (rig->h) > 0) {
    gst_buffer_unref (gst_harness_pull (rig->h));
  }
  g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT_VALUE (kept), ==, 1);
  gst_buffer_unref (kept);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/weirlink_order/events_keep_their_place_among_packets",
                   test_events_keep_their_place_among_packets);
  g_test_add_func ("/gst/weirlink_order/event_on_an_empty_link_leaves_at_once",
                   test_event_on_an_empty_link_leaves_at_once);
  g_test_add_func ("/gst/weirlink_order/eos_follows_the_last_packet",
                   test_eos_follows_the_last_packet);
  g_test_add_func ("/gst/weirlink_order/eos_passes_packets_that_are_lost",
                   test_eos_passes_packets_that_are_lost);
  g_test_add_func ("/gst/weirlink_order/what_does_not_arrive_is_freed_without_a_lock",
                   test_what_does_not_arrive_is_freed_without_a_lock);
  g_test_add_func ("/gst/weirlink_order/eos_passes_packets_that_are_dropped",
                   test_eos_passes_packets_that_are_dropped);
  g_test_add_func ("/gst/weirlink_order/eos_gives_up_after_two_seconds_of_outage",
                   test_eos_gives_up_after_two_seconds_of_outage);
  g_test_add_func ("/gst/weirlink_order/eos_waits_for_a_link_that_carries",
                   test_eos_waits_for_a_link_that_carries);
  g_test_add_func ("/gst/weirlink_order/only_what_is_before_an_eos_is_given_up",
                   test_only_what_is_before_an_eos_is_given_up);
  g_test_add_func ("/gst/weirlink_order/no_packet_is_reordered_past_an_event",
                   test_no_packet_is_reordered_past_an_event);
  g_test_add_func ("/gst/weirlink_order/caps_change_arrives_with_its_packets",
                   test_caps_change_arrives_with_its_packets);
  g_test_add_func ("/gst/weirlink_order/flush_drops_what_is_under_way",
                   test_flush_drops_what_is_under_way);
  g_test_add_func ("/gst/weirlink_order/flush_keeps_sticky_events", test_flush_keeps_sticky_events);
  g_test_add_func ("/gst/weirlink_order/flush_stores_events_without_a_lock",
                   test_flush_stores_events_without_a_lock);
  g_test_add_func ("/gst/weirlink_order/nothing_leaks_when_stopped_in_the_middle",
                   test_nothing_leaks_when_stopped_in_the_middle);
  return g_test_run ();
}
