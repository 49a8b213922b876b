/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contract between a session and a congestion controller.
 *
 * A controller may rely on:
 *   - now_ns never goes backwards from call to call;
 *   - seq is 64-bit, starts at 0 and counts packets really sent, one by one;
 *   - in one feedback, packets are sorted by seq; a packet is reported at most once, as received or
 * as lost, except that one reported lost may later be reported once more, as WEIR_PACKET_LATE;
 *   - sent_ns is our clock; arrived_ns is the peer's, already unwrapped: use differences only;
 *   - rtt_ns is in [1 ns, 10 s] or WEIR_UNKNOWN_NS;
 *   - at most WEIR_FEEDBACK_MAX_PACKETS packets per call; a report with more news comes in several
 *     calls at the same now_ns, of which the last has the RTT sample and the losses.
 * It must:
 *   - do bounded work per call, keep no state outside its own, cope with feedback that stops for
 * ever;
 *   - leave clamping to the session;
 *   - give the same answers after its state was copied elsewhere with memcpy. */
#ifndef WEIR_CONTRACT_H
#define WEIR_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller.h"
#include "receiver.h"
#include "status.h"
#include "units.h"

WEIR_BEGIN_DECLS

/* Changes with any struct below. A controller of another version is refused. */
#define WEIR_CONTRACT_VERSION 1

#define WEIR_STATE_MAX_BYTES      4096
#define WEIR_FEEDBACK_MAX_PACKETS 256
#define WEIR_MAX_PARAMS           32
#define WEIR_UNLIMITED_BYTES      INT64_MAX

/* Rows of a parameter table. The text is one sentence, with its source. */
#define WEIR_ROW_NUMBER(name_, unit_, min_, max_, default_, text)                                  \
    WEIR_ROW(NUMBER, name_, unit_, min_, max_, default_, text, NULL)
#define WEIR_ROW_INTEGER(name_, unit_, min_, max_, default_, text)                                 \
    WEIR_ROW(INTEGER, name_, unit_, min_, max_, default_, text, NULL)
#define WEIR_ROW_SWITCH(name_, default_, text)                                                     \
    WEIR_ROW(BOOL, name_, "1", 0.0, 1.0, default_, text, NULL)
/* The default is an index into the names, which are the last arguments. */
#define WEIR_ROW_CHOICE(name_, default_, text, ...)                                                \
    WEIR_ROW(CHOICE, name_, "1", 0.0,                                                              \
             sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *) - 1, default_, text,     \
             ((const char *const[]){__VA_ARGS__, NULL}))
#define WEIR_ROW(kind_, name_, unit_, min_, max_, default_, text, choices_)                        \
    {                                                                                              \
        .name = (name_), .unit = (unit_), .description = (text), .kind = WEIR_PARAM_##kind_,       \
        .min = (min_), .max = (max_), .default_value = (default_), .choices = (choices_)           \
    }

/* Fails the build when a controller's state is too big to be kept in a session. */
#define WEIR_DEFINE_STATE(type)                                                                    \
    _Static_assert(sizeof(type) <= WEIR_STATE_MAX_BYTES, "controller state is too big")

struct weir_rtt_candidate {
    int64_t at_ns;
    int64_t rtt_ns;
};

/* RFC 6298 section 2 and a minimum over the last window_ns. */
struct weir_rtt {
    bool has_sample;
    double srtt_ns;
    double rttvar_ns;
    int64_t updated_ns;               /* when SRTT last took a sample */
    int64_t latest_ns;                /* newest sample */
    int64_t window_ns;                /* of the minimum; 0 = the whole session */
    struct weir_rtt_candidate min[3]; /* best, best of the later, best of the latest samples */
};

/* The path as measured so far: once, for all algorithms. Events bring it with what they tell
 * already in it. */
