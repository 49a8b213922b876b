/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* simd, simdnr and aiad-h: the laws with the numbers of the papers, the share of TCP's window they
 * take, one reaction per window, and windows that are not used. */
#include "controllers/simd_law.h"
#include "vectors/assert_known_answers.h"
#include "window_rig.h"

/* The a that makes the mean window sqrt(1.5/p), as TCP's, for periodic losses: with D = b w_m^l it
 * is 1.5 D^(k+1)/((k+1) (w_m - D/(k+2))). k > -1, 0 < D <= w_m. */
static double history_alpha(double k, double l, double b, double w_m)
{
    double d = b * pow(w_m, l);
    return 1.5 * pow(d, k + 1.0) / ((k + 1.0) * (w_m - d / (k + 2.0)));
}

/* Closed form of the square increase, t RTTs after a decrease to w0. */
static double window_after(double w0, double alpha, double t)
{
    double root = alpha * t / 2.0;
    return w0 + root * root;
}

/* RTTs from keep w_m back to w_m. */
static double epoch_rounds(double keep, double w_m, double alpha)
{
    return 2.0 * sqrt((1.0 - keep) * w_m) / alpha;
}

/* Packets of such an epoch, which are 1/p. */
static double epoch_packets(double keep, double w_m, double alpha)
{
    double b = 1.0 - keep;
    return epoch_rounds(keep, w_m, alpha) * (keep * w_m + b * w_m / 3.0);
}

static const char *const family[] = {"simd", "simdnr", "aiad-h"};

static double variable(const struct rig *rig, const char *name)
{
    struct weir_variable variables[64];
    size_t n = weir__driver_get_variables(&rig->driver, variables, 64);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(variables[i].name, name) == 0) {
            return variables[i].value;
        }
    }
    g_assert_not_reached();
}

static void known_answers_are_given(void)
{
    assert_known_answers("simd");
    assert_known_answers("simdnr");
    assert_known_answers("aiad-h");
}

/* Biyani and Martin, table VII. */
static void alpha_i_is_as_published(void)
{
    static const struct {
        double keep, alpha_i;
    } rows[] = {{0.9375, 0.757758}, {0.8, 1.384615}, {0.7, 1.718466}, {0.6, 2.004128}, {0.5, 2.25}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_near(weir__simd_alpha_i(rows[i].keep), rows[i].alpha_i, 5e-7);
    }
}

/* w_m = 20, b = 1/16. */
static void an_epoch_has_the_numbers_of_its_derivation(void)
{
    double alpha = weir__simd_alpha(0.9375, 20.0);
    assert_near(alpha, 0.174997, 5e-7);
    assert_near(weir__simd_alpha_paper(0.9375, 20.0), 0.123741, 5e-7);
    assert_near(epoch_rounds(0.9375, 20.0, alpha), 12.778, 5e-4);
    assert_near(epoch_packets(0.9375, 20.0, alpha), 244.907, 5e-4);
    assert_near(1.0 / epoch_packets(0.9375, 20.0, alpha), 0.0040832, 5e-8);
    assert_near(window_after(18.75, alpha, epoch_rounds(0.9375, 20.0, alpha)), 20.0, 1e-12);
}

/* The identity behind the derived alpha, for every window and share: the mean window of an epoch is
 * sqrt(1.5/p), and w_m (1 - 2b/3). */
static void the_derived_alpha_is_tcps_window(void)
{
    for (double keep = 0.1; keep < 0.995; keep += 0.01) {
        for (double w_m = 1.0; w_m < 1e6; w_m *= 3.0) {
            double alpha = weir__simd_alpha(keep, w_m);
            double packets = epoch_packets(keep, w_m, alpha);
            double mean = packets / epoch_rounds(keep, w_m, alpha);
            assert_near(mean, sqrt(1.5 * packets), 1e-9 * mean);
            assert_near(mean, w_m * (1.0 - 2.0 * (1.0 - keep) / 3.0), 1e-9 * mean);
        }
    }
}

