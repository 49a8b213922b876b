/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a path does for its members: audio leaves first, timers run whoever sleeps, nobody is woken
 * for nothing. */
#include "send/group_harness.h"

#define FIXED_400K                                                                                 \
  "algorithm=fixed params=\"params,rate-bps=400000\" encoders=none group=call max-queue-time="     \
  "1000000000 "
#define AUDIO_SSRC 77u

/* --- Audio --- */

typedef struct
{
  guint audio_sent, audio_late; /* packets: offered, and not gone at the time they were */
  guint64 video_bytes;          /* that left */
} Heard;

static GstPadProbeReturn
on_packet_out (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Heard *heard = user;
  GstBufferList *list = (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) != 0
                            ? GST_PAD_PROBE_INFO_BUFFER_LIST (info)
                            : NULL;
  for (guint i = 0; i < (list != NULL ? gst_buffer_list_length (list) : 1); i++) {
    guint8 bytes[12];
    GstBuffer *buffer
        = list != NULL ? gst_buffer_list_get (list, i) : GST_PAD_PROBE_INFO_BUFFER (info);
    gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
    if (GST_READ_UINT32_BE (bytes + 8) == AUDIO_SSRC) {
      GstClock *clock = gst_system_clock_obtain ();
      heard->audio_sent++;
      heard->audio_late += gst_clock_get_time (clock) != GST_BUFFER_PTS (buffer);
      gst_object_unref (clock);
    } else {
      heard->video_bytes += gst_buffer_get_size (buffer);
    }
  }
  return GST_PAD_PROBE_OK;
}

static void
hear (Rig *rig, Heard *heard)
{
  GstPad *pad = gst_element_get_static_pad (rig->send, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_packet_out,
                     heard, NULL);
  gst_object_unref (pad);
}

static void
push_audio (Group *group, GstHarness *h, guint seq)
{
  GstBuffer *buffer = rtp_full (seq, seq * 960, FALSE, 12 + 60, AUDIO_SSRC, -1);
  gst_buffer_memset (buffer, 1, 97, 1); /* payload type, as in the caps */
  GST_BUFFER_PTS (buffer) = group_now (group);
  g_assert_cmpint (gst_harness_push (h, buffer), ==, GST_FLOW_OK);
}

/* A frame of five packets each 100 ms, 480 kbit/s: more than there is. */
static void
push_frame (GstHarness *h, guint frame)
{
  for (guint k = 0; k < 5; k++) {
    gst_harness_push (h, rtp_full (frame * 5 + k, frame * 9000, k == 4, 1200, SSRC, -1));
  }
}

static void
check_heard (const Heard *heard, guint64 seconds)
{
  g_assert_cmpuint (heard->audio_sent, ==, seconds * 50);
  g_assert_cmpuint (heard->audio_late, ==, 0);
  /* 40 kbit/s of the 400 are the audio's, with 28 bytes below each packet as with the video's. */
  g_assert_cmpuint (heard->video_bytes * 8, >=, seconds * 340000);
  g_assert_cmpuint (heard->video_bytes * 8, <=, (seconds + 1) * 360000);
}

static void
test_audio_of_one_member_passes_the_video_of_another (void)
{
  Group group;
  Heard heard = { 0 };
  group_begin (&group);
  Rig *audio = group_add (&group, FIXED_400K, AUDIO_CAPS);
  Rig *video = group_add (&group, FIXED_400K, VIDEO_CAPS);
  hear (audio, &heard);
  hear (video, &heard);
  for (guint i = 0; i < 600; i++) {
    group_run_until (&group, i * 20 * GST_MSECOND);
    if (i % 5 == 0) {
      push_frame (video->h, i / 5);
    }
    push_audio (&group, audio->h, i);
  }
  group_run (&group, 20 * GST_MSECOND);
  check_heard (&heard, 12);
  g_assert_cmpuint (rig_stat (audio, "dropped-packets"), ==, 0);
  g_assert_cmpuint (rig_stat (video, "dropped-packets"), >, 0);
  group_end (&group);
}

/* A stand-in for a payloader. */
static GstHarness *
branch_of (GstElement *funnel)
{
  GstElement *payloader = gst_element_factory_make ("identity", NULL);
  GstHarness *h = gst_harness_new_with_element (payloader, "sink", NULL);
  g_assert_true (gst_element_link (payloader, funnel));
  gst_object_unref (payloader);
  return h;
}

static void
end_branch (GstHarness *h)
{
  GstElement *payloader = gst_object_ref (h->element);
  gst_harness_teardown (h);
  gst_object_unref (payloader);
}

