/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every algorithm of the registry drives a real pipeline in real time: camera-like source, encoder,
 * weirsend, a bottleneck that becomes narrower, weirrecv, decoder. Media arrives, the rate follows
 * the capacity, and nothing warns. A few run at the same time, each on a bottleneck of its own. */
#include "pipeline_run.h"

#define AT_ONCE 8
#define WIDE_BPS 1500000
#define NARROW_BPS 400000
#ifdef __SANITIZE_ADDRESS__ /* looks at memory: no time, and no figures */
#define IS_JUDGED FALSE
#define WIDE_SECONDS 2
#define NARROW_SECONDS 3
#else
#define IS_JUDGED TRUE
#define WIDE_SECONDS 6
#define NARROW_SECONDS 20 /* at most: less when all have shown what they have to */
#endif
#define N_FRAMES 200

#define PIPELINE                                                                                   \
  VIDEO ("500")                                                                                    \
  " ! " PAY " ! application/x-rtp," X                                                              \
  " ! weirsend name=s algorithm=%s start-bitrate=500000 max-bitrate=3000000 ! queue ! "            \
  "weirlink name=l capacity=1500000 delay=20000000 queue-time=200000000 seed=1 ! "                 \
  "weirrecv name=r ! rtpjitterbuffer ! rtph264depay ! h264parse ! avdec_h264 ! "                   \
  "fakesink name=end sync=false async=false signal-handoffs=true "                                 \
  "r.rtcp_src ! queue ! " DELAY ("20") " ! s.rtcp_sink "                                           \
                                       "s.rtcp_src ! queue ! " DELAY ("20") " ! r.rtcp_sink"

typedef struct
{
  const gchar *algorithm;
  Run run;
  gint n_frames; /* decoded; atomic */
  guint wide_target_bps;
  gint64 bytes_before;
  gint64 least_bps, most_bps; /* in a second of the narrow phase: some seek the capacity above it */
} Live;

/* Those that do not follow within seconds, and why. */
static const struct
{
  const gchar *algorithm, *why;
} steady[] = {
  { "aiad-h", "comes down by steps of one size: half a minute" },
  { "fixed", "reacts to nothing" },
};

static gboolean
follows (const gchar *algorithm)
{
  for (gsize i = 0; i < G_N_ELEMENTS (steady); i++) {
    if (g_strcmp0 (algorithm, steady[i].algorithm) == 0) {
      return FALSE;
    }
  }
  return TRUE;
}

static void
on_frame (GstElement *sink, GstBuffer *buffer, GstPad *pad, Live *live)
{
  (void) sink;
  (void) buffer;
  (void) pad;
  g_atomic_int_inc (&live->n_frames);
}

static void
live_begin (Live *live, const gchar *algorithm)
{
  gchar *line = g_strdup_printf (PIPELINE, algorithm);
  *live = (Live){ .algorithm = algorithm };
  run_begin (&live->run, NULL, line);
  GstElement *end = gst_bin_get_by_name (GST_BIN (live->run.pipeline), "end");
  g_signal_connect (end, "handoff", G_CALLBACK (on_frame), live);
  gst_object_unref (end);
  g_free (line);
}

static void
set_capacity (Live *live, guint64 capacity_bps)
{
  GstElement *link = gst_bin_get_by_name (GST_BIN (live->run.pipeline), "l");
  g_object_set (link, "capacity", capacity_bps, NULL);
  gst_object_unref (link);
}

/* All run; the bus of each is read. */
static void
live_run_for (Live *lives, gsize n, gdouble seconds)
{
  run_for (&lives[0].run, seconds);
  for (gsize i = 1; i < n; i++) {
    run_for (&lives[i].run, 0.01);
  }
}

static void
take_second (Live *live)
{
  gint64 bytes = stat_of (&live->run, "bytes-sent-wire");
  gint64 second_bps = (bytes - live->bytes_before) * 8;
  live->least_bps = MIN (live->least_bps, second_bps);
  live->most_bps = MAX (live->most_bps, second_bps);
  live->bytes_before = bytes;
}

