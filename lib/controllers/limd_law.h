/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arithmetic of LIMD/H (Kim, Bharghavan 1999), for limd_h.c and its tests. */
#ifndef WEIR_CONTROLLERS_LIMD_LAW_H
#define WEIR_CONTROLLERS_LIMD_LAW_H

/* The share of the rate that an epoch with loss fraction f in [0, 1] leaves: 1 - b h f, at least
 * `least`. */
static inline double weir__limd_factor(double b, double h, double f, double least)
{
    double factor = 1.0 - b * h * f;
    return factor < least ? least : factor;
}

/* The history after an epoch: 1 after one without loss, else doubled up to h_max >= 1. */
static inline double weir__limd_history(double h, double f, double h_max)
{
    double doubled = 2.0 * h < h_max ? 2.0 * h : h_max;
    return f > 0.0 ? doubled : 1.0;
}

#endif
