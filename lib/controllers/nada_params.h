/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NADA's parameters: RFC 8698 figure 3, under the names they have there. */
#ifndef WEIR_CONTROLLERS_NADA_PARAMS_H
#define WEIR_CONTROLLERS_NADA_PARAMS_H

#include "control/controller.h"

enum nada_param {
    NADA_INITIAL,
    NADA_PRIO,
    NADA_XREF,
    NADA_KAPPA,
    NADA_ETA,
    NADA_TAU,
    NADA_DELTA,
    NADA_LOGWIN,
    NADA_QEPS,
    NADA_DFILT,
    NADA_GAMMA_MAX,
    NADA_QBOUND,
    NADA_MULTILOSS,
    NADA_QTH,
    NADA_LAMBDA,
    NADA_PLRREF,
    NADA_PMRREF,
    NADA_DLOSS,
    NADA_DMARK,
    NADA_ALPHA,
    NADA_XMAX,
    NADA_N_PARAMS
};

static const char *const nada_initials[] = {"start-rate", "paper", NULL};

#define NADA_NUMBER(text, unit_of, least, most, usual)                                             \
    .unit = (unit_of), .description = (text), .kind = WEIR_PARAM_NUMBER, .min = (least),           \
    .max = (most), .default_value = (usual)

static const struct weir_param nada_params[NADA_N_PARAMS] = {
    [NADA_INITIAL] = {.name = "initial",
                      .unit = "1",
                      .description =
                          "First rate: the start bitrate, or the RFC's, which is the minimum.",
                      .kind = WEIR_PARAM_CHOICE,
                      .max = 1.0,
                      .choices = nada_initials},
    [NADA_PRIO] = {.name = "prio",
                   NADA_NUMBER("Weight of this flow beside others of its kind.", "1", 0.1, 10.0,
                               1.0)},
    [NADA_XREF] = {.name = "xref",
                   NADA_NUMBER("Congestion signal at which a flow at its maximum settles.", "ms",
                               1.0, 200.0, 10.0)},
    [NADA_KAPPA] = {.name = "kappa",
                    NADA_NUMBER("Gain of the gradual update.", "1", 0.01, 2.0, 0.5)},
    [NADA_ETA] = {.name = "eta", NADA_NUMBER("Gain of the signal's change.", "1", 0.0, 10.0, 2.0)},
    [NADA_TAU] = {.name = "tau",
                  NADA_NUMBER("Longest round-trip time at which the loop is stable.", "ms", 50.0,
                              5000.0, 500.0)},
    [NADA_DELTA] = {.name = "delta",
                    NADA_NUMBER("Target interval of updates; an update comes with the first "
                                "feedback at least half of it after the last.",
                                "ms", 10.0, 1000.0, 100.0)},
    [NADA_LOGWIN] = {.name = "logwin",
                     NADA_NUMBER(
                         "Window over which loss, marks and the received rate are observed.", "ms",
                         50.0, 5000.0, 500.0)},
    [NADA_QEPS] = {.name = "qeps",
                   NADA_NUMBER("Queueing delay below which the path counts as empty.", "ms", 0.1,
                               200.0, 10.0)},
    [NADA_DFILT] = {.name = "dfilt",
                    NADA_NUMBER("Bound on the delay of the filters, in the ramp-up.", "ms", 0.0,
                                1000.0, 120.0)},
    [NADA_GAMMA_MAX] = {.name = "gamma-max",
                        NADA_NUMBER("Maximum step of the ramp-up.", "1", 0.01, 1.0, 0.5)},
    [NADA_QBOUND] = {.name = "qbound",
                     NADA_NUMBER("Queueing delay that a step of the ramp-up may cause.", "ms", 1.0,
                                 1000.0, 50.0)},
    [NADA_MULTILOSS] = {.name = "multiloss",
                        NADA_NUMBER(
                            "Number of mean loss intervals after which losses count as over.", "1",
                            1.0, 100.0, 7.0)},
    [NADA_QTH] = {.name = "qth",
                  NADA_NUMBER("Queueing delay above which the warp applies while there are losses.",
                              "ms", 1.0, 1000.0, 50.0)},
    [NADA_LAMBDA] = {.name = "lambda",
                     NADA_NUMBER("Exponent of the warp; 0 keeps the delay at qth.", "1", 0.0, 10.0,
                                 0.5)},
    [NADA_PLRREF] = {.name = "plrref",
                     NADA_NUMBER("Loss ratio that counts as a delay of dloss.", "1", 0.0001, 1.0,
                                 0.01)},
    [NADA_PMRREF] = {.name = "pmrref",
                     NADA_NUMBER("Ratio of marked packets that counts as a delay of dmark.", "1",
                                 0.0001, 1.0, 0.01)},
    [NADA_DLOSS] = {.name = "dloss",
                    NADA_NUMBER("Delay that a loss ratio of plrref counts as.", "ms", 0.0, 1000.0,
                                10.0)},
    [NADA_DMARK] = {.name = "dmark",
                    NADA_NUMBER("Delay that a ratio of marks of pmrref counts as.", "ms", 0.0,
                                1000.0, 2.0)},
    [NADA_ALPHA] = {.name = "alpha",
                    NADA_NUMBER("Weight of a new sample in the ratios of loss and marks.", "1",
                                0.01, 1.0, 0.1)},
    [NADA_XMAX] = {.name = "xmax",
                   NADA_NUMBER("Maximum signal, as in the authors' implementation; the RFC's "
                               "feedback can express 3276.7.",
                               "ms", 50.0, 3276.7, 500.0)},
};

#endif
