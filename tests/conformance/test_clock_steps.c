/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sending and a receiving session on a path of 40 ms, and the clock of one of them goes back:
 * just before each kind of call, and the media goes on as if it had not. */
#include "test.h"
#include "weir/receiver.h"
#include "weir/sender.h"

#define TICK_NS    WEIR_MS(1)
#define ONE_WAY_NS WEIR_MS(20)
#define FRAME_NS   WEIR_MS(33)                    /* no two calls are further apart */
#define STEP_NS    (WEIR_SECONDS(3) + WEIR_MS(7)) /* when it goes back */
#define END_NS     WEIR_SECONDS(6)
#define BEGAN_NS   WEIR_SECONDS(20000) /* what both clocks show at 0 */

enum { PACKET_BYTES = 1000, FRAME_PACKETS = 4, MAX_MESSAGES = 512 };

/* The call that sees the step first. */
enum call { QUEUE, MEDIA, ASK, SENT, RTCP, RESULTS, TIMER, REPORT, SET, N_SENDER_CALLS };
enum receiver_call { RECEIVE = N_SENDER_CALLS, RECEIVE_REPORT, FEEDBACK, N_CALLS };

struct message {
    int64_t at_ns;
    size_t len;
    uint8_t data[1500];
};

/* First in, first out. */
struct way {
    struct message messages[MAX_MESSAGES];
    size_t first, n;
};

struct pair {
    struct weir_sender *sender;
    struct weir_receiver *receiver;
    int64_t now_ns;
    int64_t sender_back_ns, receiver_back_ns; /* how far the clock has gone back */
    int64_t queued_packets;
    uint16_t rtp_seq;
    struct way media, reports, feedback;
    int64_t n_sent, n_feedback; /* since the step */
    int64_t sent_ns, longest_gap_ns;
};

static int64_t sender_clock_ns(const struct pair *pair)
{
    return BEGAN_NS + pair->now_ns - pair->sender_back_ns;
}

static int64_t receiver_clock_ns(const struct pair *pair)
{
    return BEGAN_NS + pair->now_ns - pair->receiver_back_ns;
}

static struct message *post(struct way *way, int64_t now_ns)
{
    g_assert_cmpuint(way->n, <, MAX_MESSAGES);
    struct message *message = &way->messages[(way->first + way->n++) % MAX_MESSAGES];
    message->at_ns = now_ns + ONE_WAY_NS;
    return message;
}

static const struct message *take(struct way *way, int64_t now_ns)
{
    const struct message *message = &way->messages[way->first % MAX_MESSAGES];
    if (way->n == 0 || message->at_ns > now_ns) {
        return NULL;
    }
    way->first++;
    way->n--;
    return message;
}

static uint64_t ntp(const struct pair *pair)
{
    return weir_ntp_from_unix_ns(WEIR_SECONDS(1700000000) + pair->now_ns);
}

static void send(struct pair *pair)
{
    struct message *message = post(&pair->media, pair->now_ns);
    uint32_t timestamp = (uint32_t)(pair->now_ns / WEIR_US(100) * 9);
    *message = (struct message){.at_ns = message->at_ns, .len = PACKET_BYTES, .data = {0x80, 96}};
    message->data[2] = (uint8_t)(pair->rtp_seq >> 8);
    message->data[3] = (uint8_t)pair->rtp_seq;
    for (int i = 0; i < 4; i++) {
        message->data[4 + i] = (uint8_t)(timestamp >> (24 - 8 * i));
        message->data[8 + i] = 1;
    }
    pair->queued_packets -= pair->queued_packets > 0;
    const struct weir_sent sent = {.ssrc = 0x01010101,
                                   .rtp_timestamp = timestamp,
                                   .rtp_seq = pair->rtp_seq++,
                                   .rtp_bytes = PACKET_BYTES,
                                   .payload_bytes = PACKET_BYTES - 12,
                                   .queued_bytes = pair->queued_packets * PACKET_BYTES};
    g_assert_cmpint(weir_sender_on_sent(pair->sender, sender_clock_ns(pair), &sent), ==, WEIR_OK);
    if (pair->now_ns > STEP_NS) {
        pair->n_sent++;
        pair->longest_gap_ns = weir_max_i64(pair->longest_gap_ns, pair->now_ns - pair->sent_ns);
    }
    pair->sent_ns = pair->now_ns;
}

static void send_what_is_due(struct pair *pair)
{
    while (pair->queued_packets > 0 &&
           weir_sender_next_send_ns(pair->sender, sender_clock_ns(pair), PACKET_BYTES) <=
               sender_clock_ns(pair)) {
        send(pair);
    }
}

static void report(struct pair *pair)
{
    struct message *message = post(&pair->reports, pair->now_ns);
    weir_sender_build_report(pair->sender, sender_clock_ns(pair), 0, ntp(pair), message->data,
                             sizeof(message->data), &message->len);
}

