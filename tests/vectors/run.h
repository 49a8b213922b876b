/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the known answers of a controller.
 *
 * Each vector runs on a fresh controller created at t = 0 with limits of 30 kbit/s to 10 Mbit/s, a
 * start of 300 kbit/s, packets of 1000 bytes and seed 1. Packets are numbered from 0 in the order
 * of the SEND steps; a step must not begin before the last packet of the step before has left. An
 * ACK of a packet that was lost before reports it as late. */
#ifndef WEIR_TESTS_VECTORS_RUN_H
#define WEIR_TESTS_VECTORS_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "control/driver.h"
#include "vector.h"

#define VECTOR_MAX_PACKETS 4096
#define VECTOR_WHY_BYTES   240

struct vector_packet {
    int64_t sent_ns;
    int64_t bytes;
    bool reported;
    bool lost;
};

/* Working memory of a run, the caller's: 100 KiB. */
struct vector_run {
    struct weir__driver driver;
    struct vector_packet packets[VECTOR_MAX_PACKETS];
    int64_t n_packets;
    int64_t in_flight_bytes;
    int64_t now_ns;
    size_t n_steps;             /* run so far */
    char why[VECTOR_WHY_BYTES]; /* what went wrong, a sentence */
};

/* WEIR_OK when every expectation holds. WEIR_ERROR_RANGE when one does not, WEIR_ERROR_ARGUMENT
 * when the script itself is wrong; run->why says what. */
enum weir_status vector_run(const struct weir_controller *controller, const struct vector *vector,
                            struct vector_run *run);

#endif
