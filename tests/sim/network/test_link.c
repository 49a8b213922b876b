/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/link.h"
#include "sim/sim_test.h"
#include "weir/units.h"
#include <math.h>

struct rig {
    struct bench *b;
    struct weir__link link;
};

/* 1 Mbit/s (12 ms for 1500 bytes), 20 ms, 10 packets of queue. */
static struct weir__link_config base_config(void)
{
    return (struct weir__link_config){.capacity_bps = WEIR_MBPS(1),
                                      .delay_ns = WEIR_MS(20),
                                      .queue = {.limit = {.packets = 10}},
                                      .seed = 1};
}

static struct rig *rig_new(struct weir__link_config config)
{
    struct rig *rig = g_new0(struct rig, 1);
    rig->b = bench_new(COLLECTOR_CAPACITY);
    config.out = collector_port(&rig->b->out);
    g_assert_cmpint(weir__link_init(&rig->link, &rig->b->sim, &rig->b->pool, &config), ==, WEIR_OK);
    return rig;
}

static void rig_free(struct rig *rig)
{
    weir__link_finish(&rig->link);
    bench_free(rig->b);
    g_free(rig);
}

static void offer_at(struct rig *rig, int64_t at_ns, int64_t seq, int32_t size_bytes)
{
    weir__sim_run_until(&rig->b->sim, at_ns);
    struct weir__packet *packet = bench_packet(rig->b, seq, size_bytes);
    packet->flow = (uint32_t)(seq % 4);
    weir__link_offer(&rig->link, packet);
}

/* Offers n packets of 1250 bytes, `every_ns` apart, and runs until 10 s. */
static void offer_many(struct rig *rig, int64_t n, int64_t every_ns)
{
    for (int64_t i = 0; i < n; i++) {
        offer_at(rig, every_ns * i, i, 1250);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(10));
}

static void test_packet_takes_its_send_time_and_the_delay(void)
{
    struct rig *rig = rig_new(base_config());
    offer_at(rig, WEIR_MS(5), 0, 1500);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(rig->b->out.n, ==, 1);
    g_assert_cmpint(rig->b->out.seen[0].at_ns, ==, WEIR_MS(5 + 12 + 20));
    rig_free(rig);
}

static void test_burst_leaves_at_the_rate_and_overflows_the_queue(void)
{
    struct rig *rig = rig_new(base_config());
    for (int64_t i = 0; i < 20; i++) {
        offer_at(rig, 0, i, 1500);
    }
    g_assert_cmpint(rig->link.total.dropped_packets, ==, 9); /* one in service, ten wait */
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_MS(132));
    weir__sim_run_until(&rig->b->sim, WEIR_MS(6));
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_MS(126));
    link_assert_conserved(&rig->link);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(rig->b->out.n, ==, 11);
    for (int64_t i = 0; i < 11; i++) {
        g_assert_cmpint(rig->b->out.seen[i].seq, ==, i);
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==, WEIR_MS(12 * (i + 1) + 20));
    }
    g_assert_cmpuint(rig->b->pool.used_packets, ==, 0);
    rig_free(rig);
}

/* More bits x ns than 64 bits hold: 3 GB wait behind the one being sent, 8000 s for each. */
static void test_the_wait_behind_gigabytes_is_known(void)
{
    struct rig *rig = rig_new(base_config());
    for (int64_t i = 0; i < 4; i++) {
        offer_at(rig, 0, i, 1000000000);
    }
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_SECONDS(4 * 8000));
    weir__link_set_capacity(&rig->link, 1);
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_NEVER_NS); /* 800 years */
    rig_free(rig);
}

/* The rate changes in the middle of packet 0, which keeps its own; packet 1 has the new one. */
static void test_rate_change_affects_the_next_packet_to_start(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = WEIR_MS(6), .rate_bps = WEIR_MBPS(2)}};
    struct weir__link_config config = base_config();
    config.steps = steps;
    config.n_steps = 1;
    struct rig *rig = rig_new(config);
    offer_at(rig, 0, 0, 1500);
    offer_at(rig, 0, 1, 1500);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpint(rig->b->out.seen[0].at_ns, ==, WEIR_MS(32));
    g_assert_cmpint(rig->b->out.seen[1].at_ns, ==, WEIR_MS(38));
    rig_free(rig);
}

