/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is recorded of a link: its queue, looked at at random instants, and its capacity,
 * integrated over its schedule. */
#ifndef WEIR_LAB_RUN_LINK_RECORD_H
#define WEIR_LAB_RUN_LINK_RECORD_H

#include "sim/base/histogram.h"
#include "sim/network/link.h"
#include <glib.h>

/* Of one bin of the time series. */
struct lab_link_bin {
    int64_t looks;
    int64_t queue_packets_sum;
    int64_t queue_packets_max;
    int64_t wait_looks; /* looks outside outages */
    double wait_sum_ns; /* of them */
    double
        capacity_bits; /* that could have passed since the start of the simulation, at its start */
    struct weir__packet_counters counters; /* since then, at its start */
    struct weir__dualpi2_counts dualpi2;   /* of a queue that is one */
};

struct lab_link_record {
    const struct weir__link_config *config;
    struct weir__schedule schedule;
    int64_t integrated_ns;      /* so far */
    double capacity_bits;       /* that could have passed until then */
    struct lab_link_bin bin;    /* the present one */
    struct lab_link_bin window; /* looks of the measured window are in the histograms */
    uint64_t idle_looks; /* not in the histograms yet: most looks at most links find nothing */
    struct weir__histogram queue_packets;
    struct weir__histogram wait_ns; /* of a packet that would come; not during outages */
};

/* What happened in a bin or window. */
struct lab_link_difference {
    struct weir__packet_counters counters;
    struct weir__dualpi2_counts dualpi2;
    double capacity_bits;
};

void lab_link_record_init(struct lab_link_record *record, const struct weir__link_config *config);
void lab_link_record_finish(struct lab_link_record *record);
void lab_link_record_look(struct lab_link_record *record, struct weir__link *link,
                          gboolean in_window);
void lab_link_record_settle(struct lab_link_record *record);
void lab_link_record_advance(struct lab_link_record *record, int64_t now_ns);
void lab_link_bin_start(struct lab_link_bin *bin, const struct lab_link_record *record,
                        struct weir__link *link);
struct lab_link_difference lab_link_bin_end(const struct lab_link_bin *bin,
                                            const struct lab_link_record *record,
                                            struct weir__link *link);

#endif
