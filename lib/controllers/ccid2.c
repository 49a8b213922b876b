/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CCID 2: TCP-like congestion control of an unreliable flow, in whole packets; with or without
 * validation of a window that is not used.
 * Specification: RFC 4341 5, 5.1, 6 (CCID 2); RFC 2861 (validation cwv); RFC 7661 (newcwv).
 * Needs: which packets arrived. From receiver reports it degrades to AIMD(1, 1/2).
 * Differs from the specification: as the window engine does (window.c), and
 *   - RFC 4341 5: there is no ack ratio with per-packet feedback: slow start opens the window by
 *     one for every ack-ratio packets acknowledged, as the default ratio would have it.
 *   - RFC 2861: an idle window decays to cwv-floor, one packet as in ns-2 and the algorithm printed
 *     in the RFC; a window counts as full while the session is held back by the network, because a
 *     paced flow fills it on the mean only.
 *   - RFC 7661: R, what was retransmitted, is what was lost: nothing is sent again. pipeACK is the
 *     best of the last three thirds of its period and the running one. */
#include <math.h>

#include "controllers/window.h"

#define NVP_NS           WEIR_SECONDS(300) /* RFC 7661 4.4.3: a window stays unvalidated for */
#define PIPEACK_ROUNDS   3                 /* 4.2: its period, in RTTs ... */
#define PIPEACK_LEAST_NS WEIR_SECONDS(1)   /* ... but at least */

enum { PIPEACK_BUCKETS = 4, PIPEACK_PARTS = 3 };

/* RFC 7661 4.2: the most that was acknowledged per RTT lately. */
struct pipeack {
    bool defined;
    double most[PIPEACK_BUCKETS]; /* newest first */
    int64_t bucket_ns;            /* when the newest began */
    int64_t n_buckets;
    double acked; /* in this round */
    int64_t round_ns;
    bool running;
};

struct ccid2 {
    struct window window;
    int validation;
    double floor_packets;
    double acked; /* towards the next packet of window */
    /* RFC 2861 */
    int64_t filled_ns; /* T_prev */
    double used;       /* W_used */
    /* RFC 7661 */
    struct pipeack pipeack;
    int64_t unvalidated_ns; /* since when the window is; WEIR_NEVER_NS: it is validated */
    double loss_flight;     /* at the loss that is being recovered from; 0 = none */
    double lost;            /* of it */
};
WEIR_DEFINE_STATE(struct ccid2);

enum { VALIDATION_NONE, VALIDATION_CWV, VALIDATION_NEWCWV };
enum { PARAM_VALIDATION = WINDOW_N_PARAMS, PARAM_ACK_RATIO, PARAM_CWV_FLOOR, N_PARAMS };

static const struct weir_param ccid2_params[N_PARAMS] = {
    WINDOW_PARAMS,
    [PARAM_VALIDATION] = WEIR_ROW_CHOICE("validation", VALIDATION_NEWCWV,
                                         "Treatment of an unused window: restart after idle times "
                                         "(RFC 5681), RFC 2861, or RFC 7661.",
                                         "none", "cwv", "newcwv"),
    [PARAM_ACK_RATIO] =
        WEIR_ROW_INTEGER("ack-ratio", "packets", 1.0, 16.0, 2.0,
                         "Acknowledged packets per packet of slow start (RFC 4341 5)."),
    [PARAM_CWV_FLOOR] = WEIR_ROW_INTEGER("cwv-floor", "packets", 1.0, 100.0, 1.0,
                                         "Minimum window after idle times with validation = cwv."),
};

/* RFC 4341 5: one packet per window of packets. Reports tell no single packets. */
static double ccid2_increase(void *scheme, const struct window *window, double acked_packets)
{
    struct ccid2 *c = scheme;
    if (window->path.reports_only) {
        return window->cwnd + acked_packets / window->cwnd;
    }
    c->acked += acked_packets;
    if (c->acked < floor(window->cwnd)) {
        return window->cwnd;
    }
    c->acked = 0.0;
    return window->cwnd + 1.0;
}

static double ccid2_decrease(void *scheme, const struct window *window)
{
    (void)scheme;
    return window->path.reports_only ? window->cwnd / 2.0 : floor(window->cwnd / 2.0);
}

static void ccid2_begin_epoch(void *scheme, const struct window *window)
{
    (void)window;
    struct ccid2 *c = scheme;
    c->acked = 0.0;
}

/* How far slow start may go again: three quarters of a window that is given up. */
static void keep_ssthresh(struct window *window)
{
    window->ssthresh = fmax(window->ssthresh, floor(0.75 * window->cwnd));
}

