/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback reaches the session: results an RTP session decoded, and RTCP bytes; both move the
 * target, and neither is kept from others. */
#include "send/send_harness.h"
#include "weir/weir.h"

#define RTT_NS (40 * GST_MSECOND)

static guint
target_of (Rig *rig)
{
  guint bps = 0;
  g_object_get (rig->send, "target-bitrate", &bps, NULL);
  return bps;
}

/* --- Results --- */

G_GNUC_BEGIN_IGNORE_DEPRECATIONS

static void
add_result (GValueArray *packets, guint seq, GstClockTime sent, GstClockTime arrived, gboolean lost)
{
  GValue value = G_VALUE_INIT;
  GstStructure *packet = gst_structure_new (
      "RTPTWCCPacket", "seqnum", G_TYPE_UINT, seq, "local-ts", G_TYPE_UINT64, sent, "remote-ts",
      G_TYPE_UINT64, lost ? GST_CLOCK_TIME_NONE : arrived, "payload-type", G_TYPE_UCHAR, 96, "size",
      G_TYPE_UINT, 972, "lost", G_TYPE_BOOLEAN, lost, NULL);
  g_value_init (&value, GST_TYPE_STRUCTURE);
  gst_value_set_structure (&value, packet);
  g_value_array_append (packets, &value);
  g_value_unset (&value);
  gst_structure_free (packet);
}

static GstEvent *
results_event (GValueArray *packets)
{
  GValue value = G_VALUE_INIT;
  GstStructure *structure = gst_structure_new_empty ("RTPTWCCPackets");
  g_value_init (&value, g_value_array_get_type ());
  g_value_take_boxed (&value, packets);
  gst_structure_take_value (structure, "packets", &value);
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, structure);
}

/* Of what left RTT_NS ago or earlier and was not reported yet (from the entry *next of what was
 * seen on); every lose_nth is lost (0: none). Arrivals are of a clock that is 5 s ahead. */
static GValueArray *
results_of (Rig *rig, guint *next, guint lose_nth)
{
  GValueArray *packets = g_value_array_new (10);
  g_mutex_lock (&rig->seen.lock);
  for (; *next < rig->seen.n && rig->seen.at[*next] + RTT_NS <= rig_now (rig); ++*next) {
    guint seq = rig->seen.id[*next];
    GstClockTime left = rig->seen.at[*next];
    if (seq < EVENT_ID) {
      gboolean lost = lose_nth > 0 && seq % lose_nth == 0;
      add_result (packets, rig->seen.number[*next], left, 5 * GST_SECOND + left + RTT_NS / 2, lost);
    }
  }
  g_mutex_unlock (&rig->seen.lock);
  return packets;
}

/* A packet of 1000 bytes every 10 ms from number `from`, and a report after every ten. */
static void
send_and_report (Rig *rig, guint from, guint n, guint lose_nth)
{
  GstClockTime start = rig_now (rig);
  guint next = rig->seen.n;
  for (guint i = 0; i < n; i++) {
    guint seq = from + i;
    gst_harness_push (rig->h, rtp_full (seq, seq * 900, TRUE, 1000, SSRC, (gint) seq));
    rig_run_until (rig, start + (i + 1) * 10 * GST_MSECOND);
    if (i % 10 == 9) {
      g_assert_true (gst_harness_push_upstream_event (
          rig->h, results_event (results_of (rig, &next, lose_nth))));
    }
  }
}

static void
test_results_raise_the_target (void)
{
  Rig *rig = rig_new ("encoders=none start-bitrate=500000", TWCC_CAPS);
  guint before = target_of (rig);
  send_and_report (rig, 0, 300, 0);
  g_assert_cmpuint (target_of (rig), >, before * 3 / 2);
  g_assert_cmpuint (rig_stat (rig, "packets-received"), >=, 290);
  g_assert_cmpuint (rig_stat (rig, "feedback-results"), ==, 30);
  rig_free (rig);
}

