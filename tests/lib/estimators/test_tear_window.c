/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The emulated TCP of TEAR: its rates, its states, its rounds and epochs. R is 0.1 s, RTO 0.3 s. */
#include "../../test.h"
#include "estimators/tear_window.h"
#include "weir/units.h"

#include <math.h>

#define R_S 0.1

/* A window and a clock; packets arrive spacing_ns apart. */
struct rig {
    struct weir__tear_window w;
    struct weir__tear_path path;
    int64_t seq;
    int64_t spacing_ns;
};

static struct rig rig_new(double cwnd, double ssthresh)
{
    struct rig rig = {.path = {.rtt_s = R_S, .rto_s = 0.3, .grows = true, .most_cwnd = INFINITY},
                      .spacing_ns = WEIR_MS(10)};
    weir__tear_window_init(&rig.w, 8, cwnd, ssthresh, 0);
    return rig;
}

static void arrive(struct rig *rig, int64_t seq)
{
    rig->path.now_ns += rig->spacing_ns;
    rig->path.sent_until = weir_max_i64(rig->path.sent_until, seq + 1);
    weir__tear_window_on_arrival(&rig->w, &rig->path, seq, rig->path.now_ns);
}

static void arrive_in_order(struct rig *rig, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        arrive(rig, rig->seq++);
    }
}

static void lose(struct rig *rig, int64_t seq, bool overtaken)
{
    weir__tear_window_on_lost(&rig->w, &rig->path, seq, overtaken);
}

static double rate(const struct rig *rig)
{
    return weir__tear_window_rate(&rig->w, R_S);
}

static void means_are_those_of_the_report(void)
{
    double f[8] = {20, 20, 20, 20, 20, 20, 20, 20};
    assert_near(weir__tear_mean_rate(f, 8, -1.0, 8), 20.0, 1e-12);
    assert_near(weir__tear_mean_rate(f, 8, 40.0, 8), 70.0 / 3.0, 1e-12);
    assert_near(weir__tear_mean_rate(f, 8, 10.0, 8), 20.0, 1e-12);
    f[0] = 10;
    assert_near(weir__tear_mean_rate(f, 8, -1.0, 8), 55.0 / 3.0, 1e-12);
    f[0] = 40;
    assert_near(weir__tear_mean_rate(f, 8, -1.0, 8), 70.0 / 3.0, 1e-12);
}

/* Each epoch alone shows its weight. */
static void weights_are_those_of_the_report(void)
{
    static const double expected[] = {5, 5, 5, 5, 4, 3, 2, 1};
    for (size_t i = 0; i < 8; i++) {
        double f[8] = {0};
        f[i] = 30.0;
        assert_near(weir__tear_mean_rate(f, 8, -1.0, 8), expected[i], 1e-12);
    }
}

/* Fewer epochs share the weight; any number of samples makes a mean, in which newer epochs never
 * count less. */
static void any_number_of_samples_makes_a_mean(void)
{
    double three[] = {10, 20, 60};
    assert_near(weir__tear_mean_rate(three, 3, -1.0, 8), 30.0, 1e-12);
    for (size_t n = 1; n <= WEIR__TEAR_SAMPLES_MAX; n++) {
        double last = INFINITY;
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            double f[WEIR__TEAR_SAMPLES_MAX] = {0};
            f[i] = 1.0;
            double share = weir__tear_mean_rate(f, n, -1.0, n);
            g_assert_cmpfloat(share, >, 0.0);
            g_assert_cmpfloat(share, <=, last);
            last = share;
            sum += share;
        }
        assert_near(sum, 1.0, 1e-12);
    }
    g_assert_cmpfloat(weir__tear_mean_rate(three, 0, -1.0, 8), ==, 0.0);
    assert_near(weir__tear_mean_rate(three, 0, 7.0, 8), 7.0, 1e-12);
    assert_near(weir__tear_mean_rate(three, 1, 7.0, 1), 10.0, 1e-12);
}

