/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each RTP session of a group counts for itself, members behind one session count together, and
 * what a session says is read once. */
#include "send/group_harness.h"

#define MEMBER "algorithm=fixed params=\"params,rate-bps=2000000\" encoders=none group=call"

G_GNUC_BEGIN_IGNORE_DEPRECATIONS

/* Results on the packets of one stream with numbers from 0 to n - 1, which left 10 ms apart. */
static GstEvent *
results (guint n, gint lost)
{
  GValue value = G_VALUE_INIT;
  GValueArray *packets = g_value_array_new (n);
  GstStructure *structure = gst_structure_new_empty ("RTPTWCCPackets");
  for (guint i = 0; i < n; i++) {
    GValue item = G_VALUE_INIT;
    GstClockTime sent = i * 10 * GST_MSECOND;
    g_value_init (&item, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&item,
                        gst_structure_new ("RTPTWCCPacket", "seqnum", G_TYPE_UINT, i, "local-ts",
                                           G_TYPE_UINT64, sent, "remote-ts", G_TYPE_UINT64,
                                           sent + 20 * GST_MSECOND, "size", G_TYPE_UINT, 480,
                                           "lost", G_TYPE_BOOLEAN, (gint) i == lost, NULL));
    g_value_array_append (packets, &item);
    g_value_unset (&item);
  }
  g_value_init (&value, g_value_array_get_type ());
  g_value_take_boxed (&value, packets);
  gst_structure_take_value (structure, "packets", &value);
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, structure);
}

G_GNUC_END_IGNORE_DEPRECATIONS

static void
test_members_without_a_session_have_numbers_of_their_own (void)
{
  Group group;
  group_begin (&group);
  for (guint i = 0; i < 3; i++) {
    group_add (&group, MEMBER, TWCC_CAPS);
  }
  for (guint k = 0; k < 20; k++) {
    group_run_until (&group, k * 10 * GST_MSECOND);
    for (guint i = 0; i < 3; i++) {
      gst_harness_push (group.rigs[i]->h, rtp_full (k, k * 900, TRUE, 500, SSRC + i, (gint) k));
    }
  }
  group_run (&group, 100 * GST_MSECOND);
  gst_harness_push_upstream_event (group.rigs[0]->h, results (20, -1));
  g_assert_cmpuint (rig_stat (group.rigs[1], "packets-received"), ==, 20);
  gst_harness_push_upstream_event (group.rigs[1]->h, results (20, 7));
  g_assert_cmpuint (rig_stat (group.rigs[1], "packets-received"), ==, 39);
  g_assert_cmpuint (rig_stat (group.rigs[2], "packets-lost"), ==, 1);
  gst_element_set_state (group.rigs[1]->send, GST_STATE_READY); /* its numbers are nobody's now */
  gst_harness_push_upstream_event (group.rigs[2]->h, results (20, -1));
  g_assert_cmpuint (rig_stat (group.rigs[2], "packets-received"), ==, 59);
  g_assert_cmpuint (rig_stat (group.rigs[2], "results-repeated"), ==, 0);
  group_end (&group);
}

/* Seven have their own; the numbers of more would be taken for each other's. */
static void
test_numbers_of_too_many_members_mean_nothing (void)
{
  enum
  {
    OWN = 7,
    MANY = 9
  };
  Group group;
  group_begin (&group);
  for (guint i = 0; i < MANY; i++) {
    group_add (&group, MEMBER, TWCC_CAPS);
  }
  for (guint k = 0; k < 20; k++) {
    group_run_until (&group, k * 10 * GST_MSECOND);
    for (guint i = 0; i < MANY; i++) {
      gst_harness_push (group.rigs[i]->h, rtp_full (k, k * 900, TRUE, 200, SSRC + i, (gint) k));
    }
  }
  group_run (&group, 100 * GST_MSECOND);
  for (guint i = 0; i < OWN; i++) {
    rig_expect_silence (group.rigs[i]);
  }
  for (guint i = OWN; i < MANY; i++) {
    gst_harness_push_upstream_event (group.rigs[i]->h, results (20, 7));
    rig_expect_warning (group.rigs[i], "group \"call\"|of 7 RTP sessions|RFC 8888|bundle");
    rig_expect_silence (group.rigs[i]);
  }
  g_assert_cmpuint (rig_stat (group.rigs[0], "packets-received"), ==, 0);
  g_assert_cmpuint (rig_stat (group.rigs[0], "packets-lost"), ==, 0);
  gst_harness_push_upstream_event (group.rigs[0]->h, results (20, 7));
  g_assert_cmpuint (rig_stat (group.rigs[0], "packets-received"), ==, 19);
  group_end (&group);
}