/* One family: k = -1/2, l = 1 is SIMD, k = l = 0 is AIAD/H, k = 0, l = 1 with b = 1/2 is TCP. */
static void both_are_members_of_the_family(void)
{
    for (double w_m = 1.0; w_m < 1e6; w_m *= 3.0) {
        double simd = weir__simd_alpha(0.9375, w_m);
        assert_near(history_alpha(-0.5, 1.0, 0.0625, w_m), simd, 1e-12 * simd);
        double aiad = weir__aiad_h_alpha(0.25, w_m);
        assert_near(history_alpha(0.0, 0.0, 0.25, w_m), aiad, 1e-12 * aiad);
        assert_near(history_alpha(0.0, 1.0, 0.5, w_m), 1.0, 1e-12);
    }
}

/* What the implementation of the paper adds per acknowledgement is the printed alpha:
 * alpha_i sqrt(w/w0 - 1)/(w sqrt(2)) = alpha sqrt(w - w0)/w. */
static void the_implementation_is_the_printed_formula(void)
{
    for (double keep = 0.5; keep < 1.0; keep += 0.0625) {
        for (double w0 = 1.0; w0 < 1000.0; w0 *= 2.0) {
            for (double w = w0; w < 2.0 * w0; w += 0.1 * w0) {
                double added = weir__simd_alpha_i(keep) * sqrt(w / w0 - 1.0) / (w * sqrt(2.0));
                double printed = weir__simd_alpha_paper(keep, w0 / keep) * sqrt(w - w0) / w;
                assert_near(added, printed, 1e-12);
            }
        }
    }
}

/* Any division of the time gives the closed form, also the one that begins at w0. */
static void steps_of_growth_are_the_closed_form(void)
{
    for (int n = 1; n <= 1000; n *= 10) {
        double w = 18.75;
        for (int i = 0; i < n; i++) {
            w = weir__simd_grow(w, 18.75, 0.175, 12.0 / n);
        }
        assert_near(w, window_after(18.75, 0.175, 12.0), 1e-9);
    }
}

/* Periodic loss, mean window / sqrt(1.5/p): the derived alpha takes TCP's share, the printed one
 * 0.84 of it. Slow start ends at TCP's window. */
static void share_is_tcps(void)
{
    static const struct {
        const char *name;
        size_t alpha_of_paper;
        int64_t lose_every;
        double share, tolerance;
    } cases[] = {{"simd", 0, 100, 1.0, 0.05},   {"simd", 0, 1000, 1.0, 0.02},
                 {"simd", 0, 10000, 1.0, 0.02}, {"simd", 1, 100, 0.84, 0.04},
                 {"simd", 1, 1000, 0.84, 0.02}, {"simd", 1, 10000, 0.84, 0.02},
                 {"aiad-h", 0, 100, 1.0, 0.05}, {"aiad-h", 0, 1000, 1.0, 0.05}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir_param_value params[] = {
            {.name = "initial-ssthresh", .value = round(sqrt(1.5 * (double)cases[i].lose_every))},
            {.name = "alpha", .value_text = "paper"}};
        double share = rig_share(cases[i].name, params, 1 + cases[i].alpha_of_paper,
                                 cases[i].lose_every, 10000);
        g_test_message("%s%s, 1 in %d: %.3f of TCP's window, expected %.2f", cases[i].name,
                       cases[i].alpha_of_paper > 0 ? ", alpha of the paper" : "",
                       (int)cases[i].lose_every, share, cases[i].share);
        assert_near(share, cases[i].share, cases[i].tolerance);
    }
}

static void losses_in_time_give_known_windows(void)
{
    rig_assert_timed_shares("simd", (double[]){1.01, 1.065, 1.155});
    rig_assert_timed_shares("aiad-h", (double[]){1.01, 0.935, 0.765});
}

/* Slow start to the window, and out of it with a loss. */
static void begin_avoidance(struct rig *rig, const char *name, double packets)
{
    struct weir_param_value params[] = {{.name = "initial", .value_text = "paper"},
                                        {.name = "initial-window", .value = 2.0 * packets - 1.0}};
    rig_init(rig, name, params, 2);
    rig_send(rig, (int64_t)(2.0 * packets));
    rig->now_ns += rig->rtt_ns;
    rig_hear(rig, WEIR_PACKET_RECEIVED, false);
    rig_hear(rig, WEIR_PACKET_LOST, false);
    assert_near(rig_window(rig)->cwnd, packets, 1e-9);
    rig_ack(rig, rig->n_sent - rig->n_heard);
    rig_round(rig, (int64_t)packets, 0);
}

