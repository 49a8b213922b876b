/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"
#include "weir/shares.h"

/* Packets of 400 bytes with 360 of payload: 9 of 10 bits are media. */
enum { WIRE_BYTES = 400, PAYLOAD_BYTES = 360 };

struct desk {
    struct weir_shares *shares;
    int64_t now_ns;
    int64_t budget_bps;
    uint32_t ids[WEIR_SHARES_MAX];
    double owed_bytes[WEIR_SHARES_MAX];
};

static struct weir_share_config config_of(uint32_t weight, int64_t min_bps, int64_t max_bps)
{
    struct weir_share_config config;
    weir_share_config_init(&config);
    config.weight = weight;
    config.packet_bytes = WIRE_BYTES;
    config.min_media_bps = min_bps * 9 / 10;
    config.max_media_bps = max_bps * 9 / 10;
    return config;
}

static struct desk desk_new(int64_t budget_bps)
{
    enum weir_status status = WEIR_ERROR_ARGUMENT;
    struct desk desk = {.now_ns = WEIR_SECONDS(100), .budget_bps = budget_bps};
    desk.shares = weir_shares_create(&status);
    g_assert_cmpint(status, ==, WEIR_OK);
    return desk;
}

/* Limits in wire bit/s. */
static void join(struct desk *desk, unsigned i, uint32_t weight, int64_t min_bps, int64_t max_bps)
{
    struct weir_share_config config = config_of(weight, min_bps, max_bps);
    g_assert_cmpint(weir_shares_add(desk->shares, desk->now_ns, &config, &desk->ids[i]), ==,
                    WEIR_OK);
}

static void split(struct desk *desk)
{
    weir_shares_split(desk->shares, desk->now_ns, desk->budget_bps);
}

static bool send_packet(struct desk *desk, unsigned i)
{
    bool returns =
        weir_shares_on_media(desk->shares, desk->now_ns, desk->ids[i], PAYLOAD_BYTES, WIRE_BYTES);
    if (returns) {
        split(desk);
    }
    return returns;
}

/* n streams send at wire rates, in frames every 40 ms, for a time; timers are kept. How often one
 * took back. */
static unsigned run(struct desk *desk, const int64_t *rates_bps, unsigned n, int64_t duration_ns)
{
    unsigned n_returns = 0;
    for (int64_t end_ns = desk->now_ns + duration_ns; desk->now_ns < end_ns;) {
        for (unsigned i = 0; i < n; i++) {
            desk->owed_bytes[i] += (double)rates_bps[i] / 8 / 25;
            for (; desk->owed_bytes[i] >= WIRE_BYTES; desk->owed_bytes[i] -= WIRE_BYTES) {
                n_returns += send_packet(desk, i);
            }
        }
        desk->now_ns += WEIR_MS(40);
        if (weir_shares_next_timer_ns(desk->shares) <= desk->now_ns) {
            split(desk);
        }
    }
    return n_returns;
}

static int64_t wire(const struct desk *desk, unsigned i)
{
    return weir_shares_get_wire_bps(desk->shares, desk->ids[i]);
}

static int64_t media(const struct desk *desk, unsigned i)
{
    return weir_shares_get_media_bps(desk->shares, desk->ids[i]);
}

/* ------- RFC 8699: S_CR, P, DR and the result, in kbit/s ------- */

struct example {
    int64_t budget;
    unsigned n;
    uint32_t weights[3];
    int64_t desired[3];
    int64_t expected[3];
};

#define ANY 100000

static const struct example examples[] = {
    {2000, 3, {1, 2, 1}, {ANY, 500, ANY}, {750, 500, 750}},
    {2000, 3, {1, 2, 1}, {ANY, ANY, ANY}, {500, 1000, 500}},
    {2000, 2, {1, 1}, {300, 400}, {300, 400}},
    {3000, 3, {8, 4, 1}, {500, 5000, 5000}, {500, 2000, 500}},
    {1000, 3, {1, 1, 1}, {ANY, 200, 600}, {400, 200, 400}},
};

