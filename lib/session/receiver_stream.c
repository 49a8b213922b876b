/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/receiver_stream.h"

#include <string.h>

#include "weir/ecn.h"
#include "weir/units.h"

/* Everything starts with the number seq. */
static void restart(struct weir__stream *stream, uint16_t seq)
{
    weir__arrivals_restart(&stream->arrivals, seq);
    stream->n_top = 0;
    stream->n_late = 0;
    stream->n_late_before_range = 0;
    stream->settled = seq;
    stream->range_begin = seq;
    stream->range_end = seq;
    for (int i = 0; i < WEIR__COVERAGE; i++) {
        stream->begins[i] = seq;
    }
}

void weir__stream_init(struct weir__stream *stream, uint32_t ssrc, uint32_t clock_rate_hz,
                       uint16_t seq)
{
    stream->in_use = true;
    stream->transit = (struct weir__transit){0};
    weir__rr_source_init(&stream->rr, ssrc, clock_rate_hz, seq);
    restart(stream, seq);
}

/* Sorts seq into the highest arrivals. */
static void note_top(struct weir__stream *stream, int64_t seq)
{
    int at = stream->n_top;
    while (at > 0 && stream->top[at - 1] < seq) {
        at--;
    }
    if (at == WEIR__NDUPACK) {
        return;
    }
    stream->n_top += stream->n_top < WEIR__NDUPACK;
    for (int i = stream->n_top - 1; i > at; i--) {
        stream->top[i] = stream->top[i - 1];
    }
    stream->top[at] = seq;
}

/* Holes among the numbers from `settled` to end - 1, which are not remembered any more. The only
 * ones of them that arrived are the highest before the present packet: all others were settled.
 * None of those is below `settled`, which arrived itself. */
static int64_t forgotten_holes(const struct weir__stream *stream, int64_t end,
                               const int64_t *top_before, int n_top_before)
{
    int64_t holes = end - stream->settled;
    for (int i = 0; i < n_top_before; i++) {
        holes -= top_before[i] < end;
    }
    return holes;
}

/* A hole below NDUPACK later arrivals is a loss (RFC 5348 5.1). Takes the arrival of seq and
 * returns how many losses there are now that there were not before. */
static int64_t settle(struct weir__stream *stream, int64_t seq)
{
    int64_t top_before[WEIR__NDUPACK] = {0};
    int n_top_before = stream->n_top;
    memcpy(top_before, stream->top, sizeof top_before);
    note_top(stream, seq);
    if (stream->n_top < WEIR__NDUPACK) {
        return 0;
    }
    int64_t limit = stream->top[WEIR__NDUPACK - 1];
    int64_t from = weir_min_i64(weir__arrivals_oldest(&stream->arrivals), limit);
    int64_t lost = 0;
    if (from > stream->settled) {
        lost = forgotten_holes(stream, from, top_before, n_top_before);
    }
    for (from = weir_max_i64(from, stream->settled); from < limit; from++) {
        int64_t arrival_ns;
        uint8_t ecn;
        lost += !weir__arrivals_get(&stream->arrivals, from, &arrival_ns, &ecn);
    }
    stream->settled = weir_max_i64(stream->settled, limit);
    return lost;
}

/* News about a packet that the next report may not reach back to. The list is bounded: of more than
 * WEIR__LATE_PACKETS between reports the oldest are not told. */
static void note_late(struct weir__stream *stream, int64_t seq)
{
    if (stream->n_late == WEIR__LATE_PACKETS) {
        for (int i = 1; i < WEIR__LATE_PACKETS; i++) {
            stream->late[i - 1] = stream->late[i];
        }
        stream->n_late--;
        stream->n_late_before_range = 0;
    }
    stream->late[stream->n_late++] =
        (struct weir__late_packet){.seq = seq, .reports_left = WEIR__COVERAGE};
}

/* Copies count once, as what came first; but a mark on any of them is one (RFC 6679 5.1). */
static void count_ecn(struct weir__ecn_counts *counts, enum weir__arrival kind, uint32_t ecn)
{
    bool arrived = kind == WEIR__ARRIVAL_NEW || kind == WEIR__ARRIVAL_LATE;
    bool marked = ecn == WEIR_ECN_CE && (arrived || kind == WEIR__ARRIVAL_MARKED);
    counts->ce_packets = (uint16_t)(counts->ce_packets + marked);
    counts->not_ect_packets =
        (uint16_t)(counts->not_ect_packets + (arrived && ecn == WEIR_ECN_NOT_ECT));
    counts->ect0_packets += arrived && ecn == WEIR_ECN_ECT0;
    counts->ect1_packets += arrived && ecn == WEIR_ECN_ECT1;
    counts->duplicate_packets = (uint16_t)(counts->duplicate_packets + !arrived);
}

