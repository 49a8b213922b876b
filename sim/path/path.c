/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/path/path.h"
#include "sim/base/text.h"
#include "sim/path/crosstraffic.h"
#include "weir/units.h"
#include <stdlib.h>

#define NOISE_STREAM (UINT64_C(1) << 33)
#define MOST_PACKETS ((size_t)1 << 24)

struct weir__path {
    struct weir__network *network; /* of one link, with a route for each flow */
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__link *link;
    struct weir__crosstraffic cross;
    int64_t *trace_ms;
    struct weir__schedule_step *steps;
    struct weir__schedule_step *delay_steps;
    int64_t least_delay_ns;
    int64_t most_delay_ns;
    struct weir__random noise;
    weir__path_on_outcome on_outcome;
    void *user;
    uint32_t first_flow; /* of the user: behind those of the cross traffic */
    uint32_t n_flows;
    size_t inside_packets; /* of the user */
    size_t max_packets;
};

/* 10 Mbit/s, 20 ms, DropTail with 100 packets, nothing lost, no cross traffic, seed 1. */
void weir__path_config_default(struct weir__path_config *config)
{
    *config = (struct weir__path_config){.link = {.capacity_bps = WEIR_MBPS(10),
                                                  .delay_ns = WEIR_MS(20),
                                                  .reorder_delay_ns = WEIR_MS(30),
                                                  .seed = 1},
                                         .max_packets = 16384};
    weir__queue_config_default(&config->link.queue);
    config->link.queue.limit.packets = 100;
}

static bool is_user_flow(const struct weir__path *path, uint32_t flow)
{
    return flow >= path->first_flow && flow - path->first_flow < path->n_flows;
}

/* Tells the user what became of a packet of his, and takes the packet back. */
static void report(struct weir__path *path, struct weir__packet *packet,
                   enum weir__path_verdict verdict)
{
    struct weir__path_outcome outcome = {
        .token = packet->token,
        .at_ns = path->sim->now_ns,
        .delay_ns = path->sim->now_ns - packet->sent_ns,
        .queue_ns = packet->waited_ns,
        .noise = packet->corrupt ? weir__random_u64(&path->noise) : 0,
        .flow = packet->flow,
        .verdict = verdict,
        .ecn = (enum weir_ecn)packet->ecn,
        .corrupt = packet->corrupt,
        .last = !packet->duplicated,
    };
    weir__packet_give(path->pool, packet);
    path->inside_packets -= outcome.last;
    path->on_outcome(path->user, &outcome);
}

static void on_arrival(void *target, struct weir__packet *packet)
{
    report(target, packet, WEIR__PATH_DELIVERED);
}

static void on_drop(void *target, struct weir__packet *packet, enum weir__drop_reason reason)
{
    report(target, packet, reason == WEIR__DROP_LOSS ? WEIR__PATH_LOST : WEIR__PATH_DROPPED);
}

static void on_service(void *target, struct weir__packet *packet)
{
    struct weir__path *path = target;
    if (is_user_flow(path, packet->flow)) {
        packet->waited_ns = path->sim->now_ns - packet->sent_ns;
    }
}

static enum weir_status refuse(char *error, size_t error_size, const char *what)
{
    weir__text_error(error, error_size, "%s", what);
    return WEIR_ERROR_RANGE;
}

/* Reads a schedule into *steps, which it allocates; an empty text has none. */
static enum weir_status read_steps(const char *text, enum weir__schedule_kind kind,
                                   struct weir__schedule_step **steps, size_t *n_steps,
                                   int64_t *period_ns, char *error, size_t error_size)
{
    if (!text || *text == '\0') {
        return WEIR_OK;
    }
    size_t count = weir__schedule_count(text);
    *steps = calloc(count, sizeof **steps);
    return *steps ? weir__schedule_parse(text, kind, *steps, count, n_steps, period_ns, error,
                                         error_size)
                  : WEIR_ERROR_NO_MEMORY;
}

static void note_delays(struct weir__path *path, const struct weir__link_config *link)
{
    path->least_delay_ns = link->delay_ns;
    path->most_delay_ns = link->delay_ns;
    for (size_t i = 0; i < link->n_delay_steps; i++) {
        int64_t delay_ns = link->delay_steps[i].delay_ns;
        path->least_delay_ns = weir_min_i64(path->least_delay_ns, delay_ns);
        path->most_delay_ns = weir_max_i64(path->most_delay_ns, delay_ns);
    }
}

