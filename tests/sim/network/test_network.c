/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/random.h"
#include "sim/network/network.h"
#include "sim/sim_test.h"
#include "weir/units.h"
#include <string.h>

#define MOST_LINKS  6
#define MOST_ROUTES 12

/* A network, and per route what its ends and its drops saw. */
struct seen {
    struct net *net;
    int64_t arrived_packets, arrived_bytes;
    int64_t dropped_packets, dropped_bytes;
    int64_t lost_packets, lost_bytes;
    int64_t last_seq;
    int64_t last_ns;
};

struct net {
    struct weir__network *network;
    struct seen seen[MOST_ROUTES];
};

static void on_end(void *target, struct weir__packet *packet)
{
    struct seen *seen = target;
    seen->arrived_packets++;
    seen->arrived_bytes += packet->size_bytes;
    seen->last_seq = packet->seq;
    seen->last_ns = weir__network_sim(seen->net->network)->now_ns;
    weir__packet_give(weir__network_pool(seen->net->network), packet);
}

static void on_drop(void *target, struct weir__packet *packet, enum weir__drop_reason reason)
{
    struct seen *seen = target;
    bool lost = reason == WEIR__DROP_LOSS;
    *(lost ? &seen->lost_packets : &seen->dropped_packets) += 1;
    *(lost ? &seen->lost_bytes : &seen->dropped_bytes) += packet->size_bytes;
    weir__packet_give(weir__network_pool(seen->net->network), packet);
}

static struct net *net_new(void)
{
    struct net *net = g_new0(struct net, 1);
    g_assert_cmpint(weir__network_create(&net->network, MOST_LINKS, MOST_ROUTES), ==, WEIR_OK);
    for (size_t i = 0; i < MOST_ROUTES; i++) {
        net->seen[i].net = net;
    }
    return net;
}

static void net_free(struct net *net)
{
    weir__network_destroy(net->network);
    g_free(net);
}

static uint32_t net_link(struct net *net, const struct weir__link_config *config)
{
    uint32_t link = 0;
    g_assert_cmpint(weir__network_add_link(net->network, config, &link), ==, WEIR_OK);
    return link;
}

/* A route with an end that records. */
static uint32_t net_route(struct net *net, const struct weir__route_config *config)
{
    uint32_t route = 0;
    g_assert_cmpint(weir__network_add_route(net->network, config, 7, &route), ==, WEIR_OK);
    weir__network_set_end(net->network, route,
                          (struct weir__port){.on_packet = on_end, .target = &net->seen[route]});
    return route;
}

static void net_send(struct net *net, uint32_t route, int64_t seq, int32_t size_bytes)
{
    struct weir__packet *packet = weir__packet_take(weir__network_pool(net->network));
    struct weir__port port = weir__network_port(net->network);
    g_assert_nonnull(packet);
    packet->flow = route;
    packet->seq = seq;
    packet->size_bytes = size_bytes;
    weir__port_send(&port, packet);
}

static void net_run(struct net *net, int64_t until_ns)
{
    weir__sim_run_until(weir__network_sim(net->network), until_ns);
}

/* 8 Mbit/s: a packet of 1000 bytes takes 1 ms. */
static struct weir__link_config plain_link(int64_t delay_ns)
{
    return (struct weir__link_config){.capacity_bps = WEIR_MBPS(8),
                                      .delay_ns = delay_ns,
                                      .queue = {.limit = {.packets = 10}},
                                      .seed = 1};
}

