/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/loss_floor.h"

#include <math.h>

#define LEAST_PACKETS 20.0
#define MANY_PACKETS  150.0 /* whose share is worth a trial when it is small */
#define LEAST_OF_FEW  0.15
#define LEAST_EXCESS  0.02 /* what repair mends, and not worth a trial */
#define SIGMAS        4.0  /* of a binomial share: chance alone seldom starts a trial */
#define LEAST_LOSSY_S 0.5  /* a policer drops something of all that is too much, bursts do not */
#define WINDOW_S      1.0  /* of the share: after it, all that it counts was sent on trial */
#define TRIAL_SHARE   0.85 /* of what passed: less than a policer drops anything of */
#define MEMORY_S      5.0  /* the floor follows a falling share */
#define PATIENCE_S    5.0  /* an encoder that has not followed until then makes no less */

bool weir__loss_floor_exceeds(const struct weir__loss_floor *state, double share, double packets)
{
    double chance = fmax(state->floor, 1.0 / fmax(packets, 1.0));
    double sigma = sqrt(chance * (1.0 - chance) / fmax(packets, 1.0));
    double least = packets < MANY_PACKETS ? LEAST_OF_FEW : LEAST_EXCESS;
    return packets >= LEAST_PACKETS && share > state->floor + fmax(least, SIGMAS * sigma);
}

static void begin_trial(struct weir__loss_floor *state, const struct weir__loss_view *view,
                        double *rate_bps)
{
    state->on_trial = true;
    state->trial_s = 0.0;
    state->waited_s = 0.0;
    state->before_share = view->share;
    state->before_bps = *rate_bps;
    state->passed_bps = view->sent_bps * (1.0 - view->share);
    *rate_bps = fmin(*rate_bps, TRIAL_SHARE * state->passed_bps);
}

static enum weir__loss_verdict end_trial(struct weir__loss_floor *state,
                                         const struct weir__loss_view *view, double *rate_bps)
{
    double middle = (state->floor + state->before_share) / 2.0;
    bool fell = view->share < middle;
    state->on_trial = false;
    state->floor = fell ? state->floor : fmin(view->share, state->before_share);
    *rate_bps = fmax(*rate_bps, fell ? state->passed_bps : state->before_bps);
    return fell ? WEIR__LOSS_OURS : WEIR__LOSS_OF_THE_PATH;
}

/* An encoder needs some time to follow: until then nothing is tried. At the minimum it never does,
 * and whoever waited for that would stay there. */
static enum weir__loss_verdict go_on_with_trial(struct weir__loss_floor *state,
                                                const struct weir__loss_view *view,
                                                double *rate_bps)
{
    bool follows = view->sent_bps < state->passed_bps;
    state->trial_s += follows ? view->dt_s : 0.0;
    state->waited_s += follows ? 0.0 : view->dt_s;
    if (state->trial_s > view->loop_s + WINDOW_S) {
        return end_trial(state, view, rate_bps);
    }
    state->on_trial = state->waited_s <= PATIENCE_S;
    return WEIR__LOSS_NOTHING;
}

enum weir__loss_verdict weir__loss_floor_step(struct weir__loss_floor *state,
                                              const struct weir__loss_view *view, double *rate_bps)
{
    if (state->on_trial) {
        return go_on_with_trial(state, view, rate_bps);
    }
    if (view->share < state->floor) {
        state->floor += (view->share - state->floor) * fmin(view->dt_s / MEMORY_S, 1.0);
    }
    if (view->lossy_s < LEAST_LOSSY_S ||
        !weir__loss_floor_exceeds(state, view->share, view->packets)) {
        return WEIR__LOSS_NOTHING;
    }
    begin_trial(state, view, rate_bps);
    return WEIR__LOSS_TRIAL;
}