/* A loss in each round: 11 of them halve at 15/16 (ln 0.5/ln keep = 10.74). */
static void persistent_loss_halves_in_eleven_rounds(void)
{
    static struct rig rig;
    begin_avoidance(&rig, "simd", 64.0);
    double before = rig_window(&rig)->cwnd;
    int rounds = 0;
    while (rig_window(&rig)->cwnd > before / 2.0) {
        rig_send(&rig, (int64_t)rig_window(&rig)->cwnd);
        rig.now_ns += rig.rtt_ns;
        rig_hear(&rig, WEIR_PACKET_LOST, false);
        rig_ack(&rig, rig.n_sent - rig.n_heard);
        rounds++;
    }
    g_assert_cmpint(rounds, ==, 11);
}

/* AIAD/H from 20 packets: 40 loss events to 10. */
static void aiad_h_hardly_reacts(void)
{
    static struct rig rig;
    begin_avoidance(&rig, "aiad-h", 20.0);
    rig_window(&rig)->cwnd = 20.0;
    for (int i = 0; i < 40; i++) {
        g_assert_cmpfloat(rig_window(&rig)->cwnd, >, 10.0);
        rig_send(&rig, 1);
        rig.now_ns += rig.rtt_ns;
        rig_hear(&rig, WEIR_PACKET_LOST, false);
    }
    assert_near(rig_window(&rig)->cwnd, 10.0, 1e-9);
}

/* Figures 1 to 3: any number of losses in a window, in front or behind, is one reduction and no
 * timeout, and nothing is sent again. */
static void losses_of_a_window_are_one_reaction(void)
{
    static struct rig rig;
    for (int n_lost = 1; n_lost <= 13; n_lost++) {
        for (int first = 0; first + n_lost <= 13; first++) {
            begin_avoidance(&rig, "simdnr", 16.0);
            double before = rig_window(&rig)->cwnd;
            double reductions = variable(&rig, "reductions");
            rig_send(&rig, 16);
            rig.now_ns += rig.rtt_ns;
            rig_ack(&rig, first);
            for (int i = 0; i < n_lost; i++) {
                rig_hear(&rig, WEIR_PACKET_LOST, false);
            }
            double reduced = rig_window(&rig)->cwnd;
            rig_ack(&rig, 16 - first - n_lost);
            g_assert_cmpfloat(variable(&rig, "reductions"), ==, reductions + 1.0);
            g_assert_cmpfloat(variable(&rig, "timeouts"), ==, 0.0);
            g_assert_cmpfloat(variable(&rig, "retransmissions"), ==, 0.0);
            g_assert_cmpfloat(variable(&rig, "flight_packets"), ==, 0.0);
            g_assert_cmpfloat(reduced, >=, before * 0.9375);
            g_assert_cmpfloat(reduced, <=, (before + 1.0) * 0.9375);
            g_assert_cmpfloat(rig_window(&rig)->cwnd, ==, reduced);
        }
    }
}

/* Ever faster, but no faster than slow start, and never beyond twice what is in flight. */
static void growth_is_bounded(void)
{
    static struct rig rig;
    for (size_t n = 0; n < 3; n++) {
        begin_avoidance(&rig, family[n], 4.0);
        for (int i = 0; i < 300; i++) {
            double before = rig_window(&rig)->cwnd;
            rig_round(&rig, (int64_t)fmin(before, 20000.0), 0);
            g_assert_cmpfloat(rig_window(&rig)->cwnd, >=, before);
            g_assert_cmpfloat(rig_window(&rig)->cwnd, <=, 2.0 * before + 1e-9);
            g_assert_cmpfloat(rig_window(&rig)->cwnd, <=, 40000.0 + 1e-9);
        }
    }
}

/* A source that needs 5 packets per RTT of a window of 40: time stands still, however long it
 * lasts, and a loss then goes by what was used. */
static void an_unused_window_does_not_grow(void)
{
    static struct rig rig;
    begin_avoidance(&rig, "simd", 40.0);
    double before = rig_window(&rig)->cwnd;
    rig.data_limited = true;
    for (int i = 0; i < 10000; i++) {
        rig_round(&rig, 5, 0);
    }
    assert_near(rig_window(&rig)->cwnd, before, 1e-9);
    rig_send(&rig, 5);
    rig.now_ns += rig.rtt_ns;
    rig_hear(&rig, WEIR_PACKET_RECEIVED, false);
    rig_hear(&rig, WEIR_PACKET_LOST, false);
    assert_near(rig_window(&rig)->cwnd, 5.0 * 0.9375, 1e-9);
    assert_near(variable(&rig, "alpha"), weir__simd_alpha(0.9375, 5.0), 1e-9);
}

