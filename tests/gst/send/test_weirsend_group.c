/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Members of a group have one session and one budget; whoever leaves takes nothing with it, and
 * what an RTP session says is read once. */
#include "send/group_harness.h"

#include <glib/gstdio.h>

#include "weir/weir.h"

#define FIXED_1M "algorithm=fixed params=\"params,rate-bps=1000000\" encoders=none "
#define CALL "group=call "

/* One packet each 10 ms from all of them, as large as its target makes it: good encoders. */
static void
send_for (Group *group, GstClockTime duration)
{
  static guint seq = 0;
  GstClockTime end = group_now (group) + duration;
  for (GstClockTime at = group_now (group); at < end; at += 10 * GST_MSECOND, seq++) {
    group_run_until (group, at);
    for (guint i = 0; i < group->n; i++) {
      Rig *rig = group->rigs[i];
      if (GST_STATE (rig->send) == GST_STATE_PLAYING) {
        guint size = 12 + target_of (rig) / 8 / 100;
        gst_harness_push (rig->h, rtp_full (seq, seq * 900, TRUE, size, SSRC + i, -1));
      }
    }
  }
  group_run_until (group, end);
}

/* Shares are of wire bytes: larger packets carry more media in the same. */
static void
assert_near (guint value, guint expected)
{
  g_assert_cmpuint (value, >=, expected - expected / 20);
  g_assert_cmpuint (value, <=, expected + expected / 20);
}

static void
test_members_share_one_budget_by_priority (void)
{
  Group group;
  group_begin (&group);
  Rig *one = group_add (&group, FIXED_1M CALL "priority=3", VIDEO_CAPS);
  Rig *other = group_add (&group, FIXED_1M CALL, VIDEO_CAPS);
  send_for (&group, 2 * GST_SECOND);
  guint sum = target_of (one) + target_of (other);
  assert_near (target_of (one), sum / 4 * 3);
  g_assert_cmpuint (sum, <, 1000000); /* of media, at 1 Mbit/s on the wire */
  g_assert_cmpuint (sum, >, 900000);
  g_assert_cmpuint (rig_stat (one, "packets-sent"), ==, rig_stat (other, "packets-sent"));
  g_assert_cmpuint (rig_stat (one, "packets-sent"), ==,
                    rig_n_buffers (one) + rig_n_buffers (other));
  assert_near ((guint) rig_stat (one, "share-bitrate"), 750000);
  assert_near ((guint) rig_stat (other, "share-bitrate"), 250000);
  g_assert_cmpuint (rig_stat (one, "group-members"), ==, 2);
  g_object_set (other->send, "priority", 3.0, NULL);
  assert_near (target_of (one), sum / 2);
  group_end (&group);
}

static void
test_groups_of_other_names_and_none_have_nothing_in_common (void)
{
  static const gchar *const groups[] = { "group=a ", "group=b ", "", "group=\"\"" };
  Group group;
  group_begin (&group);
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    gchar *text = g_strconcat (FIXED_1M, groups[i], NULL);
    group_add (&group, text, VIDEO_CAPS);
    g_free (text);
  }
  send_for (&group, GST_SECOND);
  for (guint i = 0; i < group.n; i++) {
    g_assert_cmpuint (target_of (group.rigs[i]), >, 900000);
    g_assert_cmpuint (rig_stat (group.rigs[i], "packets-sent"), ==, rig_n_buffers (group.rigs[i]));
  }
  group_end (&group);
}

static void
test_each_members_limits_hold (void)
{
  Group group;
  group_begin (&group);
  Rig *small
      = group_add (&group, FIXED_1M CALL "max-bitrate=50000 start-bitrate=50000", VIDEO_CAPS);
  Rig *large = group_add (&group, FIXED_1M CALL "min-bitrate=400000", VIDEO_CAPS);
  Rig *other = group_add (&group, FIXED_1M CALL "priority=4", VIDEO_CAPS);
  send_for (&group, GST_SECOND);
  g_assert_cmpuint (target_of (small), ==, 50000);
  g_assert_cmpuint (target_of (large), ==, 400000);
  g_assert_cmpuint (target_of (other), >, 450000);
  g_object_set (large->send, "min-bitrate", 100000, NULL);
  assert_near (target_of (large) * 4, target_of (other));
  g_object_set (small->send, "max-bitrate", 10000000, NULL);
  send_for (&group, 2 * GST_SECOND);
  assert_near (target_of (small), target_of (large));
  group_end (&group);
}

