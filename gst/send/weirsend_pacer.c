/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pacing task on the src pad waits for what is due next and does it. A turn decides under the
 * session lock, then pushes without it. */
#include "send/weirsend_pacer.h"

#include "common/flushed.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug
/* Most packets that leave in one list. */
#define MAX_TOGETHER 64

/* --- What leaves --- */

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

/* A packet leaves: what the session has to know of it. */
static guint32
take_flags_locked (GstWeirPacer *self, const GstWeirItem *item)
{
  gboolean is_audio = (item->flags & WEIR_QUEUE_AUDIO) != 0;
  guint32 flags = is_audio ? WEIR_SENT_AUDIO : 0u;
  if ((item->flags & WEIR_QUEUE_REPAIR) != 0) {
    return flags | (gst_weir_fill_on_repair (&self->fill) ? WEIR_SENT_PROBE : WEIR_SENT_REPAIR);
  }
  if (!is_audio) {
    const GstWeirFillPacket packet
        = { .ssrc = item->info.ssrc,
            .seq = item->info.seq,
            .wire_bytes = item->rtp_bytes + self->member->overhead_bytes };
    gst_weir_fill_on_media (&self->fill, &packet);
  }
  return flags;
}

/* The packet counts as sent from here on: its feedback may come before the push returns. */
static void
note_sent_locked (GstWeirPacer *self, gint64 now_ns, GstWeirItem *item, enum weir_ecn ecn)
{
  struct weir_queue_stats queue;
  weir_queue_get_stats (self->queue->queue, &queue);
  struct weir_sent sent = {
    .ssrc = item->info.ssrc,
    .rtp_timestamp = item->info.timestamp,
    .rtp_seq = item->info.seq,
    .transport_seq = item->info.transport_seq,
    .has_transport_seq = item->info.has_transport_seq,
    .rtp_bytes = item->rtp_bytes,
    .payload_bytes = item->info.payload_bytes,
    .queued_bytes = queue.queued_bytes,
    .member = self->member->number,
    .flags = take_flags_locked (self, item),
    .waited_ns = now_ns - item->queued_ns,
    .ecn = (guint8) ecn,
  };
  plan_numbering_locked (self, item, &sent);
  weir_sender_on_sent (self->member->path->sender, now_ns, &sent);
  self->repair_packets += (item->flags & WEIR_QUEUE_REPAIR) != 0 ? 1 : 0;
}

/* What one turn has to do once the lock is free. */
typedef struct
{
  GstWeirItem *items; /* to push, in order: one event, or packets of one frame; or NULL */
  guint n_items, n_packets;
  gboolean eos;      /* the event is one */
  enum weir_ecn ecn; /* that the packets leave with */
  GstFlowReturn former_flow;
  GstWeirChores chores;
  GstWeirFillPacket copies[GST_WEIR_FILL_MAX]; /* to ask for */
  guint n_copies;
} Turn;

/* What leaves now: an event, or the packets of one frame that are due. */
static void
plan_push_locked (GstWeirPacer *self, gint64 now_ns, Turn *turn)
{
  GstWeirItem *last = NULL;
  turn->former_flow = self->queue->flow;
  turn->ecn = weir_sender_get_ecn (self->member->path->sender);
  while (turn->n_items < MAX_TOGETHER) {
    GstWeirItem *item = gst_weir_send_queue_take_locked (self->queue, now_ns, last);
    if (item == NULL) {
      return;
    }
    if (GST_IS_EVENT (item->object)) {
      turn->eos = GST_EVENT_TYPE (item->object) == GST_EVENT_EOS;
    } else {
      note_sent_locked (self, now_ns, item, turn->ecn);
      turn->n_packets++;
    }
    *(last != NULL ? &last->next : &turn->items) = item;
    last = item;
    turn->n_items++;
  }
}

/* Media fills a probe, and copies what it leaves. */
static void
plan_fill_locked (GstWeirPacer *self, Turn *turn)
{
  struct weir_output output = { 0 };
  if (!self->fill.on) {
    return;
  }
  weir_sender_get_output (self->member->path->sender, &output);
  if (output.probe_wire_bytes <= 0 || weir_queue_peek (self->queue->queue) == NULL) {
    turn->n_copies = gst_weir_fill_plan (&self->fill, output.probe_wire_bytes, turn->copies);
  }
}

/* TRUE: there is something to do without the lock. */
static gboolean
plan_turn_locked (GstWeirPacer *self, gint64 now_ns, Turn *turn)
{
  gboolean packets_wait = weir_queue_peek (self->queue->queue) != NULL;
  turn->chores = self->events->plan_locked (self->element, now_ns, packets_wait);
  if (turn->chores != GST_WEIR_CHORES_BEFORE_PACKETS) {
    plan_push_locked (self, now_ns, turn);
    plan_fill_locked (self, turn);
  }
  if (turn->n_items > 0) {
    self->events->on_leaving_locked (self->element, now_ns, turn->n_packets, turn->eos);
  }
  return turn->items != NULL || turn->n_copies > 0 || turn->chores != GST_WEIR_CHORES_NONE
         || self->member->path->spent != NULL;
}