/* w_m is settled by the loss: what the source does later, here idle times that begin a new epoch,
 * leaves alpha alone. */
static void the_gain_belongs_to_the_window_before_the_loss(void)
{
    static struct rig rig;
    for (size_t i = 0; i < 3; i++) {
        rig_init(&rig, family[i], NULL, 0);
        rig_round(&rig, 20, 10);
        double alpha = variable(&rig, "alpha"), w0 = variable(&rig, "w0_packets");
        rig.data_limited = true;
        rig_round(&rig, 2, 0);
        rig.now_ns += WEIR_SECONDS(5);
        rig_send(&rig, 1);
        g_assert_cmpfloat(variable(&rig, "w0_packets"), <, w0);
        assert_near(variable(&rig, "alpha"), alpha, 1e-12);
    }
}

static void windows_of_whole_packets_stay_whole_after_losses(void)
{
    static const struct weir_param_value whole[] = {{.name = "whole-packets", .value = 1.0}};
    static struct rig rig;
    rig_init(&rig, "simd", whole, 1);
    int64_t events = 0;
    for (int i = 0; i < 3000; i++) {
        rig_send(&rig, (int64_t)rig_window(&rig)->cwnd);
        rig.now_ns += rig.rtt_ns;
        while (rig.n_heard < rig.n_sent) {
            rig_hear(&rig, rig.n_heard % 101 == 0 ? WEIR_PACKET_LOST : WEIR_PACKET_RECEIVED, false);
            if (rig_window(&rig)->n_events > events) {
                double w0 = variable(&rig, "w0_packets");
                g_assert_cmpfloat(w0, ==, floor(w0));
                g_assert_cmpfloat(w0, >=, 1.0);
                events = rig_window(&rig)->n_events;
            }
        }
    }
    g_assert_cmpint(events, >, 100);
}

/* At w0, where the rule adds nothing, an acknowledgement adds 1/w as TCP's does; from there on
 * alpha sqrt(w - w0)/w. */
static void the_rule_per_acknowledgement_begins_as_tcp_does(void)
{
    static const struct weir_param_value per_ack[] = {{.name = "growth", .value = 1.0}};
    static struct rig rig;
    rig_init(&rig, "simd", per_ack, 1);
    rig_round(&rig, 20, 10);
    double w0 = variable(&rig, "w0_packets"), alpha = variable(&rig, "alpha"), w = w0;
    g_assert_cmpfloat(rig_window(&rig)->cwnd, ==, w0);
    for (int i = 0; i < 5; i++) {
        int64_t packets = (int64_t)rig_window(&rig)->cwnd;
        rig_round(&rig, packets, 0);
        for (int64_t k = 0; k < packets; k++) {
            w += (w > w0 ? alpha * sqrt(w - w0) : 1.0) / w;
        }
        assert_near(rig_window(&rig)->cwnd, w, 1e-9);
    }
    g_assert_cmpfloat(w, >, w0 + alpha);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/simd/" #name, name)
    ADD(known_answers_are_given);
    ADD(alpha_i_is_as_published);
    ADD(an_epoch_has_the_numbers_of_its_derivation);
    ADD(the_derived_alpha_is_tcps_window);
    ADD(both_are_members_of_the_family);
    ADD(the_implementation_is_the_printed_formula);
    ADD(steps_of_growth_are_the_closed_form);
    ADD(share_is_tcps);
    ADD(losses_in_time_give_known_windows);
    ADD(persistent_loss_halves_in_eleven_rounds);
    ADD(aiad_h_hardly_reacts);
    ADD(losses_of_a_window_are_one_reaction);
    ADD(growth_is_bounded);
    ADD(an_unused_window_does_not_grow);
    ADD(the_gain_belongs_to_the_window_before_the_loss);
    ADD(windows_of_whole_packets_stay_whole_after_losses);
    ADD(the_rule_per_acknowledgement_begins_as_tcp_does);
    return g_test_run();
}
