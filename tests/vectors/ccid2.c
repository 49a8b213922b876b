/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of ccid2. Derived by hand; the comments show how. */
#include "steps.h"

#define CWND(us, packets)     VARIABLE(us, "cwnd_packets", packets)
#define SSTHRESH(us, packets) VARIABLE(us, "ssthresh_packets", packets)

/* Four packets at first; slow start: 10 acknowledgements are 5 packets of window. */
static const struct vector_step steps_initial[] = {
    EXPECT(0, 64000.0), SEND(0, 4, 0), ACK(100000, 0, 3), CWND(100000, 6.0), END,
};
static const struct vector_step steps_slow_start[] = {
    SEND(0, 10, 0), ACK(100000, 0, 9), CWND(100000, 15.0), EXPECT(100000, 1200000.0), END,
};

/* From 20 two losses of one window make one halving: 10. A window of acknowledgements is one
 * packet: 11. A loss at 11: 5; nine packets more, at 5: 6; at 6: 3; at 3: 1, and ssthresh 2. */
static const struct vector_step steps_halving[] = {
    SEND(0, 20, 0),         LOSE(100000, 0, 0), /* before any RTT: half of 20 */
    ACK(100000, 1, 5),      LOSE(110000, 6, 7),
    ACK(110000, 8, 19),     CWND(110000, 10.0),
    SSTHRESH(110000, 10.0), SEND(110000, 10, 0),
    ACK(210000, 20, 28),    CWND(210000, 10.0),
    ACK(210000, 29, 29),    CWND(210000, 11.0),
    SEND(210000, 11, 0),    LOSE(310000, 30, 31),
    CWND(310000, 5.0),      SSTHRESH(310000, 5.0),
    ACK(310000, 32, 40),    SEND(310000, 5, 0),
    ACK(410000, 41, 45),    CWND(410000, 6.0),
    SEND(410000, 6, 0),     LOSE(510000, 46, 46),
    CWND(510000, 3.0),      SEND(510000, 3, 0),
    LOSE(610000, 52, 52),   CWND(610000, 1.0),
    SSTHRESH(610000, 2.0),  END,
};

/* ssthresh = floor(11/2), cwnd 1; the RTO is 200 ms, then 400 ms. */
static const struct vector_step steps_timeout[] = {
    SEND(0, 10, 0),
    ACK(100000, 0, 1),
    CWND(100000, 11.0),
    SEND(100000, 3, 0),
    TIMERS(399999),
    CWND(399999, 11.0),
    TIMERS(400000),
    CWND(400000, 1.0),
    SSTHRESH(400000, 5.0),
    EXPECT(400000, 13333.0),
    END,
};

/* Idle for 1.7 s, three RTOs of 500 ms: 8 goes to 4, 2, 1; ssthresh is more than 6. */
static const struct vector_step steps_cwv_idle[] = {
    SEND(0, 16, 0),     LOSE(100000, 0, 0),     ACK(100000, 1, 15),
    CWND(100000, 8.0),  SSTHRESH(100000, 8.0),  SEND(1700000, 1, 0),
    CWND(1700000, 1.0), SSTHRESH(1700000, 8.0), END,
};

static const struct weir_param_value paper_params[] = {{.name = "initial", .value_text = "paper"}};
static const struct weir_param_value ten_params[] = {{.name = "initial", .value_text = "paper"},
                                                     {.name = "initial-window", .value = 10.0}};
static const struct weir_param_value twenty_params[] = {{.name = "initial", .value_text = "paper"},
                                                        {.name = "initial-window", .value = 20.0}};
static const struct weir_param_value cwv_params[] = {{.name = "initial", .value_text = "paper"},
                                                     {.name = "initial-window", .value = 16.0},
                                                     {.name = "min-rto", .value = 500.0},
                                                     {.name = "validation", .value_text = "cwv"}};

static const struct vector ccid2_vectors[] = {
    {.name = "initial window", .params = paper_params, .n_params = 1, .steps = steps_initial},
    {.name = "slow start", .params = ten_params, .n_params = 2, .steps = steps_slow_start},
    {.name = "halving", .params = twenty_params, .n_params = 2, .steps = steps_halving},
    {.name = "timeout", .params = ten_params, .n_params = 2, .steps = steps_timeout},
    {.name = "RFC 2861 idle", .params = cwv_params, .n_params = 4, .steps = steps_cwv_idle},
};

KNOWN_ANSWERS(ccid2, ccid2_vectors);
