/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Virtual reports: what packets become, what real reports become, and when they are overdue. */
#include "../../test.h"
#include "estimators/virtual_report.h"

static struct weir__virtual_report v;
static struct weir__report_summary sum;

/* n packets of 1000 bytes from `from_ms` on, gap_ms apart. */
static void send(int n, int from_ms, int gap_ms, bool network_limited)
{
    for (int i = 0; i < n; i++) {
        weir__virtual_report_on_sent(&v, WEIR_MS(from_ms + i * gap_ms), 1000, network_limited);
    }
}

static bool feedback(int at_ms, int received, int rtt_ms)
{
    for (int i = 0; i < received; i++) {
        weir__virtual_report_on_received(&v);
    }
    int64_t rtt_ns = rtt_ms > 0 ? WEIR_MS(rtt_ms) : WEIR_UNKNOWN_NS;
    return weir__virtual_report_on_feedback(&v, WEIR_MS(at_ms), rtt_ns, received > 0, 1000.0, &sum);
}

static bool report(int at_ms, int interval_ms, int expected, int lost)
{
    struct weir__report_summary rr = {.now_ns = WEIR_MS(at_ms),
                                      .interval_ns = WEIR_MS(interval_ms),
                                      .rtt_ns = WEIR_MS(100),
                                      .expected_packets = expected,
                                      .lost_packets = lost,
                                      .sent_bytes = expected * 1000,
                                      .packet_bytes = 1000,
                                      .network_limited = true};
    return weir__virtual_report_on_report(&v, &rr, &sum);
}

static void one_report_per_interval(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 20);
    send(50, 0, 20, true);
    g_assert_false(feedback(500, 20, 80));
    weir__virtual_report_on_lost(&v, WEIR_MS(200));
    weir__virtual_report_on_lost(&v, WEIR_MS(220));
    weir__virtual_report_on_lost(&v, WEIR_MS(900));
    g_assert_false(feedback(999, 20, 120));
    g_assert_true(feedback(1000, 2, 0));
    g_assert_cmpint(sum.now_ns, ==, WEIR_SECONDS(1));
    g_assert_cmpint(sum.interval_ns, ==, WEIR_SECONDS(1));
    g_assert_cmpint(sum.rtt_ns, ==, WEIR_MS(100));
    g_assert_cmpint(sum.expected_packets, ==, 45);
    g_assert_cmpint(sum.lost_packets, ==, 3);
    g_assert_cmpint(sum.loss_events, ==, 2);
    g_assert_cmpint(sum.sent_bytes, ==, 50000);
    g_assert_cmpint(sum.packet_bytes, ==, 1000);
    g_assert_true(sum.network_limited);
    g_assert_false(feedback(1050, 5, 100));
}

/* Feedback on packets that left before the algorithm began belongs to no interval. */
static void feedback_before_the_first_packet_begins_an_interval(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    g_assert_false(feedback(5000, 30, 100));
    send(50, 5000, 20, true);
    g_assert_true(feedback(6000, 50, 100));
    g_assert_cmpint(sum.interval_ns, ==, WEIR_SECONDS(1));
    g_assert_cmpint(sum.expected_packets, ==, 50);
}

static void a_late_packet_takes_its_loss_back(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    send(10, 0, 10, true);
    weir__virtual_report_on_lost(&v, 0);
    weir__virtual_report_on_late(&v);
    weir__virtual_report_on_late(&v); /* of an interval that is over */
    g_assert_true(feedback(1000, 9, 100));
    g_assert_cmpint(sum.expected_packets, ==, 10);
    g_assert_cmpint(sum.lost_packets, ==, 0);
    g_assert_cmpint(sum.loss_events, ==, 0);
}

/* RFC 3550 6.4.1: the loss of an interval is what the cumulative counter gained, whatever came
 * first. */
static void a_late_packet_counts_in_its_interval_in_any_order(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    send(10, 0, 10, true);
    weir__virtual_report_on_late(&v);
    weir__virtual_report_on_lost(&v, 0);
    weir__virtual_report_on_lost(&v, WEIR_MS(700));
    g_assert_true(feedback(1000, 8, 100));
    g_assert_cmpint(sum.expected_packets, ==, 10);
    g_assert_cmpint(sum.lost_packets, ==, 1);
    g_assert_cmpint(sum.loss_events, ==, 1);
    weir__virtual_report_on_late(&v);
    g_assert_true(feedback(2000, 1, 100));
    g_assert_cmpint(sum.lost_packets, ==, 0);
}