static void test_outage_keeps_the_queue_until_the_rate_returns(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = 0, .rate_bps = WEIR_MBPS(1)},
        {.at_ns = WEIR_MS(100), .rate_bps = 0},
        {.at_ns = WEIR_MS(300), .rate_bps = 0},
        {.at_ns = WEIR_MS(500), .rate_bps = WEIR_MBPS(1)}};
    struct weir__link_config config = base_config();
    config.steps = steps;
    config.n_steps = 4;
    struct rig *rig = rig_new(config);
    weir__sim_run_until(&rig->b->sim, WEIR_MS(150));
    g_assert_cmpint(weir__link_capacity_bps(&rig->link), ==, 0);
    for (int64_t i = 0; i < 5; i++) {
        offer_at(rig, WEIR_MS(150 + i), i, 1500);
    }
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_NEVER_NS);
    weir__sim_run_until(&rig->b->sim, WEIR_MS(499));
    g_assert_cmpint(rig->link.queue.packets, ==, 5);
    g_assert_cmpuint(rig->b->out.n, ==, 0);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(rig->b->out.n, ==, 5);
    for (int64_t i = 0; i < 5; i++) {
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==, WEIR_MS(500 + 12 * (i + 1) + 20));
    }
    rig_free(rig);
}

static void test_endless_outage_ends_when_capacity_is_set(void)
{
    struct weir__link_config config = base_config();
    config.capacity_bps = 0;
    struct rig *rig = rig_new(config);
    offer_at(rig, 0, 0, 1500);
    g_assert_cmpint(weir__sim_next_event_ns(&rig->b->sim), ==, WEIR_NEVER_NS);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(7));
    weir__link_set_capacity(&rig->link, WEIR_MBPS(3));
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(8));
    g_assert_cmpint(rig->b->out.seen[0].at_ns, ==, WEIR_SECONDS(7) + WEIR_MS(24));
    rig_free(rig);
}

static void test_capacity_set_by_hand_replaces_the_schedule(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = 0, .rate_bps = 0}, {.at_ns = WEIR_MS(100), .rate_bps = WEIR_MBPS(1)}};
    struct weir__link_config config = base_config();
    config.steps = steps;
    config.n_steps = 2;
    struct rig *rig = rig_new(config);
    offer_at(rig, WEIR_MS(10), 0, 1500);
    weir__link_set_capacity(&rig->link, WEIR_MBPS(12));
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpint(rig->b->out.seen[0].at_ns, ==, WEIR_MS(31));
    g_assert_cmpint(weir__link_capacity_bps(&rig->link), ==, WEIR_MBPS(12));
    offer_at(rig, WEIR_SECONDS(2), 1, 1500);
    weir__link_set_capacity(&rig->link, 0); /* packet 1 is in service and keeps its rate */
    offer_at(rig, WEIR_SECONDS(2), 2, 1500);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(9));
    g_assert_cmpuint(rig->b->out.n, ==, 2);
    rig_free(rig);
}

/* Work conserving: while the queue holds something, departures are one send time apart. */
static void test_link_is_never_idle_with_a_queue(void)
{
    const uint64_t seed = 41;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    struct weir__link_config config = base_config();
    struct weir__random random;
    config.queue.limit.packets = 1000;
    config.delay_ns = 0;
    struct rig *rig = rig_new(config);
    int64_t now_ns = 0;
    int64_t free_ns = 0; /* when the link would have finished all of it */
    int64_t expected_ns[3000];
    weir__random_init(&random, seed, 0);
    for (int64_t i = 0; i < 3000; i++) {
        int32_t size_bytes = (int32_t)(40 + weir__random_below(&random, 1460));
        now_ns += (int64_t)weir__random_exponential(&random, 6.6e6);
        free_ns = (now_ns > free_ns ? now_ns : free_ns) + weir_send_time_ns(size_bytes, 1000000);
        expected_ns[i] = free_ns;
        offer_at(rig, now_ns, i, size_bytes);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1000));
    g_assert_cmpuint(rig->b->out.n, ==, 3000);
    for (size_t i = 0; i < 3000; i++) {
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==, expected_ns[i]);
    }
    rig_free(rig);
}

