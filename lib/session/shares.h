/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of weir/shares.h, for who has one inside: a session, in which a single member leaves it
 * untouched but for the first stream. */
#ifndef WEIR_SESSION_SHARES_H
#define WEIR_SESSION_SHARES_H

#include "base/steady.h"
#include "weir/shares.h"

struct weir__share_stream {
    bool in_use;
    bool idle;
    bool lends; /* part of its share */
    struct weir_share_config config;
    uint32_t n_packets; /* in the means, with the one expected; at most MEAN_PACKETS */
    double payload_mean_bytes;
    double wire_mean_bytes;
    int64_t media_ns;  /* of the newest packet, or when it joined */
    int64_t period_ns; /* begin of the period in which the use is seen ... */
    int64_t offered_ns;
    double offered_bits; /* ... what it could have sent in it until offered_ns ... */
    double used_bits;    /* ... and what it did */
    double kept_bps;     /* of a lender */
    int64_t ahead_ns;
    double ahead_bits; /* a lender's, above kept_bps, at ahead_ns */
    int64_t offer_bps; /* wire: what its encoder may produce */
    int64_t wire_bps;  /* what it is counted with */
    int64_t media_bps;
};

struct weir_shares {
    struct weir__share_stream streams[WEIR_SHARES_MAX]; /* from the end, see weir__members */
    int64_t now_ns;                                     /* never goes back */
    struct weir__steady steady;
    uint32_t n_streams;
};

/* Zeroed before. */
void weir__shares_init(struct weir_shares *shares);

#endif
