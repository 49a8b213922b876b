/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NADA's known answers, by hand from RFC 8698 with RMIN 30 kbit/s and RMAX 10 Mbit/s. Packets leave
 * each 10 ms and take 50 ms when nothing queues. */
#include "steps.h"

/* In the 540 ms from 100 ms on, where the window begins, 55 packets arrived: r_recv 814815 bit/s,
 * of which gamma = 50/(100 + 100 + 120) is 15.625 % more. */
#define EMPTY_PATH SEND(0, 60, 10000), ACK(700000, 0, 59)

static const struct vector_step nada_steps_start[] = {
    EXPECT(0, 300000.0),
    END,
};

static const struct vector_step nada_steps_ramp_up[] = {
    EMPTY_PATH,
    VARIABLE(700000, "received_bps", 814814.814815),
    VARIABLE(700000, "ramps_up", 1.0),
    EXPECT(700000, 942129.0),
    END,
};

/* delta/2 after an update there is another one, and before that none. */
static const struct vector_step nada_steps_interval[] = {
    SEND(0, 60, 10000),
    ACK(600000, 0, 40),
    VARIABLE(600000, "updates", 1.0),
    ACK(649000, 41, 45),
    VARIABLE(649000, "updates", 1.0),
    ACK(650000, 46, 50),
    VARIABLE(650000, "updates", 2.0),
    END,
};

/* x 15 ms where x_ref is 106.1 ms, and x_diff 15 ms; 720 ms count as three deltas. */
static const struct vector_step nada_steps_gradual[] = {
    EMPTY_PATH,
    SEND(700000, 60, 10000),
    ACK_AFTER(1420000, 60, 119, 130000),
    VARIABLE(1420000, "ramps_up", 0.0),
    VARIABLE(1420000, "signal_ns", 15e6),
    EXPECT(1420000, 965386.0),
    END,
};

/* The same with twice the weight: x_ref is 212.3 ms. */
static const struct vector_step nada_steps_prio[] = {
    EMPTY_PATH,
    SEND(700000, 60, 10000),
    ACK_AFTER(1420000, 60, 119, 130000),
    EXPECT(1420000, 1025386.0),
    END,
};

/* 4 of 59 lost in the window, alpha 0.1: p_loss is 0.678 %, and x 10 ms times the square of that.
 */
static const struct vector_step nada_steps_loss[] = {
    EMPTY_PATH,
    SEND(700000, 60, 10000),
    ACK(1300000, 64, 68),
    VARIABLE(1300000, "ramps_up", 1.0),
    LOSE(1310000, 60, 63),
    VARIABLE(1310000, "loss_interval_packets", 65.0),
    ACK(1420000, 69, 119),
    VARIABLE(1420000, "ramps_up", 0.0),
    VARIABLE(1420000, "since_loss_packets", 60.0),
    VARIABLE(1420000, "loss_ratio", 0.00677966101695),
    VARIABLE(1420000, "signal_ns", 4596380.35047),
    EXPECT(1420000, 956429.0),
    END,
};

/* A queue of 100 ms while there are losses counts as 50 exp(-0.5) ms. */
static const struct vector_step nada_steps_warp[] = {
    EMPTY_PATH,
    SEND(700000, 60, 10000),
    ACK(1300000, 61, 68),
    LOSE(1310000, 60, 60),
    ACK_AFTER(1590000, 69, 119, 300000),
    VARIABLE(1590000, "queue_ns", 100e6),
    VARIABLE(1590000, "warped_queue_ns", 30326532.9856),
    END,
};

/* The path is silent after twice the longest pause of feedback, which was 700 ms. */
static const struct vector_step nada_steps_silence[] = {
    EMPTY_PATH,
    SEND(700000, 40, 10000),
    TIMERS(2099000),
    EXPECT(2099000, 942129.0),
    TIMERS(2100000),
    EXPECT(2100000, 471064.0),
    END,
};

/* A second with 100 packets of which 10 were lost; then one with a round trip 40 ms longer. */
static const struct vector_step nada_steps_report[] = {
    SEND(0, 100, 10000),
    REPORT(1000000, 100, 0),
    VARIABLE(1000000, "received_bps", 800000.0),
    EXPECT(1000000, 925000.0),
    SEND(1000000, 100, 10000),
    REPORT_AFTER(2000000, 100, 10, 1000000, 140000),
    VARIABLE(2000000, "queue_ns", 40e6),
    VARIABLE(2000000, "loss_ratio", 0.01),
    VARIABLE(2000000, "signal_ns", 50e6),
    END,
};

static const struct weir_param_value nada_set_paper[] = {{.name = "initial", .value = 1.0}};
static const struct weir_param_value nada_set_prio[] = {{.name = "prio", .value = 2.0}};

static const struct vector_step nada_steps_paper[] = {
    EXPECT(0, 30000.0),
    END,
};

static const struct vector nada_vectors[] = {
    {.name = "the start bitrate is the first rate", .steps = nada_steps_start},
    {.name = "the RFC begins at the minimum",
     .params = nada_set_paper,
     .n_params = 1,
     .steps = nada_steps_paper},
    {.name = "an empty path: equations 3 and 4", .steps = nada_steps_ramp_up},
    {.name = "updates come with feedback, delta/2 apart at least", .steps = nada_steps_interval},
    {.name = "a queue: equations 5 to 7", .steps = nada_steps_gradual},
    {.name = "a weight of two", .params = nada_set_prio, .n_params = 1, .steps = nada_steps_prio},
    {.name = "losses count as delay: equation 2", .steps = nada_steps_loss},
    {.name = "losses shorten a long queue: equation 1", .steps = nada_steps_warp},
    {.name = "silence halves the rate", .steps = nada_steps_silence},
    {.name = "receiver reports", .steps = nada_steps_report},
};

KNOWN_ANSWERS(nada, nada_vectors);
