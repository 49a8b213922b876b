/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the path says after packets, feedback and reports. */
#include "../../test.h"
#include "control/path.h"

#define GAP_NS WEIR_MS(10)

/* A flow of packets each 10 ms on a path of 30 ms each way, feedback each 50 ms. */
struct flow {
    struct weir__path_meter path;
    int64_t n_sent;
    int64_t n_told;
    int64_t queue_ns;
    int64_t clock_ns; /* of the receiver, against ours */
    bool is_idle;     /* the source sends less than it may */
    int64_t
        mark_each; /* so many packets one is marked, the others are ECT(1); 0: not ECN-capable */
};

static struct flow flow_new(void)
{
    struct flow flow = {0};
    weir__path_meter_init(&flow.path, 1000);
    return flow;
}

static enum weir_ecn codepoint(const struct flow *flow)
{
    if (flow->mark_each == 0) {
        return WEIR_ECN_NOT_ECT;
    }
    return flow->n_told % flow->mark_each == 0 ? WEIR_ECN_CE : WEIR_ECN_ECT1;
}

static void tell(struct flow *flow, int64_t now_ns)
{
    struct weir_packet_report packets[64];
    size_t n = 0;
    while (flow->n_told * GAP_NS + WEIR_MS(60) + flow->queue_ns <= now_ns &&
           flow->n_told < flow->n_sent && n < 64) {
        int64_t sent_ns = flow->n_told * GAP_NS;
        packets[n++] = (struct weir_packet_report){.seq = flow->n_told++,
                                                   .sent_ns = sent_ns,
                                                   .arrived_ns = sent_ns + WEIR_MS(30) +
                                                                 flow->queue_ns + flow->clock_ns,
                                                   .wire_bytes = 1250,
                                                   .ecn = codepoint(flow)};
    }
    if (n > 0) {
        struct weir_feedback feedback = {.now_ns = now_ns,
                                         .rtt_ns = WEIR_MS(60) + flow->queue_ns,
                                         .in_flight_bytes = 1250 * (flow->n_sent - flow->n_told),
                                         .packets = packets,
                                         .n_packets = n};
        weir__path_meter_on_feedback(&flow->path, &feedback);
        weir__path_meter_restart_wait(&flow->path, now_ns,
                                      weir__path_meter_silence_timeout_ns(&flow->path));
    }
}

static void run(struct flow *flow, int64_t until_ns)
{
    while (flow->n_sent * GAP_NS < until_ns) {
        int64_t now_ns = flow->n_sent * GAP_NS;
        struct weir_sent_packet sent = {.seq = flow->n_sent++,
                                        .sent_ns = now_ns,
                                        .wire_bytes = 1250,
                                        .in_flight_bytes = 1250,
                                        .network_limited = !flow->is_idle};
        weir__path_meter_on_sent(&flow->path, &sent);
        weir__path_meter_begin_wait(&flow->path, weir__path_meter_silence_timeout_ns(&flow->path));
        if (flow->n_sent % 5 == 0) {
            tell(flow, now_ns);
        }
    }
}