static void slow_start_doubles_per_round_up_to_ssthresh(void)
{
    struct rig rig = rig_new(1.0, 32.0);
    for (double cwnd = 1.0; cwnd < 32.0; cwnd *= 2.0) {
        g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_SLOW_START);
        arrive_in_order(&rig, (int64_t)cwnd);
        assert_near(rig.w.cwnd, 2.0 * cwnd, 1e-12);
        assert_near(rig.w.last_cwnd, rig.w.cwnd, 1e-12);
    }
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    assert_near(rate(&rig), (2.0 + 4.0 + 8.0 + 16.0 + 32.0) / (5.0 * R_S), 1e-9);
}

static void avoidance_adds_one_packet_per_round(void)
{
    struct rig rig = rig_new(10.0, 10.0);
    arrive_in_order(&rig, 1);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    assert_near(rig.w.cwnd, 11.0, 1e-12);
    arrive_in_order(&rig, 9);
    for (int64_t round = 0; round < 50; round++) {
        double before = rig.w.cwnd;
        arrive_in_order(&rig, (int64_t)before);
        assert_near(rig.w.cwnd, before + floor(before) / before, 1e-9);
        assert_near(rig.w.last_cwnd, rig.w.cwnd, 1e-12);
    }
}

static void slow_start_goes_no_further_than_it_may(void)
{
    struct rig rig = rig_new(4.0, INFINITY);
    rig.path.most_cwnd = 6.5;
    arrive_in_order(&rig, 100);
    assert_near(rig.w.cwnd, 6.5, 1e-12);
    rig.path.most_cwnd = 3.0;
    arrive_in_order(&rig, 100);
    assert_near(rig.w.cwnd, 6.5, 1e-12);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_SLOW_START);
}

static void before_the_first_round_the_window_is_the_rate(void)
{
    struct rig rig = rig_new(12.0, INFINITY);
    assert_near(rate(&rig), 120.0, 1e-9);
    g_assert_cmpfloat(weir__tear_window_open_rate(&rig.w), <, 0.0);
    arrive_in_order(&rig, 11);
    assert_near(rate(&rig), 230.0, 1e-9);
    arrive_in_order(&rig, 1);
    assert_near(weir__tear_window_open_rate(&rig.w), 240.0, 1e-9);
}

static void a_source_that_holds_back_stops_growth(void)
{
    struct rig rig = rig_new(4.0, INFINITY);
    rig.path.grows = false;
    arrive_in_order(&rig, 1000);
    assert_near(rig.w.cwnd, 4.0, 1e-12);
    assert_near(rate(&rig), 40.0, 1e-9);
}

static void reordering_is_no_loss(void)
{
    for (int late = 1; late <= 2; late++) {
        struct rig rig = rig_new(4.0, 100.0);
        arrive(&rig, 0);
        for (int i = 0; i < late; i++) {
            arrive(&rig, 2 + i);
            g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_GAP);
            assert_near(rig.w.cwnd, 5.0, 1e-12);
        }
        arrive(&rig, 1);
        g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_SLOW_START);
        g_assert_cmpint(rig.w.deadline_ns, ==, WEIR_NEVER_NS);
        arrive(&rig, 2 + late);
        assert_near(rig.w.cwnd, 6.0, 1e-12);
        g_assert_cmpuint(rig.w.n_closed, ==, 0);
    }
}

/* No feedback told of packet 1: neither arrival nor loss. */
static void an_unexplained_gap_is_given_up(void)
{
    struct rig rig = rig_new(10.0, 10.0);
    rig.seq = 20;
    arrive(&rig, 0);
    for (int64_t seq = 2; seq < 20; seq++) {
        arrive(&rig, seq);
    }
    double before = rig.w.cwnd;
    int64_t opened_ns = WEIR_MS(20);
    g_assert_cmpint(rig.w.deadline_ns, ==, opened_ns + WEIR_MS(300));
    rig.path.now_ns = rig.w.deadline_ns - 1;
    weir__tear_window_on_time(&rig.w, &rig.path);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_GAP);
    rig.path.now_ns++;
    weir__tear_window_on_time(&rig.w, &rig.path);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    arrive_in_order(&rig, 1);
    g_assert_cmpfloat(rig.w.cwnd, >, before);
    g_assert_cmpuint(rig.w.n_closed, ==, 0);
}

