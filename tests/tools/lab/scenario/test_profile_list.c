/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/profile_list.h"
#include "tools/lab/lab_fixture.h"

/* A folder with scenarios, and none of its own but these profiles; searched first. */
static char *scenario_folder(void)
{
    char *folder = fixture_directory();
    char *profiles = g_build_filename(folder, "profiles", NULL);
    g_assert_cmpint(g_mkdir(profiles, 0777), ==, 0);
    g_assert_true(g_setenv("WEIR_SCENARIOS", folder, TRUE));
    g_free(folder);
    return profiles;
}

static void remove_folder(char *profiles)
{
    char *folder = g_path_get_dirname(profiles);
    fixture_remove(profiles);
    fixture_remove(folder);
    g_unsetenv("WEIR_SCENARIOS");
}

static void put(const char *directory, const char *name, const char *text)
{
    char *path = g_build_filename(directory, name, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_free(path);
}

static void test_profiles_come_in_the_order_of_their_files(void)
{
    char *directory = scenario_folder();
    struct lab_profile *profiles;
    guint n;
    put(directory, "b.json", "{\"Z\": {\"algorithm\": \"tfrc\"}, \"A\": {\"algorithm\": \"udp\"}}");
    put(directory, "a.json", "{\"M\": {}}");
    put(directory, "notes.txt", "no profiles");
    g_assert_true(lab_profiles_load(&profiles, &n, NULL));
    g_assert_cmpuint(n, >, 3); /* the installed ones follow */
    g_assert_cmpstr(profiles[0].name, ==, "M");
    g_assert_cmpstr(profiles[0].file, ==, "a");
    g_assert_cmpstr(profiles[0].algorithm, ==, "");
    g_assert_cmpstr(profiles[1].name, ==, "Z");
    g_assert_cmpstr(profiles[1].algorithm, ==, "tfrc");
    g_assert_cmpstr(profiles[2].name, ==, "A");
    g_assert_cmpstr(profiles[2].file, ==, "b");
    lab_profiles_free(profiles, n);
    remove_folder(directory);
}

static void test_a_broken_file_is_an_error(void)
{
    char *directory = scenario_folder();
    struct lab_profile *profiles;
    guint n;
    GError *error = NULL;
    put(directory, "a.json", "{\"M\": ");
    g_assert_false(lab_profiles_load(&profiles, &n, &error));
    g_assert_nonnull(strstr(error->message, "a.json"));
    g_clear_error(&error);
    remove_folder(directory);
}

static void test_the_first_file_of_a_name_counts(void)
{
    char *directory = scenario_folder();
    struct lab_profile *profiles;
    guint n;
    put(directory, "papers.json", "{\"ONLY\": {\"algorithm\": \"tfrc\"}}");
    g_assert_true(lab_profiles_load(&profiles, &n, NULL));
    for (guint i = 1; i < n; i++) {
        g_assert_cmpstr(profiles[i].file, !=, "papers");
    }
    g_assert_cmpstr(profiles[0].name, ==, "ONLY");
    lab_profiles_free(profiles, n);
    remove_folder(directory);
}

static void test_the_papers_profiles_are_there(void)
{
    struct lab_profile *profiles;
    guint n;
    g_assert_true(lab_profiles_load(&profiles, &n, NULL));
    g_assert_cmpuint(n, >, 10);
    lab_profiles_free(profiles, n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/profiles/profiles_come_in_the_order_of_their_files",
                    test_profiles_come_in_the_order_of_their_files);
    g_test_add_func("/profiles/a_broken_file_is_an_error", test_a_broken_file_is_an_error);
    g_test_add_func("/profiles/the_first_file_of_a_name_counts",
                    test_the_first_file_of_a_name_counts);
    g_test_add_func("/profiles/the_papers_profiles_are_there", test_the_papers_profiles_are_there);
    return g_test_run();
}
