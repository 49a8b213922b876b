/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/loss.h"

#include <stddef.h>

#include "weir/units.h"

void weir__loss_detection_init(struct weir__loss *loss, uint32_t reorder_packets)
{
    *loss = (struct weir__loss){
        .highest = {-1, -1, -1},
        .reorder_packets = reorder_packets,
        .covered_seq = -1,
        .suspect_low = 0,
        .suspect_high = -1,
    };
}

/* Keeps the three highest; each seq comes at most once. */
static void note_received(struct weir__loss *loss, int64_t seq)
{
    for (int i = 0; i < WEIR_REORDER_PACKETS_MAX; i++) {
        if (seq > loss->highest[i]) {
            int64_t pushed_out = loss->highest[i];
            loss->highest[i] = seq;
            seq = pushed_out;
        }
    }
}

enum weir__loss_news weir__loss_on_received(struct weir__loss *loss, struct weir__history *history,
                                            int64_t seq)
{
    const struct weir__sent_record *record = weir__history_peek(history, seq);
    if (!record) {
        return WEIR__LOSS_NO_NEWS;
    }
    enum weir__packet_state state = weir__history_state(record);
    if (state == WEIR__PACKET_RECEIVED || state == WEIR__PACKET_LATE) {
        return WEIR__LOSS_NO_NEWS;
    }
    bool late = state == WEIR__PACKET_LOST;
    weir__history_set_state(history, seq, late ? WEIR__PACKET_LATE : WEIR__PACKET_RECEIVED);
    loss->covered_seq = weir_max_i64(loss->covered_seq, seq);
    note_received(loss, seq);
    return late ? WEIR__LOSS_LATE : WEIR__LOSS_RECEIVED;
}

void weir__loss_on_missing(struct weir__loss *loss, struct weir__history *history, int64_t seq)
{
    const struct weir__sent_record *record = weir__history_peek(history, seq);
    enum weir__packet_state state = record ? weir__history_state(record) : WEIR__PACKET_FREE;
    if (state != WEIR__PACKET_SENT && state != WEIR__PACKET_UNTOLD) {
        return;
    }
    weir__history_set_state(history, seq, WEIR__PACKET_SUSPECT);
    loss->covered_seq = weir_max_i64(loss->covered_seq, seq);
    bool none = loss->suspect_low > loss->suspect_high;
    loss->suspect_low = none ? seq : weir_min_i64(loss->suspect_low, seq);
    loss->suspect_high = none ? seq : weir_max_i64(loss->suspect_high, seq);
}

/* RFC 5348 5.1: so many later packets; or the tail rule. Both only become less true with rising
 * seq. */
static bool is_lost(const struct weir__loss *loss, int64_t seq, int64_t age_ns, int64_t rto_ns)
{
    bool overtaken = seq < loss->highest[loss->reorder_packets - 1];
    return overtaken || (age_ns >= rto_ns && seq < loss->covered_seq);
}

int64_t weir__loss_next(struct weir__loss *loss, struct weir__history *history, int64_t now_ns,
                        int64_t rto_ns)
{
    loss->suspect_low = weir_max_i64(loss->suspect_low, history->ring.oldest_seq);
    for (; loss->suspect_low <= loss->suspect_high; loss->suspect_low++) {
        int64_t seq = loss->suspect_low;
        const struct weir__sent_record *record = weir__history_peek(history, seq);
        if (weir__history_state(record) != WEIR__PACKET_SUSPECT) {
            continue;
        }
        if (!is_lost(loss, seq, now_ns - record->sent_ns, rto_ns)) {
            return -1;
        }
        weir__history_set_state(history, seq, WEIR__PACKET_LOST);
        loss->suspect_low++;
        return seq;
    }
    return -1;
}

int64_t weir__loss_passed_seq(const struct weir__loss *loss, int64_t received_seq)
{
    return weir_min_i64(loss->highest[loss->reorder_packets - 1], received_seq);
}

int64_t weir__loss_next_timeout_ns(const struct weir__loss *loss,
                                   const struct weir__history *history, int64_t rto_ns)
{
    if (loss->suspect_low > loss->suspect_high || loss->suspect_low >= loss->covered_seq) {
        return WEIR_NEVER_NS;
    }
    const struct weir__sent_record *record = weir__history_peek(history, loss->suspect_low);
    return record ? weir_time_add_ns(record->sent_ns, rto_ns) : WEIR_NEVER_NS;
}
