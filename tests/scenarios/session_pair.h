/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sending and a receiving session joined by two emulated paths, in virtual time: real RTP and
 * RTCP bytes, an encoder that follows the target, a send queue and a pacer. */
#ifndef WEIR_TESTS_SESSION_PAIR_H
#define WEIR_TESTS_SESSION_PAIR_H

#include "sim/path/path.h"
#include "test.h"
#include "weir/weir.h"

enum { PAIR_TRANSPORT_ID = 3, PAIR_HEADER_BYTES = 20, PAIR_PAYLOAD_BYTES = 1000, PAIR_FPS = 30 };
enum { PAIR_OVERHEAD_BYTES = 28, PAIR_CLOCK_HZ = 90000 };

#define PAIR_MEDIA_SSRC    0xcafebabeU
#define PAIR_RECEIVER_SSRC 0x11223344U

/* A datagram under way, or one that has arrived. */
struct pair_datagram {
    size_t len;
    uint8_t data[1500];
};

/* One direction: what is inside, by token, and what has come out. */
struct pair_direction {
    struct weir__path *path;
    uint32_t flow;
    GPtrArray *datagrams; /* by token; NULL once it is out */
    GArray *tokens;       /* that are free */
    GQueue *arrived;
    uint64_t dropped_packets;
    bool cut; /* nothing goes in */
};

struct pair_config {
    uint32_t format;
    const char *algorithm;
    char *schedule;   /* of the capacity forward */
    double loss;      /* forward, in [0, 1] */
    double rtcp_loss; /* backward */
    int64_t max_bps;  /* of the encoder; 0 = the session's default */
    guint32 seed;
    int64_t start_ns; /* the clock of both sessions at the start; the paths start at 0 */
    int64_t unix_ns;  /* the wall clock then; 0 = some day */
};

struct pair {
    struct weir_sender *sender;
    struct weir_receiver *receiver;
    struct pair_direction forward;
    struct pair_direction backward;
    GQueue *queue; /* of struct pair_datagram, waiting for the pacer */
    int64_t queued_bytes;
    struct pair_config config;
    int64_t now_ns;
    int64_t next_frame_ns;
    int64_t frame_ns;    /* between frames; WEIR_NEVER_NS: the encoder rests */
    int64_t frame_bytes; /* 0 = what the target allows */
    uint16_t seq;
    uint16_t transport_seq;
    uint32_t timestamp;
    int64_t delivered_wire_bytes;
    uint64_t rtcp_sent;
    uint64_t rtcp_arrived;
};

static inline void pair_on_outcome(void *user, const struct weir__path_outcome *outcome)
{
    struct pair_direction *direction = user;
    gpointer *slot = &g_ptr_array_index(direction->datagrams, (guint)outcome->token);
    if (outcome->verdict == WEIR__PATH_DELIVERED) {
        g_queue_push_tail(direction->arrived, *slot);
    } else {
        g_free(*slot);
        direction->dropped_packets++;
    }
    *slot = NULL;
    g_array_append_val(direction->tokens, outcome->token);
}

static inline void pair_direction_init(struct pair_direction *direction,
                                       const struct weir__path_config *config)
{
    char error[200];
    direction->datagrams = g_ptr_array_new();
    direction->tokens = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    direction->arrived = g_queue_new();
    g_assert_cmpint(weir__path_create(&direction->path, config, pair_on_outcome, direction, error,
                                      sizeof error),
                    ==, WEIR_OK);
    g_assert_cmpint(weir__path_add_flow(direction->path, &direction->flow), ==, WEIR_OK);
}

static inline void pair_direction_finish(struct pair_direction *direction)
{
    weir__path_destroy(direction->path);
    g_queue_free_full(direction->arrived, g_free);
    g_ptr_array_free(direction->datagrams, TRUE);
    g_array_free(direction->tokens, TRUE);
}

