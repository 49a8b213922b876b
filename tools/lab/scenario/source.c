/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/source.h"
#include "scenario/link.h"
#include "scenario/schedule.h"
#include <math.h>

/* What all kinds are read into; each has few of the fields. */
struct draft {
    struct weir__source_config source;
    struct weir__tcp_app_config app;
    int begin;
    int64_t packet_bytes; /* 0 = the flow's */
    int64_t payload_bytes;
    int64_t connections;
    double fps;
    double mean_bps;
    double floor_bits_per_pixel;
    int64_t width_pixels;
    int64_t height_pixels;
    int degradation; /* 0: none, else 1 + enum weir_degradation */
};

enum kind { GREEDY, FINITE, CBR, PARETO, VOIP, VIDEO, VBR, ENCODER, WEB, BURSTS, STREAM };

#define DRAFT(member)  .offset = offsetof(struct draft, member)
#define SOURCE(member) DRAFT(source.member)
#define APP(member)    DRAFT(app.member)
#define SOME_SECONDS   LAB_SECONDS(0, LAB_LONGEST_S)
#define MORE_SECONDS   LAB_SECONDS(1e-6, LAB_LONGEST_S)

static const char *const begins[] = {"on", "off", NULL};
#define BEGIN                                                                                      \
    {                                                                                              \
        .name = "begin", LAB_CHOICE(begins), DRAFT(begin)                                          \
    }
#define PACKET_BYTES                                                                               \
    {                                                                                              \
        .name = "packet_bytes", LAB_WHOLE(1, 65000), DRAFT(packet_bytes)                           \
    }
#define RATE                                                                                       \
    {                                                                                              \
        .name = "rate_bps", LAB_BPS, .required = TRUE, SOURCE(rate_bps)                            \
    }

static const struct lab_field finite_fields[] = {
    {.name = "bytes", LAB_WHOLE(1, 1e15), .required = TRUE, APP(total_bytes)},
};
static const struct lab_field cbr_fields[] = {
    RATE,
    {.name = "on_s", SOME_SECONDS, SOURCE(on_ns)},
    {.name = "off_s", SOME_SECONDS, SOURCE(off_ns)},
    BEGIN,
    PACKET_BYTES,
    {.name = "schedule", .kind = LAB_FIELD_ANY},
};
static const struct lab_field pareto_fields[] = {
    RATE,
    {.name = "on_s", MORE_SECONDS, .initial = 1, SOURCE(on_ns)},
    {.name = "off_s", MORE_SECONDS, .initial = 2, SOURCE(off_ns)},
    {.name = "shape", LAB_NUMBER(1.001, 100), .initial = 1.5, SOURCE(shape)},
    PACKET_BYTES,
};
static const struct lab_field voip_fields[] = {
    {.name = "talk_s", MORE_SECONDS, .initial = 1, SOURCE(on_ns)},
    {.name = "silence_s", MORE_SECONDS, .initial = 1.5, SOURCE(off_ns)},
    {.name = "padded", LAB_BOOL, SOURCE(padded)},
    {.name = "payload_bytes", LAB_WHOLE(1, 65000), .initial = 160, SOURCE(unit_bytes)},
    {.name = "interval_ms", LAB_MS(0.1, 10000), .initial = 20, SOURCE(interval_ns)},
};
static const struct lab_field video_fields[] = {
    {.name = "rate_bps", LAB_BPS, .initial = 512000, SOURCE(rate_bps)},
    {.name = "payload_bytes", LAB_WHOLE(1, 65000), .initial = 1000, DRAFT(payload_bytes)},
};
static const struct lab_field vbr_fields[] = {
    {.name = "fps", LAB_NUMBER(0.1, 1000), .initial = 25, DRAFT(fps)},
    {.name = "mean_bps", LAB_NUMBER(1, 1e10), .initial = 456000, DRAFT(mean_bps)},
    {.name = "frames", .kind = LAB_FIELD_ANY},
};
static const char *const degradations[] = {"none", "balanced", "maintain-framerate",
                                           "maintain-resolution", NULL};
