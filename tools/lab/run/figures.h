/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What came out of a run: the figures of flows, groups and links. NAN is a figure that does not
 * apply or is not defined (the mean delay of no packets). */
#ifndef WEIR_LAB_RUN_FIGURES_H
#define WEIR_LAB_RUN_FIGURES_H

#include "run/recorder.h"

/* Figures that a group has the mean of. */
enum lab_figure {
    LAB_COV,
    LAB_COV_SENT,
    LAB_COV_NEW,
    LAB_DELAY_MEAN_MS,
    LAB_DELAY_P50_MS,
    LAB_DELAY_P95_MS,
    LAB_DELAY_P99_MS,
    LAB_RTT_MS,
    LAB_MOUTH_TO_EAR_MS,
    LAB_FRAME_P50_MS,
    LAB_FRAME_P95_MS,
    LAB_SHOWN_P95_MS,
    LAB_R_SCORE,
    LAB_MOS,
    LAB_COMPLETED_S,
    LAB_MEDIA_START_S,
    LAB_RISE_S,
    LAB_FALL_S,
    LAB_CONVERGE_S,
    LAB_FIGURES
};

/* Of a flow, or of a group of them. */
struct lab_flow_figures {
    const struct lab_flow *flow; /* the first of a group */
    guint n_flows;
    gboolean has_buffer;   /* generated, discarded, feedback */
    gboolean reports_only; /* not of a group */
    gboolean is_tcp;
    gboolean is_voice;
    gboolean is_finite;
    gboolean waits_to_start; /* media_start */
    gboolean has_fair;
    struct lab_counts counts; /* in the window */
    int64_t window_ns;
    double values[LAB_FIGURES];
    const struct lab_variables *variables; /* NULL = none, or a group */
    double *late_ratios; /* [flow->n_prebuffers]; NULL for a group whose flows differ in them */
};

struct lab_queue_figures {
    double mean, p50, p95, max;
};

struct lab_link_figures {
    const char *name;
    struct weir__packet_counters counters; /* in the window */
    double capacity_bps;
    double utilization;
    struct lab_queue_figures queue_packets;
    struct lab_queue_figures queue_ms;
    const struct weir__dualpi2_counts *dualpi2; /* in the window; NULL: another discipline */
    double rise_s[LAB_MOST_RISES];
};

struct lab_figures {
    const struct lab_scenario *scenario;
    gboolean complete;
    int64_t sim_ns;
    int64_t from_ns; /* the window as it was */
    int64_t to_ns;
    guint n_groups;
    struct lab_flow_figures *flows;
    struct lab_flow_figures *groups; /* in the order of their first flows */
    struct lab_link_figures *links;
    guint n_compared; /* flows that jain is of */
    double jain;
    double jain_p5, jain_p50, jain_p95; /* of bins */
    int64_t events;
    int64_t packets;
    double wall_s;
};

/* Of a recorder that has finished at sim_ns. */
struct lab_figures *lab_figures_create(const struct lab_recorder *recorder, int64_t sim_ns);
void lab_figures_destroy(struct lab_figures *figures);

int64_t lab_figures_bps(const struct lab_flow_figures *figures, int64_t bytes);
double lab_ratio(int64_t part, int64_t whole);

#endif
