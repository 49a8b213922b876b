/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a path carries ECN, from what packets left with and how they are reported. */
#include "session/ecn_path.h"

#include <glib.h>

#define FAR     WEIR__ECN_SLACK_PACKETS
#define STEP_NS WEIR_MS(5)

/* A packet each 5 ms, each reported 4 packets later as the path makes it, or not at all. */
struct run {
    struct weir__ecn_path path;
    int64_t seq;
    enum weir_ecn sent[4];
};

enum road { KEEPS, BLEACHES, REMARKS, MANGLES, MARKS_ALL, MARKS_SOME, DROPS_ECT, TELLS_NOTHING };

/* -1: it does not arrive. */
static int arrive(enum road road, int64_t seq, enum weir_ecn sent)
{
    bool capable = sent != WEIR_ECN_NOT_ECT;
    switch (road) {
    case BLEACHES:
        return WEIR_ECN_NOT_ECT;
    case REMARKS:
        return capable ? (int)sent ^ 3 : WEIR_ECN_NOT_ECT; /* the one for the other */
    case MANGLES:
        return WEIR_ECN_ECT0;
    case MARKS_ALL:
        return capable ? WEIR_ECN_CE : WEIR_ECN_NOT_ECT;
    case MARKS_SOME:
        return capable && seq % 3 == 0 ? WEIR_ECN_CE : (int)sent;
    case DROPS_ECT:
        return capable ? -1 : WEIR_ECN_NOT_ECT;
    default:
        return (int)sent;
    }
}

static void go(struct run *run, enum road road, int n_packets)
{
    for (int i = 0; i < n_packets; i++, run->seq++) {
        enum weir_ecn *slot = &run->sent[run->seq % 4];
        int arrived = run->seq >= 4 ? arrive(road, run->seq - 4, *slot) : -1;
        if (arrived >= 0 && road != TELLS_NOTHING) {
            weir__ecn_path_on_received(&run->path, run->seq - 4, (enum weir_ecn)arrived);
        }
        *slot = weir__ecn_path_next(&run->path);
        weir__ecn_path_on_sent(&run->path, STEP_NS * (run->seq + 1), run->seq, *slot);
    }
}

/* Each road, for each codepoint, comes to its verdict; what leaves then is ECN-capable or not. */
static void test_roads(void)
{
    static const struct {
        enum road road;
        enum weir_ecn_path found;
    } rows[] = {{KEEPS, WEIR_ECN_PATH_CAPABLE},           {BLEACHES, WEIR_ECN_PATH_BLEACHED},
                {REMARKS, WEIR_ECN_PATH_REMARKED},        {MARKS_ALL, WEIR_ECN_PATH_MANGLED},
                {MARKS_SOME, WEIR_ECN_PATH_CAPABLE},      {DROPS_ECT, WEIR_ECN_PATH_DROPPED},
                {TELLS_NOTHING, WEIR_ECN_PATH_UNREPORTED}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        for (enum weir_ecn wish = WEIR_ECN_ECT1; wish <= WEIR_ECN_ECT0; wish++) {
            struct run run = {.seq = 0};
            weir__ecn_path_start(&run.path, wish);
            go(&run, rows[i].road, 1000);
            g_assert_cmpint(run.path.state, ==, rows[i].found);
            g_assert_cmpint(weir__ecn_path_next(&run.path), ==,
                            rows[i].found == WEIR_ECN_PATH_CAPABLE ? wish : WEIR_ECN_NOT_ECT);
            g_assert_cmpint(run.path.packets_ce > 0, ==,
                            rows[i].road == MARKS_ALL || rows[i].road == MARKS_SOME);
        }
    }
}

/* A path that changes is found out later too, and a new test finds the present one. */
static void test_a_path_that_changes(void)
{
    static const struct {
        enum road road;
        enum weir_ecn_path found;
    } rows[] = {{BLEACHES, WEIR_ECN_PATH_BLEACHED},
                {REMARKS, WEIR_ECN_PATH_REMARKED},
                {MARKS_ALL, WEIR_ECN_PATH_CAPABLE}}; /* congestion, as far as one can know */
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct run run = {.seq = 0};
        weir__ecn_path_start(&run.path, WEIR_ECN_ECT0);
        go(&run, KEEPS, 500);
        g_assert_cmpint(run.path.state, ==, WEIR_ECN_PATH_CAPABLE);
        go(&run, rows[i].road, 500);
        g_assert_cmpint(run.path.state, ==, rows[i].found);
        weir__ecn_path_start(&run.path, WEIR_ECN_ECT0);
        go(&run, KEEPS, 500);
        g_assert_cmpint(run.path.state, ==, WEIR_ECN_PATH_CAPABLE);
    }
}

