/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One SSRC as a receiver sees it: its report block, its arrivals, which losses are certain, and
 * what has been reported how often. */
#ifndef WEIR_RECEIVER_STREAM_H
#define WEIR_RECEIVER_STREAM_H

#include "codec/ecn_report.h"
#include "codec/rr_source.h"
#include "session/arrivals.h"
#include "session/reception.h"
#include "weir/rtcp.h"

enum {
    WEIR__COVERAGE = 3,         /* reports that tell each packet: two lost in a row lose nothing */
    WEIR__REPORT_PACKETS = 256, /* of one stream in one report, unless there are more new ones */
    WEIR__LATE_PACKETS = 16,    /* arrivals remembered that reports do not reach back to */
    WEIR__NDUPACK = 3           /* later arrivals that make a hole a loss (RFC 5348 5.1) */
};

struct weir__late_packet {
    int64_t seq;
    int reports_left;
};

struct weir__stream {
    bool in_use;
    int64_t heard_ns;
    struct weir__rr_source rr;
    struct weir__transit transit;
    struct weir__ecn_counts ecn; /* but for the losses, which the reports have */
    int64_t top[WEIR__NDUPACK];  /* the highest arrivals, descending */
    int n_top;
    int64_t settled;                /* below this, every hole has been counted as a loss */
    int64_t begins[WEIR__COVERAGE]; /* first packet not reported once, twice, three times */
    int64_t range_begin;            /* of the report being written */
    int64_t range_end;
    int n_late;
    int n_late_before_range; /* they come first in the list */
    struct weir__late_packet late[WEIR__LATE_PACKETS];
    struct weir__arrivals arrivals; /* large: behind all else */
};

/* What one packet changed. */
struct weir__stream_step {
    enum weir__arrival kind;
    int64_t seq;              /* unwrapped */
    int64_t expected_packets; /* by how much the highest number grew; 0 after a restart */
    int64_t lost_packets;     /* holes that have become losses */
    bool rejected;            /* the first packet after an absurd jump: nothing else is valid */
    bool restarted;           /* the numbers start anew with this packet */
};

void weir__stream_init(struct weir__stream *stream, uint32_t ssrc, uint32_t clock_rate_hz,
                       uint16_t seq);

struct weir__stream_step weir__stream_on_packet(struct weir__stream *stream, int64_t now_ns,
                                                const struct weir_rtp_info *rtp, uint32_t ecn);

/* The counts of ECN codepoints (RFC 6679 5.1). */
struct weir__ecn_counts weir__stream_ecn_counts(const struct weir__stream *stream);

/* Fixes what the next report says of this stream: packets range_begin .. range_end - 1 and the late
 * ones before. Empty when all has been reported often enough. */
void weir__stream_begin_report(struct weir__stream *stream);

/* The i-th packet of that report; false past the last. */
bool weir__stream_report_seq(const struct weir__stream *stream, int64_t i, int64_t *seq);

/* Ends it: what was told WEIR__COVERAGE times is not told again. */
void weir__stream_end_report(struct weir__stream *stream);

#endif
