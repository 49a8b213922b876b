/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recv/recv_harness.h"

static void
test_packets_pass_untouched (void)
{
  Rig *rig = rig_new ("", TWCC_CAPS);
  for (guint i = 0; i < 50; i++) {
    GstBuffer *sent = rtp_packet ((guint16) i, TRUE), *got;
    GST_BUFFER_PTS (sent) = MS (i);
    gst_buffer_ref (sent);
    g_assert_cmpint (gst_harness_push (rig->h, sent), ==, GST_FLOW_OK);
    got = gst_harness_pull (rig->h);
    g_assert_true (got == sent); /* the same object, not a copy */
    g_assert_cmpuint (GST_BUFFER_PTS (got), ==, MS (i));
    gst_buffer_unref (sent);
    gst_buffer_unref (got);
  }
  g_assert_cmpfloat (rig_stat (rig, "packets-received"), ==, 50);
  g_assert_cmpfloat (rig_stat (rig, "bytes-received"), ==, 50 * (SIZE + 28));
  g_assert_cmpfloat (rig_stat (rig, "streams"), ==, 1);
  rig_free (rig);
}

/* A payloader's packet has header and payload in two memories; they stay two. */
static void
test_packets_in_pieces_are_not_merged (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  GstBuffer *whole = rtp_packet (7, FALSE);
  GstBuffer *sent = gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 0, 12);
  GstBuffer *got;
  sent = gst_buffer_append (sent, gst_buffer_copy_region (whole, GST_BUFFER_COPY_ALL, 12, 900));
  g_assert_cmpuint (gst_buffer_n_memory (sent), ==, 2);
  gst_harness_push (rig->h, sent);
  got = gst_harness_pull (rig->h);
  g_assert_true (got == sent);
  g_assert_cmpuint (gst_buffer_n_memory (got), ==, 2);
  g_assert_cmpfloat (rig_stat (rig, "packets-received"), ==, 1);
  gst_buffer_unref (got);
  gst_buffer_unref (whole);
  rig_free (rig);
}

static guint pushed_lists;

static GstPadProbeReturn
on_list (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info,
         G_GNUC_UNUSED gpointer user)
{
  pushed_lists++;
  return GST_PAD_PROBE_OK;
}

static void
test_lists_stay_lists (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  GstPad *src = gst_element_get_static_pad (rig->recv, "src");
  GstBufferList *list = gst_buffer_list_new ();
  GstBuffer *third;
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER_LIST, on_list, NULL, NULL);
  for (guint i = 0; i < 5; i++) {
    gst_buffer_list_add (list, i == 2 ? gst_buffer_new_memdup ("short", 5)
                                      : rtp_packet ((guint16) i, FALSE));
  }
  pushed_lists = 0;
  g_assert_cmpint (gst_pad_push_list (rig->h->srcpad, list), ==, GST_FLOW_OK);
  g_assert_cmpuint (pushed_lists, ==, 1);
  g_assert_cmpuint (gst_harness_buffers_received (rig->h), ==, 4); /* without what is no RTP */
  gst_buffer_unref (gst_harness_pull (rig->h));
  gst_buffer_unref (gst_harness_pull (rig->h));
  third = gst_harness_pull (rig->h);
  g_assert_cmpuint (gst_buffer_get_size (third), ==, SIZE);
  gst_buffer_unref (third);
  list = gst_buffer_list_new ();
  gst_buffer_list_add (list, gst_buffer_new_memdup ("too", 3));
  g_assert_cmpint (gst_pad_push_list (rig->h->srcpad, list), ==, GST_FLOW_OK);
  g_assert_cmpuint (pushed_lists, ==, 1); /* nothing left of it */
  g_assert_cmpfloat (rig_stat (rig, "packets-malformed"), ==, 2);
  gst_object_unref (src);
  rig_free (rig);
}

static void
test_what_is_no_rtp_is_dropped_and_counted (void)
{
  static const guint8 lies[][16] = {
    { 0x8f, 96, 0, 1, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44 }, /* 15 CSRC in 16 bytes */
    { 0x90, 96, 0, 1, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0xbe, 0xde, 0xff, 0xff },
    { 0xa0, 96, 0, 1, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 200 }, /* padding */
    { 0x40, 96, 0, 1, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44 },               /* version 1 */
  };
  Rig *rig = rig_new ("", RTP_CAPS);
  guint bad = 0;
  for (gsize size = 0; size < 12; size++, bad++) {
    GstBuffer *shorter = gst_buffer_new_allocate (NULL, size, NULL);
    gst_buffer_memset (shorter, 0, 0x80, size);
    g_assert_cmpint (gst_harness_push (rig->h, shorter), ==, GST_FLOW_OK);
  }
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++, bad++) {
    g_assert_cmpint (gst_harness_push (rig->h, gst_buffer_new_memdup (lies[i], 16)), ==,
                     GST_FLOW_OK);
  }
  g_assert_cmpuint (gst_harness_buffers_received (rig->h), ==, 0);
  g_assert_cmpfloat (rig_stat (rig, "packets-malformed"), ==, bad);
  gst_harness_push (rig->h, rtp_packet (1, FALSE)); /* media keeps flowing */
  g_assert_cmpuint (gst_harness_buffers_received (rig->h), ==, 1);
  rig_free (rig);
}

/* Streams over the receiver's limit get no feedback, but they are RTP and pass. */
static void
test_more_streams_than_counted_still_pass (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  for (guint i = 0; i < 40; i++) {
    GstBuffer *buffer = rtp_packet (1, FALSE);
    guint8 ssrc[4] = { 9, 9, 9, (guint8) i };
    gst_buffer_fill (buffer, 8, ssrc, 4);
    g_assert_cmpint (gst_harness_push (rig->h, buffer), ==, GST_FLOW_OK);
  }
  g_assert_cmpuint (gst_harness_buffers_received (rig->h), ==, 40);
  g_assert_cmpfloat (rig_stat (rig, "packets-rejected"), >, 0);
  g_assert_cmpfloat (rig_stat (rig, "packets-malformed"), ==, 0);
  rig_free (rig);
}