/* Marks on what was never ECN-capable lower no rate. */
static void test_marks_that_cannot_be(void)
{
    struct run run = {.seq = 0};
    go(&run, KEEPS, 500);
    for (enum weir_ecn ecn = WEIR_ECN_ECT1; ecn <= WEIR_ECN_CE; ecn++) {
        g_assert_cmpint(weir__ecn_path_on_received(&run.path, 300, ecn), ==, WEIR_ECN_NOT_ECT);
    }
    g_assert_cmpuint(run.path.packets_wrong, ==, 3);
    g_assert_cmpuint(run.path.packets_ce, ==, 0);
    g_assert_cmpint(run.path.state, ==, WEIR_ECN_PATH_OFF);
    weir__ecn_path_start(&run.path, WEIR_ECN_ECT0);
    go(&run, MANGLES, 600);
    g_assert_cmpint(run.path.state, ==, WEIR_ECN_PATH_MANGLED);
    weir__ecn_path_start(&run.path, WEIR_ECN_NOT_ECT);
    go(&run, MANGLES, 600);
    g_assert_cmpuint(run.path.packets_wrong, >, 300);
}

/* Elements may hold packets while the socket's option changes: for each distance from a change. */
static void test_near_a_change_nothing_contradicts(void)
{
    for (int64_t distance = -2 * FAR; distance <= 2 * FAR; distance++) {
        struct weir__ecn_path path = {.state = WEIR_ECN_PATH_OFF};
        for (int64_t seq = 0; seq < 1000; seq++) {
            if (seq == 500) {
                weir__ecn_path_start(&path, WEIR_ECN_ECT0);
            }
            weir__ecn_path_on_sent(&path, seq, seq, weir__ecn_path_next(&path));
        }
        enum weir_ecn other = distance < 0 ? WEIR_ECN_ECT0 : WEIR_ECN_NOT_ECT;
        g_assert_cmpint(weir__ecn_path_on_received(&path, 500 + distance, other), ==,
                        WEIR_ECN_NOT_ECT);
        bool is_near = distance > -FAR && distance < FAR;
        g_assert_cmpint(path.state == WEIR_ECN_PATH_TESTING, ==, is_near);
        g_assert_cmpuint(path.packets_wrong, ==, is_near ? 0 : 1);
    }
}

/* However often what leaves changes, no more is remembered than fits, and what is older contradicts
 * nothing. */
static void test_many_changes(void)
{
    struct weir__ecn_path path = {.wish = WEIR_ECN_ECT0, .state = WEIR_ECN_PATH_CAPABLE};
    for (int64_t seq = 0; seq < 100000; seq++) {
        weir__ecn_path_on_sent(&path, seq, seq, seq / 1000 % 2 ? WEIR_ECN_ECT0 : WEIR_ECN_NOT_ECT);
    }
    g_assert_cmpuint(path.n_changes, ==, WEIR__ECN_CHANGES);
    weir__ecn_path_on_received(&path, 50500, WEIR_ECN_ECT1);
    g_assert_cmpint(path.state, ==, WEIR_ECN_PATH_CAPABLE);
    g_assert_cmpint(weir__ecn_path_on_received(&path, 99500, WEIR_ECN_CE), ==, WEIR_ECN_CE);
    weir__ecn_path_on_received(&path, 99500, WEIR_ECN_ECT1);
    g_assert_cmpint(path.state, ==, WEIR_ECN_PATH_REMARKED);
}

/* A receiver that comes late, or begins to report ECN, gets a test of its own. */
static void test_a_receiver_that_comes_late(void)
{
    struct run run = {.seq = 0};
    weir__ecn_path_start(&run.path, WEIR_ECN_ECT0);
    go(&run, TELLS_NOTHING, 2000);
    g_assert_cmpint(run.path.state, ==, WEIR_ECN_PATH_UNREPORTED);
    go(&run, KEEPS, 300);
    g_assert_cmpint(run.path.state, ==, WEIR_ECN_PATH_CAPABLE);
}

/* Counts of 200 packets that left as ECT(0), far from the change to it; what arrived with each
 * codepoint in the order of enum weir_ecn. */
