/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP pads: what passes, what is sent, pads that come and go while playing, and SRTCP: only
 * the peer that has the key is heard, and what nobody else may read leaves encrypted. */
#include "send/send_harness.h"

#include "srtp/peer.h"
#include "weir/weir.h"

static const guint8 bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 9 };

static GstHarness *
rtcp_sink (Rig *rig)
{
  GstHarness *h = gst_harness_new_with_element (rig->send, "rtcp_sink", NULL);
  gst_harness_set_src_caps_str (h, "application/x-rtcp");
  return h;
}

static guint
rtcp_type (GstBuffer *buffer)
{
  guint8 bytes[2] = { 0 };
  gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
  return bytes[1];
}

static guint32
word (GstBuffer *buffer, gsize index)
{
  guint8 bytes[4] = { 0 };
  gst_buffer_extract (buffer, index * 4, bytes, sizeof bytes);
  return GST_READ_UINT32_BE (bytes);
}

static void
test_rtcp_passes_from_pad_to_pad (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  GstHarness *in = rtcp_sink (rig);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  for (guint i = 0; i < 10; i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (bye, sizeof bye);
    g_assert_cmpint (gst_harness_push (in, gst_buffer_ref (buffer)), ==, GST_FLOW_OK);
    GstBuffer *passed = gst_harness_pull (out);
    g_assert_true (passed == buffer);
    gst_buffer_unref (passed);
    gst_buffer_unref (buffer);
  }
  g_assert_cmpuint (rig_stat (rig, "rtcp-datagrams"), ==, 10);
  const GstEventType order[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    GstEvent *event = gst_harness_pull_event (out);
    g_assert_cmpint (GST_EVENT_TYPE (event), ==, order[i]);
    gst_event_unref (event);
  }
  gst_harness_teardown (out);
  gst_harness_teardown (in);
  rig_free (rig);
}

/* Without an RTP session we are the one that sends sender reports: the first with the first packet,
 * then about every second. */
static void
test_sender_reports_leave_without_a_session (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  gst_harness_push (rig->h, rtp (0, 500));
  GstBuffer *report = gst_harness_pull (out);
  g_assert_cmpuint (rtcp_type (report), ==, 200);
  g_assert_cmpuint (word (report, 1), ==, SSRC);
  g_assert_cmpuint (word (report, 5), ==, 1);   /* packets */
  g_assert_cmpuint (word (report, 6), ==, 488); /* payload bytes */
  gint64 unix_s = g_get_real_time () / 1000000;
  gint64 ntp_s = (gint64) word (report, 2) - 2208988800;
  g_assert_cmpint (ABS (ntp_s - unix_s), <=, 2);
  gst_buffer_unref (report);
  guint n = 0;
  for (guint i = 1; i <= 1000; i++) {
    gst_harness_push (rig->h, rtp (i, 500));
    rig_settle (rig);
    rig_run_until (rig, i * 10 * GST_MSECOND);
  }
  /* Another thread hands them out, in its own time: wait for five, take what else there is. */
  while ((report = n < 5 ? gst_harness_pull (out) : gst_harness_try_pull (out)) != NULL) {
    g_assert_cmpuint (rtcp_type (report), ==, 200);
    gst_buffer_unref (report);
    n++;
  }
  g_assert_cmpuint (n, >=, 5);
  g_assert_cmpuint (n, <=, 20);
  gst_harness_teardown (out);
  rig_free (rig);
}

static GstPadProbeReturn
block (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, G_GNUC_UNUSED gpointer user)
{
  return GST_PAD_PROBE_OK;
}

static void
read_statistics (gpointer user)
{
  Rig *rig = user;
  rig_stat (rig, "rtcp-datagrams");
}

static GstBuffer *
bye_that_reads_statistics_when_freed (Rig *rig)
{
  static guint8 lent[] = { 0x81, 203, 0, 1, 0, 0, 0, 9 };
  return gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, lent, sizeof lent, 0, sizeof lent,
                                      rig, read_statistics);
}

