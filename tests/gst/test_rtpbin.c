/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weirsend and weirrecv where applications have them: inside and around stock rtpbins. Real time,
 * one process, no sockets. Each case ends as soon as it has seen what it waits for. */
#include "rtpbin_call.h"

#include <gst/video/video.h>

#define CAMERA VIDEO ("400") " name=encoder ! " PAY " ssrc=1000"
#define CAPS(more) "capsfilter caps=\"application/x-rtp" more "\""
#define TWCC "," X
#define NACK ",rtcp-fb-nack=(boolean)true"
#define PLI ",rtcp-fb-nack-pli=(boolean)true"
#define FIR ",rtcp-fb-ccm-fir=(boolean)true"
#define RTX_MAP "payload-type-map=\"application/x-rtp-pt-map,96=(uint)97\""
#define VOICE                                                                                      \
  "audiotestsrc is-live=true wave=ticks samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=1 " \
  "! opusenc name=opus bitrate=24000 ! rtpopuspay pt=111 ssrc=2000"
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define WIDE "capacity=100000000 delay=20000000"

static guint
element_uint (Call *call, const gchar *element, const gchar *property)
{
  return uint_of (part (call, element), property);
}

static gint64
stat_of_element (GstElement *element, const gchar *name)
{
  Run other = { .send = element };
  return stat_of (&other, name);
}

/* --- What passes a pad --- */

typedef struct
{
  gint key_unit_requests, retransmission_requests, key_frames; /* atomic */
} Passed;

static GstPadProbeReturn
count_events (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Passed *passed = user;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  if (gst_video_event_is_force_key_unit (event)) {
    g_atomic_int_inc (&passed->key_unit_requests);
  } else if (gst_event_has_name (event, "GstRTPRetransmissionRequest")) {
    g_atomic_int_inc (&passed->retransmission_requests);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
count_key_frames (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Passed *passed = user;
  if (!GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info), GST_BUFFER_FLAG_DELTA_UNIT)) {
    g_atomic_int_inc (&passed->key_frames);
  }
  return GST_PAD_PROBE_OK;
}

