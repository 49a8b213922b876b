/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "controllers/tfrc_rate.h"

#include <math.h>

#include "estimators/tcp_equation.h"

#define SP_NOMINAL_BYTES   1460.0
#define DECAY_PER_ROUND    0.85 /* RFC 5348 appendix C */
#define LIMITED_LOSS_SHARE 0.85 /* 4.3 step 4 */

double weir__tfrc_rtt_s(const struct tfrc *t)
{
    return t->rtt.has_sample ? t->rtt.mean_s : (double)TFRC_ASSUMED_RTT_NS * 1e-9;
}

int64_t weir__tfrc_rtt_ns(const struct tfrc *t)
{
    return weir_round_i64(weir__tfrc_rtt_s(t) * 1e9);
}

double weir__tfrc_floor_rate(const struct tfrc *t)
{
    return t->path.packet_bytes / t->param[PARAM_MAX_INTERVAL];
}

static double initial_window(double mss)
{
    return fmin(4.0 * mss, fmax(2.0 * mss, 4380.0));
}

/* 4.2: W_init/R; RFC 3448 4.2: s/R. RFC 4828: four packets per R for small packets. */
double weir__tfrc_initial_rate(const struct tfrc *t)
{
    double largest = (double)t->path.largest_packet_bytes;
    double window = initial_window(fmax(largest, t->path.packet_bytes));
    if (t->rules->begins_with_one) {
        window = t->path.packet_bytes;
    } else if (is_on(t, PARAM_SP)) {
        bool packets = t->param[PARAM_SP_INIT] == (double)SP_INIT_PACKETS;
        window = packets ? 4.0 * t->path.packet_bytes : initial_window(SP_NOMINAL_BYTES);
    }
    double rate = window / weir__tfrc_rtt_s(t);
    bool enlarge = t->path.reports_only && starts_at_start_rate(t);
    return enlarge ? fmax(rate, t->start) : rate;
}

/* 4.4: an idle sender keeps this much. Faster Restart (3.2): twice W_init of RFC 5348. */
static double recover_rate(const struct tfrc *t)
{
    double rate = weir__tfrc_initial_rate(t);
    double faster = 2.0 * initial_window(t->path.packet_bytes) / weir__tfrc_rtt_s(t);
    return is_on(t, PARAM_FASTER_RESTART) ? fmax(rate, faster) : rate;
}

static struct weir__tcp_equation equation(const struct tfrc *t)
{
    unsigned n = (unsigned)t->param[PARAM_LOSS_INTERVALS];
    return (struct weir__tcp_equation){
        .b = t->param[PARAM_PACKETS_PER_ACK],
        .rto_per_rtt = t->rules->rto_per_rtt ? t->rules->rto_per_rtt(t) : 4.0,
        .g = is_on(t, PARAM_VENO) ? weir__veno_g(&t->veno, n) : 0.5,
        .capped = is_switched_on(t, PARAM_EQUATION_CAP, t->rules->caps_equation),
    };
}

static double nominal_bytes(const struct tfrc *t)
{
    return is_on(t, PARAM_SP) ? SP_NOMINAL_BYTES : t->path.packet_bytes;
}

double weir__tfrc_first_interval(const struct tfrc *t)
{
    struct weir__tcp_equation eq = equation(t);
    double asked = t->param[PARAM_FIRST_INTERVAL];
    bool highest = asked == (double)FIRST_AUTO ? t->rules->keeps_receive_rates
                                               : asked == (double)FIRST_HIGHEST;
    double reached = highest ? t->x_recv_max : t->x_recv;
    double target = fmax(reached, 0.5 * t->path.packet_bytes / weir__tfrc_rtt_s(t));
    double packets =
        1.0 / weir__tcp_equation_inverse(&eq, target * weir__tfrc_rtt_s(t) / nominal_bytes(t));
    return t->rules->first_interval_whole ? floor(packets) : packets;
}

/* 4.2, the first RTT sample. A start rate stays for one more R, until X_recv covers a whole R;
 * from then on twice that is the limit, without the two rounds of infinity in X_recv_set. */
static void start(struct tfrc *t, int64_t now_ns)
{
    double before = t->x;
    t->x = weir__tfrc_initial_rate(t);
    if (starts_at_start_rate(t)) {
        t->x = fmax(t->x, fmin(t->start, before));
        weir__receive_set_assign(&t->set, 0.0, now_ns);
    }
    t->doubled_ns = now_ns;
    t->decayed_ns = now_ns;
    t->has_started = true;
}

/* How far back X_recv_set and tld look: R, or the interval of reports that come less often. */
static int64_t round_ns(const struct tfrc *t)
{
    int64_t reports_ns = t->path.reports_only ? t->path.report_interval_ns : 0;
    return weir_max_i64(weir__tfrc_rtt_ns(t), reports_ns);
}

