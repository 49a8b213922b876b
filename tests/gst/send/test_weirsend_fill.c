/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets are asked for once more, and how many. */
#include "send/weirsend_fill.h"

#define SSRC 7u

static GstWeirFill
fill_after (guint n_packets, guint32 wire_bytes)
{
  GstWeirFill fill = { .on = TRUE };
  for (guint i = 0; i < n_packets; i++) {
    gst_weir_fill_on_media (&fill, &(GstWeirFillPacket){ SSRC, (guint16) i, wire_bytes });
  }
  return fill;
}

static void
test_as_much_as_the_probe_lacks (void)
{
  static const struct
  {
    guint n_packets;
    guint32 wire_bytes;
    gint64 left_bytes;
    guint n;
    guint16 first, last;
  } rows[] = { { 5, 1200, 4800, 4, 4, 1 },    { 5, 1200, 4801, 5, 4, 0 },
               { 5, 1200, 1, 1, 4, 4 },       { 2, 1200, 4800, 4, 1, 0 }, /* each twice */
               { 40, 1200, 4800, 4, 39, 36 }, { 40, 100, 15000, GST_WEIR_FILL_MAX, 39, 24 },
               { 5, 1200, 0, 0, 0, 0 },       { 0, 1200, 4800, 0, 0, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstWeirFillPacket packets[GST_WEIR_FILL_MAX] = { { 0 } };
    GstWeirFill fill = fill_after (rows[i].n_packets, rows[i].wire_bytes);
    guint n = gst_weir_fill_plan (&fill, rows[i].left_bytes, packets);
    g_assert_cmpuint (n, ==, rows[i].n);
    g_assert_cmpuint (packets[0].seq, ==, rows[i].first);
    g_assert_cmpuint (packets[n > 0 ? n - 1 : 0].seq, ==, rows[i].last);
  }
}

static void
test_once_for_each_probe (void)
{
  GstWeirFillPacket packets[GST_WEIR_FILL_MAX];
  GstWeirFill fill = fill_after (5, 1200);
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 4800, packets), ==, 4);
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 4800, packets), ==, 0);
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 2400, packets), ==, 0);
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 0, packets), ==, 0);
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 2400, packets), ==, 2);
}

static void
test_a_new_run_asks_for_nothing_of_the_last (void)
{
  GstWeirFillPacket packets[GST_WEIR_FILL_MAX];
  GstWeirFill fill = fill_after (5, 1200);
  gst_weir_fill_reset (&fill);
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 4800, packets), ==, 0);
  gst_weir_fill_on_media (&fill, &(GstWeirFillPacket){ SSRC, 9, 1200 });
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 1, packets), ==, 1);
  g_assert_cmpuint (packets[0].seq, ==, 9);
}

/* What a receiver asked for, or FEC, is none. */
static void
test_what_was_asked_for_is_told_from_other_repair (void)
{
  GstWeirFillPacket packets[GST_WEIR_FILL_MAX];
  GstWeirFill fill = fill_after (5, 1200);
  g_assert_false (gst_weir_fill_on_repair (&fill));
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 2400, packets), ==, 2);
  g_assert_true (gst_weir_fill_on_repair (&fill));
  g_assert_true (gst_weir_fill_on_repair (&fill));
  g_assert_false (gst_weir_fill_on_repair (&fill));
  gst_weir_fill_plan (&fill, 0, packets);
  gst_weir_fill_plan (&fill, 2400, packets);
  gst_weir_fill_plan (&fill, 0, packets); /* the probe is over: what still comes is repair */
  g_assert_false (gst_weir_fill_on_repair (&fill));
}

static void
test_nothing_while_it_is_off (void)
{
  GstWeirFillPacket packets[GST_WEIR_FILL_MAX];
  GstWeirFill fill = fill_after (5, 1200);
  fill.on = FALSE;
  g_assert_cmpuint (gst_weir_fill_plan (&fill, 4800, packets), ==, 0);
}

/* As rtprtxsend gets them of a session. */
static void
test_a_request_names_the_packet (void)
{
  guint seqnum = 0, ssrc = 0;
  GstEvent *event = gst_weir_fill_make_request (&(GstWeirFillPacket){ SSRC, 65535, 1200 });
  const GstStructure *request = gst_event_get_structure (event);
  g_assert_cmpint (GST_EVENT_TYPE (event), ==, GST_EVENT_CUSTOM_UPSTREAM);
  g_assert_true (gst_structure_has_name (request, "GstRTPRetransmissionRequest"));
  g_assert_true (gst_structure_get (request, "seqnum", G_TYPE_UINT, &seqnum, "ssrc", G_TYPE_UINT,
                                    &ssrc, NULL));
  g_assert_cmpuint (seqnum, ==, 65535);
  g_assert_cmpuint (ssrc, ==, SSRC);
  gst_event_unref (event);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/weirsend/fill/as_much_as_the_probe_lacks", test_as_much_as_the_probe_lacks);
  g_test_add_func ("/weirsend/fill/once_for_each_probe", test_once_for_each_probe);
  g_test_add_func ("/weirsend/fill/a_new_run_asks_for_nothing_of_the_last",
                   test_a_new_run_asks_for_nothing_of_the_last);
  g_test_add_func ("/weirsend/fill/asked_for_and_other_repair",
                   test_what_was_asked_for_is_told_from_other_repair);
  g_test_add_func ("/weirsend/fill/nothing_while_it_is_off", test_nothing_while_it_is_off);
  g_test_add_func ("/weirsend/fill/a_request_names_the_packet", test_a_request_names_the_packet);
  return g_test_run ();
}
