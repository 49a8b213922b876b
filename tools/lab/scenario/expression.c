/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recursive descent over the text that evaluates while it reads. The branch of an if() that is
 * not taken is read too, so that its syntax and names are checked, but it may divide by zero. */
#include "scenario/expression.h"
#include "scenario/error.h"
#include <math.h>
#include <string.h>

#define DEEPEST 64 /* brackets and signs inside each other */

struct reader {
    const char *text;
    const char *at;
    const struct lab_names *names;
    GError **error;
    int depth;
    int not_taken; /* > 0 inside a branch that does not count */
};

static gboolean read_comparison(struct reader *reader, double *value);

/* FALSE, with a sentence that begins with the position (characters, from 1). */
static gboolean fail_at(struct reader *reader, const char *at, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static gboolean fail_at(struct reader *reader, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    glong position = g_utf8_strlen(reader->text, at - reader->text) + 1;
    g_set_error(reader->error, LAB_ERROR, LAB_ERROR_INPUT, "character %ld: %s", position, message);
    g_free(message);
    return FALSE;
}

static void skip_spaces(struct reader *reader)
{
    while (g_ascii_isspace(*reader->at)) {
        reader->at++;
    }
}

/* Takes the token if it comes next. */
static gboolean take(struct reader *reader, const char *token)
{
    skip_spaces(reader);
    if (!g_str_has_prefix(reader->at, token)) {
        return FALSE;
    }
    reader->at += strlen(token);
    return TRUE;
}

static gboolean expect(struct reader *reader, const char *token)
{
    if (take(reader, token)) {
        return TRUE;
    }
    return fail_at(reader, reader->at,
                   *reader->at == '\0' ? "expected '%s' before the end" : "expected '%s'", token);
}

/* Results beyond a double, or none at all, are errors at once. */
static gboolean give(struct reader *reader, const char *at, double result, double *value)
{
    if (!isfinite(result)) {
        return fail_at(reader, at, "the result is not a finite number");
    }
    *value = result;
    return TRUE;
}

static const char *skip_digits(const char *at)
{
    while (g_ascii_isdigit(*at)) {
        at++;
    }
    return at;
}

/* Decimal numbers only: g_ascii_strtod() also knows hexadecimal ones, inf and nan. */
static gboolean read_number(struct reader *reader, double *value)
{
    const char *start = reader->at;
    const char *end = skip_digits(start);
    end = *end == '.' ? skip_digits(end + 1) : end;
    if (end - start == 1 && *start == '.') {
        return fail_at(reader, start, "expected a number");
    }
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + (end[1] == '+' || end[1] == '-' ? 2 : 1);
        if (!g_ascii_isdigit(*exponent)) {
            return fail_at(reader, end, "expected digits of an exponent");
        }
        end = skip_digits(exponent);
    }
    char *digits = g_strndup(start, (gsize)(end - start));
    double number = g_ascii_strtod(digits, NULL);
    g_free(digits);
    reader->at = end;
    return give(reader, start, number, value);
}

/* The functions of one or two numbers. */
static gboolean call(struct reader *reader, const char *start, const char *name, double *value)
{
    double a = 0.0;
    double b = 0.0;
    gboolean is_min = strcmp(name, "min") == 0;
    gboolean is_round = strcmp(name, "round") == 0;
    gboolean has_two = is_min || strcmp(name, "max") == 0;
    if (!has_two && !is_round && strcmp(name, "floor") != 0) {
        return fail_at(reader, start,
                       "there is no function \"%s\"; there are min, max, round, floor, if", name);
    }
    if (!read_comparison(reader, &a) ||
        (has_two && (!expect(reader, ",") || !read_comparison(reader, &b)))) {
        return FALSE;
    }
    if (has_two) {
        *value = is_min ? fmin(a, b) : fmax(a, b);
    } else {
        *value = is_round ? round(a) : floor(a);
    }
    return TRUE;
}

static gboolean read_branch(struct reader *reader, gboolean taken, double *value)
{
    reader->not_taken += taken ? 0 : 1;
    gboolean good = expect(reader, ",") && read_comparison(reader, value);
    reader->not_taken -= taken ? 0 : 1;
    return good;
}

static gboolean call_if(struct reader *reader, double *value)
{
    double condition = 0.0;
    double then_value = 0.0;
    double else_value = 0.0;
    if (!read_comparison(reader, &condition) ||
        !read_branch(reader, condition != 0.0, &then_value) ||
        !read_branch(reader, condition == 0.0, &else_value)) {
        return FALSE;
    }
    *value = condition != 0.0 ? then_value : else_value;
    return TRUE;
}

