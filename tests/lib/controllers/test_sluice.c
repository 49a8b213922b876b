/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sluice on a small path: what its page promises of one flow. */
#include <math.h>

#include "../../controller_flow.h"
#include "vectors/assert_known_answers.h"

static void known_answers_are_given(void)
{
    assert_known_answers("sluice");
}

/* The mean of what was delivered in the last span. */
static double delivered_bps(struct flow *f, int64_t until_ns)
{
    int64_t from_ns = f->now_ns;
    int64_t before = f->delivered_bytes;
    flow_run_until(f, until_ns);
    return 8e9 * (double)(f->delivered_bytes - before) / (double)(until_ns - from_ns);
}

/* From 200 kbit/s to 8 Mbit/s, with seconds of buffer. */
static void alone_it_uses_the_link_with_a_short_queue(void)
{
    for (int64_t kbps = 200; kbps <= 8000; kbps *= 2) {
        struct flow *f = flow_new("sluice", NULL, 0);
        f->capacity_bps = WEIR_KBPS(kbps);
        f->queue_bytes = kbps * 250; /* 2 s */
        flow_run_until(f, WEIR_SECONDS(20));
        double share = delivered_bps(f, WEIR_SECONDS(40)) / (double)f->capacity_bps;
        double queue_ns = flow_variable(f, "predicted_queue_ns");
        g_test_message("%d kbit/s: %.3f, %.1f ms", (int)kbps, share, queue_ns / 1e6);
        g_assert_cmpfloat(share, >, 0.93);
        g_assert_cmpfloat(queue_ns, <, 120e6);
        flow_free(f);
    }
}

static void random_loss_does_not_lower_it(void)
{
    struct flow *f = flow_new("sluice", NULL, 0);
    f->capacity_bps = WEIR_MBPS(2);
    f->lose_every = 50;
    flow_run_until(f, WEIR_SECONDS(10));
    g_assert_cmpfloat(delivered_bps(f, WEIR_SECONDS(30)), >, 0.9 * 2e6 * 0.98);
    flow_free(f);
}

static void a_fall_and_a_rise_of_capacity_are_followed(void)
{
    struct flow *f = flow_new("sluice", NULL, 0);
    f->capacity_bps = WEIR_KBPS(2500);
    f->queue_bytes = 62500;
    flow_run_until(f, WEIR_SECONDS(10));
    f->capacity_bps = WEIR_KBPS(1000);
    flow_run_until(f, WEIR_SECONDS(12));
    g_assert_cmpfloat(flow_variable(f, "predicted_queue_ns"), <, 60e6);
    flow_run_until(f, WEIR_SECONDS(20));
    f->capacity_bps = WEIR_KBPS(2500);
    flow_run_until(f, WEIR_SECONDS(23));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(2250));
    flow_free(f);
}

/* A second at a tenth of the capacity makes a queue of seconds. When that is empty the mean round
 * trip tells of it still: it does not slow the growth. */
static void after_a_long_queue_it_finds_its_rate_again(void)
{
    struct flow *f = flow_new("sluice", NULL, 0);
    f->capacity_bps = WEIR_MBPS(4);
    f->queue_bytes = 2000000;
    flow_run_until(f, WEIR_SECONDS(10));
    f->capacity_bps = WEIR_KBPS(400);
    flow_run_until(f, WEIR_SECONDS(11));
    f->capacity_bps = WEIR_MBPS(4);
    flow_run_until(f, WEIR_MS(14600));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_MBPS(2));
    flow_free(f);
}

/* The rate of before is remembered, and serves at once. */
static void a_silent_source_finds_its_rate_again(void)
{
    struct flow *f = flow_new("sluice", NULL, 0);
    f->capacity_bps = WEIR_MBPS(2);
    flow_run_until(f, WEIR_SECONDS(10));
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(45));
    f->silent = false;
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(1600));
    int64_t dropped = f->n_dropped;
    g_assert_cmpfloat(delivered_bps(f, WEIR_SECONDS(47)), >, 1.5e6);
    g_assert_cmpint(f->n_dropped, ==, dropped);
    flow_free(f);
}

/* When the link stops, so does feedback: what waits in its queue then is no more than a window. */
static void a_link_that_stops_is_not_filled(void)
{
    struct flow *f = flow_new("sluice", NULL, 0);
    f->capacity_bps = WEIR_MBPS(2);
    flow_run_until(f, WEIR_SECONDS(10));
    struct weir_control control;
    weir__driver_get_output(&f->driver, &control);
    g_assert_cmpint(control.window_bytes, >, WEIR_MBPS(2) / 8 * 200 / 1000);
    g_assert_cmpint(control.window_bytes, <, WEIR_MBPS(2) / 8 * 500 / 1000);
    flow_free(f);
}

/* In the 100 ms of the rate window and the round trip an answer takes, the excess of the pacer over
 * the rate makes no longer a queue than the target. */
