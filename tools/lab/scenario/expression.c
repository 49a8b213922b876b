/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recursive descent over the text that evaluates while it reads. After an error of syntax or a
 * name the rest of the text counts as read, so that every level returns. An error of a value, a
 * division by zero, waits: it may be in the part of "a if c else b" that does not count. */
#include "scenario/expression.h"
#include "scenario/error.h"
#include <math.h>
#include <string.h>

#define DEEPEST 64 /* brackets and signs inside each other */

/* What is wrong with a value, and where; what: NULL = nothing. */
struct trouble {
    const char *at;
    const char *what;
};

struct reader {
    const char *text;
    const char *at;
    const struct lab_names *names;
    GError *why;            /* NULL = good so far */
    struct trouble trouble; /* the first one */
    int depth;
};

/* What binds least first; a bracket has one comparison. */
enum level { COMPARISON, SUM, PRODUCT, SIGNED };

static const struct {
    const char *sign;
    enum level level;
} operators[] = {{"<=", COMPARISON}, {"==", COMPARISON}, {"!=", COMPARISON}, {">=", COMPARISON},
                 {"<", COMPARISON},  {">", COMPARISON},  {"+", SUM},         {"-", SUM},
                 {"*", PRODUCT},     {"/", PRODUCT}};

static const struct {
    const char *name;
    int n_arguments;
} functions[] = {{"min", 2}, {"max", 2}, {"round", 1}, {"floor", 1}};

static double read_conditional(struct reader *reader);

/* A sentence that begins with the position (characters, from 1). */
static double G_GNUC_PRINTF(3, 4)
    fail_at(struct reader *reader, const char *at, const char *format, ...)
{
    if (reader->why == NULL) {
        va_list arguments;
        va_start(arguments, format);
        g_autofree char *message = g_strdup_vprintf(format, arguments);
        va_end(arguments);
        g_set_error(&reader->why, LAB_ERROR, LAB_ERROR_INPUT, "character %ld: %s",
                    g_utf8_strlen(reader->text, at - reader->text) + 1, message);
    }
    reader->at += strlen(reader->at);
    return 0.0;
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

static void expect(struct reader *reader, const char *token)
{
    if (!take(reader, token)) {
        fail_at(reader, reader->at,
                *reader->at == '\0' ? "expected '%s' before the end" : "expected '%s'", token);
    }
}

static double trouble_at(struct reader *reader, const char *at, const char *what)
{
    if (reader->trouble.what == NULL) {
        reader->trouble = (struct trouble){.at = at, .what = what};
    }
    return 0.0;
}

static double checked(struct reader *reader, const char *at, double result)
{
    return isfinite(result) ? result : trouble_at(reader, at, "the result is not a finite number");
}

static const char *skip_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* Decimal numbers only: g_ascii_strtod() also knows hexadecimal ones, inf and nan. */
static double read_number(struct reader *reader)
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
    g_autofree char *digits = g_strndup(start, (gsize)(end - start));
    double number = g_ascii_strtod(digits, NULL);
    reader->at = end;
    return checked(reader, start, number);
}

/* The functions of one or two numbers. */
static double call(struct reader *reader, const char *start, const char *name)
{
    double a[2] = {0.0};
    gsize f = 0;
    while (f < G_N_ELEMENTS(functions) && strcmp(functions[f].name, name) != 0) {
        f++;
    }
    if (f == G_N_ELEMENTS(functions)) {
        return fail_at(reader, start,
                       "there is no function \"%s\"; there are min, max, round, floor", name);
    }
    for (int i = 0; i < functions[f].n_arguments; i++) {
        if (i > 0) {
            expect(reader, ",");
        }
        a[i] = read_conditional(reader);
    }
    expect(reader, ")");
    if (functions[f].n_arguments == 1) {
        return name[0] == 'r' ? round(a[0]) : floor(a[0]);
    }
    return name[1] == 'i' ? fmin(a[0], a[1]) : fmax(a[0], a[1]);
}

static gboolean is_name_byte(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

/* Whether an expression can mean a variable by it. */
gboolean lab_expression_is_name(const char *name)
{
    gsize length = 0;
    while (is_name_byte(name[length])) {
        length++;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(functions); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return FALSE;
        }
    }
    return strcmp(name, "if") != 0 && strcmp(name, "else") != 0 && length > 0 &&
           name[length] == '\0' && !g_ascii_isdigit(name[0]);
}

static double look_up(struct reader *reader, const char *start, const char *name)
{
    GError *why = NULL;
    double value = 0.0;
    if (!reader->names->look_up(reader->names->user, name, &value, &why)) {
        fail_at(reader, start, "%s", why->message);
        g_error_free(why);
    }
    return checked(reader, start, value);
}

/* A variable, or a function with its arguments. */
static double read_name(struct reader *reader)
{
    const char *start = reader->at;
    while (is_name_byte(*reader->at)) {
        reader->at++;
    }
    g_autofree char *name = g_strndup(start, (gsize)(reader->at - start));
    return take(reader, "(") ? call(reader, start, name) : look_up(reader, start, name);
}

