/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link/link_harness.h"

/* 1250 bytes at 1 Mbit/s take 10 ms. */
#define PACKET 1250

static void
test_delay_is_exact (void)
{
  static const GstClockTime delays[] = { 0, 1, 999, 20000000, 123456789 };
  for (guint i = 0; i < G_N_ELEMENTS (delays); i++) {
    gchar *text = g_strdup_printf ("capacity=1000000 delay=%" G_GUINT64_FORMAT, delays[i]);
    Rig *rig = rig_new (text);
    GstClockTime at;
    rig_offer (rig, 0, 1, PACKET);
    rig_run (rig, MS (500));
    g_assert_cmpuint (rig_count (rig, 0), ==, 1);
    rig_buffer (rig, 0, 0, &at);
    g_assert_cmpuint (at, ==, MS (10) + delays[i]);
    rig_free (rig);
    g_free (text);
  }
}

static void
test_packets_leave_one_serialisation_time_apart (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=30000000 queue-time=500000000");
  GstClockTime at;
  rig_offer (rig, 0, 20, PACKET);
  rig_run (rig, MS (600));
  g_assert_cmpuint (rig_count (rig, 0), ==, 20);
  for (guint i = 0; i < 20; i++) {
    g_assert_cmpuint (rig_buffer (rig, 0, i, &at), ==, i);
    g_assert_cmpuint (at, ==, MS (30) + (i + 1) * MS (10));
  }
  rig_free (rig);
}

static void
test_schedule_changes_the_rate_in_time (void)
{
  Rig *rig = rig_new ("schedule=0:1M,1:2M,2:0,3:500k queue-time=2000000000");
  GstClockTime at;
  rig_offer (rig, 0, 1, PACKET);
  rig_run (rig, MS (1000));
  g_assert_cmpint (rig_stat (rig, "capacity"), ==, 2000000);
  rig_offer (rig, 1, 1, PACKET);
  rig_run (rig, MS (2500));
  g_assert_cmpint (rig_stat (rig, "capacity"), ==, 0);
  rig_offer (rig, 2, 1, PACKET);
  g_assert_cmpint (rig_stat (rig, "queue-delay"), ==, G_MAXINT64);
  rig_run (rig, MS (4000));
  g_assert_cmpuint (rig_count (rig, 0), ==, 3);
  rig_buffer (rig, 0, 0, &at);
  g_assert_cmpuint (at, ==, MS (10));
  rig_buffer (rig, 0, 1, &at);
  g_assert_cmpuint (at, ==, MS (1005));
  rig_buffer (rig, 0, 2, &at); /* waited for the end of the outage */
  g_assert_cmpuint (at, ==, MS (3020));
  rig_free (rig);
}

static void
test_capacity_and_delay_may_change_while_playing (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=10000000");
  GstClockTime at;
  rig_offer (rig, 0, 1, PACKET);
  rig_run (rig, MS (100));
  g_object_set (rig->link, "capacity", G_GUINT64_CONSTANT (2000000), "delay", MS (1), NULL);
  rig_offer (rig, 1, 1, PACKET);
  rig_run (rig, MS (200));
  g_object_set (rig->link, "delay", MS (40), NULL);
  rig_offer (rig, 2, 1, PACKET);
  rig_run (rig, MS (300));
  rig_buffer (rig, 0, 0, &at);
  g_assert_cmpuint (at, ==, MS (20));
  rig_buffer (rig, 0, 1, &at);
  g_assert_cmpuint (at, ==, MS (106));
  rig_buffer (rig, 0, 2, &at);
  g_assert_cmpuint (at, ==, MS (245));
  rig_free (rig);
}