static const struct lab_field encoder_fields[] = {
    {.name = "min_bps", LAB_BPS, .initial = 150000, SOURCE(min_bps)},
    {.name = "max_bps", LAB_BPS, .initial = 1500000, SOURCE(max_bps)},
    {.name = "fps", LAB_NUMBER(0.1, 1000), .initial = 30, DRAFT(fps)},
    {.name = "reaction_ms", LAB_MS(0, 60000), .initial = 200, SOURCE(reaction_ns)},
    {.name = "lag_ms", LAB_MS(0, 60000), SOURCE(lag_ns)},
    {.name = "lag_down_ms", LAB_MS(0, 60000), .initial = INFINITY, SOURCE(lag_down_ns)},
    {.name = "burst_frames", LAB_WHOLE(0, 1000), .initial = 8, SOURCE(burst_frames)},
    {.name = "first_frame_bytes", LAB_WHOLE(1, 1e7), .initial = 13500, SOURCE(first_frame_bytes)},
    {.name = "key_interval_s", SOME_SECONDS, SOURCE(key_interval_ns)},
    {.name = "scale_time", LAB_NUMBER(0, 1), .initial = 0.15, SOURCE(scale_time)},
    {.name = "scale_bytes", LAB_NUMBER(0, 1), .initial = 0.15, SOURCE(scale_bytes)},
    {.name = "width_pixels", LAB_WHOLE(0, 65535), DRAFT(width_pixels)},
    {.name = "height_pixels", LAB_WHOLE(0, 65535), DRAFT(height_pixels)},
    {.name = "floor_bits_per_pixel", LAB_NUMBER(0, 1000), DRAFT(floor_bits_per_pixel)},
    {.name = "degradation", LAB_CHOICE(degradations), DRAFT(degradation)},
    {.name = "on_s", SOME_SECONDS, SOURCE(on_ns)},
    {.name = "off_s", SOME_SECONDS, SOURCE(off_ns)},
    BEGIN,
};
static const struct lab_field web_fields[] = {
    {.name = "pages", LAB_WHOLE(1, 1e6), .initial = 30, APP(pages)},
    {.name = "objects", LAB_WHOLE(1, 1e6), .initial = 10, APP(objects)},
    {.name = "mean_packets", LAB_NUMBER(1e-3, 1e9), .initial = 400, APP(mean_packets)},
    {.name = "shape", LAB_NUMBER(1.0001, 100), .initial = 1.002, APP(shape)},
    {.name = "page_gap_s", SOME_SECONDS, .initial = 1, APP(page_gap_ns)},
    {.name = "object_gap_s", SOME_SECONDS, .initial = 0.01, APP(object_gap_ns)},
    {.name = "repeat", LAB_BOOL, .initial = 1, APP(repeat)},
};
static const struct lab_field bursts_fields[] = {
    {.name = "connections", LAB_WHOLE(1, 10000), .initial = 30, DRAFT(connections)},
    {.name = "min_bytes", LAB_WHOLE(1, 1e12), .initial = 30000, APP(min_bytes)},
    {.name = "max_bytes", LAB_WHOLE(1, 1e12), .initial = 50000, APP(max_bytes)},
    {.name = "idle_s", SOME_SECONDS, .initial = 10, APP(idle_ns)},
    BEGIN,
};
static const struct lab_field stream_fields[] = {RATE};

/* In the order of enum kind. */
const struct lab_variant lab_sources[] = {
    {.name = "greedy"},
    LAB_VARIANT("finite", finite_fields),
    LAB_VARIANT("cbr", cbr_fields),
    LAB_VARIANT("pareto", pareto_fields),
    LAB_VARIANT("voip", voip_fields),
    LAB_VARIANT("video", video_fields),
    LAB_VARIANT("vbr", vbr_fields),
    LAB_VARIANT("encoder", encoder_fields),
    LAB_VARIANT("web", web_fields),
    LAB_VARIANT("bursts", bursts_fields),
    LAB_VARIANT("stream", stream_fields),
};
const gsize lab_n_sources = G_N_ELEMENTS(lab_sources);

#define TCP   (1 << LAB_FLOW_TCP)
#define UDP   (1 << LAB_FLOW_UDP)
#define MEDIA (1 << LAB_FLOW_MEDIA)

#define ALL     (TCP | UDP | MEDIA)
#define FOR_TCP .flows = TCP, .why = "only TCP flows have this source", .source = WEIR__SOURCE_CBR

/* Which flows may have which source, what says so when another does, and what the library calls it:
 * as a source, and as an application of TCP. */
static const struct {
    int flows;
    const char *why;
    enum weir__source_kind source;
    enum weir__tcp_app_kind app;
} uses[] = {
    [GREEDY] = {TCP | MEDIA,
                "udp has no control that could say how fast: it needs a source with a rate, for "
                "example {\"kind\": \"cbr\", \"rate_bps\": 500000}",
                WEIR__SOURCE_CBR, WEIR__TCP_GREEDY},
    [FINITE] = {FOR_TCP, .app = WEIR__TCP_FINITE},
    [CBR] = {ALL, NULL, WEIR__SOURCE_CBR, WEIR__TCP_FED},
    [PARETO] = {ALL, NULL, WEIR__SOURCE_PARETO, WEIR__TCP_FED},
    [VOIP] = {ALL, NULL, WEIR__SOURCE_VOIP, WEIR__TCP_FED},
    [VIDEO] = {ALL, NULL, WEIR__SOURCE_FRAMES, WEIR__TCP_FED},
    [VBR] = {ALL, NULL, WEIR__SOURCE_FRAMES, WEIR__TCP_FED},
    [ENCODER] = {MEDIA,
                 "an encoder follows the target bitrate, which only algorithms of the library have",
                 WEIR__SOURCE_ENCODER, WEIR__TCP_FED},
    [WEB] = {FOR_TCP, .app = WEIR__TCP_WEB},
    [BURSTS] = {FOR_TCP, .app = WEIR__TCP_BURSTS},
    [STREAM] = {ALL, NULL, WEIR__SOURCE_CBR, WEIR__TCP_STREAM},
};

