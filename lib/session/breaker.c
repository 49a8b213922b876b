/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/breaker.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define DEFAULT_REPORT_NS WEIR_SECONDS(5)
#define MIN_REPORT_NS     WEIR_MS(10)
#define DOUBLING_NS       WEIR_SECONDS(1)
/* A cut that no report judges ends by itself, slowly. */
#define UNJUDGED_NS WEIR_SECONDS(30)

/* G of video: frames that refer to each other. The session does not see the encoder's groups; a
 * second of frames is usual, and judges over ten seconds instead of five at a report a second. */
enum { REDUCTION = 10, RATE_FACTOR = 10, FRAMES_PER_GROUP = 30 };

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* MT = ceil(5 * max(Tf, Tr, Tdr) / Tdr) */
int64_t weir__breaker_media_timeout_reports(const struct weir__breaker_times *times)
{
    int64_t report_ns = weir_max_i64(times->report_ns, 1);
    int64_t longest_ns = weir_max_i64(weir_max_i64(times->frame_ns, times->rtt_ns), report_ns);
    return ceil_div(5 * longest_ns, report_ns);
}

/* CB = ceil(3 min(max(10 G Tf, 10 Tr, 3 Tdr), max(15 s, 3 Td)) / (3 Tdr)) */
int64_t weir__breaker_congestion_reports(const struct weir__breaker_times *times)
{
    int64_t report_ns = weir_max_i64(times->report_ns, 1);
    int64_t groups_ns = 10 * times->frames_per_group * times->frame_ns;
    int64_t wanted_ns = weir_max_i64(weir_max_i64(groups_ns, 10 * times->rtt_ns), 3 * report_ns);
    int64_t limit_ns = weir_max_i64(WEIR_SECONDS(15), 3 * times->report_5s_ns);
    int64_t reports = ceil_div(3 * weir_min_i64(wanted_ns, limit_ns), 3 * report_ns);
    return weir_clamp_i64(reports, 1, WEIR__BREAKER_INTERVALS);
}

/* X = s / (Tr sqrt(2 b p / 3)), b = 1 */
double weir__breaker_tcp_bps(int64_t packet_bytes, int64_t rtt_ns, double loss_ratio)
{
    double rtt_s = (double)weir_max_i64(rtt_ns, 1) / 1e9;
    double p = loss_ratio < 1e-8 ? 1e-8 : loss_ratio;
    return 8.0 * (double)packet_bytes / (rtt_s * sqrt(2.0 * p / 3.0));
}

void weir__breaker_init(struct weir__breaker *breaker)
{
    /* No interval is there, and none is touched. */
    memset(&breaker->state, 0, sizeof *breaker - offsetof(struct weir__breaker, state));
    breaker->cap_bps = INT64_MAX;
    breaker->unanswered_ns = WEIR_NEVER_NS;
    breaker->lossy_ns = WEIR_UNKNOWN_NS;
    breaker->times = (struct weir__breaker_times){
        .frames_per_group = FRAMES_PER_GROUP,
        .report_ns = DEFAULT_REPORT_NS,
        .report_5s_ns = DEFAULT_REPORT_NS,
    };
}

/* Forgets what was measured under another rate. */
static void change(struct weir__breaker *breaker, enum weir__breaker_state state, int64_t now_ns,
                   int64_t cap_bps, int64_t hold_ns)
{
    breaker->state = state;
    breaker->cap_bps = cap_bps;
    breaker->changed_ns = now_ns;
    breaker->hold_ns = hold_ns;
    breaker->heard_since_stop = false;
    breaker->evaluated = false;
    breaker->n_intervals = 0;
    breaker->n_idle_reports = 0;
}

static void cease(struct weir__breaker *breaker, int64_t now_ns, int64_t trigger_ns)
{
    change(breaker, WEIR__BREAKER_CEASED, now_ns, 0, trigger_ns);
    breaker->unanswered_ns = WEIR_NEVER_NS;
}

