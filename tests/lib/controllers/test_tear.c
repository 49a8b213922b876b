/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tear as a session sees it: the known answers, arrivals in their order, its start,
 * silence and return, what the application does to it, reports, a new path. */
#include "../../controller_flow.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("tear");
}

static const struct weir_param_value paper[] = {{.name = "initial", .value_text = "paper"},
                                                {.name = "receive-limit", .value = 0.0}};

/* Packets that leave 10 ms apart, told of by hand. */
static void hand_send(struct flow *f, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        struct flow_packet *packet = &f->packets[f->n_sent];
        packet->sent_ns = f->n_sent * WEIR_MS(10);
        packet->arrived_ns = packet->sent_ns + WEIR_MS(50);
        f->now_ns = packet->sent_ns;
        weir__driver_on_sent(&f->driver, &(struct weir_sent_packet){.seq = f->n_sent++,
                                                                    .sent_ns = f->now_ns,
                                                                    .wire_bytes = 1000,
                                                                    .network_limited = true});
    }
}

static struct weir_packet_report hand_packet(const struct flow *f, int64_t seq,
                                             enum weir_packet_status status)
{
    return (struct weir_packet_report){
        .seq = seq,
        .sent_ns = f->packets[seq].sent_ns,
        .arrived_ns = status == WEIR_PACKET_LOST ? WEIR_UNKNOWN_NS : f->packets[seq].arrived_ns,
        .wire_bytes = 1000,
        .status = status};
}

static void hand_feedback(struct flow *f, int64_t at_ms, const struct weir_packet_report *packets,
                          size_t n)
{
    weir__driver_on_feedback(&f->driver, &(struct weir_feedback){.now_ns = WEIR_MS(at_ms),
                                                                 .rtt_ns = WEIR_MS(100),
                                                                 .packets = packets,
                                                                 .n_packets = n});
}

/* Feedback that packets [from, until) arrived. */
static void hand_ack(struct flow *f, int64_t at_ms, int64_t from, int64_t until)
{
    struct weir_packet_report packets[WEIR_FEEDBACK_MAX_PACKETS];
    for (int64_t seq = from; seq < until; seq++) {
        packets[seq - from] = hand_packet(f, seq, WEIR_PACKET_RECEIVED);
    }
    hand_feedback(f, at_ms, packets, (size_t)(until - from));
}

/* Reports list packets by number; the window follows them as they arrived. 3 came after 4 and 5,
 * and before 6: slow start adds for 0, 1, 2 and 6. */
static void arrivals_count_in_their_order(void)
{
    struct flow *f = flow_new("tear", paper, 2);
    hand_send(f, 7);
    f->packets[3].arrived_ns = f->packets[5].arrived_ns + 1;
    hand_ack(f, 200, 0, 7);
    g_assert_cmpfloat(flow_variable(f, "cwnd_packets"), ==, 5.0);
    g_assert_cmpfloat(flow_variable(f, "emulation_state"), ==, 0.0);
    flow_free(f);
}

/* Without arrival times all arrive with their report, in order. */
static void missing_arrival_times_are_coped_with(void)
{
    struct flow *f = flow_new("tear", paper, 2);
    hand_send(f, 7);
    f->packets[3].arrived_ns = WEIR_UNKNOWN_NS;
    hand_ack(f, 200, 0, 7);
    g_assert_cmpfloat(flow_variable(f, "cwnd_packets"), ==, 8.0);
    flow_free(f);
}

/* The loss stands just before what overtook it, wherever a report lists it: 0, 1 and 2 grow the
 * window, 3 freezes it at 4; 4 to 7 are the rest of its window, last_cwnd was 4 after the round of
 * 1 and 2. 8 does not belong to it. */
static void a_loss_counts_before_what_overtook_it(void)
{
    struct flow *f = flow_new("tear", paper, 2);
    struct weir_packet_report packets[8];
    hand_send(f, 8);
    for (int64_t seq = 0; seq < 7; seq++) {
        packets[seq] = hand_packet(f, seq, seq == 3 ? WEIR_PACKET_LOST : WEIR_PACKET_RECEIVED);
    }
    hand_feedback(f, 200, packets, 7);
    g_assert_cmpfloat(flow_variable(f, "emulation_state"), ==, 3.0);
    g_assert_cmpfloat(flow_variable(f, "cwnd_packets"), ==, 4.0);
    hand_ack(f, 210, 7, 8);
    g_assert_cmpfloat(flow_variable(f, "reductions"), ==, 1.0);
    g_assert_cmpfloat(flow_variable(f, "last_epoch_packets_per_s"), >, 0.0);
    flow_free(f);
}