/* RFC 5681 4.1; RFC 2861 3; RFC 7661 4.4 keeps the window. */
static void ccid2_on_idle(void *scheme, struct window *window, int64_t idle_rtos)
{
    struct ccid2 *c = scheme;
    if (c->validation == VALIDATION_NONE) {
        window->cwnd = fmin(window->cwnd, weir__window_initial(window));
    } else if (c->validation == VALIDATION_CWV) {
        double halvings = (double)weir_min_i64(idle_rtos, 64);
        keep_ssthresh(window);
        double left = floor(window->cwnd * exp2(-halvings));
        window->cwnd = fmin(window->cwnd, fmax(left, c->floor_packets));
        c->filled_ns = WEIR_UNKNOWN_NS;
    }
}

static const struct window_rules ccid2_rules = {.increase = ccid2_increase,
                                                .decrease = ccid2_decrease,
                                                .begin_epoch = ccid2_begin_epoch,
                                                .on_idle = ccid2_on_idle};

static void restart_pipeack(struct ccid2 *c)
{
    c->pipeack = (struct pipeack){0};
    c->unvalidated_ns = WEIR_NEVER_NS;
    c->window.frozen = false;
}

static double pipeack_packets(const struct pipeack *p)
{
    return fmax(fmax(p->most[0], p->most[1]), fmax(p->most[2], p->most[3]));
}

static void begin_bucket(struct pipeack *p, int64_t now_ns)
{
    for (int i = PIPEACK_BUCKETS - 1; i > 0; i--) {
        p->most[i] = p->most[i - 1];
    }
    p->most[0] = 0.0;
    p->bucket_ns = now_ns;
    p->n_buckets++;
    p->defined = p->defined || p->n_buckets >= PIPEACK_PARTS;
}

/* A third of the period is over, or several. */
static void update_buckets(struct pipeack *p, int64_t now_ns, int64_t rtt_ns)
{
    int64_t part_ns = weir_max_i64(PIPEACK_ROUNDS * rtt_ns, PIPEACK_LEAST_NS) / PIPEACK_PARTS;
    for (int i = 0; i < PIPEACK_BUCKETS && now_ns - p->bucket_ns >= part_ns; i++) {
        begin_bucket(p, p->bucket_ns + part_ns);
    }
    if (now_ns - p->bucket_ns >= part_ns) {
        p->bucket_ns = now_ns;
    }
}

/* RFC 7661 4.2. */
static void measure_pipeack(struct pipeack *p, double acked, int64_t now_ns, int64_t rtt_ns)
{
    if (!p->running) {
        *p = (struct pipeack){.running = true, .bucket_ns = now_ns, .round_ns = now_ns};
    }
    p->acked += acked;
    int64_t elapsed_ns = now_ns - p->round_ns;
    update_buckets(p, now_ns, rtt_ns);
    if (elapsed_ns >= rtt_ns) {
        p->most[0] = fmax(p->most[0], p->acked * (double)rtt_ns / (double)elapsed_ns);
        p->acked = 0.0;
        p->round_ns = now_ns;
    }
}

/* RFC 7661 4.3: validated while at least half of the window is acknowledged per RTT. An unvalidated
 * window does not grow; after five minutes it is given up in part (4.4.3). */
static void judge_window(struct ccid2 *c, int64_t now_ns)
{
    struct window *w = &c->window;
    if (!c->pipeack.defined || pipeack_packets(&c->pipeack) >= w->cwnd / 2.0) {
        c->unvalidated_ns = WEIR_NEVER_NS;
    } else if (c->unvalidated_ns == WEIR_NEVER_NS) {
        c->unvalidated_ns = now_ns;
    } else if (now_ns - c->unvalidated_ns >= NVP_NS) {
        keep_ssthresh(w);
        w->cwnd = fmin(w->cwnd, fmax(floor(w->cwnd / 2.0), weir__window_initial(w)));
        c->unvalidated_ns = now_ns;
    }
    w->frozen = c->unvalidated_ns != WEIR_NEVER_NS;
}

static void reduce_to(struct window *w, double cwnd)
{
    w->cwnd = fmax(fmin(w->cwnd, floor(cwnd)), 1.0);
    w->ssthresh = fmax(w->cwnd, 2.0);
}

/* RFC 7661 4.4.1: a loss when the window was not validated goes by what was really used. */
static void on_unvalidated_loss(struct ccid2 *c, double flight)
{
    c->loss_flight = fmax(pipeack_packets(&c->pipeack), flight);
    c->lost = 0.0;
    reduce_to(&c->window, c->loss_flight / 2.0);
}

/* ... and once more, by what was lost, when packets sent after the reaction are heard of. */
static void finish_recovery(struct ccid2 *c)
{
    if (c->loss_flight > 0.0 && c->window.highest_heard > c->window.recover) {
        reduce_to(&c->window, (c->loss_flight - c->lost) / 2.0);
        c->loss_flight = 0.0;
        restart_pipeack(c);
    }
}

static void count_packets(const struct weir_feedback *feedback, double *acked, double *lost)
{
    for (size_t i = 0; i < feedback->n_packets; i++) {
        *acked += feedback->packets[i].status == WEIR_PACKET_RECEIVED;
        *lost += feedback->packets[i].status == WEIR_PACKET_LOST;
    }
}

