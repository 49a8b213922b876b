/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a probe measures, when it is over, and how little it can send whatever is asked for. */
#include "control/probe.h"

#include "test.h"

static struct weir__probe probe;
static struct weir_probe_result result;
static int64_t next_seq;

static void ask(int64_t bytes, int64_t bps, int64_t max_bps, int64_t now_ns)
{
    struct weir_control control = {.probe_bytes = bytes, .probe_bps = bps};
    weir__probe_ask(&probe, &control, max_bps, next_seq, now_ns);
}

static void begin(int64_t bytes, int64_t bps)
{
    probe = (struct weir__probe){0};
    next_seq = 10;
    ask(bytes, bps, WEIR_MBPS(10), 0);
}

static void send_at(int64_t now_ns)
{
    weir__probe_on_sent(&probe, &(struct weir_sent_packet){
                                    .seq = next_seq++, .sent_ns = now_ns, .wire_bytes = 1000});
}

static void tell(int64_t seq, enum weir_packet_status status, int64_t sent_ns, int64_t arrived_ns)
{
    struct weir_packet_report packet = {.seq = seq,
                                        .sent_ns = sent_ns,
                                        .arrived_ns = arrived_ns,
                                        .wire_bytes = 1000,
                                        .status = status};
    weir__probe_on_feedback(&probe, &(struct weir_feedback){.packets = &packet, .n_packets = 1});
}

/* Five packets each 2 ms that arrive each 4 ms: 4 Mbit/s sent, 2 Mbit/s delivered; what left before
 * and after them does not count. */
static void test_rates_are_those_of_its_packets(void)
{
    begin(5000, WEIR_MBPS(4));
    for (int64_t i = 0; i < 7; i++) {
        send_at(WEIR_MS(2 * i));
    }
    tell(9, WEIR_PACKET_RECEIVED, -WEIR_MS(1), WEIR_MS(1));
    for (int64_t i = 0; i < 4; i++) {
        tell(10 + i, WEIR_PACKET_RECEIVED, WEIR_MS(2 * i), WEIR_MS(50 + 4 * i));
        g_assert_false(weir__probe_finish(&probe, WEIR_MS(80), &result));
    }
    tell(15, WEIR_PACKET_RECEIVED, WEIR_MS(10), WEIR_MS(51));
    g_assert_false(weir__probe_finish(&probe, WEIR_MS(80), &result));
    tell(14, WEIR_PACKET_RECEIVED, WEIR_MS(8), WEIR_MS(66));
    g_assert_true(weir__probe_finish(&probe, WEIR_MS(80), &result));
    g_assert_false(weir__probe_finish(&probe, WEIR_MS(80), &result));
    g_assert_cmpint(result.now_ns, ==, WEIR_MS(80));
    g_assert_cmpint(result.asked_bytes, ==, 5000);
    g_assert_cmpint(result.asked_bps, ==, WEIR_MBPS(4));
    g_assert_cmpint(result.sent_bytes, ==, 5000);
    g_assert_cmpint(result.received_bytes, ==, 5000);
    g_assert_cmpint(result.sent_bps, ==, WEIR_MBPS(4));
    g_assert_cmpint(result.delivered_bps, ==, WEIR_MBPS(2));
}

/* Lost ones are told of; a late one counts as received and is not told of twice. */
static void test_losses_end_a_probe_too(void)
{
    begin(3000, WEIR_MBPS(4));
    for (int64_t i = 0; i < 3; i++) {
        send_at(WEIR_MS(2 * i));
    }
    tell(10, WEIR_PACKET_LOST, 0, WEIR_UNKNOWN_NS);
    tell(10, WEIR_PACKET_LATE, 0, WEIR_MS(60));
    tell(11, WEIR_PACKET_LOST, WEIR_MS(2), WEIR_UNKNOWN_NS);
    g_assert_false(weir__probe_finish(&probe, WEIR_MS(80), &result));
    tell(12, WEIR_PACKET_RECEIVED, WEIR_MS(4), WEIR_UNKNOWN_NS);
    g_assert_true(weir__probe_finish(&probe, WEIR_MS(80), &result));
    g_assert_cmpint(result.received_bytes, ==, 2000);
    g_assert_cmpint(result.sent_bps, ==, 0); /* one arrival is no rate */
    g_assert_cmpint(result.delivered_bps, ==, 0);
}

/* 200 ms to begin it, its time and two quanta to fill it, then a second for the answers; nothing
 * sent needs no answer. */
