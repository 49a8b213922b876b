/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An algorithm of the program's own is there like any other; a table that is wrong is refused with
 * a sentence. */
#include "../../test.h"
#include "control/registry.h"
#include "weir/sender.h"
#include <math.h>

static void init(void *state, const struct weir_config *config)
{
    *(int64_t *)state = config->limits.start_bps;
}

static void get_output(const void *state, struct weir_control *control)
{
    *control = (struct weir_control){.rate_bps = *(const int64_t *)state,
                                     .window_bytes = WEIR_UNLIMITED_BYTES};
}

#define MINE                                                                                       \
    .description = "Mine.", .spec = "none", .needs = WEIR_HAS_REPORT_FORM,                         \
    .state_bytes = sizeof(int64_t), .init = init, .get_output = get_output

static enum weir_status add(const struct weir_controller *controller, char why[200])
{
    return weir_register_controller(controller, WEIR_CONTRACT_VERSION, why, 200);
}

static void what_is_wrong_is_named(void)
{
    static const struct weir_param above = WEIR_ROW_NUMBER("a", "1", 0.0, 1.0, 2.0, "Above.");
    static const struct weir_param half = WEIR_ROW_INTEGER("a", "1", 0.0, 1.0, 0.5, "Half.");
    static const struct weir_param unnamed = WEIR_ROW_NUMBER("A b", "1", 0.0, 1.0, 0.0, "Capital.");
    static const struct weir_param endless = WEIR_ROW_NUMBER("a", "1", 0.0, INFINITY, 0.0, "All.");
    static const char *const one[] = {"one", NULL};
    static const struct weir_param choice = {.name = "a",
                                             .unit = "1",
                                             .description = "Two.",
                                             .kind = WEIR_PARAM_CHOICE,
                                             .max = 1.0,
                                             .choices = one};
    static const struct {
        struct weir_controller wrong;
        enum weir_status status;
        const char *word;
    } rows[] = {
        {{.name = NULL, MINE}, WEIR_ERROR_ARGUMENT, "lower case"},
        {{.name = "", MINE}, WEIR_ERROR_ARGUMENT, "lower case"},
        {{.name = "My Own", MINE}, WEIR_ERROR_ARGUMENT, "My Own"},
        {{.name = "tfrc", MINE}, WEIR_ERROR_ARGUMENT, "already"},
        {{.name = "mine", .description = "", .spec = ""}, WEIR_ERROR_ARGUMENT, "init"},
        {{.name = "mine", .init = init, .get_output = get_output}, WEIR_ERROR_ARGUMENT, "spec"},
        {{.name = "mine",
          .description = "",
          .spec = "",
          .init = init,
          .get_output = get_output,
          .state_bytes = WEIR_STATE_MAX_BYTES + 1},
         WEIR_ERROR_RANGE,
         "4096"},
        {{.name = "mine", MINE, .params = &above, .n_params = 33}, WEIR_ERROR_RANGE, "32"},
        {{.name = "mine", MINE, .n_params = 1}, WEIR_ERROR_RANGE, "no table"},
        {{.name = "mine", MINE, .params = &above, .n_params = 1}, WEIR_ERROR_ARGUMENT, "default"},
        {{.name = "mine", MINE, .params = &half, .n_params = 1}, WEIR_ERROR_ARGUMENT, "default"},
        {{.name = "mine", MINE, .params = &unnamed, .n_params = 1}, WEIR_ERROR_ARGUMENT, "A b"},
        {{.name = "mine", MINE, .params = &endless, .n_params = 1}, WEIR_ERROR_ARGUMENT, "max"},
        {{.name = "mine", MINE, .params = &choice, .n_params = 1}, WEIR_ERROR_ARGUMENT, "choice"},
    };
    size_t before = weir_algorithm_count();
    char why[200] = "";
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpint(add(&rows[i].wrong, why), ==, rows[i].status);
        g_assert_nonnull(strstr(why, rows[i].word));
    }
    g_assert_cmpint(add(NULL, why), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_register_controller(NULL, WEIR_CONTRACT_VERSION, NULL, 0), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpuint(weir_algorithm_count(), ==, before);
}

/* Of another version nothing is read, not even a pointer that leads nowhere. */
static void another_version_of_the_contract_is_refused_unread(void)
{
    char why[200];
    const struct weir_controller *nowhere = (const void *)(uintptr_t)16;
    g_assert_cmpint(weir_register_controller(nowhere, WEIR_CONTRACT_VERSION + 1, why, sizeof why),
                    ==, WEIR_ERROR_UNSUPPORTED);
    g_assert_nonnull(strstr(why, "version 2 of the contract"));
}

static const struct weir_param params[] = {
    WEIR_ROW_NUMBER("gain", "1", 0.0, 1.0, 0.5, "A number."),
    WEIR_ROW_CHOICE("mode", 1, "A choice.", "one", "two"),
};

static void a_registered_algorithm_runs_in_a_session(void)
{
    static const struct weir_controller mine = {
        .name = "mine", MINE, .params = params, .n_params = G_N_ELEMENTS(params)};
    char why[200];
    size_t before = weir_algorithm_count();
    g_assert_cmpint(add(&mine, why), ==, WEIR_OK);
    g_assert_cmpint(add(&mine, why), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpuint(weir_algorithm_count(), ==, before + 1);
    g_assert_cmpstr(weir_algorithm_name(before), ==, "mine");

    struct weir_sender_config config;
    struct weir_output output;
    weir_sender_config_init(&config);
    config.algorithm = "mine";
    struct weir_sender *sender = weir_sender_create(&config, 0, NULL);
    g_assert_nonnull(sender);
    weir_sender_get_output(sender, &output);
    g_assert_cmpint(output.allowed_wire_bps, >, 0);
    weir_sender_destroy(sender);
}

static void there_is_room_for_64(void)
{
    static struct weir_controller many[WEIR_REGISTERED_MAX];
    static char names[WEIR_REGISTERED_MAX][16];
    char why[200];
    size_t n = 0;
    for (enum weir_status status = WEIR_OK; n < WEIR_REGISTERED_MAX && status == WEIR_OK; n++) {
        g_snprintf(names[n], sizeof names[n], "many-%u", (unsigned)n);
        many[n] = (struct weir_controller){.name = names[n], MINE};
        status = add(&many[n], why);
        g_assert_true(status == WEIR_OK || status == WEIR_ERROR_NO_SPACE);
    }
    g_assert_cmpuint(n, ==, WEIR_REGISTERED_MAX); /* one was there */
    g_assert_nonnull(strstr(why, "64"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(function) g_test_add_func("/register/" #function, function)
    TEST(what_is_wrong_is_named);
    TEST(another_version_of_the_contract_is_refused_unread);
    TEST(a_registered_algorithm_runs_in_a_session);
    TEST(there_is_room_for_64);
    return g_test_run();
}
