/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pad: packets, lists, events and flushes go in, in order; what is wrong is counted and
 * said; what does not fit is dropped by policy, or waits when upstream can wait. */
#include "common/rate_query.h"
#include "send/send_harness.h"

#define H264_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"
#define AUDIO_CAPS "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=97"

static void
test_lists_leave_as_single_packets (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstBufferList *list = gst_buffer_list_new ();
  GstPad *pad = gst_element_get_static_pad (rig->h->element, "sink");
  for (guint i = 0; i < 8; i++) {
    gst_buffer_list_add (list, rtp_full (i, 5, i == 7, 1172, SSRC, -1));
  }
  GstPad *peer = gst_pad_get_peer (pad);
  g_assert_cmpint (gst_pad_push_list (peer, list), ==, GST_FLOW_OK);
  gst_object_unref (peer);
  gst_object_unref (pad);
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 8);
  for (guint i = 0; i < 8; i++) {
    gint index = rig_buffer_index (rig, i);
    g_assert_cmpuint (rig->seen.id[index], ==, i);
    g_assert_cmpuint (rig->seen.at[index], ==, i * 4800 * GST_USECOND);
  }
  rig_free (rig);
}

static void
test_time_stamps_and_flags_are_kept (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstBuffer *in = rtp (0, 100);
  GST_BUFFER_PTS (in) = 1234567;
  GST_BUFFER_DTS (in) = 1234000;
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_MARKER);
  GstBuffer *out = gst_harness_push_and_pull (rig->h, gst_buffer_ref (in));
  g_assert_true (out == in); /* not even copied */
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 1234567);
  g_assert_cmpuint (GST_BUFFER_DTS (out), ==, 1234000);
  g_assert_true (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* Payloaders attach the payload without copying: header and payload are two memories. */
static void
test_packets_in_several_memories_are_read (void)
{
  static const gsize payloads[] = { 0, 1, 1000, 5000 };
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (payloads); i++) {
    GstBuffer *buffer = rtp (i, 12);
    if (payloads[i] > 0) {
      gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, payloads[i], NULL));
    }
    g_assert_cmpint (gst_harness_push (rig->h, buffer), ==, GST_FLOW_OK);
  }
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, G_N_ELEMENTS (payloads));
  g_assert_cmpuint (rig_stat (rig, "bytes-sent-media"), ==, 6001);
  g_assert_cmpuint (rig_stat (rig, "dropped-malformed"), ==, 0);
  rig_free (rig);
}

/* 0 to 11 bytes, lying CSRC counts, extension lengths, padding, versions. */
static void
test_malformed_packets_are_counted_and_media_flows_on (void)
{
  static const struct
  {
    gsize size;
    guint8 first, last;
  } bad[] = {
    { 12, 0x8f, 0 }, { 15, 0x81, 0 },  { 12, 0x90, 0 }, { 15, 0x90, 0 }, { 13, 0xa0, 2 },
    { 20, 0xa0, 0 }, { 20, 0xa0, 99 }, { 20, 0x00, 0 }, { 20, 0x40, 0 }, { 20, 0xc0, 0 },
  };
  Rig *rig = rig_new (FIXED_2M "encoders=none", TWCC_CAPS);
  guint n = 0;
  for (gsize size = 0; size < 12; size++, n++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
    gst_buffer_memset (buffer, 0, 0x80, size);
    g_assert_cmpint (gst_harness_push (rig->h, buffer), ==, GST_FLOW_OK);
    g_assert_cmpint (gst_harness_push (rig->h, rtp (n, 60)), ==, GST_FLOW_OK);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++, n++) {
    guint8 bytes[20] = { bad[i].first, 0x60 };
    bytes[bad[i].size - 1] = bad[i].last;
    GstBuffer *buffer = gst_buffer_new_memdup (bytes, bad[i].size);
    g_assert_cmpint (gst_harness_push (rig->h, buffer), ==, GST_FLOW_OK);
    g_assert_cmpint (gst_harness_push (rig->h, rtp (n, 60)), ==, GST_FLOW_OK);
  }
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, n);
  g_assert_cmpuint (rig_stat (rig, "dropped-malformed"), ==, n);
  rig_expect_warning (rig, "0 bytes|not an RTP packet|dropped-malformed");
  rig_expect_silence (rig);
  rig_free (rig);
}

