/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PIE (RFC 8033): drops arriving packets with a probability that a PI controller of the waits sets.
 * Knows probabilities; the packets themselves are in queue.h.
 *
 * Invariant: nothing is dropped for a burst that lasts no longer than allowed, nor from a queue of
 * no more than two packets of mean size. */
#ifndef WEIR_SIM_QUEUE_PIE_H
#define WEIR_SIM_QUEUE_PIE_H

#include "sim/base/random.h"
#include "weir/status.h"
#include <stdbool.h>
#include <stdint.h>

/* Fill with weir__pie_config_default() first. */
struct weir__pie_config {
    int64_t target_ns;         /* > 0: QDELAY_REF */
    int64_t update_ns;         /* > 0: T_UPDATE */
    int64_t burst_ns;          /* >= 0: MAX_BURST */
    double alpha_hz;           /* > 0 */
    double beta_hz;            /* > 0 */
    int64_t mean_packet_bytes; /* > 0 */
    double mark_below;         /* 0 to 1, mark_ecnth: up to this probability marks replace drops */
    bool mark_ecn;             /* mark ECN-capable packets in place of dropping them */
};

struct weir__pie {
    struct weir__pie_config config;
    double probability;
    double sum; /* of probabilities since the last drop */
    int64_t wait_ns;
    int64_t last_wait_ns;
    int64_t burst_left_ns;
    int64_t next_ns; /* when the next update is due; 0 = none yet */
};

enum weir__pie_verdict { WEIR__PIE_ACCEPT, WEIR__PIE_MARK, WEIR__PIE_DROP };

void weir__pie_config_default(struct weir__pie_config *config);
enum weir_status weir__pie_init(struct weir__pie *pie, const struct weir__pie_config *config);
double weir__pie_step(const struct weir__pie_config *config, double probability, int64_t wait_ns,
                      int64_t last_wait_ns);
void weir__pie_update(struct weir__pie *pie, int64_t now_ns, int64_t oldest_ns);
enum weir__pie_verdict weir__pie_on_arrival(struct weir__pie *pie, int64_t queue_bytes,
                                            bool is_capable, struct weir__random *random);

#endif
