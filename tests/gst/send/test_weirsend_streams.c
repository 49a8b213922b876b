/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each packet is recognised for what it is, through whatever multiplexes, repeats and protects. */
#include "send/weirsend_streams.h"
#include "weir/weir.h"

GST_DEBUG_CATEGORY (gst_weir_send_debug);

/* "x" in a launch line stands where weirsend would be. */
#define X "identity name=x ! fakesink async=false sync=false"
#define VIDEO "videotestsrc is-live=true ! video/x-raw,width=64,height=48 ! vp8enc name=v"
#define VPAY "rtpvp8pay pt=96 ssrc=1"
#define AUDIO "audiotestsrc is-live=true ! opusenc name=a ! rtpopuspay pt=111 ssrc=2"
#define RTX                                                                                        \
  "rtprtxsend payload-type-map=\"application/x-rtp-pt-map,96=(uint)97,100=(uint)101,"              \
  "122=(uint)123\""
#define TWCC_URI "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define ANY_KIND GST_WEIR_KIND_UNKNOWN

/* A packet, and what it should be. */
typedef struct
{
  guint32 ssrc;
  guint8 payload_type;
  GstWeirKind kind;
  gboolean repair, red;
  guint32 clock_rate_hz;
  guint8 transport_seq_id;
  const gchar *encoder;
} Packet;

typedef struct
{
  const gchar *name, *line;
  Packet packets[6];
} Case;

#define V GST_WEIR_KIND_VIDEO
#define A GST_WEIR_KIND_AUDIO

static const Case cases[] = {
  { "one video stream",
    VIDEO " ! " VPAY " ! " X,
    { { 1, 96, V, FALSE, FALSE, 90000, 0, "v" },
      { 5, 96, V, FALSE, FALSE, 90000, 0, "v" },
      { 1, 98, V, FALSE, FALSE, 90000, 0, "v" },
      { 9, 99, V, FALSE, FALSE, 90000, 0, NULL } } },
  { "sound", AUDIO " ! " X, { { 2, 111, A, FALSE, FALSE, 48000, 0, "a" } } },
  { "packets from elsewhere",
    "fakesrc is-live=true do-timestamp=true datarate=1000 sizetype=fixed sizemax=100 ! "
    "application/x-rtp,media=audio,payload=0,clock-rate=8000 ! " X,
    { { 7, 0, A, FALSE, FALSE, 8000, 0, NULL } } },
  { "retransmissions, with an SSRC given",
    VIDEO " ! " VPAY " ! " RTX " ssrc-map=\"application/x-rtp-ssrc-map,1=(uint)3\" ! " X,
    { { 1, 96, V, FALSE, FALSE, 90000, 0, "v" }, { 3, 97, V, TRUE, FALSE, 90000, 0, "v" } } },
  { "retransmissions, with any SSRC",
    VIDEO " ! " VPAY " ! " RTX " ! " X,
    { { 77, 97, V, TRUE, FALSE, 90000, 0, "v" } } },
  { "FEC",
    VIDEO " ! " VPAY " ! rtpulpfecenc pt=122 ! queue ! " X,
    { { 1, 96, V, FALSE, FALSE, 90000, 0, "v" }, { 1, 122, V, TRUE, FALSE, 90000, 0, "v" } } },
  { "FEC that is off",
    VIDEO " ! " VPAY " ! rtpulpfecenc ! " X,
    { { 1, 255 & 127, V, FALSE, FALSE, 90000, 0, "v" } } },
  { "FEC in RED, retransmitted",
    VIDEO " ! " VPAY " ! rtpulpfecenc pt=122 ! rtpredenc pt=100 ! " RTX " ! " X,
    { { 1, 100, V, FALSE, TRUE, 90000, 0, "v" },
      { 1, 96, V, FALSE, FALSE, 90000, 0, "v" },
      { 1, 122, V, TRUE, FALSE, 90000, 0, "v" },
      { 78, 101, V, TRUE, FALSE, 90000, 0, "v" } } },
  { "two through a funnel of RTP",
    "rtpfunnel name=f ! " X " " VIDEO " ! " VPAY " ! queue ! " RTX " ! f. " AUDIO " ! f.",
    { { 1, 96, V, FALSE, FALSE, 90000, 0, "v" },
      { 2, 111, A, FALSE, FALSE, 48000, 0, "a" },
      { 8, 97, V, TRUE, FALSE, 90000, 0, "v" },
      { 9, 50, ANY_KIND, FALSE, FALSE, 0, 0, NULL } } },
  { "retransmission behind the funnel",
    "rtpfunnel name=f ! " RTX " ! " X " " VIDEO " ! " VPAY " ! f. " AUDIO " ! f.",
    { { 1, 96, V, FALSE, FALSE, 90000, 0, "v" },
      { 2, 111, A, FALSE, FALSE, 48000, 0, "a" },
      { 8, 97, V, TRUE, FALSE, 90000, 0, "v" } } },
  { "two through any funnel, out of bins",
    "funnel name=f ! ( " X " ) ( " VIDEO " ) ! " VPAY " ! f. " AUDIO " ! f.",
    { { 2, 111, A, FALSE, FALSE, 48000, 0, "a" }, { 1, 96, V, FALSE, FALSE, 90000, 0, "v" } } },
  { "the transport-wide number's id of each",
    "funnel name=f ! " X " " VIDEO " ! " VPAY " ! application/x-rtp,extmap-3=(string)" TWCC_URI
    " ! f. " AUDIO " ! application/x-rtp,extmap-5=(string)" TWCC_URI " ! f.",
    { { 1, 96, V, FALSE, FALSE, 90000, 3, "v" }, { 2, 111, A, FALSE, FALSE, 48000, 5, "a" } } },
  { "two encoders in one stream: neither alone",
    "mpegtsmux name=m ! rtpmp2tpay pt=33 ssrc=4 ! " X
    " videotestsrc is-live=true ! video/x-raw,width=64,height=48 ! x264enc tune=zerolatency ! m. "
    "audiotestsrc is-live=true ! opusenc ! m.",
    { { 4, 33, V, FALSE, FALSE, 90000, 0, NULL } } },
};

