/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of weirsend: their texts for gst-inspect-1.0, and where each is kept. What a wrong
 * value leads to is in weirsend_settings.c. */
#include "send/weirsend_private.h"

enum
{
  PROP_0,
  PROP_ALGORITHM,
  PROP_PARAMS,
  PROP_MIN_BITRATE,
  PROP_MAX_BITRATE,
  PROP_START_BITRATE,
  PROP_TARGET_BITRATE,
  PROP_ESTIMATED_BITRATE,
  PROP_ENCODERS,
  PROP_GROUP,
  PROP_PRIORITY,
  PROP_PACING,
  PROP_PACING_QUANTUM,
  PROP_MAX_QUEUE_TIME,
  PROP_QUEUE_POLICY,
  PROP_FEEDBACK,
  PROP_RTP_SESSION,
  PROP_OVERHEAD,
  PROP_SRTP_KEY,
  PROP_SRTP_CIPHER,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_TRACE_LOCATION,
  PROP_TRACE_MAX_SIZE,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

static void
set_stats_interval (GstWeirSend *self, guint64 interval_ns)
{
  gst_weir_send_lock (self);
  self->settings.stats_interval_ns = MIN (interval_ns, (guint64) G_MAXINT64);
  if (self->path->sender != NULL) {
    gint64 now_ns = gst_weir_send_now (self);
    self->stats_due_ns = interval_ns > 0
                             ? weir_time_add_ns (now_ns, (gint64) self->settings.stats_interval_ns)
                             : WEIR_NEVER_NS;
    gst_weir_send_wake_locked (self);
  }
  gst_weir_send_unlock (self);
}

static void
set_string (GstWeirSend *self, gchar **field, const GValue *value)
{
  gst_weir_send_lock (self);
  g_free (*field);
  *field = g_value_dup_string (value);
  gst_weir_send_unlock (self);
}

static void
set_rtp_session (GstWeirSend *self, GObject *session)
{
  gst_weir_send_lock (self);
  GObject *former = self->settings.rtp_session;
  self->settings.rtp_session = session;
  self->discover_session = TRUE;
  gst_weir_send_unlock (self);
  g_clear_object (&former);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstWeirSend *self = GST_WEIR_SEND (object);
  GstWeirSendSettings *settings = &self->settings;
  switch (id) {
  case PROP_ALGORITHM:
    gst_weir_send_set_algorithm (self, weir_algorithm_name ((gsize) g_value_get_enum (value)));
    break;
  case PROP_PARAMS:
    gst_weir_send_set_params (self, gst_value_get_structure (value));
    break;
  case PROP_MIN_BITRATE:
    gst_weir_send_set_bitrate (self, pspec->name, &settings->min_bps, g_value_get_uint (value));
    break;
  case PROP_MAX_BITRATE:
    gst_weir_send_set_bitrate (self, pspec->name, &settings->max_bps, g_value_get_uint (value));
    break;
  case PROP_START_BITRATE:
    gst_weir_send_set_bitrate (self, pspec->name, &settings->start_bps, g_value_get_uint (value));
    break;
  case PROP_ENCODERS:
    set_string (self, &settings->encoders, value);
    break;
  case PROP_GROUP:
    set_string (self, &settings->group, value);
    break;
  case PROP_PRIORITY:
    gst_weir_send_set_priority (self, g_value_get_double (value));
    break;
  case PROP_PACING:
    gst_weir_send_set_pacing (self, g_value_get_enum (value));
    break;
  case PROP_PACING_QUANTUM:
    gst_weir_send_set_pacing_quantum (self, g_value_get_uint64 (value));
    break;
  case PROP_MAX_QUEUE_TIME:
    gst_weir_send_set_queue (self, settings->queue_policy, g_value_get_uint64 (value));
    break;
  case PROP_QUEUE_POLICY:
    gst_weir_send_set_queue (self, (guint) g_value_get_enum (value), settings->max_queue_time_ns);
    break;
  case PROP_FEEDBACK:
    gst_weir_send_set_feedback (self, g_value_get_flags (value));
    break;
  case PROP_RTP_SESSION:
    set_rtp_session (self, g_value_dup_object (value));
    break;
  case PROP_OVERHEAD:
    gst_weir_send_set_overhead (self, g_value_get_int (value));
    break;
  case PROP_SRTP_KEY:
    gst_weir_srtcp_set_key (&self->rtcp.srtcp, value);
    break;
  case PROP_SRTP_CIPHER:
    gst_weir_srtcp_set_cipher (&self->rtcp.srtcp, value);
    break;
  case PROP_STATS_INTERVAL:
    set_stats_interval (self, g_value_get_uint64 (value));
    break;
  case PROP_TRACE_LOCATION:
    set_string (self, &settings->trace_location, value);
    break;
  case PROP_TRACE_MAX_SIZE:
    settings->trace_max_bytes = g_value_get_uint64 (value);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    break;
  }
  gst_weir_common_note_given (self, pspec->name);
}

/* Before the session exists it is what it will start with. */
static guint
target_bitrate_locked (GstWeirSend *self)
{
  struct weir_limits limits;
  if (self->path->sender != NULL) {
    return (guint) weir_clamp_i64 (self->output.target_media_bps, 0, G_MAXUINT);
  }
  gst_weir_send_get_limits (&self->settings, &limits);
  return (guint) limits.start_bps;
}

static void
get_setting_locked (GstWeirSend *self, guint id, GValue *value, GParamSpec *pspec)
{
  const GstWeirSendSettings *settings = &self->settings;
  switch (id) {
  case PROP_ALGORITHM:
    g_value_set_enum (value, gst_weir_algorithm_index (settings->algorithm));
    break;
  case PROP_PARAMS:
    gst_value_set_structure (value, settings->params);
    break;
  case PROP_MIN_BITRATE:
    g_value_set_uint (value, settings->min_bps);
    break;
  case PROP_MAX_BITRATE:
    g_value_set_uint (value, settings->max_bps);
    break;
  case PROP_START_BITRATE:
    g_value_set_uint (value, settings->start_bps);
    break;
  case PROP_TARGET_BITRATE:
  case PROP_ESTIMATED_BITRATE:
    g_value_set_uint (value, target_bitrate_locked (self));
    break;
  case PROP_ENCODERS:
    g_value_set_string (value, settings->encoders);
    break;
  case PROP_GROUP:
    g_value_set_string (value, settings->group);
    break;
  case PROP_PRIORITY:
    g_value_set_double (value, settings->priority);
    break;
  case PROP_PACING:
    g_value_set_enum (value, settings->pacing);
    break;
  case PROP_PACING_QUANTUM:
    g_value_set_uint64 (value, settings->pacing_quantum_ns);
    break;
  case PROP_MAX_QUEUE_TIME:
    g_value_set_uint64 (value, settings->max_queue_time_ns);
    break;
  case PROP_QUEUE_POLICY:
    g_value_set_enum (value, (gint) settings->queue_policy);
    break;
  case PROP_FEEDBACK:
    g_value_set_flags (value, settings->feedback);
    break;
  case PROP_RTP_SESSION:
    g_value_set_object (value, settings->rtp_session != NULL ? settings->rtp_session
                                                             : self->session.object);
    break;
  case PROP_OVERHEAD:
    g_value_set_int (value, settings->overhead);
    break;
  case PROP_SRTP_CIPHER:
    gst_weir_srtcp_get_cipher (&self->rtcp.srtcp, value);
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, settings->stats_interval_ns);
    break;
  case PROP_TRACE_LOCATION:
    g_value_set_string (value, settings->trace_location);
    break;
  case PROP_TRACE_MAX_SIZE:
    g_value_set_uint64 (value, settings->trace_max_bytes);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (self, id, pspec);
    break;
  }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstWeirSend *self = GST_WEIR_SEND (object);
  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_weir_send_make_stats (self));
    return;
  }
  gst_weir_send_lock (self);
  get_setting_locked (self, id, value, pspec);
  gst_weir_send_unlock (self);
}

