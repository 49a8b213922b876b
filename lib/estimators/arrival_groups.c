/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/arrival_groups.h"

#include "base/unwrap.h"
#include "weir/units.h"

#define BURST_GAP_NS    WEIR_MS(5)
#define BURST_LENGTH_NS WEIR_MS(100)
#define CLOCK_JUMP_NS   WEIR_SECONDS(3)
#define MAX_REORDERED   3

static bool is_same_burst(const struct weir__arrival_group *group, int64_t sent_ns,
                          int64_t arrived_ns)
{
    int64_t arrival_gap_ns = weir__time_diff_ns(arrived_ns, group->last_arrived_ns);
    int64_t departure_gap_ns = weir__time_diff_ns(sent_ns, group->last_sent_ns);
    return departure_gap_ns == 0 ||
           (arrival_gap_ns < departure_gap_ns && arrival_gap_ns <= BURST_GAP_NS &&
            weir__time_diff_ns(arrived_ns, group->first_arrived_ns) < BURST_LENGTH_NS);
}

static bool is_new_group(const struct weir__arrival_group *group, int64_t length_ns,
                         int64_t sent_ns, int64_t arrived_ns)
{
    return !is_same_burst(group, sent_ns, arrived_ns) &&
           weir__time_diff_ns(sent_ns, group->first_sent_ns) > length_ns;
}

static void reset(struct weir__arrival_groups *groups)
{
    *groups = (struct weir__arrival_groups){0};
}

/* The delta of the two complete groups; false when a clock or the order makes it void. */
static bool compare(struct weir__arrival_groups *groups, struct weir__group_delta *delta)
{
    const struct weir__arrival_group *new = &groups->current;
    const struct weir__arrival_group *old = &groups->previous;
    delta->sent_ns = weir__time_diff_ns(new->last_sent_ns, old->last_sent_ns);
    delta->arrived_ns = weir__time_diff_ns(new->last_arrived_ns, old->last_arrived_ns);
    if (weir__time_diff_ns(delta->arrived_ns, new->told_ns - old->told_ns) >= CLOCK_JUMP_NS) {
        reset(groups);
        return false;
    }
    if (delta->arrived_ns < 0) {
        groups->n_reordered++;
        if (groups->n_reordered >= MAX_REORDERED) {
            reset(groups);
        }
        return false;
    }
    groups->n_reordered = 0;
    return true;
}

bool weir__arrival_groups_add(struct weir__arrival_groups *groups, int64_t length_ns,
                              int64_t sent_ns, int64_t arrived_ns, int64_t told_ns,
                              struct weir__group_delta *delta)
{
    struct weir__arrival_group *current = &groups->current;
    bool compared = false;
    if (current->known && weir__time_diff_ns(sent_ns, current->first_sent_ns) < 0) {
        return false;
    }
    if (current->known && is_new_group(current, length_ns, sent_ns, arrived_ns)) {
        if (groups->previous.known) {
            compared = compare(groups, delta);
            if (!compared) {
                return false;
            }
        }
        groups->previous = *current;
        current->known = false;
    }
    if (!current->known) {
        *current = (struct weir__arrival_group){.known = true,
                                                .first_sent_ns = sent_ns,
                                                .last_sent_ns = sent_ns,
                                                .first_arrived_ns = arrived_ns};
    }
    if (weir__time_diff_ns(sent_ns, current->last_sent_ns) > 0) {
        current->last_sent_ns = sent_ns;
    }
    current->last_arrived_ns = arrived_ns;
    current->told_ns = told_ns;
    return compared;
}
