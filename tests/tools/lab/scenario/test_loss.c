/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/loss.h"
#include "test.h"
#include "weir/units.h"

static gboolean read_loss(const char *json, struct weir__link_loss_config *loss, int64_t **packets,
                          GError **error)
{
    struct lab_place file = {
        .name = "f", .node = json != NULL ? json_loads(json, 0, NULL) : NULL, .error = error};
    *loss = (struct weir__link_loss_config){.model = WEIR__LOSS_NONE};
    *packets = NULL;
    gboolean good = lab_loss_read(&file, loss, packets);
    json_decref(file.node);
    return good;
}

static void test_each_model_is_read(void)
{
    static const struct {
        const char *json;
        enum weir__link_loss_model model;
    } cases[] = {
        {NULL, WEIR__LOSS_NONE},
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
        struct weir__link_loss_config loss;
        int64_t *packets = NULL;
        g_assert_true(read_loss(cases[i].json, &loss, &packets, NULL));
        g_assert_cmpint(loss.model, ==, cases[i].model);
        g_assert_cmpint(weir__link_loss_check(&loss), ==, WEIR_OK);
        if (loss.model == WEIR__LOSS_TRACE) {
            g_assert_cmpuint(loss.n_trace, ==, 2);
            g_assert_true(loss.trace_packets == packets);
            g_assert_cmpint(packets[1], ==, 17);
        } else if (loss.model == WEIR__LOSS_TIMED) {
            g_assert_cmpint(loss.mean_ns, ==, WEIR_SECONDS(5));
            assert_near(loss.variation, 0.5, 1e-12);
        }
        g_free(packets);
    }
}

static void test_what_is_no_loss_is_an_error(void)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{\"p\": 0.1}", "f: model: is missing; it must be one of none, bernoulli, gilbert, "
                         "periodic, timed, counted, trace"},
        {"{\"model\": \"bernoulli\", \"p\": 2}", "f: p = 2: must be a number from 0 to 1"},
        {"{\"model\": \"trace\", \"packets\": [5, 5]}",
         "f: packets = [...]: must be ascending, which 5 is not"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__link_loss_config loss;
        int64_t *packets = NULL;
        GError *error = NULL;
        g_assert_false(read_loss(cases[i].json, &loss, &packets, &error));
        g_assert_cmpstr(error->message, ==, cases[i].message);
        g_error_free(error);
        g_free(packets);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_loss/each_model_is_read", test_each_model_is_read);
    g_test_add_func("/scenario_loss/what_is_no_loss_is_an_error", test_what_is_no_loss_is_an_error);
    return g_test_run();
}