static void few_packets_wait_for_the_next_interval(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 20);
    send(30, 0, 100, true);
    g_assert_false(feedback(1100, 11, 100));
    g_assert_false(feedback(1900, 8, 100));
    g_assert_true(feedback(2000, 1, 100));
    g_assert_cmpint(sum.expected_packets, ==, 20);
    g_assert_cmpint(sum.interval_ns, ==, WEIR_SECONDS(2));
    for (int s = 3; s < 6; s++) {
        send(1, s * 1000, 0, true);
        g_assert_false(feedback(s * 1000, 1, 100));
    }
    g_assert_true(feedback(6000, 1, 100));
    g_assert_cmpint(sum.expected_packets, ==, 4);
    g_assert_cmpint(sum.interval_ns, ==, WEIR_SECONDS(4));
}

static void few_packets_wait_for_the_next_report(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 20);
    g_assert_false(report(5000, 5000, 0, 0));
    g_assert_false(report(10000, 5000, 19, 3));
    g_assert_true(report(15000, 5000, 1, 1));
    g_assert_cmpint(sum.expected_packets, ==, 20);
    g_assert_cmpint(sum.lost_packets, ==, 4);
    g_assert_cmpint(sum.sent_bytes, ==, 20000);
    g_assert_cmpint(sum.interval_ns, ==, WEIR_SECONDS(10));
    g_assert_cmpint(sum.rtt_ns, ==, WEIR_MS(100));
    g_assert_true(report(20000, 5000, 500, 0));
    g_assert_cmpint(sum.expected_packets, ==, 500);
    g_assert_cmpint(sum.interval_ns, ==, WEIR_SECONDS(5));
}

/* Ten reports a second make one; after 0.7 s the next one would be further from a second. */
static void frequent_reports_are_collected(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 20);
    for (int k = 1; k < 10; k++) {
        g_assert_false(report(k * 100, 100, 10, k % 2));
    }
    g_assert_true(report(1000, 100, 10, 0));
    g_assert_cmpint(sum.expected_packets, ==, 100);
    g_assert_cmpint(sum.lost_packets, ==, 5);
    g_assert_cmpint(sum.sent_bytes, ==, 100000);
    g_assert_cmpint(sum.interval_ns, ==, WEIR_SECONDS(1));
    g_assert_false(report(1600, 600, 60, 0));
    g_assert_true(report(2200, 600, 60, 0));
    g_assert_true(report(2900, 700, 70, 0));
    g_assert_cmpint(sum.expected_packets, ==, 70);
}

/* 500 packets, 10 lost, 1 s, R 0.1 s: 10 (1 - 0.98^50) = 6.4 events. */
static void loss_events_of_a_report_are_those_of_independent_losses(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 20);
    g_assert_true(report(1000, 1000, 500, 10));
    g_assert_cmpint(sum.loss_events, ==, 6);
    g_assert_cmpint(sum.lost_packets, ==, 10);
}

static void most_bytes_say_what_limits_the_flow(void)
{
    for (int limited = 0; limited <= 10; limited++) {
        weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
        send(limited, 0, 10, true);
        send(10 - limited, 10 * limited, 10, false);
        g_assert_true(feedback(1000, 10, 100));
        g_assert_cmpint(sum.network_limited, ==, limited > 5);
    }
}

static void a_pause_belongs_to_no_interval(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    send(10, 0, 10, true);
    g_assert_true(feedback(1000, 10, 100));
    send(10, 60000, 10, true);
    g_assert_false(feedback(60200, 5, 100));
    g_assert_true(feedback(61000, 5, 100));
    g_assert_cmpint(sum.interval_ns, ==, WEIR_SECONDS(1));
}

static void losses_alone_end_no_interval(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    send(300, 0, 10, true);
    for (int i = 0; i < 100; i++) {
        weir__virtual_report_on_lost(&v, WEIR_MS(i * 10));
        g_assert_false(feedback(3000 + i, 0, 0));
    }
    g_assert_true(feedback(4000, 100, 100));
    g_assert_cmpint(sum.lost_packets, ==, 100);
    g_assert_cmpint(sum.expected_packets, ==, 200);
}

