/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/flow.h"
#include "scenario/json.h"
#include "scenario/link.h"
#include "scenario/route.h"
#include "scenario/source.h"
#include <math.h>
#include <string.h>

#define LONGEST_S          1e6
#define LONGEST_MS         3600000.0
#define HIGHEST_BPS        1e11
#define LONGEST_QUANTUM_MS ((double)WEIR_PACING_QUANTUM_MAX_NS / LAB_NS_PER_MS)
#define RTP_HEADER_BYTES   12
#define RTP_HEADERS_BYTES  20 /* with the extension that TWCC needs */
#define MAX_OVERHEAD       1000
#define DEFAULT_START      300000
#define WHY_BYTES          1024 /* of weir_param_check(): it lists up to 512 bytes of names */

/* A flow as it is read: pointers into JSON are only valid meanwhile. */
struct draft {
    struct lab_flow flow;
    char *label;
    char *algorithm;
    char *from;
    char *to;
    int64_t count;
    bool tested;
    bool pacing;
    bool breaker;
    int media_start;
    JsonNode *via;
    JsonNode *params;
    JsonNode *rtt;
    JsonNode *source;
    JsonNode *tcp;
    JsonNode *feedback;
    JsonNode *limits;
    JsonNode *buffer;
    JsonNode *prebuffers;
    int64_t rtt_ns;
    int64_t quantum_ns;
    const struct lab_place *place;
    JsonNode *node;
};

#define DRAFT(member) .offset = offsetof(struct draft, member)
#define SECONDS(least, most)                                                                       \
    .kind = LAB_FIELD_SCALED, .scale = LAB_NS_PER_S, .min = (least), .max = (most)
#define MILLISECONDS(least, most)                                                                  \
    .kind = LAB_FIELD_SCALED, .scale = LAB_NS_PER_MS, .min = (least), .max = (most)
#define WHOLE(least, most) .kind = LAB_FIELD_WHOLE, .min = (least), .max = (most)
#define BPS                .kind = LAB_FIELD_SCALED, .scale = 1.0, .min = 1, .max = HIGHEST_BPS

static const char *const media_starts[] = {"at-once", "when-allowed", NULL};

const struct lab_field lab_flow_fields[] = {
    {.name = "name", .kind = LAB_FIELD_NAME, .required = TRUE, DRAFT(flow.name)},
    {.name = "group", .kind = LAB_FIELD_NAME, DRAFT(flow.group)},
    {.name = "label", .kind = LAB_FIELD_NAME, DRAFT(label)},
    {.name = "from", .kind = LAB_FIELD_NAME, .required = TRUE, DRAFT(from)},
    {.name = "to", .kind = LAB_FIELD_NAME, .required = TRUE, DRAFT(to)},
    {.name = "via", .kind = LAB_FIELD_LIST, DRAFT(via)},
    {.name = "count", WHOLE(0, 100000), .initial = 1, DRAFT(count)},
    {.name = "algorithm", .kind = LAB_FIELD_NAME, DRAFT(algorithm)},
    {.name = "tested", .kind = LAB_FIELD_BOOL, DRAFT(tested)},
    {.name = "params", .kind = LAB_FIELD_OBJECT, DRAFT(params)},
    {.name = "start_s", SECONDS(0, LONGEST_S), DRAFT(flow.start_ns)},
    {.name = "stop_s", SECONDS(0, LONGEST_S), .initial = INFINITY, DRAFT(flow.stop_ns)},
    {.name = "rtt_ms", MILLISECONDS(0, LONGEST_MS), .initial = INFINITY, DRAFT(rtt_ns)},
    {.name = "access_ms", MILLISECONDS(0, LONGEST_MS), DRAFT(flow.entry_ns)},
    {.name = "access_jitter_ms", MILLISECONDS(0, LONGEST_MS), DRAFT(flow.entry_jitter_ns)},
    {.name = "packet_bytes", WHOLE(20, 65000), .initial = 1500, DRAFT(flow.packet_bytes)},
    {.name = "header_bytes", WHOLE(0, 1000), .initial = 40, DRAFT(flow.header_bytes)},
    {.name = "source", .kind = LAB_FIELD_OBJECT, DRAFT(source)},
    {.name = "tcp", .kind = LAB_FIELD_OBJECT, DRAFT(tcp)},
    {.name = "feedback", .kind = LAB_FIELD_OBJECT, DRAFT(feedback)},
    {.name = "limits", .kind = LAB_FIELD_OBJECT, DRAFT(limits)},
    {.name = "buffer", .kind = LAB_FIELD_OBJECT, DRAFT(buffer)},
    {.name = "pacing", .kind = LAB_FIELD_BOOL, .initial = 1, DRAFT(pacing)},
    {.name = "pacing_quantum_ms", MILLISECONDS(0, LONGEST_QUANTUM_MS), DRAFT(quantum_ns)},
    {.name = "circuit_breaker", .kind = LAB_FIELD_BOOL, DRAFT(breaker)},
    {.name = "media_start", .kind = LAB_FIELD_CHOICE, .choices = media_starts, DRAFT(media_start)},
    {.name = "playout_prebuffer_s", .kind = LAB_FIELD_LIST, DRAFT(prebuffers)},
};
const gsize lab_n_flow_fields = G_N_ELEMENTS(lab_flow_fields);

