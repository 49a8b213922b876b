/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A store-and-forward link: policer -> queue -> serialisation at the scheduled rate, by a trace,
 * behind a shaper or in aggregates -> loss ->
 * corruption, duplication, reordering -> propagation delay and jitter -> port.
 *
 * Invariants: offered + duplicated = delivered + dropped + lost + inside, in packets; the link is
 * never silent while its queue holds a packet and its rate is not 0. */
#ifndef WEIR_SIM_LINK_H
#define WEIR_SIM_LINK_H

#include "sim/base/event.h"
#include "sim/base/packet.h"
#include "sim/base/random.h"
#include "sim/base/schedule.h"
#include "sim/network/aggregation.h"
#include "sim/network/capacity_trace.h"
#include "sim/network/counters.h"
#include "sim/network/delay_line.h"
#include "sim/network/foresight.h"
#include "sim/network/loss.h"
#include "sim/network/queue.h"
#include "sim/network/token_bucket.h"

enum weir__jitter_model {
    WEIR__JITTER_UNIFORM, /* U(0, jitter_ns) */
    WEIR__JITTER_RFC8868  /* 2.3: |max(min(N(0, std^2), 3 std), -3 std)|, std = jitter_ns */
};

/* What the wire does to ECN-capable packets, as broken paths do. */
enum weir__link_ecn {
    WEIR__LINK_ECN_KEEPS,
    WEIR__LINK_ECN_BLEACHES, /* they go on as not ECN-capable */
    WEIR__LINK_ECN_TO_ECT0,  /* ECT(1) becomes ECT(0) */
    WEIR__LINK_ECN_TO_ECT1,  /* and the reverse */
    WEIR__LINK_ECN_MARKS,    /* all are marked */
    WEIR__LINK_ECN_DROPS     /* all are lost */
};

enum weir__drop_reason { WEIR__DROP_QUEUE, WEIR__DROP_LOSS };

/* Zeroed = a link that changes nothing, except that capacity (or a trace) and a queue limit must be
 * set. */
struct weir__link_config {
    int64_t capacity_bps;                    /* until the first step of the schedule */
    const struct weir__schedule_step *steps; /* must outlive the link */
    size_t n_steps;
    int64_t period_ns;       /* of the schedule, 0 = none */
    const int64_t *trace_ms; /* in place of both: a capacity trace; must outlive the link */
    size_t n_trace;
    /* At most one of the trace and these two. A shaper's packets leave at the rate of the link when
     * the bucket has enough for them. */
    struct weir__token_bucket_config shaper;
    struct weir__aggregation_config aggregation;
    struct weir__token_bucket_config policer; /* drops before the queue */
    int64_t delay_ns; /* one way; until the first of the delay steps, which end with set_delay() */
    const struct weir__schedule_step *delay_steps; /* must outlive the link */
    size_t n_delay_steps;
    int64_t delay_period_ns; /* of the delay steps, 0 = none */
    enum weir__jitter_model jitter_model;
    int64_t jitter_ns; /* adds a random delay to each packet, order kept */
    struct weir__queue_config queue;
    struct weir__link_loss_config loss;
    double duplicate; /* probabilities, [0, 1] */
    double reorder;
    double corrupt;
    int64_t reorder_delay_ns; /* by which a reordered packet is later */
    enum weir__link_ecn ecn;
    bool fixed; /* weir__link_set_...() are not called: spares many links an event per packet */
    uint64_t seed;
    uint64_t stream; /* number of the link in the simulation: links draw independently */
    struct weir__port out;
    /* Receives (and then owns) what is dropped; NULL = back into the pool. */
    void (*on_drop)(void *target, struct weir__packet *packet, enum weir__drop_reason reason);
    /* Told of copies that the link makes; NULL = nobody. */
    void (*on_duplicate)(void *target, const struct weir__packet *copy);
    /* Told of the packet that leaves after the present one, and by its `next` of the one behind
     * that, to ask for what they need; NULL = nobody. */
    void (*on_approach)(void *target, const struct weir__packet *packet);
    void *drop_target; /* of the three */
    /* Told of each packet whose first bit is being sent; NULL = nobody. */
    void (*on_service)(void *target, struct weir__packet *packet);
    void *service_target;
};

