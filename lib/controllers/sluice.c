/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sluice: a short queue alone, a TCP's share beside TCP, blind to random loss.
 * Specification: none; docs/controllers/sluice.md explains it and why each constant is what it is.
 * Needs: when packets arrived. From receiver reports alone the queue is that of both ways together.
 *
 * One regime at a time, each a function below:
 *   grow     the queue is empty: more, slowly first, then faster
 *   steer    the queue is busy: what the link delivers to us is our capacity; send that, and put
 *            the queue at its target
 *   drain    the queue has not been seen empty for long: empty it once
 *   sound    the path has become shorter: empty the queue to see by how much
 *   compete  others keep the queue long and have pushed us aside: behave as a TCP (competing.h)
 *   heed     an L4S queue marks: answer the share of marks as Prague does
 * Losses count while there is a queue above the target, or when competing; those that no queue
 * explains only when they turn out to be a policer's (loss_floor.h), or are more than a tenth
 * (heavy_loss.h). A classic mark always counts.
 */
#include <math.h>

#include "control/controller.h"
#include "estimators/capacity_probe.h"
#include "estimators/company.h"
#include "estimators/competing.h"
#include "estimators/heavy_loss.h"
#include "estimators/known_capacity.h"
#include "estimators/loss_floor.h"
#include "estimators/loss_rate.h"
#include "estimators/mark_share.h"
#include "estimators/pushed_aside.h"
#include "estimators/queue_signal.h"

/* The queue is put at its target within a rate window and a feedback interval: sooner no answer is
 * seen. With rare feedback not later than this. */
#define MOST_HORIZON_S   0.5
#define LEAST_INTERVAL_S 0.02
#define LEAST_STEP       -0.5
#define MOST_STEP        0.1
/* The pacer follows at once. An encoder is down in 0.1 s and back up in half a second: what it is
 * told to make empties the queue in that time, and does not fall as low. */
#define SOURCE_HORIZON_S 0.5
/* The rate window, in which an answer to what we send is not yet seen, beside the round trip. */
#define WINDOW_S 0.1
/* Growth per unit of time. */
#define UNIT_S           0.2
#define LEAST_GROWTH_BPS 80e3
#define LEAST_GROWTH     0.10
#define MOST_GROWTH      0.30
#define UNPROVED         1.6 /* times what is sent or delivered: an encoder lags half a second */
#define USED_SHARE       0.6 /* of the rate, or there is nothing to grow for */
#define LIMITED_SHARE    0.7 /* of the rate: the source is the limit */
#define LOSS_WINDOW_S    1.0 /* of the share of losses: what it counts met no queue */
#define LOSS_TENTH_S     (LOSS_WINDOW_S / WEIR__LOSS_RATE_BINS)
#define LOSSY            0.01
#define MOST_SHARE       0.95
/* Thrice while the least delay is remembered, and over in five times the queue's length. Half or
 * double the time, and 0.7 or 0.9, make no difference. */
#define DRAIN_AFTER_S 10.0
#define DRAIN_SHARE   0.8
#define EMPTY_S       0.003
/* 0.7 uses 2 % less at 1 % of random loss; 0.95 loses a third more in two packets of buffer. */
#define LOSS_DECREASE      0.85
#define LEAST_FLIGHT_BYTES 6000.0 /* a few packets, at any rate */
/* A delay that stands while we yield is the path's, not a competitor's, unless it dropped. */
#define STANDS_S 0.75
/* Whom we competed with is still there, on less evidence than a stranger: while we are small, two
 * standard errors take 3 s to find. 5 s makes no difference. */
#define ACQUAINTED_S 10.0
/* What waits for so long beyond the target is no queue that the marks of a Prague leave, but one
 * that DualPI2 soon answers by drops (RFC 9332 A.1: the target of its PI controller). */
#define OVERRUN_S 0.015
/* An L4S queue that has not marked for so long, and so many loops, has room. */
#define MARKED_S      1.0
#define MARKED_LOOPS  5.0
#define VIRTUAL_RTT_S 0.025 /* who is nearer grows no faster (RFC 9331 4.3) */
/* By what a TCP's window grows per round trip. A mark counts the same for a small packet, and at
 * low rates ours are small: a step of theirs would give us less still (RFC 4828, 7141). */
#define FULL_PACKET_BYTES 1500.0
#define STALE             2.0 /* times the newest round trip: no noise makes a mean so much longer */
#define LEAST_RATE        1000.0
#define MAX_RATE          1e11

