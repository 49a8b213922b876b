/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/random.h"
#include "sim/path/path.h"
#include "sim/sim_test.h"
#include "weir/units.h"

#define TOKENS 20000

/* What became of each token. */
struct seen {
    struct weir__path_outcome last[TOKENS]; /* the latest outcome of each token */
    uint8_t outcomes[TOKENS];
    uint8_t finals[TOKENS];
    uint64_t order[2 * TOKENS];
    size_t n;
    size_t verdicts[4];
    size_t corrupt;
    uint64_t hash;
};

static void on_outcome(void *user, const struct weir__path_outcome *outcome)
{
    struct seen *seen = user;
    g_assert_cmpuint(outcome->token, <, TOKENS);
    g_assert_cmpuint(seen->finals[outcome->token], ==, 0);
    seen->last[outcome->token] = *outcome;
    seen->outcomes[outcome->token]++;
    seen->finals[outcome->token] += outcome->last;
    seen->order[seen->n++] = outcome->token;
    seen->verdicts[outcome->verdict]++;
    seen->corrupt += outcome->corrupt;
    seen->hash = hash_u64(seen->hash, outcome->token);
    seen->hash = hash_u64(seen->hash, (uint64_t)outcome->at_ns);
    seen->hash = hash_u64(seen->hash, (uint64_t)outcome->verdict + outcome->noise);
}

static struct seen *seen_new(void)
{
    struct seen *seen = g_new0(struct seen, 1);
    seen->hash = HASH_START;
    return seen;
}

static struct weir__path *create(const struct weir__path_config *config, struct seen *seen)
{
    struct weir__path *path = NULL;
    char error[200] = "";
    enum weir_status status =
        weir__path_create(&path, config, on_outcome, seen, error, sizeof error);
    g_assert_cmpstr(error, ==, "");
    g_assert_cmpint(status, ==, WEIR_OK);
    return path;
}

static enum weir_status offer(struct weir__path *path, int64_t now_ns, uint32_t flow,
                              int64_t size_bytes, uint64_t token)
{
    const struct weir__path_packet packet = {
        .token = token, .size_bytes = size_bytes, .flow = flow};
    return weir__path_offer(path, now_ns, &packet);
}

static struct weir__path_config base_config(void)
{
    struct weir__path_config config;
    weir__path_config_default(&config);
    config.link.capacity_bps = WEIR_MBPS(1);
    return config;
}

/* Packets of 12 ms at 1 Mbit/s; one that arrives while the capacity falls waits at both rates. */
static void test_outcomes_say_how_long_the_queue_was(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    config.link.queue.limit.packets = 2;
    struct weir__path *path = create(&config, seen);
    uint32_t flow;
    weir__path_add_flow(path, &flow);
    for (uint64_t token = 0; token < 4; token++) {
        offer(path, WEIR_MS(5), flow, 1500, token);
    }
    weir__path_run_until(path, WEIR_MS(11));
    weir__path_set_capacity(path, WEIR_KBPS(500));
    weir__path_run_until(path, WEIR_SECONDS(1));
    g_assert_cmpint(seen->last[0].queue_ns, ==, 0);
    g_assert_cmpint(seen->last[1].queue_ns, ==, WEIR_MS(12));
    g_assert_cmpint(seen->last[2].queue_ns, ==, WEIR_MS(12 + 24));
    g_assert_cmpint(seen->last[2].delay_ns, ==, WEIR_MS(12 + 24 + 24 + 20));
    g_assert_cmpint(seen->last[3].verdict, ==, WEIR__PATH_DROPPED);
    g_assert_cmpint(seen->last[3].queue_ns, ==, 0);
    weir__path_destroy(path);
    g_free(seen);
}