/* Bundled: one element behind a funnel, which repeats the segment with each change of stream. */
static void
test_audio_passes_video_of_the_same_element (void)
{
  Group group;
  Heard heard = { 0 };
  group_begin (&group);
  Rig *rig = group_add_idle (&group, FIXED_400K);
  GstElement *funnel = gst_element_factory_make ("rtpfunnel", NULL);
  gst_object_ref_sink (funnel);
  gst_element_set_state (funnel, GST_STATE_PLAYING);
  g_assert_true (gst_element_link (funnel, rig->send));
  rig->h = gst_harness_new_with_element (rig->send, NULL, "src");
  GstHarness *audio = branch_of (funnel);
  GstHarness *video = branch_of (funnel);
  gst_harness_set_src_caps_str (audio, AUDIO_CAPS ",ssrc=(uint)77");
  gst_harness_set_src_caps_str (video, VIDEO_CAPS);
  hear (rig, &heard);
  for (guint i = 0; i < 600; i++) {
    group_run_until (&group, i * 20 * GST_MSECOND);
    if (i % 5 == 0) {
      push_frame (video, i / 5);
    }
    push_audio (&group, audio, i);
  }
  group_run (&group, 20 * GST_MSECOND);
  check_heard (&heard, 12);
  end_branch (audio);
  end_branch (video);
  gst_element_set_state (rig->send, GST_STATE_NULL);
  gst_element_set_state (funnel, GST_STATE_NULL);
  gst_element_unlink (funnel, rig->send);
  gst_object_unref (funnel);
  group_end (&group);
}

/* --- Timers --- */

static void
push_once (Rig *rig, guint i)
{
  gst_harness_push (rig->h, rtp_full (i, i * 900, TRUE, 1000, i % 2 == 0 ? SSRC : SSRC + 1, -1));
}

/* Without feedback the rate falls with the session's timers, and nothing else wakes the other. */
static void
check_timers_run (Group *group, Rig *other)
{
  guint before = target_of (other);
  group_run (group, 20 * GST_SECOND);
  g_assert_cmpuint (target_of (other), <, before / 2);
}

static void
test_timers_survive_the_end_of_a_member (void)
{
  for (guint k = 0; k < 2; k++) { /* whoever it is that keeps them */
    Group group;
    group_begin (&group);
    group_add (&group, "encoders=none group=call", VIDEO_CAPS);
    group_add (&group, "encoders=none group=call", VIDEO_CAPS);
    push_once (group.rigs[0], 0);
    push_once (group.rigs[1], 1);
    group_settle (&group);
    gst_element_set_state (group.rigs[k]->send, GST_STATE_READY);
    check_timers_run (&group, group.rigs[1 - k]);
    group_end (&group);
  }
}

static void
test_timers_survive_the_flush_of_a_member (void)
{
  for (guint k = 0; k < 2; k++) {
    Group group;
    group_begin (&group);
    group_add (&group, "encoders=none group=call", VIDEO_CAPS);
    group_add (&group, "encoders=none group=call", VIDEO_CAPS);
    push_once (group.rigs[0], 0);
    push_once (group.rigs[1], 1);
    group_settle (&group);
    gst_harness_push_event (group.rigs[k]->h, gst_event_new_flush_start ());
    group.n_stuck = 1;
    check_timers_run (&group, group.rigs[1 - k]);
    gst_harness_push_event (group.rigs[k]->h, gst_event_new_flush_stop (TRUE));
    group.n_stuck = 0;
    group_settle (&group);
    group_end (&group);
  }
}

/* Whoever keeps the timers slept without one; RFC 5348 4.2 wants the first after 2 s. */
static void
test_a_packet_wakes_the_member_that_keeps_the_timers (void)
{
  for (guint k = 0; k < 2; k++) {
    Group group;
    group_begin (&group);
    group_add (&group, "encoders=none group=call", VIDEO_CAPS);
    group_add (&group, "encoders=none group=call", VIDEO_CAPS);
    group_settle (&group);
    push_once (group.rigs[k], 0);
    guint before = target_of (group.rigs[k]);
    group_run (&group, 2100 * GST_MSECOND);
    g_assert_cmpuint (target_of (group.rigs[k]), <, before * 6 / 10);
    group_end (&group);
  }
}

/* A sink that has no preroll yet blocks: here a probe. */
static GstPadProbeReturn
block (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, gpointer user)
{
  g_atomic_int_set ((gint *) user, TRUE);
  return GST_PAD_PROBE_OK;
}