/* Have all elements that pass data on negotiated what? Bins that are still changing have not. */
static gboolean
has_all_caps (GstElement *pipeline, GstPad *sinkpad)
{
  gboolean all = gst_pad_has_current_caps (sinkpad);
  GstIteratorResult result = GST_ITERATOR_OK;
  GValue item = G_VALUE_INIT;
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (pipeline));
  while (all && (result = gst_iterator_next (elements, &item)) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object (&item);
    GstPad *pad = element->numsinkpads > 0 ? gst_element_get_static_pad (element, "src") : NULL;
    all = pad == NULL || gst_pad_has_current_caps (pad);
    g_clear_object (&pad);
    g_value_reset (&item);
  }
  g_value_unset (&item);
  gst_iterator_free (elements);
  return all && result == GST_ITERATOR_DONE;
}

/* Returns when each branch has its caps; goes on playing. */
static GstElement *
play (const gchar *line, GstPad **sinkpad)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  g_assert_no_error (error);
  GstElement *x = gst_bin_get_by_name (GST_BIN (pipeline), "x");
  *sinkpad = gst_element_get_static_pad (x, "sink");
  gst_object_unref (x);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus (pipeline);
  for (guint tries = 0; !has_all_caps (pipeline, *sinkpad); tries++) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_MSECOND, GST_MESSAGE_ERROR);
    g_assert_null (message);
    g_assert_cmpuint (tries, <, 20000);
  }
  gst_object_unref (bus);
  return pipeline;
}

static void
stop (GstElement *pipeline, GstPad *sinkpad)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sinkpad);
  gst_object_unref (pipeline);
}

static void
take_caps_of (GstWeirStreams *streams, GstPad *sinkpad)
{
  GstWeirRtpCaps parsed;
  GstCaps *caps = gst_pad_get_current_caps (sinkpad);
  g_assert_true (gst_weir_rtp_caps_parse (caps, &parsed, NULL));
  g_assert_true (gst_weir_streams_set_caps (streams, &parsed));
  gst_caps_unref (caps);
}

static void
check_encoder (GstWeirStream *stream, const gchar *expected)
{
  GstElement *encoder = g_weak_ref_get (&stream->encoder);
  g_assert_cmpstr (encoder != NULL ? GST_OBJECT_NAME (encoder) : NULL, ==, expected);
  g_clear_object (&encoder);
}

static void
check_packet (GstWeirStreams *streams, const Packet *packet)
{
  GstWeirStream *stream = gst_weir_streams_find (streams, packet->ssrc, packet->payload_type, NULL);
  g_test_message ("SSRC %u, payload type %d", packet->ssrc, packet->payload_type);
  g_assert_cmpint (stream->caps.kind, ==, packet->kind);
  g_assert_cmpint (stream->caps.repair, ==, packet->repair);
  g_assert_cmpint (stream->red, ==, packet->red);
  g_assert_cmpuint (stream->caps.clock_rate_hz, ==, packet->clock_rate_hz);
  g_assert_cmpuint (stream->caps.transport_seq_id, ==, packet->transport_seq_id);
  check_encoder (stream, packet->encoder);
}