static void
watch_encoder (Call *call, const gchar *name, Passed *passed)
{
  GstPad *pad = gst_element_get_static_pad (part (call, name), "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, count_events, passed, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_key_frames, passed, NULL);
  gst_object_unref (pad);
}

/* --- Inside an rtpbin --- */

static gboolean
above_700k (gpointer user)
{
  return uint_of (((Call *) user)->run.send, "target-bitrate") > 700000;
}

static gboolean
below_500k (gpointer user)
{
  Call *call = user;
  return uint_of (call->run.send, "target-bitrate") < 500000
         && element_uint (call, "encoder", "bitrate") < 500;
}

static gboolean
has_used_retransmissions (gpointer user)
{
  return element_uint (user, "unrtx", "num-rtx-assoc-packets") >= 10;
}

/* The rate follows the path, and what is sent again is paced and known for what it is. */
static void
test_an_auxiliary_sender_with_retransmission (void)
{
  Call call;
  Aux send = { 0, "rtprtxsend name=rtx max-size-time=1000 max-size-packets=0 " RTX_MAP
                  " ! weirsend name=s max-bitrate=2000000" BY_LOSSES };
  Aux recv = { 0, "rtprtxreceive name=unrtx " RTX_MAP };
  call_begin (&call, "", "rtp-profile=avpf do-retransmission=true",
              "capacity=1500000 delay=20000000 loss=0.01", WIDE);
  g_signal_connect (call.a, "request-aux-sender", G_CALLBACK (aux_bin), &send);
  g_signal_connect (call.b, "request-aux-receiver", G_CALLBACK (aux_bin), &recv);
  call_session (&call, 0, CAMERA " ! " CAPS (TWCC NACK PLI), NULL);
  make_prompt (call.run.pipeline, "b");
  run_play (&call.run);
  g_assert_true (run_until (&call.run, above_700k, &call));
  g_object_set (call.there, "capacity", (guint64) 500000, NULL);
  g_assert_true (run_until (&call.run, below_500k, &call));
  g_assert_true (run_until (&call.run, has_used_retransmissions, &call));
  guint sent_again = element_uint (&call, "rtx", "num-rtx-packets");
  gint64 repair = stat_of (&call.run, "repair-packets");
  g_test_message ("sent again %u, known as repair %d, used %u", sent_again, (gint) repair,
                  element_uint (&call, "unrtx", "num-rtx-assoc-packets"));
  g_assert_cmpint (repair, >=, 10);
  g_assert_cmpint (repair, <=, element_uint (&call, "rtx", "num-rtx-packets"));
  g_assert_cmpint (stat_of (&call.run, "nacks"), >, 0);
  g_assert_cmpint (stat_of (&call.run, "feedback-results"), >, 0);
  call_end (&call);
}

/* --- What the receiver asks for --- */

static gboolean
has_passed_all (gpointer user)
{
  Passed *passed = user;
  return g_atomic_int_get (&passed->key_unit_requests) >= 2
         && g_atomic_int_get (&passed->retransmission_requests) >= 5
         && g_atomic_int_get (&passed->key_frames) >= 3;
}

static gboolean
has_received (gpointer user)
{
  return g_atomic_int_get (&((Call *) user)->n_received) >= 20;
}

/* What the receiver's depayloader asks for is sent as counter, if the caps say so. */
static void
check_requests (const gchar *source, const gchar *counter)
{
  Call call;
  Passed passed = { 0 };
  call_begin (&call, "", "do-retransmission=true", WIDE " loss=0.04", WIDE);
  call_session (&call, 0, source, "weirrecv");
  watch_encoder (&call, "encoder", &passed);
  run_play (&call.run);
  g_assert_true (run_until (&call.run, has_passed_all, &passed));
  g_test_message ("retransmission requests %d, key frame requests %d, key frames %d",
                  passed.retransmission_requests, passed.key_unit_requests, passed.key_frames);
  g_assert_cmpint (stat_of (&call.run, "nacks"), >, 0);
  g_assert_cmpint (stat_of (&call.run, counter), >, 0);
  call_end (&call);
}

/* They pass weirsend on their way up at once, whatever waits in its queue. */
static void
test_requests_reach_those_they_are_for (void)
{
  check_requests (CAMERA " ! " CAPS (TWCC NACK PLI) " ! weirsend name=s", "plis");
  check_requests (CAMERA " ! " CAPS (TWCC NACK FIR) " ! weirsend name=s", "firs");
}

/* --- FEC --- */

static void
on_new_storage (G_GNUC_UNUSED GstElement *rtpbin, GObject *storage, G_GNUC_UNUSED guint session,
                G_GNUC_UNUSED gpointer user)
{
  g_object_set (storage, "size-time", (guint64) 250 * GST_MSECOND, NULL);
}

static GstElement *
find_made_by (GstElement *bin, const gchar *factory)
{
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;
  GstIterator *all = gst_bin_iterate_all_by_element_factory_name (GST_BIN (bin), factory);
  if (gst_iterator_next (all, &item) == GST_ITERATOR_OK) {
    found = g_value_get_object (&item); /* its bin keeps it */
    g_value_unset (&item);
  }
  gst_iterator_free (all);
  return found;
}

static GstElement *
make_element (G_GNUC_UNUSED GstElement *rtpbin, G_GNUC_UNUSED guint session, gpointer line)
{
  return gst_parse_launch (line, NULL);
}

static gboolean
has_recovered (gpointer user)
{
  GstElement *decoder = find_made_by (((Call *) user)->b, "rtpulpfecdec");
  return decoder != NULL && uint_of (decoder, "recovered") >= 3;
}

/* Over a path that loses packets; each element of FEC is in its place in rtpbin, before send. */
static void
call_with_fec (Call *call, const gchar *encoder, Aux *send)
{
  call_begin (call, "", "do-lost=true", WIDE " loss=0.05", WIDE);
  g_signal_connect (call->a, "request-fec-encoder", G_CALLBACK (make_element),
                    (gpointer) (guintptr) encoder);
  g_signal_connect (call->b, "request-fec-decoder", G_CALLBACK (make_element),
                    "rtpulpfecdec pt=122");
  g_signal_connect (call->a, "request-aux-sender", G_CALLBACK (aux_bin), send);
  g_signal_connect (call->b, "new-storage", G_CALLBACK (on_new_storage), NULL);
  call_session (call, 0, CAMERA " ! " CAPS (TWCC), "weirrecv");
  run_play (&call->run);
}

static void
test_fec_is_paced_and_repairs (void)
{
  Call call;
  Aux send = { 0, "weirsend name=s max-bitrate=1000000" };
  call_with_fec (&call, "rtpulpfecenc pt=122 percentage=100", &send);
  g_assert_true (run_until (&call.run, has_recovered, &call));
  gint64 sent = stat_of (&call.run, "packets-sent");
  gint64 repair = stat_of (&call.run, "repair-packets");
  g_test_message ("%d of %d packets are FEC", (gint) repair, (gint) sent);
  g_assert_cmpint (repair, >, sent / 4);
  g_assert_cmpint (repair, <, sent * 3 / 4);
  call_end (&call);
}

/* It begins with none, and the losses call for some. */
static void
test_fec_follows_what_is_lost (void)
{
  Call call;
  Aux send = { 0, "weirsend name=s max-bitrate=1000000 repair=auto" };
  call_with_fec (&call, "rtpulpfecenc pt=122", &send);
  g_assert_true (run_until (&call.run, has_recovered, &call));
  guint percentage = uint_of (find_made_by (call.a, "rtpulpfecenc"), "percentage");
  g_test_message ("%u %% of FEC", percentage);
  g_assert_cmpuint (percentage, >, 0);
  g_assert_cmpuint (percentage, <=, 50);
  call_end (&call);
}

static gboolean
has_sent_repair (gpointer user)
{
  return stat_of (&((Call *) user)->run, "repair-packets") >= 30;
}

/* Every packet has the payload type of RED then; what is inside counts. */
static void
test_fec_in_red_is_known (void)
{
  Call call;
  call_begin (&call, "", "", WIDE, WIDE);
  call_session (&call, 0,
                CAMERA " ! " CAPS (TWCC) " ! rtpulpfecenc pt=122 percentage=50 ! rtpredenc pt=100 "
                                         "! weirsend name=s max-bitrate=1000000",
                "weirrecv ! rtpreddec pt=100 ! capssetter "
                "caps=application/x-rtp,payload=(int)96");
  run_play (&call.run);
  g_assert_true (run_until (&call.run, has_sent_repair, &call));
  gint64 sent = stat_of (&call.run, "packets-sent");
  g_assert_cmpint (stat_of (&call.run, "repair-packets"), >, sent / 10);
  g_assert_cmpint (stat_of (&call.run, "repair-packets"), <, sent / 2);
  g_assert_cmpint (g_atomic_int_get (&call.n_received), >, 0);
  call_end (&call);
}

/* --- Several sessions, several streams --- */

static gboolean
has_answers_in_both (gpointer user)
{
  Call *call = user;
  return stat_of_element (part (call, "voice"), "packets-sent") >= 100
         && stat_of (&call->run, "feedback-results") >= 20
         && stat_of_element (part (call, "voice"), "feedback-results") >= 20;
}

/* Audio in session 0, video in session 1, as one call. */
static void
test_two_sessions_of_one_rtpbin (void)
{
  Call call;
  Aux voice = { 0, "weirsend name=voice group=call priority=4 min-bitrate=16000 "
                   "max-bitrate=24000 start-bitrate=24000" };
  Aux video = { 1, "weirsend name=s group=call max-bitrate=2000000" };
  call_begin (&call, "", "", "capacity=500000 delay=20000000", WIDE);
  g_signal_connect (call.a, "request-aux-sender", G_CALLBACK (aux_bin), &voice);
  g_signal_connect (call.a, "request-aux-sender", G_CALLBACK (aux_bin), &video);
  call_session (&call, 0, VOICE " ! " CAPS (TWCC), "weirrecv");
  call_session (&call, 1, CAMERA " ! " CAPS (TWCC), "weirrecv");
  run_play (&call.run);
  g_assert_true (run_until (&call.run, has_answers_in_both, &call));
  g_assert_true (run_until (&call.run, below_500k, &call));
  GstElement *element = part (&call, "voice");
  g_test_message ("voice: %d sent, %d lost, %d dropped",
                  (gint) stat_of_element (element, "packets-sent"),
                  (gint) stat_of_element (element, "packets-lost"),
                  (gint) stat_of_element (element, "dropped-packets"));
  g_assert_cmpint (stat_of_element (element, "dropped-packets"), ==, 0);
  g_assert_cmpuint (uint_of (element, "target-bitrate"), >=, 16000);
  call_end (&call);
}

static GstElement *
add_branch (Call *call, const gchar *line)
{
  GError *error = NULL;
  GstElement *funnel = part (call, "funnel");
  GstElement *branch = gst_parse_bin_from_description (line, TRUE, &error);
  g_assert_no_error (error);
  gst_bin_add (GST_BIN (GST_ELEMENT_PARENT (funnel)), branch);
  g_assert_true (gst_element_link (branch, funnel));
  gst_element_sync_state_with_parent (branch);
  return branch;
}

static GstPadProbeReturn
block (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, gpointer user)
{
  g_atomic_int_set ((gint *) user, TRUE);
  return GST_PAD_PROBE_OK;
}

static gboolean
is_set (gpointer user)
{
  return g_atomic_int_get ((gint *) user);
}

static void
remove_branch (Call *call, GstElement *branch)
{
  gint blocked = FALSE;
  GstElement *funnel = part (call, "funnel");
  GstPad *src = gst_element_get_static_pad (branch, "src");
  GstPad *sink = gst_pad_get_peer (src);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, block, &blocked, NULL);
  g_assert_true (run_until (&call->run, is_set, &blocked));
  gst_pad_unlink (src, sink);
  gst_element_release_request_pad (funnel, sink);
  gst_element_set_state (branch, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (GST_ELEMENT_PARENT (funnel)), branch);
  gst_object_unref (sink);
  gst_object_unref (src);
}

