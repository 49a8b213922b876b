/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A media flow: its configuration, and what it is made of. What it does is in media_flow_send.c and
 * media_flow_receive.c. */
#include "sim/traffic/media_flow.h"
#include "sim/traffic/media_flow_state.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_WIRE_BYTES      65535
#define MAX_DATAGRAMS       65536
#define RECEIVER_SSRC       UINT32_C(0x72656376)
#define RTP_BYTES           12
#define MAX_WEIGHT          1000000
#define MAX_GROUP_BPS       INT64_C(100000000000)
#define RTP_EXTENSION_BYTES 8 /* with the transport-wide number */

/* A greedy TFRC flow of 1500-byte packets: media limits 1 kbit/s to 10 Gbit/s starting at 300
 * kbit/s, paced, without circuit breaker; feedback as the receiving session's defaults. */
void weir__media_flow_config_default(struct weir__media_flow_config *config)
{
    *config = (struct weir__media_flow_config){
        .greedy = true,
        .fill_probes = true,
        .packet_bytes = 1500,
        .header_bytes = 40,
        .buffer_policy = WEIR_QUEUE_DROP_NEWEST,
        .buffer_packets = 4096,
        .buffer_time_ns = WEIR_NEVER_NS,
        .weight = 1,
        .stop_ns = WEIR_NEVER_NS,
    };
    weir_sender_config_init(&config->sender);
    weir_receiver_config_init(&config->receiver);
    config->sender.limits = (struct weir_limits){
        .min_bps = WEIR_KBPS(1), .max_bps = WEIR_MBPS(10000), .start_bps = WEIR_KBPS(300)};
    config->sender.circuit_breaker = false;
    weir__source_config_default(&config->source, WEIR__SOURCE_CBR);
}

/* Where a sentence about what is wrong goes. */
struct complaint {
    char *error; /* may be NULL */
    size_t error_size;
};

static enum weir_status complain(const struct complaint *to, enum weir_status status,
                                 const char *format, ...)
{
    if (to->error && to->error_size > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(to->error, to->error_size, format, arguments);
        va_end(arguments);
    }
    return status;
}

static bool has_transport_seq(const struct weir__media_flow_config *c)
{
    struct weir_feedback_info info;
    for (size_t i = 0; weir_feedback_get_info(i, &info); i++) {
        if (info.format == c->receiver.format) {
            return info.transport_wide;
        }
    }
    return false;
}

static int64_t rtp_header_bytes(const struct weir__media_flow_config *c)
{
    return has_transport_seq(c) ? RTP_BYTES + RTP_EXTENSION_BYTES : RTP_BYTES;
}

static enum weir_status check_sizes(const struct weir__media_flow_config *c,
                                    const struct complaint *to)
{
    int64_t headers = rtp_header_bytes(c) + c->sender.overhead_bytes;
    if (c->packet_bytes <= headers || c->packet_bytes > MAX_WIRE_BYTES) {
        return complain(to, WEIR_ERROR_RANGE,
                        "packet_bytes is %lld: must be %lld (IP, UDP and RTP headers, and a byte) "
                        "to %d",
                        (long long)c->packet_bytes, (long long)headers + 1, MAX_WIRE_BYTES);
    }
    if (c->header_bytes < 0 || c->header_bytes >= c->packet_bytes) {
        return complain(to, WEIR_ERROR_RANGE,
                        "header_bytes is %lld: must be 0 or more, and less than packet_bytes "
                        "(%lld)",
                        (long long)c->header_bytes, (long long)c->packet_bytes);
    }
    if (c->buffer_packets < 1 || c->buffer_packets > 65536 || c->buffer_time_ns < 1) {
        return complain(to, WEIR_ERROR_RANGE,
                        "the transmit buffer must hold 1 to 65536 packets, for more than 0 ns");
    }
    return WEIR_OK;
}

static enum weir_status check_ecn(const struct weir__media_flow_config *c,
                                  const struct complaint *to)
{
    bool valid =
        c->ecn == WEIR_ECN_NOT_ECT || ((c->ecn == WEIR_ECN_ECT0 || c->ecn == WEIR_ECN_ECT1) &&
                                       c->receiver.format == WEIR_FEEDBACK_CCFB);
    return valid ? WEIR_OK
                 : complain(to, WEIR_ERROR_RANGE,
                            "ecn must be not-ECT, or ECT(0) or ECT(1) with feedback as CCFB");
}

