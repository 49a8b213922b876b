/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element costs: CPU time and switches between threads of the whole process per packet,
 * with the element and without it, in turns; and how exactly weirsend's packets leave. RTP comes in
 * bursts and goes to a UDP socket. In the place of the element is `identity`, which takes buffer
 * lists apart, so that an element that keeps them whole can cost less than nothing; but nothing at
 * all where weirsend spreads the frames of a video over their interval, and its receiver there is a
 * process of its own, whose cost is not counted. Run on demand, from a
 * release build, with GST_PLUGIN_PATH set; the numbers depend on the machine.
 *
 *     bench_element [seconds of each measurement, 3 [part of a name, as in "frames, rtpbin, 200 "]]
 */
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS = 5, PACKET_BYTES = 1200, MAX_DEPARTURES = 200000 };

#define RTP_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"
#define OUT      "udpsink host=127.0.0.1 port=47123 sync=false async=false name=out"
#define FAST_SENDER                                                                                \
    "weirsend name=s algorithm=fixed encoders=none min-bitrate=200000000 "                         \
    "start-bitrate=200000000 max-bitrate=200000000"

/* A load: bursts of packets at an even distance. */
struct load {
    const char *name;
    int bursts_per_s;
    int packets_per_burst;
    double limit_us; /* the most that an element on the way to the network may add */
};

/* What one measurement used, per packet. */
struct cost {
    double cpu_us;
    double switches; /* a thread went to sleep */
};

/* The receiver of frames; its feedback comes to "r". */
#define RECEIVER                                                                                   \
    "gst-launch-1.0 -q udpsrc port=47123 caps=" RTP_CAPS " ! weirrecv name=r "                     \
    "! fakesink sync=false async=false r.rtcp_src ! udpsink host=127.0.0.1 port=47124 "            \
    "sync=false async=false"

/* The element and its place: `%s` in the pipeline is either of the two. */
struct subject {
    const char *name;
    const char *pipeline;
    const char *base;
    const char *element;
    const struct load *loads;
    int n_loads;
};

static const struct load small_bursts[] = {{"10 000 packets/s", 200, 50, 1.5},
                                           {"200 packets/s", 20, 10, 15.0}};
static const struct load frames[] = {{"200 packets/s", 30, 7, 30.0},
                                     {"2000 packets/s", 30, 67, 4.0},
                                     {"10 000 packets/s", 30, 333, 2.0}};

/* weirsend gets feedback of each packet, from a weirrecv that is there without it, too. */
static const struct subject subjects[] = {
    {"weirsend", "appsrc name=in ! %s ! weirrecv name=r ! " OUT, "identity", FAST_SENDER,
     small_bursts, G_N_ELEMENTS(small_bursts)},
    {"weirsend, rtpbin",
     "rtpbin name=b appsrc name=in ! %s ! b.send_rtp_sink_0 b.send_rtp_src_0 ! weirrecv name=r "
     "! " OUT,
     "identity", FAST_SENDER, small_bursts, G_N_ELEMENTS(small_bursts)},
    {"weirsend, frames, rtpbin",
     "rtpbin name=b appsrc name=in ! %s b.send_rtp_sink_0 b.send_rtp_src_0 ! " OUT
     " udpsrc port=47124 name=r",
     "", "weirsend name=s algorithm=fixed encoders=none !", frames, G_N_ELEMENTS(frames)},
    {"weirrecv", "appsrc name=in ! %s ! " OUT, "identity", "weirrecv name=r", small_bursts,
     G_N_ELEMENTS(small_bursts)},
    {"weirlink", "appsrc name=in ! %s ! " OUT, "identity",
     "weirlink capacity=1000000000 delay=10000000", small_bursts, G_N_ELEMENTS(small_bursts)},
    {"weirlink, 10 Mbit/s beside", "appsrc name=in ! %s ! " OUT, "identity",
     "weirlink capacity=110000000 delay=10000000 cross-traffic=cbr:10M", small_bursts,
     G_N_ELEMENTS(small_bursts)},
};

struct bench {
    GstElement *pipeline;
    GstElement *in;
    guint16 seq;
    guint32 timestamp;
    gint passed; /* packets that reached the sink, atomic */
    gint64 departures_ns[MAX_DEPARTURES];
};

