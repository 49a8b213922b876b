/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The algorithms: their names, parameters and what they answer. What an algorithm implements
 * is in weir/contract.h; a program that brings none needs only what is declared here. */
#ifndef WEIR_CONTROLLER_H
#define WEIR_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "units.h"

WEIR_BEGIN_DECLS

/* Feedback that an algorithm can use, and what it does with it; a set of bits. */
enum weir_needs {
    WEIR_NEEDS_PACKETS = 1 << 0,   /* which packets arrived (CCFB, TWCC, XR Loss RLE) */
    WEIR_NEEDS_ARRIVALS = 1 << 1,  /* and when (CCFB, TWCC, XR receipt times) */
    WEIR_HAS_REPORT_FORM = 1 << 2, /* can also run from RTCP receiver reports alone */
    /* Packets may leave as ECT(1): while they arrive so, a mark is answered as one of an L4S queue
     * (RFC 9331 4.3), else as a loss; the session finds out which it is. It does not promise all
     * that section asks: losses at a short queue hardly lower `sluice`. */
    WEIR_ANSWERS_L4S = 1 << 3
};

enum weir_param_kind {
    WEIR_PARAM_NUMBER,  /* any double in [min, max] */
    WEIR_PARAM_INTEGER, /* whole numbers in [min, max] */
    WEIR_PARAM_BOOL,    /* 0 or 1 */
    WEIR_PARAM_CHOICE   /* index into choices; the name may be given instead */
};

/* One parameter of an algorithm. */
struct weir_param {
    const char *name;        /* lower case, words joined by '-' */
    const char *unit;        /* "ns", "bytes", "packets", "1" ... */
    const char *description; /* one sentence, with its source */
    enum weir_param_kind kind;
    double min;
    double max;
    double default_value;
    const char *const *choices; /* WEIR_PARAM_CHOICE: NULL-terminated names; else NULL */
};

/* A parameter set by name. value_text, if not NULL, is read instead of value: a number, true/false,
 * or a choice. */
struct weir_param_value {
    const char *name;
    const char *value_text;
    double value;
};

struct weir_algorithm_info {
    const char *name;
    const char *description; /* one sentence */
    const char *spec;        /* "RFC 5348" */
    bool for_live_media;     /* else: kept for research and comparison */
    uint32_t needs;          /* enum weir_needs bits */
    const struct weir_param *params;
    size_t n_params;
};

/* Bounds of the bitrate, in bit/s. 0 < min <= start <= max <= 10^11. */
struct weir_limits {
    int64_t min_bps;
    int64_t max_bps;
    int64_t start_bps;
};

/* What holds the rate: bits of weir_output.state. */
enum weir_state {
    WEIR_STATE_STARTING = 1 << 0,        /* no RTT yet */
    WEIR_STATE_SLOW_START = 1 << 1,      /* no loss yet */
    WEIR_STATE_APP_LIMITED = 1 << 2,     /* the application sends less than it may */
    WEIR_STATE_NO_FEEDBACK = 1 << 3,     /* feedback stopped; the rate decays */
    WEIR_STATE_AT_MIN = 1 << 4,          /* held at the configured minimum */
    WEIR_STATE_AT_MAX = 1 << 5,          /* held at the configured maximum */
    WEIR_STATE_REPORTS_ONLY = 1 << 6,    /* degraded form: RTCP receiver reports only */
    WEIR_STATE_REMB_CAPPED = 1 << 7,     /* the receiver's REMB is lower than our own rate */
    WEIR_STATE_BREAKER_REDUCED = 1 << 8, /* RFC 8083: rate cut by ten */
    WEIR_STATE_BREAKER_CEASED = 1 << 9,  /* RFC 8083: must not send */
    WEIR_STATE_QUEUE_PUSHBACK = 1 << 10  /* target lowered until the send queue has drained */
};

/* What limits the rate now. When several do, the first in this order (without a round-trip time the
 * circuit breaker and missing feedback come first). "Lately": within a second, four round-trip
 * times and two feedback intervals, whichever is longest. */
