/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugins.h"
#include "command.h"
#include "loader/loader.h"
#include "scenario/error.h"
#include "weir/controller.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define SENTENCE_BYTES 1024

/* Algorithms before those of the first plugin: the library's own. */
static size_t n_own;

/* Written before a signal may come, read by its handler. */
static char sentence[SENTENCE_BYTES];

/* Whose code it was cannot be told for sure; a run without plugins does not come here. */
static void on_crash(int number)
{
    (void)number;
    ssize_t written = write(STDERR_FILENO, sentence, strlen(sentence));
    _exit(written < 0 ? LAB_EXIT_WRONG : LAB_EXIT_FAILED);
}

static void name_in_a_crash(const char *files)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    g_autofree char *before = g_strdup(sentence[0] ? strstr(sentence, "of ") + 3 : "");
    before[strcspn(before, "\n")] = '\0';
    g_snprintf(sentence, sizeof sentence, "weir-lab: the run crashed with algorithms of %s%s%s\n",
               before, before[0] ? ", " : "", files);
    for (gsize i = 0; i < G_N_ELEMENTS(signals); i++) {
        signal(signals[i], on_crash);
    }
}

static gboolean answer(const char *files, char *wrong, GError **error)
{
    if (wrong) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "%s", wrong);
        g_free(wrong);
        return FALSE;
    }
    name_in_a_crash(files);
    return TRUE;
}

gboolean lab_plugins_load(char *const *files, GError **error)
{
    const char *list = g_getenv("WEIR_PLUGIN_PATH");
    n_own = n_own > 0 ? n_own : weir_algorithm_count();
    gboolean good = !list || !list[0] || answer(list, weir_loader_load_list(list), error);
    for (; good && files && *files; files++) {
        good = answer(*files, weir_loader_load(*files), error);
    }
    return good;
}

gboolean lab_plugins_have(const char *algorithm)
{
    for (size_t i = n_own; n_own > 0 && i < weir_algorithm_count(); i++) {
        if (strcmp(weir_algorithm_name(i), algorithm) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}