#define TCP(member) .offset = offsetof(struct weir__tcp_flow_config, member)

static const struct lab_field tcp_fields[] = {
    {.name = "window_packets", WHOLE(1, 1048576), .initial = 1000, TCP(tcp.window_packets)},
    {.name = "initial_window_packets",
     WHOLE(1, 1048576),
     .initial = 2,
     TCP(tcp.initial_window_packets)},
    {.name = "initial_ssthresh_packets", WHOLE(0, 1048576), TCP(tcp.initial_ssthresh_packets)},
    {.name = "delayed_ack_ms", MILLISECONDS(0, 10000), .initial = 100, TCP(delayed_ack_ns)},
    {.name = "limited_transmit", .kind = LAB_FIELD_BOOL, .initial = 1, TCP(tcp.limited_transmit)},
    {.name = "byte_counting", .kind = LAB_FIELD_BOOL, TCP(tcp.byte_counting)},
    {.name = "idle_restart", .kind = LAB_FIELD_BOOL, .initial = 1, TCP(tcp.idle_restart)},
    {.name = "cwv", .kind = LAB_FIELD_BOOL, TCP(tcp.cwv)},
    {.name = "ack_bytes", WHOLE(1, 65000), .initial = 40, TCP(ack_bytes)},
    {.name = "rto_min_ms", MILLISECONDS(1e-3, LONGEST_MS), .initial = 200, TCP(tcp.rto.min_ns)},
    {.name = "rto_initial_ms",
     MILLISECONDS(1e-3, LONGEST_MS),
     .initial = 3000,
     TCP(tcp.rto.initial_ns)},
    {.name = "rto_max_ms", MILLISECONDS(1e-3, LONGEST_MS), .initial = 60000, TCP(tcp.rto.max_ns)},
    {.name = "rto_tick_ms", MILLISECONDS(0, LONGEST_MS), .initial = 10, TCP(tcp.rto.tick_ns)},
};

const struct lab_competitor lab_competitors[] = {
    {"tcp-reno", "TCP Reno, RFC 5681: a partial ACK ends the recovery", LAB_FLOW_TCP,
     WEIR__TCP_RENO},
    {"tcp-newreno", "TCP NewReno, RFC 6582", LAB_FLOW_TCP, WEIR__TCP_NEWRENO},
    {"tcp-sack", "TCP with selective acknowledgements, RFC 6675", LAB_FLOW_TCP, WEIR__TCP_SACK},
    {"tcp-vegas", "TCP Vegas, Brakmo and Peterson 1995: backs off as queues grow", LAB_FLOW_TCP,
     WEIR__TCP_VEGAS},
    {"tcp-westwood", "TCP Westwood+: sets its window to the measured bandwidth after losses",
     LAB_FLOW_TCP, WEIR__TCP_WESTWOOD},
    {"tcp-cubic", "TCP Cubic, RFC 9438, with HyStart as in Linux", LAB_FLOW_TCP, WEIR__TCP_CUBIC},
    {.name = "udp",
     .description = "No control at all: sends what its source offers",
     .kind = LAB_FLOW_UDP},
};
const gsize lab_n_competitors = G_N_ELEMENTS(lab_competitors);

static gboolean fail(const struct draft *draft, const char *field, GError **error,
                     const char *sentence)
{
    struct lab_place place = {.up = draft->place, .name = field};
    return lab_fail(error, &place, lab_json_get(draft->node, field), "%s", sentence);
}

