/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Speed of media flows in the simulator: nanoseconds per media packet, everything included (source,
 * pacer, links, both sessions, RTCP), for one flow and for many that share a link. */
#include "sim/traffic/media_flow.h"
#include "weir/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_FLOWS 1000

static const struct {
    const char *name;
    const char *algorithm;
    uint32_t format;
    uint32_t flows;
    int64_t flow_bps;
    int64_t duration_s;
    bool per_packet;
} cases[] = {
    {"tfrc, one flow", "tfrc", WEIR_FEEDBACK_CCFB, 1, WEIR_MBPS(10), 1000, false},
    {"fixed, one flow", "fixed", WEIR_FEEDBACK_CCFB, 1, WEIR_MBPS(10), 1000, false},
    {"tfrc, transport-wide", "tfrc", WEIR_FEEDBACK_TWCC, 1, WEIR_MBPS(10), 1000, false},
    {"tfrc, every packet", "tfrc", WEIR_FEEDBACK_CCFB, 1, WEIR_MBPS(10), 300, true},
    {"tfrc, 10 flows", "tfrc", WEIR_FEEDBACK_CCFB, 10, WEIR_MBPS(1), 1000, false},
    {"tfrc, 100 flows", "tfrc", WEIR_FEEDBACK_CCFB, 100, WEIR_MBPS(1), 200, false},
    {"fixed, 100 flows", "fixed", WEIR_FEEDBACK_CCFB, 100, WEIR_MBPS(1), 200, false},
    {"tfrc, 1000 flows", "tfrc", WEIR_FEEDBACK_CCFB, 1000, WEIR_MBPS(1), 20, false},
};

static void must(enum weir_status status, const char *what)
{
    if (status != WEIR_OK) {
        fprintf(stderr, "%s: %s\n", what, weir_status_text(status));
        exit(1);
    }
}

static uint32_t add_link(struct weir__network *network, int64_t capacity_bps, int64_t packets)
{
    struct weir__link_config link = {.capacity_bps = capacity_bps, .delay_ns = WEIR_MS(50)};
    uint32_t number = 0;
    link.queue.limit.packets = packets;
    must(weir__network_add_link(network, &link, &number), "link");
    return number;
}

static uint32_t add_route(struct weir__network *network, uint32_t link)
{
    struct weir__route_config route = {.links = &link, .n_links = 1};
    uint32_t number = 0;
    must(weir__network_add_route(network, &route, 1, &number), "route");
    return number;
}

static struct weir__media_flow *add_flow(struct weir__network *network, size_t i, uint32_t forward,
                                         uint32_t backward, uint64_t seed)
{
    struct weir__media_flow_config config;
    struct weir__media_flow *flow = NULL;
    char error[200] = "";
    weir__media_flow_config_default(&config);
    config.sender.algorithm = cases[i].algorithm;
    config.sender.limits.start_bps = strcmp(cases[i].algorithm, "fixed") == 0
                                         ? cases[i].flow_bps * 9 / 10
                                         : config.sender.limits.start_bps;
    config.sender.seed = seed;
    config.receiver.seed = seed;
    config.receiver.format = cases[i].format;
    config.feedback_per_packet = cases[i].per_packet;
    config.start_ns = (int64_t)seed * WEIR_US(100);
    config.route = add_route(network, forward);
    config.feedback_route = add_route(network, backward);
    must(weir__media_flow_create(&flow, network, &config, error, sizeof error), error);
    return flow;
}

static void bench(size_t i)
{
    static struct weir__media_flow *flows[MOST_FLOWS];
    uint32_t n = cases[i].flows;
    int64_t capacity_bps = n * cases[i].flow_bps;
    struct weir__network *network = NULL;
    must(weir__network_create(&network, 2, 2 * n), "network");
    uint32_t forward = add_link(network, capacity_bps, capacity_bps / 8 / 1500 / 10 + 10);
    uint32_t backward = add_link(network, WEIR_MBPS(10000), 10000);
    for (uint32_t k = 0; k < n; k++) {
        flows[k] = add_flow(network, i, forward, backward, k + 1);
    }
    struct weir__sim *sim = weir__network_sim(network);
    weir__sim_run_until(sim, WEIR_SECONDS(cases[i].duration_s) / 10);
    int64_t before = weir__network_link(network, forward)->total.offered_packets;
    uint64_t events = sim->events;
    clock_t start = clock();
    weir__sim_run_until(sim, WEIR_SECONDS(cases[i].duration_s));
    double cpu_s = (double)(clock() - start) / CLOCKS_PER_SEC;
    const struct weir__packet_counters *total = &weir__network_link(network, forward)->total;
    double packets = (double)(total->offered_packets - before);
    double used =
        (double)total->delivered_bytes * 8.0 / (double)cases[i].duration_s / (double)capacity_bps;
    printf("%-22s %5.0f ns per packet, %.2f events, %.2f M packets/s, %5.0f x real time, %.2f "
           "used\n",
           cases[i].name, 1e9 * cpu_s / packets, (double)(sim->events - events) / packets,
           packets / cpu_s / 1e6, 0.9 * (double)cases[i].duration_s / cpu_s, used);
    for (uint32_t k = 0; k < n; k++) {
        weir__media_flow_destroy(flows[k]);
    }
    weir__network_destroy(network);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (argc < 2 || strstr(cases[i].name, argv[1])) {
            bench(i);
        }
    }
    return 0;
}