static void test_desired_rates_as_maximums_give_the_known_split(void)
{
    for (size_t e = 0; e < G_N_ELEMENTS(examples); e++) {
        const struct example *example = &examples[e];
        struct desk desk = desk_new(WEIR_KBPS(example->budget));
        for (unsigned i = 0; i < example->n; i++) {
            join(&desk, i, example->weights[i], 0, WEIR_KBPS(example->desired[i]));
        }
        split(&desk);
        for (unsigned i = 0; i < example->n; i++) {
            assert_near(wire(&desk, i), WEIR_KBPS(example->expected[i]), 2);
        }
        weir_shares_destroy(desk.shares);
    }
}

/* The same when nobody says what he desires: 1.25 of what a stream uses is what it keeps. */
static void test_desired_rates_are_seen_from_what_is_used(void)
{
    for (size_t e = 0; e < G_N_ELEMENTS(examples); e++) {
        const struct example *example = &examples[e];
        struct desk desk = desk_new(WEIR_KBPS(example->budget));
        int64_t used_bps[3];
        for (unsigned i = 0; i < example->n; i++) {
            join(&desk, i, example->weights[i], 0, WEIR_KBPS(ANY));
        }
        split(&desk);
        for (unsigned i = 0; i < example->n; i++) {
            bool limited = example->desired[i] <= example->expected[i];
            used_bps[i] = limited ? WEIR_KBPS(example->desired[i]) * 4 / 5 : WEIR_KBPS(ANY) / 50;
        }
        run(&desk, used_bps, example->n, WEIR_SECONDS(4));
        for (unsigned i = 0; i < example->n; i++) {
            double expected_bps = (double)WEIR_KBPS(example->expected[i]);
            assert_near(wire(&desk, i), expected_bps, 0.03 * expected_bps);
        }
        weir_shares_destroy(desk.shares);
    }
}

/* ------- lending ------- */

static const int64_t full_use[] = {WEIR_MBPS(2), WEIR_MBPS(2), WEIR_MBPS(2)};

static struct desk two_streams(void)
{
    struct desk desk = desk_new(WEIR_MBPS(1));
    join(&desk, 0, 1, WEIR_KBPS(50), WEIR_MBPS(10));
    join(&desk, 1, 3, WEIR_KBPS(100), WEIR_MBPS(10));
    split(&desk);
    return desk;
}

static void test_an_idle_stream_lends_all_and_takes_it_back_with_the_first_packet(void)
{
    struct desk desk = two_streams();
    run(&desk, full_use, 2, WEIR_SECONDS(2));
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_KBPS(250));
    g_assert_cmpint(wire(&desk, 1), ==, WEIR_KBPS(750));
    int64_t silent_ns = desk.now_ns;
    run(&desk, full_use, 1, WEIR_MS(400));
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_KBPS(250));
    run(&desk, full_use, 1, WEIR_MS(200));
    g_assert_cmpint(desk.now_ns - silent_ns, ==, WEIR_MS(600));
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_MBPS(1));
    g_assert_cmpint(wire(&desk, 1), ==, 0);
    g_assert_cmpint(media(&desk, 1), ==, WEIR_KBPS(675)); /* what it will have again */
    run(&desk, full_use, 1, WEIR_SECONDS(60));
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_MBPS(1));
    g_assert_true(send_packet(&desk, 1));
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_KBPS(250));
    g_assert_cmpint(wire(&desk, 1), ==, WEIR_KBPS(750));
    g_assert_false(send_packet(&desk, 1));
    weir_shares_destroy(desk.shares);
}

static void test_a_stream_that_needs_less_lends_the_rest(void)
{
    static const int64_t rates_bps[] = {WEIR_MBPS(2), WEIR_KBPS(400)};
    struct desk desk = two_streams();
    g_assert_cmpuint(run(&desk, rates_bps, 2, WEIR_SECONDS(3)), ==, 0);
    assert_near(wire(&desk, 1), WEIR_KBPS(500), WEIR_KBPS(15));
    g_assert_cmpint(wire(&desk, 0) + wire(&desk, 1), ==, WEIR_MBPS(1));
    g_assert_cmpint(media(&desk, 1), ==, WEIR_KBPS(675));
    weir_shares_destroy(desk.shares);
}

