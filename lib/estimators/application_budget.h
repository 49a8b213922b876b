/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the application has been sending much less than it may for a while: libwebrtc's detector
 * of application-limited regions. A budget fills at 0.65 of the estimated rate, and what is sent is
 * taken from it; it holds half a second. The region begins when 0.8 of it are unused, and ends when
 * half of it is. */
#ifndef WEIR_ESTIMATORS_APPLICATION_BUDGET_H
#define WEIR_ESTIMATORS_APPLICATION_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise. */
struct weir__application_budget {
    bool has_sent;
    bool limited; /* the application is the limit */
    int64_t sent_ns;
    double bytes; /* unused; below 0: overspent */
};

/* rate_bps: estimated, > 0. */
void weir__application_budget_on_sent(struct weir__application_budget *budget, int64_t sent_ns,
                                      int64_t wire_bytes, double rate_bps);

#endif