static void test_jitter_spreads_but_never_reorders(void)
{
    struct weir__link_config config = base_config();
    config.capacity_bps = WEIR_MBPS(100);
    config.jitter_ns = WEIR_MS(10);
    struct rig *rig = rig_new(config);
    int64_t least_ns = INT64_MAX;
    int64_t most_ns = 0;
    offer_many(rig, 2000, WEIR_MS(3));
    for (int64_t i = 0; i < 2000; i++) {
        int64_t delay_ns = rig->b->out.seen[i].at_ns - WEIR_MS(3 * i);
        g_assert_cmpint(rig->b->out.seen[i].seq, ==, i);
        least_ns = weir_min_i64(least_ns, delay_ns);
        most_ns = weir_max_i64(most_ns, delay_ns);
    }
    g_assert_cmpint(least_ns, >=, WEIR_US(20100));
    g_assert_cmpint(least_ns, <, WEIR_MS(21));
    g_assert_cmpint(most_ns, >, WEIR_MS(29));
    g_assert_cmpint(most_ns, <=, WEIR_US(30100));
    rig_free(rig);
}

/* RFC 8868 2.3: |N(0, std^2)| cut at 3 std has the mean 0.798 std less what is cut, 0.0008 std. */
static void test_jitter_of_rfc8868_is_a_folded_truncated_normal(void)
{
    struct weir__link_config config = base_config();
    config.jitter_model = WEIR__JITTER_RFC8868;
    config.jitter_ns = WEIR_MS(10);
    struct rig *rig = rig_new(config);
    const int64_t n = 19000;
    double sum_ns = 0.0;
    int64_t at_bound = 0;
    for (int64_t i = 0; i < n; i++) {
        offer_at(rig, WEIR_MS(100 * i), i, 1000);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_MS(100 * n));
    g_assert_cmpuint(rig->b->out.n, ==, (size_t)n);
    int64_t least_ns = config.delay_ns + weir_send_time_ns(1000, config.capacity_bps);
    for (int64_t i = 0; i < n; i++) {
        int64_t jitter_ns = rig->b->out.seen[i].at_ns - WEIR_MS(100 * i) - least_ns;
        g_assert_cmpint(jitter_ns, >=, 0);
        g_assert_cmpint(jitter_ns, <=, WEIR_MS(30));
        at_bound += jitter_ns == WEIR_MS(30);
        sum_ns += (double)jitter_ns;
    }
    /* The deviation of |N| is 0.603 std; 0.27 % are cut. Four standard deviations each. */
    assert_near(sum_ns / (double)n / 1e7, 0.79712, 4.0 * 0.603 / sqrt((double)n));
    assert_near((double)at_bound, 0.0027 * (double)n, 4.0 * sqrt(0.0027 * (double)n));
    rig_free(rig);
}

static void test_jitter_of_rfc8868_keeps_the_order(void)
{
    struct weir__link_config config = base_config();
    config.jitter_model = WEIR__JITTER_RFC8868;
    config.jitter_ns = WEIR_MS(10);
    config.queue.limit.packets = 10000;
    struct rig *rig = rig_new(config);
    for (int64_t i = 0; i < 5000; i++) {
        offer_at(rig, WEIR_MS(i), i, 100);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(100));
    g_assert_cmpuint(rig->b->out.n, ==, 5000);
    for (int64_t i = 0; i < 5000; i++) {
        g_assert_cmpint(rig->b->out.seen[i].seq, ==, i);
    }
    rig_free(rig);
}

