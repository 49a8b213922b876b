/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much bandwidth the losses leave: the loss-based estimator of libwebrtc's present form (its
 * second version). A path is taken to lose a part q of all packets whatever is sent (inherent
 * loss), and of the rest what exceeds a capacity B:
 *
 *     P(loss) = q                       at a sending rate r <= B
 *             = q + (1 - q) (r - B)/r   above it.
 *
 * Each observation of at least 250 ms proposes a few capacities, fits q to each with one step of
 * Newton's method, and takes the most likely one, with a preference for more as long as less than
 * 15 % are lost. */
#ifndef WEIR_ESTIMATORS_LOSS_MODEL_H
#define WEIR_ESTIMATORS_LOSS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR__LOSS_MODEL_OBSERVATIONS = 20, WEIR__LOSS_MODEL_READY = 3 };

enum weir__loss_state {
    WEIR__LOSS_FREE,       /* the other limits are lower */
    WEIR__LOSS_DECREASING, /* the losses hold the rate */
    WEIR__LOSS_INCREASING  /* and it recovers */
};

struct weir__loss_observation {
    double rate_bps; /* sent */
    int32_t packets;
    int32_t lost;
};

struct weir__loss_model {
    struct weir__loss_observation observations[WEIR__LOSS_MODEL_OBSERVATIONS]; /* a ring */
    int32_t newest;
    int32_t n;
    /* the observation that is being made */
    bool has_begun;
    int64_t begun_ns; /* last departure of the one before */
    int64_t last_sent_ns;
    int64_t bytes;
    int32_t packets;
    int32_t lost;
    /* the path */
    bool has_estimate;
    double capacity_bps;  /* B, unbounded */
    double inherent_loss; /* q */
    double average_loss;  /* of all observations, the newest weighing most */
    /* what is made of it */
    enum weir__loss_state state;
    double result_bps;
    bool has_window; /* of the growth while losses hold the rate */
    double window_limit_bps;
    int64_t window_ns;
};

/* What else is known; rates in bit/s. */
struct weir__loss_model_input {
    double delay_bps; /* what the delays allow; INFINITY = not known */
    double acked_bps; /* not to be a candidate: 0 */
    double min_bps;
    double max_bps;
};

void weir__loss_model_init(struct weir__loss_model *model);

/* One packet that was reported, for the first time. */
void weir__loss_model_add(struct weir__loss_model *model, int64_t sent_ns, int64_t wire_bytes,
                          bool lost);

/* After the packets of a feedback: estimates anew if they complete an observation. */
void weir__loss_model_update(struct weir__loss_model *model,
                             const struct weir__loss_model_input *input);

/* The rate in bit/s; INFINITY until there are enough observations. */
double weir__loss_model_bps(const struct weir__loss_model *model);

/* Fits *inherent_loss to a capacity, and says how likely the observations are with both. Needs an
 * observation. */
double weir__loss_model_objective(const struct weir__loss_model *model, double capacity_bps,
                                  double *inherent_loss);

#endif
