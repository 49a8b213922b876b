/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv_set, the recent receive rates whose maximum limits the sending rate (RFC 5348 4.3). It
 * begins with infinity, kept as a flag: infinity is never halved or doubled. */
#ifndef WEIR_ESTIMATORS_RECEIVE_SET_H
#define WEIR_ESTIMATORS_RECEIVE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__RECEIVE_SET_ENTRIES 3

struct weir__receive_set_entry {
    bool infinite;
    double value; /* bytes/s, >= 0 */
    int64_t at_ns;
};

struct weir__receive_set {
    struct weir__receive_set_entry entries[WEIR__RECEIVE_SET_ENTRIES]; /* oldest first */
    size_t n;
};

/* { infinity }, as of now. */
void weir__receive_set_init(struct weir__receive_set *set, int64_t now_ns);

/* "Update X_recv_set": adds value, drops what is older than max_age_ns, keeps the three newest. */
void weir__receive_set_update(struct weir__receive_set *set, double value, int64_t now_ns,
                              int64_t max_age_ns);

/* "Maximize X_recv_set": adds value, drops infinity, keeps only the largest, as of now. */
void weir__receive_set_maximize(struct weir__receive_set *set, double value, int64_t now_ns);

/* { value }, as of now. */
void weir__receive_set_assign(struct weir__receive_set *set, double value, int64_t now_ns);

/* Multiplies every finite entry: 0.5 after a loss in a data-limited interval (4.3 step 4), a power
 * of 0.85 in the decay of appendix C. */
void weir__receive_set_scale(struct weir__receive_set *set, double factor);

/* Whether infinity is in the set: there is no limit then. */
bool weir__receive_set_is_infinite(const struct weir__receive_set *set);

/* The largest finite entry, 0 when there is none. */
double weir__receive_set_max(const struct weir__receive_set *set);

#endif
