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
 * It opens no socket and reads no clock. The program passes the time in, sends packets when
 * next_send_ns says so, reports what it sent and which RTCP came back, calls on_timer when
 * next_timer_ns is due, and sets its encoder to target_media_bps. All calls of one session come
 * from one thread at a time; now_ns is monotonic. A step back counts as no time passing, and is
 * counted; ask for deadlines anew after the next call, they are told on the clock as it then is.
 * Nothing is allocated after create. */
#ifndef WEIR_SENDER_H
#define WEIR_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller.h"
#include "ecn.h"
#include "rtcp.h"
#include "status.h"
#include "units.h"

WEIR_BEGIN_DECLS

/* The longest pacing quantum, in ns: a burst delays others by its own length. */
#define WEIR_PACING_QUANTUM_MAX_NS WEIR_MS(5)

/* NDUPACK of RFC 5348 5.1. */
#define WEIR_REORDER_PACKETS_MAX 3

struct weir_trace_record;

/* Several receivers may get the same packets (multicast, a tee): whose feedback sets the rate?
 * SECURITY.md has the rules. */
enum weir_receivers {
    WEIR_RECEIVERS_WORST, /* of the one to which the least gets through: all can follow */
    WEIR_RECEIVERS_FIRST  /* of the first that tells, until it falls silent */
};

struct weir_sender_config {
    size_t size;           /* sizeof this struct, set by weir_sender_config_init */
    const char *algorithm; /* default "sluice" */
    const struct weir_param_value *params;
    size_t n_params;
    struct weir_limits limits; /* of member 0, in media bit/s: bounds of target_media_bps */
    uint32_t overhead_bytes;   /* of member 0: IP + UDP + SRTP; default 28 (IPv4, no SRTP) */
    uint32_t packet_bytes;     /* RTP packet size expected before the first is sent; default 1200 */
    uint32_t feedback_formats; /* enum weir_feedback_format bits that may control the rate */
    enum weir_receivers receivers; /* of several receivers; default WEIR_RECEIVERS_WORST */
    bool pacing;                   /* false: next_send_ns never delays, but a window still blocks */
    int64_t pacing_quantum_ns; /* how much before their even times packets may leave together with
                                  one that is due; 0 .. WEIR_PACING_QUANTUM_MAX_NS, default 0 */
    bool circuit_breaker;      /* RFC 8083; and half the rate for each second of silence */
    int64_t reorder_packets;   /* later packets that must arrive before one is lost; fewer than the
                                  default take more of what comes out of order for lost. 1 ..
                                  WEIR_REORDER_PACKETS_MAX, which is the default */
    uint32_t local_ssrc;       /* SSRC of our own RTCP when no stream has been sent yet */
    const char *cname;         /* SDES CNAME of our sender reports; NULL = "weir" */
    uint64_t seed;
    void (*on_trace)(void *user, const struct weir_trace_record *record); /* NULL: no trace */
    void *trace_user;
};

/* What a packet is, if not the encoder's new media. */
enum weir_sent_flags {
    WEIR_SENT_AUDIO = 1 << 0,  /* left as weir_sender_next_audio_ns allowed */
    WEIR_SENT_REPAIR = 1 << 1, /* retransmission or FEC: uses the budget, carries no new media */
    WEIR_SENT_PROBE = 1 << 2   /* repair or padding for probe_wire_bytes: outside the budget */
};

enum {
    WEIR_MEMBERS = 64,    /* of one session, at most */
    WEIR_RTP_SESSIONS = 7 /* whose transport-wide numbers can be told apart, counting one for each
                             member without an RTP session; those of others are ignored */
};

/* A member of a session: an encoder (or several with one target) and its send queue. */
struct weir_member {
    struct weir_limits limits; /* media bit/s: bounds of its target, and its part of the start */
    uint32_t weight;           /* weight of its share, 1 .. 1000000; only ratios matter */
    uint32_t overhead_bytes;   /* IP + UDP + SRTP per packet, at most 1024; the session uses the
                                  largest of its members */
    uint64_t rtp_session;      /* members with the same number send through the same RTP session,
                                  which numbers their packets together; 0: its own */
    uint32_t reporter_ssrc;    /* its receiver's, as signalled: of what comes for its RTP session
                                  only RTCP of such SSRCs is read; 0: not known. Results of
                                  another stack have no SSRC, and are read. */
};

