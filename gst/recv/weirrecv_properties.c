/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of weirrecv: their texts for gst-inspect-1.0, and where each is kept. */
#include "common/properties.h"
#include "recv/weirrecv.h"

#define MAX_INTERVAL_NS (10 * GST_SECOND)
#define MAX_STATS_INTERVAL_NS (3600 * GST_SECOND)
/* Of an instance of the class, which GObject has checked. */
#define SELF(object) ((GstWeirRecv *) (object))

GType
gst_weir_recv_format_get_type (void)
{
  static gsize type = 0;
  static GEnumValue values[WEIR_FEEDBACK_FORMATS_MAX + 1];
  if (g_once_init_enter (&type)) {
    struct weir_feedback_info info;
    gsize n = 0;
    for (gsize i = 0; weir_feedback_get_info (i, &info); i++) {
      if (info.is_written) {
        values[n++] = (GEnumValue){ (gint) info.format, info.description, info.name };
      }
    }
    g_once_init_leave (&type, g_enum_register_static ("GstWeirRecvFormat", values));
  }
  return type;
}

static void
format_changed (gpointer self)
{
  gst_weir_recv_feedback_set_format (self);
}

static void
stats_interval_changed (gpointer self)
{
  gst_weir_recv_feedback_set_stats_interval (self);
}

static void
get_stats (GObject *self, GValue *value, G_GNUC_UNUSED GParamSpec *spec)
{
  g_value_take_boxed (value, gst_weir_recv_make_stats (SELF (self)));
}

#define FIELD(member) .offset = G_STRUCT_OFFSET (GstWeirRecv, member)
#define SETTING (G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS)
#define LIVE (SETTING | GST_PARAM_MUTABLE_PLAYING)
#define READY (SETTING | GST_PARAM_MUTABLE_READY)
#define READ (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

void
gst_weir_recv_install_properties (GObjectClass *klass)
{
  const GstWeirProperty properties[] = {
    { g_param_spec_enum ("feedback-format", "Feedback format",
                         "Feedback to send: with ccfb and twcc the sender sees the delay of each "
                         "packet. Receiver reports accompany every format",
                         GST_TYPE_WEIR_RECV_FORMAT, WEIR_FEEDBACK_CCFB, LIVE),
      FIELD (format), .changed = format_changed },
    { g_param_spec_uint64 (
          "feedback-interval", "Feedback interval",
          "Time between feedback packets in nanoseconds; 0 = automatic: one per round trip, within "
          "20 to 50 ms (rr and remb: 100 ms). New losses are reported at once",
          0, MAX_INTERVAL_NS, 0, LIVE),
      FIELD (interval_ns), .in_ns = TRUE, .changed = format_changed },
    { g_param_spec_boolean ("ecn-counts", "ECN counts",
                            "Adds the counts of ECN codepoints (RFC 6679) to the feedback, for "
                            "senders that run on receiver reports; ccfb tells of each packet "
                            "without them",
                            FALSE, LIVE),
      FIELD (ecn_counts), .changed = format_changed },
    { g_param_spec_uint ("overhead", "Overhead",
                         "Bytes per packet that IP, UDP and SRTP add on the wire, for the bitrates "
                         "in statistics and REMB",
                         0, 1000, 28, READY),
      FIELD (overhead_bytes) },
    gst_weir_srtcp_key_property (G_STRUCT_OFFSET (GstWeirRecv, rtcp.srtcp)),
    gst_weir_srtcp_cipher_property (G_STRUCT_OFFSET (GstWeirRecv, rtcp.srtcp)),
    { g_param_spec_boxed (
          "stats", "Statistics",
          "What arrived, and how well: a structure weir-stats with packets-received, -lost, "
          "-duplicate, -malformed, -rejected, -ecn-ce, bytes-received, loss-ratio, jitter, "
          "delay-variation and rtt (ns), bitrate, r-score and mos (voice quality), "
          "feedback-packets and feedback-bytes (weirrecv's own, not what an RTP session behind it "
          "writes by itself, twcc and rr), rtcp-packets, rtcp-malformed, srtcp-packets, "
          "-auth-failures, -replays, streams, in-session",
          GST_TYPE_STRUCTURE, READ),
      .get = get_stats },
    { g_param_spec_uint64 ("stats-interval", "Statistics interval",
                           "Interval of the element messages weir-stats with the statistics, in "
                           "nanoseconds; 0 = none",
                           0, MAX_STATS_INTERVAL_NS, GST_SECOND, LIVE),
      FIELD (stats_interval_ns), .in_ns = TRUE, .changed = stats_interval_changed },
  };
  gst_weir_properties_install (klass, properties, G_N_ELEMENTS (properties), NULL, NULL);
}