typedef struct
{
  Group group;
  GstElement *funnel, *session;
  GObject *rtp_session;
  GstHarness *out;
} Bundle;

static void
bundle_begin (Bundle *bundle)
{
  group_begin (&bundle->group);
  bundle->funnel = gst_object_ref_sink (gst_element_factory_make ("funnel", NULL));
  bundle->session = gst_object_ref_sink (gst_element_factory_make ("rtpsession", NULL));
  g_assert_true (gst_element_link_pads (bundle->funnel, "src", bundle->session, "send_rtp_sink"));
  bundle->out = gst_harness_new_with_element (bundle->session, NULL, "send_rtp_src");
  gst_element_set_state (bundle->funnel, GST_STATE_PLAYING);
  g_object_get (bundle->session, "internal-session", &bundle->rtp_session, NULL);
  for (guint i = 0; i < 2; i++) {
    Rig *rig = group_add_idle (&bundle->group, MEMBER);
    g_assert_true (gst_element_link (rig->send, bundle->funnel));
    rig->h = gst_harness_new_with_element (rig->send, "sink", NULL);
    gst_harness_set_src_caps_str (rig->h, TWCC_CAPS);
    gst_harness_push (rig->h, rtp_full (0, 0, TRUE, 500, SSRC + i, (gint) i));
  }
  for (guint i = 0; i < 2; i++) { /* they have found the session */
    GObject *found = NULL;
    while (found == NULL) {
      g_object_get (bundle->group.rigs[i]->send, "rtp-session", &found, NULL);
      g_thread_yield ();
    }
    g_assert_true (found == bundle->rtp_session);
    g_object_unref (found);
  }
}

static void
bundle_end (Bundle *bundle)
{
  for (guint i = 0; i < 2; i++) {
    gst_element_set_state (bundle->group.rigs[i]->send, GST_STATE_NULL);
    gst_element_unlink (bundle->group.rigs[i]->send, bundle->funnel);
  }
  group_end (&bundle->group);
  gst_harness_teardown (bundle->out);
  g_object_unref (bundle->rtp_session);
  gst_element_set_state (bundle->funnel, GST_STATE_NULL);
  gst_element_set_state (bundle->session, GST_STATE_NULL);
  gst_element_unlink (bundle->funnel, bundle->session);
  gst_object_unref (bundle->funnel);
  gst_object_unref (bundle->session);
}

static void
test_what_a_session_says_is_read_once (void)
{
  static const guint8 bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 9 };
  Bundle bundle;
  bundle_begin (&bundle);
  Rig *one = bundle.group.rigs[0];
  GstPad *pad = gst_element_get_static_pad (bundle.funnel, "src");
  gst_pad_send_event (pad, results (2, -1)); /* the funnel hands it to both */
  gst_object_unref (pad);
  g_assert_cmpuint (rig_stat (one, "feedback-results"), ==, 1);
  g_assert_cmpuint (rig_stat (one, "results-repeated"), ==, 0);
  GstBuffer *buffer = gst_buffer_new_memdup (bye, sizeof bye);
  guint64 before = rig_stat (one, "rtcp-packets") + rig_stat (one, "rtcp-unknown");
  g_signal_emit_by_name (bundle.rtp_session, "on-receiving-rtcp", buffer);
  g_assert_cmpuint (rig_stat (one, "rtcp-packets") + rig_stat (one, "rtcp-unknown"), ==,
                    before + 1);
  gst_element_set_state (one->send, GST_STATE_READY); /* the other goes on listening */
  Rig *other = bundle.group.rigs[1];
  g_signal_emit_by_name (bundle.rtp_session, "on-receiving-rtcp", buffer);
  g_assert_cmpuint (rig_stat (other, "rtcp-packets") + rig_stat (other, "rtcp-unknown"), ==,
                    before + 2);
  g_assert_cmpuint (rig_stat (other, "rtcp-datagrams"), ==, 2); /* it has heard both */
  gst_buffer_unref (buffer);
  bundle_end (&bundle);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_transport/" #name, test_##name)
  ADD (members_without_a_session_have_numbers_of_their_own);
  ADD (numbers_of_too_many_members_mean_nothing);
  ADD (what_a_session_says_is_read_once);
  return g_test_run ();
}