/* An extension that lies about its elements is no reason to drop media. */
static void
test_odd_extensions_pass (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", TWCC_CAPS);
  GstBuffer *buffer = rtp_full (0, 0, TRUE, 30, SSRC, 5);
  gst_buffer_memset (buffer, 16, 0x3f, 1); /* an element of 16 bytes in 4 */
  gst_harness_push (rig->h, buffer);
  rig_settle (rig);
  g_assert_cmpuint (rig_n_buffers (rig) + (guint) rig_stat (rig, "dropped-malformed"), ==, 1);
  rig_free (rig);
}

static void
test_other_caps_are_an_error_in_words (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstCaps *caps = gst_caps_from_string ("video/x-h264,stream-format=byte-stream");
  gst_harness_push_event (rig->h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  rig_expect_error (rig, "video/x-h264|payloader");
  g_assert_cmpint (gst_harness_push (rig->h, rtp (0, 100)), !=, GST_FLOW_OK);
  rig_free (rig);
}

static void
push_caps (Rig *rig, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text);
  gst_harness_push_event (rig->h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

/* Upstream offers them with each buffer; good ones in between make wrong ones news again. */
static void
test_other_caps_are_an_error_once (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  for (guint i = 0; i < 6; i++) {
    push_caps (rig, "video/x-h264,stream-format=byte-stream");
  }
  rig_expect_error (rig, "video/x-h264|payloader");
  rig_expect_silence (rig);
  push_caps (rig, TWCC_CAPS);
  push_caps (rig, "video/x-h264,stream-format=byte-stream");
  rig_expect_error (rig, "video/x-h264|payloader");
  rig_free (rig);
}

static guint
sticky_count (GstElement *send)
{
  guint n = 0;
  GstPad *pad = gst_element_get_static_pad (send, "src");
  static const GstEventType types[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_TAG };
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    GstEvent *event = gst_pad_get_sticky_event (pad, types[i], 0);
    n += event != NULL;
    gst_clear_event (&event);
  }
  gst_object_unref (pad);
  return n;
}

static guint
n_segments (Rig *rig)
{
  guint n = 0;
  rig_run_until (rig, rig_now (rig) + GST_SECOND);
  g_mutex_lock (&rig->seen.lock);
  for (guint i = 0; i < rig->seen.n; i++) {
    n += rig->seen.id[i] == EVENT_ID + (guint) GST_EVENT_SEGMENT;
  }
  g_mutex_unlock (&rig->seen.lock);
  return n;
}

/* As rtpfunnel does with each change of stream: audio could not pass them. Packets have the running
 * time that they came with. */
static void
test_segments_that_can_be_translated_stay_behind (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  guint before = n_segments (rig);
  segment.start = 1000 * GST_SECOND;
  for (guint i = 0; i < 10; i++) {
    g_assert_true (gst_harness_push_event (rig->h, gst_event_new_segment (&segment)));
  }
  GstBuffer *in = rtp (0, 100);
  GST_BUFFER_PTS (in) = 1001 * GST_SECOND;
  GstBuffer *out = gst_harness_push_and_pull (rig->h, in);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, GST_SECOND);
  gst_buffer_unref (out);
  g_assert_cmpuint (n_segments (rig), ==, before);
  segment.rate = 2.0;
  g_assert_true (gst_harness_push_event (rig->h, gst_event_new_segment (&segment)));
  g_assert_cmpuint (n_segments (rig), ==, before + 1);
  gst_harness_push_event (rig->h, gst_event_new_flush_start ());
  gst_harness_push_event (rig->h, gst_event_new_flush_stop (TRUE));
  g_assert_true (gst_harness_push_event (rig->h, gst_event_new_segment (&segment)));
  g_assert_cmpuint (n_segments (rig), ==, before + 2);
  gst_harness_push_event (rig->h, gst_event_new_stream_start ("another"));
  g_assert_true (gst_harness_push_event (rig->h, gst_event_new_segment (&segment)));
  g_assert_cmpuint (n_segments (rig), ==, before + 3);
  rig_free (rig);
}

