/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Speed of the simulator: events and packets per second of reference scenarios, and the cost of a
 * packet for 1 to 1000 flows at the same load per flow: through the emulated path of weirlink, and
 * through a network where every flow has delays of its own and the ACKs have queues too. A number
 * as argument runs that part alone (for profilers): 1, 2 path, 3, 4 network. */
#include "sim/network/network.h"
#include "sim/path/path.h"
#include "sim/tcp/sink.h"
#include "sim/tcp/tcp.h"
#include "weir/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINK_DELAY_NS WEIR_MS(1)

struct result {
    double cpu_s;
    double packets; /* data and ACKs that a link was offered */
    double events;
};

static void ignore(void *user, const struct weir__path_outcome *outcome)
{
    (void)user;
    (void)outcome;
}

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void stop_unless(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "bench_sim: %s\n", what);
        exit(1);
    }
}

/* n Reno flows for duration_s; the first tenth warms up and is not measured. */
static struct result run_path(char *cross_traffic, int64_t capacity_bps, int64_t queue_packets,
                              int64_t duration_s)
{
    struct weir__path_config config;
    struct weir__path *path = NULL;
    struct weir__path_stats before;
    struct weir__path_stats after;
    char error[200] = "";
    weir__path_config_default(&config);
    config.link.capacity_bps = capacity_bps;
    config.link.delay_ns = WEIR_MS(50);
    config.link.queue.limit.packets = queue_packets;
    config.cross_traffic = cross_traffic;
    stop_unless(weir__path_create(&path, &config, ignore, NULL, error, sizeof error) == WEIR_OK,
                error);
    weir__path_run_until(path, WEIR_SECONDS(duration_s) / 10);
    weir__path_get_stats(path, &before);
    double start_s = cpu_s();
    weir__path_run_until(path, WEIR_SECONDS(duration_s) + WEIR_SECONDS(duration_s) / 10);
    struct result result = {.cpu_s = cpu_s() - start_s};
    weir__path_get_stats(path, &after);
    result.events = (double)(after.events - before.events);
    result.packets = (double)(after.cross.offered_packets - before.cross.offered_packets);
    weir__path_destroy(path);
    return result;
}

struct connection {
    struct weir__tcp sender;
    struct weir__tcp_sink sink;
};

/* A bottleneck of one link each way; flows go forward or in reverse, their ACKs the other way. */
struct duplex {
    struct weir__network *network;
    uint32_t links[2];
    struct connection *flows;
    uint32_t n_flows;
};

static struct duplex duplex_new(uint32_t flows, int64_t capacity_bps, int64_t queue_packets)
{
    struct duplex d = {.flows = calloc(flows, sizeof *d.flows)};
    struct weir__link_config link = {.capacity_bps = capacity_bps,
                                     .delay_ns = LINK_DELAY_NS,
                                     .queue = {.limit = {.packets = queue_packets}},
                                     .seed = 1};
    stop_unless(d.flows != NULL, "no memory");
    stop_unless(weir__network_create(&d.network, 2, 2 * flows) == WEIR_OK, "no network");
    for (int i = 0; i < 2; i++) {
        stop_unless(weir__network_add_link(d.network, &link, &d.links[i]) == WEIR_OK, "no link");
    }
    return d;
}

static void duplex_free(struct duplex *d)
{
    for (uint32_t i = 0; i < d->n_flows; i++) {
        weir__tcp_finish(&d->flows[i].sender);
        weir__tcp_sink_finish(&d->flows[i].sink);
    }
    weir__network_destroy(d->network);
    free(d->flows);
}

static uint32_t add_route(struct duplex *d, int reverse, int64_t delay_ns, int64_t jitter_ns)
{
    struct weir__route_config config = {.links = &d->links[reverse],
                                        .n_links = 1,
                                        .entry_ns = delay_ns - LINK_DELAY_NS,
                                        .entry_jitter_ns = jitter_ns};
    uint32_t route = 0;
    stop_unless(weir__network_add_route(d->network, &config, 1, &route) == WEIR_OK, "no route");
    return route;
}

static void add_flow(struct duplex *d, int reverse, int64_t rtt_ns, int64_t start_ns)
{
    struct connection *c = &d->flows[d->n_flows++];
    struct weir__sim *sim = weir__network_sim(d->network);
    struct weir__packet_pool *pool = weir__network_pool(d->network);
    struct weir__tcp_config tcp;
    weir__tcp_config_default(&tcp);
    tcp.start_ns = start_ns;
    tcp.flow = add_route(d, reverse, rtt_ns / 2, WEIR_US(1200));
    tcp.out = weir__network_port(d->network);
    struct weir__tcp_sink_config sink = {.window_packets = tcp.window_packets,
                                         .header_bytes = 40,
                                         .delayed_ack_ns = WEIR_MS(100),
                                         .flow = add_route(d, !reverse, rtt_ns / 2, 0),
                                         .out = weir__network_port(d->network)};
    stop_unless(weir__tcp_init(&c->sender, sim, pool, &tcp) == WEIR_OK &&
                    weir__tcp_sink_init(&c->sink, sim, pool, &sink) == WEIR_OK,
                "no flow");
    weir__network_set_end(d->network, tcp.flow, weir__tcp_sink_port(&c->sink));
    weir__network_set_end(d->network, sink.flow, weir__tcp_port(&c->sender));
}

