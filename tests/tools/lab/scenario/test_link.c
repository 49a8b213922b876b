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

static void test_a_limit_in_time_is_bytes_at_the_capacity(void)
{
    static const struct {
        const char *queue;
        int64_t packets, bytes;
    } cases[] = {
        {"{\"time_ms\": 100}", 0, 12500},
        {"{\"time_ms\": 100, \"bytes\": 9000}", 0, 9000},
        {"{\"time_ms\": 100, \"bytes\": 90000, \"packets\": 3}", 3, 12500},
        {"{\"time_ms\": 0.001}", 0, 1},
        {"{}", 100, 0},
        {"{\"discipline\": \"red\"}", 100, 0},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *more = g_strdup_printf("\"queue\": %s", cases[i].queue);
        struct lab_scenario *s = load_link(more);
        g_assert_cmpint(s->links[0]->config.queue.limit.packets, ==, cases[i].packets);
        g_assert_cmpint(s->links[0]->config.queue.limit.bytes, ==, cases[i].bytes);
        g_assert_cmpint(s->links[0]->config.queue.limit.time_ns, ==, 0);
        lab_scenario_free(s);
        g_free(more);
    }
}

static void test_red_has_the_papers_defaults(void)
{
    struct lab_scenario *s = load_link("\"queue\": {\"discipline\": \"red\", \"min_packets\": 10, "
                                       "\"max_packets\": 40, \"weight\": 0.002, \"ecn\": true}");
    const struct weir__queue_config *q = &s->links[0]->config.queue;
    g_assert_cmpint(q->discipline, ==, WEIR__QUEUE_RED);
    assert_near(q->red.min_packets, 10, 1e-12);
    assert_near(q->red.max_packets, 40, 1e-12);
    assert_near(q->red.weight, 0.002, 1e-12);
    assert_near(q->red.max_p, 0.1, 1e-12);
    g_assert_cmpint(q->red.mean_packet_bytes, ==, 500);
    g_assert_true(q->red.gentle && q->red.wait && q->red.mark_ecn);
    g_assert_false(q->red.byte_mode);
    lab_scenario_free(s);
}

static void test_codel_has_the_defaults_of_its_rfc(void)
{
    struct lab_scenario *s = load_link("\"queue\": {\"discipline\": \"codel\"}");
    const struct weir__queue_config *q = &s->links[0]->config.queue;
    g_assert_cmpint(q->discipline, ==, WEIR__QUEUE_CODEL);
    g_assert_cmpint(q->codel.target_ns, ==, WEIR_MS(5));
    g_assert_cmpint(q->codel.interval_ns, ==, WEIR_MS(100));
    g_assert_cmpint(q->codel.max_packet_bytes, ==, 1500);
    g_assert_false(q->codel.mark_ecn);
    lab_scenario_free(s);
    s = load_link("\"queue\": {\"discipline\": \"fq_codel\", \"target_ms\": 15, \"ecn\": true, "
                  "\"quantum_bytes\": 300}");
    q = &s->links[0]->config.queue;
    g_assert_cmpint(q->discipline, ==, WEIR__QUEUE_FQ_CODEL);
    g_assert_cmpint(q->codel.target_ns, ==, WEIR_MS(15));
    g_assert_true(q->codel.mark_ecn);
    g_assert_cmpint(q->fq_codel.flows, ==, 1024);
    g_assert_cmpint(q->fq_codel.quantum_bytes, ==, 300);
    lab_scenario_free(s);
}

