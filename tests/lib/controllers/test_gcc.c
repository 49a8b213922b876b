/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gcc as a session sees it: the known answers, a link of its own, losses, a capacity
 * that falls, silence and return, reports, an idle application, paths. */
#include "../../controller_flow.h"
#include "vectors/assert_known_answers.h"

static void known_answers_are_given(void)
{
    assert_known_answers("gcc");
}

static struct flow *flow_on(int64_t capacity_bps, int64_t queue_bytes)
{
    struct flow *f = flow_new("gcc", NULL, 0);
    f->capacity_bps = capacity_bps;
    f->queue_bytes = queue_bytes;
    return f;
}

/* Share of the capacity that arrives between two times, and the share that is dropped. */
static double used(struct flow *f, int64_t from_ns, int64_t to_ns, double *lost)
{
    flow_run_until(f, from_ns);
    int64_t sent = f->n_sent, dropped = f->n_dropped;
    flow_run_until(f, to_ns);
    double n = (double)(f->n_sent - sent), n_lost = (double)(f->n_dropped - dropped);
    *lost = n_lost / n;
    double seconds = (double)(to_ns - from_ns) * 1e-9;
    return 8.0 * (n - n_lost) * (double)f->packet_bytes / seconds / (double)f->capacity_bps;
}

/* A queue of 400 ms is never full: the gradient tells before. */
static void a_link_of_its_own_is_used_without_loss(void)
{
    static const int64_t capacities_kbps[] = {500, 1000, 2000, 5000};
    for (size_t i = 0; i < G_N_ELEMENTS(capacities_kbps); i++) {
        int64_t capacity_bps = WEIR_KBPS(capacities_kbps[i]);
        struct flow *f = flow_on(capacity_bps, capacity_bps * 400 / 8000);
        double lost;
        double share = used(f, WEIR_SECONDS(60), WEIR_SECONDS(120), &lost);
        g_test_message("%d kbit/s: %.3f used", (int)capacities_kbps[i], share);
        g_assert_cmpfloat(share, >, 0.8);
        g_assert_cmpfloat(lost, ==, 0.0);
        flow_free(f);
    }
}

/* The capacity falls to a fifth: the rate is below it within 2 s. */
static void a_fall_is_followed(void)
{
    struct flow *f = flow_on(WEIR_KBPS(2500), 125000);
    flow_run_until(f, WEIR_SECONDS(40));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(1500));
    f->capacity_bps = WEIR_KBPS(500);
    flow_run_until(f, WEIR_SECONDS(42));
    g_assert_cmpint(flow_rate_bps(f), <, WEIR_KBPS(500));
    flow_free(f);
}

/* On an empty path 5 % lost is taken for the path's own loss. Above that the rate is at most 75
 * kbit/s / (loss - 0.05), and above 15 % the model prefers less. */
static void losses_bound_the_rate_by_their_share(void)
{
    static const struct {
        int64_t every;
        double least_bps, most_bps;
    } rows[] = {
        {50, 1e6, 1e10}, {20, 1e6, 1e10}, {10, 3e4, 1e10}, {7, 3e4, 1e10}, {3, 3e4, 265000.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct flow *f = flow_new("gcc", NULL, 0);
        f->lose_every = rows[i].every;
        flow_run_until(f, WEIR_SECONDS(60));
        g_test_message("1 of %d: %d bit/s", (int)rows[i].every, (int)flow_rate_bps(f));
        g_assert_cmpfloat((double)flow_rate_bps(f), >=, rows[i].least_bps);
        g_assert_cmpfloat((double)flow_rate_bps(f), <=, rows[i].most_bps);
        flow_free(f);
    }
}

/* Losses do not matter where that is asked for. */
static void the_loss_part_may_be_off(void)
{
    struct weir_param_value off = {.name = "loss-part", .value_text = "false"};
    struct flow *f = flow_new("gcc", &off, 1);
    f->lose_every = 3;
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_MBPS(1));
    flow_free(f);
}

