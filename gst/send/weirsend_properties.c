/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of weirsend: their texts for gst-inspect-1.0, and what a change means for a
 * session that runs. Then a wrong value is refused with a warning and nothing changes; before that
 * they may come in any order and are checked together when it starts. */
#include "send/weirsend.h"

#include "common/properties.h"
#include "send/weirsend_group.h"
#include "send/weirsend_path_settings.h"
#include "send/weirsend_types.h"

#define ALGORITHM_AND_PARAMS (1u << GST_WEIR_PATH_ALGORITHM | 1u << GST_WEIR_PATH_PARAMS)

/* --- What a changed setting means --- */

static void
settle_locked (GstWeirSend *self)
{
  gint64 now_ns = gst_weir_member_now (&self->member);
  gst_weir_member_update_output_locked (&self->member, now_ns);
  gst_weir_member_wake_locked (&self->member);
  gst_weir_member_wake_if_due_locked (&self->member, now_ns);
}

/* Ends a change of settings that the path has once, in the bits of which (0: it was refused): all
 * members get them. Gives the lock back. */
static void
spread_and_unlock (GstWeirSend *self, guint which)
{
  GPtrArray *others = gst_weir_path_settings_spread_locked (&self->member, which);
  gst_weir_member_unlock (&self->member);
  gst_weir_path_settings_notify_all (others, which);
}

/* ECT(1) asks L4S queues for marks which others would answer far too much. NULL: all is well. */
static gchar *
complain_of_ect1 (const GstWeirSendSettings *settings)
{
  if (settings->ecn != GST_WEIR_ECN_ECT1 || gst_weir_send_answers_l4s (settings)) {
    return NULL;
  }
  return g_strdup_printf ("ecn=ect1: %s does not answer marks as L4S queues need (RFC 9331 4.3); "
                          "with ecn=auto it sends ECT(0)",
                          settings->algorithm);
}

/* A running session changes at once and starts with the new algorithm's defaults, since params were
 * meant for the old one. */
static void
set_algorithm (GObject *object, const GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  const gchar *algorithm = weir_algorithm_name ((gsize) g_value_get_enum (value));
  gchar *why = NULL;
  guint which = 0;
  GstStructure *former = NULL;
  gst_weir_member_lock (&self->member);
  enum weir_status status = WEIR_OK;
  if (self->member.path->sender != NULL && g_strcmp0 (self->settings.algorithm, algorithm) != 0) {
    status = weir_sender_set_algorithm (self->member.path->sender,
                                        gst_weir_member_now (&self->member), algorithm, NULL, 0);
    if (status == WEIR_OK) {
      former = g_steal_pointer (&self->settings.params);
      settle_locked (self);
    }
  }
  if (status == WEIR_OK) {
    self->settings.algorithm = algorithm;
    gst_weir_group_update_ecn_locked (&self->member, FALSE);
    self->settings.given |= 1u << GST_WEIR_PATH_ALGORITHM;
    which = ALGORITHM_AND_PARAMS;
    why = complain_of_ect1 (&self->settings);
  } else {
    why = g_strdup_printf ("algorithm=%s: %s; it stays %s", algorithm, weir_status_text (status),
                           self->settings.algorithm);
  }
  spread_and_unlock (self, which);
  if (former != NULL) {
    gst_structure_free (former);
    g_object_notify (object, "params");
  }
  gst_weir_report_complain (&self->report, why);
}

static void
get_algorithm (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  gst_weir_member_lock (&self->member);
  g_value_set_enum (value, gst_weir_algorithm_index (self->settings.algorithm));
  gst_weir_member_unlock (&self->member);
}

static void
set_params (GObject *object, const GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  GstStructure *params = g_value_dup_boxed (value);
  gchar *why = NULL;
  gst_weir_member_lock (&self->member);
  if (self->member.path->sender != NULL
      && gst_weir_group_set_params_locked (&self->member, params, &why)) {
    settle_locked (self);
  }
  if (why == NULL) {
    GstStructure *former = self->settings.params;
    self->settings.params = params;
    self->settings.given |= 1u << GST_WEIR_PATH_PARAMS;
    params = former;
  }
  spread_and_unlock (self, why == NULL ? 1u << GST_WEIR_PATH_PARAMS : 0);
  g_clear_pointer (&params, gst_structure_free);
  gst_weir_report_complain (&self->report, why);
}