static struct cost used(void)
{
    struct rusage usage;
    struct timespec cpu;
    getrusage(RUSAGE_SELF, &usage);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return (struct cost){1e6 * (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e3,
                         (double)usage.ru_nvcsw};
}

static gint64 now_ns(void)
{
    GstClock *clock = gst_system_clock_obtain();
    gint64 now = (gint64)gst_clock_get_time(clock);
    gst_object_unref(clock);
    return now;
}

static void sleep_until(gint64 until_ns)
{
    gint64 left_ns = until_ns - now_ns();
    if (left_ns > 0) {
        g_usleep((gulong)(left_ns / 1000));
    }
}

static GstPadProbeReturn on_departure(G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info,
                                      gpointer user)
{
    struct bench *bench = user;
    guint n = 1;
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
        n = gst_buffer_list_length(GST_PAD_PROBE_INFO_BUFFER_LIST(info));
    }
    gint at = g_atomic_int_get(&bench->passed);
    gint64 now = now_ns();
    for (gint i = at; i < at + (gint)n && i < MAX_DEPARTURES; i++) {
        bench->departures_ns[i] = now;
    }
    g_atomic_int_add(&bench->passed, (gint)n);
    return GST_PAD_PROBE_OK;
}

static GstBuffer *make_packet(struct bench *bench, GstClockTime pts, gboolean last)
{
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, PACKET_BYTES, NULL);
    guint8 header[12] = {0x80, (guint8)(last ? 0x80 | 96 : 96), 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
    header[2] = (guint8)(bench->seq >> 8);
    header[3] = (guint8)bench->seq;
    GST_WRITE_UINT32_BE(header + 4, bench->timestamp);
    gst_buffer_fill(buffer, 0, header, sizeof header);
    bench->seq++;
    GST_BUFFER_PTS(buffer) = pts;
    return buffer;
}

/* A frame: as a payloader does it, all of one time. */
static void push_burst(struct bench *bench, int n)
{
    GstBufferList *list = gst_buffer_list_new_sized((guint)n);
    GstClockTime pts = gst_element_get_current_running_time(bench->pipeline);
    for (int i = 0; i < n; i++) {
        gst_buffer_list_add(list, make_packet(bench, pts, i == n - 1));
    }
    bench->timestamp += 3000;
    gst_app_src_push_buffer_list(GST_APP_SRC(bench->in), list);
}

/* The feedback of "r" goes to "s", or nowhere. */
static void link_feedback(struct bench *bench)
{
    GstElement *from = gst_bin_get_by_name(GST_BIN(bench->pipeline), "r");
    GstElement *to = gst_bin_get_by_name(GST_BIN(bench->pipeline), "s");
    const char *to_pad = to ? "rtcp_sink" : "sink";
    if (from && !to) {
        to = gst_element_factory_make("fakesink", NULL);
        g_object_set(to, "async", FALSE, "sync", FALSE, NULL);
        gst_bin_add(GST_BIN(bench->pipeline), gst_object_ref(to));
    }
    if (from && !gst_element_link_pads(from, "rtcp_src", to, to_pad)) {
        gst_element_link_pads(from, "src", to, to_pad); /* of a udpsrc */
    }
    gst_clear_object(&from);
    gst_clear_object(&to);
}

