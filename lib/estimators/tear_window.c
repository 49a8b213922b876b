/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/tear_window.h"

#include <math.h>
#include <string.h>

#include "weir/units.h"

#define CWND_MAX      1e9
#define ROUND_MAX_S   64.0
#define SPACING_MAX_S 64.0
/* A window halved this often has forgotten where it began, to the last digit. */
#define REPORT_EVENTS_MAX 64

static double weight(size_t n_samples, size_t i)
{
    return 2 * i < n_samples ? 1.0 : 2.0 * (double)(n_samples - i) / (double)(n_samples + 2);
}

/* Mean of `first` (when first >= 0), then the closed ones. */
static double weighted_mean(const double *closed, size_t n_closed, double first, size_t n_samples)
{
    double total = 0.0;
    double weights = 0.0;
    size_t i = 0;
    if (first >= 0.0) {
        total = weight(n_samples, i) * first;
        weights = weight(n_samples, i++);
    }
    for (size_t k = 0; k < n_closed && i < n_samples; k++, i++) {
        total += weight(n_samples, i) * closed[k];
        weights += weight(n_samples, i);
    }
    return weights > 0.0 ? total / weights : 0.0;
}

/* rate0 and rate1 of the report. */
double weir__tear_mean_rate(const double *closed, size_t n_closed, double open_rate,
                            size_t n_samples)
{
    double rate0 = weighted_mean(closed, n_closed, -1.0, n_samples);
    double rate1 = weighted_mean(closed, n_closed, open_rate, n_samples);
    return n_closed > 0 ? fmax(rate0, rate1) : rate1;
}

static void begin_round(struct weir__tear_window *w, int64_t at_ns)
{
    w->last_cwnd = w->cwnd;
    w->round_packets = (int64_t)w->cwnd;
    w->round_left = w->round_packets;
    w->round_ns = at_ns;
}

void weir__tear_window_init(struct weir__tear_window *w, size_t n_samples, double cwnd,
                            double ssthresh, int64_t event_end)
{
    memset(w, 0, sizeof(*w));
    w->state = WEIR__TEAR_SLOW_START;
    w->n_samples = n_samples;
    w->cwnd = fmin(fmax(cwnd, 1.0), CWND_MAX);
    w->ssthresh = ssthresh;
    w->next_seq = -1;
    w->highest_seq = -1;
    w->event_end = event_end;
    w->deadline_ns = WEIR_NEVER_NS;
    w->arrived_ns = WEIR_UNKNOWN_NS;
    begin_round(w, WEIR_UNKNOWN_NS);
}

/* Each round stands for R. A round of one packet may really take longer, and then its window would
 * promise more than one packet per that time. */
static double round_time_s(const struct weir__tear_window *w, const struct weir__tear_path *path,
                           int64_t at_ns)
{
    if (w->round_packets > 1 || w->round_ns == WEIR_UNKNOWN_NS) {
        return path->rtt_s;
    }
    return fmin(fmax(path->rtt_s, (double)(at_ns - w->round_ns) * 1e-9), ROUND_MAX_S);
}

static void count_arrival(struct weir__tear_window *w, const struct weir__tear_path *path,
                          int64_t at_ns)
{
    if (--w->round_left > 0) {
        return;
    }
    w->epoch_windows += w->cwnd;
    w->epoch_s += round_time_s(w, path, at_ns);
    begin_round(w, at_ns);
}

static void push_epoch(struct weir__tear_window *w)
{
    size_t kept = w->n_closed < w->n_samples ? w->n_closed : w->n_samples - 1;
    memmove(w->closed + 1, w->closed, kept * sizeof(w->closed[0]));
    w->closed[0] = w->epoch_windows / w->epoch_s;
    w->n_closed = kept + 1;
    w->epoch_windows = 0.0;
    w->epoch_s = 0.0;
}

/* The round that a reduction cuts short counts as a whole: so each epoch has one. */
static void close_epoch(struct weir__tear_window *w, const struct weir__tear_path *path)
{
    w->epoch_windows += w->cwnd;
    w->epoch_s += path->rtt_s;
    push_epoch(w);
}

/* The end of DUPACK. What was sent until now was sent at the old rate, often several small windows
 * of it: its losses are no new event (a TCP's "recover"). */
static void reduce(struct weir__tear_window *w, const struct weir__tear_path *path,
                   int64_t next_seq)
{
    close_epoch(w, path);
    w->cwnd = fmax(w->cwnd / 2.0, 1.0);
    w->ssthresh = w->cwnd;
    w->state = WEIR__TEAR_AVOIDANCE;
    w->next_seq = next_seq;
    w->event_end = weir_max_i64(w->event_end, path->sent_until);
    w->deadline_ns = WEIR_NEVER_NS;
    w->n_events++;
    begin_round(w, w->arrived_ns);
}

