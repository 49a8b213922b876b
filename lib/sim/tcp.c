/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine common to all variants: window, sending, timers. Recovery is in tcp_recovery.c.
 * Specification: RFC 5681, 6298, 3042; choices that they leave open as in ns-2 2.35.
 * Differs from the specification:
 *   - RFC 5681 4.2: the round trip of one packet at a time is measured, no timestamps.
 *   - the sender may add a random delay behind itself (tcp_flow.h), real hosts have it anyway. */
#include "sim/tcp.h"
#include "sim/tcp_recovery.h"
#include "weir/units.h"

#define MOST_WINDOW       (INT64_C(1) << 20)
#define LEAST_SSTHRESH    2
#define NEVER_SENT        (-1)
#define NOT_TIMED         (-1)
#define NOTHING_TO_REPAIR (-2) /* below the una of the first packet */

/* Reno, 1500-byte packets, receiver window 1000, initial window 2, limited transmit, without end.
 */
void weir__tcp_config_default(struct weir__tcp_config *config)
{
    *config = (struct weir__tcp_config){.variant = WEIR__TCP_RENO,
                                        .packet_bytes = 1500,
                                        .window_packets = 1000,
                                        .initial_window_packets = 2,
                                        .limited_transmit = true,
                                        .stop_ns = WEIR_NEVER_NS,
                                        .total_packets = INT64_MAX};
    weir__tcp_rto_config_default(&config->rto);
}

/* WEIR_ERROR_RANGE when a value is outside its range. */
enum weir_status weir__tcp_check(const struct weir__tcp_config *c)
{
    bool valid = c->packet_bytes >= 1 && c->packet_bytes <= 1000000 && c->window_packets >= 1 &&
                 c->window_packets <= MOST_WINDOW && c->initial_window_packets >= 1 &&
                 c->initial_ssthresh_packets >= 0 && c->start_ns >= 0 && c->total_packets >= 0 &&
                 c->rto.min_ns >= 1 && c->rto.max_ns >= c->rto.min_ns && c->rto.initial_ns >= 1 &&
                 c->rto.tick_ns >= 0 && c->rto.max_ns <= WEIR_SECONDS(3600);
    return valid ? WEIR_OK : WEIR_ERROR_RANGE;
}

static void on_control(void *target);
static void on_timeout(void *target);

/* A sender that starts by itself at start_ns. Registers timers and allocates the scoreboard. The
 * memory must not move afterwards. Call weir__tcp_finish() also after a failure. */
enum weir_status weir__tcp_init(struct weir__tcp *tcp, struct weir__sim *sim,
                                struct weir__packet_pool *pool,
                                const struct weir__tcp_config *config)
{
    *tcp = (struct weir__tcp){.config = *config,
                              .sim = sim,
                              .pool = pool,
                              .cwnd_packets = (double)config->initial_window_packets,
                              .ssthresh_packets = config->initial_ssthresh_packets > 0
                                                      ? config->initial_ssthresh_packets
                                                      : config->window_packets,
                              .una = -1,
                              .highest = -1,
                              .recover = NOTHING_TO_REPAIR,
                              .timed_seq = NOT_TIMED,
                              .last_sent_ns = NEVER_SENT,
                              .available_packets = config->total_packets};
    weir__tcp_rto_init(&tcp->rto, &config->rto);
    enum weir_status status = weir__tcp_check(config);
    if (status == WEIR_OK && config->variant == WEIR__TCP_SACK) {
        status = weir__tcp_scoreboard_init(&tcp->board, config->window_packets);
    }
    if (status == WEIR_OK) {
        status = weir__deadline_init(&tcp->retransmission, sim, on_timeout, tcp);
    }
    if (status == WEIR_OK) {
        status = weir__timer_init(&tcp->control, sim, on_control, tcp);
    }
    if (status == WEIR_OK) {
        weir__timer_set(&tcp->control, sim, config->start_ns);
    }
    return status;
}

/* Accepts a zeroed sender. */
void weir__tcp_finish(struct weir__tcp *tcp)
{
    weir__tcp_scoreboard_finish(&tcp->board);
}

static void on_control(void *target)
{
    struct weir__tcp *tcp = target;
    tcp->active = !tcp->active && tcp->sim->now_ns < tcp->config.stop_ns;
    if (tcp->active) {
        weir__timer_set(&tcp->control, tcp->sim, tcp->config.stop_ns);
        weir__tcp_send_allowed(tcp);
    } else {
        weir__deadline_clear(&tcp->retransmission);
    }
}

/* min(cwnd, receiver window), without the inflation of a recovery. */
double weir__tcp_window(const struct weir__tcp *tcp)
{
    double limit = (double)tcp->config.window_packets;
    return tcp->cwnd_packets < limit ? tcp->cwnd_packets : limit;
}

/* RFC 6298 5.1 to 5.3: the timer runs while data is outstanding. */
void weir__tcp_restart_timer(struct weir__tcp *tcp)
{
    if (tcp->highest > tcp->una) {
        weir__deadline_set(&tcp->retransmission, tcp->sim->now_ns + weir__tcp_rto_ns(&tcp->rto));
    } else {
        weir__deadline_clear(&tcp->retransmission);
    }
}