/* Losses from `first` on, in a window of 10: those below first + 10 are one event. */
static void losses_of_a_window_are_one_event(void)
{
    struct rig rig = rig_new(10.0, 10.0);
    rig.path.grows = false;
    arrive_in_order(&rig, 20);
    lose(&rig, 20, true);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_DUPACK);
    for (int64_t seq = 21; seq < 30; seq++) {
        if (seq % 2 == 0) {
            arrive(&rig, seq);
        } else {
            lose(&rig, seq, true);
        }
    }
    assert_near(rig.w.cwnd, 10.0, 1e-12);
    g_assert_cmpint(rig.w.n_events, ==, 0);
    arrive(&rig, 30);
    assert_near(rig.w.cwnd, 5.0, 1e-12);
    assert_near(rig.w.ssthresh, 5.0, 1e-12);
    assert_near(rig.w.closed[0], 100.0, 1e-9);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    lose(&rig, 29, true);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    lose(&rig, 31, true);
    lose(&rig, 36, true);
    g_assert_cmpint(rig.w.n_events, ==, 2);
    assert_near(rig.w.cwnd, 2.5, 1e-12);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_DUPACK);
}

/* Half of 40 packets that are under way at the first loss are lost, in a window of ten. Their
 * losses are one event, though they would be several windows of what is left. */
static void losses_of_what_was_under_way_are_one_event(void)
{
    struct rig rig = rig_new(10.0, 10.0);
    rig.path.grows = false;
    arrive_in_order(&rig, 20);
    rig.path.sent_until = 60;
    for (int64_t seq = 20; seq < 60; seq += 2) {
        lose(&rig, seq, true);
        arrive(&rig, seq + 1);
    }
    g_assert_cmpint(rig.w.n_events, ==, 1);
    assert_near(rig.w.cwnd, 5.0, 1e-12);
    lose(&rig, 60, true);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_DUPACK);
}

/* T_to: ten packets 10 ms apart and half an R; but never less than R, never more than RTO. */
static void an_event_ends_when_its_window_should_have_come(void)
{
    static const struct {
        int64_t spacing_us, wait_us;
    } cases[] = {{10000, 150000}, {1000, 100000}, {100000, 300000}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig = rig_new(10.0, 10.0);
        rig.spacing_ns = WEIR_US(cases[i].spacing_us);
        rig.path.grows = false;
        arrive_in_order(&rig, 400);
        lose(&rig, 400, true);
        int64_t wait_ns = rig.w.deadline_ns - rig.path.now_ns;
        assert_near(wait_ns, WEIR_US(cases[i].wait_us), 1000.0);
        rig.path.now_ns = rig.w.deadline_ns;
        weir__tear_window_on_time(&rig.w, &rig.path);
        g_assert_cmpint(rig.w.n_events, ==, 1);
        assert_near(rig.w.cwnd, 5.0, 1e-12);
        lose(&rig, 409, true);
        g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
        lose(&rig, 410, true);
        g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_DUPACK);
    }
}

/* Its losses came after what overtook them: nothing is left to wait for, and no packet that came
 * long ago is missed afterwards. */
static void the_event_of_a_small_window_ends_at_once(void)
{
    struct rig rig = rig_new(2.0, 2.0);
    arrive_in_order(&rig, 2);
    for (int64_t seq = 3; seq <= 6; seq++) {
        arrive(&rig, seq);
    }
    lose(&rig, 2, true);
    g_assert_cmpint(rig.w.n_events, ==, 1);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    double cwnd = rig.w.cwnd;
    arrive(&rig, 7);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    g_assert_cmpfloat(rig.w.cwnd, >, cwnd);
}