static void test_each_loss_model_is_read(void)
{
    static const struct {
        const char *loss;
        enum weir__loss_model model;
    } cases[] = {
        {"{\"model\": \"none\"}", WEIR__LOSS_NONE},
        {"{\"model\": \"bernoulli\", \"p\": 0.01}", WEIR__LOSS_BERNOULLI},
        {"{\"model\": \"gilbert\", \"p_good_to_bad\": 0.1, \"p_bad_to_good\": 0.2, "
         "\"p_loss_good\": 0, \"p_loss_bad\": 1}",
         WEIR__LOSS_GILBERT},
        {"{\"model\": \"periodic\", \"every_packets\": 100}", WEIR__LOSS_PERIODIC},
        {"{\"model\": \"timed\", \"mean_s\": 5}", WEIR__LOSS_TIMED},
        {"{\"model\": \"counted\", \"mean_packets\": 9, \"variation\": 0}", WEIR__LOSS_COUNTED},
        {"{\"model\": \"trace\", \"packets\": [5, 17]}", WEIR__LOSS_TRACE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *more = g_strdup_printf("\"loss\": %s", cases[i].loss);
        struct lab_scenario *s = load_link(more);
        const struct weir__loss_config *loss = &s->links[0]->config.loss;
        g_assert_cmpint(loss->model, ==, cases[i].model);
        g_assert_cmpint(weir__loss_check(loss), ==, WEIR_OK);
        if (loss->model == WEIR__LOSS_TRACE) {
            g_assert_cmpuint(loss->n_trace, ==, 2);
            g_assert_cmpint(loss->trace_packets[1], ==, 17);
        } else if (loss->model == WEIR__LOSS_TIMED) {
            g_assert_cmpint(loss->mean_ns, ==, WEIR_SECONDS(5));
            assert_near(loss->variation, 0.5, 1e-12);
        }
        lab_scenario_free(s);
        g_free(more);
    }
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

static void test_policer_shaper_and_aggregation_are_read(void)
{
    struct lab_scenario *s =
        load_link("\"policer\": {\"rate_bps\": 2e6, \"burst_bytes\": 30000}, "
                  "\"shaper\": {\"rate_bps\": 3e6, \"burst_bytes\": 9000}, "
                  "\"reverse\": {\"policer\": {\"rate_bps\": 1e6, \"burst_bytes\": 1500}}");
    g_assert_cmpint(s->links[0]->config.policer.rate_bps, ==, 2000000);
    g_assert_cmpint(s->links[0]->config.policer.burst_bytes, ==, 30000);
    g_assert_cmpint(s->links[0]->config.shaper.rate_bps, ==, 3000000);
    g_assert_cmpint(s->links[0]->config.shaper.burst_bytes, ==, 9000);
    g_assert_cmpint(s->links[0]->config.aggregation.packets, ==, 0);
    g_assert_cmpint(s->links[1]->config.policer.rate_bps, ==, 1000000);
    g_assert_cmpint(s->links[1]->config.shaper.rate_bps, ==, 3000000);
    lab_scenario_free(s);
    s = load_link("\"aggregation\": {\"access_ms\": 2.5}");
    g_assert_cmpint(s->links[0]->config.aggregation.packets, ==, 64);
    g_assert_cmpint(s->links[0]->config.aggregation.airtime_ns, ==, WEIR_MS(4));
    g_assert_cmpint(s->links[0]->config.aggregation.access_ns, ==, WEIR_US(2500));
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
    g_test_add_func("/scenario_link/a_limit_in_time_is_bytes_at_the_capacity",
                    test_a_limit_in_time_is_bytes_at_the_capacity);
    g_test_add_func("/scenario_link/red_has_the_papers_defaults", test_red_has_the_papers_defaults);
    g_test_add_func("/scenario_link/codel_has_the_defaults_of_its_rfc",
                    test_codel_has_the_defaults_of_its_rfc);
    g_test_add_func("/scenario_link/each_loss_model_is_read", test_each_loss_model_is_read);
    g_test_add_func("/scenario_link/a_schedule_can_stand_for_the_capacity",
                    test_a_schedule_can_stand_for_the_capacity);
    g_test_add_func("/scenario_link/a_delay_schedule_is_for_both_directions_unless_one_has_a_delay",
                    test_a_delay_schedule_is_for_both_directions_unless_one_has_a_delay);
    g_test_add_func("/scenario_link/a_trace_stands_for_the_capacity",
                    test_a_trace_stands_for_the_capacity);
    g_test_add_func("/scenario_link/policer_shaper_and_aggregation_are_read",
                    test_policer_shaper_and_aggregation_are_read);
    g_test_add_func("/scenario_link/seeds_depend_on_seed_kind_and_name",
                    test_seeds_depend_on_seed_kind_and_name);
    return g_test_run();
}
