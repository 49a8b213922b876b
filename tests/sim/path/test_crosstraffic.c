/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/path/crosstraffic.h"
#include "sim/tcp/tcp_rig.h"

/* Cross traffic of a text on a link of its own: 4 Mbit/s, 25 ms, 40 packets. */
struct rig {
    struct tcp_rig *net;
    struct weir__crosstraffic cross;
};

static struct rig rig_new(const char *text, uint64_t seed)
{
    struct weir__link_config link = {.capacity_bps = WEIR_MBPS(4),
                                     .delay_ns = WEIR_MS(25),
                                     .queue = {.limit = {.packets = 40}},
                                     .seed = seed};
    struct rig rig = {.net = tcp_rig_new(link)};
    struct weir__cross_item items[WEIR__CROSS_ITEMS];
    size_t n = 0;
    g_assert_cmpint(weir__crosstraffic_parse(text, items, WEIR__CROSS_ITEMS, &n, NULL, 0), ==,
                    WEIR_OK);
    g_assert_cmpint(weir__crosstraffic_init(&rig.cross, items, n, rig.net->network, seed), ==,
                    WEIR_OK);
    return rig;
}

static void rig_free(struct rig *rig)
{
    weir__crosstraffic_finish(&rig->cross);
    weir__crosstraffic_finish(&rig->cross);
    tcp_rig_free(rig->net);
}

static void run_s(struct rig *rig, int64_t seconds)
{
    weir__sim_run_until(rig->net->sim, WEIR_SECONDS(seconds));
}

static void test_each_item_becomes_its_flows(void)
{
    struct rig rig = rig_new(
        "reno*2;cbr:100k*3;newreno;sack*2;vegas;westwood;cubic;linux-reno;linux-cubic;prague", 1);
    static const enum weir__tcp_variant expected[] = {
        WEIR__TCP_RENO, WEIR__TCP_RENO,  WEIR__TCP_NEWRENO,  WEIR__TCP_SACK,
        WEIR__TCP_SACK, WEIR__TCP_VEGAS, WEIR__TCP_WESTWOOD, WEIR__TCP_CUBIC,
        WEIR__TCP_SACK, WEIR__TCP_CUBIC, WEIR__TCP_PRAGUE};
    g_assert_cmpuint(rig.cross.n_tcp, ==, 11);
    g_assert_cmpuint(rig.cross.n_cbr, ==, 3);
    for (size_t i = 0; i < 11; i++) {
        g_assert_cmpint(rig.cross.tcp[i].sender.config.variant, ==, expected[i]);
        g_assert_true(rig.cross.tcp[i].sender.config.byte_counting == (i >= 8));
    }
    run_s(&rig, 60);
    for (uint32_t i = 0; i < 14; i++) {
        g_assert_cmpint(weir__network_route_counters(rig.net->network, i)->delivered_packets, >,
                        100);
    }
    rig_free(&rig);
}

static void test_goodput_counts_distinct_payload(void)
{
    struct rig rig = rig_new("reno*3;cbr:500k", 2);
    run_s(&rig, 200);
    int64_t expected = weir__udp_flow_meter(rig.cross.cbr[0])->received_bytes;
    for (size_t i = 0; i < 3; i++) {
        expected += 1460 * rig.cross.tcp[i].sink.distinct_packets;
    }
    int64_t goodput_bytes = weir__crosstraffic_goodput_bytes(&rig.cross);
    g_assert_cmpint(goodput_bytes, ==, expected);
    g_assert_cmpint(goodput_bytes, <=, rig.net->link->total.delivered_bytes);
    g_assert_cmpint(goodput_bytes * 8 / 200, >, 3600000);
    rig_free(&rig);
}

/* TCP takes what the unresponsive source leaves, and gives it back. */
static void test_tcp_yields_to_cbr_in_its_on_phases(void)
{
    struct rig rig = rig_new("sack*2;cbr:3M,on=50,off=50,start=50", 3);
    int64_t bytes[5] = {0};
    for (int64_t i = 0; i < 5; i++) {
        run_s(&rig, 50 * i + 10);
        int64_t before = rig.cross.tcp[0].sink.goodput_bytes + rig.cross.tcp[1].sink.goodput_bytes;
        run_s(&rig, 50 * i + 50);
        bytes[i] =
            rig.cross.tcp[0].sink.goodput_bytes + rig.cross.tcp[1].sink.goodput_bytes - before;
        assert_near((double)bytes[i] * 8 / 40, i % 2 == 0 ? 3.85e6 : 0.95e6, 0.15e6);
    }
    rig_free(&rig);
}

