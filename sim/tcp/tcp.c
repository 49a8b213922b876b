/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine common to all variants: window, sending, ACKs, timers. What an ACK does to the window
 * is in the files of the variants.
 * Specification: RFC 5681, 6298, 3042, 3168; choices that they leave open as in ns-2 2.35.
 * Differs from the specification:
 *   - RFC 5681 4.2: the round trip of one packet at a time is measured, no timestamps.
 *   - no handshake: the first flight is data.
 *   - RFC 3168 6.1.2: who is told of a mark with a window of one packet goes on at once.
 *   - the sender may add a random delay behind itself (flow.h), real hosts have it anyway. */
#include "sim/tcp/tcp.h"
#include "sim/tcp/cwv.h"
#include "weir/receiver.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>

#define MOST_WINDOW       (INT64_C(1) << 20)
#define LEAST_SSTHRESH    2
#define NEVER_SENT        (-1)
#define NOT_TIMED         (-1)
#define NOTHING_TO_REPAIR (-2) /* below the una of the first packet */

static const struct weir__tcp_hooks *const variants[WEIR__TCP_VARIANTS] = {
    [WEIR__TCP_RENO] = &weir__tcp_reno,         [WEIR__TCP_NEWRENO] = &weir__tcp_newreno,
    [WEIR__TCP_SACK] = &weir__tcp_sack,         [WEIR__TCP_VEGAS] = &weir__tcp_vegas,
    [WEIR__TCP_WESTWOOD] = &weir__tcp_westwood, [WEIR__TCP_CUBIC] = &weir__tcp_cubic,
    [WEIR__TCP_PRAGUE] = &weir__tcp_prague,
};

/* Reno, 1500-byte packets, receiver window 1000, initial window 2, limited transmit, restart after
 * idle times, without end. */
void weir__tcp_config_default(struct weir__tcp_config *config)
{
    *config = (struct weir__tcp_config){.variant = WEIR__TCP_RENO,
                                        .packet_bytes = 1500,
                                        .window_packets = 1000,
                                        .initial_window_packets = 2,
                                        .limited_transmit = true,
                                        .idle_restart = true,
                                        .stop_ns = WEIR_NEVER_NS,
                                        .total_packets = INT64_MAX};
    weir__tcp_rto_config_default(&config->rto);
}

/* WEIR_ERROR_RANGE when a value is outside its range. */
enum weir_status weir__tcp_check(const struct weir__tcp_config *c)
{
    bool valid = (unsigned)c->variant < WEIR__TCP_VARIANTS && c->packet_bytes >= 1 &&
                 c->packet_bytes <= 1000000 && c->window_packets >= 1 &&
                 c->window_packets <= MOST_WINDOW && c->initial_window_packets >= 1 &&
                 c->initial_ssthresh_packets >= 0 && c->start_ns >= 0 && c->total_packets >= 0 &&
                 c->rto.min_ns >= 1 && c->rto.max_ns >= c->rto.min_ns && c->rto.initial_ns >= 1 &&
                 c->rto.tick_ns >= 0 && c->rto.max_ns <= WEIR_SECONDS(3600);
    return valid ? WEIR_OK : WEIR_ERROR_RANGE;
}

/* Of a valid configuration: whether new data is ECN-capable. */
bool weir__tcp_is_ecn_capable(const struct weir__tcp_config *config)
{
    return config->ecn || variants[config->variant]->on_marks;
}

static void on_control(void *target);
static void on_timeout(void *target);

/* All that a fresh connection begins with; una, next and highest stay. */
static void begin(struct weir__tcp *tcp)
{
    const struct weir__tcp_config *config = &tcp->config;
    tcp->cwnd_packets = (double)config->initial_window_packets;
    tcp->ssthresh_packets = config->initial_ssthresh_packets > 0 ? config->initial_ssthresh_packets
                                                                 : config->window_packets;
    tcp->recover = NOTHING_TO_REPAIR;
    tcp->echo_recover = NOTHING_TO_REPAIR;
    tcp->reduced = false;
    tcp->marks_told = 0;
    tcp->timed_seq = NOT_TIMED;
    tcp->last_sent_ns = NEVER_SENT;
    tcp->dupacks = 0;
    tcp->dupwnd_packets = 0;
    tcp->in_recovery = false;
    tcp->filled_ns = tcp->sim->now_ns;
    tcp->used_packets = 0;
    weir__tcp_rto_init(&tcp->rto, &config->rto);
}

static enum weir_status init_parts(struct weir__tcp *tcp)
{
    enum weir_status status = WEIR_OK;
    if (tcp->hooks->sack) {
        status = weir__tcp_scoreboard_init(&tcp->board, tcp->config.window_packets);
    }
    return status == WEIR_OK && tcp->hooks->init ? tcp->hooks->init(tcp) : status;
}

/* A sender that starts by itself at start_ns. Allocates what the variant keeps. The memory must not
 * move afterwards. Call weir__tcp_finish() also after a failure. */
