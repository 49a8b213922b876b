/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine of weirlink: runs the emulated path (sim/path/path.h) in real time, and the tasks that
 * push what arrived. */
#include "link/weirlink.h"

#include "weir/units.h"

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_weir_link_debug);
#define GST_CAT_DEFAULT gst_weir_link_debug

/* Nobody waits for the events of the cross traffic, but no call should have much to catch up on. */
#define IDLE_BATCH_NS WEIR_MS (20)
/* How late a packet may be that arrives earlier than planned, because the capacity rose. */
#define BUSY_BATCH_NS WEIR_MS (1)
/* Packets that arrive closer together than this leave together: a timer is not more exact. */
#define SPACING_NS WEIR_US (200)
/* Packets of the user inside the path at one time. */
#define MAX_INSIDE 16384
/* How long packets before an EOS may stand still in an outage, beyond their propagation. */
#define EOS_PATIENCE_NS WEIR_SECONDS (2)

/* The time of the path. */
gint64
gst_weir_link_engine_now_ns (GstWeirLink *link)
{
  GstClockTime now = gst_clock_get_time (link->clock);

  return now > link->origin ? (gint64) (now - link->origin) : 0;
}

/* Puts the loss that the properties describe into the path's terms: independent losses, or a two
 * state model (Gilbert) with the wanted ratio and mean burst. A burst too short for the ratio is
 * made as long as it must be. */
static void
fill_loss (struct weir__link_loss_config *loss, gdouble ratio, gdouble burst)
{
  memset (loss, 0, sizeof *loss);
  if (ratio <= 0.0)
    return;
  if (burst <= 1.0 || ratio >= 1.0) {
    loss->model = WEIR__LOSS_BERNOULLI;
    loss->p = ratio;
    return;
  }
  loss->model = WEIR__LOSS_GILBERT;
  loss->p_loss_bad = 1.0;
  loss->p_bad_to_good = MIN (1.0 / burst, (1.0 - ratio) / ratio);
  loss->p_good_to_bad = MIN (ratio * loss->p_bad_to_good / (1.0 - ratio), 1.0);
}

static void
fill_config (struct weir__path_config *config, const GstWeirLinkSettings *settings)
{
  weir__path_config_default (config);
  config->capacity_bps = (gint64) settings->capacity_bps;
  config->schedule = settings->schedule;
  config->delay_ns = (gint64) settings->delay_ns;
  config->delay_schedule = settings->delay_schedule;
  config->jitter_ns = (gint64) settings->jitter_ns;
  config->queue.discipline = (enum weir__queue_discipline) settings->discipline;
  config->queue.limit.packets = settings->queue_packets;
  config->queue.limit.bytes = (gint64) settings->queue_bytes;
  config->queue.limit.time_ns = (gint64) settings->queue_time_ns;
  config->policer.rate_bps = (gint64) settings->policer_bps;
  config->policer.burst_bytes = (gint64) settings->policer_bytes;
  config->shaper.rate_bps = (gint64) settings->shaper_bps;
  config->shaper.burst_bytes = (gint64) settings->shaper_bytes;
  config->aggregation.packets = settings->aggregate_packets;
  config->aggregation.airtime_ns = (gint64) settings->aggregate_time_ns;
  config->aggregation.access_ns = (gint64) settings->access_time_ns;
  fill_loss (&config->loss, settings->loss, settings->loss_burst);
  config->duplicate = settings->duplicate;
  config->reorder = settings->reorder;
  config->reorder_delay_ns = (gint64) settings->reorder_delay_ns;
  config->corrupt = settings->corrupt;
  config->seed = settings->seed;
  config->cross_traffic = settings->cross_traffic;
  config->max_packets = MAX_INSIDE;
}

/* --- life of the path ------------------------------------------------------------------------ */

