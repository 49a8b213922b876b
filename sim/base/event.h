/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event core: timers ordered by (time, time of arming, order of arming), so that equal times
 * fire first armed first. Who arms a timer ahead of the moment that should have armed it, and so
 * spares an event, names that moment: the order stays. A timer lives inside the object it serves
 * and can be armed for one time at a time; arming never allocates. Arming, moving, cancelling and
 * firing cost the same however many timers there are.
 *
 * Invariant: now_ns never goes back, and no armed timer is earlier than now_ns. */
#ifndef WEIR_SIM_EVENT_H
#define WEIR_SIM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__EVENT_WORDS    73   /* of 64 slots each: event.c */
#define WEIR__CROWDED_TIMERS 2048 /* some 400 media flows */

/* Belongs to an object, which must not move; made by weir__timer_init(). */
struct weir__timer {
    int64_t time_ns;          /* WEIR_NEVER_NS = not armed */
    int64_t armed_ns;         /* when, or as if when */
    struct weir__timer *next; /* of the same slot, in a ring */
    struct weir__timer *prev;
    void (*on_time)(void *target);
    void *target;
    void (*on_approach)(void *target); /* NULL: nothing is asked for */
    uint32_t slot;
};

/* Bits say which slots are in use, and which words of them have bits. */
struct weir__event_slots {
    uint64_t wheel;    /* its time, in units; but for the lowest level that of the simulation */
    uint32_t shift;    /* the unit of the lowest level is 2^shift ns */
    uint32_t n_timers; /* initialised */
    uint64_t tuned_events;
    int64_t tuned_ns;
    struct weir__timer *ahead; /* of the slot that is spread next: the last that was asked for */
    uint64_t used[2];          /* words: of the lowest level, of the others */
    uint64_t words[WEIR__EVENT_WORDS];
    struct weir__timer *first[WEIR__EVENT_WORDS * 64];
};

struct weir__sim {
    int64_t now_ns;
    uint64_t events;  /* fired so far, with the one that is handled ... */
    int64_t armed_ns; /* ... and when it was armed; WEIR_NEVER_NS = none is */
    struct weir__event_slots slots;
};

/* Whether what its timers serve is more than the processor's cache holds. */
static inline bool weir__sim_is_crowded(const struct weir__sim *sim)
{
    return sim->slots.n_timers >= WEIR__CROWDED_TIMERS;
}

void weir__sim_init(struct weir__sim *sim);
int64_t weir__sim_next_event_ns(const struct weir__sim *sim);
void weir__sim_run_until(struct weir__sim *sim, int64_t now_ns);

void weir__timer_init(struct weir__timer *timer, struct weir__sim *sim,
                      void (*on_time)(void *target), void *target);
void weir__timer_set(struct weir__timer *timer, struct weir__sim *sim, int64_t time_ns);
void weir__timer_arm(struct weir__timer *timer, struct weir__sim *sim, int64_t time_ns,
                     int64_t armed_ns);

/* Whether an event at time_ns, armed at armed_ns, comes before what is handled now; one armed at
 * the same time as that does not. */
static inline bool weir__sim_is_past(const struct weir__sim *sim, int64_t time_ns, int64_t armed_ns)
{
    return time_ns < sim->now_ns || (time_ns == sim->now_ns && armed_ns < sim->armed_ns);
}

/* Whether no timer is armed for the present time; may be false also when none is. */
bool weir__sim_is_alone(const struct weir__sim *sim);

/* In the place of a timer that is armed now for now, when no other was armed for now: the event
 * begins that it would be. */
static inline void weir__sim_go_on(struct weir__sim *sim)
{
    sim->armed_ns = sim->now_ns;
    sim->events++;
}

/* In a crowded simulation called with the timer's target before the timer that fires before it,
 * most of the time: to ask for what will be needed (base/prefetch.h). */
void weir__timer_on_approach(struct weir__timer *timer, void (*on_approach)(void *target));

/* A deadline that moves later far more often than it fires (retransmission timers): moving it
 * later costs one store. on_time is called at the deadline, never before. */
struct weir__deadline {
    struct weir__timer timer;
    struct weir__sim *sim;
    int64_t due_ns; /* WEIR_NEVER_NS = none */
    void (*on_time)(void *target);
    void *target;
    void (*on_approach)(void *target);
};

void weir__deadline_init(struct weir__deadline *deadline, struct weir__sim *sim,
                         void (*on_time)(void *target), void *target);
void weir__deadline_set(struct weir__deadline *deadline, int64_t due_ns);
void weir__deadline_on_approach(struct weir__deadline *deadline, void (*on_approach)(void *target));
void weir__deadline_clear(struct weir__deadline *deadline);

#endif
