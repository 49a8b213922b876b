/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The walks find encoders and RTP sessions through whatever lies between, and survive pipelines
 * that change under their feet. No data flows, but in the last tests. */
#include "common/pipeline_walk.h"

#include "encoder/fake_encoder.h"
#include <string.h>

/* "x" in a launch line stands where weirsend would be. */
#define X "identity name=x"
#define ENC "weirfakeenc"
#define VPAY "application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000"

typedef struct
{
  const gchar *name;
  const gchar *line;
  guint n_encoders;
  const gchar *looked_at; /* the names in order, or NULL: not checked */
} Case;

static const Case encoder_cases[] = {
  { "nothing is linked", X, 0, "" },
  { "no encoder", "fakesrc name=a ! queue name=b ! " X, 0, "b, a" },
  { "at once", ENC " ! " X, 1, "" },
  { "a chain", "fakesrc ! " ENC " ! queue name=a ! capsfilter name=b ! queue name=c ! " X, 1,
    "c, b, a" },
  { "not past an encoder", "vp8enc ! identity ! " ENC " ! " X, 1, "" },
  { "a real chain", "videotestsrc ! vp8enc ! rtpvp8pay name=a ! rtprtxsend name=b ! " X, 1,
    "b, a" },
  { "a camera that encodes", "uvch264src name=c c.vidsrc ! h264parse ! " X, 1, NULL },
  { "sound", "audiotestsrc ! opusenc ! rtpopuspay ! " X, 1, NULL },
  { "three through a funnel and a tee",
    "funnel name=f ! " X " vp8enc ! queue ! f. vp9enc ! tee name=t ! queue ! f. t. ! fakesink "
    "opusenc ! f.",
    3, NULL },
  { "once, though two ways lead to it",
    "tee name=t ! queue ! f. t. ! queue ! f. funnel name=f ! " X " " ENC " ! t.", 1, NULL },
  { "rtpfunnel", "rtpfunnel name=f ! " X " vp8enc ! rtpvp8pay ! f. opusenc ! rtpopuspay ! f.", 2,
    NULL },
  { "out of bins in bins", "( name=p " ENC " ! queue ) ! ( ( queue ! " X " ) )", 1, NULL },
  { "into bins in bins", "( ( ( " ENC " ! queue name=q ) ) ) ! " X, 1, "q" },
  { "decoders are none", "fakesrc ! vp8dec name=d ! " X, 0, NULL },
  { "all sink pads of a mixer", "audiomixer name=m ! " X " audiotestsrc ! m. audiotestsrc ! m.", 0,
    NULL },
};

static GstElement *
parse (const gchar *line)
{
  GError *error = NULL;
  fake_encoder_type_for (ENC);
  GstElement *pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  g_assert_no_error (error);
  if (!GST_IS_BIN (pipeline)) { /* a line of one element */
    GstElement *bin = gst_pipeline_new (NULL);
    gst_bin_add (GST_BIN (bin), pipeline);
    pipeline = bin;
  }
  return gst_object_ref_sink (pipeline);
}

static GstPad *
pad_of (GstElement *pipeline, const gchar *name, const gchar *pad_name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_assert_nonnull (element);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  g_assert_nonnull (pad);
  gst_object_unref (element);
  return pad;
}

static void
encoders_are_found_through_anything (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (encoder_cases); i++) {
    const Case *c = &encoder_cases[i];
    gchar *looked_at = NULL;
    g_test_message ("%s", c->name);
    GstElement *pipeline = parse (c->line);
    GstPad *pad = pad_of (pipeline, "x", "sink");
    GPtrArray *found = gst_weir_find_encoders (pad, &looked_at);
    g_assert_cmpuint (found->len, ==, c->n_encoders);
    if (c->looked_at != NULL) {
      g_assert_cmpstr (looked_at, ==, c->looked_at);
    }
    g_ptr_array_unref (found);
    g_ptr_array_unref (gst_weir_find_encoders (pad, NULL));
    g_free (looked_at);
    gst_object_unref (pad);
    g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (pipeline), ==, 1);
    gst_object_unref (pipeline);
  }
}

/* Links are refused by caps in gst_parse_launch, so a chain too long is built by hand. */
static void
the_walk_is_bounded (void)
{
  enum
  {
    LONG = 400
  };
  GstElement *pipeline = parse (ENC " name=e");
  GstElement *before = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  gst_object_unref (before);
  for (guint i = 0; i < LONG; i++) {
    GstElement *next = gst_element_factory_make ("identity", NULL);
    gst_bin_add (GST_BIN (pipeline), next);
    g_assert_true (gst_element_link (before, next));
    before = next;
    if (i == 100 || i == LONG - 1) {
      GstPad *pad = gst_element_get_static_pad (next, "sink");
      GPtrArray *found = gst_weir_find_encoders (pad, NULL);
      g_assert_cmpuint (found->len, ==, i == 100 ? 1 : 0);
      g_ptr_array_unref (found);
      gst_object_unref (pad);
    }
  }
  gst_object_unref (pipeline);
}

