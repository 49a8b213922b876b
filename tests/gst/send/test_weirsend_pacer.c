/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pacing task: departure times to the nanosecond, order, the end of the stream, latency. */
#include "flush_race.h"
#include "send/send_harness.h"
#include "send/weirsend_pacer.h"

GST_DEBUG_CATEGORY (gst_weir_send_debug);

#define WIRE 1200      /* of it 28 bytes IP and UDP */
#define GAP_NS 4800000 /* 1200 bytes at 2 Mbit/s */

static void
push_n (Rig *rig, guint from, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_assert_cmpint (gst_harness_push (rig->h, rtp (from + i, WIRE - 28)), ==, GST_FLOW_OK);
  }
}

/* Buffer n left at the given time. */
static void
assert_left_at (Rig *rig, guint n, GstClockTime at)
{
  gint index = rig_buffer_index (rig, n);
  g_assert_cmpint (index, >=, 0);
  g_assert_cmpuint (rig->seen.id[index], ==, n);
  g_assert_cmpuint (rig->seen.at[index], ==, at);
}

static void
test_twenty_packets_leave_evenly_over_96_ms (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  push_n (rig, 0, 20);
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 20);
  for (guint i = 0; i < 20; i++) {
    assert_left_at (rig, i, (GstClockTime) i * GAP_NS);
  }
  rig_free (rig);
}

/* After a pause the next packets are spaced as before: no credit was saved up. */
static void
test_idle_time_gives_no_burst (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  push_n (rig, 0, 3);
  rig_run_until (rig, GST_SECOND);
  push_n (rig, 3, 3);
  rig_run_until (rig, 2 * GST_SECOND);
  for (guint i = 0; i < 3; i++) {
    assert_left_at (rig, i, (GstClockTime) i * GAP_NS);
    assert_left_at (rig, 3 + i, GST_SECOND + (GstClockTime) i * GAP_NS);
  }
  rig_free (rig);
}

static void
test_without_pacing_packets_leave_at_once (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none pacing=off", VIDEO_CAPS);
  push_n (rig, 0, 20);
  rig_settle (rig);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 20);
  assert_left_at (rig, 19, 0);
  rig_free (rig);
}

/* Holds up the task with a list of its own, so that what follows waits together. */
static void
push_frames (Rig *rig, guint n, GstClockTime step, guint32 ssrc_step)
{
  GstBufferList *list = gst_buffer_list_new ();
  GstPad *pad = gst_element_get_static_pad (rig->send, "sink");
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = rtp_full (i, 7, FALSE, 100, SSRC + i * ssrc_step, -1);
    GST_BUFFER_PTS (buffer) = i * step;
    gst_buffer_list_add (list, buffer);
  }
  GstPad *peer = gst_pad_get_peer (pad);
  g_assert_cmpint (gst_pad_push_list (peer, list), ==, GST_FLOW_OK);
  gst_object_unref (peer);
  gst_object_unref (pad);
  rig_settle (rig);
}

