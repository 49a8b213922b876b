/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/competing.h"

#include <math.h>

#define DECREASE       0.7
#define INCREASE_BYTES 1000.0 /* per round trip: 2/3 of 1500, whatever our packets are */
#define TEST_APART_S   6.0
#define FALL_SHARE     0.1 /* a queue has fallen by so much of its peak ... */
#define FALL_S         0.005
#define AFTER_FALL_S   1.0  /* all who saw it fall begin their test at once */
#define TEST_SHARE     0.75 /* of the delivered rate */
#define TEST_ROUNDS    3.0
#define SAME_LOW       0.92 /* the delivered rate stays where it was when all did the same */
#define SAME_HIGH      1.15
#define LEAST_WINDOW   1500.0
#define MAX_WINDOW     1e10

void weir__competing_begin(struct weir__competing *competing, double rate_bps, double rtt_s)
{
    *competing = (struct weir__competing){
        .window_bytes = rate_bps * rtt_s / 8.0,
        .since_fall_s = -1.0,
    };
}

/* Whoever sees the same queue falls with it: its fall is the signal to begin at the same time. */
static void watch_queue(struct weir__competing *competing, const struct weir__competing_view *view)
{
    competing->since_test_s += view->dt_s;
    competing->peak_s = fmax(competing->peak_s, view->queue_s);
    if (competing->since_fall_s >= 0.0) {
        competing->since_fall_s += view->dt_s;
    } else if (view->queue_s < (1.0 - FALL_SHARE) * competing->peak_s - FALL_S) {
        competing->since_fall_s = 0.0;
    }
}

static void end_watch(struct weir__competing *competing)
{
    competing->peak_s = 0.0;
    competing->since_fall_s = -1.0;
}

static bool may_test(const struct weir__competing *competing)
{
    return competing->since_fall_s >= AFTER_FALL_S && competing->since_test_s >= TEST_APART_S;
}

/* False at the end of a test that all others took part in. */
static bool test(struct weir__competing *competing, const struct weir__competing_view *view,
                 double *rate_bps)
{
    competing->test_left_s -= view->dt_s;
    if (competing->test_left_s > 0.0) {
        return true;
    }
    double share = view->delivered_bps / competing->before_bps;
    *rate_bps = 8.0 * competing->window_bytes / view->rtt_s;
    competing->since_test_s = 0.0;
    end_watch(competing);
    return share < SAME_LOW || share > SAME_HIGH;
}

static void begin_test(struct weir__competing *competing, const struct weir__competing_view *view,
                       double *rate_bps)
{
    competing->test_left_s = TEST_ROUNDS * view->rtt_s;
    competing->before_bps = view->delivered_bps;
    *rate_bps = TEST_SHARE * view->delivered_bps;
}

static void move_window(struct weir__competing *competing, const struct weir__competing_view *view)
{
    double window = competing->window_bytes;
    window =
        view->loss_event ? DECREASE * window : window + INCREASE_BYTES * view->dt_s / view->rtt_s;
    competing->window_bytes = fmin(fmax(window, LEAST_WINDOW), MAX_WINDOW);
}

bool weir__competing_step(struct weir__competing *competing,
                          const struct weir__competing_view *view, double *rate_bps)
{
    watch_queue(competing, view);
    if (competing->test_left_s > 0.0) {
        return test(competing, view, rate_bps);
    }
    if (!view->loss_event && may_test(competing) && view->delivered_bps > 0.0) {
        begin_test(competing, view, rate_bps);
        return true;
    }
    move_window(competing, view);
    *rate_bps = 8.0 * competing->window_bytes / view->rtt_s;
    return true;
}
