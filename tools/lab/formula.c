/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab formula: the papers' formulas, computed by the functions that the algorithms use. */
#include "formula.h"
#include "command.h"
#include "estimators/tcp_equation.h"
#include "scenario/error.h"
#include "text/number.h"
#include "text/writer.h"
#include "weir/quality.h"
#include <math.h>
#include <string.h>

static const char summary[] =
    "Computes a formula of the papers with the library's own function, the one that the algorithm\n"
    "uses. Arguments stand in order or as NAME=VALUE; those with a default may be left out.";
static const char description[] = "Examples:\n"
                                  "  weir-lab list formulas\n"
                                  "  weir-lab formula r-score 0.01 200\n"
                                  "  weir-lab formula tcp-equation rtt=0.1 p=0.01 --json";

static double r_score(const double *a, gsize n)
{
    (void)n;
    return weir_r_score(&weir_impairment_g711, a[0], a[1]);
}

static double mos(const double *a, gsize n)
{
    (void)n;
    return weir_mos(a[0]);
}

static double tcp_equation(const double *a, gsize n)
{
    (void)n;
    struct weir__tcp_equation equation = weir__tcp_equation_rfc();
    equation.b = a[3];
    equation.rto_per_rtt = a[4];
    return weir__tcp_equation_rate(&equation, a[2], a[0], a[1]);
}

static double tcp_equation_inverse(const double *a, gsize n)
{
    (void)n;
    struct weir__tcp_equation equation = weir__tcp_equation_rfc();
    return weir__tcp_equation_inverse(&equation, a[0]);
}

#define REQUIRED (double)NAN

const struct lab_formula lab_formulas[] = {
    {.name = "r-score",
     .description = "R-score of G.711 (bursty-media paper, equations 1 to 3)",
     .unit = "1",
     .compute = r_score,
     .arguments = {{"loss", "ratio", 0.0, 1.0, REQUIRED}, {"delay", "ms", 0.0, 1e6, REQUIRED}}},
    {.name = "mos",
     .description = "mean opinion score of an R-score (G.107 annex B)",
     .unit = "1",
     .compute = mos,
     .arguments = {{"r", "1", 0.0, 100.0, REQUIRED}}},
    {.name = "tcp-equation",
     .description = "TCP throughput equation (RFC 5348 3.1)",
     .unit = "bytes/s",
     .compute = tcp_equation,
     .arguments = {{"rtt", "s", 1e-6, 3600.0, REQUIRED},
                   {"p", "ratio", 1e-10, 1.0, REQUIRED},
                   {"packet", "bytes", 1.0, 65535.0, 1460.0},
                   {"packets-per-ack", "packets", 1.0, 2.0, 1.0},
                   {"rto-per-rtt", "1", 1.0, 100.0, 4.0}}},
    {.name = "tcp-equation-inverse",
     .description = "loss event rate at which the equation allows so many packets per RTT",
     .unit = "ratio",
     .compute = tcp_equation_inverse,
     .arguments = {{"packets-per-rtt", "packets", 1e-6, 1e9, REQUIRED}}},
};
const gsize lab_n_formulas = G_N_ELEMENTS(lab_formulas);

static gsize n_arguments(const struct lab_formula *formula)
{
    gsize n = 0;
    while (n < LAB_MOST_ARGUMENTS && formula->arguments[n].name) {
        n++;
    }
    return n;
}

/* "rtt (s, 1e-06 .. 3600), packet (bytes, 1 .. 65535, default 1460), samples... (packets, 0 .. 10)"
 */
static void append_arguments(GString *text, const struct lab_formula *formula)
{
    gsize n = n_arguments(formula);
    for (gsize i = 0; i < n; i++) {
        const struct lab_argument *argument = &formula->arguments[i];
        gboolean repeats = formula->last_repeats && i + 1 == n;
        g_string_append_printf(text, "%s%s%s (%s, ", i > 0 ? ", " : "", argument->name,
                               repeats ? "..." : "", argument->unit);
        lab_append_real(text, argument->min);
        g_string_append(text, " .. ");
        lab_append_real(text, argument->max);
        if (!isnan(argument->default_value)) {
            g_string_append(text, ", default ");
            lab_append_real(text, argument->default_value);
        }
        g_string_append_c(text, ')');
    }
}

