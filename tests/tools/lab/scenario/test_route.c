/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/route.h"
#include "scenario_fixture.h"
#include "test.h"

/* A ring R1 R2 R3 R4 of duplex links 0/1, 2/3, 4/5, 6/7, 10 ms each, and one flow R1 to R3. */
#define RING                                                                                       \
    "{\"duration_s\": 1, \"links\": ["                                                             \
    "{\"name\": \"a\", \"from\": \"R1\", \"to\": \"R2\", \"capacity_bps\": 1e6, \"delay_ms\": "    \
    "10},"                                                                                         \
    "{\"name\": \"b\", \"from\": \"R2\", \"to\": \"R3\", \"capacity_bps\": 1e6, \"delay_ms\": "    \
    "10},"                                                                                         \
    "{\"name\": \"c\", \"from\": \"R3\", \"to\": \"R4\", \"capacity_bps\": 1e6, \"delay_ms\": "    \
    "10},"                                                                                         \
    "{\"name\": \"d\", \"from\": \"R4\", \"to\": \"R1\", \"capacity_bps\": 1e6, \"delay_ms\": "    \
    "10}],"                                                                                        \
    "\"flows\": [{\"name\": \"f\", \"from\": \"R1\", \"to\": \"R3\", \"algorithm\": "              \
    "\"tcp-sack\"}]}"

static struct lab_scenario *load_ring(const char *more)
{
    char *to = g_strdup_printf("\"tcp-sack\", %s}", more);
    char *content = text_replace(RING, "\"tcp-sack\"}", to);
    struct lab_scenario *scenario = load_good(content);
    g_free(content);
    g_free(to);
    return scenario;
}

static void assert_way(const uint32_t *links, size_t n_links, const char *way)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < n_links; i++) {
        g_string_append_printf(text, "%u", links[i]);
    }
    g_assert_cmpstr(text->str, ==, way);
    g_string_free(text, TRUE);
}

