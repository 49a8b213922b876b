/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of weirrecv: their texts for gst-inspect-1.0, and where each is kept. */
#include "recv/weirrecv.h"

#include "weir/rtcp.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_recv_debug);
#define GST_CAT_DEFAULT gst_weir_recv_debug

#define LONGEST_INTERVAL (10 * GST_SECOND)

enum
{
  PROP_0,
  PROP_FEEDBACK_FORMAT,
  PROP_FEEDBACK_INTERVAL,
  PROP_OVERHEAD,
  PROP_SRTP_KEY,
  PROP_SRTP_CIPHER,
  PROP_STATS,
  PROP_STATS_INTERVAL
};

GType
gst_weir_recv_format_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { WEIR_FEEDBACK_CCFB, "RFC 8888: arrival of each packet, needs nothing in the media", "ccfb" },
    { WEIR_FEEDBACK_TWCC, "Transport-wide feedback: needs the header extension in the caps",
      "twcc" },
    { WEIR_FEEDBACK_RR, "Receiver reports only: loss and round-trip time", "rr" },
    { WEIR_FEEDBACK_REMB, "Receiver estimated maximum bitrate, with receiver reports", "remb" },
    { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstWeirRecvFormat", values));
  return type;
}

static void
apply_feedback (GstWeirRecv *recv)
{
  g_mutex_lock (&recv->lock);
  if (recv->receiver != NULL)
    weir_receiver_set_format (recv->receiver, (uint32_t) recv->format, (gint64) recv->interval_ns);
  gst_weir_recv_feedback_kick_locked (recv);
  g_mutex_unlock (&recv->lock);
  gst_weir_recv_session_configure (recv);
}

static void
set_stats_interval (GstWeirRecv *recv, guint64 interval_ns)
{
  g_mutex_lock (&recv->lock);
  recv->stats_interval_ns = interval_ns;
  recv->next_stats_ns = interval_ns > 0 && recv->running
                            ? gst_weir_recv_now_ns (recv) + (gint64) interval_ns
                            : WEIR_NEVER_NS;
  gst_weir_recv_feedback_kick_locked (recv);
  g_mutex_unlock (&recv->lock);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstWeirRecv *recv = GST_WEIR_RECV (object);

  switch (id) {
  case PROP_FEEDBACK_FORMAT:
    recv->format = g_value_get_enum (value);
    apply_feedback (recv);
    break;
  case PROP_FEEDBACK_INTERVAL:
    recv->interval_ns = g_value_get_uint64 (value);
    apply_feedback (recv);
    break;
  case PROP_OVERHEAD:
    recv->overhead_bytes = g_value_get_uint (value);
    break;
  case PROP_SRTP_KEY:
    gst_weir_srtcp_set_key (&recv->srtcp, value);
    break;
  case PROP_SRTP_CIPHER:
    gst_weir_srtcp_set_cipher (&recv->srtcp, value);
    break;
  case PROP_STATS_INTERVAL:
    set_stats_interval (recv, g_value_get_uint64 (value));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstWeirRecv *recv = GST_WEIR_RECV (object);

  switch (id) {
  case PROP_FEEDBACK_FORMAT:
    g_value_set_enum (value, recv->format);
    break;
  case PROP_FEEDBACK_INTERVAL:
    g_value_set_uint64 (value, recv->interval_ns);
    break;
  case PROP_OVERHEAD:
    g_value_set_uint (value, recv->overhead_bytes);
    break;
  case PROP_SRTP_CIPHER:
    gst_weir_srtcp_get_cipher (&recv->srtcp, value);
    break;
  case PROP_STATS:
    g_value_take_boxed (value, gst_weir_recv_make_stats (recv));
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, recv->stats_interval_ns);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS)

void
gst_weir_recv_install_properties (GObjectClass *c)
{
  c->set_property = set_property;
  c->get_property = get_property;
  g_object_class_install_property (
      c, PROP_FEEDBACK_FORMAT,
      g_param_spec_enum ("feedback-format", "Feedback format",
                         "What to tell the sender; ccfb and twcc let it see the delay of each "
                         "packet. Receiver reports go with each",
                         GST_TYPE_WEIR_RECV_FORMAT, WEIR_FEEDBACK_CCFB,
                         FLAGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (
      c, PROP_FEEDBACK_INTERVAL,
      g_param_spec_uint64 ("feedback-interval", "Feedback interval",
                           "Nanoseconds between two feedback packets; 0 = automatic: one per round "
                           "trip, 20 to 50 ms (rr and remb: 100 ms). New losses are reported at "
                           "once",
                           0, LONGEST_INTERVAL, 0, FLAGS | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (
      c, PROP_OVERHEAD,
      g_param_spec_uint ("overhead", "Overhead",
                         "Bytes per packet that IP, UDP and SRTP add on the wire, for the bitrates "
                         "in statistics and REMB",
                         0, 1000, 28, FLAGS | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (c, PROP_SRTP_KEY, gst_weir_srtcp_key_spec ());
  g_object_class_install_property (c, PROP_SRTP_CIPHER, gst_weir_srtcp_cipher_spec ());
  g_object_class_install_property (
      c, PROP_STATS,
      g_param_spec_boxed (
          "stats", "Statistics",
          "What arrived, and how well: a structure weir-stats with packets-received, "
          "-lost, -duplicate, -malformed, -rejected, bytes-received, loss-ratio, "
          "jitter and delay-variation (ms), rtt (ns), bitrate, r-score and mos "
          "(voice quality), feedback-packets and feedback-bytes (of weirrecv's own; what an RTP "
          "session behind it writes by itself, twcc and rr, is not among them), rtcp-packets, "
          "rtcp-malformed, srtcp-packets, -auth-failures, -replays, streams, in-session",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (
      c, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
                           "Post the statistics as element message weir-stats this often, in "
                           "nanoseconds; 0 = never",
                           0, 3600 * GST_SECOND, GST_SECOND, FLAGS | GST_PARAM_MUTABLE_PLAYING));
}
