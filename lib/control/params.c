/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters of algorithms: text to number, the checks of the tables, and sentences that say what
 * is wrong. Reading and writing of numbers does not depend on the locale. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control/controller.h"

#define NUMBER_TEXT_BYTES 32
#define MAX_MANTISSA      (INT64_C(1) << 53)
#define MAX_EXPONENT      400
#define MAX_LISTED_BYTES  512
#define MAX_SHOWN_TEXT    40
#define MAX_RANGE_BYTES   128

/* The one place where a sentence is written; why may be NULL. */
static void explain(char *why, size_t n_why, const char *format, ...)
{
    if (why == NULL || n_why == 0) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, n_why, format, arguments);
    va_end(arguments);
}

/* A number as people write it, with a point in every locale. */
static const char *number_text(double value, char text[NUMBER_TEXT_BYTES])
{
    snprintf(text, NUMBER_TEXT_BYTES, "%.12g", value);
    for (char *c = text; *c != '\0'; c++) {
        if (strchr("0123456789+-einfa.", *c) == NULL) {
            *c = '.';
        }
    }
    return text;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits with at most one point. Moves *text behind them; false when there is no digit. */
static bool read_mantissa(const char **text, double *mantissa, int *exponent)
{
    int64_t digits = 0;
    bool any = false;
    bool point = false;
    for (; is_digit(**text) || (**text == '.' && !point); (*text)++) {
        if (**text == '.') {
            point = true;
            continue;
        }
        any = true;
        bool room = digits < MAX_MANTISSA / 10;
        digits = room ? digits * 10 + (**text - '0') : digits;
        *exponent += (room ? 0 : 1) - (point ? 1 : 0);
    }
    *mantissa = (double)digits;
    return any;
}

/* "e-3"; nothing at all is fine. */
static bool read_exponent(const char **text, int *exponent)
{
    if (**text != 'e' && **text != 'E') {
        return true;
    }
    (*text)++;
    int sign = **text == '-' ? -1 : 1;
    if (**text == '-' || **text == '+') {
        (*text)++;
    }
    int value = 0;
    bool any = false;
    for (; is_digit(**text); (*text)++) {
        any = true;
        value = value < MAX_EXPONENT ? value * 10 + (**text - '0') : value;
    }
    *exponent += sign * value;
    return any;
}

/* A decimal number and nothing behind it. Exact when it has at most 15 digits and a small exponent;
 * numbers beyond a double are refused. */
static bool read_number(const char *text, double *number)
{
    double mantissa = 0.0;
    int exponent = 0;
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') {
        text++;
    }
    if (!read_mantissa(&text, &mantissa, &exponent) || !read_exponent(&text, &exponent) ||
        *text != '\0') {
        return false;
    }
    double scale = pow(10.0, fabs((double)exponent));
    double value = exponent < 0 ? mantissa / scale : mantissa * scale;
    if (!isfinite(value)) {
        return false;
    }
    *number = negative ? -value : value;
    return true;
}

static bool read_bool(const char *text, double *number)
{
    static const char *const yes[] = {"true", "yes", "on", "1"};
    static const char *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *number = strcmp(text, yes[i]) == 0 ? 1.0 : 0.0;
            return true;
        }
    }
    return false;
}

static bool read_choice(const struct weir_param *param, const char *text, double *number)
{
    for (size_t i = 0; param->choices[i] != NULL; i++) {
        if (strcmp(text, param->choices[i]) == 0) {
            *number = (double)i;
            return true;
        }
    }
    return read_number(text, number);
}

static bool read_text(const struct weir_param *param, const char *text, double *number)
{
    switch (param->kind) {
    case WEIR_PARAM_BOOL:
        return read_bool(text, number);
    case WEIR_PARAM_CHOICE:
        return read_choice(param, text, number);
    case WEIR_PARAM_NUMBER:
    case WEIR_PARAM_INTEGER:
        break;
    }
    return read_number(text, number);
}

/* "a, b, c" of n names given one by one; too long a list ends in "...". */
static void append_name(char *list, const char *name)
{
    size_t used = strlen(list);
    if (used + strlen(name) + 8 < MAX_LISTED_BYTES) {
        snprintf(list + used, MAX_LISTED_BYTES - used, "%s%s", used > 0 ? ", " : "", name);
    } else if (used > 3 && strcmp(list + used - 3, "...") != 0) {
        snprintf(list + used, MAX_LISTED_BYTES - used, ", ...");
    }
}

static enum weir_status no_such_algorithm(const char *name, char *why, size_t n_why)
{
    char list[MAX_LISTED_BYTES] = "";
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        append_name(list, weir_algorithm_name(i));
    }
    explain(why, n_why, "there is no algorithm \"%.*s\"; there are: %s", MAX_SHOWN_TEXT,
            name != NULL ? name : "", list);
    return WEIR_ERROR_UNKNOWN_ALGORITHM;
}

static enum weir_status no_such_param(const struct weir_controller *controller, const char *name,
                                      char *why, size_t n_why)
{
    char list[MAX_LISTED_BYTES] = "";
    for (size_t i = 0; i < controller->n_params; i++) {
        append_name(list, controller->params[i].name);
    }
    explain(why, n_why, "%s has no parameter \"%.*s\"; it has%s%s", controller->name,
            MAX_SHOWN_TEXT, name, list[0] != '\0' ? ": " : " none", list);
    return WEIR_ERROR_UNKNOWN_PARAM;
}