static void
test_who_leaves_gives_its_share_to_the_others (void)
{
  Group group;
  group_begin (&group);
  Rig *one = group_add (&group, FIXED_1M CALL, VIDEO_CAPS);
  Rig *other = group_add (&group, FIXED_1M CALL, VIDEO_CAPS);
  send_for (&group, GST_SECOND);
  guint half = target_of (other);
  gst_element_set_state (one->send, GST_STATE_READY);
  assert_near (target_of (other), 2 * half);
  send_for (&group, GST_SECOND);
  gst_element_set_state (one->send, GST_STATE_PLAYING);
  assert_near (target_of (other), half);
  group_end (&group);
}

/* The start bitrates of all: before the first feedback that is the budget. */
static void
test_the_budget_begins_with_the_sum_of_the_starts (void)
{
  Group group;
  group_begin (&group);
  Rig *one = group_add (&group, "encoders=none group=call start-bitrate=100000 max-bitrate=150000",
                        VIDEO_CAPS);
  assert_near (target_of (one), 100000);
  Rig *other = group_add (&group, "encoders=none group=call start-bitrate=500000", VIDEO_CAPS);
  assert_near (target_of (one) + target_of (other), 600000);
  group_end (&group);
}

static void
test_what_is_idle_lends_and_takes_back_at_once (void)
{
  Group group;
  group_begin (&group);
  Rig *one = group_add (&group, FIXED_1M CALL, VIDEO_CAPS);
  Rig *other = group_add (&group, FIXED_1M CALL, VIDEO_CAPS);
  send_for (&group, 2 * GST_SECOND);
  guint half = target_of (one);
  for (guint i = 0; i < 100; i++) { /* one alone */
    gst_harness_push (one->h, rtp_full (i, i * 900, TRUE, 1000, SSRC, -1));
    group_run (&group, 10 * GST_MSECOND);
  }
  assert_near (target_of (one), 2 * half);
  gst_harness_push (other->h, rtp_full (0, 0, TRUE, 1000, SSRC + 1, -1));
  assert_near (target_of (one), half);
  assert_near (target_of (other), half);
  g_assert_cmpuint (rig_stat (other, "dropped-packets"), ==, 0);
  group_end (&group);
}

/* --- Disagreement --- */

static void
test_settings_that_disagree_are_told_and_the_groups_stay (void)
{
  Group group;
  group_begin (&group);
  group_add (&group, "algorithm=gaimd encoders=none group=call pacing=off", VIDEO_CAPS);
  Rig *joins = group_add_idle (&group, "algorithm=warc feedback=rr encoders=none group=call");
  gchar *algorithm = NULL;
  gboolean pacing = TRUE;
  guint feedback = 0;
  rig_play (joins, VIDEO_CAPS);
  rig_expect_warning (joins, "group \"call\"|algorithm=gaimd|which stays|algorithm=warc|same");
  rig_expect_warning (joins, "group \"call\"|feedback=auto|feedback=rr was");
  rig_expect_silence (joins); /* pacing was not set here: nothing is lost */
  g_object_get (joins->send, "pacing", &pacing, "feedback", &feedback, NULL);
  g_assert_false (pacing);
  g_assert_cmpuint (feedback, ==, WEIR_FEEDBACK_ALL);
  GstStructure *stats = NULL;
  g_object_get (joins->send, "stats", &stats, NULL);
  algorithm = g_strdup (gst_structure_get_string (stats, "algorithm"));
  g_assert_cmpstr (algorithm, ==, "gaimd");
  gst_structure_free (stats);
  g_free (algorithm);
  group_end (&group);
}

