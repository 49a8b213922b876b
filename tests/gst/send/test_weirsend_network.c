/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes that the network adds: found out from what is behind the element, followed when that
 * changes, and counted; and a warning when RTCP is encrypted but the media is not. */
#include "send/send_harness.h"
#include "send/weirsend_network.h"

GST_DEBUG_CATEGORY (gst_weir_send_debug);

#define KEY "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d"
#define GCM_KEY "101112131415161718191a1b1c1d1e1f202122232425262728292a2b"
#define ENC "srtpenc name=e key=" KEY
#define DTLS                                                                                       \
  " ! d.rtp_sink_0 dtlssrtpenc name=d connection-id=x key=" KEY                                    \
  " srtp-cipher=aes-128-icm srtcp-cipher=aes-128-icm "                                             \
  "srtp-auth=hmac-sha1-80 srtcp-auth=hmac-sha1-80 d.src"
#define SEND "weirsend name=s encoders=none stats-interval=3600000000000 "
#define END " ! fakesink async=false"

/* A part of a pipeline whose weirsend is "s", fed by hand. The sessions in it have timers of their
 * own, so time is the machine's; nothing here depends on it. */
typedef struct
{
  GstElement *pipeline;
  GstHarness *h;
  Rig rig; /* of the element, for what the others' helpers do */
  guint n;
  GMutex lock;
  GCond passed;
  guint n_passed;
} Part;

static GstPadProbeReturn
on_packet (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, gpointer user)
{
  Part *part = user;
  g_mutex_lock (&part->lock);
  part->n_passed++;
  g_cond_signal (&part->passed);
  g_mutex_unlock (&part->lock);
  return GST_PAD_PROBE_OK;
}

static void
part_begin (Part *part, const gchar *line)
{
  memset (part, 0, sizeof *part);
  g_mutex_init (&part->lock);
  g_cond_init (&part->passed);
  part->pipeline = gst_parse_launch (line, NULL);
  part->rig.send = gst_bin_get_by_name (GST_BIN (part->pipeline), "s");
  part->rig.bus = gst_element_get_bus (part->pipeline);
  GstPad *pad = gst_element_get_static_pad (part->rig.send, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet, part, NULL);
  gst_object_unref (pad);
  gst_element_set_state (part->pipeline, GST_STATE_PLAYING);
  part->h = gst_harness_new_with_element (part->rig.send, "sink", NULL);
  gst_harness_set_src_caps_str (part->h, VIDEO_CAPS ",ssrc=(uint)287454020");
}

/* One packet, and until it leaves: the element has looked around by then. */
static void
part_push (Part *part)
{
  gint64 end_us = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  gst_harness_push (part->h, rtp (part->n++, 1000));
  g_mutex_lock (&part->lock);
  while (part->n_passed < part->n) {
    g_assert_true (g_cond_wait_until (&part->passed, &part->lock, end_us));
  }
  g_mutex_unlock (&part->lock);
}

static guint64
part_overhead (Part *part)
{
  return rig_stat (&part->rig, "overhead-bytes");
}

static void
part_end (Part *part)
{
  gst_element_set_state (part->pipeline, GST_STATE_NULL);
  gst_harness_teardown (part->h);
  gst_object_unref (part->rig.bus);
  gst_object_unref (part->pipeline);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (part->rig.send), ==, 1);
  gst_object_unref (part->rig.send);
  g_cond_clear (&part->passed);
  g_mutex_clear (&part->lock);
}

static gboolean
has_elements (const gchar *names)
{
  gchar **list = g_strsplit (names, " ", -1);
  gboolean all = TRUE;
  for (guint i = 0; list[i] != NULL; i++) {
    GstElementFactory *factory = gst_element_factory_find (list[i]);
    all = all && factory != NULL;
    g_clear_object (&factory);
  }
  g_strfreev (list);
  return all;
}

