/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of packets that left together, and how much further apart two groups arrived than they
 * left: the inter-arrival deltas of Google Congestion Control (gcc-02 section 5.2).
 *
 * A packet belongs to the group while it leaves within the group's length of its first packet, or
 * arrives in the same burst: within 5 ms of the packet before it, closer than it left, and within
 * 100 ms of the group's first arrival. */
#ifndef WEIR_ESTIMATORS_ARRIVAL_GROUPS_H
#define WEIR_ESTIMATORS_ARRIVAL_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

struct weir__arrival_group {
    bool known;
    int64_t first_sent_ns;
    int64_t last_sent_ns;
    int64_t first_arrived_ns;
    int64_t last_arrived_ns;
    int64_t told_ns; /* when we heard of the last of them, on our clock */
};

/* Zero-initialise, or: forgets everything. */
struct weir__arrival_groups {
    struct weir__arrival_group current;
    struct weir__arrival_group previous;
    int n_reordered; /* groups in a row that arrived before the group before them */
};

/* From the last packet of one group to the last packet of the next. */
struct weir__group_delta {
    int64_t sent_ns;
    int64_t arrived_ns; /* >= 0 */
};

/* One packet that arrived, in the order of departure; told_ns: when we heard of it. True when it
 * begins a new group and the two before it give a delta. A packet older than its group is ignored.
 * When the peer's clock has jumped ahead of ours by 3 s, or three deltas in a row are negative,
 * everything is forgotten. */
bool weir__arrival_groups_add(struct weir__arrival_groups *groups, int64_t length_ns,
                              int64_t sent_ns, int64_t arrived_ns, int64_t told_ns,
                              struct weir__group_delta *delta);

#endif
