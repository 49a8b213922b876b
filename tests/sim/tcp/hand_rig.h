/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP sender whose packets are collected and whose ACKs are made by hand. */
#ifndef WEIR_TESTS_SIM_TCP_HAND_RIG_H
#define WEIR_TESTS_SIM_TCP_HAND_RIG_H

#include "sim/sim_test.h"
#include "sim/tcp/recovery.h"
#include "weir/units.h"

/* A sender with a window of `window` packets under way, numbered from 0; ACKs by hand. */
struct rig {
    struct bench *b;
    struct weir__tcp tcp;
    size_t seen;
};

static inline struct rig *rig_new(enum weir__tcp_variant variant, int64_t window)
{
    struct rig *rig = g_new0(struct rig, 1);
    struct weir__tcp_config config;
    rig->b = bench_new(2000);
    weir__tcp_config_default(&config);
    config.variant = variant;
    config.initial_window_packets = window;
    config.initial_ssthresh_packets = window;
    config.out = collector_port(&rig->b->out);
    g_assert_cmpint(weir__tcp_init(&rig->tcp, &rig->b->sim, &rig->b->pool, &config), ==, WEIR_OK);
    weir__sim_run_until(&rig->b->sim, 0);
    rig->seen = rig->b->out.n;
    return rig;
}

static inline void rig_free(struct rig *rig)
{
    weir__tcp_finish(&rig->tcp);
    bench_free(rig->b);
    g_free(rig);
}

/* The packets sent since the last call, as "a b c ". */
static inline void assert_sent(struct rig *rig, const char *expected)
{
    GString *text = g_string_new(NULL);
    for (; rig->seen < rig->b->out.n; rig->seen++) {
        g_string_append_printf(text, "%d ", (int)rig->b->out.seen[rig->seen].seq);
    }
    g_assert_cmpstr(text->str, ==, expected);
    g_string_free(text, TRUE);
}

static inline void ack(struct rig *rig, int64_t number)
{
    weir__tcp_on_ack(&rig->tcp, number, NULL, 0);
}

static inline void sack(struct rig *rig, int64_t number, int64_t first, int64_t last)
{
    struct weir__sack_block block = {.first = first, .last = last};
    weir__tcp_on_ack(&rig->tcp, number, &block, 1);
}

#endif