/* Also when the session is over, so that an application can store it then. */
static void
test_what_was_proved_can_be_read_at_the_end (void)
{
  Rig *rig = rig_new ("encoders=none start-bitrate=1000000", TWCC_CAPS);
  guint bps = 1, bps_at_end = 0;
  g_object_get (rig->send, "proved-bitrate", &bps, NULL);
  g_assert_cmpuint (bps, ==, 0);
  send_and_report (rig, 0, 300, 0);
  g_object_get (rig->send, "proved-bitrate", &bps, NULL);
  g_assert_cmpuint (bps, >, 750000);
  g_assert_cmpuint (bps, <, 850000);
  g_assert_cmpuint (rig_stat (rig, "proved-bitrate"), ==, bps);
  gst_element_set_state (rig->send, GST_STATE_NULL);
  g_object_get (rig->send, "proved-bitrate", &bps_at_end, NULL);
  g_assert_cmpuint (bps_at_end, ==, bps);
  rig_free (rig);
}

/* Of an algorithm that heeds losses without a queue. */
static void
test_results_with_losses_lower_the_target (void)
{
  Rig *rig = rig_new ("encoders=none algorithm=tfrc start-bitrate=2000000", TWCC_CAPS);
  send_and_report (rig, 0, 100, 0);
  guint before = target_of (rig);
  send_and_report (rig, 100, 300, 5);
  g_assert_cmpuint (target_of (rig), <, before / 2);
  g_assert_cmpuint (rig_stat (rig, "packets-lost"), >=, 15); /* what is over the rate is not sent */
  rig_free (rig);
}

static void
test_results_go_on_upstream (void)
{
  Rig *rig = rig_new ("encoders=none", TWCC_CAPS);
  guint n = 0;
  GstEvent *event;
  send_and_report (rig, 0, 20, 0);
  while ((event = gst_harness_try_pull_upstream_event (rig->h)) != NULL) {
    const GstStructure *structure = gst_event_get_structure (event);
    n += structure != NULL && gst_structure_has_name (structure, "RTPTWCCPackets");
    gst_event_unref (event);
  }
  g_assert_cmpuint (n, ==, 2);
  rig_free (rig);
}

/* A stack behind which we sit may send its results downstream. */
static void
test_results_are_read_on_their_way_down (void)
{
  Rig *rig = rig_new ("encoders=none", TWCC_CAPS);
  GValueArray *packets = g_value_array_new (1);
  gst_harness_push (rig->h, rtp_full (7, 0, TRUE, 1000, SSRC, 7));
  rig_run_until (rig, 50 * GST_MSECOND);
  add_result (packets, rig_number (rig, 0), 0, 10 * GST_MSECOND, FALSE);
  GstEvent *up = results_event (packets);
  GstStructure *structure = gst_structure_copy (gst_event_get_structure (up));
  gst_event_unref (up);
  gst_harness_push_event (rig->h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, structure));
  g_assert_cmpuint (rig_stat (rig, "packets-received"), ==, 1);
  rig_free (rig);
}

/* More than fits one call of the session. */
static void
test_large_results_are_all_read (void)
{
  Rig *rig
      = rig_new ("encoders=none pacing=off algorithm=fixed max-queue-time=100000000000", TWCC_CAPS);
  GValueArray *packets = g_value_array_new (1000);
  for (guint i = 0; i < 1000; i++) {
    gst_harness_push (rig->h, rtp_full (i, i, TRUE, 1000, SSRC, (gint) i));
  }
  rig_run_until (rig, 50 * GST_MSECOND);
  for (guint i = 0; i < 1000; i++) {
    add_result (packets, rig_number (rig, i), 0, (GstClockTime) i * GST_MSECOND, FALSE);
  }
  gst_harness_push_upstream_event (rig->h, results_event (packets));
  g_assert_cmpuint (rig_stat (rig, "packets-received"), ==, 1000);
  rig_free (rig);
}

static void
push_structure (Rig *rig, GstStructure *structure)
{
  gst_harness_push_upstream_event (rig->h,
                                   gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, structure));
}

