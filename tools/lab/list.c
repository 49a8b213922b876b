/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab list: algorithms with their parameters, scenarios, formulas. */
#include "command.h"
#include "formula.h"
#include "scenario/files.h"
#include "scenario/flow.h"
#include "text/number.h"
#include "text/writer.h"
#include "weir/controller.h"
#include <string.h>

static const char summary[] =
    "Says what there is:\n"
    "  algorithms       of the library, what competes with them, profiles\n"
    "  scenarios        that are installed, with a line each\n"
    "  params NAME      parameters of an algorithm of the library\n"
    "  formulas         of the papers, that `weir-lab formula` computes";
static const char description[] = "Examples:\n"
                                  "  weir-lab list algorithms\n"
                                  "  weir-lab list params tfrc";

static const char *kind_name(enum weir_param_kind kind)
{
    static const char *const names[] = {[WEIR_PARAM_NUMBER] = "number",
                                        [WEIR_PARAM_INTEGER] = "integer",
                                        [WEIR_PARAM_BOOL] = "bool",
                                        [WEIR_PARAM_CHOICE] = "choice"};
    return names[kind];
}

static void write_choices(struct lab_writer *writer, const struct weir_param *param)
{
    lab_write_list(writer, "choices");
    for (gsize i = 0; param->choices[i]; i++) {
        lab_write_text(writer, NULL, param->choices[i]);
    }
    lab_write_end_list(writer);
}

static void write_param(struct lab_writer *writer, const struct weir_param *param)
{
    lab_write_object(writer, NULL);
    lab_write_text(writer, "name", param->name);
    lab_write_text(writer, "kind", kind_name(param->kind));
    lab_write_text(writer, "unit", param->unit);
    if (param->kind == WEIR_PARAM_CHOICE) {
        write_choices(writer, param);
        lab_write_text(writer, "default", param->choices[(gsize)param->default_value]);
    } else if (param->kind == WEIR_PARAM_BOOL) {
        lab_write_bool(writer, "default", param->default_value > 0.5);
    } else {
        lab_write_real(writer, "min", param->min);
        lab_write_real(writer, "max", param->max);
        lab_write_real(writer, "default", param->default_value);
    }
    lab_write_text(writer, "description", param->description);
    lab_write_end_object(writer);
}

static void write_params(struct lab_writer *writer, const struct weir_algorithm_info *info)
{
    lab_write_list(writer, "params");
    for (size_t i = 0; i < info->n_params; i++) {
        write_param(writer, &info->params[i]);
    }
    lab_write_end_list(writer);
}

static void add_range(GString *text, const struct weir_param *param)
{
    if (param->kind == WEIR_PARAM_CHOICE) {
        for (gsize i = 0; param->choices[i]; i++) {
            g_string_append_printf(text, "%s%s", i > 0 ? " | " : "", param->choices[i]);
        }
        g_string_append_printf(text, ", default %s", param->choices[(gsize)param->default_value]);
    } else if (param->kind == WEIR_PARAM_BOOL) {
        g_string_append_printf(text, "true | false, default %s",
                               param->default_value > 0.5 ? "true" : "false");
    } else {
        lab_append_real(text, param->min);
        g_string_append(text, " .. ");
        lab_append_real(text, param->max);
        gboolean pure = g_strcmp0(param->unit, "1") == 0;
        g_string_append_printf(text, "%s%s, default ", pure ? "" : " ", pure ? "" : param->unit);
        lab_append_real(text, param->default_value);
    }
}

static char *params_text(const struct weir_algorithm_info *info)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s (%s): %s\n", info->name, info->spec, info->description);
    for (size_t i = 0; i < info->n_params; i++) {
        g_string_append_printf(text, "\n  %s: ", info->params[i].name);
        add_range(text, &info->params[i]);
        g_string_append_printf(text, "\n      %s\n", info->params[i].description);
    }
    if (info->n_params == 0) {
        g_string_append(text, "\n  It has no parameters.\n");
    }
    return g_string_free(text, FALSE);
}

static char *params_json(const struct weir_algorithm_info *info)
{
    struct lab_writer writer;
    lab_writer_init(&writer);
    lab_write_text(&writer, "algorithm", info->name);
    write_params(&writer, info);
    return lab_writer_finish(&writer);
}

static void write_named(struct lab_writer *writer, const char *name, const char *text)
{
    lab_write_object(writer, NULL);
    lab_write_text(writer, "name", name);
    lab_write_text(writer, "description", text);
    lab_write_end_object(writer);
}

static void write_algorithm(struct lab_writer *writer, const struct weir_algorithm_info *info)
{
    lab_write_object(writer, NULL);
    lab_write_text(writer, "name", info->name);
    lab_write_text(writer, "description", info->description);
    lab_write_text(writer, "spec", info->spec);
    lab_write_bool(writer, "for_live_media", info->for_live_media);
    write_params(writer, info);
    lab_write_end_object(writer);
}

static const char *algorithm_of(json_t *profile)
{
    const char *algorithm = json_string_value(json_object_get(profile, "algorithm"));
    return algorithm != NULL ? algorithm : "";
}

