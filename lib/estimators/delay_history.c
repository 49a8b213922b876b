/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/delay_history.h"

#include "weir/units.h"

#define MINUTE_NS    WEIR_SECONDS(60)
#define STEP_BACK_NS WEIR_MS(50)      /* below the base: the clock has stepped, or the path */
#define FAR_NS       WEIR_SECONDS(70) /* from our time: told on another clock than the newest */

void weir__delay_history_on_feedback(struct weir__delay_history *history, int64_t now_ns,
                                     int64_t arrived_ns)
{
    double grown = weir__peer_clock_on_feedback(&history->clock, now_ns, arrived_ns);
    if (grown == 0.0) {
        return;
    }
    for (size_t i = 0; i < history->n; i++) {
        struct weir__delay_minute *minute = &history->minutes[i];
        minute->least_ns += (int64_t)(grown * (double)(now_ns - minute->at_ns));
    }
}

/* RFC 6817 A.1, update_base_delay: a minute is over, and the oldest is forgotten. */
static void open_minute(struct weir__delay_history *history, int64_t now_ns, int64_t delay_ns)
{
    history->n += history->n < WEIR__DELAY_HISTORY_MINUTES;
    for (size_t i = history->n - 1; i > 0; i--) {
        history->minutes[i] = history->minutes[i - 1];
    }
    history->minutes[0] = (struct weir__delay_minute){.least_ns = delay_ns, .at_ns = now_ns};
    history->minute_ns = now_ns;
}

bool weir__delay_history_add(struct weir__delay_history *history, int64_t now_ns, int64_t sent_ns,
                             int64_t arrived_ns, struct weir__delay_sample *sample)
{
    int64_t mapped_ns = weir__peer_clock_map_ns(&history->clock, arrived_ns);
    if (mapped_ns < now_ns - FAR_NS || mapped_ns > now_ns + FAR_NS) {
        return false;
    }
    int64_t delay_ns = mapped_ns - sent_ns;
    if (history->n > 0 && delay_ns < weir__delay_history_base_ns(history) - STEP_BACK_NS) {
        weir__peer_clock_on_step_back(&history->clock);
    }
    if (history->n == 0 || now_ns - history->minute_ns >= MINUTE_NS) {
        open_minute(history, now_ns, delay_ns);
    } else if (delay_ns <= history->minutes[0].least_ns) {
        history->minutes[0] = (struct weir__delay_minute){.least_ns = delay_ns, .at_ns = now_ns};
    }
    *sample = (struct weir__delay_sample){.arrived_ns = mapped_ns, .delay_ns = delay_ns};
    return true;
}

int64_t weir__delay_history_base_ns(const struct weir__delay_history *history)
{
    int64_t least_ns = INT64_MAX;
    for (size_t i = 0; i < history->n; i++) {
        least_ns = weir_min_i64(least_ns, history->minutes[i].least_ns);
    }
    return history->n > 0 ? least_ns : WEIR_UNKNOWN_NS;
}

int64_t weir__delay_history_above_base_ns(const struct weir__delay_history *history,
                                          int64_t delay_ns)
{
    return history->n > 0 ? weir_max_i64(delay_ns - weir__delay_history_base_ns(history), 0) : 0;
}

void weir__delay_history_restart_base(struct weir__delay_history *history)
{
    history->n = 0;
}
