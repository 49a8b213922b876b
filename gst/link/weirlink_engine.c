/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link/weirlink_engine.h"

#include "common/flushed.h"
#include "common/tos_meta.h"
#include "weir/units.h"

/* Nobody waits for the events of the cross traffic, but no call should have much to catch up on. */
#define IDLE_BATCH_NS WEIR_MS (20)
/* How late a packet may be that arrives earlier than planned, because the capacity rose. */
#define BUSY_BATCH_NS WEIR_MS (1)
/* Packets that arrive closer together than this leave together: a timer is not more exact. */
#define SPACING_NS WEIR_US (200)
/* How long packets before an EOS may stand still in an outage, beyond their propagation. */
#define EOS_PATIENCE_NS WEIR_SECONDS (2)

void
gst_weir_link_engine_init (GstWeirLinkEngine *self, GstElement *element, GstClock *clock,
                           const GstWeirLinkSettings *settings)
{
  *self = (GstWeirLinkEngine){ .element = element,
                               .clock = clock,
                               .settings = settings,
                               .next_stats_ns = WEIR_NEVER_NS,
                               .next_log_ns = WEIR_NEVER_NS };
  g_mutex_init (&self->lock);
  gst_weir_waiter_init (&self->waiter, clock);
  self->free_numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
}

void
gst_weir_link_engine_clear (GstWeirLinkEngine *self)
{
  g_array_unref (self->free_numbers);
  gst_weir_waiter_clear (&self->waiter);
  g_mutex_clear (&self->lock);
}

void
gst_weir_link_engine_lock (GstWeirLinkEngine *self)
{
  g_mutex_lock (&self->lock);
}

void
gst_weir_link_engine_unlock (GstWeirLinkEngine *self)
{
  GSList *spent = g_steal_pointer (&self->spent);
  g_mutex_unlock (&self->lock);
  g_slist_free_full (spent, (GDestroyNotify) gst_mini_object_unref);
}

/* --- The clock --- */

/* Brings the path to the present. */
static void
advance (GstWeirLinkEngine *self)
{
  GstClockTime now = gst_clock_get_time (self->clock);
  if (self->path != NULL) {
    self->ran_ns = now > self->origin ? (gint64) (now - self->origin) : 0;
    weir__path_run_until (self->path, self->ran_ns);
  }
}

/* When a packet of size_bytes that is offered now can arrive, at the earliest. The queue is a FIFO:
 * with cross traffic it pays to know what is ahead, because there are many events until then. */
static void
predict (GstWeirLinkEngine *self, gint64 size_bytes, GstWeirLinkEarliest *earliest)
{
  struct weir__path_stats stats;
  earliest->sure_ns = weir_time_add_ns (self->ran_ns, weir__path_least_delay_ns (self->path));
  earliest->planned_ns = earliest->sure_ns;
  if (!self->crossed) {
    return;
  }
  weir__path_get_stats (self->path, &stats);
  if (stats.queue_delay_ns != WEIR_NEVER_NS && stats.capacity_bps > 0) {
    earliest->planned_ns
        += stats.queue_delay_ns + weir_send_time_ns (size_bytes, stats.capacity_bps);
  }
}

/* Before this time nothing of ours can arrive, whatever the path has to do until then. */
static gint64
first_arrival_ns (GstWeirLinkEngine *self)
{
  gint64 first_ns = weir_time_add_ns (self->ran_ns, IDLE_BATCH_NS);
  gint64 batch_ns = weir_time_add_ns (self->ran_ns, BUSY_BATCH_NS);
  for (GList *l = self->flows; l != NULL; l = l->next) {
    const GstWeirLinkOrder *order = &((GstWeirLinkFlow *) l->data)->order;
    const GstWeirLinkEarliest *earliest = gst_weir_link_order_earliest (order);
    if (gst_weir_link_order_event_waits (order)) {
      return 0; /* it may leave as soon as a packet is lost */
    }
    if (earliest != NULL) {
      first_ns = MIN (first_ns, MAX (earliest->sure_ns, MIN (earliest->planned_ns, batch_ns)));
    }
  }
  return first_ns;
}

