/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of tear. Packets have 1000 bytes, R is 100 ms. */
#include "steps.h"

/* One packet per second; cwnd 1, after one arrival 2, after two more 4: that many per R. */
#define SLOW_START                                                                                 \
    SEND(0, 1, 0), ACK(100000, 0, 0), EXPECT(100000, 160000.0), SEND(100000, 2, 50000),            \
        ACK(250000, 1, 2), EXPECT(250000, 320000.0), VARIABLE(250000, "cwnd_packets", 4.0)
static const struct vector_step steps_slow_start[] = {
    EXPECT(0, 8000.0),
    SLOW_START,
    END,
};

/* The start rate is 3.75 packets per R; it is the window, and twice the receive rate of the first
 * packet does not undercut it. */
static const struct vector_step steps_start_rate[] = {
    EXPECT(0, 300000.0),      SEND(0, 1, 0),
    ACK(100000, 0, 0),        VARIABLE(100000, "cwnd_packets", 3.75),
    EXPECT(100000, 300000.0), END,
};

/* Two in order, cwnd 6; packet 5 is missing, the window stands still (2 = GAP). The round of four
 * ends with 7. When 5 is lost (3 = DUPACK) the six up to 10 are its window. With 11 the epoch ends:
 * (2 + 4 + 6 + 6)/4R = 45 packets/s, cwnd 3, and 11 adds a third. */
#define LOSS_EVENT                                                                                 \
    SLOW_START, SEND(250000, 12, 10000), ACK(400000, 3, 4), ACK(430000, 6, 8),                     \
        VARIABLE(430000, "emulation_state", 2.0), LOSE(430000, 5, 5),                              \
        VARIABLE(430000, "emulation_state", 3.0), ACK(450000, 9, 10),                              \
        VARIABLE(450000, "cwnd_packets", 6.0), ACK(550000, 11, 11)
static const struct vector_step steps_loss_event[] = {
    LOSS_EVENT,
    VARIABLE(550000, "last_epoch_packets_per_s", 45.0),
    VARIABLE(550000, "emulation_state", 1.0),
    VARIABLE(550000, "cwnd_packets", 10.0 / 3.0),
    EXPECT(550000, 360000.0),
    END,
};

/* The late packet changes nothing, and a loss of the same window is the same event. */
static const struct vector_step steps_same_event[] = {
    SLOW_START,
    SEND(250000, 12, 10000),
    ACK(400000, 3, 4),
    ACK(430000, 6, 8),
    LOSE(430000, 5, 5),
    ACK(450000, 10, 13),
    LOSE(450000, 9, 9),
    ACK(460000, 5, 5),
    VARIABLE(460000, "reductions", 1.0),
    VARIABLE(460000, "last_epoch_packets_per_s", 45.0),
    END,
};

/* The gap is filled: growth goes on, nothing was lost. */
static const struct vector_step steps_reordering[] = {
    SLOW_START,
    SEND(250000, 5, 10000),
    ACK(350000, 4, 5),
    VARIABLE(350000, "emulation_state", 2.0),
    ACK(360000, 3, 3),
    VARIABLE(360000, "emulation_state", 0.0),
    VARIABLE(360000, "cwnd_packets", 4.0),
    ACK(370000, 6, 6),
    VARIABLE(370000, "cwnd_packets", 5.0),
    END,
};

/* Lost without three later packets: a timeout. The epoch is (2 + 4 + 5)/3R; the open one begins
 * with RTO of silence. */
static const struct vector_step steps_timeout[] = {
    SLOW_START,
    SEND(250000, 3, 10000),
    ACK(370000, 3, 3),
    ACK(380000, 5, 5),
    LOSE(700000, 4, 4),
    VARIABLE(700000, "timeouts", 1.0),
    VARIABLE(700000, "cwnd_packets", 1.0),
    VARIABLE(700000, "ssthresh_packets", 2.5),
    VARIABLE(700000, "last_epoch_packets_per_s", 110.0 / 3.0),
    END,
};

/* The same in the other reading: (2 + 4)/2R. */
static const struct vector_step steps_slow_start_mean[] = {
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    EXPECT(100000, 160000.0),
    SEND(100000, 2, 50000),
    ACK(250000, 1, 2),
    EXPECT(250000, 240000.0),
    END,
};

