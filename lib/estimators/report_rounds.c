/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/report_rounds.h"

#include "weir/units.h"

void weir__report_rounds_init(struct weir__report_rounds *rounds)
{
    *rounds = (struct weir__report_rounds){.event_end_ns = INT64_MIN};
}

void weir__report_rounds_begin(struct weir__report_rounds *rounds, int64_t now_ns)
{
    rounds->began_ns[rounds->n_begun++ % WEIR__REPORT_ROUNDS] = now_ns;
}

bool weir__report_rounds_allow_event(const struct weir__report_rounds *rounds, int64_t shown_ns)
{
    return shown_ns > rounds->event_end_ns;
}

void weir__report_rounds_on_event(struct weir__report_rounds *rounds, int64_t shown_ns,
                                  int64_t now_ns)
{
    rounds->event_end_ns = now_ns;
    for (size_t i = 0; i < WEIR__REPORT_ROUNDS && i < rounds->n_begun; i++) {
        int64_t began_ns = rounds->began_ns[i];
        if (began_ns > shown_ns) {
            rounds->event_end_ns = weir_min_i64(rounds->event_end_ns, began_ns);
        }
    }
}
