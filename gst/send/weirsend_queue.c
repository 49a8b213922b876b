/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_queue.h"

#define EOS_GRACE_NS WEIR_SECONDS (1)

/* Takes item. */
static void
drop_locked (GstWeirSendQueue *self, GstWeirItem *item)
{
  gst_weir_member_put_aside_locked (self->member, item->object);
  g_slice_free (GstWeirItem, item);
}

static void
on_drop (void *user, const struct weir_queue_item *queued)
{
  drop_locked (user, queued->packet);
}

/* Packets have come, or were given up. */
static void
note_queue_locked (GstWeirSendQueue *self, gint64 now_ns)
{
  struct weir_queue_stats stats;
  weir_queue_get_stats (self->queue, &stats);
  weir_sender_on_queue (self->member->path->sender, now_ns, self->member->number,
                        stats.queued_bytes);
}

/* --- What comes in --- */

static gboolean
has_room_locked (GstWeirSendQueue *self, guint32 size_bytes)
{
  struct weir_queue_stats stats;
  weir_queue_get_stats (self->queue, &stats);
  gint64 drain_ns
      = weir_send_time_ns (stats.queued_bytes + size_bytes, self->member->drain_wire_bps);
  return stats.queued_packets == 0
         || (drain_ns <= self->config.max_time_ns
             /* Half of the places are for events. */
             && stats.queued_packets < self->config.max_packets / 2);
}

static void
settle_locked (GstWeirSendQueue *self, GstWeirPushed *pushed)
{
  note_queue_locked (self, pushed->now_ns);
  gst_weir_member_update_output_locked (self->member, pushed->now_ns);
  if (pushed->wake) {
    gst_weir_member_wake_locked (self->member);
    pushed->wake = FALSE;
  }
}

/* A source that is not live can wait; one that is cannot, and the queue's policy applies. */
static void
wait_for_room_locked (GstWeirSendQueue *self, guint32 size_bytes, GstWeirPushed *pushed)
{
  self->waits_for_room = TRUE;
  while (!self->flushing && self->flow == GST_FLOW_OK && !has_room_locked (self, size_bytes)) {
    settle_locked (self, pushed);
    gst_weir_member_wait_locked (self->member);
    pushed->now_ns = gst_weir_member_now (self->member);
  }
  self->waits_for_room = FALSE;
}

/* The rate at which the queue's policy measures what waits. Nothing is dropped of a source that
 * waited for room, although the rate may have fallen since. Audio leaves first, so all of the rate
 * is there for it; of a group's video each member has its share. */
static gint64
drain_bps_locked (const GstWeirSendQueue *self, guint32 flags)
{
  if (!self->live) {
    return WEIR_MAX_BPS;
  }
  return (flags & WEIR_QUEUE_AUDIO) != 0 ? self->member->output.pacing_wire_bps
                                         : self->member->drain_wire_bps;
}

static void
enqueue_locked (GstWeirSendQueue *self, GstWeirItem *item, guint32 size_bytes,
                GstWeirPushed *pushed)
{
  bool need_key_frame = false;
  struct weir_queue_item queued = { .packet = item,
                                    .enqueued_ns = pushed->now_ns,
                                    .size_bytes = size_bytes,
                                    .ssrc = item->info.ssrc,
                                    .rtp_timestamp = item->info.timestamp,
                                    .flags = item->flags };
  weir_queue_push (self->queue, &queued, drain_bps_locked (self, item->flags), &need_key_frame);
  pushed->need_key_frame |= need_key_frame;
}

/* Takes item. */
static void
push_packet_locked (GstWeirSendQueue *self, GstWeirItem *item, GstWeirPushed *pushed)
{
  guint32 size_bytes = item->rtp_bytes + self->member->overhead_bytes;
  guint32 media_bytes
      = (item->flags & WEIR_QUEUE_REPAIR) != 0 ? 0 : (guint32) item->info.payload_bytes;
  if (!self->live) {
    wait_for_room_locked (self, size_bytes, pushed);
  }
  if (self->flushing || self->flow <= GST_FLOW_EOS) {
    drop_locked (self, item);
    return;
  }
  /* Audio goes before what waits. */
  pushed->wake |= weir_queue_peek (self->queue) == NULL || (item->flags & WEIR_QUEUE_AUDIO) != 0;
  pushed->media_bytes += media_bytes;
  if (item->new_stream) {
    gchar *complaint
        = gst_weir_member_note_stream_locked (self->member, item->info.ssrc, item->clock_rate_hz);
    pushed->complaint = complaint != NULL ? complaint : pushed->complaint; /* one at most */
  }
  weir_sender_on_media (self->member->path->sender, pushed->now_ns, self->member->number,
                        media_bytes, size_bytes);
  enqueue_locked (self, item, size_bytes, pushed);
}

