/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of tfrcp. Packets have 1000 bytes, R is 100 ms. Where T0 is 4 R
 * it is held there by min-rto, and the rates are those of the equation's table. */
#include "steps.h"

/* One packet per second, then one per R. */
#define START SEND(0, 1, 0), ACK(100000, 0, 0), EXPECT(100000, 80000.0)
static const struct vector_step steps_start[] = {
    EXPECT(0, 8000.0),
    START,
    VARIABLE(100000, "rtt_ns", 1e8),
    END,
};

static const struct vector_step steps_start_rate[] = {
    EXPECT(0, 300000.0), SEND(0, 1, 0), ACK(100000, 0, 0), EXPECT(100000, 300000.0), END,
};

/* 5 s with nothing lost: twice the rate; not a moment before. */
#define DOUBLED                                                                                    \
    START, SEND(100000, 50, 100000), ACK(5050000, 1, 49), EXPECT(5050000, 80000.0),                \
        ACK(5100000, 50, 50), EXPECT(5100000, 160000.0)
static const struct vector_step steps_doubling[] = {
    DOUBLED,
    VARIABLE(5100000, "rounds", 1.0),
    END,
};

/* 20 packets/s may be sent, 12 are: no doubling. */
static const struct vector_step steps_application_limited[] = {
    DOUBLED,
    SEND(5100000, 60, 83000),
    ACK(10100000, 51, 110),
    VARIABLE(10100000, "rounds", 2.0),
    EXPECT(10100000, 160000.0),
    END,
};

/* The first round has losses: 3 of 60; one more was late. The model would allow 43.5 packets/s (T0
 * = 212.5 ms), but 57 arrived in 5 s: twice that. */
static const struct vector_step steps_first_loss[] = {
    START,
    SEND(100000, 59, 50000),
    LOSE(3200000, 10, 13),
    ACK(3200000, 11, 11),
    ACK(3200000, 1, 9),
    ACK(3200000, 14, 57),
    ACK(5100000, 58, 59),
    VARIABLE(5100000, "loss_ratio", 0.05),
    VARIABLE(5100000, "rto_ns", 2.125e8),
    EXPECT(5100000, 182400.0),
    END,
};

/* 31 packets are too few; the round goes on until it has lasted 15 s. */
static const struct vector_step steps_few_packets[] = {
    START,
    SEND(100000, 30, 400000),
    LOSE(11900000, 4, 6),
    ACK(11900000, 1, 3),
    ACK(11900000, 7, 29),
    VARIABLE(11900000, "rounds", 0.0),
    VARIABLE(11900000, "round_packets", 30.0),
    ACK(15100000, 30, 30),
    VARIABLE(15100000, "rounds", 1.0),
    VARIABLE(15100000, "loss_ratio", 3.0 / 31.0),
    END,
};

/* Halved after each 5 s without feedback while something is sent; then one packet per R again. */
static const struct vector_step steps_silence[] = {
    START,
    SEND(200000, 1, 0),
    TIMERS(5199999),
    EXPECT(5199999, 80000.0),
    TIMERS(5200000),
    EXPECT(5200000, 40000.0),
    SEND(5300000, 1, 0),
    TIMERS(60000000),
    EXPECT(60000000, 20000.0),
    ACK(60100000, 1, 2),
    EXPECT(60100000, 80000.0),
    END,
};

/* p = 0.01, 0.05, 0.1, and with the cap 0.5 and 1. */
static const struct vector_step steps_model[] = {
    REPORT(1000000, 100, 1),
    VARIABLE(1000000, "r_packets_per_s", 112.33223436),
    REPORT(2000000, 100, 5),
    VARIABLE(2000000, "r_packets_per_s", 36.858853130),
    REPORT(3000000, 100, 10),
    VARIABLE(3000000, "r_packets_per_s", 17.701020778),
    REPORT(4000000, 100, 50),
    VARIABLE(4000000, "r_packets_per_s", 0.5382898990),
    REPORT(5000000, 100, 100),
    VARIABLE(5000000, "r_packets_per_s", 0.0752918520),
    END,
};

/* One packet in 10000 allows 1224 packets/s, a window of 20 packets 200. */
static const struct vector_step steps_window[] = {
    REPORT(1000000, 10000, 1),
    EXPECT(1000000, 1600000.0),
    END,
};

/* b = 2, p = 0.02. */
static const struct vector_step steps_delayed_acks[] = {
    REPORT(1000000, 100, 2),
    VARIABLE(1000000, "r_packets_per_s", 51.794837512),
    END,
};

/* Reports of 1 s, rounds of 5 s. */
static const struct vector_step steps_reports[] = {
    REPORT(1000000, 50, 0),    REPORT(2000000, 50, 0),           REPORT(3000000, 50, 0),
    REPORT(4000000, 50, 0),    EXPECT(4000000, 80000.0),         REPORT(5000000, 50, 0),
    EXPECT(5000000, 160000.0), VARIABLE(5000000, "rounds", 1.0), END,
};

static const struct weir_param_value tfrcp_paper[] = {{.name = "initial", .value_text = "paper"}};
static const struct weir_param_value tfrcp_table[] = {{.name = "initial", .value_text = "paper"},
                                                      {.name = "interval", .value = 1.0},
                                                      {.name = "min-rto", .value = 400.0}};
static const struct weir_param_value tfrcp_window[] = {{.name = "initial", .value_text = "paper"},
                                                       {.name = "interval", .value = 1.0},
                                                       {.name = "window-limit", .value = 20.0}};
static const struct weir_param_value tfrcp_delayed[] = {{.name = "initial", .value_text = "paper"},
                                                        {.name = "interval", .value = 1.0},
                                                        {.name = "min-rto", .value = 400.0},
                                                        {.name = "packets-per-ack", .value = 2.0}};

#define VECTOR(text, which, given)                                                                 \
    {                                                                                              \
        .name = (text), .params = (given), .n_params = sizeof(given) / sizeof((given)[0]),         \
        .steps = (which)                                                                           \
    }

static const struct vector tfrcp_vectors[] = {
    VECTOR("start", steps_start, tfrcp_paper),
    {.name = "start rate", .steps = steps_start_rate},
    VECTOR("no loss", steps_doubling, tfrcp_paper),
    VECTOR("no loss, application-limited", steps_application_limited, tfrcp_paper),
    VECTOR("loss in the first round", steps_first_loss, tfrcp_paper),
    VECTOR("too few packets", steps_few_packets, tfrcp_paper),
    VECTOR("silence", steps_silence, tfrcp_paper),
    VECTOR("the model", steps_model, tfrcp_table),
    VECTOR("W_max", steps_window, tfrcp_window),
    VECTOR("b", steps_delayed_acks, tfrcp_delayed),
    VECTOR("rounds of several reports", steps_reports, tfrcp_paper),
};

KNOWN_ANSWERS(tfrcp, tfrcp_vectors);
