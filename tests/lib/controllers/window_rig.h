/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A window scheme on a path of 100 ms without a queue, round by round: the whole window leaves at
 * once, and is reported one round-trip time later in one feedback per packet. */
#ifndef WEIR_TESTS_WINDOW_RIG_H
#define WEIR_TESTS_WINDOW_RIG_H

#include "../../test.h"
#include "control/driver.h"
#include "controllers/window.h"

#include <math.h>

struct rig {
    const struct weir_controller *controller;
    struct weir__driver driver;
    double params[WEIR_MAX_PARAMS];
    int64_t now_ns;
    int64_t rtt_ns;
    int64_t packet_bytes;
    bool data_limited;
    int64_t n_sent;
    int64_t n_heard;
    int64_t n_lost;
};

static inline struct window *rig_window(struct rig *rig)
{
    return (struct window *)(void *)rig->driver.state;
}

static inline void rig_init(struct rig *rig, const char *name,
                            const struct weir_param_value *params, size_t n_params)
{
    *rig = (struct rig){.rtt_ns = WEIR_MS(100), .packet_bytes = 1000};
    rig->controller = weir__controller_find(name);
    g_assert_nonnull(rig->controller);
    g_assert_cmpint(weir__params_resolve(rig->controller, params, n_params, rig->params, NULL), ==,
                    WEIR_OK);
    struct weir_config config = {
        .params = rig->params,
        .limits = {.min_bps = 1000, .max_bps = INT64_C(10000000000), .start_bps = 300000},
        .packet_bytes = 1000,
        .seed = 1};
    weir__driver_init(&rig->driver, config.packet_bytes);
    weir__driver_start(&rig->driver, rig->controller, &config, WEIR_UNKNOWN_NS, 0);
}

static inline void rig_send(struct rig *rig, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        struct weir_sent_packet sent = {.seq = rig->n_sent++,
                                        .sent_ns = rig->now_ns,
                                        .wire_bytes = rig->packet_bytes,
                                        .in_flight_bytes = rig->packet_bytes,
                                        .network_limited = !rig->data_limited};
        weir__driver_on_sent(&rig->driver, &sent);
    }
}

/* The next packet that was not heard of yet. */
static inline void rig_hear(struct rig *rig, enum weir_packet_status status, bool ecn_ce)
{
    bool arrived = status != WEIR_PACKET_LOST;
    struct weir_packet_report packet = {.seq = rig->n_heard++,
                                        .sent_ns = rig->now_ns - rig->rtt_ns,
                                        .arrived_ns = arrived ? rig->now_ns - rig->rtt_ns / 2
                                                              : WEIR_UNKNOWN_NS,
                                        .wire_bytes = rig->packet_bytes,
                                        .status = status,
                                        .ecn = ecn_ce ? WEIR_ECN_CE : WEIR_ECN_NOT_ECT};
    struct weir_feedback feedback = {.now_ns = rig->now_ns,
                                     .rtt_ns = arrived ? rig->rtt_ns : WEIR_UNKNOWN_NS,
                                     .packets = &packet,
                                     .n_packets = 1};
    rig->n_lost += !arrived;
    weir__driver_on_feedback(&rig->driver, &feedback);
}

static inline void rig_ack(struct rig *rig, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        rig_hear(rig, WEIR_PACKET_RECEIVED, false);
    }
}

/* A round of n packets of which each lose_every-th is lost (0 = none). */
static inline void rig_round(struct rig *rig, int64_t n, int64_t lose_every)
{
    rig_send(rig, n);
    rig->now_ns += rig->rtt_ns;
    while (rig->n_heard < rig->n_sent) {
        bool lost = lose_every > 0 && (rig->n_heard + 1) % lose_every == 0;
        rig_hear(rig, lost ? WEIR_PACKET_LOST : WEIR_PACKET_RECEIVED, false);
    }
}

/* Mean window over `rounds` (a tenth of them with sanitizers) of a flow that loses each
 * lose_every-th packet, after as many rounds of warming up, as a share of TCP's sqrt(1.5/p). */
static inline double rig_share(const char *name, const struct weir_param_value *params,
                               size_t n_params, int64_t lose_every, int rounds)
{
    static struct rig rig;
    double sum = 0.0;
    rounds /= TEST_IS_SANITIZED ? 10 : 1;
    rig_init(&rig, name, params, n_params);
    for (int i = 0; i < 2 * rounds; i++) {
        double cwnd = rig_window(&rig)->cwnd;
        sum += i < rounds ? 0.0 : cwnd;
        rig_round(&rig, (int64_t)floor(cwnd + 1e-9), lose_every);
    }
    return sum / rounds / sqrt(1.5 * (double)lose_every);
}

/* Mean window of a flow that loses a packet after gaps of rounds: 20 on the mean, exponential but
 * for a shift, with the variation cv. */
static inline double rig_timed_mean(const char *name, const struct weir_param_value *params,
                                    size_t n_params, double cv)
{
    static struct rig rig;
    GRand *random = g_rand_new_with_seed(5);
    double sum = 0.0;
    int64_t rounds = 0;
    rig_init(&rig, name, params, n_params);
    rig_window(&rig)->ssthresh = 30.0;
    for (int loss = 0; loss < 1000; loss++) {
        double spread = -log(1.0 - g_rand_double(random)) - 1.0;
        int64_t gap = llround(fmax(1.0, 20.0 * (1.0 + cv * spread)));
        for (int64_t round = 1; round <= gap; round++) {
            double cwnd = rig_window(&rig)->cwnd;
            int64_t n = (int64_t)floor(cwnd + 1e-9);
            sum += loss < 100 ? 0.0 : cwnd;
            rounds += loss < 100 ? 0 : 1;
            rig_send(&rig, n);
            rig.now_ns += rig.rtt_ns;
            rig_ack(&rig, n - 1);
            rig_hear(&rig, round == gap ? WEIR_PACKET_LOST : WEIR_PACKET_RECEIVED, false);
        }
    }
    g_rand_free(random);
    return sum / (double)rounds;
}

/* As a share of TCP's, for cv = 0, 1/2 and 1. */
static inline void rig_assert_timed_shares(const char *name, const double expected[3])
{
    static const struct weir_param_value tcp[] = {{.name = "gaimd-beta", .value = 0.5}};
    for (int i = 0; i < 3; i++) {
        double cv = 0.5 * i;
        double share = rig_timed_mean(name, NULL, 0, cv) / rig_timed_mean("gaimd", tcp, 1, cv);
        g_test_message("%s, CV %.1f: %.3f of TCP's window, expected %.3f", name, cv, share,
                       expected[i]);
        assert_near(share, expected[i], 0.03);
    }
}

#endif
