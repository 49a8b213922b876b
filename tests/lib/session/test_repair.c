/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* So much repair that few enough frames stay lost, and no more; in virtual time. */
#include "estimators/frame_loss.h"
#include "test.h"
#include "weir/repair.h"

#define SECOND WEIR_SECONDS(1)

static const struct weir_repair_view usual = {.loss_ppm = 30000,
                                              .burst_milli = 1000,
                                              .rtt_ns = WEIR_MS(100),
                                              .target_media_bps = 1000000,
                                              .min_media_bps = 30000};

static struct weir_repair *new_repair(int64_t wait_ns)
{
    struct weir_repair_config config;
    weir_repair_config_init(&config);
    config.wait_ns = wait_ns;
    struct weir_repair *repair = weir_repair_create(&config, NULL);
    g_assert_nonnull(repair);
    return repair;
}

/* An encoder whose frames have so many packets with their repair, which it makes room for. */
static void make_frames(struct weir_repair *repair, double packets, uint32_t percent, int frames)
{
    double media = packets / (1.0 + percent / 100.0);
    double made = 0.0;
    for (int i = 0; i < frames; i++) {
        int n = (int)(media * (i + 1) - made);
        n = n < 1 ? 1 : n;
        made += n;
        for (int k = 0; k < n; k++) {
            weir_repair_on_media(repair, k == n - 1);
        }
    }
}

static struct weir_repair_advice settle(struct weir_repair *repair,
                                        const struct weir_repair_view *view, double packets)
{
    struct weir_repair_advice advice = {0};
    for (int second = 0; second < 60; second++) {
        make_frames(repair, packets, advice.percent, 30);
        struct weir_repair_view now = *view;
        now.target_media_bps = view->target_media_bps * 100 / (100 + (int64_t)advice.percent);
        weir_repair_update(repair, second * SECOND, &now, &advice);
    }
    return advice;
}

struct promise {
    const char *name;
    int64_t loss_ppm, burst_milli, rtt_ms, wait_ms, min_bps;
    double packets; /* of a frame with its repair */
    enum weir_repair_reason reason;
};

/* Target 1 % of the frames; the media have 1 Mbit/s without repair. */
static const struct promise promises[] = {
    {"nothing is lost", 0, 1000, 100, 0, 1, 4, WEIR_REPAIR_NO_LOSS},
    {"few frames are lost", 2000, 1000, 100, 0, 1, 4, WEIR_REPAIR_NO_LOSS},
    {"1 % of chance", 10000, 1000, 100, 0, 1, 4, WEIR_REPAIR_LOSS},
    {"3 % of chance", 30000, 1000, 100, 0, 1, 4, WEIR_REPAIR_LOSS},
    {"5 % of chance", 50000, 1000, 100, 0, 1, 3, WEIR_REPAIR_LOSS},
    {"1 % of chance, large frames", 10000, 1000, 100, 0, 1, 20, WEIR_REPAIR_LOSS},
    {"a frame of one packet", 30000, 1000, 100, 0, 1, 1, WEIR_REPAIR_MAXIMUM},
    {"what is sent again comes in time", 30000, 1000, 50, 200, 1, 4, WEIR_REPAIR_RESENT},
    {"once is not enough", 100000, 1000, 150, 200, 1, 4, WEIR_REPAIR_LOSS},
    {"it comes too late", 30000, 1000, 170, 200, 1, 4, WEIR_REPAIR_LOSS},
    {"bursts longer than a frame", 30000, 9000, 100, 0, 1, 2, WEIR_REPAIR_NO_USE},
    {"bursts that can be sent again", 30000, 9000, 50, 200, 1, 2, WEIR_REPAIR_RESENT},
    {"half of all is lost", 500000, 2000, 100, 0, 1, 4, WEIR_REPAIR_NO_USE},
    {"more is lost than can be repaired", 50000, 1000, 100, 0, 1, 20, WEIR_REPAIR_MAXIMUM},
    {"the encoder is near its minimum", 50000, 1000, 100, 0, 850000, 3, WEIR_REPAIR_BUDGET},
    {"the encoder has its minimum", 50000, 1000, 100, 0, 1000000, 4, WEIR_REPAIR_BUDGET},
};

