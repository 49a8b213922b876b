/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/link.h"
#include "scenario_fixture.h"
#include "test.h"

static struct lab_scenario *load_link(const char *more)
{
    char *to = g_strdup_printf("20, %s}", more);
    struct lab_scenario *scenario = load_with("20}", to);
    g_free(to);
    return scenario;
}

static void test_a_link_is_duplex_with_the_same_settings(void)
{
    struct lab_scenario *s = load_link("\"jitter_ms\": 2, \"jitter\": \"rfc8868\"");
    g_assert_cmpuint(s->n_links, ==, 2);
    g_assert_cmpstr(s->links[1]->name, ==, "b.reverse");
    g_assert_cmpstr(s->links[1]->from, ==, "R2");
    g_assert_cmpstr(s->links[1]->to, ==, "R1");
    for (guint i = 0; i < 2; i++) {
        g_assert_cmpint(s->links[i]->config.delay_ns, ==, WEIR_MS(20));
        g_assert_cmpint(s->links[i]->config.jitter_ns, ==, WEIR_MS(2));
        g_assert_cmpint(s->links[i]->config.jitter_model, ==, WEIR__JITTER_RFC8868);
        g_assert_cmpint(s->links[i]->config.queue.limit.packets, ==, 100);
        g_assert_cmpint(s->links[i]->config.reorder_delay_ns, ==, WEIR_MS(10));
    }
    g_assert_cmpuint(s->links[0]->config.seed, !=, s->links[1]->config.seed);
    lab_scenario_free(s);
}

static void test_reverse_changes_what_it_names(void)
{
    struct lab_scenario *s = load_link(
        "\"queue\": {\"packets\": 7}, \"schedule\": [{\"at_s\": 1, \"capacity_bps\": 5}], "
        "\"reverse\": {\"capacity_bps\": 99, \"queue\": {\"bytes\": 8000}}");
    const struct weir__link_config *there = &s->links[0]->config;
    const struct weir__link_config *back = &s->links[1]->config;
    g_assert_cmpint(there->queue.limit.packets, ==, 7);
    g_assert_cmpint(back->queue.limit.packets, ==, 0);
    g_assert_cmpint(back->queue.limit.bytes, ==, 8000);
    g_assert_cmpint(back->capacity_bps, ==, 99);
    g_assert_cmpuint(there->n_steps, ==, 1);
    g_assert_cmpuint(back->n_steps, ==, 0);
    g_assert_cmpint(back->delay_ns, ==, WEIR_MS(20));
    lab_scenario_free(s);
}

static void test_a_schedule_can_stand_for_the_capacity(void)
{
    struct lab_scenario *s = load_with("\"capacity_bps\": 1000000",
                                       "\"schedule\": [{\"at_s\": 0, \"capacity_bps\": 0}, "
                                       "{\"at_s\": 2, \"capacity_bps\": 4000}], "
                                       "\"schedule_repeat_s\": 3, \"queue\": {\"time_ms\": 1000}");
    g_assert_cmpint(s->links[0]->config.capacity_bps, ==, 0);
    g_assert_cmpuint(s->links[0]->config.n_steps, ==, 2);
    g_assert_cmpint(s->links[0]->config.period_ns, ==, WEIR_SECONDS(3));
    g_assert_cmpint(s->links[0]->config.queue.limit.bytes, ==, 500);
    lab_scenario_free(s);
}

static void test_a_delay_schedule_is_for_both_directions_unless_one_has_a_delay(void)
{
    struct lab_scenario *s = load_link("\"delay_schedule\": [{\"at_s\": 20, \"delay_ms\": 90.5}], "
                                       "\"delay_schedule_repeat_s\": 40");
    for (guint i = 0; i < 2; i++) {
        const struct weir__link_config *c = &s->links[i]->config;
        g_assert_cmpint(c->delay_ns, ==, WEIR_MS(20));
        g_assert_cmpuint(c->n_delay_steps, ==, 1);
        g_assert_cmpint(c->delay_steps[0].at_ns, ==, WEIR_SECONDS(20));
        g_assert_cmpint(c->delay_steps[0].delay_ns, ==, WEIR_US(90500));
        g_assert_cmpint(c->delay_period_ns, ==, WEIR_SECONDS(40));
    }
    lab_scenario_free(s);
    s = load_link("\"delay_schedule\": [{\"at_s\": 20, \"delay_ms\": 90}], "
                  "\"delay_schedule_repeat_s\": 40, \"reverse\": {\"delay_ms\": 20}");
    g_assert_cmpuint(s->links[0]->config.n_delay_steps, ==, 1);
    g_assert_cmpuint(s->links[1]->config.n_delay_steps, ==, 0);
    g_assert_cmpint(s->links[1]->config.delay_period_ns, ==, 0);
    lab_scenario_free(s);
}

