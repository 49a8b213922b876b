/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of sluice: what its twin in tests/conformance computed. The
 * path is 50 ms each way, and a feedback at rest makes a loop time of 200 ms or more, by its rates.
 */
#include "steps.h"

/* 400 kbit/s, first without a queue, then with one of 60 ms. */
#define STANDING                                                                                   \
    SEND(0, 10, 20000), ACK(280000, 0, 9), SEND(300000, 20, 20000),                                \
        ACK_AFTER(760000, 10, 24, 220000)

/* In second k ten packets leave, and those of second k - 1 arrive. */
#define SECOND(k, gap, rtt_us)                                                                     \
    SEND((k)*1000000, 10, gap), ACK_AFTER((k)*1000000 + 950000, (k)*10 - 10, (k)*10 - 1, rtt_us)

/* 80 kbit/s, first without a queue, then with one of 300 ms. */
#define LATE                                                                                       \
    SEND(0, 10, 100000), ACK(1000000, 0, 9), SEND(1000000, 10, 100000), SECOND(2, 100000, 700000)

/* That queue stays, and who sends more gets more. */
#define PUSHED_ASIDE LATE, SECOND(3, 90000, 700000), SECOND(4, 100000, 700000)

/* 2 Mbit/s, without a queue. */
#define FAST(i) SEND((i)*210000, 40, 4000), ACK((i)*210000 + 210000, (i)*40, (i)*40 + 39)

static const struct vector_step sluice_start[] = {
    EXPECT(0, 300000.0),
    END,
};

/* 400 kbit/s leave. The first feedback tells when, the second lets the rate grow by 30 % per unit
 * for the 60 ms between them. */
static const struct vector_step sluice_grow[] = {
    SEND(0, 20, 20000),
    ACK(400000, 0, 9),
    EXPECT(400000, 300000.0),
    ACK(460000, 10, 13),
    VARIABLE(460000, "rate_bps", 327000.0),
    VARIABLE(460000, "growth", 0.3),
    END,
};

/* Losses that meet no queue change nothing. */
static const struct vector_step sluice_random_loss[] = {
    SEND(0, 20, 20000),
    ACK(400000, 0, 9),
    LOSE(460000, 10, 10),
    ACK(460000, 11, 13),
    VARIABLE(460000, "rate_bps", 327000.0),
    VARIABLE(460000, "loss_events", 1.0),
    END,
};

/* 1.6 times what is sent, 400 kbit/s, and no more: nothing else proves it. */
static const struct vector_step sluice_unproved[] = {
    SEND(0, 100, 20000),
    ACK(2100000, 0, 14),
    ACK(2400000, 15, 29),
    ACK(2700000, 30, 44),
    ACK(3000000, 45, 59),
    ACK(3300000, 60, 74),
    ACK(3600000, 75, 89),
    VARIABLE(3600000, "rate_bps", 640000.0),
    END,
};

/* 2 Mbit/s leave, some of them as a probe at twice the rate: 0.85 of what arrived may be sent. */
static const struct vector_step sluice_ahead[] = {
    FAST(0),
    VARIABLE(210000, "rate_bps", 300000.0),
    FAST(1),
    VARIABLE(420000, "rate_bps", 1700000.0),
    VARIABLE(420000, "target_queue_ns", 40000000.0),
    FAST(2),
    VARIABLE(630000, "rate_bps", 2193548.387),
    VARIABLE(630000, "target_queue_ns", 11764705.88),
    VARIABLE(630000, "growth", 0.3),
    END,
};

/* 2 Mbit/s, where the target is short, the window 100 ms and growth 80 kbit/s: a queue of 30 ms, a
 * shorter one, none. */
static const struct vector_step sluice_fast[] = {
    FAST(0),
    FAST(1),
    FAST(2),
    FAST(3),
    FAST(4),
    FAST(5),
    FAST(6),
    FAST(7),
    VARIABLE(1680000, "target_queue_ns", 10000000.0),
    EXPECT(1680000, 3200000.0),
    SEND(1680000, 70, 4000),
    ACK_AFTER(1960000, 320, 354, 160000),
    VARIABLE(1960000, "capacity_bps", 2000000.0),
    VARIABLE(1960000, "predicted_queue_ns", 26000000.0),
    EXPECT(1960000, 1899607.0),
    ACK_AFTER(1970000, 355, 364, 124000),
    VARIABLE(1970000, "capacity_bps", 2012245.0),
    VARIABLE(1970000, "predicted_queue_ns", 0.0),
    EXPECT(1970000, 1905772.0),
    SEND(1980000, 70, 4000),
    ACK(2270000, 365, 429),
    VARIABLE(2270000, "growth", 0.09952202108),
    EXPECT(2270000, 2015438.0),
    END,
};

