/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/random.h"
#include "sim/base/elementary.h"
#include <math.h>

/* splitmix64: turns any seed, also 0 or a small one, into well mixed words. */
static uint64_t mix_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

/* Stream number `stream` of the run with this seed; any values. */
void weir__random_init(struct weir__random *random, uint64_t seed, uint64_t stream)
{
    uint64_t mixed_stream = stream;
    uint64_t state = seed ^ mix_next(&mixed_stream);
    for (int i = 0; i < 4; i++) {
        random->state[i] = mix_next(&state);
    }
}

/* xoshiro256**: 64 random bits. */
uint64_t weir__random_u64(struct weir__random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* Uniform in [0, 1), a multiple of 2^-53. */
double weir__random_uniform(struct weir__random *random)
{
    return (double)(weir__random_u64(random) >> 11) * (1.0 / 9007199254740992.0);
}

/* Uniform integer in [0, bound); 0 for bound <= 1 (without a draw). The bias is below bound / 2^53.
 */
int64_t weir__random_below(struct weir__random *random, int64_t bound)
{
    if (bound <= 1) {
        return 0;
    }
    int64_t value = (int64_t)(weir__random_uniform(random) * (double)bound);
    return value < bound ? value : bound - 1;
}

/* true with the given probability; <= 0 is never, >= 1 always (both without a draw). */
bool weir__random_chance(struct weir__random *random, double probability)
{
    if (probability <= 0.0 || probability >= 1.0) {
        return probability >= 1.0;
    }
    return weir__random_uniform(random) < probability;
}

/* Exponential with the given mean. */
double weir__random_exponential(struct weir__random *random, double mean)
{
    return -mean * weir__log(1.0 - weir__random_uniform(random));
}

/* Standard normal: Marsaglia's polar method. The second number it could give is not kept, so that
 * the state is only the generator's. */
double weir__random_normal(struct weir__random *random)
{
    double x = 0.0;
    double square = 0.0;
    while (square <= 0.0 || square >= 1.0) {
        x = 2.0 * weir__random_uniform(random) - 1.0;
        double y = 2.0 * weir__random_uniform(random) - 1.0;
        square = x * x + y * y;
    }
    return x * sqrt(-2.0 * weir__log(square) / square);
}

/* Pareto with the given mean and shape > 1: scale U^(-1/shape), scale = mean (shape - 1) / shape.
 */
double weir__random_pareto(struct weir__random *random, double mean, double shape)
{
    double scale = mean * (shape - 1.0) / shape;
    return scale * weir__exp(-weir__log(1.0 - weir__random_uniform(random)) / shape);
}
