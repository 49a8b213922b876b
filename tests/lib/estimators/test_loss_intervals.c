/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loss event rate: worked examples, and what must hold for every history. Histories are made of
 * real losses: one packet per ms, events far apart. */
#include "../../test.h"
#include "estimators/loss_intervals.h"
#include "weir/units.h"

#include <math.h>

#define RTT_NS WEIR_MS(1) /* shorter than every interval below, unless a test says otherwise */
#define OFF    1.0        /* discount threshold without discounting */

static int64_t sent_ns(int64_t seq)
{
    return seq * WEIR_MS(2);
}

static bool lose(struct weir__loss_intervals *l, int64_t seq, int64_t rtt_ns)
{
    return weir__loss_intervals_on_lost(l, seq, sent_ns(seq), rtt_ns);
}

static void receive(struct weir__loss_intervals *l, int64_t seq)
{
    weir__loss_intervals_on_received(l, seq, sent_ns(seq));
}

/* A history with I_0 = open and the closed intervals, newest first, ended by 0. The oldest is the
 * synthetic one. Returns the number of the packet that starts the open interval. */
static int64_t build(struct weir__loss_intervals *l, double threshold, int64_t open,
                     const int64_t *closed)
{
    size_t n = 0;
    while (closed[n] != 0) {
        n++;
    }
    int64_t seq = 0;
    weir__loss_intervals_init(l, 8, threshold, false);
    weir__loss_intervals_set_first(l, (double)closed[n - 1]);
    g_assert_true(lose(l, seq, RTT_NS));
    for (size_t i = n - 1; i-- > 0;) {
        seq += closed[i];
        g_assert_true(lose(l, seq, RTT_NS));
    }
    receive(l, seq + open - 1);
    return seq;
}

struct example {
    int64_t open;
    int64_t closed[10];
    double p;
    double mean;
};

/* tot0, tot1 and W by hand. */
static const struct example examples[] = {
    {10, {100, 100, 100, 100, 100, 100, 100, 100}, 0.01, 100.0},
    {150, {100, 100, 100, 100, 100, 100, 100, 100}, 0.00923077, 108.3333},
    {5, {20, 40, 60, 80, 100, 120, 140, 160}, 0.01363636, 73.3333},
    {400, {20, 40, 60, 80, 100, 120, 140, 160}, 0.00833333, 120.0},
    {30, {50}, 0.02, 50.0},
    {120, {50}, 0.00833333, 120.0},
    {7, {10, 20, 30}, 0.05, 20.0},
};

static void worked_examples_without_discounting(void)
{
    struct weir__loss_intervals l;
    for (size_t i = 0; i < G_N_ELEMENTS(examples); i++) {
        build(&l, OFF, examples[i].open, examples[i].closed);
        assert_near(weir__loss_intervals_p(&l), examples[i].p, 0.6e-8);
        assert_near(1.0 / weir__loss_intervals_p(&l), examples[i].mean, 0.6e-4);
        assert_near(weir__loss_intervals_open(&l), (double)examples[i].open, 1e-12);
    }
}

static void worked_examples_of_discounting(void)
{
    static const struct {
        double threshold;
        int64_t open;
        double p;
    } cases[] = {
        {0.25, 150, 0.00923077}, {0.25, 200, 0.00857143}, {0.25, 300, 0.00684211},
        {0.25, 500, 0.00428571}, {0.25, 1000, 0.002},     {0.25, 2000, 0.00105882},
        {0.5, 500, 0.00466667},  {0.5, 1000, 0.0028},     {0.5, 2000, 0.00155556},
        {OFF, 300, 0.0075},      {OFF, 500, 0.006},       {OFF, 1000, 0.004},
        {OFF, 2000, 0.0024},
    };
    static const int64_t hundreds[] = {100, 100, 100, 100, 100, 100, 100, 100, 0};
    struct weir__loss_intervals l;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        build(&l, cases[i].threshold, cases[i].open, hundreds);
        assert_near(weir__loss_intervals_p(&l), cases[i].p, 0.6e-8);
    }
}