static void test_a_lender_that_needs_more_takes_it_back_at_once(void)
{
    static const int64_t rates_bps[] = {WEIR_MBPS(2), WEIR_KBPS(100)};
    static const int64_t more_bps[] = {WEIR_MBPS(2), WEIR_KBPS(700)};
    struct desk desk = two_streams();
    run(&desk, rates_bps, 2, WEIR_SECONDS(5));
    assert_near(wire(&desk, 1), WEIR_KBPS(125), WEIR_KBPS(10));
    int64_t more_ns = desk.now_ns;
    while (run(&desk, more_bps, 2, WEIR_MS(40)) == 0) {
        g_assert_cmpint(desk.now_ns - more_ns, <, WEIR_MS(120));
    }
    g_assert_cmpint(wire(&desk, 1), ==, WEIR_KBPS(750));
    weir_shares_destroy(desk.shares);
}

/* 50, 70 .. 130 percent of a share for a minute: the split settles. */
static void test_steady_use_gives_a_steady_split(void)
{
    for (int64_t percent = 50; percent <= 130; percent += 10) {
        int64_t rates_bps[] = {WEIR_MBPS(2), WEIR_KBPS(750) * percent / 100};
        struct desk desk = two_streams();
        run(&desk, rates_bps, 2, WEIR_SECONDS(3));
        int64_t settled_bps = wire(&desk, 0);
        for (int i = 0; i < 60; i++) {
            g_assert_cmpuint(run(&desk, rates_bps, 2, WEIR_SECONDS(1)), ==, 0);
            assert_near(wire(&desk, 0), settled_bps, 0.03 * (double)settled_bps);
        }
        weir_shares_destroy(desk.shares);
    }
}

static void test_a_trickle_keeps_the_minimum(void)
{
    static const int64_t rates_bps[] = {WEIR_MBPS(2), WEIR_KBPS(10)};
    struct desk desk = two_streams();
    run(&desk, rates_bps, 2, WEIR_SECONDS(5));
    assert_near(wire(&desk, 1), WEIR_KBPS(100), 2);
    desk.budget_bps = WEIR_KBPS(20); /* everyone has the minimum */
    split(&desk);
    assert_near(wire(&desk, 0), WEIR_KBPS(50), 2);
    assert_near(wire(&desk, 1), WEIR_KBPS(100), 2);
    g_assert_cmpint(media(&desk, 0), ==, WEIR_KBPS(45));
    weir_shares_destroy(desk.shares);
}

/* A share that grew is not a share that is unused: the encoder needs its time. */
static void test_a_budget_that_grows_takes_nothing_from_an_encoder_that_follows(void)
{
    struct desk desk = two_streams();
    for (int i = 0; i < 40; i++) {
        int64_t rates_bps[] = {wire(&desk, 0), wire(&desk, 1)};
        desk.budget_bps += WEIR_KBPS(25);
        split(&desk);
        run(&desk, rates_bps, 2, WEIR_MS(400));
        g_assert_cmpint(wire(&desk, 1), ==, desk.budget_bps * 3 / 4);
    }
    weir_shares_destroy(desk.shares);
}

static void test_a_new_stream_has_its_share_until_it_was_silent(void)
{
    struct desk desk = two_streams();
    g_assert_cmpint(wire(&desk, 1), ==, WEIR_KBPS(750));
    join(&desk, 2, 4, WEIR_KBPS(90), WEIR_MBPS(10));
    g_assert_cmpint(media(&desk, 2), ==, WEIR_KBPS(81)); /* not split yet */
    g_assert_cmpint(wire(&desk, 1), ==, WEIR_KBPS(750));
    split(&desk);
    g_assert_cmpint(wire(&desk, 2), ==, WEIR_KBPS(500));
    run(&desk, full_use, 2, WEIR_MS(600));
    g_assert_cmpint(wire(&desk, 2), ==, 0);
    g_assert_cmpint(wire(&desk, 1), ==, WEIR_KBPS(750));
    weir_shares_remove(desk.shares, desk.ids[1]);
    split(&desk);
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_MBPS(1));
    g_assert_cmpint(wire(&desk, 1), ==, 0);
    weir_shares_destroy(desk.shares);
}

