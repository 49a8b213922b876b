/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/seen.h"
#include "weir/units.h"

/* Nothing has arrived. Remembers n_packets (1 .. 2^30) up to the highest that has. Allocates. */
enum weir_status weir__seen_init(struct weir__seen *seen, int64_t n_packets)
{
    *seen = (struct weir__seen){.n_packets = n_packets};
    return weir__bitring_init(&seen->ring, n_packets);
}

/* Accepts a zeroed one. */
void weir__seen_finish(struct weir__seen *seen)
{
    weir__bitring_finish(&seen->ring);
}

/* Packet seq >= 0 arrives: whether no copy of it came before. Of packets older than what is
 * remembered nobody knows: they count as copies. */
bool weir__seen_is_first(struct weir__seen *seen, int64_t seq)
{
    if (seq < seen->end_seq - seen->n_packets) {
        return false;
    }
    if (seq >= seen->end_seq) {
        int64_t from = weir_max_i64(seen->end_seq, seq + 1 - seen->n_packets);
        weir__bitring_clear(&seen->ring, from, seq + 1);
        seen->end_seq = seq + 1;
    }
    bool first = !weir__bitring_test(&seen->ring, seq);
    weir__bitring_set(&seen->ring, seq, seq + 1);
    return first;
}
