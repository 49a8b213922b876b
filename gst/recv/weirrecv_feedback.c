/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What weirrecv sends, and when: feedback that is due, through a session or on rtcp_src, and
 * statistics. */
#include "recv/weirrecv.h"

#define MAX_PACKET_BYTES 1500
/* How soon to ask again when a session has not sent, or nothing came out. */
#define PATIENCE_NS WEIR_MS (20)

GstStructure *
gst_weir_recv_make_stats (GstWeirRecv *self)
{
  GstStructure *stats = gst_weir_reception_make_stats (&self->reception);
  gst_structure_set (stats, "in-session", G_TYPE_BOOLEAN,
                     gst_weir_rtp_session_key (&self->session.rtp) != NULL, NULL);
  gst_weir_srtcp_put_stats (&self->rtcp.srtcp, stats);
  return stats;
}

/* --- What is due --- */

/* When feedback is due, WEIR_NEVER_NS when nobody would take ours. */
static gint64
feedback_due_ns (GstWeirRecv *self)
{
  gboolean in_session = gst_weir_rtp_session_key (&self->session.rtp) != NULL;
  if (g_atomic_int_get (&self->ended)
      || (!in_session && !gst_weir_rtcp_pads_linked (&self->rtcp, GST_PAD_SRC))) {
    return WEIR_NEVER_NS;
  }
  gint64 due_ns = gst_weir_reception_next_ns (&self->reception, in_session);
  GST_OBJECT_LOCK (self);
  due_ns = MAX (due_ns, self->not_before_ns);
  GST_OBJECT_UNLOCK (self);
  return due_ns;
}

/* Gives the session, or the caller, time. */
static void
rest (GstWeirRecv *self, gint64 now_ns)
{
  GST_OBJECT_LOCK (self);
  self->not_before_ns = now_ns + PATIENCE_NS;
  GST_OBJECT_UNLOCK (self);
}

/* Asks the session for RTCP, into which ours goes, or sends it. */
static void
send_feedback (GstWeirRecv *self, gint64 now_ns)
{
  guint8 data[MAX_PACKET_BYTES];
  if (gst_weir_rtp_session_key (&self->session.rtp) != NULL) {
    rest (self, now_ns);
    gst_weir_recv_session_request_rtcp (&self->session);
    return;
  }
  gsize size = gst_weir_reception_build (&self->reception, FALSE, data, sizeof data);
  if (size > 0) {
    GstMiniObject *spent
        = gst_weir_rtcp_pads_push (&self->rtcp, gst_buffer_new_memdup (data, size));
    g_clear_pointer (&spent, gst_mini_object_unref);
  } else {
    rest (self, now_ns);
  }
}

/* When statistics are due after now_ns; posts them if they have become due before. */
static gint64
post_stats (GstWeirRecv *self, gint64 now_ns)
{
  GST_OBJECT_LOCK (self);
  gint64 interval_ns = (gint64) self->stats_interval_ns;
  gboolean due = interval_ns > 0 && self->next_stats_ns <= now_ns;
  if (due) {
    self->next_stats_ns += ((now_ns - self->next_stats_ns) / interval_ns + 1) * interval_ns;
  }
  gint64 next_ns = interval_ns > 0 ? self->next_stats_ns : WEIR_NEVER_NS;
  GST_OBJECT_UNLOCK (self);
  if (due) {
    gst_element_post_message (
        GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self), gst_weir_recv_make_stats (self)));
  }
  return next_ns;
}

gint64
gst_weir_recv_do_what_is_due (gpointer recv)
{
  GstWeirRecv *self = recv;
  gint64 now_ns = gst_weir_worker_now_ns (&self->worker);
  if (feedback_due_ns (self) <= now_ns) {
    send_feedback (self, now_ns);
  }
  gint64 stats_ns = post_stats (self, now_ns);
  return MIN (feedback_due_ns (self), stats_ns);
}

void
gst_weir_recv_feedback_kick (GstWeirRecv *self)
{
  gst_weir_worker_wake_by (&self->worker, feedback_due_ns (self));
}

/* --- What changes --- */

/* The end of the media is the end of the feedback, or a sink on rtcp_src would hold the pipeline
 * up; a new stream begins both anew. */
void
gst_weir_recv_feedback_set_ended (GstWeirRecv *self, gboolean ended)
{
  g_atomic_int_set (&self->ended, ended);
  gst_weir_rtcp_pads_set_ended (&self->rtcp, ended);
  gst_weir_recv_feedback_kick (self);
}

void
gst_weir_recv_feedback_set_format (GstWeirRecv *self)
{
  GST_OBJECT_LOCK (self);
  guint format = (guint) self->format;
  guint64 interval_ns = self->interval_ns;
  gboolean ecn_counts = self->ecn_counts;
  GST_OBJECT_UNLOCK (self);
  gst_weir_reception_set_format (&self->reception, format, (gint64) interval_ns, ecn_counts);
  gst_weir_recv_session_configure (&self->session, interval_ns, format == WEIR_FEEDBACK_RR);
  gst_weir_recv_feedback_kick (self);
}

void
gst_weir_recv_feedback_set_stats_interval (GstWeirRecv *self)
{
  gint64 now_ns = gst_weir_worker_now_ns (&self->worker);
  GST_OBJECT_LOCK (self);
  self->next_stats_ns
      = self->stats_interval_ns > 0 ? now_ns + (gint64) self->stats_interval_ns : WEIR_NEVER_NS;
  GST_OBJECT_UNLOCK (self);
  gst_weir_worker_wake (&self->worker);
}
