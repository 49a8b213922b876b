/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/arrivals.h"

#include <stddef.h>

#include "base/unwrap.h"
#include "weir/units.h"

#define NOT_ARRIVED INT64_MIN

enum { ECN_MASK = 3, ECN_CE = 3 };

/* RFC 3550 A.1: jumps forward below MAX_DROPOUT are loss, back by less than MAX_MISORDER
 * reordering.
 */
enum { MAX_DROPOUT = 3000, MAX_MISORDER = 100 };

_Static_assert((int)MAX_MISORDER <= (int)WEIR__ARRIVALS_FIRST_SLOTS, "no late arrival is too old");

static int64_t n_slots(const struct weir__arrivals *arrivals)
{
    return (int64_t)WEIR__ARRIVALS_FIRST_SLOTS << arrivals->n_doubled;
}

static size_t index_of(const struct weir__arrivals *arrivals, int64_t seq)
{
    return (uint64_t)seq & (uint64_t)(n_slots(arrivals) - 1);
}

void weir__arrivals_restart(struct weir__arrivals *arrivals, uint16_t seq)
{
    arrivals->first = seq;
    arrivals->highest = (int64_t)seq - 1;
    arrivals->needed = seq;
    arrivals->started = true;
}

bool weir__arrivals_is_jump(const struct weir__arrivals *arrivals, uint16_t seq)
{
    if (!arrivals->started) {
        return false;
    }
    int64_t step = weir__unwrap_closest(arrivals->highest, seq, 16) - arrivals->highest;
    return step >= MAX_DROPOUT || step <= -MAX_MISORDER;
}

/* Nothing of from .. to has arrived. */
static void clear(struct weir__arrivals *arrivals, int64_t from, int64_t to)
{
    for (int64_t seq = from; seq <= to; seq++) {
        arrivals->slots[index_of(arrivals, seq)] = NOT_ARRIVED;
    }
}

/* So that what is needed of the numbers below `end` has a slot, if it can have one. Of those that
 * there are each stays, or moves into the new half. */
static void make_room(struct weir__arrivals *arrivals, int64_t end)
{
    while (end - arrivals->needed > n_slots(arrivals) && n_slots(arrivals) < WEIR__ARRIVALS_SLOTS) {
        int64_t old_slots = n_slots(arrivals);
        arrivals->first = weir__arrivals_oldest(arrivals);
        arrivals->n_doubled++;
        for (int64_t seq = arrivals->first; seq <= arrivals->highest; seq++) {
            size_t to = index_of(arrivals, seq);
            arrivals->slots[to] = arrivals->slots[to & (size_t)(old_slots - 1)];
        }
    }
}

/* A second copy: the first arrival time stays, a mark on any copy counts (RFC 8888 3.1). */
static enum weir__arrival add_duplicate(int64_t *slot, uint32_t ecn)
{
    bool marked = (*slot & ECN_MASK) != ECN_CE && (ecn & ECN_MASK) == ECN_CE;
    *slot |= marked ? ECN_CE : 0;
    return marked ? WEIR__ARRIVAL_MARKED : WEIR__ARRIVAL_DUPLICATE;
}

enum weir__arrival weir__arrivals_add(struct weir__arrivals *arrivals, uint16_t seq,
                                      int64_t arrival_ns, uint32_t ecn, int64_t *unwrapped)
{
    if (!arrivals->started) {
        weir__arrivals_restart(arrivals, seq);
    }
    int64_t number = weir__unwrap_closest(arrivals->highest, seq, 16);
    *unwrapped = number;
    if (number <= arrivals->highest - n_slots(arrivals)) {
        return WEIR__ARRIVAL_OLD;
    }
    enum weir__arrival kind = WEIR__ARRIVAL_LATE;
    arrivals->needed = weir_min_i64(arrivals->needed, number);
    if (number > arrivals->highest) {
        make_room(arrivals, number + 1);
        clear(arrivals, weir_max_i64(arrivals->highest + 1, number - n_slots(arrivals) + 1),
              number);
        arrivals->highest = number;
        kind = WEIR__ARRIVAL_NEW;
    } else if (number < arrivals->first) {
        clear(arrivals, number, arrivals->first - 1);
        arrivals->first = number;
    }
    int64_t *slot = &arrivals->slots[index_of(arrivals, number)];
    if (*slot != NOT_ARRIVED) {
        return add_duplicate(slot, ecn);
    }
    *slot = (arrival_ns & ~(int64_t)ECN_MASK) | (int64_t)(ecn & ECN_MASK);
    return kind;
}

bool weir__arrivals_get(const struct weir__arrivals *arrivals, int64_t seq, int64_t *arrival_ns,
                        uint8_t *ecn)
{
    if (!arrivals->started || seq > arrivals->highest || seq < weir__arrivals_oldest(arrivals)) {
        return false;
    }
    int64_t slot = arrivals->slots[index_of(arrivals, seq)];
    if (slot == NOT_ARRIVED) {
        return false;
    }
    *arrival_ns = slot & ~(int64_t)ECN_MASK;
    *ecn = (uint8_t)(slot & ECN_MASK);
    return true;
}

void weir__arrivals_release(struct weir__arrivals *arrivals, int64_t needed)
{
    arrivals->needed = needed;
}

int64_t weir__arrivals_oldest(const struct weir__arrivals *arrivals)
{
    return weir_max_i64(arrivals->first, arrivals->highest - n_slots(arrivals) + 1);
}
