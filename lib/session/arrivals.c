/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/arrivals.h"

#include "base/unwrap.h"
#include "weir/units.h"

#define NOT_ARRIVED INT64_MIN

enum { ECN_MASK = 3, ECN_CE = 3 };

/* RFC 3550 A.1: jumps forward below MAX_DROPOUT are loss, back by less than MAX_MISORDER
 * reordering.
 */
enum { MAX_DROPOUT = 3000, MAX_MISORDER = 100 };

static int64_t *slot_of(struct weir__arrivals *arrivals, int64_t seq)
{
    return &arrivals->slots[(uint64_t)seq % WEIR__ARRIVALS_SLOTS];
}

void weir__arrivals_restart(struct weir__arrivals *arrivals, uint16_t seq)
{
    arrivals->first = seq;
    arrivals->highest = (int64_t)seq - 1;
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
        *slot_of(arrivals, seq) = NOT_ARRIVED;
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
    if (number <= arrivals->highest - WEIR__ARRIVALS_SLOTS) {
        return WEIR__ARRIVAL_OLD;
    }
    enum weir__arrival kind = WEIR__ARRIVAL_LATE;
    if (number > arrivals->highest) {
        clear(arrivals, weir_max_i64(arrivals->highest + 1, number - WEIR__ARRIVALS_SLOTS + 1),
              number);
        arrivals->highest = number;
        kind = WEIR__ARRIVAL_NEW;
    } else if (number < arrivals->first) {
        clear(arrivals, number, arrivals->first - 1);
        arrivals->first = number;
    }
    int64_t *slot = slot_of(arrivals, number);
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
    int64_t slot = arrivals->slots[(uint64_t)seq % WEIR__ARRIVALS_SLOTS];
    if (slot == NOT_ARRIVED) {
        return false;
    }
    *arrival_ns = slot & ~(int64_t)ECN_MASK;
    *ecn = (uint8_t)(slot & ECN_MASK);
    return true;
}

int64_t weir__arrivals_oldest(const struct weir__arrivals *arrivals)
{
    return weir_max_i64(arrivals->first, arrivals->highest - WEIR__ARRIVALS_SLOTS + 1);
}
