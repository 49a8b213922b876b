/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pseudo-random numbers: xoshiro256** (Blackman and Vigna), seeded through splitmix64.
 * Every consumer has a stream of its own, derived from (seed, stream number), so that adding one
 * consumer does not change what the others draw. All draws use IEEE operations only: the same
 * bits with every compiler and C library. */
#ifndef WEIR_SIM_RANDOM_H
#define WEIR_SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct weir__random {
    uint64_t state[4];
};

void weir__random_init(struct weir__random *random, uint64_t seed, uint64_t stream);
uint64_t weir__random_u64(struct weir__random *random);
double weir__random_uniform(struct weir__random *random);
int64_t weir__random_below(struct weir__random *random, int64_t bound);
bool weir__random_chance(struct weir__random *random, double probability);
double weir__random_exponential(struct weir__random *random, double mean);
double weir__random_normal(struct weir__random *random);
double weir__random_pareto(struct weir__random *random, double mean, double shape);

#endif
