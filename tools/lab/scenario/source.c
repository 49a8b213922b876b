/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/source.h"
#include "scenario/json.h"
#include "scenario/link.h"
#include "scenario/schedule.h"
#include <math.h>

#define HIGHEST_BPS 1e12
#define LONGEST_S   1e6

/* All fields of all kinds; one kind has few of them. */
struct draft {
    int64_t bytes;
    int64_t rate_bps;
    int64_t on_ns;
    int64_t off_ns;
    int begin;
    int64_t packet_bytes;
    JsonNode *schedule;
    double shape;
    bool padded;
    int64_t payload_bytes;
    int64_t interval_ns;
    double fps;
    double mean_bps;
    JsonNode *frames;
    int64_t min_bps;
    int64_t max_bps;
    int64_t reaction_ns;
    int64_t lag_ns;
    int64_t lag_down_ns;
    int64_t key_interval_ns;
    int64_t burst_frames;
    int64_t first_frame_bytes;
    double scale_time;
    double scale_bytes;
    int64_t pages;
    int64_t objects;
    double mean_packets;
    int64_t page_gap_ns;
    int64_t object_gap_ns;
    bool repeat;
    int64_t connections;
    int64_t min_bytes;
    int64_t max_bytes;
    int64_t idle_ns;
};

enum kind { GREEDY, FINITE, CBR, PARETO, VOIP, VIDEO, VBR, ENCODER, WEB, BURSTS, STREAM };

#define DRAFT(member) .offset = offsetof(struct draft, member)
#define SECONDS(least, most)                                                                       \
    .kind = LAB_FIELD_SCALED, .scale = LAB_NS_PER_S, .min = (least), .max = (most)
#define MILLISECONDS(least, most)                                                                  \
    .kind = LAB_FIELD_SCALED, .scale = LAB_NS_PER_MS, .min = (least), .max = (most)
#define BPS                 .kind = LAB_FIELD_SCALED, .scale = 1.0, .min = 1, .max = HIGHEST_BPS
#define WHOLE(least, most)  .kind = LAB_FIELD_WHOLE, .min = (least), .max = (most)
#define NUMBER(least, most) .kind = LAB_FIELD_NUMBER, .min = (least), .max = (most)

static const char *const begins[] = {"on", "off", NULL};

