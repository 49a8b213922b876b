/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/files.h"
#include "scenario_fixture.h"
#include "test.h"

/* A folder of scenarios; its path. Free with remove_folder. */
static char *make_folder(void)
{
    char *folder = g_dir_make_tmp("weir-XXXXXX", NULL);
    char *profiles = g_build_filename(folder, "profiles", NULL);
    g_mkdir(profiles, 0700);
    g_free(profiles);
    g_setenv("WEIR_SCENARIOS", folder, TRUE);
    return folder;
}

static void put(const char *folder, const char *name, const char *content)
{
    char *path = g_build_filename(folder, name, NULL);
    write_file(path, content, -1);
    g_free(path);
}

static void remove_folder(char *folder)
{
    static const char *const names[] = {"a.json",
                                        "b.json",
                                        "c.json",
                                        "steps.txt",
                                        "frames.txt",
                                        "profiles/p.json",
                                        "profiles/papers.json",
                                        "profiles",
                                        "family/a.json",
                                        "family",
                                        ""};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        char *path = g_build_filename(folder, names[i], NULL);
        g_remove(path);
        g_free(path);
    }
    g_free(folder);
}

static struct lab_scenario *load(const char *name)
{
    GError *error = NULL;
    struct lab_scenario *scenario = lab_scenario_load(name, NULL, &error);
    g_assert_no_error(error);
    return scenario;
}

static char *load_error(const char *name)
{
    GError *error = NULL;
    g_assert_null(lab_scenario_load(name, NULL, &error));
    g_assert_null(strchr(error->message, '\n'));
    char *message = g_strdup(error->message);
    g_error_free(error);
    return message;
}

static void test_installed_scenarios_are_listed_with_their_descriptions(void)
{
    char *folder = make_folder();
    put(folder, "b.json", SMALL);
    put(folder, "a.json", "{\"description\": \"A\"");
    put(folder, "c.json", "{\"description\": \"C\"}");
    GPtrArray *names = lab_scenario_names();
    g_assert_cmpstr(names->pdata[0], ==, "a");
    for (guint i = 1; i < names->len; i++) {
        g_assert_cmpstr(names->pdata[i - 1], <, names->pdata[i]);
    }
    char *why = g_strdup_printf("(cannot be read: %s/a.json: line 1, ", folder);
    char *a = lab_scenario_describe("a");
    char *c = lab_scenario_describe("c");
    g_assert_true(g_str_has_prefix(a, why));
    g_assert_cmpstr(c, ==, "C");
    g_free(a);
    g_free(c);
    g_free(why);
    g_ptr_array_unref(names);
    remove_folder(folder);
}

/* A name in a folder; a file of that name in the current folder comes first. */
static void test_scenarios_in_folders_are_found_by_folder_and_name(void)
{
    char *folder = make_folder();
    char *family = g_build_filename(folder, "family", NULL);
    g_mkdir(family, 0700);
    put(folder, "a.json", SMALL);
    put(folder, "profiles/p.json", "{}");
    put(folder, "family/a.json", "{\"base\": \"a\", \"duration_s\": 20}");
    put(folder, "b.json", "{\"base\": \"family/a\", \"seed\": 5}");
    struct lab_scenario *s = load("b");
    g_assert_cmpint(s->duration_ns, ==, WEIR_SECONDS(20));
    lab_scenario_free(s);
    s = load("family/a");
    g_assert_cmpint(s->duration_ns, ==, WEIR_SECONDS(20));
    g_assert_cmpstr(s->name, ==, "family/a");
    lab_scenario_free(s);
    GPtrArray *names = lab_scenario_names();
    g_assert_true(g_ptr_array_find_with_equal_func(names, "family/a", g_str_equal, NULL));
    g_assert_false(g_ptr_array_find_with_equal_func(names, "profiles/p", g_str_equal, NULL));
    g_ptr_array_unref(names);
    char *message = load_error("family/b");
    g_assert_cmpstr(message, ==,
                    "scenario: name = \"family/b\": there is no file and no installed scenario "
                    "of this name; did you mean family/a?");
    g_free(message);
    g_free(family);
    remove_folder(folder);
}

