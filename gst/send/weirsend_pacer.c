/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue and the pacing task on the src pad, which waits for what is due next and does it.
 * A turn decides under the session lock, then pushes without it. */
#include "send/weirsend_pacer.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug
/* Most packets that leave in one list. */
#define MAX_TOGETHER 64
#define EOS_GRACE_NS WEIR_SECONDS (1)

/* --- Items --- */

static gboolean
is_control (const struct weir_queue_item *head)
{
  return (head->flags & WEIR_QUEUE_CONTROL) != 0;
}

/* Takes item. */
static void
drop_locked (GstWeirPacer *self, GstWeirItem *item)
{
  gst_weir_member_put_aside_locked (self->member, item->object);
  g_slice_free (GstWeirItem, item);
}

static void
on_drop (void *user, const struct weir_queue_item *queued)
{
  drop_locked (user, queued->packet);
}

/* --- What comes in --- */

static gint64
queued_bytes (const GstWeirPacer *self)
{
  struct weir_queue_stats stats;
  weir_queue_get_stats (self->queue, &stats);
  return stats.queued_bytes;
}

/* Packets have come, or were given up. */
static void
note_queue_locked (GstWeirPacer *self, gint64 now_ns)
{
  weir_sender_on_queue (self->member->path->sender, now_ns, self->member->number,
                        queued_bytes (self));
}

static gboolean
has_room_locked (GstWeirPacer *self, guint32 size_bytes)
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

/* What one call of push has brought so far. */
typedef struct
{
  GstWeirPushed *pushed;
  gboolean wake; /* the task has to look */
} Batch;

static void
settle_batch_locked (GstWeirPacer *self, Batch *batch)
{
  note_queue_locked (self, batch->pushed->now_ns);
  gst_weir_member_update_output_locked (self->member, batch->pushed->now_ns);
  if (batch->wake) {
    gst_weir_member_wake_locked (self->member);
    batch->wake = FALSE;
  }
}

/* A source that is not live can wait; one that is cannot, and the queue's policy applies. */
static void
wait_for_room_locked (GstWeirPacer *self, guint32 size_bytes, Batch *batch)
{
  self->waits_for_room = TRUE;
  while (!self->flushing && self->last_flow == GST_FLOW_OK && !has_room_locked (self, size_bytes)) {
    settle_batch_locked (self, batch);
    gst_weir_member_wait_locked (self->member);
    batch->pushed->now_ns = gst_weir_member_now (self->member);
  }
  self->waits_for_room = FALSE;
}

/* The rate at which the queue's policy measures what waits. Nothing is dropped of a source that
 * waited for room, although the rate may have fallen since. Audio leaves first, so all of the rate
 * is there for it; of a group's video each member has its share. */
static gint64
drain_bps_locked (const GstWeirPacer *self, guint32 flags)
{
  if (!self->live) {
    return WEIR_MAX_BPS;
  }
  return (flags & WEIR_QUEUE_AUDIO) != 0 ? self->member->output.pacing_wire_bps
                                         : self->member->drain_wire_bps;
}

