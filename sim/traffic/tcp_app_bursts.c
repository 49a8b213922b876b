/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Short TCP flows of RFC 8868: so many connections at once, each of a uniformly drawn size; when
 * the last is done, an exponential pause. */
#include "sim/traffic/tcp_app_state.h"
#include "weir/units.h"

#define MOST_BYTES   INT64_C(1000000000000)
#define MOST_IDLE_NS INT64_C(1000000000000000)

static bool is_valid(const struct weir__tcp_app_config *config)
{
    return config->min_bytes >= 1 && config->max_bytes >= config->min_bytes &&
           config->max_bytes <= MOST_BYTES && config->idle_ns >= 0 &&
           config->idle_ns <= MOST_IDLE_NS;
}

static int64_t draw_packets(struct weir__tcp_app *app)
{
    int64_t range_bytes = app->config.max_bytes - app->config.min_bytes + 1;
    int64_t bytes = app->config.min_bytes + weir__random_below(&app->random, range_bytes);
    return (bytes + app->payload_bytes - 1) / app->payload_bytes;
}

static void on_time(void *target)
{
    struct weir__tcp_app *app = target;
    app->busy = app->n_connections;
    for (uint32_t i = 0; i < app->n_connections; i++) {
        weir__tcp_flow_restart(&app->flows[i], draw_packets(app));
    }
}

static void wait_idle(struct weir__tcp_app *app, int64_t from_ns)
{
    int64_t idle_ns = (int64_t)weir__random_exponential(&app->random, (double)app->config.idle_ns);
    weir__timer_set(&app->timer, app->sim, weir_time_add_ns(from_ns, idle_ns));
}

static void on_done(struct weir__tcp_app *app)
{
    app->busy--;
    if (app->busy == 0) {
        wait_idle(app, app->sim->now_ns);
    }
}

static enum weir_status init(struct weir__tcp_app *app)
{
    weir__timer_init(&app->timer, app->sim, on_time, app);
    if (app->config.begins_off) {
        wait_idle(app, app->config.start_ns);
    } else {
        weir__timer_set(&app->timer, app->sim, app->config.start_ns);
    }
    return WEIR_OK;
}

const struct weir__tcp_app_kind_methods weir__tcp_app_bursts = {
    .is_valid = is_valid,
    .init = init,
    .on_done = on_done,
};
