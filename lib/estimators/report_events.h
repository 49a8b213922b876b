/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many loss events are behind the losses of an RTCP receiver report (Floyd et al. 2000, 3.5.1,
 * turned round). */
#ifndef WEIR_ESTIMATORS_REPORT_EVENTS_H
#define WEIR_ESTIMATORS_REPORT_EVENTS_H

#include <stdint.h>

/* Loss events in an interval in which lost of expected packets were lost, independently, at rtt_ns:
 * the expected number of round-trip times with a loss. In [1, lost], 0 when lost is 0.
 * 0 <= lost <= expected; interval_ns, rtt_ns > 0. */
int64_t weir__report_events(int64_t expected, int64_t lost, int64_t interval_ns, int64_t rtt_ns);

#endif
