/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A 4-ary heap: half as deep as a binary one, and the four children are neighbours in memory. */
#include "sim/event.h"
#include "weir/units.h"
#include <stdlib.h>

#define CHILDREN       4
#define FIRST_CAPACITY 64

/* A simulation at time 0 without timers. Allocates nothing yet. */
void weir__sim_init(struct weir__sim *sim)
{
    *sim = (struct weir__sim){.now_ns = 0};
}

/* Frees the heap; the timers belong to their objects. Accepts a zeroed sim. */
void weir__sim_finish(struct weir__sim *sim)
{
    free(sim->heap);
    *sim = (struct weir__sim){.now_ns = 0};
}

static bool is_before(const struct weir__event *a, const struct weir__event *b)
{
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->order < b->order);
}

static void put(struct weir__sim *sim, size_t slot, struct weir__event event)
{
    sim->heap[slot] = event;
    event.timer->slot = slot;
}

/* Moves a hole at `slot` towards the root until `event` fits into it. */
static void sift_up(struct weir__sim *sim, size_t slot, struct weir__event event)
{
    while (slot > 0) {
        size_t parent = (slot - 1) / CHILDREN;
        if (!is_before(&event, &sim->heap[parent])) {
            break;
        }
        put(sim, slot, sim->heap[parent]);
        slot = parent;
    }
    put(sim, slot, event);
}

/* Moves a hole at `slot` towards the leaves until `event` fits into it. */
static void sift_down(struct weir__sim *sim, size_t slot, struct weir__event event)
{
    for (;;) {
        size_t first = slot * CHILDREN + 1;
        if (first >= sim->n_armed) {
            break;
        }
        size_t end = first + CHILDREN < sim->n_armed ? first + CHILDREN : sim->n_armed;
        size_t least = first;
        for (size_t child = first + 1; child < end; child++) {
            if (is_before(&sim->heap[child], &sim->heap[least])) {
                least = child;
            }
        }
        if (!is_before(&sim->heap[least], &event)) {
            break;
        }
        put(sim, slot, sim->heap[least]);
        slot = least;
    }
    put(sim, slot, event);
}

/* Fills the hole at `slot` with the last event of the heap. */
static void remove_slot(struct weir__sim *sim, size_t slot)
{
    sim->n_armed--;
    if (slot == sim->n_armed) {
        return;
    }
    struct weir__event last = sim->heap[sim->n_armed];
    if (slot > 0 && is_before(&last, &sim->heap[(slot - 1) / CHILDREN])) {
        sift_up(sim, slot, last);
    } else {
        sift_down(sim, slot, last);
    }
}

/* Time of the earliest event, WEIR_NEVER_NS when there is none. Not for use inside on_time. */
int64_t weir__sim_next_event_ns(const struct weir__sim *sim)
{
    return sim->n_armed > 0 ? sim->heap[0].time_ns : WEIR_NEVER_NS;
}

/* Fires the root. It stays in the heap meanwhile, because its handler nearly always arms a timer
 * (its own, mostly), which then takes its place with one sift instead of two. */
static void fire_first(struct weir__sim *sim)
{
    struct weir__timer *timer = sim->heap[0].timer;
    sim->now_ns = sim->heap[0].time_ns;
    sim->events++;
    sim->firing = true;
    timer->time_ns = WEIR_NEVER_NS;
    timer->on_time(timer->target);
    if (sim->firing) {
        sim->firing = false;
        remove_slot(sim, 0);
    }
}

/* Handles every event up to and including now_ns, then stands at now_ns; a time before the
 * simulation's own does nothing. */
void weir__sim_run_until(struct weir__sim *sim, int64_t now_ns)
{
    while (sim->n_armed > 0 && sim->heap[0].time_ns <= now_ns) {
        fire_first(sim);
    }
    sim->now_ns = weir_max_i64(sim->now_ns, now_ns);
}

/* Registers a timer, not armed. Grows the heap by doubling: call it when flows and links are
 * created, not per packet. */
enum weir_status weir__timer_init(struct weir__timer *timer, struct weir__sim *sim,
                                  void (*on_time)(void *target), void *target)
{
    /* One slot more than timers: while a handler runs, its event keeps the root. */
    if (sim->n_timers + 1 >= sim->capacity) {
        size_t capacity = sim->capacity > 0 ? 2 * sim->capacity : FIRST_CAPACITY;
        struct weir__event *heap = realloc(sim->heap, capacity * sizeof *heap);
        if (!heap) {
            return WEIR_ERROR_NO_MEMORY;
        }
        sim->heap = heap;
        sim->capacity = capacity;
    }
    sim->n_timers++;
    *timer = (struct weir__timer){.on_time = on_time, .target = target, .time_ns = WEIR_NEVER_NS};
    return WEIR_OK;
}

/* Arms or re-arms. Times in the past count as now; WEIR_NEVER_NS cancels. */
void weir__timer_set(struct weir__timer *timer, struct weir__sim *sim, int64_t time_ns)
{
    if (time_ns == WEIR_NEVER_NS) {
        weir__timer_cancel(timer, sim);
        return;
    }
    bool armed = timer->time_ns != WEIR_NEVER_NS;
    struct weir__event event = {
        .time_ns = weir_max_i64(time_ns, sim->now_ns), .order = sim->next_order++, .timer = timer};
    timer->time_ns = event.time_ns;
    if (armed) {
        if (is_before(&event, &sim->heap[timer->slot])) {
            sift_up(sim, timer->slot, event);
        } else {
            sift_down(sim, timer->slot, event);
        }
    } else if (sim->firing) {
        sim->firing = false;
        sift_down(sim, 0, event);
    } else {
        sim->n_armed++;
        sift_up(sim, sim->n_armed - 1, event);
    }
}

/* A timer that is not armed is left alone. */
void weir__timer_cancel(struct weir__timer *timer, struct weir__sim *sim)
{
    if (timer->time_ns != WEIR_NEVER_NS) {
        timer->time_ns = WEIR_NEVER_NS;
        remove_slot(sim, timer->slot);
    }
}

static void deadline_on_timer(void *target)
{
    struct weir__deadline *deadline = target;
    if (deadline->due_ns > deadline->sim->now_ns) {
        weir__timer_set(&deadline->timer, deadline->sim, deadline->due_ns);
        return;
    }
    deadline->due_ns = WEIR_NEVER_NS;
    deadline->on_time(deadline->target);
}

/* Registers a deadline, not set. Allocates like weir__timer_init(). */
enum weir_status weir__deadline_init(struct weir__deadline *deadline, struct weir__sim *sim,
                                     void (*on_time)(void *target), void *target)
{
    *deadline = (struct weir__deadline){
        .sim = sim, .due_ns = WEIR_NEVER_NS, .on_time = on_time, .target = target};
    return weir__timer_init(&deadline->timer, sim, deadline_on_timer, deadline);
}

/* Sets or moves; the timer underneath is only touched when the deadline comes earlier. */
void weir__deadline_set(struct weir__deadline *deadline, int64_t due_ns)
{
    deadline->due_ns = due_ns;
    if (due_ns < deadline->timer.time_ns) {
        weir__timer_set(&deadline->timer, deadline->sim, due_ns);
    }
}

/* The timer underneath may still fire once, without effect. */
void weir__deadline_clear(struct weir__deadline *deadline)
{
    deadline->due_ns = WEIR_NEVER_NS;
}