/* Tf: mean time between packets of different timestamps. */
static void measure_frames(struct weir__breaker *breaker, int64_t now_ns, uint32_t rtp_timestamp)
{
    if (breaker->has_frame && breaker->last_timestamp == rtp_timestamp) {
        return;
    }
    if (breaker->has_frame) {
        int64_t gap_ns = weir_min_i64(now_ns - breaker->last_frame_ns, WEIR_SECONDS(1));
        int64_t *mean_ns = &breaker->times.frame_ns;
        *mean_ns = *mean_ns == 0 ? gap_ns : *mean_ns + (gap_ns - *mean_ns) / 8;
    }
    breaker->has_frame = true;
    breaker->last_frame_ns = now_ns;
    breaker->last_timestamp = rtp_timestamp;
}

void weir__breaker_on_sent(struct weir__breaker *breaker, int64_t now_ns, uint32_t rtp_timestamp)
{
    measure_frames(breaker, now_ns, rtp_timestamp);
    breaker->has_sent = true;
    if (breaker->unanswered_ns == WEIR_NEVER_NS) {
        breaker->unanswered_ns = now_ns;
    }
}

static void restart_if_due(struct weir__breaker *breaker, int64_t now_ns)
{
    if (breaker->heard_since_stop && now_ns - breaker->changed_ns >= breaker->hold_ns) {
        change(breaker, WEIR__BREAKER_REDUCED, now_ns, 0, DOUBLING_NS);
        breaker->evaluated = true;
    }
}

/* A cut is released by doubling, so that the old rate does not come back at once. */
static void release(struct weir__breaker *breaker, int64_t now_ns, int64_t wanted_bps)
{
    int64_t age_ns = now_ns - breaker->changed_ns;
    if (age_ns < breaker->hold_ns || (!breaker->evaluated && age_ns < UNJUDGED_NS)) {
        return;
    }
    breaker->evaluated = true;
    breaker->cap_bps = weir_max_i64(breaker->cap_bps, wanted_bps / 128) * 2;
    breaker->changed_ns = now_ns;
    breaker->hold_ns = DOUBLING_NS;
    if (breaker->cap_bps >= wanted_bps) {
        breaker->state = WEIR__BREAKER_CLOSED;
        breaker->cap_bps = INT64_MAX;
    }
}

void weir__breaker_on_rtcp(struct weir__breaker *breaker, int64_t now_ns, int64_t wanted_bps)
{
    if (!breaker->heard && breaker->state == WEIR__BREAKER_REDUCED) {
        change(breaker, WEIR__BREAKER_CLOSED, now_ns, INT64_MAX, 0);
    }
    breaker->heard = true;
    breaker->unanswered_ns = WEIR_NEVER_NS;
    if (breaker->state == WEIR__BREAKER_CEASED) {
        breaker->heard_since_stop = true;
        restart_if_due(breaker, now_ns);
    } else if (breaker->state == WEIR__BREAKER_REDUCED) {
        release(breaker, now_ns, wanted_bps);
    }
}

/* Tr by RFC 8083 4.3, Tdr measured, Td = 5 s or more. */
static void measure_report(struct weir__breaker *breaker, const struct weir_report *report)
{
    struct weir__breaker_times *times = &breaker->times;
    if (report->rtt_ns != WEIR_UNKNOWN_NS) {
        times->rtt_ns =
            times->rtt_ns == 0 ? report->rtt_ns : (4 * times->rtt_ns + report->rtt_ns) / 5;
    }
    int64_t interval_ns = weir_clamp_i64(report->interval_ns, MIN_REPORT_NS, DEFAULT_REPORT_NS);
    times->report_ns = (3 * times->report_ns + interval_ns) / 4;
}

/* 4.2. The limit only rises while reports are being counted. */
static bool is_media_timeout(struct weir__breaker *breaker, const struct weir_report *report,
                             bool advanced)
{
    bool has_sent = breaker->has_sent;
    breaker->has_sent = false;
    if (advanced) {
        breaker->n_idle_reports = 0;
        breaker->idle_limit = 0;
        return false;
    }
    if (report->sent_bytes <= 0 || !has_sent) {
        return false;
    }
    breaker->idle_limit =
        weir_max_i64(breaker->idle_limit, weir__breaker_media_timeout_reports(&breaker->times));
    return ++breaker->n_idle_reports >= breaker->idle_limit;
}

