/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP that comes in: one datagram, packet by packet; receiver reports as a whole at its end. */
#include <stddef.h>

#include "codec/bytes.h"
#include "codec/format.h"
#include "codec/request.h"
#include "codec/sr_rr.h"
#include "session/admission.h"
#include "session/sender_internal.h"

/* Receiver reports steer when per-packet feedback has been silent for so long ... */
#define PACKETS_SILENT_NS WEIR_SECONDS(3)
/* ... or has not come this long after the first packet. */
#define PACKETS_ABSENT_NS WEIR_SECONDS(1)

/* RFC 6298 2.4: no timeout is shorter. Whoever makes up short round trips does not make the reports
 * of others old. */
#define FRESH_NS WEIR_SECONDS(1)

/* Reports that come sooner one after the other were held up on the way, and make no rate. */
#define REPORTS_APART_NS WEIR_MS(50)

_Static_assert((int)WEIR__REPORT_MAX_DLRR >= (int)WEIR__REPORTERS,
               "each reporter can be answered at once");

/* Numbers that the send queue dropped, between a packet and the next one sent. */
enum { MOST_SKIPPED = 32 };

/* What the receiver reports of one datagram say together; they have one reporter. */
struct datagram {
    struct weir_sender *sender;
    uint32_t transport;
    struct weir__reporter *reporter;
    struct weir_report report; /* the last valid echo, the sums of packets, the least age of the
                                  newest and the most of the missing; the rest at the end */
    bool about_us;             /* a block is about one of our streams */
    bool advanced;             /* at least one has news */
    bool unchanged;            /* at least one says that nothing came */
    bool first;                /* at least one is the first about its stream */
    bool heard;                /* something else of the peer told of our packets */
    uint32_t streams;          /* those that a block is about, a bit each, ... */
    uint32_t highest_rtp[WEIR__HISTORY_STREAMS]; /* ... and the newest packet that it tells of */
};

/* Since a packet of a stream left; 0 = it did not, or long ago. */
static int64_t age_ns(const struct weir_sender *sender, uint32_t ssrc, uint32_t rtp_seq)
{
    int64_t seq = weir__history_find_rtp(&sender->history, ssrc, (uint16_t)rtp_seq);
    return seq < 0 ? 0 : sender->now_ns - weir__history_peek(&sender->history, seq)->sent_ns;
}

/* Of the highest number that a block tells and the next one sent, both of the same stream: packets
 * of others may have passed it on their way into the report. */
static void take_ages(struct datagram *datagram, const struct weir__report_block *block)
{
    int64_t newest_ns = age_ns(datagram->sender, block->ssrc, block->highest_seq);
    int64_t missing_ns = 0;
    if (newest_ns <= 0) {
        return;
    }
    for (uint32_t i = 1; i <= MOST_SKIPPED && missing_ns == 0; i++) {
        missing_ns = age_ns(datagram->sender, block->ssrc, block->highest_seq + i);
    }
    struct weir_report *report = &datagram->report;
    int64_t before_ns = report->newest_age_ns;
    report->newest_age_ns = before_ns > 0 ? weir_min_i64(before_ns, newest_ns) : newest_ns;
    report->missing_age_ns =
        weir_max_i64(report->missing_age_ns, weir_min_i64(missing_ns, newest_ns));
}

/* Two speak in one name, or one lies: of both the worse is believed, which is the report. */
static void deny_packets(const struct datagram *datagram)
{
    struct weir_sender *sender = datagram->sender;
    struct weir__steering *steering = &sender->transports[datagram->transport].steering;
    if (weir__steering_deny(steering, datagram->reporter->ssrc, sender->now_ns)) {
        sender->counts.feedback_denied++;
        sender->packet_feedback_ns = WEIR_UNKNOWN_NS;
        weir__sender_start_anew(sender);
    }
}

