/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hierarchical timing wheel (Varghese and Lauck 1987) that keeps the exact order. A time is a
 * number of digits: the lowest has 12 bits and its unit is a power of two of nanoseconds, the
 * others have six. A timer is in the level of the highest digit in which its time differs from the
 * wheel's, in the slot of its own digit there. So the first slot in use of the lowest level has the
 * earliest timers. When the wheel's time enters a slot of a higher level, what is in it moves to
 * lower levels; nothing else changes place, because all other timers still differ from the wheel's
 * time in the same digit.
 *
 * Timers of equal times are always in the same ring, and rings keep the order of arming: the first
 * of the least times is the next to fire. The unit follows the mean time between events, as in a
 * calendar queue (Brown 1988), so that there are few timers in a slot of the lowest level, and is 1
 * ns when there are many all the same, as when flows start together; nothing but speed depends on
 * it. */
#include "sim/base/event.h"
#include "base/prefetch.h"
#include "sim/base/bits.h"
#include "weir/units.h"
#include <stdbool.h>
#include <string.h>

#define NEAR_BITS    12
#define NEAR_SLOTS   (1U << NEAR_BITS)
#define DIGIT_BITS   6
#define DIGITS       (1U << DIGIT_BITS)
#define FAR_LEVELS   9  /* 63 bits of time, of which the nearest level has at least 12 */
#define FIRST_SHIFT  14 /* of the unit: 16 us */
#define MOST_SHIFT   40
#define TUNE_EVENTS  1024
#define TIMERS_AHEAD 3
/* Timers in a slot of the lowest level: more are not searched, and those of one time fire in the
 * order of arming, also if armed ahead. */
#define CROWD 64

/* Slots 0 .. NEAR_SLOTS - 1 are those of the lowest level, then come the higher levels. */
_Static_assert(WEIR__EVENT_WORDS == NEAR_SLOTS / DIGITS + FAR_LEVELS, "a word for 64 slots");

/* A simulation at time 0 without timers. */
void weir__sim_init(struct weir__sim *sim)
{
    memset(sim, 0, sizeof *sim);
    sim->armed_ns = WEIR_NEVER_NS;
    sim->slots.shift = FIRST_SHIFT;
}

/* Where a time belongs that differs from the wheel's above the lowest digit. */
static uint32_t far_slot_of(uint64_t unit, uint64_t differs)
{
    uint32_t level = weir__highest_bit(differs >> NEAR_BITS) / DIGIT_BITS;
    uint32_t digit = (uint32_t)(unit >> (NEAR_BITS + level * DIGIT_BITS)) & (DIGITS - 1);
    return NEAR_SLOTS + (level << DIGIT_BITS | digit);
}

/* Appends the timer to the ring of the slot that its time belongs to. */
static inline void insert(struct weir__event_slots *slots, struct weir__timer *timer)
{
    uint64_t unit = (uint64_t)timer->time_ns >> slots->shift;
    uint64_t differs = unit ^ slots->wheel;
    uint32_t slot = (uint32_t)unit & (NEAR_SLOTS - 1);
    if (differs >= NEAR_SLOTS) {
        slot = far_slot_of(unit, differs);
    }
    struct weir__timer *first = slots->first[slot];
    timer->slot = slot;
    if (first) {
        timer->next = first;
        timer->prev = first->prev;
        timer->prev->next = timer;
        first->prev = timer;
        return;
    }
    timer->next = timer;
    timer->prev = timer;
    slots->first[slot] = timer;
    slots->words[slot / DIGITS] |= UINT64_C(1) << slot % DIGITS;
    slots->used[slot / NEAR_SLOTS] |= UINT64_C(1) << slot / DIGITS % DIGITS;
}

static void mark_empty(struct weir__event_slots *slots, uint32_t slot)
{
    uint64_t word = slots->words[slot / DIGITS] & ~(UINT64_C(1) << slot % DIGITS);
    slots->first[slot] = NULL;
    slots->words[slot / DIGITS] = word;
    if (word == 0) {
        slots->used[slot / NEAR_SLOTS] &= ~(UINT64_C(1) << slot / DIGITS % DIGITS);
    }
}

