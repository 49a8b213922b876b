/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/simulate.h"
#include "weir/units.h"

/* Builds what the scenario describes; the scenario must outlive it. On failure nothing is left to
 * finish. */
gboolean lab_run_init(struct lab_run *run, const struct lab_scenario *scenario, GError **error)
{
    *run = (struct lab_run){.scenario = scenario};
    run->world = lab_world_create(scenario, lab_recorder_wants_histograms(scenario), error);
    return run->world != NULL;
}

/* Accepts a zeroed run. */
void lab_run_finish(struct lab_run *run)
{
    lab_figures_destroy(run->figures);
    lab_recorder_destroy(run->recorder);
    lab_world_destroy(run->world);
    *run = (struct lab_run){.scenario = NULL};
}

/* Runs it and fills run->figures. series may be NULL. *stop: set by a signal; the slice of time at
 * hand, at most 10 ms, is finished. */
void lab_run_simulate(struct lab_run *run, struct lab_series *series, struct lab_progress *progress,
                      const volatile sig_atomic_t *stop)
{
    struct weir__sim *sim = lab_world_sim(run->world);
    int64_t duration_ns = run->scenario->duration_ns;
    int64_t start_us = g_get_monotonic_time();
    int64_t now_ns = 0;
    run->recorder = lab_recorder_create(run->scenario, run->world, series);
    while (now_ns < duration_ns && !*stop) {
        now_ns = weir_min_i64(duration_ns, lab_recorder_next_ns(run->recorder));
        weir__sim_run_until(sim, now_ns);
        lab_recorder_look(run->recorder, now_ns);
        if (progress->stream) { /* else the clock need not be read */
            lab_progress_update(progress, g_get_monotonic_time(), now_ns, duration_ns, sim->events);
        }
    }
    lab_recorder_finish(run->recorder, now_ns);
    lab_progress_finish(progress);
    run->figures = lab_figures_create(run->recorder, now_ns);
    run->figures->wall_s = (double)(g_get_monotonic_time() - start_us) / G_USEC_PER_SEC;
}
