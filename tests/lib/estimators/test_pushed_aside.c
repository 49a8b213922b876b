/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/pushed_aside.h"

static void step(struct weir__pushed_aside *pushed, double rate_bps, double queue_s, bool dropped,
                 double dt_s)
{
    const struct weir__pushed_aside_view view = {
        .rate_bps = rate_bps, .queue_s = queue_s, .dropped = dropped, .dt_s = dt_s};
    weir__pushed_aside_step(pushed, &view);
}

/* Alone at 4 Mbit/s, then ten seconds at another rate with a queue, which drops now and then. */
static bool is_pushed(double rate_bps, double queue_s, bool drops)
{
    struct weir__pushed_aside pushed;
    weir__pushed_aside_begin(&pushed, 4e6);
    for (int i = 0; i < 100; i++) {
        step(&pushed, 4e6, 0.01, false, 0.05);
    }
    for (int i = 0; i < 200; i++) {
        step(&pushed, rate_bps, queue_s, drops && i % 60 == 10, 0.05);
    }
    return weir__pushed_aside_is(&pushed);
}

static void it_takes_a_long_queue_and_less_than_half(void)
{
    static const struct {
        double rate_bps, queue_s;
        bool drops, is_pushed;
    } rows[] = {
        {1.0e6, 0.08, true, true},   /* a TCP that fills its buffer */
        {0.3e6, 0.08, true, true},   /* further down the queue that would do does not grow */
        {1.0e6, 0.08, false, true},  /* far longer than our kind leaves it */
        {1.3e6, 0.03, false, false}, /* three of our kind share such a queue */
        {2.0e6, 0.08, true, false},  /* half is a fair share */
        {1.0e6, 0.01, false, false}, /* the source sends less */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_test_message("row %d", (int)i);
        g_assert_true(is_pushed(rows[i].rate_bps, rows[i].queue_s, rows[i].drops) ==
                      rows[i].is_pushed);
    }
}

/* A second of a long queue at a low rate is a late comer's start. */
static void a_moment_is_no_push(void)
{
    struct weir__pushed_aside pushed;
    weir__pushed_aside_begin(&pushed, 4e6);
    for (int i = 0; i < 20; i++) {
        step(&pushed, 1e6, 0.2, false, 0.05);
        g_assert_false(weir__pushed_aside_is(&pushed));
    }
}

/* One Reno in 100 ms of buffer at 1 Mbit/s: each second its queue goes from nothing to full, and
 * every fifth time one of the packets that are dropped is ours. Without drops it is somebody's
 * bursts. */
static void a_queue_that_empties_and_drops_is_a_push(void)
{
    for (int drops = 0; drops <= 1; drops++) {
        struct weir__pushed_aside pushed;
        weir__pushed_aside_begin(&pushed, 1e6);
        bool is_pushed = false;
        for (int i = 0; i < 200; i++) {
            bool is_full = i % 20 == 19;
            step(&pushed, 0.2e6, 0.005 * (i % 20 + 1), drops > 0 && is_full && i / 20 % 5 == 0,
                 0.05);
            is_pushed |= weir__pushed_aside_is(&pushed);
        }
        g_assert_cmpint(is_pushed, ==, drops > 0);
    }
}

/* What we had is forgotten within a minute: a link that has become slower is no competitor. */
static void the_former_rate_fades(void)
{
    struct weir__pushed_aside pushed;
    weir__pushed_aside_begin(&pushed, 4e6);
    for (int i = 0; i < 1200; i++) {
        step(&pushed, 1e6, 0.01, false, 0.05);
    }
    assert_near(pushed.former_bps, 1.15e6, 0.05e6);
}

/* Ten seconds beside others on a link of 4 Mbit/s, of which we never had more than a tenth: pushed
 * aside while we are new there, in their long queue. */
static void who_comes_late_has_the_link_for_a_former_rate(void)
{
    static const struct {
        double before_s, link_bps, queue_s;
        bool drops, is_pushed;
    } rows[] = {
        {0, 4e6, 0.08, true, true},    {5, 4e6, 0.08, false, true},
        {25, 4e6, 0.08, true, false},                                /* no longer new */
        {0, 0, 0.08, true, false},                                   /* nobody is there */
        {0, 0.7e6, 0.08, true, false}, {0, 4e6, 0.03, false, false}, /* of our own kind */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__pushed_aside pushed;
        weir__pushed_aside_begin(&pushed, 0.4e6);
        for (int k = 0; k < (int)(rows[i].before_s / 0.05); k++) {
            step(&pushed, 0.4e6, 0.0, false, 0.05);
        }
        for (int k = 0; k < 200; k++) {
            const struct weir__pushed_aside_view view = {.rate_bps = 0.4e6,
                                                         .link_bps = rows[i].link_bps,
                                                         .queue_s = rows[i].queue_s,
                                                         .dropped = rows[i].drops && k % 60 == 10,
                                                         .dt_s = 0.05};
            weir__pushed_aside_step(&pushed, &view);
        }
        g_test_message("row %d", (int)i);
        g_assert_true(weir__pushed_aside_is(&pushed) == rows[i].is_pushed);
    }
}

/* Who comes back from competing is no newcomer, and remembers. */
static void the_end_keeps_what_was_before(void)
{
    struct weir__pushed_aside pushed;
    weir__pushed_aside_begin(&pushed, 4e6);
    for (int i = 0; i < 500; i++) {
        step(&pushed, 4e6, 0.1, true, 0.05);
    }
    weir__pushed_aside_end(&pushed, 1e6);
    g_assert_cmpfloat(pushed.former_bps, ==, 4e6);
    g_assert_false(weir__pushed_aside_is(&pushed));
    g_assert_false(weir__pushed_aside_has_dropped(&pushed));
    const struct weir__pushed_aside_view view = {.rate_bps = 1e6, .link_bps = 9e6, .dt_s = 0.05};
    weir__pushed_aside_step(&pushed, &view);
    g_assert_cmpfloat(pushed.former_bps, <, 4e6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/pushed-aside/" #name, name)
    ADD(it_takes_a_long_queue_and_less_than_half);
    ADD(a_moment_is_no_push);
    ADD(a_queue_that_empties_and_drops_is_a_push);
    ADD(the_former_rate_fades);
    ADD(who_comes_late_has_the_link_for_a_former_rate);
    ADD(the_end_keeps_what_was_before);
    return g_test_run();
}