static void test_packet_is_delivered_after_service_and_delay(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    struct weir__path *path = create(&config, seen);
    uint32_t flow = 99;
    g_assert_cmpint(weir__path_next_event_ns(path), ==, WEIR_NEVER_NS);
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    g_assert_cmpint(offer(path, WEIR_MS(5), flow, 1500, 7), ==, WEIR_OK);
    g_assert_cmpint(weir__path_next_event_ns(path), ==, WEIR_MS(17));
    weir__path_run_until(path, WEIR_MS(17));
    g_assert_cmpint(weir__path_next_event_ns(path), ==, WEIR_MS(37));
    weir__path_run_until(path, WEIR_MS(36));
    g_assert_cmpuint(seen->n, ==, 0);
    weir__path_run_until(path, WEIR_MS(50));
    g_assert_cmpuint(seen->n, ==, 1);
    g_assert_cmpint(seen->last[7].at_ns, ==, WEIR_MS(37));
    g_assert_cmpint(seen->last[7].delay_ns, ==, WEIR_MS(32));
    g_assert_cmpint(seen->last[7].verdict, ==, WEIR__PATH_DELIVERED);
    g_assert_cmpuint(seen->last[7].flow, ==, flow);
    g_assert_true(seen->last[7].last);
    g_assert_false(seen->last[7].corrupt);
    weir__path_destroy(path);
    g_free(seen);
}

