/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A media flow in a simulated network: a real sending session and a real receiving session
 * (weir/sender.h, weir/receiver.h) that exchange real RTCP bytes; only the media bytes are not
 * there. Source -> transmit buffer -> pacer -> network -> receiving session, and its feedback back
 * over the network, where it has a size, waits in queues and can be lost. The flows of a group, as
 * the media of a call, share one sending session, and each has its receiver. Sender reports travel
 * with the media; the meter does not count them.
 *
 * A packet on the wire is sender.overhead_bytes (IP, UDP, SRTP), an RTP header (12 bytes, 20 with
 * transport-wide numbers) and payload; smaller units are padded to the headers. header_bytes only
 * says what is not goodput: with the defaults it is the same 40 bytes. */
#ifndef WEIR_SIM_MEDIA_FLOW_H
#define WEIR_SIM_MEDIA_FLOW_H

#include "sim/network/network.h"
#include "sim/traffic/flow_meter.h"
#include "sim/traffic/source.h"
#include "weir/queue.h"
#include "weir/receiver.h"
#include "weir/sender.h"

struct weir__media_flow;

/* Fill with weir__media_flow_config_default() first. */
struct weir__media_flow_config {
    struct weir__source_config source; /* on_unit and target are set here */
    struct weir_sender_config sender;  /* algorithm, parameters, limits, pacing, breaker */
    /* A flow of a group: a member of the sending session that another flow has begun. That one and
     * all of its group start no sooner, take the same path, and have a source that says itself what
     * it makes (not greedy, no media_when_allowed); of `sender` only limits, overhead_bytes and
     * packet_bytes are the flow's own. NULL: a session of its own. */
    struct weir__media_flow *group;
    uint32_t weight;         /* of its share of the group: 1 .. 1000000 */
    bool measure_delay;      /* meter.delay, and with a source meter.lateness: mouth-to-ear, because
                                data is due when it is generated */
    bool follows_frames;     /* meter.frames and those after it; with a source of frames */
    bool repair_follows;     /* then: a policy sets the repair (weir/repair.h), or it stays at */
    uint32_t repair_percent; /* this many packets per 100 of media, 0 .. 100 */
    int64_t resend_wait_ns;  /* with follows_frames: lost packets are asked for and sent again, and
                                the receiver waits that long for each; 0: not */
    int64_t fec_wait_ns;     /* with follows_frames: how long the receiver waits for a packet before
                                   FEC repairs it (fec.h); 0: not */
    bool fill_probes; /* copies of packets fill a probe; else it is made of what the source has */
    enum weir_queue_policy buffer_policy; /* transmit buffer */
    int64_t buffer_packets;               /* 1 .. 65536 */
    int64_t buffer_time_ns; /* drain time at the pacing rate above which packets go, as weir/queue.h
                               counts; WEIR_NEVER_NS = none */
    bool greedy;            /* always a packet to send; `source` is not read */
    bool rtt_with_media; /* each packet says the sender's RTT (RFC 5348 3.2.1): the interval of the
                            feedback; else the receiver measures it, by sender reports */
    bool feedback_per_packet; /* feedback for every packet, at once */
    bool media_when_allowed;  /* full dummy packets until the allowed rate reaches media_bps; then
                                 the source starts, and generated, discarded, heard and mouth-to-ear
                                 count. What is sent and received, and goodput, count always */
    /* What follows is needed for each packet. */
    struct weir_receiver_config receiver; /* format, intervals, extra_compounds, mtu_bytes; the rest
                                             is set here */
    int64_t media_bps;                    /* wire rate of the source, for media_when_allowed */
    int64_t sender_report_ns; /* at least between two sender reports; 0 = when the session wants */
    int64_t packet_bytes; /* full packet on the wire; RTP packet = this - sender.overhead_bytes */
    int64_t header_bytes; /* of each packet, not goodput; wire size of a unit = bytes + this */
    int64_t start_ns;
    int64_t stop_ns;         /* WEIR_NEVER_NS = none */
    uint32_t route;          /* of the media; its end is set here */
    uint32_t feedback_route; /* of the RTCP; its end and on_drop are set here */
    enum weir_ecn ecn;       /* what the session tests its path with; ECT0 or ECT1 need format CCFB,
                                which alone tells of marks; RTCP is never ECN-capable */
    bool is_audio;           /* of a group: leaves before video that waits (weir/sender.h) */
};

void weir__media_flow_config_default(struct weir__media_flow_config *config);
/* On failure *flow is untouched; error (may be NULL) gets a sentence. */
enum weir_status weir__media_flow_create(struct weir__media_flow **flow,
                                         struct weir__network *network,
                                         const struct weir__media_flow_config *config, char *error,
                                         size_t error_size);
void weir__media_flow_destroy(struct weir__media_flow *flow);
const struct weir__flow_meter *weir__media_flow_meter(const struct weir__media_flow *flow);
void weir__media_flow_get_state(const struct weir__media_flow *flow,
                                struct weir__flow_state *state);
/* What a packet of the flow's routes begins with: an RTP header, behind which all is zero, or all
 * of an RTCP compound. Returns its size; *data is valid until the next call or event of a flow of
 * the network. */
size_t weir__media_flow_read(struct weir__media_flow *flow, const struct weir__packet *packet,
                             const uint8_t **data);
struct weir_sender *weir__media_flow_sender(const struct weir__media_flow *flow);

#endif
