/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/unwrap.h"

#include "../../test.h"
#include "weir/units.h"

static const unsigned widths[] = {16, 24, 32};

/* abs-send-time: 24 bits of 1/2^18 s. */
static const struct weir__wire_clock clock_abs_send = {
    .bits = 24, .tick_ns_num = 1953125, .tick_ns_den = 512};

static void test_difference_is_the_shorter_way_round(void)
{
    static const struct {
        uint32_t a, b;
        unsigned bits;
        int64_t diff;
    } rows[] = {
        {0, 0, 16, 0},
        {1, 0, 16, 1},
        {0, 1, 16, -1},
        {0, 65535, 16, 1},
        {65535, 0, 16, -1},
        {32767, 0, 16, 32767},
        {32768, 0, 16, -32768}, /* ambiguous: older */
        {0, 32768, 16, -32768}, /* from both sides */
        {0x10005, 3, 16, 2},    /* bits above the width do not count */
        {0x800000, 0x7fffff, 24, 1},
        {0, 0xffffff, 24, 1},
        {0x800000, 0, 24, -0x800000},
        {0, 0xffffffff, 32, 1},
        {0x80000000, 0, 32, -INT64_C(0x80000000)},
        {0x7fffffff, 0, 32, 0x7fffffff},
        {0, 255, 8, 1},
        {1, 0, 1, -1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpint(weir__serial_diff(rows[i].a, rows[i].b, rows[i].bits), ==, rows[i].diff);
        g_assert_true(weir__serial_newer(rows[i].a, rows[i].b, rows[i].bits) == (rows[i].diff > 0));
    }
}

static void test_of_two_different_16_bit_numbers_one_is_newer(void)
{
    for (uint32_t b = 0; b < 65536; b += 4099) {
        for (uint32_t a = 0; a < 65536; a++) {
            bool forth = weir__serial_newer(a, b, 16);
            bool back = weir__serial_newer(b, a, 16);
            bool opposite = ((a - b) & 0xffff) == 0x8000;
            g_assert_true(forth + back == (a == b || opposite ? 0 : 1));
        }
    }
}

static void test_closest_value_is_congruent_and_within_half_a_turn(void)
{
    const int64_t references[] = {
        0,          1,    32767,    32768,        65535, 65536, -1, -70000, INT64_C(1) << 40,
        0x7fffffff, 1234, 0x800000, -0x80000000LL};
    for (size_t w = 0; w < G_N_ELEMENTS(widths); w++) {
        int64_t turn = INT64_C(1) << widths[w];
        for (size_t r = 0; r < G_N_ELEMENTS(references); r++) {
            for (int64_t step = -64; step < 64; step++) {
                int64_t true_value = references[r] + step * (turn / 128);
                uint32_t wire = (uint32_t)(uint64_t)true_value;
                g_assert_cmpint(weir__unwrap_closest(references[r], wire, widths[w]), ==,
                                true_value);
            }
        }
    }
}

static void test_counter_followed_step_by_step_never_breaks(void)
{
    int64_t unwrapped = 0;
    int64_t true_value = 0;
    for (int i = 0; i < 400000; i++) {
        true_value += 1 + i % 977;
        unwrapped = weir__unwrap_closest(unwrapped, (uint32_t)true_value & 0xffff, 16);
        g_assert_cmpint(unwrapped, ==, true_value);
    }
    g_assert_cmpint(true_value / 65536, >, 1000);
}

static void test_value_of_feedback_is_never_newer_than_what_was_sent(void)
{
    static const struct {
        int64_t last;
        uint32_t wire;
        int64_t value;
    } rows[] = {
        {70000, 70000 - 65536, 70000},
        {70000, 70001 - 65536, 4465}, /* never sent: a turn back */
        {70000, 65535, 65535},
        {5, 5, 5},
        {5, 6, 6 - 65536},
        {0, 65535, -1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpint(weir__unwrap_not_newer(rows[i].last, rows[i].wire, 16), ==, rows[i].value);
    }
    for (uint32_t wire = 0; wire < 65536; wire++) {
        int64_t value = weir__unwrap_not_newer(100000, wire, 16);
        g_assert_cmpint(value, <=, 100000);
        g_assert_cmpint(value, >, 100000 - 65536);
        g_assert_cmpuint((uint32_t)value & 0xffff, ==, wire);
    }
}

static void test_ticks_become_nanoseconds_rounded_down(void)
{
    g_assert_cmpint(weir__ticks_to_ns(&weir__clock_mid32, 65536), ==, WEIR_SECONDS(1));
    g_assert_cmpint(weir__ticks_to_ns(&weir__clock_mid32, 1), ==, 15258);
    g_assert_cmpint(weir__ticks_to_ns(&weir__clock_mid32, -1), ==, -15259);
    g_assert_cmpint(weir__ticks_to_ns(&weir__clock_mid32, -65536), ==, -WEIR_SECONDS(1));
    g_assert_cmpint(weir__ticks_to_ns(&weir__clock_twcc, -3), ==, -WEIR_MS(192));
    g_assert_cmpint(weir__ticks_to_ns(&clock_abs_send, 1 << 24), ==, WEIR_SECONDS(64));
    int64_t century_s = INT64_C(3155760000);
    g_assert_cmpint(weir__ticks_to_ns(&weir__clock_mid32, century_s * 65536), ==,
                    WEIR_SECONDS(century_s));
}

static void test_first_time_is_anchored_to_local_time(void)
{
    struct weir__time_unwrap state = {0};
    int64_t time_ns = 0;
    g_assert_cmpint(weir__time_unwrap(&state, &weir__clock_twcc, 0xffff00, WEIR_MS(77), &time_ns),
                    ==, WEIR__TIME_FIRST);
    g_assert_cmpint(time_ns, ==, WEIR_MS(77));
}

/* From 0x7fffff to 0x800000 a signed reader sees twelve days back; it is one tick forward. */
static void test_sign_change_and_wrap_are_one_tick(void)
{
    static const uint32_t from[] = {0x7fffff, 0xffffff, 0};
    for (size_t i = 0; i < G_N_ELEMENTS(from); i++) {
        struct weir__time_unwrap state = {0};
        int64_t first_ns;
        int64_t second_ns;
        weir__time_unwrap(&state, &weir__clock_twcc, from[i], 0, &first_ns);
        g_assert_cmpint(
            weir__time_unwrap(&state, &weir__clock_twcc, from[i] + 1, WEIR_MS(64), &second_ns), ==,
            WEIR__TIME_CONTINUES);
        g_assert_cmpint(second_ns - first_ns, ==, WEIR_MS(64));
    }
}

static void test_clock_that_runs_with_ours_is_followed_through_many_wraps(void)
{
    const struct weir__wire_clock *clocks[] = {&weir__clock_mid32, &weir__clock_twcc,
                                               &clock_abs_send};
    for (size_t c = 0; c < G_N_ELEMENTS(clocks); c++) {
        struct weir__time_unwrap state = {0};
        int64_t ticks_per_step = (INT64_C(1) << clocks[c]->bits) / 5 - 7;
        int64_t step_ns = weir__ticks_to_ns(clocks[c], ticks_per_step);
        int64_t time_ns = 0;
        int64_t now_ns = 0;
        int64_t ticks = 12345;
        weir__time_unwrap(&state, clocks[c], (uint32_t)ticks, now_ns, &time_ns);
        int64_t origin_ns = time_ns - weir__ticks_to_ns(clocks[c], ticks);
        for (int i = 0; i < 100; i++) {
            ticks += ticks_per_step;
            now_ns += step_ns;
            g_assert_cmpint(weir__time_unwrap(&state, clocks[c], (uint32_t)ticks, now_ns, &time_ns),
                            ==, WEIR__TIME_CONTINUES);
            g_assert_cmpint(time_ns - origin_ns, ==, weir__ticks_to_ns(clocks[c], ticks));
        }
    }
}

static void test_reordered_value_keeps_its_place(void)
{
    struct weir__time_unwrap state = {0};
    int64_t a_ns, b_ns, c_ns;
    weir__time_unwrap(&state, &weir__clock_twcc, 100, WEIR_MS(0), &a_ns);
    weir__time_unwrap(&state, &weir__clock_twcc, 102, WEIR_MS(128), &c_ns);
    g_assert_cmpint(weir__time_unwrap(&state, &weir__clock_twcc, 101, WEIR_MS(130), &b_ns), ==,
                    WEIR__TIME_CONTINUES);
    g_assert_cmpint(b_ns - a_ns, ==, WEIR_MS(64));
    g_assert_cmpint(c_ns - a_ns, ==, WEIR_MS(128));
    g_assert_cmpint(state.local_ns, ==, WEIR_MS(128));
}

static void test_absurd_jump_is_reported_once_and_time_goes_on(void)
{
    static const struct {
        int64_t jump_ms;  /* remote, in whole ticks of 64 ms */
        int64_t local_ms; /* elapsed here */
        bool absurd;
    } rows[] = {
        {9984, 0, false},          {10048, 0, true},        {-9984, 0, false},
        {-10048, 0, true},         {10048, 100, false},     {3600000, 3600000, false},
        {3600000, 1000, true},     {-3600000, 1000, true},  {10048, -5000, true},
        {0, 7200000, false},       {-10048, 7200000, true}, {7210048, 7200000, true},
        {7209984, 7200000, false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__time_unwrap state = {0};
        int64_t start_ns = WEIR_SECONDS(50);
        int64_t first_ns, second_ns, third_ns;
        uint32_t wire = (uint32_t)(500000 + rows[i].jump_ms / 64);
        int64_t now_ns = start_ns + WEIR_MS(rows[i].local_ms);
        weir__time_unwrap(&state, &weir__clock_twcc, 500000, start_ns, &first_ns);
        enum weir__time_step step =
            weir__time_unwrap(&state, &weir__clock_twcc, wire, now_ns, &second_ns);
        g_assert_cmpint(step, ==, rows[i].absurd ? WEIR__TIME_JUMPED : WEIR__TIME_CONTINUES);
        int64_t expected_ms = rows[i].absurd ? MAX(rows[i].local_ms, 0) : rows[i].jump_ms;
        g_assert_cmpint(second_ns - first_ns, ==, WEIR_MS(expected_ms));

        step =
            weir__time_unwrap(&state, &weir__clock_twcc, wire + 1, now_ns + WEIR_MS(64), &third_ns);
        g_assert_cmpint(step, ==, WEIR__TIME_CONTINUES);
        g_assert_cmpint(third_ns - second_ns, ==, WEIR_MS(64));
    }
}

/* Exactly ten seconds, which the ticks of 64 ms cannot show. */
static void test_ten_seconds_are_tolerated_and_a_tick_more_is_not(void)
{
    static const struct {
        int64_t ticks;
        enum weir__time_step step;
    } rows[] = {{655360, WEIR__TIME_CONTINUES},
                {655361, WEIR__TIME_JUMPED},
                {-655360, WEIR__TIME_CONTINUES},
                {-655361, WEIR__TIME_JUMPED}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__time_unwrap state = {0};
        int64_t time_ns;
        weir__time_unwrap(&state, &weir__clock_mid32, 0x80000000, 0, &time_ns);
        uint32_t wire = 0x80000000 + (uint32_t)rows[i].ticks;
        g_assert_cmpint(weir__time_unwrap(&state, &weir__clock_mid32, wire, 0, &time_ns), ==,
                        rows[i].step);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/unwrap/difference_is_the_shorter_way_round",
                    test_difference_is_the_shorter_way_round);
    g_test_add_func("/unwrap/of_two_different_16_bit_numbers_one_is_newer",
                    test_of_two_different_16_bit_numbers_one_is_newer);
    g_test_add_func("/unwrap/closest_value_is_congruent_and_within_half_a_turn",
                    test_closest_value_is_congruent_and_within_half_a_turn);
    g_test_add_func("/unwrap/counter_followed_step_by_step_never_breaks",
                    test_counter_followed_step_by_step_never_breaks);
    g_test_add_func("/unwrap/value_of_feedback_is_never_newer_than_what_was_sent",
                    test_value_of_feedback_is_never_newer_than_what_was_sent);
    g_test_add_func("/unwrap/ticks_become_nanoseconds_rounded_down",
                    test_ticks_become_nanoseconds_rounded_down);
    g_test_add_func("/unwrap/first_time_is_anchored_to_local_time",
                    test_first_time_is_anchored_to_local_time);
    g_test_add_func("/unwrap/sign_change_and_wrap_are_one_tick",
                    test_sign_change_and_wrap_are_one_tick);
    g_test_add_func("/unwrap/clock_that_runs_with_ours_is_followed_through_many_wraps",
                    test_clock_that_runs_with_ours_is_followed_through_many_wraps);
    g_test_add_func("/unwrap/reordered_value_keeps_its_place",
                    test_reordered_value_keeps_its_place);
    g_test_add_func("/unwrap/absurd_jump_is_reported_once_and_time_goes_on",
                    test_absurd_jump_is_reported_once_and_time_goes_on);
    g_test_add_func("/unwrap/ten_seconds_are_tolerated_and_a_tick_more_is_not",
                    test_ten_seconds_are_tolerated_and_a_tick_more_is_not);
    return g_test_run();
}
