/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the packets of a link will have been sent, known as they enter: of a link of one rate and
 * one delay, whose queue drops on arrival alone. No event ends a service: what has been sent and
 * what has come out is counted when somebody asks. A service that ends now has ended if it began
 * before the event that is handled was armed, or at the same time: as for a packet that enters any
 * link (link.c). In which event it began, then, need not be known.
 *
 * Invariant: n_out <= n_sent <= n_added < n_out + capacity. */
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
    uint64_t n_sent;             /* ... have been sent, as far as was counted, */
    uint64_t n_out;              /* ... and came out behind the delay, likewise */
};

enum weir_status weir__foresight_init(struct weir__foresight *foresight);
void weir__foresight_finish(struct weir__foresight *foresight);
bool weir__foresight_make_room(struct weir__foresight *foresight, const struct weir__sim *sim,
                               int64_t delay_ns, struct weir__packet_counters *total);
void weir__foresight_count_out(struct weir__foresight *foresight, const struct weir__sim *sim,
                               int64_t delay_ns, struct weir__packet_counters *total);

static inline struct weir__foreseen *weir__foreseen_at(const struct weir__foresight *foresight,
                                                       uint64_t number)
{
    return &foresight->ring[number & (foresight->capacity - 1)];
}

/* Counts what has been sent by now. */
static inline void weir__foresight_catch_up(struct weir__foresight *foresight,
                                            const struct weir__sim *sim)
{
    int64_t now_ns = sim->now_ns;
    uint64_t n = foresight->n_sent;
    while (n < foresight->n_added && weir__foreseen_at(foresight, n + 1)->sent_ns < now_ns) {
        n++;
    }
    const struct weir__foreseen *next = weir__foreseen_at(foresight, n + 1);
    bool ends_first = next->sent_ns == now_ns && next->begin_ns <= sim->armed_ns;
    foresight->n_sent = n + (n < foresight->n_added && ends_first);
}

/* Those that wait, without the one being sent, as of the last call of catch_up(): since then there
 * may have become fewer. */
static inline int64_t weir__foresight_packets(const struct weir__foresight *foresight)
{
    uint64_t inside = foresight->n_added - foresight->n_sent;
    return inside > 0 ? (int64_t)inside - 1 : 0;
}

/* Likewise. */
static inline int64_t weir__foresight_bytes(const struct weir__foresight *foresight)
{
    uint64_t n_begun = foresight->n_sent + (foresight->n_sent < foresight->n_added);
    return weir__foreseen_at(foresight, foresight->n_added)->bytes -
           weir__foreseen_at(foresight, n_begun)->bytes;
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
    return sent_ns;
}

#endif
