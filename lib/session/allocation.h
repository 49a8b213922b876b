/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One bitrate budget split among several takers: weighted max-min fair between a minimum and a
 * maximum each. */
#ifndef WEIR_ALLOCATION_H
#define WEIR_ALLOCATION_H

#include "weir/units.h"
#include <stddef.h>
#include <stdint.h>

#define WEIR__ALLOCATE_MAX_SHARES 64
#define WEIR__ALLOCATE_MAX_WEIGHT 1000000

struct weir__share {
    uint32_t weight; /* 1 .. WEIR__ALLOCATE_MAX_WEIGHT; only ratios matter */
    int64_t min_bps; /* 0 .. max_bps */
    int64_t max_bps; /* min_bps .. WEIR_MAX_BPS */
};

/* Splits budget_bps (any value; negative counts as 0) among n_shares takers, at most
 * WEIR__ALLOCATE_MAX_SHARES, whose minimums together are at most WEIR_MAX_BPS. A budget below their
 * sum gives everyone its minimum: the results then add up to more. */
void weir__allocate(int64_t budget_bps, const struct weir__share *shares, size_t n_shares,
                    int64_t *out_bps);

#endif
