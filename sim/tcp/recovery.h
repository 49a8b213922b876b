/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an ACK does in Reno and NewReno, and what other variants take from them. */
#ifndef WEIR_SIM_TCP_RECOVERY_H
#define WEIR_SIM_TCP_RECOVERY_H

#include "sim/tcp/tcp.h"

#define WEIR__TCP_DUPACKS 3 /* the threshold of fast retransmit */

void weir__tcp_enter_recovery(struct weir__tcp *tcp);
void weir__tcp_leave_recovery(struct weir__tcp *tcp);
bool weir__tcp_count_dupack(struct weir__tcp *tcp);
void weir__tcp_newreno_on_new_ack(struct weir__tcp *tcp, int64_t acked_packets);
void weir__tcp_newreno_on_dupack(struct weir__tcp *tcp);
void weir__tcp_sack_on_new_ack(struct weir__tcp *tcp, int64_t acked_packets);
void weir__tcp_sack_on_dupack(struct weir__tcp *tcp);
void weir__tcp_sack_forget(struct weir__tcp *tcp);

#endif
