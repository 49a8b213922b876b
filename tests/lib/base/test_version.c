/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "weir/version.h"

#include "test.h"

static void test_text_and_number_are_those_of_the_headers(void)
{
    char *text =
        g_strdup_printf("%d.%d.%d", WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_MICRO);
    g_assert_cmpstr(weir_version(), ==, text);
    g_assert_cmpstr(weir_version(), ==, PROJECT_VERSION);
    g_free(text);
    g_assert_cmpint(
        weir_version_number(), ==,
        WEIR_VERSION_NUMBER(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_MICRO));
}

static void test_versions_are_ordered_by_their_first_part_first(void)
{
    static const int rising[] = {WEIR_VERSION_NUMBER(0, 0, 255), WEIR_VERSION_NUMBER(0, 1, 0),
                                 WEIR_VERSION_NUMBER(0, 1, 1),   WEIR_VERSION_NUMBER(0, 255, 255),
                                 WEIR_VERSION_NUMBER(1, 0, 0),   WEIR_VERSION_NUMBER(255, 0, 0)};
    for (size_t i = 1; i < G_N_ELEMENTS(rising); i++) {
        g_assert_cmpint(rising[i - 1], <, rising[i]);
    }
}

static void test_these_headers_are_at_least_themselves(void)
{
    g_assert_true(
        WEIR_VERSION_AT_LEAST(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_MICRO));
    g_assert_false(
        WEIR_VERSION_AT_LEAST(WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_MICRO + 1));
    g_assert_false(WEIR_VERSION_AT_LEAST(WEIR_VERSION_MAJOR + 1, 0, 0));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/version/text_and_number_are_those_of_the_headers",
                    test_text_and_number_are_those_of_the_headers);
    g_test_add_func("/version/versions_are_ordered_by_their_first_part_first",
                    test_versions_are_ordered_by_their_first_part_first);
    g_test_add_func("/version/these_headers_are_at_least_themselves",
                    test_these_headers_are_at_least_themselves);
    return g_test_run();
}