static void tell(struct pair *pair)
{
    struct message *message = post(&pair->feedback, pair->now_ns);
    weir_receiver_build_feedback(pair->receiver, receiver_clock_ns(pair), ntp(pair), message->data,
                                 sizeof(message->data), &message->len);
    pair->n_feedback += pair->now_ns > STEP_NS && message->len > 0;
    pair->feedback.n -= message->len == 0;
}

static void hear(struct pair *pair, const struct message *message)
{
    weir_sender_on_rtcp(pair->sender, sender_clock_ns(pair), 0, message->data, message->len);
}

static void live_sender(struct pair *pair)
{
    const struct message *message;
    while ((message = take(&pair->feedback, pair->now_ns))) {
        hear(pair, message);
    }
    if (weir_sender_next_timer_ns(pair->sender) <= sender_clock_ns(pair)) {
        weir_sender_on_timer(pair->sender, sender_clock_ns(pair));
    }
    if (weir_sender_next_report_ns(pair->sender) <= sender_clock_ns(pair)) {
        report(pair);
    }
    if (pair->now_ns % FRAME_NS == 0) {
        pair->queued_packets += FRAME_PACKETS;
        weir_sender_on_queue(pair->sender, sender_clock_ns(pair), 0,
                             pair->queued_packets * PACKET_BYTES);
    }
    send_what_is_due(pair);
}

static void live_receiver(struct pair *pair)
{
    const struct message *message;
    while ((message = take(&pair->media, pair->now_ns))) {
        weir_receiver_on_rtp(pair->receiver, receiver_clock_ns(pair), message->data, message->len,
                             0);
    }
    while ((message = take(&pair->reports, pair->now_ns))) {
        weir_receiver_on_rtcp(pair->receiver, receiver_clock_ns(pair), message->data, message->len);
    }
    if (weir_receiver_next_feedback_ns(pair->receiver) <= receiver_clock_ns(pair)) {
        tell(pair);
    }
}

/* Harmless in themselves; for RTCP there must be some on its way. */
static void call(struct pair *pair, int which)
{
    static const uint8_t empty_rr[] = {0x80, 201, 0, 1, 0, 0, 0, 9};
    int64_t sender_ns = sender_clock_ns(pair), receiver_ns = receiver_clock_ns(pair);
    uint8_t data[1500] = {0};
    size_t len;
    switch (which) {
    case QUEUE:
        weir_sender_on_queue(pair->sender, sender_ns, 0, pair->queued_packets * PACKET_BYTES);
        break;
    case MEDIA:
        weir_sender_on_media(pair->sender, sender_ns, 0, PACKET_BYTES, PACKET_BYTES);
        break;
    case ASK:
        send_what_is_due(pair);
        break;
    case SENT:
        send(pair);
        break;
    case RTCP:
        weir_sender_on_rtcp(pair->sender, sender_ns, 0, empty_rr, sizeof(empty_rr));
        break;
    case RESULTS:
        weir_sender_on_packet_results(pair->sender, sender_ns, 0, NULL, 0);
        break;
    case TIMER:
        weir_sender_on_timer(pair->sender, sender_ns);
        break;
    case REPORT:
        report(pair);
        break;
    case SET:
        weir_sender_set_pacing_quantum(pair->sender, sender_ns, 0);
        break;
    case RECEIVE:
        weir_receiver_on_rtp(pair->receiver, receiver_ns, data, 4, 0);
        break;
    case RECEIVE_REPORT:
        weir_receiver_on_rtcp(pair->receiver, receiver_ns, empty_rr, sizeof(empty_rr));
        break;
    default:
        weir_receiver_build_feedback(pair->receiver, receiver_ns, ntp(pair), data, sizeof(data),
                                     &len);
        break;
    }
}

static void step_back(struct pair *pair, int which, int64_t back_ns)
{
    if (which < N_SENDER_CALLS) {
        pair->sender_back_ns = back_ns;
    } else {
        pair->receiver_back_ns = back_ns;
    }
    call(pair, which);
}

