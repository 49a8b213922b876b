/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sending session in virtual time on one bottleneck, and a peer that is honest or not: its clock
 * and what it tells are the case's. The source is an encoder that follows its target within a third
 * of a second, at 30 frames/s whose sizes differ; audio may run beside it.
 *
 * With a format the peer is a real receiving session whose clock the case turns; without one the
 * packet results are made here, so that they may say anything. */
#ifndef WEIR_TESTS_FAULT_RIG_H
#define WEIR_TESTS_FAULT_RIG_H

#include "fault_peer.h"

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

static inline int64_t rig_frame_ns(const struct fault_rig *rig)
{
    return rig->c->frame_ms > 0.0 ? (int64_t)(rig->c->frame_ms * 1e6) : RIG_FRAME_NS;
}

static inline uint32_t rig_timestamp(const struct fault_rig *rig)
{
    return (uint32_t)(rig->now_ns / 1000 * 9 / 100) + rig->c->origin.timestamp;
}

static inline void rig_encode(struct fault_rig *rig)
{
    double target_bps = rig_source_bps(rig);
    double noise = 0.3 * (rig_random(rig) + rig_random(rig) - 1.0); /* sigma 0.12 */
    rig->next_frame_ns += rig_frame_ns(rig);
    rig->encoder_bps += (target_bps - rig->encoder_bps) / 10.0;
    double frame_bytes = rig->encoder_bps / 8.0 * rig_s(rig_frame_ns(rig)) * (1.0 + noise);
    if (rig->c->key_s > 0.0 && rig->next_key_ns <= rig->now_ns) {
        rig->next_key_ns = rig->now_ns + (int64_t)(rig->c->key_s * 1e9);
        frame_bytes *= 8.0;
    }
    if (rig_is_paused(rig) || (double)rig->queued_bytes * 8.0 > 0.25 * target_bps) {
        return;
    }
    int64_t left = weir_max_i64((int64_t)frame_bytes, 50);
    while (left > 0 && rig->n_queued < RIG_QUEUED) {
        int64_t payload = weir_min_i64(left, RIG_PAYLOAD);
        uint64_t slot = (rig->first_queued + rig->n_queued) % RIG_QUEUED;
        rig->queued[slot] = (struct rig_waiting){.bytes = (uint32_t)(payload + RIG_HEADER),
                                                 .timestamp = rig_timestamp(rig)};
        rig->n_queued++;
        rig->queued_bytes += payload + RIG_HEADER;
        left -= payload;
    }
    weir_sender_on_queue(rig->sender, rig_local_ns(rig), 0, rig->queued_bytes);
}

static inline int64_t rig_next_send_ns(const struct fault_rig *rig)
{
    if (rig->n_queued == 0) {
        return WEIR_NEVER_NS;
    }
    const struct rig_waiting *first = &rig->queued[rig->first_queued % RIG_QUEUED];
    return rig_deadline_ns(rig,
                           weir_sender_next_send_ns(rig->sender, rig_local_ns(rig), first->bytes));
}