static void test_shorter_delay_does_not_overtake(void)
{
    struct weir__link_config config = base_config();
    config.capacity_bps = WEIR_MBPS(100);
    struct rig *rig = rig_new(config);
    for (int64_t i = 0; i < 100; i++) {
        weir__link_set_delay(&rig->link, i % 2 == 0 ? WEIR_MS(50) : WEIR_MS(1));
        offer_at(rig, WEIR_MS(i), i, 1250);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    for (int64_t i = 0; i < 100; i++) {
        g_assert_cmpint(rig->b->out.seen[i].seq, ==, i);
    }
    rig_free(rig);
}

/* A path that becomes longer at 100 ms, and shorter at 200 ms: there the packets bunch up behind
 * the last of the long ones. */
static void test_delay_follows_its_schedule_in_order(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = WEIR_MS(100), .delay_ns = WEIR_MS(60)},
        {.at_ns = WEIR_MS(200), .delay_ns = WEIR_MS(10)}};
    struct weir__link_config config = base_config();
    config.capacity_bps = WEIR_MBPS(100);
    config.delay_steps = steps;
    config.n_delay_steps = 2;
    struct rig *rig = rig_new(config);
    offer_many(rig, 30, WEIR_MS(10));
    for (int64_t i = 0; i < 30; i++) {
        int64_t sent_ns = WEIR_MS(10 * i) + WEIR_US(100);
        int64_t alone_ns = sent_ns + (i < 10 ? WEIR_MS(20) : i < 20 ? WEIR_MS(60) : WEIR_MS(10));
        int64_t last_long_ns = WEIR_MS(190) + WEIR_US(100) + WEIR_MS(60);
        g_assert_cmpint(rig->b->out.seen[i].seq, ==, i);
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==,
                        i < 20 ? alone_ns : weir_max_i64(alone_ns, last_long_ns));
    }
    rig_free(rig);
}

static void test_delay_schedule_repeats_until_a_delay_is_set(void)
{
    static const struct weir__schedule_step steps[] = {{.at_ns = 0, .delay_ns = WEIR_MS(5)},
                                                       {.at_ns = WEIR_MS(50), .delay_ns = 0}};
    struct weir__link_config config = base_config();
    config.capacity_bps = WEIR_MBPS(100);
    config.delay_steps = steps;
    config.n_delay_steps = 2;
    config.delay_period_ns = WEIR_MS(100);
    struct rig *rig = rig_new(config);
    for (int64_t i = 0; i < 40; i++) {
        if (i == 20) {
            weir__sim_run_until(&rig->b->sim, WEIR_MS(490));
            weir__link_set_delay(&rig->link, WEIR_MS(7));
        }
        offer_at(rig, WEIR_MS(25 * i), i, 1250);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(10));
    for (int64_t i = 0; i < 40; i++) {
        int64_t delay_ns = i >= 20 ? WEIR_MS(7) : i % 4 < 2 ? WEIR_MS(5) : 0;
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==, WEIR_MS(25 * i) + WEIR_US(100) + delay_ns);
    }
    rig_free(rig);
}

/* A queue of ten packets and opportunities at 2, 5, 5 and 10 ms of each 10. */
static void test_trace_decides_when_packets_leave(void)
{
    static const int64_t at_ms[] = {2, 5, 5, 10};
    static const int64_t leave_ms[] = {2, 5, 5, 10, 12, 15, 15, 20, 22, 25, 25};
    struct weir__link_config config = base_config();
    config.capacity_bps = 0;
    config.trace_ms = at_ms;
    config.n_trace = G_N_ELEMENTS(at_ms);
    struct rig *rig = rig_new(config);
    g_assert_cmpint(weir__link_capacity_bps(&rig->link), ==, 4800000);
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, 0);
    for (int64_t i = 0; i < 20; i++) {
        offer_at(rig, 0, i, 1500);
    }
    g_assert_cmpint(rig->link.total.dropped_packets, ==, 9);
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_MS(25));
    weir__sim_run_until(&rig->b->sim, WEIR_MS(11));
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_MS(14));
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(rig->b->out.n, ==, 11);
    for (int64_t i = 0; i < 11; i++) {
        g_assert_cmpint(rig->b->out.seen[i].seq, ==, i);
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==, WEIR_MS(leave_ms[i] + 20));
    }
    link_assert_conserved(&rig->link);
    weir__link_set_capacity(&rig->link, WEIR_MBPS(1)); /* ends the trace */
    offer_at(rig, WEIR_SECONDS(1), 11, 1500);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(2));
    g_assert_cmpint(rig->b->out.seen[11].at_ns, ==, WEIR_MS(1032));
    rig_free(rig);
}

