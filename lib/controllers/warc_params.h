/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameter table of warc, for warc.c alone. */
#ifndef WEIR_CONTROLLERS_WARC_PARAMS_H
#define WEIR_CONTROLLERS_WARC_PARAMS_H

#include "control/controller.h"
#include "estimators/window_average.h"

enum {
    PARAM_INITIAL,
    PARAM_SAMPLES,
    PARAM_RESET_FACTOR,
    PARAM_EPOCHS,
    PARAM_REDUCTION,
    PARAM_HISTORY_RESET,
    PARAM_ONE_RTT_REDUCTION,
    PARAM_FLUID_TIMEOUT,
    PARAM_ROUND,
    PARAM_MIN_RTO,
    PARAM_APP_LIMIT,
    PARAM_TIMEOUT_LAW,
    N_PARAMS
};
enum { INITIAL_START_RATE, INITIAL_PAPER };
enum { ROUND_TIME, ROUND_PACKETS };
enum { LAW_RENO, LAW_SACK };

static const struct weir_param warc_params[N_PARAMS] = {
    [PARAM_INITIAL] = WEIR_ROW_CHOICE("initial", 0,
                                      "Start: the start bitrate and slow start, or a window of one "
                                      "packet without slow start as in the paper.",
                                      "start-rate", "paper"),
    [PARAM_SAMPLES] =
        WEIR_ROW_INTEGER("samples", "windows", 1.0, WEIR__WINDOW_AVERAGE_SAMPLES_MAX, 160.0,
                         "s: how many of the latest windows are averaged (equation 1)."),
    [PARAM_RESET_FACTOR] = WEIR_ROW_NUMBER(
        "reset-factor", "1", 1.0, 100.0, 3.0,
        "K: the history is reset when the mean is this many times TCP's mean window (equation 2)."),
    [PARAM_EPOCHS] = WEIR_ROW_INTEGER(
        "epochs", "loss events", 1.0, WEIR__WINDOW_AVERAGE_EPOCHS_MAX, 12.0,
        "N: how many loss epochs TCP's mean window is computed from (equation 3)."),
    [PARAM_REDUCTION] = WEIR_ROW_NUMBER(
        "reduction", "1", 0.1, 1.0, 0.875,
        "Share of the receive rate for one RTT after a loss event (section III.B.2)."),
    [PARAM_HISTORY_RESET] = WEIR_ROW_SWITCH(
        "history-reset", true,
        "Drop old windows when losses have become far more frequent (section III.B.1)."),
    [PARAM_ONE_RTT_REDUCTION] =
        WEIR_ROW_SWITCH("one-rtt-reduction", true,
                        "Lower the rate for one RTT after a loss event (section III.B.2)."),
    [PARAM_FLUID_TIMEOUT] = WEIR_ROW_SWITCH(
        "fluid-timeout", true, "Emulate the timeouts that TCP would have (section III.B.3)."),
    [PARAM_ROUND] = WEIR_ROW_CHOICE(
        "round", 0,
        "A round lasts one RTT, or until as many packets are reported as the emulated window has.",
        "time", "packets"),
    [PARAM_MIN_RTO] = WEIR_ROW_NUMBER("min-rto", "ms", 1.0, 10000.0, 200.0,
                                      "Minimum timeout, of the emulated TCP and of feedback."),
    [PARAM_APP_LIMIT] = WEIR_ROW_NUMBER(
        "app-limit", "1", 0.0, 1.0, 0.8,
        "The window does not grow in rounds in which the application uses less than "
        "this share of the rate; 0 = it always grows, as in the paper."),
    [PARAM_TIMEOUT_LAW] = WEIR_ROW_CHOICE(
        "timeout-law", 0,
        "How often a loss event ends in a timeout at a window of W packets: 3/W as with Reno, or "
        "(2.5/W)^2 as with SACK.",
        "reno", "sack"),
};

#endif