static void the_first_spacing_begins_the_mean(void)
{
    struct rig rig = rig_new(10.0, 10.0);
    arrive_in_order(&rig, 2);
    assert_near(rig.w.spacing_s, 0.01, 1e-12);
    assert_near(rig.w.deviation_s, 0.005, 1e-12);
    rig.spacing_ns = WEIR_MS(18);
    arrive_in_order(&rig, 1);
    assert_near(rig.w.spacing_s, 0.011, 1e-12);
    assert_near(rig.w.deviation_s, 0.00575, 1e-12);
}

static void a_timeout_closes_the_window_for_rto(void)
{
    struct rig rig = rig_new(10.0, 10.0);
    rig.path.grows = false;
    arrive_in_order(&rig, 10);
    rig.path.sent_until = 15;
    lose(&rig, 10, false);
    g_assert_cmpint(rig.w.n_timeouts, ==, 1);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_SLOW_START);
    assert_near(rig.w.cwnd, 1.0, 1e-12);
    assert_near(rig.w.ssthresh, 5.0, 1e-12);
    assert_near(rig.w.closed[0], 100.0, 1e-9);
    assert_near(rate(&rig), 100.0, 1e-9);
    lose(&rig, 14, true);
    g_assert_cmpint(rig.w.n_events + rig.w.n_timeouts, ==, 1);
    arrive(&rig, 15);
    assert_near(weir__tear_window_open_rate(&rig.w), 1.0 / 0.4, 1e-9);
}

/* In slow start after a timeout; ssthresh is two at least. */
static void a_timeout_of_a_small_window(void)
{
    struct rig rig = rig_new(1.0, INFINITY);
    weir__tear_window_on_timeout(&rig.w, &rig.path);
    assert_near(rig.w.ssthresh, 2.0, 1e-12);
    assert_near(rig.w.cwnd, 1.0, 1e-12);
    assert_near(rig.w.closed[0], 10.0, 1e-9);
}

/* One packet every 0.5 s is no rate of one packet per R; above one packet per round R counts,
 * however slowly they come. */
static void a_round_of_one_packet_takes_its_time(void)
{
    struct rig rig = rig_new(1.0, INFINITY);
    rig.path.grows = false;
    rig.spacing_ns = WEIR_MS(500);
    arrive_in_order(&rig, 1);
    assert_near(rate(&rig), 10.0, 1e-9);
    arrive_in_order(&rig, 3);
    assert_near(rate(&rig), 4.0 / 1.6, 1e-9);
    weir__tear_window_new_clock(&rig.w);
    arrive_in_order(&rig, 1);
    assert_near(rate(&rig), 5.0 / 1.7, 1e-9);
    struct rig two = rig_new(2.0, INFINITY);
    two.path.grows = false;
    two.spacing_ns = WEIR_MS(500);
    arrive_in_order(&two, 8);
    assert_near(rate(&two), 20.0, 1e-9);
}

/* Every n-th packet lost: the window is that of a TCP, whose mean is sqrt(1.5 n). Windows counted
 * at the end of a round, and the round of the loss counted as a whole, are less than one packet
 * more; the window that stands still for a round makes it less. */
static void periodic_loss_gives_the_window_of_a_tcp(void)
{
    for (int64_t n = 100; n <= 10000; n *= 10) {
        struct rig rig = rig_new(10.0, 10.0);
        for (int64_t seq = 0; seq < 30 * n; seq++) {
            if (seq % n == n - 1) {
                lose(&rig, seq, true);
            } else {
                arrive(&rig, seq);
            }
        }
        g_test_message("n %d: %.2f packets per R", (int)n, rate(&rig) * R_S);
        assert_near(rate(&rig) * R_S, sqrt(1.5 * (double)n), 1.0);
    }
}

