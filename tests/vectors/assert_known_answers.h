/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* That an algorithm gives its known answers, of which it has five at least. */
#ifndef WEIR_TESTS_VECTORS_ASSERT_KNOWN_ANSWERS_H
#define WEIR_TESTS_VECTORS_ASSERT_KNOWN_ANSWERS_H

#include <glib.h>

#include "known_answers.h"
#include "run.h"

static inline void assert_known_answers(const char *name)
{
    static struct vector_run run;
    const struct weir_controller *controller = weir__controller_find(name);
    const struct known_answers *answers = known_answers_find(name);
    g_assert_nonnull(controller);
    g_assert_nonnull(answers);
    g_assert_cmpuint(answers->n_vectors, >=, 5);
    for (size_t i = 0; i < answers->n_vectors; i++) {
        enum weir_status status = vector_run(controller, &answers->vectors[i], &run);
        g_test_message("%s: %s: %s", name, answers->vectors[i].name, run.why);
        g_assert_cmpint(status, ==, WEIR_OK);
    }
}

#endif
