/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/files.h"
#include "scenario/json.h"
#include "scenario/merge.h"
#include "scenario/scenario.h"
#include "scenario/schedule.h"
#include "sim/network/capacity_trace.h"
#include <string.h>

#define PROFILES   "profiles" /* the folder that holds no scenarios */
#define MOST_BASES 8

/* Folders with scenarios, in the order of search; some may be "" or not exist. Free with
 * g_strfreev. */
static char **scenario_folders(void)
{
    const char *given = g_getenv("WEIR_SCENARIOS");
    g_autofree char *all = g_strconcat(given != NULL ? given : "", ":", LAB_SOURCE_SCENARIO_DIR,
                                       ":", LAB_SCENARIO_DIR, NULL);
    return g_strsplit(all, ":", -1);
}

static gboolean is_file_name(const char *name)
{
    return strchr(name, '/') != NULL || g_str_has_suffix(name, ".json");
}

/* "live/const": the scenario `const` in the folder `live` of the installed ones. */
static gboolean may_be_installed(const char *name)
{
    return g_ascii_isalnum(name[0]) && !g_str_has_suffix(name, ".json") &&
           strstr(name, "..") == NULL;
}

static char *find_installed(const char *name, const char *subfolder)
{
    g_auto(GStrv) folders = scenario_folders();
    g_autofree char *file = g_strconcat(name, ".json", NULL);
    char *found = NULL;
    for (guint i = 0; folders[i] != NULL && found == NULL; i++) {
        char *path = g_build_filename(folders[i], subfolder, file, NULL);
        if (folders[i][0] != '\0' && g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
            found = path;
        } else {
            g_free(path);
        }
    }
    return found;
}

static void no_such_file(const char *name, const char *subfolder, const struct lab_place *place)
{
    if (subfolder[0] != '\0') {
        lab_fail(place, "there is no file of this name in %s of the scenarios", subfolder);
        return;
    }
    g_autoptr(GPtrArray) names = lab_scenario_names();
    const char *nearest = lab_nearest_name(name, names);
    lab_fail(place, "there is no file and no installed scenario of this name%s%s%s",
             nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
             nearest != NULL ? "?" : "");
}

/* The file that the name at the place stands for; NULL with an error. A name ending in ".json", or
 * with '/' and of a file that there is, is a file, relative to `folder` (NULL = the current one);
 * any other is an installed one, in `subfolder` (PROFILES, or "" for scenarios). Free with g_free.
 */
static char *find_file(const struct lab_place *place, const char *subfolder, const char *folder)
{
    const char *name = json_string_value(place->node);
    char *path = is_file_name(name) ? g_canonicalize_filename(name, folder) : NULL;
    if (path != NULL && may_be_installed(name) && !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        g_clear_pointer(&path, g_free);
    }
    if (path == NULL && name[0] != '\0') {
        path = find_installed(name, subfolder);
    }
    if (path == NULL && folder == NULL && g_file_test(name, G_FILE_TEST_EXISTS)) {
        path = g_canonicalize_filename(name, NULL);
    }
    if (path == NULL || !g_file_test(path, G_FILE_TEST_EXISTS)) {
        no_such_file(name, subfolder, place);
        g_clear_pointer(&path, g_free);
    }
    return path;
}

/* Files that are being read, each for the sake of the one before. */
struct chain {
    const struct chain *up;
    const char *path;
    int depth;
};

static gboolean is_in_chain(const struct chain *chain, const char *path)
{
    return chain != NULL && (strcmp(chain->path, path) == 0 || is_in_chain(chain->up, path));
}

static gboolean is_named(const struct lab_place *place, const char *name)
{
    return place->up != NULL && strcmp(place->name, name) == 0;
}

/* {"file": NAME}, "frames": NAME and "trace_ms": NAME, relative to where they are written, become
 * absolute. */
static gboolean make_absolute(void *folder, const struct lab_place *place, json_t **replacement)
{
    const char *name = json_string_value(place->node);
    gboolean is_file = is_named(place, "file") && is_named(place->up, "schedule");
    if (name != NULL && name[0] != '$' &&
        (is_file || is_named(place, "frames") || is_named(place, "trace_ms"))) {
        g_autofree char *path = g_canonicalize_filename(name, folder);
        *replacement = json_string_nocheck(path);
    }
    return TRUE;
}

