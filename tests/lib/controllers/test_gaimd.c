/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GAIMD: its laws, its known answers, and that it takes what TCP takes. The duties it shares with
 * the other window schemes are tested with the engine. */
#include "controllers/gaimd_law.h"
#include "vectors/assert_known_answers.h"
#include "window_rig.h"

static void known_answers_are_given(void)
{
    assert_known_answers("gaimd");
}

static void friendly_increases_are_as_published(void)
{
    static const double table[][3] = {{0.5, 1.0, 1.0},
                                      {0.75, 0.428571, 0.583333},
                                      {0.875, 0.2, 0.3125},
                                      {0.9375, 0.0967742, 0.161458}};
    for (size_t i = 0; i < 4; i++) {
        assert_near(weir__gaimd_alpha(table[i][0]), table[i][1], 1e-6);
        assert_near(weir__gaimd_alpha_timeouts(table[i][0]), table[i][2], 1e-6);
    }
}

/* a = 1, B = 1/2: 2/3 and 3/8 of the standard equation. */
static void response_with_tcps_parameters_is_tcps(void)
{
    for (double p = 1e-6; p <= 1.0; p *= 1.7) {
        double f = 0.1 * sqrt(2.0 * p / 3.0) +
                   0.4 * fmin(1.0, 3.0 * sqrt(3.0 * p / 8.0)) * p * (1.0 + 32.0 * p * p);
        double rate = weir__gaimd_rate(1.0, 0.5, 1.0, p, 0.1, 0.4);
        assert_near(rate * f, 1.0, 1e-12);
    }
}

/* The friendly increase follows beta unless it is given. */
static void increase_follows_the_decrease(void)
{
    for (double beta = 0.05; beta < 0.9; beta += 0.05) {
        struct weir_param_value params[] = {{.name = "initial", .value_text = "paper"},
                                            {.name = "gaimd-beta", .value = beta},
                                            {.name = "initial-window", .value = 20.0}};
        static struct rig rig;
        rig_init(&rig, "gaimd", params, 3);
        rig_round(&rig, 20, 20); /* the last of them: slow start has ended */
        double before = rig_window(&rig)->cwnd;
        rig_send(&rig, (int64_t)before);
        rig.now_ns += rig.rtt_ns;
        rig_ack(&rig, 1);
        double grown = rig_window(&rig)->cwnd - before;
        assert_near(grown * before, weir__gaimd_alpha(1.0 - beta), 1e-9);
        rig_ack(&rig, (int64_t)before - 1);
        before = rig_window(&rig)->cwnd;
        rig_round(&rig, 1, 1);
        assert_near(rig_window(&rig)->cwnd, (1.0 - beta) * before, 1e-9);
    }
}

/* Periodic loss, mean window / sqrt(1.5/p). */
static void share_is_tcps(void)
{
    static const struct weir_param_value high[] = {{.name = "gaimd-alpha", .value = 0.3125}};
    static const struct weir_param_value tcp[] = {{.name = "gaimd-beta", .value = 0.5}};
    static const struct {
        const struct weir_param_value *params;
        size_t n_params;
        int64_t lose_every;
        double share;
    } cases[] = {{NULL, 0, 100, 0.996}, {high, 1, 100, 1.243},   {tcp, 1, 100, 0.980},
                 {NULL, 0, 10000, 1.0}, {high, 1, 10000, 1.249}, {tcp, 1, 10000, 0.998}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double share =
            rig_share("gaimd", cases[i].params, cases[i].n_params, cases[i].lose_every, 10000);
        g_test_message("1 in %d: %.3f of TCP's window, expected %.3f", (int)cases[i].lose_every,
                       share, cases[i].share);
        assert_near(share, cases[i].share, 0.05 * cases[i].share);
    }
}

/* Losses in time, whatever the rate: shares of TCP's window, and the mean that is known exactly. */
static void losses_in_time_give_known_windows(void)
{
    rig_assert_timed_shares("gaimd", (double[]){1.01, 0.945, 0.81});
    for (int i = 0; i < 3; i++) {
        double cv = 0.5 * i;
        double exact = 0.2 * 20.0 * ((1.0 + cv * cv) / 2.0 + 7.0);
        assert_near(rig_timed_mean("gaimd", NULL, 0, cv), exact, 0.03 * exact);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/gaimd/" #name, name)
    ADD(known_answers_are_given);
    ADD(friendly_increases_are_as_published);
    ADD(response_with_tcps_parameters_is_tcps);
    ADD(increase_follows_the_decrease);
    ADD(share_is_tcps);
    ADD(losses_in_time_give_known_windows);
    return g_test_run();
}