/* On and off in turns. */
static gboolean check_wave(const struct draft *draft, const struct lab_place *place)
{
    const struct weir__source_config *source = &draft->source;
    if ((source->on_ns == 0) != (source->off_ns == 0)) {
        return lab_fail_at(place, "off_s", "on_s and off_s are both 0 (always on), or both more");
    }
    return !source->begins_off || source->on_ns > 0 ||
           lab_fail_at(place, "begin", "without on_s and off_s it is always on");
}

/* Units are the payload of full packets. */
static gboolean put_even(struct draft *draft, const struct lab_place *place, struct lab_flow *flow)
{
    struct lab_place schedule = lab_at(place, "schedule");
    struct weir__source_config *source = &draft->source;
    int64_t packet_bytes = draft->packet_bytes > 0 ? draft->packet_bytes : flow->packet_bytes;
    if (!check_wave(draft, place) ||
        (schedule.node != NULL &&
         !lab_schedule_read("rate_bps", &schedule, &flow->steps, &source->n_steps))) {
        return FALSE;
    }
    source->steps = flow->steps;
    source->unit_bytes = packet_bytes - flow->header_bytes;
    return source->unit_bytes >= 1 ||
           lab_fail_at(place, "packet_bytes",
                       "must be more than the flow's header_bytes, %" G_GINT64_FORMAT,
                       flow->header_bytes);
}

/* `frames` belongs to the flow from now on. */
static void put_frames(struct draft *draft, struct lab_flow *flow, int64_t *frames, gsize n_frames,
                       double interval_ns)
{
    flow->frame_bytes = frames;
    draft->source.frame_bytes = frames;
    draft->source.n_frames = n_frames;
    draft->source.interval_ns = (int64_t)floor(interval_ns + 0.5);
}

/* One packet per frame, as often as the rate wants. */
static gboolean put_video(struct draft *draft, const struct lab_place *place, struct lab_flow *flow)
{
    double interval_ns = 8e9 * (double)draft->payload_bytes / (double)draft->source.rate_bps;
    int64_t *frames = g_new(int64_t, 1);
    frames[0] = draft->payload_bytes;
    put_frames(draft, flow, frames, 1, interval_ns);
    return interval_ns >= 1.0 ||
           lab_fail_at(place, "rate_bps", "more than a packet per nanosecond");
}

/* The listed frames, or a trace that is the same whatever the seed: like a recorded one. */
static gboolean put_vbr(struct draft *draft, const struct lab_place *place, struct lab_flow *flow)
{
    const struct lab_field size = {LAB_WHOLE(1, 1e7)};
    struct lab_place listed = lab_at(place, "frames");
    int64_t *frames = NULL;
    gsize n_frames = WEIR__VBR_FRAMES;
    if (listed.node == NULL) {
        frames = g_new(int64_t, WEIR__VBR_FRAMES);
        weir__vbr_trace(frames, (int64_t)floor(draft->mean_bps + 0.5), 1);
    } else if (json_object_get(place->node, "mean_bps") != NULL) {
        return lab_fail_at(place, "mean_bps", "only without frames, which have their own mean");
    } else if (!lab_numbers_read(&size, &listed, &frames, &n_frames)) {
        return FALSE;
    }
    put_frames(draft, flow, frames, n_frames, 1e9 / draft->fps);
    return n_frames > 0 || lab_fail(&listed, "there are no frames");
}

/* What the encoder gets to see, and how it becomes less. */
static gboolean put_picture(struct draft *draft, const struct lab_place *place)
{
    struct weir__source_config *source = &draft->source;
    source->width_pixels = (int32_t)draft->width_pixels;
    source->height_pixels = (int32_t)draft->height_pixels;
    source->floor_ubits_per_pixel = (int64_t)floor(draft->floor_bits_per_pixel * 1e6 + 0.5);
    source->scales = draft->degradation > 0;
    source->degradation = source->scales ? (enum weir_degradation)(draft->degradation - 1)
                                         : WEIR_DEGRADATION_BALANCED;
    if ((draft->width_pixels == 0) != (draft->height_pixels == 0)) {
        return lab_fail_at(place, "height_pixels",
                           "width_pixels and height_pixels are both 0 (bits alone), or both more");
    }
    gboolean needs = source->scales || source->floor_ubits_per_pixel > 0;
    return draft->width_pixels > 0 || !needs ||
           lab_fail_at(place, source->scales ? "degradation" : "floor_bits_per_pixel",
                       "needs a picture: width_pixels and height_pixels");
}