/* Into the first n_memories of the packet, -1 for all. */
static gboolean
write_number (GstBuffer *buffer, gint n_memories, const GstWeirItem *item)
{
  GstMapInfo map;
  if (!gst_buffer_map_range (buffer, 0, n_memories, &map, GST_MAP_READWRITE)) {
    return FALSE;
  }
  enum weir_status status
      = weir_rtp_set_transport_seq (map.data, map.size, item->transport_seq_id, item->number);
  gst_buffer_unmap (buffer, &map);
  return status == WEIR_OK;
}

/* The packet of an item, with our number if it has one. Takes it out of the item. Payloaders have
 * header, extension and payload in memories of their own: to map all of them would copy them. A
 * packet with padding can be read only as a whole. */
static GstBuffer *
take_packet (GstWeirPacer *self, GstWeirItem *item)
{
  guint first, n_memories;
  gsize skip;
  GstBuffer *buffer = GST_BUFFER_CAST (g_steal_pointer (&item->object));
  if (item->has_number) {
    buffer = gst_buffer_make_writable (buffer);
    if (!gst_buffer_find_memory (buffer, 0, item->info.header_bytes, &first, &n_memories, &skip)
        || !write_number (buffer, (gint) n_memories, item)) {
      write_number (buffer, -1, item);
    }
  }
  return gst_weir_sockets_attach (&self->sockets, buffer);
}

static void
note_flow (GstWeirPacer *self, GstFlowReturn flow)
{
  gst_weir_member_lock (self->member);
  gboolean post = gst_weir_send_queue_set_flow_locked (self->queue, flow);
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
    gst_buffer_list_add (list, take_packet (self, item));
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
    if (!gst_weir_sockets_set (&self->sockets, turn->ecn)) {
      self->events->on_ecn_refused (self->element);
    }
    GstFlowReturn flow = first->next == NULL ? gst_pad_push (self->pad, take_packet (self, first))
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
  for (guint i = 0; i < turn->n_copies; i++) {
    self->events->on_copy_wanted (self->element, gst_weir_fill_make_request (&turn->copies[i]));
  }
  if (turn->chores != GST_WEIR_CHORES_NONE) {
    self->events->act (self->element, turn->chores);
  }
}

static void
turn_once (gpointer user)
{
  GstWeirPacer *self = user;
  Turn turn = { 0 };
  gst_weir_member_lock (self->member);
  if (self->queue->flushing) {
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
  gst_weir_send_queue_set_flushing_locked (self->queue, flushing);
  if (flushing) {
    gst_weir_member_give_timers_locked (self->member);
  }
  gst_weir_member_wake_locked (self->member);
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
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->activation);
  gst_weir_member_lock (self->member);
  self->runs = runs;
  gst_weir_member_unlock (self->member);
  if (runs) {
    start_task (self);
  } else {
    set_flushing (self, TRUE);
  }
}

static void
add_pausing (GstWeirPacer *self, gint n)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->activation);
  self->n_pausing += (guint) n;
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

/* Unless the pads are being deactivated: then the session may be gone before the task's next turn.
 */
static void
end_flush (GstWeirPacer *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->activation);
  if (self->runs) {
    start_task (self);
  }
}

void
gst_weir_pacer_flush_stop (GstWeirPacer *self, GstEvent *event)
{
  gst_weir_member_lock (self->member);
  if (self->runs) {
    gst_weir_send_queue_clear_locked (self->queue);
  }
  GSList *spent = g_steal_pointer (&self->member->path->spent);
  gst_weir_member_unlock (self->member);
  gst_weir_flushed_free (spent, self->pad);
  gst_pad_push_event (self->pad, event);
  end_flush (self);
}

void
gst_weir_pacer_clear (GstWeirPacer *self)
{
  gst_weir_sockets_clear (&self->sockets);
  g_mutex_clear (&self->activation);
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
  GstClockTime own = (GstClockTime) self->queue->config.max_time_ns;
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
                     GstWeirSendQueue *queue, const GstWeirPacerEvents *events)
{
  *self = (GstWeirPacer){
    .pad = pad, .element = element, .member = member, .queue = queue, .events = events
  };
  g_mutex_init (&self->activation);
  gst_weir_sockets_init (&self->sockets);
  gst_pad_set_element_private (pad, self);
  gst_pad_set_activatemode_function (pad, src_activate_mode);
  gst_pad_set_query_function (pad, src_query);
  GST_PAD_SET_PROXY_CAPS (pad);
}
