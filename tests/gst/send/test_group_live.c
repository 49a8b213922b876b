/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A call in real time: voice and video over a bottleneck of 400 kbit/s, once as two members of a
 * group, once bundled through one weirsend. Voice has to arrive, on time; video takes the rest.
 * The network is emulated in the process, so losses are the algorithm's own. */
#include "pipeline_run.h"

#define CAPACITY_BPS 400000
#define WARM_UP_S 10
#define MEASURED_S 18
#define HEADERS_BYTES 28 /* IPv4 and UDP */

#define AUDIO                                                                                      \
  "audiotestsrc name=voice is-live=true wave=ticks samplesperbuffer=960 ! audioconvert "           \
  "! audio/x-raw,rate=48000,channels=1 ! opusenc bitrate=24000 ! rtpopuspay pt=97 ssrc=77 "
/* Of this picture x264enc makes what it is told; of others up to a fifth less. */
#define CAMERA                                                                                     \
  "videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 kt=1 ! " SIZE                        \
  " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 bitrate=300 ! " PAY          \
  " ssrc=88 "
#define VOICE_LIMITS "min-bitrate=16000 max-bitrate=32000 start-bitrate=24000 "
#define PICTURE_LIMITS "min-bitrate=150000 max-bitrate=2000000 start-bitrate=200000 "

/* When packets of the voice came to weirsend and left it, and what arrived, from the warm-up on. */
typedef struct
{
  GMutex lock;
  gint64 in_us[65536];
  gboolean measured[65536]; /* those that left meanwhile */
  GArray *waits_us;
  guint voice_sent, voice_arrived;
  guint64 voice_bytes, picture_bytes;
  gboolean counts;
  GThread *sleeper; /* a thread with nothing to do but sleep: how late is it woken? */
  gint awake;       /* atomic: it goes on */
  GArray *late_us;
} Call;

typedef void (*OnPacket) (Call *call, guint32 ssrc, guint16 seq, gsize size_bytes);

static void
on_in (Call *call, guint32 ssrc, guint16 seq, G_GNUC_UNUSED gsize size_bytes)
{
  if (ssrc == 77) {
    call->in_us[seq] = g_get_monotonic_time ();
  }
}

static void
on_out (Call *call, guint32 ssrc, guint16 seq, G_GNUC_UNUSED gsize size_bytes)
{
  if (ssrc == 77 && call->counts) {
    gint64 wait_us = g_get_monotonic_time () - call->in_us[seq];
    g_array_append_val (call->waits_us, wait_us);
    call->measured[seq] = TRUE;
    call->voice_sent++;
  }
}

static void
on_arrival (Call *call, guint32 ssrc, guint16 seq, gsize size_bytes)
{
  if (ssrc == 77) {
    call->voice_arrived += call->measured[seq] ? 1 : 0;
    call->measured[seq] = FALSE;
  }
  if (call->counts && ssrc == 77) {
    call->voice_bytes += size_bytes + HEADERS_BYTES;
  } else if (call->counts) {
    call->picture_bytes += size_bytes + HEADERS_BYTES;
  }
}

typedef struct
{
  Call *call;
  OnPacket on_packet;
} Probe;

static void
read_packet (const Probe *probe, GstBuffer *buffer)
{
  guint8 bytes[12] = { 0 };
  gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
  g_mutex_lock (&probe->call->lock);
  probe->on_packet (probe->call, GST_READ_UINT32_BE (bytes + 8), GST_READ_UINT16_BE (bytes + 2),
                    gst_buffer_get_size (buffer));
  g_mutex_unlock (&probe->call->lock);
}

static GstPadProbeReturn
on_probe (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    read_packet (user, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  }
  GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  for (guint i = 0; i < gst_buffer_list_length (list); i++) {
    read_packet (user, gst_buffer_list_get (list, i));
  }
  return GST_PAD_PROBE_OK;
}

static void
watch (Run *run, Call *call, const gchar *element_name, const gchar *pad_name, OnPacket on_packet)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (run->pipeline), element_name);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  Probe *probe = g_new (Probe, 1);
  *probe = (Probe){ call, on_packet };
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_probe,
                     probe, g_free);
  gst_object_unref (pad);
  gst_object_unref (element);
}