static guint
n_encoders (Call *call)
{
  GstStructure *stats = NULL;
  GstStructure *encoders = NULL;
  g_object_get (call->run.send, "stats", &stats, NULL);
  g_assert_true (gst_structure_get (stats, "encoders", GST_TYPE_STRUCTURE, &encoders, NULL));
  guint n = gst_value_array_get_size (gst_structure_get_value (encoders, "encoders"));
  gst_structure_free (encoders);
  gst_structure_free (stats);
  return n;
}

static gboolean
drives_two (gpointer call)
{
  return n_encoders (call) == 2;
}

static gboolean
drives_three (gpointer call)
{
  return n_encoders (call) == 3;
}

static gboolean
has_second_at_work (gpointer call)
{
  return element_uint (call, "second", "bitrate") != 123;
}

/* As an application answers for a bundle; more is what it says of each stream besides. */
static GstCaps *
caps_for (G_GNUC_UNUSED GstElement *rtpbin, G_GNUC_UNUSED guint session, guint payload_type,
          gpointer more)
{
  const gchar *kind = payload_type == 111 ? "audio,clock-rate=48000,encoding-name=OPUS"
                                          : "video,clock-rate=90000,encoding-name=H264";
  gchar *text = g_strdup_printf ("application/x-rtp,payload=%u,media=%s%s", payload_type, kind,
                                 (const gchar *) more);
  GstCaps *caps = gst_caps_from_string (text);
  g_free (text);
  return caps;
}

