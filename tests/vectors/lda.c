/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of lda. Packets have 1000 bytes. */
#include "steps.h"

#define RR(us, expected, lost, rtt) REPORT_AFTER(us, expected, lost, 5000000, rtt)
#define AT_1_MBIT                                                                                  \
    {.name = "profile", .value_text = "paper"}, {.name = "initial", .value_text = "paper"},        \
    {                                                                                              \
        .name = "initial-rate", .value = 125.0                                                     \
    }
#define BOTTLENECK(bps)                                                                            \
    {                                                                                              \
        .name = "bottleneck-bps", .value = (bps)                                                   \
    }
#define VECTOR(text, set, which)                                                                   \
    {                                                                                              \
        .name = (text), .params = (set), .n_params = sizeof(set) / sizeof((set)[0]),               \
        .steps = (which)                                                                           \
    }

static const struct weir_param_value lda_2_mbit[] = {AT_1_MBIT, BOTTLENECK(2e6)};
static const struct weir_param_value lda_1_mbit[] = {AT_1_MBIT, BOTTLENECK(1e6)};
static const struct weir_param_value lda_factor_5[] = {
    AT_1_MBIT, BOTTLENECK(2e6), {.name = "reduction-factor", .value = 5.0}};
static const struct weir_param_value lda_fast_air[] = {
    AT_1_MBIT, BOTTLENECK(4e6), {.name = "initial-air", .value = 100000.0}};
static const struct weir_param_value plus_2_mbit[] = {
    AT_1_MBIT, BOTTLENECK(2e6), {.name = "variant", .value_text = "lda-plus"}};
static const struct weir_param_value lda_product[] = {BOTTLENECK(2e6)};
static const struct weir_param_value lda_pairs[] = {{.name = "least-packets", .value = 1.0}};

/* 1 of 2 Mbit/s: half is free, 10 kbit/s become 15; then 0.4925 is, and they become 22.3875. */
static const struct vector_step lda_increases[] = {
    RR(5000000, 625, 0, 100000),
    VARIABLE(5000000, "increase_bps", 15000.0),
    EXPECT(5000000, 1015000.0),
    RR(10000000, 625, 0, 100000),
    VARIABLE(10000000, "increase_bps", 22387.5),
    EXPECT(10000000, 1037387.5),
    END,
};

/* After a report without loss 4 % count as 0.3 * 0.04, then 2 % as 0.3 * 0.02 + 0.7 * 0.012; three
 * times that goes, and the increase begins anew. */
static const struct vector_step lda_decreases[] = {
    RR(5000000, 500, 0, 100000),
    RR(10000000, 500, 20, 100000),
    VARIABLE(10000000, "mean_loss_ratio", 0.012),
    VARIABLE(10000000, "increase_bps", 10000.0),
    EXPECT(10000000, 1015000.0 * 0.964),
    RR(15000000, 500, 10, 100000),
    VARIABLE(15000000, "mean_loss_ratio", 0.0144),
    EXPECT(15000000, 1015000.0 * 0.964 * 0.9568),
    END,
};
static const struct vector_step lda_reduction_factor[] = {
    RR(5000000, 500, 10, 100000),
    EXPECT(5000000, 900000.0),
    END,
};

/* More than a third lost: nothing would be left, the minimum stays. */
static const struct vector_step lda_much_loss[] = {
    RR(5000000, 500, 200, 100000),
    EXPECT(5000000, 30000.0),
    END,
};

/* 100 kbit/s would become 175, but TCP gains 5/(2 * 0.4^2) packets/s in half the interval. */
static const struct vector_step lda_tcp_gain[] = {
    RR(5000000, 625, 0, 400000),
    VARIABLE(5000000, "increase_bps", 125000.0),
    EXPECT(5000000, 1125000.0),
    END,
};

/* The bottleneck is full: 10 kbit/s stay 10, and no rate goes beyond it. */
static const struct vector_step lda_full[] = {
    RR(5000000, 625, 0, 100000),
    VARIABLE(5000000, "increase_bps", 10000.0),
    EXPECT(5000000, 1000000.0),
    END,
};