/* Karn: a packet that is sent again is not timed. */
static void account_sent(struct weir__tcp *tcp, int64_t seq)
{
    tcp->stats.sent_packets++;
    if (seq <= tcp->highest) {
        tcp->stats.resent_packets++;
        if (seq == tcp->timed_seq) {
            tcp->timed_seq = NOT_TIMED;
        }
    } else {
        tcp->highest = seq;
        if (tcp->timed_seq == NOT_TIMED) {
            tcp->timed_seq = seq;
            tcp->timed_ns = tcp->sim->now_ns;
        }
    }
    tcp->last_sent_ns = tcp->sim->now_ns;
}

/* Sends one packet, new or again. With an empty pool it counts as sent, and lost at once. */
void weir__tcp_send(struct weir__tcp *tcp, int64_t seq)
{
    account_sent(tcp, seq);
    if (tcp->retransmission.due_ns == WEIR_NEVER_NS) {
        weir__tcp_restart_timer(tcp);
    }
    struct weir__packet *packet = weir__packet_take(tcp->pool);
    if (packet) {
        packet->size_bytes = (int32_t)tcp->config.packet_bytes;
        packet->flow = tcp->config.flow;
        packet->seq = seq;
        packet->sent_ns = tcp->sim->now_ns;
        weir__port_send(&tcp->config.out, packet);
    }
}

/* RFC 5681 4.1: after an idle time longer than the RTO the window starts again. */
static void restart_after_idle(struct weir__tcp *tcp)
{
    double initial = (double)tcp->config.initial_window_packets;
    if (tcp->una == tcp->highest && tcp->last_sent_ns != NEVER_SENT &&
        tcp->sim->now_ns - tcp->last_sent_ns > weir__tcp_rto_ns(&tcp->rto) &&
        tcp->cwnd_packets > initial) {
        tcp->cwnd_packets = initial;
    }
}

/* Whether there is a packet never sent before that fits into the receiver's window. */
bool weir__tcp_can_send_new(const struct weir__tcp *tcp)
{
    return tcp->next == tcp->highest + 1 && tcp->next < tcp->available_packets &&
           tcp->next <= tcp->una + tcp->config.window_packets;
}

/* Sends while next <= una + floor(cwnd + inflation), at most the receiver's window. */
void weir__tcp_send_allowed(struct weir__tcp *tcp)
{
    restart_after_idle(tcp);
    int64_t window_packets =
        weir_min_i64((int64_t)tcp->cwnd_packets + tcp->dupwnd_packets, tcp->config.window_packets);
    while (tcp->next <= tcp->una + window_packets && tcp->next < tcp->available_packets) {
        tcp->next++;
        weir__tcp_send(tcp, tcp->next - 1);
    }
}

/* RFC 5681 3.2 equation 4, on the window as in ns-2; remembers what was outstanding. */
void weir__tcp_halve(struct weir__tcp *tcp)
{
    double half = weir__tcp_window(tcp) / 2.0;
    tcp->recover = tcp->highest;
    tcp->ssthresh_packets = weir_max_i64(LEAST_SSTHRESH, (int64_t)half);
    tcp->cwnd_packets = half > 1.0 ? half : 1.0;
}

/* RFC 6298 5.4 to 5.7 and RFC 5681 3.1 step 4: one packet, and again from the first hole on. */
static void on_timeout(void *target)
{
    struct weir__tcp *tcp = target;
    if (tcp->highest <= tcp->una) {
        return;
    }
    tcp->stats.timeouts++;
    weir__tcp_halve(tcp);
    weir__tcp_rto_on_timeout(&tcp->rto);
    tcp->cwnd_packets = 1.0;
    tcp->dupacks = 0;
    tcp->dupwnd_packets = 0;
    tcp->in_recovery = false;
    tcp->timed_seq = NOT_TIMED;
    tcp->next = tcp->una + 1;
    if (tcp->config.variant == WEIR__TCP_SACK) {
        weir__tcp_scoreboard_clear(&tcp->board);
    }
    weir__tcp_send_allowed(tcp);
}

static void on_packet(void *target, struct weir__packet *packet)
{
    struct weir__tcp *tcp = target;
    if (tcp->active && !packet->corrupt) {
        weir__tcp_on_ack(tcp, packet->ack, packet->sack, packet->n_sack);
    }
    weir__packet_give(tcp->pool, packet);
}

/* Where the ACKs go. */
struct weir__port weir__tcp_port(struct weir__tcp *tcp)
{
    return (struct weir__port){.on_packet = on_packet, .target = tcp};
}

/* The application writes `packets` >= 0 more. */
void weir__tcp_write(struct weir__tcp *tcp, int64_t packets)
{
    int64_t room = INT64_MAX - tcp->available_packets;
    tcp->available_packets += weir_min_i64(room, packets);
    if (tcp->active) {
        weir__tcp_send_allowed(tcp);
    }
}