static void test_reordered_share_comes_late_by_its_delay(void)
{
    struct weir__link_config config = base_config();
    config.capacity_bps = WEIR_MBPS(100);
    config.reorder = 0.1;
    config.reorder_delay_ns = WEIR_MS(5);
    struct rig *rig = rig_new(config);
    int late = 0;
    offer_many(rig, 5000, WEIR_MS(1));
    g_assert_cmpuint(rig->b->out.n, ==, 5000);
    for (size_t i = 0; i < 5000; i++) {
        int64_t delay_ns = rig->b->out.seen[i].at_ns - WEIR_MS(rig->b->out.seen[i].seq);
        g_assert_true(delay_ns == WEIR_US(20100) || delay_ns == WEIR_US(25100));
        late += delay_ns == WEIR_US(25100);
    }
    assert_near(late / 5000.0, 0.1, 0.02);
    rig_free(rig);
}

static void test_duplicates_follow_their_original(void)
{
    struct weir__link_config config = base_config();
    config.capacity_bps = WEIR_MBPS(100);
    config.duplicate = 0.2;
    struct rig *rig = rig_new(config);
    size_t copies = 0;
    offer_many(rig, 3000, WEIR_MS(1));
    for (size_t i = 0; i < rig->b->out.n; i++) {
        const struct collected *seen = &rig->b->out.seen[i];
        if (seen->duplicated) {
            copies++;
            g_assert_cmpint(seen[1].seq, ==, seen->seq);
            g_assert_false(seen[1].duplicated);
        }
    }
    g_assert_cmpuint(rig->b->out.n, ==, 3000 + copies);
    g_assert_cmpint(rig->link.total.duplicated_packets, ==, (int64_t)copies);
    assert_near((double)copies / 3000.0, 0.2, 0.03);
    link_assert_conserved(&rig->link);
    rig_free(rig);
}