/* A `profiles` that is a name becomes what that file says. */
gboolean lab_put_profiles_in(const struct lab_place *file, const char *folder)
{
    struct lab_place place = lab_at(file, "profiles");
    if (!json_is_string(place.node)) {
        return TRUE;
    }
    g_autofree char *path = find_file(&place, PROFILES, folder);
    json_t *profiles = path != NULL ? lab_json_load(path, lab_file_of(file)->error) : NULL;
    return json_object_set_new(file->node, place.name, profiles) == 0;
}

static json_t *load(const char *path, const struct chain *up, GError **error);

/* The tree over its base: a new reference, or NULL. */
static json_t *put_base_in(const struct lab_place *file, const char *folder,
                           const struct chain *chain)
{
    struct lab_place place = lab_at(file, "base");
    struct lab_place base = *file;
    if (place.node == NULL) {
        return json_incref(file->node);
    }
    if (!json_is_string(place.node)) {
        lab_fail(&place, "must be the name of a scenario or a file");
        return NULL;
    }
    g_autofree char *path = find_file(&place, "", folder);
    base.node = NULL;
    if (path != NULL && is_in_chain(chain, path)) {
        lab_fail(&place, "goes round: a scenario is its own base");
    } else if (path != NULL && chain->depth >= MOST_BASES) {
        lab_fail(&place, "more than %d bases, one of the other", MOST_BASES);
    } else if (path != NULL) {
        base.node = load(path, chain, file->error);
    }
    json_object_del(file->node, "base");
    json_t *result = base.node != NULL ? lab_merge(&base, file->node) : NULL;
    json_decref(base.node);
    return result;
}

static json_t *load(const char *path, const struct chain *up, GError **error)
{
    struct chain chain = {.up = up, .path = path, .depth = up != NULL ? up->depth + 1 : 0};
    g_autofree char *folder = g_path_get_dirname(path);
    json_auto_t *read = lab_json_load(path, error);
    struct lab_place file = {.name = path, .node = read, .error = error};
    file.node = read != NULL ? lab_json_map(&file, make_absolute, folder) : NULL;
    json_t *result = file.node != NULL && lab_put_profiles_in(&file, folder)
                         ? put_base_in(&file, folder, &chain)
                         : NULL;
    json_decref(file.node);
    return result;
}

/* The scenario with `base` and a named `profiles` put in; *folder, free with g_free, is where its
 * file is. */
json_t *lab_load_scenario(const char *name, char **folder, GError **error)
{
    json_auto_t *text = json_string_nocheck(name);
    struct lab_place file = {.name = "scenario", .error = error};
    struct lab_place place = {.up = &file, .name = "name", .node = text};
    g_autofree char *path = find_file(&place, "", NULL);
    json_t *tree = path != NULL ? load(path, NULL, error) : NULL;
    *folder = path != NULL ? g_path_get_dirname(path) : NULL;
    return tree;
}

/* Sizes in bytes, one per word. */
static json_t *frames_from_text(const char *text, const struct lab_place *place)
{
    json_t *list = json_array();
    g_auto(GStrv) words = g_strsplit_set(text, " \t\r\n", -1);
    for (guint i = 0; words[i] != NULL; i++) {
        guint64 size = 0;
        if (g_ascii_string_to_unsigned(words[i], 10, 1, 10000000, &size, NULL)) {
            json_array_append_new(list, json_integer((json_int_t)size));
        } else if (words[i][0] != '\0') {
            json_auto_t *wrong = json_string_nocheck(words[i]);
            struct lab_place word = {.up = place->up, .name = place->name, .node = wrong};
            lab_fail(&word, "frames are whole numbers of bytes, 1 to 10000000");
            g_clear_pointer(&list, json_decref);
            break;
        }
    }
    return list;
}

/* The milliseconds of a capacity trace. */
static json_t *trace_from_text(const char *text, const char *path, const struct lab_place *place)
{
    char why[160] = "";
    gsize n = 0;
    gsize most = MIN(weir__capacity_trace_count(text), LAB_MOST_OPPORTUNITIES);
    g_autofree gint64 *at_ms = g_new(gint64, most);
    json_t *list = NULL;
    if (weir__capacity_trace_parse(text, at_ms, most, &n, why, sizeof why) == WEIR_OK) {
        list = json_array();
        for (gsize i = 0; i < n; i++) {
            json_array_append_new(list, json_integer(at_ms[i]));
        }
    } else {
        struct lab_place trace = {.up = place->up, .name = place->name};
        lab_fail(&trace, "%s: %s", path, why);
    }
    return list;
}

