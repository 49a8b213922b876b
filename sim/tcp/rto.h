/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TCP's retransmission timeout (RFC 6298, with the minimum applied before the backoff). */
#ifndef WEIR_SIM_TCP_RTO_H
#define WEIR_SIM_TCP_RTO_H

#include <stdbool.h>
#include <stdint.h>

struct weir__tcp_rto_config {
    int64_t initial_ns; /* before the first sample */
    int64_t min_ns;
    int64_t max_ns;
    int64_t tick_ns; /* of the clock that measures round trips; 0 = exact */
};

struct weir__tcp_rto {
    struct weir__tcp_rto_config config;
    int64_t base_ns;    /* the timeout without limits and backoff */
    int64_t srtt_ns;    /* of exact samples; 0 before the first */
    int64_t ticked_ns;  /* smoothed round trip as the clock measures it ... */
    int64_t rttvar_ns;  /* ... and its deviation */
    int64_t latest_ns;  /* exact */
    int64_t backoff;    /* 1, 2, 4 .. 64 */
    bool starts_afresh; /* with the next sample */
};

void weir__tcp_rto_config_default(struct weir__tcp_rto_config *config);
void weir__tcp_rto_init(struct weir__tcp_rto *rto, const struct weir__tcp_rto_config *config);
void weir__tcp_rto_on_sample(struct weir__tcp_rto *rto, int64_t sent_ns, int64_t now_ns);
void weir__tcp_rto_on_timeout(struct weir__tcp_rto *rto);
int64_t weir__tcp_rto_ns(const struct weir__tcp_rto *rto);

#endif
