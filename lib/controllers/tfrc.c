/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC: the rate a TCP would have at the same loss event rate and round-trip time.
 * Specification: RFC 5348 (profile rfc5348), RFC 3448 with its errata (rfc3448), ns-2 (ns2).
 * Needs: which packets arrived; arrival times make the receive rate exact. Has a report form.
 * Differs from the specification:
 *   - The receiver runs here, at the sender: loss events by send times instead of the interpolation
 *     of 5.2, losses as the session declares them, X_recv over the last R of arrival times.
 *   - 3, 4.3: feedback is processed once per R (a sixteenth less will do: the receiver times its
 *     reports by its own estimate), and at once on a new loss event or when a late packet takes
 *     one back; more frequent reports are only collected.
 *   - 4.2: until the first RTT sample and one R longer the rate is the start bitrate, not one
 *     packet per second; then 2 X_recv limits it at once (parameter initial).
 *   - 4.2, 4.3: losses before the first RTT sample lower the very first rate as well.
 *   - 4.4: the timer is at least nofeedback-min and twice the pause between bunches of feedback,
 *     starts with the first packet, gives the first packet after a pause half a timeout to be
 *     answered (profile rfc5348 with a nofeedback-min), and rests while an idle sender has nothing
 * left to lower; it restarts with the next packet.
 *   - 8.2.1: runs of time without a data limit instead of two time stamps, which need exactly one
 *     feedback per R.
 *   - 4.5: on by default, also for reports at most 0.3 s apart, with 10 ms added to R and its mean
 *     (not in profile ns2).
 *   - 5.2: with precise-loss an event lasts until a report as well, as in ns-2. Its further losses
 *     are then not kept: when the first arrives after all, the event is gone.
 *   - 5.5: discounts that become permanent use the length of the closed interval.
 *   - Rates count IP, UDP and RTP headers, which is the header rule of RFC 4828 4.2 in other units:
 *     with sp the nominal size is 1460 bytes and no correction is needed.
 *   - Report form (no counterpart in the RFC): see on_report. */
#include <math.h>
#include <string.h>

#include "controllers/common_steps.h"
#include "controllers/tfrc_rate.h"
#include "estimators/report_events.h"

#define INITIAL_TIMER_NS WEIR_SECONDS(2)
#define PROMPT_REPORT_NS WEIR_MS(300)
#define SP_MIN_GAP_S     0.01 /* RFC 4828 4.3 */

