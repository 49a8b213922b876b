/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/data_limited.h"

/* Before any time a session can see. The RFC starts at 0, which its clock has long passed. */
#define LONG_AGO_NS (INT64_MIN / 4)

void weir__data_limited_init(struct weir__data_limited *state)
{
    *state = (struct weir__data_limited){.not_limited_1_ns = LONG_AGO_NS,
                                         .not_limited_2_ns = LONG_AGO_NS,
                                         .new_ns = LONG_AGO_NS,
                                         .next_ns = LONG_AGO_NS};
}

void weir__data_limited_on_sent(struct weir__data_limited *state, int64_t now_ns,
                                bool network_limited)
{
    if (!network_limited) {
        return;
    }
    if (state->not_limited_1_ns <= state->new_ns) {
        state->not_limited_1_ns = now_ns;
    } else if (state->not_limited_2_ns <= state->next_ns) {
        state->not_limited_2_ns = now_ns;
    }
}

static bool in_interval(int64_t after_ns, int64_t at_ns, int64_t until_ns)
{
    return after_ns < at_ns && at_ns <= until_ns;
}

bool weir__data_limited_on_feedback(struct weir__data_limited *state, int64_t now_ns,
                                    int64_t sent_ns, int64_t rtt_ns)
{
    int64_t old_ns = sent_ns - rtt_ns;
    bool network_limited = in_interval(old_ns, state->not_limited_1_ns, sent_ns) ||
                           in_interval(old_ns, state->not_limited_2_ns, sent_ns);
    state->new_ns = sent_ns;
    state->next_ns = now_ns;
    if (state->not_limited_1_ns <= sent_ns && state->not_limited_2_ns > sent_ns) {
        state->not_limited_1_ns = state->not_limited_2_ns;
    }
    return !network_limited;
}