enum sluice_mode { MODE_ALONE, MODE_COMPETING };

struct sluice {
    double least; /* limits, bit/s */
    double most;
    double rate;
    double source; /* may make this, if it is more; 0 = the rate */
    double growth; /* per UNIT_S */
    enum sluice_mode mode;
    bool has_started; /* feedback came */
    bool no_feedback;
    bool app_limited;
    int64_t heard_ns; /* the feedback before */
    struct weir__queue_signal signal;
    struct weir__company company;
    struct weir__competing competing;
    int64_t competed_ns; /* when we last competed */
    struct weir__loss_rate losses;
    struct weir__mark_share marks;
    bool is_l4s;       /* marks are those of an L4S queue */
    int64_t marked_ns; /* when an L4S mark was last told of ... */
    int64_t heeded_ns; /* ... and last answered */
    bool overran;      /* by the feedback before, marks were of a queue that begins */
    struct weir__loss_floor floor;
    struct weir__heavy_loss heavy;
    struct weir__known_capacity known;
    struct weir__capacity_probe probe;
    struct weir__pushed_aside pushed;
    int64_t long_ns;     /* when the queue was last too long */
    int64_t empty_ns;    /* when the queue was last seen empty */
    double drain_left_s; /* > 0: it is being emptied */
    double sound_left_s; /* > 0: it is being emptied to see how long the path is without it */
    int64_t base_ns;     /* delay of the path without a queue, at the feedback before */
    double target_s;
    double loop_s; /* 0 = not known yet */
    uint32_t n_reroutes;
    double flight_s; /* of the rate that may be in flight; 0 = not known yet */
    int64_t n_competitions;
    int64_t n_loss_events;
};
WEIR_DEFINE_STATE(struct sluice);

/* What one feedback tells, in s and bit/s. */
struct view {
    int64_t now_ns;
    double dt_s;
    double least_rtt_s;
    double horizon_s;
    double loop_s; /* until an answer to what we send is seen */
    double told_s; /* by a feedback, but at least a tenth of a second */
    double queue_s;
    double least_wait_s; /* of what this feedback tells of */
    double standing_s;   /* for how long it has not moved */
    double packets;      /* that this feedback tells of ... */
    double lost;         /* ... and those of them that did not arrive */
    double sent;
    double delivered;
    double rtt_s;
    bool loss_event; /* or of classic marks: */
    bool mark_event;
    double l4s_share; /* of the packets that this feedback tells of */
};

static double seconds(int64_t ns)
{
    return (double)ns * 1e-9;
}

static void set_rate(struct sluice *s, double rate)
{
    s->rate = fmin(fmax(rate, s->least), s->most);
    s->source = 0.0;
}

static bool is_long(const struct sluice *s, const struct view *view)
{
    return view->queue_s > s->target_s;
}

/* Random loss meets a short queue; a full one drops. Classic marks are losses (RFC 3168), those of
 * L4S are shares. */
static void take_losses(struct sluice *s, const struct weir_path *path,
                        const struct weir_feedback *feedback, struct view *view)
{
    int64_t rtt_ns = weir_path_srtt_ns(path);
    int64_t lost = 0;
    int64_t packets = 0;
    int64_t l4s_marks = 0;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        bool is_lost = packet->status == WEIR_PACKET_LOST;
        packets += packet->status != WEIR_PACKET_LATE;
        lost += is_lost;
        lost -= packet->status == WEIR_PACKET_LATE;
        bool marked = !is_lost && packet->ecn == WEIR_ECN_CE;
        if (!is_lost) {
            weir__mark_share_on_packet(&s->marks, marked);
        }
        l4s_marks += marked && s->is_l4s;
        if (is_lost || (marked && !s->is_l4s)) {
            bool event = weir__loss_rate_on_lost(&s->losses, packet->sent_ns, rtt_ns);
            view->loss_event |= event;
            view->mark_event |= event && marked;
        }
    }
    weir__loss_rate_add(&s->losses, feedback->now_ns, packets, lost);
    view->packets = (double)packets;
    view->lost = (double)lost;
    weir__mark_share_step(&s->marks, feedback->now_ns, rtt_ns);
    view->l4s_share = (double)l4s_marks / (double)feedback->n_packets;
    s->marked_ns = l4s_marks > 0 ? feedback->now_ns : s->marked_ns;
    s->n_loss_events += view->loss_event;
    if (view->loss_event) {
        weir__company_on_loss(&s->company);
    }
}

