/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss detection: which packets of the history are lost, from what reports say and do not say.
 *
 * "Not received" in a report makes a packet suspect. It is lost when at least reorder_packets sent
 * after it were received (three in RFC 5348 5.1, NDUPACK), or when it is older than the
 * retransmission timeout and a report covered a later packet (tail loss).
 * Packets that no report covers are unknown, never lost; but no longer in flight when as many later
 * ones were received. "Received" is final. */
#ifndef WEIR_LOSS_H
#define WEIR_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/history.h"
#include "weir/sender.h"

struct weir__loss {
    int64_t highest[WEIR_REORDER_PACKETS_MAX]; /* received, highest first; -1 = none */
    uint32_t reorder_packets;
    int64_t covered_seq; /* highest that a report named; -1 = none */
    int64_t suspect_low; /* suspects are in [low, high] */
    int64_t suspect_high;
};

enum weir__loss_news {
    WEIR__LOSS_NO_NEWS,  /* said before, or not in the history */
    WEIR__LOSS_RECEIVED, /* newly received */
    WEIR__LOSS_LATE      /* received after it was declared lost */
};

/* reorder_packets: 1 .. WEIR_REORDER_PACKETS_MAX. */
void weir__loss_detection_init(struct weir__loss *loss, uint32_t reorder_packets);
enum weir__loss_news weir__loss_on_received(struct weir__loss *loss, struct weir__history *history,
                                            int64_t seq);
void weir__loss_on_missing(struct weir__loss *loss, struct weir__history *history, int64_t seq);

/* The next packet that is lost now, in rising order, already marked; -1 when there is none. Call
 * until -1 after each report and when next_timeout_ns is due. */
int64_t weir__loss_next(struct weir__loss *loss, struct weir__history *history, int64_t now_ns,
                        int64_t rto_ns);

/* The packets of a transport before this, which is <= received_seq, are no longer in flight,
 * whether reports cover them or not; received_seq: the newest of the transport that was. */
int64_t weir__loss_passed_seq(const struct weir__loss *loss, int64_t received_seq);

/* When a suspect will have waited for rto_ns; WEIR_NEVER_NS without one. */
int64_t weir__loss_next_timeout_ns(const struct weir__loss *loss,
                                   const struct weir__history *history, int64_t rto_ns);

#endif
