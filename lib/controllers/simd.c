/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SIMD: a window that grows with the square of the time since its last decrease. SimdNR: the same
 * without retransmissions. AIAD/H: its additive relative.
 * Specification: S. Biyani, J. Martin, "A Comparison of TCP-Friendly Congestion Control Protocols";
 * S. Jin, L. Guo, I. Matta, A. Bestavros, "TCP-friendly SIMD Congestion Control and its Convergence
 * Behavior", ICNP 2001, and "A Spectrum of TCP-friendly Window-based Congestion Control
 * Algorithms", ToN 11(3) 2003; parameters of AIAD/H from table 1 of the WARC paper. Needs: which
 * packets arrived. Has a report form. Differs from the specification: as the window engine does
 * (window.c), and
 *   - keep is what remains of the window, 15/16; Jin et al. call 1/16 beta, Biyani and
 *     Martin 15/16.
 *   - alpha is the one derived from mean window = sqrt(1.5/p); Biyani and Martin print one smaller
 *     by sqrt(2), which gets 0.84 of TCP's share or less (parameter alpha).
 *   - The rule w += alpha sqrt(w - w0) never leaves w0. Its closed form is used, in steps:
 *     sqrt(w - w0) grows by alpha/2 per RTT. RTTs are counted in windows of acknowledged packets:
 *     time stands still while the window is not used, and SRTT may change within an epoch. (Or
 *     the rule itself, begun as TCP's: parameter growth.)
 *   - The window before a loss is not taken for more than was in flight when the source was the
 *     limit.
 *   - Windows keep their fractions after a decrease; in ns-2, which Biyani and Martin used,
 *     ssthresh is a whole number (parameter whole-packets).
 *   - A timeout keeps as much of ssthresh as a loss event (AIAD/H: half of it). */
#include "controllers/simd_law.h"
#include "controllers/window.h"

struct simd {
    struct window window;
    double keep;    /* share of the window that a loss leaves (SIMD), or ... */
    double removed; /* ... packets that it takes (AIAD/H) */
    double alpha_i; /* SIMD: constant of the gain */
    bool paper_alpha;
    bool per_ack; /* the rule as printed, step by step */
    double w0;    /* window just after the last decrease */
    double alpha;
};
WEIR_DEFINE_STATE(struct simd);

enum {
    PARAM_KEEP = WINDOW_N_PARAMS,
    PARAM_ALPHA,
    PARAM_ALPHA_I,
    PARAM_WHOLE_PACKETS,
    PARAM_GROWTH,
    N_SIMD_PARAMS
};
enum { PARAM_REMOVED = WINDOW_N_PARAMS, N_AIAD_PARAMS };

static const struct weir_param simd_params[N_SIMD_PARAMS] = {
    WINDOW_PARAMS,
    [PARAM_KEEP] = WEIR_ROW_NUMBER("keep", "1", 0.1, 0.99, 0.9375,
                                   "Share of the window that remains after a loss event: beta of "
                                   "Biyani and Martin, 1 - beta of Jin et al."),
    [PARAM_ALPHA] = WEIR_ROW_CHOICE("alpha", 0,
                                    "Gain of the increase: derived for TCP's mean window, or as "
                                    "Biyani and Martin print it, smaller by sqrt(2).",
                                    "derived", "paper"),
    [PARAM_ALPHA_I] = WEIR_ROW_NUMBER("alpha-i", "1", 0.0, 10.0, 0.0,
                                      "Constant of the gain (table VII of Biyani and Martin); 0 = "
                                      "TCP-friendly for keep, 0.757758 at 15/16."),
    [PARAM_WHOLE_PACKETS] =
        WEIR_ROW_SWITCH("whole-packets", false,
                        "Round windows down before and after a decrease, as ns-2 "
                        "before 2006; for published figures."),
    [PARAM_GROWTH] =
        WEIR_ROW_CHOICE("growth", 0,
                        "Increase: the closed form of the rule, or the rule as Biyani and "
                        "Martin print it, per acknowledgement; where it is 0, TCP's.",
                        "closed-form", "per-ack"),
};

static const struct weir_param aiad_h_params[N_AIAD_PARAMS] = {
    WINDOW_PARAMS,
    [PARAM_REMOVED] = WEIR_ROW_NUMBER(
        "removed", "packets", 0.01, 1.0, 0.25,
        "What a loss event removes from the window: beta of table 1 of the WARC paper."),
};

/* w_m, the window before the last decrease; before the first one the present one. */
static double window_before(const struct window *window)
{
    return window->before_loss > 0.0 ? window->before_loss : window->cwnd;
}

/* dt = acked/cwnd RTTs. */
static double simd_increase(void *scheme, const struct window *window, double acked_packets)
{
    const struct simd *s = scheme;
    double rounds = acked_packets / window->cwnd;
    if (!s->per_ack) {
        return weir__simd_grow(window->cwnd, s->w0, s->alpha, rounds);
    }
    double distance = window->cwnd - s->w0;
    return window->cwnd + rounds * (distance > 0.0 ? s->alpha * sqrt(distance) : 1.0);
}

/* Before 2006 ns-2 reduced whole packets to whole packets (precisionReduce_ off). */
static double kept(const struct simd *s, double packets)
{
    return s->window.whole_packets ? floor(s->keep * floor(packets)) : s->keep * packets;
}

static double simd_decrease(void *scheme, const struct window *window)
{
    return kept(scheme, weir__window_used(window));
}

/* alpha_i/sqrt(2 keep w_m) is the paper's alpha, sqrt(2) times that the derived one. */
static void simd_begin_epoch(void *scheme, const struct window *window)
{
    struct simd *s = scheme;
    double w_m = window_before(window);
    s->w0 = window->cwnd;
    s->alpha = s->alpha_i / sqrt((s->paper_alpha ? 2.0 : 1.0) * s->keep * w_m);
}

static double aiad_h_increase(void *scheme, const struct window *window, double acked_packets)
{
    const struct simd *s = scheme;
    return window->cwnd + s->alpha * acked_packets / window->cwnd;
}

static double aiad_h_decrease(void *scheme, const struct window *window)
{
    const struct simd *s = scheme;
    return weir__window_used(window) - s->removed;
}

static void aiad_h_begin_epoch(void *scheme, const struct window *window)
{
    struct simd *s = scheme;
    s->w0 = window->cwnd;
    s->alpha = weir__aiad_h_alpha(s->removed, window_before(window));
}

static const struct window_rules simd_rules = {.increase = simd_increase,
                                               .decrease = simd_decrease,
                                               .begin_epoch = simd_begin_epoch,
                                               .paper_initial_packets = 2.0};
static const struct window_rules aiad_h_rules = {.increase = aiad_h_increase,
                                                 .decrease = aiad_h_decrease,
                                                 .begin_epoch = aiad_h_begin_epoch,
                                                 .paper_initial_packets = 2.0};

static void simd_init(void *state, const struct weir_config *config)
{
    struct simd *s = state;
    double keep = config->params[PARAM_KEEP];
    double alpha_i = config->params[PARAM_ALPHA_I];
    *s = (struct simd){.keep = keep,
                       .alpha_i = alpha_i > 0.0 ? alpha_i : weir__simd_alpha_i(keep),
                       .paper_alpha = config->params[PARAM_ALPHA] > 0.5,
                       .per_ack = config->params[PARAM_GROWTH] > 0.5};
    weir__window_init(&s->window, &simd_rules, config);
    s->window.whole_packets = config->params[PARAM_WHOLE_PACKETS] > 0.5;
    simd_begin_epoch(s, &s->window);
}

static void aiad_h_init(void *state, const struct weir_config *config)
{
    struct simd *s = state;
    *s = (struct simd){.removed = config->params[PARAM_REMOVED]};
    weir__window_init(&s->window, &aiad_h_rules, config);
    aiad_h_begin_epoch(s, &s->window);
}

/* The first timeout of a series: ssthresh is what a loss event would have left. */
static void simd_on_silence(void *state, const struct weir_path *path, int64_t now_ns)
{
    struct simd *s = state;
    int64_t timeouts = s->window.n_timeouts;
    bool first = s->window.backoff <= 1.0;
    weir__window_on_silence(state, path, now_ns);
    if (first && s->window.n_timeouts > timeouts) {
        s->window.ssthresh = fmax(kept(s, s->window.before_loss), 2.0);
    }
}

static void simd_get_variables(const void *state, struct weir_variables *to)
{
    const struct simd *s = state;
    weir__window_get_variables(state, to);
    weir_tell(to, "w0_packets", s->w0);
    weir_tell(to, "alpha", s->alpha);
}

/* What the functional tests of the paper count. */
static void simdnr_get_variables(const void *state, struct weir_variables *to)
{
    const struct simd *s = state;
    simd_get_variables(state, to);
    weir_tell(to, "reductions", (double)s->window.n_events);
    weir_tell(to, "retransmissions", 0.0);
}

#define SIMD_TABLE                                                                                 \
    WINDOW_EVENTS, .state_bytes = sizeof(struct simd), .params = simd_params,                      \
                   .n_params = N_SIMD_PARAMS, .init = simd_init, .on_silence = simd_on_silence

const struct weir_controller weir_simd = {
    .name = "simd",
    .description =
        "Square increase, multiplicative decrease: small decreases, ever faster increases.",
    .spec = "Jin et al., ICNP 2001",
    SIMD_TABLE,
    .get_variables = simd_get_variables,
};

const struct weir_controller weir_simdnr = {
    .name = "simdnr",
    .description = "SIMD without retransmissions: one reaction per window, always new data.",
    .spec = "Biyani and Martin",
    SIMD_TABLE,
    .get_variables = simdnr_get_variables,
};

const struct weir_controller weir_aiad_h = {
    .name = "aiad-h",
    .description = "Additive increase and decrease with history, for comparison only.",
    .spec = "Jin et al., ToN 2003",
    WINDOW_EVENTS,
    .state_bytes = sizeof(struct simd),
    .params = aiad_h_params,
    .n_params = N_AIAD_PARAMS,
    .init = aiad_h_init,
    .on_silence = weir__window_on_silence,
    .get_variables = simd_get_variables,
};