static const struct lab_field finite_fields[] = {
    {.name = "bytes", WHOLE(1, 1e15), .required = TRUE, DRAFT(bytes)},
};
static const struct lab_field cbr_fields[] = {
    {.name = "rate_bps", BPS, .required = TRUE, DRAFT(rate_bps)},
    {.name = "on_s", SECONDS(0, LONGEST_S), DRAFT(on_ns)},
    {.name = "off_s", SECONDS(0, LONGEST_S), DRAFT(off_ns)},
    {.name = "begin", .kind = LAB_FIELD_CHOICE, .choices = begins, DRAFT(begin)},
    {.name = "packet_bytes", WHOLE(1, 65000), DRAFT(packet_bytes)},
    {.name = "schedule", .kind = LAB_FIELD_ANY, DRAFT(schedule)},
};
static const struct lab_field pareto_fields[] = {
    {.name = "rate_bps", BPS, .required = TRUE, DRAFT(rate_bps)},
    {.name = "on_s", SECONDS(1e-6, LONGEST_S), .initial = 1, DRAFT(on_ns)},
    {.name = "off_s", SECONDS(1e-6, LONGEST_S), .initial = 2, DRAFT(off_ns)},
    {.name = "shape", NUMBER(1.001, 100), .initial = 1.5, DRAFT(shape)},
    {.name = "packet_bytes", WHOLE(1, 65000), DRAFT(packet_bytes)},
};
static const struct lab_field voip_fields[] = {
    {.name = "talk_s", SECONDS(1e-6, LONGEST_S), .initial = 1, DRAFT(on_ns)},
    {.name = "silence_s", SECONDS(1e-6, LONGEST_S), .initial = 1.5, DRAFT(off_ns)},
    {.name = "padded", .kind = LAB_FIELD_BOOL, DRAFT(padded)},
    {.name = "payload_bytes", WHOLE(1, 65000), .initial = 160, DRAFT(payload_bytes)},
    {.name = "interval_ms", MILLISECONDS(0.1, 10000), .initial = 20, DRAFT(interval_ns)},
};
static const struct lab_field video_fields[] = {
    {.name = "rate_bps", BPS, .initial = 512000, DRAFT(rate_bps)},
    {.name = "payload_bytes", WHOLE(1, 65000), .initial = 1000, DRAFT(payload_bytes)},
};
static const struct lab_field vbr_fields[] = {
    {.name = "fps", NUMBER(0.1, 1000), .initial = 25, DRAFT(fps)},
    {.name = "mean_bps", NUMBER(1, 1e10), .initial = 456000, DRAFT(mean_bps)},
    {.name = "frames", .kind = LAB_FIELD_ANY, DRAFT(frames)},
};
static const struct lab_field encoder_fields[] = {
    {.name = "min_bps", BPS, .initial = 150000, DRAFT(min_bps)},
    {.name = "max_bps", BPS, .initial = 1500000, DRAFT(max_bps)},
    {.name = "fps", NUMBER(0.1, 1000), .initial = 30, DRAFT(fps)},
    {.name = "reaction_ms", MILLISECONDS(0, 60000), .initial = 200, DRAFT(reaction_ns)},
    {.name = "lag_ms", MILLISECONDS(0, 60000), DRAFT(lag_ns)},
    {.name = "lag_down_ms", MILLISECONDS(0, 60000), .initial = INFINITY, DRAFT(lag_down_ns)},
    {.name = "burst_frames", WHOLE(0, 1000), .initial = 8, DRAFT(burst_frames)},
    {.name = "first_frame_bytes", WHOLE(1, 1e7), .initial = 13500, DRAFT(first_frame_bytes)},
    {.name = "key_interval_s", SECONDS(0, LONGEST_S), DRAFT(key_interval_ns)},
    {.name = "scale_time", NUMBER(0, 1), .initial = 0.15, DRAFT(scale_time)},
    {.name = "scale_bytes", NUMBER(0, 1), .initial = 0.15, DRAFT(scale_bytes)},
    {.name = "on_s", SECONDS(0, LONGEST_S), DRAFT(on_ns)},
    {.name = "off_s", SECONDS(0, LONGEST_S), DRAFT(off_ns)},
    {.name = "begin", .kind = LAB_FIELD_CHOICE, .choices = begins, DRAFT(begin)},
};
static const struct lab_field web_fields[] = {
    {.name = "pages", WHOLE(1, 1e6), .initial = 30, DRAFT(pages)},
    {.name = "objects", WHOLE(1, 1e6), .initial = 10, DRAFT(objects)},
    {.name = "mean_packets", NUMBER(1e-3, 1e9), .initial = 400, DRAFT(mean_packets)},
    {.name = "shape", NUMBER(1.0001, 100), .initial = 1.002, DRAFT(shape)},
    {.name = "page_gap_s", SECONDS(0, LONGEST_S), .initial = 1, DRAFT(page_gap_ns)},
    {.name = "object_gap_s", SECONDS(0, LONGEST_S), .initial = 0.01, DRAFT(object_gap_ns)},
    {.name = "repeat", .kind = LAB_FIELD_BOOL, .initial = 1, DRAFT(repeat)},
};
static const struct lab_field bursts_fields[] = {
    {.name = "connections", WHOLE(1, 10000), .initial = 30, DRAFT(connections)},
    {.name = "min_bytes", WHOLE(1, 1e12), .initial = 30000, DRAFT(min_bytes)},
    {.name = "max_bytes", WHOLE(1, 1e12), .initial = 50000, DRAFT(max_bytes)},
    {.name = "idle_s", SECONDS(0, LONGEST_S), .initial = 10, DRAFT(idle_ns)},
    {.name = "begin", .kind = LAB_FIELD_CHOICE, .choices = begins, DRAFT(begin)},
};
static const struct lab_field stream_fields[] = {
    {.name = "rate_bps", BPS, .required = TRUE, DRAFT(rate_bps)},
};

#define VARIANT(name, fields)                                                                      \
    {                                                                                              \
        name, fields, G_N_ELEMENTS(fields)                                                         \
    }

