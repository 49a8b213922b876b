/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/loss_model.h"

#include <math.h>

#include "weir/units.h"

/* One observation: 100 packets in 250 ms, at rate_bps. */
static void observe(struct weir__loss_model *m, int *n, int lost, double rate_bps,
                    const struct weir__loss_model_input *input)
{
    int64_t bytes = (int64_t)(rate_bps * 0.25 / 800.0);
    int64_t from_ns = *n * WEIR_MS(250);
    for (int i = 0; i < 100; i++) {
        weir__loss_model_add(m, from_ns + (i + 1) * WEIR_US(2500), bytes,
                             (i + 1) * lost / 100 > i * lost / 100);
    }
    weir__loss_model_update(m, input);
    (*n)++;
}

static struct weir__loss_model begun(double capacity_bps)
{
    struct weir__loss_model m;
    weir__loss_model_init(&m);
    weir__loss_model_add(&m, 0, 0, false); /* an observation lasts from a departure on */
    m.packets = 0;
    m.has_estimate = true;
    m.capacity_bps = capacity_bps;
    m.result_bps = capacity_bps;
    return m;
}

/* Five observations of 100 packets at 1000 kbit/s, B = 1000 kbit/s, q = 0.01. */
static struct weir__loss_model five(int lost)
{
    struct weir__loss_model m;
    weir__loss_model_init(&m);
    for (int i = 0; i < 5; i++) {
        m.observations[i] =
            (struct weir__loss_observation){.rate_bps = 1e6, .packets = 100, .lost = lost};
    }
    m.newest = 4;
    m.n = 5;
    m.average_loss = lost / 100.0;
    return m;
}

static void objectives_are_known(void)
{
    static const struct {
        int lost;
        double kbps, objective;
    } rows[] = {
        {0, 1020, 138.03},  {0, 1000, 136.25},  {0, 950, 110.79},    {0, 1500, 179.94},
        {2, 1020, 97.50},   {2, 1000, 95.73},   {2, 950, 86.57},     {2, 980, 94.45},
        {2, 1500, 139.32},  {10, 1020, -38.67}, {10, 1000, -40.40},  {10, 950, -5.69},
        {10, 900, -8.68},   {10, 1500, 2.17},   {30, 1020, -641.72}, {30, 1000, -639.94},
        {30, 950, -449.71}, {30, 700, -359.70},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__loss_model m = five(rows[i].lost);
        double loss = 0.01;
        double objective = weir__loss_model_objective(&m, rows[i].kbps * 1000.0, &loss);
        g_test_message("%d %% lost, %g kbit/s: %.2f, q = %.5f", rows[i].lost, rows[i].kbps,
                       objective, loss);
        assert_near(objective, rows[i].objective, 0.0051);
    }
    struct weir__loss_model m = five(2);
    double loss = 0.01;
    weir__loss_model_objective(&m, 1.5e6, &loss);
    assert_near(loss, 0.01377, 5.1e-6);
}

/* Steady loss at 1000 kbit/s while the delays allow 1500: what five observations make of it. */
static void losses_bound_the_rate(void)
{
    static const struct {
        int lost;
        double acked_kbps, result_kbps;
        enum weir__loss_state state;
    } rows[] = {
        {0, 1000, 1500, WEIR__LOSS_FREE},
        {2, 980, 1000, WEIR__LOSS_DECREASING}, /* more is lost than q: no growth */
        {30, 700, 300, WEIR__LOSS_DECREASING}, /* 75/(0.3 - 0.05) */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__loss_model m = begun(1e6);
        struct weir__loss_model_input input = {.delay_bps = 1.5e6,
                                               .acked_bps = rows[i].acked_kbps * 1000.0,
                                               .min_bps = 5000.0,
                                               .max_bps = 2.5e6};
        for (int n = 0; n < 5;) {
            g_assert_true(n >= WEIR__LOSS_MODEL_READY || isinf(weir__loss_model_bps(&m)));
            observe(&m, &n, rows[i].lost, 1e6, &input);
        }
        g_test_message("%d %% lost: %.0f", rows[i].lost, weir__loss_model_bps(&m));
        assert_near(m.average_loss, rows[i].lost / 100.0, 1e-12);
        assert_near(weir__loss_model_bps(&m), rows[i].result_kbps * 1000.0, 1.0);
        g_assert_cmpint(m.state, ==, rows[i].state);
    }
}

