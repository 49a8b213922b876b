/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameter table of arc, for arc.c alone. */
#ifndef WEIR_CONTROLLERS_ARC_PARAMS_H
#define WEIR_CONTROLLERS_ARC_PARAMS_H

#include "control/controller.h"

enum {
    PARAM_K,
    PARAM_ALPHA,
    PARAM_TAU,
    PARAM_INTERPOLATION,
    PARAM_SHRINK_CLAMP,
    PARAM_TIMEOUT,
    PARAM_RTT_MIN_WINDOW,
    PARAM_MIN_RTO,
    PARAM_INITIAL,
    PARAM_INITIAL_WINDOW,
    N_PARAMS
};

enum { INTERPOLATION_HOLD, INTERPOLATION_LINEAR };
enum { TIMEOUT_SAFE, TIMEOUT_PAPER };
enum { INITIAL_START_RATE, INITIAL_PAPER };

static const struct weir_param arc_params[N_PARAMS] = {
    [PARAM_K] =
        WEIR_ROW_NUMBER("k", "1/s", 0.01, 10.0, 0.5, "Gain from free window to rate (equation 1)."),
    [PARAM_ALPHA] = WEIR_ROW_NUMBER(
        "alpha", "s", 0.01, 1000.0, 0.3,
        "The window doubles, or grows by one packet, in this time (equations 5 and 6)."),
    [PARAM_TAU] = WEIR_ROW_NUMBER("tau", "s", 0.02, 100.0, 0.5,
                                  "Time constant of the bandwidth filter (equation 8)."),
    [PARAM_INTERPOLATION] =
        WEIR_ROW_CHOICE("interpolation", 0,
                        "Virtual samples within a long one (figure 3): all with "
                        "its value, or on a line from the previous one.",
                        "hold", "linear"),
    [PARAM_SHRINK_CLAMP] = WEIR_ROW_SWITCH(
        "shrink-clamp", true, "Congestion never raises the window; in the paper equation 2 can."),
    [PARAM_TIMEOUT] = WEIR_ROW_CHOICE("timeout", 0,
                                      "Reaction to silence: begin anew and probe quickly up to "
                                      "equation 2, or as to a loss (paper).",
                                      "safe", "paper"),
    [PARAM_RTT_MIN_WINDOW] =
        WEIR_ROW_NUMBER("rtt-min-window", "s", 0.0, 86400.0, 600.0,
                        "How long the minimum RTT is kept; 0 = for ever, for reproduction."),
    [PARAM_MIN_RTO] =
        WEIR_ROW_NUMBER("min-rto", "ms", 1.0, 60000.0, 200.0,
                        "Minimum timeout without feedback; 200 in ns-2, 1000 in RFC 6298."),
    [PARAM_INITIAL] =
        WEIR_ROW_CHOICE("initial", 0,
                        "Initial rate: the start bitrate, or one packet per second and "
                        "then two to four per RTT (RFC 5348 4.2).",
                        "start-rate", "paper"),
    [PARAM_INITIAL_WINDOW] = WEIR_ROW_NUMBER(
        "initial-window", "packets", 0.0, 1e6, 0.0,
        "Initial window w; 0 = the initial rate times (1/k + RTT), once the RTT is known."),
};

#endif