static enum weir_status check_weight(const struct weir__media_flow_config *c,
                                     const struct complaint *to)
{
    return c->weight >= 1 && c->weight <= MAX_WEIGHT
               ? WEIR_OK
               : complain(to, WEIR_ERROR_RANGE, "weight is %lu: must be 1 to %d",
                          (unsigned long)c->weight, MAX_WEIGHT);
}

static enum weir_status check_times(const struct weir__media_flow_config *c,
                                    const struct complaint *to)
{
    if (c->start_ns < 0 || c->stop_ns < c->start_ns) {
        return complain(to, WEIR_ERROR_RANGE, "start_ns must be 0 or more, and not after stop_ns");
    }
    if (c->rtt_with_media && c->receiver.interval_ns != 0) {
        return complain(to, WEIR_ERROR_RANGE,
                        "interval_ns is %lld: must be 0 with rtt_with_media, which sets it",
                        (long long)c->receiver.interval_ns);
    }
    if (c->media_when_allowed && (c->media_bps < 1 || c->media_bps > WEIR_MBPS(100000))) {
        return complain(to, WEIR_ERROR_RANGE,
                        "media_bps is %lld: must be 1 to 10^11, the rate at which the media begins",
                        (long long)c->media_bps);
    }
    return WEIR_OK;
}

/* The first parameter that is wrong gives the sentence. */
static enum weir_status check_algorithm(const struct weir_sender_config *c,
                                        const struct complaint *to)
{
    struct weir_algorithm_info info;
    const char *name = c->algorithm ? c->algorithm : "";
    if (weir_algorithm_get_info(name, &info) != WEIR_OK) {
        return complain(to, WEIR_ERROR_UNKNOWN_ALGORITHM, "there is no algorithm \"%s\"", name);
    }
    for (size_t i = 0; i < c->n_params; i++) {
        enum weir_status status =
            weir_param_check(name, &c->params[i], NULL, to->error, to->error_size);
        if (status != WEIR_OK) {
            return status;
        }
    }
    return WEIR_OK;
}

/* What a group asks of a flow. */
static enum weir_status check_group(const struct weir__media_flow_config *c,
                                    const struct complaint *to)
{
    const struct weir__media_session *session = c->group->session;
    const struct weir__media_flow_config *first = &session->flows[0]->config;
    int64_t min_bps = c->sender.limits.min_bps;
    for (uint32_t i = 0; i < session->n_flows; i++) {
        min_bps += session->flows[i]->config.sender.limits.min_bps;
    }
    if (c->greedy || c->media_when_allowed || first->greedy || first->media_when_allowed) {
        return complain(to, WEIR_ERROR_ARGUMENT,
                        "a flow of a group must have a source that is not greedy, and start it at "
                        "once: nobody else would get a turn");
    }
    if (c->start_ns < first->start_ns) {
        return complain(to, WEIR_ERROR_RANGE,
                        "start_ns must not be before that of the flow that begins its group");
    }
    if (session->n_flows == WEIR_MEMBERS) {
        return complain(to, WEIR_ERROR_RANGE, "a group has at most %d flows", WEIR_MEMBERS);
    }
    if (min_bps > MAX_GROUP_BPS) {
        return complain(to, WEIR_ERROR_RANGE,
                        "the least rates of its group come to %lld bit/s: must be at most 10^11",
                        (long long)min_bps);
    }
    return WEIR_OK;
}

static enum weir_status check(const struct weir__media_flow_config *config,
                              const struct complaint *to)
{
    enum weir_status status = check_algorithm(&config->sender, to);
    if (status == WEIR_OK) {
        status = check_sizes(config, to);
    }
    if (status == WEIR_OK) {
        status = check_times(config, to);
    }
    if (status == WEIR_OK) {
        status = check_ecn(config, to);
    }
    if (status == WEIR_OK) {
        status = check_weight(config, to);
    }
    if (status == WEIR_OK && config->group) {
        status = check_group(config, to);
    }
    return status;
}

