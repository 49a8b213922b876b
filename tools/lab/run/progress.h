/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line on stderr about a run that takes long: at most once per second of wall time. */
#ifndef WEIR_LAB_RUN_PROGRESS_H
#define WEIR_LAB_RUN_PROGRESS_H

#include <glib.h>
#include <stdint.h>
#include <stdio.h>

struct lab_progress {
    FILE *stream; /* NULL = silent */
    gboolean terminal;
    gboolean shown;
    int64_t start_us; /* wall clock */
    int64_t last_us;
};

void lab_progress_init(struct lab_progress *progress, FILE *stream, gboolean terminal,
                       int64_t wall_us);
void lab_progress_update(struct lab_progress *progress, int64_t wall_us, int64_t now_ns,
                         int64_t end_ns, uint64_t events);
void lab_progress_finish(struct lab_progress *progress);

#endif
