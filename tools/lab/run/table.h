/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The figures of a run, as a table for people. */
#ifndef WEIR_LAB_RUN_TABLE_H
#define WEIR_LAB_RUN_TABLE_H

#include "run/figures.h"

char *lab_result_table(const struct lab_figures *figures);

#endif
