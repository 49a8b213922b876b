/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef WEIR_TESTS_VECTORS_VECTOR_H
#define WEIR_TESTS_VECTORS_VECTOR_H

#include "control/controller.h"

/* One known answer: a little script of events and the figures that must come out of it.
 * Steps run in order from t = 0; at_us is absolute and never decreases. */
enum vector_op {
    VECTOR_END = 0,
    /* a = packets, b = bytes each, c = spacing in us (first leaves at at_us); network-limited */
    VECTOR_SEND,
    /* the same, data-limited */
    VECTOR_SEND_IDLE,
    /* a = first seq, b = last seq, all received; c = one-way delay in us; d = rtt in us */
    VECTOR_ACK,
    /* a = first seq, b = last seq, all lost; d = rtt in us or 0 */
    VECTOR_LOSE,
    /* a = expected, b = lost, c = interval in us, d = rtt in us */
    VECTOR_REPORT,
    /* run every timer due up to at_us */
    VECTOR_TIMERS,
    /* x = rate_bps, y = tolerance relative */
    VECTOR_EXPECT_BPS,
    /* name, x = value, y = tolerance relative */
    VECTOR_EXPECT_VARIABLE,
};

struct vector_step {
    enum vector_op op;
    int64_t at_us;
    int64_t a, b, c, d;
    const char *name;
    double x, y;
};

struct vector {
    const char *name;                      /* which branch of the specification it pins */
    const struct weir_param_value *params; /* NULL or values that differ from the defaults */
    size_t n_params;
    const struct vector_step *steps; /* ends with VECTOR_END */
};

#endif