static void
test_queue_limits_bound_the_queue (void)
{
  static const struct
  {
    const gchar *limits;
    guint arrive; /* of 50: the one in service, and those in the queue */
  } cases[] = {
    { "queue-packets=7 queue-time=0", 8 },
    { "queue-bytes=5000 queue-time=0", 5 },
    { "queue-time=100000000", 11 },
    { "queue-packets=3 queue-time=100000000", 4 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *text = g_strdup_printf ("capacity=1000000 %s", cases[i].limits);
    Rig *rig = rig_new (text);
    rig_offer (rig, 0, 50, PACKET);
    rig_run (rig, MS (900));
    g_assert_cmpuint (rig_count (rig, 0), ==, cases[i].arrive);
    g_assert_cmpint (rig_stat (rig, "dropped-packets"), ==, 50 - cases[i].arrive);
    g_assert_cmpint (rig_stat (rig, "lost-packets"), ==, 50 - cases[i].arrive);
    g_assert_cmpint (rig_stat (rig, "sink_0/dropped-packets"), ==, 50 - cases[i].arrive);
    rig_free (rig);
    g_free (text);
  }
}

/* Which of n packets arrive, as a string of 0 and 1. */
static gchar *
fates (const gchar *properties, guint n)
{
  Rig *rig = rig_new (properties);
  gchar *text = g_strnfill (n, '0');
  for (guint i = 0; i < n; i++) {
    rig_offer (rig, i, 1, 125);
    rig_run (rig, MS (2) * (i + 1));
  }
  for (guint i = 0, count = rig_count (rig, 0); i < count; i++) {
    text[rig_buffer (rig, 0, i, NULL)] = '1';
  }
  rig_free (rig);
  return text;
}

static void
test_loss_repeats_with_its_seed (void)
{
  gchar *first = fates ("capacity=1000000 loss=0.3 seed=7", 300);
  gchar *again = fates ("capacity=1000000 loss=0.3 seed=7", 300);
  gchar *other = fates ("capacity=1000000 loss=0.3 seed=8", 300);
  guint arrived = 0;
  for (guint i = 0; i < 300; i++) {
    arrived += first[i] == '1';
  }
  g_assert_cmpstr (first, ==, again);
  g_assert_cmpstr (first, !=, other);
  g_assert_cmpuint (arrived, >, 170); /* 210 on average, standard deviation 8 */
  g_assert_cmpuint (arrived, <, 250);
  g_free (first);
  g_free (again);
  g_free (other);
}

static void
test_loss_comes_in_bursts_when_asked (void)
{
  gchar *text = fates ("capacity=1000000 loss=0.3 loss-burst=6 seed=3", 1000);
  guint lost = 0, bursts = 0;
  for (guint i = 0; i < 1000; i++) {
    lost += text[i] == '0';
    bursts += text[i] == '0' && (i == 0 || text[i - 1] == '1');
  }
  g_assert_cmpuint (lost, >, 150);
  g_assert_cmpuint (lost, <, 450);
  g_assert_cmpfloat ((gdouble) lost / bursts, >, 3.5); /* independent losses: 1.4 */
  g_free (text);
}

static void
test_loss_can_begin_while_playing (void)
{
  Rig *rig = rig_new ("capacity=1000000");
  rig_offer (rig, 0, 5, 125);
  rig_run (rig, MS (100));
  g_object_set (rig->link, "loss", 1.0, NULL);
  rig_offer (rig, 5, 5, 125);
  rig_run (rig, MS (200));
  g_assert_cmpuint (rig_count (rig, 0), ==, 5);
  g_assert_cmpint (rig_stat (rig, "sink_0/lost-packets"), ==, 5);
  g_object_set (rig->link, "loss", 0.0, NULL);
  rig_offer (rig, 10, 5, 125);
  rig_run (rig, MS (300));
  g_assert_cmpuint (rig_count (rig, 0), ==, 10);
  rig_free (rig);
}

static void
test_duplicates_arrive_twice (void)
{
  Rig *rig = rig_new ("capacity=1000000 duplicate=1");
  rig_offer (rig, 0, 4, 125);
  rig_run (rig, MS (100));
  g_assert_cmpuint (rig_count (rig, 0), ==, 8);
  for (guint i = 0; i < 8; i++) {
    g_assert_cmpuint (rig_buffer (rig, 0, i, NULL), ==, i / 2);
  }
  rig_free (rig);
}

static void
test_reordered_packets_come_later (void)
{
  Rig *rig = rig_new ("capacity=1000000 reorder=0.3 reorder-delay=20000000 seed=5");
  guint before, late = 0;
  rig_offer (rig, 0, 100, 125);
  rig_run (rig, MS (500));
  g_assert_cmpuint (rig_count (rig, 0), ==, 100);
  before = rig_buffer (rig, 0, 0, NULL);
  for (guint i = 1; i < 100; i++) {
    guint id = rig_buffer (rig, 0, i, NULL);
    late += id < before;
    before = id;
  }
  g_assert_cmpuint (late, >, 5);
  rig_free (rig);
}

static guint
count_bits (GstBuffer *buffer)
{
  GstMapInfo map;
  guint bits = 0;
  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++) {
    for (guint b = 0; b < 8; b++) {
      bits += ((guint) map.data[i] >> b) & 1u;
    }
  }
  gst_buffer_unmap (buffer, &map);
  return bits;
}

