/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loader/loader.h"
#include "weir/contract.h"
#include <gmodule.h>
#include <string.h>

#define SYMBOL "weir_plugin"

/* The version comes first, and nothing behind it is read unless it is ours. */
static char *register_all(const char *file, const struct weir_plugin *plugin)
{
    char why[256];
    if (plugin->contract_version != WEIR_CONTRACT_VERSION) {
        return g_strdup_printf("%s: made for version %u of the contract, this libweir has %d; "
                               "compile it with this one's headers",
                               file, plugin->contract_version, WEIR_CONTRACT_VERSION);
    }
    if (plugin->n_controllers == 0 || plugin->n_controllers > G_N_ELEMENTS(plugin->controllers)) {
        return g_strdup_printf("%s: " SYMBOL " must have 1 to %u controllers, not %u", file,
                               (guint)G_N_ELEMENTS(plugin->controllers), plugin->n_controllers);
    }
    for (uint32_t i = 0; i < plugin->n_controllers; i++) {
        if (weir_register_controller(plugin->controllers[i], plugin->contract_version, why,
                                     sizeof why) != WEIR_OK) {
            return g_strdup_printf("%s: %s", file, why);
        }
    }
    return NULL;
}

/* GModule gives the same handle for the same object. */
static char *register_once(const char *file, GModule *module)
{
    static GHashTable *done;
    gpointer symbol = NULL;
    if (!done) {
        done = g_hash_table_new(NULL, NULL);
    }
    if (g_hash_table_contains(done, module)) {
        return NULL;
    }
    if (!g_module_symbol(module, SYMBOL, &symbol) || !symbol) {
        return g_strdup_printf("%s: has no %s (weir/contract.h)", file, SYMBOL);
    }
    char *wrong = register_all(file, symbol);
    if (!wrong) {
        g_hash_table_add(done, module);
    }
    return wrong;
}

char *weir_loader_load(const char *file)
{
    /* A name without a slash would be looked for among the system's libraries. */
    g_autofree char *path = g_canonicalize_filename(file, NULL);
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        return g_strdup_printf("%s: there is no such file", file);
    }
    GModule *module = g_module_open(path, G_MODULE_BIND_LOCAL);
    if (!module) {
        return g_strdup_printf("%s: cannot be loaded: %s", file, g_module_error());
    }
    g_module_make_resident(module);
    return register_once(file, module);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of a directory; what is none is the file itself. */
static GPtrArray *files_of(const char *place)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    GDir *directory = g_dir_open(place, 0, NULL);
    if (!directory) {
        g_ptr_array_add(files, g_strdup(place));
        return files;
    }
    for (const char *name; (name = g_dir_read_name(directory));) {
        if (g_str_has_suffix(name, "." G_MODULE_SUFFIX)) {
            g_ptr_array_add(files, g_build_filename(place, name, NULL));
        }
    }
    g_dir_close(directory);
    g_ptr_array_sort(files, by_name);
    return files;
}

char *weir_loader_load_list(const char *list)
{
    g_auto(GStrv) places = g_strsplit(list, G_SEARCHPATH_SEPARATOR_S, -1);
    GString *wrong = g_string_new(NULL);
    for (gsize i = 0; places[i]; i++) {
        g_autoptr(GPtrArray) files = files_of(places[i]);
        for (guint k = 0; places[i][0] && k < files->len; k++) {
            g_autofree char *why = weir_loader_load(g_ptr_array_index(files, k));
            g_string_append_printf(wrong, "%s%s", why && wrong->len > 0 ? "\n" : "",
                                   why ? why : "");
        }
    }
    return g_string_free(wrong, wrong->len == 0);
}