/* What a report tells has left the path long ago, and before the first packet is reported received
 * nothing has: there is nothing to predict from. */
static void update_signal(struct sluice *s, const struct weir_path *path, const struct view *view)
{
    bool predicts = !path->reports_only && path->newest_sent_ns != WEIR_UNKNOWN_NS;
    struct weir__queue_view queue = {
        .queue_s = view->queue_s,
        .least_queue_s = seconds(path->least_queue_ns),
        .delivered_bps = view->delivered,
        .in_flight_bytes = predicts ? (double)path->in_flight_bytes : 0.0,
        .since_sent_s = predicts ? seconds(view->now_ns - path->newest_sent_ns) : 0.0,
        .packet_bytes = path->packet_bytes,
        .dt_s = view->dt_s,
    };
    weir__queue_signal_update(&s->signal, &queue);
    if (s->signal.busy) {
        weir__known_capacity_on_busy(&s->known, view->now_ns, s->signal.capacity_bps);
        weir__capacity_probe_on_busy(&s->probe, s->signal.capacity_bps);
    }
    if (view->queue_s <= EMPTY_S || !s->signal.busy) {
        s->empty_ns = view->now_ns;
    }
    if (view->delivered > 0.0) {
        weir__known_capacity_on_use(&s->known, s->rate, view->sent, view->dt_s);
        weir__company_sample(&s->company, s->signal.busy, view->sent, view->delivered, view->dt_s);
    }
}

/* Careful, and asks whether it is still all there is. */
static double grow_near_capacity(struct sluice *s, const struct view *view, double wanted)
{
    bool policed = weir__known_capacity_is_policed(&s->known, view->now_ns);
    if (s->mode == MODE_ALONE && !policed) {
        weir__capacity_probe_ask(&s->probe, view->now_ns, s->known.bps);
    }
    struct weir__known_view known = {.now_ns = view->now_ns,
                                     .sent_bps = view->sent,
                                     .target_s = s->target_s,
                                     .loop_s = view->loop_s,
                                     .dt_s = view->dt_s};
    return weir__known_capacity_limit(&s->known, &known, wanted);
}

/* The queue has been empty for long, or nothing is known of the path. */
static bool is_rising(const struct sluice *s)
{
    return s->mode == MODE_ALONE && s->growth >= MOST_GROWTH;
}

static void grow(struct sluice *s, const struct view *view)
{
    double unit_s = fmax(UNIT_S, 0.7 * view->loop_s);
    double least = fmin(LEAST_GROWTH_BPS / s->rate, LEAST_GROWTH);
    bool near = weir__known_capacity_is_near(&s->known, view->now_ns, s->rate);
    s->growth = near ? least : fmax(s->growth, least);
    double proved = fmax(UNPROVED * fmax(view->sent, view->delivered),
                         weir__capacity_probe_proved_bps(&s->probe, view->now_ns));
    double wanted = fmin(s->rate * (1.0 + s->growth * view->dt_s / unit_s), proved);
    if (near) {
        wanted = grow_near_capacity(s, view, wanted);
    } else if (is_rising(s)) {
        weir__capacity_probe_ask_ahead(&s->probe, s->rate);
    }
    set_rate(s, fmax(s->rate, wanted));
    s->growth = fmin(s->growth * (1.0 + view->dt_s / unit_s), MOST_GROWTH);
}

/* The rate that puts the queue at its target within a time. */
static double rate_to_target(const struct sluice *s, double horizon_s, double most_step)
{
    double step = (s->target_s - s->signal.predicted_s) / horizon_s;
    return s->signal.capacity_bps * (1.0 + fmin(fmax(step, LEAST_STEP), most_step));
}

/* A queue of L4S has marked lately. */
static bool is_marked(const struct sluice *s, const struct view *view)
{
    double lately_s = fmax(MARKED_S, MARKED_LOOPS * view->loop_s);
    return s->is_l4s && seconds(view->now_ns - s->marked_ns) < lately_s;
}

/* Lower at once when the queue will be too long; higher within a loop time. */
static void steer_rate(struct sluice *s, const struct view *view)
{
    double most_step = is_marked(s, view) ? 0.0 : MOST_STEP;
    double wanted = rate_to_target(s, view->horizon_s, most_step);
    if (view->sent < LIMITED_SHARE * s->rate && view->queue_s < 2.0 * s->target_s) {
        return;
    }
    if (wanted > s->rate) {
        set_rate(s, s->rate + (wanted - s->rate) * fmin(view->dt_s / view->loop_s, 1.0));
    } else if (s->signal.predicted_s > s->target_s) {
        set_rate(s, wanted);
    }
}

