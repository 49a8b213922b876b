/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of warc. Packets have 1000 bytes and R is 100 ms, so that a mean
 * window of one packet is 80000 bit/s. */
#include "steps.h"

/* A round of one packet, without loss. */
#define ROUND(us, seq) SEND(us, 1, 0), ACK((us) + 100000, seq, seq)
/* Three packets 10 ms apart, of which `which` (0 to 2) is lost. */
#define LOSSY(us, seq, which)                                                                      \
    SEND(us, 3, 10000), LOSE((us) + 100000, (seq) + (which), (seq) + (which)),                     \
        ACK((us) + 100000, (seq) + ((which) + 1) % 3, (seq) + ((which) + 1) % 3)
/* The windows 1 to 5. */
#define FIVE_ROUNDS                                                                                \
    ROUND(0, 0), ROUND(100000, 1), ROUND(200000, 2), ROUND(300000, 3), ROUND(400000, 4),           \
        ROUND(500000, 5)

/* W = 1, 2, 3 ... and R = 1, 1.5, 2 ...: the round before the first RTT sample does not count. */
static const struct vector_step steps_growth[] = {
    EXPECT(0, 8000.0),
    ROUND(0, 0),
    EXPECT(100000, 80000.0),
    ROUND(100000, 1),
    EXPECT(200000, 80000.0),
    ROUND(200000, 2),
    EXPECT(300000, 120000.0),
    ROUND(300000, 3),
    EXPECT(400000, 160000.0),
    VARIABLE(400000, "emulated_window_packets", 4.0),
    END,
};

/* s = 3: (4 + 5 + 6)/3 = 5; the loss makes (6 + 1)/2 = 3.5, and (5 + 6 + 3.5)/3 follows. */
static const struct vector_step steps_average[] = {
    FIVE_ROUNDS,
    LOSSY(600000, 6, 0),
    EXPECT(700000, 400000.0),
    VARIABLE(700000, "emulated_window_packets", 3.5),
    ROUND(700000, 9),
    VARIABLE(800000, "mean_window_packets", 14.5 / 3.0),
    EXPECT(800000, 386666.0),
    END,
};

/* One packet per R arrives: 7/8 of 10000 bytes/s for one R, told before the window has answered. */
static const struct vector_step steps_reduction[] = {
    FIVE_ROUNDS,
    SEND(600000, 2, 0),
    LOSE(700000, 6, 6),
    EXPECT(700000, 70000.0),
    ACK(700000, 7, 7),
    VARIABLE(700000, "mean_window_packets", 3.5),
    EXPECT(700000, 70000.0),
    SEND(700000, 2, 10000),
    ACK(710000, 8, 8),
    TIMERS(799999),
    EXPECT(799999, 70000.0),
    TIMERS(800000),
    EXPECT(800000, 280000.0),
    END,
};

/* N = 2: three losses in a row leave the windows 1 to 6, 3.5 and 2.25, R = 26.75/8; TCP's mean is
 * 3/2, and K = 2 is enough: the latest two windows stay. */
static const struct vector_step steps_reset[] = {
    FIVE_ROUNDS,
    LOSSY(600000, 6, 0),
    LOSSY(700000, 9, 1),
    VARIABLE(800000, "mean_window_packets", 24.5 / 7.0),
    VARIABLE(800000, "history_resets", 0.0),
    LOSSY(800000, 12, 2),
    VARIABLE(900000, "tcp_mean_window_packets", 1.5),
    VARIABLE(900000, "history_resets", 1.0),
    VARIABLE(900000, "windows_averaged", 2.0),
    EXPECT(900000, 230000.0),
    END,
};

/* A loss at W = 2 is a timeout (3/2 > 1) of 4R; R = 1/5 after it. The next one lasts 8R. */
static const struct vector_step steps_timeout[] = {
    ROUND(0, 0),
    LOSSY(100000, 1, 0),
    VARIABLE(200000, "emulated_window_packets", 0.0),
    ROUND(200000, 4),
    ROUND(300000, 5),
    ROUND(400000, 6),
    VARIABLE(500000, "emulated_window_packets", 0.0),
    ROUND(500000, 7),
    VARIABLE(600000, "emulated_window_packets", 1.0),
    EXPECT(600000, 16000.0),
    LOSSY(600000, 8, 0),
    VARIABLE(700000, "emulated_timeouts", 2.0),
    ROUND(700000, 11),
    SEND(800000, 1, 0),
    ACK(1400000, 12, 12),
    VARIABLE(1400000, "emulated_window_packets", 0.0),
    ROUND(1400000, 13),
    VARIABLE(1500000, "emulated_window_packets", 1.0),
    END,
};

