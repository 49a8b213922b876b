/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sending session: the media that a program sends over one path, from one encoder or several.
 *
 * Each encoder with a send queue is a member of the session. A program with one encoder passes 0
 * wherever a member is asked for. A call with a voice and two videos has one session with three
 * members, which share one estimate of the path:
 *
 *     struct weir_sender *call = weir_sender_create(&config, now_ns, &status); // 0: the voice
 *     weir_sender_add_member(call, now_ns, &camera_config, &camera);
 *     weir_sender_add_member(call, now_ns, &screen_config, &screen);
 *     ...
 *     weir_sender_get_share(call, camera, &share);
 *     set_bitrate(camera_encoder, share.target_media_bps);
 *
 * It opens no socket and reads no clock. The program passes time in, sends packets when
 * next_send_ns says so, tells the session what it sent and what RTCP came back, runs on_timer when
 * next_timer_ns is due, and sets its encoder to target_media_bps. All calls of one session come
 * from one thread at a time; now_ns is monotonic (a step back is treated as no time passing, and
 * counted). Nothing is allocated after create. */
#ifndef WEIR_SENDER_H
#define WEIR_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller.h"
#include "rtcp.h"
#include "status.h"
#include "units.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest pacing quantum, in ns: what leaves at once makes others wait as long. */
#define WEIR_PACING_QUANTUM_MAX_NS WEIR_MS(5)

struct weir_trace_record;

struct weir_sender_config {
    size_t size;           /* sizeof this struct, set by weir_sender_config_init */
    const char *algorithm; /* "sluice" */
    const struct weir_param_value *params;
    size_t n_params;
    struct weir_limits limits; /* of member 0, media bit/s: bounds of target_media_bps */
    uint32_t overhead_bytes;   /* likewise, IP + UDP + SRTP per packet; 28 (IPv4, no SRTP) */
    uint32_t packet_bytes;     /* RTP packet size expected before the first is sent; 1200 */
    uint32_t feedback_formats; /* enum weir_feedback_format bits that may steer */
    bool pacing;               /* false: next_send_ns never delays (a window still blocks) */
    int64_t pacing_quantum_ns; /* how far before their even schedule packets may leave together with
                                  one that is due; 0 .. WEIR_PACING_QUANTUM_MAX_NS, 0 */
    bool circuit_breaker;      /* RFC 8083 */
    uint32_t local_ssrc;       /* SSRC of our own RTCP when no stream has been sent yet */
    const char *cname;         /* SDES CNAME of our sender reports; NULL = "weir" */
    uint64_t seed;
    void (*on_trace)(void *user, const struct weir_trace_record *record); /* NULL: no trace */
    void *trace_user;
};

/* What a packet is, besides media of the encoder. */
enum weir_sent_flags {
    WEIR_SENT_AUDIO = 1 << 0,  /* left by weir_sender_next_audio_ns */
    WEIR_SENT_REPAIR = 1 << 1, /* retransmission or FEC: spends the budget, carries no new media */
    WEIR_SENT_PROBE = 1 << 2   /* repair or padding for probe_wire_bytes: beyond the budget */
};

enum {
    WEIR_MEMBERS = 64,    /* of one session, at most */
    WEIR_RTP_SESSIONS = 7 /* whose transport-wide numbers can be told apart, counting one for each
                             member without an RTP session; those of others are ignored */
};

/* A member of a session: an encoder (or several with one target) and its send queue. */
struct weir_member {
    struct weir_limits limits; /* media bit/s: bounds of its target, and its part of the start */
    uint32_t weight;           /* of its share: 1 .. 1000000; only ratios matter */
    uint32_t overhead_bytes;   /* IP + UDP + SRTP per packet, at most 1024; the session uses the
                                  largest of its members */
    uint64_t rtp_session;      /* members with the same number send through the same RTP session,
                                  which numbers their packets together; 0: its own */
};

/* A member's part of weir_output. */
struct weir_share {
    int64_t target_media_bps; /* what its encoder should produce, in [min, max] (0 when ceased) */
    int64_t wire_bps;         /* its part of the budget; a member that uses less lends the rest */
    int64_t drain_wire_bps;   /* how fast its send queue empties: its part of pacing_wire_bps */
    bool numbers_count;       /* its RTP session is one of the first WEIR_RTP_SESSIONS */
};

