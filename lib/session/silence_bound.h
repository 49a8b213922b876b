/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate while nothing is heard, whatever algorithm runs: half of what it was after a timeout,
 * and half again each second. RFC 8888 5 wants a sender to come down rapidly when several feedback
 * packets in a row are missing, and leaves the rule to the algorithm; TFRC's no-feedback timer (RFC
 * 5348 4.4: four round trips, then half the rate each time) is such a rule, and this is as fast.
 * Most algorithms come down by themselves sooner; this bounds those that wait for reports. It goes
 * with the circuit breaker, which stops what is still unanswered after that (RFC 8083 4.1 and 4.2):
 * without that the algorithm's own law holds alone, as in the papers.
 *
 * Invariant: timeout_ns + (n - 1) s after the first unanswered packet the rate is at most
 * 2^-n of that at the last sign of life. A sign of life lifts the bound. */
#ifndef WEIR_SILENCE_BOUND_H
#define WEIR_SILENCE_BOUND_H

#include <stdint.h>

struct weir__silence_bound {
    int64_t since_ns;   /* since when packets are unanswered; WEIR_NEVER_NS: none is */
    int64_t sent_ns;    /* newest packet */
    int64_t timeout_ns; /* until the first halving; 0: nothing was ever heard */
    int64_t rate_bps;   /* at the last sign of life; 0: not known yet */
};

void weir__silence_bound_init(struct weir__silence_bound *bound);
/* A packet left. After a second without one the wait begins anew: who sends nothing hears nothing.
 */
void weir__silence_bound_on_sent(struct weir__silence_bound *bound, int64_t now_ns);
/* Something arrived. timeout_ns > 0; in_flight_bytes: not answered yet. */
void weir__silence_bound_on_life(struct weir__silence_bound *bound, int64_t now_ns,
                                 int64_t timeout_ns, int64_t in_flight_bytes);
/* What is allowed now: the first one after a sign of life is what silence halves. */
void weir__silence_bound_on_rate(struct weir__silence_bound *bound, int64_t rate_bps);
/* INT64_MAX: none. */
int64_t weir__silence_bound_bps(const struct weir__silence_bound *bound, int64_t now_ns);
/* When it halves next; WEIR_NEVER_NS. */
int64_t weir__silence_bound_next_ns(const struct weir__silence_bound *bound, int64_t now_ns);

#endif