static const struct lab_formula *find(const char *name, GError **error)
{
    GString *names = g_string_new(NULL);
    for (gsize i = 0; i < lab_n_formulas; i++) {
        if (strcmp(lab_formulas[i].name, name) == 0) {
            g_string_free(names, TRUE);
            return &lab_formulas[i];
        }
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", lab_formulas[i].name);
    }
    g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "no formula '%s'; there are: %s", name,
                names->str);
    g_string_free(names, TRUE);
    return NULL;
}

/* Which argument a word sets; *value is the text of its value. */
static gssize argument_of(const struct lab_formula *formula, const char *word, gsize position,
                          const char **value)
{
    gsize n = n_arguments(formula);
    const char *equals = strchr(word, '=');
    *value = equals ? equals + 1 : word;
    if (!equals) {
        return position < n ? (gssize)position : formula->last_repeats ? (gssize)n - 1 : -1;
    }
    for (gsize i = 0; i < n; i++) {
        const char *name = formula->arguments[i].name;
        if (strlen(name) == (gsize)(equals - word) &&
            strncmp(name, word, (gsize)(equals - word)) == 0) {
            return (gssize)i;
        }
    }
    return -1;
}

static gboolean read_value(const struct lab_formula *formula, const struct lab_argument *argument,
                           const char *text, double *value, GError **error)
{
    char *end = NULL;
    *value = g_ascii_strtod(text, &end);
    if (end != text && *end == '\0' && *value >= argument->min && *value <= argument->max) {
        return TRUE;
    }
    GString *range = g_string_new("a number from ");
    lab_append_real(range, argument->min);
    g_string_append(range, " to ");
    lab_append_real(range, argument->max);
    g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "%s: %s = %s: must be %s (%s)", formula->name,
                argument->name, text, range->str, argument->unit);
    g_string_free(range, TRUE);
    return FALSE;
}

static gboolean fail_arguments(const struct lab_formula *formula, const char *what,
                               const char *which, GError **error)
{
    GString *text = g_string_new(NULL);
    append_arguments(text, formula);
    g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "%s: %s%s; it takes %s", formula->name, what,
                which, text->str);
    g_string_free(text, TRUE);
    return FALSE;
}

/* `values` gets an element per argument, more when the last one repeats. */
static gboolean read_arguments(const struct lab_formula *formula, char *const *words,
                               GArray *values, GError **error)
{
    gsize n = n_arguments(formula);
    for (gsize i = 0; i < n; i++) {
        g_array_append_val(values, formula->arguments[i].default_value);
    }
    for (gsize position = 0; words[position]; position++) {
        const char *text;
        double value;
        gssize at = argument_of(formula, words[position], position, &text);
        if (at < 0) {
            return fail_arguments(formula, "no place for ", words[position], error);
        }
        if (!read_value(formula, &formula->arguments[at], text, &value, error)) {
            return FALSE;
        }
        if ((gsize)at + 1 == n && formula->last_repeats && position >= n) {
            g_array_append_val(values, value);
        } else {
            g_array_index(values, double, at) = value;
        }
    }
    for (gsize i = 0; i < n; i++) {
        if (isnan(g_array_index(values, double, i))) {
            return fail_arguments(formula, "not given: ", formula->arguments[i].name, error);
        }
    }
    return TRUE;
}

static char *result_json(const struct lab_formula *formula, const GArray *values, double result)
{
    struct lab_writer writer;
    gsize n = n_arguments(formula);
    lab_writer_init(&writer);
    lab_write_text(&writer, "formula", formula->name);
    lab_write_object(&writer, "arguments");
    for (gsize i = 0; i < n; i++) {
        gboolean repeats = formula->last_repeats && i + 1 == n;
        if (!repeats) {
            lab_write_real(&writer, formula->arguments[i].name, g_array_index(values, double, i));
            continue;
        }
        lab_write_list(&writer, formula->arguments[i].name);
        for (gsize k = i; k < values->len; k++) {
            lab_write_real(&writer, NULL, g_array_index(values, double, k));
        }
        lab_write_end_list(&writer);
    }
    lab_write_end_object(&writer);
    lab_write_real(&writer, "value", result);
    lab_write_text(&writer, "unit", formula->unit);
    return lab_writer_finish(&writer);
}

