/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DualPI2, the coupled dual queue of RFC 9332: L4S packets, ECT(1) and CE, have a queue of their
 * own that marks what waits longer than a step; the others have one that drops, or marks ECT(0), by
 * a PI controller of the waits. Both share the link by weights, and the congestion of the second
 * marks in the first.
 *
 * Invariant: with the base probability p the classic queue drops or marks p^2, and the L4S queue
 * marks at least coupling * p, of their packets. */
#ifndef WEIR_SIM_QUEUE_DUALPI2_H
#define WEIR_SIM_QUEUE_DUALPI2_H

#include "sim/network/queue_fifo.h"

/* Fill with weir__dualpi2_config_default() first. */
struct weir__dualpi2_config {
    int64_t target_ns;    /* > 0: wait of classic packets that is aimed at */
    int64_t update_ns;    /* > 0: between updates of the base probability */
    double alpha_hz;      /* > 0, integral gain: per update, of the wait beyond the target */
    double beta_hz;       /* > 0, proportional gain: of the change of the wait */
    double coupling;      /* >= 1, of L4S marks with the base probability */
    int64_t step_ns;      /* > 0: an L4S packet that waits longer is marked ... */
    int64_t step_packets; /* >= 0: ... if it leaves as many behind */
    double classic_share; /* 0 to 1, of the link while both queues wait */
};

/* Of one of its queues (RFC 9332 2.5.2.2), since the beginning. */
struct weir__dualpi2_queue_counts {
    int64_t sent_packets;
    int64_t marked_packets;  /* of them, here */
    int64_t dropped_packets; /* by the controller; a full buffer's are the link's */
    int64_t waited_ns;       /* of those sent, together */
};

struct weir__dualpi2_counts {
    struct weir__dualpi2_queue_counts l4s;
    struct weir__dualpi2_queue_counts classic;
    int64_t overload_ns; /* with a coupled probability of 1 (RFC 9332 2.5.2.3) */
};

struct weir__dualpi2 {
    struct weir__dualpi2_config config;
    struct weir__queue_fifo l4s;
    struct weir__queue_fifo classic;
    double base;          /* p' of the RFC */
    int64_t last_wait_ns; /* at the last update */
    int64_t next_ns;      /* when the next update is due; 0 = none yet */
    double credit_bytes;  /* > 0: the classic queue's turn */
    double l4s_sum;       /* of probabilities since the last mark or drop ... */
    double classic_sum;   /* ... in each queue */
    struct weir__dualpi2_counts counts;
};

void weir__dualpi2_config_default(struct weir__dualpi2_config *config);
enum weir_status weir__dualpi2_init(struct weir__dualpi2 *dual,
                                    const struct weir__dualpi2_config *config);
double weir__dualpi2_next_base(const struct weir__dualpi2_config *config, double base,
                               int64_t wait_ns, int64_t last_wait_ns);
double weir__dualpi2_coupled(const struct weir__dualpi2_config *config, double base);
double weir__dualpi2_classic(double base);
void weir__dualpi2_push(struct weir__dualpi2 *dual, struct weir__packet *packet, int64_t now_ns);
struct weir__packet *weir__dualpi2_pop(struct weir__dualpi2 *dual,
                                       struct weir__packet_list *dropped, int64_t now_ns);
struct weir__packet *weir__dualpi2_take(struct weir__dualpi2 *dual);

#endif