static gint
by_time (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

static gdouble
mos_of (Run *run, const gchar *name)
{
  GstStructure *stats = NULL;
  gdouble mos = 0;
  GstElement *receiver = gst_bin_get_by_name (GST_BIN (run->pipeline), name);
  g_object_get (receiver, "stats", &stats, NULL);
  gst_structure_get_double (stats, "mos", &mos);
  gst_structure_free (stats);
  gst_object_unref (receiver);
  return mos;
}

#define NAP_US 5000
#define LATE_MS 5.0

static gpointer
sleep_on (gpointer user)
{
  Call *call = user;
  while (g_atomic_int_get (&call->awake)) {
    gint64 end_us = g_get_monotonic_time () + NAP_US;
    g_usleep (NAP_US);
    gint64 late_us = g_get_monotonic_time () - end_us;
    g_array_append_val (call->late_us, late_us);
  }
  return NULL;
}

/* On a machine whose threads wait for a processor encoders and pacers are late, and a call in real
 * time says nothing about them. */
static gboolean
machine_keeps_up (const Call *call)
{
  g_array_sort (call->late_us, by_time);
  gdouble p90_ms
      = (gdouble) g_array_index (call->late_us, gint64, call->late_us->len * 9 / 10) / 1e3;
  g_test_message ("threads were woken %.1f ms late (p90)", p90_ms);
  if (p90_ms > LATE_MS) {
    gchar *why = g_strdup_printf ("the machine is busy: threads are woken %.1f ms late", p90_ms);
    g_test_skip (why);
    g_free (why);
  }
  return p90_ms <= LATE_MS;
}

/* Whether voice arrived, on time, and video took the rest. */
static gboolean
judge (const Call *call, gdouble mos)
{
  g_array_sort (call->waits_us, by_time);
  guint n = call->waits_us->len;
  g_assert_cmpuint (n, >, MEASURED_S * 40);
  gdouble p95_ms = (gdouble) g_array_index (call->waits_us, gint64, n * 95 / 100) / 1e3;
  gdouble loss = 1.0 - (gdouble) call->voice_arrived / call->voice_sent;
  gdouble capacity_bytes = (gdouble) CAPACITY_BPS / 8 * MEASURED_S;
  gdouble utilisation = (gdouble) (call->voice_bytes + call->picture_bytes) / capacity_bytes;
  g_test_message ("voice: %u packets, loss %.2f %%, wait p95 %.1f ms, MOS %.2f; video %.0f kbit/s; "
                  "utilisation %.2f",
                  call->voice_sent, loss * 100, p95_ms, mos,
                  (gdouble) call->picture_bytes * 8 / 1e3 / MEASURED_S, utilisation);
  return loss < 0.005 && p95_ms < 20.0 && utilisation >= 0.8;
}

static void
run_call (Run *run, Call *call)
{
  run_for (run, WARM_UP_S);
  g_mutex_lock (&call->lock);
  call->counts = TRUE;
  g_mutex_unlock (&call->lock);
  g_atomic_int_set (&call->awake, TRUE);
  call->sleeper = g_thread_new ("sleeper", sleep_on, call);
  run_for (run, MEASURED_S);
  g_mutex_lock (&call->lock);
  call->counts = FALSE;
  g_mutex_unlock (&call->lock);
  g_atomic_int_set (&call->awake, FALSE);
  g_thread_join (call->sleeper);
  run_for (run, 0.5); /* what is on its way arrives */
  report (run);
}

static Call *
call_new (void)
{
  Call *call = g_new0 (Call, 1);
  call->waits_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  call->late_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  return call;
}

static void
call_free (Call *call)
{
  g_array_unref (call->waits_us);
  g_array_unref (call->late_us);
  g_free (call);
}

#define LINK "weirlink name=l capacity=400000 delay=20000000 queue-time=150000000 "
static gboolean
is_possible (void)
{
  static const gchar *const needed[] = { "opusenc", "x264enc", "rtpopuspay", "rtph264pay" };
  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    if (!has_element (needed[i])) {
      gchar *why = g_strdup_printf ("%s is not installed", needed[i]);
      g_test_skip (why);
      g_free (why);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
try_members_of_a_group (Call *call)
{
  Run run;
  static const gchar text[]
      = AUDIO "! weirsend name=a "
              "group=call " VOICE_LIMITS "! l.sink_0 " CAMERA "! weirsend name=s "
              "group=call " PICTURE_LIMITS "! l.sink_1 " LINK
              "l.src_0 ! weirrecv name=ra ! fakesink sync=false async=false "
              "l.src_1 ! weirrecv name=rs ! fakesink sync=false async=false "
              "ra.rtcp_src ! weirlink delay=20000000 ! a.rtcp_sink "
              "rs.rtcp_src ! weirlink delay=20000000 ! s.rtcp_sink";
  run_begin (&run, NULL, text);
  watch (&run, call, "a", "sink", on_in);
  watch (&run, call, "a", "src", on_out);
  watch (&run, call, "ra", "sink", on_arrival);
  watch (&run, call, "rs", "sink", on_arrival);
  run_call (&run, call);
  gdouble mos = mos_of (&run, "ra");
  run_end (&run);
  return judge (call, mos) && mos >= 4.0;
}

static gboolean
try_a_bundle (Call *call)
{
  Run run;
  static const gchar text[]
      = AUDIO "! f.sink_0 " CAMERA "! f.sink_1 "
              "rtpfunnel name=f ! weirsend name=s "
              "min-bitrate=166000 max-bitrate=2032000 "
              "start-bitrate=224000 ! " LINK "! weirrecv name=r ! fakesink sync=false async=false "
              "r.rtcp_src ! weirlink delay=20000000 ! s.rtcp_sink";
  run_begin (&run, NULL, text);
  watch (&run, call, "s", "sink", on_in);
  watch (&run, call, "s", "src", on_out);
  watch (&run, call, "r", "sink", on_arrival);
  run_call (&run, call);
  gdouble mos = mos_of (&run, "r");
  run_end (&run);
  return judge (call, mos); /* the score is of voice and video together here */
}

/* What a call comes to is chance in part: one that falls short is made twice more, and both have to
 * be good. */
static void
check_call (gboolean (*try_call) (Call *call))
{
  guint wanted = 1;
  for (guint good = 0, i = 0; i < 3 && good < wanted && is_possible (); i++) {
    Call *call = call_new ();
    gboolean is_good = try_call (call);
    gboolean counts = is_good || machine_keeps_up (call);
    call_free (call);
    if (!counts) {
      return;
    }
    good += is_good ? 1 : 0;
    wanted = i == 0 && !is_good ? 2 : wanted;
    g_assert_true (is_good || i == 0);
  }
}

static void
test_members_of_a_group (void)
{
  check_call (try_members_of_a_group);
}

static void
test_a_bundle (void)
{
  check_call (try_a_bundle);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, on_log, NULL);
#define ADD(name) g_test_add_func ("/gst/group_live/" #name, test_##name)
  ADD (members_of_a_group);
  ADD (a_bundle);
  return g_test_run ();
}
