/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The structure weir-stats: complete, typed, and true. */
#include "send/send_harness.h"

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
    { "algorithm", G_TYPE_STRING },       { "rtp-session", G_TYPE_BOOLEAN },
    { "rtcp-datagrams", G_TYPE_UINT64 },  { "encoders", GST_TYPE_STRUCTURE },
    { "variables", GST_TYPE_STRUCTURE },  { "target-bitrate", G_TYPE_INT64 },
    { "allowed-bitrate", G_TYPE_INT64 },  { "pacing-bitrate", G_TYPE_INT64 },
    { "in-flight-bytes", G_TYPE_INT64 },  { "sent-bitrate", G_TYPE_INT64 },
    { "loss-ratio", G_TYPE_DOUBLE },      { "packets-sent", G_TYPE_UINT64 },
    { "packets-lost", G_TYPE_UINT64 },    { "feedback-ccfb", G_TYPE_UINT64 },
    { "queued-bytes", G_TYPE_INT64 },     { "queued-packets", G_TYPE_UINT },
    { "dropped-packets", G_TYPE_UINT64 }, { "dropped-malformed", G_TYPE_UINT64 },
    { "ceased", G_TYPE_BOOLEAN },         { "state", G_TYPE_UINT },
  };
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  GstStructure *stats = get_stats (rig);
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (gst_structure_get_field_type (stats, fields[i].name) != fields[i].type) {
      g_error ("%s in %" GST_PTR_FORMAT, fields[i].name, (void *) stats);
    }
  }
  g_assert_false (gst_structure_has_field (stats, "rtt"));          /* not known yet */
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
  return g_test_run ();
}
