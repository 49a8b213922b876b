/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The structure weir-stats: complete, typed, and true. */
#include "send/send_harness.h"
#include "send/weirsend_stats.h"

static GstStructure *
get_stats (Rig *rig)
{
  GstStructure *stats = NULL;
  g_object_get (rig->send, "stats", &stats, NULL);
  g_assert_nonnull (stats);
  g_assert_true (gst_structure_has_name (stats, "weir-stats"));
  return stats;
}

typedef struct
{
  const gchar *name;
  GType type;
} Field;

static void
test_fields_have_their_types (void)
{
  const Field fields[] = {
    { "algorithm", G_TYPE_STRING },
    { "rtp-session", G_TYPE_BOOLEAN },
    { "rtcp-datagrams", G_TYPE_UINT64 },
    { "encoders", GST_TYPE_STRUCTURE },
    { "variables", GST_TYPE_STRUCTURE },
    { "target-bitrate", G_TYPE_INT64 },
    { "allowed-bitrate", G_TYPE_INT64 },
    { "pacing-bitrate", G_TYPE_INT64 },
    { "in-flight-bytes", G_TYPE_INT64 },
    { "sent-bitrate", G_TYPE_INT64 },
    { "loss-ratio", G_TYPE_DOUBLE },
    { "packets-sent", G_TYPE_UINT64 },
    { "packets-lost", G_TYPE_UINT64 },
    { "feedback-ccfb", G_TYPE_UINT64 },
    { "queued-bytes", G_TYPE_INT64 },
    { "queued-packets", G_TYPE_UINT },
    { "dropped-packets", G_TYPE_UINT64 },
    { "dropped-malformed", G_TYPE_UINT64 },
    { "ceased", G_TYPE_BOOLEAN },
    { "state", G_TYPE_UINT },
    { "time", G_TYPE_INT64 },
    { "limited-by", G_TYPE_STRING },
    { "send-queue-delay", G_TYPE_INT64 },
  };
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  GstStructure *stats = get_stats (rig);
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (gst_structure_get_field_type (stats, fields[i].name) != fields[i].type) {
      g_error ("%s in %" GST_PTR_FORMAT, fields[i].name, (void *) stats);
    }
  }
  g_assert_false (gst_structure_has_field (stats, "rtt")); /* not known yet */
  g_assert_false (gst_structure_has_field (stats, "queueing-delay"));
  g_assert_false (gst_structure_has_field (stats, "encoder-bitrate"));
  g_assert_false (gst_structure_has_field (stats, "remb-bitrate")); /* none */
  gst_structure_free (stats);
  rig_free (rig);
}

static void
test_packets_and_bytes_are_counted (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none overhead=40", VIDEO_CAPS);
  for (guint i = 0; i < 10; i++) {
    gst_harness_push (rig->h, rtp (i, 112));
  }
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_stat (rig, "packets-sent"), ==, 10);
  g_assert_cmpuint (rig_stat (rig, "bytes-sent-wire"), ==, 10 * 152);
  g_assert_cmpuint (rig_stat (rig, "bytes-sent-media"), ==, 10 * 100);
  g_assert_cmpuint (rig_stat (rig, "queued-packets"), ==, 0);
  rig_free (rig);
}

static void
test_the_queue_is_shown (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  for (guint i = 0; i < 10; i++) {
    gst_harness_push (rig->h, rtp (i, 1172));
  }
  rig_settle (rig);
  g_assert_cmpuint (rig_stat (rig, "queued-packets"), ==, 9);
  g_assert_cmpuint (rig_stat (rig, "queued-bytes"), ==, 9 * 1200);
  rig_free (rig);
}

/* Counters of different fields must not be mixed up: each field shows its own. */
static void
test_a_stats_reader_may_run_while_playing (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  guint64 before = 0;
  for (guint i = 0; i < 200; i++) {
    gst_harness_push (rig->h, rtp (i, 100));
    guint64 now = rig_stat (rig, "packets-sent");
    g_assert_cmpuint (now, >=, before);
    before = now;
  }
  rig_free (rig);
}