GstFlowReturn
gst_weir_send_queue_push (GstWeirSendQueue *self, GstWeirItem *items, GstWeirPushed *pushed)
{
  gst_weir_member_lock (self->member);
  *pushed = (GstWeirPushed){ .now_ns = gst_weir_member_now (self->member) };
  while (items != NULL) {
    GstWeirItem *item = items;
    items = item->next;
    item->next = NULL;
    push_packet_locked (self, item, pushed);
  }
  settle_locked (self, pushed);
  GstFlowReturn flow = self->flushing ? GST_FLOW_FLUSHING : self->flow;
  gst_weir_member_unlock (self->member);
  return flow;
}

/* Media that waits must have left some time, even when sending is forbidden for ever. */
static void
note_eos_locked (GstWeirSendQueue *self, gint64 now_ns)
{
  gint64 bound_ns = MIN (self->config.max_time_ns, G_MAXINT64 / 4);
  self->eos_in = TRUE;
  self->eos_deadline_ns = weir_time_add_ns (now_ns, 2 * bound_ns + EOS_GRACE_NS);
}

gboolean
gst_weir_send_queue_push_event (GstWeirSendQueue *self, GstEvent *event)
{
  gboolean taken = FALSE;
  gboolean eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  GstWeirItem *item = g_slice_new (GstWeirItem);
  *item = (GstWeirItem){ .object = GST_MINI_OBJECT_CAST (event) };
  gst_weir_member_lock (self->member);
  if (self->flushing) {
    drop_locked (self, item);
  } else {
    gint64 now_ns = gst_weir_member_now (self->member);
    struct weir_queue_item queued
        = { .packet = item, .enqueued_ns = now_ns, .flags = WEIR_QUEUE_CONTROL };
    taken = weir_queue_push (self->queue, &queued, drain_bps_locked (self, 0), NULL) == WEIR_OK;
    if (eos) {
      note_eos_locked (self, now_ns);
    }
    gst_weir_member_wake_locked (self->member);
  }
  gst_weir_member_unlock (self->member);
  return taken;
}

void
gst_weir_send_queue_begin_stream (GstWeirSendQueue *self)
{
  gst_weir_member_lock (self->member);
  self->eos_in = FALSE;
  if (self->flow == GST_FLOW_EOS) {
    self->flow = GST_FLOW_OK;
  }
  gst_weir_member_unlock (self->member);
}

gboolean
gst_weir_send_queue_skips_frame (GstWeirSendQueue *self)
{
  gst_weir_member_lock (self->member);
  gboolean skips
      = self->queue != NULL && weir_queue_skips_frame (self->queue, drain_bps_locked (self, 0));
  gst_weir_member_unlock (self->member);
  return skips;
}

/* --- What leaves --- */

gint64
gst_weir_send_queue_next_due_locked (const GstWeirSendQueue *self, gint64 now_ns)
{
  const struct weir_queue_item *head = weir_queue_peek (self->queue);
  if (head == NULL) {
    return WEIR_NEVER_NS;
  }
  const GstWeirItem *item = head->packet;
  if (GST_IS_EVENT (item->object)) {
    return now_ns;
  }
  const struct weir_sender *sender = self->member->path->sender;
  gint64 due_ns = (item->flags & WEIR_QUEUE_AUDIO) != 0
                      ? weir_sender_next_audio_ns (sender, now_ns, item->rtp_bytes)
                      : weir_sender_next_send_ns (sender, now_ns, item->rtp_bytes);
  return weir_min_i64 (due_ns, self->eos_deadline_ns);
}

/* Behind a flow error everything leaves at once: it only goes away. */
static gboolean
head_may_leave_locked (const GstWeirSendQueue *self, gint64 now_ns)
{
  return weir_queue_peek (self->queue) != NULL
         && (self->flow <= GST_FLOW_EOS
             || gst_weir_send_queue_next_due_locked (self, now_ns) <= now_ns);
}

/* Sessions take time and statistics of a list from its first buffer: the others must have the same
 * stream and time stamp. */