static void on_block(struct datagram *datagram, const struct weir__report_block *block)
{
    struct weir_sender *sender = datagram->sender;
    struct weir_report *report = &datagram->report;
    struct weir__interval_loss loss = {.expected_packets = 0, .lost_packets = 0};
    int64_t rtt_ns = weir__sender_reports_rtt_ns(&sender->reports, sender->now_ns, block->lsr_mid32,
                                                 block->dlsr_mid32);
    struct weir__report_origin origin = {
        .transport = datagram->transport,
        .ssrc = datagram->reporter->ssrc,
        .now_ns = sender->now_ns,
        .first_steers = sender->config.receivers == WEIR_RECEIVERS_FIRST,
        .is_fresh = rtt_ns != WEIR_UNKNOWN_NS &&
                    rtt_ns <= weir_max_i64(weir__sender_rto_ns(sender), FRESH_NS),
    };
    enum weir__report_kind kind =
        weir__accounts_on_block(sender->accounts, &sender->history, &origin, block, &loss);
    if (kind == WEIR__REPORT_NOT_OURS) {
        return;
    }
    unsigned stream = weir__history_find_stream(&sender->history, block->ssrc);
    datagram->about_us = true;
    datagram->reporter->has_proved = true;
    datagram->streams |= 1u << stream;
    datagram->highest_rtp[stream] = block->highest_seq;
    datagram->reporter->streams |= (uint16_t)(1u << stream);
    if (sender->accounts[stream].denies) {
        deny_packets(datagram);
    }
    sender->counts.rtcp_ignored += kind == WEIR__REPORT_IGNORED;
    if (kind == WEIR__REPORT_IGNORED) {
        datagram->reporter->is_heeded = false;
    } else if (kind == WEIR__REPORT_FIRST || kind == WEIR__REPORT_ADVANCED) {
        datagram->reporter->is_heeded = true;
        report->rtt_ns = rtt_ns != WEIR_UNKNOWN_NS ? rtt_ns : report->rtt_ns;
        take_ages(datagram, block);
    }
    datagram->first |= kind == WEIR__REPORT_FIRST;
    datagram->unchanged |= kind == WEIR__REPORT_UNCHANGED;
    datagram->advanced |= kind == WEIR__REPORT_ADVANCED;
    report->expected_packets += loss.expected_packets;
    report->lost_packets += loss.lost_packets;
}

static bool is_ours(const struct weir_sender *sender, uint32_t ssrc)
{
    return weir__history_find_stream(&sender->history, ssrc) != WEIR__STREAM_OTHER;
}

static bool is_any_ours(const struct weir_sender *sender, const uint32_t *ssrcs, size_t n)
{
    size_t i = 0;
    while (i < n && !is_ours(sender, ssrcs[i])) {
        i++;
    }
    return i < n;
}

/* SR and RR. All reports of a datagram belong to the reporter of the first one. */
static enum weir_status on_report(struct datagram *datagram, const struct weir__rtcp_packet *packet)
{
    struct weir_sender *sender = datagram->sender;
    struct weir__report report;
    enum weir_status status = weir__report_parse(packet, &report);
    if (status != WEIR_OK) {
        return status;
    }
    struct weir__reporter *reporter =
        weir__reporters_get(&sender->reporters, datagram->transport, report.ssrc, sender->now_ns);
    if (!reporter) {
        return WEIR_ERROR_REJECTED;
    }
    if (!(sender->config.feedback_formats & WEIR_FEEDBACK_RR)) {
        for (unsigned i = 0; i < report.n_blocks; i++) {
            datagram->heard |= is_ours(sender, report.blocks[i].ssrc);
        }
        return WEIR_OK;
    }
    datagram->reporter = datagram->reporter ? datagram->reporter : reporter;
    if (reporter == datagram->reporter) {
        for (unsigned i = 0; i < report.n_blocks; i++) {
            on_block(datagram, &report.blocks[i]);
        }
    }
    return WEIR_OK;
}

static void take_bound(struct weir_sender *sender, const struct weir__bitrate_bound *bound)
{
    sender->counts.rtcp_ignored +=
        !weir__remb_take(&sender->remb, sender->now_ns, bound->sender_ssrc, bound->bitrate_bps);
}

/* An upper bound only, and only when it is about one of our streams. */
static enum weir_status on_bound(struct datagram *datagram, size_t index,
                                 const struct weir__rtcp_packet *packet)
{
    struct weir_sender *sender = datagram->sender;
    struct weir__bitrate_bound bound;
    enum weir_status status = weir__format_at(index)->parse_bound(packet, &bound);
    if (status != WEIR_OK) {
        return status;
    }
    if (!is_any_ours(sender, bound.ssrcs, bound.n_ssrcs)) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    weir__sender_saw_format(sender, index);
    if (sender->config.feedback_formats & UINT32_C(1) << index) {
        take_bound(sender, &bound);
    }
    datagram->heard = true;
    return WEIR_OK;
}

