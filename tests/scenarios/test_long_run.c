/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session for hours of virtual time: an hour in the test suite, a day with `-m slow`. All the
 * counters that wrap do so in the first hour. */
#include "allocations.h"
#include "session_pair.h"

#define HOUR_NS WEIR_SECONDS(3600)
#define MAX_BPS WEIR_KBPS(800)
/* 24 bits of 64 ms, and 65536 s. */
#define TWCC_TURN_NS  (WEIR_MS(64) << 24)
#define MID32_TURN_NS WEIR_SECONDS(65536)
/* Seconds from 1900 to 1970. */
#define NTP_TO_UNIX_NS WEIR_SECONDS(2208988800)

/* What the encoder does from this minute of each hour on. */
static const struct {
    int minute;
    int64_t frame_ns;
    int64_t frame_bytes;
} phases[] = {
    {0, WEIR_SECONDS(1) / PAIR_FPS, 0},
    {30, WEIR_NEVER_NS, 0}, /* nothing */
    {36, WEIR_SECONDS(60), 500},
    {46, WEIR_SECONDS(1) / PAIR_FPS, 0},
};

static void run_phase(struct pair *pair, int64_t hour_ns, size_t i)
{
    int next_minute = i + 1 < G_N_ELEMENTS(phases) ? phases[i + 1].minute : 60;
    pair->frame_ns = phases[i].frame_ns;
    pair->frame_bytes = phases[i].frame_bytes;
    pair->next_frame_ns = pair->frame_ns == WEIR_NEVER_NS ? WEIR_NEVER_NS : pair->now_ns;
    pair_run_until(pair, hour_ns + WEIR_SECONDS(60) * next_minute);
}

static struct weir_sender_stats sending(const struct pair *pair)
{
    struct weir_sender_stats stats;
    weir_sender_get_stats(pair->sender, &stats);
    return stats;
}

/* Runs an hour; returns the media rate of its last two minutes. */
static int64_t run_hour(struct pair *pair)
{
    int64_t hour_ns = pair->now_ns;
    for (size_t i = 0; i + 1 < G_N_ELEMENTS(phases); i++) {
        run_phase(pair, hour_ns, i);
        g_assert_cmpint(sending(pair).in_flight_bytes, <=, 1000000);
    }
    pair->frame_ns = phases[3].frame_ns;
    pair->frame_bytes = 0;
    pair->next_frame_ns = pair->now_ns;
    pair_run_until(pair, hour_ns + WEIR_SECONDS(58 * 60));
    int64_t before_bytes = pair->delivered_wire_bytes;
    pair_run_until(pair, hour_ns + HOUR_NS);
    return weir_rate_bps(pair->delivered_wire_bytes - before_bytes, WEIR_SECONDS(120));
}

static void test_hours_pass_like_minutes(gconstpointer data)
{
    int hours = g_test_slow() ? 24 : 1;
    struct pair_config config = {
        .format = GPOINTER_TO_UINT(data),
        .algorithm = "tfrc",
        .schedule = "0:2M",
        .loss = 0.0005,
        .rtcp_loss = 0.01,
        .max_bps = MAX_BPS,
        .seed = 11,
        .start_ns = TWCC_TURN_NS - WEIR_SECONDS(600),
        .unix_ns = MID32_TURN_NS * 60000 - NTP_TO_UNIX_NS - WEIR_SECONDS(900),
    };
    struct pair *pair = pair_new(&config);
    pair_run_until(pair, WEIR_SECONDS(60));
    int64_t n_before = n_allocations;
    pair->now_ns = WEIR_SECONDS(60);
    for (int hour = 0; hour < hours; hour++) {
        int64_t bps = run_hour(pair);
        struct weir_sender_stats stats = sending(pair);
        uint64_t dropped = pair->forward.dropped_packets;
        g_test_message("hour %d: %.0f kbit/s, sent %" G_GUINT64_FORMAT " lost %" G_GUINT64_FORMAT
                       " of %" G_GUINT64_FORMAT " unknown %" G_GUINT64_FORMAT,
                       hour, (double)bps / 1e3, stats.packets_sent, stats.packets_lost, dropped,
                       stats.packets_unknown);
        g_assert_cmpint(bps, >=, MAX_BPS * 9 / 10);
        g_assert_cmpuint(stats.packets_lost, <=, dropped + 5);
        g_assert_cmpuint(stats.rtcp_malformed + stats.rtcp_rejected + stats.clock_jumps, ==, 0);
    }
    g_assert_cmpint(n_allocations, ==, n_before);
    pair_free(pair);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/long_run/ccfb", GUINT_TO_POINTER(WEIR_FEEDBACK_CCFB),
                         test_hours_pass_like_minutes);
    g_test_add_data_func("/long_run/twcc", GUINT_TO_POINTER(WEIR_FEEDBACK_TWCC),
                         test_hours_pass_like_minutes);
    g_test_add_data_func("/long_run/rr", GUINT_TO_POINTER(WEIR_FEEDBACK_RR),
                         test_hours_pass_like_minutes);
    return g_test_run();
}
