/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"
#include "weir/status.h"

static void test_every_status_has_a_sentence_of_its_own(void)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (int status = WEIR_OK; status >= WEIR_ERROR_NEEDS_FEEDBACK; status--) {
        const char *text = weir_status_text((enum weir_status)status);
        g_assert_nonnull(text);
        g_assert_cmpstr(text, !=, "unknown status");
        g_assert_true(g_hash_table_add(seen, (gpointer)(guintptr)text));
    }
    g_hash_table_destroy(seen);
}

static void test_success_is_zero_and_failures_are_negative(void)
{
    g_assert_cmpint(WEIR_OK, ==, 0);
    g_assert_cmpstr(weir_status_text(WEIR_OK), ==, "success");
    g_assert_cmpint(WEIR_ERROR_ARGUMENT, <, 0);
    g_assert_cmpint(WEIR_ERROR_NEEDS_FEEDBACK, <, 0);
}

static void test_other_numbers_are_unknown(void)
{
    static const int others[] = {1, 7, -12, -1000, 2147483647};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_assert_cmpstr(weir_status_text((enum weir_status)others[i]), ==, "unknown status");
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/status/every_status_has_a_sentence_of_its_own",
                    test_every_status_has_a_sentence_of_its_own);
    g_test_add_func("/status/success_is_zero_and_failures_are_negative",
                    test_success_is_zero_and_failures_are_negative);
    g_test_add_func("/status/other_numbers_are_unknown", test_other_numbers_are_unknown);
    return g_test_run();
}