static double offered_packets(struct duplex *d)
{
    return (double)(weir__network_link(d->network, d->links[0])->total.offered_packets +
                    weir__network_link(d->network, d->links[1])->total.offered_packets);
}

static struct result duplex_run(struct duplex *d, int64_t from_ns, int64_t to_ns)
{
    struct weir__sim *sim = weir__network_sim(d->network);
    weir__sim_run_until(sim, from_ns);
    struct result result = {.packets = -offered_packets(d), .events = -(double)sim->events};
    double start_s = cpu_s();
    weir__sim_run_until(sim, to_ns);
    result.cpu_s = cpu_s() - start_s;
    result.packets += offered_packets(d);
    result.events += (double)sim->events;
    return result;
}

static void print_run(const char *name, struct result r)
{
    printf("%-22s 1000 s: %.3f s, %.1f M events/s, %.2f M packets/s, %.0f x real time\n", name,
           r.cpu_s, r.events / r.cpu_s / 1e6, r.packets / r.cpu_s / 1e6, 1000.0 / r.cpu_s);
}

static void print_scaling(int n, struct result r, double *first_ns)
{
    double packet_ns = 1e9 * r.cpu_s / r.packets;
    *first_ns = n == 1 ? packet_ns : *first_ns;
    printf("%4d flows: %.0f ns per packet (%.2f events), %.2f x one flow\n", n, packet_ns,
           r.events / r.packets, packet_ns / *first_ns);
}

static void bench_path_reference(void)
{
    static char *const kinds[] = {"reno*20", "newreno*20", "sack*20"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        print_run(kinds[i], run_path(kinds[i], WEIR_MBPS(10), 100, 1000));
    }
}

/* 500 kbit/s for each flow, so that every flow does the same whatever their number. */
static void bench_path_scaling(void)
{
    double first_ns = 0.0;
    printf("path, 500 kbit/s for each flow\n");
    for (int n = 1; n <= 1000; n *= 10) {
        char text[32];
        snprintf(text, sizeof text, "reno*%d", n);
        print_scaling(n, run_path(text, n * WEIR_KBPS(500), 10 + 5 * n, 20000 / n), &first_ns);
    }
}

/* 20 Reno flows forward with round trips of 12.5 i ms, 10 in reverse with 25 j ms, 10 Mbit/s, 208
 * packets of queue, ACKs delayed: tests/ns2 has it for ns-2. */
static void bench_network_reference(void)
{
    struct duplex d = duplex_new(30, WEIR_MBPS(10), 208);
    for (int i = 1; i <= 20; i++) {
        add_flow(&d, 0, i * WEIR_US(12500), WEIR_MS(100 * i));
    }
    for (int j = 1; j <= 10; j++) {
        add_flow(&d, 1, j * WEIR_MS(25), WEIR_MS(100 * j));
    }
    print_run("20 reno, 10 in reverse", duplex_run(&d, 0, WEIR_SECONDS(1000)));
    duplex_free(&d);
}

static void bench_network_scaling(void)
{
    double first_ns = 0.0;
    printf("network, 500 kbit/s for each flow, delays of their own, ACKs through a queue\n");
    for (int n = 1; n <= 1000; n *= 10) {
        struct duplex d = duplex_new((uint32_t)n, n * WEIR_KBPS(500), 10 + 5 * n);
        for (int i = 0; i < n; i++) {
            add_flow(&d, 0, WEIR_MS(100) + i * WEIR_MS(100) / n, i * WEIR_MS(1000) / n);
        }
        int64_t duration_ns = WEIR_SECONDS(20000) / n;
        print_scaling(n, duplex_run(&d, duration_ns / 10, duration_ns + duration_ns / 10),
                      &first_ns);
        printf("            %zu packets reserved, %zu bytes per flow besides them\n",
               weir__network_pool(d.network)->reserved_packets, sizeof(struct connection));
        duplex_free(&d);
    }
}

int main(int argc, char **argv)
{
    void (*const parts[])(void) = {bench_path_reference, bench_path_scaling,
                                   bench_network_reference, bench_network_scaling};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (argc < 2 || atoi(argv[1]) == (int)i + 1) {
            parts[i]();
        }
    }
    return 0;
}