/* As weir__path_create(), with the files that the settings name. */
static enum weir_status
create_path (struct weir__path **path, const GstWeirLinkSettings *settings, gpointer user,
             gchar *why, gsize n_why)
{
  struct weir__path_config config;
  enum weir_status status;
  gchar *trace = NULL;
  GError *error = NULL;

  g_snprintf (why, n_why, "%s", "");
  fill_config (&config, settings);
  if (settings->trace_location != NULL && settings->trace_location[0] != '\0') {
    if (!g_file_get_contents (settings->trace_location, &trace, NULL, &error)) {
      g_snprintf (why, n_why, "%s", error->message);
      g_error_free (error);
      return WEIR_ERROR_ARGUMENT;
    }
    config.trace = trace;
    config.trace_name = settings->trace_location;
  }
  status = weir__path_create (path, &config, gst_weir_link_order_on_outcome, user, why, n_why);
  g_free (trace);
  if (status != WEIR_OK && why[0] == '\0')
    g_snprintf (why, n_why, "%s", weir_status_text (status));
  return status;
}

/* Would a path accept these settings? On FALSE why holds a sentence for the user. */
gboolean
gst_weir_link_engine_check (const GstWeirLinkSettings *settings, gchar *why, gsize n_why)
{
  struct weir__path *path = NULL;
  enum weir_status status = create_path (&path, settings, NULL, why, n_why);

  if (status == WEIR_OK)
    weir__path_destroy (path);
  return status == WEIR_OK;
}

/* Makes the path; its time 0 is now. */
gboolean
gst_weir_link_engine_start (GstWeirLink *link, gchar *why, gsize n_why)
{
  const GstWeirLinkSettings *settings = &link->settings;
  enum weir_status status;

  g_mutex_lock (&link->lock);
  status = create_path (&link->path, settings, link, why, n_why);
  if (status == WEIR_OK) {
    link->origin = gst_clock_get_time (link->clock);
    link->ran_ns = 0;
    link->delivered_ns = -SPACING_NS;
    link->n_inside = 0;
    link->n_given_up = 0;
    link->crossed = settings->cross_traffic != NULL && settings->cross_traffic[0] != '\0';
    link->next_log_ns = link->log != NULL ? GST_WEIR_LINK_LOG_INTERVAL_NS : WEIR_NEVER_NS;
    link->next_stats_ns
        = link->stats_interval_ns > 0 ? (gint64) link->stats_interval_ns : WEIR_NEVER_NS;
    for (GList *l = link->pairs; l != NULL; l = l->next)
      gst_weir_link_engine_add_pair_locked (link, l->data);
    gst_weir_link_engine_kick_locked (link);
  }
  g_mutex_unlock (&link->lock);
  return status == WEIR_OK;
}

/* Ends the path; the pads are inactive by now, and what is inside is gone. */
void
gst_weir_link_engine_stop (GstWeirLink *link)
{
  g_mutex_lock (&link->lock);
  for (GList *l = link->pairs; l != NULL; l = l->next) {
    GstWeirLinkPair *pair = l->data;
    gst_weir_link_order_flush_locked (pair, FALSE);
    pair->has_flow = FALSE;
  }
  weir__path_destroy (link->path);
  link->path = NULL;
  g_array_set_size (link->free_flows, 0);
  g_mutex_unlock (&link->lock);
}

/* Brings the path to the present. */
void
gst_weir_link_engine_advance_locked (GstWeirLink *link)
{
  if (link->path == NULL)
    return;
  link->ran_ns = gst_weir_link_engine_now_ns (link);
  weir__path_run_until (link->path, link->ran_ns);
}

/* Hands the loss and the jitter, which may change at any time, to the path. */
void
gst_weir_link_engine_apply_locked (GstWeirLink *link)
{
  const GstWeirLinkSettings *settings = &link->settings;
  struct weir__link_loss_config loss;

  if (link->path == NULL)
    return;
  gst_weir_link_engine_advance_locked (link);
  fill_loss (&loss, settings->loss, settings->loss_burst);
  weir__path_set_loss (link->path, &loss);
  weir__path_set_jitter (link->path, (gint64) settings->jitter_ns);
  gst_weir_link_engine_kick_locked (link);
}

/* --- pairs ----------------------------------------------------------------------------------- */

