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
    };
    return foresight->ring ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
}

/* Accepts a zeroed one. */
void weir__foresight_finish(struct weir__foresight *foresight)
{
    free(foresight->ring);
    *foresight = (struct weir__foresight){.ring = NULL};
}

/* The last packet that had been sent before a time, of those that have been sent and are not
 * counted yet; n_out: none. */
static uint64_t last_sent_before(const struct weir__foresight *foresight, int64_t time_ns)
{
    uint64_t sent = foresight->n_out;
    uint64_t end = foresight->n_sent + 1;
    while (end - sent > 1) {
        uint64_t middle = sent + (end - sent) / 2;
        if (weir__foreseen_at(foresight, middle)->sent_ns < time_ns) {
            sent = middle;
        } else {
            end = middle;
        }
    }
    return sent;
}

/* Counts as delivered what came out behind the delay by now. */
void weir__foresight_count_out(struct weir__foresight *foresight, const struct weir__sim *sim,
                               int64_t delay_ns, struct weir__packet_counters *total)
{
    uint64_t n_before = foresight->n_out;
    weir__foresight_catch_up(foresight, sim);
    uint64_t n = last_sent_before(foresight, sim->now_ns - delay_ns);
    if (n < foresight->n_sent) {
        int64_t sent_ns = weir__foreseen_at(foresight, n + 1)->sent_ns;
        n += weir__sim_is_past(sim, weir_time_add_ns(sent_ns, delay_ns), sent_ns);
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