/* "1 to 32 intervals" */
static const char *range_text(const struct weir_param *param, char text[MAX_RANGE_BYTES])
{
    char min[NUMBER_TEXT_BYTES], max[NUMBER_TEXT_BYTES];
    bool has_unit = param->unit != NULL && strcmp(param->unit, "1") != 0 && param->unit[0] != '\0';
    snprintf(text, MAX_RANGE_BYTES, "%s to %s%s%s", number_text(param->min, min),
             number_text(param->max, max), has_unit ? " " : "", has_unit ? param->unit : "");
    return text;
}

/* What would be right: the names of a choice, the range of a number, nothing more of a bool. */
static const char *right_values(const struct weir_param *param, char list[MAX_LISTED_BYTES])
{
    list[0] = '\0';
    if (param->kind == WEIR_PARAM_CHOICE) {
        for (size_t i = 0; param->choices[i] != NULL; i++) {
            append_name(list, param->choices[i]);
        }
    } else if (param->kind != WEIR_PARAM_BOOL) {
        range_text(param, list);
    }
    return list;
}

static enum weir_status not_wanted(const char *algorithm, const struct weir_param *param,
                                   const char *text, char *why, size_t n_why)
{
    static const char *const kinds[] = {
        [WEIR_PARAM_NUMBER] = "a number, ",
        [WEIR_PARAM_INTEGER] = "a whole number, ",
        [WEIR_PARAM_BOOL] = "true or false",
        [WEIR_PARAM_CHOICE] = "one of: ",
    };
    char list[MAX_LISTED_BYTES];
    explain(why, n_why, "%s: %s=%.*s is not %s%s", algorithm, param->name, MAX_SHOWN_TEXT, text,
            kinds[param->kind], right_values(param, list));
    return WEIR_ERROR_RANGE;
}

static enum weir_status out_of_range(const char *algorithm, const struct weir_param *param,
                                     double number, char *why, size_t n_why)
{
    char text[NUMBER_TEXT_BYTES], range[MAX_RANGE_BYTES];
    explain(why, n_why, "%s: %s=%s is out of range, %s", algorithm, param->name,
            number_text(number, text), range_text(param, range));
    return WEIR_ERROR_RANGE;
}

/* The checks a number must pass, whether it was given as such or as text. */
static enum weir_status check_number(const char *algorithm, const struct weir_param *param,
                                     double number, char *why, size_t n_why)
{
    char text[NUMBER_TEXT_BYTES];
    bool whole = param->kind == WEIR_PARAM_NUMBER || floor(number) == number;
    if (!isfinite(number) || !whole) {
        return not_wanted(algorithm, param, number_text(number, text), why, n_why);
    }
    if (number >= param->min && number <= param->max) {
        return WEIR_OK;
    }
    bool named = param->kind == WEIR_PARAM_BOOL || param->kind == WEIR_PARAM_CHOICE;
    return named ? not_wanted(algorithm, param, number_text(number, text), why, n_why)
                 : out_of_range(algorithm, param, number, why, n_why);
}

static enum weir_status check_value(const struct weir_controller *controller,
                                    const struct weir_param_value *given, size_t *index,
                                    double *number, char *why, size_t n_why)
{
    const char *name = given->name != NULL ? given->name : "";
    for (size_t i = 0; i < controller->n_params; i++) {
        const struct weir_param *param = &controller->params[i];
        if (strcmp(param->name, name) == 0) {
            *index = i;
            *number = given->value;
            if (given->value_text != NULL && !read_text(param, given->value_text, number)) {
                return not_wanted(controller->name, param, given->value_text, why, n_why);
            }
            return check_number(controller->name, param, *number, why, n_why);
        }
    }
    return no_such_param(controller, name, why, n_why);
}

enum weir_status weir_param_check(const char *algorithm, const struct weir_param_value *value,
                                  double *checked, char *why, size_t n_why)
{
    size_t index = 0;
    double number = 0.0;
    const struct weir_controller *controller = weir__controller_find(algorithm);
    if (controller == NULL) {
        return no_such_algorithm(algorithm, why, n_why);
    }
    if (value == NULL) {
        explain(why, n_why, "%s: no parameter was given", controller->name);
        return WEIR_ERROR_ARGUMENT;
    }
    enum weir_status status = check_value(controller, value, &index, &number, why, n_why);
    if (status == WEIR_OK && checked != NULL) {
        *checked = number;
    }
    return status;
}

enum weir_status weir__params_resolve(const struct weir_controller *controller,
                                      const struct weir_param_value *given, size_t n_given,
                                      double values[WEIR_MAX_PARAMS], size_t *wrong)
{
    double resolved[WEIR_MAX_PARAMS] = {0.0};
    for (size_t i = 0; i < controller->n_params; i++) {
        resolved[i] = controller->params[i].default_value;
    }
    for (size_t i = 0; i < n_given; i++) {
        size_t index = 0;
        double number = 0.0;
        enum weir_status status = check_value(controller, &given[i], &index, &number, NULL, 0);
        if (status != WEIR_OK) {
            if (wrong != NULL) {
                *wrong = i;
            }
            return status;
        }
        resolved[index] = number;
    }
    memcpy(values, resolved, controller->n_params * sizeof(double));
    return WEIR_OK;
}
