/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send_queue.h"

static const enum weir_queue_policy policies[] = {WEIR_QUEUE_DROP_NEWEST, WEIR_QUEUE_DROP_OLDEST,
                                                  WEIR_QUEUE_DROP_FRAME};

static void test_packets_leave_in_the_order_they_came(void)
{
    for (size_t p = 0; p < G_N_ELEMENTS(policies); p++) {
        struct send_queue *test = send_queue_new(policies[p], 100000, 7);
        for (uint32_t round = 0; round < 50; round++) { /* round the ring many times */
            uintptr_t first = test->pushed + 1;
            for (uint32_t i = 0; i < 1 + round % 7; i++) {
                g_assert_cmpint(send_queue_push(test, 1, round, 10, 0), ==, WEIR_OK);
            }
            for (uintptr_t number = first; number <= test->pushed; number++) {
                g_assert_cmpuint(send_queue_pop(test), ==, number);
            }
            g_assert_cmpuint(send_queue_pop(test), ==, 0);
        }
        g_assert_cmpuint(test->n_dropped, ==, 0);
        send_queue_free(test);
    }
}

static void test_peek_shows_what_pop_takes(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_FRAME, 1000, 8);
    g_assert_null(weir_queue_peek(test->queue));
    send_queue_push(test, 5, 6, 7, WEIR_QUEUE_FRAME_END);
    send_queue_push(test, 5, 7, 8, 0);
    const struct weir_queue_item *item = weir_queue_peek(test->queue);
    g_assert_nonnull(item);
    g_assert_cmpuint((uintptr_t)item->packet, ==, 1);
    g_assert_cmpuint(item->ssrc, ==, 5);
    g_assert_cmpuint(item->rtp_timestamp, ==, 6);
    g_assert_cmpuint(item->size_bytes, ==, 7);
    g_assert_cmpuint(item->flags, ==, WEIR_QUEUE_FRAME_END);
    g_assert_cmpuint(send_queue_pop(test), ==, 1);
    g_assert_cmpuint((uintptr_t)weir_queue_peek(test->queue)->packet, ==, 2);
    send_queue_free(test);
}

static void test_audio_goes_before_video_but_not_before_control(void)
{
    for (size_t p = 0; p < G_N_ELEMENTS(policies); p++) {
        struct send_queue *test = send_queue_new(policies[p], 1000, 9);
        send_queue_push(test, 1, 1, 10, 0);
        send_queue_push(test, 2, 1, 10, WEIR_QUEUE_AUDIO);
        send_queue_push(test, 0, 0, 0, WEIR_QUEUE_CONTROL);
        send_queue_push(test, 1, 1, 10, 0);
        send_queue_push(test, 2, 2, 10, WEIR_QUEUE_AUDIO);
        send_queue_push(test, 1, 2, 10, 0);
        send_queue_push(test, 3, 1, 10, WEIR_QUEUE_AUDIO);
        send_queue_expect(test, "| 2 1 3 5 7 4 6");
        send_queue_free(test);
    }
}

static void test_repair_goes_before_video_of_other_streams_but_not_before_audio_or_control(void)
{
    for (size_t p = 0; p < G_N_ELEMENTS(policies); p++) {
        struct send_queue *test = send_queue_new(policies[p], 1000, 9);
        send_queue_push(test, 1, 1, 10, 0);
        send_queue_push(test, 2, 1, 10, WEIR_QUEUE_REPAIR);
        send_queue_push(test, 3, 1, 10, WEIR_QUEUE_AUDIO);
        send_queue_push(test, 2, 2, 10, WEIR_QUEUE_REPAIR);
        send_queue_push(test, 1, 1, 10, WEIR_QUEUE_REPAIR); /* FEC with the media's numbers */
        send_queue_push(test, 0, 0, 0, WEIR_QUEUE_CONTROL);
        send_queue_push(test, 2, 3, 10, WEIR_QUEUE_REPAIR);
        send_queue_expect(test, "| 3 2 4 1 5 6 7");
        send_queue_free(test);
    }
}