static void test_packet_takes_the_delays_of_its_route_and_its_links(void)
{
    struct net *net = net_new();
    struct weir__link_config slow = plain_link(WEIR_MS(10));
    struct weir__link_config fast = plain_link(WEIR_MS(20));
    fast.capacity_bps = WEIR_MBPS(80);
    uint32_t links[] = {net_link(net, &slow), net_link(net, &fast)};
    struct {
        struct weir__route_config config;
        int64_t arrival_ns;
    } table[] = {
        {{.links = links, .n_links = 2}, WEIR_US(31100)},
        {{.links = links, .n_links = 1}, WEIR_MS(11)},
        {{.links = links + 1, .n_links = 1}, WEIR_US(20100)},
        {{.links = links, .n_links = 2, .entry_ns = WEIR_MS(5), .exit_ns = WEIR_MS(7)},
         WEIR_US(43100)},
        {{.n_links = 0, .entry_ns = WEIR_MS(5)}, WEIR_MS(5)},
        {{.n_links = 0, .entry_ns = WEIR_MS(5), .exit_ns = WEIR_MS(7)}, WEIR_MS(12)},
        {{.n_links = 0}, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        uint32_t route = net_route(net, &table[i].config);
        int64_t start_ns = WEIR_SECONDS(1 + (int64_t)i);
        net_run(net, start_ns);
        net_send(net, route, 0, 1000);
        net_run(net, start_ns + WEIR_MS(500));
        g_assert_cmpint(net->seen[route].arrived_packets, ==, 1);
        g_assert_cmpint(net->seen[route].last_ns - start_ns, ==, table[i].arrival_ns);
    }
    net_free(net);
}

/* Two routes through two links, the queues mostly full. */
static struct net *exit_net(bool fixed, uint32_t routes[2])
{
    struct net *net = net_new();
    struct weir__link_config config = plain_link(WEIR_MS(10));
    config.fixed = fixed;
    config.queue.limit.packets = 4;
    uint32_t links[] = {net_link(net, &config), net_link(net, &config)};
    for (uint32_t i = 0; i < 2; i++) {
        routes[i] = net_route(net, &(struct weir__route_config){.links = links + i,
                                                                .n_links = 2 - i,
                                                                .entry_jitter_ns = WEIR_MS(5),
                                                                .exit_ns = WEIR_MS(20 + 7 * i)});
    }
    return net;
}

static void assert_same_counters(const struct weir__packet_counters *a,
                                 const struct weir__packet_counters *b)
{
    g_assert_cmpint(memcmp(a, b, sizeof *a), ==, 0);
}

/* All packets are of one size: what leaves the first link in a row enters the second in the
 * nanosecond in which that has sent the one before. */
static void test_fixed_links_do_the_same_with_fewer_events(void)
{
    const uint64_t seed = 5;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    uint32_t routes[2];
    struct net *nets[] = {exit_net(false, routes), exit_net(true, routes)};
    struct weir__random random;
    int64_t now_ns = 0;
    weir__random_init(&random, seed, 0);
    for (int64_t i = 0; i < 5000; i++) {
        now_ns += weir__random_below(&random, WEIR_US(1200));
        uint32_t which = (uint32_t)weir__random_below(&random, 2);
        for (int k = 0; k < 2; k++) {
            net_run(nets[k], now_ns);
            net_send(nets[k], routes[which], i, 500);
        }
        for (uint32_t k = 0; k < 2; k++) {
            const struct seen *a = &nets[0]->seen[routes[k]];
            const struct seen *b = &nets[1]->seen[routes[k]];
            g_assert_cmpint(a->last_seq, ==, b->last_seq);
            g_assert_cmpint(a->last_ns, ==, b->last_ns);
            assert_same_counters(weir__network_route_counters(nets[0]->network, routes[k]),
                                 weir__network_route_counters(nets[1]->network, routes[k]));
            assert_same_counters(weir__link_counters(weir__network_link(nets[0]->network, k)),
                                 weir__link_counters(weir__network_link(nets[1]->network, k)));
        }
    }
    g_assert_cmpint(weir__link_counters(weir__network_link(nets[1]->network, 1))->dropped_packets,
                    >, 100);
    g_assert_cmpuint(weir__network_sim(nets[1]->network)->events, <,
                     weir__network_sim(nets[0]->network)->events - 2000);
    net_free(nets[0]);
    net_free(nets[1]);
}

static void test_route_may_use_a_link_twice(void)
{
    struct net *net = net_new();
    struct weir__link_config config = plain_link(WEIR_MS(10));
    uint32_t link = net_link(net, &config);
    uint32_t links[] = {link, link, link};
    uint32_t route = net_route(net, &(struct weir__route_config){.links = links, .n_links = 3});
    net_send(net, route, 0, 1000);
    net_run(net, WEIR_SECONDS(1));
    g_assert_cmpint(net->seen[route].last_ns, ==, WEIR_MS(33));
    g_assert_cmpint(weir__network_link(net->network, link)->total.delivered_packets, ==, 3);
    net_free(net);
}

static void test_routes_share_the_queue_of_a_link(void)
{
    struct net *net = net_new();
    struct weir__link_config config = plain_link(0);
    uint32_t link = net_link(net, &config);
    struct weir__route_config shared = {.links = &link, .n_links = 1};
    uint32_t a = net_route(net, &shared);
    uint32_t b = net_route(net, &shared);
    for (int i = 0; i < 20; i++) {
        net_send(net, i % 2 == 0 ? a : b, i, 1000);
    }
    net_run(net, WEIR_SECONDS(1));
    /* The first is in service at once, ten wait. */
    g_assert_cmpint(weir__network_route_counters(net->network, a)->delivered_packets, ==, 6);
    g_assert_cmpint(weir__network_route_counters(net->network, b)->delivered_packets, ==, 5);
    g_assert_cmpint(weir__network_route_counters(net->network, a)->dropped_packets, ==, 4);
    g_assert_cmpint(weir__network_route_counters(net->network, b)->dropped_bytes, ==, 5000);
    g_assert_cmpint(weir__network_link(net->network, link)->total.dropped_packets, ==, 9);
    net_free(net);
}

static void test_entry_jitter_is_bounded_uniform_and_keeps_the_order(void)
{
    struct net *net = net_new();
    struct weir__route_config config = {.entry_ns = WEIR_MS(5), .entry_jitter_ns = WEIR_MS(2)};
    uint32_t route = net_route(net, &config);
    double sum_ns = 0.0;
    const int64_t n = 20000;
    for (int64_t i = 0; i < n; i++) {
        int64_t sent_ns = WEIR_MS(100 * i);
        net_run(net, sent_ns);
        net_send(net, route, i, 100);
        net_run(net, sent_ns + WEIR_MS(50));
        int64_t delay_ns = net->seen[route].last_ns - sent_ns;
        g_assert_cmpint(net->seen[route].last_seq, ==, i);
        g_assert_cmpint(delay_ns, >=, WEIR_MS(5));
        g_assert_cmpint(delay_ns, <=, WEIR_MS(7));
        sum_ns += (double)delay_ns;
    }
    /* Five standard deviations of the mean: 2 ms / sqrt(12 n). */
    g_assert_cmpfloat(sum_ns / (double)n, >, 6e6 - 20412);
    g_assert_cmpfloat(sum_ns / (double)n, <, 6e6 + 20412);
    for (int64_t i = 0; i < 1000; i++) {
        int64_t before = net->seen[route].last_seq;
        net_send(net, route, n + i, 100);
        net_run(net, weir__network_sim(net->network)->now_ns + WEIR_US(100));
        g_assert_cmpint(net->seen[route].last_seq, >=, before);
    }
    net_free(net);
}

/* Pairs 1 ms apart, jitter of 20 ms: the second leaves with the first if that still waits. */
static void test_jitter_of_bursts_holds_them_together(void)
{
    struct net *net = net_new();
    struct weir__route_config config = {.entry_jitter_ns = WEIR_MS(20), .jitters_bursts = true};
    uint32_t route = net_route(net, &config);
    int64_t n_held = 0;
    for (int64_t i = 0; i < 1000; i++) {
        int64_t first = 2 * i;
        int64_t now_ns = WEIR_MS(100 * i);
        net_run(net, now_ns);
        net_send(net, route, first, 100);
        now_ns += WEIR_MS(1);
        net_run(net, now_ns);
        bool held = net->seen[route].last_seq < first;
        net_send(net, route, first + 1, 100);
        while (net->seen[route].last_seq < first) {
            now_ns += WEIR_US(10);
            net_run(net, now_ns);
        }
        g_assert_true(!held || net->seen[route].last_seq == first + 1);
        n_held += held;
    }
    g_assert_cmpint(n_held, >, 900); /* 950 are expected, with a deviation of 7 */
    net_free(net);
}

static void test_routes_draw_independently(void)
{
    struct net *net = net_new();
    struct weir__route_config config = {.entry_jitter_ns = WEIR_SECONDS(1)};
    uint32_t a = net_route(net, &config);
    uint32_t b = net_route(net, &config);
    net_send(net, a, 0, 100);
    net_send(net, b, 0, 100);
    net_run(net, WEIR_SECONDS(2));
    g_assert_cmpint(net->seen[a].last_ns, !=, net->seen[b].last_ns);
    net_free(net);
}

static void test_what_is_not_there_is_refused(void)
{
    struct net *net = net_new();
    struct weir__link_config good = plain_link(0);
    struct weir__link_config bad = good;
    bad.queue.limit.packets = 0;
    uint32_t number = 99;
    g_assert_cmpint(weir__network_add_link(net->network, &bad, &number), ==, WEIR_ERROR_RANGE);
    g_assert_cmpuint(number, ==, 99);
    for (uint32_t i = 0; i < MOST_LINKS; i++) {
        g_assert_cmpuint(net_link(net, &good), ==, i);
    }
    g_assert_cmpint(weir__network_add_link(net->network, &good, &number), ==, WEIR_ERROR_NO_SPACE);
    uint32_t links[WEIR__ROUTE_LINKS + 1] = {0};
    uint32_t unknown = MOST_LINKS;
    const struct weir__route_config wrong[] = {
        {.links = &unknown, .n_links = 1},
        {.links = links, .n_links = WEIR__ROUTE_LINKS + 1},
        {.entry_ns = -1},
        {.exit_ns = -1},
        {.entry_jitter_ns = -1},
        {.entry_ns = WEIR_SECONDS(3601)},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_assert_cmpint(weir__network_add_route(net->network, &wrong[i], 1, &number), ==,
                        WEIR_ERROR_RANGE);
    }
    struct weir__route_config longest = {.links = links, .n_links = WEIR__ROUTE_LINKS};
    for (uint32_t i = 0; i < MOST_ROUTES; i++) {
        g_assert_cmpuint(net_route(net, &longest), ==, i);
    }
    g_assert_cmpint(weir__network_add_route(net->network, &longest, 1, &number), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(number, ==, 99);
    net_free(net);
    weir__network_destroy(NULL);
}

static void test_packets_without_an_end_go_back_to_the_pool(void)
{
    struct net *net = net_new();
    uint32_t route = 0;
    struct weir__route_config config = {.exit_ns = 5};
    g_assert_cmpint(weir__network_add_route(net->network, &config, 1, &route), ==, WEIR_OK);
    for (int i = 0; i < 1000; i++) {
        net_send(net, route, i, 100);
    }
    g_assert_cmpuint(weir__network_pool(net->network)->used_packets, ==, 1000);
    net_run(net, 5);
    g_assert_cmpuint(weir__network_pool(net->network)->used_packets, ==, 0);
    g_assert_cmpint(weir__network_route_counters(net->network, route)->delivered_packets, ==, 1000);
    net_free(net);
}

/* Anything that a link can do, at a load that overflows it at times. */
static struct weir__link_config random_link(struct weir__random *random)
{
    struct weir__link_config config = {
        .capacity_bps = 100000 + weir__random_below(random, 20000000),
        .delay_ns = weir__random_below(random, WEIR_MS(30)),
        .jitter_ns = weir__random_below(random, 2) * WEIR_MS(5),
        .queue = {.limit = {.packets = 1 + weir__random_below(random, 40)}},
        .loss = {.model = WEIR__LOSS_BERNOULLI, .p = 0.1 * weir__random_uniform(random)},
        .duplicate = 0.1 * weir__random_uniform(random),
        .reorder = 0.1 * weir__random_uniform(random),
        .reorder_delay_ns = WEIR_MS(3),
        .seed = weir__random_u64(random)};
    if (weir__random_chance(random, 0.5)) {
        config.queue.discipline = WEIR__QUEUE_RED;
        weir__red_config_default(&config.queue.red);
    }
    return config;
}

static void random_network(struct net *net, struct weir__random *random)
{
    for (uint32_t i = 0; i < MOST_LINKS; i++) {
        struct weir__link_config config = random_link(random);
        net_link(net, &config);
    }
    for (uint32_t i = 0; i < MOST_ROUTES; i++) {
        uint32_t links[4];
        struct weir__route_config config = {.links = links,
                                            .n_links = (size_t)weir__random_below(random, 5),
                                            .entry_ns = weir__random_below(random, 2) * WEIR_MS(4),
                                            .entry_jitter_ns =
                                                weir__random_below(random, 2) * WEIR_MS(1),
                                            .exit_ns = weir__random_below(random, 2) * WEIR_MS(4)};
        for (size_t k = 0; k < config.n_links; k++) {
            links[k] = (uint32_t)weir__random_below(random, MOST_LINKS);
        }
        uint32_t route = net_route(net, &config);
        if (i % 2 == 0) {
            weir__network_set_on_drop(net->network, route, on_drop, &net->seen[route]);
        }
    }
}

/* What the counters say is what was seen; the sum of what is inside is what the pool lacks. */
static void check_invariant(struct net *net)
{
    int64_t inside = 0;
    for (uint32_t i = 0; i < MOST_ROUTES; i++) {
        const struct weir__packet_counters *c = weir__network_route_counters(net->network, i);
        const struct seen *seen = &net->seen[i];
        int64_t inside_route = c->offered_packets + c->duplicated_packets - c->delivered_packets -
                               c->dropped_packets - c->lost_packets;
        g_assert_cmpint(inside_route, >=, 0);
        inside += inside_route;
        g_assert_cmpint(c->delivered_packets, ==, seen->arrived_packets);
        g_assert_cmpint(c->delivered_bytes, ==, seen->arrived_bytes);
        if (i % 2 == 0) {
            g_assert_cmpint(c->dropped_packets, ==, seen->dropped_packets);
            g_assert_cmpint(c->dropped_bytes, ==, seen->dropped_bytes);
            g_assert_cmpint(c->lost_packets, ==, seen->lost_packets);
            g_assert_cmpint(c->lost_bytes, ==, seen->lost_bytes);
        }
    }
    g_assert_cmpint((int64_t)weir__network_pool(net->network)->used_packets, ==, inside);
}

/* At the end nothing is inside, on any route. */
static void check_drained(struct net *net)
{
    g_assert_cmpuint(weir__network_pool(net->network)->used_packets, ==, 0);
    g_assert_cmpuint(weir__network_pool(net->network)->refused, ==, 0);
    for (uint32_t i = 0; i < MOST_ROUTES; i++) {
        const struct weir__packet_counters *c = weir__network_route_counters(net->network, i);
        g_assert_cmpint(c->offered_packets + c->duplicated_packets, ==,
                        c->delivered_packets + c->dropped_packets + c->lost_packets);
        g_assert_cmpint(c->offered_bytes + c->duplicated_bytes, ==,
                        c->delivered_bytes + c->dropped_bytes + c->lost_bytes);
    }
}

static void test_every_packet_is_accounted_for_in_random_networks(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        g_test_message("seed %" G_GUINT64_FORMAT, seed);
        struct net *net = net_new();
        struct weir__random random;
        weir__random_init(&random, seed, 0);
        random_network(net, &random);
        for (int64_t i = 0; i < 2000; i++) {
            net_run(net, WEIR_MS(i));
            for (int64_t k = weir__random_below(&random, 6); k > 0; k--) {
                net_send(net, (uint32_t)weir__random_below(&random, MOST_ROUTES), i,
                         (int32_t)(40 + weir__random_below(&random, 1461)));
            }
            check_invariant(net);
        }
        net_run(net, WEIR_SECONDS(3600));
        check_invariant(net);
        check_drained(net);
        net_free(net);
    }
}

/* Copies of copies, over several links, are counted as well. */
static void test_duplicates_are_counted(void)
{
    struct net *net = net_new();
    struct weir__link_config config = plain_link(WEIR_MS(1));
    config.duplicate = 1.0;
    config.queue.limit.packets = 100;
    uint32_t links[] = {net_link(net, &config), net_link(net, &config), net_link(net, &config)};
    uint32_t route = net_route(net, &(struct weir__route_config){.links = links, .n_links = 3});
    net_send(net, route, 0, 500);
    net_run(net, WEIR_SECONDS(1));
    const struct weir__packet_counters *c = weir__network_route_counters(net->network, route);
    g_assert_cmpint(c->offered_packets, ==, 1);
    g_assert_cmpint(c->duplicated_packets, ==, 7);
    g_assert_cmpint(c->delivered_packets, ==, 8);
    g_assert_cmpint(c->delivered_bytes, ==, 4000);
    net_free(net);
}

static void test_refused_packets_count_as_dropped(void)
{
    struct net *net = net_new();
    struct weir__link_config config = plain_link(WEIR_MS(1));
    uint32_t links[] = {net_link(net, &config), net_link(net, &config)};
    uint32_t route = net_route(net, &(struct weir__route_config){.links = links + 1, .n_links = 1});
    weir__network_refuse(net->network, route, 700);
    const struct weir__packet_counters *counters[] = {
        weir__network_route_counters(net->network, route),
        &weir__network_link(net->network, links[1])->total};
    for (size_t i = 0; i < G_N_ELEMENTS(counters); i++) {
        g_assert_cmpint(counters[i]->offered_bytes, ==, 700);
        g_assert_cmpint(counters[i]->dropped_packets, ==, 1);
    }
    g_assert_cmpint(weir__network_link(net->network, links[0])->total.offered_packets, ==, 0);
    net_free(net);
}

/* However long the run and however many packets are dropped: the pool has grown by what was inside
 * at a time, at most 10 waiting, one in service and 10 propagating on each of the links. */
static void test_memory_is_bounded_by_what_is_inside(void)
{
    struct net *net = net_new();
    struct weir__link_config config = plain_link(WEIR_MS(10));
    uint32_t links[] = {net_link(net, &config), net_link(net, &config)};
    uint32_t route = net_route(net, &(struct weir__route_config){.links = links, .n_links = 2});
    for (int64_t i = 0; i < 50000; i++) {
        net_run(net, WEIR_US(500 * i));
        net_send(net, route, i, 1000);
        g_assert_cmpuint(weir__network_pool(net->network)->used_packets, <=, 2 * 21);
    }
    g_assert_cmpuint(weir__network_pool(net->network)->reserved_packets, <=, 64);
    g_assert_cmpint(net->seen[route].arrived_packets, >, 24000);
    net_free(net);
}

static uint64_t hash_of_run(uint64_t seed)
{
    struct net *net = net_new();
    struct weir__random random;
    uint64_t hash = HASH_START;
    weir__random_init(&random, seed, 0);
    random_network(net, &random);
    for (int64_t i = 0; i < 500; i++) {
        net_run(net, WEIR_MS(i));
        net_send(net, (uint32_t)weir__random_below(&random, MOST_ROUTES), i, 1000);
        for (size_t r = 0; r < MOST_ROUTES; r++) {
            hash = hash_u64(hash, (uint64_t)net->seen[r].last_ns);
        }
    }
    net_free(net);
    return hash;
}

static void test_same_seed_gives_the_same_run(void)
{
    g_assert_cmpuint(hash_of_run(5), ==, hash_of_run(5));
    g_assert_cmpuint(hash_of_run(5), !=, hash_of_run(6));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/network/packet_takes_the_delays_of_its_route_and_its_links",
                    test_packet_takes_the_delays_of_its_route_and_its_links);
    g_test_add_func("/sim/network/route_may_use_a_link_twice", test_route_may_use_a_link_twice);
    g_test_add_func("/sim/network/routes_share_the_queue_of_a_link",
                    test_routes_share_the_queue_of_a_link);
    g_test_add_func("/sim/network/jitter_of_bursts_holds_them_together",
                    test_jitter_of_bursts_holds_them_together);
    g_test_add_func("/sim/network/entry_jitter_is_bounded_uniform_and_keeps_the_order",
                    test_entry_jitter_is_bounded_uniform_and_keeps_the_order);
    g_test_add_func("/sim/network/routes_draw_independently", test_routes_draw_independently);
    g_test_add_func("/sim/network/what_is_not_there_is_refused", test_what_is_not_there_is_refused);
    g_test_add_func("/sim/network/packets_without_an_end_go_back_to_the_pool",
                    test_packets_without_an_end_go_back_to_the_pool);
    g_test_add_func("/sim/network/refused_packets_count_as_dropped",
                    test_refused_packets_count_as_dropped);
    g_test_add_func("/sim/network/duplicates_are_counted", test_duplicates_are_counted);
    g_test_add_func("/sim/network/every_packet_is_accounted_for_in_random_networks",
                    test_every_packet_is_accounted_for_in_random_networks);
    g_test_add_func("/sim/network/memory_is_bounded_by_what_is_inside",
                    test_memory_is_bounded_by_what_is_inside);
    g_test_add_func("/sim/network/fixed_links_do_the_same_with_fewer_events",
                    test_fixed_links_do_the_same_with_fewer_events);
    g_test_add_func("/sim/network/same_seed_gives_the_same_run", test_same_seed_gives_the_same_run);
    return g_test_run();
}
