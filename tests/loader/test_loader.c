/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared object's algorithms are there; what cannot be loaded is named, with the reason. */
#include "../test.h"
#include "loader/loader.h"
#include "weir/contract.h"
#include <glib/gstdio.h>

static const char *folder;

static char *load(const char *name)
{
    g_autofree char *file = g_strconcat(folder, "/", name, NULL);
    return weir_loader_load(file);
}

static void what_is_wrong_is_named(void)
{
    static const struct {
        const char *file, *word;
    } rows[] = {
        {"broken-version.so", "version 2 of the contract, this libweir has 1"},
        {"broken-count.so", "1 to 8 controllers, not 9"},
        {"broken-symbol.so", "has no weir_plugin"},
        {"broken-state.so", "broken: its state has more than 4096 bytes"},
        {"no-such.so", "there is no such file"},
        {"", "there is no such file"},
        {"not-a-library.so", "cannot be loaded"},
    };
    g_autofree char *text = g_build_filename(folder, "not-a-library.so", NULL);
    g_assert_true(g_file_set_contents(text, "text", -1, NULL));
    size_t before = weir_algorithm_count();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *why = load(rows[i].file);
        g_assert_nonnull(why);
        g_assert_nonnull(strstr(why, rows[i].word));
        g_assert_nonnull(strstr(why, rows[i].file));
    }
    g_assert_cmpint(g_remove(text), ==, 0);
    g_assert_cmpuint(weir_algorithm_count(), ==, before);
}

static void a_second_time_nothing_happens(void)
{
    size_t before = weir_algorithm_count();
    for (int i = 0; i < 2; i++) {
        g_autofree char *why = load("example.so");
        g_assert_cmpstr(why, ==, NULL);
        g_assert_cmpuint(weir_algorithm_count(), ==, before + 1);
    }
    g_assert_cmpstr(weir_algorithm_name(before), ==, "example");
}

/* All that can be is loaded, and each that cannot has its line. */
static void a_list_has_files_and_directories(void)
{
    g_autofree char *list = g_strconcat(folder, "/nowhere.so::", folder, NULL);
    g_autofree char *wrong = weir_loader_load_list(list);
    g_auto(GStrv) lines = g_strsplit(wrong, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), >=, 5);
    g_assert_nonnull(strstr(lines[0], "nowhere.so"));
    g_assert_cmpstr(weir_loader_load_list(""), ==, NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = argv[1];
#define TEST(function) g_test_add_func("/loader/" #function, function)
    TEST(what_is_wrong_is_named);
    TEST(a_second_time_nothing_happens);
    TEST(a_list_has_files_and_directories);
    return g_test_run();
}
