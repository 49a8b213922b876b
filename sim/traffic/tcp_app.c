/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kinds have in common, and the two that need no more: greedy and finite. */
#include "sim/traffic/tcp_app.h"
#include "sim/traffic/tcp_app_state.h"
#include "weir/units.h"
#include <stdlib.h>

#define FIRST_STREAM     (UINT64_C(5) << 32) /* links, TCP flows, routes and sources are below */
#define MOST_CONNECTIONS 10000
#define MOST_BYTES       (INT64_C(1) << 60)

static int64_t greedy_packets(const struct weir__tcp_app *app)
{
    (void)app;
    return INT64_MAX;
}

static bool is_finite_valid(const struct weir__tcp_app_config *config)
{
    return config->total_bytes > 0 && config->total_bytes <= MOST_BYTES;
}

static int64_t finite_packets(const struct weir__tcp_app *app)
{
    return (app->config.total_bytes + app->payload_bytes - 1) / app->payload_bytes;
}

static void finite_on_done(struct weir__tcp_app *app)
{
    app->meter.completed_ns = app->sim->now_ns;
}

static const struct weir__tcp_app_kind_methods greedy = {
    .first_packets = greedy_packets,
};

static const struct weir__tcp_app_kind_methods finite = {
    .is_valid = is_finite_valid,
    .first_packets = finite_packets,
    .on_done = finite_on_done,
};

static const struct weir__tcp_app_kind_methods *const kinds[] = {
    [WEIR__TCP_GREEDY] = &greedy,         [WEIR__TCP_FINITE] = &finite,
    [WEIR__TCP_FED] = &weir__tcp_app_fed, [WEIR__TCP_STREAM] = &weir__tcp_app_stream,
    [WEIR__TCP_WEB] = &weir__tcp_app_web, [WEIR__TCP_BURSTS] = &weir__tcp_app_bursts,
};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

/* Greedy, one connection with the defaults of weir__tcp_flow_config_default(); for the other kinds
 * the values of docs/scenarios.md. Routes must be set by the caller, and the rate of a source. */
void weir__tcp_app_config_default(struct weir__tcp_app_config *config)
{
    *config = (struct weir__tcp_app_config){
        .kind = WEIR__TCP_GREEDY,
        .n_connections = 1,
        .pages = 30,
        .objects = 10,
        .mean_packets = 400.0,
        .shape = 1.002,
        .page_gap_ns = WEIR_SECONDS(1),
        .object_gap_ns = WEIR_MS(10),
        .repeat = true,
        .min_bytes = 30000,
        .max_bytes = 50000,
        .idle_ns = WEIR_SECONDS(10),
        .stop_ns = WEIR_NEVER_NS,
        .seed = 1,
    };
    weir__tcp_flow_config_default(&config->tcp);
    weir__source_config_default(&config->source, WEIR__SOURCE_CBR);
}

static bool is_valid(const struct weir__tcp_app_config *config)
{
    uint32_t most = config->kind == WEIR__TCP_BURSTS ? MOST_CONNECTIONS : 1;
    return (size_t)config->kind < N_KINDS && config->n_connections >= 1 &&
           config->n_connections <= most && config->start_ns >= 0 &&
           weir__tcp_flow_check(&config->tcp) == WEIR_OK &&
           (!kinds[config->kind]->is_valid || kinds[config->kind]->is_valid(config));
}

static void on_done(void *target)
{
    struct weir__tcp_app *app = target;
    if (app->methods->on_done) {
        app->methods->on_done(app);
    }
}

static void on_arrived(void *target, int64_t delay_ns)
{
    struct weir__tcp_app *app = target;
    weir__histogram_add(app->meter.delay, delay_ns);
}

/* Between the data route, which ends at the sink, and the route of the ACKs. */
static enum weir_status init_connection(struct weir__tcp_app *app, struct weir__network *network,
                                        uint32_t i)
{
    struct weir__tcp_flow_config tcp = app->config.tcp;
    struct weir__tcp_flow *flow = &app->flows[i];
    tcp.tcp.flow = app->config.routes[i];
    tcp.ack_flow = app->config.back_routes[i];
    tcp.tcp.start_ns = app->config.start_ns;
    tcp.tcp.stop_ns = app->config.stop_ns;
    tcp.tcp.total_packets = app->methods->first_packets ? app->methods->first_packets(app) : 0;
    tcp.tcp.on_done = on_done;
    tcp.tcp.done_target = app;
    tcp.forward = weir__network_port(network);
    tcp.backward = tcp.forward;
    tcp.access_ns = 0;
    tcp.access_jitter_ns = 0;
    enum weir_status status =
        weir__tcp_flow_init(flow, app->sim, weir__network_pool(network), &tcp);
    app->n_connections++;
    weir__network_set_end(network, tcp.tcp.flow, weir__tcp_sink_port(&flow->sink));
    weir__network_set_end(network, tcp.ack_flow, weir__tcp_port(&flow->sender));
    weir__network_pair(network, tcp.tcp.flow, tcp.ack_flow);
    return status;
}