static void take_out(struct weir__event_slots *slots, struct weir__timer *timer)
{
    if (timer == slots->ahead) {
        slots->ahead = NULL;
    }
    if (timer->next == timer) {
        mark_empty(slots, timer->slot);
        return;
    }
    timer->prev->next = timer->next;
    timer->next->prev = timer->prev;
    if (slots->first[timer->slot] == timer) {
        slots->first[timer->slot] = timer->next;
    }
}

static bool is_empty(const struct weir__event_slots *slots)
{
    return (slots->used[0] | slots->used[1]) == 0;
}

static uint32_t first_slot_of(const struct weir__event_slots *slots, uint32_t word)
{
    return word * DIGITS + weir__lowest_bit(slots->words[word]);
}

/* The slot of a higher level with the earliest timers; there must be one. */
static uint32_t first_far_slot(const struct weir__event_slots *slots)
{
    return first_slot_of(slots, NEAR_SLOTS / DIGITS + weir__lowest_bit(slots->used[1]));
}

/* The slot with the earliest timers; there must be one. */
static uint32_t first_slot(const struct weir__event_slots *slots)
{
    return slots->used[0] != 0 ? first_slot_of(slots, weir__lowest_bit(slots->used[0]))
                               : first_far_slot(slots);
}

static bool fires_before(const struct weir__timer *a, const struct weir__timer *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->armed_ns < b->armed_ns;
}

/* In the ring of `first`: the first armed of those with the least time. NULL: the ring is longer
 * than `most`. */
static struct weir__timer *earliest_of(struct weir__timer *first, size_t most)
{
    struct weir__timer *earliest = first;
    struct weir__timer *timer = first->next;
    for (; timer != first && most > 1; timer = timer->next, most--) {
        earliest = fires_before(timer, earliest) ? timer : earliest;
    }
    return timer == first ? earliest : NULL;
}

/* Moves what is in the slot to where it belongs at the wheel's present time and unit. Of thousands
 * of timers none is in the processor's cache, and where the next one is says only the one before: a
 * second walk from the end, to the middle, lets two be under way at a time. */
static void spread(struct weir__event_slots *slots, uint32_t slot)
{
    struct weir__timer *first = slots->first[slot];
    struct weir__timer *last = first->prev;
    struct weir__timer *ahead = last;
    mark_empty(slots, slot);
    last->next = NULL;
    for (struct weir__timer *timer = first, *next; timer; timer = next) {
        next = timer->next;
        if (ahead) {
            ahead = ahead == timer || ahead == next ? NULL : ahead->prev;
        }
        insert(slots, timer);
    }
}

/* Moves the wheel's time to the start of a slot of a higher level, unless that is later than
 * limit_ns.
 */
static bool enter(struct weir__event_slots *slots, uint32_t slot, int64_t limit_ns)
{
    uint32_t level = (slot - NEAR_SLOTS) / DIGITS;
    uint32_t bits = NEAR_BITS + level * DIGIT_BITS;
    uint64_t above = bits + DIGIT_BITS < 64 ? UINT64_MAX << (bits + DIGIT_BITS) : 0;
    uint64_t start = (slots->wheel & above) | (uint64_t)(slot % DIGITS) << bits;
    if (start << slots->shift > (uint64_t)limit_ns) {
        return false;
    }
    slots->wheel = start;
    spread(slots, slot);
    slots->ahead = slots->used[1] != 0 ? slots->first[first_far_slot(slots)] : NULL;
    return true;
}

/* Puts all timers in their places for another unit. Slots in order, and each ring in its order:
 * what is in the same slot before and after keeps its order. */
static void change_unit(struct weir__event_slots *slots, uint32_t shift)
{
    struct weir__timer *all = NULL;
    struct weir__timer **end = &all;
    slots->ahead = NULL;
    while (!is_empty(slots)) {
        uint32_t slot = first_slot(slots);
        struct weir__timer *first = slots->first[slot];
        *end = first;
        end = &first->prev->next;
        mark_empty(slots, slot);
    }
    *end = NULL;
    slots->wheel = slots->wheel << slots->shift >> shift;
    slots->shift = shift;
    for (struct weir__timer *timer = all, *next; timer; timer = next) {
        next = timer->next;
        insert(slots, timer);
    }
}