static void
test_below_paused_counters_are_zero (void)
{
  Rig *rig = rig_new_idle ("");
  GstStructure *stats = get_stats (rig);
  guint64 sent = 1;
  g_assert_true (gst_structure_get_uint64 (stats, "packets-sent", &sent));
  g_assert_cmpuint (sent, ==, 0);
  g_assert_false (gst_structure_has_field (stats, "target-bitrate"));
  gst_structure_free (stats);
  rig_free (rig);
}

static GstStructure *
next_message (Rig *rig)
{
  GstMessage *message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ELEMENT);
  g_assert_nonnull (message);
  GstStructure *stats = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  return stats;
}

/* One line that people can read, in this order; programs find the same under the same name in the
 * property. */
static void
test_a_message_is_the_beginning_of_the_property (void)
{
  const gchar *const names[] = { "time",         "target-bitrate",    "encoder-bitrate",
                                 "sent-bitrate", "delivered-bitrate", "send-queue-delay",
                                 "loss-ratio",   "limited-by",        "allowed-bitrate",
                                 "packets-sent", "packets-lost",      "dropped-packets",
                                 "algorithm" };
  Rig *rig = rig_new ("algorithm=tfrc encoders=none", VIDEO_CAPS);
  g_object_set (rig->send, "stats-interval", (guint64) (5 * GST_SECOND), NULL);
  for (guint i = 0; i < 100; i++) {
    gst_harness_push (rig->h, rtp (i, 500));
    rig_run_until (rig, (i + 1) * 50 * GST_MSECOND);
  }
  GstStructure *message = next_message (rig);
  GstStructure *stats = get_stats (rig);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_assert_cmpstr (gst_structure_nth_field_name (message, i), ==, names[i]);
    g_assert_cmpstr (gst_structure_nth_field_name (stats, i), ==, names[i]);
    g_assert_true (gst_structure_get_field_type (message, names[i])
                   == gst_structure_get_field_type (stats, names[i]));
  }
  for (guint i = 0; i < (guint) gst_structure_n_fields (message); i++) {
    const gchar *name = gst_structure_nth_field_name (message, i);
    g_assert_true (gst_structure_get_field_type (message, name) != GST_TYPE_STRUCTURE);
    g_assert_true (i < G_N_ELEMENTS (names) || g_str_has_prefix (name, "tfrc."));
  }
  gst_structure_free (message);
  gst_structure_free (stats);
  rig_free (rig);
}

/* The algorithm's variables stand last in a message, plainly. */
static void
test_a_message_has_the_variables (void)
{
  Rig *rig = rig_new ("algorithm=tfrc encoders=none", VIDEO_CAPS);
  gdouble packet_bytes = 0;
  g_object_set (rig->send, "stats-interval", (guint64) GST_SECOND, NULL);
  gst_harness_push (rig->h, rtp (0, 500));
  rig_run_until (rig, GST_SECOND);
  GstStructure *message = next_message (rig);
  GstStructure *stats = get_stats (rig);
  GstStructure *variables = NULL;
  gint n = gst_structure_n_fields (message);
  g_assert_true (gst_structure_get (stats, "variables", GST_TYPE_STRUCTURE, &variables, NULL));
  g_assert_true (gst_structure_get_double (message, "tfrc.packet_bytes", &packet_bytes));
  g_assert_cmpfloat (packet_bytes, >, 0);
  for (gint i = gst_structure_n_fields (variables); i > 0; i--) {
    gchar *name
        = g_strconcat ("tfrc.", gst_structure_nth_field_name (variables, (guint) i - 1), NULL);
    g_assert_cmpstr (gst_structure_nth_field_name (message, (guint) --n), ==, name);
    g_free (name);
  }
  gst_structure_free (variables);
  gst_structure_free (message);
  gst_structure_free (stats);
  rig_free (rig);
}

