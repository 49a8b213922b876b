/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/loss_intervals.h"

#include <math.h>
#include <string.h>

#include "weir/units.h"

#define P_MIN      1e-8
#define MAX_REPLAY (WEIR__LOSS_RECENT_EVENTS * WEIR__LOSS_EVENT_PACKETS + 1)

/* A lost packet on its way through a regrouping, with the RTT of the event it was in. */
struct replayed {
    struct weir__loss_packet packet;
    int64_t rtt_ns;
};

void weir__loss_intervals_init(struct weir__loss_intervals *losses, size_t n_intervals,
                               double discount_threshold, bool short_intervals)
{
    memset(losses, 0, sizeof(*losses));
    losses->n_intervals = n_intervals;
    losses->discount_threshold = discount_threshold;
    losses->short_intervals = short_intervals;
    losses->first_packets = 1.0;
    losses->highest_received = -1;
}

bool weir__loss_intervals_has_event(const struct weir__loss_intervals *losses)
{
    return losses->n_recent > 0 || losses->settled.n > 0;
}

void weir__loss_intervals_set_first(struct weir__loss_intervals *losses, double packets)
{
    losses->first_packets = fmax(packets, 1.0);
}

/* Weight of the i-th of n intervals (RFC 5348 5.4): 1 for the newer half, then falling to nothing.
 */
static double weight(size_t n, size_t i)
{
    return 2 * i < n ? 1.0 : 2.0 * (double)(n - i) / (double)(n + 2);
}

/* DF for an open interval of open_packets (RFC 5348 5.5): below 1 when it is more than twice the
 * discounted mean of the closed ones. */
static double discount_factor(const struct weir__loss_intervals *losses,
                              const struct weir__loss_history *history, double open_packets)
{
    double total = 0.0;
    double weights = 0.0;
    for (size_t i = 0; i < history->n; i++) {
        double w = weight(losses->n_intervals, i) * history->discount[i];
        total += w * history->packets[i];
        weights += w;
    }
    if (weights <= 0.0 || open_packets * weights <= 2.0 * total) {
        return 1.0;
    }
    return fmax(losses->discount_threshold, 2.0 * total / (weights * open_packets));
}

/* RFC 5348 5.5, on a new loss event: the discount becomes permanent, everything moves up by one. */
static void push_interval(const struct weir__loss_intervals *losses,
                          struct weir__loss_history *history, double packets)
{
    double discount = discount_factor(losses, history, packets);
    if (history->n < losses->n_intervals) {
        history->n++;
    }
    for (size_t i = history->n - 1; i > 0; i--) {
        history->packets[i] = history->packets[i - 1];
        history->discount[i] = history->discount[i - 1] * discount;
    }
    history->packets[0] = packets;
    history->discount[0] = 1.0;
}

/* Length of the interval between two events. TFRC-SP (RFC 4828): when it lasted at most two
 * round-trip times it counts N/K packets, K of them lost. */
static double closed_length(const struct weir__loss_intervals *losses,
                            const struct weir__loss_anchor *from,
                            const struct weir__loss_packet *to)
{
    double packets = fmax((double)(to->seq - from->start.seq), 1.0);
    if (losses->short_intervals && to->sent_ns - from->start.sent_ns <= 2 * from->rtt_ns) {
        packets = fmax(packets / (double)weir_max_i64(from->n_lost, 1), 1.0);
    }
    return packets;
}

static struct weir__loss_anchor anchor_of(const struct weir__loss_event *event)
{
    return (struct weir__loss_anchor){
        .start = event->packets[0], .n_lost = event->n_lost, .rtt_ns = event->rtt_ns};
}

/* Closes the interval before event, or puts the synthetic one there (RFC 5348 6.3.1). */
static void apply_event(const struct weir__loss_intervals *losses,
                        struct weir__loss_history *history, const struct weir__loss_anchor *before,
                        const struct weir__loss_event *event)
{
    push_interval(losses, history,
                  before != NULL ? closed_length(losses, before, &event->packets[0])
                                 : losses->first_packets);
}