static void test_bad_offers_are_refused_without_an_outcome(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    config.cross_traffic = "reno";
    struct weir__path *path = create(&config, seen);
    uint32_t flow = 0;
    struct weir__packet_counters stats;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    g_assert_cmpint(offer(path, 0, flow, 0, 1), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(offer(path, 0, flow, -5, 1), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(offer(path, 0, flow, WEIR__PATH_MAX_PACKET_BYTES + 1, 1), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(offer(path, 0, flow + 1, 100, 1), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(offer(path, 0, 0, 100, 1), ==, WEIR_ERROR_ARGUMENT); /* reno's */
    g_assert_cmpint(weir__path_get_flow_stats(path, flow + 1, &stats), ==, WEIR_ERROR_ARGUMENT);
    weir__path_run_until(path, WEIR_SECONDS(1));
    g_assert_cmpuint(seen->n, ==, 0);
    weir__path_destroy(path);
    g_free(seen);
}

static void test_queue_overflow_is_reported_at_once(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    config.link.queue.limit.packets = 5;
    struct weir__path *path = create(&config, seen);
    uint32_t flow = 0;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    for (uint64_t i = 0; i < 10; i++) {
        g_assert_cmpint(offer(path, 0, flow, 1250, i), ==, WEIR_OK);
    }
    g_assert_cmpuint(seen->verdicts[WEIR__PATH_DROPPED], ==, 4);
    struct weir__path_stats stats;
    weir__path_get_stats(path, &stats);
    g_assert_cmpint(stats.queue_packets, ==, 5);
    g_assert_cmpint(stats.queue_bytes, ==, 6250);
    g_assert_cmpint(stats.queue_delay_ns, ==, WEIR_MS(60));
    g_assert_cmpint(stats.capacity_bps, ==, WEIR_MBPS(1));
    g_assert_cmpint(stats.user.offered_packets, ==, 10);
    g_assert_cmpint(stats.user.dropped_bytes, ==, 5000);
    weir__path_destroy(path); /* the six inside are discarded */
    g_assert_cmpuint(seen->verdicts[WEIR__PATH_DISCARDED], ==, 6);
    g_free(seen);
}

static void test_most_packets_inside_is_a_limit(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    config.max_packets = 8;
    config.link.delay_ns = WEIR_SECONDS(10);
    config.link.duplicate = 1.0;
    struct weir__path *path = create(&config, seen);
    uint32_t flow = 0;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    for (uint64_t i = 0; i < 20; i++) {
        g_assert_cmpint(offer(path, WEIR_MS((int64_t)i), flow, 10, i), ==, WEIR_OK);
    }
    g_assert_cmpuint(seen->verdicts[WEIR__PATH_DROPPED], ==, 12);
    weir__path_run_until(path, WEIR_SECONDS(30));
    g_assert_cmpuint(seen->verdicts[WEIR__PATH_DELIVERED], ==, 16);
    g_assert_cmpint(offer(path, WEIR_SECONDS(30), flow, 10, 100), ==, WEIR_OK);
    weir__path_run_until(path, WEIR_SECONDS(60));
    g_assert_cmpuint(seen->outcomes[100], ==, 2);
    weir__path_destroy(path);
    g_free(seen);
}

/* Offers to three flows at random times; ends with everything out. */
static void run_traffic(struct weir__path *path, uint64_t seed, uint64_t packets)
{
    uint32_t flows[3];
    struct weir__random random;
    int64_t now_ns = 0;
    weir__random_init(&random, seed, 1);
    for (size_t i = 0; i < 3; i++) {
        g_assert_cmpint(weir__path_add_flow(path, &flows[i]), ==, WEIR_OK);
    }
    for (uint64_t i = 0; i < packets; i++) {
        now_ns += (int64_t)weir__random_exponential(&random, 8e6);
        g_assert_cmpint(
            offer(path, now_ns, flows[i % 3], 40 + weir__random_below(&random, 1461), i), ==,
            WEIR_OK);
    }
    weir__path_run_until(path, now_ns + WEIR_SECONDS(100));
}

static struct weir__path_config rough_config(uint64_t seed)
{
    static const enum weir__queue_discipline disciplines[] = {
        WEIR__QUEUE_FQ_CODEL, WEIR__QUEUE_RED, WEIR__QUEUE_DROPTAIL, WEIR__QUEUE_CODEL};
    struct weir__path_config config = base_config();
    config.link.capacity_bps = WEIR_MBPS(2);
    config.schedule = "3:1M,6:0,7:3M,20:repeat";
    config.link.jitter_ns = WEIR_MS(8);
    config.link.queue.discipline = disciplines[seed % 4];
    config.link.queue.limit.packets = 30;
    config.link.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_GILBERT,
                                                       .p_good_to_bad = 0.01,
                                                       .p_bad_to_good = 0.3,
                                                       .p_loss_bad = 1.0};
    config.link.duplicate = 0.03;
    config.link.reorder = 0.02;
    config.link.corrupt = 0.02;
    config.link.seed = seed;
    config.cross_traffic = "reno;sack,rtt=0.1;cbr:200k,on=1,off=1";
    return config;
}

static void test_every_offer_has_exactly_one_last_outcome(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        g_test_message("seed %" G_GUINT64_FORMAT, seed);
        struct seen *seen = seen_new();
        struct weir__path_config config = rough_config(seed);
        struct weir__path *path = create(&config, seen);
        struct weir__path_stats stats;
        run_traffic(path, seed, 6000);
        for (size_t i = 0; i < 6000; i++) {
            g_assert_cmpuint(seen->finals[i], ==, 1);
            g_assert_cmpuint(seen->outcomes[i], <=, 2);
        }
        weir__path_get_stats(path, &stats);
        g_assert_cmpint(stats.user.offered_packets, ==, 6000);
        g_assert_cmpint(stats.user.offered_packets + stats.user.duplicated_packets, ==,
                        stats.user.delivered_packets + stats.user.dropped_packets +
                            stats.user.lost_packets);
        g_assert_cmpint(stats.user.offered_bytes + stats.user.duplicated_bytes, ==,
                        stats.user.delivered_bytes + stats.user.dropped_bytes +
                            stats.user.lost_bytes);
        g_assert_cmpint((int64_t)seen->verdicts[WEIR__PATH_DELIVERED], ==,
                        stats.user.delivered_packets);
        g_assert_cmpint((int64_t)seen->verdicts[WEIR__PATH_DROPPED], ==,
                        stats.user.dropped_packets);
        g_assert_cmpint((int64_t)seen->verdicts[WEIR__PATH_LOST], ==, stats.user.lost_packets);
        g_assert_cmpuint(seen->corrupt, >, 30);
        g_assert_cmpint(stats.cross.delivered_packets, >, 1000);
        g_assert_cmpint(stats.cross_goodput_bytes, <, stats.cross.delivered_bytes);
        g_assert_cmpuint(stats.events, >, 10000);
        weir__path_destroy(path);
        g_assert_cmpuint(seen->verdicts[WEIR__PATH_DISCARDED], ==, 0);
        g_free(seen);
    }
}

static void test_flow_statistics_add_up(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = rough_config(3);
    struct weir__path *path = create(&config, seen);
    struct weir__path_stats stats;
    int64_t delivered = 0;
    run_traffic(path, 3, 3000);
    weir__path_get_stats(path, &stats);
    for (uint32_t flow = 3; flow < 6; flow++) { /* 0 to 2 are the cross traffic's */
        struct weir__packet_counters one;
        g_assert_cmpint(weir__path_get_flow_stats(path, flow, &one), ==, WEIR_OK);
        g_assert_cmpint(one.offered_packets, ==, 1000);
        delivered += one.delivered_bytes;
    }
    g_assert_cmpint(delivered, ==, stats.user.delivered_bytes);
    weir__path_destroy(path);
    g_free(seen);
}

static void test_order_is_kept_unless_reordering_is_asked_for(void)
{
    for (int reorder = 0; reorder <= 1; reorder++) {
        struct seen *seen = seen_new();
        struct weir__path_config config = rough_config(4);
        config.link.reorder = reorder ? 0.05 : 0.0;
        struct weir__path *path = create(&config, seen);
        size_t late = 0;
        uint64_t highest[3] = {0};
        run_traffic(path, 4, 6000);
        for (size_t i = 0; i < seen->n; i++) {
            uint64_t token = seen->order[i];
            if (seen->last[token].verdict == WEIR__PATH_DELIVERED) {
                late += token < highest[token % 3];
                highest[token % 3] = MAX(token, highest[token % 3]);
            }
        }
        g_assert_cmpint(late > 0, ==, reorder);
        weir__path_destroy(path);
        g_free(seen);
    }
}

static uint64_t trace_hash(uint64_t seed)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = rough_config(seed);
    struct weir__path *path = create(&config, seen);
    run_traffic(path, seed, 5000);
    uint64_t hash = seen->hash;
    weir__path_destroy(path);
    g_free(seen);
    return hash;
}

/* The same in every build: -O0 and -O2, gcc and clang. A change of behaviour changes the numbers.
 */
static void test_trace_of_a_seed_is_the_same_everywhere(void)
{
    static const uint64_t golden[] = {UINT64_C(0x8705fd6081c900a9), UINT64_C(0x600fca72cef8cbe9),
                                      UINT64_C(0x56451d709606080b), UINT64_C(0xe5fd0054a721e79b)};
    for (uint64_t seed = 1; seed <= G_N_ELEMENTS(golden); seed++) {
        uint64_t hash = trace_hash(seed);
        g_test_message("seed %d: 0x%016" G_GINT64_MODIFIER "x", (int)seed, hash);
        g_assert_cmphex(hash, ==, trace_hash(seed));
        g_assert_cmphex(hash, ==, golden[seed - 1]);
    }
    g_assert_cmphex(trace_hash(5), !=, golden[0]);
}

/* Late and irregular calls of run_until change nothing, if the offers come at the same times. */
static void test_step_of_run_until_does_not_matter(void)
{
    uint64_t hashes[3];
    static const int64_t steps_ns[] = {WEIR_US(300), WEIR_MS(70), WEIR_SECONDS(100)};
    for (size_t k = 0; k < G_N_ELEMENTS(steps_ns); k++) {
        struct seen *seen = seen_new();
        struct weir__path_config config = rough_config(5);
        struct weir__path *path = create(&config, seen);
        uint32_t flow = 0;
        g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
        for (uint64_t i = 0; i < 500; i++) {
            g_assert_cmpint(offer(path, WEIR_MS(10 * (int64_t)i), flow, 1000, i), ==, WEIR_OK);
        }
        for (int64_t now_ns = WEIR_SECONDS(5); now_ns <= WEIR_SECONDS(105); now_ns += steps_ns[k]) {
            weir__path_run_until(path, now_ns);
        }
        hashes[k] = seen->hash;
        weir__path_destroy(path);
        g_free(seen);
    }
    g_assert_cmphex(hashes[0], ==, hashes[1]);
    g_assert_cmphex(hashes[0], ==, hashes[2]);
}

static void test_time_that_goes_back_counts_as_the_latest(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    struct weir__path *path = create(&config, seen);
    uint32_t flow = 0;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    weir__path_run_until(path, WEIR_SECONDS(1));
    g_assert_cmpint(offer(path, 0, flow, 1500, 1), ==, WEIR_OK);
    weir__path_run_until(path, WEIR_MS(500));
    g_assert_cmpuint(seen->n, ==, 0);
    weir__path_run_until(path, WEIR_SECONDS(2));
    g_assert_cmpint(seen->last[1].at_ns, ==, WEIR_MS(1032));
    weir__path_destroy(path);
    g_free(seen);
}

static void test_delay_schedule_makes_the_path_longer(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    config.delay_schedule = "1:60ms,2:5ms";
    struct weir__path *path = create(&config, seen);
    uint32_t flow = 0;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    g_assert_cmpint(weir__path_least_delay_ns(path), ==, WEIR_MS(5));
    g_assert_cmpint(weir__path_most_delay_ns(path), ==, WEIR_MS(60));
    g_assert_cmpint(weir__path_set_jitter(path, 0), ==, WEIR_OK); /* leaves the schedule alone */
    for (uint64_t i = 0; i < 3; i++) {
        offer(path, WEIR_MS(1500) * (int64_t)i / 2, flow, 1500, i);
    }
    offer(path, WEIR_SECONDS(3), flow, 1500, 3);
    weir__path_run_until(path, WEIR_SECONDS(4));
    g_assert_cmpint(seen->last[0].delay_ns, ==, WEIR_MS(12 + 20));
    g_assert_cmpint(seen->last[1].delay_ns, ==, WEIR_MS(12 + 20));
    g_assert_cmpint(seen->last[2].delay_ns, ==, WEIR_MS(12 + 60));
    g_assert_cmpint(seen->last[3].delay_ns, ==, WEIR_MS(12 + 5));
    g_assert_cmpint(weir__path_set_delay(path, WEIR_MS(9)), ==, WEIR_OK);
    g_assert_cmpint(weir__path_least_delay_ns(path), ==, WEIR_MS(5));
    g_assert_cmpint(weir__path_most_delay_ns(path), ==, WEIR_MS(9));
    weir__path_destroy(path);
    g_free(seen);
}

static void test_trace_is_read_from_its_text(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    struct weir__path_stats stats;
    char error[200];
    config.trace = "3\n10\n";
    struct weir__path *path = create(&config, seen);
    uint32_t flow = 0;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    for (uint64_t i = 0; i < 3; i++) {
        offer(path, 0, flow, 1500, i);
    }
    weir__path_get_stats(path, &stats);
    g_assert_cmpint(stats.capacity_bps, ==, 2400000);
    g_assert_cmpint(stats.queue_delay_ns, ==, WEIR_MS(13));
    weir__path_run_until(path, WEIR_SECONDS(1));
    g_assert_cmpint(seen->last[0].at_ns, ==, WEIR_MS(23));
    g_assert_cmpint(seen->last[1].at_ns, ==, WEIR_MS(30));
    g_assert_cmpint(seen->last[2].at_ns, ==, WEIR_MS(33));
    weir__path_destroy(path);
    config.trace = "3\n2\n";
    config.trace_name = "x.down";
    g_assert_cmpint(weir__path_create(&path, &config, on_outcome, seen, error, sizeof error), ==,
                    WEIR_ERROR_MALFORMED);
    g_assert_true(g_str_has_prefix(error, "x.down: line 2: its time"));
    g_free(seen);
}

static void test_policer_shaper_and_aggregates_are_parts_of_a_path(void)
{
    struct weir__path_config config = base_config();
    struct weir__path *path = NULL;
    char error[200];
    config.link.policer = (struct weir__token_bucket_config){WEIR_MBPS(1), 3000};
    struct seen *seen = seen_new();
    path = create(&config, seen);
    uint32_t flow = 0;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    for (uint64_t i = 0; i < 3; i++) {
        offer(path, 0, flow, 1500, i);
    }
    g_assert_cmpint(seen->last[2].verdict, ==, WEIR__PATH_DROPPED);
    weir__path_destroy(path);
    config.link.shaper = config.link.policer;
    config.link.aggregation = (struct weir__aggregation_config){8, WEIR_MS(4), WEIR_MS(1)};
    g_assert_cmpint(weir__path_create(&path, &config, on_outcome, seen, error, sizeof error), ==,
                    WEIR_ERROR_RANGE);
    g_assert_nonnull(strstr(error, "at most one of trace, shaper and aggregates"));
    config.link.shaper.burst_bytes = 0;
    g_assert_cmpint(weir__path_create(&path, &config, on_outcome, seen, error, sizeof error), ==,
                    WEIR_ERROR_RANGE);
    g_assert_nonnull(strstr(error, "the burst 1 to 10^9 bytes"));
    config.link.shaper.rate_bps = 0;
    config.link.aggregation.airtime_ns = 0;
    g_assert_cmpint(weir__path_create(&path, &config, on_outcome, seen, error, sizeof error), ==,
                    WEIR_ERROR_RANGE);
    g_assert_nonnull(strstr(error, "airtime"));
    g_free(seen);
}

static void test_setters_take_effect_at_once(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    struct weir__path *path = create(&config, seen);
    struct weir__link_loss_config all = {.model = WEIR__LOSS_BERNOULLI, .p = 1.0};
    struct weir__path_stats stats;
    uint32_t flow = 0;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    g_assert_cmpint(weir__path_set_capacity(path, WEIR_MBPS(12)), ==, WEIR_OK);
    g_assert_cmpint(weir__path_set_delay(path, WEIR_MS(4)), ==, WEIR_OK);
    g_assert_cmpint(offer(path, 0, flow, 1500, 1), ==, WEIR_OK);
    weir__path_run_until(path, WEIR_MS(100));
    g_assert_cmpint(seen->last[1].at_ns, ==, WEIR_MS(5));
    g_assert_cmpint(weir__path_set_loss(path, &all), ==, WEIR_OK);
    g_assert_cmpint(offer(path, WEIR_MS(100), flow, 1500, 2), ==, WEIR_OK);
    weir__path_run_until(path, WEIR_MS(200));
    g_assert_cmpint(seen->last[2].verdict, ==, WEIR__PATH_LOST);
    g_assert_cmpint(weir__path_set_capacity(path, 0), ==, WEIR_OK);
    weir__path_get_stats(path, &stats);
    g_assert_cmpint(stats.capacity_bps, ==, 0);
    g_assert_cmpint(stats.queue_delay_ns, ==, WEIR_NEVER_NS);
    all.p = 2.0;
    g_assert_cmpint(weir__path_set_loss(path, &all), ==, WEIR_ERROR_RANGE);
    g_assert_cmpint(weir__path_set_capacity(path, -1), ==, WEIR_ERROR_RANGE);
    g_assert_cmpint(weir__path_set_delay(path, -1), ==, WEIR_ERROR_RANGE);
    g_assert_cmpint(weir__path_set_jitter(path, WEIR_SECONDS(4000)), ==, WEIR_ERROR_RANGE);
    weir__path_destroy(path);
    g_free(seen);
}

/* Two Reno flows and a paced flow of a third of the capacity: the link is full, the queue bounded,
 * and the paced flow gets most of what it offers. */
static void test_user_shares_the_bottleneck_with_cross_traffic(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    config.link.capacity_bps = WEIR_KBPS(2500);
    config.cross_traffic = "reno*2";
    config.link.queue.limit.packets = 25;
    struct weir__path *path = create(&config, seen);
    struct weir__path_stats stats;
    uint32_t flow = 0;
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    for (uint64_t i = 0; i < 6000; i++) { /* 833 kbit/s for 60 s */
        g_assert_cmpint(offer(path, WEIR_MS(10 * (int64_t)i), flow, 1041, i), ==, WEIR_OK);
    }
    weir__path_get_stats(path, &stats);
    double total = 8.0 * (double)(stats.user.delivered_bytes + stats.cross.delivered_bytes) / 60.0;
    assert_near(total / 2.5e6, 0.98, 0.03);
    g_assert_cmpint(stats.user.delivered_packets, >, 5600);
    g_assert_cmpint(stats.user.dropped_packets, >, 0);
    g_assert_cmpint(stats.cross_goodput_bytes * 8 / 60, >, 1400000);
    weir__path_destroy(path);
    g_free(seen);
}

static void test_wrong_configurations_are_refused_with_a_sentence(void)
{
    struct weir__path_config bad[14];
    static const char *const says[] = {"capacity",
                                       "delay",
                                       "delay",
                                       "delay",
                                       "probabilities",
                                       "probabilities",
                                       "probabilities",
                                       "loss",
                                       "most packets",
                                       "most packets",
                                       "queue",
                                       "queue",
                                       "schedule entry 2",
                                       "cross traffic item 1"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = base_config();
    }
    bad[0].link.capacity_bps = -1;
    bad[1].link.delay_ns = -1;
    bad[2].link.jitter_ns = WEIR_SECONDS(3601);
    bad[3].link.reorder_delay_ns = -1;
    bad[4].link.duplicate = 1.5;
    bad[5].link.reorder = -1;
    bad[6].link.corrupt = 2;
    bad[7].link.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_PERIODIC};
    bad[8].max_packets = 0;
    bad[9].max_packets = SIZE_MAX;
    bad[10].link.queue.limit.packets = 0;
    bad[11].link.queue.discipline = WEIR__QUEUE_RED;
    bad[11].link.queue.red.max_p = 7;
    bad[12].schedule = "0:1M,x";
    bad[13].cross_traffic = "quic";
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        struct weir__path *path = NULL;
        char error[200] = "";
        enum weir_status status =
            weir__path_create(&path, &bad[i], on_outcome, NULL, error, sizeof error);
        g_test_message("%s", error);
        g_assert_cmpint(status, !=, WEIR_OK);
        g_assert_nonnull(strstr(error, says[i]));
        g_assert_null(path);
        g_assert_cmpint(weir__path_create(&path, &bad[i], on_outcome, NULL, NULL, 0), ==, status);
    }
    struct weir__path *path = NULL;
    struct weir__path_config good = base_config();
    g_assert_cmpint(weir__path_create(NULL, &good, on_outcome, NULL, NULL, 0), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir__path_create(&path, NULL, on_outcome, NULL, NULL, 0), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir__path_create(&path, &good, NULL, NULL, NULL, 0), ==, WEIR_ERROR_ARGUMENT);
    weir__path_destroy(NULL);
}

