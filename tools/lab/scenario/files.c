/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/files.h"
#include "scenario/json.h"
#include "scenario/merge.h"
#include "scenario/scenario.h"
#include "scenario/schedule.h"
#include "sim/network/capacity_trace.h"
#include <string.h>

#define MOST_BASES         8
#define MOST_OPPORTUNITIES 1000000

/* Folders with scenarios, in the order of search; some may be "" or not exist. Free with
 * g_strfreev. */
char **lab_scenario_folders(void)
{
    const char *given = g_getenv("WEIR_SCENARIOS");
    char *all = g_strconcat(given != NULL ? given : "", ":", LAB_SOURCE_SCENARIO_DIR, ":",
                            LAB_SCENARIO_DIR, NULL);
    char **folders = g_strsplit(all, ":", -1);
    g_free(all);
    return folders;
}

#define PROFILES "profiles" /* the folder that holds no scenarios */

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
    char **folders = lab_scenario_folders();
    char *file = g_strconcat(name, ".json", NULL);
    char *found = NULL;
    for (guint i = 0; folders[i] != NULL && found == NULL; i++) {
        char *path = g_build_filename(folders[i], subfolder, file, NULL);
        if (folders[i][0] != '\0' && g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
            found = path;
        } else {
            g_free(path);
        }
    }
    g_free(file);
    g_strfreev(folders);
    return found;
}

static gboolean no_such_scenario(const char *name, const struct lab_place *place, GError **error)
{
    char **names = lab_scenario_names(NULL);
    const char *nearest = lab_nearest_name(name, (const char *const *)names, g_strv_length(names));
    JsonNode *shown = lab_json_text(name);
    lab_fail(error, place, shown, "there is no file and no installed scenario of this name%s%s%s",
             nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
             nearest != NULL ? "?" : "");
    json_node_unref(shown);
    g_strfreev(names);
    return FALSE;
}

/* The file that a name stands for; NULL and *error. A name ending in ".json", or with '/' and of a
 * file that there is, is a file, relative to `folder` (NULL = the current one); any other is an
 * installed one, in `subfolder` (PROFILES, or "" for scenarios). Free with g_free. */
static char *find_file(const char *name, const char *subfolder, const char *folder,
                       const struct lab_place *place, GError **error)
{
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
    if (path != NULL && g_file_test(path, G_FILE_TEST_EXISTS)) {
        return path;
    }
    g_free(path);
    if (subfolder[0] == '\0') {
        no_such_scenario(name, place, error);
    } else {
        JsonNode *shown = lab_json_text(name);
        lab_fail(error, place, shown, "there is no file of this name in %s of the scenarios",
                 subfolder);
        json_node_unref(shown);
    }
    return NULL;
}

/* The file as JSON. */
static JsonNode *load_file(const char *path, GError **error)
{
    gsize length = 0;
    char *text = lab_read_file(path, &length, error);
    JsonNode *node = text != NULL ? lab_json_parse(text, length, path, error) : NULL;
    if (node != NULL && !JSON_NODE_HOLDS_OBJECT(node)) {
        struct lab_place file = {.name = path};
        lab_fail(error, &file, NULL, "must be an object, {...}");
        g_clear_pointer(&node, json_node_unref);
    }
    g_free(text);
    return node;
}

/* Files that are being read, each for the sake of the one before. */
struct chain {
    const struct chain *up;
    const char *path;
};