/* Reads the trace into path->trace_ms. */
static enum weir_status read_trace(struct weir__path *path, const struct weir__path_config *config,
                                   struct weir__link_config *link, char *error, size_t error_size)
{
    char why[160] = "";
    if (!config->trace) {
        return WEIR_OK;
    }
    size_t count = weir__capacity_trace_count(config->trace);
    path->trace_ms = calloc(count, sizeof *path->trace_ms);
    if (!path->trace_ms) {
        return WEIR_ERROR_NO_MEMORY;
    }
    link->trace_ms = path->trace_ms;
    enum weir_status status = weir__capacity_trace_parse(config->trace, path->trace_ms, count,
                                                         &link->n_trace, why, sizeof why);
    if (status != WEIR_OK) {
        weir__text_error(error, error_size, "%s: %s",
                         config->trace_name ? config->trace_name : "trace", why);
    }
    return status;
}

static enum weir_status create_link(struct weir__path *path, const struct weir__path_config *config,
                                    char *error, size_t error_size)
{
    struct weir__link_config link = config->link;
    link.queue.red.mark_ecn = config->mark_ecn;
    link.queue.codel.mark_ecn = config->mark_ecn;
    link.queue.pie.mark_ecn = config->mark_ecn;
    link.on_service = on_service;
    link.service_target = path;
    uint32_t number = 0;
    enum weir_status status = read_steps(config->schedule, WEIR__SCHEDULE_OF_RATES, &path->steps,
                                         &link.n_steps, &link.period_ns, error, error_size);
    if (status == WEIR_OK) {
        status = read_trace(path, config, &link, error, error_size);
    }
    if (status == WEIR_OK) {
        status = read_steps(config->delay_schedule, WEIR__SCHEDULE_OF_DELAYS, &path->delay_steps,
                            &link.n_delay_steps, &link.delay_period_ns, error, error_size);
    }
    if (status != WEIR_OK) {
        return status;
    }
    link.steps = path->steps ? path->steps : link.steps;
    link.delay_steps = path->delay_steps ? path->delay_steps : link.delay_steps;
    note_delays(path, &link);
    const char *fault = weir__link_fault(&link);
    if (fault) {
        return refuse(error, error_size, fault);
    }
    status = weir__network_add_link(path->network, &link, &number);
    if (status == WEIR_ERROR_RANGE) {
        refuse(error, error_size,
               "queue: set a limit above 0; for RED also 0 <= min < max packets, 0 < max_p <= 1 "
               "and 0 <= weight < 1");
    }
    return status;
}

static enum weir_status create_cross(struct weir__path *path,
                                     const struct weir__path_config *config, char *error,
                                     size_t error_size)
{
    struct weir__cross_item items[WEIR__CROSS_ITEMS];
    size_t n_items = 0;
    if (!config->cross_traffic) {
        return WEIR_OK;
    }
    enum weir_status status = weir__crosstraffic_parse(
        config->cross_traffic, items, WEIR__CROSS_ITEMS, &n_items, error, error_size);
    if (status == WEIR_OK) {
        status =
            weir__crosstraffic_init(&path->cross, items, n_items, path->network, config->link.seed);
    }
    path->first_flow = (uint32_t)(path->cross.n_tcp + path->cross.n_cbr);
    return status;
}

/* Twice the packets: each may be duplicated. */
static enum weir_status create_parts(struct weir__path *path,
                                     const struct weir__path_config *config, char *error,
                                     size_t error_size)
{
    enum weir_status status =
        weir__network_create(&path->network, 1, WEIR__CROSS_FLOWS + WEIR__PATH_MAX_FLOWS);
    if (status != WEIR_OK) {
        return status;
    }
    path->sim = weir__network_sim(path->network);
    path->pool = weir__network_pool(path->network);
    path->pool->growing = false;
    status = weir__packet_pool_reserve(path->pool, 2 * config->max_packets);
    if (status == WEIR_OK) {
        status = create_link(path, config, error, error_size);
    }
    if (status == WEIR_OK) {
        path->link = weir__network_link(path->network, 0);
        status = create_cross(path, config, error, error_size);
    }
    return status;
}