/* ------- media and wire ------- */

static void test_each_stream_is_converted_with_its_own_ratio(void)
{
    struct desk desk = desk_new(WEIR_KBPS(400));
    join(&desk, 0, 1, 0, WEIR_MBPS(1));
    join(&desk, 1, 1, 0, WEIR_MBPS(1));
    for (int i = 0; i < 1000; i++, desk.now_ns += WEIR_MS(20)) {
        weir_shares_on_media(desk.shares, desk.now_ns, desk.ids[0], 60, 100);
        weir_shares_on_media(desk.shares, desk.now_ns, desk.ids[1], 1140, 1200);
    }
    weir_shares_split(desk.shares, desk.now_ns, desk.budget_bps);
    g_assert_cmpint(wire(&desk, 0) + wire(&desk, 1), ==, WEIR_KBPS(400));
    assert_near(media(&desk, 0), 0.6 * (double)wire(&desk, 0), 2);
    assert_near(media(&desk, 1), 0.95 * (double)wire(&desk, 1), 2);
    weir_shares_destroy(desk.shares);
}

static void test_repair_is_taken_from_the_target(void)
{
    struct desk desk = two_streams();
    for (int i = 0; i < 1000; i++, desk.now_ns += WEIR_MS(4)) {
        send_packet(&desk, 0);
        send_packet(&desk, 1);
        if (i % 4 == 0) {
            weir_shares_on_media(desk.shares, desk.now_ns, desk.ids[1], 0, WIRE_BYTES);
        }
    }
    split(&desk);
    g_assert_cmpint(wire(&desk, 1), ==, WEIR_KBPS(750));
    assert_near(media(&desk, 1), 0.9 * 0.8 * 750e3, 5e3);
    g_assert_cmpint(media(&desk, 0), ==, WEIR_KBPS(225));
    weir_shares_destroy(desk.shares);
}

/* The first packet of a stream is often a few bytes of parameters. */
static void test_a_tiny_first_packet_says_little(void)
{
    struct desk desk = two_streams();
    weir_shares_on_media(desk.shares, desk.now_ns, desk.ids[1], 10, 50);
    split(&desk);
    g_assert_cmpint(media(&desk, 1), >=, WEIR_KBPS(600));
    weir_shares_destroy(desk.shares);
}

/* ------- any numbers ------- */

static void check_split(const struct desk *desk, const struct weir_share_config *configs,
                        const bool *present)
{
    int64_t sum_bps = 0, min_bps = 0;
    for (unsigned i = 0; i < WEIR_SHARES_MAX; i++) {
        if (!present[i]) {
            continue;
        }
        const struct weir_share_config *config = &configs[i];
        int64_t least_bps = config->min_media_bps * 10 / 9;
        g_assert_cmpint(media(desk, i), >=, config->min_media_bps);
        g_assert_cmpint(media(desk, i), <=, config->max_media_bps);
        g_assert_true(wire(desk, i) == 0 || wire(desk, i) >= least_bps - 1);
        g_assert_cmpint(wire(desk, i), <=, config->max_media_bps * 10 / 9 + 1);
        min_bps += wire(desk, i) == 0 ? 0 : least_bps + 1;
        sum_bps += wire(desk, i);
    }
    g_assert_cmpint(sum_bps, <=, weir_max_i64(min_bps, weir_max_i64(desk->budget_bps, 0)));
}

