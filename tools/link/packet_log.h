/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A row of CSV for each packet that has left a direction of the link, or been dropped there. */
#ifndef WEIR_LINK_PACKET_LOG_H
#define WEIR_LINK_PACKET_LOG_H

#include "sim/path.h"
#include <glib.h>
#include <stdio.h>

struct link_packet_log {
    FILE *file; /* NULL: there is no log */
};

gboolean link_packet_log_open(struct link_packet_log *log, const char *location, GError **error);
void link_packet_log_finish(struct link_packet_log *log);
void link_packet_log_add(struct link_packet_log *log, const struct weir__path_outcome *outcome,
                         const uint8_t *packet, size_t size_bytes);

#endif