static void check_promise(const struct promise *p, const struct weir_repair_advice *advice)
{
    struct weir__lossy_channel channel = {(double)p->loss_ppm / 1e6, (double)p->burst_milli / 1e3};
    double less = (advice->percent - 5.0) / 100.0;
    bool is_off = p->reason == WEIR_REPAIR_NO_LOSS || p->reason == WEIR_REPAIR_RESENT ||
                  p->reason == WEIR_REPAIR_NO_USE;
    g_assert_true(is_off == (advice->percent == 0) || p->reason == WEIR_REPAIR_BUDGET);
    g_assert_cmpuint(advice->percent, <=, 50);
    g_assert_cmpint(1000000 * 100 / (100 + advice->percent), >=, p->min_bps);
    if (p->reason <= WEIR_REPAIR_LOSS) {
        g_assert_cmpuint(advice->frame_loss_ppm, <=, 10000);
    } else {
        g_assert_cmpuint(advice->frame_loss_ppm, >, 10000);
    }
    if (p->reason == WEIR_REPAIR_LOSS && p->wait_ms == 0) {
        double media = p->packets / (1.0 + less);
        g_assert_cmpfloat(weir__frame_loss(&channel, media, media * less), >, 0.01);
    }
}

static void the_least_repair_that_keeps_the_frames(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(promises); i++) {
        const struct promise *p = &promises[i];
        struct weir_repair *repair = new_repair(WEIR_MS(p->wait_ms));
        struct weir_repair_view view = {.loss_ppm = p->loss_ppm,
                                        .burst_milli = p->burst_milli,
                                        .rtt_ns = WEIR_MS(p->rtt_ms),
                                        .target_media_bps = 1000000,
                                        .min_media_bps = p->min_bps};
        struct weir_repair_advice advice = settle(repair, &view, p->packets);
        g_test_message("%s: %u %%, %u ppm of frames lost, %s", p->name, advice.percent,
                       advice.frame_loss_ppm, weir_repair_reason_name(advice.reason));
        g_assert_cmpstr(weir_repair_reason_name(advice.reason), ==,
                        weir_repair_reason_name(p->reason));
        check_promise(p, &advice);
        weir_repair_destroy(repair);
    }
}

static void a_codec_is_told_of_the_loss_that_stays(void)
{
    static const struct {
        int64_t loss_ppm, wait_ms;
        uint32_t loss_percent;
    } rows[] = {{0, 0, 0},     {4000, 0, 0},    {6000, 0, 1},    {30000, 0, 3},
                {30001, 0, 4}, {30000, 200, 0}, {1000000, 0, 90}};
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir_repair *repair = new_repair(WEIR_MS(rows[i].wait_ms));
        struct weir_repair_view view = usual;
        struct weir_repair_advice advice;
        view.loss_ppm = rows[i].loss_ppm;
        weir_repair_update(repair, 0, &view, &advice);
        g_assert_cmpuint(advice.loss_percent, ==, rows[i].loss_percent);
        weir_repair_destroy(repair);
    }
}

/* 3 % of chance, measured over ten seconds of 60 packets each: up to two standard deviations off.
 */
static void a_loss_that_is_measured_poorly_does_not_move_it(void)
{
    struct weir_repair *repair = new_repair(0);
    struct weir_repair_view view = usual;
    struct weir_repair_advice advice = {0};
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    uint32_t before = 0;
    int changes = 0;
    for (int second = 0; second < 600; second++) {
        make_frames(repair, 4, advice.percent, 30);
        view.loss_ppm = 30000 + g_rand_int_range(random, -14000, 14001);
        weir_repair_update(repair, second * SECOND, &view, &advice);
        changes += advice.percent != before;
        before = advice.percent;
    }
    g_test_message("%d changes in 600 s", changes);
    g_assert_cmpint(changes, <=, 60);
    weir_repair_destroy(repair);
}

/* One that has just advised some repair. */
static struct weir_repair *new_at_work(const struct weir_repair_view *view,
                                       struct weir_repair_advice *advice)
{
    struct weir_repair *repair = new_repair(0);
    make_frames(repair, 4, 0, 60);
    weir_repair_update(repair, 0, view, advice);
    g_assert_cmpuint(advice->percent, >, 0);
    return repair;
}

