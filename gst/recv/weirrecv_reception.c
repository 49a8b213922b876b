/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recv/weirrecv_reception.h"

#include "weir/rtcp.h"

#define MAX_CLOCK_RATE_HZ 1000000000
#define VIDEO_CLOCK_RATE_HZ 90000
#define PAUSE_NS WEIR_MS (200) /* between packets: the sender is silent */
#define SESSION_SILENCE_NS WEIR_SECONDS (1)

void
gst_weir_reception_init (GstWeirReception *self, GstClock *clock)
{
  *self = (GstWeirReception){ .clock = clock };
  g_mutex_init (&self->lock);
}

void
gst_weir_reception_clear (GstWeirReception *self)
{
  g_mutex_clear (&self->lock);
}

static gint64
now_ns (GstWeirReception *self)
{
  return (gint64) gst_clock_get_time (self->clock);
}

/* The old one stays when there is no memory for a new one. */
static void
make_receiver_locked (GstWeirReception *self)
{
  self->config.seed = ((guint64) g_random_int () << 32) | g_random_int ();
  struct weir_receiver *receiver = weir_receiver_create (&self->config, now_ns (self), NULL);
  if (receiver != NULL) {
    weir_receiver_destroy (self->receiver);
    self->receiver = receiver;
  }
}

void
gst_weir_reception_start (GstWeirReception *self, guint format, gint64 interval_ns,
                          gboolean ecn_counts, guint overhead_bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  weir_receiver_config_init (&self->config);
  self->config.format = format;
  self->config.interval_ns = interval_ns;
  self->config.ecn_counts = ecn_counts;
  self->config.overhead_bytes = overhead_bytes;
  self->config.local_ssrc = g_random_int ();
  self->config.clock_rate_hz = VIDEO_CLOCK_RATE_HZ;
  self->has_packets = FALSE;
  self->numbers_seen = FALSE;
  self->first_unreported_ns = WEIR_UNKNOWN_NS;
  make_receiver_locked (self);
}

void
gst_weir_reception_stop (GstWeirReception *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_clear_pointer (&self->receiver, weir_receiver_destroy);
}

void
gst_weir_reception_set_format (GstWeirReception *self, guint format, gint64 interval_ns,
                               gboolean ecn_counts)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->config.format = format;
  self->config.interval_ns = interval_ns;
  self->config.ecn_counts = ecn_counts;
  if (self->receiver != NULL) {
    weir_receiver_set_format (self->receiver, format, interval_ns);
    weir_receiver_set_ecn_counts (self->receiver, ecn_counts);
  }
}

void
gst_weir_reception_set_caps (GstWeirReception *self, const GstWeirRtpCaps *caps)
{
  guint32 rate_hz = caps->clock_rate_hz;
  gboolean valid = rate_hz > 0 && rate_hz <= MAX_CLOCK_RATE_HZ;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->config.transport_seq_id = caps->transport_seq_id;
  self->config.clock_rate_hz = valid ? rate_hz : VIDEO_CLOCK_RATE_HZ;
  self->numbers_seen = FALSE;
  self->first_unreported_ns = WEIR_UNKNOWN_NS;
  if (self->receiver != NULL && !self->has_packets) {
    make_receiver_locked (self);
  }
  if (self->receiver != NULL) {
    weir_receiver_set_transport_seq_id (self->receiver, caps->transport_seq_id);
    if (caps->has_ssrc) {
      weir_receiver_set_clock_rate (self->receiver, caps->ssrc, self->config.clock_rate_hz);
    }
  }
}

void
gst_weir_reception_set_ssrc (GstWeirReception *self, guint32 ssrc)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->config.local_ssrc = ssrc;
  if (self->receiver != NULL && !self->has_packets) {
    make_receiver_locked (self);
  }
}

/* --- What comes in --- */

/* Does the packet carry the transport-wide number that the caps announce? */
static gboolean
is_numbered (GstWeirReception *self, const guint8 *data, gsize size)
{
  guint8 id = self->config.transport_seq_id;
  struct weir_rtp_info info;
  return id != 0 && weir_rtp_info (data, size, id, &info) == WEIR_OK && info.has_transport_seq;
}

gboolean
gst_weir_reception_take_rtp (GstWeirReception *self, gint64 age_ns, enum weir_ecn ecn,
                             const guint8 *data, gsize size)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (self->receiver == NULL) {
    return TRUE;
  }
  /* Never before the one that came before it. */
  gint64 arrived_ns = MAX (now_ns (self) - age_ns, self->has_packets ? self->arrived_ns : 0);
  enum weir_status status = weir_receiver_on_rtp (self->receiver, arrived_ns, data, size, ecn);
  self->has_packets |= status == WEIR_OK;
  self->numbers_seen = self->numbers_seen || is_numbered (self, data, size);
  if (self->numbers_seen
      && (self->first_unreported_ns == WEIR_UNKNOWN_NS
          || arrived_ns - self->arrived_ns >= PAUSE_NS)) {
    self->first_unreported_ns = arrived_ns;
  }
  self->arrived_ns = arrived_ns;
  return status != WEIR_ERROR_TRUNCATED && status != WEIR_ERROR_MALFORMED;
}

