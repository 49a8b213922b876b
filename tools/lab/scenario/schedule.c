/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/schedule.h"
#include "scenario/fields.h"
#include "scenario/json.h"
#include <math.h>
#include <string.h>

#define MOST_STEPS  100000
#define LONGEST_S   1e6
#define HIGHEST_BPS 1e12
#define LONGEST_MS  3600000.0

static gboolean read_step(const char *rate_name, const struct lab_place *place, JsonNode *node,
                          struct weir__schedule_step *step, GError **error)
{
    gboolean is_delay = strcmp(rate_name, "delay_ms") == 0;
    const struct lab_field fields[] = {
        {.name = "at_s",
         .kind = LAB_FIELD_SCALED,
         .required = TRUE,
         .scale = LAB_NS_PER_S,
         .max = LONGEST_S,
         .offset = offsetof(struct weir__schedule_step, at_ns)},
        {.name = rate_name,
         .kind = LAB_FIELD_SCALED,
         .required = TRUE,
         .scale = is_delay ? LAB_NS_PER_MS : 1.0,
         .max = is_delay ? LONGEST_MS : HIGHEST_BPS,
         .offset = offsetof(struct weir__schedule_step, rate_bps)},
    };
    return lab_fields_read(fields, G_N_ELEMENTS(fields), place, node, step, error);
}

static gboolean read_steps(const char *rate_name, const struct lab_place *place, JsonArray *list,
                           struct weir__schedule_step *steps, GError **error)
{
    for (guint i = 0; i < json_array_get_length(list); i++) {
        char index[16];
        g_snprintf(index, sizeof index, "%u", i);
        struct lab_place inner = {.up = place, .name = index};
        struct lab_place at = {.up = &inner, .name = "at_s"};
        JsonNode *node = json_array_get_element(list, i);
        if (!read_step(rate_name, &inner, node, &steps[i], error)) {
            return FALSE;
        }
        if (i > 0 && steps[i].at_ns <= steps[i - 1].at_ns) {
            return lab_fail(error, &at, lab_json_get(node, "at_s"),
                            "must be later than that of the step before");
        }
    }
    return TRUE;
}

/* rate_name: "capacity_bps" or "rate_bps"; or "delay_ms", of delays. Free *steps with g_free. */
gboolean lab_schedule_read(const char *rate_name, const struct lab_place *place, JsonNode *node,
                           struct weir__schedule_step **steps, gsize *n_steps, GError **error)
{
    if (!JSON_NODE_HOLDS_ARRAY(node)) {
        gboolean from_file = strcmp(rate_name, "delay_ms") != 0;
        return lab_fail(error, place, node, "must be a list of {\"at_s\": ..., \"%s\": ...}%s",
                        rate_name, from_file ? " or {\"file\": NAME}" : "");
    }
    JsonArray *list = json_node_get_array(node);
    guint n = json_array_get_length(list);
    if (n < 1 || n > MOST_STEPS) {
        return lab_fail(error, place, node, "must have 1 to %d steps", MOST_STEPS);
    }
    struct weir__schedule_step *read = g_new0(struct weir__schedule_step, n);
    if (!read_steps(rate_name, place, list, read, error)) {
        g_free(read);
        return FALSE;
    }
    *steps = read;
    *n_steps = n;
    return TRUE;
}

/* A decimal number (g_ascii_strtod() alone would take hexadecimal ones); moves *at behind it. */
static gboolean take_number(const char **at, double *value)
{
    gsize length = strspn(*at, "0123456789.eE+-");
    char *digits = g_strndup(*at, length);
    char *end = NULL;
    *value = g_ascii_strtod(digits, &end);
    gboolean good = end != digits && *end == '\0' && isfinite(*value);
    g_free(digits);
    *at += length;
    return good;
}

/* NULL when the line is not two numbers. */
static JsonNode *step_from_line(const char *line, const char *rate_name)
{
    double at_s = 0.0;
    double bps = 0.0;
    const char *at = line;
    gboolean good = take_number(&at, &at_s) && g_ascii_isspace(*at);
    at += strspn(at, " \t");
    if (!good || !take_number(&at, &bps) || at[strspn(at, " \t\r")] != '\0') {
        return NULL;
    }
    JsonNode *step = lab_json_copy_object(NULL);
    lab_json_set(step, "at_s", lab_json_number(at_s));
    lab_json_set(step, rate_name, lab_json_number(bps));
    return step;
}

/* Empty lines and lines that begin with # are skipped. Ranges and order are checked when the list
 * is read. */
JsonNode *lab_schedule_from_text(const char *text, const char *rate_name,
                                 const struct lab_place *place, GError **error)
{
    char **lines = g_strsplit(text, "\n", -1);
    JsonArray *list = json_array_new();
    gboolean good = TRUE;
    for (guint i = 0; good && lines[i] != NULL; i++) {
        const char *line = lines[i] + strspn(lines[i], " \t\r");
        if (*line == '\0' || *line == '#') {
            continue;
        }
        JsonNode *step = step_from_line(line, rate_name);
        if (step == NULL || json_array_get_length(list) >= MOST_STEPS) {
            good = lab_fail(error, place, NULL,
                            step == NULL ? "line %u must be SECONDS BIT_PER_S"
                                         : "line %u: more than 100000 steps",
                            i + 1);
        }
        if (good) {
            json_array_add_element(list, step);
        } else {
            g_clear_pointer(&step, json_node_unref);
        }
    }
    g_strfreev(lines);
    JsonNode *node = json_node_init_array(json_node_alloc(), list);
    json_array_unref(list);
    if (!good) {
        json_node_unref(node);
        return NULL;
    }
    return node;
}