/* What leaves as not-ECT, ECT(1), ECT(0) and CE arrives as; -1 = it does not. */
static void test_broken_wires_rewrite_ecn(void)
{
    static const struct {
        enum weir__link_ecn ecn;
        int arrives[4];
    } cases[] = {
        {WEIR__LINK_ECN_KEEPS, {0, 1, 2, 3}},   {WEIR__LINK_ECN_BLEACHES, {0, 0, 0, 0}},
        {WEIR__LINK_ECN_TO_ECT0, {0, 2, 2, 3}}, {WEIR__LINK_ECN_TO_ECT1, {0, 1, 1, 3}},
        {WEIR__LINK_ECN_MARKS, {0, 3, 3, 3}},   {WEIR__LINK_ECN_DROPS, {0, -1, -1, -1}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        for (uint8_t ecn = 0; ecn < 4; ecn++) {
            struct weir__link_config config = base_config();
            config.ecn = cases[i].ecn;
            struct rig *rig = rig_new(config);
            struct weir__packet *packet = bench_packet(rig->b, 0, 1000);
            packet->ecn = ecn;
            weir__link_offer(&rig->link, packet);
            weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
            bool lost = cases[i].arrives[ecn] < 0;
            g_assert_cmpuint(rig->b->out.n, ==, lost ? 0 : 1);
            g_assert_true(lost || rig->b->out.seen[0].ecn == cases[i].arrives[ecn]);
            g_assert_cmpint(rig->link.total.lost_packets, ==, lost);
            rig_free(rig);
        }
    }
}

static void test_corrupt_packets_are_flagged(void)
{
    struct weir__link_config config = base_config();
    config.capacity_bps = WEIR_MBPS(100);
    config.corrupt = 0.3;
    struct rig *rig = rig_new(config);
    int corrupt = 0;
    offer_many(rig, 3000, WEIR_MS(1));
    for (size_t i = 0; i < rig->b->out.n; i++) {
        corrupt += rig->b->out.seen[i].corrupt;
    }
    assert_near(corrupt / 3000.0, 0.3, 0.03);
    rig_free(rig);
}

struct drops {
    struct weir__packet_pool *pool;
    int queue;
    int loss;
};

static void count_drop(void *target, struct weir__packet *packet, enum weir__drop_reason reason)
{
    struct drops *drops = target;
    drops->queue += reason == WEIR__DROP_QUEUE;
    drops->loss += reason == WEIR__DROP_LOSS;
    weir__packet_give(drops->pool, packet);
}

static void test_drops_are_reported_with_their_reason(void)
{
    struct weir__link_config config = base_config();
    struct drops drops = {.queue = 0};
    config.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_PERIODIC, .every_packets = 4};
    config.on_drop = count_drop;
    config.drop_target = &drops;
    struct rig *rig = rig_new(config);
    drops.pool = &rig->b->pool;
    for (int64_t i = 0; i < 20; i++) {
        offer_at(rig, 0, i, 1500);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpint(drops.queue, ==, 9);
    g_assert_cmpint(drops.loss, ==, 2);
    g_assert_cmpuint(rig->b->out.n, ==, 9);
    struct weir__link_loss_config none = {.model = WEIR__LOSS_NONE};
    weir__link_set_loss(&rig->link, &none);
    for (int64_t i = 0; i < 8; i++) {
        offer_at(rig, WEIR_SECONDS(1), i, 1500);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(2));
    g_assert_cmpint(drops.loss, ==, 2);
    g_assert_cmpuint(rig->b->pool.used_packets, ==, 0);
    rig_free(rig);
}

static struct weir__link_config random_config(struct weir__random *random,
                                              struct weir__schedule_step *steps)
{
    struct weir__link_config config = {
        .capacity_bps = weir__random_below(random, WEIR_MBPS(4)),
        .delay_ns = weir__random_below(random, WEIR_MS(100)),
        .jitter_ns = weir__random_below(random, WEIR_MS(30)),
        .steps = steps,
        .n_steps = (size_t)weir__random_below(random, 6),
        .loss = {.model = (enum weir__link_loss_model)weir__random_below(random, 6),
                 .p = 0.1,
                 .p_good_to_bad = 0.05,
                 .p_bad_to_good = 0.4,
                 .p_loss_bad = 0.8,
                 .every_packets = 7,
                 .mean_ns = WEIR_MS(50),
                 .mean_packets = 9,
                 .variation = 0.5},
        .duplicate = weir__random_uniform(random) / 4,
        .reorder = weir__random_uniform(random) / 4,
        .corrupt = weir__random_uniform(random) / 4,
        .reorder_delay_ns = weir__random_below(random, WEIR_MS(40)),
        .seed = weir__random_u64(random),
    };
    int64_t at_ns = 0;
    for (size_t i = 0; i < config.n_steps; i++) {
        at_ns += 1 + weir__random_below(random, WEIR_SECONDS(1));
        steps[i].at_ns = at_ns;
        steps[i].rate_bps =
            weir__random_chance(random, 0.2) ? 0 : weir__random_below(random, WEIR_MBPS(4));
    }
    config.period_ns = config.n_steps > 0 && weir__random_chance(random, 0.5) ? at_ns + 1000 : 0;
    weir__queue_config_default(&config.queue);
    config.queue.discipline =
        (enum weir__queue_discipline)weir__random_below(random, WEIR__QUEUE_DISCIPLINES);
    config.queue.limit.packets = 1 + weir__random_below(random, 60);
    config.queue.limit.bytes = weir__random_below(random, 60000);
    config.queue.limit.time_ns = weir__random_below(random, WEIR_MS(300));
    int64_t service = weir__random_below(random, 6);
    config.shaper.rate_bps = service == 0 ? 1 + weir__random_below(random, WEIR_MBPS(2)) : 0;
    config.aggregation.packets = service == 1 ? 1 + weir__random_below(random, 20) : 0;
    config.policer.rate_bps =
        weir__random_chance(random, 0.2) ? 1 + weir__random_below(random, WEIR_MBPS(4)) : 0;
    config.shaper.burst_bytes = config.policer.burst_bytes = 1 + weir__random_below(random, 9000);
    config.aggregation.airtime_ns = 1 + weir__random_below(random, WEIR_MS(20));
    config.aggregation.access_ns = weir__random_below(random, WEIR_MS(20));
    return config;
}

/* offered + duplicated = delivered + dropped + lost + inside, whatever the configuration. */
static void test_packets_are_conserved_in_random_configurations(void)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct weir__random random;
        struct weir__schedule_step steps[6];
        weir__random_init(&random, seed, 99);
        g_test_message("seed %" G_GUINT64_FORMAT, seed);
        struct rig *rig = rig_new(random_config(&random, steps));
        int64_t now_ns = 0;
        for (int64_t i = 0; i < 1500; i++) {
            now_ns += (int64_t)weir__random_exponential(&random, 3e6);
            offer_at(rig, now_ns, i, (int32_t)(1 + weir__random_below(&random, 1500)));
            if (i % 50 == 0) {
                link_assert_conserved(&rig->link);
            }
        }
        link_assert_conserved(&rig->link);
        g_assert_cmpint((int64_t)rig->b->pool.used_packets, ==, link_inside_packets(&rig->link));
        weir__link_set_capacity(&rig->link, WEIR_MBPS(10));
        weir__sim_run_until(&rig->b->sim, now_ns + WEIR_SECONDS(3000000));
        g_assert_cmpint(link_inside_packets(&rig->link), ==, 0);
        g_assert_cmpuint(rig->b->pool.used_packets, ==, 0);
        link_assert_conserved(&rig->link);
        rig_free(rig);
    }
}

