/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of cbraa and tcp-friend: steps worked out by hand from figure 3
 * and formulas (3) to (5). Packets have 1000 bytes. */
#include "steps.h"

#define RATE(us, value)   VARIABLE(us, "rate_packets_per_s", value)
#define FIVE_S            5000000
#define RR(us, lost, rtt) REPORT_AFTER(us, 1000, lost, FIVE_S, rtt)
#define PAPER(packets)                                                                             \
    {.name = "profile", .value_text = "paper"}, {.name = "initial", .value_text = "paper"},        \
    {                                                                                              \
        .name = "initial-rate", .value = (packets)                                                 \
    }
#define VECTOR(text, which)                                                                        \
    {                                                                                              \
        .name = (text), .steps = (which)                                                           \
    }
#define VECTOR_WITH(text, set, which)                                                              \
    {                                                                                              \
        .name = (text), .params = (set), .n_params = sizeof(set) / sizeof((set)[0]),               \
        .steps = (which)                                                                           \
    }

static const struct weir_param_value cbraa_at_10[] = {PAPER(10.0)};
static const struct weir_param_value cbraa_at_100[] = {PAPER(100.0)};
static const struct weir_param_value cbraa_at_250[] = {PAPER(250.0)};
static const struct weir_param_value cbraa_alpha[] = {PAPER(250.0),
                                                      {.name = "alpha", .value = 0.8}};
static const struct weir_param_value cbraa_beta[] = {PAPER(250.0), {.name = "beta", .value = 0.2}};
static const struct weir_param_value cbraa_gamma[] = {PAPER(250.0),
                                                      {.name = "gamma", .value = 0.9}};
static const struct weir_param_value cbraa_events[] = {{.name = "loss-events", .value = 1.0}};

/* Loss_th of 10 packets/s at 120 ms is 0.489, Rate_th 21.402. */
static const struct vector_step cbraa_first[] = {
    EXPECT(0, 80000.0),
    RR(FIVE_S, 0, 120000),
    RATE(FIVE_S, 17.98169430),
    END,
};

/* At 250 packets/s Loss_th is 0.00170416, and (5) gives 362.56, nothing, 198.17 and 101.59. */
static const struct vector_step cbraa_no_loss[] = {
    RR(FIVE_S, 0, 120000),
    RATE(FIVE_S, 328.79354109),
    END,
};
static const struct vector_step cbraa_dead_band[] = {
    RR(FIVE_S, 1, 120000),
    RATE(FIVE_S, 250.0),
    END,
};
static const struct vector_step cbraa_some_loss[] = {
    RR(FIVE_S, 4, 120000),
    RATE(FIVE_S, 213.72020883),
    END,
};
static const struct vector_step cbraa_much_loss[] = {
    RR(FIVE_S, 20, 120000),
    RATE(FIVE_S, 146.11546272),
    END,
};
static const struct vector_step cbraa_with_alpha[] = {
    RR(FIVE_S, 0, 120000),
    RATE(FIVE_S, 275.64141132),
    END,
};
static const struct vector_step cbraa_with_beta[] = {
    RR(FIVE_S, 4, 120000),
    RATE(FIVE_S, 199.49957730),
    END,
};
static const struct vector_step cbraa_with_gamma[] = {
    RR(FIVE_S, 0, 120000),
    RATE(FIVE_S, 261.25622016),
    END,
};

/* The cycle of 100 packets/s at 400 ms is 10.304 s: the second report counts 5/10.304, the third
 * 4.75/16.757, as its interval of 3 s brings TRTCP to 4.75 s. */
static const struct vector_step cbraa_averages[] = {
    RR(5000000, 0, 400000),
    VARIABLE(5000000, "cycle_ns", 10.304e9),
    RATE(5000000, 130.892688),
    RR(10000000, 8, 500000),
    VARIABLE(10000000, "rtt_ns", 448524845.0),
    VARIABLE(10000000, "mean_loss_ratio", 0.00388198758),
    RATE(10000000, 81.8266257),
    REPORT_AFTER(13000000, 1000, 0, 3000000, 450000),
    VARIABLE(13000000, "report_interval_ns", 4.75e9),
    VARIABLE(13000000, "mean_loss_ratio", 0.00278155869),
    RATE(13000000, 69.2284058),
    END,
};

/* Profile product, from 37.5 packets/s at 100 ms, Loss_th 0.0812: Rate_th is 63.04; when all is
 * lost, half of the rate. */
static const struct vector_step cbraa_start_rate[] = {
    EXPECT(0, 300000.0),
    REPORT(1000000, 38, 0),
    RATE(1000000, 55.37656075),
    END,
};
static const struct vector_step cbraa_least_step[] = {
    REPORT(1000000, 38, 38),
    RATE(1000000, 0.3 * 37.5 + 0.7 * 18.75),
    END,
};

/* 19 packets wait for the next report. */
static const struct vector_step cbraa_few_packets[] = {
    REPORT(1000000, 19, 0),
    RATE(1000000, 37.5),
    REPORT(2000000, 19, 0),
    RATE(2000000, 55.37656075),
    END,
};

/* A source that sends 20 of 37.5 packets/s gets no increase; when 10 of 20 are lost the rate
 * becomes what it sends, as (5) allows that. */
static const struct vector_step cbraa_limited_source[] = {
    SEND_IDLE(0, 20, 50000), ACK(1000000, 0, 19),
    RATE(1000000, 37.5),     SEND_IDLE(1000000, 20, 50000),
    LOSE(2000000, 20, 29),   ACK(2000000, 30, 39),
    RATE(2000000, 20.0),     END,
};