/* A session takes time and statistics of a list from its first packet. */
static void
test_only_packets_of_one_frame_leave_in_a_list (void)
{
  static const struct
  {
    GstClockTime step;
    guint32 ssrc_step;
    guint n_lists;
  } frames[] = { { 0, 0, 4 }, { 1, 0, 0 }, { 0, 1, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    Rig *rig = rig_new (FIXED_2M "encoders=none pacing=off max-queue-time=10000000000", VIDEO_CAPS);
    push_frames (rig, 200, frames[i].step, frames[i].ssrc_step);
    g_assert_cmpuint (rig_n_buffers (rig), ==, 200);
    for (guint k = 0; k < 200; k++) {
      g_assert_cmpuint (rig->seen.id[rig_buffer_index (rig, k)], ==, k);
    }
    g_assert_cmpuint (rig->seen.n_lists, ==, frames[i].n_lists); /* of 64 at most */
    rig_free (rig);
  }
}

/* n packets of one frame, as one list. */
static void
push_frame (Rig *rig, guint from, guint n, guint32 ssrc, gint transport_seq)
{
  GstBufferList *list = gst_buffer_list_new ();
  for (guint i = 0; i < n; i++) {
    gint number = transport_seq < 0 ? -1 : transport_seq + (gint) i;
    GstBuffer *buffer = rtp_full (from + i, 7, i == n - 1, WIRE - 28, ssrc, number);
    GST_BUFFER_PTS (buffer) = GST_MSECOND;
    gst_buffer_list_add (list, buffer);
  }
  GstPad *pad = gst_element_get_static_pad (rig->send, "sink");
  g_assert_cmpint (gst_pad_chain_list (pad, list), ==, GST_FLOW_OK);
  gst_object_unref (pad);
}

/* With the packet that is due leave, in one list, those that would be due within the quantum. */
static void
test_a_frame_leaves_in_bursts_of_the_quantum (void)
{
  static const struct
  {
    guint64 rate_bps, quantum_ns;
    guint together;
  } cases[] = { { 2000000, 0, 1 },        { 2000000, 4800000, 1 }, { 2000000, 4800001, 2 },
                { 2000000, 5000000, 2 },  { 96000000, 0, 1 },      { 96000000, 2000000, 20 },
                { 96000000, 5000000, 50 } };
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    gchar *text = g_strdup_printf (
        "algorithm=fixed params=\"params,rate-bps=%" G_GUINT64_FORMAT
        "\" max-bitrate=200000000 encoders=none pacing-quantum=%" G_GUINT64_FORMAT
        " max-queue-time=1000000000",
        cases[c].rate_bps, cases[c].quantum_ns);
    GstClockTime gap_ns = 8 * WIRE * GST_SECOND / cases[c].rate_bps;
    Rig *rig = rig_new (text, VIDEO_CAPS);
    rig_settle (rig);
    push_frame (rig, 0, 100, SSRC, -1);
    rig_run_until (rig, GST_SECOND);
    g_assert_cmpuint (rig_n_buffers (rig), ==, 100);
    for (guint i = 0; i < 100; i++) {
      assert_left_at (rig, i, (i - i % cases[c].together) * gap_ns);
    }
    g_assert_cmpuint (rig->seen.n_lists, ==, cases[c].together == 1 ? 0 : 100 / cases[c].together);
    g_assert_cmpuint (rig_stat (rig, "packets-sent"), ==, 100);
    rig_free (rig);
    g_free (text);
  }
}

/* Random frames: in every interval no more than the rate allows, the quantum and one packet. */
static void
test_no_packet_leaves_earlier_than_the_quantum_allows (void)
{
  enum
  {
    N = 300
  };
  GRand *rand = g_rand_new_with_seed (7);
  Rig *rig = rig_new ("algorithm=fixed params=\"params,rate-bps=2000000\" encoders=none "
                      "max-queue-time=10000000000 pacing-quantum=5000000",
                      VIDEO_CAPS);
  guint bytes[N];
  for (guint i = 0; i < N; i++) {
    if (g_rand_int_range (rand, 0, 8) == 0) {
      rig_run_until (rig, rig_now (rig) + (GstClockTime) g_rand_int_range (rand, 0, 60000000));
    }
    bytes[i] = (guint) g_rand_int_range (rand, 100, WIRE + 1);
    gst_harness_push (rig->h, rtp (i, bytes[i] - 28));
  }
  rig_run_until (rig, rig_now (rig) + 2 * GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, N);
  for (guint a = 0; a < N; a++) {
    guint64 sum_bytes = 0;
    GstClockTime from = rig->seen.at[rig_buffer_index (rig, a)];
    for (guint b = a; b < N && b < a + 40; b++) {
      sum_bytes += bytes[b];
      GstClockTime length = rig->seen.at[rig_buffer_index (rig, b)] - from;
      guint64 allowed_bytes = (length + 5 * GST_MSECOND) / 4000 + WIRE; /* 1 byte in 4 us */
      g_assert_cmpuint (sum_bytes, <=, allowed_bytes);
    }
  }
  rig_free (rig);
  g_rand_free (rand);
}