static void
test_corrupt_packets_have_one_bit_flipped (void)
{
  Rig *rig = rig_new ("capacity=1000000 corrupt=1");
  for (guint i = 0; i < 10; i++) {
    GstBuffer *sent = rig_packet (i, 125), *got;
    gst_harness_push (rig->h, gst_buffer_ref (sent));
    rig_run (rig, MS (10) * (i + 1));
    got = gst_harness_pull (rig->h);
    g_assert_cmpuint (count_bits (got), ==, 1);
    g_assert_cmpuint (count_bits (sent), ==, 0); /* others may hold it */
    gst_buffer_unref (got);
    gst_buffer_unref (sent);
  }
  rig_free (rig);
}

static void
test_red_drops_before_the_queue_is_full (void)
{
  Rig *rig = rig_new ("capacity=1000000 discipline=red queue-packets=200 queue-time=0 seed=2");
  for (guint i = 0; i < 800; i++) { /* twice the capacity */
    rig_offer (rig, i, 1, PACKET);
    rig_run (rig, MS (5) * (i + 1));
  }
  g_assert_cmpint (rig_stat (rig, "dropped-packets"), >, 100);
  g_assert_cmpint (rig_stat (rig, "queue-packets"), <, 150);
  rig_free (rig);
}

static void
test_two_pairs_share_the_capacity (void)
{
  Rig *rig = rig_new ("capacity=1000000 queue-time=60000000");
  gint64 a, b;
  rig_add_pair (rig);
  for (guint i = 0; i < 400; i++) { /* each pair alone would fill the link, in no fixed order */
    gst_harness_push (i * i % 3 ? rig->h : rig->h2, rig_packet (i, PACKET));
    rig_run (rig, MS (10) * i + MS (i * 7 % 10));
    gst_harness_push (i * i % 3 ? rig->h2 : rig->h, rig_packet (i, PACKET));
    rig_run (rig, MS (10) * (i + 1));
  }
  a = rig_stat (rig, "sink_0/delivered-bytes");
  b = rig_stat (rig, "sink_1/delivered-bytes");
  g_assert_cmpint (a, >, 50000);
  g_assert_cmpint (b, >, 50000);
  g_assert_cmpint (a + b, <=, 500000); /* 4 s at 1 Mbit/s */
  g_assert_cmpint (a + b, >, 480000);
  g_assert_cmpint (a + b, ==, rig_stat (rig, "delivered-bytes"));
  rig_free (rig);
}

static void
test_cross_traffic_takes_its_share (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=10000000 cross-traffic=cbr:600k queue-time=50000000");
  for (guint i = 0; i < 300; i++) { /* 1 Mbit/s of ours beside 0.6 of others */
    rig_offer (rig, i, 1, PACKET);
    rig_run (rig, MS (10) * (i + 1));
  }
  g_assert_cmpint (rig_stat (rig, "cross-bytes"), >, 100000);
  g_assert_cmpint (rig_stat (rig, "delivered-bytes"), <, 280000);
  g_assert_cmpint (rig_stat (rig, "cross-bytes") + rig_stat (rig, "delivered-bytes"), <=, 375000);
  g_assert_cmpint (rig_stat (rig, "cross-goodput-bytes"), >, 0);
  rig_free (rig);
}

