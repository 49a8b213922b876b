/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback on packets: in the formats of lib/codec/, and what another stack decoded. Each names
 * packets in its own way and tells times on its own clock. */
#include <stddef.h>

#include "codec/bytes.h"
#include "codec/format.h"
#include "session/sender_internal.h"
#include "weir/receiver.h"

/* Entries read at a time. */
enum { PIECE = 64 };

/* A source of arrival times that is silent for so long gives way to another. */
#define SOURCE_SILENT_NS WEIR_SECONDS(1)
/* How far two results can be apart beyond the time between them. */
#define CLOCK_TOLERANCE_NS WEIR_SECONDS(10)

static void start_batch(struct weir__batch *batch, struct weir_sender *sender, uint32_t transport,
                        const struct weir__steerer *steerer)
{
    weir__batch_init(batch, sender, &sender->transports[transport]);
    batch->only_matches =
        !weir__steering_admits(&batch->transport->steering, steerer, sender->now_ns) ||
        weir__transport_numbers_is_disbelieved(&batch->transport->numbers, sender->now_ns);
}

/* Its feedback told news: it steers. */
static void steer(struct weir_sender *sender, struct weir__sender_transport *transport,
                  const struct weir__steerer *steerer)
{
    struct weir__steering *steering = &transport->steering;
    bool is_another = steering->known && steering->steerer.ssrc != steerer->ssrc;
    weir__steering_on_news(steering, steerer, sender->now_ns);
    if (is_another) {
        weir__accounts_on_new_reporter(sender->accounts, &sender->history);
    }
}

static enum weir_status finish_batch(struct weir__batch *batch, const struct weir__steerer *steerer,
                                     bool has_hold, bool has_news)
{
    struct weir_sender *sender = batch->sender;
    sender->counts.rtcp_ignored += batch->only_matches;
    if (weir__transport_numbers_is_disbelieved(&batch->transport->numbers, sender->now_ns)) {
        return WEIR_ERROR_REJECTED;
    }
    enum weir_status status = weir__batch_finish(batch, has_hold);
    if (batch->received_packets > 0 || (has_news && !batch->only_matches)) {
        steer(sender, batch->transport, steerer);
    }
    return status;
}

/* Whether the controller shall see arrival times of this source: one clock of a transport at a
 * time, and none across a change. */
static bool use_arrivals(const struct weir__batch *batch, uint32_t format, uint32_t ssrc)
{
    if (batch->only_matches) {
        return false;
    }
    struct weir_sender *sender = batch->sender;
    struct weir__arrival_source *source = &batch->transport->arrivals;
    bool same = source->known && source->format == format && source->ssrc == ssrc;
    bool take = same || !source->known || sender->now_ns - source->used_ns >= SOURCE_SILENT_NS;
    if (!take) {
        return false;
    }
    bool continues = same || !source->known;
    *source = (struct weir__arrival_source){
        .known = true,
        .format = format,
        .ssrc = ssrc,
        .used_ns = sender->now_ns,
    };
    return continues;
}

/* How many of n entries may be read. A few bytes can stand for thousands of packets, so a datagram
 * has as many as the history: more cannot be news. What is beyond is left for the next report. */
static size_t take_entries(struct weir_sender *sender, size_t n)
{
    size_t taken = n < sender->entries_left ? n : sender->entries_left;
    sender->entries_left -= taken;
    return taken;
}

static bool may_steer(const struct weir_sender *sender, uint32_t format)
{
    return (sender->config.feedback_formats & format) != 0;
}

/* By the numbers the packets carried, or else by the learned offset. */
static int64_t find_transport(const struct weir__batch *batch, uint16_t transport_seq)
{
    const struct weir_sender *sender = batch->sender;
    uint32_t transport = (uint32_t)(batch->transport - sender->transports);
    int64_t seq = weir__history_find_transport(&sender->history, transport, transport_seq, true);
    return seq >= 0 ? seq
                    : weir__transport_map_find(&batch->transport->map, &sender->history, transport,
                                               transport_seq);
}

/* Numbers left out are missing everywhere and were received nowhere. What else a liar has reported
 * proves nothing either. */