/* Which runs the code of whoever made it, and that may ask the element something. */
static void
test_what_a_report_displaces_is_freed_without_a_lock (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *in = rtcp_sink (rig);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  GstPad *pad = gst_element_get_static_pad (rig->send, "rtcp_src");
  gulong id = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, block, NULL, NULL);
  for (guint i = 0; i < 300; i++) {
    gst_harness_push (in, bye_that_reads_statistics_when_freed (rig));
  }
  for (guint i = 0; i < 200; i++) { /* of 10 ms: two reports or so */
    gst_harness_push (rig->h, rtp (i, 500));
    rig_settle (rig);
    rig_run_until (rig, i * 10 * GST_MSECOND);
  }
  gst_pad_remove_probe (pad, id);
  gst_object_unref (pad);
  guint n_reports = 0;
  for (guint i = 0; i < 256; i++) {
    GstBuffer *buffer = gst_harness_pull (out);
    n_reports += rtcp_type (buffer) == 200 ? 1 : 0;
    gst_buffer_unref (buffer);
  }
  g_assert_cmpuint (n_reports, >=, 1);
  gst_harness_teardown (out);
  gst_harness_teardown (in);
  rig_free (rig);
}

/* The clock rate of the caps makes the RTP time of later reports right. A report tells how many
 * packets had left: it was written within 10 ms before the next or after the last. */
static void
test_reports_know_the_clock_rate (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none",
                      "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU,payload=0");
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  gst_harness_push (rig->h, rtp_full (0, 1000, FALSE, 172, SSRC, -1));
  for (guint i = 1; i <= 500; i++) { /* 20 ms each, between the times of reports */
    rig_settle (rig);
    rig_run_until (rig, (i * 20 - 10) * GST_MSECOND);
    gst_harness_push (rig->h, rtp_full (i, 1000 + i * 160 - 80, FALSE, 172, SSRC, -1));
    rig_settle (rig);
    rig_run_until (rig, i * 20 * GST_MSECOND);
  }
  for (guint n = 0; n < 5; n++) {
    GstBuffer *report = gst_harness_pull (out);
    g_assert_nonnull (report);
    gint64 middle = 1000 + ((gint64) word (report, 5) - 1) * 160;
    g_assert_cmpint (ABS ((gint64) word (report, 4) - middle), <=, 160);
    gst_buffer_unref (report);
  }
  gst_harness_teardown (out);
  rig_free (rig);
}

/* And begins anew with a new stream. */
static void
test_rtcp_ends_with_the_media (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  gst_harness_push (rig->h, rtp (0, 500));
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  GstEvent *event;
  do {
    event = gst_harness_pull_event (out);
    g_assert_nonnull (event);
    gst_event_unref (event);
  } while (GST_EVENT_TYPE (event) != GST_EVENT_EOS);
  gst_buffer_unref (gst_harness_pull (out));
  gst_harness_push_event (rig->h, gst_event_new_stream_start ("another"));
  gst_harness_set_src_caps_str (rig->h, VIDEO_CAPS);
  for (guint i = 1; i <= 200; i++) {
    gst_harness_push (rig->h, rtp (i, 500));
    rig_settle (rig);
    rig_run_until (rig, i * 10 * GST_MSECOND);
  }
  GstBuffer *report = gst_harness_pull (out);
  g_assert_nonnull (report);
  gst_buffer_unref (report);
  gst_harness_teardown (out);
  rig_free (rig);
}

/* The end of incoming RTCP is not the end of ours. */
static void
test_events_on_rtcp_sink_end_there (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *in = rtcp_sink (rig);
  g_assert_true (gst_harness_push_event (in, gst_event_new_eos ()));
  gst_harness_push (rig->h, rtp (0, 500));
  rig_settle (rig);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 1);
  gst_harness_teardown (in);
  rig_free (rig);
}

static void
test_a_released_pad_can_be_had_again (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  static const gchar *const names[] = { "rtcp_sink", "rtcp_src" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstPad *pad = gst_element_request_pad_simple (rig->send, names[i]);
    g_assert_nonnull (pad);
    gst_element_release_request_pad (rig->send, pad);
    gst_object_unref (pad);
    pad = gst_element_request_pad_simple (rig->send, names[i]);
    g_assert_nonnull (pad);
    gst_element_release_request_pad (rig->send, pad);
    gst_object_unref (pad);
  }
  rig_free (rig);
}

static void
test_pads_come_and_go_while_playing (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  for (guint i = 0; i < 50; i++) {
    GstHarness *in = rtcp_sink (rig);
    GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
    gst_harness_push (rig->h, rtp (i, 500));
    gst_harness_push (in, gst_buffer_new_memdup (bye, sizeof bye));
    gst_buffer_unref (gst_harness_pull (out));
    gst_harness_teardown (out);
    gst_harness_push (in, gst_buffer_new_memdup (bye, sizeof bye));
    gst_harness_teardown (in);
  }
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 50);
  rig_free (rig);
}

