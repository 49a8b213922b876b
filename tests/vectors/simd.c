/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of simd, simdnr and aiad-h. Derived by hand; the comments show
 * how. */
#include "steps.h"

#define CWND(us, packets) VARIABLE(us, "cwnd_packets", packets)
#define ALPHA(us, value)  VARIABLE(us, "alpha", value)

/* 2, 4, 8 packets per RTT; the first reaction halves the 8. */
#define FIRST_LOSS                                                                                 \
    SEND(0, 2, 0), ACK(100000, 0, 1), SEND(100000, 4, 0), ACK(200000, 2, 5), CWND(200000, 8.0),    \
        SEND(200000, 8, 0), LOSE(300000, 6, 6), ACK(300000, 7, 13), CWND(300000, 4.0)

/* alpha = 3 sqrt(1/16)/((1 - 1/24) sqrt(8)). Four acknowledgements: sqrt(w - 4) grows by
 * alpha/(2 w) each. */
#define AVOIDANCE                                                                                  \
    FIRST_LOSS, ALPHA(300000, 0.2766939578556055), SEND(300000, 4, 0), ACK(400000, 14, 17),        \
        CWND(400000, 4.0190999521036685)

/* keep w = 15/16 w, and the alpha of that w. */
static const struct vector_step simd_steps_rules[] = {
    AVOIDANCE,
    SEND(400000, 4, 0),
    LOSE(500000, 18, 18),
    CWND(500000, 3.7679062050971894),
    VARIABLE(500000, "w0_packets", 3.7679062050971894),
    ALPHA(500000, 0.39037344350772696),
    END,
};

/* In whole packets: 15/16 of 4 is 3.75, and 3 of it remain. */
static const struct vector_step simd_steps_whole[] = {
    AVOIDANCE, SEND(400000, 4, 0), LOSE(500000, 18, 18), CWND(500000, 3.0), END,
};

/* w_m = 20: alpha = 3 * 0.25/(0.9583333 * 4.472136), and 1/sqrt(2) of it. */
#define TWENTY SEND(0, 20, 0), ACK(100000, 0, 0), LOSE(100000, 1, 1), CWND(100000, 10.0)
static const struct vector_step simd_steps_derived[] = {
    TWENTY,
    ALPHA(100000, 0.17499662432607047),
    END,
};
static const struct vector_step simd_steps_paper[] = {
    TWENTY,
    ALPHA(100000, 0.12374129974571917),
    END,
};

/* beta = 0.8 with the alpha_i of 15/16 (table VIII): 0.757758/sqrt(2 * 0.8 * 8). */
static const struct vector_step simd_steps_alpha_i[] = {
    FIRST_LOSS,
    ALPHA(300000, 0.21179979981178573),
    END,
};

/* Silence of an RTO (200 ms): one packet per RTT, ssthresh keeps 15/16; slow start ends there, with
 * the alpha of the window before. */
static const struct vector_step simd_steps_timeout[] = {
    AVOIDANCE,
    SEND(400000, 4, 0),
    TIMERS(600000),
    CWND(600000, 1.0),
    VARIABLE(600000, "ssthresh_packets", 3.7679062050971894),
    SEND(610000, 1, 0),
    ACK(710000, 22, 22),
    CWND(710000, 2.0),
    SEND(710000, 3, 0),
    ACK(810000, 23, 25),
    VARIABLE(810000, "w0_packets", 3.7679062050971894),
    ALPHA(810000, 0.39037344350772696),
    END,
};

/* A source with less to send than the window allows: time stands still. */
static const struct vector_step simd_steps_data_limited[] = {
    FIRST_LOSS,
    SEND_IDLE(410000, 4, 0),
    ACK(510000, 14, 17),
    SEND_IDLE(610000, 4, 0),
    ACK(710000, 18, 21),
    CWND(710000, 4.0),
    END,
};

/* Reports of a second, 10 RTTs: twice the 3.8 delivered per RTT; the first loss halves it. Then 2
 * of 38 lost are 2 events: 8 RTTs of growth, 3.8 + (8 alpha/2)^2, and 15/16 of it twice. */
static const struct vector_step simd_steps_report[] = {
    REPORT(1000000, 38, 0),
    CWND(1000000, 7.6),
    REPORT(2000000, 75, 1),
    CWND(2000000, 3.8),
    ALPHA(2000000, 0.2838820109126133),
    REPORT(3000000, 38, 2),
    CWND(3000000, 4.473126507934534),
    END,
};

/* Figure 1: one loss, one reduction, nothing is sent again, the window slides on. */
static const struct vector_step simdnr_steps_single[] = {
    AVOIDANCE,
    SEND(400000, 5, 0),
    LOSE(500000, 18, 18),
    ACK(500000, 19, 22),
    VARIABLE(500000, "reductions", 2.0),
    VARIABLE(500000, "timeouts", 0.0),
    VARIABLE(500000, "retransmissions", 0.0),
    VARIABLE(500000, "flight_packets", 0.0),
    CWND(500000, 3.7679062050971894),
    END,
};

/* Figure 3: all losses of one window are one congestion indication, and no timeout; the next window
 * counts anew. */
