/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "control.h"
#include "link_fixture.h"
#include "test.h"

struct fixture {
    struct ends ends[2];
    struct link_control control;
};

static void set_up(struct fixture *f, gconstpointer nothing)
{
    (void)nothing;
    f->control = (struct link_control){
        .directions = {start_direction(&f->ends[0], NULL), start_direction(&f->ends[1], NULL)}};
}

static void tear_down(struct fixture *f, gconstpointer nothing)
{
    (void)nothing;
    stop_direction(f->control.directions[0], &f->ends[0]);
    stop_direction(f->control.directions[1], &f->ends[1]);
}

static void apply(struct fixture *f, const char *line)
{
    GError *error = NULL;
    g_assert_true(link_control_apply(&f->control, line, &error));
    g_assert_no_error(error);
}

static void test_lines_change_the_direction_they_name(struct fixture *f, gconstpointer nothing)
{
    struct weir__path_stats forward, reverse;
    (void)nothing;
    apply(f, "capacity 800k");
    apply(f, "  reverse-capacity\t 2M ");
    apply(f, "loss 0.01");
    apply(f, "");
    weir__path_get_stats(f->control.directions[0]->path, &forward);
    weir__path_get_stats(f->control.directions[1]->path, &reverse);
    g_assert_cmpint(forward.capacity_bps, ==, 800000);
    g_assert_cmpint(reverse.capacity_bps, ==, 2000000);
    assert_near(f->control.directions[0]->settings.loss, 0.01, 1e-12);
    assert_near(f->control.directions[1]->settings.loss, 0.0, 1e-12);
}

static void test_the_delay_is_for_both_until_the_other_has_its_own(struct fixture *f,
                                                                   gconstpointer nothing)
{
    (void)nothing;
    apply(f, "delay 50ms");
    g_assert_cmpint(f->control.directions[1]->settings.path.link.delay_ns, ==, WEIR_MS(50));
    apply(f, "reverse-delay 10ms");
    g_assert_cmpint(f->control.directions[0]->settings.path.link.delay_ns, ==, WEIR_MS(50));
    apply(f, "delay 70ms");
    g_assert_cmpint(f->control.directions[0]->settings.path.link.delay_ns, ==, WEIR_MS(70));
    g_assert_cmpint(f->control.directions[1]->settings.path.link.delay_ns, ==, WEIR_MS(10));
}

static void test_wrong_lines_are_answered_and_change_nothing(struct fixture *f,
                                                             gconstpointer nothing)
{
    static const char *const wrong[][2] = {{"fly", "fly"},
                                           {"fly high", "fly"},
                                           {"capacity", "capacity"},
                                           {"capacity x", "100G"},
                                           {"delay 5", "unit"},
                                           {"seed 3", "while the link runs"},
                                           {"reverse- 3", "reverse-"},
                                           {"capacity 1M 2M", "100G"}};
    (void)nothing;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        GError *error = NULL;
        g_assert_false(link_control_apply(&f->control, wrong[i][0], &error));
        expect_error(&error, LINK_EXIT_WRONG, wrong[i][1]);
    }
    g_assert_cmpint(f->control.directions[0]->settings.path.link.capacity_bps, ==, 1000000000);
}

static void test_lines_may_come_in_pieces_and_too_long(struct fixture *f, gconstpointer nothing)
{
    int fds[2];
    char long_line[2000];
    (void)nothing;
    g_assert_cmpint(pipe(fds), ==, 0);
    memset(long_line, 'x', sizeof long_line);
    g_assert_cmpint(write(fds[1], "capac", 5), ==, 5);
    g_assert_true(link_control_read(&f->control, fds[0]));
    g_assert_cmpint(write(fds[1], "ity 3M\ndelay 4ms\n", 17), ==, 17);
    g_assert_true(link_control_read(&f->control, fds[0]));
    g_assert_cmpint(f->control.directions[0]->settings.path.link.capacity_bps, ==, 3000000);
    g_assert_cmpint(f->control.directions[0]->settings.path.link.delay_ns, ==, WEIR_MS(4));
    g_assert_cmpint(write(fds[1], long_line, sizeof long_line), ==, sizeof long_line);
    g_assert_true(link_control_read(&f->control, fds[0]));
    g_assert_true(link_control_read(&f->control, fds[0]));
    close(fds[1]);
    g_assert_false(link_control_read(&f->control, fds[0])); /* the end */
    close(fds[0]);
}

#define ADD(name)                                                                                  \
    g_test_add("/link/control/" #name, struct fixture, NULL, set_up, test_##name, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(lines_change_the_direction_they_name);
    ADD(the_delay_is_for_both_until_the_other_has_its_own);
    ADD(wrong_lines_are_answered_and_change_nothing);
    ADD(lines_may_come_in_pieces_and_too_long);
    return g_test_run();
}