/* After an interval of 1000 all older ones keep a quarter of their weight: W1 = 1 + 5/4. */
static void discount_becomes_permanent_with_the_next_event(void)
{
    static const int64_t hundreds[] = {100, 100, 100, 100, 100, 100, 100, 100, 0};
    struct weir__loss_intervals l;
    int64_t seq = build(&l, 0.25, 1, hundreds);
    g_assert_true(lose(&l, seq + 1000, RTT_NS));
    double weights = 1.0 + 0.25 * 5.0;
    assert_near(weir__loss_intervals_p(&l), weights / (1000.0 + 0.25 * 500.0), 1e-12);
    assert_near(weir__loss_intervals_closed(&l, 1), 1000.0, 1e-12);
    assert_near(weir__loss_intervals_closed(&l, 8), 100.0, 1e-12);
    assert_near(weir__loss_intervals_closed(&l, 9), 0.0, 1e-12);
    assert_near(weir__loss_intervals_closed(&l, 0), 0.0, 1e-12);
}

static void constant_intervals_give_exactly_their_inverse(void)
{
    static const double thresholds[] = {0.25, 0.5, OFF};
    for (size_t n = 1; n <= WEIR__LOSS_INTERVALS_MAX; n++) {
        for (size_t t = 0; t < G_N_ELEMENTS(thresholds); t++) {
            struct weir__loss_intervals l;
            weir__loss_intervals_init(&l, n, thresholds[t], false);
            weir__loss_intervals_set_first(&l, 60.0);
            for (int64_t event = 0; event < 40; event++) {
                lose(&l, event * 60, RTT_NS);
                for (int64_t i = 1; i < 60; i++) {
                    receive(&l, event * 60 + i);
                    assert_near(weir__loss_intervals_p(&l) * 60.0, 1.0, 1e-12);
                }
            }
        }
    }
}

static void p_never_rises_without_a_new_event(void)
{
    guint32 seed = 5348;
    g_test_message("seed %u", seed);
    GRand *rand = g_rand_new_with_seed(seed);
    for (int round = 0; round < 300; round++) {
        struct weir__loss_intervals l;
        double thresholds[] = {0.25, 0.5, OFF};
        weir__loss_intervals_init(&l, (size_t)g_rand_int_range(rand, 1, 33), thresholds[round % 3],
                                  round % 5 == 0);
        weir__loss_intervals_set_first(&l, g_rand_double_range(rand, 0.0, 500.0));
        double last = 2.0;
        double loss_chance = pow(10.0, g_rand_double_range(rand, -3.0, -0.3));
        for (int64_t seq = 0; seq < 600; seq++) {
            bool lost = g_rand_double(rand) < loss_chance;
            if (lost) {
                lose(&l, seq, WEIR_MS(2) * (1 + round % 20));
            } else {
                receive(&l, seq);
            }
            double p = weir__loss_intervals_p(&l);
            g_assert_true(p >= 0.0 && p <= 1.0);
            g_assert_true(weir__loss_intervals_has_event(&l) == (p > 0.0));
            if (!lost) {
                g_assert_cmpfloat(p, <=, last * (1.0 + 1e-12));
            }
            last = p > 0.0 ? p : 2.0;
        }
    }
    g_rand_free(rand);
}

/* RTT 10 ms is 5 packets: a loss 5 packets behind is still the same event, 6 is a new one. */
static void losses_within_one_rtt_are_one_event(void)
{
    struct weir__loss_intervals l;
    weir__loss_intervals_init(&l, 8, OFF, false);
    g_assert_false(weir__loss_intervals_has_event(&l));
    assert_near(weir__loss_intervals_p(&l), 0.0, 1e-12);
    assert_near(weir__loss_intervals_open(&l), 0.0, 1e-12);
    weir__loss_intervals_set_first(&l, 50.0);
    g_assert_true(lose(&l, 100, WEIR_MS(10)));
    for (int64_t seq = 101; seq <= 105; seq++) {
        g_assert_false(lose(&l, seq, WEIR_MS(10)));
    }
    g_assert_true(lose(&l, 106, WEIR_MS(10)));
    assert_near(weir__loss_intervals_closed(&l, 1), 6.0, 1e-12);
    g_assert_cmpuint(l.n_events, ==, 2);
}

