/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of a run: flows.csv, links.csv, scenario.json, and result.json last of all, so that
 * a directory without it holds no finished run. docs/lab.md describes the files. */
#ifndef WEIR_LAB_RUN_SERIES_H
#define WEIR_LAB_RUN_SERIES_H

#include "run/counts.h"
#include "run/link_record.h"
#include "run/world.h"

struct lab_series;

/* variables: names of those of the algorithms that flows.csv has a column of; NULL = none. */
struct lab_series *lab_series_create(const char *directory, const struct lab_scenario *scenario,
                                     const char *const *variables, GError **error);
void lab_series_destroy(struct lab_series *series);
void lab_series_add_flow(struct lab_series *series, guint flow, int64_t end_ns,
                         const struct lab_counts *counts, const struct weir__flow_state *state,
                         const struct lab_variables *variables);
void lab_series_add_link(struct lab_series *series, guint link, int64_t end_ns, int64_t bin_ns,
                         const struct lab_link_difference *difference,
                         const struct lab_link_bin *bin);
gboolean lab_series_finish(struct lab_series *series, const char *result, GError **error);

#endif