static const struct lab_competitor *find_competitor(const char *name)
{
    for (gsize i = 0; i < lab_n_competitors; i++) {
        if (strcmp(lab_competitors[i].name, name) == 0) {
            return &lab_competitors[i];
        }
    }
    return NULL;
}

/* Whether `algorithm` may have this name without a profile of it. */
gboolean lab_flow_is_algorithm(const char *name)
{
    struct weir_algorithm_info info;
    return find_competitor(name) != NULL || weir_algorithm_get_info(name, &info) == WEIR_OK;
}

/* Every name that `algorithm` may have, but for profiles. Free with g_ptr_array_unref. */
static GPtrArray *algorithm_names(void)
{
    GPtrArray *names = g_ptr_array_new();
    for (gsize i = 0; i < lab_n_competitors; i++) {
        g_ptr_array_add(names, g_strdup(lab_competitors[i].name));
    }
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        g_ptr_array_add(names, g_strdup(weir_algorithm_name(i)));
    }
    g_ptr_array_set_free_func(names, g_free);
    return names;
}

static gboolean refuse_algorithm(const struct draft *draft, GError **error)
{
    GPtrArray *names = algorithm_names();
    char *all = lab_join_names((const char *const *)names->pdata, names->len);
    char *sentence = g_strdup_printf("there is no such algorithm or profile; there are %s", all);
    fail(draft, "algorithm", error, sentence);
    g_free(sentence);
    g_free(all);
    g_ptr_array_unref(names);
    return FALSE;
}

static gboolean read_algorithm(struct draft *draft, GError **error)
{
    struct lab_flow *flow = &draft->flow;
    struct weir_algorithm_info info;
    if (draft->algorithm == NULL) {
        draft->algorithm = g_strdup("tfrc");
    }
    const struct lab_competitor *competitor = find_competitor(draft->algorithm);
    if (competitor != NULL) {
        flow->kind = competitor->kind;
        flow->tcp.tcp.tcp.variant = competitor->variant;
        return TRUE;
    }
    if (weir_algorithm_get_info(draft->algorithm, &info) != WEIR_OK) {
        return refuse_algorithm(draft, error);
    }
    flow->kind = LAB_FLOW_MEDIA;
    flow->media.sender.algorithm = info.name;
    return TRUE;
}

/* The name in the algorithm's table, which outlives the flow. */
static const char *param_name(const char *algorithm, const char *name)
{
    struct weir_algorithm_info info;
    weir_algorithm_get_info(algorithm, &info);
    for (size_t i = 0; i < info.n_params; i++) {
        if (strcmp(info.params[i].name, name) == 0) {
            return info.params[i].name;
        }
    }
    return NULL;
}

static gboolean read_param(const struct draft *draft, const struct lab_place *params,
                           const char *name, JsonNode *node, struct weir_param_value *param,
                           GError **error)
{
    struct lab_place place = {.up = params, .name = name};
    char why[WHY_BYTES] = "";
    if (!JSON_NODE_HOLDS_VALUE(node)) {
        return lab_fail(error, &place, node, "must be a number, a text, true or false");
    }
    gboolean is_bool = json_node_get_value_type(node) == G_TYPE_BOOLEAN;
    struct weir_param_value value = {
        .name = name,
        .value_text = lab_json_is_text(node) ? json_node_get_string(node) : NULL,
        .value = is_bool ? (json_node_get_boolean(node) ? 1.0 : 0.0) : 0.0,
    };
    if (lab_json_is_number(node)) {
        value.value = json_node_get_double(node);
    }
    if (weir_param_check(draft->algorithm, &value, &param->value, why, sizeof why) != WEIR_OK) {
        return lab_fail(error, &place, node, "%s", why);
    }
    param->name = param_name(draft->algorithm, name);
    return TRUE;
}

