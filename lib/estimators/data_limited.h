/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Was the sender limited by its data during a whole feedback interval? (RFC 5348 8.2.1)
 *
 * The RFC keeps two time stamps, enough for one feedback per round-trip time. Feedback may come
 * faster, slower and late here, so the runs of time without a data limit are kept. When there are
 * too many of them, the two oldest become one: an interval is then rather called network-limited.
 */
#ifndef WEIR_ESTIMATORS_DATA_LIMITED_H
#define WEIR_ESTIMATORS_DATA_LIMITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__DATA_LIMITED_RUNS 8

struct weir__data_limited_run {
    int64_t first_ns;
    int64_t last_ns;
};

struct weir__data_limited {
    size_t n_runs;
    bool in_run;       /* the last packet left without a data limit */
    int64_t newest_ns; /* send time of the newest packet of the last feedback */
    struct weir__data_limited_run runs[WEIR__DATA_LIMITED_RUNS]; /* oldest first */
};

void weir__data_limited_init(struct weir__data_limited *state);

/* After a packet left: network_limited when the controller, not the source, holds the flow back.
 * Times do not go backwards. */
void weir__data_limited_on_sent(struct weir__data_limited *state, int64_t now_ns,
                                bool network_limited);

/* On feedback whose newest packet was sent at sent_ns: whether the interval that ends there was
 * data-limited throughout. It begins rtt_ns before, or at the newest packet of the feedback before
 * if that is longer ago. */
bool weir__data_limited_on_feedback(struct weir__data_limited *state, int64_t sent_ns,
                                    int64_t rtt_ns);

#endif
