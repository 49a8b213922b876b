/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contract between a session and a congestion controller (weir/contract.h), with what only the
 * library's own controllers and the session use of it. */
#ifndef WEIR_LIB_CONTROLLER_H
#define WEIR_LIB_CONTROLLER_H

#include "estimators/rtt.h"
#include "weir/contract.h"

/* The limits of a session, in bytes/s. */
struct weir__byte_limits {
    double start;
    double least;
    double most;
};

static inline struct weir__byte_limits weir__byte_limits(const struct weir_limits *limits)
{
    return (struct weir__byte_limits){.start = (double)limits->start_bps / 8.0,
                                      .least = (double)limits->min_bps / 8.0,
                                      .most = (double)limits->max_bps / 8.0};
}

/* The registry: NULL when there is none. */
const struct weir_controller *weir__controller_find(const char *name);
const struct weir_controller *weir__controller_at(size_t i);

/* Fills values[0..n_params) with the table's defaults, then with `given`. On failure values is
 * untouched, *wrong (may be NULL) is the index of the offending entry. */
enum weir_status weir__params_resolve(const struct weir_controller *controller,
                                      const struct weir_param_value *given, size_t n_given,
                                      double values[WEIR_MAX_PARAMS], size_t *wrong);

#endif