/* No answer for a second, before an RTT is known: half; the next packet begins the next wait. */
static const struct vector_step sluice_silence[] = {
    SEND(0, 1, 0),
    TIMERS(999999),
    EXPECT(999999, 300000.0),
    TIMERS(1000000),
    VARIABLE(1000000, "rate_bps", 150000.0),
    TIMERS(9000000),
    VARIABLE(9000000, "rate_bps", 150000.0),
    VARIABLE(9000000, "growth", 0.0),
    SEND(9000000, 1, 0),
    TIMERS(10000000),
    VARIABLE(10000000, "rate_bps", 75000.0),
    END,
};

/* Feedback took 0.4 s: twice that is waited for, though four round trips are less. */
static const struct vector_step sluice_quiet_receiver[] = {
    SEND(0, 20, 20000),
    ACK(400000, 0, 9),
    TIMERS(1199999),
    EXPECT(1199999, 300000.0),
    TIMERS(1200000),
    VARIABLE(1200000, "rate_bps", 150000.0),
    END,
};

/* 800 kbit/s leave. From packet 10 on they wait 100 ms: that may be its service, but not that of
 * the next ones. When the window is full of them, the rate is the link's, and what is in flight
 * will wait as long. */
static const struct vector_step sluice_predicted[] = {
    SEND(0, 10, 10000),
    ACK(190000, 0, 9),
    SEND(200000, 30, 10000),
    ACK_AFTER(500000, 10, 10, 300000),
    VARIABLE(500000, "busy", 0.0),
    ACK_AFTER(500000, 11, 14, 300000),
    VARIABLE(500000, "busy", 1.0),
    ACK_AFTER(500000, 15, 21, 300000),
    VARIABLE(500000, "busy", 1.0),
    VARIABLE(500000, "capacity_bps", 800000.0),
    VARIABLE(500000, "predicted_queue_ns", 90000000.0),
    END,
};

/* A queue of 60 ms, of which nothing is left when the next packet arrives: up to 1.1 of the
 * capacity, in a loop time. */
static const struct vector_step sluice_steer_up[] = {
    STANDING,
    VARIABLE(760000, "busy", 1.0),
    VARIABLE(760000, "capacity_bps", 400000.0),
    VARIABLE(760000, "predicted_queue_ns", 0.0),
    EXPECT(760000, 410191.0),
    END,
};

/* 80 kbit/s meet a queue of 300 ms, the next packet one of 250: 0.58 of the capacity brings it to
 * the target of 40 ms in half a second. */
static const struct vector_step sluice_steer_down[] = {
    LATE,
    VARIABLE(2950000, "busy", 1.0),
    VARIABLE(2950000, "capacity_bps", 80000.0),
    VARIABLE(2950000, "predicted_queue_ns", 250000000.0),
    VARIABLE(2950000, "rate_bps", 46400.0),
    END,
};

/* After that queue has gone, the capacity limits growth; two loops later it is another. */
static const struct vector_step sluice_near[] = {
    STANDING,
    SEND(770000, 20, 20000),
    ACK(1220000, 25, 47),
    EXPECT(1220000, 427917.0),
    VARIABLE(1220000, "growth", 0.214659604),
    SEND(1220000, 14, 20000),
    ACK(1500000, 48, 61),
    EXPECT(1500000, 429144.0),
    SEND(1500000, 14, 20000),
    ACK(1780000, 62, 75),
    EXPECT(1780000, 430310.0),
    SEND(1780000, 14, 20000),
    ACK(2060000, 76, 89),
    EXPECT(2060000, 431410.0),
    VARIABLE(2060000, "growth", 0.178527043),
    SEND(2060000, 14, 20000),
    ACK(2340000, 90, 103),
    EXPECT(2340000, 432440.0),
    END,
};

