/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Capacity as a recorded trace in the format of Mahimahi (Netravali et al., "Mahimahi: Accurate
 * Record-and-Replay for HTTP", USENIX ATC 2015; its link shell): each line is the time in
 * milliseconds of one opportunity to deliver 1504 bytes, a packet of 1500 bytes behind the 4 bytes
 * of a TUN header. Several packets may share an opportunity, a packet may need several; what is
 * left of an opportunity when the queue is empty is lost. The last line is also the length: the
 * trace begins again there.
 *
 * Invariant: between two instants no more is sent than the opportunities between them can carry,
 * 1500 bytes each. */
#ifndef WEIR_SIM_CAPACITY_TRACE_H
#define WEIR_SIM_CAPACITY_TRACE_H

#include "sim/base/schedule.h"
#include "weir/status.h"
#include <stddef.h>
#include <stdint.h>

#define WEIR__CAPACITY_TRACE_PACKET_BYTES 1500 /* what one opportunity carries */

struct weir__capacity_trace {
    const int64_t *at_ms; /* never descending; the caller's, must outlive this */
    size_t n;             /* 0 = no trace */
    int64_t next;         /* number of the next opportunity, since time 0 */
    int64_t last_ns;      /* when the one before was */
    int64_t left_bytes;   /* of it */
};

size_t weir__capacity_trace_count(const char *text);
enum weir_status weir__capacity_trace_parse(const char *text, int64_t *at_ms, size_t capacity,
                                            size_t *n, char *error, size_t error_size);
enum weir_status weir__capacity_trace_check(const int64_t *at_ms, size_t n);
void weir__capacity_trace_init(struct weir__capacity_trace *trace, const int64_t *at_ms, size_t n);
int64_t weir__capacity_trace_mean_bps(const int64_t *at_ms, size_t n);
double weir__capacity_trace_bits(const int64_t *at_ms, size_t n, int64_t until_ns);

size_t weir__capacity_trace_make(struct weir__schedule *schedule, int64_t length_ms, int64_t *at_ms,
                                 size_t capacity);

int64_t weir__capacity_trace_send(struct weir__capacity_trace *trace, int64_t now_ns,
                                  int64_t size_bytes);
void weir__capacity_trace_rest(struct weir__capacity_trace *trace);
int64_t weir__capacity_trace_sent_ns(const struct weir__capacity_trace *trace, int64_t packets,
                                     int64_t bytes);

#endif