static void take_out_everything(enum weir__queue_discipline discipline)
{
    struct weir__link_config config = base_config();
    weir__queue_config_default(&config.queue);
    config.queue.discipline = discipline;
    config.queue.limit.packets = 10;
    config.reorder = 0.5;
    config.reorder_delay_ns = WEIR_SECONDS(1);
    struct rig *rig = rig_new(config);
    bool seen[30] = {false};
    int count = 0;
    for (int64_t i = 0; i < 30; i++) {
        offer_at(rig, WEIR_MS(10 * i), i, 1500);
    }
    int64_t inside = link_inside_packets(&rig->link);
    g_assert_cmpint(inside, >, 5);
    for (struct weir__packet *p = weir__link_take_inside(&rig->link); p;
         p = weir__link_take_inside(&rig->link)) {
        g_assert_false(seen[p->seq]);
        seen[p->seq] = true;
        count++;
    }
    g_assert_cmpint(count, ==, inside);
    rig_free(rig);
}

static void test_everything_inside_can_be_taken_out(void)
{
    for (int d = 0; d < WEIR__QUEUE_DISCIPLINES; d++) {
        take_out_everything((enum weir__queue_discipline)d);
    }
}

/* A burst through CoDel: what it drops from inside is counted, and told to who wants to know. */
static void test_drops_from_inside_the_queue_are_counted(void)
{
    struct weir__link_config config = base_config();
    weir__queue_config_default(&config.queue);
    config.queue.discipline = WEIR__QUEUE_CODEL;
    config.queue.limit.packets = 1000;
    struct rig *rig = rig_new(config);
    for (int64_t i = 0; i < 200; i++) {
        offer_at(rig, 0, i, 1500);
    }
    g_assert_cmpint(rig->link.total.dropped_packets, ==, 0);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    link_assert_conserved(&rig->link);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(10));
    link_assert_conserved(&rig->link);
    g_assert_cmpint(rig->link.total.dropped_packets, >, 20);
    g_assert_cmpint((int64_t)rig->b->out.n, ==, 200 - rig->link.total.dropped_packets);
    g_assert_cmpuint(rig->b->pool.used_packets, ==, 0);
    rig_free(rig);
}

