/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/queue.h"
#include "test.h"
#include "weir/units.h"

/* At 1 Mbit/s; NULL = the default. */
static gboolean read_queue(const char *json, struct weir__queue_config *queue, GError **error)
{
    struct lab_place file = {
        .name = "f", .node = json != NULL ? json_loads(json, 0, NULL) : NULL, .error = error};
    gboolean good = lab_queue_read(&file, 1000000, WEIR_MS(20), queue);
    json_decref(file.node);
    return good;
}

static void test_a_limit_in_time_is_bytes_at_the_capacity(void)
{
    static const struct {
        const char *json;
        int64_t packets, bytes;
    } cases[] = {
        {"{\"time_ms\": 100}", 0, 12500},
        {"{\"time_ms\": 100, \"bytes\": 9000}", 0, 9000},
        {"{\"time_ms\": 100, \"bytes\": 90000, \"packets\": 3}", 3, 12500},
        {"{\"time_ms\": 0.001}", 0, 1},
        {"{}", 100, 0},
        {NULL, 100, 0},
        {"{\"discipline\": \"red\"}", 100, 0},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__queue_config queue;
        g_assert_true(read_queue(cases[i].json, &queue, NULL));
        g_assert_cmpint(queue.limit.packets, ==, cases[i].packets);
        g_assert_cmpint(queue.limit.bytes, ==, cases[i].bytes);
        g_assert_cmpint(queue.limit.time_ns, ==, 0);
    }
}

static void test_red_has_the_papers_defaults(void)
{
    struct weir__queue_config queue;
    g_assert_true(read_queue("{\"discipline\": \"red\", \"min_packets\": 10, \"max_packets\": 40, "
                             "\"weight\": 0.002, \"ecn\": true}",
                             &queue, NULL));
    g_assert_cmpint(queue.discipline, ==, WEIR__QUEUE_RED);
    assert_near(queue.red.min_packets, 10, 1e-12);
    assert_near(queue.red.max_packets, 40, 1e-12);
    assert_near(queue.red.weight, 0.002, 1e-12);
    assert_near(queue.red.max_p, 0.1, 1e-12);
    g_assert_cmpint(queue.red.mean_packet_bytes, ==, 500);
    g_assert_true(queue.red.gentle && queue.red.wait && queue.red.mark_ecn);
    g_assert_false(queue.red.byte_mode);
}

static void test_codel_has_the_defaults_of_its_rfc(void)
{
    struct weir__queue_config queue;
    g_assert_true(read_queue("{\"discipline\": \"codel\"}", &queue, NULL));
    g_assert_cmpint(queue.discipline, ==, WEIR__QUEUE_CODEL);
    g_assert_cmpint(queue.codel.target_ns, ==, WEIR_MS(5));
    g_assert_cmpint(queue.codel.interval_ns, ==, WEIR_MS(100));
    g_assert_cmpint(queue.codel.max_packet_bytes, ==, 1500);
    g_assert_false(queue.codel.mark_ecn);
    g_assert_true(read_queue("{\"discipline\": \"fq_codel\", \"target_ms\": 15, \"ecn\": true, "
                             "\"quantum_bytes\": 300}",
                             &queue, NULL));
    g_assert_cmpint(queue.discipline, ==, WEIR__QUEUE_FQ_CODEL);
    g_assert_cmpint(queue.codel.target_ns, ==, WEIR_MS(15));
    g_assert_true(queue.codel.mark_ecn);
    g_assert_cmpint(queue.fq_codel.flows, ==, 1024);
    g_assert_cmpint(queue.fq_codel.quantum_bytes, ==, 300);
}

static void test_what_is_no_queue_is_an_error(void)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{\"discipline\": \"cake\"}",
         "f: discipline = \"cake\": must be one of droptail, red, codel, fq_codel, pie, dualpi2"},
        {"{\"packets\": 0}", "f: packets = 0: must be a whole number from 1 to 1000000000"},
        {"{\"discipline\": \"red\", \"min_packets\": 9, \"max_packets\": 8}",
         "f: RED needs min_packets less than max_packets (0 = automatic)"},
        {"{\"target_ms\": 5}", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__queue_config queue;
        GError *error = NULL;
        g_assert_false(read_queue(cases[i].json, &queue, &error));
        g_test_message("%s", error->message);
        if (cases[i].message != NULL) {
            g_assert_cmpstr(error->message, ==, cases[i].message);
        }
        g_error_free(error);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_queue/a_limit_in_time_is_bytes_at_the_capacity",
                    test_a_limit_in_time_is_bytes_at_the_capacity);
    g_test_add_func("/scenario_queue/red_has_the_papers_defaults",
                    test_red_has_the_papers_defaults);
    g_test_add_func("/scenario_queue/codel_has_the_defaults_of_its_rfc",
                    test_codel_has_the_defaults_of_its_rfc);
    g_test_add_func("/scenario_queue/what_is_no_queue_is_an_error",
                    test_what_is_no_queue_is_an_error);
    return g_test_run();
}
