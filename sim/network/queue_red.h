/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RED (Floyd and Jacobson 1993), gentle variant and "wait" as in ns-2. Knows averages and
 * probabilities; the packets themselves are in queue.h. */
#ifndef WEIR_SIM_QUEUE_RED_H
#define WEIR_SIM_QUEUE_RED_H

#include "sim/base/random.h"
#include "weir/status.h"
#include <stdbool.h>
#include <stdint.h>

/* Fill with weir__red_config_default() first. */
struct weir__red_config {
    double min_packets;        /* threshold on the average; 0 = automatic */
    double max_packets;        /* 0 = 3 x min_packets */
    double max_p;              /* drop probability at max_packets, (0, 1] */
    double weight;             /* of the average, (0, 1); 0 = automatic from the rate */
    int64_t mean_packet_bytes; /* > 0 */
    bool gentle;               /* p rises from max_p to 1 between max and 2 max */
    bool wait;                 /* no drop during the first 1/p packets after a drop */
    bool byte_mode;            /* queue measured in bytes, p proportional to packet size */
    bool mark_ecn;             /* mark ECN-capable packets, up to max_packets on average */
};

struct weir__red {
    struct weir__red_config config; /* with the automatic values filled in */
    double packets_per_second;      /* of mean size, at the nominal rate */
    double average_packets;
    int64_t since_drop; /* packets since the last drop; bytes in byte mode */
    int64_t idle_since_ns;
    bool idle;
    bool above_min;
};

enum weir__red_verdict {
    WEIR__RED_ACCEPT,
    WEIR__RED_EARLY, /* drop or mark */
    WEIR__RED_FORCED /* drop: too late to mark */
};

void weir__red_config_default(struct weir__red_config *config);
enum weir_status weir__red_init(struct weir__red *red, const struct weir__red_config *config,
                                int64_t rate_bps, int64_t delay_ns);
double weir__red_base_probability(const struct weir__red_config *config, double average_packets);
double weir__red_spread_probability(const struct weir__red_config *config, double base,
                                    double since_drop_packets);
enum weir__red_verdict weir__red_on_arrival(struct weir__red *red, int64_t now_ns,
                                            int64_t queue_packets, int64_t queue_bytes,
                                            int64_t size_bytes, struct weir__random *random);
void weir__red_on_overflow(struct weir__red *red);
void weir__red_on_idle(struct weir__red *red, int64_t now_ns);

#endif
