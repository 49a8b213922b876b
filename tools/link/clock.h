/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef WEIR_LINK_CLOCK_H
#define WEIR_LINK_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The monotonic clock, which the timers use too. */
static inline int64_t link_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#endif
