/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of each algorithm of controllers.def: FILE.c here has those of
 * lib/controllers/FILE.c, for each of its lines KNOWN_ANSWERS(id, its vectors). They are found by
 * the algorithm's name. */
#ifndef WEIR_TESTS_VECTORS_KNOWN_ANSWERS_H
#define WEIR_TESTS_VECTORS_KNOWN_ANSWERS_H

#include "vector.h"

struct known_answers {
    const struct vector *vectors;
    size_t n_vectors;
};

#define KNOWN_ANSWERS(id, table)                                                                   \
    const struct known_answers known_answers_##id = {table, sizeof(table) / sizeof((table)[0])}

#define WEIR_CONTROLLER(id, file) extern const struct known_answers known_answers_##id;
#include "controllers/controllers.def"
#undef WEIR_CONTROLLER

/* NULL when there is no such algorithm. */
const struct known_answers *known_answers_find(const char *name);

#endif