static void
test_packets_are_recognised (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstPad *sinkpad;
    g_test_message ("%s", cases[i].name);
    GstElement *pipeline = play (cases[i].line, &sinkpad);
    GstWeirStreams *streams = gst_weir_streams_new (sinkpad);
    take_caps_of (streams, sinkpad);
    for (guint k = 0; k < 2 * G_N_ELEMENTS (cases[i].packets); k++) { /* the second time known */
      const Packet *packet = &cases[i].packets[k % G_N_ELEMENTS (cases[i].packets)];
      if (packet->ssrc != 0) {
        check_packet (streams, packet);
      }
    }
    gst_weir_streams_free (streams);
    stop (pipeline, sinkpad);
  }
}

/* Nothing upstream, as with a source that only has a pad: the caps of the sink pad say it all. */
static void
test_the_sink_pads_caps_are_enough (void)
{
  GstPad *pad = gst_pad_new ("sink", GST_PAD_SINK);
  GstWeirStreams *streams = gst_weir_streams_new (pad);
  GstWeirRtpCaps caps = { .kind = A, .clock_rate_hz = 8000, .transport_seq_id = 4 };
  g_assert_cmpint (gst_weir_streams_find (streams, 1, 0, NULL)->caps.kind, ==, ANY_KIND);
  gst_weir_streams_set_caps (streams, &caps);
  GstWeirStream *stream = gst_weir_streams_find (streams, 1, 0, NULL);
  g_assert_cmpint (stream->caps.kind, ==, A);
  g_assert_cmpuint (stream->caps.clock_rate_hz, ==, 8000);
  g_assert_cmpuint (stream->caps.transport_seq_id, ==, 4);
  gst_weir_streams_free (streams);
  gst_object_unref (pad);
}

static guint
walks_for (GstWeirStreams *streams, guint32 ssrc, guint8 payload_type)
{
  gboolean walked = FALSE;
  gst_weir_streams_find (streams, ssrc, payload_type, &walked);
  return walked ? 1 : 0;
}

static void
test_walks_are_few (void)
{
  GstPad *sinkpad;
  GstElement *pipeline = play (VIDEO " ! " VPAY " ! " RTX " ! " X, &sinkpad);
  GstWeirStreams *streams = gst_weir_streams_new (sinkpad);
  g_assert_cmpuint (walks_for (streams, 1, 96), ==, 1);
  g_assert_cmpuint (walks_for (streams, 1, 96), ==, 0);
  g_assert_cmpuint (walks_for (streams, 50, 97), ==, 1); /* an SSRC not seen before */
  g_assert_cmpuint (walks_for (streams, 1, 96), ==, 0);
  g_assert_cmpuint (walks_for (streams, 50, 97), ==, 0);
  g_assert_false (gst_weir_streams_has_several (streams));
  guint walks = 0;
  for (guint32 ssrc = 100; ssrc < 10000; ssrc++) {
    walks += walks_for (streams, ssrc, (guint8) (ssrc % 128));
  }
  g_assert_cmpuint (walks, >, 10);
  g_assert_cmpuint (walks, <=, 64);
  g_assert_cmpuint (walks_for (streams, 1, 96), ==, 0);
  gst_weir_streams_forget (streams);
  g_assert_cmpuint (walks_for (streams, 1, 96), ==, 1);
  gst_weir_streams_free (streams);
  stop (pipeline, sinkpad);
}

/* Any funnel sends its branches' caps in turn: only the first time they are news. */
static void
test_caps_that_switch_are_no_news (void)
{
  GstPad *sinkpad;
  GstElement *pipeline
      = play ("funnel name=f ! " X " " VIDEO " ! " VPAY " ! f. " AUDIO " ! f.", &sinkpad);
  GstWeirStreams *streams = gst_weir_streams_new (sinkpad);
  GstWeirRtpCaps video
      = { .ssrc = 1, .has_ssrc = TRUE, .payload_type = 96, .kind = V, .has_payload_type = TRUE };
  GstWeirRtpCaps audio
      = { .ssrc = 2, .has_ssrc = TRUE, .payload_type = 111, .kind = A, .has_payload_type = TRUE };
  GstWeirRtpCaps another
      = { .ssrc = 3, .has_ssrc = TRUE, .payload_type = 96, .kind = V, .has_payload_type = TRUE };
  g_assert_true (gst_weir_streams_set_caps (streams, &video));
  g_assert_cmpuint (walks_for (streams, 1, 96), ==, 1);
  g_assert_true (gst_weir_streams_has_several (streams));
  for (guint i = 0; i < 10; i++) {
    g_assert_false (gst_weir_streams_set_caps (streams, &audio));
    g_assert_cmpuint (walks_for (streams, 2, 111), ==, 0);
    g_assert_false (gst_weir_streams_set_caps (streams, &video));
    g_assert_cmpuint (walks_for (streams, 1, 96), ==, 0);
  }
  g_assert_true (gst_weir_streams_set_caps (streams, &video)); /* the same again: an encoder may be
                                                                  another */
  g_assert_true (gst_weir_streams_set_caps (streams, &another));
  gst_weir_streams_free (streams);
  stop (pipeline, sinkpad);
}

