/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole pipelines with everything encrypted, in real time, in one process, without sockets: our two
 * elements with a key, and stock sessions behind srtpenc and srtpdec in both directions. */
#include "pipeline_run.h"

#define KEY "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d"
#define GCM_KEY "101112131415161718191a1b1c1d1e1f202122232425262728292a2b"
#define CAPACITY 1000000

/* Media through srtpenc and srtpdec, over a bottleneck; RTCP both ways by our elements. */
#define OWN(ours, theirs)                                                                          \
  VIDEO ("300")                                                                                    \
  " ! " PAY " ssrc=305419896 ! weirsend name=s max-bitrate=4000000" BY_LOSSES " " ours             \
  " ! srtpenc " theirs                                                                             \
  " ! weirlink capacity=1000000 delay=20000000 ! d.rtp_sink srtpdec name=d d.rtp_src ! "           \
  "weirrecv name=r " ours " ! rtpjitterbuffer ! rtph264depay ! " END                               \
  " r.rtcp_src ! queue ! " DELAY ("20") " ! s.rtcp_sink s.rtcp_src ! queue ! " DELAY (             \
      "20") " ! r.rtcp_sink"

typedef struct
{
  const gchar *name, *line;
  gint64 overhead_bytes;
} Own;

static const Own owns[] = {
  { "aes-128-icm-hmac-sha1-80", OWN ("srtp-key=" KEY, "key=" KEY), 38 },
  { "aes-128-icm-hmac-sha1-32",
    OWN ("srtp-cipher=aes-128-icm-hmac-sha1-32 srtp-key=" KEY, "rtp-auth=hmac-sha1-32 key=" KEY),
    32 },
  { "aes-128-gcm",
    OWN (
        "srtp-cipher=aes-128-gcm srtp-key=" GCM_KEY,
        "rtp-cipher=aes-128-gcm rtp-auth=null rtcp-cipher=aes-128-gcm rtcp-auth=null key=" GCM_KEY),
    44 },
};

static gint64
stat_of_element (Run *run, const gchar *element, const gchar *name)
{
  Run other = { .send = gst_bin_get_by_name (GST_BIN (run->pipeline), element) };
  gint64 value = stat_of (&other, name);
  gst_object_unref (other.send);
  return value;
}

static gboolean
has_found_the_capacity (gpointer user)
{
  Run *run = user;
  return uint_of (run->send, "target-bitrate") >= CAPACITY * 6 / 10
         && stat_of (run, "delivered-bitrate") < CAPACITY * 11 / 10
         && stat_of (run, "feedback-ccfb") >= 40 && stat_of (run, "srtcp-packets") >= 40
         && stat_of_element (run, "r", "srtcp-packets") >= 2
         && stat_of_element (run, "r", "packets-received") >= 200;
}

/* The rate finds the capacity as it does without encryption, on reports that all pass. */
static void
test_our_elements (gconstpointer data)
{
  const Own *own = data;
  GstStructure *stats = NULL;
  guint overhead_bytes = 0;
  Run run;
  if (!has_element ("srtpenc")) {
    g_test_skip ("no srtpenc on this machine");
    return;
  }
  run_begin (&run, NULL, own->line);
  gboolean found = run_until (&run, has_found_the_capacity, &run);
  report (&run);
  g_assert_true (found);
  g_object_get (run.send, "stats", &stats, NULL);
  gst_structure_get_uint (stats, "overhead-bytes", &overhead_bytes);
  gst_structure_free (stats);
  g_assert_cmpint (overhead_bytes, ==, own->overhead_bytes);
  g_assert_cmpint (stat_of (&run, "srtcp-auth-failures"), ==, 0);
  g_assert_cmpint (stat_of (&run, "srtcp-replays"), ==, 0);
  g_assert_cmpint (stat_of_element (&run, "r", "srtcp-auth-failures"), ==, 0);
  g_assert_null (strstr (run.warnings->str, "in the clear"));
  g_assert_null (strstr (run.warnings->str, "authentication"));
  run_end (&run);
}

/* Without a name, since there are two. */
#define CAMERA                                                                                     \
  "videotestsrc is-live=true pattern=snow ! " SIZE                                                 \
  " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 bitrate=300"