/* Takes the datagram. */
static inline void pair_send(struct pair_direction *direction, int64_t now_ns,
                             struct pair_datagram *datagram)
{
    if (direction->cut) {
        g_free(datagram);
        return;
    }
    if (direction->tokens->len == 0) {
        uint64_t fresh = direction->datagrams->len;
        g_ptr_array_add(direction->datagrams, NULL);
        g_array_append_val(direction->tokens, fresh);
    }
    uint64_t token = g_array_index(direction->tokens, uint64_t, direction->tokens->len - 1);
    g_array_set_size(direction->tokens, direction->tokens->len - 1);
    g_ptr_array_index(direction->datagrams, (guint)token) = datagram;
    const struct weir__path_packet packet = {.token = token,
                                             .size_bytes =
                                                 (int64_t)datagram->len + PAIR_OVERHEAD_BYTES,
                                             .flow = direction->flow};
    enum weir_status status = weir__path_offer(direction->path, now_ns, &packet);
    g_assert_cmpint(status, ==, WEIR_OK);
}

static inline void pair_init_paths(struct pair *pair, const struct pair_config *config)
{
    struct weir__path_config path;
    weir__path_config_default(&path);
    path.schedule = config->schedule;
    path.link.delay_ns = WEIR_MS(50);
    path.link.queue.limit.packets = 25;
    path.link.seed = config->seed;
    path.link.loss =
        (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = config->loss};
    pair_direction_init(&pair->forward, &path);
    path.schedule = NULL;
    path.link.capacity_bps = WEIR_MBPS(100);
    path.link.seed = config->seed + 1;
    path.link.loss.p = config->rtcp_loss;
    pair_direction_init(&pair->backward, &path);
}

