/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far what was sent is ahead of the target, for gcc.c alone. libwebrtc paces at 2.5 times the
 * target, which lets a frame leave early and is safe as encoders keep to the target in the mean. A
 * source that does not, or is no encoder, is paced at the target once it is half a second ahead. */
#ifndef WEIR_CONTROLLERS_GCC_PACE_H
#define WEIR_CONTROLLERS_GCC_PACE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define WEIR__GCC_PACE_AHEAD_S 0.5 /* a large key frame */

/* Zero-initialise. */
struct weir__gcc_pace {
    double ahead_bytes;
    int64_t sent_ns;
};

static inline void weir__gcc_pace_on_sent(struct weir__gcc_pace *pace, int64_t sent_ns,
                                          int64_t wire_bytes, double target_bps)
{
    double passed_s = (double)(sent_ns - pace->sent_ns) * 1e-9;
    pace->ahead_bytes = fmax(pace->ahead_bytes - passed_s * target_bps / 8.0, 0.0);
    pace->ahead_bytes += (double)wire_bytes;
    pace->sent_ns = sent_ns;
}

static inline bool weir__gcc_pace_is_ahead(const struct weir__gcc_pace *pace, double target_bps)
{
    return 8.0 * pace->ahead_bytes > WEIR__GCC_PACE_AHEAD_S * target_bps;
}

#endif