/* The longest that a packet may take from now on, without the queue. */
static gint64
longest_delay_ns (const GstWeirLinkEngine *self)
{
  gint64 delay_ns = self->path != NULL ? weir__path_most_delay_ns (self->path)
                                       : self->settings->path.link.delay_ns;
  return delay_ns + gst_weir_link_settings_extra_delay_ns (self->settings);
}

/* When to see whether an EOS waits in vain. */
static gint64
look_at_eos_ns (const GstWeirLinkEngine *self, const GstWeirLinkOrder *order)
{
  return gst_weir_link_order_eos_waits (order)
             ? weir_time_add_ns (order->progress_ns, EOS_PATIENCE_NS + longest_delay_ns (self))
             : WEIR_NEVER_NS;
}

/* The end of a stream must come through an outage too, although the packets before it cannot. A
 * link that carries anything gets there by itself. */
static void
give_up_before_eos (GstWeirLinkEngine *self)
{
  struct weir__path_stats stats;
  weir__path_get_stats (self->path, &stats);
  for (GList *l = self->flows; l != NULL; l = l->next) {
    GstWeirLinkOrder *order = &((GstWeirLinkFlow *) l->data)->order;
    if (look_at_eos_ns (self, order) > self->ran_ns) {
      continue;
    }
    if (stats.capacity_bps == 0) {
      self->n_given_up += gst_weir_link_order_give_up (order);
    } else {
      order->progress_ns = self->ran_ns;
    }
  }
}

/* When does somebody have to wake up? */
static gint64
next_wake_ns (GstWeirLinkEngine *self)
{
  gint64 timers_ns = MIN (self->next_stats_ns, self->next_log_ns);
  if (self->path == NULL) {
    return WEIR_NEVER_NS;
  }
  for (GList *l = self->flows; l != NULL; l = l->next) {
    GstWeirLinkFlow *flow = l->data;
    timers_ns = MIN (timers_ns, look_at_eos_ns (self, &flow->order));
  }
  gint64 path_ns = weir__path_next_event_ns (self->path);
  if (path_ns != WEIR_NEVER_NS) {
    path_ns = MAX (path_ns, MAX (first_arrival_ns (self), self->delivered_ns + SPACING_NS));
  }
  return MIN (path_ns, timers_ns);
}

/* The next event may have moved: makes sure that somebody wakes up for it. */
static void
kick (GstWeirLinkEngine *self)
{
  gint64 wake_ns = next_wake_ns (self);
  if (wake_ns == WEIR_NEVER_NS) {
    return;
  }
  if (self->leader != NULL) {
    if ((gint64) self->origin + wake_ns < self->waiter.until_ns) {
      gst_weir_waiter_wake (&self->waiter);
    }
    return;
  }
  for (GList *l = self->flows; l != NULL; l = l->next) {
    GstWeirLinkFlow *flow = l->data;
    if (flow->waiting) {
      g_cond_signal (&flow->wake);
      return;
    }
  }
}

/* Is what happens every interval due? Then it is due next after now. */
static gboolean
is_due (gint64 *due_ns, gint64 interval_ns, gint64 now_ns)
{
  gboolean due = *due_ns <= now_ns;
  if (due) {
    *due_ns += ((now_ns - *due_ns) / interval_ns + 1) * interval_ns;
  }
  return due;
}

/* Writes the log and posts statistics when they are due, and frees what was put aside, without the
 * lock. The caller leads. */
static void
run_timers (GstWeirLinkEngine *self)
{
  gboolean log_due = is_due (&self->next_log_ns, GST_WEIR_LINK_LOG_INTERVAL_NS, self->ran_ns);
  gboolean stats_due
      = is_due (&self->next_stats_ns, (gint64) self->stats_interval_ns, self->ran_ns);
  gint64 now_ns = self->ran_ns;
  struct weir__path_stats now;
  if (!log_due && !stats_due && self->spent == NULL) {
    return;
  }
  GstWeirLinkLog *log = NULL; /* a reference: of a pad that comes late the task outlives the run */
  if (log_due) {
    weir__path_get_stats (self->path, &now);
    log = gst_weir_link_log_ref (self->log);
  }
  gst_weir_link_engine_unlock (self);
  if (log != NULL) {
    gst_weir_link_log_write (log, now_ns, &now);
    gst_weir_link_log_close (log);
  }
  if (stats_due) {
    GstStructure *stats = gst_weir_link_engine_make_stats (self);
    gst_element_post_message (self->element,
                              gst_message_new_element (GST_OBJECT (self->element), stats));
  }
  gst_weir_link_engine_lock (self);
}