/* A lost report is no loss: packets 10 to 19 stay unknown. */
static void lost_feedback_is_no_loss(void)
{
    struct flow *f = flow_new("tear", paper, 2);
    hand_send(f, 60);
    hand_ack(f, 200, 0, 10);
    hand_ack(f, 400, 20, 30);
    g_assert_cmpfloat(flow_variable(f, "emulation_state"), ==, 2.0);
    weir__driver_on_timer(&f->driver, WEIR_MS(720));
    hand_ack(f, 730, 30, 40);
    g_assert_cmpfloat(flow_variable(f, "emulation_state"), ==, 0.0);
    g_assert_cmpfloat(flow_variable(f, "reductions"), ==, 0.0);
    g_assert_cmpfloat(flow_variable(f, "timeouts"), ==, 0.0);
    g_assert_cmpfloat(flow_variable(f, "cwnd_packets"), ==, 21.0);
    flow_free(f);
}

/* An ECN mark is a loss of a packet that arrived. */
static void a_mark_is_an_event(void)
{
    struct flow *f = flow_new("tear", paper, 2);
    hand_send(f, 30);
    hand_ack(f, 200, 0, 10);
    struct weir_packet_report marked = hand_packet(f, 10, WEIR_PACKET_RECEIVED);
    marked.ecn = WEIR_ECN_CE;
    hand_feedback(f, 210, &marked, 1);
    g_assert_cmpfloat(flow_variable(f, "emulation_state"), ==, 3.0);
    hand_ack(f, 400, 11, 30);
    g_assert_cmpfloat(flow_variable(f, "reductions"), ==, 1.0);
    flow_free(f);
}

/* A report in several calls is the same report; its losses come last. */
static void a_report_may_come_in_pieces(void)
{
    struct flow *whole = flow_new("tear", paper, 2), *pieces = flow_new("tear", paper, 2);
    struct weir_packet_report lost[2];
    struct flow *flows[] = {whole, pieces};
    for (size_t i = 0; i < 2; i++) {
        hand_send(flows[i], 200);
        hand_ack(flows[i], 200, 0, 1);
        lost[0] = hand_packet(flows[i], 100, WEIR_PACKET_LOST);
    }
    hand_ack(whole, 3000, 1, 100);
    hand_ack(pieces, 3000, 1, 50);
    hand_ack(pieces, 3000, 50, 100);
    g_assert_cmpfloat(flow_variable(whole, "cwnd_packets"), ==, 101.0);
    g_assert_cmpfloat(flow_variable(pieces, "cwnd_packets"), ==, 101.0);
    for (size_t i = 0; i < 2; i++) {
        hand_ack(flows[i], 3010, 101, 190);
        hand_feedback(flows[i], 3010, lost, 1);
        hand_ack(flows[i], 3020, 190, 200);
        g_assert_cmpfloat(flow_variable(flows[i], "cwnd_packets"), ==, 101.0);
    }
    g_assert_cmpint(flow_rate_bps(whole), ==, flow_rate_bps(pieces));
    flow_free(whole);
    flow_free(pieces);
}

/* A million losses are one timeout, or one per window of what is sent. */
static void a_burst_of_losses_is_coped_with(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->source_bps = 0;
    flow_run_until(f, WEIR_SECONDS(3));
    struct weir_packet_report lost[WEIR_FEEDBACK_MAX_PACKETS];
    int64_t seq = f->n_sent;
    weir__driver_on_sent(
        &f->driver,
        &(struct weir_sent_packet){.seq = seq + 999999, .sent_ns = f->now_ns, .wire_bytes = 1000});
    for (int64_t call = 0; call < 4000; call++) {
        for (size_t i = 0; i < 250; i++) {
            lost[i] = (struct weir_packet_report){.seq = seq++,
                                                  .sent_ns = f->now_ns,
                                                  .arrived_ns = WEIR_UNKNOWN_NS,
                                                  .wire_bytes = 1000,
                                                  .status = WEIR_PACKET_LOST};
        }
        hand_feedback(f, 3100, lost, 250);
    }
    g_assert_cmpfloat(flow_variable(f, "timeouts"), ==, 1.0);
    g_assert_cmpfloat(flow_variable(f, "cwnd_packets"), ==, 1.0);
    g_assert_cmpint(flow_rate_bps(f), >, 0);
    flow_free(f);
}