/* The oldest recent event can no longer change. */
static void settle_oldest(struct weir__loss_intervals *losses)
{
    apply_event(losses, &losses->settled, losses->has_anchor ? &losses->anchor : NULL,
                &losses->recent[0]);
    losses->anchor = anchor_of(&losses->recent[0]);
    losses->has_anchor = true;
    losses->n_recent--;
    memmove(losses->recent, losses->recent + 1, losses->n_recent * sizeof(losses->recent[0]));
}

/* All closed intervals with the recent events applied; *from is where the open one begins. */
static struct weir__loss_history current(const struct weir__loss_intervals *losses,
                                         struct weir__loss_anchor *from)
{
    struct weir__loss_history history = losses->settled;
    bool has_anchor = losses->has_anchor;
    *from = losses->anchor;
    for (size_t i = 0; i < losses->n_recent; i++) {
        apply_event(losses, &history, has_anchor ? from : NULL, &losses->recent[i]);
        *from = anchor_of(&losses->recent[i]);
        has_anchor = true;
    }
    return history;
}

static double open_length(const struct weir__loss_intervals *losses,
                          const struct weir__loss_anchor *from)
{
    if (losses->from_reports) {
        return fmax(losses->open_packets, 1.0);
    }
    return fmax((double)(losses->highest_received - from->start.seq + 1), 1.0);
}

/* Puts a packet in its place among those of an event; a full event only counts it. */
static void add_to_event(struct weir__loss_event *event, struct weir__loss_packet packet)
{
    size_t at = event->n_packets;
    while (at > 0 && event->packets[at - 1].seq > packet.seq) {
        at--;
    }
    if (at > 0 && event->packets[at - 1].seq == packet.seq) {
        return;
    }
    event->n_lost++;
    if (event->n_packets < WEIR__LOSS_EVENT_PACKETS) {
        memmove(event->packets + at + 1, event->packets + at,
                (event->n_packets - at) * sizeof(event->packets[0]));
        event->packets[at] = packet;
        event->n_packets++;
    }
}

/* A loss that is not older than the start of the newest event (RFC 5348 5.2): in that event when it
 * left within one round-trip time, else a new one. */
static void append_loss(struct weir__loss_intervals *losses, struct replayed loss)
{
    struct weir__loss_event *newest =
        losses->n_recent > 0 ? &losses->recent[losses->n_recent - 1] : NULL;
    struct weir__loss_anchor from = newest != NULL ? anchor_of(newest) : losses->anchor;
    bool any = newest != NULL || losses->has_anchor;
    if (any && loss.packet.sent_ns <= from.start.sent_ns + from.rtt_ns) {
        if (newest != NULL) {
            add_to_event(newest, loss.packet);
        } else {
            losses->anchor.n_lost++;
        }
        return;
    }
    if (losses->n_recent == WEIR__LOSS_RECENT_EVENTS) {
        settle_oldest(losses);
    }
    struct weir__loss_event *event = &losses->recent[losses->n_recent++];
    *event = (struct weir__loss_event){
        .packets = {loss.packet}, .n_packets = 1, .n_lost = 1, .rtt_ns = loss.rtt_ns};
    losses->n_events++;
}

/* Takes the recent events apart, leaving out the packet `without`; returns the losses in order. */
static size_t take_apart(struct weir__loss_intervals *losses, int64_t without,
                         struct replayed out[MAX_REPLAY], int64_t *n_unlisted)
{
    size_t n = 0;
    *n_unlisted = 0;
    for (size_t e = 0; e < losses->n_recent; e++) {
        const struct weir__loss_event *event = &losses->recent[e];
        *n_unlisted += event->n_lost - (int64_t)event->n_packets;
        for (size_t i = 0; i < event->n_packets; i++) {
            if (event->packets[i].seq != without) {
                out[n++] = (struct replayed){event->packets[i], event->rtt_ns};
            }
        }
    }
    losses->n_events -= losses->n_recent;
    losses->n_recent = 0;
    return n;
}

