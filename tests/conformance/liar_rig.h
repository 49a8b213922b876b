/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sending session whose source makes what it may, in virtual time, on one bottleneck with a
 * drop-tail queue; and a peer that writes its feedback itself, honest or not. Since the queue is
 * first in, first out, when a packet arrives is known as it leaves. */
#ifndef WEIR_TESTS_LIAR_RIG_H
#define WEIR_TESTS_LIAR_RIG_H

#include "codec/format.h"
#include "test.h"
#include "weir/sender.h"

#define LIAR_WAY_NS      WEIR_MS(50) /* empty, there; and back */
#define LIAR_FEEDBACK_NS WEIR_MS(50)
#define LIAR_TAIL_NS     WEIR_SECONDS(20) /* at the end, of which the means are */

enum { LIAR_PACKETS = 1 << 15, LIAR_RTP_BYTES = 1172, LIAR_OVERHEAD = 28, LIAR_ENTRIES = 1024 };
enum { LIAR_SSRC = 1 };

/* What the peer tells. */
enum liar_tale {
    LIAR_HONEST,
    LIAR_ALL_RECEIVED, /* at the true times; lost packets with the one after them */
    LIAR_FLAT,         /* all received, each one way after it left */
    LIAR_BENT,         /* the same, on a clock that was put back by the queue */
    LIAR_EARLY,        /* the same, also of packets that are still queued */
    LIAR_CAREFUL       /* as flat, but admits losses among which a number may have been left out */
};

struct liar_case {
    uint32_t format; /* enum weir_feedback_format: CCFB or TWCC */
    enum liar_tale tale;
    const char *algorithm;
    uint64_t seed;
    int64_t capacity_bps, queue_ns, max_bps, start_bps, duration_ns;
    int64_t busy_from_ns, busy_to_ns, busy_ns; /* how much longer the way back is, and when */
};

struct liar_packet {
    int64_t sent_ns;
    int64_t arrives_ns; /* WEIR_NEVER_NS: lost */
    uint16_t number;
};

struct liar_rig {
    const struct liar_case *c;
    struct weir_sender *sender;
    int64_t now_ns, free_ns, next_feedback_ns;
    int64_t made_ns;        /* until when the source has made ... */
    double waiting_packets; /* ... so many that have not left */
    int64_t n_sent, n_told; /* packets; the peer has told of those below n_told */
    struct liar_packet packets[LIAR_PACKETS];
    /* results */
    double allowed_bps, waited_ms; /* means of the tail */
    int64_t most_bps, reached_ns;  /* highest allowed rate; when it was first the maximum */
    int64_t n_samples;
};

static inline struct liar_packet *liar_packet(struct liar_rig *rig, int64_t i)
{
    return &rig->packets[i % LIAR_PACKETS];
}

static inline int64_t liar_back_ns(const struct liar_rig *rig)
{
    const struct liar_case *c = rig->c;
    bool busy = rig->now_ns >= c->busy_from_ns && rig->now_ns < c->busy_to_ns;
    return LIAR_WAY_NS + (busy ? c->busy_ns : 0);
}

static inline int64_t liar_waiting_bytes(const struct liar_rig *rig)
{
    return (int64_t)weir_max_i64((int64_t)rig->waiting_packets, 0) * LIAR_RTP_BYTES;
}

/* The source follows the target at once, and rests while a quarter of a second waits. */
static inline void liar_make(struct liar_rig *rig)
{
    struct weir_output output;
    weir_sender_get_output(rig->sender, &output);
    double made = (double)output.target_wire_bps / 8.0 * 1e-9 *
                  (double)(rig->now_ns - rig->made_ns) / (LIAR_RTP_BYTES + LIAR_OVERHEAD);
    double most = (double)output.target_wire_bps / 32.0 / (LIAR_RTP_BYTES + LIAR_OVERHEAD) + 1.0;
    rig->waiting_packets = MIN(rig->waiting_packets + made, MAX(most, rig->waiting_packets));
    rig->made_ns = rig->now_ns;
    weir_sender_on_queue(rig->sender, rig->now_ns, 0, liar_waiting_bytes(rig));
}

static inline bool liar_may_send(const struct liar_rig *rig)
{
    return rig->waiting_packets >= 1.0 &&
           weir_sender_next_send_ns(rig->sender, rig->now_ns, LIAR_RTP_BYTES) <= rig->now_ns;
}

