/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/flow.h"
#include "scenario/group.h"
#include "scenario/link.h"
#include "scenario/route.h"
#include "scenario/source.h"
#include <math.h>
#include <string.h>

#define HIGHEST_BPS        1e11 /* of media */
#define LONGEST_QUANTUM_MS ((double)WEIR_PACING_QUANTUM_MAX_NS / LAB_NS_PER_MS)
#define RTP_HEADER_BYTES   12
#define RTP_HEADERS_BYTES  20 /* with the extension that TWCC needs */
#define MAX_OVERHEAD       1000
#define DEFAULT_START      300000
#define WEIGHT_UNIT        1000.0 /* of priority, as weirsend counts it */
#define WHY_BYTES          1024   /* of weir_param_check(): it lists up to 512 bytes of names */

/* A flow as it is read. */
struct draft {
    struct lab_flow flow;
    const char *label;
    const char *algorithm;
    const char *from;
    const char *to;
    int64_t count;
    int media_start;
    const char *format;
    int ecn;
    int policy;
    struct lab_access access;
    double priority; /* 0: none */
};

#define DRAFT(member)  .offset = offsetof(struct draft, member)
#define MEDIA(member)  DRAFT(flow.media.member)
#define TCP(member)    .offset = offsetof(struct weir__tcp_flow_config, member)
#define LIMITS(member) .offset = offsetof(struct weir_limits, member)
#define OBJECT(table)  .kind = LAB_FIELD_OBJECT, LAB_FIELDS(table)
#define LIST           .kind = LAB_FIELD_LIST
#define MEDIA_BPS      LAB_SCALED(1.0, 1, HIGHEST_BPS)
#define WINDOW         LAB_WHOLE(1, 1048576)
#define TIMEOUT        LAB_MS(1e-3, LAB_LONGEST_MS)

static const struct lab_field tcp_fields[] = {
    {.name = "window_packets", WINDOW, .initial = 1000, TCP(tcp.window_packets)},
    {.name = "initial_window_packets", WINDOW, .initial = 2, TCP(tcp.initial_window_packets)},
    {.name = "initial_ssthresh_packets", LAB_WHOLE(0, 1048576), TCP(tcp.initial_ssthresh_packets)},
    {.name = "delayed_ack_ms", LAB_MS(0, 10000), .initial = 100, TCP(delayed_ack_ns)},
    {.name = "limited_transmit", LAB_BOOL, .initial = 1, TCP(tcp.limited_transmit)},
    {.name = "repeated_recovery", LAB_BOOL, TCP(tcp.repeated_recovery)},
    {.name = "byte_counting", LAB_BOOL, TCP(tcp.byte_counting)},
    {.name = "idle_restart", LAB_BOOL, .initial = 1, TCP(tcp.idle_restart)},
    {.name = "cwv", LAB_BOOL, TCP(tcp.cwv)},
    {.name = "ecn", LAB_BOOL, TCP(tcp.ecn)},
    {.name = "ack_bytes", LAB_WHOLE(1, 65000), .initial = 40, TCP(ack_bytes)},
    {.name = "rto_min_ms", TIMEOUT, .initial = 200, TCP(tcp.rto.min_ns)},
    {.name = "rto_initial_ms", TIMEOUT, .initial = 3000, TCP(tcp.rto.initial_ns)},
    {.name = "rto_max_ms", TIMEOUT, .initial = 60000, TCP(tcp.rto.max_ns)},
    {.name = "rto_tick_ms", LAB_MS(0, LAB_LONGEST_MS), .initial = 10, TCP(tcp.rto.tick_ns)},
};

static const struct lab_field feedback_fields[] = {
    {.name = "format", LAB_NAME, DRAFT(format)},
    {.name = "interval_ms", LAB_MS(0, 10000), MEDIA(receiver.interval_ns)},
    {.name = "max_interval_ms", LAB_MS(20, 10000), .initial = 100, MEDIA(receiver.interval_max_ns)},
    {.name = "per_packet", LAB_BOOL, MEDIA(feedback_per_packet)},
    {.name = "extra_compounds", LAB_BOOL, .initial = 1, MEDIA(receiver.extra_compounds)},
    {.name = "sender_report_ms", LAB_MS(0, 60000), MEDIA(sender_report_ns)},
    {.name = "rtt_with_media", LAB_BOOL, MEDIA(rtt_with_media)},
};

