/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/world.h"
#include "tools/lab/lab_fixture.h"

#define LINK                                                                                       \
    "\"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\", \"capacity_bps\": 1000000,"     \
    " \"delay_ms\": 20, \"loss\": {\"model\": \"bernoulli\", \"p\": 0.05}}]"
#define SPEECH                                                                                     \
    "{\"name\": \"speech\", \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\","               \
    " \"source\": {\"kind\": \"pareto\", \"rate_bps\": 100000}}"
#define OTHER                                                                                      \
    "{\"name\": \"other\", \"from\": \"B\", \"to\": \"A\", \"algorithm\": \"udp\","                \
    " \"source\": {\"kind\": \"pareto\", \"rate_bps\": 100000}}"

static struct lab_counts counts_of(const char *json, guint flow, uint64_t seed)
{
    struct lab_counts counts;
    struct lab_scenario *scenario = fixture_scenario(json, seed);
    struct lab_world *world = lab_world_create(scenario, FALSE, NULL);
    g_assert_nonnull(world);
    weir__sim_run_until(lab_world_sim(world), scenario->duration_ns);
    lab_world_count(world, flow, &counts);
    lab_world_destroy(world);
    lab_scenario_free(scenario);
    return counts;
}

static void test_every_packet_of_every_flow_is_accounted_for(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct lab_scenario *scenario = fixture_scenario(FIXTURE, seed);
        struct lab_world *world = lab_world_create(scenario, TRUE, NULL);
        weir__sim_run_until(lab_world_sim(world), scenario->duration_ns);
        for (guint i = 0; i < scenario->n_flows; i++) {
            struct lab_counts counts;
            lab_world_count(world, i, &counts);
            const struct weir__packet_counters *route = &counts.route;
            int64_t gone = route->delivered_packets + route->dropped_packets + route->lost_packets;
            g_assert_cmpint(lab_counts_entered_packets(route), >, 0);
            g_assert_cmpint(gone, <=, lab_counts_entered_packets(route));
            g_assert_cmpint(lab_counts_entered_packets(route) - gone, <=, 100); /* inside */
            g_assert_cmpint(counts.meter.sent_packets, <=, lab_counts_entered_packets(route));
            g_assert_cmpint(counts.meter.received_packets, <=, route->delivered_packets);
            g_assert_cmpint(counts.meter.goodput_bytes, <=, counts.meter.received_bytes);
        }
        lab_world_destroy(world);
        lab_scenario_free(scenario);
    }
}

static void test_another_flow_changes_no_draws_of_those_that_are_there(void)
{
    static const char alone[] = "{\"duration_s\": 50, " LINK ", \"flows\": [" SPEECH "]}";
    static const char after[] =
        "{\"duration_s\": 50, " LINK ", \"flows\": [" SPEECH ", " OTHER "]}";
    static const char before[] =
        "{\"duration_s\": 50, " LINK ", \"flows\": [" OTHER ", " SPEECH "]}";
    struct lab_counts a = counts_of(alone, 0, 7);
    struct lab_counts b = counts_of(after, 0, 7);
    struct lab_counts c = counts_of(before, 1, 7);
    g_assert_cmpint(a.meter.sent_packets, >, 0);
    g_assert_cmpint(a.meter.sent_packets, ==, b.meter.sent_packets);
    g_assert_cmpint(a.meter.received_packets, ==, b.meter.received_packets);
    g_assert_cmpint(a.meter.sent_packets, ==, c.meter.sent_packets);
    g_assert_cmpint(a.meter.received_packets, ==, c.meter.received_packets);
}

static void test_flows_draw_independently_and_by_the_seed(void)
{
    static const char both[] = "{\"duration_s\": 50, " LINK ", \"flows\": [" SPEECH ", " OTHER "]}";
    g_assert_cmpint(counts_of(both, 0, 7).meter.sent_packets, !=,
                    counts_of(both, 1, 7).meter.sent_packets);
    g_assert_cmpint(counts_of(both, 0, 7).meter.sent_packets, !=,
                    counts_of(both, 0, 8).meter.sent_packets);
}