/* The parameters of every algorithm, for gst-inspect-1.0. The text lives as long as the class. */
static gchar *
params_blurb (void)
{
  GString *text = g_string_new ("How is the algorithm tuned? A structure of its parameters, for "
                                "example \"params,profile=rfc3448\"; those of each algorithm:");
  for (gsize i = 0; i < weir_algorithm_count (); i++) {
    struct weir_algorithm_info info;
    if (weir_algorithm_get_info (weir_algorithm_name (i), &info) != WEIR_OK) {
      continue;
    }
    g_string_append_printf (text, "%s %s (", i > 0 ? ";" : "", info.name);
    for (gsize k = 0; k < info.n_params; k++) {
      g_string_append_printf (text, "%s%s", k > 0 ? ", " : "", info.params[k].name);
    }
    g_string_append (text, info.n_params > 0 ? ")" : "none)");
  }
  return g_string_free (text, FALSE);
}

static GParamSpec *
bitrate_spec (const gchar *name, const gchar *nick, const gchar *blurb, guint initial,
              GParamFlags flags)
{
  return g_param_spec_uint (name, nick, blurb, 0, G_MAXUINT, initial,
                            flags | G_PARAM_STATIC_STRINGS);
}

#define LIVE (G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | G_PARAM_STATIC_STRINGS)
#define EARLY (G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY | G_PARAM_STATIC_STRINGS)
#define READ (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
make_rate_props (const GstWeirSendSettings *initial)
{
  props[PROP_ALGORITHM] = g_param_spec_enum (
      "algorithm", "Algorithm",
      "Which congestion control decides the rate? A change while playing keeps the measured path "
      "and takes the new algorithm's default params",
      gst_weir_algorithm_get_type (), gst_weir_algorithm_index (initial->algorithm), LIVE);
  props[PROP_PARAMS]
      = g_param_spec_boxed ("params", "Parameters", params_blurb (), GST_TYPE_STRUCTURE, LIVE);
  props[PROP_MIN_BITRATE] = bitrate_spec (
      "min-bitrate", "Minimum bitrate",
      "Below which bitrate is the media of no use? Lower bound of target-bitrate, bit/s of media",
      initial->min_bps, LIVE);
  props[PROP_MAX_BITRATE] = bitrate_spec (
      "max-bitrate", "Maximum bitrate",
      "Above which bitrate is more of no use? Upper bound of target-bitrate, bit/s of media",
      initial->max_bps, LIVE);
  props[PROP_START_BITRATE] = bitrate_spec (
      "start-bitrate", "Start bitrate",
      "At which bitrate does the media begin, before the first feedback? bit/s, kept within "
      "min-bitrate and max-bitrate",
      initial->start_bps, LIVE);
  props[PROP_TARGET_BITRATE] = bitrate_spec (
      "target-bitrate", "Target bitrate",
      "What should the encoder produce now? bit/s of media (RTP payload); notified on changes of "
      "1 % and more, at most 20 times a second",
      initial->start_bps, READ);
  props[PROP_ESTIMATED_BITRATE] = bitrate_spec (
      "estimated-bitrate", "Estimated bitrate",
      "The same as target-bitrate, under the name that rtpgccbwe uses", initial->start_bps, READ);
}

