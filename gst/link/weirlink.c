/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-weirlink
 * @title: weirlink
 * @short_description: an emulated bottleneck inside a pipeline
 *
 * Everything that enters on the pads sink_N crosses one emulated bottleneck in real time and
 * leaves on src_N: a queue, a capacity that may follow a schedule, loss, propagation delay. TCP
 * flows and constant bit rate sources can compete in the same queue. No root is needed.
 *
 * Inline, as `... ! weirlink ! ...`, the pads are made by themselves. Several pairs share the
 * bottleneck: `a ! l.sink_0  l.src_0 ! b  c ! l.sink_1  l.src_1 ! d`. RTCP that travels the other
 * way goes through a weirlink of its own that has only a delay.
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! weirsend
 * name=s \
 *   ! weirlink schedule="0:2500k,20:1M,40:2500k" delay=50000000 queue-time=200000000 \
 *       cross-traffic="reno*2,start=60" log-location=link.csv \
 *   ! weirrecv name=r ! rtpjitterbuffer ! rtph264depay ! avdec_h264 ! autovideosink \
 *   r.rtcp_src ! weirlink delay=50000000 ! s.rtcp_sink
 * ]| Video over a link that loses more than half of its capacity for 20 seconds, and later has to
 * be shared with two TCP flows.
 *
 * Statistics (the property #weirlink:stats) are a structure `weir-stats`,
 * all values gint64 and sums since the start unless said otherwise: `time` (ns since the start),
 * `capacity` (bit/s now), `offered-packets`, `offered-bytes`, `delivered-packets`,
 * `delivered-bytes` (copies of duplicated packets included), `dropped-packets` (by the queue),
 * `dropped-at-end` (given up because an EOS waited behind them for 2 s in an outage),
 * `lost-packets` (all that will never arrive: these two, and what was lost on the link),
 * `queue-packets`, `queue-bytes` (now, all traffic), `queue-delay` (ns, what a packet that comes
 * now waits; G_MAXINT64 in an outage), `cross-bytes` (cross traffic that arrived),
 * `cross-dropped-packets`, `cross-goodput-bytes` (without retransmissions), and for each pair a
 * structure `sink_N` with `offered-packets`, `offered-bytes`, `delivered-packets`,
 * `delivered-bytes`, `dropped-packets`, `dropped-at-end`, `lost-packets`. Bytes count the size on
 * the wire. Element messages `weir-stats` have the same but for the pairs.
 */
#include "link/weirlink.h"

#include "weir/units.h"

GST_DEBUG_CATEGORY (gst_weir_link_debug);
#define GST_CAT_DEFAULT gst_weir_link_debug

#define HIGHEST_RATE_BPS G_GUINT64_CONSTANT (100000000000)
#define LONGEST_NS (3600 * GST_SECOND)
#define MOST_BURST_BYTES G_GUINT64_CONSTANT (1000000000)
#define DEFAULT_BURST_BYTES 15000

enum
{
  PROP_0,
  PROP_CAPACITY,
  PROP_TRACE_LOCATION,
  PROP_SCHEDULE,
  PROP_DELAY,
  PROP_DELAY_SCHEDULE,
  PROP_JITTER,
  PROP_QUEUE_PACKETS,
  PROP_QUEUE_BYTES,
  PROP_QUEUE_TIME,
  PROP_DISCIPLINE,
  PROP_POLICER_RATE,
  PROP_POLICER_BURST,
  PROP_SHAPER_RATE,
  PROP_SHAPER_BURST,
  PROP_AGGREGATE_PACKETS,
  PROP_AGGREGATE_TIME,
  PROP_ACCESS_TIME,
  PROP_LOSS,
  PROP_LOSS_BURST,
  PROP_DUPLICATE,
  PROP_REORDER,
  PROP_REORDER_DELAY,
  PROP_CORRUPT,
  PROP_SEED,
  PROP_CROSS_TRAFFIC,
  PROP_OVERHEAD,
  PROP_ARRIVAL_TIME,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_LOG_LOCATION
};

GType
gst_weir_link_discipline_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[]
      = { { WEIR__QUEUE_DROPTAIL, "Drop what comes when the queue is full", "droptail" },
          { WEIR__QUEUE_RED, "Random early detection: drop some before the queue is full", "red" },
          { WEIR__QUEUE_CODEL, "CoDel: keep the wait at 5 ms by drops from the head", "codel" },
          { WEIR__QUEUE_FQ_CODEL, "FQ-CoDel: the same for each pair of pads, in turns",
            "fq_codel" },
          { 0, NULL, NULL } };
  G_STATIC_ASSERT (G_N_ELEMENTS (values) == WEIR__QUEUE_DISCIPLINES + 1);

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstWeirLinkDiscipline", values));
  return type;
}

