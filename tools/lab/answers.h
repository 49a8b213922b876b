/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the algorithms of plugins answer in a run: one that no algorithm may give ends it. Those of
 * the library are tested elsewhere, and cost nothing here. */
#ifndef WEIR_LAB_ANSWERS_H
#define WEIR_LAB_ANSWERS_H

#include "run/world.h"
#include <signal.h>

struct lab_answers;

/* *stop is set at the first impossible answer. The scenario must outlive it; once it is freed the
 * world must not go on. */
struct lab_answers *lab_answers_watch(struct lab_world *world, const struct lab_scenario *scenario,
                                      volatile sig_atomic_t *stop);
/* FALSE and *error: who answered what, and what would be right. */
gboolean lab_answers_check(const struct lab_answers *answers, GError **error);
void lab_answers_free(struct lab_answers *answers);

#endif
