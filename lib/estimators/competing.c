/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/competing.h"

#include <math.h>

#define DECREASE     0.7
#define PACKET_BYTES 1500.0
/* GAIMD's for that decrease, 0.53 of a packet per round trip, whatever our packets are. */
#define INCREASE_BYTES (3.0 * (1.0 - DECREASE) / (1.0 + DECREASE) * PACKET_BYTES)
#define CUBIC_C        0.4 /* RFC 9438 5 */
#define TEST_APART_S   6.0
#define FALL_SHARE     0.1 /* a queue has fallen by so much of its peak ... */
#define FALL_S         0.005
#define AFTER_FALL_S   1.0   /* all who saw it fall begin their test at once */
#define TEST_SHARE     0.75  /* of the delivered rate */
#define TEST_ROUNDS    2.0   /* after the loop time in which no answer is seen */
#define SAME_LOW       0.875 /* half-way: it stays where it was when all did the same */
#define SAME_HIGH      1.15
#define GOLDEN         0.6180339887 /* multiples of it are spread evenly between 0 and 1 */
#define LEAST_WINDOW   1500.0
#define MAX_WINDOW     1e10

void weir__competing_begin(struct weir__competing *competing, double rate_bps, double enough_bps,
                           double rtt_s)
{
    *competing = (struct weir__competing){
        .window_bytes = rate_bps * rtt_s / 8.0,
        .enough_bps = enough_bps,
        .slow_start = true,
        .since_fall_s = -1.0,
        .apart_s = TEST_APART_S,
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
    return competing->since_fall_s >= AFTER_FALL_S && competing->since_test_s >= competing->apart_s;
}

/* Flows that wait equally long after a test would never test together. */
static double next_apart_s(const struct weir__competing *competing)
{
    return TEST_APART_S * (0.5 + fmod(floor(competing->window_bytes) * GOLDEN, 1.0));
}

/* False at the end of a test that all others took part in. What is delivered tells of others only
 * while there is a queue: all together empty it before the time is over. */
static bool test(struct weir__competing *competing, const struct weir__competing_view *view,
                 double *rate_bps)
{
    competing->test_left_s -= view->dt_s;
    if (view->busy) {
        competing->share = view->delivered_bps / competing->before_bps;
    }
    if (view->busy && competing->test_left_s > 0.0) {
        return true;
    }
    *rate_bps = 8.0 * competing->window_bytes / view->rtt_s;
    competing->test_left_s = 0.0;
    competing->since_test_s = 0.0;
    competing->apart_s = next_apart_s(competing);
    end_watch(competing);
    return competing->share < SAME_LOW || competing->share > SAME_HIGH;
}

static void begin_test(struct weir__competing *competing, const struct weir__competing_view *view,
                       double *rate_bps)
{
    competing->test_left_s = view->loop_s + TEST_ROUNDS * view->rtt_s;
    competing->before_bps = view->delivered_bps;
    competing->share = 0.0;
    *rate_bps = TEST_SHARE * view->delivered_bps;
}

/* RFC 9438 4.2: W(t) = C (t - K)^3 + W_max, with W(0) = 0.7 W_max; the slope of it now. */
static double cubic_bytes_per_s(const struct weir__competing *competing)
{
    double before = competing->before_bytes / PACKET_BYTES;
    double k_s = cbrt(before * (1.0 - DECREASE) / CUBIC_C);
    double from_middle_s = competing->since_loss_s - k_s;
    return 3.0 * CUBIC_C * from_middle_s * from_middle_s * PACKET_BYTES;
}

static void grow(struct weir__competing *competing, const struct weir__competing_view *view)
{
    double rate_bps = 8.0 * competing->window_bytes / view->rtt_s;
    double rounds = view->dt_s / view->rtt_s;
    double gain = INCREASE_BYTES * rounds;
    competing->since_loss_s += view->dt_s;
    if (competing->slow_start && rate_bps < competing->enough_bps) {
        gain = competing->window_bytes * fmin(rounds, 1.0);
    } else if (!competing->slow_start) {
        gain = fmax(gain, cubic_bytes_per_s(competing) * view->dt_s);
    }
    competing->window_bytes += gain;
}

static void fall(struct weir__competing *competing)
{
    competing->before_bytes = competing->window_bytes;
    competing->window_bytes *= DECREASE;
    competing->since_loss_s = 0.0;
    competing->slow_start = false;
}

static void move_window(struct weir__competing *competing, const struct weir__competing_view *view)
{
    if (view->loss_event) {
        fall(competing);
    } else {
        grow(competing, view);
    }
    competing->window_bytes = fmin(fmax(competing->window_bytes, LEAST_WINDOW), MAX_WINDOW);
}

bool weir__competing_step(struct weir__competing *competing,
                          const struct weir__competing_view *view, double *rate_bps)
{
    watch_queue(competing, view);
    competing->enough_bps = fmax(competing->enough_bps, view->enough_bps);
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
