/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/profile_list.h"
#include "scenario/files.h"
#include "scenario/json.h"
#include <string.h>

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the JSON files of a directory, sorted; none when it cannot be read. */
static GPtrArray *json_files(const char *directory)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(directory, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(name, ".json")) {
            g_ptr_array_add(names, g_strdup(name));
        }
    }
    if (dir) {
        g_dir_close(dir);
    }
    g_ptr_array_sort(names, compare);
    return names;
}

static void add_members(GArray *profiles, const char *file, JsonObject *object)
{
    GList *members = json_object_get_members(object);
    for (GList *at = members; at; at = at->next) {
        JsonNode *algorithm = lab_json_get(json_object_get_member(object, at->data), "algorithm");
        struct lab_profile profile = {.name = g_strdup(at->data),
                                      .file = g_strndup(file, strlen(file) - strlen(".json")),
                                      .algorithm = g_strdup(algorithm && lab_json_is_text(algorithm)
                                                                ? json_node_get_string(algorithm)
                                                                : "")};
        g_array_append_val(profiles, profile);
    }
    g_list_free(members);
}

static gboolean add_file(GArray *profiles, const char *directory, const char *file, GError **error)
{
    char *path = g_build_filename(directory, file, NULL);
    gsize length = 0;
    char *text = lab_read_file(path, &length, error);
    JsonNode *node = text ? lab_json_parse(text, length, path, error) : NULL;
    if (node && JSON_NODE_HOLDS_OBJECT(node)) {
        add_members(profiles, file, json_node_get_object(node));
    }
    if (node) {
        json_node_unref(node);
    }
    g_free(text);
    g_free(path);
    return node != NULL;
}

static gboolean add_directory(GArray *profiles, GHashTable *seen, const char *directory,
                              GError **error)
{
    GPtrArray *files = json_files(directory);
    gboolean good = TRUE;
    for (guint i = 0; i < files->len && good; i++) {
        const char *file = g_ptr_array_index(files, i);
        if (g_hash_table_add(seen, g_strdup(file))) {
            good = add_file(profiles, directory, file, error);
        }
    }
    g_ptr_array_free(files, TRUE);
    return good;
}

/* Of all files where scenarios are found; of files of the same name, the first counts. In the order
 * of the folders, of the files' names and, in each, of the file. */
gboolean lab_profiles_load(struct lab_profile **profiles, guint *n_profiles, GError **error)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct lab_profile));
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    char **folders = lab_scenario_folders();
    gboolean good = TRUE;
    for (gsize i = 0; folders[i] && good; i++) {
        char *directory = g_build_filename(folders[i], "profiles", NULL);
        good = !*folders[i] || add_directory(all, seen, directory, error);
        g_free(directory);
    }
    g_strfreev(folders);
    g_hash_table_unref(seen);
    *n_profiles = all->len;
    *profiles = (struct lab_profile *)(gpointer)g_array_free(all, FALSE);
    if (!good) {
        lab_profiles_free(*profiles, *n_profiles);
    }
    return good;
}

/* The array and what is in it; accepts NULL with 0. */
void lab_profiles_free(struct lab_profile *profiles, guint n_profiles)
{
    for (guint i = 0; i < n_profiles; i++) {
        g_free(profiles[i].name);
        g_free(profiles[i].file);
        g_free(profiles[i].algorithm);
    }
    g_free(profiles);
}
