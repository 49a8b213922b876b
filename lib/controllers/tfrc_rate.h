/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC's state, and the rules that give its rate: tfrc_rate.c knows 4.2 to 4.4 of RFC 5348 and RFC
 * 3448, tfrc_ns2.c what ns-2 does instead, tfrc.c what happened when. All rates here are bytes/s.
 */
#ifndef WEIR_CONTROLLERS_TFRC_RATE_H
#define WEIR_CONTROLLERS_TFRC_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "control/controller.h"
#include "estimators/data_limited.h"
#include "estimators/faster_restart.h"
#include "estimators/loss_intervals.h"
#include "estimators/receive_rate.h"
#include "estimators/receive_set.h"
#include "estimators/report_rounds.h"
#include "estimators/rtt.h"
#include "estimators/silence.h"
#include "estimators/veno.h"

enum tfrc_profile { PROFILE_RFC5348, PROFILE_RFC3448, PROFILE_NS2 };
enum tfrc_initial { INITIAL_START_RATE, INITIAL_RFC };
enum tfrc_switch { SWITCH_AUTO, SWITCH_OFF, SWITCH_ON };
enum tfrc_sp_init { SP_INIT_PACKETS, SP_INIT_BYTES };
enum tfrc_receive_rate { RECEIVE_LAST_RTT, RECEIVE_SINCE_REPORT };
enum tfrc_first_interval { FIRST_AUTO, FIRST_HIGHEST, FIRST_RECENT };

enum tfrc_param {
    PARAM_PROFILE,
    PARAM_INITIAL,
    PARAM_LOSS_INTERVALS,
    PARAM_DISCOUNT_THRESHOLD,
    PARAM_OSCILLATION_REDUCTION,
    PARAM_EQUATION_CAP,
    PARAM_PACKETS_PER_ACK,
    PARAM_MAX_INTERVAL,
    PARAM_NOFEEDBACK_MIN,
    PARAM_SP,
    PARAM_SP_INIT,
    PARAM_FASTER_RESTART,
    PARAM_CWV_DECAY,
    PARAM_SELF_CLOCKED,
    PARAM_SELF_CLOCKED_MULTIPLIER,
    PARAM_VENO,
    PARAM_FIRST_INTERVAL,
    PARAM_TIMEOUT_TICK,
    PARAM_RECEIVE_RATE,
    PARAM_DELAY_IN_RTT,
    PARAM_PRECISE_LOSS,
    N_PARAMS
};

#define TFRC_ASSUMED_RTT_NS WEIR_MS(500) /* of a loss or a report before the first sample */
#define TFRC_RATE_MAX       1.25e14      /* far above any limit of a session */

struct tfrc;

/* What a profile does in its own way. */
struct tfrc_rules {
    double timeout_rounds;     /* R in the nofeedback timer (4.3 step 3) */
    double rtt_memory;         /* q of 4.3 step 2 */
    double rtt_grain_s;        /* added to R and its mean where 4.5 compares them: differences this
                                  small are threads and radio; on a LAN they are all there is */
    double discount_threshold; /* 5.5 */
    double idle_packets;       /* per R that an idle sender keeps; 0 = as in RFC 5348 4.4 */
    bool keeps_receive_rates;  /* X_recv_set; else the last report counts (RFC 3448) */
    bool begins_with_one;      /* packet per R after the first RTT sample (RFC 3448) */
    bool awaits_answers;       /* of the first packet after a pause, if there is a nofeedback-min */
    bool bears_pauses;         /* the nofeedback timer, of feedback that comes in bunches */
    bool reduces_oscillation;  /* unless a parameter says so */
    bool caps_equation;        /* likewise */
    bool first_interval_whole; /* 6.3.1: packets, rounded down */
    double (*rto_per_rtt)(const struct tfrc *t);               /* of the equation; NULL = 4 */
    void (*on_rtt)(struct tfrc *t, int64_t rtt_ns);            /* or NULL */
    double (*rate)(struct tfrc *t, int64_t now_ns);            /* 4.3 step 4 with p > 0 */
    bool (*expire)(struct tfrc *t, int64_t now_ns, bool idle); /* weir__tfrc_expire, with an RTT */
};

extern const struct tfrc_rules weir__tfrc_rfc5348;
extern const struct tfrc_rules weir__tfrc_rfc3448;
extern const struct tfrc_rules weir__tfrc_ns2;

