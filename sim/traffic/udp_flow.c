/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/udp_flow.h"
#include "sim/base/seen.h"
#include "weir/units.h"
#include <stdlib.h>

#define REMEMBERED_PACKETS 1024 /* copies of older packets than that do not count as goodput */
#define MAX_PACKET_BYTES   INT64_C(1000000)

struct weir__udp_flow {
    struct weir__udp_flow_config config;
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__port out;
    struct weir__source *source;
    struct weir__flow_meter meter;
    struct weir__seen seen;
};

static void send_packet(struct weir__udp_flow *flow, int64_t payload_bytes)
{
    flow->meter.generated_packets++;
    flow->meter.generated_bytes += payload_bytes;
    struct weir__packet *packet = weir__packet_take(flow->pool);
    if (!packet) {
        return;
    }
    packet->size_bytes = (int32_t)(payload_bytes + flow->config.header_bytes);
    packet->flow = flow->config.route;
    packet->seq = flow->meter.sent_packets++;
    packet->sent_ns = flow->sim->now_ns;
    flow->meter.sent_bytes += packet->size_bytes;
    weir__port_send(&flow->out, packet);
}

/* Full packets, and what is left in a last one. */
static void on_unit(void *target, const struct weir__unit *unit)
{
    struct weir__udp_flow *flow = target;
    int64_t room_bytes = flow->config.packet_bytes - flow->config.header_bytes;
    for (int64_t left = unit->bytes; left > 0; left -= room_bytes) {
        send_packet(flow, weir_min_i64(left, room_bytes));
    }
}

static void on_arrival(void *target, struct weir__packet *packet)
{
    struct weir__udp_flow *flow = target;
    struct weir__flow_meter *meter = &flow->meter;
    int64_t delay_ns = flow->sim->now_ns - packet->sent_ns;
    weir__flow_meter_count_arrival(meter, packet->size_bytes, delay_ns);
    if (!packet->corrupt && weir__seen_is_first(&flow->seen, packet->seq)) {
        meter->heard_packets++;
        meter->mouth_to_ear_sum_ns += (double)delay_ns;
        meter->goodput_bytes += packet->size_bytes - flow->config.header_bytes;
    }
    weir__packet_give(flow->pool, packet);
}

static enum weir_status init(struct weir__udp_flow *flow)
{
    struct weir__udp_flow_config *config = &flow->config;
    config->source.on_unit = on_unit;
    config->source.target = flow;
    flow->meter.completed_ns = WEIR_NEVER_NS;
    enum weir_status status = weir__seen_init(&flow->seen, REMEMBERED_PACKETS);
    if (status == WEIR_OK && config->measure_delay) {
        status = weir__histogram_create(&flow->meter.delay);
    }
    return status == WEIR_OK ? weir__source_create(&flow->source, flow->sim, &config->source)
                             : status;
}

/* A flow that starts by itself. Errors: WEIR_ERROR_RANGE for packets without room for payload or
 * above 10^6 bytes, and those of weir__source_create(); *flow is then untouched. */
enum weir_status weir__udp_flow_create(struct weir__udp_flow **flow, struct weir__network *network,
                                       const struct weir__udp_flow_config *config)
{
    if (config->header_bytes < 0 || config->header_bytes >= config->packet_bytes ||
        config->packet_bytes > MAX_PACKET_BYTES) {
        return WEIR_ERROR_RANGE;
    }
    struct weir__udp_flow *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        return WEIR_ERROR_NO_MEMORY;
    }
    fresh->config = *config;
    fresh->sim = weir__network_sim(network);
    fresh->pool = weir__network_pool(network);
    fresh->out = weir__network_port(network);
    enum weir_status status = init(fresh);
    if (status != WEIR_OK) {
        weir__udp_flow_destroy(fresh);
        return status;
    }
    weir__network_set_end(network, config->route,
                          (struct weir__port){.on_packet = on_arrival, .target = fresh});
    *flow = fresh;
    return WEIR_OK;
}

/* The simulation must not run afterwards. Accepts NULL. */
void weir__udp_flow_destroy(struct weir__udp_flow *flow)
{
    if (flow) {
        weir__source_destroy(flow->source);
        weir__seen_finish(&flow->seen);
        weir__histogram_destroy(flow->meter.delay);
        free(flow);
    }
}

/* Counters since the start. */
const struct weir__flow_meter *weir__udp_flow_meter(const struct weir__udp_flow *flow)
{
    return &flow->meter;
}
