/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/bitring.h"
#include "sim/base/bits.h"
#include <stdlib.h>

#define WORD_BITS 64

/* All clear, for ranges of at least `capacity` numbers (1 .. 2^30). Allocates. */
enum weir_status weir__bitring_init(struct weir__bitring *ring, int64_t capacity)
{
    size_t n_words = 1;
    while ((int64_t)(n_words * WORD_BITS) < capacity) {
        n_words *= 2;
    }
    ring->words = calloc(n_words, sizeof *ring->words);
    ring->n_words = ring->words ? n_words : 0;
    return ring->words ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
}

/* Accepts a zeroed ring. */
void weir__bitring_finish(struct weir__bitring *ring)
{
    free(ring->words);
    *ring = (struct weir__bitring){.words = NULL};
}

/* Width of the widest range. */
int64_t weir__bitring_capacity(const struct weir__bitring *ring)
{
    return (int64_t)(ring->n_words * WORD_BITS);
}

static uint64_t *word_of(const struct weir__bitring *ring, int64_t number)
{
    return &ring->words[((uint64_t)number / WORD_BITS) & (ring->n_words - 1)];
}

/* Of a number in the ring's present span. */
bool weir__bitring_test(const struct weir__bitring *ring, int64_t number)
{
    return (*word_of(ring, number) >> ((uint64_t)number % WORD_BITS) & 1) != 0;
}

/* The bits of the word that holds `first` from `first` on, without those from `end` on. */
static uint64_t mask_of(int64_t first, int64_t end)
{
    uint64_t offset = (uint64_t)first % WORD_BITS;
    uint64_t mask = UINT64_MAX << offset;
    uint64_t left = (uint64_t)(end - first) + offset;
    return left < WORD_BITS ? mask & ~(UINT64_MAX << left) : mask;
}

/* The first number of the next word. */
static int64_t next_word(int64_t number)
{
    return (number / WORD_BITS + 1) * WORD_BITS;
}

/* Sets first .. end - 1. */
void weir__bitring_set(struct weir__bitring *ring, int64_t first, int64_t end)
{
    for (int64_t n = first; n < end; n = next_word(n)) {
        *word_of(ring, n) |= mask_of(n, end);
    }
}

/* Clears first .. end - 1. */
void weir__bitring_clear(struct weir__bitring *ring, int64_t first, int64_t end)
{
    for (int64_t n = first; n < end; n = next_word(n)) {
        *word_of(ring, n) &= ~mask_of(n, end);
    }
}

/* The lowest clear number of first .. end - 1, or end. */
int64_t weir__bitring_next_clear(const struct weir__bitring *ring, int64_t first, int64_t end)
{
    for (int64_t n = first; n < end; n = next_word(n)) {
        uint64_t clear = ~*word_of(ring, n) & mask_of(n, end);
        if (clear != 0) {
            return n - n % WORD_BITS + weir__lowest_bit(clear);
        }
    }
    return end;
}

/* The start of the run of set numbers that ends at `number` (which is set), not below `low`. */
int64_t weir__bitring_run_start(const struct weir__bitring *ring, int64_t number, int64_t low)
{
    int64_t start = number;
    while (start > low) {
        bool whole_word = start % WORD_BITS == 0 && start - WORD_BITS >= low &&
                          *word_of(ring, start - 1) == UINT64_MAX;
        if (!whole_word && !weir__bitring_test(ring, start - 1)) {
            break;
        }
        start -= whole_word ? WORD_BITS : 1;
    }
    return start;
}
