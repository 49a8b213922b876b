/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real encoders follow: each is found, given its profile and driven in steps while its output is
 * measured. Pictures run as fast as they can and time is counted in pictures, so a slow machine
 * changes nothing. Those that find an encoder running already are live, and count no time. */
#include "encoder/encoder.h"

#include "encoder/encoder_harness.h"
#include "encoder/encoder_property.h"

#define RATE 25 /* pictures/s; a whole number of nanoseconds each, which av1enc needs */
#define STEP_PICTURES 75
#define N_PICTURES (3 * STEP_PICTURES)
#define HIGH_BPS 1000000
#define LOW_BPS 300000
#define WINDOW 8 /* pictures over which a rate is taken */

typedef struct
{
  const gchar *factory;
  const gchar *settings; /* a live user's: speed, and no periodic key frames */
  guint n_key_frames;    /* in all: the first, and those that changes cost */
  guint down_ms, up_ms;  /* measured on the development machine */
  guint most_down_ms, most_up_ms;
  guint n_lost; /* pictures that the steps may cost */
} Row;

/* The bounds are about twice what was measured: the encoders are deterministic, but versions
 * differ. Windows of 8 pictures cannot show less than 0 nor resolve more than 40 ms. */
static const Row rows[] = {
  { "x264enc", "speed-preset=ultrafast key-int-max=3000 tune=zerolatency", 1, 40, 160, 200, 600,
    0 },
  { "x265enc", "speed-preset=ultrafast key-int-max=3000", 3, 40, 0, 300, 300, 0 },
  { "vp8enc", "deadline=1 keyframe-max-dist=3000", 1, 0, 240, 600, 1000, 0 },
  { "vp9enc", "deadline=1 cpu-used=8 keyframe-max-dist=3000", 1, 0, 0, 800, 800, 1 },
  { "av1enc", "cpu-used=10 keyframe-max-dist=3000", 1, 0, 0, 400, 600, 0 },
  { "openh264enc", "gop-size=3000", 1, 0, 0, 200, 200, 0 },
  { "theoraenc", "speed-level=2 keyframe-force=512 keyframe-freq=512 keyframe-auto=false", 1, 120,
    160, 800, 800, 0 },
};

typedef struct
{
  GstWeirEncoders *set;
  GstElement *encoder;
  guint n_in;
  gint n_out; /* atomic: tests wait for pictures */
  guint bytes[N_PICTURES + 64];
  guint key_frames;
  guint step_at[4]; /* n_out when each target was in force */
  Log log;
} Run;

static gint64
property_bps (Run *run)
{
  GstWeirEncoderInfo info;
  gchar *note;
  g_assert_true (gst_weir_encoder_info_for (run->encoder, &info, &note));
  g_free (note);
  return gst_weir_encoder_get_bps (run->encoder, &info);
}

/* From the streaming thread, before the encoder has the picture: the change may take its second to
 * come, and counts from the next picture. The worker is done with all that belongs to it then, such
 * as a maximum that goes with the bitrate. */
static void
step_to (Run *run, gint64 bps)
{
  target (run->set, bps);
  WAIT_UNTIL (property_bps (run) == bps);
  settle (run->set);
}

static GstPadProbeReturn
on_raw (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Run *run = user;
  (void) pad;
  (void) info;
  if (run->n_in > 0 && run->n_in % STEP_PICTURES == 0 && run->n_in < N_PICTURES) {
    guint step = run->n_in / STEP_PICTURES;
    step_to (run, step % 2 == 1 ? LOW_BPS : HIGH_BPS);
    run->step_at[step] = (guint) run->n_out;
  }
  run->n_in++;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_encoded (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Run *run = user;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  (void) pad;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER)
      && !GST_BUFFER_PTS_IS_VALID (buffer)) {
    return GST_PAD_PROBE_OK;
  }
  run->key_frames += GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT) ? 0 : 1;
  if ((guint) run->n_out < G_N_ELEMENTS (run->bytes)) {
    run->bytes[run->n_out] = (guint) gst_buffer_get_size (buffer);
    g_atomic_int_inc (&run->n_out);
  }
  return GST_PAD_PROBE_OK;
}