static gboolean put_encoder(struct draft *draft, const struct lab_place *place)
{
    struct weir__source_config *source = &draft->source;
    source->interval_ns = (int64_t)floor(1e9 / draft->fps + 0.5);
    if (source->lag_down_ns == G_MAXINT64) {
        source->lag_down_ns = source->lag_ns;
    }
    if (source->min_bps > source->max_bps) {
        return lab_fail_at(place, "min_bps", "must be at most max_bps, %" G_GINT64_FORMAT,
                           source->max_bps);
    }
    return put_picture(draft, place) && check_wave(draft, place);
}

static gboolean put_source(struct draft *draft, enum kind kind, const struct lab_place *place,
                           struct lab_flow *flow)
{
    switch (kind) {
    case VIDEO:
        return put_video(draft, place, flow);
    case VBR:
        return put_vbr(draft, place, flow);
    case ENCODER:
        return put_encoder(draft, place);
    case CBR:
    case PARETO:
    case STREAM:
        return put_even(draft, place, flow);
    case BURSTS:
        draft->app.n_connections = (uint32_t)draft->connections;
        return draft->app.min_bytes <= draft->app.max_bytes ||
               lab_fail_at(place, "min_bytes", "must be at most max_bytes, %" G_GINT64_FORMAT,
                           draft->app.max_bytes);
    default:
        return TRUE;
    }
}

/* Bytes on the wire of a unit that may need several packets. */
static double wire_bytes(const struct lab_flow *flow, int64_t payload_bytes)
{
    int64_t full = MAX(flow->packet_bytes - flow->header_bytes, 1);
    int64_t packets = MAX((payload_bytes + full - 1) / full, 1);
    return (double)(payload_bytes + packets * flow->header_bytes);
}

/* Rate of the source on the wire while it sends; of an encoder the lowest. 0 = it has none. */
static double source_wire_bps(enum kind kind, const struct lab_flow *flow,
                              const struct weir__source_config *source)
{
    double bytes = 0.0;
    switch (kind) {
    case VOIP:
        return 8e9 * wire_bytes(flow, source->unit_bytes) / (double)source->interval_ns;
    case VIDEO:
    case VBR:
        for (gsize i = 0; i < source->n_frames; i++) {
            bytes += wire_bytes(flow, source->frame_bytes[i]) / (double)source->n_frames;
        }
        return 8e9 * bytes / (double)source->interval_ns;
    case ENCODER:
        bytes = (double)source->min_bps * (double)source->interval_ns / 8e9;
        return 8e9 * wire_bytes(flow, (int64_t)bytes) / (double)source->interval_ns;
    case CBR:
    case PARETO:
    case STREAM:
        return (double)source->rate_bps * wire_bytes(flow, source->unit_bytes) /
               (double)source->unit_bytes;
    default:
        return 0.0;
    }
}

/* Nothing at the place: greedy. Sets what the kind of flow->kind reads of flow->tcp, ->udp or
 * ->media. flow->packet_bytes, header_bytes, start_ns and stop_ns are set already. */
gboolean lab_source_read(const struct lab_place *place, uint64_t seed, struct lab_flow *flow)
{
    struct draft draft = {.app = flow->tcp};
    struct weir__source_config *source = &draft.source;
    gsize chosen = GREEDY;
    weir__source_config_default(source, WEIR__SOURCE_CBR);
    if (!lab_variant_read(lab_sources, lab_n_sources, "kind", place, &draft, &chosen)) {
        return FALSE;
    }
    enum kind kind = (enum kind)chosen;
    source->kind = uses[kind].source;
    source->start_ns = flow->start_ns;
    source->stop_ns = flow->stop_ns;
    source->seed = lab_seed_for(seed, "source", flow->name);
    source->begins_off = draft.begin == 1;
    draft.app.kind = uses[kind].app;
    draft.app.begins_off = draft.begin == 1;
    if ((uses[kind].flows & (1 << flow->kind)) == 0) {
        return lab_fail_at(place, "kind", "%s", uses[kind].why);
    }
    if (!put_source(&draft, kind, place, flow)) {
        return FALSE;
    }
    gboolean is_read = uses[kind].app == WEIR__TCP_FED || kind == STREAM;
    if (is_read && weir__source_check(source) != WEIR_OK) {
        return lab_fail(place, "has values that the simulator does not take");
    }
    flow->tcp = draft.app;
    flow->tcp.source = *source;
    flow->udp.source = *source;
    flow->media.source = *source;
    flow->media.greedy = kind == GREEDY;
    flow->media.media_bps = (int64_t)source_wire_bps(kind, flow, source);
    return TRUE;
}
