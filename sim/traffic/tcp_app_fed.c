/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TCP fed by a source. Sources of even units (CBR, Pareto, voice) whose units fit into a packet get
 * packets of that size, one per unit. What others offer is a stream of bytes, cut into full
 * packets; the rest waits for the next unit. What TCP has not sent yet is only counted.
 *
 * A stream is even media of which packet i is due at start + i / rate: how late the application
 * gets it, in order, is measured. */
#include "sim/traffic/tcp_app_state.h"
#include "weir/units.h"

#define SECOND_NS INT64_C(1000000000)

static bool has_even_units(const struct weir__source_config *source)
{
    return source->kind == WEIR__SOURCE_CBR || source->kind == WEIR__SOURCE_PARETO ||
           source->kind == WEIR__SOURCE_VOIP;
}

static bool fits(const struct weir__tcp_app_config *config)
{
    int64_t payload_bytes = config->tcp.tcp.packet_bytes - config->tcp.header_bytes;
    return has_even_units(&config->source) && config->source.unit_bytes <= payload_bytes;
}

static bool is_fed_valid(const struct weir__tcp_app_config *config)
{
    return weir__source_check(&config->source) == WEIR_OK;
}

static bool is_stream_valid(const struct weir__tcp_app_config *config)
{
    const struct weir__source_config *source = &config->source;
    return is_fed_valid(config) && source->kind == WEIR__SOURCE_CBR && source->on_ns == 0 &&
           source->n_steps == 0 && fits(config);
}

static void on_unit(void *target, const struct weir__unit *unit)
{
    struct weir__tcp_app *app = target;
    (void)unit;
    int64_t packets = weir__source_bytes(app->source) / app->payload_bytes - app->written_packets;
    app->written_packets += packets;
    weir__tcp_write(&app->flows[0].sender, packets);
}

static enum weir_status init_fed(struct weir__tcp_app *app)
{
    struct weir__source_config *source = &app->config.source;
    source->on_unit = on_unit;
    source->target = app;
    source->start_ns = weir_max_i64(source->start_ns, app->config.start_ns);
    source->stop_ns = weir_min_i64(source->stop_ns, app->config.stop_ns);
    if (fits(&app->config)) {
        app->payload_bytes = source->unit_bytes;
        app->flows[0].sender.config.packet_bytes =
            source->unit_bytes + app->config.tcp.header_bytes;
    }
    return weir__source_create(&app->source, app->sim, source);
}

static void on_delivered(void *target, int64_t first, int64_t end)
{
    struct weir__tcp_app *app = target;
    int64_t rate_bps = app->config.source.rate_bps;
    int64_t bit_ns = app->payload_bytes * 8 * SECOND_NS;
    for (int64_t seq = first; seq < end; seq++) {
        weir__histogram_add(app->meter.lateness, app->sim->now_ns - app->due_ns);
        app->due_ns += (bit_ns + app->due_remainder) / rate_bps;
        app->due_remainder = (bit_ns + app->due_remainder) % rate_bps;
    }
}

static enum weir_status init_stream(struct weir__tcp_app *app)
{
    enum weir_status status = init_fed(app);
    app->due_ns = app->config.source.start_ns;
    if (app->meter.lateness) {
        app->flows[0].sink.config.observer.on_delivered = on_delivered;
    }
    return status;
}

const struct weir__tcp_app_kind_methods weir__tcp_app_fed = {
    .is_valid = is_fed_valid,
    .init = init_fed,
};

const struct weir__tcp_app_kind_methods weir__tcp_app_stream = {
    .is_valid = is_stream_valid,
    .init = init_stream,
};
