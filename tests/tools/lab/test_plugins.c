/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plugins of the command line and of the environment; what is wrong is the error. */
#include "../../test.h"
#include "control/controller.h"
#include "plugins.h"
#include <glib/gstdio.h>
#include <signal.h>

static void without_plugins_nothing_happens(void)
{
    char *none[] = {NULL};
    GError *error = NULL;
    g_unsetenv("WEIR_PLUGIN_PATH");
    g_assert_true(lab_plugins_load(NULL, &error));
    g_assert_true(lab_plugins_load(none, &error));
    g_setenv("WEIR_PLUGIN_PATH", "", TRUE);
    g_assert_true(lab_plugins_load(NULL, &error));
    g_assert_no_error(error);
    g_unsetenv("WEIR_PLUGIN_PATH");
}

static void a_file_that_cannot_be_loaded_is_the_error(void)
{
    static const char *const places[] = {"WEIR_PLUGIN_PATH", "--plugin"};
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
        char *files[] = {(char *)(i == 1 ? "/no/such.so" : NULL), NULL};
        GError *error = NULL;
        if (i == 0) {
            g_setenv("WEIR_PLUGIN_PATH", "/no/such.so", TRUE);
        }
        g_assert_false(lab_plugins_load(files, &error));
        g_assert_cmpstr(error->message, ==, "/no/such.so: there is no such file");
        g_clear_error(&error);
        g_unsetenv("WEIR_PLUGIN_PATH");
    }
}

static void algorithms_that_come_later_are_of_plugins(void)
{
    static struct weir_controller mine; /* stays for ever */
    mine = *weir__controller_find("fixed");
    mine.name = "mine";
    g_assert_true(lab_plugins_load(NULL, NULL));
    g_assert_false(lab_plugins_have("mine"));
    g_assert_cmpint(weir_register_controller(&mine, WEIR_CONTRACT_VERSION, NULL, 0), ==, WEIR_OK);
    g_assert_true(lab_plugins_load(NULL, NULL));
    g_assert_true(lab_plugins_have("mine"));
    g_assert_false(lab_plugins_have("fixed"));
}

/* An empty directory has no plugins, but was asked for. */
static void a_crash_names_what_was_loaded(void)
{
    if (g_test_subprocess()) {
        GError *error = NULL;
        g_assert_true(lab_plugins_load(NULL, &error));
        raise(SIGSEGV);
    }
    g_autofree char *folder = g_dir_make_tmp("plugins-XXXXXX", NULL);
    g_setenv("WEIR_PLUGIN_PATH", folder, TRUE);
    g_test_trap_subprocess(NULL, 0, 0);
    g_unsetenv("WEIR_PLUGIN_PATH");
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*weir-lab: the run crashed with algorithms of *plugins-*\n");
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(function) g_test_add_func("/lab_plugins/" #function, function)
    TEST(without_plugins_nothing_happens);
    TEST(a_file_that_cannot_be_loaded_is_the_error);
    TEST(algorithms_that_come_later_are_of_plugins);
    TEST(a_crash_names_what_was_loaded);
    return g_test_run();
}