static const struct weir_param tfrc_params[N_PARAMS] = {
    [PARAM_PROFILE] = WEIR_ROW_CHOICE(
        "profile", 0,
        "Revision of TFRC: RFC 5348, RFC 3448, or the behaviour of ns-2 for published figures.",
        "rfc5348", "rfc3448", "ns2"),
    [PARAM_INITIAL] = WEIR_ROW_CHOICE("initial", 0,
                                      "Rate before the first RTT sample: the start bitrate, or one "
                                      "packet per second (RFC 5348 4.2).",
                                      "start-rate", "rfc"),
    [PARAM_LOSS_INTERVALS] = WEIR_ROW_INTEGER("loss-intervals", "intervals", 1.0, 32.0, 8.0,
                                              "Loss intervals in the average (RFC 5348 5.4)."),
    [PARAM_DISCOUNT_THRESHOLD] = WEIR_ROW_NUMBER(
        "discount-threshold", "1", 0.0, 1.0, 0.0,
        "Lowest discount of old loss intervals (RFC 5348 5.5); 1 = no discounting, 0 "
        "= the profile's: 0.25, or 0.5 for rfc3448 and ns2."),
    [PARAM_OSCILLATION_REDUCTION] = WEIR_ROW_CHOICE(
        "oscillation-reduction", 0,
        "Pace by the instantaneous RTT (RFC 5348 4.5); auto = on, but off in profile rfc3448.",
        "auto", "off", "on"),
    [PARAM_EQUATION_CAP] = WEIR_ROW_CHOICE("equation-cap", 0,
                                           "Limit the timeout term of the equation as the model of "
                                           "Padhye et al. does; auto = only in profile ns2.",
                                           "auto", "off", "on"),
    [PARAM_PACKETS_PER_ACK] = WEIR_ROW_INTEGER("packets-per-ack", "packets", 1.0, 2.0, 1.0,
                                               "b of the equation (RFC 5348 3.1)."),
    [PARAM_MAX_INTERVAL] = WEIR_ROW_NUMBER(
        "max-interval", "s", 0.1, 3600.0, 64.0,
        "t_mbi: the rate never falls below one packet in this time (RFC 5348 4.3)."),
    [PARAM_NOFEEDBACK_MIN] = WEIR_ROW_NUMBER(
        "nofeedback-min", "ms", 0.0, 10000.0, 20.0,
        "Minimum of the nofeedback timer (RFC 5348 4.4 has none; 0 for reproduction)."),
    [PARAM_SP] = WEIR_ROW_SWITCH("sp", false, "Small-packet variant TFRC-SP (RFC 4828)."),
    [PARAM_SP_INIT] = WEIR_ROW_CHOICE(
        "sp-init", 0, "Initial rate of TFRC-SP per RTT: four real packets, or 4380 bytes.",
        "packets", "bytes"),
    [PARAM_FASTER_RESTART] =
        WEIR_ROW_SWITCH("faster-restart", false,
                        "Quadruple the rate after idle times up to what was achieved before "
                        "(draft-ietf-dccp-tfrc-faster-restart-06)."),
    [PARAM_CWV_DECAY] = WEIR_ROW_SWITCH("cwv-decay", false,
                                        "Let the remembered receive rate decay while the source "
                                        "limits the flow (RFC 5348 appendix C)."),
    [PARAM_SELF_CLOCKED] =
        WEIR_ROW_SWITCH("self-clocked", false,
                        "After slow start limit the rate to the receive rate in a round with loss, "
                        "else to self-clocked-multiplier times it (Bansal et al. 2001)."),
    [PARAM_SELF_CLOCKED_MULTIPLIER] = WEIR_ROW_NUMBER(
        "self-clocked-multiplier", "1", 1.0, 10.0, 1.5,
        "Receive-rate multiple of self-clocked TFRC in a round without loss; 1.5 in ns-2."),
    [PARAM_VENO] = WEIR_ROW_SWITCH(
        "veno", false,
        "Treat losses with a short queue as random and react less to them (TFRC-Veno)."),
    [PARAM_FIRST_INTERVAL] =
        WEIR_ROW_CHOICE("first-interval", 0,
                        "Receive rate that the first loss interval explains: the "
                        "highest (RFC 5348 6.3.1), or the last, as in RFC 3448 "
                        "and ns-2; auto = the profile's.",
                        "auto", "highest", "recent"),
    [PARAM_TIMEOUT_TICK] =
        WEIR_ROW_NUMBER("timeout-tick", "ms", 1.0, 1000.0, 100.0,
                        "Tick of the clock that profile ns2 measures the timeout "
                        "of a TCP with (tcp_tick_)."),
    [PARAM_RECEIVE_RATE] =
        WEIR_ROW_CHOICE("receive-rate", 0,
                        "What X_recv is the mean of: the last RTT (RFC 5348 6.2), or, when that is "
                        "longer, all time since the last feedback, silence too (RFC 4342, ns-2).",
                        "last-rtt", "since-report"),
    [PARAM_DELAY_IN_RTT] =
        WEIR_ROW_SWITCH("delay-in-rtt", false,
                        "Take the time that ns-2's receiver waits before it repeats a report for "
                        "a part of the RTT, as its releases of 2001 and 2002 did."),
    [PARAM_PRECISE_LOSS] =
        WEIR_ROW_SWITCH("precise-loss", false,
                        "A loss begins an event only if what shows it left after a report that "
                        "came after what showed the event before (PreciseLoss_ of ns-2)."),
};