/* A flush empties the queue, but not of what describes the stream. */
static void
test_flush_drops_packets_and_keeps_sticky_events (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstSegment segment;
  for (guint i = 0; i < 10; i++) {
    gst_harness_push (rig->h, rtp (i, 1172));
  }
  gst_harness_push_event (rig->h, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "x", NULL)));
  gst_harness_push_event (rig->h, gst_event_new_flush_start ());
  g_assert_cmpint (gst_harness_push (rig->h, rtp (10, 100)), ==, GST_FLOW_FLUSHING);
  guint sent = rig_n_buffers (rig);
  gst_harness_push_event (rig->h, gst_event_new_flush_stop (TRUE));
  g_assert_cmpuint (sticky_count (rig->send), ==, 3);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (rig->h, gst_event_new_segment (&segment));
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, sent);
  g_assert_cmpint (gst_harness_push (rig->h, rtp (11, 100)), ==, GST_FLOW_OK);
  rig_settle (rig);
  g_assert_cmpuint (rig_n_buffers (rig), ==, sent + 1);
  g_assert_cmpuint (rig_stat (rig, "queued-packets"), ==, 0);
  rig_free (rig);
}

static void
test_flush_ends_an_eos_that_waits (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstSegment segment;
  for (guint i = 0; i < 5; i++) {
    gst_harness_push (rig->h, rtp (i, 1172));
  }
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  gst_harness_push_event (rig->h, gst_event_new_flush_start ());
  gst_harness_push_event (rig->h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (rig->h, gst_event_new_segment (&segment));
  rig_run_until (rig, 10 * GST_SECOND);
  for (guint i = 0; i < rig->seen.n; i++) {
    g_assert_cmpuint (rig->seen.id[i], !=, EVENT_ID + GST_EVENT_EOS);
  }
  g_assert_cmpint (gst_harness_push (rig->h, rtp (9, 100)), ==, GST_FLOW_OK);
  rig_free (rig);
}

static void
test_a_hundred_flushes_leave_a_working_element (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < 100; i++) {
    gst_harness_push (rig->h, rtp (2 * i, 1172));
    gst_harness_push (rig->h, rtp (2 * i + 1, 1172));
    gst_harness_push_event (rig->h, gst_event_new_flush_start ());
    gst_harness_push_event (rig->h, gst_event_new_flush_stop (TRUE));
    gst_harness_push_event (rig->h, gst_event_new_segment (&segment));
  }
  rig_run_until (rig, GST_SECOND);
  rig_forget_seen (rig);
  gst_harness_push (rig->h, rtp (1000, 100));
  rig_settle (rig);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 1);
  rig_free (rig);
}

/* --- Too much --- */

static guint
count_key_requests (Rig *rig)
{
  guint n = 0;
  GstEvent *event;
  while ((event = gst_harness_try_pull_upstream_event (rig->h)) != NULL) {
    const GstStructure *structure = gst_event_get_structure (event);
    n += structure != NULL && gst_structure_has_name (structure, "GstForceKeyUnit");
    gst_event_unref (event);
  }
  return n;
}

/* 6 Mbit/s into 2 Mbit/s: frames go, a key frame is asked for, at most every half second. */
static void
test_too_much_video_loses_frames_and_asks_for_a_key_frame (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", H264_CAPS);
  guint seq = 0;
  for (guint frame = 0; frame < 60; frame++) { /* 2 s at 30 frames/s of 25 packets */
    for (guint i = 0; i < 25; i++, seq++) {
      GstBuffer *buffer = rtp_full (seq, frame * 3000, i == 24, 972, SSRC, -1);
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
      g_assert_cmpint (gst_harness_push (rig->h, buffer), ==, GST_FLOW_OK);
    }
    rig_run_until (rig, (GstClockTime) (frame + 1) * GST_SECOND / 30);
  }
  guint requests = count_key_requests (rig);
  g_assert_cmpuint (requests, >=, 2);
  g_assert_cmpuint (requests, <=, 4);
  g_assert_cmpuint (rig_stat (rig, "dropped-frames"), >, 20);
  g_assert_cmpuint (rig_stat (rig, "dropped-packets"), >, 500);
  rig_run_until (rig, 3 * GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig) + rig_stat (rig, "dropped-packets"), ==, seq);
  rig_free (rig);
}