/* An event ends a list, not the burst; what follows it leaves behind it. */
static void
test_events_keep_their_place_in_a_burst (void)
{
  Rig *rig = rig_new ("algorithm=fixed params=\"params,rate-bps=20000000\" max-bitrate=30000000 "
                      "encoders=none pacing-quantum=5000000",
                      VIDEO_CAPS); /* 0.48 ms each */
  rig_settle (rig);
  rig_forget_seen (rig);
  g_mutex_lock (&rig->seen.lock); /* holds up the first packet's push, until all have come */
  push_n (rig, 0, 1);
  while (rig_stat (rig, "packets-sent") < 1) {
    g_thread_yield ();
  }
  push_n (rig, 1, 3);
  gst_harness_push_event (rig->h, gst_event_new_gap (0, 1));
  push_n (rig, 4, 2);
  g_mutex_unlock (&rig->seen.lock);
  rig_settle (rig);
  const guint order[] = { 0, 1, 2, 3, EVENT_ID + GST_EVENT_GAP, 4, 5 };
  g_assert_cmpuint (rig->seen.n, ==, G_N_ELEMENTS (order));
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    g_assert_cmpuint (rig->seen.id[i], ==, order[i]);
    g_assert_cmpuint (rig->seen.at[i], ==, 0);
  }
  g_assert_cmpuint (rig->seen.n_lists, ==, 2);
  rig_free (rig);
}

/* A list of each of two streams: the numbers go on from list to list. */
static void
test_numbers_go_on_through_a_burst (void)
{
  Rig *rig = rig_new ("algorithm=fixed params=\"params,rate-bps=200000000\" max-bitrate=300000000 "
                      "encoders=none pacing-quantum=5000000",
                      TWCC_CAPS);
  rig_settle (rig);
  push_frame (rig, 0, 3, SSRC, 100);
  rig_settle (rig);
  push_frame (rig, 0, 3, SSRC + 1, 500);
  rig_settle (rig);
  push_frame (rig, 3, 3, SSRC, 103);
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig->seen.n_lists, ==, 3);
  for (guint i = 1; i < 9; i++) {
    guint16 step = (guint16) (rig_number (rig, i) - rig_number (rig, i - 1));
    g_assert_cmpuint (step, >=, 1);
    g_assert_cmpuint (step, <=, 8);
  }
  rig_free (rig);
}

/* What waits for its own time leaves when the quantum grows. */
static void
test_the_quantum_changes_while_playing (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  push_n (rig, 0, 6);
  rig_settle (rig);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 1);
  g_object_set (rig->send, "pacing-quantum", (guint64) (5 * GST_MSECOND), NULL);
  rig_run_until (rig, 20 * GST_MSECOND);
  const GstClockTime at[] = { 0, 0, 2, 2, 4, 4 };
  for (guint i = 0; i < 6; i++) {
    assert_left_at (rig, i, at[i] * GAP_NS);
  }
  rig_free (rig);
}

static void
test_overhead_counts (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none overhead=128", VIDEO_CAPS);
  push_n (rig, 0, 3);
  rig_run_until (rig, GST_SECOND);
  assert_left_at (rig, 2, 2 * 5200000); /* 1172 + 128 bytes */
  g_object_set (rig->send, "overhead", 28, NULL);
  push_n (rig, 3, 3);
  rig_run_until (rig, 2 * GST_SECOND);
  assert_left_at (rig, 5, GST_SECOND + 2 * GAP_NS);
  rig_free (rig);
}

/* A packet, an event, a packet ... and EOS at the end. */
static void
test_events_keep_their_place_and_eos_is_last (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  rig_settle (rig);
  rig_forget_seen (rig);
  for (guint i = 0; i < 10; i++) {
    push_n (rig, i, 1);
    gst_harness_push_event (rig->h, gst_event_new_gap (i, 1));
  }
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig->seen.n, ==, 21);
  for (guint i = 0; i < 10; i++) {
    g_assert_cmpuint (rig->seen.id[2 * i], ==, i);
    g_assert_cmpuint (rig->seen.id[2 * i + 1], ==, EVENT_ID + GST_EVENT_GAP);
    g_assert_cmpuint (rig->seen.at[2 * i], ==, (GstClockTime) i * GAP_NS);
    g_assert_cmpuint (rig->seen.at[2 * i + 1], ==, rig->seen.at[2 * i]);
  }
  g_assert_cmpuint (rig->seen.id[20], ==, EVENT_ID + GST_EVENT_EOS);
  rig_free (rig);
}

