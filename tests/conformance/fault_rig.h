/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sending session in virtual time on one bottleneck, and a peer that is honest or not: its clock
 * and what it tells are the case's. The source is an encoder that follows its target within a third
 * of a second, at 30 frames/s whose sizes differ; audio may run beside it.
 *
 * With a format the peer is a real receiving session whose clock the case turns; without one the
 * packet results are made here, so that they may say anything. */
#ifndef WEIR_TESTS_FAULT_RIG_H
#define WEIR_TESTS_FAULT_RIG_H

#include "fault_figures.h"

static inline bool rig_is_paused(const struct fault_rig *rig)
{
    double now_s = rig_s(rig->now_ns);
    return now_s >= rig->c->pause_from_s && now_s < rig->c->pause_to_s;
}

static inline double rig_source_bps(const struct fault_rig *rig)
{
    struct weir_output output;
    weir_sender_get_output(rig->sender, &output);
    double target = (double)output.target_media_bps;
    return rig->c->source_kbps > 0.0 ? fmin(target, rig->c->source_kbps * 1e3) : target;
}

static inline void rig_encode(struct fault_rig *rig)
{
    double target_bps = rig_source_bps(rig);
    double noise = 0.3 * (rig_random(rig) + rig_random(rig) - 1.0); /* sigma 0.12 */
    rig->next_frame_ns += RIG_FRAME_NS;
    rig->encoder_bps += (target_bps - rig->encoder_bps) / 10.0;
    double frame_bytes = rig->encoder_bps / 8.0 * rig_s(RIG_FRAME_NS) * (1.0 + noise);
    if (rig_is_paused(rig) || (double)rig->queued_bytes * 8.0 > 0.25 * target_bps) {
        return;
    }
    int64_t left = weir_max_i64((int64_t)frame_bytes, 50);
    while (left > 0 && rig->n_queued < RIG_QUEUED) {
        int64_t payload = weir_min_i64(left, RIG_PAYLOAD);
        uint64_t slot = (rig->first_queued + rig->n_queued) % RIG_QUEUED;
        rig->queued[slot] =
            (struct rig_waiting){.bytes = (uint32_t)(payload + RIG_HEADER),
                                 .timestamp = (uint32_t)(rig->now_ns / 1000 * 9 / 100)};
        rig->n_queued++;
        rig->queued_bytes += payload + RIG_HEADER;
        left -= payload;
    }
    weir_sender_on_queue(rig->sender, rig->now_ns, 0, rig->queued_bytes);
}

static inline int64_t rig_next_send_ns(const struct fault_rig *rig)
{
    if (rig->n_queued == 0) {
        return WEIR_NEVER_NS;
    }
    return weir_sender_next_send_ns(rig->sender, rig->now_ns,
                                    rig->queued[rig->first_queued % RIG_QUEUED].bytes);
}

static inline void rig_begin_service(struct fault_rig *rig)
{
    double mbps = rig_phase(rig)->mbps;
    if (rig->n_waiting == 0 || rig->served_ns != WEIR_NEVER_NS || mbps <= 0.0) {
        return;
    }
    const struct rig_flying *first = &rig->waiting[rig->first_waiting % RIG_NUMBERS];
    rig->served_ns =
        rig->now_ns + weir_send_time_ns(first->packet->bytes + RIG_OVERHEAD, (int64_t)(mbps * 1e6));
}

static inline int64_t rig_queue_limit(const struct fault_case *c)
{
    double ms = c->queue_ms > 0.0 ? c->queue_ms : 200.0;
    return c->queue_bytes > 0 ? c->queue_bytes : (int64_t)(ms * c->phases[0].mbps * 125.0);
}

static inline bool rig_is_lost(struct fault_rig *rig)
{
    const struct fault_case *c = rig->c;
    bool in_burst = c->burst_s > 0.0 && rig_s(rig->now_ns) >= c->burst_s &&
                    fmod(rig_s(rig->now_ns), c->burst_s) < c->burst_ms * 1e-3;
    return in_burst || (c->loss > 0.0 && rig_random(rig) < c->loss);
}

