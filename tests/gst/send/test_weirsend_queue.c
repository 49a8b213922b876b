/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue with a path and nothing else of weirsend: the order in which things leave, what is
 * given up, and who waits. */
#include "send/weirsend_queue.h"

#include <gst/check/gsttestclock.h>

#define RATE_BPS 100000 /* 80 ms for 1000 bytes */

typedef struct
{
  GstWeirMember member;
  GstWeirSendQueue queue;
  GstClock *clock;
  GstElement *element;
} Rig;

static gint64
never (G_GNUC_UNUSED GstWeirMember *member, G_GNUC_UNUSED gint64 now_ns)
{
  return WEIR_NEVER_NS;
}

static void
ignore_output (G_GNUC_UNUSED GstWeirMember *self, G_GNUC_UNUSED const struct weir_output *former,
               G_GNUC_UNUSED gint64 now_ns)
{
}

static Rig *
begin (void)
{
  static const GstWeirMemberEvents events
      = { .on_output_locked = ignore_output, .next_due_locked = never };
  static const struct weir_param_value rate = { .name = "rate-bps", .value = RATE_BPS };
  Rig *rig = g_new0 (Rig, 1);
  struct weir_sender_config config;
  gchar *why = NULL;
  weir_sender_config_init (&config);
  config.algorithm = "fixed";
  config.params = &rate;
  config.n_params = 1;
  rig->clock = gst_test_clock_new ();
  rig->element = gst_object_ref_sink (gst_bin_new (NULL));
  gst_weir_member_init (&rig->member, rig->element, NULL, rig->clock, &events);
  rig->member.own.sender = weir_sender_create (&config, 0, NULL);
  rig->member.own.members[rig->member.own.n_members++] = &rig->member;
  rig->member.number = 0;
  gst_weir_send_queue_init (&rig->queue, &rig->member);
  gst_weir_send_queue_set_policy_locked (&rig->queue, WEIR_QUEUE_DROP_OLDEST, 10 * GST_SECOND);
  g_assert_true (gst_weir_send_queue_start_locked (&rig->queue, &why));
  gst_weir_send_queue_set_flushing_locked (&rig->queue, FALSE);
  gst_weir_member_update_output_locked (&rig->member, 0);
  return rig;
}

static void
end (Rig *rig)
{
  gst_weir_send_queue_stop (&rig->queue);
  weir_sender_destroy (rig->member.own.sender);
  gst_weir_member_clear (&rig->member);
  gst_object_unref (rig->element);
  gst_object_unref (rig->clock);
  g_free (rig);
}

/* A packet, known by its name. */
static GstFlowReturn
push (Rig *rig, gchar name, guint32 flags)
{
  GstWeirPushed pushed;
  GstWeirItem *item = g_slice_new (GstWeirItem);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1000, NULL);
  GST_BUFFER_OFFSET (buffer) = (guint64) name;
  *item = (GstWeirItem){ .object = GST_MINI_OBJECT_CAST (buffer),
                         .info = { .ssrc = 1, .timestamp = (guint32) name, .payload_bytes = 988 },
                         .rtp_bytes = 1000,
                         .flags = flags };
  return gst_weir_send_queue_push (&rig->queue, item, &pushed);
}

/* What leaves at this time, in order: the names of packets, '.' for an event. */
static const gchar *
take (Rig *rig, gint64 now_ns)
{
  static gchar names[64];
  GstWeirItem *item;
  guint n = 0;
  gst_weir_member_lock (&rig->member);
  while ((item = gst_weir_send_queue_take_locked (&rig->queue, now_ns, NULL)) != NULL) {
    names[n++] = GST_IS_EVENT (item->object) ? '.' : (gchar) GST_BUFFER_OFFSET (item->object);
    gst_weir_member_put_aside_locked (&rig->member, item->object);
    g_slice_free (GstWeirItem, item);
  }
  gst_weir_member_unlock (&rig->member);
  names[n] = '\0';
  return names;
}

static void
test_audio_passes_video_but_no_event (void)
{
  Rig *rig = begin ();
  push (rig, 'a', 0);
  push (rig, 'x', WEIR_QUEUE_AUDIO);
  gst_weir_send_queue_push_event (&rig->queue, gst_event_new_gap (0, 1));
  push (rig, 'b', 0);
  push (rig, 'y', WEIR_QUEUE_AUDIO);
  g_assert_cmpstr (take (rig, 0), ==, "xa.yb"); /* nothing is noted as sent, so all is due */
  g_assert_null (weir_queue_peek (rig->queue.queue));
  g_assert_cmpint (gst_weir_send_queue_next_due_locked (&rig->queue, 0), ==, WEIR_NEVER_NS);
  end (rig);
}

/* The others of a list must be of one frame, and no events. */
static void
test_a_list_is_of_one_frame (void)
{
  Rig *rig = begin ();
  push (rig, 'a', 0);
  push (rig, 'b', 0);
  gst_weir_send_queue_push_event (&rig->queue, gst_event_new_gap (0, 1));
  push (rig, 'c', 0);
  GstWeirItem *first = gst_weir_send_queue_take_locked (&rig->queue, 0, NULL);
  first->next = gst_weir_send_queue_take_locked (&rig->queue, 0, first);
  g_assert_nonnull (first->next);
  g_assert_null (gst_weir_send_queue_take_locked (&rig->queue, 0, first->next));
  for (GstWeirItem *item = first; item != NULL; item = item->next) {
    gst_mini_object_unref (item->object);
  }
  g_slice_free_chain (GstWeirItem, first, next);
  g_assert_cmpstr (take (rig, 0), ==, ".c");
  end (rig);
}

