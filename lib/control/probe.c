/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "control/probe.h"

void weir__probe_ask(struct weir__probe *probe, const struct weir_control *control, int64_t max_bps,
                     int64_t next_seq, int64_t now_ns)
{
    int64_t paid_ns = weir_max_i64(probe->paid_ns, now_ns);
    bool has_means = paid_ns - now_ns < WEIR_SECONDS(1);
    if (probe->stage != WEIR__PROBE_NONE || !has_means || control->probe_bytes <= 0 ||
        control->probe_bps <= 0 || max_bps <= 0) {
        return;
    }
    int64_t most_bytes = (int64_t)((double)max_bps * (double)WEIR__PROBE_MAX_NS / 8e9);
    *probe = (struct weir__probe){
        .stage = WEIR__PROBE_FILLS,
        .asked_bytes = weir_min_i64(control->probe_bytes,
                                    weir_clamp_i64(most_bytes, 1, WEIR__PROBE_MAX_BYTES)),
        .asked_bps = weir_min_i64(control->probe_bps, max_bps),
        .deadline_ns = weir_time_add_ns(now_ns, WEIR__PROBE_FILL_NS),
        .first_seq = next_seq,
        .paid_ns = paid_ns,
    };
}

void weir__probe_cancel(struct weir__probe *probe)
{
    *probe = (struct weir__probe){.paid_ns = probe->paid_ns};
}

static void wait_for_answers(struct weir__probe *probe, int64_t last_sent_ns)
{
    probe->stage = WEIR__PROBE_WAITS;
    probe->deadline_ns = weir_time_add_ns(last_sent_ns, WEIR__PROBE_ANSWER_NS);
}

void weir__probe_on_sent(struct weir__probe *probe, const struct weir_sent_packet *sent)
{
    if (probe->stage != WEIR__PROBE_FILLS) {
        return;
    }
    if (probe->n_sent == 0) {
        int64_t due_ns = weir_send_time_ns(probe->asked_bytes, probe->asked_bps);
        int64_t end_ns = weir_time_add_ns(sent->sent_ns, due_ns + WEIR__PROBE_SLACK_NS);
        probe->deadline_ns = weir_min_i64(probe->deadline_ns, end_ns);
    }
    probe->n_sent++;
    probe->sent_bytes += sent->wire_bytes;
    probe->paid_ns += weir_send_time_ns(sent->wire_bytes, 8 * WEIR__PROBE_BYTES_PER_S);
    if (probe->sent_bytes >= probe->asked_bytes) {
        wait_for_answers(probe, sent->sent_ns);
    }
}

static void take_times(struct weir__probe *probe, const struct weir_packet_report *packet)
{
    bool first = probe->timed_bytes == 0;
    probe->timed_bytes += packet->wire_bytes;
    if (first || packet->arrived_ns < probe->first_arrived_ns) {
        probe->first_arrived_ns = packet->arrived_ns;
        probe->first_arrived_bytes = packet->wire_bytes;
    }
    if (first || packet->arrived_ns > probe->last_arrived_ns) {
        probe->last_arrived_ns = packet->arrived_ns;
    }
    if (first || packet->sent_ns < probe->first_sent_ns) {
        probe->first_sent_ns = packet->sent_ns;
    }
    if (first || packet->sent_ns >= probe->last_sent_ns) {
        probe->last_sent_ns = packet->sent_ns;
        probe->last_sent_bytes = packet->wire_bytes;
    }
}

void weir__probe_on_feedback(struct weir__probe *probe, const struct weir_feedback *feedback)
{
    for (size_t i = 0; probe->stage != WEIR__PROBE_NONE && i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        int64_t index = packet->seq - probe->first_seq;
        if (index < 0 || index >= probe->n_sent) {
            continue;
        }
        probe->n_told += packet->status != WEIR_PACKET_LATE;
        if (packet->status != WEIR_PACKET_LOST) {
            probe->received_bytes += packet->wire_bytes;
        }
        if (packet->status != WEIR_PACKET_LOST && packet->arrived_ns != WEIR_UNKNOWN_NS) {
            take_times(probe, packet);
        }
    }
}

int64_t weir__probe_left_bytes(const struct weir__probe *probe)
{
    return probe->stage == WEIR__PROBE_FILLS ? probe->asked_bytes - probe->sent_bytes : 0;
}

int64_t weir__probe_deadline_ns(const struct weir__probe *probe)
{
    return probe->stage == WEIR__PROBE_NONE ? WEIR_NEVER_NS : probe->deadline_ns;
}

/* n packets make n - 1 gaps: the last one to leave, and the first one to arrive, fill none. */
static struct weir_probe_result result_of(const struct weir__probe *probe, int64_t now_ns)
{
    int64_t sending_ns = probe->last_sent_ns - probe->first_sent_ns;
    int64_t arriving_ns = probe->last_arrived_ns - probe->first_arrived_ns;
    int64_t sent_bytes = probe->timed_bytes - probe->last_sent_bytes;
    int64_t arrived_bytes = probe->timed_bytes - probe->first_arrived_bytes;
    return (struct weir_probe_result){
        .now_ns = now_ns,
        .asked_bytes = probe->asked_bytes,
        .asked_bps = probe->asked_bps,
        .sent_bytes = probe->sent_bytes,
        .received_bytes = probe->received_bytes,
        .sent_bps = sending_ns > 0 ? weir_rate_bps(sent_bytes, sending_ns) : 0,
        .delivered_bps = arriving_ns > 0 ? weir_rate_bps(arrived_bytes, arriving_ns) : 0,
    };
}

bool weir__probe_finish(struct weir__probe *probe, int64_t now_ns, struct weir_probe_result *result)
{
    bool late = now_ns >= weir__probe_deadline_ns(probe);
    if (probe->stage == WEIR__PROBE_FILLS && late && probe->n_sent > 0) {
        wait_for_answers(probe, now_ns);
        late = false;
    }
    bool told = probe->stage == WEIR__PROBE_WAITS && probe->n_told >= probe->n_sent;
    if (!late && !told) {
        return false;
    }
    *result = result_of(probe, now_ns);
    weir__probe_cancel(probe);
    return true;
}
