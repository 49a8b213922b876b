/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiving end of a media flow: the bytes of a packet are made when it arrives, from what it
 * carries, and the receiving session's answer goes back over the network. */
#include "codec/request.h"
#include "codec/rtp.h"
#include "session/prefetch.h"
#include "sim/traffic/media_flow_state.h"

#define PAYLOAD_TYPE 96
/* Packets that one request asks for. */
#define MOST_ASKED 64

/* The header of a packet, returns its size. What is behind it is never read. */
static size_t write_rtp(struct weir__media_flow *flow, int64_t seq, uint64_t token)
{
    const struct weir__rtp rtp = {
        .marker = (token & WEIR__MEDIA_MARKER) != 0,
        .payload_type = PAYLOAD_TYPE,
        .seq = weir__media_rtp_seq(flow, seq),
        .timestamp = weir__media_rtp_timestamp((int64_t)(token >> WEIR__MEDIA_TIME_BITS)),
        .ssrc = weir__media_rtp_ssrc(flow, token),
    };
    size_t header_bytes = 0;
    weir__rtp_build(&rtp, flow->config.receiver.transport_seq_id, (uint16_t)seq, flow->datagram,
                    WEIR__NETWORK_DATAGRAM_BYTES, &header_bytes);
    return header_bytes;
}

/* See the header. */
size_t weir__media_flow_read(struct weir__media_flow *flow, const struct weir__packet *packet,
                             const uint8_t **data)
{
    size_t size = 0;
    if (packet->seq == WEIR__MEDIA_RTCP_SEQ) {
        *data = weir__datagram_pool_get(&flow->datagrams, packet->token, &size);
    } else {
        size = write_rtp(flow, packet->seq, packet->token);
        *data = flow->datagram;
    }
    return size;
}

/* The RTCP at hand goes to the sender. */
static void send_rtcp(struct weir__media_flow *flow, size_t size)
{
    int64_t wire_bytes = weir__media_flow_send_rtcp(flow, flow->config.feedback_route, size);
    flow->meter.feedback_packets += wire_bytes > 0;
    flow->meter.feedback_bytes += wire_bytes;
    flow->meter.feedback_refused_packets += wire_bytes == 0;
}

/* As a reduced-size packet (RFC 5506). */
static void send_request(struct weir__media_flow *flow)
{
    const struct weir_receiver_config *c = &flow->config.receiver;
    uint16_t asked[MOST_ASKED];
    size_t size = 0;
    size_t n = weir__resend_ask(flow->resend, weir__media_flow_now_ns(flow), asked, MOST_ASKED);
    if (n > 0 && weir__nack_build(c->local_ssrc, flow->ssrc, asked, n, flow->datagram, c->mtu_bytes,
                                  &size) == WEIR_OK) {
        send_rtcp(flow, size);
    }
}

static void send_feedback(struct weir__media_flow *flow)
{
    int64_t now_ns = weir__media_flow_now_ns(flow);
    while (weir_receiver_next_feedback_ns(flow->receiver) <= now_ns) {
        size_t size = 0;
        enum weir_status status =
            weir_receiver_build_feedback(flow->receiver, now_ns, weir__media_flow_ntp(flow),
                                         flow->datagram, flow->config.receiver.mtu_bytes, &size);
        if (status != WEIR_OK || size == 0) {
            break;
        }
        send_rtcp(flow, size);
    }
}

/* Feedback and requests that are due go; the deadline is set for the next. */
static void settle(struct weir__media_flow *flow)
{
    int64_t now_ns = weir__media_flow_now_ns(flow);
    int64_t next_ns = weir_receiver_next_feedback_ns(flow->receiver);
    if (next_ns <= now_ns) {
        send_feedback(flow);
        next_ns = weir_receiver_next_feedback_ns(flow->receiver);
    }
    if (flow->resend) {
        send_request(flow);
        next_ns = weir_min_i64(next_ns, weir__resend_next_ns(flow->resend));
    }
    weir__deadline_set(&flow->report, weir__media_flow_due_ns(flow, next_ns));
}

/* Feedback of the receiving session is due. */
void weir__media_flow_on_report(void *target)
{
    settle(target);
}

/* What only the first copy counts for, and media of the source alone. */
static void count_media(struct weir__media_flow *flow, int64_t wire_bytes, uint64_t token)
{
    struct weir__flow_meter *meter = &flow->meter;
    if (token & (WEIR__MEDIA_PROBE | WEIR__MEDIA_REPAIR)) {
        return;
    }
    meter->goodput_bytes += weir_max_i64(wire_bytes - flow->config.header_bytes, 0);
    if (token & WEIR__MEDIA_DUMMY) {
        return;
    }
    int64_t age_ns = weir__media_flow_now_ns(flow) - (int64_t)(token >> WEIR__MEDIA_TIME_BITS);
    meter->heard_packets++;
    meter->mouth_to_ear_sum_ns += (double)age_ns;
    if (meter->lateness) {
        weir__histogram_add(meter->lateness, age_ns);
    }
}