/* Packets go away, events do not; the application is told once, and only after EOS. */
static void
test_behind_a_flow_error_packets_go_away (void)
{
  Rig *rig = begin ();
  push (rig, 'a', 0);
  g_assert_false (gst_weir_send_queue_set_flow_locked (&rig->queue, GST_FLOW_ERROR));
  g_assert_cmpint (push (rig, 'b', 0), ==, GST_FLOW_ERROR);
  gst_weir_send_queue_push_event (&rig->queue, gst_event_new_eos ());
  g_assert_true (gst_weir_send_queue_set_flow_locked (&rig->queue, GST_FLOW_ERROR));
  g_assert_false (gst_weir_send_queue_set_flow_locked (&rig->queue, GST_FLOW_ERROR));
  g_assert_cmpstr (take (rig, 0), ==, ".");
  g_assert_cmpuint (rig->queue.discarded_packets, ==, 1);
  gst_weir_send_queue_clear_locked (&rig->queue);
  g_assert_cmpint (push (rig, 'c', 0), ==, GST_FLOW_OK);
  g_assert_cmpstr (take (rig, 0), ==, "c");
  end (rig);
}

/* Twice the bound and a second later. */
static void
test_an_eos_waits_for_a_while_only (void)
{
  Rig *rig = begin ();
  const struct weir_sent sent = { .ssrc = 1, .rtp_bytes = 1000000, .payload_bytes = 999988 };
  gst_weir_send_queue_set_policy_locked (&rig->queue, WEIR_QUEUE_DROP_OLDEST, GST_SECOND);
  weir_sender_on_sent (rig->member.own.sender, 0, &sent); /* 80 s */
  push (rig, 'a', 0);
  gst_weir_send_queue_push_event (&rig->queue, gst_event_new_eos ());
  g_assert_cmpint (gst_weir_send_queue_next_due_locked (&rig->queue, 0), ==, 3 * GST_SECOND);
  g_assert_cmpstr (take (rig, 3 * GST_SECOND - 1), ==, "");
  g_assert_cmpstr (take (rig, 3 * GST_SECOND), ==, ".");
  g_assert_cmpuint (rig->queue.discarded_packets, ==, 1);
  end (rig);
}

static gpointer
push_two (gpointer user)
{
  push (user, 'a', 0);
  return GINT_TO_POINTER (push (user, 'b', 0));
}

static void
await_room_is_wanted (Rig *rig)
{
  gboolean waits = FALSE;
  while (!waits) {
    gst_weir_member_lock (&rig->member);
    waits = rig->queue.waits_for_room;
    gst_weir_member_unlock (&rig->member);
  }
}

/* Until something has left, or a flush. */
static void
test_a_source_that_is_not_live_waits_for_room (void)
{
  for (guint flush = 0; flush < 2; flush++) {
    Rig *rig = begin ();
    gst_weir_send_queue_set_policy_locked (&rig->queue, WEIR_QUEUE_DROP_OLDEST, GST_MSECOND);
    rig->queue.live = FALSE;
    GThread *thread = g_thread_new ("push", push_two, rig);
    await_room_is_wanted (rig);
    if (flush) {
      gst_weir_member_lock (&rig->member);
      gst_weir_send_queue_set_flushing_locked (&rig->queue, TRUE);
      gst_weir_member_unlock (&rig->member);
    } else {
      g_assert_cmpstr (take (rig, 0), ==, "a");
    }
    GstFlowReturn flow = GPOINTER_TO_INT (g_thread_join (thread));
    g_assert_cmpint (flow, ==, flush ? GST_FLOW_FLUSHING : GST_FLOW_OK);
    g_assert_cmpstr (take (rig, 0), ==, flush ? "a" : "b");
    end (rig);
  }
}

/* Frames are left out from half the bound on; 83 ms for a packet with its overhead. What is not
 * live waits instead, and nothing is left out where frames do not refer to each other. */
static void
test_encoders_skip_frames_while_too_much_waits (void)
{
  static const struct
  {
    enum weir_queue_policy policy;
    gboolean live;
    guint max_ms, packets;
    gboolean skips;
  } rows[] = {
    { WEIR_QUEUE_DROP_FRAME, TRUE, 400, 0, FALSE },
    { WEIR_QUEUE_DROP_FRAME, TRUE, 400, 2, FALSE },
    { WEIR_QUEUE_DROP_FRAME, TRUE, 400, 3, TRUE },
    { WEIR_QUEUE_DROP_FRAME, FALSE, 400, 3, FALSE },
    { WEIR_QUEUE_DROP_OLDEST, TRUE, 400, 3, FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    Rig *rig = begin ();
    gst_weir_send_queue_set_policy_locked (&rig->queue, rows[i].policy,
                                           rows[i].max_ms * GST_MSECOND);
    rig->queue.live = rows[i].live;
    for (guint k = 0; k < rows[i].packets; k++) {
      push (rig, (gchar) ('a' + k), WEIR_QUEUE_FRAME_END);
    }
    g_assert_cmpint (gst_weir_send_queue_skips_frame (&rig->queue), ==, rows[i].skips);
    take (rig, 0);
    g_assert_false (gst_weir_send_queue_skips_frame (&rig->queue));
    gst_weir_send_queue_stop (&rig->queue);
    g_assert_false (gst_weir_send_queue_skips_frame (&rig->queue));
    end (rig);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_queue/" #name, test_##name)
  ADD (audio_passes_video_but_no_event);
  ADD (a_list_is_of_one_frame);
  ADD (behind_a_flow_error_packets_go_away);
  ADD (an_eos_waits_for_a_while_only);
  ADD (a_source_that_is_not_live_waits_for_room);
  ADD (encoders_skip_frames_while_too_much_waits);
  return g_test_run ();
}