static gboolean read_params(struct draft *draft, GError **error)
{
    struct lab_place place = {.up = draft->place, .name = "params"};
    JsonObject *object = draft->params != NULL ? json_node_get_object(draft->params) : NULL;
    guint n = object != NULL ? json_object_get_size(object) : 0;
    if (n > 0 && draft->flow.kind != LAB_FLOW_MEDIA) {
        return lab_fail(error, &place, draft->params, "%s has no parameters", draft->algorithm);
    }
    draft->flow.params = g_new0(struct weir_param_value, n + 1);
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *value = NULL;
    guint i = 0;
    if (object != NULL) {
        json_object_iter_init_ordered(&iter, object);
        while (json_object_iter_next_ordered(&iter, &name, &value)) {
            if (!read_param(draft, &place, name, value, &draft->flow.params[i++], error)) {
                return FALSE;
            }
        }
    }
    draft->flow.media.sender.params = draft->flow.params;
    draft->flow.media.sender.n_params = n;
    return TRUE;
}

static gboolean read_tcp(struct draft *draft, GError **error)
{
    struct lab_place place = {.up = draft->place, .name = "tcp"};
    struct lab_place max_place = {.up = &place, .name = "rto_max_ms"};
    struct weir__tcp_flow_config *tcp = &draft->flow.tcp.tcp;
    if (!lab_fields_read(tcp_fields, G_N_ELEMENTS(tcp_fields), &place, draft->tcp, tcp, error)) {
        return FALSE;
    }
    if (tcp->tcp.rto.min_ns > tcp->tcp.rto.max_ns) {
        return lab_fail(error, &max_place, lab_json_get(draft->tcp, "rto_max_ms"),
                        "must be at least rto_min_ms");
    }
    return TRUE;
}

struct feedback {
    int format;
    int64_t interval_ns;
    int64_t interval_max_ns;
    bool per_packet;
    int64_t sender_report_ns;
};

static gboolean check_needs(const struct draft *draft, const struct lab_place *feedback,
                            int64_t format, GError **error)
{
    struct lab_place place = {.up = feedback, .name = "format"};
    struct weir_algorithm_info info;
    gboolean reports_only = format == WEIR_FEEDBACK_RR || format == WEIR_FEEDBACK_REMB;
    if (draft->flow.kind != LAB_FLOW_MEDIA || !reports_only ||
        weir_algorithm_get_info(draft->algorithm, &info) != WEIR_OK) {
        return TRUE;
    }
    gboolean needs = (info.needs & (WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS)) != 0;
    if (needs && (info.needs & WEIR_HAS_REPORT_FORM) == 0) {
        return lab_fail(error, &place, lab_json_get(draft->feedback, "format"),
                        "%s needs feedback on each packet: ccfb or twcc", draft->algorithm);
    }
    return TRUE;
}

static gboolean read_feedback(struct draft *draft, GError **error)
{
    static const char *const formats[] = {"ccfb", "twcc", "rr", "remb", NULL};
    static const uint32_t bits[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC, WEIR_FEEDBACK_RR,
                                    WEIR_FEEDBACK_REMB};
    static const struct lab_field fields[] = {
        {.name = "format",
         .kind = LAB_FIELD_CHOICE,
         .choices = formats,
         .offset = offsetof(struct feedback, format)},
        {.name = "interval_ms",
         MILLISECONDS(0, 10000),
         .offset = offsetof(struct feedback, interval_ns)},
        {.name = "max_interval_ms",
         MILLISECONDS(20, 10000),
         .initial = 100,
         .offset = offsetof(struct feedback, interval_max_ns)},
        {.name = "per_packet",
         .kind = LAB_FIELD_BOOL,
         .offset = offsetof(struct feedback, per_packet)},
        {.name = "sender_report_ms",
         MILLISECONDS(0, 60000),
         .offset = offsetof(struct feedback, sender_report_ns)},
    };
    struct lab_place place = {.up = draft->place, .name = "feedback"};
    struct feedback feedback = {.format = 0};
    if (!lab_fields_read(fields, G_N_ELEMENTS(fields), &place, draft->feedback, &feedback, error)) {
        return FALSE;
    }
    draft->flow.media.receiver.format = bits[feedback.format];
    draft->flow.media.receiver.interval_ns = feedback.interval_ns;
    draft->flow.media.receiver.interval_max_ns = feedback.interval_max_ns;
    draft->flow.media.feedback_per_packet = feedback.per_packet;
    draft->flow.media.sender_report_ns = feedback.sender_report_ns;
    return check_needs(draft, &place, bits[feedback.format], error);
}