static void test_start_and_stop_are_kept(void)
{
    struct rig rig = rig_new("reno,start=10,stop=20", 4);
    run_s(&rig, 9);
    g_assert_cmpint(rig.net->link->total.offered_packets, ==, 0);
    run_s(&rig, 20);
    int64_t offered = rig.net->link->total.offered_packets;
    g_assert_cmpint(offered, >, 1000);
    run_s(&rig, 21);
    int64_t drained = rig.net->link->total.offered_packets;
    g_assert_cmpint(drained - offered, <=, 3); /* what was still in the access delay */
    run_s(&rig, 100);
    g_assert_cmpint(rig.net->link->total.offered_packets, ==, drained);
    g_assert_cmpuint(rig.net->pool->used_packets, ==, 0);
    rig_free(&rig);
}

/* The measured round trip of a flow that hardly queues. */
static void test_rtt_is_that_of_the_text_or_twice_the_delay(void)
{
    static const struct {
        const char *text;
        double rtt_ms;
    } cases[] = {{"reno,rtt=0.3,size=100", 300},
                 {"reno,size=100", 50},
                 {"reno,rtt=0.01,size=100", 25}}; /* the link alone takes 25 ms */
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig = rig_new(cases[i].text, 5);
        weir__sim_run_until(rig.net->sim, WEIR_MS(900));
        double srtt_ms = (double)rig.cross.tcp[0].sender.rto.srtt_ns / 1e6;
        g_test_message("%s: %.2f ms", cases[i].text, srtt_ms);
        g_assert_cmpfloat(srtt_ms, >=, cases[i].rtt_ms);
        g_assert_cmpfloat(srtt_ms, <, cases[i].rtt_ms + 60.0);
        rig_free(&rig);
    }
}

static void test_a_thousand_flows_run(void)
{
    struct rig rig = rig_new("reno*500;sack*400;cbr:1k*100", 6);
    run_s(&rig, 30);
    g_assert_cmpint(rig.net->link->total.delivered_bytes * 8 / 30, >, 3200000);
    rig_free(&rig);
}

static void test_equal_seeds_give_equal_runs(void)
{
    uint64_t hashes[3];
    for (size_t i = 0; i < 3; i++) {
        struct rig rig = rig_new("reno*3;sack*2;cbr:300k,on=1,off=2", i == 2 ? 8 : 7);
        run_s(&rig, 50);
        hashes[i] = HASH_START;
        for (size_t k = 0; k < rig.cross.n_tcp; k++) {
            hashes[i] = hash_u64(hashes[i], (uint64_t)rig.cross.tcp[k].sink.goodput_bytes);
        }
        rig_free(&rig);
    }
    g_assert_cmpuint(hashes[0], ==, hashes[1]);
    g_assert_cmpuint(hashes[0], !=, hashes[2]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/crosstraffic/each_item_becomes_its_flows",
                    test_each_item_becomes_its_flows);
    g_test_add_func("/sim/crosstraffic/goodput_counts_distinct_payload",
                    test_goodput_counts_distinct_payload);
    g_test_add_func("/sim/crosstraffic/tcp_yields_to_cbr_in_its_on_phases",
                    test_tcp_yields_to_cbr_in_its_on_phases);
    g_test_add_func("/sim/crosstraffic/start_and_stop_are_kept", test_start_and_stop_are_kept);
    g_test_add_func("/sim/crosstraffic/rtt_is_that_of_the_text_or_twice_the_delay",
                    test_rtt_is_that_of_the_text_or_twice_the_delay);
    g_test_add_func("/sim/crosstraffic/a_thousand_flows_run", test_a_thousand_flows_run);
    g_test_add_func("/sim/crosstraffic/equal_seeds_give_equal_runs",
                    test_equal_seeds_give_equal_runs);
    return g_test_run();
}