G_DEFINE_FINAL_TYPE (GstWeirLink, gst_weir_link, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (weirlink, "weirlink", GST_RANK_NONE, GST_TYPE_WEIR_LINK);

/* --- statistics ------------------------------------------------------------------------------ */

static GstStructure *
make_pair_stats (const GstWeirLinkPair *pair)
{
  const GstWeirLinkCounters *c = &pair->counters;
  gchar name[32];

  g_snprintf (name, sizeof name, "sink_%u", pair->id);
  return gst_structure_new (
      name, "offered-packets", G_TYPE_INT64, c->offered_packets, "offered-bytes", G_TYPE_INT64,
      c->offered_bytes, "delivered-packets", G_TYPE_INT64, c->delivered_packets, "delivered-bytes",
      G_TYPE_INT64, c->delivered_bytes, "dropped-packets", G_TYPE_INT64, c->dropped_packets,
      "dropped-at-end", G_TYPE_INT64, c->given_up_packets, "lost-packets", G_TYPE_INT64,
      c->dropped_packets + c->lost_packets + c->given_up_packets, NULL);
}

/* What the link did so far, as described on top, of all pairs together. Takes the lock. */
GstStructure *
gst_weir_link_make_summary (GstWeirLink *link)
{
  struct weir__path_stats s = { .capacity_bps = 0 };

  g_mutex_lock (&link->lock);
  gst_weir_link_engine_advance_locked (link);
  if (link->path != NULL)
    weir__path_get_stats (link->path, &s);
  else
    s.capacity_bps = (gint64) link->settings.capacity_bps;
  GstStructure *stats = gst_structure_new (
      "weir-stats", "time", G_TYPE_INT64, link->ran_ns, "capacity", G_TYPE_INT64, s.capacity_bps,
      "queue-delay", G_TYPE_INT64, s.queue_delay_ns, "queue-packets", G_TYPE_INT64, s.queue_packets,
      "queue-bytes", G_TYPE_INT64, s.queue_bytes, "offered-packets", G_TYPE_INT64,
      s.user.offered_packets, "delivered-packets", G_TYPE_INT64, s.user.delivered_packets,
      "lost-packets", G_TYPE_INT64,
      s.user.dropped_packets + s.user.lost_packets + (gint64) link->n_given_up, "dropped-packets",
      G_TYPE_INT64, s.user.dropped_packets, "dropped-at-end", G_TYPE_INT64, link->n_given_up,
      "offered-bytes", G_TYPE_INT64, s.user.offered_bytes, "delivered-bytes", G_TYPE_INT64,
      s.user.delivered_bytes, "cross-bytes", G_TYPE_INT64, s.cross.delivered_bytes,
      "cross-dropped-packets", G_TYPE_INT64, s.cross.dropped_packets, "cross-goodput-bytes",
      G_TYPE_INT64, s.cross_goodput_bytes, NULL);
  g_mutex_unlock (&link->lock);
  return stats;
}

/* The same, and each pair. */
GstStructure *
gst_weir_link_make_stats (GstWeirLink *link)
{
  GstStructure *stats = gst_weir_link_make_summary (link);

  g_mutex_lock (&link->lock);
  for (GList *l = link->pairs; l != NULL; l = l->next) {
    GstStructure *pair = make_pair_stats (l->data);
    gst_structure_set (stats, gst_structure_get_name (pair), GST_TYPE_STRUCTURE, pair, NULL);
    gst_structure_free (pair);
  }
  g_mutex_unlock (&link->lock);
  return stats;
}

/* --- properties ------------------------------------------------------------------------------ */

/* Where the value of each property lives. */
static const glong offsets[] = {
  [PROP_CAPACITY] = G_STRUCT_OFFSET (GstWeirLink, settings.capacity_bps),
  [PROP_TRACE_LOCATION] = G_STRUCT_OFFSET (GstWeirLink, settings.trace_location),
  [PROP_SCHEDULE] = G_STRUCT_OFFSET (GstWeirLink, settings.schedule),
  [PROP_DELAY] = G_STRUCT_OFFSET (GstWeirLink, settings.delay_ns),
  [PROP_DELAY_SCHEDULE] = G_STRUCT_OFFSET (GstWeirLink, settings.delay_schedule),
  [PROP_JITTER] = G_STRUCT_OFFSET (GstWeirLink, settings.jitter_ns),
  [PROP_QUEUE_PACKETS] = G_STRUCT_OFFSET (GstWeirLink, settings.queue_packets),
  [PROP_QUEUE_BYTES] = G_STRUCT_OFFSET (GstWeirLink, settings.queue_bytes),
  [PROP_QUEUE_TIME] = G_STRUCT_OFFSET (GstWeirLink, settings.queue_time_ns),
  [PROP_DISCIPLINE] = G_STRUCT_OFFSET (GstWeirLink, settings.discipline),
  [PROP_POLICER_RATE] = G_STRUCT_OFFSET (GstWeirLink, settings.policer_bps),
  [PROP_POLICER_BURST] = G_STRUCT_OFFSET (GstWeirLink, settings.policer_bytes),
  [PROP_SHAPER_RATE] = G_STRUCT_OFFSET (GstWeirLink, settings.shaper_bps),
  [PROP_SHAPER_BURST] = G_STRUCT_OFFSET (GstWeirLink, settings.shaper_bytes),
  [PROP_AGGREGATE_PACKETS] = G_STRUCT_OFFSET (GstWeirLink, settings.aggregate_packets),
  [PROP_AGGREGATE_TIME] = G_STRUCT_OFFSET (GstWeirLink, settings.aggregate_time_ns),
  [PROP_ACCESS_TIME] = G_STRUCT_OFFSET (GstWeirLink, settings.access_time_ns),
  [PROP_LOSS] = G_STRUCT_OFFSET (GstWeirLink, settings.loss),
  [PROP_LOSS_BURST] = G_STRUCT_OFFSET (GstWeirLink, settings.loss_burst),
  [PROP_DUPLICATE] = G_STRUCT_OFFSET (GstWeirLink, settings.duplicate),
  [PROP_REORDER] = G_STRUCT_OFFSET (GstWeirLink, settings.reorder),
  [PROP_REORDER_DELAY] = G_STRUCT_OFFSET (GstWeirLink, settings.reorder_delay_ns),
  [PROP_CORRUPT] = G_STRUCT_OFFSET (GstWeirLink, settings.corrupt),
  [PROP_SEED] = G_STRUCT_OFFSET (GstWeirLink, settings.seed),
  [PROP_CROSS_TRAFFIC] = G_STRUCT_OFFSET (GstWeirLink, settings.cross_traffic),
  [PROP_OVERHEAD] = G_STRUCT_OFFSET (GstWeirLink, overhead_bytes),
  [PROP_ARRIVAL_TIME] = G_STRUCT_OFFSET (GstWeirLink, arrival_time),
  [PROP_STATS_INTERVAL] = G_STRUCT_OFFSET (GstWeirLink, stats_interval_ns),
  [PROP_LOG_LOCATION] = G_STRUCT_OFFSET (GstWeirLink, log_location),
};

static gpointer
find_field (GstWeirLink *link, guint id)
{
  gboolean stored = id < G_N_ELEMENTS (offsets) && offsets[id] != 0;

  return stored ? G_STRUCT_MEMBER_P (link, offsets[id]) : NULL;
}

static void
store (gpointer field, GType type, const GValue *value)
{
  switch (type) {
  case G_TYPE_UINT64:
    *(guint64 *) field = g_value_get_uint64 (value);
    break;
  case G_TYPE_UINT:
    *(guint *) field = g_value_get_uint (value);
    break;
  case G_TYPE_DOUBLE:
    *(gdouble *) field = g_value_get_double (value);
    break;
  case G_TYPE_BOOLEAN:
    *(gboolean *) field = g_value_get_boolean (value);
    break;
  case G_TYPE_STRING:
    g_free (*(gchar **) field);
    *(gchar **) field = g_value_dup_string (value);
    break;
  default:
    *(gint *) field = g_value_get_enum (value);
    break;
  }
}

static void
load (gconstpointer field, GType type, GValue *value)
{
  switch (type) {
  case G_TYPE_UINT64:
    g_value_set_uint64 (value, *(const guint64 *) field);
    break;
  case G_TYPE_UINT:
    g_value_set_uint (value, *(const guint *) field);
    break;
  case G_TYPE_DOUBLE:
    g_value_set_double (value, *(const gdouble *) field);
    break;
  case G_TYPE_BOOLEAN:
    g_value_set_boolean (value, *(const gboolean *) field);
    break;
  case G_TYPE_STRING:
    g_value_set_string (value, *(gchar *const *) field);
    break;
  default:
    g_value_set_enum (value, *(const gint *) field);
    break;
  }
}

/* The same setting in a copy of them. */
static gpointer
find_setting (GstWeirLinkSettings *settings, guint id)
{
  return G_STRUCT_MEMBER_P (settings, offsets[id] - G_STRUCT_OFFSET (GstWeirLink, settings));
}

static void
clear_texts (GstWeirLinkSettings *settings)
{
  g_free (settings->trace_location);
  g_free (settings->schedule);
  g_free (settings->delay_schedule);
  g_free (settings->cross_traffic);
}

static gboolean
is_checked_text (guint id)
{
  return id == PROP_SCHEDULE || id == PROP_DELAY_SCHEDULE || id == PROP_CROSS_TRAFFIC;
}

/* A text that a running link cannot use: says what is wrong with it, changes nothing. */
static gboolean
text_is_good (GstWeirLink *link, const GValue *value, guint id)
{
  GstWeirLinkSettings settings = { 0 };
  gchar why[256];
  gboolean good;

  g_mutex_lock (&link->lock);
  if (link->path == NULL) {
    g_mutex_unlock (&link->lock);
    return TRUE; /* checked at the start, when all properties are there */
  }
  settings = link->settings;
  settings.trace_location = g_strdup (settings.trace_location);
  settings.schedule = g_strdup (settings.schedule);
  settings.delay_schedule = g_strdup (settings.delay_schedule);
  settings.cross_traffic = g_strdup (settings.cross_traffic);
  g_mutex_unlock (&link->lock);
  store (find_setting (&settings, id), G_TYPE_STRING, value);
  good = gst_weir_link_engine_check (&settings, why, sizeof why);
  clear_texts (&settings);
  if (!good)
    GST_ELEMENT_WARNING (link, LIBRARY, SETTINGS, ("%s", why), ("The old value stays"));
  return good;
}

static void
apply (GstWeirLink *link, guint id)
{
  if (id == PROP_CAPACITY && link->path != NULL) {
    gst_weir_link_engine_advance_locked (link);
    weir__path_set_capacity (link->path, (gint64) link->settings.capacity_bps);
    gst_weir_link_engine_kick_locked (link);
  } else if (id == PROP_DELAY && link->path != NULL) {
    gst_weir_link_engine_advance_locked (link);
    weir__path_set_delay (link->path, (gint64) link->settings.delay_ns);
    gst_weir_link_engine_kick_locked (link);
  } else if (id == PROP_JITTER || id == PROP_LOSS || id == PROP_LOSS_BURST) {
    gst_weir_link_engine_apply_locked (link);
  } else if (id == PROP_STATS_INTERVAL && link->path != NULL) {
    link->next_stats_ns = link->stats_interval_ns > 0
                              ? weir_time_add_ns (link->ran_ns, (gint64) link->stats_interval_ns)
                              : WEIR_NEVER_NS;
    gst_weir_link_engine_kick_locked (link);
  }
}

static void
gst_weir_link_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstWeirLink *link = GST_WEIR_LINK (object);
  gpointer field = find_field (link, id);

  if (field == NULL) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    return;
  }
  if (is_checked_text (id) && !text_is_good (link, value, id))
    return;
  g_mutex_lock (&link->lock);
  store (field, spec->value_type, value);
  apply (link, id);
  g_mutex_unlock (&link->lock);
  if (id == PROP_DELAY || id == PROP_JITTER)
    gst_element_post_message (GST_ELEMENT_CAST (link),
                              gst_message_new_latency (GST_OBJECT_CAST (link)));
}

