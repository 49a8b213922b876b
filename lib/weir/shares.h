/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One budget for several streams: the rate that one sending session found for a path, split among
 * the encoders that share it (after the flow state exchange of RFC 8699).
 *
 * Every stream gets a weighted max-min fair share of the wire rate between its own limits, which
 * are media bit/s; each is converted with the stream's own ratio of payload to wire bytes. A stream
 * that is idle (nothing for 0.5 s) lends its whole share to the others; one that clearly used less
 * than it could for a second lends what it does not use, down to its minimum. It takes back what it
 * lent at once: with the first packet after idleness, or when it exceeds what it kept.
 *
 * A lender's target is what it will have after taking everything back, so its encoder always has a
 * usable target. The sum of the targets exceeds the budget by what is lent, as long as the lender
 * does not use it.
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

WEIR_BEGIN_DECLS

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

/* The only allocation. NULL on failure; *status (may be NULL) is WEIR_ERROR_NO_MEMORY. */
WEIR_API struct weir_shares *weir_shares_create(enum weir_status *status);
/* NULL is allowed. */
WEIR_API void weir_shares_destroy(struct weir_shares *shares);

/* A stream joins; *share is its number until it leaves. It counts as active until it has been
 * silent. WEIR_ERROR_ARGUMENT (a NULL, size, min > max), _RANGE (weight, packet_bytes, a limit),
 * _NO_SPACE (there are WEIR_SHARES_MAX streams). Split again after add, set and remove; until then
 * the others keep what they had, and a new stream has its minimum. */
WEIR_API enum weir_status weir_shares_add(struct weir_shares *shares, int64_t now_ns,
                                          const struct weir_share_config *config, uint32_t *share);
/* Changes weight or limits. Errors as in add, and _ARGUMENT when there is no such share; an error
 * changes nothing. */
WEIR_API enum weir_status weir_shares_set(struct weir_shares *shares, uint32_t share,
                                          const struct weir_share_config *config);
/* A stream leaves; its number may be given to another. */
WEIR_API void weir_shares_remove(struct weir_shares *shares, uint32_t share);

/* A packet of a stream entered the send queue: what its encoder produced, not what the pacer
 * released. Retransmissions and FEC of the stream have payload_bytes 0 and lower its target. True:
 * the stream takes back what it lent; split again now. */
WEIR_API bool weir_shares_on_media(struct weir_shares *shares, int64_t now_ns, uint32_t share,
                                   uint32_t payload_bytes, uint32_t wire_bytes);

/* Splits a budget, in wire bit/s: weir_output.target_wire_bps, after every change of it, when
 * on_media says so, and when next_timer_ns is due. A budget below the sum of the minimums gives
 * each its minimum. */
WEIR_API void weir_shares_split(struct weir_shares *shares, int64_t now_ns,
                                int64_t budget_wire_bps);
/* What the stream's encoder may produce, in [min, max]; 0 when there is no such share. */
WEIR_API int64_t weir_shares_get_media_bps(const struct weir_shares *shares, uint32_t share);
/* What the stream was allotted in the last split; for a lender, what it kept. The sum over all
 * streams is the budget, limited to what they must have and can use. */
WEIR_API int64_t weir_shares_get_wire_bps(const struct weir_shares *shares, uint32_t share);
/* When time alone may change the split, or WEIR_NEVER_NS. */
WEIR_API int64_t weir_shares_next_timer_ns(const struct weir_shares *shares);

WEIR_END_DECLS
#endif
