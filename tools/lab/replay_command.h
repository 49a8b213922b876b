/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab replay: runs an algorithm again on what a trace recorded. */
#ifndef WEIR_LAB_REPLAY_COMMAND_H
#define WEIR_LAB_REPLAY_COMMAND_H

#include <glib.h>
#include <stdint.h>

struct lab_replay_options {
    const char *location;      /* of the trace */
    const char *algorithm;     /* to run instead of the recorded one, or NULL */
    const char *const *params; /* "K=V" of it, NULL-terminated, or NULL */
    const char *out;           /* directory for replay.csv, or NULL */
};

struct lab_replay_result {
    char *recorded_algorithm; /* the first, if it changed on the way */
    char *algorithm;
    int64_t records;
    int64_t duration_ns;
    int64_t decisions;
    gboolean is_compared;        /* the recorded algorithm ran, with the recorded parameters */
    int64_t differences;         /* moments at which its answer was another one */
    int64_t first_difference_ns; /* since the beginning; WEIR_UNKNOWN_NS = none */
    double recorded_bps;         /* means over time of the algorithms' answers */
    double replayed_bps;
};

/* FALSE: *error has one line that says what and where. */
gboolean lab_replay_run(const struct lab_replay_options *options, struct lab_replay_result *result,
                        GError **error);
void lab_replay_result_clear(struct lab_replay_result *result);
/* Free with g_free. */
char *lab_replay_to_json(const struct lab_replay_result *result);
char *lab_replay_to_text(const struct lab_replay_result *result);

#endif