/* RTCP pads have no part in what the media pads negotiate. */
static void
test_media_does_not_touch_the_rtcp_pads (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *in = rtcp_sink (rig);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  gst_harness_set_sink_caps_str (out, "application/x-rtcp");
  GstPad *sink = gst_element_get_static_pad (rig->send, "sink");
  GstCaps *caps = gst_pad_query_caps (sink, NULL);
  g_assert_false (gst_caps_is_empty (caps));
  g_assert_cmpuint (gst_harness_query_latency (rig->h), ==, 250 * GST_MSECOND);
  gst_harness_push_upstream_event (
      rig->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("x")));
  GstEvent *event;
  while ((event = gst_harness_try_pull_upstream_event (in)) != NULL) {
    g_assert_cmpint (GST_EVENT_TYPE (event), !=, GST_EVENT_CUSTOM_UPSTREAM);
    gst_event_unref (event);
  }
  gst_caps_unref (caps);
  gst_object_unref (sink);
  gst_harness_teardown (out);
  gst_harness_teardown (in);
  rig_free (rig);
}

/* Pads may be asked for before the element runs, and stay over its states. */
static void
test_pads_work_from_the_start_and_again (void)
{
  Rig *rig = rig_new_idle (FIXED_2M "encoders=none");
  GstPad *in = gst_element_request_pad_simple (rig->send, "rtcp_sink");
  GstPad *out = gst_element_request_pad_simple (rig->send, "rtcp_src");
  for (guint i = 0; i < 10; i++) {
    gst_element_set_state (rig->send, GST_STATE_PLAYING);
    g_assert_true (gst_pad_is_active (in));
    g_assert_true (gst_pad_is_active (out));
    gst_element_set_state (rig->send, GST_STATE_NULL);
    g_assert_false (gst_pad_is_active (out));
  }
  gst_element_release_request_pad (rig->send, in);
  gst_element_release_request_pad (rig->send, out);
  gst_object_unref (in);
  gst_object_unref (out);
  rig_free (rig);
}

/* --- SRTCP --- */

#ifdef WEIR_HAVE_SRTP

/* A receiver that has the key, and what it has to say about packets 0 to n - 1. */
typedef struct
{
  Rig *rig;
  GstHarness *in;
  Peer peer;
  struct weir_receiver *receiver;
} Far;

static void
far_begin (Far *far, GstWeirSrtpCipher cipher)
{
  struct weir_receiver_config config;
  gchar *properties = g_strdup_printf ("encoders=none start-bitrate=2000000 %s", keyed[cipher]);
  weir_receiver_config_init (&config);
  config.local_ssrc = 77;
  far->rig = rig_new (properties, VIDEO_CAPS);
  far->in = gst_harness_new_with_element (far->rig->send, "rtcp_sink", NULL);
  gst_harness_set_src_caps_str (far->in, "application/x-srtcp");
  far->peer = peer_new (cipher, key_bytes);
  far->receiver = weir_receiver_create (&config, 0, NULL);
  g_free (properties);
}

static void
far_end (Far *far)
{
  weir_receiver_destroy (far->receiver);
  peer_free (&far->peer);
  gst_harness_teardown (far->in);
  rig_free (far->rig);
}

/* Ten packets arrive 20 ms later; then the feedback on them, in the clear. */
static gsize
far_hear (Far *far, guint from, guint8 *bytes, gsize size)
{
  gsize length = 0;
  for (guint i = 0; i < 10; i++) {
    GstBuffer *packet = rtp (from + i, 1000);
    GstMapInfo map;
    gst_harness_push (far->rig->h, gst_buffer_ref (packet));
    rig_run_until (far->rig, (from + i + 1) * 10 * GST_MSECOND);
    gst_buffer_map (packet, &map, GST_MAP_READ);
    weir_receiver_on_rtp (far->receiver, (gint64) rig_now (far->rig) + WEIR_MS (20), map.data,
                          map.size, WEIR_ECN_NOT_ECT);
    gst_buffer_unmap (packet, &map);
    gst_buffer_unref (packet);
  }
  rig_run_until (far->rig, rig_now (far->rig) + 40 * GST_MSECOND);
  g_assert_cmpint (weir_receiver_build_feedback (far->receiver, (gint64) rig_now (far->rig), 0,
                                                 bytes, size, &length),
                   ==, WEIR_OK);
  g_assert_cmpuint (length, >, 0);
  return length;
}