/* Without an answer the rate falls each second, and comes back with the first one. */
static void silence_lowers_and_an_answer_restores(void)
{
    struct flow *f = flow_on(WEIR_MBPS(1), 50000);
    flow_run_until(f, WEIR_SECONDS(20));
    int64_t before_bps = flow_rate_bps(f);
    int64_t low_bps = flow_silence_until(f, WEIR_SECONDS(40));
    g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    g_assert_cmpint(low_bps, <, before_bps / 10);
    f->blackout = false;
    flow_run_until(f, WEIR_MS(40500));
    g_assert_false(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    g_assert_cmpint(flow_rate_bps(f), >, before_bps / 2);
    flow_free(f);
}

/* From reports alone: the draft's loss rule, up to the maximum on an empty path. */
static void reports_alone_run_the_loss_rule(void)
{
    struct flow *f = flow_new("gcc", NULL, 0);
    f->reports = true;
    f->feedback_ns = WEIR_SECONDS(1);
    flow_run_until(f, WEIR_SECONDS(11));
    g_assert_true(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
    double expected_bps = 300000.0;
    for (int i = 0; i < 10; i++) { /* the first report, at once, has no packets */
        expected_bps = 1.08 * expected_bps + 1000.0;
    }
    assert_near((double)flow_rate_bps(f) / expected_bps, 1.0, 0.1);
    flow_run_until(f, WEIR_SECONDS(80));
    g_assert_cmpint(flow_rate_bps(f), ==, WEIR_MBPS(10));
    f->lose_every = 4;
    flow_run_until(f, WEIR_SECONDS(90));
    g_assert_cmpint(flow_rate_bps(f), <, WEIR_MBPS(5));
    flow_free(f);
}

/* The form changes with the feedback, and the rate goes on from where it was. */
static void another_form_goes_on_from_the_rate(void)
{
    struct flow *f = flow_on(WEIR_MBPS(1), 50000);
    flow_run_until(f, WEIR_SECONDS(30));
    int64_t before_bps = flow_rate_bps(f);
    f->last_report_ns = f->now_ns;
    f->rr_sent = f->n_sent;
    f->rr_lost = f->n_dropped;
    f->reports = true;
    f->feedback_ns = WEIR_SECONDS(1);
    flow_run_until(f, WEIR_SECONDS(33));
    g_assert_true(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
    g_assert_cmpint(flow_rate_bps(f), >, before_bps * 9 / 10);
    g_assert_cmpint(flow_rate_bps(f), <, before_bps * 3 / 2);
    flow_free(f);
}

/* An idle application: the rate stays within one and a half of what arrives, or where it was. */
static void an_idle_application_proves_nothing(void)
{
    struct flow *f = flow_new("gcc", NULL, 0);
    f->source_bps = WEIR_KBPS(100);
    flow_run_until(f, WEIR_SECONDS(2)); /* ten packets make a rate */
    int64_t early_bps = flow_rate_bps(f);
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(flow_rate_bps(f), ==, early_bps);
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    f->source_bps = WEIR_KBPS(290);
    flow_run_until(f, WEIR_SECONDS(120));
    g_assert_cmpint(flow_rate_bps(f), <=, WEIR_KBPS(290 * 3 / 2 + 20));
    flow_free(f);
}

static void a_new_path_begins_at_the_start_rate(void)
{
    struct flow *f = flow_new("gcc", NULL, 0);
    flow_run_until(f, WEIR_SECONDS(30));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(300));
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, WEIR_KBPS(300));
    g_assert_true(flow_state(f) & WEIR_STATE_STARTING);
    flow_free(f);
}

static int64_t pacing_bps(const struct flow *f)
{
    struct weir_control control;
    weir__driver_get_output(&f->driver, &control);
    return control.pacing_bps;
}

static void send_at(struct flow *f, int64_t seq, int64_t at_ns)
{
    weir__driver_on_sent(&f->driver, &(struct weir_sent_packet){.seq = seq,
                                                                .sent_ns = at_ns,
                                                                .wire_bytes = 1000,
                                                                .in_flight_bytes = 1000,
                                                                .network_limited = true});
}

/* 300 kbit/s: 18 packets of 1000 bytes are half a second of it, whether sent at once or not. */
static void the_pace_is_faster_until_half_a_second_is_ahead(void)
{
    struct flow *f = flow_new("gcc", NULL, 0);
    g_assert_cmpint(pacing_bps(f), ==, 750000);
    for (int64_t seq = 0; seq < 19; seq++) {
        g_assert_cmpint(pacing_bps(f), ==, 750000);
        send_at(f, seq, 0);
    }
    g_assert_cmpint(pacing_bps(f), ==, 0); /* as fast as the rate */
    send_at(f, 19, WEIR_SECONDS(1));
    g_assert_cmpint(pacing_bps(f), ==, 750000);
    flow_free(f);
    struct weir_param_value even = {.name = "pacing-factor", .value = 1.0};
    f = flow_new("gcc", &even, 1);
    g_assert_cmpint(pacing_bps(f), ==, 0);
    flow_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/gcc/" #name, name)
    ADD(known_answers_are_given);
    ADD(a_link_of_its_own_is_used_without_loss);
    ADD(a_fall_is_followed);
    ADD(losses_bound_the_rate_by_their_share);
    ADD(the_loss_part_may_be_off);
    ADD(silence_lowers_and_an_answer_restores);
    ADD(reports_alone_run_the_loss_rule);
    ADD(another_form_goes_on_from_the_rate);
    ADD(an_idle_application_proves_nothing);
    ADD(a_new_path_begins_at_the_start_rate);
    ADD(the_pace_is_faster_until_half_a_second_is_ahead);
    return g_test_run();
}
