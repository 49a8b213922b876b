/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the packets of a link will have been sent, known as they enter: of a link of one rate and
 * one delay, whose queue drops on arrival alone. No event ends a service: who waits and who has
 * come out is counted when somebody asks.
 *
 * Invariant: n_out <= n_begun <= n_added < n_out + capacity. */
#ifndef WEIR_SIM_FORESIGHT_H
#define WEIR_SIM_FORESIGHT_H

#include "sim/base/event.h"
#include "sim/network/counters.h"
#include "weir/status.h"
#include "weir/units.h"
#include <stdbool.h>
#include <stdint.h>

struct weir__foreseen {
    int64_t begin_ns; /* of its service */
    int64_t sent_ns;  /* end of it */
    int64_t bytes;    /* of all packets so far, with this one */
};

/* Packets are numbered from 1. */
struct weir__foresight {
    struct weir__foreseen *ring; /* by number: n_out .. n_added */
    uint64_t capacity;           /* a power of two */
    uint64_t n_added;            /* packets that entered, */
    uint64_t n_begun;            /* ... are or were being sent, as far as was counted, */
    uint64_t n_out;              /* ... and came out behind the delay, likewise */
    int64_t next_begin_ns;       /* of the service of n_begun + 1; WEIR_NEVER_NS: there is none */
    uint64_t begun_event; /* in which the service of n_begun began, or after which; for ties */
};

enum weir_status weir__foresight_init(struct weir__foresight *foresight);
void weir__foresight_finish(struct weir__foresight *foresight);
bool weir__foresight_make_room(struct weir__foresight *foresight, const struct weir__sim *sim,
                               int64_t delay_ns, struct weir__packet_counters *total);
void weir__foresight_begin(struct weir__foresight *foresight, const struct weir__sim *sim);
void weir__foresight_count_out(struct weir__foresight *foresight, const struct weir__sim *sim,
                               int64_t delay_ns, struct weir__packet_counters *total);

static inline struct weir__foreseen *weir__foreseen_at(const struct weir__foresight *foresight,
                                                       uint64_t number)
{
    return &foresight->ring[number & (foresight->capacity - 1)];
}

/* Lets the services begin that begin by now. */
static inline void weir__foresight_catch_up(struct weir__foresight *foresight,
                                            const struct weir__sim *sim)
{
    if (foresight->next_begin_ns <= sim->now_ns) {
        weir__foresight_begin(foresight, sim);
    }
}

/* Those that wait, without the one being sent, as of the last call of catch_up(): since then there
 * may have become fewer. */
static inline int64_t weir__foresight_packets(const struct weir__foresight *foresight)
{
    return (int64_t)(foresight->n_added - foresight->n_begun);
}

/* Likewise. */
static inline int64_t weir__foresight_bytes(const struct weir__foresight *foresight)
{
    return weir__foreseen_at(foresight, foresight->n_added)->bytes -
           weir__foreseen_at(foresight, foresight->n_begun)->bytes;
}

/* When all will have been sent. */
static inline int64_t weir__foresight_free_ns(const struct weir__foresight *foresight)
{
    return weir__foreseen_at(foresight, foresight->n_added)->sent_ns;
}

static inline bool weir__foresight_has_room(const struct weir__foresight *foresight)
{
    return foresight->n_added - foresight->n_out + 1 < foresight->capacity;
}

/* A packet enters, whose service takes send_ns > 0; there is room. Returns when it will have been
 * sent. */
static inline int64_t weir__foresight_add(struct weir__foresight *foresight,
                                          const struct weir__sim *sim, int64_t size_bytes,
                                          int64_t send_ns)
{
    const struct weir__foreseen *last = weir__foreseen_at(foresight, foresight->n_added);
    int64_t begin_ns = weir_max_i64(sim->now_ns, last->sent_ns);
    int64_t sent_ns = weir_time_add_ns(begin_ns, send_ns);
    int64_t bytes = last->bytes + size_bytes;
    foresight->n_added++;
    *weir__foreseen_at(foresight, foresight->n_added) =
        (struct weir__foreseen){.begin_ns = begin_ns, .sent_ns = sent_ns, .bytes = bytes};
    if (begin_ns == sim->now_ns) {
        foresight->n_begun = foresight->n_added;
        foresight->next_begin_ns = WEIR_NEVER_NS;
        foresight->begun_event = sim->events;
    } else if (foresight->n_begun + 1 == foresight->n_added) {
        foresight->next_begin_ns = begin_ns;
    }
    return sent_ns;
}

#endif