static char *result_text(const struct lab_formula *formula, double result)
{
    GString *text = g_string_new(NULL);
    lab_append_real(text, result);
    g_string_append_printf(text, "%s%s\n", strcmp(formula->unit, "1") == 0 ? "" : " ",
                           strcmp(formula->unit, "1") == 0 ? "" : formula->unit);
    return g_string_free(text, FALSE);
}

static char *compute(char *const *operands, gboolean json, GError **error)
{
    if (!operands[0]) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "which formula? (weir-lab list formulas)");
        return NULL;
    }
    const struct lab_formula *formula = find(operands[0], error);
    if (!formula) {
        return NULL;
    }
    GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
    char *text = NULL;
    if (read_arguments(formula, operands + 1, values, error)) {
        double result = formula->compute((const double *)(gconstpointer)values->data, values->len);
        text = json ? result_json(formula, values, result) : result_text(formula, result);
    }
    g_array_free(values, TRUE);
    return text;
}

int lab_formula_main(int argc, char **argv)
{
    gboolean json = FALSE;
    char **operands = NULL;
    GError *error = NULL;
    const GOptionEntry entries[] = {
        {"json", 'j', 0, G_OPTION_ARG_NONE, &json, "Print one JSON object", NULL},
        G_OPTION_ENTRY_NULL};
    char *text = NULL;
    if (lab_command_parse(argc, argv, "NAME [ARGUMENT...]", summary, description, entries, NULL,
                          &operands, &error)) {
        text = compute(operands, json, &error);
    }
    g_strfreev(operands);
    if (!text) {
        return lab_command_fail(error, LAB_EXIT_WRONG);
    }
    lab_command_print(text);
    g_free(text);
    return LAB_EXIT_OK;
}

/* Of all formulas, for `weir-lab list`. Free with g_free. */
char *lab_formulas_text(void)
{
    GString *text = g_string_new(NULL);
    for (gsize i = 0; i < lab_n_formulas; i++) {
        g_string_append_printf(text, "%-24s %s\n%24s ", lab_formulas[i].name,
                               lab_formulas[i].description, "");
        append_arguments(text, &lab_formulas[i]);
        g_string_append_printf(text, " -> %s\n", lab_formulas[i].unit);
    }
    return g_string_free(text, FALSE);
}

static void write_argument(struct lab_writer *writer, const struct lab_argument *argument)
{
    lab_write_object(writer, NULL);
    lab_write_text(writer, "name", argument->name);
    lab_write_text(writer, "unit", argument->unit);
    lab_write_real(writer, "min", argument->min);
    lab_write_real(writer, "max", argument->max);
    lab_write_real(writer, "default", argument->default_value); /* null: must be given */
    lab_write_end_object(writer);
}

/* The same as one JSON object. Free with g_free. */
char *lab_formulas_json(void)
{
    struct lab_writer writer;
    lab_writer_init(&writer);
    lab_write_list(&writer, "formulas");
    for (gsize i = 0; i < lab_n_formulas; i++) {
        const struct lab_formula *formula = &lab_formulas[i];
        lab_write_object(&writer, NULL);
        lab_write_text(&writer, "name", formula->name);
        lab_write_text(&writer, "description", formula->description);
        lab_write_text(&writer, "unit", formula->unit);
        lab_write_bool(&writer, "last_repeats", formula->last_repeats);
        lab_write_list(&writer, "arguments");
        for (gsize k = 0; k < n_arguments(formula); k++) {
            write_argument(&writer, &formula->arguments[k]);
        }
        lab_write_end_list(&writer);
        lab_write_end_object(&writer);
    }
    lab_write_end_list(&writer);
    return lab_writer_finish(&writer);
}