static void
test_minimums_that_cannot_be_met_together_stop_the_one_that_joins (void)
{
  Group group;
  group_begin (&group);
  for (guint i = 0; i < 23; i++) {
    group_add (&group, "encoders=none group=call min-bitrate=4294967295 max-bitrate=4294967295",
               VIDEO_CAPS);
  }
  Rig *joins = group_add_idle (&group, "encoders=none group=call min-bitrate=4294967295 "
                                       "max-bitrate=4294967295");
  g_assert_cmpint (gst_element_set_state (joins->send, GST_STATE_PAUSED), ==,
                   GST_STATE_CHANGE_FAILURE);
  rig_expect_error (joins, "group \"call\"|min-bitrates of its 24 members|103079215080|lower");
  g_assert_cmpuint (target_of (group.rigs[0]), ==, 4294967295u);
  rig_expect_silence (group.rigs[0]);
  gst_element_set_state (joins->send, GST_STATE_NULL);
  g_object_set (joins->send, "min-bitrate", 1000, NULL);
  g_assert_cmpint (gst_element_set_state (joins->send, GST_STATE_PAUSED), !=,
                   GST_STATE_CHANGE_FAILURE);
  group_settle (&group);
  g_object_set (joins->send, "min-bitrate", 4294967295u, NULL); /* nor while it runs */
  rig_expect_warning (joins, "24 members|min-bitrate stays 1000");
  group_end (&group);
}

static void
test_a_member_with_contradicting_limits_does_not_start (void)
{
  Group group;
  group_begin (&group);
  Rig *one = group_add (&group, FIXED_1M CALL, VIDEO_CAPS);
  guint before = target_of (one);
  Rig *joins = group_add_idle (&group, FIXED_1M CALL "min-bitrate=2000 max-bitrate=1000");
  g_assert_cmpint (gst_element_set_state (joins->send, GST_STATE_PAUSED), ==,
                   GST_STATE_CHANGE_FAILURE);
  rig_expect_error (joins, "min-bitrate=2000|max-bitrate=1000");
  g_assert_cmpuint (target_of (one), ==, before);
  group_end (&group);
}

static void
test_one_ssrc_in_two_members_is_told (void)
{
  Group group;
  group_begin (&group);
  Rig *one = group_add (&group, FIXED_1M CALL "name=first", VIDEO_CAPS);
  Rig *other = group_add (&group, FIXED_1M CALL, VIDEO_CAPS);
  gst_harness_push (one->h, rtp (0, 500));
  for (guint i = 0; i < 3; i++) {
    gst_harness_push (other->h, rtp (i, 500));
  }
  rig_expect_warning (other, "group \"call\"|SSRC 287454020|first|ssrc");
  rig_expect_silence (other); /* once */
  rig_expect_silence (one);
  group_end (&group);
}

/* A disk that was full for one member is nothing to the next. */
static void
test_a_trace_that_failed_makes_room_for_another (void)
{
  Group group;
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS)) {
    g_test_skip ("no /dev/full");
    return;
  }
  group_begin (&group);
  Rig *fails = group_add (&group, FIXED_1M CALL "trace-location=/dev/full", VIDEO_CAPS);
  send_for (&group, 2 * GST_SECOND);
  rig_expect_warning (fails, "/dev/full|the trace ends here");
  Rig *next = group_add (&group, FIXED_1M CALL "trace-location=/dev/null", VIDEO_CAPS);
  send_for (&group, 100 * GST_MSECOND);
  rig_expect_silence (next);
  group_end (&group);
}