static void
gst_weir_link_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstWeirLink *link = GST_WEIR_LINK (object);
  gpointer field = find_field (link, id);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_weir_link_make_stats (link));
  } else if (field != NULL) {
    g_mutex_lock (&link->lock);
    load (field, spec->value_type, value);
    g_mutex_unlock (&link->lock);
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

/* --- states ---------------------------------------------------------------------------------- */

static gboolean
start (GstWeirLink *link)
{
  gchar why[256];
  GError *error = NULL;

  link->size_warned = FALSE;
  if (link->log_location != NULL && link->log_location[0] != '\0') {
    link->log = gst_weir_link_log_open (link->log_location, &error);
    if (link->log == NULL) {
      GST_ELEMENT_ERROR (link, RESOURCE, OPEN_WRITE,
                         ("The log cannot be written: %s", error->message),
                         ("property log-location"));
      g_clear_error (&error);
      return FALSE;
    }
  }
  if (gst_weir_link_engine_start (link, why, sizeof why))
    return TRUE;
  GST_ELEMENT_ERROR (link, LIBRARY, SETTINGS, ("%s", why), ("The emulated link cannot be made"));
  g_clear_pointer (&link->log, gst_weir_link_log_close);
  return FALSE;
}

static void
stop (GstWeirLink *link)
{
  gst_weir_link_engine_stop (link);
  g_clear_pointer (&link->log, gst_weir_link_log_close);
}

static void
set_playing (GstWeirLink *link, gboolean playing)
{
  g_mutex_lock (&link->lock);
  link->playing = playing;
  g_mutex_unlock (&link->lock);
}

static GstStateChangeReturn
gst_weir_link_change_state (GstElement *element, GstStateChange transition)
{
  GstWeirLink *link = GST_WEIR_LINK (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (link))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_playing (link, TRUE);
  result = GST_ELEMENT_CLASS (gst_weir_link_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    set_playing (link, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    stop (link);
  return result;
}

/* --- object ---------------------------------------------------------------------------------- */

static void
gst_weir_link_init (GstWeirLink *link)
{
  g_mutex_init (&link->lock);
  link->clock = gst_system_clock_obtain ();
  link->free_flows = g_array_new (FALSE, FALSE, sizeof (guint32));
  link->next_stats_ns = WEIR_NEVER_NS;
  link->next_log_ns = WEIR_NEVER_NS;
}

static void
gst_weir_link_dispose (GObject *object)
{
  gst_weir_link_release_all (GST_WEIR_LINK (object));
  G_OBJECT_CLASS (gst_weir_link_parent_class)->dispose (object);
}

static void
gst_weir_link_finalize (GObject *object)
{
  GstWeirLink *link = GST_WEIR_LINK (object);

  clear_texts (&link->settings);
  g_free (link->log_location);
  g_array_unref (link->free_flows);
  gst_object_unref (link->clock);
  g_mutex_clear (&link->lock);
  G_OBJECT_CLASS (gst_weir_link_parent_class)->finalize (object);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS)
#define LIVE (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define READY (FLAGS | GST_PARAM_MUTABLE_READY)

static void
install_bottleneck (GObjectClass *c)
{
  g_object_class_install_property (
      c, PROP_CAPACITY,
      g_param_spec_uint64 ("capacity", "Capacity",
                           "Bit/s on the wire; 0 = an outage, nothing is served. Replaces "
                           "schedule and trace when it is set while running",
                           0, HIGHEST_RATE_BPS, 1000000000, LIVE));
  g_object_class_install_property (
      c, PROP_SCHEDULE,
      g_param_spec_string ("schedule", "Schedule",
                           "How the capacity changes: \"SECONDS:BITRATE,SECONDS:BITRATE,...\", "
                           "seconds since the element went to PAUSED, ascending; k, M and G are "
                           "understood, 0 is an outage; a last entry \"60:repeat\" begins again "
                           "every 60 s. Example: \"0:2500k,20:1M,40:2500k\". Takes effect at the "
                           "next start",
                           NULL, LIVE));
  g_object_class_install_property (
      c, PROP_TRACE_LOCATION,
      g_param_spec_string ("trace-location", "Trace location",
                           "File with a capacity trace in Mahimahi's format, in place of capacity "
                           "and schedule: each line is an opportunity to deliver 1500 bytes, in "
                           "milliseconds, ascending; the last is also when it begins again. NULL = "
                           "none",
                           NULL, READY));
  g_object_class_install_property (
      c, PROP_QUEUE_PACKETS,
      g_param_spec_uint ("queue-packets", "Queue limit in packets",
                         "Longest queue in packets; 0 = no such limit. Of the queue limits the one "
                         "reached first counts; at least one must be set",
                         0, 1000000, 0, READY));
  g_object_class_install_property (
      c, PROP_QUEUE_BYTES,
      g_param_spec_uint64 ("queue-bytes", "Queue limit in bytes",
                           "Longest queue in bytes on the wire; 0 = no such limit", 0,
                           G_MAXINT64 / 16, 0, READY));
  g_object_class_install_property (
      c, PROP_QUEUE_TIME,
      g_param_spec_uint64 ("queue-time", "Queue limit in time",
                           "Longest queue in nanoseconds that it takes to send it at the capacity "
                           "of the moment; 0 = no such limit",
                           0, LONGEST_NS, 200 * GST_MSECOND, READY));
  g_object_class_install_property (
      c, PROP_DISCIPLINE,
      g_param_spec_enum ("discipline", "Queue discipline", "What the queue drops, and when",
                         GST_TYPE_WEIR_LINK_DISCIPLINE, WEIR__QUEUE_DROPTAIL, READY));
  g_object_class_install_property (
      c, PROP_CROSS_TRAFFIC,
      g_param_spec_string (
          "cross-traffic", "Cross traffic",
          "What else crosses the bottleneck: items separated by ';'. An item is reno, newreno, "
          "sack, vegas, westwood, cubic, linux-reno, linux-cubic (TCP) or cbr:BITRATE, then "
          "*COUNT if there are several, then "
          "options: ,start= ,stop= (seconds) ,size= (bytes); TCP: ,rtt= (seconds without queues); "
          "cbr: ,on= ,off= (seconds). Example: \"reno*2;cbr:700k,on=20,off=20\". "
          "Takes effect at the next start",
          NULL, LIVE));
}

/* What lets packets through but the capacity. */
static void
install_service (GObjectClass *c)
{
  g_object_class_install_property (
      c, PROP_POLICER_RATE,
      g_param_spec_uint64 ("policer-rate", "Policer rate",
                           "Drop before the queue what exceeds this rate, in bit/s, and a burst; 0 "
                           "= no policer",
                           0, HIGHEST_RATE_BPS, 0, READY));
  g_object_class_install_property (
      c, PROP_POLICER_BURST,
      g_param_spec_uint64 ("policer-burst", "Policer burst",
                           "Bucket of the policer in bytes on the wire; larger packets never pass",
                           1, MOST_BURST_BYTES, DEFAULT_BURST_BYTES, READY));
  g_object_class_install_property (
      c, PROP_SHAPER_RATE,
      g_param_spec_uint64 ("shaper-rate", "Shaper rate",
                           "Let packets leave the queue at this rate, in bit/s, after a burst at "
                           "the capacity; 0 = no shaper",
                           0, HIGHEST_RATE_BPS, 0, READY));
  g_object_class_install_property (c, PROP_SHAPER_BURST,
                                   g_param_spec_uint64 ("shaper-burst", "Shaper burst",
                                                        "Bucket of the shaper in bytes on the wire",
                                                        1, MOST_BURST_BYTES, DEFAULT_BURST_BYTES,
                                                        READY));
  g_object_class_install_property (
      c, PROP_AGGREGATE_PACKETS,
      g_param_spec_uint ("aggregate-packets", "Aggregate packets",
                         "Send as Wi-Fi does: wait for the channel, then send up to this many "
                         "packets, which arrive together; 0 = do not",
                         0, 65536, 0, READY));
  g_object_class_install_property (
      c, PROP_AGGREGATE_TIME,
      g_param_spec_uint64 ("aggregate-time", "Aggregate time",
                           "No packet of an aggregate begins later than this many nanoseconds "
                           "after the first",
                           1, LONGEST_NS, 4 * GST_MSECOND, READY));
  g_object_class_install_property (
      c, PROP_ACCESS_TIME,
      g_param_spec_uint64 ("access-time", "Access time",
                           "Mean wait for the channel before each aggregate, in nanoseconds, "
                           "exponentially distributed",
                           0, LONGEST_NS, 2 * GST_MSECOND, READY));
}

static void
install_wire (GObjectClass *c)
{
  g_object_class_install_property (c, PROP_DELAY,
                                   g_param_spec_uint64 ("delay", "Delay",
                                                        "Propagation delay one way, in "
                                                        "nanoseconds. Replaces the delay schedule "
                                                        "when it is set while running",
                                                        0, LONGEST_NS, 0, LIVE));
  g_object_class_install_property (
      c, PROP_DELAY_SCHEDULE,
      g_param_spec_string (
          "delay-schedule", "Delay schedule",
          "How the delay changes: \"SECONDS:TIME,SECONDS:TIME,...\", seconds since "
          "the element went to PAUSED, ascending; times with their unit, ns, us, "
          "ms or s; a last entry \"60:repeat\" begins again every 60 s. Example: "
          "\"20:90ms,40:50ms\". Packets stay in order. Takes effect at the next "
          "start",
          NULL, LIVE));
  g_object_class_install_property (
      c, PROP_JITTER,
      g_param_spec_uint64 ("jitter", "Jitter",
                           "Adds a random delay between 0 and this many nanoseconds to each "
                           "packet, without changing the order",
                           0, LONGEST_NS, 0, LIVE));
  g_object_class_install_property (
      c, PROP_LOSS,
      g_param_spec_double ("loss", "Loss",
                           "Probability that the link loses a packet, beside what the queue drops",
                           0.0, 1.0, 0.0, LIVE));
  g_object_class_install_property (
      c, PROP_LOSS_BURST,
      g_param_spec_double ("loss-burst", "Loss burst",
                           "Mean number of packets lost in a row (two-state Gilbert model); 1 = "
                           "losses are independent",
                           1.0, 10000.0, 1.0, LIVE));
  g_object_class_install_property (c, PROP_DUPLICATE,
                                   g_param_spec_double ("duplicate", "Duplicate",
                                                        "Probability that a packet arrives twice",
                                                        0.0, 1.0, 0.0, READY));
  g_object_class_install_property (
      c, PROP_REORDER,
      g_param_spec_double ("reorder", "Reorder",
                           "Probability that a packet is held back, so that later ones overtake it",
                           0.0, 1.0, 0.0, READY));
  g_object_class_install_property (
      c, PROP_REORDER_DELAY,
      g_param_spec_uint64 ("reorder-delay", "Reorder delay",
                           "For how long, in nanoseconds, a packet is held back", 0, LONGEST_NS,
                           30 * GST_MSECOND, READY));
  g_object_class_install_property (
      c, PROP_CORRUPT,
      g_param_spec_double ("corrupt", "Corrupt",
                           "Probability that a packet arrives with one bit flipped", 0.0, 1.0, 0.0,
                           READY));
  g_object_class_install_property (
      c, PROP_SEED,
      g_param_spec_uint64 ("seed", "Seed",
                           "The same seed and the same packets at the same times meet the same "
                           "fate",
                           0, G_MAXUINT64, 1, READY));
  g_object_class_install_property (
      c, PROP_OVERHEAD,
      g_param_spec_uint ("overhead", "Overhead",
                         "Bytes that IP and UDP add to each RTP or RTCP packet on the wire; other "
                         "packets count as they are",
                         0, 1000, 28, READY));
}

static void
install_reports (GObjectClass *c)
{
  g_object_class_install_property (
      c, PROP_ARRIVAL_TIME,
      g_param_spec_boolean ("arrival-time", "Arrival time",
                            "Give RTP and RTCP packets the running time of their arrival as PTS "
                            "and DTS, as udpsrc does, because rtpsession and rtpjitterbuffer "
                            "measure delay from it; false = keep the sender's",
                            TRUE, LIVE));
  g_object_class_install_property (
      c, PROP_STATS,
      g_param_spec_boxed (
          "stats", "Statistics",
          "What the link did so far: a structure weir-stats with time, capacity, "
          "offered-, delivered-, dropped- and lost-packets, dropped-at-end, "
          "offered- and delivered-bytes, queue-packets, queue-bytes, queue-delay, cross-bytes, "
          "cross-dropped-packets, cross-goodput-bytes, and one structure sink_N "
          "for each pair of pads",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (
      c, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
                           "Post the statistics as element message weir-stats this often, in "
                           "nanoseconds; 0 = never",
                           0, LONGEST_NS, GST_SECOND, LIVE));
  g_object_class_install_property (
      c, PROP_LOG_LOCATION,
      g_param_spec_string ("log-location", "Log location",
                           "File for a CSV log, one line per 100 ms: time_s, capacity_bps, "
                           "offered_bps, delivered_bps, cross_bps, queue_ms (empty in an outage), "
                           "drops (packets dropped or lost since the last line)",
                           NULL, READY));
}

static void
gst_weir_link_class_init (GstWeirLinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_weir_link_debug, "weirlink", 0, "emulated bottleneck");
  object_class->set_property = gst_weir_link_set_property;
  object_class->get_property = gst_weir_link_get_property;
  object_class->dispose = gst_weir_link_dispose;
  object_class->finalize = gst_weir_link_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_weir_link_change_state);
  element_class->request_new_pad = GST_DEBUG_FUNCPTR (gst_weir_link_request_pad);
  element_class->release_pad = GST_DEBUG_FUNCPTR (gst_weir_link_release_pad);
  install_bottleneck (object_class);
  install_service (object_class);
  install_wire (object_class);
  install_reports (object_class);
  gst_element_class_add_static_pad_template (element_class, &gst_weir_link_sink_template);
  gst_element_class_add_static_pad_template (element_class, &gst_weir_link_src_template);
  gst_type_mark_as_plugin_api (GST_TYPE_WEIR_LINK_DISCIPLINE, 0);
  gst_element_class_set_static_metadata (
      element_class, "Emulated bottleneck link", "Filter/Network",
      "Sends packets through an emulated bottleneck in real time: capacity schedule, queue, delay, "
      "loss, competing TCP. Pads come in pairs sink_N and src_N that share the bottleneck; inline "
      "use needs no names. Example: ... ! rtph264pay ! weirlink schedule=\"0:2500k,20:1M\" "
      "delay=50000000 cross-traffic=\"reno*2\" ! rtpjitterbuffer ! ...",
      "The Weir developers");
}
