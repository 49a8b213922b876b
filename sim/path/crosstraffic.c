/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/path/crosstraffic.h"
#include "weir/units.h"
#include <stdlib.h>

#define CBR_PACKETS 4096 /* of one source that are under way at the same time, at most */

static void count_flows(const struct weir__cross_item *items, size_t n_items, size_t *n_tcp,
                        size_t *n_cbr)
{
    for (size_t i = 0; i < n_items; i++) {
        size_t *n = items[i].kind == WEIR__CROSS_CBR ? n_cbr : n_tcp;
        *n += (size_t)items[i].count;
    }
}

static enum weir_status add_route(struct weir__network *network, uint32_t *route)
{
    static const uint32_t links[] = {0};
    const struct weir__route_config config = {.links = links, .n_links = 1};
    return weir__network_add_route(network, &config, 0, route);
}

static enum weir_status add_cbr(struct weir__udp_flow **cbr, const struct weir__cross_item *item,
                                struct weir__network *network)
{
    struct weir__udp_flow_config config = {.packet_bytes = item->size_bytes};
    weir__source_config_default(&config.source, WEIR__SOURCE_CBR);
    config.source.rate_bps = item->rate_bps;
    config.source.unit_bytes = item->size_bytes;
    config.source.on_ns = item->on_ns;
    config.source.off_ns = item->off_ns;
    config.source.start_ns = item->start_ns;
    config.source.stop_ns = item->stop_ns;
    enum weir_status status = add_route(network, &config.route);
    if (status == WEIR_OK) {
        status = weir__udp_flow_create(cbr, network, &config);
    }
    return status == WEIR_OK ? weir__packet_pool_reserve(weir__network_pool(network), CBR_PACKETS)
                             : status;
}

/* The link's own delay is part of the round trip; what is left of it is the way back. */
static enum weir_status add_tcp(struct weir__tcp_flow *flow, const struct weir__cross_item *item,
                                struct weir__network *network, uint64_t seed)
{
    const struct weir__link *link = weir__network_link(network, 0);
    struct weir__tcp_flow_config config;
    if (item->kind == WEIR__CROSS_LINUX) {
        weir__tcp_flow_config_linux(&config);
    } else {
        weir__tcp_flow_config_default(&config);
    }
    int64_t delay_ns = link->config.delay_ns;
    int64_t rate_bps = weir__link_capacity_bps(link);
    int64_t rtt_ns = item->rtt_ns == WEIR_UNKNOWN_NS ? 2 * delay_ns : item->rtt_ns;
    config.tcp.variant = item->variant;
    config.tcp.packet_bytes = item->size_bytes;
    config.header_bytes = weir_min_i64(config.header_bytes, item->size_bytes - 1);
    config.tcp.start_ns = item->start_ns;
    config.tcp.stop_ns = item->stop_ns;
    config.access_jitter_ns = rate_bps > 0 ? weir_send_time_ns(item->size_bytes, rate_bps) : 0;
    config.return_ns = weir_max_i64(0, rtt_ns - delay_ns);
    config.forward = weir__network_port(network);
    config.seed = seed;
    enum weir_status status = add_route(network, &config.tcp.flow);
    if (status != WEIR_OK) {
        return status;
    }
    weir__network_set_end(network, config.tcp.flow, weir__tcp_sink_port(&flow->sink));
    return weir__tcp_flow_init(flow, weir__network_sim(network), weir__network_pool(network),
                               &config);
}

static enum weir_status add_item(struct weir__crosstraffic *cross,
                                 const struct weir__cross_item *item, struct weir__network *network,
                                 uint64_t seed)
{
    enum weir_status status = WEIR_OK;
    for (int64_t i = 0; i < item->count && status == WEIR_OK; i++) {
        if (item->kind == WEIR__CROSS_CBR) {
            status = add_cbr(&cross->cbr[cross->n_cbr++], item, network);
        } else {
            status = add_tcp(&cross->tcp[cross->n_tcp++], item, network, seed);
        }
    }
    return status;
}

/* Creates the flows of the (parsed) items on the first link of the network. They start and stop by
 * themselves. Call weir__crosstraffic_finish() also after a failure. */
enum weir_status weir__crosstraffic_init(struct weir__crosstraffic *cross,
                                         const struct weir__cross_item *items, size_t n_items,
                                         struct weir__network *network, uint64_t seed)
{
    size_t n_tcp = 0;
    size_t n_cbr = 0;
    count_flows(items, n_items, &n_tcp, &n_cbr);
    *cross = (struct weir__crosstraffic){.n_tcp = 0};
    cross->tcp = calloc(n_tcp + 1, sizeof *cross->tcp);
    cross->cbr = calloc(n_cbr + 1, sizeof *cross->cbr);
    if (!cross->tcp || !cross->cbr) {
        return WEIR_ERROR_NO_MEMORY;
    }
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < n_items && status == WEIR_OK; i++) {
        status = add_item(cross, &items[i], network, seed);
    }
    return status;
}

/* Accepts a zeroed object. */
void weir__crosstraffic_finish(struct weir__crosstraffic *cross)
{
    for (size_t i = 0; i < cross->n_tcp; i++) {
        weir__tcp_flow_finish(&cross->tcp[i]);
    }
    for (size_t i = 0; i < cross->n_cbr; i++) {
        weir__udp_flow_destroy(cross->cbr[i]);
    }
    free(cross->tcp);
    free(cross->cbr);
    *cross = (struct weir__crosstraffic){.n_tcp = 0};
}

/* Bytes that arrived and were worth something: distinct payload of TCP, all of CBR. */
int64_t weir__crosstraffic_goodput_bytes(const struct weir__crosstraffic *cross)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < cross->n_tcp; i++) {
        bytes += cross->tcp[i].sink.goodput_bytes;
    }
    for (size_t i = 0; i < cross->n_cbr; i++) {
        bytes += weir__udp_flow_meter(cross->cbr[i])->goodput_bytes;
    }
    return bytes;
}
