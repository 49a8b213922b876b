/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of tfrc, one per branch of RFC 5348. Derived by hand from the
 * equations; the comments show how. Packets have 1000 bytes, R is 100 ms, the one-way delay 50 ms.
 */
#include "steps.h"

/* One packet per second, then W_init/R = 4000/0.1. */
static const struct vector_step steps_first_sample[] = {
    EXPECT(0, 8000.0), SEND(0, 1, 0), ACK(100000, 0, 0), EXPECT(100000, 320000.0), END,
};

/* The start rate, halved when 2 s pass without feedback; then W_init/R, which is more. */
static const struct vector_step steps_start_rate[] = {
    EXPECT(0, 300000.0),
    SEND(0, 1, 0),
    TIMERS(1999999),
    EXPECT(1999999, 300000.0),
    TIMERS(2000000),
    EXPECT(2000000, 150000.0),
    ACK(2100000, 0, 0),
    EXPECT(2100000, 320000.0),
    END,
};

/* 10 packets in R: X_recv = 100000, X doubles to 80000 and 160000 B/s; then 5 packets per R: the
 * last two R have seen 50000 at most, so recv_limit = 100000 B/s. */
#define SLOW_START                                                                                 \
    SEND(0, 1, 0), ACK(100000, 0, 0), SEND(100000, 10, 10000), ACK(290000, 1, 10),                 \
        EXPECT(290000, 640000.0)
static const struct vector_step steps_slow_start[] = {
    SLOW_START,
    SEND(290000, 5, 20000),
    ACK(480000, 11, 15),
    EXPECT(480000, 1280000.0),
    SEND(480000, 5, 20000),
    ACK(670000, 16, 20),
    EXPECT(670000, 800000.0),
    VARIABLE(670000, "recv_limit_bytes_per_s", 100000.0),
    END,
};

/* X_recv = 10 packets per R: the equation allows that at p = 0.012172716, an interval of 82.15. */
#define FIRST_LOSS                                                                                 \
    SLOW_START, SEND(290000, 10, 10000), LOSE(480000, 11, 11), EXPECT(480000, 800000.0),           \
        VARIABLE(480000, "loss_event_rate", 0.012172716)
static const struct vector_step steps_first_loss[] = {
    FIRST_LOSS,
    VARIABLE(480000, "x_eq_bytes_per_s", 100000.0),
    END,
};

/* The last R before the loss has brought 5 packets: the interval of 50000 B/s, 29.09, or that of
 * the highest rate, as above. */
#define SLOWER_LOSS(p)                                                                             \
    SLOW_START, SEND(290000, 5, 20000), ACK(480000, 11, 15), SEND(480000, 5, 20000),               \
        LOSE(670000, 16, 16), VARIABLE(670000, "loss_event_rate", p), END
static const struct vector_step steps_first_recent[] = {SLOWER_LOSS(0.034377848)};
static const struct vector_step steps_first_highest[] = {SLOWER_LOSS(0.012172716)};

/* After the loss 2 packets per R arrive; when the faster ones are 2R old, 2 X_recv = 40000 binds,
 * although the equation allows 100000 B/s. */
static const struct vector_step steps_receive_limit[] = {
    FIRST_LOSS,
    ACK(480000, 12, 20),
    SEND(480000, 2, 50000),
    ACK(630000, 21, 22),
    SEND(630000, 2, 50000),
    ACK(780000, 23, 24),
    SEND(780000, 2, 50000),
    ACK(930000, 25, 26),
    VARIABLE(930000, "recv_limit_bytes_per_s", 40000.0),
    EXPECT(930000, 320000.0),
    END,
};

/* A loss in a data-limited interval: the set {100000} is halved, X_recv = 60000 counts 0.85 times,
 * and recv_limit is the maximum itself, 51000 B/s. */
static const struct vector_step steps_data_limited[] = {
    SLOW_START,
    SEND_IDLE(290000, 2, 50000),
    SEND_IDLE(390000, 5, 10000),
    ACK(530000, 12, 17),
    EXPECT(530000, 1280000.0),
    LOSE(540000, 11, 11),
    VARIABLE(540000, "recv_limit_bytes_per_s", 51000.0),
    EXPECT(540000, 408000.0),
    END,
};

/* p == 0 and busy: halved every 4R. */
static const struct vector_step steps_silence_slow_start[] = {
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    SEND(200000, 1, 0),
    TIMERS(499999),
    EXPECT(499999, 320000.0),
    TIMERS(500000),
    EXPECT(500000, 160000.0),
    SEND(600000, 1, 0),
    TIMERS(900000),
    EXPECT(900000, 80000.0),
    END,
};

/* p == 0, and the first packet after a pause leaves when the timer is nearly over: 2R to answer it.
 */
static const struct vector_step steps_silence_after_pause[] = {
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    SEND(450000, 1, 0),
    TIMERS(500000),
    EXPECT(500000, 320000.0),
    TIMERS(649999),
    EXPECT(649999, 320000.0),
    TIMERS(650000),
    EXPECT(650000, 160000.0),
    END,
};

