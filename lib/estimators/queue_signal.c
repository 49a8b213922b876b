/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/queue_signal.h"

#include <math.h>

#include "estimators/l4s_queue.h"

#define OWN_QUEUE_BITS 20000.0
#define LEAST_TARGET_S 0.010
#define MOST_TARGET_S  0.040
#define BUSY_S         0.003 /* clocks of feedback are rounded to 1 ms, and threads wait as long */
#define SMOOTH_S       0.3   /* frames differ; a third of a second is ten of them */
#define JUMP_SHARE     0.2   /* a difference that no frame's noise explains is the link's */

double weir__queue_target_s(double rate_bps)
{
    return fmin(fmax(OWN_QUEUE_BITS / rate_bps, LEAST_TARGET_S), MOST_TARGET_S);
}

double weir__queue_l4s_target_s(double rate_bps)
{
    return fmin(fmax(OWN_QUEUE_BITS / rate_bps, 1e-9 * WEIR__L4S_STEP_NS), MOST_TARGET_S);
}

/* The base delay is learnt from the small last packets of frames, so the time to serve a packet of
 * the usual size is no queue. */
static bool is_busy(const struct weir__queue_view *view)
{
    return view->least_queue_s > BUSY_S + 8.0 * view->packet_bytes / view->delivered_bps;
}

static void follow_capacity(struct weir__queue_signal *signal, const struct weir__queue_view *view)
{
    double capacity = signal->capacity_bps;
    double step = view->delivered_bps - capacity;
    bool jumps = !signal->has_capacity || fabs(step) > JUMP_SHARE * capacity;
    double gain = jumps ? 1.0 : fmin(view->dt_s / SMOOTH_S, 1.0);
    signal->capacity_bps = capacity + gain * step;
    signal->has_capacity = true;
}

/* Smith's predictor: what is in flight beyond the newest report will queue, less what the link
 * serves meanwhile. It needs no round-trip time, and late feedback does not disturb it. */
static double predict_s(const struct weir__queue_view *view)
{
    double queued_s = 8.0 * view->in_flight_bytes / view->delivered_bps - view->since_sent_s;
    return fmax(view->queue_s + queued_s, 0.0);
}

void weir__queue_signal_update(struct weir__queue_signal *signal,
                               const struct weir__queue_view *view)
{
    signal->busy = view->delivered_bps > 0.0 && is_busy(view);
    if (signal->busy) {
        follow_capacity(signal, view);
    }
    signal->predicted_s = signal->busy ? predict_s(view) : view->queue_s;
}