static void
test_rtcp_on_the_media_port_passes (void)
{
  static const guint8 report[8] = { 0x80, 201, 0, 1, 1, 2, 3, 4 };
  Rig *rig = rig_new ("", RTP_CAPS);
  gst_harness_push (rig->h, gst_buffer_new_memdup (report, sizeof report));
  g_assert_cmpuint (gst_harness_buffers_received (rig->h), ==, 1);
  g_assert_cmpfloat (rig_stat (rig, "packets-malformed"), ==, 0);
  rig_free (rig);
}

static void
test_other_caps_are_refused (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  GstCaps *caps = gst_caps_from_string ("video/x-raw");
  g_assert_false (gst_pad_peer_query_accept_caps (rig->h->srcpad, caps));
  gst_caps_unref (caps);
  caps = gst_caps_from_string (TWCC_CAPS);
  g_assert_true (gst_pad_peer_query_accept_caps (rig->h->srcpad, caps));
  gst_caps_unref (caps);
  rig_free (rig);
}

static gchar *
warning_for (const gchar *properties, const gchar *caps)
{
  Rig *rig = rig_new (properties, caps);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  gchar *debug = NULL;
  gst_element_set_bus (rig->recv, bus);
  for (guint i = 0; i < 3; i++) {
    gst_harness_push (rig->h, rtp_packet ((guint16) i, FALSE));
  }
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  if (message != NULL) {
    gst_message_parse_warning (message, NULL, &debug);
    gst_message_unref (message);
  }
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)); /* once */
  gst_element_set_bus (rig->recv, NULL);
  gst_object_unref (bus);
  rig_free (rig);
  return debug;
}

static void
test_missing_extension_is_explained (void)
{
  gchar *text = warning_for ("feedback-format=twcc", RTP_CAPS);
  g_assert_nonnull (text);
  g_assert_nonnull (strstr (text, "extmap-3=(string)" WEIR_TWCC_URI));
  g_free (text);
  g_assert_null (warning_for ("feedback-format=twcc", TWCC_CAPS));
  g_assert_null (warning_for ("feedback-format=twcc", RTP_CAPS
                              ",extmap-9=(string)<\"recvonly\",\"" WEIR_TWCC_URI "\",\"\">"));
  g_assert_null (warning_for ("", RTP_CAPS));
}

/* Packets sent 20 ms apart that arrive 30 ms apart: 10 ms of jitter at any clock rate of the caps.
 */
static void
test_clock_rate_comes_from_the_caps (void)
{
  static const guint rates[] = { 8000, 48000, 90000 };
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    gchar *caps = g_strdup_printf ("application/x-rtp,media=audio,clock-rate=%u", rates[i]);
    Rig *rig = rig_new ("", caps);
    for (guint k = 0; k < 150; k++) {
      GstBuffer *buffer = rtp_packet ((guint16) k, FALSE);
      guint8 stamp[4];
      GST_WRITE_UINT32_BE (stamp, k * rates[i] / 50); /* sent 20 ms apart */
      gst_buffer_fill (buffer, 4, stamp, 4);
      gst_harness_push (rig->h, buffer);
      rig_run (rig, MS (1000) + MS (30) * (k + 1)); /* arrives 30 ms apart */
    }
    g_assert_cmpfloat_with_epsilon (rig_stat (rig, "jitter"), 10e6, 1e5);
    rig_free (rig);
    g_free (caps);
  }
}

static void
test_starts_and_stops_many_times (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);
  for (guint i = 0; i < 100; i++) {
    GstState through = i % 3 == 0 ? GST_STATE_PAUSED : GST_STATE_READY;
    gst_harness_push (rig->h, rtp_packet ((guint16) i, FALSE));
    g_assert_cmpint (gst_element_set_state (rig->recv, through), ==, GST_STATE_CHANGE_SUCCESS);
    if (i % 5 == 0) {
      gst_element_set_state (rig->recv, GST_STATE_NULL);
    }
    g_assert_cmpint (gst_element_set_state (rig->recv, GST_STATE_PLAYING), ==,
                     GST_STATE_CHANGE_SUCCESS);
  }
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/weirrecv/packets_pass_untouched", test_packets_pass_untouched);
  g_test_add_func ("/gst/weirrecv/packets_in_pieces_are_not_merged",
                   test_packets_in_pieces_are_not_merged);
  g_test_add_func ("/gst/weirrecv/lists_stay_lists", test_lists_stay_lists);
  g_test_add_func ("/gst/weirrecv/what_is_no_rtp_is_dropped_and_counted",
                   test_what_is_no_rtp_is_dropped_and_counted);
  g_test_add_func ("/gst/weirrecv/more_streams_than_counted_still_pass",
                   test_more_streams_than_counted_still_pass);
  g_test_add_func ("/gst/weirrecv/rtcp_on_the_media_port_passes",
                   test_rtcp_on_the_media_port_passes);
  g_test_add_func ("/gst/weirrecv/other_caps_are_refused", test_other_caps_are_refused);
  g_test_add_func ("/gst/weirrecv/missing_extension_is_explained",
                   test_missing_extension_is_explained);
  g_test_add_func ("/gst/weirrecv/clock_rate_comes_from_the_caps",
                   test_clock_rate_comes_from_the_caps);
  g_test_add_func ("/gst/weirrecv/starts_and_stops_many_times", test_starts_and_stops_many_times);
  return g_test_run ();
}