static const struct vector_step simdnr_steps_multiple[] = {
    AVOIDANCE,
    SEND(400000, 8, 0),
    LOSE(500000, 18, 18),
    LOSE(505000, 20, 22),
    ACK(510000, 23, 25),
    TIMERS(690000),
    VARIABLE(690000, "reductions", 2.0),
    VARIABLE(690000, "timeouts", 0.0),
    VARIABLE(690000, "retransmissions", 0.0),
    CWND(690000, 3.7679062050971894),
    SEND(690000, 4, 0),
    LOSE(790000, 26, 26),
    VARIABLE(790000, "reductions", 3.0),
    END,
};

/* alpha = 1.5 * 0.25/(8 - 0.125) per RTT; a loss takes 0.25. */
#define AIAD_AVOIDANCE                                                                             \
    FIRST_LOSS, ALPHA(300000, 0.047619047619047616), SEND(300000, 4, 0), ACK(400000, 14, 17),      \
        CWND(400000, 4.047408340502566)
static const struct vector_step aiad_h_steps_increase[] = {AIAD_AVOIDANCE, END};
static const struct vector_step aiad_h_steps_decrease[] = {
    AIAD_AVOIDANCE,
    SEND(400000, 4, 0),
    LOSE(500000, 18, 18),
    CWND(500000, 3.7974083405025656),
    ALPHA(500000, 0.09560452850555393),
    SEND(500000, 4, 0),
    LOSE(600000, 22, 22),
    CWND(600000, 3.5474083405025656),
    END,
};

/* Not below one packet. */
static const struct vector_step aiad_h_steps_floor[] = {
    SEND(0, 2, 0),      LOSE(100000, 0, 0), ACK(100000, 1, 1), CWND(100000, 1.0),
    SEND(100000, 1, 0), LOSE(200000, 2, 2), CWND(200000, 1.0), END,
};

/* Half of the window after a timeout. */
static const struct vector_step aiad_h_steps_timeout[] = {
    AIAD_AVOIDANCE,
    SEND(400000, 4, 0),
    TIMERS(600000),
    CWND(600000, 1.0),
    VARIABLE(600000, "ssthresh_packets", 2.023704170251283),
    END,
};

static const struct vector_step aiad_h_steps_start[] = {EXPECT(0, 300000.0), END};

static const struct weir_param_value simd_paper_start[] = {
    {.name = "initial", .value_text = "paper"}};
static const struct weir_param_value simd_whole[] = {{.name = "initial", .value_text = "paper"},
                                                     {.name = "whole-packets", .value = 1.0}};
static const struct weir_param_value simd_twenty[] = {{.name = "initial", .value_text = "paper"},
                                                      {.name = "initial-window", .value = 19.0}};
static const struct weir_param_value simd_twenty_paper[] = {
    {.name = "initial", .value_text = "paper"},
    {.name = "initial-window", .value = 19.0},
    {.name = "alpha", .value_text = "paper"}};
static const struct weir_param_value simd_table_viii[] = {
    {.name = "initial", .value_text = "paper"},
    {.name = "alpha", .value_text = "paper"},
    {.name = "keep", .value = 0.8},
    {.name = "alpha-i", .value = 0.757758}};

#define VECTOR(text, which)                                                                        \
    {                                                                                              \
        .name = (text), .params = simd_paper_start, .n_params = 1, .steps = (which)                \
    }
#define SIMD_VECTORS                                                                               \
    VECTOR("increase and decrease", simd_steps_rules),                                             \
        {.name = "whole packets", .params = simd_whole, .n_params = 2, .steps = simd_steps_whole}, \
        {.name = "derived alpha",                                                                  \
         .params = simd_twenty,                                                                    \
         .n_params = 2,                                                                            \
         .steps = simd_steps_derived},                                                             \
        {.name = "alpha with sqrt(2)",                                                             \
         .params = simd_twenty_paper,                                                              \
         .n_params = 3,                                                                            \
         .steps = simd_steps_paper},                                                               \
        {.name = "alpha_i",                                                                        \
         .params = simd_table_viii,                                                                \
         .n_params = 4,                                                                            \
         .steps = simd_steps_alpha_i},                                                             \
        VECTOR("timeout", simd_steps_timeout), VECTOR("data-limited", simd_steps_data_limited),    \
    {                                                                                              \
        .name = "report form", .steps = simd_steps_report                                          \
    }

static const struct vector simd_vectors[] = {SIMD_VECTORS};

static const struct vector simdnr_vectors[] = {
    SIMD_VECTORS,
    VECTOR("figure 1: a single loss", simdnr_steps_single),
    VECTOR("figure 3: several losses in a window", simdnr_steps_multiple),
};

static const struct vector aiad_h_vectors[] = {
    VECTOR("increase", aiad_h_steps_increase),           VECTOR("decrease", aiad_h_steps_decrease),
    VECTOR("at least one packet", aiad_h_steps_floor),   VECTOR("timeout", aiad_h_steps_timeout),
    {.name = "start rate", .steps = aiad_h_steps_start},
};

KNOWN_ANSWERS(simd, simd_vectors);
KNOWN_ANSWERS(simdnr, simdnr_vectors);
KNOWN_ANSWERS(aiad_h, aiad_h_vectors);