/* Nothing happens any more, and a message says so. */
static void
test_a_message_is_of_now (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  g_object_set (rig->send, "stats-interval", (guint64) GST_SECOND, NULL);
  for (guint i = 0; i < 10; i++) {
    gst_harness_push (rig->h, rtp (i, 1012));
  }
  rig_run_until (rig, 5 * GST_SECOND);
  for (gint64 second = 1; second <= 5; second++) {
    gint64 time_ns = 0;
    gint64 sent_bps = -1;
    GstStructure *message = next_message (rig);
    g_assert_true (gst_structure_get_int64 (message, "time", &time_ns));
    g_assert_true (gst_structure_get_int64 (message, "sent-bitrate", &sent_bps));
    g_assert_cmpint (time_ns, ==, second * GST_SECOND);
    g_assert_true ((sent_bps > 0) == (second == 1));
    gst_structure_free (message);
  }
  rig_free (rig);
}

static void
test_the_rate_of_the_media_is_shown (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  for (guint i = 0; i < 500; i++) {
    gst_harness_push (rig->h, rtp (i, 1012));
    rig_run_until (rig, (i + 1) * 10 * GST_MSECOND);
  }
  g_assert_cmpuint (rig_stat (rig, "encoder-bitrate"), >=, 795000);
  g_assert_cmpuint (rig_stat (rig, "encoder-bitrate"), <=, 805000);
  g_assert_cmpuint (rig_stat (rig, "time"), ==, 4990 * GST_MSECOND); /* the last packet's */
  rig_free (rig);
}

static gchar *
receiver_of (const struct weir_reporter *reporters, gsize n)
{
  GstWeirMoment moment = { .running = TRUE, .algorithm = "sluice", .n_reporters = n };
  moment.encoders = gst_structure_new_empty ("encoders");
  memcpy (moment.reporters, reporters, n * sizeof *reporters);
  g_autoptr (GstStructure) stats = gst_weir_stats_summary (&moment);
  gst_weir_moment_clear (&moment);
  return g_strdup (gst_structure_get_string (stats, "receiver"));
}

/* It is the one that sets the rate; of receivers of other packets nothing is told. */
static void
test_of_several_receivers_one_is_shown (void)
{
  struct weir_reporter reporters[] = {
    { .ssrc = 0xa, .transport = 0, .queueing_ns = WEIR_MS (2) },
    { .ssrc = 0xb, .transport = 0, .steers = true, .loss_ppm = 38000, .queueing_ns = WEIR_MS (33) },
    { .ssrc = 0xc, .transport = 1, .steers = true, .queueing_ns = WEIR_UNKNOWN_NS },
  };
  g_autofree gchar *both = receiver_of (reporters, 3);
  g_assert_cmpstr (both, ==, "0000000b of 2: 3.8 % lost and 33 ms queued");
  reporters[1].queueing_ns = WEIR_UNKNOWN_NS;
  g_autofree gchar *untimed = receiver_of (reporters, 3);
  g_assert_cmpstr (untimed, ==, "0000000b of 2: 3.8 % lost");
  g_assert_null (receiver_of (&reporters[1], 2));
  g_assert_null (receiver_of (reporters, 0));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_stats/" #name, test_##name)
  ADD (fields_have_their_types);
  ADD (packets_and_bytes_are_counted);
  ADD (the_queue_is_shown);
  ADD (a_stats_reader_may_run_while_playing);
  ADD (below_paused_counters_are_zero);
  ADD (a_message_is_the_beginning_of_the_property);
  ADD (a_message_has_the_variables);
  ADD (a_message_is_of_now);
  ADD (of_several_receivers_one_is_shown);
  ADD (the_rate_of_the_media_is_shown);
  return g_test_run ();
}
