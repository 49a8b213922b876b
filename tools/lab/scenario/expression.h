/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arithmetic in scenario files, a part of the language of weir-reproduce's checks: "capacity_bps *
 * 0.25 / (8 * 1500)", "2 if n > 10 else 1". */
#ifndef WEIR_LAB_SCENARIO_EXPRESSION_H
#define WEIR_LAB_SCENARIO_EXPRESSION_H

#include <glib.h>

/* Where names get their values. */
struct lab_names {
    /* FALSE and *error when there is no number of that name. */
    gboolean (*look_up)(void *user, const char *name, double *value, GError **error);
    void *user;
};

gboolean lab_expression_evaluate(const char *text, const struct lab_names *names, double *value,
                                 GError **error);
gboolean lab_expression_is_name(const char *name);

#endif