static GstPad *
static_pad (GstElement *pipeline, const gchar *name, const gchar *pad_name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  gst_object_unref (element);
  return pad;
}

static void
probe (GstElement *pipeline, const gchar *name, const gchar *pad_name, GstPadProbeCallback callback,
       Run *run)
{
  GstPad *pad = static_pad (pipeline, name, pad_name);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, run, NULL);
  gst_object_unref (pad);
}

/* "e" is the encoder and "s" the sink in line. Not playing yet. */
static GstElement *
open_run (Run *run, const gchar *line)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  g_assert_no_error (error);
  gst_object_ref_sink (pipeline);
  memset (run, 0, sizeof *run);
  run->encoder = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  run->set = new_set (&run->log);
  probe (pipeline, "s", "sink", on_encoded, run);
  return pipeline;
}

static guint
discover (Run *run, GstElement *pipeline)
{
  GstPad *pad = static_pad (pipeline, "s", "sink");
  guint n = gst_weir_encoders_discover (run->set, pad, NULL);
  gst_object_unref (pad);
  return n;
}

static void
play_to_end (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstMessage *message
      = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_cmpstr (GST_MESSAGE_TYPE_NAME (message), ==, "eos");
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
close_run (Run *run, GstElement *pipeline)
{
  free_set (run->set, &run->log);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (run->encoder);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (pipeline), ==, 1);
  gst_object_unref (pipeline);
}

static gboolean
installed (const gchar *factory)
{
  GstElementFactory *found = gst_element_factory_find (factory);
  if (found == NULL) {
    g_test_skip ("not installed");
    return FALSE;
  }
  gst_object_unref (found);
  return TRUE;
}

static gint64
rate_bps (const Run *run, guint from, guint to)
{
  guint64 bytes = 0;
  for (guint i = from; i < to; i++) {
    bytes += run->bytes[i];
  }
  return (gint64) (bytes * 8 * RATE / MAX (to - from, 1));
}

/* Time after the step at `from` until a window of pictures is below (down) 1.3 times or above 0.7
 * times the target; the key frame a change costs is part of it. */
static guint
settle_ms (const Run *run, guint from, guint to, gboolean down)
{
  for (guint i = from; i + WINDOW <= to; i++) {
    gint64 bps = rate_bps (run, i, i + WINDOW);
    if (down ? bps <= LOW_BPS * 13 / 10 : bps >= HIGH_BPS * 7 / 10) {
      return (i - from) * 1000 / RATE;
    }
  }
  return G_MAXUINT;
}

static void
assert_steady (const Run *run, guint from, guint to, gint64 target_bps)
{
  gint64 bps = rate_bps (run, from + RATE * 3 / 2, to);
  g_test_message ("  steady %" G_GINT64_FORMAT " for %" G_GINT64_FORMAT, bps, target_bps);
  g_assert_cmpint (bps, <=, target_bps * 13 / 10);
  g_assert_cmpint (bps, >=, target_bps * 6 / 10);
}

static void
it_follows (gconstpointer data)
{
  const Row *row = data;
  Run run;
  if (!installed (row->factory)) {
    return;
  }
  gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=%d pattern=zone-plate kx2=20 ky2=20 kt=1 ! "
      "video/x-raw,format=I420,width=320,height=240,framerate=%d/1 ! %s name=e %s ! "
      "fakesink name=s sync=false",
      N_PICTURES, RATE, row->factory, row->settings);
  GstElement *pipeline = open_run (&run, line);
  target (run.set, HIGH_BPS);
  g_assert_cmpuint (discover (&run, pipeline), ==, 1);
  g_assert_cmpint (property_bps (&run), ==, HIGH_BPS); /* from the first picture on */
  probe (pipeline, "e", "sink", on_raw, &run);
  gint64 start_us = g_get_monotonic_time ();
  play_to_end (pipeline);
  guint down_ms = settle_ms (&run, run.step_at[1], run.step_at[2], TRUE);
  guint n_out = (guint) run.n_out;
  guint up_ms = settle_ms (&run, run.step_at[2], n_out, FALSE);
  g_test_message ("%s: down %u ms (once %u, at most %u), up %u ms (once %u, at most %u), %u "
                  "pictures, %u key frames, "
                  "%.1f s of wall time",
                  row->factory, down_ms, row->down_ms, row->most_down_ms, up_ms, row->up_ms,
                  row->most_up_ms, n_out, run.key_frames,
                  (double) (g_get_monotonic_time () - start_us) / 1e6);
  g_assert_cmpuint (down_ms, <=, row->most_down_ms);
  g_assert_cmpuint (up_ms, <=, row->most_up_ms);
  assert_steady (&run, run.step_at[1], run.step_at[2], LOW_BPS);
  assert_steady (&run, run.step_at[2], n_out, HIGH_BPS);
  g_assert_cmpuint (n_out + row->n_lost, >=, N_PICTURES);
  g_assert_cmpuint (run.key_frames, ==, row->n_key_frames);
  settle (run.set);
  g_assert_cmpuint (n_warnings (&run.log, ""), ==, 0);
  close_run (&run, pipeline);
  g_free (line);
}