/* Gives the pair a flow of the path, if there is a path. */
void
gst_weir_link_engine_add_pair_locked (GstWeirLink *link, GstWeirLinkPair *pair)
{
  if (link->path == NULL || pair->has_flow)
    return;
  if (link->free_flows->len > 0) {
    pair->flow = g_array_index (link->free_flows, guint32, link->free_flows->len - 1);
    g_array_set_size (link->free_flows, link->free_flows->len - 1);
    pair->has_flow = TRUE;
  } else {
    pair->has_flow = weir__path_add_flow (link->path, &pair->flow) == WEIR_OK;
  }
}

void
gst_weir_link_engine_remove_pair_locked (GstWeirLink *link, GstWeirLinkPair *pair)
{
  gst_weir_link_order_flush_locked (pair, FALSE);
  if (pair->has_flow)
    g_array_append_val (link->free_flows, pair->flow);
  pair->has_flow = FALSE;
  gst_weir_link_engine_kick_locked (link); /* somebody else may have to lead now */
}

/* --- the clock ------------------------------------------------------------------------------- */

/* When a packet of size_bytes that is offered now can arrive, at the earliest. The queue is a FIFO:
 * with cross traffic it pays to know what is ahead, because there are many events until then. */
void
gst_weir_link_engine_predict_locked (GstWeirLink *link, gint64 size_bytes,
                                     GstWeirLinkEarliest *earliest)
{
  struct weir__path_stats stats;

  gst_weir_link_engine_advance_locked (link);
  earliest->sure_ns = weir_time_add_ns (link->ran_ns, weir__path_least_delay_ns (link->path));
  earliest->planned_ns = earliest->sure_ns;
  if (!link->crossed)
    return;
  weir__path_get_stats (link->path, &stats);
  if (stats.queue_delay_ns != WEIR_NEVER_NS && stats.capacity_bps > 0)
    earliest->planned_ns
        += stats.queue_delay_ns + weir_send_time_ns (size_bytes, stats.capacity_bps);
}

/* Before this time nothing of ours can arrive, whatever the path has to do until then. */
static gint64
first_arrival_ns (GstWeirLink *link)
{
  gint64 first_ns = weir_time_add_ns (link->ran_ns, IDLE_BATCH_NS);
  gint64 batch_ns = weir_time_add_ns (link->ran_ns, BUSY_BATCH_NS);

  for (GList *l = link->pairs; l != NULL; l = l->next) {
    GstWeirLinkPair *pair = l->data;
    const GstWeirLinkEarliest *earliest = gst_weir_link_order_earliest (pair);
    if (gst_weir_link_order_event_waits (pair))
      return 0; /* it may leave as soon as a packet is lost */
    if (earliest != NULL)
      first_ns = MIN (first_ns, MAX (earliest->sure_ns, MIN (earliest->planned_ns, batch_ns)));
  }
  return first_ns;
}

/* The longest propagation delay that a packet may have from now on. */
gint64
gst_weir_link_engine_longest_delay_locked (const GstWeirLink *link)
{
  return link->path != NULL ? weir__path_most_delay_ns (link->path)
                            : (gint64) link->settings.delay_ns;
}

/* When to see whether an EOS waits in vain. */
static gint64
look_at_eos_ns (const GstWeirLink *link, const GstWeirLinkPair *pair)
{
  const GstWeirLinkSettings *settings = &link->settings;
  gint64 patience_ns = EOS_PATIENCE_NS + gst_weir_link_engine_longest_delay_locked (link)
                       + (gint64) settings->jitter_ns;

  if (!gst_weir_link_order_eos_waits (pair))
    return WEIR_NEVER_NS;
  if (settings->reorder > 0.0)
    patience_ns += (gint64) settings->reorder_delay_ns;
  return weir_time_add_ns (pair->progress_ns, patience_ns);
}

/* The end of a stream must come through an outage too, although the packets before it cannot. A
 * link that carries anything gets there by itself. */
