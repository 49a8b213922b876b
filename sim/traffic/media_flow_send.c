/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sending end of a media flow: source -> transmit buffer -> pacer -> network, and the sending
 * session that is told of all of it. The buffer holds no packets, only what is to be known of them:
 * a simulated packet is taken when it leaves. */
#include "codec/request.h"
#include "session/prefetch.h"
#include "sim/traffic/media_flow_state.h"
#include <string.h>

/* An algorithm whose window and pacing let everything go at once shall not stop the clock. */
#define MOST_AT_ONCE   10000 /* packets */
#define NOT_AT_ONCE_NS WEIR_MS(1)
/* Nor shall a session that asks for the same moment again and again. */
#define NOT_AGAIN_NS WEIR_US(1)
/* A flow of a group that has sent nothing, and so has nothing to report, is asked again after: */
#define NO_REPORT_NS WEIR_MS(500)
/* Between requests for key frames. */
#define KEY_FRAME_NS WEIR_MS(500)
/* Packets that one request asks for. */
#define MOST_ASKED 256
/* Variables of an algorithm. */
#define MOST_VARIABLES 32

/* A packet that is ready to leave. */
struct outgoing {
    int64_t wire_bytes;
    uint32_t rtp_bytes;
    uint32_t payload_bytes;
    uint32_t rtp_timestamp;
    uint64_t token;
    uint32_t fec_name; /* 0: none */
    int64_t copy_of;   /* number of the packet of which it is a copy; -1: it is media of its own */
};

/* A packet of this size on the wire. */
static void describe(const struct weir__media_flow *flow, int64_t wire_bytes, uint64_t token,
                     struct outgoing *out)
{
    int64_t rtp_bytes = wire_bytes - flow->config.receiver.overhead_bytes;
    int64_t payload_bytes = weir_max_i64(wire_bytes - flow->config.header_bytes, 0);
    out->wire_bytes = wire_bytes;
    out->rtp_bytes = (uint32_t)rtp_bytes;
    out->payload_bytes = (uint32_t)weir_min_i64(payload_bytes, rtp_bytes);
    out->rtp_timestamp = weir__media_rtp_timestamp((int64_t)(token >> WEIR__MEDIA_TIME_BITS));
    out->token = token;
    out->fec_name = 0;
    out->copy_of = -1;
}

/* A copy is what it is a copy of, as far as that is still known. */
static void describe_copy(const struct weir__media_flow *flow, const struct weir_queue_item *item,
                          struct outgoing *out)
{
    int64_t number = (int64_t)(uintptr_t)item->packet;
    struct weir__resend_packet packet = weir__resend_kept(flow->resend, number);
    describe(flow, item->size_bytes, packet.token | WEIR__MEDIA_COPY, out);
    out->fec_name = packet.fec_name;
    out->copy_of = packet.number;
}

/* The packet that leaves next, false when there is none. Of one that fills, the time of its making
 * is the time it leaves. */
static bool peek(const struct weir__media_flow *flow, struct outgoing *out)
{
    if (flow->fills) {
        uint64_t token = (uint64_t)weir__media_flow_now_ns(flow) << WEIR__MEDIA_TIME_BITS |
                         WEIR__MEDIA_MARKER | (flow->awaits_media ? WEIR__MEDIA_DUMMY : 0);
        describe(flow, flow->config.packet_bytes, token, out);
        return true;
    }
    const struct weir_queue_item *item = flow->queue ? weir_queue_peek(flow->queue) : NULL;
    if (!item) {
        return false;
    }
    if (item->ssrc != flow->ssrc) {
        describe_copy(flow, item, out);
        return true;
    }
    uint64_t token = (uint64_t)item->enqueued_ns << WEIR__MEDIA_TIME_BITS |
                     (item->flags & WEIR_QUEUE_FRAME_END ? WEIR__MEDIA_MARKER : 0) |
                     (item->flags & WEIR_QUEUE_REPAIR ? WEIR__MEDIA_REPAIR : 0);
    describe(flow, item->size_bytes, token, out);
    out->fec_name = (uint32_t)(uintptr_t)item->packet;
    return true;
}

/* Repair for a probe of the sending session, behind the media: full packets, as one that was sent
 * before and leaves again. False when none is asked for, or none may be. */