/* What follows from other settings. */
static void complete(struct weir__media_flow_config *c)
{
    c->sender.packet_bytes = (uint32_t)(c->packet_bytes - c->sender.overhead_bytes);
    c->receiver.overhead_bytes = c->sender.overhead_bytes;
    c->receiver.per_packet = c->feedback_per_packet;
    c->receiver.clock_rate_hz = WEIR__MEDIA_CLOCK_HZ;
    c->receiver.transport_seq_id = has_transport_seq(c) ? WEIR__MEDIA_TRANSPORT_ID : 0;
}

/* A session of its own. */
static enum weir_status create_session(struct weir__media_flow *flow, const struct complaint *to)
{
    const struct weir__media_flow_config *c = &flow->config;
    struct weir__media_session *session = calloc(1, sizeof *session);
    enum weir_status status;
    if (!session) {
        return complain(to, WEIR_ERROR_NO_MEMORY, "no memory for a media flow");
    }
    flow->session = session;
    session->sim = flow->sim;
    session->sender = weir_sender_create(&c->sender, c->start_ns, &status);
    if (!session->sender) {
        return complain(to, status, "sending session (limits, sizes): %s",
                        weir_status_text(status));
    }
    struct weir_member member;
    weir_sender_get_member(session->sender, 0, &member);
    member.weight = c->weight;
    weir_sender_set_member(session->sender, c->start_ns, 0, &member);
    weir_sender_set_ecn(session->sender, c->start_ns, c->ecn);
    flow->joined = true;
    return WEIR_OK;
}

static enum weir_status create_sessions(struct weir__media_flow *flow, const struct complaint *to)
{
    struct weir__media_flow_config *c = &flow->config;
    flow->session = c->group ? c->group->session : NULL;
    enum weir_status status = flow->session ? WEIR_OK : create_session(flow, to);
    if (status != WEIR_OK) {
        return status;
    }
    flow->ssrc = WEIR__MEDIA_SSRC + flow->session->n_flows;
    c->receiver.local_ssrc = RECEIVER_SSRC + flow->session->n_flows;
    flow->receiver = weir_receiver_create(&c->receiver, c->start_ns, &status);
    if (!flow->receiver) {
        return complain(to, status, "receiving session (feedback): %s", weir_status_text(status));
    }
    struct weir_output output;
    weir_sender_get_output(flow->session->sender, &output);
    bool fills = c->greedy || c->media_when_allowed;
    if (fills && !c->sender.pacing && output.window_bytes == INT64_MAX) {
        return complain(to, WEIR_ERROR_ARGUMENT,
                        "%s has no window: it must be paced, or it would send without end",
                        c->sender.algorithm);
    }
    return WEIR_OK;
}

static enum weir_status create_buffer(struct weir__media_flow *flow)
{
    if (flow->config.greedy) {
        return WEIR_OK;
    }
    struct weir_queue_config queue;
    enum weir_status status;
    weir_queue_config_init(&queue);
    queue.policy = flow->config.buffer_policy;
    queue.max_time_ns = flow->config.buffer_time_ns;
    queue.max_packets = (uint32_t)flow->config.buffer_packets;
    queue.on_drop = weir__media_flow_on_discard;
    queue.user = flow;
    flow->queue = weir_queue_create(&queue, &status);
    return status;
}

static enum weir_status create_source(struct weir__media_flow *flow, const struct complaint *to)
{
    enum weir_status status = WEIR_OK;
    if (!flow->config.greedy) {
        status = weir__source_check(&flow->config.source);
    }
    if (status == WEIR_OK && !flow->fills) {
        status = weir__media_flow_add_source(flow, flow->config.start_ns);
    }
    return status == WEIR_OK ? status
                             : complain(to, status, "source: %s", weir_status_text(status));
}

static enum weir_status create_meter(struct weir__media_flow *flow)
{
    flow->meter.completed_ns = WEIR_NEVER_NS;
    flow->meter.counted_from_ns = flow->awaits_media ? WEIR_NEVER_NS : flow->config.start_ns;
    if (!flow->config.measure_delay) {
        return WEIR_OK;
    }
    enum weir_status status = weir__histogram_create(&flow->meter.delay);
    if (status == WEIR_OK && !flow->config.greedy) {
        status = weir__histogram_create(&flow->meter.lateness);
    }
    return status;
}

