/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rounds between the reports that a sender gets, as ns-2's TFRC counts them (PreciseLoss_): each
 * packet belongs to the round in which it left, and a loss begins a new loss event only when the
 * packet that shows it belongs to a later round than the one that showed the event before. An RTT
 * that grows faster than its estimate then makes no second event of one burst. */
#ifndef WEIR_ESTIMATORS_REPORT_ROUNDS_H
#define WEIR_ESTIMATORS_REPORT_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reports that are remembered. Of more in a round trip the oldest are forgotten, and the round of
 * an event then ends with the oldest known. */
enum { WEIR__REPORT_ROUNDS = 16 };

struct weir__report_rounds {
    int64_t began_ns[WEIR__REPORT_ROUNDS]; /* a ring */
    size_t n_begun;
    int64_t event_end_ns; /* of the round of the newest event */
};

/* No round, and no event. */
void weir__report_rounds_init(struct weir__report_rounds *rounds);

/* A report came, or the time to wait for one ran out: packets sent later are of another round.
 * now_ns never falls. */
void weir__report_rounds_begin(struct weir__report_rounds *rounds, int64_t now_ns);

/* Whether a loss that a packet sent at shown_ns shows may begin an event. */
bool weir__report_rounds_allow_event(const struct weir__report_rounds *rounds, int64_t shown_ns);

/* At now_ns an event is known to have begun, shown by a packet sent at shown_ns. */
void weir__report_rounds_on_event(struct weir__report_rounds *rounds, int64_t shown_ns,
                                  int64_t now_ns);

#endif
