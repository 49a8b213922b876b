/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameter table of tear, for tear.c alone. */
#ifndef WEIR_CONTROLLERS_TEAR_PARAMS_H
#define WEIR_CONTROLLERS_TEAR_PARAMS_H

#include "control/controller.h"
#include "estimators/tear_window.h"

enum { INITIAL_START_RATE, INITIAL_PAPER };

enum { SLOW_START_WINDOW, SLOW_START_MEAN };

enum {
    PARAM_INITIAL,
    PARAM_SLOW_START,
    PARAM_SAMPLES,
    PARAM_MIN_RTO,
    PARAM_RECEIVE_LIMIT,
    N_PARAMS
};

static const char *const tear_initials[] = {"start-rate", "paper", NULL};
static const char *const tear_slow_starts[] = {"window", "mean", NULL};

static const struct weir_param tear_params[N_PARAMS] = {
    [PARAM_INITIAL] = {.name = "initial",
                       .unit = "1",
                       .description = "Begin with the start bitrate, or with a window of one "
                                      "packet and one packet per second until the first RTT "
                                      "sample.",
                       .kind = WEIR_PARAM_CHOICE,
                       .max = INITIAL_PAPER,
                       .choices = tear_initials},
    [PARAM_SLOW_START] = {.name = "slow-start",
                          .unit = "1",
                          .description = "Rate until the first epoch ends: the window per RTT, or "
                                         "the mean over the rounds of the epoch.",
                          .kind = WEIR_PARAM_CHOICE,
                          .max = SLOW_START_MEAN,
                          .choices = tear_slow_starts},
    [PARAM_SAMPLES] = {.name = "samples",
                       .unit = "epochs",
                       .description = "Epochs in the mean; the newer half counts fully.",
                       .kind = WEIR_PARAM_INTEGER,
                       .min = 1.0,
                       .max = WEIR__TEAR_SAMPLES_MAX,
                       .default_value = 8.0},
    [PARAM_MIN_RTO] = {.name = "min-rto",
                       .unit = "ms",
                       .description = "Minimum retransmission timeout of the emulated TCP.",
                       .kind = WEIR_PARAM_NUMBER,
                       .min = 10.0,
                       .max = 10000.0,
                       .default_value = 200.0},
    [PARAM_RECEIVE_LIMIT] = {.name = "receive-limit",
                             .unit = "1",
                             .description = "In slow start send at most twice the receive rate.",
                             .kind = WEIR_PARAM_BOOL,
                             .max = 1.0,
                             .default_value = 1.0},
};

#endif