static enum weir_status on_format(struct datagram *datagram, size_t index,
                                  const struct weir__rtcp_packet *packet)
{
    switch (weir__format_at(index)->kind) {
    case WEIR__FORMAT_SUMS:
        return on_report(datagram, packet);
    case WEIR__FORMAT_BOUND:
        return on_bound(datagram, index, packet);
    default:
        return weir__sender_on_packet_format(datagram->sender, datagram->transport, index, packet,
                                             &datagram->heard);
    }
}

/* Whether no per-packet feedback is in use: receiver reports are all there is, of what was sent. */
static bool has_reports_only(const struct weir_sender *sender)
{
    if (sender->packet_feedback_ns != WEIR_UNKNOWN_NS) {
        int64_t since_ns = sender->now_ns - sender->packet_feedback_ns;
        return since_ns - weir__sender_silence_ns(sender) > PACKETS_SILENT_NS;
    }
    return sender->now_ns - sender->first_sent_ns > PACKETS_ABSENT_NS;
}

/* Whether the receiver reports of this datagram, which begin it, steer. */
static bool is_heeded(const struct datagram *datagram, uint32_t ssrc)
{
    const struct weir__reporter *reporter = datagram->reporter;
    return reporter && reporter->ssrc == ssrc && reporter->is_heeded;
}

/* Counts of ECN codepoints are for who runs on receiver reports: RFC 8888 tells more, and what
 * marks TWCC would leave unanswered, must not be asked for. They lower the rate as losses do, and
 * so count only with the reports of a reporter whose losses do. */
static enum weir_status on_ecn_counts(struct datagram *datagram,
                                      const struct weir__ecn_feedback *counts)
{
    struct weir_sender *sender = datagram->sender;
    unsigned stream = weir__history_find_stream(&sender->history, counts->media_ssrc);
    int64_t seq =
        weir__history_find_rtp(&sender->history, counts->media_ssrc, (uint16_t)counts->highest_seq);
    if (stream == WEIR__STREAM_OTHER || seq < 0) {
        return WEIR_ERROR_REJECTED;
    }
    if (!is_heeded(datagram, counts->sender_ssrc)) {
        sender->counts.rtcp_ignored++;
        return WEIR_OK;
    }
    datagram->heard = true;
    if (sender->packet_feedback_ns != WEIR_UNKNOWN_NS && !has_reports_only(sender)) {
        sender->untold_marks = 0;
        return WEIR_OK;
    }
    struct weir__ecn_arrivals arrivals;
    enum weir_status status =
        weir__ecn_sums_on_feedback(&sender->ecn_sums[stream], counts, seq, &arrivals);
    if (status == WEIR_OK) {
        sender->untold_marks += weir__ecn_path_on_counts(&sender->ecn, arrivals.first_seq,
                                                         arrivals.last_seq, arrivals.packets);
    }
    return status;
}

static enum weir_status on_ecn_feedback(struct datagram *datagram,
                                        const struct weir__rtcp_packet *packet)
{
    struct weir__ecn_feedback feedback;
    enum weir_status status = weir__ecn_feedback_parse(packet, &feedback);
    return status == WEIR_OK ? on_ecn_counts(datagram, &feedback) : status;
}

/* The report block of the same datagram tells up to which packet a summary counts (RFC 6679 5.2);
 * without one it tells nothing. */
static enum weir_status on_ecn_summary(struct datagram *datagram, uint32_t ssrc,
                                       const struct weir__xr_block *block)
{
    struct weir__ecn_summary summary;
    enum weir_status status = weir__ecn_summary_parse(block, &summary);
    if (status != WEIR_OK) {
        return status;
    }
    unsigned stream = weir__history_find_stream(&datagram->sender->history, summary.media_ssrc);
    if (stream == WEIR__STREAM_OTHER || !(datagram->streams >> stream & 1u)) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    struct weir__ecn_feedback counts = {.sender_ssrc = ssrc,
                                        .media_ssrc = summary.media_ssrc,
                                        .highest_seq = datagram->highest_rtp[stream],
                                        .counts = summary.counts};
    return on_ecn_counts(datagram, &counts);
}

