/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window engine's entries of a scheme's parameter table, for the schemes' files:
 *
 *   static const struct weir_param gaimd_params[] = {
 *       WINDOW_PARAMS,
 *       [WINDOW_N_PARAMS] = {.name = "alpha", ...},
 *   }; */
#ifndef WEIR_CONTROLLERS_WINDOW_PARAMS_H
#define WEIR_CONTROLLERS_WINDOW_PARAMS_H

#include "controllers/window.h"

static const char *const window_initials[] = {"start-rate", "paper", NULL};
static const char *const window_clockings[] = {"paced", "ack", NULL};
static const char *const window_groupings[] = {"window", "rtt", NULL};

#define WINDOW_PARAMS                                                                              \
    [WINDOW_PARAM_INITIAL] = {.name = "initial",                                                   \
                              .unit = "1",                                                         \
                              .description = "Rate before the first RTT sample, and the window "   \
                                             "after it: the start bitrate, or the initial "        \
                                             "window of the paper.",                               \
                              .kind = WEIR_PARAM_CHOICE,                                           \
                              .max = 1.0,                                                          \
                              .choices = window_initials},                                         \
    [WINDOW_PARAM_INITIAL_WINDOW] = {.name = "initial-window",                                     \
                                     .unit = "packets",                                            \
                                     .description = "Initial window; 0 = 2 to 4 by packet size "   \
                                                    "(RFC 3390), or the paper's with initial "     \
                                                    "= paper.",                                    \
                                     .kind = WEIR_PARAM_NUMBER,                                    \
                                     .max = 1000.0},                                               \
    [WINDOW_PARAM_INITIAL_SSTHRESH] = {.name = "initial-ssthresh",                                 \
                                       .unit = "packets",                                          \
                                       .description = "Window at which the first slow start ends " \
                                                      "without a loss; 0 = none.",                 \
                                       .kind = WEIR_PARAM_NUMBER,                                  \
                                       .max = 1e6},                                                \
    [WINDOW_PARAM_MIN_RTO] = {.name = "min-rto",                                                   \
                              .unit = "ms",                                                        \
                              .description = "Least retransmission timeout; 200 in ns-2, 1000 in " \
                                             "RFC 6298.",                                          \
                              .kind = WEIR_PARAM_NUMBER,                                           \
                              .min = 1.0,                                                          \
                              .max = 60000.0,                                                      \
                              .default_value = 200.0},                                             \
    [WINDOW_PARAM_CLOCKING] = {.name = "clocking",                                                 \
                               .unit = "1",                                                        \
                               .description = "What releases packets: a pacer at one window per "  \
                                              "RTT, or acknowledgements alone as in ns-2.",        \
                               .kind = WEIR_PARAM_CHOICE,                                          \
                               .max = 1.0,                                                         \
                               .choices = window_clockings},                                       \
    [WINDOW_PARAM_LOSS_GROUPING] = {.name = "loss-grouping",                                       \
                                    .unit = "1",                                                   \
                                    .description = "Losses that are one event: of packets sent "   \
                                                   "before the reaction (SACK TCP), or within an " \
                                                   "RTT.",                                         \
                                    .kind = WEIR_PARAM_CHOICE,                                     \
                                    .max = 1.0,                                                    \
                                    .choices = window_groupings}

#endif
