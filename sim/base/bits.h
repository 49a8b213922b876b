/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places of bits in words. */
#ifndef WEIR_SIM_BITS_H
#define WEIR_SIM_BITS_H

#include <stdint.h>

/* Number of the lowest bit of bits != 0. */
static inline uint32_t weir__lowest_bit(uint64_t bits)
{
#ifdef __GNUC__
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t place = 0;
    while ((bits >> place & 1) == 0) {
        place++;
    }
    return place;
#endif
}

/* Number of the highest bit of bits != 0. */
static inline uint32_t weir__highest_bit(uint64_t bits)
{
#ifdef __GNUC__
    return 63 - (uint32_t)__builtin_clzll(bits);
#else
    uint32_t place = 63;
    while (bits >> place == 0) {
        place--;
    }
    return place;
#endif
}

#endif