static void
test_what_is_behind_is_counted (void)
{
  static const struct
  {
    const gchar *needs, *line;
    guint bytes;
  } cases[] = {
    { "fakesink", SEND END, 28 },
    { "srtpenc", SEND " ! " ENC END, 38 },
    { "srtpenc", SEND " ! " ENC " rtp-auth=hmac-sha1-32" END, 32 },
    { "srtpenc",
      SEND " ! srtpenc rtp-cipher=aes-128-gcm rtp-auth=null rtcp-cipher=aes-128-gcm rtcp-auth=null "
           "key=" GCM_KEY END,
      44 },
    { "srtpenc", SEND " ! " ENC " mki=01020304" END, 42 },
    { "srtpenc", SEND " ! " ENC " rtp-cipher=null rtp-auth=null" END, 28 },
    { "srtpenc", SEND " ! queue ! funnel ! identity ! " ENC " ! queue" END, 38 },
    { "srtpenc rtpsession",
      SEND
      " ! rtpsession.send_rtp_sink rtpsession name=rtpsession rtpsession.send_rtp_src ! " ENC END,
      38 },
    { "srtpenc rtpbin",
      SEND " ! b.send_rtp_sink_0 rtpbin name=b b.send_rtp_src_0 ! " ENC " ! queue" END, 38 },
    { "dtlssrtpenc", SEND DTLS END, 38 },
    { "srtpenc udpsink", SEND " ! udpsink host=::1 port=9 sync=false async=false", 48 },
    { "srtpenc udpsink", SEND " ! " ENC " ! udpsink host=::1 port=9 sync=false async=false", 58 },
    { "srtpenc udpsink", SEND " ! udpsink host=127.0.0.1 port=9 sync=false async=false", 28 },
    /* that is another way */
    { "srtpenc", SEND " ! weirrecv ! " ENC END, 28 },
    { "srtpenc", SEND " overhead=100 ! " ENC END, 100 },
    { "srtpenc", SEND " overhead=0 ! " ENC END, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Part part;
    if (!has_elements (cases[i].needs)) {
      g_test_message ("without %s", cases[i].needs);
      continue;
    }
    g_test_message ("%s", cases[i].line);
    part_begin (&part, cases[i].line);
    for (guint k = 0; k < 3; k++) {
      part_push (&part);
    }
    g_assert_cmpuint (part_overhead (&part), ==, cases[i].bytes);
    g_assert_cmpuint (rig_stat (&part.rig, "packets-sent"), ==, 3);
    g_assert_cmpuint (rig_stat (&part.rig, "bytes-sent-wire"), ==, 3 * (1000 + cases[i].bytes));
    part_end (&part);
  }
}

/* As DTLS does when it has negotiated. */
static void
test_a_cipher_that_changes_is_followed (void)
{
  Part part;
  if (!has_elements ("srtpenc")) {
    g_test_skip ("no srtpenc on this machine");
    return;
  }
  part_begin (&part, SEND " ! " ENC END);
  GstElement *encoder = gst_bin_get_by_name (GST_BIN (part.pipeline), "e");
  part_push (&part);
  g_assert_cmpuint (part_overhead (&part), ==, 38);
  gst_util_set_object_arg (G_OBJECT (encoder), "rtp-auth", "hmac-sha1-32");
  part_push (&part);
  g_assert_cmpuint (part_overhead (&part), ==, 32);
  g_object_set (part.rig.send, "overhead", 60, NULL);
  part_push (&part);
  g_assert_cmpuint (part_overhead (&part), ==, 60);
  g_object_set (part.rig.send, "overhead", -1, NULL);
  g_assert_cmpuint (part_overhead (&part), ==, 32);
  gst_object_unref (encoder);
  part_end (&part);
}

static void
test_new_links_are_followed (void)
{
  Part part;
  if (!has_elements ("srtpenc")) {
    g_test_skip ("no srtpenc on this machine");
    return;
  }
  part_begin (&part, SEND " ! identity name=i ! fakesink name=end async=false");
  GstElement *before = gst_bin_get_by_name (GST_BIN (part.pipeline), "i");
  GstElement *end = gst_bin_get_by_name (GST_BIN (part.pipeline), "end");
  GstElement *encoder = gst_parse_launch (ENC, NULL);
  part_push (&part);
  g_assert_cmpuint (part_overhead (&part), ==, 28);
  gst_element_unlink (before, end);
  gst_bin_add (GST_BIN (part.pipeline), encoder);
  g_assert_true (gst_element_link_pads (before, "src", encoder, "rtp_sink_0"));
  g_assert_true (gst_element_link_pads (encoder, "rtp_src_0", end, "sink"));
  gst_element_sync_state_with_parent (encoder);
  part_push (&part);
  g_assert_cmpuint (part_overhead (&part), ==, 38);
  gst_object_unref (end);
  gst_object_unref (before);
  part_end (&part);
}

static guint
count_warnings (Part *part, const gchar *word)
{
  guint n = 0;
  gchar *text;
  while ((text = bus_pop_text (part->rig.bus, GST_MESSAGE_WARNING)) != NULL) {
    n += strstr (text, word) != NULL;
    g_free (text);
  }
  return n;
}

static void
test_what_delays_packets_behind_us_is_said_once (void)
{
  static const struct
  {
    const gchar *line, *word;
    guint n;
  } cases[] = {
    { SEND " ! udpsink port=9 sync=false async=false", "sync=false", 0 },
    { SEND " ! udpsink port=9 async=false", "sync=false", 1 },
    { SEND " ! identity ! multiudpsink clients=127.0.0.1:9 async=false", "sync=false", 1 },
    { SEND END, "sync=false", 0 },
    { SEND " ! identity ! weirsend encoders=none" END, "Another weirsend", 1 },
    { SEND END, "Another weirsend", 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Part part;
    part_begin (&part, cases[i].line);
    for (guint k = 0; k < 3; k++) {
      gst_element_send_event (part.rig.send, gst_event_new_reconfigure ());
      part_push (&part);
    }
    g_assert_cmpuint (count_warnings (&part, cases[i].word), ==, cases[i].n);
    part_end (&part);
  }
}

#ifdef WEIR_HAVE_SRTP

static void
test_media_in_the_clear_is_said_once (void)
{
  static const struct
  {
    const gchar *line;
    guint n;
  } cases[] = {
    { SEND END, 0 },
    { SEND " srtp-key=" KEY END, 1 },
    { SEND " srtp-key=" KEY " ! " ENC " rtp-cipher=null rtp-auth=null" END, 1 },
    { SEND " srtp-key=" KEY " ! " ENC END, 0 },
    { SEND " srtp-key=" KEY DTLS END, 0 },
  };
  if (!has_elements ("srtpenc dtlssrtpenc")) {
    g_test_skip ("no srtpenc or dtlssrtpenc on this machine");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Part part;
    part_begin (&part, cases[i].line);
    for (guint k = 0; k < 5; k++) {
      gst_element_send_event (part.rig.send, gst_event_new_reconfigure ());
      part_push (&part);
    }
    g_assert_cmpuint (count_warnings (&part, "media leaves in the clear"), ==, cases[i].n);
    part_end (&part);
  }
}

#endif

/* Before the first look, and the first start. */
static void
test_statistics_have_an_overhead_from_the_beginning (void)
{
  Rig *rig = rig_new_idle ("");
  g_assert_cmpuint (rig_stat (rig, "overhead-bytes"), ==, 28);
  g_object_set (rig->send, "overhead", 48, NULL);
  g_assert_cmpuint (rig_stat (rig, "overhead-bytes"), ==, 48);
  g_object_set (rig->send, "overhead", -1, NULL);
  g_assert_cmpuint (rig_stat (rig, "overhead-bytes"), ==, 28);
  rig_free (rig);
}

/* Bins around either end change nothing. */
static void
test_bins_do_not_hide_the_network (void)
{
  static const struct
  {
    const gchar *needs, *line;
    gboolean leads;
  } cases[] = {
    { "udpsink", "identity name=s ! udpsink", TRUE },
    { "udpsink", "identity name=s ! queue ! udpsink", TRUE },
    { "udpsink", "identity name=s ! u.sink bin.( udpsink name=u )", TRUE },
    { "udpsink", "bin.( identity name=s ) s.src ! udpsink", TRUE },
    { "udpsink", "bin.( identity name=s ) s.src ! q.sink bin.( queue name=q ! udpsink )", TRUE },
    { "fakesink", "identity name=s ! f.sink bin.( fakesink name=f )", FALSE },
    { "fakesink", "identity name=s", FALSE },
    { "udpsink rtpbin",
      "identity name=s ! b.recv_rtcp_sink_0 rtpbin name=b b.send_rtcp_src_0 ! udpsink", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (!has_elements (cases[i].needs)) {
      g_test_message ("without %s", cases[i].needs);
      continue;
    }
    g_test_message ("%s", cases[i].line);
    GError *error = NULL;
    GstElement *top = gst_object_ref_sink (gst_parse_launch (cases[i].line, &error));
    g_assert_no_error (error);
    GstElement *element
        = GST_IS_BIN (top) ? gst_bin_get_by_name (GST_BIN (top), "s") : gst_object_ref (top);
    GstPad *pad = gst_element_get_static_pad (element, "src");
    g_assert_cmpint (gst_weir_leads_to_network (pad), ==, cases[i].leads);
    gst_object_unref (pad);
    gst_object_unref (element);
    gst_object_unref (top);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_network/" #name, test_##name)
  ADD (what_is_behind_is_counted);
  ADD (a_cipher_that_changes_is_followed);
  ADD (new_links_are_followed);
  ADD (what_delays_packets_behind_us_is_said_once);
#ifdef WEIR_HAVE_SRTP
  ADD (media_in_the_clear_is_said_once);
#endif
  ADD (statistics_have_an_overhead_from_the_beginning);
  ADD (bins_do_not_hide_the_network);
  return g_test_run ();
}
