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

static const char *const arc_interpolations[] = {"hold", "linear", NULL};
static const char *const arc_timeouts[] = {"safe", "paper", NULL};
static const char *const arc_initials[] = {"start-rate", "paper", NULL};

static const struct weir_param arc_params[N_PARAMS] = {
    [PARAM_K] = {.name = "k",
                 .unit = "1/s",
                 .description = "Gain from free window to rate (equation 1).",
                 .kind = WEIR_PARAM_NUMBER,
                 .min = 0.01,
                 .max = 10.0,
                 .default_value = 0.5},
    [PARAM_ALPHA] = {.name = "alpha",
                     .unit = "s",
                     .description = "The window doubles, or grows by one packet, in this time "
                                    "(equations 5 and 6).",
                     .kind = WEIR_PARAM_NUMBER,
                     .min = 0.01,
                     .max = 1000.0,
                     .default_value = 0.3},
    [PARAM_TAU] = {.name = "tau",
                   .unit = "s",
                   .description = "Time constant of the bandwidth filter (equation 8).",
                   .kind = WEIR_PARAM_NUMBER,
                   .min = 0.02,
                   .max = 100.0,
                   .default_value = 0.5},
    [PARAM_INTERPOLATION] = {.name = "interpolation",
                             .unit = "1",
                             .description = "Virtual samples within a long one (figure 3): all "
                                            "with its value, or on a line from the previous one.",
                             .kind = WEIR_PARAM_CHOICE,
                             .max = 1.0,
                             .choices = arc_interpolations},
    [PARAM_SHRINK_CLAMP] = {.name = "shrink-clamp",
                            .unit = "1",
                            .description =
                                "Congestion never raises the window; in the paper equation 2 can.",
                            .kind = WEIR_PARAM_BOOL,
                            .max = 1.0,
                            .default_value = 1.0},
    [PARAM_TIMEOUT] = {.name = "timeout",
                       .unit = "1",
                       .description = "Reaction to silence: begin anew and probe quickly up to "
                                      "equation 2, or as to a loss (paper).",
                       .kind = WEIR_PARAM_CHOICE,
                       .max = 1.0,
                       .choices = arc_timeouts},
    [PARAM_RTT_MIN_WINDOW] =
        {.name = "rtt-min-window",
         .unit = "s",
         .description = "How long the minimum RTT is kept; 0 = for ever, for reproduction.",
         .kind = WEIR_PARAM_NUMBER,
         .max = 86400.0,
         .default_value = 600.0},
    [PARAM_MIN_RTO] = {.name = "min-rto",
                       .unit = "ms",
                       .description =
                           "Minimum timeout without feedback; 200 in ns-2, 1000 in RFC 6298.",
                       .kind = WEIR_PARAM_NUMBER,
                       .min = 1.0,
                       .max = 60000.0,
                       .default_value = 200.0},
    [PARAM_INITIAL] = {.name = "initial",
                       .unit = "1",
                       .description = "Initial rate: the start bitrate, or one packet per second "
                                      "and then two to four per RTT (RFC 5348 4.2).",
                       .kind = WEIR_PARAM_CHOICE,
                       .max = 1.0,
                       .choices = arc_initials},
    [PARAM_INITIAL_WINDOW] = {.name = "initial-window",
                              .unit = "packets",
                              .description = "Initial window w; 0 = the initial rate times (1/k + "
                                             "RTT), once the RTT is known.",
                              .kind = WEIR_PARAM_NUMBER,
                              .max = 1e6},
};

#endif
