/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lateness.h"
#include "weir/units.h"

/* Less than 0 counts as 0. */
void link_lateness_add(struct link_lateness *lateness, int64_t late_ns)
{
    int64_t step = weir_clamp_i64(late_ns / LINK_LATENESS_STEP_NS, 0, LINK_LATENESS_STEPS - 1);
    lateness->counts[step]++;
    lateness->n++;
    lateness->most_ns = weir_max_i64(lateness->most_ns, late_ns);
}

/* The upper edge of the step in which the quantile (0 to 1) lies, or the most if that is less; 0
 * when nothing was added. */
int64_t link_lateness_quantile_ns(const struct link_lateness *lateness, double quantile)
{
    double wanted = quantile * (double)lateness->n;
    int64_t seen = 0;
    for (int64_t step = 0; step < LINK_LATENESS_STEPS - 1; step++) {
        seen += lateness->counts[step];
        if ((double)seen >= wanted) {
            return weir_min_i64((step + 1) * LINK_LATENESS_STEP_NS, lateness->most_ns);
        }
    }
    return lateness->most_ns;
}