static void
test_odd_results_do_no_harm (void)
{
  Rig *rig = rig_new ("encoders=none", TWCC_CAPS);
  GValueArray *packets = g_value_array_new (4);
  GValue value = G_VALUE_INIT;
  g_value_init (&value, G_TYPE_INT);
  g_value_array_append (packets, &value);
  g_value_unset (&value);
  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_array_append (packets, &value); /* NULL */
  GstStructure *empty = gst_structure_new_empty ("RTPTWCCPacket");
  gst_value_set_structure (&value, empty);
  g_value_array_append (packets, &value);
  gst_structure_free (empty);
  g_value_unset (&value);
  add_result (packets, 4000000000u, G_MAXUINT64 - 1, G_MAXUINT64 - 1, FALSE);
  push_structure (rig, gst_structure_new_empty ("RTPTWCCPackets"));
  push_structure (rig, gst_structure_new ("RTPTWCCPackets", "packets", G_TYPE_INT, 3, NULL));
  push_structure (
      rig, gst_structure_new ("RTPTWCCPackets", "packets", g_value_array_get_type (), NULL, NULL));
  push_structure (rig, gst_structure_new_empty ("SomethingElse"));
  gst_harness_push_upstream_event (rig->h, results_event (packets));
  g_assert_cmpuint (rig_stat (rig, "packets-received"), ==, 0);
  rig_free (rig);
}

G_GNUC_END_IGNORE_DEPRECATIONS

/* --- RTCP bytes --- */

typedef struct
{
  Rig *rig;
  GstHarness *rtcp;
  struct weir_receiver *receiver;
  guint n_seen;
} Far;

static void
far_begin (Far *far, Rig *rig, uint32_t format)
{
  struct weir_receiver_config config;
  weir_receiver_config_init (&config);
  config.format = format;
  config.local_ssrc = 77;
  config.seed = 5;
  config.transport_seq_id = format == WEIR_FEEDBACK_TWCC ? 3 : 0;
  *far = (Far){ .rig = rig, .receiver = weir_receiver_create (&config, 0, NULL) };
  g_assert_nonnull (far->receiver);
  far->rtcp = gst_harness_new_with_element (rig->send, "rtcp_sink", NULL);
  gst_harness_set_src_caps_str (far->rtcp, "application/x-rtcp");
}

static void
far_end (Far *far)
{
  gst_harness_teardown (far->rtcp);
  weir_receiver_destroy (far->receiver);
}