static bool is_left_out(struct weir__batch *batch, uint16_t transport_seq, bool received)
{
    struct weir_sender *sender = batch->sender;
    struct weir__transport_numbers *numbers = &batch->transport->numbers;
    if (!weir__transport_numbers_was_left_out(numbers, transport_seq)) {
        return false;
    }
    bool heeded =
        !batch->only_matches || weir__transport_numbers_is_disbelieved(numbers, sender->now_ns);
    if (received && heeded) {
        sender->counts.results_invented++;
        weir__transport_numbers_on_invented(numbers, sender->now_ns, transport_seq);
        if (weir__transport_numbers_is_disbelieved(numbers, sender->now_ns)) {
            weir__sender_forget_proof(sender);
        }
    }
    return true;
}

/* Arrival on the clock of a stream; WEIR_UNKNOWN_NS across a jump of it. */
static int64_t receipt_ns(struct weir__batch *batch, const struct weir__feedback_entry *entry)
{
    struct weir_sender *sender = batch->sender;
    int64_t arrived_ns;
    struct weir__wire_clock clock = {
        .bits = 32,
        .tick_ns_num = WEIR_SECONDS(1),
        .tick_ns_den = weir__sender_reports_clock_rate_hz(&sender->reports, entry->ssrc),
    };
    enum weir__time_step step = weir__time_unwrap(&batch->transport->receipt_clock, &clock,
                                                  entry->rtp_time, sender->now_ns, &arrived_ns);
    return step == WEIR__TIME_JUMPED ? WEIR_UNKNOWN_NS : arrived_ns;
}

/* A report on packets on its way into a batch. */
struct report {
    const struct weir__format *format;
    struct weir__packet_feedback feedback;
    struct weir__reporter *reporter;
    uint32_t flag;
    int64_t offset_ns;                /* from its clock to ours; WEIR_UNKNOWN_NS across a jump */
    bool usable;                      /* its arrival times, for the controller */
    struct weir__reporter_path *path; /* that it tells of; NULL: it has proved nothing */
    int64_t newest_seq;               /* received; -1 = none */
    int64_t delay_ns;                 /* of that packet; WEIR_UNKNOWN_NS */
};

static int64_t arrival_ns(struct weir__batch *batch, const struct report *report,
                          const struct weir__feedback_entry *entry)
{
    if (!entry->has_time || !report->usable) {
        return WEIR_UNKNOWN_NS;
    }
    if (!report->format->clock) {
        return receipt_ns(batch, entry);
    }
    return report->offset_ns == WEIR_UNKNOWN_NS ? WEIR_UNKNOWN_NS
                                                : entry->arrival_ns + report->offset_ns;
}

/* What a receiver tells of its path counts whether it steers or not. */
static void follow_path(const struct weir_sender *sender, struct report *report, int64_t seq,
                        const struct weir__feedback_entry *entry)
{
    const struct weir__sent_record *record = weir__history_peek(&sender->history, seq);
    if (!report->path || !record || !weir__guard_believes_ack(sender->now_ns, record->sent_ns)) {
        return;
    }
    weir__reporter_path_on_packet(report->path, seq, entry->received);
    if (entry->received && seq > report->newest_seq) {
        bool has_time =
            entry->has_time && report->format->clock && report->offset_ns != WEIR_UNKNOWN_NS;
        report->newest_seq = seq;
        report->delay_ns =
            has_time ? entry->arrival_ns + report->offset_ns - record->sent_ns : WEIR_UNKNOWN_NS;
    }
}

/* A number that our queue dropped is missing at every receiver: no claim about what was sent. */
static bool is_own_gap(const struct weir__batch *batch, const struct report *report,
                       const struct weir__feedback_entry *entry)
{
    return !entry->received && !report->format->transport_wide &&
           weir__history_has_passed(&batch->sender->history, entry->ssrc, entry->seq);
}