/* Groups losses into events again. Losses that were counted but not listed stay with the newest. */
static void put_together(struct weir__loss_intervals *losses, const struct replayed *list, size_t n,
                         int64_t n_unlisted)
{
    for (size_t i = 0; i < n; i++) {
        append_loss(losses, list[i]);
    }
    if (losses->n_recent > 0) {
        losses->recent[losses->n_recent - 1].n_lost += n_unlisted;
    }
}

/* A loss older than the newest event: everything recent is grouped anew. */
static void insert_loss(struct weir__loss_intervals *losses, struct replayed loss)
{
    struct replayed list[MAX_REPLAY];
    int64_t n_unlisted = 0;
    size_t n = take_apart(losses, loss.packet.seq, list, &n_unlisted);
    size_t at = n;
    while (at > 0 && list[at - 1].packet.seq > loss.packet.seq) {
        list[at] = list[at - 1];
        at--;
    }
    list[at] = loss;
    put_together(losses, list, n + 1, n_unlisted);
}

/* Per-packet feedback again after receiver reports: the open interval goes on where it was. */
static void leave_reports(struct weir__loss_intervals *losses, int64_t seq, int64_t sent_ns)
{
    if (!losses->from_reports) {
        return;
    }
    losses->from_reports = false;
    losses->has_anchor = losses->settled.n > 0;
    losses->anchor = (struct weir__loss_anchor){
        .start = {.seq = seq - (int64_t)losses->open_packets, .sent_ns = sent_ns - 1}, .n_lost = 1};
    losses->highest_received = seq - 1;
}

void weir__loss_intervals_on_received(struct weir__loss_intervals *losses, int64_t seq,
                                      int64_t sent_ns)
{
    leave_reports(losses, seq, sent_ns);
    if (seq > losses->highest_received) {
        losses->highest_received = seq;
        losses->highest_sent_ns = sent_ns;
    }
}

bool weir__loss_intervals_on_lost(struct weir__loss_intervals *losses, int64_t seq, int64_t sent_ns,
                                  int64_t rtt_ns)
{
    leave_reports(losses, seq, sent_ns);
    uint64_t n_before = losses->n_events;
    struct replayed loss = {{.seq = seq, .sent_ns = sent_ns}, .rtt_ns = rtt_ns};
    if (losses->has_anchor && seq <= losses->anchor.start.seq) {
        return false;
    }
    if (losses->n_recent > 0 && seq < losses->recent[losses->n_recent - 1].packets[0].seq) {
        insert_loss(losses, loss);
    } else {
        append_loss(losses, loss);
    }
    return losses->n_events > n_before;
}

static bool is_listed(const struct weir__loss_intervals *losses, int64_t seq)
{
    for (size_t e = 0; e < losses->n_recent; e++) {
        for (size_t i = 0; i < losses->recent[e].n_packets; i++) {
            if (losses->recent[e].packets[i].seq == seq) {
                return true;
            }
        }
    }
    return false;
}

bool weir__loss_intervals_on_late(struct weir__loss_intervals *losses, int64_t seq, int64_t sent_ns)
{
    weir__loss_intervals_on_received(losses, seq, sent_ns);
    if (!is_listed(losses, seq)) {
        return false;
    }
    struct replayed list[MAX_REPLAY];
    int64_t n_unlisted = 0;
    uint64_t n_before = losses->n_events;
    size_t n = take_apart(losses, seq, list, &n_unlisted);
    put_together(losses, list, n, n_unlisted);
    return losses->n_events < n_before;
}

/* From here on intervals come from reports: what is recent is settled, the open one is carried on.
 */