/* The rounds of a report, one by one. */
static void naive_rounds(struct weir__tear_window *w, int rounds, int n_events)
{
    for (int round = 1; round <= rounds; round++) {
        w->cwnd += 1.0;
        w->epoch_windows += w->cwnd;
        w->epoch_s += R_S;
        if (n_events > 0 && round % (rounds / n_events) == 0) {
            for (size_t i = 7; i > 0; i--) {
                w->closed[i] = w->closed[i - 1];
            }
            w->closed[0] = w->epoch_windows / w->epoch_s;
            w->n_closed = w->n_closed < 8 ? w->n_closed + 1 : 8;
            w->epoch_windows = 0.0;
            w->epoch_s = 0.0;
            w->cwnd /= 2.0;
        }
    }
}

static void rounds_of_a_report_are_those_one_by_one(void)
{
    struct rig rig = rig_new(20.0, 20.0);
    rig.path.most_cwnd = 1000.0;
    weir__tear_window_on_rounds(&rig.w, &rig.path, 1.0, 0);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    struct weir__tear_window naive = rig.w;
    static const int events[] = {0, 1, 0, 2, 6, 3, 0, 12, 0};
    for (size_t i = 0; i < G_N_ELEMENTS(events); i++) {
        rig.path.most_cwnd = 0.0;
        weir__tear_window_on_rounds(&rig.w, &rig.path, 12.0, events[i]);
        naive_rounds(&naive, 12, events[i]);
        assert_near(rig.w.cwnd, fmax(naive.cwnd, 1.0), 1e-9);
        assert_near(rate(&rig), weir__tear_window_rate(&naive, R_S), 1e-9);
    }
}

static void slow_start_in_reports_has_a_ceiling(void)
{
    struct rig rig = rig_new(4.0, 1000.0);
    rig.path.most_cwnd = 1e6;
    weir__tear_window_on_rounds(&rig.w, &rig.path, 1.0, 0);
    assert_near(rig.w.cwnd, 8.0, 1e-9);
    assert_near(rate(&rig), 80.0, 1e-9);
    rig.path.most_cwnd = 30.0;
    weir__tear_window_on_rounds(&rig.w, &rig.path, 50.0, 0);
    assert_near(rig.w.cwnd, 30.0, 1e-9);
    assert_near(rate(&rig), 300.0, 1e-9);
    rig.path.most_cwnd = 10.0;
    weir__tear_window_on_rounds(&rig.w, &rig.path, 50.0, 0);
    assert_near(rig.w.cwnd, 30.0, 1e-9);
    rig.path.grows = false;
    rig.path.most_cwnd = 1e6;
    weir__tear_window_on_rounds(&rig.w, &rig.path, 50.0, 0);
    assert_near(rig.w.cwnd, 30.0, 1e-9);
    rig.path.grows = true;
    rig.path.most_cwnd = 1e6;
    weir__tear_window_on_rounds(&rig.w, &rig.path, 1e6, 0);
    assert_near(rig.w.cwnd, 1000.0, 1e-9);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
}

/* A billion events in a report take no longer, and end where a thousand do. */
static void any_number_of_events_is_bounded_work(void)
{
    struct rig few = rig_new(1e6, 1e6);
    struct rig many = few;
    few.path.most_cwnd = 0.0;
    weir__tear_window_on_rounds(&few.w, &few.path, 5e3, 1000);
    many.path.most_cwnd = 0.0;
    weir__tear_window_on_rounds(&many.w, &many.path, 5e9, 1000000000);
    assert_near(many.w.cwnd, few.w.cwnd, 1e-9);
    assert_near(rate(&many), rate(&few), 1e-9);
    assert_near(many.w.cwnd, 5.0, 1e-9);
}

