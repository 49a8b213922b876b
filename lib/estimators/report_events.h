/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many loss events are behind the losses of an RTCP receiver report (Floyd et al. 2000, 3.5.1,
 * turned round). */
#ifndef WEIR_ESTIMATORS_REPORT_EVENTS_H
#define WEIR_ESTIMATORS_REPORT_EVENTS_H

#include <stdint.h>

/* What a report that came at now_ns tells of its interval. 0 <= lost <= expected; interval_ns > 0.
 */
struct weir__told_losses {
    int64_t now_ns, interval_ns;
    int64_t expected, lost; /* packets */
};

/* Loss events in an interval in which so many packets were lost, independently, at rtt_ns (> 0):
 * the expected number of round-trip times with a loss, in [1, lost]. 0 when lost is 0, and when the
 * newest event, which began at *event_ns, is not over: one lasts a round-trip time (RFC 5348 5.2),
 * and reports that come more often tell of it again. *event_ns is WEIR_UNKNOWN_NS before the first
 * event. */
int64_t weir__report_events(const struct weir__told_losses *told, int64_t rtt_ns,
                            int64_t *event_ns);

#endif