static void batch_entry(struct weir__batch *batch, struct report *report,
                        const struct weir__feedback_entry *entry)
{
    int64_t seq = report->format->transport_wide
                      ? find_transport(batch, entry->seq)
                      : weir__history_find_rtp(&batch->sender->history, entry->ssrc, entry->seq);
    if (seq < 0 && report->format->transport_wide &&
        is_left_out(batch, entry->seq, entry->received)) {
        return;
    }
    if (seq < 0 && is_own_gap(batch, report, entry)) {
        return;
    }
    follow_path(batch->sender, report, seq, entry);
    if (!entry->received) {
        weir__batch_missing(batch, seq);
        return;
    }
    bool has_hold = entry->has_time && report->format->has_hold;
    struct weir__batch_arrival arrival = {
        .arrived_ns = arrival_ns(batch, report, entry),
        .hold_ns = has_hold ? report->feedback.time_ns - entry->arrival_ns : WEIR_UNKNOWN_NS,
        .has_ecn = !report->format->transport_wide,
        .ecn = entry->ecn,
    };
    weir__batch_received(batch, seq, &arrival);
}

static void batch_report(struct weir__batch *batch, struct report *report)
{
    struct weir__packet_feedback *feedback = &report->feedback;
    struct weir__feedback_entry entries[PIECE];
    size_t n;
    while ((n = take_entries(batch->sender, report->format->read(feedback, entries, PIECE))) > 0) {
        if (feedback->new_clock) {
            feedback->new_clock = false;
            report->usable = use_arrivals(batch, report->flag, feedback->clock_ssrc);
        }
        for (size_t i = 0; i < n; i++) {
            batch_entry(batch, report, &entries[i]);
        }
    }
}

/* Reads a packet the way its sender writes; only one that can be read makes a reporter known. */
static enum weir_status parse(struct weir_sender *sender, uint32_t transport, size_t index,
                              const struct weir__rtcp_packet *packet, struct report *report)
{
    uint32_t ssrc = packet->body_bytes >= 4 ? weir__get_u32(packet->body) : 0;
    report->reporter = weir__reporters_find(&sender->reporters, transport, ssrc);
    uint32_t peer = report->reporter ? report->reporter->formats[index].peer : 0;
    enum weir_status status = report->format->parse(packet, &peer, &report->feedback);
    if (status != WEIR_OK) {
        return status;
    }
    report->reporter = weir__reporters_get(&sender->reporters, transport,
                                           report->feedback.sender_ssrc, sender->now_ns);
    if (!report->reporter) {
        return WEIR_ERROR_REJECTED;
    }
    report->reporter->formats[index].peer = peer;
    return WEIR_OK;
}

/* From the clock of a report to ours. */
static void read_clock(const struct weir_sender *sender, struct weir__time_unwrap *clock,
                       struct report *report)
{
    int64_t report_ns;
    if (report->format->clock) {
        enum weir__time_step step = weir__time_unwrap(
            clock, report->format->clock, report->feedback.time, sender->now_ns, &report_ns);
        report->offset_ns =
            step == WEIR__TIME_JUMPED ? WEIR_UNKNOWN_NS : report_ns - report->feedback.time_ns;
    }
}

/* Numbers of a stream are found by its SSRC; transport-wide ones come with one beside them, which
 * nobody knows who does not see our packets. */
static bool names_our_stream(const struct weir_sender *sender, const struct weir__format *format,
                             const struct weir__rtcp_packet *packet)
{
    return !format->transport_wide ||
           weir__history_find_stream(&sender->history, weir__get_u32(packet->body + 4)) !=
               WEIR__STREAM_OTHER;
}

/* A receiver may tell of its path in two formats: the first one counts, until it is silent. */
static struct weir__reporter_path *find_path(const struct weir__batch *batch,
                                             const struct report *report,
                                             const struct weir__steerer *steerer)
{
    int64_t now_ns = batch->sender->now_ns;
    struct weir__reporter_path *path = &report->reporter->path;
    bool counts = steerer->has_proved && may_steer(batch->sender, report->flag) &&
                  !weir__transport_numbers_is_disbelieved(&batch->transport->numbers, now_ns);
    if (counts && path->format != report->flag &&
        (path->format == 0 || weir__pulse_is_silent(&path->pulse, now_ns))) {
        *path = (struct weir__reporter_path){.format = report->flag};
    }
    return counts && path->format == report->flag ? path : NULL;
}

/* Its clock goes on where that of the one before stood: an empty path has the same delay on both,
 * so the queue before a worse receiver is seen as such. Without times of both, the controller does
 * without until the source of times has changed. */