typedef struct
{
  const gchar *policy;
  guint last_min, last_max; /* the last that leaves */
} Policy;

/* 100 packets of 4.8 ms each into 100 ms. */
static void
test_policies_drop_what_they_say (void)
{
  static const Policy policies[] = { { "drop-newest", 19, 22 }, { "drop-oldest", 100, 100 } };
  for (gsize i = 0; i < G_N_ELEMENTS (policies); i++) {
    gchar *text = g_strdup_printf (
        FIXED_2M "encoders=none max-queue-time=100000000 queue-policy=%s", policies[i].policy);
    Rig *rig = rig_new (text, VIDEO_CAPS);
    gst_harness_push (rig->h, rtp (0, 1172));
    rig_settle (rig); /* it has left: the others wait together */
    for (guint k = 1; k <= 100; k++) {
      gst_harness_push (rig->h, rtp (k, 1172));
    }
    rig_run_until (rig, GST_SECOND);
    guint n = rig_n_buffers (rig);
    g_assert_cmpuint (n, >=, 20);
    g_assert_cmpuint (n, <=, 23);
    guint last = rig->seen.id[rig_buffer_index (rig, n - 1)];
    g_assert_cmpuint (last, >=, policies[i].last_min);
    g_assert_cmpuint (last, <=, policies[i].last_max);
    rig_free (rig);
    g_free (text);
  }
}

/* Sound is dropped last: caps say what is sound. */
static void
test_sound_is_not_dropped_for_being_a_frame (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", AUDIO_CAPS);
  for (guint i = 0; i < 50; i++) {
    gst_harness_push (rig->h, rtp (i, 172));
  }
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 50);
  g_assert_cmpuint (count_key_requests (rig), ==, 0);
  rig_free (rig);
}

/* --- Upstream that can wait --- */

static GstPadProbeReturn
answer_not_live (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, G_GNUC_UNUSED gpointer user)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY) {
    return GST_PAD_PROBE_OK;
  }
  gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  return GST_PAD_PROBE_HANDLED;
}

static void
make_not_live (Rig *rig)
{
  GstPad *pad = gst_element_get_static_pad (rig->send, "sink");
  GstPad *peer = gst_pad_get_peer (pad);
  gst_pad_add_probe (peer, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM | GST_PAD_PROBE_TYPE_PUSH,
                     answer_not_live, NULL, NULL);
  gst_object_unref (peer);
  gst_object_unref (pad);
}

typedef struct
{
  GstHarness *h;
  guint n;
  GstFlowReturn last;
  gint pushed; /* atomic */
} Pusher;

static gpointer
push_many (gpointer user)
{
  Pusher *pusher = user;
  for (guint i = 0; i < pusher->n; i++) {
    pusher->last = gst_harness_push (pusher->h, rtp (i, 1172));
    if (pusher->last != GST_FLOW_OK) {
      break;
    }
    g_atomic_int_inc (&pusher->pushed);
  }
  return NULL;
}

/* A file can wait: nothing is dropped however much comes. */
static void
test_a_source_that_is_not_live_waits (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none max-queue-time=100000000", VIDEO_CAPS);
  make_not_live (rig);
  Pusher pusher = { rig->h, 200, GST_FLOW_OK, 0 };
  GThread *thread = g_thread_new ("pusher", push_many, &pusher);
  while (rig_n_buffers (rig) < 200) {
    gst_test_clock_crank (rig->clock);
  }
  g_thread_join (thread);
  g_assert_cmpint (g_atomic_int_get (&pusher.pushed), ==, 200);
  g_assert_cmpuint (rig_stat (rig, "dropped-packets"), ==, 0);
  for (guint i = 0; i < 200; i++) {
    g_assert_cmpuint (rig->seen.id[rig_buffer_index (rig, i)], ==, i);
  }
  rig_free (rig);
}

static void
test_waiting_ends_with_a_flush (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none max-queue-time=100000000", VIDEO_CAPS);
  make_not_live (rig);
  Pusher pusher = { rig->h, 200, GST_FLOW_OK, 0 };
  GThread *thread = g_thread_new ("pusher", push_many, &pusher);
  while (g_atomic_int_get (&pusher.pushed) < 20) {
    g_thread_yield ();
  }
  GstPad *pad = gst_element_get_static_pad (rig->send, "sink");
  gst_pad_send_event (pad, gst_event_new_flush_start ());
  g_thread_join (thread);
  g_assert_cmpint (pusher.last, ==, GST_FLOW_FLUSHING);
  gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE));
  gst_object_unref (pad);
  rig_free (rig);
}

