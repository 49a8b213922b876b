/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/peer_clock.h"

#include <math.h>

#include "base/unwrap.h"
#include "weir/units.h"

#define BIN_NS     WEIR_SECONDS(2) /* some tens of feedbacks, one of which was hardly held */
#define BIN_S      ((double)BIN_NS * 1e-9)
#define WINDOW_NS  WEIR_SECONDS(30)
#define STEP_NS    WEIR_MS(20)      /* more than a way back varies above its shortest of a minute */
#define FAR_NS     WEIR_SECONDS(60) /* no feedback waits so long: it is told on another clock */
#define FIT_BINS   8                /* that make a line */
#define STRAIGHT_S 0.001            /* how far the bins of a line may lie off it */
#define MAX_DRIFT  2e-3             /* crystals keep within 1e-4 */
#define LEAST_S    0.005            /* a line must differ by this over its length, or it is noise */

/* a + b as weir__time_diff_ns. */
static int64_t plus(int64_t a_ns, int64_t b_ns)
{
    return (int64_t)((uint64_t)a_ns + (uint64_t)b_ns);
}

int64_t weir__peer_clock_map_ns(const struct weir__peer_clock *clock, int64_t arrived_ns)
{
    int64_t since_ns = weir__time_diff_ns(arrived_ns, clock->from_ns);
    int64_t drifted_ns = (int64_t)(clock->drift * (double)since_ns);
    return plus(clock->to_ns, weir__time_diff_ns(since_ns, drifted_ns));
}

static void restart(struct weir__peer_clock *clock, int64_t now_ns, int64_t difference_ns)
{
    clock->bin_ns = now_ns;
    clock->n_bins = 0;
    clock->newest_ns = difference_ns;
}

/* The slope of the least-squares line through the newest bins; false when they lie on none. */
static bool fit_line(const struct weir__peer_clock *clock, double *slope)
{
    double value_s[WEIR__PEER_CLOCK_BINS];
    int n = clock->n_bins;
    double middle = (n - 1) / 2.0;
    double mean_s = 0.0, product = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
        value_s[i] =
            (double)weir__time_diff_ns(clock->greatest_ns[i], clock->greatest_ns[0]) * 1e-9;
        mean_s += value_s[i] / n;
        product += (i - middle) * value_s[i];
        square += (i - middle) * (i - middle);
    }
    double per_bin = product / square;
    for (int i = 0; i < n; i++) {
        if (fabs(value_s[i] - mean_s - per_bin * (i - middle)) > STRAIGHT_S) {
            return false;
        }
    }
    *slope = per_bin / BIN_S;
    return fabs(*slope) <= MAX_DRIFT;
}

static void push_bin(struct weir__peer_clock *clock)
{
    if (clock->n_bins == WEIR__PEER_CLOCK_BINS) {
        for (int i = 1; i < clock->n_bins; i++) {
            clock->greatest_ns[i - 1] = clock->greatest_ns[i];
        }
        clock->n_bins--;
    }
    clock->greatest_ns[clock->n_bins++] = clock->newest_ns;
}

/* The clock that is given out goes on from where it is. */
static double set_drift(struct weir__peer_clock *clock, int64_t arrived_ns, double drift)
{
    double grown = drift - clock->drift;
    if (fabs(grown) * clock->n_bins * BIN_S < LEAST_S) {
        return 0.0;
    }
    clock->to_ns = weir__peer_clock_map_ns(clock, arrived_ns);
    clock->from_ns = arrived_ns;
    clock->drift = drift;
    return grown;
}

/* Bins are times in which there was feedback, one after the other: after a pause the line begins
 * anew. */
static double turn_bin(struct weir__peer_clock *clock, int64_t now_ns, int64_t arrived_ns,
                       int64_t difference_ns)
{
    double slope;
    if (now_ns - clock->bin_ns >= 2 * BIN_NS) {
        restart(clock, now_ns, difference_ns);
        return 0.0;
    }
    push_bin(clock);
    clock->bin_ns += BIN_NS;
    clock->newest_ns = difference_ns;
    return clock->n_bins >= FIT_BINS && fit_line(clock, &slope)
               ? set_drift(clock, arrived_ns, slope)
               : 0.0;
}

/* The clock that is given out begins with ours, so that its times can be reckoned with. */
static void begin(struct weir__peer_clock *clock, int64_t now_ns, int64_t arrived_ns)
{
    *clock = (struct weir__peer_clock){
        .known = true,
        .from_ns = arrived_ns,
        .to_ns = now_ns,
        .window_ns = now_ns,
    };
    restart(clock, now_ns, weir__time_diff_ns(arrived_ns, now_ns));
}

/* Steps on the clock that is given out. A way back that has become shorter looks the same; delays
 * then fall below their base, which follows at once. */
static void find_step(struct weir__peer_clock *clock, int64_t now_ns, int64_t arrived_ns)
{
    int64_t mapped_ns = weir__time_diff_ns(weir__peer_clock_map_ns(clock, arrived_ns), now_ns);
    if (mapped_ns < -FAR_NS || mapped_ns > FAR_NS) {
        begin(clock, now_ns, arrived_ns);
        return;
    }
    bool is_over = now_ns - clock->window_ns >= WINDOW_NS;
    if (is_over || clock->is_open) {
        clock->envelope_ns[1] = clock->is_open ? mapped_ns : clock->envelope_ns[0];
        clock->envelope_ns[0] = mapped_ns;
        clock->window_ns = now_ns;
        clock->is_open = false;
    }
    int64_t envelope_ns = weir_max_i64(clock->envelope_ns[0], clock->envelope_ns[1]);
    int64_t beyond_ns = mapped_ns - envelope_ns;
    if (beyond_ns > STEP_NS) {
        clock->to_ns = weir__time_diff_ns(clock->to_ns, beyond_ns);
        restart(clock, now_ns, weir__time_diff_ns(arrived_ns, now_ns));
    } else {
        clock->envelope_ns[0] = weir_max_i64(clock->envelope_ns[0], mapped_ns);
    }
}

void weir__peer_clock_on_step_back(struct weir__peer_clock *clock)
{
    clock->is_open = true;
    clock->n_bins = 0;
}

double weir__peer_clock_on_feedback(struct weir__peer_clock *clock, int64_t now_ns,
                                    int64_t arrived_ns)
{
    if (!clock->known) {
        begin(clock, now_ns, arrived_ns);
        return 0.0;
    }
    find_step(clock, now_ns, arrived_ns);
    int64_t difference_ns = weir__time_diff_ns(arrived_ns, now_ns);
    if (now_ns - clock->bin_ns < BIN_NS) {
        clock->newest_ns = weir_max_i64(clock->newest_ns, difference_ns);
        return 0.0;
    }
    return turn_bin(clock, now_ns, arrived_ns, difference_ns);
}