typedef struct
{
  const gchar *name, *line;
  const gchar *sent, *received; /* the session whose send_rtp_sink, recv_rtp_sink x leads to */
} SessionCase;

static const SessionCase session_cases[] = {
  { "none", X " ! fakesink", NULL, NULL },
  { "nothing is linked", X, NULL, NULL },
  { "rtpsession", X " ! s.send_rtp_sink rtpsession name=s", "s", NULL },
  { "rtpbin", "rtpbin name=r " X " ! " VPAY " ! queue ! r.send_rtp_sink_0", "any", NULL },
  { "rtpbin, receiving", "rtpbin name=r " X " ! " VPAY " ! r.recv_rtp_sink_0", NULL, "any" },
  { "out of a bin, through a capsfilter",
    "rtpbin name=r ( " X " ! queue ) ! " VPAY " ! r.send_rtp_sink_3", "any", NULL },
  { "not beside the link", "rtpbin name=r " X " ! fakesink capsfilter ! r.send_rtp_sink_0", NULL,
    NULL },
  { "not behind one that is passed",
    X " ! one.send_rtp_sink rtpsession name=one one.send_rtp_src ! two.recv_rtp_sink rtpsession "
      "name=two",
    "one", NULL },
  { "not behind an encoder", X " ! " ENC " ! s.send_rtp_sink rtpsession name=s", NULL, NULL },
};

/* expected: the session's element, "any" or NULL. */
static void
check_session (GstPad *pad, const gchar *pad_name, const gchar *expected)
{
  GstElement *element = NULL;
  GObject *internal = NULL;
  GObject *session = gst_weir_find_rtp_session (pad, pad_name, &element);
  g_assert_cmpint (session != NULL, ==, expected != NULL);
  g_assert_cmpint (element != NULL, ==, expected != NULL);
  if (session != NULL) {
    g_object_get (element, "internal-session", &internal, NULL);
    g_assert_true (internal == session);
    g_assert_true (strcmp (expected, "any") == 0
                   || strcmp (expected, GST_OBJECT_NAME (element)) == 0);
    g_object_unref (internal);
    gst_object_unref (element);
    g_object_unref (session);
  }
}

static void
the_session_is_found_through_anything (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (session_cases); i++) {
    const SessionCase *c = &session_cases[i];
    g_test_message ("%s", c->name);
    GstElement *pipeline = parse (c->line);
    GstPad *pad = pad_of (pipeline, "x", "src");
    check_session (pad, "send_rtp_sink", c->sent);
    check_session (pad, "recv_rtp_sink", c->received);
    gst_object_unref (pad);
    gst_object_unref (pipeline);
  }
}

static void
the_element_need_not_be_asked_for (void)
{
  GstElement *pipeline = parse (session_cases[3].line);
  GstPad *pad = pad_of (pipeline, "x", "src");
  GObject *session = gst_weir_find_rtp_session (pad, "send_rtp_sink", NULL);
  g_assert_nonnull (session);
  g_object_unref (session);
  gst_object_unref (pad);
  gst_object_unref (pipeline);
}

/* From a sink pad the session before it is found: an element behind rtpsession. */
static void
the_session_is_found_upstream_too (void)
{
  GstElement *pipeline = parse ("rtpbin name=r capsfilter ! r.send_rtp_sink_0");
  GstElement *rtpbin = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstElement *behind = gst_element_factory_make ("queue", "x");
  gst_bin_add (GST_BIN (pipeline), behind);
  g_assert_true (gst_element_link_pads (rtpbin, "send_rtp_src_0", behind, "sink"));
  GstPad *pad = pad_of (pipeline, "x", "sink");
  check_session (pad, "send_rtp_src", "any");
  check_session (pad, "recv_rtp_src", NULL);
  gst_object_unref (pad);
  gst_object_unref (rtpbin);
  gst_object_unref (pipeline);
}

typedef struct
{
  GstElement *pipeline;
  gint stop;
} Relinker;

/* Takes the funnel's inputs away and puts them back, again and again. */
static gpointer
relink (gpointer data)
{
  Relinker *r = data;
  GstElement *funnel = gst_bin_get_by_name (GST_BIN (r->pipeline), "f");
  while (!g_atomic_int_get (&r->stop)) {
    GstElement *encoder = fake_encoder_new (ENC);
    GstElement *queue = gst_element_factory_make ("queue", NULL);
    gst_bin_add_many (GST_BIN (r->pipeline), encoder, queue, NULL);
    gst_object_unref (encoder);
    gst_element_link_many (encoder, queue, funnel, NULL);
    gst_element_unlink (encoder, queue);
    GstPad *src = gst_element_get_static_pad (queue, "src");
    GstPad *peer = gst_pad_get_peer (src);
    gst_pad_unlink (src, peer);
    gst_element_release_request_pad (funnel, peer);
    gst_object_unref (peer);
    gst_object_unref (src);
    gst_bin_remove_many (GST_BIN (r->pipeline), encoder, queue, NULL);
  }
  gst_object_unref (funnel);
  return NULL;
}