/* What does not hold yet, or NULL. */
static const gchar *
find_unkept (Live *live)
{
  gint64 arrived = stat_of (&live->run, "packets-received");
  if (g_atomic_int_get (&live->n_frames) < N_FRAMES) {
    return "media arrives";
  }
  if (arrived <= stat_of (&live->run, "packets-sent") * 2 / 3) {
    return "packets arrive";
  }
  if (follows (live->algorithm) && live->least_bps >= NARROW_BPS * 3 / 2) {
    return "the rate follows the capacity";
  }
  return live->most_bps > 20000 ? NULL : "the narrow path is used";
}

static gboolean
all_kept (Live *lives, gsize n)
{
  gboolean all = TRUE;
  for (gsize i = 0; i < n; i++) {
    all = all && find_unkept (&lives[i]) == NULL;
  }
  return all;
}

/* All that is wrong is told, of every algorithm of the group. */
static void
expect (const Live *live, gboolean holds, const gchar *promise)
{
  if (!holds) {
    g_test_message ("%s: not so: %s", live->algorithm, promise);
    g_test_fail ();
  }
}

static void
live_end (Live *live)
{
  Run *run = &live->run;
  const gchar *unkept = find_unkept (live);
  gint n_frames = g_atomic_int_get (&live->n_frames);
  g_test_message ("%s: target %u at %d, then %u; in a second at %d %" G_GINT64_FORMAT
                  " to %" G_GINT64_FORMAT "; %d frames",
                  live->algorithm, live->wide_target_bps, WIDE_BPS,
                  uint_of (run->send, "target-bitrate"), NARROW_BPS, live->least_bps,
                  live->most_bps, n_frames);
  report (run);
  expect (live, n_frames > 0, "a picture arrives");
  if (IS_JUDGED) {
    expect (live, live->wide_target_bps > NARROW_BPS / 2, "the wide path is used");
    expect (live, unkept == NULL, unkept);
    expect (live, run->warnings->len == 0, "nothing warns");
  }
  run_end (run);
}

static void
test_group (gconstpointer data)
{
  Live lives[AT_ONCE];
  const gchar *const *algorithms = data;
  gsize n = 0;
  for (; n < AT_ONCE && algorithms[n] != NULL; n++) {
    live_begin (&lives[n], algorithms[n]);
  }
  live_run_for (lives, n, WIDE_SECONDS);
  for (gsize i = 0; i < n; i++) {
    lives[i].wide_target_bps = uint_of (lives[i].run.send, "target-bitrate");
    set_capacity (&lives[i], NARROW_BPS);
  }
  live_run_for (lives, n, 1); /* until the queue tells of it */
  for (gsize i = 0; i < n; i++) {
    lives[i].bytes_before = stat_of (&lives[i].run, "bytes-sent-wire");
    lives[i].least_bps = G_MAXINT64;
  }
  for (gint second = 0; second < NARROW_SECONDS && (second < 2 || !all_kept (lives, n)); second++) {
    live_run_for (lives, n, 1);
    for (gsize i = 0; i < n; i++) {
      take_second (&lives[i]);
    }
  }
  for (gsize i = 0; i < n; i++) {
    live_end (&lives[i]);
  }
}

/* The registry as the element shows it. */
static GPtrArray *
list_algorithms (void)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GstElement *send = gst_element_factory_make ("weirsend", NULL);
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (send), "algorithm");
  GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
  for (guint i = 0; i < values->n_values; i++) {
    g_ptr_array_add (names, g_strdup (values->values[i].value_nick));
  }
  for (guint i = 0; i < AT_ONCE; i++) {
    g_ptr_array_add (names, NULL);
  }
  gst_object_unref (send);
  return names;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, on_log, NULL);
  GPtrArray *names = list_algorithms ();
  for (guint i = 0; g_ptr_array_index (names, i) != NULL; i += AT_ONCE) {
    gchar *path = g_strdup_printf ("/gst/algorithms/%s", (gchar *) g_ptr_array_index (names, i));
    for (guint k = 1; k < AT_ONCE && g_ptr_array_index (names, i + k) != NULL; k++) {
      gchar *longer = g_strdup_printf ("%s, %s", path, (gchar *) g_ptr_array_index (names, i + k));
      g_free (path);
      path = longer;
    }
    g_test_add_data_func (path, &g_ptr_array_index (names, i), test_group);
    g_free (path);
  }
  int status = g_test_run ();
  g_ptr_array_free (names, TRUE);
  return status;
}