/* One packet as it is handed to the socket. */
struct weir_sent {
    uint32_t ssrc;
    uint32_t rtp_timestamp;
    uint16_t rtp_seq;
    uint16_t transport_seq; /* transport-wide number in the packet ... */
    bool has_transport_seq; /* ... if it carries one */
    uint32_t rtp_bytes;     /* whole RTP packet; overhead is added by the session */
    uint32_t payload_bytes; /* of those, media payload */
    int64_t queued_bytes;   /* what still waits in this member's send queue; 0 = the source is the
                               limit */
    uint32_t flags;         /* enum weir_sent_flags bits */
    uint32_t member;        /* whose packet it is; 0 when there is but one */
    int64_t waited_ns;      /* in the program's send queue; of audio, for r_score and mos */
};

/* What another RTP stack decoded from transport-wide feedback (GStreamer's RTPTWCCPackets):
 * untrusted. */
struct weir_packet_result {
    uint16_t transport_seq;
    bool received;
    int64_t
        sent_ns; /* their send time on our clock; WEIR_UNKNOWN_NS if unknown. Only used to match */
    int64_t arrived_ns;     /* receiver's clock; WEIR_UNKNOWN_NS if lost or unknown */
    uint32_t payload_bytes; /* 0 if unknown. Only used to match */
};

/* Counters; they only grow, unless a name says otherwise. */
struct weir_sender_stats {
    uint64_t packets_sent;
    uint64_t bytes_sent_wire;
    uint64_t bytes_sent_media;
    uint64_t packets_received; /* reported received */
    uint64_t packets_lost;     /* declared lost, late arrivals taken back */
    uint64_t packets_late;
    uint64_t packets_unknown; /* left the history without ever being reported */
    uint64_t rtcp_packets;    /* understood */
    uint64_t rtcp_malformed;
    uint64_t rtcp_unknown;                                /* well-formed, not ours to read */
    uint64_t rtcp_rejected;                               /* guard: see SECURITY.md */
    uint64_t feedback_packets[WEIR_FEEDBACK_FORMATS_MAX]; /* by format: its bit is 1 << index */
    uint64_t feedback_results;
    uint64_t results_unsent; /* reports about packets never sent or long forgotten */
    uint64_t results_repeated;
    uint64_t clock_steps_back;
    uint64_t clock_jumps; /* a local step forward too large to be believed */
    uint64_t nacks, plis, firs;
    int64_t in_flight_bytes; /* now */
    int64_t rtt_ns;          /* now, smoothed; WEIR_UNKNOWN_NS */
    int64_t rtt_min_ns;
    int64_t sent_wire_bps;        /* now, mean of the last second */
    int64_t delivered_wire_bps;   /* now, from feedback; 0 when unknown */
    int64_t loss_ppm;             /* now, over the last ~10 s of feedback */
    int64_t last_feedback_ns;     /* WEIR_UNKNOWN_NS before the first */
    int64_t feedback_interval_ns; /* now, smoothed, without our silence; WEIR_UNKNOWN_NS before
                                     two */
    uint32_t active_formats;      /* enum weir_feedback_format bits seen in the last 10 s */
    int64_t remb_bps;             /* cap in force; INT64_MAX = none */
    int64_t age_ns;               /* since create */
    int64_t queueing_ns;   /* now: one-way delay above its smallest of the last one to two minutes;
                              without arrival times rtt - rtt_min. WEIR_UNKNOWN_NS */
    int64_t send_queue_ns; /* what a packet queued now would wait for the pacer; WEIR_UNKNOWN_NS: a
                              window or the circuit breaker blocks */
    double r_score; /* voice as the receiver hears it, as G.711 would sound (quality.h), of the last
                       ~10 s with audio: what the send queue dropped and the path lost; half the
                       RTT, the wait in the send queue, and 60 ms for packet and playout buffer.
                       Without an RTT the losses alone; 0 as long as there was no audio */
    double mos;
};

struct weir_sender;

/* Fills in the defaults: sluice, 30 kbit/s to 10 Mbit/s starting at 300 kbit/s, all feedback,
 * pacing, breaker. */
WEIR_API void weir_sender_config_init(struct weir_sender_config *config);
/* The only allocation, of less than 220 KiB. NULL on failure, with *status (may be NULL) saying
 * why: WEIR_ERROR_ARGUMENT (a value of *config outside its range), _UNKNOWN_ALGORITHM,
 * _UNKNOWN_PARAM, _RANGE (of a parameter), _NO_MEMORY. Copies what *config points to. */
WEIR_API struct weir_sender *weir_sender_create(const struct weir_sender_config *config,
                                                int64_t now_ns, enum weir_status *status);
/* NULL is allowed. */
WEIR_API void weir_sender_destroy(struct weir_sender *sender);