enum weir_status weir__tcp_init(struct weir__tcp *tcp, struct weir__sim *sim,
                                struct weir__packet_pool *pool,
                                const struct weir__tcp_config *config)
{
    *tcp = (struct weir__tcp){.sim = sim,
                              .pool = pool,
                              .una = -1,
                              .highest = -1,
                              .available_packets = config->total_packets,
                              .config = *config};
    enum weir_status status = weir__tcp_check(config);
    if (status != WEIR_OK) {
        return status;
    }
    tcp->hooks = variants[config->variant];
    tcp->config.ecn = weir__tcp_is_ecn_capable(config);
    tcp->config.byte_counting = config->byte_counting || tcp->hooks->on_marks;
    begin(tcp);
    weir__deadline_init(&tcp->retransmission, sim, on_timeout, tcp);
    weir__timer_init(&tcp->control, sim, on_control, tcp);
    status = init_parts(tcp);
    if (status == WEIR_OK) {
        weir__timer_set(&tcp->control, sim, config->start_ns);
    }
    return status;
}

/* Accepts a zeroed sender. */
void weir__tcp_finish(struct weir__tcp *tcp)
{
    weir__tcp_scoreboard_finish(&tcp->board);
    free(tcp->state);
    tcp->state = NULL;
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

/* RFC 3168 6.1.2 and 6.1.5: new data is ECN-capable, what is sent again is not. */
static void put_ecn(struct weir__tcp *tcp, struct weir__packet *packet)
{
    packet->ecn = tcp->hooks->on_marks ? WEIR_ECN_ECT1 : WEIR_ECN_ECT0;
    packet->ecn_echo = tcp->reduced;
    tcp->reduced = false;
}

/* Sends one packet, new or again. With an empty pool it counts as sent, and lost at once. */
void weir__tcp_send(struct weir__tcp *tcp, int64_t seq)
{
    bool is_new = seq > tcp->highest;
    account_sent(tcp, seq);
    if (tcp->hooks->on_sent) {
        tcp->hooks->on_sent(tcp, seq);
    }
    if (tcp->retransmission.due_ns == WEIR_NEVER_NS) {
        weir__tcp_restart_timer(tcp);
    }
    struct weir__packet *packet = weir__packet_take(tcp->pool);
    if (packet) {
        packet->size_bytes = (int32_t)tcp->config.packet_bytes;
        packet->flow = tcp->config.flow;
        packet->seq = seq;
        packet->sent_ns = tcp->sim->now_ns;
        if (tcp->config.ecn && is_new) {
            put_ecn(tcp, packet);
        }
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

/* Sends one packet never sent before, if there is one and it fits into the receiver's window.
 * Returns whether it did. */
bool weir__tcp_send_new(struct weir__tcp *tcp)
{
    bool can = tcp->next == tcp->highest + 1 && tcp->next < tcp->available_packets &&
               tcp->next <= tcp->una + tcp->config.window_packets;
    if (can) {
        tcp->next++;
        weir__tcp_send(tcp, tcp->next - 1);
    }
    return can;
}

/* cwnd and inflation in whole packets, at most the receiver's window. Where packets are paced the
 * pace keeps to the fraction, and the window is rounded up, as in Linux's Prague: rounded down, a
 * window of 2.9 packets would be one of 2. */
static int64_t whole_window(const struct weir__tcp *tcp)
{
    double cwnd = tcp->hooks->on_marks ? ceil(tcp->cwnd_packets) : floor(tcp->cwnd_packets);
    return weir_min_i64((int64_t)cwnd + tcp->dupwnd_packets, tcp->config.window_packets);
}

/* Sends while the packet fits into the window, at most so many. */
void weir__tcp_send_burst(struct weir__tcp *tcp, int64_t most_packets)
{
    if (tcp->next >= tcp->available_packets) {
        return;
    }
    if (tcp->config.cwv) {
        weir__tcp_cwv_before_sending(tcp, weir__tcp_window(tcp));
    } else if (tcp->config.idle_restart) {
        restart_after_idle(tcp);
    }
    int64_t limit = weir_min_i64(tcp->una + whole_window(tcp), tcp->available_packets - 1);
    int64_t left = weir_min_i64(limit - tcp->next + 1, most_packets);
    bool sends = left > 0;
    for (; left > 0; left--) {
        tcp->next++;
        weir__tcp_send(tcp, tcp->next - 1);
    }
    if (sends && tcp->config.cwv) {
        weir__tcp_cwv_after_sending(tcp, weir__tcp_window(tcp));
    }
}

/* All that the windows and the application let go. */
void weir__tcp_send_allowed(struct weir__tcp *tcp)
{
    weir__tcp_send_burst(tcp, INT64_MAX);
}

/* RFC 5681 3.2 equation 4, on the window as in ns-2. */
void weir__tcp_halve(struct weir__tcp *tcp)
{
    double half = weir__tcp_window(tcp) / 2.0;
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
    if (tcp->hooks->reduce_on_timeout) {
        tcp->hooks->reduce_on_timeout(tcp);
    } else {
        weir__tcp_halve(tcp);
    }
    tcp->recover = tcp->highest;
    tcp->reduced = true;
    weir__tcp_rto_on_timeout(&tcp->rto);
    tcp->cwnd_packets = 1.0;
    tcp->dupacks = 0;
    tcp->dupwnd_packets = 0;
    tcp->in_recovery = false;
    tcp->timed_seq = NOT_TIMED;
    tcp->next = tcp->una + 1;
    if (tcp->hooks->on_timeout) {
        tcp->hooks->on_timeout(tcp);
    }
    weir__tcp_send_allowed(tcp);
}

/* RFC 6298 4: takes the sample if this ACK covers the packet that is timed. */
static void take_rtt_sample(struct weir__tcp *tcp)
{
    if (tcp->timed_seq >= 0 && tcp->una >= tcp->timed_seq) {
        weir__tcp_rto_on_sample(&tcp->rto, tcp->timed_ns, tcp->sim->now_ns);
        tcp->timed_seq = NOT_TIMED;
    }
}

/* One ACK: everything up to packet `ack` has arrived in order, and the blocks above it. A SACK
 * sender counts only duplicates that say something new, until it is in recovery. */
void weir__tcp_on_ack(struct weir__tcp *tcp, int64_t ack, const struct weir__sack_block *blocks,
                      size_t n_blocks)
{
    bool is_news = true;
    if (ack > tcp->highest) {
        return;
    }
    if (tcp->hooks->sack) {
        weir__tcp_scoreboard_on_ack(&tcp->board, ack);
        is_news = weir__tcp_scoreboard_on_sack(&tcp->board, blocks, n_blocks);
    }
    if (ack > tcp->una) {
        int64_t acked_packets = ack - tcp->una;
        tcp->una = ack;
        tcp->next = weir_max_i64(tcp->next, ack + 1);
        take_rtt_sample(tcp);
        tcp->hooks->on_new_ack(tcp, acked_packets);
    } else if (ack == tcp->una && tcp->highest > tcp->una && (is_news || tcp->in_recovery)) {
        tcp->hooks->on_dupack(tcp);
    }
}

/* RFC 3168 6.1.2: a mark reduces the window as a loss would, once per window of data. */
static void heed_echo(struct weir__tcp *tcp, int64_t ack)
{
    int64_t known = weir_max_i64(tcp->recover, tcp->echo_recover);
    if (!tcp->in_recovery && ack > known && ack >= tcp->una && ack <= tcp->highest) {
        tcp->stats.echoes++;
        tcp->hooks->reduce(tcp);
        tcp->echo_recover = tcp->highest;
        tcp->reduced = true;
    }
}

/* The count comes modulo 256; one that is lower is of an older ACK. */
static void take_marks(struct weir__tcp *tcp, const struct weir__packet *packet)
{
    uint8_t news = (uint8_t)(packet->ecn_echo - tcp->marks_told);
    if (packet->ack > tcp->highest || news > UINT8_MAX / 2) {
        return;
    }
    tcp->marks_told = packet->ecn_echo;
    tcp->echoed_packets = news;
    tcp->hooks->on_marks(tcp, packet->ack, news);
}

/* What the ACK tells of marks, before what it acknowledges. */
static void take_echo(struct weir__tcp *tcp, const struct weir__packet *packet)
{
    tcp->echoed_packets = 0;
    if (tcp->hooks->on_marks) {
        take_marks(tcp, packet);
    } else if (tcp->config.ecn && packet->ecn_echo) {
        tcp->echoed_packets = INT64_MAX;
        heed_echo(tcp, packet->ack);
    }
}

static void on_packet(void *target, struct weir__packet *packet)
{
    struct weir__tcp *tcp = target;
    bool done_before = tcp->una + 1 >= tcp->available_packets;
    if (tcp->active && !packet->corrupt && packet->sent_ns >= tcp->restarted_ns) {
        take_echo(tcp, packet);
        weir__tcp_on_ack(tcp, packet->ack, packet->sack, packet->n_sack);
    }
    weir__packet_give(tcp->pool, packet);
    if (!done_before && tcp->config.on_done && tcp->una + 1 >= tcp->available_packets) {
        tcp->config.on_done(tcp->config.done_target);
    }
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

/* A fresh connection in place of one whose data is all acknowledged, with `packets` >= 0 to send.
 * The numbers of packets go on; ACKs that were under way are not heard. */
void weir__tcp_restart(struct weir__tcp *tcp, int64_t packets)
{
    tcp->restarted_ns = tcp->sim->now_ns;
    weir__deadline_clear(&tcp->retransmission);
    begin(tcp);
    if (tcp->hooks->restart) {
        tcp->hooks->restart(tcp);
    }
    weir__tcp_write(tcp, packets);
}