/* Whether a round has passed. A receiver that reports once per R times that by its own estimate: if
 * a report came a little early and did not count, every other one would be lost. */
bool weir__tfrc_is_round_over(const struct tfrc *t, int64_t since_ns, int64_t now_ns)
{
    int64_t whole_ns = round_ns(t);
    return now_ns - since_ns >= whole_ns - whole_ns / 16;
}

/* RFC 5348 appendix C: what is remembered fades by 0.85 per R, however often this runs. */
static void decay_set(struct tfrc *t, int64_t now_ns)
{
    double rounds = (double)(now_ns - t->decayed_ns) / (double)weir__tfrc_rtt_ns(t);
    weir__receive_set_scale(&t->set, pow(DECAY_PER_ROUND, fmin(rounds, 100.0)));
}

/* 4.3 step 4, first half: recv_limit. worse: p has risen or there is a new loss event. */
static double receive_limit(struct tfrc *t, int64_t now_ns, bool worse)
{
    bool decay = is_on(t, PARAM_CWV_DECAY);
    double share = t->data_limited && worse ? LIMITED_LOSS_SHARE : 1.0;
    if (!t->rules->keeps_receive_rates) { /* RFC 3448 knows the last report only */
        weir__receive_set_assign(&t->set, t->x_recv, now_ns);
        return 2.0 * t->x_recv;
    }
    if (t->data_limited && decay) {
        decay_set(t, now_ns);
    } else if (t->data_limited && worse) {
        weir__receive_set_scale(&t->set, 0.5);
    }
    t->decayed_ns = now_ns;
    if (t->data_limited) {
        weir__receive_set_maximize(&t->set, share * t->x_recv, now_ns);
    } else {
        weir__receive_set_update(&t->set, t->x_recv, now_ns, 2 * round_ns(t));
    }
    if (weir__receive_set_is_infinite(&t->set)) {
        return HUGE_VAL;
    }
    double multiple = t->data_limited && worse && !decay ? 1.0 : 2.0;
    return multiple * weir__receive_set_max(&t->set);
}

/* Whether packets were lost in the last round. */
static bool is_lossy(const struct tfrc *t, int64_t now_ns)
{
    return now_ns - t->last_loss_ns <= weir__tfrc_rtt_ns(t);
}

/* After slow start. What a source makes that does not use its rate proves nothing (4.3): without
 * losses the RFC's own limit holds for it, or it would be kept down by its own pauses. */
static bool is_self_clocked(const struct tfrc *t, int64_t now_ns)
{
    bool unproved = t->rules->keeps_receive_rates && t->data_limited && !is_lossy(t, now_ns);
    return is_on(t, PARAM_SELF_CLOCKED) && t->p > 0.0 && !unproved;
}

/* Self-clocked TFRC (Bansal et al. 2001; "conservative" in ns-2). */
static double self_clocked_limit(const struct tfrc *t, int64_t now_ns)
{
    double multiple = is_lossy(t, now_ns) ? 1.0 : t->param[PARAM_SELF_CLOCKED_MULTIPLIER];
    return fmax(multiple * t->x_recv, t->path.packet_bytes / weir__tfrc_rtt_s(t));
}

/* The limit with the options that change it; *fast is up to where the rate may quadruple per R. */
static double rate_limit(struct tfrc *t, int64_t now_ns, bool worse, double *fast)
{
    double limit = receive_limit(t, now_ns, worse);
    *fast = 0.0;
    if (is_self_clocked(t, now_ns)) {
        limit = self_clocked_limit(t, now_ns);
    }
    if (is_on(t, PARAM_FASTER_RESTART)) {
        weir__faster_restart_on_feedback(&t->restart, now_ns, t->x_recv, worse);
        *fast = weir__faster_restart_fast_max(&t->restart, now_ns);
        bool doubles = limit < *fast && !(t->data_limited && worse);
        limit = doubles ? fmin(2.0 * limit, *fast) : limit;
    }
    return limit;
}

/* 4.3 step 4 with p > 0. */
double weir__tfrc_equation_rate(struct tfrc *t)
{
    struct weir__tcp_equation eq = equation(t);
    t->x_bps = weir__tcp_equation_rate(&eq, nominal_bytes(t), weir__tfrc_rtt_s(t), t->p);
    return fmax(fmin(t->x_bps, t->limit), weir__tfrc_floor_rate(t));
}

/* 4.3 step 4, second half. */
static void update_rate(struct tfrc *t, int64_t now_ns, double fast)
{
    if (t->p > 0.0) {
        t->x = t->rules->rate(t, now_ns);
    } else if (weir__tfrc_is_round_over(t, t->doubled_ns, now_ns)) {
        double grown = fmax(2.0 * t->x, fmin(4.0 * t->x, fast));
        t->x = fmax(fmin(grown, t->limit), weir__tfrc_initial_rate(t));
        t->doubled_ns = now_ns;
    }
    t->x_bps = t->p > 0.0 ? t->x_bps : 0.0;
    t->x = fmin(t->x, TFRC_RATE_MAX);
}