static void test_a_base_is_overridden_field_by_field(void)
{
    char *folder = make_folder();
    put(folder, "a.json", SMALL);
    put(folder, "b.json",
        "{\"base\": \"a\", \"duration_s\": 20, \"links\": {\"b\": {\"delay_ms\": 5}}}");
    put(folder, "c.json", "{\"base\": \"b.json\", \"flows\": {\"tcp\": {\"start_s\": 3}}}");
    struct lab_scenario *s = load("c");
    g_assert_cmpint(s->duration_ns, ==, WEIR_SECONDS(20));
    g_assert_cmpint(s->links[0]->config.delay_ns, ==, WEIR_MS(5));
    g_assert_cmpint(s->links[0]->config.capacity_bps, ==, 1000000);
    g_assert_cmpint(s->flows[1]->start_ns, ==, WEIR_SECONDS(3));
    lab_scenario_free(s);
    remove_folder(folder);
}

static void test_bases_have_an_end(void)
{
    char *folder = make_folder();
    put(folder, "a.json", "{\"base\": \"b\"}");
    put(folder, "b.json", "{\"base\": \"c\"}");
    put(folder, "c.json", "{\"base\": \"a\"}");
    char *message = load_error("a");
    char *expected =
        g_strdup_printf("%s/c.json: base = \"a\": goes round: a scenario is its own base", folder);
    g_assert_cmpstr(message, ==, expected);
    g_free(expected);
    g_free(message);
    remove_folder(folder);
}

static void test_profiles_come_from_a_file(void)
{
    char *folder = make_folder();
    put(folder, "profiles/p.json",
        "{\"Old\": {\"algorithm\": \"tfrc\", \"params\": {\"profile\": \"rfc3448\"}}}");
    char *content = text_replace(SMALL, "\"vars\"", "\"profiles\": \"p\", \"vars\"");
    char *used = text_replace(content, "\"$tested\"", "\"Old\"");
    put(folder, "a.json", used);
    struct lab_scenario *s = load("a");
    g_assert_cmpstr(s->flows[0]->algorithm, ==, "Old");
    g_assert_cmpstr(s->flows[0]->media.sender.algorithm, ==, "tfrc");
    g_assert_cmpuint(s->flows[0]->media.sender.n_params, ==, 1);
    lab_scenario_free(s);
    g_free(used);
    g_free(content);
    remove_folder(folder);
}

/* An own file takes the place of an installed one; the others stay. */
static void test_installed_profiles_are_those_of_all_folders(void)
{
    char *folder = make_folder();
    put(folder, "profiles/p.json", "{\"Z\": {\"algorithm\": \"tfrc\"}, \"A\": {}}");
    put(folder, "profiles/papers.json", "{\"ONLY\": {\"algorithm\": \"tfrc\"}}");
    json_t *all = lab_installed_profiles(NULL);
    json_t *own = json_object_get(all, "p");
    g_assert_cmpstr(json_object_iter_key(json_object_iter(own)), ==, "Z");
    g_assert_cmpuint(json_object_size(own), ==, 2);
    g_assert_cmpuint(json_object_size(json_object_get(all, "papers")), ==, 1);
    g_assert_nonnull(json_object_get(all, "linux"));
    json_decref(all);
    put(folder, "profiles/p.json", "{\"M\": ");
    GError *error = NULL;
    g_assert_null(lab_installed_profiles(&error));
    g_assert_nonnull(strstr(error->message, "p.json"));
    g_error_free(error);
    remove_folder(folder);
}

