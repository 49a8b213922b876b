/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The figures of a run, as the JSON object that docs/lab.md describes. */
#ifndef WEIR_LAB_RUN_RESULT_H
#define WEIR_LAB_RUN_RESULT_H

#include "run/figures.h"

char *lab_result_json(const struct lab_figures *figures);

#endif
