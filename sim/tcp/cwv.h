/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Congestion window validation (RFC 2861): a window that was not used is not kept. */
#ifndef WEIR_SIM_TCP_CWV_H
#define WEIR_SIM_TCP_CWV_H

#include "sim/tcp/tcp.h"

/* window_packets: min(cwnd, receiver window). */
void weir__tcp_cwv_before_sending(struct weir__tcp *tcp, double window_packets);
void weir__tcp_cwv_after_sending(struct weir__tcp *tcp, double window_packets);

#endif
