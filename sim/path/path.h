/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole emulated path in one object: several flows of the user share one bottleneck (capacity,
 * queue, loss, delay) with simulated cross traffic.
 *
 * It has no clock. Time 0 is the creation of the path; the caller passes the time since then. In
 * real time: sleep until weir__path_next_event_ns(), then call weir__path_run_until(now). In
 * virtual time: the same without the sleep.
 *
 *     struct weir__path_config config;
 *     weir__path_config_default(&config);
 *     config.link.capacity_bps = WEIR_MBPS(2);
 *     config.cross_traffic = "reno*2;cbr:700000,on=20,off=20";
 *     status = weir__path_create(&path, &config, on_outcome, user, error, sizeof error);
 *     weir__path_add_flow(path, &flow);
 *     weir__path_offer(path, now_ns, &packet);
 *     weir__path_run_until(path, now_ns);            (calls on_outcome)
 *     weir__path_destroy(path);
 *
 * Promise: every offer that returned WEIR_OK gets exactly one outcome with last = true, unless the
 * path is destroyed first (then: weir__path_destroy() reports what it still holds as
 * WEIR__PATH_DISCARDED). Outcomes of one flow keep the order of the offers, unless link.reorder >
 * 0. */
#ifndef WEIR_SIM_PATH_H
#define WEIR_SIM_PATH_H

#include "sim/network/link.h"
#include "weir/ecn.h"
#include "weir/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__PATH_MAX_PACKET_BYTES 1000000
#define WEIR__PATH_MAX_FLOWS        4096 /* of the user */

/* Fill with weir__path_config_default() first. Texts are read by create only, not kept. */
struct weir__path_config {
    struct weir__link_config link; /* but for what follows, and without ports and callbacks */
    const char *trace;             /* text of a capacity trace (capacity_trace.h), or NULL */
    char *trace_name;              /* of its file, in errors; NULL = "trace" */
    char *schedule;       /* of the capacity: "0:2500k,20:1M,40:repeat" (schedule.h), or NULL */
    char *delay_schedule; /* "20:90ms,40:50ms" (schedule.h), or NULL */
    char *cross_traffic;  /* "reno*2;cbr:700000,on=20,off=20" (crosstraffic.h), or NULL */
    bool mark_ecn; /* red, codel, fq_codel and pie mark ECN-capable packets in place of dropping
                      them; dualpi2 always does */
    size_t max_packets; /* of the user inside the path at one time; more are dropped */
};

enum weir__path_verdict {
    WEIR__PATH_DELIVERED,
    WEIR__PATH_DROPPED,  /* by the queue, or because max_packets are inside */
    WEIR__PATH_LOST,     /* by the loss model */
    WEIR__PATH_DISCARDED /* still inside when the path was destroyed */
};

struct weir__path_outcome {
    uint64_t token;   /* of the offer */
    int64_t at_ns;    /* when it happened, <= the time given to run_until */
    int64_t delay_ns; /* since the offer */
    int64_t queue_ns; /* of it, before the first bit was sent; 0 when none was */
    uint64_t noise;   /* random bits, for the choice of which bits of a corrupt packet to flip */
    uint32_t flow;
    enum weir__path_verdict verdict;
    enum weir_ecn ecn; /* it arrives with: that of the offer, or CE */
    bool corrupt;      /* flip bits before passing it on */
    bool last;         /* false: the packet is duplicated, this token comes once more */
};

/* May not call the functions of the path. */
typedef void (*weir__path_on_outcome)(void *user, const struct weir__path_outcome *outcome);

struct weir__path_stats {
    int64_t capacity_bps; /* now */
    int64_t queue_packets;
    int64_t queue_bytes;
    int64_t
        queue_delay_ns; /* what a packet that comes now would wait; WEIR_NEVER_NS in an outage */
    struct weir__packet_counters user;  /* all flows of the user together */
    struct weir__packet_counters cross; /* all cross traffic together */
    int64_t cross_goodput_bytes;        /* distinct payload that arrived: without retransmissions */
    uint64_t events;                    /* simulated so far */
};

struct weir__path;

void weir__path_config_default(struct weir__path_config *config);
/* On failure *path is untouched and error (may be NULL) holds a sentence for the user. */
enum weir_status weir__path_create(struct weir__path **path, const struct weir__path_config *config,
                                   weir__path_on_outcome on_outcome, void *user, char *error,
                                   size_t error_size);
void weir__path_destroy(struct weir__path *path);

/* Allocates (the only one after create); flow numbers stay valid until destroy. */
enum weir_status weir__path_add_flow(struct weir__path *path, uint32_t *flow);

struct weir__path_packet {
    uint64_t token;
    int64_t size_bytes;
    uint32_t flow;
    uint16_t subflow; /* FQ-CoDel tells the connections in a flow apart by it, any number: a hash of
                         addresses and ports, 0 where there is one */
    enum weir_ecn ecn;
};

/* A packet enters. Runs the path up to now_ns first. Times that go back count as the latest. */
enum weir_status weir__path_offer(struct weir__path *path, int64_t now_ns,
                                  const struct weir__path_packet *packet);
int64_t weir__path_next_event_ns(const struct weir__path *path);
void weir__path_run_until(struct weir__path *path, int64_t now_ns);

/* Take effect at once; the next packet to start service, to propagate, to be lost. A capacity or a
 * delay set here replaces its schedule, or the trace. */
enum weir_status weir__path_set_capacity(struct weir__path *path, int64_t capacity_bps);
enum weir_status weir__path_set_delay(struct weir__path *path, int64_t delay_ns);
enum weir_status weir__path_set_jitter(struct weir__path *path, int64_t jitter_ns);
enum weir_status weir__path_set_loss(struct weir__path *path,
                                     const struct weir__link_loss_config *loss);

/* Propagation without jitter: the least of what is inside or comes later, the most of what comes
 * later. */
int64_t weir__path_least_delay_ns(const struct weir__path *path);
int64_t weir__path_most_delay_ns(const struct weir__path *path);

void weir__path_get_stats(const struct weir__path *path, struct weir__path_stats *stats);
enum weir_status weir__path_get_flow_stats(const struct weir__path *path, uint32_t flow,
                                           struct weir__packet_counters *stats);

#endif
