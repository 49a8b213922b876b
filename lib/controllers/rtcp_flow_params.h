/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameters that the algorithms of rtcp_flow.h share, for their tables alone. */
#ifndef WEIR_CONTROLLERS_RTCP_FLOW_PARAMS_H
#define WEIR_CONTROLLERS_RTCP_FLOW_PARAMS_H

#include "controllers/rtcp_flow.h"

static const char *const rtcp_profiles[] = {"product", "paper", NULL};
static const char *const rtcp_initials[] = {"start-rate", "paper", NULL};

#define RTCP_CHOICE(names, text)                                                                   \
    .unit = "1", .description = (text), .kind = WEIR_PARAM_CHOICE,                                 \
    .max = (double)(sizeof(names) / sizeof((names)[0]) - 2), .choices = (names)
#define RTCP_NUMBER(in, least, most, value, text)                                                  \
    .unit = (in), .description = (text), .kind = WEIR_PARAM_NUMBER, .min = (least), .max = (most), \
    .default_value = (value)
#define RTCP_BOOL(text) .unit = "1", .description = (text), .kind = WEIR_PARAM_BOOL, .max = 1.0

#define RTCP_FLOW_PARAMS                                                                           \
    [RTCP_PARAM_PROFILE] = {.name = "profile",                                                     \
                            RTCP_CHOICE(                                                           \
                                rtcp_profiles,                                                     \
                                "Rules for live sources (steps of at most a factor of 2, "         \
                                "sources that send less than they may), or the paper alone "       \
                                "for reproduction.")},                                             \
    [RTCP_PARAM_INITIAL] = {.name = "initial",                                                     \
                            RTCP_CHOICE(rtcp_initials, "Rate before the first report: the start "  \
                                                       "bitrate, or initial-rate.")},              \
    [RTCP_PARAM_INITIAL_RATE] = {.name = "initial-rate",                                           \
                                 RTCP_NUMBER("packets/s", 0.1, 1e5, 10.0,                          \
                                             "Rate before the first report with initial=paper.")}, \
    [RTCP_PARAM_REPORT_INTERVAL] = {.name = "report-interval",                                     \
                                    RTCP_NUMBER(                                                   \
                                        "s", 0.1, 60.0, 1.0,                                       \
                                        "Interval of answers: packet feedback and more frequent "  \
                                        "reports are collected for about so long; "                \
                                        "papers have 5 s.")},                                      \
    [RTCP_PARAM_LEAST_PACKETS] = {                                                                 \
        .name = "least-packets",                                                                   \
        .unit = "packets",                                                                         \
        .description = "A report about fewer packets waits for the next, three times at most; "    \
                       "papers have no such rule (1).",                                            \
        .kind = WEIR_PARAM_INTEGER,                                                                \
        .min = 1.0,                                                                                \
        .max = 1000.0,                                                                             \
        .default_value = 20.0}

#endif
