/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How well a stream is received lately: loss over ten seconds, delay above its minimum over one.
 * Zero-initialise. Fixed size. */
#ifndef WEIR_RECEPTION_H
#define WEIR_RECEPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

enum {
    WEIR__RECEPTION_SECONDS = 11, /* ten whole ones and the present one */
    WEIR__RECEPTION_EIGHTHS = 9,  /* eight whole eighths of a second and the present one */
    WEIR__PLAYOUT_STEPS = 50      /* lengths of playout buffers that are told apart ... */
};
#define WEIR__PLAYOUT_STEP_NS WEIR_MS(10) /* ... and by how much */

struct weir__reception_second {
    int64_t second; /* number of it */
    int64_t expected_packets;
    int64_t received_packets;
    /* Of those, by delay above the smallest: up to one step, two steps ... */
    uint32_t delayed_packets[WEIR__PLAYOUT_STEPS];
};

struct weir__reception_eighth {
    int64_t eighth;
    int64_t sum_ns;
    int64_t n_samples;
};

struct weir__reception {
    struct weir__reception_second seconds[WEIR__RECEPTION_SECONDS];
    struct weir__reception_eighth eighths[WEIR__RECEPTION_EIGHTHS];
    int64_t heard_ns; /* the last packet that was no copy */
};

/* expected_packets: how far the sequence number advanced; received_packets: 1, or 0 for a copy. */
void weir__reception_on_packet(struct weir__reception *reception, int64_t now_ns,
                               int64_t expected_packets, int64_t received_packets);
void weir__reception_on_delay(struct weir__reception *reception, int64_t now_ns, int64_t delay_ns);

/* In [0, 1]; 0 when nothing was expected. */
double weir__reception_loss_ratio(const struct weir__reception *reception, int64_t now_ns);
/* The packets that did not come, and those that came too late for a playout buffer of playout_ns (a
 * multiple of the step, up to all steps), of the ten seconds that ended with the last packet:
 * silence does not age what was heard. In [0, 1]. */
double weir__reception_unheard_ratio(const struct weir__reception *reception, int64_t playout_ns);
/* Mean of the samples of the last second, in ns; 0 without samples. */
double weir__reception_delay_ns(const struct weir__reception *reception, int64_t now_ns);

/* One-way delay of a stream above the smallest of the last ten seconds, from RTP timestamps.
 * Zero-initialise. */
struct weir__transit_second {
    int64_t second;
    int64_t min_ns;
    bool used;
};

struct weir__transit {
    int64_t timestamp; /* unwrapped */
    int64_t previous_ns;
    uint32_t clock_rate_hz;
    bool started;
    struct weir__transit_second minima[WEIR__RECEPTION_SECONDS];
};

/* Returns the delay, >= 0. clock_rate_hz >= 1; another one than before, or a jump of the timestamps
 * by more than ten seconds, starts anew. */
int64_t weir__transit_sample(struct weir__transit *transit, uint32_t timestamp,
                             uint32_t clock_rate_hz, int64_t arrival_ns);

#endif
