/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/l4s_queue.h"

/* What clocks and threads add to the step: a report tells times to 1 ms (RFC 8888). */
#define NOISE_NS WEIR_MS(2)
/* One that is being sent, and two that wait: the next one may leave without a mark (RFC 9332 A.1).
 */
#define PACKETS 3
/* As the share of marks (RFC 8257 4.2): a stall of the receiver makes a round trip or two late. */
#define GAIN (1.0 / 16.0)
#define MOST 0.5

void weir__l4s_queue_on_packet(struct weir__l4s_queue *queue, enum weir_ecn ecn, int64_t wait_ns,
                               int64_t packet_ns)
{
    bool marked = ecn == WEIR_ECN_CE;
    bool waited =
        ecn != WEIR_ECN_NOT_ECT && wait_ns > WEIR__L4S_STEP_NS + NOISE_NS + PACKETS * packet_ns;
    queue->is_ect1 = marked ? queue->is_ect1 : ecn == WEIR_ECN_ECT1;
    queue->packets += marked || waited;
    queue->unmarked_packets += !marked && waited;
}

void weir__l4s_queue_step(struct weir__l4s_queue *queue, int64_t now_ns, int64_t rtt_ns)
{
    if (queue->packets == 0 || now_ns - queue->begun_ns < rtt_ns) {
        return;
    }
    double seen = (double)queue->unmarked_packets / (double)queue->packets;
    queue->unmarked += GAIN * (seen - queue->unmarked);
    queue->begun_ns = now_ns;
    queue->packets = 0;
    queue->unmarked_packets = 0;
}

bool weir__l4s_queue_is(const struct weir__l4s_queue *queue)
{
    return queue->is_ect1 && queue->unmarked < MOST;
}
