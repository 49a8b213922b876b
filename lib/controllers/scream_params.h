/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SCReAM's parameters, with the values that the draft recommends. */
#ifndef WEIR_CONTROLLERS_SCREAM_PARAMS_H
#define WEIR_CONTROLLERS_SCREAM_PARAMS_H

#include "control/controller.h"

enum scream_param {
    SCREAM_INITIAL,
    SCREAM_L4S,
    SCREAM_QDELAY_TARGET,
    SCREAM_QDELAY_GAIN,
    SCREAM_REDUCE_JITTER,
    SCREAM_MIN_REF_WND,
    SCREAM_OVERHEAD,
    SCREAM_HEADROOM,
    SCREAM_BETA_LOSS,
    SCREAM_BETA_ECN,
    SCREAM_ALPHA_UP,
    SCREAM_ALPHA_DOWN,
    SCREAM_VIRTUAL_RTT,
    SCREAM_POST_CONGESTION,
    SCREAM_MUL_INCREASE,
    SCREAM_LOSS_THRESHOLD,
    SCREAM_POLICER_THRESHOLD,
    SCREAM_LOW_TARGET,
    SCREAM_BASE_RESET,
    SCREAM_PACING,
    SCREAM_RELAXED_PACING,
    SCREAM_N_PARAMS
};

static const char *const scream_initials[] = {"start-rate", "paper", NULL};

#define SCREAM_NUMBER(text, unit_of, least, most, usual)                                           \
    .unit = (unit_of), .description = (text), .kind = WEIR_PARAM_NUMBER, .min = (least),           \
    .max = (most), .default_value = (usual)

static const struct weir_param scream_params[SCREAM_N_PARAMS] = {
    [SCREAM_INITIAL] =
        {.name = "initial",
         .unit = "1",
         .description =
             "First window: as needed for the start bitrate, or the draft's, which is the minimum.",
         .kind = WEIR_PARAM_CHOICE,
         .max = 1.0,
         .choices = scream_initials},
    [SCREAM_L4S] = {.name = "l4s",
                    .unit = "1",
                    .description = "ECN marks are those of L4S, many and early; otherwise a mark "
                                   "counts nearly as a loss.",
                    .kind = WEIR_PARAM_BOOL,
                    .max = 1.0},
    [SCREAM_QDELAY_TARGET] = {.name = "qdelay-target",
                              SCREAM_NUMBER("Queueing delay that counts as full congestion; half "
                                            "of it counts as none (QDELAY_TARGET_LO).",
                                            "ms", 5.0, 1000.0, 60.0)},
    [SCREAM_QDELAY_GAIN] = {.name = "qdelay-gain",
                            SCREAM_NUMBER("Weight of a longer delay in the mean (QDELAY_AVG_G).",
                                          "1", 0.01, 1.0, 0.25)},
    [SCREAM_REDUCE_JITTER] =
        {.name = "reduce-jitter",
         .unit = "1",
         .description = "Less growth and smaller bursts where queueing delays vary (REDUCE_JITTER; "
                        "off in the draft, always on in the authors' code).",
         .kind = WEIR_PARAM_BOOL,
         .max = 1.0,
         .default_value = 1.0},
    [SCREAM_MIN_REF_WND] = {.name = "min-ref-wnd",
                            SCREAM_NUMBER("Minimum reference window (MIN_REF_WND).", "bytes", 100.0,
                                          100000.0, 3000.0)},
    [SCREAM_OVERHEAD] = {.name = "overhead",
                         SCREAM_NUMBER("What may be in flight, in reference windows "
                                       "(REF_WND_OVERHEAD_MAX).",
                                       "1", 1.0, 10.0, 3.0)},
    [SCREAM_HEADROOM] = {.name = "headroom",
                         SCREAM_NUMBER("How far the window may grow above what is in flight "
                                       "(BYTES_IN_FLIGHT_HEAD_ROOM).",
                                       "1", 1.0, 10.0, 1.5)},
    [SCREAM_BETA_LOSS] = {.name = "beta-loss",
                          SCREAM_NUMBER("Share of the window that remains after a loss.", "1", 0.1,
                                        1.0, 0.7)},
    [SCREAM_BETA_ECN] = {.name = "beta-ecn",
                         SCREAM_NUMBER(
                             "Share of the window that remains after a mark, without L4S.", "1",
                             0.1, 1.0, 0.8)},
    [SCREAM_ALPHA_UP] = {.name = "alpha-up",
                         SCREAM_NUMBER("Weight of more marks in their mean (L4S_AVG_G_UP).", "1",
                                       0.001, 1.0, 0.125)},
    [SCREAM_ALPHA_DOWN] = {.name = "alpha-down",
                           SCREAM_NUMBER("Weight of fewer marks in their mean (L4S_AVG_G_DOWN).",
                                         "1", 0.001, 1.0, 0.0078125)},
    [SCREAM_VIRTUAL_RTT] = {.name = "virtual-rtt",
                            SCREAM_NUMBER("Round-trip time below which flows grow alike "
                                          "(VIRTUAL_RTT).",
                                          "ms", 1.0, 1000.0, 25.0)},
    [SCREAM_POST_CONGESTION] = {.name = "post-congestion",
                                SCREAM_NUMBER("Round trips after a loss or mark until growth is "
                                              "fast again (POST_CONGESTION_DELAY_RTT).",
                                              "1", 1.0, 10000.0, 100.0)},
    [SCREAM_MUL_INCREASE] = {.name = "mul-increase",
                             SCREAM_NUMBER("Growth per round trip then, as a share of the window "
                                           "(MUL_INCREASE_FACTOR).",
                                           "1", 0.0, 1.0, 0.02)},
    [SCREAM_LOSS_THRESHOLD] = {.name = "loss-threshold",
                               SCREAM_NUMBER("Loss ratio up to which losses without a queue are "
                                             "ignored; 0 = none is (LOSS_RATE_THRESHOLD).",
                                             "1", 0.0, 0.5, 0.01)},
    [SCREAM_POLICER_THRESHOLD] =
        {.name = "policer-threshold",
         SCREAM_NUMBER("Loss ratio without a queue that shows a policer; 1 = none, draft 0.1 "
                       "(LOSS_RATE_THRESHOLD_POLICER).",
                       "1", 0.01, 1.0, 1.0)},
    [SCREAM_LOW_TARGET] = {.name = "low-target",
                           SCREAM_NUMBER("Share of the delivered rate below which a target lets "
                                         "the window fall at a quarter (ACKED_BITRATE_MARGIN).",
                                         "1", 0.0, 1.0, 0.8)},
    [SCREAM_BASE_RESET] = {.name = "base-reset",
                           .unit = "1",
                           .description = "Half the rate for five round trips and a new base delay "
                                          "when a delay of a quarter of the target persists.",
                           .kind = WEIR_PARAM_BOOL,
                           .max = 1.0,
                           .default_value = 1.0},
    [SCREAM_PACING] = {.name = "pacing",
                       SCREAM_NUMBER("Pace over rate (PACKET_PACING_HEADROOM).", "1", 1.0, 10.0,
                                     1.5)},
    [SCREAM_RELAXED_PACING] =
        {.name = "relaxed-pacing",
         SCREAM_NUMBER(
             "Further factor of the pace at the maximum bitrate (MAX_RELAXED_PACING_FACTOR).", "1",
             1.0, 10.0, 4.0)},
};

#endif