/* FEC waits with the video that it is of; copies of two streams keep their order. */
static void test_what_is_sent_again_goes_before_video_and_its_fec(void)
{
    for (size_t p = 0; p < G_N_ELEMENTS(policies); p++) {
        struct send_queue *test = send_queue_new(policies[p], 1000, 9);
        send_queue_push(test, 1, 1, 10, 0);
        send_queue_push(test, 1, 1, 10, WEIR_QUEUE_REPAIR);
        send_queue_push(test, 1, 2, 10, 0);
        send_queue_push(test, 1, 2, 10, WEIR_QUEUE_REPAIR);
        send_queue_push(test, 2, 1, 10, WEIR_QUEUE_REPAIR);
        send_queue_push(test, 4, 1, 10, WEIR_QUEUE_REPAIR);
        send_queue_push(test, 3, 1, 10, WEIR_QUEUE_AUDIO);
        send_queue_push(test, 2, 2, 10, WEIR_QUEUE_REPAIR);
        send_queue_expect(test, "| 7 5 6 8 1 2 3 4");
        send_queue_free(test);
    }
}

static void test_stats_count_what_waits_and_what_was_dropped(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_NEWEST, 300, 100);
    struct weir_queue_stats stats;
    send_queue_push(test, 1, 1, 100, 0);
    send_queue_push(test, 1, 2, 150, 0);
    send_queue_push(test, 1, 2, 0, WEIR_QUEUE_CONTROL);
    g_assert_cmpint(send_queue_push(test, 1, 3, 60, 0), ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(send_queue_push(test, 1, 3, 70, 0), ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(send_queue_push(test, 1, 4, 80, 0), ==, WEIR_ERROR_NO_SPACE);
    weir_queue_get_stats(test->queue, &stats);
    g_assert_cmpint(stats.queued_bytes, ==, 250);
    g_assert_cmpuint(stats.queued_packets, ==, 2);
    g_assert_cmpuint(stats.dropped_packets, ==, 3);
    g_assert_cmpuint(stats.dropped_frames, ==, 2);
    g_assert_cmpuint(stats.dropped_bytes, ==, 210);
    send_queue_pop(test);
    weir_queue_get_stats(test->queue, &stats);
    g_assert_cmpint(stats.queued_bytes, ==, 150);
    g_assert_cmpuint(stats.queued_packets, ==, 1);
    send_queue_free(test);
}

static void test_clear_hands_everything_back_and_counts_no_drop(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_FRAME, 1000, 8);
    send_queue_push(test, 1, 1, 10, 0);
    send_queue_push(test, 1, 1, 0, WEIR_QUEUE_CONTROL);
    send_queue_push(test, 1, 2, 10, WEIR_QUEUE_AUDIO);
    weir_queue_clear(test->queue);
    struct weir_queue_stats stats;
    weir_queue_get_stats(test->queue, &stats);
    g_assert_cmpuint(stats.dropped_packets, ==, 0);
    g_assert_cmpuint(stats.queued_packets, ==, 0);
    g_assert_cmpint(stats.queued_bytes, ==, 0);
    send_queue_expect(test, "1 2 3 |");
    send_queue_free(test);
}

static void test_destroy_hands_everything_back(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_FRAME, 1000, 8);
    send_queue_push(test, 1, 1, 10, 0);
    send_queue_push(test, 1, 2, 10, 0);
    weir_queue_destroy(test->queue);
    g_assert_cmpuint(test->n_dropped, ==, 2);
    g_free(test);
    weir_queue_destroy(NULL);
}

static void test_control_items_are_refused_only_when_there_is_nothing_else(void)
{
    for (size_t p = 0; p < G_N_ELEMENTS(policies); p++) {
        struct send_queue *test = send_queue_new(policies[p], 1000, 3);
        send_queue_push(test, 1, 1, 10, WEIR_QUEUE_AUDIO);
        send_queue_push(test, 1, 2, 10, WEIR_QUEUE_KEY_FRAME);
        for (int i = 0; i < 3; i++) {
            g_assert_cmpint(send_queue_push(test, 0, 0, 0, WEIR_QUEUE_CONTROL), ==, WEIR_OK);
        }
        g_assert_cmpint(send_queue_push(test, 0, 0, 0, WEIR_QUEUE_CONTROL), ==,
                        WEIR_ERROR_NO_SPACE);
        g_assert_cmpint(send_queue_push(test, 1, 3, 10, WEIR_QUEUE_AUDIO), ==, WEIR_ERROR_NO_SPACE);
        g_assert_cmpint(send_queue_push(test, 1, 3, 10, 0), ==, WEIR_ERROR_NO_SPACE);
        send_queue_expect(test, "2 1 6 7 8 | 3 4 5"); /* video before audio before refusal */
        send_queue_free(test);
    }
}

