/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recv/recv_harness.h"

static void
test_rtcp_pads_come_and_go_while_playing (void)
{
  Rig *rig = rig_new ("", RTP_CAPS);

  for (guint i = 0; i < 50; i++) {
    GstPad *sink = gst_element_request_pad_simple (rig->recv, "rtcp_sink");
    g_assert_nonnull (sink);
    rig_send (rig, (guint16) i, FALSE, FALSE);
    rig_run (rig, MS (1000) + MS (10) * (i + 1));
    gst_element_release_request_pad (rig->recv, sink);
    gst_object_unref (sink);
  }
  gst_harness_teardown (rig->rtcp); /* rtcp_src goes, media goes on */
  rig_send (rig, 50, FALSE, FALSE);
  rig_run (rig, MS (2500));
  rig->rtcp = gst_harness_new_with_element (rig->recv, NULL, "rtcp_src");
  for (guint i = 51; i < 70; i++) {
    rig_send (rig, (guint16) i, FALSE, FALSE);
    rig_run (rig, MS (2500) + MS (10) * (i - 50));
  }
  g_assert_cmpuint (rig_read (rig), >=, 2);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirrecv_rtcp/" #name, test_##name)
  ADD (rtcp_pads_come_and_go_while_playing);
  return g_test_run ();
}
