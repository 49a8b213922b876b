/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP that goes out: when the next compound is due, and the answers to reference times in it. */
#include "codec/sr_rr.h"
#include "session/sender_internal.h"

_Static_assert((int)WEIR__REPORT_MAX_DLRR >= (int)WEIR__REPORTERS,
               "each reporter can be answered at once");

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