static inline struct pair *pair_new(const struct pair_config *config)
{
    struct pair *pair = g_new0(struct pair, 1);
    struct weir_sender_config sending;
    struct weir_receiver_config receiving;
    enum weir_status status;
    pair->config = *config;
    pair->frame_ns = WEIR_SECONDS(1) / PAIR_FPS;
    weir_sender_config_init(&sending);
    sending.algorithm = config->algorithm;
    sending.seed = config->seed;
    if (config->max_bps > 0) {
        sending.limits.max_bps = config->max_bps;
    }
    pair->sender = weir_sender_create(&sending, config->start_ns, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    weir_receiver_config_init(&receiving);
    receiving.format = config->format;
    receiving.local_ssrc = PAIR_RECEIVER_SSRC;
    receiving.transport_seq_id = PAIR_TRANSPORT_ID;
    receiving.seed = config->seed;
    pair->receiver = weir_receiver_create(&receiving, config->start_ns, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    pair->queue = g_queue_new();
    pair->seq = 65000;
    pair->transport_seq = 64000;
    pair->timestamp = UINT32_MAX - 600 * PAIR_CLOCK_HZ;
    pair_init_paths(pair, config);
    return pair;
}

static inline void pair_free(struct pair *pair)
{
    weir_sender_destroy(pair->sender);
    weir_receiver_destroy(pair->receiver);
    pair_direction_finish(&pair->forward);
    pair_direction_finish(&pair->backward);
    g_queue_free_full(pair->queue, g_free);
    g_free(pair);
}

static inline uint64_t pair_ntp(const struct pair *pair)
{
    int64_t start_ns = pair->config.unix_ns ? pair->config.unix_ns : WEIR_SECONDS(1700000000);
    return weir_ntp_from_unix_ns(start_ns + pair->now_ns);
}

/* The time of the sessions. */
static inline int64_t pair_clock_ns(const struct pair *pair)
{
    return pair->config.start_ns + pair->now_ns;
}

/* A deadline of theirs in the time of the paths. */
static inline int64_t pair_deadline_ns(const struct pair *pair, int64_t at_ns)
{
    return at_ns == WEIR_NEVER_NS ? at_ns : at_ns - pair->config.start_ns;
}

/* One RTP packet into the send queue; the numbers are written when it leaves. */
static inline void pair_queue_packet(struct pair *pair, size_t payload_bytes, bool last)
{
    struct pair_datagram *datagram = g_new0(struct pair_datagram, 1);
    uint8_t *p = datagram->data;
    datagram->len = PAIR_HEADER_BYTES + payload_bytes;
    p[0] = 0x90;
    p[1] = (uint8_t)(96 | (last ? 0x80 : 0));
    for (int i = 0; i < 4; i++) {
        p[4 + i] = (uint8_t)(pair->timestamp >> (24 - 8 * i));
        p[8 + i] = (uint8_t)(PAIR_MEDIA_SSRC >> (24 - 8 * i));
    }
    p[12] = 0xbe;
    p[13] = 0xde;
    p[15] = 1;
    p[16] = PAIR_TRANSPORT_ID << 4 | 1;
    g_queue_push_tail(pair->queue, datagram);
    pair->queued_bytes += (int64_t)datagram->len;
}

/* The encoder: frames of the target's size, unless a quarter of a second waits already. */
static inline void pair_encode(struct pair *pair)
{
    struct weir_output output;
    weir_sender_get_output(pair->sender, &output);
    int64_t frame_bytes =
        pair->frame_bytes ? pair->frame_bytes : output.target_media_bps / 8 / PAIR_FPS;
    pair->timestamp += (uint32_t)((pair->frame_ns + 5555) / (WEIR_SECONDS(1) / PAIR_CLOCK_HZ));
    pair->next_frame_ns = weir_time_add_ns(pair->next_frame_ns, pair->frame_ns);
    if (pair->queued_bytes * 32 > output.target_media_bps) {
        return;
    }
    while (frame_bytes > 0) {
        int64_t payload = weir_min_i64(frame_bytes, PAIR_PAYLOAD_BYTES);
        frame_bytes -= payload;
        pair_queue_packet(pair, (size_t)payload, frame_bytes == 0);
    }
    weir_sender_on_queue(pair->sender, pair_clock_ns(pair), 0, pair->queued_bytes);
}

static inline int64_t pair_next_send_ns(const struct pair *pair)
{
    const struct pair_datagram *datagram = g_queue_peek_head(pair->queue);
    if (datagram == NULL) {
        return WEIR_NEVER_NS;
    }
    return pair_deadline_ns(
        pair, weir_sender_next_send_ns(pair->sender, pair_clock_ns(pair), (uint32_t)datagram->len));
}

/* The first packet of the send queue leaves. */
static inline void pair_send_packet(struct pair *pair)
{
    struct pair_datagram *datagram = g_queue_pop_head(pair->queue);
    struct weir_rtp_info rtp;
    pair->queued_bytes -= (int64_t)datagram->len;
    datagram->data[2] = (uint8_t)(pair->seq >> 8);
    datagram->data[3] = (uint8_t)pair->seq;
    g_assert_cmpint(weir_rtp_set_transport_seq(datagram->data, datagram->len, PAIR_TRANSPORT_ID,
                                               pair->transport_seq),
                    ==, WEIR_OK);
    g_assert_cmpint(weir_rtp_info(datagram->data, datagram->len, PAIR_TRANSPORT_ID, &rtp), ==,
                    WEIR_OK);
    struct weir_sent sent = {.ssrc = rtp.ssrc,
                             .rtp_timestamp = rtp.timestamp,
                             .rtp_seq = rtp.seq,
                             .transport_seq = rtp.transport_seq,
                             .has_transport_seq = true,
                             .rtp_bytes = (uint32_t)datagram->len,
                             .payload_bytes = rtp.payload_bytes,
                             .queued_bytes = pair->queued_bytes};
    g_assert_cmpint(weir_sender_on_sent(pair->sender, pair_clock_ns(pair), &sent), ==, WEIR_OK);
    pair->seq++;
    pair->transport_seq++;
    pair_send(&pair->forward, pair->now_ns, datagram);
}

static inline void pair_send_report(struct pair *pair)
{
    struct pair_datagram *datagram = g_new0(struct pair_datagram, 1);
    g_assert_cmpint(weir_sender_build_report(pair->sender, pair_clock_ns(pair), 0, pair_ntp(pair),
                                             datagram->data, sizeof datagram->data, &datagram->len),
                    ==, WEIR_OK);
    pair_send(&pair->forward, pair->now_ns, datagram);
}

static inline void pair_send_feedback(struct pair *pair)
{
    struct pair_datagram *datagram = g_new0(struct pair_datagram, 1);
    g_assert_cmpint(weir_receiver_build_feedback(pair->receiver, pair_clock_ns(pair),
                                                 pair_ntp(pair), datagram->data,
                                                 sizeof datagram->data, &datagram->len),
                    ==, WEIR_OK);
    if (datagram->len == 0) {
        g_free(datagram);
        return;
    }
    pair->rtcp_sent++;
    pair_send(&pair->backward, pair->now_ns, datagram);
}

static inline void pair_deliver(struct pair *pair)
{
    struct pair_datagram *datagram;
    while ((datagram = g_queue_pop_head(pair->forward.arrived)) != NULL) {
        if (weir_datagram_kind(datagram->data, datagram->len) == WEIR_DATAGRAM_RTP) {
            pair->delivered_wire_bytes += (int64_t)datagram->len + PAIR_OVERHEAD_BYTES;
            weir_receiver_on_rtp(pair->receiver, pair_clock_ns(pair), datagram->data, datagram->len,
                                 WEIR_ECN_NOT_ECT);
        } else {
            weir_receiver_on_rtcp(pair->receiver, pair_clock_ns(pair), datagram->data,
                                  datagram->len);
        }
        g_free(datagram);
    }
    while ((datagram = g_queue_pop_head(pair->backward.arrived)) != NULL) {
        pair->rtcp_arrived++;
        weir_sender_on_rtcp(pair->sender, pair_clock_ns(pair), 0, datagram->data, datagram->len);
        g_free(datagram);
    }
}

/* Everything that is due now. */
static inline void pair_step(struct pair *pair)
{
    weir__path_run_until(pair->forward.path, pair->now_ns);
    weir__path_run_until(pair->backward.path, pair->now_ns);
    pair_deliver(pair);
    int64_t clock_ns = pair_clock_ns(pair);
    if (weir_sender_next_timer_ns(pair->sender) <= clock_ns) {
        weir_sender_on_timer(pair->sender, clock_ns);
    }
    if (pair->next_frame_ns <= pair->now_ns) {
        pair_encode(pair);
    }
    while (pair_next_send_ns(pair) <= pair->now_ns) {
        pair_send_packet(pair);
    }
    if (weir_sender_next_report_ns(pair->sender) <= clock_ns) {
        pair_send_report(pair);
    }
    while (weir_receiver_next_feedback_ns(pair->receiver) <= clock_ns) {
        pair_send_feedback(pair);
    }
}

static inline void pair_run_until(struct pair *pair, int64_t end_ns)
{
    while (pair->now_ns < end_ns) {
        int64_t next_ns = weir_min_i64(end_ns, pair->next_frame_ns);
        next_ns = weir_min_i64(next_ns, pair_next_send_ns(pair));
        next_ns = weir_min_i64(next_ns, weir__path_next_event_ns(pair->forward.path));
        next_ns = weir_min_i64(next_ns, weir__path_next_event_ns(pair->backward.path));
        int64_t due_ns = weir_sender_next_timer_ns(pair->sender);
        due_ns = weir_min_i64(due_ns, weir_sender_next_report_ns(pair->sender));
        due_ns = weir_min_i64(due_ns, weir_receiver_next_feedback_ns(pair->receiver));
        next_ns = weir_min_i64(next_ns, pair_deadline_ns(pair, due_ns));
        pair->now_ns = weir_max_i64(pair->now_ns, next_ns);
        pair_step(pair);
    }
}

static inline int64_t pair_target_bps(const struct pair *pair)
{
    struct weir_output output;
    weir_sender_get_output(pair->sender, &output);
    return output.target_media_bps;
}

#endif
