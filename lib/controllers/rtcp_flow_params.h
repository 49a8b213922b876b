/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameters that the algorithms of rtcp_flow.h share, for their tables alone. */
#ifndef WEIR_CONTROLLERS_RTCP_FLOW_PARAMS_H
#define WEIR_CONTROLLERS_RTCP_FLOW_PARAMS_H

#include "controllers/rtcp_flow.h"

#define RTCP_FLOW_PARAMS                                                                           \
    [RTCP_PARAM_PROFILE] =                                                                         \
        WEIR__CHOICE("profile", 0,                                                                 \
                     "Rules for live sources (steps of at most a factor of 2, sources that send "  \
                     "less than they may), or the paper alone for reproduction.",                  \
                     "product", "paper"),                                                          \
    [RTCP_PARAM_INITIAL] = WEIR__CHOICE(                                                           \
        "initial", 0, "Rate before the first report: the start bitrate, or initial-rate.",         \
        "start-rate", "paper"),                                                                    \
    [RTCP_PARAM_INITIAL_RATE] = WEIR__NUMBER("initial-rate", "packets/s", 0.1, 1e5, 10.0,          \
                                             "Rate before the first report with initial=paper."),  \
    [RTCP_PARAM_REPORT_INTERVAL] =                                                                 \
        WEIR__NUMBER("report-interval", "s", 0.1, 60.0, 1.0,                                       \
                     "Interval of answers: packet feedback and more frequent reports are "         \
                     "collected for about so long; papers have 5 s."),                             \
    [RTCP_PARAM_LEAST_PACKETS] =                                                                   \
        WEIR__INTEGER("least-packets", "packets", 1.0, 1000.0, 20.0,                               \
                      "A report about fewer packets waits for the next, three times at most; "     \
                      "papers have no such rule (1).")

#endif
