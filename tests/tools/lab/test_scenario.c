/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario.h"
#include "scenario_fixture.h"
#include "test.h"

static void test_the_example_of_the_docs_is_read(void)
{
    GError *error = NULL;
    struct lab_scenario *s = lab_scenario_load("call", NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(s->name, ==, "call");
    g_assert_cmpint(s->duration_ns, ==, WEIR_SECONDS(120));
    g_assert_cmpint(s->sample_ns, ==, WEIR_MS(100));
    g_assert_cmpint(s->from_ns, ==, 0);
    g_assert_cmpint(s->to_ns, ==, WEIR_SECONDS(120));
    g_assert_cmpint(s->bin_ns, ==, WEIR_SECONDS(1));
    g_assert_cmpint(s->fair_bps, ==, 0);
    g_assert_cmpuint(s->seed, ==, 1);
    g_assert_cmpuint(s->n_links, ==, 2);
    g_assert_cmpuint(s->n_flows, ==, 3);
    g_assert_cmpstr(s->links[1]->name, ==, "bottleneck.reverse");
    g_assert_cmpint(s->links[1]->config.capacity_bps, ==, 2000000);
    g_assert_cmpint(s->links[0]->config.queue.limit.bytes, ==, 75000);
    g_assert_cmpint(s->links[0]->config.delay_ns, ==, WEIR_MS(20));
    g_assert_cmpint(s->flows[0]->kind, ==, LAB_FLOW_MEDIA);
    g_assert_true(s->flows[0]->tested);
    g_assert_cmpstr(s->flows[0]->algorithm, ==, "tfrc");
    g_assert_cmpint(s->flows[0]->media.source.max_bps, ==, 1500000);
    g_assert_cmpint(s->flows[1]->kind, ==, LAB_FLOW_TCP);
    g_assert_cmpint(s->flows[1]->tcp.start_ns, ==, WEIR_SECONDS(20));
    g_assert_cmpint(s->flows[1]->tcp.stop_ns, ==, WEIR_NEVER_NS);
    g_assert_cmpint(s->flows[2]->udp.source.unit_bytes, ==, 1460);
    lab_scenario_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario/the_example_of_the_docs_is_read",
                    test_the_example_of_the_docs_is_read);
    return g_test_run();
}