/* The emulated TCP is silent for RTO: time without a window. */
void weir__tear_window_on_timeout(struct weir__tear_window *w, const struct weir__tear_path *path)
{
    close_epoch(w, path);
    w->ssthresh = fmax(w->cwnd / 2.0, 2.0);
    w->cwnd = 1.0;
    w->state = WEIR__TEAR_SLOW_START;
    w->epoch_s = path->rto_s;
    w->next_seq = w->highest_seq + 1;
    w->event_end = path->sent_until;
    w->deadline_ns = WEIR_NEVER_NS;
    w->n_timeouts++;
    begin_round(w, WEIR_UNKNOWN_NS);
}

static void leave_gap(struct weir__tear_window *w)
{
    w->state = w->before_gap;
    w->next_seq = w->highest_seq + 1;
    w->deadline_ns = WEIR_NEVER_NS;
}

static int64_t after_ns(const struct weir__tear_path *path, double wait_s)
{
    return weir_time_add_ns(path->now_ns, (int64_t)(wait_s * 1e9));
}

static void enter_gap(struct weir__tear_window *w, const struct weir__tear_path *path)
{
    w->before_gap = w->state;
    w->state = WEIR__TEAR_GAP;
    w->gap_seq = w->next_seq;
    w->deadline_ns = after_ns(path, path->rto_s);
}

/* T_to: the time in which the rest of the window should arrive. */
static double window_time_s(const struct weir__tear_window *w, const struct weir__tear_path *path)
{
    double time_s = w->last_cwnd * w->spacing_s + fmax(2.0 * w->deviation_s, path->rtt_s / 2.0);
    return fmin(fmax(time_s, path->rtt_s), path->rto_s);
}

static void grow(struct weir__tear_window *w, double most_cwnd)
{
    if (w->state == WEIR__TEAR_SLOW_START) {
        w->cwnd = fmin(w->cwnd + 1.0, fmin(fmax(most_cwnd, w->cwnd), CWND_MAX));
        w->state = w->cwnd >= w->ssthresh ? WEIR__TEAR_AVOIDANCE : WEIR__TEAR_SLOW_START;
    } else if (w->state == WEIR__TEAR_AVOIDANCE) {
        w->cwnd = fmin(w->cwnd + 1.0 / w->last_cwnd, CWND_MAX);
    }
}

/* Mean and deviation of the spacing with the gains of a TCP's RTT, begun as RFC 6298 2.2 does. */
static void note_spacing(struct weir__tear_window *w, int64_t at_ns)
{
    if (w->arrived_ns != WEIR_UNKNOWN_NS) {
        double gap_s = fmin(fmax((double)(at_ns - w->arrived_ns) * 1e-9, 0.0), SPACING_MAX_S);
        if (w->spacing_s <= 0.0) {
            w->spacing_s = gap_s;
            w->deviation_s = gap_s / 2.0;
        } else {
            w->deviation_s += (fabs(gap_s - w->spacing_s) - w->deviation_s) / 4.0;
            w->spacing_s += (gap_s - w->spacing_s) / 8.0;
        }
    }
    w->arrived_ns = at_ns;
}

/* What the place of an arrival in the sequence tells. */
static void follow_sequence(struct weir__tear_window *w, const struct weir__tear_path *path,
                            int64_t seq)
{
    bool in_order = seq == w->next_seq || w->next_seq < 0;
    if (w->state == WEIR__TEAR_GAP && seq == w->gap_seq) {
        leave_gap(w);
    } else if (in_order) {
        w->next_seq = seq + 1;
        if (path->grows) {
            grow(w, path->most_cwnd);
        }
    } else if (seq > w->next_seq && w->state <= WEIR__TEAR_AVOIDANCE) {
        enter_gap(w, path);
    }
}

void weir__tear_window_on_arrival(struct weir__tear_window *w, const struct weir__tear_path *path,
                                  int64_t seq, int64_t at_ns)
{
    note_spacing(w, at_ns);
    if (w->state == WEIR__TEAR_DUPACK && seq >= w->event_end) {
        reduce(w, path, w->event_end);
    }
    follow_sequence(w, path, seq);
    w->highest_seq = weir_max_i64(w->highest_seq, seq);
    count_arrival(w, path, at_ns);
}

/* Three duplicate ACKs: losses within a window of the first belong to the same event. A small
 * window may have arrived already. */
