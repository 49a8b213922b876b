/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether more than a tenth of what is sent is lost: whoever's losses those are, nobody is to send
 * on at such a rate (draft-ietf-rmcat-gcc-02 6 has the same limit).
 *
 * Packets count for about 3 s. Their share is above a tenth when it is by two standard deviations
 * of chance, of 20 packets and of a second at least, so that no short burst is. What was lost
 * before an answer says nothing of it: then all begins anew, when a loop time is over. */
#ifndef WEIR_ESTIMATORS_HEAVY_LOSS_H
#define WEIR_ESTIMATORS_HEAVY_LOSS_H

#include <stdbool.h>

/* Zero-initialise, or: forgets everything. */
struct weir__heavy_loss {
    double packets; /* fading */
    double lost;
    double seen_s;  /* in which they were reported */
    double blind_s; /* until what is reported was sent after the last answer */
};

/* A feedback on packets, lost ones of them, dt_s after the one before; loop_s until an answer is
 * seen. True when it is time for one. */
bool weir__heavy_loss_step(struct weir__heavy_loss *heavy, double packets, double lost, double dt_s,
                           double loop_s);

#endif