/* Voice and video through one element, another video while they play, and without it again. */
static void
test_streams_come_and_go (void)
{
  Call call;
  call_begin (&call, "", "", WIDE, WIDE);
  g_signal_connect (call.b, "request-pt-map", G_CALLBACK (caps_for), TWCC);
  call_session (&call, 0,
                "rtpfunnel name=funnel ! weirsend name=s max-bitrate=2000000 " CAMERA
                " ! " CAPS (TWCC) " ! funnel. " VOICE " ! " CAPS (TWCC) " ! funnel.",
                "weirrecv");
  run_play (&call.run);
  g_assert_true (run_until (&call.run, has_received, &call));
  g_assert_true (run_until (&call.run, drives_two, &call));
  GstElement *branch
      = add_branch (&call, VIDEO ("123") " name=second ! " PAY " ssrc=3000 ! " CAPS (TWCC));
  g_assert_true (run_until (&call.run, drives_three, &call));
  g_assert_true (run_until (&call.run, has_second_at_work, &call));
  remove_branch (&call, branch);
  g_assert_true (run_until (&call.run, drives_two, &call));
  g_assert_cmpint (stat_of (&call.run, "feedback-results"), >, 0);
  g_atomic_int_set (&call.n_received, 0);
  g_assert_true (run_until (&call.run, has_received, &call));
  g_assert_cmpstr (call.run.warnings->str, ==, "");
  call_end (&call);
}

/* --- Feedback in a stock session's RTCP, both ways --- */

static gboolean
is_answered_both_ways (gpointer user)
{
  Call *call = user;
  GstElement *other = part (call, "other");
  return stat_of (&call->run, "feedback-ccfb") >= 40
         && stat_of_element (other, "feedback-ccfb") >= 40;
}