/* Does what is due and, when that gave this flow nothing, waits for what is next. Called with the
 * lock held and no leader; gives both back that way. */
static void
lead (GstWeirLinkEngine *self, GstWeirLinkFlow *flow)
{
  self->leader = flow;
  advance (self);
  give_up_before_eos (self);
  run_timers (self);
  gint64 wake_ns = next_wake_ns (self);
  if (!flow->flushing && !gst_weir_link_order_is_ready (&flow->order) && wake_ns != WEIR_NEVER_NS
      && wake_ns > self->ran_ns) {
    gst_weir_waiter_wait (&self->waiter, &self->lock, (gint64) self->origin + wake_ns);
    gst_weir_waiter_done (&self->waiter);
  }
  self->leader = NULL;
}

/* --- Flows --- */

/* Wakes the thread of a flow: it sleeps on the condition or, leading, on the clock. */
static void
wake_flow (gpointer user)
{
  GstWeirLinkFlow *flow = user;
  g_cond_signal (&flow->wake);
  if (flow->engine->leader == flow) {
    gst_weir_waiter_wake (&flow->engine->waiter);
  }
}

void
gst_weir_link_flow_init (GstWeirLinkFlow *flow, GstWeirLinkEngine *engine)
{
  *flow = (GstWeirLinkFlow){ .engine = engine, .flushing = TRUE };
  g_cond_init (&flow->wake);
  gst_weir_link_order_init (&flow->order, wake_flow, flow, &engine->spent);
}

void
gst_weir_link_flow_clear (GstWeirLinkFlow *flow)
{
  gst_weir_link_order_clear (&flow->order);
  g_cond_clear (&flow->wake);
}

/* A flow of the path, if there is a path. */
static void
number_flow (GstWeirLinkEngine *self, GstWeirLinkFlow *flow)
{
  GArray *numbers = self->free_numbers;
  if (self->path == NULL || flow->has_number) {
    return;
  }
  if (numbers->len > 0) {
    flow->number = g_array_index (numbers, guint32, numbers->len - 1);
    flow->has_number = TRUE;
    g_array_set_size (numbers, numbers->len - 1);
  } else {
    flow->has_number = weir__path_add_flow (self->path, &flow->number) == WEIR_OK;
  }
}

void
gst_weir_link_flow_add_locked (GstWeirLinkFlow *flow)
{
  GstWeirLinkEngine *self = flow->engine;
  self->flows = g_list_append (self->flows, flow);
  number_flow (self, flow);
}

void
gst_weir_link_flow_remove_locked (GstWeirLinkFlow *flow)
{
  GstWeirLinkEngine *self = flow->engine;
  self->flows = g_list_remove (self->flows, flow);
  gst_weir_link_order_flush (&flow->order);
  if (flow->has_number) {
    g_array_append_val (self->free_numbers, flow->number);
  }
  flow->has_number = FALSE;
  kick (self); /* somebody else may have to lead now */
}

void
gst_weir_link_flow_set_flushing (GstWeirLinkFlow *flow, gboolean flushing)
{
  gst_weir_link_engine_lock (flow->engine);
  flow->flushing = flushing;
  if (flushing) {
    wake_flow (flow);
  }
  gst_weir_link_engine_unlock (flow->engine);
}

void
gst_weir_link_flow_flush (GstWeirLinkFlow *flow, GstPad *keep)
{
  gst_weir_link_engine_lock (flow->engine);
  gst_weir_link_order_flush (&flow->order);
  kick (flow->engine); /* others may have waited for this one's thread */
  GSList *spent = g_steal_pointer (&flow->engine->spent);
  gst_weir_link_engine_unlock (flow->engine);
  gst_weir_flushed_free (spent, keep);
}