static void ccid2_on_feedback(void *state, const struct weir_path *path,
                              const struct weir_feedback *feedback)
{
    struct ccid2 *c = state;
    bool unvalidated = c->unvalidated_ns != WEIR_NEVER_NS;
    double flight = weir__window_flight(&c->window);
    int64_t n_events = c->window.n_events;
    double acked = 0.0, lost = 0.0;
    weir__window_on_feedback(state, path, feedback);
    if (c->validation != VALIDATION_NEWCWV) {
        return;
    }
    count_packets(feedback, &acked, &lost);
    measure_pipeack(&c->pipeack, acked, feedback->now_ns, weir__window_rtt_ns(&c->window));
    if (unvalidated && c->window.n_events > n_events) {
        on_unvalidated_loss(c, flight);
    }
    c->lost += lost;
    finish_recovery(c);
    judge_window(c, feedback->now_ns);
}

/* RFC 2861 3, after sending. */
static void validate_used(struct ccid2 *c, const struct weir_sent_packet *sent)
{
    struct window *w = &c->window;
    double flight = weir__window_flight(w);
    if (c->filled_ns == WEIR_UNKNOWN_NS || sent->network_limited || flight >= floor(w->cwnd)) {
        c->filled_ns = sent->sent_ns;
        c->used = 0.0;
        return;
    }
    c->used = fmax(c->used, flight);
    if (sent->sent_ns - c->filled_ns >= weir__window_rto_ns(w)) {
        keep_ssthresh(w);
        w->cwnd = fmax(floor((w->cwnd + c->used) / 2.0), 1.0);
        c->filled_ns = sent->sent_ns;
        c->used = 0.0;
    }
}

static void ccid2_on_packet_sent(void *state, const struct weir_path *path,
                                 const struct weir_sent_packet *sent)
{
    struct ccid2 *c = state;
    weir__window_on_packet_sent(state, path, sent);
    if (c->validation == VALIDATION_CWV && c->window.has_started) {
        validate_used(c, sent);
    } else if (c->validation == VALIDATION_NEWCWV && c->pipeack.running) {
        update_buckets(&c->pipeack, sent->sent_ns, weir__window_rtt_ns(&c->window));
        judge_window(c, sent->sent_ns);
    }
}

/* RFC 7661 4.4.2: as standard TCP, and nothing is known of the new window. */
static void ccid2_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct ccid2 *c = state;
    int64_t n_timeouts = c->window.n_timeouts;
    weir__window_on_silence(state, path, now_ns);
    if (c->window.n_timeouts > n_timeouts) {
        c->loss_flight = 0.0;
        restart_pipeack(c);
    }
}

static void forget_use(struct ccid2 *c)
{
    c->acked = 0.0;
    c->filled_ns = WEIR_UNKNOWN_NS;
    c->used = 0.0;
    c->loss_flight = 0.0;
    c->lost = 0.0;
    restart_pipeack(c);
}

static void ccid2_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    weir__window_on_path_change(state, path, now_ns);
    forget_use(state);
}

static void ccid2_on_report(void *state, const struct weir_path *path,
                            const struct weir_report *report)
{
    struct ccid2 *c = state;
    forget_use(c);
    weir__window_on_report(state, path, report);
}

static void ccid2_init(void *state, const struct weir_config *config)
{
    struct ccid2 *c = state;
    *c = (struct ccid2){.validation = (int)config->params[PARAM_VALIDATION],
                        .floor_packets = config->params[PARAM_CWV_FLOOR]};
    weir__window_init(&c->window, &ccid2_rules, config);
    c->window.slow_start_gain = 1.0 / config->params[PARAM_ACK_RATIO];
    c->window.whole_packets = true;
    forget_use(c);
}

static void ccid2_get_variables(const void *state, struct weir_variables *to)
{
    const struct ccid2 *c = state;
    weir__window_get_variables(state, to);
    weir_tell(to, "pipeack_packets", pipeack_packets(&c->pipeack));
    weir_tell(to, "unvalidated", c->unvalidated_ns != WEIR_NEVER_NS ? 1.0 : 0.0);
}

const struct weir_controller weir_ccid2 = {
    .name = "ccid2",
    .description = "TCP-like window control of an unreliable flow, as DCCP's CCID 2.",
    .spec = "RFC 4341",
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct ccid2),
    .params = ccid2_params,
    .n_params = N_PARAMS,
    .init = ccid2_init,
    .on_packet_sent = ccid2_on_packet_sent,
    .on_feedback = ccid2_on_feedback,
    .on_report = ccid2_on_report,
    .on_silence = ccid2_on_silence,
    .on_path_change = ccid2_on_path_change,
    .set_limits = weir__window_set_limits,
    .seed_rtt = weir__window_seed_rtt,
    .silence_timeout_ns = weir__window_silence_timeout_ns,
    .get_output = weir__window_get_output,
    .get_variables = ccid2_get_variables,
};
