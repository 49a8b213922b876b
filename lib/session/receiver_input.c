/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiving session: what comes in, media and the sender's RTCP. */
#include "codec/xr.h"
#include "session/receiver_state.h"

#define PROBATION_NS WEIR_SECONDS(1)

enum { MAX_DLRR_ITEMS = 64 };

static uint32_t clock_rate_of(const struct weir_receiver *receiver, uint32_t ssrc)
{
    for (int i = 0; i < receiver->n_clocks_set; i++) {
        if (receiver->clocks[i].ssrc == ssrc) {
            return receiver->clocks[i].hz;
        }
    }
    return receiver->config.clock_rate_hz;
}

/* A slot for a new stream: a free one, or one that was never confirmed by a second packet and has
 * been silent since. NULL when there is none. */
static struct weir__stream *find_slot(struct weir_receiver *receiver, int64_t now_ns)
{
    weir__receiver_forget_silent(receiver, now_ns);
    for (int i = 0; i < receiver->n_places; i++) {
        if (!receiver->streams[i].in_use) {
            return &receiver->streams[i];
        }
    }
    if (receiver->n_places < WEIR__RECEIVER_STREAMS) {
        return &receiver->streams[receiver->n_places++];
    }
    for (int i = 0; i < receiver->n_places; i++) {
        struct weir__stream *stream = &receiver->streams[i];
        if (!weir__rr_source_valid(&stream->rr) && now_ns - stream->heard_ns > PROBATION_NS) {
            weir__receiver_forget(receiver, stream);
            return stream;
        }
    }
    return NULL;
}

/* The stream of a packet, made if it is new. NULL when there are too many. */
static struct weir__stream *get_stream(struct weir_receiver *receiver, int64_t now_ns,
                                       const struct weir_rtp_info *rtp)
{
    struct weir__stream *stream = weir__receiver_find_stream(receiver, rtp->ssrc);
    if (stream != NULL) {
        return stream;
    }
    stream = find_slot(receiver, now_ns);
    if (stream != NULL) {
        weir__stream_init(stream, rtp->ssrc, clock_rate_of(receiver, rtp->ssrc), rtp->seq);
        receiver->n_streams++;
        receiver->stats.streams++;
        receiver->timing.first = true;
    }
    return stream;
}

/* Whether feedback about transport-wide numbers has something new to say. Two numbers in a row
 * after an absurd jump are a sender that started anew (as in RFC 3550 A.1). */
static bool take_transport_seq(struct weir__transport *transport, int64_t now_ns, uint16_t seq)
{
    if (weir__arrivals_is_jump(&transport->arrivals, seq)) {
        if (!transport->has_bad_seq || transport->bad_seq != seq) {
            transport->has_bad_seq = true;
            transport->bad_seq = (uint16_t)(seq + 1);
            return false;
        }
        weir__arrivals_restart(&transport->arrivals, seq);
        transport->next_seq = seq;
    } else if (!transport->arrivals.started) {
        transport->next_seq = seq;
    }
    transport->has_bad_seq = false;
    int64_t unwrapped;
    enum weir__arrival kind =
        weir__arrivals_add(&transport->arrivals, seq, now_ns, WEIR_ECN_NOT_ECT, &unwrapped);
    if (kind == WEIR__ARRIVAL_LATE) {
        transport->next_seq = weir_min_i64(transport->next_seq, unwrapped);
    }
    return kind == WEIR__ARRIVAL_NEW || kind == WEIR__ARRIVAL_LATE;
}

static void count_packet(struct weir_receiver *receiver, int64_t now_ns, int64_t wire_bytes,
                         const struct weir__stream_step *step, uint32_t ecn)
{
    bool is_copy = step->kind == WEIR__ARRIVAL_DUPLICATE || step->kind == WEIR__ARRIVAL_MARKED;
    receiver->stats.packets_received++;
    receiver->stats.bytes_received_wire += (uint64_t)wire_bytes;
    receiver->stats.packets_duplicate += is_copy;
    receiver->stats.packets_ecn_ce += ecn == WEIR_ECN_CE;
    weir__rate_meter_add(&receiver->rate, now_ns, wire_bytes);
    weir__reception_on_packet(&receiver->reception, now_ns, step->expected_packets, !is_copy);
}

