/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DualPI2 by RFC 9332 A.1 and A.2. What it leaves open as in Linux (net/sched/sch_dualpi2.c): the
 * scheduler is a weighted round robin, the L4S queue marks by a step, and the controller follows
 * the longer wait of the two, so that L4S packets that do not answer are dropped in the end. */
#include "sim/network/queue_dualpi2.h"
#include "weir/receiver.h"
#include "weir/units.h"

#define LONGEST_NS   WEIR_SECONDS(3600)
#define PACKET_BYTES 1500

/* RFC 9332 A.1: 15 ms, round trips up to 100 ms, coupling 2, and no step while at most one packet
 * is left behind (Th_len, compared after the packet is taken). Linux: a step of 1 ms, a tenth of
 * the link for the classic queue. Linux 6.17 leaves Th_len out unless told (min_qlen_step). */
void weir__dualpi2_config_default(struct weir__dualpi2_config *config)
{
    const double target_s = 0.015;
    const double longest_rtt_s = 0.1;
    *config = (struct weir__dualpi2_config){
        .target_ns = WEIR_MS(15),
        .update_ns = WEIR_MS(15),
        .alpha_hz = 0.1 * target_s / (longest_rtt_s * longest_rtt_s),
        .beta_hz = 0.3 / longest_rtt_s,
        .coupling = 2.0,
        .step_ns = WEIR_MS(1),
        .step_packets = 2,
        .classic_share = 0.1,
    };
}

static bool is_time(int64_t time_ns)
{
    return time_ns > 0 && time_ns <= LONGEST_NS;
}

/* While one queue is empty the other owes nothing; the L4S queue begins. */
static void settle(struct weir__dualpi2 *dual)
{
    dual->credit_bytes = PACKET_BYTES * (2.0 * dual->config.classic_share - 1.0);
}

/* Two empty queues. WEIR_ERROR_RANGE for a value outside its range; times end at one hour. */
enum weir_status weir__dualpi2_init(struct weir__dualpi2 *dual,
                                    const struct weir__dualpi2_config *config)
{
    bool valid = is_time(config->target_ns) && is_time(config->update_ns) &&
                 is_time(config->step_ns) && config->alpha_hz > 0.0 && config->alpha_hz <= 1e6 &&
                 config->beta_hz > 0.0 && config->beta_hz <= 1e6 && config->coupling >= 1.0 &&
                 config->coupling <= 1e6 && config->step_packets >= 0 &&
                 config->classic_share >= 0.0 && config->classic_share <= 1.0;
    if (!valid) {
        return WEIR_ERROR_RANGE;
    }
    *dual = (struct weir__dualpi2){.config = *config};
    settle(dual);
    return WEIR_OK;
}

/* RFC 9332 A.1, dualpi2_update: p' after an update, in [0, 1]. */
double weir__dualpi2_next_base(const struct weir__dualpi2_config *config, double base,
                               int64_t wait_ns, int64_t last_wait_ns)
{
    double next = base + config->alpha_hz * (double)(wait_ns - config->target_ns) * 1e-9 +
                  config->beta_hz * (double)(wait_ns - last_wait_ns) * 1e-9;
    return next < 0.0 ? 0.0 : next > 1.0 ? 1.0 : next;
}

/* p_CL = k p', of L4S packets; 1 and more is overload. */
double weir__dualpi2_coupled(const struct weir__dualpi2_config *config, double base)
{
    return config->coupling * base;
}

/* p_C = p'^2 */
double weir__dualpi2_classic(double base)
{
    return base * base;
}

static int64_t longest_wait_ns(const struct weir__dualpi2 *dual, int64_t now_ns)
{
    int64_t since_ns = weir_min_i64(weir__queue_fifo_since_ns(&dual->l4s),
                                    weir__queue_fifo_since_ns(&dual->classic));
    return weir_max_i64(0, now_ns - since_ns);
}

/* Marks do not help any more (A.2). */
static bool is_overload(const struct weir__dualpi2 *dual)
{
    return weir__dualpi2_coupled(&dual->config, dual->base) >= 1.0;
}

/* The updates due by now: nothing has come or gone since, so the waits then are known. Those that
 * would change nothing are skipped. */
static void update(struct weir__dualpi2 *dual, int64_t now_ns)
{
    if (dual->next_ns == 0) {
        dual->next_ns = now_ns + dual->config.update_ns;
    }
    while (dual->next_ns <= now_ns) {
        int64_t longest_ns = longest_wait_ns(dual, dual->next_ns);
        bool idle = longest_ns == 0 && dual->last_wait_ns == 0 && dual->base <= 0.0;
        bool stuck = longest_ns > dual->config.target_ns && dual->base >= 1.0;
        if (idle || stuck) {
            int64_t missed = (now_ns - dual->next_ns) / dual->config.update_ns;
            dual->next_ns += missed * dual->config.update_ns;
            dual->counts.overload_ns += stuck ? missed * dual->config.update_ns : 0;
            longest_ns = longest_wait_ns(dual, dual->next_ns);
        }
        dual->base =
            weir__dualpi2_next_base(&dual->config, dual->base, longest_ns, dual->last_wait_ns);
        dual->last_wait_ns = longest_ns;
        dual->counts.overload_ns += is_overload(dual) ? dual->config.update_ns : 0;
        dual->next_ns += dual->config.update_ns;
    }
}

