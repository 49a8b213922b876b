/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/receive_set.h"

#include <math.h>
#include <string.h>

void weir__receive_set_init(struct weir__receive_set *set, int64_t now_ns)
{
    *set = (struct weir__receive_set){.entries = {{.infinite = true, .at_ns = now_ns}}, .n = 1};
}

static void drop_oldest(struct weir__receive_set *set)
{
    set->n--;
    memmove(set->entries, set->entries + 1, set->n * sizeof(set->entries[0]));
}

void weir__receive_set_update(struct weir__receive_set *set, double value, int64_t now_ns,
                              int64_t max_age_ns)
{
    while (set->n > 0 &&
           (set->n == WEIR__RECEIVE_SET_ENTRIES || now_ns - set->entries[0].at_ns > max_age_ns)) {
        drop_oldest(set);
    }
    set->entries[set->n++] = (struct weir__receive_set_entry){.value = value, .at_ns = now_ns};
}

void weir__receive_set_maximize(struct weir__receive_set *set, double value, int64_t now_ns)
{
    weir__receive_set_assign(set, fmax(value, weir__receive_set_max(set)), now_ns);
}

void weir__receive_set_assign(struct weir__receive_set *set, double value, int64_t now_ns)
{
    *set = (struct weir__receive_set){.entries = {{.value = value, .at_ns = now_ns}}, .n = 1};
}

void weir__receive_set_scale(struct weir__receive_set *set, double factor)
{
    for (size_t i = 0; i < set->n; i++) {
        set->entries[i].value *= factor;
    }
}

bool weir__receive_set_is_infinite(const struct weir__receive_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        if (set->entries[i].infinite) {
            return true;
        }
    }
    return false;
}

double weir__receive_set_max(const struct weir__receive_set *set)
{
    double max = 0.0;
    for (size_t i = 0; i < set->n; i++) {
        max = fmax(max, set->entries[i].value);
    }
    return max;
}
