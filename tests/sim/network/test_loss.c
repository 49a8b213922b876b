/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/network/loss.h"
#include "weir/units.h"
#include <math.h>

#define PACKETS 400000

static struct weir__link_loss make(const struct weir__link_loss_config *config, uint64_t seed)
{
    struct weir__link_loss loss;
    struct weir__random random;
    weir__random_init(&random, seed, 0);
    g_assert_cmpint(weir__link_loss_check(config), ==, WEIR_OK);
    weir__link_loss_init(&loss, config, &random, 0);
    return loss;
}

static void test_none_loses_nothing(void)
{
    struct weir__link_loss_config config = {.model = WEIR__LOSS_NONE, .p = 1.0};
    struct weir__link_loss loss = make(&config, 1);
    for (int64_t i = 0; i < 10000; i++) {
        g_assert_false(weir__link_loss_takes(&loss, i));
    }
}

static void test_bernoulli_loses_its_share_independently(void)
{
    static const double ps[] = {0.0, 0.001, 0.02, 0.3, 1.0};
    for (size_t k = 0; k < G_N_ELEMENTS(ps); k++) {
        struct weir__link_loss_config config = {.model = WEIR__LOSS_BERNOULLI, .p = ps[k]};
        struct weir__link_loss loss = make(&config, k);
        double p = ps[k];
        int lost = 0;
        int pairs = 0;
        bool last = false;
        for (int64_t i = 0; i < PACKETS; i++) {
            bool now = weir__link_loss_takes(&loss, i);
            lost += now;
            pairs += now && last;
            last = now;
        }
        assert_near((double)lost / PACKETS, p, 4.0 * sqrt(p * (1 - p) / PACKETS) + 1e-9);
        assert_near((double)pairs / PACKETS, p * p, 6.0 * sqrt(p * p / PACKETS) + 1e-5);
    }
}

/* Stationary share of the bad state: pgb / (pgb + pbg); mean stay in it: 1 / pbg packets. */
static void test_gilbert_has_its_share_and_burst_length(void)
{
    static const struct {
        double pgb, pbg, good, bad;
    } cases[] = {{0.01, 0.3, 0, 1}, {0.002, 0.1, 0, 1}, {0.05, 0.5, 0.001, 0.6}};
    for (size_t k = 0; k < G_N_ELEMENTS(cases); k++) {
        struct weir__link_loss_config config = {.model = WEIR__LOSS_GILBERT,
                                                .p_good_to_bad = cases[k].pgb,
                                                .p_bad_to_good = cases[k].pbg,
                                                .p_loss_good = cases[k].good,
                                                .p_loss_bad = cases[k].bad};
        struct weir__link_loss loss = make(&config, k);
        int lost = 0;
        int bursts = 0;
        bool last = false;
        for (int64_t i = 0; i < PACKETS; i++) {
            bool now = weir__link_loss_takes(&loss, i);
            lost += now;
            bursts += now && !last;
            last = now;
        }
        double in_bad = cases[k].pgb / (cases[k].pgb + cases[k].pbg);
        double expected = in_bad * cases[k].bad + (1 - in_bad) * cases[k].good;
        assert_near((double)lost / PACKETS, expected, 0.06 * expected);
        if (cases[k].bad == 1) {
            assert_near((double)lost / bursts, 1.0 / cases[k].pbg, 0.06 / cases[k].pbg);
        }
    }
}

static void test_periodic_loses_every_nth(void)
{
    for (int64_t every = 1; every < 40; every++) {
        struct weir__link_loss_config config = {.model = WEIR__LOSS_PERIODIC,
                                                .every_packets = every};
        struct weir__link_loss loss = make(&config, 1);
        for (int64_t i = 1; i < 200; i++) {
            g_assert_cmpint(weir__link_loss_takes(&loss, 0), ==, i % every == 0);
        }
    }
}

struct moments {
    double mean;
    double deviation;
    double least;
    int n;
};