/* A member's part of weir_output. */
struct weir_share {
    int64_t target_media_bps; /* what its encoder should produce, in [min, max] (0 when ceased) */
    int64_t wire_bps;         /* its part of the budget; a member that uses less lends the rest */
    int64_t drain_wire_bps;   /* how fast its send queue empties: its part of pacing_wire_bps */
    bool numbers_count;       /* its RTP session is one of the first WEIR_RTP_SESSIONS */
};

/* One packet as handed to the socket. */
struct weir_sent {
    uint32_t ssrc;
    uint32_t rtp_timestamp;
    uint16_t rtp_seq;
    uint16_t transport_seq; /* transport-wide number in the packet ... */
    bool has_transport_seq; /* ... if it carries one */
    uint8_t ecn;            /* enum weir_ecn that it left with; other bits are ignored */
    uint32_t rtp_bytes;     /* whole RTP packet; overhead is added by the session */
    uint32_t payload_bytes; /* media payload among them */
    int64_t queued_bytes;   /* what still waits in this member's send queue; 0 = the source is the
                               limit */
    uint32_t flags;         /* enum weir_sent_flags bits */
    uint32_t member;        /* the packet's member; 0 when there is only one */
    int64_t waited_ns; /* time in the program's send queue; used for r_score and mos of audio */
};

/* Transport-wide feedback as another RTP stack decoded it (GStreamer's RTPTWCCPackets); untrusted.
 */
struct weir_packet_result {
    uint16_t transport_seq;
    bool received;
    int64_t sent_ns;    /* the stack's send time, on our clock; WEIR_UNKNOWN_NS if unknown. Only for
                           matching */
    int64_t arrived_ns; /* receiver's clock; WEIR_UNKNOWN_NS if lost or unknown */
    uint32_t payload_bytes; /* 0 if unknown. Only for matching */
};

/* Counters since create, and current values where the comment says so. */
struct weir_sender_stats {
    uint64_t packets_sent;
    uint64_t bytes_sent_wire;
    uint64_t bytes_sent_media;
    uint64_t packets_received; /* reported received */
    uint64_t packets_lost;     /* declared lost, less those that arrived late */
    uint64_t packets_late;
    uint64_t packets_unknown; /* left the history without a report */
    uint64_t rtcp_packets;    /* understood */
    uint64_t rtcp_malformed;
    uint64_t rtcp_unknown;  /* well-formed, but of no use here */
    uint64_t rtcp_rejected; /* by the guard: see SECURITY.md */
    uint64_t rtcp_ignored;  /* understood, but another reporter or format steers: SECURITY.md */
    uint64_t feedback_packets[WEIR_FEEDBACK_FORMATS_MAX]; /* by format: its bit is 1 << index */
    uint64_t feedback_results;
    uint64_t results_unsent; /* reports about packets never sent or long forgotten, except that
                                a number skipped within a stream is missing */
    uint64_t results_repeated;
    uint64_t feedback_denied;  /* times that receiver reports told of losses which the same
                                  receiver's feedback on packets denied: they alone count then, for
                                  a minute */
    uint64_t results_invented; /* reports that a number arrived which was never sent: a lie */
    uint64_t clock_steps_back;
    uint64_t clock_jumps; /* implausibly large local steps forward */
    uint64_t nacks, plis, firs;
    int64_t in_flight_bytes; /* current */
    int64_t rtt_ns;          /* current, smoothed; or WEIR_UNKNOWN_NS */
    int64_t rtt_min_ns;
    int64_t sent_wire_bps;        /* current, mean of the last second */
    int64_t delivered_wire_bps;   /* current, from feedback; 0 when unknown */
    int64_t loss_ppm;             /* current, over the last ~10 s of feedback */
    int64_t loss_burst_milli;     /* current: packets lost in a row, mean of the last 64 to 128
                                     losses, in 1/1000; 1000 without feedback on packets */
    int64_t last_feedback_ns;     /* WEIR_UNKNOWN_NS before the first */
    int64_t feedback_interval_ns; /* current, smoothed, without our own silence; WEIR_UNKNOWN_NS
                                     before the second feedback */
    uint32_t disbelieved;    /* current: transports whose reports are ignored, because two different
                                numbers arrived that were never sent */
    uint32_t active_formats; /* enum weir_feedback_format bits seen in the last 10 s */
    int64_t remb_bps;        /* cap in force; INT64_MAX = none */
    int64_t age_ns;          /* since create */
    int64_t queueing_ns; /* current: one-way delay above its minimum of the last one to two minutes;
                            without arrival times rtt - rtt_min; or WEIR_UNKNOWN_NS */
    int64_t send_queue_ns; /* how long a packet queued now would wait for the pacer; WEIR_UNKNOWN_NS
                              when a window or the circuit breaker blocks */
    double r_score; /* voice quality at the receiver, as for G.711 (quality.h), over the last ~10 s
                       with audio. Loss: what the send queue dropped and the path lost. Delay: half
                       the RTT, the wait in the send queue, and 60 ms for packet and playout buffer.
                       Without an RTT the losses alone; 0 before the first audio */
    double mos;
};