/* What the estimate of the bound learns; the rate is only worked out when it is needed. */
static void estimate_packet(struct weir_receiver *receiver, int64_t now_ns, int64_t wire_bytes,
                            const struct weir__stream_step *step, bool marked)
{
    int64_t rtt_ns = weir__rtt_srtt_ns(&receiver->rtt);
    bool event = step->lost_packets > 0 || marked;
    int64_t rate_bps = event ? weir__receiver_rate_bps(receiver, now_ns) : 0;
    weir__receive_estimate_on_packet(&receiver->estimate, now_ns, wire_bytes,
                                     step->expected_packets, step->lost_packets, rtt_ns, rate_bps);
    if (marked) {
        weir__receive_estimate_on_mark(&receiver->estimate, now_ns, rtt_ns, rate_bps);
    }
}

/* Tells the timing what the packet means for the feedback format. Receiver reports tell sums, so
 * that one packet is as good a reason as many, and none is urgent. */
static void schedule(struct weir_receiver *receiver, int64_t now_ns, int64_t wire_bytes,
                     const struct weir__stream_step *step, bool marked, bool has_transport_news)
{
    const struct weir__format *format = receiver->format;
    bool per_packet = format->kind == WEIR__FORMAT_PACKETS;
    bool news = step->kind != WEIR__ARRIVAL_DUPLICATE; /* nor old: that would be a restart */
    if (format->transport_wide) {
        news = has_transport_news;
    } else if (!per_packet) {
        news = receiver->timing.n_new == 0;
    }
    weir__feedback_timing_on_packet(&receiver->timing, now_ns, wire_bytes, news);
    receiver->timing.urgent |= per_packet && (step->lost_packets > 0 || marked);
}

/* Everything a believable packet changes. */
static void take_packet(struct weir_receiver *receiver, int64_t now_ns,
                        const struct weir_rtp_info *rtp, size_t len, uint32_t ecn,
                        struct weir__stream *stream, const struct weir__stream_step *step)
{
    int64_t wire_bytes = (int64_t)len + receiver->config.overhead_bytes;
    bool arrived = step->kind == WEIR__ARRIVAL_NEW || step->kind == WEIR__ARRIVAL_LATE;
    bool marked = ecn == WEIR_ECN_CE && (arrived || step->kind == WEIR__ARRIVAL_MARKED);
    bool transport_news = rtp->has_transport_seq &&
                          take_transport_seq(&receiver->transport, now_ns, rtp->transport_seq);
    receiver->last_ssrc = rtp->ssrc;
    count_packet(receiver, now_ns, wire_bytes, step, ecn);
    if (arrived) {
        int64_t delay_ns = weir__transit_sample(&stream->transit, rtp->timestamp,
                                                stream->rr.clock_rate_hz, now_ns);
        weir__reception_on_delay(&receiver->reception, now_ns, delay_ns);
    }
    if (receiver->format->kind == WEIR__FORMAT_BOUND) {
        estimate_packet(receiver, now_ns, wire_bytes, step, marked);
    }
    schedule(receiver, now_ns, wire_bytes, step, marked, transport_news);
}

enum weir_status weir_receiver_on_rtp(struct weir_receiver *receiver, int64_t now_ns,
                                      const uint8_t *data, size_t len, uint32_t ecn)
{
    if (receiver == NULL || (data == NULL && len > 0)) {
        return WEIR_ERROR_ARGUMENT;
    }
    now_ns = weir__receiver_advance(receiver, now_ns);
    struct weir_rtp_info rtp;
    enum weir_status status = weir_rtp_info(data, len, receiver->config.transport_seq_id, &rtp);
    if (status != WEIR_OK) {
        receiver->stats.packets_malformed++;
        return status;
    }
    struct weir__stream *stream = get_stream(receiver, now_ns, &rtp);
    if (stream == NULL) {
        receiver->stats.packets_rejected++;
        return WEIR_ERROR_REJECTED;
    }
    ecn &= WEIR_ECN_CE;
    struct weir__stream_step step = weir__stream_on_packet(stream, now_ns, &rtp, ecn);
    if (step.rejected) {
        receiver->stats.packets_rejected++;
        return WEIR_ERROR_REJECTED;
    }
    take_packet(receiver, now_ns, &rtp, len, ecn, stream, &step);
    return WEIR_OK;
}

/* A report also keeps its stream, which may send a packet a minute, and shows that there is a
 * sender that may be waiting to hear of us, even if all of its streams are forgotten. */
static enum weir_status on_sender_report(struct weir_receiver *receiver, int64_t now_ns,
                                         const struct weir__rtcp_packet *packet)
{
    struct weir__report report;
    enum weir_status status = weir__report_parse(packet, &report);
    if (status != WEIR_OK) {
        return status;
    }
    receiver->report_ns = now_ns;
    struct weir__stream *stream = weir__receiver_find_stream(receiver, report.ssrc);
    if (stream != NULL) {
        stream->heard_ns = now_ns;
        weir__rr_source_on_sr(&stream->rr, report.ntp, now_ns);
    }
    return WEIR_OK;
}