/* Distances between losses, of packets at even intervals. */
static struct moments distances(struct weir__link_loss *loss, int64_t interval_ns, int64_t packets)
{
    struct moments m = {.least = 1e300};
    double sum = 0.0;
    double squares = 0.0;
    int64_t last = -1;
    for (int64_t i = 0; i < packets; i++) {
        if (weir__link_loss_takes(loss, i * interval_ns)) {
            if (last >= 0) {
                double d = (double)(i - last);
                sum += d;
                squares += d * d;
                m.least = d < m.least ? d : m.least;
                m.n++;
            }
            last = i;
        }
    }
    m.mean = sum / m.n;
    m.deviation = sqrt(squares / m.n - m.mean * m.mean);
    return m;
}

static const double variations[] = {0.0, 0.2, 0.5, 0.9};

/* E = 5 s, packets every 1 ms. */
static void test_timed_loss_has_its_mean_and_variation(void)
{
    for (size_t k = 0; k < G_N_ELEMENTS(variations); k++) {
        double cv = variations[k];
        struct weir__link_loss_config config = {
            .model = WEIR__LOSS_TIMED, .mean_ns = WEIR_SECONDS(5), .variation = cv};
        struct weir__link_loss loss = make(&config, k);
        struct moments m = distances(&loss, WEIR_MS(1), 10000000);
        g_test_message("CV %g: mean %g, deviation %g, %d losses", cv, m.mean, m.deviation, m.n);
        assert_near(m.mean / 5000.0, 1.0, 0.08);
        assert_near(m.deviation / 5000.0, cv, 0.08);
        g_assert_cmpfloat(m.least, >=, 5000.0 * (1.0 - cv) - 1.0);
    }
}

static void test_counted_loss_has_its_mean_and_variation(void)
{
    for (size_t k = 0; k < G_N_ELEMENTS(variations); k++) {
        double cv = variations[k];
        struct weir__link_loss_config config = {
            .model = WEIR__LOSS_COUNTED, .mean_packets = 100, .variation = cv};
        struct weir__link_loss loss = make(&config, k);
        struct moments m = distances(&loss, 0, 2000000);
        assert_near(m.mean, 100.0, 3.0);
        assert_near(m.deviation, 100.0 * cv, 4.0);
        g_assert_cmpfloat(m.least, >=, 100.0 * (1.0 - cv) - 1.0);
    }
}