/* After heavy loss the way back is bounded: 1.3 times per 300 ms at the most. */
static void recovery_is_bounded(void)
{
    struct weir__loss_model m = begun(2e6);
    struct weir__loss_model_input input = {
        .delay_bps = 2e6, .acked_bps = 1.2e6, .min_bps = 5000.0, .max_bps = 1e7};
    int n = 0;
    for (int i = 0; i < 10; i++) {
        observe(&m, &n, 40, 2e6, &input);
    }
    double low_bps = weir__loss_model_bps(&m);
    g_assert_cmpfloat(low_bps, <, 3e5);
    double before_bps = m.capacity_bps;
    for (int i = 0; i < 60 && m.state != WEIR__LOSS_FREE; i++) {
        input.acked_bps = weir__loss_model_bps(&m);
        observe(&m, &n, 0, weir__loss_model_bps(&m), &input);
        g_assert_cmpfloat(m.capacity_bps, <=, 1.3 * before_bps * 1.3);
        before_bps = m.capacity_bps;
    }
    g_assert_cmpint(m.state, ==, WEIR__LOSS_FREE);
    g_assert_cmpfloat(weir__loss_model_bps(&m), ==, 2e6);
}

/* Short feedbacks are gathered until they make 250 ms. */
static void observations_last(void)
{
    struct weir__loss_model m = begun(1e6);
    struct weir__loss_model_input input = {.delay_bps = 1e6, .min_bps = 5000.0, .max_bps = 1e7};
    for (int i = 1; i <= 100; i++) {
        weir__loss_model_add(&m, WEIR_MS(10 * i), 1250, false);
        weir__loss_model_update(&m, &input);
        g_assert_cmpint(m.n, ==, i / 25);
    }
    assert_near(m.observations[m.newest].rate_bps, 1e6, 1e-6);
}

/* Any losses, rates and limits: the result is finite and within the limits. */
static void results_are_within_the_limits(void)
{
    GRand *random = g_rand_new_with_seed(1);
    for (int life = 0; life < 300; life++) {
        struct weir__loss_model m;
        weir__loss_model_init(&m);
        double delay_bps = pow(10.0, g_rand_double_range(random, 1.0, 11.0));
        for (int n = 0; n < 40;) {
            struct weir__loss_model_input input = {
                .delay_bps = delay_bps *= g_rand_double_range(random, 0.5, 1.8),
                .acked_bps = g_rand_boolean(random) ? 0.0 : delay_bps * g_rand_double(random),
                .min_bps = 5000.0,
                .max_bps = 1e9};
            observe(&m, &n, g_rand_int_range(random, 0, 101), fmin(delay_bps, 1e11), &input);
            double bps = weir__loss_model_bps(&m);
            g_assert_true(m.n < WEIR__LOSS_MODEL_READY ? isinf(bps) : isfinite(bps));
            g_assert_true(bps >= 5000.0);
            g_assert_true(m.n < WEIR__LOSS_MODEL_READY || bps <= fmax(5000.0, input.delay_bps));
            g_assert_true(m.inherent_loss >= 0.0 && m.inherent_loss <= 1.0);
        }
    }
    g_rand_free(random);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/loss_model/" #name, name)
    ADD(objectives_are_known);
    ADD(losses_bound_the_rate);
    ADD(recovery_is_bounded);
    ADD(observations_last);
    ADD(results_are_within_the_limits);
    return g_test_run();
}