WEIR_DEFINE_STATE(struct tfrc);

static const struct tfrc_rules *const profiles[] = {
    [PROFILE_RFC5348] = &weir__tfrc_rfc5348,
    [PROFILE_RFC3448] = &weir__tfrc_rfc3448,
    [PROFILE_NS2] = &weir__tfrc_ns2,
};

/* The newest receive rate, and what it adds to the memory of rates. */
static void note_receive_rate(struct tfrc *t, double x_recv)
{
    t->x_recv = x_recv;
    t->x_recv_max = fmax(t->x_recv_max, x_recv);
}

/* 4.3 step 3 and 4.4: max(4R, 2s/X). */
static int64_t timeout_ns(const struct tfrc *t)
{
    double wait_s = fmax(2.0 * t->path.packet_bytes / t->x, t->param[PARAM_NOFEEDBACK_MIN] * 1e-3);
    if (t->rtt.has_sample) {
        wait_s = fmax(wait_s, t->rules->timeout_rounds * weir__tfrc_rtt_s(t));
    } else {
        wait_s = fmax(wait_s, (double)INITIAL_TIMER_NS * 1e-9);
    }
    if (t->path.reports_only) {
        wait_s = fmax(wait_s, 3.0 * (double)t->path.report_interval_ns * 1e-9);
    } else if (t->rules->bears_pauses) {
        wait_s = fmax(wait_s, 2.0 * (double)t->silence.pause_ns * 1e-9);
    }
    return (int64_t)(fmin(wait_s, 1e8) * 1e9);
}

static void restart_timer(struct tfrc *t, int64_t now_ns)
{
    t->timer_ns = weir_time_add_ns(now_ns, timeout_ns(t));
    t->sent_since_timer = false;
}

/* 4.3 steps 1 and 2. */
static void take_rtt_sample(struct tfrc *t)
{
    if (t->rtt_sample_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    if (t->rtt_is_assumed) {
        t->rtt.has_sample = false;
        t->rtt_is_assumed = false;
    }
    weir__rtt_mean_sample(&t->rtt, t->rtt_sample_ns, t->rules->rtt_memory);
    if (t->rules->on_rtt) {
        t->rules->on_rtt(t, t->rtt_sample_ns);
    }
    t->rtt_sample_ns = WEIR_UNKNOWN_NS;
}

static void note_rtt_sample(struct tfrc *t, int64_t sample_ns)
{
    if (sample_ns != WEIR_UNKNOWN_NS) {
        t->rtt_sample_ns = sample_ns;
    }
    if (!t->rtt.has_sample) {
        take_rtt_sample(t);
    }
}

/* Prepares for the arrivals of a feedback: a change between the peer's clock and ours, or a step
 * back of the peer's. Returns the time of the newest, INT64_MIN if there are none. */
static int64_t begin_arrivals(struct tfrc *t, const struct weir_feedback *feedback)
{
    bool any = t->path.is_alive;
    bool local = false;
    int64_t newest_ns = INT64_MIN;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status != WEIR_PACKET_LOST) {
            local = local || packet->arrived_ns == WEIR_UNKNOWN_NS;
            newest_ns = weir_max_i64(newest_ns, weir__arrival_ns(packet, feedback->now_ns));
        }
    }
    if (any && local != t->arrivals_are_local) {
        t->rate = (struct weir__receive_rate){0};
        t->arrivals_are_local = local;
        t->arrived_ns = WEIR_UNKNOWN_NS;
    }
    newest_ns = local ? feedback->now_ns : newest_ns;
    if (any) {
        weir__receive_rate_begin(&t->rate, newest_ns, weir__tfrc_rtt_ns(t));
    }
    return newest_ns;
}

