/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sqrt and iiad: their laws, their known answers, and that they take what TCP takes. The duties
 * they share with the other window schemes are tested with the engine. */
#include "controllers/binomial_law.h"
#include "vectors/assert_known_answers.h"
#include "window_rig.h"

#define ROUNDS 10000 /* 120 losses and more of one packet in 10000 */

static void known_answers_are_given(void)
{
    assert_known_answers("sqrt");
    assert_known_answers("iiad");
}

/* k = 0, l = 1 is AIMD. */
static void tcp_is_a_binomial(void)
{
    for (double w = 1.0; w < 1e6; w *= 3.0) {
        assert_near(weir__binomial_increase(w, 1.0, 0.0, w), w + 1.0, 1e-9 * w);
        assert_near(weir__binomial_decrease(w, 0.5, 1.0), w / 2.0, 1e-9 * w);
    }
}

/* Periodic loss, mean window / sqrt(1.5/p). Slow start ends at TCP's window: from far above it
 * iiad, which takes off a packet at a time, would need ten thousands of rounds. */
static void share_is_tcps(void)
{
    static const struct {
        const char *name;
        int64_t lose_every;
        double share;
    } cases[] = {
        {"sqrt", 100, 0.972}, {"iiad", 100, 0.998}, {"sqrt", 10000, 0.990}, {"iiad", 10000, 0.998}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct weir_param_value ssthresh = {
            .name = "initial-ssthresh", .value = round(sqrt(1.5 * (double)cases[i].lose_every))};
        double share = rig_share(cases[i].name, &ssthresh, 1, cases[i].lose_every, ROUNDS);
        g_test_message("%s, 1 in %d: %.3f of TCP's window, expected %.3f", cases[i].name,
                       (int)cases[i].lose_every, share, cases[i].share);
        assert_near(share, cases[i].share, 0.05 * cases[i].share);
    }
}

static void losses_in_time_give_known_windows(void)
{
    rig_assert_timed_shares("sqrt", (double[]){0.98, 0.92, 0.775});
    rig_assert_timed_shares("iiad", (double[]){1.005, 0.93, 0.765});
}

/* Losses in each round bring the window to one packet and no lower. */
static void window_is_one_packet_at_least(void)
{
    static const char *const names[] = {"sqrt", "iiad"};
    static struct rig rig;
    for (size_t n = 0; n < 2; n++) {
        rig_init(&rig, names[n], NULL, 0);
        rig_round(&rig, 4, 0);
        for (int i = 0; i < 200; i++) {
            rig_round(&rig, (int64_t)rig_window(&rig)->cwnd, 1);
            g_assert_cmpfloat(rig_window(&rig)->cwnd, >=, 1.0);
        }
        assert_near(rig_window(&rig)->cwnd, 1.0, 1e-9);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/binomial/" #name, name)
    ADD(known_answers_are_given);
    ADD(tcp_is_a_binomial);
    ADD(share_is_tcps);
    ADD(losses_in_time_give_known_windows);
    ADD(window_is_one_packet_at_least);
    return g_test_run();
}
