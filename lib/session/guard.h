/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plausibility of feedback: what SECURITY.md promises about it, apart from what other files cannot
 * get wrong by construction.
 *
 * Invariant: ceiling_bps <= max(start_bps, WEIR__GUARD_GROWTH * the highest rate, over a window of
 * at least 50 ms within the last ~10 s, at which packets that were reported received had really
 * been sent). Arrival times have no part in it.
 *
 * A source that has paused for longer, with nothing waiting to be sent, may begin with half of what
 * it had proved before, and with the rest when that has arrived: by now the path may be another
 * (Careful Resume, RFC 9959). A pause of five minutes leaves nothing of it (RFC 7661 4.4.3), nor do
 * ten seconds of sending: then that has been proved anew, or it was wrong. */
#ifndef WEIR_GUARD_H
#define WEIR_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "session/rate_meter.h"
#include "weir/units.h"

enum {
    /* Datagrams that are read; also the largest bursts. A reporter that proved itself may report on
     * every packet of 10 Mbit/s. Of strangers so many that a newcomer who reports 20 times a second
     * is heard within one, whatever else comes, up to 2000 datagrams a second. */
    WEIR__GUARD_REPORTER_PER_S = 1000,
    WEIR__GUARD_STRANGERS_PER_S = 100, /* all together */
    WEIR__GUARD_GROWTH = 2,
    WEIR__GUARD_SECONDS = 10
};

/* No packet can be acknowledged sooner. */
#define WEIR__GUARD_MIN_RTT_NS WEIR_US(100)
/* How much a hold time can be too long by rounding: one unit of CCFB's arrival time offset. */
#define WEIR__GUARD_HOLD_ROUNDING_NS WEIR_US(977)

/* A token bucket, kept as the time at which it will be full again. Zero-initialise. */
struct weir__budget {
    int64_t full_ns;
    bool used;
};

struct weir__guard {
    int64_t last_sent_ns; /* of all packets, or when one waited last */
    bool waits;           /* one: what holds it is not the source */
    int64_t saved_bps;    /* proved before the last pause ... */
    int64_t saved_ns;     /* ... which began with the packet sent then ... */
    int64_t resumed_ns;   /* ... and ended; UNKNOWN: not yet */
    int64_t second;       /* number of the newest entry of best_bps */
    int64_t best_bps[WEIR__GUARD_SECONDS];
    int64_t kept_bps; /* the greatest of them */
    /* Of feedback alone. */
    int64_t newest_sent_ns;         /* of the delivered packets */
    struct weir__budget strangers;  /* of datagrams of those who have not proved themselves */
    struct weir__budget results;    /* of what another stack decoded */
    struct weir__rate_meter proved; /* delivered bytes, by the time they were sent */
};

void weir__guard_init(struct weir__guard *guard);

/* Whether another datagram may be read now; takes it from the budget. */
bool weir__budget_take(struct weir__budget *budget, int64_t now_ns, int64_t datagrams_per_s);

/* Whether a report that came now can be about a packet sent at sent_ns. */
static inline bool weir__guard_believes_ack(int64_t now_ns, int64_t sent_ns)
{
    return now_ns - sent_ns >= WEIR__GUARD_MIN_RTT_NS;
}

/* RTT sample of a packet that was held for hold_ns at the receiver; WEIR_UNKNOWN_NS when that is
 * not believed. */
int64_t weir__guard_rtt_ns(int64_t now_ns, int64_t sent_ns, int64_t hold_ns);

/* A packet left. */
void weir__guard_on_sent(struct weir__guard *guard, int64_t now_ns);

/* Whether packets wait to be sent from now on. */
void weir__guard_on_queue(struct weir__guard *guard, int64_t now_ns, bool waits);

/* A packet was reported received; update closes the feedback it was in. */
void weir__guard_on_delivered(struct weir__guard *guard, int64_t sent_ns, int64_t wire_bytes);
void weir__guard_update(struct weir__guard *guard, int64_t now_ns, int64_t rtt_ns);

/* The same from a receiver report: wire_bytes of what was sent in interval_ns arrived. */
void weir__guard_on_report(struct weir__guard *guard, int64_t now_ns, int64_t wire_bytes,
                           int64_t interval_ns);

/* Nothing that was reported until now proves anything. */
void weir__guard_forget(struct weir__guard *guard);

/* The highest rate that may be allowed now. */
int64_t weir__guard_ceiling_bps(const struct weir__guard *guard, int64_t now_ns, int64_t start_bps);

#endif