static bool peek_probe(const struct weir__media_flow *flow, struct outgoing *out)
{
    struct weir_output output;
    weir_sender_get_output(flow->session->sender, &output);
    if (!flow->config.fill_probes || output.probe_wire_bytes <= 0 || flow->next_seq == 0) {
        return false;
    }
    uint64_t token =
        (uint64_t)weir__media_flow_now_ns(flow) << WEIR__MEDIA_TIME_BITS | WEIR__MEDIA_PROBE;
    describe(flow, flow->config.packet_bytes, token | (flow->resend ? WEIR__MEDIA_COPY : 0), out);
    return true;
}

/* What waits behind the pacer, wire bytes. */
static int64_t waiting_bytes(const struct weir__media_flow *flow)
{
    if (flow->fills) {
        return flow->config.packet_bytes;
    }
    struct weir_queue_stats stats = {.queued_bytes = 0};
    if (flow->queue) {
        weir_queue_get_stats(flow->queue, &stats);
    }
    return stats.queued_bytes;
}

/* The packet leaves the transmit buffer. */
static void take(struct weir__media_flow *flow, const struct outgoing *out)
{
    if (out->token & WEIR__MEDIA_PROBE) {
        return;
    }
    if (!flow->fills) {
        struct weir_queue_item item;
        weir_queue_pop(flow->queue, &item);
    } else if (!flow->awaits_media) {
        flow->meter.generated_packets++;
        flow->meter.generated_bytes += out->wire_bytes - flow->config.header_bytes;
    }
}

static void tell_sender(struct weir__media_flow *flow, const struct outgoing *out, int64_t seq)
{
    const struct weir_sent sent = {
        .ssrc = weir__media_rtp_ssrc(flow, out->token),
        .rtp_timestamp = out->rtp_timestamp,
        .rtp_seq = weir__media_rtp_seq(flow, seq),
        .transport_seq = (uint16_t)(uint64_t)seq,
        .has_transport_seq = flow->config.receiver.transport_seq_id != 0,
        .ecn = (uint8_t)weir_sender_get_ecn(flow->session->sender),
        .rtp_bytes = out->rtp_bytes,
        .payload_bytes = out->payload_bytes,
        .queued_bytes = waiting_bytes(flow),
        .flags = (out->token & WEIR__MEDIA_PROBE ? (uint32_t)WEIR_SENT_PROBE : 0) |
                 (out->token & (WEIR__MEDIA_REPAIR | WEIR__MEDIA_COPY) ? (uint32_t)WEIR_SENT_REPAIR
                                                                       : 0) |
                 (flow->config.is_audio ? (uint32_t)WEIR_SENT_AUDIO : 0),
        .member = flow->member,
    };
    weir_sender_on_sent(flow->session->sender, weir__media_flow_now_ns(flow), &sent);
}

/* What is to be known of a packet that leaves, when it arrives or is asked for. */
static void remember(struct weir__media_flow *flow, const struct outgoing *out, int64_t seq)
{
    if (flow->rtts_ns) {
        flow->rtts_ns[seq % WEIR__MEDIA_SEEN_PACKETS] = flow->rtt_ns;
    }
    if (flow->fec) {
        flow->fec_names[seq % WEIR__MEDIA_SEEN_PACKETS] = out->fec_name;
    }
    if (flow->resend && out->token & WEIR__MEDIA_COPY) {
        weir__resend_on_copy(flow->resend, seq, out->copy_of);
    } else if (flow->resend) {
        const struct weir__resend_packet packet = {.sent_ns = weir__media_flow_now_ns(flow),
                                                   .wire_bytes = out->wire_bytes,
                                                   .token = out->token,
                                                   .fec_name = out->fec_name};
        weir__resend_on_sent(flow->resend, seq, &packet);
    }
}