static inline void liar_send(struct liar_rig *rig)
{
    rig->waiting_packets -= 1.0;
    int64_t i = rig->n_sent++;
    struct liar_packet *packet = liar_packet(rig, i);
    packet->sent_ns = rig->now_ns;
    packet->number = weir_sender_take_transport_seq(rig->sender, 0);
    struct weir_sent sent = {.ssrc = LIAR_SSRC,
                             .rtp_seq = (uint16_t)(i + 65000),
                             .rtp_timestamp = (uint32_t)(rig->now_ns / 11111),
                             .transport_seq = packet->number,
                             .has_transport_seq = true,
                             .rtp_bytes = LIAR_RTP_BYTES,
                             .payload_bytes = LIAR_RTP_BYTES - 20,
                             .queued_bytes = liar_waiting_bytes(rig)};
    g_assert_cmpint(weir_sender_on_sent(rig->sender, rig->now_ns, &sent), ==, WEIR_OK);
    int64_t starts_ns = weir_max_i64(rig->free_ns, rig->now_ns);
    bool lost = starts_ns - rig->now_ns > rig->c->queue_ns;
    if (!lost) {
        rig->free_ns =
            starts_ns + weir_send_time_ns(LIAR_RTP_BYTES + LIAR_OVERHEAD, rig->c->capacity_bps);
    }
    packet->arrives_ns = lost ? WEIR_NEVER_NS : rig->free_ns + LIAR_WAY_NS;
}

/* What the peer says of the times: on its clock, when packet i arrived of which it tells at
 * told_ns. */
static inline int64_t liar_arrival_ns(struct liar_rig *rig, int64_t i, int64_t told_ns)
{
    const struct liar_packet *packet = liar_packet(rig, i);
    bool flat = rig->c->tale >= LIAR_FLAT;
    bool arrived = packet->arrives_ns <= told_ns;
    return flat ? packet->sent_ns + LIAR_WAY_NS : arrived ? packet->arrives_ns : told_ns;
}

/* How many packets the peer has seen, or says so, at told_ns: up to the newest that arrived. */
static inline int64_t liar_seen(struct liar_rig *rig, int64_t told_ns)
{
    bool early = rig->c->tale == LIAR_EARLY;
    for (int64_t i = rig->n_sent - 1; i >= rig->n_told; i--) {
        const struct liar_packet *packet = liar_packet(rig, i);
        if (early ? packet->sent_ns + LIAR_WAY_NS <= told_ns : packet->arrives_ns <= told_ns) {
            return i + 1;
        }
    }
    return rig->n_told;
}

/* What a careful liar sees: that the numbers of the packets around a loss are as far apart as their
 * RTP numbers. */
static inline bool liar_is_safe(struct liar_rig *rig, int64_t i, int64_t told_ns)
{
    int64_t before = i, after = i;
    while (before > 0 && liar_packet(rig, before)->arrives_ns > told_ns) {
        before--;
    }
    while (after < rig->n_sent - 1 && liar_packet(rig, after)->arrives_ns > told_ns) {
        after++;
    }
    uint16_t apart = (uint16_t)(liar_packet(rig, after)->number - liar_packet(rig, before)->number);
    return apart == after - before;
}

/* Of the number seq, up to that of packet i. */
static inline bool liar_says(struct liar_rig *rig, int64_t i, uint16_t seq, int64_t told_ns)
{
    bool sent = rig->c->format == WEIR_FEEDBACK_CCFB || seq == liar_packet(rig, i)->number;
    bool arrived = sent && liar_packet(rig, i)->arrives_ns <= told_ns;
    if (rig->c->tale == LIAR_CAREFUL) {
        return arrived || (sent && liar_is_safe(rig, i, told_ns));
    }
    return arrived || rig->c->tale != LIAR_HONEST;
}

/* The numbers from the one before, too: a liar knows of no reason why they should be missing. */
static inline size_t liar_fill(struct liar_rig *rig, int64_t told_ns, int64_t seen,
                               struct weir__feedback_entry *entries)
{
    bool wide = rig->c->format == WEIR_FEEDBACK_TWCC;
    size_t n = 0;
    for (int64_t i = rig->n_told; i < seen && n < LIAR_ENTRIES / 2; i++) {
        const struct liar_packet *packet = liar_packet(rig, i);
        uint16_t next = wide ? packet->number : (uint16_t)(i + 65000);
        uint16_t first = n > 0 ? (uint16_t)(entries[n - 1].seq + 1) : next;
        for (uint16_t seq = first; n < LIAR_ENTRIES; seq++) {
            bool sent = seq == next;
            bool says = liar_says(rig, i, seq, told_ns);
            entries[n++] = (struct weir__feedback_entry){
                .ssrc = wide ? 0 : LIAR_SSRC,
                .seq = seq,
                .received = says,
                .has_time = says,
                .arrival_ns = says ? liar_arrival_ns(rig, i, told_ns) : 0,
            };
            if (sent) {
                break;
            }
        }
        rig->n_told = i + 1;
    }
    return n;
}