/* Caps come before the packets they describe, and the stream's start before all. */
static void
test_sticky_events_come_first (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  push_n (rig, 0, 1);
  rig_settle (rig);
  const guint order[] = { EVENT_ID + GST_EVENT_STREAM_START, EVENT_ID + GST_EVENT_CAPS,
                          EVENT_ID + GST_EVENT_SEGMENT, 0 };
  g_assert_cmpuint (rig->seen.n, ==, G_N_ELEMENTS (order));
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    g_assert_cmpuint (rig->seen.id[i], ==, order[i]);
  }
  rig_free (rig);
}

/* Nothing may hold up the end for ever, not even a rate that carries nothing. */
static void
test_eos_gives_up_packets_that_cannot_leave (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none min-bitrate=1 max-queue-time=100000000", VIDEO_CAPS);
  push_n (rig, 0, 20);
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  g_object_set (rig->send, "max-bitrate", 1, NULL); /* hours for what is queued */
  rig_run_until (rig, 1100 * GST_MSECOND);
  guint sent = rig_n_buffers (rig);
  g_assert_cmpuint (sent, <, 20);
  g_assert_cmpuint (rig->seen.id[rig->seen.n - 1], <, EVENT_ID);
  rig_run_until (rig, 1200 * GST_MSECOND); /* twice the bound and a second */
  g_assert_cmpuint (rig->seen.id[rig->seen.n - 1], ==, EVENT_ID + GST_EVENT_EOS);
  g_assert_cmpuint (rig_n_buffers (rig), ==, sent);
  g_assert_cmpuint (rig_stat (rig, "dropped-at-end") + rig_stat (rig, "dropped-packets") + sent, ==,
                    20);
  rig_free (rig);
}

static void
test_downstreams_answer_reaches_upstream (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  push_n (rig, 0, 1);
  rig_settle (rig);
  rig->seen.answer = GST_FLOW_ERROR;
  push_n (rig, 1, 3); /* still taken: downstream is asked when they leave */
  rig_run_until (rig, 100 * GST_MSECOND);
  guint before = rig_n_buffers (rig);
  g_assert_cmpint (gst_harness_push (rig->h, rtp (4, 100)), ==, GST_FLOW_ERROR);
  g_assert_cmpint (gst_harness_push (rig->h, rtp (5, 100)), ==, GST_FLOW_ERROR);
  rig_run_until (rig, 200 * GST_MSECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, before);
  rig_free (rig);
}

/* Not linked may change: what comes is tried again. */
static void
test_not_linked_recovers (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  rig->seen.answer = GST_FLOW_NOT_LINKED;
  push_n (rig, 0, 1);
  rig_settle (rig);
  g_assert_cmpint (gst_harness_push (rig->h, rtp (1, 100)), ==, GST_FLOW_NOT_LINKED);
  rig_run_until (rig, 100 * GST_MSECOND);
  rig->seen.answer = GST_FLOW_OK;
  g_assert_cmpint (gst_harness_push (rig->h, rtp (2, 100)), ==, GST_FLOW_NOT_LINKED);
  rig_run_until (rig, 200 * GST_MSECOND);
  g_assert_cmpint (gst_harness_push (rig->h, rtp (3, 100)), ==, GST_FLOW_OK);
  rig_free (rig);
}

/* Upstream has ended and asks no more: the application hears of the error. */
static void
test_an_error_after_eos_is_posted (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  push_n (rig, 0, 3);
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  rig->seen.answer = GST_FLOW_ERROR;
  rig_run_until (rig, 100 * GST_MSECOND);
  rig_expect_error (rig, "Internal data stream error");
  g_assert_cmpuint (rig->seen.id[rig->seen.n - 1], ==, EVENT_ID + GST_EVENT_EOS);
  rig_free (rig);
}