static const struct lab_field limits_fields[] = {
    {.name = "min_bps", MEDIA_BPS, LIMITS(min_bps)},
    {.name = "max_bps", MEDIA_BPS, .initial = 1e10, LIMITS(max_bps)},
    {.name = "start_bps", MEDIA_BPS, LIMITS(start_bps)},
};

/* In the order of enum weir_queue_policy. */
static const char *const policies[] = {"drop-newest", "drop-oldest", "drop-frame", NULL};

static const struct lab_field buffer_fields[] = {
    {.name = "packets", LAB_WHOLE(1, 65536), .initial = 4096, MEDIA(buffer_packets)},
    {.name = "time_ms", TIMEOUT, .initial = INFINITY, MEDIA(buffer_time_ns)},
    {.name = "policy", LAB_CHOICE(policies), DRAFT(policy)},
};

static const char *const codepoints[] = {"off", "ect0", "ect1", NULL};
static const char *const media_starts[] = {"at-once", "when-allowed", NULL};

const struct lab_field lab_flow_fields[] = {
    {.name = "name", LAB_NAME, .required = TRUE, DRAFT(flow.name)},
    {.name = "group", LAB_NAME, DRAFT(flow.group)},
    {.name = "priority", LAB_NUMBER(0.001, 1000), DRAFT(priority)},
    {.name = "label", LAB_NAME, DRAFT(label)},
    {.name = "from", LAB_NAME, .required = TRUE, DRAFT(from)},
    {.name = "to", LAB_NAME, .required = TRUE, DRAFT(to)},
    {.name = "via", LIST},
    {.name = "count", LAB_WHOLE(0, 100000), .initial = 1, DRAFT(count)},
    {.name = "algorithm", LAB_NAME, DRAFT(algorithm)},
    {.name = "tested", LAB_BOOL, DRAFT(flow.tested)},
    {.name = "params", .kind = LAB_FIELD_OBJECT},
    {.name = "start_s", LAB_SECONDS(0, LAB_LONGEST_S), DRAFT(flow.start_ns)},
    {.name = "stop_s", LAB_SECONDS(0, LAB_LONGEST_S), .initial = INFINITY, DRAFT(flow.stop_ns)},
    {.name = "rtt_ms", LAB_MS(0, LAB_LONGEST_MS), .initial = INFINITY, DRAFT(access.rtt_ns)},
    {.name = "access_ms", LAB_MS(0, LAB_LONGEST_MS), DRAFT(access.access_ns)},
    {.name = "receiver_access_share", LAB_NUMBER(0, 1), DRAFT(access.receiver_share)},
    {.name = "access_jitter_ms", LAB_MS(0, LAB_LONGEST_MS), DRAFT(flow.entry_jitter_ns)},
    {.name = "jitter_per_burst", LAB_BOOL, DRAFT(flow.jitters_bursts)},
    {.name = "packet_bytes", LAB_WHOLE(20, 65000), .initial = 1500, DRAFT(flow.packet_bytes)},
    {.name = "header_bytes", LAB_WHOLE(0, 1000), .initial = 40, DRAFT(flow.header_bytes)},
    {.name = "source", .kind = LAB_FIELD_OBJECT},
    {.name = "tcp", OBJECT(tcp_fields), DRAFT(flow.tcp.tcp)},
    {.name = "feedback", OBJECT(feedback_fields)},
    {.name = "limits", OBJECT(limits_fields), MEDIA(sender.limits)},
    {.name = "buffer", OBJECT(buffer_fields)},
    {.name = "pacing", LAB_BOOL, .initial = 1, MEDIA(sender.pacing)},
    {.name = "pacing_quantum_ms", LAB_MS(0, LONGEST_QUANTUM_MS), MEDIA(sender.pacing_quantum_ns)},
    {.name = "circuit_breaker", LAB_BOOL, MEDIA(sender.circuit_breaker)},
    {.name = "reorder_packets",
     LAB_WHOLE(1, WEIR_REORDER_PACKETS_MAX),
     .initial = WEIR_REORDER_PACKETS_MAX,
     MEDIA(sender.reorder_packets)},
    {.name = "ecn", LAB_CHOICE(codepoints), DRAFT(ecn)},
    {.name = "media_start", LAB_CHOICE(media_starts), DRAFT(media_start)},
    {.name = "repair", .kind = LAB_FIELD_ANY},
    {.name = "resend_ms", LAB_MS(0, 10000), MEDIA(resend_wait_ns)},
    {.name = "fec_wait_ms", LAB_MS(0, 10000), MEDIA(fec_wait_ns)},
    {.name = "fill_probes", LAB_BOOL, .initial = 1, MEDIA(fill_probes)},
    {.name = "playout_prebuffer_s", LIST},
};
const gsize lab_n_flow_fields = G_N_ELEMENTS(lab_flow_fields);

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
    {"tcp-prague", "Prague-like TCP for L4S: falls by half the smoothed share of marked packets",
     LAB_FLOW_TCP, WEIR__TCP_PRAGUE},
    {.name = "udp",
     .description = "No control at all: sends what its source offers",
     .kind = LAB_FLOW_UDP},
};
const gsize lab_n_competitors = G_N_ELEMENTS(lab_competitors);

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

