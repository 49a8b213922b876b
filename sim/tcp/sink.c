/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/sink.h"
#include "weir/receiver.h"
#include "weir/units.h"

#define PACKETS_PER_ACK 2

static void send_ack(void *target);

static void forget_recent(struct weir__tcp_sink *sink)
{
    for (size_t i = 0; i < WEIR__SACK_BLOCKS; i++) {
        sink->recent[i] = -1;
    }
}

/* Allocates the receive window. On failure nothing is left to finish. */
enum weir_status weir__tcp_sink_init(struct weir__tcp_sink *sink, struct weir__sim *sim,
                                     struct weir__packet_pool *pool,
                                     const struct weir__tcp_sink_config *config)
{
    *sink = (struct weir__tcp_sink){.config = *config, .sim = sim, .pool = pool, .highest = -1};
    forget_recent(sink);
    if (config->delayed_ack_ns > 0) {
        weir__deadline_init(&sink->delayed_ack, sim, send_ack, sink);
    }
    return weir__bitring_init(&sink->received, config->window_packets);
}

/* Accepts a zeroed sink. */
void weir__tcp_sink_finish(struct weir__tcp_sink *sink)
{
    weir__bitring_finish(&sink->received);
}

/* A fresh connection in place of one that has got everything; the numbers of packets go on, those
 * that leave before from_ns are ignored. */
void weir__tcp_sink_restart(struct weir__tcp_sink *sink, int64_t from_ns)
{
    sink->restarted_ns = from_ns;
    sink->unacknowledged_packets = 0;
    sink->echoes = 0;
    weir__deadline_clear(&sink->delayed_ack);
    forget_recent(sink);
}

/* RFC 2018 4: a block is reported as long as there is room, the latest first. recent[] names the
 * blocks by one of their packets each. */
static void add_sack_blocks(struct weir__tcp_sink *sink, struct weir__packet *ack)
{
    for (size_t i = 0; i < WEIR__SACK_BLOCKS; i++) {
        int64_t seq = sink->recent[i];
        if (seq < sink->expected) {
            continue;
        }
        bool known = false;
        for (size_t j = 0; j < ack->n_sack; j++) {
            known = known || (ack->sack[j].first <= seq && seq <= ack->sack[j].last);
        }
        if (!known) {
            ack->sack[ack->n_sack].first =
                weir__bitring_run_start(&sink->received, seq, sink->expected);
            ack->sack[ack->n_sack].last =
                weir__bitring_next_clear(&sink->received, seq, sink->highest + 1) - 1;
            ack->n_sack++;
        }
    }
}

/* Nothing is sent when the pool is empty: like a lost ACK. */
static void send_ack(void *target)
{
    struct weir__tcp_sink *sink = target;
    sink->unacknowledged_packets = 0;
    weir__deadline_clear(&sink->delayed_ack);
    struct weir__packet *ack = weir__packet_take(sink->pool);
    if (!ack) {
        return;
    }
    ack->size_bytes = (int32_t)sink->config.ack_bytes;
    ack->flow = sink->config.flow;
    ack->seq = sink->acks++;
    ack->sent_ns = sink->sim->now_ns;
    ack->ack = sink->expected - 1;
    ack->ecn_echo = sink->echoes;
    if (sink->config.sack && sink->highest >= sink->expected) {
        add_sack_blocks(sink, ack);
    }
    weir__port_send(&sink->config.out, ack);
}

/* Moves seq to the front of recent[], in place of a packet of the same block if there is one. */
static void remember_recent(struct weir__tcp_sink *sink, int64_t seq)
{
    int64_t start = weir__bitring_run_start(&sink->received, seq, sink->expected);
    int64_t end = weir__bitring_next_clear(&sink->received, seq, sink->highest + 1);
    size_t at = 0;
    while (at < WEIR__SACK_BLOCKS - 1 && (sink->recent[at] < start || sink->recent[at] >= end)) {
        at++;
    }
    for (; at > 0; at--) {
        sink->recent[at] = sink->recent[at - 1];
    }
    sink->recent[0] = seq;
}

