/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inputs made of the inputs of a corpus, the same for the same corpus and seed.
 *
 * A corpus is a text of one input per line, in hex; what follows a space is its name. */
#ifndef WEIR_TESTS_FUZZ_MUTATE_H
#define WEIR_TESTS_FUZZ_MUTATE_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_INPUT_BYTES = 4096, MAX_SEEDS = 4096, DEFAULT_SEED = 20240229 };

struct input {
    size_t size;
    uint8_t bytes[MAX_INPUT_BYTES];
};

static struct {
    struct input *seeds;
    size_t n_seeds;
    uint64_t random; /* state of xorshift64* */
} fuzz;

static inline void seed_random(uint64_t seed)
{
    fuzz.random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

static inline uint32_t next_random(void)
{
    fuzz.random ^= fuzz.random >> 12;
    fuzz.random ^= fuzz.random << 25;
    fuzz.random ^= fuzz.random >> 27;
    return (uint32_t)(fuzz.random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

/* 0 .. n - 1; n >= 1. */
static inline size_t below(size_t n)
{
    return (size_t)(((uint64_t)next_random() * n) >> 32);
}

/* Up to the first character that is no digit, or *end. */
static inline void read_line(const char *at, const char *end, struct input *input)
{
    for (; at + 1 < end && g_ascii_isxdigit(at[0]) && g_ascii_isxdigit(at[1]); at += 2) {
        if (input->size < MAX_INPUT_BYTES) {
            int byte = g_ascii_xdigit_value(at[0]) << 4 | g_ascii_xdigit_value(at[1]);
            input->bytes[input->size++] = (uint8_t)byte;
        }
    }
}

static inline void load_corpus(const char *path)
{
    char *text;
    gsize size;
    fuzz.seeds = g_new0(struct input, MAX_SEEDS);
    if (!g_file_get_contents(path, &text, &size, NULL)) {
        return;
    }
    const char *end = text + size;
    for (const char *line = text; line < end && fuzz.n_seeds < MAX_SEEDS; line++) {
        read_line(line, end, &fuzz.seeds[fuzz.n_seeds++]);
        line += strcspn(line, "\n");
    }
    g_free(text);
}

static inline void overwrite(struct input *input)
{
    static const uint8_t interesting[] = {0, 1, 2, 0x0f, 0x10, 0x1f, 0x20, 0x7f, 0x80, 0xfe, 0xff};
    size_t at = below(input->size);
    switch (below(4)) {
    case 0:
        input->bytes[at] ^= (uint8_t)(1U << below(8));
        break;
    case 1:
        input->bytes[at] = (uint8_t)next_random();
        break;
    case 2:
        input->bytes[at] = interesting[below(G_N_ELEMENTS(interesting))];
        break;
    default:
        input->bytes[at] = (uint8_t)(input->bytes[at] + below(9) - 4);
        break;
    }
}

/* Copies a piece of any seed over or behind what is there. */
static inline void splice(struct input *input)
{
    const struct input *other = &fuzz.seeds[below(fuzz.n_seeds)];
    size_t to = below(input->size + 1) & ~(size_t)1;
    size_t from = other->size > 0 ? below(other->size) & ~(size_t)1 : 0;
    size_t n = MIN(other->size - from, 2 * below(33));
    n = MIN(n, MAX_INPUT_BYTES - to);
    memcpy(input->bytes + to, other->bytes + from, n);
    input->size = MAX(input->size, to + n);
}

static inline void append(struct input *input)
{
    size_t n = MIN(below(16), MAX_INPUT_BYTES - input->size);
    bool zeros = below(2);
    for (size_t i = 0; i < n; i++) {
        input->bytes[input->size++] = zeros ? 0 : (uint8_t)next_random();
    }
}

/* One to six changes; most keep the size, because that leaves more of the structure alive. */
static inline void mutate(struct input *input)
{
    for (size_t n = 1 + below(6); n > 0; n--) {
        size_t kind = below(32);
        if (kind == 0) {
            input->size = below(input->size + 1);
        } else if (kind == 1) {
            append(input);
        } else if (kind < 5) {
            splice(input);
        } else if (input->size > 0) {
            overwrite(input);
        }
    }
}

/* One of the seeds, changed. */
static inline void next_input(struct input *input)
{
    const struct input *seed = &fuzz.seeds[below(fuzz.n_seeds)];
    input->size = seed->size;
    memcpy(input->bytes, seed->bytes, seed->size);
    mutate(input);
}

#endif
