/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks the processor to bring what was last touched long ago into its cache. */
#ifndef WEIR_PREFETCH_H
#define WEIR_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#define WEIR__CACHE_LINE_BYTES 64

/* `address` may be anything, also NULL: nothing is read that the program could notice. */
static inline void weir__prefetch(const void *address, size_t bytes)
{
#ifdef __GNUC__
    uintptr_t line = (uintptr_t)address & ~(uintptr_t)(WEIR__CACHE_LINE_BYTES - 1);
    for (; line < (uintptr_t)address + bytes; line += WEIR__CACHE_LINE_BYTES) {
        __builtin_prefetch((const void *)line);
    }
#else
    (void)address;
    (void)bytes;
#endif
}

/* From `begin` on, but not `end`: of one object. */
static inline void weir__prefetch_between(const void *begin, const void *end)
{
    weir__prefetch(begin, (size_t)((const char *)end - (const char *)begin));
}

#endif
