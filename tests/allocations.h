/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the allocations of the library, and refuses one of them: the linker sends them here
 * (meson.build). */
#ifndef WEIR_TESTS_ALLOCATIONS_H
#define WEIR_TESTS_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static int64_t n_allocations, failing_allocation = -1; /* that one finds no memory */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool finds_memory(void)
{
    return n_allocations++ != failing_allocation;
}

void *__wrap_malloc(size_t size)
{
    return finds_memory() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return finds_memory() ? __real_calloc(n, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return finds_memory() ? __real_realloc(memory, size) : NULL;
}

#endif