/* The start bitrate, then max(4, 3.75) packets; doubled, but not beyond 2 x 6, as 6 packets arrive
 * in the last R; halved by the first loss, which starts the mean anew. */
static const struct vector_step steps_start[] = {
    EXPECT(0, 300000.0),
    ROUND(0, 0),
    EXPECT(100000, 320000.0),
    SEND(100000, 10, 10000),
    ACK(200000, 1, 10),
    EXPECT(200000, 640000.0),
    SEND(200000, 5, 20000),
    ACK(300000, 11, 15),
    EXPECT(300000, 960000.0),
    LOSSY(300000, 16, 0),
    VARIABLE(400000, "mean_window_packets", 6.0),
    VARIABLE(400000, "windows_averaged", 1.0),
    END,
};

/* After 4R without feedback their windows are 0: (1 + 2 + 3 + 4 + 5)/5, then /9. */
static const struct vector_step steps_silence[] = {
    FIVE_ROUNDS,
    EXPECT(600000, 240000.0),
    SEND(600000, 1, 0),
    TIMERS(999999),
    EXPECT(999999, 240000.0),
    TIMERS(1000000),
    EXPECT(1000000, 133333.0),
    END,
};

/* The application leaves most of the rate unused: 1 of 4 packets, and W stays. */
static const struct vector_step steps_unused[] = {
    ROUND(0, 0),
    SEND_IDLE(100000, 1, 0),
    ACK(200000, 1, 1),
    EXPECT(200000, 320000.0),
    SEND_IDLE(200000, 4, 20000),
    ACK(300000, 2, 5),
    EXPECT(300000, 640000.0),
    END,
};

/* Ten rounds in each report. The window doubles up to 20, twice what arrives, but the rate only
 * doubles. 2 of 100 lost are 2 loss events, in rounds 5 and 10: W = 20/2; then 10 to 14, 15/2. */
static const struct vector_step steps_report[] = {
    REPORT(1000000, 100, 0),
    EXPECT(1000000, 600000.0),
    VARIABLE(1000000, "emulated_window_packets", 20.0),
    REPORT(2000000, 100, 2),
    VARIABLE(2000000, "loss_events", 2.0),
    VARIABLE(2000000, "emulated_window_packets", 7.5),
    VARIABLE(2000000, "mean_window_packets", 70.0 / 6.0),
    EXPECT(2000000, 933333.0),
    END,
};

#define PAPER                                                                                      \
    {                                                                                              \
        .name = "initial", .value_text = "paper"                                                   \
    }
static const struct weir_param_value warc_paper[] = {PAPER};
static const struct weir_param_value warc_three[] = {
    PAPER, {.name = "samples", .value = 3.0}, {.name = "one-rtt-reduction", .value_text = "false"}};
static const struct weir_param_value warc_two_epochs[] = {
    PAPER,
    {.name = "epochs", .value = 2.0},
    {.name = "reset-factor", .value = 2.0},
    {.name = "fluid-timeout", .value_text = "false"},
    {.name = "one-rtt-reduction", .value_text = "false"}};
static const struct weir_param_value warc_no_reduction[] = {
    PAPER, {.name = "one-rtt-reduction", .value_text = "false"}};

#define VECTOR(text, values, which)                                                                \
    {                                                                                              \
        .name = (text), .params = (values), .n_params = sizeof(values) / sizeof((values)[0]),      \
        .steps = (which)                                                                           \
    }

static const struct vector warc_vectors[] = {
    VECTOR("III.A growth of the window and its mean", warc_paper, steps_growth),
    VECTOR("equation 1 and a loss", warc_three, steps_average),
    VECTOR("III.B.2 one-RTT reduction", warc_paper, steps_reduction),
    VECTOR("equations 2 and 3, history reset", warc_two_epochs, steps_reset),
    VECTOR("III.B.3 fluid timeout and its backoff", warc_no_reduction, steps_timeout),
    {.name = "start rate and slow start", .steps = steps_start},
    VECTOR("silence of the receiver", warc_paper, steps_silence),
    {.name = "application-limited rounds", .steps = steps_unused},
    {.name = "report form", .steps = steps_report},
};

KNOWN_ANSWERS(warc, warc_vectors);
