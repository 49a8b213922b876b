/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/standing_delay.h"

#include <math.h>

#include "weir/units.h"

#define STANDS_WITHIN_NS                                                                           \
    WEIR_MS(8) /* noise of a path; a queue drained at half the rate moves more */
#define STANDS_FOR_NS WEIR_SECONDS(1)

bool weir__standing_delay_sample(struct weir__standing_delay *standing, int64_t now_ns,
                                 const struct weir__delay_range *queue, double sent_bps,
                                 int64_t floor_ns, int64_t loop_ns)
{
    int64_t least_ns =
        standing->known ? weir_min_i64(standing->least_ns, queue->most_ns) : queue->most_ns;
    int64_t most_ns =
        standing->known ? weir_max_i64(standing->most_ns, queue->least_ns) : queue->least_ns;
    if (!standing->known || queue->least_ns <= floor_ns || most_ns - least_ns > STANDS_WITHIN_NS) {
        *standing = (struct weir__standing_delay){.known = queue->least_ns > floor_ns,
                                                  .from_ns = now_ns,
                                                  .least_ns = queue->most_ns,
                                                  .most_ns = queue->least_ns,
                                                  .most_bps = sent_bps};
        return false;
    }
    standing->least_ns = least_ns;
    standing->most_ns = most_ns;
    standing->most_bps = fmax(standing->most_bps, sent_bps);
    bool stands = now_ns - standing->from_ns >= STANDS_FOR_NS + 2 * loop_ns &&
                  sent_bps < standing->most_bps / 2.0;
    standing->known = !stands;
    return stands;
}
