/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab formula: the papers' formulas, computed by the functions that the algorithms use. */
#include "formula.h"
#include "command.h"
#include "controllers/arc_law.h"
#include "controllers/cbraa_law.h"
#include "controllers/gaimd_law.h"
#include "controllers/simd_law.h"
#include "estimators/bandwidth_filter.h"
#include "estimators/emulated_window.h"
#include "estimators/tcp_equation.h"
#include "estimators/window_average.h"
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

/* A formula that is one call. */
#define CALL(name, value)                                                                          \
    static double name(const double *a, gsize n)                                                   \
    {                                                                                              \
        (void)n;                                                                                   \
        return value;                                                                              \
    }

CALL(r_score, weir_r_score(&weir_impairment_g711, a[0], a[1]))
CALL(mos, weir_mos(a[0]))
CALL(arc_rate, weir__arc_rate(a[2], a[0], a[1]))
CALL(arc_window, weir__arc_window(a[0], a[1], a[2]))
CALL(cbraa_cycle, weir__cbraa_cycle_s(a[0], a[1]))
CALL(cbraa_loss_threshold, weir__cbraa_loss_threshold(a[0], a[1]))
CALL(cbraa_relative_step, weir__cbraa_relative_step(a[2], a[1], a[0]))
CALL(gaimd_alpha, weir__gaimd_alpha(a[0]))
CALL(gaimd_alpha_timeouts, weir__gaimd_alpha_timeouts(a[0]))
CALL(gaimd_rate, weir__gaimd_rate(a[2], a[3], a[4], a[1], a[0], a[5]))
CALL(simd_alpha, weir__simd_alpha(a[1], a[0]))
CALL(simd_alpha_paper, weir__simd_alpha_paper(a[1], a[0]))
CALL(simd_alpha_i, weir__simd_alpha_i(a[0]))
CALL(aiad_h_alpha, weir__aiad_h_alpha(a[1], a[0]))

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

/* From a steady bandwidth `start` on. */
static double bandwidth_filter(const double *a, gsize n)
{
    struct weir__bandwidth_filter filter;
    weir__bandwidth_filter_init(&filter, a[2], a[3] > 0.5);
    filter.has_value = true;
    filter.value = filter.before = a[1];
    for (gsize i = 4; i < n; i++) {
        weir__bandwidth_filter_sample(&filter, a[i], a[0]);
    }
    return filter.value;
}

static double cbraa_step(const double *a, gsize n)
{
    (void)n;
    const struct weir__cbraa_law law = {.alpha = a[3], .beta = a[4], .gamma = a[5]};
    return weir__cbraa_step(&law, a[0], a[1], a[2]);
}

static double window_average(const double *a, gsize n)
{
    struct weir__window_average average;
    weir__window_average_init(&average, (size_t)a[0], 1);
    for (gsize i = 1; i < n; i++) {
        weir__window_average_push(&average, a[i]);
    }
    return weir__window_average_mean(&average);
}

/* A history full of a steady window, whose TCP then has a loss event at once and another every
 * `rounds`: the average when `epochs` of them are known, the moment of the reset. */
static struct weir__window_average after_losses(const double *a)
{
    struct weir__window_average average;
    struct weir__emulated_window tcp;
    size_t samples = (size_t)a[2];
    int64_t rounds = (int64_t)a[1];
    weir__window_average_init(&average, samples, (size_t)a[3]);
    weir__emulated_window_init(&tcp, a[0], false);
    for (size_t i = 0; i < samples; i++) {
        weir__window_average_push(&average, a[0]);
    }
    struct weir__emulated_round round = {.loss = true, .most = 0.0};
    weir__window_average_on_loss(&average);
    weir__emulated_window_end_round(&tcp, &round);
    round.most = WEIR__EMULATED_WINDOW_MAX;
    for (int64_t i = 1; i <= rounds * (int64_t)a[3]; i++) {
        weir__window_average_push(&average, weir__emulated_window_get(&tcp));
        round.loss = i % rounds == 0;
        if (round.loss) {
            weir__window_average_on_loss(&average);
        }
        weir__emulated_window_end_round(&tcp, &round);
    }
    return average;
}

static double history_before(const double *a, gsize n)
{
    (void)n;
    struct weir__window_average average = after_losses(a);
    return weir__window_average_mean(&average);
}