static void
check_answered (GstElement *send)
{
  gint64 sent = stat_of_element (send, "packets-sent");
  gint64 received = stat_of_element (send, "packets-received");
  g_test_message ("%d sent, %d dropped, %d reported received, %d lost, rtt %.1f ms", (gint) sent,
                  (gint) stat_of_element (send, "dropped-packets"), (gint) received,
                  (gint) stat_of_element (send, "packets-lost"),
                  (gdouble) stat_of_element (send, "rtt") / 1e6);
  g_assert_cmpint (received, >=, sent * 7 / 10);
  g_assert_cmpint (stat_of_element (send, "packets-lost"), ==, 0);
  g_assert_cmpint (stat_of_element (send, "rtcp-rejected"), ==, 0);
  g_assert_cmpint (stat_of_element (send, "results-unsent"), ==, 0);
  g_assert_cmpint (stat_of_element (send, "rtt"), >=, 38 * GST_MSECOND);
  g_assert_cmpuint (uint_of (send, "target-bitrate"), >, 300000);
}

/* A call: both send, one of them two streams, and RFC 8888 both ways in one session's RTCP. */
static void
test_rfc_8888_both_ways (void)
{
  Call call;
  call_begin (&call, "", "", WIDE, WIDE);
  g_signal_connect (call.b, "request-pt-map", G_CALLBACK (caps_for), "");
  call_session (&call, 0,
                "rtpfunnel name=funnel ! weirsend name=s" BY_LOSSES " " CAMERA " ! funnel. " VOICE
                " ! funnel.",
                "weirrecv");
  call_media (&call, call.b, call.back, call.a, 0,
              VIDEO ("400") " ! " PAY " ssrc=5000 ! weirsend name=other" BY_LOSSES, "weirrecv");
  run_play (&call.run);
  g_assert_true (run_until (&call.run, is_answered_both_ways, &call));
  check_answered (call.run.send);
  check_answered (part (&call, "other"));
  call_end (&call);
}

/* --- The receiver is made prompt --- */

static void
check_prompt (GstElement *rtpbin)
{
  GObject *session = NULL;
  guint64 interval = 0;
  gdouble fraction = 0;
  gint profile = 0;
  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  g_object_get (session, "twcc-feedback-interval", &interval, "rtcp-fraction", &fraction,
                "rtp-profile", &profile, NULL);
  g_assert_cmpuint (interval, ==, 50 * GST_MSECOND);
  g_assert_cmpfloat (fraction, ==, 0.5);
  g_assert_cmpint (profile, ==, 3); /* avpf */
  g_object_unref (session);
}

static gboolean
is_answered_promptly (gpointer user)
{
  Run *run = &((Call *) user)->run;
  return stat_of (run, "feedback-results") >= 20
         && stat_of (run, "feedback-interval") < 120 * GST_MSECOND;
}

static void
check_prompt_answers (Call *call)
{
  run_play (&call->run);
  g_assert_true (run_until (&call->run, is_answered_promptly, call));
  check_prompt (call->b);
  g_assert_cmpstr (call->run.warnings->str, ==, "");
  call_end (call);
}

/* Also behind srtpdec. */
static void
test_weirrecv_before_a_session_makes_it_prompt (void)
{
  static const gchar *const before[]
      = { "weirrecv",
          "srtpdec name=d d.rtp_src ! weirrecv identity ! srtpenc key=" KEY " ! d.rtp_sink" };
  for (gsize i = 0; i < G_N_ELEMENTS (before); i++) {
    Call call;
    g_test_message ("%s", before[i]);
    call_begin (&call, "", "", WIDE, WIDE);
    call_session (&call, 0, CAMERA " ! " CAPS (TWCC) " ! weirsend name=s", before[i]);
    check_prompt_answers (&call);
  }
}

static void
test_weirrecv_as_auxiliary_receiver_makes_it_prompt (void)
{
  Call call;
  Aux recv = { 0, "weirrecv" };
  call_begin (&call, "", "", WIDE, WIDE);
  g_signal_connect (call.b, "request-aux-receiver", G_CALLBACK (aux_bin), &recv);
  call_session (&call, 0, CAMERA " ! " CAPS (TWCC) " ! weirsend name=s", NULL);
  check_prompt_answers (&call);
}

static gboolean
is_reported (gpointer user)
{
  return stat_of (&((Call *) user)->run, "feedback-ccfb") >= 20;
}

