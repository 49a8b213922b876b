/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A call: voice and video both ways, encrypted, with rtpbin and weirsend.
 *
 * The two weirsends are one group: one estimate of the path, one budget, of which the voice takes
 * what it needs first. weirrecv before each session makes it report every packet (RFC 8888). Voice
 * goes to PORT of the peer, video to PORT + 2, their RTCP to the port after each.
 *
 * Run: GST_PLUGIN_PATH=build/gst build/examples/call --test --here 5004 --there 5014 127.0.0.1
 * Run: GST_PLUGIN_PATH=build/gst build/examples/call --test --here 5014 --there 5004 127.0.0.1
 */
#include <glib-unix.h>
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>

static gint here = 5004, there = 0, seconds = 0;
static gboolean test_sources = FALSE;
/* The key of an example: a real one comes from the signalling, and is secret. */
static gchar *key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d";

static GOptionEntry options[] = {
    {"here", 0, 0, G_OPTION_ARG_INT, &here, "First of four ports we listen on (5004)", "PORT"},
    {"there", 0, 0, G_OPTION_ARG_INT, &there, "First port of the peer (as here)", "PORT"},
    {"key", 0, 0, G_OPTION_ARG_STRING, &key, "SRTP key, 60 hexadecimal digits", "HEX"},
    {"test", 0, 0, G_OPTION_ARG_NONE, &test_sources, "Send test video and audio, show nothing",
     NULL},
    {"seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "Hang up after so long (0: by Ctrl-C)", "S"},
    {NULL}};

enum { KEY_DIGITS = 60 }; /* 16 bytes of key, 14 of salt: AES-128-ICM */
static gint exit_status = 0;

typedef struct {
    const gchar *name, *source, *test_source, *encoder, *limits, *caps, *player, *test_player;
    guint session;
} Stream;

static const Stream streams[] = {
    {.name = "voice",
     .source = "autoaudiosrc ! audioconvert ! audioresample",
     .test_source = "audiotestsrc is-live=true wave=ticks",
     .encoder = "audio/x-raw,rate=48000,channels=1 ! opusenc audio-type=voice bitrate=24000"
                " inband-fec=true dtx=true ! rtpopuspay pt=97 dtx=true",
     .limits = "min-bitrate=16000 max-bitrate=32000 start-bitrate=24000",
     .caps = "media=audio,clock-rate=48000,encoding-name=OPUS,payload=97",
     .player = "rtpopusdepay ! opusdec plc=true ! audioconvert ! autoaudiosink",
     .test_player = "rtpopusdepay ! opusdec plc=true ! fakesink sync=true async=false",
     .session = 0},
    {.name = "video",
     .source = "autovideosrc ! videoconvert ! videoscale",
     .test_source = "videotestsrc is-live=true",
     .encoder = "video/x-raw,width=640,height=360,framerate=30/1"
                " ! x264enc tune=zerolatency speed-preset=superfast"
                " ! rtph264pay pt=96 config-interval=-1 mtu=1200",
     .limits = "min-bitrate=150000 max-bitrate=2000000 start-bitrate=300000",
     .caps = "media=video,clock-rate=90000,encoding-name=H264,payload=96",
     .player = "rtph264depay request-keyframe=true ! avdec_h264 ! videoconvert ! autovideosink",
     .test_player = "rtph264depay request-keyframe=true ! avdec_h264 ! fakesink async=false",
     .session = 1},
};

/* From our source through weirsend, rtpbin and srtpenc to the network, and back. */
static void describe_stream(GString *text, const Stream *stream, const gchar *peer)
{
    const gchar *name = stream->name;
    guint k = stream->session;
    gint in = here + 2 * (gint)k, out = there + 2 * (gint)k;
    g_string_append_printf(text, "srtpenc name=%s-enc key=%s srtpdec name=%s-dec ", name, key,
                           name);
    g_string_append_printf(text, "%s ! %s ! weirsend name=%s group=call %s ! rb.send_rtp_sink_%u ",
                           test_sources ? stream->test_source : stream->source, stream->encoder,
                           name, stream->limits, k);
    g_string_append_printf(text,
                           "rb.send_rtp_src_%u ! %s-enc.rtp_sink_0 %s-enc.rtp_src_0"
                           " ! udpsink host=%s port=%d sync=false async=false ",
                           k, name, name, peer, out);
    g_string_append_printf(text,
                           "rb.send_rtcp_src_%u ! %s-enc.rtcp_sink_0 %s-enc.rtcp_src_0"
                           " ! udpsink host=%s port=%d sync=false async=false ",
                           k, name, name, peer, out + 1);
    g_string_append_printf(text,
                           "udpsrc port=%d reuse=false caps=application/x-srtp,%s ! %s-dec.rtp_sink"
                           " %s-dec.rtp_src ! weirrecv ! rb.recv_rtp_sink_%u ",
                           in, stream->caps, name, name, k);
    g_string_append_printf(text,
                           "udpsrc port=%d reuse=false caps=application/x-srtcp ! %s-dec.rtcp_sink"
                           " %s-dec.rtcp_src ! rb.recv_rtcp_sink_%u ",
                           in + 1, name, name, k);
}

/* srtpdec asks for the key of each stream it meets: it is the same for all. */
static GstCaps *on_request_key(GstElement *srtpdec, guint ssrc, gpointer user)
{
    gchar *text =
        g_strdup_printf("application/x-srtp,srtp-key=(buffer)%s,srtp-cipher=aes-128-icm,"
                        "srtp-auth=hmac-sha1-80,srtcp-cipher=aes-128-icm,srtcp-auth=hmac-sha1-80",
                        key);
    GstCaps *caps = gst_caps_from_string(text);
    g_free(text);
    return caps;
}

/* A stream of the peer has begun: play it. */
static void on_pad_added(GstElement *rtpbin, GstPad *pad, gpointer pipeline)
{
    guint session = 0;
    if (sscanf(GST_PAD_NAME(pad), "recv_rtp_src_%u_", &session) != 1 ||
        session >= G_N_ELEMENTS(streams)) {
        return; /* what we send */
    }
    const Stream *stream = &streams[session];
    GstElement *player = gst_parse_bin_from_description(
        test_sources ? stream->test_player : stream->player, TRUE, NULL);
    GstPad *sink = gst_element_get_static_pad(player, "sink");
    gst_bin_add(pipeline, player);
    gst_element_sync_state_with_parent(player);
    gst_pad_link(pad, sink);
    gst_object_unref(sink);
}

static void print_stats(const gchar *name, const GstStructure *stats)
{
    gint64 target = 0, sent = 0, delivered = 0, rtt = 0;
    gdouble loss = 0;
    gst_structure_get(stats, "target-bitrate", G_TYPE_INT64, &target, NULL);
    gst_structure_get(stats, "sent-bitrate", G_TYPE_INT64, &sent, NULL);
    gst_structure_get(stats, "delivered-bitrate", G_TYPE_INT64, &delivered, NULL);
    gst_structure_get(stats, "rtt", G_TYPE_INT64, &rtt, NULL);
    gst_structure_get(stats, "loss-ratio", G_TYPE_DOUBLE, &loss, NULL);
    g_print("%s: target %" G_GINT64_FORMAT " kbit/s, call: sent %" G_GINT64_FORMAT
            ", delivered %" G_GINT64_FORMAT " kbit/s, loss %.1f %%, rtt %.0f ms\n",
            name, target / 1000, sent / 1000, delivered / 1000, 100 * loss, (gdouble)rtt / 1e6);
}

static gboolean on_message(GstBus *bus, GstMessage *message, gpointer loop)
{
    const GstStructure *structure = gst_message_get_structure(message);
    GError *error = NULL;
    gchar *details = NULL;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
        gst_message_parse_error(message, &error, &details);
        const gchar *why = details == NULL ? NULL : strrchr(details, '\n');
        g_printerr("call: %s: %s%s%s\n", GST_MESSAGE_SRC_NAME(message), error->message,
                   why == NULL ? "" : " ", why == NULL ? "" : why + 1);
        exit_status = 1;
        g_main_loop_quit(loop);
    } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
        gst_message_parse_warning(message, &error, NULL);
        g_printerr("call: %s: %s\n", GST_MESSAGE_SRC_NAME(message), error->message);
    } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT &&
               gst_structure_has_name(structure, "weir-stats") &&
               gst_structure_has_field(structure, "target-bitrate")) {
        print_stats(GST_MESSAGE_SRC_NAME(message), structure);
    }
    g_clear_error(&error);
    g_free(details);
    return TRUE;
}