static void nothing_is_known_at_first(void)
{
    struct flow flow = flow_new();
    const struct weir_path *path = &flow.path.now;
    g_assert_false(path->rtt.has_sample);
    g_assert_cmpfloat(path->packet_bytes, ==, 1000.0);
    g_assert_cmpint(path->queue_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(path->base_delay_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpfloat(path->delivered_bps, ==, 0.0);
    g_assert_cmpint(path->feedback_interval_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(path->silent_at_ns, ==, WEIR_NEVER_NS);
}

/* For clocks with any offset. */
static void a_steady_flow_shows_its_path(void)
{
    static const int64_t clocks_ns[] = {0, WEIR_SECONDS(100000), -WEIR_SECONDS(100000)};
    for (size_t i = 0; i < G_N_ELEMENTS(clocks_ns); i++) {
        struct flow flow = flow_new();
        flow.clock_ns = clocks_ns[i];
        run(&flow, WEIR_SECONDS(5));
        const struct weir_path *path = &flow.path.now;
        assert_near(weir__rtt_srtt_ns(&path->rtt), WEIR_MS(60), 10);
        assert_near(path->packet_bytes, 1250.0, 1e-6);
        g_assert_cmpint(path->queue_ns, ==, 0);
        g_assert_cmpint(path->least_queue_ns, ==, 0);
        assert_near(path->delivered_bps, 1e6, 1.0);
        assert_near(path->sent_bps, 1e6, 1.0);
        g_assert_cmpint(path->feedback_interval_ns, ==, WEIR_MS(50));
        g_assert_false(path->app_limited);
        g_assert_false(path->reports_only);
        flow.queue_ns = WEIR_MS(25);
        run(&flow, WEIR_SECONDS(6));
        g_assert_cmpint(path->queue_ns, ==, WEIR_MS(25));
        g_assert_cmpint(path->least_queue_ns, ==, WEIR_MS(25));
    }
}

/* Packets of 10 ms each: 20 ms may be a delay that nobody minds and their own service. Whoever
 * sends less than allowed has not made the queue. */
static void a_queue_that_has_begun_shows_before_the_window_is_full_of_it(void)
{
    static const int64_t queues_ms[] = {15, 25, 100};
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(queues_ms); i++) {
        struct flow flow = flow_new();
        flow.is_idle = i % 2 != 0;
        run(&flow, WEIR_SECONDS(5));
        tell(&flow, WEIR_SECONDS(5) + WEIR_MS(50)); /* all that was sent so far */
        flow.queue_ns = WEIR_MS(queues_ms[i / 2]);
        run(&flow, WEIR_SECONDS(5) + WEIR_MS(60));
        tell(&flow, WEIR_SECONDS(5) + WEIR_MS(110) + flow.queue_ns);
        const struct weir_path *path = &flow.path.now;
        bool shows = flow.queue_ns > WEIR_MS(20) && !flow.is_idle;
        g_assert_cmpint(path->queue_ns, ==, flow.queue_ns);
        g_assert_cmpint(path->least_queue_ns, ==, shows ? flow.queue_ns : 0);
        g_assert_cmpfloat(path->delivered_bps, <, 1e6 + 1.0);
    }
}

/* A packet each 30 ms, then one each millisecond through a link that takes 10 ms for each. */
static void the_rate_since_a_queue_began_is_the_link_s(void)
{
    struct weir__path_meter path;
    struct weir_packet_report packets[18] = {0};
    weir__path_meter_init(&path, 1250);
    for (int64_t i = 0; i < 18; i++) {
        int64_t burst = weir_max_i64(i - 10, 0);
        packets[i] = (struct weir_packet_report){
            .seq = i, .sent_ns = WEIR_MS(30 * (i - burst) + burst), .wire_bytes = 1250};
        packets[i].arrived_ns = packets[i].sent_ns + WEIR_MS(30 + 9 * burst);
        const struct weir_sent_packet sent = {
            .seq = i, .sent_ns = packets[i].sent_ns, .wire_bytes = 1250, .network_limited = true};
        weir__path_meter_on_sent(&path, &sent);
    }
    struct weir_feedback feedback = {
        .now_ns = WEIR_MS(450), .rtt_ns = WEIR_MS(150), .packets = packets, .n_packets = 18};
    weir__path_meter_on_feedback(&path, &feedback);
    assert_near(path.now.delivered_bps, 1e6, 1e-3);
    g_assert_cmpint(path.now.rate_span_ns, ==, WEIR_MS(50));
    g_assert_cmpint(path.now.least_queue_ns, ==, WEIR_MS(27)); /* of the third behind */
}

/* A clock that steps while nothing queues makes no queue, and none that stays. */
static void a_clock_that_steps_is_no_queue(void)
{
    static const int64_t steps_ns[] = {WEIR_MS(100), WEIR_SECONDS(20), -WEIR_MS(100),
                                       -WEIR_SECONDS(20), WEIR_SECONDS(4000)};
    for (size_t i = 0; i < G_N_ELEMENTS(steps_ns); i++) {
        struct flow flow = flow_new();
        run(&flow, WEIR_SECONDS(5));
        flow.clock_ns += steps_ns[i];
        run(&flow, WEIR_SECONDS(6));
        g_assert_cmpint(flow.path.now.queue_ns, <=, WEIR_MS(5));
    }
}

/* 4 RTT, half a second at least, after the first packet that is not answered. */
static void silence_is_declared_once_per_wait(void)
{
    struct flow flow = flow_new();
    run(&flow, WEIR_SECONDS(5));
    int64_t due_ns = flow.path.now.silent_at_ns;
    g_assert_cmpint(due_ns, >=, WEIR_SECONDS(5) + WEIR_MS(400));
    g_assert_cmpint(due_ns, <=, WEIR_SECONDS(5) + WEIR_MS(500));
    g_assert_false(weir__path_meter_is_silent(&flow.path, due_ns - 1));
    g_assert_true(weir__path_meter_is_silent(&flow.path, due_ns));
    g_assert_false(weir__path_meter_is_silent(&flow.path, due_ns + WEIR_SECONDS(10)));
    g_assert_cmpint(flow.path.now.silent_at_ns, ==, WEIR_NEVER_NS);
    g_assert_true(flow.path.now.is_silent);
    run(&flow, WEIR_SECONDS(6));
    g_assert_false(flow.path.now.is_silent);
}

/* Losses that the session found by timeout are told, but nobody was heard. */
static void losses_alone_are_no_sign_of_life(void)
{
    struct flow flow = flow_new();
    run(&flow, WEIR_SECONDS(5));
    int64_t due_ns = flow.path.now.silent_at_ns;
    struct weir_packet_report lost = {.seq = flow.n_told,
                                      .sent_ns = flow.n_told * GAP_NS,
                                      .arrived_ns = WEIR_UNKNOWN_NS,
                                      .wire_bytes = 1250,
                                      .status = WEIR_PACKET_LOST};
    weir__path_meter_on_feedback(&flow.path, &(struct weir_feedback){.now_ns = WEIR_SECONDS(5),
                                                                     .rtt_ns = WEIR_UNKNOWN_NS,
                                                                     .packets = &lost,
                                                                     .n_packets = 1});
    weir__path_meter_restart_wait(&flow.path, WEIR_SECONDS(5), WEIR_SECONDS(9));
    g_assert_false(flow.path.now.is_alive);
    g_assert_cmpint(flow.path.now.silent_at_ns, ==, due_ns);
}

/* Feedback each 50 ms; then a bunch after 300 ms, and the wait is twice that at least. */
static void the_longest_pause_of_feedback_is_known(void)
{
    struct flow flow = flow_new();
    run(&flow, WEIR_SECONDS(5));
    g_assert_cmpint(flow.path.now.feedback_pause_ns, ==, WEIR_MS(50));
    tell(&flow, WEIR_SECONDS(5) + WEIR_MS(290));
    g_assert_cmpint(flow.path.now.feedback_pause_ns, ==, WEIR_MS(300));
    weir__path_meter_begin_wait(&flow.path, WEIR_MS(100));
    g_assert_cmpint(flow.path.now.silent_at_ns, ==, flow.path.last_sent_ns + WEIR_MS(600));
}

/* A source that had nothing more to send in a whole round trip was its own limit. */
static void a_source_that_sends_less_than_it_may_is_data_limited(void)
{
    struct flow flow = flow_new();
    run(&flow, WEIR_SECONDS(5));
    g_assert_false(flow.path.now.data_limited);
    flow.is_idle = true;
    run(&flow, WEIR_SECONDS(5) + WEIR_MS(100));
    g_assert_false(flow.path.now.data_limited);
    run(&flow, WEIR_SECONDS(5) + WEIR_MS(300));
    g_assert_true(flow.path.now.data_limited);
    flow.is_idle = false;
    run(&flow, WEIR_SECONDS(5) + WEIR_MS(500));
    g_assert_false(flow.path.now.data_limited);
}

/* Receiver reports alone: rates from loss and interval, the queue from round trips. */
static void reports_fill_the_same_fields(void)
{
    struct flow flow = flow_new();
    for (int i = 1; i <= 3; i++) {
        struct weir_report report = {.now_ns = WEIR_SECONDS(i),
                                     .rtt_ns = i < 3 ? WEIR_MS(60) : WEIR_MS(90),
                                     .interval_ns = WEIR_SECONDS(1),
                                     .expected_packets = 100,
                                     .lost_packets = 20,
                                     .packet_bytes = 1250,
                                     .sent_bytes = 125000,
                                     .network_limited = true};
        weir__path_meter_on_report(&flow.path, &report);
    }
    const struct weir_path *path = &flow.path.now;
    g_assert_true(path->reports_only);
    assert_near(path->sent_bps, 1e6, 1.0);
    assert_near(path->delivered_bps, 0.8e6, 1.0);
    g_assert_cmpint(path->queue_ns, ==, WEIR_MS(30));
    g_assert_cmpint(path->silent_at_ns, >=, WEIR_SECONDS(6));
}

/* A link of 1 Mbit/s, which serves a packet of 1250 bytes in 10 ms, and its receiver, which reports
 * each 100 ms; the way back takes 30 ms. */
struct link {
    int64_t delay_ns; /* there */
    int64_t left_ns[2000], arrived_ns[2000];
    int n, told;
    int64_t sent_bytes;
};

static void send_over(struct link *link, int64_t now_ns)
{
    int64_t free_ns = link->n > 0 ? link->arrived_ns[link->n - 1] - link->delay_ns : 0;
    link->left_ns[link->n] = now_ns;
    link->arrived_ns[link->n++] = weir_max_i64(now_ns, free_ns) + WEIR_MS(10) + link->delay_ns;
    link->sent_bytes += 1250;
}

/* All reports have the round trip of one sender report long ago. */
static void report_of(struct link *link, struct flow *flow, int64_t now_ns)
{
    int next = link->told;
    while (next < link->n && link->arrived_ns[next] <= now_ns - WEIR_MS(30)) {
        next++;
    }
    struct weir_report report = {
        .now_ns = now_ns,
        .rtt_ns = WEIR_MS(70),
        .interval_ns = WEIR_MS(100),
        .expected_packets = next - link->told,
        .packet_bytes = 1250,
        .sent_bytes = link->sent_bytes,
        .newest_age_ns = now_ns - link->left_ns[next - 1],
        .missing_age_ns = next < link->n ? now_ns - link->left_ns[next] : 0,
    };
    weir__path_meter_on_report(&flow->path, &report);
    link->told = next;
    link->sent_bytes = 0;
}

/* A packet each gap_ms. */
static void run_link(struct link *link, struct flow *flow, int64_t from_ms, int64_t to_ms,
                     int64_t gap_ms)
{
    for (int64_t ms = from_ms; ms < to_ms; ms++) {
        if (ms % gap_ms == 0) {
            send_over(link, WEIR_MS(ms));
        }
        if (ms >= 100 && ms % 100 == 0) {
            report_of(link, flow, WEIR_MS(ms));
        }
    }
}

static void a_queue_shows_in_reports_that_repeat_a_round_trip(void)
{
    struct flow flow = flow_new();
    struct link link = {.delay_ns = WEIR_MS(30)};
    for (int64_t ms = 0; ms < 4000; ms += 100) {
        run_link(&link, &flow, ms, ms + 100, ms < 2000 ? 12 : 8);
        if (ms < 100) {
            continue;
        }
        int newest = link.told - 1;
        int64_t passed_ns = link.arrived_ns[newest] - link.left_ns[newest];
        int64_t queue_ns = weir_max_i64(passed_ns - WEIR_MS(40), 0);
        g_assert_cmpint(llabs(flow.path.now.queue_ns - queue_ns), <=, WEIR_MS(12));
        g_assert_cmpint(flow.path.now.newest_sent_ns, ==, link.left_ns[newest]);
    }
    g_assert_cmpint(flow.path.now.queue_ns, >, WEIR_MS(300));
}

/* 1.25 Mbit/s make a queue of half a second, which the link serves while half of its rate is sent:
 * a report tells of packets of before. */
static void reports_tell_the_rates_of_the_packets_they_tell_of(void)
{
    struct flow flow = flow_new();
    struct link link = {.delay_ns = WEIR_MS(30)};
    run_link(&link, &flow, 0, 2001, 8);
    const struct weir_path *path = &flow.path.now;
    assert_near(path->delivered_bps, 1e6, 1e3);
    assert_near(path->sent_bps, 1.25e6, 1e3);
    run_link(&link, &flow, 2001, 2301, 20);
    assert_near(path->delivered_bps, 1e6, 1e3);
    assert_near(path->sent_bps, 1.25e6, 1e3);
    run_link(&link, &flow, 2301, 2801, 20);
    assert_near(path->delivered_bps, 1e6, 1e3);
    assert_near(path->sent_bps, 0.5e6, 1e3);
    run_link(&link, &flow, 2801, 4001, 20);
    assert_near(path->delivered_bps, 0.5e6, 1e3);
    g_assert_cmpint(path->n_reroutes, ==, 0);
}

/* The newest packet told of bounds its delay from above and the one after it from below. */
static void a_longer_path_shows_in_reports(void)
{
    struct flow flow = flow_new();
    struct link link = {.delay_ns = WEIR_MS(30)};
    run_link(&link, &flow, 0, 2000, 12);
    link.delay_ns = WEIR_MS(130);
    run_link(&link, &flow, 2000, 3000, 12);
    g_assert_cmpint(flow.path.now.n_reroutes, ==, 0);
    g_assert_cmpint(flow.path.now.queue_ns, >, WEIR_MS(80));
    run_link(&link, &flow, 3000, 5000, 30);
    g_assert_cmpint(flow.path.now.n_reroutes, ==, 1);
    g_assert_cmpint(flow.path.now.queue_ns, ==, 0);
    assert_near(flow.path.now.rerouted_bps, 8.0 * 1250 / 0.012, 5e4);
}

/* A packet takes 10 ms of this link, so an L4S queue marks what waits for 33 ms. */
static void what_marks_few_of_those_that_wait_is_no_l4s_queue(void)
{
    struct flow flow = flow_new();
    run(&flow, WEIR_SECONDS(1));
    g_assert_false(flow.path.now.marks_are_l4s);
    flow.mark_each = 10;
    run(&flow, WEIR_SECONDS(3));
    g_assert_true(flow.path.now.marks_are_l4s);
    g_assert_cmpint(flow.path.now.least_wait_ns, ==, 0);
    flow.queue_ns = WEIR_MS(30);
    run(&flow, WEIR_SECONDS(5));
    g_assert_true(flow.path.now.marks_are_l4s);
    g_assert_cmpint(flow.path.now.least_wait_ns, ==, WEIR_MS(30));
    flow.queue_ns = WEIR_MS(36);
    run(&flow, WEIR_SECONDS(7));
    g_assert_false(flow.path.now.marks_are_l4s);
    flow.mark_each = 1;
    run(&flow, WEIR_SECONDS(9));
    g_assert_true(flow.path.now.marks_are_l4s);
    weir__path_meter_on_change(&flow.path);
    g_assert_false(flow.path.now.marks_are_l4s);
}

static void a_new_path_is_unknown_but_for_the_packets(void)
{
    struct flow flow = flow_new();
    run(&flow, WEIR_SECONDS(5));
    weir__path_meter_on_change(&flow.path);
    g_assert_false(flow.path.now.rtt.has_sample);
    g_assert_cmpint(flow.path.now.queue_ns, ==, WEIR_UNKNOWN_NS);
    assert_near(flow.path.now.packet_bytes, 1250.0, 1e-6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/path/" #name, name)
    ADD(nothing_is_known_at_first);
    ADD(a_steady_flow_shows_its_path);
    ADD(a_queue_that_has_begun_shows_before_the_window_is_full_of_it);
    ADD(the_rate_since_a_queue_began_is_the_link_s);
    ADD(a_clock_that_steps_is_no_queue);
    ADD(silence_is_declared_once_per_wait);
    ADD(losses_alone_are_no_sign_of_life);
    ADD(the_longest_pause_of_feedback_is_known);
    ADD(a_source_that_sends_less_than_it_may_is_data_limited);
    ADD(reports_fill_the_same_fields);
    ADD(a_queue_shows_in_reports_that_repeat_a_round_trip);
    ADD(reports_tell_the_rates_of_the_packets_they_tell_of);
    ADD(a_longer_path_shows_in_reports);
    ADD(what_marks_few_of_those_that_wait_is_no_l4s_queue);
    ADD(a_new_path_is_unknown_but_for_the_packets);
    return g_test_run();
}
