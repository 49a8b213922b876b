/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An application over simulated TCP in a network: greedy, a file, fed by a source, stored media
 * played at a constant rate, web pages (one connection after the other), or bursts of short
 * connections (RFC 8868). */
#ifndef WEIR_SIM_TCP_APP_H
#define WEIR_SIM_TCP_APP_H

#include "sim/network/network.h"
#include "sim/tcp/flow.h"
#include "sim/traffic/flow_meter.h"
#include "sim/traffic/source.h"

enum weir__tcp_app_kind {
    WEIR__TCP_GREEDY,
    WEIR__TCP_FINITE, /* total_bytes, then done */
    WEIR__TCP_FED, /* by a source; what it offers and TCP has not sent yet waits, without limit in
                      time */
    WEIR__TCP_STREAM, /* a source of even packets; packet i is due at start + i / rate: lateness */
    WEIR__TCP_WEB,
    WEIR__TCP_BURSTS
};

/* Fill with weir__tcp_app_config_default() first. */
struct weir__tcp_app_config {
    enum weir__tcp_app_kind kind;
    struct weir__tcp_flow_config tcp;  /* of each connection; ports, flow and delays are set here */
    const uint32_t *routes;            /* data, one per connection; their ends are set here */
    const uint32_t *back_routes;       /* ACKs */
    uint32_t n_connections;            /* 1, but for BURSTS */
    int64_t total_bytes;               /* FINITE: payload */
    struct weir__source_config source; /* FED, STREAM; on_unit and target are set here */
    int64_t pages;                     /* WEB: of a session */
    int64_t objects;                   /* of a page */
    double mean_packets; /* of an object: ceil(Pareto II with this scale parameter ... */
    double shape;        /* ... and shape), see docs/scenarios.md */
    int64_t page_gap_ns; /* means of exponential gaps */
    int64_t object_gap_ns;
    bool repeat;       /* another session after the last page */
    int64_t min_bytes; /* BURSTS: payload of a connection, U(min, max) */
    int64_t max_bytes;
    int64_t idle_ns; /* mean, exponential, between the end of a burst and the next */
    bool begins_off;
    int64_t start_ns; /* of the whole */
    int64_t stop_ns;
    uint64_t seed;
    bool measure_delay;
};

struct weir__tcp_app;

void weir__tcp_app_config_default(struct weir__tcp_app_config *config);
enum weir_status weir__tcp_app_create(struct weir__tcp_app **app, struct weir__network *network,
                                      const struct weir__tcp_app_config *config);
void weir__tcp_app_destroy(struct weir__tcp_app *app);
/* Brings the meter up to date first. */
const struct weir__flow_meter *weir__tcp_app_meter(struct weir__tcp_app *app);
void weir__tcp_app_get_state(const struct weir__tcp_app *app, struct weir__flow_state *state);

#endif