/* Joins, leaves, packets, splits, in any order; two objects with the same calls agree. */
static void run_random(guint32 seed)
{
    struct desk desks[2] = {desk_new(0), desk_new(0)};
    struct weir_share_config configs[WEIR_SHARES_MAX];
    bool present[WEIR_SHARES_MAX] = {false};
    GRand *rand = g_rand_new_with_seed(seed);
    for (int step = 0; step < 3000; step++) {
        unsigned i = (unsigned)g_rand_int_range(rand, 0, 1 + (gint32)(seed % WEIR_SHARES_MAX));
        unsigned n_packets = (unsigned)g_rand_int_range(rand, 0, 40);
        int64_t low_bps = g_rand_int_range(rand, 0, 300000);
        configs[i] = present[i] ? configs[i]
                                : config_of((uint32_t)g_rand_int_range(rand, 1, 20), low_bps,
                                            low_bps + g_rand_int_range(rand, 0, 3000000));
        int64_t budget_bps = g_rand_int_range(rand, -1000, 20000000);
        int64_t passed_ns = g_rand_int_range(rand, 0, 400000000);
        bool leaves = g_rand_int_range(rand, 0, 30) == 0;
        for (int d = 0; d < 2; d++) {
            struct desk *desk = &desks[d];
            desk->now_ns += passed_ns;
            desk->budget_bps = budget_bps;
            if (!present[i]) {
                g_assert_cmpint(
                    weir_shares_add(desk->shares, desk->now_ns, &configs[i], &desk->ids[i]), ==,
                    WEIR_OK);
            } else if (leaves) {
                weir_shares_remove(desk->shares, desk->ids[i]);
            }
            for (unsigned k = 0; k < n_packets && present[i] && !leaves; k++) {
                send_packet(desk, i);
            }
            split(desk);
        }
        present[i] = !present[i] || !leaves;
        check_split(&desks[0], configs, present);
        for (unsigned k = 0; k < WEIR_SHARES_MAX; k++) {
            g_assert_cmpint(wire(&desks[0], k), ==, wire(&desks[1], k));
            g_assert_cmpint(media(&desks[0], k), ==, media(&desks[1], k));
        }
    }
    g_rand_free(rand);
    weir_shares_destroy(desks[0].shares);
    weir_shares_destroy(desks[1].shares);
}

static void test_any_traffic_keeps_limits_and_budget(void)
{
    for (guint32 seed = 1; seed <= 12; seed++) {
        run_random(seed * 5);
    }
}

/* While all streams send, the sum is the budget, limited to what they must have and can use. */
static void test_the_sum_is_the_budget_within_the_limits(void)
{
    GRand *rand = g_rand_new_with_seed(4711);
    for (int round = 0; round < 300; round++) {
        unsigned n = (unsigned)g_rand_int_range(rand, 1, round % 10 == 0 ? 65 : 5);
        int64_t min_bps = 0, max_bps = 0, sum_bps = 0;
        struct desk desk = desk_new(g_rand_int_range(rand, 0, 30000000));
        for (unsigned i = 0; i < n; i++) {
            int64_t low_bps = (int64_t)g_rand_int_range(rand, 0, 50000) * 10;
            int64_t high_bps = low_bps + (int64_t)g_rand_int_range(rand, 0, 500000) * 10;
            join(&desk, i, (uint32_t)g_rand_int_range(rand, 1, 1000), low_bps, high_bps);
            min_bps += low_bps;
            max_bps += high_bps;
        }
        split(&desk);
        for (unsigned i = 0; i < n; i++) {
            sum_bps += wire(&desk, i);
        }
        g_assert_cmpint(sum_bps, ==, weir_clamp_i64(desk.budget_bps, min_bps, max_bps));
        weir_shares_destroy(desk.shares);
    }
    g_rand_free(rand);
}

