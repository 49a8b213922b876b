/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A 4-ary heap: half as deep as a binary one, and the four children are neighbours in memory.
 * Where each timer is in the heap is kept in an array, not in the timers: those are spread over
 * all flows, and moving an event would pull them into the cache. */
#include "sim/event.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>

#define CHILDREN       4
#define FIRST_CAPACITY 64
#define MOST_TIMERS    (UINT32_C(1) << WEIR__TIMER_ID_BITS)
#define CACHE_LINE     64

/* A simulation at time 0 without timers. Allocates nothing yet. */
void weir__sim_init(struct weir__sim *sim)
{
    *sim = (struct weir__sim){.now_ns = 0};
}

/* Frees the heap; the timers belong to their objects. Accepts a zeroed sim. */
void weir__sim_finish(struct weir__sim *sim)
{
    free(sim->heap_memory);
    free(sim->timers);
    free(sim->slots);
    weir__sim_init(sim);
}

/* 1 or 0, without a branch that the processor could not predict. */
static uint32_t is_before(struct weir__event a, struct weir__event b)
{
    return (uint32_t)(a.time_ns < b.time_ns) |
           ((uint32_t)(a.time_ns == b.time_ns) & (uint32_t)(a.order_and_id < b.order_and_id));
}

static uint32_t id_of(struct weir__event event)
{
    return (uint32_t)event.order_and_id & (MOST_TIMERS - 1);
}

static void put(struct weir__sim *sim, uint32_t slot, struct weir__event event)
{
    sim->heap[slot] = event;
    sim->slots[id_of(event)] = slot;
}

/* Moves a hole at `slot` towards the root until `event` fits into it. */
static void sift_up(struct weir__sim *sim, uint32_t slot, struct weir__event event)
{
    while (slot > 0) {
        uint32_t parent = (slot - 1) / CHILDREN;
        if (!is_before(event, sim->heap[parent])) {
            break;
        }
        put(sim, slot, sim->heap[parent]);
        slot = parent;
    }
    put(sim, slot, event);
}

/* The earliest of the children from `first` (< n_armed) on. */
static uint32_t least_child(const struct weir__sim *sim, uint32_t first)
{
    const struct weir__event *heap = sim->heap;
    if (first + CHILDREN <= sim->n_armed) {
        uint32_t left = first + is_before(heap[first + 1], heap[first]);
        uint32_t right = first + 2 + is_before(heap[first + 3], heap[first + 2]);
        return is_before(heap[right], heap[left]) ? right : left;
    }
    uint32_t least = first;
    for (uint32_t child = first + 1; child < sim->n_armed; child++) {
        least = is_before(heap[child], heap[least]) ? child : least;
    }
    return least;
}

/* Moves a hole at `slot` towards the leaves until `event` fits into it. */
static void sift_down(struct weir__sim *sim, uint32_t slot, struct weir__event event)
{
    for (uint32_t first = slot * CHILDREN + 1; first < sim->n_armed; first = slot * CHILDREN + 1) {
        uint32_t least = least_child(sim, first);
        if (!is_before(sim->heap[least], event)) {
            break;
        }
        put(sim, slot, sim->heap[least]);
        slot = least;
    }
    put(sim, slot, event);
}

/* Fills the hole at `slot` with the last event of the heap. */
static void remove_slot(struct weir__sim *sim, uint32_t slot)
{
    sim->n_armed--;
    if (slot == sim->n_armed) {
        return;
    }
    struct weir__event last = sim->heap[sim->n_armed];
    if (slot > 0 && is_before(last, sim->heap[(slot - 1) / CHILDREN])) {
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
    struct weir__timer *timer = sim->timers[id_of(sim->heap[0])];
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

/* heap[1], the first of the root's children, is brought to the start of a cache line. */
static enum weir_status grow_heap(struct weir__sim *sim, uint32_t capacity)
{
    char *memory = malloc((capacity + 1) * sizeof(struct weir__event) + CACHE_LINE);
    if (!memory) {
        return WEIR_ERROR_NO_MEMORY;
    }
    size_t first_child = (size_t)((uintptr_t)memory + sizeof(struct weir__event)) % CACHE_LINE;
    size_t offset = (CACHE_LINE - first_child) % CACHE_LINE;
    struct weir__event *heap = (struct weir__event *)(void *)(memory + offset);
    if (sim->n_armed > 0) {
        memcpy(heap, sim->heap, sim->n_armed * sizeof *heap);
    }
    free(sim->heap_memory);
    sim->heap_memory = memory;
    sim->heap = heap;
    return WEIR_OK;
}

/* Room for twice as many timers. One slot more than timers is needed: while a handler runs, its
 * event keeps the root. */
static enum weir_status grow(struct weir__sim *sim)
{
    uint32_t capacity = sim->capacity > 0 ? 2 * sim->capacity : FIRST_CAPACITY;
    if (capacity > MOST_TIMERS) {
        return WEIR_ERROR_NO_SPACE;
    }
    struct weir__timer **timers = realloc(sim->timers, capacity * sizeof *timers);
    if (timers) {
        sim->timers = timers;
    }
    uint32_t *slots = realloc(sim->slots, capacity * sizeof *slots);
    if (slots) {
        sim->slots = slots;
    }
    if (!timers || !slots || grow_heap(sim, capacity) != WEIR_OK) {
        return WEIR_ERROR_NO_MEMORY;
    }
    sim->capacity = capacity;
    return WEIR_OK;
}

/* Registers a timer, not armed. Grows the heap by doubling: call it when flows and links are
 * created, not per packet. */
enum weir_status weir__timer_init(struct weir__timer *timer, struct weir__sim *sim,
                                  void (*on_time)(void *target), void *target)
{
    if (sim->n_timers == sim->capacity) {
        enum weir_status status = grow(sim);
        if (status != WEIR_OK) {
            return status;
        }
    }
    *timer = (struct weir__timer){
        .on_time = on_time, .target = target, .time_ns = WEIR_NEVER_NS, .id = sim->n_timers};
    sim->timers[sim->n_timers] = timer;
    sim->n_timers++;
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
        .time_ns = weir_max_i64(time_ns, sim->now_ns),
        .order_and_id = sim->next_order++ << WEIR__TIMER_ID_BITS | timer->id,
    };
    timer->time_ns = event.time_ns;
    if (armed) {
        uint32_t slot = sim->slots[timer->id];
        if (is_before(event, sim->heap[slot])) {
            sift_up(sim, slot, event);
        } else {
            sift_down(sim, slot, event);
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
        remove_slot(sim, sim->slots[timer->id]);
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