static void
relinking_while_walking_does_no_harm (void)
{
  GstElement *pipeline = parse ("funnel name=f ! queue ! " X " " ENC " ! f.");
  GstPad *pad = pad_of (pipeline, "x", "sink");
  Relinker relinker = { pipeline, 0 };
  GThread *thread = g_thread_new ("relinker", relink, &relinker);
  guint most = 0;
  for (guint i = 0; i < 3000; i++) {
    GPtrArray *found = gst_weir_find_encoders (pad, NULL);
    most = MAX (most, found->len);
    g_assert_cmpuint (found->len, >=, 1);
    g_assert_cmpuint (found->len, <=, 2);
    g_ptr_array_unref (found);
  }
  g_atomic_int_set (&relinker.stop, 1);
  g_thread_join (thread);
  g_test_message ("at most %u found", most);
  gst_object_unref (pad);
  gst_object_unref (pipeline);
}

static GstWeirWalkNext
note_name (G_GNUC_UNUSED GstPad *pad, GstElement *element, gpointer user)
{
  gchar *name = gst_object_get_name (GST_OBJECT (element));
  g_string_append (user, name);
  gboolean go_on = !g_str_has_prefix (name, "stop");
  g_free (name);
  return go_on ? GST_WEIR_WALK_ON : GST_WEIR_WALK_NOT_PAST;
}

static void
a_walk_downstream_shows_each_element_in_turn (void)
{
  static const gchar *const cases[][2] = {
    { X " ! queue name=a ! identity name=b ! fakesink name=c", "abc" },
    { X " ! ( identity name=a ! ( identity name=b ) ) ! fakesink name=c", "abc" },
    { X " ! queue name=a ! identity name=stop ! fakesink name=c", "astop" },
    { X " ! tee name=t ! identity name=stop ! fakesink t. ! queue name=b ! fakesink name=c",
      "tstopbc" },
    { X, "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *pipeline = parse (cases[i][0]);
    GstElement *x = gst_bin_get_by_name (GST_BIN (pipeline), "x");
    GstPad *pad = gst_element_get_static_pad (x, "src");
    GString *seen = g_string_new (NULL);
    gst_weir_walk (pad, note_name, seen);
    g_assert_cmpstr (seen->str, ==, cases[i][1]);
    g_string_free (seen, TRUE);
    gst_object_unref (pad);
    gst_object_unref (x);
    gst_object_unref (pipeline);
  }
}

static void
one_pad_is_iterated_once (void)
{
  GstPad *pad = gst_object_ref_sink (gst_pad_new ("one", GST_PAD_SRC));
  GstIterator *iterator = gst_weir_iterate_one (pad);
  GValue value = G_VALUE_INIT;
  g_assert_cmpint (gst_iterator_next (iterator, &value), ==, GST_ITERATOR_OK);
  g_assert_true (g_value_get_object (&value) == pad);
  g_value_unset (&value);
  g_assert_cmpint (gst_iterator_next (iterator, &value), ==, GST_ITERATOR_DONE);
  gst_iterator_free (iterator);
  gst_object_unref (pad);
}

static void
the_nearest_encoder_behind_is_found (void)
{
  static const struct
  {
    const gchar *line, *found; /* NULL: none */
  } cases[] = { { X " ! " ENC " name=e ! queue ! vp8enc name=f", "e" },
                { X " ! queue ! ( identity ! " ENC " name=e )", "e" },
                { X " ! queue ! fakesink", NULL },
                { X, NULL } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstElement) pipeline = parse (cases[i].line);
    g_autoptr (GstElement) x = gst_bin_get_by_name (GST_BIN (pipeline), "x");
    g_autoptr (GstPad) srcpad = gst_element_get_static_pad (x, "src");
    g_autoptr (GstElement) found = gst_weir_find_encoder_behind (srcpad);
    g_assert_cmpstr (found != NULL ? GST_OBJECT_NAME (found) : NULL, ==, cases[i].found);
  }
}

#define ADD(name) g_test_add_func ("/gst/pipeline_walk/" #name, name)

static void
network_sinks_are_known (void)
{
  static const struct
  {
    const gchar *name;
    gboolean is;
  } rows[] = { { "udpsink", TRUE },  { "multiudpsink", TRUE }, { "dynudpsink", TRUE },
               { "nicesink", TRUE }, { "fakesink", FALSE },    { "udpsrc", FALSE } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstElement *element = gst_element_factory_make (rows[i].name, NULL);
    if (element != NULL) { /* libnice need not be there */
      g_test_message ("%s", rows[i].name);
      g_assert_cmpint (gst_weir_is_network_sink (element), ==, rows[i].is);
      gst_object_unref (gst_object_ref_sink (element));
    }
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  ADD (network_sinks_are_known);
  ADD (encoders_are_found_through_anything);
  ADD (the_walk_is_bounded);
  ADD (the_session_is_found_through_anything);
  ADD (the_element_need_not_be_asked_for);
  ADD (the_session_is_found_upstream_too);
  ADD (relinking_while_walking_does_no_harm);
  ADD (a_walk_downstream_shows_each_element_in_turn);
  ADD (the_nearest_encoder_behind_is_found);
  ADD (one_pad_is_iterated_once);
  return g_test_run ();
}