static void
make_queue_props (const GstWeirSendSettings *initial)
{
  props[PROP_PACING]
      = g_param_spec_enum ("pacing", "Pacing", "Do packets leave evenly instead of in bursts?",
                           gst_weir_pacing_get_type (), initial->pacing, LIVE);
  props[PROP_PACING_QUANTUM] = g_param_spec_uint64 (
      "pacing-quantum", "Pacing quantum",
      "How far before its even time may a packet leave together with one that is due? Each wake-up "
      "costs more than a packet. ns, at most 5000000; 0: each leaves at its own time",
      0, G_MAXUINT64, initial->pacing_quantum_ns, LIVE);
  props[PROP_MAX_QUEUE_TIME] = g_param_spec_uint64 (
      "max-queue-time", "Maximum queue time",
      "How long may packets wait for the pacer before some are dropped? ns; the pipeline's latency "
      "grows by as much. A source that is not live waits instead",
      0, G_MAXUINT64, initial->max_queue_time_ns, LIVE);
  props[PROP_QUEUE_POLICY] = g_param_spec_enum (
      "queue-policy", "Queue policy", "What is dropped when packets would wait longer than that?",
      gst_weir_queue_policy_get_type (), (gint) initial->queue_policy, LIVE);
  props[PROP_OVERHEAD] = g_param_spec_int (
      "overhead", "Overhead",
      "How many bytes does the network add to each RTP packet (IP, UDP, SRTP)? -1: found out: 28 "
      "for IPv4 and UDP, 48 where a udpsink sends to an IPv6 address, and what the srtpenc behind "
      "adds (10, with hmac-sha1-32 4, with AES-GCM 16, and its MKI); stats say how many",
      -1, 1000, initial->overhead, LIVE);
}