static enum weir_status create_fec(struct weir__media_flow *flow)
{
    const struct weir__media_flow_config *c = &flow->config;
    flow->key_asked_ns = WEIR_UNKNOWN_NS;
    if (!c->follows_frames) {
        return WEIR_OK;
    }
    flow->fec = weir__fec_create(c->repair_percent, c->repair_follows, c->source.interval_ns,
                                 c->resend_wait_ns, c->fec_wait_ns);
    flow->fec_names = calloc(WEIR__MEDIA_SEEN_PACKETS, sizeof *flow->fec_names);
    flow->resend = c->resend_wait_ns > 0 ? weir__resend_create(c->resend_wait_ns) : NULL;
    if (!flow->fec || !flow->fec_names || (c->resend_wait_ns > 0 && !flow->resend)) {
        return WEIR_ERROR_NO_MEMORY;
    }
    flow->meter.frame_delay = &flow->fec->delay;
    flow->meter.shown_delay = &flow->fec->shown_delay;
    return WEIR_OK;
}

static enum weir_status create_bytes(struct weir__media_flow *flow)
{
    const struct weir__media_flow_config *c = &flow->config;
    flow->rtts_ns =
        c->rtt_with_media ? calloc(WEIR__MEDIA_SEEN_PACKETS, sizeof *flow->rtts_ns) : NULL;
    if (c->rtt_with_media && !flow->rtts_ns) {
        return WEIR_ERROR_NO_MEMORY;
    }
    enum weir_status status =
        weir__datagram_pool_init(&flow->datagrams, c->receiver.mtu_bytes, MAX_DATAGRAMS);
    if (status == WEIR_OK) {
        status = weir__seen_init(&flow->seen, WEIR__MEDIA_SEEN_PACKETS);
    }
    return status;
}

static void create_timers(struct weir__media_flow *flow)
{
    struct weir__media_session *session = flow->session;
    if (flow->config.group) {
        weir__timer_init(&flow->join, flow->sim, weir__media_flow_on_join, flow);
    } else {
        weir__timer_init(&session->pace, flow->sim, weir__media_session_on_pace, session);
        weir__deadline_init(&session->control, flow->sim, weir__media_session_on_control, session);
        weir__timer_on_approach(&session->pace, weir__media_session_on_approach);
        weir__deadline_on_approach(&session->control, weir__media_session_on_approach);
    }
    weir__deadline_init(&flow->report, flow->sim, weir__media_flow_on_report, flow);
    weir__deadline_on_approach(&flow->report, weir__media_flow_on_arrival_approach);
}

/* Everything but the connection to the network. */
static enum weir_status create_parts(struct weir__media_flow *flow, const struct complaint *to)
{
    enum weir_status status = create_sessions(flow, to);
    if (status != WEIR_OK) {
        return status;
    }
    if (create_buffer(flow) != WEIR_OK || create_meter(flow) != WEIR_OK ||
        create_bytes(flow) != WEIR_OK || create_fec(flow) != WEIR_OK) {
        return complain(to, WEIR_ERROR_NO_MEMORY, "no memory for a media flow");
    }
    create_timers(flow);
    return create_source(flow, to);
}

static void connect(struct weir__media_flow *flow)
{
    struct weir__network *network = flow->network;
    uint32_t route = flow->config.route;
    uint32_t back = flow->config.feedback_route;
    struct weir__port arrival = {.on_packet = weir__media_flow_on_arrival,
                                 .target = flow,
                                 .on_approach = weir__media_flow_on_arrival_approach};
    struct weir__port feedback = {.on_packet = weir__media_flow_on_feedback,
                                  .target = flow,
                                  .on_approach = weir__media_flow_on_feedback_approach};
    weir__network_set_end(network, route, arrival);
    weir__network_set_end(network, back, feedback);
    weir__network_set_on_drop(network, route, weir__media_flow_on_drop, flow);
    weir__network_set_on_drop(network, back, weir__media_flow_on_drop, flow);
    struct weir__media_session *session = flow->session;
    session->flows[session->n_flows++] = flow;
    session->stop_ns = weir_max_i64(session->stop_ns, flow->config.stop_ns);
    weir__timer_set(flow->joined ? &session->pace : &flow->join, flow->sim,
                    weir__media_flow_due_ns(flow, flow->config.start_ns));
}

