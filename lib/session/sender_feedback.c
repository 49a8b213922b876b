/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From "this packet was received, that one was not" to one call of the controller. */
#include <stddef.h>
#include <string.h>

#include "session/sender_internal.h"

/* How many packets may leave on other transports between two of one. */
enum { NEXT_AT_MOST = 16 };

void weir__batch_init(struct weir__batch *batch, struct weir_sender *sender,
                      struct weir__sender_transport *transport)
{
    memset(batch, 0, offsetof(struct weir__batch, packets)); /* which add() fills */
    batch->sender = sender;
    batch->transport = transport;
    batch->newest_seq = -1;
    batch->hold_ns = WEIR_UNKNOWN_NS;
    batch->delay_ns = WEIR_UNKNOWN_NS;
}

/* By seq, in place. Reports are in order as a rule; there are few enough packets for any other. */
static void sort_packets(struct weir_packet_report *packets, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct weir_packet_report moving = packets[i];
        size_t at = i;
        for (; at > 0 && packets[at - 1].seq > moving.seq; at--) {
            packets[at] = packets[at - 1];
        }
        packets[at] = moving;
    }
}

/* a + b as weir__time_diff_ns. */
static int64_t sum_ns(int64_t a_ns, int64_t b_ns)
{
    return (int64_t)((uint64_t)a_ns + (uint64_t)b_ns);
}

/* WEIR_UNKNOWN_NS when no packet has an arrival time. */
static int64_t least_delay_ns(const struct weir__batch *batch)
{
    int64_t least_ns = WEIR_UNKNOWN_NS;
    for (size_t i = 0; i < batch->n_packets; i++) {
        const struct weir_packet_report *packet = &batch->packets[i];
        if (packet->arrived_ns != WEIR_UNKNOWN_NS) {
            int64_t delay_ns = weir__time_diff_ns(packet->arrived_ns, packet->sent_ns);
            least_ns = least_ns == WEIR_UNKNOWN_NS ? delay_ns : weir_min_i64(least_ns, delay_ns);
        }
    }
    return least_ns;
}

/* The transports of a session share a path, so their packets wait in the same queue: the clock of
 * another transport is set so that its first feedback has the delay of the newest one before it.
 * The controller sees arrivals on one clock. */
