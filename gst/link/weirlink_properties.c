/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of weirlink: their texts for gst-inspect-1.0, where each is kept, and what a
 * change means for a link that runs. */
#include "common/properties.h"
#include "link/weirlink.h"

#include "weir/units.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_link_debug);
#define GST_CAT_DEFAULT gst_weir_link_debug

#define LONGEST_NS (3600 * GST_SECOND)
#define MOST_BURST_BYTES G_GUINT64_CONSTANT (1000000000)
#define DEFAULT_BURST_BYTES 15000

/* Of an instance of the class, which GObject has checked. */
#define SELF(object) ((GstWeirLink *) (object))

GST_WEIR_DEFINE_ENUM (
    GstWeirLinkDiscipline, gst_weir_link_discipline,
    { WEIR__QUEUE_DROPTAIL, "Drop arriving packets when the queue is full", "droptail" },
    { WEIR__QUEUE_RED, "Random early detection: drop some before the queue is full", "red" },
    { WEIR__QUEUE_CODEL, "CoDel: keep the wait near 5 ms by dropping from the head", "codel" },
    { WEIR__QUEUE_FQ_CODEL, "FQ-CoDel: the same for each pair of pads, served in turn",
      "fq_codel" },
    { WEIR__QUEUE_PIE, "PIE: keep the wait near 15 ms by dropping arriving packets", "pie" },
    { WEIR__QUEUE_DUALPI2, "DualPI2: a short queue for L4S, beside one for the others", "dualpi2" })
G_STATIC_ASSERT (WEIR__QUEUE_DISCIPLINES == 6);

static void
lock (gpointer self)
{
  gst_weir_link_engine_lock (&SELF (self)->engine);
}

static void
unlock (gpointer self)
{
  gst_weir_link_engine_unlock (&SELF (self)->engine);
}

/* --- Changes --- */

static void
set_capacity (const GstWeirLinkSettings *settings, struct weir__path *path)
{
  weir__path_set_capacity (path, settings->path.link.capacity_bps);
}

static void
capacity_changed (gpointer self)
{
  gst_weir_link_engine_update (&SELF (self)->engine, set_capacity);
}

static void
set_loss_and_jitter (const GstWeirLinkSettings *settings, struct weir__path *path)
{
  struct weir__link_loss_config loss;
  weir__link_loss_in_bursts (&loss, settings->loss, settings->loss_burst);
  weir__path_set_loss (path, &loss);
  weir__path_set_jitter (path, settings->path.link.jitter_ns);
}

static void
loss_changed (gpointer self)
{
  gst_weir_link_engine_update (&SELF (self)->engine, set_loss_and_jitter);
}

