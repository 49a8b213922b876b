/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binomial congestion control: the window grows by alpha/w^k per RTT and shrinks by beta w^l with a
 * loss event. sqrt is k = l = 1/2, iiad (inverse increase, additive decrease) k = 1, l = 0; TCP
 * would be k = 0, l = 1. With k + l = 1 all are TCP-friendly.
 * Specification: D. Bansal, H. Balakrishnan, "Binomial Congestion Control Algorithms", INFOCOM
 * 2001; parameters of the WARC paper, table 1.
 * Needs: which packets arrived. Has a report form.
 * Differs from the specification: as the window engine does (window.c). So the first decrease and
 * those of slow start halve the window whatever beta is (as in ns-2), and the window is never below
 * one packet, where alpha/w^k would exceed alpha. */
#include "controllers/binomial_law.h"
#include "controllers/window.h"

struct binomial {
    struct window window;
    double alpha;
    double beta;
    double k;
    double l;
};
WEIR_DEFINE_STATE(struct binomial);

enum { PARAM_ALPHA = WINDOW_N_PARAMS, PARAM_BETA, PARAM_K, PARAM_L, N_PARAMS };

#define BINOMIAL_PARAMS(default_k, default_l)                                                      \
    WINDOW_PARAMS,                                                                                 \
        [PARAM_ALPHA] = WEIR_ROW_NUMBER(                                                           \
            "binomial-alpha", "packets", 0.001, 10.0, 1.0,                                         \
            "alpha: growth per RTT is alpha/w^k; friendly to TCP is 1.5 beta where k + l = 1."),   \
        [PARAM_BETA] = WEIR_ROW_NUMBER("binomial-beta", "packets", 0.01, 10.0, 0.67,               \
                                       "beta: a loss event removes beta w^l."),                    \
        [PARAM_K] = WEIR_ROW_NUMBER("k", "1", 0.0, 2.0, default_k, "Exponent of the increase."),   \
        [PARAM_L] = WEIR_ROW_NUMBER("l", "1", 0.0, 1.0, default_l, "Exponent of the decrease.")

static const struct weir_param sqrt_params[N_PARAMS] = {BINOMIAL_PARAMS(0.5, 0.5)};
static const struct weir_param iiad_params[N_PARAMS] = {BINOMIAL_PARAMS(1.0, 0.0)};

static double binomial_increase(void *scheme, const struct window *window, double acked_packets)
{
    const struct binomial *b = scheme;
    return weir__binomial_increase(window->cwnd, b->alpha, b->k, acked_packets);
}

static double binomial_decrease(void *scheme, const struct window *window)
{
    const struct binomial *b = scheme;
    return weir__binomial_decrease(window->cwnd, b->beta, b->l);
}

static const struct window_rules binomial_rules = {
    .increase = binomial_increase, .decrease = binomial_decrease, .paper_initial_packets = 2.0};

static void binomial_init(void *state, const struct weir_config *config)
{
    struct binomial *b = state;
    *b = (struct binomial){.alpha = config->params[PARAM_ALPHA],
                           .beta = config->params[PARAM_BETA],
                           .k = config->params[PARAM_K],
                           .l = config->params[PARAM_L]};
    weir__window_init(&b->window, &binomial_rules, config);
}

#define BINOMIAL_TABLE(table_params)                                                               \
    .spec = "Bansal and Balakrishnan, INFOCOM 2001", WINDOW_EVENTS,                                \
    .state_bytes = sizeof(struct binomial), .params = (table_params), .n_params = N_PARAMS,        \
    .init = binomial_init, .on_silence = weir__window_on_silence,                                  \
    .get_variables = weir__window_get_variables

const struct weir_controller weir_sqrt = {
    .name = "sqrt",
    .description = "Binomial control with square roots: between TCP and a smooth rate.",
    BINOMIAL_TABLE(sqrt_params)};

const struct weir_controller weir_iiad = {
    .name = "iiad",
    .description = "Binomial control with inverse increase and additive decrease: the smoothest.",
    BINOMIAL_TABLE(iiad_params)};