static void more_comes_at_once_and_less_after_ten_seconds(void)
{
    struct weir_repair_view view = usual;
    struct weir_repair_advice advice;
    struct weir_repair *repair = new_at_work(&view, &advice);
    view.loss_ppm = 0;
    for (int second = 1; second <= 10; second++) {
        weir_repair_update(repair, second * SECOND, &view, &advice);
        g_assert_cmpuint(advice.percent, >, 0);
        g_assert_cmpint(advice.reason, ==, WEIR_REPAIR_NO_LOSS);
    }
    weir_repair_update(repair, 5 * SECOND, &view, &advice); /* no time passes */
    g_assert_cmpuint(advice.percent, >, 0);
    weir_repair_update(repair, 11 * SECOND, &view, &advice);
    g_assert_cmpuint(advice.percent, ==, 0);
    weir_repair_destroy(repair);
}

/* The rate has fallen: the encoder's minimum comes first. */
static void a_budget_that_is_gone_ends_repair_at_once(void)
{
    struct weir_repair_view view = usual;
    struct weir_repair_advice advice;
    struct weir_repair *repair = new_at_work(&view, &advice);
    view.target_media_bps = view.min_media_bps / 2;
    weir_repair_update(repair, SECOND, &view, &advice);
    g_assert_cmpuint(advice.percent, ==, 0);
    g_assert_cmpint(advice.reason, ==, WEIR_REPAIR_BUDGET);
    weir_repair_destroy(repair);
}

static void wrong_arguments_are_refused(void)
{
    struct weir_repair_config config;
    enum weir_status status = WEIR_OK;
    g_assert_null(weir_repair_create(NULL, &status));
    g_assert_cmpint(status, ==, WEIR_ERROR_ARGUMENT);
    static const struct {
        uint32_t frame_loss_ppm, max_percent;
        int64_t wait_ns;
    } wrong[] = {{0, 100, 0}, {1000001, 100, 0}, {1, 101, 0}, {1, 100, -1}};
    struct weir_repair *repair = new_repair(0);
    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        weir_repair_config_init(&config);
        config.frame_loss_ppm = wrong[i].frame_loss_ppm;
        config.max_percent = wrong[i].max_percent;
        config.wait_ns = wrong[i].wait_ns;
        g_assert_cmpint(weir_repair_set(repair, &config), ==, WEIR_ERROR_RANGE);
    }
    weir_repair_config_init(&config);
    config.size--;
    g_assert_cmpint(weir_repair_set(repair, &config), ==, WEIR_ERROR_ARGUMENT);
    weir_repair_destroy(repair);
    weir_repair_destroy(NULL);
    g_assert_cmpstr(weir_repair_reason_name((enum weir_repair_reason)99), ==, "unknown");
}

/* What a session measures is within bounds; what a program makes of it may not be. */
static void any_view_gives_advice_within_the_bounds(void)
{
    static const int64_t values[] = {INT64_MIN, -1, 0, 1, 1000, 50000, 1000000, INT64_MAX};
    enum { N = G_N_ELEMENTS(values) };
    struct weir_repair *repair = new_repair(WEIR_NEVER_NS);
    struct weir_repair_advice advice;
    for (int i = 0; i < N * N * N * N * N; i++) {
        struct weir_repair_view view = {values[i % N], values[i / N % N], values[i / N / N % N],
                                        values[i / N / N / N % N], values[i / N / N / N / N]};
        weir_repair_on_media(repair, i % 7 == 0);
        weir_repair_update(repair, i * SECOND, &view, &advice);
        g_assert_cmpuint(advice.percent, <=, 100);
        g_assert_cmpuint(advice.loss_percent, <=, 100);
        g_assert_cmpuint(advice.frame_loss_ppm, <=, 1000000);
    }
    weir_repair_destroy(repair);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/repair/the_least_repair_that_keeps_the_frames",
                    the_least_repair_that_keeps_the_frames);
    g_test_add_func("/repair/a_codec_is_told_of_the_loss_that_stays",
                    a_codec_is_told_of_the_loss_that_stays);
    g_test_add_func("/repair/a_loss_that_is_measured_poorly_does_not_move_it",
                    a_loss_that_is_measured_poorly_does_not_move_it);
    g_test_add_func("/repair/more_comes_at_once_and_less_after_ten_seconds",
                    more_comes_at_once_and_less_after_ten_seconds);
    g_test_add_func("/repair/a_budget_that_is_gone_ends_repair_at_once",
                    a_budget_that_is_gone_ends_repair_at_once);
    g_test_add_func("/repair/wrong_arguments_are_refused", wrong_arguments_are_refused);
    g_test_add_func("/repair/any_view_gives_advice_within_the_bounds",
                    any_view_gives_advice_within_the_bounds);
    return g_test_run();
}