static void hand_over_clock(struct weir_sender *sender, const struct weir__reporter *from,
                            const struct weir__reporter *to)
{
    struct weir__sender_transport *transport = &sender->transports[to->transport];
    int64_t from_ns = weir__queueing_floor_ns(&from->path.queueing);
    int64_t to_ns = weir__queueing_floor_ns(&to->path.queueing);
    weir__unheld_rtt_init(&transport->unheld_rtt);
    if (!transport->aligned || from_ns == WEIR_UNKNOWN_NS || to_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    transport->align_ns =
        (int64_t)((uint64_t)transport->align_ns + (uint64_t)from_ns - (uint64_t)to_ns);
    transport->arrivals = (struct weir__arrival_source){
        .known = true, .format = to->path.format, .ssrc = to->ssrc, .used_ns = sender->now_ns};
}

/* A reporter whose feedback does not steer has told news, in a format: from now on it does if its
 * path is the worse one and that is asked for. */
static void compare_reporter(struct weir_sender *sender, struct weir__reporter *reporter,
                             const struct weir__steerer *steerer)
{
    struct weir__steering *steering = &sender->transports[reporter->transport].steering;
    struct weir__reporter *other =
        weir__reporters_find(&sender->reporters, reporter->transport, steering->steerer.ssrc);
    if (sender->config.receivers == WEIR_RECEIVERS_FIRST || !other || other == reporter ||
        weir__steering_is_denied(steering, sender->now_ns) ||
        !weir__reporter_path_is_worse(&reporter->path, &other->path, sender->now_ns)) {
        return;
    }
    hand_over_clock(sender, other, reporter);
    steer(sender, &sender->transports[reporter->transport], steerer);
}

enum weir_status weir__sender_on_packet_format(struct weir_sender *sender, uint32_t transport,
                                               size_t index, const struct weir__rtcp_packet *packet,
                                               bool *about_us)
{
    struct report report = {.format = weir__format_at(index),
                            .flag = UINT32_C(1) << index,
                            .newest_seq = -1,
                            .delay_ns = WEIR_UNKNOWN_NS};
    enum weir_status status = parse(sender, transport, index, packet, &report);
    if (status != WEIR_OK) {
        return status;
    }
    weir__sender_saw_format(sender, index);
    bool steers = may_steer(sender, report.flag);
    if (steers && report.feedback.has_rrtr) {
        weir__reporter_on_rrtr(report.reporter, report.feedback.rrtr_mid32, sender->now_ns);
    }
    if (report.feedback.n_entries == 0) {
        return WEIR_OK;
    }
    struct weir__steerer steerer = {.format = report.flag,
                                    .ssrc = report.feedback.sender_ssrc,
                                    .has_proved = names_our_stream(sender, report.format, packet)};
    struct weir__time_unwrap *clock = &report.reporter->formats[index].clock;
    struct weir__time_unwrap clock_before = *clock;
    struct weir__batch batch;
    start_batch(&batch, sender, transport, &steerer);
    batch.only_matches |= !steers;
    struct weir__time_unwrap receipt_before = batch.transport->receipt_clock;
    struct weir__arrival_source arrivals_before = batch.transport->arrivals;
    read_clock(sender, clock, &report);
    report.path = find_path(&batch, &report, &steerer);
    batch_report(&batch, &report);
    bool has_news =
        report.path && weir__reporter_path_on_report(report.path, sender->now_ns, report.delay_ns);
    *about_us |= batch.n_matched > 0;
    report.reporter->has_proved |= batch.n_matched > 0 && steerer.has_proved;
    if (batch.n_matched > 0) {
        report.reporter->is_heeded = !batch.only_matches;
    }
    if (batch.received_packets == 0) { /* it may be an old one, sent again: so is its time */
        *clock = has_news ? *clock : clock_before;
        batch.transport->receipt_clock = receipt_before;
        batch.transport->arrivals = arrivals_before;
    }
    if (!steers) {
        return WEIR_OK;
    }
    status = finish_batch(&batch, &steerer, report.format->has_hold, has_news);
    if (batch.only_matches && has_news) {
        compare_reporter(sender, report.reporter, &steerer);
    }
    return report.feedback.has_rrtr ? WEIR_OK : status;
}

/* Arrival time of a result on a clock that goes on without a jump; WEIR_UNKNOWN_NS across one. */
static int64_t result_arrival_ns(struct weir__batch *batch, int64_t arrived_ns)
{
    struct weir_sender *sender = batch->sender;
    struct weir__result_clock *clock = &batch->transport->result_clock;
    int64_t limit_ns = INT64_MAX / 4;
    if (arrived_ns == WEIR_UNKNOWN_NS || arrived_ns < -limit_ns || arrived_ns > limit_ns) {
        return WEIR_UNKNOWN_NS;
    }
    int64_t step_ns = arrived_ns - clock->arrived_ns;
    int64_t elapsed_ns = sender->now_ns - clock->local_ns;
    bool jumped = clock->known &&
                  (step_ns < -CLOCK_TOLERANCE_NS || step_ns > elapsed_ns + CLOCK_TOLERANCE_NS);
    if (!clock->known || jumped) {
        clock->offset_ns = sender->now_ns - arrived_ns;
    }
    if (!clock->known || jumped || step_ns > 0) {
        clock->arrived_ns = arrived_ns;
        clock->local_ns = sender->now_ns;
    }
    clock->known = true;
    return jumped ? WEIR_UNKNOWN_NS : arrived_ns + clock->offset_ns;
}

static void learn_offset(struct weir_sender *sender, uint32_t transport,
                         const struct weir_packet_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (results[i].sent_ns != WEIR_UNKNOWN_NS) {
            struct weir__transport_view view = {
                .transport = transport,
                .transport_seq = results[i].transport_seq,
                .payload_bytes = results[i].payload_bytes,
                .sent_ns = weir__steady_time_ns(&sender->steady, results[i].sent_ns)};
            weir__transport_map_learn(&sender->transports[transport].map, &sender->history,
                                      sender->sizes.overhead_bytes, &view);
        }
    }
}

