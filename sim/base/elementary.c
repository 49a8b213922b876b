/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/elementary.h"
#include <math.h>

#define LN2         0.693147180559945309417
#define SQRT_HALF   0.707106781186547524401
#define LARGEST_EXP 709.0

/* Natural logarithm of x > 0, relative error below 1e-15; x <= 0 counts as the smallest double.
 * x = m 2^k with m in [sqrt(1/2), sqrt(2)), log m = 2 artanh((m - 1) / (m + 1)) as a series. */
double weir__log(double x)
{
    int exponent = 0;
    double m = frexp(x > 0.0 ? x : 4.9e-324, &exponent);
    if (m < SQRT_HALF) {
        m *= 2.0;
        exponent--;
    }
    double s = (m - 1.0) / (m + 1.0);
    double square = s * s;
    double sum = 0.0;
    for (int n = 25; n >= 1; n -= 2) {
        sum = sum * square + 1.0 / n;
    }
    return (double)exponent * LN2 + 2.0 * s * sum;
}

/* e^x, relative error below 1e-14; |x| above 709 counts as 709.
 * x = k ln 2 + r with |r| <= ln 2 / 2, e^r as its Taylor series. */
double weir__exp(double x)
{
    double limited = x > LARGEST_EXP ? LARGEST_EXP : x < -LARGEST_EXP ? -LARGEST_EXP : x;
    double k = floor(limited / LN2 + 0.5);
    double r = limited - k * LN2;
    double sum = 1.0;
    for (int n = 16; n >= 1; n--) {
        sum = 1.0 + sum * r / n;
    }
    return ldexp(sum, (int)k);
}

/* base^exponent for exponent >= 0 by squaring; a negative exponent counts as 0. */
double weir__power(double base, int64_t exponent)
{
    double result = 1.0;
    double square = base;
    for (int64_t left = exponent; left > 0; left /= 2) {
        if (left % 2 != 0) {
            result *= square;
        }
        square *= square;
    }
    return result;
}
