/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a trace (docs/trace.md). The recorded algorithm runs on it again, or one line says what is
 * wrong and where. */
#define _GNU_SOURCE
#include "replay/trace_replay.h"

#include <string.h>

#include "check.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GError *error = NULL;
    struct lab_replay_result result = {0};
    struct memory_file file = memory_file_new(data, size);
    const struct lab_replay_options options = {.location = file.path};
    gboolean ok = lab_replay_run(&options, &result, &error);
    CHECK(ok == (error == NULL));
    CHECK(error == NULL || error->message[0] != '\0');
    if (ok) {
        char *text = lab_replay_to_json(&result);
        CHECK(result.records >= 0 && result.differences <= result.decisions);
        g_free(text);
    }
    g_clear_error(&error);
    lab_replay_result_clear(&result);
    memory_file_remove(&file);
    return 0;
}
