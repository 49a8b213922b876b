/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/pacer.h"

#include "test.h"

#define PACKET_BYTES 1200

/* Packets waiting for the pacer, and a caller whose timer may be late. */
struct line {
    struct weir__pacer pacer;
    int64_t now_ns;
    int queued;
};

static void enqueue(struct line *line, int64_t at_ns, int n)
{
    line->now_ns = at_ns;
    line->queued += n;
    weir__pacer_on_queue(&line->pacer, at_ns, true);
}

/* Sends the next waiting packet, late_ns after its time; returns when. */
static int64_t send_one(struct line *line, int64_t size_bytes, int64_t late_ns)
{
    int64_t due_ns = weir__pacer_next_ns(&line->pacer);
    line->now_ns = weir_max_i64(line->now_ns, due_ns + late_ns);
    line->queued--;
    weir__pacer_on_sent(&line->pacer, line->now_ns, size_bytes, line->queued > 0);
    return line->now_ns;
}

static struct line new_line(int64_t rate_bps)
{
    struct line line = {.now_ns = 0, .queued = 0};
    weir__pacer_init(&line.pacer, 0, rate_bps);
    return line;
}

/* 1200 B at 2 Mbit/s: one every 4.8 ms, no burst. */
static void test_packets_queued_at_once_leave_evenly(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 20);
    for (int i = 0; i < 20; i++) {
        g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==, i * WEIR_US(4800));
    }
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_MS(96));
}

static void test_idle_time_earns_no_credit(void)
{
    static const int64_t expected_us[] = {0, 4800, 9600, 100000, 104800, 109600};
    for (int tell_queue = 0; tell_queue <= 1; tell_queue++) {
        struct line line = new_line(WEIR_MBPS(2));
        for (int i = 0; i < 6; i++) {
            if (i % 3 == 0) {
                line.now_ns = i * WEIR_MS(100) / 3;
                line.queued = 3;
                if (tell_queue) {
                    enqueue(&line, line.now_ns, 0);
                }
            }
            g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==, WEIR_US(expected_us[i]));
        }
    }
}

/* Late by 1 ms on each interval of 4.8 ms would lose 17 % without carrying the lag. */
static void test_a_coarse_timer_loses_no_throughput(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 1001);
    for (int i = 0; i < 1000; i++) {
        send_one(&line, PACKET_BYTES, WEIR_MS(1));
    }
    assert_near(line.now_ns, 999 * WEIR_US(4800) + WEIR_MS(1), WEIR_US(10));
}

static void test_a_stall_repays_no_more_than_the_lag(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 1000);
    send_one(&line, PACKET_BYTES, 0);
    line.now_ns = WEIR_SECONDS(5);
    int at_once = 0;
    while (send_one(&line, PACKET_BYTES, 0) == WEIR_SECONDS(5)) {
        at_once++;
    }
    /* 10 ms of 4.8 ms intervals: 2, and the packet that was due. */
    g_assert_cmpint(at_once, ==, 3);
}

static void test_a_new_rate_counts_for_the_rest_of_the_interval(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 5);
    send_one(&line, PACKET_BYTES, 0);
    weir__pacer_set_rate(&line.pacer, WEIR_US(2400), WEIR_MBPS(1));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_US(7200));
    weir__pacer_set_rate(&line.pacer, WEIR_US(2400), WEIR_MBPS(100));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_US(2448));
    weir__pacer_set_rate(&line.pacer, WEIR_SECONDS(1), WEIR_KBPS(10));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_US(2448));
}

static void test_rate_zero_is_never_and_comes_back(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 5);
    send_one(&line, PACKET_BYTES, 0);
    weir__pacer_set_rate(&line.pacer, 0, 0);
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_NEVER_NS);
    weir__pacer_on_sent(&line.pacer, 0, PACKET_BYTES, true);
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_NEVER_NS);
    weir__pacer_set_rate(&line.pacer, WEIR_SECONDS(3), WEIR_MBPS(2));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), <=, WEIR_SECONDS(3));

    struct line blocked = new_line(0);
    g_assert_cmpint(weir__pacer_next_ns(&blocked.pacer), ==, WEIR_NEVER_NS);
}

