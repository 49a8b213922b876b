/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "value.h"
#include <math.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

/* A decimal number without a sign; where it ends is *rest. */
static gboolean read_number(const char *text, double *value, const char **rest)
{
    char *end = NULL;
    if (!g_ascii_isdigit(text[0]) || g_ascii_tolower(text[1]) == 'x') {
        return FALSE;
    }
    *value = g_ascii_strtod(text, &end);
    *rest = end;
    return isfinite(*value);
}

static gboolean read_with_unit(const char *text, const struct unit *units, int64_t *value)
{
    double number = 0.0;
    const char *rest = NULL;
    if (!read_number(text, &number, &rest)) {
        return FALSE;
    }
    for (; units->name; units++) {
        if (strcmp(rest, units->name) == 0) {
            double scaled = number * units->factor;
            *value = (int64_t)(scaled + 0.5);
            return scaled < 9e18;
        }
    }
    return FALSE;
}

/* Bit/s: a number, with k, M or G for thousands, millions, thousand millions. */
gboolean link_value_rate(const char *text, int64_t *rate_bps)
{
    static const struct unit units[] = {{"", 1.0}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};
    return read_with_unit(text, units, rate_bps);
}

/* A number and ns, us, ms or s. A bare number is refused, unless it is 0: nanoseconds would be as
 * right as seconds. */
gboolean link_value_time(const char *text, int64_t *time_ns)
{
    static const struct unit units[] = {
        {"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
    if (strcmp(text, "0") == 0) {
        *time_ns = 0;
        return TRUE;
    }
    return read_with_unit(text, units, time_ns);
}

gboolean link_value_whole(const char *text, int64_t *value)
{
    guint64 number = 0;
    if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT64, &number, NULL)) {
        return FALSE;
    }
    *value = (int64_t)number;
    return TRUE;
}

gboolean link_value_real(const char *text, double *value)
{
    const char *rest = NULL;
    return read_number(text, value, &rest) && *rest == '\0';
}
