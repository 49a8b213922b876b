/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Losses as events and as a share: of losses within one round-trip time the first makes an event
 * (RFC 5348 5.2), and the share is that of the last second: of this tenth and the nine before. */
#ifndef WEIR_ESTIMATORS_LOSS_RATE_H
#define WEIR_ESTIMATORS_LOSS_RATE_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR__LOSS_RATE_BINS = 10 };

/* Zero-initialise, or: forgets everything. */
struct weir__loss_rate {
    bool has_event;
    int64_t event_end_ns; /* send time up to which losses belong to the newest event */
    int64_t bin;          /* number of the newest tenth of a second */
    int64_t packets[WEIR__LOSS_RATE_BINS];
    int64_t lost[WEIR__LOSS_RATE_BINS];
};

/* Packets of which was told at now_ns. Those that came late after all are lost < 0, and no packets
 * again. */
void weir__loss_rate_add(struct weir__loss_rate *rate, int64_t now_ns, int64_t packets,
                         int64_t lost);

/* A packet that left at sent_ns was lost. Returns whether that is a new event. */
bool weir__loss_rate_on_lost(struct weir__loss_rate *rate, int64_t sent_ns, int64_t rtt_ns);

struct weir__loss_share {
    int64_t packets; /* told of in the last second */
    int64_t lost;    /* of those, >= 0 */
    double share;    /* lost / packets, taken as at least 1 */
    int64_t tenths;  /* of that second in which losses were told of */
};
struct weir__loss_share weir__loss_rate_get(const struct weir__loss_rate *rate, int64_t now_ns);

#endif