/* A unit of a quarter to an eighth of the mean time between events, now and then. */
static void tune(struct weir__sim *sim)
{
    struct weir__event_slots *slots = &sim->slots;
    uint64_t events = sim->events - slots->tuned_events;
    if (events < TUNE_EVENTS || events < 4 * (uint64_t)slots->n_timers) {
        return;
    }
    uint64_t spacing_ns = (uint64_t)(sim->now_ns - slots->tuned_ns) / events;
    uint32_t shift = 0;
    while (shift < MOST_SHIFT && spacing_ns >> (shift + 3) != 0) {
        shift++;
    }
    slots->tuned_events = sim->events;
    slots->tuned_ns = sim->now_ns;
    if (shift > slots->shift + 1 || shift + 1 < slots->shift) {
        change_unit(slots, shift);
    }
}

/* Time of the earliest event, WEIR_NEVER_NS when there is none. */
int64_t weir__sim_next_event_ns(const struct weir__sim *sim)
{
    const struct weir__event_slots *slots = &sim->slots;
    return is_empty(slots) ? WEIR_NEVER_NS
                           : earliest_of(slots->first[first_slot(slots)], SIZE_MAX)->time_ns;
}

/* While an event is handled, the wheel stands in the lowest level's turn of the present time: what
 * is due now is in one slot. */
bool weir__sim_is_alone(const struct weir__sim *sim)
{
    uint64_t unit = (uint64_t)sim->now_ns >> sim->slots.shift;
    return !sim->slots.first[unit & (NEAR_SLOTS - 1)];
}

/* The timer is the next event. */
static inline void fire(struct weir__sim *sim, struct weir__timer *timer)
{
    sim->now_ns = timer->time_ns;
    sim->armed_ns = timer->armed_ns;
    sim->events++;
    timer->time_ns = WEIR_NEVER_NS;
    timer->on_time(timer->target);
}

/* Where the next timer of a ring is says only the one before: the ring that is spread next is
 * walked one timer per event, so that none of them has to be waited for. */
static inline void walk_ahead(struct weir__event_slots *slots)
{
    const struct weir__timer *at = slots->ahead;
    if (at) {
        struct weir__timer *next = at->next;
        weir__prefetch(next, sizeof *next);
        slots->ahead = next == slots->first[at->slot] ? NULL : next;
    }
}

/* With thousands of timers neither they nor what they serve are in the processor's cache: the
 * timers behind the next are asked for, and the next may ask for what it serves. `bits` are the
 * slots of a word behind the one at hand. */
static inline void look_ahead(const struct weir__event_slots *slots, uint32_t word, uint64_t bits)
{
    if (bits == 0) {
        return;
    }
    struct weir__timer *const *first = &slots->first[word * DIGITS];
    const struct weir__timer *next = first[weir__lowest_bit(bits)];
    bits &= bits - 1;
    for (int i = 0; i < TIMERS_AHEAD && bits != 0; i++, bits &= bits - 1) {
        weir__prefetch(first[weir__lowest_bit(bits)], sizeof *next);
    }
    if (next->on_approach) {
        next->on_approach(next->target);
    }
}

/* Several timers are in the first slot of the lowest level: fires the earliest, or changes the unit
 * when there are too many to search; false when it is later than limit_ns. */
static bool fire_of_several(struct weir__sim *sim, struct weir__timer *first, int64_t limit_ns)
{
    struct weir__event_slots *slots = &sim->slots;
    struct weir__timer *timer = earliest_of(first, CROWD);
    if (!timer && slots->shift > 0) {
        change_unit(slots, 0);
        return true;
    }
    timer = timer ? timer : first; /* with a unit of 1 ns all have one time */
    if (timer->time_ns > limit_ns) {
        return false;
    }
    take_out(slots, timer);
    fire(sim, timer);
    return true;
}

/* Fires the earliest timer, or gets closer to it; false when it is later than limit_ns. In most
 * slots there is one timer: its way is the short one. */