static double read_primary(struct reader *reader)
{
    skip_spaces(reader);
    if (g_ascii_isdigit(*reader->at) || *reader->at == '.') {
        return read_number(reader);
    }
    if (is_name_byte(*reader->at)) {
        return read_name(reader);
    }
    if (take(reader, "(")) {
        double value = read_conditional(reader);
        expect(reader, ")");
        return value;
    }
    return fail_at(reader, reader->at,
                   *reader->at == '\0' ? "expected a number or a name before the end"
                                       : "expected a number, a name or '('");
}

/* FALSE: too deep. */
static gboolean enter(struct reader *reader)
{
    if (reader->depth++ >= DEEPEST) {
        fail_at(reader, reader->at, "more than %d levels inside each other", DEEPEST);
        return FALSE;
    }
    return TRUE;
}

/* Signs bind tighter than anything else. Every recursion but that of "else" passes here. */
static double read_signed(struct reader *reader)
{
    double value = !enter(reader)      ? 0.0
                   : take(reader, "-") ? -read_signed(reader)
                   : take(reader, "+") ? read_signed(reader)
                                       : read_primary(reader);
    reader->depth--;
    return value;
}

static double apply(struct reader *reader, const char *at, const char *sign, double a, double b)
{
    gboolean or_equal = sign[1] == '=' && a == b;
    switch (sign[0]) {
    case '+':
        return checked(reader, at, a + b);
    case '-':
        return checked(reader, at, a - b);
    case '*':
        return checked(reader, at, a * b);
    case '/':
        if (b == 0.0) {
            return trouble_at(reader, at, "division by zero");
        }
        return checked(reader, at, a / b);
    case '<':
        return a < b || or_equal ? 1.0 : 0.0;
    case '>':
        return a > b || or_equal ? 1.0 : 0.0;
    default: /* == and != */
        return (a == b) == (sign[0] == '=') ? 1.0 : 0.0;
    }
}

static const char *take_operator(struct reader *reader, enum level level)
{
    for (gsize i = 0; i < G_N_ELEMENTS(operators); i++) {
        if (operators[i].level == level && take(reader, operators[i].sign)) {
            return operators[i].sign;
        }
    }
    return NULL;
}

static double read_level(struct reader *reader, enum level level)
{
    if (level == SIGNED) {
        return read_signed(reader);
    }
    double value = read_level(reader, level + 1);
    for (gboolean more = TRUE; more; more = level != COMPARISON) {
        skip_spaces(reader);
        const char *at = reader->at;
        const char *sign = take_operator(reader, level);
        if (sign == NULL) {
            return value;
        }
        value = apply(reader, at, sign, value, read_level(reader, level + 1));
    }
    return value;
}

static gboolean take_word(struct reader *reader, const char *word)
{
    skip_spaces(reader);
    gsize length = strlen(word);
    return g_str_has_prefix(reader->at, word) && !is_name_byte(reader->at[length]) &&
           take(reader, word);
}

/* "a if c else b": what came before it counts first, then the condition, then the chosen part. */
static double read_conditional(struct reader *reader)
{
    const struct trouble none = {.what = NULL};
    struct trouble before = reader->trouble;
    reader->trouble = none;
    double value = read_level(reader, COMPARISON);
    if (take_word(reader, "if")) {
        struct trouble of_value = reader->trouble;
        reader->trouble = none;
        double condition = read_level(reader, COMPARISON);
        struct trouble of_condition = reader->trouble;
        reader->trouble = none;
        if (!take_word(reader, "else")) {
            fail_at(reader, reader->at, "expected 'else'");
        }
        double other = enter(reader) ? read_conditional(reader) : 0.0;
        reader->depth--;
        reader->trouble = of_condition.what != NULL ? of_condition
                          : condition != 0.0        ? of_value
                                                    : reader->trouble;
        value = condition != 0.0 ? value : other;
    }
    reader->trouble = before.what != NULL ? before : reader->trouble;
    return value;
}

/* The value of an expression of numbers, names, + - * / ( ), one comparison per bracket (1 or 0),
 * min(a, b), max(a, b), round(a) (half away from zero), floor(a) and a if c else b. Always finite.
 * FALSE, and *error says at which character, for anything else. */
gboolean lab_expression_evaluate(const char *text, const struct lab_names *names, double *value,
                                 GError **error)
{
    struct reader reader = {.text = text, .at = text, .names = names};
    double result = read_conditional(&reader);
    skip_spaces(&reader);
    if (*reader.at != '\0') {
        fail_at(&reader, reader.at, "expected an operator or the end");
    }
    if (reader.trouble.what != NULL) {
        fail_at(&reader, reader.trouble.at, "%s", reader.trouble.what);
    }
    if (reader.why != NULL) {
        g_propagate_error(error, reader.why);
        return FALSE;
    }
    *value = result;
    return TRUE;
}