/* The RTT of an event is the one when it began. */
static void a_later_rtt_does_not_regroup(void)
{
    struct weir__loss_intervals l;
    weir__loss_intervals_init(&l, 8, OFF, false);
    g_assert_true(lose(&l, 0, WEIR_MS(10)));
    g_assert_true(lose(&l, 6, WEIR_MS(1000)));
    g_assert_false(lose(&l, 500, WEIR_MS(1)));
    g_assert_true(lose(&l, 507, WEIR_MS(1)));
}

static void a_late_packet_takes_its_event_back(void)
{
    static const int64_t closed[] = {40, 30, 20, 0};
    struct weir__loss_intervals l;
    int64_t seq = build(&l, 0.25, 10, closed);
    struct weir__loss_intervals before = l;
    g_assert_true(lose(&l, seq + 25, RTT_NS));
    receive(&l, seq + 30);
    g_assert_true(weir__loss_intervals_on_late(&l, seq + 25, sent_ns(seq + 25)));
    receive(&before, seq + 30);
    assert_near(weir__loss_intervals_p(&l), weir__loss_intervals_p(&before), 1e-12);
    g_assert_cmpuint(l.n_events, ==, before.n_events);
}

static void the_only_event_taken_back_leaves_no_loss(void)
{
    struct weir__loss_intervals l;
    weir__loss_intervals_init(&l, 8, 0.25, false);
    weir__loss_intervals_set_first(&l, 20.0);
    lose(&l, 7, RTT_NS);
    receive(&l, 10);
    g_assert_true(weir__loss_intervals_on_late(&l, 7, sent_ns(7)));
    g_assert_false(weir__loss_intervals_has_event(&l));
    assert_near(weir__loss_intervals_p(&l), 0.0, 1e-12);
    g_assert_false(weir__loss_intervals_on_late(&l, 7, sent_ns(7)));
}

/* Losses 10, 12, 16 at an RTT of 5 packets are events {10, 12} and {16}. Without 10 they are one.
 */
static void a_late_packet_regroups_what_follows(void)
{
    struct weir__loss_intervals l;
    weir__loss_intervals_init(&l, 8, OFF, false);
    weir__loss_intervals_set_first(&l, 33.0);
    lose(&l, 10, WEIR_MS(10));
    lose(&l, 12, WEIR_MS(10));
    lose(&l, 16, WEIR_MS(10));
    g_assert_cmpuint(l.n_events, ==, 2);
    g_assert_true(weir__loss_intervals_on_late(&l, 10, sent_ns(10)));
    g_assert_cmpuint(l.n_events, ==, 1);
    assert_near(weir__loss_intervals_closed(&l, 1), 33.0, 1e-12);
    receive(&l, 21);
    assert_near(weir__loss_intervals_open(&l), 10.0, 1e-12);
}

