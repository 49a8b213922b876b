/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a case of a faulty peer or path is made of, and the rig that lives it (fault_rig.h). */
#ifndef WEIR_TESTS_FAULT_STATE_H
#define WEIR_TESTS_FAULT_STATE_H

#include "fault_case.h"
#include "test.h"
#include "weir/receiver.h"
#include "weir/rtcp.h"
#include "weir/sender.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RIG_TRANSPORT_ID 5
#define RIG_OVERHEAD     28
#define RIG_HEADER       20 /* of RTP, with the transport-wide number */
#define RIG_PAYLOAD      1180
#define RIG_AUDIO_BYTES  60 /* each 20 ms: 24 kbit/s */
#define RIG_FRAME_NS     (WEIR_SECONDS(1) / 30)
#define RIG_SAMPLE_NS    WEIR_MS(10)
#define RIG_PROOF_BIN_NS WEIR_MS(10)
#define RIG_PROOF_NS     WEIR_MS(20) /* how often it is judged */

enum { RIG_NUMBERS = 1 << 16, RIG_QUEUED = 1 << 14, RIG_SAMPLES = 40000 };
enum { RIG_PROOF_BINS = 1100, RIG_ENDS = 2, RIG_TWIN_SAMPLES = 10, RIG_STREAMS = 1000 };

struct rig_packet {
    int64_t sent_ns;
    int64_t arrived_ns; /* WEIR_NEVER_NS: lost, UNKNOWN: not yet */
    uint32_t bytes;     /* of RTP */
    uint16_t rtp_seq, transport_seq;
    uint32_t ssrc;
    uint32_t timestamp;
    uint32_t end;
    uint32_t ecn;
    uint8_t *report; /* RTCP of the sender instead, of so many bytes; then the packet is its own */
};

struct rig_waiting {
    uint32_t bytes;
    uint32_t timestamp;
};

/* One transport at the peer. */
struct rig_end {
    struct weir_receiver *receiver;
    uint16_t transport_seq; /* the next one, if the session does not number the packets */
    uint16_t claimed_seq;   /* the newest one that a liar claims */
    int64_t told;           /* number of the newest packet told of, in the rig's count */
    struct rig_packet packets[RIG_NUMBERS];
    int64_t n_sent, highest; /* -1 */
    GArray *late;            /* of int64_t */
};

struct rig_message {
    int64_t at_ns;
    uint32_t end;
    size_t n;   /* results ... */
    size_t len; /* ... or bytes */
    union {
        struct weir_packet_result results[1];
        uint8_t data[1];
    } u;
};

struct rig_flying {
    int64_t at_ns;
    struct rig_packet *packet;
    int64_t number;
};

/* What a liar or a forger is shown of a packet, whatever became of it. */
struct rig_ghost {
    int64_t at_ns;
    struct weir_receiver *receiver;
    struct rig_packet packet;
};

/* What a demand has measured so far. */
struct rig_seen {
    int64_t delivered_bytes, capacity_bits, n_sent, n_lost, n_samples;
    double allowed_sum;
    double heard_bps; /* allowed when the newest feedback came */
    double reached_s; /* when what is waited for came; 0 = not yet */
    double gap_s, at_min_s, deviation;
    int64_t second_bytes, second_ns; /* delivered since */
    int64_t n_queue;
    float *queue_ms; /* RIG_SAMPLES, for FAULT_Q95_MS */
};

/* What a run leaves for those that are compared with it. */
struct rig_trail {
    GArray *allowed_bps; /* of int64_t, each RIG_TWIN_SAMPLES samples */
    GArray *delivered;   /* of int64_t, bytes until then */
};

/* A run: a case with what varies. */
struct fault_run {
    const struct fault_case *c;
    const char *algorithm;
    uint32_t format; /* one bit of c->format, or 0 */
    unsigned seed;   /* from 1 on */
    const struct rig_trail *twin;
    const struct weir_param_value *param; /* NULL: all have their defaults */
    const struct weir_limits *limits;     /* NULL: those of the case */
};

