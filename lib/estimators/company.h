/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Company: do others use the queue that our packets wait in?
 *
 * While a queue is never empty, our packets arrive at the pace at which the link serves us. Alone,
 * that pace is the link's, whatever we send. Among others, who sends 10 % more gets nearly 10 %
 * more. So the slope of the changes of the delivered rate on those of the sent rate is 0 alone, and
 * about 1 less our share in company. Frames differ in size enough to tell: nothing has to be sent
 * for it.
 *
 * A change is 2 (b - a) / (b + a), from one busy sample to the next. Only pairs of which both are
 * below 0.25 count, and they fade by dt_s / 3 s with each sample. A loss makes all who share the
 * queue slower at once, so for 3 s the slope does not tell that they are gone. */
#ifndef WEIR_ESTIMATORS_COMPANY_H
#define WEIR_ESTIMATORS_COMPANY_H

#include <stdbool.h>

/* Zero-initialise, or: forgets everything. */
struct weir__company {
    bool was_busy; /* at the sample before, whose rates these are: */
    double sent_bps;
    double delivered_bps;
    double square;  /* of the relative changes of the sent rate, fading */
    double product; /* of both changes */
    double other;   /* square of those of the delivered rate */
    double count;   /* of these */
    double since_loss_s;
};

/* The rates of one feedback, the same packets' both; dt_s since the one before, >= 0. busy: the
 * queue was never empty meanwhile. Rates must be positive. */
void weir__company_sample(struct weir__company *company, bool busy, double sent_bps,
                          double delivered_bps, double dt_s);

/* One of our packets was lost. */
void weir__company_on_loss(struct weir__company *company);

/* There are others: the slope is above 0.2, even two standard errors below the one found, since a
 * link that varies makes slopes as well. */
bool weir__company_is_there(const struct weir__company *company);

/* The slope found is above 0.2: enough where there were others a moment ago. */
bool weir__company_is_likely(const struct weir__company *company);

/* They are gone, or never were: the slope is below 0.15, and nothing was lost in the last 3 s. */
bool weir__company_is_gone(const struct weir__company *company);

/* What the link carries, at the least, bit/s: what is delivered to us is 1 less the slope of it.
 * Two standard errors on the safe side, and at most ten times what we get; 0 when nobody is there,
 * or ten changes of the last seconds do not tell yet. */
double weir__company_link_bps(const struct weir__company *company);

/* The slope: about 0 alone, 1 less our share among others; 0 unless the squares of the sent rate's
 * changes make more than 1e-4. */
double weir__company_get(const struct weir__company *company);

#endif
