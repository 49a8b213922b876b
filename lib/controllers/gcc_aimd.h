/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate control of Google Congestion Control: what the delay detector's signal makes of the rate
 * (gcc-02 section 5.5, with the constants and the link capacity estimate of libwebrtc). For gcc.c
 * alone. Rates in bit/s. */
#ifndef WEIR_CONTROLLERS_GCC_AIMD_H
#define WEIR_CONTROLLERS_GCC_AIMD_H

#include <stdbool.h>
#include <stdint.h>

#include "estimators/link_capacity.h"
#include "estimators/overuse.h"

enum weir__gcc_state { WEIR__GCC_DECREASE = -1, WEIR__GCC_HOLD = 0, WEIR__GCC_INCREASE = 1 };

struct weir__gcc_aimd {
    double beta;   /* of a decrease */
    double growth; /* per second, of a multiplicative increase */
    double rate_bps;
    double acked_bps; /* newest known, at first the start rate */
    enum weir__gcc_state state;
    struct weir__link_capacity capacity;
    int64_t changed_ns; /* WEIR_UNKNOWN_NS: never */
};

/* One feedback. */
struct weir__gcc_aimd_input {
    int64_t now_ns;
    enum weir__usage usage;
    double acked_bps; /* 0 = unknown */
    int64_t rtt_ns;   /* WEIR_UNKNOWN_NS before the first sample */
    double min_bps;
};

void weir__gcc_aimd_init(struct weir__gcc_aimd *aimd, double beta, double growth, double rate_bps);

/* A rate from elsewhere. */
void weir__gcc_aimd_set_rate(struct weir__gcc_aimd *aimd, double rate_bps, int64_t now_ns);

void weir__gcc_aimd_update(struct weir__gcc_aimd *aimd, const struct weir__gcc_aimd_input *input);

#endif
