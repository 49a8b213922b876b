/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of toutain. Packets have 1000 bytes. */
#include "steps.h"

#define RR(us, expected, lost, rtt) REPORT_AFTER(us, expected, lost, 5000000, rtt)
#define AT_100                                                                                     \
    {.name = "profile", .value_text = "paper"}, {.name = "initial", .value_text = "paper"},        \
    {                                                                                              \
        .name = "initial-rate", .value = 100.0                                                     \
    }
#define VECTOR(text, set, which)                                                                   \
    {                                                                                              \
        .name = (text), .params = (set), .n_params = sizeof(set) / sizeof((set)[0]),               \
        .steps = (which)                                                                           \
    }

static const struct weir_param_value toutain_at_100[] = {AT_100};
static const struct weir_param_value toutain_k[] = {AT_100, {.name = "k-share", .value = 0.2}};
static const struct weir_param_value toutain_high[] = {AT_100, {.name = "threshold", .value = 1.0}};
static const struct weir_param_value toutain_short[] = {AT_100, {.name = "window", .value = 6.0}};
static const struct weir_param_value toutain_rules[] = {
    {.name = "profile", .value_text = "product"}};

/* 460 packets in 5 s less the RTT of 400 ms: 100 packets/s arrived. Mean of 105 and of 100 +
 * 15.625. */
#define FIRST_REPORT RR(5000000, 460, 0, 400000)
static const struct vector_step toutain_below[] = {
    FIRST_REPORT,
    VARIABLE(5000000, "rtt_threshold_ns", 400e6),
    VARIABLE(5000000, "predicted_bytes_per_s", 105000.0),
    VARIABLE(5000000, "model_bytes_per_s", 115625.0),
    VARIABLE(5000000, "rate_packets_per_s", 110.3125),
    END,
};

/* 480 ms lie above 440: 110 packets/s arrived, 0.95 of that is less than TCP's rate. */
static const struct vector_step toutain_above[] = {
    FIRST_REPORT,
    RR(10000000, 550, 0, 480000),
    VARIABLE(10000000, "rtt_threshold_ns", 440e6),
    VARIABLE(10000000, "rate_packets_per_s", 104.5),
    END,
};
static const struct vector_step toutain_k_share[] = {
    FIRST_REPORT,
    RR(10000000, 550, 0, 480000),
    VARIABLE(10000000, "rate_packets_per_s", 88.0),
    END,
};

/* A threshold at the greatest RTT is never exceeded: the mean of 115.5 and of 110.3125 + 10/(0.41
 * 0.41 4). */
static const struct vector_step toutain_never_above[] = {
    RR(5000000, 460, 0, 400000),
    RR(10000000, 550, 0, 480000),
    VARIABLE(10000000, "rtt_ns", 410e6),
    VARIABLE(10000000, "model_bytes_per_s", 110312.5 + 2500.0 / (0.41 * 0.41)),
    VARIABLE(10000000, "predicted_bytes_per_s", 115500.0),
    END,
};

/* 1 % of 500 lost at 480 ms: 1.27/(0.41 sqrt(0.01)) = 30.976 packets/s are less than 0.95 * 99. */
static const struct vector_step toutain_loss_above[] = {
    FIRST_REPORT,
    RR(10000000, 500, 5, 480000),
    VARIABLE(10000000, "predicted_bytes_per_s", 94050.0),
    VARIABLE(10000000, "rate_packets_per_s", 12.7 / 0.41),
    END,
};

/* Below the threshold the mean: of 103.95 and 1.27/(0.395 sqrt(0.01)). */
static const struct vector_step toutain_loss_below[] = {
    FIRST_REPORT,
    RR(10000000, 500, 5, 360000),
    VARIABLE(10000000, "rtt_threshold_ns", 380e6),
    VARIABLE(10000000, "rate_packets_per_s", 0.5 * (103.95 + 12.7 / 0.395)),
    END,
};

/* After 6 s the first round-trip time is forgotten. */
static const struct vector_step toutain_window[] = {
    FIRST_REPORT,
    RR(10000000, 500, 0, 480000),
    VARIABLE(10000000, "rtt_threshold_ns", 440e6),
    RR(15000000, 500, 0, 460000),
    VARIABLE(15000000, "rtt_threshold_ns", 470e6),
    END,
};

/* Profile product: 5 ms more are no queue; the model allows 50 packets/s more than 37.5. */
static const struct vector_step toutain_product[] = {
    EXPECT(0, 300000.0),
    REPORT(1000000, 36, 0),
    VARIABLE(1000000, "rtt_threshold_ns", 105e6),
    VARIABLE(1000000, "predicted_bytes_per_s", 42000.0),
    VARIABLE(1000000, "rate_packets_per_s", 0.5 * (42.0 + 87.5)),
    END,
};

static const struct vector toutain_vectors[] = {
    VECTOR("below the threshold", toutain_at_100, toutain_below),
    VECTOR("above the threshold", toutain_at_100, toutain_above),
    VECTOR("a larger step", toutain_k, toutain_k_share),
    VECTOR("a threshold at the greatest", toutain_high, toutain_never_above),
    VECTOR("loss above the threshold", toutain_at_100, toutain_loss_above),
    VECTOR("loss below the threshold", toutain_at_100, toutain_loss_below),
    VECTOR("old round-trip times are forgotten", toutain_short, toutain_window),
    VECTOR("the start bitrate, and a least threshold", toutain_rules, toutain_product),
};

KNOWN_ANSWERS(toutain, toutain_vectors);