static void
test_encoders_are_not_kept (void)
{
  GstPad *sinkpad;
  GstElement *pipeline = play (VIDEO " ! " VPAY " ! " X, &sinkpad);
  GstWeirStreams *streams = gst_weir_streams_new (sinkpad);
  check_encoder (gst_weir_streams_find (streams, 1, 96, NULL), "v");
  GstElement *encoder = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (pipeline), encoder);
  g_assert_finalize_object (G_OBJECT (encoder));
  check_encoder (gst_weir_streams_find (streams, 1, 96, NULL), NULL);
  gst_weir_streams_free (streams);
  stop (pipeline, sinkpad);
}

/* A second with 400 packets of each. */
static void
measure_kept (GstWeirStreams *streams, gint64 now_ns, GstWeirKept *kept)
{
  for (guint i = 0; i < 400; i++) {
    gst_weir_streams_find (streams, 1, 96, NULL);
    gst_weir_streams_find (streams, 50, 97, NULL);
  }
  g_assert_false (gst_weir_streams_measure_kept (streams, now_ns - 1, kept));
  g_assert_true (gst_weir_streams_measure_kept (streams, now_ns, kept));
}

static void
test_what_is_kept_for_retransmission (void)
{
  GstPad *sinkpad;
  GstWeirKept kept;
  GstElement *pipeline = play (VIDEO " ! " VPAY " ! " RTX " name=rtx ! " X, &sinkpad);
  GstElement *rtx = gst_bin_get_by_name (GST_BIN (pipeline), "rtx");
  GstWeirStreams *streams = gst_weir_streams_new (sinkpad);
  walks_for (streams, 1, 96);
  walks_for (streams, 50, 97);
  g_assert_false (gst_weir_streams_measure_kept (streams, 0, &kept));
  measure_kept (streams, WEIR_SECONDS (1), &kept);
  g_assert_cmpstr (kept.name, ==, ""); /* nobody has asked */
  for (guint n = 0, tries = 0; n == 0; tries++) {
    GstStructure *request = gst_structure_new ("GstRTPRetransmissionRequest", "seqnum", G_TYPE_UINT,
                                               0, "ssrc", G_TYPE_UINT, 1, NULL);
    gst_pad_push_event (sinkpad, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, request));
    g_object_get (rtx, "num-rtx-requests", &n, NULL);
    g_assert_cmpuint (tries, <, 20000); /* its first packet comes soon */
    g_usleep (1000);
  }
  measure_kept (streams, WEIR_SECONDS (2), &kept);
  g_assert_cmpstr (kept.name, ==, "rtx");
  g_assert_cmpint (kept.time_ns, ==, WEIR_MS (250)); /* 100 packets */
  g_object_set (rtx, "max-size-packets", 0, "max-size-time", 1000, NULL);
  measure_kept (streams, WEIR_SECONDS (3), &kept);
  g_assert_cmpint (kept.time_ns, ==, WEIR_MS (1000));
  g_object_set (rtx, "max-size-time", 0, NULL);
  measure_kept (streams, WEIR_SECONDS (4), &kept);
  g_assert_cmpstr (kept.name, ==, "");
  gst_weir_streams_free (streams);
  gst_object_unref (rtx);
  stop (pipeline, sinkpad);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  GST_DEBUG_CATEGORY_INIT (gst_weir_send_debug, "weirsend", 0, "streams of weirsend");
#define ADD(name) g_test_add_func ("/gst/weirsend/streams/" #name, test_##name)
  ADD (packets_are_recognised);
  ADD (the_sink_pads_caps_are_enough);
  ADD (walks_are_few);
  ADD (caps_that_switch_are_no_news);
  ADD (encoders_are_not_kept);
  ADD (what_is_kept_for_retransmission);
  return g_test_run ();
}
