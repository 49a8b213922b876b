/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes with which Google Congestion Control begins (libwebrtc: probe controller and probe
 * bitrate estimator): at 3 and 6 times the start rate, then at twice what was proved, as long as
 * that is most of what was tried. For gcc.c alone. Rates in bit/s. */
#ifndef WEIR_CONTROLLERS_GCC_PROBE_H
#define WEIR_CONTROLLERS_GCC_PROBE_H

#include "control/controller.h"

struct weir__gcc_probe {
    double rate_bps;   /* of the next one, or of the one under way; 0 = no more */
    double second_bps; /* of the one after it; 0 = as the result says */
};

void weir__gcc_probe_init(struct weir__gcc_probe *probe, double start_bps);

/* What is to be probed, at most max_bps; 0 = nothing. */
double weir__gcc_probe_bps(const struct weir__gcc_probe *probe, double max_bps);
/* At least five packets, and 15 ms. */
int64_t weir__gcc_probe_bytes(double probe_bps, int64_t packet_bytes);

/* The rate that a probe proved, 0 = none; goes on to the next one. acked_bps: 0 = unknown. */
double weir__gcc_probe_take(struct weir__gcc_probe *probe, const struct weir_probe_result *result,
                            double acked_bps);

#endif