static void test_the_slowest_rate_does_not_overflow(void)
{
    struct line line = new_line(WEIR_MBPS(100000));
    enqueue(&line, 0, 2);
    weir__pacer_on_sent(&line.pacer, 0, 1 << 30, true);
    weir__pacer_set_rate(&line.pacer, 0, 1);
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), >, WEIR_SECONDS(1000));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), <, WEIR_NEVER_NS);
}

static void test_off_never_delays_and_leaves_no_debt(void)
{
    struct line line = new_line(WEIR_KBPS(10));
    weir__pacer_set_off(&line.pacer, 0, true);
    for (int i = 0; i < 100; i++) {
        weir__pacer_on_sent(&line.pacer, WEIR_MS(i), 100000, true);
        g_assert_cmpint(weir__pacer_next_ns(&line.pacer), <=, WEIR_MS(i));
    }
    weir__pacer_set_off(&line.pacer, WEIR_MS(100), false);
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_MS(100));
}

static void test_a_caller_that_does_not_wait_has_bounded_debt(void)
{
    struct line line = new_line(WEIR_MBPS(1));
    for (int i = 0; i < 10000; i++) {
        weir__pacer_on_sent(&line.pacer, 0, PACKET_BYTES, true);
    }
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), <=, WEIR__PACER_MAX_DEBT_NS + WEIR_US(9600));
}

/* 1200 B at 2 Mbit/s, 4.8 ms each: with the packet that is due leave those that would be due within
 * the quantum; the next of them leaves at its own time. */
static void test_packets_within_the_quantum_leave_together(void)
{
    static const struct {
        int64_t quantum_ns;
        int together;
    } cases[] = {{0, 1},          {1, 1},          {WEIR_US(4800), 1}, {WEIR_US(4801), 2},
                 {WEIR_MS(5), 2}, {WEIR_MS(10), 3}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct line line = new_line(WEIR_MBPS(2));
        line.pacer.quantum_ns = cases[c].quantum_ns;
        enqueue(&line, WEIR_MS(7), 60);
        for (int i = 0; i < 60; i++) {
            int first = i - i % cases[c].together;
            g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==,
                            WEIR_MS(7) + first * WEIR_US(4800));
        }
    }
}

/* A burst is an advance, which is paid back before the next one. */
static void test_the_quantum_adds_no_throughput(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    line.pacer.quantum_ns = WEIR_MS(5);
    enqueue(&line, 0, 1001);
    for (int i = 0; i < 1000; i++) {
        send_one(&line, PACKET_BYTES, i % 7 * WEIR_US(300));
    }
    assert_near(line.now_ns, 999 * WEIR_US(4800), WEIR_MS(5));
}

/* What comes while the quantum has room leaves at once, and no more than that. */
static void test_an_idle_time_fills_the_quantum_no_further(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    line.pacer.quantum_ns = WEIR_MS(5);
    for (int round = 1; round <= 3; round++) {
        int64_t start_ns = round * WEIR_SECONDS(1);
        enqueue(&line, start_ns, 1);
        g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==, start_ns);
        enqueue(&line, start_ns + WEIR_MS(1), 3);
        g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==, start_ns + WEIR_MS(1));
        g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==, start_ns + WEIR_US(9600));
        g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==, start_ns + WEIR_US(9600));
    }
}

/* A quantum that is taken back, or a rate that falls, ends the burst. */
static void test_a_smaller_quantum_or_rate_holds_the_rest_back(void)
{
    for (int change = 0; change <= 1; change++) {
        struct line line = new_line(WEIR_MBPS(20));
        line.pacer.quantum_ns = WEIR_MS(5);
        enqueue(&line, 0, 10);
        send_one(&line, PACKET_BYTES, 0);
        send_one(&line, PACKET_BYTES, 0);
        g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, 0);
        if (change == 0) {
            line.pacer.quantum_ns = 0;
            g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_US(960));
        } else {
            weir__pacer_set_rate(&line.pacer, 0, WEIR_MBPS(2));
            g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_US(9600));
        }
    }
}