static void create(struct pair *pair, const char *algorithm)
{
    struct weir_sender_config sends;
    struct weir_receiver_config receives;
    enum weir_status status;
    weir_sender_config_init(&sends);
    sends.algorithm = algorithm;
    sends.limits.start_bps = WEIR_KBPS(1000);
    pair->sender = weir_sender_create(&sends, sender_clock_ns(pair), &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    weir_receiver_config_init(&receives);
    receives.format = WEIR_FEEDBACK_CCFB;
    pair->receiver = weir_receiver_create(&receives, receiver_clock_ns(pair), &status);
    g_assert_cmpint(status, ==, WEIR_OK);
}

/* What the source made has left, but for what may wait where the algorithm took the step for a
 * queue; and never is there a gap longer than a frame and some. What had passed since the call
 * before the step is time that the session did not see: the round trips of that moment are shorter
 * by as much. */
static void judge(const struct pair *pair, const char *algorithm, int which, int64_t back_ns)
{
    struct weir_sender_stats stats;
    struct weir_output output;
    weir_sender_get_stats(pair->sender, &stats);
    weir_sender_get_output(pair->sender, &output);
    int64_t frames = (END_NS - STEP_NS) / FRAME_NS;
    bool good = 20 * pair->n_sent >= 19 * FRAME_PACKETS * frames &&
                pair->longest_gap_ns <= WEIR_MS(40) && pair->n_feedback >= 30 &&
                stats.rtt_ns <= WEIR_MS(45) && stats.rtt_min_ns >= 2 * ONE_WAY_NS - FRAME_NS &&
                stats.clock_jumps == 0 && stats.packets_lost == 0 &&
                !(output.state & (WEIR_STATE_BREAKER_REDUCED | WEIR_STATE_BREAKER_CEASED |
                                  WEIR_STATE_NO_FEEDBACK)) &&
                sender_clock_ns(pair) - stats.last_feedback_ns < WEIR_MS(150);
    if (!good) {
        g_test_fail();
        g_test_message("%s, call %d, back by %g s: %d packets, %d feedbacks, longest gap %g "
                       "ms, rtt %g to %g ms, %d jumps, %d lost, feedback %g ms ago",
                       algorithm, which, (double)back_ns * 1e-9, (int)pair->n_sent,
                       (int)pair->n_feedback, (double)pair->longest_gap_ns * 1e-6,
                       (double)stats.rtt_min_ns * 1e-6, (double)stats.rtt_ns * 1e-6,
                       (int)stats.clock_jumps, (int)stats.packets_lost,
                       (double)(sender_clock_ns(pair) - stats.last_feedback_ns) * 1e-6);
    }
}

static void test_a_clock_that_goes_back_does_not_silence_anybody(void)
{
    static const int64_t back_ns[] = {0, WEIR_MS(1), WEIR_SECONDS(1), WEIR_SECONDS(3600)};
    static const char *const algorithms[] = {"sluice", "tfrc", "gaimd"};
    for (size_t i = 0; i < G_N_ELEMENTS(back_ns) * 3 * N_CALLS; i++) {
        struct pair *pair = g_new0(struct pair, 1);
        const char *algorithm = algorithms[i % 3];
        int which = (int)(i / 3 % N_CALLS);
        create(pair, algorithm);
        for (; pair->now_ns < END_NS; pair->now_ns += TICK_NS) {
            if (pair->now_ns == STEP_NS) {
                step_back(pair, which, back_ns[i / 3 / N_CALLS]);
            }
            live_receiver(pair);
            live_sender(pair);
        }
        judge(pair, algorithm, which, back_ns[i / 3 / N_CALLS]);
        weir_sender_destroy(pair->sender);
        weir_receiver_destroy(pair->receiver);
        g_free(pair);
    }
}

/* What a program waits for is told on its clock as that is now. */
static void test_deadlines_follow_the_clock(void)
{
    for (int which = 0; which < N_CALLS; which++) {
        struct pair *pair = g_new0(struct pair, 1);
        create(pair, "sluice");
        for (; pair->now_ns < STEP_NS; pair->now_ns += TICK_NS) {
            live_receiver(pair);
            live_sender(pair);
        }
        int64_t timer_ns = weir_sender_next_timer_ns(pair->sender) - sender_clock_ns(pair);
        int64_t report_ns = weir_sender_next_report_ns(pair->sender) - sender_clock_ns(pair);
        int64_t feedback_ns =
            weir_receiver_next_feedback_ns(pair->receiver) - receiver_clock_ns(pair);
        step_back(pair, which, WEIR_SECONDS(3600));
        if (which < N_SENDER_CALLS && which != ASK) {
            g_assert_cmpint(weir_sender_next_timer_ns(pair->sender) - sender_clock_ns(pair), <=,
                            weir_max_i64(timer_ns, WEIR_SECONDS(1)));
            g_assert_cmpint(weir_sender_next_report_ns(pair->sender) - sender_clock_ns(pair), <=,
                            weir_max_i64(report_ns + TICK_NS, WEIR_SECONDS(6)));
        } else if (which >= N_SENDER_CALLS) {
            g_assert_cmpint(weir_receiver_next_feedback_ns(pair->receiver) -
                                receiver_clock_ns(pair),
                            <=, weir_max_i64(feedback_ns + TICK_NS, WEIR_MS(100)));
        }
        weir_sender_destroy(pair->sender);
        weir_receiver_destroy(pair->receiver);
        g_free(pair);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions();
    g_test_add_func("/clock_steps/a_clock_that_goes_back_does_not_silence_anybody",
                    test_a_clock_that_goes_back_does_not_silence_anybody);
    g_test_add_func("/clock_steps/deadlines_follow_the_clock", test_deadlines_follow_the_clock);
    return g_test_run();
}