static void free_path(struct weir__path *path)
{
    weir__crosstraffic_finish(&path->cross);
    weir__network_destroy(path->network);
    free(path->trace_ms);
    free(path->steps);
    free(path->delay_steps);
    free(path);
}

/* Creates the path at time 0. WEIR_ERROR_RANGE, WEIR_ERROR_MALFORMED (a text) or
 * WEIR_ERROR_NO_MEMORY with a sentence in error; *path is then untouched. */
enum weir_status weir__path_create(struct weir__path **path, const struct weir__path_config *config,
                                   weir__path_on_outcome on_outcome, void *user, char *error,
                                   size_t error_size)
{
    if (!path || !config || !on_outcome) {
        weir__text_error(error, error_size, "path, configuration or callback missing");
        return WEIR_ERROR_ARGUMENT;
    }
    if (config->max_packets < 1 || config->max_packets > MOST_PACKETS) {
        return refuse(error, error_size, "the most packets inside must be 1 to 2^24");
    }
    struct weir__path *fresh = calloc(1, sizeof *fresh);
    enum weir_status status = WEIR_ERROR_NO_MEMORY;
    if (fresh) {
        fresh->on_outcome = on_outcome;
        fresh->user = user;
        fresh->max_packets = config->max_packets;
        weir__random_init(&fresh->noise, config->link.seed, NOISE_STREAM);
        status = create_parts(fresh, config, error, error_size);
    }
    if (status == WEIR_ERROR_NO_MEMORY) {
        weir__text_error(error, error_size, "not enough memory");
    }
    if (status == WEIR_OK) {
        *path = fresh;
    } else if (fresh) {
        free_path(fresh);
    }
    return status;
}

/* Reports the user's packets that are still inside as discarded, then frees. Accepts NULL. */
void weir__path_destroy(struct weir__path *path)
{
    if (!path) {
        return;
    }
    for (struct weir__packet *packet = weir__link_take_inside(path->link); packet;
         packet = weir__link_take_inside(path->link)) {
        if (is_user_flow(path, packet->flow)) {
            report(path, packet, WEIR__PATH_DISCARDED);
        }
    }
    free_path(path);
}

/* One more flow of the user through the bottleneck. Flow numbers are small but do not begin with 0:
 * the cross traffic has some too. WEIR_ERROR_NO_SPACE for more than WEIR__PATH_MAX_FLOWS. */
enum weir_status weir__path_add_flow(struct weir__path *path, uint32_t *flow)
{
    const struct weir__route_config route = {.links = (uint32_t[]){0}, .n_links = 1};
    if (path->n_flows == WEIR__PATH_MAX_FLOWS) {
        return WEIR_ERROR_NO_SPACE;
    }
    enum weir_status status = weir__network_add_route(path->network, &route, 0, flow);
    if (status == WEIR_OK) {
        weir__network_set_end(path->network, *flow,
                              (struct weir__port){.on_packet = on_arrival, .target = path});
        weir__network_set_on_drop(path->network, *flow, on_drop, path);
        path->n_flows++;
    }
    return status;
}

static void drop_at_entrance(struct weir__path *path, const struct weir__path_packet *offered)
{
    struct weir__path_outcome outcome = {.token = offered->token,
                                         .at_ns = path->sim->now_ns,
                                         .flow = offered->flow,
                                         .verdict = WEIR__PATH_DROPPED,
                                         .last = true};
    weir__network_refuse(path->network, offered->flow, offered->size_bytes);
    path->on_outcome(path->user, &outcome);
}

/* Offers a packet of 1 .. WEIR__PATH_MAX_PACKET_BYTES bytes on the wire. Anything else, or a flow
 * that weir__path_add_flow() did not give, is WEIR_ERROR_ARGUMENT and has no outcome. */