static void count_frame(struct weir__media_flow *flow, int64_t seq)
{
    if (flow->fec) {
        weir__fec_on_arrival(flow->fec, weir__media_flow_now_ns(flow),
                             flow->fec_names[seq % WEIR__MEDIA_SEEN_PACKETS]);
        flow->meter.whole_frames = flow->fec->whole_frames;
        flow->meter.frozen_ns = flow->fec->frozen_ns;
    }
}

static void count_arrival(struct weir__media_flow *flow, const struct weir__packet *packet)
{
    int64_t delay_ns = weir__media_flow_now_ns(flow) - packet->sent_ns;
    weir__flow_meter_count_arrival(&flow->meter, packet->size_bytes, delay_ns);
    flow->meter.marked_packets += packet->ecn == WEIR_ECN_CE;
    if (weir__seen_is_first(&flow->seen, packet->seq) &&
        (!flow->resend ||
         weir__resend_on_arrival(flow->resend, weir__media_flow_now_ns(flow), packet->seq))) {
        count_media(flow, packet->size_bytes, packet->token);
        count_frame(flow, packet->seq);
    }
}

/* How long what is out of order may take, of the media: copies come when they come. */
static void follow_jitter(struct weir__media_flow *flow, uint64_t token)
{
    struct weir_receiver_stats stats;
    if (flow->resend && !(token & WEIR__MEDIA_COPY)) {
        weir_receiver_get_stats(flow->receiver, &stats);
        flow->resend->jitter_ns = stats.jitter_ns;
    }
}

static void on_sender_report(struct weir__media_flow *flow, uint64_t token)
{
    size_t size = 0;
    const uint8_t *data = weir__datagram_pool_get(&flow->datagrams, token, &size);
    if (data) {
        weir_receiver_on_rtcp(flow->receiver, weir__media_flow_now_ns(flow), data, size);
    }
}

/* What RFC 5348 6.2 asks of a receiver: feedback once per RTT as the packet says it. */
static void follow_rtt(struct weir__media_flow *flow, int64_t seq)
{
    int64_t rtt_ns = flow->rtts_ns ? flow->rtts_ns[seq % WEIR__MEDIA_SEEN_PACKETS] : 0;
    if (rtt_ns > 0) {
        const struct weir_receiver_config *c = &flow->config.receiver;
        weir_receiver_set_format(flow->receiver, c->format,
                                 weir_min_i64(rtt_ns, c->interval_max_ns));
    }
}

/* A packet will arrive soon, or a report is due. */
void weir__media_flow_on_arrival_approach(void *target)
{
    const struct weir__media_flow *flow = target;
    weir__prefetch_between(&flow->config.receiver, &flow->meter.discarded_packets);
    weir__receiver_prefetch(flow->receiver);
}

/* A packet of the media route arrives: media, or a sender report. Damaged ones fail the checksum.
 */
void weir__media_flow_on_arrival(void *target, struct weir__packet *packet)
{
    struct weir__media_flow *flow = target;
    const struct weir__packet arrived = *packet;
    weir__packet_give(flow->pool, packet);
    bool is_rtcp = arrived.seq == WEIR__MEDIA_RTCP_SEQ;
    if (is_rtcp && !arrived.corrupt) {
        on_sender_report(flow, arrived.token);
    } else if (!arrived.corrupt) {
        count_arrival(flow, &arrived);
        follow_rtt(flow, arrived.seq);
        write_rtp(flow, arrived.seq, arrived.token);
        weir_receiver_on_rtp(
            flow->receiver, weir__media_flow_now_ns(flow), flow->datagram,
            (size_t)(arrived.size_bytes - (int32_t)flow->config.receiver.overhead_bytes),
            arrived.ecn);
        follow_jitter(flow, arrived.token);
    }
    if (is_rtcp) {
        weir__datagram_pool_give(&flow->datagrams, arrived.token);
    }
    if (weir__media_flow_is_live(flow)) {
        settle(flow);
    }
}

/* The network drops a packet, of either route: its RTCP bytes are needed no longer. */
void weir__media_flow_on_drop(void *target, struct weir__packet *packet,
                              enum weir__drop_reason reason)
{
    struct weir__media_flow *flow = target;
    (void)reason;
    if (packet->seq == WEIR__MEDIA_RTCP_SEQ) {
        weir__datagram_pool_give(&flow->datagrams, packet->token);
    }
    weir__packet_give(flow->pool, packet);
}