static void
test_timers_survive_a_member_that_is_blocked (void)
{
  for (guint k = 0; k < 2; k++) {
    Group group;
    gint blocked = FALSE;
    group_begin (&group);
    group_add (&group, "encoders=none group=call", VIDEO_CAPS);
    group_add (&group, "encoders=none group=call", VIDEO_CAPS);
    push_once (group.rigs[0], 0);
    push_once (group.rigs[1], 1);
    group_run (&group, 100 * GST_MSECOND);
    GstPad *pad = gst_element_get_static_pad (group.rigs[k]->send, "src");
    gulong id = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, block, &blocked, NULL);
    push_once (group.rigs[k], 2 + k);
    while (!g_atomic_int_get (&blocked)) {
      g_thread_yield ();
    }
    group.n_stuck = 1;
    check_timers_run (&group, group.rigs[1 - k]);
    gst_pad_remove_probe (pad, id);
    group.n_stuck = 0;
    group_settle (&group);
    gst_object_unref (pad);
    group_end (&group);
  }
}

static void
test_an_idle_group_sleeps (void)
{
  Group group;
  group_begin (&group);
  for (guint i = 0; i < 4; i++) {
    group_add (&group, "encoders=none group=call", i % 2 == 0 ? AUDIO_CAPS : VIDEO_CAPS);
    push_once (group.rigs[i], i);
  }
  group_run (&group, 10 * GST_SECOND);
  guint wakeups = group_run (&group, 100 * GST_SECOND);
  g_test_message ("%u wake-ups in 100 s", wakeups);
  g_assert_cmpuint (wakeups, <, 500);
  group_end (&group);
}

/* --- Sender reports --- */

static guint32
word (GstBuffer *buffer, gsize index)
{
  guint8 bytes[4] = { 0 };
  gst_buffer_extract (buffer, index * 4, bytes, sizeof bytes);
  return GST_READ_UINT32_BE (bytes);
}

static void
test_each_member_reports_on_its_own_streams (void)
{
  Group group;
  GstHarness *out[2];
  group_begin (&group);
  for (guint i = 0; i < 2; i++) {
    group_add (&group, FIXED_400K, VIDEO_CAPS);
    out[i] = gst_harness_new_with_element (group.rigs[i]->send, NULL, "rtcp_src");
  }
  for (guint i = 0; i < 500; i++) {
    push_once (group.rigs[i % 2], i);
    group_run (&group, 50 * GST_MSECOND);
  }
  for (guint i = 0; i < 2; i++) {
    GstBuffer *report;
    guint n = 0;
    while ((report = gst_harness_try_pull (out[i])) != NULL) {
      guint8 types[2] = { 0 };
      gsize second = ((gsize) (word (report, 0) & 0xffff) + 1) * 4;
      gst_buffer_extract (report, 1, &types[0], 1);
      gst_buffer_extract (report, second + 1, &types[1], 1);
      if (types[0] == 200) {
        g_assert_cmpuint (word (report, 1), ==, SSRC + i);
        g_assert_cmpuint (types[1], !=, 200); /* one stream */
        n++;
      }
      gst_buffer_unref (report);
    }
    g_assert_cmpuint (n, >=, 4);
    gst_harness_teardown (out[i]);
  }
  group_end (&group);
}

static void
test_a_silent_member_that_reports_sleeps_too (void)
{
  Group group;
  group_begin (&group);
  Rig *silent = group_add (&group, FIXED_400K, VIDEO_CAPS);
  Rig *sends = group_add (&group, FIXED_400K, VIDEO_CAPS);
  GstHarness *out = gst_harness_new_with_element (silent->send, NULL, "rtcp_src");
  push_once (sends, 0);
  guint wakeups = group_run (&group, 100 * GST_SECOND);
  g_test_message ("%u wake-ups in 100 s", wakeups);
  g_assert_cmpuint (wakeups, <, 500);
  g_assert_null (gst_harness_try_pull (out));
  gst_harness_teardown (out);
  group_end (&group);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_path/" #name, test_##name)
  ADD (audio_of_one_member_passes_the_video_of_another);
  ADD (audio_passes_video_of_the_same_element);
  ADD (a_packet_wakes_the_member_that_keeps_the_timers);
  ADD (timers_survive_the_end_of_a_member);
  ADD (timers_survive_the_flush_of_a_member);
  ADD (timers_survive_a_member_that_is_blocked);
  ADD (an_idle_group_sleeps);
  ADD (each_member_reports_on_its_own_streams);
  ADD (a_silent_member_that_reports_sleeps_too);
  return g_test_run ();
}