static void test_the_way_back_comes_by_the_same_nodes(void)
{
    static const struct {
        const char *more, *there, *back;
    } cases[] = {
        {"\"start_s\": 0", "02", "31"},
        {"\"via\": [\"R4\"]", "75", "46"},
        {"\"via\": [\"R2\"]", "02", "31"},
        {"\"via\": []", "02", "31"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_scenario *s = load_ring(cases[i].more);
        assert_way(s->flows[0]->links, s->flows[0]->n_links, cases[i].there);
        assert_way(s->flows[0]->back_links, s->flows[0]->n_back_links, cases[i].back);
        lab_scenario_free(s);
    }
}

static void test_delays_outside_the_links_make_up_the_round_trip(void)
{
    static const struct {
        const char *more;
        int64_t entry_ns, exit_ns, back_entry_ns, back_exit_ns;
    } cases[] = {
        {"\"start_s\": 0", 0, 0, 0, 0},
        {"\"access_ms\": 7", WEIR_MS(7), 0, 0, WEIR_MS(7)},
        {"\"access_ms\": 8, \"receiver_access_share\": 0.25", WEIR_MS(6), WEIR_MS(2), WEIR_MS(2),
         WEIR_MS(6)},
        {"\"rtt_ms\": 40", 0, 0, 0, 0},
        {"\"rtt_ms\": 100", WEIR_MS(30), 0, 0, WEIR_MS(30)},
        {"\"rtt_ms\": 40.000001", 0, 0, 0, 1},
        {"\"rtt_ms\": 100, \"receiver_access_share\": 0.5", WEIR_MS(15), WEIR_MS(15), WEIR_MS(15),
         WEIR_MS(15)},
        {"\"rtt_ms\": 100, \"receiver_access_share\": 1", 0, WEIR_MS(30), WEIR_MS(30), 0},
        {"\"rtt_ms\": 40.000003, \"receiver_access_share\": 0.5", 1, 0, 1, 1},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_scenario *s = load_ring(cases[i].more);
        g_assert_cmpint(s->flows[0]->entry_ns, ==, cases[i].entry_ns);
        g_assert_cmpint(s->flows[0]->exit_ns, ==, cases[i].exit_ns);
        g_assert_cmpint(s->flows[0]->back_entry_ns, ==, cases[i].back_entry_ns);
        g_assert_cmpint(s->flows[0]->back_exit_ns, ==, cases[i].back_exit_ns);
        lab_scenario_free(s);
    }
}

static void test_only_unresponsive_flows_need_no_way_back(void)
{
    static const char udp[] =
        "\"duplex\": false}], \"flows\": [{\"name\": \"u\", \"from\": \"R1\", "
        "\"to\": \"R2\", \"algorithm\": \"udp\", \"source\": {\"kind\": "
        "\"cbr\", \"rate_bps\": 1e5}}]}";
    char *content =
        g_strconcat("{\"duration_s\": 1, \"links\": [{\"name\": \"a\", \"from\": \"R1\", "
                    "\"to\": \"R2\", \"capacity_bps\": 1e6, ",
                    udp, NULL);
    struct lab_scenario *s = load_good(content);
    g_assert_cmpuint(s->n_links, ==, 1);
    g_assert_cmpuint(s->flows[0]->n_links, ==, 1);
    g_assert_cmpuint(s->flows[0]->n_back_links, ==, 0);
    lab_scenario_free(s);
    char *with_rtt = text_replace(content, "\"source\"", "\"rtt_ms\": 10, \"source\"");
    assert_bad(with_rtt, NULL, "flows.u.rtt_ms = 10: no links lead back from R2 to R1");
    g_free(with_rtt);
    g_free(content);
}

static void test_ways_that_go_round_or_nowhere_are_refused(void)
{
    static const struct {
        const char *more, *message;
    } cases[] = {
        {"\"via\": [\"R1\"]", NULL},
        {"\"via\": [\"R4\", \"R1\"]",
         "flows.f.via = [...]: the way goes round: it comes to R1 twice"},
        {"\"via\": [\"R9\"]",
         "flows.f.via = \"R9\": no link leads to a node of this name; did you mean R1?"},
        {"\"via\": [9]", "flows.f.via = 9: must be a list of names of nodes"},
        {"\"via\": \"R4\"", "flows.f.via = \"R4\": must be a list, [...]"},
        {"\"rtt_ms\": 39.9",
         "flows.f.rtt_ms = 39.9: must be at least 40, which the links alone take"},
    };
    for (gsize i = 1; i < G_N_ELEMENTS(cases); i++) {
        char *to = g_strdup_printf("\"tcp-sack\", %s}", cases[i].more);
        char *content = text_replace(RING, "\"tcp-sack\"}", to);
        assert_bad(content, NULL, cases[i].message);
        g_free(content);
        g_free(to);
    }
}

static void test_a_way_has_64_links_at_most(void)
{
    for (guint n = 64; n <= 65; n++) {
        char *content = g_strdup_printf(
            "{\"duration_s\": 1, \"links\": [{\"name\": \"h{i}\", \"from\": \"R{i}\", \"to\": "
            "\"R{i+1}\", \"count\": %u, \"capacity_bps\": 1e6}], \"flows\": [{\"name\": \"f\", "
            "\"from\": \"R1\", \"to\": \"R%u\", \"algorithm\": \"tcp-sack\"}]}",
            n, n + 1);
        if (n == 64) {
            lab_scenario_free(load_good(content));
        } else {
            assert_bad(content, NULL, "flows.f.to = \"R66\": the way has 65 links, 64 are allowed");
        }
        g_free(content);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_route/the_way_back_comes_by_the_same_nodes",
                    test_the_way_back_comes_by_the_same_nodes);
    g_test_add_func("/scenario_route/delays_outside_the_links_make_up_the_round_trip",
                    test_delays_outside_the_links_make_up_the_round_trip);
    g_test_add_func("/scenario_route/only_unresponsive_flows_need_no_way_back",
                    test_only_unresponsive_flows_need_no_way_back);
    g_test_add_func("/scenario_route/ways_that_go_round_or_nowhere_are_refused",
                    test_ways_that_go_round_or_nowhere_are_refused);
    g_test_add_func("/scenario_route/a_way_has_64_links_at_most", test_a_way_has_64_links_at_most);
    return g_test_run();
}