/* The peer's clock as it writes a report. */
static inline int64_t liar_report_ns(const struct liar_rig *rig, int64_t told_ns,
                                     const struct weir__feedback_entry *entries, size_t n)
{
    return rig->c->tale == LIAR_BENT && n > 0 ? entries[n - 1].arrival_ns + WEIR_MS(1) : told_ns;
}

static inline void liar_tell(struct liar_rig *rig)
{
    static struct weir__feedback_entry entries[LIAR_ENTRIES];
    const struct weir__format *format = weir__format_at(weir__format_index(rig->c->format));
    int64_t told_ns = rig->now_ns - liar_back_ns(rig);
    size_t n = liar_fill(rig, told_ns, liar_seen(rig, told_ns), entries);
    int64_t report_ns = liar_report_ns(rig, told_ns, entries, n);
    for (size_t i = 0; i < n;) {
        uint8_t data[1400];
        size_t size, written;
        const struct weir__feedback_head head = {
            .sender_ssrc = 2,
            .media_ssrc = LIAR_SSRC,
            .report_ns = report_ns,
            .report_mid32 = (uint32_t)((uint64_t)report_ns * 65536 / 1000000000),
        };
        g_assert_cmpint(
            format->build(&head, entries + i, n - i, data, sizeof(data), &size, &written), ==,
            WEIR_OK);
        weir_sender_on_rtcp(rig->sender, rig->now_ns, 0, data, size);
        i += written;
    }
    rig->next_feedback_ns = rig->now_ns + LIAR_FEEDBACK_NS;
}

static inline void liar_sample(struct liar_rig *rig)
{
    struct weir_output output;
    weir_sender_get_output(rig->sender, &output);
    rig->most_bps = weir_max_i64(rig->most_bps, output.allowed_wire_bps);
    if (output.target_media_bps >= rig->c->max_bps && rig->reached_ns == WEIR_NEVER_NS) {
        rig->reached_ns = rig->now_ns;
    }
    if (rig->now_ns >= rig->c->duration_ns - LIAR_TAIL_NS) {
        double waited_ns = (double)weir_max_i64(rig->free_ns - rig->now_ns, 0);
        rig->n_samples++;
        rig->allowed_bps +=
            ((double)output.allowed_wire_bps - rig->allowed_bps) / (double)rig->n_samples;
        rig->waited_ms += (waited_ns * 1e-6 - rig->waited_ms) / (double)rig->n_samples;
    }
}

static inline struct liar_rig *liar_run(const struct liar_case *c)
{
    struct liar_rig *rig = g_new0(struct liar_rig, 1);
    struct weir_sender_config config;
    rig->c = c;
    rig->reached_ns = WEIR_NEVER_NS;
    rig->next_feedback_ns = LIAR_FEEDBACK_NS;
    weir_sender_config_init(&config);
    config.algorithm = c->algorithm;
    config.seed = c->seed;
    config.limits.max_bps = c->max_bps;
    config.limits.start_bps = c->start_bps;
    rig->sender = weir_sender_create(&config, 0, NULL);
    while (rig->now_ns < c->duration_ns) {
        if (weir_sender_next_timer_ns(rig->sender) <= rig->now_ns) {
            weir_sender_on_timer(rig->sender, rig->now_ns);
        }
        for (liar_make(rig); liar_may_send(rig);) {
            liar_send(rig);
        }
        if (rig->next_feedback_ns <= rig->now_ns) {
            liar_tell(rig);
            liar_sample(rig);
        }
        int64_t next_ns = weir_min_i64(rig->now_ns + WEIR_MS(1), rig->next_feedback_ns);
        next_ns = weir_min_i64(next_ns, weir_sender_next_timer_ns(rig->sender));
        rig->now_ns = weir_max_i64(next_ns, rig->now_ns + WEIR_US(100));
    }
    return rig;
}

static inline void liar_free(struct liar_rig *rig)
{
    weir_sender_destroy(rig->sender);
    g_free(rig);
}

#endif