static gboolean is_in_chain(const struct chain *chain, const char *path)
{
    for (; chain != NULL; chain = chain->up) {
        if (strcmp(chain->path, path) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* {"file": NAME}, "frames": NAME and "trace_ms": NAME, relative to where they are written, become
 * absolute. */
static gboolean make_absolute(void *user, const struct lab_place *place, JsonNode *node,
                              JsonNode **replacement, GError **error)
{
    (void)error;
    gboolean is_file = place->up != NULL && strcmp(place->name, "file") == 0 &&
                       strcmp(place->up->name, "schedule") == 0;
    gboolean is_name = place->up != NULL &&
                       (strcmp(place->name, "frames") == 0 || strcmp(place->name, "trace_ms") == 0);
    if (lab_json_is_text(node) && (is_file || is_name) && json_node_get_string(node)[0] != '$') {
        char *path = g_canonicalize_filename(json_node_get_string(node), user);
        *replacement = lab_json_text(path);
        g_free(path);
    }
    return TRUE;
}

/* A new tree in which a `profiles` that is a name has become what that file says. */
JsonNode *lab_put_profiles_in(JsonNode *tree, const char *folder, const struct lab_place *file,
                              GError **error)
{
    JsonNode *name = lab_json_get(tree, "profiles");
    struct lab_place place = {.up = file, .name = "profiles"};
    if (!lab_json_is_text(name)) {
        return json_node_ref(tree);
    }
    char *path = find_file(json_node_get_string(name), PROFILES, folder, &place, error);
    JsonNode *profiles = path != NULL ? load_file(path, error) : NULL;
    JsonNode *result = profiles != NULL ? lab_json_copy_object(tree) : NULL;
    if (result != NULL) {
        lab_json_set(result, "profiles", profiles);
    }
    g_free(path);
    return result;
}

static JsonNode *load(const char *path, const struct chain *up, int depth, GError **error);

/* The tree over its base. */
static JsonNode *put_base_in(JsonNode *tree, const char *folder, const struct chain *chain,
                             int depth, const struct lab_place *file, GError **error)
{
    JsonNode *name = lab_json_get(tree, "base");
    struct lab_place place = {.up = file, .name = "base"};
    if (name == NULL) {
        return json_node_ref(tree);
    }
    if (!lab_json_is_text(name)) {
        lab_fail(error, &place, name, "must be the name of a scenario or a file");
        return NULL;
    }
    char *path = find_file(json_node_get_string(name), "", folder, &place, error);
    JsonNode *base = NULL;
    if (path != NULL && is_in_chain(chain, path)) {
        lab_fail(error, &place, name, "goes round: a scenario is its own base");
    } else if (path != NULL && depth >= MOST_BASES) {
        lab_fail(error, &place, name, "more than %d bases, one of the other", MOST_BASES);
    } else if (path != NULL) {
        base = load(path, chain, depth + 1, error);
    }
    g_free(path);
    if (base == NULL) {
        return NULL;
    }
    JsonNode *over = lab_json_copy_object(tree);
    json_object_remove_member(json_node_get_object(over), "base");
    JsonNode *result = lab_merge(base, over, file, error);
    json_node_unref(over);
    json_node_unref(base);
    return result;
}

static JsonNode *load(const char *path, const struct chain *up, int depth, GError **error)
{
    struct chain chain = {.up = up, .path = path};
    char *folder = g_path_get_dirname(path);
    struct lab_place file = {.name = path};
    struct lab_visitor absolute = {.visit = make_absolute, .user = folder};
    JsonNode *read = load_file(path, error);
    JsonNode *tree = read != NULL ? lab_json_map(read, &file, &absolute, error) : NULL;
    JsonNode *with_profiles = tree != NULL ? lab_put_profiles_in(tree, folder, &file, error) : NULL;
    JsonNode *result = with_profiles != NULL
                           ? put_base_in(with_profiles, folder, &chain, depth, &file, error)
                           : NULL;
    g_clear_pointer(&read, json_node_unref);
    g_clear_pointer(&tree, json_node_unref);
    g_clear_pointer(&with_profiles, json_node_unref);
    g_free(folder);
    return result;
}

/* The scenario with `base` and a named `profiles` put in; *folder, free with g_free, is where its
 * file is. */
JsonNode *lab_load_scenario(const char *name, char **folder, GError **error)
{
    struct lab_place file = {.name = "scenario"};
    struct lab_place place = {.up = &file, .name = "name"};
    char *path = find_file(name, "", NULL, &place, error);
    JsonNode *tree = path != NULL ? load(path, NULL, 0, error) : NULL;
    *folder = path != NULL ? g_path_get_dirname(path) : NULL;
    g_free(path);
    return tree;
}

struct inliner {
    const char *folder;
};

/* Sizes in bytes, one per word. */
static JsonNode *frames_from_text(const char *text, const struct lab_place *place, GError **error)
{
    JsonArray *list = json_array_new();
    char **words = g_strsplit_set(text, " \t\r\n", -1);
    const char *wrong = NULL;
    for (guint i = 0; words[i] != NULL && wrong == NULL; i++) {
        guint64 size = 0;
        if (words[i][0] == '\0') {
            continue;
        }
        if (g_ascii_string_to_unsigned(words[i], 10, 1, 10000000, &size, NULL)) {
            json_array_add_int_element(list, (gint64)size);
        } else {
            wrong = words[i];
        }
    }
    JsonNode *node = json_node_init_array(json_node_alloc(), list);
    json_array_unref(list);
    if (wrong != NULL) {
        JsonNode *shown = lab_json_text(wrong);
        lab_fail(error, place, shown, "frames are whole numbers of bytes, 1 to 10000000");
        json_node_unref(shown);
        g_clear_pointer(&node, json_node_unref);
    }
    g_strfreev(words);
    return node;
}

/* The milliseconds of a capacity trace. */
static JsonNode *trace_from_text(const char *text, const char *path, const struct lab_place *place,
                                 GError **error)
{
    char why[160] = "";
    gsize n = 0;
    gsize most = MIN(weir__capacity_trace_count(text), MOST_OPPORTUNITIES);
    gint64 *at_ms = g_new(gint64, most);
    if (weir__capacity_trace_parse(text, at_ms, most, &n, why, sizeof why) != WEIR_OK) {
        g_free(at_ms);
        lab_fail(error, place, NULL, "%s: %s", path, why);
        return NULL;
    }
    JsonArray *list = json_array_sized_new((guint)n);
    for (gsize i = 0; i < n; i++) {
        json_array_add_int_element(list, at_ms[i]);
    }
    g_free(at_ms);
    JsonNode *node = json_node_init_array(json_node_alloc(), list);
    json_array_unref(list);
    return node;
}

static gboolean put_file_in(void *user, const struct lab_place *place, JsonNode *node,
                            JsonNode **replacement, GError **error)
{
    const struct inliner *inliner = user;
    gboolean is_schedule = strcmp(place->name, "schedule") == 0 && JSON_NODE_HOLDS_OBJECT(node);
    gboolean is_frames = strcmp(place->name, "frames") == 0 && lab_json_is_text(node);
    gboolean is_trace = strcmp(place->name, "trace_ms") == 0 && lab_json_is_text(node);
    JsonNode *name = is_schedule ? lab_json_get(node, "file") : is_frames || is_trace ? node : NULL;
    if (!lab_json_is_text(name)) {
        return TRUE;
    }
    gsize length = 0;
    gboolean in_source = place->up != NULL && strcmp(place->up->name, "source") == 0;
    char *path = g_canonicalize_filename(json_node_get_string(name), inliner->folder);
    char *text = NULL;
    if (is_schedule && json_object_get_size(json_node_get_object(node)) > 1) {
        lab_fail(error, place, node, "must have `file` alone");
    } else {
        text = lab_read_file(path, &length, error);
    }
    if (text != NULL && is_trace) {
        *replacement = trace_from_text(text, path, place, error);
    } else if (text != NULL && is_frames) {
        *replacement = frames_from_text(text, place, error);
    } else if (text != NULL) {
        *replacement =
            lab_schedule_from_text(text, in_source ? "rate_bps" : "capacity_bps", place, error);
    }
    g_free(path);
    g_free(text);
    return *replacement != NULL;
}

/* A new tree in which the files of schedules, frames and traces are lists; names are relative to
 * `folder`.
 */
JsonNode *lab_put_files_in(JsonNode *tree, const char *folder, const struct lab_place *place,
                           GError **error)
{
    struct inliner inliner = {.folder = folder};
    struct lab_visitor visitor = {.visit = put_file_in, .user = &inliner};
    return lab_json_map(tree, place, &visitor, error);
}

/* Takes the name. */
static void add_name(char *name, GPtrArray *names)
{
    if (g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL)) {
        g_free(name);
    } else {
        g_ptr_array_add(names, name);
    }
}

/* Scenarios of a folder and (prefix "") of the folders in it, as "FOLDER/NAME". */
static void add_names(const char *folder, const char *prefix, GPtrArray *names)
{
    GDir *dir = folder[0] != '\0' ? g_dir_open(folder, 0, NULL) : NULL;
    const char *file = NULL;
    while (dir != NULL && (file = g_dir_read_name(dir)) != NULL) {
        char *path = g_build_filename(folder, file, NULL);
        if (g_str_has_suffix(file, ".json")) {
            int length = (int)(strlen(file) - strlen(".json"));
            add_name(g_strdup_printf("%s%.*s", prefix, length, file), names);
        } else if (prefix[0] == '\0' && strcmp(file, PROFILES) != 0 &&
                   g_file_test(path, G_FILE_TEST_IS_DIR)) {
            char *inner = g_strconcat(file, "/", NULL);
            add_names(path, inner, names);
            g_free(inner);
        }
        g_free(path);
    }
    if (dir != NULL) {
        g_dir_close(dir);
    }
}

static char *describe(const char *name)
{
    GError *error = NULL;
    char *path = find_installed(name, "");
    JsonNode *tree = path != NULL ? load_file(path, &error) : NULL;
    JsonNode *text = lab_json_get(tree, "description");
    char *description = error != NULL
                            ? g_strdup_printf("(cannot be read: %s)", error->message)
                            : g_strdup(lab_json_is_text(text) ? json_node_get_string(text) : "");
    g_clear_error(&error);
    g_clear_pointer(&tree, json_node_unref);
    g_free(path);
    return description;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* descriptions: may be NULL; else as many, NULL-terminated, free with g_strfreev. */
char **lab_scenario_names(char ***descriptions)
{
    GPtrArray *names = g_ptr_array_new();
    char **folders = lab_scenario_folders();
    for (guint i = 0; folders[i] != NULL; i++) {
        add_names(folders[i], "", names);
    }
    g_strfreev(folders);
    g_ptr_array_sort(names, compare_names);
    if (descriptions != NULL) {
        char **list = g_new0(char *, names->len + 1);
        for (guint i = 0; i < names->len; i++) {
            list[i] = describe(names->pdata[i]);
        }
        *descriptions = list;
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}