/* Of the interval before which there were so many. */
static size_t place_of(int64_t n_before)
{
    return WEIR__BREAKER_INTERVALS - 1 - (size_t)n_before % WEIR__BREAKER_INTERVALS;
}

static void add_interval(struct weir__breaker *breaker, const struct weir_report *report)
{
    breaker->intervals[place_of(breaker->n_intervals)] = (struct weir__breaker_interval){
        .expected_packets = (uint32_t)weir_min_i64(report->expected_packets, UINT32_MAX),
        .lost_packets = (uint32_t)weir_min_i64(report->lost_packets, UINT32_MAX),
        .duration_ns = report->interval_ns,
        .sent_bytes = report->sent_bytes,
    };
    breaker->n_intervals++;
}

/* What 4.3 compares over some intervals. */
struct judged {
    double sent_bps;  /* mean */
    double limit_bps; /* ten times TCP's; infinite when there is nothing to judge by */
    int64_t duration_ns;
};

/* The last n intervals: loss is weighted by duration. */
static struct judged judge(const struct weir__breaker *breaker, int64_t n, int64_t packet_bytes)
{
    double weighted_loss = 0, duration_ns = 0, sent_bytes = 0;
    struct judged judged = {.limit_bps = INFINITY};
    for (int64_t i = 1; i <= n; i++) {
        const struct weir__breaker_interval *interval =
            &breaker->intervals[place_of(breaker->n_intervals - i)];
        double ratio = interval->expected_packets == 0
                           ? 0.0
                           : (double)interval->lost_packets / interval->expected_packets;
        weighted_loss += ratio * (double)interval->duration_ns;
        duration_ns += (double)interval->duration_ns;
        sent_bytes += (double)interval->sent_bytes;
    }
    const struct weir__breaker_times *times = &breaker->times;
    double packet_ns = (double)weir_max_i64(times->report_ns, times->rtt_ns);
    bool sends_enough = sent_bytes * packet_ns >= (double)packet_bytes * duration_ns;
    judged.sent_bps = 8e9 * sent_bytes / duration_ns;
    judged.duration_ns = (int64_t)duration_ns;
    if (weighted_loss > 0 && times->rtt_ns > 0 && sends_enough) {
        judged.limit_bps = RATE_FACTOR * weir__breaker_tcp_bps(packet_bytes, times->rtt_ns,
                                                               weighted_loss / duration_ns);
    }
    return judged;
}

/* Congestion control that has come below the limit by itself works, and what was sent before is not
 * punished once more. A source that goes on sending more than it may has not come down. */
static bool has_come_down(const struct weir__breaker *breaker, int64_t allowed_bps,
                          double newest_bps, double limit_bps)
{
    bool is_held = (double)allowed_bps <= limit_bps;
    bool was_held = (double)breaker->allowed_bps <= limit_bps;
    return is_held && (!was_held || newest_bps <= limit_bps);
}

static void note_losses(struct weir__breaker *breaker, const struct weir_report *report,
                        int64_t rate_bps)
{
    if (report->lost_packets <= 0) {
        return;
    }
    int64_t before_ns = report->now_ns - report->interval_ns;
    if (breaker->lossy_ns == WEIR_UNKNOWN_NS ||
        before_ns - breaker->lossy_ns > breaker->times.rtt_ns) {
        breaker->began_ns = before_ns;
        breaker->began_bps = rate_bps;
    }
    breaker->lossy_ns = report->now_ns;
}

/* Whether a TCP that halves its rate each round trip would be at the limit by now. It gets no more
 * time than is judged. */