static gboolean put_file_in(void *folder, const struct lab_place *place, json_t **replacement)
{
    gboolean is_schedule = is_named(place, "schedule") && json_is_object(place->node);
    gboolean is_frames = is_named(place, "frames");
    const char *name = is_schedule ? json_string_value(json_object_get(place->node, "file"))
                       : is_frames || is_named(place, "trace_ms") ? json_string_value(place->node)
                                                                  : NULL;
    if (name == NULL) {
        return TRUE;
    }
    if (is_schedule && json_object_size(place->node) > 1) {
        return lab_fail(place, "must have `file` alone");
    }
    gsize length = 0;
    g_autofree char *path = g_canonicalize_filename(name, folder);
    g_autofree char *text = lab_read_file(path, &length, lab_file_of(place)->error);
    if (text != NULL) {
        *replacement =
            is_schedule
                ? lab_schedule_from_text(
                      text, is_named(place->up, "source") ? "rate_bps" : "capacity_bps", place)
            : is_frames ? frames_from_text(text, place)
                        : trace_from_text(text, path, place);
    }
    return *replacement != NULL;
}

/* A new tree in which the files of schedules, frames and traces are lists; names are relative to
 * `folder`. */
json_t *lab_put_files_in(const struct lab_place *file, char *folder)
{
    return lab_json_map(file, put_file_in, folder);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds PREFIX and the name of each JSON file in a folder, without ".json", unless it is there. */
static void add_names(const char *folder, const char *prefix, GPtrArray *names)
{
    GDir *dir = folder[0] != '\0' ? g_dir_open(folder, 0, NULL) : NULL;
    const char *file = NULL;
    while (dir != NULL && (file = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(folder, file, NULL);
        char *name = g_strconcat(prefix, file, NULL);
        if (g_str_has_suffix(file, ".json")) {
            name[strlen(name) - strlen(".json")] = '\0';
            if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL)) {
                g_ptr_array_add(names, g_steal_pointer(&name));
            }
        } else if (prefix[0] == '\0' && strcmp(file, PROFILES) != 0) {
            g_autofree char *inner = g_strconcat(file, "/", NULL);
            add_names(path, inner, names);
        }
        g_free(name);
    }
    if (dir != NULL) {
        g_dir_close(dir);
    }
}

/* Sorted. */
static GPtrArray *installed_names(const char *subfolder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) folders = scenario_folders();
    for (guint i = 0; folders[i] != NULL; i++) {
        g_autofree char *folder = g_build_filename(folders[i], subfolder, NULL);
        add_names(folders[i][0] != '\0' ? folder : "", "", names);
    }
    g_ptr_array_sort(names, compare_names);
    return names;
}

/* Names of installed scenarios, sorted; "FOLDER/NAME" of those in folders. */
GPtrArray *lab_scenario_names(void)
{
    return installed_names("");
}

/* Its `description`, or why it cannot be read. Free with g_free. */
char *lab_scenario_describe(const char *name)
{
    GError *error = NULL;
    g_autofree char *path = find_installed(name, "");
    json_auto_t *tree = path != NULL ? lab_json_load(path, &error) : NULL;
    const char *text = json_string_value(json_object_get(tree, "description"));
    char *description = error != NULL ? g_strdup_printf("(cannot be read: %s)", error->message)
                                      : g_strdup(text != NULL ? text : "");
    g_clear_error(&error);
    return description;
}

/* What the installed profiles are: an object of them by the names of their files. NULL and *error
 * when one cannot be read. */
json_t *lab_installed_profiles(GError **error)
{
    json_t *all = json_object();
    g_autoptr(GPtrArray) names = installed_names(PROFILES);
    for (guint i = 0; i < names->len && all != NULL; i++) {
        g_autofree char *path = find_installed(names->pdata[i], PROFILES);
        if (json_object_set_new(all, names->pdata[i], lab_json_load(path, error)) != 0) {
            g_clear_pointer(&all, json_decref);
        }
    }
    return all;
}
