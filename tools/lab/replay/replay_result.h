/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What came out of a replay, as an object and as a sentence. */
#ifndef WEIR_LAB_REPLAY_REPLAY_RESULT_H
#define WEIR_LAB_REPLAY_REPLAY_RESULT_H

#include <glib.h>
#include <stdint.h>

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

void lab_replay_result_clear(struct lab_replay_result *result);
char *lab_replay_to_json(const struct lab_replay_result *result);
char *lab_replay_to_text(const struct lab_replay_result *result);

#endif
