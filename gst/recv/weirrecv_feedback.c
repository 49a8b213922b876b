/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread of weirrecv: sends feedback when the receiver says it is due, and posts statistics. */
#include "recv/weirrecv.h"

#include "weir/rtcp.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_recv_debug);
#define GST_CAT_DEFAULT gst_weir_recv_debug

#define PACKET_MAX_BYTES 1500
/* How soon to ask again when a session has not sent, or nothing came out. */
#define PATIENCE_NS WEIR_MS (20)

/* --- pushing on rtcp_src --------------------------------------------------------------------- */

/* What must go ahead of the first buffer on a pad. */
static void
push_opening (GstWeirRecv *recv, GstPad *pad)
{
  GstSegment segment;
  GstCaps *caps = gst_weir_srtcp_make_caps (&recv->srtcp);
  gchar *id = g_strdup_printf ("%s/%08x/rtcp", GST_OBJECT_NAME (recv), g_random_int ());

  gst_pad_push_event (pad, gst_event_new_stream_start (id));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  g_free (id);
}

static void
push_rtcp (GstWeirRecv *recv, GstPad *pad, gboolean first, const guint8 *data, gsize len)
{
  GstBuffer *buffer = gst_weir_srtcp_seal (&recv->srtcp, gst_buffer_new_memdup (data, len));
  GstFlowReturn result = GST_FLOW_OK;

  if (first)
    push_opening (recv, pad);
  if (buffer != NULL)
    result = gst_pad_push (pad, buffer);
  if (result != GST_FLOW_OK)
    GST_DEBUG_OBJECT (pad, "feedback not taken: %s", gst_flow_get_name (result));
}

/* One datagram. FALSE: there was nothing to say. Called, and returns, with the lock held. */
static gboolean
send_datagram (GstWeirRecv *recv)
{
  guint8 data[PACKET_MAX_BYTES];
  uint64_t ntp_time = weir_ntp_from_unix_ns (g_get_real_time () * 1000);
  size_t len = 0;
  gboolean first = !recv->rtcp_started;
  GstPad *pad;
  enum weir_status status = weir_receiver_build_feedback (
      recv->receiver, gst_weir_recv_now_ns (recv), ntp_time, data, sizeof data, &len);

  if (status != WEIR_OK || len == 0)
    return FALSE;
  recv->rtcp_started = TRUE;
  pad = gst_object_ref (recv->rtcp_srcpad);
  g_mutex_unlock (&recv->lock);
  push_rtcp (recv, pad, first, data, len);
  gst_object_unref (pad);
  g_mutex_lock (&recv->lock);
  return TRUE;
}

/* EOS, once. Called, and returns, with the lock held. */
static void
send_end (GstWeirRecv *recv)
{
  GstPad *pad = gst_object_ref (recv->rtcp_srcpad);
  gboolean first = !recv->rtcp_started;

  recv->rtcp_started = TRUE;
  recv->rtcp_ended = TRUE;
  g_mutex_unlock (&recv->lock);
  if (first)
    push_opening (recv, pad);
  gst_pad_push_event (pad, gst_event_new_eos ());
  gst_object_unref (pad);
  g_mutex_lock (&recv->lock);
}

/* --- what is due ----------------------------------------------------------------------------- */

/* When feedback is due, WEIR_NEVER_NS when nobody would take ours. */
static gint64
feedback_due_ns (GstWeirRecv *recv)
{
  gboolean wanted = recv->session != NULL ? gst_weir_recv_session_carries_locked (recv)
                                          : recv->rtcp_srcpad != NULL;
  gint64 due_ns;

  if (recv->receiver == NULL || !wanted || recv->ended)
    return WEIR_NEVER_NS;
  due_ns = weir_receiver_next_feedback_ns (recv->receiver);
  return due_ns == WEIR_NEVER_NS ? due_ns : MAX (due_ns, recv->not_before_ns);
}

static gboolean
end_is_due (GstWeirRecv *recv)
{
  return recv->ended && !recv->rtcp_ended && recv->rtcp_srcpad != NULL;
}

static gint64
next_wake_ns (GstWeirRecv *recv)
{
  if (end_is_due (recv))
    return 0;
  return MIN (feedback_due_ns (recv), recv->next_stats_ns);
}