static gboolean refuse_algorithm(const struct lab_place *flow)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (gsize i = 0; i < lab_n_competitors; i++) {
        g_ptr_array_add(names, (gpointer)(guintptr)lab_competitors[i].name);
    }
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        g_ptr_array_add(names, (gpointer)(guintptr)weir_algorithm_name(i));
    }
    g_autofree char *all = lab_join_names(names);
    lab_fail_at(flow, "algorithm", "there is no such algorithm or profile; there are %s", all);
    return FALSE;
}

static gboolean read_algorithm(struct draft *draft, const struct lab_place *place)
{
    struct lab_flow *flow = &draft->flow;
    struct weir_algorithm_info info;
    if (draft->algorithm == NULL) {
        draft->algorithm = flow->media.sender.algorithm;
    }
    const struct lab_competitor *competitor = find_competitor(draft->algorithm);
    if (competitor != NULL) {
        flow->kind = competitor->kind;
        flow->tcp.tcp.tcp.variant = competitor->variant;
        return TRUE;
    }
    if (weir_algorithm_get_info(draft->algorithm, &info) != WEIR_OK) {
        return refuse_algorithm(place);
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

static gboolean read_param(const struct draft *draft, const struct lab_place *place,
                           struct weir_param_value *param)
{
    char why[WHY_BYTES] = "";
    struct weir_param_value value = {.name = place->name,
                                     .value_text = json_string_value(place->node),
                                     .value = json_number_value(place->node)};
    if (json_is_boolean(place->node)) {
        value.value = json_is_true(place->node) ? 1.0 : 0.0;
    } else if (value.value_text == NULL && !json_is_number(place->node)) {
        return lab_fail(place, "must be a number, a text, true or false");
    }
    if (weir_param_check(draft->algorithm, &value, &param->value, why, sizeof why) != WEIR_OK) {
        return lab_fail(place, "%s", why);
    }
    param->name = param_name(draft->algorithm, place->name);
    return TRUE;
}

static gboolean read_params(struct draft *draft, const struct lab_place *flow)
{
    struct lab_place place = lab_at(flow, "params");
    gsize n = json_object_size(place.node);
    const char *name;
    json_t *value;
    if (n > 0 && draft->flow.kind != LAB_FLOW_MEDIA) {
        return lab_fail(&place, "%s has no parameters", draft->algorithm);
    }
    struct weir_param_value *params = g_new0(struct weir_param_value, n + 1);
    draft->flow.params = params;
    draft->flow.media.sender.params = params;
    draft->flow.media.sender.n_params = n;
    json_object_foreach(place.node, name, value)
    {
        struct lab_place inner = lab_at(&place, name);
        if (!read_param(draft, &inner, params++)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean check_tcp(const struct draft *draft, const struct lab_place *flow)
{
    struct lab_place place = lab_at(flow, "tcp");
    const struct weir__tcp_flow_config *tcp = &draft->flow.tcp.tcp;
    return tcp->tcp.rto.min_ns <= tcp->tcp.rto.max_ns ||
           lab_fail_at(&place, "rto_max_ms", "must be at least rto_min_ms");
}

static gboolean find_format(const char *name, const struct lab_place *feedback,
                            struct weir_feedback_info *format)
{
    GString *all = g_string_new(NULL);
    gboolean found = FALSE;
    for (size_t i = 0; !found && weir_feedback_get_info(i, format); i++) {
        found = format->is_written && (name == NULL || strcmp(format->name, name) == 0);
        if (format->is_written) {
            g_string_append_printf(all, "%s%s", all->len > 0 ? ", " : "", format->name);
        }
    }
    found = found || lab_fail_at(feedback, "format", "must be one of %s", all->str);
    g_string_free(all, TRUE);
    return found;
}

/* Receiver reports alone are enough for those that say so. */
static gboolean read_feedback(struct draft *draft, const struct lab_place *flow)
{
    struct lab_place place = lab_at(flow, "feedback");
    struct weir_algorithm_info info;
    struct weir_feedback_info format;
    if (!find_format(draft->format, &place, &format)) {
        return FALSE;
    }
    draft->flow.media.receiver.format = format.format;
    if (draft->flow.kind != LAB_FLOW_MEDIA || format.tells_packets ||
        weir_algorithm_get_info(draft->algorithm, &info) != WEIR_OK) {
        return TRUE;
    }
    gboolean needs = (info.needs & (WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS)) != 0;
    return !needs || (info.needs & WEIR_HAS_REPORT_FORM) != 0 ||
           lab_fail_at(&place, "format", "%s needs feedback on each packet: ccfb or twcc",
                       draft->algorithm);
}

/* Who sets ECT has to hear of marks, and to answer. */
static gboolean read_ecn(struct draft *draft, const struct lab_place *flow)
{
    static const enum weir_ecn values[] = {WEIR_ECN_NOT_ECT, WEIR_ECN_ECT0, WEIR_ECN_ECT1};
    struct weir__media_flow_config *media = &draft->flow.media;
    struct weir_algorithm_info info;
    media->ecn = values[draft->ecn];
    if (media->ecn == WEIR_ECN_NOT_ECT) {
        return TRUE;
    }
    if (draft->flow.kind != LAB_FLOW_MEDIA) {
        return lab_fail_at(flow, "ecn",
                           "is for the library's algorithms; tcp-* have \"ecn\" in \"tcp\"");
    }
    if (media->ecn == WEIR_ECN_ECT1 &&
        (weir_algorithm_get_info(draft->algorithm, &info) != WEIR_OK ||
         (info.needs & WEIR_ANSWERS_L4S) == 0)) {
        return lab_fail_at(flow, "ecn", "%s does not answer marks as L4S requires: must be ect0",
                           draft->algorithm);
    }
    return media->receiver.format == WEIR_FEEDBACK_CCFB ||
           lab_fail_at(flow, "ecn",
                       "needs feedback in the format ccfb, which alone tells of marks");
}

/* What is not said gives way to what is. */
static gboolean read_limits(struct draft *draft, const struct lab_place *flow)
{
    struct weir_limits *limits = &draft->flow.media.sender.limits;
    if (limits->min_bps == 0) {
        limits->min_bps = MIN(1000, limits->max_bps);
        limits->min_bps =
            limits->start_bps > 0 ? MIN(limits->min_bps, limits->start_bps) : limits->min_bps;
    }
    if (limits->start_bps == 0) {
        limits->start_bps = MAX(MIN(DEFAULT_START, limits->max_bps), limits->min_bps);
    }
    return (limits->min_bps <= limits->start_bps && limits->start_bps <= limits->max_bps) ||
           lab_fail_at(flow, "limits", "must be min_bps <= start_bps <= max_bps");
}

static gboolean read_prebuffers(struct draft *draft, const struct lab_place *flow)
{
    const struct lab_field seconds = {LAB_SECONDS(0, 3600)};
    struct lab_place place = lab_at(flow, "playout_prebuffer_s");
    return place.node == NULL || lab_numbers_read(&seconds, &place, &draft->flow.prebuffers_ns,
                                                  &draft->flow.n_prebuffers);
}

/* "auto", or how much in per cent; 0 only follows the frames. */
static gboolean read_repair(struct draft *draft, const struct lab_place *flow)
{
    struct weir__media_flow_config *media = &draft->flow.media;
    struct lab_place place = lab_at(flow, "repair");
    double percent = json_number_value(place.node);
    if (place.node == NULL) {
        return TRUE;
    }
    media->repair_follows = g_strcmp0(json_string_value(place.node), "auto") == 0;
    media->repair_percent = (uint32_t)CLAMP(percent, 0.0, 100.0);
    gboolean is_percent = json_is_number(place.node) && percent == media->repair_percent;
    return media->repair_follows || is_percent ||
           lab_fail(&place, "must be \"auto\", or packets per 100 of media: 0 to 100");
}

/* Frames are followed where something is said of their repair. */
static gboolean check_frames(struct draft *draft, const struct lab_place *flow)
{
    struct weir__media_flow_config *media = &draft->flow.media;
    gboolean has_repair = lab_at(flow, "repair").node != NULL;
    media->follows_frames = has_repair || media->resend_wait_ns > 0;
    gboolean has_frames =
        draft->flow.kind == LAB_FLOW_MEDIA && !media->greedy && !media->media_when_allowed &&
        (media->source.kind == WEIR__SOURCE_FRAMES || media->source.kind == WEIR__SOURCE_ENCODER);
    if (media->fec_wait_ns > 0 && !has_repair) {
        return lab_fail_at(flow, "fec_wait_ms", "needs repair, for which it waits");
    }
    return !media->follows_frames || has_frames ||
           lab_fail_at(flow, has_repair ? "repair" : "resend_ms",
                       "needs an algorithm and a source of frames that starts at once: encoder, "
                       "vbr or video");
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
    media->buffer_policy = (enum weir_queue_policy)draft->policy;
    media->sender.overhead_bytes = (uint32_t)overhead_bytes;
    media->sender.packet_bytes = (uint32_t)(flow->packet_bytes - overhead_bytes);
    flow->weight = (int64_t)(draft->priority * WEIGHT_UNIT + 0.5);
    media->weight = (uint32_t)MAX(flow->weight, 1);
    media->sender.seed = lab_seed_for(seed, "sender", flow->name);
    media->receiver.overhead_bytes = (uint32_t)overhead_bytes;
    media->receiver.seed = lab_seed_for(seed, "receiver", flow->name);
}

static gboolean check_times(const struct draft *draft, const struct lab_place *place)
{
    const struct lab_flow *flow = &draft->flow;
    if (flow->stop_ns <= flow->start_ns) {
        return lab_fail_at(place, "stop_s", "must be later than start_s");
    }
    return (flow->packet_bytes > flow->header_bytes && flow->packet_bytes > RTP_HEADER_BYTES) ||
           lab_fail_at(place, "packet_bytes", "must be more than header_bytes");
}

static gboolean read_parts(struct draft *draft, const struct lab_place *place,
                           const struct lab_flow_world *world)
{
    struct lab_place source = lab_at(place, "source");
    struct lab_flow *flow = &draft->flow;
    if (!check_times(draft, place) || !read_algorithm(draft, place) || !read_params(draft, place) ||
        !check_tcp(draft, place) || !read_feedback(draft, place) || !read_ecn(draft, place) ||
        !read_limits(draft, place) || !read_prebuffers(draft, place)) {
        return FALSE;
    }
    flow->group = flow->group != NULL ? flow->group : flow->name;
    flow->algorithm = draft->label != NULL ? draft->label : draft->algorithm;
    put_common(draft, world->seed);
    if (!lab_source_read(&source, world->seed, flow)) {
        return FALSE;
    }
    if (flow->kind == LAB_FLOW_MEDIA &&
        flow->packet_bytes <= flow->media.sender.overhead_bytes + RTP_HEADERS_BYTES) {
        return lab_fail_at(place, "packet_bytes",
                           "must have room for the headers of RTP, 20 bytes, and payload");
    }
    if (!read_repair(draft, place) || !check_frames(draft, place)) {
        return FALSE;
    }
    flow->media.is_audio = flow->weight > 0 && flow->media.source.kind == WEIR__SOURCE_VOIP;
    return flow->kind != LAB_FLOW_MEDIA || !flow->media.media_when_allowed ||
           flow->media.media_bps > 0 ||
           lab_fail_at(place, "media_start", "a greedy source has no rate to wait for");
}

/* Appends the flow; nothing when `count` is 0. */
gboolean lab_flow_read(const struct lab_place *place, const struct lab_flow_world *world,
                       GPtrArray *flows)
{
    struct draft draft = {.label = NULL};
    weir__tcp_app_config_default(&draft.flow.tcp);
    weir__media_flow_config_default(&draft.flow.media);
    gboolean good =
        lab_fields_read(lab_flow_fields, lab_n_flow_fields, place, &draft) &&
        read_parts(&draft, place, world) &&
        (draft.count == 0 || (lab_route_read(place, world, &draft.access, &draft.flow) &&
                              lab_group_check(place, flows, &draft.flow)));
    struct lab_flow *flow = g_new(struct lab_flow, 1);
    *flow = draft.flow;
    if (good && draft.count > 0) {
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
        g_free(flow->links);
        g_free(flow->back_links);
        g_free(flow->params);
        g_free(flow->steps);
        g_free(flow->frame_bytes);
        g_free(flow->prebuffers_ns);
        g_free(flow);
    }
}
