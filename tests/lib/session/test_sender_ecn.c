/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session tests its path for ECN and believes marks of what was ECN-capable alone. */
#include "sender_rig.h"

static enum weir_ecn_path path_of(const struct rig *rig)
{
    return weir_sender_get_ecn_path(rig->sender, NULL, NULL);
}

static void test_off_unless_asked_for(void)
{
    struct rig rig = rig_start();
    g_assert_cmpint(weir_sender_get_ecn(rig.sender), ==, WEIR_ECN_NOT_ECT);
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_OFF);
    rig_send(&rig, 6, WEIR_MS(1));
    rig.now_ns += WEIR_MS(40);
    rig_ccfb(&rig, 65500, "rcccrr");
    g_assert_cmpuint(probe.n_news, ==, 6);
    for (size_t i = 0; i < probe.n_news; i++) {
        g_assert_cmpint(probe.news[i].ecn, ==, WEIR_ECN_NOT_ECT);
    }
    rig_finish(&rig);
}

static void test_codepoints(void)
{
    static const struct {
        enum weir_ecn ecn;
        enum weir_status status;
    } rows[] = {{WEIR_ECN_ECT0, WEIR_OK},
                {WEIR_ECN_ECT1, WEIR_OK},
                {WEIR_ECN_CE, WEIR_ERROR_ARGUMENT},
                {(enum weir_ecn)7, WEIR_ERROR_ARGUMENT},
                {WEIR_ECN_NOT_ECT, WEIR_OK}};
    struct rig rig = rig_start();
    enum weir_ecn before = WEIR_ECN_NOT_ECT;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpint(weir_sender_set_ecn(rig.sender, rig.now_ns, rows[i].ecn), ==,
                        rows[i].status);
        before = rows[i].status == WEIR_OK ? rows[i].ecn : before;
        g_assert_cmpint(weir_sender_get_ecn(rig.sender), ==, before);
    }
    rig_finish(&rig);
}

/* The counters a user sees. */
static void test_marks_are_counted(void)
{
    uint64_t packets_ce, packets_wrong;
    struct rig rig = rig_start();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    rig_send(&rig, 6, WEIR_MS(1));
    rig.now_ns += WEIR_MS(40);
    rig_ccfb(&rig, 65500, "ececee");
    g_assert_cmpint(weir_sender_get_ecn_path(rig.sender, &packets_ce, &packets_wrong), ==,
                    WEIR_ECN_PATH_CAPABLE);
    g_assert_cmpuint(packets_ce, ==, 2);
    g_assert_cmpuint(packets_wrong, ==, 0);
    rig_finish(&rig);
}

/* Who wakes elsewhere may be behind a path that drops what the one before carried. */
static void test_a_machine_that_slept_tests_anew(void)
{
    struct rig rig = rig_start();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    rig_send(&rig, 6, WEIR_MS(1));
    rig.now_ns += WEIR_MS(40);
    rig_ccfb(&rig, 65500, "eeeeee");
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_CAPABLE);
    rig_send(&rig, 1, WEIR_SECONDS(60));
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_TESTING);
    g_assert_cmpint(weir_sender_get_ecn(rig.sender), ==, WEIR_ECN_ECT0);
    rig_finish(&rig);
}

/* Transport-wide feedback tells of no codepoints: that is no bleaching. */
static void test_a_format_without_ecn(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    for (int i = 0; i < 40; i++) {
        uint16_t begin = rig.transport_seq;
        rig_send(&rig, 10, WEIR_MS(5));
        rig_twcc(&rig, begin, "rrrrrrrrrr", rig.now_ns);
    }
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_UNREPORTED);
    g_assert_cmpint(weir_sender_get_ecn(rig.sender), ==, WEIR_ECN_NOT_ECT);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_ecn/off_unless_asked_for", test_off_unless_asked_for);
    g_test_add_func("/sender_ecn/codepoints", test_codepoints);
    g_test_add_func("/sender_ecn/marks_are_counted", test_marks_are_counted);
    g_test_add_func("/sender_ecn/a_machine_that_slept_tests_anew",
                    test_a_machine_that_slept_tests_anew);
    g_test_add_func("/sender_ecn/a_format_without_ecn", test_a_format_without_ecn);
    return g_test_run();
}
