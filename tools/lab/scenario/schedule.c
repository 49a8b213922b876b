/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/schedule.h"
#include "scenario/fields.h"
#include "scenario/json.h"
#include <math.h>
#include <string.h>

#define MOST_STEPS 100000

#define STEP(member) .offset = offsetof(struct weir__schedule_step, member)

static gboolean read_step(const char *rate_name, const struct lab_place *place,
                          struct weir__schedule_step *step)
{
    const struct lab_field delay = {.name = rate_name, LAB_MS(0, LAB_LONGEST_MS), STEP(delay_ns)};
    const struct lab_field rate = {
        .name = rate_name, LAB_SCALED(1.0, 0, LAB_HIGHEST_BPS), STEP(rate_bps)};
    struct lab_field fields[] = {{.name = "at_s", LAB_SECONDS(0, LAB_LONGEST_S), STEP(at_ns)},
                                 strcmp(rate_name, "delay_ms") == 0 ? delay : rate};
    fields[0].required = fields[1].required = TRUE;
    return lab_fields_read(fields, G_N_ELEMENTS(fields), place, step);
}

static gboolean read_steps(const char *rate_name, const struct lab_place *place,
                           struct weir__schedule_step *steps)
{
    for (size_t i = 0; i < json_array_size(place->node); i++) {
        char number[16];
        struct lab_place inner = lab_element(place, i, number);
        if (!read_step(rate_name, &inner, &steps[i])) {
            return FALSE;
        }
        if (i > 0 && steps[i].at_ns <= steps[i - 1].at_ns) {
            return lab_fail_at(&inner, "at_s", "must be later than that of the step before");
        }
    }
    return TRUE;
}

/* rate_name: "capacity_bps" or "rate_bps"; or "delay_ms", of delays. Free *steps with g_free. */
gboolean lab_schedule_read(const char *rate_name, const struct lab_place *place,
                           struct weir__schedule_step **steps, gsize *n_steps)
{
    gsize n = json_array_size(place->node);
    if (!json_is_array(place->node)) {
        gboolean from_file = strcmp(rate_name, "delay_ms") != 0;
        return lab_fail(place, "must be a list of {\"at_s\": ..., \"%s\": ...}%s", rate_name,
                        from_file ? " or {\"file\": NAME}" : "");
    }
    if (n < 1 || n > MOST_STEPS) {
        return lab_fail(place, "must have 1 to %d steps", MOST_STEPS);
    }
    struct weir__schedule_step *read = g_new0(struct weir__schedule_step, n);
    if (!read_steps(rate_name, place, read)) {
        g_free(read);
        return FALSE;
    }
    *steps = read;
    *n_steps = n;
    return TRUE;
}

/* A decimal number (g_ascii_strtod() alone would take hexadecimal ones). */
static gboolean is_number(const char *word, double *value)
{
    char *end = NULL;
    *value = g_ascii_strtod(word, &end);
    return *word != '\0' && word[strspn(word, "0123456789.eE+-")] == '\0' && *end == '\0' &&
           isfinite(*value);
}

/* NULL when the line is not two numbers. */
static json_t *step_from_line(char *line, const char *rate_name)
{
    double at_s = 0.0;
    double rate = 0.0;
    gsize length = strcspn(line, " \t");
    char *rest = line + length + strspn(line + length, " \t");
    json_t *step = NULL;
    line[length] = '\0';
    if (is_number(line, &at_s) && is_number(rest, &rate)) {
        step = json_object();
        json_object_set_new(step, "at_s", lab_json_number(at_s));
        json_object_set_new(step, rate_name, lab_json_number(rate));
    }
    return step;
}

/* Empty lines and lines that begin with # are skipped. Ranges and order are checked when the list
 * is read. */
json_t *lab_schedule_from_text(const char *text, const char *rate_name,
                               const struct lab_place *place)
{
    struct lab_place schedule = {.up = place->up, .name = place->name, .error = place->error};
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    json_t *list = json_array();
    for (guint i = 0; list != NULL && lines[i] != NULL; i++) {
        char *line = g_strstrip(lines[i]);
        if (*line == '\0' || *line == '#') {
            continue;
        }
        if (json_array_append_new(list, step_from_line(line, rate_name)) != 0) {
            lab_fail(&schedule, "line %u must be SECONDS BIT_PER_S", i + 1);
            g_clear_pointer(&list, json_decref);
        }
    }
    return list;
}