static inline void rig_begin_service(struct fault_rig *rig)
{
    double mbps = rig_mbps(rig);
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

static inline void rig_mark(struct fault_rig *rig, struct rig_packet *packet)
{
    enum fault_ecn ecn = rig->c->ecn;
    bool is_long = rig_queue_ms(rig) > 20.0;
    if (ecn == FAULT_BLEACHES) {
        packet->ecn = WEIR_ECN_NOT_ECT;
    } else if (ecn == FAULT_MANGLES) {
        packet->ecn = (uint32_t)(rig->n_packets * 7 % 3);
    } else if (ecn == FAULT_ALL_CE && rig_is_forging(rig)) {
        packet->ecn = WEIR_ECN_CE;
    } else if (ecn == FAULT_MARKS && is_long && packet->ecn != WEIR_ECN_NOT_ECT) {
        packet->ecn = WEIR_ECN_CE;
    }
}

/* Whether somebody says that lost packets arrived whom the session cannot tell from the receiver
 * (SECURITY.md: feedback on packets, in the receiver's name). */
static inline bool rig_is_claimed(const struct fault_rig *rig)
{
    bool forges = rig->c->forger == FAULT_SEES_ALL && rig->c->forges_name && rig_is_forging(rig);
    return rig->c->claims_all || (forges && rig->run->format != WEIR_FEEDBACK_RR);
}

static inline void rig_count_lost(struct fault_rig *rig, struct rig_packet *packet)
{
    packet->arrived_ns = WEIR_NEVER_NS;
    for (size_t i = 0; i < FAULT_DEMANDS; i++) {
        rig->seen[i].n_lost += rig_in_window(rig, i);
    }
    if (rig_is_claimed(rig)) {
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
    rig_mark(rig, packet);
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
    rig->payload_mean_bytes += (packet->bytes - RIG_HEADER - rig->payload_mean_bytes) / 64.0;
    rig->last_sent_ns = rig->now_ns;
    for (size_t i = 0; i < FAULT_DEMANDS; i++) {
        rig->seen[i].n_sent += rig_in_window(rig, i);
    }
    if (!rig_queue(rig, packet, number)) {
        rig_count_lost(rig, packet);
    }
}

static inline void rig_serve(struct fault_rig *rig)
{
    struct rig_flying *flying = g_new(struct rig_flying, 1);
    *flying = rig->waiting[rig->first_waiting % RIG_NUMBERS];
    rig->first_waiting++;
    rig->n_waiting--;
    rig->waiting_bytes -= flying->packet->bytes + RIG_OVERHEAD;
    rig->served_ns = WEIR_NEVER_NS;
    int64_t delay_ns = rig_delay_ns(rig);
    if (rig->c->jitter_ms > 0.0) {
        delay_ns += (int64_t)(rig->c->jitter_ms * 1e6 * rig_random(rig));
    }
    flying->at_ns = weir_max_i64(rig->now_ns + delay_ns, rig->last_arrival_ns);
    rig->last_arrival_ns = flying->at_ns;
    if (rig->c->reorder_ms > 0.0 && rig->n_packets % 20 == 0) {
        flying->at_ns += (int64_t)(rig->c->reorder_ms * 1e6);
    }
    rig_insert(rig->flying, flying);
    rig_begin_service(rig);
}

static inline uint16_t rig_take_number(struct fault_rig *rig, uint32_t end)
{
    return rig->c->own_numbers ? rig->ends[end].transport_seq++
                               : weir_sender_take_transport_seq(rig->sender, end);
}

static inline void rig_name_packet(struct fault_rig *rig, struct rig_packet *packet, bool audio)
{
    if (rig->c->n_streams > 0 && !audio) {
        int64_t i = rig->n_packets % rig->c->n_streams;
        packet->ssrc = rig->ssrc + 2 * (uint32_t)i;
        packet->rtp_seq = rig->stream_seq[i]++;
    } else {
        packet->ssrc = rig->ssrc + audio;
        packet->rtp_seq = rig->rtp_seq[audio]++;
    }
}

static inline void rig_send(struct fault_rig *rig, uint32_t bytes, uint32_t timestamp, bool audio)
{
    uint32_t end = audio && rig->c->audio_apart ? 1 : 0;
    struct rig_end *e = &rig->ends[end];
    struct rig_packet *packet = &e->packets[e->n_sent % RIG_NUMBERS];
    *packet = (struct rig_packet){.sent_ns = rig->now_ns,
                                  .arrived_ns = WEIR_UNKNOWN_NS,
                                  .bytes = bytes,
                                  .transport_seq = rig_take_number(rig, end),
                                  .timestamp = timestamp,
                                  .ecn = weir_sender_get_ecn(rig->sender),
                                  .end = end};
    rig_name_packet(rig, packet, audio);
    struct weir_sent sent = {.ssrc = packet->ssrc,
                             .rtp_seq = packet->rtp_seq,
                             .rtp_timestamp = timestamp,
                             .transport_seq = packet->transport_seq,
                             .has_transport_seq = true,
                             .ecn = (uint8_t)packet->ecn,
                             .rtp_bytes = bytes,
                             .payload_bytes = bytes - RIG_HEADER,
                             .queued_bytes = end == 0 ? rig->queued_bytes : 0,
                             .flags = audio ? WEIR_SENT_AUDIO : 0u,
                             .member = end};
    g_assert_cmpint(weir_sender_on_sent(rig->sender, rig_local_ns(rig), &sent), ==, WEIR_OK);
    rig_show_ghosts(rig, packet);
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
        rig_send(rig, RIG_AUDIO_BYTES + RIG_HEADER, rig_timestamp(rig), true);
    }
}

/* Sender reports cross the bottleneck as media does. */
static inline void rig_send_report_to(struct fault_rig *rig, uint32_t end)
{
    uint8_t data[1500];
    size_t len;
    enum weir_status status = weir_sender_build_report(
        rig->sender, rig_local_ns(rig), end, rig_ntp(rig, rig->now_ns), data, sizeof(data), &len);
    if (status == WEIR_OK && rig->run->format != 0) {
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
    int64_t due_ns = rig_deadline_ns(rig, weir_sender_next_report_ns(rig->sender));
    return weir_max_i64(due_ns, rig->report_rests_ns);
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

static inline int64_t rig_next_timer_ns(const struct fault_rig *rig)
{
    return rig_deadline_ns(rig, weir_sender_next_timer_ns(rig->sender));
}

/* A peer with a clock of ours is asked when it wants to tell; one with another each millisecond. */
static inline int64_t rig_next_tell_ns(const struct fault_rig *rig)
{
    const int64_t began_ns = WEIR_SECONDS(5000) + rig->c->origin.peer_ns;
    if (rig->run->format == 0 || rig->c->clock || rig->c->clock_2) {
        return rig->next_feedback_ns;
    }
    int64_t due_ns = weir_receiver_next_feedback_ns(rig->ends[0].receiver);
    due_ns = weir_min_i64(due_ns, weir_receiver_next_feedback_ns(rig->ends[1].receiver));
    if (rig->forger && rig_is_forging(rig)) {
        due_ns = weir_min_i64(due_ns, weir_receiver_next_feedback_ns(rig->forger));
    }
    return due_ns == WEIR_NEVER_NS ? due_ns
                                   : weir_max_i64(rig->next_feedback_ns, due_ns - began_ns);
}

/* When the case itself does something next. */
static inline int64_t rig_next_event_ns(const struct fault_rig *rig)
{
    const double at_s[] = {rig->c->jump_at_s, rig->c->reset_s, rig->c->restart_s};
    int64_t next_ns = rig_next_phase_ns(rig);
    for (size_t i = 0; i < G_N_ELEMENTS(at_s); i++) {
        int64_t at_ns = (int64_t)(at_s[i] * 1e9);
        next_ns = at_ns > rig->now_ns ? weir_min_i64(next_ns, at_ns) : next_ns;
    }
    return next_ns;
}

static inline int64_t rig_next_ns(const struct fault_rig *rig)
{
    const int64_t due_ns[] = {
        rig->next_frame_ns,        rig->next_audio_ns,
        rig_next_send_ns(rig),     rig->served_ns,
        rig_first_ns(rig->flying), rig_first_ns(rig->messages),
        rig_first_ns(rig->ghosts), rig_next_tell_ns(rig),
        rig->next_forged_ns,       rig->next_sample_ns,
        rig_next_event_ns(rig),    rig_next_timer_ns(rig),
        rig_next_report_ns(rig),
    };
    int64_t next_ns = due_ns[0];
    for (size_t i = 1; i < G_N_ELEMENTS(due_ns); i++) {
        next_ns = weir_min_i64(next_ns, due_ns[i]);
    }
    return weir_max_i64(next_ns, rig->now_ns);
}

/* A new program: another stream, numbers from elsewhere, and nothing of the old one waits. */
static inline void rig_restart_sender(struct fault_rig *rig)
{
    rig->has_restarted = true;
    weir_sender_destroy(rig->sender);
    rig_create_sender(rig);
    rig->ssrc += 2;
    rig->rtp_seq[0] = 30000;
    rig->n_queued = 0;
    rig->queued_bytes = 0;
}

/* What happens to the path and to who sends and receives. */
static inline void rig_change(struct fault_rig *rig)
{
    double now_s = rig_s(rig->now_ns);
    if (rig_next_phase_ns(rig) <= rig->now_ns) {
        rig->phase++;
        rig_begin_service(rig);
    }
    if (!rig->was_reset && rig->c->reset_s > 0.0 && now_s >= rig->c->reset_s) {
        rig_reset_peer(rig);
    }
    if (!rig->has_restarted && rig->c->restart_s > 0.0 && now_s >= rig->c->restart_s) {
        rig_restart_sender(rig);
    }
}

static inline void rig_step_path(struct fault_rig *rig)
{
    int64_t now_ns = rig->now_ns;
    if (rig->served_ns <= now_ns) {
        rig_serve(rig);
    }
    while (rig_first_ns(rig->flying) <= now_ns) {
        rig_arrive(rig);
    }
    while (rig_first_ns(rig->ghosts) <= now_ns) {
        rig_see_ghost(rig);
    }
    if (rig_next_tell_ns(rig) <= now_ns) {
        rig_tell(rig);
    }
    while (rig_first_ns(rig->messages) <= now_ns) {
        rig_hear(rig);
    }
    if (rig->next_forged_ns <= now_ns) {
        rig_forge(rig);
    }
}

static inline void rig_step(struct fault_rig *rig)
{
    int64_t now_ns = rig->now_ns;
    rig_change(rig);
    rig_step_path(rig);
    if (rig_next_timer_ns(rig) <= now_ns) {
        weir_sender_on_timer(rig->sender, rig_local_ns(rig));
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