/* Whatever arrives late among the two newest events: the same as if it had never been lost. */
static void late_packets_leave_no_trace(void)
{
    guint32 seed = 77;
    g_test_message("seed %u", seed);
    GRand *rand = g_rand_new_with_seed(seed);
    for (int round = 0; round < 3000; round++) {
        struct weir__loss_intervals with, without;
        weir__loss_intervals_init(&with, 8, 0.25, round % 2);
        weir__loss_intervals_set_first(&with, 25.0);
        int64_t seq = 0;
        for (int event = 0; event < round % 5; event++) {
            lose(&with, seq += g_rand_int_range(rand, 20, 60), WEIR_MS(10));
        }
        seq += 20;
        without = with;
        int64_t late = seq + g_rand_int_range(rand, 0, 9);
        for (int64_t i = seq; i < seq + 9; i++) {
            if (i == late || g_rand_double(rand) < 0.2) {
                lose(&with, i, WEIR_MS(10));
                if (i != late) {
                    lose(&without, i, WEIR_MS(10));
                }
            }
        }
        receive(&with, seq + 12);
        receive(&without, seq + 12);
        weir__loss_intervals_on_late(&with, late, sent_ns(late));
        g_assert_cmpuint(with.n_events, ==, without.n_events);
        assert_near(weir__loss_intervals_p(&with), weir__loss_intervals_p(&without), 1e-15);
    }
    g_rand_free(rand);
}

/* Losses of the two newest events may come in any order. */
static void order_of_losses_does_not_matter(void)
{
    struct weir__loss_intervals forward, backward;
    weir__loss_intervals_init(&forward, 8, 0.25, false);
    weir__loss_intervals_set_first(&forward, 40.0);
    lose(&forward, 0, WEIR_MS(10));
    backward = forward;
    for (int64_t seq = 30; seq <= 40; seq += 2) {
        lose(&forward, seq, WEIR_MS(10));
        lose(&backward, 70 - seq, WEIR_MS(10));
    }
    receive(&forward, 50);
    receive(&backward, 50);
    g_assert_cmpuint(forward.n_events, ==, 3);
    g_assert_cmpuint(backward.n_events, ==, 3);
    assert_near(weir__loss_intervals_p(&forward), weir__loss_intervals_p(&backward), 1e-15);
    g_assert_false(lose(&forward, 30, WEIR_MS(10)));
    g_assert_false(lose(&forward, 0, WEIR_MS(10)));
    g_assert_cmpuint(forward.n_events, ==, 3);
}

/* Many more losses than an event can list are still one event, and an old loss is no news. */
static void full_events_stay_events(void)
{
    struct weir__loss_intervals l;
    weir__loss_intervals_init(&l, 8, OFF, true);
    weir__loss_intervals_set_first(&l, 40.0);
    for (int64_t seq = 0; seq < 50; seq++) {
        g_assert_true(lose(&l, seq, WEIR_MS(1000)) == (seq == 0));
    }
    g_assert_cmpint(l.recent[0].n_lost, ==, 50);
    for (int64_t seq = 0; seq < WEIR__LOSS_EVENT_PACKETS - 1; seq++) {
        g_assert_false(weir__loss_intervals_on_late(&l, seq, sent_ns(seq)));
    }
    g_assert_cmpuint(l.n_events, ==, 1);
    g_assert_cmpint(l.recent[0].n_lost, ==, 35);
    for (int64_t event = 1; event < 5; event++) {
        g_assert_true(lose(&l, event * 10000, WEIR_MS(10)));
    }
    g_assert_false(lose(&l, 9000, WEIR_MS(10)));
}

/* TFRC-SP: 30 packets, 3 lost, 1.5 R long count as 10; 2.5 R long as 30. */
static void short_intervals_count_packets_per_loss(void)
{
    static const int64_t rtt_packets[] = {20, 12};
    static const double lengths[] = {10.0, 30.0};
    for (size_t i = 0; i < 2; i++) {
        int64_t rtt_ns = rtt_packets[i] * WEIR_MS(2);
        struct weir__loss_intervals l;
        weir__loss_intervals_init(&l, 8, OFF, true);
        weir__loss_intervals_set_first(&l, 100.0);
        lose(&l, 0, rtt_ns);
        lose(&l, 3, rtt_ns);
        lose(&l, 6, rtt_ns);
        g_assert_true(lose(&l, 30, rtt_ns));
        assert_near(weir__loss_intervals_closed(&l, 1), lengths[i], 1e-12);
    }
}