/* Nothing that shares buffers may lie before srtpdec: the one of GStreamer 1.22 then frees them
 * twice. That goes for buffer lists and netsim. */
#define LINK "weirlink delay=20000000"

/* One side of a call: rtpbin NAME, all it sends through srtpenc eNAME to srtpdec dPEER. */
#define SIDE(name, peer, weirsend, ssrc)                                                           \
  "rtpbin name=" name " rtp-profile=avpf srtpenc name=e" name " key=" KEY " srtpdec name=d" name   \
  " " CAMERA " ! " PAY " ssrc=" ssrc " ! application/x-rtp,ssrc=(uint)" ssrc "," X                 \
  " ! weirsend name=" weirsend " max-bitrate=2000000 ! " name ".send_rtp_sink_0 " name             \
  ".send_rtp_src_0 ! e" name ".rtp_sink_0 e" name ".rtp_src_0 ! " LINK " ! d" peer                 \
  ".rtp_sink " name ".send_rtcp_src_0 ! e" name ".rtcp_sink_0 e" name ".rtcp_src_0 ! " LINK        \
  " ! d" peer ".rtcp_sink d" name ".rtp_src ! " name ".recv_rtp_sink_0 d" name ".rtcp_src ! " name \
  ".recv_rtcp_sink_0 " name ". ! rtph264depay ! fakesink sync=false async=false "

/* The key is the same for every SSRC, so RTCP of any can be decrypted. */
static GstCaps *
on_request_key (G_GNUC_UNUSED GstElement *decoder, G_GNUC_UNUSED guint ssrc,
                G_GNUC_UNUSED gpointer user)
{
  return gst_caps_from_string ("application/x-srtp,srtp-key=(buffer)" KEY
                               ",srtp-cipher=aes-128-icm,srtp-auth=hmac-sha1-80,"
                               "srtcp-cipher=aes-128-icm,srtcp-auth=hmac-sha1-80");
}

static void
answer_key_requests (Run *run, const gchar *name)
{
  GstElement *decoder = gst_bin_get_by_name (GST_BIN (run->pipeline), name);
  g_signal_connect (decoder, "request-key", G_CALLBACK (on_request_key), NULL);
  gst_object_unref (decoder);
}

static void
test_stock_sessions_both_ways (void)
{
  Run run;
  if (!has_element ("srtpenc")) {
    g_test_skip ("no srtpenc on this machine");
    return;
  }
  run_prepare (&run, SIDE ("a", "b", "s", "305419896") SIDE ("b", "a", "t", "287454020"));
  make_prompt (run.pipeline, "a");
  make_prompt (run.pipeline, "b");
  answer_key_requests (&run, "da");
  answer_key_requests (&run, "db");
  run_play (&run);
  for (guint i = 0; i < 20
                    && (stat_of (&run, "feedback-results") < 30
                        || stat_of_element (&run, "t", "feedback-results") < 30);
       i++) {
    run_for (&run, 1);
  }
  report (&run);
  static const gchar *const sends[] = { "s", "t" };
  for (guint i = 0; i < G_N_ELEMENTS (sends); i++) {
    GstElement *send = gst_bin_get_by_name (GST_BIN (run.pipeline), sends[i]);
    GstStructure *stats = NULL;
    gboolean has_session = FALSE;
    guint overhead_bytes = 0;
    g_object_get (send, "stats", &stats, NULL);
    gst_structure_get_uint (stats, "overhead-bytes", &overhead_bytes);
    gst_structure_get_boolean (stats, "rtp-session", &has_session);
    g_assert_true (has_session);
    g_assert_cmpuint (overhead_bytes, ==, 38);
    g_assert_cmpint (stat_of_element (&run, sends[i], "feedback-results"), >=, 30);
    g_assert_cmpint (stat_of_element (&run, sends[i], "packets-received"), >=, 50);
    gst_structure_free (stats);
    gst_object_unref (send);
  }
  run_end (&run);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, on_log, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (owns); i++) {
    gchar *path = g_strdup_printf ("/gst/srtp_live/our_elements/%s", owns[i].name);
    g_test_add_data_func (path, &owns[i], test_our_elements);
    g_free (path);
  }
  g_test_add_func ("/gst/srtp_live/stock_sessions_both_ways", test_stock_sessions_both_ways);
  return g_test_run ();
}
