/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a target that is a sequence of calls, taken from the front. */
#ifndef WEIR_TESTS_FUZZ_INPUT_H
#define WEIR_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_input {
    const uint8_t *data;
    size_t left;
};

/* The next byte; 0 when there is none. */
static inline unsigned fuzz_take(struct fuzz_input *input)
{
    if (input->left == 0) {
        return 0;
    }
    input->left--;
    return *input->data++;
}

static inline uint32_t fuzz_take_u32(struct fuzz_input *input)
{
    uint32_t value = fuzz_take(input) << 8;
    value = (value | fuzz_take(input)) << 8;
    value = (value | fuzz_take(input)) << 8;
    return value | fuzz_take(input);
}

/* Up to as many bytes as the next one says. */
static inline const uint8_t *fuzz_take_bytes(struct fuzz_input *input, size_t *size_bytes)
{
    size_t wanted = fuzz_take(input);
    const uint8_t *bytes = input->data;
    *size_bytes = wanted < input->left ? wanted : input->left;
    input->data += *size_bytes;
    input->left -= *size_bytes;
    return bytes;
}

#endif
