/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pacing task, on the src pad: waits for what is due next and does it. A turn decides under the
 * session lock, then acts (push, notify, post, write) without it. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug
/* A timer that claims to be overdue after it ran is asked again this much later. */
#define TIMER_REST_NS WEIR_MS (1)
/* Most packets that leave in one list. */
#define MAX_TOGETHER 64

/* What one turn has to do once the lock is free. */
typedef struct
{
  GstWeirSendItem *items; /* to push, in order: one event, or packets of one frame; or NULL */
  guint n_items;
  GstFlowReturn former_flow;
  gboolean discover;
  gboolean has_news;
  GstWeirNews news;
  gchar *complaint;
  GstWeirSendItem *spent;
} Turn;

static gboolean
is_control (const struct weir_queue_item *head)
{
  return (head->flags & WEIR_QUEUE_CONTROL) != 0;
}

static gint64
queued_bytes (const GstWeirSend *self)
{
  struct weir_queue_stats stats;
  weir_queue_get_stats (self->pacer.queue, &stats);
  return stats.queued_bytes;
}

/* Packets have come, or were given up. */
void
gst_weir_send_note_queue_locked (GstWeirSend *self, gint64 now_ns)
{
  weir_sender_on_queue (self->member.path->sender, now_ns, self->member.number,
                        queued_bytes (self));
}

/* When the first thing in the queue may leave. */
static gint64
head_due_locked (GstWeirSend *self, gint64 now_ns)
{
  const struct weir_queue_item *head = weir_queue_peek (self->pacer.queue);
  if (head == NULL) {
    return WEIR_NEVER_NS;
  }
  if (is_control (head)) {
    return now_ns;
  }
  const GstWeirSendItem *item = head->packet;
  gint64 due_ns
      = (head->flags & WEIR_QUEUE_AUDIO) != 0
            ? weir_sender_next_audio_ns (self->member.path->sender, now_ns, item->rtp_bytes)
            : weir_sender_next_send_ns (self->member.path->sender, now_ns, item->rtp_bytes);
  return weir_min_i64 (due_ns, self->pacer.eos_deadline_ns);
}

static gint64
timer_due_locked (GstWeirSend *self)
{
  gint64 due_ns = self->member.path->keeper == &self->member
                      ? weir_sender_next_timer_ns (self->member.path->sender)
                      : WEIR_NEVER_NS;
  return weir_min_i64 (due_ns, gst_weir_send_next_report_ns_locked (self));
}

/* When the task has to be awake again. */
gint64
gst_weir_send_next_due_locked (GstWeirMember *member, gint64 now_ns)
{
  GstWeirSend *self = member->send;
  gint64 due_ns = weir_min_i64 (head_due_locked (self, now_ns), timer_due_locked (self));
  return weir_min_i64 (due_ns, gst_weir_report_next_ns (&self->report));
}

static void
run_timers_locked (GstWeirSend *self, gint64 now_ns)
{
  if (weir_sender_next_timer_ns (self->member.path->sender) <= now_ns) {
    weir_sender_on_timer (self->member.path->sender, now_ns);
    gst_weir_member_update_output_locked (&self->member, now_ns);
  }
  gst_weir_send_push_reports_locked (self, now_ns);
}

static void
view_locked (GstWeirSend *self, GstWeirSendView *view)
{
  struct weir_algorithm_info info = { 0 };
  *view = (GstWeirSendView){
    .output = self->member.output,
    .algorithm = self->settings.algorithm,
    .feedback = self->settings.feedback,
    .rtcp_datagrams = self->rtcp_datagrams,
    .rtcp_refused = gst_weir_srtcp_get_refused (&self->rtcp.srtcp),
    .has_session = self->member.rtp_session != NULL,
    .has_rtcp_sink = gst_weir_rtcp_pads_linked (&self->rtcp, GST_PAD_SINK),
    .has_rtcp_src = gst_weir_rtcp_pads_linked (&self->rtcp, GST_PAD_SRC),
    .has_transport_seq = self->input.caps.transport_seq_id != 0,
    .unlinked = !gst_weir_send_is_fed (self),
    .waits = weir_queue_peek (self->pacer.queue) != NULL,
    .is_audio = self->input.caps.kind == GST_WEIR_KIND_AUDIO,
  };
  if (weir_algorithm_get_info (view->algorithm, &info) == WEIR_OK) {
    view->needs = info.needs;
  }
  weir_sender_get_stats (self->member.path->sender, &view->stats);
}