static void enter_reports(struct weir__loss_intervals *losses)
{
    if (losses->from_reports) {
        return;
    }
    losses->open_packets = weir__loss_intervals_open(losses);
    while (losses->n_recent > 0) {
        settle_oldest(losses);
    }
    losses->has_anchor = false;
    losses->from_reports = true;
}

void weir__loss_intervals_on_report(struct weir__loss_intervals *losses, int64_t expected_packets,
                                    int64_t n_events)
{
    enter_reports(losses);
    if (n_events <= 0) {
        losses->open_packets += (double)expected_packets;
        return;
    }
    double each = (double)expected_packets / (double)n_events;
    int64_t n_kept = weir_min_i64(n_events, (int64_t)losses->n_intervals + 1);
    for (int64_t i = 0; i < n_kept; i++) {
        double packets =
            losses->settled.n > 0 ? losses->open_packets + each : losses->first_packets;
        push_interval(losses, &losses->settled, fmax(packets, 1.0));
        losses->open_packets = 0.0;
    }
    losses->n_events += (uint64_t)n_events;
}

/* RFC 5348 5.4: the average with and without the open interval, the larger counts. */
static double plain_p(const struct weir__loss_intervals *losses,
                      const struct weir__loss_history *history, double open_packets, bool use_open)
{
    double total_0 = open_packets;
    double total_1 = 0.0;
    double weights = 0.0;
    for (size_t i = 0; i < history->n; i++) {
        double w = weight(losses->n_intervals, i);
        weights += w;
        total_1 += w * history->packets[i];
        total_0 += i > 0 ? w * history->packets[i - 1] : 0.0;
    }
    return weights / (use_open ? fmax(total_0, total_1) : total_1);
}

/* RFC 5348 5.5: the same with old intervals discounted when the open one is long. */
static double discounted_p(const struct weir__loss_intervals *losses,
                           const struct weir__loss_history *history, double open_packets,
                           bool use_open)
{
    double discount = discount_factor(losses, history, open_packets);
    double total_0 = open_packets;
    double weights_0 = 1.0;
    double total_1 = 0.0;
    double weights_1 = 0.0;
    for (size_t i = 0; i < history->n; i++) {
        double w_1 = weight(losses->n_intervals, i) * history->discount[i];
        total_1 += w_1 * history->packets[i];
        weights_1 += w_1;
        if (i + 1 < losses->n_intervals) {
            double w_0 = weight(losses->n_intervals, i + 1) * history->discount[i] * discount;
            total_0 += w_0 * history->packets[i];
            weights_0 += w_0;
        }
    }
    double p_1 = weights_1 / total_1;
    return use_open ? fmin(weights_0 / total_0, p_1) : p_1;
}

double weir__loss_intervals_p(const struct weir__loss_intervals *losses)
{
    struct weir__loss_anchor from;
    struct weir__loss_history history = current(losses, &from);
    if (history.n == 0) {
        return 0.0;
    }
    /* TFRC-SP: an open interval of less than two round-trip times is not used. */
    bool young = losses->short_intervals && !losses->from_reports &&
                 losses->highest_sent_ns - from.start.sent_ns < 2 * from.rtt_ns;
    double open_packets = open_length(losses, &from);
    double p = losses->discount_threshold < 1.0
                   ? discounted_p(losses, &history, open_packets, !young)
                   : plain_p(losses, &history, open_packets, !young);
    return fmin(fmax(p, P_MIN), 1.0);
}

double weir__loss_intervals_open(const struct weir__loss_intervals *losses)
{
    struct weir__loss_anchor from;
    struct weir__loss_history history = current(losses, &from);
    return history.n > 0 ? open_length(losses, &from) : 0.0;
}

double weir__loss_intervals_closed(const struct weir__loss_intervals *losses, size_t i)
{
    struct weir__loss_anchor from;
    struct weir__loss_history history = current(losses, &from);
    return i >= 1 && i <= history.n ? history.packets[i - 1] : 0.0;
}
