/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One budget for several streams: the rate that one sending session found for a path, split among
 * the encoders that share it (after the flow state exchange of RFC 8699).
 *
 * Every stream gets a weighted max-min fair share of the wire rate between its own limits, which
 * are media bit/s; each is converted with the stream's own ratio of payload to wire bytes. A stream
 * that is idle (nothing for 0.5 s) lends all of its share to the others, one that made clearly less
 * than it could for a second lends what it does not use, down to its minimum. It takes it back at
 * once: with the first packet after idleness, and with those by which it exceeds what it kept.
 *
 * What a lender is told is what it will have again when it takes all back, so that its encoder
 * always has a usable target. The sum of the targets is above the budget by what is lent, for as
 * long as the lender does not use it.
 *
 *     struct weir_output output;
 *     weir_sender_get_output(sender, &output);
 *     weir_shares_split(shares, now_ns, output.target_wire_bps);
 *     set_bitrate(encoder, weir_shares_get_media_bps(shares, share));
 *
 * All calls of one object come from one thread at a time. Nothing is allocated after create. */
#ifndef WEIR_SHARES_H
#define WEIR_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "units.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_SHARES_MAX = 64 };

struct weir_share_config {
    size_t size;           /* sizeof this struct, set by weir_share_config_init */
    uint32_t weight;       /* 1 .. 1000000; only ratios matter */
    uint32_t packet_bytes; /* wire size of a packet expected before the first; 1 .. 65535 */
    int64_t min_media_bps; /* 0 .. max_media_bps */
    int64_t max_media_bps; /* up to 10^11 */
};

struct weir_shares;

/* Weight 1, 30 kbit/s to 10 Mbit/s, 1228 bytes. */
WEIR_API void weir_share_config_init(struct weir_share_config *config);

/* The only allocation. NULL on failure, with *status (may be NULL) WEIR_ERROR_NO_MEMORY. */
WEIR_API struct weir_shares *weir_shares_create(enum weir_status *status);
/* NULL is allowed. */
WEIR_API void weir_shares_destroy(struct weir_shares *shares);

/* A stream joins; *share is its number from now on, until it leaves. It counts as active until it
 * has been silent. WEIR_ERROR_ARGUMENT (a NULL, size, min > max), _RANGE (weight, packet_bytes, a
 * limit), _NO_SPACE (WEIR_SHARES_MAX streams are there). After this, set and remove, split again:
 * until then the others have what they had, and a new stream its minimum. */
WEIR_API enum weir_status weir_shares_add(struct weir_shares *shares, int64_t now_ns,
                                          const struct weir_share_config *config, uint32_t *share);
/* Other weight or limits. Errors as in add, and _ARGUMENT when there is no such share; nothing has
 * changed then. */
WEIR_API enum weir_status weir_shares_set(struct weir_shares *shares, uint32_t share,
                                          const struct weir_share_config *config);
/* A stream leaves; its number may be given to another. */
WEIR_API void weir_shares_remove(struct weir_shares *shares, uint32_t share);

/* A packet of a stream came to the send queue: what its encoder produced, not what the pacer let
 * out. Retransmissions and FEC of the stream have payload_bytes 0: its target falls by what they
 * take. True: the stream takes back what it lent; split again now. */
WEIR_API bool weir_shares_on_media(struct weir_shares *shares, int64_t now_ns, uint32_t share,
                                   uint32_t payload_bytes, uint32_t wire_bytes);

/* Splits a budget of wire bit/s anew: weir_output.target_wire_bps, after every change of it, when
 * on_media says so, and when next_timer_ns is due. A budget below all minimums gives each its
 * minimum. */
WEIR_API void weir_shares_split(struct weir_shares *shares, int64_t now_ns,
                                int64_t budget_wire_bps);
/* What its encoder may produce, in [min, max]; 0 when there is no such share. */
WEIR_API int64_t weir_shares_get_media_bps(const struct weir_shares *shares, uint32_t share);
/* What it is counted with in the last split, a lender with what it kept. The sum of all is the
 * budget, limited to what the streams must have and can use. */
WEIR_API int64_t weir_shares_get_wire_bps(const struct weir_shares *shares, uint32_t share);
/* When time alone may change the split; WEIR_NEVER_NS. */
WEIR_API int64_t weir_shares_next_timer_ns(const struct weir_shares *shares);

#ifdef __cplusplus
}
#endif
#endif
