/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element in a harness: what comes out of it, and how it ends. */
#include "udp_peer.h"

#include <gst/check/gstharness.h>
#include <gst/net/gstnetcontrolmessagemeta.h>
#include <string.h>

#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"

typedef struct
{
  GstHarness *harness;
  GstElement *src;
  GSocket *peer;
  gint port;
} Rig;

static void
begin (Rig *rig, const gchar *properties)
{
  g_autofree gchar *line
      = g_strdup_printf ("weirudpsrc address=127.0.0.1 port=0 caps=\"" CAPS "\" %s", properties);
  rig->harness = gst_harness_new_parse (line);
  rig->src = gst_harness_find_element (rig->harness, "weirudpsrc");
  gst_harness_use_systemclock (rig->harness);
  gst_harness_play (rig->harness);
  g_object_get (rig->src, "port", &rig->port, NULL);
  g_assert_cmpint (rig->port, >, 0);
  rig->peer = peer_new (FALSE);
}

static void
end (Rig *rig)
{
  g_object_unref (rig->peer);
  gst_object_unref (rig->src);
  gst_harness_teardown (rig->harness);
}

static void
test_packets_come_out (void)
{
  Rig rig;
  begin (&rig, "");
  peer_set_tos (rig.peer, 3);
  for (guint8 i = 0; i < 100; i++) {
    peer_send (rig.peer, (guint16) rig.port, &i, 1);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (rig.harness);
    g_assert_cmpint (gst_buffer_memcmp (buffer, 0, &i, 1), ==, 0);
    g_assert_true (GST_BUFFER_PTS_IS_VALID (buffer));
    g_assert_nonnull (gst_buffer_get_meta (buffer, GST_NET_CONTROL_MESSAGE_META_API_TYPE));
  }
  end (&rig);
}

/* Timestamps are of the arrival, so they never go back and lie before what the clock says now. */
static void
test_timestamps (void)
{
  Rig rig;
  GstClockTime former = 0;
  begin (&rig, "");
  for (guint i = 0; i < 30; i++) {
    peer_send (rig.peer, (guint16) rig.port, "x", 1);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (rig.harness);
    g_autoptr (GstClock) clock = gst_element_get_clock (rig.src);
    GstClockTime now = gst_clock_get_time (clock) - gst_element_get_base_time (rig.src);
    g_assert_cmpuint (GST_BUFFER_DTS (buffer), ==, GST_BUFFER_PTS (buffer));
    g_assert_cmpuint (GST_BUFFER_PTS (buffer) + GST_MSECOND, >=, former);
    g_assert_cmpuint (GST_BUFFER_PTS (buffer), <=, now);
    former = GST_BUFFER_PTS (buffer);
  }
  end (&rig);
}

static void
test_caps_are_those_set (void)
{
  Rig rig;
  begin (&rig, "");
  peer_send (rig.peer, (guint16) rig.port, "x", 1);
  gst_buffer_unref (gst_harness_pull (rig.harness));
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (rig.harness->sinkpad);
  g_autoptr (GstCaps) set = gst_caps_from_string (CAPS);
  g_assert_true (gst_caps_is_equal (caps, set));
  end (&rig);
}

/* It waits for packets, and stops at once when told; and again on the same port. */
static void
test_it_stops_and_starts (void)
{
  Rig rig;
  begin (&rig, "");
  for (guint i = 0; i < 5; i++) {
    gst_element_set_state (rig.src, GST_STATE_NULL);
    GSocket *used = NULL;
    g_object_get (rig.src, "used-socket", &used, NULL);
    g_assert_null (used);
    g_object_set (rig.src, "port", rig.port, NULL);
    gst_harness_play (rig.harness);
    peer_send (rig.peer, (guint16) rig.port, "x", 1);
    gst_buffer_unref (gst_harness_pull (rig.harness));
  }
  end (&rig);
}

static void
test_silence_is_told (void)
{
  GstElement *pipeline
      = gst_parse_launch ("weirudpsrc address=127.0.0.1 port=0 timeout=20000000 ! fakesink", NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstMessage *message
      = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_true (gst_message_has_name (message, "GstUDPSrcTimeout"));
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* What is said names the port and the reason. */
static void
test_a_port_in_use_is_an_error (void)
{
  Rig rig;
  begin (&rig, "reuse=false");
  g_autofree gchar *line
      = g_strdup_printf ("weirudpsrc address=127.0.0.1 reuse=false port=%d ! fakesink", rig.port);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), ==,
                   GST_STATE_CHANGE_FAILURE);
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;
  gst_message_parse_error (message, &error, NULL);
  g_assert_nonnull (strstr (error->message, "127.0.0.1 port "));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  end (&rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/weirudpsrc/packets_come_out", test_packets_come_out);
  g_test_add_func ("/weirudpsrc/timestamps", test_timestamps);
  g_test_add_func ("/weirudpsrc/caps_are_those_set", test_caps_are_those_set);
  g_test_add_func ("/weirudpsrc/it_stops_and_starts", test_it_stops_and_starts);
  g_test_add_func ("/weirudpsrc/silence_is_told", test_silence_is_told);
  g_test_add_func ("/weirudpsrc/a_port_in_use_is_an_error", test_a_port_in_use_is_an_error);
  return g_test_run ();
}
