/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How soon a link is in use again: for each instant that `measure.rise_from_s` names, the time
 * until nine tenths of what could have passed in the last half a second did. */
#ifndef WEIR_LAB_RUN_RISE_H
#define WEIR_LAB_RUN_RISE_H

#include "scenario/scenario.h"
#include "weir/units.h"

#define LAB_RISE_STEP_NS WEIR_MS(50)
#define LAB_RISE_STEPS   10

struct lab_rise_sample {
    int64_t at_ns;
    int64_t delivered_bytes; /* since the start of the run */
    double capacity_bits;    /* that could have passed since then */
};

struct lab_rise {
    struct lab_rise_sample samples[LAB_RISE_STEPS]; /* a ring */
    size_t n;                                       /* ever */
    int64_t rise_ns[LAB_MOST_RISES];                /* WEIR_NEVER_NS = not yet */
};

void lab_rise_init(struct lab_rise *rise);
void lab_rise_add(struct lab_rise *rise, const struct lab_scenario *scenario,
                  const struct lab_rise_sample *sample);

#endif