struct weir_path {
    struct weir_rtt rtt; /* smoothed, latest, least of the last ten minutes; maybe no sample yet */
    double packet_bytes; /* mean wire size of what was sent (the first packet, then 1/16 of each
                            further one); before that, as expected. >= 1 */
    int64_t largest_packet_bytes;
    int64_t in_flight_bytes;
    bool app_limited;  /* when the newest packet left: the source sends less than it may */
    bool data_limited; /* so it was in the whole interval of the newest feedback (RFC 5348 8.2.1) */
    bool reports_only; /* receiver reports are all there is: the rates come from their loss and
                          interval, the queue from the age of what had not arrived, of both ways */
    bool is_alive;     /* the newest feedback or report told that something arrived, or that nothing
                          was sent; losses that the session found by timeout are no sign of life */
    bool is_silent;    /* silence was declared, and there was no sign of life since */
    int64_t newest_sent_ns; /* when the newest packet reported received had left; or UNKNOWN */
    int64_t feedback_interval_ns; /* between signs of life, smoothed by eighths; from 10 ms to the
                                     silence timeout; before a packet was sent none counts;
                                     UNKNOWN before two */
    int64_t feedback_pause_ns;    /* longest recent one between bunches, fading; at most 1 s */
    int64_t report_interval_ns;   /* of the newest receiver report, in [1 ns, 60 s]; 0 before */
    int64_t silent_at_ns;         /* if nothing is heard until then, the path is silent; NEVER when
                                     nothing waits for an answer. Set after each event, by
                                     silence_timeout_ns */

    int64_t base_delay_ns;  /* one way, when nothing queues; of clocks that are strangers: use
                               differences only. UNKNOWN without arrival times */
    int64_t queue_ns;       /* queueing delay of the newest 40 ms of arrivals; UNKNOWN, or >= 0 */
    int64_t least_queue_ns; /* of all that the rates below are made of, or of what has come since a
                               queue began, 40 ms at least, where the network limits the rate;
                               UNKNOWN, or >= 0 */
    double delivered_bps;   /* over the newest 100 ms of arrivals, or more; or since a queue began,
                               if that is more; 0 = unknown */
    double sent_bps;        /* at which the same packets had left; 0 = unknown */
    int64_t rate_span_ns;   /* of what these rates are made of; 0 = unknown */
    uint32_t n_reroutes;    /* how often a standing delay proved to be a longer path ... */
    double rerouted_bps;    /* ... and the highest rate at which the newest did not move */
    int64_t standing_ns;    /* for how long the queueing delay has stood, within 8 ms; 0: it moves,
                               or is less than 10 ms */
    int64_t least_wait_ns;  /* queueing delay of the packets of the newest feedback, sooner than
                               queue_ns and less sure; 0 also when it is not known */
    bool marks_are_l4s;     /* marks are those of an L4S queue, of which each says little (RFC 9331
                               4.3): unmarked packets arrive as ECT(1), and few wait for long */
};

/* SRTT, or half a second before the first sample. */
static inline int64_t weir_path_srtt_ns(const struct weir_path *path)
{
    return path->rtt.has_sample ? weir_round_i64(path->rtt.srtt_ns) : WEIR_MS(500);
}

/* What a controller is created with. */
struct weir_config {
    const double *params;      /* one value per entry of the controller's table, checked */
    struct weir_limits limits; /* wire rates */
    int64_t packet_bytes;      /* expected wire size of a packet, >= 1 */
    uint64_t seed;
    int64_t now_ns;               /* and the path are the driver's to set */
    const struct weir_path *path; /* as known by now: a predecessor may have run on it */
};

/* One packet that has just left. */
struct weir_sent_packet {
    int64_t seq;
    int64_t sent_ns;
    int64_t wire_bytes;      /* IP + UDP + SRTP + RTP */
    int64_t in_flight_bytes; /* with this packet */
    bool network_limited;    /* more was waiting, or the source keeps up with the allowed rate: not
                                data-limited */
};

