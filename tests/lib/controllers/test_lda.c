/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of LDA and LDA+, and lda on a path. */
#include "../../controller_flow.h"
#include "controllers/lda_law.h"
#include "vectors/assert_known_answers.h"

static void known_answers_are_given(void)
{
    assert_known_answers("lda");
}

/* 1 of 2 Mbit/s, increase 10 kbit/s before, packets of 1000 bytes every 5 s at 100 ms. */
static void formulas_of_lda_plus(void)
{
    double free_share = weir__lda_free_share(1e6, 2e6);
    double add = weir__lda_plus_add(1e4, free_share);
    double exponential = weir__lda_plus_exp(1e6, free_share);
    double tcp = weir__lda_plus_tcp(5.0, 0.1, 1000.0);
    assert_near(add, 15000.0, 1e-6);
    assert_near(exponential, 393469.0, 1.0);
    assert_near(tcp, 40800.0, 1e-6);
    assert_near(weir__lda_plus_increase(add, exponential, tcp), 15000.0, 1e-6);
    assert_near(weir__lda_plus_decrease(1e6, 0.04, 0.0), 800000.0, 1e-3);
    assert_near(weir__lda_plus_decrease(1e6, 0.04, 9e5), 900000.0, 1e-3);
}

static void formulas_of_lda(void)
{
    g_assert_cmpfloat(weir__lda_free_share(3e6, 2e6), ==, 0.0);
    assert_near(weir__lda_tcp_gain(5.0, 0.4, 1000.0), 125000.0, 1e-6);
    assert_near(weir__lda_increase(1e4, 0.5, 1e9), 15000.0, 1e-9);
    assert_near(weir__lda_increase(1e4, 0.5, 12000.0), 12000.0, 1e-9);
    assert_near(weir__lda_decrease(1e6, 0.02, 3.0), 940000.0, 1e-6);
    g_assert_cmpfloat(weir__lda_decrease(1e6, 0.5, 3.0), ==, 0.0);
}

static const struct weir_param_value plus[] = {{.name = "variant", .value_text = "lda-plus"}};

static void a_link_of_its_own_is_used(void)
{
    for (int k = 0; k < 4; k++) {
        struct flow *f = flow_new("lda", plus, k % 2 ? 1 : 0);
        f->capacity_bps = WEIR_MBPS(1);
        f->reports = k >= 2;
        f->feedback_ns = f->reports ? WEIR_SECONDS(1) : WEIR_MS(50);
        flow_run_until(f, WEIR_SECONDS(60));
        int64_t sent = f->n_sent, dropped = f->n_dropped;
        flow_run_until(f, WEIR_SECONDS(180));
        double n = (double)(f->n_sent - sent), lost = (double)(f->n_dropped - dropped);
        g_test_message("%s, %s: %.3f used, %.4f lost", k % 2 ? "lda-plus" : "lda",
                       f->reports ? "reports" : "packets", (n - lost) * 8000.0 / 120e6, lost / n);
        g_assert_cmpfloat((n - lost) * 8000.0 / 120e6, >, 0.7);
        g_assert_cmpfloat(lost / n, <, 0.05);
        flow_free(f);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/lda/" #name, name)
    ADD(known_answers_are_given);
    ADD(formulas_of_lda);
    ADD(formulas_of_lda_plus);
    ADD(a_link_of_its_own_is_used);
    return g_test_run();
}