/* X_recv of a feedback that brought so many bytes, the newest at newest_ns if there are any. */
static double receive_rate(struct tfrc *t, int64_t bytes, int64_t newest_ns)
{
    double rate = weir__receive_rate_get(&t->rate, weir__tfrc_rtt_ns(t));
    int64_t before_ns = t->arrived_ns;
    t->arrived_ns = weir_max_i64(newest_ns, before_ns);
    bool since_report = t->param[PARAM_RECEIVE_RATE] == (double)RECEIVE_SINCE_REPORT;
    if (!since_report || bytes == 0 || before_ns == WEIR_UNKNOWN_NS ||
        newest_ns - before_ns <= weir__tfrc_rtt_ns(t)) {
        return rate;
    }
    return (double)bytes * 1e9 / (double)(newest_ns - before_ns);
}

/* First pass over a feedback: arrivals, so that X_recv is known when a loss event needs it. */
static void note_arrivals(struct tfrc *t, const struct weir_feedback *feedback)
{
    int64_t newest_ns = begin_arrivals(t, feedback);
    int64_t bytes = 0;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status != WEIR_PACKET_LOST) {
            int64_t at_ns = t->arrivals_are_local ? feedback->now_ns
                                                  : weir__arrival_ns(packet, feedback->now_ns);
            weir__receive_rate_add(&t->rate, at_ns, packet->wire_bytes, weir__tfrc_rtt_ns(t));
            bytes += packet->wire_bytes;
            t->newest_sent_ns = weir_max_i64(t->newest_sent_ns, packet->sent_ns);
        }
    }
    note_receive_rate(t, receive_rate(t, bytes, newest_ns));
}

/* When the packet left whose arrival shows what became of the i-th: the next that arrived, itself
 * if it is marked. Without one in this feedback, the newest of all, or itself if time alone shows
 * its loss. */
static int64_t shown_ns(const struct tfrc *t, const struct weir_feedback *feedback, size_t i)
{
    for (size_t later = i; later < feedback->n_packets; later++) {
        if (feedback->packets[later].status == WEIR_PACKET_RECEIVED) {
            return feedback->packets[later].sent_ns;
        }
    }
    return weir_max_i64(t->newest_sent_ns, feedback->packets[i].sent_ns);
}

/* 5.2 and 6.3.1: the i-th packet was lost or marked. Returns whether it makes a new loss event. */
static bool note_loss(struct tfrc *t, const struct weir_feedback *feedback, size_t i)
{
    const struct weir_packet_report *packet = &feedback->packets[i];
    int64_t by_ns = is_on(t, PARAM_PRECISE_LOSS) ? shown_ns(t, feedback, i) : INT64_MAX;
    t->last_loss_ns = feedback->now_ns;
    if (!weir__report_rounds_allow_event(&t->rounds, by_ns)) {
        return false;
    }
    if (!weir__loss_intervals_has_event(&t->losses)) {
        weir__loss_intervals_set_first(&t->losses, weir__tfrc_first_interval(t));
    }
    if (!weir__loss_intervals_on_lost(&t->losses, packet->seq, packet->sent_ns,
                                      weir__tfrc_rtt_ns(t))) {
        return false;
    }
    weir__report_rounds_on_event(&t->rounds, by_ns, feedback->now_ns);
    int64_t base_ns = weir__rtt_min_ns(&t->path.rtt);
    double base_s = base_ns == WEIR_UNKNOWN_NS ? weir__tfrc_rtt_s(t) : (double)base_ns * 1e-9;
    weir__veno_on_loss_event(&t->veno, t->x * weir__tfrc_rtt_s(t) / t->path.packet_bytes,
                             weir__tfrc_rtt_s(t), base_s);
    return true;
}

/* Second pass: the loss history. Returns whether a loss event came; *taken_back whether one went.
 */
