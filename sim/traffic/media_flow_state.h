/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a media flow, shared by media_flow.c (creation), media_flow_send.c (source, transmit
 * buffer, pacer, sending session) and media_flow_receive.c (receiving session, feedback, meter).
 *
 * Invariant: generated = discarded + sent + waiting in the transmit buffer (packets, without dummy
 * packets and probes). */
#ifndef WEIR_SIM_MEDIA_FLOW_STATE_H
#define WEIR_SIM_MEDIA_FLOW_STATE_H

#include "sim/base/datagram_pool.h"
#include "sim/base/event.h"
#include "sim/base/seen.h"
#include "sim/traffic/fec.h"
#include "sim/traffic/media_flow.h"
#include "sim/traffic/resend.h"
#include "weir/rtcp.h"
#include "weir/units.h"

/* Packets among which copies are recognised, and that may be on their way. */
#define WEIR__MEDIA_SEEN_PACKETS 4096
#define WEIR__MEDIA_SSRC         UINT32_C(0x77656972)
/* Of what is sent again, above that of the media; below are the media of a group. */
#define WEIR__MEDIA_COPY_SSRC UINT32_C(0x10000)
#define WEIR__MEDIA_CLOCK_HZ  90000
/* The wall clock of both ends at time 0. */
#define WEIR__MEDIA_UNIX_START_NS WEIR_SECONDS(1700000000)
/* Id of the header extension with the transport-wide number. */
#define WEIR__MEDIA_TRANSPORT_ID 3
/* seq of a packet that is RTCP; media counts from 0. */
#define WEIR__MEDIA_RTCP_SEQ (-1)

/* What the token of a media packet says: the time its data was generated, and these. */
#define WEIR__MEDIA_MARKER    UINT64_C(1)  /* the last packet of a unit */
#define WEIR__MEDIA_DUMMY     UINT64_C(2)  /* the source did not make it */
#define WEIR__MEDIA_PROBE     UINT64_C(4)  /* repair that a probe asked for: no new media */
#define WEIR__MEDIA_REPAIR    UINT64_C(8)  /* of media that came before */
#define WEIR__MEDIA_COPY      UINT64_C(16) /* of a packet that was sent before */
#define WEIR__MEDIA_TIME_BITS 5            /* the time is above these */

/* The sending session: of one flow, or of those of a group. */
struct weir__media_session {
    struct weir__sim *sim;
    struct weir_sender *sender;
    struct weir__timer pace;       /* next packet; the start of the first flow */
    struct weir__deadline control; /* timers and sender reports */
    int64_t stop_ns;               /* when the last flow stops */
    uint32_t n_flows;
    struct weir__media_flow *flows[WEIR_MEMBERS]; /* that there are; the first began it */
};

/* Of thousands of flows none is in the processor's cache: what each packet needs is together, from
 * the end of the configuration to the beginning of the meter. */
struct weir__media_flow {
    struct weir__network *network;
    struct weir__timer join; /* the start of a flow that did not begin its session */
    struct weir__media_flow_config config;

    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__port entrance; /* of the network */
    struct weir__media_session *session;
    uint32_t ssrc;
    uint32_t member; /* of the session's sender ... */
    bool joined;     /* ... from its start to its stop */
    bool fills;      /* always a packet to send: greedy, or dummies until the media may begin */
    bool awaits_media;
    struct weir_queue *queue;    /* NULL when greedy */
    struct weir__source *source; /* NULL when greedy, and until media begins */
    int64_t next_seq;
    int64_t target_bps;       /* as the source has it */
    int64_t least_wire_bytes; /* a packet of headers only */
    int64_t report_rests_ns;  /* no sender report before */
    int64_t rtt_ns;           /* with rtt_with_media: the sender's, 0 while it has none ... */
    int64_t *rtts_ns;      /* ... and as the packet seq modulo WEIR__MEDIA_SEEN_PACKETS says it */
    struct weir__fec *fec; /* NULL: frames are not followed */
    uint32_t *fec_names;   /* of the packets sent last, by their numbers */
    struct weir__resend *resend; /* NULL: nothing is sent again */
    int64_t key_asked_ns;        /* when a key frame was asked for last; WEIR_UNKNOWN_NS */

    struct weir_receiver *receiver;
    struct weir__deadline report; /* feedback of the receiving session */
    struct weir__seen seen;
    uint8_t *datagram; /* the network's: the RTP or RTCP packet at hand, of whichever flow */
    struct weir__datagram_pool datagrams;

    struct weir__flow_meter meter;
};

static inline int64_t weir__media_flow_now_ns(const struct weir__media_flow *flow)
{
    return flow->sim->now_ns;
}

/* The wall clock of both ends, as in RTCP. */
static inline uint64_t weir__media_flow_ntp(const struct weir__media_flow *flow)
{
    return weir_ntp_from_unix_ns(WEIR__MEDIA_UNIX_START_NS + flow->sim->now_ns);
}

/* Of data made at generated_ns, as in its RTP header. */
static inline uint32_t weir__media_rtp_timestamp(int64_t generated_ns)
{
    return (uint32_t)(generated_ns / 1000 * (WEIR__MEDIA_CLOCK_HZ / 1000) / 1000);
}

/* Whether the flow still sends: nothing leaves at stop_ns or later. */
static inline bool weir__media_flow_is_live(const struct weir__media_flow *flow)
{
    return flow->sim->now_ns < flow->config.stop_ns;
}

/* The SSRC and the sequence number of a packet of the media route, as in its RTP header. */
static inline uint32_t weir__media_rtp_ssrc(const struct weir__media_flow *flow, uint64_t token)
{
    return flow->ssrc + (token & WEIR__MEDIA_COPY ? WEIR__MEDIA_COPY_SSRC : 0);
}

static inline uint16_t weir__media_rtp_seq(const struct weir__media_flow *flow, int64_t seq)
{
    return flow->resend ? weir__resend_rtp_seq(flow->resend, seq) : (uint16_t)(uint64_t)seq;
}

/* A time of the receiving session as a time of the flow: never from stop_ns on. */
static inline int64_t weir__media_flow_due_ns(const struct weir__media_flow *flow, int64_t at_ns)
{
    return at_ns < flow->config.stop_ns ? at_ns : WEIR_NEVER_NS;
}

/* media_flow_send.c: what the timers and the network call (target is the flow, or of _session_ the
 * session), and two steps. */
void weir__media_session_on_approach(void *target);
void weir__media_session_on_pace(void *target);
void weir__media_session_on_control(void *target);
void weir__media_flow_on_join(void *target);
void weir__media_flow_on_discard(void *target, const struct weir_queue_item *item);
void weir__media_flow_on_feedback_approach(void *target);
void weir__media_flow_on_feedback(void *target, struct weir__packet *packet);
enum weir_status weir__media_flow_add_source(struct weir__media_flow *flow, int64_t start_ns);
int64_t weir__media_flow_send_rtcp(struct weir__media_flow *flow, uint32_t route, size_t size);

/* media_flow_receive.c */
void weir__media_flow_on_arrival_approach(void *target);
void weir__media_flow_on_arrival(void *target, struct weir__packet *packet);
void weir__media_flow_on_report(void *target);
void weir__media_flow_on_drop(void *target, struct weir__packet *packet,
                              enum weir__drop_reason reason);

#endif