static enum weir_status init(struct weir__tcp_app *app, struct weir__network *network)
{
    enum weir_status status = WEIR_OK;
    weir__random_init(&app->random, app->config.seed, FIRST_STREAM + app->config.routes[0]);
    app->meter.completed_ns = WEIR_NEVER_NS;
    if (app->config.measure_delay) {
        status = weir__histogram_create(&app->meter.delay);
        app->config.tcp.observer.on_arrived = on_arrived;
        app->config.tcp.observer.target = app;
    }
    if (status == WEIR_OK && app->config.measure_delay && app->config.kind == WEIR__TCP_STREAM) {
        status = weir__histogram_create(&app->meter.lateness);
    }
    for (uint32_t i = 0; i < app->config.n_connections && status == WEIR_OK; i++) {
        status = init_connection(app, network, i);
    }
    return status == WEIR_OK && app->methods->init ? app->methods->init(app) : status;
}

/* An application that starts by itself. The lists of routes are not needed afterwards. Errors:
 * WEIR_ERROR_RANGE; WEIR_ERROR_NO_MEMORY and WEIR_ERROR_NO_SPACE, after which the network must not
 * run any more (timers of the failed object are armed). *app is then untouched. */
enum weir_status weir__tcp_app_create(struct weir__tcp_app **app, struct weir__network *network,
                                      const struct weir__tcp_app_config *config)
{
    if (!is_valid(config)) {
        return WEIR_ERROR_RANGE;
    }
    struct weir__tcp_app *fresh =
        calloc(1, sizeof *fresh + config->n_connections * sizeof fresh->flows[0]);
    if (!fresh) {
        return WEIR_ERROR_NO_MEMORY;
    }
    fresh->methods = kinds[config->kind];
    fresh->config = *config;
    fresh->config.tcp.observer = (struct weir__tcp_observer){.target = NULL};
    fresh->sim = weir__network_sim(network);
    fresh->payload_bytes = config->tcp.tcp.packet_bytes - config->tcp.header_bytes;
    enum weir_status status = init(fresh, network);
    if (status != WEIR_OK) {
        weir__tcp_app_destroy(fresh);
        return status;
    }
    *app = fresh;
    return WEIR_OK;
}

/* The simulation must not run afterwards. Accepts NULL. */
void weir__tcp_app_destroy(struct weir__tcp_app *app)
{
    if (!app) {
        return;
    }
    for (uint32_t i = 0; i < app->n_connections; i++) {
        weir__tcp_flow_finish(&app->flows[i]);
    }
    weir__source_destroy(app->source);
    weir__histogram_destroy(app->meter.delay);
    weir__histogram_destroy(app->meter.lateness);
    free(app);
}

static void add_flow(struct weir__flow_meter *meter, const struct weir__tcp_flow *flow)
{
    const struct weir__tcp_stats *stats = &flow->sender.stats;
    const struct weir__tcp_sink *sink = &flow->sink;
    meter->sent_packets += stats->sent_packets;
    meter->sent_bytes += stats->sent_packets * flow->sender.config.packet_bytes;
    meter->resent_packets += stats->resent_packets;
    meter->timeouts += stats->timeouts;
    meter->recoveries += stats->recoveries;
    meter->received_packets += sink->arrived_packets;
    meter->received_bytes += sink->arrived_bytes;
    meter->goodput_bytes += sink->goodput_bytes;
    meter->marked_packets += sink->marked_packets;
    meter->delay_sum_ns += sink->delay_sum_ns;
    meter->feedback_packets += sink->acks;
    meter->feedback_bytes += sink->acks * sink->config.ack_bytes;
}

/* Brings the meter up to date: all connections together. completed_ns is the time of the
 * simulation at which the last ACK of a finite transfer, or of a web session that is not repeated,
 * has come. */
const struct weir__flow_meter *weir__tcp_app_meter(struct weir__tcp_app *app)
{
    app->meter = (struct weir__flow_meter){
        .generated_packets = app->written_packets,
        .generated_bytes = app->source ? weir__source_bytes(app->source) : 0,
        .completed_ns = app->meter.completed_ns,
        .delay = app->meter.delay,
        .lateness = app->meter.lateness,
    };
    for (uint32_t i = 0; i < app->n_connections; i++) {
        add_flow(&app->meter, &app->flows[i]);
    }
    return &app->meter;
}

/* The windows (at most the receiver's) of all connections, and the smoothed round trip of the first
 * that knows one. */
void weir__tcp_app_get_state(const struct weir__tcp_app *app, struct weir__flow_state *state)
{
    *state = (struct weir__flow_state){.rtt_ns = WEIR_UNKNOWN_NS};
    for (uint32_t i = 0; i < app->n_connections; i++) {
        const struct weir__tcp *sender = &app->flows[i].sender;
        state->window_packets += weir__tcp_window(sender);
        if (state->rtt_ns == WEIR_UNKNOWN_NS && sender->rto.srtt_ns > 0) {
            state->rtt_ns = sender->rto.srtt_ns;
        }
    }
}
