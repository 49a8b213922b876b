/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The members of a sending session: the sums that the session works with, the share of each member,
 * and the transport on which its packets are numbered.
 *
 * Each RTP session numbers its packets separately, and so does each member without one. Members
 * that send through the same RTP session have the same transport. When no transport is free,
 * members share the last one, on which transport-wide numbers are ambiguous and ignored. */
#ifndef WEIR_MEMBERS_H
#define WEIR_MEMBERS_H

#include "session/shares.h"
#include "weir/sender.h"

enum { WEIR__TRANSPORTS = WEIR_RTP_SESSIONS + 1 };

struct weir__member {
    struct weir_member config;
    int64_t queued_bytes;
    uint8_t transport;
    bool in_use;
};

/* Zero-initialise, and weir__shares_init(). What the first member needs lies together: the shares
 * are stored from the end. */
struct weir__members {
    struct weir_shares shares;                /* their numbers are those of members */
    uint64_t transport_key[WEIR__TRANSPORTS]; /* of the users' RTP session, or of the only user */
    uint32_t transport_users[WEIR__TRANSPORTS];
    bool transport_is_new[WEIR__TRANSPORTS]; /* given to a first user; the session clears it */
    uint32_t next_transport;                 /* behind the one given out last */
    bool changed;                            /* split again, whatever the budget */
    int64_t budget_bps;                      /* of the last split */
    uint32_t n_members;
    uint32_t n_places; /* numbers that were ever given out: they are below this */
    struct weir__member places[WEIR_MEMBERS];
};

/* WEIR_ERROR_ARGUMENT: limits out of order, no such member; _RANGE: a weight, or minimums that
 * together are more than 10^11 bit/s; _NO_SPACE: WEIR_MEMBERS are there. Nothing has changed then.
 */
enum weir_status weir__members_add(struct weir__members *members, int64_t now_ns,
                                   const struct weir_member *config, uint32_t *member);
enum weir_status weir__members_set(struct weir__members *members, uint32_t member,
                                   const struct weir_member *config);
/* WEIR_ERROR_ARGUMENT: no such member, or the only one. */
enum weir_status weir__members_remove(struct weir__members *members, uint32_t member);
bool weir__members_has(const struct weir__members *members, uint32_t member);

/* The sums, with a maximum and a start of at most 10^11 bit/s. */
struct weir_limits weir__members_limits(const struct weir__members *members);
/* The largest, so that the session never sends more than it counts. */
uint32_t weir__members_overhead_bytes(const struct weir__members *members);
/* Whether RTCP of this SSRC is read on a transport: a member there names it, or none names any. */
bool weir__members_hear(const struct weir__members *members, uint32_t transport, uint32_t ssrc);
/* The sum of all send queues. */
int64_t weir__members_queued_bytes(const struct weir__members *members);
/* Sets how much waits in one; returns the sum. */
int64_t weir__members_set_queued(struct weir__members *members, uint32_t member,
                                 int64_t queued_bytes);
/* Whether transport-wide numbers are unambiguous: of a transport, and of a member's. */
bool weir__transport_counts(uint32_t transport);
bool weir__members_counts_transport(const struct weir__members *members, uint32_t member);

/* A packet entered a member's send queue; see weir_shares_on_media. */
void weir__members_on_media(struct weir__members *members, int64_t now_ns, uint32_t member,
                            uint32_t payload_bytes, uint32_t wire_bytes);
/* Splits the budget again if it, a member or the time calls for that. */
void weir__members_split(struct weir__members *members, int64_t now_ns, int64_t budget_wire_bps);
int64_t weir__members_next_timer_ns(const struct weir__members *members);
/* The only member gets all of the output, bit for bit. */
void weir__members_get_share(const struct weir__members *members, uint32_t member,
                             const struct weir_output *output, struct weir_share *share);

#endif
