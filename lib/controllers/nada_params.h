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

static const struct weir_param nada_params[NADA_N_PARAMS] = {
    [NADA_INITIAL] = WEIR__CHOICE(
        "initial", 0, "First rate: the start bitrate, or the RFC's, which is the minimum.",
        "start-rate", "paper"),
    [NADA_PRIO] =
        WEIR__NUMBER("prio", "1", 0.1, 10.0, 1.0, "Weight of this flow beside others of its kind."),
    [NADA_XREF] = WEIR__NUMBER("xref", "ms", 1.0, 200.0, 10.0,
                               "Congestion signal at which a flow at its maximum settles."),
    [NADA_KAPPA] = WEIR__NUMBER("kappa", "1", 0.01, 2.0, 0.5, "Gain of the gradual update."),
    [NADA_ETA] = WEIR__NUMBER("eta", "1", 0.0, 10.0, 2.0, "Gain of the signal's change."),
    [NADA_TAU] = WEIR__NUMBER("tau", "ms", 50.0, 5000.0, 500.0,
                              "Longest round-trip time at which the loop is stable."),
    [NADA_DELTA] = WEIR__NUMBER("delta", "ms", 10.0, 1000.0, 100.0,
                                "Target interval of updates; an update comes with the first "
                                "feedback at least half of it after the last."),
    [NADA_LOGWIN] =
        WEIR__NUMBER("logwin", "ms", 50.0, 5000.0, 500.0,
                     "Window over which loss, marks and the received rate are observed."),
    [NADA_QEPS] = WEIR__NUMBER("qeps", "ms", 0.1, 200.0, 10.0,
                               "Queueing delay below which the path counts as empty."),
    [NADA_DFILT] = WEIR__NUMBER("dfilt", "ms", 0.0, 1000.0, 120.0,
                                "Bound on the delay of the filters, in the ramp-up."),
    [NADA_GAMMA_MAX] =
        WEIR__NUMBER("gamma-max", "1", 0.01, 1.0, 0.5, "Maximum step of the ramp-up."),
    [NADA_QBOUND] = WEIR__NUMBER("qbound", "ms", 1.0, 1000.0, 50.0,
                                 "Queueing delay that a step of the ramp-up may cause."),
    [NADA_MULTILOSS] =
        WEIR__NUMBER("multiloss", "1", 1.0, 100.0, 7.0,
                     "Number of mean loss intervals after which losses count as over."),
    [NADA_QTH] =
        WEIR__NUMBER("qth", "ms", 1.0, 1000.0, 50.0,
                     "Queueing delay above which the warp applies while there are losses."),
    [NADA_LAMBDA] = WEIR__NUMBER("lambda", "1", 0.0, 10.0, 0.5,
                                 "Exponent of the warp; 0 keeps the delay at qth."),
    [NADA_PLRREF] = WEIR__NUMBER("plrref", "1", 0.0001, 1.0, 0.01,
                                 "Loss ratio that counts as a delay of dloss."),
    [NADA_PMRREF] = WEIR__NUMBER("pmrref", "1", 0.0001, 1.0, 0.01,
                                 "Ratio of marked packets that counts as a delay of dmark."),
    [NADA_DLOSS] = WEIR__NUMBER("dloss", "ms", 0.0, 1000.0, 10.0,
                                "Delay that a loss ratio of plrref counts as."),
    [NADA_DMARK] = WEIR__NUMBER("dmark", "ms", 0.0, 1000.0, 2.0,
                                "Delay that a ratio of marks of pmrref counts as."),
    [NADA_ALPHA] = WEIR__NUMBER("alpha", "1", 0.01, 1.0, 0.1,
                                "Weight of a new sample in the ratios of loss and marks."),
    [NADA_XMAX] = WEIR__NUMBER("xmax", "ms", 50.0, 3276.7, 500.0,
                               "Maximum signal, as in the authors' implementation; the RFC's "
                               "feedback can express 3276.7."),
};

#endif
