/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/flow.h"
#include "weir/units.h"

#define SPARE_PACKETS   16
#define PACE            1.0 /* windows per round trip: Linux's Prague, others 1.2 */
#define PACE_SLOW_START 2.0
#define FIRST_STREAM    (UINT64_C(1) << 32) /* of the flows; links have those below */

/* Defaults of weir__tcp_config_default(), 40-byte headers and ACKs, these delayed by up to 100 ms
 * (ns-2). */
void weir__tcp_flow_config_default(struct weir__tcp_flow_config *config)
{
    *config = (struct weir__tcp_flow_config){
        .header_bytes = 40, .ack_bytes = 40, .delayed_ack_ns = WEIR_MS(100)};
    weir__tcp_config_default(&config->tcp);
}

/* As a present Linux sends and acknowledges: SACK, an initial window of 10, one increase of the
 * window per round trip whatever the ACKs, an ACK for every second packet or after 40 ms,
 * timestamps in the headers. `tcp.variant` may be WEIR__TCP_CUBIC instead. Not in it: RACK,
 * proportional rate reduction, pacing, and quick ACKs at the start of a connection.
 * scenarios/profiles/linux.json says the same. */
void weir__tcp_flow_config_linux(struct weir__tcp_flow_config *config)
{
    weir__tcp_flow_config_default(config);
    config->header_bytes = 52;
    config->ack_bytes = 52;
    config->delayed_ack_ns = WEIR_MS(40);
    config->tcp.variant = WEIR__TCP_SACK;
    config->tcp.initial_window_packets = 10;
    config->tcp.window_packets = 2000;
    config->tcp.byte_counting = true;
    config->tcp.rto.initial_ns = WEIR_SECONDS(1);
    config->tcp.rto.max_ns = WEIR_SECONDS(120);
    config->tcp.rto.tick_ns = 0;
}

/* When the packet may leave: a window is spread over a round trip, or half of one while it doubles
 * (as in Linux's Prague). */
static int64_t pace(struct weir__tcp_flow *flow, int64_t now_ns)
{
    const struct weir__tcp *tcp = &flow->sender;
    bool slow_start = tcp->cwnd_packets < (double)tcp->ssthresh_packets;
    double factor = slow_start ? PACE_SLOW_START : PACE;
    double gap_ns = (double)tcp->rto.srtt_ns / (factor * tcp->cwnd_packets);
    int64_t at_ns = weir_max_i64(now_ns, flow->paced_ns);
    flow->paced_ns = at_ns + (int64_t)gap_ns;
    return at_ns;
}

/* The round trip begins when the packet leaves: with its wait for the pacer in it any round trip
 * would do, as the pace follows it. */
static int64_t wait_for_pacer(struct weir__tcp_flow *flow, struct weir__packet *packet)
{
    int64_t wait_ns = pace(flow, packet->sent_ns) - packet->sent_ns;
    packet->sent_ns += wait_ns;
    flow->sender.timed_ns += packet->seq == flow->sender.timed_seq ? wait_ns : 0;
    return wait_ns;
}

static void to_access(void *target, struct weir__packet *packet)
{
    struct weir__tcp_flow *flow = target;
    int64_t wait_ns = flow->sender.hooks->on_marks ? wait_for_pacer(flow, packet) : 0;
    int64_t jitter_ns = weir__random_below(&flow->random, flow->access_jitter_ns);
    weir__delay_line_push(&flow->access, packet, wait_ns + flow->access_ns + jitter_ns);
}

static void to_back(void *target, struct weir__packet *packet)
{
    struct weir__tcp_flow *flow = target;
    weir__delay_line_push(&flow->back, packet, flow->return_ns);
}

