/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plugins that are wrong, one for each BROKEN_*. */
#include "weir/contract.h"
#include <signal.h>

static void init(void *state, const struct weir_config *config)
{
    (void)state;
    (void)config;
}

static void get_output(const void *state, struct weir_control *control)
{
#ifdef BROKEN_CRASHES
    raise(SIGSEGV);
#endif
    (void)state;
    *control = (struct weir_control){.rate_bps = INT64_MIN,
                                     .pacing_bps = INT64_MAX,
                                     .source_bps = INT64_MIN,
                                     .window_bytes = INT64_MIN};
}

static const struct weir_controller broken = {
    .name = "broken",
    .description = "A plugin that is wrong.",
    .spec = "none",
    .needs = WEIR_HAS_REPORT_FORM,
#ifdef BROKEN_STATE
    .state_bytes = WEIR_STATE_MAX_BYTES + 1,
#endif
    .init = init,
    .get_output = get_output,
};

#ifdef BROKEN_VERSION
#define VERSION (WEIR_CONTRACT_VERSION + 1)
#else
#define VERSION WEIR_CONTRACT_VERSION
#endif
#ifdef BROKEN_COUNT
#define N 9
#else
#define N 1
#endif

#ifdef BROKEN_SYMBOL
#define NAME other_name
extern const struct weir_plugin other_name;
#else
#define NAME weir_plugin
#endif
const struct weir_plugin NAME = {VERSION, N, {&broken}};
