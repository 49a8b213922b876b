/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/push_back.h"

#include <math.h>

#include "weir/units.h"

/* RTT 50 ms and 350 ms of queue at 1 Mbit/s: 50000 bytes. */
#define WINDOW_BYTES 50000

static void feed(struct weir__push_back *p, int n, int64_t in_flight_bytes)
{
    for (int i = 0; i < n; i++) {
        weir__push_back_on_feedback(p, WEIR_MS(50), 0, in_flight_bytes, 1e6);
    }
}

static void the_window_is_the_path_and_350_ms(void)
{
    struct weir__push_back p;
    weir__push_back_init(&p);
    g_assert_cmpfloat(weir__push_back_bps(&p, 1e6), ==, 1e6);
    feed(&p, 1, 0);
    assert_near(p.window_bytes, WINDOW_BYTES, 1e-6);
    weir__push_back_on_feedback(&p, WEIR_MS(650), 0, 0, 2e6); /* the least counts, and half of it */
    assert_near(p.window_bytes, (WINDOW_BYTES + 100000) / 2.0, 1e-6);
    for (int i = 0; i < 40; i++) {
        weir__push_back_on_feedback(&p, WEIR_MS(650), 0, 0, 1e6);
    }
    assert_near(p.window_bytes, 125000.0, 1000.0); /* after 32 the short one is forgotten */
}

static void what_is_in_flight_pushes_back(void)
{
    static const struct {
        double fill, factor;
    } rows[] = {{0.05, 1.0}, {0.9, 1.0}, {1.1, 0.95}, {1.6, 0.9}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__push_back p;
        weir__push_back_init(&p);
        feed(&p, 1, (int64_t)(rows[i].fill * WINDOW_BYTES));
        assert_near(p.factor, rows[i].factor, 1e-12);
    }
}

/* Packets that leave make it less, only feedback makes it more again. */
static void only_feedback_raises(void)
{
    struct weir__push_back p;
    weir__push_back_init(&p);
    feed(&p, 1, 0);
    for (int i = 0; i < 5; i++) {
        weir__push_back_on_sent(&p, 2 * WINDOW_BYTES);
    }
    assert_near(p.factor, pow(0.9, 5), 1e-12);
    weir__push_back_on_sent(&p, 0);
    assert_near(p.factor, pow(0.9, 5), 1e-12);
    feed(&p, 1, WINDOW_BYTES / 2);
    assert_near(p.factor, 1.05 * pow(0.9, 5), 1e-12);
    double before = p.factor;
    weir__push_back_on_feedback(&p, WEIR_MS(50), 3, WINDOW_BYTES / 2, 1e6);
    assert_near(p.factor, pow(1.05, 4) * before, 1e-12);
    feed(&p, 1, WINDOW_BYTES / 20);
    g_assert_cmpfloat(p.factor, ==, 1.0);
}

static void there_is_a_least_rate(void)
{
    struct weir__push_back p;
    weir__push_back_init(&p);
    feed(&p, 1000, 100 * WINDOW_BYTES);
    g_assert_cmpfloat(weir__push_back_bps(&p, 1e6), ==, 30000.0);
    g_assert_cmpfloat(weir__push_back_bps(&p, 20000.0), ==, 20000.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/push_back/" #name, name)
    ADD(the_window_is_the_path_and_350_ms);
    ADD(what_is_in_flight_pushes_back);
    ADD(only_feedback_raises);
    ADD(there_is_a_least_rate);
    return g_test_run();
}