/* Without pacing or an access delay packets go straight on, which saves an event for each. */
static enum weir_status init_sender(struct weir__tcp_flow *flow, struct weir__sim *sim,
                                    struct weir__packet_pool *pool,
                                    const struct weir__tcp_flow_config *config)
{
    struct weir__tcp_config tcp = config->tcp;
    tcp.out = config->forward;
    enum weir_status status = weir__tcp_init(&flow->sender, sim, pool, &tcp);
    bool paced = status == WEIR_OK && flow->sender.hooks->on_marks;
    if (paced || config->access_ns > 0 || config->access_jitter_ns > 0) {
        flow->sender.config.out = (struct weir__port){.on_packet = to_access, .target = flow};
        weir__delay_line_init(&flow->access, sim, config->forward);
    }
    return status;
}

static enum weir_status init_sink(struct weir__tcp_flow *flow, struct weir__sim *sim,
                                  struct weir__packet_pool *pool,
                                  const struct weir__tcp_flow_config *config)
{
    struct weir__tcp_sink_config sink = {
        .window_packets = config->tcp.window_packets,
        .header_bytes = config->header_bytes,
        .ack_bytes = config->ack_bytes,
        .delayed_ack_ns = config->delayed_ack_ns,
        .sack = flow->sender.hooks->sack,
        .counts_marks = flow->sender.hooks->on_marks != NULL,
        .flow = config->ack_flow,
        .out = config->backward,
        .observer = config->observer,
    };
    if (!config->backward.on_packet) {
        sink.out = (struct weir__port){.on_packet = to_back, .target = flow};
        weir__delay_line_init(&flow->back, sim, weir__tcp_port(&flow->sender));
    }
    return weir__tcp_sink_init(&flow->sink, sim, pool, &sink);
}

/* WEIR_ERROR_RANGE when a value is outside its range. */
enum weir_status weir__tcp_flow_check(const struct weir__tcp_flow_config *c)
{
    bool valid = c->header_bytes >= 0 && c->header_bytes < c->tcp.packet_bytes &&
                 c->ack_bytes >= 1 && c->ack_bytes <= INT32_MAX && c->delayed_ack_ns >= 0 &&
                 c->access_ns >= 0 && c->access_jitter_ns >= 0 && c->return_ns >= 0;
    return valid ? weir__tcp_check(&c->tcp) : WEIR_ERROR_RANGE;
}

/* Both ends and the delays between them; reserves packets for a full window and its ACKs, unless
 * the pool grows by itself. WEIR_ERROR_RANGE when a value is outside its range. The memory must not
 * move afterwards. Call weir__tcp_flow_finish() also after a failure. */
enum weir_status weir__tcp_flow_init(struct weir__tcp_flow *flow, struct weir__sim *sim,
                                     struct weir__packet_pool *pool,
                                     const struct weir__tcp_flow_config *config)
{
    *flow = (struct weir__tcp_flow){.access_ns = config->access_ns,
                                    .access_jitter_ns = config->access_jitter_ns,
                                    .return_ns = config->return_ns};
    weir__random_init(&flow->random, config->seed, FIRST_STREAM + config->tcp.flow);
    enum weir_status status = weir__tcp_flow_check(config);
    if (status == WEIR_OK) {
        status = init_sender(flow, sim, pool, config);
    }
    if (status == WEIR_OK) {
        status = init_sink(flow, sim, pool, config);
    }
    if (status == WEIR_OK) {
        status = weir__packet_pool_reserve(pool, (size_t)(2 * config->tcp.window_packets) +
                                                     SPARE_PACKETS);
    }
    return status;
}

/* A fresh connection of `packets` >= 0 in place of one whose data is all acknowledged. What is
 * still under way of the old one (repetitions), or waits for the pacer, is ignored at both ends. */
void weir__tcp_flow_restart(struct weir__tcp_flow *flow, int64_t packets)
{
    weir__tcp_sink_restart(&flow->sink, weir_max_i64(flow->sender.sim->now_ns, flow->paced_ns));
    weir__tcp_restart(&flow->sender, packets);
}

/* Frees what the ends allocated. Accepts a zeroed flow. */
void weir__tcp_flow_finish(struct weir__tcp_flow *flow)
{
    weir__tcp_finish(&flow->sender);
    weir__tcp_sink_finish(&flow->sink);
}