struct fault_rig {
    const struct fault_case *c;
    const struct fault_run *run;
    struct fault_run own_run; /* of a case by itself */
    struct weir_sender *sender;
    struct weir_limits limits;
    int64_t now_ns, end_ns;
    size_t phase;
    uint64_t random;
    /* source */
    struct rig_waiting queued[RIG_QUEUED];
    uint64_t first_queued, n_queued; /* counts */
    int64_t queued_bytes;
    double encoder_bps;
    int64_t report_rests_ns; /* no sender report before */
    int64_t next_frame_ns, next_audio_ns;
    int64_t next_key_ns;
    uint16_t rtp_seq[2];
    uint16_t stream_seq[RIG_STREAMS];
    uint32_t ssrc; /* of video; audio has the next one */
    bool has_restarted;
    /* bottleneck and path */
    struct rig_flying *waiting; /* ring of RIG_NUMBERS */
    uint64_t first_waiting, n_waiting;
    int64_t waiting_bytes, served_ns; /* end of the service of the first one; NEVER */
    GQueue *flying;                   /* of struct rig_flying, by time */
    int64_t last_arrival_ns;
    struct rig_end ends[RIG_ENDS];
    GQueue *messages;
    int64_t next_feedback_ns, n_feedbacks;
    bool was_reset;
    struct weir_receiver *forger; /* NULL when it needs none */
    GQueue *ghosts;               /* of struct rig_ghost, by time */
    GPtrArray *recorded;          /* of struct rig_message, to be replayed */
    guint n_replayed;
    int64_t next_forged_ns, n_forged;
    /* what happened */
    int64_t n_packets, last_sent_ns, delivered_bytes;
    struct rig_seen seen[FAULT_DEMANDS];
    struct rig_trail trail;
    int64_t heard_ns; /* when the newest feedback came */
    int64_t n_samples, n_broken;
    int64_t next_sample_ns;
    int64_t proof_bytes[RIG_PROOF_BINS]; /* delivered, by send time */
    int64_t proof_bin[RIG_PROOF_BINS];
    bool has_sent;             /* since it was judged */
    double payload_mean_bytes; /* of the packets sent, lately, as a session has it */
    double proved_bps, proved_before_pause_bps;
    int64_t proved_until_ns;
};

static inline double rig_s(int64_t ns)
{
    return (double)ns * 1e-9;
}

static inline double rig_random(struct fault_rig *rig)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(rig->random >> 11) * 0x1p-53;
}