static void test_timed_loss_takes_the_first_packet_after_the_instant(void)
{
    struct weir__link_loss_config config = {
        .model = WEIR__LOSS_TIMED, .mean_ns = WEIR_SECONDS(1), .variation = 0.0};
    struct weir__link_loss loss = make(&config, 1);
    static const struct {
        int64_t at_ms;
        bool lost;
    } packets[] = {{0, false},    {999, false},  {1000, true},    {1001, false},   {2500, true},
                   {2600, false}, {2999, false}, {6500, true},    {6501, false},   {7000, true},
                   {7000, false}, {7999, false}, {5000000, true}, {5000001, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(packets); i++) {
        g_test_message("%" G_GINT64_FORMAT " ms", packets[i].at_ms);
        g_assert_cmpint(weir__link_loss_takes(&loss, WEIR_MS(packets[i].at_ms)), ==,
                        packets[i].lost);
    }
}

static void test_trace_loses_exactly_its_packets(void)
{
    static const int64_t trace[] = {1, 2, 7, 100};
    struct weir__link_loss_config config = {
        .model = WEIR__LOSS_TRACE, .trace_packets = trace, .n_trace = G_N_ELEMENTS(trace)};
    struct weir__link_loss loss = make(&config, 1);
    for (int64_t i = 1; i < 300; i++) {
        bool expected = i == 1 || i == 2 || i == 7 || i == 100;
        g_assert_cmpint(weir__link_loss_takes(&loss, 0), ==, expected);
    }
}

static void test_same_stream_loses_the_same_packets(void)
{
    struct weir__link_loss_config config = {.model = WEIR__LOSS_BERNOULLI, .p = 0.1};
    struct weir__link_loss a = make(&config, 9);
    struct weir__link_loss b = make(&config, 9);
    struct weir__link_loss c = make(&config, 10);
    int different = 0;
    for (int64_t i = 0; i < 2000; i++) {
        bool lost = weir__link_loss_takes(&a, i);
        g_assert_cmpint(weir__link_loss_takes(&b, i), ==, lost);
        different += weir__link_loss_takes(&c, i) != lost;
    }
    g_assert_cmpint(different, >, 100);
}

static void test_values_outside_their_range_are_refused(void)
{
    static const int64_t falling[] = {5, 4};
    static const int64_t zero[] = {0};
    const struct weir__link_loss_config bad[] = {
        {.model = WEIR__LOSS_BERNOULLI, .p = -0.1},
        {.model = WEIR__LOSS_BERNOULLI, .p = 1.1},
        {.model = WEIR__LOSS_BERNOULLI, .p = NAN},
        {.model = WEIR__LOSS_GILBERT, .p_good_to_bad = 2},
        {.model = WEIR__LOSS_GILBERT, .p_bad_to_good = -1},
        {.model = WEIR__LOSS_GILBERT, .p_loss_good = NAN},
        {.model = WEIR__LOSS_GILBERT, .p_loss_bad = 1.5},
        {.model = WEIR__LOSS_PERIODIC},
        {.model = WEIR__LOSS_TIMED, .variation = 0.5},
        {.model = WEIR__LOSS_TIMED, .mean_ns = 5, .variation = 1.5},
        {.model = WEIR__LOSS_COUNTED, .variation = 0.5},
        {.model = WEIR__LOSS_COUNTED, .mean_packets = 5, .variation = -1},
        {.model = WEIR__LOSS_TRACE, .trace_packets = falling, .n_trace = 2},
        {.model = WEIR__LOSS_TRACE, .trace_packets = zero, .n_trace = 1},
        {.model = (enum weir__link_loss_model)99},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_test_message("case %zu", i);
        g_assert_cmpint(weir__link_loss_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
}

/* What is lost, and in how long bursts, is what was asked for. */
static void test_bursts_keep_the_ratio(void)
{
    static const struct {
        double ratio, burst;
        enum weir__link_loss_model model;
        double real_burst; /* of the two-state model */
    } cases[] = {
        {0.0, 5.0, WEIR__LOSS_NONE, 0.0},
        {0.02, 1.0, WEIR__LOSS_BERNOULLI, 0.0},
        {1.0, 5.0, WEIR__LOSS_BERNOULLI, 0.0},
        {0.02, 5.0, WEIR__LOSS_GILBERT, 5.0},
        {0.5, 100.0, WEIR__LOSS_GILBERT, 100.0},
        {0.9, 2.0, WEIR__LOSS_GILBERT, 9.0}, /* 2 is too short: a good packet between each */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__link_loss_config loss;
        weir__link_loss_in_bursts(&loss, cases[i].ratio, cases[i].burst);
        g_assert_cmpint(loss.model, ==, cases[i].model);
        if (loss.model == WEIR__LOSS_BERNOULLI) {
            assert_near(loss.p, cases[i].ratio, 1e-12);
        } else if (loss.model == WEIR__LOSS_GILBERT) {
            double bad = loss.p_good_to_bad / (loss.p_good_to_bad + loss.p_bad_to_good);
            assert_near(bad, cases[i].ratio, 1e-9);
            assert_near(1.0 / loss.p_bad_to_good, cases[i].real_burst, 1e-9);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/loss/none_loses_nothing", test_none_loses_nothing);
    g_test_add_func("/sim/loss/bernoulli_loses_its_share_independently",
                    test_bernoulli_loses_its_share_independently);
    g_test_add_func("/sim/loss/gilbert_has_its_share_and_burst_length",
                    test_gilbert_has_its_share_and_burst_length);
    g_test_add_func("/sim/loss/periodic_loses_every_nth", test_periodic_loses_every_nth);
    g_test_add_func("/sim/loss/timed_loss_has_its_mean_and_variation",
                    test_timed_loss_has_its_mean_and_variation);
    g_test_add_func("/sim/loss/counted_loss_has_its_mean_and_variation",
                    test_counted_loss_has_its_mean_and_variation);
    g_test_add_func("/sim/loss/timed_loss_takes_the_first_packet_after_the_instant",
                    test_timed_loss_takes_the_first_packet_after_the_instant);
    g_test_add_func("/sim/loss/trace_loses_exactly_its_packets",
                    test_trace_loses_exactly_its_packets);
    g_test_add_func("/sim/loss/same_stream_loses_the_same_packets",
                    test_same_stream_loses_the_same_packets);
    g_test_add_func("/sim/loss/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    g_test_add_func("/sim/loss/bursts_keep_the_ratio", test_bursts_keep_the_ratio);
    return g_test_run();
}
