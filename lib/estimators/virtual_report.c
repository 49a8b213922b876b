/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/virtual_report.h"

#include "estimators/report_events.h"
#include "estimators/rtt.h"

/* Before anything was heard: longer than the first interval of RFC 3550 (6.2: 2.5 s, up to 1.5
 * times that at random). */
#define FIRST_WAIT_NS     WEIR_SECONDS(5)
#define INTERVAL_MIN_NS   WEIR_MS(50)
#define INTERVAL_MAX_NS   WEIR_SECONDS(60)
#define ASSUMED_RTT_NS    WEIR_MS(500)
#define OVERDUE_INTERVALS 3
#define OVERDUE_ROUNDS    4
#define MEAN_GAIN         0.125

static void begin_interval(struct weir__virtual_report *state, int64_t now_ns)
{
    state->start_ns = now_ns;
    state->expected_packets = 0;
    state->lost_packets = 0;
    state->loss_events = 0;
    state->sent_bytes = 0;
    state->limited_bytes = 0;
    state->rtt_sum_ns = 0.0;
    state->n_rtt = 0;
    state->n_merged = 0;
}

void weir__virtual_report_init(struct weir__virtual_report *state, int64_t interval_ns,
                               int64_t least_packets)
{
    *state = (struct weir__virtual_report){
        .interval_ns = interval_ns,
        .least_packets = weir_max_i64(least_packets, 1),
        .last_sent_ns = WEIR_UNKNOWN_NS,
        .overdue_ns = WEIR_NEVER_NS,
    };
    weir__virtual_report_forget(state);
}

void weir__virtual_report_forget(struct weir__virtual_report *state)
{
    begin_interval(state, state->last_sent_ns);
    state->from_reports = false;
    state->rtt_ns = ASSUMED_RTT_NS;
    state->event_ns = WEIR_UNKNOWN_NS;
    state->mean_ns = (double)state->interval_ns;
    state->has_mean = false;
    state->is_overdue = false;
}

static void wait_for_report(struct weir__virtual_report *state, int64_t now_ns)
{
    int64_t wait_ns =
        weir_max_i64(OVERDUE_INTERVALS * (int64_t)state->mean_ns, OVERDUE_ROUNDS * state->rtt_ns);
    wait_ns = state->has_mean ? wait_ns : weir_max_i64(wait_ns, FIRST_WAIT_NS);
    state->overdue_ns = weir_time_add_ns(now_ns, wait_ns);
    state->sent_since = false;
}

static void note_life(struct weir__virtual_report *state, int64_t now_ns)
{
    state->is_overdue = false;
    wait_for_report(state, now_ns);
}

bool weir__virtual_report_expire(struct weir__virtual_report *state, int64_t now_ns)
{
    if (now_ns < state->overdue_ns) {
        return false;
    }
    bool overdue = state->sent_since;
    wait_for_report(state, now_ns);
    state->overdue_ns = overdue ? state->overdue_ns : WEIR_NEVER_NS;
    state->is_overdue |= overdue;
    return overdue;
}

/* A pause of the source belongs to no interval. */
static bool begins_after_pause(const struct weir__virtual_report *state, int64_t now_ns)
{
    return state->last_sent_ns == WEIR_UNKNOWN_NS ||
           (state->expected_packets == 0 && now_ns - state->last_sent_ns > state->interval_ns);
}

/* Real reports tell themselves what was sent in their interval. */
static void note_sent_bytes(struct weir__virtual_report *state, int64_t now_ns, int64_t wire_bytes,
                            bool network_limited)
{
    if (begins_after_pause(state, now_ns)) {
        begin_interval(state, now_ns);
    }
    state->sent_bytes += wire_bytes;
    state->limited_bytes += network_limited ? wire_bytes : 0;
}

void weir__virtual_report_on_sent(struct weir__virtual_report *state, int64_t now_ns,
                                  int64_t wire_bytes, bool network_limited)
{
    if (!state->from_reports) {
        note_sent_bytes(state, now_ns, wire_bytes, network_limited);
    }
    if (state->overdue_ns == WEIR_NEVER_NS) {
        wait_for_report(state, now_ns);
    }
    state->last_sent_ns = now_ns;
    state->sent_since = true;
}

void weir__virtual_report_on_received(struct weir__virtual_report *state)
{
    state->expected_packets++;
}

void weir__virtual_report_on_lost(struct weir__virtual_report *state, int64_t sent_ns)
{
    state->expected_packets++;
    state->lost_packets++;
    if (state->event_ns == WEIR_UNKNOWN_NS || state->loss_events == 0 ||
        sent_ns > state->event_ns + state->rtt_ns) {
        state->loss_events++;
        state->event_ns = sent_ns;
    }
}

/* As in the counters of a receiver it lessens the losses of the interval in which it comes. */
void weir__virtual_report_on_late(struct weir__virtual_report *state)
{
    state->lost_packets--;
}

