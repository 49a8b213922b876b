/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of weirrecv share: the element on a test clock, RTP made by hand, and a
 * weir_sender that reads the feedback. */
#ifndef RECV_HARNESS_H
#define RECV_HARNESS_H

#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/gst.h>
#include <string.h>

#include "test_clock.h"
#include "weir/weir.h"

#define MS(x) ((GstClockTime) (x) *GST_MSECOND)
#define RTP_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"
#define TWCC_CAPS RTP_CAPS ",extmap-3=(string)" WEIR_TWCC_URI
#define SSRC 0x11223344u
#define SIZE 1000

typedef struct
{
  GstTestClock *clock;
  GstElement *recv;
  GstHarness *h;    /* media */
  GstHarness *rtcp; /* what leaves on rtcp_src */
  struct weir_sender *sender;
  guint datagrams; /* fed to the sender */
  guint64 taken;   /* of what the element built since it was last started */
} Rig;

G_GNUC_UNUSED static Rig *
rig_new (const gchar *properties, const gchar *caps)
{
  Rig *rig = g_new0 (Rig, 1);
  gchar *text = g_strdup_printf ("weirrecv stats-interval=3600000000000 %s", properties);
  GError *error = NULL;
  struct weir_sender_config config;
  rig->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (MS (1000)));
  gst_system_clock_set_default (GST_CLOCK (rig->clock));
  rig->recv = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  gst_object_ref_sink (rig->recv);
  g_free (text);
  rig->rtcp = gst_harness_new_with_element (rig->recv, NULL, "rtcp_src");
  rig->h = gst_harness_new_with_element (rig->recv, "sink", "src");
  gst_harness_set_src_caps_str (rig->h, caps);
  weir_sender_config_init (&config);
  rig->sender = weir_sender_create (&config, (int64_t) MS (900), NULL);
  g_assert_nonnull (rig->sender);
  return rig;
}

G_GNUC_UNUSED static void
rig_free (Rig *rig)
{
  gst_harness_teardown (rig->rtcp);
  gst_harness_teardown (rig->h);
  gst_element_set_state (rig->recv, GST_STATE_NULL);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (rig->recv), ==, 1);
  gst_object_unref (rig->recv);
  weir_sender_destroy (rig->sender);
  gst_system_clock_set_default (NULL);
  gst_object_unref (rig->clock);
  g_free (rig);
}

static int64_t
rig_now (Rig *rig)
{
  return (int64_t) gst_clock_get_time (GST_CLOCK (rig->clock));
}

/* An RTP packet of SIZE bytes; with the transport-wide number in extension 3 when wide. */
G_GNUC_UNUSED static GstBuffer *
rtp_packet (guint16 seq, gboolean wide)
{
  static const guint8 extension[8] = { 0xbe, 0xde, 0, 1, 0x31, 0, 0, 0 };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);
  guint8 header[12] = { 0x80, 96 };
  header[0] = wide ? 0x90 : 0x80;
  GST_WRITE_UINT16_BE (header + 2, seq);
  GST_WRITE_UINT32_BE (header + 4, seq * 900u);
  GST_WRITE_UINT32_BE (header + 8, SSRC);
  gst_buffer_memset (buffer, 0, 0, SIZE);
  gst_buffer_fill (buffer, 0, header, 12);
  if (wide) {
    guint8 bytes[8];
    memcpy (bytes, extension, 8);
    bytes[5] = (guint8) (seq >> 8);
    bytes[6] = (guint8) seq;
    gst_buffer_fill (buffer, 12, bytes, 8);
  }
  return buffer;
}

/* The sender sends a packet; unless lost, it arrives 10 ms later. */
G_GNUC_UNUSED static void
rig_send (Rig *rig, guint16 seq, gboolean wide, gboolean lost)
{
  struct weir_sent sent = { .ssrc = SSRC,
                            .rtp_timestamp = seq * 900u,
                            .rtp_seq = seq,
                            .transport_seq = seq,
                            .has_transport_seq = wide,
                            .rtp_bytes = SIZE,
                            .payload_bytes = SIZE - 12 };
  g_assert_cmpint (weir_sender_on_sent (rig->sender, rig_now (rig) - (int64_t) MS (10), &sent), ==,
                   WEIR_OK);
  if (!lost) {
    g_assert_cmpint (gst_harness_push (rig->h, rtp_packet (seq, wide)), ==, GST_FLOW_OK);
  }
}

G_GNUC_UNUSED static void
rig_run (Rig *rig, GstClockTime until)
{
  run_clock (rig->clock, until);
}

/* A statistic of the element as a double. */
G_GNUC_UNUSED static gdouble
rig_stat (Rig *rig, const gchar *name)
{
  GstStructure *stats;
  GValue number = G_VALUE_INIT;
  gdouble value;
  g_object_get (rig->recv, "stats", &stats, NULL);
  g_assert_true (gst_structure_has_field (stats, name));
  g_value_init (&number, G_TYPE_DOUBLE);
  g_assert_true (g_value_transform (gst_structure_get_value (stats, name), &number));
  value = g_value_get_double (&number);
  gst_structure_free (stats);
  return value;
}

/* The next datagram of those built until now, or NULL: rtcp_src has a task, which pushes them in
 * its own time. */
G_GNUC_UNUSED static GstBuffer *
rig_pull (Rig *rig)
{
  GstBuffer *buffer = NULL;
  if ((gdouble) rig->taken < rig_stat (rig, "feedback-packets")) {
    buffer = gst_harness_pull (rig->rtcp);
    g_assert_nonnull (buffer);
    rig->taken++;
  }
  return buffer;
}

/* Gives the sender the feedback that was built until now. */
G_GNUC_UNUSED static guint
rig_read (Rig *rig)
{
  GstBuffer *buffer;
  guint n = 0;
  while ((buffer = rig_pull (rig)) != NULL) {
    GstMapInfo map;
    g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
    g_assert_cmpint (weir_sender_on_rtcp (rig->sender, rig_now (rig), 0, map.data, map.size), ==,
                     WEIR_OK);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
    n++;
  }
  rig->datagrams += n;
  return n;
}

#endif
