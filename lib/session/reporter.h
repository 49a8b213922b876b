/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who sends us RTCP: what is remembered about each reporter between its packets. A receiver that
 * comes back with a new SSRC is a new reporter. */
#ifndef WEIR_REPORTER_H
#define WEIR_REPORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/unwrap.h"
#include "codec/format.h"
#include "session/guard.h"
#include "session/history.h"
#include "session/reporter_path.h"

enum { WEIR__REPORTERS = 8 };

/* A reporter that was silent for this long makes room for another; one that has proved nothing does
 * at once. */
#define WEIR__REPORTER_SILENT_NS WEIR_SECONDS(5)

struct weir__reporter {
    uint32_t ssrc;
    uint8_t transport; /* on which it reports: the same SSRC on another is another */
    bool in_use;
    bool has_proved; /* that it sees our packets: it named a stream of ours, and numbers sent */
    bool is_heeded;  /* its newest feedback was used, and not another's */
    bool has_rrtr;   /* and has not been answered */
    bool had_rrtr;
    bool has_reported;
    struct weir__budget budget; /* of its datagrams, when it has proved itself */
    uint32_t rrtr_mid32;
    int64_t rrtr_ns;               /* when it came */
    int64_t heard_ns;              /* last */
    int64_t reported_ns;           /* last receiver report that was taken */
    uint64_t reported_sent_bytes;  /* wire bytes sent until then */
    int64_t held_expected_packets; /* told since then, by reports that came too soon after it */
    int64_t held_lost_packets;
    struct {
        struct weir__time_unwrap clock; /* of its reports */
        uint32_t peer;                  /* its way of writing: struct weir__format */
    } formats[WEIR__FORMATS];
    struct weir__reporter_path path;
    uint16_t streams; /* of ours that it has told of: a bit for each index in the history */
};

struct weir__reporters {
    struct weir__reporter entries[WEIR__REPORTERS];
};

/* The entry of an SSRC; NULL when there is none. */
struct weir__reporter *weir__reporters_find(struct weir__reporters *reporters, uint32_t transport,
                                            uint32_t ssrc);

/* The entry of an SSRC, made when it is new. NULL when all entries are taken by reporters that have
 * proved themselves and were heard lately. */
struct weir__reporter *weir__reporters_get(struct weir__reporters *reporters, uint32_t transport,
                                           uint32_t ssrc, int64_t now_ns);

/* A receiver reference time (RFC 3611 4.4), to be answered in our next sender report. One of the
 * ten minutes before the newest is a replay. */
void weir__reporter_on_rrtr(struct weir__reporter *reporter, uint32_t mid32, int64_t now_ns);

#endif
