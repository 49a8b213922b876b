/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/progress.h"

/* stream NULL: nothing is ever shown. On a terminal the line is replaced, elsewhere repeated. */
void lab_progress_init(struct lab_progress *progress, FILE *stream, gboolean terminal,
                       int64_t wall_us)
{
    *progress = (struct lab_progress){
        .stream = stream, .terminal = terminal, .start_us = wall_us, .last_us = wall_us};
}

/* Simulated so far: now_ns of end_ns. */
void lab_progress_update(struct lab_progress *progress, int64_t wall_us, int64_t now_ns,
                         int64_t end_ns, uint64_t events)
{
    if (!progress->stream || wall_us - progress->last_us < G_USEC_PER_SEC) {
        return;
    }
    double wall_s = (double)(wall_us - progress->start_us) / G_USEC_PER_SEC;
    fprintf(progress->stream, "%s%.1f of %.0f s (%.0f %%), %.2f M events/s%s",
            progress->terminal ? "\r" : "", (double)now_ns / 1e9, (double)end_ns / 1e9,
            100.0 * (double)now_ns / (double)end_ns, (double)events / wall_s / 1e6,
            progress->terminal ? "\033[K" : "\n");
    fflush(progress->stream);
    progress->last_us = wall_us;
    progress->shown = TRUE;
}

/* Leaves no line behind on a terminal. */
void lab_progress_finish(struct lab_progress *progress)
{
    if (progress->shown && progress->terminal) {
        fputs("\r\033[K", progress->stream);
        fflush(progress->stream);
    }
}
