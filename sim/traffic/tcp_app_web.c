/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Web pages as in HTTP/1.0: each object is a TCP connection, one after the other. An object has
 * ceil(V) packets, V of ns-2's ParetoII: scale (U^(-1/shape) - 1), scale = mean (shape - 1). The
 * gaps, from the end of one object to the beginning of the next, are exponential. */
#include "sim/base/elementary.h"
#include "sim/traffic/tcp_app_state.h"
#include "weir/units.h"
#include <math.h>

#define MOST_OBJECT_PACKETS                                                                        \
    1e6 /* the tail of shape 1.002 has no end that a simulation would see                          \
         */
#define MOST_MEAN_PACKETS 1e9
#define MOST_GAP_NS       INT64_C(1000000000000000)
#define MOST_COUNT        INT64_C(1000000000)

static bool is_valid(const struct weir__tcp_app_config *config)
{
    return config->pages >= 1 && config->pages <= MOST_COUNT && config->objects >= 1 &&
           config->objects <= MOST_COUNT && config->mean_packets > 0.0 &&
           config->mean_packets <= MOST_MEAN_PACKETS && config->shape > 1.0 &&
           config->shape <= 100.0 && config->page_gap_ns >= 0 &&
           config->page_gap_ns <= MOST_GAP_NS && config->object_gap_ns >= 0 &&
           config->object_gap_ns <= MOST_GAP_NS;
}

static int64_t draw_object(struct weir__tcp_app *app)
{
    double scale = app->config.mean_packets * (app->config.shape - 1.0);
    double u = 1.0 - weir__random_uniform(&app->random);
    double packets = ceil(scale * (weir__exp(-weir__log(u) / app->config.shape) - 1.0));
    packets = packets < MOST_OBJECT_PACKETS ? packets : MOST_OBJECT_PACKETS;
    return packets > 1.0 ? (int64_t)packets : 1;
}

static void on_time(void *target)
{
    struct weir__tcp_app *app = target;
    weir__tcp_flow_restart(&app->flows[0], draw_object(app));
}

static void wait_for_next(struct weir__tcp_app *app, int64_t mean_ns)
{
    int64_t gap_ns = (int64_t)weir__random_exponential(&app->random, (double)mean_ns);
    weir__timer_set(&app->timer, app->sim, weir_time_add_ns(app->sim->now_ns, gap_ns));
}

static void begin_session(struct weir__tcp_app *app)
{
    app->pages_left = app->config.pages;
    app->objects_left = app->config.objects;
}

static void on_done(struct weir__tcp_app *app)
{
    app->objects_left--;
    if (app->objects_left > 0) {
        wait_for_next(app, app->config.object_gap_ns);
        return;
    }
    app->objects_left = app->config.objects;
    app->pages_left--;
    if (app->pages_left == 0 && !app->config.repeat) {
        app->meter.completed_ns = app->sim->now_ns;
        return;
    }
    if (app->pages_left == 0) {
        begin_session(app);
    }
    wait_for_next(app, app->config.page_gap_ns);
}

static enum weir_status init(struct weir__tcp_app *app)
{
    weir__timer_init(&app->timer, app->sim, on_time, app);
    begin_session(app);
    weir__timer_set(&app->timer, app->sim, app->config.start_ns);
    return WEIR_OK;
}

const struct weir__tcp_app_kind_methods weir__tcp_app_web = {
    .is_valid = is_valid,
    .init = init,
    .on_done = on_done,
};
