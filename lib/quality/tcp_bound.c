/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quality/tcp_bound.h"

#include <math.h>

/* 1.5 sqrt(2/3) B / (R sqrt p): Floyd and Fall, "Promoting the use of end-to-end congestion control
 * in the Internet", 1999, the upper bound of a sender that halves its window with every loss. In
 * bit/s; infinite without losses. packet_bytes and rtt_s > 0, loss_ratio in [0, 1]. */
double weir__tcp_bound_bps(double packet_bytes, double rtt_s, double loss_ratio)
{
    if (!(loss_ratio > 0.0)) {
        return (double)INFINITY;
    }
    return 8.0 * 1.5 * sqrt(2.0 / 3.0) * packet_bytes / (rtt_s * sqrt(loss_ratio));
}

/* Throughput as a multiple of what is fair: the rate of TCP flows in the same place, the fair
 * share, or the bound above. NaN without a reference. */
double weir__normalised(double rate, double reference)
{
    return reference > 0.0 ? rate / reference : (double)NAN;
}
