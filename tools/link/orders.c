/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "orders.h"
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

static gboolean obey_words(struct link_orders *orders, const char *name, const char *value,
                           GError **error)
{
    gboolean reverse = g_str_has_prefix(name, REVERSE);
    const struct link_setting *setting =
        link_settings_find(reverse ? name + strlen(REVERSE) : name);
    if (!setting) {
        return complain(error, name);
    }
    if (!link_direction_set(orders->directions[reverse], setting, value, error)) {
        return FALSE;
    }
    if (strcmp(setting->name, "delay") == 0) {
        orders->own_reverse_delay |= reverse;
        if (!orders->own_reverse_delay) {
            return link_direction_set(orders->directions[1], setting, value, error);
        }
    }
    return TRUE;
}

/* A setting and its value; an empty line is no order. The reverse delay follows the forward one
 * until it is given one of its own. */
gboolean link_orders_obey(struct link_orders *orders, const char *line, GError **error)
{
    char *text = g_strstrip(g_strdup(line));
    char **words = g_strsplit_set(text, " \t", 2);
    gboolean good = TRUE;
    if (words[0] && words[1]) {
        good = obey_words(orders, words[0], g_strstrip(words[1]), error);
    } else if (words[0]) {
        good = complain(error, text);
    }
    g_strfreev(words);
    g_free(text);
    return good;
}

static void take(struct link_orders *orders, char c)
{
    GError *error = NULL;
    if (c != '\n') {
        orders->length += orders->length < sizeof orders->line - 1;
        orders->line[orders->length - 1] = c;
        return;
    }
    orders->line[orders->length] = '\0';
    orders->length = 0;
    if (!link_orders_obey(orders, orders->line, &error)) {
        g_printerr("weir-link: %s\n", error->message);
        g_error_free(error);
    }
}

/* Obeys what waits at fd; a wrong line is answered on stderr. FALSE: nothing more will come. */
gboolean link_orders_read(struct link_orders *orders, int fd)
{
    char bytes[1024];
    ssize_t n = read(fd, bytes, sizeof bytes);
    for (ssize_t i = 0; i < n; i++) {
        take(orders, bytes[i]);
    }
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}
