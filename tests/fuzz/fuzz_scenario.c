/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a scenario file of weir-lab. It is resolved and read, or refused with one line that says
 * why. What was resolved is a scenario too, and the same. */
#define _GNU_SOURCE
#include "scenario/scenario.h"

#include <string.h>

#include "check.h"
#include "memory_file.h"

/* Copies cost what they are: a hundred thousand flows take their time, and find nothing more. */
static gboolean asks_for_many(const uint8_t *data, size_t size)
{
    int digits = 0;
    for (size_t i = 0; i < size; i++) {
        digits = g_ascii_isdigit(data[i]) ? digits + 1 : 0;
        if (digits > 3) {
            return g_strstr_len((const char *)data, (gssize)size, "\"count\"") != NULL ||
                   g_strstr_len((const char *)data, (gssize)size, "\"vars\"") != NULL;
        }
    }
    return FALSE;
}

static struct lab_scenario *load(const void *data, size_t size)
{
    GError *error = NULL;
    struct memory_file file = memory_file_new(data, size);
    const struct lab_overrides overrides = {0};
    struct lab_scenario *scenario = lab_scenario_load(file.path, &overrides, &error);
    CHECK((scenario == NULL) == (error != NULL));
    CHECK(error == NULL || (error->message[0] != '\0' && strchr(error->message, '\n') == NULL));
    g_clear_error(&error);
    memory_file_remove(&file);
    return scenario;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lab_scenario *scenario = asks_for_many(data, size) ? NULL : load(data, size);
    if (scenario == NULL) {
        return 0;
    }
    char *text = lab_scenario_text(scenario);
    struct lab_scenario *again = load(text, strlen(text));
    CHECK(again != NULL);
    CHECK(again->n_flows == scenario->n_flows && again->n_links == scenario->n_links);
    CHECK(again->duration_ns == scenario->duration_ns);
    lab_scenario_free(again);
    lab_scenario_free(scenario);
    g_free(text);
    return 0;
}