static void
enqueue_locked (GstWeirPacer *self, GstWeirItem *item, guint32 size_bytes, GstWeirPushed *pushed)
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
push_packet_locked (GstWeirPacer *self, GstWeirItem *item, Batch *batch)
{
  GstWeirPushed *pushed = batch->pushed;
  guint32 size_bytes = item->rtp_bytes + self->member->overhead_bytes;
  guint32 media_bytes
      = (item->flags & WEIR_QUEUE_REPAIR) != 0 ? 0 : (guint32) item->info.payload_bytes;
  if (!self->live) {
    wait_for_room_locked (self, size_bytes, batch);
  }
  if (self->flushing || self->last_flow <= GST_FLOW_EOS) {
    drop_locked (self, item);
    return;
  }
  /* Audio goes before what waits. */
  batch->wake |= weir_queue_peek (self->queue) == NULL || (item->flags & WEIR_QUEUE_AUDIO) != 0;
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
gst_weir_pacer_push (GstWeirPacer *self, GstWeirItem *items, GstWeirPushed *pushed)
{
  Batch batch = { .pushed = pushed };
  gst_weir_member_lock (self->member);
  *pushed = (GstWeirPushed){ .now_ns = gst_weir_member_now (self->member) };
  while (items != NULL) {
    GstWeirItem *item = items;
    items = item->next;
    item->next = NULL;
    push_packet_locked (self, item, &batch);
  }
  settle_batch_locked (self, &batch);
  GstFlowReturn flow = self->flushing ? GST_FLOW_FLUSHING : self->last_flow;
  gst_weir_member_unlock (self->member);
  return flow;
}

/* Media that waits must have left some time, even when sending is forbidden for ever. */
static void
note_eos_locked (GstWeirPacer *self, gint64 now_ns)
{
  gint64 bound_ns = MIN (self->config.max_time_ns, G_MAXINT64 / 4);
  self->eos_in = TRUE;
  self->eos_deadline_ns = weir_time_add_ns (now_ns, 2 * bound_ns + EOS_GRACE_NS);
}

gboolean
gst_weir_pacer_push_event (GstWeirPacer *self, GstEvent *event)
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
gst_weir_pacer_begin_stream (GstWeirPacer *self)
{
  gst_weir_member_lock (self->member);
  self->eos_in = FALSE;
  if (self->last_flow == GST_FLOW_EOS) {
    self->last_flow = GST_FLOW_OK;
  }
  gst_weir_member_unlock (self->member);
}

void
gst_weir_pacer_set_live (GstWeirPacer *self, gboolean live)
{
  gst_weir_member_lock (self->member);
  self->live = live;
  gst_weir_member_unlock (self->member);
}

/* --- What leaves --- */

gint64
gst_weir_pacer_next_due_locked (const GstWeirPacer *self, gint64 now_ns)
{
  const struct weir_queue_item *head = weir_queue_peek (self->queue);
  if (head == NULL) {
    return WEIR_NEVER_NS;
  }
  if (is_control (head)) {
    return now_ns;
  }
  const GstWeirItem *item = head->packet;
  const struct weir_sender *sender = self->member->path->sender;
  gint64 due_ns = (head->flags & WEIR_QUEUE_AUDIO) != 0
                      ? weir_sender_next_audio_ns (sender, now_ns, item->rtp_bytes)
                      : weir_sender_next_send_ns (sender, now_ns, item->rtp_bytes);
  return weir_min_i64 (due_ns, self->eos_deadline_ns);
}

/* Where no RTP session does it, the sending session numbers the packets: it leaves numbers out,
 * which give a receiver away that lies, and streams with numbers of their own become one series. */
static void
plan_numbering_locked (GstWeirPacer *self, GstWeirItem *item, struct weir_sent *sent)
{
  if (self->renumbered) {
    /* The session will write its own number over this one, which another packet may have had. */
    sent->has_transport_seq = FALSE;
  }
  if (!sent->has_transport_seq || self->member->rtp_session != NULL) {
    return;
  }
  item->has_number = TRUE;
  item->number = weir_sender_take_transport_seq (self->member->path->sender, sent->member);
  sent->transport_seq = item->number;
}

static guint32
sent_flags (guint32 queue_flags)
{
  return ((queue_flags & WEIR_QUEUE_AUDIO) != 0 ? WEIR_SENT_AUDIO : 0u)
         | ((queue_flags & WEIR_QUEUE_REPAIR) != 0 ? WEIR_SENT_REPAIR : 0u);
}

/* The packet counts as sent from here on: its feedback may come before the push returns. */
static void
note_sent_locked (GstWeirPacer *self, gint64 now_ns, gint64 queued_ns, GstWeirItem *item)
{
  struct weir_sent sent = {
    .ssrc = item->info.ssrc,
    .rtp_timestamp = item->info.timestamp,
    .rtp_seq = item->info.seq,
    .transport_seq = item->info.transport_seq,
    .has_transport_seq = item->info.has_transport_seq,
    .rtp_bytes = item->rtp_bytes,
    .payload_bytes = item->info.payload_bytes,
    .queued_bytes = queued_bytes (self),
    .member = self->member->number,
    .flags = sent_flags (item->flags),
    .waited_ns = now_ns - queued_ns,
  };
  plan_numbering_locked (self, item, &sent);
  weir_sender_on_sent (self->member->path->sender, now_ns, &sent);
  self->repair_packets += (item->flags & WEIR_QUEUE_REPAIR) != 0 ? 1 : 0;
}

/* Behind a flow error, and before an EOS that has waited long enough, packets only go away. */
static gboolean
discard_locked (GstWeirPacer *self, gint64 now_ns, GstWeirItem *item)
{
  if (self->last_flow > GST_FLOW_EOS && now_ns < self->eos_deadline_ns) {
    return FALSE;
  }
  self->discarded_packets++;
  note_queue_locked (self, now_ns);
  drop_locked (self, item);
  return TRUE;
}

static gboolean
head_may_leave_locked (GstWeirPacer *self, gint64 now_ns)
{
  gint64 due_ns = gst_weir_pacer_next_due_locked (self, now_ns);
  if (due_ns == WEIR_NEVER_NS) {
    return self->last_flow <= GST_FLOW_EOS && weir_queue_peek (self->queue) != NULL;
  }
  return self->last_flow <= GST_FLOW_EOS || due_ns <= now_ns;
}

/* Sessions take time and statistics of a list from its first buffer: the others must have the same
 * stream and time stamp. */
static gboolean
may_follow (const GstWeirItem *last, const struct weir_queue_item *head)
{
  const GstWeirItem *item = head->packet;
  return last == NULL
         || (!is_control (head) && !GST_IS_EVENT (last->object)
             && item->info.ssrc == last->info.ssrc
             && GST_BUFFER_PTS (item->object) == GST_BUFFER_PTS (last->object));
}

/* What one turn has to do once the lock is free. */
typedef struct
{
  GstWeirItem *items; /* to push, in order: one event, or packets of one frame; or NULL */
  guint n_items, n_packets;
  gboolean eos; /* the event is one */
  GstFlowReturn former_flow;
  gboolean chores;
} Turn;

/* What leaves now: an event, or the packets of one frame that are due. */
static void
plan_push_locked (GstWeirPacer *self, gint64 now_ns, Turn *turn)
{
  GstWeirItem *last = NULL;
  struct weir_queue_item head;
  turn->former_flow = self->last_flow;
  while (turn->n_items < MAX_TOGETHER && head_may_leave_locked (self, now_ns)
         && may_follow (last, weir_queue_peek (self->queue))) {
    weir_queue_pop (self->queue, &head);
    GstWeirItem *item = head.packet;
    if (is_control (&head)) {
      turn->eos = GST_EVENT_TYPE (item->object) == GST_EVENT_EOS;
    } else if (discard_locked (self, now_ns, item)) {
      continue;
    } else {
      note_sent_locked (self, now_ns, head.enqueued_ns, item);
      turn->n_packets++;
    }
    *(last != NULL ? &last->next : &turn->items) = item;
    last = item;
    turn->n_items++;
  }
  if (turn->eos) {
    self->eos_deadline_ns = WEIR_NEVER_NS;
  }
  if (self->waits_for_room) {
    g_cond_signal (&self->member->room);
  }
}

/* TRUE: there is something to do without the lock. */
static gboolean
plan_turn_locked (GstWeirPacer *self, gint64 now_ns, Turn *turn)
{
  gboolean packets_wait = weir_queue_peek (self->queue) != NULL;
  GstWeirChores chores = self->events->plan_locked (self->element, now_ns, packets_wait);
  turn->chores = chores != GST_WEIR_CHORES_NONE;
  if (chores != GST_WEIR_CHORES_BEFORE_PACKETS) {
    plan_push_locked (self, now_ns, turn);
  }
  if (turn->n_items > 0) {
    self->events->on_leaving_locked (self->element, now_ns, turn->n_packets, turn->eos);
  }
  return turn->items != NULL || turn->chores || self->member->path->spent != NULL;
}

/* The packet of an item, with our number if it has one. Takes it out of the item. */
static GstBuffer *
take_packet (GstWeirItem *item)
{
  GstMapInfo map;
  GstBuffer *buffer = GST_BUFFER_CAST (g_steal_pointer (&item->object));
  if (item->has_number) {
    buffer = gst_buffer_make_writable (buffer);
    if (gst_buffer_map (buffer, &map, GST_MAP_READWRITE)) {
      weir_rtp_set_transport_seq (map.data, map.size, item->transport_seq_id, item->number);
      gst_buffer_unmap (buffer, &map);
    }
  }
  return buffer;
}

/* Downstream has given up and upstream, after EOS, will never ask: the application must hear. */
static void
note_flow (GstWeirPacer *self, GstFlowReturn flow)
{
  gst_weir_member_lock (self->member);
  self->last_flow = flow;
  gboolean post = (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) && self->eos_in
                  && !self->flow_error_posted;
  self->flow_error_posted |= post;
  if (self->waits_for_room && flow != GST_FLOW_OK) {
    g_cond_signal (&self->member->room);
  }
  gst_weir_member_unlock (self->member);
  if (post) {
    GST_ELEMENT_FLOW_ERROR (self->element, flow);
  }
}

static GstFlowReturn
push_together (GstWeirPacer *self, const Turn *turn)
{
  GstBufferList *list = gst_buffer_list_new_sized (turn->n_items);
  for (GstWeirItem *item = turn->items; item != NULL; item = item->next) {
    gst_buffer_list_add (list, take_packet (item));
  }
  return gst_pad_push_list (self->pad, list);
}

static void
push_items (GstWeirPacer *self, const Turn *turn)
{
  GstWeirItem *first = turn->items;
  if (GST_IS_EVENT (first->object)) {
    gst_pad_push_event (self->pad, GST_EVENT_CAST (g_steal_pointer (&first->object)));
  } else {
    GstFlowReturn flow = first->next == NULL ? gst_pad_push (self->pad, take_packet (first))
                                             : push_together (self, turn);
    if (flow != turn->former_flow) {
      note_flow (self, flow);
    }
  }
  g_slice_free_chain (GstWeirItem, first, next);
}

static void
act (GstWeirPacer *self, const Turn *turn)
{
  if (turn->items != NULL) {
    push_items (self, turn);
  }
  if (turn->chores) {
    self->events->act (self->element);
  }
}

static void
turn_once (gpointer user)
{
  GstWeirPacer *self = user;
  Turn turn = { 0 };
  gst_weir_member_lock (self->member);
  if (self->flushing) {
    gst_weir_member_unlock (self->member);
    gst_pad_pause_task (self->pad);
    return;
  }
  gint64 now_ns = gst_weir_member_now (self->member);
  gboolean busy = plan_turn_locked (self, now_ns, &turn);
  if (busy) {
    gst_weir_member_give_timers_locked (self->member);
  } else {
    gst_weir_member_sleep_locked (self->member, now_ns);
  }
  gst_weir_member_unlock (self->member);
  if (busy) {
    act (self, &turn);
  }
}

/* --- Begin and end --- */

/* Flushing ends every wait of ours; the task then pauses itself. */
static void
set_flushing (GstWeirPacer *self, gboolean flushing)
{
  gst_weir_member_lock (self->member);
  self->flushing = flushing;
  if (flushing) {
    gst_weir_member_give_timers_locked (self->member);
  }
  gst_weir_member_wake_locked (self->member);
  g_cond_broadcast (&self->member->room);
  gst_weir_member_unlock (self->member);
}

/* With `activation` held. Who waits for the task to pause would wait as long as it sleeps, if it
 * ran again before: that thread ends its flush later, and then it starts. */
static void
start_task (GstWeirPacer *self)
{
  if (self->n_pausing == 0) {
    set_flushing (self, FALSE);
    gst_pad_start_task (self->pad, turn_once, self, NULL);
  }
}

static void
set_running (GstWeirPacer *self, gboolean runs)
{
  g_mutex_lock (&self->activation);
  gst_weir_member_lock (self->member);
  self->runs = runs;
  gst_weir_member_unlock (self->member);
  if (runs) {
    start_task (self);
  } else {
    set_flushing (self, TRUE);
  }
  g_mutex_unlock (&self->activation);
}

static void
add_pausing (GstWeirPacer *self, gint n)
{
  g_mutex_lock (&self->activation);
  self->n_pausing += (guint) n;
  g_mutex_unlock (&self->activation);
}

void
gst_weir_pacer_deactivate (GstWeirPacer *self)
{
  set_running (self, FALSE);
}

void
gst_weir_pacer_flush_start (GstWeirPacer *self, GstEvent *event)
{
  gst_pad_push_event (self->pad, event); /* first: it frees a push that is blocked */
  add_pausing (self, 1);
  set_flushing (self, TRUE);
  gst_pad_pause_task (self->pad);
  add_pausing (self, -1);
}

/* Sticky events that had not left yet are not lost with the packets. */
static void
keep_sticky_events (GstWeirPacer *self, const GSList *oldest_first)
{
  for (const GSList *link = oldest_first; link != NULL; link = link->next) {
    GstEvent *event = GST_IS_EVENT (link->data) ? link->data : NULL;
    if (event != NULL && GST_EVENT_IS_STICKY (event) && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
        && GST_EVENT_TYPE (event) != GST_EVENT_EOS) {
      gst_pad_store_sticky_event (self->pad, event);
    }
  }
}

/* What holds at the beginning of a run, and behind a flush. */
static void
reset_flow_locked (GstWeirPacer *self)
{
  self->last_flow = GST_FLOW_OK;
  self->eos_in = FALSE;
  self->eos_deadline_ns = WEIR_NEVER_NS;
  self->flow_error_posted = FALSE;
}

/* Unless the pads are being deactivated: then the session may be gone before the task's next turn.
 */
static void
end_flush (GstWeirPacer *self)
{
  g_mutex_lock (&self->activation);
  if (self->runs) {
    start_task (self);
  }
  g_mutex_unlock (&self->activation);
}

void
gst_weir_pacer_flush_stop (GstWeirPacer *self, GstEvent *event)
{
  gst_weir_member_lock (self->member);
  if (self->runs) {
    weir_queue_clear (self->queue);
    note_queue_locked (self, gst_weir_member_now (self->member));
  }
  GSList *spent = g_slist_reverse (g_steal_pointer (&self->member->path->spent));
  reset_flow_locked (self);
  gst_weir_member_unlock (self->member);
  keep_sticky_events (self, spent);
  g_slist_free_full (spent, (GDestroyNotify) gst_mini_object_unref);
  gst_pad_push_event (self->pad, event);
  end_flush (self);
}

void
gst_weir_pacer_clear (GstWeirPacer *self)
{
  g_mutex_clear (&self->activation);
}

gboolean
gst_weir_pacer_start_locked (GstWeirPacer *self, gchar **why)
{
  enum weir_status status = WEIR_OK;
  reset_flow_locked (self);
  self->live = TRUE;
  self->repair_packets = 0;
  self->discarded_packets = 0;
  self->queue = weir_queue_create (&self->config, &status);
  if (self->queue == NULL) {
    *why = g_strdup_printf ("send queue: %s", weir_status_text (status));
  }
  return self->queue != NULL;
}

void
gst_weir_pacer_stop (GstWeirPacer *self)
{
  gst_weir_member_lock (self->member);
  g_clear_pointer (&self->queue, weir_queue_destroy);
  gst_weir_member_unlock (self->member);
}

void
gst_weir_pacer_set_queue_locked (GstWeirPacer *self, enum weir_queue_policy policy,
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
gst_weir_pacer_set_renumbered_locked (GstWeirPacer *self, gboolean renumbered)
{
  self->renumbered = renumbered;
}

void
gst_weir_pacer_get_queue_stats_locked (const GstWeirPacer *self, struct weir_queue_stats *stats)
{
  weir_queue_get_stats (self->queue, stats);
}

/* --- The src pad --- */

static gboolean
src_activate_mode (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstPadMode mode, gboolean active)
{
  GstWeirPacer *self = gst_pad_get_element_private (pad);
  if (mode != GST_PAD_MODE_PUSH) {
    return FALSE;
  }
  set_running (self, active);
  return active || gst_pad_stop_task (pad);
}

/* Packets may wait here as long as the queue's bound: sinks that synchronise must know. */
static void
add_latency (GstWeirPacer *self, GstQuery *query)
{
  gboolean live = FALSE;
  GstClockTime min = 0;
  GstClockTime max = GST_CLOCK_TIME_NONE;
  gst_query_parse_latency (query, &live, &min, &max);
  gst_weir_member_lock (self->member);
  GstClockTime own = (GstClockTime) self->config.max_time_ns;
  gst_weir_member_unlock (self->member);
  gst_query_set_latency (query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  gboolean answered = gst_pad_query_default (pad, parent, query);
  if (answered && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    add_latency (gst_pad_get_element_private (pad), query);
  }
  return answered;
}

void
gst_weir_pacer_init (GstWeirPacer *self, GstPad *pad, GstElement *element, GstWeirMember *member,
                     const GstWeirPacerEvents *events)
{
  *self = (GstWeirPacer){
    .pad = pad, .element = element, .member = member, .events = events, .flushing = TRUE
  };
  weir_queue_config_init (&self->config);
  self->config.on_drop = on_drop;
  self->config.user = self;
  g_mutex_init (&self->activation);
  gst_pad_set_element_private (pad, self);
  gst_pad_set_activatemode_function (pad, src_activate_mode);
  gst_pad_set_query_function (pad, src_query);
  GST_PAD_SET_PROXY_CAPS (pad);
}