static gboolean is_name_byte(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

/* Whether an expression can mean a variable by it. */
gboolean lab_expression_is_name(const char *name)
{
    static const char *const functions[] = {"if", "min", "max", "round", "floor"};
    gsize length = 0;
    while (is_name_byte(name[length])) {
        length++;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(functions); i++) {
        if (strcmp(functions[i], name) == 0) {
            return FALSE;
        }
    }
    return length > 0 && name[length] == '\0' && !g_ascii_isdigit(name[0]);
}

static gboolean look_up(struct reader *reader, const char *start, const char *name, double *value)
{
    GError *why = NULL;
    if (!reader->names->look_up(reader->names->user, name, value, &why)) {
        fail_at(reader, start, "%s", why->message);
        g_error_free(why);
        return FALSE;
    }
    return give(reader, start, *value, value);
}

/* A variable, or a function with its arguments. */
static gboolean read_name(struct reader *reader, double *value)
{
    const char *start = reader->at;
    while (is_name_byte(*reader->at)) {
        reader->at++;
    }
    char *name = g_strndup(start, (gsize)(reader->at - start));
    gboolean good = FALSE;
    if (!take(reader, "(")) {
        good = look_up(reader, start, name, value);
    } else if (strcmp(name, "if") == 0) {
        good = call_if(reader, value) && expect(reader, ")");
    } else {
        good = call(reader, start, name, value) && expect(reader, ")");
    }
    g_free(name);
    return good;
}

static gboolean read_primary(struct reader *reader, double *value)
{
    skip_spaces(reader);
    if (g_ascii_isdigit(*reader->at) || *reader->at == '.') {
        return read_number(reader, value);
    }
    if (is_name_byte(*reader->at)) {
        return read_name(reader, value);
    }
    if (take(reader, "(")) {
        return read_comparison(reader, value) && expect(reader, ")");
    }
    return fail_at(reader, reader->at,
                   *reader->at == '\0' ? "expected a number or a name before the end"
                                       : "expected a number, a name or '('");
}

/* Signs bind tighter than anything else. Every recursion passes here, so depth is counted here. */
static gboolean read_signed(struct reader *reader, double *value)
{
    if (reader->depth >= DEEPEST) {
        return fail_at(reader, reader->at, "more than %d levels inside each other", DEEPEST);
    }
    reader->depth++;
    gboolean good = FALSE;
    if (take(reader, "-")) {
        good = read_signed(reader, value);
        *value = -*value;
    } else if (take(reader, "+")) {
        good = read_signed(reader, value);
    } else {
        good = read_primary(reader, value);
    }
    reader->depth--;
    return good;
}

static gboolean divide(struct reader *reader, const char *at, double divisor, double *value)
{
    if (divisor == 0.0 && reader->not_taken > 0) {
        *value = 0.0;
        return TRUE;
    }
    return divisor == 0.0 ? fail_at(reader, at, "division by zero")
                          : give(reader, at, *value / divisor, value);
}

static gboolean read_product(struct reader *reader, double *value)
{
    if (!read_signed(reader, value)) {
        return FALSE;
    }
    for (;;) {
        skip_spaces(reader);
        const char *at = reader->at;
        double factor = 0.0;
        if (take(reader, "*")) {
            if (!read_signed(reader, &factor) || !give(reader, at, *value * factor, value)) {
                return FALSE;
            }
        } else if (take(reader, "/")) {
            if (!read_signed(reader, &factor) || !divide(reader, at, factor, value)) {
                return FALSE;
            }
        } else {
            return TRUE;
        }
    }
}

static gboolean read_sum(struct reader *reader, double *value)
{
    if (!read_product(reader, value)) {
        return FALSE;
    }
    for (;;) {
        skip_spaces(reader);
        const char *at = reader->at;
        double term = 0.0;
        double sign = *at == '-' ? -1.0 : 1.0;
        if (!take(reader, "+") && !take(reader, "-")) {
            return TRUE;
        }
        if (!read_product(reader, &term) || !give(reader, at, *value + sign * term, value)) {
            return FALSE;
        }
    }
}

static double compare(const char *sign, double a, double b)
{
    gboolean equal = a == b;
    switch (sign[0]) {
    case '<':
        return a < b || (sign[1] == '=' && equal) ? 1.0 : 0.0;
    case '>':
        return a > b || (sign[1] == '=' && equal) ? 1.0 : 0.0;
    case '=':
        return equal ? 1.0 : 0.0;
    default:
        return equal ? 0.0 : 1.0;
    }
}

static gboolean read_comparison(struct reader *reader, double *value)
{
    static const char *const operators[] = {"<=", "==", "!=", ">=", "<", ">"};
    if (!read_sum(reader, value)) {
        return FALSE;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(operators); i++) {
        double other = 0.0;
        if (take(reader, operators[i])) {
            if (!read_sum(reader, &other)) {
                return FALSE;
            }
            *value = compare(operators[i], *value, other);
            return TRUE;
        }
    }
    return TRUE;
}

/* The value of an expression of numbers, names, + - * / ( ), one comparison per bracket (1 or 0),
 * min(a,b), max(a,b), round(a) (half away from zero), floor(a) and if(c,a,b). Always finite.
 * FALSE, and *error says at which character, for anything else. */
gboolean lab_expression_evaluate(const char *text, const struct lab_names *names, double *value,
                                 GError **error)
{
    struct reader reader = {.text = text, .at = text, .names = names, .error = error};
    double result = 0.0;
    if (!read_comparison(&reader, &result)) {
        return FALSE;
    }
    skip_spaces(&reader);
    if (*reader.at != '\0') {
        return fail_at(&reader, reader.at, "expected an operator or the end");
    }
    *value = result;
    return TRUE;
}