static void
ask_session (GstWeirRecv *recv)
{
  GObject *session = g_object_ref (recv->session);

  recv->not_before_ns = gst_weir_recv_now_ns (recv) + PATIENCE_NS;
  g_mutex_unlock (&recv->lock);
  if (!gst_weir_recv_session_request (session))
    GST_LOG_OBJECT (session, "no early RTCP allowed yet");
  g_object_unref (session);
  g_mutex_lock (&recv->lock);
}

static void
post_stats (GstWeirRecv *recv, gint64 now_ns)
{
  gint64 interval_ns = (gint64) recv->stats_interval_ns;

  recv->next_stats_ns += ((now_ns - recv->next_stats_ns) / interval_ns + 1) * interval_ns;
  g_mutex_unlock (&recv->lock);
  gst_element_post_message (
      GST_ELEMENT_CAST (recv),
      gst_message_new_element (GST_OBJECT_CAST (recv), gst_weir_recv_make_stats (recv)));
  g_mutex_lock (&recv->lock);
}

static void
do_what_is_due (GstWeirRecv *recv)
{
  gint64 now_ns = gst_weir_recv_now_ns (recv);

  if (feedback_due_ns (recv) <= now_ns) {
    if (recv->session != NULL)
      ask_session (recv);
    else if (!send_datagram (recv))
      recv->not_before_ns = now_ns + PATIENCE_NS;
  }
  if (end_is_due (recv))
    send_end (recv);
  if (recv->next_stats_ns <= now_ns)
    post_stats (recv, now_ns);
}

/* --- the thread ------------------------------------------------------------------------------ */

static void
wait_until (GstWeirRecv *recv, gint64 wake_ns)
{
  GstClockID id;

  if (wake_ns == WEIR_NEVER_NS) {
    g_cond_wait (&recv->wake, &recv->lock);
    return;
  }
  id = gst_clock_new_single_shot_id (recv->clock, (GstClockTime) wake_ns);
  recv->wait_id = id;
  recv->wait_until_ns = wake_ns;
  g_mutex_unlock (&recv->lock);
  gst_clock_id_wait (id, NULL);
  g_mutex_lock (&recv->lock);
  recv->wait_id = NULL;
  gst_clock_id_unref (id);
}

static gpointer
run (gpointer data)
{
  GstWeirRecv *recv = data;

  g_mutex_lock (&recv->lock);
  while (recv->running) {
    gint64 wake_ns = next_wake_ns (recv);
    if (wake_ns > gst_weir_recv_now_ns (recv))
      wait_until (recv, wake_ns);
    else
      do_what_is_due (recv);
  }
  g_mutex_unlock (&recv->lock);
  return NULL;
}

/* The deadline may have moved: wakes the thread when it would sleep too long. */
void
gst_weir_recv_feedback_kick_locked (GstWeirRecv *recv)
{
  gint64 wake_ns = next_wake_ns (recv);

  if (recv->wait_id == NULL)
    g_cond_signal (&recv->wake);
  else if (wake_ns < recv->wait_until_ns)
    gst_clock_id_unschedule (recv->wait_id);
}

void
gst_weir_recv_feedback_start (GstWeirRecv *recv)
{
  gint64 now_ns = gst_weir_recv_now_ns (recv);

  recv->running = TRUE;
  recv->not_before_ns = now_ns;
  recv->next_stats_ns
      = recv->stats_interval_ns > 0 ? now_ns + (gint64) recv->stats_interval_ns : WEIR_NEVER_NS;
  recv->thread = g_thread_new ("weirrecv", run, recv);
}

/* Tells the thread to end; it may still be pushing. */
void
gst_weir_recv_feedback_halt (GstWeirRecv *recv)
{
  g_mutex_lock (&recv->lock);
  recv->running = FALSE;
  g_cond_signal (&recv->wake);
  if (recv->wait_id != NULL)
    gst_clock_id_unschedule (recv->wait_id);
  g_mutex_unlock (&recv->lock);
}

/* After the pads are inactive, so that no push can hold the thread up. */
void
gst_weir_recv_feedback_join (GstWeirRecv *recv)
{
  g_thread_join (g_steal_pointer (&recv->thread));
}