/* False when there is no memory for the packet. */
static bool send_packet(struct weir__media_flow *flow, const struct outgoing *out)
{
    struct weir__packet *packet = weir__packet_take(flow->pool);
    if (!packet) {
        return false;
    }
    packet->seq = flow->next_seq++;
    packet->sent_ns = weir__media_flow_now_ns(flow);
    packet->size_bytes = (int32_t)out->wire_bytes;
    packet->flow = flow->config.route;
    packet->token = out->token;
    packet->ecn = (uint8_t)weir_sender_get_ecn(flow->session->sender);
    remember(flow, out, packet->seq);
    take(flow, out);
    flow->meter.sent_packets++;
    flow->meter.sent_bytes += out->wire_bytes;
    tell_sender(flow, out, packet->seq);
    weir__port_send(&flow->entrance, packet);
    return true;
}

/* A time of the sending session: never from the stop of its last flow on. */
static int64_t session_due_ns(const struct weir__media_session *session, int64_t at_ns)
{
    return at_ns < session->stop_ns ? at_ns : WEIR_NEVER_NS;
}

static void set_pace(struct weir__media_session *session, int64_t at_ns)
{
    int64_t due_ns = session_due_ns(session, at_ns);
    if (due_ns != session->pace.time_ns) {
        weir__timer_set(&session->pace, session->sim, due_ns);
    }
}

static bool is_active(const struct weir__media_flow *flow)
{
    return flow->joined && weir__media_flow_is_live(flow);
}

/* Of a group audio first, and of the rest what waits longest. */
static bool is_before(const struct weir__media_flow *flow, uint64_t token,
                      const struct weir__media_flow *other, uint64_t other_token)
{
    if (flow->config.is_audio != other->config.is_audio) {
        return flow->config.is_audio;
    }
    return token >> WEIR__MEDIA_TIME_BITS < other_token >> WEIR__MEDIA_TIME_BITS;
}

/* The flow whose packet leaves next, media or else what a probe asks for; NULL: none. */
static struct weir__media_flow *peek_next(const struct weir__media_session *session,
                                          struct outgoing *out)
{
    struct weir__media_flow *next = NULL;
    struct outgoing head;
    for (uint32_t i = 0; i < session->n_flows; i++) {
        struct weir__media_flow *flow = session->flows[i];
        if (is_active(flow) && peek(flow, &head) &&
            (!next || is_before(flow, head.token, next, out->token))) {
            next = flow;
            *out = head;
        }
    }
    for (uint32_t i = 0; i < session->n_flows && !next; i++) {
        struct weir__media_flow *flow = session->flows[i];
        next = is_active(flow) && peek_probe(flow, out) ? flow : NULL;
    }
    return next;
}

static int64_t next_send_ns(const struct weir__media_flow *flow, uint32_t rtp_bytes)
{
    const struct weir_sender *sender = flow->session->sender;
    int64_t now_ns = weir__media_flow_now_ns(flow);
    return flow->config.is_audio ? weir_sender_next_audio_ns(sender, now_ns, rtp_bytes)
                                 : weir_sender_next_send_ns(sender, now_ns, rtp_bytes);
}

/* Everything that may leave now leaves; the pacer says when to ask again. */
static void send_due(struct weir__media_session *session)
{
    int64_t now_ns = session->sim->now_ns;
    int64_t next_ns = WEIR_NEVER_NS;
    struct outgoing out;
    struct weir__media_flow *flow;
    for (int n = 0; (flow = peek_next(session, &out)) != NULL; n++) {
        next_ns = n < MOST_AT_ONCE ? next_send_ns(flow, out.rtp_bytes) : now_ns + NOT_AT_ONCE_NS;
        if (next_ns > now_ns || !send_packet(flow, &out)) {
            break;
        }
        next_ns = WEIR_NEVER_NS;
    }
    set_pace(session, next_ns);
}

static void on_unit(void *target, const struct weir__unit *unit);
static bool skips_frame(void *target);

/* Gives the flow its source: it starts at start_ns, or at its own time if that is later. */
enum weir_status weir__media_flow_add_source(struct weir__media_flow *flow, int64_t start_ns)
{
    struct weir__source_config source = flow->config.source;
    source.start_ns = weir_max_i64(source.start_ns, start_ns);
    source.stop_ns = weir_min_i64(source.stop_ns, flow->config.stop_ns);
    source.on_unit = on_unit;
    source.skips_frame = skips_frame;
    source.target = flow;
    return weir__source_create(&flow->source, flow->sim, &source);
}

/* The dummy packets have proved the source's rate: it begins. Without memory for it, a little
 * later.
 */