static void
test_latency_grows_by_the_queues_bound (void)
{
  Rig *rig = rig_new ("encoders=none max-queue-time=120000000", VIDEO_CAPS);
  gst_harness_set_upstream_latency (rig->h, 30 * GST_MSECOND);
  g_assert_cmpuint (gst_harness_query_latency (rig->h), ==, 150 * GST_MSECOND);
  g_object_set (rig->send, "max-queue-time", (guint64) (50 * GST_MSECOND), NULL);
  g_assert_cmpuint (gst_harness_query_latency (rig->h), ==, 80 * GST_MSECOND);
  GstMessage *message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_LATENCY);
  g_assert_nonnull (message);
  gst_message_unref (message);
  rig_free (rig);
}

/* Without a session the numbers are ours, whatever the streams had: rising, some left out. */
static void
test_numbers_of_all_streams_are_one_series (void)
{
  Rig *rig = rig_new ("algorithm=fixed pacing=off encoders=none", TWCC_CAPS);
  guint left_out = 0;
  for (guint i = 0; i < 1000; i++) {
    gst_harness_push (rig->h, rtp_full (i, i, TRUE, 100, SSRC, (gint) (700 + i)));
    gst_harness_push (rig->h, rtp_full (i, i, TRUE, 100, SSRC + 1, (gint) (65000 + i)));
    rig_run_until (rig, i * GST_MSECOND);
  }
  rig_run_until (rig, 2 * GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 2000);
  for (guint i = 1; i < 2000; i++) {
    left_out += (guint16) (rig_number (rig, i) - rig_number (rig, i - 1)) - 1u;
  }
  g_assert_cmpuint (left_out, >, 60); /* one in 16: 133 +- 12 */
  g_assert_cmpuint (left_out, <, 210);
  rig_free (rig);
}

/* A number is written into a copy when somebody else holds the packet. */
static void
test_numbering_does_not_change_shared_packets (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", TWCC_CAPS);
  GstBuffer *shared = rtp_full (1, 0, TRUE, 100, SSRC, 500);
  gst_harness_push (rig->h, gst_buffer_ref (shared));
  gst_harness_push (rig->h, gst_buffer_ref (shared));
  rig_run_until (rig, GST_SECOND);
  GstBuffer *first = gst_harness_pull (rig->h);
  GstBuffer *second = gst_harness_pull (rig->h);
  g_assert_cmpint (transport_seq_of (first), !=, transport_seq_of (second));
  g_assert_cmpint (transport_seq_of (shared), ==, 500);
  gst_buffer_unref (first);
  gst_buffer_unref (second);
  gst_buffer_unref (shared);
  rig_free (rig);
}

/* A packet in three memories, as payloaders make it: header, extension and payload. */
static GstBuffer *
packet_in_parts (guint8 first_byte, guint8 last_byte)
{
  static const gsize ends[] = { 0, 12, 20, 1000 };
  guint8 bytes[1000];
  GstBuffer *parts = gst_buffer_new ();
  GstBuffer *whole = rtp_full (1, 0, TRUE, sizeof bytes, SSRC, 500);
  gst_buffer_extract (whole, 0, bytes, sizeof bytes);
  gst_buffer_unref (whole);
  bytes[0] = first_byte;
  bytes[sizeof bytes - 1] = last_byte;
  for (guint i = 0; i + 1 < G_N_ELEMENTS (ends); i++) {
    GstMemory *memory = gst_allocator_alloc (NULL, ends[i + 1] - ends[i], NULL);
    gst_buffer_append_memory (parts, memory);
    gst_buffer_fill (parts, ends[i], bytes + ends[i], ends[i + 1] - ends[i]);
  }
  return parts;
}

