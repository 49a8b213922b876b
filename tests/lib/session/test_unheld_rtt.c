/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/unheld_rtt.h"

#include "test.h"

/* The receiver's clock is this far from ours. */
#define OFFSET_NS WEIR_SECONDS(1000)

/* A packet was 40 ms + queue on its way, its report 20 ms, held for a while in between. */
static int64_t sample(struct weir__unheld_rtt *rtt, int64_t now_ns, int queue_ms, int hold_ms)
{
    return weir__unheld_rtt_sample(rtt, now_ns, WEIR_MS(60 + queue_ms + hold_ms),
                                   OFFSET_NS + WEIR_MS(40 + queue_ms));
}

static void test_the_hold_time_is_taken_off_and_the_queue_is_not(void)
{
    struct weir__unheld_rtt rtt;
    weir__unheld_rtt_init(&rtt);
    g_assert_cmpint(sample(&rtt, 0, 0, 0), ==, WEIR_MS(60));
    int64_t now_ns = 0;
    for (int queue_ms = 0; queue_ms <= 500; queue_ms += 50) {
        for (int hold_ms = 0; hold_ms <= 300; hold_ms += 30) {
            now_ns += WEIR_MS(50);
            g_assert_cmpint(sample(&rtt, now_ns, queue_ms, hold_ms), ==, WEIR_MS(60 + queue_ms));
        }
    }
}

static void test_a_backlog_at_the_start_does_not_mislead(void)
{
    /* 40 messages held back for 1.4 s come at once, the oldest first. */
    struct weir__unheld_rtt rtt;
    weir__unheld_rtt_init(&rtt);
    for (int i = 0; i < 40; i++) {
        int64_t rtt_ns = sample(&rtt, WEIR_SECONDS(2), 0, 1400 - 35 * i);
        g_assert_true(rtt_ns == WEIR_UNKNOWN_NS || rtt_ns <= WEIR_MS(200));
    }
    g_assert_cmpint(sample(&rtt, WEIR_MS(2300), 0, 300), <=, WEIR_MS(60 + 35));
}

static void test_a_long_path_is_known_after_a_moment(void)
{
    struct weir__unheld_rtt rtt;
    weir__unheld_rtt_init(&rtt);
    g_assert_cmpint(weir__unheld_rtt_sample(&rtt, 0, WEIR_MS(600), WEIR_UNKNOWN_NS), ==,
                    WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__unheld_rtt_sample(&rtt, WEIR_MS(250), WEIR_MS(600), WEIR_UNKNOWN_NS), ==,
                    WEIR_MS(600));
}

static void test_without_arrival_times_the_sample_stays_as_it_is(void)
{
    struct weir__unheld_rtt rtt;
    weir__unheld_rtt_init(&rtt);
    for (int i = 0; i < 100; i++) {
        int64_t sample_ns = WEIR_MS(50 + 7 * i % 90);
        g_assert_cmpint(weir__unheld_rtt_sample(&rtt, WEIR_MS(100) * i, sample_ns, WEIR_UNKNOWN_NS),
                        ==, sample_ns);
    }
}

static void test_a_jump_of_the_receivers_clock_is_forgotten(void)
{
    struct weir__unheld_rtt rtt;
    weir__unheld_rtt_init(&rtt);
    sample(&rtt, 0, 0, 0);
    g_assert_cmpint(weir__unheld_rtt_sample(&rtt, WEIR_MS(50), WEIR_MS(90), WEIR_UNKNOWN_NS), ==,
                    WEIR_MS(90));
    /* an hour later on its clock */
    int64_t far_ns = OFFSET_NS + WEIR_SECONDS(3600);
    weir__unheld_rtt_sample(&rtt, WEIR_MS(100), WEIR_MS(60), far_ns + WEIR_MS(40));
    g_assert_cmpint(weir__unheld_rtt_sample(&rtt, WEIR_MS(150), WEIR_MS(300), far_ns + WEIR_MS(90)),
                    ==, WEIR_MS(110));
}

static void test_a_longer_path_is_believed_after_two_windows(void)
{
    struct weir__unheld_rtt rtt;
    weir__unheld_rtt_init(&rtt);
    sample(&rtt, 0, 0, 0);
    int64_t rtt_ns = 0;
    for (int i = 1; i <= 210; i++) { /* 30 ms more on the way back: the delay cannot tell */
        rtt_ns =
            weir__unheld_rtt_sample(&rtt, WEIR_MS(100) * i, WEIR_MS(90), OFFSET_NS + WEIR_MS(40));
    }
    g_assert_cmpint(rtt_ns, ==, WEIR_MS(90));
}

/* Whatever the receiver claims: between the smallest sample of the last 20 s and this one. */
static void test_no_claim_moves_it_out_of_the_samples(void)
{
    GRand *random = g_rand_new_with_seed(7);
    struct weir__unheld_rtt rtt;
    weir__unheld_rtt_init(&rtt);
    int64_t now_ns = 0;
    for (int i = 0; i < 100000; i++) {
        now_ns += g_rand_int_range(random, 0, 100000000);
        int64_t sample_ns = WEIR_MS(30) + g_rand_int_range(random, 0, 900000000);
        int64_t delay_ns = (int64_t)(((uint64_t)g_rand_int(random) << 31) ^ g_rand_int(random));
        delay_ns = g_rand_boolean(random) ? delay_ns : -delay_ns;
        int64_t rtt_ns = weir__unheld_rtt_sample(&rtt, now_ns, sample_ns, delay_ns);
        if (rtt_ns != WEIR_UNKNOWN_NS) {
            g_assert_cmpint(rtt_ns, >=, WEIR_MS(30));
            g_assert_cmpint(rtt_ns, <=, sample_ns);
        }
    }
    g_rand_free(random);
}

static void test_a_long_silence_forgets_both_windows(void)
{
    struct weir__unheld_rtt rtt;
    weir__unheld_rtt_init(&rtt);
    sample(&rtt, 0, 0, 0);
    g_assert_cmpint(sample(&rtt, WEIR_SECONDS(11), 50, 0), ==, WEIR_MS(110));  /* the old base */
    g_assert_cmpint(sample(&rtt, WEIR_SECONDS(40), 70, 30), ==, WEIR_MS(160)); /* a new one */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/unheld_rtt/" #name, test_##name)
    ADD(the_hold_time_is_taken_off_and_the_queue_is_not);
    ADD(a_backlog_at_the_start_does_not_mislead);
    ADD(a_long_path_is_known_after_a_moment);
    ADD(without_arrival_times_the_sample_stays_as_it_is);
    ADD(a_jump_of_the_receivers_clock_is_forgotten);
    ADD(a_longer_path_is_believed_after_two_windows);
    ADD(no_claim_moves_it_out_of_the_samples);
    g_test_add_func("/unheld_rtt/a_long_silence_forgets_both_windows",
                    test_a_long_silence_forgets_both_windows);
    return g_test_run();
}
