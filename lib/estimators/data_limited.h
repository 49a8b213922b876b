/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Was the sender limited by its data during a whole feedback interval? Two time stamps tell (RFC
 * 5348 8.2.1). */
#ifndef WEIR_ESTIMATORS_DATA_LIMITED_H
#define WEIR_ESTIMATORS_DATA_LIMITED_H

#include <stdbool.h>
#include <stdint.h>

struct weir__data_limited {
    int64_t not_limited_1_ns; /* first moment without a data limit in this interval ... */
    int64_t not_limited_2_ns; /* ... and in the next */
    int64_t new_ns;           /* send time of the newest packet of the last feedback */
    int64_t next_ns;          /* time of the last feedback */
};

void weir__data_limited_init(struct weir__data_limited *state);

/* After a packet left: network_limited when the controller, not the source, holds the flow back. */
void weir__data_limited_on_sent(struct weir__data_limited *state, int64_t now_ns,
                                bool network_limited);

/* On feedback whose newest packet was sent at sent_ns: whether the interval of length rtt_ns that
 * ends there was data-limited throughout. */
bool weir__data_limited_on_feedback(struct weir__data_limited *state, int64_t now_ns,
                                    int64_t sent_ns, int64_t rtt_ns);

#endif