static void begin_media(struct weir__media_flow *flow)
{
    int64_t now_ns = weir__media_flow_now_ns(flow);
    if (flow->config.greedy || weir__media_flow_add_source(flow, now_ns) == WEIR_OK) {
        flow->awaits_media = false;
        flow->fills = flow->config.greedy;
        flow->meter.counted_from_ns = now_ns;
    }
}

static void follow_output(struct weir__media_flow *flow)
{
    const struct weir_sender *sender = flow->session->sender;
    struct weir_output output;
    struct weir_share share;
    weir_sender_get_output(sender, &output);
    if (flow->awaits_media && output.allowed_wire_bps >= flow->config.media_bps) {
        begin_media(flow);
    }
    if (flow->source && weir_sender_get_share(sender, flow->member, &share) == WEIR_OK &&
        share.target_media_bps != flow->target_bps) {
        flow->target_bps = share.target_media_bps;
        weir__source_set_target(flow->source, share.target_media_bps);
    }
}

/* When our next sender report is due: when the session wants it, but no sooner than asked for. */
static int64_t next_report_ns(const struct weir__media_flow *flow)
{
    return weir_max_i64(weir_sender_next_report_ns(flow->session->sender), flow->report_rests_ns);
}

/* A flow that has stopped leaves its share to the others; the last one stays. */
static void leave_if_stopped(struct weir__media_flow *flow)
{
    if (flow->joined && !weir__media_flow_is_live(flow) && flow->session->n_flows > 1) {
        flow->joined =
            weir_sender_remove_member(flow->session->sender, weir__media_flow_now_ns(flow),
                                      flow->member) != WEIR_OK;
    }
}

/* After whatever may have changed the sending session's answers. */
static void settle(struct weir__media_session *session)
{
    if (session->sim->now_ns >= session->stop_ns) {
        return;
    }
    for (uint32_t i = 0; i < session->n_flows; i++) {
        leave_if_stopped(session->flows[i]);
    }
    for (uint32_t i = 0; i < session->n_flows; i++) {
        if (is_active(session->flows[i])) {
            follow_output(session->flows[i]);
        }
    }
    send_due(session);
    int64_t due_ns = weir_sender_next_timer_ns(session->sender);
    for (uint32_t i = 0; i < session->n_flows; i++) {
        if (is_active(session->flows[i])) {
            due_ns = weir_min_i64(due_ns, next_report_ns(session->flows[i]));
        }
    }
    weir__deadline_set(&session->control, session_due_ns(session, due_ns));
}

/* A packet will leave soon. */
void weir__media_session_on_approach(void *target)
{
    const struct weir__media_session *session = target;
    const struct weir__media_flow *flow = session->flows[0];
    weir__prefetch_between(&flow->config.receiver, &flow->receiver);
    weir__prefetch_between(&flow->meter, &flow->meter.received_packets);
    weir__sender_prefetch(session->sender);
}

/* The pacer lets the next packet out, or the first flow starts. */
void weir__media_session_on_pace(void *target)
{
    settle(target);
}

/* Another flow of a group starts: with its first unit, or before that. It was checked that the
 * group has room for it. */
static void join(struct weir__media_flow *flow)
{
    const struct weir_member member = {.limits = flow->config.sender.limits,
                                       .weight = flow->config.weight,
                                       .overhead_bytes = flow->config.sender.overhead_bytes};
    if (!flow->joined) {
        flow->joined = weir_sender_add_member(flow->session->sender, weir__media_flow_now_ns(flow),
                                              &member, &flow->member) == WEIR_OK;
    }
}

void weir__media_flow_on_join(void *target)
{
    struct weir__media_flow *flow = target;
    join(flow);
    settle(flow->session);
}

/* The RTCP at hand, of `size` bytes, onto a route; returns its wire bytes, 0 when there was no room
 * for it. */