gboolean
gst_weir_link_flow_offer_locked (GstWeirLinkFlow *flow, GstBuffer *buffer, guint overhead_bytes)
{
  GstWeirLinkEngine *self = flow->engine;
  gsize size = gst_buffer_get_size (buffer) + overhead_bytes;
  enum weir_ecn ecn = gst_weir_buffer_get_ecn (buffer);
  GstWeirLinkEarliest earliest;
  flow->order.counters.offered_packets++;
  flow->order.counters.offered_bytes += size;
  if (size > WEIR__PATH_MAX_PACKET_BYTES || !flow->has_number) {
    flow->order.counters.dropped_packets++;
    self->spent = g_slist_prepend (self->spent, buffer);
    return FALSE;
  }
  advance (self);
  predict (self, (gint64) size, &earliest);
  GstWeirLinkEntry *entry
      = gst_weir_link_order_add (&flow->order, buffer, (guint32) size, &earliest);
  /* A packet without content still takes its place on the wire. */
  const struct weir__path_packet packet = { .token = (guint64) (guintptr) entry,
                                            .size_bytes = (gint64) MAX (size, 1),
                                            .flow = flow->number,
                                            .ecn = ecn };
  if (weir__path_offer (self->path, self->ran_ns, &packet) != WEIR_OK) {
    gst_weir_link_order_refuse (entry);
  }
  kick (self);
  return TRUE;
}

gboolean
gst_weir_link_flow_offer_event (GstWeirLinkFlow *flow, GstEvent *event)
{
  GstWeirLinkEngine *self = flow->engine;
  gst_weir_link_engine_lock (self);
  gboolean accepted = !flow->flushing;
  if (accepted) {
    advance (self);
    gst_weir_link_order_add_event (&flow->order, event, self->ran_ns);
    kick (self);
  }
  gst_weir_link_engine_unlock (self);
  if (!accepted) {
    gst_event_unref (event);
  }
  return accepted;
}

gboolean
gst_weir_link_flow_take (GstWeirLinkFlow *flow, GstWeirLinkItem *item)
{
  GstWeirLinkEngine *self = flow->engine;
  gst_weir_link_engine_lock (self);
  while (!flow->flushing && !gst_weir_link_order_is_ready (&flow->order)) {
    if (self->leader == NULL && next_wake_ns (self) != WEIR_NEVER_NS) {
      lead (self, flow);
      continue;
    }
    flow->waiting = TRUE;
    g_cond_wait (&flow->wake, &self->lock);
    flow->waiting = FALSE;
  }
  gboolean found = !flow->flushing && gst_weir_link_order_take (&flow->order, item);
  kick (self); /* another one leads while this one pushes */
  gst_weir_link_engine_unlock (self);
  return found;
}

/* --- The path's life --- */

/* Called by the path, inside offer, run_until and destroy; the lock is held. */
static void
on_outcome (void *user, const struct weir__path_outcome *outcome)
{
  GstWeirLinkEngine *self = user;
  GstWeirLinkEntry *entry = (GstWeirLinkEntry *) (guintptr) outcome->token;
  if (gst_weir_link_order_settle (entry, outcome) && outcome->verdict == WEIR__PATH_DELIVERED) {
    self->delivered_ns = self->ran_ns;
  }
}

static void
plan_stats (GstWeirLinkEngine *self)
{
  gint64 interval_ns = (gint64) self->stats_interval_ns;
  self->next_stats_ns
      = interval_ns > 0 ? weir_time_add_ns (self->ran_ns, interval_ns) : WEIR_NEVER_NS;
}

