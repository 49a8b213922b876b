/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Malformed RTCP for a sending and a receiving session that live as long as it comes, one datagram
 * per millisecond of their time, until the sending session has counted N that are malformed.
 *
 *   malformed_rtcp CORPUS N [SEED]
 */
#include "check.h"
#include "mutate.h"
#include "weir/receiver.h"
#include "weir/sender.h"

struct sessions {
    struct weir_sender *sender;
    struct weir_receiver *receiver;
    int64_t now_ns;
    uint16_t seq;
};

/* A packet every 16 ms, so that there is something to report on. */
static void send_media(struct sessions *sessions)
{
    uint8_t rtp[120] = {0x80, 96};
    rtp[2] = (uint8_t)(sessions->seq >> 8);
    rtp[3] = (uint8_t)sessions->seq;
    rtp[11] = 1;
    const struct weir_sent sent = {.ssrc = 1,
                                   .rtp_seq = sessions->seq,
                                   .transport_seq = sessions->seq,
                                   .has_transport_seq = true,
                                   .rtp_bytes = sizeof rtp,
                                   .payload_bytes = 108};
    CHECK(weir_sender_on_sent(sessions->sender, sessions->now_ns, &sent) == WEIR_OK);
    CHECK(weir_receiver_on_rtp(sessions->receiver, sessions->now_ns, rtp, sizeof rtp, 0) ==
          WEIR_OK);
    sessions->seq++;
}

static void check_rate(const struct sessions *sessions, const struct weir_limits *limits)
{
    struct weir_output output;
    weir_sender_get_output(sessions->sender, &output);
    CHECK(output.state & WEIR_STATE_BREAKER_CEASED || (output.target_media_bps >= limits->min_bps &&
                                                       output.target_media_bps <= limits->max_bps));
}

/* Returns how many datagrams it took. */
static uint64_t run(struct sessions *sessions, const struct weir_limits *limits, uint64_t n)
{
    static struct input input;
    struct weir_sender_stats stats = {.rtcp_malformed = 0};
    uint64_t datagrams = 0;
    for (; stats.rtcp_malformed < n; datagrams++) {
        sessions->now_ns += WEIR_MS(1);
        if (datagrams % 16 == 0) {
            send_media(sessions);
        }
        next_input(&input);
        weir_sender_on_rtcp(sessions->sender, sessions->now_ns, 0, input.bytes, input.size);
        weir_receiver_on_rtcp(sessions->receiver, sessions->now_ns, input.bytes, input.size);
        if (weir_sender_next_timer_ns(sessions->sender) <= sessions->now_ns) {
            weir_sender_on_timer(sessions->sender, sessions->now_ns);
            check_rate(sessions, limits);
        }
        if (datagrams % 256 == 0) {
            weir_sender_get_stats(sessions->sender, &stats);
        }
    }
    return datagrams;
}

int main(int argc, char **argv)
{
    struct weir_sender_config sending;
    struct weir_receiver_config receiving;
    if (argc < 3) {
        fprintf(stderr, "usage: %s CORPUS N [SEED]\n", argv[0]);
        return 2;
    }
    uint64_t n = g_ascii_strtoull(argv[2], NULL, 10);
    seed_random(argc > 3 ? g_ascii_strtoull(argv[3], NULL, 10) : DEFAULT_SEED);
    load_corpus(argv[1]);
    weir_sender_config_init(&sending);
    weir_receiver_config_init(&receiving);
    struct sessions sessions = {.sender = weir_sender_create(&sending, 0, NULL),
                                .receiver = weir_receiver_create(&receiving, 0, NULL)};
    CHECK(fuzz.n_seeds > 0 && sessions.sender != NULL && sessions.receiver != NULL);
    int64_t started_us = g_get_monotonic_time();
    uint64_t datagrams = run(&sessions, &sending.limits, n);
    double seconds = (double)(g_get_monotonic_time() - started_us) / 1e6;
    printf("%" G_GUINT64_FORMAT " malformed of %" G_GUINT64_FORMAT " datagrams in %.1f s: %.0f/s\n",
           n, datagrams, seconds, (double)n / seconds);
    weir_sender_destroy(sessions.sender);
    weir_receiver_destroy(sessions.receiver);
    g_free(fuzz.seeds);
    return 0;
}