enum weir_status weir__path_offer(struct weir__path *path, int64_t now_ns,
                                  const struct weir__path_packet *offered)
{
    if (offered->size_bytes < 1 || offered->size_bytes > WEIR__PATH_MAX_PACKET_BYTES ||
        !is_user_flow(path, offered->flow)) {
        return WEIR_ERROR_ARGUMENT;
    }
    weir__path_run_until(path, now_ns);
    struct weir__packet *packet = NULL;
    if (path->inside_packets < path->max_packets) {
        packet = weir__packet_take(path->pool);
    }
    if (!packet) {
        drop_at_entrance(path, offered);
        return WEIR_OK;
    }
    path->inside_packets++;
    packet->size_bytes = (int32_t)offered->size_bytes;
    packet->flow = offered->flow;
    packet->subflow = offered->subflow;
    packet->token = offered->token;
    packet->ecn = (uint8_t)(offered->ecn & WEIR_ECN_CE);
    packet->sent_ns = path->sim->now_ns;
    struct weir__port entrance = weir__network_port(path->network);
    weir__port_send(&entrance, packet);
    return WEIR_OK;
}

/* When weir__path_run_until() has something to do; WEIR_NEVER_NS = only after another offer. */
int64_t weir__path_next_event_ns(const struct weir__path *path)
{
    return weir__sim_next_event_ns(path->sim);
}

/* Everything that happens up to and including now_ns; a time that goes back does nothing. */
void weir__path_run_until(struct weir__path *path, int64_t now_ns)
{
    weir__sim_run_until(path->sim, now_ns);
}

/* capacity_bps >= 0, from the next packet to start service on, instead of the schedule. */
enum weir_status weir__path_set_capacity(struct weir__path *path, int64_t capacity_bps)
{
    if (capacity_bps < 0) {
        return WEIR_ERROR_RANGE;
    }
    weir__link_set_capacity(path->link, capacity_bps);
    return WEIR_OK;
}

/* 0 .. 3600 s, for packets that begin to propagate from now on, instead of the schedule. */
enum weir_status weir__path_set_delay(struct weir__path *path, int64_t delay_ns)
{
    if (!weir__is_delay(delay_ns)) {
        return WEIR_ERROR_RANGE;
    }
    weir__link_set_delay(path->link, delay_ns);
    path->least_delay_ns = weir_min_i64(path->least_delay_ns, delay_ns);
    path->most_delay_ns = delay_ns;
    return WEIR_OK;
}

/* 0 .. 3600 s, for packets that begin to propagate from now on. */
enum weir_status weir__path_set_jitter(struct weir__path *path, int64_t jitter_ns)
{
    if (!weir__is_delay(jitter_ns)) {
        return WEIR_ERROR_RANGE;
    }
    weir__link_set_jitter(path->link, jitter_ns);
    return WEIR_OK;
}

/* Another loss model, or other parameters, from the next packet on. */
enum weir_status weir__path_set_loss(struct weir__path *path,
                                     const struct weir__link_loss_config *loss)
{
    enum weir_status status = weir__link_loss_check(loss);
    if (status == WEIR_OK) {
        weir__link_set_loss(path->link, loss);
    }
    return status;
}

int64_t weir__path_least_delay_ns(const struct weir__path *path)
{
    return path->least_delay_ns;
}

int64_t weir__path_most_delay_ns(const struct weir__path *path)
{
    return path->most_delay_ns;
}

/* A snapshot at the time of the last run_until or offer. */
void weir__path_get_stats(const struct weir__path *path, struct weir__path_stats *stats)
{
    *stats = (struct weir__path_stats){
        .capacity_bps = weir__link_capacity_bps(path->link),
        .queue_packets = path->link->queue.packets,
        .queue_bytes = path->link->queue.bytes,
        .queue_delay_ns = weir__link_look(path->link).wait_ns,
        .cross = *weir__link_counters(path->link),
        .cross_goodput_bytes = weir__crosstraffic_goodput_bytes(&path->cross),
        .events = path->sim->events,
    };
    for (uint32_t i = 0; i < path->n_flows; i++) {
        const struct weir__packet_counters *flow =
            weir__network_route_counters(path->network, path->first_flow + i);
        weir__packet_counters_add(&stats->user, flow, 1);
        weir__packet_counters_add(&stats->cross, flow, -1);
    }
}

/* WEIR_ERROR_ARGUMENT when there is no such flow. */
enum weir_status weir__path_get_flow_stats(const struct weir__path *path, uint32_t flow,
                                           struct weir__packet_counters *stats)
{
    if (flow >= path->first_flow + path->n_flows) {
        return WEIR_ERROR_ARGUMENT;
    }
    *stats = *weir__network_route_counters(path->network, flow);
    return WEIR_OK;
}
