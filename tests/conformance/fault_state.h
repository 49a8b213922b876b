/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a case of a faulty peer or path is made of, and the rig that lives it (fault_rig.h). */
#ifndef WEIR_TESTS_FAULT_STATE_H
#define WEIR_TESTS_FAULT_STATE_H

#include "test.h"
#include "weir/receiver.h"
#include "weir/rtcp.h"
#include "weir/sender.h"

#include <math.h>
#include <stdlib.h>

#define RIG_TRANSPORT_ID 5
#define RIG_OVERHEAD     28
#define RIG_HEADER       20 /* of RTP, with the transport-wide number */
#define RIG_PAYLOAD      1180
#define RIG_AUDIO_BYTES  60 /* each 20 ms: 24 kbit/s */
#define RIG_FRAME_NS     (WEIR_SECONDS(1) / 30)
#define RIG_SAMPLE_NS    WEIR_MS(5)
#define RIG_PROOF_BIN_NS WEIR_MS(10)
#define RIG_PROOF_NS     WEIR_MS(20) /* how often it is judged */

enum { RIG_PHASES = 6, RIG_WINDOWS = 4, RIG_NUMBERS = 1 << 16, RIG_QUEUED = 1 << 14 };
enum { RIG_SAMPLES = 40000, RIG_PROOF_BINS = 1200, RIG_ENDS = 2 };

/* What holds from at_s on; a phase that begins at 0 ends the list, but for the first. */
struct fault_phase {
    double at_s;
    double mbps;     /* 0: nothing passes */
    double delay_ms; /* one way, there and back */
};

/* What is demanded from from_s to to_s; 0: nothing of that kind. */
struct fault_window {
    double from_s, to_s;
    double least_use;   /* delivered, of the capacity (or of what the source may make) */
    double most_q95_ms; /* of the queue at the bottleneck */
    double most_loss;   /* share of packets that the bottleneck and the path lost */
    double most_over;   /* allowed wire rate, mean, of the capacity */
};

struct fault_rig;

struct fault_case {
    const char *name;
    const char *algorithm; /* NULL = sluice */
    bool circuit_breaker;
    struct fault_phase phases[RIG_PHASES];
    double queue_ms;         /* of the first capacity; 0 = 200 */
    int64_t queue_bytes;     /* 0 = of queue_ms */
    uint32_t format;         /* enum weir_feedback_format bit of the receiver; 0 = packet results */
    double feedback_ms;      /* 0 = 50 */
    double sender_report_ms; /* at least between two sender reports; 0 = as the session wants */
    /* The peer's clock at our time (and what it tells about a packet sent at sent_ns; 0 if it does
     * not know). NULL: a clock of its own, without fault. */
    int64_t (*clock)(const struct fault_rig *rig, int64_t at_ns, int64_t sent_ns);
    int64_t (*clock_2)(const struct fault_rig *rig, int64_t at_ns, int64_t sent_ns);
    bool no_times;   /* results without arrival times */
    bool claims_all; /* lost packets are reported received */
    bool feedback_twice;
    int64_t lose_feedback; /* each n-th; 0 = none */
    double reset_s;        /* the peer begins anew */
    double reorder_ms;     /* each 20th packet is held back for so long */
    double burst_s;        /* each so often nothing passes for burst_ms */
    double burst_ms;
    double loss;        /* of each packet */
    double max_mbps;    /* of the session; 0 = 4 times the greatest capacity */
    double start_kbps;  /* 0 = 500 */
    double source_kbps; /* what the source makes at most; 0 = no bound */
    double pause_from_s, pause_to_s;
    bool audio;
    bool audio_apart; /* on a transport of its own, with clock_2 */
    double seconds;
    struct fault_window windows[RIG_WINDOWS];
};

struct rig_packet {
    int64_t sent_ns;
    int64_t arrived_ns; /* WEIR_NEVER_NS: lost, UNKNOWN: not yet */
    uint32_t bytes;     /* of RTP */
    uint16_t rtp_seq, transport_seq;
    uint32_t ssrc;
    uint32_t timestamp;
    uint32_t end;
    uint8_t *report; /* RTCP of the sender instead, of so many bytes; then the packet is its own */
};

struct rig_waiting {
    uint32_t bytes;
    uint32_t timestamp;
};