static void begin_event(struct weir__tear_window *w, const struct weir__tear_path *path,
                        int64_t seq)
{
    w->state = WEIR__TEAR_DUPACK;
    w->event_end = seq + (int64_t)w->last_cwnd;
    w->deadline_ns = after_ns(path, window_time_s(w, path));
    if (w->highest_seq >= w->event_end) {
        reduce(w, path, w->highest_seq + 1);
    }
}

void weir__tear_window_on_lost(struct weir__tear_window *w, const struct weir__tear_path *path,
                               int64_t seq, bool overtaken)
{
    if (w->state == WEIR__TEAR_GAP && seq == w->gap_seq) {
        leave_gap(w);
    }
    if (w->state == WEIR__TEAR_DUPACK && seq >= w->event_end) {
        reduce(w, path, w->event_end);
    }
    if (seq >= w->event_end && overtaken) {
        begin_event(w, path, seq);
    } else if (seq >= w->event_end) {
        weir__tear_window_on_timeout(w, path);
    }
    w->next_seq = weir_max_i64(w->next_seq, seq + 1);
}

void weir__tear_window_on_time(struct weir__tear_window *w, const struct weir__tear_path *path)
{
    if (path->now_ns < w->deadline_ns) {
        return;
    }
    if (w->state == WEIR__TEAR_DUPACK) {
        reduce(w, path, w->highest_seq + 1);
    } else {
        leave_gap(w);
    }
}

/* Slow start in reports: the window doubles per round, and only what the last report came to is the
 * rate, since a mean over all of slow start would hold it back. */
static void advance_slow_start(struct weir__tear_window *w, const struct weir__tear_path *path,
                               double rounds)
{
    double doubled = path->grows ? w->cwnd * exp2(fmin(rounds, 60.0)) : w->cwnd;
    double limit = fmin(fmax(path->most_cwnd, w->cwnd), CWND_MAX);
    w->cwnd = fmin(fmin(doubled, limit), fmax(w->ssthresh, w->cwnd));
    w->state = w->cwnd >= w->ssthresh ? WEIR__TEAR_AVOIDANCE : WEIR__TEAR_SLOW_START;
    w->epoch_windows = w->cwnd * rounds;
    w->epoch_s = path->rtt_s * rounds;
}

/* Congestion avoidance: one packet more per round; rounds count the window at their end. */
static void advance(struct weir__tear_window *w, const struct weir__tear_path *path, double rounds)
{
    if (w->state == WEIR__TEAR_SLOW_START) {
        advance_slow_start(w, path, rounds);
        return;
    }
    double gained = path->grows ? rounds : 0.0;
    double mean = path->grows ? w->cwnd + (rounds + 1.0) / 2.0 : w->cwnd;
    w->epoch_windows += rounds * mean;
    w->epoch_s += rounds * path->rtt_s;
    w->cwnd = fmin(w->cwnd + gained, CWND_MAX);
}

static void reduce_in_report(struct weir__tear_window *w)
{
    push_epoch(w);
    w->cwnd = fmax(w->cwnd / 2.0, 1.0);
    w->ssthresh = w->cwnd;
    w->state = WEIR__TEAR_AVOIDANCE;
    w->n_events++;
}

void weir__tear_window_on_rounds(struct weir__tear_window *w, const struct weir__tear_path *path,
                                 double rounds, int64_t n_events)
{
    double epoch_rounds = rounds / (double)weir_max_i64(n_events, 1);
    if (w->state > WEIR__TEAR_AVOIDANCE) {
        w->state = WEIR__TEAR_AVOIDANCE;
        w->deadline_ns = WEIR_NEVER_NS;
    }
    if (n_events <= 0) {
        advance(w, path, rounds);
    }
    for (int64_t i = 0; i < weir_min_i64(n_events, REPORT_EVENTS_MAX); i++) {
        advance(w, path, epoch_rounds);
        reduce_in_report(w);
    }
    begin_round(w, WEIR_UNKNOWN_NS);
}

void weir__tear_window_new_clock(struct weir__tear_window *w)
{
    w->arrived_ns = WEIR_UNKNOWN_NS;
    w->round_ns = WEIR_UNKNOWN_NS;
}

void weir__tear_window_forget_epochs(struct weir__tear_window *w)
{
    w->n_closed = 0;
    w->epoch_windows = 0.0;
    w->epoch_s = 0.0;
}

double weir__tear_window_open_rate(const struct weir__tear_window *w)
{
    return w->epoch_windows > 0.0 ? w->epoch_windows / w->epoch_s : -1.0;
}

double weir__tear_window_rate(const struct weir__tear_window *w, double rtt_s)
{
    double open = weir__tear_window_open_rate(w);
    if (w->n_closed == 0 && open < 0.0) {
        return w->cwnd / rtt_s;
    }
    return weir__tear_mean_rate(w->closed, w->n_closed, open, w->n_samples);
}