static void
give_up_before_eos (GstWeirLink *link)
{
  struct weir__path_stats stats;

  weir__path_get_stats (link->path, &stats);
  for (GList *l = link->pairs; l != NULL; l = l->next) {
    GstWeirLinkPair *pair = l->data;
    if (look_at_eos_ns (link, pair) > link->ran_ns)
      continue;
    if (stats.capacity_bps == 0)
      gst_weir_link_order_give_up_locked (pair);
    else
      pair->progress_ns = link->ran_ns;
  }
}

/* When does somebody have to wake up? */
static gint64
next_wake_ns (GstWeirLink *link)
{
  gint64 timers_ns = MIN (link->next_stats_ns, link->next_log_ns);
  gint64 path_ns;

  for (GList *l = link->pairs; l != NULL; l = l->next)
    timers_ns = MIN (timers_ns, look_at_eos_ns (link, l->data));

  if (link->path == NULL)
    return WEIR_NEVER_NS;
  path_ns = weir__path_next_event_ns (link->path);
  if (path_ns != WEIR_NEVER_NS)
    path_ns = MAX (path_ns, MAX (first_arrival_ns (link), link->delivered_ns + SPACING_NS));
  return MIN (path_ns, timers_ns);
}

/* The next event may have moved: makes sure that somebody wakes up for it. */
void
gst_weir_link_engine_kick_locked (GstWeirLink *link)
{
  gint64 wake_ns = next_wake_ns (link);

  if (wake_ns == WEIR_NEVER_NS)
    return;
  if (link->leader != NULL) {
    if (link->wait_id != NULL && wake_ns < link->wait_until_ns)
      gst_clock_id_unschedule (link->wait_id);
    return;
  }
  for (GList *l = link->pairs; l != NULL; l = l->next) {
    GstWeirLinkPair *pair = l->data;
    if (pair->waiting) {
      g_cond_signal (&pair->wake);
      return;
    }
  }
}

static void
take_sample (GstWeirLink *link, GstWeirLinkSample *sample)
{
  struct weir__path_stats stats;

  weir__path_get_stats (link->path, &stats);
  sample->time_ns = link->ran_ns;
  sample->capacity_bps = stats.capacity_bps;
  sample->offered_bytes = stats.user.offered_bytes;
  sample->delivered_bytes = stats.user.delivered_bytes;
  sample->cross_bytes = stats.cross.delivered_bytes;
  sample->queue_delay_ns = stats.queue_delay_ns == WEIR_NEVER_NS ? -1 : stats.queue_delay_ns;
  sample->dropped_packets = stats.user.dropped_packets + stats.user.lost_packets;
}

/* The time after now at which something that happens every interval is due next. */
static gint64
next_due_ns (gint64 due_ns, gint64 interval_ns, gint64 at_ns)
{
  return due_ns + ((at_ns - due_ns) / interval_ns + 1) * interval_ns;
}

/* Writes the log and posts statistics when they are due, without the lock. The caller leads. */
static void
run_timers (GstWeirLink *link)
{
  gboolean log_due = link->ran_ns >= link->next_log_ns;
  gboolean stats_due = link->ran_ns >= link->next_stats_ns;
  GstWeirLinkSample sample;

  if (!log_due && !stats_due)
    return;
  if (log_due) {
    link->next_log_ns
        = next_due_ns (link->next_log_ns, GST_WEIR_LINK_LOG_INTERVAL_NS, link->ran_ns);
    take_sample (link, &sample);
  }
  if (stats_due)
    link->next_stats_ns
        = next_due_ns (link->next_stats_ns, (gint64) link->stats_interval_ns, link->ran_ns);
  g_mutex_unlock (&link->lock);
  if (log_due)
    gst_weir_link_log_write (link->log, &sample);
  if (stats_due) {
    GstObject *self = GST_OBJECT_CAST (link);
    gst_element_post_message (GST_ELEMENT_CAST (link),
                              gst_message_new_element (self, gst_weir_link_make_summary (link)));
  }
  g_mutex_lock (&link->lock);
}

/* Does what is due and, when that gave this pair nothing to push, waits for what is next. Called
 * with the lock held and no leader; gives both back that way. */
