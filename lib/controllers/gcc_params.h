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

static const struct weir_param gcc_params[N_PARAMS] = {
    [PARAM_GROUP] = WEIR__NUMBER("group", "ms", 0.0, 100.0, 5.0,
                                 "Packets that leave within this time are one group (gcc-02 5.2); "
                                 "feedback with a resolution of 1 ms needs 10 or more."),
    [PARAM_SMOOTHING] = WEIR__NUMBER("smoothing", "1", 0.0, 0.99, 0.9,
                                     "Weight of the old mean of the delay (libwebrtc)."),
    [PARAM_TREND_GAIN] = WEIR__NUMBER(
        "trend-gain", "1", 0.1, 100.0, 4.0,
        "Factor of the delay's slope before it is compared with the threshold (libwebrtc)."),
    [PARAM_THRESHOLD_UP] = WEIR__NUMBER(
        "threshold-up", "1/ms", 0.0, 1.0, 0.0087,
        "How fast the threshold follows a trend above it (libwebrtc; K_u of gcc-02 5.4 is 0.01)."),
    [PARAM_THRESHOLD_DOWN] = WEIR__NUMBER("threshold-down", "1/ms", 0.0, 1.0, 0.039,
                                          "How fast the threshold follows a trend below it "
                                          "(libwebrtc; K_d of gcc-02 5.4 is 0.00018)."),
    [PARAM_OVERUSE_TIME] = WEIR__NUMBER(
        "overuse-time", "ms", 0.0, 1000.0, 10.0,
        "How long the trend must be above the threshold to count as overuse (gcc-02 5.4)."),
    [PARAM_BETA] = WEIR__NUMBER("beta", "1", 0.1, 1.0, 0.85,
                                "Share of the acknowledged rate after overuse (gcc-02 5.5)."),
    [PARAM_GROWTH] =
        WEIR__NUMBER("growth", "1", 1.0, 4.0, 1.08,
                     "Factor of the rate per second while the capacity is not known (gcc-02 5.5)."),
    [PARAM_LOSS_PART] = WEIR__SWITCH("loss-part", true,
                                     "Losses bound the rate (gcc-02 6, as in libwebrtc); false: "
                                     "only delays do, where they are known."),
    [PARAM_PUSH_BACK] = WEIR__SWITCH("push-back", true,
                                     "Lower the rate while more is in flight than the path and 350 "
                                     "ms of queue can hold (libwebrtc)."),
    [PARAM_PACING_FACTOR] =
        WEIR__NUMBER("pacing-factor", "1", 1.0, 10.0, 2.5,
                     "Pacing rate over the target (libwebrtc), while less than half a second's "
                     "worth more was sent than the target allows."),
    [PARAM_PROBES] =
        WEIR__SWITCH("probes", true,
                     "At the start find the rate by probes, at 3 and 6 times the start rate, then "
                     "by doubling as long as they arrive (libwebrtc)."),
};

#endif