static bool note_packets(struct tfrc *t, const struct weir_feedback *feedback, bool *taken_back)
{
    bool new_event = false;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status == WEIR_PACKET_LATE) {
            *taken_back |= weir__loss_intervals_on_late(&t->losses, packet->seq, packet->sent_ns);
        } else if (packet->status == WEIR_PACKET_RECEIVED) {
            weir__loss_intervals_on_received(&t->losses, packet->seq, packet->sent_ns);
        }
        if (packet->status == WEIR_PACKET_LOST || packet->ecn == WEIR_ECN_CE) {
            new_event |= note_loss(t, feedback, i);
        }
    }
    return new_event;
}

/* 8.2.1. A feedback of losses alone tells nothing new about what was sent. */
static void note_data_limit(struct tfrc *t)
{
    if (t->newest_sent_ns > t->limited.newest_ns) {
        bool limited =
            weir__data_limited_on_feedback(&t->limited, t->newest_sent_ns, weir__tfrc_rtt_ns(t));
        t->data_limited = limited && t->x_recv > 0.0;
    }
}

/* Once per R. In slow start R counts from the last doubling, so that a growing R costs no more than
 * it must. */
static bool is_due(const struct tfrc *t, int64_t now_ns)
{
    int64_t since_ns = t->p > 0.0 ? t->last_step_ns : t->doubled_ns;
    return !t->has_started || weir__tfrc_is_round_over(t, since_ns, now_ns);
}

/* ns-2's receiver repeats a report 1.5 R later when nothing has arrived since, and says then that a
 * packet per second does. */
static void await_repetition(struct tfrc *t, int64_t rtt_ns, int64_t now_ns)
{
    if (is_on(t, PARAM_DELAY_IN_RTT) && rtt_ns != WEIR_UNKNOWN_NS) {
        t->told_rtt_ns = rtt_ns;
        t->repeat_ns = weir_time_add_ns(now_ns, weir__tfrc_rtt_ns(t) * 3 / 2);
    }
}

static void on_repetition(struct tfrc *t, int64_t now_ns)
{
    t->repeat_ns = WEIR_NEVER_NS;
    weir__report_rounds_begin(&t->rounds, now_ns);
    t->rtt_sample_ns = t->told_rtt_ns + weir__tfrc_rtt_ns(t) * 3 / 2;
    take_rtt_sample(t);
    note_receive_rate(t, t->path.packet_bytes);
    weir__tfrc_process_feedback(t, now_ns, false);
    restart_timer(t, now_ns);
}

static void tfrc_on_feedback(void *state, const struct weir_path *path,
                             const struct weir_feedback *feedback)
{
    struct tfrc *t = state;
    int64_t now_ns = feedback->now_ns;
    bool taken_back = false;
    t->path = *path;
    if (path->is_alive) {
        weir__report_rounds_begin(&t->rounds, now_ns);
    }
    note_rtt_sample(t, feedback->rtt_ns);
    note_arrivals(t, feedback);
    bool new_event = note_packets(t, feedback, &taken_back);
    if (t->rtt.has_sample && (is_due(t, now_ns) || new_event || taken_back)) {
        take_rtt_sample(t);
        note_data_limit(t);
        weir__tfrc_process_feedback(t, now_ns, new_event);
    }
    if (path->is_alive) {
        t->no_feedback = false;
        t->unanswered_ns =
            t->newest_sent_ns < t->last_sent_ns ? t->newest_sent_ns : WEIR_UNKNOWN_NS;
        weir__silence_note_life(&t->silence, now_ns);
        restart_timer(t, now_ns);
        await_repetition(t, feedback->rtt_ns, now_ns);
    }
}

/* What a receiver report says of the packets in its interval: X_recv is a mean, and as many loss
 * events as independent losses would make. */