/* But for that of a packet with padding, whose last byte has to be read. */
static void
test_numbering_does_not_copy_the_payload (void)
{
  for (guint padding = 0; padding < 2; padding++) {
    Rig *rig = rig_new (FIXED_2M "encoders=none", TWCC_CAPS);
    GstBuffer *parts = packet_in_parts (padding != 0 ? 0xb0 : 0x90, 3);
    GstMemory *payload = gst_buffer_get_memory (parts, 2);
    gst_harness_push (rig->h, parts);
    rig_run_until (rig, GST_SECOND);
    GstBuffer *sent = gst_harness_pull (rig->h);
    GstMemory *last = gst_buffer_peek_memory (sent, gst_buffer_n_memory (sent) - 1);
    g_assert_cmpint (transport_seq_of (sent), !=, 500);
    g_assert_true ((last == payload) == (padding == 0));
    gst_memory_unref (payload);
    gst_buffer_unref (sent);
    rig_free (rig);
  }
}

/* A flush that ends while the pad is being stopped must not bring its task back. */
static void
test_a_flush_starts_no_task_of_a_stopped_pad (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstPad *sinkpad = gst_element_get_static_pad (rig->send, "sink");
  GstPad *srcpad = gst_element_get_static_pad (rig->send, "src");
  gst_pad_set_active (srcpad, FALSE);
  gst_pad_send_event (sinkpad, gst_event_new_flush_start ());
  gst_pad_send_event (sinkpad, gst_event_new_flush_stop (TRUE));
  g_assert_cmpint (gst_pad_get_task_state (srcpad), ==, GST_TASK_STOPPED);
  gst_pad_set_active (srcpad, TRUE);
  g_assert_cmpint (gst_pad_get_task_state (srcpad), ==, GST_TASK_STARTED);
  gst_object_unref (sinkpad);
  gst_object_unref (srcpad);
  rig_free (rig);
}

static void
test_flushes_and_states_from_several_threads (void)
{
  GstElement *send = gst_object_ref_sink (gst_element_factory_make ("weirsend", NULL));
  GstPad *sinkpad = gst_element_get_static_pad (send, "sink");
  GstPad *srcpad = gst_element_get_static_pad (send, "src");
  assert_flushes_leave_task_stopped (send, sinkpad, srcpad);
  g_object_set (send, "stats-interval", G_GUINT64_CONSTANT (0), NULL); /* nothing is due then */
  assert_flushes_end (send, sinkpad);
  gst_element_set_state (send, GST_STATE_NULL);
  gst_object_unref (srcpad);
  gst_object_unref (sinkpad);
  gst_object_unref (send);
}

/* --- Without an element --- */

typedef struct
{
  GstWeirMember member; /* first: it is found from there */
  GstWeirSendQueue queue;
  GstWeirPacer pacer;
  GstElement *element;
  GstPad *peer;
  gchar left[8]; /* what arrived there: a character for each */
  gint n_left;   /* atomic */
} Alone;

static gint64
alone_next_due (GstWeirMember *member, gint64 now_ns)
{
  return gst_weir_send_queue_next_due_locked (&((Alone *) member)->queue, now_ns);
}

static void
ignore_output (G_GNUC_UNUSED GstWeirMember *self, G_GNUC_UNUSED const struct weir_output *former,
               G_GNUC_UNUSED gint64 now_ns)
{
}

static GstWeirChores
no_chores (G_GNUC_UNUSED GstElement *element, G_GNUC_UNUSED gint64 now_ns,
           G_GNUC_UNUSED gboolean packets_wait)
{
  return GST_WEIR_CHORES_NONE;
}

static void
ignore_leaving (G_GNUC_UNUSED GstElement *element, G_GNUC_UNUSED gint64 now_ns,
                G_GNUC_UNUSED guint n_packets, G_GNUC_UNUSED gboolean eos)
{
}

static void
note_left (Alone *alone, gchar name)
{
  gint n = g_atomic_int_get (&alone->n_left);
  g_assert_cmpint (n, <, (gint) sizeof alone->left - 1);
  alone->left[n] = name;
  g_atomic_int_inc (&alone->n_left);
}