static GPid start_receiver(void)
{
    char **args = NULL;
    GPid pid = 0;
    GError *error = NULL;
    g_shell_parse_argv(RECEIVER, NULL, &args, NULL);
    if (!g_spawn_async(NULL, args, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                       NULL, &pid, &error)) {
        fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
    g_strfreev(args);
    g_usleep(500000);
    return pid;
}

static void stop_receiver(GPid pid)
{
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    g_spawn_close_pid(pid);
}

/* A rate that frames fill to 0.8: each is spread over most of the interval to the next. (Elsewhere
 * the pipeline has said the rate.) */
static void set_frame_rate(struct bench *bench, const struct load *load)
{
    GstElement *send = gst_bin_get_by_name(GST_BIN(bench->pipeline), "s");
    guint rate_bps = (guint)(load->packets_per_burst * load->bursts_per_s * PACKET_BYTES * 10);
    if (send) {
        g_object_set(send, "max-bitrate", rate_bps, "start-bitrate", rate_bps, "min-bitrate",
                     rate_bps, NULL);
        gst_object_unref(send);
    }
}

/* frames_load: whose rate weirsend gets; NULL: the one in the text. */
static struct bench *start(const char *text, const struct load *frames_load)
{
    static struct bench bench;
    GError *error = NULL;
    memset(&bench, 0, sizeof bench);
    bench.pipeline = gst_parse_launch(text, &error);
    if (error) {
        fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
    bench.in = gst_bin_get_by_name(GST_BIN(bench.pipeline), "in");
    GstCaps *caps = gst_caps_from_string(RTP_CAPS);
    g_object_set(bench.in, "caps", caps, "format", GST_FORMAT_TIME, "is-live", TRUE, NULL);
    gst_caps_unref(caps);
    link_feedback(&bench);
    GstElement *out = gst_bin_get_by_name(GST_BIN(bench.pipeline), "out");
    GstPad *pad = gst_element_get_static_pad(out, "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_departure,
                      &bench, NULL);
    gst_object_unref(pad);
    gst_object_unref(out);
    if (frames_load) {
        set_frame_rate(&bench, frames_load);
    }
    gst_element_set_state(bench.pipeline, GST_STATE_PLAYING);
    return &bench;
}

static void stop(struct bench *bench)
{
    gst_element_set_state(bench->pipeline, GST_STATE_NULL);
    gst_object_unref(bench->in);
    gst_object_unref(bench->pipeline);
}

/* Pushes bursts for a while. Returns how many. */
static int run_load(struct bench *bench, const struct load *load, double seconds)
{
    int n = (int)(seconds * load->bursts_per_s);
    gint64 begin_ns = now_ns();
    for (int i = 0; i < n; i++) {
        sleep_until(begin_ns + i * (gint64)(GST_SECOND / (guint64)load->bursts_per_s));
        push_burst(bench, load->packets_per_burst);
    }
    return n;
}

/* *passed becomes the share of packets that came through. */
static struct cost measure(const struct subject *subject, const char *element,
                           const struct load *load, double seconds, double *passed)
{
    char **parts = g_strsplit(subject->pipeline, "%s", 2);
    char *text = g_strconcat(parts[0], element, parts[1], NULL);
    bool remote = subject->loads == frames;
    GPid receiver = remote ? start_receiver() : 0;
    struct bench *bench = start(text, remote ? load : NULL);
    run_load(bench, load, 0.5);
    g_usleep(100000);
    int before = g_atomic_int_get(&bench->passed);
    struct cost begin = used();
    int packets = run_load(bench, load, seconds) * load->packets_per_burst;
    g_usleep(100000); /* what is under way belongs to it */
    struct cost end = used();
    *passed = (double)(g_atomic_int_get(&bench->passed) - before) / packets;
    stop(bench);
    if (remote) {
        stop_receiver(receiver);
    }
    g_free(text);
    g_strfreev(parts);
    return (struct cost){(end.cpu_us - begin.cpu_us) / packets,
                         (end.switches - begin.switches) / packets};
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What this machine takes for a wake-up alone, with all else that runs on it now: of the cost of
 * spreading packets nothing below it can be saved. */
static void bench_wake_up(void)
{
    enum { N = 200 };
    struct cost begin = used();
    for (int i = 0; i < N; i++) {
        g_usleep(5000);
    }
    printf("a wake-up after 5 ms: %.1f us\n", (used().cpu_us - begin.cpu_us) / N);
    fflush(stdout);
}

static struct cost median(const struct cost *costs)
{
    double cpu_us[ROUNDS], switches[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        cpu_us[i] = costs[i].cpu_us;
        switches[i] = costs[i].switches;
    }
    qsort(cpu_us, ROUNDS, sizeof *cpu_us, compare);
    qsort(switches, ROUNDS, sizeof *switches, compare);
    return (struct cost){cpu_us[ROUNDS / 2], switches[ROUNDS / 2]};
}

static void bench_cost(const struct subject *subject, const struct load *load, double seconds)
{
    struct cost bases[ROUNDS], withs[ROUNDS];
    double passed = 0.0, ignored;
    for (int i = 0; i < ROUNDS; i++) {
        bases[i] = measure(subject, subject->base, load, seconds, &ignored);
        withs[i] = measure(subject, subject->element, load, seconds, &passed);
    }
    struct cost base = median(bases), with = median(withs);
    double added_us = with.cpu_us - base.cpu_us;
    printf("%-26s %-16s without %7.2f us  with %7.2f us  added %6.2f us (limit %4.1f, %.2f of it)"
           "  switches %.3f, %.3f  passed %.1f %%\n",
           subject->name, load->name, base.cpu_us, with.cpu_us, added_us, load->limit_us,
           added_us / load->limit_us, base.switches, with.switches, 100.0 * passed);
    fflush(stdout);
}

static gint64 pacing_bps(struct bench *bench)
{
    GstElement *send = gst_bin_get_by_name(GST_BIN(bench->pipeline), "s");
    GstStructure *stats = NULL;
    gint64 rate_bps = 0;
    g_object_get(send, "stats", &stats, NULL);
    gst_structure_get_int64(stats, "pacing-bitrate", &rate_bps);
    gst_structure_free(stats);
    gst_object_unref(send);
    return rate_bps;
}

/* How late packets leave, each at its own time, against a burst that leaves evenly at the pacer's
 * rate from its first packet on. */
static void bench_pacing(double seconds)
{
    enum { BURST = 20 };
    const struct load load = {"", 30, BURST, 0.0};
    static double error_us[MAX_DEPARTURES];
    struct bench *bench =
        start("appsrc name=in ! weirsend name=s algorithm=fixed encoders=none pacing-quantum=0 "
              "min-bitrate=10000000 start-bitrate=10000000 max-bitrate=10000000 ! weirrecv name=r "
              "! fakesink name=out "
              "async=false sync=false",
              NULL);
    int bursts = run_load(bench, &load, seconds);
    g_usleep(200000);
    gint64 rate_bps = pacing_bps(bench);
    double gap_ns = 8e9 * (PACKET_BYTES + 28) / (double)MAX(rate_bps, 1);
    int n = 0;
    for (int i = 1; i < bursts && (i + 1) * BURST <= g_atomic_int_get(&bench->passed); i++) {
        const gint64 *at_ns = bench->departures_ns + i * BURST;
        for (int k = 1; k < BURST && n < MAX_DEPARTURES; k++) {
            error_us[n++] = ABS((double)(at_ns[k] - at_ns[0]) - k * gap_ns) / 1000.0;
        }
    }
    stop(bench);
    qsort(error_us, (size_t)n, sizeof *error_us, compare);
    if (n > 0) {
        double p99_us = error_us[n * 99 / 100];
        printf("pacing at %.2f Mbit/s, %d packets: error of departure p50 %.0f us, p99 %.0f us "
               "(limit 1000, %.2f of it)\n",
               (double)rate_bps / 1e6, n, error_us[n / 2], p99_us, p99_us / 1000.0);
    }
}

/* A sender whose feedback comes back in one process is a loop in the graph; GStreamer says so. */
static void quiet(const gchar *domain, GLogLevelFlags level, const gchar *message,
                  G_GNUC_UNUSED gpointer user)
{
    if (!strstr(message, "loop detected")) {
        g_log_default_handler(domain, level, message, NULL);
    }
}

int main(int argc, char **argv)
{
    gst_init(&argc, &argv);
    g_log_set_handler("GStreamer", G_LOG_LEVEL_WARNING, quiet, NULL);
    double seconds = argc > 1 ? g_ascii_strtod(argv[1], NULL) : 3.0;
    const char *part = argc > 2 ? argv[2] : "";
    bench_wake_up();
    for (size_t i = 0; i < G_N_ELEMENTS(subjects); i++) {
        for (int k = 0; k < subjects[i].n_loads; k++) {
            const struct load *load = &subjects[i].loads[k];
            char *name = g_strconcat(subjects[i].name, ", ", load->name, NULL);
            if (strstr(name, part)) {
                bench_cost(&subjects[i], load, seconds);
            }
            g_free(name);
        }
    }
    if (strstr("pacing", part)) {
        bench_pacing(seconds);
    }
    return 0;
}
