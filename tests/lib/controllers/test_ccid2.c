/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CCID 2: whole packets, and what becomes of a window that is not used. The duties it shares with
 * the other window schemes are tested with the engine. */
#include "vectors/assert_known_answers.h"
#include "window_rig.h"

static void known_answers_are_given(void)
{
    assert_known_answers("ccid2");
}

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

/* A flow of `packets` per round whose RTO is 500 ms. */
static struct window *begin(struct rig *rig, const char *validation, double packets)
{
    struct weir_param_value params[] = {{.name = "initial", .value_text = "paper"},
                                        {.name = "clocking", .value_text = "ack"},
                                        {.name = "initial-window", .value = packets},
                                        {.name = "min-rto", .value = 500.0},
                                        {.name = "validation", .value_text = validation}};
    rig_init(rig, "ccid2", params, 5);
    rig_round(rig, (int64_t)packets, 0);
    return rig_window(rig);
}

/* From 10 on to 15; at 10 with ssthresh 5 to 11: a packet for the whole window, no fraction. */
static void windows_are_whole_packets(void)
{
    struct rig rig;
    struct window *w = begin(&rig, "none", 10.0);
    assert_near(w->cwnd, 15.0, 1e-9);
    w->cwnd = 10.0;
    w->ssthresh = 5.0;
    rig_send(&rig, 10);
    rig.now_ns += rig.rtt_ns;
    rig_ack(&rig, 9);
    assert_near(w->cwnd, 10.0, 1e-9);
    rig_ack(&rig, 1);
    assert_near(w->cwnd, 11.0, 1e-9);
    rig_round(&rig, 11, 1);
    assert_near(w->cwnd, 5.0, 1e-9);
}

/* Rounded down at each halving: less than TCP's at small windows. */
static void share_is_tcps_or_less(void)
{
    static const double cases[][3] = {{100.0, 0.87, 0.98}, {10000.0, 0.97, 1.0}};
    for (size_t i = 0; i < 2; i++) {
        double share = rig_share("ccid2", NULL, 0, (int64_t)cases[i][0], 20000);
        g_test_message("1 in %.0f: %.3f of TCP's window", cases[i][0], share);
        g_assert_cmpfloat(share, >=, cases[i][1]);
        g_assert_cmpfloat(share, <=, cases[i][2]);
    }
}

/* RFC 5681: the initial window is left; application-limited times change nothing. */
static void without_validation_idle_times_restart(void)
{
    struct rig rig;
    struct window *w = begin(&rig, "none", 4.0);
    w->cwnd = 16.0;
    w->ssthresh = 8.0;
    rig.now_ns += WEIR_MS(499) - rig.rtt_ns;
    rig_send(&rig, 1);
    assert_near(w->cwnd, 16.0, 1e-9);
    rig.now_ns += WEIR_MS(1600);
    rig_send(&rig, 1);
    assert_near(w->cwnd, 4.0, 1e-9);
    assert_near(w->ssthresh, 8.0, 1e-9);
}

/* cwnd 16, ssthresh 8, RTO 0.5 s, idle for 1.6 s. */
static void cwv_halves_for_each_rto_of_idle_time(void)
{
    struct rig rig;
    struct window *w = begin(&rig, "cwv", 4.0);
    w->cwnd = 16.0;
    w->ssthresh = 8.0;
    rig.now_ns += WEIR_MS(1600) - rig.rtt_ns;
    rig_send(&rig, 1);
    assert_near(w->cwnd, 2.0, 1e-9);
    assert_near(w->ssthresh, 12.0, 1e-9);
    rig.now_ns += WEIR_SECONDS(86400);
    rig_send(&rig, 1);
    assert_near(w->cwnd, 1.0, 1e-9);
}

/* cwnd 16, of which 4 were used for an RTO: 10, and ssthresh 12. */
static void cwv_goes_halfway_to_what_is_used(void)
{
    struct rig rig;
    struct window *w = begin(&rig, "cwv", 4.0);
    rig_send(&rig, 1);
    w->cwnd = 16.0;
    w->ssthresh = 8.0;
    rig.data_limited = true;
    rig.now_ns += rig.rtt_ns;
    rig_ack(&rig, 1);
    for (int i = 0; i < 4; i++) {
        rig_round(&rig, 4, 0);
        assert_near(w->cwnd, 16.0, 1e-9);
    }
    rig_send(&rig, 1);
    assert_near(w->cwnd, (16.0 + 4.0) / 2.0, 1e-9);
    assert_near(w->ssthresh, 12.0, 1e-9);
}

/* cwnd 15 leaves 7, ssthresh 11; 15 of which 4 were used leave 9. */
static void cwv_leaves_whole_packets(void)
{
    struct rig rig;
    struct window *w = begin(&rig, "cwv", 4.0);
    w->cwnd = 15.0;
    w->ssthresh = 8.0;
    rig.now_ns += WEIR_MS(600) - rig.rtt_ns;
    rig_send(&rig, 4);
    assert_near(w->cwnd, 7.0, 1e-9);
    assert_near(w->ssthresh, 11.0, 1e-9);
    w->cwnd = 15.0;
    rig.data_limited = true;
    rig.now_ns += rig.rtt_ns;
    rig_ack(&rig, 4);
    for (int i = 0; i < 5; i++) {
        rig_round(&rig, 4, 0);
    }
    assert_near(w->cwnd, 9.0, 1e-9);
    assert_near(w->ssthresh, 11.0, 1e-9);
}

