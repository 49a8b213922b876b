/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of sqrt and iiad. Derived by hand; the comments show how. */
#include "steps.h"

#define CWND(us, packets) VARIABLE(us, "cwnd_packets", packets)

/* 2, 4, 8 packets per RTT; the first loss event halves whatever beta is. */
#define FIRST_LOSS                                                                                 \
    SEND(0, 2, 0), ACK(100000, 0, 1), CWND(100000, 4.0), SEND(100000, 4, 0), ACK(200000, 2, 5),    \
        CWND(200000, 8.0), SEND(200000, 8, 0), LOSE(300000, 6, 6), ACK(300000, 7, 13),             \
        CWND(300000, 4.0)
static const struct vector_step steps_first_loss[] = {
    FIRST_LOSS,
    EXPECT(300000, 320000.0),
    END,
};

/* w += 1/(w sqrt(w)) four times. */
#define SQRT_INCREASE                                                                              \
    FIRST_LOSS, SEND(300000, 4, 0), ACK(400000, 14, 17), CWND(400000, 4.468614096383361)
static const struct vector_step steps_sqrt_increase[] = {SQRT_INCREASE, END};
/* w -= 0.67 sqrt(w). */
static const struct vector_step steps_sqrt_decrease[] = {
    SQRT_INCREASE, SEND(400000, 4, 0), LOSE(500000, 18, 18), CWND(500000, 3.0522946169344305), END,
};
/* RTO = 200 ms: half the window is what slow start may reach, then one packet per two RTOs. */
static const struct vector_step steps_sqrt_timeout[] = {
    SQRT_INCREASE,
    SEND(400000, 4, 0),
    TIMERS(600000),
    CWND(600000, 1.0),
    VARIABLE(600000, "ssthresh_packets", 2.2343070481916807),
    EXPECT(600000, 20000.0),
    END,
};

/* w += 1/w^2 four times. */
#define IIAD_INCREASE                                                                              \
    FIRST_LOSS, SEND(300000, 4, 0), ACK(400000, 14, 17), CWND(400000, 4.239096341810868)
static const struct vector_step steps_iiad_increase[] = {IIAD_INCREASE, END};
/* w -= 0.67. */
static const struct vector_step steps_iiad_decrease[] = {
    IIAD_INCREASE, SEND(400000, 4, 0), LOSE(500000, 18, 18), CWND(500000, 3.5690963418108677), END,
};
/* Never below one packet: 4, half of it, 2 - 0.67, and 1. */
static const struct vector_step steps_iiad_floor[] = {
    SEND(0, 2, 0),      ACK(100000, 0, 1),  SEND(100000, 4, 0), LOSE(200000, 2, 2),
    CWND(200000, 2.0),  SEND(200000, 2, 0), LOSE(300000, 6, 6), CWND(300000, 1.33),
    SEND(300000, 1, 0), LOSE(400000, 8, 8), CWND(400000, 1.0),  END,
};

/* Reports: slow start doubles; one event halves; at most half more each time (ten rounds of 1/w^k
 * would be more); 3 of 70 packets lost in 10 rounds are 3 events: 7 rounds up, 3 decreases; 30 of
 * 70 are 10 events, which stop at half of the 4 packets delivered per round. */
#define REPORTS                                                                                    \
    REPORT(1000000, 20, 0), CWND(1000000, 4.0), REPORT(2000000, 40, 1), CWND(2000000, 2.0),        \
        REPORT(3000000, 20, 0), CWND(3000000, 3.0), REPORT(4000000, 30, 0), CWND(4000000, 4.5),    \
        REPORT(5000000, 60, 0)
static const struct vector_step steps_sqrt_report[] = {
    REPORTS,
    CWND(5000000, 6.75),
    REPORT(6000000, 70, 3),
    CWND(6000000, 3.8577111735418006),
    REPORT(7000000, 70, 30),
    CWND(7000000, 1.4735861106487613),
    END,
};
static const struct vector_step steps_iiad_report[] = {
    REPORTS,
    CWND(5000000, 6.372145912642644),
    REPORT(6000000, 70, 3),
    CWND(6000000, 5.389686818681016),
    REPORT(7000000, 70, 30),
    CWND(7000000, 1.369686818681016),
    END,
};

static const struct weir_param_value paper_params[] = {{.name = "initial", .value_text = "paper"}};

#define VECTOR(text, which)                                                                        \
    {                                                                                              \
        .name = (text), .params = paper_params, .n_params = 1, .steps = (which)                    \
    }

static const struct vector sqrt_vectors[] = {
    VECTOR("the first reaction halves", steps_first_loss),
    VECTOR("increase", steps_sqrt_increase),
    VECTOR("decrease", steps_sqrt_decrease),
    VECTOR("timeout", steps_sqrt_timeout),
    VECTOR("receiver reports", steps_sqrt_report),
};

static const struct vector iiad_vectors[] = {
    VECTOR("the first reaction halves", steps_first_loss),
    VECTOR("increase", steps_iiad_increase),
    VECTOR("decrease", steps_iiad_decrease),
    VECTOR("one packet at least", steps_iiad_floor),
    VECTOR("receiver reports", steps_iiad_report),
};

KNOWN_ANSWERS(sqrt, sqrt_vectors);
KNOWN_ANSWERS(iiad, iiad_vectors);