static void steer(struct sluice *s, const struct view *view)
{
    steer_rate(s, view);
    s->source = rate_to_target(s, SOURCE_HORIZON_S, 0.0);
    s->growth = 0.0;
}

/* Alone, what a busy queue delivered is the capacity: near it growth is as careful as where nothing
 * marks, and there is none while the queue is too long. In company that is but our share. */
static double grow_unmarked(struct sluice *s, const struct view *view, double wanted)
{
    if (!weir__company_is_likely(&s->company) &&
        (is_long(s, view) || weir__known_capacity_is_near(&s->known, view->now_ns, s->rate))) {
        return is_long(s, view) ? s->rate : fmax(s->rate, grow_near_capacity(s, view, wanted));
    }
    return wanted;
}

/* As a Prague: one full packet more per round trip, alpha/2 less if something is marked (RFC
 * 8257 3.3 and 3.4). When a queue begins that alpha does not know of, the share of this feedback
 * counts. */
static void heed(struct sluice *s, const struct view *view)
{
    double round_s = fmax(view->rtt_s, VIRTUAL_RTT_S);
    double since_s = seconds(view->now_ns - s->heeded_ns);
    bool overrun = view->least_wait_s > s->target_s + OVERRUN_S && view->l4s_share > s->marks.alpha;
    double share = overrun ? view->l4s_share : s->marks.alpha;
    double rate = s->rate;
    if (view->sent > USED_SHARE * rate) {
        double proved = fmax(rate, UNPROVED * fmax(view->sent, view->delivered));
        double step = 8.0 * FULL_PACKET_BYTES / (round_s * round_s) * view->dt_s;
        rate = grow_unmarked(s, view, fmin(rate + (1.0 - share) * step, proved));
    }
    if (view->l4s_share > 0.0 && (since_s >= round_s || (overrun && !s->overran))) {
        double rounds = since_s < 2.0 * round_s ? fmax(since_s / round_s, 1.0) : 1.0;
        rate *= 1.0 - fmin(rounds * share, 1.0) / 2.0;
        s->heeded_ns = view->now_ns;
    }
    s->overran = overrun;
    set_rate(s, rate);
    s->growth = 0.0;
}

static bool should_drain(const struct sluice *s, const struct view *view)
{
    return s->signal.busy && seconds(view->now_ns - s->empty_ns) > DRAIN_AFTER_S;
}

static void drain(struct sluice *s, const struct view *view)
{
    if (s->drain_left_s <= 0.0) {
        s->drain_left_s = view->queue_s / (1.0 - DRAIN_SHARE) + view->loop_s;
    }
    s->drain_left_s -= view->dt_s;
    set_rate(s, DRAIN_SHARE * s->signal.capacity_bps);
    if (view->queue_s <= EMPTY_S || s->drain_left_s <= 0.0) {
        s->drain_left_s = 0.0;
        s->empty_ns = view->now_ns;
        set_rate(s, s->signal.capacity_bps);
    }
}

/* A path that has become shorter tells so with the delay of a full queue: what seems empty may not
 * be. So less is sent, until the least delay has not fallen for a loop. */
static void sound_path(struct sluice *s, const struct weir_path *path, const struct view *view)
{
    double enough_s = s->sound_left_s > 0.0 ? EMPTY_S : s->target_s;
    bool knows = s->base_ns != WEIR_UNKNOWN_NS && path->base_delay_ns != WEIR_UNKNOWN_NS;
    if (knows && seconds(s->base_ns - path->base_delay_ns) > enough_s &&
        s->signal.capacity_bps > 0.0) {
        s->sound_left_s = view->loop_s;
    }
    s->base_ns = path->base_delay_ns;
}

static void sound(struct sluice *s, const struct view *view)
{
    s->sound_left_s -= view->dt_s;
    s->empty_ns = view->now_ns;
    if (s->rate >= DRAIN_SHARE * s->signal.capacity_bps) {
        set_rate(s, (s->sound_left_s > 0.0 ? DRAIN_SHARE : 1.0) * s->signal.capacity_bps);
    }
}

/* Where the path loses packets by itself, a few more say nothing. */
static bool are_losses_ours(const struct sluice *s, const struct view *view)
{
    struct weir__loss_share lost = weir__loss_rate_get(&s->losses, view->now_ns);
    return s->floor.floor < LOSSY ||
           weir__loss_floor_exceeds(&s->floor, lost.share, (double)lost.packets);
}

