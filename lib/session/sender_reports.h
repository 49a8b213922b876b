/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our own RTCP: sender reports, SDES and answers to receiver reference times (RFC 3550 6.4.1,
 * RFC 3611 4.5), when to send them, and the round-trip time from the echoes of those sent.
 *
 * Invariant: reports take at most a twentieth of the sending rate, except that one leaves every 5 s
 * at the least. */
#ifndef WEIR_SENDER_REPORTS_H
#define WEIR_SENDER_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/xr.h"
#include "session/history.h"
#include "weir/status.h"

enum { WEIR__REPORT_ECHOES = 16, WEIR__CNAME_BYTES = 64, WEIR__REPORT_MAX_DLRR = 8 };

#define WEIR__NO_MEMBER UINT32_MAX

struct weir__report_stream {
    uint32_t ssrc;
    bool in_use;
    uint32_t member; /* whose it is; WEIR__NO_MEMBER: that one has left */
    uint32_t clock_rate_hz;
    uint32_t rtp_timestamp; /* of the newest frame ... */
    int64_t timestamp_ns;   /* ... and when its first packet left */
    uint32_t sent_packets;  /* modulo 2^32, as on the wire */
    uint32_t payload_octets;
};

/* A sender report that left, ours or of a stack behind us. */
struct weir__report_echo {
    uint32_t mid32; /* 0 = none */
    int64_t sent_ns;
};

struct weir__sender_reports {
    int64_t next_ns;
    struct weir__report_stream streams[WEIR__HISTORY_STREAMS];
    /* Of reports alone. */
    uint32_t n_echoes;
    struct weir__report_echo echoes[WEIR__REPORT_ECHOES];
    uint8_t first_stream; /* of the next report, when not all fit */
    uint64_t random;
    int64_t built_ns;   /* when the newest one was; several of one moment are one to the interval */
    size_t built_bytes; /* of that moment */
    char cname[WEIR__CNAME_BYTES];
};

/* cname NULL = "weir"; longer names are cut. */
void weir__sender_reports_init(struct weir__sender_reports *reports, const char *cname,
                               uint64_t seed);

/* A stream belongs to the member that names it first. */
enum weir_status weir__sender_reports_set_clock_rate(struct weir__sender_reports *reports,
                                                     uint32_t member, uint32_t ssrc, uint32_t hz);
void weir__sender_reports_on_packet(struct weir__sender_reports *reports, int64_t now_ns,
                                    uint32_t member, uint32_t ssrc, uint32_t rtp_timestamp,
                                    uint32_t payload_bytes);
/* Whose a stream is; WEIR__NO_MEMBER. */
uint32_t weir__sender_reports_member(const struct weir__sender_reports *reports, uint32_t ssrc);
/* Its streams are nobody's. */
void weir__sender_reports_forget_member(struct weir__sender_reports *reports, uint32_t member);

/* Clock rate of a stream, 90000 when it was not set. */
uint32_t weir__sender_reports_clock_rate_hz(const struct weir__sender_reports *reports,
                                            uint32_t ssrc);

/* One compound: SR of each stream, SDES, XR with the answers. local_ssrc opens it when no packet
 * was sent. sent_bps: the sending rate, for the time of the next report. */
struct weir__report_request {
    int64_t now_ns;
    uint64_t ntp_time;
    uint32_t local_ssrc;
    int64_t sent_bps;
    bool only_echoes; /* the round-trip time is known from sender reports alone */
    const struct weir__xr_dlrr *answers;
    size_t n_answers; /* at most WEIR__REPORT_MAX_DLRR */
    uint32_t member;  /* whose streams are reported */
};
enum weir_status weir__sender_reports_build(struct weir__sender_reports *reports,
                                            const struct weir__report_request *request,
                                            uint8_t *buffer, size_t capacity, size_t *len);

/* A sender report left. */
void weir__sender_reports_on_echo_source(struct weir__sender_reports *reports, int64_t now_ns,
                                         uint32_t mid32);

/* Round-trip time from LSR and DLSR of a report that came now; WEIR_UNKNOWN_NS when LSR is none of
 * the last WEIR__REPORT_ECHOES sender reports, or the result is not in (0, 10 s]. */
int64_t weir__sender_reports_rtt_ns(const struct weir__sender_reports *reports, int64_t now_ns,
                                    uint32_t lsr_mid32, uint32_t dlsr_mid32);

#endif
