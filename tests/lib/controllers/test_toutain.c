/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* toutain: its known answers, and what the threshold is for: a queue that does not fill. */
#include "../../controller_flow.h"
#include "vectors/assert_known_answers.h"

static void known_answers_are_given(void)
{
    assert_known_answers("toutain");
}

/* 30 minutes of changing round-trip times: the threshold lies between those of the last minute, of
 * which the first ten seconds may be forgotten already. */
static void the_threshold_is_within_the_window(void)
{
    struct flow *f = flow_new("toutain", NULL, 0);
    GRand *rand = g_rand_new_with_seed(5);
    double rtts_ms[1800];
    for (int s = 0; s < 1800; s++) {
        double least = 1e9, least_50 = 1e9, greatest = 0.0;
        rtts_ms[s] = g_rand_double_range(rand, 50.0, 60.0 + s % 400);
        struct weir_report rr = {.now_ns = WEIR_SECONDS(s + 1),
                                 .rtt_ns = (int64_t)(rtts_ms[s] * 1e6),
                                 .interval_ns = WEIR_SECONDS(1),
                                 .expected_packets = 50,
                                 .packet_bytes = 1000,
                                 .sent_bytes = 50000,
                                 .network_limited = true};
        weir__driver_on_report(&f->driver, &rr);
        for (int k = s < 59 ? 0 : s - 59; k <= s; k++) {
            least = MIN(least, rtts_ms[k]);
            least_50 = k > s - 50 ? MIN(least_50, rtts_ms[k]) : least_50;
            greatest = MAX(greatest, rtts_ms[k]);
        }
        double threshold_ms = flow_variable(f, "rtt_threshold_ns") / 1e6;
        g_assert_cmpfloat(threshold_ms, >=, least);
        g_assert_cmpfloat(threshold_ms, <=,
                          MAX(0.5 * (least_50 + greatest), least_50 + 5.0) + 0.001);
    }
    g_rand_free(rand);
    flow_free(f);
}

static void a_link_of_its_own_is_used(void)
{
    for (int reports = 0; reports < 2; reports++) {
        struct flow *f = flow_new("toutain", NULL, 0);
        f->capacity_bps = WEIR_MBPS(1);
        f->reports = reports;
        f->feedback_ns = reports ? WEIR_SECONDS(1) : WEIR_MS(50);
        flow_run_until(f, WEIR_SECONDS(20));
        int64_t sent = f->n_sent, dropped = f->n_dropped;
        flow_run_until(f, WEIR_SECONDS(120));
        double n = (double)(f->n_sent - sent), lost = (double)(f->n_dropped - dropped);
        g_test_message("%s: %.3f used, %.4f lost", reports ? "reports" : "packets",
                       (n - lost) * 8000.0 / 100e6, lost / n);
        g_assert_cmpfloat((n - lost) * 8000.0 / 100e6, >, 0.6);
        g_assert_cmpfloat(lost / n, <, 0.15);
        flow_free(f);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/toutain/" #name, name)
    ADD(known_answers_are_given);
    ADD(the_threshold_is_within_the_window);
    ADD(a_link_of_its_own_is_used);
    return g_test_run();
}
