/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/base_delay.h"

static void turn_window(struct weir__base_delay *base, int64_t now_ns)
{
    if (now_ns - base->window_ns < WEIR__BASE_DELAY_WINDOW_NS) {
        return;
    }
    base->least_ns[1] = base->least_ns[0];
    base->at_ns[1] = base->at_ns[0];
    base->least_ns[0] = INT64_MAX;
    base->window_ns = now_ns;
}

void weir__base_delay_sample(struct weir__base_delay *base, int64_t now_ns, int64_t delay_ns)
{
    if (!base->known) {
        *base = (struct weir__base_delay){
            .known = true, .window_ns = now_ns, .least_ns = {INT64_MAX, INT64_MAX}};
    }
    turn_window(base, now_ns);
    if (delay_ns <= base->least_ns[0]) {
        base->least_ns[0] = delay_ns;
        base->at_ns[0] = now_ns;
    }
}

int64_t weir__base_delay_ns(const struct weir__base_delay *base)
{
    return base->known ? weir_min_i64(base->least_ns[0], base->least_ns[1]) : WEIR_UNKNOWN_NS;
}

void weir__base_delay_raise(struct weir__base_delay *base, int64_t by_ns)
{
    for (int i = 0; i < 2; i++) {
        base->least_ns[i] += base->least_ns[i] != INT64_MAX ? by_ns : 0;
    }
}

void weir__base_delay_on_drift(struct weir__base_delay *base, int64_t now_ns, double drift)
{
    for (int i = 0; i < 2; i++) {
        if (base->least_ns[i] != INT64_MAX) {
            base->least_ns[i] += (int64_t)(drift * (double)(now_ns - base->at_ns[i]));
        }
    }
}