static void
post_latency (gpointer self)
{
  gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

static void
set_delay (const GstWeirLinkSettings *settings, struct weir__path *path)
{
  weir__path_set_delay (path, settings->path.link.delay_ns);
}

static void
delay_changed (gpointer self)
{
  gst_weir_link_engine_update (&SELF (self)->engine, set_delay);
  post_latency (self);
}

static void
jitter_changed (gpointer self)
{
  loss_changed (self);
  post_latency (self);
}

static void
stats_interval_changed (gpointer self)
{
  gst_weir_link_engine_update_stats (&SELF (self)->engine);
}

static gchar **
find_text (GstWeirLinkSettings *settings, const gchar *name)
{
  return g_str_equal (name, "schedule")         ? &settings->path.schedule
         : g_str_equal (name, "delay-schedule") ? &settings->path.delay_schedule
                                                : &settings->path.cross_traffic;
}

/* What a running link cannot use is refused in words; before the start, when all properties are
 * there, they are checked together. */
static void
set_text (GObject *self, const GValue *value, GParamSpec *spec)
{
  GstWeirLinkSettings settings;
  gchar why[256];
  gboolean good = TRUE;
  lock (self);
  gboolean running = SELF (self)->engine.path != NULL;
  if (running) {
    gst_weir_link_settings_copy (&SELF (self)->settings, &settings);
  }
  unlock (self);
  if (running) {
    gchar **text = find_text (&settings, spec->name);
    g_free (*text);
    *text = g_value_dup_string (value);
    good = gst_weir_link_settings_check (&settings, why, sizeof why);
    gst_weir_link_settings_clear (&settings);
  }
  if (good) {
    gst_weir_property_store (self, value, spec);
  } else {
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", why), ("The old value is kept"));
  }
}

static void
get_stats (GObject *self, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  g_value_take_boxed (value, gst_weir_link_make_stats (SELF (self)));
}

/* --- The table --- */

#define FIELD(member) .offset = G_STRUCT_OFFSET (GstWeirLink, member)
/* Rows of the table. */
#define UINT(name, nick, blurb, min, max, initial, flags, ...)                                     \
  {                                                                                                \
    g_param_spec_uint (name, nick, blurb, min, max, initial, flags), __VA_ARGS__                   \
  }
#define UINT64(name, nick, blurb, min, max, initial, flags, ...)                                   \
  {                                                                                                \
    g_param_spec_uint64 (name, nick, blurb, min, max, initial, flags), __VA_ARGS__                 \
  }
#define TIME(...) UINT64 (__VA_ARGS__, .in_ns = TRUE)
#define DOUBLE(name, nick, blurb, min, max, initial, flags, ...)                                   \
  {                                                                                                \
    g_param_spec_double (name, nick, blurb, min, max, initial, flags), __VA_ARGS__                 \
  }
#define STRING(name, nick, blurb, flags, ...)                                                      \
  {                                                                                                \
    g_param_spec_string (name, nick, blurb, NULL, flags), __VA_ARGS__                              \
  }
#define FLAGS (G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS)
#define LIVE (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define READY (FLAGS | GST_PARAM_MUTABLE_READY)

#define INSTALL(klass, properties)                                                                 \
  gst_weir_properties_install (klass, properties, G_N_ELEMENTS (properties), lock, unlock)

/* The queue and its capacity. */
static void
install_bottleneck (GObjectClass *klass)
{
  const GstWeirProperty properties[] = {
    UINT64 ("capacity", "Capacity",
            "Capacity in bit/s on the wire; 0 = outage. Replaces schedule and trace when set while "
            "running",
            0, WEIR_MAX_BPS, 1000000000, LIVE, FIELD (settings.path.link.capacity_bps),
            .changed = capacity_changed),
    STRING ("schedule", "Schedule",
            "Capacity over time: \"SECONDS:BITRATE,SECONDS:BITRATE,...\", in ascending seconds "
            "since the element went to PAUSED; k, M and G are understood, 0 is an outage; a last "
            "entry \"60:repeat\" repeats the schedule every 60 s. Example: "
            "\"0:2500k,20:1M,40:2500k\". Takes effect at the next start",
            LIVE, FIELD (settings.path.schedule), .set = set_text),
    STRING ("trace-location", "Trace location",
            "File with a capacity trace in Mahimahi's format, used in place of capacity and "
            "schedule: each line is an opportunity to deliver 1500 bytes, in ascending "
            "milliseconds; the last is also when the trace repeats. NULL = none",
            READY, FIELD (settings.path.trace_name)),
    UINT ("queue-packets", "Queue limit in packets",
          "Longest queue in packets; 0 = no such limit. The queue limit reached first applies; at "
          "least one must be set",
          0, 1000000, 0, READY, FIELD (settings.queue_packets)),
    UINT64 ("queue-bytes", "Queue limit in bytes",
            "Longest queue in bytes on the wire; 0 = no such limit", 0, G_MAXINT64 / 16, 0, READY,
            FIELD (settings.path.link.queue.limit.bytes)),
    TIME ("queue-time", "Queue limit in time",
          "Longest queue in nanoseconds of sending time at the current capacity; 0 = no such limit",
          0, LONGEST_NS, 200 * GST_MSECOND, READY, FIELD (settings.path.link.queue.limit.time_ns)),
    { g_param_spec_enum ("discipline", "Queue discipline",
                         "Which packets the queue drops, and when", GST_TYPE_WEIR_LINK_DISCIPLINE,
                         WEIR__QUEUE_DROPTAIL, READY),
      FIELD (settings.path.link.queue.discipline) },
    { g_param_spec_boolean ("ecn", "ECN",
                            "Mark ECN-capable packets (of a weirsend before with ecn set) in place "
                            "of dropping them: red, codel, fq_codel, pie; dualpi2 always does",
                            FALSE, READY),
      FIELD (settings.mark_ecn) },
    STRING ("cross-traffic", "Cross traffic",
            "Competing traffic at the bottleneck: items separated by ';'. An item is reno, "
            "newreno, sack, vegas, westwood, cubic, prague, linux-reno, linux-cubic (TCP) or "
            "cbr:BITRATE, "
            "then *COUNT for several, then options: ,start= ,stop= (seconds) ,size= (bytes); TCP: "
            ",rtt= (seconds without queues); cbr: ,on= ,off= (seconds). Example: "
            "\"reno*2;cbr:700k,on=20,off=20\". Takes effect at the next start",
            LIVE, FIELD (settings.path.cross_traffic), .set = set_text),
  };
  INSTALL (klass, properties);
}

/* What lets packets through but the capacity. */
static void
install_service (GObjectClass *klass)
{
  const GstWeirProperty properties[] = {
    UINT64 (
        "policer-rate", "Policer rate",
        "Policer: drop before the queue what exceeds this rate, in bit/s, plus a burst; 0 = none",
        0, WEIR_MAX_BPS, 0, READY, FIELD (settings.path.link.policer.rate_bps)),
    UINT64 ("policer-burst", "Policer burst",
            "Burst that the policer allows, in bytes on the wire; larger packets never pass", 1,
            MOST_BURST_BYTES, DEFAULT_BURST_BYTES, READY,
            FIELD (settings.path.link.policer.burst_bytes)),
    UINT64 ("shaper-rate", "Shaper rate",
            "Shaper: after a burst at the capacity, packets leave the queue at this rate, in "
            "bit/s; 0 = none",
            0, WEIR_MAX_BPS, 0, READY, FIELD (settings.path.link.shaper.rate_bps)),
    UINT64 ("shaper-burst", "Shaper burst", "Burst that the shaper allows, in bytes on the wire", 1,
            MOST_BURST_BYTES, DEFAULT_BURST_BYTES, READY,
            FIELD (settings.path.link.shaper.burst_bytes)),
    UINT ("aggregate-packets", "Aggregate packets",
          "Aggregation as in Wi-Fi: wait for the channel, then send up to this many packets, which "
          "arrive together; 0 = none",
          0, 65536, 0, READY, FIELD (settings.aggregate_packets)),
    TIME ("aggregate-time", "Aggregate time",
          "Longest time from the start of an aggregate to the start of its last packet, in "
          "nanoseconds",
          1, LONGEST_NS, 4 * GST_MSECOND, READY, FIELD (settings.path.link.aggregation.airtime_ns)),
    TIME ("access-time", "Access time",
          "Mean wait for the channel before each aggregate, in nanoseconds, exponentially "
          "distributed",
          0, LONGEST_NS, 2 * GST_MSECOND, READY, FIELD (settings.path.link.aggregation.access_ns)),
  };
  INSTALL (klass, properties);
}

/* Behind the queue. */
static void
install_wire (GObjectClass *klass)
{
  const GstWeirProperty properties[] = {
    TIME ("delay", "Delay",
          "One-way propagation delay in nanoseconds (20 ms: 20000000). Replaces the delay schedule "
          "when set while running",
          0, LONGEST_NS, 0, LIVE, FIELD (settings.path.link.delay_ns), .changed = delay_changed),
    STRING ("delay-schedule", "Delay schedule",
            "Delay over time: \"SECONDS:TIME,SECONDS:TIME,...\", in ascending seconds since the "
            "element went to PAUSED; times have a unit, ns, us, ms or s; a last entry "
            "\"60:repeat\" repeats the schedule every 60 s. Example: \"20:90ms,40:50ms\". Packets "
            "stay in order. Takes effect at the next start",
            LIVE, FIELD (settings.path.delay_schedule), .set = set_text),
    TIME ("jitter", "Jitter",
          "Random delay between 0 and this many nanoseconds, added to each packet without "
          "changing the order",
          0, LONGEST_NS, 0, LIVE, FIELD (settings.path.link.jitter_ns), .changed = jitter_changed),
    DOUBLE ("loss", "Loss",
            "Probability that the link loses a packet, in addition to drops by the queue", 0.0, 1.0,
            0.0, LIVE, FIELD (settings.loss), .changed = loss_changed),
    DOUBLE ("loss-burst", "Loss burst",
            "Mean number of packets lost in a row (two-state Gilbert model); 1 = losses are "
            "independent",
            1.0, 10000.0, 1.0, LIVE, FIELD (settings.loss_burst), .changed = loss_changed),
    DOUBLE ("duplicate", "Duplicate", "Probability that a packet arrives twice", 0.0, 1.0, 0.0,
            READY, FIELD (settings.path.link.duplicate)),
    DOUBLE ("reorder", "Reorder",
            "Probability that a packet is held back, so that later ones overtake it", 0.0, 1.0, 0.0,
            READY, FIELD (settings.path.link.reorder)),
    TIME ("reorder-delay", "Reorder delay", "How long a packet is held back, in nanoseconds", 0,
          LONGEST_NS, 30 * GST_MSECOND, READY, FIELD (settings.path.link.reorder_delay_ns)),
    DOUBLE ("corrupt", "Corrupt", "Probability that a packet arrives with one bit flipped", 0.0,
            1.0, 0.0, READY, FIELD (settings.path.link.corrupt)),
    UINT64 ("seed", "Seed",
            "Seed of all random decisions: with the same packets at the same times, the same seed "
            "gives the same result",
            0, G_MAXUINT64, 1, READY, FIELD (settings.path.link.seed)),
    UINT ("overhead", "Overhead",
          "Bytes that IP and UDP add to each RTP or RTCP packet on the wire; other packets are "
          "counted as they are",
          0, 1000, 28, READY, FIELD (overhead_bytes)),
  };
  INSTALL (klass, properties);
}

/* What is reported. */
static void
install_reports (GObjectClass *klass)
{
  const GstWeirProperty properties[] = {
    { g_param_spec_boolean ("arrival-time", "Arrival time",
                            "Whether RTP and RTCP packets get the running time of their arrival as "
                            "PTS and DTS, as from udpsrc, because rtpsession and rtpjitterbuffer "
                            "measure delay from it; false = keep the sender's",
                            TRUE, LIVE),
      FIELD (arrival_time) },
    { g_param_spec_boxed (
          "stats", "Statistics",
          "What the link has done so far: a structure weir-stats with time, capacity, offered-, "
          "delivered-, dropped- and lost-packets, dropped-at-end, offered- and delivered-bytes, "
          "queue-packets, queue-bytes, queue-delay, cross-bytes, cross-dropped-packets, "
          "cross-goodput-bytes, and one structure sink_N for each pair of pads",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS),
      .get = get_stats },
    TIME (
        "stats-interval", "Statistics interval",
        "Interval of the element messages weir-stats with the statistics, in nanoseconds; 0 = none",
        0, LONGEST_NS, GST_SECOND, LIVE, FIELD (engine.stats_interval_ns),
        .changed = stats_interval_changed),
    STRING ("log-location", "Log location",
            "File for a CSV log, one line per 100 ms: time_s, capacity_bps, offered_bps, "
            "delivered_bps, cross_bps, queue_ms (empty in an outage), drops (packets dropped or "
            "lost since the last line). A FIFO or /dev/stdout will do; other symbolic links are "
            "refused",
            READY, FIELD (log_location)),
  };
  INSTALL (klass, properties);
}

void
gst_weir_link_install_properties (GObjectClass *klass)
{
  install_bottleneck (klass);
  install_service (klass);
  install_wire (klass);
  install_reports (klass);
}