/* What is not said gives way to what is. */
static gboolean read_limits(struct draft *draft, GError **error)
{
    static const struct lab_field fields[] = {
        {.name = "min_bps", BPS, .offset = offsetof(struct weir_limits, min_bps)},
        {.name = "max_bps", BPS, .initial = 1e10, .offset = offsetof(struct weir_limits, max_bps)},
        {.name = "start_bps", BPS, .offset = offsetof(struct weir_limits, start_bps)},
    };
    struct lab_place place = {.up = draft->place, .name = "limits"};
    struct weir_limits *limits = &draft->flow.media.sender.limits;
    if (!lab_fields_read(fields, G_N_ELEMENTS(fields), &place, draft->limits, limits, error)) {
        return FALSE;
    }
    if (limits->min_bps == 0) {
        limits->min_bps = MIN(1000, limits->max_bps);
        limits->min_bps =
            limits->start_bps > 0 ? MIN(limits->min_bps, limits->start_bps) : limits->min_bps;
    }
    if (limits->start_bps == 0) {
        limits->start_bps = MAX(MIN(DEFAULT_START, limits->max_bps), limits->min_bps);
    }
    return (limits->min_bps <= limits->start_bps && limits->start_bps <= limits->max_bps) ||
           lab_fail(error, &place, draft->limits, "must be min_bps <= start_bps <= max_bps");
}

struct buffer {
    int64_t packets;
    int64_t time_ns;
    int policy;
};

static gboolean read_buffer(struct draft *draft, GError **error)
{
    /* In the order of enum weir_queue_policy. */
    static const char *const policies[] = {"drop-newest", "drop-oldest", "drop-frame", NULL};
    static const struct lab_field fields[] = {
        {.name = "packets",
         WHOLE(1, 65536),
         .initial = 4096,
         .offset = offsetof(struct buffer, packets)},
        {.name = "time_ms",
         MILLISECONDS(1e-3, LONGEST_MS),
         .initial = INFINITY,
         .offset = offsetof(struct buffer, time_ns)},
        {.name = "policy",
         .kind = LAB_FIELD_CHOICE,
         .choices = policies,
         .offset = offsetof(struct buffer, policy)},
    };
    struct lab_place place = {.up = draft->place, .name = "buffer"};
    struct buffer buffer = {.packets = 0};
    if (!lab_fields_read(fields, G_N_ELEMENTS(fields), &place, draft->buffer, &buffer, error)) {
        return FALSE;
    }
    draft->flow.media.buffer_packets = buffer.packets;
    draft->flow.media.buffer_time_ns = buffer.time_ns;
    draft->flow.media.buffer_policy = (enum weir_queue_policy)buffer.policy;
    return TRUE;
}

static gboolean read_prebuffers(struct draft *draft, GError **error)
{
    const struct lab_field seconds = {SECONDS(0, 3600)};
    struct lab_place place = {.up = draft->place, .name = "playout_prebuffer_s"};
    return draft->prebuffers == NULL ||
           lab_numbers_read(&seconds, &place, draft->prebuffers, &draft->flow.prebuffers_ns,
                            &draft->flow.n_prebuffers, error);
}

/* Packet sizes, times and seeds, for each kind of flow. header_bytes is IP + UDP + RTP. */
static void put_common(struct draft *draft, uint64_t seed)
{
    struct lab_flow *flow = &draft->flow;
    int64_t overhead_bytes = CLAMP(flow->header_bytes - RTP_HEADER_BYTES, 0, (int64_t)MAX_OVERHEAD);
    struct weir__media_flow_config *media = &flow->media;
    flow->tcp.tcp.tcp.packet_bytes = flow->packet_bytes;
    flow->tcp.tcp.header_bytes = flow->header_bytes;
    flow->tcp.start_ns = flow->start_ns;
    flow->tcp.stop_ns = flow->stop_ns;
    flow->tcp.seed = lab_seed_for(seed, "tcp", flow->name);
    flow->udp.packet_bytes = flow->packet_bytes;
    flow->udp.header_bytes = flow->header_bytes;
    media->packet_bytes = flow->packet_bytes;
    media->header_bytes = flow->header_bytes;
    media->start_ns = flow->start_ns;
    media->stop_ns = flow->stop_ns;
    media->media_when_allowed = draft->media_start == 1;
    media->sender.overhead_bytes = (uint32_t)overhead_bytes;
    media->sender.packet_bytes = (uint32_t)(flow->packet_bytes - overhead_bytes);
    media->sender.pacing = draft->pacing;
    media->sender.pacing_quantum_ns = draft->quantum_ns;
    media->sender.circuit_breaker = draft->breaker;
    media->sender.seed = lab_seed_for(seed, "sender", flow->name);
    media->receiver.overhead_bytes = (uint32_t)overhead_bytes;
    media->receiver.seed = lab_seed_for(seed, "receiver", flow->name);
}