/* What is told by the clock, whatever the queue holds. */
static void
plan_news_locked (GstWeirSend *self, gint64 now_ns, Turn *turn)
{
  GstWeirSendView view;
  if (gst_weir_report_posts_stats (&self->report, now_ns)) {
    /* Without traffic, too, they are of now. */
    weir_sender_on_timer (self->member.path->sender, now_ns);
    gst_weir_member_update_output_locked (&self->member, now_ns);
  }
  gboolean looks = gst_weir_report_looks (&self->report, now_ns);
  if (looks) {
    view_locked (self, &view);
  }
  turn->has_news
      = gst_weir_report_take_news (&self->report, looks ? &view : NULL, now_ns, &turn->news);
}

/* Several streams through one element and no session that numbers them: their payloaders' numbers
 * would collide, so we count. */
static void
plan_numbering_locked (GstWeirSend *self, GstWeirSendItem *item, struct weir_sent *sent)
{
  if (gst_weir_rtp_session_numbers (&self->rtp_session)) {
    /* The session will write its own number over this one, which another packet may have had. */
    self->pacer.numbering = FALSE;
    sent->has_transport_seq = FALSE;
  }
  if (!sent->has_transport_seq) {
    return;
  }
  gboolean in_session = self->member.rtp_session != NULL;
  if (!self->pacer.numbering && self->input.several_ssrcs && !in_session) {
    self->pacer.numbering = TRUE;
  } else if (in_session) {
    self->pacer.numbering = FALSE;
  }
  if (!self->pacer.has_transport_next) {
    self->pacer.has_transport_next = TRUE;
    self->pacer.transport_next = sent->transport_seq;
  }
  if (self->pacer.numbering) {
    item->has_number = TRUE;
    item->number = self->pacer.transport_next;
    sent->transport_seq = self->pacer.transport_next;
  }
  self->pacer.transport_next = (guint16) (sent->transport_seq + 1);
}

/* The packet counts as sent from here on: its feedback may come before the push returns. */
static void
note_sent_locked (GstWeirSend *self, gint64 now_ns, gint64 queued_ns, GstWeirSendItem *item)
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
    .flags = item->sent_flags,
    .member = self->member.number,
    .waited_ns = now_ns - queued_ns,
  };
  plan_numbering_locked (self, item, &sent);
  weir_sender_on_sent (self->member.path->sender, now_ns, &sent);
  gst_weir_report_on_sent (&self->report, now_ns);
  self->pacer.repair_packets += (item->sent_flags & WEIR_SENT_REPAIR) != 0 ? 1 : 0;
}

/* Behind a flow error, and before an EOS that has waited long enough, packets only go away. */
static gboolean
discard_locked (GstWeirSend *self, gint64 now_ns, GstWeirSendItem *item)
{
  if (self->pacer.last_flow > GST_FLOW_EOS && now_ns < self->pacer.eos_deadline_ns) {
    return FALSE;
  }
  self->pacer.discarded_packets++;
  gst_weir_send_note_queue_locked (self, now_ns);
  item->next = self->pacer.spent;
  self->pacer.spent = item;
  return TRUE;
}

static gboolean
head_may_leave_locked (GstWeirSend *self, gint64 now_ns)
{
  gint64 due_ns = head_due_locked (self, now_ns);
  if (due_ns == WEIR_NEVER_NS) {
    return self->pacer.last_flow <= GST_FLOW_EOS && weir_queue_peek (self->pacer.queue) != NULL;
  }
  return self->pacer.last_flow <= GST_FLOW_EOS || due_ns <= now_ns;
}

/* Sessions take time and statistics of a list from its first buffer: the others must have the same
 * stream and time stamp. */
