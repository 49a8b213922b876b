/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the allocations of the library: the linker sends them here (meson.build). */
#ifndef WEIR_TESTS_ALLOCATIONS_H
#define WEIR_TESTS_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

static uint64_t n_allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    n_allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    n_allocations++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    n_allocations++;
    return __real_realloc(memory, size);
}

#endif