static gboolean check_times(const struct draft *draft, GError **error)
{
    const struct lab_flow *flow = &draft->flow;
    if (flow->stop_ns <= flow->start_ns) {
        return fail(draft, "stop_s", error, "must be later than start_s");
    }
    if (flow->packet_bytes <= flow->header_bytes || flow->packet_bytes <= RTP_HEADER_BYTES) {
        return fail(draft, "packet_bytes", error, "must be more than header_bytes");
    }
    return TRUE;
}

static gboolean read_parts(struct draft *draft, const struct lab_flow_world *world, GError **error)
{
    struct lab_place source = {.up = draft->place, .name = "source"};
    struct lab_flow *flow = &draft->flow;
    if (!check_times(draft, error) || !read_algorithm(draft, error) || !read_params(draft, error) ||
        !read_tcp(draft, error) || !read_feedback(draft, error) || !read_limits(draft, error) ||
        !read_buffer(draft, error) || !read_prebuffers(draft, error)) {
        return FALSE;
    }
    put_common(draft, world->seed);
    if (!lab_source_read(&source, draft->source, world->seed, flow, error)) {
        return FALSE;
    }
    if (flow->kind == LAB_FLOW_MEDIA &&
        flow->packet_bytes <= flow->media.sender.overhead_bytes + RTP_HEADERS_BYTES) {
        return fail(draft, "packet_bytes", error,
                    "must have room for the headers of RTP, 20 bytes, and payload");
    }
    if (flow->kind == LAB_FLOW_MEDIA && flow->media.media_when_allowed &&
        flow->media.media_bps == 0) {
        return fail(draft, "media_start", error, "a greedy source has no rate to wait for");
    }
    return TRUE;
}

static void clear_draft(struct draft *draft)
{
    g_free(draft->label);
    g_free(draft->algorithm);
    g_free(draft->from);
    g_free(draft->to);
}

static void name_flow(struct draft *draft)
{
    struct lab_flow *flow = &draft->flow;
    if (flow->group == NULL) {
        flow->group = g_strdup(flow->name);
    }
    flow->algorithm = g_strdup(draft->label != NULL ? draft->label : draft->algorithm);
    flow->tested = draft->tested;
}

/* The flow is the caller's, also when this fails. */
static struct lab_flow *take_flow(struct draft *draft)
{
    struct lab_flow *flow = g_new(struct lab_flow, 1);
    *flow = draft->flow;
    clear_draft(draft);
    return flow;
}

/* Appends the flow; nothing when `count` is 0. */
gboolean lab_flow_read(const struct lab_place *place, JsonNode *node,
                       const struct lab_flow_world *world, GPtrArray *flows, GError **error)
{
    struct draft draft = {.place = place, .node = node};
    weir__tcp_app_config_default(&draft.flow.tcp);
    weir__media_flow_config_default(&draft.flow.media);
    gboolean good =
        lab_fields_read(lab_flow_fields, lab_n_flow_fields, place, node, &draft, error) &&
        read_parts(&draft, world, error);
    if (good && draft.count > 0) {
        struct lab_ends ends = {
            .from = draft.from, .to = draft.to, .via = draft.via, .rtt_ns = draft.rtt_ns};
        good = lab_route_read(place, node, world, &ends, &draft.flow, error);
    }
    if (good) {
        name_flow(&draft);
    }
    gboolean kept = good && draft.count > 0;
    struct lab_flow *flow = take_flow(&draft);
    if (kept) {
        g_ptr_array_add(flows, flow);
    } else {
        lab_flow_free(flow);
    }
    return good;
}

/* Accepts NULL. */
void lab_flow_free(struct lab_flow *flow)
{
    if (flow != NULL) {
        g_free(flow->name);
        g_free(flow->group);
        g_free(flow->algorithm);
        g_free(flow->links);
        g_free(flow->back_links);
        g_free(flow->params);
        g_free(flow->steps);
        g_free(flow->frame_bytes);
        g_free(flow->prebuffers_ns);
        g_free(flow);
    }
}