static void keep_queue_small(struct sluice *s, const struct view *view)
{
    if (s->sound_left_s > 0.0) {
        sound(s, view);
    } else if (s->drain_left_s > 0.0 || should_drain(s, view)) {
        drain(s, view);
    } else if (view->mark_event ||
               (view->loss_event && is_long(s, view) && are_losses_ours(s, view))) {
        set_rate(s, LOSS_DECREASE * s->rate);
        s->growth = 0.0;
    } else if (s->signal.busy) {
        steer(s, view);
    } else if (is_marked(s, view)) {
        heed(s, view);
    } else if (!s->floor.on_trial && view->sent > USED_SHARE * s->rate) {
        grow(s, view);
    }
}

static void begin_competing(struct sluice *s, const struct view *view)
{
    weir__competing_begin(&s->competing, s->rate, s->pushed.former_bps / 2.0,
                          view->least_rtt_s + view->queue_s);
    s->mode = MODE_COMPETING;
    s->drain_left_s = 0.0;
    s->sound_left_s = 0.0;
    s->floor.on_trial = false; /* what passed before says nothing of the path with others */
    s->n_competitions++;
}

/* The queue stays long, there are others, and they have pushed us aside. */
static void watch(struct sluice *s, const struct view *view)
{
    bool dropped = view->loss_event && is_long(s, view);
    const struct weir__pushed_aside_view pushed = {
        .rate_bps = s->rate,
        .link_bps = fmin(weir__company_link_bps(&s->company), s->most),
        .queue_s = view->queue_s,
        .dropped = dropped,
        .dt_s = view->dt_s,
    };
    weir__pushed_aside_step(&s->pushed, &pushed);
    bool company = seconds(view->now_ns - s->competed_ns) < ACQUAINTED_S
                       ? weir__company_is_likely(&s->company)
                       : weir__company_is_there(&s->company);
    bool is_l4s = is_marked(s, view); /* nobody pushes us aside there */
    bool moves = view->standing_s < STANDS_S || weir__pushed_aside_has_dropped(&s->pushed);
    if (s->mode == MODE_ALONE && !is_l4s && moves && company && weir__pushed_aside_is(&s->pushed)) {
        begin_competing(s, view);
    }
}

/* Competing is over. All took part in our test, but a TCP that halved its window at that moment did
 * not; or nobody gets anything of it. So what we had before is remembered, and whoever then pushes
 * us aside is answered soon. */
static void be_alone(struct sluice *s, const struct view *view)
{
    s->mode = MODE_ALONE;
    s->empty_ns = view->now_ns;
    weir__pushed_aside_end(&s->pushed, s->rate);
}

static void compete(struct sluice *s, const struct view *view)
{
    struct weir__competing_view competing = {
        .dt_s = view->dt_s,
        .rtt_s = view->least_rtt_s + view->queue_s,
        .loop_s = view->loop_s,
        .queue_s = view->queue_s,
        .delivered_bps = view->delivered,
        .enough_bps = s->pushed.former_bps / 2.0,
        .busy = s->signal.busy,
        .loss_event = view->loss_event,
    };
    double before = s->rate;
    double rate = s->rate;
    s->competed_ns = view->now_ns;
    if (weir__company_is_gone(&s->company) || is_marked(s, view)) {
        s->mode = MODE_ALONE; /* that may be wrong: what we had before is not forgotten */
        s->empty_ns = view->now_ns;
    } else if (!is_long(s, view) && !view->mark_event && s->competing.test_left_s <= 0.0) {
        keep_queue_small(s, view);
        set_rate(s, fmax(s->rate, before));
        s->competing.window_bytes = s->rate * competing.rtt_s / 8.0;
    } else if (weir__competing_step(&s->competing, &competing, &rate)) {
        set_rate(s, rate);
    } else {
        be_alone(s, view);
    }
}

static bool has_queued_lately(const struct sluice *s, const struct view *view)
{
    return seconds(view->now_ns - s->long_ns) < LOSS_WINDOW_S;
}

/* Losses that no queue explains. Those that come whatever we send are let be; those of a policer,
 * or of a buffer too short to show a queue, tell the capacity. */
