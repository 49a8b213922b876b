/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/window_average.h"

#include <math.h>

#define UNITS_PER_PACKET 1048576.0

void weir__window_average_init(struct weir__window_average *average, size_t n_samples,
                               size_t n_epochs)
{
    *average = (struct weir__window_average){.n_samples = n_samples, .n_epochs = n_epochs};
}

/* Where the oldest window kept is. */
static size_t oldest(const struct weir__window_average *average)
{
    return (average->next + average->n_samples - average->n) % average->n_samples;
}

static void drop_oldest(struct weir__window_average *average)
{
    average->sum -= average->windows[oldest(average)];
    average->n--;
}

static void keep(struct weir__window_average *average, double window)
{
    double limited = fmin(fmax(window, 0.0), WEIR__WINDOW_AVERAGE_WINDOW_MAX);
    int64_t units = llround(limited * UNITS_PER_PACKET);
    if (average->n == average->n_samples) {
        drop_oldest(average);
    }
    average->windows[average->next] = units;
    average->sum += units;
    average->next = (average->next + 1) % average->n_samples;
    average->n++;
}

void weir__window_average_push(struct weir__window_average *average, double window)
{
    keep(average, window);
    average->open_rounds += average->open_rounds < UINT32_MAX;
}

void weir__window_average_on_loss(struct weir__window_average *average)
{
    if (average->has_loss && average->open_rounds > 0) {
        average->epochs[average->next_epoch] = average->open_rounds;
        average->next_epoch = (average->next_epoch + 1) % average->n_epochs;
        average->known += average->known < average->n_epochs;
    }
    average->has_loss = true;
    average->open_rounds = 0;
}

double weir__window_average_mean(const struct weir__window_average *average)
{
    return average->n == 0 ? 0.0 : (double)average->sum / UNITS_PER_PACKET / (double)average->n;
}

int64_t weir__window_average_epoch_rounds(const struct weir__window_average *average)
{
    int64_t rounds = 0;
    if (average->known < average->n_epochs) {
        return 0;
    }
    for (size_t i = 0; i < average->n_epochs; i++) {
        rounds += average->epochs[i];
    }
    return rounds;
}

double weir__window_average_tcp_mean(const struct weir__window_average *average)
{
    return 1.5 * (double)weir__window_average_epoch_rounds(average) / (double)average->n_epochs;
}

bool weir__window_average_reset_history(struct weir__window_average *average, double factor)
{
    int64_t rounds = weir__window_average_epoch_rounds(average);
    double limit = weir__window_average_mean(average) / factor;
    if (rounds == 0 || weir__window_average_tcp_mean(average) > limit ||
        (int64_t)average->n <= rounds) {
        return false;
    }
    while ((int64_t)average->n > rounds) {
        drop_oldest(average);
    }
    return true;
}

void weir__window_average_clear(struct weir__window_average *average)
{
    average->sum = 0;
    average->n = 0;
}

void weir__window_average_restart(struct weir__window_average *average, double window)
{
    weir__window_average_clear(average);
    keep(average, window);
}