static gboolean
may_follow (const GstWeirSendItem *last, const struct weir_queue_item *head)
{
  const GstWeirSendItem *item = head->packet;
  return last == NULL
         || (!is_control (head) && !GST_IS_EVENT (last->object)
             && item->info.ssrc == last->info.ssrc
             && GST_BUFFER_PTS (item->object) == GST_BUFFER_PTS (last->object));
}

static void
note_leaving_event_locked (GstWeirSend *self, GstWeirSendItem *item)
{
  if (GST_EVENT_TYPE (item->object) == GST_EVENT_EOS) {
    self->pacer.eos_deadline_ns = WEIR_NEVER_NS;
    gst_weir_rtcp_pads_set_ended (&self->rtcp, TRUE);
  }
}

/* What leaves now: an event, or the packets of one frame that are due. */
static void
plan_push_locked (GstWeirSend *self, gint64 now_ns, Turn *turn)
{
  GstWeirSendItem *last = NULL;
  struct weir_queue_item head;
  turn->former_flow = self->pacer.last_flow;
  while (turn->n_items < MAX_TOGETHER && head_may_leave_locked (self, now_ns)
         && may_follow (last, weir_queue_peek (self->pacer.queue))) {
    weir_queue_pop (self->pacer.queue, &head);
    GstWeirSendItem *item = head.packet;
    if (is_control (&head)) {
      note_leaving_event_locked (self, item);
    } else if (discard_locked (self, now_ns, item)) {
      continue;
    } else {
      note_sent_locked (self, now_ns, head.enqueued_ns, item);
    }
    *(last != NULL ? &last->next : &turn->items) = item;
    last = item;
    turn->n_items++;
  }
  if (turn->n_items > 0) {
    gst_weir_send_push_reports_locked (self, now_ns);
    turn->complaint = gst_weir_group_take_complaint_locked (self);
  }
  if (self->pacer.waits_for_room) {
    g_cond_signal (&self->member.room);
  }
}

/* TRUE: there is something to do without the lock. */
static gboolean
plan_turn_locked (GstWeirSend *self, gint64 now_ns, Turn *turn)
{
  if (g_atomic_int_get (&self->look_around) && weir_queue_peek (self->pacer.queue) != NULL) {
    g_atomic_int_set (&self->look_around, FALSE);
    turn->discover = TRUE;
    return TRUE;
  }
  run_timers_locked (self, now_ns);
  plan_news_locked (self, now_ns, turn);
  plan_push_locked (self, now_ns, turn);
  turn->spent = gst_weir_send_take_spent_locked (self);
  return turn->items != NULL || turn->has_news || turn->spent != NULL;
}

/* The packet of an item, with our number if we number. Takes it out of the item. */
static GstBuffer *
take_packet (GstWeirSendItem *item)
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
note_flow (GstWeirSend *self, GstFlowReturn flow)
{
  gst_weir_send_lock (self);
  self->pacer.last_flow = flow;
  gboolean post = (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) && self->pacer.eos_in
                  && !self->pacer.flow_error_posted;
  self->pacer.flow_error_posted |= post;
  if (self->pacer.waits_for_room && flow != GST_FLOW_OK) {
    g_cond_signal (&self->member.room);
  }
  gst_weir_send_unlock (self);
  if (post) {
    GST_ELEMENT_FLOW_ERROR (self, flow);
  }
}

static GstFlowReturn
push_together (GstWeirSend *self, const Turn *turn)
{
  GstBufferList *list = gst_buffer_list_new_sized (turn->n_items);
  for (GstWeirSendItem *item = turn->items; item != NULL; item = item->next) {
    gst_buffer_list_add (list, take_packet (item));
  }
  return gst_pad_push_list (self->pacer.pad, list);
}

static void
push_items (GstWeirSend *self, const Turn *turn)
{
  GstWeirSendItem *first = turn->items;
  if (GST_IS_EVENT (first->object)) {
    gst_pad_push_event (self->pacer.pad, GST_EVENT_CAST (g_steal_pointer (&first->object)));
  } else {
    GstFlowReturn flow = first->next == NULL ? gst_pad_push (self->pacer.pad, take_packet (first))
                                             : push_together (self, turn);
    if (flow != turn->former_flow) {
      note_flow (self, flow);
    }
  }
  gst_weir_send_free_items (first);
}

