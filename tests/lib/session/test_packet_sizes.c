/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/packet_sizes.h"

#include "test.h"
#include "weir/sender.h"

enum { EXPECTED = 1200, OVERHEAD = 28 };

static struct weir__packet_sizes fresh(void)
{
    struct weir__packet_sizes sizes;
    weir__packet_sizes_init(&sizes, EXPECTED, OVERHEAD);
    return sizes;
}

/* So many packets with 40 bytes of headers, 20 ms apart; returns whether the first began anew. */
static bool send(struct weir__packet_sizes *sizes, int n, int64_t payload_bytes, uint32_t flags,
                 int64_t pause_ns)
{
    bool started =
        weir__packet_sizes_on_sent(sizes, payload_bytes + 40, payload_bytes, flags, pause_ns);
    for (int i = 1; i < n; i++) {
        g_assert_false(weir__packet_sizes_on_sent(sizes, payload_bytes + 40, payload_bytes, flags,
                                                  WEIR_MS(20)));
    }
    return started;
}

static void test_the_ratios_are_those_of_the_packets(void)
{
    static const int64_t payload_bytes[] = {1, 10, 40, 160, 1160, 9000};
    for (size_t i = 0; i < G_N_ELEMENTS(payload_bytes); i++) {
        struct weir__packet_sizes sizes = fresh();
        double exact = (double)payload_bytes[i] / ((double)payload_bytes[i] + 40);
        send(&sizes, 1000, payload_bytes[i], 0, WEIR_UNKNOWN_NS);
        g_assert_cmpfloat_with_epsilon(weir__packet_sizes_payload_ratio(&sizes),
                                       exact < 0.05 ? 0.05 : exact, 1e-3);
        g_assert_cmpfloat(weir__packet_sizes_media_ratio(&sizes), ==,
                          weir__packet_sizes_payload_ratio(&sizes));
    }
}

static void test_the_expected_size_may_be_smaller_than_a_header(void)
{
    struct weir__packet_sizes sizes;
    weir__packet_sizes_init(&sizes, 1, 0);
    g_assert_cmpfloat(weir__packet_sizes_media_ratio(&sizes), ==, 1.0);
}

/* One packet moves a mean by a 64th of the difference; audio alone is what its first packet is. */
static void test_the_first_packet(void)
{
    static const struct {
        uint32_t flags;
        bool starts;
        double wire_mean_bytes;
    } table[] = {
        {0, false, 1228 + (60.0 - 1228) / 64},
        {WEIR_SENT_PROBE, false, 1228},
        {WEIR_SENT_AUDIO, true, 60},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        struct weir__packet_sizes sizes = fresh();
        g_assert_true(send(&sizes, 1, 20, table[i].flags, WEIR_UNKNOWN_NS) == table[i].starts);
        g_assert_cmpfloat(sizes.wire_mean_bytes, ==, table[i].wire_mean_bytes);
    }
}

static void test_repair_is_payload_and_no_media(void)
{
    struct weir__packet_sizes sizes = fresh();
    for (int i = 0; i < 1000; i++) {
        send(&sizes, 1, 1160, i % 2 ? WEIR_SENT_REPAIR : 0, WEIR_MS(10));
    }
    g_assert_cmpfloat_with_epsilon(weir__packet_sizes_payload_ratio(&sizes), 1160.0 / 1200, 1e-3);
    g_assert_cmpfloat_with_epsilon(weir__packet_sizes_media_ratio(&sizes), 580.0 / 1200, 0.01);
}

/* What audio says after a pause is no measure, unless video is there. */
static void test_audio_after_a_pause_moves_nothing(void)
{
    struct weir__packet_sizes sizes = fresh();
    send(&sizes, 10, 160, WEIR_SENT_AUDIO, WEIR_UNKNOWN_NS);
    send(&sizes, 1, 3, WEIR_SENT_AUDIO, WEIR__SPEECH_PAUSE_NS);
    g_assert_cmpfloat(sizes.wire_mean_bytes, ==, 200);
    send(&sizes, 1, 3, WEIR_SENT_AUDIO, WEIR__SPEECH_PAUSE_NS - 1);
    g_assert_cmpfloat(sizes.wire_mean_bytes, <, 200);
    g_assert_true(send(&sizes, 1, 1160, 0, WEIR_SECONDS(1)));
    double before = sizes.wire_mean_bytes;
    g_assert_false(send(&sizes, 1, 3, WEIR_SENT_AUDIO, WEIR_SECONDS(1)));
    g_assert_cmpfloat(sizes.wire_mean_bytes, <, before);
}

static void test_video_that_joins_audio_begins_with_what_is_expected(void)
{
    struct weir__packet_sizes sizes = fresh();
    send(&sizes, 100, 160, WEIR_SENT_AUDIO, WEIR_UNKNOWN_NS);
    g_assert_true(send(&sizes, 1, 1160, 0, WEIR_MS(1)));
    g_assert_cmpfloat_with_epsilon(sizes.wire_mean_bytes, 1228, 1);
    g_assert_false(send(&sizes, 1, 160, WEIR_SENT_AUDIO, WEIR_MS(1)));
}

static void test_overhead_moves_the_mean_at_once(void)
{
    struct weir__packet_sizes sizes = fresh();
    weir__packet_sizes_set_overhead(&sizes, 68);
    g_assert_cmpfloat(sizes.wire_mean_bytes, ==, 1268);
    weir__packet_sizes_set_overhead(&sizes, 0);
    g_assert_cmpfloat(sizes.wire_mean_bytes, ==, 1200);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/packet_sizes/the_ratios_are_those_of_the_packets",
                    test_the_ratios_are_those_of_the_packets);
    g_test_add_func("/packet_sizes/the_expected_size_may_be_smaller_than_a_header",
                    test_the_expected_size_may_be_smaller_than_a_header);
    g_test_add_func("/packet_sizes/the_first_packet", test_the_first_packet);
    g_test_add_func("/packet_sizes/repair_is_payload_and_no_media",
                    test_repair_is_payload_and_no_media);
    g_test_add_func("/packet_sizes/audio_after_a_pause_moves_nothing",
                    test_audio_after_a_pause_moves_nothing);
    g_test_add_func("/packet_sizes/video_that_joins_audio_begins_with_what_is_expected",
                    test_video_that_joins_audio_begins_with_what_is_expected);
    g_test_add_func("/packet_sizes/overhead_moves_the_mean_at_once",
                    test_overhead_moves_the_mean_at_once);
    return g_test_run();
}
