/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/rise.h"

#define USED 0.9 /* of the capacity */

void lab_rise_init(struct lab_rise *rise)
{
    *rise = (struct lab_rise){.n = 0};
    for (int i = 0; i < LAB_MOST_RISES; i++) {
        rise->rise_ns[i] = WEIR_NEVER_NS;
    }
}

static gboolean is_used(const struct lab_rise_sample *from, const struct lab_rise_sample *to)
{
    double could = to->capacity_bits - from->capacity_bits;
    double did = 8.0 * (double)(to->delivered_bytes - from->delivered_bytes);
    return could > 0.0 && did >= USED * could;
}

/* One sample each LAB_RISE_STEP_NS. The half second ends with it and does not reach back beyond the
 * instant that is counted from. */
void lab_rise_add(struct lab_rise *rise, const struct lab_scenario *scenario,
                  const struct lab_rise_sample *sample)
{
    struct lab_rise_sample *oldest = &rise->samples[rise->n % LAB_RISE_STEPS];
    gboolean used = rise->n >= LAB_RISE_STEPS && is_used(oldest, sample);
    for (guint i = 0; used && i < scenario->n_rises; i++) {
        int64_t from_ns = scenario->rise_from_ns[i];
        if (rise->rise_ns[i] == WEIR_NEVER_NS && oldest->at_ns >= from_ns) {
            rise->rise_ns[i] = sample->at_ns - from_ns;
        }
    }
    *oldest = *sample;
    rise->n++;
}
