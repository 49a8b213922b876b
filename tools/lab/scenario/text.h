/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A resolved scenario as JSON, as `weir-lab show` prints it. */
#ifndef WEIR_LAB_SCENARIO_TEXT_H
#define WEIR_LAB_SCENARIO_TEXT_H

#include "scenario/scenario.h"

char *lab_scenario_text(const struct lab_scenario *scenario);

#endif