/* A full window is never cut. */
static void cwv_leaves_a_used_window(void)
{
    struct rig rig;
    struct window *w = begin(&rig, "cwv", 4.0);
    double cwnd = w->cwnd;
    for (int i = 0; i < 100; i++) {
        rig_round(&rig, (int64_t)w->cwnd, 0);
        g_assert_cmpfloat(w->cwnd, >=, cwnd);
        cwnd = w->cwnd;
    }
}

/* A flow that used 32 packets per round uses 4. */
static struct window *begin_unvalidated(struct rig *rig)
{
    struct window *w = begin(rig, "newcwv", 4.0);
    w->cwnd = 32.0;
    w->ssthresh = 8.0;
    for (int i = 0; i < 30; i++) {
        rig_round(rig, 4, 0);
    }
    return w;
}

/* RFC 7661: kept for five minutes without growth, then halved for each five minutes more. */
static void newcwv_keeps_an_unused_window_for_five_minutes(void)
{
    struct rig rig;
    struct window *w = begin_unvalidated(&rig);
    double cwnd = w->cwnd;
    assert_near(variable(&rig, "unvalidated"), 1.0, 1e-9);
    assert_near(variable(&rig, "pipeack_packets"), 4.0, 0.5);
    g_assert_cmpfloat(cwnd, >=, 32.0);
    int64_t started_ns = rig.now_ns;
    while (rig.now_ns < started_ns + WEIR_SECONDS(290)) {
        rig_round(&rig, 4, 0);
        assert_near(w->cwnd, cwnd, 1e-9);
    }
    while (rig.now_ns < started_ns + WEIR_SECONDS(310)) {
        rig_round(&rig, 4, 0);
    }
    assert_near(w->cwnd, floor(cwnd / 2.0), 1e-9);
    assert_near(w->ssthresh, 0.75 * cwnd, 1e-9);
}

/* Idle for a minute, then the whole window at once. */
static void newcwv_outlives_idle_times_and_is_validated_by_use(void)
{
    struct rig rig;
    struct window *w = begin_unvalidated(&rig);
    double cwnd = w->cwnd;
    rig.now_ns += WEIR_SECONDS(60);
    rig_round(&rig, 32, 0);
    assert_near(w->cwnd, cwnd, 1e-9);
    for (int i = 0; i < 30; i++) {
        rig_round(&rig, (int64_t)w->cwnd, 0);
    }
    assert_near(variable(&rig, "unvalidated"), 0.0, 1e-9);
    g_assert_cmpfloat(w->cwnd, >, cwnd);
}

/* A loss while 4 of 32 are used goes by the 4: to 2, and by what was lost: (4 - 1)/2. */
static void newcwv_answers_a_loss_by_what_was_used(void)
{
    struct rig rig;
    struct window *w = begin_unvalidated(&rig);
    rig_send(&rig, 4);
    rig.now_ns += rig.rtt_ns;
    rig_hear(&rig, WEIR_PACKET_LOST, false);
    assert_near(w->cwnd, 2.0, 1e-9);
    rig_ack(&rig, 3);
    rig_round(&rig, 1, 0);
    assert_near(w->cwnd, 1.0, 0.5);
    assert_near(w->ssthresh, 2.0, 1e-9);
}

/* Reports alone: AIMD(1, 1/2) with its fractions. */
static void reports_make_it_aimd(void)
{
    struct rig rig;
    struct window *w = begin(&rig, "none", 10.0);
    w->cwnd = 10.0;
    w->ssthresh = 5.0;
    struct weir_report report = {.now_ns = rig.now_ns + WEIR_SECONDS(1),
                                 .rtt_ns = WEIR_MS(400),
                                 .interval_ns = WEIR_SECONDS(1),
                                 .expected_packets = 100,
                                 .packet_bytes = 1000,
                                 .sent_bytes = 100000,
                                 .network_limited = true};
    weir__driver_on_report(&rig.driver, &report);
    double rounds = 1e9 / (double)weir__window_rtt_ns(w);
    assert_near(w->cwnd, fmin(10.0 + rounds, 15.0), 1e-6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/ccid2/" #name, name)
    ADD(known_answers_are_given);
    ADD(windows_are_whole_packets);
    ADD(share_is_tcps_or_less);
    ADD(without_validation_idle_times_restart);
    ADD(cwv_halves_for_each_rto_of_idle_time);
    ADD(cwv_goes_halfway_to_what_is_used);
    ADD(cwv_leaves_whole_packets);
    ADD(cwv_leaves_a_used_window);
    ADD(newcwv_keeps_an_unused_window_for_five_minutes);
    ADD(newcwv_outlives_idle_times_and_is_validated_by_use);
    ADD(newcwv_answers_a_loss_by_what_was_used);
    ADD(reports_make_it_aimd);
    return g_test_run();
}