/* RTT from the echo of our receiver reference time (RFC 3611 4.5). */
static void on_dlrr(struct weir_receiver *receiver, int64_t now_ns,
                    const struct weir__xr_dlrr *item)
{
    if (item->ssrc != receiver->config.local_ssrc || receiver->ntp_time == 0) {
        return;
    }
    uint32_t now_mid32 = weir__ntp_mid32(weir__receiver_ntp(receiver, now_ns));
    int64_t rtt_ns = weir__sr_history_rtt_ns(&receiver->rrtr_history, now_mid32, item->lrr_mid32,
                                             item->dlrr_mid32);
    if (rtt_ns != WEIR_UNKNOWN_NS) {
        weir__rtt_sample(&receiver->rtt, now_ns, rtt_ns);
    }
}

static enum weir_status on_extended_report(struct weir_receiver *receiver, int64_t now_ns,
                                           const struct weir__rtcp_packet *packet)
{
    struct weir__xr_walk walk;
    enum weir_status status = weir__xr_walk_init(&walk, packet);
    struct weir__xr_block block;
    while (status == WEIR_OK && weir__xr_walk_next(&walk, &block)) {
        struct weir__xr_dlrr items[MAX_DLRR_ITEMS];
        size_t n_items;
        if (weir__xr_dlrr_parse(&block, items, MAX_DLRR_ITEMS, &n_items) != WEIR_OK) {
            continue;
        }
        for (size_t i = 0; i < n_items && i < MAX_DLRR_ITEMS; i++) {
            on_dlrr(receiver, now_ns, &items[i]);
        }
    }
    return status;
}

static enum weir_status on_bye(struct weir_receiver *receiver,
                               const struct weir__rtcp_packet *packet)
{
    struct weir__bye bye;
    enum weir_status status = weir__bye_parse(packet, &bye);
    for (int i = 0; status == WEIR_OK && i < bye.n_ssrcs; i++) {
        struct weir__stream *stream = weir__receiver_find_stream(receiver, bye.ssrcs[i]);
        if (stream != NULL) {
            weir__receiver_forget(receiver, stream);
        }
    }
    if (status == WEIR_OK && receiver->n_streams == 0) {
        receiver->report_ns = WEIR_UNKNOWN_NS;
    }
    return status;
}

static enum weir_status on_rtcp_packet(struct weir_receiver *receiver, int64_t now_ns,
                                       const struct weir__rtcp_packet *packet)
{
    switch (packet->type) {
    case WEIR__RTCP_SR:
        return on_sender_report(receiver, now_ns, packet);
    case WEIR__RTCP_XR:
        return on_extended_report(receiver, now_ns, packet);
    case WEIR__RTCP_BYE:
        return on_bye(receiver, packet);
    default:
        return WEIR_ERROR_UNSUPPORTED;
    }
}

/* WEIR_OK when at least one packet was understood, else what was wrong with the last one that was
 * broken, else WEIR_ERROR_UNSUPPORTED. */
enum weir_status weir_receiver_on_rtcp(struct weir_receiver *receiver, int64_t now_ns,
                                       const uint8_t *data, size_t len)
{
    if (receiver == NULL || (data == NULL && len > 0)) {
        return WEIR_ERROR_ARGUMENT;
    }
    now_ns = weir__receiver_advance(receiver, now_ns);
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    enum weir_status result = WEIR_ERROR_UNSUPPORTED;
    weir__rtcp_walk_init(&walk, data, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        enum weir_status status = on_rtcp_packet(receiver, now_ns, &packet);
        bool broken = status != WEIR_OK && status != WEIR_ERROR_UNSUPPORTED;
        receiver->stats.rtcp_packets += status == WEIR_OK;
        receiver->stats.rtcp_malformed += broken;
        if (status == WEIR_OK || (broken && result != WEIR_OK)) {
            result = status;
        }
    }
    const struct weir__rtcp_anomalies *anomalies = &walk.anomalies;
    if (anomalies->bad_version + anomalies->truncated + anomalies->bad_padding +
            anomalies->trailing_bytes >
        0) {
        receiver->stats.rtcp_malformed++;
        result = result == WEIR_OK ? WEIR_OK : WEIR_ERROR_MALFORMED;
    }
    return result;
}