static double history_after(const double *a, gsize n)
{
    (void)n;
    struct weir__window_average average = after_losses(a);
    weir__window_average_reset_history(&average, a[4]);
    return weir__window_average_mean(&average);
}

#define REQUIRED (double)NAN

/* clang-format off */
#define HISTORY                                                                                    \
    {"window", "packets", 1.0, 1e9, REQUIRED}, {"rounds", "rounds", 1.0, 1e4, REQUIRED},           \
    {"samples", "windows", 1.0, WEIR__WINDOW_AVERAGE_SAMPLES_MAX, 160.0},                          \
    {"epochs", "epochs", 1.0, WEIR__WINDOW_AVERAGE_EPOCHS_MAX, 12.0},                              \
    {"factor", "1", 1.0, 100.0, 3.0}
/* clang-format on */

#define FORMULA(text, result_unit, function, ...)                                                  \
    .name = (text), .unit = (result_unit), .compute = (function), .arguments = {__VA_ARGS__}

const struct lab_formula lab_formulas[] = {
    {FORMULA("r-score", "1", r_score, {"loss", "ratio", 0.0, 1.0, REQUIRED},
             {"delay", "ms", 0.0, 1e6, REQUIRED}),
     .description = "R-score of G.711 (bursty-media paper, equations 1 to 3)"},
    {FORMULA("mos", "1", mos, {"r", "1", 0.0, 100.0, REQUIRED}),
     .description = "mean opinion score of an R-score (G.107 annex B)"},
    {FORMULA("tcp-equation", "bytes/s", tcp_equation, {"rtt", "s", 1e-6, 3600.0, REQUIRED},
             {"p", "ratio", 1e-10, 1.0, REQUIRED}, {"packet", "bytes", 1.0, 65535.0, 1460.0},
             {"packets-per-ack", "packets", 1.0, 2.0, 1.0}, {"rto-per-rtt", "1", 1.0, 100.0, 4.0}),
     .description = "TCP throughput equation (RFC 5348 3.1)"},
    {FORMULA("tcp-equation-inverse", "ratio", tcp_equation_inverse,
             {"packets-per-rtt", "packets", 1e-6, 1e9, REQUIRED}),
     .description = "loss event rate at which the equation allows so many packets per RTT"},
    {FORMULA("arc-rate", "packets/s", arc_rate, {"window", "packets", 0.0, 1e12, REQUIRED},
             {"outstanding", "packets", 0.0, 1e12, REQUIRED}, {"k", "1/s", 1e-3, 100.0, 0.5}),
     .description = "rate that ARC's window leaves (ARC paper, equation 1)"},
    {FORMULA("arc-window", "packets", arc_window, {"bandwidth", "packets/s", 0.0, 1e9, REQUIRED},
             {"rtt-min", "s", 0.0, 3600.0, REQUIRED}, {"k", "1/s", 1e-3, 100.0, 0.5}),
     .description = "ARC's window that leaves no backlog (ARC paper, equation 2)"},
    {FORMULA("bandwidth-filter", "1/s", bandwidth_filter, {"interval", "s", 1e-6, 3600.0, REQUIRED},
             {"start", "1/s", 0.0, 1e12, REQUIRED}, {"tau", "s", 1e-3, 3600.0, REQUIRED},
             {"linear", "switch", 0.0, 1.0, REQUIRED}, {"sample", "1/s", 0.0, 1e12, REQUIRED}),
     .description = "filtered bandwidth after samples of equal length (ARC paper, equation 8)",
     .last_repeats = TRUE},
    {FORMULA("cbraa-cycle", "s", cbraa_cycle, {"rate", "packets/s", 1e-3, 1e9, REQUIRED},
             {"rtt", "s", 1e-4, 3600.0, REQUIRED}),
     .description = "time between two losses of an ideal TCP (CBRAA paper, equation 3)"},
    {FORMULA("cbraa-loss-threshold", "ratio", cbraa_loss_threshold,
             {"rate", "packets/s", 1e-3, 1e9, REQUIRED}, {"rtt", "s", 1e-4, 3600.0, REQUIRED}),
     .description = "its loss ratio (CBRAA paper, equation 4)"},
    {FORMULA("cbraa-step", "packets/s", cbraa_step, {"rate", "packets/s", 1e-3, 1e9, REQUIRED},
             {"rtt", "s", 1e-4, 3600.0, REQUIRED}, {"loss", "ratio", 0.0, 1.0, REQUIRED},
             {"alpha", "1", 0.01, 1.0, 0.5}, {"beta", "1", 0.01, 1.0, 0.5},
             {"gamma", "1", 0.0, 1.0, 0.3}),
     .description = "rate after a report (CBRAA paper, figure 3)"},
    {FORMULA("cbraa-relative-step", "ratio", cbraa_relative_step, {"loss", "1", 0.0, 1e9, REQUIRED},
             {"weight", "1", 0.01, 1.0, 0.5}, {"gamma", "1", 0.0, 1.0, 0.3}),
     .description =
         "its relative step when the loss is so many times the ideal (CBRAA paper, 3.2)"},
    {FORMULA("gaimd-alpha", "packets/RTT", gaimd_alpha, {"keep", "ratio", 0.001, 0.999, REQUIRED}),
     .description = "increase that matches TCP's at low loss (Yang and Lam 2000)"},
    {FORMULA("gaimd-alpha-timeouts", "packets/RTT", gaimd_alpha_timeouts,
             {"keep", "ratio", 0.001, 0.999, REQUIRED}),
     .description = "increase that matches TCP's where timeouts govern (Yang and Lam 2000)"},
    {FORMULA("gaimd-rate", "packets/s", gaimd_rate, {"rtt", "s", 1e-6, 3600.0, REQUIRED},
             {"p", "ratio", 1e-10, 1.0, REQUIRED}, {"alpha", "packets/RTT", 1e-3, 100.0, 1.0},
             {"keep", "ratio", 0.001, 0.999, 0.5}, {"packets-per-ack", "packets", 1.0, 2.0, 1.0},
             {"rto", "s", 1e-3, 3600.0, 1.0}),
     .description = "response function of GAIMD (Yang and Lam 2000)"},
    {FORMULA("simd-alpha", "1", simd_alpha, {"window", "packets", 1.0, 1e9, REQUIRED},
             {"keep", "ratio", 0.01, 0.99, 0.9375}),
     .description = "increase of SIMD that matches TCP's (derived)"},
    {FORMULA("simd-alpha-paper", "1", simd_alpha_paper, {"window", "packets", 1.0, 1e9, REQUIRED},
             {"keep", "ratio", 0.01, 0.99, 0.9375}),
     .description = "the same as the SIMD paper prints it, smaller by sqrt(2)"},
    {FORMULA("simd-alpha-i", "1", simd_alpha_i, {"keep", "ratio", 0.01, 0.99, REQUIRED}),
     .description = "constant of the implementation (SIMD paper, table VII)"},
    {FORMULA("aiad-h-alpha", "packets/RTT", aiad_h_alpha, {"window", "packets", 1.0, 1e9, REQUIRED},
             {"removed", "packets", 0.01, 1.0, 0.25}),
     .description = "increase of AIAD/H that matches TCP's"},
    {FORMULA("window-average", "packets", window_average,
             {"samples", "windows", 1.0, WEIR__WINDOW_AVERAGE_SAMPLES_MAX, REQUIRED},
             {"window", "packets", 0.0, 1e9, REQUIRED}),
     .description = "mean of the latest windows (WARC paper, equation 1)", .last_repeats = TRUE},
    {FORMULA("history-before-reset", "packets", history_before, HISTORY),
     .description = "WARC's average over a full history of one window, after a loss event and then "
                    "another every so many rounds"},
    {FORMULA("history-after-reset", "packets", history_after, HISTORY),
     .description = "the same once the history was reset (WARC paper, equations 2 and 3)"},
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
    const struct lab_formula *found = NULL;
    for (gsize i = 0; i < lab_n_formulas && !found; i++) {
        found = strcmp(lab_formulas[i].name, name) == 0 ? &lab_formulas[i] : NULL;
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", lab_formulas[i].name);
    }
    if (!found) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "no formula '%s'; there are: %s", name,
                    names->str);
    }
    g_string_free(names, TRUE);
    return found;
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
    return lab_command_text(argc, argv, "NAME [ARGUMENT...]", summary, description, compute);
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