static void starting_rate_is_halved_until_there_is_feedback(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->blackout = true;
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    flow_run_until(f, WEIR_MS(1999));
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_MS(2010));
    g_assert_cmpint(flow_rate_bps(f), ==, 150000);
    f->blackout = false;
    flow_run_until(f, WEIR_MS(2200));
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_SLOW_START);
    g_assert_cmpint(flow_rate_bps(f), >=, 150000);
    flow_free(f);
}

/* Never below the start rate before something is lost, whatever the first packets' rate. */
static void the_start_rate_is_kept(void)
{
    static const int64_t delays_ms[] = {1, 10, 50, 250};
    for (size_t i = 0; i < G_N_ELEMENTS(delays_ms); i++) {
        struct flow *f = flow_new("tear", NULL, 0);
        f->delay_ns = WEIR_MS(delays_ms[i]);
        while (f->now_ns < WEIR_SECONDS(2)) {
            flow_step(f);
            g_assert_cmpint(flow_rate_bps(f), >=, 300000);
        }
        flow_free(f);
    }
}

static void loss_before_any_rtt_lowers_the_first_rate(void)
{
    int64_t rates_bps[2];
    for (int lossy = 0; lossy < 2; lossy++) {
        struct flow *f = flow_new("tear", NULL, 0);
        hand_send(f, 10);
        struct weir_packet_report packet =
            hand_packet(f, 0, lossy ? WEIR_PACKET_LOST : WEIR_PACKET_RECEIVED);
        weir__driver_on_feedback(&f->driver, &(struct weir_feedback){.now_ns = WEIR_MS(200),
                                                                     .rtt_ns = WEIR_UNKNOWN_NS,
                                                                     .packets = &packet,
                                                                     .n_packets = 1});
        g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
        hand_ack(f, 210, 1, 2);
        rates_bps[lossy] = flow_rate_bps(f);
        flow_free(f);
    }
    g_assert_cmpint(rates_bps[0], >=, 300000);
    g_assert_cmpint(rates_bps[1], <, 250000);
}

static void a_seeded_rtt_skips_the_first_phase(void)
{
    struct flow *f = flow_new("tear", NULL, 0), *one = flow_new("tear", paper, 2);
    weir__driver_seed_rtt(&f->driver, 0, 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(100), 0);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(700), 0);
    weir__driver_seed_rtt(&one->driver, WEIR_MS(100), 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_SLOW_START);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpint(flow_rate_bps(one), ==, 80000);
    assert_near(flow_variable(f, "rtt_ns"), 1e8, 1.0);
    flow_free(f);
    flow_free(one);
}

static void limits_move_the_start_before_feedback_only(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 800000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 800000);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 90000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 90000);
    flow_run_until(f, WEIR_SECONDS(4));
    int64_t rate_bps = flow_rate_bps(f);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 50000}, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, rate_bps);
    flow_free(f);
}

/* Four times the window of slow start would be behind a queue of 200 ms; the receive limit and the
 * halved window hold it. */
static void slow_start_ends_soon_after_the_first_loss(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->capacity_bps = WEIR_MBPS(2);
    f->queue_bytes = 50000;
    int64_t peak_bps = 0;
    while (f->now_ns < WEIR_SECONDS(10)) {
        flow_step(f);
        peak_bps = weir_max_i64(peak_bps, flow_rate_bps(f));
    }
    g_test_message("peak %d bit/s, lost %d of %d", (int)peak_bps, (int)f->n_dropped,
                   (int)f->n_sent);
    g_assert_cmpint(peak_bps, <=, WEIR_MBPS(5));
    g_assert_cmpint(f->n_dropped, <, f->n_sent / 10);
    flow_free(f);
}