/* Random quanta, sizes, arrivals and lateness: no packet leaves a quantum before its ideal time,
 * and for all windows bytes <= rate * (length + lag + quantum) + max. */
static void check_invariant(guint32 seed)
{
    enum { N = 400, MAX_BYTES = 1500 };
    static int64_t at_ns[N], bytes[N];
    GRand *rand = g_rand_new_with_seed(seed);
    int64_t rate_bps = g_rand_int_range(rand, 20000, 20000000);
    int64_t quantum_ns = seed % 3 == 0 ? 0 : g_rand_int_range(rand, 0, 5000001);
    struct line line = new_line(rate_bps);
    line.pacer.quantum_ns = quantum_ns;
    for (int i = 0; i < N; i++) {
        if (line.queued == 0) {
            enqueue(&line, line.now_ns + g_rand_int_range(rand, 0, 200000000),
                    g_rand_int_range(rand, 1, 30));
        }
        int64_t late_ns = g_rand_int_range(rand, 0, 10) == 0 ? g_rand_int_range(rand, 0, 300000000)
                                                             : g_rand_int_range(rand, 0, 2000000);
        bytes[i] = g_rand_int_range(rand, 1, MAX_BYTES + 1);
        int64_t ideal_ns = line.pacer.next_ns;
        at_ns[i] = send_one(&line, bytes[i], late_ns);
        g_assert_true(at_ns[i] >= ideal_ns || ideal_ns - at_ns[i] < quantum_ns);
    }
    for (int a = 0; a < N; a++) {
        int64_t sum_bytes = 0;
        for (int b = a; b < N; b++) {
            sum_bytes += bytes[b];
            double allowed_bits =
                (double)rate_bps *
                (double)(at_ns[b] - at_ns[a] + WEIR__PACER_MAX_LAG_NS + quantum_ns) / 1e9;
            if (8.0 * (double)(sum_bytes - MAX_BYTES) > allowed_bits) {
                g_error("seed %u: packets %d..%d are too many", seed, a, b);
            }
        }
    }
    g_rand_free(rand);
}

static void test_no_window_holds_more_than_the_invariant(void)
{
    for (guint32 seed = 1; seed <= 100; seed++) {
        check_invariant(seed);
    }
}

/* ------- audio ahead of video: two pacers of one rate ------- */

enum { CALL_PACKETS = 600, VIDEO_BYTES = 1500, AUDIO_BYTES = 300 };

struct call {
    struct weir__pacer all, audio;
    GRand *rand;
    int64_t rate_bps;
    int64_t quantum_ns;
    int64_t now_ns, next_audio_ns, next_frame_ns;
    int queued_audio, queued_video;
    int n;
    int64_t at_ns[CALL_PACKETS], bytes[CALL_PACKETS];
    bool is_audio[CALL_PACKETS];
};

/* A packet of voice every 20 ms, with silences; frames of video of any size. */
static void arrive(struct call *call)
{
    for (; call->next_audio_ns <= call->now_ns;
         call->next_audio_ns += g_rand_int_range(call->rand, 0, 50) ? WEIR_MS(20) : WEIR_MS(700)) {
        call->queued_audio += g_rand_int_range(call->rand, 0, 20) ? 1 : 10;
    }
    for (; call->next_frame_ns <= call->now_ns;
         call->next_frame_ns += g_rand_int_range(call->rand, 1000000, 100000000)) {
        call->queued_video += g_rand_int_range(call->rand, 1, 20);
        weir__pacer_on_queue(&call->all, call->now_ns, true);
    }
}

static int64_t lateness_ns(struct call *call)
{
    return g_rand_int_range(call->rand, 0, 10) ? g_rand_int_range(call->rand, 0, 2000000)
                                               : g_rand_int_range(call->rand, 0, 300000000);
}