/* On an idle link it does not matter where the delay is, as long as all of it is there. */
static void test_a_delay_at_the_receiver_counts_as_one_at_the_sender(void)
{
    static const char idle[] =
        "{\"duration_s\": 2, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
        " \"capacity_bps\": 100000000}], \"flows\": [{\"name\": \"f\", \"from\": \"A\", \"to\": "
        "\"B\", \"algorithm\": \"tcp-sack\", \"access_ms\": %d, \"receiver_access_share\": %s}]}";
    static const char *const shares[] = {"0", "0.3", "1"};
    int64_t sent[2][3];
    for (gsize i = 0; i < 6; i++) {
        char *json = g_strdup_printf(idle, i < 3 ? 50 : 70, shares[i % 3]);
        sent[i / 3][i % 3] = counts_of(json, 0, 1).meter.sent_packets;
        g_free(json);
    }
    for (gsize i = 0; i < 3; i++) {
        g_assert_cmpint(sent[0][i], ==, sent[0][0]);
        g_assert_cmpint(sent[0][i], >, sent[1][i]);
    }
}

static void test_histograms_are_only_made_when_wanted(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    for (int wanted = 0; wanted <= 1; wanted++) {
        struct lab_world *world = lab_world_create(scenario, wanted, NULL);
        for (guint i = 0; i < scenario->n_flows; i++) {
            g_assert_cmpint(lab_world_meter(world, i)->delay != NULL, ==, wanted);
        }
        lab_world_destroy(world);
    }
    lab_scenario_free(scenario);
}

static void test_packets_are_counted_where_they_enter(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    struct lab_world *world = lab_world_create(scenario, FALSE, NULL);
    int64_t sent = 0;
    g_assert_cmpint(lab_world_packets(world), ==, 0);
    weir__sim_run_until(lab_world_sim(world), scenario->duration_ns);
    for (guint i = 0; i < scenario->n_flows; i++) {
        sent += lab_world_meter(world, i)->sent_packets;
    }
    g_assert_cmpint(lab_world_packets(world), >, sent); /* ACKs and RTCP are packets too */
    lab_world_destroy(world);
    lab_scenario_free(scenario);
}

static void test_algorithms_of_the_library_tell_their_variables(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    struct lab_world *world = lab_world_create(scenario, FALSE, NULL);
    for (guint i = 0; i < scenario->n_flows; i++) {
        struct lab_variables variables;
        lab_world_get_variables(world, i, &variables);
        g_assert_cmpuint(variables.n > 0, ==, scenario->flows[i]->kind == LAB_FLOW_MEDIA);
    }
    lab_world_destroy(world);
    lab_scenario_free(scenario);
}

static void test_what_the_library_refuses_is_named(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    GError *error = NULL;
    scenario->links[0]->config.capacity_bps = -1;
    g_assert_null(lab_world_create(scenario, FALSE, &error));
    g_assert_nonnull(strstr(error->message, "link 'l'"));
    g_clear_error(&error);
    scenario->links[0]->config.capacity_bps = 1000000;
    scenario->flows[0]->media.buffer_packets = 0;
    g_assert_null(lab_world_create(scenario, FALSE, &error));
    g_assert_nonnull(strstr(error->message, "flow 'call'"));
    g_clear_error(&error);
    lab_scenario_free(scenario);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/world/every_packet_of_every_flow_is_accounted_for",
                    test_every_packet_of_every_flow_is_accounted_for);
    g_test_add_func("/world/another_flow_changes_no_draws_of_those_that_are_there",
                    test_another_flow_changes_no_draws_of_those_that_are_there);
    g_test_add_func("/world/flows_draw_independently_and_by_the_seed",
                    test_flows_draw_independently_and_by_the_seed);
    g_test_add_func("/world/a_delay_at_the_receiver_counts_as_one_at_the_sender",
                    test_a_delay_at_the_receiver_counts_as_one_at_the_sender);
    g_test_add_func("/world/histograms_are_only_made_when_wanted",
                    test_histograms_are_only_made_when_wanted);
    g_test_add_func("/world/packets_are_counted_where_they_enter",
                    test_packets_are_counted_where_they_enter);
    g_test_add_func("/world/algorithms_of_the_library_tell_their_variables",
                    test_algorithms_of_the_library_tell_their_variables);
    g_test_add_func("/world/what_the_library_refuses_is_named",
                    test_what_the_library_refuses_is_named);
    return g_test_run();
}