int64_t weir__media_flow_send_rtcp(struct weir__media_flow *flow, uint32_t route, size_t size)
{
    uint64_t token;
    if (!weir__datagram_pool_add(&flow->datagrams, flow->datagram, size, &token)) {
        return 0;
    }
    struct weir__packet *packet = weir__packet_take(flow->pool);
    if (!packet) {
        weir__datagram_pool_give(&flow->datagrams, token);
        return 0;
    }
    packet->seq = WEIR__MEDIA_RTCP_SEQ;
    packet->sent_ns = weir__media_flow_now_ns(flow);
    packet->size_bytes = (int32_t)(size + flow->config.receiver.overhead_bytes);
    packet->flow = route;
    packet->token = token;
    int64_t wire_bytes = packet->size_bytes;
    weir__port_send(&flow->entrance, packet);
    return wire_bytes;
}

static void send_report(struct weir__media_flow *flow)
{
    int64_t now_ns = weir__media_flow_now_ns(flow);
    size_t size = 0;
    enum weir_status status = weir_sender_build_report(flow->session->sender, now_ns, flow->member,
                                                       weir__media_flow_ntp(flow), flow->datagram,
                                                       flow->config.receiver.mtu_bytes, &size);
    bool built = status == WEIR_OK && size > 0;
    flow->report_rests_ns = now_ns + (built ? flow->config.sender_report_ns : NO_REPORT_NS);
    if (built) {
        weir__media_flow_send_rtcp(flow, flow->config.route, size);
    }
}

/* When one is due, it is for each flow that does not rest. */
static void send_reports(struct weir__media_session *session)
{
    int64_t now_ns = session->sim->now_ns;
    if (weir_sender_next_report_ns(session->sender) > now_ns) {
        return;
    }
    for (uint32_t i = 0; i < session->n_flows; i++) {
        struct weir__media_flow *flow = session->flows[i];
        if (is_active(flow) && flow->report_rests_ns <= now_ns) {
            send_report(flow);
        }
    }
}

/* A timer of the sending session, or its report, is due. */
void weir__media_session_on_control(void *target)
{
    struct weir__media_session *session = target;
    int64_t now_ns = session->sim->now_ns;
    if (weir_sender_next_timer_ns(session->sender) <= now_ns) {
        weir_sender_on_timer(session->sender, now_ns);
    }
    send_reports(session);
    settle(session);
    if (session->control.due_ns <= now_ns) {
        weir__deadline_set(&session->control, now_ns + NOT_AGAIN_NS);
    }
}

/* The sender's estimate: the algorithm's own mean, of the session's samples if it has none. */
static int64_t sender_rtt_ns(const struct weir_sender *sender)
{
    struct weir_variable variables[MOST_VARIABLES];
    struct weir_output output;
    size_t n = weir_sender_get_variables(sender, variables, MOST_VARIABLES);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(variables[i].name, "rtt_ns") == 0) {
            return (int64_t)variables[i].value;
        }
    }
    weir_sender_get_output(sender, &output);
    return weir_max_i64(output.rtt_ns, 0);
}

/* Not too often, as weirsend. */
static void ask_key_frame(struct weir__media_flow *flow)
{
    int64_t now_ns = weir__media_flow_now_ns(flow);
    if (flow->key_asked_ns == WEIR_UNKNOWN_NS || now_ns - flow->key_asked_ns >= KEY_FRAME_NS) {
        flow->key_asked_ns = now_ns;
        weir__source_ask_key_frame(flow->source);
    }
}

/* The rate at which the transmit buffer empties. Audio leaves first, so all of the rate is there
 * for it. */
static int64_t drain_bps(const struct weir__media_flow *flow)
{
    struct weir_output output;
    struct weir_share share;
    weir_sender_get_output(flow->session->sender, &output);
    bool is_shared = !flow->config.is_audio &&
                     weir_sender_get_share(flow->session->sender, flow->member, &share) == WEIR_OK;
    return weir_max_i64(is_shared ? share.drain_wire_bps : output.pacing_wire_bps, 1);
}

/* Into the transmit buffer, with media_bytes of new media. */
static void push(struct weir__media_flow *flow, const struct weir_queue_item *item,
                 int64_t media_bytes, int64_t drain_bps)
{
    if (flow->session->n_flows > 1 || flow->config.source.kind == WEIR__SOURCE_ENCODER) {
        weir_sender_on_media(flow->session->sender, item->enqueued_ns, flow->member,
                             (uint32_t)media_bytes, item->size_bytes);
    }
    flow->meter.generated_packets++;
    flow->meter.generated_bytes += media_bytes;
    bool need_key_frame = false;
    weir_queue_push(flow->queue, item, drain_bps, &need_key_frame);
    if (need_key_frame) {
        ask_key_frame(flow);
    }
}

