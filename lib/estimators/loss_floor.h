/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose losses are they? Loss that does not fall when the rate does is the path's, and no reason to
 * send less; loss that does is ours: a policer, or a buffer too short to show a queue.
 *
 * A share of losses well above the known floor, with some in half of that second at least, starts a
 * trial: a policer drops something of all that is too much, bursts come and go whatever is sent.
 * The rate falls below what passed. A policer passes as much as before and drops none of it; when
 * the share stays nearer to what it was than to the floor, it is the floor (the lesser of both
 * shares), and the rate comes back. The verdict comes when less was sent than had passed for a loop
 * time and a second; there is none when as much was sent for 5 s. A floor above the share follows
 * it within 5 s. */
#ifndef WEIR_ESTIMATORS_LOSS_FLOOR_H
#define WEIR_ESTIMATORS_LOSS_FLOOR_H

#include <stdbool.h>

/* Zero-initialise, or: forgets everything. */
struct weir__loss_floor {
    double floor; /* share of losses that is the path's, in [0, 1) */
    bool on_trial;
    double trial_s;      /* in which less was sent than had passed */
    double waited_s;     /* in which it was not */
    double before_share; /* of losses, when it began */
    double before_bps;   /* the rate that comes back */
    double passed_bps;   /* what arrived then */
};

struct weir__loss_view {
    double share;    /* of the last second's packets, in [0, 1] */
    double packets;  /* how many those were */
    double lossy_s;  /* of that second, with losses */
    double sent_bps; /* with those that were lost, > 0 */
    double loop_s;   /* until an answer to a new rate is seen */
    double dt_s;     /* since the step before */
};

enum weir__loss_verdict {
    WEIR__LOSS_NOTHING,    /* as before */
    WEIR__LOSS_TRIAL,      /* *rate_bps has fallen below what passed */
    WEIR__LOSS_OURS,       /* the trial is over, *rate_bps is what passed */
    WEIR__LOSS_OF_THE_PATH /* the trial is over, *rate_bps is as before it */
};

/* One step; *rate_bps: in and out. */
enum weir__loss_verdict weir__loss_floor_step(struct weir__loss_floor *state,
                                              const struct weir__loss_view *view, double *rate_bps);

/* Whether a share is well above the floor: by four standard deviations of chance, and by 2 %, or
 * 15 % when there are fewer than 150 packets. Never with fewer than 20. */
bool weir__loss_floor_exceeds(const struct weir__loss_floor *state, double share, double packets);

#endif
