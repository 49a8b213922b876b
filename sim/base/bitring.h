/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One bit per packet number, for a sliding range of numbers >= 0 no wider than the capacity.
 * Whoever slides the range clears what leaves it. Searches go word by word. */
#ifndef WEIR_SIM_BITRING_H
#define WEIR_SIM_BITRING_H

#include "weir/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir__bitring {
    uint64_t *words;
    size_t n_words; /* a power of two */
};

enum weir_status weir__bitring_init(struct weir__bitring *ring, int64_t capacity);
void weir__bitring_finish(struct weir__bitring *ring);
int64_t weir__bitring_capacity(const struct weir__bitring *ring);
bool weir__bitring_test(const struct weir__bitring *ring, int64_t number);
void weir__bitring_set(struct weir__bitring *ring, int64_t first, int64_t end);
void weir__bitring_clear(struct weir__bitring *ring, int64_t first, int64_t end);
int64_t weir__bitring_next_clear(const struct weir__bitring *ring, int64_t first, int64_t end);
int64_t weir__bitring_run_start(const struct weir__bitring *ring, int64_t number, int64_t low);

#endif