/* Members. weir_sender_create makes the first one, number 0, from the limits and the overhead of
 * its config, with weight 1. The limits of the session are the sums of those of its members, and
 * weir_output is for all of them together; weir/shares.h says how they share it. Changes take
 * effect at once.
 *
 * add_member sets *member, the number of the new member until it is removed. If nothing has been
 * sent yet, the algorithm restarts with the sum of the start rates. Nothing changes on failure:
 * WEIR_ERROR_ARGUMENT (a NULL, limits out of order or range, overhead_bytes), _RANGE (weight, or
 * minimums that sum to more than 10^11 bit/s), _NO_SPACE (there are WEIR_MEMBERS). */
WEIR_API enum weir_status weir_sender_add_member(struct weir_sender *sender, int64_t now_ns,
                                                 const struct weir_member *config,
                                                 uint32_t *member);
/* The same errors, and WEIR_ERROR_ARGUMENT when there is no such member. */
WEIR_API enum weir_status weir_sender_set_member(struct weir_sender *sender, int64_t now_ns,
                                                 uint32_t member, const struct weir_member *config);
/* WEIR_ERROR_ARGUMENT when there is no such member. */
WEIR_API enum weir_status weir_sender_get_member(const struct weir_sender *sender, uint32_t member,
                                                 struct weir_member *config);
/* The other members get its share. WEIR_ERROR_ARGUMENT when there is no such member, or when it is
 * the only one. */
WEIR_API enum weir_status weir_sender_remove_member(struct weir_sender *sender, int64_t now_ns,
                                                    uint32_t member);
/* A packet entered a member's send queue; see weir_shares_on_media. A session with one member does
 * not need this. */
WEIR_API void weir_sender_on_media(struct weir_sender *sender, int64_t now_ns, uint32_t member,
                                   uint32_t payload_bytes, uint32_t wire_bytes);
/* A member's part of the output; call it when you call weir_sender_get_output. The only member has
 * all of it. WEIR_ERROR_ARGUMENT when there is no such member. */
WEIR_API enum weir_status weir_sender_get_share(const struct weir_sender *sender, uint32_t member,
                                                struct weir_share *share);

/* Changes algorithm and parameters at run time; RTT and the present rate are handed on, the send
 * history stays. On failure (as in create) nothing has changed. */
WEIR_API enum weir_status weir_sender_set_algorithm(struct weir_sender *sender, int64_t now_ns,
                                                    const char *algorithm,
                                                    const struct weir_param_value *params,
                                                    size_t n_params);
/* The same algorithm with other parameters. Starts the algorithm anew with the path state measured
 * so far. */
WEIR_API enum weir_status weir_sender_set_params(struct weir_sender *sender, int64_t now_ns,
                                                 const struct weir_param_value *params,
                                                 size_t n_params);
/* Off: next_send_ns is "at once", unless a window or the circuit breaker blocks. */
WEIR_API void weir_sender_set_pacing(struct weir_sender *sender, int64_t now_ns, bool pacing);
/* How far before their even schedule packets may leave together with one that is due: fewer
 * wake-ups, bursts of rate times quantum. WEIR_ERROR_RANGE, and nothing has changed, outside 0 ..
 * WEIR_PACING_QUANTUM_MAX_NS. */
WEIR_API enum weir_status weir_sender_set_pacing_quantum(struct weir_sender *sender, int64_t now_ns,
                                                         int64_t quantum_ns);
/* enum weir_feedback_format bits that may steer; the others are only counted. */
WEIR_API void weir_sender_set_feedback_formats(struct weir_sender *sender, int64_t now_ns,
                                               uint32_t formats);
/* NULL ends the trace. on_trace must not call the session. */
WEIR_API void weir_sender_set_trace(struct weir_sender *sender,
                                    void (*on_trace)(void *user,
                                                     const struct weir_trace_record *record),
                                    void *user);
/* The RTP clock rate of a member's stream, for sender reports and receipt times; 90000 unless set.
 * WEIR_ERROR_RANGE outside 1 .. 10^9 Hz, WEIR_ERROR_ARGUMENT when there is no such member. */
WEIR_API enum weir_status weir_sender_set_clock_rate(struct weir_sender *sender, uint32_t member,
                                                     uint32_t ssrc, uint32_t hz);
/* Which member a stream belongs to: the first that set its clock rate or sent a packet of it. False
 * when it belongs to none; 16 streams are remembered. */
WEIR_API bool weir_sender_find_stream(const struct weir_sender *sender, uint32_t ssrc,
                                      uint32_t *member);

/* When may a packet of rtp_bytes leave? A time <= now_ns: at once. WEIR_NEVER_NS: blocked by the
 * window or the circuit breaker until feedback or a timer changes that. The answer does not change
 * the state. */
WEIR_API int64_t weir_sender_next_send_ns(const struct weir_sender *sender, int64_t now_ns,
                                          uint32_t rtp_bytes);