/* Sound: the next packet has the new size, and no more is given than was configured. */
static void
opusenc_follows_with_the_next_packet (void)
{
  Run run;
  if (!installed ("opusenc")) {
    return;
  }
  GstElement *pipeline
      = open_run (&run, "audiotestsrc num-buffers=200 samplesperbuffer=960 wave=white-noise ! "
                        "audio/x-raw,rate=48000,channels=1 ! opusenc name=e bitrate=96000 "
                        "bitrate-type=cbr ! fakesink name=s sync=false");
  target (run.set, HIGH_BPS);
  g_assert_cmpuint (discover (&run, pipeline), ==, 1);
  g_assert_cmpint (property_bps (&run), ==, 96000);
  target (run.set, 24000);
  step_to (&run, 24000);
  play_to_end (pipeline);
  for (gint i = 0; i < run.n_out; i++) {
    g_assert_cmpuint (run.bytes[i], ==, 24000 / 8 / 50);
  }
  gst_weir_encoders_stop (run.set); /* a restart does not take our low rate for the user's */
  gst_weir_encoders_start (run.set);
  g_assert_cmpuint (discover (&run, pipeline), ==, 1);
  step_to (&run, 96000);
  close_run (&run, pipeline);
}

/* Waits until pictures come out. */
static void
play_a_little (Run *run, GstElement *pipeline, gint n_pictures)
{
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  WAIT_UNTIL (g_atomic_int_get (&run->n_out) >= n_pictures);
}

static gchar *
live_line (const gchar *encoder)
{
  return g_strdup_printf ("videotestsrc is-live=true pattern=smpte ! "
                          "video/x-raw,format=I420,width=160,height=120,framerate=%d/1 ! %s ! "
                          "fakesink name=s sync=false",
                          RATE, encoder);
}

/* A new target with every picture, as fast as they are encoded; at picture 40 it stays until the
 * encoder has it. */
static GstPadProbeReturn
on_raw_restless (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Run *run = user;
  (void) pad;
  (void) info;
  if (run->n_in == 40) {
    step_to (run, 800000);
  } else {
    target (run->set, 200000 + run->n_in % 7 * 50000);
  }
  run->n_in++;
  return GST_PAD_PROBE_OK;
}

static guint
n_changes (Run *run)
{
  guint n = 0;
  GstStructure *stats = gst_weir_encoders_get_stats (run->set);
  const GValue *list = gst_structure_get_value (stats, "encoders");
  const GstStructure *one = gst_value_get_structure (gst_value_array_get_value (list, 0));
  g_assert_true (gst_structure_get_uint (one, "changes", &n));
  gst_structure_free (stats);
  return n;
}

/* However long the machine takes: a key frame for each change, and a second between changes. */
static void
x265enc_makes_one_key_frame_per_change_and_second_at_most (void)
{
  Run run;
  if (!installed ("x265enc")) {
    return;
  }
  gint64 start_us = g_get_monotonic_time ();
  GstElement *pipeline = open_run (
      &run, "videotestsrc num-buffers=80 ! video/x-raw,format=I420,width=160,height=120,"
            "framerate=25/1 ! x265enc name=e speed-preset=ultrafast key-int-max=3000 ! "
            "fakesink name=s sync=false");
  target (run.set, 400000);
  g_assert_cmpuint (discover (&run, pipeline), ==, 1); /* the first change, before it runs */
  probe (pipeline, "e", "sink", on_raw_restless, &run);
  play_to_end (pipeline);
  guint n = n_changes (&run);
  gint64 seconds = (g_get_monotonic_time () - start_us) / G_USEC_PER_SEC;
  g_test_message ("%u key frames, %u changes in %d targets", run.key_frames, n, 80);
  g_assert_cmpuint (run.key_frames, >=, 2); /* the first picture, and the step at 40 */
  g_assert_cmpuint (run.key_frames, <=, n);
  g_assert_cmpint (n, <=, 1 + seconds);
  close_run (&run, pipeline);
}

