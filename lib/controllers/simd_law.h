/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laws of the window schemes with history: the increase depends on the distance of the window w
 * from w0, the window just after the last decrease.
 *
 *   per RTT: w += a/(w - w0)^k       per loss event: w -= b w^l
 *
 * SIMD is k = -1/2, l = 1; AIAD/H is k = 0, l = 0. w_m is the window just before a decrease, keep =
 * 1 - b what SIMD keeps of it: Jin et al. call the part removed beta, Biyani and Martin the part
 * kept. Windows are packets >= 1, times are RTTs. */
#ifndef WEIR_CONTROLLERS_SIMD_LAW_H
#define WEIR_CONTROLLERS_SIMD_LAW_H

#include <math.h>

/* The same for SIMD: 3 sqrt(b)/((1 - 2b/3) sqrt(w_m)). */
static inline double weir__simd_alpha(double keep, double w_m)
{
    double b = 1.0 - keep;
    return 3.0 * sqrt(b) / ((1.0 - 2.0 * b / 3.0) * sqrt(w_m));
}

/* As Biyani and Martin print it: smaller by sqrt(2). */
static inline double weir__simd_alpha_paper(double keep, double w_m)
{
    return weir__simd_alpha(keep, w_m) / sqrt(2.0);
}

/* The constant of their implementation (table VII), which adds alpha_i sqrt(w/w0 - 1)/(w sqrt(2))
 * per acknowledgement: alpha_paper = alpha_i/sqrt(2 w0) with w0 = keep w_m. */
static inline double weir__simd_alpha_i(double keep)
{
    double b = 1.0 - keep;
    return 3.0 * sqrt(keep * b) / (1.0 - 2.0 * b / 3.0);
}

/* Closed form of the square increase from any w >= w0 on, dt later. It also leaves w0, where the
 * rule itself stands still. */
static inline double weir__simd_grow(double w, double w0, double alpha, double dt)
{
    double root = sqrt(fmax(w - w0, 0.0)) + alpha * dt / 2.0;
    return w0 + root * root;
}

/* AIAD/H: 1.5 b/(w_m - b/2), b in packets. */
static inline double weir__aiad_h_alpha(double b, double w_m)
{
    return 1.5 * b / (w_m - b / 2.0);
}

#endif