/* With cross traffic the element need not wake up for each event, but deliveries stay exact. */
static void
test_delivery_is_exact_beside_cross_traffic (void)
{
  Rig *rig = rig_new ("capacity=10000000 delay=30000000 cross-traffic=\"cbr:5M\"");
  GstClockTime at, stamp;
  GstBuffer *buffer;
  for (guint i = 0; i < 50; i++) {
    rig_offer (rig, i, 1, PACKET);
    rig_run (rig, MS (7) * (i + 1));
  }
  rig_run (rig, MS (500));
  g_assert_cmpuint (rig_count (rig, 0), ==, 50);
  for (guint i = 0; i < 50; i++) {
    rig_buffer (rig, 0, i, &at);
    buffer = gst_harness_pull (rig->h);
    stamp = GST_BUFFER_PTS (buffer);
    g_assert_cmpuint (at, ==, stamp);
    g_assert_cmpuint (at, >=, MS (7) * i + MS (31)); /* 1 ms to send, 30 ms to travel */
    g_assert_cmpuint (at, <=, MS (7) * i + MS (34)); /* at most a cross packet or two before */
    gst_buffer_unref (buffer);
  }
  rig_free (rig);
}

static GstPadProbeReturn
hold (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, G_GNUC_UNUSED gpointer user)
{
  return GST_PAD_PROBE_OK; /* stays blocked */
}

/* Whoever leads: a pad whose sink does not take its packet must not stop the link for others. */
static void
test_blocked_sink_holds_up_its_own_pad_only (void)
{
  Rig *rig = rig_new ("capacity=1000000 delay=1000000 queue-time=1000000000");
  GstPad *src = gst_element_get_static_pad (rig->link, "src_0");
  gulong block;
  rig_add_pair (rig);
  rig_run (rig, 0);
  block = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold, NULL,
                             NULL);
  for (guint i = 0; i < 10; i++) {
    gst_harness_push (rig->h, rig_packet (i, 125));
    gst_harness_push (rig->h2, rig_packet (i, 125));
    rig_run (rig, MS (5) * (i + 1));
  }
  for (guint i = 0; i < 10; i++) {
    gst_buffer_unref (gst_harness_pull (rig->h2));
  }
  g_assert_cmpuint (gst_harness_buffers_received (rig->h), ==, 0);
  gst_pad_remove_probe (src, block);
  for (guint i = 0; i < 10; i++) {
    GstBuffer *buffer = gst_harness_pull (rig->h);
    g_assert_cmpuint (GST_BUFFER_OFFSET (buffer), ==, i);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (src);
  rig_free (rig);
}

/* The task that waits for the next event may vanish with its pad; another takes over. */
static void
test_leader_may_leave (void)
{
  for (guint round = 0; round < 20; round++) {
    Rig *rig = rig_new ("capacity=1000000 delay=5000000");
    rig_add_pair (rig);
    gst_harness_push (rig->h2, rig_packet (7, 125));
    gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
    gst_harness_teardown (rig->h);
    rig->h = rig->h2;
    rig->h2 = NULL;
    rig_run (rig, MS (100));
    gst_buffer_unref (gst_harness_pull (rig->h));
    rig_free (rig);
  }
}

/* A packet planned for a slow link, when the link becomes fast: 1 ms late at most, and its time
 * stamp is right. */
static void
test_rising_capacity_is_noticed_beside_cross_traffic (void)
{
  Rig *rig = rig_new ("schedule=0:100k,1:10M cross-traffic=cbr:50k queue-time=3000000000");
  GstClockTime at;
  GstBuffer *buffer;
  rig_run (rig, MS (500));
  rig_offer (rig, 0, 20, PACKET); /* 2 s at 100 kbit/s */
  rig_run (rig, MS (1200));
  g_assert_cmpuint (rig_count (rig, 0), ==, 20);
  for (guint i = 0; i < 20; i++) {
    rig_buffer (rig, 0, i, &at);
    buffer = gst_harness_pull (rig->h);
    g_assert_cmpuint (at, >=, GST_BUFFER_PTS (buffer));
    g_assert_cmpuint (at - GST_BUFFER_PTS (buffer), <=, MS (1));
    gst_buffer_unref (buffer);
  }
  rig_free (rig);
}

