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

static const struct weir_param tear_params[N_PARAMS] = {
    [PARAM_INITIAL] = WEIR__CHOICE("initial", 0,
                                   "Begin with the start bitrate, or with a window of one packet "
                                   "and one packet per second until the first RTT sample.",
                                   "start-rate", "paper"),
    [PARAM_SLOW_START] = WEIR__CHOICE("slow-start", 0,
                                      "Rate until the first epoch ends: the window per RTT, or the "
                                      "mean over the rounds of the epoch.",
                                      "window", "mean"),
    [PARAM_SAMPLES] = WEIR__INTEGER("samples", "epochs", 1.0, WEIR__TEAR_SAMPLES_MAX, 8.0,
                                    "Epochs in the mean; the newer half counts fully."),
    [PARAM_MIN_RTO] = WEIR__NUMBER("min-rto", "ms", 10.0, 10000.0, 200.0,
                                   "Minimum retransmission timeout of the emulated TCP."),
    [PARAM_RECEIVE_LIMIT] =
        WEIR__SWITCH("receive-limit", true, "In slow start send at most twice the receive rate."),
};

#endif
