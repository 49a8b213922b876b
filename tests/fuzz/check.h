/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a fuzz target asserts. Aborts in every build, NDEBUG or not. */
#ifndef WEIR_TESTS_FUZZ_CHECK_H
#define WEIR_TESTS_FUZZ_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