/* 4.3, once X_recv is known. new_event: the history has a new loss event. */
void weir__tfrc_process_feedback(struct tfrc *t, int64_t now_ns, bool new_event)
{
    double fast = 0.0;
    double p_before = t->p;
    bool first = !t->has_started;
    t->p = weir__loss_intervals_p(&t->losses);
    bool worse = new_event || t->p > p_before;
    if (first) {
        start(t, now_ns);
    }
    t->limit = rate_limit(t, now_ns, worse, &fast);
    if (!first || t->p > 0.0) {
        update_rate(t, now_ns, fast);
    }
    t->last_step_ns = now_ns;
}

/* Update_Limits of 4.4. */
static void limit_rate(struct tfrc *t, int64_t now_ns, double timer_limit)
{
    double limit = fmax(timer_limit, weir__tfrc_floor_rate(t));
    weir__receive_set_assign(&t->set, 0.5 * limit, now_ns);
    t->limit = limit;
    t->x = weir__tfrc_equation_rate(t);
}

void weir__tfrc_halve(struct tfrc *t)
{
    t->x = fmax(0.5 * t->x, weir__tfrc_floor_rate(t));
}

/* An idle sender keeps some packets per R. */
double weir__tfrc_kept_rate(const struct tfrc *t)
{
    return fmax(t->rules->idle_packets * t->path.packet_bytes / weir__tfrc_rtt_s(t),
                is_on(t, PARAM_FASTER_RESTART) ? recover_rate(t) : 0.0);
}

/* RFC 3448 4.4. */
static bool expire_rfc3448(struct tfrc *t, int64_t now_ns, bool idle)
{
    double kept = weir__tfrc_kept_rate(t);
    if (idle && t->x <= kept) {
        return false;
    }
    if (t->p > 0.0) {
        bool by_equation = t->x_bps <= 2.0 * t->x_recv;
        t->x_recv =
            by_equation ? 0.25 * t->x_bps : fmax(0.5 * t->x_recv, 0.5 * weir__tfrc_floor_rate(t));
        limit_rate(t, now_ns, 2.0 * t->x_recv);
    } else {
        weir__tfrc_halve(t);
    }
    t->x = idle ? fmax(t->x, kept) : t->x;
    return true;
}

/* RFC 5348 4.4. Returns false when there is nothing to lower. */
static bool expire_rfc5348(struct tfrc *t, int64_t now_ns, bool idle)
{
    bool no_limit = weir__receive_set_is_infinite(&t->set);
    double x_recv = no_limit ? HUGE_VAL : weir__receive_set_max(&t->set);
    double recover = recover_rate(t);
    if (idle && ((t->p > 0.0 && x_recv < recover) || (t->p <= 0.0 && t->x < 2.0 * recover))) {
        return false;
    }
    if (t->p <= 0.0) {
        weir__tfrc_halve(t);
    } else if (t->x_bps > 2.0 * x_recv) {
        limit_rate(t, now_ns, x_recv);
    } else {
        limit_rate(t, now_ns, 0.5 * t->x_bps);
    }
    return true;
}

bool weir__tfrc_expire(struct tfrc *t, int64_t now_ns, bool idle)
{
    double before = t->x;
    bool lowered = !idle;
    if (!t->has_started) {
        /* recover_rate is not known without an RTT: an idle sender is left alone. */
        if (!idle) {
            weir__tfrc_halve(t);
        }
    } else {
        lowered = t->rules->expire(t, now_ns, idle);
    }
    t->x = fmin(t->x, before);
    return lowered;
}

static double rfc_rate(struct tfrc *t, int64_t now_ns)
{
    (void)now_ns;
    return weir__tfrc_equation_rate(t);
}

const struct tfrc_rules weir__tfrc_rfc5348 = {
    .timeout_rounds = 4.0,
    .rtt_memory = 0.9,
    .rtt_grain_s = 0.01,
    .discount_threshold = 0.25,
    .keeps_receive_rates = true,
    .awaits_answers = true,
    .bears_pauses = true,
    .reduces_oscillation = true,
    .rate = rfc_rate,
    .expire = expire_rfc5348,
};

const struct tfrc_rules weir__tfrc_rfc3448 = {
    .timeout_rounds = 4.0,
    .rtt_memory = 0.9,
    .rtt_grain_s = 0.01,
    .discount_threshold = 0.5,
    .idle_packets = 2.0,
    .begins_with_one = true,
    .bears_pauses = true,
    .rate = rfc_rate,
    .expire = expire_rfc3448,
};