static void batch_results(struct weir__batch *batch, const struct weir_packet_result *results,
                          size_t n)
{
    bool usable = use_arrivals(batch, 0, 0);
    for (size_t i = 0; i < n; i++) {
        int64_t seq = find_transport(batch, results[i].transport_seq);
        if (seq < 0 && is_left_out(batch, results[i].transport_seq, results[i].received)) {
            continue;
        }
        if (!results[i].received) {
            weir__batch_missing(batch, seq);
            continue;
        }
        int64_t arrived_ns = result_arrival_ns(batch, results[i].arrived_ns);
        struct weir__batch_arrival arrival = {
            .arrived_ns = usable ? arrived_ns : WEIR_UNKNOWN_NS,
            .hold_ns = WEIR_UNKNOWN_NS,
        };
        weir__batch_received(batch, seq, &arrival);
    }
}

enum weir_status weir_sender_on_packet_results(struct weir_sender *sender, int64_t now_ns,
                                               uint32_t member,
                                               const struct weir_packet_result *results, size_t n)
{
    if (!weir__members_has(&sender->members, member) || (!results && n > 0)) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (!weir__members_counts_transport(&sender->members, member)) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    uint32_t transport = sender->members.places[member].transport;
    weir__sender_advance(sender, now_ns);
    if (!weir__budget_take(&sender->guard.results, sender->now_ns, WEIR__GUARD_REPORTER_PER_S)) {
        sender->counts.rtcp_rejected++;
        return WEIR_ERROR_REJECTED;
    }
    sender->counts.feedback_results++;
    sender->format_seen_ns[WEIR__FORMAT_INDEX_twcc] = sender->now_ns;
    if (!may_steer(sender, WEIR_FEEDBACK_TWCC) || n == 0) {
        return WEIR_OK;
    }
    learn_offset(sender, transport, results, n);
    struct weir__batch batch;
    const struct weir__steerer steerer = {.format = 0, .ssrc = 0, .has_proved = true};
    start_batch(&batch, sender, transport, &steerer);
    batch_results(&batch, results, n);
    enum weir_status status = finish_batch(&batch, &steerer, false, false);
    sender->counts.rtcp_rejected += status == WEIR_ERROR_REJECTED && batch.n_disbelieved > 0;
    if (batch.n_matched > 0) {
        weir__sender_heard(sender);
    }
    weir__sender_refresh(sender);
    return status;
}
