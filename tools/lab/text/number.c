/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text/number.h"
#include <math.h>

#define MOST_DIGITS 20 /* of 2^64 */

/* Digits of value at the end of buffer, at least `least` of them; returns the first. */
static char *digits_of(uint64_t value, unsigned least, char buffer[MOST_DIGITS])
{
    char *at = buffer + MOST_DIGITS;
    while (value > 0 || at > buffer + MOST_DIGITS - least) {
        *--at = (char)('0' + value % 10);
        value /= 10;
    }
    return at;
}

static uint64_t magnitude(GString *text, int64_t value)
{
    if (value >= 0) {
        return (uint64_t)value;
    }
    g_string_append_c(text, '-');
    return UINT64_C(0) - (uint64_t)value;
}

/* Much faster than printf: time series have millions of them. */
void lab_append_unsigned(GString *text, uint64_t value)
{
    char buffer[MOST_DIGITS];
    char *first = digits_of(value, 1, buffer);
    g_string_append_len(text, first, buffer + MOST_DIGITS - first);
}

/* Decimal digits, with a sign if negative. */
void lab_append_int(GString *text, int64_t value)
{
    lab_append_unsigned(text, magnitude(text, value));
}

/* value / 10^decimals, exactly, without zeros at the end; decimals <= 18. */
void lab_append_fixed(GString *text, int64_t value, unsigned decimals)
{
    char buffer[MOST_DIGITS];
    char *first = digits_of(magnitude(text, value), decimals + 1, buffer);
    char *point = buffer + MOST_DIGITS - decimals;
    char *end = buffer + MOST_DIGITS;
    while (end > point && end[-1] == '0') {
        end--;
    }
    g_string_append_len(text, first, point - first);
    if (end > point) {
        g_string_append_c(text, '.');
        g_string_append_len(text, point, end - point);
    }
}

/* "null" for what is not finite: neither JSON nor a table has a number for it. */
void lab_append_real(GString *text, double value)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    if (!isfinite(value)) {
        g_string_append(text, "null");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        char format[8];
        g_snprintf(format, sizeof format, "%%.%dg", digits);
        g_ascii_formatd(buffer, sizeof buffer, format, value);
        double back = g_ascii_strtod(buffer, NULL);
        if (!(back < value) && !(back > value)) {
            break;
        }
    }
    g_string_append(text, buffer);
}
