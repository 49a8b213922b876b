/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Private to the files sender*.c: the session itself and what they call of each other.
 *
 * RTCP bytes -> codec -> guard -> history and loss detection -> struct weir_feedback -> controller
 * -> clamp -> struct weir_output. */
#ifndef WEIR_SENDER_INTERNAL_H
#define WEIR_SENDER_INTERNAL_H

#include "base/steady.h"
#include "base/unwrap.h"
#include "codec/rtcp.h"
#include "control/controller.h"
#include "control/driver.h"
#include "estimators/loss_bursts.h"
#include "estimators/queueing.h"
#include "estimators/rtt.h"
#include "quality/voice.h"
#include "session/account.h"
#include "session/breaker.h"
#include "session/ecn_path.h"
#include "session/ecn_sums.h"
#include "session/encoder_yield.h"
#include "session/guard.h"
#include "session/history.h"
#include "session/limited_by.h"
#include "session/loss.h"
#include "session/members.h"
#include "session/pacer.h"
#include "session/packet_sizes.h"
#include "session/proved_rate.h"
#include "session/queue_check.h"
#include "session/rate_meter.h"
#include "session/recent_loss.h"
#include "session/remb.h"
#include "session/reporter.h"
#include "session/sender_reports.h"
#include "session/sender_steering.h"
#include "session/silence_bound.h"
#include "session/tracer.h"
#include "session/transport_map.h"
#include "session/transport_numbers.h"
#include "session/unheld_rtt.h"
#include "weir/sender.h"

#define WEIR__SENDER_MAX_BYTES   (216 * 1024)
#define WEIR__SENDER_RATE_BIN_NS WEIR_MS(50)

/* Whose arrival times the controller sees: one clock at a time. */
struct weir__arrival_source {
    bool known;
    uint32_t format; /* enum weir_feedback_format, 0 for results of another stack */
    uint32_t ssrc;
    int64_t used_ns;
};

/* The clock behind the results of another stack. */
struct weir__result_clock {
    bool known;
    int64_t arrived_ns; /* newest, as given */
    int64_t local_ns;   /* when it came */
    int64_t offset_ns;  /* from there to the times given out */
};

/* What is kept of each transport: which numbers its packets have and which clock tells of them. */
struct weir__sender_transport {
    struct weir__steering steering;
    struct weir__arrival_source arrivals;
    struct weir__result_clock result_clock;
    struct weir__time_unwrap receipt_clock; /* of XR receipt times */
    struct weir__unheld_rtt unheld_rtt;
    struct weir__transport_map map;
    struct weir__transport_numbers numbers; /* that the program takes from us */
    bool aligned;
    int64_t align_ns;   /* from its arrival times to those of the first transport that had some */
    int64_t passed_seq; /* what is before it is no longer in flight */
};

/* In the order of how often it is needed, so that a session that does little takes few lines of the
 * processor's cache, and few pages of memory. */
struct weir_sender {
    /* What each packet needs. */
    int64_t now_ns;             /* never goes back: all times in here are on this scale ... */
    struct weir__steady steady; /* ... those given and told on that of the program's clock */
    int64_t first_sent_ns;      /* WEIR_UNKNOWN_NS before the first packet */
    int64_t last_sent_ns;
    int64_t silent_ns; /* in which nothing was sent, from the last feedback to the last packet */
    bool network_limited;
    bool reports_only;
    int64_t queued_bytes;
    struct weir__packet_sizes sizes;
    struct weir_limits media_limits; /* of all members together */
    struct weir_limits wire_limits;  /* as the controller has them */
    int64_t initial_bps;             /* the controller's rate before any feedback */
    struct weir__remb remb;
    struct weir_control control; /* as the controller says it */
    struct weir_output output;
    struct weir_sender_config config; /* as it was changed since; without its pointers to texts */
    struct weir__encoder_yield yield;
    struct weir__limited_by limited_by;
    struct weir_rtt rtt;
    struct weir__pacer pacer;       /* of all */
    struct weir__pacer audio_pacer; /* of audio, which runs ahead */
    struct weir__silence_bound silence;
    struct weir__loss loss;
    struct weir__ecn_path ecn;
    int64_t untold_marks; /* counted, and not yet told to the controller */
    struct weir__rate_meter sent;
    struct weir__queue_check queue_check;
    struct weir__guard guard;
    struct weir_sender_stats counts; /* the counters and the figures that are kept up to date */
    struct weir__sender_reports reports;
    struct weir__driver driver;

    /* What feedback needs. */
    int64_t packet_feedback_ns; /* last per-packet feedback; WEIR_UNKNOWN_NS */
    int64_t format_seen_ns[WEIR__FORMATS];
    int64_t least_delay_ns; /* in the newest feedback with arrival times; WEIR_UNKNOWN_NS */
    size_t entries_left;    /* that may still be read of the datagram at hand */
    struct weir__recent_loss recent_loss;
    struct weir__loss_bursts loss_bursts;
    struct weir__queueing queueing;
    struct weir__proved_rate proved;
    struct weir__rate_meter delivered;

    /* What is seldom needed. */
    int64_t created_ns;
    int64_t limits_ns; /* when the controller got its limits */
    struct weir__tracer tracer;
    double params[WEIR_MAX_PARAMS];
    struct weir__voice voice;
    struct weir__sender_transport transports[WEIR__TRANSPORTS];

    /* Large, and of most sessions only the beginning is used: of one reporter, stream and member.
     * Memory that is not touched costs nothing, in whole pages: what is used of the breaker, of the
     * reporters and of the first account lies together. */
    struct weir__history history;
    struct weir__breaker breaker;
    struct weir__reporters reporters;
    struct weir__accounts accounts[WEIR__HISTORY_STREAMS];
    struct weir__ecn_sums ecn_sums[WEIR__HISTORY_STREAMS];
    struct weir__members members;
};