/* One transport at the peer. */
struct rig_end {
    struct weir_receiver *receiver;
    uint16_t transport_seq;
    int64_t told; /* number of the newest packet told of, in the rig's count */
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

struct fault_rig {
    const struct fault_case *c;
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
    uint16_t rtp_seq[2];
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
    /* what happened */
    int64_t n_packets;
    struct {
        int64_t delivered_bytes, capacity_bits, n_sent, n_lost;
        double allowed_sum;
        int64_t n_allowed, n_queue;
        float queue_ms[RIG_SAMPLES];
    } seen[RIG_WINDOWS];
    int64_t next_sample_ns;
    int64_t proof_bytes[RIG_PROOF_BINS]; /* delivered, by send time */
    int64_t proof_bin[RIG_PROOF_BINS];
    bool has_sent; /* since the sample before */
    double worst_over_proof;
    int64_t worst_at_ns;
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

static inline const struct fault_phase *rig_phase(const struct fault_rig *rig)
{
    return &rig->c->phases[rig->phase];
}

static inline int64_t rig_next_phase_ns(const struct fault_rig *rig)
{
    size_t next = rig->phase + 1;
    bool is_last = next >= RIG_PHASES || rig->c->phases[next].at_s <= 0.0;
    return is_last ? WEIR_NEVER_NS : (int64_t)(rig->c->phases[next].at_s * 1e9);
}

static inline int64_t rig_delay_ns(const struct fault_rig *rig)
{
    return (int64_t)(rig_phase(rig)->delay_ms * 1e6);
}

static inline double rig_most_mbps(const struct fault_case *c)
{
    double most = 0.0;
    for (size_t i = 0; i < RIG_PHASES; i++) {
        most = fmax(most, c->phases[i].mbps);
    }
    return most;
}

/* What the peer's clock shows; without a fault it goes as ours, from another day on. */
static inline int64_t rig_peer_ns(const struct fault_rig *rig, uint32_t end, int64_t at_ns,
                                  int64_t sent_ns)
{
    int64_t (*clock)(const struct fault_rig *, int64_t, int64_t) =
        end == 0 ? rig->c->clock : rig->c->clock_2;
    return clock ? clock(rig, at_ns, sent_ns) : at_ns + WEIR_SECONDS(5000);
}

static inline void rig_create_receiver(struct fault_rig *rig, uint32_t end)
{
    struct weir_receiver_config config;
    enum weir_status status;
    weir_receiver_config_init(&config);
    config.format = rig->c->format;
    config.transport_seq_id = RIG_TRANSPORT_ID;
    config.seed = 7 + end;
    config.local_ssrc = 0x1000 + end;
    config.interval_ns = rig->c->feedback_ms > 0.0 ? (int64_t)(rig->c->feedback_ms * 1e6) : 0;
    rig->ends[end].receiver =
        weir_receiver_create(&config, rig_peer_ns(rig, end, rig->now_ns, 0), &status);
    g_assert_cmpint(status, ==, WEIR_OK);
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

static inline struct fault_rig *rig_new(const struct fault_case *c)
{
    struct fault_rig *rig = g_new0(struct fault_rig, 1);
    struct weir_sender_config config;
    enum weir_status status;
    rig->c = c;
    rig->random = 12345;
    rig->end_ns = (int64_t)(c->seconds * 1e9);
    weir_sender_config_init(&config);
    config.algorithm = c->algorithm ? c->algorithm : "sluice";
    config.seed = 1;
    config.circuit_breaker = c->circuit_breaker;
    double max_mbps = c->max_mbps > 0.0 ? c->max_mbps : 4.0 * rig_most_mbps(c);
    double start_kbps = c->start_kbps > 0.0 ? c->start_kbps : 500.0;
    config.limits = (struct weir_limits){.min_bps = WEIR_KBPS(30),
                                         .max_bps = (int64_t)(max_mbps * 1e6),
                                         .start_bps = (int64_t)(start_kbps * 1e3)};
    config.limits.max_bps = weir_max_i64(config.limits.max_bps, config.limits.start_bps);
    rig->limits = config.limits;
    rig->sender = weir_sender_create(&config, 0, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    if (c->audio_apart) {
        rig_add_audio_member(rig);
    }
    rig->encoder_bps = (double)config.limits.start_bps;
    rig->waiting = g_new0(struct rig_flying, RIG_NUMBERS);
    rig->flying = g_queue_new();
    rig->messages = g_queue_new();
    rig->served_ns = WEIR_NEVER_NS;
    rig->next_audio_ns = c->audio ? 0 : WEIR_NEVER_NS;
    for (uint32_t i = 0; i < RIG_ENDS; i++) {
        rig->ends[i].highest = -1;
        rig->ends[i].told = -1;
        rig->ends[i].transport_seq = 65000;
        rig->ends[i].late = g_array_new(FALSE, FALSE, sizeof(int64_t));
        if (c->format != 0) {
            rig_create_receiver(rig, i);
        }
    }
    for (size_t i = 0; i < RIG_PROOF_BINS; i++) {
        rig->proof_bin[i] = -1;
    }
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
    g_queue_free_full(rig->flying, g_free);
    g_queue_free_full(rig->messages, g_free);
    g_free(rig->waiting);
    g_free(rig);
}

#endif