/* Packets 3 and 4 come 10 ms apart, but there are only two of them in the last R: cwnd 4 stays. */
static const struct vector_step steps_receive_limit[] = {
    SLOW_START,
    SEND(250000, 2, 10000),
    ACK(400000, 3, 4),
    VARIABLE(400000, "cwnd_packets", 4.0),
    EXPECT(400000, 320000.0),
    END,
};

/* Silence: 4R after a packet left a timeout, (2 + 4 + 4)/3R, then a half each time. What arrives in
 * the end finds a window of one packet and no history: one packet per R. */
static const struct vector_step steps_silence[] = {
    SLOW_START,
    SEND(300000, 1, 0),
    TIMERS(699999),
    VARIABLE(699999, "timeouts", 0.0),
    TIMERS(700000),
    VARIABLE(700000, "timeouts", 1.0),
    EXPECT(700000, 266667.0),
    SEND(750000, 1, 0),
    TIMERS(1150000),
    EXPECT(1150000, 133333.0),
    SEND(1200000, 1, 0),
    TIMERS(1600000),
    EXPECT(1600000, 66667.0),
    ACK(1700000, 5, 5),
    VARIABLE(1700000, "closed_epochs", 0.0),
    EXPECT(1700000, 80000.0),
    END,
};

/* A source that sends less than it may: cwnd 2 stays. */
static const struct vector_step steps_application_limited[] = {
    SEND(0, 1, 0),
    ACK(100000, 0, 0),
    SEND_IDLE(300000, 4, 20000),
    ACK(460000, 1, 4),
    VARIABLE(460000, "cwnd_packets", 2.0),
    EXPECT(460000, 160000.0),
    END,
};

/* Reports of a second, ten rounds: slow start to twice what was delivered, 20 and 40 per R; two of
 * 400 lost are two events after five rounds each: 40/R and (20 + 3)/R, the mean is 315 packets/s.
 * cwnd goes on from 12.5; its mean over 40 rounds, 33, makes (330 + 230 + 400)/3. */
static const struct vector_step steps_report[] = {
    REPORT(1000000, 100, 0),
    EXPECT(1000000, 1600000.0),
    REPORT(2000000, 200, 0),
    EXPECT(2000000, 3200000.0),
    REPORT(3000000, 400, 2),
    VARIABLE(3000000, "reductions", 2.0),
    VARIABLE(3000000, "cwnd_packets", 12.5),
    EXPECT(3000000, 2520000.0),
    REPORT(4000000, 315, 0),
    EXPECT(4000000, 2520000.0),
    REPORT(5000000, 315, 0),
    REPORT(6000000, 315, 0),
    EXPECT(6000000, 2520000.0),
    REPORT(7000000, 315, 0),
    EXPECT(7000000, 2560000.0),
    END,
};

static const struct weir_param_value tear_paper_start[] = {
    {.name = "initial", .value_text = "paper"}, {.name = "receive-limit", .value = 0.0}};

static const struct weir_param_value tear_mean_start[] = {
    {.name = "initial", .value_text = "paper"}, {.name = "slow-start", .value_text = "mean"}};

#define VECTOR(text, which)                                                                        \
    {                                                                                              \
        .name = (text), .params = tear_paper_start, .n_params = 2, .steps = (which)                \
    }

static const struct vector tear_vectors[] = {
    VECTOR("slow start", steps_slow_start),
    {.name = "slow start by the mean",
     .params = tear_mean_start,
     .n_params = 2,
     .steps = steps_slow_start_mean},
    {.name = "slow start and receive limit",
     .params = tear_paper_start,
     .n_params = 1,
     .steps = steps_receive_limit},
    {.name = "start rate", .steps = steps_start_rate},
    VECTOR("gap, duplicate ACKs, reduction", steps_loss_event),
    VECTOR("losses of one window are one event", steps_same_event),
    VECTOR("a gap that is filled", steps_reordering),
    VECTOR("timeout by a loss", steps_timeout),
    VECTOR("timeout by silence", steps_silence),
    VECTOR("application-limited", steps_application_limited),
    {.name = "report form", .steps = steps_report},
};

KNOWN_ANSWERS(tear, tear_vectors);
