/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an encoder makes of its target, in the long run: x264 with a short rate buffer makes 3 to 5
 * % less than it is told, and the link would stay as empty. So it is told as much more. Who makes
 * less than 0.9 or more than 1.1 of the target is held by its content or its limits, and a number
 * would not change that. */
#ifndef WEIR_SESSION_ENCODER_YIELD_H
#define WEIR_SESSION_ENCODER_YIELD_H

#include <stdint.h>

/* Zero-initialise. Sums over the last seconds, older ones faded. */
struct weir__encoder_yield {
    int64_t media_ns; /* of the newest media */
    double told_bits;
    double made_bits;
    double seconds;
};

/* The encoder made so much. now_ns never goes back; target_bps in [0, 10^11] is in force, and was
 * when the encoder began this frame: between two frames it may move, which the encoder does not
 * see. */
void weir__encoder_yield_on_media(struct weir__encoder_yield *yield, int64_t now_ns,
                                  int64_t media_bytes, int64_t target_bps);

/* What to multiply the wanted rate by, 0.9 to 1.12; 1 while it is not
 * known: for the first 10 s, and after a pause as long as the memory. */
double weir__encoder_yield_correction(const struct weir__encoder_yield *yield);

#endif