static void
test_waiting_ends_with_the_state (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none max-queue-time=100000000", VIDEO_CAPS);
  make_not_live (rig);
  Pusher pusher = { rig->h, 200, GST_FLOW_OK, 0 };
  GThread *thread = g_thread_new ("pusher", push_many, &pusher);
  while (g_atomic_int_get (&pusher.pushed) < 20) {
    g_thread_yield ();
  }
  gst_element_set_state (rig->send, GST_STATE_READY);
  g_thread_join (thread);
  g_assert_cmpint (pusher.last, ==, GST_FLOW_FLUSHING);
  rig_free (rig);
}

/* An application may hold the pad when the element is gone, and link it. */
static void
test_a_pad_that_outlives_the_element_does_nothing (void)
{
  GstElement *send = gst_object_ref_sink (gst_element_factory_make ("weirsend", NULL));
  GstPad *pad = gst_element_get_static_pad (send, "sink");
  guint linked = g_signal_lookup ("linked", GST_TYPE_PAD);
  g_assert_true (g_signal_has_handler_pending (pad, linked, 0, TRUE));
  gst_object_unref (send);
  g_assert_false (g_signal_has_handler_pending (pad, linked, 0, TRUE));
  GstPad *src = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  g_assert_cmpint (gst_pad_link_full (src, pad, GST_PAD_LINK_CHECK_NOTHING), ==, GST_PAD_LINK_OK);
  gst_object_unref (src);
  gst_object_unref (pad);
}

/* What the encoder may make, as notify::target-bitrate says, and the payload that has come. */
static void
test_a_weirscale_before_the_encoder_is_answered (void)
{
  static const GstWeirRatePicture picture = { 640, 360, 30, 1, "low-bitrate", NULL };
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstWeirRate rate = { 0 };
  gint64 target_bps = 0;
  g_object_get (rig->h->element, "target-bitrate", &target_bps, NULL);
  g_assert_true (gst_weir_rate_query_ask (rig->h->srcpad, &picture, &rate));
  g_assert_cmpint (rate.target_bps, ==, target_bps);
  g_assert_cmpuint (rate.media_bytes, ==, 0);
  gst_harness_push (rig->h, rtp (0, 112));
  gst_harness_push (rig->h, rtp (1, 62));
  g_assert_true (gst_weir_rate_query_ask (rig->h->srcpad, &picture, &rate));
  g_assert_cmpuint (rate.media_bytes, ==, 100 + 50);
  g_autoptr (GstStructure) stats = NULL;
  g_object_get (rig->send, "stats", &stats, NULL);
  g_assert_cmpstr (gst_structure_get_string (stats, "picture"), ==, "640x360@30");
  g_assert_cmpstr (gst_structure_get_string (stats, "picture-reason"), ==, "low-bitrate");
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_input/" #name, test_##name)
  ADD (lists_leave_as_single_packets);
  ADD (time_stamps_and_flags_are_kept);
  ADD (packets_in_several_memories_are_read);
  ADD (malformed_packets_are_counted_and_media_flows_on);
  ADD (odd_extensions_pass);
  ADD (other_caps_are_an_error_in_words);
  ADD (other_caps_are_an_error_once);
  ADD (segments_that_can_be_translated_stay_behind);
  ADD (flush_drops_packets_and_keeps_sticky_events);
  ADD (flush_ends_an_eos_that_waits);
  ADD (a_hundred_flushes_leave_a_working_element);
  ADD (too_much_video_loses_frames_and_asks_for_a_key_frame);
  ADD (policies_drop_what_they_say);
  ADD (sound_is_not_dropped_for_being_a_frame);
  ADD (a_source_that_is_not_live_waits);
  ADD (waiting_ends_with_a_flush);
  ADD (waiting_ends_with_the_state);
  ADD (a_weirscale_before_the_encoder_is_answered);
  ADD (a_pad_that_outlives_the_element_does_nothing);
  return g_test_run ();
}
