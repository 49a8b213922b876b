/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/hystart.h"
#include "weir/units.h"

#define LEAST_WINDOW        16.0       /* below, slow start harms nobody */
#define TRAIN_GAP_NS        WEIR_MS(2) /* ACKs closer than this are of one train */
#define ACK_AGGREGATION_NS  WEIR_MS(1) /* that a train's length may be due to */
#define SAMPLES             8          /* of a round, before its delay is judged */
#define LEAST_DELAY_RISE_NS WEIR_MS(4)
#define MOST_DELAY_RISE_NS  WEIR_MS(16)

static void begin_round(struct weir__tcp_hystart *hystart, int64_t next, int64_t now_ns)
{
    hystart->round_end = next;
    hystart->round_began_ns = now_ns;
    hystart->train_ns = now_ns;
    hystart->round_rtt_ns = WEIR_NEVER_NS;
    hystart->samples = 0;
}

/* Of a connection, or of its slow start after a timeout; `next`: to be sent. */
void weir__tcp_hystart_init(struct weir__tcp_hystart *hystart, int64_t next, int64_t now_ns)
{
    *hystart = (struct weir__tcp_hystart){.rtt_min_ns = WEIR_NEVER_NS};
    begin_round(hystart, next, now_ns);
}

/* A window whose ACKs take half of the round trip fills the path forth, and in the same time back.
 */
static bool is_long_train(struct weir__tcp_hystart *hystart, int64_t now_ns)
{
    if (now_ns - hystart->train_ns > TRAIN_GAP_NS) {
        return false;
    }
    hystart->train_ns = now_ns;
    return now_ns - hystart->round_began_ns > (hystart->rtt_min_ns + ACK_AGGREGATION_NS) / 2;
}

/* The least of eight samples, so that jitter alone does not end slow start. */
static bool is_delayed(struct weir__tcp_hystart *hystart, int64_t rtt_ns)
{
    hystart->round_rtt_ns = weir_min_i64(hystart->round_rtt_ns, rtt_ns);
    if (hystart->samples < SAMPLES) {
        hystart->samples++;
        return false;
    }
    int64_t rise_ns =
        weir_clamp_i64(hystart->rtt_min_ns / 8, LEAST_DELAY_RISE_NS, MOST_DELAY_RISE_NS);
    return hystart->round_rtt_ns > hystart->rtt_min_ns + rise_ns;
}

/* An ACK of new data in slow start. True when slow start should end with the window as it is. */
bool weir__tcp_hystart_on_ack(struct weir__tcp_hystart *hystart,
                              const struct weir__tcp_hystart_ack *ack)
{
    if (ack->rtt_ns == WEIR_UNKNOWN_NS) {
        return false;
    }
    hystart->rtt_min_ns = weir_min_i64(hystart->rtt_min_ns, ack->rtt_ns);
    if (ack->una >= hystart->round_end) {
        begin_round(hystart, ack->next, ack->now_ns);
    }
    if (ack->cwnd_packets < LEAST_WINDOW) {
        return false;
    }
    bool is_long = is_long_train(hystart, ack->now_ns);
    bool is_late = is_delayed(hystart, ack->rtt_ns);
    return is_long || is_late;
}