static void
test_the_second_trace_of_a_group_is_told (void)
{
  Group group;
  gchar *folder = g_dir_make_tmp ("weir-group-XXXXXX", NULL);
  gchar *first = g_build_filename (folder, "first", NULL);
  gchar *second = g_build_filename (folder, "second", NULL);
  gchar *text = NULL;
  group_begin (&group);
  Rig *one = group_add (&group, FIXED_1M CALL, VIDEO_CAPS);
  Rig *other = group_add_idle (&group, FIXED_1M CALL "name=other");
  Rig *third = group_add_idle (&group, FIXED_1M CALL);
  g_object_set (other->send, "trace-location", first, NULL);
  g_object_set (third->send, "trace-location", second, NULL);
  send_for (&group, 100 * GST_MSECOND);
  rig_play (other, VIDEO_CAPS);
  rig_play (third, VIDEO_CAPS);
  rig_expect_warning (third, "trace-location|group \"call\"|other|second");
  send_for (&group, GST_SECOND);
  guint64 n = rig_stat (one, "packets-sent");
  group_end (&group);
  g_assert_true (g_file_get_contents (second, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "");
  g_free (text);
  g_assert_true (g_file_get_contents (first, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"start\"")); /* it can be replayed */
  gchar **lines = g_strsplit (text, "\n", -1);
  guint sent = 0;
  for (guint i = 0; lines[i] != NULL; i++) {
    sent += strstr (lines[i], "\"sent\"") != NULL;
  }
  g_assert_cmpuint (sent, >, n / 2); /* of all members, since it began */
  g_strfreev (lines);
  g_free (text);
  g_unlink (first);
  g_unlink (second);
  g_rmdir (folder);
  g_free (first);
  g_free (second);
  g_free (folder);
}

/* --- Many threads --- */

typedef struct
{
  GstElement *send;
  gint *stop;
} Stress;

static gpointer
set_and_get (gpointer user)
{
  Stress *stress = user;
  GRand *rand = g_rand_new ();
  while (!g_atomic_int_get (stress->stop)) {
    GstStructure *stats = NULL;
    guint bps = 0;
    g_object_set (stress->send, "min-bitrate", g_rand_int_range (rand, 1, 100000), "priority",
                  g_rand_double_range (rand, 0.5, 2.0), "pacing", g_rand_boolean (rand), NULL);
    gst_util_set_object_arg (G_OBJECT (stress->send), "algorithm",
                             g_rand_boolean (rand) ? "tfrc" : "gaimd");
    g_object_get (stress->send, "stats", &stats, "target-bitrate", &bps, NULL);
    gst_structure_free (stats);
  }
  g_rand_free (rand);
  return NULL;
}

static gpointer
come_and_go (gpointer user)
{
  Stress *stress = user;
  while (!g_atomic_int_get (stress->stop)) {
    gst_element_set_state (stress->send, GST_STATE_PAUSED);
    gst_element_set_state (stress->send, GST_STATE_READY);
  }
  return NULL;
}

static gpointer
change_group (gpointer user)
{
  Stress *stress = user;
  for (guint i = 0; !g_atomic_int_get (stress->stop); i++) {
    g_object_set (stress->send, "group", i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : NULL, NULL);
  }
  return NULL;
}

static void
test_members_come_and_go_under_load_from_many_threads (void)
{
  static const GThreadFunc work[] = { set_and_get, come_and_go, change_group };
  Stress stress[4];
  GThread *threads[G_N_ELEMENTS (stress)][G_N_ELEMENTS (work)];
  gint stop = FALSE;
  GstBus *bus = gst_bus_new ();
  gst_bus_set_flushing (bus, TRUE); /* nobody reads the warnings */
  for (guint i = 0; i < G_N_ELEMENTS (stress); i++) {
    stress[i] = (Stress){ gst_element_factory_make ("weirsend", NULL), &stop };
    gst_object_ref_sink (stress[i].send);
    gst_element_set_bus (stress[i].send, bus);
    g_object_set (stress[i].send, "encoders", "none", NULL);
    for (guint k = 0; k < G_N_ELEMENTS (work); k++) {
      threads[i][k] = g_thread_new ("stress", work[k], &stress[i]);
    }
  }
  g_usleep (500000); /* as long as they like */
  g_atomic_int_set (&stop, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (stress); i++) {
    for (guint k = 0; k < G_N_ELEMENTS (work); k++) {
      g_thread_join (threads[i][k]);
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (stress); i++) { /* no thread of another holds one any more */
    gst_element_set_state (stress[i].send, GST_STATE_NULL);
    gst_element_set_bus (stress[i].send, NULL);
    g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (stress[i].send), ==, 1);
    gst_object_unref (stress[i].send);
  }
  gst_object_unref (bus);
}

/* --- Numbers: each RTP session counts for itself, members behind one count together --- */

#define NUMBERED "algorithm=fixed params=\"params,rate-bps=2000000\" encoders=none group=call"

G_GNUC_BEGIN_IGNORE_DEPRECATIONS

/* Results on the first n packets that left a member, 10 ms apart. */
static GstEvent *
results (Rig *rig, guint n, gint lost)
{
  GValue value = G_VALUE_INIT;
  GValueArray *packets = g_value_array_new (n);
  GstStructure *structure = gst_structure_new_empty ("RTPTWCCPackets");
  for (guint i = 0; i < n; i++) {
    GValue item = G_VALUE_INIT;
    GstClockTime sent = i * 10 * GST_MSECOND;
    g_value_init (&item, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&item, gst_structure_new ("RTPTWCCPacket", "seqnum", G_TYPE_UINT,
                                                  rig_number (rig, i), "local-ts", G_TYPE_UINT64,
                                                  sent, "remote-ts", G_TYPE_UINT64,
                                                  sent + 20 * GST_MSECOND, "size", G_TYPE_UINT, 480,
                                                  "lost", G_TYPE_BOOLEAN, (gint) i == lost, NULL));
    g_value_array_append (packets, &item);
    g_value_unset (&item);
  }
  g_value_init (&value, g_value_array_get_type ());
  g_value_take_boxed (&value, packets);
  gst_structure_take_value (structure, "packets", &value);
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, structure);
}