/* Busy for 10 s, as far as is told: 0.8 of the capacity, until the queue of 40 ms should be gone.
 */
static const struct vector_step sluice_drain[] = {
    STANDING,
    SEND(10900000, 15, 20000),
    ACK_AFTER(11400000, 25, 44, 180000),
    VARIABLE(11400000, "rate_bps", 320000.0),
    SEND(11500000, 20, 20000),
    ACK_AFTER(12000000, 45, 59, 180000),
    VARIABLE(12000000, "rate_bps", 400000.0),
    END,
};

/* A loss and a queue of 60 ms; the next loss is of the same round trip. */
static const struct vector_step sluice_give_way[] = {
    SEND(0, 10, 20000),
    ACK(280000, 0, 9),
    SEND(300000, 20, 20000),
    ACK_AFTER(760000, 10, 18, 220000),
    EXPECT(760000, 410191.0),
    LOSE(780000, 19, 19),
    EXPECT(780000, 348662.0),
    VARIABLE(780000, "growth", 0.0),
    LOSE(780000, 20, 20),
    EXPECT(780000, 348662.0),
    VARIABLE(780000, "loss_events", 1.0),
    END,
};

/* In each tenth k of a second four packets leave, 320 kbit/s, and of the four before one is lost.
 */
#define LOSSY_TENTH(k)                                                                             \
    SEND((k)*100000, 4, 25000), ACK((k)*100000 + 85000, (k)*4 - 4, (k)*4 - 2),                     \
        LOSE((k)*100000 + 85000, (k)*4 - 1, (k)*4 - 1)

/* Until a fifth tenth tells, it may be bursts. Then, since no queue is seen, 0.85 of what passed,
 * where nothing is lost any more. What passed is the capacity. */
static const struct vector_step sluice_policer[] = {
    SEND(0, 4, 25000),
    LOSSY_TENTH(1),
    LOSSY_TENTH(2),
    LOSSY_TENTH(3),
    LOSSY_TENTH(4),
    VARIABLE(485000, "loss_trial", 0.0),
    LOSSY_TENTH(5),
    VARIABLE(585000, "loss_trial", 1.0),
    VARIABLE(585000, "rate_bps", 204000.0),
    SEND(600000, 12, 50000),
    ACK(1250000, 20, 35),
    SEND(1250000, 12, 50000),
    ACK(1900000, 36, 47),
    SEND(1900000, 12, 50000),
    ACK(2550000, 48, 59),
    VARIABLE(2550000, "loss_trial", 0.0),
    VARIABLE(2550000, "loss_floor", 0.0),
    VARIABLE(2550000, "rate_bps", 240000.0),
    END,
};

/* The same, and a quarter is lost at half the rate as well: the rate of before. */
static const struct vector_step sluice_lossy_path[] = {
    SEND(0, 4, 25000),
    LOSSY_TENTH(1),
    LOSSY_TENTH(2),
    LOSSY_TENTH(3),
    LOSSY_TENTH(4),
    SEND(500000, 4, 25000),
    ACK(585000, 16, 18),
    VARIABLE(585000, "rate_bps", 387244.898),
    LOSE(585000, 19, 19),
    VARIABLE(585000, "loss_trial", 1.0),
    SEND(600000, 12, 50000),
    LOSE(1200000, 20, 23),
    ACK(1250000, 24, 35),
    SEND(1250000, 12, 50000),
    LOSE(1850000, 36, 38),
    ACK(1900000, 39, 47),
    SEND(1900000, 12, 50000),
    LOSE(2500000, 48, 50),
    ACK(2550000, 51, 59),
    SEND(2550000, 12, 50000),
    LOSE(3150000, 60, 62),
    ACK(3200000, 63, 71),
    SEND(3200000, 12, 50000),
    LOSE(3800000, 72, 74),
    ACK(3850000, 75, 83),
    VARIABLE(3850000, "loss_trial", 0.0),
    VARIABLE(3850000, "loss_floor", 0.25),
    VARIABLE(3850000, "rate_bps", 387244.898),
    END,
};

