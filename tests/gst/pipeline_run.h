/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole pipeline in real time: begin, run for some seconds, ask its weirsend "s", end. */
#ifndef TESTS_GST_PIPELINE_RUN_H
#define TESTS_GST_PIPELINE_RUN_H

#include "send/send_harness.h"

#define X "extmap-3=(string)" TWCC_URI
#define SIZE "video/x-raw,width=320,height=240,framerate=30/1"
#define VIDEO(bps)                                                                                 \
  "videotestsrc name=source is-live=true pattern=snow ! " SIZE                                     \
  " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 bitrate=" bps
#define PAY "rtph264pay pt=96 mtu=1200 aggregate-mode=zero-latency config-interval=-1"
#define DELAY(ms) "netsim delay-probability=1 min-delay=" ms " max-delay=" ms
#define END "fakesink name=end sync=false async=false"

typedef struct
{
  GstElement *pipeline;
  GstElement *send;
  GstBus *bus;
  GString *warnings;
  guint n_stats;
  gboolean eos;
} Run;

/* What the warnings advise for the far end: RTCP in time. */
static inline void
make_prompt (GstElement *pipeline, const gchar *rtpbin)
{
  GstElement *session = NULL;
  GstElement *bin = gst_bin_get_by_name (GST_BIN (pipeline), rtpbin);
  g_signal_emit_by_name (bin, "get-session", 0, &session);
  g_object_set (session, "rtcp-fraction", 0.5, NULL);
  gst_util_set_object_arg (G_OBJECT (session), "rtp-profile", "avpf");
  gst_object_unref (session);
  gst_object_unref (bin);
}

/* While a stock rtpsession walks over its sources to report on them it lets go of its lock, and
 * GLib complains when a source comes in that moment. */
static inline gboolean
is_of_rtpsession (const gchar *text)
{
  return strstr (text, "version == hash_table->version") != NULL;
}

static inline gboolean
is_fatal (G_GNUC_UNUSED const gchar *domain, G_GNUC_UNUSED GLogLevelFlags level, const gchar *text,
          G_GNUC_UNUSED gpointer user)
{
  return !is_of_rtpsession (text);
}

static inline void
on_critical (const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer user)
{
  if (is_of_rtpsession (text)) {
    g_test_message ("%s: %s", domain, text);
  } else {
    g_log_default_handler (domain, level, text, user);
  }
}

/* GLib forgets it after each test. */
static inline void
allow_rtpsession_its_slip (void)
{
  static guint handler = 0;
  g_test_log_set_fatal_handler (is_fatal, NULL);
  if (handler == 0) {
    handler
        = g_log_set_handler ("GLib", G_LOG_LEVEL_CRITICAL | G_LOG_FLAG_FATAL, on_critical, NULL);
  }
}

/* Made, but not yet playing: more may be added. */
static inline void
run_prepare (Run *run, const gchar *text)
{
  GError *error = NULL;
  allow_rtpsession_its_slip ();
  *run = (Run){ .pipeline = gst_parse_launch (text, &error), .warnings = g_string_new (NULL) };
  g_assert_no_error (error);
}

/* For a weirsend whose rate is judged: a packet that waits for the processor loses nothing, but to
 * an algorithm that heeds delay the path has a queue. */
#define BY_LOSSES " algorithm=tfrc"

/* The weirsend to be asked is named "s". */
static inline void
run_play (Run *run)
{
  run->send = gst_bin_get_by_name (GST_BIN (run->pipeline), "s");
  run->bus = gst_element_get_bus (run->pipeline);
  g_assert_cmpint (gst_element_set_state (run->pipeline, GST_STATE_PLAYING), !=,
                   GST_STATE_CHANGE_FAILURE);
}

/* prompt: the name of an rtpbin to be made so, or NULL. */
static inline void
run_begin (Run *run, const gchar *prompt, const gchar *text)
{
  run_prepare (run, text);
  if (prompt != NULL) {
    make_prompt (run->pipeline, prompt);
  }
  run_play (run);
}

