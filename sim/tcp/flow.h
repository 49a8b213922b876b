/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP connection wired up: sender -> access delay -> `forward` (a link) -> sink -> return delay
 * -> sender. The forward path must bring the packets of its flow to weir__tcp_sink_port(); where
 * there is a `backward` path, it must bring the ACKs to weir__tcp_port(). */
#ifndef WEIR_SIM_TCP_FLOW_H
#define WEIR_SIM_TCP_FLOW_H

#include "sim/base/random.h"
#include "sim/network/delay_line.h"
#include "sim/tcp/sink.h"
#include "sim/tcp/tcp.h"

struct weir__tcp_flow_config {
    struct weir__tcp_config tcp; /* its port is set here */
    int64_t header_bytes;        /* of a data packet, not counted as goodput */
    int64_t ack_bytes;           /* of an ACK on the wire */
    int64_t delayed_ack_ns;      /* 0 = every packet is acknowledged at once */
    int64_t access_ns;           /* delay between sender and forward path */
    int64_t access_jitter_ns;    /* adds U(0, jitter): breaks the phase effects of equal flows */
    int64_t return_ns;           /* delay of the ACKs */
    struct weir__port forward;
    struct weir__port backward; /* for the ACKs instead of the pure delay, if on_packet is set */
    uint32_t ack_flow;          /* of the ACKs */
    struct weir__tcp_observer observer;
    uint64_t seed;
};

struct weir__tcp_flow {
    struct weir__tcp sender;
    struct weir__tcp_sink sink;
    struct weir__delay_line access; /* only if there is such a delay */
    struct weir__delay_line back;   /* only without a backward path */
    struct weir__random random;
    int64_t access_ns;
    int64_t access_jitter_ns;
    int64_t return_ns;
    int64_t paced_ns; /* when the next packet may leave, if the sender is paced */
};

void weir__tcp_flow_config_default(struct weir__tcp_flow_config *config);
void weir__tcp_flow_config_linux(struct weir__tcp_flow_config *config);
enum weir_status weir__tcp_flow_check(const struct weir__tcp_flow_config *config);
enum weir_status weir__tcp_flow_init(struct weir__tcp_flow *flow, struct weir__sim *sim,
                                     struct weir__packet_pool *pool,
                                     const struct weir__tcp_flow_config *config);
void weir__tcp_flow_restart(struct weir__tcp_flow *flow, int64_t packets);
void weir__tcp_flow_finish(struct weir__tcp_flow *flow);

#endif