static void
apply_limits_locked (GstWeirSend *self, gchar **why)
{
  if (gst_weir_send_check_limits (&self->settings, why)) {
    gst_weir_group_update_locked (&self->member, why);
  }
}

/* Any of them. */
static void
set_bitrate (GObject *object, const GValue *value, GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  guint *field = gst_weir_property_field (object, spec);
  gchar *why = NULL;
  gst_weir_member_lock (&self->member);
  guint former = *field;
  *field = g_value_get_uint (value);
  if (*field == 0) {
    why = g_strdup_printf ("%s=0 is not a bitrate: give at least 1 bit/s", spec->name);
  } else if (self->member.path->sender != NULL) {
    apply_limits_locked (self, &why);
  }
  if (why != NULL) {
    gchar *text = g_strdup_printf ("%s (%s stays %u)", why, spec->name, former);
    *field = former;
    g_free (why);
    why = text;
  }
  gst_weir_member_unlock (&self->member);
  gst_weir_report_complain (&self->report, why);
}

/* Before the session exists it is what it will start with. */
static void
get_target_bitrate (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  struct weir_limits limits;
  gst_weir_member_lock (&self->member);
  gst_weir_send_get_limits (&self->settings, &limits);
  gint64 bps
      = self->member.path->sender != NULL ? self->member.output.target_media_bps : limits.start_bps;
  gst_weir_member_unlock (&self->member);
  g_value_set_uint (value, (guint) weir_clamp_i64 (bps, 0, G_MAXUINT));
}

static void
get_proved_bitrate (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  gst_weir_member_lock (&self->member);
  gint64 bps = gst_weir_member_proved_bps_locked (&self->member);
  gst_weir_member_unlock (&self->member);
  g_value_set_uint (value, (guint) weir_clamp_i64 (bps, 0, G_MAXUINT));
}

static void
apply_queue (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  gst_weir_send_queue_set_policy_locked (&self->queue,
                                         (enum weir_queue_policy) self->settings.queue_policy,
                                         self->settings.max_queue_time_ns);
  gst_weir_member_unlock (&self->member);
}

/* A changed bound changes the latency of the pipeline. */
static void
set_max_queue_time (GObject *object, const GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  guint64 time_ns = g_value_get_uint64 (value);
  gst_weir_member_lock (&self->member);
  guint64 former_ns = self->settings.max_queue_time_ns;
  gboolean refused = time_ns == 0 || time_ns > (guint64) G_MAXINT64;
  self->settings.max_queue_time_ns = refused ? former_ns : time_ns;
  gboolean runs = self->member.path->sender != NULL;
  gst_weir_member_unlock (&self->member);
  if (refused) {
    gst_weir_report_complain (
        &self->report,
        g_strdup_printf ("max-queue-time=%" G_GUINT64_FORMAT
                         " is not a bound: give at least 1 ns (it stays %" G_GUINT64_FORMAT ")",
                         time_ns, former_ns));
    return;
  }
  apply_queue (self);
  if (runs && time_ns != former_ns) {
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  }
}

static void
on_pacing (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  self->settings.given |= 1u << GST_WEIR_PATH_PACING;
  if (self->member.path->sender != NULL) {
    weir_sender_set_pacing (self->member.path->sender, gst_weir_member_now (&self->member),
                            self->settings.pacing);
    settle_locked (self);
  }
  spread_and_unlock (self, 1u << GST_WEIR_PATH_PACING);
}

static void
set_pacing_quantum (GObject *object, const GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  guint64 quantum_ns = g_value_get_uint64 (value);
  gchar *why = NULL;
  gst_weir_member_lock (&self->member);
  if (quantum_ns > (guint64) WEIR_PACING_QUANTUM_MAX_NS) {
    why = g_strdup_printf (
        "pacing-quantum=%" G_GUINT64_FORMAT " is too long: give at most %" G_GINT64_FORMAT
        " ns, so that bursts stay short (it stays %" G_GUINT64_FORMAT ")",
        quantum_ns, WEIR_PACING_QUANTUM_MAX_NS, self->settings.pacing_quantum_ns);
  } else {
    self->settings.pacing_quantum_ns = quantum_ns;
    self->settings.given |= 1u << GST_WEIR_PATH_PACING_QUANTUM;
    if (self->member.path->sender != NULL) {
      weir_sender_set_pacing_quantum (self->member.path->sender,
                                      gst_weir_member_now (&self->member), (gint64) quantum_ns);
      settle_locked (self);
    }
  }
  spread_and_unlock (self, why == NULL ? 1u << GST_WEIR_PATH_PACING_QUANTUM : 0);
  gst_weir_report_complain (&self->report, why);
}