static void a_steady_link_is_used(void)
{
    static const int64_t capacities_bps[] = {WEIR_KBPS(500), WEIR_MBPS(1), WEIR_MBPS(2)};
    for (size_t i = 0; i < G_N_ELEMENTS(capacities_bps); i++) {
        struct flow *f = flow_new("tear", NULL, 0);
        f->capacity_bps = capacities_bps[i];
        f->queue_bytes = capacities_bps[i] / 40;
        flow_run_until(f, WEIR_SECONDS(30));
        int64_t bytes = f->delivered_bytes, sent = f->n_sent, lost = f->n_dropped;
        flow_run_until(f, WEIR_SECONDS(150));
        double used =
            8.0 * (double)(f->delivered_bytes - bytes) / 120.0 / (double)capacities_bps[i];
        double loss = (double)(f->n_dropped - lost) / (double)(f->n_sent - sent);
        g_test_message("%d kbit/s: %.3f used, %.4f lost", (int)(capacities_bps[i] / 1000), used,
                       loss);
        g_assert_cmpfloat(used, >, 0.9);
        g_assert_cmpfloat(loss, <, 0.05);
        flow_free(f);
    }
}

static void silence_lowers_for_ever_and_feedback_brings_it_back(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(20));
    int64_t last_bps = flow_silence_until(f, WEIR_SECONDS(400));
    g_assert_cmpint(last_bps, ==, 125);
    g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, f->now_ns + WEIR_SECONDS(20));
    g_assert_cmpint(flow_rate_bps(f), >=, 500000);
    g_assert_false(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    flow_free(f);
}

/* Nothing is sent, nothing is learnt, nothing is forgotten, and no timer runs. */
static void an_idle_sender_keeps_its_rate_and_no_timer(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->source_bps = WEIR_MBPS(2);
    flow_run_until(f, WEIR_SECONDS(10));
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(11));
    int64_t before_bps = flow_rate_bps(f);
    g_assert_cmpint(before_bps, >=, WEIR_MBPS(2));
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(flow_rate_bps(f), ==, before_bps);
    f->silent = false;
    flow_step(f);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), <, WEIR_NEVER_NS);
    flow_free(f);
}

static void a_data_limited_source_does_not_run_away(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->source_bps = WEIR_KBPS(500);
    f->lose_every = 0;
    int64_t peak_bps = 0;
    while (f->now_ns < WEIR_SECONDS(60)) {
        flow_step(f);
        peak_bps = weir_max_i64(peak_bps, flow_rate_bps(f));
    }
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    g_assert_cmpint(peak_bps, >=, WEIR_KBPS(500));
    g_assert_cmpint(peak_bps, <=, WEIR_KBPS(1300));
    flow_free(f);
}

/* A session sends no more than its upper limit, and then nothing says where the path ends. */
static void the_upper_limit_ends_growth(void)
{
    for (int reports = 0; reports < 2; reports++) {
        struct flow *f = flow_new("tear", NULL, 0);
        weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 300000}, 0);
        f->reports = reports;
        f->feedback_ns = reports ? WEIR_SECONDS(1) : f->feedback_ns;
        f->capacity_bps = WEIR_MBPS(1);
        flow_run_until(f, WEIR_SECONDS(30)); /* epochs */
        f->capacity_bps = 0;
        flow_run_until(f, WEIR_SECONDS(230));
        double cwnd = flow_variable(f, "cwnd_packets");
        g_test_message("%d kbit/s", (int)(flow_rate_bps(f) / 1000));
        g_assert_cmpint(flow_rate_bps(f), >=, WEIR_MBPS(2));
        g_assert_cmpint(flow_rate_bps(f), <=, WEIR_MBPS(5));
        flow_run_until(f, WEIR_SECONDS(330));
        g_assert_cmpfloat(flow_variable(f, "cwnd_packets"), ==, cwnd);
        flow_free(f);
    }
}

static void rare_feedback_is_no_silence(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->delay_ns = WEIR_MS(10);
    f->feedback_ns = WEIR_MS(300);
    f->source_bps = WEIR_KBPS(600);
    flow_run_until(f, WEIR_SECONDS(20));
    g_assert_cmpfloat(flow_variable(f, "timeouts"), ==, 0.0);
    g_assert_cmpint(flow_rate_bps(f), >=, WEIR_KBPS(600));
    flow_free(f);
}

static void a_new_path_starts_anew_but_not_faster(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(30));
    g_assert_cmpfloat(flow_variable(f, "closed_epochs"), >, 0.0);
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpfloat(flow_variable(f, "closed_epochs"), ==, 0.0);
    g_assert_cmpfloat(flow_variable(f, "rtt_ns"), ==, 0.0);
    flow_run_until(f, WEIR_SECONDS(32));
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