/* A report ends what feedback on packets had begun. */
static void a_report_ends_a_gap(void)
{
    struct rig rig = rig_new(10.0, 10.0);
    arrive(&rig, 0);
    arrive(&rig, 2);
    rig.path.most_cwnd = 100.0;
    weir__tear_window_on_rounds(&rig.w, &rig.path, 5.0, 0);
    g_assert_cmpint(rig.w.state, ==, WEIR__TEAR_AVOIDANCE);
    g_assert_cmpint(rig.w.deadline_ns, ==, WEIR_NEVER_NS);
}

static void forgotten_epochs_leave_the_window(void)
{
    struct rig rig = rig_new(8.0, 8.0);
    arrive_in_order(&rig, 100);
    weir__tear_window_on_timeout(&rig.w, &rig.path);
    weir__tear_window_forget_epochs(&rig.w);
    assert_near(rate(&rig), 10.0, 1e-9);
    g_assert_cmpuint(rig.w.n_closed, ==, 0);
}

/* Whatever comes, in any order: the window stays in bounds and the rate is a mean of epochs. */
static void any_sequence_stays_in_bounds(void)
{
    for (guint32 seed = 1; seed <= 300; seed++) {
        GRand *random = g_rand_new_with_seed(seed);
        struct rig rig = rig_new(1.0, INFINITY);
        weir__tear_window_init(&rig.w, (size_t)g_rand_int_range(random, 1, 33), 1.0, INFINITY, 0);
        for (int step = 0; step < 2000; step++) {
            int pick = g_rand_int_range(random, 0, 100);
            rig.seq += pick < 90 ? 1 : g_rand_int_range(random, -20, 20);
            rig.seq = weir_max_i64(rig.seq, 0);
            rig.path.grows = pick % 7 != 0;
            if (pick < 93) {
                arrive(&rig, rig.seq);
            } else if (pick < 97) {
                lose(&rig, rig.seq, pick != 93);
            } else {
                rig.path.now_ns += WEIR_MS(g_rand_int_range(random, 0, 2000));
                weir__tear_window_on_time(&rig.w, &rig.path);
            }
            g_assert_cmpfloat(rig.w.cwnd, >=, 1.0);
            g_assert_cmpfloat(rig.w.cwnd, <=, 2003.0);
            g_assert_cmpfloat(rate(&rig), >, 0.0);
            g_assert_cmpfloat(rate(&rig), <=, 2003.0 / R_S);
            g_assert_true((rig.w.deadline_ns < WEIR_NEVER_NS) ==
                          (rig.w.state > WEIR__TEAR_AVOIDANCE));
        }
        g_rand_free(random);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/tear_window/" #name, name)
    ADD(means_are_those_of_the_report);
    ADD(weights_are_those_of_the_report);
    ADD(any_number_of_samples_makes_a_mean);
    ADD(slow_start_doubles_per_round_up_to_ssthresh);
    ADD(avoidance_adds_one_packet_per_round);
    ADD(slow_start_goes_no_further_than_it_may);
    ADD(before_the_first_round_the_window_is_the_rate);
    ADD(a_source_that_holds_back_stops_growth);
    ADD(reordering_is_no_loss);
    ADD(an_unexplained_gap_is_given_up);
    ADD(losses_of_a_window_are_one_event);
    ADD(losses_of_what_was_under_way_are_one_event);
    ADD(an_event_ends_when_its_window_should_have_come);
    ADD(the_event_of_a_small_window_ends_at_once);
    ADD(the_first_spacing_begins_the_mean);
    ADD(a_timeout_closes_the_window_for_rto);
    ADD(a_timeout_of_a_small_window);
    ADD(a_round_of_one_packet_takes_its_time);
    ADD(periodic_loss_gives_the_window_of_a_tcp);
    ADD(rounds_of_a_report_are_those_one_by_one);
    ADD(slow_start_in_reports_has_a_ceiling);
    ADD(any_number_of_events_is_bounded_work);
    ADD(a_report_ends_a_gap);
    ADD(forgotten_epochs_leave_the_window);
    ADD(any_sequence_stays_in_bounds);
    return g_test_run();
}
