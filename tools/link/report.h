/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the link did: a line of JSON per interval, and a CSV log like that of weirlink. */
#ifndef WEIR_LINK_REPORT_H
#define WEIR_LINK_REPORT_H

#include "direction.h"
#include <stdio.h>

struct link_report {
    const struct link_direction *directions[2];
    int64_t stats_interval_ns, log_interval_ns;
    int64_t next_stats_ns, next_log_ns; /* WEIR_NEVER_NS: none */
    int64_t last_stats_ns, last_log_ns;
    struct weir__path_stats last_stats[2];
    struct weir__path_stats last_log;
    struct weir__packet_counters last_protocols[LINK_PROTOCOLS];
    FILE *log;
};

void link_report_init(struct link_report *report, const struct link_direction *forward,
                      const struct link_direction *reverse, int64_t stats_interval_ns);
gboolean link_report_open_log(struct link_report *report, const char *location, int64_t interval_ns,
                              GError **error);
void link_report_finish(struct link_report *report);
int64_t link_report_next_ns(const struct link_report *report);
void link_report_run(struct link_report *report, int64_t now_ns);
void link_report_print(struct link_report *report, int64_t now_ns);
GString *link_report_make_line(struct link_report *report, int64_t now_ns);

#endif
