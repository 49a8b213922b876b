/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the known answers that controllers carry in their tables.
 *
 * Each vector runs on a fresh controller created at t = 0 with limits of 30 kbit/s to 10 Mbit/s, a
 * start of 300 kbit/s, packets of 1000 bytes and seed 1. Packets are numbered from 0 in the order
 * of the SEND steps; a step must not begin before the last packet of the step before has left. An
 * ACK of a packet that was lost before reports it as late. */
#ifndef WEIR_VECTORS_H
#define WEIR_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "driver.h"

#define WEIR__VECTOR_MAX_PACKETS 4096
#define WEIR__VECTOR_WHY_BYTES   240

struct weir__vector_packet {
    int64_t sent_ns;
    int64_t bytes;
    bool reported;
    bool lost;
};

/* Working memory of a run, the caller's: 100 KiB. */
struct weir__vector_run {
    struct weir__driver driver;
    struct weir__vector_packet packets[WEIR__VECTOR_MAX_PACKETS];
    int64_t n_packets;
    int64_t in_flight_bytes;
    int64_t now_ns;
    size_t n_steps;                   /* run so far */
    char why[WEIR__VECTOR_WHY_BYTES]; /* what went wrong, a sentence */
};

/* WEIR_OK when every expectation holds. WEIR_ERROR_RANGE when one does not, WEIR_ERROR_ARGUMENT
 * when the script itself is wrong; run->why says what. */
enum weir_status weir__vector_run(const struct weir_controller *controller,
                                  const struct weir_vector *vector, struct weir__vector_run *run);

#endif