static void the_mean_interval_begins_with_the_first(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    g_assert_cmpint((int64_t)v.mean_ns, ==, WEIR_SECONDS(1));
    report(5000, 5000, 100, 0);
    g_assert_cmpint((int64_t)v.mean_ns, ==, WEIR_SECONDS(5));
    report(8000, 3000, 100, 0);
    g_assert_cmpint((int64_t)v.mean_ns, ==, WEIR_MS(4750));
}

/* Three mean intervals, 5 s before the first report; a silent sender waits for nothing. */
static void reports_become_overdue_while_something_is_sent(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    g_assert_cmpint(v.overdue_ns, ==, WEIR_NEVER_NS);
    send(10, 0, 10, true);
    g_assert_cmpint(v.overdue_ns, ==, WEIR_SECONDS(5));
    g_assert_true(feedback(1000, 10, 100));
    g_assert_cmpint(v.overdue_ns, ==, WEIR_SECONDS(4));
    send(10, 1000, 10, true);
    g_assert_false(weir__virtual_report_expire(&v, WEIR_MS(3999)));
    g_assert_true(weir__virtual_report_expire(&v, WEIR_MS(4000)));
    g_assert_cmpint(v.overdue_ns, ==, WEIR_SECONDS(7));
    g_assert_false(weir__virtual_report_expire(&v, WEIR_MS(7000)));
    g_assert_cmpint(v.overdue_ns, ==, WEIR_NEVER_NS);
    g_assert_true(v.is_overdue);
    g_assert_true(feedback(7500, 1, 100));
    g_assert_false(v.is_overdue);
}

/* 4 R when that is longer; a report that all was lost is no sign of life. */
static void long_round_trips_and_dead_reports(void)
{
    weir__virtual_report_init(&v, WEIR_MS(100), 1);
    send(10, 0, 10, true);
    g_assert_true(feedback(1000, 10, 2000));
    g_assert_cmpint(v.overdue_ns, ==, WEIR_SECONDS(9));
    report(2000, 1000, 10, 10);
    g_assert_cmpint(v.overdue_ns, ==, WEIR_SECONDS(9));
}

/* Packet feedback, then reports alone, then packets again: nothing is counted twice. */
static void kinds_of_feedback_do_not_mix(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    send(100, 0, 10, true);
    g_assert_false(feedback(500, 50, 100));
    g_assert_true(report(6000, 5000, 70, 7));
    g_assert_cmpint(sum.expected_packets, ==, 70);
    g_assert_cmpint(sum.sent_bytes, ==, 70000);
    g_assert_cmpint((int64_t)v.mean_ns, ==, WEIR_SECONDS(5));
    send(10, 6000, 10, true);
    g_assert_false(feedback(6900, 5, 100));
    g_assert_true(feedback(7000, 5, 100));
    g_assert_cmpint(sum.expected_packets, ==, 10);
    g_assert_cmpint((int64_t)v.mean_ns, ==, WEIR_SECONDS(1));
}

static void a_new_path_forgets(void)
{
    weir__virtual_report_init(&v, WEIR_SECONDS(1), 1);
    send(10, 0, 10, true);
    weir__virtual_report_on_lost(&v, 0);
    g_assert_false(feedback(900, 5, 100));
    weir__virtual_report_forget(&v);
    g_assert_true(feedback(1100, 5, 0));
    g_assert_cmpint(sum.expected_packets, ==, 5);
    g_assert_cmpint(sum.lost_packets, ==, 0);
    g_assert_cmpint(sum.rtt_ns, ==, WEIR_UNKNOWN_NS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/virtual_report/" #name, name)
    ADD(one_report_per_interval);
    ADD(feedback_before_the_first_packet_begins_an_interval);
    ADD(a_late_packet_takes_its_loss_back);
    ADD(a_late_packet_counts_in_its_interval_in_any_order);
    ADD(few_packets_wait_for_the_next_interval);
    ADD(few_packets_wait_for_the_next_report);
    ADD(frequent_reports_are_collected);
    ADD(loss_events_of_a_report_are_those_of_independent_losses);
    ADD(most_bytes_say_what_limits_the_flow);
    ADD(a_pause_belongs_to_no_interval);
    ADD(losses_alone_end_no_interval);
    ADD(the_mean_interval_begins_with_the_first);
    ADD(reports_become_overdue_while_something_is_sent);
    ADD(long_round_trips_and_dead_reports);
    ADD(kinds_of_feedback_do_not_mix);
    ADD(a_new_path_forgets);
    return g_test_run();
}