/* A packet leaves once more, before media that waits. */
static void push_copy(struct weir__media_flow *flow, const struct weir__resend_packet *packet)
{
    int64_t wire_bytes =
        weir_min_i64(packet->wire_bytes + WEIR__RESEND_BYTES, flow->config.packet_bytes);
    const struct weir_queue_item item = {
        .packet = (void *)(uintptr_t)packet->number,
        .enqueued_ns = weir__media_flow_now_ns(flow),
        .size_bytes = (uint32_t)wire_bytes,
        .ssrc = flow->ssrc + WEIR__MEDIA_COPY_SSRC,
        .rtp_timestamp =
            weir__media_rtp_timestamp((int64_t)(packet->token >> WEIR__MEDIA_TIME_BITS)),
        .flags = WEIR_QUEUE_REPAIR |
                 (packet->token & WEIR__MEDIA_MARKER ? (uint32_t)WEIR_QUEUE_FRAME_END : 0),
    };
    flow->meter.resent_packets++;
    push(flow, &item, 0, drain_bps(flow));
}

/* What the receiver asks for and is still kept. */
static void send_again(struct weir__media_flow *flow, const uint8_t *rtcp, size_t size)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    uint16_t asked[MOST_ASKED];
    weir__rtcp_walk_init(&walk, rtcp, size);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        size_t n = 0;
        bool is_nack = weir__nack_parse(&packet, asked, MOST_ASKED, &n) == WEIR_OK;
        for (size_t i = 0; is_nack && i < n && i < MOST_ASKED; i++) {
            struct weir__resend_packet kept =
                weir__resend_requested(flow->resend, weir__media_flow_now_ns(flow), asked[i]);
            if (kept.number >= 0) {
                push_copy(flow, &kept);
            }
        }
    }
}

/* RTCP will come soon. */
void weir__media_flow_on_feedback_approach(void *target)
{
    const struct weir__media_flow *flow = target;
    weir__prefetch_between(&flow->config.receiver, &flow->receiver);
    weir__prefetch(&flow->datagrams, sizeof flow->datagrams);
    weir__sender_prefetch_feedback(flow->session->sender);
}

/* RTCP of the receiver arrives; from stop_ns on it is not read any more. */
void weir__media_flow_on_feedback(void *target, struct weir__packet *packet)
{
    struct weir__media_flow *flow = target;
    uint64_t token = packet->token;
    bool corrupt = packet->corrupt;
    int64_t sent_ns = packet->sent_ns;
    weir__packet_give(flow->pool, packet);
    size_t size = 0;
    const uint8_t *data = weir__datagram_pool_get(&flow->datagrams, token, &size);
    if (data && !corrupt && is_active(flow)) {
        weir_sender_on_rtcp(flow->session->sender, weir__media_flow_now_ns(flow), flow->member,
                            data, size);
        if (flow->resend) {
            send_again(flow, data, size);
        }
        if (flow->fec && sent_ns >= flow->fec->gives_up_ns) {
            ask_key_frame(flow); /* the report has a PLI */
        }
        flow->rtt_ns = flow->rtts_ns ? sender_rtt_ns(flow->session->sender) : 0;
    }
    weir__datagram_pool_give(&flow->datagrams, token);
    settle(flow->session);
}

/* One packet of a unit, or of its repair. */
static void push_packet(struct weir__media_flow *flow, int64_t payload_bytes, uint32_t flags,
                        uint32_t fec_name, int64_t drain_bps)
{
    int64_t now_ns = weir__media_flow_now_ns(flow);
    int64_t wire_bytes =
        weir_max_i64(payload_bytes + flow->config.header_bytes, flow->least_wire_bytes);
    int64_t media_bytes = flags & WEIR_QUEUE_REPAIR ? 0 : payload_bytes;
    const struct weir_queue_item item = {
        .packet = (void *)(uintptr_t)fec_name,
        .enqueued_ns = now_ns,
        .size_bytes = (uint32_t)wire_bytes,
        .ssrc = flow->ssrc,
        .rtp_timestamp = weir__media_rtp_timestamp(now_ns),
        .flags = flags,
    };
    push(flow, &item, media_bytes, drain_bps);
}