static void process_report(struct tfrc *t, const struct weir_report *report)
{
    int64_t expected = report->expected_packets;
    int64_t lost = report->lost_packets;
    int64_t interval_ns = t->path.report_interval_ns;
    double delivered_bytes = (double)(expected - lost) * (double)report->packet_bytes;
    double before = t->has_started ? t->x : HUGE_VAL;
    const struct weir__told_losses told = {report->now_ns, interval_ns, expected, lost};
    int64_t n_events = weir__report_events(&told, weir__tfrc_rtt_ns(t), &t->report_event_ns);
    note_receive_rate(t, delivered_bytes / ((double)interval_ns * 1e-9));
    if (n_events > 0 && !weir__loss_intervals_has_event(&t->losses)) {
        weir__loss_intervals_set_first(&t->losses, weir__tfrc_first_interval(t));
    }
    t->last_loss_ns = n_events > 0 ? report->now_ns : t->last_loss_ns;
    weir__loss_intervals_on_report(&t->losses, expected, n_events);
    t->data_limited = !report->network_limited;
    weir__tfrc_process_feedback(t, report->now_ns, n_events > 0);
    t->x = fmin(t->x, 2.0 * before);
}

/* The report form: each RTCP receiver report is one feedback. The rate never grows by more than a
 * factor of 2 per report. A report that nothing arrived is no sign of life. */
static void tfrc_on_report(void *state, const struct weir_path *path,
                           const struct weir_report *report)
{
    struct tfrc *t = state;
    t->path = *path;
    note_rtt_sample(t, report->rtt_ns);
    if (!t->rtt.has_sample) {
        weir__rtt_mean_sample(&t->rtt, TFRC_ASSUMED_RTT_NS, 0.0);
        t->rtt_is_assumed = true;
    }
    take_rtt_sample(t);
    if (report->expected_packets > 0) {
        process_report(t, report);
    }
    if (path->is_alive) {
        t->no_feedback = false;
        t->unanswered_ns = WEIR_UNKNOWN_NS;
        restart_timer(t, report->now_ns);
    }
}

/* Appendix C decays once per feedback, and while nothing is sent there is none: what lies between
 * two packets counts as one R at most. Idle times have their own rule (4.4). */
static void hold_decay_in_silence(struct tfrc *t, int64_t sent_ns)
{
    if (t->last_sent_ns != WEIR_UNKNOWN_NS) {
        int64_t silent_ns = sent_ns - t->last_sent_ns - weir__tfrc_rtt_ns(t);
        t->decayed_ns = weir_min_i64(t->decayed_ns + weir_max_i64(silent_ns, 0), sent_ns);
    }
    t->last_sent_ns = sent_ns;
}

static void tfrc_on_packet_sent(void *state, const struct weir_path *path,
                                const struct weir_sent_packet *sent)
{
    struct tfrc *t = state;
    t->path = *path;
    hold_decay_in_silence(t, sent->sent_ns);
    weir__data_limited_on_sent(&t->limited, sent->sent_ns, sent->network_limited);
    if (t->timer_ns == WEIR_NEVER_NS) {
        restart_timer(t, sent->sent_ns);
    }
    t->sent_since_timer = true;
    if (t->unanswered_ns == WEIR_UNKNOWN_NS) {
        t->unanswered_ns = sent->sent_ns;
    }
}

/* Until when a silent receiver may still have to answer the first packet it has not told of: a
 * sender that paused has just begun again, and 2R of a timeout of 4R is time for an answer. */
static int64_t answer_due_ns(const struct tfrc *t)
{
    bool waits = t->rules->awaits_answers && t->param[PARAM_NOFEEDBACK_MIN] > 0.0;
    return waits && t->unanswered_ns != WEIR_UNKNOWN_NS
               ? weir_time_add_ns(t->unanswered_ns, timeout_ns(t) / 2)
               : INT64_MIN;
}

/* 4.4: the nofeedback timer. */
static void tfrc_on_timer(void *state, int64_t now_ns)
{
    struct tfrc *t = state;
    if (now_ns >= t->repeat_ns) {
        on_repetition(t, now_ns);
    }
    if (now_ns < t->timer_ns) {
        return;
    }
    bool idle = !t->sent_since_timer;
    int64_t answer_ns = answer_due_ns(t);
    if (!idle && now_ns < answer_ns) {
        t->timer_ns = answer_ns;
        return;
    }
    bool lowered = weir__tfrc_expire(t, now_ns, idle);
    weir__report_rounds_begin(&t->rounds, now_ns);
    t->no_feedback = !idle;
    restart_timer(t, now_ns);
    if (idle && !lowered) {
        t->timer_ns = WEIR_NEVER_NS;
    }
}