static inline void rig_count_lost(struct fault_rig *rig, struct rig_packet *packet)
{
    packet->arrived_ns = WEIR_NEVER_NS;
    for (size_t i = 0; i < RIG_WINDOWS; i++) {
        rig->seen[i].n_lost += rig_in_window(rig, i);
    }
    if (rig->c->claims_all) {
        rig_prove(rig, packet->sent_ns, packet->bytes + RIG_OVERHEAD);
    }
}

static inline void rig_free_report(struct rig_packet *packet)
{
    g_free(packet->report);
    g_free(packet);
}

/* False: no room. */
static inline bool rig_queue(struct fault_rig *rig, struct rig_packet *packet, int64_t number)
{
    int64_t wire = packet->bytes + RIG_OVERHEAD;
    if (rig_is_lost(rig) || rig->waiting_bytes + wire > rig_queue_limit(rig->c) ||
        rig->n_waiting >= RIG_NUMBERS / 2) {
        if (packet->report) {
            rig_free_report(packet);
        }
        return false;
    }
    rig->waiting[(rig->first_waiting + rig->n_waiting) % RIG_NUMBERS] =
        (struct rig_flying){.packet = packet, .number = number};
    rig->n_waiting++;
    rig->waiting_bytes += wire;
    rig_begin_service(rig);
    return true;
}

static inline void rig_offer(struct fault_rig *rig, struct rig_packet *packet, int64_t number)
{
    rig->n_packets++;
    rig->has_sent = true;
    for (size_t i = 0; i < RIG_WINDOWS; i++) {
        rig->seen[i].n_sent += rig_in_window(rig, i);
    }
    if (!rig_queue(rig, packet, number)) {
        rig_count_lost(rig, packet);
    }
}

static inline void rig_insert(GQueue *queue, struct rig_flying *flying)
{
    GList *after = queue->tail;
    while (after && ((const struct rig_flying *)after->data)->at_ns > flying->at_ns) {
        after = after->prev;
    }
    g_queue_insert_after(queue, after, flying);
}

static inline void rig_serve(struct fault_rig *rig)
{
    struct rig_flying *flying = g_new(struct rig_flying, 1);
    *flying = rig->waiting[rig->first_waiting % RIG_NUMBERS];
    rig->first_waiting++;
    rig->n_waiting--;
    rig->waiting_bytes -= flying->packet->bytes + RIG_OVERHEAD;
    rig->served_ns = WEIR_NEVER_NS;
    flying->at_ns = weir_max_i64(rig->now_ns + rig_delay_ns(rig), rig->last_arrival_ns);
    rig->last_arrival_ns = flying->at_ns;
    if (rig->c->reorder_ms > 0.0 && rig->n_packets % 20 == 0) {
        flying->at_ns += (int64_t)(rig->c->reorder_ms * 1e6);
    }
    rig_insert(rig->flying, flying);
    rig_begin_service(rig);
}

static inline void rig_send(struct fault_rig *rig, uint32_t bytes, uint32_t timestamp, bool audio)
{
    uint32_t end = audio && rig->c->audio_apart ? 1 : 0;
    struct rig_end *e = &rig->ends[end];
    struct rig_packet *packet = &e->packets[e->n_sent % RIG_NUMBERS];
    *packet = (struct rig_packet){.sent_ns = rig->now_ns,
                                  .arrived_ns = WEIR_UNKNOWN_NS,
                                  .bytes = bytes,
                                  .rtp_seq = rig->rtp_seq[audio]++,
                                  .transport_seq = e->transport_seq++,
                                  .ssrc = audio ? 2 : 1,
                                  .timestamp = timestamp,
                                  .end = end};
    struct weir_sent sent = {.ssrc = packet->ssrc,
                             .rtp_seq = packet->rtp_seq,
                             .rtp_timestamp = timestamp,
                             .transport_seq = packet->transport_seq,
                             .has_transport_seq = true,
                             .rtp_bytes = bytes,
                             .payload_bytes = bytes - RIG_HEADER,
                             .queued_bytes = end == 0 ? rig->queued_bytes : 0,
                             .flags = audio ? WEIR_SENT_AUDIO : 0u,
                             .member = end};
    g_assert_cmpint(weir_sender_on_sent(rig->sender, rig->now_ns, &sent), ==, WEIR_OK);
    rig_offer(rig, packet, e->n_sent++);
}