static void leave(struct call *call, bool is_audio)
{
    int64_t bytes = g_rand_int_range(call->rand, 1, is_audio ? AUDIO_BYTES + 1 : VIDEO_BYTES + 1);
    call->queued_audio -= is_audio;
    call->queued_video -= !is_audio;
    bool backlogged = call->queued_audio + call->queued_video > 0;
    if (is_audio) {
        weir__pacer_on_sent(&call->audio, call->now_ns, bytes, backlogged);
        weir__pacer_on_ahead(&call->all, call->now_ns, bytes);
    } else {
        weir__pacer_on_sent(&call->all, call->now_ns, bytes, backlogged);
    }
    call->at_ns[call->n] = call->now_ns;
    call->bytes[call->n] = bytes;
    call->is_audio[call->n++] = is_audio;
}

/* Waits for what may leave next, or for what comes before. */
static void step(struct call *call)
{
    bool is_audio = call->queued_audio > 0;
    int64_t comes_ns = weir_min_i64(call->next_audio_ns, call->next_frame_ns);
    int64_t due_ns = WEIR_NEVER_NS;
    if (is_audio || call->queued_video > 0) {
        due_ns = weir__pacer_next_ns(is_audio ? &call->audio : &call->all);
    }
    if (!is_audio && due_ns > call->now_ns && comes_ns < due_ns) {
        call->now_ns = weir_max_i64(call->now_ns, comes_ns);
    } else {
        call->now_ns = weir_max_i64(call->now_ns, due_ns) + lateness_ns(call);
        leave(call, is_audio);
    }
    arrive(call);
}

static void run_call(struct call *call, guint32 seed)
{
    *call = (struct call){.rand = g_rand_new_with_seed(seed)};
    call->rate_bps = g_rand_int_range(call->rand, 20000, seed % 2 ? 200000 : 20000000);
    weir__pacer_init(&call->all, 0, call->rate_bps);
    weir__pacer_init(&call->audio, 0, call->rate_bps);
    call->quantum_ns = seed % 3 == 0 ? 0 : g_rand_int_range(call->rand, 0, 5000001);
    call->all.quantum_ns = call->quantum_ns;
    arrive(call);
    while (call->n < CALL_PACKETS) {
        step(call);
    }
    g_rand_free(call->rand);
}

/* In all windows: bytes <= rate * (length + lag) + extra_bytes. */
static void check_windows(const struct call *call, bool only_audio, int64_t lag_ns,
                          int64_t extra_bytes)
{
    for (int a = 0; a < CALL_PACKETS; a++) {
        int64_t sum_bytes = 0;
        for (int b = a; b < CALL_PACKETS; b++) {
            sum_bytes += call->is_audio[b] || !only_audio ? call->bytes[b] : 0;
            double allowed_bits =
                (double)call->rate_bps * (double)(call->at_ns[b] - call->at_ns[a] + lag_ns) / 1e9;
            if (8.0 * (double)(sum_bytes - extra_bytes) > allowed_bits) {
                g_error("rate %" G_GINT64_FORMAT ": packets %d..%d are too many", call->rate_bps, a,
                        b);
            }
        }
    }
}

static void test_audio_alone_obeys_the_invariant(void)
{
    static struct call call;
    for (guint32 seed = 1; seed <= 60; seed++) {
        run_call(&call, seed);
        check_windows(&call, true, WEIR__PACER_MAX_LAG_NS, AUDIO_BYTES);
    }
}

static void test_all_together_exceed_it_by_what_audio_ran_ahead(void)
{
    static struct call call;
    for (guint32 seed = 1; seed <= 60; seed++) {
        run_call(&call, seed);
        check_windows(&call, false, 2 * WEIR__PACER_MAX_LAG_NS + call.quantum_ns,
                      VIDEO_BYTES + AUDIO_BYTES);
    }
}