/* How the link sends. */
enum weir__link_service {
    WEIR__LINK_AT_RATE,
    WEIR__LINK_BY_TRACE,
    WEIR__LINK_SHAPED,
    WEIR__LINK_IN_AGGREGATES
};

/* Of a link that sends in aggregates. */
enum weir__link_channel { WEIR__CHANNEL_IDLE, WEIR__CHANNEL_AWAITED, WEIR__CHANNEL_OURS };

/* Of the last packet of its size, or of one that is remembered in the same place: the division is
 * saved. */
#define WEIR__SEND_TIMES 16
struct weir__send_time {
    int64_t rate_bps;
    int64_t size_bytes;
    int64_t time_ns;
};

/* What every packet needs comes first. */
struct weir__link {
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__packet *in_service; /* and those behind it, of an aggregate */
    enum weir__link_service service_kind;
    uint8_t channel; /* enum weir__link_channel */
    bool policed;    /* the entrance may drop packets */
    bool tells_late; /* when a service begins is only known at its end */
    /* What most links are, so that their packets pay for nothing else: sending at their rate from a
     * queue that drops on arrival alone, telling nobody; and one delay for all, nothing lost. */
    bool plain_service;
    bool plain_wire;
    /* When a packet will have been sent is known when it enters: it goes into the line at once, and
     * no event ends its service. The queue only has the limit. */
    bool foresees;
    bool lossy;  /* the wire may lose packets */
    bool unruly; /* or damage, copy or reorder them */
    struct weir__timer service;
    struct weir__send_time send_times[WEIR__SEND_TIMES]; /* by size, modulo their number */
    struct weir__delay_line line;
    struct weir__foresight foresight;   /* only if it foresees */
    struct weir__packet_counters total; /* what was delivered: weir__link_counters() */
    struct weir__schedule schedule;     /* of the capacity */
    struct weir__schedule delay;
    struct weir__capacity_trace trace;
    struct weir__token_bucket shaper;
    struct weir__token_bucket policer;
    struct weir__random access_random;
    struct weir__queue queue;
    struct weir__link_config config;
    struct weir__random path_random;
    struct weir__random queue_random;
    struct weir__link_loss loss;
    struct weir__delay_line late_line; /* the reordered packets */
};

/* What a look at a link finds. */
struct weir__link_look {
    int64_t packets; /* that wait, without the one being sent */
    /* What a packet that arrived now would wait until its own service, at the present rate or by
     * the trace; of aggregates the expectation; with FQ-CoDel as if all that is there came first.
     * WEIR_NEVER_NS in an outage. */
    int64_t wait_ns;
};

enum weir_status weir__link_init(struct weir__link *link, struct weir__sim *sim,
                                 struct weir__packet_pool *pool,
                                 const struct weir__link_config *config);
const char *weir__link_fault(const struct weir__link_config *config);
void weir__link_finish(struct weir__link *link);
void weir__link_offer(struct weir__link *link, struct weir__packet *packet);
int64_t weir__link_pass(struct weir__link *link, struct weir__packet *packet);

struct weir__packet *weir__link_take_inside(struct weir__link *link);

void weir__link_set_capacity(struct weir__link *link, int64_t capacity_bps);
void weir__link_set_delay(struct weir__link *link, int64_t delay_ns);
void weir__link_set_jitter(struct weir__link *link, int64_t jitter_ns);
void weir__link_set_loss(struct weir__link *link, const struct weir__link_loss_config *loss);

int64_t weir__link_usable_bps(const struct weir__link_config *config, int64_t rate_bps);
int64_t weir__link_capacity_bps(const struct weir__link *link);
struct weir__link_look weir__link_look(struct weir__link *link);
bool weir__link_is_idle(const struct weir__link *link);
const struct weir__packet_counters *weir__link_counters(struct weir__link *link);

#endif
