/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameter table of gcc, for gcc.c alone. */
#ifndef WEIR_CONTROLLERS_GCC_PARAMS_H
#define WEIR_CONTROLLERS_GCC_PARAMS_H

#include "control/controller.h"

enum {
    PARAM_GROUP,
    PARAM_SMOOTHING,
    PARAM_TREND_GAIN,
    PARAM_THRESHOLD_UP,
    PARAM_THRESHOLD_DOWN,
    PARAM_OVERUSE_TIME,
    PARAM_BETA,
    PARAM_GROWTH,
    PARAM_LOSS_PART,
    PARAM_PUSH_BACK,
    PARAM_PACING_FACTOR,
    PARAM_PROBES,
    N_PARAMS
};

#define SWITCH(text)                                                                               \
    .unit = "1", .description = (text), .kind = WEIR_PARAM_BOOL, .max = 1.0, .default_value = 1.0

static const struct weir_param gcc_params[N_PARAMS] = {
    [PARAM_GROUP] = {.name = "group",
                     .unit = "ms",
                     .description = "Packets that leave within this time are one group (gcc-02 "
                                    "5.2); feedback with a resolution of 1 ms needs 10 or more.",
                     .kind = WEIR_PARAM_NUMBER,
                     .min = 0.0,
                     .max = 100.0,
                     .default_value = 5.0},
    [PARAM_SMOOTHING] = {.name = "smoothing",
                         .unit = "1",
                         .description = "Weight of the old mean of the delay (libwebrtc).",
                         .kind = WEIR_PARAM_NUMBER,
                         .min = 0.0,
                         .max = 0.99,
                         .default_value = 0.9},
    [PARAM_TREND_GAIN] =
        {.name = "trend-gain",
         .unit = "1",
         .description =
             "Factor of the delay's slope before it is compared with the threshold (libwebrtc).",
         .kind = WEIR_PARAM_NUMBER,
         .min = 0.1,
         .max = 100.0,
         .default_value = 4.0},
    [PARAM_THRESHOLD_UP] = {.name = "threshold-up",
                            .unit = "1/ms",
                            .description = "How fast the threshold follows a trend above it "
                                           "(libwebrtc; K_u of gcc-02 5.4 is 0.01).",
                            .kind = WEIR_PARAM_NUMBER,
                            .min = 0.0,
                            .max = 1.0,
                            .default_value = 0.0087},
    [PARAM_THRESHOLD_DOWN] = {.name = "threshold-down",
                              .unit = "1/ms",
                              .description = "How fast the threshold follows a trend below it "
                                             "(libwebrtc; K_d of gcc-02 5.4 is 0.00018).",
                              .kind = WEIR_PARAM_NUMBER,
                              .min = 0.0,
                              .max = 1.0,
                              .default_value = 0.039},
    [PARAM_OVERUSE_TIME] =
        {.name = "overuse-time",
         .unit = "ms",
         .description =
             "How long the trend must be above the threshold to count as overuse (gcc-02 5.4).",
         .kind = WEIR_PARAM_NUMBER,
         .min = 0.0,
         .max = 1000.0,
         .default_value = 10.0},
    [PARAM_BETA] = {.name = "beta",
                    .unit = "1",
                    .description = "Share of the acknowledged rate after overuse (gcc-02 5.5).",
                    .kind = WEIR_PARAM_NUMBER,
                    .min = 0.1,
                    .max = 1.0,
                    .default_value = 0.85},
    [PARAM_GROWTH] = {.name = "growth",
                      .unit = "1",
                      .description = "Factor of the rate per second while the capacity is not "
                                     "known (gcc-02 5.5).",
                      .kind = WEIR_PARAM_NUMBER,
                      .min = 1.0,
                      .max = 4.0,
                      .default_value = 1.08},
    [PARAM_LOSS_PART] = {.name = "loss-part",
                         SWITCH("Losses bound the rate (gcc-02 6, as in libwebrtc); false: only "
                                "delays do, where they are known.")},
    [PARAM_PUSH_BACK] = {.name = "push-back",
                         SWITCH("Lower the rate while more is in flight than the path and 350 ms "
                                "of queue can hold (libwebrtc).")},
    [PARAM_PACING_FACTOR] = {.name = "pacing-factor",
                             .unit = "1",
                             .description =
                                 "Pacing rate over the target (libwebrtc), while less than half a "
                                 "second's worth more was sent than the target allows.",
                             .kind = WEIR_PARAM_NUMBER,
                             .min = 1.0,
                             .max = 10.0,
                             .default_value = 2.5},
    [PARAM_PROBES] = {.name = "probes",
                      SWITCH("At the start find the rate by probes, at 3 and 6 times the start "
                             "rate, then by doubling as long as they arrive (libwebrtc).")},
};

#undef SWITCH

#endif