static void add_rtt(struct weir__virtual_report *state, int64_t rtt_ns)
{
    if (rtt_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    state->rtt_sum_ns += (double)weir_clamp_i64(rtt_ns, WEIR__RTT_MIN_NS, WEIR__RTT_MAX_NS);
    state->n_rtt++;
    state->rtt_ns = (int64_t)(state->rtt_sum_ns / (double)state->n_rtt);
}

/* The first interval is the mean. */
static void note_interval(struct weir__virtual_report *state, int64_t interval_ns)
{
    double at_ns = (double)weir_clamp_i64(interval_ns, INTERVAL_MIN_NS, INTERVAL_MAX_NS);
    state->mean_ns += (at_ns - state->mean_ns) * (state->has_mean ? MEAN_GAIN : 1.0);
    state->has_mean = true;
}

/* Whether what was collected makes a report; if not, it waits for the next. */
static bool is_enough(struct weir__virtual_report *state)
{
    state->n_merged++;
    return state->expected_packets >= state->least_packets ||
           (state->expected_packets > 0 && state->n_merged >= WEIR__VIRTUAL_REPORT_MERGED_MAX);
}

static void finish(struct weir__virtual_report *state, int64_t now_ns, int64_t packet_bytes,
                   struct weir__report_summary *summary)
{
    int64_t lost = weir_max_i64(state->lost_packets, 0);
    *summary = (struct weir__report_summary){
        .now_ns = now_ns,
        .interval_ns = weir_max_i64(now_ns - state->start_ns, 1),
        .rtt_ns = state->n_rtt > 0 ? state->rtt_ns : WEIR_UNKNOWN_NS,
        .expected_packets = state->expected_packets,
        .lost_packets = lost,
        .loss_events = weir_min_i64(state->loss_events, lost),
        .sent_bytes = state->sent_bytes,
        .packet_bytes = weir_max_i64(packet_bytes, 1),
        .network_limited = state->limited_bytes > state->sent_bytes / 2,
    };
    note_interval(state, summary->interval_ns);
    begin_interval(state, now_ns);
}

/* Reports that come more often are collected until the interval is as near as it gets. */
static bool is_due(const struct weir__virtual_report *state, int64_t now_ns, int64_t gap_ns)
{
    return now_ns - state->start_ns + gap_ns / 2 >= state->interval_ns * (state->n_merged + 1);
}

bool weir__virtual_report_on_feedback(struct weir__virtual_report *state, int64_t now_ns,
                                      int64_t rtt_ns, bool alive, double packet_bytes,
                                      struct weir__report_summary *summary)
{
    add_rtt(state, rtt_ns);
    if (!alive) {
        return false;
    }
    if (state->start_ns == WEIR_UNKNOWN_NS) { /* about packets of before, of another algorithm */
        begin_interval(state, now_ns);
    }
    state->has_mean = state->has_mean && !state->from_reports;
    state->from_reports = false;
    bool made = is_due(state, now_ns, 0) && is_enough(state);
    if (made) {
        finish(state, now_ns, (int64_t)packet_bytes, summary);
    }
    note_life(state, now_ns);
    return made;
}

/* What per-packet feedback told before is half of a report. */
static void begin_reports(struct weir__virtual_report *state, int64_t now_ns)
{
    if (!state->from_reports) {
        begin_interval(state, now_ns);
        state->from_reports = true;
        state->has_mean = false;
    }
}

static void collect(struct weir__virtual_report *state, const struct weir__report_summary *report)
{
    if (state->expected_packets == 0) {
        state->start_ns = report->now_ns - report->interval_ns;
    }
    state->expected_packets += report->expected_packets;
    state->lost_packets += report->lost_packets;
    const struct weir__told_losses told = {report->now_ns, report->interval_ns,
                                           report->expected_packets, report->lost_packets};
    state->event_ns = state->loss_events == 0 ? WEIR_UNKNOWN_NS : state->event_ns;
    state->loss_events += weir__report_events(&told, state->rtt_ns, &state->event_ns);
    state->sent_bytes += report->sent_bytes;
    state->limited_bytes += report->network_limited ? report->sent_bytes : 0;
}

/* A report that nothing arrived of what was sent is no sign of life. */
bool weir__virtual_report_on_report(struct weir__virtual_report *state,
                                    const struct weir__report_summary *report,
                                    struct weir__report_summary *summary)
{
    bool made = false;
    begin_reports(state, report->now_ns);
    add_rtt(state, report->rtt_ns);
    if (report->expected_packets > 0) {
        collect(state, report);
        made = is_due(state, report->now_ns, report->interval_ns) && is_enough(state);
    }
    if (made) {
        finish(state, report->now_ns, report->packet_bytes, summary);
    }
    if (report->expected_packets > report->lost_packets || report->sent_bytes <= 0) {
        note_life(state, report->now_ns);
    }
    return made;
}
