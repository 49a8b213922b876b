/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a controller saw and answered, record by record, in order of time. A trace holds everything
 * needed to repeat the same decisions. One record is one JSON line; docs/trace.md describes the
 * fields. */
#ifndef WEIR_TRACE_H
#define WEIR_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "sender.h"
#include "status.h"

WEIR_BEGIN_DECLS

#define WEIR_TRACE_VERSION    3
#define WEIR_TRACE_OLD_PARTS  4   /* FILE.1 to FILE.4 are kept beside FILE (docs/trace.md) */
#define WEIR_TRACE_LINE_BYTES 512 /* the longest line, with newline and NUL */

enum weir_trace_kind {
    WEIR_TRACE_START, /* algorithm, limits, seed: the first line, and after each change of algorithm
                       */
    WEIR_TRACE_PARAM, /* one parameter of the algorithm, in table order, after START */
    WEIR_TRACE_SENT,  /* a packet left */
    WEIR_TRACE_FEEDBACK, /* header of a per-packet feedback; its packets follow */
    WEIR_TRACE_PACKET,   /* one packet of the preceding feedback */
    WEIR_TRACE_REPORT,   /* a receiver report */
    WEIR_TRACE_TIMER,    /* the controller's timer ran */
    WEIR_TRACE_LIMITS,   /* limits changed */
    WEIR_TRACE_OUTPUT,   /* the session's answer changed */
    WEIR_TRACE_PATH,     /* the path may have changed: the local clock jumped */
    WEIR_TRACE_CONTROL,  /* the algorithm's own answer changed */
    WEIR_TRACE_PART,     /* first line of a file that continues the trace of another */
    WEIR_TRACE_FIGURES,  /* further values for a live view, at most ten times a second */
    WEIR_TRACE_VARIABLE  /* one of the algorithm's variables; all of them at most once a second */
};

/* Fields that a kind does not use are 0. Times as in sender.h. */
struct weir_trace_record {
    enum weir_trace_kind kind;
    int64_t now_ns;
    const char *name;          /* START: algorithm; PARAM, VARIABLE; FIGURES: of the limit */
    double value;              /* PARAM, VARIABLE */
    uint64_t seed;             /* START */
    struct weir_limits limits; /* START, LIMITS: wire bit/s as the controller got them */
    int64_t seq;               /* SENT, PACKET; PART: its number, the first file is 0 */
    int64_t wire_bytes; /* SENT, PACKET; START: expected packet size; REPORT: mean packet size */
    int64_t in_flight_bytes;   /* SENT, FEEDBACK */
    int64_t network_limited;   /* SENT, REPORT: 0 or 1 */
    int64_t rtt_ns;            /* FEEDBACK, REPORT; START: the RTT known from before */
    int64_t sent_ns;           /* PACKET */
    int64_t arrived_ns;        /* PACKET */
    int64_t packet_status;     /* PACKET: 0 received, 1 lost, 2 late */
    int64_t ecn;               /* PACKET: enum weir_ecn, as it arrived */
    int64_t n_packets;         /* FEEDBACK; START: number of PARAM lines that follow */
    int64_t interval_ns;       /* REPORT */
    int64_t expected_packets;  /* REPORT */
    int64_t lost_packets;      /* REPORT */
    int64_t sent_bytes;        /* REPORT */
    int64_t newest_age_ns;     /* REPORT: since the newest packet it tells of left; 0 = not known */
    int64_t missing_age_ns;    /* REPORT: since the one after that left; 0 = none */
    int64_t queueing_ns;       /* FIGURES */
    int64_t send_queue_ns;     /* FIGURES */
    struct weir_output output; /* OUTPUT; CONTROL: allowed, pacing, window and state */
};

/* Writes a record as one JSON line with newline and NUL. Returns its length without NUL, or 0 when
 * capacity is too small. */
WEIR_API size_t weir_trace_format(const struct weir_trace_record *record, char *line,
                                  size_t capacity);

WEIR_END_DECLS
#endif
