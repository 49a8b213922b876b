/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of CBRAA's paper with their tables, and cbraa and tcp-friend on a path. */
#include "../../controller_flow.h"
#include "controllers/cbraa_law.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("cbraa");
    assert_known_answers("tcp-friend");
}

/* C is (7/9) sqrt(8/3); the rounded coefficients of (3) and (4) agree within 0.4 %. The last column
 * is how far (5) is above the rate at its own ideal loss. */
static void cycle_and_ideal_loss(void)
{
    static const struct {
        double rate, rtt, cycle, loss, bias;
    } rows[] = {
        {10.0, 0.12, 0.204480, 0.48904538, 1.51338},  {250.0, 0.12, 2.347200, 0.00170416, 1.02548},
        {125.0, 0.12, 1.231200, 0.00649773, 1.05034}, {100.0, 0.4, 10.304000, 0.00097050, 1.01917},
        {233.0, 0.07, 0.775054, 0.00553748, 1.04639}, {69.0, 0.22, 2.281752, 0.00635159, 1.04976},
        {1.0, 0.1, 0.102200, 9.78473581, 4.06003},
    };
    assert_near(7.0 / 9.0 * sqrt(8.0 / 3.0), 1.2701, 1e-4);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double window = rows[i].rate * rows[i].rtt;
        double loss = weir__cbraa_loss_threshold(rows[i].rate, rows[i].rtt);
        double cycle = weir__cbraa_cycle_s(rows[i].rate, rows[i].rtt);
        assert_near(cycle, rows[i].cycle, 1e-6);
        assert_near(loss, rows[i].loss, 1e-8);
        assert_near(loss * rows[i].rate * cycle, 1.0, 1e-12);
        assert_near(1.61 / (window * (window + 1.54)) / loss, 1.0, 4e-3);
        double rate = weir__cbraa_threshold_rate(rows[i].rtt, loss, loss, 0.5);
        assert_near(rate / rows[i].rate, rows[i].bias, 1e-5);
        assert_near(weir__cbraa_tcp_rate(1.27, rows[i].rtt, loss), rate, 1e-9 * rate);
    }
}

static void single_steps(void)
{
    static const struct {
        double rate, loss, threshold_rate, next;
    } rows[] = {
        {10.0, 0.0, 21.40242, 17.98169},     {250.0, 0.0, 362.56220, 328.79354},
        {250.0, 0.001, 250.0, 250.0},        {250.0, 0.004, 198.17173, 213.72021},
        {250.0, 0.02, 101.59352, 146.11546},
    };
    struct weir__cbraa_law law = {.alpha = 0.5, .beta = 0.5, .gamma = 0.3};
    struct weir__cbraa_law no_average = {.alpha = 0.5, .beta = 0.5};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double next = weir__cbraa_step(&law, rows[i].rate, 0.12, rows[i].loss);
        assert_near(next, rows[i].next, 1e-5);
        next = weir__cbraa_step(&no_average, rows[i].rate, 0.12, rows[i].loss);
        assert_near(next, rows[i].threshold_rate, 1e-5);
    }
}

/* Section 3.2 says 0.30, 0.1, 0.07 and 0.21. A step at the ideal rate of a long path is that. */
static void relative_steps(void)
{
    static const double rows[][2] = {
        {0.0, 0.28995}, {0.5, 0.10829}, {1.5, -0.07390}, {3.0, -0.20503}};
    struct weir__cbraa_law law = {.alpha = 0.5, .beta = 0.5, .gamma = 0.3};
    double threshold = weir__cbraa_loss_threshold(1e6, 1.0);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double step = weir__cbraa_relative_step(0.3, 0.5, rows[i][0]);
        assert_near(step, rows[i][1], 1e-5);
        double just = rows[i][0] * threshold * (rows[i][0] < 1.0 ? 0.9999 : 1.0001);
        double next = weir__cbraa_step(&law, 1e6, 1.0, just);
        assert_near(next / 1e6 - 1.0, step, 5e-4);
    }
}

/* Without loss, reports of 5 s at 100 ms: from 10 to 250 packets/s takes nine of them. */
static void growth_without_loss(void)
{
    struct weir__cbraa_law law = {.alpha = 0.5, .beta = 0.5, .gamma = 0.3};
    double rate = 10.0;
    for (int i = 0; i < 9; i++) {
        g_assert_cmpfloat(rate, <, 250.0);
        rate = weir__cbraa_step(&law, rate, 0.1, 0.0);
    }
    g_assert_cmpfloat(rate, >=, 250.0);
}

static void what_tcp_friend_adds(void)
{
    assert_near(weir__cbraa_friend_increase(5.0, 0.12), 173.61, 0.01);
    assert_near(weir__cbraa_friend_increase(5.0, 0.4), 15.625, 1e-9);
    assert_near(weir__cbraa_friend_increase(1.0, 0.1), 50.0, 1e-9);
}