/* A quarter is lost at once: that is over, and says nothing of the rate. */
static const struct vector_step sluice_outage[] = {
    SEND(0, 40, 25000),        ACK(1025000, 0, 29),
    LOSE(1025000, 30, 39),     VARIABLE(1025000, "loss_trial", 0.0),
    EXPECT(1025000, 300000.0), END,
};

/* Slow start up to half of the former rate, 1000 bytes per round trip, 0.7 on a loss, Cubic. */
static const struct vector_step sluice_compete[] = {
    PUSHED_ASIDE,
    VARIABLE(4950000, "competing", 0.0),
    VARIABLE(4950000, "company", 1.0),
    VARIABLE(4950000, "former_rate_bps", 253920.0),
    EXPECT(4950000, 65622.0),
    SECOND(5, 100000, 700000),
    VARIABLE(5950000, "rate_bps", 46400.0),
    SECOND(6, 100000, 700000),
    VARIABLE(6950000, "rate_bps", 46400.0),
    SEND(7000000, 10, 100000),
    LOSE(7940000, 60, 60),
    VARIABLE(7940000, "rate_bps", 39440.0),
    ACK_AFTER(7950000, 61, 69, 700000),
    EXPECT(7950000, 40426.0),
    SECOND(8, 100000, 700000),
    EXPECT(8950000, 80852.0),
    END,
};

/* The queue falls by 40 ms; a second later, and six after the beginning, 0.75 of what is delivered
 * are sent. As much as before is delivered: the others did the same. */
static const struct vector_step sluice_own_kind[] = {
    PUSHED_ASIDE,
    SECOND(5, 100000, 700000),
    SECOND(6, 100000, 700000),
    SECOND(7, 100000, 700000),
    SECOND(8, 100000, 700000),
    SECOND(9, 100000, 620000),
    SECOND(10, 100000, 620000),
    VARIABLE(10950000, "competing", 1.0),
    EXPECT(10950000, 99693.0),
    SECOND(11, 100000, 620000),
    VARIABLE(11950000, "competing", 1.0),
    SECOND(12, 100000, 620000),
    VARIABLE(12950000, "competing", 1.0),
    VARIABLE(12950000, "former_rate_bps", 248406.0),
    EXPECT(12950000, 248406.0),
    END,
};

/* Receiver reports, one a second: the loop is 1.1 s, the unit of growth 0.77 s. Then round trips
 * are 300 ms longer, and losses meet that queue. */
static const struct vector_step sluice_reports[] = {
    SEND(0, 190, 5000),
    REPORT_AFTER(1000000, 40, 0, 1000000, 100000),
    EXPECT(1000000, 300000.0),
    REPORT_AFTER(2000000, 50, 0, 1000000, 100000),
    EXPECT(2000000, 416883.0),
    REPORT_AFTER(3000000, 40, 0, 1000000, 400000),
    VARIABLE(3000000, "busy", 1.0),
    VARIABLE(3000000, "capacity_bps", 320000.0),
    VARIABLE(3000000, "rate_bps", 160000.0),
    REPORT_AFTER(4000000, 40, 4, 1000000, 400000),
    VARIABLE(4000000, "loss_events", 1.0),
    VARIABLE(4000000, "rate_bps", 136000.0),
    END,
};

#define SLUICE_VECTOR(which)                                                                       \
    {                                                                                              \
        .name = #which, .steps = sluice_##which                                                    \
    }
static const struct vector sluice_vectors[] = {
    SLUICE_VECTOR(start),      SLUICE_VECTOR(grow),           SLUICE_VECTOR(random_loss),
    SLUICE_VECTOR(unproved),   SLUICE_VECTOR(ahead),          SLUICE_VECTOR(fast),
    SLUICE_VECTOR(silence),    SLUICE_VECTOR(quiet_receiver), SLUICE_VECTOR(predicted),
    SLUICE_VECTOR(steer_up),   SLUICE_VECTOR(steer_down),     SLUICE_VECTOR(near),
    SLUICE_VECTOR(drain),      SLUICE_VECTOR(give_way),       SLUICE_VECTOR(policer),
    SLUICE_VECTOR(lossy_path), SLUICE_VECTOR(outage),         SLUICE_VECTOR(compete),
    SLUICE_VECTOR(own_kind),   SLUICE_VECTOR(reports),
};

KNOWN_ANSWERS(sluice, sluice_vectors);