gboolean
gst_weir_link_engine_start (GstWeirLinkEngine *self, GstWeirLinkLog *log, gchar *why, gsize n_why)
{
  gst_weir_link_engine_lock (self);
  const gchar *cross_traffic = self->settings->path.cross_traffic;
  gboolean made = gst_weir_link_settings_make_path (self->settings, on_outcome, self, &self->path,
                                                    why, n_why);
  if (made) {
    self->log = log;
    self->origin = gst_clock_get_time (self->clock);
    self->ran_ns = 0;
    self->delivered_ns = -SPACING_NS;
    self->n_given_up = 0;
    self->crossed = cross_traffic != NULL && cross_traffic[0] != '\0';
    self->next_log_ns = log != NULL ? GST_WEIR_LINK_LOG_INTERVAL_NS : WEIR_NEVER_NS;
    plan_stats (self);
    for (GList *l = self->flows; l != NULL; l = l->next) {
      number_flow (self, l->data);
    }
    kick (self);
  } else {
    gst_weir_link_log_close (log);
  }
  gst_weir_link_engine_unlock (self);
  return made;
}

void
gst_weir_link_engine_stop (GstWeirLinkEngine *self)
{
  gst_weir_link_engine_lock (self);
  for (GList *l = self->flows; l != NULL; l = l->next) {
    GstWeirLinkFlow *flow = l->data;
    gst_weir_link_order_flush (&flow->order);
    flow->has_number = FALSE;
  }
  g_clear_pointer (&self->path, weir__path_destroy);
  g_clear_pointer (&self->log, gst_weir_link_log_close);
  g_array_set_size (self->free_numbers, 0);
  gst_weir_link_engine_unlock (self);
}

void
gst_weir_link_engine_update (GstWeirLinkEngine *self,
                             void (*apply) (const GstWeirLinkSettings *, struct weir__path *))
{
  gst_weir_link_engine_lock (self);
  if (self->path != NULL) {
    advance (self);
    apply (self->settings, self->path);
    kick (self);
  }
  gst_weir_link_engine_unlock (self);
}

void
gst_weir_link_engine_update_stats (GstWeirLinkEngine *self)
{
  gst_weir_link_engine_lock (self);
  plan_stats (self);
  kick (self);
  gst_weir_link_engine_unlock (self);
}

/* --- What is known --- */

GstClockTime
gst_weir_link_engine_longest_stay_ns (GstWeirLinkEngine *self)
{
  gst_weir_link_engine_lock (self);
  gint64 stay_ns = longest_delay_ns (self) + self->settings->path.link.queue.limit.time_ns;
  gst_weir_link_engine_unlock (self);
  return (GstClockTime) stay_ns;
}

GstStructure *
gst_weir_link_engine_make_stats (GstWeirLinkEngine *self)
{
  struct weir__path_stats s = { .capacity_bps = 0 };
  gst_weir_link_engine_lock (self);
  advance (self);
  if (self->path != NULL) {
    weir__path_get_stats (self->path, &s);
  } else {
    s.capacity_bps = self->settings->path.link.capacity_bps;
  }
  GstStructure *stats = gst_structure_new (
      "weir-stats", "time", G_TYPE_INT64, self->ran_ns, "capacity", G_TYPE_INT64, s.capacity_bps,
      "queue-delay", G_TYPE_INT64, s.queue_delay_ns, "queue-packets", G_TYPE_INT64, s.queue_packets,
      "queue-bytes", G_TYPE_INT64, s.queue_bytes, "offered-packets", G_TYPE_INT64,
      s.user.offered_packets, "delivered-packets", G_TYPE_INT64, s.user.delivered_packets,
      "lost-packets", G_TYPE_INT64,
      s.user.dropped_packets + s.user.lost_packets + (gint64) self->n_given_up, "dropped-packets",
      G_TYPE_INT64, s.user.dropped_packets, "dropped-at-end", G_TYPE_INT64, self->n_given_up,
      "offered-bytes", G_TYPE_INT64, s.user.offered_bytes, "delivered-bytes", G_TYPE_INT64,
      s.user.delivered_bytes, "cross-bytes", G_TYPE_INT64, s.cross.delivered_bytes,
      "cross-dropped-packets", G_TYPE_INT64, s.cross.dropped_packets, "cross-goodput-bytes",
      G_TYPE_INT64, s.cross_goodput_bytes, NULL);
  gst_weir_link_engine_unlock (self);
  return stats;
}