static inline void rig_send_video(struct fault_rig *rig)
{
    struct rig_waiting *waiting = &rig->queued[rig->first_queued++ % RIG_QUEUED];
    rig->n_queued--;
    rig->queued_bytes -= waiting->bytes;
    rig_send(rig, waiting->bytes, waiting->timestamp, false);
}

static inline void rig_send_audio(struct fault_rig *rig)
{
    rig->next_audio_ns += WEIR_MS(20);
    if (!rig_is_paused(rig)) {
        rig_send(rig, RIG_AUDIO_BYTES + RIG_HEADER, (uint32_t)(rig->now_ns / 1000 * 9 / 100), true);
    }
}

static inline void rig_put_32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static inline void rig_give_receiver(struct fault_rig *rig, const struct rig_packet *packet)
{
    static uint8_t data[RIG_HEADER + RIG_PAYLOAD];
    data[0] = 0x90;
    data[1] = 96;
    data[2] = (uint8_t)(packet->rtp_seq >> 8);
    data[3] = (uint8_t)packet->rtp_seq;
    rig_put_32(data + 4, packet->timestamp);
    rig_put_32(data + 8, packet->ssrc);
    rig_put_32(data + 12, 0xbede0001);
    data[16] = RIG_TRANSPORT_ID << 4 | 1;
    data[17] = (uint8_t)(packet->transport_seq >> 8);
    data[18] = (uint8_t)packet->transport_seq;
    data[19] = 0;
    weir_receiver_on_rtp(rig->ends[packet->end].receiver,
                         rig_peer_ns(rig, packet->end, rig->now_ns, packet->sent_ns), data,
                         packet->bytes, WEIR_ECN_NOT_ECT);
}

static inline void rig_give_packet(struct fault_rig *rig, struct rig_packet *packet, int64_t number)
{
    struct rig_end *e = &rig->ends[packet->end];
    packet->arrived_ns = rig->now_ns;
    rig_prove(rig, packet->sent_ns, packet->bytes + RIG_OVERHEAD);
    for (size_t i = 0; i < RIG_WINDOWS; i++) {
        rig->seen[i].delivered_bytes += rig_in_window(rig, i) ? packet->bytes + RIG_OVERHEAD : 0;
    }
    if (number <= e->told) {
        g_array_append_val(e->late, number);
    }
    e->highest = weir_max_i64(e->highest, number);
    if (e->receiver) {
        rig_give_receiver(rig, packet);
    }
}

static inline void rig_post(struct fault_rig *rig, struct rig_message *message)
{
    int64_t number = rig->n_feedbacks++;
    message->at_ns = rig->now_ns + rig_delay_ns(rig);
    if (rig->c->lose_feedback > 0 && number % rig->c->lose_feedback == 0) {
        g_free(message);
    } else {
        g_queue_push_tail(rig->messages, message);
    }
}

/* What the peer says of one packet. */
static inline struct weir_packet_result rig_result(const struct fault_rig *rig, uint32_t end,
                                                   int64_t number)
{
    const struct rig_packet *packet = &rig->ends[end].packets[number % RIG_NUMBERS];
    bool arrived = packet->arrived_ns != WEIR_NEVER_NS && packet->arrived_ns != WEIR_UNKNOWN_NS;
    struct weir_packet_result result = {.transport_seq = packet->transport_seq,
                                        .sent_ns = WEIR_UNKNOWN_NS,
                                        .arrived_ns = WEIR_UNKNOWN_NS,
                                        .received = arrived || rig->c->claims_all};
    if (result.received && !rig->c->no_times) {
        result.arrived_ns =
            rig_peer_ns(rig, end, arrived ? packet->arrived_ns : rig->now_ns, packet->sent_ns);
    }
    return result;
}