static void
lead (GstWeirLink *link, GstWeirLinkPair *pair)
{
  gint64 wake_ns;

  link->leader = pair;
  gst_weir_link_engine_advance_locked (link);
  give_up_before_eos (link);
  run_timers (link);
  wake_ns = next_wake_ns (link);
  if (!pair->flushing && gst_queue_array_is_empty (pair->ready) && wake_ns != WEIR_NEVER_NS
      && wake_ns > link->ran_ns) {
    GstClockID id
        = gst_clock_new_single_shot_id (link->clock, link->origin + (GstClockTime) wake_ns);
    link->wait_id = id;
    link->wait_until_ns = wake_ns;
    g_mutex_unlock (&link->lock);
    gst_clock_id_wait (id, NULL);
    g_mutex_lock (&link->lock);
    link->wait_id = NULL;
    gst_clock_id_unref (id);
  }
  link->leader = NULL;
}

/* --- the task of a src pad ------------------------------------------------------------------- */

/* PTS and DTS become the running time of the arrival, as behind udpsrc. */
static GstBuffer *
stamp_arrival (GstWeirLink *link, GstWeirLinkPair *pair, GstBuffer *buffer, gint64 at_ns)
{
  GstElement *element = GST_ELEMENT_CAST (link);
  GstClock *clock = gst_element_get_clock (element);
  GstClockTime running, position, base;

  if (clock == NULL)
    return buffer;
  base = gst_element_get_base_time (element);
  /* On the system clock the arrival is known to the nanosecond; else now has to do. */
  running = clock == link->clock ? link->origin + (GstClockTime) at_ns : gst_clock_get_time (clock);
  gst_object_unref (clock);
  if (running < base || pair->segment.format != GST_FORMAT_TIME)
    return buffer;
  position
      = gst_segment_position_from_running_time (&pair->segment, GST_FORMAT_TIME, running - base);
  if (!GST_CLOCK_TIME_IS_VALID (position))
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_PTS (buffer) = position;
  GST_BUFFER_DTS (buffer) = position;
  return buffer;
}

static void
push_item (GstWeirLink *link, GstWeirLinkPair *pair, GstWeirLinkItem *item, gboolean stamp)
{
  GstFlowReturn result;

  if (GST_IS_EVENT (item->object)) {
    GstEvent *event = GST_EVENT_CAST (item->object);
    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
      gst_event_copy_segment (event, &pair->segment);
    gst_pad_push_event (pair->srcpad, event);
    return;
  }
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  if (stamp)
    buffer = stamp_arrival (link, pair, buffer, item->at_ns);
  result = gst_pad_push (pair->srcpad, buffer);
  g_mutex_lock (&link->lock);
  if (!pair->flushing)
    pair->result = result;
  g_mutex_unlock (&link->lock);
}

/* Waits for something to push, leading meanwhile when nobody else does. FALSE: flushing. */
static gboolean
wait_item (GstWeirLink *link, GstWeirLinkPair *pair, GstWeirLinkItem *item)
{
  while (!pair->flushing && gst_queue_array_is_empty (pair->ready)) {
    if (link->leader == NULL && next_wake_ns (link) != WEIR_NEVER_NS) {
      lead (link, pair);
      continue;
    }
    pair->waiting = TRUE;
    g_cond_wait (&pair->wake, &link->lock);
    pair->waiting = FALSE;
  }
  if (pair->flushing)
    return FALSE;
  *item = *(GstWeirLinkItem *) gst_queue_array_pop_head_struct (pair->ready);
  return TRUE;
}

/* One round of the task of a src pad: one item. */
void
gst_weir_link_engine_task (gpointer data)
{
  GstWeirLinkPair *pair = data;
  GstWeirLink *link = pair->link;
  GstWeirLinkItem item;
  gboolean stamp, found;

  g_mutex_lock (&link->lock);
  found = wait_item (link, pair, &item);
  stamp = link->arrival_time && link->playing && pair->rtp;
  gst_weir_link_engine_kick_locked (link); /* another pad leads while this one pushes */
  g_mutex_unlock (&link->lock);
  if (found)
    push_item (link, pair, &item, stamp);
  else
    gst_pad_pause_task (pair->srcpad);
}
