/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registry lists every algorithm once, finds it by name and tells all about it. */
#include "../../test.h"
#include "control/controller.h"

static void every_algorithm_is_found_by_its_name(void)
{
    g_assert_cmpuint(weir_algorithm_count(), >=, 2);
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        const struct weir_controller *controller = weir__controller_at(i);
        g_assert_nonnull(controller);
        g_assert_cmpstr(weir_algorithm_name(i), ==, controller->name);
        g_assert_true(weir__controller_find(controller->name) == controller);
    }
    g_assert_nonnull(weir__controller_find("tfrc"));
    g_assert_nonnull(weir__controller_find("fixed"));
}

static void nothing_else_is_found(void)
{
    size_t n = weir_algorithm_count();
    g_assert_null(weir__controller_find("no-such-algorithm"));
    g_assert_null(weir__controller_find(""));
    g_assert_null(weir__controller_find("TFRC"));
    g_assert_null(weir__controller_find(NULL));
    g_assert_null(weir__controller_at(n));
    g_assert_null(weir__controller_at(SIZE_MAX));
    g_assert_null(weir_algorithm_name(n));
}

static void info_repeats_the_table(void)
{
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        const struct weir_controller *controller = weir__controller_at(i);
        struct weir_algorithm_info info;
        g_assert_cmpint(weir_algorithm_get_info(controller->name, &info), ==, WEIR_OK);
        g_assert_cmpstr(info.name, ==, controller->name);
        g_assert_cmpstr(info.description, ==, controller->description);
        g_assert_cmpstr(info.spec, ==, controller->spec);
        g_assert_true(info.for_live_media == controller->for_live_media);
        g_assert_cmpuint(info.needs, ==, controller->needs);
        g_assert_true(info.params == controller->params);
        g_assert_cmpuint(info.n_params, ==, controller->n_params);
    }
}

static void algorithms_for_live_media_come_first(void)
{
    bool was_for_live_media = true;
    for (size_t i = 0; weir__controller_at(i) != NULL; i++) {
        bool is_for_live_media = weir__controller_at(i)->for_live_media;
        g_assert_true(was_for_live_media || !is_for_live_media);
        was_for_live_media = is_for_live_media;
    }
    g_assert_true(weir__controller_at(0)->for_live_media);
    g_assert_false(was_for_live_media);
}

static void info_says_what_is_wrong(void)
{
    struct weir_algorithm_info info = {.name = "untouched"};
    g_assert_cmpint(weir_algorithm_get_info("nope", &info), ==, WEIR_ERROR_UNKNOWN_ALGORITHM);
    g_assert_cmpint(weir_algorithm_get_info(NULL, &info), ==, WEIR_ERROR_UNKNOWN_ALGORITHM);
    g_assert_cmpint(weir_algorithm_get_info("tfrc", NULL), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpstr(info.name, ==, "untouched");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/registry/" #name, name)
    ADD(every_algorithm_is_found_by_its_name);
    ADD(nothing_else_is_found);
    ADD(info_repeats_the_table);
    ADD(algorithms_for_live_media_come_first);
    ADD(info_says_what_is_wrong);
    return g_test_run();
}