/* More packets than a timer can tell apart leave in small groups, none early, none 200 us late. */
static void
test_dense_packets_leave_in_groups (void)
{
  Rig *rig = rig_new ("capacity=1000000000 delay=3000000");
  GstClockTime at, stamp, last = 0;
  guint wakeups = 0;
  rig_offer (rig, 0, 200, PACKET); /* 10 us each */
  rig_run (rig, MS (10));
  g_assert_cmpuint (rig_count (rig, 0), ==, 200);
  for (guint i = 0; i < 200; i++) {
    GstBuffer *buffer = gst_harness_pull (rig->h);
    g_assert_cmpuint (rig_buffer (rig, 0, i, &at), ==, i);
    stamp = GST_BUFFER_PTS (buffer);
    g_assert_cmpuint (stamp, ==, MS (3) + (i + 1) * 10 * GST_USECOND);
    g_assert_cmpuint (at, >=, stamp);
    g_assert_cmpuint (at - stamp, <=, 200 * GST_USECOND);
    wakeups += at != last;
    last = at;
    gst_buffer_unref (buffer);
  }
  g_assert_cmpuint (wakeups, <=, 12);
  rig_free (rig);
}

static void
test_idle_link_does_not_wake_up (void)
{
  Rig *rig = rig_new ("capacity=1000000");
  g_object_set (rig->link, "stats-interval", G_GUINT64_CONSTANT (0), NULL);
  rig_offer (rig, 0, 1, 125);
  gst_test_clock_wait_for_next_pending_id (rig->clock, NULL);
  gst_test_clock_crank (rig->clock);
  gst_buffer_unref (gst_harness_pull (rig->h));
  g_assert_false (gst_test_clock_timed_wait_for_multiple_pending_ids (rig->clock, 1, 20, NULL));
  g_assert_cmpuint (gst_test_clock_peek_id_count (rig->clock), ==, 0);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/weirlink_engine/delay_is_exact", test_delay_is_exact);
  g_test_add_func ("/gst/weirlink_engine/packets_leave_one_serialisation_time_apart",
                   test_packets_leave_one_serialisation_time_apart);
  g_test_add_func ("/gst/weirlink_engine/schedule_changes_the_rate_in_time",
                   test_schedule_changes_the_rate_in_time);
  g_test_add_func ("/gst/weirlink_engine/capacity_and_delay_may_change_while_playing",
                   test_capacity_and_delay_may_change_while_playing);
  g_test_add_func ("/gst/weirlink_engine/queue_limits_bound_the_queue",
                   test_queue_limits_bound_the_queue);
  g_test_add_func ("/gst/weirlink_engine/loss_repeats_with_its_seed",
                   test_loss_repeats_with_its_seed);
  g_test_add_func ("/gst/weirlink_engine/loss_comes_in_bursts_when_asked",
                   test_loss_comes_in_bursts_when_asked);
  g_test_add_func ("/gst/weirlink_engine/loss_can_begin_while_playing",
                   test_loss_can_begin_while_playing);
  g_test_add_func ("/gst/weirlink_engine/duplicates_arrive_twice", test_duplicates_arrive_twice);
  g_test_add_func ("/gst/weirlink_engine/reordered_packets_come_later",
                   test_reordered_packets_come_later);
  g_test_add_func ("/gst/weirlink_engine/corrupt_packets_have_one_bit_flipped",
                   test_corrupt_packets_have_one_bit_flipped);
  g_test_add_func ("/gst/weirlink_engine/red_drops_before_the_queue_is_full",
                   test_red_drops_before_the_queue_is_full);
  g_test_add_func ("/gst/weirlink_engine/two_pairs_share_the_capacity",
                   test_two_pairs_share_the_capacity);
  g_test_add_func ("/gst/weirlink_engine/cross_traffic_takes_its_share",
                   test_cross_traffic_takes_its_share);
  g_test_add_func ("/gst/weirlink_engine/delivery_is_exact_beside_cross_traffic",
                   test_delivery_is_exact_beside_cross_traffic);
  g_test_add_func ("/gst/weirlink_engine/blocked_sink_holds_up_its_own_pad_only",
                   test_blocked_sink_holds_up_its_own_pad_only);
  g_test_add_func ("/gst/weirlink_engine/leader_may_leave", test_leader_may_leave);
  g_test_add_func ("/gst/weirlink_engine/rising_capacity_is_noticed_beside_cross_traffic",
                   test_rising_capacity_is_noticed_beside_cross_traffic);
  g_test_add_func ("/gst/weirlink_engine/dense_packets_leave_in_groups",
                   test_dense_packets_leave_in_groups);
  g_test_add_func ("/gst/weirlink_engine/idle_link_does_not_wake_up",
                   test_idle_link_does_not_wake_up);
  return g_test_run ();
}
