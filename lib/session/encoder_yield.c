/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/encoder_yield.h"

#include <stdbool.h>

/* 450 frames: when each deviates by a fifth, as x264's do, their mean is known to 1 %. */
#define MEMORY_S 15.0
#define LEAST    0.9
#define MOST     1.1

/* Sums that fade; a pause as long as the memory leaves nothing, nor does the first call. */
void weir__encoder_yield_on_media(struct weir__encoder_yield *yield, int64_t now_ns,
                                  int64_t media_bytes, int64_t target_bps)
{
    double dt_s = (double)(now_ns - yield->media_ns) * 1e-9;
    double kept = dt_s >= 0.0 && dt_s < MEMORY_S ? 1.0 - dt_s / MEMORY_S : 0.0;
    yield->media_ns = now_ns;
    yield->told_bits = kept * (yield->told_bits + (double)target_bps * dt_s);
    yield->seconds = kept * (yield->seconds + dt_s);
    yield->made_bits = kept * yield->made_bits + 8.0 * (double)media_bytes;
}

double weir__encoder_yield_correction(const struct weir__encoder_yield *yield)
{
    double made = yield->made_bits;
    double told = yield->told_bits;
    bool is_known = yield->seconds > MEMORY_S / 2.0 && made >= LEAST * told && made <= MOST * told;
    return is_known ? told / made : 1.0;
}