/* Extended reports: those on packets are a format, ECN summaries are beside them. Of several errors
 * the last is told. */
static enum weir_status on_xr(struct datagram *datagram, size_t index,
                              const struct weir__rtcp_packet *packet)
{
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    enum weir_status status = on_format(datagram, index, packet);
    if (weir__xr_walk_init(&walk, packet) != WEIR_OK) {
        return status;
    }
    while (weir__xr_walk_next(&walk, &block)) {
        enum weir_status ecn = on_ecn_summary(datagram, walk.ssrc, &block);
        bool tells =
            ecn != WEIR_ERROR_UNSUPPORTED && (ecn != WEIR_OK || status == WEIR_ERROR_UNSUPPORTED);
        status = tells ? ecn : status;
    }
    return status;
}

/* Feedback that asks for something: a packet again, a key frame. */
static enum weir_status on_request(struct datagram *datagram,
                                   const struct weir__rtcp_packet *packet)
{
    struct weir_sender_stats *counts = &datagram->sender->counts;
    uint64_t *const counters[] = {[WEIR__REQUEST_NACK] = &counts->nacks,
                                  [WEIR__REQUEST_PLI] = &counts->plis,
                                  [WEIR__REQUEST_FIR] = &counts->firs};
    struct weir__request request;
    enum weir_status status = weir__request_parse(packet, &request);
    if (status == WEIR_OK && is_any_ours(datagram->sender, request.ssrcs, request.n_ssrcs)) {
        (*counters[request.kind])++;
        datagram->heard = true;
    }
    return status;
}

static enum weir_status on_sdes(const struct weir__rtcp_packet *packet)
{
    struct weir__sdes_cname cname;
    size_t n;
    return weir__sdes_parse(packet, &cname, 1, &n);
}

/* A goodbye is believed by nobody: what it ends, silence ends too. */
static enum weir_status on_bye(const struct weir__rtcp_packet *packet)
{
    struct weir__bye bye;
    return weir__bye_parse(packet, &bye);
}

/* Every packet begins with the SSRC of who sent it. */
static bool is_from_receiver(const struct datagram *datagram,
                             const struct weir__rtcp_packet *packet)
{
    return packet->body_bytes < 4 ||
           weir__members_hear(&datagram->sender->members, datagram->transport,
                              weir__get_u32(packet->body));
}

static enum weir_status on_packet(struct datagram *datagram, const struct weir__rtcp_packet *packet)
{
    size_t index = weir__format_of(packet);
    if (!is_from_receiver(datagram, packet)) {
        return WEIR_ERROR_REJECTED;
    }
    if (packet->type == WEIR__RTCP_XR) {
        return on_xr(datagram, index, packet);
    }
    if (index < WEIR__FORMATS) {
        return on_format(datagram, index, packet);
    }
    if (packet->type == WEIR__RTCP_RTPFB && packet->count == WEIR__RTPFB_ECN) {
        return on_ecn_feedback(datagram, packet);
    }
    switch (packet->type) {
    case WEIR__RTCP_SDES:
        return on_sdes(packet);
    case WEIR__RTCP_BYE:
        return on_bye(packet);
    default:
        return on_request(datagram, packet);
    }
}

/* What does not stand in its blocks. */
static void complete_report(struct datagram *datagram)
{
    const struct weir_sender *sender = datagram->sender;
    const struct weir__reporter *reporter = datagram->reporter;
    struct weir_report *report = &datagram->report;
    int64_t since_ns = reporter->has_reported ? reporter->reported_ns : sender->first_sent_ns;
    report->now_ns = sender->now_ns;
    report->interval_ns = weir_max_i64(sender->now_ns - since_ns, 1);
    report->packet_bytes = weir_max_i64((int64_t)sender->sizes.wire_mean_bytes, 1);
    report->sent_bytes = (int64_t)(sender->counts.bytes_sent_wire - reporter->reported_sent_bytes);
    int64_t sent_bps = weir_rate_bps(report->sent_bytes, report->interval_ns);
    report->network_limited = sender->queued_bytes > 0 ||
                              (double)sent_bps >= 0.9 * (double)sender->output.allowed_wire_bps;
}