enum weir_packet_status {
    WEIR_PACKET_RECEIVED,
    WEIR_PACKET_LOST, /* by the NDUPACK rule or by timeout */
    WEIR_PACKET_LATE  /* reported lost before, and arrived after all */
};

struct weir_packet_report {
    int64_t seq;
    int64_t sent_ns;
    int64_t arrived_ns; /* WEIR_UNKNOWN_NS when lost or when the peer gave no time */
    int64_t wire_bytes;
    enum weir_packet_status status;
    enum weir_ecn ecn; /* as it arrived; WEIR_ECN_NOT_ECT when lost or not told */
};

/* Per-packet feedback: what one or more RTCP packets newly tell. */
struct weir_feedback {
    int64_t now_ns;
    int64_t rtt_ns; /* sample of this feedback, hold time taken off; or WEIR_UNKNOWN_NS */
    int64_t in_flight_bytes;
    const struct weir_packet_report *packets;
    size_t n_packets; /* 1 .. WEIR_FEEDBACK_MAX_PACKETS */
};

/* An RTCP receiver report (RFC 3550 section 6.4), differences since the one before. */
struct weir_report {
    int64_t now_ns;
    int64_t rtt_ns;           /* sample or WEIR_UNKNOWN_NS */
    int64_t interval_ns;      /* since the report before, > 0 */
    int64_t expected_packets; /* >= 0 */
    int64_t lost_packets;     /* in [0, expected_packets] */
    int64_t packet_bytes;     /* mean wire size, >= 1 */
    int64_t sent_bytes;       /* wire bytes sent in the interval */
    bool network_limited;     /* the source used >= 0.9 of what it was allowed */
    /* Since the newest packet left that it tells of: a round trip, and what the receiver waited
     * with the report. 0 = not known. */
    int64_t newest_age_ns;
    /* Since the packet after that one left, which had not arrived when the report was made: less
     * than that packet's round trip. 0 = none. */
    int64_t missing_age_ns;
};

/* A controller's answer, not clamped. All in wire bytes. */
struct weir_control {
    int64_t rate_bps;     /* allowed rate, >= 0 */
    int64_t pacing_bps;   /* >= 0; 0 = same as rate_bps */
    int64_t source_bps;   /* what the source may make; 0 = the least of the two above */
    int64_t window_bytes; /* WEIR_UNLIMITED_BYTES when there is no window */
    uint32_t state;       /* enum weir_state bits the controller knows of */
    int64_t burst_bytes;  /* that may leave at once, ahead of the pace; 0 = as the program wants; at
                             most WEIR_PACING_QUANTUM_MAX_NS of pacing */
    int64_t queue_target_ns; /* queueing delay that it aims at, of which a burst takes at most half;
                                0 = none in particular */
    int64_t probe_bytes;     /* wire bytes that the controller wants sent at ... */
    int64_t probe_bps;       /* ... this rate to prove it, repair or padding behind the media there
                                is; 0 = none. It asks until on_probe brings the result. Without
                                on_probe it is not heard */
};

/* What became of a probe. Some of it, or all, may not have left: the source paused, the program
 * sends no repair or padding, or may not at present. */
struct weir_probe_result {
    int64_t now_ns;
    int64_t asked_bytes;    /* less than the controller asked for when it asked for too much */
    int64_t asked_bps;      /* likewise */
    int64_t sent_bytes;     /* wire bytes of all packets, also of media */
    int64_t received_bytes; /* reported received until now, in [0, sent_bytes] */
    int64_t sent_bps;       /* at which those had left whose arrival times are known; 0 = unknown */
    int64_t delivered_bps;  /* at which they arrived; 0 = unknown */
};

/* Where a controller tells its variables; those for which there is no room are left out. */
struct weir_variables {
    struct weir_variable *all;
    size_t room;
    size_t n;
};