static struct weir_report make_report(int64_t at_s, int64_t expected, int64_t lost, int64_t rtt_ns)
{
    return (struct weir_report){.now_ns = WEIR_SECONDS(at_s),
                                .rtt_ns = rtt_ns,
                                .interval_ns = WEIR_SECONDS(1),
                                .expected_packets = expected,
                                .lost_packets = lost,
                                .packet_bytes = 1000,
                                .sent_bytes = 50000,
                                .network_limited = true};
}

static void reports_double_at_most_and_need_no_rtt(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    int64_t last_bps = flow_rate_bps(f);
    for (int64_t s = 1; last_bps <= WEIR_MBPS(5); s++) {
        struct weir_report report = make_report(s, last_bps / 8000, 0, WEIR_UNKNOWN_NS);
        weir__driver_on_report(&f->driver, &report);
        g_assert_cmpint(flow_rate_bps(f), <=, 2 * last_bps + 1);
        g_assert_cmpint(flow_rate_bps(f), >=, last_bps * 19 / 10);
        last_bps = flow_rate_bps(f);
    }
    g_assert_true(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
    flow_free(f);
}

static void a_report_of_a_source_that_holds_back_adds_nothing(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    struct weir_report report = make_report(1, 37, 0, WEIR_MS(100));
    report.network_limited = false;
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    flow_free(f);
}

static void reports_of_nothing_are_no_sign_of_life(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    struct weir_report report = make_report(1, 50, 0, WEIR_MS(100));
    weir__driver_on_report(&f->driver, &report);
    int64_t timer_ns = weir__driver_next_timer_ns(&f->driver);
    g_assert_cmpint(timer_ns, ==, WEIR_SECONDS(4));
    report = make_report(2, 0, 0, WEIR_MS(100));
    weir__driver_on_report(&f->driver, &report);
    report = make_report(3, 50, 50, WEIR_MS(100));
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpfloat(flow_variable(f, "timeouts"), ==, 1.0);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, timer_ns);
    report = make_report(4, 50, 0, WEIR_MS(100));
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), >, timer_ns);
    flow_free(f);
}

static void reports_alone_use_a_link(void)
{
    struct flow *f = flow_new("tear", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    f->reports = true;
    f->feedback_ns = WEIR_SECONDS(1);
    flow_run_until(f, WEIR_SECONDS(60));
    int64_t sent = f->n_sent, lost = f->n_dropped;
    flow_run_until(f, WEIR_SECONDS(260));
    int64_t delivered = f->n_sent - sent - (f->n_dropped - lost);
    double used = 8000.0 * (double)delivered / 200.0 / 1e6;
    double loss = (double)(f->n_dropped - lost) / (double)(f->n_sent - sent);
    g_test_message("%.3f used, %.4f lost", used, loss);
    g_assert_cmpfloat(used, >, 0.6);
    g_assert_cmpfloat(loss, <, 0.1);
    flow_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/tear/" #name, name)
    ADD(known_answers_are_given);
    ADD(arrivals_count_in_their_order);
    ADD(missing_arrival_times_are_coped_with);
    ADD(a_loss_counts_before_what_overtook_it);
    ADD(lost_feedback_is_no_loss);
    ADD(a_mark_is_an_event);
    ADD(a_report_may_come_in_pieces);
    ADD(a_burst_of_losses_is_coped_with);
    ADD(starting_rate_is_halved_until_there_is_feedback);
    ADD(the_start_rate_is_kept);
    ADD(loss_before_any_rtt_lowers_the_first_rate);
    ADD(a_seeded_rtt_skips_the_first_phase);
    ADD(limits_move_the_start_before_feedback_only);
    ADD(slow_start_ends_soon_after_the_first_loss);
    ADD(a_steady_link_is_used);
    ADD(silence_lowers_for_ever_and_feedback_brings_it_back);
    ADD(an_idle_sender_keeps_its_rate_and_no_timer);
    ADD(a_data_limited_source_does_not_run_away);
    ADD(the_upper_limit_ends_growth);
    ADD(rare_feedback_is_no_silence);
    ADD(a_new_path_starts_anew_but_not_faster);
    ADD(reports_double_at_most_and_need_no_rtt);
    ADD(a_report_of_a_source_that_holds_back_adds_nothing);
    ADD(reports_of_nothing_are_no_sign_of_life);
    ADD(reports_alone_use_a_link);
    return g_test_run();
}