enum weir_limited_by {
    WEIR_LIMITED_BY_STARTING, /* no packet has been sent, or no round-trip time is known yet */
    WEIR_LIMITED_BY_CIRCUIT_BREAKER, /* RFC 8083 forbids sending, or caps the rate */
    WEIR_LIMITED_BY_NO_FEEDBACK, /* feedback stopped (WEIR_STATE_NO_FEEDBACK), and packets wait for
                                    it */
    WEIR_LIMITED_BY_SEND_QUEUE,  /* more than a tenth of the target goes to draining the send queue
                                  */
    WEIR_LIMITED_BY_APPLICATION, /* the source sends less than it may; with losses lately, less than
                               half of it */
    WEIR_LIMITED_BY_MINIMUM,     /* held at the configured minimum, although less would be right */
    WEIR_LIMITED_BY_RECEIVER,    /* the receiver's REMB is lower than our own rate */
    WEIR_LIMITED_BY_MAXIMUM,     /* held at the configured maximum */
    WEIR_LIMITED_BY_LOSS,  /* packets were lost or marked (ECN) lately; or within 10 s, and the
                         algorithm's rate has not recovered since. For an algorithm that aims at a
                         queue: within 10 s, and its rate is a tenth lower than before */
    WEIR_LIMITED_BY_DELAY, /* within 10 s the algorithm's rate fell by a tenth, without loss, while
                         the round-trip time grew by a tenth. For an algorithm that aims at a queue:
                         the queue lately was as long as that */
    WEIR_LIMITED_BY_PROBING,  /* nothing: slow start, or the algorithm's rate rose lately */
    WEIR_LIMITED_BY_ALGORITHM /* nothing else: the algorithm holds its rate */
};

/* A sender's answer. "wire" counts IP + UDP + SRTP + RTP, "media" the RTP payload alone. */
struct weir_output {
    int64_t allowed_wire_bps; /* what the network was proved to carry, within the limits */
    int64_t target_media_bps; /* what the encoder is to be told, in [min, max] (0 when ceased) */
    int64_t target_wire_bps;  /* the same with all headers: what streams that share it may use */
    int64_t pacing_wire_bps;  /* how fast packets leave */
    int64_t window_bytes;     /* may be in flight; INT64_MAX when the algorithm has no window */
    int64_t rtt_ns;           /* smoothed; WEIR_UNKNOWN_NS before the first sample */
    int64_t probe_wire_bytes; /* the algorithm wants to know whether the path carries more: when no
                                 media waits, this many bytes may leave as repair or padding, marked
                                 WEIR_SENT_PROBE in weir_sent; 0 = none. Optional */
    int64_t probe_wire_bps;   /* the rate at which they and the media then leave; pacing_wire_bps is
                                 at least that; 0 = none */
    uint32_t state;           /* enum weir_state bits */
    enum weir_limited_by limited_by;
};

/* A variable of an algorithm, for statistics and traces. Its name contains the unit: "rtt_ns",
 * "loss_event_rate". */
struct weir_variable {
    const char *name;
    double value;
};

/* A word for statistics and scripts, such as "circuit-breaker"; never NULL. */
WEIR_API const char *weir_limited_by_name(enum weir_limited_by cause);
/* A sentence for people. */
WEIR_API const char *weir_limited_by_text(enum weir_limited_by cause);

/* Number of algorithms in the registry. */
WEIR_API size_t weir_algorithm_count(void);

/* The i-th algorithm, NULL when i is out of range. Those for live media come first. */
WEIR_API const char *weir_algorithm_name(size_t i);

/* Fills *info. WEIR_ERROR_UNKNOWN_ALGORITHM when no algorithm has that name. */
WEIR_API enum weir_status weir_algorithm_get_info(const char *name,
                                                  struct weir_algorithm_info *info);

/* Checks one parameter of an algorithm. On failure `why` (n_why bytes, may be NULL) receives one
 * sentence that says what is wrong and what would be right. *checked (may be NULL) receives the
 * value as a number. */
WEIR_API enum weir_status weir_param_check(const char *algorithm,
                                           const struct weir_param_value *value, double *checked,
                                           char *why, size_t n_why);

WEIR_END_DECLS
#endif