static void the_pacer_exceeds_the_rate_by_what_the_queue_has_room_for(void)
{
    struct flow *f = flow_new("sluice", NULL, 0);
    f->capacity_bps = WEIR_MBPS(2);
    int n_above = 0;
    for (int64_t ms = 100; ms <= 20000; ms += 10) {
        flow_run_until(f, WEIR_MS(ms));
        struct weir_control control;
        weir__driver_get_output(&f->driver, &control);
        double room_ns =
            flow_variable(f, "target_queue_ns") - flow_variable(f, "predicted_queue_ns");
        double excess = (double)(control.pacing_bps - control.rate_bps) / (double)control.rate_bps;
        g_assert_cmpint(control.pacing_bps, >=, control.rate_bps);
        g_assert_cmpfloat(excess, <=, fmax(room_ns, 0.0) / 100e6 + 1e-5);
        n_above += excess > 0.01;
    }
    g_assert_cmpint(n_above, >, 100);
    flow_free(f);
}

static void from_reports_alone_it_uses_most_of_the_link(void)
{
    struct flow *f = flow_new("sluice", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    f->queue_bytes = 25000;
    f->reports = true;
    f->feedback_ns = WEIR_SECONDS(1);
    for (int second = 30; second <= 90; second += 10) {
        flow_run_until(f, WEIR_SECONDS(second));
        g_test_message("%d s: %d bit/s", second, (int)flow_rate_bps(f));
        g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(700));
        g_assert_cmpint(flow_rate_bps(f), <, WEIR_KBPS(1300));
    }
    flow_free(f);
}

/* The mean of what a packet that is sent every ms would wait. */
static double mean_queue_ns(struct flow *f, int64_t span_ns)
{
    double sum_ns = 0.0;
    int64_t from_ns = f->now_ns;
    for (; f->now_ns < from_ns + span_ns; flow_step(f)) {
        sum_ns += (double)weir_max_i64(f->free_ns - f->now_ns, 0);
    }
    return sum_ns * 1e6 / (double)span_ns;
}

/* A step of 1 ms behind a packet, as in DualPI2: RFC 9331 4.3. */
static void a_queue_of_l4s_is_kept_shorter_still(void)
{
    for (int64_t mbps = 2; mbps <= 8; mbps *= 2) {
        struct flow *f = flow_new("sluice", NULL, 0);
        f->capacity_bps = WEIR_MBPS(mbps);
        f->queue_bytes = mbps * 250000;
        f->ect = WEIR_ECN_ECT1;
        f->mark_ns = WEIR_MS(1) + weir_send_time_ns(f->packet_bytes, f->capacity_bps);
        flow_run_until(f, WEIR_SECONDS(20));
        double queue_ns = mean_queue_ns(f, WEIR_SECONDS(20));
        double share = delivered_bps(f, WEIR_SECONDS(60)) / (double)f->capacity_bps;
        g_test_message("%d Mbit/s: %.3f, %.1f ms", (int)mbps, share, queue_ns / 1e6);
        g_assert_cmpfloat(share, >, 0.9);
        g_assert_cmpfloat(queue_ns, <, 10e6);
        flow_free(f);
    }
}

/* Each 20th packet is marked, where nothing queues: a classic mark is a loss (RFC 3168), with L4S
 * the window is 2 (1 - p) / p packets of 1500 bytes, as a TCP's, whatever the size of ours (RFC
 * 7141). NOT_ECT is marked by nobody. */
static void marks_lower_it_where_nothing_queues(void)
{
    static const struct {
        enum weir_ecn ect;
        int64_t packet_bytes;
    } rows[] = {{WEIR_ECN_NOT_ECT, 1200},
                {WEIR_ECN_ECT0, 1200},
                {WEIR_ECN_ECT1, 1200},
                {WEIR_ECN_ECT1, 500}};
    double bps[G_N_ELEMENTS(rows)];
    double rtt_ns = 0.0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct flow *f = flow_new("sluice", NULL, 0);
        f->ect = rows[i].ect;
        f->packet_bytes = rows[i].packet_bytes;
        f->mark_every = 20;
        flow_run_until(f, WEIR_SECONDS(20));
        bps[i] = delivered_bps(f, WEIR_SECONDS(60));
        g_test_message("codepoint %d: %.0f bit/s", (int)rows[i].ect, bps[i]);
        rtt_ns = 2.0 * (double)f->delay_ns;
        flow_free(f);
    }
    double law_bps = 2.0 * 19.0 * 8e9 * 1500.0 / rtt_ns;
    g_assert_cmpfloat(bps[1], <, bps[0] / 2.0);
    g_assert_cmpfloat(fabs(bps[2] / law_bps - 1.0), <, 0.05);
    g_assert_cmpfloat(fabs(bps[3] / law_bps - 1.0), <, 0.05);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/sluice/" #name, name)
    ADD(known_answers_are_given);
    ADD(alone_it_uses_the_link_with_a_short_queue);
    ADD(random_loss_does_not_lower_it);
    ADD(a_fall_and_a_rise_of_capacity_are_followed);
    ADD(after_a_long_queue_it_finds_its_rate_again);
    ADD(a_silent_source_finds_its_rate_again);
    ADD(a_link_that_stops_is_not_filled);
    ADD(the_pacer_exceeds_the_rate_by_what_the_queue_has_room_for);
    ADD(from_reports_alone_it_uses_most_of_the_link);
    ADD(a_queue_of_l4s_is_kept_shorter_still);
    ADD(marks_lower_it_where_nothing_queues);
    return g_test_run();
}