static void limit_losses(struct sluice *s, const struct view *view)
{
    s->long_ns = is_long(s, view) ? view->now_ns : s->long_ns;
    if (s->mode != MODE_ALONE || has_queued_lately(s, view)) {
        return;
    }
    struct weir__loss_share lost = weir__loss_rate_get(&s->losses, view->now_ns);
    double share = fmin(lost.share, MOST_SHARE);
    struct weir__loss_view losses = {.share = share,
                                     .packets = (double)lost.packets,
                                     .lossy_s = (double)lost.tenths * view->told_s,
                                     .sent_bps = view->sent / (1.0 - share),
                                     .loop_s = view->loop_s,
                                     .dt_s = view->dt_s};
    double rate = s->rate;
    enum weir__loss_verdict verdict = weir__loss_floor_step(&s->floor, &losses, &rate);
    if (verdict == WEIR__LOSS_NOTHING) {
        return;
    }
    set_rate(s, rate);
    s->growth = 0.0;
    if (verdict == WEIR__LOSS_OURS) {
        weir__known_capacity_on_policed(&s->known, view->now_ns, s->rate);
    }
}

/* More than a tenth is lost, whoever's losses those are. A TCP would be in timeouts, so nobody is
 * to be competed with; what got through is taken for the capacity: the link's, or, where the queue
 * has not been long lately, a policer's. */
static void give_way_to_heavy_losses(struct sluice *s, const struct view *view)
{
    if (!weir__heavy_loss_step(&s->heavy, view->packets, view->lost, view->dt_s, view->loop_s)) {
        return;
    }
    set_rate(s, fmin(s->rate, LOSS_DECREASE * view->delivered));
    s->growth = 0.0;
    if (has_queued_lately(s, view)) {
        weir__known_capacity_on_busy(&s->known, view->now_ns, view->delivered);
    } else {
        weir__known_capacity_on_policed(&s->known, view->now_ns, view->delivered);
    }
    if (s->mode == MODE_COMPETING) {
        be_alone(s, view);
    }
}

/* Until an answer can be seen. While a long queue empties, the smoothed round trip is that of
 * seconds ago. */
static double round_trip_s(const struct weir_path *path)
{
    double rtt_s = seconds(weir_path_srtt_ns(path));
    double newest_s = seconds(weir__rtt_latest_ns(&path->rtt));
    return path->rtt.has_sample ? fmin(rtt_s, STALE * newest_s) : rtt_s;
}

static struct view look(struct sluice *s, const struct weir_path *path,
                        const struct weir_feedback *feedback)
{
    double rtt_s = seconds(weir_path_srtt_ns(path));
    double interval_s =
        path->feedback_interval_ns == WEIR_UNKNOWN_NS ? 0.0 : seconds(path->feedback_interval_ns);
    double window_s = fmax(WINDOW_S, seconds(path->rate_span_ns));
    double loop_s = round_trip_s(path) + fmax(window_s, interval_s);
    int64_t since_ns = s->has_started ? feedback->now_ns - s->heard_ns : 0;
    struct view view = {
        .now_ns = feedback->now_ns,
        .dt_s = fmin(seconds(since_ns), loop_s),
        .least_rtt_s = path->rtt.has_sample ? seconds(weir__rtt_min_ns(&path->rtt)) : rtt_s,
        .loop_s = loop_s,
        .told_s = fmax(interval_s, LOSS_TENTH_S),
        .horizon_s = fmin(window_s + fmax(interval_s, LEAST_INTERVAL_S), MOST_HORIZON_S),
        .queue_s = path->queue_ns == WEIR_UNKNOWN_NS ? 0.0 : seconds(path->queue_ns),
        .least_wait_s = seconds(path->least_wait_ns),
        .standing_s = seconds(path->standing_ns),
        .sent = path->sent_bps,
        .delivered = path->delivered_bps,
        .rtt_s = rtt_s,
    };
    s->is_l4s = path->marks_are_l4s;
    take_losses(s, path, feedback, &view);
    return view;
}

/* When the link stops, so does feedback: nobody then fills its queue with more than what is in
 * flight in a loop, however rare feedback has been. */
static void limit_flight(struct sluice *s, const struct weir_path *path)
{
    bool knows = path->rtt.has_sample && !path->reports_only;
    s->flight_s = knows ? seconds(weir__rtt_srtt_ns(&path->rtt)) + WINDOW_S +
                              2.0 * seconds(path->feedback_pause_ns)
                        : 0.0;
}

/* A delay that stood still while the rate fell was a longer path: the highest rate that it stood
 * is what that path carried. */
