/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of gaimd: the rules of its paper and each duty of the window
 * engine. Derived by hand; the comments show how. */
#include "steps.h"

#define CWND(us, packets)     VARIABLE(us, "cwnd_packets", packets)
#define SSTHRESH(us, packets) VARIABLE(us, "ssthresh_packets", packets)

/* 2 packets in the assumed 500 ms; then 2, 4, 8 per RTT. */
#define SLOW_START                                                                                 \
    EXPECT(0, 32000.0), SEND(0, 2, 0), ACK(100000, 0, 1), EXPECT(100000, 320000.0),                \
        SEND(100000, 4, 0), ACK(200000, 2, 5), CWND(200000, 8.0)
static const struct vector_step steps_slow_start[] = {
    SLOW_START,
    EXPECT(200000, 640000.0),
    END,
};

/* The first reaction halves; packets sent before it neither count again nor open the window. */
#define FIRST_LOSS                                                                                 \
    SLOW_START, SEND(200000, 8, 0), LOSE(300000, 6, 6), CWND(300000, 4.0), SSTHRESH(300000, 4.0),  \
        LOSE(300000, 8, 9), ACK(300000, 10, 13), CWND(300000, 4.0)
/* w += 0.2/w four times. */
#define AVOIDANCE                                                                                  \
    FIRST_LOSS, SEND(300000, 4, 0), ACK(400000, 14, 17), CWND(400000, 4.196384574553281)
/* w -= w/8. */
static const struct vector_step steps_rules[] = {
    AVOIDANCE, SEND(400000, 4, 0), LOSE(500000, 18, 18), CWND(500000, 3.6718365027341204), END,
};

/* RTO = 200 ms: ssthresh is half the window, cwnd 1, and until a sign of life one packet per RTO,
 * doubled. Of a series only the first timeout sets ssthresh. */
static const struct vector_step steps_timeout[] = {
    AVOIDANCE,
    SEND(400000, 4, 0),
    TIMERS(599999),
    CWND(599999, 4.196384574553281),
    TIMERS(600000),
    CWND(600000, 1.0),
    SSTHRESH(600000, 2.0981922872766405),
    EXPECT(600000, 20000.0),
    SEND(700000, 1, 0),
    TIMERS(1100000),
    EXPECT(1100000, 10000.0),
    SSTHRESH(1100000, 2.0981922872766405),
    ACK(1150000, 22, 22),
    EXPECT(1150000, 80000.0),
    SEND(1150000, 1, 0),
    ACK(1250000, 23, 23),
    CWND(1250000, 2.0),
    END,
};

/* A source with less to send: no growth. */
static const struct vector_step steps_data_limited[] = {
    FIRST_LOSS,
    SEND_IDLE(410000, 4, 0),
    ACK(510000, 14, 17),
    SEND_IDLE(610000, 4, 0),
    ACK(710000, 18, 21),
    CWND(710000, 4.0),
    END,
};

/* Slow start to 16, then silence: half for each RTO (200 ms), not below the initial window. */
#define SIXTEEN SLOW_START, SEND(200000, 8, 0), ACK(300000, 6, 13), CWND(300000, 16.0)
static const struct vector_step steps_idle[] = {
    SIXTEEN,
    SEND(650000, 1, 0),
    CWND(650000, 4.0),
    ACK(750000, 14, 14),
    SEND(9000000, 1, 0),
    CWND(9000000, 2.0),
    END,
};

/* Start rate: W = 300 kbit/s of 100 ms, less than 4 packets of RFC 3390; of 400 ms, 15. */
static const struct vector_step steps_start_rate[] = {
    EXPECT(0, 300000.0),
    SEND(0, 1, 0),
    TIMERS(999999),
    TIMERS(1000000),
    EXPECT(1000000, 150000.0),
    ACK_AFTER(1400000, 0, 0, 400000),
    EXPECT(1400000, 300000.0),
    END,
};

/* Receiver reports: slow start doubles; one event in 10 rounds halves; at most half more; 10
 * rounds of 0.2; 3 of 70 packets lost in 10 rounds are 3 events: 7 rounds up, 3 decreases; 30 of 70
 * are 10 events, of which 8 bring the window below half of the 4 packets delivered per round. */
static const struct vector_step steps_report[] = {
    REPORT(1000000, 20, 0),           CWND(1000000, 4.0),
    REPORT(2000000, 40, 1),           CWND(2000000, 2.0),
    REPORT(3000000, 20, 0),           CWND(3000000, 3.0),
    REPORT(4000000, 30, 0),           CWND(4000000, 4.5),
    REPORT(5000000, 60, 0),           CWND(5000000, 6.5),
    REPORT(6000000, 70, 3),           CWND(6000000, 5.292382812500001),
    EXPECT(6000000, 423390.0),        REPORT(7000000, 70, 30),
    CWND(7000000, 1.818509920232464), END,
};

static const struct weir_param_value paper_params[] = {{.name = "initial", .value_text = "paper"}};

#define VECTOR(text, which)                                                                        \
    {                                                                                              \
        .name = (text), .params = paper_params, .n_params = 1, .steps = (which)                    \
    }

static const struct vector gaimd_vectors[] = {
    VECTOR("slow start", steps_slow_start),
    VECTOR("increase and decrease", steps_rules),
    VECTOR("timeouts", steps_timeout),
    VECTOR("a source that limits the flow", steps_data_limited),
    VECTOR("idle", steps_idle),
    {.name = "start rate", .steps = steps_start_rate},
    VECTOR("receiver reports", steps_report),
};

KNOWN_ANSWERS(gaimd, gaimd_vectors);