static void test_many_flows_can_be_added_while_running(void)
{
    struct seen *seen = seen_new();
    struct weir__path_config config = base_config();
    config.link.capacity_bps = WEIR_MBPS(1000);
    config.schedule = "";
    config.cross_traffic = "";
    struct weir__path *path = create(&config, seen);
    for (uint64_t i = 0; i < 300; i++) {
        uint32_t flow = 0;
        g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
        g_assert_cmpint(offer(path, WEIR_MS((int64_t)i), flow, 100, i), ==, WEIR_OK);
    }
    weir__path_run_until(path, WEIR_SECONDS(2));
    g_assert_cmpuint(seen->verdicts[WEIR__PATH_DELIVERED], ==, 300);
    uint32_t flow = 0;
    for (uint64_t i = 300; i < WEIR__PATH_MAX_FLOWS; i++) {
        g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_OK);
    }
    g_assert_cmpint(weir__path_add_flow(path, &flow), ==, WEIR_ERROR_NO_SPACE);
    weir__path_destroy(path);
    g_free(seen);
}

/* What a queue that gets 4 % more than it sends does to packets of each codepoint, when it may mark
 * and when not. */
static void test_queues_mark_what_is_ecn_capable(void)
{
    static const enum weir_ecn codepoints[] = {WEIR_ECN_NOT_ECT, WEIR_ECN_ECT1, WEIR_ECN_ECT0,
                                               WEIR_ECN_CE};
    for (int discipline = 0; discipline < WEIR__QUEUE_DISCIPLINES; discipline++) {
        for (size_t k = 0; k < 2 * G_N_ELEMENTS(codepoints); k++) {
            struct seen *seen = seen_new();
            struct weir__path_config config = base_config();
            enum weir_ecn ecn = codepoints[k / 2];
            bool always_marks = discipline == WEIR__QUEUE_DUALPI2;
            uint32_t flow = 0;
            config.mark_ecn = k % 2;
            config.link.queue.discipline = (enum weir__queue_discipline)discipline;
            struct weir__path *path = create(&config, seen);
            weir__path_add_flow(path, &flow);
            for (uint64_t i = 0; i < TOKENS; i++) {
                const struct weir__path_packet packet = {
                    .token = i, .size_bytes = 1250, .flow = flow, .ecn = ecn};
                weir__path_offer(path, WEIR_US(9600 * (int64_t)i), &packet);
            }
            weir__path_run_until(path, WEIR_SECONDS(1000));
            uint64_t n_marked = 0;
            for (uint64_t i = 0; i < TOKENS; i++) {
                bool is_marked = seen->last[i].ecn == WEIR_ECN_CE;
                n_marked += is_marked && seen->last[i].verdict == WEIR__PATH_DELIVERED;
                g_assert_true(is_marked || seen->last[i].ecn == ecn ||
                              seen->last[i].verdict != WEIR__PATH_DELIVERED);
            }
            bool marks = discipline != WEIR__QUEUE_DROPTAIL && ecn != WEIR_ECN_NOT_ECT &&
                         (config.mark_ecn || always_marks);
            g_test_message("%s, mark_ecn %d, ecn %u: %" G_GUINT64_FORMAT " marked",
                           weir__queue_names[discipline], config.mark_ecn, ecn, n_marked);
            g_assert_cmpint(n_marked > 0, ==, marks || ecn == WEIR_ECN_CE);
            weir__path_destroy(path);
            g_free(seen);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/path/outcomes_say_how_long_the_queue_was",
                    test_outcomes_say_how_long_the_queue_was);
    g_test_add_func("/sim/path/packet_is_delivered_after_service_and_delay",
                    test_packet_is_delivered_after_service_and_delay);
    g_test_add_func("/sim/path/bad_offers_are_refused_without_an_outcome",
                    test_bad_offers_are_refused_without_an_outcome);
    g_test_add_func("/sim/path/queue_overflow_is_reported_at_once",
                    test_queue_overflow_is_reported_at_once);
    g_test_add_func("/sim/path/most_packets_inside_is_a_limit",
                    test_most_packets_inside_is_a_limit);
    g_test_add_func("/sim/path/every_offer_has_exactly_one_last_outcome",
                    test_every_offer_has_exactly_one_last_outcome);
    g_test_add_func("/sim/path/flow_statistics_add_up", test_flow_statistics_add_up);
    g_test_add_func("/sim/path/order_is_kept_unless_reordering_is_asked_for",
                    test_order_is_kept_unless_reordering_is_asked_for);
    g_test_add_func("/sim/path/trace_of_a_seed_is_the_same_everywhere",
                    test_trace_of_a_seed_is_the_same_everywhere);
    g_test_add_func("/sim/path/step_of_run_until_does_not_matter",
                    test_step_of_run_until_does_not_matter);
    g_test_add_func("/sim/path/time_that_goes_back_counts_as_the_latest",
                    test_time_that_goes_back_counts_as_the_latest);
    g_test_add_func("/sim/path/delay_schedule_makes_the_path_longer",
                    test_delay_schedule_makes_the_path_longer);
    g_test_add_func("/sim/path/trace_is_read_from_its_text", test_trace_is_read_from_its_text);
    g_test_add_func("/sim/path/policer_shaper_and_aggregates_are_parts_of_a_path",
                    test_policer_shaper_and_aggregates_are_parts_of_a_path);
    g_test_add_func("/sim/path/setters_take_effect_at_once", test_setters_take_effect_at_once);
    g_test_add_func("/sim/path/user_shares_the_bottleneck_with_cross_traffic",
                    test_user_shares_the_bottleneck_with_cross_traffic);
    g_test_add_func("/sim/path/wrong_configurations_are_refused_with_a_sentence",
                    test_wrong_configurations_are_refused_with_a_sentence);
    g_test_add_func("/sim/path/many_flows_can_be_added_while_running",
                    test_many_flows_can_be_added_while_running);
    g_test_add_func("/sim/path/queues_mark_what_is_ecn_capable",
                    test_queues_mark_what_is_ecn_capable);
    return g_test_run();
}