static inline void rig_tell_results(struct fault_rig *rig, uint32_t end)
{
    struct rig_end *e = &rig->ends[end];
    size_t most = (size_t)(e->highest - e->told) + e->late->len;
    if (most == 0) {
        return;
    }
    struct rig_message *message =
        g_malloc0(sizeof(*message) + most * sizeof(struct weir_packet_result));
    message->end = end;
    for (guint i = 0; i < e->late->len; i++) {
        message->u.results[message->n++] = rig_result(rig, end, g_array_index(e->late, int64_t, i));
    }
    g_array_set_size(e->late, 0);
    while (e->told < e->highest) {
        message->u.results[message->n++] = rig_result(rig, end, ++e->told);
    }
    rig_post(rig, message);
}

static inline void rig_tell_rtcp(struct fault_rig *rig, uint32_t end)
{
    struct weir_receiver *receiver = rig->ends[end].receiver;
    int64_t peer_ns = rig_peer_ns(rig, end, rig->now_ns, 0);
    for (int i = 0; i < 100 && weir_receiver_next_feedback_ns(receiver) <= peer_ns; i++) {
        struct rig_message *message = g_malloc0(sizeof(*message) + 1500);
        message->end = end;
        uint64_t ntp =
            weir_ntp_from_unix_ns(WEIR_SECONDS(1700000000) + peer_ns % WEIR_SECONDS(100000));
        g_assert_cmpint(weir_receiver_build_feedback(receiver, peer_ns, ntp, message->u.data, 1400,
                                                     &message->len),
                        ==, WEIR_OK);
        if (message->len == 0) {
            g_free(message);
        } else {
            rig_post(rig, message);
        }
    }
}

static inline void rig_tell(struct fault_rig *rig)
{
    double ms = rig->c->feedback_ms > 0.0 ? rig->c->feedback_ms : 50.0;
    for (uint32_t end = 0; end < RIG_ENDS; end++) {
        if (rig->c->format != 0) {
            rig_tell_rtcp(rig, end);
        } else {
            rig_tell_results(rig, end);
        }
    }
    rig->next_feedback_ns = rig->now_ns + (rig->c->format != 0 ? WEIR_MS(1) : (int64_t)(ms * 1e6));
}

static inline void rig_hear(struct fault_rig *rig)
{
    struct rig_message *message = g_queue_pop_head(rig->messages);
    for (int i = 0; i <= (int)rig->c->feedback_twice; i++) {
        if (message->len > 0) {
            weir_sender_on_rtcp(rig->sender, rig->now_ns, message->end, message->u.data,
                                message->len);
        } else {
            weir_sender_on_packet_results(rig->sender, rig->now_ns, message->end,
                                          message->u.results, message->n);
        }
    }
    g_free(message);
}

static inline void rig_reset_peer(struct fault_rig *rig)
{
    rig->was_reset = true;
    for (uint32_t i = 0; i < RIG_ENDS; i++) {
        if (rig->c->format != 0) {
            weir_receiver_destroy(rig->ends[i].receiver);
            rig_create_receiver(rig, i);
        } else {
            rig->ends[i].transport_seq = 1;
        }
    }
}

/* Sender reports cross the bottleneck as media does. */
static inline void rig_send_report_to(struct fault_rig *rig, uint32_t end)
{
    uint8_t data[1500];
    size_t len;
    uint64_t ntp = weir_ntp_from_unix_ns(WEIR_SECONDS(1700000000) + rig->now_ns);
    enum weir_status status =
        weir_sender_build_report(rig->sender, rig->now_ns, end, ntp, data, sizeof(data), &len);
    if (status == WEIR_OK && rig->c->format != 0) {
        struct rig_packet *packet = g_new0(struct rig_packet, 1);
        packet->bytes = (uint32_t)len;
        packet->report = g_memdup2(data, len);
        packet->end = end;
        rig_queue(rig, packet, 0);
    }
}

