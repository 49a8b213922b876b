/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The peer of the rig, who is honest or lies, and those who forge feedback beside it. */
#ifndef WEIR_TESTS_FAULT_PEER_H
#define WEIR_TESTS_FAULT_PEER_H

#include "fault_figures.h"

static inline bool rig_is_forging(const struct fault_rig *rig)
{
    double now_s = rig_s(rig->now_ns);
    return now_s >= rig->c->forger_from_s && now_s < rig->c->forger_to_s;
}

static inline bool rig_is_nth(int64_t number, int64_t each)
{
    return each > 0 && number % each == 0;
}

/* By time, which everything in these queues begins with; behind its equals. */
static inline void rig_insert(GQueue *queue, void *item)
{
    GList *after = queue->tail;
    while (after && *(const int64_t *)after->data > *(const int64_t *)item) {
        after = after->prev;
    }
    g_queue_insert_after(queue, after, item);
}

static inline void rig_put_32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static inline void rig_give_receiver(struct fault_rig *rig, struct weir_receiver *receiver,
                                     const struct rig_packet *packet)
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
    weir_receiver_on_rtp(receiver, rig_peer_ns(rig, packet->end, rig->now_ns, packet->sent_ns),
                         data, packet->bytes, packet->ecn);
}

static inline void rig_give_packet(struct fault_rig *rig, struct rig_packet *packet, int64_t number)
{
    struct rig_end *e = &rig->ends[packet->end];
    packet->arrived_ns = rig->now_ns;
    rig_prove(rig, packet->sent_ns, packet->bytes + RIG_OVERHEAD);
    for (size_t i = 0; i < FAULT_DEMANDS; i++) {
        rig->seen[i].delivered_bytes += rig_in_window(rig, i) ? packet->bytes + RIG_OVERHEAD : 0;
    }
    if (number <= e->told) {
        g_array_append_val(e->late, number);
    }
    e->highest = weir_max_i64(e->highest, number);
    rig->delivered_bytes += packet->bytes + RIG_OVERHEAD;
    for (int64_t i = 0;
         e->receiver && !rig->c->claims_all && i <= rig_is_nth(number, rig->c->duplicate); i++) {
        rig_give_receiver(rig, e->receiver, packet);
    }
}