/* Little loss never lowers the rate, much never raises it, the dead band leaves it, not only
 * nearly: the least decrease starts from what is sent. A step is a factor of 2 at most. */
static void limited_steps_have_the_right_sign(void)
{
    GRand *rand = g_rand_new_with_seed(1);
    for (int i = 0; i < 100000; i++) {
        struct weir__cbraa_law law = {.alpha = g_rand_double_range(rand, 0.01, 1.0),
                                      .beta = g_rand_double(rand),
                                      .gamma = g_rand_double_range(rand, 0.0, 0.95),
                                      .limited = true};
        double rate = exp(g_rand_double_range(rand, -7.0, 14.0));
        double rtt = exp(g_rand_double_range(rand, -9.2, 2.3));
        double loss = g_rand_boolean(rand) ? g_rand_double(rand) : 0.0;
        double threshold = fmin(weir__cbraa_loss_threshold(rate, rtt), 1.0);
        double next = weir__cbraa_step(&law, rate, rtt, loss);
        g_assert_cmpfloat(next, >=, 0.499999 * rate);
        g_assert_cmpfloat(next, <=, 2.000001 * rate);
        if (loss < 0.5 * threshold) {
            g_assert_cmpfloat(next, >=, rate);
        } else if (loss > 1.5 * threshold) {
            g_assert_cmpfloat(next, <=, rate);
        } else {
            g_assert_cmpfloat(next, ==, rate);
        }
    }
    g_rand_free(rand);
}

/* Every N-th packet is lost: the rate comes to rest where that is between a half and one and a half
 * of the ideal loss, from packets and from reports. */
static void rest_within_the_dead_band(void)
{
    static const int64_t every[] = {30, 100, 400};
    for (int k = 0; k < 6; k++) {
        struct flow *f = flow_new("cbraa", NULL, 0);
        f->lose_every = every[k % 3];
        f->reports = k >= 3;
        f->feedback_ns = f->reports ? WEIR_SECONDS(1) : WEIR_MS(50);
        flow_run_until(f, WEIR_SECONDS(60));
        int64_t rest_bps = flow_rate_bps(f);
        flow_run_until(f, WEIR_SECONDS(70));
        double ideal = weir__cbraa_loss_threshold((double)rest_bps / 8000.0, 0.1);
        g_test_message("1 of %d: %d bit/s, ideal loss %g", (int)every[k % 3], (int)rest_bps, ideal);
        g_assert_cmpfloat(1.0 / (double)every[k % 3] / ideal, >, 0.35);
        g_assert_cmpfloat(1.0 / (double)every[k % 3] / ideal, <, 2.0);
        g_assert_cmpint(llabs(flow_rate_bps(f) - rest_bps), <=, rest_bps / 4);
        flow_free(f);
    }
}

/* Share of the link that arrived and share of the packets that were lost, from 20 to 100 s. */
static void use_a_link(const char *name, bool reports, double *used, double *lost)
{
    struct flow *f = flow_new(name, NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    f->reports = reports;
    f->feedback_ns = reports ? WEIR_SECONDS(1) : WEIR_MS(50);
    flow_run_until(f, WEIR_SECONDS(20));
    int64_t sent = f->n_sent, dropped = f->n_dropped;
    flow_run_until(f, WEIR_SECONDS(100));
    double n = (double)(f->n_sent - sent), n_lost = (double)(f->n_dropped - dropped);
    *used = (n - n_lost) * 8000.0 / (80.0 * 1e6);
    *lost = n_lost / n;
    g_test_message("%s, %s: %.3f used, %.4f lost", name, reports ? "reports" : "packets", *used,
                   *lost);
    flow_free(f);
}

/* A steady flow that is alone loses all that is too much, far more than one packet per cycle, so
 * the rate swings. */
static void a_link_of_its_own_is_used(void)
{
    for (int reports = 0; reports < 2; reports++) {
        double used, lost;
        use_a_link("cbraa", reports, &used, &lost);
        g_assert_cmpfloat(used, >, 0.65);
        g_assert_cmpfloat(lost, <, 0.06);
        use_a_link("tcp-friend", reports, &used, &lost);
        g_assert_cmpfloat(used, >, 0.6);
        g_assert_cmpfloat(lost, <, 0.2);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/cbraa/" #name, name)
    ADD(known_answers_are_given);
    ADD(cycle_and_ideal_loss);
    ADD(single_steps);
    ADD(relative_steps);
    ADD(growth_without_loss);
    ADD(what_tcp_friend_adds);
    ADD(limited_steps_have_the_right_sign);
    ADD(rest_within_the_dead_band);
    ADD(a_link_of_its_own_is_used);
    return g_test_run();
}