static bool could_have_come_down(const struct weir__breaker *breaker, const struct judged *all,
                                 int64_t now_ns)
{
    int64_t needed_ns = 0;
    for (double bps = (double)breaker->began_bps; bps > all->limit_bps; bps /= 2.0) {
        needed_ns += breaker->times.rtt_ns;
    }
    return now_ns - breaker->began_ns >= weir_min_i64(needed_ns, all->duration_ns);
}

static bool is_congested(const struct weir__breaker *breaker, const struct judged *all,
                         const struct weir_report *report, int64_t rate_bps)
{
    struct judged newest = judge(breaker, 1, report->packet_bytes);
    return all->sent_bps > all->limit_bps && newest.sent_bps > newest.limit_bps &&
           !has_come_down(breaker, rate_bps, newest.sent_bps, all->limit_bps) &&
           could_have_come_down(breaker, all, report->now_ns);
}

/* The first time a tenth of what was sent, the second time nothing. */
static void judge_congestion(struct weir__breaker *breaker, const struct weir_report *report,
                             int64_t rate_bps)
{
    int64_t n = weir__breaker_congestion_reports(&breaker->times);
    if (breaker->n_intervals < n) {
        return;
    }
    int64_t span_ns = n * breaker->times.report_ns;
    struct judged judged = judge(breaker, n, report->packet_bytes);
    if (!is_congested(breaker, &judged, report, rate_bps)) {
        breaker->evaluated = true;
    } else if (breaker->state == WEIR__BREAKER_REDUCED) {
        cease(breaker, report->now_ns, span_ns);
    } else {
        change(breaker, WEIR__BREAKER_REDUCED, report->now_ns,
               (int64_t)(judged.sent_bps / REDUCTION), span_ns);
    }
}

/* A report without progress counts once per half an interval, so that a replayed one cannot stop
 * the media. */
void weir__breaker_on_report(struct weir__breaker *breaker, const struct weir_report *report,
                             bool advanced, int64_t rate_bps)
{
    if (!advanced && report->interval_ns < breaker->times.report_ns / 2) {
        return;
    }
    measure_report(breaker, report);
    if (breaker->state == WEIR__BREAKER_CEASED) {
        return;
    }
    if (is_media_timeout(breaker, report, advanced)) {
        cease(breaker, report->now_ns, breaker->idle_limit * breaker->times.report_ns);
        return;
    }
    note_losses(breaker, report, rate_bps);
    add_interval(breaker, report);
    judge_congestion(breaker, report, rate_bps);
    breaker->allowed_bps = rate_bps;
}

/* 4.1: no RTCP for three reporting intervals of at least 5 s while packets are sent. Unless it has
 * ceased. */
static int64_t rtcp_timeout_ns(const struct weir__breaker *breaker)
{
    bool waits = breaker->heard || breaker->state == WEIR__BREAKER_CLOSED;
    return waits ? weir_time_add_ns(breaker->unanswered_ns, 3 * breaker->times.report_5s_ns)
                 : WEIR_NEVER_NS;
}

void weir__breaker_on_timer(struct weir__breaker *breaker, int64_t now_ns)
{
    if (breaker->state == WEIR__BREAKER_CEASED) {
        restart_if_due(breaker, now_ns);
    } else if (now_ns >= rtcp_timeout_ns(breaker)) {
        if (breaker->heard) {
            cease(breaker, now_ns, 3 * breaker->times.report_5s_ns);
        } else {
            change(breaker, WEIR__BREAKER_REDUCED, now_ns, 0, 0);
        }
    }
}

int64_t weir__breaker_next_timer_ns(const struct weir__breaker *breaker)
{
    if (breaker->state == WEIR__BREAKER_CEASED) {
        return breaker->heard_since_stop ? weir_time_add_ns(breaker->changed_ns, breaker->hold_ns)
                                         : WEIR_NEVER_NS;
    }
    return rtcp_timeout_ns(breaker);
}

int64_t weir__breaker_cap_bps(const struct weir__breaker *breaker)
{
    return breaker->state == WEIR__BREAKER_CEASED ? 0 : breaker->cap_bps;
}
