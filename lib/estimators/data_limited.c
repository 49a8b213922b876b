/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/data_limited.h"

#include <string.h>

#include "weir/units.h"

/* Before any time a session can see. */
#define LONG_AGO_NS (INT64_MIN / 4)

void weir__data_limited_init(struct weir__data_limited *state)
{
    *state = (struct weir__data_limited){.newest_ns = LONG_AGO_NS};
}

static void begin_run(struct weir__data_limited *state, int64_t now_ns)
{
    if (state->n_runs == WEIR__DATA_LIMITED_RUNS) {
        state->runs[1].first_ns = state->runs[0].first_ns;
        state->n_runs--;
        memmove(state->runs, state->runs + 1, state->n_runs * sizeof(state->runs[0]));
    }
    state->runs[state->n_runs++] = (struct weir__data_limited_run){now_ns, now_ns};
}

void weir__data_limited_on_sent(struct weir__data_limited *state, int64_t now_ns,
                                bool network_limited)
{
    if (network_limited && state->in_run) {
        state->runs[state->n_runs - 1].last_ns = now_ns;
    } else if (network_limited) {
        begin_run(state, now_ns);
    }
    state->in_run = network_limited;
}

bool weir__data_limited_on_feedback(struct weir__data_limited *state, int64_t sent_ns,
                                    int64_t rtt_ns)
{
    int64_t old_ns = weir_min_i64(sent_ns - rtt_ns, state->newest_ns);
    bool network_limited = false;
    for (size_t i = 0; i < state->n_runs; i++) {
        network_limited = network_limited ||
                          (state->runs[i].last_ns > old_ns && state->runs[i].first_ns <= sent_ns);
    }
    state->newest_ns = sent_ns;
    return !network_limited;
}