G_GNUC_END_IGNORE_DEPRECATIONS

static void
test_members_without_a_session_have_numbers_of_their_own (void)
{
  Group group;
  group_begin (&group);
  for (guint i = 0; i < 3; i++) {
    group_add (&group, NUMBERED, TWCC_CAPS);
  }
  for (guint k = 0; k < 20; k++) {
    group_run_until (&group, k * 10 * GST_MSECOND);
    for (guint i = 0; i < 3; i++) {
      gst_harness_push (group.rigs[i]->h, rtp_full (k, k * 900, TRUE, 500, SSRC + i, (gint) k));
    }
  }
  group_run (&group, 100 * GST_MSECOND);
  gst_harness_push_upstream_event (group.rigs[0]->h, results (group.rigs[0], 20, -1));
  g_assert_cmpuint (rig_stat (group.rigs[1], "packets-received"), ==, 20);
  gst_harness_push_upstream_event (group.rigs[1]->h, results (group.rigs[1], 20, 7));
  g_assert_cmpuint (rig_stat (group.rigs[1], "packets-received"), ==, 39);
  g_assert_cmpuint (rig_stat (group.rigs[2], "packets-lost"), ==, 1);
  gst_element_set_state (group.rigs[1]->send, GST_STATE_READY); /* its numbers are nobody's now */
  gst_harness_push_upstream_event (group.rigs[2]->h, results (group.rigs[2], 20, -1));
  g_assert_cmpuint (rig_stat (group.rigs[2], "packets-received"), ==, 59);
  g_assert_cmpuint (rig_stat (group.rigs[2], "results-repeated"), ==, 0);
  group_end (&group);
}

/* Seven have their own; the numbers of more would be taken for each other's. */
static void
test_numbers_of_too_many_members_mean_nothing (void)
{
  enum
  {
    OWN = 7,
    MANY = 9
  };
  Group group;
  group_begin (&group);
  for (guint i = 0; i < MANY; i++) {
    group_add (&group, NUMBERED, TWCC_CAPS);
  }
  for (guint k = 0; k < 20; k++) {
    group_run_until (&group, k * 10 * GST_MSECOND);
    for (guint i = 0; i < MANY; i++) {
      gst_harness_push (group.rigs[i]->h, rtp_full (k, k * 900, TRUE, 200, SSRC + i, (gint) k));
    }
  }
  group_run (&group, 100 * GST_MSECOND);
  for (guint i = 0; i < OWN; i++) {
    rig_expect_silence (group.rigs[i]);
  }
  for (guint i = OWN; i < MANY; i++) {
    gst_harness_push_upstream_event (group.rigs[i]->h, results (group.rigs[i], 20, 7));
    rig_expect_warning (group.rigs[i], "group \"call\"|of at most 7 RTP sessions|RFC 8888|bundle");
    rig_expect_silence (group.rigs[i]);
  }
  g_assert_cmpuint (rig_stat (group.rigs[0], "packets-received"), ==, 0);
  g_assert_cmpuint (rig_stat (group.rigs[0], "packets-lost"), ==, 0);
  gst_harness_push_upstream_event (group.rigs[0]->h, results (group.rigs[0], 20, 7));
  g_assert_cmpuint (rig_stat (group.rigs[0], "packets-received"), ==, 19);
  group_end (&group);
}

typedef struct
{
  Group group;
  GstElement *funnel, *session;
  GObject *rtp_session;
  GstHarness *out;
} Bundle;