/* The packet expected next: returns whether the ACK can wait (nothing is missing behind it). */
static bool take_in_order(struct weir__tcp_sink *sink)
{
    int64_t first = sink->expected;
    int64_t end = first + 1;
    bool filled = sink->highest > first;
    if (filled) {
        end = weir__bitring_next_clear(&sink->received, end, sink->highest + 1);
        weir__bitring_clear(&sink->received, first, end);
    }
    sink->expected = end;
    sink->highest = weir_max_i64(sink->highest, first);
    sink->unacknowledged_packets++;
    if (sink->config.observer.on_delivered) {
        sink->config.observer.on_delivered(sink->config.observer.target, first, end);
    }
    return !filled && sink->config.delayed_ack_ns > 0 &&
           sink->unacknowledged_packets < PACKETS_PER_ACK;
}

/* Records a packet inside the window; returns whether the ACK can wait. */
static bool take_packet(struct weir__tcp_sink *sink, int64_t seq, int64_t size_bytes)
{
    sink->distinct_packets++;
    sink->goodput_bytes += weir_max_i64(0, size_bytes - sink->config.header_bytes);
    if (seq == sink->expected) {
        return take_in_order(sink);
    }
    weir__bitring_set(&sink->received, seq, seq + 1);
    sink->highest = weir_max_i64(sink->highest, seq);
    if (sink->config.sack) {
        remember_recent(sink, seq);
    }
    return false;
}

static void count_arrival(struct weir__tcp_sink *sink, const struct weir__packet *packet)
{
    int64_t delay_ns = sink->sim->now_ns - packet->sent_ns;
    sink->arrived_packets++;
    sink->arrived_bytes += packet->size_bytes;
    sink->marked_packets += packet->ecn == WEIR_ECN_CE;
    sink->delay_sum_ns += (double)delay_ns;
    if (sink->config.observer.on_arrived) {
        sink->config.observer.on_arrived(sink->config.observer.target, delay_ns);
    }
}

/* A packet that is whole. In order: an ACK for every second one or after the delay; out of order,
 * filling a hole or repeated, or where marks begin or end (RFC 8257 3.2): at once. */
static void take(struct weir__tcp_sink *sink, int64_t seq, int64_t size_bytes, bool turns)
{
    bool can_wait = false;
    if (seq < sink->expected ||
        (seq <= sink->highest && weir__bitring_test(&sink->received, seq))) {
        sink->repeated_packets++;
    } else {
        can_wait = take_packet(sink, seq, size_bytes);
    }
    if (can_wait && !turns) {
        weir__deadline_set(&sink->delayed_ack, sink->sim->now_ns + sink->config.delayed_ack_ns);
    } else {
        send_ack(sink);
    }
}

/* RFC 3168 6.1.3: from a mark on, until the sender has reduced its window. Or the number. */
static uint8_t next_echo(const struct weir__tcp_sink *sink, const struct weir__packet *packet)
{
    bool marked = packet->ecn == WEIR_ECN_CE;
    return sink->config.counts_marks ? (uint8_t)(sink->echoes + marked)
                                     : marked || (sink->echoes && !packet->ecn_echo);
}

/* Damaged packets fail the checksum; those of an earlier connection, or above the window, are
 * thrown away. */
static void on_data(void *target, struct weir__packet *packet)
{
    struct weir__tcp_sink *sink = target;
    int64_t seq = packet->seq;
    int64_t size_bytes = packet->size_bytes;
    count_arrival(sink, packet);
    bool is_wanted = !packet->corrupt && packet->sent_ns >= sink->restarted_ns &&
                     seq < sink->expected + sink->config.window_packets;
    bool marked = packet->ecn == WEIR_ECN_CE;
    bool turns = sink->config.counts_marks && marked != sink->newest_marked;
    sink->echoes = is_wanted ? next_echo(sink, packet) : sink->echoes;
    weir__packet_give(sink->pool, packet);
    if (is_wanted) {
        sink->newest_marked = marked;
        take(sink, seq, size_bytes, turns);
    }
}

/* Where the data packets go. */
struct weir__port weir__tcp_sink_port(struct weir__tcp_sink *sink)
{
    return (struct weir__port){.on_packet = on_data, .target = sink};
}