/* An invariant does not hold: the first one is told. */
#define rig_broken(rig, ...)                                                                       \
    do {                                                                                           \
        if ((rig)->n_broken++ == 0) {                                                              \
            fprintf(stderr, "%s, %s, seed %u, %.3f s: ", (rig)->c->name, (rig)->run->algorithm,    \
                    (rig)->run->seed, rig_s((rig)->now_ns));                                       \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

static inline const struct fault_phase *rig_phase(const struct fault_rig *rig)
{
    return &rig->c->phases[rig->phase];
}

static inline int64_t rig_next_phase_ns(const struct fault_rig *rig)
{
    size_t next = rig->phase + 1;
    bool is_last = next >= FAULT_PHASES || rig->c->phases[next].at_s <= 0.0;
    return is_last ? WEIR_NEVER_NS : (int64_t)(rig->c->phases[next].at_s * 1e9);
}

static inline int64_t rig_delay_ns(const struct fault_rig *rig)
{
    return (int64_t)(rig_phase(rig)->delay_ms * 1e6);
}

static inline double rig_most_mbps(const struct fault_case *c)
{
    double most = 0.0;
    for (size_t i = 0; i < FAULT_PHASES; i++) {
        most = fmax(most, c->phases[i].mbps);
    }
    return most;
}

/* The capacity now. */
static inline double rig_mbps(const struct fault_rig *rig)
{
    double mbps = rig_phase(rig)->mbps;
    double part =
        rig->c->saw_s > 0.0 ? fmod(rig_s(rig->now_ns), rig->c->saw_s) / rig->c->saw_s : 0.0;
    return mbps + part * (rig->c->saw_mbps - mbps) * (rig->c->saw_s > 0.0);
}

/* How far the sender's clock is ahead of ours. */
static inline int64_t rig_ahead_ns(const struct fault_rig *rig)
{
    bool jumped = rig->c->jump_at_s > 0.0 && rig_s(rig->now_ns) >= rig->c->jump_at_s;
    return rig->c->origin.local_ns + (jumped ? (int64_t)(rig->c->jump_s * 1e9) : 0);
}

static inline int64_t rig_local_ns(const struct fault_rig *rig)
{
    return rig->now_ns + rig_ahead_ns(rig);
}

/* A deadline of the sender on our clock. */
static inline int64_t rig_deadline_ns(const struct fault_rig *rig, int64_t local_ns)
{
    return local_ns == WEIR_NEVER_NS ? WEIR_NEVER_NS : local_ns - rig_ahead_ns(rig);
}

static inline uint64_t rig_ntp(const struct fault_rig *rig, int64_t at_ns)
{
    return weir_ntp_from_unix_ns(WEIR_SECONDS(1700000000 + rig->c->origin.unix_s) + at_ns);
}

/* What the peer's clock shows; without a fault it goes as ours, from another day on. */
static inline int64_t rig_peer_ns(const struct fault_rig *rig, uint32_t end, int64_t at_ns,
                                  int64_t sent_ns)
{
    int64_t (*clock)(const struct fault_rig *, int64_t, int64_t) =
        end == 0 ? rig->c->clock : rig->c->clock_2;
    return clock ? clock(rig, at_ns, sent_ns) : at_ns + WEIR_SECONDS(5000) + rig->c->origin.peer_ns;
}

static inline struct weir_receiver *rig_create_receiver(struct fault_rig *rig, uint32_t end,
                                                        uint32_t ssrc)
{
    struct weir_receiver_config config;
    enum weir_status status;
    weir_receiver_config_init(&config);
    config.format = rig->run->format;
    config.transport_seq_id = RIG_TRANSPORT_ID;
    config.seed = 7 + end;
    config.local_ssrc = ssrc;
    config.interval_ns = rig->c->feedback_ms > 0.0 ? (int64_t)(rig->c->feedback_ms * 1e6) : 0;
    struct weir_receiver *receiver =
        weir_receiver_create(&config, rig_peer_ns(rig, end, rig->now_ns, 0), &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    return receiver;
}

/* Audio as a member of its own; the video's limits are those of both. */
static inline void rig_add_audio_member(struct fault_rig *rig)
{
    const struct weir_member audio = {.limits = {.min_bps = 1, .max_bps = 1, .start_bps = 1},
                                      .weight = 1,
                                      .overhead_bytes = RIG_OVERHEAD};
    uint32_t member = 0;
    g_assert_cmpint(weir_sender_add_member(rig->sender, 0, &audio, &member), ==, WEIR_OK);
    g_assert_cmpuint(member, ==, 1);
    rig->limits.max_bps += audio.limits.max_bps;
}

static inline void rig_create_sender(struct fault_rig *rig)
{
    const struct fault_case *c = rig->c;
    struct weir_sender_config config;
    enum weir_status status;
    weir_sender_config_init(&config);
    config.algorithm = rig->run->algorithm;
    config.seed = rig->run->seed;
    config.params = rig->run->param;
    config.n_params = rig->run->param ? 1 : 0;
    config.circuit_breaker = c->circuit_breaker;
    config.limits = rig->limits;
    rig->sender = weir_sender_create(&config, rig_local_ns(rig), &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    if (c->ecn != FAULT_NO_ECN) {
        weir_sender_set_ecn(rig->sender, rig_local_ns(rig), WEIR_ECN_ECT0);
    }
    if (c->audio_apart) {
        rig_add_audio_member(rig);
    }
    rig->encoder_bps = (double)config.limits.start_bps;
}

static inline struct weir_limits rig_limits(const struct fault_case *c)
{
    double max_mbps = c->max_mbps > 0.0 ? c->max_mbps : 4.0 * rig_most_mbps(c);
    double start_kbps = c->start_kbps > 0.0 ? c->start_kbps : 500.0;
    struct weir_limits limits = {.min_bps = WEIR_KBPS(30),
                                 .max_bps = (int64_t)(max_mbps * 1e6),
                                 .start_bps = (int64_t)(start_kbps * 1e3)};
    limits.max_bps = weir_max_i64(limits.max_bps, limits.start_bps);
    return limits;
}

static inline void rig_create_ends(struct fault_rig *rig)
{
    for (uint32_t i = 0; i < RIG_ENDS; i++) {
        rig->ends[i].highest = -1;
        rig->ends[i].told = -1;
        rig->ends[i].transport_seq = rig->c->origin.transport_seq;
        rig->ends[i].late = g_array_new(FALSE, FALSE, sizeof(int64_t));
        if (rig->run->format != 0) {
            rig->ends[i].receiver = rig_create_receiver(rig, i, 0x1000 + i);
        }
    }
    if (rig->c->forger >= FAULT_SEES_ALL && rig->c->forger <= FAULT_SEES_UNSENT) {
        rig->forger = rig_create_receiver(rig, 0, rig->c->forges_name ? 0x1000 : 0x6666);
    }
}

static inline struct fault_rig *rig_new_run(const struct fault_run *run)
{
    const struct fault_case *c = run->c;
    struct fault_rig *rig = g_new0(struct fault_rig, 1);
    rig->c = c;
    rig->run = run;
    rig->random = 12345 + (run->seed - 1) * UINT64_C(0x9e3779b97f4a7c15);
    rig->end_ns = (int64_t)(c->seconds * 1e9);
    rig->limits = run->limits ? *run->limits : rig_limits(c);
    rig->ssrc = 1;
    rig->rtp_seq[0] = c->origin.rtp_seq;
    rig_create_sender(rig);
    rig->waiting = g_new0(struct rig_flying, RIG_NUMBERS);
    rig->flying = g_queue_new();
    rig->messages = g_queue_new();
    rig->ghosts = g_queue_new();
    rig->recorded = g_ptr_array_new_with_free_func(g_free);
    rig->served_ns = WEIR_NEVER_NS;
    rig->next_audio_ns = c->audio ? 0 : WEIR_NEVER_NS;
    bool forges = c->forger > FAULT_SEES_UNSENT;
    rig->next_forged_ns = forges ? (int64_t)(c->forger_from_s * 1e9) : WEIR_NEVER_NS;
    rig_create_ends(rig);
    rig->payload_mean_bytes = RIG_PAYLOAD;
    for (size_t i = 0; i < RIG_PROOF_BINS; i++) {
        rig->proof_bin[i] = -1;
    }
    for (size_t i = 0; i < FAULT_DEMANDS; i++) {
        bool queue = c->demands[i].figure == FAULT_Q95_MS;
        rig->seen[i].queue_ms = queue ? g_new(float, RIG_SAMPLES) : NULL;
    }
    rig->trail.allowed_bps = g_array_new(FALSE, FALSE, sizeof(int64_t));
    rig->trail.delivered = g_array_new(FALSE, FALSE, sizeof(int64_t));
    return rig;
}

/* A case by itself, with the first seed. */
static inline struct fault_rig *rig_new(const struct fault_case *c)
{
    struct fault_run run = {.c = c,
                            .algorithm = c->algorithm ? c->algorithm : "sluice",
                            .format = c->format,
                            .seed = 1};
    struct fault_rig *rig = rig_new_run(&run);
    rig->own_run = run;
    rig->run = &rig->own_run;
    return rig;
}

/* A report is its own packet: those still on their way are nobody else's. */
static inline void rig_free_flying(struct rig_flying *flying)
{
    if (flying->packet->report) {
        g_free(flying->packet->report);
        g_free(flying->packet);
    }
}

static inline void rig_free_underway(struct fault_rig *rig)
{
    for (int64_t i = 0; i < (int64_t)rig->n_waiting; i++) {
        rig_free_flying(&rig->waiting[((int64_t)rig->first_waiting + i) % RIG_NUMBERS]);
    }
    for (GList *link = rig->flying->head; link; link = link->next) {
        rig_free_flying(link->data);
    }
}

static inline void rig_free(struct fault_rig *rig)
{
    rig_free_underway(rig);
    weir_sender_destroy(rig->sender);
    for (size_t i = 0; i < RIG_ENDS; i++) {
        weir_receiver_destroy(rig->ends[i].receiver);
        g_array_free(rig->ends[i].late, TRUE);
    }
    for (size_t i = 0; i < FAULT_DEMANDS; i++) {
        g_free(rig->seen[i].queue_ms);
    }
    g_array_free(rig->trail.allowed_bps, TRUE);
    g_array_free(rig->trail.delivered, TRUE);
    weir_receiver_destroy(rig->forger);
    g_ptr_array_free(rig->recorded, TRUE);
    g_queue_free_full(rig->ghosts, g_free);
    g_queue_free_full(rig->flying, g_free);
    g_queue_free_full(rig->messages, g_free);
    g_free(rig->waiting);
    g_free(rig);
}

#endif