static void tell_controller(struct weir_sender *sender, const struct weir_report *report)
{
    weir__trace_report(&sender->tracer, sender->now_ns, report);
    weir__driver_on_report(&sender->driver, report);
}

/* The packets of a reporter's blocks since its last report that was taken. Returns how many of them
 * had been told of before, if they are counted now; feedback on packets that tells of them later
 * does not count them again. */
static int64_t take_numbers(struct weir_sender *sender, const struct weir__reporter *reporter,
                            bool counts)
{
    int64_t told = 0;
    for (unsigned i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        struct weir__accounts *accounts = &sender->accounts[i];
        const struct weir__account *account = &accounts->entries[accounts->steers];
        if (account->ssrc == reporter->ssrc && account->transport == reporter->transport) {
            int64_t after_rtp = account->highest_rtp - accounts->untaken;
            told += counts && accounts->untaken > 0
                        ? weir__history_sum_up(&sender->history, i, after_rtp, account->highest_rtp)
                        : 0;
            accounts->untaken = 0;
        }
    }
    return told;
}

/* Counts what the per-packet form would have counted, but for what was told of before; the proved
 * rate cannot exceed what was sent.
 */
static void count_report(struct weir_sender *sender, const struct weir_report *report,
                         int64_t told_packets)
{
    int64_t expected = report->expected_packets;
    int64_t fresh = weir_max_i64(expected - told_packets, 0);
    int64_t lost = expected > 0 ? report->lost_packets * fresh / expected : 0;
    int64_t received = expected - report->lost_packets;
    int64_t bytes = weir_min_i64(received * report->packet_bytes, report->sent_bytes);
    sender->counts.packets_received += (uint64_t)(fresh - lost);
    sender->counts.packets_lost += (uint64_t)lost;
    weir__sender_count_loss(sender, fresh - lost, lost);
    weir__rate_meter_add(&sender->delivered, sender->now_ns, bytes);
    weir__guard_on_report(&sender->guard, sender->now_ns, bytes, report->interval_ns);
    weir__proved_rate_on_report(&sender->proved, bytes, report->interval_ns);
    sender->reports_only = true;
}

/* A mark that a count tells of is answered as a loss (RFC 6679 7.3). */
static void tell_with_marks(struct weir_sender *sender, const struct weir_report *report)
{
    struct weir_report told = *report;
    told.lost_packets =
        weir_min_i64(told.lost_packets + sender->untold_marks, told.expected_packets);
    sender->untold_marks = 0;
    tell_controller(sender, &told);
}

/* The report form: beside per-packet feedback it is for an algorithm that takes nothing else. */
static enum weir_status steer_by_report(struct weir_sender *sender,
                                        const struct weir_report *report, bool reports_only,
                                        int64_t told_packets)
{
    const struct weir_controller *controller = sender->driver.controller;
    bool has_form = controller->needs & WEIR_HAS_REPORT_FORM;
    if (reports_only) {
        count_report(sender, report, told_packets);
    } else if (!has_form || controller->on_feedback) {
        return WEIR_OK;
    }
    if (!has_form) {
        return WEIR_ERROR_NEEDS_FEEDBACK;
    }
    tell_with_marks(sender, report);
    return WEIR_OK;
}

/* Adds what was held before. Returns whether it is too soon to tell all of it. */
static bool hold(struct datagram *datagram)
{
    struct weir__reporter *reporter = datagram->reporter;
    struct weir_report *report = &datagram->report;
    datagram->advanced |= reporter->held_expected_packets > 0;
    report->expected_packets += reporter->held_expected_packets;
    report->lost_packets += reporter->held_lost_packets;
    bool too_soon = reporter->has_reported && (datagram->advanced || datagram->first) &&
                    datagram->sender->now_ns - reporter->reported_ns < REPORTS_APART_NS;
    reporter->held_expected_packets = too_soon ? report->expected_packets : 0;
    reporter->held_lost_packets = too_soon ? report->lost_packets : 0;
    return too_soon;
}