static void take_reroute(struct sluice *s, const struct weir_path *path)
{
    if (path->n_reroutes != s->n_reroutes) {
        s->n_reroutes = path->n_reroutes;
        set_rate(s, fmax(s->rate, path->rerouted_bps));
        s->growth = MOST_GROWTH;
        weir__pushed_aside_begin(&s->pushed, s->rate);
    }
}

static void sluice_on_feedback(void *state, const struct weir_path *path,
                               const struct weir_feedback *feedback)
{
    struct sluice *s = state;
    struct view view = look(s, path, feedback);
    if (!s->has_started) {
        s->empty_ns = view.now_ns;
    }
    s->heard_ns = view.now_ns;
    s->no_feedback = false;
    s->target_s =
        is_marked(s, &view) ? weir__queue_l4s_target_s(s->rate) : weir__queue_target_s(s->rate);
    s->loop_s = view.loop_s;
    s->source = 0.0;
    limit_flight(s, path);
    if (view.delivered > 0.0) {
        s->app_limited = path->app_limited && view.sent < USED_SHARE * s->rate;
        take_reroute(s, path);
        update_signal(s, path, &view);
        sound_path(s, path, &view);
        if (s->mode == MODE_COMPETING) {
            compete(s, &view);
        } else {
            keep_queue_small(s, &view);
        }
        watch(s, &view);
        limit_losses(s, &view);
        give_way_to_heavy_losses(s, &view);
    }
    s->has_started = true;
}

static void sluice_on_probe(void *state, const struct weir_path *path,
                            const struct weir_probe_result *result)
{
    (void)path;
    struct sluice *s = state;
    struct weir__capacity_answer answer = {
        .now_ns = result->now_ns,
        .lost = result->received_bytes < result->sent_bytes,
        .sent_bytes = (double)result->sent_bytes,
        .sent_bps = (double)result->sent_bps,
        .bps = (double)weir_min_i64(result->sent_bps, result->delivered_bps)};
    if (s->probe.is_ahead) {
        double proved = weir__capacity_probe_take_ahead(&s->probe, &answer);
        if (is_rising(s) && proved > s->rate) {
            set_rate(s, proved);
        }
        if (answer.lost) {
            s->growth = 0.0; /* a short buffer; or chance, and it rises again */
        }
    } else if (weir__capacity_probe_take(&s->probe, &answer, s->known.bps)) {
        weir__known_capacity_on_disproved(&s->known);
        s->growth = MOST_GROWTH;
    }
}

static void sluice_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    (void)now_ns;
    struct sluice *s = state;
    set_rate(s, s->rate / 2.0);
    s->growth = 0.0;
    s->no_feedback = true;
}

static void forget_path(struct sluice *s, int64_t now_ns)
{
    s->has_started = false;
    s->no_feedback = false;
    s->app_limited = false;
    s->mode = MODE_ALONE;
    s->source = 0.0;
    s->growth = MOST_GROWTH;
    s->signal = (struct weir__queue_signal){0};
    s->company = (struct weir__company){0};
    s->losses = (struct weir__loss_rate){0};
    s->marks = (struct weir__mark_share){0};
    s->is_l4s = false;
    s->heeded_ns = INT64_MIN / 4;
    s->marked_ns = INT64_MIN / 4;
    s->floor = (struct weir__loss_floor){0};
    s->heavy = (struct weir__heavy_loss){0};
    s->long_ns = INT64_MIN / 4;
    s->competed_ns = INT64_MIN / 4;
    weir__known_capacity_forget(&s->known);
    weir__capacity_probe_forget(&s->probe);
    weir__pushed_aside_begin(&s->pushed, s->rate);
    s->empty_ns = now_ns;
    s->drain_left_s = 0.0;
    s->sound_left_s = 0.0;
    s->base_ns = WEIR_UNKNOWN_NS;
    s->flight_s = 0.0;
    s->loop_s = 0.0;
    s->heard_ns = now_ns;
}

static void take_limits(struct sluice *s, const struct weir_limits *limits)
{
    s->least = fmax(fmin((double)limits->min_bps, MAX_RATE), LEAST_RATE);
    s->most = fmax(fmin((double)limits->max_bps, MAX_RATE), s->least);
}

static void sluice_init(void *state, const struct weir_config *config)
{
    struct sluice *s = state;
    *s = (struct sluice){0};
    take_limits(s, &config->limits);
    set_rate(s, (double)config->limits.start_bps);
    s->target_s = weir__queue_target_s(s->rate);
    forget_path(s, config->now_ns);
}