static void
tell_news (GstWeirSend *self, GstWeirNews *news)
{
  GstStructure *summary = NULL;
  if (news->stats) {
    GstWeirMoment moment;
    gst_weir_send_take_moment (self, &moment);
    summary = gst_weir_stats_summary (&moment);
    gst_weir_moment_clear (&moment);
  }
  if (!gst_weir_report_tell (&self->report, news, summary)) {
    gst_weir_send_lock (self);
    gst_weir_trace_close (&self->report.trace, NULL);
    gst_weir_send_give_up_trace_locked (self); /* another member may begin one */
    gst_weir_send_unlock (self);
  }
}

static void
act (GstWeirSend *self, Turn *turn)
{
  gst_weir_send_free_items (turn->spent);
  if (turn->discover) {
    gst_weir_send_look_around (self);
  }
  if (turn->items != NULL) {
    push_items (self, turn);
    gst_weir_report_complain (&self->report, turn->complaint);
  }
  if (turn->has_news) {
    tell_news (self, &turn->news);
  }
}

static void
turn_once (gpointer user)
{
  GstWeirSend *self = user;
  Turn turn = { 0 };
  gst_weir_send_lock (self);
  if (self->pacer.flushing) {
    gst_weir_send_unlock (self);
    gst_pad_pause_task (self->pacer.pad);
    return;
  }
  gint64 now_ns = gst_weir_send_now (self);
  gboolean busy = plan_turn_locked (self, now_ns, &turn);
  if (busy) {
    gst_weir_member_give_timers_locked (&self->member);
  } else {
    gst_weir_member_keep_timers_locked (&self->member);
    gint64 until_ns = gst_weir_send_next_due_locked (&self->member, now_ns);
    gst_weir_member_sleep_locked (&self->member,
                                  until_ns > now_ns ? until_ns : now_ns + TIMER_REST_NS);
  }
  gst_weir_send_unlock (self);
  if (busy) {
    act (self, &turn);
  }
}

/* Flushing ends every wait of ours; the task then pauses itself. */
void
gst_weir_send_set_flushing (GstWeirSend *self, gboolean flushing)
{
  gst_weir_send_lock (self);
  self->pacer.flushing = flushing;
  if (flushing) {
    gst_weir_member_give_timers_locked (&self->member);
  }
  gst_weir_member_wake_locked (&self->member);
  g_cond_broadcast (&self->member.room);
  gst_weir_send_unlock (self);
}

void
gst_weir_send_start_task (GstWeirSend *self)
{
  gst_pad_start_task (self->pacer.pad, turn_once, self, NULL);
}

static gboolean
src_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  if (mode != GST_PAD_MODE_PUSH) {
    return FALSE;
  }
  gst_weir_send_set_flushing (self, !active);
  if (active) {
    gst_weir_send_start_task (self);
    return TRUE;
  }
  return gst_pad_stop_task (pad);
}

/* Packets may wait here as long as the queue's bound: sinks that synchronise must know. */
static gboolean
answer_latency (GstWeirSend *self, GstQuery *query)
{
  gboolean live = FALSE;
  GstClockTime min = 0;
  GstClockTime max = GST_CLOCK_TIME_NONE;
  if (!gst_pad_peer_query (self->input.pad, query)) {
    return FALSE;
  }
  gst_query_parse_latency (query, &live, &min, &max);
  gst_weir_send_lock (self);
  GstClockTime own = self->settings.max_queue_time_ns;
  gst_weir_send_unlock (self);
  min += own;
  if (GST_CLOCK_TIME_IS_VALID (max)) {
    max += own;
  }
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  return GST_QUERY_TYPE (query) == GST_QUERY_LATENCY
             ? answer_latency (GST_WEIR_SEND (parent), query)
             : gst_pad_query_default (pad, parent, query);
}

void
gst_weir_send_setup_srcpad (GstWeirSend *self)
{
  gst_pad_set_activatemode_function (self->pacer.pad, src_activate_mode);
  gst_pad_set_event_function (self->pacer.pad, gst_weir_send_src_event);
  gst_pad_set_query_function (self->pacer.pad, src_query);
  GST_PAD_SET_PROXY_CAPS (self->pacer.pad);
}
