/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of a flow's latest packets have arrived, to tell copies from packets. */
#ifndef WEIR_SIM_SEEN_H
#define WEIR_SIM_SEEN_H

#include "sim/base/bitring.h"

struct weir__seen {
    struct weir__bitring ring; /* of the numbers below end_seq, as many as are remembered */
    int64_t n_packets;
    int64_t end_seq;
};

enum weir_status weir__seen_init(struct weir__seen *seen, int64_t n_packets);
void weir__seen_finish(struct weir__seen *seen);
bool weir__seen_is_first(struct weir__seen *seen, int64_t seq);

#endif