/* p == 0 and idle: X < 2 recover_rate stays. */
static const struct vector_step steps_silence_idle[] = {
    SEND(0, 1, 0), ACK(100000, 0, 0), TIMERS(9000000), EXPECT(9000000, 320000.0), END,
};

/* p > 0: first half the equation's 100000, as 2 X_recv allows more; then X_recv itself. */
static const struct vector_step steps_silence_after_loss[] = {
    FIRST_LOSS,      ACK(480000, 12, 20),       SEND(500000, 1, 0),
    TIMERS(880000),  EXPECT(880000, 400000.0),  SEND(900000, 1, 0),
    TIMERS(1280000), EXPECT(1280000, 200000.0), END,
};

/* The lost packet arrives after all: the only loss event goes, p is 0 again. */
static const struct vector_step steps_late[] = {
    FIRST_LOSS,
    ACK(490000, 11, 11),
    VARIABLE(490000, "loss_event_rate", 0.0),
    VARIABLE(490000, "loss_events", 0.0),
    END,
};

/* Receiver reports: W_init/R; doubled to 80000 and 160000; 2 of 160 lost in 10 R make 2 events. The
 * first gives the interval that explains X_recv_max = 158000, 15.8 packets per R: 183.197; the
 * second one of 80. p = 2/(183.197 + 80), which gives 131489 B/s. */
static const struct vector_step steps_report[] = {
    REPORT(1000000, 100, 0),
    EXPECT(1000000, 320000.0),
    REPORT(2000000, 40, 0),
    EXPECT(2000000, 640000.0),
    REPORT(3000000, 80, 0),
    EXPECT(3000000, 1280000.0),
    REPORT(4000000, 160, 2),
    VARIABLE(4000000, "loss_events", 2.0),
    VARIABLE(4000000, "loss_event_rate", 0.00759887268),
    EXPECT(4000000, 1051913.22),
    END,
};

/* TFRC-SP: four packets per R, never more than one packet per 10 ms, 1460 bytes in the equation:
 * the interval of the first loss is the one of 100000 * 0.1/1460 = 6.849 packets per R. */
static const struct vector_step steps_sp[] = {
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    EXPECT(100000, 320000.0),
    SEND(100000, 10, 10000),
    ACK(290000, 1, 10),
    SEND(290000, 10, 10000),
    ACK(480000, 11, 20),
    VARIABLE(480000, "x_bytes_per_s", 160000.0),
    EXPECT(480000, 800000.0),
    SEND(480000, 10, 10000),
    LOSE(670000, 21, 21),
    VARIABLE(670000, "x_eq_bytes_per_s", 100000.0),
    END,
};

/* RFC 3448: one packet per R after the first sample, then twice the last X_recv at most. */
static const struct vector_step steps_rfc3448[] = {
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    EXPECT(100000, 80000.0),
    SEND(100000, 2, 50000),
    ACK(250000, 1, 2),
    EXPECT(250000, 160000.0),
    SEND(250000, 1, 0),
    ACK(350000, 3, 3),
    EXPECT(350000, 160000.0),
    END,
};

static const struct weir_param_value rfc_start[] = {{.name = "initial", .value_text = "rfc"}};
static const struct weir_param_value sp_params[] = {{.name = "initial", .value_text = "rfc"},
                                                    {.name = "sp", .value_text = "true"}};
static const struct weir_param_value rfc3448_params[] = {
    {.name = "initial", .value_text = "rfc"}, {.name = "profile", .value_text = "rfc3448"}};

static const struct weir_param_value recent_params[] = {
    {.name = "initial", .value_text = "rfc"}, {.name = "first-interval", .value_text = "recent"}};

#define VECTOR(text, which)                                                                        \
    {                                                                                              \
        .name = (text), .params = rfc_start, .n_params = 1, .steps = (which)                       \
    }

static const struct vector tfrc_vectors[] = {
    VECTOR("4.2 first RTT sample", steps_first_sample),
    {.name = "4.2 start rate", .steps = steps_start_rate},
    VECTOR("4.3 slow start and recv_limit", steps_slow_start),
    VECTOR("6.3.1 first loss interval", steps_first_loss),
    VECTOR("6.3.1 first loss interval, of the highest rate", steps_first_highest),
    {.name = "first loss interval, of the last rate",
     .params = recent_params,
     .n_params = 2,
     .steps = steps_first_recent},
    VECTOR("4.3 recv_limit with p > 0", steps_receive_limit),
    VECTOR("4.3 loss in a data-limited interval", steps_data_limited),
    VECTOR("4.4 silence, p == 0", steps_silence_slow_start),
    VECTOR("4.4 silence after a pause", steps_silence_after_pause),
    VECTOR("4.4 silence, idle", steps_silence_idle),
    VECTOR("4.4 silence, p > 0", steps_silence_after_loss),
    VECTOR("5.2 late packet", steps_late),
    VECTOR("report form", steps_report),
    {.name = "TFRC-SP", .params = sp_params, .n_params = 2, .steps = steps_sp},
    {.name = "RFC 3448 4.2, 4.3", .params = rfc3448_params, .n_params = 2, .steps = steps_rfc3448},
};

KNOWN_ANSWERS(tfrc, tfrc_vectors);
