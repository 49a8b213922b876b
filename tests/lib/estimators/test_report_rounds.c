/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rounds between reports, and which losses begin an event. */
#include "../../test.h"
#include "estimators/report_rounds.h"
#include "weir/units.h"

static struct weir__report_rounds rounds;

/* Reports every 100 ms, from the first second on. */
static void start(int n_reports)
{
    weir__report_rounds_init(&rounds);
    for (int i = 0; i < n_reports; i++) {
        weir__report_rounds_begin(&rounds, WEIR_SECONDS(1) + WEIR_MS(100 * i));
    }
}

static void the_first_loss_begins_an_event(void)
{
    start(0);
    g_assert_true(weir__report_rounds_allow_event(&rounds, 0));
    start(3);
    g_assert_true(weir__report_rounds_allow_event(&rounds, 0));
}

/* Until which send time losses belong to an event that a packet of shown_ms showed: that of the
 * first report after it. */
static void an_event_lasts_until_the_first_report_after_it(void)
{
    static const struct {
        int n_reports;
        int64_t shown_ms, now_ms, end_ms;
    } cases[] = {
        {4, 1050, 1300, 1100}, {4, 1099, 1300, 1100}, {4, 1100, 1300, 1200}, {4, 1250, 1300, 1300},
        {4, 900, 1300, 1000},  {4, 1300, 1350, 1350}, {0, 1000, 1350, 1350},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        start(cases[i].n_reports);
        weir__report_rounds_on_event(&rounds, WEIR_MS(cases[i].shown_ms), WEIR_MS(cases[i].now_ms));
        g_assert_false(weir__report_rounds_allow_event(&rounds, WEIR_MS(cases[i].end_ms)));
        g_assert_true(weir__report_rounds_allow_event(&rounds, WEIR_MS(cases[i].end_ms) + 1));
    }
}

/* Reports of long ago are forgotten: the event then ends with the oldest that is known. */
static void more_reports_than_it_holds_make_the_event_longer(void)
{
    start(WEIR__REPORT_ROUNDS + 5);
    int64_t oldest_ns = WEIR_SECONDS(1) + WEIR_MS(500);
    weir__report_rounds_on_event(&rounds, WEIR_SECONDS(1), WEIR_SECONDS(9));
    g_assert_false(weir__report_rounds_allow_event(&rounds, oldest_ns));
    g_assert_true(weir__report_rounds_allow_event(&rounds, oldest_ns + 1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/report_rounds/" #name, name)
    ADD(the_first_loss_begins_an_event);
    ADD(an_event_lasts_until_the_first_report_after_it);
    ADD(more_reports_than_it_holds_make_the_event_longer);
    return g_test_run();
}