/* TFRC-SP: an open interval younger than 2 R is not used, however long it is. */
static void young_open_interval_is_not_used(void)
{
    struct weir__loss_intervals l;
    weir__loss_intervals_init(&l, 8, OFF, true);
    weir__loss_intervals_set_first(&l, 10.0);
    lose(&l, 0, WEIR_MS(100));
    receive(&l, 99);
    assert_near(weir__loss_intervals_p(&l), 0.1, 1e-12);
    receive(&l, 100);
    assert_near(weir__loss_intervals_p(&l), 1.0 / 101.0, 1e-12);
}

/* Reports: 500 packets in 6 events make intervals of 83.3; packets without loss join the next. */
static void reports_make_equal_intervals(void)
{
    struct weir__loss_intervals l;
    weir__loss_intervals_init(&l, 8, OFF, false);
    weir__loss_intervals_on_report(&l, 300, 0);
    assert_near(weir__loss_intervals_p(&l), 0.0, 1e-12);
    weir__loss_intervals_set_first(&l, 200.0);
    weir__loss_intervals_on_report(&l, 500, 6);
    for (size_t i = 1; i <= 5; i++) {
        assert_near(weir__loss_intervals_closed(&l, i), 500.0 / 6.0, 1e-9);
    }
    assert_near(weir__loss_intervals_closed(&l, 6), 200.0, 1e-12);
    weir__loss_intervals_on_report(&l, 400, 0);
    assert_near(weir__loss_intervals_open(&l), 400.0, 1e-12);
    weir__loss_intervals_on_report(&l, 100, 1);
    assert_near(weir__loss_intervals_closed(&l, 1), 500.0, 1e-12);
    g_assert_cmpuint(l.n_events, ==, 7);
    weir__loss_intervals_on_report(&l, 1000000, 1000000);
    assert_near(weir__loss_intervals_p(&l), 1.0, 1e-12);
}

/* Reports in the middle of per-packet feedback, and back: the open interval goes on. */
static void intervals_survive_a_change_of_feedback(void)
{
    static const int64_t closed[] = {40, 30, 20, 0};
    struct weir__loss_intervals l;
    int64_t seq = build(&l, 0.25, 10, closed);
    double p = weir__loss_intervals_p(&l);
    weir__loss_intervals_on_report(&l, 15, 0);
    assert_near(weir__loss_intervals_open(&l), 25.0, 1e-12);
    assert_near(weir__loss_intervals_closed(&l, 1), 40.0, 1e-12);
    g_assert_cmpfloat(weir__loss_intervals_p(&l), <=, p);
    receive(&l, seq + 25);
    assert_near(weir__loss_intervals_open(&l), 26.0, 1e-12);
    g_assert_true(lose(&l, seq + 30, RTT_NS));
    assert_near(weir__loss_intervals_closed(&l, 1), 30.0, 1e-12);
    assert_near(weir__loss_intervals_closed(&l, 2), 40.0, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/loss_intervals/" #name, name)
    ADD(worked_examples_without_discounting);
    ADD(worked_examples_of_discounting);
    ADD(discount_becomes_permanent_with_the_next_event);
    ADD(constant_intervals_give_exactly_their_inverse);
    ADD(p_never_rises_without_a_new_event);
    ADD(losses_within_one_rtt_are_one_event);
    ADD(a_later_rtt_does_not_regroup);
    ADD(a_late_packet_takes_its_event_back);
    ADD(the_only_event_taken_back_leaves_no_loss);
    ADD(a_late_packet_regroups_what_follows);
    ADD(late_packets_leave_no_trace);
    ADD(order_of_losses_does_not_matter);
    ADD(full_events_stay_events);
    ADD(short_intervals_count_packets_per_loss);
    ADD(young_open_interval_is_not_used);
    ADD(reports_make_equal_intervals);
    ADD(intervals_survive_a_change_of_feedback);
    return g_test_run();
}