/* Quantizers at their defaults and running: it is lossless, and with end-usage=cbr a change (or
 * none) would abort the process. */
static void
av1enc_is_left_alone_when_found_too_late (void)
{
  Run run;
  if (!installed ("av1enc")) {
    return;
  }
  gchar *line = live_line ("av1enc name=e usage-profile=realtime cpu-used=10");
  GstElement *pipeline = open_run (&run, line);
  play_a_little (&run, pipeline, 3);
  gint64 before_bps = property_bps (&run);
  g_assert_cmpuint (discover (&run, pipeline), ==, 1);
  for (guint i = 0; i < 20; i++) {
    target (run.set, 100000 + i * 50000);
    settle (run.set);
  }
  g_assert_cmpint (property_bps (&run), ==, before_bps);
  g_assert_cmpuint (n_warnings (&run.log, ""), ==, 2);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  close_run (&run, pipeline);
  g_free (line);
}

static void
avenc_is_reported_as_unable_to_change (void)
{
  Run run;
  if (!installed ("avenc_mpeg4")) {
    return;
  }
  gchar *line = live_line ("avenc_mpeg4 name=e");
  GstElement *pipeline = open_run (&run, line);
  target (run.set, 700000);
  discover (&run, pipeline);
  g_assert_cmpint (property_bps (&run), ==, 700000); /* before it starts it can */
  play_a_little (&run, pipeline, 2);
  target (run.set, 300000);
  settle (run.set);
  g_assert_cmpint (property_bps (&run), ==, 700000);
  g_assert_cmpuint (n_warnings (&run.log, ""), ==, 1);
  g_assert_cmpuint (n_warnings (&run.log, "cannot change its bitrate while playing"), ==, 1);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  close_run (&run, pipeline);
  g_free (line);
}

/* A webrtcbin asks for its sender when the pipeline plays already. */
static void
vp8enc_takes_its_profile_while_it_runs (void)
{
  Run run;
  gint size_ms = 0;
  if (!installed ("vp8enc")) {
    return;
  }
  gchar *line = live_line ("vp8enc name=e deadline=1");
  GstElement *pipeline = open_run (&run, line);
  play_a_little (&run, pipeline, 2);
  g_assert_cmpuint (discover (&run, pipeline), ==, 1);
  g_object_get (run.encoder, "buffer-size", &size_ms, NULL);
  g_assert_cmpint (size_ms, ==, 300);
  step_to (&run, 150000);
  g_assert_cmpuint (n_warnings (&run.log, ""), ==, 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  close_run (&run, pipeline);
  g_free (line);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    gchar *path = g_strdup_printf ("/encoder_live/%s_follows", rows[i].factory);
    g_test_add_data_func (path, &rows[i], it_follows);
    g_free (path);
  }
  g_test_add_func ("/encoder_live/opusenc_follows_with_the_next_packet",
                   opusenc_follows_with_the_next_packet);
  g_test_add_func ("/encoder_live/x265enc_makes_one_key_frame_per_change_and_second_at_most",
                   x265enc_makes_one_key_frame_per_change_and_second_at_most);
  g_test_add_func ("/encoder_live/av1enc_is_left_alone_when_found_too_late",
                   av1enc_is_left_alone_when_found_too_late);
  g_test_add_func ("/encoder_live/avenc_is_reported_as_unable_to_change",
                   avenc_is_reported_as_unable_to_change);
  g_test_add_func ("/encoder_live/vp8enc_takes_its_profile_while_it_runs",
                   vp8enc_takes_its_profile_while_it_runs);
  return g_test_run ();
}