static void align(struct weir__batch *batch)
{
    struct weir_sender *sender = batch->sender;
    struct weir__sender_transport *transport = batch->transport;
    int64_t delay_ns = least_delay_ns(batch);
    if (!transport || delay_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    if (!transport->aligned) {
        bool first = sender->least_delay_ns == WEIR_UNKNOWN_NS;
        transport->align_ns = first ? 0 : weir__time_diff_ns(sender->least_delay_ns, delay_ns);
        transport->aligned = true;
    }
    sender->least_delay_ns = sum_ns(delay_ns, transport->align_ns);
    for (size_t i = 0; i < batch->n_packets && transport->align_ns != 0; i++) {
        struct weir_packet_report *packet = &batch->packets[i];
        if (packet->arrived_ns != WEIR_UNKNOWN_NS) {
            packet->arrived_ns = sum_ns(packet->arrived_ns, transport->align_ns);
        }
    }
}

/* One call of the controller with what has been gathered. */
static void flush(struct weir__batch *batch, int64_t rtt_ns)
{
    struct weir_sender *sender = batch->sender;
    if (batch->n_packets == 0) {
        return;
    }
    align(batch);
    sort_packets(batch->packets, batch->n_packets);
    struct weir_feedback feedback = {
        .now_ns = sender->now_ns,
        .rtt_ns = rtt_ns,
        .in_flight_bytes = sender->history.in_flight_bytes,
        .packets = batch->packets,
        .n_packets = batch->n_packets,
    };
    weir__trace_feedback(&sender->tracer, sender->now_ns, &feedback);
    weir__driver_on_feedback(&sender->driver, &feedback);
    batch->n_packets = 0;
}

static void add(struct weir__batch *batch, int64_t seq, enum weir_packet_status status,
                const struct weir__batch_arrival *arrival)
{
    if (batch->n_packets == WEIR_FEEDBACK_MAX_PACKETS) {
        flush(batch, WEIR_UNKNOWN_NS);
    }
    const struct weir__sent_record *record = weir__history_peek(&batch->sender->history, seq);
    batch->packets[batch->n_packets++] = (struct weir_packet_report){
        .seq = seq,
        .sent_ns = record->sent_ns,
        .arrived_ns = arrival ? arrival->arrived_ns : WEIR_UNKNOWN_NS,
        .wire_bytes = record->wire_bytes,
        .status = status,
        .ecn = arrival ? arrival->ecn : WEIR_ECN_NOT_ECT,
    };
    batch->n_news++;
}

/* Counts for the loss ratio of the last ten seconds. */
void weir__sender_count_loss(struct weir_sender *sender, int64_t received_packets,
                             int64_t lost_packets)
{
    weir__recent_loss_add(&sender->recent_loss, sender->now_ns, received_packets, lost_packets);
    if (lost_packets > 0) {
        weir__limited_by_on_loss(&sender->limited_by, sender->now_ns,
                                 weir__rtt_srtt_ns(&sender->rtt));
    }
}

static void count_received(struct weir__batch *batch, int64_t seq, bool late)
{
    const struct weir__sent_record *record = weir__history_peek(&batch->sender->history, seq);
    bool summed = weir__history_is_summed(&batch->sender->history, seq);
    batch->received_packets++;
    batch->summed_packets += summed;
    batch->received_bytes += summed ? 0 : record->wire_bytes;
    batch->late_packets += late && !summed;
    weir__guard_on_delivered(&batch->sender->guard, record->sent_ns, record->wire_bytes);
    weir__queue_check_on_delivered(&batch->sender->queue_check, record->sent_ns,
                                   record->wire_bytes);
}

/* The counters take a whole feedback at once. */
static void settle_counts(const struct weir__batch *batch)
{
    struct weir_sender *sender = batch->sender;
    struct weir_sender_stats *counts = &sender->counts;
    uint64_t late = (uint64_t)batch->late_packets;
    int64_t received = batch->received_packets - batch->summed_packets;
    counts->packets_received += (uint64_t)received;
    counts->packets_late += late;
    counts->packets_lost -= late < counts->packets_lost ? late : counts->packets_lost;
    weir__sender_count_loss(sender, received, -batch->late_packets);
    weir__rate_meter_add(&sender->delivered, sender->now_ns, batch->received_bytes);
    if (batch->newest_seq >= 0) {
        weir__proved_rate_on_packets(&sender->proved, batch->sent_ns, batch->received_bytes);
    }
}

/* seq < 0: the packet is not in the history. */
void weir__batch_received(struct weir__batch *batch, int64_t seq,
                          const struct weir__batch_arrival *arrival)
{
    struct weir_sender *sender = batch->sender;
    const struct weir__sent_record *record = weir__history_peek(&sender->history, seq);
    if (!record) {
        sender->counts.results_unsent++;
        return;
    }
    if (!weir__guard_believes_ack(sender->now_ns, record->sent_ns)) {
        batch->n_disbelieved++;
        return;
    }
    batch->n_matched++;
    if (batch->only_matches) {
        return;
    }
    enum weir__loss_news news = weir__loss_on_received(&sender->loss, &sender->history, seq);
    if (news == WEIR__LOSS_NO_NEWS) {
        sender->counts.results_repeated++;
        return;
    }
    bool late = news == WEIR__LOSS_LATE;
    count_received(batch, seq, late);
    struct weir__batch_arrival believed = *arrival;
    believed.ecn = WEIR_ECN_NOT_ECT;
    if (arrival->has_ecn) {
        believed.ecn = weir__ecn_path_on_received(&sender->ecn, seq, arrival->ecn);
    } else {
        weir__ecn_path_on_untold(&sender->ecn);
    }
    if (believed.ecn == WEIR_ECN_CE) {
        weir__limited_by_on_loss(&sender->limited_by, sender->now_ns,
                                 weir__rtt_srtt_ns(&sender->rtt));
    }
    add(batch, seq, late ? WEIR_PACKET_LATE : WEIR_PACKET_RECEIVED, &believed);
    if (seq > batch->newest_seq) {
        batch->newest_seq = seq;
        batch->hold_ns = arrival->hold_ns;
        batch->sent_ns = record->sent_ns;
        batch->delay_ns = arrival->arrived_ns == WEIR_UNKNOWN_NS
                              ? WEIR_UNKNOWN_NS
                              : weir__time_diff_ns(arrival->arrived_ns, record->sent_ns);
    }
}

void weir__batch_missing(struct weir__batch *batch, int64_t seq)
{
    struct weir_sender *sender = batch->sender;
    const struct weir__sent_record *record = weir__history_peek(&sender->history, seq);
    if (!record) {
        sender->counts.results_unsent++;
    } else if (!weir__guard_believes_ack(sender->now_ns, record->sent_ns)) {
        batch->n_disbelieved++;
    } else {
        batch->n_matched++;
        if (!batch->only_matches) {
            weir__loss_on_missing(&sender->loss, &sender->history, seq);
        }
    }
}

static void add_losses(struct weir__batch *batch)
{
    struct weir_sender *sender = batch->sender;
    int64_t rto_ns = weir__sender_rto_ns(sender);
    int64_t seq;
    while ((seq = weir__loss_next(&sender->loss, &sender->history, sender->now_ns, rto_ns)) >= 0) {
        bool summed = weir__history_is_summed(&sender->history, seq);
        sender->counts.packets_lost += !summed;
        weir__sender_count_loss(sender, 0, !summed);
        weir__loss_bursts_on_lost(&sender->loss_bursts, seq);
        add(batch, seq, WEIR_PACKET_LOST, NULL);
    }
}

/* What told of them was lost: feedback that tells of each packet once leaves such gaps. */
static void pass_untold(const struct weir__batch *batch)
{
    struct weir_sender *sender = batch->sender;
    int64_t to_seq = weir__loss_passed_seq(&sender->loss, batch->newest_seq);
    if (to_seq > batch->transport->passed_seq) {
        weir__history_pass(&sender->history, (uint32_t)(batch->transport - sender->transports),
                           batch->transport->passed_seq, to_seq);
        batch->transport->passed_seq = to_seq;
    }
}

/* Without a time, delays of before are not comparable either: the receiver's clock has jumped. */
static void sample_queueing(const struct weir__batch *batch)
{
    struct weir_sender *sender = batch->sender;
    if (batch->newest_seq >= 0 && batch->delay_ns == WEIR_UNKNOWN_NS) {
        weir__queueing_restart(&sender->queueing);
    } else if (batch->newest_seq >= 0) {
        weir__queueing_sample(&sender->queueing, sender->now_ns,
                              sum_ns(batch->delay_ns, batch->transport->align_ns));
    }
}

/* When the packet after seq left, of those on its transport; WEIR_UNKNOWN_NS. */
static int64_t next_sent_ns(const struct weir_sender *sender, int64_t seq)
{
    const struct weir__sent_record *record = weir__history_peek(&sender->history, seq);
    uint32_t transport = weir__history_transport(record);
    for (int i = 1; i <= NEXT_AT_MOST; i++) {
        record = weir__history_peek(&sender->history, seq + i);
        if (record && weir__history_transport(record) == transport) {
            return record->sent_ns;
        }
    }
    return WEIR_UNKNOWN_NS;
}

/* Only the newest packet of all: of older ones it is not known when their report was due. */
static void check_queue(const struct weir__batch *batch)
{
    struct weir_sender *sender = batch->sender;
    if (batch->newest_seq < 0 || batch->newest_seq != sender->loss.highest[0]) {
        return;
    }
    bool known = batch->delay_ns != WEIR_UNKNOWN_NS;
    const struct weir__queue_sample sample = {
        .now_ns = sender->now_ns,
        .sent_ns = batch->sent_ns,
        .next_sent_ns = next_sent_ns(sender, batch->newest_seq),
        .delay_ns = known ? sum_ns(batch->delay_ns, batch->transport->align_ns) : WEIR_UNKNOWN_NS,
    };
    if (weir__queue_check_on_feedback(&sender->queue_check, &sample)) {
        weir__sender_forget_proof(sender);
    }
}

/* Only the newest packet of all gives a sample: of older ones it is not known when their report was
 * due. */
static int64_t rtt_sample(const struct weir__batch *batch, bool has_hold)
{
    struct weir_sender *sender = batch->sender;
    bool no_time = has_hold && batch->hold_ns == WEIR_UNKNOWN_NS;
    if (batch->newest_seq < 0 || batch->newest_seq != sender->loss.highest[0] || no_time) {
        return WEIR_UNKNOWN_NS;
    }
    int64_t sample_ns =
        weir__guard_rtt_ns(sender->now_ns, batch->sent_ns, has_hold ? batch->hold_ns : 0);
    if (has_hold || sample_ns == WEIR_UNKNOWN_NS) {
        return sample_ns;
    }
    return weir__unheld_rtt_sample(&batch->transport->unheld_rtt, sender->now_ns, sample_ns,
                                   batch->delay_ns);
}

void weir__sender_take_rtt(struct weir_sender *sender, int64_t rtt_ns)
{
    if (rtt_ns != WEIR_UNKNOWN_NS) {
        weir__rtt_sample(&sender->rtt, sender->now_ns, rtt_ns);
    }
}

/* Feedback with news came: when, and how often it does. In silence it has nothing to tell. */
void weir__sender_note_feedback(struct weir_sender *sender)
{
    struct weir_sender_stats *counts = &sender->counts;
    if (counts->last_feedback_ns != WEIR_UNKNOWN_NS) {
        int64_t since_ns = sender->now_ns - counts->last_feedback_ns;
        int64_t interval_ns = weir_max_i64(since_ns - weir__sender_silence_ns(sender), 0);
        int64_t *mean_ns = &counts->feedback_interval_ns;
        *mean_ns =
            *mean_ns == WEIR_UNKNOWN_NS ? interval_ns : *mean_ns + (interval_ns - *mean_ns) / 8;
    }
    counts->last_feedback_ns = sender->now_ns;
    sender->silent_ns = 0;
}

/* As long as the path waits (control/path.h), but on a path that has become slow no more than 1.5 s
 * or two round trips; two pauses of the feedback, or packets at the present rate, at least. */
void weir__sender_note_life(struct weir_sender *sender)
{
    const struct weir_path *path = &sender->driver.path.now;
    int64_t rate_bps = sender->output.allowed_wire_bps;
    int64_t two_packets_bytes = 2 * (int64_t)sender->sizes.wire_mean_bytes;
    int64_t most_ns = weir_max_i64(WEIR_MS(1500), 2 * weir_path_srtt_ns(path));
    int64_t least_ns =
        weir_max_i64(2 * path->feedback_pause_ns,
                     weir_send_time_ns(two_packets_bytes, weir_max_i64(rate_bps, 1)));
    least_ns = weir_max_i64(least_ns, path->reports_only ? 3 * path->report_interval_ns : 0);
    int64_t timeout_ns =
        weir_min_i64(weir__path_meter_silence_timeout_ns(&sender->driver.path), most_ns);
    if (sender->config.circuit_breaker) {
        weir__silence_bound_on_life(&sender->silence, sender->now_ns,
                                    weir_max_i64(timeout_ns, least_ns),
                                    sender->history.in_flight_bytes);
    }
}

void weir__sender_saw_format(struct weir_sender *sender, size_t index)
{
    sender->format_seen_ns[index] = sender->now_ns;
    sender->counts.feedback_packets[index]++;
}

void weir__sender_heard(struct weir_sender *sender)
{
    if (sender->config.circuit_breaker) {
        weir__breaker_on_rtcp(&sender->breaker, sender->now_ns,
                              weir__sender_wanted_bps(sender, sender->remb.bps));
    }
}

enum weir_status weir__batch_finish(struct weir__batch *batch, bool has_hold)
{
    struct weir_sender *sender = batch->sender;
    if (batch->n_disbelieved > 0 && batch->n_matched == 0) {
        return WEIR_ERROR_REJECTED;
    }
    if (batch->only_matches) {
        return batch->n_matched > 0 ? WEIR_OK : WEIR_ERROR_REJECTED;
    }
    int64_t rtt_ns = rtt_sample(batch, has_hold);
    weir__sender_take_rtt(sender, rtt_ns);
    add_losses(batch);
    pass_untold(batch);
    if (batch->n_news > 0) {
        settle_counts(batch);
        weir__sender_note_feedback(sender);
        sender->packet_feedback_ns = sender->now_ns;
        sender->reports_only = false;
        int64_t srtt_ns = weir__rtt_srtt_ns(&sender->rtt);
        weir__guard_update(&sender->guard, sender->now_ns, weir_max_i64(srtt_ns, 0));
        flush(batch, rtt_ns);
        sample_queueing(batch);
        if (batch->received_packets > 0) {
            weir__sender_note_life(sender);
        }
        check_queue(batch);
    }
    return batch->n_matched > 0 ? WEIR_OK : WEIR_ERROR_REJECTED;
}

void weir__batch_finish_timeouts(struct weir__batch *batch)
{
    add_losses(batch);
    flush(batch, WEIR_UNKNOWN_NS);
}