static void
make_surroundings_props (const GstWeirSendSettings *initial)
{
  props[PROP_ENCODERS] = g_param_spec_string (
      "encoders", "Encoders",
      "Whose bitrate follows target-bitrate? auto: the encoders found upstream; none; or names of "
      "elements in the pipeline, separated by commas",
      initial->encoders, EARLY);
  props[PROP_GROUP] = g_param_spec_string (
      "group", "Group",
      "Which weirsends of this process send over the same path? Those with the same name share one "
      "controller and one budget",
      initial->group, EARLY);
  props[PROP_PRIORITY] = g_param_spec_double (
      "priority", "Priority",
      "How large is our share of the group's budget, in proportion to the others'? Only ratios "
      "matter",
      0.001, 1000.0, initial->priority, LIVE);
  props[PROP_FEEDBACK] = g_param_spec_flags (
      "feedback", "Feedback", "Which of the receiver's reports may steer the rate?",
      gst_weir_feedback_get_type (), initial->feedback, LIVE);
  props[PROP_RTP_SESSION] = g_param_spec_object (
      "rtp-session", "RTP session",
      "Which RTP session brings feedback? An rtpsession element or its internal-session. Only "
      "needed when it is not linked to this element in a way that can be followed",
      G_TYPE_OBJECT, LIVE);
  props[PROP_SRTP_KEY] = gst_weir_srtcp_key_spec ();
  props[PROP_SRTP_CIPHER] = gst_weir_srtcp_cipher_spec ();
}

static void
make_report_props (const GstWeirSendSettings *initial)
{
  props[PROP_STATS] = g_param_spec_boxed (
      "stats", "Statistics",
      "What happens now? Rates in bit/s, times in ns, counters, the encoders and the algorithm's "
      "own variables",
      GST_TYPE_STRUCTURE, READ);
  props[PROP_STATS_INTERVAL] = g_param_spec_uint64 (
      "stats-interval", "Statistics interval",
      "How often is stats posted, as an element message weir-stats? ns; 0: never", 0, G_MAXUINT64,
      initial->stats_interval_ns, LIVE);
  props[PROP_TRACE_LOCATION] = g_param_spec_string (
      "trace-location", "Trace location",
      "Where is everything the algorithm saw and answered recorded, as JSON lines that can be "
      "replayed? A file name",
      NULL, EARLY);
  props[PROP_TRACE_MAX_SIZE]
      = g_param_spec_uint64 ("trace-max-size", "Largest trace file",
                             "At which size, in bytes, does the trace file become FILE.1, an older "
                             "one FILE.2, up to FILE.4, and a new one begin? 0: never",
                             0, G_MAXUINT64, initial->trace_max_bytes, EARLY);
}

void
gst_weir_send_install_properties (GObjectClass *klass)
{
  GstWeirSendSettings initial;
  gst_weir_send_settings_init (&initial);
  klass->set_property = set_property;
  klass->get_property = get_property;
  make_rate_props (&initial);
  make_queue_props (&initial);
  make_surroundings_props (&initial);
  make_report_props (&initial);
  g_object_class_install_properties (klass, N_PROPS, props);
  gst_weir_send_settings_clear (&initial);
}
