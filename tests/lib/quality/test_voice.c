/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quality/voice.h"

#include <math.h>

#include "test.h"

#define SSRC 0x1234

static void speak(struct weir__voice *voice, int64_t from_ns, uint16_t seq, int n,
                  int64_t waited_ns)
{
    for (int i = 0; i < n; i++) {
        weir__voice_on_sent(voice, from_ns + i * WEIR_MS(20), SSRC, (uint16_t)(seq + i), waited_ns);
    }
}

/* R of a loss and a delay, by hand. */
static double r_of(double loss, double delay_ms)
{
    double beyond_ms = delay_ms > 177.3 ? delay_ms - 177.3 : 0.0;
    return 94.2 - 30.0 * log(1.0 + 15.0 * loss) - 0.024 * delay_ms - 0.11 * beyond_ms;
}

#define assert_r(actual, expected)                                                                 \
    g_assert_cmpfloat_with_epsilon((actual).r_score, (expected), 1e-9)

static void test_known_scores(void)
{
    assert_r(weir__voice_score(0.0, 0), 94.2);
    assert_r(weir__voice_score(0.0, WEIR_MS(100)), 91.8);
    assert_r(weir__voice_score(0.01, WEIR_MS(50)), r_of(0.01, 50.0));
    assert_r(weir__voice_score(0.03, WEIR_MS(250)), r_of(0.03, 250.0));
    assert_r(weir__voice_score(-1.0, -WEIR_MS(1)), 94.2);
    assert_r(weir__voice_score(2.0, INT64_MAX), 0.0);
    g_assert_cmpfloat_with_epsilon(weir__voice_score(0.0, WEIR_MS(100)).mos, 4.38056, 1e-4);
    g_assert_cmpfloat_with_epsilon(weir__voice_score(1.0, WEIR_SECONDS(1)).mos, 1.0, 1e-9);
}

static void test_without_audio_there_is_no_score(void)
{
    struct weir__voice voice = {0};
    struct weir__voice_score score = weir__voice_sender_score(&voice, 0.01, WEIR_MS(100));
    g_assert_cmpfloat(score.r_score, ==, 0.0);
    g_assert_cmpfloat(score.mos, ==, 0.0);
}

/* Half the RTT, the wait in the queue, a packet of 20 ms and 40 ms of playout buffer. */
static void test_delay_is_from_mouth_to_ear(void)
{
    struct weir__voice voice = {0};
    speak(&voice, WEIR_SECONDS(5), 0, 100, WEIR_MS(30));
    assert_r(weir__voice_sender_score(&voice, 0.0, WEIR_MS(100)), r_of(0.0, 50.0 + 30.0 + 60.0));
    assert_r(weir__voice_sender_score(&voice, 0.02, WEIR_MS(400)), r_of(0.02, 200.0 + 30.0 + 60.0));
}

static void test_an_unknown_rtt_leaves_loss_alone(void)
{
    struct weir__voice voice = {0};
    speak(&voice, 0, 0, 50, WEIR_MS(80));
    assert_r(weir__voice_sender_score(&voice, 0.02, WEIR_UNKNOWN_NS), r_of(0.02, 0.0));
}

/* 10 of 100 dropped in the queue, and the path loses a tenth of the rest. */
static void test_packets_that_never_left_are_losses(void)
{
    struct weir__voice voice = {0};
    speak(&voice, 0, 65500, 36, 0); /* the numbers wrap without a gap */
    speak(&voice, WEIR_SECONDS(1), 0, 24, 0);
    speak(&voice, WEIR_SECONDS(2), 34, 30, 0);
    assert_r(weir__voice_sender_score(&voice, 0.1, WEIR_UNKNOWN_NS), r_of(0.1 + 0.9 * 0.1, 0.0));
}

static void test_only_a_gap_in_one_stream_is_a_loss(void)
{
    struct weir__voice voice = {0};
    speak(&voice, 0, 100, 10, 0);
    weir__voice_on_sent(&voice, WEIR_MS(200), SSRC + 1, 900, 0); /* another stream */
    weir__voice_on_sent(&voice, WEIR_MS(220), SSRC, 115, 0);     /* and back */
    weir__voice_on_sent(&voice, WEIR_MS(240), SSRC, 40000, 0);   /* begun anew */
    weir__voice_on_sent(&voice, WEIR_MS(260), SSRC, 39990, 0);   /* overtaken */
    weir__voice_on_sent(&voice, WEIR_MS(280), SSRC, 40001, 0);
    assert_r(weir__voice_sender_score(&voice, 0.0, WEIR_UNKNOWN_NS), 94.2);
    weir__voice_on_sent(&voice, WEIR_MS(300), SSRC, 40003, 0);
    assert_r(weir__voice_sender_score(&voice, 0.0, WEIR_UNKNOWN_NS), r_of(1.0 / 17.0, 0.0));
}

static void test_only_the_last_ten_seconds_of_speech_count(void)
{
    struct weir__voice voice = {0};
    speak(&voice, 0, 0, 49, WEIR_MS(200));
    speak(&voice, WEIR_SECONDS(9), 49, 1, 0);
    assert_r(weir__voice_sender_score(&voice, 0.0, 0), r_of(0.0, 200.0 * 49 / 50 + 60.0));
    speak(&voice, WEIR_SECONDS(10), 50, 1, 0);
    assert_r(weir__voice_sender_score(&voice, 0.0, 0), r_of(0.0, 60.0));
}

/* A minute later the first packet is all there is. */
static void test_silence_keeps_the_score_and_speech_renews_it(void)
{
    struct weir__voice voice = {0};
    speak(&voice, 0, 0, 10, 0);
    speak(&voice, WEIR_SECONDS(1), 20, 10, 0);
    assert_r(weir__voice_sender_score(&voice, 0.0, 0), r_of(1.0 / 3.0, 60.0));
    speak(&voice, WEIR_SECONDS(61), 30, 1, 0);
    assert_r(weir__voice_sender_score(&voice, 0.0, 0), r_of(0.0, 60.0));
}

#define ADD(name) g_test_add_func("/voice/" #name, test_##name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(known_scores);
    ADD(without_audio_there_is_no_score);
    ADD(delay_is_from_mouth_to_ear);
    ADD(an_unknown_rtt_leaves_loss_alone);
    ADD(packets_that_never_left_are_losses);
    ADD(only_a_gap_in_one_stream_is_a_loss);
    ADD(only_the_last_ten_seconds_of_speech_count);
    ADD(silence_keeps_the_score_and_speech_renews_it);
    return g_test_run();
}