static inline void rig_send_report(struct fault_rig *rig)
{
    for (uint32_t end = 0; end <= (uint32_t)rig->c->audio_apart; end++) {
        rig_send_report_to(rig, end);
    }
}

static inline int64_t rig_next_report_ns(const struct fault_rig *rig)
{
    return weir_max_i64(weir_sender_next_report_ns(rig->sender), rig->report_rests_ns);
}

static inline void rig_give_report(struct fault_rig *rig, struct rig_packet *packet)
{
    weir_receiver_on_rtcp(rig->ends[packet->end].receiver,
                          rig_peer_ns(rig, packet->end, rig->now_ns, 0), packet->report,
                          packet->bytes);
    rig_free_report(packet);
}

static inline void rig_arrive(struct fault_rig *rig)
{
    struct rig_flying *flying = g_queue_pop_head(rig->flying);
    if (flying->packet->report) {
        rig_give_report(rig, flying->packet);
    } else {
        rig_give_packet(rig, flying->packet, flying->number);
    }
    g_free(flying);
}

static inline int64_t rig_first_ns(const GQueue *queue)
{
    const int64_t *at_ns = queue->head ? queue->head->data : NULL; /* begins both kinds */
    return at_ns ? *at_ns : WEIR_NEVER_NS;
}

static inline int64_t rig_next_ns(const struct fault_rig *rig)
{
    const int64_t due_ns[] = {
        rig->next_frame_ns,        rig->next_audio_ns,
        rig_next_send_ns(rig),     rig->served_ns,
        rig_first_ns(rig->flying), rig_first_ns(rig->messages),
        rig->next_feedback_ns,     rig->next_sample_ns,
        rig_next_phase_ns(rig),    weir_sender_next_timer_ns(rig->sender),
        rig_next_report_ns(rig),
    };
    int64_t next_ns = due_ns[0];
    for (size_t i = 1; i < G_N_ELEMENTS(due_ns); i++) {
        next_ns = weir_min_i64(next_ns, due_ns[i]);
    }
    return weir_max_i64(next_ns, rig->now_ns);
}

static inline void rig_step(struct fault_rig *rig)
{
    int64_t now_ns = rig->now_ns;
    if (rig_next_phase_ns(rig) <= now_ns) {
        rig->phase++;
        rig_begin_service(rig);
    }
    if (!rig->was_reset && rig->c->reset_s > 0.0 && rig_s(now_ns) >= rig->c->reset_s) {
        rig_reset_peer(rig);
    }
    if (rig->served_ns <= now_ns) {
        rig_serve(rig);
    }
    while (rig_first_ns(rig->flying) <= now_ns) {
        rig_arrive(rig);
    }
    if (rig->next_feedback_ns <= now_ns) {
        rig_tell(rig);
    }
    while (rig_first_ns(rig->messages) <= now_ns) {
        rig_hear(rig);
    }
    if (weir_sender_next_timer_ns(rig->sender) <= now_ns) {
        weir_sender_on_timer(rig->sender, now_ns);
    }
    if (rig->next_frame_ns <= now_ns) {
        rig_encode(rig);
    }
    if (rig->next_audio_ns <= now_ns) {
        rig_send_audio(rig);
    }
    if (rig_next_send_ns(rig) <= now_ns) {
        rig_send_video(rig);
    }
    if (rig_next_report_ns(rig) <= now_ns) {
        rig->report_rests_ns = now_ns + (int64_t)(rig->c->sender_report_ms * 1e6);
        rig_send_report(rig);
    }
    if (rig->next_sample_ns <= now_ns) {
        rig_sample(rig);
    }
}

static inline void rig_run(struct fault_rig *rig)
{
    while (rig->now_ns < rig->end_ns) {
        rig->now_ns = rig_next_ns(rig);
        rig_step(rig);
    }
}

#endif
