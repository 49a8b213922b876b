/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a receiving session, shared by receiver.c, receiver_input.c (what comes in) and
 * receiver_report.c (what goes out). About 170 KiB, nearly all of it arrivals; allocated once. */
#ifndef WEIR_RECEIVER_STATE_H
#define WEIR_RECEIVER_STATE_H

#include "base/steady.h"
#include "codec/format.h"
#include "codec/sr_rr.h"
#include "estimators/rtt.h"
#include "session/feedback_timing.h"
#include "session/rate_meter.h"
#include "session/receive_estimate.h"
#include "session/receiver_stream.h"
#include "session/reception.h"
#include "weir/receiver.h"

enum {
    WEIR__RECEIVER_STREAMS = 16,
    WEIR__RECEIVER_CLOCKS = 16,
    WEIR__RECEIVER_CNAME_BYTES = 64, /* a longer CNAME is cut */
    WEIR__RECEIVER_MIN_CAPACITY = 128
};

#define WEIR__RECEIVER_INTERVAL_MIN_NS WEIR_MS(20)

/* RFC 3550 6.3.5: a stream that was silent for so long, in RTP and RTCP, is gone. */
#define WEIR__RECEIVER_SILENT_NS WEIR_SECONDS(30)

/* Where the writing of one report stands: it may need several datagrams. */
struct weir__report_round {
    bool open;
    int stream;
    int64_t packet;   /* of that stream */
    int64_t next_seq; /* TWCC: next transport-wide number ... */
    int64_t end_seq;  /* ... up to here */
};

struct weir__clock_rate {
    uint32_t ssrc;
    uint32_t hz; /* 0 = free */
};

/* Transport-wide numbers. */
struct weir__transport {
    int64_t next_seq; /* first that was not reported, or has news */
    bool has_bad_seq; /* the newest number was an absurd jump ... */
    uint16_t bad_seq; /* ... and this one comes next if the sender restarted */
    uint32_t media_ssrc;
    struct weir__arrivals arrivals;
};

struct weir_receiver {
    struct weir_receiver_config config;
    const struct weir__format *format; /* that it writes */
    char cname[WEIR__RECEIVER_CNAME_BYTES + 1];
    int64_t now_ns; /* never goes back; steady: what that is on the clock that is given */
    struct weir__steady steady;
    struct weir_receiver_stats stats;
    int64_t lost_forgotten_packets; /* by streams that are gone */
    uint32_t last_ssrc;
    int n_streams;
    int64_t report_ns; /* last sender report, of whatever stream; WEIR_UNKNOWN_NS = none */
    int next_block;    /* stream that a report with too little room starts with */
    int n_places;      /* of the streams: those behind were never used, and are not touched */
    struct weir__clock_rate clocks[WEIR__RECEIVER_CLOCKS];
    int n_clocks_set;
    struct weir__feedback_timing timing;
    struct weir__report_round round;
    uint8_t feedback_count; /* reports on packets written so far */
    struct weir__reception reception;
    struct weir__rate_meter rate;
    struct weir__receive_estimate estimate;
    struct weir_rtt rtt;
    struct weir__sr_history rrtr_history;
    uint64_t ntp_time; /* at ntp_now_ns; 0 = not known */
    int64_t ntp_now_ns;
    /* Large, and of most sessions little is used: behind all else, so that the rest is together. */
    struct weir__stream streams[WEIR__RECEIVER_STREAMS];
    struct weir__transport transport;
};

_Static_assert(sizeof(struct weir_receiver) < 256 * 1024, "a receiver is too big");

/* The session's time when the clock shows now_ns: a step back is no time passing. */
int64_t weir__receiver_advance(struct weir_receiver *receiver, int64_t now_ns);

/* NULL when there is none. */
struct weir__stream *weir__receiver_find_stream(struct weir_receiver *receiver, uint32_t ssrc);

/* Rate of the last second in bit/s, not over less than 100 ms. */
int64_t weir__receiver_rate_bps(const struct weir_receiver *receiver, int64_t now_ns);

/* Time between feedback packets: configured, or by format and RTT. */
int64_t weir__receiver_interval_ns(const struct weir_receiver *receiver);

/* NTP time of our RTCP clock; only after a first report, which sets ntp_time. */
uint64_t weir__receiver_ntp(const struct weir_receiver *receiver, int64_t now_ns);

/* A stream ends; its losses stay counted. */
void weir__receiver_forget(struct weir_receiver *receiver, struct weir__stream *stream);

/* Forgets streams that were silent too long. */
void weir__receiver_forget_silent(struct weir_receiver *receiver, int64_t now_ns);

#endif