static inline void weir_tell(struct weir_variables *to, const char *name, double value)
{
    if (to->n < to->room) {
        to->all[to->n].name = name;
        to->all[to->n++].value = value;
    }
}

struct weir_controller {
    const char *name;
    const char *description;
    const char *spec;
    bool for_live_media; /* else: kept for research and comparison */
    uint32_t needs;      /* enum weir_needs */
    size_t state_bytes;
    const struct weir_param *params;
    size_t n_params;

    void (*init)(void *state, const struct weir_config *config); /* required */
    void (*on_packet_sent)(void *state, const struct weir_path *path,
                           const struct weir_sent_packet *sent);
    void (*on_feedback)(void *state, const struct weir_path *path,
                        const struct weir_feedback *feedback);
    /* With WEIR_HAS_REPORT_FORM and no on_report, receiver reports come as feedback on packets. */
    void (*on_report)(void *state, const struct weir_path *path, const struct weir_report *report);
    /* Nothing was heard until path->silent_at_ns. The next packet that leaves begins the next wait.
     */
    void (*on_silence)(void *state, const struct weir_path *path, int64_t now_ns);
    /* How long a wait is that begins now, >= 0. The path makes it twice feedback_pause_ns at least.
     * Without it: 4 SRTT, half a second and three intervals of receiver reports at least. */
    int64_t (*silence_timeout_ns)(const void *state, const struct weir_path *path);
    void (*on_timer)(void *state, int64_t now_ns);
    /* A probe that get_output asked for is over: told after the event that ended it. */
    void (*on_probe)(void *state, const struct weir_path *path,
                     const struct weir_probe_result *result);
    void (*on_path_change)(void *state, const struct weir_path *path, int64_t now_ns);
    void (*set_limits)(void *state, const struct weir_limits *limits,
                       int64_t now_ns); /* wire rates */
    /* There is an RTT before any feedback, from signalling or a predecessor: path->rtt. */
    void (*seed_rtt)(void *state, const struct weir_path *path, int64_t now_ns);
    int64_t (*next_timer_ns)(const void *state); /* NULL or WEIR_NEVER_NS: none, but for silence */
    /* Required; writes every field of *control, which may hold anything. WEIR_STATE_REPORTS_ONLY
     * and, with on_silence, _NO_FEEDBACK come from the path. */
    void (*get_output)(const void *state, struct weir_control *control);
    void (*get_variables)(const void *state, struct weir_variables *to); /* by weir_tell */
};

/* Adds an algorithm to the registry of this process, behind the library's own: sessions, parameters
 * and lists have it from then on. The table and what it points to must stay for ever. Call it
 * before the first session is created, from one thread. WEIR_ERROR_UNSUPPORTED: contract_version is
 * not this library's WEIR_CONTRACT_VERSION. WEIR_ERROR_ARGUMENT: the table, its name, description,
 * spec, init or get_output is missing, the name is taken or not of lower case letters, digits and
 * '-', or a parameter contradicts itself. WEIR_ERROR_RANGE: state_bytes or n_params.
 * WEIR_ERROR_NO_SPACE: there are WEIR_REGISTERED_MAX. On failure `why` (n_why bytes, may be NULL)
 * receives one sentence. */
#define WEIR_REGISTERED_MAX 64
WEIR_API enum weir_status weir_register_controller(const struct weir_controller *controller,
                                                   uint32_t contract_version, char *why,
                                                   size_t n_why);

/* What a shared object with algorithms exports, under the name weir_plugin:
 *
 *     const struct weir_plugin weir_plugin = {WEIR_CONTRACT_VERSION, 1, {&weir_mine}};
 *
 * weir-lab loads it with --plugin, the elements from WEIR_PLUGIN_PATH. */
struct weir_plugin {
    uint32_t contract_version;
    uint32_t n_controllers;
    const struct weir_controller *controllers[8];
};
WEIR_API extern const struct weir_plugin weir_plugin; /* libweir has none */

WEIR_END_DECLS

#endif