/* Everything that left arrives RTT_NS/2 later in the receiver's time, but for every lose_nth. */
static void
far_receive (Far *far, guint lose_nth)
{
  GstBuffer *buffer;
  while ((buffer = gst_harness_try_pull (far->rig->h)) != NULL) {
    GstMapInfo map;
    guint n = far->n_seen++;
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    if (lose_nth == 0 || n % lose_nth != 0) {
      weir_receiver_on_rtp (far->receiver, (int64_t) (rig_now (far->rig) + RTT_NS / 2), map.data,
                            map.size, 0);
    }
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
}

static void
far_report (Far *far)
{
  guint8 bytes[1500];
  int64_t now_ns = (int64_t) (rig_now (far->rig) + RTT_NS / 2);
  for (guint i = 0; i < 10 && weir_receiver_next_feedback_ns (far->receiver) <= now_ns; i++) {
    size_t length = 0;
    g_assert_cmpint (
        weir_receiver_build_feedback (far->receiver, now_ns, 1, bytes, sizeof bytes, &length), ==,
        WEIR_OK);
    if (length > 0) {
      gst_harness_push (far->rtcp, gst_buffer_new_memdup (bytes, length));
    }
  }
}

/* A packet every 10 ms; the receiver reports as it likes. */
static void
far_run (Far *far, guint from, guint n, guint lose_nth)
{
  Rig *rig = far->rig;
  GstClockTime start = rig_now (rig);
  for (guint i = 0; i < n; i++) {
    guint seq = from + i;
    gst_harness_push (rig->h, rtp_full (seq, seq * 900, TRUE, 1000, SSRC, (gint) seq));
    rig_run_until (rig, start + (i + 1) * 10 * GST_MSECOND);
    far_receive (far, lose_nth);
    far_report (far);
  }
}

typedef struct
{
  uint32_t format;
  const gchar *counter;
} Format;

static void
test_each_format_is_read_from_rtcp (void)
{
  static const Format formats[] = { { WEIR_FEEDBACK_CCFB, "feedback-ccfb" },
                                    { WEIR_FEEDBACK_TWCC, "feedback-twcc" },
                                    { WEIR_FEEDBACK_RR, "feedback-rr" },
                                    { WEIR_FEEDBACK_REMB, "feedback-remb" } };
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++) {
    Rig *rig = rig_new ("encoders=none start-bitrate=1000000", TWCC_CAPS);
    Far far;
    far_begin (&far, rig, formats[i].format);
    far_run (&far, 0, 300, 0);
    g_test_message ("%s: %" G_GUINT64_FORMAT ", target %u", formats[i].counter,
                    rig_stat (rig, formats[i].counter), target_of (rig));
    g_assert_cmpuint (rig_stat (rig, formats[i].counter), >=, 2);
    g_assert_cmpuint (rig_stat (rig, "rtcp-malformed"), ==, 0);
    g_assert_cmpuint (rig_stat (rig, "rtcp-rejected"), ==, 0);
    far_end (&far);
    rig_free (rig);
  }
}

/* Nothing is linked to rtcp_src: no sender report, so no round-trip time. */
static void
test_reports_that_answer_nothing_are_warned_of (void)
{
  GstMessage *message;
  guint n = 0;
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  Far far;
  far_begin (&far, rig, WEIR_FEEDBACK_RR);
  far_run (&far, 0, 800, 0);
  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_WARNING)) != NULL) {
    const GstStructure *details = NULL;
    gst_message_parse_warning_details (message, &details);
    n += details != NULL
         && g_strcmp0 (gst_structure_get_string (details, "weir-warning"), "no-rtt") == 0;
    gst_message_unref (message);
  }
  g_assert_cmpuint (n, ==, 1);
  far_end (&far);
  rig_free (rig);
}

static void
test_ccfb_raises_and_lowers_the_target (void)
{
  Rig *rig = rig_new ("encoders=none algorithm=tfrc start-bitrate=500000", VIDEO_CAPS);
  Far far;
  far_begin (&far, rig, WEIR_FEEDBACK_CCFB);
  far_run (&far, 0, 300, 0);
  guint high = target_of (rig);
  g_assert_cmpuint (high, >, 600000);
  far_run (&far, 300, 300, 5);
  g_assert_cmpuint (target_of (rig), <, high / 3 * 2);
  far_end (&far);
  rig_free (rig);
}

/* The property feedback chooses what may steer. */
static void
test_excluded_formats_do_not_steer (void)
{
  Rig *rig
      = rig_new ("encoders=none algorithm=tfrc start-bitrate=500000 feedback=twcc", VIDEO_CAPS);
  Far far;
  far_begin (&far, rig, WEIR_FEEDBACK_CCFB);
  far_run (&far, 0, 100, 0);
  g_assert_cmpuint (rig_stat (rig, "packets-received"), ==, 0);
  g_object_set (rig->send, "feedback", WEIR_FEEDBACK_CCFB | WEIR_FEEDBACK_RR, NULL);
  far_run (&far, 100, 100, 0);
  g_assert_cmpuint (rig_stat (rig, "packets-received"), >, 80);
  far_end (&far);
  rig_free (rig);
}