static void test_the_extremes_do_not_overflow(void)
{
    static const int64_t extremes[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    for (size_t e = 0; e < G_N_ELEMENTS(extremes); e++) {
        struct desk desk = desk_new(extremes[e]);
        desk.now_ns = INT64_MIN;
        for (unsigned i = 0; i < WEIR_SHARES_MAX; i++) {
            struct weir_share_config config = config_of(1000000, 0, 0);
            config.min_media_bps = i % 2 ? INT64_C(100000000000) : 0;
            config.max_media_bps = INT64_C(100000000000);
            config.packet_bytes = i % 3 ? 1 : 65535;
            g_assert_cmpint(weir_shares_add(desk.shares, desk.now_ns, &config, &desk.ids[i]), ==,
                            WEIR_OK);
        }
        for (size_t t = 0; t < G_N_ELEMENTS(extremes); t++) {
            desk.now_ns = extremes[t];
            for (unsigned i = 0; i < WEIR_SHARES_MAX; i++) {
                weir_shares_on_media(desk.shares, desk.now_ns, desk.ids[i], UINT32_MAX,
                                     i % 5 ? UINT32_MAX : i % 2);
            }
            split(&desk);
            weir_shares_next_timer_ns(desk.shares);
        }
        g_assert_cmpint(media(&desk, 1), ==, INT64_C(100000000000));
        weir_shares_destroy(desk.shares);
    }
}

static void test_no_stream_one_stream_and_one_too_many(void)
{
    struct desk desk = desk_new(WEIR_MBPS(1));
    split(&desk);
    g_assert_cmpint(weir_shares_next_timer_ns(desk.shares), ==, WEIR_NEVER_NS);
    join(&desk, 0, 1, 0, WEIR_MBPS(10));
    split(&desk);
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_MBPS(1));
    g_assert_cmpint(media(&desk, 0), ==, WEIR_KBPS(900));
    g_assert_cmpint(weir_shares_next_timer_ns(desk.shares), ==, WEIR_NEVER_NS);
    for (unsigned i = 1; i < WEIR_SHARES_MAX; i++) {
        join(&desk, i, 1, 0, WEIR_MBPS(10));
        g_assert_cmpint(weir_shares_next_timer_ns(desk.shares), ==, desk.now_ns + WEIR_MS(500));
    }
    split(&desk);
    for (unsigned i = 0; i < WEIR_SHARES_MAX; i++) {
        g_assert_cmpint(wire(&desk, i), ==, WEIR_MBPS(1) / WEIR_SHARES_MAX);
    }
    struct weir_share_config config = config_of(1, 0, 1);
    uint32_t share = 77;
    g_assert_cmpint(weir_shares_add(desk.shares, 0, &config, &share), ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(share, ==, 77);
    weir_shares_remove(desk.shares, desk.ids[5]);
    g_assert_cmpint(weir_shares_add(desk.shares, 0, &config, &share), ==, WEIR_OK);
    g_assert_cmpuint(share, ==, desk.ids[5]);
    weir_shares_destroy(desk.shares);
    weir_shares_destroy(NULL);
}

static void test_wrong_arguments_change_nothing(void)
{
    struct desk desk = two_streams();
    struct weir_share_config good = config_of(1, 0, 1000), config;
    uint32_t share = 77;
    const struct {
        struct weir_share_config config;
        enum weir_status status;
    } bad[] = {
        {{.size = 1}, WEIR_ERROR_ARGUMENT},
        {config_of(1, 2000, 1000), WEIR_ERROR_ARGUMENT},
        {config_of(0, 0, 1000), WEIR_ERROR_RANGE},
        {config_of(1000001, 0, 1000), WEIR_ERROR_RANGE},
        {config_of(1, -10, 1000), WEIR_ERROR_RANGE},
        {config_of(1, 0, INT64_C(200000000000)), WEIR_ERROR_RANGE},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir_shares_add(desk.shares, 0, &bad[i].config, &share), ==, bad[i].status);
        g_assert_cmpint(weir_shares_set(desk.shares, desk.ids[0], &bad[i].config), ==,
                        bad[i].status);
    }
    config = good;
    config.packet_bytes = 0;
    g_assert_cmpint(weir_shares_add(desk.shares, 0, &config, &share), ==, WEIR_ERROR_RANGE);
    config.packet_bytes = 65536;
    g_assert_cmpint(weir_shares_add(desk.shares, 0, &config, &share), ==, WEIR_ERROR_RANGE);
    g_assert_cmpint(weir_shares_add(NULL, 0, &good, &share), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_shares_set(NULL, desk.ids[0], &good), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_shares_add(desk.shares, 0, NULL, &share), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_shares_add(desk.shares, 0, &good, NULL), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_shares_set(desk.shares, 63, &good), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_shares_set(desk.shares, UINT32_MAX, &good), ==, WEIR_ERROR_ARGUMENT);
    weir_shares_remove(desk.shares, UINT32_MAX);
    g_assert_false(weir_shares_on_media(desk.shares, desk.now_ns, 64, 1, 1));
    g_assert_cmpint(weir_shares_get_media_bps(desk.shares, 64), ==, 0);
    g_assert_cmpuint(share, ==, 77);
    split(&desk);
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_KBPS(250));
    weir_shares_destroy(desk.shares);
}