/* The reports of the datagram as one; only those with news count as feedback. */
static enum weir_status finish_reports(struct datagram *datagram)
{
    struct weir_sender *sender = datagram->sender;
    struct weir__reporter *reporter = datagram->reporter;
    const struct weir_report *report = &datagram->report;
    if (!datagram->about_us) {
        return WEIR_OK;
    }
    weir__sender_saw_format(sender, WEIR__FORMAT_INDEX_rr);
    if (!datagram->advanced && !datagram->unchanged && !datagram->first) {
        return WEIR_OK;
    }
    if (hold(datagram)) {
        weir__sender_take_rtt(sender, report->rtt_ns);
        return WEIR_OK;
    }
    complete_report(datagram);
    if (sender->config.circuit_breaker && (datagram->advanced || datagram->unchanged)) {
        weir__breaker_on_report(&sender->breaker, report, datagram->advanced,
                                sender->output.allowed_wire_bps);
    }
    bool disbelieved = weir__transport_numbers_is_disbelieved(
        &sender->transports[datagram->transport].numbers, sender->now_ns);
    bool news = datagram->advanced || datagram->first;
    if (!news || disbelieved) {
        return WEIR_OK;
    }
    weir__sender_take_rtt(sender, report->rtt_ns);
    reporter->has_reported = true;
    reporter->reported_ns = sender->now_ns;
    reporter->reported_sent_bytes = sender->counts.bytes_sent_wire;
    bool reports_only = has_reports_only(sender);
    if (reports_only) {
        weir__sender_note_feedback(sender);
    }
    int64_t told_packets = take_numbers(sender, reporter, reports_only);
    bool useful = datagram->advanced || report->rtt_ns != WEIR_UNKNOWN_NS;
    enum weir_status status =
        useful ? steer_by_report(sender, report, reports_only, told_packets) : WEIR_OK;
    if (datagram->advanced) {
        weir__sender_note_life(sender);
    }
    return status;
}

static void count(struct weir_sender *sender, enum weir_status status)
{
    struct weir_sender_stats *counts = &sender->counts;
    switch (status) {
    case WEIR_OK:
        counts->rtcp_packets++;
        break;
    case WEIR_ERROR_UNSUPPORTED:
        counts->rtcp_unknown++;
        break;
    case WEIR_ERROR_REJECTED:
        counts->rtcp_rejected++;
        break;
    default:
        counts->rtcp_malformed++;
        break;
    }
}

/* WEIR_OK when one packet was understood and believed, else why the last one was not. */
static enum weir_status walk(struct datagram *datagram, const uint8_t *data, size_t len)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    enum weir_status result = WEIR_ERROR_MALFORMED;
    weir__rtcp_walk_init(&walk, data, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        enum weir_status status = on_packet(datagram, &packet);
        count(datagram->sender, status);
        result = result == WEIR_OK ? WEIR_OK : status;
    }
    const struct weir__rtcp_anomalies *anomalies = &walk.anomalies;
    datagram->sender->counts.rtcp_malformed +=
        anomalies->bad_version + anomalies->truncated + anomalies->bad_padding;
    return result;
}

enum weir_status weir_sender_on_rtcp(struct weir_sender *sender, int64_t now_ns, uint32_t member,
                                     const uint8_t *data, size_t len)
{
    if (!weir__members_has(&sender->members, member) || !data || len == 0) {
        return WEIR_ERROR_ARGUMENT;
    }
    weir__sender_advance(sender, now_ns);
    uint32_t transport = sender->members.places[member].transport;
    if (!weir__admission_take(&sender->guard, &sender->reporters, sender->now_ns, transport, data,
                              len)) {
        sender->counts.rtcp_rejected++;
        return WEIR_ERROR_REJECTED;
    }
    struct datagram datagram = {
        .sender = sender, .transport = transport, .report.rtt_ns = WEIR_UNKNOWN_NS};
    sender->entries_left = WEIR__HISTORY_PACKETS;
    enum weir_status status = walk(&datagram, data, len);
    enum weir_status reports = finish_reports(&datagram);
    bool ceased = sender->breaker.state == WEIR__BREAKER_CEASED;
    if (status == WEIR_OK && (datagram.about_us || datagram.heard || ceased)) {
        weir__sender_heard(sender);
    }
    weir__sender_refresh(sender);
    return status == WEIR_OK ? reports : status;
}

