/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Competing traffic, described in a line of text:
 *
 *     ITEM;ITEM;...   where ITEM is reno, newreno, sack, vegas, westwood, cubic, linux-reno,
 *                     linux-cubic or cbr:RATE, then *COUNT if there are several, then any number
 *                     of ,OPTION=VALUE
 *
 *     "reno*2;cbr:700000,on=20,off=20"   two Reno flows, 700 kbit/s in turns of 20 s
 *     "sack*4,start=10,stop=60,rtt=0.08" four SACK flows with a round trip of 80 ms without queues
 *
 * Options: start, stop (seconds), size (bytes of a packet on the wire) for all; rtt (seconds) for
 * the TCP kinds (without queues, at the link's delay when the flow is created, which it cannot be
 * shorter than); on, off (seconds) for cbr. RATE in bit/s, k and M allowed. */
#ifndef WEIR_SIM_CROSSTRAFFIC_H
#define WEIR_SIM_CROSSTRAFFIC_H

#include "sim/network/network.h"
#include "sim/tcp/flow.h"
#include "sim/traffic/udp_flow.h"

#define WEIR__CROSS_ITEMS 32   /* at most, in one text */
#define WEIR__CROSS_FLOWS 1000 /* at most, all items together */

enum weir__cross_kind {
    WEIR__CROSS_TCP,
    WEIR__CROSS_LINUX, /* TCP by weir__tcp_flow_config_linux() */
    WEIR__CROSS_CBR
};

struct weir__cross_item {
    enum weir__cross_kind kind;
    enum weir__tcp_variant variant; /* TCP */
    int64_t count;
    int64_t rate_bps; /* cbr */
    int64_t on_ns;    /* cbr; 0 = always on */
    int64_t off_ns;
    int64_t start_ns;
    int64_t stop_ns;    /* WEIR_NEVER_NS = none */
    int64_t rtt_ns;     /* TCP; WEIR_UNKNOWN_NS = twice the delay of the link */
    int64_t size_bytes; /* of a packet */
};

struct weir__crosstraffic {
    struct weir__tcp_flow *tcp; /* [n_tcp] */
    size_t n_tcp;
    struct weir__udp_flow **cbr; /* [n_cbr] */
    size_t n_cbr;
};

enum weir_status weir__crosstraffic_parse(const char *text, struct weir__cross_item *items,
                                          size_t capacity, size_t *n_items, char *error,
                                          size_t error_size);
enum weir_status weir__crosstraffic_init(struct weir__crosstraffic *cross,
                                         const struct weir__cross_item *items, size_t n_items,
                                         struct weir__network *network, uint64_t seed);
void weir__crosstraffic_finish(struct weir__crosstraffic *cross);
int64_t weir__crosstraffic_goodput_bytes(const struct weir__crosstraffic *cross);

#endif
