/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: the number of an algorithm, then "NAME=VALUE" lines as a user writes them; a name of one
 * character stands for one of the algorithm's parameters. What is refused is explained, what is
 * accepted is in its range and makes a session that runs. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "input.h"
#include "weir/controller.h"
#include "weir/sender.h"

enum { MAX_GIVEN = 8, TEXT_BYTES = 1000 };

/* The lines, cut in place. Returns how many there are. */
static size_t split(char *text, const struct weir_algorithm_info *info,
                    struct weir_param_value *given)
{
    size_t n = 0;
    for (char *line = strtok(text, "\n"); line != NULL && n < MAX_GIVEN;
         line = strtok(NULL, "\n")) {
        char *value = strchr(line, '=');
        if (value != NULL) {
            *value++ = '\0';
        }
        bool is_number = line[0] != '\0' && line[1] == '\0' && info->n_params > 0;
        given[n++] = (struct weir_param_value){
            .name = is_number ? info->params[(unsigned char)line[0] % info->n_params].name : line,
            .value_text = value,
            .value = (double)line[0]};
    }
    return n;
}

static bool is_allowed(const struct weir_algorithm_info *info, const char *name, double value)
{
    for (size_t i = 0; i < info->n_params; i++) {
        if (strcmp(info->params[i].name, name) == 0) {
            return value >= info->params[i].min && value <= info->params[i].max;
        }
    }
    return false;
}

static bool check_each(const struct weir_algorithm_info *info, const struct weir_param_value *given,
                       size_t n)
{
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        char why[200] = "";
        double value = NAN;
        enum weir_status status = weir_param_check(info->name, &given[i], &value, why, sizeof why);
        CHECK((status == WEIR_OK) == is_allowed(info, given[i].name, value));
        CHECK((status == WEIR_OK) == (why[0] == '\0'));
        CHECK(weir_param_check(info->name, &given[i], NULL, NULL, 0) == status);
        good = good && status == WEIR_OK;
    }
    return good;
}

static void check_session(const char *algorithm, const struct weir_param_value *given, size_t n,
                          bool good)
{
    struct weir_sender_config config;
    struct weir_output output;
    weir_sender_config_init(&config);
    config.algorithm = algorithm;
    struct weir_sender *sender = weir_sender_create(&config, 0, NULL);
    CHECK(sender != NULL);
    CHECK((weir_sender_set_params(sender, 0, given, n) == WEIR_OK) == good);
    weir_sender_on_timer(sender, WEIR_SECONDS(1));
    weir_sender_get_output(sender, &output);
    CHECK(output.target_media_bps >= config.limits.min_bps);
    CHECK(output.target_media_bps <= config.limits.max_bps);
    weir_sender_destroy(sender);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    const char *name = weir_algorithm_name(fuzz_take(&input) % weir_algorithm_count());
    struct weir_algorithm_info info = {.n_params = 0};
    struct weir_param_value given[MAX_GIVEN];
    char text[TEXT_BYTES + 1] = "";
    CHECK(weir_algorithm_get_info(name, &info) == WEIR_OK);
    memcpy(text, input.data, input.left < TEXT_BYTES ? input.left : TEXT_BYTES);
    size_t n = split(text, &info, given);
    check_session(name, given, n, check_each(&info, given, n));
    return 0;
}