/* A receiver, as its own feedback tells of it. */
struct weir_reporter {
    uint32_t ssrc;       /* of its RTCP */
    uint32_t transport;  /* those with the same number here receive the same packets */
    bool steers;         /* its feedback sets the rate */
    int64_t loss_ppm;    /* over about the last second */
    int64_t queueing_ns; /* one-way delay above its minimum of the last one to two minutes;
                            WEIR_UNKNOWN_NS without arrival times */
};

struct weir_sender;

/* Fills in the defaults: sluice, 30 kbit/s to 10 Mbit/s starting at 300 kbit/s, all feedback
 * formats, pacing, circuit breaker. */
WEIR_API void weir_sender_config_init(struct weir_sender_config *config);
/* The only allocation, less than 220 KiB. NULL on failure; *status (may be NULL) says why:
 * WEIR_ERROR_ARGUMENT (a value of *config outside its range), _UNKNOWN_ALGORITHM, _UNKNOWN_PARAM,
 * _RANGE (of a parameter), _NO_MEMORY. What *config points to is copied. */
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
/* A packet entered a member's send queue; see weir_shares_on_media. Where this is told, also for a
 * session with one member, the target makes up for an encoder that makes a few per cent less, or
 * more, than it is told. */
WEIR_API void weir_sender_on_media(struct weir_sender *sender, int64_t now_ns, uint32_t member,
                                   uint32_t payload_bytes, uint32_t wire_bytes);
/* A member's part of the output; call it when you call weir_sender_get_output. The only member has
 * all of it. WEIR_ERROR_ARGUMENT when there is no such member. */
WEIR_API enum weir_status weir_sender_get_share(const struct weir_sender *sender, uint32_t member,
                                                struct weir_share *share);
/* What the network has carried of a member's media, bit/s: the highest mean of ten seconds that
 * arrived, within the last 30 to 60 s of media; of several members each has the part that its
 * target is of all. Worth storing: a later session to the same peer over the same network may start
 * with half of it (RFC 9959). 0: not known yet, or there is no such member. */
WEIR_API int64_t weir_sender_get_proved_bps(const struct weir_sender *sender, uint32_t member);

/* Changes algorithm and parameters at run time. The new algorithm gets RTT and current rate, and
 * the send history stays. A failure (as in create) changes nothing. */
WEIR_API enum weir_status weir_sender_set_algorithm(struct weir_sender *sender, int64_t now_ns,
                                                    const char *algorithm,
                                                    const struct weir_param_value *params,
                                                    size_t n_params);
/* Changes the parameters: the same algorithm starts anew with what has been measured of the path.
 */
WEIR_API enum weir_status weir_sender_set_params(struct weir_sender *sender, int64_t now_ns,
                                                 const struct weir_param_value *params,
                                                 size_t n_params);
