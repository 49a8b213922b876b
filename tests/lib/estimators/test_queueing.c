/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One-way delays above their smallest, whatever the two clocks say. */
#include "../../test.h"
#include "estimators/queueing.h"

/* n samples of one delay, 50 ms apart. Returns the time after them. */
static int64_t feed(struct weir__queueing *queueing, int64_t now_ns, int n, int64_t delay_ns)
{
    for (int i = 0; i < n; i++) {
        now_ns += WEIR_MS(50);
        weir__queueing_sample(queueing, now_ns, delay_ns);
    }
    return now_ns;
}

static void nothing_is_known_before_a_sample_and_long_after_the_last(void)
{
    struct weir__queueing queueing = {.known = false};
    g_assert_cmpint(weir__queueing_ns(&queueing, 0), ==, WEIR_UNKNOWN_NS);
    int64_t now_ns = feed(&queueing, 0, 1, 7);
    g_assert_cmpint(weir__queueing_ns(&queueing, now_ns + WEIR_SECONDS(10)), ==, 0);
    g_assert_cmpint(weir__queueing_ns(&queueing, now_ns + WEIR_SECONDS(10) + 1), ==,
                    WEIR_UNKNOWN_NS);
    weir__queueing_restart(&queueing);
    g_assert_cmpint(weir__queueing_ns(&queueing, now_ns), ==, WEIR_UNKNOWN_NS);
}

/* Of any two clocks, years apart too (a double then knows a time to a microsecond). */
static void a_queue_is_what_is_above_the_smallest(void)
{
    const int64_t offsets_ns[] = {0, WEIR_SECONDS(-5), WEIR_SECONDS(1700000000),
                                  WEIR_SECONDS(-1700000000)};
    for (size_t i = 0; i < G_N_ELEMENTS(offsets_ns); i++) {
        struct weir__queueing queueing = {.known = false};
        int64_t now_ns = feed(&queueing, 0, 40, offsets_ns[i] + WEIR_MS(25));
        g_assert_cmpint(weir__queueing_ns(&queueing, now_ns), ==, 0);
        now_ns = feed(&queueing, now_ns, 100, offsets_ns[i] + WEIR_MS(125));
        assert_near(weir__queueing_ns(&queueing, now_ns), WEIR_MS(100), WEIR_US(10));
        now_ns = feed(&queueing, now_ns, 100, offsets_ns[i] + WEIR_MS(25));
        assert_near(weir__queueing_ns(&queueing, now_ns), 0, WEIR_US(10));
    }
}

static void one_sample_moves_an_eighth(void)
{
    struct weir__queueing queueing = {.known = false};
    int64_t now_ns = feed(&queueing, 0, 10, 0);
    now_ns = feed(&queueing, now_ns, 1, WEIR_MS(80));
    g_assert_cmpint(weir__queueing_ns(&queueing, now_ns), ==, WEIR_MS(10));
}

/* A path that got longer is a queue for one to two minutes, and then a longer path. */
static void the_smallest_is_forgotten_within_two_minutes(void)
{
    struct weir__queueing queueing = {.known = false};
    int64_t now_ns = feed(&queueing, 0, 20, 0);
    now_ns = feed(&queueing, now_ns, 59 * 20, WEIR_MS(30));
    assert_near(weir__queueing_ns(&queueing, now_ns), WEIR_MS(30), WEIR_US(1));
    now_ns = feed(&queueing, now_ns, 65 * 20, WEIR_MS(30));
    assert_near(weir__queueing_ns(&queueing, now_ns), 0, WEIR_US(1));
}

static void another_clock_begins_anew(void)
{
    const int64_t steps_ns[] = {WEIR_SECONDS(11), WEIR_SECONDS(-11)};
    for (size_t i = 0; i < G_N_ELEMENTS(steps_ns); i++) {
        struct weir__queueing queueing = {.known = false};
        int64_t now_ns = feed(&queueing, 0, 20, 0);
        now_ns = feed(&queueing, now_ns, 1, steps_ns[i]);
        g_assert_cmpint(weir__queueing_ns(&queueing, now_ns), ==, 0);
    }
}

/* After a pause of the media nothing is known of the drift meanwhile. */
static void a_long_pause_begins_anew(void)
{
    struct weir__queueing queueing = {.known = false};
    int64_t now_ns = feed(&queueing, 0, 20, 0);
    now_ns = feed(&queueing, now_ns + WEIR_SECONDS(60), 1, WEIR_MS(50));
    g_assert_cmpint(weir__queueing_ns(&queueing, now_ns), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/queueing/" #name, name)
    ADD(nothing_is_known_before_a_sample_and_long_after_the_last);
    ADD(a_queue_is_what_is_above_the_smallest);
    ADD(one_sample_moves_an_eighth);
    ADD(the_smallest_is_forgotten_within_two_minutes);
    ADD(another_clock_begins_anew);
    ADD(a_long_pause_begins_anew);
    return g_test_run();
}
