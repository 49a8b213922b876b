/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the profile ns2 does in its own way. */
#include <math.h>

#include "../../controller_flow.h"
#include "controllers/tfrc_rate.h"

static int64_t rto_ticks(const struct tfrc *t)
{
    return (int64_t)lround(weir__tfrc_ns2.rto_per_rtt(t) * t->rtt.mean_s * 1e3 /
                           t->param[PARAM_TIMEOUT_TICK]);
}

/* ns-2 2.35 counts a TCP's timeout in whole ticks, of 0.1 s by default, and what is less than one
 * quarter of its deviation rounds to nothing: t_RTO stays two ticks above a steady RTT of one tick,
 * three above longer ones. */
static void ns2_timeout_stays_ticks_above_a_steady_rtt(void)
{
    static const struct {
        int64_t rtt_ms, tick_ms, first_ticks, steady_ticks;
    } cases[] = {{1, 100, 3, 3},   {50, 100, 3, 3},   {100, 100, 3, 3}, {149, 100, 3, 3},
                 {250, 100, 9, 6}, {500, 100, 15, 8}, {250, 500, 3, 3}, {1000, 500, 6, 5}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct tfrc t = {.rtt = {.has_sample = true, .mean_s = (double)cases[i].rtt_ms * 1e-3},
                         .param = {[PARAM_TIMEOUT_TICK] = (double)cases[i].tick_ms}};
        for (int k = 0; k < 100; k++) {
            weir__tfrc_ns2.on_rtt(&t, WEIR_MS(cases[i].rtt_ms));
            if (k == 0) {
                g_assert_cmpint(rto_ticks(&t), ==, cases[i].first_ticks);
            }
        }
        g_assert_cmpint(rto_ticks(&t), ==, cases[i].steady_ticks);
    }
}

/* ns-2 goes up by at most one packet per R in R (two when feedback was late). */
static void ns2_climbs_by_a_packet_per_round(void)
{
    static const struct weir_param_value ns2[] = {{.name = "profile", .value_text = "ns2"}};
    struct flow *f = flow_new("tfrc", ns2, 1);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(30));
    f->capacity_bps = WEIR_MBPS(4);
    double last = flow_variable(f, "x_bytes_per_s");
    while (f->now_ns < WEIR_SECONDS(60)) {
        flow_step(f);
        double x = flow_variable(f, "x_bytes_per_s");
        double packet_per_rtt = 1000.0 / (flow_variable(f, "rtt_ns") * 1e-9);
        g_assert_cmpfloat(x - last, <=, 2.0 * packet_per_rtt + 1e-6);
        last = x;
    }
    flow_free(f);
}

/* ns-2 heeds twice the receive rate on the way down as well, once it has left slow start; a packet
 * per R is allowed at any rate. */
static void ns2_stays_within_the_receive_limit_when_it_decreases(void)
{
    static const struct {
        double x_bps_before, x, limit, packets_per_rtt; /* allowed; 0 = as the equation says */
    } cases[] = {
        {1.0, 1e9, 30000.0, 3.0}, {1.0, 1e9, 100.0, 1.0},       {1.0, 1e9, 1e9, 0.0},
        {0.0, 1e9, 30000.0, 0.0}, {1.0, 25000.0, 30000.0, 3.0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct tfrc t = {.rules = &weir__tfrc_ns2,
                         .p = 0.01,
                         .x = cases[i].x,
                         .x_bps = cases[i].x_bps_before,
                         .limit = cases[i].limit,
                         .path = {.packet_bytes = 1000.0},
                         .rtt = {.has_sample = true, .mean_s = 0.1}};
        t.param[PARAM_MAX_INTERVAL] = 64.0;
        t.param[PARAM_PACKETS_PER_ACK] = 1.0;
        t.param[PARAM_EQUATION_CAP] = (double)SWITCH_OFF;
        double rate = weir__tfrc_ns2.rate(&t, WEIR_MS(100));
        g_assert_cmpfloat(t.x_bps, >, 40000.0);
        double want = cases[i].packets_per_rtt > 0.0 ? cases[i].packets_per_rtt * 1e4 : t.x_bps;
        g_assert_cmpfloat_with_epsilon(rate, want, 1e-6);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/tfrc_ns2/" #name, name)
    ADD(ns2_timeout_stays_ticks_above_a_steady_rtt);
    ADD(ns2_climbs_by_a_packet_per_round);
    ADD(ns2_stays_within_the_receive_limit_when_it_decreases);
    return g_test_run();
}