struct tfrc {
    const struct tfrc_rules *rules;
    double param[N_PARAMS];
    double start;      /* start limit, bytes/s */
    bool has_started;  /* 4.2: the first RTT sample has set X */
    double x;          /* allowed rate, bytes/s, as all below */
    double x_bps;      /* rate of the equation, 0 while p == 0 */
    double x_recv;     /* of the last feedback */
    double x_recv_max; /* of all */
    double limit;      /* recv_limit, HUGE_VAL when there is none */
    double p;
    struct weir_path path; /* as the last event brought it; its SRTT is not R */
    struct weir__rtt_mean rtt;
    bool rtt_is_assumed;
    int64_t rtt_sample_ns;  /* not yet averaged, or WEIR_UNKNOWN_NS */
    int64_t ns2_srtt_ticks; /* of ns-2's TCP timeout: 8 times the mean, 4 times the deviation */
    int64_t ns2_rttvar_ticks;
    struct weir__data_limited limited;
    struct weir__faster_restart restart;
    struct weir__veno veno;
    bool data_limited;
    int64_t last_loss_ns;
    int64_t report_event_ns; /* estimators/report_events.h */
    int64_t newest_sent_ns;  /* of the packets in feedback */
    int64_t last_sent_ns;    /* of all, WEIR_UNKNOWN_NS */
    int64_t unanswered_ns;   /* nothing sent from here on was told of; WEIR_UNKNOWN_NS = all was */
    int64_t last_step_ns;
    int64_t doubled_ns; /* tld */
    int64_t decayed_ns;
    int64_t timer_ns;
    int64_t repeat_ns;   /* with delay-in-rtt: when ns-2's receiver repeats its report */
    int64_t told_rtt_ns; /* the sample of that report, without a delay */
    bool sent_since_timer;
    bool no_feedback;
    struct weir__silence silence; /* its pauses alone: the timer is made for feedback once per R */
    /* What follows is of feedback alone. */
    struct weir__receive_set set;
    struct weir__receive_rate rate;
    int64_t arrived_ns;      /* the newest arrival of the feedback before, WEIR_UNKNOWN_NS */
    bool arrivals_are_local; /* the peer gives no arrival times */
    struct weir__loss_intervals losses;
    struct weir__report_rounds rounds;
};

static inline bool is_on(const struct tfrc *t, enum tfrc_param param)
{
    return t->param[param] != 0.0;
}

static inline bool is_switched_on(const struct tfrc *t, enum tfrc_param param, bool automatic)
{
    return t->param[param] == (double)SWITCH_ON ||
           (t->param[param] == (double)SWITCH_AUTO && automatic);
}

static inline bool starts_at_start_rate(const struct tfrc *t)
{
    return t->param[PARAM_INITIAL] == (double)INITIAL_START_RATE;
}

/* R; TFRC_ASSUMED_RTT_NS before the first sample. */
double weir__tfrc_rtt_s(const struct tfrc *t);
int64_t weir__tfrc_rtt_ns(const struct tfrc *t);

/* Whether R less a sixteenth has passed; in the report form, R or the interval of the reports. */
bool weir__tfrc_is_round_over(const struct tfrc *t, int64_t since_ns, int64_t now_ns);

/* s/t_mbi, the least rate. */
double weir__tfrc_floor_rate(const struct tfrc *t);

/* 4.2: the rate that the first RTT sample allows, with the variants of RFC 3448 and RFC 4828. */
double weir__tfrc_initial_rate(const struct tfrc *t);

/* 6.3.1: the length of the interval that explains the rate reached when the first loss event comes.
 */
double weir__tfrc_first_interval(const struct tfrc *t);

/* 4.3 step 4 with p > 0: the equation's, in x_bps, and the limits. */
double weir__tfrc_equation_rate(struct tfrc *t);

/* What an idle sender keeps at least (rules->idle_packets, and what Faster Restart adds). */
double weir__tfrc_kept_rate(const struct tfrc *t);
void weir__tfrc_halve(struct tfrc *t);

/* 4.3 steps 4 and 6, once R, X_recv and the data limit are known. new_event: the loss history has a
 * new event. */
void weir__tfrc_process_feedback(struct tfrc *t, int64_t now_ns, bool new_event);

/* 4.4: the nofeedback timer ran out; idle: nothing was sent since it was set. The rate does not
 * rise. Returns false when there was nothing to lower. */
bool weir__tfrc_expire(struct tfrc *t, int64_t now_ns, bool idle);

#endif