/* In the order of enum kind. */
const struct lab_variant lab_sources[] = {
    {"greedy", NULL, 0},
    VARIANT("finite", finite_fields),
    VARIANT("cbr", cbr_fields),
    VARIANT("pareto", pareto_fields),
    VARIANT("voip", voip_fields),
    VARIANT("video", video_fields),
    VARIANT("vbr", vbr_fields),
    VARIANT("encoder", encoder_fields),
    VARIANT("web", web_fields),
    VARIANT("bursts", bursts_fields),
    VARIANT("stream", stream_fields),
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

static gboolean check_use(const struct lab_place *place, JsonNode *node, enum kind kind,
                          const struct lab_flow *flow, GError **error)
{
    struct lab_place inner = {.up = place, .name = "kind"};
    if ((uses[kind].flows & (1 << flow->kind)) == 0) {
        return lab_fail(error, &inner, lab_json_get(node, "kind"), "%s", uses[kind].why);
    }
    return TRUE;
}

/* Payload of a full packet of the source. */
static gboolean unit_bytes(const struct draft *draft, const struct lab_place *place, JsonNode *node,
                           const struct lab_flow *flow, int64_t *bytes, GError **error)
{
    struct lab_place inner = {.up = place, .name = "packet_bytes"};
    *bytes =
        (draft->packet_bytes > 0 ? draft->packet_bytes : flow->packet_bytes) - flow->header_bytes;
    if (*bytes < 1) {
        return lab_fail(error, &inner, lab_json_get(node, "packet_bytes"),
                        "must be more than the flow's header_bytes, %" G_GINT64_FORMAT,
                        flow->header_bytes);
    }
    return TRUE;
}

/* On and off in turns. */
static gboolean put_wave(const struct draft *draft, const struct lab_place *place, JsonNode *node,
                         struct weir__source_config *source, GError **error)
{
    struct lab_place off = {.up = place, .name = "off_s"};
    struct lab_place begin = {.up = place, .name = "begin"};
    source->on_ns = draft->on_ns;
    source->off_ns = draft->off_ns;
    source->begins_off = draft->begin == 1;
    if ((draft->on_ns == 0) != (draft->off_ns == 0)) {
        return lab_fail(error, &off, lab_json_get(node, "off_s"),
                        "on_s and off_s are both 0 (always on), or both more");
    }
    return !source->begins_off || draft->on_ns > 0 ||
           lab_fail(error, &begin, lab_json_get(node, "begin"),
                    "without on_s and off_s it is always on");
}

static gboolean put_even(const struct draft *draft, const struct lab_place *place, JsonNode *node,
                         struct lab_flow *flow, struct weir__source_config *source, GError **error)
{
    struct lab_place schedule = {.up = place, .name = "schedule"};
    source->rate_bps = draft->rate_bps;
    if (!put_wave(draft, place, node, source, error)) {
        return FALSE;
    }
    if (draft->schedule != NULL && !lab_schedule_read("rate_bps", &schedule, draft->schedule,
                                                      &flow->steps, &source->n_steps, error)) {
        return FALSE;
    }
    source->steps = flow->steps;
    return unit_bytes(draft, place, node, flow, &source->unit_bytes, error);
}

static void put_frames(struct weir__source_config *source, struct lab_flow *flow, int64_t *frames,
                       gsize n_frames, double interval_ns)
{
    flow->frame_bytes = frames;
    source->frame_bytes = frames;
    source->n_frames = n_frames;
    source->interval_ns = (int64_t)floor(interval_ns + 0.5);
}

/* One packet per frame, as often as the rate wants. */
static gboolean put_video(const struct draft *draft, const struct lab_place *place,
                          struct lab_flow *flow, struct weir__source_config *source, GError **error)
{
    struct lab_place rate = {.up = place, .name = "rate_bps"};
    double interval_ns = 8e9 * (double)draft->payload_bytes / (double)draft->rate_bps;
    if (interval_ns < 1.0) {
        return lab_fail(error, &rate, NULL, "more than a packet per nanosecond");
    }
    int64_t *frames = g_new(int64_t, 1);
    frames[0] = draft->payload_bytes;
    put_frames(source, flow, frames, 1, interval_ns);
    return TRUE;
}

/* The listed frames, or a trace that is the same whatever the seed: like a recorded one. */
static gboolean put_vbr(const struct draft *draft, const struct lab_place *place, JsonNode *node,
                        struct lab_flow *flow, struct weir__source_config *source, GError **error)
{
    const struct lab_field size = {.kind = LAB_FIELD_WHOLE, .min = 1, .max = 1e7};
    struct lab_place frames_place = {.up = place, .name = "frames"};
    struct lab_place mean_place = {.up = place, .name = "mean_bps"};
    int64_t *frames = NULL;
    gsize n_frames = WEIR__VBR_FRAMES;
    if (draft->frames == NULL) {
        frames = g_new(int64_t, WEIR__VBR_FRAMES);
        weir__vbr_trace(frames, (int64_t)floor(draft->mean_bps + 0.5), 1);
    } else if (lab_json_get(node, "mean_bps") != NULL) {
        return lab_fail(error, &mean_place, lab_json_get(node, "mean_bps"),
                        "only without frames, which have their own mean");
    } else if (!lab_numbers_read(&size, &frames_place, draft->frames, &frames, &n_frames, error)) {
        return FALSE;
    }
    put_frames(source, flow, frames, n_frames, 1e9 / draft->fps);
    return n_frames > 0 || lab_fail(error, &frames_place, draft->frames, "there are no frames");
}

static gboolean put_encoder(const struct draft *draft, const struct lab_place *place,
                            JsonNode *node, struct weir__source_config *source, GError **error)
{
    struct lab_place inner = {.up = place, .name = "min_bps"};
    source->interval_ns = (int64_t)floor(1e9 / draft->fps + 0.5);
    source->min_bps = draft->min_bps;
    source->max_bps = draft->max_bps;
    source->reaction_ns = draft->reaction_ns;
    source->lag_ns = draft->lag_ns;
    source->lag_down_ns = draft->lag_down_ns == G_MAXINT64 ? draft->lag_ns : draft->lag_down_ns;
    source->key_interval_ns = draft->key_interval_ns;
    source->burst_frames = draft->burst_frames;
    source->first_frame_bytes = draft->first_frame_bytes;
    source->scale_time = draft->scale_time;
    source->scale_bytes = draft->scale_bytes;
    if (draft->min_bps > draft->max_bps) {
        return lab_fail(error, &inner, lab_json_get(node, "min_bps"),
                        "must be at most max_bps, %" G_GINT64_FORMAT, draft->max_bps);
    }
    return put_wave(draft, place, node, source, error);
}

static void put_voip(const struct draft *draft, struct weir__source_config *source)
{
    source->unit_bytes = draft->payload_bytes;
    source->interval_ns = draft->interval_ns;
    source->on_ns = draft->on_ns;
    source->off_ns = draft->off_ns;
    source->padded = draft->padded;
}

static gboolean put_source(const struct draft *draft, enum kind kind, const struct lab_place *place,
                           JsonNode *node, struct lab_flow *flow,
                           struct weir__source_config *source, GError **error)
{
    switch (kind) {
    case VOIP:
        put_voip(draft, source);
        return TRUE;
    case VIDEO:
        return put_video(draft, place, flow, source, error);
    case VBR:
        return put_vbr(draft, place, node, flow, source, error);
    case ENCODER:
        return put_encoder(draft, place, node, source, error);
    case PARETO:
        source->shape = draft->shape;
        return put_even(draft, place, node, flow, source, error);
    case CBR:
    case STREAM:
        return put_even(draft, place, node, flow, source, error);
    default:
        return TRUE;
    }
}

static gboolean put_app(const struct draft *draft, enum kind kind, const struct lab_place *place,
                        JsonNode *node, struct weir__tcp_app_config *app, GError **error)
{
    struct lab_place inner = {.up = place, .name = "min_bytes"};
    app->kind = uses[kind].app;
    app->n_connections = kind == BURSTS ? (uint32_t)draft->connections : 1;
    app->total_bytes = draft->bytes;
    app->pages = draft->pages;
    app->objects = draft->objects;
    app->mean_packets = draft->mean_packets;
    app->shape = draft->shape;
    app->page_gap_ns = draft->page_gap_ns;
    app->object_gap_ns = draft->object_gap_ns;
    app->repeat = draft->repeat;
    app->min_bytes = draft->min_bytes;
    app->max_bytes = draft->max_bytes;
    app->idle_ns = draft->idle_ns;
    app->begins_off = draft->begin == 1;
    return draft->min_bytes <= draft->max_bytes ||
           lab_fail(error, &inner, lab_json_get(node, "min_bytes"),
                    "must be at most max_bytes, %" G_GINT64_FORMAT, draft->max_bytes);
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

/* node: NULL = greedy. Sets what the kind of flow->kind reads of flow->tcp, ->udp or ->media.
 * flow->packet_bytes, header_bytes, start_ns and stop_ns are set already. */
gboolean lab_source_read(const struct lab_place *place, JsonNode *node, uint64_t seed,
                         struct lab_flow *flow, GError **error)
{
    struct draft draft = {.bytes = 0};
    gsize chosen = GREEDY;
    if (!lab_variant_read(lab_sources, lab_n_sources, "kind", place, node, &draft, &chosen,
                          error)) {
        return FALSE;
    }
    enum kind kind = (enum kind)chosen;
    struct weir__source_config source;
    weir__source_config_default(&source, uses[kind].source);
    source.start_ns = flow->start_ns;
    source.stop_ns = flow->stop_ns;
    source.seed = lab_seed_for(seed, "source", flow->name);
    if (!check_use(place, node, kind, flow, error) ||
        !put_source(&draft, kind, place, node, flow, &source, error) ||
        !put_app(&draft, kind, place, node, &flow->tcp, error)) {
        return FALSE;
    }
    gboolean is_read = uses[kind].app == WEIR__TCP_FED || kind == STREAM;
    if (is_read && weir__source_check(&source) != WEIR_OK) {
        return lab_fail(error, place, node, "has values that the simulator does not take");
    }
    flow->tcp.source = source;
    flow->udp.source = source;
    flow->media.source = source;
    flow->media.greedy = kind == GREEDY;
    flow->media.media_bps = (int64_t)source_wire_bps(kind, flow, &source);
    return TRUE;
}
