/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gcc's probes by themselves: which come after which, and what a result proves. */
#include "controllers/gcc_probe.h"

#include "../../test.h"

/* Of a probe of 1 Mbit/s and 6000 bytes that arrived as a whole. */
static struct weir_probe_result arrived(int64_t sent_bps, int64_t delivered_bps)
{
    return (struct weir_probe_result){.asked_bytes = 6000,
                                      .asked_bps = WEIR_MBPS(1),
                                      .sent_bytes = 6000,
                                      .received_bytes = 6000,
                                      .sent_bps = sent_bps,
                                      .delivered_bps = delivered_bps};
}

/* What proves a rate, at 500 kbit/s acknowledged. */
static void test_what_a_result_proves(void)
{
    static const struct {
        int64_t sent_bytes, received_bytes, sent_bps, delivered_bps;
        double proved_bps;
    } rows[] = {
        {6000, 6000, 1000000, 1000000, 1000000},
        {6000, 6000, 1000000, 1200000, 1000000},      /* no more than was sent */
        {6000, 6000, 1000000, 950000, 950000},        /* jitter */
        {6000, 6000, 1000000, 800000, 0.95 * 800000}, /* a queue */
        {6000, 4800, 1000000, 1000000, 1000000},      /* 80 % arrived */
        {6000, 4799, 1000000, 1000000, 0},
        {4800, 4800, 1000000, 1000000, 1000000}, /* 80 % left */
        {4799, 4799, 1000000, 1000000, 0},
        {6000, 6000, 800000, 800000, 800000}, /* at 80 % of the rate */
        {6000, 6000, 799999, 799999, 0},
        {6000, 6000, 1000000, 2000000, 1000000},
        {6000, 6000, 1000000, 2000001, 0}, /* held up, and let go together */
        {6000, 6000, 1000000, 440000, 0},  /* less than 0.85 of what is acknowledged */
        {6000, 6000, 1000000, 0, 0},
        {6000, 6000, 0, 0, 0},
        {0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__gcc_probe probe;
        weir__gcc_probe_init(&probe, 1e6 / 3.0);
        struct weir_probe_result result = arrived(rows[i].sent_bps, rows[i].delivered_bps);
        result.sent_bytes = rows[i].sent_bytes;
        result.received_bytes = rows[i].received_bytes;
        assert_near(weir__gcc_probe_take(&probe, &result, 500000.0), rows[i].proved_bps, 1e-6);
    }
}

/* Takes the probe that is wanted, of which share is delivered; returns what was asked for. */
static double probe_once(struct weir__gcc_probe *probe, double max_bps, double share)
{
    double asked_bps = weir__gcc_probe_bps(probe, max_bps);
    struct weir_probe_result result = arrived((int64_t)asked_bps, (int64_t)(share * asked_bps));
    result.asked_bps = (int64_t)asked_bps;
    weir__gcc_probe_take(probe, &result, 0.0);
    return asked_bps;
}

/* 3 and 6 times the start rate, and on from there while most of it arrives. */
static void test_they_go_on_while_most_arrives(void)
{
    struct weir__gcc_probe probe;
    weir__gcc_probe_init(&probe, 500000.0);
    assert_near(probe_once(&probe, 1e9, 0.1), 1.5e6, 1e-6);
    assert_near(probe_once(&probe, 1e9, 1.0), 3e6, 1e-6);
    assert_near(probe_once(&probe, 1e9, 0.75), 6e6, 1e-6);
    assert_near(probe_once(&probe, 1e9, 0.73), 2.0 * 0.95 * 0.75 * 6e6, 1.0);
    assert_near(weir__gcc_probe_bps(&probe, 1e9), 0.0, 1e-6);
}

/* What is proved at the maximum needs no proof beyond it. */
static void test_they_end_at_the_maximum(void)
{
    struct weir__gcc_probe probe;
    weir__gcc_probe_init(&probe, 500000.0);
    assert_near(probe_once(&probe, 2e6, 1.0), 1.5e6, 1e-6);
    assert_near(probe_once(&probe, 2e6, 1.0), 2e6, 1e-6);
    assert_near(weir__gcc_probe_bps(&probe, 2e6), 0.0, 1e-6);
}

/* A program that sends nothing in addition is asked twice. */
static void test_they_end_where_nothing_is_sent(void)
{
    struct weir__gcc_probe probe;
    weir__gcc_probe_init(&probe, 500000.0);
    probe_once(&probe, 1e9, 0.0);
    probe_once(&probe, 1e9, 0.0);
    assert_near(weir__gcc_probe_bps(&probe, 1e9), 0.0, 1e-6);
}

/* Five packets, or 15 ms. */
static void test_their_size(void)
{
    g_assert_cmpint(weir__gcc_probe_bytes(1.5e6, 1200), ==, 6000);
    g_assert_cmpint(weir__gcc_probe_bytes(4e6, 1200), ==, 7500);
    g_assert_cmpint(weir__gcc_probe_bytes(0.0, 1200), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/gcc_probe/" #name, test_##name)
    ADD(what_a_result_proves);
    ADD(they_go_on_while_most_arrives);
    ADD(they_end_at_the_maximum);
    ADD(they_end_where_nothing_is_sent);
    ADD(their_size);
    return g_test_run();
}
