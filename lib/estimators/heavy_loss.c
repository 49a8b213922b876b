/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/heavy_loss.h"

#include <math.h>

#define HEAVY         0.1
#define MEMORY_S      3.0
#define LEAST_S       1.0
#define LEAST_PACKETS 20.0
#define SIGMAS        2.0

bool weir__heavy_loss_step(struct weir__heavy_loss *heavy, double packets, double lost, double dt_s,
                           double loop_s)
{
    if (heavy->blind_s > 0.0) {
        heavy->blind_s -= dt_s;
        return false;
    }
    double kept = fmax(1.0 - dt_s / MEMORY_S, 0.0);
    heavy->packets = kept * heavy->packets + packets;
    heavy->lost = kept * heavy->lost + lost;
    heavy->seen_s += dt_s;
    double sigma = sqrt(HEAVY * (1.0 - HEAVY) * heavy->packets);
    bool is_known = heavy->seen_s >= LEAST_S && heavy->packets >= LEAST_PACKETS;
    if (!is_known || heavy->lost <= HEAVY * heavy->packets + SIGMAS * sigma) {
        return false;
    }
    *heavy = (struct weir__heavy_loss){.blind_s = loop_s};
    return true;
}