static void sluice_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct sluice *s = state;
    take_limits(s, limits);
    if (!s->has_started) {
        set_rate(s, (double)limits->start_bps);
        weir__pushed_aside_begin(&s->pushed, s->rate);
    }
    set_rate(s, s->rate);
    s->pushed.former_bps = fmin(s->pushed.former_bps, s->most); /* a limit is no push */
}

static void sluice_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    (void)path;
    forget_path(state, now_ns);
}

static int64_t sluice_next_timer_ns(const void *state)
{
    (void)state;
    return WEIR_NEVER_NS;
}

static int64_t window_bytes(const struct sluice *s)
{
    double bytes = s->rate * s->flight_s / 8.0;
    return s->flight_s > 0.0 ? (int64_t)fmax(bytes, LEAST_FLIGHT_BYTES) : WEIR_UNLIMITED_BYTES;
}

/* Above the rate, so that a frame does not wait for the next one, but by no more than makes a queue
 * as long as the target until an answer is seen. */
static double pacing_bps(const struct sluice *s)
{
    double room_s = fmax(s->target_s - s->signal.predicted_s, 0.0);
    bool may_exceed =
        s->loop_s > 0.0 && !s->is_l4s && s->drain_left_s <= 0.0 && s->sound_left_s <= 0.0;
    return may_exceed ? s->rate * (1.0 + room_s / s->loop_s) : s->rate;
}

static void sluice_get_output(const void *state, struct weir_control *control)
{
    const struct sluice *s = state;
    *control = (struct weir_control){
        .rate_bps = (int64_t)s->rate,
        .source_bps = (int64_t)fmin(fmax(s->rate, s->source), s->most),
        .pacing_bps = (int64_t)pacing_bps(s),
        .window_bytes = window_bytes(s),
        .queue_target_ns = (int64_t)(s->target_s * 1e9),
        .probe_bytes = weir__capacity_probe_bytes(&s->probe),
        .probe_bps = (int64_t)s->probe.bps,
        .state = (s->has_started ? 0u : (unsigned)WEIR_STATE_STARTING) |
                 (s->app_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u) |
                 (s->no_feedback ? (unsigned)WEIR_STATE_NO_FEEDBACK : 0u),
    };
}

static void sluice_get_variables(const void *state, struct weir_variables *to)
{
    const struct sluice *s = state;
    weir_tell(to, "rate_bps", s->rate);
    weir_tell(to, "capacity_bps", s->signal.capacity_bps);
    weir_tell(to, "busy", s->signal.busy ? 1.0 : 0.0);
    weir_tell(to, "predicted_queue_ns", s->signal.predicted_s * 1e9);
    weir_tell(to, "target_queue_ns", s->target_s * 1e9);
    weir_tell(to, "company", weir__company_get(&s->company));
    weir_tell(to, "competing", s->mode == MODE_COMPETING ? 1.0 : 0.0);
    weir_tell(to, "competitions", (double)s->n_competitions);
    weir_tell(to, "high_ns", s->pushed.high_s * 1e9);
    weir_tell(to, "former_rate_bps", s->pushed.former_bps);
    weir_tell(to, "growth", s->growth);
    weir_tell(to, "l4s", s->is_l4s ? 1.0 : 0.0);
    weir_tell(to, "loss_events", (double)s->n_loss_events);
    weir_tell(to, "loss_floor", s->floor.floor);
    weir_tell(to, "loss_trial", s->floor.on_trial ? 1.0 : 0.0);
    weir_tell(to, "probe_rate_bps", s->probe.bps);
    weir_tell(to, "probe_interval_ns", s->probe.apart_s * 1e9);
}

const struct weir_controller weir_sluice = {
    .name = "sluice",
    .description = "A short queue alone, a TCP's share beside TCP, no reaction to random loss.",
    .spec = "docs/controllers/sluice.md",
    .for_live_media = true,
    .needs = WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS | WEIR_HAS_REPORT_FORM | WEIR_ANSWERS_L4S,
    .state_bytes = sizeof(struct sluice),
    .init = sluice_init,
    .on_feedback = sluice_on_feedback,
    .on_probe = sluice_on_probe,
    .on_silence = sluice_on_silence,
    .on_path_change = sluice_on_path_change,
    .set_limits = sluice_set_limits,
    .next_timer_ns = sluice_next_timer_ns,
    .get_output = sluice_get_output,
    .get_variables = sluice_get_variables,
};
