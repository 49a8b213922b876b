/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bound that a receiver asks for (REMB, TMMBR): it holds for five seconds, and while the bound
 * of one holds, another's counts when it is lower. */
#ifndef WEIR_SESSION_REMB_H
#define WEIR_SESSION_REMB_H

#include <stdbool.h>
#include <stdint.h>

struct weir__remb {
    int64_t bps; /* INT64_MAX: none */
    int64_t ns;  /* when it came */
    uint32_t ssrc;
};

/* None. */
void weir__remb_init(struct weir__remb *remb);
/* False: another's bound holds, which is as low. */
bool weir__remb_take(struct weir__remb *remb, int64_t now_ns, uint32_t ssrc, int64_t bps);
/* WEIR_NEVER_NS: nothing will end. */
int64_t weir__remb_end_ns(const struct weir__remb *remb);
void weir__remb_expire(struct weir__remb *remb, int64_t now_ns);

#endif
