/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line. */
#ifndef WEIR_LINK_OPTIONS_H
#define WEIR_LINK_OPTIONS_H

#include "namespaces.h"
#include "settings.h"
#include <glib.h>
#include <stdint.h>

struct link_options {
    struct link_settings directions[2]; /* forward, reverse */
    gboolean own_reverse_delay;         /* else it is the forward one */
    struct link_namespaces namespaces;
    gboolean own_namespaces; /* their names or addresses are given */
    int64_t mtu_bytes;
    int64_t duration_ns;       /* WEIR_NEVER_NS: until somebody ends it */
    int64_t stats_interval_ns; /* WEIR_NEVER_NS: none */
    int64_t log_interval_ns;
    char *log_location;        /* NULL: none */
    char *packet_log_location; /* NULL: none */
    gboolean version;
    char **command; /* NULL: none */
};

gboolean link_options_parse(struct link_options *options, int argc, char **argv, GError **error);
void link_options_finish(struct link_options *options);

#endif