/* Receiver reports count copies as arrivals (RFC 3550 A.3). */
struct weir__ecn_counts weir__stream_ecn_counts(const struct weir__stream *stream)
{
    struct weir__ecn_counts counts = stream->ecn;
    int64_t lost_packets = weir__rr_source_lost_packets(&stream->rr) + counts.duplicate_packets;
    counts.lost_packets = (uint16_t)(uint64_t)lost_packets;
    return counts;
}

/* An arrival whose number is believable. */
static void take(struct weir__stream *stream, int64_t now_ns, uint16_t seq, uint32_t ecn,
                 struct weir__stream_step *step)
{
    int64_t before = stream->arrivals.highest;
    step->kind = weir__arrivals_add(&stream->arrivals, seq, now_ns, ecn, &step->seq);
    if (step->kind == WEIR__ARRIVAL_NEW) {
        step->expected_packets = step->restarted ? 1 : step->seq - before;
    }
    if (step->kind == WEIR__ARRIVAL_NEW || step->kind == WEIR__ARRIVAL_LATE) {
        step->lost_packets = settle(stream, step->seq);
    }
    if (step->kind == WEIR__ARRIVAL_LATE || step->kind == WEIR__ARRIVAL_MARKED) {
        note_late(stream, step->seq);
    }
}

/* RFC 3550 A.1 decides what is believed. A packet on probation counts as arrived nevertheless: a
 * sender must not take the first packet of a stream for lost. */
struct weir__stream_step weir__stream_on_packet(struct weir__stream *stream, int64_t now_ns,
                                                const struct weir_rtp_info *rtp, uint32_t ecn)
{
    struct weir__stream_step step = {.kind = WEIR__ARRIVAL_OLD};
    bool was_valid = weir__rr_source_valid(&stream->rr);
    bool accepted = weir__rr_source_on_packet(&stream->rr, rtp->seq, rtp->timestamp, now_ns);
    if (was_valid && !accepted) {
        step.rejected = true;
        return step;
    }
    step.restarted = weir__arrivals_is_jump(&stream->arrivals, rtp->seq);
    if (step.restarted) {
        restart(stream, rtp->seq);
    }
    stream->heard_ns = now_ns;
    take(stream, now_ns, rtp->seq, ecn, &step);
    count_ecn(&stream->ecn, step.kind, ecn);
    return step;
}

/* Puts the late packets that the range does not contain first, and forgets those of which nothing
 * is known any more. */
static void sort_late(struct weir__stream *stream)
{
    struct weir__late_packet inside[WEIR__LATE_PACKETS];
    int n_inside = 0;
    int n_before = 0;
    for (int i = 0; i < stream->n_late; i++) {
        if (stream->late[i].seq >= stream->range_begin) {
            inside[n_inside++] = stream->late[i];
        } else if (stream->late[i].seq >= weir__arrivals_oldest(&stream->arrivals)) {
            stream->late[n_before++] = stream->late[i];
        }
    }
    for (int i = 0; i < n_inside; i++) {
        stream->late[n_before + i] = inside[i];
    }
    stream->n_late_before_range = n_before;
    stream->n_late = n_before + n_inside;
}

/* The range reaches back over WEIR__COVERAGE reports, but not over more than WEIR__REPORT_PACKETS
 * unless all of it is new. */
void weir__stream_begin_report(struct weir__stream *stream)
{
    const struct weir__arrivals *arrivals = &stream->arrivals;
    int64_t end = arrivals->highest + 1;
    int64_t begin = weir_max_i64(stream->begins[WEIR__COVERAGE - 1], end - WEIR__REPORT_PACKETS);
    begin = weir_min_i64(begin, stream->begins[0]);
    stream->range_begin = weir_max_i64(begin, weir__arrivals_oldest(arrivals));
    stream->range_end = end;
    sort_late(stream);
}

bool weir__stream_report_seq(const struct weir__stream *stream, int64_t i, int64_t *seq)
{
    if (i < stream->n_late_before_range) {
        *seq = stream->late[i].seq;
        return true;
    }
    *seq = stream->range_begin + i - stream->n_late_before_range;
    return *seq < stream->range_end;
}

void weir__stream_end_report(struct weir__stream *stream)
{
    for (int i = WEIR__COVERAGE - 1; i > 0; i--) {
        stream->begins[i] = stream->begins[i - 1];
    }
    stream->begins[0] = stream->range_end;
    int64_t needed = stream->begins[WEIR__COVERAGE - 1];
    int kept = 0;
    for (int i = 0; i < stream->n_late; i++) {
        stream->late[i].reports_left--;
        if (stream->late[i].reports_left > 0) {
            needed = weir_min_i64(needed, stream->late[i].seq);
            stream->late[kept++] = stream->late[i];
        }
    }
    stream->n_late = kept;
    stream->n_late_before_range = 0;
    weir__arrivals_release(&stream->arrivals, needed);
}