/* false: next_send_ns is "at once", unless a window or the circuit breaker blocks. */
WEIR_API void weir_sender_set_pacing(struct weir_sender *sender, int64_t now_ns, bool pacing);
/* How much before their evenly spaced times packets may leave together with one that is due: fewer
 * wake-ups, bursts of rate times quantum. While packets leave as ECT(1), 0.5 ms at most, whatever
 * is set: an L4S queue marks what waits for 1 ms (RFC 9331 4.3, RFC 9332 A.1). WEIR_ERROR_RANGE
 * outside 0 .. WEIR_PACING_QUANTUM_MAX_NS, which changes nothing. */
WEIR_API enum weir_status weir_sender_set_pacing_quantum(struct weir_sender *sender, int64_t now_ns,
                                                         int64_t quantum_ns);
/* enum weir_feedback_format bits that may control the rate; the others are only counted. */
WEIR_API void weir_sender_set_feedback_formats(struct weir_sender *sender, int64_t now_ns,
                                               uint32_t formats);
/* WEIR_ERROR_RANGE: no such value; nothing changes. */
WEIR_API enum weir_status weir_sender_set_receivers(struct weir_sender *sender, int64_t now_ns,
                                                    enum weir_receivers receivers);
/* Tests whether the path carries ECN, with ECT(0) or ECT(1), and uses it if so; WEIR_ECN_NOT_ECT:
 * none. Off unless called. ECT(1) is for algorithms with WEIR_ANSWERS_L4S; that is not checked.
 * Call it anew when the path is another; after a jump of the clock (weir_sender_on_timer) the
 * session tests by itself. WEIR_ERROR_ARGUMENT: CE is nothing to send, nor any other number. */
WEIR_API enum weir_status weir_sender_set_ecn(struct weir_sender *sender, int64_t now_ns,
                                              enum weir_ecn ecn);
/* What the next packet is to leave with; may change with each call that has a time. What it did
 * leave with is told in weir_sent. */
WEIR_API enum weir_ecn weir_sender_get_ecn(const struct weir_sender *sender);
/* What is known of the path, how many marks were reported and believed, and how many reports
 * contradicted what was sent. The pointers may be NULL. */
WEIR_API enum weir_ecn_path weir_sender_get_ecn_path(const struct weir_sender *sender,
                                                     uint64_t *packets_ce, uint64_t *packets_wrong);
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

/* When a packet of rtp_bytes may leave. A time <= now_ns: at once. WEIR_NEVER_NS: blocked by the
 * window or the circuit breaker until feedback or a timer changes that. Asking does not change the
 * state. */
WEIR_API int64_t weir_sender_next_send_ns(const struct weir_sender *sender, int64_t now_ns,
                                          uint32_t rtp_bytes);
/* The same for audio, which leaves before waiting video: it is paced against audio alone and waits
 * for a window only when the audio in flight would fill it by itself. Video then waits for both.
 * Set WEIR_SENT_AUDIO in weir_sent for a packet that left this way. */
WEIR_API int64_t weir_sender_next_audio_ns(const struct weir_sender *sender, int64_t now_ns,
                                           uint32_t rtp_bytes);
/* A transport-wide number for the member's next packet, of which on_sent is told next. Some numbers
 * are never given, so that a receiver that acknowledges what it did not get is noticed
 * (SECURITY.md): let the session number the packets unless another stack does. Which are left out
 * follows from the config's seed, that must be hard to guess. 0 when there is no such member. */
WEIR_API uint16_t weir_sender_take_transport_seq(struct weir_sender *sender, uint32_t member);
/* A packet has left. Sequence numbers may wrap, repeat and start anew. WEIR_ERROR_ARGUMENT, which
 * changes nothing, when rtp_bytes is 0 or more than 1048560, or there is no such member. */
WEIR_API enum weir_status weir_sender_on_sent(struct weir_sender *sender, int64_t now_ns,
                                              const struct weir_sent *sent);
/* The transport-wide number that a stack behind us gave a packet already passed to on_sent, on the
 * RTP session of its member; ignored when weir_share.numbers_count is false for that member. */
WEIR_API void weir_sender_on_transport_seq(struct weir_sender *sender, uint32_t ssrc,
                                           uint16_t rtp_seq, uint16_t transport_seq);
