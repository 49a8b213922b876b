/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SCReAM's known answers, by hand from the draft. Packets of 1000 bytes leave each 10 ms and take
 * 50 ms; a window W makes a rate of 8 W/RTT 1000/1020/1.2 less what a window of a few packets
 * costs. */
#include "steps.h"

/* The window for 300 kbit/s is 4590 bytes; 10 acknowledged packets and a fiftieth of the way back
 * to fast growth make 6772.65 of it. */
#define FIRST_ROUND SEND(0, 10, 10000), ACK(200000, 0, 9)

static const struct vector_step scream_steps_start[] = {
    EXPECT(0, 300000.0),
    VARIABLE(0, "ref_wnd_bytes", 3000.0),
    END,
};

static const struct vector_step scream_steps_paper[] = {
    EXPECT(0, 30000.0),
    SEND(0, 2, 10000),
    ACK(120000, 0, 1),
    VARIABLE(120000, "ref_wnd_bytes", 3667.14666667),
    END,
};

static const struct vector_step scream_steps_first[] = {
    FIRST_ROUND,
    VARIABLE(200000, "ref_wnd_bytes", 6772.64923747),
    VARIABLE(200000, "inflection_bytes", 1.0),
    EXPECT(200000, 421563.0),
    END,
};

/* Delays have not varied, but are not known to be steady yet. */
static const struct vector_step scream_steps_steadiness[] = {
    FIRST_ROUND,
    VARIABLE(200000, "steadiness", 0.835205078125),
    VARIABLE(200000, "ref_wnd_bytes", 6412.95972703),
    END,
};

/* Nothing more was in flight than 2000 bytes: no growth above 1000 + 1.5 x 2000. */
static const struct vector_step scream_steps_unused[] = {
    SEND(0, 2, 10000),
    ACK(120000, 0, 1),
    VARIABLE(120000, "ref_wnd_bytes", 4590.0),
    END,
};

/* Three losses are 0.75 % so far: without a queue that is not answered, but growth is slow again.
 */
static const struct vector_step scream_steps_loss[] = {
    FIRST_ROUND,
    SEND(200000, 10, 10000),
    ACK(400000, 13, 19),
    LOSE(400000, 10, 12),
    VARIABLE(400000, "loss_ratio", 0.007481265625),
    VARIABLE(400000, "loss_reactions", 0.0),
    VARIABLE(400000, "ref_wnd_bytes", 8195.85170831),
    END,
};

/* With each loss answered: 0.7 of 7811.82, and three packets of growth. */
static const struct vector_step scream_steps_each_loss[] = {
    FIRST_ROUND,
    SEND(200000, 10, 10000),
    ACK(400000, 13, 19),
    LOSE(400000, 10, 12),
    VARIABLE(400000, "inflection_bytes", 7811.81819322),
    VARIABLE(400000, "ref_wnd_bytes", 6016.89204253),
    END,
};

/* A queue of 80 ms counts by a quarter at a time: 20 ms, and 35 ms, a sixth of the way from half
 * the target to all of it. Half a sixth is taken, over 4.8 virtual round trips in one, and a
 * quarter of that, since 396 kbit/s is less than 0.8 of the 800 kbit/s that arrive. */
static const struct vector_step scream_steps_delay[] = {
    FIRST_ROUND,
    SEND(200000, 10, 10000),
    ACK_AFTER(480000, 10, 14, 260000),
    VARIABLE(480000, "mean_queue_ns", 20e6),
    VARIABLE(480000, "delay_reactions", 0.0),
    ACK_AFTER(520000, 15, 19, 260000),
    VARIABLE(520000, "mean_queue_ns", 35e6),
    VARIABLE(520000, "inflection_bytes", 7514.91277729),
    VARIABLE(520000, "ref_wnd_bytes", 8150.54005028),
    END,
};

/* Half a second without feedback; the window is halved when feedback is back. */
static const struct vector_step scream_steps_silence[] = {
    FIRST_ROUND,
    SEND(200000, 10, 10000),
    TIMERS(699000),
    EXPECT(699000, 421563.0),
    TIMERS(700000),
    EXPECT(700000, 210781.0),
    ACK(800000, 10, 19),
    VARIABLE(800000, "ref_wnd_bytes", 6355.37877801),
    END,
};

/* A report counts for one round trip. Then one with 2.2 % lost so far and a queue of 200 ms. */
static const struct vector_step scream_steps_report[] = {
    SEND(0, 100, 10000),
    REPORT(1000000, 100, 0),
    VARIABLE(1000000, "ref_wnd_bytes", 5599.18),
    SEND(1000000, 100, 10000),
    REPORT_AFTER(2000000, 100, 10, 1000000, 300000),
    VARIABLE(2000000, "queue_ns", 200e6),
    VARIABLE(2000000, "loss_reactions", 1.0),
    VARIABLE(2000000, "ref_wnd_bytes", 5347.99742857),
    END,
};

static const struct weir_param_value scream_set_plain[] = {{.name = "reduce-jitter", .value = 0.0}};
static const struct weir_param_value scream_set_paper[] = {{.name = "initial", .value = 1.0},
                                                           {.name = "reduce-jitter", .value = 0.0}};

static const struct weir_param_value scream_set_each_loss[] = {
    {.name = "loss-threshold", .value = 0.0}, {.name = "reduce-jitter", .value = 0.0}};

#define PLAIN .params = scream_set_plain, .n_params = 1

static const struct vector scream_vectors[] = {
    {.name = "the start bitrate is the first rate", .steps = scream_steps_start},
    {.name = "the draft begins with the least window",
     .params = scream_set_paper,
     .n_params = 2,
     .steps = scream_steps_paper},
    {.name = "the first round trip: window of the start bitrate, and increase",
     PLAIN,
     .steps = scream_steps_first},
    {.name = "less increase where delays vary", .steps = scream_steps_steadiness},
    {.name = "a window that is not used does not grow", PLAIN, .steps = scream_steps_unused},
    {.name = "few losses without a queue", PLAIN, .steps = scream_steps_loss},
    {.name = "each loss answered",
     .params = scream_set_each_loss,
     .n_params = 2,
     .steps = scream_steps_each_loss},
    {.name = "a queue longer than half the target", PLAIN, .steps = scream_steps_delay},
    {.name = "silence halves the rate", PLAIN, .steps = scream_steps_silence},
    {.name = "receiver reports", PLAIN, .steps = scream_steps_report},
};

KNOWN_ANSWERS(scream, scream_vectors);