_Static_assert((int)WEIR__TRANSPORTS == (int)WEIR__HISTORY_TRANSPORTS, "all can be told apart");
_Static_assert(sizeof(struct weir_sender) <= WEIR__SENDER_MAX_BYTES, "a sending session grew");

/* How long a report may take. */
static inline int64_t weir__sender_rto_ns(const struct weir_sender *sender)
{
    return weir__rtt_rto_ns(&sender->rtt, WEIR_MS(200), WEIR_SECONDS(60));
}

/* After how long a packet that nobody reports, nor three later ones, leaves the bytes in flight:
 * max(3 RTT, 1 s), and never before the tail of a loss could be seen. */
static inline int64_t weir__sender_max_age_ns(const struct weir_sender *sender)
{
    int64_t srtt_ns = weir__rtt_srtt_ns(&sender->rtt);
    int64_t three_ns = srtt_ns == WEIR_UNKNOWN_NS ? 0 : 3 * srtt_ns;
    return weir_max_i64(weir_max_i64(three_ns, WEIR_SECONDS(1)), weir__sender_rto_ns(sender));
}

/* How long nothing was sent since the last feedback, but for pauses that are not worth the name.
 * After the first packet. */
static inline int64_t weir__sender_silence_ns(const struct weir_sender *sender)
{
    int64_t last_ns = sender->last_sent_ns;
    int64_t from_ns = weir_max_i64(last_ns, sender->counts.last_feedback_ns);
    bool silent = sender->now_ns - last_ns >= WEIR__SPEECH_PAUSE_NS;
    return sender->silent_ns + (silent ? sender->now_ns - from_ns : 0);
}

/* Nothing that was reported until now proves anything. */
static inline void weir__sender_forget_proof(struct weir_sender *sender)
{
    weir__guard_forget(&sender->guard);
    weir__proved_rate_init(&sender->proved);
}

/* sender.c */
/* The session's time when the program's clock shows now_ns. */
int64_t weir__sender_advance(struct weir_sender *sender, int64_t now_ns);
/* What was told of the path until now is not true. */
void weir__sender_start_anew(struct weir_sender *sender);

/* sender_output.c */
void weir__sender_set_wire_limits(struct weir_sender *sender);
void weir__sender_update_limits(struct weir_sender *sender, bool force);
void weir__sender_refresh(struct weir_sender *sender);
/* What would be allowed without the circuit breaker. */
int64_t weir__sender_wanted_bps(const struct weir_sender *sender, int64_t remb_bps);
bool weir__sender_is_network_limited(const struct weir_sender *sender);

/* sender_feedback.c: the packets of one feedback on their way to the controller. */
struct weir__batch {
    struct weir_sender *sender;
    struct weir__sender_transport *transport; /* NULL: of none */
    bool only_matches;  /* whose feedback this is, does not steer: is it about our packets? */
    int64_t newest_seq; /* newly received; -1 = none */
    int64_t hold_ns;    /* of that packet at the receiver, WEIR_UNKNOWN_NS */
    int64_t sent_ns;    /* of that packet */
    int64_t delay_ns;   /* of that packet, from our clock to the receiver's; WEIR_UNKNOWN_NS */
    size_t n_matched;   /* entries about packets in the history */
    size_t n_disbelieved;
    size_t n_news;          /* packets given to the controller in all */
    int64_t received_bytes; /* of the packets newly received, but for those summed up */
    int64_t received_packets;
    int64_t summed_packets; /* of those, counted by a receiver report: not again */
    int64_t late_packets;   /* of the others */
    size_t n_packets;
    struct weir_packet_report packets[WEIR_FEEDBACK_MAX_PACKETS];
};

struct weir__batch_arrival {
    int64_t arrived_ns; /* WEIR_UNKNOWN_NS */
    int64_t hold_ns;    /* WEIR_UNKNOWN_NS */
    bool has_ecn;       /* the format tells */
    enum weir_ecn ecn;
};

void weir__batch_init(struct weir__batch *batch, struct weir_sender *sender,
                      struct weir__sender_transport *transport);
void weir__batch_received(struct weir__batch *batch, int64_t seq,
                          const struct weir__batch_arrival *arrival);
void weir__batch_missing(struct weir__batch *batch, int64_t seq);
/* has_hold: the format tells how long packets were held. Returns WEIR_ERROR_REJECTED when nothing
 * in it was believed. */
enum weir_status weir__batch_finish(struct weir__batch *batch, bool has_hold);
/* Losses by timeout only. */
void weir__batch_finish_timeouts(struct weir__batch *batch);

void weir__sender_count_loss(struct weir_sender *sender, int64_t received_packets,
                             int64_t lost_packets);
void weir__sender_note_feedback(struct weir_sender *sender);
/* Something arrived. */
void weir__sender_note_life(struct weir_sender *sender);
void weir__sender_saw_format(struct weir_sender *sender, size_t index);
/* The peer lives: for the circuit breaker. */
void weir__sender_heard(struct weir_sender *sender);
void weir__sender_take_rtt(struct weir_sender *sender, int64_t rtt_ns);

/* sender_formats.c: per-packet formats. */
/* index: of the format, whose reports are on packets. *about_us becomes true when it tells of
 * packets of ours, and stays otherwise. */
enum weir_status weir__sender_on_packet_format(struct weir_sender *sender, uint32_t transport,
                                               size_t index, const struct weir__rtcp_packet *packet,
                                               bool *about_us);

#endif
