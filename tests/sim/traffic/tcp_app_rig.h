/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An application over TCP on a network of one duplex link: routes 2 i for the data of connection i,
 * 2 i + 1 for its ACKs. */
#ifndef WEIR_TESTS_SIM_TCP_APP_RIG_H
#define WEIR_TESTS_SIM_TCP_APP_RIG_H

#include "../test.h"
#include "sim/traffic/tcp_app.h"
#include "sim/traffic/tcp_app_state.h"
#include "weir/units.h"

#define RIG_CONNECTIONS 40

struct app_rig {
    struct weir__network *network;
    struct weir__sim *sim;
    struct weir__tcp_app *app;
    uint32_t routes[RIG_CONNECTIONS];
    uint32_t back_routes[RIG_CONNECTIONS];
};

/* capacity_bps forward, the same back; 20 ms each way. */
static inline struct app_rig *app_rig_new(int64_t capacity_bps, struct weir__link_loss_config loss)
{
    struct app_rig *rig = g_new0(struct app_rig, 1);
    struct weir__link_config link = {.capacity_bps = capacity_bps,
                                     .delay_ns = WEIR_MS(20),
                                     .queue = {.limit = {.packets = 100}},
                                     .loss = loss,
                                     .seed = 1};
    uint32_t links[2];
    g_assert_cmpint(weir__network_create(&rig->network, 2, 2 * RIG_CONNECTIONS), ==, WEIR_OK);
    g_assert_cmpint(weir__network_add_link(rig->network, &link, &links[0]), ==, WEIR_OK);
    link.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_NONE};
    g_assert_cmpint(weir__network_add_link(rig->network, &link, &links[1]), ==, WEIR_OK);
    for (size_t i = 0; i < RIG_CONNECTIONS; i++) {
        struct weir__route_config route = {.links = &links[0], .n_links = 1};
        g_assert_cmpint(weir__network_add_route(rig->network, &route, 1, &rig->routes[i]), ==,
                        WEIR_OK);
        route.links = &links[1];
        g_assert_cmpint(weir__network_add_route(rig->network, &route, 1, &rig->back_routes[i]), ==,
                        WEIR_OK);
    }
    rig->sim = weir__network_sim(rig->network);
    return rig;
}

static inline struct weir__link_loss_config no_loss(void)
{
    return (struct weir__link_loss_config){.model = WEIR__LOSS_NONE};
}

static inline void app_rig_start(struct app_rig *rig, struct weir__tcp_app_config config)
{
    config.routes = rig->routes;
    config.back_routes = rig->back_routes;
    g_assert_cmpint(weir__tcp_app_create(&rig->app, rig->network, &config), ==, WEIR_OK);
}

static inline struct weir__tcp_app_config app_config(enum weir__tcp_app_kind kind)
{
    struct weir__tcp_app_config config;
    weir__tcp_app_config_default(&config);
    config.kind = kind;
    return config;
}

static inline void app_rig_free(struct app_rig *rig)
{
    weir__tcp_app_destroy(rig->app);
    weir__network_destroy(rig->network);
    g_free(rig);
}

#endif