static inline bool fire_next(struct weir__sim *sim, int64_t limit_ns)
{
    struct weir__event_slots *slots = &sim->slots;
    uint64_t near = slots->used[0];
    if (near == 0) {
        return slots->used[1] != 0 && enter(slots, first_slot(slots), limit_ns);
    }
    uint32_t word = weir__lowest_bit(near);
    uint64_t bits = slots->words[word];
    uint32_t slot = word * DIGITS + weir__lowest_bit(bits);
    struct weir__timer *timer = slots->first[slot];
    if (timer->next != timer) {
        return fire_of_several(sim, timer, limit_ns);
    }
    if (timer->time_ns > limit_ns) {
        return false;
    }
    bits &= bits - 1; /* without the lowest */
    slots->first[slot] = NULL;
    slots->words[word] = bits;
    slots->used[0] = bits != 0 ? near : near & (near - 1);
    if (weir__sim_is_crowded(sim)) {
        walk_ahead(slots);
        look_ahead(slots, word, bits);
    }
    fire(sim, timer);
    return true;
}

/* Handles every event up to and including now_ns, then stands at now_ns; a time before the
 * simulation's own does nothing. */
void weir__sim_run_until(struct weir__sim *sim, int64_t now_ns)
{
    if (now_ns < sim->now_ns) {
        return;
    }
    while (fire_next(sim, now_ns)) {
        if (sim->events % TUNE_EVENTS == 0) {
            tune(sim);
        }
    }
    sim->now_ns = weir_max_i64(sim->now_ns, now_ns);
    sim->armed_ns = WEIR_NEVER_NS;
}

/* A timer, not armed. */
void weir__timer_init(struct weir__timer *timer, struct weir__sim *sim,
                      void (*on_time)(void *target), void *target)
{
    *timer = (struct weir__timer){.on_time = on_time, .target = target, .time_ns = WEIR_NEVER_NS};
    sim->slots.n_timers++;
}

/* A timer that is not armed is left alone. */
static void disarm(struct weir__timer *timer, struct weir__sim *sim)
{
    if (timer->time_ns != WEIR_NEVER_NS) {
        timer->time_ns = WEIR_NEVER_NS;
        take_out(&sim->slots, timer);
    }
}

/* Arms a timer that is not armed as if it were done at armed_ns: now_ns <= armed_ns <= time_ns. */
void weir__timer_arm(struct weir__timer *timer, struct weir__sim *sim, int64_t time_ns,
                     int64_t armed_ns)
{
    timer->time_ns = time_ns;
    timer->armed_ns = armed_ns;
    if (time_ns != WEIR_NEVER_NS) {
        insert(&sim->slots, timer);
    }
}

/* Arms or re-arms. Times in the past count as now; WEIR_NEVER_NS cancels. */
void weir__timer_set(struct weir__timer *timer, struct weir__sim *sim, int64_t time_ns)
{
    disarm(timer, sim);
    weir__timer_arm(timer, sim, weir_max_i64(time_ns, sim->now_ns), sim->now_ns);
}

/* Also NULL. */
void weir__timer_on_approach(struct weir__timer *timer, void (*on_approach)(void *target))
{
    timer->on_approach = on_approach;
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

static void deadline_on_approach(void *target)
{
    const struct weir__deadline *deadline = target;
    if (deadline->due_ns <= deadline->timer.time_ns) { /* else it has moved: nobody is called */
        deadline->on_approach(deadline->target);
    }
}

void weir__deadline_on_approach(struct weir__deadline *deadline, void (*on_approach)(void *target))
{
    deadline->on_approach = on_approach;
    weir__timer_on_approach(&deadline->timer, deadline_on_approach);
}

/* A deadline, not set. */
void weir__deadline_init(struct weir__deadline *deadline, struct weir__sim *sim,
                         void (*on_time)(void *target), void *target)
{
    *deadline = (struct weir__deadline){
        .sim = sim, .due_ns = WEIR_NEVER_NS, .on_time = on_time, .target = target};
    weir__timer_init(&deadline->timer, sim, deadline_on_timer, deadline);
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
