/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of formulas that `weir-lab formula` computes and `weir-lab list formulas` names. */
#ifndef WEIR_LAB_FORMULA_H
#define WEIR_LAB_FORMULA_H

#include <glib.h>

#define LAB_MOST_ARGUMENTS 6

struct lab_argument {
    const char *name; /* NULL: no more */
    const char *unit;
    double min;
    double max;
    double default_value; /* NAN: must be given */
};

struct lab_formula {
    const char *name;
    const char *description; /* with its source */
    const char *unit;        /* of the result */
    double (*compute)(const double *arguments, gsize n);
    struct lab_argument arguments[LAB_MOST_ARGUMENTS];
    gboolean last_repeats; /* the last argument may be given any number of times */
};

extern const struct lab_formula lab_formulas[];
extern const gsize lab_n_formulas;

char *lab_formulas_text(void);
char *lab_formulas_json(void);

#endif