static void test_a_smaller_bound_takes_effect_at_the_next_push(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_OLDEST, 1000, 100);
    for (uint32_t i = 0; i < 5; i++) {
        send_queue_push(test, 1, i, 100, 0);
    }
    g_assert_cmpint(weir_queue_set_policy(test->queue, WEIR_QUEUE_DROP_OLDEST, WEIR_MS(200)), ==,
                    WEIR_OK);
    g_assert_cmpuint(test->n_dropped, ==, 0);
    send_queue_push(test, 1, 9, 100, 0);
    send_queue_expect(test, "1 2 3 4 | 5 6");
    send_queue_free(test);
}

static void test_defaults_are_the_documented_ones(void)
{
    struct weir_queue_config config;
    weir_queue_config_init(&config);
    g_assert_cmpuint(config.size, ==, sizeof config);
    g_assert_cmpint(config.policy, ==, WEIR_QUEUE_DROP_FRAME);
    g_assert_cmpint(config.max_time_ns, ==, WEIR_MS(250));
    g_assert_cmpuint(config.max_packets, ==, 4096);
}

static void test_bad_configurations_are_refused(void)
{
    static const struct {
        size_t size;
        enum weir_queue_policy policy;
        int64_t max_time_ns;
        uint32_t max_packets;
        enum weir_status status;
    } rows[] = {
        {sizeof(struct weir_queue_config), WEIR_QUEUE_DROP_FRAME, 1, 1, WEIR_OK},
        {sizeof(struct weir_queue_config), WEIR_QUEUE_DROP_FRAME, 1, 65536, WEIR_OK},
        {4, WEIR_QUEUE_DROP_FRAME, 1, 1, WEIR_ERROR_ARGUMENT},
        {sizeof(struct weir_queue_config), (enum weir_queue_policy)9, 1, 1, WEIR_ERROR_ARGUMENT},
        {sizeof(struct weir_queue_config), WEIR_QUEUE_DROP_FRAME, 0, 1, WEIR_ERROR_RANGE},
        {sizeof(struct weir_queue_config), WEIR_QUEUE_DROP_FRAME, 1, 0, WEIR_ERROR_RANGE},
        {sizeof(struct weir_queue_config), WEIR_QUEUE_DROP_FRAME, 1, 65537, WEIR_ERROR_RANGE},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir_queue_config config = {.size = rows[i].size,
                                           .policy = rows[i].policy,
                                           .max_time_ns = rows[i].max_time_ns,
                                           .max_packets = rows[i].max_packets,
                                           .on_drop = send_queue_on_drop};
        enum weir_status status = WEIR_ERROR_UNSUPPORTED;
        struct weir_queue *queue = weir_queue_create(&config, &status);
        g_assert_cmpint(status, ==, rows[i].status);
        g_assert_true((queue != NULL) == (rows[i].status == WEIR_OK));
        weir_queue_destroy(queue);
    }
    enum weir_status status = WEIR_OK;
    g_assert_null(weir_queue_create(NULL, &status));
    g_assert_cmpint(status, ==, WEIR_ERROR_ARGUMENT);
    g_assert_null(weir_queue_create(NULL, NULL));
    struct weir_queue_config silent;
    weir_queue_config_init(&silent); /* without on_drop packets would leak */
    g_assert_null(weir_queue_create(&silent, NULL));
}

