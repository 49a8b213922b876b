/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a TCP flow could get at most under the same losses, to compare rates with. */
#ifndef WEIR_QUALITY_TCP_BOUND_H
#define WEIR_QUALITY_TCP_BOUND_H

double weir__tcp_bound_bps(double packet_bytes, double rtt_s, double loss_ratio);
double weir__normalised(double rate, double reference);

#endif
