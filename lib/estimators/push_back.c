/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/push_back.h"

#include <math.h>

#include "weir/units.h"

#define QUEUE_NS         WEIR_MS(350)
#define WINDOW_MIN_BYTES 3000.0
#define LEAST_BPS        30000.0

void weir__push_back_init(struct weir__push_back *push_back)
{
    *push_back = (struct weir__push_back){.factor = 1.0};
}

static int64_t least_rtt_ns(const struct weir__push_back *push_back)
{
    int64_t least_ns = push_back->rtt_ns[0];
    for (int32_t i = 1; i < push_back->n; i++) {
        least_ns = weir_min_i64(least_ns, push_back->rtt_ns[i]);
    }
    return least_ns;
}

static void lower(struct weir__push_back *push_back, double fill)
{
    push_back->factor *= fill > 1.5 ? 0.9 : fill > 1.0 ? 0.95 : 1.0;
    push_back->factor = fmax(push_back->factor, 1e-6);
}

static double raised(double factor, int64_t steps)
{
    for (int64_t i = 0; i < steps && factor < 1.0; i++) {
        factor *= 1.05;
    }
    return fmin(factor, 1.0);
}

void weir__push_back_on_feedback(struct weir__push_back *push_back, int64_t rtt_ns,
                                 int64_t n_packets, int64_t in_flight_bytes, double target_bps)
{
    push_back->rtt_ns[push_back->next] = rtt_ns;
    push_back->next = (push_back->next + 1) % WEIR__PUSH_BACK_FEEDBACKS;
    push_back->n += push_back->n < WEIR__PUSH_BACK_FEEDBACKS ? 1 : 0;
    double duration_s = (double)(least_rtt_ns(push_back) + QUEUE_NS) * 1e-9;
    double bytes = target_bps * duration_s / 8.0;
    double mean = push_back->has_window ? (bytes + push_back->window_bytes) / 2.0 : bytes;
    push_back->has_window = true;
    push_back->window_bytes = fmax(mean, WINDOW_MIN_BYTES);
    double fill = (double)in_flight_bytes / push_back->window_bytes;
    if (fill > 1.0) {
        lower(push_back, fill);
    } else {
        push_back->factor = fill < 0.1 ? 1.0 : raised(push_back->factor, n_packets + 1);
    }
}

void weir__push_back_on_sent(struct weir__push_back *push_back, int64_t in_flight_bytes)
{
    if (push_back->has_window) {
        lower(push_back, (double)in_flight_bytes / push_back->window_bytes);
    }
}

double weir__push_back_bps(const struct weir__push_back *push_back, double target_bps)
{
    return fmax(push_back->factor * target_bps, fmin(target_bps, LEAST_BPS));
}