static gboolean hang_up(gpointer loop)
{
    g_main_loop_quit(loop);
    return TRUE;
}

/* NULL with *error set: what was asked for cannot be. */
static GstElement *build(const gchar *peer, GError **error)
{
    GString *text = g_string_new("rtpbin name=rb rtp-profile=avpf ");
    for (guint i = 0; i < G_N_ELEMENTS(streams); i++) {
        describe_stream(text, &streams[i], peer);
    }
    GstElement *pipeline =
        gst_parse_launch_full(text->str, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
    g_string_free(text, TRUE);
    for (guint i = 0; pipeline != NULL && i < G_N_ELEMENTS(streams); i++) {
        gchar *name = g_strconcat(streams[i].name, "-dec", NULL);
        GstElement *srtpdec = gst_bin_get_by_name(GST_BIN(pipeline), name);
        g_signal_connect(srtpdec, "request-key", G_CALLBACK(on_request_key), NULL);
        gst_object_unref(srtpdec);
        g_free(name);
    }
    if (pipeline != NULL) {
        GstElement *rtpbin = gst_bin_get_by_name(GST_BIN(pipeline), "rb");
        g_signal_connect(rtpbin, "pad-added", G_CALLBACK(on_pad_added), pipeline);
        gst_object_unref(rtpbin);
    }
    return pipeline;
}

/* The key itself is not for anybody's screen. */
static gboolean is_key(const gchar *text, GError **error)
{
    gsize digits = strspn(text, "0123456789abcdefABCDEF");
    if (digits == KEY_DIGITS && text[digits] == '\0') {
        return TRUE;
    }
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--key must be %d hexadecimal digits, not %d characters (openssl rand -hex 30)",
                KEY_DIGITS, (gint)strlen(text));
    return FALSE;
}

