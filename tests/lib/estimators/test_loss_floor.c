/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose losses they are: those of a path stay whatever is sent, those of a policer do not. */
#include "../../test.h"
#include "estimators/loss_floor.h"

#include <math.h>

#define DT_S   0.05
#define LOOP_S 0.2

/* A link that loses a share of all, and drops what is above policed_bps. */
struct link {
    double lost_share;
    double policed_bps;
};

static double lost_share(const struct link *link, double sent_bps)
{
    double passed = fmin(sent_bps, link->policed_bps) / sent_bps;
    return 1.0 - passed * (1.0 - link->lost_share);
}

/* Steps for a time; what is sent follows the rate with a lag of 0.3 s, the share is of the last
 * second. Returns the last verdict that was more than nothing. */
static enum weir__loss_verdict run(struct weir__loss_floor *state, const struct link *link,
                                   double *rate_bps, double for_s)
{
    static double shares[20];
    enum weir__loss_verdict last = WEIR__LOSS_NOTHING;
    double sent_bps = *rate_bps;
    for (int i = 0; i < 20; i++) {
        shares[i] = lost_share(link, sent_bps);
    }
    for (int i = 0; i * DT_S < for_s; i++) {
        double mean = 0.0;
        sent_bps += (*rate_bps - sent_bps) * DT_S / 0.3;
        shares[i % 20] = lost_share(link, sent_bps);
        for (int k = 0; k < 20; k++) {
            mean += shares[k] / 20.0;
        }
        struct weir__loss_view view = {.share = mean,
                                       .packets = 200.0,
                                       .lossy_s = 1.0,
                                       .sent_bps = sent_bps,
                                       .loop_s = LOOP_S,
                                       .dt_s = DT_S};
        enum weir__loss_verdict verdict = weir__loss_floor_step(state, &view, rate_bps);
        last = verdict == WEIR__LOSS_NOTHING ? last : verdict;
    }
    return last;
}

static void losses_of_the_path_leave_the_rate_as_it_was(void)
{
    for (int percent = 3; percent <= 50; percent++) {
        struct weir__loss_floor state = {0};
        struct link link = {.lost_share = percent / 100.0, .policed_bps = INFINITY};
        double rate_bps = 2e6;
        g_test_message("%d %%", percent);
        g_assert_cmpint(run(&state, &link, &rate_bps, 6.0), ==, WEIR__LOSS_OF_THE_PATH);
        assert_near(rate_bps, 2e6, 1.0);
        assert_near(state.floor, percent / 100.0, 0.02);
    }
}

static void losses_of_a_policer_lower_the_rate_to_what_passes(void)
{
    for (int percent = 0; percent <= 20; percent += 5) {
        struct weir__loss_floor state = {0};
        struct link link = {.lost_share = percent / 100.0, .policed_bps = INFINITY};
        double rate_bps = 2e6;
        run(&state, &link, &rate_bps, 6.0); /* learns the floor */
        link.policed_bps = 1.4e6;
        g_assert_cmpint(run(&state, &link, &rate_bps, 4.0), ==, WEIR__LOSS_OURS);
        assert_near(rate_bps, 1.4e6 * (1.0 - percent / 100.0), 2e4);
        assert_near(state.floor, percent / 100.0, 0.02);
    }
}

/* The minimum, of which less than half gets through, is more than a trial may send. */
static void a_trial_that_cannot_be_made_ends(void)
{
    struct weir__loss_floor state = {0};
    struct weir__loss_view view = {.share = 0.6,
                                   .packets = 30.0,
                                   .lossy_s = 1.0,
                                   .sent_bps = 4e4,
                                   .loop_s = LOOP_S,
                                   .dt_s = DT_S};
    double rate_bps = 4e4;
    g_assert_cmpint(weir__loss_floor_step(&state, &view, &rate_bps), ==, WEIR__LOSS_TRIAL);
    view.share = 0.0;
    for (int i = 0; i < 99; i++) {
        g_assert_cmpint(weir__loss_floor_step(&state, &view, &rate_bps), ==, WEIR__LOSS_NOTHING);
        g_assert_true(state.on_trial);
    }
    for (int i = 0; i < 3; i++) {
        g_assert_cmpint(weir__loss_floor_step(&state, &view, &rate_bps), ==, WEIR__LOSS_NOTHING);
    }
    g_assert_false(state.on_trial);
    g_assert_cmpfloat(state.floor, ==, 0.0);
}

/* Bursts come and go: whatever is sent less for them is lost for nothing. */
static void bursts_start_no_trial(void)
{
    for (int tenths = 0; tenths <= 10; tenths++) {
        struct weir__loss_floor state = {0};
        struct weir__loss_view view = {.share = 0.3,
                                       .packets = 400.0,
                                       .lossy_s = tenths / 10.0,
                                       .sent_bps = 4e6,
                                       .loop_s = LOOP_S,
                                       .dt_s = DT_S};
        double rate_bps = 4e6;
        g_assert_cmpint(weir__loss_floor_step(&state, &view, &rate_bps), ==,
                        tenths < 5 ? WEIR__LOSS_NOTHING : WEIR__LOSS_TRIAL);
    }
}

/* A few packets of which one is lost, or many of which one in a hundred is: no reason to act. */
static void few_losses_start_no_trial(void)
{
    static const struct {
        double share, packets;
        bool exceeds;
    } rows[] = {{0.05, 20.0, false},  {0.19, 20.0, false}, {0.4, 20.0, true},   {0.5, 19.0, false},
                {0.01, 400.0, false}, {0.05, 400.0, true}, {0.1, 140.0, false}, {0.2, 140.0, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__loss_floor state = {0};
        g_test_message("row %d", (int)i);
        g_assert_true(weir__loss_floor_exceeds(&state, rows[i].share, rows[i].packets) ==
                      rows[i].exceeds);
    }
}

/* What was once lost is not for ever. */
static void the_floor_follows_a_falling_share(void)
{
    struct weir__loss_floor state = {.floor = 0.2};
    struct link link = {.policed_bps = INFINITY};
    double rate_bps = 2e6;
    run(&state, &link, &rate_bps, 30.0);
    g_assert_cmpfloat(state.floor, <, 0.01);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/loss-floor/" #name, name)
    ADD(losses_of_the_path_leave_the_rate_as_it_was);
    ADD(losses_of_a_policer_lower_the_rate_to_what_passes);
    ADD(a_trial_that_cannot_be_made_ends);
    ADD(bursts_start_no_trial);
    ADD(few_losses_start_no_trial);
    ADD(the_floor_follows_a_falling_share);
    return g_test_run();
}
