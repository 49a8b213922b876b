/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fixed: one constant rate whatever the network does, the unresponsive baseline.
 * Specification: none; the "UDP" flow of congestion control papers.   Needs: nothing.
 * Differs from the specification:
 *   - nothing. The session still holds the rate within the limits, and its circuit breaker still
 *     ends a flow that does damage. */
#include "control/controller.h"

struct fixed {
    double rate_bps; /* parameter; 0 = the start limit */
    int64_t start_bps;
};
WEIR_DEFINE_STATE(struct fixed);

enum { PARAM_RATE_BPS };

static const struct weir_param fixed_params[] = {
    [PARAM_RATE_BPS] = WEIR_ROW_INTEGER("rate-bps", "bit/s", 0.0, 1e11, 0.0,
                                        "Constant wire rate; 0 takes the start bitrate."),
};

static void fixed_init(void *state, const struct weir_config *config)
{
    struct fixed *fixed = state;
    fixed->rate_bps = config->params[PARAM_RATE_BPS];
    fixed->start_bps = config->limits.start_bps;
}

/* Reports are welcome and change nothing, so a session with any peer accepts this algorithm. */
static void fixed_on_report(void *state, const struct weir_path *path,
                            const struct weir_report *report)
{
    (void)path;
    (void)state;
    (void)report;
}

static void fixed_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns)
{
    (void)now_ns;
    struct fixed *fixed = state;
    fixed->start_bps = limits->start_bps;
}

static void fixed_get_output(const void *state, struct weir_control *control)
{
    const struct fixed *fixed = state;
    *control = (struct weir_control){
        .rate_bps = fixed->rate_bps > 0.0 ? (int64_t)fixed->rate_bps : fixed->start_bps,
        .window_bytes = WEIR_UNLIMITED_BYTES,
    };
}

const struct weir_controller weir_fixed = {
    .name = "fixed",
    .description = "A constant rate that reacts to nothing: the unresponsive baseline.",
    .spec = "none",
    .needs = WEIR_HAS_REPORT_FORM,
    .state_bytes = sizeof(struct fixed),
    .params = fixed_params,
    .n_params = sizeof(fixed_params) / sizeof(fixed_params[0]),
    .init = fixed_init,
    .on_report = fixed_on_report,
    .set_limits = fixed_set_limits,
    .get_output = fixed_get_output,
};