/* How much waits in a member's send queue, for the encoder target; call it when packets are queued
 * or dropped. */
WEIR_API void weir_sender_on_queue(struct weir_sender *sender, int64_t now_ns, uint32_t member,
                                   int64_t queued_bytes);

/* One RTCP datagram for a member: compound or reduced-size. RTCP of an RTP session that several
 * members share is passed once, for any of them. WEIR_OK when at least one packet of it
 * was understood and accepted; else why the last one was not: WEIR_ERROR_TRUNCATED, _MALFORMED,
 * _UNSUPPORTED, _REJECTED (not believed, or beyond the budget of its sender: SECURITY.md), or
 * _NEEDS_FEEDBACK (receiver reports are all there is, and the algorithm cannot run from them). All
 * is counted. A packet changes everything it says or nothing. */
WEIR_API enum weir_status weir_sender_on_rtcp(struct weir_sender *sender, int64_t now_ns,
                                              uint32_t member, const uint8_t *data, size_t len);
/* The same from a stack that has decoded transport-wide feedback: the n results of one RTCP packet,
 * in its order. WEIR_ERROR_UNSUPPORTED when the member's transport-wide numbers are ignored. */
WEIR_API enum weir_status weir_sender_on_packet_results(struct weir_sender *sender, int64_t now_ns,
                                                        uint32_t member,
                                                        const struct weir_packet_result *results,
                                                        size_t n);

/* When on_timer is due, or WEIR_NEVER_NS. Every call that is not const may change it. */
WEIR_API int64_t weir_sender_next_timer_ns(const struct weir_sender *sender);
/* Early calls do no harm. After a call that is more than 10 s late the machine is assumed to have
 * slept, and the path may have changed. */
WEIR_API void weir_sender_on_timer(struct weir_sender *sender, int64_t now_ns);

/* Sender reports, for programs without an RTP stack of their own. next_report_ns is WEIR_NEVER_NS
 * before the first packet; build_report writes a compound SR + SDES (+ XR DLRR when a receiver
 * asked) for the streams of a member, and sets the next time; when one is due, it is due for every
 * member. Keep sending them while the circuit breaker stops the media: receivers respond to them,
 * and that ends the stop. ntp_time is the current wall clock, 32.32 fixed point since 1900.
 * WEIR_ERROR_NO_SPACE when not even one report fits, or when there are several members and this one
 * has sent nothing; streams that do not fit come next time. WEIR_ERROR_ARGUMENT: a NULL, no such
 * member.
 */
WEIR_API int64_t weir_sender_next_report_ns(const struct weir_sender *sender);
WEIR_API enum weir_status weir_sender_build_report(struct weir_sender *sender, int64_t now_ns,
                                                   uint32_t member, uint64_t ntp_time,
                                                   uint8_t *buffer, size_t capacity, size_t *len);
/* An SR of another stack has left; it makes RTT from RR possible (middle 32 bits of its NTP time).
 */
WEIR_API void weir_sender_on_report_sent(struct weir_sender *sender, int64_t now_ns,
                                         const uint8_t *data, size_t len);

/* The current output; every call that is not const may change it. */
WEIR_API void weir_sender_get_output(const struct weir_sender *sender, struct weir_output *output);
/* "Current" means at the latest call with a time. */
WEIR_API void weir_sender_get_stats(const struct weir_sender *sender,
                                    struct weir_sender_stats *stats);
/* Up to n of the receivers that reported on packets of ours lately; returns their number. Those
 * whose feedback is not of the kind that is used are left out: receiver reports while there is
 * feedback on packets. */
WEIR_API size_t weir_sender_get_reporters(const struct weir_sender *sender,
                                          struct weir_reporter *reporters, size_t n);
/* The algorithm's own variables, by name; returns their number. */
WEIR_API size_t weir_sender_get_variables(const struct weir_sender *sender,
                                          struct weir_variable *variables, size_t n);
/* The algorithm's name in the registry. */
WEIR_API const char *weir_sender_get_algorithm(const struct weir_sender *sender);

WEIR_END_DECLS
#endif
