/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event core: timers ordered by (time, order of arming), so that equal times fire first armed
 * first. A timer lives inside the object it serves and can be armed for one time at a time; the
 * heap holds one slot per registered timer, so that arming never allocates.
 *
 * Invariant: now_ns never goes back, and no armed timer is earlier than now_ns. */
#ifndef WEIR_SIM_EVENT_H
#define WEIR_SIM_EVENT_H

#include "weir/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Belongs to an object, which must not move; registered by weir__timer_init(). */
struct weir__timer {
    void (*on_time)(void *target);
    void *target;
    int64_t time_ns; /* WEIR_NEVER_NS = not armed */
    uint32_t id;     /* number of the timer in the simulation */
};

/* 16 bytes, so that the four children in the heap share a cache line. */
struct weir__event {
    int64_t time_ns;
    uint64_t order_and_id; /* order of arming << WEIR__TIMER_ID_BITS | id of the timer */
};

#define WEIR__TIMER_ID_BITS 20 /* at most 2^20 timers, and 2^44 armings in order */

struct weir__sim {
    int64_t now_ns;
    uint64_t next_order;
    uint64_t events; /* fired so far */
    struct weir__event *heap;
    struct weir__timer **timers; /* by id */
    uint32_t *slots;             /* by id: place in the heap, while armed */
    void *heap_memory;           /* heap[1] in it is at the start of a cache line */
    uint32_t n_armed;
    uint32_t n_timers; /* registered */
    uint32_t capacity;
    bool firing; /* the root is the event being handled, about to be removed or replaced */
};

void weir__sim_init(struct weir__sim *sim);
void weir__sim_finish(struct weir__sim *sim);
int64_t weir__sim_next_event_ns(const struct weir__sim *sim);
void weir__sim_run_until(struct weir__sim *sim, int64_t now_ns);

enum weir_status weir__timer_init(struct weir__timer *timer, struct weir__sim *sim,
                                  void (*on_time)(void *target), void *target);
void weir__timer_set(struct weir__timer *timer, struct weir__sim *sim, int64_t time_ns);
void weir__timer_cancel(struct weir__timer *timer, struct weir__sim *sim);

/* A deadline that moves later far more often than it fires (retransmission timers): moving it
 * later costs one store. on_time is called at the deadline, never before. */
struct weir__deadline {
    struct weir__timer timer;
    struct weir__sim *sim;
    int64_t due_ns; /* WEIR_NEVER_NS = none */
    void (*on_time)(void *target);
    void *target;
};

enum weir_status weir__deadline_init(struct weir__deadline *deadline, struct weir__sim *sim,
                                     void (*on_time)(void *target), void *target);
void weir__deadline_set(struct weir__deadline *deadline, int64_t due_ns);
void weir__deadline_clear(struct weir__deadline *deadline);

#endif
