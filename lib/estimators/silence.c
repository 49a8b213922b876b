/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/silence.h"

#include "weir/units.h"

#define BUNCH_NS     WEIR_MS(10) /* feedback closer than this belongs together */
#define PAUSE_MAX_NS WEIR_SECONDS(1)

void weir__silence_init(struct weir__silence *silence)
{
    *silence = (struct weir__silence){.timer_ns = WEIR_NEVER_NS, .heard_ns = WEIR_UNKNOWN_NS};
}

static void start(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns)
{
    int64_t wait_ns = weir_max_i64(timeout_ns, 2 * silence->pause_ns);
    silence->timer_ns = weir_time_add_ns(now_ns, wait_ns);
}

void weir__silence_on_sent(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns)
{
    if (silence->timer_ns == WEIR_NEVER_NS) {
        start(silence, now_ns, timeout_ns);
    }
}

void weir__silence_on_sent_anew(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns,
                                bool timed_out)
{
    if (silence->timer_ns == WEIR_NEVER_NS && !timed_out) {
        silence->heard_ns = now_ns;
    }
    weir__silence_on_sent(silence, now_ns, timeout_ns);
}

void weir__silence_note_life(struct weir__silence *silence, int64_t now_ns)
{
    int64_t pause_ns = silence->heard_ns == WEIR_UNKNOWN_NS ? 0 : now_ns - silence->heard_ns;
    if (pause_ns >= BUNCH_NS) {
        int64_t faded_ns = silence->pause_ns - silence->pause_ns / 8;
        silence->pause_ns = weir_max_i64(weir_min_i64(pause_ns, PAUSE_MAX_NS), faded_ns);
    }
    silence->heard_ns = now_ns;
}

void weir__silence_restart(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns,
                           bool in_flight)
{
    silence->timer_ns = WEIR_NEVER_NS;
    if (in_flight) {
        start(silence, now_ns, timeout_ns);
    }
}

void weir__silence_on_heard(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns,
                            bool in_flight)
{
    weir__silence_note_life(silence, now_ns);
    weir__silence_restart(silence, now_ns, timeout_ns, in_flight);
}

bool weir__silence_is_over(struct weir__silence *silence, int64_t now_ns)
{
    if (now_ns < silence->timer_ns) {
        return false;
    }
    silence->timer_ns = WEIR_NEVER_NS;
    return true;
}
