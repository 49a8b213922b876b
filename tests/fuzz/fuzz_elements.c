/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: what happens to a weirsend or a weirrecv in a GstHarness on a test clock, one byte for
 * each step and more for its arguments: RTP and RTCP good and bad, flushes, caps, properties, time.
 * No step may end the process, which criticals do (G_DEBUG=fatal-criticals), and the statistics can
 * be read after each. */
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

#include "check.h"
#include "input.h"

#ifdef GST_PLUGIN_BUILD_STATIC
GST_PLUGIN_STATIC_DECLARE(weir);
#endif

enum { MOST_STEPS = 64, RTP_BYTES = 120 };

struct rig {
    GstTestClock *clock;
    GstHarness *harness;
    GstPad *rtcp;
    uint16_t seq;
    struct fuzz_input input;
};

typedef void step_fn(struct rig *rig);

static GstBuffer *buffer_of(const uint8_t *data, size_t size)
{
    GstBuffer *buffer = gst_buffer_new_allocate(NULL, size, NULL);
    gst_buffer_fill(buffer, 0, data, size);
    return buffer;
}

static void give_rtp(struct rig *rig)
{
    unsigned how = fuzz_take(&rig->input);
    for (unsigned i = 0; i < how % 16; i++) {
        uint8_t rtp[RTP_BYTES] = {0x80, 96};
        rtp[1] |= i % 4 == 3 ? 0x80 : 0;
        GST_WRITE_UINT16_BE(rtp + 2, rig->seq);
        GST_WRITE_UINT32_BE(rtp + 4, rig->seq / 4 * 3000u);
        rtp[11] = how & 0x40 ? (uint8_t)(1 + i % 3) : 1;
        rig->seq = (uint16_t)(rig->seq + (how & 0x80 && i == 5 ? 3 : 1));
        gst_harness_push(rig->harness, buffer_of(rtp, sizeof rtp));
    }
}

static void give_raw(struct rig *rig)
{
    size_t size;
    const uint8_t *data = fuzz_take_bytes(&rig->input, &size);
    gst_harness_push(rig->harness, buffer_of(data, size));
}

static void give_rtcp(struct rig *rig)
{
    size_t size;
    const uint8_t *data = fuzz_take_bytes(&rig->input, &size);
    gst_pad_chain(rig->rtcp, buffer_of(data, size));
}

/* Time goes on, and who waits for it wakes up. */
static void pass_time(struct rig *rig)
{
    gst_test_clock_advance_time(rig->clock, fuzz_take(&rig->input) * 5 * GST_MSECOND);
    GstClockID id = gst_test_clock_process_next_clock_id(rig->clock);
    for (int i = 0; id != NULL && i < 100; i++) {
        gst_clock_id_unref(id);
        id = gst_test_clock_process_next_clock_id(rig->clock);
    }
    g_clear_pointer(&id, gst_clock_id_unref);
}

static void take_output(struct rig *rig)
{
    GstBuffer *buffer;
    while ((buffer = gst_harness_try_pull(rig->harness)) != NULL) {
        gst_buffer_unref(buffer);
    }
}

static void flush(struct rig *rig)
{
    gboolean reset = fuzz_take(&rig->input) % 2;
    gst_harness_push_event(rig->harness, gst_event_new_flush_start());
    gst_harness_push_event(rig->harness, gst_event_new_flush_stop(reset));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(rig->harness, gst_event_new_segment(&segment));
}

static void change_caps(struct rig *rig)
{
    static const char *const caps[] = {
        "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96",
        "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=97",
        "application/x-rtp,clock-rate=1", "application/x-rtp"};
    gst_harness_set_src_caps_str(rig->harness, caps[fuzz_take(&rig->input) % G_N_ELEMENTS(caps)]);
}

/* Those that weirsend or weirrecv has; a value out of range is brought into it by GObject. */
static void set_property(struct rig *rig)
{
    static const char *const names[] = {
        "max-bitrate", "min-bitrate",     "start-bitrate", "pacing-quantum",
        "overhead",    "stats-interval",  "clock-rate",    "feedback-interval",
        "mtu",         "circuit-breaker", "repair",        "repair-wait"};
    const char *name = names[fuzz_take(&rig->input) % G_N_ELEMENTS(names)];
    unsigned exponent = fuzz_take(&rig->input) % 40;
    GParamSpec *spec =
        g_object_class_find_property(G_OBJECT_GET_CLASS(rig->harness->element), name);
    if (spec != NULL && (spec->flags & G_PARAM_WRITABLE)) {
        char text[32];
        g_snprintf(text, sizeof text, "%" G_GUINT64_FORMAT, G_GUINT64_CONSTANT(1) << exponent);
        gst_util_set_object_arg(G_OBJECT(rig->harness->element), name, text);
    }
}

static void check_stats(struct rig *rig)
{
    GstStructure *stats = NULL;
    g_object_get(rig->harness->element, "stats", &stats, NULL);
    CHECK(stats != NULL);
    gst_structure_free(stats);
}

/* Of a value out of range; criticals still end the process. */
static void ignore(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer user)
{
    (void)domain;
    (void)level;
    (void)message;
    (void)user;
}

static void initialise(void)
{
    static gsize once;
    if (g_once_init_enter(&once)) {
        gst_init(NULL, NULL);
#ifdef GST_PLUGIN_BUILD_STATIC
        GST_PLUGIN_STATIC_REGISTER(weir);
#endif
        gst_debug_set_default_threshold(GST_LEVEL_NONE);
        g_log_set_handler("GLib-GObject", G_LOG_LEVEL_WARNING, ignore, NULL);
        g_once_init_leave(&once, 1);
    }
}

static struct rig rig_new(const uint8_t *data, size_t size)
{
    struct rig rig = {.clock = GST_TEST_CLOCK(gst_test_clock_new()), .input = {data, size}};
    GstSegment segment;
    gst_system_clock_set_default(GST_CLOCK(rig.clock));
    rig.harness = gst_harness_new(fuzz_take(&rig.input) % 2 ? "weirsend" : "weirrecv");
    CHECK(rig.harness != NULL);
    change_caps(&rig);
    rig.rtcp = gst_element_request_pad_simple(rig.harness->element, "rtcp_sink");
    CHECK(rig.rtcp != NULL);
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_send_event(rig.rtcp, gst_event_new_stream_start("rtcp"));
    gst_pad_send_event(rig.rtcp, gst_event_new_segment(&segment));
    return rig;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static step_fn *const steps[] = {give_rtp,    give_rtp,  give_rtp,    give_raw,
                                     give_rtcp,   give_rtcp, pass_time,   pass_time,
                                     take_output, flush,     change_caps, set_property};
    initialise();
    struct rig rig = rig_new(data, size);
    for (int i = 0; rig.input.left > 0 && i < MOST_STEPS; i++) {
        steps[fuzz_take(&rig.input) % G_N_ELEMENTS(steps)](&rig);
        check_stats(&rig);
    }
    gst_element_release_request_pad(rig.harness->element, rig.rtcp);
    gst_object_unref(rig.rtcp);
    gst_harness_teardown(rig.harness);
    gst_system_clock_set_default(NULL);
    gst_object_unref(rig.clock);
    return 0;
}
