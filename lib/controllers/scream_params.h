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

static const struct weir_param scream_params[SCREAM_N_PARAMS] = {
    [SCREAM_INITIAL] = WEIR_ROW_CHOICE(
        "initial", 0,
        "First window: as needed for the start bitrate, or the draft's, which is the minimum.",
        "start-rate", "paper"),
    [SCREAM_L4S] = WEIR_ROW_SWITCH(
        "l4s", false,
        "ECN marks are those of L4S, many and early, also where packets do not arrive as "
        "ECT(1); otherwise a mark counts nearly as a loss."),
    [SCREAM_QDELAY_TARGET] =
        WEIR_ROW_NUMBER("qdelay-target", "ms", 5.0, 1000.0, 60.0,
                        "Queueing delay that counts as full congestion; half of "
                        "it counts as none (QDELAY_TARGET_LO)."),
    [SCREAM_QDELAY_GAIN] = WEIR_ROW_NUMBER("qdelay-gain", "1", 0.01, 1.0, 0.25,
                                           "Weight of a longer delay in the mean (QDELAY_AVG_G)."),
    [SCREAM_REDUCE_JITTER] =
        WEIR_ROW_SWITCH("reduce-jitter", true,
                        "Less growth and smaller bursts where queueing delays vary (REDUCE_JITTER; "
                        "off in the draft, always on in the authors' code)."),
    [SCREAM_MIN_REF_WND] = WEIR_ROW_NUMBER("min-ref-wnd", "bytes", 100.0, 100000.0, 3000.0,
                                           "Minimum reference window (MIN_REF_WND)."),
    [SCREAM_OVERHEAD] =
        WEIR_ROW_NUMBER("overhead", "1", 1.0, 10.0, 3.0,
                        "What may be in flight, in reference windows (REF_WND_OVERHEAD_MAX)."),
    [SCREAM_HEADROOM] = WEIR_ROW_NUMBER(
        "headroom", "1", 1.0, 10.0, 1.5,
        "How far the window may grow above what is in flight (BYTES_IN_FLIGHT_HEAD_ROOM)."),
    [SCREAM_BETA_LOSS] = WEIR_ROW_NUMBER("beta-loss", "1", 0.1, 1.0, 0.7,
                                         "Share of the window that remains after a loss."),
    [SCREAM_BETA_ECN] =
        WEIR_ROW_NUMBER("beta-ecn", "1", 0.1, 1.0, 0.8,
                        "Share of the window that remains after a mark, without L4S."),
    [SCREAM_ALPHA_UP] = WEIR_ROW_NUMBER("alpha-up", "1", 0.001, 1.0, 0.125,
                                        "Weight of more marks in their mean (L4S_AVG_G_UP)."),
    [SCREAM_ALPHA_DOWN] = WEIR_ROW_NUMBER("alpha-down", "1", 0.001, 1.0, 0.0078125,
                                          "Weight of fewer marks in their mean (L4S_AVG_G_DOWN)."),
    [SCREAM_VIRTUAL_RTT] =
        WEIR_ROW_NUMBER("virtual-rtt", "ms", 1.0, 1000.0, 25.0,
                        "Round-trip time below which flows grow alike (VIRTUAL_RTT)."),
    [SCREAM_POST_CONGESTION] = WEIR_ROW_NUMBER(
        "post-congestion", "1", 1.0, 10000.0, 100.0,
        "Round trips after a loss or mark until growth is fast again (POST_CONGESTION_DELAY_RTT)."),
    [SCREAM_MUL_INCREASE] = WEIR_ROW_NUMBER(
        "mul-increase", "1", 0.0, 1.0, 0.02,
        "Growth per round trip then, as a share of the window (MUL_INCREASE_FACTOR)."),
    [SCREAM_LOSS_THRESHOLD] = WEIR_ROW_NUMBER("loss-threshold", "1", 0.0, 0.5, 0.01,
                                              "Loss ratio up to which losses without a queue are "
                                              "ignored; 0 = none is (LOSS_RATE_THRESHOLD)."),
    [SCREAM_POLICER_THRESHOLD] =
        WEIR_ROW_NUMBER("policer-threshold", "1", 0.01, 1.0, 1.0,
                        "Loss ratio without a queue that shows a policer; 1 "
                        "= none, draft 0.1 (LOSS_RATE_THRESHOLD_POLICER)."),
    [SCREAM_LOW_TARGET] =
        WEIR_ROW_NUMBER("low-target", "1", 0.0, 1.0, 0.8,
                        "Share of the delivered rate below which a target lets the "
                        "window fall at a quarter (ACKED_BITRATE_MARGIN)."),
    [SCREAM_BASE_RESET] = WEIR_ROW_SWITCH("base-reset", true,
                                          "Half the rate for five round trips and a new base delay "
                                          "when a delay of a quarter of the target persists."),
    [SCREAM_PACING] =
        WEIR_ROW_NUMBER("pacing", "1", 1.0, 10.0, 1.5, "Pace over rate (PACKET_PACING_HEADROOM)."),
    [SCREAM_RELAXED_PACING] = WEIR_ROW_NUMBER(
        "relaxed-pacing", "1", 1.0, 10.0, 4.0,
        "Further factor of the pace at the maximum bitrate (MAX_RELAXED_PACING_FACTOR)."),
};

#endif