static gboolean
may_follow (const GstWeirItem *last, const GstWeirItem *item)
{
  return last == NULL
         || (!GST_IS_EVENT (item->object) && !GST_IS_EVENT (last->object)
             && item->info.ssrc == last->info.ssrc
             && GST_BUFFER_PTS (item->object) == GST_BUFFER_PTS (last->object));
}

/* Behind a flow error, and before an EOS that has waited long enough, packets only go away. */
static gboolean
is_given_up_locked (const GstWeirSendQueue *self, gint64 now_ns, const GstWeirItem *item)
{
  return !GST_IS_EVENT (item->object)
         && (self->flow <= GST_FLOW_EOS || now_ns >= self->eos_deadline_ns);
}

GstWeirItem *
gst_weir_send_queue_take_locked (GstWeirSendQueue *self, gint64 now_ns, const GstWeirItem *last)
{
  GstWeirItem *taken = NULL;
  while (taken == NULL && head_may_leave_locked (self, now_ns)
         && may_follow (last, weir_queue_peek (self->queue)->packet)) {
    struct weir_queue_item head;
    weir_queue_pop (self->queue, &head);
    taken = head.packet;
    taken->queued_ns = head.enqueued_ns;
    if (is_given_up_locked (self, now_ns, taken)) {
      self->discarded_packets++;
      note_queue_locked (self, now_ns);
      drop_locked (self, g_steal_pointer (&taken));
    } else if (GST_IS_EVENT (taken->object) && GST_EVENT_TYPE (taken->object) == GST_EVENT_EOS) {
      self->eos_deadline_ns = WEIR_NEVER_NS;
    }
    if (self->waits_for_room) {
      g_cond_signal (&self->member->room);
    }
  }
  return taken;
}

gboolean
gst_weir_send_queue_set_flow_locked (GstWeirSendQueue *self, GstFlowReturn flow)
{
  gboolean tell = (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) && self->eos_in
                  && !self->flow_error_told;
  self->flow = flow;
  self->flow_error_told |= tell;
  if (self->waits_for_room && flow != GST_FLOW_OK) {
    g_cond_signal (&self->member->room);
  }
  return tell;
}

void
gst_weir_send_queue_set_flushing_locked (GstWeirSendQueue *self, gboolean flushing)
{
  self->flushing = flushing;
  g_cond_broadcast (&self->member->room);
}

/* --- Begin and end --- */

static void
reset_flow_locked (GstWeirSendQueue *self)
{
  self->flow = GST_FLOW_OK;
  self->flow_error_told = FALSE;
  self->eos_in = FALSE;
  self->eos_deadline_ns = WEIR_NEVER_NS;
}

void
gst_weir_send_queue_clear_locked (GstWeirSendQueue *self)
{
  if (self->queue != NULL) {
    weir_queue_clear (self->queue);
    note_queue_locked (self, gst_weir_member_now (self->member));
  }
  reset_flow_locked (self);
}

gboolean
gst_weir_send_queue_start_locked (GstWeirSendQueue *self, gchar **why)
{
  enum weir_status status = WEIR_OK;
  reset_flow_locked (self);
  self->live = TRUE;
  self->discarded_packets = 0;
  self->queue = weir_queue_create (&self->config, &status);
  if (self->queue == NULL) {
    *why = g_strdup_printf ("send queue: %s", weir_status_text (status));
  }
  return self->queue != NULL;
}

void
gst_weir_send_queue_stop (GstWeirSendQueue *self)
{
  gst_weir_member_lock (self->member);
  g_clear_pointer (&self->queue, weir_queue_destroy);
  gst_weir_member_unlock (self->member);
}

void
gst_weir_send_queue_set_policy_locked (GstWeirSendQueue *self, enum weir_queue_policy policy,
                                       guint64 max_time_ns)
{
  self->config.policy = policy;
  self->config.max_time_ns = (gint64) max_time_ns;
  if (self->queue != NULL) {
    weir_queue_set_policy (self->queue, policy, self->config.max_time_ns);
  }
  g_cond_broadcast (&self->member->room);
}

void
gst_weir_send_queue_init (GstWeirSendQueue *self, GstWeirMember *member)
{
  *self = (GstWeirSendQueue){ .member = member, .flushing = TRUE };
  weir_queue_config_init (&self->config);
  self->config.on_drop = on_drop;
  self->config.user = self;
}