static void
far_push (GstBuffer *buffer, gpointer user)
{
  g_assert_cmpint (gst_harness_push (((Far *) user)->in, buffer), ==, GST_FLOW_OK);
}

/* All that is known, but for what was refused. */
static gchar *
state_of (Rig *rig)
{
  GstStructure *stats = NULL;
  g_object_get (rig->send, "stats", &stats, NULL);
  gst_structure_remove_fields (stats, "srtcp-auth-failures", "srtcp-replays", NULL);
  gchar *text = gst_structure_to_string (stats);
  gst_structure_free (stats);
  return text;
}

static void
test_feedback_under_the_key_steers (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    Far far;
    guint8 bytes[1500];
    guint first = 0;
    guint last = 0;
    far_begin (&far, cipher);
    g_object_get (far.rig->send, "target-bitrate", &first, NULL);
    for (guint i = 0; i < 30; i++) {
      gsize length = far_hear (&far, 14 * i, bytes, sizeof bytes);
      far_push (peer_seal (&far.peer, bytes, length), &far);
    }
    g_object_get (far.rig->send, "target-bitrate", &last, NULL);
    g_assert_cmpuint (rig_stat (far.rig, "srtcp-packets"), ==, 30);
    g_assert_cmpuint (rig_stat (far.rig, "srtcp-auth-failures"), ==, 0);
    g_assert_cmpuint (rig_stat (far.rig, "feedback-ccfb"), ==, 30);
    g_assert_cmpuint (rig_stat (far.rig, "packets-received"), >=, 290);
    g_assert_cmpuint (last, !=, first);
    far_end (&far);
  }
}

static void
test_everything_else_changes_nothing (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    Far far;
    guint8 bytes[1500];
    far_begin (&far, cipher);
    for (guint i = 0; i < 20; i++) {
      gsize length = far_hear (&far, 14 * i, bytes, sizeof bytes);
      GstBuffer *good = peer_seal (&far.peer, bytes, length);
      far_push (gst_buffer_ref (good), &far);
      guint64 refused
          = rig_stat (far.rig, "srtcp-auth-failures") + rig_stat (far.rig, "srtcp-replays");
      gchar *before = state_of (far.rig);
      guint n = push_everything_wrong (cipher, good, bytes, length, far_push, &far);
      gchar *after = state_of (far.rig);
      g_assert_cmpstr (before, ==, after);
      g_assert_cmpuint (rig_stat (far.rig, "srtcp-auth-failures")
                            + rig_stat (far.rig, "srtcp-replays"),
                        ==, refused + n);
      g_assert_cmpuint (rig_stat (far.rig, "srtcp-replays"), >=, i + 1);
      g_free (after);
      g_free (before);
      gst_buffer_unref (good);
    }
    far_end (&far);
  }
}

static void
test_reports_in_any_order_are_each_heard_once (void)
{
  Far far;
  GstBuffer *sealed[20];
  guint8 bytes[1500];
  far_begin (&far, GST_WEIR_SRTP_AES_128_GCM);
  for (guint i = 0; i < G_N_ELEMENTS (sealed); i++) {
    gsize length = far_hear (&far, 14 * i, bytes, sizeof bytes);
    sealed[i] = peer_seal (&far.peer, bytes, length);
  }
  for (guint round = 0; round < 3; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (sealed); i++) {
      far_push (gst_buffer_ref (sealed[(i * 7) % G_N_ELEMENTS (sealed)]), &far);
    }
    g_assert_cmpuint (rig_stat (far.rig, "srtcp-packets"), ==, 20);
    g_assert_cmpuint (rig_stat (far.rig, "srtcp-replays"), ==, 20 * round);
    g_assert_cmpuint (rig_stat (far.rig, "rtcp-datagrams"), ==, 20);
  }
  for (guint i = 0; i < G_N_ELEMENTS (sealed); i++) {
    gst_buffer_unref (sealed[i]);
  }
  far_end (&far);
}

static void
test_a_wrong_key_is_said_once_a_minute (void)
{
  Far far;
  far_begin (&far, GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_80);
  for (guint i = 0; i < 1190; i++) {
    gst_harness_push (far.rig->h, rtp (i, 100));
    rig_run_until (far.rig, i * 100 * GST_MSECOND);
    far_push (gst_buffer_new_memdup (bye, sizeof bye), &far);
  }
  guint n = 0;
  guint n_silent = 0;
  gchar *text;
  while ((text = bus_pop_text (far.rig->bus, GST_MESSAGE_WARNING)) != NULL) {
    n += strstr (text, "RTCP packets fail authentication") != NULL;
    n_silent += strstr (text, "all of them failed authentication") != NULL;
    g_assert_null (strstr (text, "no RTCP arrived"));
    g_free (text);
  }
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (n_silent, ==, 1);
  far_end (&far);
}

