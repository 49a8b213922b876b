/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path to one of several receivers, as its feedback on packets tells of it: what share was lost
 * and how long packets waited, lately. Receivers of the same packets are compared by it, so that
 * the worst one may steer (the current limiting receiver of RFC 4654).
 *
 * A receiver whose link carries less than is sent loses packets or queues them, and either lowers
 * the rate at which they arrive: of packets sent over a second, of which p are lost and the others
 * wait for q seconds, (1 - p) / (1 + q) of the rate gets through. That share is what counts.
 *
 * Invariant: of two paths at most one is worse than the other, and neither before each has told of
 * WEIR__REPORTER_PATH_PACKETS. */
#ifndef WEIR_REPORTER_PATH_H
#define WEIR_REPORTER_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "estimators/queueing.h"
#include "session/sender_steering.h"

enum {
    WEIR__REPORTER_PATH_PACKETS = 32,     /* that one half of the figures rests on, at least */
    WEIR__REPORTER_PATH_MARGIN_Q16 = 2048 /* of 65536: so much less gets through a worse path */
};

/* How long such a half lasts, at least. */
#define WEIR__REPORTER_PATH_HALF_NS WEIR_MS(500)

/* Zero-initialise. */
struct weir__reporter_path {
    uint32_t format; /* enum weir_feedback_format bit: which of its formats counts; 0 = none yet */
    bool has_news;   /* the report at hand tells of a packet newer than all before */
    struct weir__pulse pulse; /* of reports with news */
    int64_t highest_seq;
    uint64_t told, received; /* of the 64 packets up to that one: it is bit 0 */
    struct {
        int64_t began_ns;
        uint32_t told_packets;
        uint32_t received_packets;
    } halves[2]; /* this one, and the one before */
    struct weir__queueing queueing;
};

struct weir__reporter_figures {
    int64_t loss_ppm;
    int64_t queueing_ns; /* WEIR_UNKNOWN_NS: its feedback has no arrival times */
};

/* A report tells of a packet, each number of a session's history once or several times. */
void weir__reporter_path_on_packet(struct weir__reporter_path *path, int64_t seq, bool received);

/* The report ends. delay_ns: of its newest packet, arrival on the receiver's clock less departure
 * on ours, or WEIR_UNKNOWN_NS. Returns whether it had news. */
bool weir__reporter_path_on_report(struct weir__reporter_path *path, int64_t now_ns,
                                   int64_t delay_ns);

/* False: too few packets yet. */
bool weir__reporter_path_get(const struct weir__reporter_path *path, int64_t now_ns,
                             struct weir__reporter_figures *figures);

/* Whether clearly less gets through than on the other one, which is judged by what it told last:
 * whoever lost much before cannot hide behind it. */
bool weir__reporter_path_is_worse(const struct weir__reporter_path *path,
                                  const struct weir__reporter_path *other, int64_t now_ns);

#endif
