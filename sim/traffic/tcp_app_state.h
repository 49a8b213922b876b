/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application over TCP is made of, for tcp_app.c and the kinds in tcp_app_*.c alone. */
#ifndef WEIR_SIM_TCP_APP_STATE_H
#define WEIR_SIM_TCP_APP_STATE_H

#include "sim/base/random.h"
#include "sim/traffic/tcp_app.h"

struct weir__tcp_app_kind_methods {
    bool (*is_valid)(const struct weir__tcp_app_config *config); /* NULL: nothing is its own */
    int64_t (*first_packets)(const struct weir__tcp_app *app);   /* NULL; written from the start */
    enum weir_status (*init)(struct weir__tcp_app *app); /* NULL; the connections are there */
    void (*on_done)(struct weir__tcp_app *app);          /* NULL; all of a connection arrived */
};

extern const struct weir__tcp_app_kind_methods weir__tcp_app_fed;
extern const struct weir__tcp_app_kind_methods weir__tcp_app_stream;
extern const struct weir__tcp_app_kind_methods weir__tcp_app_web;
extern const struct weir__tcp_app_kind_methods weir__tcp_app_bursts;

struct weir__tcp_app {
    const struct weir__tcp_app_kind_methods *methods;
    struct weir__tcp_app_config config;
    struct weir__sim *sim;
    struct weir__flow_meter meter;
    struct weir__random random;
    struct weir__timer timer;      /* WEB, BURSTS: of what comes next */
    struct weir__source *source;   /* FED, STREAM */
    int64_t payload_bytes;         /* of a packet */
    int64_t written_packets;       /* FED, STREAM: so far; the rest of a packet waits for more */
    int64_t due_ns;                /* STREAM: of the packet delivered next ... */
    int64_t due_remainder;         /* ... and the part of a nanosecond, in 1/rate */
    int64_t objects_left;          /* WEB: of this page */
    int64_t pages_left;            /* WEB: with this one */
    uint32_t busy;                 /* BURSTS: connections of this burst that are not done */
    uint32_t n_connections;        /* created so far */
    struct weir__tcp_flow flows[]; /* one per connection */
};

#endif