int64_t weir_sender_next_report_ns(const struct weir_sender *sender)
{
    return weir__steady_clock_ns(&sender->steady, sender->reports.next_ns);
}

/* Whether a reporter has told of a stream of this member. */
static bool knows_member(const struct weir_sender *sender, const struct weir__reporter *reporter,
                         uint32_t member)
{
    for (int i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        uint32_t ssrc = sender->history.streams[i].ssrc;
        if ((reporter->streams >> i & 1u) &&
            weir__sender_reports_member(&sender->reports, ssrc) == member) {
            return true;
        }
    }
    return false;
}

/* Before anybody's feedback is heeded, all are answered; then those whose is. */
static bool is_answered(const struct weir_sender *sender, const struct weir__reporter *reporter)
{
    bool any = false;
    for (int i = 0; i < WEIR__REPORTERS; i++) {
        any |= sender->reporters.entries[i].in_use && sender->reporters.entries[i].is_heeded;
    }
    return reporter->in_use && reporter->has_rrtr && (reporter->is_heeded || !any);
}

/* Delay since a receiver's reference time came, in 1/65536 s. Of several members each answers those
 * who receive its streams. */
static size_t collect_answers(struct weir_sender *sender, uint32_t member,
                              struct weir__xr_dlrr *answers)
{
    bool alone = sender->members.n_members == 1;
    size_t n = 0;
    for (int i = 0; i < WEIR__REPORTERS; i++) {
        struct weir__reporter *reporter = &sender->reporters.entries[i];
        if (!is_answered(sender, reporter) || (!alone && !knows_member(sender, reporter, member))) {
            continue;
        }
        int64_t delay_ns = weir_clamp_i64(sender->now_ns - reporter->rrtr_ns, 0, WEIR_SECONDS(600));
        answers[n++] = (struct weir__xr_dlrr){
            .ssrc = reporter->ssrc,
            .lrr_mid32 = reporter->rrtr_mid32,
            .dlrr_mid32 = (uint32_t)(delay_ns * 65536 / WEIR_SECONDS(1)),
        };
        reporter->has_rrtr = false;
    }
    return n;
}

/* The rate that a sender report may take its share of. Before a second of it is measured, what is
 * allowed stands for it: a second report five seconds late would leave the RTT unknown as long. */
static int64_t rate_for_reports_bps(const struct weir_sender *sender)
{
    int64_t sent_bps = weir__rate_meter_bps(&sender->sent, sender->now_ns, WEIR_SECONDS(1));
    bool measured = sender->first_sent_ns != WEIR_UNKNOWN_NS &&
                    sender->now_ns - sender->first_sent_ns >= WEIR_SECONDS(1);
    return measured ? sent_bps : weir_max_i64(sent_bps, sender->output.allowed_wire_bps);
}

enum weir_status weir_sender_build_report(struct weir_sender *sender, int64_t now_ns,
                                          uint32_t member, uint64_t ntp_time, uint8_t *buffer,
                                          size_t capacity, size_t *len)
{
    if (!weir__members_has(&sender->members, member) || !buffer || !len) {
        return WEIR_ERROR_ARGUMENT;
    }
    weir__sender_advance(sender, now_ns);
    struct weir__xr_dlrr answers[WEIR__REPORT_MAX_DLRR];
    struct weir__report_request request = {
        .now_ns = sender->now_ns,
        .ntp_time = ntp_time,
        .local_ssrc = sender->config.local_ssrc,
        .sent_bps = rate_for_reports_bps(sender),
        .only_echoes = sender->reports_only,
        .answers = answers,
        .n_answers = collect_answers(sender, member, answers),
        .member = member,
    };
    return weir__sender_reports_build(&sender->reports, &request, buffer, capacity, len);
}

void weir_sender_on_report_sent(struct weir_sender *sender, int64_t now_ns, const uint8_t *data,
                                size_t len)
{
    if (!data) {
        return;
    }
    now_ns = weir__sender_advance(sender, now_ns);
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    struct weir__report report;
    weir__rtcp_walk_init(&walk, data, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        if (packet.type == WEIR__RTCP_SR && weir__report_parse(&packet, &report) == WEIR_OK) {
            weir__sender_reports_on_echo_source(&sender->reports, now_ns,
                                                weir__ntp_mid32(report.ntp));
        }
    }
}
