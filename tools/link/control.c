/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "control.h"
#include "error.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define REVERSE "reverse-"

static gboolean complain(GError **error, const char *line)
{
    g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG,
                "'%s' is not understood; there are: [reverse-]capacity RATE, delay TIME, "
                "jitter TIME, loss P, loss-burst N",
                line);
    return FALSE;
}

static gboolean apply_words(struct link_control *control, const char *name, const char *value,
                            GError **error)
{
    gboolean reverse = g_str_has_prefix(name, REVERSE);
    const struct link_setting *setting =
        link_settings_find(reverse ? name + strlen(REVERSE) : name);
    if (!setting) {
        return complain(error, name);
    }
    if (!link_direction_set(control->directions[reverse], setting, value, error)) {
        return FALSE;
    }
    if (strcmp(setting->name, "delay") == 0) {
        control->own_reverse_delay |= reverse;
        if (!control->own_reverse_delay) {
            return link_direction_set(control->directions[1], setting, value, error);
        }
    }
    return TRUE;
}

/* A setting and its value; an empty line is allowed. The reverse delay follows the forward one
 * until it is given one of its own. */
gboolean link_control_apply(struct link_control *control, const char *line, GError **error)
{
    g_autofree char *text = g_strstrip(g_strdup(line));
    g_auto(GStrv) words = g_strsplit_set(text, " \t", 2);
    gboolean good = TRUE;
    if (words[0] && words[1]) {
        good = apply_words(control, words[0], g_strstrip(words[1]), error);
    } else if (words[0]) {
        good = complain(error, text);
    }
    return good;
}

static void take(struct link_control *control, char c)
{
    GError *error = NULL;
    if (c != '\n') {
        control->length += control->length < sizeof control->line - 1;
        control->line[control->length - 1] = c;
        return;
    }
    control->line[control->length] = '\0';
    control->length = 0;
    if (!link_control_apply(control, control->line, &error)) {
        g_printerr("weir-link: %s\n", error->message);
        g_error_free(error);
    }
}

/* Applies the lines that wait at fd; a wrong line is answered on stderr. FALSE: nothing more will
 * come. */
gboolean link_control_read(struct link_control *control, int fd)
{
    char bytes[1024];
    ssize_t n = read(fd, bytes, sizeof bytes);
    for (ssize_t i = 0; i < n; i++) {
        take(control, bytes[i]);
    }
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}