/* What passes to rtcp_src stays encrypted, and only the peer's does. */
static void
test_only_authentic_packets_pass_on (void)
{
  Rig *rig = rig_new ("encoders=none srtp-key=" KEY_HEX, VIDEO_CAPS);
  GstHarness *in = rtcp_sink (rig);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  Peer peer = peer_new (GST_WEIR_SRTP_AES_128_ICM_HMAC_SHA1_80, key_bytes);
  for (guint i = 0; i < 10; i++) {
    GstBuffer *sealed = peer_seal (&peer, plain_report, sizeof plain_report);
    gst_harness_push (in, gst_buffer_new_memdup (bye, sizeof bye));
    gst_harness_push (in, gst_buffer_ref (sealed));
    gst_harness_push (in, gst_buffer_ref (sealed));
    GstBuffer *passed = gst_harness_pull (out);
    g_assert_true (passed == sealed);
    gst_buffer_unref (passed);
    gst_buffer_unref (sealed);
  }
  g_assert_null (gst_harness_try_pull (out));
  GstPad *pad = gst_element_get_static_pad (rig->send, "rtcp_src");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  g_assert_true (gst_structure_has_name (gst_caps_get_structure (caps, 0), "application/x-srtcp"));
  gst_caps_unref (caps);
  gst_object_unref (pad);
  peer_free (&peer);
  gst_harness_teardown (out);
  gst_harness_teardown (in);
  rig_free (rig);
}

/* Sender reports are written with the SSRC of the media, which may stay over restarts. */
static void
test_own_reports_are_encrypted_and_never_reuse_an_index (void)
{
  for (guint cipher = 0; cipher < GST_WEIR_SRTP_N_CIPHERS; cipher++) {
    gchar *properties = g_strdup_printf (FIXED_2M "encoders=none %s", keyed[cipher]);
    Rig *rig = rig_new (properties, VIDEO_CAPS);
    GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
    Peer peer = peer_new (cipher, key_bytes);
    GHashTable *numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint start = 0; start < 5; start++) {
      gst_harness_push (rig->h, rtp (start, 500));
      GstBuffer *sealed = gst_harness_pull (out);
      guint64 number = peer_number (cipher, sealed);
      g_assert_true (g_hash_table_add (numbers, g_memdup2 (&number, sizeof number)));
      GstBuffer *opened = peer_open (&peer, sealed);
      g_assert_nonnull (opened);
      g_assert_cmpuint (rtcp_type (opened), ==, 200);
      g_assert_cmpuint (word (opened, 1), ==, SSRC);
      g_assert_cmpuint (word (sealed, 3), !=, word (opened, 3));
      gst_buffer_unref (opened);
      gst_buffer_unref (sealed);
      gst_element_set_state (rig->send, GST_STATE_NULL);
      gst_element_set_state (rig->send, GST_STATE_PLAYING);
      gst_harness_set_src_caps_str (rig->h, VIDEO_CAPS);
    }
    g_hash_table_unref (numbers);
    peer_free (&peer);
    gst_harness_teardown (out);
    rig_free (rig);
    g_free (properties);
  }
}

#endif

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_sender_reports/" #name, test_##name)
  ADD (rtcp_passes_from_pad_to_pad);
  ADD (sender_reports_leave_without_a_session);
  ADD (what_a_report_displaces_is_freed_without_a_lock);
  ADD (reports_know_the_clock_rate);
  ADD (rtcp_ends_with_the_media);
  ADD (events_on_rtcp_sink_end_there);
  ADD (a_released_pad_can_be_had_again);
  ADD (pads_come_and_go_while_playing);
  ADD (media_does_not_touch_the_rtcp_pads);
  ADD (pads_work_from_the_start_and_again);
#ifdef WEIR_HAVE_SRTP
  ADD (feedback_under_the_key_steers);
  ADD (everything_else_changes_nothing);
  ADD (reports_in_any_order_are_each_heard_once);
  ADD (a_wrong_key_is_said_once_a_minute);
  ADD (only_authentic_packets_pass_on);
  ADD (own_reports_are_encrypted_and_never_reuse_an_index);
#endif
  return g_test_run ();
}