static inline void rig_post(struct fault_rig *rig, struct rig_message *message)
{
    int64_t number = rig->n_feedbacks++;
    double now_s = rig_s(rig->now_ns);
    bool is_muted = now_s >= rig->c->mute_from_s && now_s < rig->c->mute_to_s;
    message->at_ns = rig->now_ns + rig_delay_ns(rig);
    if (rig->c->feedback_jitter_ms > 0.0) {
        message->at_ns += (int64_t)(rig->c->feedback_jitter_ms * 1e6 * rig_random(rig));
    }
    if (is_muted || rig_is_nth(number, rig->c->lose_feedback)) {
        g_free(message);
    } else {
        rig_insert(rig->messages, message);
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

/* A liar does not know which numbers were left out. */
static inline void rig_claim_gap(struct fault_rig *rig, struct rig_message *message,
                                 const struct weir_packet_result *newest)
{
    struct rig_end *e = &rig->ends[message->end];
    for (int i = 0; rig->c->claims_all && i < 2; i++) {
        if ((uint16_t)(newest->transport_seq - ++e->claimed_seq) == 0) {
            return;
        }
        message->u.results[message->n] = *newest;
        message->u.results[message->n++].transport_seq = e->claimed_seq;
    }
    e->claimed_seq = newest->transport_seq;
}

static inline void rig_tell_results(struct fault_rig *rig, uint32_t end)
{
    struct rig_end *e = &rig->ends[end];
    size_t most = (size_t)(e->highest - e->told) + e->late->len;
    if (most == 0) {
        return;
    }
    struct rig_message *message =
        g_malloc0(sizeof(*message) + 4 * most * sizeof(struct weir_packet_result));
    message->end = end;
    for (guint i = 0; i < e->late->len; i++) {
        message->u.results[message->n++] = rig_result(rig, end, g_array_index(e->late, int64_t, i));
    }
    g_array_set_size(e->late, 0);
    while (e->told < e->highest) {
        struct weir_packet_result result = rig_result(rig, end, ++e->told);
        rig_claim_gap(rig, message, &result);
        message->u.results[message->n++] = result;
    }
    rig_post(rig, message);
}

static inline void rig_tell_rtcp(struct fault_rig *rig, struct weir_receiver *receiver,
                                 uint32_t end)
{
    int64_t peer_ns = rig_peer_ns(rig, end, rig->now_ns, 0);
    for (int i = 0; i < 100 && weir_receiver_next_feedback_ns(receiver) <= peer_ns; i++) {
        struct rig_message *message = g_malloc0(sizeof(*message) + 1500);
        message->end = end;
        bool is_sane = llabs(peer_ns) < WEIR_SECONDS(100000000);
        uint64_t ntp = rig_ntp(rig, is_sane ? peer_ns - rig->c->origin.peer_ns
                                            : peer_ns % WEIR_SECONDS(100000));
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
        if (rig->run->format != 0) {
            rig_tell_rtcp(rig, rig->ends[end].receiver, end);
        } else {
            rig_tell_results(rig, end);
        }
    }
    if (rig->forger && rig_is_forging(rig)) {
        rig_tell_rtcp(rig, rig->forger, 0);
    }
    rig->next_feedback_ns =
        rig->now_ns + (rig->run->format != 0 ? WEIR_MS(1) : (int64_t)(ms * 1e6));
}

static inline void rig_hear(struct fault_rig *rig)
{
    struct rig_message *message = g_queue_pop_head(rig->messages);
    rig->heard_ns = rig->now_ns;
    for (int i = 0; i <= (int)rig->c->feedback_twice; i++) {
        if (message->len > 0) {
            weir_sender_on_rtcp(rig->sender, rig_local_ns(rig), message->end, message->u.data,
                                message->len);
        } else {
            weir_sender_on_packet_results(rig->sender, rig_local_ns(rig), message->end,
                                          message->u.results, message->n);
        }
    }
    bool is_recorded = rig->c->forger == FAULT_REPLAYS && message->len > 0 &&
                       rig_s(rig->now_ns) < rig->c->forger_from_s;
    if (is_recorded) {
        g_ptr_array_add(rig->recorded, message);
    } else {
        g_free(message);
    }
}

static inline void rig_reset_peer(struct fault_rig *rig)
{
    rig->was_reset = true;
    for (uint32_t i = 0; i < RIG_ENDS; i++) {
        if (rig->run->format != 0) {
            weir_receiver_destroy(rig->ends[i].receiver);
            rig->ends[i].receiver = rig_create_receiver(rig, i, 0x1000 + i);
        } else {
            rig->ends[i].transport_seq = 1;
        }
    }
}

static inline void rig_show_ghost(struct fault_rig *rig, struct weir_receiver *receiver,
                                  const struct rig_packet *packet, uint16_t ahead)
{
    struct rig_ghost *ghost = g_new(struct rig_ghost, 1);
    *ghost = (struct rig_ghost){rig->now_ns + rig_delay_ns(rig), receiver, *packet};
    ghost->packet.rtp_seq = (uint16_t)(packet->rtp_seq + ahead);
    ghost->packet.transport_seq = (uint16_t)(packet->transport_seq + ahead);
    rig_insert(rig->ghosts, ghost);
}

/* A liar does not know which transport-wide numbers were left out, and claims them too. */
static inline void rig_show_gap(struct fault_rig *rig, const struct rig_packet *packet)
{
    struct rig_end *e = &rig->ends[packet->end];
    struct rig_packet between = *packet;
    between.transport_seq = ++e->claimed_seq;
    if (rig->run->format == WEIR_FEEDBACK_TWCC && between.transport_seq != packet->transport_seq &&
        e->n_sent > 0) {
        rig_show_ghost(rig, e->receiver, &between, 0);
    }
    e->claimed_seq = packet->transport_seq;
}

/* What a liar or a forger claims to have received; neither waits in the queue. */
static inline void rig_show_ghosts(struct fault_rig *rig, const struct rig_packet *packet)
{
    enum fault_forger forger = rig->c->forger;
    if (rig->c->claims_all && rig->run->format != 0) {
        rig_show_gap(rig, packet);
        rig_show_ghost(rig, rig->ends[packet->end].receiver, packet, 0);
    }
    if (rig->forger && (forger != FAULT_SEES_FEW || rig->n_packets % 20 == 0)) {
        rig_show_ghost(rig, rig->forger, packet, forger == FAULT_SEES_UNSENT ? 3000 : 0);
    }
}

static inline void rig_see_ghost(struct fault_rig *rig)
{
    struct rig_ghost *ghost = g_queue_pop_head(rig->ghosts);
    rig_give_receiver(rig, ghost->receiver, &ghost->packet);
    g_free(ghost);
}

/* A receiver report in the name of somebody new: nothing lost, nothing received. */
static inline size_t rig_write_stranger(struct fault_rig *rig, uint8_t *data)
{
    memset(data, 0, 32);
    rig_put_32(data, 0x81c90007);
    rig_put_32(data + 4, (uint32_t)(rig->random >> 32) ^ (uint32_t)rig->n_forged);
    rig_put_32(data + 8, rig->ssrc);
    return 32;
}

/* One datagram of a flood, or the next one of those recorded. */
static inline void rig_forge(struct fault_rig *rig)
{
    uint8_t flood[32] = {0x80, 210, 0, 1, 0, 0, 0, 9};
    const uint8_t *data = flood;
    size_t len = 8;
    if (rig->c->forger == FAULT_REPLAYS) {
        const struct rig_message *message =
            rig->recorded->pdata[rig->n_replayed++ % rig->recorded->len];
        data = message->u.data;
        len = message->len;
    } else if (rig->c->forger == FAULT_MALFORMED) {
        rig_put_32(flood, 0x81c900ff);
    } else if (rig->c->forger == FAULT_STRANGERS) {
        len = rig_write_stranger(rig, flood);
    }
    weir_sender_on_rtcp(rig->sender, rig_local_ns(rig), 0, data, len);
    rig->n_forged++;
    rig->next_forged_ns += (int64_t)(1e9 / rig->c->forger_per_s);
    if (rig_s(rig->next_forged_ns) >= rig->c->forger_to_s) {
        rig->next_forged_ns = WEIR_NEVER_NS;
    }
}

#endif
