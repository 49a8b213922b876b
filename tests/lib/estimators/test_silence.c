/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When silence is taken for congestion: one wait, its length, and what ends it. */
#include "../../test.h"
#include "estimators/silence.h"
#include "weir/units.h"

static struct weir__silence fresh(void)
{
    struct weir__silence silence;
    weir__silence_init(&silence);
    return silence;
}

static void nothing_is_waited_for_before_a_packet_leaves(void)
{
    struct weir__silence silence = fresh();
    g_assert_cmpint(silence.timer_ns, ==, WEIR_NEVER_NS);
    g_assert_false(weir__silence_is_over(&silence, WEIR_SECONDS(86400)));
}

/* Packets in silence do not put the end off. */
static void the_first_packet_starts_the_wait(void)
{
    struct weir__silence silence = fresh();
    for (int i = 0; i < 20; i++) {
        weir__silence_on_sent(&silence, WEIR_MS(10 * i), WEIR_MS(200));
        g_assert_cmpint(silence.timer_ns, ==, WEIR_MS(200));
    }
    g_assert_false(weir__silence_is_over(&silence, WEIR_MS(200) - 1));
    g_assert_true(weir__silence_is_over(&silence, WEIR_MS(200)));
}

static void it_is_over_once_and_begins_with_the_next_packet(void)
{
    struct weir__silence silence = fresh();
    weir__silence_on_sent(&silence, 0, WEIR_MS(200));
    g_assert_true(weir__silence_is_over(&silence, WEIR_MS(250)));
    g_assert_false(weir__silence_is_over(&silence, WEIR_SECONDS(9)));
    weir__silence_on_sent(&silence, WEIR_SECONDS(10), WEIR_MS(200));
    g_assert_cmpint(silence.timer_ns, ==, WEIR_MS(10200));
}

static void a_sign_of_life_waits_anew_only_with_packets_in_flight(void)
{
    struct weir__silence silence = fresh();
    weir__silence_on_sent(&silence, 0, WEIR_MS(200));
    weir__silence_on_heard(&silence, WEIR_MS(150), WEIR_MS(200), true);
    g_assert_cmpint(silence.timer_ns, ==, WEIR_MS(350));
    weir__silence_on_heard(&silence, WEIR_MS(155), WEIR_MS(200), false);
    g_assert_cmpint(silence.timer_ns, ==, WEIR_NEVER_NS);
}

/* Two seconds in which nothing was sent are no pause of the receiver, those after a timeout are. */
static void a_pause_of_the_sender_is_none_of_the_receiver(void)
{
    for (int timed_out = 0; timed_out < 2; timed_out++) {
        struct weir__silence silence = fresh();
        weir__silence_on_sent_anew(&silence, 0, WEIR_MS(200), false);
        weir__silence_on_heard(&silence, WEIR_MS(100), WEIR_MS(200), false);
        weir__silence_on_sent_anew(&silence, WEIR_MS(2100), WEIR_MS(200), timed_out);
        weir__silence_on_heard(&silence, WEIR_MS(2200), WEIR_MS(200), false);
        g_assert_cmpint(silence.pause_ns, ==, timed_out ? WEIR_SECONDS(1) : WEIR_MS(100));
    }
}

/* Pauses of 300 ms: 600 ms are waited, whatever the timeout; then they fade by an eighth each. */
static void long_pauses_between_bunches_are_waited_for(void)
{
    struct weir__silence silence = fresh();
    int64_t now_ns = 0;
    for (int i = 0; i < 5; i++) {
        now_ns += WEIR_MS(300);
        weir__silence_on_heard(&silence, now_ns, WEIR_MS(50), true);
        weir__silence_on_heard(&silence, now_ns += WEIR_MS(9), WEIR_MS(50), true);
    }
    g_assert_cmpint(silence.timer_ns - now_ns, ==, WEIR_MS(600));
    int64_t last_ns = silence.pause_ns;
    for (int i = 0; i < 12; i++) {
        weir__silence_on_heard(&silence, now_ns += WEIR_MS(20), WEIR_MS(50), true);
        g_assert_cmpint(silence.pause_ns, ==, last_ns - last_ns / 8);
        last_ns = silence.pause_ns;
    }
}

static void a_night_between_two_packets_is_no_pause_of_the_receiver(void)
{
    struct weir__silence silence = fresh();
    weir__silence_on_heard(&silence, 0, WEIR_MS(50), true);
    weir__silence_on_heard(&silence, WEIR_SECONDS(86400), WEIR_MS(50), true);
    g_assert_cmpint(silence.timer_ns - WEIR_SECONDS(86400), ==, WEIR_SECONDS(2));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/silence/" #name, name)
    ADD(nothing_is_waited_for_before_a_packet_leaves);
    ADD(the_first_packet_starts_the_wait);
    ADD(it_is_over_once_and_begins_with_the_next_packet);
    ADD(a_sign_of_life_waits_anew_only_with_packets_in_flight);
    ADD(a_pause_of_the_sender_is_none_of_the_receiver);
    ADD(long_pauses_between_bunches_are_waited_for);
    ADD(a_night_between_two_packets_is_no_pause_of_the_receiver);
    return g_test_run();
}