static void
test_malformed_rtcp_is_counted_and_changes_nothing (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  GstHarness *rtcp = gst_harness_new_with_element (rig->send, "rtcp_sink", NULL);
  GRand *random = g_rand_new_with_seed (42);
  gst_harness_set_src_caps_str (rtcp, "application/x-rtcp");
  gst_harness_push (rig->h, rtp (0, 100));
  gst_buffer_unref (gst_harness_pull (rig->h)); /* its size counts from here on */
  gst_harness_push (rtcp, gst_buffer_new_allocate (NULL, 0, NULL));
  guint before = target_of (rig);
  for (guint i = 1; i < 500; i++) {
    gsize size = (gsize) g_rand_int_range (random, 0, 64);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
    for (gsize k = 0; k < size; k++) {
      gst_buffer_memset (buffer, k, (guint8) g_rand_int (random), 1);
    }
    g_assert_cmpint (gst_harness_push (rtcp, buffer), ==, GST_FLOW_OK);
  }
  g_assert_cmpuint (target_of (rig), ==, before);
  g_assert_cmpuint (rig_stat (rig, "rtcp-datagrams"), ==, 500);
  g_assert_cmpuint (rig_stat (rig, "rtcp-malformed"), >, 300);
  g_rand_free (random);
  gst_harness_teardown (rtcp);
  rig_free (rig);
}

/* A receiver report on SSRC that says which packet was the highest. */
static void
push_rr (GstHarness *rtcp, guint32 highest_seq)
{
  guint8 rr[32] = { 0x81, 201, 0, 7, 0, 0, 0, 9 };
  GST_WRITE_UINT32_BE (rr + 8, SSRC);
  GST_WRITE_UINT32_BE (rr + 16, highest_seq);
  gst_harness_push (rtcp, gst_buffer_new_memdup (rr, sizeof rr));
}

/* Those of push_rr have the SSRC 9. */
static void
test_only_the_named_reporter_is_read (void)
{
  Rig *rig = rig_new ("encoders=none reporter-ssrc=8", VIDEO_CAPS);
  GstHarness *rtcp = gst_harness_new_with_element (rig->send, "rtcp_sink", NULL);
  gst_harness_set_src_caps_str (rtcp, "application/x-rtcp");
  gst_harness_push (rig->h, rtp (0, 100));
  gst_buffer_unref (gst_harness_pull (rig->h));
  push_rr (rtcp, 0);
  g_assert_cmpuint (rig_stat (rig, "feedback-rr"), ==, 0);
  g_assert_cmpuint (rig_stat (rig, "rtcp-rejected"), ==, 1);
  g_object_set (rig->send, "reporter-ssrc", 9, NULL);
  push_rr (rtcp, 0);
  g_assert_cmpuint (rig_stat (rig, "feedback-rr"), ==, 1);
  gst_harness_teardown (rtcp);
  rig_free (rig);
}

static gboolean
is_ceased (Rig *rig)
{
  GstStructure *stats = NULL;
  gboolean ceased = FALSE;
  g_object_get (rig->send, "stats", &stats, NULL);
  gst_structure_get_boolean (stats, "ceased", &ceased);
  gst_structure_free (stats);
  return ceased;
}

/* RFC 8083: reports come, but nothing arrives. Media stops, is not waited for, and goes on with the
 * feedback. */