/* Above half the bound, where frames refer to each other: at 8 kbit/s a byte takes 1 ms. */
static void test_a_frame_is_skipped_while_the_queue_is_long(void)
{
    static const struct {
        enum weir_queue_policy policy;
        uint32_t bytes;
        int64_t rate_bps;
        bool skips;
    } rows[] = {
        {WEIR_QUEUE_DROP_FRAME, 0, 8000, false},    {WEIR_QUEUE_DROP_FRAME, 100, 8000, false},
        {WEIR_QUEUE_DROP_FRAME, 101, 8000, true},   {WEIR_QUEUE_DROP_FRAME, 101, 16000, false},
        {WEIR_QUEUE_DROP_FRAME, 0, 0, false},       {WEIR_QUEUE_DROP_FRAME, 1, 0, true},
        {WEIR_QUEUE_DROP_NEWEST, 101, 8000, false}, {WEIR_QUEUE_DROP_OLDEST, 101, 8000, false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct send_queue *test = send_queue_new(rows[i].policy, 200, 9);
        if (rows[i].bytes > 0) {
            send_queue_push(test, 1, 1, rows[i].bytes, 0);
        }
        struct weir_queue_stats stats;
        g_assert_cmpint(weir_queue_skips_frame(test->queue, rows[i].rate_bps), ==, rows[i].skips);
        weir_queue_get_stats(test->queue, &stats);
        g_assert_cmpuint(stats.skipped_frames, ==, rows[i].skips);
        send_queue_free(test);
    }
}

static void test_bad_arguments_change_nothing(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_NEWEST, 100, 8);
    struct weir_queue_item item = {.size_bytes = 1};
    g_assert_cmpint(weir_queue_push(NULL, &item, 1, NULL), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_queue_push(test->queue, NULL, 1, NULL), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_queue_set_policy(NULL, WEIR_QUEUE_DROP_OLDEST, 1), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_queue_set_policy(test->queue, (enum weir_queue_policy)7, 1), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_queue_set_policy(test->queue, WEIR_QUEUE_DROP_OLDEST, 0), ==,
                    WEIR_ERROR_RANGE);
    send_queue_push(test, 1, 1, 100, 0);
    send_queue_push(test, 1, 2, 100, 0);
    send_queue_expect(test, "2 | 1"); /* still drop-newest, still 100 ms */
    send_queue_free(test);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/queue/packets_leave_in_the_order_they_came",
                    test_packets_leave_in_the_order_they_came);
    g_test_add_func("/queue/peek_shows_what_pop_takes", test_peek_shows_what_pop_takes);
    g_test_add_func("/queue/audio_goes_before_video_but_not_before_control",
                    test_audio_goes_before_video_but_not_before_control);
    g_test_add_func(
        "/queue/repair_goes_before_video_of_other_streams_but_not_before_audio_or_control",
        test_repair_goes_before_video_of_other_streams_but_not_before_audio_or_control);
    g_test_add_func("/queue/what_is_sent_again_goes_before_video_and_its_fec",
                    test_what_is_sent_again_goes_before_video_and_its_fec);
    g_test_add_func("/queue/stats_count_what_waits_and_what_was_dropped",
                    test_stats_count_what_waits_and_what_was_dropped);
    g_test_add_func("/queue/clear_hands_everything_back_and_counts_no_drop",
                    test_clear_hands_everything_back_and_counts_no_drop);
    g_test_add_func("/queue/destroy_hands_everything_back", test_destroy_hands_everything_back);
    g_test_add_func("/queue/control_items_are_refused_only_when_there_is_nothing_else",
                    test_control_items_are_refused_only_when_there_is_nothing_else);
    g_test_add_func("/queue/a_smaller_bound_takes_effect_at_the_next_push",
                    test_a_smaller_bound_takes_effect_at_the_next_push);
    g_test_add_func("/queue/defaults_are_the_documented_ones",
                    test_defaults_are_the_documented_ones);
    g_test_add_func("/queue/bad_configurations_are_refused", test_bad_configurations_are_refused);
    g_test_add_func("/queue/a_frame_is_skipped_while_the_queue_is_long",
                    test_a_frame_is_skipped_while_the_queue_is_long);
    g_test_add_func("/queue/bad_arguments_change_nothing", test_bad_arguments_change_nothing);
    return g_test_run();
}