static void test_time_ends_a_probe(void)
{
    begin(5000, WEIR_MBPS(4));
    g_assert_cmpint(weir__probe_left_bytes(&probe), ==, 5000);
    send_at(WEIR_MS(50));
    g_assert_cmpint(weir__probe_left_bytes(&probe), ==, 4000);
    g_assert_cmpint(weir__probe_deadline_ns(&probe), ==, WEIR_MS(70));
    g_assert_false(weir__probe_finish(&probe, WEIR_MS(70) - 1, &result));
    g_assert_false(weir__probe_finish(&probe, WEIR_MS(70), &result));
    g_assert_cmpint(weir__probe_left_bytes(&probe), ==, 0);
    send_at(WEIR_MS(80)); /* belongs to it no more */
    g_assert_cmpint(weir__probe_deadline_ns(&probe), ==, WEIR_MS(1070));
    g_assert_true(weir__probe_finish(&probe, WEIR_MS(1070), &result));
    g_assert_cmpint(result.sent_bytes, ==, 1000);
    g_assert_cmpint(result.received_bytes, ==, 0);
    g_assert_cmpint(weir__probe_deadline_ns(&probe), ==, WEIR_NEVER_NS);
    begin(5000, WEIR_MBPS(4));
    g_assert_true(weir__probe_finish(&probe, WEIR_MS(200), &result));
    g_assert_cmpint(result.sent_bytes, ==, 0);
}

/* Whatever is asked for: no more than the bounds of the header, and not above the maximum. */
static void test_a_probe_is_bounded(void)
{
    static const struct {
        int64_t bytes, bps, max_bps, got_bytes, got_bps;
    } rows[] = {
        {6000, WEIR_MBPS(3), WEIR_MBPS(10), 6000, WEIR_MBPS(3)},
        {INT64_MAX, INT64_MAX, WEIR_MBPS(10), WEIR__PROBE_MAX_BYTES, WEIR_MBPS(10)},
        {INT64_MAX, INT64_MAX, INT64_MAX, WEIR__PROBE_MAX_BYTES, INT64_MAX},
        {15000, WEIR_MBPS(1), WEIR_KBPS(400), 5000, WEIR_KBPS(400)}, /* 100 ms of the maximum */
        {1, 1, 1, 1, 1},
        {0, WEIR_MBPS(1), WEIR_MBPS(1), 0, 0},
        {-1, WEIR_MBPS(1), WEIR_MBPS(1), 0, 0},
        {1000, 0, WEIR_MBPS(1), 0, 0},
        {1000, -1, WEIR_MBPS(1), 0, 0},
        {1000, WEIR_MBPS(1), 0, 0, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        probe = (struct weir__probe){0};
        ask(rows[i].bytes, rows[i].bps, rows[i].max_bps, WEIR_SECONDS(5));
        g_assert_cmpint(weir__probe_left_bytes(&probe), ==, rows[i].got_bytes);
        g_assert_cmpint(probe.asked_bps, ==, rows[i].got_bps);
    }
}

/* A controller that always wants one, and a receiver that answers at once: 15 kB/s in the mean. */
static void test_probes_are_rare_in_the_mean(void)
{
    int64_t spent_bytes = 0;
    probe = (struct weir__probe){0};
    next_seq = 0;
    for (int64_t now_ns = 0; now_ns < WEIR_SECONDS(100); now_ns += WEIR_MS(1)) {
        ask(INT64_MAX, WEIR_MBPS(100), WEIR_MBPS(100), now_ns);
        if (weir__probe_left_bytes(&probe) > 0) {
            send_at(now_ns);
            tell(next_seq - 1, WEIR_PACKET_RECEIVED, now_ns, now_ns);
            spent_bytes += 1000;
        }
        weir__probe_finish(&probe, now_ns, &result);
        double most = (double)(now_ns + WEIR_SECONDS(1)) * 1e-9 * WEIR__PROBE_BYTES_PER_S;
        g_assert_cmpfloat((double)spent_bytes, <=, most + WEIR__PROBE_MAX_BYTES);
    }
    g_assert_cmpint(spent_bytes, >=, 100 * WEIR__PROBE_BYTES_PER_S);
}

static void test_one_at_a_time_and_none_after_it_was_cancelled(void)
{
    begin(5000, WEIR_MBPS(4));
    ask(9000, WEIR_MBPS(9), WEIR_MBPS(10), WEIR_MS(1));
    g_assert_cmpint(weir__probe_left_bytes(&probe), ==, 5000);
    send_at(WEIR_MS(2));
    weir__probe_cancel(&probe);
    g_assert_cmpint(weir__probe_left_bytes(&probe), ==, 0);
    g_assert_false(weir__probe_finish(&probe, WEIR_SECONDS(9), &result));
    g_assert_cmpint(probe.paid_ns, >, 0); /* but what it sent is spent */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/probe/" #name, test_##name)
    ADD(rates_are_those_of_its_packets);
    ADD(losses_end_a_probe_too);
    ADD(time_ends_a_probe);
    ADD(a_probe_is_bounded);
    ADD(probes_are_rare_in_the_mean);
    ADD(one_at_a_time_and_none_after_it_was_cancelled);
    return g_test_run();
}