/* Of 15, 393.469 and 40.8 kbit/s the least. */
static const struct vector_step plus_increases[] = {
    RR(5000000, 625, 0, 100000),
    VARIABLE(5000000, "increase_bps", 15000.0),
    EXPECT(5000000, 1015000.0),
    END,
};

/* 4 % lost: 1 - sqrt(0.04). */
static const struct vector_step plus_decreases[] = {
    RR(5000000, 500, 20, 400000),
    EXPECT(5000000, 800000.0),
    VARIABLE(5000000, "increase_bps", 10000.0),
    END,
};

/* 1 % at 50 ms: TCP would have 1797 kbit/s, more than 900. */
static const struct vector_step plus_tcp_rate[] = {
    RR(5000000, 500, 5, 50000),
    EXPECT(5000000, 1797315.75),
    END,
};

/* Profile product: the start bitrate, 0.85 of 2 Mbit/s are free; then a half at most is taken. */
static const struct vector_step lda_start_rate[] = {
    EXPECT(0, 300000.0),       REPORT(1000000, 100, 0),   EXPECT(1000000, 318500.0),
    REPORT(2000000, 100, 100), EXPECT(2000000, 159250.0), END,
};

/* Six packets leave together and arrive 4 ms apart: 2 Mbit/s. */
static const struct vector_step lda_packet_pairs[] = {
    SEND(0, 6, 0),
    ACK_AFTER(100000, 0, 0, 100000),
    ACK_AFTER(104000, 1, 1, 108000),
    ACK_AFTER(108000, 2, 2, 116000),
    ACK_AFTER(112000, 3, 3, 124000),
    ACK_AFTER(116000, 4, 4, 132000),
    VARIABLE(116000, "bottleneck_bps", 0.0),
    ACK_AFTER(120000, 5, 5, 140000),
    VARIABLE(120000, "bottleneck_bps", 2e6),
    SEND(1000000, 1, 0),
    ACK(1100000, 6, 6),
    EXPECT(1100000, 318500.0),
    END,
};

/* Ten seconds after the last pair nothing is known of the bottleneck. */
static const struct vector_step lda_old_pairs[] = {
    SEND(0, 6, 0),
    ACK_AFTER(100000, 0, 0, 100000),
    ACK_AFTER(104000, 1, 1, 108000),
    ACK_AFTER(108000, 2, 2, 116000),
    ACK_AFTER(112000, 3, 3, 124000),
    ACK_AFTER(116000, 4, 4, 132000),
    ACK_AFTER(120000, 5, 5, 140000),
    SEND(9800000, 1, 0),
    ACK(9900000, 6, 6),
    VARIABLE(9900000, "bottleneck_bps", 2e6),
    SEND(10500000, 1, 0),
    ACK(11100000, 7, 7),
    VARIABLE(11100000, "bottleneck_bps", 0.0),
    END,
};

static const struct vector lda_vectors[] = {
    VECTOR("increase by the free share", lda_2_mbit, lda_increases),
    VECTOR("decrease by the average loss", lda_2_mbit, lda_decreases),
    VECTOR("decrease with a factor of 5", lda_factor_5, lda_reduction_factor),
    VECTOR("much loss leaves the minimum", lda_2_mbit, lda_much_loss),
    VECTOR("no faster than TCP", lda_fast_air, lda_tcp_gain),
    VECTOR("no further than the bottleneck", lda_1_mbit, lda_full),
    VECTOR("lda-plus: the least of three increases", plus_2_mbit, plus_increases),
    VECTOR("lda-plus: decrease by the root of the loss", plus_2_mbit, plus_decreases),
    VECTOR("lda-plus: no less than TCP", plus_2_mbit, plus_tcp_rate),
    VECTOR("the start bitrate is where it begins", lda_product, lda_start_rate),
    VECTOR("the bottleneck by packet pairs", lda_pairs, lda_packet_pairs),
    VECTOR("old packet pairs are forgotten", lda_pairs, lda_old_pairs),
};

KNOWN_ANSWERS(lda, lda_vectors);