/* Everything that was learnt about a path. */
static void forget_path(struct tfrc *t, int64_t now_ns)
{
    double threshold = t->param[PARAM_DISCOUNT_THRESHOLD];
    if (threshold <= 0.0) {
        threshold = t->rules->discount_threshold;
    }
    t->has_started = false;
    t->rtt = (struct weir__rtt_mean){0};
    t->rtt_is_assumed = false;
    t->rtt_sample_ns = WEIR_UNKNOWN_NS;
    t->repeat_ns = WEIR_NEVER_NS;
    t->p = 0.0;
    t->x_bps = 0.0;
    t->x_recv = 0.0;
    t->x_recv_max = 0.0;
    t->limit = HUGE_VAL;
    t->rate = (struct weir__receive_rate){0};
    t->arrived_ns = WEIR_UNKNOWN_NS;
    t->restart = (struct weir__faster_restart){0};
    t->veno = (struct weir__veno){0};
    t->last_loss_ns = INT64_MIN / 4;
    t->report_event_ns = WEIR_UNKNOWN_NS;
    t->data_limited = false;
    t->no_feedback = false;
    weir__silence_init(&t->silence);
    weir__receive_set_init(&t->set, now_ns);
    weir__report_rounds_init(&t->rounds);
    weir__loss_intervals_init(&t->losses, (size_t)t->param[PARAM_LOSS_INTERVALS], threshold,
                              is_on(t, PARAM_SP));
}

static void tfrc_init(void *state, const struct weir_config *config)
{
    struct tfrc *t = state;
    *t = (struct tfrc){.path = *config->path,
                       .timer_ns = WEIR_NEVER_NS,
                       .newest_sent_ns = INT64_MIN / 4,
                       .last_sent_ns = WEIR_UNKNOWN_NS,
                       .unanswered_ns = WEIR_UNKNOWN_NS};
    memcpy(t->param, config->params, sizeof(t->param));
    t->rules = profiles[(size_t)t->param[PARAM_PROFILE]];
    t->start = (double)config->limits.start_bps / 8.0;
    t->x = starts_at_start_rate(t) ? t->start : t->path.packet_bytes;
    weir__data_limited_init(&t->limited);
    forget_path(t, config->now_ns);
}

/* A new path: as at the start, but never faster than before. */
static void tfrc_on_path_change(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct tfrc *t = state;
    t->path = *path;
    forget_path(t, now_ns);
    t->x = fmin(t->x, starts_at_start_rate(t) ? t->start : t->path.packet_bytes);
    if (t->timer_ns != WEIR_NEVER_NS) {
        restart_timer(t, now_ns);
    }
}

static void tfrc_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct tfrc *t = state;
    double start_before = t->start;
    t->start = (double)limits->start_bps / 8.0;
    if (!t->has_started && starts_at_start_rate(t) && t->x >= start_before) {
        t->x = t->start;
    } else if (!t->has_started) {
        t->x = fmin(t->x, t->start);
    }
}

/* An RTT known before any feedback: the phase without RTT is skipped (4.2), the start rate stays.
 */
static void tfrc_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct tfrc *t = state;
    t->path = *path;
    if (t->has_started) {
        return;
    }
    note_rtt_sample(t, weir__rtt_srtt_ns(&path->rtt));
    t->x = starts_at_start_rate(t) ? t->x : weir__tfrc_initial_rate(t);
    t->doubled_ns = now_ns;
    t->decayed_ns = now_ns;
    t->last_step_ns = now_ns;
    t->has_started = true;
}

