/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the capacity of a link, or its delay, changes over time.
 *
 * Text form: "TIME:RATE,TIME:RATE,..." with times in seconds, ascending, and rates in bit/s (k, M
 * and G allowed; 0 = outage): "0:2500000,20:1M,40:2500k". Delays have their unit: "20:90ms". A last
 * entry "60:repeat" starts again from the first entry every 60 s. */
#ifndef WEIR_SIM_SCHEDULE_H
#define WEIR_SIM_SCHEDULE_H

#include "weir/status.h"
#include "weir/units.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir__schedule_step {
    int64_t at_ns; /* since the start, or since the start of the period */
    union {
        int64_t rate_bps;
        int64_t delay_ns;
    };
};

struct weir__schedule {
    const struct weir__schedule_step *steps; /* ascending; the caller's, must outlive this */
    size_t n_steps;
    int64_t period_ns; /* 0 = does not repeat */
    union {            /* until next_change_ns */
        int64_t rate_bps;
        int64_t delay_ns;
    };
    int64_t next_change_ns;  /* as far as weir__schedule_value() was asked; WEIR_NEVER_NS = none */
    int64_t period_start_ns; /* of the period that step `next` is in */
    size_t next;             /* the next step to come */
};

/* Of the text; the delays of a text are 0 .. 3600 s. */
enum weir__schedule_kind { WEIR__SCHEDULE_OF_RATES, WEIR__SCHEDULE_OF_DELAYS };

/* No delay of anything is longer. */
#define WEIR__LONGEST_DELAY_NS WEIR_SECONDS(3600)

static inline bool weir__is_delay(int64_t delay_ns)
{
    return delay_ns >= 0 && delay_ns <= WEIR__LONGEST_DELAY_NS;
}

size_t weir__schedule_count(const char *text);
enum weir_status weir__schedule_parse(const char *text, enum weir__schedule_kind kind,
                                      struct weir__schedule_step *steps, size_t capacity,
                                      size_t *n_steps, int64_t *period_ns, char *error,
                                      size_t error_size);
void weir__schedule_init(struct weir__schedule *schedule, int64_t value,
                         const struct weir__schedule_step *steps, size_t n_steps,
                         int64_t period_ns);
int64_t weir__schedule_advance(struct weir__schedule *schedule, int64_t now_ns);

/* The rate or delay at now_ns, which must not decrease from call to call. */
static inline int64_t weir__schedule_value(struct weir__schedule *schedule, int64_t now_ns)
{
    return now_ns < schedule->next_change_ns ? schedule->rate_bps
                                             : weir__schedule_advance(schedule, now_ns);
}

#endif