/* The same for audio, which leaves before video that waits: it is paced against audio alone and
 * waits for a window only when the audio in flight would fill it by itself. Video then waits for
 * both. WEIR_SENT_AUDIO in weir_sent says that a packet left this way. */
WEIR_API int64_t weir_sender_next_audio_ns(const struct weir_sender *sender, int64_t now_ns,
                                           uint32_t rtp_bytes);
/* A packet has left. Sequence numbers may wrap, repeat and start anew. WEIR_ERROR_ARGUMENT, and
 * nothing has changed, when rtp_bytes is 0 or more than 1048560, or there is no such member. */
WEIR_API enum weir_status weir_sender_on_sent(struct weir_sender *sender, int64_t now_ns,
                                              const struct weir_sent *sent);
/* The transport-wide number that a stack behind us gave a packet already passed to on_sent, on the
 * RTP session of its member. */
WEIR_API void weir_sender_on_transport_seq(struct weir_sender *sender, uint32_t ssrc,
                                           uint16_t rtp_seq, uint16_t transport_seq);
/* How much waits in a member's send queue, for the encoder target; call it when packets are queued
 * or dropped. */
WEIR_API void weir_sender_on_queue(struct weir_sender *sender, int64_t now_ns, uint32_t member,
                                   int64_t queued_bytes);

/* One RTCP datagram for a member: compound or reduced-size. RTCP of an RTP session that several
 * members share is passed once, for any of them. WEIR_OK when at least one packet of it
 * was understood and believed; else why the last one was not: WEIR_ERROR_TRUNCATED, _MALFORMED,
 * _UNSUPPORTED, _REJECTED (not believed, or more than 1000 datagrams in a second), or
 * _NEEDS_FEEDBACK (receiver reports are all there is, and the algorithm cannot run from them). All
 * is counted. A packet changes everything it says or nothing. */
WEIR_API enum weir_status weir_sender_on_rtcp(struct weir_sender *sender, int64_t now_ns,
                                              uint32_t member, const uint8_t *data, size_t len);
/* The same from a stack that has decoded transport-wide feedback: the n results of one RTCP packet,
 * in its order. WEIR_ERROR_UNSUPPORTED when the member's transport-wide numbers do not count. */
WEIR_API enum weir_status weir_sender_on_packet_results(struct weir_sender *sender, int64_t now_ns,
                                                        uint32_t member,
                                                        const struct weir_packet_result *results,
                                                        size_t n);

/* When on_timer is due; WEIR_NEVER_NS. Changes with every call that is not const. */
WEIR_API int64_t weir_sender_next_timer_ns(const struct weir_sender *sender);
/* Early calls do no harm. More than 10 s too late: the machine slept, the path may be another. */
WEIR_API void weir_sender_on_timer(struct weir_sender *sender, int64_t now_ns);

/* Sender reports, for programs without an RTP stack of their own. next_report_ns is WEIR_NEVER_NS
 * before the first packet; build_report writes a compound SR + SDES (+ XR DLRR when a receiver
 * asked) of the streams of a member, and sets the next time: when one is due, it is due for each
 * member. Go on sending them while the circuit breaker stops the media: a receiver answers them,
 * and its answer is what ends the stop. ntp_time is the wall clock now, 32.32 fixed point since
 * 1900. WEIR_ERROR_NO_SPACE when not one report fits, or one of several members has sent nothing;
 * of more streams than fit, the others come next time. WEIR_ERROR_ARGUMENT: a NULL, no such member.
 */
WEIR_API int64_t weir_sender_next_report_ns(const struct weir_sender *sender);
WEIR_API enum weir_status weir_sender_build_report(struct weir_sender *sender, int64_t now_ns,
                                                   uint32_t member, uint64_t ntp_time,
                                                   uint8_t *buffer, size_t capacity, size_t *len);
/* Tells when an SR sent by another stack left, so that RTT from RR works (mid 32 bits of its NTP
 * time). */
WEIR_API void weir_sender_on_report_sent(struct weir_sender *sender, int64_t now_ns,
                                         const uint8_t *data, size_t len);

/* What holds now; changes with every call that is not const. */
WEIR_API void weir_sender_get_output(const struct weir_sender *sender, struct weir_output *output);
/* "Now" is the time of the latest call that had one. */
WEIR_API void weir_sender_get_stats(const struct weir_sender *sender,
                                    struct weir_sender_stats *stats);
/* The algorithm's own variables, by name; returns how many. */
WEIR_API size_t weir_sender_get_variables(const struct weir_sender *sender,
                                          struct weir_variable *variables, size_t n);
/* Its name in the registry. */
WEIR_API const char *weir_sender_get_algorithm(const struct weir_sender *sender);

#ifdef __cplusplus
}
#endif
#endif