/* Four ports each, and a time. */
static gboolean are_numbers(GError **error)
{
    if (here > 0 && here <= 65532 && there > 0 && there <= 65532 && seconds >= 0) {
        return TRUE;
    }
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--here and --there must be 1 to 65532, --seconds 0 or more");
    return FALSE;
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    GOptionContext *context = g_option_context_new("PEER - a call with voice and video");
    g_option_context_add_main_entries(context, options, NULL);
    g_option_context_add_group(context, gst_init_get_option_group());
    gboolean parsed = g_option_context_parse(context, &argc, &argv, &error);
    g_option_context_free(context);
    there = there == 0 ? here : there;
    gboolean valid = parsed && argc == 2 && is_key(key, &error) && are_numbers(&error);
    GstElement *pipeline = valid ? build(argv[1], &error) : NULL;
    if (pipeline == NULL) {
        g_printerr("call: %s\n", error != NULL ? error->message : "usage: call [OPTIONS] PEER");
        return 2;
    }
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    GstBus *bus = gst_element_get_bus(pipeline);
    gst_bus_add_watch(bus, on_message, loop);
    g_unix_signal_add(SIGINT, hang_up, loop);
    g_unix_signal_add(SIGTERM, hang_up, loop);
    if (seconds > 0) {
        g_timeout_add_seconds((guint)seconds, hang_up, loop);
    }
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    g_main_loop_run(loop);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_bus_remove_watch(bus);
    gst_object_unref(bus);
    gst_object_unref(pipeline);
    g_main_loop_unref(loop);
    return exit_status;
}