static inline void
take_message (Run *run, GstMessage *message)
{
  GError *error = NULL;
  gchar *debug = NULL;
  const GstStructure *structure = gst_message_get_structure (message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, &debug);
    g_error ("%s: %s (%s)", GST_MESSAGE_SRC_NAME (message), error->message, debug);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning (message, &error, NULL);
    g_string_append_printf (run->warnings, "%s\n", error->message);
    g_error_free (error);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
             && gst_structure_has_name (structure, "weir-stats")
             && GST_MESSAGE_SRC (message) == GST_OBJECT (run->send)) {
    run->n_stats++;
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
    run->eos = TRUE;
  }
}

/* Until `seconds` have passed, or EOS. */
static inline void
run_for (Run *run, gdouble seconds)
{
  gint64 end_us = g_get_monotonic_time () + (gint64) (seconds * 1e6);
  gint64 left_us;
  while (!run->eos && (left_us = end_us - g_get_monotonic_time ()) > 0) {
    GstMessage *message = gst_bus_timed_pop (run->bus, (GstClockTime) left_us * 1000);
    if (message != NULL) {
      take_message (run, message);
      gst_message_unref (message);
    }
  }
}

#define PATIENCE_S 60 /* with a machine that has other work */

/* Until done () says so; FALSE when our patience has an end before. */
static inline gboolean
run_until (Run *run, gboolean (*done) (gpointer user), gpointer user)
{
  gint64 end_us = g_get_monotonic_time () + PATIENCE_S * G_USEC_PER_SEC;
  while (!done (user) && g_get_monotonic_time () < end_us && !run->eos) {
    run_for (run, 0.1);
  }
  return done (user);
}

static inline void
run_end (Run *run)
{
  g_test_message ("warnings: %s", run->warnings->str);
  gst_element_set_state (run->pipeline, GST_STATE_NULL);
  g_string_free (run->warnings, TRUE);
  gst_object_unref (run->bus);
  gst_object_unref (run->send);
  gst_object_unref (run->pipeline);
}

static inline gint64
stat_of (Run *run, const gchar *name)
{
  GstStructure *stats = NULL;
  guint64 large = 0;
  gint64 value = 0;
  g_object_get (run->send, "stats", &stats, NULL);
  if (gst_structure_get_uint64 (stats, name, &large)) {
    value = (gint64) large;
  } else if (!gst_structure_get_int64 (stats, name, &value)) {
    value = -1; /* not known */
  }
  gst_structure_free (stats);
  return value;
}

static inline guint
uint_of (GstElement *element, const gchar *name)
{
  guint value = 0;
  g_object_get (element, name, &value, NULL);
  return value;
}

static inline void
report (Run *run)
{
  g_test_message ("sent %" G_GINT64_FORMAT " received %" G_GINT64_FORMAT " lost %" G_GINT64_FORMAT
                  " dropped %" G_GINT64_FORMAT " rtt %.1f ms interval %.1f ms target %u"
                  " unsent %" G_GINT64_FORMAT " rejected %" G_GINT64_FORMAT,
                  stat_of (run, "packets-sent"), stat_of (run, "packets-received"),
                  stat_of (run, "packets-lost"), stat_of (run, "dropped-packets"),
                  (gdouble) stat_of (run, "rtt") / 1e6,
                  (gdouble) stat_of (run, "feedback-interval") / 1e6,
                  uint_of (run->send, "target-bitrate"), stat_of (run, "results-unsent"),
                  stat_of (run, "rtcp-rejected"));
}

static inline gboolean
has_element (const gchar *name)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  gboolean found = factory != NULL;
  g_clear_object (&factory);
  return found;
}

/* Both ends in one pipeline make a loop of links, of which GStreamer warns many times over. */
static inline void
on_log (const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer user)
{
  if (strstr (text, "loop detected") == NULL) {
    g_log_default_handler (domain, level, text, user);
  }
}

#endif