static void
on_feedback (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  self->settings.given |= 1u << GST_WEIR_PATH_FEEDBACK;
  if (self->member.path->sender != NULL) {
    weir_sender_set_feedback_formats (self->member.path->sender,
                                      gst_weir_member_now (&self->member), self->settings.feedback);
    settle_locked (self);
  }
  spread_and_unlock (self, 1u << GST_WEIR_PATH_FEEDBACK);
}

static void
on_receivers (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  self->settings.given |= 1u << GST_WEIR_PATH_RECEIVERS;
  if (self->member.path->sender != NULL) {
    weir_sender_set_receivers (self->member.path->sender, gst_weir_member_now (&self->member),
                               (enum weir_receivers) self->settings.receivers);
    settle_locked (self);
  }
  spread_and_unlock (self, 1u << GST_WEIR_PATH_RECEIVERS);
}

static void
set_ecn (GObject *object, const GValue *value, GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  gst_weir_property_store (object, value, spec);
  gst_weir_member_lock (&self->member);
  self->settings.given |= 1u << GST_WEIR_PATH_ECN;
  gchar *why = complain_of_ect1 (&self->settings);
  gst_weir_group_update_ecn_locked (&self->member, FALSE);
  spread_and_unlock (self, 1u << GST_WEIR_PATH_ECN);
  g_atomic_int_set (&self->look_around, TRUE); /* says why it cannot be, if so */
  gst_weir_report_complain (&self->report, why);
}

static void
on_member_setting (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  gst_weir_group_refresh_locked (&self->member);
  gst_weir_member_unlock (&self->member);
}

static void
on_overhead (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  gst_weir_send_note_overhead_locked (self);
  gst_weir_member_unlock (&self->member);
}

static void
set_rtp_session (GObject *object, const GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  gst_weir_member_lock (&self->member);
  GObject *former = self->settings.rtp_session;
  self->settings.rtp_session = g_value_dup_object (value);
  gst_weir_member_unlock (&self->member);
  g_atomic_int_set (&self->look_around, TRUE);
  g_clear_object (&former);
}

static void
get_rtp_session (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  gst_weir_member_lock (&self->member);
  GObject *session = self->settings.rtp_session;
  if (session != NULL) {
    g_object_ref (session);
  } else if (self->member.rtp_session != NULL) { /* found, and the other members know it */
    session = gst_weir_rtp_session_get (&self->rtp_session.rtp);
  }
  gst_weir_member_unlock (&self->member);
  g_value_take_object (value, session);
}

static void
get_stats (GObject *object, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  GstWeirSend *self = (GstWeirSend *) object;
  GstWeirMoment moment;
  gst_weir_send_take_moment (self, &moment);
  GstStructure *stats = gst_weir_stats_all (&moment);
  gst_weir_srtcp_put_stats (&self->rtcp.srtcp, stats);
  gst_weir_moment_clear (&moment);
  g_value_take_boxed (value, stats);
}

static void
on_repair (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  gboolean on = self->settings.repair;
  gint64 wait_ns = (gint64) MIN (self->settings.repair_wait_ns, (guint64) G_MAXINT64);
  gst_weir_member_unlock (&self->member);
  gst_weir_repair_set (self->repair, on, wait_ns);
  gst_weir_input_look_again (&self->input);
}

static void
on_fill_probes (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  self->pacer.fill.on = self->settings.fill_probes;
  gst_weir_member_unlock (&self->member);
}

