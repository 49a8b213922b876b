/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receiver reports tell of a stream of ours (RFC 3550 6.4), and whose reports steer.
 *
 * An account is one telling that goes on: a block continues the account of the same reporter whose
 * numbers it can follow. Two reporters have two accounts, and so have a receiver and whoever sends
 * reports in its name, since their counts of losses do not fit together. Where accounts disagree,
 * the one with the most loss steers; if the first reporter is to steer, of its accounts.
 *
 * Invariants: while an account is told, another one begins with a fresh report only, which no
 * replay is; and the one that steers has at most WEIR__ACCOUNT_MARGIN_Q16 less loss than any that
 * is told and may steer.
 *
 * An account denies feedback on packets that reported more of the same packets received: in all, by
 * more than that margin, and now by more than an eighth of an interval, which may be on its way
 * while later packets arrive. An interval is compared when it ends, with what feedback has told by
 * then, and again when the next one does: by then the rest has come, and it counts for good. */
#ifndef WEIR_ACCOUNT_H
#define WEIR_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/sr_rr.h"
#include "session/history.h"
#include "session/sender_steering.h"

enum {
    WEIR__ACCOUNTS = 4,             /* of a stream */
    WEIR__ACCOUNT_MARGIN_Q16 = 1024 /* of 65536: as near are two receivers of one path */
};

/* Who sent a block, and when. */
struct weir__report_origin {
    uint32_t transport;
    uint32_t ssrc;
    int64_t now_ns;
    bool first_steers; /* no other reporter while the first one tells */
    bool is_fresh;     /* it echoes a sender report of ours, and was sent within the last timeout */
};

struct weir__account {
    bool known;
    uint32_t transport;
    uint32_t ssrc; /* of the reporter */
    struct weir__pulse pulse;
    int32_t loss_q16; /* mean of its last few blocks */
    int32_t cumulative_lost;
    uint32_t skipped_packets; /* numbers never sent up to its highest one: weir__gaps_before */
    uint32_t lsr_mid32, dlsr_mid32;
    int64_t highest_rtp;     /* unwrapped as in the history */
    int64_t before_rtp;      /* the highest of the block before the newest */
    int64_t arrived_packets; /* between the two, as it tells */
    int64_t denied_packets;  /* that did not arrive, and did by feedback on packets */
};

/* Of one of our streams. Zero-initialise. */
struct weir__accounts {
    uint32_t ssrc; /* of the stream */
    uint8_t steers;
    bool denies;      /* what feedback on packets told, by the newest block of whomever */
    uint16_t untaken; /* numbers up to its highest one that were told, and not yet taken */
    int64_t compared_after_rtp; /* what feedback told of packets up to here, was another's */
    struct weir__account entries[WEIR__ACCOUNTS];
};

enum weir__report_kind {
    WEIR__REPORT_NOT_OURS,  /* about a stream or packets never sent */
    WEIR__REPORT_OLD,       /* told before, or not to be believed: liveness only */
    WEIR__REPORT_IGNORED,   /* another account steers */
    WEIR__REPORT_FIRST,     /* the base for the next one */
    WEIR__REPORT_UNCHANGED, /* the highest sequence number stands still */
    WEIR__REPORT_ADVANCED   /* *loss is filled in */
};

/* Feedback on packets is another reporter's from now on: what it told until now, no account can
 * deny. */
void weir__accounts_on_new_reporter(struct weir__accounts *all,
                                    const struct weir__history *history);

struct weir__interval_loss {
    uint32_t expected_packets; /* at least 1 */
    uint32_t lost_packets;     /* 0..expected_packets */
};

/* What a block tells since the one before it, without the numbers that were never sent.
 * accounts: of all streams, by their index in the history. */
enum weir__report_kind weir__accounts_on_block(struct weir__accounts *accounts,
                                               const struct weir__history *history,
                                               const struct weir__report_origin *origin,
                                               const struct weir__report_block *block,
                                               struct weir__interval_loss *loss);

#endif