static char *algorithms_json(json_t *profiles)
{
    const char *file, *name;
    json_t *in_file, *profile;
    struct lab_writer writer;
    struct weir_algorithm_info info;
    lab_writer_init(&writer);
    lab_write_list(&writer, "algorithms");
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        if (weir_algorithm_get_info(weir_algorithm_name(i), &info) == WEIR_OK) {
            write_algorithm(&writer, &info);
        }
    }
    lab_write_end_list(&writer);
    lab_write_list(&writer, "competitors");
    for (gsize i = 0; i < lab_n_competitors; i++) {
        write_named(&writer, lab_competitors[i].name, lab_competitors[i].description);
    }
    lab_write_end_list(&writer);
    lab_write_list(&writer, "profiles");
    json_object_foreach(profiles, file, in_file)
    {
        json_object_foreach(in_file, name, profile)
        {
            lab_write_object(&writer, NULL);
            lab_write_text(&writer, "name", name);
            lab_write_text(&writer, "file", file);
            lab_write_text(&writer, "algorithm", algorithm_of(profile));
            lab_write_end_object(&writer);
        }
    }
    lab_write_end_list(&writer);
    return lab_writer_finish(&writer);
}

static char *algorithms_text(json_t *profiles)
{
    const char *file, *name;
    json_t *in_file, *profile;
    GString *text = g_string_new("Of the library (weir-lab list params NAME), for live media:\n");
    struct weir_algorithm_info info;
    bool for_live_media = true;
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        if (weir_algorithm_get_info(weir_algorithm_name(i), &info) == WEIR_OK) {
            if (for_live_media && !info.for_live_media) {
                g_string_append(text, "\nFor research and comparison:\n");
            }
            for_live_media = info.for_live_media;
            g_string_append_printf(text, "  %-14s %s (%s)\n", info.name, info.description,
                                   info.spec);
        }
    }
    g_string_append(text, "\nTo compete with:\n");
    for (gsize i = 0; i < lab_n_competitors; i++) {
        g_string_append_printf(text, "  %-14s %s\n", lab_competitors[i].name,
                               lab_competitors[i].description);
    }
    json_object_foreach(profiles, file, in_file)
    {
        g_string_append_printf(text, "\nProfiles of scenarios with \"profiles\": \"%s\":\n", file);
        json_object_foreach(in_file, name, profile)
        {
            g_string_append_printf(text, "  %-20s %s\n", name, algorithm_of(profile));
        }
    }
    return g_string_free(text, FALSE);
}

static char *algorithms(gboolean json, GError **error)
{
    json_t *profiles = lab_installed_profiles(error);
    if (!profiles) {
        return NULL;
    }
    char *text = json ? algorithms_json(profiles) : algorithms_text(profiles);
    json_decref(profiles);
    return text;
}

static char *scenarios(gboolean json)
{
    g_autoptr(GPtrArray) names = lab_scenario_names();
    GString *text = g_string_new(NULL);
    struct lab_writer writer;
    lab_writer_init(&writer);
    lab_write_list(&writer, "scenarios");
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *line = lab_scenario_describe(names->pdata[i]);
        write_named(&writer, names->pdata[i], line);
        g_string_append_printf(text, "%-18s %s\n", (char *)names->pdata[i], line);
    }
    lab_write_end_list(&writer);
    char *as_json = lab_writer_finish(&writer);
    char *as_text = g_string_free(text, FALSE);
    g_free(json ? as_text : as_json);
    return json ? as_json : as_text;
}

static char *params(const char *name, gboolean json, GError **error)
{
    struct weir_algorithm_info info;
    if (weir_algorithm_get_info(name, &info) != WEIR_OK) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT,
                    "the library has no algorithm '%s' (weir-lab list algorithms)", name);
        return NULL;
    }
    return json ? params_json(&info) : params_text(&info);
}

static char *list(char *const *operands, gboolean json, GError **error)
{
    const char *what = operands[0] ? operands[0] : "";
    gboolean is_params = strcmp(what, "params") == 0;
    if (!is_params && strcmp(what, "algorithms") != 0 && strcmp(what, "scenarios") != 0 &&
        strcmp(what, "formulas") != 0) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT,
                    "list what? algorithms, scenarios, formulas, or params ALGORITHM%s%s%s",
                    *what ? ", not '" : "", what, *what ? "'" : "");
        return NULL;
    }
    if (!lab_command_expect(operands, is_params ? 2 : 1,
                            is_params ? "of which algorithm? weir-lab list params NAME"
                                      : "list one thing at a time",
                            error)) {
        return NULL;
    }
    return is_params                         ? params(operands[1], json, error)
           : strcmp(what, "algorithms") == 0 ? algorithms(json, error)
           : strcmp(what, "scenarios") == 0  ? scenarios(json)
           : json                            ? lab_formulas_json()
                                             : lab_formulas_text();
}

int lab_list_main(int argc, char **argv)
{
    return lab_command_text(argc, argv, "algorithms|scenarios|formulas|params [ALGORITHM]", summary,
                            description, list);
}