/* One report per second from packets; five losses within one RTT. */
static const struct vector_step cbraa_packets[] = {
    SEND(0, 50, 20000),
    ACK(999000, 0, 44),
    RATE(999000, 37.5),
    LOSE(1000000, 45, 49),
    RATE(1000000, 37.5),
    SEND(1000000, 1, 0),
    ACK(1100000, 50, 50),
    VARIABLE(1100000, "loss_ratio", 5.0 / 51.0),
    VARIABLE(1100000, "mean_loss_ratio", 5.0 / 51.0),
    END,
};
static const struct vector_step cbraa_loss_events[] = {
    SEND(0, 50, 20000),
    LOSE(1000000, 45, 49),
    ACK(1000000, 0, 44),
    VARIABLE(1000000, "loss_ratio", 0.1),
    VARIABLE(1000000, "mean_loss_ratio", 0.02),
    END,
};

/* No report for 5 s after the first packet, and for three intervals after a report. */
static const struct vector_step rtcp_silence[] = {
    SEND(0, 1, 0),
    TIMERS(4999999),
    EXPECT(4999999, 300000.0),
    TIMERS(5000000),
    EXPECT(5000000, 150000.0),
    SEND(6000000, 1, 0),
    TIMERS(10000000),
    EXPECT(10000000, 75000.0),
    TIMERS(60000000),
    EXPECT(60000000, 75000.0),
    END,
};

static const struct vector cbraa_vectors[] = {
    VECTOR_WITH("first report at 10 packets/s", cbraa_at_10, cbraa_first),
    VECTOR_WITH("no loss", cbraa_at_250, cbraa_no_loss),
    VECTOR_WITH("a loss near the ideal changes nothing", cbraa_at_250, cbraa_dead_band),
    VECTOR_WITH("some loss", cbraa_at_250, cbraa_some_loss),
    VECTOR_WITH("much loss", cbraa_at_250, cbraa_much_loss),
    VECTOR_WITH("alpha slows the increase", cbraa_alpha, cbraa_with_alpha),
    VECTOR_WITH("beta slows the decrease", cbraa_beta, cbraa_with_beta),
    VECTOR_WITH("gamma keeps the old rate", cbraa_gamma, cbraa_with_gamma),
    VECTOR_WITH("averages reach over a cycle", cbraa_at_100, cbraa_averages),
    VECTOR("the start bitrate is where it begins", cbraa_start_rate),
    VECTOR("one report halves the rate at most", cbraa_least_step),
    VECTOR("few packets wait for the next report", cbraa_few_packets),
    VECTOR("a limited source gets no increase", cbraa_limited_source),
    VECTOR("reports from packets", cbraa_packets),
    VECTOR_WITH("losses within a round-trip time as one", cbraa_events, cbraa_loss_events),
    VECTOR("silence halves the rate, idleness does not", rtcp_silence),
};

static const struct weir_param_value friend_1_22[] = {PAPER(250.0),
                                                      {.name = "constant", .value = 1.22}};

/* 5 s and 120 ms: 173.61 packets/s more; 5 s and 400 ms: 15.625; 1 s and 100 ms: 50. */
static const struct vector_step friend_increase[] = {
    EXPECT(0, 80000.0),
    RR(FIVE_S, 0, 120000),
    RATE(FIVE_S, 183.61111111),
    END,
};
static const struct vector_step friend_far[] = {
    RR(FIVE_S, 0, 400000),
    RATE(FIVE_S, 115.625),
    END,
};
static const struct vector_step friend_often[] = {
    REPORT(1000000, 100, 0),
    RATE(1000000, 60.0),
    END,
};

/* 1.27/(0.1 sqrt(0.01)); 1.22 gives 122. Then the mean of 100 and 180 ms is 110 ms. */
static const struct vector_step friend_loss[] = {
    RR(5000000, 10, 100000),     RATE(5000000, 127.0),
    RR(10000000, 10, 180000),    VARIABLE(10000000, "rtt_ns", 110e6),
    RATE(10000000, 12.7 / 0.11), END,
};
static const struct vector_step friend_other_constant[] = {
    RR(FIVE_S, 10, 100000),
    RATE(FIVE_S, 122.0),
    END,
};

/* Profile product: 37.5 + 50 is more than twice 37.5; then 1.27/0.1 is less than half of 75. */
static const struct vector_step friend_limits[] = {
    REPORT(1000000, 100, 0),
    RATE(1000000, 75.0),
    REPORT(2000000, 100, 100),
    RATE(2000000, 37.5),
    END,
};

static const struct vector friend_vectors[] = {
    VECTOR_WITH("increase from 10 packets/s", cbraa_at_10, friend_increase),
    VECTOR_WITH("increase at a long round-trip time", cbraa_at_100, friend_far),
    VECTOR_WITH("increase with frequent reports", cbraa_at_10, friend_often),
    VECTOR_WITH("the formula, with the mean round-trip time", cbraa_at_250, friend_loss),
    VECTOR_WITH("another constant", friend_1_22, friend_other_constant),
    VECTOR("steps of a factor of 2", friend_limits),
    VECTOR("silence halves the rate, idleness does not", rtcp_silence),
};

KNOWN_ANSWERS(cbraa, cbraa_vectors);
KNOWN_ANSWERS(tcp_friend, friend_vectors);