void
gst_weir_reception_take_rtcp (GstWeirReception *self, const guint8 *data, gsize size)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (self->receiver != NULL) {
    weir_receiver_on_rtcp (self->receiver, now_ns (self), data, size);
  }
}

void
gst_weir_reception_note_session_report (GstWeirReception *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->first_unreported_ns = WEIR_UNKNOWN_NS;
}

/* --- What goes out --- */

/* Does the session report transport-wide numbers, as far as we can know? It does when the caps it
 * was given (by request-pt-map, say) name the extension; those are not always ours. It does so when
 * packets come: the end of a talk spurt it reports at the beginning of the next, and one report of
 * ours between would be taken for a change of formats. */
static gboolean
session_reports_packets (const GstWeirReception *self)
{
  return self->numbers_seen
         && (self->first_unreported_ns == WEIR_UNKNOWN_NS
             || self->arrived_ns - self->first_unreported_ns < SESSION_SILENCE_NS);
}

/* A session writes the other formats itself; and where it reports each packet already, a second
 * report of the same packets would make the sender see half of them in each. */
static gboolean
is_wanted (const GstWeirReception *self, gboolean in_session)
{
  return self->receiver != NULL
         && (!in_session || self->config.format == WEIR_FEEDBACK_REMB
             || (self->config.format == WEIR_FEEDBACK_CCFB && !session_reports_packets (self)));
}

gint64
gst_weir_reception_next_ns (GstWeirReception *self, gboolean in_session)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return is_wanted (self, in_session) ? weir_receiver_next_feedback_ns (self->receiver)
                                      : WEIR_NEVER_NS;
}

gsize
gst_weir_reception_build (GstWeirReception *self, gboolean in_session, guint8 *data, gsize size)
{
  uint64_t ntp_time = weir_ntp_from_unix_ns (g_get_real_time () * 1000);
  enum weir_status (*build) (struct weir_receiver *, int64_t, uint64_t, uint8_t *, size_t, size_t *)
      = in_session ? weir_receiver_build_feedback_only : weir_receiver_build_feedback;
  size_t length = 0;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gboolean built
      = is_wanted (self, in_session)
        && build (self->receiver, now_ns (self), ntp_time, data, size, &length) == WEIR_OK;
  return built ? length : 0;
}

/* --- What is known --- */

gboolean
gst_weir_reception_lacks_numbers (GstWeirReception *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->config.format == WEIR_FEEDBACK_TWCC && self->config.transport_seq_id == 0;
}

GstStructure *
gst_weir_reception_make_stats (GstWeirReception *self)
{
  struct weir_receiver_stats s = { .rtt_ns = WEIR_UNKNOWN_NS, .mos = 1.0 };
  g_mutex_lock (&self->lock);
  if (self->receiver != NULL) {
    weir_receiver_get_stats (self->receiver, &s);
  }
  g_mutex_unlock (&self->lock);
  GstStructure *stats = gst_structure_new (
      "weir-stats", "bitrate", G_TYPE_INT64, s.received_wire_bps, "loss-ratio", G_TYPE_DOUBLE,
      s.loss_ratio, "jitter", G_TYPE_INT64, s.jitter_ns, "delay-variation", G_TYPE_INT64,
      s.delay_variation_ns, "r-score", G_TYPE_DOUBLE, s.r_score, "mos", G_TYPE_DOUBLE, s.mos,
      "packets-received", G_TYPE_UINT64, s.packets_received, "packets-lost", G_TYPE_INT64,
      s.packets_lost, "packets-duplicate", G_TYPE_UINT64, s.packets_duplicate, "packets-malformed",
      G_TYPE_UINT64, s.packets_malformed, "packets-rejected", G_TYPE_UINT64, s.packets_rejected,
      "packets-ecn-ce", G_TYPE_UINT64, s.packets_ecn_ce, "bytes-received", G_TYPE_UINT64,
      s.bytes_received_wire, "rtcp-packets", G_TYPE_UINT64, s.rtcp_packets, "rtcp-malformed",
      G_TYPE_UINT64, s.rtcp_malformed, "feedback-packets", G_TYPE_UINT64, s.feedback_sent,
      "feedback-bytes", G_TYPE_UINT64, s.feedback_bytes, "streams", G_TYPE_UINT64, s.streams, NULL);
  if (s.rtt_ns != WEIR_UNKNOWN_NS) {
    gst_structure_set (stats, "rtt", G_TYPE_INT64, s.rtt_ns, NULL);
  }
  return stats;
}