static void
on_stats_interval (gpointer object)
{
  GstWeirSend *self = object;
  gst_weir_member_lock (&self->member);
  if (self->member.path->sender != NULL) {
    gst_weir_report_set_stats_interval (&self->report, self->settings.stats_interval_ns,
                                        gst_weir_member_now (&self->member));
    gst_weir_member_wake_locked (&self->member);
  }
  gst_weir_member_unlock (&self->member);
}

/* --- The table --- */

#define LIVE (G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | G_PARAM_STATIC_STRINGS)
#define EARLY (G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY | G_PARAM_STATIC_STRINGS)
#define READ (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)
#define FIELD(name) .offset = G_STRUCT_OFFSET (GstWeirSend, settings.name)

/* The parameters of every algorithm, for gst-inspect-1.0. The text lives as long as the class. */
static gchar *
params_blurb (void)
{
  GString *text
      = g_string_new ("Parameters of the algorithm, as a structure of names and values, "
                      "for example \"params,profile=rfc3448\"; each algorithm has these:");
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

static void
add_row (GArray *rows, GstWeirProperty row)
{
  g_array_append_val (rows, row);
}

#define ADD(...) add_row (rows, (GstWeirProperty){ __VA_ARGS__ })

static void
add_algorithm (GArray *rows, const GstWeirSendSettings *initial)
{
  ADD (g_param_spec_enum (
           "algorithm", "Algorithm",
           "Congestion control algorithm that sets the rate; a change while playing keeps what was "
           "measured of the path and uses the new algorithm's default params",
           gst_weir_algorithm_get_type (), gst_weir_algorithm_index (initial->algorithm), LIVE),
       .set = set_algorithm, .get = get_algorithm);
  ADD (g_param_spec_boxed ("params", "Parameters", params_blurb (), GST_TYPE_STRUCTURE, LIVE),
       FIELD (params), .set = set_params);
  ADD (g_param_spec_flags ("feedback", "Feedback",
                           "Formats of the receiver's feedback that may control the rate",
                           gst_weir_feedback_get_type (), initial->feedback, LIVE),
       FIELD (feedback), .changed = on_feedback);
  ADD (g_param_spec_enum ("receivers", "Receivers",
                          "Where several receivers get the same packets (tee, multicast, a shared "
                          "RTSP mount): whose feedback controls the rate",
                          gst_weir_receivers_get_type (), (gint) initial->receivers, LIVE),
       FIELD (receivers), .changed = on_receivers);
}

static GParamSpec *
bitrate_spec (const gchar *name, const gchar *nick, const gchar *blurb, guint initial_bps,
              GParamFlags flags)
{
  return g_param_spec_uint (name, nick, blurb, 0, G_MAXUINT, initial_bps, flags);
}

static void
add_bitrates (GArray *rows, const GstWeirSendSettings *initial)
{
  ADD (bitrate_spec ("min-bitrate", "Minimum bitrate",
                     "Lower bound of target-bitrate, bit/s of media", initial->min_bps, LIVE),
       FIELD (min_bps), .set = set_bitrate);
  ADD (bitrate_spec ("max-bitrate", "Maximum bitrate",
                     "Upper bound of target-bitrate, bit/s of media", initial->max_bps, LIVE),
       FIELD (max_bps), .set = set_bitrate);
  ADD (bitrate_spec ("start-bitrate", "Start bitrate",
                     "target-bitrate before the first feedback, bit/s of media; kept within "
                     "min-bitrate and max-bitrate",
                     initial->start_bps, LIVE),
       FIELD (start_bps), .set = set_bitrate);
  ADD (bitrate_spec ("target-bitrate", "Target bitrate",
                     "What the encoder is to be set to now, in bit/s of media (RTP payload); "
                     "notified on changes of 1 % or more, at most 20 times a second",
                     initial->start_bps, READ),
       .get = get_target_bitrate);
  ADD (bitrate_spec ("estimated-bitrate", "Estimated bitrate",
                     "The same as target-bitrate, bit/s of media, under the name that rtpgccbwe "
                     "uses; setting it sets start-bitrate",
                     initial->start_bps, LIVE),
       FIELD (start_bps), .set = set_bitrate, .get = get_target_bitrate);
  ADD (bitrate_spec ("proved-bitrate", "Proved bitrate",
                     "What the network has carried in this session, bit/s of media: the highest "
                     "mean of ten seconds within the last 30 to 60. Half of it is a start-bitrate "
                     "for the next session to the same peer over the same network. 0: not known "
                     "yet; after the session it stays",
                     0, READ),
       .get = get_proved_bitrate);
}

static void
add_sending (GArray *rows, const GstWeirSendSettings *initial)
{
  ADD (g_param_spec_enum ("pacing", "Pacing",
                          "Whether packets leave evenly spaced instead of in bursts",
                          gst_weir_pacing_get_type (), initial->pacing, LIVE),
       FIELD (pacing), .changed = on_pacing);
  ADD (g_param_spec_uint64 (
           "pacing-quantum", "Pacing quantum",
           "How much before its evenly spaced time a packet may leave together with one that is "
           "due, in nanoseconds, at most 5000000, because a wake-up costs more than sending a "
           "packet. 0: each packet leaves at its own time",
           0, G_MAXUINT64, initial->pacing_quantum_ns, LIVE),
       FIELD (pacing_quantum_ns), .in_ns = TRUE, .set = set_pacing_quantum);
  ADD (g_param_spec_uint64 (
           "max-queue-time", "Maximum queue time",
           "How long packets may wait for the pacer before some are dropped, in nanoseconds; it "
           "adds this much to the pipeline's latency. From half of it on the encoder gets no "
           "frames. A source that is not live waits instead",
           0, G_MAXUINT64, initial->max_queue_time_ns, LIVE),
       FIELD (max_queue_time_ns), .in_ns = TRUE, .set = set_max_queue_time);
  ADD (g_param_spec_enum ("queue-policy", "Queue policy",
                          "What is dropped when packets would wait longer than max-queue-time",
                          gst_weir_queue_policy_get_type (), (gint) initial->queue_policy, LIVE),
       FIELD (queue_policy), .changed = apply_queue);
  ADD (g_param_spec_enum (
           "ecn", "ECN",
           "What packets leave with, once the path is found to carry it: set on the sockets of the "
           "udpsink or multiudpsink behind, beside their DSCP. Needs a receiver that reports it in "
           "RFC 8888: weirrecv behind weirudpsrc. stats say what was found (ecn, packets-ecn-ce)",
           gst_weir_ecn_get_type (), (gint) initial->ecn, LIVE),
       FIELD (ecn), .set = set_ecn);
  ADD (g_param_spec_int ("overhead", "Overhead",
                         "Bytes that the network adds to each RTP packet (IP, UDP, SRTP). -1: "
                         "detected: 28 for IPv4 and UDP, or 48 where a udpsink sends to an IPv6 "
                         "address, plus what the srtpenc behind adds (10; 4 with hmac-sha1-32; 16 "
                         "with AES-GCM; and its MKI); stats show the result",
                         -1, 1000, initial->overhead, LIVE),
       FIELD (overhead), .changed = on_overhead);
}

static void
add_surroundings (GArray *rows, const GstWeirSendSettings *initial)
{
  ADD (g_param_spec_string ("encoders", "Encoders",
                            "Encoders whose bitrate follows target-bitrate. auto: those found "
                            "upstream; none; or names of elements in the pipeline, separated by "
                            "commas",
                            initial->encoders, EARLY),
       FIELD (encoders));
  ADD (g_param_spec_string ("group", "Group",
                            "Name of a group of weirsends in this process that send over the same "
                            "path: they share one controller and one budget",
                            initial->group, EARLY),
       FIELD (group));
  ADD (
      g_param_spec_double (
          "priority", "Priority",
          "Weight of this member's share of the group's budget; only ratios between members matter",
          0.001, 1000.0, initial->priority, LIVE),
      FIELD (priority), .changed = on_member_setting);
  ADD (g_param_spec_uint (
           "reporter-ssrc", "Reporter SSRC",
           "SSRC of the receiver's RTCP, where signalling tells it; RTCP of any other is ignored "
           "(0 = not known)",
           0, G_MAXUINT32, initial->reporter_ssrc, LIVE),
       FIELD (reporter_ssrc), .changed = on_member_setting);
  ADD (g_param_spec_object (
           "rtp-session", "RTP session",
           "RTP session that supplies feedback: an rtpsession element or its internal-session. "
           "Needed only when it cannot be found by following the links from this element",
           G_TYPE_OBJECT, LIVE),
       .set = set_rtp_session, .get = get_rtp_session);
  add_row (rows, gst_weir_srtcp_key_property (G_STRUCT_OFFSET (GstWeirSend, rtcp.srtcp)));
  add_row (rows, gst_weir_srtcp_cipher_property (G_STRUCT_OFFSET (GstWeirSend, rtcp.srtcp)));
}

static void
add_repair (GArray *rows, const GstWeirSendSettings *initial)
{
  ADD (g_param_spec_enum (
           "repair", "Repair",
           "Whether the forward error correction before this element follows what is lost: "
           "percentage of rtpulpfecenc, packet-loss-percentage and inband-fec of opusenc. Its "
           "share of the rate is taken from the encoder, at most a third of the packets",
           gst_weir_repair_mode_get_type (), initial->repair, LIVE),
       FIELD (repair), .changed = on_repair);
  ADD (g_param_spec_uint64 (
           "repair-wait", "Repair wait",
           "How late a packet that is sent again may come, in nanoseconds: the latency of the "
           "receiver's jitter buffer, or 150 ms where FEC repairs before that gives a packet up "
           "and frames are shown as they come. Where rtprtxsend is before this element and the "
           "receiver asks for packets, repair=auto adds none for what comes in that time",
           0, G_MAXUINT64, initial->repair_wait_ns, LIVE),
       FIELD (repair_wait_ns), .in_ns = TRUE, .changed = on_repair);
  ADD (g_param_spec_boolean (
           "fill-probes", "Fill probes",
           "Where rtprtxsend is before this element: send packets that left lately once more, as "
           "retransmissions, when the algorithm probes for more capacity and the encoder has made "
           "too little for it. A start is then up to twice as fast; the receiver must have agreed "
           "to retransmissions (RFC 4588), and drops the copies",
           initial->fill_probes, LIVE),
       FIELD (fill_probes), .changed = on_fill_probes);
}

static void
add_report (GArray *rows, const GstWeirSendSettings *initial)
{
  ADD (g_param_spec_boxed ("stats", "Statistics",
                           "All current figures: rates in bit/s, times in ns, counters, the "
                           "encoders and the algorithm's own variables",
                           GST_TYPE_STRUCTURE, READ),
       .get = get_stats);
  ADD (g_param_spec_uint64 ("stats-interval", "Statistics interval",
                            "Interval of the element messages weir-stats, in nanoseconds; 0: none",
                            0, G_MAXUINT64, initial->stats_interval_ns, LIVE),
       FIELD (stats_interval_ns), .in_ns = TRUE, .changed = on_stats_interval);
  ADD (g_param_spec_string ("trace-location", "Trace location",
                            "File that records everything the algorithm sees and answers, as JSON "
                            "lines that can be replayed. A FIFO or /dev/stdout will do; other "
                            "symbolic links are refused",
                            NULL, EARLY),
       FIELD (trace_location));
  ADD (g_param_spec_uint64 ("trace-max-size", "Largest trace file",
                            "Size in bytes at which the trace file is renamed FILE.1 (older ones "
                            "FILE.2 to FILE.4) and a new one begins; 0: never",
                            0, G_MAXUINT64, initial->trace_max_bytes, EARLY),
       FIELD (trace_max_bytes));
}

static void
lock (gpointer self)
{
  gst_weir_member_lock (&((GstWeirSend *) self)->member);
}

static void
unlock (gpointer self)
{
  gst_weir_member_unlock (&((GstWeirSend *) self)->member);
}

void
gst_weir_send_install_properties (GObjectClass *klass)
{
  GstWeirSendSettings initial;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (GstWeirProperty));
  gst_weir_send_settings_init (&initial);
  add_algorithm (rows, &initial);
  add_bitrates (rows, &initial);
  add_sending (rows, &initial);
  add_surroundings (rows, &initial);
  add_repair (rows, &initial);
  add_report (rows, &initial);
  gst_weir_properties_install (klass, (const GstWeirProperty *) (gpointer) rows->data, rows->len,
                               lock, unlock);
  g_array_unref (rows);
  gst_weir_send_settings_clear (&initial);
}
