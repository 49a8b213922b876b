/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GAIMD: TCP's window with a gentler decrease, and the increase that keeps it TCP-friendly.
 * Specification: Y. R. Yang, S. S. Lam, "General AIMD Congestion Control", ICNP 2000; parameters of
 * the WARC paper, table 1.
 * Needs: which packets arrived. Has a report form.
 * Differs from the specification: as the window engine does (window.c), and
 *   - alpha is 0.2, the match at low loss, where Yang and Lam give 0.31, the match at high loss;
 *     beta is the fraction removed, 1/8, where they write the fraction kept, 7/8. */
#include "controllers/gaimd_law.h"
#include "controllers/window.h"

struct gaimd {
    struct window window;
    double alpha; /* packets per RTT */
    double beta;  /* fraction removed */
};
WEIR_DEFINE_STATE(struct gaimd);

enum { PARAM_ALPHA = WINDOW_N_PARAMS, PARAM_BETA, N_PARAMS };

static const struct weir_param gaimd_params[N_PARAMS] = {
    WINDOW_PARAMS,
    [PARAM_ALPHA] =
        WEIR_ROW_NUMBER("gaimd-alpha", "packets", 0.0, 10.0, 0.0,
                        "Increase per RTT; 0 = TCP-friendly at low loss for gaimd-beta, 3 "
                        "beta/(2 - beta) = 0.2 (0.3125 suits high loss)."),
    [PARAM_BETA] = WEIR_ROW_NUMBER("gaimd-beta", "1", 0.01, 0.9, 0.125,
                                   "Fraction of the window removed by a loss event; 0.5 is TCP."),
};

/* w += alpha per RTT. */
static double gaimd_increase(void *scheme, const struct window *window, double acked_packets)
{
    const struct gaimd *g = scheme;
    return window->cwnd + acked_packets * g->alpha / window->cwnd;
}

/* w -= beta w. */
static double gaimd_decrease(void *scheme, const struct window *window)
{
    const struct gaimd *g = scheme;
    return window->cwnd - g->beta * window->cwnd;
}

static const struct window_rules gaimd_rules = {
    .increase = gaimd_increase, .decrease = gaimd_decrease, .paper_initial_packets = 2.0};

static void gaimd_init(void *state, const struct weir_config *config)
{
    struct gaimd *g = state;
    *g = (struct gaimd){.beta = config->params[PARAM_BETA]};
    double alpha = config->params[PARAM_ALPHA];
    g->alpha = alpha > 0.0 ? alpha : weir__gaimd_alpha(1.0 - g->beta);
    weir__window_init(&g->window, &gaimd_rules, config);
}

const struct weir_controller weir_gaimd = {
    .name = "gaimd",
    .description = "General AIMD: TCP's window with small steps up and down.",
    .spec = "Yang and Lam, ICNP 2000",
    WINDOW_EVENTS,
    .state_bytes = sizeof(struct gaimd),
    .params = gaimd_params,
    .n_params = N_PARAMS,
    .init = gaimd_init,
    .on_silence = weir__window_on_silence,
    .get_variables = weir__window_get_variables,
};