static GstFlowReturn
peer_chain (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstBuffer *buffer)
{
  Alone *alone = gst_pad_get_element_private (pad);
  note_left (alone, (gchar) GST_BUFFER_OFFSET (buffer));
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
peer_event (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    note_left (gst_pad_get_element_private (pad), '.');
  }
  gst_event_unref (event);
  return TRUE;
}

static void
alone_push (Alone *alone, gchar name, guint32 ssrc, guint32 flags)
{
  GstWeirPushed pushed;
  GstWeirItem *item = g_slice_new (GstWeirItem);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1000, NULL);
  GST_BUFFER_OFFSET (buffer) = (guint64) name;
  *item
      = (GstWeirItem){ .object = GST_MINI_OBJECT_CAST (buffer),
                       .info = { .ssrc = ssrc, .timestamp = (guint32) name, .payload_bytes = 988 },
                       .rtp_bytes = 1000,
                       .flags = flags };
  g_assert_cmpint (gst_weir_send_queue_push (&alone->queue, item, &pushed), ==, GST_FLOW_OK);
  g_assert_cmpuint (pushed.media_bytes, ==, 988);
}

static void
alone_start (Alone *alone, GstClock *clock)
{
  static const GstWeirMemberEvents member_events
      = { .on_output_locked = ignore_output, .next_due_locked = alone_next_due };
  static const GstWeirPacerEvents pacer_events
      = { .plan_locked = no_chores, .on_leaving_locked = ignore_leaving };
  static const struct weir_param_value rate = { .name = "rate-bps", .value = 100000 };
  struct weir_sender_config config;
  gchar *why = NULL;
  GstPad *srcpad = gst_pad_new ("src", GST_PAD_SRC);
  weir_sender_config_init (&config);
  config.algorithm = "fixed";
  config.params = &rate;
  config.n_params = 1;
  alone->element = gst_object_ref_sink (gst_bin_new (NULL));
  gst_weir_member_init (&alone->member, alone->element, NULL, clock, &member_events);
  alone->member.own.sender = weir_sender_create (&config, 0, NULL);
  alone->member.own.members[alone->member.own.n_members++] = &alone->member;
  alone->member.number = 0;
  gst_weir_send_queue_init (&alone->queue, &alone->member);
  gst_weir_pacer_init (&alone->pacer, srcpad, alone->element, &alone->member, &alone->queue,
                       &pacer_events);
  alone->peer = gst_pad_new ("sink", GST_PAD_SINK);
  gst_pad_set_element_private (alone->peer, alone);
  gst_pad_set_chain_function (alone->peer, peer_chain);
  gst_pad_set_event_function (alone->peer, peer_event);
  gst_element_add_pad (alone->element, srcpad);
  g_assert_true (gst_weir_send_queue_start_locked (&alone->queue, &why));
  gst_weir_member_update_output_locked (&alone->member, 0);
  gst_pad_link (srcpad, alone->peer);
  gst_pad_set_active (alone->peer, TRUE);
}

static void
alone_begin_stream (Alone *alone)
{
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_weir_send_queue_push_event (&alone->queue, gst_event_new_stream_start ("alone"));
  gst_weir_send_queue_push_event (&alone->queue, gst_event_new_segment (&segment));
}

static void
alone_free (Alone *alone)
{
  gst_pad_set_active (alone->pacer.pad, FALSE);
  gst_weir_send_queue_stop (&alone->queue);
  weir_sender_destroy (alone->member.own.sender);
  gst_pad_set_active (alone->peer, FALSE);
  gst_object_unref (alone->peer);
  gst_object_unref (alone->element);
  gst_weir_pacer_clear (&alone->pacer);
  gst_weir_member_clear (&alone->member);
  g_free (alone);
}