static void test_counts_are_taken_as_packets_are(void)
{
    static const struct {
        const char *what;
        uint32_t packets[4];
        uint32_t marked;
        uint64_t wrong;
        enum weir_ecn_path found;
    } rows[] = {
        {"as they left", {0, 0, 200, 0}, 0, 0, WEIR_ECN_PATH_CAPABLE},
        {"some lost, some marked", {0, 0, 150, 20}, 20, 0, WEIR_ECN_PATH_CAPABLE},
        {"bleached", {200, 0, 0, 0}, 0, 200, WEIR_ECN_PATH_BLEACHED},
        {"remarked", {0, 200, 0, 0}, 0, 200, WEIR_ECN_PATH_REMARKED},
        {"all marked", {0, 0, 0, 200}, 200, 0, WEIR_ECN_PATH_MANGLED},
        {"none", {0, 0, 0, 0}, 0, 0, WEIR_ECN_PATH_TESTING},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__ecn_path path = {0};
        weir__ecn_path_start(&path, WEIR_ECN_ECT0);
        weir__ecn_path_on_sent(&path, 1, 0, WEIR_ECN_ECT0);
        g_test_message("%s", rows[i].what);
        g_assert_cmpuint(weir__ecn_path_on_counts(&path, FAR, FAR + 199, rows[i].packets), ==,
                         rows[i].marked);
        g_assert_cmpint(path.state, ==, rows[i].found);
        g_assert_cmpuint(path.packets_wrong, ==, rows[i].wrong);
        g_assert_cmpuint(path.packets_ce, ==, rows[i].marked);
    }
}

/* Of packets among which what leaves changed, it is only clear that some got through. */
static void test_counts_across_a_change_say_little(void)
{
    struct weir__ecn_path path = {0};
    const uint32_t mixed[4] = {100, 0, 90, 10};
    weir__ecn_path_start(&path, WEIR_ECN_ECT0);
    weir__ecn_path_on_sent(&path, 1, 500, WEIR_ECN_ECT0);
    g_assert_cmpuint(weir__ecn_path_on_counts(&path, 400, 600, mixed), ==, 0);
    g_assert_cmpint(path.state, ==, WEIR_ECN_PATH_CAPABLE);
    g_assert_cmpuint(path.packets_wrong + path.packets_ce, ==, 0);
}

static void test_feedback_without_codepoints_ends_it(void)
{
    struct run run = {0};
    weir__ecn_path_start(&run.path, WEIR_ECN_ECT0);
    go(&run, KEEPS, 300);
    g_assert_cmpint(run.path.state, ==, WEIR_ECN_PATH_CAPABLE);
    weir__ecn_path_on_untold(&run.path);
    g_assert_cmpint(weir__ecn_path_next(&run.path), ==, WEIR_ECN_NOT_ECT);
    g_assert_cmpint(run.path.state, ==, WEIR_ECN_PATH_UNREPORTED);
}

static void test_names(void)
{
    for (int path = 0; path <= WEIR_ECN_PATH_DROPPED; path++) {
        g_assert_cmpstr(weir_ecn_path_name((enum weir_ecn_path)path), !=, "unknown");
        g_assert_cmpuint(strlen(weir_ecn_path_text((enum weir_ecn_path)path)), >, 8);
    }
    g_assert_cmpstr(weir_ecn_path_name((enum weir_ecn_path)99), ==, "unknown");
    g_assert_cmpstr(weir_ecn_path_text((enum weir_ecn_path) - 1), ==, "Unknown");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ecn_path/roads", test_roads);
    g_test_add_func("/ecn_path/a_path_that_changes", test_a_path_that_changes);
    g_test_add_func("/ecn_path/marks_that_cannot_be", test_marks_that_cannot_be);
    g_test_add_func("/ecn_path/near_a_change_nothing_contradicts",
                    test_near_a_change_nothing_contradicts);
    g_test_add_func("/ecn_path/many_changes", test_many_changes);
    g_test_add_func("/ecn_path/a_receiver_that_comes_late", test_a_receiver_that_comes_late);
    g_test_add_func("/ecn_path/counts_are_taken_as_packets_are",
                    test_counts_are_taken_as_packets_are);
    g_test_add_func("/ecn_path/counts_across_a_change_say_little",
                    test_counts_across_a_change_say_little);
    g_test_add_func("/ecn_path/feedback_without_codepoints_ends_it",
                    test_feedback_without_codepoints_ends_it);
    g_test_add_func("/ecn_path/names", test_names);
    return g_test_run();
}
