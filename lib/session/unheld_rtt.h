/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip time from feedback that does not tell how long the receiver held it (TWCC, XR).
 *
 * "Now minus the send time of the newest packet" is too long by the hold time, and a stock receiver
 * holds whole bunches of messages back, up to seconds at its start. The one-way delay of the packet
 * has no such error, only an unknown offset. So the smallest sample gives the length of an empty
 * path, and the delay above its own smallest gives the queue:
 *     rtt = min(sample, min_sample + (delay - min_delay)),   min_sample <= rtt <= sample. */
#ifndef WEIR_LIB_UNHELD_RTT_H
#define WEIR_LIB_UNHELD_RTT_H

#include <stdbool.h>

#include "weir/units.h"

struct weir__unheld_min {
    int64_t sample_ns;
    int64_t delay_ns; /* INT64_MAX: none yet */
};

struct weir__unheld_rtt {
    int64_t first_ns;                    /* of the first sample; WEIR_UNKNOWN_NS before it */
    int64_t window_ns;                   /* when min[0] began */
    struct weir__unheld_min smallest[2]; /* of this window and the one before */
};

void weir__unheld_rtt_init(struct weir__unheld_rtt *rtt);

/* sample_ns > 0: now less the send time of the newest packet reported. delay_ns: its arrival on the
 * receiver's clock less its send time on ours, or WEIR_UNKNOWN_NS: no time, or a clock that jumped.
 * WEIR_UNKNOWN_NS while the first samples, of a receiver that may be late, could mislead. */
int64_t weir__unheld_rtt_sample(struct weir__unheld_rtt *rtt, int64_t now_ns, int64_t sample_ns,
                                int64_t delay_ns);

#endif
