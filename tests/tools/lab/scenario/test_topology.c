/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/topology.h"
#include "test.h"

/* "AB BC" makes links 0: A to B, 1: B to C. */
static struct lab_topology *make_topology(const char *links)
{
    struct lab_topology *topology = lab_topology_new();
    for (const char *at = links; *at != '\0'; at += at[2] == ' ' ? 3 : 2) {
        char from[] = {at[0], '\0'};
        char to[] = {at[1], '\0'};
        lab_topology_add_link(topology, from, to);
    }
    return topology;
}

/* "013", "-" for none. Free with g_free. */
static char *route(struct lab_topology *topology, const char *from, const char *to)
{
    GArray *links = g_array_new(FALSE, FALSE, sizeof(guint32));
    GString *text = g_string_new(NULL);
    if (!lab_topology_route(topology, from, to, links)) {
        g_assert_cmpuint(links->len, ==, 0);
        g_string_append_c(text, '-');
    }
    for (guint i = 0; i < links->len; i++) {
        g_string_append_printf(text, "%u", g_array_index(links, guint32, i));
    }
    g_array_unref(links);
    return g_string_free(text, FALSE);
}

static void test_the_way_with_the_fewest_links_is_taken(void)
{
    static const struct {
        const char *links, *from, *to, *way;
    } cases[] = {
        {"AB", "A", "B", "0"},
        {"AB", "B", "A", "-"},
        {"AB BC", "A", "C", "01"},
        {"AB BC AC", "A", "C", "2"},
        {"AB BC CD AD", "A", "D", "3"},
        {"AB AB", "A", "B", "0"},
        {"AC AB CD BD", "A", "D", "02"},
        {"AB AC CD BD", "A", "D", "03"},
        {"AB BA BC CB", "C", "A", "31"},
        {"AB CD", "A", "D", "-"},
        {"AB", "A", "X", "-"},
        {"AB", "X", "A", "-"},
        {"AB BC CA CD", "A", "D", "013"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_topology *topology = make_topology(cases[i].links);
        char *way = route(topology, cases[i].from, cases[i].to);
        g_test_message("%s: %s to %s", cases[i].links, cases[i].from, cases[i].to);
        g_assert_cmpstr(way, ==, cases[i].way);
        g_free(way);
        lab_topology_free(topology);
    }
}

static void test_searches_do_not_disturb_each_other(void)
{
    struct lab_topology *topology = make_topology("AB BC CD");
    for (guint i = 0; i < 3; i++) {
        static const char *const ways[][3] = {
            {"A", "D", "012"}, {"B", "D", "12"}, {"D", "A", "-"}, {"A", "B", "0"}};
        for (gsize k = 0; k < G_N_ELEMENTS(ways); k++) {
            char *way = route(topology, ways[k][0], ways[k][1]);
            g_assert_cmpstr(way, ==, ways[k][2]);
            g_free(way);
        }
    }
    lab_topology_free(topology);
}

static void test_routes_are_appended(void)
{
    struct lab_topology *topology = make_topology("AB BC");
    GArray *links = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_assert_true(lab_topology_route(topology, "A", "B", links));
    g_assert_true(lab_topology_route(topology, "B", "C", links));
    g_assert_cmpuint(links->len, ==, 2);
    g_assert_cmpuint(g_array_index(links, guint32, 0), ==, 0);
    g_assert_cmpuint(g_array_index(links, guint32, 1), ==, 1);
    g_array_unref(links);
    lab_topology_free(topology);
}

static void test_nodes_are_those_of_links(void)
{
    struct lab_topology *topology = make_topology("AB BC");
    const GPtrArray *nodes = lab_topology_nodes(topology);
    g_assert_cmpuint(nodes->len, ==, 3);
    g_assert_cmpstr(nodes->pdata[2], ==, "C");
    g_assert_true(lab_topology_has_node(topology, "A"));
    g_assert_false(lab_topology_has_node(topology, "D"));
    lab_topology_free(topology);
    lab_topology_free(NULL);
}

/* Against the lengths that the Floyd-Warshall recurrence gives. */
static void test_no_way_is_longer_than_needed(void)
{
    enum { NODES = 7, FAR = 100 };
    for (guint run = 0; run < 300; run++) {
        guint least[NODES][NODES];
        struct lab_topology *topology = lab_topology_new();
        for (guint i = 0; i < NODES; i++) {
            for (guint j = 0; j < NODES; j++) {
                char from[] = {(char)('A' + i), '\0'};
                char to[] = {(char)('A' + j), '\0'};
                least[i][j] = i == j ? 0 : FAR;
                if (i != j && g_test_rand_int_range(0, 4) == 0) {
                    lab_topology_add_link(topology, from, to);
                    least[i][j] = 1;
                }
            }
        }
        for (guint k = 0; k < NODES; k++) {
            for (guint i = 0; i < NODES; i++) {
                for (guint j = 0; j < NODES; j++) {
                    least[i][j] = MIN(least[i][j], least[i][k] + least[k][j]);
                }
            }
        }
        for (guint i = 0; i < NODES * NODES; i++) {
            char from[] = {(char)('A' + i / NODES), '\0'};
            char to[] = {(char)('A' + i % NODES), '\0'};
            GArray *links = g_array_new(FALSE, FALSE, sizeof(guint32));
            gboolean found = lab_topology_route(topology, from, to, links);
            if (i / NODES != i % NODES) {
                g_assert_true(found == (least[i / NODES][i % NODES] < FAR));
            }
            if (found) {
                g_assert_cmpuint(links->len, ==, least[i / NODES][i % NODES]);
            }
            g_array_unref(links);
        }
        lab_topology_free(topology);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/routing/the_way_with_the_fewest_links_is_taken",
                    test_the_way_with_the_fewest_links_is_taken);
    g_test_add_func("/routing/searches_do_not_disturb_each_other",
                    test_searches_do_not_disturb_each_other);
    g_test_add_func("/routing/routes_are_appended", test_routes_are_appended);
    g_test_add_func("/routing/nodes_are_those_of_links", test_nodes_are_those_of_links);
    g_test_add_func("/routing/no_way_is_longer_than_needed", test_no_way_is_longer_than_needed);
    return g_test_run();
}