static void
test_a_breaker_stops_media_until_feedback_returns (void)
{
  Rig *rig = rig_new ("encoders=none algorithm=fixed start-bitrate=200000", VIDEO_CAPS);
  GstHarness *rtcp = gst_harness_new_with_element (rig->send, "rtcp_sink", NULL);
  guint seq = 0;
  gst_harness_set_src_caps_str (rtcp, "application/x-rtcp");
  for (; seq < 2000 && !is_ceased (rig); seq++) {
    g_assert_cmpint (gst_harness_push (rig->h, rtp (seq, 1000)), ==, GST_FLOW_OK);
    rig_run_until (rig, (seq + 1) * 50 * GST_MSECOND);
    if (seq % 20 == 19) {
      push_rr (rtcp, 5);
    }
  }
  g_assert_true (is_ceased (rig));
  g_assert_cmpuint (target_of (rig), ==, 0);
  guint sent = rig_n_buffers (rig);
  for (guint i = 0; i < 40; i++, seq++) { /* nothing leaves, nothing blocks */
    g_assert_cmpint (gst_harness_push (rig->h, rtp (seq, 1000)), ==, GST_FLOW_OK);
    rig_run_until (rig, (seq + 1) * 50 * GST_MSECOND);
  }
  g_assert_cmpuint (rig_n_buffers (rig), ==, sent);
  gboolean said = FALSE;
  gchar *text;
  while ((text = bus_pop_text (rig->bus, GST_MESSAGE_WARNING)) != NULL) {
    said |= strstr (text, "circuit breaker") != NULL;
    g_free (text);
  }
  g_assert_true (said);
  for (guint i = 0; i < 4000 && rig_n_buffers (rig) == sent; i++, seq++) { /* they arrive again */
    gst_harness_push (rig->h, rtp (seq, 1000));
    rig_run_until (rig, (seq + 1) * 50 * GST_MSECOND);
    if (seq % 20 == 19) {
      push_rr (rtcp, sent - 1);
    }
  }
  g_assert_cmpuint (rig_n_buffers (rig), >, sent);
  g_assert_cmpuint (target_of (rig), >, 0);
  gst_harness_teardown (rtcp);
  rig_free (rig);
}

/* The end of the stream comes although nothing may be sent. */
static void
test_a_breaker_does_not_hold_up_the_end (void)
{
  Rig *rig = rig_new ("encoders=none algorithm=fixed start-bitrate=200000", VIDEO_CAPS);
  GstHarness *rtcp = gst_harness_new_with_element (rig->send, "rtcp_sink", NULL);
  guint seq = 0;
  gst_harness_set_src_caps_str (rtcp, "application/x-rtcp");
  for (; seq < 2000 && !is_ceased (rig); seq++) {
    gst_harness_push (rig->h, rtp (seq, 1000));
    rig_run_until (rig, (seq + 1) * 50 * GST_MSECOND);
    if (seq % 20 == 19) {
      push_rr (rtcp, 5);
    }
  }
  gst_harness_push (rig->h, rtp (seq, 1000));
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  rig_run_until (rig, rig_now (rig) + 2 * GST_SECOND);
  g_assert_cmpuint (rig->seen.id[rig->seen.n - 1], ==, EVENT_ID + GST_EVENT_EOS);
  gst_harness_teardown (rtcp);
  rig_free (rig);
}

static void
test_key_unit_requests_pass (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  push_structure (rig, gst_structure_new ("GstForceKeyUnit", "all-headers", G_TYPE_BOOLEAN, TRUE,
                                          "count", G_TYPE_UINT, 1, NULL));
  gboolean passed = FALSE;
  GstEvent *event;
  while ((event = gst_harness_try_pull_upstream_event (rig->h)) != NULL) {
    const GstStructure *structure = gst_event_get_structure (event);
    passed |= structure != NULL && gst_structure_has_name (structure, "GstForceKeyUnit");
    gst_event_unref (event);
  }
  g_assert_true (passed);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_feedback/" #name, test_##name)
  ADD (results_raise_the_target);
  ADD (what_was_proved_can_be_read_at_the_end);
  ADD (results_with_losses_lower_the_target);
  ADD (results_go_on_upstream);
  ADD (results_are_read_on_their_way_down);
  ADD (large_results_are_all_read);
  ADD (odd_results_do_no_harm);
  ADD (each_format_is_read_from_rtcp);
  ADD (reports_that_answer_nothing_are_warned_of);
  ADD (ccfb_raises_and_lowers_the_target);
  ADD (excluded_formats_do_not_steer);
  ADD (malformed_rtcp_is_counted_and_changes_nothing);
  ADD (only_the_named_reporter_is_read);
  ADD (a_breaker_stops_media_until_feedback_returns);
  ADD (a_breaker_does_not_hold_up_the_end);
  ADD (key_unit_requests_pass);
  return g_test_run ();
}
