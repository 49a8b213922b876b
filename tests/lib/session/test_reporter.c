/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/reporter.h"

#include "test.h"
#include "weir/units.h"

static struct weir__reporters reporters;

static void test_invented_reporters_do_not_push_out_a_live_one(void)
{
    memset(&reporters, 0, sizeof(reporters));
    struct weir__reporter *real = weir__reporters_get(&reporters, 0, 1, 0);
    real->has_proved = true;
    for (uint32_t i = 0; i < 100000; i++) {
        int64_t now_ns = WEIR_MS(i);
        if (i % 1000 == 0) {
            g_assert_true(weir__reporters_get(&reporters, 0, 1, now_ns) == real);
        }
        g_assert_nonnull(weir__reporters_get(&reporters, 0, 1000 + i, now_ns));
    }
    g_assert_true(weir__reporters_find(&reporters, 0, 1) == real);
    g_assert_null(weir__reporters_find(&reporters, 0, 2));
}

static void test_a_silent_reporter_makes_room(void)
{
    memset(&reporters, 0, sizeof(reporters));
    for (uint32_t i = 0; i < WEIR__REPORTERS; i++) {
        struct weir__reporter *reporter = weir__reporters_get(&reporters, 0, i, WEIR_MS(i));
        g_assert_nonnull(reporter);
        reporter->has_proved = true;
    }
    g_assert_null(weir__reporters_get(&reporters, 0, 100, WEIR_SECONDS(4)));
    g_assert_nonnull(weir__reporters_get(&reporters, 0, 100, WEIR_SECONDS(5)));
    g_assert_null(weir__reporters_find(&reporters, 0, 0));
    g_assert_nonnull(weir__reporters_find(&reporters, 0, 1));
}

/* Strangers that never fall silent fill the table; a newcomer finds the place of the one heard
 * longest ago, and it is no longer anybody's when it has proved itself. */
static void test_strangers_make_room_at_once(void)
{
    memset(&reporters, 0, sizeof(reporters));
    for (uint32_t i = 0; i < WEIR__REPORTERS; i++) {
        weir__reporters_get(&reporters, 0, 100 + i, WEIR_MS(i));
    }
    for (uint32_t i = 0; i < WEIR__REPORTERS; i++) {
        struct weir__reporter *newcomer = weir__reporters_get(&reporters, 0, i, WEIR_MS(10 + i));
        g_assert_nonnull(newcomer);
        g_assert_null(weir__reporters_find(&reporters, 0, 100 + i));
        newcomer->has_proved = true;
    }
    g_assert_null(weir__reporters_get(&reporters, 0, 99, WEIR_MS(30)));
}

/* Who has proved nothing goes before who has and is silent, wherever each is. */
static void test_a_stranger_goes_before_who_has_proved_itself(void)
{
    for (uint32_t stranger = 0; stranger < WEIR__REPORTERS; stranger++) {
        memset(&reporters, 0, sizeof(reporters));
        for (uint32_t i = 0; i < WEIR__REPORTERS; i++) {
            weir__reporters_get(&reporters, 0, i, 0)->has_proved = i != stranger;
        }
        weir__reporters_get(&reporters, 0, stranger, WEIR_SECONDS(6));
        g_assert_nonnull(weir__reporters_get(&reporters, 0, 99, WEIR_SECONDS(6)));
        g_assert_null(weir__reporters_find(&reporters, 0, stranger));
    }
}

static void test_the_same_ssrc_on_another_transport_is_another(void)
{
    memset(&reporters, 0, sizeof(reporters));
    struct weir__reporter *first = weir__reporters_get(&reporters, 0, 1, 0);
    struct weir__reporter *second = weir__reporters_get(&reporters, 1, 1, 0);
    g_assert_true(first != second);
    g_assert_true(weir__reporters_find(&reporters, 0, 1) == first);
    g_assert_true(weir__reporters_find(&reporters, 1, 1) == second);
    g_assert_null(weir__reporters_find(&reporters, 2, 1));
}

/* Wherever the clock of the receiver stands, and when it is set back by more than that. */
static void test_a_replayed_reference_time_is_not_answered(void)
{
    static const uint32_t starts[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
        struct weir__reporter reporter = {0};
        weir__reporter_on_rrtr(&reporter, starts[i], 1);
        g_assert_true(reporter.has_rrtr);
        for (uint32_t back = 0; back < 600 * 65536; back += 65521) {
            reporter.has_rrtr = false;
            weir__reporter_on_rrtr(&reporter, starts[i] - back, 2);
            g_assert_false(reporter.has_rrtr);
            g_assert_cmpint(reporter.rrtr_ns, ==, 1);
        }
        weir__reporter_on_rrtr(&reporter, starts[i] + 65536, 3);
        g_assert_true(reporter.has_rrtr);
        weir__reporter_on_rrtr(&reporter, starts[i] - 600 * 65536, 4);
        g_assert_cmpint(reporter.rrtr_ns, ==, 4);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reporter/invented_reporters_do_not_push_out_a_live_one",
                    test_invented_reporters_do_not_push_out_a_live_one);
    g_test_add_func("/reporter/a_silent_reporter_makes_room", test_a_silent_reporter_makes_room);
    g_test_add_func("/reporter/strangers_make_room_at_once", test_strangers_make_room_at_once);
    g_test_add_func("/reporter/a_stranger_goes_before_who_has_proved_itself",
                    test_a_stranger_goes_before_who_has_proved_itself);
    g_test_add_func("/reporter/the_same_ssrc_on_another_transport_is_another",
                    test_the_same_ssrc_on_another_transport_is_another);
    g_test_add_func("/reporter/a_replayed_reference_time_is_not_answered",
                    test_a_replayed_reference_time_is_not_answered);
    return g_test_run();
}
