/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/text.h"

/* Free with g_free; ends with a new line. */
char *lab_scenario_text(const struct lab_scenario *scenario)
{
    char *json = json_to_string(scenario->resolved, TRUE);
    char *text = g_strconcat(json, "\n", NULL);
    g_free(json);
    return text;
}