static void test_values_outside_their_range_are_refused(void)
{
    static const struct weir__schedule_step long_delay = {.delay_ns = WEIR_SECONDS(3601)};
    static const int64_t descending_ms[] = {2, 1};
    struct weir__link_config bad[11];
    struct bench *b = bench_new(1);
    struct weir__link link;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = base_config();
    }
    bad[0].capacity_bps = -1;
    bad[1].delay_ns = -1;
    bad[2].jitter_ns = WEIR_SECONDS(3601);
    bad[3].duplicate = 1.1;
    bad[4].reorder = -0.1;
    bad[5].corrupt = 2;
    bad[6].loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 3};
    bad[7].queue.limit.packets = 0;
    bad[8].reorder_delay_ns = -1;
    bad[9].delay_steps = &long_delay;
    bad[9].n_delay_steps = 1;
    bad[10].trace_ms = descending_ms;
    bad[10].n_trace = 2;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__link_init(&link, &b->sim, &b->pool, &bad[i]), ==, WEIR_ERROR_RANGE);
    }
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/link/packet_takes_its_send_time_and_the_delay",
                    test_packet_takes_its_send_time_and_the_delay);
    g_test_add_func("/sim/link/burst_leaves_at_the_rate_and_overflows_the_queue",
                    test_burst_leaves_at_the_rate_and_overflows_the_queue);
    g_test_add_func("/sim/link/the_wait_behind_gigabytes_is_known",
                    test_the_wait_behind_gigabytes_is_known);
    g_test_add_func("/sim/link/rate_change_affects_the_next_packet_to_start",
                    test_rate_change_affects_the_next_packet_to_start);
    g_test_add_func("/sim/link/outage_keeps_the_queue_until_the_rate_returns",
                    test_outage_keeps_the_queue_until_the_rate_returns);
    g_test_add_func("/sim/link/endless_outage_ends_when_capacity_is_set",
                    test_endless_outage_ends_when_capacity_is_set);
    g_test_add_func("/sim/link/capacity_set_by_hand_replaces_the_schedule",
                    test_capacity_set_by_hand_replaces_the_schedule);
    g_test_add_func("/sim/link/link_is_never_idle_with_a_queue",
                    test_link_is_never_idle_with_a_queue);
    g_test_add_func("/sim/link/jitter_spreads_but_never_reorders",
                    test_jitter_spreads_but_never_reorders);
    g_test_add_func("/sim/link/jitter_of_rfc8868_is_a_folded_truncated_normal",
                    test_jitter_of_rfc8868_is_a_folded_truncated_normal);
    g_test_add_func("/sim/link/jitter_of_rfc8868_keeps_the_order",
                    test_jitter_of_rfc8868_keeps_the_order);
    g_test_add_func("/sim/link/delay_follows_its_schedule_in_order",
                    test_delay_follows_its_schedule_in_order);
    g_test_add_func("/sim/link/delay_schedule_repeats_until_a_delay_is_set",
                    test_delay_schedule_repeats_until_a_delay_is_set);
    g_test_add_func("/sim/link/trace_decides_when_packets_leave",
                    test_trace_decides_when_packets_leave);
    g_test_add_func("/sim/link/drops_from_inside_the_queue_are_counted",
                    test_drops_from_inside_the_queue_are_counted);
    g_test_add_func("/sim/link/shorter_delay_does_not_overtake",
                    test_shorter_delay_does_not_overtake);
    g_test_add_func("/sim/link/reordered_share_comes_late_by_its_delay",
                    test_reordered_share_comes_late_by_its_delay);
    g_test_add_func("/sim/link/duplicates_follow_their_original",
                    test_duplicates_follow_their_original);
    g_test_add_func("/sim/link/broken_wires_rewrite_ecn", test_broken_wires_rewrite_ecn);
    g_test_add_func("/sim/link/corrupt_packets_are_flagged", test_corrupt_packets_are_flagged);
    g_test_add_func("/sim/link/drops_are_reported_with_their_reason",
                    test_drops_are_reported_with_their_reason);
    g_test_add_func("/sim/link/packets_are_conserved_in_random_configurations",
                    test_packets_are_conserved_in_random_configurations);
    g_test_add_func("/sim/link/everything_inside_can_be_taken_out",
                    test_everything_inside_can_be_taken_out);
    g_test_add_func("/sim/link/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