static int64_t tfrc_next_timer_ns(const void *state)
{
    const struct tfrc *t = state;
    return weir_min_i64(t->timer_ns, t->repeat_ns);
}

static int64_t to_bps(double bytes_per_s)
{
    return (int64_t)(8.0 * fmin(fmax(bytes_per_s, 0.0), TFRC_RATE_MAX));
}

/* 4.5 is optional, and meant for bottlenecks that few flows share: an access link with one call on
 * it. Without it the rate of a single flow swings with the queue it makes itself. */
static void tfrc_get_output(const void *state, struct weir_control *control)
{
    const struct tfrc *t = state;
    double most = is_on(t, PARAM_SP) ? t->path.packet_bytes / SP_MIN_GAP_S
                                     : TFRC_RATE_MAX; /* RFC 4828: 10 ms apart */
    *control = (struct weir_control){.rate_bps = to_bps(fmin(t->x, most)),
                                     .window_bytes = WEIR_UNLIMITED_BYTES};
    bool prompt = !t->path.reports_only || t->path.report_interval_ns <= PROMPT_REPORT_NS;
    if (prompt && is_switched_on(t, PARAM_OSCILLATION_REDUCTION, t->rules->reduces_oscillation)) {
        double factor = weir__rtt_mean_inst_factor(&t->rtt, t->rules->rtt_grain_s);
        double inst = fmax(t->x * factor, weir__tfrc_floor_rate(t));
        control->pacing_bps = to_bps(fmin(inst, most));
    }
    control->state = (t->has_started ? 0u : (unsigned)WEIR_STATE_STARTING) |
                     (t->has_started && t->p <= 0.0 ? (unsigned)WEIR_STATE_SLOW_START : 0u) |
                     (t->data_limited ? (unsigned)WEIR_STATE_APP_LIMITED : 0u) |
                     (t->no_feedback ? (unsigned)WEIR_STATE_NO_FEEDBACK : 0u);
}

static void tfrc_get_variables(const void *state, struct weir_variables *to)
{
    const struct tfrc *t = state;
    bool no_limit = isinf(t->limit) != 0;
    weir_tell(to, "loss_event_rate", t->p);
    weir_tell(to, "x_bytes_per_s", t->x);
    weir_tell(to, "x_eq_bytes_per_s", t->x_bps);
    weir_tell(to, "x_recv_bytes_per_s", t->x_recv);
    weir_tell(to, "recv_limit_bytes_per_s", no_limit ? 0.0 : t->limit); /* 0 = no limit yet */
    weir_tell(to, "rtt_ns", t->rtt.has_sample ? (double)weir__tfrc_rtt_ns(t) : 0.0);
    weir_tell(to, "packet_bytes", t->path.packet_bytes);
    weir_tell(to, "open_interval_packets", weir__loss_intervals_open(&t->losses));
    weir_tell(to, "last_interval_packets", weir__loss_intervals_closed(&t->losses, 1));
    weir_tell(to, "mean_interval_packets", t->p > 0.0 ? 1.0 / t->p : 0.0);
    weir_tell(to, "loss_events", (double)t->losses.n_events);
}

const struct weir_controller weir_tfrc = {
    .name = "tfrc",
    .description = "TCP-Friendly Rate Control: smooth, and fair to TCP over seconds.",
    .spec = "RFC 5348",
    .for_live_media = true,
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct tfrc),
    .params = tfrc_params,
    .n_params = N_PARAMS,
    .init = tfrc_init,
    .on_packet_sent = tfrc_on_packet_sent,
    .on_feedback = tfrc_on_feedback,
    .on_report = tfrc_on_report,
    .on_timer = tfrc_on_timer,
    .on_path_change = tfrc_on_path_change,
    .set_limits = tfrc_set_limits,
    .seed_rtt = tfrc_seed_rtt,
    .next_timer_ns = tfrc_next_timer_ns,
    .get_output = tfrc_get_output,
    .get_variables = tfrc_get_variables,
};
