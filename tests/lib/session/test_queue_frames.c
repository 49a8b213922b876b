/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/queue_frames.h"

#include "test.h"

static struct weir_queue_item packet(uint32_t ssrc, uint32_t timestamp, uint32_t flags)
{
    return (struct weir_queue_item){.ssrc = ssrc, .rtp_timestamp = timestamp, .flags = flags};
}

static uint32_t frame_of(struct weir__frames *frames, uint32_t ssrc, uint32_t timestamp,
                         uint32_t flags)
{
    struct weir_queue_item item = packet(ssrc, timestamp, flags);
    g_assert_true(weir__frames_admit(frames, &item, true));
    return item.frame;
}

static void test_a_frame_ends_with_its_timestamp_or_its_marker(void)
{
    struct weir__frames frames = {0};
    uint32_t first = frame_of(&frames, 1, 10, 0);
    g_assert_cmpuint(frame_of(&frames, 1, 10, 0), ==, first);
    uint32_t other = frame_of(&frames, 2, 10, 0);
    g_assert_cmpuint(other, !=, first);
    g_assert_cmpuint(frame_of(&frames, 1, 10, WEIR_QUEUE_FRAME_END), ==, first);
    g_assert_cmpuint(frame_of(&frames, 1, 10, 0), !=, first);
    g_assert_cmpuint(frame_of(&frames, 2, 10, 0), ==, other);
    g_assert_cmpuint(frame_of(&frames, 2, 11, 0), !=, other);
}

static void test_the_rest_of_a_dropped_frame_is_refused_and_nothing_else(void)
{
    struct weir__frames frames = {0};
    struct weir_queue_item item = packet(1, 10, 0);
    g_assert_true(weir__frames_admit(&frames, &item, true));
    g_assert_true(weir__frames_on_drop(&frames, &item));
    g_assert_false(weir__frames_on_drop(&frames, &item)); /* counted once */
    g_assert_false(weir__frames_admit(&frames, &item, true));
    g_assert_true(weir__frames_admit(&frames, &item, false)); /* where single packets are dropped */
    frame_of(&frames, 2, 10, 0);
    frame_of(&frames, 1, 10, WEIR_QUEUE_AUDIO);
    g_assert_false(weir__frames_admit(&frames, &item, true));
    weir__frames_forgive(&frames);
    g_assert_true(weir__frames_admit(&frames, &item, true));
    weir__frames_on_drop(&frames, &item);
    frame_of(&frames, 1, 11, 0);
}

static void test_a_frame_has_started_when_one_of_its_packets_left(void)
{
    struct weir__frames frames = {0};
    struct weir_queue_item item = packet(1, 10, WEIR_QUEUE_KEY_FRAME);
    struct weir_queue_item next = packet(1, 11, 0);
    weir__frames_admit(&frames, &item, true);
    weir__frames_admit(&frames, &next, true);
    g_assert_false(weir__frames_has_started(&frames, &item));
    weir__frames_on_start(&frames, &item);
    g_assert_true(weir__frames_has_started(&frames, &item));
    g_assert_false(weir__frames_has_started(&frames, &next));
    g_assert_true(weir__frames_find(&frames, 1)->started_key_frame);
    item.flags = 0; /* a key frame stays one */
    weir__frames_on_start(&frames, &item);
    g_assert_true(weir__frames_find(&frames, 1)->started_key_frame);
    weir__frames_on_start(&frames, &next);
    g_assert_false(weir__frames_find(&frames, 1)->started_key_frame);
}

static void test_the_stream_used_least_lately_is_forgotten(void)
{
    struct weir__frames frames = {0};
    for (uint32_t ssrc = 0; ssrc <= WEIR__FRAME_STREAMS; ssrc++) {
        frame_of(&frames, 100 + ssrc, 1, 0);
        frame_of(&frames, 100, 1, 0);
    }
    g_assert_nonnull(weir__frames_find(&frames, 100));
    g_assert_null(weir__frames_find(&frames, 101));
    g_assert_nonnull(weir__frames_find(&frames, 102));
    g_assert_nonnull(weir__frames_find(&frames, 100 + WEIR__FRAME_STREAMS));
}

static void test_control_items_are_of_no_frame(void)
{
    struct weir__frames frames = {0};
    g_assert_cmpuint(frame_of(&frames, 1, 10, WEIR_QUEUE_CONTROL), ==, 0);
    g_assert_null(weir__frames_find(&frames, 1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/queue_frames/" #name, test_##name)
    ADD(a_frame_ends_with_its_timestamp_or_its_marker);
    ADD(the_rest_of_a_dropped_frame_is_refused_and_nothing_else);
    ADD(a_frame_has_started_when_one_of_its_packets_left);
    ADD(the_stream_used_least_lately_is_forgotten);
    ADD(control_items_are_of_no_frame);
    return g_test_run();
}
