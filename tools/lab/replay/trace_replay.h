/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs an algorithm again on what a trace recorded. */
#ifndef WEIR_LAB_REPLAY_TRACE_REPLAY_H
#define WEIR_LAB_REPLAY_TRACE_REPLAY_H

#include "replay/replay_result.h"

struct lab_replay_options {
    const char *location;      /* of the trace */
    const char *algorithm;     /* to run instead of the recorded one, or NULL */
    const char *const *params; /* "K=V" of it, NULL-terminated, or NULL */
    const char *out;           /* directory for replay.csv, or NULL */
};

gboolean lab_replay_run(const struct lab_replay_options *options, struct lab_replay_result *result,
                        GError **error);

#endif