/* It needs a pad, a path, a queue and nothing of weirsend. */
static void
test_the_pacer_alone_paces_and_lets_audio_pass (void)
{
  GstTestClock *clock = GST_TEST_CLOCK (gst_test_clock_new ());
  Alone *alone = g_new0 (Alone, 1);
  alone_start (alone, GST_CLOCK (clock));
  gst_pad_set_active (alone->pacer.pad, TRUE);
  alone_begin_stream (alone);
  alone_push (alone, 'a', 1, 0);
  alone_push (alone, 'b', 1, 0);
  gst_test_clock_wait_for_next_pending_id (clock, NULL); /* until b may leave */
  g_assert_cmpstr (alone->left, ==, "a");
  alone_push (alone, 'x', 2, WEIR_QUEUE_AUDIO);
  gst_weir_send_queue_push_event (&alone->queue, gst_event_new_eos ());
  while (g_atomic_int_get (&alone->n_left) < 2) {
    g_thread_yield ();
  }
  gst_test_clock_wait_for_next_pending_id (clock, NULL);
  g_assert_cmpstr (alone->left, ==, "ax");
  while (g_atomic_int_get (&alone->n_left) < 4) {
    gst_test_clock_crank (clock);
  }
  g_assert_cmpstr (alone->left, ==, "axb.");
  alone_free (alone);
  gst_object_unref (clock);
}

/* How many copies are asked for upstream, of which packets. */
static guint
count_requests (Rig *rig, guint newest_seq)
{
  guint n = 0;
  GstEvent *event;
  while ((event = gst_harness_try_pull_upstream_event (rig->h)) != NULL) {
    guint seqnum = 0;
    const GstStructure *request = gst_event_get_structure (event);
    if (request != NULL && gst_structure_has_name (request, "GstRTPRetransmissionRequest")) {
      g_assert_true (gst_structure_get_uint (request, "seqnum", &seqnum));
      g_assert_cmpuint (seqnum, <=, newest_seq);
      n++;
    }
    gst_event_unref (event);
  }
  return n;
}

/* gcc probes with its first packet, at three times its start: what the encoder has not made is
 * asked for once more, unless the application has not agreed. The pacer's thread asks when it comes
 * to it. */
static void
test_copies_are_asked_for_to_fill_a_probe (void)
{
  static const struct
  {
    const gchar *properties;
    gboolean asks;
  } rows[] = { { "algorithm=gcc encoders=none fill-probes=true", TRUE },
               { "algorithm=gcc encoders=none", FALSE },
               { FIXED_2M "encoders=none fill-probes=true", FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Rig *rig = rig_new (rows[i].properties, TWCC_CAPS);
    push_n (rig, 0, 1);
    rig_settle (rig);
    guint n = count_requests (rig, 0);
    for (guint k = 0; k < 2000 && rows[i].asks && n == 0; k++) {
      g_usleep (10 * 1000);
      n = count_requests (rig, 0);
    }
    g_assert_true ((n > 0) == rows[i].asks);
    g_assert_cmpuint (n * WIRE, <=, 15000 + WIRE);
    rig_free (rig);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_pacer/" #name, test_##name)
  ADD (twenty_packets_leave_evenly_over_96_ms);
  ADD (idle_time_gives_no_burst);
  ADD (without_pacing_packets_leave_at_once);
  ADD (only_packets_of_one_frame_leave_in_a_list);
  ADD (a_frame_leaves_in_bursts_of_the_quantum);
  ADD (no_packet_leaves_earlier_than_the_quantum_allows);
  ADD (events_keep_their_place_in_a_burst);
  ADD (numbers_go_on_through_a_burst);
  ADD (the_quantum_changes_while_playing);
  ADD (overhead_counts);
  ADD (events_keep_their_place_and_eos_is_last);
  ADD (sticky_events_come_first);
  ADD (eos_gives_up_packets_that_cannot_leave);
  ADD (downstreams_answer_reaches_upstream);
  ADD (not_linked_recovers);
  ADD (an_error_after_eos_is_posted);
  ADD (latency_grows_by_the_queues_bound);
  ADD (numbers_of_all_streams_are_one_series);
  ADD (numbering_does_not_change_shared_packets);
  ADD (numbering_does_not_copy_the_payload);
  ADD (a_flush_starts_no_task_of_a_stopped_pad);
  ADD (flushes_and_states_from_several_threads);
  ADD (the_pacer_alone_paces_and_lets_audio_pass);
  ADD (copies_are_asked_for_to_fill_a_probe);
  return g_test_run ();
}
