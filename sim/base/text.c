/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_RATE_BPS INT64_C(1000000000000)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* value = value * 10 + digit * scale, false on overflow. */
static bool append_digit(int64_t *value, char digit, int64_t scale)
{
    int64_t add = (int64_t)(digit - '0') * scale;
    if (*value > (INT64_MAX - add) / 10) {
        return false;
    }
    *value = *value * 10 + add;
    return true;
}

/* Reads "12", "0.25" or ".5" at *at as a multiple of 1/scale (scale: a power of ten up to 10^9),
 * digits beyond that are cut off. On success *at stands behind it; else nothing is touched. */
bool weir__text_number(const char **at, int64_t scale, int64_t *value)
{
    const char *c = *at;
    int64_t result = 0;
    bool any = false;
    for (; is_digit(*c); c++) {
        any = true;
        if (!append_digit(&result, *c, scale)) {
            return false;
        }
    }
    if (*c == '.') {
        int64_t step = scale;
        for (c++; is_digit(*c); c++) {
            any = true;
            step /= 10;
            int64_t add = (int64_t)(*c - '0') * step;
            if (result > INT64_MAX - add) {
                return false;
            }
            result += add;
        }
    }
    if (any) {
        *at = c;
        *value = result;
    }
    return any;
}

/* Seconds, as nanoseconds. */
bool weir__text_seconds(const char **at, int64_t *value_ns)
{
    return weir__text_number(at, INT64_C(1000000000), value_ns);
}

/* A number with its unit, ns, us, ms or s, as nanoseconds. A bare number is refused, unless it is
 * 0: milliseconds would be as right as seconds. */
bool weir__text_duration(const char **at, int64_t *value_ns)
{
    static const struct {
        const char *name;
        int64_t divisor;
    } units[] = {{"ns", INT64_C(1000000000)}, {"us", 1000000}, {"ms", 1000}, {"s", 1}};
    const char *c = *at;
    int64_t value = 0;
    if (!weir__text_seconds(&c, &value)) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(c, units[i].name, length) == 0) {
            *at = c + length;
            *value_ns = value / units[i].divisor;
            return true;
        }
    }
    if (value == 0) {
        *at = c;
        *value_ns = 0;
    }
    return value == 0;
}

/* Bits per second, with k, M or G behind the number, up to 10^12. */
bool weir__text_rate(const char **at, int64_t *rate_bps)
{
    const char *c = *at;
    int64_t micro = 0;
    if (!weir__text_number(&c, 1000000, &micro)) {
        return false;
    }
    int64_t divisor = 1000000;
    int64_t factor = 1;
    if (*c == 'k' || *c == 'K') {
        divisor = 1000;
    } else if (*c == 'M') {
        divisor = 1;
    } else if (*c == 'G') {
        divisor = 1;
        factor = 1000;
    }
    c += divisor < 1000000;
    int64_t units = micro / divisor;
    if (units > MOST_RATE_BPS / factor) {
        return false;
    }
    *at = c;
    *rate_bps = units * factor;
    return true;
}

/* printf into the caller's buffer, cut to its size; error may be NULL. */
void weir__text_error(char *error, size_t error_size, const char *format, ...)
{
    if (error && error_size > 0) {
        va_list args;
        va_start(args, format);
        vsnprintf(error, error_size, format, args);
        va_end(args);
    }
}
