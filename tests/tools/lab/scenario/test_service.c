/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/json.h"
#include "scenario/service.h"
#include "test.h"
#include "weir/units.h"

static const struct lab_place file = {.name = "f"};

static void test_a_token_bucket_has_a_rate_and_a_burst(void)
{
    static const char json[] = "{\"rate_bps\": 2e6, \"burst_bytes\": 30000}";
    struct weir__token_bucket_config bucket = {0, 0};
    JsonNode *node = lab_json_parse(json, strlen(json), "f", NULL);
    g_assert_true(lab_token_bucket_read(&file, NULL, &bucket, NULL));
    g_assert_cmpint(bucket.rate_bps, ==, 0);
    g_assert_true(lab_token_bucket_read(&file, node, &bucket, NULL));
    g_assert_cmpint(bucket.rate_bps, ==, 2000000);
    g_assert_cmpint(bucket.burst_bytes, ==, 30000);
    g_assert_cmpint(weir__token_bucket_check(&bucket), ==, WEIR_OK);
    json_node_unref(node);
}

static void test_aggregates_have_the_defaults_of_the_page(void)
{
    static const char json[] = "{\"access_ms\": 2.5}";
    struct weir__aggregation_config aggregation = {0, 0, 0};
    JsonNode *node = lab_json_parse(json, strlen(json), "f", NULL);
    g_assert_true(lab_aggregation_read(&file, NULL, &aggregation, NULL));
    g_assert_cmpint(aggregation.packets, ==, 0);
    g_assert_true(lab_aggregation_read(&file, node, &aggregation, NULL));
    g_assert_cmpint(aggregation.packets, ==, 64);
    g_assert_cmpint(aggregation.airtime_ns, ==, WEIR_MS(4));
    g_assert_cmpint(aggregation.access_ns, ==, WEIR_US(2500));
    g_assert_cmpint(weir__aggregation_check(&aggregation), ==, WEIR_OK);
    json_node_unref(node);
}

static void test_what_is_missing_or_too_much_is_an_error(void)
{
    static const struct {
        const char *json, *message;
        gboolean is_bucket;
    } cases[] = {
        {"{\"rate_bps\": 1}",
         "f: burst_bytes: is missing; it must be a whole number from 1 to 1000000000", TRUE},
        {"{\"rate_bps\": 0, \"burst_bytes\": 1}",
         "f: rate_bps = 0: must be a number from 1 to 1000000000000", TRUE},
        {"{}", "f: access_ms: is missing; it must be a number from 0 to 3600000", FALSE},
        {"{\"packets\": 65537, \"access_ms\": 1}",
         "f: packets = 65537: must be a whole number from 1 to 65536", FALSE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__token_bucket_config bucket;
        struct weir__aggregation_config aggregation;
        GError *error = NULL;
        JsonNode *node = lab_json_parse(cases[i].json, strlen(cases[i].json), "f", NULL);
        g_assert_false(cases[i].is_bucket
                           ? lab_token_bucket_read(&file, node, &bucket, &error)
                           : lab_aggregation_read(&file, node, &aggregation, &error));
        g_assert_cmpstr(error->message, ==, cases[i].message);
        g_error_free(error);
        json_node_unref(node);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_service/a_token_bucket_has_a_rate_and_a_burst",
                    test_a_token_bucket_has_a_rate_and_a_burst);
    g_test_add_func("/scenario_service/aggregates_have_the_defaults_of_the_page",
                    test_aggregates_have_the_defaults_of_the_page);
    g_test_add_func("/scenario_service/what_is_missing_or_too_much_is_an_error",
                    test_what_is_missing_or_too_much_is_an_error);
    return g_test_run();
}
