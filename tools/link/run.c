/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"
#include "error.h"
#include <stdarg.h>
#include <string.h>

static GStrv read_words(const char *first, va_list others)
{
    GStrvBuilder *words = g_strv_builder_new();
    g_strv_builder_add(words, "ip");
    for (const char *word = first; word; word = va_arg(others, const char *)) {
        g_strv_builder_add(words, word);
    }
    GStrv all = g_strv_builder_end(words);
    g_strv_builder_unref(words);
    return all;
}

static gboolean is_refusal(const char *said)
{
    return strstr(said, "not permitted") || strstr(said, "ermission denied");
}

/* TRUE when ip said that it worked; else the error is what it said. */
gboolean link_run_ip(GError **error, const char *first, ...)
{
    va_list others;
    va_start(others, first);
    GStrv words = read_words(first, others);
    va_end(others);
    char *said = NULL;
    GError *failure = NULL;
    int status = 0;
    gboolean good =
        g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL,
                     NULL, NULL, &said, &status, &failure);
    if (!good) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_NOT_PERMITTED, "needs ip (iproute2): %s",
                    failure->message);
        g_error_free(failure);
    } else if (!g_spawn_check_wait_status(status, NULL)) {
        char *line = g_strjoinv(" ", words);
        good = FALSE;
        g_set_error(error, LINK_ERROR,
                    is_refusal(said) ? LINK_EXIT_NOT_PERMITTED : LINK_EXIT_FAILED, "%s: %s", line,
                    g_strstrip(said));
        g_free(line);
    }
    g_free(said);
    g_strfreev(words);
    return good;
}
