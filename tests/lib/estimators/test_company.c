/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The slope of what is delivered on what is sent: 0 alone, 1 less the share in company. */
#include <math.h>

#include "../../test.h"
#include "estimators/company.h"

#define CAPACITY_BPS 4e6
#define DT_S         0.05

static uint64_t next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *random >> 33;
}

/* Feedback on a busy queue that others share: who sends a share of all is served that share. */
static struct weir__company shared(double own_bps, double others_bps, double noise, int n_samples)
{
    struct weir__company company = {0};
    uint64_t random = 7;
    for (int i = 0; i < n_samples; i++) {
        double varied = 1.0 + noise * ((double)(next(&random) % 2001) / 1000.0 - 1.0);
        double sent = own_bps * varied;
        double delivered = CAPACITY_BPS * sent / (sent + others_bps);
        weir__company_sample(&company, true, sent, delivered, DT_S);
    }
    return company;
}

static double slope(double own_bps, double others_bps, double noise)
{
    struct weir__company company = shared(own_bps, others_bps, noise, 400);
    return weir__company_get(&company);
}

static void it_is_one_less_our_share(void)
{
    for (int tenths = 1; tenths <= 10; tenths++) {
        double share = tenths / 10.0;
        assert_near(slope(CAPACITY_BPS * share, CAPACITY_BPS * (1.0 - share), 0.15), 1.0 - share,
                    0.01);
    }
}

/* A source without any variation shows nothing, and needs not compete. */
/* Within ten times of what we get; nothing alone, and nothing before ten changes were seen. */
static void it_tells_what_the_link_carries(void)
{
    for (double share = 0.02; share < 0.8; share += 0.02) {
        struct weir__company company =
            shared(CAPACITY_BPS * share, CAPACITY_BPS * (1.0 - share), 0.1, 400);
        double most_bps = 10.0 * company.delivered_bps;
        double link_bps = weir__company_link_bps(&company);
        assert_near(link_bps, fmin(CAPACITY_BPS, most_bps), 0.1 * CAPACITY_BPS);
    }
    struct weir__company alone = shared(CAPACITY_BPS, 0.0, 0.1, 400);
    g_assert_cmpfloat(weir__company_link_bps(&alone), ==, 0.0);
    for (int n = 1; n < 40; n++) {
        struct weir__company company = shared(1e6, 3e6, 0.1, n);
        g_assert_true((weir__company_link_bps(&company) > 0.0) == (company.count >= 10.0));
    }
}

static void without_variation_nothing_is_known(void)
{
    g_assert_cmpfloat(slope(CAPACITY_BPS / 4.0, 3.0 * CAPACITY_BPS / 4.0, 0.0), ==, 0.0);
}

/* Where the queue is empty, what is delivered is what was sent: that is no company. */
static void an_empty_queue_shows_nothing(void)
{
    struct weir__company company = {0};
    uint64_t random = 7;
    for (int i = 0; i < 400; i++) {
        double sent = 1e6 + (double)(next(&random) % 300000);
        weir__company_sample(&company, i % 2 == 0, sent, sent, DT_S);
    }
    g_assert_cmpfloat(weir__company_get(&company), ==, 0.0);
}

/* Where the link itself wanders, as a radio's does, a slope is found easily, and not believed. */
static void a_link_that_wanders_is_no_company_for_sure(void)
{
    int believed = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct weir__company company = {0};
        uint64_t random = seed;
        double capacity = 2e6;
        for (int i = 0; i < 60; i++) {
            capacity *= 1.0 + 0.2 * ((double)(next(&random) % 2001) / 1000.0 - 1.0);
            double sent = 2e6 * (1.0 + 0.1 * ((double)(next(&random) % 2001) / 1000.0 - 1.0));
            weir__company_sample(&company, true, sent, capacity, DT_S);
        }
        believed += weir__company_is_there(&company);
    }
    g_assert_cmpint(believed, <=, 5);
}

/* Ten reports of a small flow, whose packets meet others' at random: too few to be sure. */
static void some_company_is_likely_before_it_is_sure(void)
{
    int likely = 0, sure = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct weir__company company = {0};
        uint64_t random = seed;
        for (int i = 0; i < 10; i++) {
            double sent = 3e5 * (1.0 + 0.1 * ((double)(next(&random) % 2001) / 1000.0 - 1.0));
            double met = 1.0 + 0.1 * ((double)(next(&random) % 2001) / 1000.0 - 1.0);
            weir__company_sample(&company, true, sent, 0.9 * sent * met, DT_S);
        }
        likely += weir__company_is_likely(&company);
        sure += weir__company_is_there(&company);
    }
    g_assert_cmpint(likely, >=, 90);
    g_assert_cmpint(sure, <=, likely - 20);
}

static void company_that_left_is_forgotten_in_some_seconds(void)
{
    struct weir__company company = {0};
    uint64_t random = 7;
    for (int i = 0; i < 200; i++) {
        double sent = 1e6 + (double)(next(&random) % 300000);
        weir__company_sample(&company, true, sent, 0.8 * sent, DT_S);
    }
    assert_near(weir__company_get(&company), 1.0, 0.01);
    for (int i = 0; i < 200; i++) { /* 10 s */
        double sent = 1e6 + (double)(next(&random) % 300000);
        weir__company_sample(&company, true, sent, 1e6, DT_S);
    }
    g_assert_cmpfloat(weir__company_get(&company), <, 0.1);
    g_assert_true(weir__company_is_gone(&company));
}

/* After a loss all are slower at once, and the link serves us as before: no sign that they left. */
static void nobody_is_gone_for_three_seconds_after_a_loss(void)
{
    struct weir__company company = {0};
    uint64_t random = 7;
    for (int i = 0; i < 200; i++) {
        double sent = 1e6 + (double)(next(&random) % 300000);
        weir__company_sample(&company, true, sent, 1e6, DT_S);
    }
    g_assert_true(weir__company_is_gone(&company));
    weir__company_on_loss(&company);
    double gone_after_s = 0.0;
    while (!weir__company_is_gone(&company)) {
        double sent = 1e6 + (double)(next(&random) % 300000);
        weir__company_sample(&company, true, sent, 1e6, DT_S);
        gone_after_s += DT_S;
    }
    g_assert_cmpfloat(gone_after_s, >, 3.0 - DT_S / 2.0);
    g_assert_cmpfloat(gone_after_s, <, 3.0 + 1.5 * DT_S); /* the next sample, or the one after */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/company/" #name, name)
    ADD(it_is_one_less_our_share);
    ADD(it_tells_what_the_link_carries);
    ADD(without_variation_nothing_is_known);
    ADD(an_empty_queue_shows_nothing);
    ADD(a_link_that_wanders_is_no_company_for_sure);
    ADD(nobody_is_gone_for_three_seconds_after_a_loss);
    ADD(some_company_is_likely_before_it_is_sure);
    ADD(company_that_left_is_forgotten_in_some_seconds);
    return g_test_run();
}