static void
bundle_begin (Bundle *bundle)
{
  group_begin (&bundle->group);
  bundle->funnel = gst_object_ref_sink (gst_element_factory_make ("funnel", NULL));
  bundle->session = gst_object_ref_sink (gst_element_factory_make ("rtpsession", NULL));
  g_assert_true (gst_element_link_pads (bundle->funnel, "src", bundle->session, "send_rtp_sink"));
  bundle->out = gst_harness_new_with_element (bundle->session, NULL, "send_rtp_src");
  gst_element_set_state (bundle->funnel, GST_STATE_PLAYING);
  g_object_get (bundle->session, "internal-session", &bundle->rtp_session, NULL);
  for (guint i = 0; i < 2; i++) {
    Rig *rig = group_add_idle (&bundle->group, NUMBERED);
    g_assert_true (gst_element_link (rig->send, bundle->funnel));
    rig->h = gst_harness_new_with_element (rig->send, "sink", NULL);
    gst_harness_set_src_caps_str (rig->h, TWCC_CAPS);
    gst_harness_push (rig->h, rtp_full (0, 0, TRUE, 500, SSRC + i, (gint) i));
  }
  for (guint i = 0; i < 2; i++) { /* they have found the session */
    GObject *found = NULL;
    while (found == NULL) {
      g_object_get (bundle->group.rigs[i]->send, "rtp-session", &found, NULL);
      g_thread_yield ();
    }
    g_assert_true (found == bundle->rtp_session);
    g_object_unref (found);
  }
}

static void
bundle_end (Bundle *bundle)
{
  for (guint i = 0; i < 2; i++) {
    gst_element_set_state (bundle->group.rigs[i]->send, GST_STATE_NULL);
    gst_element_unlink (bundle->group.rigs[i]->send, bundle->funnel);
  }
  group_end (&bundle->group);
  gst_harness_teardown (bundle->out);
  g_object_unref (bundle->rtp_session);
  gst_element_set_state (bundle->funnel, GST_STATE_NULL);
  gst_element_set_state (bundle->session, GST_STATE_NULL);
  gst_element_unlink (bundle->funnel, bundle->session);
  gst_object_unref (bundle->funnel);
  gst_object_unref (bundle->session);
}

static void
test_what_a_session_says_is_read_once (void)
{
  static const guint8 bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 9 };
  Bundle bundle;
  bundle_begin (&bundle);
  Rig *one = bundle.group.rigs[0];
  GstPad *pad = gst_element_get_static_pad (bundle.funnel, "src");
  gst_pad_send_event (pad, results (one, 2, -1)); /* the funnel hands it to both */
  gst_object_unref (pad);
  g_assert_cmpuint (rig_stat (one, "feedback-results"), ==, 1);
  g_assert_cmpuint (rig_stat (one, "results-repeated"), ==, 0);
  GstBuffer *buffer = gst_buffer_new_memdup (bye, sizeof bye);
  guint64 before = rig_stat (one, "rtcp-packets") + rig_stat (one, "rtcp-unknown");
  g_signal_emit_by_name (bundle.rtp_session, "on-receiving-rtcp", buffer);
  g_assert_cmpuint (rig_stat (one, "rtcp-packets") + rig_stat (one, "rtcp-unknown"), ==,
                    before + 1);
  gst_element_set_state (one->send, GST_STATE_READY); /* the other goes on listening */
  Rig *other = bundle.group.rigs[1];
  g_signal_emit_by_name (bundle.rtp_session, "on-receiving-rtcp", buffer);
  g_assert_cmpuint (rig_stat (other, "rtcp-packets") + rig_stat (other, "rtcp-unknown"), ==,
                    before + 2);
  g_assert_cmpuint (rig_stat (other, "rtcp-datagrams"), ==, 2); /* it has heard both */
  gst_buffer_unref (buffer);
  bundle_end (&bundle);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_group/" #name, test_##name)
  ADD (members_share_one_budget_by_priority);
  ADD (groups_of_other_names_and_none_have_nothing_in_common);
  ADD (each_members_limits_hold);
  ADD (who_leaves_gives_its_share_to_the_others);
  ADD (the_budget_begins_with_the_sum_of_the_starts);
  ADD (what_is_idle_lends_and_takes_back_at_once);
  ADD (settings_that_disagree_are_told_and_the_groups_stay);
  ADD (minimums_that_cannot_be_met_together_stop_the_one_that_joins);
  ADD (a_member_with_contradicting_limits_does_not_start);
  ADD (one_ssrc_in_two_members_is_told);
  ADD (the_second_trace_of_a_group_is_told);
  ADD (a_trace_that_failed_makes_room_for_another);
  ADD (members_come_and_go_under_load_from_many_threads);
  ADD (members_without_a_session_have_numbers_of_their_own);
  ADD (numbers_of_too_many_members_mean_nothing);
  ADD (what_a_session_says_is_read_once);
  return g_test_run ();
}
