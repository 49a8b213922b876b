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
    N_PARAMS
};
enum { INITIAL_START_RATE, INITIAL_PAPER };
enum { ROUND_TIME, ROUND_PACKETS };

static const char *const warc_initials[] = {"start-rate", "paper", NULL};
static const char *const warc_rounds[] = {"time", "packets", NULL};

#define SWITCH(text)                                                                               \
    .unit = "1", .description = (text), .kind = WEIR_PARAM_BOOL, .max = 1.0, .default_value = 1.0

static const struct weir_param warc_params[N_PARAMS] = {
    [PARAM_INITIAL] = {.name = "initial",
                       .unit = "1",
                       .description = "Start: the start bitrate and slow start, or a window of one "
                                      "packet without slow start as in the paper.",
                       .kind = WEIR_PARAM_CHOICE,
                       .max = 1.0,
                       .choices = warc_initials},
    [PARAM_SAMPLES] = {.name = "samples",
                       .unit = "windows",
                       .description =
                           "s: how many of the latest windows are averaged (equation 1).",
                       .kind = WEIR_PARAM_INTEGER,
                       .min = 1.0,
                       .max = WEIR__WINDOW_AVERAGE_SAMPLES_MAX,
                       .default_value = 160.0},
    [PARAM_RESET_FACTOR] = {.name = "reset-factor",
                            .unit = "1",
                            .description = "K: the history is reset when the mean is this many "
                                           "times TCP's mean window (equation 2).",
                            .kind = WEIR_PARAM_NUMBER,
                            .min = 1.0,
                            .max = 100.0,
                            .default_value = 3.0},
    [PARAM_EPOCHS] =
        {.name = "epochs",
         .unit = "loss events",
         .description = "N: how many loss epochs TCP's mean window is computed from (equation 3).",
         .kind = WEIR_PARAM_INTEGER,
         .min = 1.0,
         .max = WEIR__WINDOW_AVERAGE_EPOCHS_MAX,
         .default_value = 12.0},
    [PARAM_REDUCTION] = {.name = "reduction",
                         .unit = "1",
                         .description = "Share of the receive rate for one RTT after a loss event "
                                        "(section III.B.2).",
                         .kind = WEIR_PARAM_NUMBER,
                         .min = 0.1,
                         .max = 1.0,
                         .default_value = 0.875},
    [PARAM_HISTORY_RESET] =
        {.name = "history-reset",
         SWITCH("Drop old windows when losses have become far more frequent (section III.B.1).")},
    [PARAM_ONE_RTT_REDUCTION] = {.name = "one-rtt-reduction",
                                 SWITCH("Lower the rate for one RTT after a loss event (section "
                                        "III.B.2).")},
    [PARAM_FLUID_TIMEOUT] = {.name = "fluid-timeout",
                             SWITCH("Emulate the timeouts that TCP would have (section III.B.3).")},
    [PARAM_ROUND] = {.name = "round",
                     .unit = "1",
                     .description = "A round lasts one RTT, or until as many packets are reported "
                                    "as the emulated window has.",
                     .kind = WEIR_PARAM_CHOICE,
                     .max = 1.0,
                     .choices = warc_rounds},
    [PARAM_MIN_RTO] = {.name = "min-rto",
                       .unit = "ms",
                       .description = "Minimum timeout, of the emulated TCP and of feedback.",
                       .kind = WEIR_PARAM_NUMBER,
                       .min = 1.0,
                       .max = 10000.0,
                       .default_value = 200.0},
    [PARAM_APP_LIMIT] =
        {.name = "app-limit",
         .unit = "1",
         .description = "The window does not grow in rounds in which the application uses less "
                        "than this share of the rate; 0 = it always grows, as in the paper.",
         .kind = WEIR_PARAM_NUMBER,
         .max = 1.0,
         .default_value = 0.8},
};

#undef SWITCH

#endif
