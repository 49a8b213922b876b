/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean of the latest congestion windows, one per round, and its history reset (Tsao, Lai and
 * Lin, SPECTS 2012, equations 1 to 3).
 *
 * Windows are kept in units of 2^-20 packets: sums of integers do not drift, however long a flow
 * lives. The mean lies between the least and the largest window kept. */
#ifndef WEIR_ESTIMATORS_WINDOW_AVERAGE_H
#define WEIR_ESTIMATORS_WINDOW_AVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__WINDOW_AVERAGE_SAMPLES_MAX 256
#define WEIR__WINDOW_AVERAGE_EPOCHS_MAX  32
#define WEIR__WINDOW_AVERAGE_WINDOW_MAX  4294967296.0 /* packets */

struct weir__window_average {
    int64_t windows[WEIR__WINDOW_AVERAGE_SAMPLES_MAX]; /* 2^-20 packets; a ring */
    int64_t sum;
    size_t n_samples;                                 /* s, how many are averaged at most */
    size_t n;                                         /* kept at present, <= n_samples */
    size_t next;                                      /* where the next one goes */
    uint32_t epochs[WEIR__WINDOW_AVERAGE_EPOCHS_MAX]; /* X, rounds between loss events; a ring */
    size_t n_epochs;                                  /* N, of the reset condition */
    size_t known;                                     /* closed epochs, <= n_epochs */
    size_t next_epoch;
    uint32_t open_rounds; /* since the last loss event */
    bool has_loss;
};

/* n_samples 1 .. WEIR__WINDOW_AVERAGE_SAMPLES_MAX, n_epochs 1 .. WEIR__WINDOW_AVERAGE_EPOCHS_MAX.
 */
void weir__window_average_init(struct weir__window_average *average, size_t n_samples,
                               size_t n_epochs);

/* The window of the round that has ended, in packets, limited to [0,
 * WEIR__WINDOW_AVERAGE_WINDOW_MAX]. */
void weir__window_average_push(struct weir__window_average *average, double window);

/* There was a loss event in the round pushed last: an epoch closes. */
void weir__window_average_on_loss(struct weir__window_average *average);

/* Equation 1: the mean of the latest min(s, t) windows, 0 when there is none. */
double weir__window_average_mean(const struct weir__window_average *average);

/* S(N): rounds in the latest N epochs; 0 until so many are known. */
int64_t weir__window_average_epoch_rounds(const struct weir__window_average *average);

/* Equation 3: 3/2 S(N)/N, the mean window of TCP with periodic losses; 0 like S(N). */
double weir__window_average_tcp_mean(const struct weir__window_average *average);

/* Equation 2: when TCP's mean is at most 1/factor of ours, all windows but the latest S(N) are
 * dropped. Returns whether any was. factor >= 1. */
bool weir__window_average_reset_history(struct weir__window_average *average, double factor);

/* Forgets all windows, epochs stay. */
void weir__window_average_clear(struct weir__window_average *average);

/* The same, and this one is the mean for now. It is no round of its own, and no epoch is longer for
 * it. */
void weir__window_average_restart(struct weir__window_average *average, double window);

#endif