/* A key frame waits for 4 s: audio leaves as if it were alone, video pays for it. */
static void test_audio_does_not_wait_for_video(void)
{
    struct weir__pacer all, audio;
    int64_t video_bytes = 0;
    weir__pacer_init(&all, 0, WEIR_KBPS(240));
    weir__pacer_init(&audio, 0, WEIR_KBPS(240));
    weir__pacer_on_queue(&all, 0, true);
    for (int64_t now_ns = 0; now_ns < WEIR_SECONDS(4); now_ns += WEIR_MS(20)) {
        g_assert_cmpint(weir__pacer_next_ns(&audio), <=, now_ns);
        weir__pacer_on_sent(&audio, now_ns, 150, true);
        weir__pacer_on_ahead(&all, now_ns, 150);
        for (; weir__pacer_next_ns(&all) < now_ns + WEIR_MS(20); video_bytes += 300) {
            weir__pacer_on_sent(&all, weir_max_i64(weir__pacer_next_ns(&all), now_ns), 300, true);
        }
    }
    assert_near(video_bytes, 4 * 240000 / 8 - 200 * 150, 600);
}

static void test_audio_that_does_not_wait_has_bounded_debt(void)
{
    struct weir__pacer all, off;
    weir__pacer_init(&all, 0, WEIR_KBPS(30));
    for (int i = 0; i < 100000; i++) {
        weir__pacer_on_ahead(&all, 0, AUDIO_BYTES);
    }
    g_assert_cmpint(weir__pacer_next_ns(&all), <=, WEIR__PACER_MAX_AHEAD_NS + WEIR_MS(80));
    g_assert_cmpint(weir__pacer_next_ns(&all), >, WEIR__PACER_MAX_AHEAD_NS);

    weir__pacer_init(&off, 0, WEIR_KBPS(30));
    weir__pacer_set_off(&off, 0, true);
    weir__pacer_on_ahead(&off, 5, AUDIO_BYTES);
    g_assert_cmpint(weir__pacer_next_ns(&off), ==, 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pacer/packets_queued_at_once_leave_evenly",
                    test_packets_queued_at_once_leave_evenly);
    g_test_add_func("/pacer/idle_time_earns_no_credit", test_idle_time_earns_no_credit);
    g_test_add_func("/pacer/a_coarse_timer_loses_no_throughput",
                    test_a_coarse_timer_loses_no_throughput);
    g_test_add_func("/pacer/a_stall_repays_no_more_than_the_lag",
                    test_a_stall_repays_no_more_than_the_lag);
    g_test_add_func("/pacer/a_new_rate_counts_for_the_rest_of_the_interval",
                    test_a_new_rate_counts_for_the_rest_of_the_interval);
    g_test_add_func("/pacer/rate_zero_is_never_and_comes_back",
                    test_rate_zero_is_never_and_comes_back);
    g_test_add_func("/pacer/the_slowest_rate_does_not_overflow",
                    test_the_slowest_rate_does_not_overflow);
    g_test_add_func("/pacer/off_never_delays_and_leaves_no_debt",
                    test_off_never_delays_and_leaves_no_debt);
    g_test_add_func("/pacer/a_caller_that_does_not_wait_has_bounded_debt",
                    test_a_caller_that_does_not_wait_has_bounded_debt);
    g_test_add_func("/pacer/packets_within_the_quantum_leave_together",
                    test_packets_within_the_quantum_leave_together);
    g_test_add_func("/pacer/the_quantum_adds_no_throughput", test_the_quantum_adds_no_throughput);
    g_test_add_func("/pacer/an_idle_time_fills_the_quantum_no_further",
                    test_an_idle_time_fills_the_quantum_no_further);
    g_test_add_func("/pacer/a_smaller_quantum_or_rate_holds_the_rest_back",
                    test_a_smaller_quantum_or_rate_holds_the_rest_back);
    g_test_add_func("/pacer/no_window_holds_more_than_the_invariant",
                    test_no_window_holds_more_than_the_invariant);
    g_test_add_func("/pacer/audio_alone_obeys_the_invariant", test_audio_alone_obeys_the_invariant);
    g_test_add_func("/pacer/all_together_exceed_it_by_what_audio_ran_ahead",
                    test_all_together_exceed_it_by_what_audio_ran_ahead);
    g_test_add_func("/pacer/audio_does_not_wait_for_video", test_audio_does_not_wait_for_video);
    g_test_add_func("/pacer/audio_that_does_not_wait_has_bounded_debt",
                    test_audio_that_does_not_wait_has_bounded_debt);
    return g_test_run();
}
