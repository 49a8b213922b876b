/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a TCP sender does with an ACK: the part in which Reno, NewReno and SACK differ. */
#ifndef WEIR_SIM_TCP_RECOVERY_H
#define WEIR_SIM_TCP_RECOVERY_H

#include "sim/tcp.h"

void weir__tcp_on_ack(struct weir__tcp *tcp, int64_t ack, const struct weir__sack_block *blocks,
                      size_t n_blocks);

#endif
