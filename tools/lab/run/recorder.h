/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watches a world while it runs. The run stops at the instants the recorder asks for:
 *
 *     while (now_ns < end_ns) {
 *         now_ns = min(end_ns, lab_recorder_next_ns(recorder));
 *         weir__sim_run_until(sim, now_ns);
 *         lab_recorder_look(recorder, now_ns);
 *     }
 *     lab_recorder_finish(recorder, now_ns);
 *
 * It only reads, so what happens is the same with any sampling. Memory does not grow with time, but
 * for one number per bin (Jain's index), and one per bin and flow when the scenario has fair_bps.
 */
#ifndef WEIR_LAB_RUN_RECORDER_H
#define WEIR_LAB_RUN_RECORDER_H

#include "run/link_record.h"
#include "run/rise.h"
#include "run/series.h"
#include "run/world.h"
#include "sim/base/random.h"

/* Running mean and sum of squared differences to it (Welford 1962). */
struct lab_moments {
    int64_t n;
    double mean;
    double squares;
};

enum lab_percentile { LAB_P50, LAB_P95, LAB_P99, LAB_PERCENTILES };

struct lab_flow_record {
    struct lab_counts window_start;
    struct lab_counts window; /* differences, once it is closed */
    struct lab_moments received_bps;
    struct lab_moments sent_bps;
    struct lab_moments new_bps; /* sent for the first time: TCP */
    struct lab_moments rtt_ns;
    int64_t bin_received_bytes; /* as they were when the present bin began */
    int64_t bin_sent_bytes;
    int64_t bin_new_bytes;
    int64_t bin_goodput_bytes;
    /* Of each bin, those before the window too; NULL without fair_bps. Of double. */
    GArray *goodput_bps;
    int64_t frame_delay_ns[LAB_PERCENTILES]; /* the same of frames */
    int64_t shown_delay_ns;                  /* 95th percentile */
    int64_t delay_ns[LAB_PERCENTILES];       /* WEIR_UNKNOWN_NS: nothing came, or not measured */
    gboolean reports_only;                   /* media: at the end of the window, see flow_meter.h */
    double *late_ratios;                     /* by pre-buffer */
    struct lab_variables *variables;         /* at the end of the window; NULL = it has none */
};

struct lab_recorder {
    const struct lab_scenario *scenario;
    struct lab_world *world;
    struct lab_series *series; /* NULL = none */
    struct lab_flow_record *flows;
    struct lab_link_record *links;
    struct lab_rise *rises;                   /* of the links */
    struct lab_link_difference *link_windows; /* once the window is closed */
    gboolean any_tested;
    GArray *jain;    /* of each bin; of double */
    double *scratch; /* [n_flows] */
    struct weir__random random;
    int64_t slot_ns; /* one look at the queues in each, at a random instant of it */
    int64_t slot_start_ns;
    int64_t next_look_ns;
    int64_t next_sample_ns;
    int64_t next_rise_ns;
    int64_t next_bin_ns; /* end of the present bin */
    gboolean in_bin;
    int64_t all_bins;    /* ended, those before the window too */
    int64_t bins_before; /* ... of these before it */
    int64_t bins;        /* in the window */
    int64_t window_start_ns;
    int64_t window_end_ns;
    gboolean open; /* the window */
    gboolean closed;
};

gboolean lab_recorder_check(const struct lab_scenario *scenario, gboolean series, GError **error);
gboolean lab_recorder_wants_histograms(const struct lab_scenario *scenario);
struct lab_recorder *lab_recorder_create(const struct lab_scenario *scenario,
                                         struct lab_world *world, struct lab_series *series);
void lab_recorder_destroy(struct lab_recorder *recorder);
int64_t lab_recorder_next_ns(const struct lab_recorder *recorder);
void lab_recorder_look(struct lab_recorder *recorder, int64_t now_ns);
void lab_recorder_finish(struct lab_recorder *recorder, int64_t now_ns);

gboolean lab_recorder_compares(const struct lab_recorder *recorder, guint flow, int64_t from_ns,
                               int64_t to_ns);
double lab_moments_cov(const struct lab_moments *moments);

#endif
