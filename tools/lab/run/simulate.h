/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A scenario run from its start to its end, or until somebody wants it to stop. */
#ifndef WEIR_LAB_RUN_SIMULATE_H
#define WEIR_LAB_RUN_SIMULATE_H

#include "run/figures.h"
#include "run/progress.h"
#include <signal.h>

struct lab_run {
    const struct lab_scenario *scenario;
    struct lab_world *world;
    struct lab_recorder *recorder;
    struct lab_figures *figures; /* once it has run */
};

gboolean lab_run_init(struct lab_run *run, const struct lab_scenario *scenario, GError **error);
void lab_run_finish(struct lab_run *run);
void lab_run_simulate(struct lab_run *run, struct lab_series *series, struct lab_progress *progress,
                      const volatile sig_atomic_t *stop);

#endif
