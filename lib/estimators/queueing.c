/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/queueing.h"

#define WINDOW_NS  WEIR_SECONDS(60)
#define FRESH_NS   WEIR_SECONDS(10)
#define MAX_STEP_S 10.0
#define GAIN       (1.0 / 8)

void weir__queueing_restart(struct weir__queueing *queueing)
{
    *queueing = (struct weir__queueing){.known = false};
}

static void begin(struct weir__queueing *queueing, int64_t now_ns, int64_t delay_ns)
{
    *queueing = (struct weir__queueing){
        .known = true,
        .sampled_ns = now_ns,
        .window_ns = now_ns,
        .smallest_ns = {delay_ns, INT64_MAX},
    };
}

static void turn_window(struct weir__queueing *queueing, int64_t now_ns)
{
    if (now_ns - queueing->window_ns < WINDOW_NS) {
        return;
    }
    queueing->smallest_ns[1] = queueing->smallest_ns[0];
    queueing->smallest_ns[0] = INT64_MAX;
    queueing->window_ns = now_ns;
}

static int64_t smallest_ns(const struct weir__queueing *queueing)
{
    return weir_min_i64(queueing->smallest_ns[0], queueing->smallest_ns[1]);
}

int64_t weir__queueing_floor_ns(const struct weir__queueing *queueing)
{
    return queueing->known ? smallest_ns(queueing) : WEIR_UNKNOWN_NS;
}

/* The offset between two clocks may be any number: differences of such are taken as doubles. */
void weir__queueing_sample(struct weir__queueing *queueing, int64_t now_ns, int64_t delay_ns)
{
    double step_s = ((double)delay_ns - (double)smallest_ns(queueing)) / 1e9;
    bool same_path = queueing->known && now_ns - queueing->sampled_ns < WINDOW_NS &&
                     step_s > -MAX_STEP_S && step_s < MAX_STEP_S;
    if (!same_path) {
        begin(queueing, now_ns, delay_ns);
        return;
    }
    turn_window(queueing, now_ns);
    queueing->smallest_ns[0] = weir_min_i64(queueing->smallest_ns[0], delay_ns);
    double above_ns = (double)delay_ns - (double)smallest_ns(queueing);
    queueing->mean_ns += (above_ns - queueing->mean_ns) * GAIN;
    queueing->sampled_ns = now_ns;
}

int64_t weir__queueing_ns(const struct weir__queueing *queueing, int64_t now_ns)
{
    bool fresh = queueing->known && now_ns - queueing->sampled_ns <= FRESH_NS;
    return fresh ? (int64_t)(queueing->mean_ns + 0.5) : WEIR_UNKNOWN_NS;
}