static void
test_weirrecv_as_auxiliary_receiver_reports_each_packet (void)
{
  Call call;
  Aux recv = { 0, "weirrecv" };
  call_begin (&call, "", "", WIDE, WIDE);
  g_signal_connect (call.b, "request-aux-receiver", G_CALLBACK (aux_bin), &recv);
  call_session (&call, 0, CAMERA " ! weirsend name=s" BY_LOSSES, NULL);
  run_play (&call.run);
  g_assert_true (run_until (&call.run, is_reported, &call));
  check_answered (call.run.send);
  call_end (&call);
}

/* The session was not told of the transport-wide numbers and reports none: weirrecv has to. */
static void
test_a_session_that_does_not_report_is_helped (void)
{
  Call call;
  call_begin (&call, "", "", WIDE, WIDE);
  g_signal_connect (call.b, "request-pt-map", G_CALLBACK (caps_for), "");
  call_session (&call, 0,
                "rtpfunnel name=funnel ! weirsend name=s" BY_LOSSES " " CAMERA
                " ! " CAPS (TWCC) " ! funnel.",
                "weirrecv");
  run_play (&call.run);
  g_assert_true (run_until (&call.run, is_reported, &call));
  check_answered (call.run.send);
  call_end (&call);
}

/* --- What goes wrong --- */

static gboolean
has_warned (gpointer user)
{
  return strstr (((Call *) user)->run.warnings->str, "the last report came") != NULL;
}

/* Neither BYE nor anything else comes any more. */
static void
test_a_peer_that_vanishes_is_noticed (void)
{
  Call call;
  call_begin (&call, "", "", WIDE, WIDE);
  call_session (&call, 0, CAMERA " ! " CAPS (TWCC) " ! weirsend name=s" BY_LOSSES, "weirrecv");
  run_play (&call.run);
  g_assert_true (run_until (&call.run, above_700k, &call));
  g_object_set (call.there, "loss", 1.0, NULL);
  g_object_set (call.back, "loss", 1.0, NULL);
  g_assert_true (run_until (&call.run, has_warned, &call));
  g_assert_cmpuint (uint_of (call.run.send, "target-bitrate"), <, 400000);
  gpointer weak = call.run.send;
  g_object_add_weak_pointer (weak, &weak);
  call_end (&call);
  g_assert_null (weak);
}

static gboolean
has_said_unlinked (gpointer user)
{
  return strstr (((Call *) user)->run.warnings->str, "request-aux-sender") != NULL;
}

static gboolean
has_said_no_rtcp (gpointer user)
{
  return strstr (((Call *) user)->run.warnings->str, "nothing brings RTCP to weirsend") != NULL;
}

/* A bin for a session that nobody asks for, and one that is linked past the session. */
static void
test_an_auxiliary_sender_without_a_session_says_so (void)
{
  Call call;
  Aux aux = { 7, "weirsend name=s" };
  call_begin (&call, "", "", WIDE, WIDE);
  gst_bin_add (GST_BIN (call.run.pipeline), aux_bin (NULL, 7, &aux));
  call_session (&call, 0, CAMERA, NULL);
  run_play (&call.run);
  g_assert_true (run_until (&call.run, has_said_unlinked, &call));
  call_end (&call);
  call_begin (&call, "", "", WIDE, WIDE);
  add_parts (&call, VIDEO ("300") " ! " PAY " ! weirsend name=s ! " END);
  run_play (&call.run);
  g_assert_true (run_until (&call.run, has_said_no_rtcp, &call));
  call_end (&call);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, on_log, NULL);
#define ADD(name) g_test_add_func ("/gst/rtpbin/" #name, test_##name)
  ADD (an_auxiliary_sender_with_retransmission);
  ADD (requests_reach_those_they_are_for);
  ADD (fec_is_paced_and_repairs);
  ADD (fec_follows_what_is_lost);
  ADD (fec_in_red_is_known);
  ADD (two_sessions_of_one_rtpbin);
  ADD (streams_come_and_go);
  ADD (rfc_8888_both_ways);
  ADD (weirrecv_before_a_session_makes_it_prompt);
  ADD (weirrecv_as_auxiliary_receiver_makes_it_prompt);
  ADD (weirrecv_as_auxiliary_receiver_reports_each_packet);
  ADD (a_session_that_does_not_report_is_helped);
  ADD (a_peer_that_vanishes_is_noticed);
  ADD (an_auxiliary_sender_without_a_session_says_so);
  return g_test_run ();
}