static void test_other_limits_count_from_the_next_split(void)
{
    struct desk desk = two_streams();
    struct weir_share_config config = config_of(1, WEIR_KBPS(50), WEIR_KBPS(200));
    g_assert_cmpint(weir_shares_set(desk.shares, desk.ids[1], &config), ==, WEIR_OK);
    g_assert_cmpint(media(&desk, 1), ==, WEIR_KBPS(180)); /* its own limits at once */
    g_assert_cmpint(wire(&desk, 0), ==, WEIR_KBPS(250));
    split(&desk);
    assert_near(wire(&desk, 1), WEIR_KBPS(200), 1);
    assert_near(wire(&desk, 0), WEIR_KBPS(800), 1);
    weir_shares_destroy(desk.shares);
}

static void test_headers_alone_count_as_a_twentieth_of_media(void)
{
    struct desk desk = desk_new(WEIR_MBPS(1));
    join(&desk, 0, 1, 0, WEIR_MBPS(10));
    for (int i = 0; i < 10000; i++) {
        weir_shares_on_media(desk.shares, desk.now_ns, desk.ids[0], 1, 1000);
    }
    split(&desk);
    g_assert_cmpint(media(&desk, 0), ==, WEIR_KBPS(50));
    weir_shares_destroy(desk.shares);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shares/desired_rates_as_maximums_give_the_known_split",
                    test_desired_rates_as_maximums_give_the_known_split);
    g_test_add_func("/shares/desired_rates_are_seen_from_what_is_used",
                    test_desired_rates_are_seen_from_what_is_used);
    g_test_add_func("/shares/an_idle_stream_lends_all_and_takes_it_back_with_the_first_packet",
                    test_an_idle_stream_lends_all_and_takes_it_back_with_the_first_packet);
    g_test_add_func("/shares/a_stream_that_needs_less_lends_the_rest",
                    test_a_stream_that_needs_less_lends_the_rest);
    g_test_add_func("/shares/a_lender_that_needs_more_takes_it_back_at_once",
                    test_a_lender_that_needs_more_takes_it_back_at_once);
    g_test_add_func("/shares/steady_use_gives_a_steady_split",
                    test_steady_use_gives_a_steady_split);
    g_test_add_func("/shares/a_trickle_keeps_the_minimum", test_a_trickle_keeps_the_minimum);
    g_test_add_func("/shares/a_budget_that_grows_takes_nothing_from_an_encoder_that_follows",
                    test_a_budget_that_grows_takes_nothing_from_an_encoder_that_follows);
    g_test_add_func("/shares/a_new_stream_has_its_share_until_it_was_silent",
                    test_a_new_stream_has_its_share_until_it_was_silent);
    g_test_add_func("/shares/each_stream_is_converted_with_its_own_ratio",
                    test_each_stream_is_converted_with_its_own_ratio);
    g_test_add_func("/shares/repair_is_taken_from_the_target",
                    test_repair_is_taken_from_the_target);
    g_test_add_func("/shares/a_tiny_first_packet_says_little",
                    test_a_tiny_first_packet_says_little);
    g_test_add_func("/shares/any_traffic_keeps_limits_and_budget",
                    test_any_traffic_keeps_limits_and_budget);
    g_test_add_func("/shares/the_sum_is_the_budget_within_the_limits",
                    test_the_sum_is_the_budget_within_the_limits);
    g_test_add_func("/shares/the_extremes_do_not_overflow", test_the_extremes_do_not_overflow);
    g_test_add_func("/shares/no_stream_one_stream_and_one_too_many",
                    test_no_stream_one_stream_and_one_too_many);
    g_test_add_func("/shares/wrong_arguments_change_nothing", test_wrong_arguments_change_nothing);
    g_test_add_func("/shares/other_limits_count_from_the_next_split",
                    test_other_limits_count_from_the_next_split);
    g_test_add_func("/shares/headers_alone_count_as_a_twentieth_of_media",
                    test_headers_alone_count_as_a_twentieth_of_media);
    return g_test_run();
}