/* As weirsend, of a live encoder. */
static bool skips_frame(void *target)
{
    const struct weir__media_flow *flow = target;
    return weir_queue_skips_frame(flow->queue, drain_bps(flow));
}

/* What repairs the frame that has just been made, as long as its longest packet and a header. */
static void push_repair(struct weir__media_flow *flow, int64_t longest_bytes, int64_t drain_bps)
{
    int64_t room_bytes = flow->config.packet_bytes - flow->config.header_bytes;
    int64_t bytes = weir_min_i64(longest_bytes + WEIR__FEC_HEADER_BYTES, room_bytes);
    uint32_t name;
    while ((name = weir__fec_next_repair(flow->fec)) != 0) {
        push_packet(flow, bytes, WEIR_QUEUE_REPAIR, name, drain_bps);
    }
    flow->meter.frames = flow->fec->frames;
    flow->meter.repair_packets = flow->fec->repair_packets;
}

/* Once a second. */
static void follow_losses(struct weir__media_flow *flow)
{
    int64_t now_ns = weir__media_flow_now_ns(flow);
    if (!flow->fec || !weir__fec_is_due(flow->fec, now_ns)) {
        return;
    }
    struct weir_sender_stats stats;
    weir_sender_get_stats(flow->session->sender, &stats);
    const struct weir_repair_view view = {.loss_ppm = stats.loss_ppm,
                                          .burst_milli = stats.loss_burst_milli,
                                          .rtt_ns = stats.rtt_ns,
                                          .target_media_bps = flow->target_bps,
                                          .min_media_bps = flow->config.sender.limits.min_bps};
    weir__fec_look(flow->fec, now_ns, &view);
}

/* The name of a packet of the frame that is being made; 0 where frames are not followed. */
static uint32_t next_name(const struct weir__media_flow *flow, bool ends_frame, bool is_key)
{
    int64_t now_ns = weir__media_flow_now_ns(flow);
    return flow->fec ? weir__fec_on_media(flow->fec, now_ns, ends_frame, is_key) : 0;
}

/* A unit of the source: as many packets as it needs, full ones first. */
static void on_unit(void *target, const struct weir__unit *unit)
{
    struct weir__media_flow *flow = target;
    if (!weir__media_flow_is_live(flow)) {
        return;
    }
    if (unit->skipped) {
        flow->meter.source_pixels += unit->source_pixels;
        flow->meter.skipped_frames++;
        return;
    }
    join(flow);
    follow_losses(flow);
    int64_t rate_bps = drain_bps(flow);
    int64_t room_bytes = flow->config.packet_bytes - flow->config.header_bytes;
    int64_t left_bytes = unit->bytes;
    flow->meter.pixels += unit->pixels;
    flow->meter.source_pixels += unit->source_pixels;
    flow->meter.resizes += unit->resized ? 1 : 0;
    do {
        int64_t payload_bytes = weir_min_i64(left_bytes, room_bytes);
        left_bytes -= payload_bytes;
        push_packet(flow, payload_bytes,
                    (left_bytes == 0 ? (uint32_t)WEIR_QUEUE_FRAME_END : 0) |
                        (unit->key_frame ? (uint32_t)WEIR_QUEUE_KEY_FRAME : 0),
                    next_name(flow, left_bytes == 0, unit->key_frame), rate_bps);
    } while (left_bytes > 0);
    if (flow->fec) {
        push_repair(flow, weir_min_i64(unit->bytes, room_bytes), rate_bps);
    }
    settle(flow->session);
    int64_t queued_bytes = waiting_bytes(flow);
    if (queued_bytes > 0) {
        weir_sender_on_queue(flow->session->sender, weir__media_flow_now_ns(flow), flow->member,
                             queued_bytes);
        settle(flow->session);
    }
}

/* The transmit buffer gives up a packet. */
void weir__media_flow_on_discard(void *target, const struct weir_queue_item *item)
{
    struct weir__media_flow *flow = target;
    (void)item;
    flow->meter.discarded_packets++;
}
