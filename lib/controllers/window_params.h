/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window engine's entries of a scheme's parameter table, for the schemes' files:
 *
 *   static const struct weir_param gaimd_params[] = {
 *       WINDOW_PARAMS,
 *       [PARAM_ALPHA] = WEIR__NUMBER("alpha", ...),
 *   }; */
#ifndef WEIR_CONTROLLERS_WINDOW_PARAMS_H
#define WEIR_CONTROLLERS_WINDOW_PARAMS_H

#include "controllers/window.h"

#define WINDOW_PARAMS                                                                              \
    [WINDOW_PARAM_INITIAL] =                                                                       \
        WEIR__CHOICE("initial", 0,                                                                 \
                     "Rate before the first RTT sample, and the window after it: the start "       \
                     "bitrate, or the initial window of the paper.",                               \
                     "start-rate", "paper"),                                                       \
    [WINDOW_PARAM_INITIAL_WINDOW] = WEIR__NUMBER("initial-window", "packets", 0.0, 1000.0, 0.0,    \
                                                 "Initial window; 0 = 2 to 4 by packet size (RFC " \
                                                 "3390), or the paper's with initial = paper."),   \
    [WINDOW_PARAM_INITIAL_SSTHRESH] =                                                              \
        WEIR__NUMBER("initial-ssthresh", "packets", 0.0, 1e6, 0.0,                                 \
                     "Window at which the first slow start ends without a loss; 0 = none."),       \
    [WINDOW_PARAM_MIN_RTO] =                                                                       \
        WEIR__NUMBER("min-rto", "ms", 1.0, 60000.0, 200.0,                                         \
                     "Least retransmission timeout; 200 in ns-2, 1000 in RFC 6298."),              \
    [WINDOW_PARAM_CLOCKING] = WEIR__CHOICE("clocking", 0,                                          \
                                           "What releases packets: a pacer at one window per "     \
                                           "RTT, or acknowledgements alone as in ns-2.",           \
                                           "paced", "ack"),                                        \
    [WINDOW_PARAM_LOSS_GROUPING] =                                                                 \
        WEIR__CHOICE("loss-grouping", 0,                                                           \
                     "Losses that are one event: of packets sent before the reaction (SACK TCP), " \
                     "or within an RTT.",                                                          \
                     "window", "rtt")

#endif