static void test_a_trace_stands_for_the_capacity(void)
{
    struct lab_scenario *s = load_with(
        "\"capacity_bps\": 1000000", "\"trace_ms\": [2, 5, 5, 10], \"queue\": {\"time_ms\": 100}, "
                                     "\"reverse\": {\"capacity_bps\": 99}");
    g_assert_cmpuint(s->links[0]->config.n_trace, ==, 4);
    g_assert_cmpint(s->links[0]->config.trace_ms[3], ==, 10);
    g_assert_cmpint(s->links[0]->config.queue.limit.bytes, ==, 60000); /* at 4.8 Mbit/s */
    g_assert_cmpuint(s->links[1]->config.n_trace, ==, 0);
    g_assert_cmpint(s->links[1]->config.capacity_bps, ==, 99);
    lab_scenario_free(s);
    s = load_link("\"reverse\": {\"trace_ms\": [1]}"); /* which has the forward capacity_bps */
    g_assert_cmpuint(s->links[0]->config.n_trace, ==, 0);
    g_assert_cmpuint(s->links[1]->config.n_trace, ==, 1);
    lab_scenario_free(s);
}

static void test_a_link_has_one_service_each_way(void)
{
    struct lab_scenario *s =
        load_link("\"policer\": {\"rate_bps\": 2e6, \"burst_bytes\": 30000}, "
                  "\"shaper\": {\"rate_bps\": 3e6, \"burst_bytes\": 9000}, "
                  "\"reverse\": {\"policer\": {\"rate_bps\": 1e6, \"burst_bytes\": 1500}}");
    g_assert_cmpint(s->links[0]->config.policer.rate_bps, ==, 2000000);
    g_assert_cmpint(s->links[0]->config.shaper.burst_bytes, ==, 9000);
    g_assert_cmpint(s->links[0]->config.aggregation.packets, ==, 0);
    g_assert_cmpint(s->links[1]->config.policer.rate_bps, ==, 1000000);
    g_assert_cmpint(s->links[1]->config.shaper.rate_bps, ==, 3000000);
    lab_scenario_free(s);
    s = load_link("\"aggregation\": {\"access_ms\": 2.5}");
    g_assert_cmpint(s->links[0]->config.aggregation.access_ns, ==, WEIR_US(2500));
    g_assert_cmpint(s->links[0]->config.aggregation.packets, ==, 64);
    g_assert_cmpint(s->links[0]->config.aggregation.airtime_ns, ==, WEIR_MS(4));
    lab_scenario_free(s);
}

static void test_queue_and_loss_are_those_of_the_link(void)
{
    struct lab_scenario *s =
        load_link("\"queue\": {\"time_ms\": 100}, \"loss\": {\"model\": \"trace\", \"packets\": "
                  "[5, 17]}, \"reverse\": {\"loss\": {\"model\": \"none\"}}");
    g_assert_cmpint(s->links[0]->config.queue.limit.bytes, ==, 12500);
    g_assert_cmpint(s->links[0]->config.loss.trace_packets[1], ==, 17);
    g_assert_cmpint(s->links[1]->config.loss.model, ==, WEIR__LOSS_NONE);
    lab_scenario_free(s);
}

static void test_seeds_depend_on_seed_kind_and_name(void)
{
    uint64_t seed = lab_seed_for(1, "link", "a");
    g_assert_cmpuint(seed, ==, lab_seed_for(1, "link", "a"));
    g_assert_cmpuint(seed, !=, lab_seed_for(2, "link", "a"));
    g_assert_cmpuint(seed, !=, lab_seed_for(1, "flow", "a"));
    g_assert_cmpuint(seed, !=, lab_seed_for(1, "link", "b"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_link/a_link_is_duplex_with_the_same_settings",
                    test_a_link_is_duplex_with_the_same_settings);
    g_test_add_func("/scenario_link/reverse_changes_what_it_names",
                    test_reverse_changes_what_it_names);
    g_test_add_func("/scenario_link/a_schedule_can_stand_for_the_capacity",
                    test_a_schedule_can_stand_for_the_capacity);
    g_test_add_func("/scenario_link/a_delay_schedule_is_for_both_directions_unless_one_has_a_delay",
                    test_a_delay_schedule_is_for_both_directions_unless_one_has_a_delay);
    g_test_add_func("/scenario_link/a_trace_stands_for_the_capacity",
                    test_a_trace_stands_for_the_capacity);
    g_test_add_func("/scenario_link/a_link_has_one_service_each_way",
                    test_a_link_has_one_service_each_way);
    g_test_add_func("/scenario_link/queue_and_loss_are_those_of_the_link",
                    test_queue_and_loss_are_those_of_the_link);
    g_test_add_func("/scenario_link/seeds_depend_on_seed_kind_and_name",
                    test_seeds_depend_on_seed_kind_and_name);
    return g_test_run();
}
