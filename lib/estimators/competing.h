/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP's share beside TCP: a window that grows and falls as a present TCP's does (Cubic, RFC
 * 9438), for as long as others keep the queue long, and a test whether those others are of our own
 * kind and only compete because we do.
 *
 * It begins with slow start, up to half of what we had before the others came, or of what the link
 * is by now known to carry: who is small sees ten times what it gets, and the rest as it grows.
 * From there, until the first loss, 0.53 of a packet per round trip. A loss takes it to 0.7. Then
 * it grows by the faster of two: GAIMD's increase for that decrease, 3 (1 - 0.7) / (1 + 0.7) = 0.53
 * of a packet per round trip, and Cubic's curve, without which a long or deeply buffered path would
 * need minutes to come back from one loss.
 *
 * The test begins a second after the queue fell a tenth and 5 ms below its peak, and six after the
 * beginning; not with a loss. For a loop time and two round trips, or until the queue is empty,
 * 0.75 of what was delivered is sent and the window rests. If at its end 0.875 to 1.15 of that is
 * still delivered, all, or most, did the same. The next one is 3 to 9 s later, each flow's another.
 */
#ifndef WEIR_ESTIMATORS_COMPETING_H
#define WEIR_ESTIMATORS_COMPETING_H

#include <stdbool.h>

struct weir__competing {
    double window_bytes;
    double enough_bps;   /* slow start goes up to here: the most that was told */
    bool slow_start;     /* no loss yet */
    double before_bytes; /* the window before the last loss */
    double since_loss_s;
    double peak_s;       /* the longest queue since the last test */
    double since_fall_s; /* since the queue fell below its peak; < 0 = it has not */
    double since_test_s;
    double apart_s;     /* from a test to the next, at least */
    double test_left_s; /* > 0: a test runs */
    double before_bps;  /* delivered rate before it ... */
    double share;       /* ... and the part of it that still was, when the queue last was busy */
};

/* What one feedback tells; times in s. */
struct weir__competing_view {
    double dt_s;   /* since the feedback before */
    double rtt_s;  /* the least one and the queue: what others do to the way back does not count */
    double loop_s; /* until an answer to what we send is seen in the delivered rate */
    double queue_s;
    double delivered_bps;
    double enough_bps; /* where slow start should end, as known by now */
    bool busy;         /* the queue was never empty lately */
    bool loss_event;
};

/* Begins at a rate. enough_bps: where slow start ends. */
void weir__competing_begin(struct weir__competing *competing, double rate_bps, double enough_bps,
                           double rtt_s);

/* One step; *rate_bps in and out (untouched while a test runs). Losses in a test do not count.
 * False when the others proved to be of our own kind. */
bool weir__competing_step(struct weir__competing *competing,
                          const struct weir__competing_view *view, double *rate_bps);

#endif