static void init(struct weir__media_flow *flow, struct weir__network *network,
                 const struct weir__media_flow_config *config)
{
    flow->network = network;
    flow->sim = weir__network_sim(network);
    flow->pool = weir__network_pool(network);
    flow->entrance = weir__network_port(network);
    flow->datagram = weir__network_datagram(network);
    flow->config = *config;
    complete(&flow->config);
    flow->config.start_ns = weir_max_i64(config->start_ns, flow->sim->now_ns);
    flow->least_wire_bytes = rtp_header_bytes(config) + config->sender.overhead_bytes;
    flow->awaits_media = config->media_when_allowed;
    flow->fills = config->greedy || config->media_when_allowed;
}

/* A flow that starts by itself at start_ns. Of the session's configurations, packet_bytes,
 * overhead_bytes of the receiver, its SSRC, clock rate and extension id are set here. Parameters,
 * schedule steps and frame sizes of the configuration must outlive the flow; the network must live
 * as long and not run after the flow is gone. WEIR_ERROR_RANGE, _ARGUMENT, _UNKNOWN_ALGORITHM,
 * _UNKNOWN_PARAM: the configuration; _NO_MEMORY. */
enum weir_status weir__media_flow_create(struct weir__media_flow **flow,
                                         struct weir__network *network,
                                         const struct weir__media_flow_config *config, char *error,
                                         size_t error_size)
{
    struct complaint to = {.error = error, .error_size = error_size};
    enum weir_status status = check(config, &to);
    if (status != WEIR_OK) {
        return status;
    }
    struct weir__media_flow *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        return complain(&to, WEIR_ERROR_NO_MEMORY, "no memory for a media flow");
    }
    init(fresh, network, config);
    status = create_parts(fresh, &to);
    if (status != WEIR_OK) {
        weir__media_flow_destroy(fresh);
        return status;
    }
    connect(fresh);
    *flow = fresh;
    return WEIR_OK;
}

/* The last flow takes the session with it. */
static void leave_session(struct weir__media_flow *flow)
{
    struct weir__media_session *session = flow->session;
    for (uint32_t i = 0; session && i < session->n_flows; i++) {
        if (session->flows[i] == flow) {
            session->flows[i] = session->flows[--session->n_flows];
        }
    }
    if (session && session->n_flows == 0) {
        weir_sender_destroy(session->sender);
        free(session);
    }
}

/* The network must not run afterwards. Accepts NULL. */
void weir__media_flow_destroy(struct weir__media_flow *flow)
{
    if (!flow) {
        return;
    }
    leave_session(flow);
    weir_receiver_destroy(flow->receiver);
    weir_queue_destroy(flow->queue);
    weir__source_destroy(flow->source);
    weir__datagram_pool_finish(&flow->datagrams);
    weir__seen_finish(&flow->seen);
    weir__fec_destroy(flow->fec);
    weir__resend_destroy(flow->resend);
    free(flow->fec_names);
    weir__histogram_destroy(flow->meter.delay);
    weir__histogram_destroy(flow->meter.lateness);
    free(flow->rtts_ns);
    free(flow);
}

/* Counters since the start. */
const struct weir__flow_meter *weir__media_flow_meter(const struct weir__media_flow *flow)
{
    return &flow->meter;
}

/* Of now. Before the flow starts and after it has stopped, nothing is allowed. In a group its share
 * is what is allowed. */
void weir__media_flow_get_state(const struct weir__media_flow *flow, struct weir__flow_state *state)
{
    const struct weir__media_session *session = flow->session;
    struct weir_share share = {.target_media_bps = 0};
    struct weir_output output;
    weir_sender_get_output(session->sender, &output);
    bool live = flow->sim->now_ns >= flow->config.start_ns && weir__media_flow_is_live(flow) &&
                weir_sender_get_share(session->sender, flow->member, &share) == WEIR_OK;
    bool has_window = live && output.window_bytes != INT64_MAX;
    int64_t allowed_bps = session->n_flows > 1 ? share.wire_bps : output.allowed_wire_bps;
    *state = (struct weir__flow_state){
        .allowed_bps = live ? allowed_bps : 0,
        .target_bps = live ? share.target_media_bps : 0,
        .window_packets =
            has_window ? (double)output.window_bytes / (double)flow->config.packet_bytes : 0.0,
        .rtt_ns = output.rtt_ns,
        .reports_only = (output.state & WEIR_STATE_REPORTS_ONLY) != 0,
    };
}

/* To look at: the session itself, which the flows of a group share. */
struct weir_sender *weir__media_flow_sender(const struct weir__media_flow *flow)
{
    return flow->session->sender;
}
