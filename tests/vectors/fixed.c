/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of fixed: what must not move the rate. */
#include "steps.h"

static const struct vector_step steps_start[] = {
    {.op = VECTOR_EXPECT_BPS, .at_us = 0, .x = 300000.0},
    {.op = VECTOR_END},
};

static const struct vector_step steps_rate[] = {
    {.op = VECTOR_EXPECT_BPS, .at_us = 0, .x = 700000.0},
    {.op = VECTOR_END},
};

static const struct vector_step steps_loss[] = {
    {.op = VECTOR_SEND, .at_us = 0, .a = 20, .b = 1000, .c = 10000},
    {.op = VECTOR_LOSE, .at_us = 300000, .a = 0, .b = 9, .d = 100000},
    {.op = VECTOR_ACK, .at_us = 300000, .a = 10, .b = 19, .c = 50000, .d = 100000},
    {.op = VECTOR_EXPECT_BPS, .at_us = 300000, .x = 700000.0},
    {.op = VECTOR_END},
};

static const struct vector_step steps_silence[] = {
    {.op = VECTOR_SEND, .at_us = 0, .a = 20, .b = 1000, .c = 10000},
    {.op = VECTOR_TIMERS, .at_us = 60000000},
    {.op = VECTOR_EXPECT_BPS, .at_us = 60000000, .x = 700000.0},
    {.op = VECTOR_END},
};

static const struct vector_step steps_report[] = {
    {.op = VECTOR_REPORT, .at_us = 1000000, .a = 100, .b = 50, .c = 1000000, .d = 100000},
    {.op = VECTOR_EXPECT_BPS, .at_us = 1000000, .x = 700000.0},
    {.op = VECTOR_END},
};

static const struct weir_param_value set_rate[] = {{.name = "rate-bps", .value = 700000.0}};

static const struct vector fixed_vectors[] = {
    {.name = "the start limit is the rate", .steps = steps_start},
    {.name = "the parameter is the rate", .params = set_rate, .n_params = 1, .steps = steps_rate},
    {.name = "loss changes nothing", .params = set_rate, .n_params = 1, .steps = steps_loss},
    {.name = "silence changes nothing", .params = set_rate, .n_params = 1, .steps = steps_silence},
    {.name = "reports change nothing", .params = set_rate, .n_params = 1, .steps = steps_report},
};

KNOWN_ANSWERS(fixed, fixed_vectors);
