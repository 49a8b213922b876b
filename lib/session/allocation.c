/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weighted max-min fair shares with minimums and maximums. There is one level L such that every
 * taker gets weight * L, limited to its own range, and the sum is the budget. It is found by
 * freezing: share out what is left, limit each share to its range, and see whether limiting added
 * or took away in total. If it added, everyone held up by a minimum is there for good; if it took
 * away, everyone held down by a maximum is. Each round freezes at least one taker.
 *
 * Invariant: sum of results = budget limited to [sum of minimums, sum of maximums].
 *
 * The largest product is budget * sum of weights = 1e11 * 6.4e7 = 6.4e18, which fits int64_t. */
#include "session/allocation.h"
#include "weir/units.h"
#include <stdbool.h>

struct split {
    const struct weir__share *shares;
    size_t n;
    int64_t *out_bps;
    int64_t left_bps; /* what the takers that are not frozen share */
    int64_t weights;  /* theirs, summed */
    bool frozen[WEIR__ALLOCATE_MAX_SHARES];
};

/* left_bps by weight, rounded so that the shares add up to it exactly and each is its exact value
 * rounded up or down: differences of the rounded running sum. */
static void share_out(struct split *split)
{
    int64_t weights_so_far = 0;
    int64_t given_bps = 0;
    for (size_t i = 0; i < split->n; i++) {
        if (!split->frozen[i]) {
            weights_so_far += split->shares[i].weight;
            int64_t up_to_here_bps = split->left_bps * weights_so_far / split->weights;
            split->out_bps[i] = up_to_here_bps - given_bps;
            given_bps = up_to_here_bps;
        }
    }
}

static int64_t limited_bps(const struct split *split, size_t i)
{
    return weir_clamp_i64(split->out_bps[i], split->shares[i].min_bps, split->shares[i].max_bps);
}

/* What limiting every share would add to their sum, in bit/s; negative: take away. */
static int64_t added_by_limits_bps(const struct split *split)
{
    int64_t added_bps = 0;
    for (size_t i = 0; i < split->n; i++) {
        if (!split->frozen[i]) {
            added_bps += limited_bps(split, i) - split->out_bps[i];
        }
    }
    return added_bps;
}

static void freeze(struct split *split, size_t i)
{
    split->out_bps[i] = limited_bps(split, i);
    split->frozen[i] = true;
    split->left_bps -= split->out_bps[i];
    split->weights -= split->shares[i].weight;
}

/* added_bps > 0 freezes those at their minimum, < 0 those at their maximum, 0 everyone. */
static void freeze_limited(struct split *split, int64_t added_bps)
{
    for (size_t i = 0; i < split->n; i++) {
        int64_t change_bps = split->frozen[i] ? 0 : limited_bps(split, i) - split->out_bps[i];
        bool with_the_sum = (added_bps > 0 && change_bps > 0) || (added_bps < 0 && change_bps < 0);
        if (!split->frozen[i] && (added_bps == 0 || with_the_sum)) {
            freeze(split, i);
        }
    }
}

static int64_t budget_within_limits_bps(int64_t budget_bps, const struct weir__share *shares,
                                        size_t n_shares)
{
    int64_t min_bps = 0;
    int64_t max_bps = 0;
    for (size_t i = 0; i < n_shares; i++) {
        min_bps += shares[i].min_bps;
        max_bps = weir_min_i64(max_bps + shares[i].max_bps, WEIR_MAX_BPS);
    }
    return weir_clamp_i64(budget_bps, min_bps, weir_max_i64(min_bps, max_bps));
}

void weir__allocate(int64_t budget_bps, const struct weir__share *shares, size_t n_shares,
                    int64_t *out_bps)
{
    struct split split = {.shares = shares, .n = n_shares, .out_bps = out_bps};
    split.left_bps = budget_within_limits_bps(budget_bps, shares, n_shares);
    for (size_t i = 0; i < n_shares; i++) {
        split.weights += shares[i].weight;
    }
    while (split.weights > 0) {
        share_out(&split);
        freeze_limited(&split, added_by_limits_bps(&split));
    }
}