static void test_files_of_traces_are_put_in(void)
{
    char *folder = make_folder();
    put(folder, "cell.down", "2\n5\n5\n10\n");
    put(folder, "bad.down", "2\n5\nfive\n");
    char *content = text_replace(SMALL, "\"capacity_bps\": 1000000", "\"trace_ms\": \"cell.down\"");
    put(folder, "a.json", content);
    put(folder, "b.json", "{\"base\": \"a\"}");
    put(folder, "c.json", "{\"base\": \"a\", \"links\": {\"b\": {\"trace_ms\": \"bad.down\"}}}");
    struct lab_scenario *s = load("b");
    g_assert_cmpuint(s->links[0]->config.n_trace, ==, 4);
    g_assert_cmpint(s->links[0]->config.trace_ms[3], ==, 10);
    lab_scenario_free(s);
    char *message = load_error("c");
    char *expected = g_strdup_printf("c: links.b.trace_ms: %s/bad.down: line 3: expected a whole "
                                     "number of milliseconds up to 10^9",
                                     folder);
    g_assert_cmpstr(message, ==, expected);
    g_free(expected);
    g_free(message);
    g_free(content);
    remove_folder(folder);
}

static void test_files_of_schedules_and_frames_are_put_in(void)
{
    char *folder = make_folder();
    put(folder, "steps.txt", "# seconds bit/s\n0 1000000\n\n2.5 2e6\r\n");
    put(folder, "frames.txt", "1000 2000\n3000\n");
    char *content = text_replace(SMALL, "20}", "20, \"schedule\": {\"file\": \"steps.txt\"}}");
    char *used = text_replace(content, "\"kind\": \"cbr\", \"rate_bps\": 500000",
                              "\"kind\": \"vbr\", \"frames\": \"frames.txt\"");
    put(folder, "a.json", used);
    put(folder, "b.json", "{\"base\": \"a\"}");
    struct lab_scenario *s = load("b");
    g_assert_cmpuint(s->links[0]->config.n_steps, ==, 2);
    g_assert_cmpint(s->links[0]->config.steps[1].at_ns, ==, WEIR_MS(2500));
    g_assert_cmpint(s->links[0]->config.steps[1].rate_bps, ==, 2000000);
    g_assert_cmpuint(s->flows[0]->media.source.n_frames, ==, 3);
    g_assert_cmpint(s->flows[0]->media.source.frame_bytes[2], ==, 3000);
    lab_scenario_free(s);
    put(folder, "frames.txt", "1000 x\n");
    char *message = load_error("a");
    g_assert_cmpstr(message, ==,
                    "a: flows.call.source.frames = \"x\": frames are whole numbers of "
                    "bytes, 1 to 10000000");
    g_free(message);
    g_free(used);
    g_free(content);
    remove_folder(folder);
}

static void test_a_name_that_is_nothing_has_a_nearest_one(void)
{
    char *folder = make_folder();
    put(folder, "c.json", SMALL);
    char *message = load_error("cal");
    g_assert_cmpstr(message, ==,
                    "scenario: name = \"cal\": there is no file and no installed "
                    "scenario of this name; did you mean call?");
    g_free(message);
    remove_folder(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_files/installed_scenarios_are_listed_with_their_descriptions",
                    test_installed_scenarios_are_listed_with_their_descriptions);
    g_test_add_func("/scenario_files/scenarios_in_folders_are_found_by_folder_and_name",
                    test_scenarios_in_folders_are_found_by_folder_and_name);
    g_test_add_func("/scenario_files/a_base_is_overridden_field_by_field",
                    test_a_base_is_overridden_field_by_field);
    g_test_add_func("/scenario_files/bases_have_an_end", test_bases_have_an_end);
    g_test_add_func("/scenario_files/profiles_come_from_a_file", test_profiles_come_from_a_file);
    g_test_add_func("/scenario_files/installed_profiles_are_those_of_all_folders",
                    test_installed_profiles_are_those_of_all_folders);
    g_test_add_func("/scenario_files/files_of_traces_are_put_in", test_files_of_traces_are_put_in);
    g_test_add_func("/scenario_files/files_of_schedules_and_frames_are_put_in",
                    test_files_of_schedules_and_frames_are_put_in);
    g_test_add_func("/scenario_files/a_name_that_is_nothing_has_a_nearest_one",
                    test_a_name_that_is_nothing_has_a_nearest_one);
    return g_test_run();
}