/* Classifies the packet (RFC 9332 2.3), appends it and notes when. */
void weir__dualpi2_push(struct weir__dualpi2 *dual, struct weir__packet *packet, int64_t now_ns)
{
    bool is_l4s = packet->ecn == WEIR_ECN_ECT1 || packet->ecn == WEIR_ECN_CE;
    update(dual, now_ns);
    weir__queue_fifo_push(is_l4s ? &dual->l4s : &dual->classic, packet, now_ns);
}

/* Whose turn it is; there is a packet. */
static bool is_turn_of_l4s(struct weir__dualpi2 *dual)
{
    if (dual->l4s.packets == 0 || dual->classic.packets == 0) {
        settle(dual);
        return dual->l4s.packets > 0;
    }
    return dual->credit_bytes <= 0.0;
}

/* RFC 9332 A.1, recur: true as often as the likelihood says, at even distances. */
static bool recurs(double *sum, double likelihood)
{
    *sum += likelihood;
    bool recurs_now = *sum >= 1.0;
    *sum -= recurs_now ? 1.0 : 0.0;
    return recurs_now;
}

/* Of a packet that leaves. */
static struct weir__packet *count_sent(struct weir__dualpi2_queue_counts *counts,
                                       struct weir__packet *packet, bool marks, int64_t now_ns)
{
    counts->sent_packets++;
    counts->waited_ns += now_ns - packet->queued_ns;
    if (marks) {
        counts->marked_packets++;
        packet->ecn = WEIR_ECN_CE;
    }
    return packet;
}

/* Of a packet that does not; NULL, in its place. */
static struct weir__packet *count_dropped(struct weir__dualpi2_queue_counts *counts,
                                          struct weir__packet *packet,
                                          struct weir__packet_list *dropped)
{
    counts->dropped_packets++;
    weir__packet_list_push(dropped, packet);
    return NULL;
}

/* The next L4S packet; NULL: dropped, since marks do not help any more (A.2): then what is left is
 * marked. */
static struct weir__packet *pop_l4s(struct weir__dualpi2 *dual, struct weir__packet_list *dropped,
                                    int64_t now_ns)
{
    struct weir__packet *packet = weir__queue_fifo_take(&dual->l4s);
    bool marks = is_overload(dual);
    bool above = now_ns - packet->queued_ns > dual->config.step_ns &&
                 dual->l4s.packets >= dual->config.step_packets;
    dual->credit_bytes += dual->config.classic_share * packet->size_bytes;
    if (marks && recurs(&dual->l4s_sum, weir__dualpi2_classic(dual->base))) {
        return count_dropped(&dual->counts.l4s, packet, dropped);
    }
    double coupled = weir__dualpi2_coupled(&dual->config, dual->base);
    marks = marks || recurs(&dual->l4s_sum, above ? 1.0 : coupled);
    return count_sent(&dual->counts.l4s, packet, marks, now_ns);
}

/* The next classic packet; NULL: dropped. In overload nothing is marked (A.2). */
static struct weir__packet *pop_classic(struct weir__dualpi2 *dual,
                                        struct weir__packet_list *dropped, int64_t now_ns)
{
    struct weir__packet *packet = weir__queue_fifo_take(&dual->classic);
    double p = weir__dualpi2_classic(dual->base);
    dual->credit_bytes -= (1.0 - dual->config.classic_share) * packet->size_bytes;
    bool signals = recurs(&dual->classic_sum, p);
    if (signals && (packet->ecn == WEIR_ECN_NOT_ECT || is_overload(dual))) {
        return count_dropped(&dual->counts.classic, packet, dropped);
    }
    return count_sent(&dual->counts.classic, packet, signals, now_ns);
}

/* The next packet to send, NULL when there is none. Those that must go before it are appended to
 * `dropped`. */
struct weir__packet *weir__dualpi2_pop(struct weir__dualpi2 *dual,
                                       struct weir__packet_list *dropped, int64_t now_ns)
{
    struct weir__packet *packet = NULL;
    update(dual, now_ns);
    while (!packet && dual->l4s.packets + dual->classic.packets > 0) {
        packet = is_turn_of_l4s(dual) ? pop_l4s(dual, dropped, now_ns)
                                      : pop_classic(dual, dropped, now_ns);
    }
    return packet;
}

/* Any packet, NULL when there is none: for the end of the simulation. */
struct weir__packet *weir__dualpi2_take(struct weir__dualpi2 *dual)
{
    struct weir__packet *packet = weir__queue_fifo_take(&dual->l4s);
    return packet ? packet : weir__queue_fifo_take(&dual->classic);
}
