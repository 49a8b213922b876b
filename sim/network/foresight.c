/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/foresight.h"
#include <stdlib.h>

#define FIRST_CAPACITY 256

/* An idle link's, at any time >= 0. */
enum weir_status weir__foresight_init(struct weir__foresight *foresight)
{
    *foresight = (struct weir__foresight){
        .ring = calloc(FIRST_CAPACITY, sizeof *foresight->ring),
        .capacity = FIRST_CAPACITY,
        .next_begin_ns = WEIR_NEVER_NS,
    };
    return foresight->ring ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
}

/* Accepts a zeroed one. */
void weir__foresight_finish(struct weir__foresight *foresight)
{
    free(foresight->ring);
    *foresight = (struct weir__foresight){.ring = NULL};
}

/* weir__foresight_catch_up() when there is one. It may begin at the time of the event that is
 * handled: then the order is that of an event at the end of the service before, armed at the begin
 * of that one. Which event that was is known if it came with a packet, or if somebody asked at the
 * same time; if not, and all times are equal, the event that is handled is the first. */
void weir__foresight_begin(struct weir__foresight *foresight, const struct weir__sim *sim)
{
    uint64_t n = foresight->n_begun;
    while (n < foresight->n_added && weir__foreseen_at(foresight, n + 1)->begin_ns < sim->now_ns) {
        n++;
    }
    if (n > foresight->n_begun) {
        foresight->n_begun = n;
        foresight->begun_event = UINT64_MAX;
    }
    if (n < foresight->n_added &&
        weir__sim_is_past(sim, weir__foreseen_at(foresight, n + 1)->begin_ns,
                          weir__foreseen_at(foresight, n)->begin_ns, foresight->begun_event)) {
        foresight->n_begun = n + 1;
        foresight->begun_event = sim->events - 1;
    }
    foresight->next_begin_ns = foresight->n_begun < foresight->n_added
                                   ? weir__foreseen_at(foresight, foresight->n_begun + 1)->begin_ns
                                   : WEIR_NEVER_NS;
}

/* Counts as delivered what came out behind the delay by now. */
void weir__foresight_count_out(struct weir__foresight *foresight, const struct weir__sim *sim,
                               int64_t delay_ns, struct weir__packet_counters *total)
{
    uint64_t n_before = foresight->n_out;
    uint64_t n = n_before;
    weir__foresight_catch_up(foresight, sim);
    while (n < foresight->n_begun &&
           weir__foreseen_at(foresight, n + 1)->sent_ns < sim->now_ns - delay_ns) {
        n++;
    }
    if (n < foresight->n_begun) {
        int64_t sent_ns = weir__foreseen_at(foresight, n + 1)->sent_ns;
        n += weir__sim_is_past(sim, weir_time_add_ns(sent_ns, delay_ns), sent_ns, UINT64_MAX);
    }
    foresight->n_out = n;
    total->delivered_packets += (int64_t)(n - n_before);
    total->delivered_bytes +=
        weir__foreseen_at(foresight, n)->bytes - weir__foreseen_at(foresight, n_before)->bytes;
}

static bool grow(struct weir__foresight *foresight)
{
    struct weir__foresight larger = *foresight;
    larger.capacity *= 2;
    larger.ring = calloc(larger.capacity, sizeof *larger.ring);
    if (!larger.ring) {
        return false;
    }
    for (uint64_t i = foresight->n_out; i <= foresight->n_added; i++) {
        *weir__foreseen_at(&larger, i) = *weir__foreseen_at(foresight, i);
    }
    free(foresight->ring);
    *foresight = larger;
    return true;
}

/* Room for one packet more: of those that came out, unless they are few, else new memory. false:
 * there is none. */
bool weir__foresight_make_room(struct weir__foresight *foresight, const struct weir__sim *sim,
                               int64_t delay_ns, struct weir__packet_counters *total)
{
    weir__foresight_count_out(foresight, sim, delay_ns, total);
    bool half_empty = 2 * (foresight->n_added - foresight->n_out) <= foresight->capacity;
    return half_empty || grow(foresight) || weir__foresight_has_room(foresight);
}
